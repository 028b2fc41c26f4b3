package analyzer

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/hoplint/hoplint/ssaflow"
)

// capturedValues are the values that a captured variable can hold, if every assignment to it can be seen: those of the
// function that declares it and of all literals that capture it.
func capturedValues(free *ssa.FreeVar) (values []ssa.Value, ok bool) {
	v := ssa.Value(free)
	for {
		inner, isFree := v.(*ssa.FreeVar)
		if !isFree {
			break
		}
		if v = boundTo(inner); v == nil {
			return nil, false
		}
	}
	cell, isCell := v.(*ssa.Alloc)
	if !isCell {
		return nil, false
	}
	return values, storesTo(cell, &values) && len(values) > 0
}

// storesTo collects what is assigned to a variable and reports whether all of its uses are understood.
func storesTo(cell ssa.Value, values *[]ssa.Value) bool {
	for _, user := range *cell.Referrers() {
		switch user := user.(type) {
		case *ssa.Store:
			if user.Addr != cell {
				return false // its address is kept elsewhere
			}
			*values = append(*values, user.Val)
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.MakeClosure:
			fn, _ := user.Fn.(*ssa.Function)
			for i, bound := range user.Bindings {
				if bound == cell && (fn == nil || !storesTo(fn.FreeVars[i], values)) {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// boundTo is what a function literal binds a captured variable to, if it is made in one place.
func boundTo(free *ssa.FreeVar) ssa.Value {
	fn := free.Parent()
	if fn.Parent() == nil {
		return nil
	}
	var bound ssa.Value
	for _, block := range fn.Parent().Blocks {
		for _, instr := range block.Instrs {
			if closure, ok := instr.(*ssa.MakeClosure); ok && closure.Fn == fn {
				if bound != nil {
					return nil
				}
				bound = closure.Bindings[slices.Index(fn.FreeVars, free)]
			}
		}
	}
	return bound
}

// capturedParam follows a captured variable of a function literal to the parameter of the declared function around it
// that it holds, if nothing else is ever assigned to it.
func capturedParam(fn *ssa.Function, callee ssaflow.Ref) (holder *types.Func, param int, ok bool) {
	free, isFree := freeVariable(fn, callee)
	if !isFree {
		return nil, 0, false
	}
	values, ok := capturedValues(free)
	if !ok || len(values) != 1 {
		return nil, 0, false
	}
	p, isParam := values[0].(*ssa.Parameter)
	if !isParam || declarationOf(p.Parent()) == nil {
		return nil, 0, false
	}
	return declarationOf(p.Parent()), slices.Index(p.Parent().Params, p), true
}

// parameterOf is the parameter of the declared function around that a place in fn names as a whole: its own, or the one that
// a literal captures.
func parameterOf(fn *ssa.Function, ref ssaflow.Ref) (holder *types.Func, param int, ok bool) {
	if ref.Root.Kind == ssaflow.Param && ref.Fields() == "" && fn.Parent() == nil {
		holder = declarationOf(fn)
		return holder, ref.Root.Index, holder != nil
	}
	return capturedParam(fn, ref)
}

// freeVariable is the captured variable that a reference names as a whole.
func freeVariable(fn *ssa.Function, ref ssaflow.Ref) (*ssa.FreeVar, bool) {
	if fn == nil || ref.Root.Kind != ssaflow.FreeVar || ref.Fields() != "" || ref.Root.Index >= len(fn.FreeVars) {
		return nil, false
	}
	return fn.FreeVars[ref.Root.Index], true
}
