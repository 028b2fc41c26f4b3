package hop

import (
	"go/token"
	"slices"

	"github.com/hoplint/hoplint/runtime/internal/pytree"
	"github.com/hoplint/hoplint/tracer"
)

// Checkpoint returns f, of which a gradient keeps no intermediates: it runs f again from its inputs.
//
// Shapes: those of f.
// Aliasing: results share no storage with x; f must not write or return x or captured tensors (HOP103–HOP303).
// Errors: panics with *[Error]; see [Try].
// Gradient: that of f, by x and by captured tensors, for one more run of f and without the memory for what f computes
// on the way. Without a gradient f runs once.
// Source: Griewank and Walther 2000, "Revolve"; pytorch #124866 (a body that runs again must not have effects).
//
//hop:body f(operand)
func Checkpoint[X, Y any](f func(X) Y) func(X) Y {
	return func(x X) Y {
		h := begin("Checkpoint", nil)
		if f == nil {
			h.misuse("function is nil; pass a func(x) y")
		}
		spec := &h.contract.Bodies[0]
		in := h.flatten(x, spec.In[0], "argument")
		out := h.checkpoint(mapBody(h, spec, f, in.tree), in)
		return pytree.Unflatten[Y](out.tree, out.leaves)
	}
}

func (h *hopCall) checkpoint(b *body, x group) group {
	var out group
	out.leaves = h.execute(x.leaves, func(g *tag) []*Tensor {
		out = h.checkpointStep(b, x, g)
		return out.leaves
	}, func(m *hopTrace) []*Tensor {
		closed, outs := h.trace(m, b, []group{x}, [][]tracer.Meta{leafMetas(x.leaves)})
		out = outs[0]
		return m.hop(h.contract.Name, []*tracer.Body{closed}, m.inputs(x.leaves, "x"), nil, tuple(m.resultMetas(leafMetas(out.leaves))), h.pos)
	})
	return out
}

func leafMetas(ts []*Tensor) []tracer.Meta {
	metas := make([]tracer.Meta, len(ts))
	for i, t := range ts {
		metas[i] = t.meta()
	}
	return metas
}

// checkpoint runs a node: for a gradient its body off the tape, and once more, on it, when the gradient is asked for.
func (in interpreter) checkpoint(n *tracer.Node, ins []*Tensor) []*Tensor {
	body, below := n.Graphs[0], in.inside(n, 0, once)
	if !anyRequiresGrad(ins) {
		return below.run(body, ins, nil)
	}
	return recordOwn(n.Op, n.Pos, ins, below.offTape(body, ins), nil, func(c *vjp) []*Tensor {
		l := &linear{since: nextStamp(), onTape: c.onTape}
		args := c.inputs()
		l.ins = leads(args)
		outs := below.again().run(body, args, nil)
		return l.pullFrom(outs, c.grads, l.ins, l.since)
	})
}

// checkpointStep is checkpoint under Stepwise: the function itself is called again.
func (h *hopCall) checkpointStep(b *body, x group, g *tag) group {
	outs, _, needed, hidden := h.stepOffTape(b, x, g)
	out := outs[0]
	operands := slices.Concat(x.leaves, needed)
	if !anyRequiresGrad(operands) && !hidden {
		return out
	}
	out.leaves = recordOwn(h.contract.Name, h.pos, operands, out.leaves, nil, func(c *vjp) []*Tensor {
		args := c.inputs()
		again := x
		again.leaves = args[:len(x.leaves)]
		l := h.linearizeStep(b, again, g)
		l.onTape, l.beyond = c.onTape, &c.beyond
		return append(l.pull(c.grads), make([]*Tensor, len(needed))...)
	})
	gate(out.leaves, operands)
	return out
}

// stepOffTape runs a body once, op by op and, as far as its operands go, off the tape. It returns the results, what the
// body was given for x, and the captured tensors that require grad; hidden says that results depend on such tensors, be
// it by ops on captured tensors alone, which the step does not see.
func (h *hopCall) stepOffTape(b *body, x group, g *tag) (outs []group, given, needed []*Tensor, hidden bool) {
	r := h.newStep(b, once, g)
	x.leaves = offTape(x.leaves)
	given = r.give(x)
	outs = r.call([]group{x}, [][]*Tensor{given})
	for k := range outs {
		hidden = hidden || anyRequiresGrad(outs[k].leaves)
		outs[k].leaves = offTape(outs[k].leaves)
	}
	return outs, given, r.needed, hidden
}

// offTape returns ts without tag and place on the tape; copies where the storage has one.
func offTape(ts []*Tensor) []*Tensor {
	list := make([]*Tensor, len(ts))
	for i, t := range ts {
		list[i] = tagged(t, nil).at(detached)
		if t.storage.rewritten() != nil {
			list[i] = list[i].Clone()
		}
		list[i] = list[i].at(nil)
	}
	return list
}

// offTape runs a graph without the tape.
func (in interpreter) offTape(g *tracer.Graph, args []*Tensor) []*Tensor {
	return in.evaluate(g, offTape(args))
}

// evaluate runs a graph by its plan, or op by op where a level above asks for it.
func (in interpreter) evaluate(g *tracer.Graph, args []*Tensor) []*Tensor {
	if anyRequiresGrad(args) || isTraced(args) || in.tag.observed() {
		return in.run(g, args, nil)
	}
	return runPlan(g, args, nil)
}

// recordOwn puts results on the tape, behind operands, with a derivative of their own: from the context to the gradients
// of the operands, nil for none. It reads the operands, and the residuals as results behind the others.
func recordOwn(name string, pos token.Position, operands, results, residuals []*Tensor, derivative func(c *vjp) []*Tensor) []*Tensor {
	return recordOperator(name, pos, operands, results, residuals, false, derivative)
}

// recordOperator is recordOwn for a derivative that may read the results too.
func recordOperator(name string, pos token.Position, operands, results, residuals []*Tensor, readsResults bool, derivative func(c *vjp) []*Tensor) []*Tensor {
	n := &tapeNode{op: &opRow{Name: name, VJP: func(c *vjp, _ *Tensor) []*Tensor { return derivative(c) }}, pos: pos}
	for _, t := range operands {
		s := keep(t, true)
		s.next, s.recorded = t.place(), isPlacedInGraph(t)
		n.in = append(n.in, s)
	}
	onTrace := isTraced(results) || isRecorded(operands)
	for _, t := range results {
		if readsResults {
			s := keep(t, true)
			s.recorded = onTrace
			n.out = append(n.out, s)
		} else {
			n.out = append(n.out, t.typeOnly())
		}
	}
	for _, t := range residuals {
		s := keep(t, true)
		s.recorded = onTrace
		n.out = append(n.out, s)
	}
	n.seq = nextStamp()
	outs := slices.Clone(results)
	for i, t := range outs {
		if t.DType().IsFloat() {
			outs[i] = t.at(&tapeEntry{edge: edge{n, i}, shape: t.dims(), history: t.storage.rewritten(), traced: onTrace})
		}
	}
	return outs
}

// inputs returns all tensor arguments as they were.
func (c *vjp) inputs() []*Tensor {
	list := make([]*Tensor, len(c.node.in))
	for i := range list {
		list[i] = c.Input(i)
	}
	return list
}
