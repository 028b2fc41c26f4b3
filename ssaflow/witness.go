package ssaflow

import (
	"golang.org/x/tools/go/ssa"
)

// then adds a step to the way of a reference. Where nobody asks for ways, only code that cannot be seen is noted: what is told of
// memory behind it depends on that.
func (f *frame) then(w *witness, s Step) *witness {
	if f.e.cfg.Terse && s.Kind != Handed {
		return w
	}
	return w.then(s)
}

// ended is a witness as far as it is kept.
func (f *frame) ended(steps []Step) []Step {
	if f.e.cfg.Terse && len(steps) > 1 {
		return steps[len(steps)-1:]
	}
	return steps
}

// way is how a value that is, or views, an argument comes back from the callee.
func (in *instance) way(o Origin) []Step {
	pos := in.f.atCall(in.site)
	if !in.inner {
		if o.View {
			return in.site.way(Step{Kind: View, Pos: pos, Callee: in.t.name})
		}
		return nil
	}
	steps := in.within(o.Witness)
	if len(steps) == 0 {
		return nil
	}
	if isWrapper(in.t.fn) {
		return in.site.way(steps...)
	}
	return append(in.site.way(Step{Kind: Pass, Pos: pos, Callee: in.t.name}), steps...)
}

// way is the way to the call, followed by more steps.
func (s callSite) way(more ...Step) []Step {
	return append(s.outer[:len(s.outer):len(s.outer)], more...)
}

// within are the callee's own steps, without its entry and return.
func (in *instance) within(steps []Step) []Step {
	out := make([]Step, 0, len(steps))
	for i, s := range steps {
		if i == 0 && s.Kind == Enter || s.Kind == Returned {
			continue
		}
		if !s.Pos.IsValid() && s.Where == "" {
			s.Pos = in.f.atCall(in.site)
		}
		out = append(out, s)
	}
	return out
}

func isWrapper(fn *ssa.Function) bool {
	return fn != nil && fn.Synthetic != "" && fn.Parent() == nil && fn.Synthetic != "package initializer" && len(fn.Blocks) > 0
}

// tail is what follows a reference's own way when the callee changes it.
func (in *instance) tail(witness []Step, op string, last StepKind) []Step {
	if n := len(witness); in.f.e.cfg.Terse && n > 1 && witness[n-1].Kind != Returned && (witness[n-1].Where != "" || in.inner && witness[n-1].Pos.IsValid()) {
		return witness[n-1:] // only the end is kept
	}
	pos := in.f.atCall(in.site)
	if in.inner {
		steps := in.within(witness)
		if isWrapper(in.t.fn) {
			return in.site.way(steps...)
		}
		return append(in.site.way(Step{Kind: Pass, Pos: pos, Callee: in.t.name}), steps...)
	}
	if len(witness) == 0 || witness[len(witness)-1].Where == "" {
		// A row for the operation itself: the call is the write.
		return in.site.way(Step{Kind: last, Pos: pos, Callee: op})
	}
	return in.site.way(Step{Kind: Pass, Pos: pos, Callee: in.t.name}, witness[len(witness)-1])
}
