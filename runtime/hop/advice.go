package hop

import (
	"strings"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/tracer"
)

// stepping is what an operator makes of Stepwise.
type stepping uint8

const (
	takesStepwise  stepping = iota + 1 // has the option
	followsSteps                       // has no options; steps where its operands are part of a stepwise run
	differentiates                     // so do these
	alwaysTraces
)

// steppingOf sorts the operators of the contract table.
func steppingOf(operator string) stepping {
	switch operator {
	case "scan", "associative_scan", "cond", "switch", "while_loop", "for_loop", "map", "vmap":
		return takesStepwise
	case "checkpoint", "subgraph", "custom_vjp", "with_observer":
		return followsSteps
	case "trace", "compile":
		return alwaysTraces
	default:
		return differentiates
	}
}

// stepAdvice completes "tensors have no data here; …" for code in the body that tr records: what to change so that the
// body runs on real tensors.
func stepAdvice(tr *tracer.SubgraphTracer) string {
	if tr.Probing() {
		return "test for length 0 before the call: an operator without steps under Stepwise calls its function once, on tensors without data, to find the shapes of its results"
	}
	var around []string // operators, outermost first
	for ; tr != nil; tr = tr.Parent() {
		if tr.Operator() != "" {
			around = append([]string{tr.Operator()}, around...)
		}
	}
	var parts []string
	given := false
	for _, op := range around {
		switch kind := steppingOf(op); {
		case kind == takesStepwise && !given: // the operators inside follow
			given = true
			parts = append(parts, "give "+op+" Stepwise too")
		case kind == differentiates && !given:
			parts = append(parts, "differentiate with SetRequiresGrad and Backward instead of "+funcOf(op)+", which traces its function")
		case kind == alwaysTraces, kind == followsSteps && !given:
			parts = append(parts, "call the function itself and not through "+funcOf(op)+", which traces it")
		}
	}
	return strings.Join(parts, ", ")
}

// funcOf is the exported function of an operator.
func funcOf(operator string) string {
	if c, ok := hopcheck.ContractNamed(operator); ok {
		return c.Func
	}
	return operator
}
