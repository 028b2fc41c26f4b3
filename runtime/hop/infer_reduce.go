package hop

import (
	"fmt"
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// Shape rules of reductions and of ops along one dim.

// Dtypes of results, by the dtype of the operand.

func keepDType(d DType) DType { return d }

func alwaysBool(DType) DType { return Bool }

func alwaysInt64(DType) DType { return Int64 }

// sumDType makes sums and products of bools and integers in int64, as NumPy does.
func sumDType(d DType) DType {
	if d.IsFloat() {
		return d
	}
	return Int64
}

// meanDType makes means of bools and integers in float64, as NumPy does.
func meanDType(d DType) DType {
	if d.IsFloat() {
		return d
	}
	return Float64
}

// reduced is the rule of reductions over the attribute "dims", none meaning all; "keepdim" keeps them at size 1.
func reduced(result func(DType) DType) inferRule {
	return func(c *inference) error {
		m := c.In[0]
		dims, err := normalDims(c.Attrs.Ints("dims"), len(m.Shape))
		if err != nil {
			return err
		}
		if len(dims) == 0 {
			for d := range m.Shape {
				dims = append(dims, d)
			}
		}
		slices.Sort(dims)
		c.set("dims", dims)
		c.Out = tracer.Meta{DType: result(m.DType), Shape: dropDims(m.Shape, dims, c.Attrs.Bool("keepdim"))}
		return nil
	}
}

// reducedNonEmpty is reduced for reductions without a neutral element.
func reducedNonEmpty(result func(DType) DType) inferRule {
	rule := reduced(result)
	return func(c *inference) error {
		if err := rule(c); err != nil {
			return err
		}
		for _, d := range c.Attrs.Ints("dims") {
			if isSize(c.In[0].Shape[d], 0) && !hasZero(c.Out.Shape) {
				return fmt.Errorf("no elements to choose from in dim %d of %s; guard the empty case", d, describe(c.In[0]))
			}
		}
		return nil
	}
}

func hasZero(shape []tracer.Int) bool {
	return slices.ContainsFunc(shape, func(d tracer.Int) bool { return isSize(d, 0) })
}

func dropDims(shape []tracer.Int, dims []int, keep bool) []tracer.Int {
	var out []tracer.Int
	for d, n := range shape {
		switch {
		case !slices.Contains(dims, d):
			out = append(out, n)
		case keep:
			out = append(out, tracer.Const(1))
		}
	}
	return out
}

// picked is the rule of ArgMax and ArgMin, which drop one dim.
func picked(c *inference) error {
	m := c.In[0]
	d, err := c.dimAttr("dim", len(m.Shape))
	if err != nil {
		return err
	}
	if isSize(m.Shape[d], 0) {
		return fmt.Errorf("no elements to choose from in dim %d of %s; guard the empty case", d, describe(m))
	}
	c.Out = tracer.Meta{DType: Int64, Shape: dropDims(m.Shape, []int{d}, c.Attrs.Bool("keepdim"))}
	return nil
}

// along is the rule of ops along one dim that keep the shape.
func along(result func(DType) DType) inferRule {
	return func(c *inference) error {
		if _, err := c.dimAttr("dim", len(c.In[0].Shape)); err != nil {
			return err
		}
		c.Out = tracer.Meta{DType: result(c.In[0].DType), Shape: c.In[0].Shape}
		return nil
	}
}
