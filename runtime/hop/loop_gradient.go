package hop

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hoplint/hoplint/tracer"
)

// The gradient of a loop or a branch is an operator of the same kind: of scan, for_loop and map a reversed scan over the
// saved carries, of cond and switch a cond or switch over the derivatives of the branches. They are built of the public
// operators, so they are traced, planned and differentiable like those. Saved is one carry for each step; what the body
// computes on the way is computed again.

// loopNode is a node with steps, seen as a scan.
type loopNode struct {
	node          *tracer.Node // in the layout of scan
	carry, xs     []*Tensor
	lifted        []*Tensor
	length        int
	forwards      []bool // carries that the body hands on as they are: kept once, not for each step
	results, hist int    // flat results of the operator, and saved carries behind them
}

// asScan returns a scan, for_loop or map node and its operands in the layout of scan.
func asScan(n *tracer.Node, ins []*Tensor) *loopNode {
	l := &loopNode{}
	body := copyGraph(n.Graphs[0])
	nCarry, nXs := n.Attrs.Int("n_carry"), n.Attrs.Int("n_xs")
	switch n.Op {
	case "for_loop":
		lower, upper := n.Attrs.Int("lower"), n.Attrs.Int("upper")
		l.length = upper - lower
		index := Arange(Int64, l.length).AddScalar(float64(lower))
		l.carry, l.xs, l.lifted = ins[:nCarry], []*Tensor{index}, ins[nCarry:]
		in := body.Inputs // index, carry…, lifted…
		body.Inputs = slices.Concat(in[1:1+nCarry], in[:1], in[1+nCarry:])
	default:
		l.length = n.Attrs.Int("length")
		l.carry, l.xs, l.lifted = ins[:nCarry], ins[nCarry:nCarry+nXs], ins[nCarry+nXs:]
	}
	l.results = len(n.Meta.Elems)
	meta := slices.Clone(n.Meta.Elems)
	outputs := slices.Clone(body.Outputs)
	for i := range l.carry {
		in, out := body.Inputs[i], body.Outputs[i]
		forwarded := out == in || out.Op == "clone" && out.Args[0] == in
		l.forwards = append(l.forwards, forwarded)
		if !forwarded {
			outputs = append(outputs, in)
			meta = append(meta, tracer.Meta{DType: in.Meta.DType, Shape: append([]tracer.Int{tracer.Const(l.length)}, in.Meta.Shape...)})
			l.hist++
		}
	}
	body.Outputs = outputs
	l.node = &tracer.Node{Name: "scan", Op: "scan", Meta: tracer.Meta{Elems: meta}, Pos: n.Pos, Graphs: []*tracer.Graph{body},
		Attrs: tracer.Attrs{{Key: "n_carry", Value: len(l.carry)}, {Key: "n_xs", Value: len(l.xs)}, {Key: "length", Value: l.length}}}
	return l
}

// copyGraph returns g with nodes of its own.
func copyGraph(g *tracer.Graph) *tracer.Graph {
	now := make(map[*tracer.Node]*tracer.Node, len(g.Inputs)+len(g.Nodes))
	list := func(nodes []*tracer.Node) []*tracer.Node {
		copied := make([]*tracer.Node, len(nodes))
		for i, n := range nodes {
			copied[i] = now[n]
		}
		return copied
	}
	c := &tracer.Graph{Name: g.Name, Guards: g.Guards}
	for _, n := range slices.Concat(g.Inputs, g.Nodes) {
		m := *n
		m.Args = list(n.Args)
		m.Graphs = nil
		for _, b := range n.Graphs {
			m.Graphs = append(m.Graphs, copyGraph(b))
		}
		now[n] = &m
	}
	c.Inputs, c.Nodes, c.Outputs = list(g.Inputs), list(g.Nodes), list(g.Outputs)
	return c
}

func (l *loopNode) operands() []*Tensor { return slices.Concat(l.carry, l.xs, l.lifted) }

// nodeGraph is the graph that does nothing but n on args.
func nodeGraph(n *tracer.Node, args []*Tensor) *tracer.Graph {
	g := &tracer.Graph{Name: "main"}
	m := *n
	m.Args = nil
	for i, t := range args {
		in := &tracer.Node{Name: fmt.Sprintf("a%d", i), Op: tracer.OpInput, Meta: t.meta()}
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
	g := nodeGraph(n, args)
	if tr := traceOf(args); tr != nil {
		return inline(tr, &tracer.Body{Graph: g}, args)
	}
	return runPlan(g, args, nil)
}

// loop runs a node with steps for a gradient. Its results stand on the tape behind one derivative.
func (in interpreter) loop(n *tracer.Node, ins []*Tensor) []*Tensor {
	defer nameInErrors(n.Op)
	return asScan(n, ins).onTape()[:len(n.Meta.Elems)]
}

// nameInErrors, deferred, gives an error of an operator that runs as a scan the name that the user called it by.
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

// onTape returns the results and, behind them, the saved carries.
func (l *loopNode) onTape() []*Tensor {
	operands := l.operands()
	results := runNode(l.node, operands)
	return recordOwn(l.node.Op, l.node.Pos, operands, results, nil, func(c *vjp) []*Tensor {
		again := *l
		args := c.inputs()
		k := len(l.carry)
		again.carry, again.xs, again.lifted = args[:k], args[k:k+len(l.xs)], args[k+len(l.xs):]
		saved := results[l.results:]
		if c.onTape { // the saved carries depend on the operands
			saved = again.onTape()[l.results:]
		}
		return again.gradient(saved, c.grads)
	})
}

// gradients are the running gradients of carries and lifted operands; nil for those that are no floats.
type gradients struct{ Carry, Lifted []*Tensor }

// reversedStep is what one step of the reversed scan reads; nil for what is not kept or has no gradient.
type reversedStep struct{ Carry, X, Y, Saved []*Tensor }

// gradient runs the reversed scan. grads are those of the results and of the saved carries, nil for none.
func (l *loopNode) gradient(saved, grads []*Tensor) []*Tensor {
	n, k := len(l.carry), len(l.results0())
	var last gradients
	for i, t := range l.carry {
		last.Carry = append(last.Carry, orZeros(grads[i], t))
	}
	for _, t := range l.lifted {
		last.Lifted = append(last.Lifted, orZeros(nil, t))
	}
	steps := reversedStep{X: l.xs}
	h := 0
	for i := range l.carry {
		if l.forwards[i] {
			steps.Carry, steps.Saved = append(steps.Carry, nil), append(steps.Saved, nil)
			continue
		}
		steps.Carry, steps.Saved = append(steps.Carry, saved[h]), append(steps.Saved, grads[k+h])
		h++
	}
	steps.Y = grads[n:k]
	step := func(g gradients, s reversedStep) (gradients, []*Tensor) {
		carry := slices.Clone(s.Carry)
		for i, t := range carry {
			if t == nil {
				carry[i] = l.carry[i]
			}
		}
		_, pull := VJP(l.body, slices.Concat(carry, s.X, l.lifted))
		d := pull(slices.Concat(g.Carry, s.Y))
		next := gradients{Carry: d[:n:n]}
		for i, t := range s.Saved { // a second derivative asks for the saved carries too
			if t != nil && next.Carry[i] != nil {
				next.Carry[i] = next.Carry[i].Add(t)
			}
		}
		for i, t := range g.Lifted {
			if t != nil {
				t = t.Add(d[n+len(l.xs)+i])
			}
			next.Lifted = append(next.Lifted, t)
		}
		return next, d[n : n+len(l.xs)]
	}
	if len(given(last.Carry))+len(given(last.Lifted)) == 0 {
		dx := Map(func(s reversedStep) []*Tensor { _, d := step(last, s); return d }, steps)
		return slices.Concat(last.Carry, dx, last.Lifted)
	}
	first, dx := Scan(step, last, steps, Reverse(), Length(l.length))
	return slices.Concat(first.Carry, dx, first.Lifted)
}

// results0 are the metas of the results without the saved carries.
func (l *loopNode) results0() []tracer.Meta { return l.node.Meta.Elems[:l.results] }

// body is the function of one step, without the saved carries; its results are copies.
func (l *loopNode) body(args []*Tensor) []*Tensor {
	return copies(interpreter{}.run(l.node.Graphs[0], args, nil)[:l.results])
}

func copies(ts []*Tensor) []*Tensor {
	list := make([]*Tensor, len(ts))
	for i, t := range ts {
		list[i] = t.Clone()
	}
	return list
}

// orZeros is g or zeros like t; nil where t is no float.
func orZeros(g, t *Tensor) *Tensor {
	switch {
	case !t.DType().IsFloat():
		return nil
	case g != nil:
		return g
	default:
		return Zeros(t.DType(), t.shape...)
	}
}

// branchOnTape runs a cond or switch node for a gradient.
func (in interpreter) branchOnTape(n *tracer.Node, ins []*Tensor) []*Tensor {
	return recordOwn(n.Op, n.Pos, ins, runNode(n, ins), nil, func(c *vjp) []*Tensor {
		args := c.inputs()
		var branches []func([2][]*Tensor) []*Tensor
		for _, g := range n.Graphs {
			branches = append(branches, func(o [2][]*Tensor) []*Tensor {
				_, pull := VJP(func(x []*Tensor) []*Tensor { return copies(interpreter{}.run(g, x, nil)) }, o[0])
				return pull(o[1])
			})
		}
		operands := [2][]*Tensor{args[1:], c.grads}
		if n.Op == "cond" {
			return append([]*Tensor{nil}, Cond(args[0], branches[0], branches[1], operands)...)
		}
		return append([]*Tensor{nil}, Switch(args[0], branches, operands)...)
	})
}
