package hop

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/diff/fd"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/tracer"
)

// CheckGrad compares the gradient of f at x with finite differences, element by element, and returns an error that
// names the path and both values where they differ. It is meant for tests of a [CustomVJP] and of functions with kinks:
// at a kink the two differ.
//
// Shapes: x is any pytree; leaves that are no floats are held fixed.
// Errors: an *[Error] for every leaf that differs, at its worst element, and for anything that [Grad] would panic with.
// Source: central differences of fourth order (Fornberg 1988); f runs once, its graph four times for each element.
//
//hop:body f(operand)
func CheckGrad[X any](f func(X) *Tensor, x X) error {
	return Try(func() {
		h := begin("CheckGrad", nil)
		if f == nil {
			h.misuse("function is nil; pass a func(x) of one number")
		}
		in := h.flatten(x, h.contract.Bodies[0].In[0], "argument")
		if traceOf(in.leaves) != nil {
			h.misuse("argument is traced, so there are no values to compare; call CheckGrad outside of bodies")
		}
		in.leaves = offTape(in.leaves) // also out of a stepwise run: what is checked is f
		c := h.close(scalarBody(h, f, func(x X) (*Tensor, None) { return f(x), None{} }, in.tree), in)
		h.scalar(c.outs[0])
		if e := joinErrors(h.compareGradients(c, in)); e != nil {
			panic(e)
		}
	})
}

// central is the first derivative from four values; the error is of fourth order in the step.
func central() fd.Formula {
	return fd.Formula{Derivative: 1, Step: 1e-4, Stencil: []fd.Point{
		{Loc: -2, Coeff: 1.0 / 12}, {Loc: -1, Coeff: -2.0 / 3}, {Loc: 1, Coeff: 2.0 / 3}, {Loc: 2, Coeff: -1.0 / 12}}}
}

// accuracy is how well a difference of values of one dtype can agree with the gradient.
type accuracy struct {
	epsilon   float64 // rounding of one value
	step      float64 // relative to the element
	smallest  float64 // element from which on steps are relative
	tolerance float64 // relative to the larger of the gradient and 1
}

func accuracyOf(dts ...DType) accuracy {
	if slices.Contains(dts, Float32) {
		return accuracy{epsilon: 0x1p-23, step: 2e-2, smallest: 0.1, tolerance: 1e-3}
	}
	return accuracy{epsilon: 0x1p-52, step: 1e-4, smallest: 1e-2, tolerance: 1e-6}
}

// compareGradients returns one error for each leaf whose gradient differs from finite differences.
func (h *hopCall) compareGradients(c *closedBody, in group) []*Error {
	l := c.linearize(in, nil)
	y := l.outs[0].leaves[0]
	grads := l.pull([]*Tensor{ones(y)})
	value := evaluation(c)
	args := offTape(c.args)
	var errs []*Error
	for i, leaf := range in.leaves {
		if grads[i] == nil {
			continue
		}
		acc := accuracyOf(leaf.DType(), y.DType())
		var worst *Error
		excess := 0.0
		for index, at := range allElements(leaf) {
			args[i] = leaf.Clone()
			moved := func(v float64) float64 {
				args[i].Set(float64As(leaf.DType(), v), index...)
				return value(args)
			}
			step := acc.step * max(math.Abs(at), acc.smallest)
			want := fd.Derivative(moved, at, &fd.Settings{Formula: central(), Step: step})
			got := floatAt(grads[i], index)
			allowed := acc.tolerance*max(1, math.Abs(got), math.Abs(want)) + 8*acc.epsilon*math.Abs(floatAt(y, make([]int, y.Rank())))/step
			if d := math.Abs(got - want); got != want && !(d <= allowed) && !(d/allowed <= excess) {
				excess = d / allowed
				worst = h.gradientError(in.place(i), index, got, want, allowed)
			}
		}
		args[i] = leaf
		if worst != nil {
			errs = append(errs, worst)
		}
	}
	return errs
}

func (h *hopCall) gradientError(p hopcheck.Place, index []int, got, want, allowed float64) *Error {
	element := p.String()
	if len(index) > 0 {
		element += fmt.Sprint(" at ", index)
	}
	return &Error{HOP: h.contract.Name, Role: p.Role, Path: p.Path, Step: -1, Position: h.pos,
		Detail: fmt.Sprintf("gradient of %s is %v, finite difference is %v (they may differ by %.1e); correct the derivative, or check away from kinks", element, got, want, allowed)}
}

// evaluation returns a function that computes the one number of c's graph for other arguments.
func evaluation(c *closedBody) func(args []*Tensor) float64 {
	constants := offTape(c.constants)
	run := planOf(c.graph)
	return func(args []*Tensor) float64 {
		y := run(args, constants, nil, nil)[0]
		return floatAt(y, make([]int, y.Rank()))
	}
}

// allElements iterates over a float tensor: index and value, row by row.
func allElements(t *Tensor) func(yield func(index []int, v float64) bool) {
	return func(yield func([]int, float64) bool) {
		index := make([]int, t.Rank())
		for range t.NumElems() {
			if !yield(index, floatAt(t, index)) {
				return
			}
			for d := t.Rank() - 1; d >= 0; d-- {
				if index[d]++; index[d] < t.shape[d] {
					break
				}
				index[d] = 0
			}
		}
	}
}

func floatAt(t *Tensor, index []int) float64 {
	if t.DType() == Float32 {
		return float64(ItemAt[float32](t, index...))
	}
	return ItemAt[float64](t, index...)
}

// float64As rounds v to a float dtype, which Set wants exactly.
func float64As(dt tracer.DType, v float64) float64 {
	if dt == Float32 {
		return float64(float32(v))
	}
	return v
}
