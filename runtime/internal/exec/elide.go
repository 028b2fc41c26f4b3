package exec

import "github.com/hoplint/hoplint/tracer"

// elide returns g without the nodes that only copy: a Clone that the contract demands costs nothing here, because the
// executor itself keeps apart what must not share memory. Nodes are copied, g stays as it is.
func elide(g *tracer.Graph, lib Library) *tracer.Graph {
	out := &tracer.Graph{Name: g.Name, Inputs: g.Inputs, Constants: g.Constants, Guards: g.Guards}
	now := map[*tracer.Node]*tracer.Node{}
	get := func(nodes []*tracer.Node) []*tracer.Node {
		mapped := make([]*tracer.Node, len(nodes))
		for i, n := range nodes {
			mapped[i] = n
			if m, ok := now[n]; ok {
				mapped[i] = m
			}
		}
		return mapped
	}
	for _, n := range g.Nodes {
		args := get(n.Args)
		if len(n.Graphs) == 0 && len(args) == 1 {
			if k, ok := lib.Kernel(n.Op); ok && k.Identity && n.Meta.Equal(args[0].Meta) {
				now[n] = args[0]
				continue
			}
		}
		c := *n
		c.Args, c.Graphs = args, make([]*tracer.Graph, len(n.Graphs))
		for i, body := range n.Graphs {
			c.Graphs[i] = elide(body, lib)
		}
		now[n] = &c
		out.Nodes = append(out.Nodes, &c)
	}
	out.Outputs = get(g.Outputs)
	return out
}
