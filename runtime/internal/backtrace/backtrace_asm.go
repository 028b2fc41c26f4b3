//go:build amd64 || arm64

package backtrace

// Callers fills pcs with return addresses, the innermost first: pcs[0] lies in the function that calls Callers, or in the
// one that it is inlined into. It returns how many there are.
//
//go:noescape
func Callers(pcs *[Max]uintptr) int
