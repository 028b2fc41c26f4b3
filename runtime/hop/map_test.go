package hop_test

import (
	"errors"
	"math"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

// TestMap is part J of the map cases.
func TestMap(t *testing.T) {
	square := func(x T) T { return x.Mul(x) }
	xs := f64(1, 2, 3)
	inModes(t, "J1", func(t *testing.T, o ...hop.Option) {
		check(t, "ys", hop.Map(square, xs, o...), []int{3}, 1, 4, 9)
	})
	inModes(t, "J2", func(t *testing.T, o ...hop.Option) {
		x, y := f64(1, 2, 3).SetRequiresGrad(true), s64(2).SetRequiresGrad(true)
		hop.Map(func(x T) T { return x.Mul(y) }, x, o...).Sum().Backward()
		check(t, "dxs", x.Grad(), []int{3}, 2, 2, 2)
		check(t, "dy", y.Grad(), []int{}, 6)
	})
	inModes(t, "J3", func(t *testing.T, o ...hop.Option) {
		ys := hop.Map(func(x T) T { return x.Unsqueeze(0).Expand(2, 4).Clone() }, hop.Zeros(hop.Float64, 0, 4), o...)
		check(t, "ys", ys, []int{0, 2, 4})
	})
	inModes(t, "J4", func(t *testing.T, o ...hop.Option) {
		refusedWith(t, func() {
			hop.Map(func(x [2]T) T { return x[0].Add(x[1]) }, [2]T{hop.Zeros(hop.Float64, 3, 2), hop.Zeros(hop.Float64, 4, 2)}, o...)
		}, "float64[3 2]", "float64[4 2]")
	})
	inModes(t, "J5", func(t *testing.T, o ...hop.Option) {
		type out struct{ A, B T }
		y := hop.Map(func(x T) out { return out{B: x.Neg()} }, xs, o...)
		if y.A != nil {
			t.Errorf("A = %v, want nil", y.A)
		}
		check(t, "B", y.B, []int{3}, -1, -2, -3)
		e := refusedWith(t, func() { hop.Map(func(x T) int { return 1 }, xs, o...) }, "HOP202", "int")
		if !errors.Is(e, hopcheck.UnsupportedLeaf) {
			t.Errorf("code %s", e.Code)
		}
	})
	inModes(t, "J6", func(t *testing.T, o ...hop.Option) {
		y := hop.Map(func(x map[string]T) [][]T { return [][]T{{x["a"].Add(x["b"])}, {}} }, map[string]T{"a": xs, "b": f64(4, 5, 6)}, o...)
		if len(y) != 2 || len(y[0]) != 1 || len(y[1]) != 0 {
			t.Fatalf("structure %v", y)
		}
		check(t, "y", y[0][0], []int{3}, 5, 7, 9)
	})
	inModes(t, "J8", func(t *testing.T, o ...hop.Option) {
		e := refused(t, func() { hop.Map(func(x T) T { return x.View(1) }, xs, o...) })
		has(t, e, hopcheck.OutputAliasesInput, hopcheck.X, "")
		e = refused(t, func() { hop.Map(func(x T) T { x.Zero(); return x.Neg() }, xs, o...) })
		has(t, e, hopcheck.MutatedX, hopcheck.X, "")
	})
	inModes(t, "J9 values", func(t *testing.T, o ...hop.Option) {
		rows := random(9, 10, 3)
		w := random(10, 3, 3)
		f := func(x T) T {
			if x.Rank() != 1 {
				t.Errorf("f sees rank %d, want one row", x.Rank())
			}
			return x.MatMul(w).Tanh()
		}
		want := hop.Map(f, rows, o...)
		got := hop.Map(f, rows, with(o, hop.BatchSize(3))...)
		check(t, "batched", got, []int{10, 3}, numbers(want)...)
		check(t, "against a product", got, []int{10, 3}, numbers(rows.MatMul(w).Tanh())...)
		refusedWith(t, func() { hop.Map(f, rows, with(o, hop.BatchSize(0))...) }, "BatchSize")
	})
	inModes(t, "J10", func(t *testing.T, o ...hop.Option) {
		x := f64(1, 2, 3, 4).View(2, 2)
		ys := hop.Map(func(row T) T { return hop.Map(func(v T) T { return v.Mul(row.Sum()) }, row) }, x, o...)
		check(t, "ys", ys, []int{2, 2}, 3, 6, 21, 28)
	})
	inModes(t, "J11", func(t *testing.T, o ...hop.Option) {
		refusedWith(t, func() { hop.Map(square, s64(1), o...) }, "float64[]", "axis 0")
		refusedWith(t, func() { hop.Map(func(hop.None) T { return s64(1) }, hop.None{}, o...) }, "no leaves")
	})
	inModes(t, "J12", func(t *testing.T, o ...hop.Option) {
		y := hop.Zeros(hop.Float64, 3)
		n := float64(y.Dim(0))
		check(t, "ys", hop.Map(func(x T) T { return x.AddScalar(n).Sin() }, xs, o...), []int{3}, math.Sin(4), math.Sin(5), math.Sin(6))
	})
	inModes(t, "axis", func(t *testing.T, o ...hop.Option) {
		x := f64(1, 2, 3, 4, 5, 6).View(2, 3)
		check(t, "ys", hop.Map(func(c T) T { return c.Neg() }, x, with(o, hop.Axis(1))...), []int{3, 2}, -1, -4, -2, -5, -3, -6)
	})
}

// TestAssociativeScan is part F of the cases.
func TestAssociativeScan(t *testing.T) {
	add := func(a, b T) T { return a.Add(b) }
	inModes(t, "F1", func(t *testing.T, o ...hop.Option) {
		x := f64(0, 1, 2, 3)
		check(t, "forwards", hop.AssociativeScan(add, x, o...), []int{4}, 0, 1, 3, 6)
		check(t, "backwards", hop.AssociativeScan(add, x, with(o, hop.Reverse())...), []int{4}, 6, 6, 5, 3)
	})
	inModes(t, "F2", func(t *testing.T, o ...hop.Option) {
		for _, n := range []int{1, 2, 3, 5, 10, 1000} {
			x := random(uint64(n), n)
			check(t, "sums", hop.AssociativeScan(add, x, o...), []int{n}, numbers(x.CumSum(0))...)
		}
	})
	inModes(t, "F3", func(t *testing.T, o ...hop.Option) {
		got := hop.AssociativeScan(add, hop.Arange(hop.Float64, 18).View(2, 9), with(o, hop.Axis(1), hop.Reverse())...)
		check(t, "row 0", got.Select(0, 0), []int{9}, 36, 36, 35, 33, 30, 26, 21, 15, 8)
	})
	type affine struct{ A, B T }
	inModes(t, "F4", func(t *testing.T, o ...hop.Option) {
		f := func(l, r affine) affine { return affine{l.A.Mul(r.A), r.A.Mul(l.B).Add(r.B)} }
		got := hop.AssociativeScan(f, affine{f64(2, 3, 5), f64(1, 1, 1)}, o...)
		check(t, "A", got.A, []int{3}, 2, 6, 30)
		check(t, "B", got.B, []int{3}, 1, 4, 21)
	})
	inModes(t, "F6", func(t *testing.T, o ...hop.Option) {
		got := hop.AssociativeScan(func(a, b T) T { return a.Xor(b) }, hop.FromSlice([]bool{false, true, true, true, false, true}), o...)
		check(t, "xor", got, []int{6}, 0, 1, 0, 1, 1, 0)
	})
	inModes(t, "F7", func(t *testing.T, o ...hop.Option) {
		x := random(7, 5, 2, 2)
		got := hop.AssociativeScan(func(a, b T) T { return a.MatMul(b) }, x, o...)
		want := x.Select(0, 0)
		var all []float64
		for i := range 5 {
			if i > 0 {
				want = want.MatMul(x.Select(0, i))
			}
			all = append(all, numbers(want)...)
		}
		check(t, "products", got, []int{5, 2, 2}, all...)
	})
	inModes(t, "F8", func(t *testing.T, o ...hop.Option) {
		x := f64(1, 2, 3, 4).SetRequiresGrad(true)
		hop.AssociativeScan(func(a, b T) T { return a.Mul(b) }, x, o...).Sum().Backward()
		check(t, "gradient", x.Grad(), []int{4}, 33, 16, 10, 6)
	})
	inModes(t, "F12", func(t *testing.T, o ...hop.Option) {
		x := random(3, 3, 4)
		a := hop.AssociativeScan(add, x, with(o, hop.Axis(-1), hop.Reverse())...)
		b := hop.AssociativeScan(add, x, with(o, hop.Axis(1), hop.Reverse())...)
		check(t, "axis -1", a, []int{3, 4}, numbers(b)...)
	})
	inModes(t, "F13", func(t *testing.T, o ...hop.Option) {
		got := hop.AssociativeScan(func(a, b affine) affine { return affine{a.A.Add(b.A), a.B.Add(b.B)} }, affine{hop.Ones(hop.Float64, 3, 2), hop.Ones(hop.Float64, 3)}, o...)
		check(t, "A", got.A, []int{3, 2}, 1, 1, 2, 2, 3, 3)
		check(t, "B", got.B, []int{3}, 1, 2, 3)
	})
	inModes(t, "F14", func(t *testing.T, o ...hop.Option) {
		f := func(a, b affine) affine { return affine{a.A.Add(b.A), a.B.Add(b.B)} }
		refusedWith(t, func() { hop.AssociativeScan(f, affine{hop.Ones(hop.Float64, 3), hop.Ones(hop.Float64, 2)}, o...) }, "xs.A", "3", "xs.B", "2")
		check(t, "empty", hop.AssociativeScan(add, hop.Zeros(hop.Float64, 0, 2), o...), []int{0, 2})
	})
	inModes(t, "F15", func(t *testing.T, o ...hop.Option) {
		x := f64(1, 2, 3)
		for _, f := range []func(a, b T) T{func(a, b T) T { return a.Add(b).Unsqueeze(0) }, func(a, b T) T { return a.Add(b).To(hop.Float32) }} {
			e := refused(t, func() { hop.AssociativeScan(f, x, o...) })
			has(t, e, hopcheck.CarryMismatch, hopcheck.Output, "")
			if len(e.More) > 0 || len(e.Finding.Differences) != 1 {
				t.Errorf("want one difference:\n%s", e)
			}
		}
	})
	inModes(t, "F16", func(t *testing.T, o ...hop.Option) {
		x := random(4, 10, 3).T()
		check(t, "view", hop.AssociativeScan(add, x, o...), []int{3, 10}, numbers(hop.AssociativeScan(add, x.Clone(), o...))...)
	})
	inModes(t, "F17", func(t *testing.T, o ...hop.Option) {
		e := refusedWith(t, func() { hop.AssociativeScan(func(a, b T) T { a.AddInPlace(b); return a.Clone() }, f64(1, 2, 3), o...) }, "left element")
		has(t, e, hopcheck.MutatedOperand, hopcheck.Element, "")
	})
	inModes(t, "F18", func(t *testing.T, o ...hop.Option) {
		e := refusedWith(t, func() { hop.AssociativeScan(func(a, b T) T { return b }, f64(1, 2, 3), o...) }, "right element")
		has(t, e, hopcheck.OutputAliasesInput, hopcheck.Element, "")
	})
	inModes(t, "F20", func(t *testing.T, o ...hop.Option) {
		larger := func(a, b T) T {
			return hop.Cond(a.Gt(b), func(p [2]T) T { return p[0].Clone() }, func(p [2]T) T { return p[1].Clone() }, [2]T{a, b})
		}
		check(t, "running maximum", hop.AssociativeScan(larger, f64(3, 1, 4, 1, 5), o...), []int{5}, 3, 3, 4, 4, 5)
	})
	inModes(t, "F22", func(t *testing.T, o ...hop.Option) {
		type pair struct{ First, Second T }
		got := hop.AssociativeScan(func(a, b pair) pair { return pair{a.First.Add(b.First), a.Second.Add(b.Second)} }, pair{f64(0, 1, 2), f64(0, 10, 20)}, o...)
		check(t, "first", got.First, []int{3}, 0, 1, 3)
		check(t, "second", got.Second, []int{3}, 0, 10, 30)
	})
}
