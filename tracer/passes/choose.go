package passes

import "github.com/hoplint/hoplint/tracer"

// maxChosen bounds the nodes of both branches of a conditional that is computed without a jump.
const maxChosen = 8

// choose computes both branches of a conditional on numbers and picks the results, where the branches are a few cheap
// ops that cannot fail: a jump that the processor foresees wrongly costs more.
func choose(r *run, g *tracer.Graph, root bool) {
	r.inBodies(g, chooseIn)
	chooseIn(r, g, root)
}

func chooseIn(r *run, g *tracer.Graph, root bool) {
	s := r.sweep(g, root)
	s.splice(func(n *tracer.Node) bool { return n.Op == "cond" && s.choosable(n) }, s.choice)
}

func (s *sweep) choosable(n *tracer.Node) bool {
	if len(n.Args[0].Meta.Shape) > 0 {
		return false
	}
	count := 0
	for _, g := range n.Graphs {
		for _, m := range g.Nodes {
			if !isNumber(m.Meta) {
				return false
			}
			if m.Op == tracer.OpLiteral {
				continue
			}
			if t := s.traits(m); !t.Pure || !t.Total || !t.Cheap || len(m.Graphs) > 0 {
				return false
			}
			count++
		}
		for _, o := range g.Outputs {
			if !isNumber(o.Meta) {
				return false
			}
		}
	}
	for _, o := range n.Graphs[0].Outputs {
		where := &tracer.Node{Op: "where", Args: []*tracer.Node{n.Args[0], o, o}, Meta: o.Meta}
		if t := s.ops.Traits(where); !t.Pure || !t.Total || !t.Cheap {
			return false
		}
	}
	return count <= maxChosen
}

func isNumber(m tracer.Meta) bool { return m.IsTensor() && len(m.Shape) == 0 }

// choice appends both branches of a conditional and what picks between their outputs, which it returns.
func (s *sweep) choice(n *tracer.Node) []*tracer.Node {
	taken, other := s.body(n, 0, n.Args[1:]), s.body(n, 1, n.Args[1:])
	results := make([]*tracer.Node, len(taken))
	for i := range taken {
		if results[i] = taken[i]; taken[i] == other[i] {
			continue
		}
		results[i] = &tracer.Node{Name: s.name(n.Name), Op: "where", Pos: n.Pos, Meta: taken[i].Meta,
			Args: []*tracer.Node{n.Args[0], taken[i], other[i]}}
		s.put(results[i])
	}
	return results
}
