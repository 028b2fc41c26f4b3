package ssaflow

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Importable returns the declared functions that code of other packages can come to call, in the order of [Result.Functions]: the
// exported ones, and unexported methods that a summary of one of them leaves to its caller, who may know the receiver. Only they
// need facts.
func (r *Result) Importable() []*ssa.Function {
	var list []*ssa.Function
	left := map[string]bool{} // unexported methods that callers resolve
	told := map[*Summary]bool{}
	take := func(fn *ssa.Function) {
		list = append(list, fn)
		if s := r.Summary(fn); s != nil {
			s.leaves(left, told)
		}
	}
	var methods []*ssa.Function
	for _, fn := range r.Functions() {
		obj, ok := fn.Object().(*types.Func)
		switch {
		case !ok || fn.Synthetic != "":
		case obj.Exported():
			take(fn)
		case obj.Signature().Recv() != nil:
			methods = append(methods, fn)
		}
	}
	taken := map[*ssa.Function]bool{}
	for again := len(left) > 0; again; {
		again = false
		for _, fn := range methods {
			if left[fn.Name()] && !taken[fn] {
				taken[fn], again = true, true
				take(fn)
			}
		}
	}
	if len(taken) == 0 {
		return list
	}
	ordered := list[:0]
	for _, fn := range r.Functions() {
		if obj, ok := fn.Object().(*types.Func); ok && fn.Synthetic == "" && (obj.Exported() || taken[fn]) {
			ordered = append(ordered, fn)
		}
	}
	return ordered
}

// leaves collects the unexported methods that a summary leaves to the caller.
func (s *Summary) leaves(names map[string]bool, told map[*Summary]bool) {
	if told[s] {
		return
	}
	told[s] = true
	for i := range s.Slots {
		if m := s.Slots[i].Method; m != "" && !token.IsExported(m) {
			names[m] = true
		}
	}
	for i := range s.Funcs {
		if inner := s.Funcs[i].Summary; inner != nil {
			inner.leaves(names, told)
		}
	}
}
