package exec

import (
	"slices"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

// batch is a body that computes many elements at once: its graph with one more dim in front of all that depends on the
// element. It exists only for bodies of ops for which each element's result is that of the body alone: elementwise ops
// that cannot fail, views, reductions, products of matrices.
type batch struct {
	lib   Library
	lanes int
	graph *tracer.Graph

	now  map[*tracer.Node]*tracer.Node // nodes of graph by those of the body
	wide map[*tracer.Node]bool         // nodes of the body that depend on the element
}

// newBatch returns the batch of g for elements that are the first each inputs; nil when there is none.
func newBatch(g *tracer.Graph, each, lanes int, lib Library) *batch {
	b := &batch{lib: lib, lanes: lanes, now: map[*tracer.Node]*tracer.Node{}, wide: map[*tracer.Node]bool{},
		graph: &tracer.Graph{Name: g.Name}}
	for _, op := range []string{"reshape", "expand", "transpose"} {
		if k, ok := lib.Kernel(op); !ok || k.View == nil {
			return nil
		}
	}
	for i, in := range g.Inputs {
		c := in
		if i < each {
			b.wide[in] = true
			c = &tracer.Node{Name: in.Name, Op: tracer.OpInput, Meta: b.meta(in.Meta), Pos: in.Pos}
		}
		b.now[in] = c
		b.graph.Inputs = append(b.graph.Inputs, c)
	}
	for _, n := range g.Nodes {
		if !slices.ContainsFunc(n.Args, func(a *tracer.Node) bool { return b.wide[a] }) {
			b.graph.Nodes, b.now[n] = append(b.graph.Nodes, n), n
			continue
		}
		if b.wide[n] = true; !b.add(n) {
			return nil
		}
	}
	for _, n := range g.Outputs {
		out := b.now[n]
		if !b.wide[n] {
			out = b.view("expand", out, b.meta(n.Meta).Shape)
		}
		b.graph.Outputs = append(b.graph.Outputs, out)
	}
	return b
}

// meta puts the dim of the lanes in front.
func (b *batch) meta(m tracer.Meta) tracer.Meta {
	return tracer.Meta{DType: m.DType, Shape: append([]tracer.Int{tracer.Const(b.lanes)}, m.Shape...)}
}

// view appends a view of a.
func (b *batch) view(op string, a *tracer.Node, shape []tracer.Int, attrs ...tracer.Attr) *tracer.Node {
	v := &tracer.Node{Name: a.Name, Op: op, Args: []*tracer.Node{a}, Attrs: attrs, Pos: a.Pos,
		Meta: tracer.Meta{DType: a.Meta.DType, Shape: shape}}
	b.graph.Nodes = append(b.graph.Nodes, v)
	return v
}

// maxReduced bounds the dims of what is reduced: reductions merge a bounded number of them.
const maxReduced = 4

// add appends the batched form of n and reports whether there is one.
func (b *batch) add(n *tracer.Node) bool {
	if len(n.Graphs) > 0 || !n.Meta.IsTensor() || elemsOf(n) == 0 {
		return false
	}
	c := &tracer.Node{Name: n.Name, Op: n.Op, Attrs: slices.Clone(n.Attrs), Meta: b.meta(n.Meta), Pos: n.Pos}
	for _, a := range n.Args {
		c.Args = append(c.Args, b.now[a])
	}
	if infallible(n, b.lib) {
		for i, a := range n.Args {
			if missing := len(n.Meta.Shape) - len(a.Meta.Shape); b.wide[a] && missing > 0 {
				c.Args[i] = b.spread(c.Args[i], missing)
			}
		}
	} else if !b.rule(n, c) {
		return false
	}
	b.now[n] = c
	b.graph.Nodes = append(b.graph.Nodes, c)
	return true
}

func elemsOf(n *tracer.Node) int {
	shape, _ := n.Meta.ConstShape()
	return kernels.NumElems(shape)
}

// spread puts dims of size 1 behind that of the lanes, so that the other dims broadcast as those of one element.
func (b *batch) spread(a *tracer.Node, dims int) *tracer.Node {
	shape := slices.Clone(a.Meta.Shape[:1])
	for range dims {
		shape = append(shape, tracer.Const(1))
	}
	return b.view("reshape", a, append(shape, a.Meta.Shape[1:]...))
}

// hasBatch reports whether n is no elementwise op and no view and may have a batch; then it cannot fail.
func hasBatch(n *tracer.Node) bool {
	if !n.Meta.IsTensor() || elemsOf(n) == 0 || len(n.Args) == 0 || elemsOf(n.Args[0]) == 0 {
		return false
	}
	rank := len(n.Args[0].Meta.Shape)
	switch n.Op {
	case "softmax", "log_softmax", "cum_sum", "cum_prod":
		return rank > 0
	case "sum", "mean", "prod", "max", "min", "var", "log_sum_exp", "any", "all":
		return rank > 0 && rank <= maxReduced
	case "matmul":
		return true
	}
	return false
}

// rule changes c, the copy of n with batched arguments, to what computes all lanes.
func (b *batch) rule(n, c *tracer.Node) bool {
	rank := len(n.Args[0].Meta.Shape)
	if k, ok := b.lib.Kernel(n.Op); elemsOf(n.Args[0]) == 0 || !hasBatch(n) && (!ok || k.View == nil && !k.Identity) {
		return false
	}
	switch n.Op {
	case "clone", "detach", "view", "reshape", "flatten", "squeeze", "unsqueeze":
		// Their kernels read the shape of the result alone.
	case "narrow", "slice", "select":
		shift(c, "dim")
	case "transpose":
		if rank > 0 {
			shift(c, "a", "b")
		}
	case "permute":
		dims := []int{0}
		for _, d := range n.Attrs.Ints("dims") {
			dims = append(dims, d+1)
		}
		set(c, "dims", dims)
	case "expand":
		if missing := len(n.Meta.Shape) - rank; missing > 0 {
			c.Args[0] = b.spread(c.Args[0], missing)
		}
	case "softmax", "log_softmax", "cum_sum", "cum_prod":
		shift(c, "dim")
	case "sum", "mean", "prod", "max", "min", "var", "log_sum_exp", "any", "all":
		dims := n.Attrs.Ints("dims")
		var shifted []int
		for d := range rank {
			if len(dims) == 0 || slices.Contains(dims, d) {
				shifted = append(shifted, d+1)
			}
		}
		set(c, "dims", shifted)
	case "matmul":
		return b.product(n, c)
	default:
		return false
	}
	return true
}

// product batches a product of matrices, or of one matrix and a vector per element.
func (b *batch) product(n, c *tracer.Node) bool {
	x, y := n.Args[0], n.Args[1]
	rx, ry := len(x.Meta.Shape), len(y.Meta.Shape)
	switch {
	case rx >= 2 && ry >= 2:
		return (b.wide[x] || ry >= rx) && (b.wide[y] || rx >= ry)
	case rx == 1 && ry == 2 && !b.wide[y]:
		return true // rows that together are a matrix
	case rx == 2 && ry == 1 && !b.wide[x]:
		t := b.view("transpose", c.Args[0], []tracer.Int{x.Meta.Shape[1], x.Meta.Shape[0]},
			tracer.Attr{Key: "a", Value: 0}, tracer.Attr{Key: "b", Value: 1})
		c.Args = []*tracer.Node{c.Args[1], t}
		return true
	}
	return false
}

// shift moves attributes that name a dim behind that of the lanes.
func shift(n *tracer.Node, keys ...string) {
	for _, key := range keys {
		set(n, key, n.Attrs.Int(key)+1)
	}
}

func set(n *tracer.Node, key string, value any) {
	for i := range n.Attrs {
		if n.Attrs[i].Key == key {
			n.Attrs[i].Value = value
			return
		}
	}
	n.Attrs = append(n.Attrs, tracer.Attr{Key: key, Value: value})
}
