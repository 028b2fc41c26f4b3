package passes

import "github.com/hoplint/hoplint/tracer"

// carries makes a lifted input of a carry that is handed on as it is: its value is that of init in every step, and after
// the loop. So it is when the next carry is the literal that init is.
func carries(r *run, g *tracer.Graph, root bool) {
	r.inBodies(g, carriesIn)
	carriesIn(r, g, root)
}

func carriesIn(r *run, g *tracer.Graph, root bool) {
	gets := getsOf(g)
	s := r.sweep(g, root)
	last := map[*tracer.Node]*tracer.Node{} // get nodes of results that are inits
	s.each(func(n *tracer.Node) bool {
		if init := last[n]; init != nil {
			s.standOrCopy(n, init)
			return false
		}
		l, ok := layoutOf(n)
		if !ok || l.carries == 0 || l.pairs || r.shared(n) {
			return true
		}
		swaps := map[*tracer.Node]*tracer.Node{}
		// Backwards, so that what is taken away does not move those that come.
		for j := l.carries - 1; j >= 0; j-- {
			if !forwarded(n, l, j) {
				continue
			}
			init := n.Args[j]
			for i, in := range s.lift(n, init, init.Name) {
				old := n.Graphs[i].Inputs[j+l.lead]
				in.Name, in.Pos, swaps[old] = old.Name, old.Pos, in
			}
			var kept []*tracer.Node
			for _, get := range gets[n] {
				if get.Attrs.Int("index") == j {
					last[get] = init
				} else {
					kept = append(kept, get)
				}
			}
			gets[n] = kept
			dropResult(n, l, j, kept)
			dropArg(n, l, j)
			l, _ = layoutOf(n)
			s.changed()
		}
		for _, g := range n.Graphs {
			replaceIn(g, swaps)
		}
		return true
	})
}

// forwarded reports whether carry j never changes.
func forwarded(n *tracer.Node, l layout, j int) bool {
	g := l.givers(n)[0]
	next := g.Outputs[j]
	if next == g.Inputs[j+l.lead] {
		return true
	}
	a, b := literalOf(next), literalOf(n.Args[j])
	return a != nil && b != nil && sameLiteral(a, b)
}
