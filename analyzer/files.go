package analyzer

import (
	"go/types"
	"strings"

	"github.com/hoplint/hoplint/ssaflow"
)

// filesPath is the end of the import path of the package that reads and writes files of tensors.
const filesPath = "github.com/hoplint/hoplint/runtime/hopio"

// isFiles reports whether pkg reads and writes files of tensors. It is not analysed: it moves the bytes of tensors around in ways that
// only tests can vouch for, and what its functions do can be told from their names.
func isFiles(pkg *types.Package) bool {
	if pkg == nil {
		return false
	}
	prefix, ok := strings.CutSuffix(pkg.Path(), filesPath)
	return ok && (prefix == "" || strings.HasSuffix(prefix, "/"))
}

// filesFunction is what a function of that package does. Save and Load work on files, Read and Write on what they are given, and all
// tensors are new but those of Flatten and Unflatten.
func filesFunction(fn *types.Func) *ssaflow.Summary {
	name := fn.Name()
	s := &ssaflow.Summary{Name: name}
	results := fn.Signature().Results().Len()
	switch {
	case fn.Signature().Recv() != nil:
	case name == "Flatten": // a map that holds the leaves of the tree
		held := ssaflow.NewMemory(0)
		held.Deep = false
		s.Stores = []ssaflow.StoreRow{{Dst: ssaflow.Ref{Root: held.Ref.Root, Path: "[]"}, Origins: []ssaflow.Origin{ssaflow.Same(ssaflow.Place(0, "*"))}}}
		return s.Return(0, held, ssaflow.Origin{}).Return(1, ssaflow.NewMemory(1)) // of a struct the names are not followed
	case name == "Unflatten": // a tree of the tensors of the map, each at its place
		return s.Return(0, ssaflow.Origin{}).Return(1, ssaflow.NewMemory(1))
	case strings.HasPrefix(name, "Save"), strings.HasPrefix(name, "Load"):
		s.Does(ssaflow.IO, name)
	case strings.HasPrefix(name, "Write"):
		s.Slots = []ssaflow.SlotRow{streamMethod(s, fn, "Write")}
	case strings.HasPrefix(name, "Read"):
		method := "Read"
		if iface := fn.Signature().Params().At(0).Type(); methodNamedIn(iface, "ReadAt") {
			method = "ReadAt"
		}
		s.Slots = []ssaflow.SlotRow{streamMethod(s, fn, method)}
	}
	for i := range results {
		s.Return(i, ssaflow.NewMemory(i))
	}
	return s
}

// streamMethod is the call of a method of the first parameter with memory of its own.
func streamMethod(s *ssaflow.Summary, fn *types.Func, method string) ssaflow.SlotRow {
	const buffer = 50
	object, _, _ := types.LookupFieldOrMethod(fn.Signature().Params().At(0).Type(), false, fn.Pkg(), method)
	m, _ := object.(*types.Func)
	row := ssaflow.SlotRow{Callee: ssaflow.Place(0, "*"), Method: method, Func: m, Name: method, Repeats: true,
		Args: [][]ssaflow.Leaf{{{Origins: []ssaflow.Origin{ssaflow.NewMemory(buffer)}}}}}
	if method == "ReadAt" {
		row.Args = append(row.Args, nil)
	}
	return row
}

// methodNamedIn reports whether a type has a method.
func methodNamedIn(t types.Type, name string) bool {
	object, _, _ := types.LookupFieldOrMethod(t, false, nil, name)
	return object != nil
}

// filesDependence is filesFunction for values: to write a tensor to a stream is to read it.
func filesDependence(fn *types.Func) *ssaflow.Summary {
	s := filesFunction(fn)
	if fn.Signature().Recv() != nil || !writesTensors(fn.Name()) {
		return s
	}
	const tensors = 1 // the second parameter: a tensor, a map of them, or a tree
	place := ssaflow.Place(tensors, "*")
	if _, isMap := fn.Signature().Params().At(tensors).Type().Underlying().(*types.Map); isMap {
		place.Path = "*[]*"
	}
	for _, from := range values(place) {
		s.Mutate(from.Ref, fn.Name())
	}
	return s
}

// writesTensors reports whether a function of that package writes the values of tensors.
func writesTensors(name string) bool {
	return (strings.HasPrefix(name, "Save") || strings.HasPrefix(name, "Write")) && !strings.HasSuffix(name, "Program")
}
