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

// overwrites reports whether the update n, the i-th node of its graph, is the last to read base, whose elements it
// replaces. A value that is a view of base would be read while base is written.
func (f *frame) overwrites(n *tracer.Node, i int, base *tracer.Node) bool {
	if last, read := f.memory.last[base]; !read || last != i || f.levels[n] < f.scope.depth {
		return false
	}
	return !slices.ContainsFunc(n.Args[1:], func(a *tracer.Node) bool { return f.memory.own(a) == base })
}

// updated prepares the updates of g that write in place, before its nodes are bound: where the result of the last of a
// chain is wanted at some place, the first value of the chain is made there.
func (f *frame) updated(g *tracer.Graph) {
	made := map[*tracer.Node]bool{}
	for _, n := range g.Nodes {
		made[n] = true
	}
	for i, n := range slices.Backward(g.Nodes) {
		m := f.claims[n]
		if m == nil || f.inPlace[n] || !isUpdate(n) {
			continue
		}
		base := n.Args[0]
		if made[base] && f.overwrites(n, i, base) && f.levels[base] == f.levels[n] && f.claim(base, m) {
			f.inPlace[n] = true
		}
	}
}

// place returns where the update n, the i-th node, writes, and whether its first argument lies there already.
func (f *frame) place(n *tracer.Node, i int) (out *value, there bool) {
	level, base := f.levels[n], n.Args[0]
	if f.inPlace[n] {
		if v := f.env[base]; f.claims[n] == nil || v.mv == f.claims[n] && v.off == 0 {
			f.written[n] = true
			return v, true
		}
	}
	if f.claims[n] == nil && f.overwrites(n, i, base) && f.memory.hand(base, n) {
		f.written[n] = true
		return f.env[base], true
	}
	return f.result(n, level), false
}

// updatesCarry marks the updates by which carry j of a loop becomes its next value, when they may be made where the
// carry lies: nobody reads the carry behind the first of them, nor what one of them gives but the next.
func (f *frame) updatesCarry(g *tracer.Graph, in, next *tracer.Node, others []*tracer.Node) bool {
	at := map[*tracer.Node]int{}
	for i, n := range g.Nodes {
		at[n] = i
	}
	var chain []*tracer.Node
	for n := next; n != in; n = n.Args[0] {
		i, made := at[n]
		if made && reshapes(n) && f.claims[n] == nil {
			continue // it shows the same elements
		}
		if !made || !isUpdate(n) || f.claims[n] != nil || !f.overwrites(n, i, f.memory.own(n.Args[0])) {
			return false
		}
		chain = append(chain, n)
	}
	if len(chain) == 0 || slices.Contains(others, next) {
		return false
	}
	for _, n := range chain {
		f.inPlace[n] = true
	}
	return true
}
