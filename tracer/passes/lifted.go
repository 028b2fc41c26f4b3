package passes

import "github.com/hoplint/hoplint/tracer"

// maxGiven bounds the elements of a literal that a body gets as a node of its own.
const maxGiven = 16

// lifted looks at the arguments that operators hand on as they are. Two that are the same become one input, and a small
// literal becomes a node of each body, where it can be folded. It works from the outside to the inside, since a literal
// may go in through several bodies.
func lifted(r *run, g *tracer.Graph, root bool) {
	liftedIn(r, g, map[*tracer.Graph]bool{})
}

func liftedIn(r *run, g *tracer.Graph, seen map[*tracer.Graph]bool) {
	if seen[g] {
		return
	}
	seen[g] = true
	for _, n := range g.Nodes {
		if l, ok := layoutOf(n); ok && !r.shared(n) {
			r.handOn(n, l)
		}
		for _, b := range n.Graphs {
			liftedIn(r, b, seen)
		}
	}
}

func (r *run) handOn(n *tracer.Node, l layout) {
	first, swaps := map[*tracer.Node]int{}, map[*tracer.Node]*tracer.Node{}
	for i := l.firstLifted(); i < len(n.Args); i++ {
		a := n.Args[i]
		value := literalOf(a)
		k, again := first[a]
		switch {
		case again:
			for _, g := range n.Graphs {
				swaps[g.Inputs[l.inputs(i)[0]]] = g.Inputs[l.inputs(k)[0]]
			}
		case value != nil && elems(value) <= maxGiven:
			for _, g := range n.Graphs {
				c := literalNode(r.nameIn(g, a.Name), value, a)
				g.Nodes = append([]*tracer.Node{c}, g.Nodes...)
				swaps[g.Inputs[l.inputs(i)[0]]] = c
			}
		default:
			first[a] = i
			continue
		}
		dropArg(n, l, i)
		i--
		r.changed()
	}
	for _, g := range n.Graphs {
		replaceIn(g, swaps)
	}
}

func elems(l *tracer.Literal) int {
	n, _ := l.NumElems()
	return n
}
