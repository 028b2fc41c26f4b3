package analyzer

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// callbackWrite is what a fix must know of a HOP701 finding: the function and the parameter that it writes.
type callbackWrite struct {
	fn    *ssa.Function
	place ClaimPlace
}

// callbackFixes adds fixes to the findings that speak of writes to the elements of a slice of plain values: a copy of the slice at
// the top of the function.
func (a *analysisOf) callbackFixes(list []Finding) {
	for i := range list {
		if f := &list[i]; f.callback != nil {
			if fix := a.copyAtTop(f); fix != nil {
				f.Fixes = append(f.Fixes, *fix)
			}
		}
	}
}

func (a *analysisOf) copyAtTop(f *Finding) *analysis.SuggestedFix {
	fn, place := f.callback.fn, f.callback.place
	if fn == nil || place.Path != "[]" || place.Param >= len(fn.Params) || fn.Syntax() == nil {
		return nil
	}
	param := fn.Params[place.Param]
	slice, ok := types.Unalias(param.Type()).(*types.Slice)
	if !ok {
		return nil
	}
	elem, ok := types.Unalias(slice.Elem()).(*types.Basic)
	block := bodyBlock(fn.Syntax())
	if !ok || block == nil || len(block.List) == 0 || assigned(block, a.pass.TypesInfo, param.Object()) {
		return nil
	}
	first, name := block.List[0].Pos(), param.Name()
	if !a.isOwnLine(first) || a.lookup(name, first) != param.Object() {
		return nil
	}
	text := name + " = append([]" + elem.Name() + "(nil), " + name + "...)"
	return fixOf("work on a copy of "+name, []analysis.TextEdit{a.insertStatement(first, text)})
}

// assigned reports whether a variable is given another value anywhere in a function.
func assigned(block *ast.BlockStmt, info *types.Info, v types.Object) (found bool) {
	ast.Inspect(block, func(n ast.Node) bool {
		if assignment, ok := n.(*ast.AssignStmt); ok {
			for _, e := range assignment.Lhs {
				if id, ok := e.(*ast.Ident); ok && info.Uses[id] == v {
					found = true
				}
			}
		}
		return !found
	})
	return found
}
