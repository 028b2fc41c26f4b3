package exec

import (
	"fmt"

	"github.com/hoplint/hoplint/tracer"
)

func checkForLoop(n *tracer.Node) error {
	carries := n.Attrs.Int("n_carry")
	if len(n.Graphs) != 1 {
		return fmt.Errorf("for_loop has %d bodies, it takes 1", len(n.Graphs))
	}
	g := n.Graphs[0]
	if carries < 0 || len(n.Args) < carries || len(g.Inputs) != len(n.Args)+1 || len(g.Outputs) != carries || len(n.Meta.Elems) != carries {
		return fmt.Errorf("for_loop with %d carries has %d arguments and %d results, its body %d inputs and %d outputs",
			carries, len(n.Args), len(n.Meta.Elems), len(g.Inputs), len(g.Outputs))
	}
	if !g.Inputs[0].Meta.Equal(tracer.TensorMeta(tracer.Int64)) {
		return fmt.Errorf("the index is %s, it is an int64", g.Inputs[0].Meta)
	}
	for _, key := range []string{"lower", "upper"} {
		if _, ok := n.Attrs.Get(key).(int); !ok {
			return fmt.Errorf("%s is %v; only constant bounds can be run", key, n.Attrs.Get(key))
		}
	}
	if lower, upper := n.Attrs.Int("lower"), n.Attrs.Int("upper"); upper > lower && upper-lower < 0 {
		return fmt.Errorf("the steps from %d to %d are too many to count", lower, upper)
	}
	return sameCarries(g.Inputs[1:1+carries], g.Outputs)
}

// forLoop binds a for_loop node: a scan without xs whose body is given the number of the step.
func (f *frame) forLoop(n *tracer.Node) (*value, error) {
	g, level := n.Graphs[0], f.levels[n]
	results := f.results(n, level)
	k, lower, upper := n.Attrs.Int("n_carry"), n.Attrs.Int("lower"), n.Attrs.Int("upper")
	if upper <= lower {
		f.unchanged(n, n.Args[:k], results, level)
		return results, nil
	}
	o := operands{
		index: g.Inputs[0], carries: g.Inputs[1 : 1+k], lifted: g.Inputs[1+k:],
		inits: f.valuesOf(n.Args[:k]), captured: f.valuesOf(n.Args[k:]), next: g.Outputs, last: results.parts,
	}
	return results, f.loop(&scan{node: n, graph: g, length: upper - lower, first: lower}, o, level)
}
