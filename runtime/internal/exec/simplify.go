package exec

import (
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// simplifier makes of a graph one that computes the same with less work. Nodes are copied, the graph stays as it is.
//
//   - A node that only copies goes: a Clone that the contract demands costs nothing here, because the executor itself
//     keeps apart what must not share memory.
//   - A checkpoint, subgraph or custom_vjp is replaced by its graph, the forward one.
//   - What nothing reads and cannot fail goes: the residuals of a derivative that nobody asks for, for one.
//   - A cond of a few cheap scalar ops that cannot fail computes both branches and chooses: a jump that is mispredicted
//     costs more.
//   - Next carries that nothing else reads are computed last, so that they may lie where the carry does.
type simplifier struct {
	lib Library
	// inlined are the operators whose place a node's graph took, outermost first.
	inlined map[*tracer.Node][]*tracer.Node
}

// building is one graph while it is simplified.
type building struct {
	*simplifier
	out *tracer.Graph
	// now are the nodes that stand for those of the old graph, and parts for those that stood for tuples.
	now   map[*tracer.Node]*tracer.Node
	parts map[*tracer.Node][]*tracer.Node
	// around are the operators whose graphs are being put into out.
	around []*tracer.Node
}

func (s *simplifier) graph(g *tracer.Graph) *tracer.Graph {
	b := &building{simplifier: s, now: map[*tracer.Node]*tracer.Node{}, parts: map[*tracer.Node][]*tracer.Node{}}
	b.out = &tracer.Graph{Name: g.Name, Inputs: g.Inputs, Constants: g.Constants, Guards: g.Guards}
	b.add(g)
	b.out.Outputs = b.get(g.Outputs)
	b.prune()
	return b.out
}

// get returns what stands for nodes.
func (b *building) get(nodes []*tracer.Node) []*tracer.Node {
	mapped := make([]*tracer.Node, len(nodes))
	for i, n := range nodes {
		mapped[i] = n
		if m, ok := b.now[n]; ok {
			mapped[i] = m
		}
	}
	return mapped
}

// add appends the nodes of g, whose inputs stand for nodes of out already.
func (b *building) add(g *tracer.Graph) {
	laidOut := layoutsRead(g)
	for _, n := range g.Nodes {
		args := b.get(n.Args)
		switch {
		case n.Op == tracer.OpGet && b.parts[n.Args[0]] != nil:
			b.now[n] = b.parts[n.Args[0]][n.Attrs.Int("index")]
			continue
		case isInlined(n.Op):
			b.parts[n] = b.inline(n, n.Graphs[0], args)
			continue
		case len(n.Graphs) == 0 && len(args) == 1 && !laidOut[n] && b.copies(n, args[0]):
			b.now[n] = args[0]
			continue
		}
		c := *n
		c.Args, c.Graphs = args, make([]*tracer.Graph, len(n.Graphs))
		for i, body := range n.Graphs {
			c.Graphs[i] = b.graph(body)
		}
		if n.Op == "cond" && b.choosable(&c) {
			b.parts[n] = b.choose(&c)
			continue
		}
		if n.Op == "scan" || n.Op == "for_loop" || n.Op == "while_loop" {
			sink(c.Graphs[len(c.Graphs)-1], b.lib)
		}
		b.now[n] = &c
		b.append(&c)
	}
}

// layoutsRead are the nodes of g whose place in memory an as_strided window counts on: a copy of them is row-major, what
// it was copied from need not be.
func layoutsRead(g *tracer.Graph) map[*tracer.Node]bool {
	set := map[*tracer.Node]bool{}
	for _, n := range g.Nodes {
		if n.Op == "as_strided" {
			set[n.Args[0]] = true
		}
	}
	return set
}

func (b *building) append(n *tracer.Node) {
	if len(b.around) > 0 {
		b.inlined[n] = slices.Clone(b.around)
	}
	b.out.Nodes = append(b.out.Nodes, n)
}

func (b *building) copies(n, arg *tracer.Node) bool {
	k, ok := b.lib.Kernel(n.Op)
	return ok && k.Identity && n.Meta.Equal(arg.Meta)
}

// inline appends the nodes of the body g of n, called with args, and returns its outputs. A body may be that of several
// nodes, so each has names of its own for its nodes.
func (b *building) inline(n *tracer.Node, g *tracer.Graph, args []*tracer.Node) []*tracer.Node {
	inner := &building{simplifier: b.simplifier, out: b.out, around: append(slices.Clone(b.around), n),
		now: map[*tracer.Node]*tracer.Node{}, parts: map[*tracer.Node][]*tracer.Node{}}
	for i, in := range g.Inputs {
		inner.now[in] = args[i]
	}
	inner.add(g)
	return inner.get(g.Outputs)
}

// maxChosen bounds the nodes of both branches of a cond that is computed without a jump.
const maxChosen = 8

// choosable reports whether both branches of a cond may be computed, and are cheap enough.
func (b *building) choosable(n *tracer.Node) bool {
	if where, ok := b.lib.Kernel("where"); !ok || where.Pointwise == nil || len(n.Args[0].Meta.Shape) > 0 {
		return false
	}
	nodes := 0
	for _, g := range n.Graphs {
		nodes += len(g.Nodes)
		for _, inner := range g.Nodes {
			if len(inner.Meta.Shape) > 0 || !cheap(inner, b.lib) {
				return false
			}
		}
		for _, out := range g.Outputs {
			if len(out.Meta.Shape) > 0 {
				return false
			}
		}
	}
	return nodes <= maxChosen
}

// cheap reports whether n is an elementwise op of a few cycles that cannot fail.
func cheap(n *tracer.Node, lib Library) bool {
	if !infallible(n, lib) {
		return false
	}
	k, _ := lib.Kernel(n.Op)
	switch k.Pointwise.Op {
	case "add", "sub", "rsub", "mul", "neg", "abs", "square", "maximum", "minimum", "clamp", "relu", "one_minus", "cast",
		"eq", "ne", "lt", "le", "gt", "ge", "and", "or", "xor", "not", "where", "sign", "is_nan":
		return true
	}
	return false
}

// infallible reports whether n is an elementwise op whose arguments cannot be wrong.
func infallible(n *tracer.Node, lib Library) bool {
	if len(n.Graphs) > 0 || len(n.Args) == 0 || !n.Meta.IsTensor() || n.Op == tracer.OpPut || n.Op == tracer.OpGet {
		return false
	}
	k, ok := lib.Kernel(n.Op)
	if !ok || k.Pointwise == nil {
		return false
	}
	code, ok := k.Pointwise.CodeFor(n.Args[len(n.Args)-1].Meta.DType, n.Meta.DType)
	return ok && code.Out == n.Meta.DType && code.Check == nil
}

// choose appends both branches of a cond and the choice between their outputs, which it returns.
func (b *building) choose(n *tracer.Node) []*tracer.Node {
	taken, other := b.inline(n, n.Graphs[0], n.Args[1:]), b.inline(n, n.Graphs[1], n.Args[1:])
	results := make([]*tracer.Node, len(taken))
	for i := range taken {
		if results[i] = taken[i]; taken[i] == other[i] {
			continue
		}
		results[i] = &tracer.Node{Name: n.Name, Op: "where", Pos: n.Pos, Meta: taken[i].Meta,
			Args: []*tracer.Node{n.Args[0], taken[i], other[i]}}
		b.append(results[i])
	}
	return results
}

// prune removes nodes of out that nothing reads and that cannot fail.
func (b *building) prune() {
	read := map[*tracer.Node]bool{}
	for _, n := range b.out.Outputs {
		read[n] = true
	}
	for i := len(b.out.Nodes) - 1; i >= 0; i-- {
		n := b.out.Nodes[i]
		if !read[n] && b.safe(n) {
			b.out.Nodes[i] = nil
			continue
		}
		for _, a := range n.Args {
			read[a] = true
		}
	}
	b.out.Nodes = slices.DeleteFunc(b.out.Nodes, func(n *tracer.Node) bool { return n == nil })
}

// safe reports whether n is known not to fail: an elementwise op, a view, or one of the ops with batches.
func (b *building) safe(n *tracer.Node) bool {
	switch n.Op {
	case tracer.OpGet, tracer.OpLiteral:
		return true
	}
	if len(n.Graphs) > 0 || n.Op == tracer.OpPut {
		return false
	}
	if k, ok := b.lib.Kernel(n.Op); ok && k.View != nil {
		return true
	}
	return infallible(n, b.lib) || hasBatch(n)
}

// sink moves rank-0 nodes that nothing in the graph reads behind all others; they cannot fail, so that the first
// failure of a step stays the same.
func sink(g *tracer.Graph, lib Library) {
	read := map[*tracer.Node]bool{}
	for _, n := range g.Nodes {
		for _, a := range n.Args {
			read[a] = true
		}
	}
	var last []*tracer.Node
	g.Nodes = slices.DeleteFunc(g.Nodes, func(n *tracer.Node) bool {
		late := !read[n] && len(n.Meta.Shape) == 0 && infallible(n, lib)
		if late {
			last = append(last, n)
		}
		return late
	})
	g.Nodes = append(g.Nodes, last...)
}
