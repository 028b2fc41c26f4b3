package main

import "github.com/hoplint/hoplint/hopcheck"

// sample returns a finding of the rule, for the messages on its page. Rules whose findings carry no tensors have the
// code alone; hopcheck then speaks from the rule's summary.
func sample(code hopcheck.Code) hopcheck.Finding {
	f := hopcheck.Finding{Code: code, HOP: "scan", Body: "combine function"}
	h := hopcheck.Place{Role: hopcheck.Carry, Path: ".H"}
	nextH := hopcheck.Place{Role: hopcheck.NextCarry, Path: ".H"}
	captured := hopcheck.Place{Role: hopcheck.Captured, Label: "w"}
	switch code {
	case hopcheck.MutatedCarry:
		f.Places, f.Op = []hopcheck.Place{h}, "AddInPlace"
	case hopcheck.MutatedX:
		f.Places, f.Op = []hopcheck.Place{{Role: hopcheck.X}}, "AddInPlace"
	case hopcheck.MutatedOperand:
		f.HOP, f.Body, f.Op = "cond", "true branch", "AddInPlace"
		f.Places = []hopcheck.Place{{Role: hopcheck.Operand}}
	case hopcheck.MutatedCaptured:
		f.Places, f.Op = []hopcheck.Place{captured}, "AddInPlace"
	case hopcheck.OutputAliasesInput:
		f.Pairs = []hopcheck.Pair{{Out: nextH, With: h}}
	case hopcheck.OutputsAlias:
		f.Pairs = []hopcheck.Pair{{Out: nextH, With: hopcheck.Place{Role: hopcheck.Y}}}
	case hopcheck.OutputAliasesCaptured:
		f.Pairs = []hopcheck.Pair{{Out: hopcheck.Place{Role: hopcheck.Y}, With: captured}}
	case hopcheck.SideEffect:
		f.Places, f.Op, f.Home = []hopcheck.Place{{Role: hopcheck.Captured, Label: "calls"}}, "assignment", "a variable of main"
	case hopcheck.LeakedTensor:
		f.Places, f.Into = []hopcheck.Place{h}, hopcheck.Place{Role: hopcheck.Captured, Label: "last"}
		f.Home = "a variable of main"
	case hopcheck.NondeterministicBody:
		f.Detail, f.Remedy = "combine function reads the clock through time.Now", "read it before the call and pass the value in as an operand"
	case hopcheck.ConcurrentBody:
		f.Detail = "combine function starts a goroutine"
	case hopcheck.DataDependentControlFlow:
		f.Places, f.Op = []hopcheck.Place{h}, "Item"
	case hopcheck.SpecialisedDimension:
		f.Detail = "combine function fixes a dynamic dimension in the graph through Int.Value"
	case hopcheck.DiscardedResult:
		f.HOP, f.Body, f.Op = "", "", "Add"
	case hopcheck.InPlaceOnLeaf:
		f.HOP, f.Body, f.Op, f.Places = "", "", "SubInPlace", []hopcheck.Place{{Label: "w"}}
	case hopcheck.StaleSavedTensor:
		f.HOP, f.Body = "", ""
		f.Detail = "x, saved for backward by Mul at line 38, is written through AddInPlace before Backward at line 44"
	case hopcheck.CarryMismatch:
		f.Differences = []hopcheck.Difference{{Got: nextH, Want: h, GotValue: "float32[8 32]", WantValue: "float32[8 16]"}}
	case hopcheck.StaleCapture:
		f.HOP, f.Detail = "compile", "captured w is written through MulScalarInPlace after the function was compiled"
	case hopcheck.CallbackBreaksContract:
		f.HOP = "optimize.Problem.Func"
		f.Body, f.Op, f.Home = "function loss", "floats.Scale", "its x"
		f.Places, f.Remedy = []hopcheck.Place{{Label: "params", Path: "[]"}}, "work on a copy of params"
	case hopcheck.BrokenClaim:
		f.HOP, f.Body, f.Detail = "", "", "scale is declared pure, but writes its t through MulScalarInPlace"
		f.Remedy = "declare //hop:mutates t instead, or write a new tensor"
	case hopcheck.UnsupportedLeaf:
		f.Detail = `init.N is int: a Go value is no leaf; make it a tensor with Scalar, or tag the field hop:"static" when it never changes`
	case hopcheck.BadDirective:
		f.HOP, f.Body, f.Detail = "", "", `//hop:body: "cary" is no role of an input; the roles are carry, x, element and operand`
		f.Remedy = "write //hop:body combine(carry, x)"
	case hopcheck.UnprovedBody:
		f.Detail = "combine function calls step, which cannot be resolved"
	}
	return f
}

// sampleAtRunTime is the finding as the runtime has it: where it meets the breach at another event than the analyzer it names
// other things.
func sampleAtRunTime(code hopcheck.Code) hopcheck.Finding {
	f := sample(code)
	switch code {
	case hopcheck.LeakedTensor:
		f.Places, f.Into, f.Home = nil, hopcheck.Place{}, ""
		f.Detail = "a tensor made in the combine function of scan at lstm.go:40 is used after its trace ended (the trace was that of the call at lstm.go:39)"
	case hopcheck.MutatedCaptured:
		f.Places = []hopcheck.Place{{Role: hopcheck.Captured}} // a tensor knows no variable
	case hopcheck.OutputAliasesCaptured:
		f.Pairs[0].With.Label = ""
	case hopcheck.UnsupportedLeaf:
		f.Detail = "init.Seen is *main.state: a pointer to a container may be shared or nil; pass the value"
	case hopcheck.StaleCapture:
		f.Body, f.Detail = "", "a captured tensor, float64[3], was written after the function was compiled"
	case hopcheck.DataDependentControlFlow:
		f.Places = nil
	case hopcheck.SpecialisedDimension:
		f.HOP, f.Body = "trace", "" // a note on the graph, which knows no body
		f.Detail = "s0 is fixed to 8 in the graph through Int.Value"
	case hopcheck.InPlaceOnLeaf:
		f.Places = nil
		f.Detail = "SubInPlace writes float64[3], a leaf that requires grad"
	case hopcheck.StaleSavedTensor:
		f.Detail = "operand 1 float64[3] of Mul, saved for backward at lstm.go:38, was written through AddInPlace at lstm.go:42: version 0 when saved, 1 now"
	}
	return f
}

// staticForm is how the analyzer prints the sample.
func staticForm(f hopcheck.Finding) string { return "lstm.go:42:3: " + f.Message() }

// dynamicForm is how the runtime prints it: it knows no column, and behind the same sentence stand, for a write, the
// version counters around it.
func dynamicForm(f hopcheck.Finding) string {
	text := "lstm.go:42: " + f.Message()
	if len(f.Places) > 0 || f.Code == hopcheck.StaleCapture {
		text += " [version 0 before, 1 after]"
	}
	return text
}
