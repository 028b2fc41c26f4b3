package exec

import (
	"fmt"

	"github.com/hoplint/hoplint/tracer"
)

// checkInlined checks a checkpoint or subgraph, which the simplifier replaces by its graph: what a checkpoint saves, it
// saves in the graph of the backward pass, and what a subgraph shares are the nodes of its text.
func checkInlined(n *tracer.Node) error {
	if len(n.Graphs) != 1 {
		return fmt.Errorf("%s has %d bodies, it takes 1", n.Op, len(n.Graphs))
	}
	g := n.Graphs[0]
	if len(g.Inputs) != len(n.Args) || len(g.Outputs) != len(n.Meta.Elems) {
		return fmt.Errorf("%s has %d arguments and %d results, its body %d inputs and %d outputs",
			n.Op, len(n.Args), len(n.Meta.Elems), len(g.Inputs), len(g.Outputs))
	}
	return nil
}
