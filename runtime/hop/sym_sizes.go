package hop

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hoplint/hoplint/tracer"
)

// A graph with symbols runs in one of three ways.
//
//	             symbols bound from the inputs        sizes put in place          ints become int64 scalars
//	sizedPlan ──▶ bindInputs ───────────────────────▶ withSizes ────────────────▶ lowered ──▶ plan of the executor
//	   │ keeps the last few, by the values of symbols     │ checks every op again     │ no: a size depends on data
//	   │                                                  ▼                           ▼
//	   └─ first of all: lowered without sizes, when no size depends on a symbol       interpreter: op by op, and what is
//	                                                                                  constant by then by plans
//
// A graph without symbols is planned as it is and pays nothing for this.

// symbols are the values of the symbols of a graph: constants when it runs, expressions of an enclosing trace when it is
// recorded again.
type symbols map[string]tracer.Int

// bindInputs returns what the symbols of a graph's inputs stand for.
func bindInputs(g *tracer.Graph, args []*Tensor) symbols {
	var known symbols
	for i, in := range g.Inputs {
		if in.Meta.IsSymbolic() {
			if known == nil {
				known = symbols{}
			}
			known.bind(in.Meta, args[i].meta())
		}
	}
	return known
}

// bind learns from a value what the symbols of its meta stand for. A symbol that is known stays.
func (s symbols) bind(m, is tracer.Meta) {
	learn := func(size, is tracer.Int) {
		if name, ok := size.Symbol(); ok {
			if _, known := s[name]; !known {
				s[name] = is
			}
		}
	}
	if m.Int != nil && is.Int != nil {
		learn(*m.Int, *is.Int)
	}
	for i, d := range m.Shape {
		if i < len(is.Shape) {
			learn(d, is.Shape[i])
		}
	}
}

// key is the text of the values in the order of the symbols' names in names.
func (s symbols) key(names []string) string {
	var b strings.Builder
	for _, name := range names {
		i := s[name]
		b.WriteString(i.String())
		b.WriteByte(' ')
	}
	return b.String()
}

// inExample are the values with the sizes that they have in the example of tr.
func (s symbols) inExample(tr *tracer.SubgraphTracer) symbols {
	if tr == nil {
		return s
	}
	is := make(symbols, len(s))
	for name, i := range s {
		if n, ok := tr.Hint(i); ok {
			i = tracer.Const(n)
		}
		is[name] = i
	}
	return is
}

// text lists the values for a message: s0 = 3, s1 = 5.
func (s symbols) text() string {
	names := make([]string, 0, len(s))
	for name := range s {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s = %v", name, s[name])
	}
	return strings.Join(names, ", ")
}

// withSizes returns g with values in place of symbols, every op checked again: what a trace took for granted of sizes is
// certain then. It panics with an *Error that names the op and the sizes.
func withSizes(g *tracer.Graph, known symbols) *tracer.Graph {
	z := sizing{symbols: known}
	sized := z.graph(g, known)
	sized.SetOps(shapes{})
	if err := sized.Verify(); err != nil {
		misuse("", "the graph does not fit %s: %s", known.text(), err)
	}
	return sized
}

// sizing puts values in place of symbols.
type sizing struct {
	symbols   symbols // for messages
	unchecked bool
}

func (z *sizing) graph(g *tracer.Graph, known symbols) *tracer.Graph {
	sized := &tracer.Graph{Name: g.Name}
	now := make(map[*tracer.Node]*tracer.Node, len(g.Inputs)+len(g.Constants)+len(g.Nodes))
	list := func(nodes []*tracer.Node) []*tracer.Node {
		copied := make([]*tracer.Node, len(nodes))
		for i, n := range nodes {
			copied[i] = now[n]
		}
		return copied
	}
	for _, n := range slices.Concat(g.Inputs, g.Constants, g.Nodes) {
		m := *n
		m.Args, m.Meta, m.Attrs = list(n.Args), n.Meta.Replace(known), n.Attrs.Replace(known)
		m.Graphs = z.bodies(n, known)
		now[n] = &m
		if !z.unchecked {
			z.check(&m)
		}
	}
	sized.Inputs, sized.Constants, sized.Nodes, sized.Outputs = list(g.Inputs), list(g.Constants), list(g.Nodes), list(g.Outputs)
	for _, guard := range g.Guards {
		guard.Cond.A, guard.Cond.B = guard.Cond.A.Replace(known), guard.Cond.B.Replace(known)
		sized.Guards = append(sized.Guards, guard)
	}
	return sized
}

// bodies returns the bodies of n. A carry is another integer in each step, whatever it is called.
func (z *sizing) bodies(n *tracer.Node, known symbols) []*tracer.Graph {
	if len(n.Graphs) == 0 {
		return nil
	}
	bodies := make([]*tracer.Graph, len(n.Graphs))
	for k, body := range n.Graphs {
		if !body.IsSymbolic() {
			bodies[k] = body
			continue
		}
		inner := known
		for _, in := range carries(n, body) {
			if in.Meta.Int == nil {
				continue
			}
			if name, ok := in.Meta.Int.Symbol(); ok {
				if _, taken := inner[name]; taken {
					inner = inner.without(name)
				}
			}
		}
		bodies[k] = z.graph(body, inner)
	}
	return bodies
}

// apart adds to known new names for the symbols that n and its bodies make, where what known puts in place of others
// mentions symbols of the same name.
func (s symbols) apart(n *tracer.Node) symbols {
	taken := map[string]bool{}
	for name, is := range s {
		taken[name] = true
		for _, other := range is.Symbols() {
			taken[other] = true
		}
	}
	if len(taken) == len(s) {
		return s
	}
	renamed := s
	made := func(ints ...tracer.Int) {
		for _, i := range ints {
			name, ok := i.Symbol()
			if _, known := renamed[name]; !ok || known || !taken[name] {
				continue
			}
			if len(renamed) == len(s) {
				renamed = maps.Clone(s)
			}
			other := name
			for taken[other] {
				other += "_"
			}
			taken[other] = true
			renamed[name] = tracer.Symbol{Name: other}.Expr()
		}
	}
	var visit func(n *tracer.Node)
	visit = func(n *tracer.Node) {
		for _, m := range append(n.Meta.Elems[:len(n.Meta.Elems):len(n.Meta.Elems)], n.Meta) {
			made(m.Shape...)
			if m.Int != nil {
				made(*m.Int)
			}
		}
		for _, g := range n.Graphs {
			for _, n := range slices.Concat(g.Inputs, g.Nodes) {
				visit(n)
			}
		}
	}
	visit(n)
	return renamed
}

// carries are the inputs of a body that change from step to step.
func carries(n *tracer.Node, body *tracer.Graph) []*tracer.Node {
	k := n.Attrs.Int("n_carry")
	if n.Op == "for_loop" {
		return body.Inputs[1 : 1+k]
	}
	return body.Inputs[:k]
}

func (s symbols) without(name string) symbols {
	rest := make(symbols, len(s))
	for k, v := range s {
		if k != name {
			rest[k] = v
		}
	}
	return rest
}

// check applies the shape rule of a plain op whose arguments are constant by now.
func (z *sizing) check(n *tracer.Node) {
	op, args, kept, want := opNamed(n.Op), n.Args, 0, n.Meta
	if n.Op == tracer.OpPut { // the first attribute is the view that is replaced
		op, args, kept, want = opNamed(n.Attrs.Str("view")), n.Args[:1], 1, n.Args[1].Meta
	}
	if op == nil || len(n.Graphs) > 0 || n.Attrs.Symbolic() || slices.ContainsFunc(n.Args, func(a *tracer.Node) bool { return a.Meta.IsSymbolic() }) {
		return
	}
	inf := inference{op: op, Attrs: n.Attrs[kept:]}
	for _, a := range args {
		inf.In = append(inf.In, a.Meta)
	}
	refuse := func(format string, args ...any) {
		panic(&Error{Op: op.userName(), Step: once, Position: n.Pos, Detail: fmt.Sprintf(format, args...) + " (with " + z.symbols.text() + ")"})
	}
	if err := op.Infer(&inf); err != nil {
		refuse("%s", err)
	}
	n.Attrs = slices.Concat(n.Attrs[:kept], inf.Attrs)
	if want.IsSymbolic() {
		return // an item, or a size that depends on data
	}
	if !inf.Out.Equal(want) {
		refuse("the result is %s, and was %s in the trace", describe(inf.Out), describe(want))
	}
}
