package ssaflow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Callees returns the functions and methods that a call which names none can reach, as far as the flow of values within the package
// tells: those that a function value can be, the methods of the types that an interface can hold. Only calls that are given
// functions are told. Funcs hold no summaries; Complete is true when they are all.
func (r *Result) Callees(call ssa.CallInstruction) FuncSet {
	return r.funcsAt(setKey{at: call, arg: calleeKey})
}

// calleeKey stands for what is called, among the arguments of a call.
const calleeKey = -1

// noteCallees keeps which functions a call of a function value reaches.
func (f *frame) noteCallees(instr ssa.CallInstruction, fns refs) {
	if f.merged != nil || !f.givesFuncs(instr.Common()) {
		return
	}
	set := FuncSet{Complete: len(fns) > 0}
	for _, r := range fns {
		switch {
		case r.o.fn != nil:
			set.Funcs = append(set.Funcs, FuncValue{Fn: r.o.fn})
		case r.o.kind == entry && r.o.root.Kind == Global:
			list, complete := f.e.globals.at(r.o.root, r.o.base)
			set.Complete = set.Complete && complete
			for _, row := range list {
				if row.fn == nil {
					set.Complete = false
					continue
				}
				set.Funcs = append(set.Funcs, FuncValue{Fn: row.fn})
			}
		default:
			set.Complete = false
		}
	}
	f.note(setKey{instr, calleeKey, ""}, set)
}

// noteMethods keeps which methods a call through an interface reaches.
func (f *frame) noteMethods(instr ssa.CallInstruction, recv refs, m *types.Func) {
	if f.merged != nil || !f.givesFuncs(instr.Common()) {
		return
	}
	set := FuncSet{Complete: len(recv) > 0}
	seen := map[*ssa.Function]bool{}
	for _, r := range recv {
		var fn *ssa.Function
		if t := f.dynamicType(r, m); concrete(t) {
			fn = f.e.method(t, m)
		}
		switch {
		case fn == nil:
			set.Complete = false
		case !seen[fn]:
			seen[fn] = true
			set.Funcs = append(set.Funcs, FuncValue{Fn: fn})
		}
	}
	f.note(setKey{instr, calleeKey, ""}, set)
}

// givesFuncs reports whether functions are among the arguments of a call, or in fields of them.
func (f *frame) givesFuncs(c *ssa.CallCommon) bool {
	for _, a := range c.Args {
		if mayHoldFunc(a.Type()) || len(f.e.types.funcFields(a.Type())) > 0 {
			return true
		}
	}
	return false
}

// dynamicType is the type of what an interface holds that a reference leads to; nil where it is not known.
func (f *frame) dynamicType(r ref, m *types.Func) types.Type {
	switch {
	case r.dyn != nil:
		return r.dyn
	case r.o.kind == entry && concrete(r.o.ptr):
		return r.o.ptr
	case r.o.kind == made && !r.o.boxed && concrete(r.o.ptr) && f.e.method(r.o.ptr, m) != nil:
		return r.o.ptr
	}
	return nil
}
