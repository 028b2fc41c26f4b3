package hop_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

// weights is a pytree with all that a gradient has to leave alone.
type weights struct {
	A, Unused T
	Steps     T // integers
	Nothing   T // nil
	List      []T
	Named     map[string]T
	Rate      float64 `hop:"static"`
}

func someWeights() weights {
	return weights{A: f64(1, 2), Unused: f64(7), Steps: i64(3), List: []T{s64(5), s64(6)}, Named: map[string]T{"b": f64(2, 3)}, Rate: 0.5}
}

func lossOfWeights(w weights) T {
	return w.A.Mul(w.Named["b"]).Sum().Mul(w.List[1]).Add(w.Steps.To(hop.Float64).Sum()).MulScalar(w.Rate)
}

func checkWeights(t *testing.T, g weights) {
	t.Helper()
	check(t, ".A", g.A, []int{2}, 6, 9)
	check(t, ".Unused", g.Unused, []int{1}, 0)
	check(t, ".List[0]", g.List[0], []int{}, 0)
	check(t, ".List[1]", g.List[1], []int{}, 4)
	check(t, `.Named["b"]`, g.Named["b"], []int{2}, 3, 6)
	if g.Steps != nil || g.Nothing != nil {
		t.Errorf("gradients of integers and of nil are %v and %v, want nil", g.Steps, g.Nothing)
	}
	if g.Rate != 0.5 {
		t.Errorf("static field is %v, want it unchanged", g.Rate)
	}
}

func TestGradientsHaveTheStructureOfTheArgument(t *testing.T) {
	checkWeights(t, hop.Grad(lossOfWeights)(someWeights()))
	value, g := hop.ValueAndGrad(lossOfWeights)(someWeights())
	check(t, "value", value, []int{}, 25.5)
	checkWeights(t, g)
	value, aux, g := hop.ValueAndGradAux(func(w weights) (T, []T) { return lossOfWeights(w), []T{w.Steps.Neg(), w.A.Neg()} })(someWeights())
	check(t, "value", value, []int{}, 25.5)
	check(t, "aux[0]", aux[0], []int{1}, -3)
	check(t, "aux[1]", aux[1], []int{2}, -1, -2)
	checkWeights(t, g)
	y, pull := hop.VJP(func(w weights) []T { return []T{w.A.Mul(w.Named["b"]).Mul(w.List[1]), w.Steps.Neg()} }, someWeights())
	check(t, "y", y[0], []int{2}, 12, 36)
	checkWeights(t, pull([]T{f64(0.5, 0.5), nil}))
	checkWeights(t, pull([]T{f64(0.5, 0.5), i64(1)}))
	zero := pull([]T{nil, nil})
	check(t, ".A for no cotangent", zero.A, []int{2}, 0, 0)
}

func TestFunctionsRunOnce(t *testing.T) {
	calls := 0
	f := func(x T) T { calls++; return x.Mul(x).Sum() }
	x := f64(1, 2)
	for _, tc := range []struct {
		name string
		run  func()
	}{
		{"Grad", func() { hop.Grad(f)(x) }},
		{"ValueAndGrad", func() { hop.ValueAndGrad(f)(x) }},
		{"VJP and two cotangents", func() { _, pull := hop.VJP(f, x); pull(s64(1)); pull(s64(2)) }},
		{"JVP", func() { hop.JVP(f, x, x) }},
		{"Jacobian", func() { hop.Jacobian(f)(x) }},
		{"Hessian", func() { hop.Hessian(f)(x) }},
		{"CheckGrad", func() { _ = hop.CheckGrad(f, x) }},
		{"Grad of Grad", func() { hop.Grad(func(x T) T { return hop.Grad(f)(x).Sum() })(x) }},
		{"in a traced body", func() {
			hop.Scan(func(c, x T) (T, hop.None) { return hop.Grad(f)(c.Mul(x)).Clone(), hop.None{} }, s64(1), f64(1, 2, 3))
		}},
	} {
		calls = 0
		tc.run()
		if calls != 1 {
			t.Errorf("%s calls its function %d times, want 1", tc.name, calls)
		}
	}
}

// TestNestedDerivativesAreNotConfused are the classic traps: an inner derivative must not see the outer variable's own
// perturbation, and must not lose it either.
func TestNestedDerivativesAreNotConfused(t *testing.T) {
	for _, tc := range []struct {
		name string
		f    func(x T) T // Grad of it at 1 is wanted
		want float64
	}{
		{"x · d/dy (x + y)", func(x T) T { return x.Mul(hop.Grad(func(y T) T { return x.Add(y) })(s64(1))) }, 1},
		{"x · d/dy (x · y)", func(x T) T { return x.Mul(hop.Grad(func(y T) T { return x.Mul(y) })(s64(1))) }, 2},
		{"d/dy (x·y² + x²·y) at y = x", func(x T) T {
			return hop.Grad(func(y T) T { return x.Mul(y).Mul(y).Add(x.Mul(x).Mul(y)) })(x)
		}, 6}, // 2xy + x² = 3x²
		{"derivative by a constant", func(x T) T { return hop.Grad(func(y T) T { return x.Mul(x) })(s64(4)).Add(x) }, 1},
		{"three levels", func(x T) T {
			return hop.Grad(func(y T) T { return hop.Grad(func(z T) T { return x.Mul(y).Mul(y).Mul(z).Mul(z) })(x.Mul(y)) })(x)
		}, 24}, // d/dz at z = xy: 2x·y²·xy = 2x²y³; by y: 6x²y² at y = x: 6x⁴; by x: 24x³
		{"direction", func(x T) T {
			_, d := hop.JVP(func(y T) T { return y.Mul(y).Mul(x) }, x, x) // 2x³
			return d
		}, 6},
		{"in a scan", func(x T) T {
			c, _ := hop.Scan(func(c, s T) (T, hop.None) {
				return c.Add(hop.Grad(func(y T) T { return y.Mul(y).Mul(x).Mul(s) })(x)), hop.None{} // 2x²·s
			}, x.MulScalar(0), f64(1, 2))
			return c
		}, 12},
	} {
		t.Run(tc.name, func(t *testing.T) {
			check(t, "derivative at 1", hop.Grad(tc.f)(s64(1)), []int{}, tc.want)
			x := s64(1).SetRequiresGrad(true)
			tc.f(x).Backward()
			check(t, "by Backward", x.Grad(), []int{}, tc.want)
			inModes(t, "in a body", func(t *testing.T, o ...hop.Option) {
				c, _ := hop.Scan(func(c, x T) (T, hop.None) { return hop.Grad(tc.f)(c), hop.None{} }, s64(1), f64(0), o...)
				check(t, "in a body", c, []int{}, tc.want)
			})
		})
	}
}

func TestLeavesAndOuterGraphsAreLeftAlone(t *testing.T) {
	w, x := s64(3).SetRequiresGrad(true), s64(5).SetRequiresGrad(true)
	w.Mul(x).Backward()
	f := func(x T) T { return x.Mul(x).Mul(w) }
	g := hop.Grad(f)(x)
	check(t, "gradient", g, []int{}, 30)
	check(t, "w.Grad before Backward", w.Grad(), []int{}, 5)
	check(t, "x.Grad before Backward", x.Grad(), []int{}, 3)
	if !g.RequiresGrad() || !w.RequiresGrad() || !x.RequiresGrad() {
		t.Error("the gradient, or an operand, no longer requires grad")
	}
	g.Backward() // 2xw
	check(t, "w.Grad", w.Grad(), []int{}, 5+10)
	check(t, "x.Grad", x.Grad(), []int{}, 3+6)
	plain := hop.Grad(func(x T) T { return x.Mul(x) })(s64(5))
	if plain.RequiresGrad() {
		t.Error("a gradient requires grad though no operand does")
	}
	plain.AddInPlace(w) // and is a tensor like any other
	plain.Backward()
	check(t, "w.Grad through a write", w.Grad(), []int{}, 16)
}

// TestResultsAreFresh: they share storage neither with each other nor with what the caller passed.
func TestResultsAreFresh(t *testing.T) {
	x := f64(2)
	type pair struct{ A, B T }
	value, g := hop.ValueAndGrad(func(x T) T { return x })(x)
	sum := hop.Grad(func(p pair) T { return p.A.Add(p.B).Sum() })(pair{f64(1, 2), f64(3, 4)})
	y, pull := hop.VJP(func(p pair) T { return p.A.Add(p.B) }, pair{f64(1, 2), f64(3, 4)})
	ct := f64(1, 1)
	both := pull(ct)
	all := []T{x, value, g, sum.A, sum.B, y, ct, both.A, both.B}
	for i, a := range all {
		for j, b := range all[:i] {
			if a.SharesStorage(b) {
				t.Errorf("tensors %d and %d share storage", j, i)
			}
		}
	}
	sum.A.AddInPlace(sum.B).Narrow(0, 0, 1).Zero()
	check(t, "a gradient can be written", sum.A, []int{2}, 0, 2)
}

func TestDirectionsAndMatrices(t *testing.T) {
	f := func(x T) T { return hop.Stack(0, x.Select(0, 0).Mul(x.Select(0, 1)), x.Select(0, 1).Sin(), x.Sum()) }
	x := f64(2, 0.5, 3)
	rows := []float64{0.5, 2, 0, 0, math.Cos(0.5), 0, 1, 1, 1}
	check(t, "Jacobian", hop.Jacobian(f)(x), []int{3, 3}, rows...)
	y, d := hop.JVP(f, x, f64(1, 10, 100))
	check(t, "y", y, []int{3}, 1, math.Sin(0.5), 5.5)
	check(t, "direction", d, []int{3}, 20.5, 10*math.Cos(0.5), 111)
	check(t, "Jacobian of a matrix", hop.Jacobian(func(m T) T { return m.T().Clone() })(f64(1, 2).View(1, 2)), []int{2, 1, 1, 2}, 1, 0, 0, 1)
	check(t, "Jacobian of nothing", hop.Jacobian(func(x T) T { return x.MulScalar(2) })(hop.Zeros(hop.Float64, 0)), []int{0, 0})
	check(t, "Hessian", hop.Hessian(func(x T) T { return f(x).Select(0, 0).Add(x.Select(0, 2).Square()) })(x), []int{3, 3}, 0, 1, 0, 1, 0, 0, 0, 0, 2)
	check(t, "Hessian of a linear function", hop.Hessian(func(x T) T { return x.Sum() })(x), []int{3, 3}, make([]float64, 9)...)
	type pair struct{ A, N T }
	_, dy := hop.JVP(func(p pair) pair { return pair{p.A.MulScalar(3), p.N.Neg()} }, pair{x, i64(1)}, pair{f64(1, 0, 0), nil})
	check(t, "direction of floats", dy.A, []int{3}, 3, 0, 0)
	if dy.N != nil {
		t.Errorf("direction of integers is %v, want nil", dy.N)
	}
}

// TestThirdDerivativesInEveryWay: the ways to take one agree.
func TestThirdDerivativesInEveryWay(t *testing.T) {
	f := func(x T) T { return x.Sin().Mul(x.Exp()) }
	d := hop.Grad(f)
	dd := hop.Grad(d)
	ddd := hop.Grad(dd)
	want := numbers(ddd(s64(0.7)))
	fourth := 2 * math.Exp(0.7) * (math.Cos(0.7) - math.Sin(0.7)) // (sin·exp)''' = 2e^x(cos - sin)
	if math.Abs(want[0]-fourth) > 1e-12 {
		t.Fatalf("third derivative is %v, want %v", want[0], fourth)
	}
	_, viaJVP := hop.JVP(dd, s64(0.7), s64(1))
	check(t, "JVP of second", viaJVP, []int{}, want...)
	check(t, "Hessian of first", hop.Hessian(d)(s64(0.7)), []int{}, want...)
	check(t, "Jacobian of second", hop.Jacobian(dd)(s64(0.7)), []int{}, want...)
	x := s64(0.7).SetRequiresGrad(true)
	dd(x).Backward()
	check(t, "Backward of second", x.Grad(), []int{}, want...)
	_, push := hop.JVP(func(x T) T { _, d := hop.JVP(d, x, s64(1)); return d }, s64(0.7), s64(1))
	check(t, "JVP of JVP of first", push, []int{}, want...)
}

func TestDerivativesInBodies(t *testing.T) {
	f := func(x T) T { return x.Mul(x).Mul(x).Sum() }
	for _, tc := range []struct {
		name string
		step func(c, x T) T
		want float64 // from c = 1 over xs = 1, 2
	}{
		{"Grad", func(c, x T) T { return hop.Grad(f)(c.Mul(x)) }, 108},
		{"Hessian", func(c, x T) T { return hop.Hessian(f)(c.Mul(x)) }, 72},
		{"Jacobian", func(c, x T) T {
			return hop.Jacobian(func(v T) T { return v.Mul(v).Mul(c) })(hop.Stack(0, x, x)).Sum()
		}, 32},
		{"JVP", func(c, x T) T { _, d := hop.JVP(f, c, x); return d }, 54},
		{"VJP", func(c, x T) T { _, pull := hop.VJP(f, c); return pull(x).Add(pull(x)) }, 432},
		{"of a scan", func(c, x T) T {
			return hop.Grad(func(c T) T {
				out, _ := hop.Scan(func(h, s T) (T, hop.None) { return h.Mul(s).Mul(c), hop.None{} }, c, hop.Stack(0, x, x))
				return out
			})(c)
		}, 108},
		{"of a function that writes", func(c, x T) T {
			return hop.Grad(func(c T) T {
				buf := hop.Zeros(hop.Float64, 2)
				buf.Select(0, 0).CopyFrom(c.Mul(c))
				buf.Select(0, 1).CopyFrom(buf.Select(0, 0).Mul(x))
				return buf.MulInPlace(c).Sum() // c³(1+x)
			})(c)
		}, 324},
	} {
		inModes(t, tc.name, func(t *testing.T, o ...hop.Option) {
			c, _ := hop.Scan(func(c, x T) (T, hop.None) { return tc.step(c, x).Clone(), hop.None{} }, s64(1), f64(1, 2), o...)
			check(t, "carry", c, []int{}, tc.want)
			// And the derivative of that, against finite differences.
			value := func(init float64) float64 {
				c, _ := hop.Scan(func(c, x T) (T, hop.None) { return tc.step(c, x).Clone(), hop.None{} }, s64(init), f64(1, 2), o...)
				return numbers(c)[0]
			}
			init := s64(1).SetRequiresGrad(true)
			c, _ = hop.Scan(func(c, x T) (T, hop.None) { return tc.step(c, x).Clone(), hop.None{} }, init, f64(1, 2), o...)
			c.Backward()
			want := (value(1+1e-5) - value(1-1e-5)) / 2e-5
			near(t, "derivative", init.Grad(), 1e-6*math.Abs(want), want)
		})
	}
}

func TestDifferentiatedFunctionsKeepTheirContract(t *testing.T) {
	w := f64(1, 2)
	x := f64(3, 4)
	type pair struct{ A, B T }
	for _, tc := range []struct {
		name string
		run  func()
		code hopcheck.Code
		want []string
	}{
		{"writes its operand", func() { hop.Grad(func(x T) T { return x.AddInPlace(w).Sum() })(x) }, hopcheck.MutatedOperand, []string{"grad: ", "operand", "AddInPlace"}},
		{"writes a leaf of it", func() { hop.Grad(func(p pair) T { return p.B.MulInPlace(p.A).Sum() })(pair{x, w}) }, hopcheck.MutatedOperand, []string{"operand.B", "MulInPlace"}},
		{"writes through a view", func() { hop.Hessian(func(x T) T { x.Narrow(0, 0, 1).Zero(); return x.Sum() })(x) }, hopcheck.MutatedOperand, []string{"hessian: ", "Zero"}},
		{"writes a captured tensor", func() { hop.Grad(func(x T) T { return w.AddInPlace(x).Sum() })(x) }, hopcheck.MutatedCaptured, []string{"captured"}},
		{"stores into a container", func() { hop.Grad(func(l []T) T { l[0] = l[1]; return l[0].Sum() })([]T{x, w}) }, hopcheck.MutatedOperand, []string{"operand[0]"}},
		{"returns its operand", func() { hop.VJP(func(x T) T { return x.View(2) }, x) }, hopcheck.OutputAliasesInput, []string{"vjp: ", "Clone()"}},
		{"returns it as aux", func() { hop.ValueAndGradAux(func(x T) (T, T) { return x.Sum(), x })(x) }, hopcheck.OutputAliasesInput, []string{"value_and_grad_aux: ", "aux output"}},
		{"returns a captured tensor", func() { hop.JVP(func(x T) pair { return pair{x.Neg(), w} }, x, x) }, hopcheck.OutputAliasesCaptured, []string{"jvp: ", "output.B"}},
		{"returns one storage twice", func() { hop.VJP(func(x T) pair { y := x.Neg(); return pair{y, y.T()} }, x) }, hopcheck.OutputsAlias, []string{"output.A", "output.B"}},
		{"reads a value", func() { hop.Jacobian(func(x T) T { return x.MulScalar(hop.ItemAt[float64](x, 0)) })(x) }, hopcheck.DataDependentControlFlow, []string{"jacobian: ", "ItemAt"}},
		{"uses a leaked tensor", func() {
			var leaked T
			hop.Grad(func(x T) T { leaked = x.Neg(); return x.Sum() })(x)
			leaked.Sum()
		}, hopcheck.LeakedTensor, []string{"grad"}},
		{"an operand that is no pytree", func() { hop.Grad(func(c chan int) T { return w })(nil) }, hopcheck.UnsupportedLeaf, []string{"argument", "chan int"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := refusedWith(t, tc.run, tc.want...)
			if !errors.Is(e, tc.code) {
				t.Errorf("got %v, want %s", e, string(tc.code))
			}
			if fmt.Sprint(w, x) != "[1 2] [3 4]" || w.Version() != 0 || x.Version() != 0 {
				t.Errorf("tensors are %+v and %+v after the refusal", w, x)
			}
			if !strings.HasPrefix(e.Error(), "functional_grad_test.go:") {
				t.Errorf("got %q, want a position in this file", e.Error())
			}
		})
	}
}

func TestMisuseOfTheFunctionalFamily(t *testing.T) {
	x := f64(3, 4)
	id := func(x T) T { return x.Clone() }
	for _, tc := range []struct {
		name string
		run  func()
		want []string
	}{
		{"nil function", func() { hop.Grad[T](nil)(x) }, []string{"grad: ", "function is nil"}},
		{"nil function of VJP", func() { hop.VJP[T, T](nil, x) }, []string{"vjp: ", "function is nil"}},
		{"nil result", func() { hop.Grad(func(T) T { return nil })(x) }, []string{"gives nil"}},
		{"vector result", func() { hop.Grad(id)(x) }, []string{"float64[2]", "Sum"}},
		{"integer result", func() { hop.Grad(func(x T) T { return x.ArgMax(0) })(x) }, []string{"int64[]", "To(Float64)"}},
		{"Jacobian by integers", func() { hop.Jacobian(id)(i64(1)) }, []string{"jacobian: ", "int64[1]"}},
		{"Jacobian of integers", func() { hop.Jacobian(func(x T) T { return x.ArgMax(0) })(x) }, []string{"jacobian: ", "int64[]"}},
		{"cotangent of another shape", func() { _, pull := hop.VJP(id, x); pull(f64(1, 2, 3)) }, []string{"vjp: ", "cotangent operand is float64[3]", "output is float64[2]", "HOP201"}},
		{"cotangent of another dtype", func() { _, pull := hop.VJP(id, x); pull(hop.Zeros(hop.Float32, 2)) }, []string{"float32[2]", "float64[2]"}},
		{"cotangent of another structure", func() {
			_, pull := hop.VJP(func(x T) []T { return []T{x.Neg(), x.Exp()} }, x)
			pull([]T{x})
		}, []string{"slice of length 1", "slice of length 2"}},
		{"direction of another shape", func() { hop.JVP(id, x, f64(1)) }, []string{"jvp: ", "direction operand is float64[1]", "operand is float64[2]"}},
		{"Backward in the function", func() { hop.Grad(func(x T) T { x.Sum().Backward(); return x.Sum() })(x) }, []string{"Backward", "use Grad"}},
		{"SetRequiresGrad in the function", func() { hop.Grad(func(x T) T { x.SetRequiresGrad(true); return x.Sum() })(x) }, []string{"SetRequiresGrad", "traced"}},
	} {
		t.Run(tc.name, func(t *testing.T) { refusedWith(t, tc.run, tc.want...) })
	}
}

func TestCheckGradFindsWrongDerivatives(t *testing.T) {
	type pair struct{ A, B T }
	wrong := hop.CustomVJP(func(p pair) (T, pair) { return p.A.Mul(p.B).Sum(), p },
		func(p pair, dy T) pair { return pair{p.B.Mul(dy), p.A.Mul(dy).Mul(f64(1, 3))} })
	x := pair{f64(1, 2), f64(3, 4)}
	for _, tc := range []struct {
		name string
		err  error
		want []string
	}{
		{"right", hop.CheckGrad(func(p pair) T { return p.A.Mul(p.B.Exp()).Sum() }, x), nil},
		{"wrong", hop.CheckGrad(wrong, x), []string{"check_grad: ", "operand.B at [1] is 6", "difference is 2"}},
		{"kink", hop.CheckGrad(func(x T) T { return x.Abs().Sum() }, f64(1, 1e-9)), []string{"operand at [1] is 1", "kink"}},
		{"NaN", hop.CheckGrad(func(x T) T { return x.Log().Sum() }, f64(-1)), []string{"NaN"}},
		{"float32", hop.CheckGrad(func(x T) T { return x.Sin().Mul(x).Sum().AddScalar(100) }, hop.FromSlice([]float32{0.1, 2, -30})), nil},
		{"large values", hop.CheckGrad(func(x T) T { return x.Square().Sum() }, f64(1e8, 1e-8, 0)), nil},
		{"integers are fixed", hop.CheckGrad(func(p pair) T { return p.A.Mul(p.B.To(hop.Float64)).Sum() }, pair{f64(1), i64(3)}), nil},
		{"no scalar", hop.CheckGrad(func(x T) T { return x.Neg() }, f64(1, 2)), []string{"float64[2]"}},
		{"refused body", hop.CheckGrad(func(x T) T { return x.Zero().Sum() }, f64(1, 2)), []string{"HOP103"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if (tc.err != nil) != (tc.want != nil) {
				t.Fatalf("got %v", tc.err)
			}
			for _, w := range tc.want {
				if !strings.Contains(tc.err.Error(), w) {
					t.Errorf("got %q, want a part %q", tc.err, w)
				}
			}
		})
	}
}

// TestStaleSavedTensorsNameBothPlaces is HOP601 with both versions and both positions.
func TestStaleSavedTensorsNameBothPlaces(t *testing.T) {
	x := f64(1, 2).SetRequiresGrad(true)
	y := x.MulScalar(2)
	z := y.Mul(y).Sum()
	y.Narrow(0, 0, 1).MulScalarInPlace(3)
	e := refused(t, func() { z.Backward() })
	saved := fmt.Sprintf("functional_grad_test.go:%d", e.Position.Line)
	written := fmt.Sprintf("functional_grad_test.go:%d", e.Position.Line+1)
	want := saved + ": operand 1 float64[2] of Mul, saved for backward at " + saved + ", was written through MulScalarInPlace at " + written + ": version 0 when saved, 1 now (HOP601)"
	if !strings.HasPrefix(e.Error(), want) || !errors.Is(e, hopcheck.StaleSavedTensor) {
		t.Errorf("got  %s\nwant %s…", e, want)
	}
}

// TestSavedTensorsMayBeWrittenByTheOpThatReadsThem: an in-place op keeps what its derivative reads of the old elements.
func TestSavedTensorsMayBeWrittenByTheOpThatReadsThem(t *testing.T) {
	for _, tc := range []struct {
		name string
		f    func(y, x T) T
		want []float64 // at x = 1, 2 with y = 2x
	}{
		{"MulInPlace", func(y, x T) T { return y.MulInPlace(x) }, []float64{4, 8}},
		{"by itself", func(y, _ T) T { return y.MulInPlace(y) }, []float64{8, 16}},
		{"SquareInPlace", func(y, _ T) T { return y.SquareInPlace() }, []float64{8, 16}},
		{"twice", func(y, x T) T { return y.MulInPlace(x).MulInPlace(x) }, []float64{6, 24}},
		{"through a view", func(y, x T) T { y.Narrow(0, 1, 1).MulInPlace(x.Narrow(0, 1, 1)); return y }, []float64{2, 8}},
	} {
		x := f64(1, 2).SetRequiresGrad(true)
		tc.f(x.MulScalar(2), x).Sum().Backward()
		check(t, tc.name, x.Grad(), []int{2}, tc.want...)
	}
}

// TestDerivativesRunConcurrently: functions on several goroutines may share tensors that they read (run with -race).
func TestDerivativesRunConcurrently(t *testing.T) {
	w := f64(1, 2).SetRequiresGrad(true)
	var all sync.WaitGroup
	got := make([]T, 8)
	for i := range got {
		all.Go(func() {
			f := hop.Checkpoint(func(x T) T { return x.Mul(w).Mul(w.Detach()) })
			got[i] = hop.Grad(func(x T) T { return f(x).Mul(x).Sum() })(f64(3, 4))
		})
	}
	all.Wait()
	for _, g := range got {
		check(t, "gradient", g, []int{2}, 6, 32)
	}
}
