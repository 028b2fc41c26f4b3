package hop

import (
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// reads is a set of tensors that a derivative reads.
type reads uint8

const (
	in0 reads = 1 << iota
	in1
	in2
	out0
	out1
)

// input reports whether tensor argument i is read.
func (r reads) input(i int) bool { return i < 3 && r&(in0<<i) != 0 }

// output reports whether result i is read.
func (r reads) output(i int) bool { return i < 2 && r&(out0<<i) != 0 }

// vjp is what a derivative knows of the op that ran: its arguments, results and attributes. Tensors are read through
// it, so that one that was written since is found (HOP601).
type vjp struct {
	node  *tapeNode
	grads []*Tensor // of the results; nil for none
	// onTape is set when derivatives are recorded themselves.
	onTape bool
	// owned says which of grads nobody else reads, given which of the gradients that the derivative returns.
	owned, given []bool
	parts        []windowGradient // gradients for windows of arguments, see scatter
	// run is the run backward that asks, nil when there is none.
	run *backward
	// beyond are gradients for places that are no arguments: captured tensors of a body that ran Stepwise.
	beyond []placeGradient
}

// placeGradient is a gradient for a place on the tape.
type placeGradient struct {
	at edge
	gradient
}

// take reports whether the gradient of result i may be written, which then is the right of the caller.
func (c *vjp) take(i int) bool {
	mine := c.owned[i]
	c.owned[i] = false
	return mine
}

// windowGradient is a gradient for a part of argument arg: for the window that view, an op with attrs, has on it, or for
// the elements that index names, where into adds dy. into returns a sum with dy added, and writes the sum itself when it may.
type windowGradient struct {
	arg   int
	view  *opRow
	attrs tracer.Attrs
	dy    *Tensor
	index *Tensor
	into  func(sum *Tensor, write bool) *Tensor
}

// scatter says that the gradient of argument arg is dy in a window of it and zero elsewhere. The window is the view op
// with attrs. No dims of it overlap. Many windows of one argument share the memory of its gradient.
func (c *vjp) scatter(arg int, view *opRow, attrs tracer.Attrs, dy *Tensor) {
	if c.Needs(arg) {
		dy = c.beside(attrs, dy)
		c.parts = append(c.parts, windowGradient{arg: arg, view: view, attrs: attrs, dy: dy})
	}
}

// addInto says that the gradient of argument arg is dy where into adds it, at the places of index, and zero elsewhere.
func (c *vjp) addInto(arg int, dy, index *Tensor, into func(sum *Tensor, write bool) *Tensor) {
	if c.Needs(arg) {
		c.parts = append(c.parts, windowGradient{arg: arg, dy: dy, index: index, into: into})
	}
}

// sum takes what has arrived for argument i so far, as one traced tensor, or returns nil. Who takes it gives it back in the
// gradient of the argument: an operator whose steps add to it in place need not make a sum of its own first.
func (c *vjp) sum(i int) *Tensor {
	if c.run == nil || !c.Needs(i) {
		return nil
	}
	s := &c.node.in[i]
	g := c.run.slot(s.next)
	if g == nil || g.isZero() || g.trace() == nil {
		return nil
	}
	t := c.run.whole(g, s)
	g.dense, g.owned, g.touched = nil, false, true
	return t
}

// Attrs returns the normalised attributes.
func (c *vjp) Attrs() tracer.Attrs { return c.node.attrs }

// NumInputs returns the number of tensor arguments.
func (c *vjp) NumInputs() int { return len(c.node.in) }

// Input returns tensor argument i as it was.
func (c *vjp) Input(i int) *Tensor {
	s := &c.node.in[i]
	return s.value(c.node, i, c.at(s.next))
}

// Output returns result i as it was.
func (c *vjp) Output(i int) *Tensor { return c.node.out[i].value(c.node, -1, c.at(edge{c.node, i})) }

// again reports whether the derivative may be differentiated again: it is recorded, on the tape or into a graph. A few
// ops have a faster formula for when it is not.
func (c *vjp) again(dy *Tensor) bool {
	if c.onTape || dy.RequiresGrad() || traced(dy) != nil {
		return true
	}
	for i := range c.node.in {
		if t := c.node.in[i].tensor; t != nil && traced(t) != nil {
			return true
		}
	}
	return false
}

// at is e when derivatives are recorded, nowhere otherwise.
func (c *vjp) at(e edge) edge {
	if c.onTape {
		return e
	}
	return edge{}
}

// Grad returns the gradient of result i; zeros when nothing depends on it.
func (c *vjp) Grad(i int) *Tensor {
	if g := c.grads[i]; g != nil {
		return g
	}
	return c.node.out[i].zeros()
}

// Needs reports whether the gradient of argument i is asked for.
func (c *vjp) Needs(i int) bool { return c.node.in[i].next.node != nil }

// Rank returns the number of dims of argument i.
func (c *vjp) Rank(i int) int { return len(c.node.in[i].shape) }

// DType returns the element type of argument i.
func (c *vjp) DType(i int) DType { return c.node.in[i].dtype }

func one(t *Tensor) []*Tensor { return []*Tensor{t} }

// reduced computes the gradients that are asked for and sums each to the shape of its argument. A nil function stands
// for an argument without gradient.
func (c *vjp) reduced(grads ...func() *Tensor) []*Tensor {
	list := make([]*Tensor, len(grads))
	for i, g := range grads {
		if g != nil && c.Needs(i) {
			list[i] = c.sumTo(g(), i)
		}
	}
	return list
}

// pair is reduced for two arguments.
func (c *vjp) pair(a, b func() *Tensor) []*Tensor { return c.reduced(a, b) }

// sumTo undoes a broadcast: it sums g over the dims along which argument i was repeated.
func (c *vjp) sumTo(g *Tensor, i int) *Tensor {
	want, sizes := c.node.in[i].shape, g.openSizes()
	if sizes == nil && slices.Equal(g.shape, want) {
		return g
	}
	lead := len(g.shape) - len(want)
	var dims []int
	for d, n := range g.shape {
		if d < lead || c.isOne(i, d-lead) && (n != 1 || sizes != nil && sizes[d].value != nil) {
			dims = append(dims, d)
		}
	}
	if len(dims) > 0 {
		g = g.SumKeepDims(dims...)
	}
	if lead > 0 {
		g = c.reshaped(g, i)
	}
	return g
}

// fit is sumTo for the product of matrices, which may carry a dim more than a vector argument.
func (c *vjp) fit(g *Tensor, i int) *Tensor {
	if len(c.node.in[i].shape) != 1 {
		return c.sumTo(g, i)
	}
	for len(g.shape) > 2 {
		g = g.Sum(0)
	}
	return c.reshaped(g, i)
}

// spread undoes a reduction: it repeats g along the reduced dims of argument 0.
func (c *vjp) spread(g *Tensor) *Tensor {
	s := &c.node.in[0]
	if s.sizes != nil {
		kept := slices.Clone(s.sizes)
		for _, d := range c.Attrs().Ints("dims") {
			kept[d] = IntOf(1)
		}
		return g.ReshapeSym(kept...).ExpandSym(s.sizes...)
	}
	kept := slices.Clone(s.shape)
	for _, d := range c.Attrs().Ints("dims") {
		kept[d] = 1
	}
	return g.Reshape(kept...).Expand(s.shape...)
}

// zeros returns a zero gradient for argument i.
func (c *vjp) zeros(i int) *Tensor { return c.node.in[i].zeros() }

// scalar returns v in the dtype of the last argument.
func (c *vjp) scalar(v float64) *Tensor {
	return Full(c.DType(c.NumInputs()-1), v)
}

// zero returns the scalar 0 in the dtype of the last argument.
func (c *vjp) zero() *Tensor { return newTensor(c.DType(c.NumInputs()-1), nil) }

// applyOp is apply for an op at hand.
func applyOp(op *opRow, attrs tracer.Attrs, ts ...*Tensor) *Tensor {
	return prepare(op, op.userName(), attrs, ts).functional()[0]
}
