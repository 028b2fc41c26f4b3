// Package backtrace reads the return addresses of the calling goroutine's frames from the chain of frame pointers, which
// costs nanoseconds where [runtime.Callers] costs a good part of a microsecond.
//
// The addresses are those of physical frames: a function that was inlined into its caller has none of its own. Who needs
// names and lines asks runtime.Callers once for each address and remembers the answer.
//
// Safety: the walk is one assembly function without calls, so that the goroutine's stack cannot move meanwhile and no
// preemption comes in between. It reads words of that stack only: every frame pointer has to lie above the last one and
// below the upper bound of the stack, else the walk ends there. A caller that finds the list too short falls back on
// runtime.Callers. It is what the Go runtime does itself for its execution tracer and its block profile on these two
// architectures (runtime/tracestack.go, fpTracebackPCs).
package backtrace

// Max is the most addresses that one walk gives: a user's line lies some 20 below an op of a derivative that is compiled.
const Max = 40
