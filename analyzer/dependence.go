package analyzer

import (
	"go/types"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/ssaflow"
)

// Where do the values of a tensor come from? The engine that follows storage follows values too, if it is told another story of
// the runtime: the result of an op is a view of everything that it is computed from, and to read a tensor is to write it. A body
// then reads a value that depends on its carry where it "writes" its carry.

// reading is the analysis of the same package that follows values; nil for packages that no tensor reaches.
func (a *analysisOf) reading() *analysisOf {
	if !a.known {
		a.known = true
		if reachesRuntime(a.pass.Pkg, map[*types.Package]bool{}) {
			b := *a
			b.flow = a.flow.With(&dependence{model: a.model, memo: map[*types.Func]*ssaflow.Summary{}})
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
	memo map[*types.Func]*ssaflow.Summary
}

// Summary returns what a function reads and what its results are computed from.
func (d *dependence) Summary(fn *types.Func) *ssaflow.Summary {
	fn = fn.Origin()
	s, ok := d.memo[fn]
	if !ok {
		s = d.summarise(fn)
		d.memo[fn] = s
	}
	return s
}

func (d *dependence) summarise(fn *types.Func) *ssaflow.Summary {
	if row, ok := contractOf(fn); ok {
		return hopDependence(fn, row)
	}
	if isRuntime(fn.Pkg()) {
		return opDependence(fn)
	}
	if fact, ok := d.kind.function(d.pass, fn); ok {
		if s := decoded(fact.Reads); s != nil && !s.Top {
			return s
		}
	}
	if claim, ok := d.claim(fn); ok && ofInterface(fn) {
		claim.Mutates = nil // a write is no read
		return claimSummary(fn, claim)
	}
	return d.model.Summary(fn)
}

// opDependence is an op of the runtime: its tensors depend on all tensors that it is given.
func opDependence(fn *types.Func) *ssaflow.Summary {
	if s := runtimeFunction(fn); s != nil {
		return s
	}
	signature := fn.Signature()
	s := &ssaflow.Summary{Name: fn.Name()}
	var given []ssaflow.Origin
	if recv := signature.Recv(); recv != nil && isSymbolicInt(recv.Type()) && fn.Name() == "Value" {
		s.Does(ssaflow.Reflect, fixesDimension)
	}
	switch name := fn.Name(); {
	case isReader(name):
		s.Mutate(ssaflow.Place(0, ""), name)
	case name == "Clone" && signature.Recv() == nil:
		return s.Return(0, ssaflow.Same(ssaflow.Place(0, "")))
	case name == "ZerosLike":
	default:
		for i := range numParams(signature) {
			switch t := paramVar(signature, i).Type(); {
			case isTensorPointer(t):
				given = append(given, ssaflow.ViewOf(ssaflow.Place(i, "")))
			case isTensorSlice(t):
				given = append(given, ssaflow.ViewOf(ssaflow.Place(i, "[]")))
			}
		}
	}
	for i := range signature.Results().Len() {
		switch t := signature.Results().At(i).Type(); {
		case isTensorSlice(t):
			s.Return(i, sliceOf(s, i, append(given, ssaflow.NewMemory(100+i))))
		case isTensorPointer(t):
			s.Return(i, append(given[:len(given):len(given)], ssaflow.NewMemory(i))...)
		default:
			s.Return(i, ssaflow.NewMemory(i))
		}
	}
	return s
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
