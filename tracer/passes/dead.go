package passes

import (
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// deadCode takes away what nobody reads: nodes that cannot fail, results of operators, carries that only keep
// themselves alive, and the inputs that are left without a reader. An operator is looked at from the last to the first,
// its results before its bodies and these before its arguments, so that one sweep takes a chain of any depth. A symbol
// is read by whoever mentions it.
func deadCode(r *run, g *tracer.Graph, root bool) {
	d := dead{r, map[*tracer.Graph]map[*tracer.Node]bool{}}
	d.graph(g)
}

type dead struct {
	*run
	done map[*tracer.Graph]map[*tracer.Node]bool
}

// graph sweeps g and returns the nodes and inputs that something reads.
func (d *dead) graph(g *tracer.Graph) map[*tracer.Node]bool {
	if read, ok := d.done[g]; ok {
		return read
	}
	m := newMarks(g)
	d.done[g] = m.read
	gets := getsOf(g)
	var live []*tracer.Node
	d.visits += len(g.Nodes)
	for _, n := range slices.Backward(g.Nodes) {
		if !m.needs(n) && d.droppable(n) {
			d.changed()
			continue
		}
		live = append(live, n)
		l, ok := layoutOf(n)
		if ok = ok && !d.shared(n); ok {
			l = d.results(n, l, gets[n], m.read)
		}
		inner := map[*tracer.Node]bool{}
		for _, b := range n.Graphs {
			for node := range d.graph(b) {
				inner[node] = true
			}
		}
		if ok {
			d.args(n, l, inner)
		}
		m.mark(n)
	}
	slices.Reverse(live)
	g.Nodes = live
	return m.read
}

func (d *dead) droppable(n *tracer.Node) bool {
	t := d.traits(n)
	return t.Pure && t.Total
}

// results takes away results of n, and carries with them.
func (d *dead) results(n *tracer.Node, l layout, gets []*tracer.Node, read map[*tracer.Node]bool) layout {
	alive := make([]bool, len(n.Meta.Elems))
	var used []*tracer.Node
	for _, get := range gets {
		if read[get] {
			alive[get.Attrs.Int("index")] = true
			used = append(used, get)
		}
	}
	loops := l.carries
	if l.pairs {
		loops = l.xs
	}
	for again := loops > 0; again; {
		again = false
		for i, g := range n.Graphs {
			m := newMarks(g)
			if l.last < 0 || l.last == i {
				clear(m.read)
				for k, o := range g.Outputs {
					if alive[k] {
						m.read[o] = true
					}
				}
			}
			d.shallow(g, m)
			for j := range loops {
				for _, k := range l.inputs(j) {
					if m.read[g.Inputs[k]] && !alive[j] {
						alive[j], again = true, true
					}
				}
			}
		}
	}
	if l.pairs && !slices.Contains(alive, true) {
		return l // one element must be left
	}
	for k := len(alive) - 1; k >= 0; k-- {
		if alive[k] {
			continue
		}
		dropResult(n, l, k, used)
		if k < loops {
			dropArg(n, l, k)
		}
		l, _ = layoutOf(n)
		d.changed()
	}
	return l
}

// shallow marks what the marked nodes of g need, with all that an operator is given.
func (d *dead) shallow(g *tracer.Graph, m *marks) {
	d.visits += len(g.Nodes)
	for _, n := range slices.Backward(g.Nodes) {
		if m.needs(n) || !d.droppable(n) {
			m.mark(n)
		}
	}
}

// args takes away arguments of n that its bodies do not read: scanned and lifted ones. A symbol stays, since sizes
// mention it.
func (d *dead) args(n *tracer.Node, l layout, read map[*tracer.Node]bool) {
	for i := len(n.Args) - 1; i >= l.head+l.carries; i-- {
		if n.Args[i].Meta.Int != nil || l.pairs && i < l.xs {
			continue
		}
		used := false
		for _, g := range n.Graphs {
			used = used || read[g.Inputs[l.inputs(i)[0]]]
		}
		if !used {
			dropArg(n, l, i)
			l, _ = layoutOf(n)
			d.changed()
		}
	}
}

// marks are what is read in one graph.
type marks struct {
	read  map[*tracer.Node]bool
	bound map[string]bool // symbols that are mentioned where a node must give them
	// makers are the nodes that made the symbols of guards: the first that mention them.
	makers map[*tracer.Node]bool
}

// newMarks marks the outputs and what the guards mention, apart from what the inputs give.
func newMarks(g *tracer.Graph) *marks {
	m := &marks{map[*tracer.Node]bool{}, map[string]bool{}, map[*tracer.Node]bool{}}
	for _, o := range g.Outputs {
		m.read[o] = true
	}
	guarded := map[string]bool{}
	for _, guard := range g.Guards {
		addSymbols(guarded, guard.Cond.A, guard.Cond.B)
	}
	for _, n := range slices.Concat(g.Inputs, g.Nodes) {
		if len(guarded) == 0 {
			break
		}
		given := map[string]bool{}
		symbolsOf(n.Meta, given)
		for name := range given {
			if guarded[name] {
				m.makers[n], m.read[n] = true, true
				delete(guarded, name)
			}
		}
	}
	return m
}

// needs reports whether n is read, or gives a symbol that is mentioned.
func (m *marks) needs(n *tracer.Node) bool {
	if m.read[n] || m.makers[n] {
		return true
	}
	given := map[string]bool{}
	symbolsOf(n.Meta, given)
	for name := range given {
		if n.Meta.Int != nil && m.bound[name] {
			return true
		}
	}
	return false
}

// mark marks what n reads.
func (m *marks) mark(n *tracer.Node) {
	for _, a := range n.Args {
		m.read[a] = true
	}
	for _, a := range n.Attrs {
		switch v := a.Value.(type) {
		case tracer.Int:
			addSymbols(m.bound, v)
		case []tracer.Int:
			addSymbols(m.bound, v...)
		}
	}
}

// Part returns g with those outputs alone that want selects, and without the nodes that only the others need and that
// cannot fail. Nodes and inputs are those of g, which stays as it is.
func Part(g *tracer.Graph, want []bool, ops Ops) *tracer.Graph {
	d, m, part := dead{newRun(ops), nil}, newMarks(g), *g
	clear(m.read)
	part.Nodes, part.Outputs = nil, nil
	for k, o := range g.Outputs {
		if want[k] {
			m.read[o] = true
			part.Outputs = append(part.Outputs, o)
		}
	}
	d.shallow(g, m)
	for _, n := range g.Nodes {
		if m.needs(n) || !d.droppable(n) {
			part.Nodes = append(part.Nodes, n)
		}
	}
	return &part
}
