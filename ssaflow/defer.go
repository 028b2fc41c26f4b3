package ssaflow

import (
	"golang.org/x/tools/go/ssa"
)

// noteDefer keeps the order of defer statements.
func (f *frame) noteDefer(d *ssa.Defer) {
	for _, x := range f.defers {
		if x == d {
			return
		}
	}
	f.defers = append(f.defers, d)
}

// runDefers applies the deferred calls, last first. One that does not dominate this point may not have been reached, and one in
// a loop may run any number of times: both join with the state without it.
func (f *frame) runDefers(st *state, at *ssa.BasicBlock) {
	for i := len(f.defers) - 1; i >= 0; i-- {
		d := f.defers[i]
		b := d.Block()
		if f.out[b] == nil && b != at {
			continue
		}
		if b.Dominates(at) && !f.cyclic[b] {
			f.invoke(st, d, &d.Call, "")
			continue
		}
		if !f.reaches(b, at) {
			continue
		}
		with := st.fork()
		f.invoke(with, d, &d.Call, "")
		f.joinInto(st, with)
	}
}

// reaches reports whether control can go from block a to block b.
func (f *frame) reaches(a, b *ssa.BasicBlock) bool { return f.reachesWithout(a, b, nil) }

// recovered interprets the way back from a panic that a deferred function recovers: the named results are returned as they were before
// any call, after the deferred calls.
func (f *frame) recovered() {
	st := f.panics
	if st == nil {
		return
	}
	for i := len(f.defers) - 1; i >= 0; i-- {
		with := st.fork()
		f.invoke(with, f.defers[i], &f.defers[i].Call, "")
		f.joinInto(st, with)
	}
	f.block = f.fn.Recover
	for _, instr := range f.fn.Recover.Instrs {
		if _, again := instr.(*ssa.RunDefers); !again && !f.step(st, instr) {
			return
		}
	}
}

// mayPanic notes the state before a call, for functions that recover.
func (f *frame) mayPanic(st *state) {
	switch {
	case !f.recovers:
	case f.panics == nil:
		f.panics = st.fork()
	default:
		f.joinInto(f.panics, st)
	}
}

// recovers reports whether a deferred function of the package calls recover.
func recovers(fn *ssa.Function) bool {
	if fn.Recover == nil {
		return false
	}
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if d, ok := instr.(*ssa.Defer); ok && d.Call.StaticCallee() != nil && callsRecover(d.Call.StaticCallee()) {
				return true
			}
		}
	}
	return false
}

func callsRecover(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if c, ok := instr.(*ssa.Call); ok {
				if b, ok := c.Call.Value.(*ssa.Builtin); ok && b.Name() == "recover" {
					return true
				}
			}
		}
	}
	return false
}
