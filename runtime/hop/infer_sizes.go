package hop

import (
	"fmt"
	"go/token"
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// How shape rules decide about sizes. Constants decide themselves. While a function is traced, the sizes of the example
// decide where the expressions leave it open, and the graph keeps the outcome as a guard. In a graph that is verified a
// rule takes for true what it needs of symbols: it is applied again, to constants, before the graph runs.

// sameSize reports whether two sizes are equal, as they must be. An op takes for equal what depends on data and can be:
// it looks again when it runs.
func (c *inference) sameSize(a, b tracer.Int) bool {
	x, okA := a.Const()
	y, okB := b.Const()
	switch {
	case okA && okB:
		return x == y
	case a.Same(b):
		return true
	case c.sizes == nil:
		return c.trusting
	case c.op != nil && (c.dependsOnData(a) || c.dependsOnData(b)):
		lo, hi := c.sizes.Bounds(a.Sub(b))
		return lo <= 0 && hi >= 0
	}
	return c.holds("==", a, b)
}

// sameOr1 is sameSize where an op would go on with a size 1, too. What depends on data must be equal then, which the
// graph keeps as a guard: results and derivatives have other sizes otherwise.
func (c *inference) sameOr1(a, b tracer.Int) bool {
	if !c.sameSize(a, b) {
		return false
	}
	if !a.Same(b) && c.sizes != nil && (c.dependsOnData(a) || c.dependsOnData(b)) {
		c.sizes.Assume(tracer.Cond{Op: "==", A: a, B: b}, userPosition())
	}
	return true
}

// atMost reports whether a ≤ b, as it must be. What depends on data is taken for true until the data is known.
func (c *inference) atMost(a, b tracer.Int) bool {
	x, okA := a.Const()
	y, okB := b.Const()
	switch {
	case okA && okB:
		return x <= y
	case c.sizes == nil || c.dependsOnData(a) || c.dependsOnData(b):
		return true
	}
	return c.holds("<=", a, b)
}

// holds decides a comparison by the sizes of the example, with a guard when it is true.
func (c *inference) holds(op string, a, b tracer.Int) bool {
	x, okA := c.sizes.Hint(a)
	y, okB := c.sizes.Hint(b)
	if !okA || !okB || op == "==" && x != y || op == "<=" && x > y {
		return false
	}
	ok, err := decided(c.sizes, func(pos token.Position) (bool, error) { return c.sizes.Compare(op, a, b, pos) })
	return ok && err == nil
}

// surely decides a comparison for a rule that goes on either way; both outcomes are guarded. What cannot be decided is
// false.
func (c *inference) surely(op string, a, b tracer.Int) bool {
	if x, ok := a.Sub(b).Const(); ok {
		return op == "==" && x == 0 || op == "<=" && x <= 0
	}
	if c.sizes == nil {
		return false
	}
	ok, err := decided(c.sizes, func(pos token.Position) (bool, error) { return c.sizes.Compare(op, a, b, pos) })
	return ok && err == nil
}

// dependsOnData reports whether the example says nothing of i.
func (c *inference) dependsOnData(i tracer.Int) bool {
	_, ok := c.sizes.Hint(i)
	return !ok
}

func (c *inference) sameSizes(a, b []tracer.Int) bool {
	return len(a) == len(b) && slices.EqualFunc(a, b, c.sameSize)
}

// isSize reports whether a is the constant n.
func isSize(a tracer.Int, n int) bool {
	x, ok := a.Const()
	return ok && x == n
}

func isNegative(a tracer.Int) bool {
	x, ok := a.Const()
	return ok && x < 0
}

// broadcastShapes aligns shapes at their last dim; a size 1 stretches, as in NumPy.
func (c *inference) broadcastShapes(in ...tracer.Meta) ([]tracer.Int, error) {
	rank := 0
	for _, m := range in {
		rank = max(rank, len(m.Shape))
	}
	out := make([]tracer.Int, rank)
	for i := range out {
		out[i] = tracer.Const(1)
	}
	for _, m := range in {
		lead := rank - len(m.Shape)
		for i, d := range m.Shape {
			switch at := lead + i; {
			case isSize(d, 1):
			case isSize(out[at], 1):
				out[at] = d
			case c.sameOr1(out[at], d):
			default:
				return nil, fmt.Errorf("shapes %s do not broadcast: sizes %v and %v in dim %d; make them equal or one of them 1",
					shapesText(in), out[at], d, at-rank)
			}
		}
	}
	return out, nil
}

// sizeAttr reads an integer that may be symbolic.
func (c *inference) sizeAttr(key string) (tracer.Int, error) {
	i, ok := c.Attrs.Size(key)
	if !ok {
		return i, fmt.Errorf("%s is %v; want an integer", key, c.Attrs.Get(key))
	}
	return i, nil
}

// sizesAttr reads a list of integers that may be symbolic.
func (c *inference) sizesAttr(key string) ([]tracer.Int, error) {
	list, ok := c.Attrs.Sizes(key)
	if !ok && c.Attrs.Get(key) != nil {
		return nil, fmt.Errorf("%s is %v; want integers", key, c.Attrs.Get(key))
	}
	return list, nil
}

// setSizes gives a list of integers its normalised value.
func (c *inference) setSizes(key string, list []tracer.Int) {
	if given, ok := c.Attrs.Get(key).([]int); ok && slices.EqualFunc(list, given, isSize) {
		return
	}
	c.set(key, tracer.IntsAttr(key, list).Value)
}

// sizesText prints a list of sizes as Go prints []int.
func sizesText(list []tracer.Int) string { return shapeText(list) }
