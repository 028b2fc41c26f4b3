package analyzer

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/ssaflow"
)

// runtimePath is the end of the import path of the package that declares tensors and HOPs. Forks keep the end.
const runtimePath = "github.com/hoplint/hoplint/runtime/hop"

// isRuntime reports whether pkg is the runtime, also a vendored or forked one.
func isRuntime(pkg *types.Package) bool {
	if pkg == nil {
		return false
	}
	prefix, ok := strings.CutSuffix(pkg.Path(), runtimePath)
	return ok && (prefix == "" || strings.HasSuffix(prefix, "/"))
}

// isRuntimePart reports whether a package is what the runtime is made of. No tensor reaches it but through the runtime.
func isRuntimePart(path string) bool {
	module := strings.TrimSuffix(runtimePath, "runtime/hop")
	_, part, ok := strings.Cut(path, module)
	return ok && (part == "tracer" || part == "hopcheck" || strings.HasPrefix(part, "runtime/"))
}

// isTensor reports whether t is the runtime's tensor type.
func isTensor(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Name() == "Tensor" && isRuntime(named.Obj().Pkg())
}

// model answers what ssaflow cannot compute from the package's source: directives, HOPs and the facts of other packages.
type model struct {
	pass *analysis.Pass
	kind factKind
	// local are the claims of the package itself.
	local map[types.Object]Claim
	memo  map[*types.Func]*ssaflow.Summary
}

func newModel(pass *analysis.Pass, kind factKind, c claims) *model {
	m := &model{pass: pass, kind: kind, local: map[types.Object]Claim{}, memo: map[*types.Func]*ssaflow.Summary{}}
	for _, d := range c.list {
		m.local[d.object] = d.claim
	}
	return m
}

// Opaque says that a tensor and its storage are one object: writing through any view of it is writing it.
func (m *model) Opaque(t *types.Named) bool { return isTensor(t) }

// Summary returns what is known of a function whose body ssaflow does not see, or nil.
func (m *model) Summary(fn *types.Func) *ssaflow.Summary {
	fn = fn.Origin()
	s, ok := m.memo[fn]
	if !ok {
		s = m.summarise(fn)
		m.memo[fn] = s
	}
	return s
}

func (m *model) summarise(fn *types.Func) *ssaflow.Summary {
	if row, ok := contractOf(fn); ok {
		return hopSummary(fn, row)
	}
	claim, declared := m.claim(fn)
	if isRuntime(fn.Pkg()) {
		return claimSummary(fn, claim) // an op without directives writes nothing and returns what nobody else has
	}
	if fact, ok := m.kind.function(m.pass, fn); ok {
		if s := fact.decode(); s != nil && !s.Top {
			return s // what was computed is better than what was claimed
		}
	} else if fn.Pkg() != nil && m.kind.analysed(m.pass, fn.Pkg()) {
		return &ssaflow.Summary{Name: fn.Name()}
	}
	if declared {
		return claimSummary(fn, claim)
	}
	return ssaflow.Std(fn)
}

// claim returns what directives declare of a function of any package.
func (m *model) claim(object types.Object) (Claim, bool) {
	if fn, ok := object.(*types.Func); ok {
		object = fn.Origin()
	}
	if object.Pkg() == m.pass.Pkg {
		c, ok := m.local[object]
		return c, ok
	}
	fact, ok := m.kind.function(m.pass, object)
	return fact.Claim, ok && fact.Declared
}

// contractOf returns the row of a HOP of the runtime.
func contractOf(fn *types.Func) (*hopcheck.Contract, bool) {
	if fn == nil || !isRuntime(fn.Pkg()) || fn.Signature().Recv() != nil {
		return nil, false
	}
	return hopcheck.ContractFor(fn.Name())
}

// claimSummary is a claim in the terms of ssaflow.
func claimSummary(fn *types.Func, claim Claim) *ssaflow.Summary {
	signature := fn.Signature()
	s := &ssaflow.Summary{Name: fn.Name()}
	for _, place := range claim.Mutates {
		s.Effects = append(s.Effects, ssaflow.Effect{Ref: placeRef(signature, place), Kind: ssaflow.Write, Op: fn.Name(), Definite: true,
			Witness: []ssaflow.Step{{Kind: ssaflow.Written, Callee: fn.Name()}}})
	}
	for i := range signature.Results().Len() {
		result := ClaimResult{Fresh: true}
		if i < len(claim.Returns) {
			result = claim.Returns[i]
		}
		s.Results = append(s.Results, resultLeaves(s, signature, i, result))
	}
	return s
}

// resultLeaves says what result i may refer to. A result that is a slice of views is a fresh slice with views inside.
func resultLeaves(s *ssaflow.Summary, signature *types.Signature, i int, result ClaimResult) []ssaflow.Leaf {
	fresh := func(deep bool) ssaflow.Origin {
		root := ssaflow.Root{Kind: ssaflow.Fresh, Index: len(s.Results)}
		return ssaflow.Origin{Ref: ssaflow.Ref{Root: root}, Unique: true, Deep: deep}
	}
	var views []ssaflow.Origin
	for _, place := range result.Views {
		views = append(views, ssaflow.Origin{Ref: placeRef(signature, place), View: true, Unique: true})
	}
	if _, isSlice := signature.Results().At(i).Type().Underlying().(*types.Slice); isSlice && len(views) > 0 {
		backing := fresh(false)
		s.Stores = append(s.Stores, ssaflow.StoreRow{Dst: ssaflow.Ref{Root: backing.Ref.Root, Path: "[]"}, Origins: views})
		return []ssaflow.Leaf{{Origins: []ssaflow.Origin{backing}}}
	}
	if result.Fresh {
		views = append(views, fresh(true))
	}
	return []ssaflow.Leaf{{Origins: views}}
}

// placeRef is a claimed place in the terms of ssaflow: what the place points to.
func placeRef(signature *types.Signature, place ClaimPlace) ssaflow.Ref {
	t := paramVar(signature, place.Param).Type()
	path := ""
	follow := func() {
		switch u := t.Underlying().(type) {
		case *types.Pointer:
			path, t = path+"*", u.Elem()
		case *types.Slice, *types.Map, *types.Interface:
			path += "*"
		}
	}
	for rest := place.Path; rest != ""; {
		follow()
		n := strings.IndexAny(rest[1:], ".[") + 1
		if n == 0 {
			n = len(rest)
		}
		step := rest[:n]
		rest = rest[n:]
		if step[0] == '[' {
			step = "[]"
			switch u := t.Underlying().(type) {
			case *types.Slice:
				t = u.Elem()
			case *types.Array:
				t = u.Elem()
			case *types.Map:
				t = u.Elem()
			}
		} else if object, _, _ := types.LookupFieldOrMethod(t, true, paramVar(signature, place.Param).Pkg(), step[1:]); object != nil {
			t = object.Type()
		}
		path += step
	}
	follow()
	return ssaflow.Ref{Root: ssaflow.Root{Kind: ssaflow.Param, Index: place.Param}, Path: path}
}

// hopSummary is what a HOP does to the function that calls it: it runs its bodies on fresh tensors, so that of all their
// effects only those on captured memory are seen, and returns fresh tensors.
func hopSummary(fn *types.Func, row *hopcheck.Contract) *ssaflow.Summary {
	signature := fn.Signature()
	s := &ssaflow.Summary{Name: fn.Name()}
	next := 0
	fresh := func() []ssaflow.Leaf {
		next++
		root := ssaflow.Root{Kind: ssaflow.Fresh, Index: next - 1}
		return []ssaflow.Leaf{{Origins: []ssaflow.Origin{{Ref: ssaflow.Ref{Root: root}, Unique: true, Deep: true}}}}
	}
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
		for range b.In {
			slot.Args = append(slot.Args, fresh())
		}
		s.Slots = append(s.Slots, slot)
	}
	for i := range signature.Results().Len() {
		result := fresh()
		if inner, ok := signature.Results().At(i).Type().Underlying().(*types.Signature); ok {
			result = transformed(s, row, inner)
		}
		s.Results = append(s.Results, result)
	}
	return s
}

// transformed is the function that a HOP such as VMap returns: it hands out fresh tensors and writes nothing, for its
// body has been accounted for where it was made.
func transformed(s *ssaflow.Summary, row *hopcheck.Contract, signature *types.Signature) []ssaflow.Leaf {
	inner := &ssaflow.Summary{Name: row.Name}
	for i := range signature.Results().Len() {
		root := ssaflow.Root{Kind: ssaflow.Fresh, Index: i}
		inner.Results = append(inner.Results, []ssaflow.Leaf{{Origins: []ssaflow.Origin{{Ref: ssaflow.Ref{Root: root}, Unique: true, Deep: true}}}})
	}
	s.Funcs = append(s.Funcs, ssaflow.FuncRow{Name: row.Name, Summary: inner})
	root := ssaflow.Root{Kind: ssaflow.Func, Index: len(s.Funcs) - 1}
	return []ssaflow.Leaf{{Origins: []ssaflow.Origin{{Ref: ssaflow.Ref{Root: root}, Unique: true}}}}
}

// paramNamed finds a parameter by name.
func paramNamed(signature *types.Signature, name string) (int, bool) {
	for i := range numParams(signature) {
		if paramVar(signature, i).Name() == name {
			return i, true
		}
	}
	return 0, false
}
