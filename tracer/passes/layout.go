package passes

import (
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// layout says how the arguments, inputs, outputs and results of an operator belong together; see the table in package
// tracer's signature.go.
type layout struct {
	// head are the arguments that no body is given: a predicate or index.
	head int
	// carries and xs are how many arguments behind the head are carries and scanned; the rest is handed on as it is.
	carries, xs int
	// lead are the inputs of a body before those for arguments: the index of a for loop.
	lead int
	// pairs: the body is given two elements of xs, the left ones first.
	pairs bool
	// last is the body whose outputs are the results; -1 when all bodies give them.
	last int
	// steps: the bodies run in turns. surely is the body that certainly runs, -1 for none.
	steps  bool
	surely int
}

// layoutOf returns the layout of an operator's node; ok is false for one that the passes leave alone.
func layoutOf(n *tracer.Node) (l layout, ok bool) {
	l = layout{carries: n.Attrs.Int("n_carry"), xs: n.Attrs.Int("n_xs"), last: -1, surely: -1}
	switch n.Op {
	case "cond", "switch":
		l = layout{head: 1, last: -1, surely: -1}
	case "scan", "map", "vmap", "associative_scan", "for_loop":
		l.steps, l.pairs = true, n.Op == "associative_scan"
		if n.Op == "for_loop" {
			l.lead = 1
		}
		least := 1
		if l.pairs {
			least = 2
		}
		if k, known := constLength(n); known && k >= least {
			l.surely = 0
		}
	case "while_loop":
		l.steps, l.last, l.surely = true, 1, 0
	default:
		return l, false
	}
	return l, true
}

// inputs are the indices of the body's inputs that are given argument i.
func (l layout) inputs(i int) []int {
	k := i - l.head + l.lead
	switch {
	case l.pairs && i < l.xs:
		return []int{k, k + l.xs}
	case l.pairs:
		return []int{k + l.xs}
	}
	return []int{k}
}

// firstLifted is the index of the first argument that is handed on as it is.
func (l layout) firstLifted() int { return l.head + l.carries + l.xs }

// givers are the bodies whose outputs are the results of n.
func (l layout) givers(n *tracer.Node) []*tracer.Graph {
	if l.last >= 0 {
		return n.Graphs[l.last : l.last+1]
	}
	return n.Graphs
}

// lift gives each body of n the argument a behind the others and returns the inputs that stand for it.
func (r *run) lift(n, a *tracer.Node, name string) []*tracer.Node {
	n.Args = append(n.Args, a)
	inputs := make([]*tracer.Node, len(n.Graphs))
	for i, g := range n.Graphs {
		inputs[i] = &tracer.Node{Name: r.nameIn(g, name), Op: tracer.OpInput, Meta: a.Meta, Pos: a.Pos}
		g.Inputs = append(g.Inputs, inputs[i])
	}
	return inputs
}

// dropArg takes away argument i and the inputs for it, which nobody reads.
func dropArg(n *tracer.Node, l layout, i int) {
	inputs := l.inputs(i)
	for _, g := range n.Graphs {
		for _, k := range slices.Backward(inputs) {
			g.Inputs = slices.Delete(slices.Clone(g.Inputs), k, k+1)
		}
	}
	n.Args = slices.Delete(slices.Clone(n.Args), i, i+1)
	switch {
	case i < l.head:
	case i < l.head+l.carries:
		n.Attrs = withAttr(n.Attrs, "n_carry", l.carries-1)
	case i < l.firstLifted():
		n.Attrs = withAttr(n.Attrs, "n_xs", l.xs-1)
	}
}

// dropResult takes away result k, which no get node picks; those behind it move up.
func dropResult(n *tracer.Node, l layout, k int, gets []*tracer.Node) {
	for _, g := range l.givers(n) {
		g.Outputs = slices.Delete(slices.Clone(g.Outputs), k, k+1)
	}
	n.Meta.Elems = slices.Delete(slices.Clone(n.Meta.Elems), k, k+1)
	for _, get := range gets {
		if i := get.Attrs.Int("index"); i > k {
			get.Attrs = withAttr(get.Attrs, "index", i-1)
		}
	}
}

// withAttr returns attrs with another value for a key that is there.
func withAttr(attrs tracer.Attrs, key string, value any) tracer.Attrs {
	attrs = slices.Clone(attrs)
	for i := range attrs {
		if attrs[i].Key == key {
			attrs[i].Value = value
			return attrs
		}
	}
	return append(attrs, tracer.Attr{Key: key, Value: value})
}

// replaceIn puts other nodes in place of those that g reads.
func replaceIn(g *tracer.Graph, swaps map[*tracer.Node]*tracer.Node) {
	if len(swaps) == 0 {
		return
	}
	swap := func(list []*tracer.Node) {
		for i, a := range list {
			if m := swaps[a]; m != nil {
				list[i] = m
			}
		}
	}
	for _, n := range g.Nodes {
		swap(n.Args)
	}
	swap(g.Outputs)
}
