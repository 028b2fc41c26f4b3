package passes

import (
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// hoist moves nodes out of the body of a loop whose arguments do not change in it, to before the loop. Only what cannot
// fail moves, and only out of a body that certainly runs: a loop without turns, a branch or the steps of a while loop
// may never ask for the value. The innermost loops come first, so that a node leaves as many as it can at once.
func hoist(r *run, g *tracer.Graph, root bool) {
	r.inBodies(g, hoistIn)
	hoistIn(r, g, root)
}

func hoistIn(r *run, g *tracer.Graph, root bool) {
	s := r.sweep(g, root)
	s.each(func(n *tracer.Node) bool {
		l, ok := layoutOf(n)
		if ok && l.steps && l.surely >= 0 && !r.shared(n) {
			s.hoistFrom(n, l)
		}
		return true
	})
}

// hoistFrom moves what it can before n.
func (s *sweep) hoistFrom(n *tracer.Node, l layout) {
	body := n.Graphs[l.surely]
	outside := map[*tracer.Node]*tracer.Node{} // what does not change, and what it is before the loop
	for i := l.firstLifted(); i < len(n.Args); i++ {
		outside[body.Inputs[l.inputs(i)[0]]] = n.Args[i]
	}
	moved := map[*tracer.Node]bool{}
	kept := make([]*tracer.Node, 0, len(body.Nodes))
	for _, m := range body.Nodes {
		if m.Op == tracer.OpLiteral {
			outside[m] = m
			kept = append(kept, m)
			continue
		}
		if !s.movable(m, outside) {
			kept = append(kept, m)
			continue
		}
		moved[m] = true
		for i, a := range m.Args {
			if outside[a] == a && a.Op == tracer.OpLiteral { // still the body's own
				c := literalNode(s.nameIn(s.g, a.Name), literalOf(a), a)
				s.put(c)
				outside[a] = c
			}
			m.Args[i] = outside[a]
		}
		m.Name = s.nameIn(s.g, m.Name)
		s.put(m)
		outside[m] = m
		s.changed()
	}
	if len(moved) == 0 {
		return
	}
	body.Nodes = kept
	swaps := map[*tracer.Node]*tracer.Node{}
	reads := func(list []*tracer.Node) {
		for _, a := range list {
			if moved[a] && swaps[a] == nil {
				swaps[a] = s.lift(n, a, a.Name)[l.surely]
			}
		}
	}
	for _, m := range kept {
		reads(m.Args)
	}
	reads(body.Outputs)
	replaceIn(body, swaps)
}

// movable reports whether m is the same in every step and may be computed before the first.
func (s *sweep) movable(m *tracer.Node, outside map[*tracer.Node]*tracer.Node) bool {
	if slices.ContainsFunc(m.Args, func(a *tracer.Node) bool { return outside[a] == nil }) || isSymbolic(m) {
		return false
	}
	t := s.traits(m)
	return t.Pure && t.Total
}

// isSymbolic reports whether a node is an integer, or says more of symbols than its arguments do: then the symbols may
// not be known elsewhere.
func isSymbolic(m *tracer.Node) bool {
	for _, a := range m.Attrs {
		switch a.Value.(type) {
		case tracer.Int, []tracer.Int:
			return true
		}
	}
	known := map[string]bool{}
	for _, a := range m.Args {
		symbolsOf(a.Meta, known)
	}
	made := map[string]bool{}
	symbolsOf(m.Meta, made)
	for name := range made {
		if !known[name] {
			return true
		}
	}
	return m.Meta.Int != nil
}

// symbolsOf adds the symbols of a meta.
func symbolsOf(m tracer.Meta, to map[string]bool) {
	if m.Int != nil {
		addSymbols(to, *m.Int)
	}
	addSymbols(to, m.Shape...)
	for _, e := range m.Elems {
		symbolsOf(e, to)
	}
}

func addSymbols(to map[string]bool, list ...tracer.Int) {
	for _, i := range list {
		for _, name := range i.Symbols() {
			to[name] = true
		}
	}
}
