package exec

import (
	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

// fusion computes a node together with products that only it uses.
type fusion struct {
	op   *kernels.Pointwise
	args []operand
}

// operand is an argument: a node, or constants.
type operand struct {
	node   *tracer.Node
	values []float64
}

// fuse finds sums and differences of products. The product must have the shape of the sum and no other use, and must
// change as often: a product that does not change in a loop is rather computed once before it.
func (f *frame) fuse(g *tracer.Graph) {
	uses := map[*tracer.Node]int{}
	for _, n := range g.Nodes {
		for _, a := range n.Args {
			uses[a]++
		}
	}
	for _, n := range g.Outputs {
		uses[n]++
	}
	f.fusions, f.absorbed = map[*tracer.Node]fusion{}, map[*tracer.Node]*tracer.Node{}
	product := func(sum, n *tracer.Node) *kernels.Pointwise {
		p := f.pointwiseOf(n)
		if p == nil || p.Op != "mul" || uses[n] != 1 || !n.Meta.Equal(sum.Meta) || f.levels[n] != f.levels[sum] || f.absorbed[n] != nil {
			return nil
		}
		return p
	}
	for _, n := range g.Nodes {
		p := f.pointwiseOf(n)
		if p == nil || p.Arity != 2 || p.Op != "add" && p.Op != "sub" {
			continue
		}
		x, y := n.Args[0], n.Args[1]
		px, py := product(n, x), product(n, y)
		switch {
		case p.Op == "add" && px != nil && py != nil && px.Arity == 1 && py.Arity == 1:
			k, l := x.Attrs.Float("value"), y.Attrs.Float("value")
			f.fusions[n] = fusion{&kernels.Blend, []operand{{node: x.Args[0]}, {node: y.Args[0]}, {values: []float64{k, l}}}}
			f.absorbed[x], f.absorbed[y] = n, n
		case px != nil:
			op := &kernels.MulAdd
			if p.Op == "sub" {
				op = &kernels.MulSub
			}
			f.fusions[n] = fusion{op, append(factors(x), operand{node: y})}
			f.absorbed[x] = n
		case py != nil && p.Op == "add":
			f.fusions[n] = fusion{&kernels.MulAdd, append(factors(y), operand{node: x})}
			f.absorbed[y] = n
		case py != nil:
			f.fusions[n] = fusion{&kernels.SubMul, append([]operand{{node: x}}, factors(y)...)}
			f.absorbed[y] = n
		}
	}
	for n, sum := range f.absorbed {
		f.remark(n, "part of %s", sum.Name)
	}
}

// factors are the operands of a product: the second may be the constant of a scalar form.
func factors(n *tracer.Node) []operand {
	if len(n.Args) == 2 {
		return []operand{{node: n.Args[0]}, {node: n.Args[1]}}
	}
	return []operand{{node: n.Args[0]}, {values: []float64{n.Attrs.Float("value")}}}
}

// pointwiseOf returns the description of an elementwise node, nil for others.
func (f *frame) pointwiseOf(n *tracer.Node) *kernels.Pointwise {
	switch n.Op {
	case tracer.OpInput, tracer.OpConstant, tracer.OpLiteral, tracer.OpGet, tracer.OpPut:
		return nil
	}
	if len(n.Graphs) > 0 {
		return nil
	}
	k, ok := f.lib.Kernel(n.Op)
	if !ok {
		return nil
	}
	return k.Pointwise
}

// operandsOf are the nodes that a node reads, through its fusion.
func (f *frame) operandsOf(n *tracer.Node) []*tracer.Node {
	fused, ok := f.fusions[n]
	if !ok {
		return n.Args
	}
	var nodes []*tracer.Node
	for _, x := range fused.args {
		if x.node != nil {
			nodes = append(nodes, x.node)
		}
	}
	return nodes
}
