package hop

import (
	"fmt"
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// Shape rules of functional randomness. A key is two words: int32[2].

// keyed checks the key that is the first operand of a rule.
func keyed(rule inferRule) inferRule {
	return func(c *inference) error {
		k := c.In[0]
		if k.DType != Int32 || len(k.Shape) != 1 || !c.sameSize(k.Shape[0], tracer.Const(2)) {
			return wrongKey(k)
		}
		return rule(c)
	}
}

// wrongKey refuses what stands for a key.
func wrongKey(k tracer.Meta) error {
	advice := ""
	if k.DType == Int32 && len(k.Shape) > 1 {
		advice = "; for the rows of Keys use Map or VMap"
	}
	return fmt.Errorf("key is %s; want int32[2] as NewKey, SplitKey and FoldIn make it%s", describe(k), advice)
}

// splitAll is the rule of Keys.
func splitAll(c *inference) error {
	n := c.Attrs.Int("n")
	if n < 0 {
		return fmt.Errorf("number of keys is %d; want 0 or more", n)
	}
	return ofDims(c, Int32, []int{n, 2})
}

// folded is the rule of FoldIn.
func folded(c *inference) error {
	if len(c.In[1].Shape) != 0 {
		return fmt.Errorf("i is %s; want one integer without dims", describe(c.In[1]))
	}
	return sameAs(0)(c)
}

// drawn is the rule of ops that fill the attribute "dims" with numbers of the attribute "dtype".
func drawn(c *inference) error {
	dt := c.Attrs.DType("dtype")
	switch {
	case floats.has(dt):
		return ownDims(c, dt)
	case dt.Valid():
		return fmt.Errorf("dtype is %s; want %s, or RandInt and Bernoulli for integers and bools", dt, floats)
	default:
		return fmt.Errorf("dtype %d is none of the element types; use Float32 or Float64", int(dt))
	}
}

// ownDims makes a result of the attribute "dims", of which it keeps a copy: the caller may change its slice.
func ownDims(c *inference, dt DType) error {
	dims, err := c.sizesAttr("dims")
	if err != nil {
		return err
	}
	dims = slices.Clone(dims)
	c.setSizes("dims", dims)
	return ofSizes(c, dt, dims)
}

// ofDims makes a result of given dims.
func ofDims(c *inference, dt DType, dims []int) error {
	return ofSizes(c, dt, tracer.TensorMeta(dt, dims...).Shape)
}

// ofSizes makes a result of given sizes.
func ofSizes(c *inference, dt DType, dims []tracer.Int) error {
	for i, d := range dims {
		if !c.atMost(tracer.Const(0), d) {
			return fmt.Errorf("size %v of dim %d in %s; sizes are 0 or more", d, i, sizesText(dims))
		}
	}
	c.Out = tracer.Meta{DType: dt, Shape: dims}
	if known, ok := c.Out.ConstShape(); ok {
		if _, ok := numElems(dt, known); !ok {
			return fmt.Errorf("%s%v is larger than memory can be; use smaller sizes", dt, known)
		}
	}
	return nil
}

// drawnInts is the rule of RandInt.
func drawnInts(c *inference) error {
	if lo, hi := c.Attrs.Int("lo"), c.Attrs.Int("hi"); lo >= hi {
		return fmt.Errorf("no integer from %d up to and without %d; want lo < hi", lo, hi)
	}
	return ownDims(c, Int64)
}

// tossed is the rule of Bernoulli: one bool for each probability.
func tossed(c *inference) error {
	c.Out = tracer.Meta{DType: Bool, Shape: c.In[1].Shape}
	return nil
}

// chosen is the rule of Categorical, which drops the last dim, that of the classes.
func chosen(c *inference) error {
	logits := c.In[1]
	last := len(logits.Shape) - 1
	if last < 0 {
		return fmt.Errorf("logits are %s; want the classes in the last dim", describe(logits))
	}
	if isSize(logits.Shape[last], 0) && !hasZero(logits.Shape[:last]) {
		return fmt.Errorf("no classes to choose from in the last dim of %s", describe(logits))
	}
	c.Out = tracer.Meta{DType: Int64, Shape: logits.Shape[:last:last]}
	return nil
}

// shuffled is the rule of Permutation.
func shuffled(c *inference) error { return ofDims(c, Int64, []int{c.Attrs.Int("n")}) }
