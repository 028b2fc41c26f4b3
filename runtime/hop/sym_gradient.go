package hop

import "github.com/hoplint/hoplint/tracer"

// Gradients of tensors whose sizes are open. A derivative that is recorded into a graph is built of integers in place of
// sizes, so that the graph runs for others too. Where its form depends on a size it compares, which is a guard.

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

// beside makes a real gradient one of the node's trace where attrs, the places that it is for, are open there: a tensor of fixed sizes can
// be the gradient of a result although its window is none. The trace is that of known, or of the sizes of the arguments and results.
func (c *vjp) beside(attrs tracer.Attrs, g *Tensor, known ...*Tensor) *Tensor {
	if !attrs.Symbolic() || traced(g) != nil {
		return g
	}
	var sizes []Int
	for _, list := range [][]saved{c.node.in, c.node.out} {
		for i := range list {
			sizes = append(sizes, list[i].sizes...)
		}
	}
	tr := traceOf(known)
	if tr == nil {
		tr = traceOfInts(sizes...)
	}
	if tr != nil {
		return inTraceOf(tr, []*Tensor{g})[0]
	}
	return g
}

// reshaped gives g the shape of argument i.
func (c *vjp) reshaped(g *Tensor, i int) *Tensor {
	if s := &c.node.in[i]; s.sizes == nil {
		return g.Reshape(s.shape...)
	}
	return g.ReshapeSym(c.Sizes(i)...)
}

// isOne reports whether dim d of argument i has size 1 whatever open sizes are.
func (c *vjp) isOne(i, d int) bool {
	s := &c.node.in[i]
	return s.shape[d] == 1 && (s.sizes == nil || s.sizes[d].value == nil)
}

// size is that of dim d of argument i; a negative d counts from the end.
func (c *vjp) size(i, d int) Int {
	s := &c.node.in[i]
	if d < 0 {
		d += len(s.shape)
	}
	if s.sizes != nil {
		return s.sizes[d]
	}
	return IntOf(s.shape[d])
}

// perElement divides g by the number of elements that one result of a reduction was made from.
func (c *vjp) perElement(g *Tensor) *Tensor {
	n := IntOf(1)
	for _, d := range c.Attrs().Ints("dims") {
		n = n.Mul(c.size(0, d))
	}
	if n.value == nil {
		return g.DivScalar(float64(n.n))
	}
	return g.DivSym(n)
}

// numElemsOf is the number of elements of a tensor of the given sizes.
func numElemsOf(sizes []Int) Int {
	n := IntOf(1)
	for _, d := range sizes {
		n = n.Mul(d)
	}
	return n
}

// unitMatrix is the matrix of n rows with 1 on its diagonal and 0 elsewhere.
func unitMatrix(dt DType, n Int) *Tensor {
	if n.value == nil {
		return Eye(dt, n.n)
	}
	at := ArangeSym(Int64, n)
	return at.Unsqueeze(1).Eq(at.Unsqueeze(0)).To(dt)
}
