package ssaflow

import (
	"go/token"
	"go/types"
	"slices"

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
	f.panics = nil
	defer func() { f.panics = st }()
	for _, instr := range f.fn.Recover.Instrs {
		if _, again := instr.(*ssa.RunDefers); !again && !f.step(st, instr) {
			break
		}
	}
	if f.recovers == mayRecover && len(f.returns) > 0 {
		last := len(f.returns) - 1
		if f.tellsMore(f.returns[last], f.returns[:last]) {
			f.flag(Unresolved, "what it defers and may recover", f.fn.Pos())
		}
		f.returns = f.returns[:last]
	}
}

// tellsMore reports whether a return gives results, or leaves memory of the caller, that others do not.
func (f *frame) tellsMore(x exit, others []exit) bool {
	for i, v := range x.results {
		for _, l := range v {
			var known refs
			for _, o := range others {
				if i < len(o.results) {
					known = known.union(o.results[i].at(l.path))
				}
			}
			if !coverRefs(known, l.refs) {
				return true
			}
		}
	}
	for _, o := range f.objects {
		if o.kind != entry || o.opaque {
			continue
		}
		held, _ := x.st.get(o)
		for _, s := range held {
			known := refs(nil)
			for _, other := range others {
				known = known.union(f.there(other.st, o, s.path, nil))
			}
			if !coverRefs(known, s.refs) {
				return true
			}
		}
	}
	return false
}

// coverRefs reports whether references lead to all memory that others lead to.
func coverRefs(have, more refs) bool {
	for _, r := range more {
		if !slices.ContainsFunc(have, func(x ref) bool { return x.o == r.o && x.path == r.path }) {
			return false
		}
	}
	return true
}

// recovering says whether a function recovers from panics.
type recovering uint8

const (
	neverRecovers recovering = iota
	// mayRecover: a function that is not known is deferred.
	mayRecover
	// doesRecover: a deferred function of the package calls recover.
	doesRecover
)

// mayPanic notes the state before a call, for functions that recover.
func (f *frame) mayPanic(st *state) {
	switch {
	case f.recovers == neverRecovers:
	case f.panics == nil:
		f.panics = st.fork()
	default:
		f.joinInto(f.panics, st)
	}
}

// interrupted notes what a callee stores before it panics, if it does.
func (in *instance) interrupted(e *Effect, to refs, stored value) {
	f := in.f
	if f.recovers == neverRecovers || f.panics == nil || e.Kind != Store && e.Kind != Rebind && e.Kind != Append {
		return
	}
	if !e.Told {
		stored = single(f.unknown(nil))
	}
	for _, r := range to {
		if r.o.kind == anything || r.o.kind == code || r.o.opaque {
			continue
		}
		for _, l := range stored {
			p := r.path + l.path
			f.panics.set(r.o, p, f.there(f.panics, r.o, p, nil).union(l.refs))
		}
	}
}

// recoveringFrom begins to note how a function leaves memory that is called by one which recovers from its panics. The function that it
// returns ends that: the state is joined with what was noted.
func (f *frame) recoveringFrom(st *state) (end func()) {
	recovers, panics := f.recovers, f.panics
	f.recovers, f.panics = doesRecover, st.fork()
	return func() {
		f.joinInto(st, f.panics)
		if panics != nil {
			f.joinInto(panics, f.panics)
		}
		f.recovers, f.panics = recovers, panics
	}
}

// canPanic reports whether an instruction other than a call may panic by itself.
func canPanic(instr ssa.Instruction) bool {
	switch v := instr.(type) {
	case *ssa.UnOp:
		return v.Op == token.MUL
	case *ssa.BinOp:
		return v.Op == token.QUO || v.Op == token.REM || v.Op == token.SHL || v.Op == token.SHR || v.Op == token.EQL || v.Op == token.NEQ
	case *ssa.TypeAssert:
		return !v.CommaOk
	case *ssa.Call, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Index, *ssa.Lookup, *ssa.MapUpdate, *ssa.Store, *ssa.Slice, *ssa.SliceToArrayPointer,
		*ssa.MakeSlice, *ssa.MakeChan, *ssa.Send, *ssa.Select, *ssa.Panic, *ssa.Go, *ssa.RunDefers:
		return true
	}
	return false
}

// recovers reports whether a function that is deferred calls recover.
func recovers(fn *ssa.Function) recovering {
	if fn.Recover == nil && !isRangeBody(fn) {
		return neverRecovers
	}
	found := neverRecovers
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if d, ok := instr.(*ssa.Defer); ok {
				found = max(found, deferRecovers(&d.Call))
			}
		}
	}
	for _, inner := range defersOut(fn) {
		found = max(found, recovers(inner))
	}
	return found
}

func deferRecovers(c *ssa.CallCommon) recovering {
	fn := c.StaticCallee()
	switch {
	case fn == nil:
		if _, builtin := c.Value.(*ssa.Builtin); builtin {
			return neverRecovers // recover itself stops no panic where it is deferred
		}
		return mayRecover
	case len(fn.Blocks) == 0 && fn.Origin() == nil:
		if o, ok := fn.Object().(*types.Func); ok && Std(o) != nil {
			return neverRecovers // the standard library lets panics pass
		}
		return mayRecover
	case callsRecover(fn):
		return doesRecover
	}
	return neverRecovers
}

func callsRecover(fn *ssa.Function) bool {
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
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
