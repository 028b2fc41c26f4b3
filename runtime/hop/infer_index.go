package hop

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// Shape rules of ops that index, rearrange and order elements.

// indexDType refuses an index tensor that holds no integers.
func indexDType(m tracer.Meta) error {
	if !m.DType.IsInt() {
		return fmt.Errorf("index is %s; want int64 or int32, convert it with To(Int64)", describe(m))
	}
	return nil
}

// indexedDim returns the dim of the first operand that the second, which must hold integers, gives places of.
func indexedDim(c *inference) (int, error) {
	d, err := c.dimAttr("dim", len(c.In[0].Shape))
	if err != nil {
		return 0, err
	}
	return d, indexDType(c.In[1])
}

// alongDims compares a tensor with an index that agrees with it, or broadcasts, in all dims but one. It returns the
// sizes of the tensor, those of the index where the tensor has 1.
func alongDims(c *inference, t, index tracer.Meta, dim int) ([]tracer.Int, error) {
	if len(t.Shape) != len(index.Shape) {
		return nil, fmt.Errorf("index is %s, tensor is %s; want as many dims, e.g. through Unsqueeze", describe(index), describe(t))
	}
	out := slices.Clone(t.Shape)
	for d, n := range index.Shape {
		switch {
		case d == dim || isSize(n, 1):
		case isSize(out[d], 1):
			out[d] = n
		case c.sameOr1(n, out[d]):
		default:
			return nil, fmt.Errorf("index is %s, tensor is %s: sizes %v and %v differ in dim %d; make them equal or one of them 1",
				describe(index), describe(t), n, out[d], d)
		}
	}
	return out, nil
}

// gathered is the rule of Gather: the index decides the size of dim, the other dims broadcast.
func gathered(c *inference) error {
	t, index := c.In[0], c.In[1]
	d, err := indexedDim(c)
	if err != nil {
		return err
	}
	shape, err := alongDims(c, t, index, d)
	if err != nil {
		return err
	}
	shape[d] = index.Shape[d]
	c.Out = tracer.Meta{DType: t.DType, Shape: shape}
	return nil
}

// indexSelected is the rule of IndexSelect: the length of the vector of indices takes the place of dim.
func indexSelected(c *inference) error {
	t, index := c.In[0], c.In[1]
	d, err := indexedDim(c)
	if err != nil {
		return err
	}
	if len(index.Shape) != 1 {
		return fmt.Errorf("index is %s; want one dim, use At for one index and Gather for several dims", describe(index))
	}
	c.Out = resized(t, d, index.Shape[0])
	return nil
}

// taken is the rule of Take: the result has the shape of the index.
func taken(c *inference) error {
	if err := indexDType(c.In[1]); err != nil {
		return err
	}
	c.Out = tracer.Meta{DType: c.In[0].DType, Shape: c.In[1].Shape}
	return nil
}

// scattered is the rule of Scatter and ScatterAdd: the index broadcasts to the tensor but along dim, src to the index.
func scattered(c *inference) error {
	t, index, src := c.In[0], c.In[1], c.In[2]
	d, err := indexedDim(c)
	if err != nil {
		return err
	}
	if err := sameDTypes(t, src); err != nil {
		return err
	}
	shape, err := alongDims(c, t, index, d)
	if err != nil {
		return err
	}
	if !c.sameSizes(shape, t.Shape) {
		return fmt.Errorf("index is %s, tensor is %s; the tensor does not broadcast, Expand and Clone it first", describe(index), describe(t))
	}
	shape[d] = index.Shape[d]
	if wide, err := c.broadcastShapes(tracer.Meta{Shape: shape}, src); err != nil || !c.sameSizes(wide, shape) {
		return fmt.Errorf("src is %s, index is %s over tensor %s; src must broadcast to shape %s", describe(src), describe(index), describe(t), shapeText(shape))
	}
	return sameAs(0)(c)
}

// oneHotted is the rule of OneHot, which adds the dim of the classes.
func oneHotted(c *inference) error {
	dt, n := c.Attrs.DType("dtype"), c.Attrs.Int("n")
	if !dt.Valid() {
		return fmt.Errorf("dtype %d is none of the element types; use Bool, Int32, Int64, Float32 or Float64", int(dt))
	}
	if n < 0 {
		return fmt.Errorf("number of classes is %d; want 0 or more", n)
	}
	c.Out = tracer.Meta{DType: dt, Shape: append(slices.Clone(c.In[0].Shape), tracer.Const(n))}
	return nil
}

// atIndex is the rule of At: the index has no dims, dim is dropped.
func atIndex(c *inference) error {
	t, i := c.In[0], c.In[1]
	d, err := indexedDim(c)
	if err != nil {
		return err
	}
	if len(i.Shape) != 0 {
		return fmt.Errorf("index is %s; want one without dims, use IndexSelect or Gather for several", describe(i))
	}
	c.Out = tracer.Meta{DType: t.DType, Shape: dropDims(t.Shape, []int{d}, false)}
	return nil
}

// putIndex is the rule of Put: the value broadcasts to the slice that At would give.
func putIndex(c *inference) error {
	if err := atIndex(c); err != nil {
		return err
	}
	t, v, slice := c.In[0], c.In[2], c.Out
	if err := sameDTypes(t, v); err != nil {
		return err
	}
	if wide, err := c.broadcastShapes(slice, v); err != nil || !c.sameSizes(wide, slice.Shape) {
		return fmt.Errorf("value is %s; it must broadcast to the slice %s of %s", describe(v), describe(slice), describe(t))
	}
	return sameAs(0)(c)
}

// larger returns n·by+plus, or an error for a size that no memory can hold.
func larger(n tracer.Int, by, plus int) (tracer.Int, error) {
	if size, ok := n.Const(); ok {
		hi, lo := bits.Mul64(uint64(size), uint64(by))
		if hi != 0 || lo > math.MaxInt64 || uint64(plus) > math.MaxInt64-lo {
			return n, fmt.Errorf("size %d times %d plus %d is larger than memory can be; use smaller numbers", size, by, plus)
		}
	}
	return n.Mul(tracer.Const(by)).Add(tracer.Const(plus)), nil
}

// repeated is the rule of Repeat.
func repeated(c *inference) error {
	m, n := c.In[0], c.Attrs.Int("n")
	d, err := c.dimAttr("dim", len(m.Shape))
	if err != nil {
		return err
	}
	if n < 0 {
		return fmt.Errorf("number of repeats is %d; want 0 or more", n)
	}
	size, err := larger(m.Shape[d], n, 0)
	c.Out = resized(m, d, size)
	return err
}

// padded is the rule of Pad.
func padded(c *inference) error {
	m, before, after := c.In[0], c.Attrs.Int("before"), c.Attrs.Int("after")
	d, err := c.dimAttr("dim", len(m.Shape))
	if err != nil {
		return err
	}
	if before < 0 || after < 0 {
		return fmt.Errorf("padding is %d before and %d after; want 0 or more, use Narrow to cut", before, after)
	}
	if before > math.MaxInt-after {
		return fmt.Errorf("padding of %d before and %d after is larger than memory can be; use smaller numbers", before, after)
	}
	if err := scalarFits(m.DType, c.Attrs.Float("value")); err != nil {
		return err
	}
	size, err := larger(m.Shape[d], 1, before+after)
	c.Out = resized(m, d, size)
	return err
}

// triangular is the rule of Tril and Triu.
func triangular(c *inference) error {
	if len(c.In[0].Shape) < 2 {
		return fmt.Errorf("tensor is %s; want a matrix, or a batch of matrices in the last two dims", describe(c.In[0]))
	}
	return sameAs(0)(c)
}

// valuesAndIndices makes the result of an op with values and int64 indices of one shape.
func valuesAndIndices(dt DType, shape []tracer.Int) tracer.Meta {
	return tracer.Meta{Elems: []tracer.Meta{{DType: dt, Shape: shape}, {DType: Int64, Shape: shape}}}
}

// sorted is the rule of Sort.
func sorted(c *inference) error {
	if err := along(keepDType)(c); err != nil {
		return err
	}
	c.Out = valuesAndIndices(c.Out.DType, c.Out.Shape)
	return nil
}

// topOf is the rule of TopK.
func topOf(c *inference) error {
	m, k := c.In[0], c.Attrs.Int("k")
	d, err := c.dimAttr("dim", len(m.Shape))
	if err != nil {
		return err
	}
	if n, ok := m.Shape[d].Const(); k < 0 || ok && k > n {
		return fmt.Errorf("k is %d for dim %d of %s; want 0 to %v", k, d, describe(m), m.Shape[d])
	}
	c.Out = valuesAndIndices(m.DType, resized(m, d, tracer.Const(k)).Shape)
	return nil
}

// pickedWithValue is the rule of MaxAlong and MinAlong.
func pickedWithValue(c *inference) error {
	if err := picked(c); err != nil {
		return err
	}
	c.Out = valuesAndIndices(c.In[0].DType, c.Out.Shape)
	return nil
}

// searched is the rule of SearchSorted.
func searched(c *inference) error {
	if len(c.In[0].Shape) != 1 {
		return fmt.Errorf("sorted tensor is %s; want one dim", describe(c.In[0]))
	}
	if err := sameDTypes(c.In...); err != nil {
		return err
	}
	c.Out = tracer.Meta{DType: Int64, Shape: c.In[1].Shape}
	return nil
}

// nonzeroRows is the rule of Nonzero. The number of rows depends on the elements: the rule gives the largest.
func nonzeroRows(c *inference) error {
	n := tracer.Const(1)
	for _, d := range c.In[0].Shape {
		n = n.Mul(d)
	}
	c.Out = tracer.Meta{DType: Int64, Shape: []tracer.Int{n, tracer.Const(len(c.In[0].Shape))}}
	return nil
}
