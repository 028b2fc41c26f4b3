package analyzer

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// What functions do with gradients: to which of their arguments Backward of a result goes back, what they save on the way, and of
// which arguments they run Backward themselves. Only what certainly happens is told.

// GradFlow is what a function does with gradients. Places that begin at a parameter are told to importers.
type GradFlow struct {
	Results  []GradResult
	Backward []GradPlace
	// Finish are tensors that it writes before it runs Backward.
	Finish []GradFinish
}

// GradFinish says that a function writes a tensor and then runs Backward on another.
type GradFinish struct {
	Written, Backward GradPlace
	Op                string
}

// GradResult is a result with the parts of parameters to which its gradient certainly goes, and what was saved for that.
type GradResult struct {
	Result int
	From   []GradPlace
	Saved  []GradSaved
}

// GradPlace is a tensor below a parameter.
type GradPlace struct {
	Param int
	Path  string
	// value is, in a literal, a value of a function around instead.
	value ssa.Value
}

// GradSaved says that an op saved a tensor, if another one requires grad.
type GradSaved struct {
	By, Kept GradPlace
	// OfResult is true where the result itself is kept.
	OfResult bool
	Op       string
	// Written is the operation that wrote what was kept before the function returned, empty if there is none; Kept says nothing then.
	Written string
}

// savedRow is a tensor that a call saves: by is one of the tensors that must require grad for that.
type savedRow struct {
	by   []storagePlace
	kept storagePlace
	op   string
	// value and path are the argument of the call that leads to what is kept, nil for its result.
	value ssa.Value
	path  string
	// written is the operation that the call writes it with as well, behind the op that saves.
	written string
}

// gradients follows gradients through one function.
type gradients struct {
	of storages
	// aliases are the storages where writes count that nobody records.
	aliases storages
}

func newGradients(a *analysisOf, fn *ssa.Function) *gradients {
	return &gradients{of: storages{a: a, fn: fn}, aliases: storages{a: a, fn: fn, throughDetach: true}}
}

// flow is what a called function does with gradients; nil where nothing is known. fn is the function, nil in another package.
func (g *gradients) flow(call *ssa.Call) (flow *GradFlow, fn *ssa.Function) {
	common := call.Common()
	if common.IsInvoke() {
		return nil, nil
	}
	a := g.of.a
	object := calledObject(common)
	switch closure := g.of.closure(common.Value); {
	case object != nil && isRuntime(object.Pkg()):
		return nil, nil
	case object != nil:
		if fn = a.flow.FuncOf(object); fn != nil && len(fn.Blocks) > 0 {
			break
		}
		fact, _ := a.kind.function(a.pass, object.Origin())
		return fact.Grads, nil
	case closure != nil:
		fn, _ = closure.Fn.(*ssa.Function)
	default:
		fn = common.StaticCallee()
	}
	if fn == nil || len(fn.Blocks) == 0 {
		return nil, nil
	}
	return a.gradFlow(fn), fn
}

// argument is what a place of a called function is for the caller.
func (g *gradients) argument(s *storages, call *ssa.Call, p GradPlace) []storagePlace {
	if p.value != nil {
		return []storagePlace{{p.value, p.Path}}
	}
	if p.Param >= len(call.Call.Args) {
		return nil
	}
	list, _ := s.placesAt(call.Call.Args[p.Param], steps(p.Path))
	return list
}

// flowsFrom are the tensors to which the gradient of one at a place goes back, each as the places that it can have.
func (g *gradients) flowsFrom(p storagePlace) (list [][]storagePlace) {
	call, result := callOf(p.root)
	if call == nil || p.path != "" {
		return nil
	}
	if fn := calledObject(call.Common()); fn != nil && isRuntime(fn.Pkg()) {
		if p.root != ssa.Value(call) || !passesGrad(functional(fn.Name())) {
			return nil
		}
		for _, arg := range call.Call.Args {
			if isTensorPointer(arg.Type()) {
				list = append(list, g.of.places(arg))
			}
		}
		return list
	}
	flow, _ := g.flow(call)
	if flow == nil {
		return nil
	}
	for _, r := range flow.Results {
		if r.Result == result {
			for _, from := range r.From {
				list = append(list, g.argument(&g.of, call, from))
			}
		}
	}
	return list
}

// saved are the tensors that a call saves for the gradient of its result.
func (g *gradients) saved(call *ssa.Call) (list []savedRow) {
	if fn := calledObject(call.Common()); fn != nil && isRuntime(fn.Pkg()) && !call.Call.IsInvoke() {
		for _, row := range savedBy(fn.Name()) {
			if row.by >= len(call.Call.Args) {
				continue
			}
			s := savedRow{by: g.of.places(call.Call.Args[row.by]), op: fn.Name()}
			if row.result {
				s.kept = g.aliases.place(call)
			} else {
				s.value = call.Call.Args[row.operand]
				s.kept = g.aliases.place(s.value)
			}
			list = append(list, s)
		}
		return list
	}
	flow, _ := g.flow(call)
	if flow == nil {
		return nil
	}
	for _, r := range flow.Results {
		root := resultOf(call, r.Result)
		for _, saved := range r.Saved {
			s := savedRow{by: g.argument(&g.of, call, saved.By), op: saved.Op, written: saved.Written}
			switch {
			case saved.Written != "":
			case saved.OfResult:
				s.kept = storagePlace{root: root}
			default:
				kept := g.argument(&g.aliases, call, saved.Kept)
				if len(kept) != 1 || kept[0].isList() {
					continue
				}
				s.kept, s.path = kept[0], saved.Kept.Path
				if s.value = saved.Kept.value; s.value == nil {
					s.value = call.Call.Args[saved.Kept.Param]
				}
			}
			if root != nil && len(s.by) > 0 {
				list = append(list, s)
			}
		}
	}
	return list
}

// resultOf is the value that a result of a call is, nil if nobody uses it.
func resultOf(call *ssa.Call, result int) ssa.Value {
	if _, several := call.Type().(*types.Tuple); !several {
		return call
	}
	for _, user := range *call.Referrers() {
		if x, ok := user.(*ssa.Extract); ok && x.Index == result {
			return x
		}
	}
	return nil
}

// runsBackward are the tensors on which a call certainly runs Backward.
func (g *gradients) runsBackward(call *ssa.Call) (list [][]storagePlace) {
	fn := calledObject(call.Common())
	if fn != nil && isRuntime(fn.Pkg()) {
		if fn.Name() == "Backward" && !call.Call.IsInvoke() {
			list = append(list, g.of.places(call.Call.Args[0]))
		}
		return list
	}
	if flow, _ := g.flow(call); flow != nil {
		for _, p := range flow.Backward {
			list = append(list, g.argument(&g.of, call, p))
		}
	}
	return list
}

// finishes are the tensors that a call writes before it runs Backward on another one.
func (g *gradients) finishes(call *ssa.Call, visit func(written storagePlace, op string, of []storagePlace)) {
	flow, _ := g.flow(call)
	if flow == nil {
		return
	}
	for _, f := range flow.Finish {
		if at := g.argument(&g.aliases, call, f.Written); len(at) == 1 && !at[0].isList() {
			visit(at[0], f.Op, g.argument(&g.of, call, f.Backward))
		}
	}
}

// gradFlow is what a function of the package does with gradients, nil where nothing is known.
func (a *analysisOf) gradFlow(fn *ssa.Function) *GradFlow {
	if flow, known := a.gradFlows[fn]; known {
		return flow
	}
	a.gradFlows[fn] = nil // a function that calls itself is taken to do nothing
	var ret *ssa.Return
	for _, block := range fn.Blocks {
		if r, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return); ok {
			if ret != nil {
				return nil
			}
			ret = r
		}
	}
	if ret == nil {
		return nil
	}
	w := &gradWalk{gradients: newGradients(a, fn), fn: fn}
	flow := &GradFlow{}
	w.findWrites(ret)
	for i, v := range ret.Results {
		if isTensorPointer(v.Type()) {
			r := GradResult{Result: i}
			w.seen, w.kept = map[storagePlace]bool{}, w.aliases.place(v)
			w.back(&r, w.of.places(v), 0)
			if len(r.From)+len(r.Saved) > 0 {
				flow.Results = append(flow.Results, r)
			}
		}
	}
	for _, block := range fn.Blocks {
		if !block.Dominates(ret.Block()) {
			continue
		}
		for _, instr := range block.Instrs {
			if call, ok := instr.(*ssa.Call); ok {
				for _, of := range w.runsBackward(call) {
					var r GradResult
					w.seen = map[storagePlace]bool{}
					w.back(&r, of, 0)
					flow.Backward = append(flow.Backward, r.From...)
					w.finish(flow, call, r.From)
				}
			}
		}
	}
	if len(flow.Results)+len(flow.Backward) == 0 {
		return nil
	}
	a.gradFlows[fn] = flow
	return flow
}

// gradWalk goes back from a result of a function.
type gradWalk struct {
	*gradients
	fn   *ssa.Function
	kept storagePlace // of the result
	seen map[storagePlace]bool
	// writes are the calls that certainly write tensors.
	writes []tensorWrite
}

// tensorWrite is a call that certainly writes a tensor before the function returns.
type tensorWrite struct {
	call *ssa.Call
	at   storagePlace
	op   string
}

func (w *gradWalk) findWrites(ret *ssa.Return) {
	for _, block := range w.fn.Blocks {
		if !block.Dominates(ret.Block()) {
			continue
		}
		for _, instr := range block.Instrs {
			call, ok := instr.(*ssa.Call)
			if !ok {
				continue
			}
			for _, wr := range w.aliases.writes(call.Common()) {
				if len(wr.places) == 1 && !wr.places[0].isList() {
					w.writes = append(w.writes, tensorWrite{call, wr.places[0], wr.op})
				}
			}
		}
	}
}

// finish notes what was written before a call that runs Backward.
func (w *gradWalk) finish(flow *GradFlow, backward *ssa.Call, of []GradPlace) {
	for _, wr := range w.writes {
		at, ok := w.outside([]storagePlace{wr.at})
		if !ok || !inOrder(wr.call, backward) {
			continue
		}
		for _, p := range of {
			flow.Finish = append(flow.Finish, GradFinish{at, p, wr.op})
		}
	}
}

// outside is a tensor that was there before the function began, as its callers see it.
func (w *gradWalk) outside(places []storagePlace) (p GradPlace, ok bool) {
	if len(places) != 1 || places[0].isList() {
		return p, false
	}
	at := places[0]
	if param, ok := at.root.(*ssa.Parameter); ok && param.Parent() == w.fn {
		return GradPlace{Param: slices.Index(w.fn.Params, param), Path: at.path}, true
	}
	if parent := at.root.Parent(); parent != nil && parent != w.fn && w.fn.Parent() != nil {
		return GradPlace{Path: at.path, value: at.root}, true
	}
	return p, false
}

// back collects where the gradient of a tensor goes.
func (w *gradWalk) back(r *GradResult, places []storagePlace, depth int) {
	if len(places) != 1 || depth > maxFollow || w.seen[places[0]] {
		return
	}
	at := places[0]
	w.seen[at] = true
	if p, ok := w.outside(places); ok {
		r.From = append(r.From, p)
		return
	}
	call, _ := callOf(at.root)
	if call == nil || at.path != "" || len(w.flowsFrom(at)) == 0 {
		return
	}
	for _, row := range w.saved(call) {
		saved := GradSaved{Op: row.op, OfResult: row.kept == w.kept && row.value == nil, Written: row.written}
		kept := true
		if i := slices.IndexFunc(w.writes, func(wr tensorWrite) bool { return wr.at == row.kept && inOrder(call, wr.call) }); i >= 0 {
			saved.Written = w.writes[i].op
		}
		switch {
		case saved.Written != "":
			saved.OfResult = false
		case !saved.OfResult:
			saved.Kept, kept = w.outside([]storagePlace{row.kept})
		}
		if !kept {
			continue
		}
		by := GradResult{}
		inner := &gradWalk{gradients: w.gradients, fn: w.fn, seen: map[storagePlace]bool{}}
		inner.back(&by, row.by, depth+1)
		for _, from := range by.From {
			saved.By = from
			r.Saved = append(r.Saved, saved)
		}
	}
	for _, from := range w.flowsFrom(at) {
		w.back(r, from, depth+1)
	}
}

// exportGrads tells what the functions of the package do with gradients.
func (a *analysisOf) exportGrads(put func(types.Object, func(*FunctionFact))) {
	if !reachesRuntime(a.pass.Pkg, map[*types.Package]bool{}) {
		return
	}
	for _, fn := range a.flow.Importable() {
		object, _ := fn.Object().(*types.Func)
		if object == nil || object.Pkg() != a.pass.Pkg || !mentionsTensor(object.Signature()) {
			continue
		}
		_ = a.guarded("gradients", fn.Name(), func() {
			if flow := a.gradFlow(fn); flow != nil {
				put(object, func(f *FunctionFact) { f.Grads = flow })
			}
		})
	}
}

// mentionsTensor reports whether tensors can go in or out of a function.
func mentionsTensor(s *types.Signature) bool {
	for i := range numParams(s) {
		if mayHoldTensors(paramVar(s, i).Type(), nil) {
			return true
		}
	}
	return false
}
