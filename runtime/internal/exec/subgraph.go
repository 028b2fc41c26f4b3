package exec

import (
	"fmt"

	"github.com/hoplint/hoplint/tracer"
)

// isInlined reports whether the simplifier replaces an operator by its graph: what a checkpoint or a custom_vjp saves,
// it saves in the graph of a backward pass, and what a subgraph shares are the nodes of its text.
func isInlined(op string) bool { return op == "checkpoint" || op == "subgraph" || op == "custom_vjp" }

// checkInlined checks such an operator. A custom_vjp has a second body, which is not run, and its first one gives
// residuals behind the results.
func checkInlined(n *tracer.Node) error {
	bodies, more := 1, 0
	if n.Op == "custom_vjp" {
		bodies = 2
	}
	if len(n.Graphs) != bodies {
		return fmt.Errorf("%s has %d bodies, it takes %d", n.Op, len(n.Graphs), bodies)
	}
	g := n.Graphs[0]
	if bodies == 2 {
		more = max(0, len(g.Outputs)-len(n.Meta.Elems))
	}
	if len(g.Inputs) != len(n.Args) || len(g.Outputs) != len(n.Meta.Elems)+more {
		return fmt.Errorf("%s has %d arguments and %d results, its body %d inputs and %d outputs",
			n.Op, len(n.Args), len(n.Meta.Elems), len(g.Inputs), len(g.Outputs))
	}
	return nil
}
