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
	start, err := c.sizeAttr("start")
	if err != nil {
		return err
	}
	length, err := c.sizeAttr("length")
	if err != nil {
		return err
	}
	n := m.Shape[d]
	size, known := n.Const()
	switch at, ok := start.Const(); {
	case ok && known && -size <= at && at < 0:
		start = tracer.Const(at + size)
		c.set("start", at+size)
	case ok && !known && at < 0:
		return fmt.Errorf("start %d of dim %d of %s, whose size %v is symbolic; count from the front, or from the end with %s", at, d, describe(m), n, fromTheEnd("NarrowSym", start))
	}
	if !c.atMost(tracer.Const(0), start) || !c.atMost(tracer.Const(0), length) || !c.atMost(start, n) || !c.atMost(length, n.Sub(start)) {
		return fmt.Errorf("elements %v to %v of dim %d of %s; want a part of 0 to %v", start, start.Add(length), d, describe(m), n)
	}
	c.Out = resized(m, d, length)
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
	start, err := c.sizeAttr("start")
	if err != nil {
		return err
	}
	stop, err := c.sizeAttr("stop")
	if err != nil {
		return err
	}
	if start, err = c.clipped("start", start, m.Shape[d]); err != nil {
		return err
	}
	if stop, err = c.clipped("stop", stop, m.Shape[d]); err != nil {
		return err
	}
	zero, by := tracer.Const(0), tracer.Const(step)
	c.Out = resized(m, d, stop.Sub(start).Add(tracer.Const(step-1)).FloorDiv(by).Max(zero))
	return nil
}

// fromTheEnd says how a method reaches the place i before the end of a dim of symbolic size.
func fromTheEnd(method string, i tracer.Int) string {
	if at, ok := i.Const(); ok {
		return fmt.Sprintf("%s and x.SymDim(dim).SubScalar(%d)", method, -at)
	}
	return method + " and x.SymDim(dim).Sub"
}

// clipped brings the attribute key, the place i of a dim of size n, to 0…n; a negative one counts from the end. What is
// constant is stored, what is not is clipped again when sizes are known.
func (c *inference) clipped(key string, i, n tracer.Int) (tracer.Int, error) {
	at, constant := i.Const()
	size, known := n.Const()
	switch {
	case constant && known:
		if at < 0 {
			at += size
		}
		at = min(max(at, 0), size)
		c.set(key, at)
		return tracer.Const(at), nil
	case constant && at < 0, !constant && !c.atMost(tracer.Const(0), i):
		return i, fmt.Errorf("%s %v of a dim of size %v, which is symbolic; count from the front, or from the end with %s", key, i, n, fromTheEnd("SliceSym", i))
	}
	if d, ok := i.Sub(n).Const(); ok && d <= 0 || constant && at == 0 {
		return i, nil
	}
	return i.Min(n), nil
}

func selected(c *inference) error {
	m := c.In[0]
	d, err := c.dimAttr("dim", len(m.Shape))
	if err != nil {
		return err
	}
	i, err := c.sizeAttr("index")
	if err != nil {
		return err
	}
	n := m.Shape[d]
	size, known := n.Const()
	switch at, ok := i.Const(); {
	case ok && known && -size <= at && at < 0:
		i = tracer.Const(at + size)
		c.set("index", at+size)
	case known && size == 0:
		return fmt.Errorf("index %v of dim %d of %s, which has no elements to select", i, d, describe(m))
	case ok && !known && at < 0:
		return fmt.Errorf("index %d of dim %d of %s, whose size %v is symbolic; use SelectSym(%d, x.SymDim(%d).SubScalar(%d)), which counts from the end", at, d, describe(m), n, d, d, -at)
	}
	if !c.atMost(tracer.Const(0), i) || !c.atMost(i.Add(tracer.Const(1)), n) {
		return fmt.Errorf("index %v of dim %d of %s; want %v to %v", i, d, describe(m), n.Neg(), n.Sub(tracer.Const(1)))
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
	dims, err := c.sizesAttr("dims")
	if err != nil {
		return err
	}
	lead := len(dims) - len(m.Shape)
	if lead < 0 {
		return fmt.Errorf("%d dims %s for %s; give %d or more", len(dims), sizesText(dims), describe(m), len(m.Shape))
	}
	shape := slices.Clone(dims)
	for i, n := range dims {
		if i < lead {
			if !c.atMost(tracer.Const(0), n) {
				return fmt.Errorf("size %v of the new dim %d in %s; give its size", n, i, sizesText(dims))
			}
			continue
		}
		switch old := m.Shape[i-lead]; {
		case isSize(n, -1):
			shape[i] = old
		case isSize(old, 1) && c.atMost(tracer.Const(0), n):
		case isNegative(n) || !c.sameOr1(old, n):
			return fmt.Errorf("%s does not expand to %s: size %v in dim %d; only size 1 stretches, -1 keeps a size", describe(m), sizesText(dims), old, i-lead)
		}
	}
	c.setSizes("dims", shape)
	c.Out = tracer.Meta{DType: m.DType, Shape: shape}
	return nil
}

// reshaped gives the elements the shape of the attribute "dims", in which one -1 is computed.
func reshaped(c *inference) error {
	dims, err := c.sizesAttr("dims")
	if err != nil {
		return err
	}
	m, known, unknown := c.In[0], tracer.Const(1), -1
	for i, n := range dims {
		switch size, constant := n.Const(); {
		case constant && size == -1 && unknown < 0:
			unknown = i
		case !c.atMost(tracer.Const(0), n):
			return fmt.Errorf("size %v in %s; sizes are 0 or more, and one may be -1", n, sizesText(dims))
		default:
			if so, ok := known.Const(); ok && constant {
				if _, fits := numElems(m.DType, []int{so, size}); !fits {
					return fmt.Errorf("shape %s has more elements than memory can hold, tensor is %s", sizesText(dims), describe(m))
				}
			}
			known = known.Mul(n)
		}
	}
	shape, total := slices.Clone(dims), elements(m)
	switch {
	case unknown >= 0 && isSize(known, 0):
		return fmt.Errorf("-1 in %s has no one answer beside a size 0; give all sizes", sizesText(dims))
	case unknown >= 0:
		rest, exact := quotient(total, known)
		if !exact && !c.sameSize(total.Mod(known), tracer.Const(0)) {
			return fmt.Errorf("%v elements of %s do not fill shape %s; give sizes whose product is %v", total, describe(m), sizesText(dims), total)
		}
		shape[unknown] = rest
	case !c.sameSize(known, total):
		return fmt.Errorf("%v elements of %s do not fill shape %s; give sizes whose product is %v", total, describe(m), sizesText(dims), total)
	}
	c.setSizes("dims", shape)
	c.Out = tracer.Meta{DType: m.DType, Shape: shape}
	return nil
}

// quotient is total/known, and whether it is known to be exact.
func quotient(total, known tracer.Int) (q tracer.Int, exact bool) {
	q = total.FloorDiv(known)
	return q, q.Mul(known).Same(total) || isSize(total.Mod(known), 0)
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
		if !c.sameSize(m.Shape[d], tracer.Const(1)) {
			return fmt.Errorf("dim %d of %s has size %v; only size 1 can go, use Select to take one index", d, describe(m), m.Shape[d])
		}
	}
	if len(given) == 0 { // all of them; none are left when the rule runs again
		for d, n := range m.Shape {
			if c.surely("==", n, tracer.Const(1)) {
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
		if len(m.Shape) != len(first.Shape) || !c.sameSizes(resized(m, d, tracer.Const(0)).Shape, resized(first, d, tracer.Const(0)).Shape) {
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
		if !c.sameSizes(m.Shape, first.Shape) {
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
