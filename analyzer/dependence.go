package analyzer

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/ssaflow"
)

// Where do the values of a tensor come from? The engine that follows storage follows values too, if it is told another story of
// the runtime: to read a tensor is to write it, and a tensor is a struct with one field, content, which refers to every tensor that
// went into its storage since it was made. A functional op makes a tensor whose content is what its operands are and hold at that
// moment; an in-place op adds to the content of its receiver; a view is the tensor that it is a view of. A body then reads a value
// that depends on its carry where it "writes" its carry or what the content of a tensor refers to. No write takes away from the
// content: in a trace a buffer that was overwritten with constants is still one that the trace computes.

// content is the path of that field. No field of a Go struct is called so.
const content = "~"

// ofTensor is the place of the content of the tensor that a place leads to.
func ofTensor(tensor ssaflow.Ref) ssaflow.Ref {
	tensor.Path += content
	return tensor
}

// values are the origins of what is computed from a tensor: the tensor itself, and what went into it.
func values(tensor ssaflow.Ref) []ssaflow.Origin {
	held := ofTensor(tensor)
	held.Path += "*"
	return []ssaflow.Origin{ssaflow.ViewOf(tensor), ssaflow.ViewOf(held)}
}

// reading is the analysis of the same package that follows values; nil for packages that no tensor reaches.
func (a *analysisOf) reading() *analysisOf {
	if !a.known {
		a.known = true
		if reachesRuntime(a.pass.Pkg, map[*types.Package]bool{}) {
			b := *a
			b.flow = a.flow.With(&dependence{model: a.model, memo: summaries{}, callers: a.callers})
			a.values = &b
		}
	}
	if a.values != nil {
		a.values.index = a.index
	}
	return a.values
}

// dependence answers what the results of functions depend on.
type dependence struct {
	*model
	memo summaries
	// callers are the calls within the package; decides are the calls that make texts of tensors, as far as it was asked.
	callers func() *callGraph
	decides map[*ssa.Call]bool
}

// Variable returns what is known of the functions that an exported variable of another package holds, or nil.
func (d *dependence) Variable(v *types.Var) *ssaflow.Summary {
	if fact, ok := d.kind.function(d.pass, v); ok {
		return decoded(fact.Reads, d.pass, nil)
	}
	return nil
}

// Closed says that the content of a tensor refers to all that went into it, also by way of other tensors.
func (d *dependence) Closed(path string) bool { return strings.HasSuffix(path, content) }

// Summary returns what a function reads and what its results are computed from.
func (d *dependence) Summary(fn *types.Func) *ssaflow.Summary { return d.memo.of(fn, d.summarise) }

func (d *dependence) summarise(fn *types.Func) *ssaflow.Summary {
	if row, ok := contractOf(fn); ok {
		return hopDependence(fn, row)
	}
	if isRuntime(fn.Pkg()) {
		return d.opDependence(fn)
	}
	if isFiles(fn.Pkg()) {
		return filesDependence(fn)
	}
	if fact, ok := d.kind.function(d.pass, fn); ok {
		if s := decoded(fact.Reads, d.pass, fn); s != nil && !s.Top {
			return s
		}
	}
	if claim, ok := d.claim(fn); ok && ofInterface(fn) {
		claim.Mutates = nil // a write is no read
		return claimSummary(fn, claim)
	}
	return d.model.Summary(fn)
}

// Opaque says that no object is indivisible: a tensor has its content.
func (d *dependence) Opaque(*types.Named) bool { return false }

// opDependence is an op of the runtime: its tensors depend on all tensors that it is given.
func (d *dependence) opDependence(fn *types.Func) *ssaflow.Summary {
	signature := fn.Signature()
	if s := runtimeFunction(fn); s != nil {
		if isReader(fn.Name()) {
			for _, from := range values(tensorsOf(signature)[0]) {
				s.Mutate(from.Ref, fn.Name())
			}
		}
		return s
	}
	s := &ssaflow.Summary{Name: fn.Name()}
	if recv := signature.Recv(); recv != nil && isSymbolicInt(recv.Type()) && fn.Name() == "Value" {
		s.Does(ssaflow.Reflect, fixesDimension)
	}
	if signature.Recv() != nil && fn.Name() == endsLeaf {
		s.Does(ssaflow.Reflect, endsLeaf)
	}
	tensors := tensorsOf(signature)
	switch name := fn.Name(); {
	case name == "Clone" && signature.Recv() == nil:
		return s.Return(0, ssaflow.Same(ssaflow.Place(0, "")))
	case isReader(name):
		for _, from := range values(tensors[0]) {
			s.Mutate(from.Ref, name)
		}
		tensors = nil // what it gives is Go memory
	case name == "ZerosLike":
		tensors = nil
	}
	var given []ssaflow.Origin
	for _, t := range tensors {
		given = append(given, values(t)...)
	}
	claim, _ := d.claim(fn)
	for _, m := range claim.Mutates {
		if written, ok := tensorPlace(signature, m.Param); ok && m.Path == "" && len(tensors) > 0 {
			s.Stores = append(s.Stores, ssaflow.StoreRow{Dst: ofTensor(written), Origins: given})
		}
	}
	for i := range signature.Results().Len() {
		views, fresh := shared(signature, claim, i)
		if fresh {
			made := ssaflow.NewMemory(i)
			made.Deep = false
			if t := signature.Results().At(i).Type(); len(given) > 0 && (isTensorPointer(t) || isTensorSlice(t)) {
				s.Stores = append(s.Stores, ssaflow.StoreRow{Dst: ofTensor(made.Ref), Origins: given})
			}
			views = append(views, made)
		}
		if isTensorSlice(signature.Results().At(i).Type()) {
			views = []ssaflow.Origin{sliceOf(s, 100+i, views)}
		}
		s.Return(i, views...)
	}
	return s
}

// shared are the operands that result i of an op is, or is a view of, and whether it can be a tensor of its own.
func shared(signature *types.Signature, claim Claim, i int) (views []ssaflow.Origin, fresh bool) {
	if i >= len(claim.Returns) {
		return nil, true
	}
	for _, view := range claim.Returns[i].Views {
		if t, ok := tensorPlace(signature, view.Param); ok && view.Path == "" {
			views = append(views, ssaflow.ViewOf(t))
		} else {
			fresh = true
		}
	}
	return views, fresh || claim.Returns[i].Fresh || len(views) == 0
}

// tensorsOf are the tensors that a function is given, the receiver first.
func tensorsOf(signature *types.Signature) []ssaflow.Ref {
	var list []ssaflow.Ref
	for i := range numParams(signature) {
		if t, ok := tensorPlace(signature, i); ok {
			list = append(list, t)
		}
	}
	return list
}

// tensorPlace is what a parameter leads to that is a tensor, or a slice of tensors.
func tensorPlace(signature *types.Signature, param int) (ssaflow.Ref, bool) {
	switch t := paramVar(signature, param).Type(); {
	case isTensorPointer(t):
		return ssaflow.Place(param, "*"), true
	case isTensorSlice(t):
		return ssaflow.Place(param, "*[]*"), true
	}
	return ssaflow.Ref{}, false
}

func isTensorSlice(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	return ok && isTensorPointer(s.Elem())
}

// hopDependence is a HOP: its bodies get what it is given, and its results are what they return.
func hopDependence(fn *types.Func, row *hopcheck.Contract) *ssaflow.Summary {
	signature := fn.Signature()
	s := &ssaflow.Summary{Name: fn.Name()}
	given := func(names ...string) []ssaflow.Origin {
		var origins []ssaflow.Origin
		for _, name := range names {
			if p, ok := paramNamed(signature, name); ok {
				origins = append(origins, ssaflow.Same(ssaflow.Place(p, "")))
			}
		}
		return origins
	}
	results := make([][]ssaflow.Origin, signature.Results().Len())
	for _, b := range row.Bodies {
		param, ok := paramNamed(signature, b.Param)
		if !ok {
			continue
		}
		path := "*"
		if b.Variadic {
			path = "*[]*"
		}
		slot := ssaflow.SlotRow{Callee: ssaflow.Ref{Root: ssaflow.Root{Kind: ssaflow.Param, Index: param}, Path: path}, Name: b.Param}
		for i, in := range b.In {
			origins := append(given(feeding(in.Role)...), ssaflow.NewMemory(200+10*len(s.Slots)+i))
			slot.Args = append(slot.Args, []ssaflow.Leaf{{Origins: origins}})
		}
		for i, out := range b.Out {
			if i < len(results) && out.Role != hopcheck.Predicate && out.Role != hopcheck.Residual {
				root := ssaflow.Root{Kind: ssaflow.SlotResult, Index: len(s.Slots), Result: i}
				results[i] = append(results[i], ssaflow.Origin{Ref: ssaflow.Ref{Root: root, Path: "*"}})
			}
			if i < len(results) && out.Role == hopcheck.NextCarry {
				results[i] = append(results[i], given("init")...)
			}
		}
		s.Slots = append(s.Slots, slot)
	}
	for i := range results {
		if inner, ok := signature.Results().At(i).Type().Underlying().(*types.Signature); ok {
			s.Results = append(s.Results, handedThrough(s, row, inner))
			continue
		}
		s.Return(i, append(append(results[i], given("pred", "index")...), ssaflow.NewMemory(i))...)
	}
	return s
}

// feeding are the parameters of a HOP that its bodies get for a role.
func feeding(role hopcheck.Role) []string {
	switch role {
	case hopcheck.Carry:
		return []string{"init"}
	case hopcheck.X, hopcheck.Element:
		return []string{"xs"}
	case hopcheck.Operand:
		return []string{"operands", "x"}
	}
	return nil
}

// handedThrough is the function that a HOP such as VMap returns: what it hands out depends on what it is given.
func handedThrough(s *ssaflow.Summary, row *hopcheck.Contract, signature *types.Signature) []ssaflow.Leaf {
	inner := &ssaflow.Summary{Name: row.Name}
	for i := range signature.Results().Len() {
		for j := range signature.Params().Len() {
			inner.Return(i, ssaflow.Same(ssaflow.Place(j, "")))
		}
		inner.Return(i, ssaflow.NewMemory(i))
	}
	s.Funcs = append(s.Funcs, ssaflow.FuncRow{Name: row.Name, Summary: inner})
	root := ssaflow.Root{Kind: ssaflow.Func, Index: len(s.Funcs) - 1}
	return []ssaflow.Leaf{{Origins: []ssaflow.Origin{{Ref: ssaflow.Ref{Root: root}, Unique: true}}}}
}
