package hop

import (
	"slices"
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
// body runs on real tensors. It is empty in a trace of no operator, which the user has not asked for.
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
	var through, derivatives []string // what traces whatever the operands are, each once
	steps := ""                       // the operators inside follow it
	for _, op := range around {
		switch kind := steppingOf(op); {
		case kind == takesStepwise && steps == "":
			steps = op
		case kind == differentiates && steps == "" && !slices.Contains(derivatives, funcOf(op)):
			derivatives = append(derivatives, funcOf(op))
		case kind == alwaysTraces, kind == followsSteps && steps == "":
			if !slices.Contains(through, funcOf(op)) {
				through = append(through, funcOf(op))
			}
		}
	}
	var parts []string
	if len(through) > 0 {
		parts = append(parts, "call the function itself and not through "+enumerated(through, " and "))
	}
	if len(derivatives) > 0 {
		parts = append(parts, "differentiate with SetRequiresGrad and Backward instead of "+enumerated(derivatives, " and "))
	}
	if steps != "" {
		parts = append(parts, "give "+steps+" Stepwise too")
	}
	if tracing := append(through, derivatives...); len(tracing) == 1 && len(parts) == 1 {
		parts[0] += ", which traces it"
	}
	return enumerated(parts, ", and ")
}

// orRemove is the remedy for a Stepwise that is refused in the trace tr.
func orRemove(tr *tracer.SubgraphTracer) string {
	if advice := stepAdvice(tr); advice != "" {
		return advice + ", or remove it here"
	}
	return "remove it here"
}

// enumerated joins words with commas and a last word between the last two.
func enumerated(words []string, and string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + and + words[last]
}

// funcOf is the exported function of an operator.
func funcOf(operator string) string {
	if c, ok := hopcheck.ContractNamed(operator); ok {
		return c.Func
	}
	return operator
}
