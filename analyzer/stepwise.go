package analyzer

import (
	"go/ast"
	"go/types"
	"slices"
)

// A body that runs step by step may do what a traced one may not: count, log, keep history and read values. Only a literal
// hop.Stepwise() among the arguments of the HOP call, or in a list that is made there, says so for certain.

// runsStepwise reports whether a HOP call runs its bodies step by step.
func (a *analysisOf) runsStepwise(call *hopCall, arg bodyArg) bool {
	if arg.stepwise {
		return true
	}
	if call.syntax == nil {
		return false
	}
	return slices.ContainsFunc(call.syntax.Args, a.saysStepwise)
}

// saysStepwise reports whether an argument is hop.Stepwise(), or a list of options that is spelled out with it.
func (a *analysisOf) saysStepwise(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		if t, ok := a.pass.TypesInfo.TypeOf(e).(*types.Slice); ok && t != nil {
			return slices.ContainsFunc(e.Elts, a.saysStepwise)
		}
	case *ast.CallExpr:
		if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok && a.pass.TypesInfo.Uses[id] == types.Universe.Lookup("append") {
			return slices.ContainsFunc(e.Args, a.saysStepwise)
		}
		object := a.calledBySyntax(e)
		return object != nil && isRuntime(object.Pkg()) && object.Name() == "Stepwise"
	}
	return false
}

// calledBySyntax is the declared function or method that a call names, nil for function values and conversions.
func (a *analysisOf) calledBySyntax(call *ast.CallExpr) *types.Func {
	fun := ast.Unparen(call.Fun)
	for {
		switch x := fun.(type) {
		case *ast.IndexExpr: // an explicit instantiation
			fun = x.X
			continue
		case *ast.IndexListExpr:
			fun = x.X
			continue
		}
		break
	}
	var id *ast.Ident
	switch x := fun.(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return nil
	}
	object, _ := a.pass.TypesInfo.Uses[id].(*types.Func)
	if object == nil {
		return nil
	}
	return object.Origin()
}
