package analyzer

import (
	"go/ast"
	"go/types"
)

// A body that runs step by step may do what a traced one may not: count, log, keep history and read values. Only a literal
// hop.Stepwise() among the arguments of the HOP call says so for certain.

// runsStepwise reports whether a HOP call runs its bodies step by step.
func (a *analysisOf) runsStepwise(call *hopCall, arg bodyArg) bool {
	if arg.stepwise {
		return true
	}
	if call.syntax == nil {
		return false
	}
	for _, e := range call.syntax.Args {
		option, ok := ast.Unparen(e).(*ast.CallExpr)
		if !ok {
			continue
		}
		if object := a.calledBySyntax(option); object != nil && isRuntime(object.Pkg()) && object.Name() == "Stepwise" {
			return true
		}
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
