package hop_test

import (
	"math"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

// TestVMap is part N of the map cases; every row also says that f of each lane alone gives the same.
func TestVMap(t *testing.T) {
	type args struct{ Init, Xs, W T }
	scan := func(a args) [2]T {
		c, ys := hop.Scan(func(c, x T) (T, T) { n := c.Mul(a.W).Add(x); return n, n.Clone() }, a.Init, a.Xs)
		return [2]T{c, ys}
	}
	inModes(t, "N1", func(t *testing.T, o ...hop.Option) {
		const lanes = 3
		for bits := 1; bits < 8; bits++ {
			axis := func(k int) int {
				if bits>>k&1 == 1 {
					return 0
				}
				return hop.NoAxis
			}
			x := args{random(1, lanes), random(2, lanes, 4), random(3, lanes)}
			lane := func(v T, k, i int) T {
				if axis(k) == 0 {
					return v.Select(0, i)
				}
				return v.Select(0, 1)
			}
			batched := func(v T, k int) T {
				if axis(k) == 0 {
					return v
				}
				return v.Select(0, 1)
			}
			got := hop.VMap(scan, with(o, hop.InAxes(axis(0), axis(1), axis(2)))...)(args{batched(x.Init, 0), batched(x.Xs, 1), batched(x.W, 2)})
			for i := range lanes {
				want := scan(args{lane(x.Init, 0, i), lane(x.Xs, 1, i), lane(x.W, 2, i)})
				check(t, "carry", got[0].Select(0, i), []int{}, numbers(want[0])...)
				check(t, "ys", got[1].Select(0, i), []int{4}, numbers(want[1])...)
			}
		}
	})
	inModes(t, "N3", func(t *testing.T, o ...hop.Option) {
		x := random(4, 4, 3)
		got := hop.VMap(func(v T) T { return v.CumSum(0) }, with(o, hop.InAxes(1), hop.OutAxes(-1))...)(x)
		check(t, "ys", got, []int{4, 3}, numbers(x.CumSum(0))...)
	})
	inModes(t, "N4", func(t *testing.T, o ...hop.Option) {
		type lane struct{ N, X T }
		count := hop.VMap(func(l lane) T {
			return hop.WhileLoop(func(c [2]T) T { return c[0].GtScalar(0) }, func(c [2]T) [2]T { return [2]T{c[0].SubScalar(1), c[1].MulScalar(2)} }, [2]T{l.N, l.X})[1]
		}, o...)
		check(t, "x", count(lane{f64(3, 0, 5), f64(1, 10, 1)}), []int{3}, 8, 10, 32)
	})
	inModes(t, "N5", func(t *testing.T, o ...hop.Option) {
		f := func(x T) T {
			return hop.Cond(x.GtScalar(0), func(x T) T { return x.Log() }, func(x T) T { return x.MulScalar(3) }, x)
		}
		x := f64(1, -2, math.E, 0).SetRequiresGrad(true)
		y := hop.VMap(f, o...)(x)
		check(t, "y", y, []int{4}, 0, -6, 1, 0)
		y.Sum().Backward()
		check(t, "gradient", x.Grad(), []int{4}, 1, 3, 1/math.E, 3)
		p := hop.Scalar(false)
		z := hop.VMap(func(x T) T {
			return hop.Cond(p, func(x T) T { return x.Exp() }, func(x T) T { return x.Neg() }, x)
		}, o...)(f64(1, 2))
		check(t, "unbatched predicate", z, []int{2}, -1, -2)
	})
	inModes(t, "N6", func(t *testing.T, o ...hop.Option) {
		w := f64(5, 6)
		f := func(x T) [2]T { return [2]T{x.Neg(), w.Add(w)} }
		got := hop.VMap(f, with(o, hop.OutAxes(0, hop.NoAxis))...)(f64(1, 2, 3))
		check(t, "batched", got[0], []int{3}, -1, -2, -3)
		check(t, "given once", got[1], []int{2}, 10, 12)
		refusedWith(t, func() { hop.VMap(f, with(o, hop.OutAxes(hop.NoAxis))...)(f64(1, 2, 3)) }, "y[0]", "depends on the lane")
	})
	inModes(t, "N7", func(t *testing.T, o ...hop.Option) {
		table := hop.VMap(func(n T) T {
			return hop.VMap(func(x T) T {
				got := hop.WhileLoop(func(c [2]T) T { return c[0].Lt(n) }, func(c [2]T) [2]T { return [2]T{c[0].AddScalar(1), c[1].AddScalar(1)} }, [2]T{s64(0), x})
				return got[1]
			})(f64(0, 1, 2))
		}, o...)
		check(t, "table", table(f64(0, 1, 2, 3)), []int{4, 3}, 0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 5)
	})
	inModes(t, "H7", func(t *testing.T, o ...hop.Option) {
		branches := []func(T) T{func(x T) T { return x.AddScalar(1) }, func(x T) T { return x.SubScalar(2) }, func(x T) T { return x.AddScalar(3) }}
		type lane struct{ I, X T }
		got := hop.VMap(func(l lane) T { return hop.Switch(l.I, branches, l.X) }, o...)(lane{i64(0, 1, 2, 7), f64(5, 5, 5, 5)})
		check(t, "per lane", got, []int{4}, 6, 3, 8, 8)
	})
	inModes(t, "shared weights", func(t *testing.T, o ...hop.Option) {
		type layer struct{ X, W T }
		x, w := random(5, 4, 3).SetRequiresGrad(true), random(6, 3, 2).SetRequiresGrad(true)
		f := func(l layer) T { return l.X.MatMul(l.W).Tanh() }
		y := hop.VMap(f, with(o, hop.InAxes(0, hop.NoAxis))...)(layer{x, w})
		want := x.MatMul(w).Tanh()
		check(t, "y", y, []int{4, 2}, numbers(want)...)
		y.Sum().Backward()
		gx, gw := numbers(x.Grad()), numbers(w.Grad())
		x.ZeroGrad()
		w.ZeroGrad()
		want.Sum().Backward()
		check(t, "dx", x.Grad(), []int{4, 3}, gx...)
		check(t, "dw", w.Grad(), []int{3, 2}, gw...)
	})
	inModes(t, "contract", func(t *testing.T, o ...hop.Option) {
		type layer struct{ X, W T }
		x := layer{random(1, 2, 3), random(2, 3)}
		axes := with(o, hop.InAxes(0, hop.NoAxis))
		e := refused(t, func() { hop.VMap(func(l layer) T { l.W.Zero(); return l.X.Neg() }, axes...)(x) })
		has(t, e, hopcheck.MutatedX, hopcheck.X, ".W")
		e = refused(t, func() { hop.VMap(func(l layer) T { return l.X }, axes...)(x) })
		has(t, e, hopcheck.OutputAliasesInput, hopcheck.X, ".X")
		refusedWith(t, func() { hop.VMap(func(l layer) T { return l.X.Neg() }, with(o, hop.InAxes(hop.NoAxis))...)(x) }, "no leaf of x is batched")
		refusedWith(t, func() { hop.VMap(func(l layer) T { return l.X.Neg() }, o...)(x) }, "x.W has 3 lanes", "x.X has 2")
		refusedWith(t, func() { hop.VMap(func(l layer) T { return l.X.Neg() }, with(o, hop.InAxes(0, 1, 2))...)(x) }, "3 axes to 2 leaves")
	})
	inModes(t, "no lanes", func(t *testing.T, o ...hop.Option) {
		check(t, "y", hop.VMap(func(x T) T { return x.Unsqueeze(0).Clone() }, o...)(hop.Zeros(hop.Float64, 0, 2)), []int{0, 1, 2})
	})
}
