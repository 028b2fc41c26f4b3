package hop

import (
	"go/token"
	"runtime"
	"slices"
	"strings"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/tracer"
)

// sizeNotes is what [Trace] and [Compile] keep for a trace: what the user called where a guard on sizes was made, by the text of the
// guard.
type sizeNotes struct{ calls map[string]fixing }

// fixing is a call that fixed a size, and what helps if that is not what helps with sizes that meet constants.
type fixing struct{ call, remedy string }

// decided makes a decision about sizes. Of a guard that the graph gets by it the call is noted.
func decided[R any](tr *tracer.SubgraphTracer, decide func(pos token.Position) (R, error)) (R, error) {
	return decidedFor(tr, "", decide)
}

// decidedFor is decided where something else helps.
func decidedFor[R any](tr *tracer.SubgraphTracer, remedy string, decide func(pos token.Position) (R, error)) (R, error) {
	pos := userPosition()
	root := tr.Root()
	notes, _ := root.Local().(*sizeNotes)
	if notes == nil {
		return decide(pos)
	}
	before := len(root.Graph().Guards)
	result, err := decide(pos)
	if guards := root.Graph().Guards; len(guards) > before {
		if notes.calls == nil {
			notes.calls = map[string]fixing{}
		}
		name := userCall()
		for _, g := range guards[before:] {
			notes.calls[g.Cond.String()] = fixing{name, remedy}
		}
	}
	return result, err
}

// userCall is the function or method of the runtime that the user called: Add, Scan, Int.Value; empty when it is not known.
func userCall() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	name := ""
	for {
		frame, more := frames.Next()
		if frame.File == "" || !more {
			return ""
		}
		if !isOwn(frame.Function) && !isOwnFile(frame.File) {
			return name
		}
		if own, ok := strings.CutPrefix(frame.Function, ownPackages[0]); ok {
			own, _, _ = strings.Cut(strings.TrimPrefix(own, "(*Tensor)."), "[")
			if !token.IsExported(own) || strings.Contains(own, ".func") {
				own = ""
			}
			name = own
		}
	}
}

// readsSize reports whether a function gives a size as a Go number.
func readsSize(call string) bool {
	return slices.Contains([]string{"", "Int.Value", "Dim", "Shape", "NumElems", "Strides", "Offset"}, call)
}

// fixedSize is the note that a size is fixed, and by what.
func (p *flatProgram) fixedSize(size tracer.Int, n int, guard tracer.Guard) hopcheck.Finding {
	f := hopcheck.Finding{Code: hopcheck.SpecialisedDimension, HOP: p.name, Detail: size.String() + " is fixed to " + tracer.Const(n).String() + " in the graph"}
	by := p.notes.calls[guard.Cond.String()]
	if f.Op = by.call; f.Op != "" {
		f.Detail += " through " + f.Op
	}
	if f.Remedy = by.remedy; f.Remedy == "" && !readsSize(f.Op) {
		f.Remedy = "give " + f.Op + " sizes made of SymDim instead of constants"
	}
	return f
}
