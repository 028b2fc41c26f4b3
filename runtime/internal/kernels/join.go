package kernels

import "unsafe"

// Concat joins its arguments along the attribute "dim"; Stack joins them along a new one. Flip reverses the dims of the
// attribute "dims".
var (
	Concat = Kernel{Run: concat}
	Stack  = Kernel{Run: stack}
	Flip   = Kernel{Run: flip}
)

func concat(c *Call) error {
	out, dim := &c.Out[0], c.Attrs.Int("dim")
	start := 0
	for i := range c.In {
		in := &c.In[i]
		part := Array{Ptr: part(out, dim, start), DType: out.DType, Shape: in.Shape, Strides: out.Strides}
		CopyTo(&part, in)
		start += in.Shape[dim]
	}
	return nil
}

// part returns the address of index i of dim; the window may be empty.
func part(a *Array, dim, i int) unsafe.Pointer {
	if a.Ptr == nil {
		return nil
	}
	return step(a.Ptr, a.DType, i*a.Strides[dim])
}

func stack(c *Call) error {
	out, dim := &c.Out[0], c.Attrs.Int("dim")
	for i := range c.In {
		in := &c.In[i]
		var buf [maxWalk]int
		strides := append(append(buf[:0], out.Strides[:dim]...), out.Strides[dim+1:]...)
		window := Array{Ptr: part(out, dim, i), DType: out.DType, Shape: in.Shape, Strides: strides}
		CopyTo(&window, in)
	}
	return nil
}

func flip(c *Call) error {
	in := c.In[0]
	if in.NumElems() == 0 {
		return nil
	}
	var buf [maxWalk]int
	strides := append(buf[:0], in.Strides...)
	for _, d := range c.Attrs.Ints("dims") {
		in.Ptr = step(in.Ptr, in.DType, strides[d]*(in.Shape[d]-1))
		strides[d] = -strides[d]
	}
	in.Strides = strides
	CopyTo(&c.Out[0], &in)
	return nil
}
