package hop

import (
	"fmt"
	"math"
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// Derivatives where sizes are open. The graphs of a derivative take the integers that its symbols stand for in front of
// their other arguments: an attribute may mention a symbol that no operand has as a dim, and a trace that adopts another
// gives symbols new names.

// symbolsOf returns what tr knows of the symbols that the operands and attributes of n mention, and those that only its
// results do, which n makes. They come in the order in which n mentions them.
func symbolsOf(tr *tracer.SubgraphTracer, n *tracer.Node) (symbols, made []tracer.Symbol) {
	seen := map[string]bool{}
	list := func(to *[]tracer.Symbol, least int, ints ...tracer.Int) {
		for _, i := range ints {
			for _, name := range i.Symbols() {
				if seen[name] {
					continue
				}
				seen[name] = true
				s, ok := tr.Symbol(name)
				if !ok || to == &made {
					s = tracer.Symbol{Name: name, Lo: least, Hi: math.MaxInt}
				}
				*to = append(*to, s)
			}
		}
	}
	of := func(to *[]tracer.Symbol, m tracer.Meta) {
		if m.Int != nil {
			list(to, math.MinInt, *m.Int)
		}
		list(to, 0, m.Shape...)
	}
	for _, a := range n.Args {
		of(&symbols, a.Meta)
	}
	for _, a := range n.Attrs {
		switch v := a.Value.(type) {
		case []tracer.Int:
			list(&symbols, math.MinInt, v...)
		case tracer.Int:
			list(&symbols, math.MinInt, v)
		}
	}
	for _, m := range n.Meta.Elems {
		of(&made, m)
	}
	return symbols, made
}

// attrSymbols are the symbols that only attributes of n, or expressions in metas of its operands, mention.
func attrSymbols(tr *tracer.SubgraphTracer, n *tracer.Node, operands []tracer.Meta) []tracer.Symbol {
	if !n.Attrs.Symbolic() {
		return nil
	}
	given := symbols{}
	for _, m := range operands {
		given.bind(m, m)
	}
	list, _ := symbolsOf(tr, &tracer.Node{Attrs: n.Attrs})
	return slices.DeleteFunc(list, func(s tracer.Symbol) bool { _, known := given[s.Name]; return known })
}

// sizesOf returns the integers of tr that symbols stand for, as operands.
func sizesOf(tr *tracer.SubgraphTracer, symbols []tracer.Symbol) []*Tensor {
	list := make([]*Tensor, len(symbols))
	for i, s := range symbols {
		list[i] = intIn(tr, s.Expr()).leaf()
	}
	return list
}

// madeSizes returns what the symbols that the node makes stand for, from the results of the forward graph.
func (d *derivative) madeSizes(outs []*Tensor) []*Tensor {
	if len(d.made) == 0 {
		return nil
	}
	known := symbols{}
	for i, m := range d.node.Meta.Elems {
		known.bind(m, outs[i].meta())
	}
	list := make([]*Tensor, len(d.made))
	for i, s := range d.made {
		list[i] = intIn(traceOf(outs), known[s.Name]).leaf()
	}
	return list
}

// tensorCarries returns a loop whose carries are tensors, and operands for it: an integer is an int64 scalar, which the
// bodies read the integer from. So each step's can be kept like any other carry.
func tensorCarries(n *tracer.Node, ins []*Tensor) (*tracer.Node, []*Tensor) {
	carry := n.Attrs.Int("n_carry")
	isInt := func(a *tracer.Node) bool { return a.Meta.Int != nil }
	if n.Op != "scan" && n.Op != "while_loop" && n.Op != "for_loop" || !slices.ContainsFunc(n.Args[:carry], isInt) {
		return n, ins
	}
	m := *n
	m.Args, m.Meta.Elems, ins = slices.Clone(n.Args), slices.Clone(n.Meta.Elems), slices.Clone(ins)
	var places []int
	for i, a := range n.Args[:carry] {
		if isInt(a) {
			places = append(places, i)
			ins[i] = intOfLeaf(ins[i]).Tensor(Int64)
			m.Args[i] = &tracer.Node{Name: a.Name, Op: tracer.OpInput, Meta: tracer.TensorMeta(Int64)}
			m.Meta.Elems[i] = tracer.TensorMeta(Int64)
		}
	}
	m.Graphs = slices.Clone(n.Graphs)
	for k, g := range n.Graphs {
		first := 0
		if n.Op == "for_loop" { // the index comes before the carry
			first = 1
		}
		m.Graphs[k] = tensorInputs(g, first, places, len(g.Outputs) >= carry && (n.Op != "while_loop" || k > 0))
	}
	return &m, ins
}

// tensorInputs returns a body that takes int64 scalars in place of the integers at the given places behind the first
// inputs, and gives such as its next carry when it gives one.
func tensorInputs(g *tracer.Graph, first int, places []int, next bool) *tracer.Graph {
	c := copyGraph(g)
	now := map[*tracer.Node]*tracer.Node{} // the integer that an input was
	given := map[*tracer.Node]*tracer.Node{}
	var items []*tracer.Node
	for _, i := range places {
		in := c.Inputs[first+i]
		t := &tracer.Node{Name: in.Name, Op: tracer.OpInput, Meta: tracer.TensorMeta(Int64), Pos: in.Pos}
		item := &tracer.Node{Name: in.Name + "_item", Op: symItem, Args: []*tracer.Node{t}, Meta: in.Meta, Pos: in.Pos}
		now[in], given[in], c.Inputs[first+i], items = item, t, t, append(items, item)
	}
	for _, n := range c.Nodes {
		for k, a := range n.Args {
			if item := now[a]; item != nil {
				n.Args[k] = item
			}
		}
	}
	c.Nodes = append(items, c.Nodes...)
	if !next {
		return c
	}
	for _, k := range places {
		out := c.Outputs[k]
		item, isInput := now[out]
		if isInput && given[out] == c.Inputs[first+k] { // handed on
			c.Outputs[k] = given[out]
			continue
		}
		if isInput {
			out = item
		}
		n := &tracer.Node{Name: fmt.Sprintf("next%d", k), Op: symScalar, Args: []*tracer.Node{out}, Attrs: attrs("dtype", Int64), Meta: tracer.TensorMeta(Int64), Pos: out.Pos}
		c.Nodes = append(c.Nodes, n)
		c.Outputs[k] = n
	}
	return c
}
