package analyzer

import (
	"go/ast"
	"go/constant"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/ssaflow"
)

// leafSet holds the storages of tensors that certainly are leaves which require grad.
type leafSet map[storagePlace]bool

// leaves is what is known of the leaves of one function at each of its points.
type leaves struct {
	storages
	in     map[*ssa.BasicBlock]leafSet
	sweeps []sweep
	// callers is what callers are told of, once known.
	callers []LeafResult
	known   bool
}

// told is what callers of the function know of leaves.
func (l *leaves) told() []LeafResult {
	if !l.known {
		l.known, l.callers = true, append(l.results(), l.leafParams()...)
	}
	return l.callers
}

// leavesOf follows SetRequiresGrad(true) through a function; nil where the function makes no leaf, or lets a literal end one.
func (a *analysisOf) leavesOf(fn *ssa.Function) *leaves {
	if l, known := a.leavesIn[fn]; known {
		return l
	}
	a.leavesIn[fn] = nil // a function that calls itself is taken to make none
	if !a.makesLeaf(fn) || slices.ContainsFunc(fn.AnonFuncs, func(f *ssa.Function) bool { return setsGrad(f, false) }) {
		return nil
	}
	l := &leaves{storages: storages{a: a, fn: fn}, in: map[*ssa.BasicBlock]leafSet{}}
	l.findSweeps()
	for changed := true; changed; {
		changed = false
		for _, block := range fn.Blocks {
			in, reached := l.entry(block)
			if !reached {
				continue
			}
			if old, ok := l.in[block]; !ok || !maps.Equal(old, in) {
				l.in[block] = in
				changed = true
			}
		}
	}
	a.leavesIn[fn] = l
	return l
}

// entry is what holds on every way to a block that was reached so far.
func (l *leaves) entry(block *ssa.BasicBlock) (in leafSet, reached bool) {
	if len(block.Preds) == 0 {
		return leafSet{}, true
	}
	for _, p := range block.Preds {
		before, ok := l.in[p]
		if !ok {
			continue
		}
		out := l.after(p, before, nil)
		for _, s := range l.sweeps {
			if s.header == p && block == p.Succs[1] {
				for _, place := range s.places {
					out[place] = true
				}
			}
		}
		if !reached {
			in, reached = out, true
			continue
		}
		maps.DeleteFunc(in, func(k storagePlace, _ bool) bool { return !out[k] })
	}
	return in, reached
}

// after is what holds at the end of a block; visit sees each instruction with what holds before it.
func (l *leaves) after(block *ssa.BasicBlock, in leafSet, visit func(ssa.Instruction, leafSet)) leafSet {
	set := maps.Clone(in)
	for _, instr := range block.Instrs {
		if visit != nil {
			visit(instr, set)
		}
		v, isValue := instr.(ssa.Value)
		if !isValue {
			continue
		}
		maps.DeleteFunc(set, func(k storagePlace, _ bool) bool { return k.root == v }) // another tensor in each iteration of a loop
		call, result := callOf(v)
		if call == nil {
			continue
		}
		on, isSet := setRequiresGrad(call)
		switch {
		case isSet && on:
			if places := l.places(call.Call.Args[0]); len(places) == 1 && l.becomesLeaf(places[0]) {
				set[places[0]] = true
			}
		case isSet:
			set.end(l.places(call.Call.Args[0]))
		case v == call && !l.keepsLeaves(call.Common()):
			l.end(set, call)
			for _, p := range l.madeLeaves(call) {
				set[p] = true
			}
		}
		for _, leaf := range l.a.leafResults(call.Common()) {
			if leaf.Result == result {
				set[storagePlace{v, leaf.Path}] = true
			}
		}
	}
	return set
}

// callOf is the call of which a value is a result, and which one: -1 for the results of a call as a whole.
func callOf(v ssa.Value) (call *ssa.Call, result int) {
	switch v := v.(type) {
	case *ssa.Call:
		if _, several := v.Type().(*types.Tuple); several {
			return v, -1
		}
		return v, 0
	case *ssa.Extract:
		call, _ := v.Tuple.(*ssa.Call)
		return call, v.Index
	}
	return nil, 0
}

// end takes away the leaves that a call may end: those that it is given, or all if it is given memory that may lead to others.
func (l *leaves) end(set leafSet, call *ssa.Call) {
	for _, arg := range call.Call.Args {
		switch {
		case isTensorPointer(arg.Type()):
			set.end(l.places(arg))
		case mayHoldTensors(arg.Type(), nil):
			clear(set)
		}
	}
}

// leaf reports whether a tensor with one of the given places certainly is a leaf.
func (set leafSet) leaf(places []storagePlace) bool {
	return len(places) > 0 && !slices.ContainsFunc(places, func(p storagePlace) bool { return !set[p] && !set[p.ofList()] })
}

// end takes away what is a leaf no longer; of lists it is not known which elements are.
func (set leafSet) end(places []storagePlace) {
	for _, p := range places {
		delete(set, p)
	}
	maps.DeleteFunc(set, func(p storagePlace, _ bool) bool { return p.isList() })
}

// makesLeaf reports whether a function switches gradients on, or calls one that returns leaves.
func (a *analysisOf) makesLeaf(fn *ssa.Function) bool {
	if setsGrad(fn, true) {
		return true
	}
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			if call, ok := instr.(*ssa.Call); ok && len(a.leafResults(call.Common())) > 0 {
				return true
			}
		}
	}
	return false
}

// LeafResult is a part of a result of a function that certainly is a leaf which requires grad. Result -1-i is parameter i, of which the
// function makes a leaf.
type LeafResult struct {
	Result int
	Path   string
}

// leafResults are the results of a called function that certainly are leaves.
func (a *analysisOf) leafResults(common *ssa.CallCommon) []LeafResult {
	object := calledObject(common)
	if object == nil || common.IsInvoke() || isRuntime(object.Pkg()) {
		return nil
	}
	if fn := a.flow.FuncOf(object); fn != nil && len(fn.Blocks) > 0 {
		if l := a.leavesOf(fn); l != nil {
			return l.told()
		}
		return nil
	}
	fact, _ := a.kind.function(a.pass, object.Origin())
	return fact.Leaves
}

// exportLeaves tells which functions of the package return leaves.
func (a *analysisOf) exportLeaves(put func(types.Object, func(*FunctionFact))) {
	if !reachesRuntime(a.pass.Pkg, map[*types.Package]bool{}) {
		return
	}
	for _, fn := range a.flow.Importable() {
		object, _ := fn.Object().(*types.Func)
		if object == nil || object.Pkg() != a.pass.Pkg {
			continue
		}
		_ = a.guarded("gradients", fn.Name(), func() {
			if l := a.leavesOf(fn); l != nil {
				if list := l.told(); len(list) > 0 {
					put(object, func(f *FunctionFact) { f.Leaves = list })
				}
			}
		})
	}
}

// results are the parts of the function's results that are leaves at every return.
func (l *leaves) results() (list []LeafResult) {
	first := true
	for _, block := range l.fn.Blocks {
		ret, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return)
		in, reached := l.in[block]
		if !ok || !reached {
			continue
		}
		set := l.after(block, in, nil)
		var here []LeafResult
		for i, v := range ret.Results {
			for _, path := range tensorPaths(v.Type()) {
				if places, ok := l.placesAt(v, steps(path)); ok && set.leaf(places) {
					here = append(here, LeafResult{i, path})
				}
			}
		}
		if first {
			list, first = here, false
			continue
		}
		list = slices.DeleteFunc(list, func(r LeafResult) bool { return !slices.Contains(here, r) })
	}
	return list
}

// tensorPaths are the paths to the tensors in a value that is one, or a struct with fields of them, or a pointer to such a struct.
func tensorPaths(t types.Type) (list []string) {
	if isTensorPointer(t) {
		return []string{""}
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if s, ok := t.Underlying().(*types.Struct); ok {
		for i := range s.NumFields() {
			if isTensorPointer(s.Field(i).Type()) {
				list = append(list, "."+s.Field(i).Name())
			}
		}
	}
	return list
}

// setRequiresGrad reports whether a call is one of SetRequiresGrad, and whether it certainly switches the gradient on.
func setRequiresGrad(call ssa.CallInstruction) (on, ok bool) {
	fn := calledObject(call.Common())
	if fn == nil || !isRuntime(fn.Pkg()) || fn.Name() != "SetRequiresGrad" || len(call.Common().Args) != 2 {
		return false, false
	}
	c, isConst := call.Common().Args[1].(*ssa.Const)
	return isConst && c.Value != nil && c.Value.Kind() == constant.Bool && constant.BoolVal(c.Value), true
}

// setsGrad reports whether a function, or a literal in it, switches gradients on, or off.
func setsGrad(fn *ssa.Function, on bool) bool {
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			if call, ok := instr.(ssa.CallInstruction); ok {
				if to, isSet := setRequiresGrad(call); isSet && to == on {
					return true
				}
			}
		}
	}
	return slices.ContainsFunc(fn.AnonFuncs, func(f *ssa.Function) bool { return setsGrad(f, on) })
}

// becomesLeaf reports whether SetRequiresGrad(true) makes a leaf of the tensor at a place. It does not where the tensor is the result of
// a recorded op already: then nothing changes.
func (l *leaves) becomesLeaf(place storagePlace) bool {
	switch place.root.(type) {
	case *ssa.Call, *ssa.Extract:
		return l.withoutGrad(place.root, 0)
	case *ssa.Alloc:
		return place.path != "" // a field
	case *ssa.Parameter, *ssa.UnOp, *ssa.FreeVar:
		return true // who asks for the gradient of what he was handed takes it for a leaf
	}
	return false
}

// withoutGrad reports whether a call certainly gives a tensor that was not recorded: nothing that it is computed from requires
// grad.
func (l *leaves) withoutGrad(v ssa.Value, depth int) bool {
	call, _ := callOf(v)
	if call == nil {
		return false
	}
	fn := calledObject(call.Common())
	if fn == nil || depth > maxFollow || call.Call.IsInvoke() {
		return false
	}
	if !isRuntime(fn.Pkg()) {
		return l.a.computesFromNothing(fn)
	}
	if _, isHOP := contractOf(fn); isHOP || runtimeFunction(fn) != nil {
		return false
	}
	if fn.Name() == "Detach" {
		return true
	}
	for _, arg := range call.Call.Args {
		if _, ok := arg.Type().Underlying().(*types.Basic); ok {
			continue
		}
		if isTensorSlice(arg.Type()) {
			return false
		}
		if !isTensorPointer(arg.Type()) {
			continue
		}
		if p := l.place(arg); !l.withoutGrad(p.root, depth+1) || l.everSet(p) {
			return false
		}
	}
	return true
}

// computesFromNothing reports whether the tensors that a function returns are made from neither its arguments nor other memory.
func (a *analysisOf) computesFromNothing(fn *types.Func) bool {
	s := a.readSummary(fn)
	if s == nil || s.Top || len(s.Results) == 0 {
		return false
	}
	made := func(list []ssaflow.Origin) bool {
		return !slices.ContainsFunc(list, func(o ssaflow.Origin) bool { return o.Ref.Root.Kind != ssaflow.Fresh })
	}
	for _, leaves := range s.Results {
		if slices.ContainsFunc(leaves, func(l ssaflow.Leaf) bool { return !made(l.Origins) }) {
			return false
		}
	}
	return !slices.ContainsFunc(s.Stores, func(row ssaflow.StoreRow) bool {
		return row.Dst.Root.Kind == ssaflow.Fresh && !made(row.Origins)
	})
}

// everSet reports whether the function makes a leaf of the storage at a place somewhere.
func (l *leaves) everSet(p storagePlace) bool {
	for _, block := range l.fn.Blocks {
		for _, instr := range block.Instrs {
			if call, ok := instr.(ssa.CallInstruction); ok {
				if _, isSet := setRequiresGrad(call); isSet && l.place(call.Common().Args[0]) == p {
					return true
				}
			}
		}
	}
	return false
}

// readSummary is what a function reads and what its results are computed from, nil if that is not known.
func (a *analysisOf) readSummary(fn *types.Func) *ssaflow.Summary {
	reading := a.reading()
	if reading == nil {
		return nil
	}
	return reading.summaryOf(fn)
}

// endsLeaf is the operation of the flag that SetRequiresGrad has in an analysis of values.
const endsLeaf = "SetRequiresGrad"

// keepsLeaves reports whether a call certainly ends no leaf: one of the runtime, or of a function that switches no gradient on or off
// and calls nothing unknown.
func (l *leaves) keepsLeaves(common *ssa.CallCommon) bool {
	if _, builtin := common.Value.(*ssa.Builtin); builtin {
		return true
	}
	fn := calledObject(common)
	var s *ssaflow.Summary
	switch closure := l.closure(common.Value); {
	case fn != nil && isRuntime(fn.Pkg()):
		return true
	case fn != nil && !common.IsInvoke():
		s = l.a.readSummary(fn)
	case closure != nil:
		if reading := l.a.reading(); reading != nil {
			s = reading.flow.Summary(closure.Fn.(*ssa.Function))
		}
	}
	return s != nil && !s.Top && len(s.Slots) == 0 &&
		!slices.ContainsFunc(s.Flags, func(f ssaflow.Flag) bool { return f.Op == endsLeaf || f.Kind == ssaflow.Unresolved }) &&
		!slices.ContainsFunc(s.Effects, func(e ssaflow.Effect) bool { return e.Kind == ssaflow.Unseen })
}

// leafWrites finds in-place writes to tensors that certainly are leaves which require grad: HOP602.
func (a *analysisOf) leafWrites(l *leaves) []*Finding {
	var list []*Finding
	for _, block := range l.fn.Blocks {
		in, ok := l.in[block]
		if !ok {
			continue
		}
		l.after(block, in, func(instr ssa.Instruction, set leafSet) {
			call, ok := instr.(ssa.CallInstruction)
			if !ok {
				return
			}
			if _, isGo := instr.(*ssa.Defer); isGo {
				return // what holds when the function ends is not known here
			}
			writes := l.writes(call.Common())
			if len(l.sweeps) > 0 {
				writes = append(writes, l.lists().writes(call.Common())...)
			}
			for _, w := range writes {
				if set.leaf(w.places) {
					list = append(list, a.leafWrite(call, w))
					return
				}
			}
		})
	}
	return list
}

func (a *analysisOf) leafWrite(call ssa.CallInstruction, w written) *Finding {
	pos, end := a.operation(call.Common().Pos())
	f := &Finding{Pos: pos, End: end, Call: pos}
	f.Finding = hopcheck.Finding{Code: hopcheck.InPlaceOnLeaf, Op: w.op, Places: []hopcheck.Place{{Label: a.nameOf(call, w)}}}
	if fix := a.detachFix(call); fix != nil {
		f.Fixes = append(f.Fixes, *fix)
	}
	return f
}

// nameOf is how the source calls a tensor that a call writes.
func (a *analysisOf) nameOf(call ssa.CallInstruction, w written) string {
	switch v := w.value.(type) {
	case *ssa.Alloc, *ssa.FreeVar:
		if slices.Contains(call.Common().Args, w.value) {
			break
		}
		name := v.Name() // captured by the literal that is called
		if alloc, ok := v.(*ssa.Alloc); ok {
			name = alloc.Comment
		}
		return name + w.path
	}
	name := a.sourceName(call, w.value)
	if name == "a tensor" {
		return name
	}
	return strings.TrimPrefix(name, "&") + w.path
}

// sourceName is how the source calls an argument of a call.
func (a *analysisOf) sourceName(call ssa.CallInstruction, v ssa.Value) string {
	syntax := a.callAt[call.Common().Pos()]
	if syntax == nil {
		return "a tensor"
	}
	i := slices.Index(call.Common().Args, v)
	if fn := calledObject(call.Common()); fn != nil && fn.Signature().Recv() != nil {
		if selector, ok := ast.Unparen(syntax.Fun).(*ast.SelectorExpr); ok && i == 0 {
			return brief(types.ExprString(selector.X))
		}
		i--
	}
	if i >= 0 && i < len(syntax.Args) {
		return brief(types.ExprString(syntax.Args[i]))
	}
	return "a tensor"
}

// brief is source text that fits into a message.
func brief(text string) string {
	if len(text) > maxName || strings.Contains(text, "\n") {
		return "a tensor"
	}
	return text
}

// detachFix writes a leaf outside the tape: w.SubInPlace(g) becomes w.Detach().SubInPlace(g), where nobody uses the result.
func (a *analysisOf) detachFix(call ssa.CallInstruction) *analysis.SuggestedFix {
	syntax := a.callAt[call.Common().Pos()]
	if syntax == nil {
		return nil
	}
	selector, ok := ast.Unparen(syntax.Fun).(*ast.SelectorExpr)
	fn := calledObject(call.Common())
	if !ok || fn == nil || !isRuntime(fn.Pkg()) || fn.Signature().Recv() == nil {
		return nil
	}
	if _, isStatement := a.parent(syntax).(*ast.ExprStmt); !isStatement {
		return nil
	}
	return fixOf("write it outside the tape", []analysis.TextEdit{{Pos: selector.X.End(), End: selector.X.End(), NewText: []byte(".Detach()")}})
}

// gradRules finds what goes wrong with recorded gradients within one function: HOP602 and HOP601.
func (a *analysisOf) gradRules() []*Finding {
	var list []*Finding
	a.eachFunction("gradients", func(fn *ssa.Function) {
		if l := a.leavesOf(fn); l != nil {
			list = append(list, a.leafWrites(l)...)
			list = append(list, a.staleSaves(l)...)
		}
	})
	slices.SortStableFunc(list, func(f, g *Finding) int { return int(f.Pos - g.Pos) })
	return slices.CompactFunc(list, func(f, g *Finding) bool { return f.Code == g.Code && f.Pos == g.Pos })
}
