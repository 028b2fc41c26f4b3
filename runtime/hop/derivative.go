package hop

import (
	"fmt"
	"go/token"
	"slices"
	"strings"
	"sync"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/tracer"
)

// The derivative of an operator is a pair of graphs: a forward one, which gives the results and behind them what is
// kept, and an adjoint one, from operands, kept tensors and cotangents to gradients. Both are ordinary graphs over
// ordinary operators, so they are planned, recorded into a trace, or differentiated again like any other: the adjoint
// of a scan is a scan, that of a cond a cond. What a body computes on the way is computed again in the adjoint, as far
// as derivatives read it.
//
// Both are made once for each node and each set of operands that need a gradient, and found again by the node's text.

// derivative is an operator's, for one set of operands that need a gradient.
type derivative struct {
	node *tracer.Node
	want []bool // by operand
	// symbols are those that the operands and attributes of node mention, made those that only its results do. Of the
	// first the forward graph gets the integers in front of its operands, of both the adjoint one. Real operands have none.
	symbols, made []tracer.Symbol
	forward       ready
	// kept is the number of outputs of forward behind the results. keepsResults says that the results are kept instead.
	kept         int
	keepsResults bool
	// build records the adjoint: from operands, kept tensors and cotangents of the outputs of forward, nil for zeros, to
	// gradients of the operands, nil for zeros and for those that want none. What has arrived before for a captured
	// operand, nil for nothing, is in sums, and is part of its gradient.
	build func(operands, kept, cotangents, sums []*Tensor) []*Tensor
	// captured is the first operand that sums are asked for.
	captured int

	once     sync.Once // makes all of the above
	mu       sync.Mutex
	adjoints map[string]*adjoint // by which cotangents and sums are given
}

// adjoint is a graph with the operands that its outputs are the gradients of.
type adjoint struct {
	ready
	of []int
}

// derivativeOf returns the derivative of n for operands of which some require grad, which hasDerivative.
func derivativeOf(n *tracer.Node, ins []*Tensor) *derivative {
	want := make([]bool, len(ins))
	for i, t := range ins {
		want[i] = t.RequiresGrad()
	}
	var symbols, made []tracer.Symbol
	if tr := traceOf(ins); tr != nil {
		symbols, made = symbolsOf(tr, n)
	}
	d := derivatives.get(n, want, symbols, made)
	d.once.Do(d.make)
	return d
}

func (d *derivative) make() {
	d.captured = len(d.want)
	switch d.node.Op {
	case "scan", "for_loop", "map", "vmap":
		d.loop()
	case "associative_scan":
		d.associativeScan()
	case "while_loop", "while_sweeps":
		d.whileLoop()
	case "cond", "switch":
		d.branches()
	}
}

// hasDerivative reports whether an operator has a derivative of its own. One without steps does what the interpreter
// does: it copies.
func hasDerivative(n *tracer.Node) bool {
	switch n.Op {
	case "scan", "map", "vmap", "associative_scan":
		length, _ := n.Attrs.Size("length")
		return !isSize(length, 0)
	case "for_loop":
		return n.Attrs.Int("upper") > n.Attrs.Int("lower")
	case "cond", "switch", "while_loop", "while_sweeps":
		return true
	default:
		return false
	}
}

// onTape runs the operator. Its results stand on the tape behind one derivative.
func (d *derivative) onTape(pos token.Position, ins []*Tensor, long *longRun) []*Tensor {
	defer nameInErrors(d.node.Op)
	results := len(d.node.Meta.Elems)
	sizes := sizesOf(traceOf(ins), d.symbols)
	outs := d.forward.on(slices.Concat(sizes, offTape(ins)), long)
	sizes = append(sizes, d.madeSizes(outs)...)
	var residuals []*Tensor
	if !d.keepsResults {
		residuals = outs[results:]
	}
	return recordOperator(d.node.Op, pos, ins, outs[:results], residuals, d.keepsResults, func(c *vjp) []*Tensor {
		kept := make([]*Tensor, d.kept)
		first := results
		if d.keepsResults {
			first = 0
		}
		for i := range kept {
			kept[i] = c.Output(first + i)
		}
		sums := make([]*Tensor, len(ins))
		for i := d.captured; i < len(sums); i++ {
			sums[i] = c.sum(i)
		}
		return d.gradients(sizes, c.inputs(), kept, c.grads, sums)
	})
}

// nameInErrors, deferred, gives an error of an operator that runs as another one the name that the user called it by.
func nameInErrors(op string) {
	switch p := recover().(type) {
	case nil:
	case *Error:
		if p.HOP == "scan" && !strings.Contains(p.Operators, "/") {
			p.HOP = op
		}
		if rest, ok := strings.CutPrefix(p.Operators, "scan"); ok {
			p.Operators = op + rest
		}
		panic(p)
	default:
		panic(p)
	}
}

// nameOperator, deferred, gives an error that came up while the adjoint was built the name and the line of the operator.
func (d *derivative) nameOperator() {
	switch p := recover().(type) {
	case nil: // the goroutine ends, or nothing happened
	case *Error:
		if p.HOP == "" {
			p.HOP, p.Position = calledAs(d.node.Op), d.node.Pos
			p.Finding.HOP = p.HOP
		}
		panic(p)
	default:
		panic(p)
	}
}

// gradients runs the adjoint.
func (d *derivative) gradients(sizes, operands, kept, cotangents, sums []*Tensor) []*Tensor {
	a := d.adjoint(slices.Concat(cotangents, sums))
	outs := a.on(slices.Concat(sizes, operands, kept, given(cotangents), given(sums)), nil)
	grads := make([]*Tensor, len(operands))
	for k, i := range a.of {
		grads[i] = outs[k]
	}
	return grads
}

// adjoint returns the graph for the cotangents and sums that are given.
func (d *derivative) adjoint(optional []*Tensor) *adjoint {
	key := make([]byte, len(optional))
	for i, t := range optional {
		if t != nil {
			key[i] = 1
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	a := d.adjoints[string(key)]
	if a == nil {
		a = d.record(key)
		d.adjoints[string(key)] = a
	}
	return a
}

// record traces the adjoint.
func (d *derivative) record(givenAt []byte) *adjoint {
	defer d.nameOperator()
	var inputs []tracer.Meta
	for _, n := range d.forward.graph.Inputs[len(d.symbols):] {
		inputs = append(inputs, n.Meta)
	}
	operands, results := len(inputs), metasOf(d.forward.graph.Outputs)
	if d.keepsResults {
		inputs = append(inputs, results...)
	} else {
		inputs = append(inputs, results[len(results)-d.kept:]...)
	}
	for i, m := range append(results, inputs[:operands]...) {
		if givenAt[i] == 1 {
			inputs = append(inputs, m)
		}
	}
	a := &adjoint{}
	a.graph = graphOf(slices.Concat(d.symbols, d.made), inputs, d.node.Pos, func(args []*Tensor) []*Tensor {
		optional := make([]*Tensor, len(givenAt))
		k := operands + d.kept
		for i, is := range givenAt {
			if is == 1 {
				optional[i] = args[k]
				k++
			}
		}
		cotangents, sums := optional[:len(results):len(results)], optional[len(results):]
		var outs []*Tensor
		for i, g := range d.build(args[:operands:operands], args[operands:operands+d.kept:operands+d.kept], cotangents, sums) {
			if g != nil {
				a.of, outs = append(a.of, i), append(outs, g)
			}
		}
		return outs
	})
	return a
}

func metasOf(nodes []*tracer.Node) []tracer.Meta {
	list := make([]tracer.Meta, len(nodes))
	for i, n := range nodes {
		list[i] = n.Meta
	}
	return list
}

// ready is a graph without constants, to be run at any level.
type ready struct {
	graph *tracer.Graph
	once  sync.Once
	plan  plan
}

// on runs the graph: on the tape, as part of the trace of its arguments, or by its plan.
func (r *ready) on(args []*Tensor, long *longRun) []*Tensor {
	if anyRequiresGrad(args) {
		return interpreter{}.run(r.graph, args, nil)
	}
	if tr := traceOf(args); tr != nil {
		return inline(tr, &tracer.Body{Graph: r.graph}, args)
	}
	r.once.Do(func() { r.plan = planOf(r.graph) })
	return r.plan(args, nil, nil, long)
}

// graphOf records what f does with tensors of the given metas, and with nothing else, as a graph. In front of them the
// graph takes the integers that symbols stand for. Its results are copied, so they may be what f was given.
func graphOf(symbols []tracer.Symbol, metas []tracer.Meta, pos token.Position, f func(args []*Tensor) []*Tensor) *tracer.Graph {
	m := openTrace("main", nil, pos)
	defer m.abandon()
	for _, s := range symbols {
		m.tr.Declare(s)
	}
	for _, s := range symbols {
		i := s.Expr()
		m.tr.Input(s.Name, tracer.Meta{Int: &i}, hopcheck.Place{})
	}
	args := make([]*Tensor, len(metas))
	for i, meta := range metas {
		args[i] = ofValue(m.tr.Input("a", meta, hopcheck.Place{}))
	}
	outs := f(args)
	outputs := make([]tracer.Output, len(outs))
	for i, t := range outs {
		outputs[i] = tracer.Output{Value: valueIn(m.tr, ofValue(valueIn(m.tr, t)).Clone())}
	}
	m.ended = true
	b, found := m.tr.Close(outputs)
	if len(found) > 0 || len(b.Captures) > 0 {
		panic(fmt.Sprintf("hop: a derivative has %d findings and captures %d tensors", len(found), len(b.Captures)))
	}
	return liveGraph(b.Graph)
}

// nodeGraph is the graph that does nothing but n on arguments of the given metas.
func nodeGraph(n *tracer.Node, args []tracer.Meta) *tracer.Graph { return sizedNodeGraph(nil, n, args) }

// sizedNodeGraph is nodeGraph that takes the integers that symbols stand for in front of the arguments.
func sizedNodeGraph(symbols []tracer.Symbol, n *tracer.Node, args []tracer.Meta) *tracer.Graph {
	g := &tracer.Graph{Name: "main"}
	for i, s := range symbols {
		is := s.Expr()
		g.Inputs = append(g.Inputs, &tracer.Node{Name: fmt.Sprintf("n%d", i), Op: tracer.OpInput, Meta: tracer.Meta{Int: &is}})
	}
	m := *n
	m.Args = nil
	for i, meta := range args {
		in := &tracer.Node{Name: fmt.Sprintf("a%d", i), Op: tracer.OpInput, Meta: meta}
		g.Inputs, m.Args = append(g.Inputs, in), append(m.Args, in)
	}
	g.Nodes = append(g.Nodes, &m)
	for i, e := range n.Meta.Elems {
		get := &tracer.Node{Name: fmt.Sprintf("get%d", i), Op: tracer.OpGet, Args: []*tracer.Node{&m}, Attrs: tracer.Attrs{{Key: "index", Value: i}}, Meta: e, Pos: n.Pos}
		g.Nodes, g.Outputs = append(g.Nodes, get), append(g.Outputs, get)
	}
	g.SetOps(shapes{})
	return g
}

// runNode runs n off the tape: as part of the trace of its operands, or by a plan.
func runNode(n *tracer.Node, args []*Tensor) []*Tensor {
	args = offTape(args)
	if tr := traceOf(args); tr != nil {
		symbols := attrSymbols(tr, n, leafMetas(args))
		g := sizedNodeGraph(symbols, n, leafMetas(args))
		return inline(tr, &tracer.Body{Graph: g}, slices.Concat(sizesOf(tr, symbols), args))
	}
	return runPlan(nodeGraph(n, leafMetas(args)), args, nil)
}

// copyGraph returns g with nodes of its own: a node belongs to one graph. Bodies of its operators stay shared.
func copyGraph(g *tracer.Graph) *tracer.Graph {
	now := make(map[*tracer.Node]*tracer.Node, len(g.Inputs)+len(g.Nodes))
	list := func(nodes []*tracer.Node) []*tracer.Node {
		copied := make([]*tracer.Node, len(nodes))
		for i, n := range nodes {
			copied[i] = now[n]
		}
		return copied
	}
	for _, n := range slices.Concat(g.Inputs, g.Nodes) {
		m := *n
		m.Args = list(n.Args)
		now[n] = &m
	}
	return &tracer.Graph{Name: g.Name, Guards: g.Guards, Inputs: list(g.Inputs), Nodes: list(g.Nodes), Outputs: list(g.Outputs)}
}

// pullback records the derivative of g at args: from cotangents of its outputs, nil for zeros, to gradients of the
// inputs that want one, nil for zeros and for the others. The gradient of an input is added to its entry in sums, where
// there is one, and is never nil then; a window is added in its place.
func pullback(g *tracer.Graph, args, cotangents []*Tensor, want []bool, sums []*Tensor) []*Tensor {
	b := newBackward()
	b.since, b.retain, b.ends = nextStamp(), true, map[*tapeNode]gradient{}
	args = slices.Clone(args)
	for i, t := range args {
		if want[i] {
			args[i] = lead(t, true)
			b.ends[args[i].tape.node] = gradient{}
		}
	}
	outs := interpreter{}.run(g, args, nil)
	for i, t := range sums {
		if t != nil {
			b.add(args[i].tape.edge, t, false)
		}
	}
	for i, ct := range cotangents {
		if ct != nil {
			b.add(outs[i].place(), ct, false)
		}
	}
	b.run()
	grads := make([]*Tensor, len(args))
	for i := range args {
		if want[i] {
			grads[i] = b.ends[args[i].tape.node].dense
		}
	}
	return grads
}

// zerosLike returns zeros like t in t's trace.
func zerosLike(t *Tensor) *Tensor { return zerosOf(traceOf([]*Tensor{t}), t.meta()) }

// zerosOf returns zeros of a type in a trace, as one element that is repeated.
func zerosOf(tr *tracer.SubgraphTracer, m tracer.Meta) *Tensor {
	sizes := make([]Int, len(m.Shape))
	for i, d := range m.Shape {
		sizes[i] = intIn(tr, d)
	}
	return ofValue(valueIn(tr, newTensor(m.DType, nil))).ExpandSym(sizes...)
}

// orZeros is g, or zeros like t.
func orZeros(g, t *Tensor) *Tensor {
	if g == nil {
		g = zerosLike(t)
	}
	return g
}

// orAllZeros is orZeros for all that want a gradient; the others are nil.
func orAllZeros(grads, like []*Tensor, want []bool) []*Tensor {
	list := make([]*Tensor, len(like))
	for i, t := range like {
		if want[i] {
			list[i] = orZeros(grads[i], t)
		}
	}
	return list
}

func copies(ts []*Tensor) []*Tensor {
	list := make([]*Tensor, len(ts))
	for i, t := range ts {
		if list[i] = t; t != nil && !t.isInt() {
			list[i] = t.Clone()
		}
	}
	return list
}

// maxDerivatives bounds the memo; the oldest is evicted.
const maxDerivatives = 256

// derivativeMemo keeps derivatives by the text of their nodes, positions included.
type derivativeMemo struct {
	mu sync.Mutex
	latest[*derivative]
	buf []byte
}

var derivatives derivativeMemo

func (m *derivativeMemo) get(n *tracer.Node, want []bool, symbols, made []tracer.Symbol) *derivative {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.buf = nodeGraph(n, metasOf(n.Args)).AppendText(m.buf[:0], true)
	for _, w := range want {
		if w {
			m.buf = append(m.buf, '1')
		} else {
			m.buf = append(m.buf, '0')
		}
	}
	if len(symbols)+len(made) > 0 {
		m.buf = fmt.Appendf(m.buf, "%v%v", symbols, made)
	}
	if d := m.byKey[string(m.buf)]; d != nil {
		return d
	}
	d := &derivative{node: n, want: want, symbols: symbols, made: made, adjoints: map[string]*adjoint{}}
	m.put(string(m.buf), d, maxDerivatives)
	return d
}
