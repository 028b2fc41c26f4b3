package ssaflow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// The methods of a type parameter are known to whoever gives the type argument. A generic function leaves calls of them to its
// caller, as slots whose callee is the type argument and whose first argument is the receiver. Functions that a generic function
// makes or names carry its type arguments along.

// typeArg returns the place of a type parameter in the list of the frame's function, or -1.
func (f *frame) typeArg(p *types.TypeParam) int {
	list := f.fn.TypeParams()
	for i := range list.Len() {
		if list.At(i) == p {
			return i
		}
	}
	return -1
}

// ownArgs are the type arguments of the frame's function: its type parameters where they are not known.
func (f *frame) ownArgs() []types.Type {
	list := f.fn.TypeParams()
	if list.Len() == 0 {
		return nil
	}
	out := make([]types.Type, list.Len())
	for i := range out {
		out[i] = f.substituted(list.At(i))
	}
	return out
}

// substituted returns a type argument as the frame's function is instantiated.
func (f *frame) substituted(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.TypeParam); ok && f.targs[p] != nil {
		return f.targs[p]
	}
	return t
}

// argsOf are the type arguments of an instance that the frame's function mentions.
func (f *frame) argsOf(instance *ssa.Function) []types.Type {
	var out []types.Type
	for _, t := range instance.TypeArgs() {
		out = append(out, f.substituted(t))
	}
	return out
}

// argsOfType are the type arguments of the methods of a type.
func argsOfType(t types.Type) []types.Type {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return nil
	}
	var out []types.Type
	for i := range named.TypeArgs().Len() {
		out = append(out, named.TypeArgs().At(i))
	}
	return out
}

// typeArg returns the type argument of the callee with the given number, or nil.
func (in *instance) typeArg(i int) types.Type {
	if i < len(in.t.targs) {
		return in.t.targs[i]
	}
	return nil
}

// rowArgs are the type arguments of a function that the callee made or named.
func (in *instance) rowArgs(row *FuncRow) []types.Type {
	n := max(len(row.params), len(row.targs))
	if n == 0 {
		return nil
	}
	out := make([]types.Type, n)
	for i := range out {
		if i < len(row.targs) {
			out[i] = row.targs[i]
		}
		if i < len(row.params) && row.params[i] > 0 {
			out[i] = in.typeArg(row.params[i] - 1)
		}
	}
	return out
}

// paramsOf tells which type arguments are type parameters of the frame's function: their numbers, from 1.
func (f *frame) paramsOf(targs []types.Type) []int {
	var out []int
	for i, t := range targs {
		if p, ok := types.Unalias(t).(*types.TypeParam); ok {
			for len(out) <= i {
				out = append(out, 0)
			}
			out[i] = f.typeArg(p) + 1
		}
	}
	return out
}

// leaveTyped leaves a call of a method of a type parameter to the caller.
func (f *frame) leaveTyped(st *state, site callSite, arg int, recv value, m *types.Func, args []value, res []types.Type) ([]value, bool) {
	callee := ref{o: f.baseObject(Root{Kind: TypeArg, Index: arg}, "", nil, nil)}
	return f.leaveToCaller(st, site, callee, m.Name(), m, append([]value{recv}, args...), res, m.Name())
}
