package analyzer

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/ssaflow"
)

// write is what a fix must know of a HOP10x finding.
type write struct{ effects []ssaflow.Effect }

// writeFixes adds fixes to the findings that speak of writes to parameters. All writes of a body to one parameter are
// put right in the same way: by functional forms if every one of them has one, else by one clone at the top of the body.
// A write to a captured tensor has no fix: whether it was meant to last is for its author to say.
func (a *analysisOf) writeFixes(list []Finding) {
	type group struct {
		body  ast.Node
		param types.Object
	}
	functional := map[group][]*analysis.SuggestedFix{}
	members := map[group][]int{}
	var order []group
	for i := range list {
		f := &list[i]
		if f.write == nil || f.role() == hopcheck.Captured || !a.mayEdit(f.use) || !a.isOwnLine(f.Pos) || a.recovers(f.use.fn.syntax) {
			continue
		}
		param := a.writtenParam(f)
		if param == nil {
			continue
		}
		g := group{f.use.fn.syntax, param}
		if members[g] == nil {
			order = append(order, g)
		}
		members[g] = append(members[g], i)
		functional[g] = append(functional[g], a.functionalFix(f, param))
	}
	for _, g := range order {
		all := true
		for _, fix := range functional[g] {
			all = all && fix != nil
		}
		for k, i := range members[g] {
			fix := functional[g][k]
			if !all {
				fix = a.cloneAtTop(&list[i], g.param, members[g], list)
			}
			if fix != nil {
				list[i].Fixes = append(list[i].Fixes, *fix)
			}
		}
	}
}

// mayEdit reports whether the body is here and nobody but HOPs runs it: a caller that relies on the write would notice.
func (a *analysisOf) mayEdit(u *bodyUse) bool {
	switch fn := u.fn.syntax.(type) {
	case *ast.FuncLit:
		return true
	case *ast.FuncDecl:
		if fn.Name.IsExported() && a.pass.Pkg.Name() != "main" {
			return false
		}
		object := a.pass.TypesInfo.Defs[fn.Name]
		for _, file := range a.files {
			called := false
			ast.Inspect(file, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					switch callee := ast.Unparen(call.Fun).(type) {
					case *ast.Ident:
						called = called || a.pass.TypesInfo.Uses[callee] == object
					case *ast.SelectorExpr:
						called = called || a.pass.TypesInfo.Uses[callee.Sel] == object
					}
				}
				return !called
			})
			if called {
				return false
			}
		}
		return true
	}
	return false
}

// recovers reports whether a body calls recover: it may go on where a copy or a functional form failed, with the tensor
// that it was given.
func (a *analysisOf) recovers(fn ast.Node) (found bool) {
	ast.Inspect(fn, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			builtin, isBuiltin := a.pass.TypesInfo.Uses[id].(*types.Builtin)
			found = found || isBuiltin && builtin.Name() == "recover"
		}
		return !found
	})
	return found
}

// writtenParam is the one parameter of the body that a finding's writes reach; nil if there are several or it is unnamed.
func (a *analysisOf) writtenParam(f *Finding) types.Object {
	var object types.Object
	for _, e := range f.write.effects {
		if e.Ref.Root.Kind != ssaflow.Param || f.use.fn.fn == nil || e.Ref.Root.Index >= len(f.use.fn.fn.Params) {
			return nil
		}
		v := f.use.fn.fn.Params[e.Ref.Root.Index].Object()
		if v == nil || v.Name() == "_" || object != nil && object != v {
			return nil
		}
		object = v
	}
	return object
}

// functionalFix replaces an in-place call by its functional form: carry.H.AddInPlace(x) becomes carry.H = carry.H.Add(x).
// It returns nil where that could change what the body computes: the receiver must be the parameter or a field of it, and
// nothing else may hold the same tensor.
func (a *analysisOf) functionalFix(f *Finding, param types.Object) *analysis.SuggestedFix {
	if len(f.write.effects) != 1 {
		return nil
	}
	call := a.callAt[lastPos(f.write.effects[0].Witness)]
	if call == nil || !f.use.fn.contains(call.Pos()) {
		return nil
	}
	selector, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != f.Op || !a.isFieldPath(selector.X, param) {
		return nil
	}
	form, ok := a.functionalForm(selector)
	if !ok || a.inNestedHOP(f, call) || !a.heldByNobodyElse(f, param, selector.X) {
		return nil
	}
	rename := analysis.TextEdit{Pos: selector.Sel.Pos(), End: selector.Sel.End(), NewText: []byte(form)}
	receiver := types.ExprString(selector.X)
	switch parent := a.parent(call).(type) {
	case *ast.ExprStmt:
		assign := analysis.TextEdit{Pos: call.Pos(), End: call.Pos(), NewText: []byte(receiver + " = ")}
		return fixOf("use the functional form", []analysis.TextEdit{assign, rename})
	case *ast.AssignStmt:
		if len(parent.Lhs) == 1 && parent.Tok == token.ASSIGN && types.ExprString(parent.Lhs[0]) == receiver {
			return fixOf("use the functional form", []analysis.TextEdit{rename})
		}
	}
	if !a.usedElsewhere(f, param, selector.X) {
		return fixOf("use the functional form", []analysis.TextEdit{rename})
	}
	return nil
}

// functionalForm is the name of the functional op of an in-place method, if the type has it.
func (a *analysisOf) functionalForm(selector *ast.SelectorExpr) (string, bool) {
	name, ok := strings.CutSuffix(selector.Sel.Name, "InPlace")
	t := a.pass.TypesInfo.TypeOf(selector.X)
	if !ok || name == "" || t == nil || !isTensorPointer(t) {
		return "", false
	}
	object, _, _ := types.LookupFieldOrMethod(t, true, a.pass.Pkg, name)
	_, isMethod := object.(*types.Func)
	return name, isMethod
}

// isFieldPath reports whether e is a parameter or a field below it that is reached without following a pointer, so that
// assigning it changes nothing outside the body.
func (a *analysisOf) isFieldPath(e ast.Expr, param types.Object) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return a.pass.TypesInfo.Uses[e] == param
	case *ast.SelectorExpr:
		_, isStruct := a.pass.TypesInfo.TypeOf(e.X).Underlying().(*types.Struct)
		selection := a.pass.TypesInfo.Selections[e]
		return isStruct && selection != nil && selection.Kind() == types.FieldVal && !selection.Indirect() && a.isFieldPath(e.X, param)
	}
	return false
}

// heldByNobodyElse reports whether every other use of the parameter only reads what the field path names: as receiver or
// argument of a tensor method whose result is no view of it, or in a return statement.
func (a *analysisOf) heldByNobodyElse(f *Finding, param types.Object, receiver ast.Expr) bool {
	path, ok := types.ExprString(receiver), true
	a.uses(f, param, func(use ast.Expr) {
		text := types.ExprString(use)
		if use == receiver || !strings.HasPrefix(text, path+".") && !strings.HasPrefix(path, text+".") && text != path {
			return // another field
		}
		ok = ok && a.onlyRead(use)
	})
	return ok
}

// usedElsewhere reports whether the body mentions the field path, or what it lies in, a second time.
func (a *analysisOf) usedElsewhere(f *Finding, param types.Object, receiver ast.Expr) (used bool) {
	path := types.ExprString(receiver)
	a.uses(f, param, func(use ast.Expr) {
		text := types.ExprString(use)
		used = used || use != receiver && (text == path || strings.HasPrefix(text, path+".") || strings.HasPrefix(path, text+"."))
	})
	return used
}

// uses calls visit with each mention of a parameter in the body, extended by the fields that follow it.
func (a *analysisOf) uses(f *Finding, param types.Object, visit func(ast.Expr)) {
	ast.Inspect(f.use.fn.syntax, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if ok && a.isFieldPath(e, param) {
			visit(e)
			return false
		}
		return true
	})
}

// onlyRead reports whether the place where an expression stands reads the tensor and keeps nothing of it.
func (a *analysisOf) onlyRead(use ast.Expr) bool {
	switch parent := a.parent(use).(type) {
	case *ast.SelectorExpr:
		call, ok := a.parent(parent).(*ast.CallExpr)
		return ok && call.Fun == parent && a.keepsNothing(call, parent.Sel)
	case *ast.CallExpr:
		if selector, ok := ast.Unparen(parent.Fun).(*ast.SelectorExpr); ok {
			return a.keepsNothing(parent, selector.Sel)
		}
	case *ast.AssignStmt:
		return slices.Contains(parent.Lhs, use)
	case *ast.ReturnStmt:
		return true
	case *ast.KeyValueExpr, *ast.CompositeLit:
		for _, n := range a.path(use.Pos()) {
			switch n.(type) {
			case *ast.ReturnStmt:
				return true
			case ast.Stmt:
				return false
			}
		}
	}
	return false
}

// keepsNothing reports whether a call of a runtime function leaves nothing that shares storage with its arguments: its
// results are fresh, or it is an in-place op whose result is dropped.
func (a *analysisOf) keepsNothing(call *ast.CallExpr, name *ast.Ident) bool {
	object, ok := a.pass.TypesInfo.Uses[name].(*types.Func)
	if !ok || !isRuntime(object.Pkg()) {
		return false
	}
	if _, isHOP := contractOf(object); isHOP {
		return false
	}
	if _, dropped := a.parent(call).(*ast.ExprStmt); dropped {
		return true
	}
	claim, _ := a.model.claim(object)
	for _, r := range claim.Returns {
		if len(r.Views) > 0 {
			return false
		}
	}
	return true
}

// inNestedHOP reports whether the call stands in a function literal inside of the body: rebinding the parameter there
// would act at another time, or on another step, than the write did.
func (a *analysisOf) inNestedHOP(f *Finding, call *ast.CallExpr) bool {
	for _, n := range a.path(call.Pos()) {
		if n == f.use.fn.syntax {
			return false
		}
		switch n.(type) {
		case *ast.FuncLit, *ast.DeferStmt, *ast.GoStmt:
			return true
		}
	}
	return true
}

// cloneAtTop lets the body work on a copy of what it writes: carry = hop.Clone(carry), or only the fields that are
// written if every write of the group goes to fields.
func (a *analysisOf) cloneAtTop(f *Finding, param types.Object, group []int, list []Finding) *analysis.SuggestedFix {
	block := bodyBlock(f.use.fn.syntax)
	if block == nil || len(block.List) == 0 {
		return nil
	}
	first := block.List[0].Pos()
	if a.lookup(param.Name(), first) != param {
		return nil
	}
	if paths, ok := fieldPaths(param.Type(), group, list); ok {
		var text []string
		for _, p := range paths {
			place := param.Name() + p
			text = append(text, place+" = "+place+".Clone()")
		}
		edit := a.insertStatement(first, text[0])
		for _, t := range text[1:] {
			edit.NewText = append(edit.NewText, a.insertStatement(first, t).NewText...)
		}
		return fixOf("work on a copy", []analysis.TextEdit{edit})
	}
	text, imports, ok := a.cloneText(param.Name(), param.Type(), first)
	if !ok {
		return nil
	}
	return fixOf("work on a copy", append(imports, a.insertStatement(first, param.Name()+" = "+text)))
}

// fieldPaths are the written paths of a group, if each leads through by-value structs to a tensor.
func fieldPaths(t types.Type, group []int, list []Finding) (paths []string, ok bool) {
	for _, i := range group {
		for _, e := range list[i].write.effects {
			path := e.Ref.Fields()
			if e.Kind != ssaflow.Write || !isTensorPointer(fieldType(t, path)) {
				return nil, false
			}
			seen := false
			for _, p := range paths {
				seen = seen || p == path
			}
			if !seen {
				paths = append(paths, path)
			}
		}
	}
	return paths, len(paths) > 0
}

// fieldType is the type of a field path below a by-value struct; the invalid type if it leaves such structs.
func fieldType(t types.Type, path string) types.Type {
	for path != "" {
		step, rest := cutStep(path)
		s, ok := t.Underlying().(*types.Struct)
		if !ok || step[0] != '.' {
			return types.Typ[types.Invalid]
		}
		t = types.Typ[types.Invalid]
		for i := range s.NumFields() {
			if s.Field(i).Name() == step[1:] {
				t = s.Field(i).Type()
			}
		}
		path = rest
	}
	return t
}

// parent is the node around e, parentheses skipped.
func (a *analysisOf) parent(e ast.Node) ast.Node {
	path := a.path(e.Pos())
	for i, n := range path {
		if n != e {
			continue
		}
		for _, p := range path[i+1:] {
			if _, paren := p.(*ast.ParenExpr); !paren {
				return p
			}
		}
	}
	return nil
}

func lastPos(witness []ssaflow.Step) token.Pos {
	if len(witness) == 0 {
		return token.NoPos
	}
	return witness[len(witness)-1].Pos
}
