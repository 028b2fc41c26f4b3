package hop

import (
	"fmt"
	"math"
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// Shape rules of views and of ops that move elements.

func narrowed(c *inference) error {
	m := c.In[0]
	d, err := c.dimAttr("dim", len(m.Shape))
	if err != nil {
		return err
	}
	start, length := c.Attrs.Int("start"), c.Attrs.Int("length")
	n, known := m.Shape[d].Const()
	if known && -n <= start && start < 0 {
		start += n
		c.set("start", start)
	}
	if start < 0 || length < 0 || known && (start > n || length > n-start) {
		return fmt.Errorf("elements %d to %d of dim %d of %s; want a part of 0 to %v", start, start+length, d, describe(m), m.Shape[d])
	}
	c.Out = resized(m, d, tracer.Const(length))
	return nil
}

// resized returns m with size n in dim d.
func resized(m tracer.Meta, d int, n tracer.Int) tracer.Meta {
	shape := slices.Clone(m.Shape)
	shape[d] = n
	return tracer.Meta{DType: m.DType, Shape: shape}
}

// sliced clips start and stop to the dim, as Python does.
func sliced(c *inference) error {
	m := c.In[0]
	d, err := c.dimAttr("dim", len(m.Shape))
	if err != nil {
		return err
	}
	step := c.Attrs.Int("step")
	if step < 1 {
		return fmt.Errorf("step is %d; want 1 or more, and Flip(%d) for the other direction", step, d)
	}
	start, stop := c.Attrs.Int("start"), c.Attrs.Int("stop")
	n, known := m.Shape[d].Const()
	if !known {
		if start < 0 || stop < 0 {
			return fmt.Errorf("start %d and stop %d of dim %d, whose size %v is symbolic; count from the front", start, stop, d, m.Shape[d])
		}
		length := m.Shape[d].Min(tracer.Const(stop)).Sub(tracer.Const(start)).Add(tracer.Const(step - 1)).FloorDiv(tracer.Const(step))
		c.Out = resized(m, d, length.Max(tracer.Const(0)))
		return nil
	}
	clip := func(i int) int {
		if i < 0 {
			i += n
		}
		return min(max(i, 0), n)
	}
	start, stop = clip(start), clip(stop)
	c.set("start", start)
	c.set("stop", stop)
	length := 0
	if stop > start {
		length = (stop-start-1)/step + 1
	}
	c.Out = resized(m, d, tracer.Const(length))
	return nil
}

func selected(c *inference) error {
	m := c.In[0]
	d, err := c.dimAttr("dim", len(m.Shape))
	if err != nil {
		return err
	}
	i := c.Attrs.Int("index")
	n, known := m.Shape[d].Const()
	if known && -n <= i && i < 0 {
		i += n
		c.set("index", i)
	}
	if i < 0 || known && i >= n {
		return fmt.Errorf("index %d of dim %d of %s; want %d to %d", i, d, describe(m), -n, n-1)
	}
	c.Out = tracer.Meta{DType: m.DType, Shape: dropDims(m.Shape, []int{d}, false)}
	return nil
}

func transposed(c *inference) error {
	m := c.In[0]
	a, err := c.dimAttr("a", len(m.Shape))
	if err != nil {
		return err
	}
	b, err := c.dimAttr("b", len(m.Shape))
	if err != nil {
		return err
	}
	shape := slices.Clone(m.Shape)
	shape[a], shape[b] = shape[b], shape[a]
	c.Out = tracer.Meta{DType: m.DType, Shape: shape}
	return nil
}

func permuted(c *inference) error {
	m := c.In[0]
	given := c.Attrs.Ints("dims")
	dims, err := normalDims(given, len(m.Shape))
	if err != nil {
		return err
	}
	if len(dims) != len(m.Shape) {
		return fmt.Errorf("%d dims %v for %s; name each of the %d dims once", len(dims), given, describe(m), len(m.Shape))
	}
	shape := make([]tracer.Int, len(dims))
	for i, d := range dims {
		shape[i] = m.Shape[d]
	}
	c.set("dims", dims)
	c.Out = tracer.Meta{DType: m.DType, Shape: shape}
	return nil
}

// expanded stretches dims of size 1 to the attribute "dims"; -1 keeps a size.
func expanded(c *inference) error {
	m := c.In[0]
	dims := slices.Clone(c.Attrs.Ints("dims"))
	lead := len(dims) - len(m.Shape)
	if lead < 0 {
		return fmt.Errorf("%d dims %v for %s; give %d or more", len(dims), dims, describe(m), len(m.Shape))
	}
	shape := make([]tracer.Int, len(dims))
	for i, n := range dims {
		shape[i] = tracer.Const(n)
		if i < lead {
			if n < 0 {
				return fmt.Errorf("size %d of the new dim %d in %v; give its size", n, i, dims)
			}
			continue
		}
		switch old := m.Shape[i-lead]; {
		case n == -1:
			shape[i] = old
			if k, ok := old.Const(); ok {
				dims[i] = k
			}
		case n < 0 || !isSize(old, n) && !isSize(old, 1):
			return fmt.Errorf("%s does not expand to %v: size %v in dim %d; only size 1 stretches, -1 keeps a size", describe(m), dims, old, i-lead)
		}
	}
	c.set("dims", dims)
	c.Out = tracer.Meta{DType: m.DType, Shape: shape}
	return nil
}

// reshaped gives the elements the shape of the attribute "dims", in which one -1 is computed.
func reshaped(c *inference) error {
	dims := slices.Clone(c.Attrs.Ints("dims"))
	m, known, unknown := c.In[0], 1, -1
	for i, n := range dims {
		switch {
		case n == -1 && unknown < 0:
			unknown = i
		case n < 0:
			return fmt.Errorf("size %d in %v; sizes are 0 or more, and one may be -1", n, dims)
		default:
			k, ok := numElems(m.DType, []int{known, n})
			if !ok {
				return fmt.Errorf("shape %v has more elements than memory can hold, tensor is %s", dims, describe(m))
			}
			known = k
		}
	}
	total := elements(m)
	count, constant := total.Const()
	switch {
	case unknown >= 0 && known == 0:
		return fmt.Errorf("-1 in %v has no one answer beside a size 0; give all sizes", dims)
	case unknown >= 0 && isSize(total.Mod(tracer.Const(known)), 0):
		if constant {
			dims[unknown] = count / known
		}
	case unknown >= 0 || !constant || known != count:
		return fmt.Errorf("%v elements of %s do not fill shape %v; give sizes whose product is %v", total, describe(m), dims, total)
	}
	c.set("dims", dims)
	c.Out = tracer.TensorMeta(m.DType, dims...)
	if unknown >= 0 {
		c.Out.Shape[unknown] = total.FloorDiv(tracer.Const(known))
	}
	return nil
}

// elements is the number of elements.
func elements(m tracer.Meta) tracer.Int {
	total := tracer.Const(1)
	for _, n := range m.Shape {
		total = total.Mul(n)
	}
	return total
}

// flattened is the rule of Flatten: one dim with all elements.
func flattened(c *inference) error {
	c.Out = tracer.Meta{DType: c.In[0].DType, Shape: []tracer.Int{elements(c.In[0])}}
	return nil
}

// squeezed drops dims of size 1: those of the attribute "dims", or all.
func squeezed(c *inference) error {
	m := c.In[0]
	given := c.Attrs.Ints("dims")
	dims, err := normalDims(given, len(m.Shape))
	if err != nil {
		return err
	}
	for _, d := range dims {
		if !isSize(m.Shape[d], 1) {
			return fmt.Errorf("dim %d of %s has size %v; only size 1 can go, use Select to take one index", d, describe(m), m.Shape[d])
		}
	}
	if len(given) == 0 { // all of them; none are left when the rule runs again
		for d, n := range m.Shape {
			if isSize(n, 1) {
				dims = append(dims, d)
			}
		}
	}
	slices.Sort(dims)
	c.set("dims", dims)
	c.Out = tracer.Meta{DType: m.DType, Shape: dropDims(m.Shape, dims, false)}
	return nil
}

func unsqueezed(c *inference) error {
	m := c.In[0]
	d, err := c.dimAttr("dim", len(m.Shape)+1)
	if err != nil {
		return err
	}
	c.Out = tracer.Meta{DType: m.DType, Shape: slices.Insert(slices.Clone(m.Shape), d, tracer.Const(1))}
	return nil
}

// diagonalOf moves the diagonal of two dims to the last place.
func diagonalOf(c *inference) error {
	m := c.In[0]
	a, err := c.dimAttr("a", len(m.Shape))
	if err != nil {
		return err
	}
	b, err := c.dimAttr("b", len(m.Shape))
	if err != nil {
		return err
	}
	if a == b {
		return fmt.Errorf("dims %d and %d are the same; a diagonal needs two", a, b)
	}
	k := c.Attrs.Int("offset")
	down, right := tracer.Const(max(-k, 0)), tracer.Const(max(k, 0))
	n := m.Shape[a].Sub(down).Min(m.Shape[b].Sub(right)).Max(tracer.Const(0))
	c.Out = tracer.Meta{DType: m.DType, Shape: append(dropDims(m.Shape, []int{a, b}, false), n)}
	return nil
}

// windowed is the rule of as_strided, which only this package calls.
func windowed(c *inference) error {
	shape, strides := c.Attrs.Ints("shape"), c.Attrs.Ints("strides")
	if len(shape) != len(strides) {
		return fmt.Errorf("shape %v and strides %v differ in length", shape, strides)
	}
	c.Out = tracer.TensorMeta(c.In[0].DType, shape...)
	n, ok := c.In[0].ConstShape()
	if !ok {
		return nil
	}
	total := 1
	for _, d := range n {
		total *= d
	}
	offset := c.Attrs.Int("offset")
	outside := offset < 0 || offset >= total
	if slices.Contains(shape, 0) { // it looks at nothing
		shape, strides, outside = nil, nil, offset < 0 || offset > total
	}
	first, last := offset, offset
	for i, d := range shape {
		// The products are at most the storage, or the window ends outside: nothing overflows.
		steps, room := d-1, total-1-last
		if strides[i] < 0 {
			room = first
		}
		switch {
		case outside || d < 0:
			outside = true
		case steps <= 0 || strides[i] == 0:
		case strides[i] == math.MinInt || max(strides[i], -strides[i]) > room/steps:
			outside = true
		case strides[i] < 0:
			first += steps * strides[i]
		default:
			last += steps * strides[i]
		}
	}
	if outside {
		return fmt.Errorf("the window of shape %v, strides %v and offset %d reaches out of a storage of %d elements",
			c.Attrs.Ints("shape"), c.Attrs.Ints("strides"), offset, total)
	}
	return nil
}

// concatenated is the rule of Concat: equal sizes but along "dim", where they add up.
func concatenated(c *inference) error {
	if len(c.In) == 0 {
		return fmt.Errorf("no tensors; give one or more")
	}
	if err := sameDTypes(c.In...); err != nil {
		return err
	}
	first := c.In[0]
	d, err := c.dimAttr("dim", len(first.Shape))
	if err != nil {
		return err
	}
	sum := tracer.Const(0)
	for i, m := range c.In {
		if len(m.Shape) != len(first.Shape) || !sameSizes(resized(m, d, tracer.Const(0)).Shape, resized(first, d, tracer.Const(0)).Shape) {
			return fmt.Errorf("tensor 0 is %s, tensor %d is %s; all sizes but that of dim %d must be equal", describe(first), i, describe(m), d)
		}
		sum = sum.Add(m.Shape[d])
	}
	c.Out = resized(first, d, sum)
	return nil
}

// stacked is the rule of Stack: equal shapes, joined along a new dim.
func stacked(c *inference) error {
	if len(c.In) == 0 {
		return fmt.Errorf("no tensors; give one or more")
	}
	if err := sameDTypes(c.In...); err != nil {
		return err
	}
	first := c.In[0]
	d, err := c.dimAttr("dim", len(first.Shape)+1)
	if err != nil {
		return err
	}
	for i, m := range c.In {
		if !sameSizes(m.Shape, first.Shape) {
			return fmt.Errorf("tensor 0 is %s, tensor %d is %s; all must be equal", describe(first), i, describe(m))
		}
	}
	c.Out = tracer.Meta{DType: first.DType, Shape: slices.Insert(slices.Clone(first.Shape), d, tracer.Const(len(c.In)))}
	return nil
}

// flipped is the rule of Flip: elements change places along "dims", none meaning all.
func flipped(c *inference) error {
	dims, err := normalDims(c.Attrs.Ints("dims"), len(c.In[0].Shape))
	if err != nil {
		return err
	}
	if len(dims) == 0 {
		for d := range c.In[0].Shape {
			dims = append(dims, d)
		}
	}
	c.set("dims", dims)
	return sameAs(0)(c)
}
