package hop_test

import (
	"errors"
	"math"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

// TestCond is part G of the branch cases.
func TestCond(t *testing.T) {
	sin, cos := func(x T) T { return x.Sin() }, func(x T) T { return x.Cos() }
	yes, no := hop.Scalar(true), hop.Scalar(false)
	inModes(t, "G1", func(t *testing.T, o ...hop.Option) {
		x := f64(1, 2)
		check(t, "true", hop.Cond(yes, sin, cos, x, o...), []int{2}, math.Sin(1), math.Sin(2))
		check(t, "false", hop.Cond(no, sin, cos, x, o...), []int{2}, math.Cos(1), math.Cos(2))
		for _, p := range []T{yes, no} {
			w := s64(0.5).SetRequiresGrad(true)
			hop.Cond(p, sin, cos, w, o...).Backward()
			want := math.Cos(0.5)
			if p == no {
				want = -math.Sin(0.5)
			}
			check(t, "gradient", w.Grad(), []int{}, want)
		}
	})
	t.Run("G2", func(t *testing.T) {
		for _, tc := range []struct {
			opts []hop.Option
			want [2]int
		}{{nil, [2]int{1, 1}}, {[]hop.Option{hop.Stepwise()}, [2]int{1, 0}}} {
			var calls [2]int
			got := hop.Cond(yes, func(x T) T { calls[0]++; return x.Neg() }, func(x T) T { calls[1]++; return x.Abs() }, s64(3), tc.opts...)
			check(t, "result", got, []int{}, -3)
			if calls != tc.want {
				t.Errorf("branches were called %v times, want %v", calls, tc.want)
			}
		}
	})
	inModes(t, "G3", func(t *testing.T, o ...hop.Option) {
		check(t, "one element", hop.Cond(hop.FromSlice([]bool{true}), sin, cos, s64(0), o...), []int{}, 0)
		for p, word := range map[T]string{hop.FromSlice([]bool{true, false}): "bool[2]", s64(1): "float64[]"} {
			e := refusedWith(t, func() { hop.Cond(p, sin, cos, s64(0), o...) }, "predicate", word)
			if !errors.Is(e, hopcheck.CarryMismatch) {
				t.Errorf("code %s", e.Code)
			}
		}
		refusedWith(t, func() { hop.Cond(nil, sin, cos, s64(0), o...) }, "predicate is nil")
		refusedWith(t, func() { hop.Cond(yes, nil, cos, s64(0), o...) }, "true branch is nil")
		refusedWith(t, func() { hop.Cond(yes, sin, nil, s64(0), o...) }, "false branch is nil")
	})
	t.Run("G5 and G6", func(t *testing.T) {
		type out struct{ A, B T }
		f := func(x T) out { return out{x.Neg(), x.Neg()} }
		for name, g := range map[string]func(x T) out{
			"false branch output.A is float64[1 2], true branch output.A is float64[2]": func(x T) out { return out{x.Unsqueeze(0).Clone(), x.Neg()} },
			"false branch output.B is float32[2], true branch output.B is float64[2]":   func(x T) out { return out{x.Neg(), x.To(hop.Float32)} },
			"output.B is nil": func(x T) out { return out{A: x.Neg()} }, // G15
		} {
			e := refusedWith(t, func() { hop.Cond(yes, f, g, f64(1, 2)) }, name)
			if !errors.Is(e, hopcheck.CarryMismatch) {
				t.Errorf("code %s", e.Code)
			}
			// Under Stepwise the other branch is not called, so nothing is known of its results.
			y := hop.Cond(yes, f, g, f64(1, 2), hop.Stepwise())
			check(t, "stepwise", y.A, []int{2}, -1, -2)
		}
		e := refusedWith(t, func() {
			hop.Cond(yes, func(x T) []T { return []T{x.Neg()} }, func(x T) []T { return []T{x.Neg(), x.Abs()} }, f64(1, 2))
		}, "length 1", "length 2")
		has(t, e, hopcheck.CarryMismatch, hopcheck.Output, "")
		e = refusedWith(t, func() {
			hop.Cond(yes, func(x T) map[string]T { return map[string]T{"a": x.Neg()} }, func(x T) map[string]T { return map[string]T{"b": x.Neg()} }, f64(1, 2))
		}, `output["a"]`, `output["b"]`)
		if !errors.Is(e, hopcheck.CarryMismatch) {
			t.Errorf("code %s", e.Code)
		}
	})
	inModes(t, "G7", func(t *testing.T, o ...hop.Option) {
		type operands struct {
			T []map[string]T
			C [1]T
		}
		in := operands{T: []map[string]T{{"a": s64(2)}, {"b": s64(3)}}, C: [1]T{s64(5)}}
		for _, leaf := range []T{in.T[0]["a"], in.T[1]["b"], in.C[0]} {
			leaf.SetRequiresGrad(true)
		}
		mul := func(x operands) map[string]T { return map[string]T{"y": x.T[0]["a"].Mul(x.T[1]["b"]).Mul(x.C[0])} }
		add := func(x operands) map[string]T { return map[string]T{"y": x.T[0]["a"].Add(x.C[0])} }
		y := hop.Cond(no, mul, add, in, o...)["y"]
		check(t, "y", y, []int{}, 7)
		y.Backward()
		check(t, "a", in.T[0]["a"].Grad(), []int{}, 1)
		check(t, "c", in.C[0].Grad(), []int{}, 1)
		check(t, "b, which only the other branch uses", in.T[1]["b"].Grad(), []int{}, 0)
	})
	inModes(t, "G10", func(t *testing.T, o ...hop.Option) {
		x, y := s64(3), s64(4)
		x.SetRequiresGrad(true)
		f := func(a [3]T) T { return a[0].Mul(a[1]).Add(a[2].Mul(a[2])) }
		hop.Cond(yes, f, func(a [3]T) T { return a[0].Neg() }, [3]T{x, y, x}, o...).Backward()
		check(t, "dx", x.Grad(), []int{}, 4+6)
		if y.Grad() != nil {
			t.Errorf("dy = %v, want none", y.Grad())
		}
	})
	inModes(t, "G12", func(t *testing.T, o ...hop.Option) {
		for bits := range 8 {
			p := func(k int) T { return hop.Scalar(bits>>k&1 == 1) }
			leaf := func(v float64) func(T) T { return func(x T) T { return x.AddScalar(v) } }
			inner := func(base float64) func(T) T {
				return func(x T) T { return hop.Cond(p(0), leaf(base+1), leaf(base), x) }
			}
			middle := func(base float64) func(T) T {
				return func(x T) T { return hop.Cond(p(1), inner(base+2), inner(base), x) }
			}
			check(t, "leaf", hop.Cond(p(2), middle(4), middle(0), s64(10), o...), []int{}, 10+float64(bits))
		}
	})
	inModes(t, "G13", func(t *testing.T, o ...hop.Option) {
		shared, a, b := s64(1), s64(10), s64(100)
		onTrue := func(hop.None) T { return shared.Add(a) }
		onFalse := func(hop.None) T { return b.Add(shared) }
		check(t, "true", hop.Cond(yes, onTrue, onFalse, hop.None{}, o...), []int{}, 11)
		check(t, "false", hop.Cond(no, onTrue, onFalse, hop.None{}, o...), []int{}, 101)
	})
	inModes(t, "G15", func(t *testing.T, o ...hop.Option) {
		type out struct{ A, B T }
		y := hop.Cond(yes, func(x T) out { return out{A: x.Neg()} }, func(x T) out { return out{A: x.Abs()} }, s64(1), o...)
		check(t, "A", y.A, []int{}, -1)
		if y.B != nil {
			t.Errorf("B = %v, want nil", y.B)
		}
	})
	inModes(t, "G16", func(t *testing.T, o ...hop.Option) {
		xs := f64(1, -2, 3, -4)
		body := func(c, x T) (T, T) {
			n := hop.Cond(x.GtScalar(0), func(c T) T { return c.MulScalar(0.95).Add(x) }, func(c T) T { return c.MulScalar(0.5).Sub(x.Mul(x)) }, c)
			return n, n.Clone()
		}
		c, ys := hop.Scan(body, s64(0), xs, o...)
		want, all := 0.0, []float64{}
		for _, x := range []float64{1, -2, 3, -4} {
			if x > 0 {
				want = 0.95*want + x
			} else {
				want = 0.5*want - x*x
			}
			all = append(all, want)
		}
		check(t, "carry", c, []int{}, want)
		check(t, "ys", ys, []int{4}, all...)
		w := s64(1).SetRequiresGrad(true)
		c, _ = hop.Scan(body, w, xs, o...)
		c.Backward()
		check(t, "gradient of init", w.Grad(), []int{}, 0.95*0.5*0.95*0.5)
	})
	inModes(t, "G17", func(t *testing.T, o ...hop.Option) {
		x := s64(0).SetRequiresGrad(true)
		y := hop.Cond(x.GtScalar(0), func(x T) T { return x.Log() }, func(x T) T { return x.MulScalar(3) }, x, o...)
		y.Backward()
		check(t, "gradient", x.Grad(), []int{}, 3)
	})
	inModes(t, "G19", func(t *testing.T, o ...hop.Option) {
		check(t, "same function", hop.Cond(no, sin, sin, s64(1), o...), []int{}, math.Sin(1))
	})
	inModes(t, "G20", func(t *testing.T, o ...hop.Option) {
		cube := func(x T) T { return x.Mul(x).Mul(x) }
		for _, tc := range []struct {
			pred          T
			x             float64
			first, second float64
		}{{yes, 2, 12, 12}, {no, 0.5, -math.Sin(0.5), -math.Cos(0.5)}} {
			if len(o) == 0 {
				f := func(x T) T { return hop.Cond(tc.pred, cube, cos, x) }
				check(t, "first", hop.Grad(f)(s64(tc.x)), []int{}, tc.first)
				check(t, "second", hop.Grad(hop.Grad(f))(s64(tc.x)), []int{}, tc.second)
				by := func(x T) T { return hop.Cond(x.GtScalar(1), cube, cos, x) } // the predicate depends on x
				check(t, "second, predicate of x", hop.Grad(hop.Grad(by))(s64(tc.x)), []int{}, tc.second)
			}
			// In the branches of an operator that steps, Grad gives the first derivative and Backward that of it.
			w := leafs(s64(tc.x))[0]
			y := hop.Cond(tc.pred, func(x T) T { return hop.Grad(cube)(x) }, func(x T) T { return hop.Grad(cos)(x) }, w, o...)
			y.Backward()
			check(t, "first, taken in the branch", y, []int{}, tc.first)
			check(t, "second, of the derivative in the branch", w.Grad(), []int{}, tc.second)
		}
	})
}

// TestCondContract is what cases D and E say of branches.
func TestCondContract(t *testing.T) {
	yes := hop.Scalar(true)
	neg := func(x T) T { return x.Neg() }
	t.Run("D18", func(t *testing.T) {
		x := s64(1)
		bad := func(x T) T { x.AddScalarInPlace(1); return x.Clone() }
		e := refused(t, func() { hop.Cond(yes, neg, bad, x) })
		has(t, e, hopcheck.MutatedOperand, hopcheck.Operand, "")
		if e.Finding.Body != "false branch" {
			t.Errorf("body is %q", e.Finding.Body)
		}
		check(t, "stepwise", hop.Cond(yes, neg, bad, x, hop.Stepwise()), []int{}, -1)
		e = refused(t, func() { hop.Cond(yes, bad, neg, x, hop.Stepwise()) })
		has(t, e, hopcheck.MutatedOperand, hopcheck.Operand, "")
		check(t, "x", x, []int{}, 1)
	})
	inModes(t, "E18", func(t *testing.T, o ...hop.Option) {
		e := refusedWith(t, func() { hop.Cond(yes, func(x T) T { return x }, func(x T) T { return x.Clone() }, s64(1), o...) }, "Clone")
		has(t, e, hopcheck.OutputAliasesInput, hopcheck.Operand, "")
	})
	inModes(t, "D15", func(t *testing.T, o ...hop.Option) {
		body := func(c, x T) (T, T) {
			y := hop.Cond(x.GtScalar(0), func(x T) T { c.AddInPlace(x); return x.Neg() }, neg, x)
			return c.Clone(), y
		}
		e := refused(t, func() { hop.Scan(body, s64(0), f64(1, 2), o...) })
		has(t, e, hopcheck.MutatedCaptured, hopcheck.Captured, "")
		has(t, e, hopcheck.MutatedCarry, hopcheck.Carry, "")
	})
}

// TestSwitch is part H of the branch cases.
func TestSwitch(t *testing.T) {
	branches := []func(T) T{
		func(x T) T { return x.AddScalar(1) }, func(x T) T { return x.SubScalar(2) }, func(x T) T { return x.AddScalar(3) },
	}
	idx := func(i int) T { return hop.Scalar(int64(i)) }
	inModes(t, "H1", func(t *testing.T, o ...hop.Option) {
		check(t, "result", hop.Switch(idx(1), branches, s64(5), o...), []int{}, 3)
		check(t, "int32", hop.Switch(hop.FromSlice([]int32{2}), branches, s64(5), o...), []int{}, 8)
		check(t, "clamped below", hop.Switch(idx(-7), branches, s64(5), o...), []int{}, 6)
		check(t, "clamped above", hop.Switch(idx(9), branches, s64(5), o...), []int{}, 8)
	})
	inModes(t, "H3", func(t *testing.T, o ...hop.Option) {
		refusedWith(t, func() { hop.Switch[T, T](idx(0), nil, s64(5), o...) }, "no branches")
		check(t, "single", hop.Switch(s64(0.5), branches[2:], s64(5), o...), []int{}, 8)
		refusedWith(t, func() { hop.Switch(idx(0), []func(T) T{branches[0], nil}, s64(5), o...) }, "branch 1 is nil")
	})
	inModes(t, "H4", func(t *testing.T, o ...hop.Option) {
		refusedWith(t, func() { hop.Switch(s64(1), branches, s64(5), o...) }, "index", "float64[]")
		refusedWith(t, func() { hop.Switch(i64(0, 1), branches, s64(5), o...) }, "index", "int64[2]")
	})
	t.Run("H5", func(t *testing.T) {
		refusedWith(t, func() {
			hop.Switch(idx(0), []func(T) T{branches[0], branches[1], func(x T) T { return x.Unsqueeze(0).Clone() }}, s64(5))
		}, "branch 2 output is float64[1], branch 0 output is float64[]")
		refusedWith(t, func() {
			hop.Switch(idx(0), []func(T) T{branches[0], func(x T) T { return x.To(hop.Float32) }, branches[2]}, s64(5))
		}, "branch 1 output is float32[], branch 0 output is float64[]")
		got := hop.Switch(idx(0), []func(T) T{branches[0], func(x T) T { return x.To(hop.Float32) }}, s64(5), hop.Stepwise())
		check(t, "stepwise, where the others are not called", got, []int{}, 6)
	})
}

// What chooses a branch wrongly is refused with a way to one element of the right dtype.
func TestAdviceForWhatChoosesABranch(t *testing.T) {
	cond := func(p T) func() {
		return func() { hop.Cond(p, func(x T) T { return x.Sin() }, func(x T) T { return x.Cos() }, ones(2)) }
	}
	choose := func(i T) func() {
		return func() { hop.Switch(i, []func(T) T{T.Sin, T.Cos}, ones(2)) }
	}
	for _, tc := range []struct {
		name string
		run  func()
		want []string
	}{
		{"bools", cond(ones(3).GtScalar(0)), []string{"predicate is bool[3], want a bool of one element", "reduce it to one element with Any() or All()"}},
		{"a number", cond(hop.Scalar(1.0)), []string{"predicate is float64[]", "compare it, e.g. with NeScalar(0) or GtScalar(0)"}},
		{"numbers", cond(ones(3)), []string{"predicate is float64[3]", "compare it, e.g. with NeScalar(0), and reduce that to one element with Any() or All()"}},
		{"while", func() { hop.WhileLoop(func(c T) T { return c.GtScalar(0) }, func(c T) T { return c.Neg() }, ones(2)) }, []string{"predicate is bool[2]", "Any() or All()"}},
		{"index of floats", choose(hop.Scalar(1.0)), []string{"index is float64[]", "convert it with To(Int64)"}},
		{"indices", choose(hop.Zeros(hop.Int64, 2)), []string{"index is int64[2]", "take one element of it, e.g. with ArgMax, Select or Sum"}},
	} {
		t.Run(tc.name, func(t *testing.T) { says(t, hop.Try(tc.run), tc.want...) })
	}
}
