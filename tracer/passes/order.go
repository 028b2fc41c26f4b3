package passes

import (
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// order puts the last values of a step, numbers that only the next step reads, behind all other nodes of the body of a
// loop. By then nobody reads the carries that they replace. They cannot fail, so that the first failure stays the same.
func order(r *run, g *tracer.Graph, root bool) {
	seen := map[*tracer.Graph]bool{}
	var visit func(g *tracer.Graph)
	visit = func(g *tracer.Graph) {
		for _, n := range g.Nodes {
			for i, b := range n.Graphs {
				if seen[b] {
					continue
				}
				seen[b] = true
				visit(b)
				l, ok := layoutOf(n)
				if ok && l.carries > 0 && i == len(n.Graphs)-1 || n.Op == "while_sweeps" && i > 0 {
					r.sink(b)
				}
			}
		}
	}
	visit(g)
}

func (r *run) sink(g *tracer.Graph) {
	read := map[*tracer.Node]bool{}
	for _, n := range g.Nodes {
		for _, a := range n.Args {
			read[a] = true
		}
	}
	var early, late []*tracer.Node
	for _, n := range g.Nodes {
		t := r.traits(n)
		if !read[n] && isNumber(n.Meta) && len(n.Args) > 0 && len(n.Graphs) == 0 && n.Op != tracer.OpGet && t.Pure && t.Total && !t.View {
			late = append(late, n)
		} else {
			early = append(early, n)
		}
	}
	if nodes := append(early, late...); !slices.Equal(nodes, g.Nodes) {
		g.Nodes = nodes
		r.changed()
	}
}
