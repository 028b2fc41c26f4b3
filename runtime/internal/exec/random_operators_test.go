package exec

import (
	"fmt"
	"slices"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

// operator adds a random operator on values, whose bodies hold further ones down to depth.
func (r generator) operator(g *graph, values []*tracer.Node, depth int) []*tracer.Node {
	var gets []*tracer.Node
	switch r.IntN(10) {
	case 0, 1:
		return r.scan(g, values, depth)
	case 2, 3:
		gets = r.branches(g, values, depth, 2)
	case 4:
		gets = r.branches(g, values, depth, 3)
	case 5, 6:
		gets = r.while(g, values, depth)
	case 7:
		gets = r.forLoop(g, values, depth)
	case 8:
		gets = r.rows(g, values, depth)
	default:
		args, body := r.body(g, values, nil)
		inner := r.fill(body, 1+r.IntN(5), depth)
		for range 1 + r.IntN(3) {
			body.Outputs = append(body.Outputs, r.pick(inner))
		}
		gets = g.subgraph([]string{"checkpoint", "subgraph"}[r.IntN(2)], body, args...)
	}
	return small(gets)
}

// small leaves out what would grow from operator to operator.
func small(nodes []*tracer.Node) []*tracer.Node {
	var list []*tracer.Node
	for _, n := range nodes {
		if shape, _ := n.Meta.ConstShape(); len(shape) <= 2 && kernels.NumElems(shape) <= 16 {
			list = append(list, n)
		}
	}
	return list
}

// body returns a new body whose inputs are args and then up to three values, and all these arguments.
func (r generator) body(g *graph, values, args []*tracer.Node) ([]*tracer.Node, *graph) {
	for range 1 + r.IntN(3) {
		args = append(args, r.pick(values))
	}
	return args, r.bodyFor(g, args)
}

func (r generator) bodyFor(g *graph, args []*tracer.Node) *graph {
	body := newGraph(fmt.Sprintf("%s_b%d", g.Name, g.made))
	g.made++
	for _, v := range args {
		shape, _ := v.Meta.ConstShape()
		body.input(v.Meta.DType, shape...)
	}
	return body
}

// like picks one of the last values with the meta of n.
func (r generator) like(values []*tracer.Node, n *tracer.Node) *tracer.Node {
	var fits []*tracer.Node
	for _, v := range values {
		if v.Meta.Equal(n.Meta) {
			fits = append(fits, v)
		}
	}
	if len(fits) == 0 {
		return nil
	}
	return fits[len(fits)-1-r.IntN(min(len(fits), 3))]
}

// table adds an operator that does nothing else with x, and a value like it, than to replace rows, in some branches or in
// its steps. The bodies may read them before and what they have become, exchange them, and give one of them twice; x may
// be captured besides.
func (r generator) table(g *graph, values []*tracer.Node, x *tracer.Node, depth int) *tracer.Node {
	args := []*tracer.Node{x, r.like(append(values, x), x)}
	if r.IntN(4) == 0 {
		args = append(args, x)
	}
	args, _ = r.body(g, values, args)
	shape, _ := x.Meta.ConstShape()
	which := [2]int{r.IntN(4) / 3, 1 - r.IntN(4)/3}
	fill := func(b *graph, tables []*tracer.Node) *graph {
		tables, inner := slices.Clone(tables[:2]), r.fill(b, r.IntN(3), 0)
		for range r.IntN(4) {
			k := r.IntN(2)
			if depth > 0 && r.IntN(2) == 0 {
				tables[k] = r.table(b, inner, tables[k], depth-1)
			} else {
				tables[k] = r.update(b, inner, tables[k], shape)
			}
			if r.IntN(4) == 0 {
				inner = append(inner, r.op(b, append(inner, tables[k]), 0)...)
			}
		}
		b.Outputs = []*tracer.Node{tables[which[0]], tables[which[1]]}
		return b
	}
	branch := func() *graph {
		b := r.bodyFor(g, args)
		fill(b, b.Inputs)
		if r.IntN(4) == 0 {
			b.Outputs[0] = r.like(append(b.Inputs, b.Outputs[0]), x)
		}
		return b
	}
	var gets []*tracer.Node
	switch r.IntN(3) {
	case 0:
		gets = g.cond(branch(), branch(), append([]*tracer.Node{r.predicate(g, values)}, args...)...)
	case 1:
		index := g.node("cast", m(i64), nil, g.node("sum", m(x.Meta.DType), nil, x))
		gets = g.switching([]*graph{branch(), branch(), branch()}, append([]*tracer.Node{index}, args...)...)
	default:
		body := newGraph(fmt.Sprintf("%s_b%d", g.Name, g.made))
		body.input(i64)
		for _, v := range args {
			shape, _ := v.Meta.ConstShape()
			body.input(v.Meta.DType, shape...)
		}
		gets = g.forLoop(fill(body, body.Inputs[1:]), 0, r.IntN(4), args...)
	}
	if r.IntN(4) == 0 {
		return g.node("maximum", x.Meta, nil, gets[0], gets[1])
	}
	return gets[0]
}

// scalarOf returns a rank-0 node made of a random value, or that of one element.
func (r generator) scalarOf(g *graph, values []*tracer.Node) *tracer.Node {
	x := r.pick(values)
	if shape, _ := x.Meta.ConstShape(); kernels.NumElems(shape) != 1 || r.IntN(2) == 0 {
		return g.node("sum", m(x.Meta.DType), nil, x)
	}
	return x
}

func (r generator) predicate(g *graph, values []*tracer.Node) *tracer.Node {
	x := r.scalarOf(g, values)
	shape, _ := x.Meta.ConstShape()
	return g.node("gt_scalar", m(tracer.Bool, shape...), attrs("value", float64(r.IntN(3)-1)), x)
}

// branches adds a cond, or a switch of three branches.
func (r generator) branches(g *graph, values []*tracer.Node, depth, n int) []*tracer.Node {
	args, first := r.body(g, values, nil)
	bodies := []*graph{first}
	inner := r.fill(first, r.IntN(6), depth)
	for range 1 + r.IntN(3) {
		first.Outputs = append(first.Outputs, r.pick(inner))
	}
	for range n - 1 {
		other := r.bodyFor(g, args)
		inner := r.fill(other, r.IntN(6), depth)
		for _, out := range first.Outputs {
			fit := r.like(inner, out)
			if fit == nil {
				shape, _ := out.Meta.ConstShape()
				fit = other.literal(out.Meta.DType, make([]float64, kernels.NumElems(shape))...)
				fit.Meta, fit.Attrs[0].Value.(*tracer.Literal).Shape = out.Meta, shape
			}
			other.Outputs = append(other.Outputs, fit)
		}
		bodies = append(bodies, other)
	}
	if n == 2 {
		return g.cond(bodies[0], bodies[1], append([]*tracer.Node{r.predicate(g, values)}, args...)...)
	}
	index := r.scalarOf(g, values)
	if shape, _ := index.Meta.ConstShape(); !index.Meta.DType.IsInt() {
		index = g.node("cast", m(i64, shape...), nil, index)
	}
	return g.switching(bodies, append([]*tracer.Node{index}, args...)...)
}

// while adds a loop of at most four steps: its first carry counts them; the condition may ask for other carries too.
func (r generator) while(g *graph, values []*tracer.Node, depth int) []*tracer.Node {
	zero := g.literal(i64, 0)
	zero.Meta, zero.Attrs[0].Value.(*tracer.Literal).Shape = m(i64), nil
	args := []*tracer.Node{zero}
	nCarry := 1 + r.IntN(3)
	for range nCarry - 1 {
		args = append(args, r.pick(values))
	}
	args, body := r.body(g, values, args)
	cond := r.bodyFor(g, args)
	steps := cond.node("gt_scalar", m(tracer.Bool), attrs("value", 0.0), cond.with("rsub_scalar", float64(r.IntN(5)), cond.Inputs[0]))
	if r.IntN(2) == 0 {
		p := r.predicate(cond, r.fill(cond, r.IntN(3), 0))
		zero := cond.node("lt", m(tracer.Bool), nil, steps, steps)
		steps = cond.node("where", m(tracer.Bool), nil, cond.node("view", m(tracer.Bool), nil, p), steps, zero)
	}
	cond.Outputs = []*tracer.Node{steps}
	if r.IntN(2) == 0 {
		body.Outputs = []*tracer.Node{body.with("add_scalar", 1, body.Inputs[0])}
	}
	inner := r.fill(body, 1+r.IntN(6), depth)
	if len(body.Outputs) == 0 {
		body.Outputs = []*tracer.Node{body.with("add_scalar", 1, body.Inputs[0])}
	}
	for j := 1; j < nCarry; j++ {
		body.Outputs = append(body.Outputs, r.like(inner, body.Inputs[j]))
	}
	return g.while(cond, body, nCarry, args...)
}

func (r generator) forLoop(g *graph, values []*tracer.Node, depth int) []*tracer.Node {
	args, _ := r.body(g, values, nil)
	body := newGraph(fmt.Sprintf("%s_b%d", g.Name, g.made))
	body.input(i64)
	for _, v := range args {
		shape, _ := v.Meta.ConstShape()
		body.input(v.Meta.DType, shape...)
	}
	inner := r.fill(body, 1+r.IntN(6), depth)
	for _, in := range body.Inputs[1 : 2+r.IntN(len(args))] {
		body.Outputs = append(body.Outputs, r.like(inner, in))
	}
	lower := r.IntN(4) - 2
	return g.forLoop(body, lower, lower+r.IntN(5)-1, args...)
}

// rows adds a map, or an associative scan of an operation that is associative.
func (r generator) rows(g *graph, values []*tracer.Node, depth int) []*tracer.Node {
	var xs []*tracer.Node
	for _, v := range values {
		if len(v.Meta.Shape) > 0 && len(v.Meta.Shape) < 3 && (len(xs) == 0 || v.Meta.Shape[0].Same(xs[0].Meta.Shape[0]) && r.IntN(2) == 0) {
			xs = append(xs, v)
		}
	}
	if len(xs) == 0 {
		return nil
	}
	length, _ := xs[0].Meta.Shape[0].Const()
	if r.IntN(2) == 0 {
		combine := newGraph(fmt.Sprintf("%s_c%d", g.Name, g.made))
		for range 2 {
			for _, x := range xs {
				shape, _ := x.Meta.ConstShape()
				combine.input(x.Meta.DType, shape[1:]...)
			}
		}
		for i := range xs {
			left, right := combine.Inputs[i], combine.Inputs[len(xs)+i]
			combine.Outputs = append(combine.Outputs, combine.same([]string{"add", "maximum"}[r.IntN(2)], left, right))
		}
		var limited []*tracer.Node
		for _, get := range g.associative(combine, length, xs...) {
			limited = append(limited, g.node("clamp", get.Meta, attrs("lo", -8.0, "hi", 8.0), get))
		}
		return limited
	}
	body := newGraph(fmt.Sprintf("%s_b%d", g.Name, g.made))
	args := append([]*tracer.Node{}, xs...)
	for _, x := range xs {
		shape, _ := x.Meta.ConstShape()
		body.input(x.Meta.DType, shape[1:]...)
	}
	for range r.IntN(3) {
		v := r.pick(values)
		shape, _ := v.Meta.ConstShape()
		args = append(args, v)
		body.input(v.Meta.DType, shape...)
	}
	inner := r.fill(body, 1+r.IntN(6), depth)
	for range 1 + r.IntN(3) {
		body.Outputs = append(body.Outputs, r.pick(inner))
	}
	gets := g.mapped(body, len(xs), length, args...)
	if r.IntN(2) == 0 {
		n := gets[0].Args[0]
		n.Attrs = append(n.Attrs, tracer.Attr{Key: "batch_size", Value: 1 + r.IntN(4)})
	}
	return gets
}
