package passes

import (
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// views folds a view of a view into one view of the first tensor, and takes away views of the whole as it is. Ops are
// known by the names and attributes of the op table. A reversal is no view but folds alike: flipped twice, a tensor is
// itself.
func views(r *run, g *tracer.Graph, root bool) {
	r.inBodies(g, viewsIn)
	viewsIn(r, g, root)
}

func viewsIn(r *run, g *tracer.Graph, root bool) {
	laidOut := r.laidOut(g)
	s := r.sweep(g, root)
	s.each(func(n *tracer.Node) bool {
		if len(n.Args) != 1 || len(n.Graphs) > 0 || !n.Meta.IsTensor() || !n.Args[0].Meta.IsTensor() || laidOut[n] {
			return true
		}
		if whole(n) && s.stand(n, n.Args[0]) {
			return false
		}
		m, ok := folded(n, n.Args[0])
		switch {
		case !ok:
			return true
		case m.Op == "":
			return !s.stand(n, m.Args[0])
		}
		// The node stays, as a view of another one.
		n.Op, n.Args, n.Attrs = m.Op, slices.Clone(m.Args), m.Attrs // x keeps its own list
		delete(s.known, n)
		s.changed()
		return true
	})
}

// whole reports whether a view shows all of its argument as it lies.
func whole(n *tracer.Node) bool {
	x := n.Args[0]
	if !n.Meta.Equal(x.Meta) {
		return false
	}
	switch n.Op {
	case "narrow", "expand", "reshape", "view", "flatten", "squeeze", "unsqueeze":
		return true
	case "slice":
		step, ok := n.Attrs.Get("step").(int)
		return ok && step == 1
	case "transpose":
		a, b, ok := dimPair(n)
		return ok && a == b
	case "permute":
		dims, ok := n.Attrs.Get("dims").([]int)
		return ok && isOrder(dims)
	case "flip":
		dims, ok := n.Attrs.Get("dims").([]int)
		return ok && len(dims) == 0 && len(n.Meta.Shape) == 0
	}
	return false
}

// folded is what n, made of x, is as a node made of x's argument: op, argument and attributes. An op without name is the
// argument itself.
func folded(n, x *tracer.Node) (m tracer.Node, ok bool) {
	if len(x.Args) != 1 || len(x.Graphs) > 0 || !x.Args[0].Meta.IsTensor() {
		return m, false
	}
	m = tracer.Node{Op: n.Op, Args: x.Args, Attrs: n.Attrs}
	switch {
	case isReshape(n.Op) && isReshape(x.Op):
		return reshapes(n, m)
	case isOrdering(n.Op) && isOrdering(x.Op):
		return orders(n, x, m)
	case n.Op == "narrow" && x.Op == "narrow":
		return narrows(n, x, m)
	case n.Op == "slice" && (x.Op == "slice" || x.Op == "narrow"), n.Op == "narrow" && x.Op == "slice":
		return slicesOf(n, x, m)
	case n.Op == "select" && (x.Op == "narrow" || x.Op == "slice"):
		return selects(n, x, m)
	case n.Op == "expand" && x.Op == "expand":
		return m, true
	case n.Op == "flip" && x.Op == "flip":
		a, ok := n.Attrs.Get("dims").([]int)
		b, also := x.Attrs.Get("dims").([]int)
		if m.Op = ""; ok && also && slices.Equal(sorted(a), sorted(b)) {
			return m, true
		}
	}
	return m, false
}

func sorted(list []int) []int { return slices.Sorted(slices.Values(list)) }

func isReshape(op string) bool {
	switch op {
	case "reshape", "view", "flatten", "squeeze", "unsqueeze":
		return true
	}
	return false
}

// reshapes makes one reshape: all of these keep the elements in row-major order. Sizes that are symbols stand in the
// attributes of reshape and view already; for the others they would have to be bound first.
func reshapes(n *tracer.Node, m tracer.Node) (tracer.Node, bool) {
	if n.Meta.Equal(m.Args[0].Meta) {
		m.Op = ""
		return m, true
	}
	if n.Op == "reshape" || n.Op == "view" {
		m.Op = "reshape"
		return m, true
	}
	shape, ok := n.Meta.ConstShape()
	m.Op, m.Attrs = "reshape", tracer.Attrs{{Key: "dims", Value: shape}}
	return m, ok
}

func isOrdering(op string) bool { return op == "transpose" || op == "permute" }

// orders makes one permutation, or none where the dims are back in their places.
func orders(n, x *tracer.Node, m tracer.Node) (tracer.Node, bool) {
	outer, ok := orderOf(n)
	inner, also := orderOf(x)
	if !ok || !also || len(inner) != len(outer) {
		return m, false
	}
	dims := make([]int, len(outer))
	for i, d := range outer {
		if d < 0 || d >= len(inner) {
			return m, false
		}
		dims[i] = inner[d]
	}
	if m.Op, m.Attrs = "permute", (tracer.Attrs{{Key: "dims", Value: dims}}); isOrder(dims) {
		m.Op = ""
	}
	return m, true
}

// orderOf are the dims of the argument in the order of the result.
func orderOf(n *tracer.Node) ([]int, bool) {
	if n.Op == "permute" {
		dims, ok := n.Attrs.Get("dims").([]int)
		return dims, ok
	}
	a, b, ok := dimPair(n)
	if !ok {
		return nil, false
	}
	dims := make([]int, len(n.Meta.Shape))
	for i := range dims {
		dims[i] = i
	}
	if len(dims) > 0 {
		dims[a], dims[b] = b, a
	}
	return dims, true
}

func dimPair(n *tracer.Node) (a, b int, ok bool) {
	a, ok = n.Attrs.Get("a").(int)
	b, also := n.Attrs.Get("b").(int)
	rank := max(len(n.Meta.Shape), 1)
	return a, b, ok && also && 0 <= a && a < rank && 0 <= b && b < rank
}

func isOrder(dims []int) bool {
	for i, d := range dims {
		if i != d {
			return false
		}
	}
	return true
}

// numbers reads integer attributes.
func numbers(n *tracer.Node, keys ...string) ([]int, bool) {
	list := make([]int, len(keys))
	for i, k := range keys {
		v, ok := n.Attrs.Get(k).(int)
		if !ok {
			return nil, false
		}
		list[i] = v
	}
	return list, true
}

// window is a range of one dim: dim, start and step; count is its size.
func window(n *tracer.Node) (w [3]int, ok bool) {
	keys := []string{"dim", "start"}
	if n.Op == "slice" {
		keys = append(keys, "step")
	}
	list, ok := numbers(n, keys...)
	w[2] = 1
	copy(w[:], list)
	return w, ok && w[0] >= 0 && w[0] < len(n.Meta.Shape) && w[1] >= 0
}

func narrows(n, x *tracer.Node, m tracer.Node) (tracer.Node, bool) {
	outer, ok := window(n)
	inner, also := window(x)
	if !ok || !also || outer[0] != inner[0] {
		return m, false
	}
	m.Attrs = withAttr(n.Attrs, "start", inner[1]+outer[1])
	return m, true
}

// slicesOf makes one slice of a slice, with the bounds that its rule would give it.
func slicesOf(n, x *tracer.Node, m tracer.Node) (tracer.Node, bool) {
	outer, ok := window(n)
	inner, also := window(x)
	if !ok || !also || outer[0] != inner[0] {
		return m, false
	}
	size, known := n.Meta.Shape[outer[0]].Const()
	whole, alsoKnown := m.Args[0].Meta.Shape[outer[0]].Const()
	if !known || !alsoKnown || size == 0 {
		return m, false
	}
	start, step := inner[1]+outer[1]*inner[2], inner[2]*outer[2]
	m.Op, m.Attrs = "slice", tracer.Attrs{{Key: "dim", Value: outer[0]}, {Key: "start", Value: start},
		{Key: "stop", Value: min(whole, start+(size-1)*step+1)}, {Key: "step", Value: step}}
	return m, true
}

func selects(n, x *tracer.Node, m tracer.Node) (tracer.Node, bool) {
	at, ok := numbers(n, "dim", "index")
	inner, also := window(x)
	if !ok || !also || at[0] != inner[0] || at[1] < 0 {
		return m, false
	}
	m.Attrs = withAttr(n.Attrs, "index", inner[1]+at[1]*inner[2])
	return m, true
}
