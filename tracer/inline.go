package tracer

import (
	"fmt"
	"math"
)

// Inline records the nodes of a closed graph again in t, with args in place of its inputs, and returns its outputs. The
// symbols of its inputs become the integers and sizes of args; those that its nodes made are new, and its guards hold
// for the result. An output that is an input of the graph is the argument itself; others count as fresh.
func (t *SubgraphTracer) Inline(g *Graph, args []*Value) ([]*Value, error) {
	if len(args) != len(g.Inputs) || len(g.Constants) > 0 {
		return nil, fmt.Errorf("tracer: %s takes %d inputs and has %d constants; got %d arguments and want no constants", g.Name, len(g.Inputs), len(g.Constants), len(args))
	}
	nodes := make(map[*Node]*Node, len(g.Inputs)+len(g.Nodes))
	values := make(map[*Node]*Value, len(args))
	symbols := map[string]Int{}
	for i, in := range g.Inputs {
		n, err := t.Use(args[i])
		if err != nil {
			return nil, err
		}
		if (in.Meta.Int == nil) != (n.Meta.Int == nil) || in.Meta.DType != n.Meta.DType || len(in.Meta.Shape) != len(n.Meta.Shape) {
			return nil, fmt.Errorf("tracer: input %s of %s is %s; got %s", in.Name, g.Name, in.Meta, n.Meta)
		}
		nodes[in], values[in] = n, args[i]
		if in.Meta.Int != nil {
			stand(symbols, *in.Meta.Int, *n.Meta.Int)
		}
		for d, size := range in.Meta.Shape {
			stand(symbols, size, n.Meta.Shape[d])
		}
	}
	for _, old := range g.Nodes {
		t.renew(symbols, old.Meta)
		attrs := old.Attrs.replace(symbols)
		if err := t.bindAttrs(attrs); err != nil {
			return nil, err
		}
		n := t.add(old.Op, attrs, old.Meta.replace(symbols), old.Pos)
		n.Args = t.slabs.list(len(old.Args))
		for i, a := range old.Args {
			n.Args[i] = nodes[a]
		}
		for _, body := range old.Graphs {
			n.Graphs = append(n.Graphs, t.copyBody(body, symbols))
		}
		nodes[old] = n
		values[old] = t.fresh(n)
	}
	for _, guard := range g.Guards {
		c := guard.Cond
		t.keepTo(Cond{c.Op, c.A.replace(symbols), c.B.replace(symbols)}, guard.Pos)
	}
	outs := make([]*Value, len(g.Outputs))
	for i, o := range g.Outputs {
		outs[i] = values[o]
	}
	return outs, nil
}

// stand remembers what a symbol of the inlined graph stands for.
func stand(symbols map[string]Int, size, is Int) {
	if name, ok := size.Symbol(); ok {
		if _, known := symbols[name]; !known {
			symbols[name] = is
		}
	}
}

// renew makes symbols for those that a node of the inlined graph made.
func (t *SubgraphTracer) renew(symbols map[string]Int, m Meta) {
	made := m.Shape
	if m.Int != nil {
		made = []Int{*m.Int}
	}
	for _, size := range made {
		for _, name := range size.Symbols() {
			if _, known := symbols[name]; !known {
				symbols[name] = t.NewUnbacked(math.MinInt, math.MaxInt) // the graph's guards are copied
			}
		}
	}
	for _, e := range m.Elems {
		t.renew(symbols, e)
	}
}

// copyBody returns the body with other integers in place of symbols; the graph itself when it mentions none.
func (t *SubgraphTracer) copyBody(g *Graph, symbols map[string]Int) *Graph {
	if !g.IsSymbolic() {
		return g
	}
	c := &Graph{Name: g.Name, ops: g.ops}
	nodes := make(map[*Node]*Node, len(g.Inputs)+len(g.Nodes))
	list := func(from []*Node) (to []*Node) {
		for _, old := range from {
			t.renew(symbols, old.Meta)
			n := &Node{Name: old.Name, Op: old.Op, Attrs: old.Attrs.replace(symbols), Meta: old.Meta.replace(symbols), Pos: old.Pos}
			for _, a := range old.Args {
				n.Args = append(n.Args, nodes[a])
			}
			for _, body := range old.Graphs {
				n.Graphs = append(n.Graphs, t.copyBody(body, symbols))
			}
			nodes[old] = n
			to = append(to, n)
		}
		return to
	}
	c.Inputs, c.Nodes = list(g.Inputs), list(g.Nodes)
	for _, o := range g.Outputs {
		c.Outputs = append(c.Outputs, nodes[o])
	}
	for _, guard := range g.Guards {
		guard.Cond.A, guard.Cond.B = guard.Cond.A.replace(symbols), guard.Cond.B.replace(symbols)
		c.Guards = append(c.Guards, guard)
	}
	return c
}

// IsSymbolic reports whether a meta of the graph or of its bodies is an integer or mentions a symbol; attributes mention no
// others.
func (g *Graph) IsSymbolic() bool {
	for _, list := range [][]*Node{g.Inputs, g.Nodes} {
		for _, n := range list {
			if n.Meta.IsSymbolic() {
				return true
			}
			for _, body := range n.Graphs {
				if body.IsSymbolic() {
					return true
				}
			}
		}
	}
	return false
}

// IsSymbolic reports whether m is an integer, or mentions a symbol.
func (m Meta) IsSymbolic() bool {
	for _, d := range m.Shape {
		if d.expr != nil {
			return true
		}
	}
	for _, e := range m.Elems {
		if e.IsSymbolic() {
			return true
		}
	}
	return m.Int != nil
}

// Captures returns the concrete tensors that the root of t captured so far, in the order of its constants.
func (t *SubgraphTracer) Captures() []Capture {
	root := t.Root()
	captures := make([]Capture, len(root.captured))
	for i, v := range root.captured {
		captures[i] = *v.capture
	}
	return captures
}
