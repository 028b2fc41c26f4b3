package tracer

import "fmt"

// Inline records the nodes of a closed graph again in t, with args in place of its inputs, and returns its outputs. An
// output that is an input of the graph is the argument itself; others count as fresh.
func (t *SubgraphTracer) Inline(g *Graph, args []*Value) ([]*Value, error) {
	if len(args) != len(g.Inputs) {
		return nil, fmt.Errorf("tracer: %s takes %d inputs, got %d", g.Name, len(g.Inputs), len(args))
	}
	nodes := make(map[*Node]*Node, len(g.Inputs)+len(g.Nodes))
	given := make(map[*Node]*Value, len(args))
	for i, in := range g.Inputs {
		n, err := t.Use(args[i])
		if err != nil {
			return nil, err
		}
		nodes[in], given[in] = n, args[i]
	}
	for _, old := range g.Nodes {
		n := t.add(old.Op, old.Attrs, old.Meta, old.Pos)
		n.Args = t.slabs.list(len(old.Args))
		for i, a := range old.Args {
			n.Args[i] = nodes[a]
		}
		n.Graphs = old.Graphs
		nodes[old] = n
	}
	outs := make([]*Value, len(g.Outputs))
	for i, o := range g.Outputs {
		if v := given[o]; v != nil {
			outs[i] = v
		} else {
			outs[i] = t.base(nodes[o])
		}
	}
	return outs, nil
}

// Captures returns the concrete tensors that the root of t captured so far, in the order of its constants.
func (t *SubgraphTracer) Captures() []Capture {
	root := t.Root()
	byNode := make(map[*Node]*Capture, len(root.constants))
	for _, v := range root.constants {
		byNode[v.made] = v.capture
	}
	captures := make([]Capture, 0, len(byNode))
	for _, n := range root.graph.Constants {
		captures = append(captures, *byNode[n])
	}
	return captures
}
