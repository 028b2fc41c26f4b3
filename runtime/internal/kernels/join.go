package kernels

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
		if in.NumElems() == 0 {
			start += in.Shape[dim]
			continue // its place may be behind the memory
		}
		part := Array{Ptr: step(out.Ptr, out.DType, start*out.Strides[dim]), DType: out.DType, Shape: in.Shape, Strides: out.Strides}
		CopyTo(&part, in)
		start += in.Shape[dim]
	}
	return nil
}

func stack(c *Call) error {
	out, dim := &c.Out[0], c.Attrs.Int("dim")
	for i := range c.In {
		in := &c.In[i]
		if in.NumElems() == 0 {
			continue
		}
		var buf [maxWalk]int
		strides := append(append(buf[:0], out.Strides[:dim]...), out.Strides[dim+1:]...)
		window := Array{Ptr: step(out.Ptr, out.DType, i*out.Strides[dim]), DType: out.DType, Shape: in.Shape, Strides: strides}
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
