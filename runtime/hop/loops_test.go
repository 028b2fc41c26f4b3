package hop_test

import (
	"errors"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

// TestWhileLoop is the while part of the loop cases.
func TestWhileLoop(t *testing.T) {
	inModes(t, "I1", func(t *testing.T, o ...hop.Option) {
		got := hop.WhileLoop(func(x T) T { return x.Sum().LtScalar(10) }, func(x T) T { return x.AddScalar(1) }, f64(0), o...)
		check(t, "carry", got, []int{1}, 10)
	})
	type three struct{ It, X, Y T }
	inModes(t, "I2", func(t *testing.T, o ...hop.Option) {
		outer := hop.WhileLoop(
			func(c three) T { return c.It.LtScalar(2) },
			func(c three) three {
				in := hop.WhileLoop(func(p [2]T) T { return p[0].LtScalar(10) }, func(p [2]T) [2]T { return [2]T{p[0].Add(p[1]), p[1].AddScalar(1)} }, [2]T{c.X, c.Y})
				return three{c.It.AddScalar(1), in[0], in[1]}
			},
			three{s64(0), s64(0), s64(0)}, o...)
		check(t, "It", outer.It, []int{}, 2)
		check(t, "X", outer.X, []int{}, 10)
		check(t, "Y", outer.Y, []int{}, 5)
	})
	inModes(t, "I3", func(t *testing.T, o ...hop.Option) {
		type count struct{ I, N T }
		// An outer turn adds an inner loop's i+1 turns, i from 0: n and n(n+1)/2.
		for n, want := range map[float64]float64{3: 6, 4: 10} {
			got := hop.WhileLoop(func(c count) T { return c.I.LtScalar(n) }, func(c count) count {
				inner := hop.WhileLoop(func(p [2]T) T { return p[0].Le(c.I) }, func(p [2]T) [2]T { return [2]T{p[0].AddScalar(1), p[1].AddScalar(1)} },
					[2]T{hop.Scalar(int64(0)), c.N})
				return count{c.I.AddScalar(1), inner[1]}
			}, count{hop.Scalar(int64(0)), hop.Scalar(int64(0))}, o...)
			check(t, "outer turns", got.I, []int{}, n)
			check(t, "inner turns", got.N, []int{}, want)
		}
	})
	inModes(t, "I4", func(t *testing.T, o ...hop.Option) {
		limit := s64(10)
		type walk struct{ Pos, Count T }
		got := hop.WhileLoop(func(c walk) T { return c.Pos.Lt(limit) }, func(c walk) walk { return walk{c.Pos.AddScalar(1), c.Count.AddScalar(1)} }, walk{s64(2), s64(0)}, o...)
		check(t, "count", got.Count, []int{}, 8)
	})
	one := func(x T) T { return x.AddScalar(1) }
	inModes(t, "I6", func(t *testing.T, o ...hop.Option) {
		for _, cond := range []func(x T) T{
			func(x T) T { return x.Clone() }, func(x T) T { return x.To(hop.Int64) }, func(x T) T { return x.Unsqueeze(0).Expand(2).LtScalar(3) },
		} {
			e := refusedWith(t, func() { hop.WhileLoop(cond, one, s64(0), o...) }, "predicate")
			if !errors.Is(e, hopcheck.CarryMismatch) {
				t.Errorf("code %s", e.Code)
			}
		}
		check(t, "one element", hop.WhileLoop(func(x T) T { return x.LtScalar(3) }, one, f64(0), o...), []int{1}, 3)
	})
	inModes(t, "I7", func(t *testing.T, o ...hop.Option) {
		e := refusedWith(t, func() {
			hop.WhileLoop(func(c [2]T) T { return c[0].LtScalar(3) }, func(c [2]T) [2]T { return [2]T{c[0].AddScalar(1), c[1].LtScalar(3)} }, [2]T{s64(0), s64(0)}, o...)
		}, "next carry[1] is bool[], carry[1] is float64[]")
		has(t, e, hopcheck.CarryMismatch, hopcheck.NextCarry, "[1]")
	})
	t.Run("I9", func(t *testing.T) {
		always := func(x T) T { return hop.Scalar(true) }
		refusedWith(t, func() { hop.WhileLoop(always, one, s64(0)) }, "never ends")
		err := hop.Try(func() { hop.WhileLoop(always, one, s64(0), hop.Stepwise(), hop.MaxSteps(7)) })
		if !errors.Is(err, hop.ErrMaxSteps) {
			t.Errorf("stepwise: got %v, want ErrMaxSteps", err)
		}
	})
	inModes(t, "I10", func(t *testing.T, o ...hop.Option) {
		type counted struct{ I, X T }
		got := hop.WhileLoop(func(c counted) T { return c.I.LtScalar(3) }, func(c counted) counted {
			x := c.X.Clone()
			x.AddInPlace(c.I.To(hop.Float64))
			return counted{c.I.AddScalar(1), x}
		}, counted{hop.Scalar(int64(0)), f64(1, 2)}, o...)
		check(t, "x", got.X, []int{2}, 4, 5)
		if got.I.DType() != hop.Int64 {
			t.Errorf("counter is %v", got.I.DType())
		}
	})
	inModes(t, "I14 and I15", func(t *testing.T, o ...hop.Option) {
		init := [3]T{s64(0), s64(5), s64(3.14)}
		got := hop.WhileLoop(func(c [3]T) T { return c[0].LtScalar(1) }, func(c [3]T) [3]T {
			return [3]T{c[0].AddScalar(1), c[1].Clone(), c[2].Clone()}
		}, init, o...)
		check(t, "carry[0]", got[0], []int{}, 1)
		check(t, "carry[1]", got[1], []int{}, 5)
		check(t, "carry[2]", got[2], []int{}, 3.14)
		pair := [2]T{s64(1), s64(2)}
		swap := func(c [2]T) [2]T { return [2]T{c[1].Clone(), c[0].Clone()} }
		same := hop.WhileLoop(func(c [2]T) T { return c[0].GtScalar(5) }, swap, pair, o...)
		check(t, "unchanged", same[0], []int{}, 1)
		if same[0].SharesStorage(pair[0]) || same[1].SharesStorage(pair[1]) {
			t.Error("a loop without turns shares storage with init")
		}
		swapped := hop.WhileLoop(func(c [3]T) T { return c[2].LtScalar(3) }, func(c [3]T) [3]T { return [3]T{c[1].Clone(), c[0].Clone(), c[2].AddScalar(1)} },
			[3]T{s64(1), s64(2), s64(0)}, o...)
		check(t, "swapped[0]", swapped[0], []int{}, 2)
		check(t, "swapped[1]", swapped[1], []int{}, 1)
	})
	inModes(t, "I28", func(t *testing.T, o ...hop.Option) {
		below := func(x T) T { return x.LtScalar(5) }
		check(t, "exactly", hop.WhileLoop(below, one, s64(0), with(o, hop.MaxSteps(5))...), []int{}, 5)
		err := hop.Try(func() { hop.WhileLoop(below, one, s64(0), with(o, hop.MaxSteps(4))...) })
		if !errors.Is(err, hop.ErrMaxSteps) {
			t.Errorf("got %v, want ErrMaxSteps", err)
		}
		refusedWith(t, func() { hop.WhileLoop(below, one, s64(0), with(o, hop.MaxSteps(-1))...) }, "MaxSteps")
	})
	inModes(t, "D17", func(t *testing.T, o ...hop.Option) {
		e := refused(t, func() {
			hop.WhileLoop(func(x T) T { x.AddScalarInPlace(1); return x.LtScalar(3) }, one, s64(0), o...)
		})
		has(t, e, hopcheck.MutatedCarry, hopcheck.Carry, "")
		if e.Finding.Body != "cond function" {
			t.Errorf("body is %q", e.Finding.Body)
		}
	})
	inModes(t, "R30", func(t *testing.T, o ...hop.Option) {
		type run struct{ Go, N T }
		got := hop.WhileLoop(func(s run) T { return s.Go }, func(s run) run { n := s.N.AddScalar(1); return run{n.LtScalar(4), n} }, run{hop.Scalar(true), s64(0)}, o...)
		check(t, "n", got.N, []int{}, 4)
	})
}

// TestForLoop is the fori part of the loop cases.
func TestForLoop(t *testing.T) {
	sum := func(i, c T) T { return c.Add(i.To(hop.Float64)) }
	inModes(t, "I20", func(t *testing.T, o ...hop.Option) {
		for n, want := range map[int]float64{2: 1, 3: 3, 4: 6} {
			check(t, "sum", hop.ForLoop(0, n, sum, s64(0), o...), []int{}, want)
		}
	})
	inModes(t, "I21", func(t *testing.T, o ...hop.Option) {
		for n, want := range map[int]float64{2: 5, 3: 12, 4: 22} {
			captured := s64(float64(n))
			check(t, "sum", hop.ForLoop(0, n, func(i, c T) T { return c.Add(i.To(hop.Float64)).Add(captured) }, s64(0), o...), []int{}, want)
		}
	})
	inModes(t, "I22", func(t *testing.T, o ...hop.Option) {
		init := s64(7)
		for _, bounds := range [][2]int{{0, 0}, {5, 3}, {-1, -1}} {
			got := hop.ForLoop(bounds[0], bounds[1], sum, init, o...)
			check(t, "init", got, []int{}, 7)
			if got.SharesStorage(init) {
				t.Error("shares storage with init")
			}
		}
		check(t, "negative lower", hop.ForLoop(-2, 2, sum, s64(0), o...), []int{}, -2)
	})
	inModes(t, "I25", func(t *testing.T, o ...hop.Option) {
		x := random(25, 10)
		for _, num := range []int64{0, 5, 10, 15} {
			limit := hop.Scalar(num)
			type state struct{ I, Sum T }
			got := hop.WhileLoop(func(s state) T { return s.I.LtScalar(10).And(s.I.Lt(limit)) }, func(s state) state {
				return state{s.I.AddScalar(1), s.Sum.Add(x.At(0, s.I))}
			}, state{hop.Scalar(int64(0)), s64(0)}, o...)
			want := 0.0
			for _, v := range numbers(x)[:min(num, 10)] {
				want += v
			}
			check(t, "sum", got.Sum, []int{}, want)
		}
	})
	inModes(t, "I26", func(t *testing.T, o ...hop.Option) {
		type carry struct {
			X    T
			None hop.None
		}
		got := hop.ForLoop(0, 3, func(i T, c carry) carry { return carry{X: c.X.AddScalar(1)} }, carry{X: s64(0)}, o...)
		check(t, "x", got.X, []int{}, 3)
	})
	inModes(t, "writes its index", func(t *testing.T, o ...hop.Option) {
		e := refused(t, func() { hop.ForLoop(0, 2, func(i, c T) T { i.AddScalarInPlace(1); return c.Clone() }, s64(0), o...) })
		has(t, e, hopcheck.MutatedOperand, hopcheck.Operand, "")
	})
	inModes(t, "I24", func(t *testing.T, o ...hop.Option) {
		w := s64(3).SetRequiresGrad(true)
		x := s64(2).SetRequiresGrad(true)
		got := hop.ForLoop(0, 3, func(i, c T) T { return c.Mul(w) }, x, o...)
		check(t, "value", got, []int{}, 54)
		got.Backward()
		check(t, "dx", x.Grad(), []int{}, 27)
		check(t, "dw", w.Grad(), []int{}, 54)
	})
	inModes(t, "I16 and I18", func(t *testing.T, o ...hop.Option) {
		type carry struct{ I, X T }
		w, x := s64(3).SetRequiresGrad(true), s64(2).SetRequiresGrad(true)
		run := func(n float64) T {
			got := hop.WhileLoop(func(c carry) T { return c.I.LtScalar(n) }, func(c carry) carry { return carry{c.I.AddScalar(1), c.X.Mul(w)} },
				carry{hop.Scalar(int64(0)), x}, o...)
			if got.I.RequiresGrad() {
				t.Error("the counter requires grad")
			}
			return got.X
		}
		y := run(3)
		check(t, "value", y, []int{}, 54)
		y.Backward()
		check(t, "dx", x.Grad(), []int{}, 27)
		check(t, "dw", w.Grad(), []int{}, 54)
		x.ZeroGrad()
		w.ZeroGrad()
		run(0).Backward()
		check(t, "dx without turns", x.Grad(), []int{}, 1)
		check(t, "dw without turns", w.Grad(), []int{}, 0)
	})
}
