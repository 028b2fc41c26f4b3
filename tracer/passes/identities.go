package passes

import (
	"math"

	"github.com/hoplint/hoplint/tracer"
)

// identities takes away operations that give their argument bit for bit. x+0 is none of them for a float, since -0+0 is
// 0; nor is x*0 a constant, since x may be a NaN; and no sum of three is added in another order.
func identities(r *run, g *tracer.Graph, root bool) {
	r.inBodies(g, identitiesIn)
	identitiesIn(r, g, root)
}

func identitiesIn(r *run, g *tracer.Graph, root bool) {
	s := r.sweep(g, root)
	s.each(func(n *tracer.Node) bool {
		m := identity(n)
		return m == nil || !m.Meta.Equal(n.Meta) || !s.stand(n, m)
	})
}

// identity is the node that n equals, nil when there is none.
func identity(n *tracer.Node) *tracer.Node {
	if len(n.Args) == 0 || len(n.Graphs) > 0 {
		return nil
	}
	x := n.Args[0]
	value, numeric := n.Attrs.Get("value").(float64)
	is := func(v float64) bool { return numeric && value == v && math.Signbit(value) == math.Signbit(v) }
	switch n.Op {
	case "cast":
		return x // of one dtype to the same; others differ in their meta
	case "mul_scalar", "div_scalar":
		if is(1) {
			return x
		}
	case "sub_scalar":
		if is(0) {
			return x
		}
	case "add_scalar":
		if is(0) && x.Meta.DType.IsInt() || is(math.Copysign(0, -1)) {
			return x
		}
	case "neg", "not":
		if x.Op == n.Op {
			return x.Args[0]
		}
	case "where":
		if len(n.Args) == 3 && n.Args[1] == n.Args[2] {
			return n.Args[1]
		}
		if l := literalOf(x); len(n.Args) == 3 && l != nil && len(l.Data) == 1 {
			if l.Data[0] != 0 {
				return n.Args[1]
			}
			return n.Args[2]
		}
	}
	return nil
}
