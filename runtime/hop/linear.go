package hop

import (
	"go/token"
	"slices"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/tracer"
)

// linear is a function that ran once, on the tape, at one point: its results there and its derivative, which is a
// linear map. Its tensors are real, or traced when the function was called in a traced body; the derivative is then
// recorded into that body's graph.
//
// The operands lead: each has a place of its own on the tape, made when the function began. A run backward ends there
// and never visits anything older, so that the derivatives of nested functions do not get mixed up, and no leaf's Grad
// is touched.
type linear struct {
	x    group     // as the caller gave it
	ins  []*Tensor // leads of the float leaves of x, nil for others
	outs []group   // what the function returned, on the tape
	// operands are x's leaves and the captured tensors.
	operands []*Tensor
	since    uint64
	// onTape says that an operand requires grad: the results and the derivative do so too.
	onTape bool
	// beyond receives the gradients of places that are older than the operands, when it is not nil.
	beyond *[]placeGradient
}

// linearize runs a body once at x, checks it against its contract and keeps what its derivative needs.
func (h *hopCall) linearize(b *body, x group) *linear {
	g := innermost(x.leaves)
	if g.step() != nil {
		return h.linearizeStep(b, x, g)
	}
	return h.close(b, x).linearize(x, g)
}

// linearizeStep runs the body op by op.
func (h *hopCall) linearizeStep(b *body, x group, g *tag) *linear {
	r := h.newStep(b, once, g)
	l := &linear{x: x, since: nextStamp()}
	given := r.give(x)
	l.ins = leads(given)
	l.outs = r.call([]group{x}, [][]*Tensor{given})
	l.operands = append(slices.Clone(x.leaves), r.needed...)
	l.onTape = anyRequiresGrad(l.operands)
	return l
}

// leads gives the float tensors of ts places of their own, in the list, and returns them; nil for the others.
func leads(ts []*Tensor) []*Tensor {
	ins := make([]*Tensor, len(ts))
	onTrace := isRecorded(ts)
	for i, t := range ts {
		if t.DType().IsFloat() {
			ts[i] = lead(t, onTrace)
			ins[i] = ts[i]
		}
	}
	return ins
}

// closedBody is the graph of a body with what its inputs and constants stand for: traced tensors when the operator was
// called in a traced body, real ones otherwise.
type closedBody struct {
	graph           *tracer.Graph
	args, constants []*Tensor // explicit inputs first
	outs            []group   // the structure of the graph's outputs
}

// close traces a body on x and checks it against its contract.
func (h *hopCall) close(b *body, x group) *closedBody {
	m := openTrace("main", traceOf(x.leaves), h.pos)
	defer m.abandon()
	metas := make([]tracer.Meta, len(x.leaves))
	for i, t := range x.leaves {
		metas[i] = t.meta()
	}
	closed, outs := h.trace(m, b, []group{x}, [][]tracer.Meta{metas})
	c := &closedBody{outs: outs}
	if !m.own {
		c.graph = closed.Graph
		c.args = append(inTrace(m.tr.Current(), x.leaves), ofValues(closed.Lifted)...)
		return c
	}
	values := make([]*tracer.Value, len(x.leaves))
	for i, t := range x.leaves {
		m.input(t, "x")
		values[i] = m.ins[i]
	}
	root := m.closeOn(closed, append(values, closed.Lifted...))
	c.graph = root.Graph
	if parent := m.tr.Parent(); parent != nil {
		c.args = append(inTrace(parent, x.leaves), ofValues(root.Lifted)...)
		return c
	}
	c.args = slices.Clone(x.leaves)
	for _, k := range root.Captures {
		c.constants = append(c.constants, k.Payload.(*Tensor))
	}
	return c
}

// closeOn ends an own trace that does nothing but a closed body.
func (m *hopTrace) closeOn(b *tracer.Body, values []*tracer.Value) *tracer.Body {
	results, err := m.tr.Inline(b.Graph, values)
	if err != nil {
		panic(fromTracer(err))
	}
	outputs := make([]tracer.Output, len(results))
	for i, v := range results {
		if slices.Contains(values, v) || slices.Contains(results[:i], v) {
			v = ofValue(v).Clone().value // the operator returns copies in any case
		}
		outputs[i].Value = v
	}
	m.ended = true
	root, found := m.tr.Close(outputs)
	if len(found) > 0 {
		panic(joinFindings(found, token.Position{}))
	}
	return root
}

func ofValues(values []*tracer.Value) []*Tensor {
	ts := make([]*Tensor, len(values))
	for i, v := range values {
		ts[i] = ofValue(v)
	}
	return ts
}

// inTrace returns ts as traced tensors of tr.
func inTrace(tr *tracer.SubgraphTracer, ts []*Tensor) []*Tensor {
	list := make([]*Tensor, len(ts))
	for i, t := range ts {
		if list[i] = t; t.value == nil {
			list[i] = ofValue(valueIn(tr, t))
		}
	}
	return list
}

// linearize runs the graph on the tape. x are the operands that args begins with.
func (c *closedBody) linearize(x group, g *tag) *linear {
	l := &linear{x: x, outs: c.outs, operands: append(slices.Clone(c.args), c.constants...), since: nextStamp()}
	l.onTape = anyRequiresGrad(l.operands)
	args := slices.Clone(c.args)
	l.ins = leads(args[:len(x.leaves)])
	g = g.inner(innermost(c.constants))
	l.setOuts(interpreter{tag: g, path: g.path()}.run(c.graph, args, c.constants))
	return l
}

// setOuts deals flat results out to the groups.
func (l *linear) setOuts(flat []*Tensor) {
	l.outs = slices.Clone(l.outs)
	for i := range l.outs {
		n := len(l.outs[i].leaves)
		l.outs[i].leaves, flat = flat[:n:n], flat[n:]
	}
}

// flat returns the leaves of all results.
func (l *linear) flat() []*Tensor {
	var list []*Tensor
	for _, g := range l.outs {
		list = append(list, g.leaves...)
	}
	return list
}

// pull applies the transposed derivative: from cotangents of the flat results, nil for zero, to gradients of the leaves
// of x, nil for those that are no floats.
func (l *linear) pull(cotangents []*Tensor) []*Tensor {
	return l.pullFrom(l.flat(), cotangents, l.ins, l.since)
}

// pullFrom runs backward from results on the tape to ends of it that are not older than since.
func (l *linear) pullFrom(results, cotangents, ins []*Tensor, since uint64) []*Tensor {
	b := newBackward()
	b.since, b.retain, b.onTape, b.beyond = since, true, l.onTape, l.beyond
	b.ends = map[*tapeNode]gradient{}
	for _, t := range ins {
		if t != nil {
			b.ends[t.tape.node] = gradient{}
		}
	}
	for i, c := range cotangents {
		if c != nil {
			b.add(results[i].place(), tagged(c, nil), false)
		}
	}
	b.run()
	grads := make([]*Tensor, len(ins))
	for i, t := range ins {
		if t == nil {
			continue
		}
		switch g := b.ends[t.tape.node]; {
		case g.dense == nil:
			grads[i] = zerosFor(t)
		case g.owned:
			grads[i] = g.dense
		default:
			grads[i] = g.dense.Clone()
		}
	}
	return grads
}

// finished returns results of the operator as the caller gets them: on storage that nobody else has, under the tag of
// the operands. They are on the tape when an operand, or one of more, requires grad, and off it otherwise. Nil tensors
// stay nil.
func (l *linear) finished(results []*Tensor, more ...*Tensor) []*Tensor {
	operands := append(slices.Clone(l.operands), more...)
	onTape := anyRequiresGrad(operands)
	outs := make([]*Tensor, len(results))
	var floats []int
	for i, t := range results {
		if t == nil {
			continue
		}
		t = tagged(t, nil)
		if !onTape {
			t = t.at(detached)
		}
		shared := !onTape && t.storage.rewritten() != nil
		for _, u := range append(slices.Clone(operands), outs[:i]...) {
			shared = shared || u != nil && t.SharesStorage(u)
		}
		if shared {
			t = t.Clone()
		}
		if !onTape {
			t = t.at(nil)
		}
		outs[i] = t
		floats = append(floats, i)
	}
	if onTape {
		list := make([]*Tensor, len(floats))
		for k, i := range floats {
			list[k] = outs[i]
		}
		gate(list, operands)
		for k, i := range floats {
			outs[i] = list[k]
		}
	}
	return taggedAll(outs, innermost(operands))
}

// ones returns the cotangent 1 of a tensor of one element.
func ones(t *Tensor) *Tensor { return Full(t.DType(), 1, t.shape...) }

// matched flattens v and matches it with like.
func (h *hopCall) matched(v any, slot hopcheck.Slot, like *group, pos token.Position) []*Tensor {
	got := h.flatten(v, slot, slot.Label)
	return h.match(&got, like, pos)
}

// match returns the leaves of got, the cotangent or gradient of the group like, one for each leaf of like: got has the
// structure of like, and leaves of the same types. A nil leaf stands for zeros and gives nil, and
// so does any leaf where like has no float.
func (h *hopCall) match(got, like *group, pos token.Position) []*Tensor {
	var diffs []hopcheck.Difference
	for _, d := range got.tree.Diff(like.tree) {
		if d.A != "nil" {
			diffs = append(diffs, hopcheck.Difference{Got: hopcheck.Place{Role: got.slot.Role, Label: got.slot.Label, Path: d.Path},
				Want: hopcheck.Place{Role: like.slot.Role, Label: like.slot.Label, Path: d.Path}, GotValue: d.A, WantValue: d.B})
		}
	}
	leaves := make([]*Tensor, len(like.leaves))
	if len(diffs) == 0 {
		for i, path := range like.paths {
			k := slices.Index(got.paths, path)
			if k < 0 {
				continue
			}
			leaves[i] = got.leaves[k]
			if a, b := leaves[i].meta(), like.leaves[i].meta(); !a.Equal(b) {
				diffs = append(diffs, hopcheck.Difference{Got: got.place(k), Want: like.place(i), GotValue: describe(a), WantValue: describe(b)})
			}
			if !like.leaves[i].DType().IsFloat() {
				leaves[i] = nil
			}
		}
	}
	if len(diffs) > 0 {
		panic(refusal(hopcheck.Finding{Code: hopcheck.CarryMismatch, HOP: h.contract.Name, Differences: diffs}, pos))
	}
	return leaves
}
