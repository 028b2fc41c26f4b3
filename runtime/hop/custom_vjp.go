package hop

import (
	"fmt"
	"go/token"
	"slices"

	"github.com/hoplint/hoplint/runtime/internal/pytree"
	"github.com/hoplint/hoplint/tracer"
)

// CustomVJP returns a function with the values of fwd and the derivative that bwd states. fwd gives the result and a
// residual, which is kept; bwd makes of it, and of the cotangent of the result, the gradient of x.
//
// Shapes: the cotangent has structure, dtypes and shapes of the result, the gradient those of x. A nil leaf of the
// gradient stands for zeros. Leaves that are no floats have zeros as cotangents, and their gradients are not read.
// Aliasing: results are fresh; neither function may write what it is given or captured tensors, nor return it (HOP103–
// HOP303). A residual may share storage with x, the result and captured tensors.
// Errors: panics with *[Error]; a gradient of another structure, dtype or shape than x is HOP201, naming every
// difference; see [Try].
// Gradient: what bwd gives. Captured tensors have none, so one that requires grad and that fwd computes with is refused when
// a gradient is taken: pass it in x. Second derivatives are those of bwd, through its residual and cotangent.
// Source: JAX's custom_vjp.
//
//hop:body fwd(operand), bwd(operand, operand)
func CustomVJP[X, Y, R any](fwd func(X) (Y, R), bwd func(R, Y) X) func(X) Y {
	return func(x X) Y {
		h := begin("CustomVJP", nil)
		if fwd == nil || bwd == nil {
			h.misuse("forward or backward function is nil; pass a func(x) (y, residual) and a func(residual, cotangent) gradient")
		}
		f, b := &h.contract.Bodies[0], &h.contract.Bodies[1]
		c := &customVJP{hopCall: h, x: h.flatten(x, f.In[0], "argument")}
		c.fwd = &body{spec: f, pos: h.sourceOf(fwd), run: func(ins [][]*Tensor) (outs, touched []group) {
			x := pytree.Unflatten[X](c.x.tree, ins[0])
			y, r := fwd(x)
			outs = []group{h.flatten(y, f.Out[0], "result"), h.flatten(r, f.Out[1], "residual")}
			return outs, []group{h.flatten(x, f.In[0], "argument")}
		}}
		c.bwd = &body{spec: b, index: 1, pos: h.sourceOf(bwd), run: func(ins [][]*Tensor) (outs, touched []group) {
			r := pytree.Unflatten[R](c.residual.tree, ins[0])
			dy := pytree.Unflatten[Y](c.y.tree, ins[1])
			outs = []group{h.flatten(bwd(r, dy), b.Out[0], "gradient")}
			return outs, []group{h.flatten(r, b.In[0], "residual"), h.flatten(dy, b.In[1], "cotangent")}
		}}
		y := h.execute(c.x.leaves, c.stepwise, c.traced)
		return pytree.Unflatten[Y](c.y.tree, y)
	}
}

// customVJP is one call of a function with a derivative of its own.
type customVJP struct {
	*hopCall
	fwd, bwd       *body
	x, y, residual group // y and residual as the forward function returned them
}

// backwardInputs are the groups that the backward function is given.
func (c *customVJP) backwardInputs(residual, cotangent []*Tensor) []group {
	r, dy := c.residual, c.y
	r.slot, dy.slot = c.bwd.spec.In[0], c.bwd.spec.In[1]
	r.leaves, dy.leaves = residual, cotangent
	return []group{r, dy}
}

// traced traces both functions and records one node.
func (c *customVJP) traced(m *hopTrace) []*Tensor {
	forward, outs := c.trace(m, c.fwd, []group{c.x}, [][]tracer.Meta{leafMetas(c.x.leaves)})
	c.y, c.residual = outs[0], outs[1]
	results := leafMetas(c.y.leaves)
	ins := c.backwardInputs(c.residual.leaves, c.y.leaves)
	backward, outs := c.trace(m, c.bwd, ins, [][]tracer.Meta{leafMetas(c.residual.leaves), results})
	grads := c.selectGradients(backward, &outs[0])

	operands := m.inputs(c.x.leaves, "x")
	attrs := tracer.Attrs{{Key: "n_operands", Value: len(operands)}, {Key: "n_results", Value: len(results)}, {Key: "grads", Value: grads}}
	return m.hop(c.contract.Name, []*tracer.Body{forward, backward}, operands, attrs, tuple(results), c.pos)
}

// selectGradients makes the gradients of float operands the outputs of the backward body, in their order, and returns
// the indices of these operands. It refuses a gradient that does not fit.
func (c *customVJP) selectGradients(b *tracer.Body, got *group) []int {
	grads := []int{}
	var outputs []*tracer.Node
	for i, t := range c.match(got, &c.x, c.bwd.pos) {
		if t != nil {
			grads = append(grads, i)
			outputs = append(outputs, b.Graph.Outputs[slices.Index(got.leaves, t)])
		}
	}
	b.Graph.Outputs = outputs
	return grads
}

// stepwise calls the forward function now and the backward function when the gradient is asked for.
func (c *customVJP) stepwise(g *tag) []*Tensor {
	outs, given, needed, _ := c.stepOffTape(c.fwd, c.x, g)
	c.y, c.residual = outs[0], outs[1]
	for j, r := range c.residual.leaves {
		for i, t := range given {
			if sameWindow(r, t) { // a residual that is an operand is kept as it is
				c.residual.leaves[j] = c.x.leaves[i]
			}
		}
	}
	operands := slices.Concat(c.x.leaves, needed)
	if !anyRequiresGrad(operands) {
		return c.y.leaves
	}
	for _, t := range needed {
		panic(uncovered(c.contract.Name, c.pos, t))
	}
	y := recordOwn(c.contract.Name, c.pos, operands, c.y.leaves, c.residual.leaves, func(v *vjp) []*Tensor {
		n := len(c.y.leaves)
		residual := make([]*Tensor, len(c.residual.leaves))
		if v.onTape { // the residual depends on x
			again := c.x
			again.leaves = v.inputs()[:len(c.x.leaves)]
			r := c.newStep(c.fwd, once, g)
			residual = r.call([]group{again}, [][]*Tensor{r.give(again)})[1].leaves
		} else {
			for i := range residual {
				residual[i] = v.Output(n + i)
			}
		}
		ins := c.backwardInputs(residual, v.cotangents(n))
		r := c.newStep(c.bwd, once, g)
		out := r.call(ins, [][]*Tensor{r.give(ins[0]), r.give(ins[1])})[0]
		return append(taggedAll(c.match(&out, &c.x, c.bwd.pos), nil), make([]*Tensor, len(needed))...)
	})
	gate(y, operands)
	return y
}

// uncovered refuses a captured tensor whose gradient the backward function cannot give.
func uncovered(hop string, pos token.Position, t *Tensor) *Error {
	return &Error{HOP: hop, Step: once, Position: pos, Detail: fmt.Sprintf(
		"the forward function computes with a captured tensor, %s, that requires grad, and the backward function gives gradients of the argument only; pass it in the argument, or capture its Detach()",
		describe(t.meta()))}
}

// cotangents returns the gradients of the first n results, zeros where nothing depends on one.
func (c *vjp) cotangents(n int) []*Tensor {
	list := make([]*Tensor, n)
	for i := range list {
		list[i] = c.Grad(i)
	}
	return list
}

// customVJP runs a node: for a gradient its forward body off the tape, and the backward body when it is asked for.
func (in interpreter) customVJP(n *tracer.Node, ins []*Tensor) []*Tensor {
	forward, backward, below := n.Graphs[0], n.Graphs[1], in.inside(n, 0, once)
	results, operands := n.Attrs.Int("n_results"), n.Attrs.Int("n_operands")
	if !anyRequiresGrad(ins) {
		return below.run(forward, ins, nil)[:results]
	}
	for i, t := range ins[operands:] {
		if t.RequiresGrad() && readsInput(forward, forward.Inputs[operands+i]) {
			panic(uncovered(n.Op, n.Pos, t))
		}
	}
	made := below.offTape(forward, ins)
	for j, n := range forward.Outputs {
		if i := slices.Index(forward.Inputs, n); i >= 0 { // a residual that is an operand is kept as it is
			made[j] = ins[i]
		}
	}
	return recordOwn(n.Op, n.Pos, ins, made[:results], made[results:], func(c *vjp) []*Tensor {
		again := below.again()
		var args []*Tensor
		if c.onTape { // the residual depends on the operands
			args = again.run(forward, c.inputs(), nil)[results:]
		} else {
			for i := range made[results:] {
				args = append(args, c.Output(results+i))
			}
		}
		args = append(args, c.cotangents(results)...)
		for i := range ins[operands:] {
			args = append(args, c.Input(operands+i))
		}
		grads := make([]*Tensor, len(ins))
		for k, g := range in.inside(n, 1, once).again().evaluate(backward, args) {
			grads[n.Attrs.Ints("grads")[k]] = g
		}
		return grads
	})
}
