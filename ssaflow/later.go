package ssaflow

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Some of what a function starts goes on after the statement that starts it: a goroutine, its own or one of a callee, and what the body
// of a range over a function defers. What it does with memory that changes in between is asked again where the function waits for
// others, and where it returns.

// maxRounds is how often goroutines are asked at one place: what one leaves for another is seen in the next round.
const maxRounds = 4

// start notes a statement that leads to a goroutine: a go statement, or a call in which one is started.
func (f *frame) start(instr ssa.CallInstruction) {
	if f.goesOn {
		return
	}
	for _, s := range f.started {
		if s == instr {
			return
		}
	}
	f.started = append(f.started, instr)
}

// goOn lets the goroutines that were started before go on in the state at block b.
func (f *frame) goOn(st *state, b *ssa.BasicBlock) {
	if len(f.started) == 0 || f.goesOn {
		return
	}
	f.goesOn = true
	defer func() { f.goesOn = false }()
	for range min(len(f.started)+1, maxRounds) {
		changed := false
		for _, s := range f.started {
			if s.Block() == b || f.reaches(s.Block(), b) {
				_, own := s.(*ssa.Go)
				changed = f.redo(st, own, s.Common().Value.Name(), func(st *state) { f.invoke(st, s, s.Common(), "") }) || changed
			}
		}
		if !changed {
			return
		}
	}
}

// redo joins the state with what something does to it that was done before in another one. It reports whether the state changed.
// Effects that are new are certain only where it is known that they can happen so late.
func (f *frame) redo(st *state, certain bool, name string, do func(*state)) bool {
	n := len(f.effects.list)
	with := st.fork()
	do(with)
	if !certain {
		more := append([]Effect(nil), f.effects.list[n:]...)
		pos := append([]token.Pos(nil), f.effects.pos[n:]...)
		f.effects.rewind(n)
		for i, e := range more {
			if !f.effects.tells(e) {
				e.Kind, e.Op, e.Definite, e.Stored, e.stored, e.Told = Unseen, name, false, nil, nil, false
				f.effects.add(e, pos[i])
			}
		}
	}
	return f.joinInto(st, with)
}

// tells reports whether an effect of the kind on the same memory is known.
func (s *effectSet) tells(e Effect) bool {
	for i := range s.list {
		if s.list[i].Kind == e.Kind && s.list[i].Ref.same(e.Ref) {
			return true
		}
	}
	return false
}

// waits reports whether what other goroutines did may be seen after a call, of the synchronisation within.
func (f *frame) waits(c *ssa.CallCommon) bool {
	fn := c.StaticCallee()
	if fn == nil {
		_, builtin := c.Value.(*ssa.Builtin)
		return !builtin
	}
	if len(fn.Blocks) > 0 {
		return true
	}
	sum := f.e.instance(fn)
	if sum == nil || sum.Top || len(sum.Slots)+len(sum.Flags) > 0 {
		return true
	}
	if fn.Pkg != nil && strings.HasPrefix(fn.Pkg.Pkg.Path(), "sync") {
		return true
	}
	for _, a := range c.Args {
		for _, l := range f.get(a) {
			for _, r := range l.refs {
				if !r.o.opaque {
					return true
				}
			}
		}
	}
	return false
}

// Deferred calls of the body of a range over a function.

// defersElsewhere reports whether a defer statement stands in the body of a range over a function: the call is deferred to the end of the
// function around.
func defersElsewhere(d *ssa.Defer) bool {
	load, ok := d.DeferStack.(*ssa.UnOp)
	if !ok {
		return false
	}
	_, outer := load.X.(*ssa.FreeVar)
	return outer
}

// isRangeBody reports whether a function is the body of a range over a function.
func isRangeBody(fn *ssa.Function) bool { return fn.Synthetic == "range-over-func yield" }

// defersOut returns the bodies of ranges over functions, right within a function, that defer calls to its end.
func defersOut(fn *ssa.Function) (list []*ssa.Function) {
	for _, inner := range fn.AnonFuncs {
		if isRangeBody(inner) && (deferOf(inner) || len(defersOut(inner)) > 0) {
			list = append(list, inner)
		}
	}
	return list
}

func deferOf(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if d, ok := instr.(*ssa.Defer); ok && defersElsewhere(d) {
				return true
			}
		}
	}
	return false
}

// runDeferredOut runs, at the end of the function, the bodies of ranges over functions once more that deferred calls to it. What else they
// do is done again, so that what is new then is not certain.
func (f *frame) runDeferredOut(st *state) {
	if len(f.deferring) == 0 || isRangeBody(f.fn) {
		return
	}
	for i := 0; i < len(f.objects); i++ {
		o := f.objects[i]
		for _, fn := range f.deferring {
			if o.fn == fn && o.kind == made {
				site := callSite{instr: rangeCall(o), pos: fn.Pos()}
				if site.instr == nil {
					continue
				}
				f.redo(st, false, funcName(fn), func(st *state) {
					args := f.calledWith[o]
					f.apply(st, site, f.closureTarget(st, o, args, nil), nil)
				})
			}
		}
	}
}

// rangeCall is the call that the body of a range over a function is given to.
func rangeCall(o *object) ssa.CallInstruction {
	v, ok := o.by.(*ssa.MakeClosure)
	if !ok {
		return nil
	}
	for _, use := range *v.Referrers() {
		if call, ok := use.(ssa.CallInstruction); ok {
			return call
		}
	}
	return nil
}
