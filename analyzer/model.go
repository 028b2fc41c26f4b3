package analyzer

import (
	"go/types"
	"strconv"
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

// isRuntimePart reports whether a package is what the runtime is made of. No tensor reaches it but through the runtime, and files.go
// tells what the package does that reads and writes files.
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
	*options
	pass *analysis.Pass
	kind factKind
	// local are the claims of the package itself.
	local map[types.Object]Claim
	// tables are what tables of contracts declare of code that cannot be edited.
	tables map[types.Object]tabled
	memo   summaries
}

// summaries keeps what was asked of functions.
type summaries map[*types.Func]*ssaflow.Summary

// of returns the summary of a function, or of the generic one that it is an instance of; compute is asked once for each.
func (m summaries) of(fn *types.Func, compute func(*types.Func) *ssaflow.Summary) *ssaflow.Summary {
	fn = fn.Origin()
	s, ok := m[fn]
	if !ok {
		s = compute(fn)
		m[fn] = s
	}
	return s
}

func newModel(pass *analysis.Pass, opts *options, kind factKind, c claims) *model {
	m := &model{options: opts, pass: pass, kind: kind, local: map[types.Object]Claim{}, memo: summaries{}}
	for _, d := range c.list {
		m.local[d.object] = d.claim
	}
	return m
}

// Opaque says that a tensor and its storage are one object: writing through any view of it is writing it.
func (m *model) Opaque(t *types.Named) bool { return isTensor(t) }

// Summary returns what is known of a function whose body ssaflow does not see, or nil.
func (m *model) Summary(fn *types.Func) *ssaflow.Summary {
	return m.memo.of(fn, func(fn *types.Func) *ssaflow.Summary {
		m.probed("summary", fn.Name())
		return m.summarise(fn)
	})
}

func (m *model) summarise(fn *types.Func) *ssaflow.Summary {
	if row, ok := contractOf(fn); ok {
		return hopSummary(fn, row)
	}
	claim, declared := m.claim(fn)
	if isRuntime(fn.Pkg()) {
		if s := runtimeFunction(fn); s != nil {
			return s
		}
		s := claimSummary(fn, claim) // an op without directives writes nothing and returns what nobody else has
		calledBack(s, fn)
		if isRandom(fn) {
			// It changes the generator, as a method of the generator does.
			s.Effects = append(s.Effects, ssaflow.Effect{Ref: ssaflow.Place(0, ""), Kind: ssaflow.Store, Op: drawsPrefix + fn.Name(), Definite: true})
		}
		return s
	}
	if isFiles(fn.Pkg()) {
		return filesFunction(fn)
	}
	if fact, ok := m.kind.function(m.pass, fn); ok && len(fact.Summary) > 0 {
		if s := fact.decode(m.pass, fn); s != nil && !s.Top {
			return s // what was computed is better than what was claimed
		}
	} else if fn.Pkg() != nil && fn.Exported() && !ofInterface(fn) && m.kind.analysed(m.pass, fn.Pkg()) {
		return &ssaflow.Summary{Name: fn.Name()}
	}
	if declared {
		return claimSummary(fn, claim)
	}
	return ssaflow.Std(fn)
}

// Variable returns what is known of the functions that an exported variable of another package holds, or nil.
func (m *model) Variable(v *types.Var) *ssaflow.Summary {
	if fact, ok := m.kind.function(m.pass, v); ok {
		return decoded(fact.Summary, m.pass, nil)
	}
	return nil
}

// ofInterface reports whether fn is a method of an interface: there is no body that could have been analysed.
func ofInterface(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	return recv != nil && types.IsInterface(recv.Type())
}

// claim returns what directives declare of a function of any package.
func (m *model) claim(object types.Object) (Claim, bool) {
	if fn, ok := object.(*types.Func); ok {
		object = fn.Origin()
	}
	if t, ok := m.tables[object]; ok {
		return t.claim, true
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
		s.Mutate(ssaflow.Place(place.Param, place.Path), fn.Name())
	}
	for i := range signature.Results().Len() {
		result := ClaimResult{Fresh: true}
		if i < len(claim.Returns) {
			result = claim.Returns[i]
		}
		var origins []ssaflow.Origin
		for _, place := range result.Views {
			if isRuntime(fn.Pkg()) && !isTensorPointer(paramVar(signature, place.Param).Type()) {
				// Wrap makes a storage of its own over Go memory, and storages decide what is an alias.
				result.Fresh = true
				continue
			}
			origins = append(origins, ssaflow.ViewOf(ssaflow.Place(place.Param, place.Path)))
		}
		if _, isSlice := signature.Results().At(i).Type().Underlying().(*types.Slice); isSlice && len(origins) > 0 && returnsTensors(signature, i) {
			origins = []ssaflow.Origin{sliceOf(s, i, origins)}
		} else if result.Fresh {
			origins = append(origins, ssaflow.NewMemory(i))
		}
		s.Return(i, origins...)
	}
	return s
}

// returnsTensors reports whether result i is a slice of tensors.
func returnsTensors(signature *types.Signature, i int) bool {
	slice, ok := signature.Results().At(i).Type().Underlying().(*types.Slice)
	return ok && isTensorPointer(slice.Elem())
}

// sliceOf is a fresh slice with the given elements.
func sliceOf(s *ssaflow.Summary, n int, elements []ssaflow.Origin) ssaflow.Origin {
	backing := ssaflow.NewMemory(n)
	backing.Deep = false
	s.Stores = append(s.Stores, ssaflow.StoreRow{Dst: ssaflow.Ref{Root: backing.Ref.Root, Path: "[]"}, Origins: elements})
	return backing
}

// isRandom reports whether a function of the runtime draws from a generator that changes with every call, unlike a key.
func isRandom(fn *types.Func) bool {
	return fn.Signature().Recv() == nil && (fn.Name() == "Rand" || fn.Name() == "Randn")
}

// runtimeFunction is what a function of the runtime does that directives cannot say: it runs a function without being a
// HOP, or returns one.
func runtimeFunction(fn *types.Func) *ssaflow.Summary {
	s := &ssaflow.Summary{Name: fn.Name()}
	if fn.Signature().Recv() != nil {
		if fn.Name() == "CallInto" { // of Program and Compiled: puts results into the leaves of dst
			return s.Mutate(ssaflow.Place(2, "*"), fn.Name()).Return(0, ssaflow.NewMemory(0))
		}
		return nil
	}
	switch fn.Name() {
	case "Try": // runs f
		s.Recovers = true
		return s.Call(ssaflow.Place(0, ""), true, false).Return(0, ssaflow.NewMemory(0))
	case "Must": // returns f without its error
		return s.Return(0, ssaflow.Same(ssaflow.Place(0, "")))
	case "MapLeaves":
		// It runs f on the leaves of p and of each of more. The result holds what f returned, each leaf of another call.
		return s.Call(ssaflow.Place(0, ""), false, true, []ssaflow.Origin{leavesOfTrees(s)}).
			Return(0, ssaflow.Origin{Ref: ssaflow.Ref{Root: ssaflow.Root{Kind: ssaflow.SlotResult}, Path: "*"}})
	case "Progress": // the HOP that is given the option runs report
		return s.Call(ssaflow.Place(0, ""), false, true, nil, nil).Return(0, ssaflow.NewMemory(0))
	case "Values": // returns a function that calls yield with numbers
		run := &ssaflow.Summary{Name: "range"}
		run.Call(ssaflow.Ref{Root: ssaflow.Root{Kind: ssaflow.Param}, Path: "*"}, false, true, nil)
		s.Funcs = []ssaflow.FuncRow{{Name: "range", Object: -1, Summary: run}}
		return s.Return(0, ssaflow.Origin{Ref: ssaflow.Ref{Root: ssaflow.Root{Kind: ssaflow.Func}}, Unique: true})
	case "Leaves": // returns a function that calls yield with the paths and leaves of p
		const closure, variable = 0, 1
		root := func(kind ssaflow.RootKind, index int) ssaflow.Root { return ssaflow.Root{Kind: kind, Index: index} }
		run := &ssaflow.Summary{Name: "range"}
		run.Call(ssaflow.Ref{Root: root(ssaflow.Param, 0), Path: "*"}, false, true, nil,
			[]ssaflow.Origin{ssaflow.Same(ssaflow.Ref{Root: root(ssaflow.FreeVar, 0), Path: "*"})})
		run.Slots[0].Types = yielded(fn.Signature())
		s.Funcs = []ssaflow.FuncRow{{Name: "range", Object: closure, Summary: run}}
		s.Stores = []ssaflow.StoreRow{
			{Dst: ssaflow.Ref{Root: root(ssaflow.Fresh, closure), Path: "#0"}, Origins: []ssaflow.Origin{{Ref: ssaflow.Ref{Root: root(ssaflow.Fresh, variable)}, Unique: true}}},
			{Dst: ssaflow.Ref{Root: root(ssaflow.Fresh, variable)}, Origins: []ssaflow.Origin{ssaflow.Same(ssaflow.Place(0, "*"))}},
		}
		return s.Return(0, ssaflow.Origin{Ref: ssaflow.Ref{Root: root(ssaflow.Fresh, closure)}, Unique: true})
	}
	return nil
}

// yielded are the types of what an iterator that a function returns yields.
func yielded(signature *types.Signature) (list []types.Type) {
	iterator, ok := signature.Results().At(0).Type().Underlying().(*types.Signature)
	if !ok || iterator.Params().Len() != 1 {
		return nil
	}
	if yield, ok := iterator.Params().At(0).Type().Underlying().(*types.Signature); ok {
		for i := range yield.Params().Len() {
			list = append(list, yield.Params().At(i).Type())
		}
	}
	return list
}

const (
	// maxTrees is the number of further trees of MapLeaves that are told apart, maxLeaves that of the leaves its function is given
	// by index.
	maxTrees  = 3
	maxLeaves = 8
)

// leavesOfTrees is the slice that MapLeaves calls its function with: of each tree one leaf.
func leavesOfTrees(s *ssaflow.Summary) ssaflow.Origin {
	leaves := sliceOf(s, 0, nil)
	s.Stores = s.Stores[:0]
	for i := range maxLeaves {
		tree := ssaflow.Place(1, "")
		switch {
		case i > maxTrees:
			tree = ssaflow.Ref{Root: ssaflow.Root{Kind: ssaflow.Param, Index: 2}, Path: "*[]*"}
		case i > 0:
			tree = ssaflow.Ref{Root: ssaflow.Root{Kind: ssaflow.Param, Index: 2}, Path: "*[" + strconv.Itoa(i-1) + "]*"}
		}
		place := ssaflow.Ref{Root: leaves.Ref.Root, Path: "[" + strconv.Itoa(i) + "]"}
		s.Stores = append(s.Stores, ssaflow.StoreRow{Dst: place, Origins: []ssaflow.Origin{ssaflow.Same(tree)}})
	}
	return leaves
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
	calledBack(s, fn)
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
