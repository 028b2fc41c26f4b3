package exec

import (
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// An update is an op whose result is its first argument with some elements replaced: Put, Scatter, and the write
// through a view that a graph holds in functional form. Where nobody reads the first argument any more, the elements are
// written where it lies and nothing else is copied. A loop that fills a table, one element in a step, then costs what
// the elements cost.

// isUpdate reports whether n replaces elements of its first argument.
func isUpdate(n *tracer.Node) bool {
	switch n.Op {
	case tracer.OpPut, "put_at", "scatter", "scatter_add":
		return len(n.Args) > 0 && n.Meta.Equal(n.Args[0].Meta)
	}
	return false
}

// reshapes reports whether n shows all elements of its argument, in their order. What updates are made of lies row by row.
func reshapes(n *tracer.Node) bool {
	switch n.Op {
	case "reshape", "view", "flatten", "unsqueeze", "squeeze":
		return len(n.Args) == 1
	}
	return false
}

// overwrites reports whether by, the i-th node of its graph, is the last to read base, of which it replaces elements. A
// value that is a view of base would be read while base is written.
func (f *frame) overwrites(by *tracer.Node, i int, base *tracer.Node) bool {
	last, read := f.memory.last[base]
	return read && last == i && f.levels[by] >= f.scope.depth && f.memory.once(by, base)
}

// updated prepares the updates of g that write in place, before its nodes are bound: where the result of the last of a
// chain is wanted at some place, the first value of the chain is made there.
func (f *frame) updated(g *tracer.Graph) {
	at := indices(g)
	for _, n := range slices.Backward(g.Nodes) {
		m := f.claims[n]
		if m == nil || f.inPlace[n] {
			continue
		}
		by, base := f.updates.link(n)
		if by == nil {
			continue
		}
		if _, made := at[base]; made && f.overwrites(by, at[by], base) && f.levels[base] == f.levels[n] && f.claim(base, m) {
			f.inPlace[n] = true
		}
	}
}

func indices(g *tracer.Graph) map[*tracer.Node]int {
	at := make(map[*tracer.Node]int, len(g.Nodes))
	for i, n := range g.Nodes {
		at[n] = i
	}
	return at
}

// place returns where n lies, which is base with elements replaced by the i-th node of its graph, and whether base lies
// there already.
func (f *frame) place(n, by, base *tracer.Node, i int) (out *value, there bool) {
	if f.inPlace[n] {
		if v := f.env[base]; f.claims[n] == nil || v.mv == f.claims[n] && v.off == 0 {
			f.written[n] = true
			return v, true
		}
	}
	if f.claims[n] == nil && f.overwrites(by, i, base) && f.memory.hand(base, n) {
		f.written[n] = true
		return f.env[base], true
	}
	return f.result(n, f.levels[n]), false
}

// updatesInput marks the updates by which the input in becomes the output next, when they may be made where the input
// lies: nobody reads the input behind the first of them, nor what one of them gives but the next. others are outputs too.
func (f *frame) updatesInput(g *tracer.Graph, in, next *tracer.Node, others []*tracer.Node) bool {
	at := indices(g)
	var chain []*tracer.Node
	for n := next; n != in; {
		if _, made := at[n]; made && reshapes(n) && f.claims[n] == nil {
			n = n.Args[0] // it shows the same elements
			continue
		}
		by, base := f.updates.link(n)
		if by == nil || f.claims[n] != nil {
			return false
		}
		if i, made := at[by]; !made || !f.overwrites(by, i, f.memory.own(base)) {
			return false
		}
		chain = append(chain, n)
		n = base
	}
	if len(chain) == 0 || slices.Contains(others, next) {
		return false
	}
	for _, n := range chain {
		f.inPlace[n] = true
	}
	return true
}

// updates knows which operators hand on an operand with elements replaced: a conditional all branches of which do, a
// loop that does so with a carry. It is a property of graphs alone, so that it is known of an operator before it is bound.
type updates struct {
	lib Library
	// operands are by result of an operator the argument that it is an update of, -1 for none.
	operands map[*tracer.Node][]int
}

// link returns, for a value that is another one with elements replaced, who replaces them and that other one.
func (u *updates) link(n *tracer.Node) (by, base *tracer.Node) {
	if isUpdate(n) {
		return n, n.Args[0]
	}
	if n.Op == tracer.OpGet {
		if by := n.Args[0]; len(by.Graphs) > 0 {
			if a := u.operand(by, n.Attrs.Int("index")); a >= 0 {
				return by, by.Args[a]
			}
		}
	}
	return nil, nil
}

// operand returns the argument of an operator that its result k is an update of, -1 for none.
func (u *updates) operand(n *tracer.Node, k int) int {
	list, ok := u.operands[n]
	if !ok {
		list = make([]int, len(n.Meta.Elems))
		for k := range list {
			list[k] = -1
		}
		switch k := n.Attrs.Int("n_carry"); n.Op {
		case "cond", "switch":
			u.through(list, n.Graphs, 1)
		case "scan":
			u.through(list[:k], n.Graphs, 0)
		case "for_loop":
			u.through(list, n.Graphs, -1)
		case "while_loop":
			u.through(list, n.Graphs[1:], 0)
		}
		if hasSteps(n.Op) {
			for k, a := range list {
				if a != k {
					list[k] = -1 // of another carry
				}
			}
		}
		u.operands[n] = list
	}
	return list[k]
}

// through sets the arguments that become the outputs of all bodies by updates; head is how many arguments a body is not
// given, less the inputs that are no arguments.
func (u *updates) through(list []int, bodies []*tracer.Graph, head int) {
	for i, g := range bodies {
		m := reading(g, u.lib)
		at := indices(g)
		for k := range list {
			a := -1
			if in := u.source(g, m, at, k); in >= 0 {
				a = in + head
			}
			if i > 0 && a != list[k] {
				a = -1
			}
			list[k] = a
		}
	}
}

// source returns the input of g that output k is by updates, each the last to read what it replaces elements of.
func (u *updates) source(g *tracer.Graph, m memory, at map[*tracer.Node]int, k int) int {
	n := g.Outputs[k]
	if len(n.Meta.Shape) == 0 || slices.Contains(g.Outputs[:k], n) || slices.Contains(g.Outputs[k+1:], n) {
		return -1
	}
	for {
		i, made := at[n]
		if !made {
			return slices.Index(g.Inputs, n)
		}
		if reshapes(n) {
			n = n.Args[0]
			continue
		}
		by, base := u.link(n)
		if by == nil {
			return -1
		}
		i = at[by]
		if last, read := m.last[m.own(base)]; !read || last != i || !m.once(by, m.own(base)) {
			return -1
		}
		n = base
	}
}
