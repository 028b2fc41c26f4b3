package hop

import (
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hoplint/hoplint/runtime/internal/backtrace"
)

// ownPackages are the function name prefixes of this module's runtime: a user's line is the first outside of them.
var ownPackages = []string{
	"github.com/hoplint/hoplint/runtime/hop.",
	"github.com/hoplint/hoplint/runtime/hopio.",
	"github.com/hoplint/hoplint/runtime/internal/",
	"github.com/hoplint/hoplint/tracer.",
}

// userPosition returns the innermost line of the stack that is not part of the runtime. It is asked for only by a trace,
// an observer, a tape or an error. A trace asks for each op, so the way that is taken as a rule walks the frames itself
// and knows what stands at each address.
func userPosition() token.Position {
	var pcs [backtrace.Max]uintptr
	n := backtrace.Callers(&pcs)
	for _, pc := range pcs[:n] {
		l := lines.of(pc)
		if l == nil {
			break
		}
		if l.user {
			return l.pos
		}
	}
	return positionByRuntime(pcs[:n])
}

// positionByRuntime is userPosition by what the runtime knows of inlined functions and wrappers. It remembers what
// stands at the addresses of physical frames, which the walk gave.
func positionByRuntime(walked []uintptr) token.Position {
	var pcs [32]uintptr
	at := -1 // the frame of walked that is looked at
	for skip := 1; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		for _, pc := range pcs[:n] {
			// A frame is followed by those of the functions that it is inlined into; they have no address of their own.
			if k := slices.Index(walked[at+1:], pc); k >= 0 {
				for i := max(at, 0); i < at+1+k; i++ { // no user's line stands there, nor in wrappers that the runtime leaves out
					lines.set(&sourceLine{pc: walked[i]})
				}
				at += 1 + k
			}
			if pos, function, ok := userLine(pc); ok {
				if at >= 0 && function == runtime.FuncForPC(walked[at]-1).Entry() {
					lines.set(&sourceLine{pc: walked[at], pos: pos, user: true})
				}
				return pos
			}
		}
		if n < len(pcs) {
			return token.Position{}
		}
	}
}

// userLine returns the line at an address that runtime.Callers gave, if it is a user's, and the entry of the function
// that has the frame.
func userLine(pc uintptr) (pos token.Position, function uintptr, user bool) {
	frame, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	if frame.File == "" || isOwn(frame.Function) || isOwnFile(frame.File) {
		return token.Position{}, 0, false
	}
	return token.Position{Filename: frame.File, Line: frame.Line}, frame.Entry, true
}

// sourceLine says what stands at the return address of a physical frame: the innermost line of a user among those of
// the function and of what is inlined there, if any.
type sourceLine struct {
	pc   uintptr
	pos  token.Position
	user bool
}

// lineMemo remembers the line of each address: to find it out takes microseconds. An address that does not find its
// place in the table, because another one has it, takes the long way again and then the place.
type lineMemo [1 << 12]atomic.Pointer[sourceLine]

var lines lineMemo

func (m *lineMemo) of(pc uintptr) *sourceLine {
	if l := m.place(pc).Load(); l != nil && l.pc == pc {
		return l
	}
	return nil
}

func (m *lineMemo) set(l *sourceLine) { m.place(l.pc).Store(l) }

// place spreads the addresses by the golden ratio (Knuth, The Art of Computer Programming 3, 6.4).
func (m *lineMemo) place(pc uintptr) *atomic.Pointer[sourceLine] {
	return &m[uint64(pc)*0x9e3779b97f4a7c15>>52]
}

func isOwn(function string) bool {
	for _, p := range ownPackages {
		if strings.HasPrefix(function, p) {
			return true
		}
	}
	name, _, _ := strings.Cut(function, ".")
	switch name { // they stand between functions of the runtime, and before a user's that hands on one
	case "runtime", "reflect", "sync", "slices", "maps", "iter", "sort":
		return true
	}
	return false
}

// shortPosition prints a position relative to the working directory where it lies below it.
func shortPosition(p token.Position) string {
	if dir, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(dir, p.Filename); err == nil && !strings.HasPrefix(rel, "..") {
			p.Filename = rel
		}
	}
	return p.String()
}

// isOwnFile reports whether a file is one of this package. A function literal in a generic function goes by the name of
// the user's function that it was inlined into.
func isOwnFile(file string) bool {
	return filepath.Dir(file) == ownFolder() && !strings.HasSuffix(file, "_test.go")
}

var ownFolder = sync.OnceValue(func() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(file)
})
