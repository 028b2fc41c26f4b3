package analyzer

import (
	"go/types"

	"github.com/hoplint/hoplint/ssaflow"
)

// interfacesCalled are the methods that functions of the runtime call of the interfaces they are handed, or that the HOP calls
// which is given the option that they return.
var interfacesCalled = map[string][]string{
	"Observer": {"Op"},
	"Matrix":   {"Dims", "At"},
	"Context":  {"Done", "Err"},
	"Reader":   {"Read"},
	"Writer":   {"Write"},
}

// calledBack adds the calls of methods of the interfaces that a function of the runtime is handed.
func calledBack(s *ssaflow.Summary, fn *types.Func) {
	signature := fn.Signature()
	for i := range numParams(signature) {
		t, ok := types.Unalias(paramVar(signature, i).Type()).(*types.Named)
		if !ok || !types.IsInterface(t) {
			continue
		}
		for _, name := range interfacesCalled[t.Obj().Name()] {
			object, _, _ := types.LookupFieldOrMethod(t, false, t.Obj().Pkg(), name)
			method, ok := object.(*types.Func)
			if !ok {
				continue
			}
			s.Slots = append(s.Slots, ssaflow.SlotRow{Callee: ssaflow.Ref{Root: ssaflow.Root{Kind: ssaflow.Param, Index: i}, Path: "*"},
				Method: name, Func: method, Name: name, Repeats: true, Args: make([][]ssaflow.Leaf, method.Signature().Params().Len())})
		}
	}
}
