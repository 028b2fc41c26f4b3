package hop

import (
	"fmt"
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// Shape rules of linear algebra on stacks of matrices, and of convolution.

// square refuses an operand that is no stack of square matrices and returns its batch dims and its size.
func square(c *inference, m tracer.Meta) ([]tracer.Int, tracer.Int, error) {
	rank := len(m.Shape)
	if rank < 2 {
		return nil, tracer.Int{}, fmt.Errorf("operand is %s; want a matrix in the last two dims, e.g. through Unsqueeze", describe(m))
	}
	rows, cols := m.Shape[rank-2], m.Shape[rank-1]
	if !c.sameSize(rows, cols) {
		return nil, tracer.Int{}, fmt.Errorf("operand is %s with %v rows and %v columns; want a square matrix in the last two dims", describe(m), rows, cols)
	}
	return m.Shape[:rank-2], rows, nil
}

// squareKept is the rule of ops from square matrices to such.
func squareKept(c *inference) error {
	if _, _, err := square(c, c.In[0]); err != nil {
		return err
	}
	return sameAs(0)(c)
}

// determined is the rule of determinants.
func determined(c *inference) error {
	batch, _, err := square(c, c.In[0])
	c.Out = tracer.Meta{DType: c.In[0].DType, Shape: batch}
	return err
}

// solvedFor is the rule of systems of equations: a stack of square matrices, and a vector or a stack of matrices.
func solvedFor(c *inference) error {
	if err := sameDTypes(c.In...); err != nil {
		return err
	}
	a, b := c.In[0], c.In[1]
	batch, n, err := square(c, a)
	if err != nil {
		return err
	}
	rank := len(b.Shape)
	if rank == 0 {
		return fmt.Errorf("right-hand side is %s; want a vector, or a matrix in the last two dims", describe(b))
	}
	at := max(rank-2, 0)
	if !c.sameSize(b.Shape[at], n) {
		return fmt.Errorf("matrix is %s, right-hand side %s with %v rows; make the rows %v", describe(a), describe(b), b.Shape[at], n)
	}
	lead, err := c.broadcastShapes(tracer.Meta{Shape: batch}, tracer.Meta{Shape: b.Shape[:at]})
	if err != nil {
		return fmt.Errorf("batches of %s and %s: %w", describe(a), describe(b), err)
	}
	c.Out = tracer.Meta{DType: a.DType, Shape: slices.Concat(lead, b.Shape[at:])}
	return nil
}

// orthogonalised is the rule of QR.
func orthogonalised(c *inference) error {
	m := c.In[0]
	rank := len(m.Shape)
	if rank < 2 {
		return fmt.Errorf("operand is %s; want a matrix in the last two dims, e.g. through Unsqueeze", describe(m))
	}
	batch, rows, cols := m.Shape[:rank-2], m.Shape[rank-2], m.Shape[rank-1]
	k := rows.Min(cols)
	c.Out = tracer.Meta{Elems: []tracer.Meta{
		{DType: m.DType, Shape: slices.Concat(batch, []tracer.Int{rows, k})},
		{DType: m.DType, Shape: slices.Concat(batch, []tracer.Int{k, cols})},
	}}
	return nil
}

// maxConvArg bounds the numbers of a convolution, so that no size overflows.
const maxConvArg = 1 << 30

// convArgs checks the numbers of a convolution.
func convArgs(c *inference) error {
	for _, a := range []struct {
		key   string
		least int
	}{{"stride", 1}, {"padding", 0}, {"dilation", 1}, {"groups", 1}} {
		if n := c.Attrs.Int(a.key); n < a.least || n > maxConvArg {
			return fmt.Errorf("%s is %d; want %d to %d", a.key, n, a.least, maxConvArg)
		}
	}
	return nil
}

// convResult is the size of the result for a signal of size l and filters of k taps.
func convResult(c *inference, l, k tracer.Int) tracer.Int {
	stride, padding, dilation := c.Attrs.Int("stride"), c.Attrs.Int("padding"), c.Attrs.Int("dilation")
	reach := k.Sub(tracer.Const(1)).Mul(tracer.Const(dilation)).Add(tracer.Const(1))
	return l.Add(tracer.Const(2 * padding)).Sub(reach).FloorDiv(tracer.Const(stride)).Add(tracer.Const(1))
}

// convShapes checks that filters [O, C/groups, K] fit channels and returns O and K.
func convShapes(c *inference, w tracer.Meta, channels tracer.Int, signal tracer.Meta) (o, k tracer.Int, err error) {
	groups := c.Attrs.Int("groups")
	if len(w.Shape) != 3 {
		return o, k, fmt.Errorf("filters are %s; want [filters channels/groups taps]", describe(w))
	}
	o, k = w.Shape[0], w.Shape[2]
	if !c.sameSize(w.Shape[1].Mul(tracer.Const(groups)), channels) {
		return o, k, fmt.Errorf("signal %s has %v channels, filters %s see %v in each of %d groups; make channels the product", describe(signal), channels, describe(w), w.Shape[1], groups)
	}
	if !c.sameSize(o.Mod(tracer.Const(groups)), tracer.Const(0)) {
		return o, k, fmt.Errorf("%v filters %s do not split into %d groups; use a multiple", o, describe(w), groups)
	}
	if n, ok := k.Const(); ok && (n < 1 || n > maxConvArg) {
		return o, k, fmt.Errorf("filters %s have %d taps; want 1 to %d", describe(w), n, maxConvArg)
	}
	return o, k, nil
}

// convolved is the rule of Conv1d.
func convolved(c *inference) error {
	if err := sameDTypes(c.In...); err != nil {
		return err
	}
	if err := convArgs(c); err != nil {
		return err
	}
	x, w := c.In[0], c.In[1]
	rank := len(x.Shape)
	if rank < 2 {
		return fmt.Errorf("signal is %s; want [... channels size], e.g. through Unsqueeze", describe(x))
	}
	channels, l := x.Shape[rank-2], x.Shape[rank-1]
	o, k, err := convShapes(c, w, channels, x)
	if err != nil {
		return err
	}
	m := convResult(c, l, k)
	if n, ok := m.Const(); ok && n < 1 {
		return fmt.Errorf("filters %s with dilation %d reach beyond the signal %s with padding %d; use fewer taps or more padding",
			describe(w), c.Attrs.Int("dilation"), describe(x), c.Attrs.Int("padding"))
	}
	c.Out = tracer.Meta{DType: x.DType, Shape: slices.Concat(x.Shape[:rank-2], []tracer.Int{o, m})}
	return nil
}

// convolvedInput is the rule of the gradient of a signal, from filters and the gradient of the result.
func convolvedInput(c *inference) error {
	if err := sameDTypes(c.In...); err != nil {
		return err
	}
	if err := convArgs(c); err != nil {
		return err
	}
	w, dy := c.In[0], c.In[1]
	length, err := c.sizeAttr("length")
	if err != nil {
		return err
	}
	rank := len(dy.Shape)
	if n, known := length.Const(); len(w.Shape) != 3 || rank < 2 || known && (n < 0 || n > maxConvArg) {
		return fmt.Errorf("filters are %s, gradient %s, length %v; want [filters channels/groups taps], [... filters size] and 0 or more", describe(w), describe(dy), length)
	}
	channels := w.Shape[1].Mul(tracer.Const(c.Attrs.Int("groups")))
	x := tracer.Meta{DType: w.DType, Shape: slices.Concat(dy.Shape[:rank-2], []tracer.Int{channels, length})}
	o, k, err := convShapes(c, w, channels, x)
	if err != nil {
		return err
	}
	if !c.sameSize(o, dy.Shape[rank-2]) || !c.sameSize(convResult(c, length, k), dy.Shape[rank-1]) {
		return fmt.Errorf("gradient %s is not that of a result of filters %s on %s", describe(dy), describe(w), describe(x))
	}
	c.Out = x
	return nil
}

// convolvedWeight is the rule of the gradient of filters, from a signal and the gradient of the result.
func convolvedWeight(c *inference) error {
	if err := sameDTypes(c.In...); err != nil {
		return err
	}
	if err := convArgs(c); err != nil {
		return err
	}
	x, dy := c.In[0], c.In[1]
	taps, err := c.sizeAttr("taps")
	if err != nil {
		return err
	}
	rank := len(x.Shape)
	if rank < 2 || len(dy.Shape) != rank || !c.sameSizes(x.Shape[:rank-2], dy.Shape[:rank-2]) {
		return fmt.Errorf("signal is %s, gradient %s; want [... channels size] and [... filters size]", describe(x), describe(dy))
	}
	groups := tracer.Const(c.Attrs.Int("groups"))
	channels, o := x.Shape[rank-2], dy.Shape[rank-2]
	w := tracer.Meta{DType: x.DType, Shape: []tracer.Int{o, channels.FloorDiv(groups), taps}}
	if _, _, err := convShapes(c, w, channels, x); err != nil {
		return err
	}
	if !c.sameSize(convResult(c, x.Shape[rank-1], taps), dy.Shape[rank-1]) {
		return fmt.Errorf("gradient %s is not that of a result of filters %s on %s", describe(dy), describe(w), describe(x))
	}
	c.Out = w
	return nil
}
