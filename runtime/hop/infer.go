package hop

import (
	"fmt"
	"math"
	"strings"

	"github.com/hoplint/hoplint/tracer"
)

// Shape rules of elementwise ops, and what all shape rules share. A rule sees metas only, so that it serves eager
// calls, traces and the verifier alike; sizes may be symbolic. Applied to attributes that it has normalised, a rule
// changes nothing.

// sameAs is the rule of ops whose result looks like operand i.
func sameAs(i int) inferRule {
	return func(c *inference) error {
		c.Out = tracer.Meta{DType: c.In[i].DType, Shape: c.In[i].Shape}
		return nil
	}
}

// toBool is the rule of elementwise predicates of one operand.
func toBool(c *inference) error {
	c.Out = tracer.Meta{DType: Bool, Shape: c.In[0].Shape}
	return nil
}

// broadcast is the rule of elementwise ops of several operands of one dtype.
func broadcast(c *inference) error {
	if err := sameDTypes(c.In...); err != nil {
		return err
	}
	shape, err := c.broadcastShapes(c.In...)
	c.Out = tracer.Meta{DType: c.In[0].DType, Shape: shape}
	return err
}

// compare is the rule of comparisons.
func compare(c *inference) error {
	err := broadcast(c)
	c.Out.DType = Bool
	return err
}

// choose is the rule of Where: a condition, then two operands of one dtype.
func choose(c *inference) error {
	if c.In[0].DType != Bool {
		return fmt.Errorf("condition is %s; want bool, e.g. from a comparison", describe(c.In[0]))
	}
	if err := sameDTypes(c.In[1:]...); err != nil {
		return err
	}
	shape, err := c.broadcastShapes(c.In...)
	c.Out = tracer.Meta{DType: c.In[1].DType, Shape: shape}
	return err
}

// withScalars is the rule of elementwise ops of one operand and Go numbers, which take its dtype.
func withScalars(rule inferRule, keys ...string) inferRule {
	return func(c *inference) error {
		for _, key := range keys {
			if err := scalarFits(c.In[0].DType, c.Attrs.Float(key)); err != nil {
				return err
			}
		}
		return rule(c)
	}
}

// scalarFits refuses a Go number that an integer or bool dtype cannot hold exactly.
func scalarFits(dt DType, v float64) error {
	exact := v == math.Trunc(v)
	switch dt {
	case Bool:
		exact = v == 0 || v == 1
	case Int32:
		exact = exact && math.MinInt32 <= v && v <= math.MaxInt32
	case Int64:
		exact = exact && math.MinInt64 <= v && v < 1<<63
	default:
		return nil
	}
	if !exact {
		return fmt.Errorf("scalar %v is no %s, tensor is %s; use a value that fits, or convert the tensor with To(Float64)", v, dt, dt)
	}
	return nil
}

// casting is the rule of To.
func casting(c *inference) error {
	dt := c.Attrs.DType("dtype")
	if !dt.Valid() {
		return fmt.Errorf("dtype %d is none of the element types; use Bool, Int32, Int64, Float32 or Float64", int(dt))
	}
	c.Out = tracer.Meta{DType: dt, Shape: c.In[0].Shape}
	return nil
}

// filling is the rule of ops that write their whole receiver from a second operand, broadcast to it.
func filling(c *inference) error {
	if err := sameDTypes(c.In...); err != nil {
		return err
	}
	shape, err := c.broadcastShapes(c.In...)
	if err != nil || !c.sameSizes(shape, c.In[0].Shape) {
		return fmt.Errorf("source %s does not broadcast to receiver %s; reshape or reduce the source", describe(c.In[1]), describe(c.In[0]))
	}
	return sameAs(0)(c)
}

// sameDTypes refuses to mix dtypes. It advises the first one, or the float where only one is.
func sameDTypes(in ...tracer.Meta) error {
	for _, m := range in[1:] {
		if m.DType != in[0].DType {
			to := in[0].DType
			if m.DType.IsFloat() && !to.IsFloat() {
				to = m.DType
			}
			return fmt.Errorf("operands are %s and %s, of different dtype; convert one with To(%s)", describe(in[0]), describe(m), dtypeName(to))
		}
	}
	return nil
}

// dtypeName is the constant of the element type: Float32.
func dtypeName(d DType) string {
	s := d.String()
	return strings.ToUpper(s[:1]) + s[1:]
}

// describe prints a meta as messages do: float32[8 16].
func describe(m tracer.Meta) string {
	if m.Int != nil {
		return "an int"
	}
	return m.DType.String() + shapeText(m.Shape)
}

// shapeText prints sizes as messages do: [8 s0].
func shapeText(shape []tracer.Int) string {
	words := make([]string, len(shape))
	for i, d := range shape {
		words[i] = d.String()
	}
	return "[" + strings.Join(words, " ") + "]"
}

func shapesText(in []tracer.Meta) string {
	words := make([]string, len(in))
	for i, m := range in {
		words[i] = shapeText(m.Shape)
	}
	return join(words)
}

// set gives an attribute its normalised value; the list that the caller or a node owns is not changed.
func (c *inference) set(key string, value any) {
	attrs := make(tracer.Attrs, 0, len(c.Attrs)+1)
	found := false
	for _, a := range c.Attrs {
		if a.Key == key {
			a.Value, found = value, true
		}
		attrs = append(attrs, a)
	}
	if !found {
		attrs = append(attrs, tracer.Attr{Key: key, Value: value})
	}
	c.Attrs = attrs
}

// dimAttr reads a dim, counts it from the front and stores it. room is 1 for ops that add a dim.
func (c *inference) dimAttr(key string, rank int) (int, error) {
	given := c.Attrs.Int(key)
	d, err := checkedDim(given, rank)
	if err == nil && d != given {
		c.set(key, d)
	}
	return d, err
}

// normalDim counts a negative dim from the end and reports whether there is such a dim.
func normalDim(d, rank int) (int, bool) {
	if d < 0 {
		d += rank
	}
	return d, 0 <= d && d < rank
}

// checkedDim is normalDim with the error that shape rules give.
func checkedDim(d, rank int) (int, error) {
	n, ok := normalDim(d, rank)
	switch {
	case ok:
		return n, nil
	case rank == 0:
		return 0, fmt.Errorf("dim %d of a scalar; a scalar has no dims", d)
	default:
		return 0, fmt.Errorf("dim %d is out of range; want %d to %d", d, -rank, rank-1)
	}
}

// mustDim is checkedDim for methods.
func mustDim(op string, d, rank int) int {
	n, err := checkedDim(d, rank)
	if err != nil {
		misuse(op, "%s", err)
	}
	return n
}

// normalDims counts negative dims from the end, refuses repeated ones and returns a fresh list.
func normalDims(dims []int, rank int) ([]int, error) {
	out := make([]int, len(dims))
	for i, d := range dims {
		n, err := checkedDim(d, rank)
		if err != nil {
			return nil, err
		}
		for _, earlier := range out[:i] {
			if earlier == n {
				return nil, fmt.Errorf("dim %d is named twice in %v; name each dim once", n, dims)
			}
		}
		out[i] = n
	}
	return out, nil
}

// attr is one attribute.
func attr(key string, value any) tracer.Attr { return tracer.Attr{Key: key, Value: value} }

// attrs makes attributes from keys and values in turn.
func attrs(pairs ...any) tracer.Attrs {
	list := make(tracer.Attrs, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		list = append(list, attr(pairs[i].(string), pairs[i+1]))
	}
	return list
}
