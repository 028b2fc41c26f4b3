package hop

import "github.com/hoplint/hoplint/tracer"

// withoutCalls returns g with the bodies of those operators in place that only the tape knows: without a gradient, a
// checkpoint or a custom derivative is its function.
func withoutCalls(g *tracer.Graph) *tracer.Graph {
	if !hasBodiesInPlace(g) {
		return g
	}
	c := &tracer.Graph{Name: g.Name, Inputs: g.Inputs, Constants: g.Constants, Guards: g.Guards}
	e := expansion{c, map[*tracer.Node][]*tracer.Node{}}
	for _, n := range append(append([]*tracer.Node(nil), g.Inputs...), g.Constants...) {
		e.env[n] = []*tracer.Node{n}
	}
	e.nodes(g, "")
	for _, n := range g.Outputs {
		c.Outputs = append(c.Outputs, e.env[n][0])
	}
	return c
}

func inPlace(op string) bool { return op == "checkpoint" || op == "custom_vjp" }

func hasBodiesInPlace(g *tracer.Graph) bool {
	for _, n := range g.Nodes {
		if inPlace(n.Op) {
			return true
		}
		for _, b := range n.Graphs {
			if hasBodiesInPlace(b) {
				return true
			}
		}
	}
	return false
}

// expansion copies nodes to a graph. env says what stands for a node: the parts of the tuple that it was, or itself.
type expansion struct {
	to  *tracer.Graph
	env map[*tracer.Node][]*tracer.Node
}

// nodes copies those of g, with a prefix before their names.
func (e *expansion) nodes(g *tracer.Graph, prefix string) {
	for _, n := range g.Nodes {
		args := make([]*tracer.Node, len(n.Args))
		for i, a := range n.Args {
			args[i] = e.env[a][0]
		}
		switch {
		case inPlace(n.Op):
			e.env[n] = e.body(n.Graphs[0], args, prefix+n.Name+"_")[:len(n.Meta.Elems)]
			continue
		case n.Op == tracer.OpGet && inPlace(n.Args[0].Op):
			e.env[n] = []*tracer.Node{e.env[n.Args[0]][n.Attrs.Int("index")]}
			continue
		}
		m := *n
		m.Name, m.Args, m.Graphs = prefix+n.Name, args, nil
		for _, b := range n.Graphs {
			m.Graphs = append(m.Graphs, withoutCalls(b))
		}
		e.to.Nodes = append(e.to.Nodes, &m)
		e.env[n] = []*tracer.Node{&m}
	}
}

// body copies the nodes of a body that runs once on args and returns what stands for its outputs. The environment of a
// body that several nodes share is made anew for each of them.
func (e *expansion) body(g *tracer.Graph, args []*tracer.Node, prefix string) []*tracer.Node {
	inner := expansion{e.to, map[*tracer.Node][]*tracer.Node{}}
	for i, n := range g.Inputs {
		inner.env[n] = args[i : i+1]
	}
	inner.nodes(g, prefix)
	outs := make([]*tracer.Node, len(g.Outputs))
	for i, n := range g.Outputs {
		outs[i] = inner.env[n][0]
	}
	return outs
}
