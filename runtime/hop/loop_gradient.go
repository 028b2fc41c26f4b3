package hop

import (
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// The adjoint of a loop whose steps are counted is a scan over them from the last to the first. It carries the gradients
// of the carries and the sums of the gradients of captured tensors, and reads what the forward loop kept: of each step
// the carries whose values the derivative of the body reads. A carry that is only handed on is read where it came from,
// once for all steps; xs and captured tensors are read where they are.

// loopLayout is a scan, map or for loop in the layout of a scan.
type loopLayout struct {
	body       *tracer.Graph // carry…, x…, lifted… → next carry…, y…
	carry, xs  int
	length     tracer.Int
	lower      int  // of a for loop: the first index
	index      bool // the one x is the index of the step, and no operand
	inputs     int  // operands
	want       []bool
	symbols    []tracer.Symbol
	reads      []bool // inputs of the body whose values its derivative reads
	keptCarry  []int  // carries of which each step's is kept
	wantsCarry bool
}

// layout returns the layout of the loop. Carries that depend on operands that want a gradient want one too.
func (d *derivative) layout() *loopLayout {
	n, want := d.node, d.want
	l := &loopLayout{body: n.Graphs[0], carry: n.Attrs.Int("n_carry"), xs: n.Attrs.Int("n_xs"), inputs: len(n.Args), symbols: d.symbols}
	if n.Op == "for_loop" {
		l.lower, l.index, l.xs = n.Attrs.Int("lower"), true, 1
		l.length = tracer.Const(n.Attrs.Int("upper") - l.lower)
		in := l.body.Inputs // index, carry…, lifted…
		body := *l.body
		body.Inputs = slices.Concat(in[1:1+l.carry], in[:1], in[1+l.carry:])
		l.body = &body
		want = slices.Insert(slices.Clone(want), l.carry, false)
	} else {
		l.length, _ = n.Attrs.Size("length")
	}
	l.want = wantedCarries(l.body, slices.Clone(want), l.carry)
	l.reads = derivativeReads(d.symbols, l.body, l.want)
	for i := range l.carry {
		l.wantsCarry = l.wantsCarry || l.want[i]
		if !isForwarded(l.body, i) && l.reads[i] {
			l.keptCarry = append(l.keptCarry, i)
		}
	}
	return l
}

// wantedCarries adds to want the carries that come to depend on an input of g that wants a gradient.
func wantedCarries(g *tracer.Graph, want []bool, carry int) []bool {
	for changed := true; changed; {
		changed = false
		active := activeNodes(g, want)
		for i := range carry {
			if !want[i] && active[g.Outputs[i]] {
				want[i], changed = true, true
			}
		}
	}
	return want
}

// isForwarded reports whether the next carry i of a body is the carry.
func isForwarded(g *tracer.Graph, i int) bool {
	in, out := g.Inputs[i], g.Outputs[i]
	return out == in || out.Op == "clone" && out.Args[0] == in
}

// loop is the derivative of a scan, map or for loop. Its forward graph is a scan with more ys: the carries to be kept.
func (d *derivative) loop() {
	l := d.layout()
	d.kept = len(l.keptCarry)
	d.forward.graph = l.forward(d.node)
	d.captured = l.carry + l.xs
	if l.index {
		d.captured--
	}
	d.build = func(operands, kept, cotangents, sums []*Tensor) []*Tensor {
		return l.adjoint(operands, kept, cotangents, sums[d.captured:])
	}
}

// forward is the operator itself when nothing is kept.
func (l *loopLayout) forward(n *tracer.Node) *tracer.Graph {
	if len(l.keptCarry) == 0 {
		return sizedNodeGraph(l.symbols, n, metasOf(n.Args))
	}
	body := copyGraph(l.body)
	m := &tracer.Node{Name: "scan", Op: "scan", Pos: n.Pos, Meta: tracer.Meta{Elems: slices.Clone(n.Meta.Elems)}, Graphs: []*tracer.Graph{body},
		Attrs: tracer.Attrs{{Key: "n_carry", Value: l.carry}, {Key: "n_xs", Value: l.xs}, tracer.IntAttr("length", l.length)}}
	for _, i := range l.keptCarry {
		in := body.Inputs[i]
		body.Outputs = append(body.Outputs, in)
		m.Meta.Elems = append(m.Meta.Elems, tracer.Meta{DType: in.Meta.DType, Shape: append([]tracer.Int{l.length}, in.Meta.Shape...)})
	}
	metas := metasOf(n.Args)
	if !l.index {
		return sizedNodeGraph(l.symbols, m, metas)
	}
	return graphOf(l.symbols, metas, n.Pos, func(args []*Tensor) []*Tensor { return runNode(m, l.withIndex(args)) })
}

// withIndex adds the index of the steps to the operands of a for loop.
func (l *loopLayout) withIndex(operands []*Tensor) []*Tensor {
	if !l.index {
		return operands
	}
	one := ofValue(valueIn(traceOf(operands), Scalar(int64(1))))
	length, _ := l.length.Const()
	index := one.Expand(length).CumSum(0).AddScalar(float64(l.lower - 1)) // and no constant of as many numbers
	return slices.Insert(slices.Clone(operands), l.carry, index)
}

// gradients are the running gradients of carries and lifted operands; nil for those that want none.
type gradients struct{ Carry, Lifted []*Tensor }

// reversedStep is what one step of the reversed scan reads; nil for what is not read or has no gradient.
type reversedStep struct {
	Carry, X, Y, Saved []*Tensor
	Other              *Tensor // counts the steps where the others are all nil
}

// adjoint runs the reversed scan. cotangents are those of the results and of the kept carries, sums what the gradients of
// captured operands are added to.
func (l *loopLayout) adjoint(operands, kept, cotangents, sums []*Tensor) []*Tensor {
	all := l.withIndex(operands)
	n, k := l.carry, l.carry+l.xs
	carry, xs, lifted := all[:n], all[n:k], all[k:]
	wantX, wantLifted := l.want[n:k], l.want[k:]
	ys := len(l.body.Outputs) // and, behind them, the kept carries
	last := gradients{Carry: orAllZeros(cotangents, carry, l.want), Lifted: orAllZeros(sums, lifted, wantLifted)}

	steps := reversedStep{Carry: make([]*Tensor, n), Saved: make([]*Tensor, n), X: make([]*Tensor, l.xs), Y: cotangents[n:ys]}
	for h, i := range l.keptCarry {
		steps.Carry[i] = kept[h]
		if l.want[i] {
			steps.Saved[i] = cotangents[ys+h]
		}
	}
	standIn := make([]*Tensor, l.xs)
	for i, x := range xs {
		if l.reads[n+i] {
			steps.X[i] = x
		} else {
			standIn[i] = zerosOf(traceOf(all), without(x.meta(), 0)) // there may be no step
		}
	}
	step := func(g gradients, s reversedStep) (gradients, []*Tensor) {
		args := slices.Concat(orOthers(s.Carry, carry), orOthers(s.X, standIn), lifted)
		sums := slices.Concat(s.Saved, make([]*Tensor, l.xs), g.Lifted)
		grads := pullback(l.body, args, slices.Concat(g.Carry, s.Y), l.want, sums)
		next := gradients{Carry: copies(orAllZeros(grads[:n], carry, l.want)), Lifted: copies(grads[k:])}
		dx := make([]*Tensor, l.xs)
		for i := range dx {
			if wantX[i] {
				dx[i] = orZeros(grads[n+i], args[n+i]).Clone()
			}
		}
		return next, dx
	}
	var dx []*Tensor
	if len(given(last.Carry))+len(given(last.Lifted)) == 0 {
		dx = Map(func(s reversedStep) []*Tensor { _, dx := step(last, s); return dx }, l.orSome(steps, all))
	} else if length, constant := l.length.Const(); constant {
		last, dx = Scan(step, last, steps, Reverse(), Length(length))
	} else {
		last, dx = Scan(step, last, l.orSome(steps, all), Reverse())
	}
	grads := slices.Concat(last.Carry, dx, last.Lifted)
	if l.index {
		grads = slices.Delete(grads, n, n+1)
	}
	return grads
}

// orSome gives the steps a leaf when they have none.
func (l *loopLayout) orSome(s reversedStep, all []*Tensor) reversedStep {
	if len(given(slices.Concat(s.Carry, s.X, s.Y, s.Saved))) == 0 {
		s.Other = zerosOf(traceOf(all), tracer.Meta{DType: Bool, Shape: []tracer.Int{l.length}})
	}
	return s
}

// orOthers takes the tensors of others where those of ts are nil.
func orOthers(ts, others []*Tensor) []*Tensor {
	list := slices.Clone(ts)
	for i, t := range list {
		if t == nil {
			list[i] = others[i]
		}
	}
	return list
}

// branches is the derivative of a cond or switch: the branch that is taken, pulled back.
func (d *derivative) branches() {
	n := d.node
	d.forward.graph = sizedNodeGraph(d.symbols, n, metasOf(n.Args))
	d.captured = 1
	d.build = func(operands, _, cotangents, sums []*Tensor) []*Tensor {
		want := d.want[1:]
		var branches []func([3][]*Tensor) []*Tensor
		for _, g := range n.Graphs {
			branches = append(branches, func(o [3][]*Tensor) []*Tensor {
				return copies(orAllZeros(pullback(g, o[0], o[1], want, o[2]), o[0], want))
			})
		}
		ins := [3][]*Tensor{operands[1:], cotangents, sums[1:]}
		if n.Op == "cond" {
			return append([]*Tensor{nil}, Cond(operands[0], branches[0], branches[1], ins)...)
		}
		return append([]*Tensor{nil}, Switch(operands[0], branches, ins)...)
	}
}
