package analyzer

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// alias is what a fix must know of a HOP30x finding.
type alias struct {
	ret     *ast.ReturnStmt
	targets []target
}

// target is an output whose copy ends the alias.
type target struct {
	result int
	path   string // as users write it
}

// cloneFix makes copies of what a return statement returns, or returns nil where that is not possible in place.
func (a *analysisOf) cloneFix(f *Finding) *analysis.SuggestedFix {
	if f.alias.ret == nil || f.use.fn.syntax == nil || !a.isOwnLine(f.alias.ret.Pos()) {
		return nil
	}
	var edits []analysis.TextEdit
	for _, t := range f.alias.targets {
		more, ok := a.cloneResult(f, t)
		if !ok {
			return nil
		}
		edits = append(edits, more...)
	}
	return fixOf("return a copy", edits)
}

// cloneResult copies one output of the return statement.
func (a *analysisOf) cloneResult(f *Finding, t target) ([]analysis.TextEdit, bool) {
	ret, results := f.alias.ret, a.resultsOf(f.use.fn.syntax)
	if len(ret.Results) == 0 {
		return a.cloneNamed(f, results, t)
	}
	if len(ret.Results) != results.Len() || a.setByLiteral(f.use.fn.syntax, results.At(t.result)) {
		return nil, false // one call gives all results, or the result is set again behind the return
	}
	return a.cloneExpr(ret.Results[t.result], t.path)
}

// cloneNamed copies a named result before a bare return. A deferred call could set it again, so there must be none.
func (a *analysisOf) cloneNamed(f *Finding, results *types.Tuple, t target) ([]analysis.TextEdit, bool) {
	if t.result >= results.Len() || hasDefer(f.use.fn.syntax) {
		return nil, false
	}
	v := results.At(t.result)
	text, imports, ok := a.cloneText(v.Name(), v.Type(), f.alias.ret.Pos())
	if !ok || v.Name() == "_" || a.lookup(v.Name(), f.alias.ret.Pos()) != v {
		return nil, false
	}
	return append(imports, a.insertStatement(f.alias.ret.Pos(), v.Name()+" = "+text)), true
}

// cloneExpr copies the part of an expression that a path leads to: inside of a composite literal only that part.
func (a *analysisOf) cloneExpr(e ast.Expr, path string) ([]analysis.TextEdit, bool) {
	t := a.pass.TypesInfo.TypeOf(e)
	if t == nil {
		return nil, false
	}
	if isTensorPointer(t) {
		if isPrimary(e) {
			return []analysis.TextEdit{{Pos: e.End(), End: e.End(), NewText: []byte(".Clone()")}}, true
		}
		return wrap(e, "(", ").Clone()"), true
	}
	if literal, ok := ast.Unparen(e).(*ast.CompositeLit); ok && path != "" {
		if element, rest := a.elementAt(literal, path); element != nil {
			return a.cloneExpr(element, rest)
		}
	}
	name, imports, ok := a.runtimeName(e.Pos())
	return append(wrap(e, name+".Clone(", ")"), imports...), ok
}

// elementAt finds the element of a composite literal that the first step of a path selects, and the rest of the path.
func (a *analysisOf) elementAt(literal *ast.CompositeLit, path string) (ast.Expr, string) {
	step, rest := cutStep(path)
	switch t := a.pass.TypesInfo.TypeOf(literal).Underlying().(type) {
	case *types.Struct:
		for i, element := range literal.Elts {
			if pair, ok := element.(*ast.KeyValueExpr); ok {
				if key, ok := pair.Key.(*ast.Ident); ok && "."+key.Name == step {
					return pair.Value, rest
				}
			} else if i < t.NumFields() && "."+t.Field(i).Name() == step {
				return element, rest
			}
		}
	case *types.Slice, *types.Array:
		for i, element := range literal.Elts {
			if _, keyed := element.(*ast.KeyValueExpr); keyed {
				return nil, ""
			}
			if fmt.Sprintf("[%d]", i) == step || step == "[]" && len(literal.Elts) == 1 {
				return element, rest
			}
		}
	case *types.Map:
		if pair, ok := onlyPair(literal); ok {
			return pair.Value, rest
		}
	}
	return nil, ""
}

func onlyPair(literal *ast.CompositeLit) (*ast.KeyValueExpr, bool) {
	if len(literal.Elts) != 1 {
		return nil, false
	}
	pair, ok := literal.Elts[0].(*ast.KeyValueExpr)
	return pair, ok
}

// cutStep splits .H[2] into .H and [2].
func cutStep(path string) (step, rest string) {
	if n := strings.IndexAny(path[1:], ".["); n >= 0 {
		return path[:n+1], path[n+1:]
	}
	return path, ""
}

// cloneText is the expression that copies a variable, with the edits that make it compile.
func (a *analysisOf) cloneText(name string, t types.Type, at token.Pos) (string, []analysis.TextEdit, bool) {
	if isTensorPointer(t) {
		return name + ".Clone()", nil, true
	}
	runtime, imports, ok := a.runtimeName(at)
	return fmt.Sprintf("%s.Clone(%s)", runtime, name), imports, ok
}

// runtimeName is the name by which the runtime can be used at a position. A file that does not import it, because it names
// only types of other files, gets the import by the edits.
func (a *analysisOf) runtimeName(at token.Pos) (name string, imports []analysis.TextEdit, ok bool) {
	file := a.file(at)
	if file == nil {
		return "", nil, false
	}
	for _, spec := range file.Imports {
		object := a.pass.TypesInfo.PkgNameOf(spec)
		if object == nil || !isRuntime(object.Imported()) {
			continue
		}
		if a.lookup(object.Name(), at) == object {
			return object.Name(), nil, true
		}
	}
	runtime := importedRuntime(a.pass.Pkg, map[*types.Package]bool{})
	if runtime == nil || a.lookup(runtime.Name(), at) != nil || a.pass.Pkg.Scope().Lookup(runtime.Name()) != nil {
		return "", nil, false
	}
	return runtime.Name(), []analysis.TextEdit{importEdit(file, runtime)}, true
}

// importedRuntime is the runtime that a package imports, itself or through another.
func importedRuntime(pkg *types.Package, seen map[*types.Package]bool) *types.Package {
	for _, p := range pkg.Imports() {
		if isRuntime(p) {
			return p
		}
	}
	seen[pkg] = true
	for _, p := range pkg.Imports() {
		if seen[p] {
			continue
		}
		if found := importedRuntime(p, seen); found != nil {
			return found
		}
	}
	return nil
}

// importEdit adds an import to a file, in its first import declaration if that has parentheses.
func importEdit(file *ast.File, pkg *types.Package) analysis.TextEdit {
	path := pkg.Path()
	if _, vendored, ok := strings.Cut(path, "/vendor/"); ok {
		path = vendored
	}
	at, text := file.Name.End(), fmt.Sprintf("\n\nimport %q", path)
	if len(file.Decls) > 0 {
		if d, ok := file.Decls[0].(*ast.GenDecl); ok && d.Tok == token.IMPORT && d.Lparen.IsValid() && len(d.Specs) > 0 {
			at, text = d.Specs[len(d.Specs)-1].End(), fmt.Sprintf("\n\t%q", path)
		}
	}
	return analysis.TextEdit{Pos: at, End: at, NewText: []byte(text)}
}

// lookup is what a name means at a position.
func (a *analysisOf) lookup(name string, at token.Pos) types.Object {
	scope := a.pass.Pkg.Scope().Innermost(at)
	if scope == nil {
		return nil
	}
	_, object := scope.LookupParent(name, at)
	return object
}

// insertStatement puts a statement before the one that begins at pos, on a line of its own where that one has one.
func (a *analysisOf) insertStatement(pos token.Pos, text string) analysis.TextEdit {
	separator := "; "
	if a.alone(pos) {
		separator = "\n" + a.indentation(pos)
	}
	return analysis.TextEdit{Pos: pos, End: pos, NewText: []byte(text + separator)}
}

// indentation is the white space before pos on its line; tabs, as gofmt has it, where the source cannot be read.
func (a *analysisOf) indentation(pos token.Pos) string {
	tabs := strings.Repeat("\t", a.pass.Fset.Position(pos).Column-1)
	if a.pass.ReadFile == nil {
		return tabs // an old driver
	}
	file := a.pass.Fset.File(pos)
	text, err := a.pass.ReadFile(file.Name())
	start, end := file.Offset(file.LineStart(a.pass.Fset.PositionFor(pos, false).Line)), file.Offset(pos)
	if err != nil || end > len(text) || strings.Trim(string(text[start:end]), " \t") != "" {
		return tabs
	}
	return string(text[start:end])
}

// isOwnLine reports whether a position is where its file says. Code that another program wrote says with //line comments
// that it stands elsewhere, and edits would go there.
func (a *analysisOf) isOwnLine(pos token.Pos) bool {
	return a.pass.Fset.PositionFor(pos, true) == a.pass.Fset.PositionFor(pos, false)
}

// alone reports whether nothing else begins before pos on its line.
func (a *analysisOf) alone(pos token.Pos) bool {
	path := a.path(pos)
	line := a.pass.Fset.Position(pos).Line
	for _, n := range path {
		if block, ok := n.(*ast.BlockStmt); ok {
			if a.pass.Fset.Position(block.Lbrace).Line == line {
				return false
			}
			for _, s := range block.List {
				if s.Pos() < pos && a.pass.Fset.Position(s.End()).Line == line {
					return false
				}
			}
			return true
		}
	}
	return false
}

// resultsOf are the results of a function literal or declaration.
func (a *analysisOf) resultsOf(n ast.Node) *types.Tuple {
	switch n := n.(type) {
	case *ast.FuncLit:
		if s, ok := a.pass.TypesInfo.TypeOf(n).(*types.Signature); ok {
			return s.Results()
		}
	case *ast.FuncDecl:
		if object, ok := a.pass.TypesInfo.Defs[n.Name].(*types.Func); ok {
			return object.Signature().Results()
		}
	}
	return types.NewTuple()
}

func wrap(e ast.Expr, before, after string) []analysis.TextEdit {
	return []analysis.TextEdit{{Pos: e.Pos(), End: e.Pos(), NewText: []byte(before)}, {Pos: e.End(), End: e.End(), NewText: []byte(after)}}
}

// fixOf is a fix of the given edits, sorted and each once; nil if there are none.
func fixOf(message string, edits []analysis.TextEdit) *analysis.SuggestedFix {
	slices.SortStableFunc(edits, func(a, b analysis.TextEdit) int { return int(a.Pos - b.Pos) })
	edits = slices.CompactFunc(edits, func(a, b analysis.TextEdit) bool {
		return a.Pos == b.Pos && a.End == b.End && string(a.NewText) == string(b.NewText)
	})
	if len(edits) == 0 {
		return nil
	}
	return &analysis.SuggestedFix{Message: message, TextEdits: edits}
}

// isPrimary reports whether a selector can follow the expression without parentheses.
func isPrimary(e ast.Expr) bool {
	switch e.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.CallExpr, *ast.IndexExpr, *ast.IndexListExpr, *ast.ParenExpr, *ast.TypeAssertExpr, *ast.SliceExpr:
		return true
	}
	return false
}

func isTensorPointer(t types.Type) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	return ok && isTensor(p.Elem())
}

// setByLiteral reports whether a function defers calls, and one of its function literals, which may be deferred, gives a
// result of it another value: that happens after the return statement has set it. A literal that makes the result of itself,
// as next = next.Clone() does, is no reason against a copy.
func (a *analysisOf) setByLiteral(fn ast.Node, result *types.Var) (found bool) {
	if result.Name() == "" || result.Name() == "_" || !hasDefer(fn) {
		return false
	}
	ast.Inspect(bodyBlock(fn), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeferStmt:
			found = found || a.addressed(n, result)
		case *ast.FuncLit:
			found = found || a.givenAnother(n, result)
		}
		return !found
	})
	return found
}

// givenAnother reports whether code assigns a variable something that is made of other variables, or takes its address.
func (a *analysisOf) givenAnother(code ast.Node, v *types.Var) bool {
	found := a.addressed(code, v)
	ast.Inspect(code, func(n ast.Node) bool {
		assign, ok := n.(*ast.AssignStmt)
		if !ok {
			return !found
		}
		for i, left := range assign.Lhs {
			if id, ok := ast.Unparen(left).(*ast.Ident); ok && a.pass.TypesInfo.Uses[id] == v {
				found = found || len(assign.Rhs) != len(assign.Lhs) || !a.madeOf(assign.Rhs[i], v)
			}
		}
		return !found
	})
	return found
}

// madeOf reports whether the only variable in an expression is v.
func (a *analysisOf) madeOf(e ast.Expr, v *types.Var) bool {
	only := true
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			other, isVar := a.pass.TypesInfo.Uses[id].(*types.Var)
			only = only && (!isVar || other == v)
		}
		return only
	})
	return only
}

// addressed reports whether code takes the address of a variable.
func (a *analysisOf) addressed(code ast.Node, v *types.Var) (found bool) {
	ast.Inspect(code, func(n ast.Node) bool {
		if address, ok := n.(*ast.UnaryExpr); ok && address.Op == token.AND {
			id, ok := ast.Unparen(address.X).(*ast.Ident)
			found = found || ok && a.pass.TypesInfo.Uses[id] == v
		}
		return !found
	})
	return found
}

// hasDefer reports whether a function defers calls of its own.
func hasDefer(fn ast.Node) bool {
	found := false
	ast.Inspect(bodyBlock(fn), func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt:
			found = true
		}
		return !found
	})
	return found
}

// bodyBlock is the block of a function literal or declaration.
func bodyBlock(fn ast.Node) *ast.BlockStmt {
	switch fn := fn.(type) {
	case *ast.FuncLit:
		return fn.Body
	case *ast.FuncDecl:
		return fn.Body
	}
	return nil
}
