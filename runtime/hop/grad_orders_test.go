package hop

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
)

// TestSecondDerivativesAgreeWithFiniteDifferences checks every op with a derivative on every float64 sample: the
// gradient of a weighted sum of first derivatives against central differences of these, with the derivative recorded on
// the tape and recorded into a graph.
func TestSecondDerivativesAgreeWithFiniteDifferences(t *testing.T) {
	forSamples(t, func(t *testing.T, op *opRow, s sample) {
		if op.VJP == nil || !inFloat64(s.args) {
			return
		}
		for i, out := range applyOps(op, s.attrs, s.args...) {
			if !out.DType().IsFloat() {
				continue
			}
			loss := func(args []*Tensor) *Tensor { // not linear in the result, so that linear ops have second derivatives
				y := applyOps(op, s.attrs, args...)[i].To(Float64)
				return y.Mul(irregular(y)).Add(y.Mul(y).MulScalar(0.3)).Sum()
			}
			h, tolerance := 1e-4, 2e-6
			if out.DType() == Float32 { // its rounding hides smaller steps
				h, tolerance = 3e-2, 1e-3
			}
			check := func(how string, got []*Tensor) { compareSecond(t, how, loss, s, got, h, tolerance) }
			check("on the tape", secondOnTape(loss, s.args))
			if op.DataDependent == "" {
				check("in a graph", secondInGraph(loss, s.args))
			}
		}
	})
}

// irregular are weights of t's shape under which no error cancels.
func irregular(t *Tensor) *Tensor {
	return Arange(Float64, t.NumElems()).MulScalar(0.37).Sin().AddScalar(1.1).Reshape(t.Shape()...)
}

// clones copies args; one that appears twice stays one variable.
func clones(args []*Tensor) []*Tensor {
	list := make([]*Tensor, len(args))
	for i, a := range args {
		if k := slices.Index(args, a); k < i {
			list[i] = list[k]
		} else {
			list[i] = a.Clone()
		}
	}
	return list
}

// weighted sums gradients with irregular weights; nil ones are left out.
func weighted(grads []*Tensor) *Tensor {
	sum := Scalar(0.0)
	for _, g := range grads {
		if g != nil {
			sum = sum.Add(g.Mul(irregular(g)).Sum())
		}
	}
	return sum
}

// firstByBackward is the gradient that Backward gives; nil for operands that are no floats.
func firstByBackward(loss func([]*Tensor) *Tensor, args []*Tensor) []*Tensor {
	args = clones(args)
	grads := make([]*Tensor, len(args))
	for _, a := range args {
		if a.DType().IsFloat() {
			a.SetRequiresGrad(true)
		}
	}
	if l := loss(args); l.RequiresGrad() {
		l.Backward()
	}
	for i, a := range args {
		if grads[i] = a.Grad(); grads[i] == nil && a.DType().IsFloat() || slices.Index(args, a) < i {
			grads[i] = ZerosLike(a)
		}
	}
	return grads
}

// compareSecond compares second derivatives with finite differences of the weighted first ones, at up to four elements
// of each operand. Where these do not converge the first derivative jumps, and there is no second one.
func compareSecond(t *testing.T, how string, loss func([]*Tensor) *Tensor, s sample, got []*Tensor, h, tolerance float64) {
	t.Helper()
	args := s.args
	for i, a := range args {
		if !a.DType().IsFloat() || slices.Index(args, a) < i {
			continue
		}
		all := indices(a.Shape())
		for k := 0; k < len(all); k += 1 + len(all)/4 {
			moved := func(to float64) float64 {
				list := clones(args)
				list[i].Set(to, all[k]...)
				return Item[float64](weighted(firstByBackward(loss, list)))
			}
			at := ItemAt[float64](a, all[k]...)
			difference := func(step float64) float64 {
				return fd.Derivative(moved, at, &fd.Settings{Formula: central(), Step: step})
			}
			g, want := ItemAt[float64](got[i], all[k]...), difference(h)
			scale := max(1, math.Abs(want))
			if math.IsNaN(g) && strings.HasPrefix(s.name, "singular") {
				continue // where a matrix has no inverse
			}
			if math.Abs(g-want) <= tolerance*scale || math.Abs(want-difference(h/4)) > 1e-2*scale {
				continue
			}
			t.Errorf("%s: operand %d, element %v: second derivative %v, finite difference of first %v", how, i, all[k], g, want)
			return
		}
	}
}

// secondOnTape takes the derivative with its own ops on the tape, and differentiates it.
func secondOnTape(loss func([]*Tensor) *Tensor, args []*Tensor) []*Tensor {
	l := &linear{since: nextStamp(), onTape: true}
	list := clones(args)
	l.ins = leads(list)
	for i, a := range args {
		if k := slices.Index(args, a); k < i {
			list[i], l.ins[i] = list[k], nil
		}
	}
	y := loss(list)
	sum := weighted(l.pullFrom([]*Tensor{y}, []*Tensor{ones(y)}, l.ins, l.since))
	l.onTape = false
	return l.pullFrom([]*Tensor{sum}, []*Tensor{ones(sum)}, l.ins, l.since)
}

// secondInGraph takes the derivative inside a traced function, and differentiates that function.
func secondInGraph(loss func([]*Tensor) *Tensor, args []*Tensor) []*Tensor {
	return Grad(func(list []*Tensor) *Tensor {
		return weighted(Grad(func(list []*Tensor) *Tensor { return loss(tied(list, args)) })(tied(list, args)))
	})(args)
}

// tied puts the first of equal args in the place of the others.
func tied(list, args []*Tensor) []*Tensor {
	out := slices.Clone(list)
	for i, a := range args {
		out[i] = list[slices.Index(args, a)]
	}
	return out
}

// O11: ops without derivative are fine forward, and backward where their gradient is zero; else Backward refuses them, and
// Grad in every mode.
func TestOpsWithoutDerivativeAreRefusedByBackward(t *testing.T) {
	op := &opRow{Name: "rough", Func: "Rough", Schema: opSin.Schema, DTypes: floats, Infer: opSin.Infer, Kernel: opSin.Kernel, NoGrad: "it is rough"}
	t.Run("O11/eager", func(t *testing.T) {
		x := FromSlice([]float64{1, 2}).SetRequiresGrad(true)
		y := applyOp(op, nil, x)
		if !y.RequiresGrad() {
			t.Error("the result requires no grad, so that nobody would notice")
		}
		wantMisuse(t, Try(func() { y.Sum().Backward() }), "Rough has no derivative: it is rough")
		x.MulScalar(3).Add(y.Detach()).Sum().Backward()
		if got := x.Grad().String(); got != "[3 3]" {
			t.Errorf("beside it: got %s, want [3 3]", got)
		}
	})
	for name, opts := range map[string][]Option{"traced": nil, "stepwise": {Stepwise()}} {
		t.Run("O11/"+name, func(t *testing.T) {
			row := func(x *Tensor) *Tensor { // argsort, in the table, has no derivative either
				return x.ArgSort(0).To(Float64).Mul(x).Sum()
			}
			x := FromSlice([]float64{3, 1, 2}, 1, 3).SetRequiresGrad(true)
			Map(row, x, opts...).Sum().Backward() // its result is an index, which no gradient reaches
			if got := x.Grad().String(); got != "[[1 2 0]]" {
				t.Errorf("got %s, want [[1 2 0]]", got)
			}
		})
	}
}

// TestDirectionsAgreeWithGradients: for every op, <ct, J·dx> = <Jᵀ·ct, dx>, called plainly and in a traced function.
func TestDirectionsAgreeWithGradients(t *testing.T) {
	forSamples(t, func(t *testing.T, op *opRow, s sample) {
		if op.VJP == nil || !inFloat64(s.args) || op.DataDependent != "" {
			return
		}
		f := func(args []*Tensor) []*Tensor { // copies: a view op may not give its operand back
			outs := applyOps(op, s.attrs, args...)
			for i := range outs {
				outs[i] = outs[i].Clone()
			}
			return outs
		}
		directions := make([]*Tensor, len(s.args))
		for i, a := range s.args {
			if a.DType().IsFloat() {
				directions[i] = irregular(a).MulScalar(float64(i) + 1)
			}
		}
		gap := func(args []*Tensor) *Tensor {
			y, dy := JVP(f, args, directions)
			cts := make([]*Tensor, len(y))
			for i := range y {
				if dy[i] != nil {
					cts[i] = irregular(y[i]).To(y[i].DType())
				}
			}
			_, pull := VJP(f, args)
			return dot(cts, dy).Sub(dot(pull(cts), directions))
		}
		_, traced, _ := ValueAndGradAux(func(args []*Tensor) (*Tensor, *Tensor) { return Scalar(0.0), gap(args) })(s.args)
		for i, got := range []*Tensor{gap(s.args), traced} {
			if v := Item[float64](got); !(math.Abs(v) < 1e-6) && !strings.HasPrefix(s.name, "singular") {
				t.Errorf("%s: products differ by %v", []string{"plain", "traced"}[i], v)
			}
		}
	})
}

// dot sums the products of tensors in float64; nil ones are left out.
func dot(a, b []*Tensor) *Tensor {
	sum := Scalar(0.0)
	for i := range a {
		if a[i] != nil && b[i] != nil {
			sum = sum.Add(a[i].To(Float64).Mul(b[i].To(Float64)).Sum())
		}
	}
	return sum
}
