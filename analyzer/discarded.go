package analyzer

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/ssaflow"
)

// discardedResults finds statements that do nothing because the result of a functional op is dropped: HOP503. What is called for
// its time or for its error, in a benchmark or under hop.Try, is not meant.
func (a *analysisOf) discardedResults() []*Finding {
	var list []*Finding
	for _, file := range a.files {
		var around []ast.Node
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil {
				around = around[:len(around)-1]
				return true
			}
			around = append(around, n)
			var call *ast.CallExpr
			switch n := n.(type) {
			case *ast.ExprStmt:
				call, _ = ast.Unparen(n.X).(*ast.CallExpr)
			case *ast.DeferStmt:
				call = n.Call
			case *ast.GoStmt:
				call = n.Call
			}
			if call == nil || !a.isFunctional(a.calledBySyntax(call)) || a.calledForItself(around) {
				return true
			}
			list = append(list, a.discarded(call, around))
			return true
		})
	}
	return list
}

// isFunctional reports whether a function does nothing but compute its result, so that a call without the result does nothing.
// HOPs run functions of the user, and a generator moves on with each number that it draws.
func (a *analysisOf) isFunctional(fn *types.Func) bool {
	if fn == nil || fn.Signature().Results().Len() == 0 {
		return false
	}
	if _, isHOP := contractOf(fn); isHOP || len(a.wrapperBodies(fn)) > 0 || isRandom(fn) {
		return false
	}
	claim, declared := a.model.claim(fn)
	if !declared || len(claim.Mutates) > 0 {
		return false
	}
	fresh := len(claim.Returns) > 0
	for _, r := range claim.Returns {
		fresh = fresh && r.Fresh
	}
	switch {
	case isRuntime(fn.Pkg()):
		return fresh || claim.Pure
	case claim.Pure:
		return true
	}
	return fresh && a.doesNothingElse(fn)
}

// doesNothingElse reports whether a function is known to have no effects besides its results.
func (a *analysisOf) doesNothingElse(fn *types.Func) bool {
	var s *ssaflow.Summary
	if fn.Pkg() == a.pass.Pkg {
		s = a.flow.Summary(a.flow.FuncOf(fn))
	} else if fact, ok := a.kind.function(a.pass, fn); ok {
		s = fact.decode(a.pass, fn)
	}
	return s != nil && !s.Top && !s.NoReturn && len(s.Effects)+len(s.Slots)+len(s.Flags) == 0
}

// calledForItself reports whether a statement stands in a benchmark, or in a function that hop.Try runs: its time or its error is
// what matters.
func (a *analysisOf) calledForItself(around []ast.Node) bool {
	for i, n := range around {
		var signature *ast.FuncType
		switch n := n.(type) {
		case *ast.FuncDecl:
			signature = n.Type
		case *ast.FuncLit:
			signature = n.Type
			if call, ok := around[i-1].(*ast.CallExpr); ok {
				if fn := a.calledBySyntax(call); fn != nil && isRuntime(fn.Pkg()) && fn.Name() == "Try" {
					return true
				}
			}
		default:
			continue
		}
		for _, p := range signature.Params.List {
			if t := a.pass.TypesInfo.TypeOf(p.Type); t != nil && t.String() == "*testing.B" {
				return true
			}
		}
	}
	return false
}

func (a *analysisOf) discarded(call *ast.CallExpr, around []ast.Node) *Finding {
	fn := a.calledBySyntax(call)
	f := &Finding{Pos: call.Pos(), End: call.End(), Call: call.Pos()}
	f.Finding = hopcheck.Finding{Code: hopcheck.DiscardedResult, Op: fn.Name()}
	receiver := a.receiverVariable(call, fn)
	if receiver == nil || !declaredIn(receiver, around) {
		return f
	}
	f.Remedy = fmt.Sprintf("assign it, e.g. %s = %s", receiver.Name(), briefCall(call))
	statement, isStatement := around[len(around)-1].(*ast.ExprStmt)
	if isStatement && a.mayRebind(receiver, statement, around) {
		f.Fixes = []analysis.SuggestedFix{*fixOf("assign the result to "+receiver.Name(),
			[]analysis.TextEdit{{Pos: call.Pos(), End: call.Pos(), NewText: []byte(receiver.Name() + " = ")}})}
	}
	return f
}

// briefCall is a call as a message shows it.
func briefCall(call *ast.CallExpr) string {
	text := types.ExprString(call)
	if len(text) > maxName || strings.Contains(text, "\n") {
		text = types.ExprString(call.Fun) + "(…)"
	}
	return text
}

// receiverVariable is the variable whose method a call is, if the result could be assigned to it.
func (a *analysisOf) receiverVariable(call *ast.CallExpr, fn *types.Func) *types.Var {
	selector, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || fn.Signature().Recv() == nil || fn.Signature().Results().Len() != 1 {
		return nil
	}
	id, ok := ast.Unparen(selector.X).(*ast.Ident)
	if !ok {
		return nil
	}
	v, ok := a.pass.TypesInfo.Uses[id].(*types.Var)
	if !ok || v.IsField() || !types.Identical(v.Type(), fn.Signature().Results().At(0).Type()) {
		return nil
	}
	return v
}

// declaredIn reports whether the innermost function around declares a variable itself: another function's variable is state of its
// own.
func declaredIn(v *types.Var, around []ast.Node) bool {
	for i := len(around) - 1; i >= 0; i-- {
		switch n := around[i].(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			return n.Pos() <= v.Pos() && v.Pos() < n.End()
		}
	}
	return false
}

// mayRebind reports whether a variable of the function around is used again behind a statement, so that to assign its result makes
// a difference.
func (a *analysisOf) mayRebind(v *types.Var, statement *ast.ExprStmt, around []ast.Node) bool {
	var function ast.Node
	again := token.NoPos // from where on a use before the statement counts, in a loop
	for i := len(around) - 1; i >= 0 && function == nil; i-- {
		switch n := around[i].(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			function = n
		case *ast.ForStmt:
			again = n.Body.Pos()
		case *ast.RangeStmt:
			again = n.Body.Pos()
		}
	}
	used := false
	ast.Inspect(function, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && a.pass.TypesInfo.Uses[id] == v {
			used = used || id.Pos() >= statement.End() || again.IsValid() && id.Pos() >= again && id.Pos() < statement.Pos()
		}
		return !used
	})
	return used
}
