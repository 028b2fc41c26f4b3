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
	case hopcheck.CarryMismatch:
		f.Differences = []hopcheck.Difference{{Got: nextH, Want: h, GotValue: "float32[8 32]", WantValue: "float32[8 16]"}}
	}
	return f
}

// staticForm is how the analyzer prints the sample.
func staticForm(f hopcheck.Finding) string { return "lstm.go:42:3: " + f.Message() }

// dynamicForm is how the runtime prints it: it knows no column, and behind the same sentence stand, for a write, the
// version counters around it.
func dynamicForm(f hopcheck.Finding) string {
	text := "lstm.go:42: " + f.Message()
	if len(f.Places) > 0 {
		text += " [version 0 before, 1 after]"
	}
	return text
}
