package exec

import (
	"fmt"

	"github.com/hoplint/hoplint/tracer"
)

// checkInlined checks an operator whose body the passes put in its place. A custom_vjp has a second body, which is not
// run, and its first one gives residuals behind the results.
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
