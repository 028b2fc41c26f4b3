package hop_test

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hoplint/hoplint/runtime/hop"
)

// orders draws functions of a vector of three: operators in each other, whose bodies are linear, linear by pieces or
// smooth. text says what was drawn.
type orders struct {
	*rapid.T
	text strings.Builder
}

func (o *orders) one(label string, of ...string) string {
	return of[rapid.IntRange(0, len(of)-1).Draw(o.T, label)]
}

func (o *orders) number(label string) float64 {
	return float64(rapid.IntRange(-9, 9).Draw(o.T, label))*0.17 + 0.031
}

func (o *orders) vector() T { return f64(o.number("v0"), o.number("v1"), o.number("v2")) }

// function draws one; inner bounds how deep operators lie in it.
func (o *orders) function(inner int) func(x T) T {
	kinds := []string{"linear", "linear", "pieces", "pieces", "smooth", "then"}
	if inner > 0 {
		kinds = []string{"scan", "for", "while", "map", "vmap", "cond", "switch", "checkpoint", "then", "sum", "grad"}
	}
	kind := o.one("kind", kinds...)
	o.text.WriteString(kind + "(")
	defer o.text.WriteString(")")
	switch kind {
	case "linear":
		return o.linear()
	case "pieces":
		return o.pieces()
	case "smooth":
		a := o.number("a")
		return func(x T) T { return x.MulScalar(a).Sin() }
	case "then":
		f, g := o.function(max(inner-1, 0)), o.function(0)
		return func(x T) T { return g(f(x)) }
	case "sum":
		f, g := o.function(inner-1), o.function(inner-1)
		return func(x T) T { return f(x).Add(g(x)) }
	}
	return o.operator(kind, inner-1)
}

func (o *orders) linear() func(x T) T {
	a, w, kind := o.number("a"), o.vector(), o.one("linear", "scale", "shift", "weights", "matrix", "flip", "cumsum", "sum")
	o.text.WriteString(kind)
	switch kind {
	case "scale":
		return func(x T) T { return x.MulScalar(a) }
	case "shift":
		return func(x T) T { return x.Sub(w) }
	case "weights":
		return func(x T) T { return x.Mul(w) }
	case "matrix":
		m := hop.Stack(0, w, w.Flip(0), w.MulScalar(0.5))
		return func(x T) T { return m.MatMul(x) }
	case "flip":
		return func(x T) T { return x.Flip(0) }
	case "cumsum":
		return func(x T) T { return x.CumSum(0).MulScalar(0.4) }
	default:
		return func(x T) T { return x.Sum().Mul(w) }
	}
}

func (o *orders) pieces() func(x T) T {
	w, kind := o.vector(), o.one("pieces", "relu", "abs", "where", "maximum", "clamp", "sorted", "chosen")
	o.text.WriteString(kind)
	switch kind {
	case "relu":
		return func(x T) T { return x.Add(w).Relu() }
	case "abs":
		return func(x T) T { return x.Abs().Sub(w) }
	case "where":
		return func(x T) T { return hop.Where(x.Gt(w), x.MulScalar(1.3), x.MulScalar(-0.6)) }
	case "maximum":
		return func(x T) T { return x.Maximum(w) }
	case "clamp":
		return func(x T) T { return x.Clamp(-0.8, 0.9) }
	case "sorted":
		return func(x T) T { return x.Gather(0, x.ArgSort(0)).Mul(w) }
	default: // as many as the data say
		return func(x T) T { return x.IndexSelect(0, x.Gt(w).Nonzero().Select(1, 0)).Sum().Mul(w).Add(x) }
	}
}

// operator draws one over functions that are drawn before. Values stay small and loops end: a step halves what it makes.
func (o *orders) operator(kind string, inner int) func(x T) T {
	f, w, steps := o.function(inner), o.vector(), rapid.IntRange(0, 3).Draw(o.T, "steps")
	step := func(x T) T { return f(x).MulScalar(0.5) }
	switch kind {
	case "scan":
		g := o.function(0)
		return func(x T) T {
			xs := hop.Stack(0, x, w, g(x)).Narrow(0, 0, steps)
			c, ys := hop.Scan(func(c, r T) (T, T) { return step(c.Add(r)), g(c).Mul(r) }, x, xs)
			return c.Add(ys.Sum(0))
		}
	case "for":
		return func(x T) T { return hop.ForLoop(0, steps, func(_, c T) T { return step(c).Add(x) }, x) }
	case "while":
		type state struct{ N, X T }
		return func(x T) T {
			s := hop.WhileLoop(func(s state) T { return s.N.LtScalar(4).And(s.X.Sum().LtScalar(3)) },
				func(s state) state { return state{s.N.AddScalar(1), step(s.X).Add(w)} }, state{hop.Scalar(int64(0)), x})
			return s.X
		}
	case "map":
		return func(x T) T { return hop.Map(step, hop.Stack(0, x, w, x.Flip(0)).Narrow(0, 0, steps)).Sum(0) }
	case "vmap":
		return func(x T) T { return hop.VMap(step)(hop.Stack(0, x, w, x.Flip(0))).Sum(0) }
	case "cond":
		g := o.function(0)
		return func(x T) T { return hop.Cond(x.Mul(w).Sum().GtScalar(0), step, g, x) }
	case "switch":
		g := o.function(0)
		return func(x T) T {
			return hop.Switch(x.Sum().Floor().To(hop.Int64), []func(T) T{step, g, func(x T) T { return x.Mul(w) }}, x)
		}
	case "checkpoint":
		return hop.Checkpoint(step)
	default: // a derivative in the function
		return hop.Grad(func(x T) T { return step(x).Mul(w).Sum() })
	}
}

// differences are the central ones of f at x by each element: [out…, in]. Known says that those of two widths agree, so
// that no kink is near.
func differences(f func(T) T, x T) (rows []float64, known bool) {
	at := func(i int, d float64) []float64 {
		y := x.Clone()
		y.Set(hop.Item[float64](y.Narrow(0, i, 1))+d, i)
		return numbers(f(y))
	}
	known = true
	n := x.Dim(0)
	for i := range n {
		slope := func(h float64) []float64 {
			up, down := at(i, h), at(i, -h)
			for k := range up {
				up[k] = (up[k] - down[k]) / (2 * h)
			}
			return up
		}
		narrow, wide := slope(1e-4), slope(2e-4)
		if rows == nil {
			rows = make([]float64, len(narrow)*n)
		}
		for k := range narrow {
			rows[k*n+i] = narrow[k] - (wide[k]-narrow[k])/3 // Richardson
			known = known && math.Abs(narrow[k]-wide[k]) < 1e-5*(1+math.Abs(narrow[k]))
		}
	}
	return rows, known
}

// TestEveryOrderAgreesOnRandomNestings: derivatives of the first and second order of random nestings of operators, taken
// in every way, eagerly and compiled, agree with each other and with differences.
func TestEveryOrderAgreesOnRandomNestings(t *testing.T) {
	runs, known := 0, 0
	withSeeds(t, 1, func() {
		rapid.Check(t, func(rt *rapid.T) {
			o := &orders{T: rt}
			inner := rapid.IntRange(1, 3).Draw(rt, "depth")
			body, w := o.function(inner), o.vector()
			f := func(x T) T { return body(x).Mul(w).Sum() }
			x := o.vector().Add(f64(0.0173, -0.0311, 0.0057))
			runs++
			same := func(how string, got T, want []float64, tolerance float64) {
				largest := 1.0
				for _, v := range want {
					largest = max(largest, math.Abs(v))
				}
				for k, v := range numbers(got) {
					if !(math.Abs(v-want[k]) <= tolerance*largest) {
						rt.Fatalf("%s: %s at %v is %v; want %v", &o.text, how, numbers(x), numbers(got), want)
					}
				}
			}
			first, second := ordersOf(f)
			grad, hessian := numbers(hop.Grad(f)(x)), numbers(hop.Hessian(f)(x))
			for _, how := range slices.Sorted(maps.Keys(first)) {
				same(how, first[how](x), grad, 1e-9)
			}
			for _, how := range slices.Sorted(maps.Keys(second)) {
				same(how, second[how](x), hessian, 1e-9)
			}
			leaf := x.Clone().SetRequiresGrad(true)
			if y := f(leaf); y.RequiresGrad() {
				y.Backward()
				same("backward", leaf.Grad(), grad, 1e-9)
			}
			if want, ok := differences(f, x); ok {
				same("the gradient, against differences,", hop.Grad(f)(x), want, 1e-5)
				if want, ok := differences(hop.Grad(f), x); ok {
					known++
					same("the hessian, against differences,", hop.Hessian(f)(x), want, 1e-4)
					if err := hop.CheckGrad(f, x); err != nil {
						rt.Fatalf("%s at %v: %v", &o.text, numbers(x), err)
					}
				}
			}
		})
	})
	t.Logf("%d functions, differences are known of %d", runs, known)
	if known*2 < runs {
		t.Errorf("differences are known of %d functions of %d only", known, runs)
	}
}
