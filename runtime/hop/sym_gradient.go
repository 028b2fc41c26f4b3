package hop

import "github.com/hoplint/hoplint/tracer"

// Gradients of tensors whose sizes are open. A derivative that is recorded into a graph is built of sizes where it can,
// so that the graph runs for others too; where a derivative asks for numbers through [vjp.Shape], they are fixed by guards.

// openSizes are the sizes of t when one is symbolic, nil otherwise.
func (t *Tensor) openSizes() []Int {
	if t.value == nil {
		return nil
	}
	for _, d := range t.value.Meta().Shape {
		if _, constant := d.Const(); !constant {
			return t.SymShape()
		}
	}
	return nil
}

// zerosFor returns zeros of t's type, real ones where that needs no trace.
func zerosFor(t *Tensor) *Tensor {
	if t.openSizes() == nil {
		return newTensor(t.DType(), t.shape)
	}
	return zerosLike(t)
}

// onesLike returns ones of t's shape.
func onesLike(dt DType, t *Tensor) *Tensor {
	if sizes := t.openSizes(); sizes != nil {
		return OnesSym(dt, sizes...)
	}
	return Ones(dt, t.shape...)
}

// zeros of the type of s.
func (s *saved) zeros() *Tensor {
	if s.sizes == nil {
		return newTensor(s.dtype, s.shape)
	}
	return ZerosSym(s.dtype, s.sizes...)
}

// meta is the type of s.
func (s *saved) meta() tracer.Meta {
	if s.sizes == nil {
		return tracer.TensorMeta(s.dtype, s.shape...)
	}
	return tracer.Meta{DType: s.dtype, Shape: exprs(s.sizes)}
}

// Sizes are those of argument i.
func (c *vjp) Sizes(i int) []Int {
	s := &c.node.in[i]
	if s.sizes != nil {
		return s.sizes
	}
	list := make([]Int, len(s.shape))
	for d, n := range s.shape {
		list[d] = IntOf(n)
	}
	return list
}

// reshaped gives g the shape of argument i.
func (c *vjp) reshaped(g *Tensor, i int) *Tensor {
	if s := &c.node.in[i]; s.sizes == nil {
		return g.Reshape(s.shape...)
	}
	return g.ReshapeSym(c.Sizes(i)...)
}

// perElement divides g by the number of elements that one result of a reduction was made from.
func (c *vjp) perElement(g *Tensor) *Tensor {
	if c.node.in[0].sizes == nil {
		return g.DivScalar(c.reducedElems())
	}
	n := IntOf(1)
	for _, d := range c.Attrs().Ints("dims") {
		n = n.Mul(c.Sizes(0)[d])
	}
	return g.DivSym(n)
}
