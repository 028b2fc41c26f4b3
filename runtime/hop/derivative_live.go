package hop

import (
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// liveGraph returns g without the nodes that no output depends on, in its bodies too, and bodies without the lifted inputs
// that they do not read. Unlike the executor, which must not hide a failure, it drops what can fail as well: it is for
// derivatives, whose forward run has computed the same and did not fail.
func liveGraph(g *tracer.Graph) *tracer.Graph {
	return (&liveness{shared: map[*tracer.Graph]int{}, done: map[*tracer.Graph]*tracer.Graph{}}).top(g)
}

type liveness struct {
	shared map[*tracer.Graph]int // how many nodes have a body
	done   map[*tracer.Graph]*tracer.Graph
}

func (l *liveness) top(g *tracer.Graph) *tracer.Graph {
	l.count(g)
	return l.graph(g)
}

func (l *liveness) count(g *tracer.Graph) {
	for _, n := range g.Nodes {
		for _, b := range n.Graphs {
			if l.shared[b]++; l.shared[b] == 1 {
				l.count(b)
			}
		}
	}
}

func (l *liveness) graph(g *tracer.Graph) *tracer.Graph {
	if c := l.done[g]; c != nil {
		return c
	}
	c := copyGraph(g)
	read := map[*tracer.Node]bool{}
	mentioned := map[string]bool{} // symbols in attributes of nodes that are kept
	for _, n := range c.Outputs {
		read[n] = true
	}
	var nodes []*tracer.Node
	for _, n := range slices.Backward(c.Nodes) {
		if !read[n] && !givesOneOf(n, mentioned) {
			continue
		}
		l.bodies(n)
		for _, a := range n.Args {
			read[a] = true
		}
		for _, a := range n.Attrs {
			for _, name := range symbolsIn(a.Value) {
				mentioned[name] = true
			}
		}
		nodes = append(nodes, n)
	}
	slices.Reverse(nodes)
	c.Nodes = nodes
	c.Guards = guardsOf(c)
	l.done[g] = c
	return c
}

// givesOneOf reports whether n is an integer that mentions one of the symbols: an attribute has a symbol from there.
func givesOneOf(n *tracer.Node, mentioned map[string]bool) bool {
	return n.Meta.Int != nil && slices.ContainsFunc(n.Meta.Int.Symbols(), func(name string) bool { return mentioned[name] })
}

// guardsOf are the guards of g whose symbols its nodes make. The forward run has held the others.
func guardsOf(g *tracer.Graph) []tracer.Guard {
	if len(g.Guards) == 0 {
		return nil
	}
	made := map[string]bool{}
	var add func(m tracer.Meta)
	add = func(m tracer.Meta) {
		if m.Int != nil {
			for _, name := range m.Int.Symbols() {
				made[name] = true
			}
		}
		for _, size := range m.Shape {
			for _, name := range size.Symbols() {
				made[name] = true
			}
		}
		for _, e := range m.Elems {
			add(e)
		}
	}
	for _, n := range slices.Concat(g.Inputs, g.Nodes) {
		add(n.Meta)
	}
	return slices.DeleteFunc(slices.Clone(g.Guards), func(guard tracer.Guard) bool {
		return slices.ContainsFunc(slices.Concat(guard.Cond.A.Symbols(), guard.Cond.B.Symbols()), func(name string) bool { return !made[name] })
	})
}

// symbolsIn are the symbols that the value of an attribute mentions.
func symbolsIn(value any) (names []string) {
	switch v := value.(type) {
	case tracer.Int:
		return v.Symbols()
	case []tracer.Int:
		for _, i := range v {
			names = append(names, i.Symbols()...)
		}
	}
	return names
}

// bodies makes the bodies of n live ones, and drops lifted arguments that none of them reads.
func (l *liveness) bodies(n *tracer.Node) {
	if len(n.Graphs) == 0 {
		return
	}
	alone := true
	n.Graphs = slices.Clone(n.Graphs)
	for i, b := range n.Graphs {
		alone = alone && l.shared[b] == 1
		n.Graphs[i] = l.graph(b)
	}
	first := liftedFrom(n)
	if !alone || first < 0 {
		return
	}
	for i := len(n.Args) - 1; i >= first; i-- {
		fromEnd := len(n.Args) - i
		at := func(b *tracer.Graph) int { return len(b.Inputs) - fromEnd }
		if slices.ContainsFunc(n.Graphs, func(b *tracer.Graph) bool { return readsInput(b, b.Inputs[at(b)]) }) {
			continue
		}
		n.Args = slices.Delete(n.Args, i, i+1)
		for _, b := range n.Graphs {
			b.Inputs = slices.Delete(b.Inputs, at(b), at(b)+1)
		}
	}
}

// liftedFrom is the place of the first argument of an operator that all its bodies take at the same place from their
// end, and -1 when there is none.
func liftedFrom(n *tracer.Node) int {
	switch n.Op {
	case "scan", "map", "vmap", "associative_scan", "while_loop", "for_loop":
		return n.Attrs.Int("n_carry") + n.Attrs.Int("n_xs")
	case "while_sweeps":
		return len(n.Meta.Elems)
	case "cond", "switch":
		return 1
	case "checkpoint", "subgraph":
		return 0
	default:
		return -1
	}
}

func readsInput(g *tracer.Graph, in *tracer.Node) bool {
	if in.Meta.Int != nil && sizesMention(g, in.Meta.Int.Symbols()) {
		return true
	}
	return slices.Contains(g.Outputs, in) || slices.ContainsFunc(g.Nodes, func(n *tracer.Node) bool { return slices.Contains(n.Args, in) })
}

// activeNodes are the nodes that a gradient runs through: floats and tuples computed from an input that wants one.
func activeNodes(g *tracer.Graph, want []bool) map[*tracer.Node]bool {
	active := map[*tracer.Node]bool{}
	for i, in := range g.Inputs {
		active[in] = want[i]
	}
	for _, n := range g.Nodes {
		active[n] = (n.Meta.Elems != nil || n.Meta.DType.IsFloat()) && slices.ContainsFunc(n.Args, func(a *tracer.Node) bool { return active[a] })
	}
	return active
}

// pulledBack is the derivative of g as a graph: from the integers that symbols stand for and its inputs, then cotangents of
// its float outputs, to gradients of the inputs that want one.
func pulledBack(symbols []tracer.Symbol, g *tracer.Graph, want []bool) *tracer.Graph {
	metas := metasOf(g.Inputs)
	for _, out := range g.Outputs {
		if out.Meta.DType.IsFloat() {
			metas = append(metas, out.Meta)
		}
	}
	return graphOf(symbols, metas, g.Inputs[0].Pos, func(args []*Tensor) []*Tensor {
		cotangents, k := make([]*Tensor, len(g.Outputs)), len(g.Inputs)
		for i, out := range g.Outputs {
			if out.Meta.DType.IsFloat() {
				cotangents[i] = args[k]
				k++
			}
		}
		return given(pullback(g, args[:len(g.Inputs)], cotangents, want, nil))
	})
}

// derivativeReads reports which inputs of g its derivative reads.
func derivativeReads(symbols []tracer.Symbol, g *tracer.Graph, want []bool) []bool {
	pulled := pulledBack(symbols, g, want)
	reads := make([]bool, len(g.Inputs))
	for i := range reads {
		reads[i] = readsInput(pulled, pulled.Inputs[len(symbols)+i])
	}
	return reads
}

// sizesMention reports whether a shape or an attribute of g, or of its bodies, mentions one of the symbols.
func sizesMention(g *tracer.Graph, names []string) bool {
	replaced := map[string]tracer.Int{}
	for _, name := range names {
		replaced[name] = tracer.Const(0)
	}
	for _, n := range slices.Concat(g.Inputs, g.Nodes) {
		if n.Meta.Int == nil && !n.Meta.Equal(n.Meta.Replace(replaced)) {
			return true
		}
		for _, a := range n.Attrs.Replace(replaced) {
			if !sameAttr(a, tracer.Attr{Key: a.Key, Value: n.Attrs.Get(a.Key)}) {
				return true
			}
		}
		if slices.ContainsFunc(n.Graphs, func(b *tracer.Graph) bool { return sizesMention(b, names) }) {
			return true
		}
	}
	return false
}
