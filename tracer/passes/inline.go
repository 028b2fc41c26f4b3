package passes

import "github.com/hoplint/hoplint/tracer"

// inline puts the bodies of operators that run once in place: what a checkpoint or custom derivative saves, it saves in
// the graph of a backward pass, and what a subgraph shares are the nodes of its text. A body that several nodes share is
// copied for each. Of a custom derivative the forward body is taken; what only its backward body needs is left unread.
func inline(r *run, g *tracer.Graph, root bool) {
	r.inBodies(g, inlineIn)
	inlineIn(r, g, root)
}

func inlineIn(r *run, g *tracer.Graph, root bool) {
	s := r.sweep(g, root)
	s.splice(isCall, func(n *tracer.Node) []*tracer.Node { return s.body(n, 0, n.Args) })
}

func isCall(n *tracer.Node) bool {
	return n.Op == "checkpoint" || n.Op == "subgraph" || n.Op == "custom_vjp"
}

// body appends a copy of a body of n, called with args, and returns what stands for its outputs.
func (s *sweep) body(n *tracer.Node, i int, args []*tracer.Node) []*tracer.Node {
	return s.bodyAt(n, i, 0, args)
}

// bodyAt is body for one step of an operator that has steps.
func (s *sweep) bodyAt(n *tracer.Node, i, step int, args []*tracer.Node) []*tracer.Node {
	g, around := n.Graphs[i], Around{s.origin(n).Node, i, step}
	top := map[*tracer.Node]bool{}
	for _, m := range g.Nodes {
		top[m] = true
	}
	c := copyGraph(g, map[*tracer.Graph]*tracer.Graph{}, func(old, m *tracer.Node) {
		if top[old] {
			s.cameFrom(m, old, append(append([]Around(nil), s.origin(n).Via...), around)...)
		} else if o, ok := s.origins[old]; ok {
			s.origins[m] = o
		}
	})
	stands := make(map[*tracer.Node]*tracer.Node, len(args))
	for k, in := range c.Inputs {
		stands[in] = args[k]
	}
	get := func(list []*tracer.Node) {
		for k, m := range list {
			if a, ok := stands[m]; ok {
				list[k] = a
			}
		}
	}
	for _, m := range c.Nodes {
		m.Name = s.name(m.Name)
		get(m.Args)
		s.put(m)
	}
	s.g.Guards = append(s.g.Guards[:len(s.g.Guards):len(s.g.Guards)], c.Guards...)
	get(c.Outputs)
	return c.Outputs
}
