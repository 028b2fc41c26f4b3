package hop

import (
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// ownPackages are the function name prefixes of this module's runtime: a user's line is the first outside of them.
var ownPackages = []string{
	"github.com/hoplint/hoplint/runtime/hop.",
	"github.com/hoplint/hoplint/runtime/internal/",
	"github.com/hoplint/hoplint/tracer.",
}

// userPosition returns the innermost line of the stack that is not part of the runtime. It costs microseconds, so it
// is asked for only by a trace, an observer, a tape or an error.
func userPosition() token.Position {
	var pcs [32]uintptr
	for skip := 2; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		if n == 0 {
			return token.Position{}
		}
		frames := runtime.CallersFrames(pcs[:n])
		for {
			frame, more := frames.Next()
			if !isOwn(frame.Function) && frame.File != "" {
				return token.Position{Filename: frame.File, Line: frame.Line}
			}
			if !more {
				break
			}
		}
		if n < len(pcs) {
			return token.Position{}
		}
	}
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
