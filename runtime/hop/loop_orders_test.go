package hop_test

import (
	"testing"

	"github.com/hoplint/hoplint/runtime/hop"
)

// Derivatives of every order of loops that are linear or linear by pieces, so that the second ones are zero, and of loops
// whose bodies choose elements by their values.

// ordersOf are derivatives of f, a function of a vector to one number, in every way: first ones and, with another meaning
// for each, second ones.
func ordersOf(f func(T) T) (first, second map[string]func(x T) T) {
	eager := map[string]func(T) T{
		"grad":          hop.Grad(f),
		"jacobian":      hop.Jacobian(f),
		"value of each": func(x T) T { return hop.Map(hop.Grad(f), x.Unsqueeze(0)).Squeeze(0) },
		"lanes":         func(x T) T { return hop.VMap(hop.Grad(f))(x.Unsqueeze(0)).Squeeze(0) },
		"directions": func(x T) T {
			return hop.VMap(func(u T) T { _, d := hop.JVP(f, x, u); return d })(hop.Eye(hop.Float64, x.Dim(0)))
		},
	}
	square := map[string]func(T) T{
		"hessian":          hop.Hessian(f),
		"jacobian of grad": hop.Jacobian(hop.Grad(f)),
		"grad of grads": func(x T) T {
			return hop.VMap(func(u T) T { return hop.Grad(func(x T) T { return hop.Grad(f)(x).Dot(u) })(x) })(hop.Eye(hop.Float64, x.Dim(0)))
		},
		"directions of grad": func(x T) T {
			return hop.VMap(func(u T) T { _, d := hop.JVP(hop.Grad(f), x, u); return d })(hop.Eye(hop.Float64, x.Dim(0))).T()
		},
	}
	for _, of := range []map[string]func(T) T{eager, square} {
		names := []string{}
		for name := range of {
			names = append(names, name)
		}
		for _, name := range names {
			of["compiled "+name] = hop.Must(hop.Compile(of[name]))
		}
	}
	return eager, square
}

func TestEveryOrderOfPiecewiseLinearLoops(t *testing.T) {
	three := hop.Length(3)
	double := func(s T) T {
		return hop.WhileLoop(func(s T) T { return s.Sum().LtScalar(10) }, func(s T) T { return s.MulScalar(2) }, s)
	}
	shifted := func(s T) T {
		return hop.WhileLoop(func(s T) T { return s.LtScalar(10) }, func(s T) T { return s.MulScalar(1.5).AddScalar(4) }, s)
	}
	for name, tc := range map[string]struct {
		f    func(T) T
		grad []float64 // at 1, -2, 3
	}{
		"while":         {func(x T) T { return double(x).Sum() }, []float64{8, 8, 8}},
		"while by lane": {func(x T) T { return hop.VMap(shifted)(x).Sum() }, []float64{2.25, 3.375, 2.25}},
		"while by item": {func(x T) T { return hop.Map(shifted, x).Sum() }, []float64{2.25, 3.375, 2.25}},
		"relu":          {func(x T) T { return hop.ForLoop(0, 3, func(_, c T) T { return c.Relu() }, x).Sum() }, []float64{1, 0, 1}},
		"where": {func(x T) T {
			return hop.ForLoop(0, 3, func(_, c T) T { return hop.Where(c.GtScalar(0), c.MulScalar(2), c.MulScalar(0.5)) }, x).Sum()
		}, []float64{8, 0.125, 8}},
		"cond": {func(x T) T {
			return hop.ForLoop(0, 3, func(_, c T) T {
				return hop.Cond(c.Sum().GtScalar(3), func(c T) T { return c.Neg() }, func(c T) T { return c.MulScalar(2) }, c)
			}, x).Sum()
		}, []float64{-4, -4, -4}},
		"gather": {func(x T) T {
			return hop.ForLoop(0, 3, func(_, c T) T { return c.Gather(0, c.ArgSort(0)) }, x).Mul(f64(1, 2, 3)).Sum()
		}, []float64{2, 1, 3}},
		"scan of length 3": {func(x T) T {
			c, ys := hop.Scan(func(c T, _ hop.None) (T, T) { c = c.Relu().MulScalar(3); return c, c.Clone() }, x, hop.None{}, three)
			return c.Sum().Add(ys.Sum())
		}, []float64{27 + 39, 0, 27 + 39}},
		"matmul": {func(x T) T {
			w := hop.Eye(hop.Float64, 3)
			return hop.ForLoop(0, 3, func(_, c T) T { return w.MatMul(c).Relu() }, x).Sum()
		}, []float64{1, 0, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			first, second := ordersOf(tc.f)
			x := f64(1, -2, 3)
			for how, d := range first {
				check(t, how, d(x), []int{3}, tc.grad...)
			}
			for how, d := range second {
				check(t, how, d(x), []int{3, 3}, make([]float64, 9)...)
			}
		})
	}
}

// TestEveryOrderOfBodiesWhoseSizesDependOnData: what a body chooses by value is chosen again in its derivatives, which
// have the values and the shapes of those of the same sum with a mask.
func TestEveryOrderOfBodiesWhoseSizesDependOnData(t *testing.T) {
	chosen := func(x T) T { return x.IndexSelect(0, x.GtScalar(0).Nonzero().Select(1, 0)) }
	masked := func(x T) T { return hop.Where(x.GtScalar(0), x, x.MulScalar(0)) }
	for name, loss := range map[string]func(pos func(T) T) func(T) T{
		"sum":     func(pos func(T) T) func(T) T { return func(x T) T { return pos(x).Square().Sum() } },
		"dot":     func(pos func(T) T) func(T) T { return func(x T) T { return pos(x).Dot(pos(x.MulScalar(2))) } },
		"product": func(pos func(T) T) func(T) T { return func(x T) T { return pos(x).Mul(pos(x).Sin()).Sum() } },
		"loop": func(pos func(T) T) func(T) T {
			return func(x T) T {
				return hop.ForLoop(0, 3, func(_, c T) T { return pos(x).Sum().Add(c.Mul(x.Sum())) }, x.Sum())
			}
		},
		"scan over rows": func(pos func(T) T) func(T) T {
			return func(x T) T {
				c, _ := hop.Scan(func(c, r T) (T, hop.None) { return c.Add(pos(r).Square().Sum().Mul(c)), hop.None{} }, s64(1), hop.Stack(0, x, x.Neg()))
				return c
			}
		},
		"while": func(pos func(T) T) func(T) T {
			return func(x T) T {
				return hop.WhileLoop(func(c T) T { return c.LtScalar(30) }, func(c T) T { return c.Add(pos(x).Mul(c).Sum()) }, pos(x).Sum())
			}
		},
		"cond": func(pos func(T) T) func(T) T {
			return func(x T) T {
				return hop.Cond(x.Sum().GtScalar(0), func(x T) T { return pos(x).Square().Sum() }, func(x T) T { return pos(x.Neg()).Sum() }, x)
			}
		},
		"map": func(pos func(T) T) func(T) T {
			return func(x T) T {
				return hop.Map(func(r T) T { return pos(r).Square().Sum() }, hop.Stack(0, x, x.Neg())).Sum()
			}
		},
		"checkpoint": func(pos func(T) T) func(T) T {
			return func(x T) T { return hop.Checkpoint(func(x T) T { return pos(x).Square().Sum() })(x) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			x := f64(1, -2, 3)
			first, second := ordersOf(loss(chosen))
			want1, want2 := ordersOf(loss(masked))
			for how, d := range first {
				check(t, how, d(x), []int{3}, numbers(want1["grad"](x))...)
			}
			for how, d := range second {
				check(t, how, d(x), []int{3, 3}, numbers(want2["hessian"](x))...)
			}
		})
	}
}

// TestDerivativesAtAPointThatIsFixed: the inner derivative is at a point that does not depend on the argument, and is part
// of the compiled graph all the same.
func TestDerivativesAtAPointThatIsFixed(t *testing.T) {
	x, w := f64(0.3, -0.2, 0.5), f64(0.3, 0.2, 0.5)
	loop := func(x T) T {
		_, y := hop.Scan(func(c, x T) (T, T) { return c.Add(x).MulScalar(0.6), c.Mul(x).CumSum(0) }, x.Outer(w).Sum(0).Add(x.Square()), hop.Stack(0, x, w, x.Square()))
		return y.Sum(0)
	}
	for name, point := range map[string]func(T) T{
		"captured":   func(T) T { return w.MulScalar(0.5) },
		"checkpoint": hop.Checkpoint(func(T) T { return w.MulScalar(0.5) }),
		"subgraph":   hop.Subgraph("point", func(T) T { return w.MulScalar(0.5) }),
		"cond": func(x T) T {
			return hop.Cond(x.Sum().GtScalar(0), func(T) T { return w.MulScalar(0.5) }, func(T) T { return w.MulScalar(0.5) }, x)
		},
	} {
		for how, inner := range map[string]func(T) T{"loop": loop, "square": func(x T) T { return x.Square() }} {
			f := func(x T) T { return hop.Grad(func(x T) T { return inner(x).Mul(w).Sum() })(point(x.Sin())).Sum() }
			first, second := ordersOf(f)
			for order, d := range first {
				check(t, name+", "+how+", "+order, d(x), []int{3}, 0, 0, 0)
			}
			for order, d := range second {
				check(t, name+", "+how+", "+order, d(x), []int{3, 3}, make([]float64, 9)...)
			}
		}
	}
}

// A derivative of a loop without elements says which op has nothing to choose from, as the loop does.
func TestDerivativesOfLoopsWithoutElements(t *testing.T) {
	f := func(x T) T {
		return hop.WhileLoop(func(c T) T { return c.Max().LtScalar(10) }, func(c T) T { return c.MulScalar(2) }, x).Sum()
	}
	empty := hop.Zeros(hop.Float64, 0)
	for name, d := range map[string]func(T) T{"grad": hop.Grad(f), "hessian": hop.Hessian(f)} {
		refusedWith(t, func() { d(empty) }, "Max: no elements", "guard the empty case")
		c := hop.NewCompiled(d, hop.WithDims("x", "N"))
		for _, x := range []T{empty, f64(3), empty} { // traced without elements, and run so
			_, err := c.Call(x)
			if x.Dim(0) == 0 {
				says(t, err, "loop_orders_test.go", "Max: no elements", "guard the empty case")
			} else if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		c = hop.NewCompiled(d, hop.WithDims("x", "N"))
		if _, err := c.Call(f64(3)); err != nil {
			t.Fatal(err)
		}
		_, err := c.Call(empty)
		says(t, err, "loop_orders_test.go", "Max: no elements", "guard the empty case")
	}
}

// A way over the steps of a while loop that has no gradient is gone all the same: each turns the direction round.
func TestDirectionsOfGradientsOfLoopsInAScan(t *testing.T) {
	type state struct{ N, X T }
	w := f64(0.201, -0.479, 0.371)
	inner := func(x T) T {
		s := hop.WhileLoop(func(s state) T { return s.N.LtScalar(4).And(s.X.Sum().LtScalar(3)) }, func(s state) state {
			chosen := hop.Where(s.X.GtScalar(0.5), s.X, s.X.MulScalar(0)).Sum().Mul(w)
			return state{s.N.AddScalar(1), chosen.Add(s.X).MulScalar(0.2).Add(w)}
		}, state{hop.Scalar(int64(0)), x})
		return s.X
	}
	f := func(x T) T {
		c, ys := hop.Scan(func(c, r T) (T, T) {
			c = c.Add(r)
			return inner(c).MulScalar(0.5).Add(c), c.MulScalar(-0.3).Sin().Mul(r)
		}, x, hop.Stack(0, x, w, x.Sin()))
		return c.Add(ys.Sum(0)).Mul(w).Sum()
	}
	x := f64(0.0483, 1.1899, 0.0367)
	_, second := ordersOf(f)
	want := numbers(hop.Hessian(f)(x))
	for how, d := range second {
		check(t, how, d(x), []int{3, 3}, want...)
	}
}
