package hop

import (
	endian "encoding/binary"
	"fmt"

	"github.com/hoplint/hoplint/tracer"
)

// lowered returns g for the executor, which knows tensors only: an integer is an int64 scalar, an expression the ops that
// compute it, a guard on what depends on data an op that fails. It reports false when a shape or an attribute still
// depends on data: then the graph can only run op by op.
func lowered(g *tracer.Graph) (*tracer.Graph, bool) {
	l := lowering{done: map[*tracer.Graph]*tracer.Graph{}}
	out := l.graph(g)
	return out, !l.failed
}

type lowering struct {
	done   map[*tracer.Graph]*tracer.Graph // a body may be that of several nodes
	failed bool
}

// lowerGraph is one graph while it is lowered.
type lowerGraph struct {
	*lowering
	out  *tracer.Graph
	now  map[*tracer.Node]*tracer.Node
	ints map[string]*tracer.Node // the scalar of each symbol and each whole expression
	// guards are those that are not placed yet.
	guards []tracer.Guard
	// name is of the node being lowered; what it turns into is found by it.
	node *tracer.Node
	made int
}

func (l *lowering) graph(g *tracer.Graph) *tracer.Graph {
	if out := l.done[g]; out != nil {
		return out
	}
	b := &lowerGraph{lowering: l, out: &tracer.Graph{Name: g.Name}, now: map[*tracer.Node]*tracer.Node{}, ints: map[string]*tracer.Node{}, guards: g.Guards}
	l.done[g] = b.out
	for _, n := range g.Inputs {
		b.out.Inputs = append(b.out.Inputs, b.copied(n))
	}
	for _, n := range g.Constants {
		b.out.Constants = append(b.out.Constants, b.copied(n))
	}
	b.hold()
	for _, n := range g.Nodes {
		b.node = n
		b.add(n)
		b.hold()
	}
	b.out.Outputs = b.list(g.Outputs)
	return b.out
}

func (b *lowerGraph) list(nodes []*tracer.Node) []*tracer.Node {
	list := make([]*tracer.Node, len(nodes))
	for i, n := range nodes {
		list[i] = b.now[n]
	}
	return list
}

// copied returns n with tensors in place of integers, without appending it to the graph.
func (b *lowerGraph) copied(n *tracer.Node) *tracer.Node {
	m := *n
	m.Args, m.Meta = b.list(n.Args), b.meta(n.Meta)
	b.failed = b.failed || m.Attrs.Symbolic()
	b.is(n, &m)
	return &m
}

// is says that m stands for n.
func (b *lowerGraph) is(n, m *tracer.Node) {
	b.now[n] = m
	if n.Meta.Int != nil {
		if _, known := b.ints[n.Meta.Int.String()]; !known {
			b.ints[n.Meta.Int.String()] = m
		}
	}
}

func (b *lowerGraph) meta(m tracer.Meta) tracer.Meta {
	if m.Int != nil {
		return tracer.TensorMeta(Int64)
	}
	if _, ok := m.ConstShape(); !ok {
		b.failed = true
	}
	if m.Elems != nil {
		elems := make([]tracer.Meta, len(m.Elems))
		for i, e := range m.Elems {
			elems[i] = b.meta(e)
		}
		m.Elems = elems
	}
	return m
}

func (b *lowerGraph) add(n *tracer.Node) {
	switch n.Op {
	case tracer.OpInt, tracer.OpSize:
		b.is(n, b.integer(*n.Meta.Int))
		return
	case symItem:
		m := b.copied(n)
		m.Op = symWhole
		b.out.Nodes = append(b.out.Nodes, m)
		return
	case symScalar:
		m := b.copied(n)
		if m.Op = "cast"; n.Attrs.DType("dtype") == Int64 {
			m.Op, m.Attrs = "clone", nil
		}
		b.out.Nodes = append(b.out.Nodes, m)
		return
	}
	m := b.copied(n)
	for i, body := range n.Graphs {
		if i == 0 {
			m.Graphs = make([]*tracer.Graph, len(n.Graphs))
		}
		m.Graphs[i] = b.graph(body)
	}
	b.out.Nodes = append(b.out.Nodes, m)
}

// integer returns the scalar of an expression.
func (b *lowerGraph) integer(i tracer.Int) *tracer.Node {
	if known := b.ints[i.String()]; known != nil {
		return known
	}
	return tracer.Fold(i, b.constant, func(name string) *tracer.Node {
		n := b.ints[name]
		if n == nil { // a size that depends on data
			b.failed = true
			return b.constant(0)
		}
		return n
	}, func(op string, x, y *tracer.Node) *tracer.Node {
		if by, ok := y.Attrs.Get("value").(*tracer.Literal); y.Op == tracer.OpLiteral && ok && endian.LittleEndian.Uint64(by.Data) != 0 || op != "floordiv" && op != "mod" {
			return b.emit(integerOps[op], tracer.TensorMeta(Int64), nil, x, y)
		}
		if op == "floordiv" {
			return b.emit(symDiv, tracer.TensorMeta(Int64), nil, x, y)
		}
		return b.emit(symMod, tracer.TensorMeta(Int64), nil, x, y)
	})
}

// integerOps are the ops of the table that compute with integers as expressions do.
var integerOps = map[string]string{"add": "add", "mul": "mul", "floordiv": "div", "mod": "mod", "max": "maximum", "min": "minimum"}

func (b *lowerGraph) constant(n int) *tracer.Node {
	data := endian.LittleEndian.AppendUint64(nil, uint64(n))
	return b.emit(tracer.OpLiteral, tracer.TensorMeta(Int64), tracer.Attrs{attr("value", &tracer.Literal{DType: Int64, Shape: []int{}, Data: data})})
}

func (b *lowerGraph) emit(op string, m tracer.Meta, list tracer.Attrs, args ...*tracer.Node) *tracer.Node {
	n := &tracer.Node{Op: op, Meta: m, Attrs: list, Args: args}
	if b.node != nil {
		n.Name, n.Pos = fmt.Sprintf("%s.%d", b.node.Name, b.made), b.node.Pos
	} else {
		n.Name = fmt.Sprintf("inputs.%d", b.made)
	}
	b.made++
	b.out.Nodes = append(b.out.Nodes, n)
	return n
}

// hold places the guards whose symbols are known by now. Those that are certain need no check.
func (b *lowerGraph) hold() {
	rest := b.guards[:0:0]
	for _, g := range b.guards {
		known := true
		for _, name := range append(g.Cond.A.Symbols(), g.Cond.B.Symbols()...) {
			known = known && b.ints[name] != nil
		}
		if !known {
			rest = append(rest, g)
			continue
		}
		ok, err := g.Cond.Holds(noValue)
		if err == nil && ok {
			continue
		}
		maker := ""
		if b.node != nil {
			if maker = b.node.Op; opNamed(maker) != nil {
				maker = opNamed(maker).userName()
			}
		}
		n := b.emit(symHold, tracer.TensorMeta(Bool), attrs("op", g.Cond.Op, "left", g.Cond.A.String(), "right", g.Cond.B.String(), "maker", maker), b.integer(g.Cond.A), b.integer(g.Cond.B))
		if n.Pos = g.Pos; b.node != nil {
			n.Pos = b.node.Pos
		}
	}
	b.guards = rest
}
