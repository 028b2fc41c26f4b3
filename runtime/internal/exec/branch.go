package exec

import (
	"fmt"
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// checkBranches checks an operator that runs one of its bodies, whose inputs are the arguments behind the first.
func checkBranches(n *tracer.Node) error {
	if len(n.Args) == 0 || len(n.Graphs) == 0 {
		return fmt.Errorf("%s has %d arguments and %d branches", n.Op, len(n.Args), len(n.Graphs))
	}
	for i, g := range n.Graphs {
		if len(g.Inputs) != len(n.Args)-1 || len(g.Outputs) != len(n.Meta.Elems) {
			return fmt.Errorf("%s has %d operands and %d results, branch %d has %d inputs and %d outputs",
				n.Op, len(n.Args)-1, len(n.Meta.Elems), i, len(g.Inputs), len(g.Outputs))
		}
		for k, out := range g.Outputs {
			if m := n.Meta.Elems[k]; !out.Meta.Equal(m) {
				return fmt.Errorf("output %d of branch %d is %s, the result is %s", k, i, out.Meta, m)
			}
		}
	}
	return nil
}

// branches binds the bodies of n, each to a gate of its own; all write the same results.
func (f *frame) branches(n *tracer.Node, level int, results *value) ([]gate, error) {
	gates := make([]gate, len(n.Graphs))
	updated := make([]int, len(results.parts)) // by result, the argument that it is in its place, else 0
	for k, r := range results.parts {
		if a := f.updates.operand(n, k); r != nil && a > 0 && f.env[n.Args[a]] == r {
			updated[k] = a
		}
	}
	for i, g := range n.Graphs {
		s := f.inner(n, level, level)
		s.gated = true
		b := f.child(s)
		f.pass(b, g.Inputs, n.Args[1:])
		if err := b.branch(g, results.parts, updated); err != nil {
			return nil, inside(n, i, -1, err)
		}
		gates[i] = s.gate()
	}
	return gates, nil
}

// branch binds a body whose outputs go to the results, nil for those that nobody reads. A result that lies where an
// argument lies is written there, if at all.
func (b *frame) branch(g *tracer.Graph, results []*value, updated []int) error {
	movers := make([]*mover, len(results))
	for k, r := range results {
		if r == nil || r.elems() == 0 {
			continue
		}
		if movers[k] = r.mv; r.mv == nil {
			movers[k] = &mover{base: r.Ptr, what: "result", index: k}
		}
		if a := updated[k]; a > 0 {
			b.env[g.Inputs[a-1]] = moving(movers[k], r, r.level)
		}
	}
	b.survey(g)
	for k, r := range results {
		if movers[k] == nil {
			continue
		}
		n := g.Outputs[k]
		if a := updated[k]; a > 0 {
			b.updatesInput(g, g.Inputs[a-1], n, slices.Concat(g.Outputs[:k], g.Outputs[k+1:]))
			continue
		}
		if r.scalar() && b.pointwiseOf(n) != nil && b.places[n] == nil {
			b.places[n] = r
		}
		b.claim(n, movers[k])
	}
	if err := b.nodes(g); err != nil {
		return err
	}
	for k, r := range results {
		if v := b.env[g.Outputs[k]]; movers[k] != nil && !(r.scalar() && v.Ptr == r.Ptr) {
			b.deliver(&b.scope.body, g.Outputs[k], v, movers[k])
		}
	}
	return nil
}
