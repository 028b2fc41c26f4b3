package hop_test

import (
	"errors"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

type two struct{ A, B T }

// clip is the identity with a gradient that is clipped to [-1, 1].
var clip = hop.CustomVJP(func(x T) (T, hop.None) { return x.Clone(), hop.None{} }, func(_ hop.None, dy T) T { return dy.Clamp(-1, 1) })

// fused is A·B with its true derivative, by residuals that share storage with the operands.
var fused = hop.CustomVJP(func(p two) (T, two) { return p.A.Mul(p.B), p }, func(p two, dy T) two { return two{dy.Mul(p.B), dy.Mul(p.A)} })

func TestCustomDerivatives(t *testing.T) {
	check(t, "value", clip(f64(5, -7)), []int{2}, 5, -7)
	check(t, "gradient", hop.Grad(func(x T) T { return clip(x).Mul(f64(3, 0.5)).Sum() })(f64(5, -7)), []int{2}, 1, 0.5)
	x := two{f64(2, 3), f64(5, 7)}
	g := hop.Grad(func(p two) T { return fused(p).Mul(fused(p)).Sum() })(x) // 2AB·B, 2AB·A
	check(t, "A", g.A, []int{2}, 2*10*5, 2*21*7)
	check(t, "B", g.B, []int{2}, 2*10*2, 2*21*3)
	check(t, "no gradient asked for", fused(x), []int{2}, 10, 21)
	inModes(t, "in a scan", func(t *testing.T, o ...hop.Option) {
		in := leafs(s64(2), f64(3, 4))
		c, ys := hop.Scan(func(c, x T) (T, T) { return fused(two{c, x}), clip(c) }, in[0], in[1], o...)
		c.Add(ys.MulScalar(10).Sum()).Backward()
		check(t, "init", in[0].Grad(), []int{}, 12+1+3) // ys: 2 clipped and 6 clipped, which is 3 init
		check(t, "xs", in[1].Grad(), []int{2}, 8+2, 6)
	})
}

// TestSecondDerivativesOfCustomOnes: those of the backward function, through its residual and its cotangent.
func TestSecondDerivativesOfCustomOnes(t *testing.T) {
	cube := hop.CustomVJP(func(x T) (T, T) { return x.Mul(x).Mul(x), x.Mul(x) }, func(r, dy T) T { return r.MulScalar(3).Mul(dy) })
	check(t, "first", hop.Grad(cube)(s64(2)), []int{}, 12)
	check(t, "second", hop.Grad(hop.Grad(cube))(s64(2)), []int{}, 12)
	check(t, "third", hop.Grad(hop.Grad(hop.Grad(cube)))(s64(2)), []int{}, 6)
	x := s64(2).SetRequiresGrad(true)
	hop.Grad(cube)(x).Backward()
	check(t, "second, by Backward of Grad", x.Grad(), []int{}, 12)
	inModes(t, "second, in a body", func(t *testing.T, o ...hop.Option) {
		in := leafs(s64(2))
		c, _ := hop.Scan(func(c, x T) (T, hop.None) { return hop.Grad(cube)(c), hop.None{} }, in[0], f64(0), o...)
		c.Backward()
		check(t, "first", c, []int{}, 12)
		check(t, "second", in[0].Grad(), []int{}, 12)
	})
}

func TestNilGradientsAreZero(t *testing.T) {
	type in struct {
		A, B T
		N    T // integers
	}
	f := hop.CustomVJP(func(p in) (T, T) { return p.A.Mul(p.B), p.B }, func(b, dy T) in { return in{A: dy.Mul(b)} })
	inModes(t, "P4", func(t *testing.T, o ...hop.Option) {
		leaves := leafs(f64(2), f64(5))
		c, _ := hop.Scan(func(c, x T) (T, hop.None) { return f(in{c, leaves[1], i64(1)}), hop.None{} }, leaves[0], f64(0), o...)
		c.Sum().Backward()
		check(t, "A", leaves[0].Grad(), []int{1}, 5)
		check(t, "B", leaves[1].Grad(), []int{1}, 0)
	})
	g := hop.Grad(func(p in) T { return f(p).Sum() })(in{f64(2), f64(5), i64(1)})
	check(t, "P4 by Grad", g.B, []int{1}, 0)
	if g.N != nil {
		t.Errorf("gradient of integers is %v, want nil", g.N)
	}
}

func TestCustomGradientsMustFit(t *testing.T) {
	for _, tc := range []struct {
		name string
		bwd  func(r two, dy T) two
		want []string
	}{
		{"shape", func(r two, dy T) two { return two{dy.Sum(), dy.Mul(r.A)} }, []string{"gradient output.A is float64[]", "operand.A is float64[2]"}},
		{"dtype", func(r two, dy T) two { return two{dy.Mul(r.B), dy.To(hop.Float32)} }, []string{"gradient output.B is float32[2]", "operand.B is float64[2]"}},
		{"both", func(r two, dy T) two { return two{dy.Sum(), dy.To(hop.Float32)} }, []string{"gradient output.A", "gradient output.B"}},
	} {
		f := hop.CustomVJP(func(p two) (T, two) { return p.A.Mul(p.B), p }, tc.bwd)
		inModes(t, "P3 "+tc.name, func(t *testing.T, o ...hop.Option) {
			e := refusedWith(t, func() {
				in := leafs(f64(1, 2))
				c, _ := hop.Scan(func(c, x T) (T, hop.None) { return f(two{c, x}), hop.None{} }, in[0], f64(1, 2, 3, 4).View(2, 2), o...)
				c.Sum().Backward()
			}, append(tc.want, "custom_vjp: ", "HOP201")...)
			if !errors.Is(e, hopcheck.CarryMismatch) || e.Path == "" {
				t.Errorf("got code %q and path %q", e.Code, e.Path)
			}
		})
	}
	counts := hop.CustomVJP(func(l []T) (T, []T) { return l[0].Mul(l[1]), l }, func(r []T, dy T) []T { return []T{dy.Mul(r[1])} })
	refusedWith(t, func() { hop.Grad(func(l []T) T { return counts(l).Sum() })([]T{f64(1), f64(2)}) },
		"gradient output is a slice of length 1", "operand is a slice of length 2")
}

func TestCustomVJPKeepsItsContract(t *testing.T) {
	w := f64(1, 2)
	keep := func(x T) (T, T) { return x.Neg(), x }
	back := func(r, dy T) T { return dy.Mul(r) }
	for _, tc := range []struct {
		name string
		fwd  func(x T) (T, T)
		bwd  func(r, dy T) T
		code hopcheck.Code
		want []string
	}{
		{"P9 forward writes", func(x T) (T, T) { x.Zero(); return keep(x) }, back, hopcheck.MutatedOperand, []string{"forward function", "operand"}},
		{"P9 forward returns its operand", func(x T) (T, T) { return x, x }, back, hopcheck.OutputAliasesInput, []string{"output of the forward function"}},
		{"P9 forward returns a captured tensor", func(x T) (T, T) { return w, x }, back, hopcheck.OutputAliasesCaptured, []string{"captured"}},
		{"P9 backward writes its residual", keep, func(r, dy T) T { return r.MulInPlace(dy).Neg() }, hopcheck.MutatedOperand, []string{"backward function", "residual operand"}},
		{"P9 backward writes its cotangent", keep, func(r, dy T) T { return dy.MulInPlace(r).Neg() }, hopcheck.MutatedOperand, []string{"cotangent operand"}},
		{"P9 backward returns its cotangent", keep, func(_, dy T) T { return dy }, hopcheck.OutputAliasesInput, []string{"gradient output", "cotangent operand"}},
		{"P9 backward returns its residual", keep, func(r, _ T) T { return r.View(2) }, hopcheck.OutputAliasesInput, []string{"residual operand"}},
		{"P9 backward writes a captured tensor", keep, func(_, dy T) T { return w.AddInPlace(dy).Neg() }, hopcheck.MutatedCaptured, []string{"backward function"}},
	} {
		f := hop.CustomVJP(tc.fwd, tc.bwd)
		inModes(t, tc.name, func(t *testing.T, o ...hop.Option) {
			e := refusedWith(t, func() {
				in := leafs(f64(3, 4))
				c, _ := hop.Scan(func(c, x T) (T, hop.None) { return f(c), hop.None{} }, in[0], f64(1), o...)
				c.Sum().Backward()
			}, append(tc.want, "custom_vjp: ")...)
			if !errors.Is(e, tc.code) {
				t.Errorf("got %v, want %s", e, string(tc.code))
			}
			check(t, "captured after the refusal", w, []int{2}, 1, 2)
		})
	}
	refusedWith(t, func() { hop.CustomVJP[T, T, T](keep, nil)(w) }, "custom_vjp: ", "nil")
}

// TestStaleResidual: a residual that shares storage with an operand must not be written before the gradient is taken.
func TestStaleResidual(t *testing.T) {
	inModes(t, "write to a captured operand", func(t *testing.T, o ...hop.Option) {
		x := f64(1, 2).SetRequiresGrad(true)
		y := x.MulScalar(2)
		z, _ := hop.Scan(func(c, x T) (T, hop.None) { return fused(two{c, y}), hop.None{} }, f64(3, 4), f64(0), o...)
		y.Detach().Zero()
		e := refusedWith(t, func() { z.Sum().Backward() }, "version 0 when saved, 1 now", "custom_vjp")
		if !errors.Is(e, hopcheck.StaleSavedTensor) {
			t.Errorf("got %v, want HOP601", e)
		}
	})
}

// TestCotangentsOfIntegers: the backward function is given zeros for results that are no floats.
func TestCotangentsOfIntegers(t *testing.T) {
	type out struct{ Y, N T }
	f := hop.CustomVJP(func(x T) (out, hop.None) { return out{x.Exp(), x.To(hop.Int64)}, hop.None{} },
		func(_ hop.None, dy out) T { return dy.Y.Add(dy.N.To(hop.Float64)) })
	check(t, "gradient", hop.Grad(func(x T) T { o := f(x); return o.Y.Sum().MulScalar(2) })(f64(1, 2)), []int{2}, 2, 2)
}

// A captured tensor has no gradient: where one would be wanted, the call is refused, and not answered with zeros.
func TestCustomVJPRefusesACapturedVariable(t *testing.T) {
	scaled := func(w T) func(T) T {
		return hop.CustomVJP(func(x T) (T, T) { return x.Mul(w), w.Clone() }, func(w, dy T) T { return dy.Mul(w) })
	}
	want := []string{"custom_vjp: ", "captured tensor, float64[2]", "pass it in the argument", "Detach"}
	inModes(t, "on the tape", func(t *testing.T, o ...hop.Option) {
		in := leafs(f64(1, 2), f64(3, 4))
		refusedWith(t, func() {
			hop.Scan(func(c, x T) (T, hop.None) { return scaled(in[1])(c), hop.None{} }, in[0], f64(1, 1), o...)
		}, want...)
		c, _ := hop.Scan(func(c, x T) (T, hop.None) { return scaled(in[1].Detach())(c), hop.None{} }, in[0], f64(1, 1), o...)
		c.Sum().Backward()
		check(t, "gradient of the argument", in[0].Grad(), []int{2}, 9, 16)
	})
	refusedWith(t, func() { hop.Grad(func(w T) T { return scaled(w)(f64(1, 2)).Sum() })(f64(3, 4)) }, want...)
	refusedWith(t, func() { hop.Must(hop.Compile(hop.Grad(func(w T) T { return scaled(w)(f64(1, 2)).Sum() })))(f64(3, 4)) }, want...)
	g := hop.Grad(func(x T) T { return scaled(f64(3, 4))(x).Sum() })(f64(1, 2))
	check(t, "gradient of x", g, []int{2}, 3, 4)
	// What the backward function alone captures is no part of the result.
	only := hop.Grad(func(w T) T {
		f := hop.CustomVJP(func(x T) (T, hop.None) { return x.Neg(), hop.None{} }, func(_ hop.None, dy T) T { return dy.Mul(w) })
		return f(f64(1, 2)).Sum()
	})(f64(3, 4))
	check(t, "gradient of what the backward function captures", only, []int{2}, 0, 0)
}
