package analyzer

import (
	"go/token"
	"slices"
	"strings"

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
		case *ssa.FieldAddr:
			if !onlyRead(user) {
				return false
			}
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

// onlyRead reports whether a part of a variable is read and nothing else.
func onlyRead(part ssa.Value) bool {
	for _, user := range *part.Referrers() {
		switch user := user.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.FieldAddr:
			if !onlyRead(user) {
				return false
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

// place is a parameter of a declared function or of a literal, or a field of one.
type place struct {
	holder runner
	param  int
	path   string
}

// capturedParams follows a captured variable of a function literal to the parameters of the functions around it that it
// can hold; ok is false if it can hold something else that is no function in sight.
func (a *analysisOf) capturedParams(fn *ssa.Function, callee ssaflow.Ref) (list []place, ok bool) {
	free, isFree := freeVariable(fn, callee)
	path, fits := parameterPath(callee)
	if !isFree || !fits {
		return nil, false
	}
	values, ok := capturedValues(free)
	for _, v := range values {
		if param, steps, isParam := a.partOfParameter(v); isParam {
			holder, known := runnerOf(param.Parent())
			if !known {
				return nil, false
			}
			list = append(list, place{holder, slices.Index(param.Parent().Params, param), strings.Join(steps, "") + path})
			continue
		}
		switch v := v.(type) {
		case *ssa.Function, *ssa.MakeClosure:
		case *ssa.Const:
			ok = ok && v.IsNil() // no function at all
		default:
			ok = false
		}
	}
	return list, ok && len(list) > 0
}

// partOfParameter is the parameter, and the fields below it, that a value is for as long as the function runs.
func (a *analysisOf) partOfParameter(v ssa.Value) (param *ssa.Parameter, path []string, ok bool) {
	at := v
	for {
		switch x := at.(type) {
		case *ssa.Parameter:
			s := storages{a: a, fn: x.Parent()}
			return x, path, s.keeps(x, path)
		case *ssa.Field:
			at, path = x.X, prepended(fieldName(x.X.Type(), x.Field), path)
		case *ssa.FieldAddr:
			at, path = x.X, prepended(fieldName(x.X.Type(), x.Field), path)
		case *ssa.UnOp:
			if x.Op != token.MUL {
				return nil, nil, false
			}
			at = x.X
		case *ssa.Alloc:
			if at = heldBy(x); at == nil {
				return nil, nil, false
			}
		case *ssa.FreeVar:
			if at = boundTo(x); at == nil {
				return nil, nil, false
			}
		default:
			return nil, nil, false
		}
	}
}

// parameterPath is the path from a parameter to what a reference names: a field, or the parameter itself. A slice of functions
// stands for all of its elements, and so does a list of structs.
func parameterPath(ref ssaflow.Ref) (path string, ok bool) {
	path = ref.Fields()
	if path == "[]" {
		path = ""
	}
	return path, !strings.Contains(strings.Replace(path, "[].", "", 1), "[")
}

// parametersOf are the parameters that a place in fn can name, as a whole or a field of them: its own, or those of the functions
// around that it captures.
func (a *analysisOf) parametersOf(fn *ssa.Function, ref ssaflow.Ref) (list []place, ok bool) {
	if path, fits := parameterPath(ref); fits && ref.Root.Kind == ssaflow.Param {
		holder, known := runnerOf(fn)
		return []place{{holder, ref.Root.Index, path}}, known
	}
	return a.capturedParams(fn, ref)
}

// freeVariable is the captured variable that a reference begins with.
func freeVariable(fn *ssa.Function, ref ssaflow.Ref) (*ssa.FreeVar, bool) {
	if fn == nil || ref.Root.Kind != ssaflow.FreeVar || ref.Root.Index >= len(fn.FreeVars) {
		return nil, false
	}
	return fn.FreeVars[ref.Root.Index], true
}
