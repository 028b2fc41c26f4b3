package hop

import (
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// ownPackages are the function name prefixes of this module's runtime: a user's line is the first outside of them.
var ownPackages = []string{
	"github.com/hoplint/hoplint/runtime/hop.",
	"github.com/hoplint/hoplint/runtime/hopio.",
	"github.com/hoplint/hoplint/runtime/internal/",
	"github.com/hoplint/hoplint/tracer.",
}

// userPosition returns the innermost line of the stack that is not part of the runtime. It is asked for only by a trace,
// an observer, a tape or an error.
func userPosition() token.Position {
	var pcs [8]uintptr // a user stands a few frames above an op
	for skip := 2; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		for _, pc := range pcs[:n] {
			if l := lineAt(pc); l.user {
				return l.pos
			}
		}
		if n < len(pcs) {
			return token.Position{}
		}
	}
}

// sourceLine is what a program counter says: the innermost line of a user there, if any.
type sourceLine struct {
	pos  token.Position
	user bool
}

// lines remembers the line of each program counter: to find it out takes microseconds.
var lines sync.Map // uintptr → sourceLine

func lineAt(pc uintptr) sourceLine {
	if l, ok := lines.Load(pc); ok {
		return l.(sourceLine)
	}
	var l sourceLine
	frames := runtime.CallersFrames([]uintptr{pc})
	for more := true; more && !l.user; {
		var f runtime.Frame
		f, more = frames.Next()
		if f.File != "" && !isOwn(f.Function) && !isOwnFile(f.File) {
			l = sourceLine{token.Position{Filename: f.File, Line: f.Line}, true}
		}
	}
	lines.Store(pc, l)
	return l
}

func isOwn(function string) bool {
	for _, p := range ownPackages {
		if strings.HasPrefix(function, p) {
			return true
		}
	}
	return strings.HasPrefix(function, "runtime.") || strings.HasPrefix(function, "reflect.")
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
