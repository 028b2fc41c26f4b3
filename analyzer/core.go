package analyzer

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/ssaflow"
)

// Result is what the core found in one package, in the order of positions.
type Result struct {
	Findings []Finding
}

// Finding is a breach with the place where it is reported.
type Finding struct {
	hopcheck.Finding
	// Pos and End enclose the operation that commits the breach.
	Pos, End token.Pos
	// Call is the HOP call that runs the body, the first one if there are several.
	Call token.Pos
	// Related leads from the input to the operation.
	Related []analysis.RelatedInformation
	// Fixes repair it; the first is the recommended one.
	Fixes []analysis.SuggestedFix

	use *bodyUse
	// write is set for HOP10x, alias for HOP30x: what a fix must know.
	write *write
	alias *alias
	// callback is set for HOP701.
	callback *callbackWrite
}

// Diagnostic is the finding as drivers report it: the code is its category.
func (f *Finding) Diagnostic() analysis.Diagnostic {
	return analysis.Diagnostic{Pos: f.Pos, End: f.End, Category: string(f.Code), Message: f.Message(),
		Related: f.Related, SuggestedFixes: f.Fixes}
}

// report reports the findings whose code is wanted.
func (r *Result) report(pass *analysis.Pass, wanted func(hopcheck.Code) bool) {
	for i := range r.Findings {
		if f := &r.Findings[i]; wanted(f.Code) {
			pass.Report(f.Diagnostic())
		}
	}
}

// analysisOf is the work on one package.
type analysisOf struct {
	index
	pass    *analysis.Pass
	options *options
	kind    factKind
	claims  claims
	model   *model
	flow    *ssaflow.Result
	// wrappers are the functions of the package that hand a parameter to a HOP as its body.
	wrappers map[runner][]ClaimBody
	// funcFields is what is known of the function-typed fields of the package, nil as long as nobody asked.
	funcFields *fieldUses
	// gradFlows are what functions of the package do with gradients, as far as it was asked.
	gradFlows map[*ssa.Function]*GradFlow
	// forwards are the calls of parameters with parameters in functions, as far as it was asked.
	forwards map[*ssa.Function][]Forward
	// calledFrom are the calls within the package, nil as long as nobody asked.
	calledFrom *callGraph
	// values is the analysis of where values come from; nil as long as nobody asked, and known is set then.
	values *analysisOf
	known  bool
	// leavesIn are the leaves of the functions of the package, as far as they were looked for.
	leavesIn map[*ssa.Function]*leaves
	// generic is what the generic functions of the package ask of their type parameters.
	generic map[*types.Func][]GenericLeaf
	// globalUses is what is known of the package's variables, nil as long as nobody asked.
	globalUses *globals
}

// inspect is the pass over one package.
func inspect(pass *analysis.Pass, opts *options, kind factKind) (*Result, error) {
	if !isRuntime(pass.Pkg) && (isStandard(pass) || isRuntimePart(pass.Pkg.Path())) { // ssaflow has a table of the one, tests verify the other
		return &Result{}, nil
	}
	a := &analysisOf{pass: pass, options: opts, kind: kind, claims: readClaims(pass.Files, pass.TypesInfo),
		wrappers: map[runner][]ClaimBody{}, leavesIn: map[*ssa.Function]*leaves{}, gradFlows: map[*ssa.Function]*GradFlow{}, forwards: map[*ssa.Function][]Forward{}, generic: map[*types.Func][]GenericLeaf{}}
	a.model = newModel(pass, opts, kind, a.claims)
	if isRuntime(pass.Pkg) {
		a.exportClaims() // its directives are derived from the schemas of its ops, and its own bodies break no contract
		return &Result{}, nil
	}
	var err error
	if a.model.tables, err = readTables(pass.Pkg, opts); err != nil {
		return nil, err
	}
	a.files = pass.Files
	calls := a.mayCallHOPs()
	if !calls && strings.HasSuffix(pass.Pkg.Path(), "_test") {
		return &Result{}, nil // nobody imports it
	}
	a.flow = ssaflow.Analyze(ssaflow.Config{Fset: pass.Fset, Pkg: pass.Pkg, Files: pass.Files, Info: pass.TypesInfo, Model: a.model, FactsOnly: !calls,
		Terse: !calls && !reachesRuntime(pass.Pkg, map[*types.Package]bool{})})
	return a.result(calls), nil
}

// mayCallHOPs reports whether the package can contain anything to report: it imports the runtime, declares something itself,
// knows of functions that are HOPs by declaration or inference, or the user's tables say more.
func (a *analysisOf) mayCallHOPs() bool {
	if len(a.options.contracts) > 0 || len(a.options.rows) > 0 || a.pass.AllObjectFacts == nil || slices.ContainsFunc(a.pass.Files, mentionsDirective) {
		return true
	}
	for _, p := range a.pass.Pkg.Imports() {
		if isRuntime(p) {
			return true
		}
	}
	for _, f := range a.pass.AllObjectFacts() {
		if a.kind.hasBodies(f.Fact) {
			return true
		}
	}
	return false
}

// result is what was found in the package; it exports its facts.
func (a *analysisOf) result(mayCall bool) *Result {
	var calls []*hopCall
	if mayCall {
		calls = a.hopCalls()
		for a.inferWrappers(calls) {
			calls = a.hopCalls()
		}
	}
	generic := a.genericLeaves(calls)
	a.exportFunctions()
	uses := runBy{}
	found := a.kept(append(a.findings(calls, uses), generic...))
	a.writeFixes(found)
	a.callbackFixes(found)
	for i := range found {
		if found[i].alias != nil {
			if fix := a.cloneFix(&found[i]); fix != nil {
				found[i].Fixes = append(found[i].Fixes, *fix)
			}
		}
	}
	a.callFixes(found, uses)
	for i := range found {
		if !isEditable(a.pass.Fset, found[i].Pos) {
			found[i].Fixes = nil
		}
	}
	return &Result{Findings: found}
}

// findings collects the breaches of all bodies, and those of code outside of bodies; uses learns of the HOP calls that run them.
func (a *analysisOf) findings(calls []*hopCall, uses runBy) []*Finding {
	var list []*Finding
	add := func(u *bodyUse, found []*Finding) {
		for _, f := range found {
			f.Call, f.use = u.call.pos, u
			uses.note(f)
			list = append(list, f)
		}
	}
	// of does one piece of work on a call or body; where it fails nothing of it is told, but that the body is not proved.
	of := func(u *bodyUse, work string, do func() []*Finding) {
		var found []*Finding
		err := a.guarded(work, u.name(), func() { found = do() })
		add(u, found)
		list = append(list, a.failed(u, err)...)
	}
	for _, call := range calls {
		at := &bodyUse{call: call}
		if len(call.bodies) > 0 {
			at.arg = call.bodies[0]
		}
		of(at, "leaves", func() []*Finding { return a.unsupportedLeaves(call) })
		of(at, "shapes", func() []*Finding { return a.mismatches(call) })
		for _, arg := range call.bodies {
			if a.options.strict {
				of(&bodyUse{call: call, arg: arg}, "bodies", func() []*Finding {
					_, set := a.bodyFuncs(call, arg)
					return a.unresolvedBody(call, arg, set)
				})
			}
		}
	}
	a.eachBody(calls, func(u, whole *bodyUse) {
		of(u, "mutation", func() []*Finding { return a.mutations(u) })
		of(u, "aliasing", func() []*Finding { return a.withoutEmpty(u, a.aliases(u)) })
		if !a.runsStepwise(u.call, u.arg) {
			of(u, "effects", func() []*Finding { return append(a.sideEffects(u), a.outsideEffects(u)...) })
		}
		if a.options.strict {
			of(whole, "proof", func() []*Finding { return a.unproved(whole) })
		}
	}, func(u *bodyUse) { list = append(list, a.unseenBody(u, a.flow)...) })
	if reading := a.reading(); reading != nil {
		reading.eachBody(calls, func(u, _ *bodyUse) {
			if !reading.runsStepwise(u.call, u.arg) {
				of(u, "reads", func() []*Finding { return append(reading.reads(u), reading.fixedDimensions(u)...) })
			}
		}, func(u *bodyUse) {
			if !reading.runsStepwise(u.call, u.arg) {
				list = append(list, a.unseenBody(u, reading.flow)...)
			}
		})
	}
	for _, rest := range []struct {
		work string
		find func() []*Finding
	}{
		{"captures", func() []*Finding { return a.staleCaptures(calls) }},
		{"claims", a.brokenClaims},
		{"contracts", a.keptContracts},
		{"callbacks", func() []*Finding { return a.callbacks(calls) }},
		{"values", a.operatorValues},
	} {
		_ = a.guarded(rest.work, a.pass.Pkg.Name(), func() { list = append(list, rest.find()...) })
	}
	return append(merged(list), a.statements()...)
}

// name is the function that holds a body, or its HOP call, for [options.probe].
func (u *bodyUse) name() string {
	if u.fn.fn != nil {
		return u.fn.fn.Name()
	}
	return u.call.instr.Parent().Name()
}

// eachBody calls visit with every function that a HOP call runs and of which something is known. Where a part of it is a body
// itself, u is what it does without that part, whole with it. Functions of which nothing is known go to unseen.
func (a *analysisOf) eachBody(calls []*hopCall, visit func(u, whole *bodyUse), unseen func(u *bodyUse)) {
	calls = slices.Clone(calls)
	for k := 0; k < len(calls); k++ {
		call := calls[k]
		for _, arg := range call.bodies {
			funcs, _ := a.bodyFuncs(call, arg)
			for _, fn := range funcs {
				if fn.summary == nil || fn.summary.Top {
					unseen(&bodyUse{call, arg, fn})
					continue
				}
				u, whole := &bodyUse{call, arg, fn}, &bodyUse{call, arg, fn}
				if parts := a.partial(call, arg, fn); len(parts) > 0 {
					calls = append(calls, parts...)
					u.fn.summary = fn.own // what the body calls is looked at as a body itself
				}
				visit(u, whole)
			}
		}
	}
}

// statements finds what is wrong outside of bodies as well.
func (a *analysisOf) statements() []*Finding {
	if !reachesRuntime(a.pass.Pkg, map[*types.Package]bool{}) && len(a.claims.list) == 0 {
		return nil
	}
	if a.callAt == nil {
		a.index = newIndex(a.pass.Files)
	}
	var list []*Finding
	_ = a.guarded("statements", a.pass.Pkg.Name(), func() { list = a.discardedResults() })
	return append(list, a.gradRules()...)
}

// reachesRuntime reports whether a package imports the runtime, itself or through others: no tensor comes to one that does not.
func reachesRuntime(pkg *types.Package, seen map[*types.Package]bool) bool {
	seen[pkg] = true
	for _, p := range pkg.Imports() {
		if isRuntime(p) || !seen[p] && reachesRuntime(p, seen) {
			return true
		}
	}
	return false
}

// merged sorts the findings and leaves one for each code, position and role. Where an enclosing body and an inner one
// break the same rule at the same place, the inner one's stays; of several HOP calls that run one body, the first.
func merged(list []*Finding) []*Finding {
	slices.SortStableFunc(list, func(f, g *Finding) int {
		return cmp.Or(cmp.Compare(f.Pos, g.Pos), cmp.Compare(rank(f.Code), rank(g.Code)), cmp.Compare(f.role(), g.role()),
			-cmp.Compare(f.bodyStart(), g.bodyStart()), cmp.Compare(f.Call, g.Call))
	})
	var kept []*Finding
	for _, f := range list {
		if !slices.ContainsFunc(kept, func(g *Finding) bool { return g.covers(f) }) {
			kept = append(kept, f)
		}
	}
	return kept
}

// covers reports whether f says nothing new beside g.
func (g *Finding) covers(f *Finding) bool {
	switch {
	case g.Code != f.Code || g.role() != f.role():
		return false
	case g.Detail != "" || len(g.Differences) > 0:
		return g.Pos == f.Pos && g.what() == f.what() && slices.Equal(g.Differences, f.Differences)
	case g.Pos == f.Pos:
		return true
	}
	// A body of another package has no position of its own: its breaches are told at the first call that runs it.
	return f.use != nil && g.use != nil && f.use.fn.syntax == nil && g.use.fn.syntax == nil && g.use.fn.key() == f.use.fn.key() && g.Message() == f.Message()
}

// what is the finding's detail without the words for the body, of which an enclosing one has others.
func (f *Finding) what() string { return strings.TrimPrefix(f.Detail, f.Body+" ") }

// bodyStart is where the body begins that the finding speaks of, 0 if there is none in the package.
func (f *Finding) bodyStart() token.Pos {
	if f.use == nil {
		return token.NoPos
	}
	return f.use.fn.start()
}

// start is where the body begins, 0 in another package.
func (b *bodyFunc) start() token.Pos {
	if b.syntax == nil {
		return token.NoPos
	}
	return b.syntax.Pos()
}

// rank orders the codes at one position as the runtime does: mutation, then outputs among each other, with inputs, with
// captured tensors.
func rank(c hopcheck.Code) int {
	switch c {
	case hopcheck.OutputsAlias:
		return 300
	default:
		n := 0
		for _, r := range string(c[len("HOP"):]) {
			n = 10*n + int(r-'0')
		}
		return n
	}
}

// exportClaims exports what directives declare.
func (a *analysisOf) exportClaims() {
	for _, d := range a.claims.list {
		a.kind.export(a.pass, d.object, FunctionFact{Claim: d.claim, Declared: true})
	}
	a.kind.exportAnalysed(a.pass)
}

// exportFunctions exports the summaries that importers can ask for, and claims. A function without a fact in an analysed package has no effects; methods
// always get one, for the package's own fact may be out of sight where a method is called.
func (a *analysisOf) exportFunctions() {
	facts := map[types.Object]FunctionFact{}
	var order []types.Object
	put := func(object types.Object, change func(*FunctionFact)) {
		fact, ok := facts[object]
		if !ok {
			order = append(order, object)
		}
		change(&fact)
		facts[object] = fact
	}
	for _, fn := range a.flow.Importable() {
		object, _ := fn.Object().(*types.Func)
		if object == nil || object.Pkg() != a.pass.Pkg {
			continue
		}
		s := a.flow.Summary(fn)
		if s == nil || quiet(s) && object.Signature().Recv() == nil {
			continue
		}
		put(object, func(f *FunctionFact) { f.Summary = ssaflow.Encode(a.withDraws(withDetach(s)), object) })
	}
	for _, v := range a.flow.Variables() {
		put(v, func(f *FunctionFact) { f.Summary = ssaflow.Encode(a.flow.Variable(v), nil) })
	}
	if reading := a.reading(); reading != nil {
		for _, v := range reading.flow.Variables() {
			put(v, func(f *FunctionFact) { f.Reads = ssaflow.Encode(reading.flow.Variable(v), nil) })
		}
		for _, fn := range reading.flow.Importable() {
			object, _ := fn.Object().(*types.Func)
			if object == nil || object.Pkg() != a.pass.Pkg {
				continue
			}
			if s := reading.flow.Summary(fn); s != nil && !s.Top && (readsSomething(s) || !quiet(s)) {
				put(object, func(f *FunctionFact) { f.Reads = ssaflow.Encode(s, object) })
			}
		}
	}
	a.exportLeaves(put)
	a.exportGrads(put)
	a.exportForwards(put)
	a.exportMetas(put)
	a.exportGeneric(put)
	for _, object := range a.withoutBody() {
		put(object, func(f *FunctionFact) { f.Summary = ssaflow.Encode(&ssaflow.Summary{Top: true}, object) })
	}
	for _, d := range a.claims.list {
		put(d.object, func(f *FunctionFact) { f.Claim, f.Declared = d.claim, true })
	}
	for _, object := range a.declaredWrappers() {
		put(object, func(f *FunctionFact) {
			f.Claim.Bodies, f.Declared = append(slices.Clone(f.Claim.Bodies), a.wrappers[declaredRunner(object)]...), true
		})
	}
	variables, bodies := a.wrapperVariables()
	for i, v := range variables {
		put(v, func(f *FunctionFact) { f.Claim.Bodies, f.Declared = bodies[i], true })
	}
	for _, object := range order {
		a.kind.export(a.pass, object, facts[object])
	}
	if a.flow.Package != nil {
		a.kind.exportAnalysed(a.pass)
	}
}

// withoutBody lists the exported functions that are written elsewhere, in assembly: to have no fact would mean that they do nothing.
func (a *analysisOf) withoutBody() []*types.Func {
	var list []*types.Func
	for _, file := range a.pass.Files {
		for _, decl := range file.Decls {
			if d, ok := decl.(*ast.FuncDecl); ok && d.Body == nil {
				if object, ok := a.pass.TypesInfo.Defs[d.Name].(*types.Func); ok && object.Exported() {
					list = append(list, object)
				}
			}
		}
	}
	return list
}

// quiet reports whether a summary says no more than that the function was analysed.
func quiet(s *ssaflow.Summary) bool {
	if s.Top || s.NoReturn || len(s.Effects)+len(s.Stores)+len(s.Slots)+len(s.Flags) > 0 {
		return false
	}
	for _, leaves := range s.Results {
		if len(leaves) > 0 {
			return false
		}
	}
	return true
}

func sortedFuncs[V any](m map[*types.Func]V) []*types.Func {
	list := make([]*types.Func, 0, len(m))
	for f := range m {
		list = append(list, f)
	}
	slices.SortFunc(list, func(f, g *types.Func) int { return cmp.Compare(f.Pos(), g.Pos()) })
	return list
}

// standardRoots are the first elements of the import paths of the standard library.
var standardRoots = strings.Fields(`archive bufio bytes cmp compress container context crypto database debug embed encoding
	errors expvar flag fmt go hash html image index internal io iter log maps math mime net os path plugin reflect regexp
	runtime slices sort strconv strings structs sync syscall testing text time unicode unique unsafe vendor weak`)

// isStandard reports whether the package belongs to the standard library. Drivers that know modules give it none, or one
// without a path.
func isStandard(pass *analysis.Pass) bool {
	return (pass.Module == nil || pass.Module.Path == "" || pass.Module.Path == "std") && standardPath(pass.Pkg.Path())
}

// standardPath reports whether an import path is one that the standard library uses.
func standardPath(path string) bool {
	root, _, _ := strings.Cut(path, "/")
	return slices.Contains(standardRoots, root)
}
