package analyzer

import (
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/ssaflow"
)

// runBy are the HOP calls of the package that run one body and of which there is a finding.
type runBy map[any][]*bodyUse

// note keeps the use that a finding speaks of.
func (r runBy) note(f *Finding) {
	if f.use == nil || f.write == nil && f.alias == nil {
		return
	}
	key := f.use.fn.key()
	if !slices.ContainsFunc(r[key], func(u *bodyUse) bool { return u.call == f.use.call && u.arg.arg == f.use.arg.arg }) {
		r[key] = append(r[key], f.use)
	}
}

// callFixes adds fixes to the findings in bodies that are not changed themselves, for they are of another package or may have callers
// who rely on them: at the HOP calls a function literal hands the body copies. Where that is not possible, the way says why nothing
// is changed.
func (a *analysisOf) callFixes(list []Finding, uses runBy) {
	handed := map[any][]int{} // the arguments to be copied
	var members []int
	for i := range list {
		f := &list[i]
		if f.use == nil || len(f.Fixes) > 0 || a.mayEdit(f.use) || f.write == nil && (f.alias == nil || f.use.fn.syntax != nil) {
			continue
		}
		members = append(members, i)
		if args, ok := f.copied(); ok {
			handed[f.use.fn.key()] = append(handed[f.use.fn.key()], args...)
		}
	}
	fixes := map[any]*analysis.SuggestedFix{}
	for _, i := range members {
		key := list[i].use.fn.key()
		if _, done := fixes[key]; !done {
			fixes[key] = a.literalFix(uses[key], handed[key])
		}
	}
	for _, i := range members {
		f := &list[i]
		fix := fixes[f.use.fn.key()]
		if _, ok := f.copied(); !ok {
			fix = nil
		}
		if fix != nil {
			f.Fixes = append(f.Fixes, *fix)
		} else if f.use.fn.syntax != nil && f.role() != hopcheck.Captured {
			f.whyNoFix(a.bodyText(f.use))
		}
		if f.use.fn.syntax == nil {
			f.Remedy = a.elsewhere(f, fix != nil)
		}
	}
}

// copied are the arguments of the body whose copies would end a breach.
func (f *Finding) copied() (args []int, ok bool) {
	unbound := 0
	if f.use.fn.bound {
		unbound = 1
	}
	add := func(param int) {
		param -= unbound
		ok = ok && param >= 0
		args = append(args, param)
	}
	ok = true
	if f.write != nil {
		for _, e := range f.write.effects {
			if e.Ref.Root.Kind != ssaflow.Param {
				return nil, false
			}
			add(e.Ref.Root.Index)
		}
		return args, ok
	}
	for _, p := range f.Pairs {
		at := slices.IndexFunc(f.use.arg.body.In, func(s hopcheck.Slot) bool { return s.Role == p.With.Role && s.Label == p.With.Label })
		if at < 0 || p.With.Role == hopcheck.Captured {
			return nil, false
		}
		add(at + unbound)
	}
	return args, ok
}

// literalFix puts function literals around a body, at each HOP call, that hand it copies of some of its arguments; nil where one of
// them cannot be written.
func (a *analysisOf) literalFix(uses []*bodyUse, args []int) *analysis.SuggestedFix {
	if len(uses) == 0 || len(args) == 0 {
		return nil
	}
	var edits []analysis.TextEdit
	for _, u := range uses {
		more, ok := a.literalAt(u, args)
		if !ok {
			return nil
		}
		edits = append(edits, more...)
	}
	return fixOf("hand "+a.bodyText(uses[0])+" a copy", edits)
}

// literalAt is the literal around the body of one HOP call.
func (a *analysisOf) literalAt(u *bodyUse, args []int) ([]analysis.TextEdit, bool) {
	e := u.expr()
	if e == nil || u.arg.path != "" || !a.isOwnLine(e.Pos()) || !a.isSteady(e) {
		return nil, false
	}
	signature, ok := a.pass.TypesInfo.TypeOf(e).Underlying().(*types.Signature)
	if !ok || signature.Variadic() || signature.TypeParams().Len() > 0 || signature.Results().Len() == 0 {
		return nil, false
	}
	taken := namesIn(e)
	var params, call, results []string
	var imports []analysis.TextEdit
	for i := range signature.Params().Len() {
		p := signature.Params().At(i)
		text, ok := a.typeText(p.Type(), e)
		if !ok {
			return nil, false
		}
		taken = append(taken, qualifiersIn(text)...)
		name := a.freeName(u, p, i, taken)
		taken = append(taken, name)
		params = append(params, name+" "+text)
		if slices.Contains(args, i) {
			more := []analysis.TextEdit(nil)
			if name, more, ok = a.cloneText(name, p.Type(), e.Pos()); !ok {
				return nil, false
			}
			imports = append(imports, more...)
		}
		call = append(call, name)
	}
	for i := range signature.Results().Len() {
		text, ok := a.typeText(signature.Results().At(i).Type(), e)
		if !ok {
			return nil, false
		}
		results = append(results, text)
	}
	returns := strings.Join(results, ", ")
	if len(results) > 1 {
		returns = "(" + returns + ")"
	}
	before := "func(" + strings.Join(withoutRepeats(params), ", ") + ") " + returns + " { return "
	return append(wrap(e, before, "("+strings.Join(call, ", ")+") }"), imports...), true
}

// withoutRepeats drops the type of a parameter that the next one repeats.
func withoutRepeats(params []string) []string {
	out := slices.Clone(params)
	for i := range len(params) - 1 {
		name, text, _ := strings.Cut(params[i], " ")
		if _, next, _ := strings.Cut(params[i+1], " "); next == text {
			out[i] = name
		}
	}
	return out
}

// isSteady reports whether an expression names one function or method whenever it is evaluated.
func (a *analysisOf) isSteady(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return a.isSteady(e.X)
	case *ast.Ident:
		_, isFunc := a.pass.TypesInfo.Uses[e].(*types.Func)
		_, inferred := a.pass.TypesInfo.Instances[e]
		return isFunc && !inferred
	case *ast.SelectorExpr:
		_, isFunc := a.pass.TypesInfo.Uses[e.Sel].(*types.Func)
		_, inferred := a.pass.TypesInfo.Instances[e.Sel]
		_, ofName := e.X.(*ast.Ident)
		return isFunc && !inferred && ofName
	}
	return false
}

// namesIn are the names that an expression begins with.
func namesIn(e ast.Expr) (names []string) {
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			names = append(names, id.Name)
		}
		return true
	})
	return names
}

// qualifiersIn are the names of packages and types in the text of a type.
func qualifiersIn(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("*[]. (){},", r) })
}

// freeName is a name for a parameter: that of the declaration, or the role.
func (a *analysisOf) freeName(u *bodyUse, p *types.Var, i int, taken []string) string {
	name := p.Name()
	if name == "" || name == "_" {
		name = "arg"
		if in := u.arg.body.In; i < len(in) && in[i].Role != hopcheck.NoRole {
			name = in[i].Role.String()
		}
	}
	taken = append(taken, "hop")
	base := strings.TrimRight(name, "0123456789")
	for n := 2; slices.Contains(taken, name); n++ {
		name = base + strconv.Itoa(n)
	}
	return name
}

// typeText is a type as the source at an expression can write it; ok is false where it cannot.
func (a *analysisOf) typeText(t types.Type, at ast.Expr) (text string, ok bool) {
	file := a.file(at.Pos())
	if file == nil {
		return "", false
	}
	text = types.TypeString(t, func(p *types.Package) string {
		if p == a.pass.Pkg {
			return ""
		}
		for _, spec := range file.Imports {
			if name := a.pass.TypesInfo.PkgNameOf(spec); name != nil && name.Imported() == p {
				return name.Name()
			}
		}
		return p.Name()
	})
	back, err := types.Eval(a.pass.Fset, a.pass.Pkg, at.Pos(), text)
	return text, err == nil && back.IsType() && types.Identical(back.Type, t)
}

// bodyText is a body as the call names it, else as other packages do.
func (a *analysisOf) bodyText(u *bodyUse) string {
	if e := u.expr(); e != nil && a.isSteady(e) {
		return types.ExprString(ast.Unparen(e))
	}
	if object := u.fn.object; object != nil {
		name := object.Name()
		if p := object.Pkg(); p != nil && a.qualifier(p) != "" {
			name = p.Name() + "." + name
		}
		return name
	}
	return "the function"
}

// whyNoFix says of a body in sight why nothing is changed.
func (f *Finding) whyNoFix(body string) {
	if n := len(f.Related); n > 0 {
		f.Related[n-1].Message += "; no fix is made, for " + body + " may have callers that rely on the write"
	}
}

// elsewhere is the remedy for a body of another package.
func (a *analysisOf) elsewhere(f *Finding, fixed bool) string {
	body, object := a.bodyText(f.use), f.use.fn.object
	if object == nil || isRuntime(object.Pkg()) {
		return f.Remedy // nobody changes an op
	}
	at := ssaflow.PlaceOf(a.pass.Fset, object.Pos(), object.Pkg())
	if f.write != nil {
		for _, e := range f.write.effects {
			if n := len(e.Witness); n > 0 && e.Witness[n-1].Where != "" {
				at = e.Witness[n-1].Where
				break
			}
		}
	}
	if at == "" {
		at = body
	}
	there := "change " + at + ", which is of another package"
	if _, handed := f.copied(); handed {
		there = "hand " + body + " a copy, or " + there
	} else if f.alias != nil {
		there = "copy what " + body + " returns, or " + there
	}
	if !fixed {
		there += " and has no fix here"
	}
	return there
}
