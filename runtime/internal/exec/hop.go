package exec

import (
	"fmt"

	"github.com/hoplint/hoplint/tracer"
)

// operator is how one HOP is checked when a program is compiled and bound to memory; each has a file of its own. One
// without bind is gone when memory is bound.
type operator struct {
	check func(n *tracer.Node) error
	bind  func(f *frame, n *tracer.Node) (*value, error)
}

func operatorFor(op string) (operator, bool) {
	switch op {
	case "scan":
		return operator{checkScan, (*frame).scan}, true
	case "map", "vmap":
		return operator{checkMap, (*frame).mapped}, true
	case "for_loop":
		return operator{checkForLoop, (*frame).forLoop}, true
	case "while_loop":
		return operator{checkWhileLoop, (*frame).whileLoop}, true
	case "while_sweeps":
		return operator{checkWhileSweeps, (*frame).whileSweeps}, true
	case "associative_scan":
		return operator{checkAssociativeScan, (*frame).associativeScan}, true
	case "cond":
		return operator{checkCond, (*frame).cond}, true
	case "switch":
		return operator{checkSwitch, (*frame).branching}, true
	case "checkpoint", "subgraph", "custom_vjp":
		return operator{check: checkInlined}, true
	default:
		return operator{}, false
	}
}

func checkHOP(n *tracer.Node, lib Library) error {
	op, ok := operatorFor(n.Op)
	if !ok {
		return compileError(n, "the executor does not know this operator")
	}
	if err := op.check(n); err != nil {
		return compileError(n, "%v", err)
	}
	for _, g := range n.Graphs {
		if err := checkGraph(g, lib, false); err != nil {
			return err
		}
	}
	return nil
}

func (f *frame) hop(n *tracer.Node) (*value, error) {
	op, ok := operatorFor(n.Op)
	if !ok || op.bind == nil {
		return nil, fmt.Errorf("the executor does not know this operator")
	}
	return op.bind(f, n)
}
