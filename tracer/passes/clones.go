package passes

import "github.com/hoplint/hoplint/tracer"

// clones takes away copies. The contract demands many: a body must return a clone of what it also carries on. Inside of
// a body they cost nothing, since an operator's results are its own memory. In a root graph a copy stays that keeps an
// output apart from an input or another output, and anywhere one that a window on memory counts on: a copy lies in
// row-major order, what it is made of need not.
func clones(r *run, g *tracer.Graph, root bool) {
	r.inBodies(g, clonesIn)
	clonesIn(r, g, root)
}

func clonesIn(r *run, g *tracer.Graph, root bool) {
	laidOut := r.laidOut(g)
	s := r.sweep(g, root)
	s.each(func(n *tracer.Node) bool {
		if len(n.Args) != 1 || len(n.Graphs) > 0 || laidOut[n] || !n.Meta.Equal(n.Args[0].Meta) || !r.traits(n).Copy {
			return true
		}
		return !s.stand(n, n.Args[0])
	})
}
