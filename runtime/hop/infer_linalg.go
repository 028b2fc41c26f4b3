package hop

import (
	"fmt"
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// Shape rules of linear algebra.

// multiplied is the rule of MatMul, NumPy's matmul: matrices in the last two dims, batches before them broadcast, a
// vector on the left is a row and on the right a column whose dim is dropped.
func multiplied(c *inference) error {
	if err := sameDTypes(c.In...); err != nil {
		return err
	}
	a, b := c.In[0], c.In[1]
	if len(a.Shape) == 0 || len(b.Shape) == 0 {
		return fmt.Errorf("operands are %s and %s; a scalar is no matrix, use Mul", describe(a), describe(b))
	}
	rows, inner := a.Shape[:len(a.Shape)-1], a.Shape[len(a.Shape)-1]
	var batchA, batchB, tail []tracer.Int
	if len(rows) > 0 {
		batchA, rows = rows[:len(rows)-1], rows[len(rows)-1:]
	}
	meet := b.Shape[0]
	if n := len(b.Shape); n > 1 {
		batchB, meet, tail = b.Shape[:n-2], b.Shape[n-2], b.Shape[n-1:]
	}
	if !c.sameSize(inner, meet) {
		return fmt.Errorf("operands are %s and %s: inner sizes %v and %v differ; make them equal, e.g. with T", describe(a), describe(b), inner, meet)
	}
	batch, err := c.broadcastShapes(tracer.Meta{Shape: batchA}, tracer.Meta{Shape: batchB})
	if err != nil {
		return fmt.Errorf("batches of %s and %s: %w", describe(a), describe(b), err)
	}
	c.Out = tracer.Meta{DType: a.DType, Shape: slices.Concat(batch, rows, tail)}
	return nil
}

// dotted is the rule of Dot, the inner product of two vectors.
func dotted(c *inference) error {
	if err := vectors(c); err != nil {
		return err
	}
	if !c.sameSize(c.In[0].Shape[0], c.In[1].Shape[0]) {
		return fmt.Errorf("operands are %s and %s; make their sizes equal", describe(c.In[0]), describe(c.In[1]))
	}
	c.Out = tracer.Meta{DType: c.In[0].DType}
	return nil
}

// outerProduct is the rule of Outer.
func outerProduct(c *inference) error {
	if err := vectors(c); err != nil {
		return err
	}
	c.Out = tracer.Meta{DType: c.In[0].DType, Shape: []tracer.Int{c.In[0].Shape[0], c.In[1].Shape[0]}}
	return nil
}

func vectors(c *inference) error {
	if err := sameDTypes(c.In...); err != nil {
		return err
	}
	for _, m := range c.In {
		if len(m.Shape) != 1 {
			return fmt.Errorf("operands are %s and %s; want two 1-d tensors, or use MatMul", describe(c.In[0]), describe(c.In[1]))
		}
	}
	return nil
}
