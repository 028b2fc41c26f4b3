package hop_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/hoplint/hoplint/runtime/hop"
	"github.com/hoplint/hoplint/tracer"
)

// A window on a buffer that is a copy of a repeated element reads the copy, wherever the buffer came from.
func TestWindowOnACopyOfARepeatedElement(t *testing.T) {
	w := f64(3, 3).SetRequiresGrad(true)
	c, _ := hop.Scan(func(c, x T) (T, hop.None) {
		v := w.Clone()
		v.Select(0, 1).MulInPlace(x)
		return c.Add(v.Sum()), hop.None{}
	}, s64(0), f64(1, 2))
	c.Backward()
	check(t, "gradient", w.Grad(), []int{2}, 2, 3)
}

// loss is a loop in each operator, over captured and explicit parameters, for gradients inside other functions.
var losses = map[string]func(x, w T) T{
	"scan": func(x, w T) T {
		c, ys := hop.Scan(func(c, x T) (T, T) { n := c.Mul(w).Add(x).Tanh(); return n, n.Mul(x) }, s64(0.1), x)
		return c.Add(ys.Sum())
	},
	"reversed scan": func(x, w T) T {
		_, ys := hop.Scan(func(c, x T) (T, T) { n := c.Mul(w).Add(x).Sin(); return n, n.Clone() }, s64(0.1), x, hop.Reverse())
		return ys.Square().Sum()
	},
	"for": func(x, w T) T {
		return hop.ForLoop(1, 4, func(i, c T) T { return c.Mul(w).Add(i.To(hop.Float64)).Sin() }, x.Sum())
	},
	"map": func(x, w T) T { return hop.Map(func(x T) T { return x.Mul(w).Exp() }, x).Sum() },
	"cond": func(x, w T) T {
		return hop.Cond(x.Sum().GtScalar(0), func(x T) T { return x.Mul(w).Sum().Sin() }, func(x T) T { return x.Sum().Cos() }, x)
	},
	"cond in scan": func(x, w T) T {
		c, _ := hop.Scan(func(c, x T) (T, hop.None) {
			return hop.Cond(x.GtScalar(0.2), func(c T) T { return c.Mul(w).Add(x) }, func(c T) T { return c.Sin() }, c), hop.None{}
		}, s64(0.3), x)
		return c
	},
	"switch": func(x, w T) T {
		return hop.Switch(hop.Scalar(int64(1)), []func(T) T{func(x T) T { return x.Sum() }, func(x T) T { return x.Mul(w).Sum().Square() }}, x)
	},
	"I24 while": func(x, w T) T {
		type state struct{ I, C T }
		return hop.WhileLoop(func(s state) T { return s.I.LtScalar(3) }, func(s state) state {
			return state{s.I.AddScalar(1), s.C.Mul(w).Add(x.At(0, s.I)).Sin()}
		}, state{hop.Scalar(int64(0)), x.Sum()}).C
	},
	"while without turns": func(x, w T) T {
		return hop.WhileLoop(func(c T) T { return c.Sum().GtScalar(1e9) }, func(c T) T { return c.Mul(w) }, x.Mul(w)).Square().Sum()
	},
	"while with forwarded weights": func(x, w T) T {
		type state struct{ W, C T }
		s := hop.WhileLoop(func(s state) T { return s.C.Square().Sum().LtScalar(9) }, func(s state) state {
			return state{s.W.Clone(), s.C.Mul(s.W).Add(s.C).Add(x)}
		}, state{w, x})
		return s.C.Mul(s.W).Sum()
	},
	"while in scan": func(x, w T) T {
		c, ys := hop.Scan(func(c, x T) (T, T) {
			n := hop.WhileLoop(func(c T) T { return c.Abs().LtScalar(1) }, func(c T) T { return c.Mul(w).Add(c).Add(x.Square()) }, c)
			return n.MulScalar(0.3), n.Clone()
		}, s64(0.2), x)
		return c.Add(ys.Square().Sum())
	},
	"while in while": func(x, w T) T {
		type state struct{ I, C T }
		return hop.WhileLoop(func(s state) T { return s.I.LtScalar(2) }, func(s state) state {
			inner := hop.WhileLoop(func(c T) T { return c.Abs().LtScalar(2) }, func(c T) T { return c.Mul(w).Add(c).Add(x.Sum().Square()) }, s.C)
			return state{s.I.AddScalar(1), inner.MulScalar(0.25)}
		}, state{hop.Scalar(int64(0)), x.Mean()}).C
	},
	"while in cond in scan": func(x, w T) T {
		c, _ := hop.Scan(func(c, x T) (T, hop.None) {
			return hop.Cond(x.GtScalar(0), func(c T) T {
				return hop.WhileLoop(func(c T) T { return c.Abs().LtScalar(1) }, func(c T) T { return c.MulScalar(1.7).Add(w) }, c)
			}, func(c T) T { return c.Mul(x) }, c), hop.None{}
		}, s64(0.2), x)
		return c
	},
	"scan in while": func(x, w T) T {
		type state struct{ I, C T }
		return hop.WhileLoop(func(s state) T { return s.I.LtScalar(2) }, func(s state) state {
			c, _ := hop.Scan(func(c, x T) (T, hop.None) { return c.Mul(w).Add(x).Sin(), hop.None{} }, s.C, x)
			return state{s.I.AddScalar(1), c}
		}, state{hop.Scalar(int64(0)), s64(0.4)}).C
	},
	"F8 associative scan": func(x, w T) T {
		return hop.AssociativeScan(func(a, b T) T { return a.Mul(b) }, x.Add(w)).Square().Sum()
	},
	"associative scan of pairs with a captured tensor": func(x, w T) T {
		type affine struct{ A, B T }
		// (1-ab)-like composition with a parameter: a ∘ b = a + b + w a b is associative for every w.
		y := hop.AssociativeScan(func(l, r affine) affine {
			return affine{l.A.Add(r.A).Add(w.Mul(l.A).Mul(r.A)), r.A.Mul(w).AddScalar(1).Mul(l.B).Add(r.B)}
		}, affine{x, x.Square()}, hop.Reverse())
		return y.A.Mul(y.B).Sum()
	},
	"F20 associative scan with a cond": func(x, w T) T {
		return hop.AssociativeScan(func(a, b T) T {
			return hop.Cond(a.GtScalar(0), func(p [2]T) T { return p[0].Mul(p[1]).Mul(w) }, func(p [2]T) T { return p[1].Mul(p[0]).Mul(w) }, [2]T{a, b})
		}, x).Sum()
	},
	"associative scan of matrices": func(x, w T) T {
		m := hop.Stack(0, hop.Stack(0, x, x.Mul(w).Sin()), hop.Stack(0, x.Cos(), x.Add(w))).Permute(2, 0, 1) // [3, 2, 2]
		return hop.AssociativeScan(func(a, b T) T { return a.MatMul(b) }, m).Square().Sum()
	},
	"scan in scan": func(x, w T) T {
		c, _ := hop.Scan(func(c, a T) (T, hop.None) {
			n, _ := hop.Scan(func(d, b T) (T, hop.None) { return d.Mul(w).Add(b.Mul(a)).Sin(), hop.None{} }, c, x)
			return n, hop.None{}
		}, s64(0.2), x)
		return c
	},
}

// TestGradientsOfLoopsInsideFunctions: the gradient of a loop or a branch is one itself, so it can be traced, compiled
// and differentiated again, and is the same in all ways.
func TestGradientsOfLoopsInsideFunctions(t *testing.T) {
	type args struct{ X, W T }
	at := func() args { return args{f64(0.5, -0.3, 0.8), s64(0.7)} }
	for name, loss := range losses {
		t.Run(name, func(t *testing.T) {
			f := func(a args) T { return loss(a.X, a.W) }
			want := hop.Grad(f)(at())
			numeric := func(h func(a args) float64, bump func(a args, d float64)) float64 {
				const d = 1e-5
				up, down := at(), at()
				bump(up, d)
				bump(down, -d)
				return (h(up) - h(down)) / (2 * d)
			}
			value := func(a args) float64 { return hop.Item[float64](f(a)) }
			bumpW := func(a args, d float64) { a.W.AddScalarInPlace(d) }
			bumpX := func(a args, d float64) { a.X.Select(0, 1).AddScalarInPlace(d) }
			near := func(what string, got, want float64) {
				t.Helper()
				if math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
					t.Errorf("%s is %v, want %v", what, got, want)
				}
			}
			near("dw", hop.Item[float64](want.W), numeric(value, bumpW))
			near("dx[1]", hop.ItemAt[float64](want.X, 1), numeric(value, bumpX))

			leaf := at()
			leaf.X.SetRequiresGrad(true)
			leaf.W.SetRequiresGrad(true)
			f(leaf).Backward()
			check(t, "Backward dx", leaf.X.Grad(), []int{3}, numbers(want.X)...)
			check(t, "Backward dw", leaf.W.Grad(), []int{}, numbers(want.W)...)

			compiled := hop.Must(hop.Compile(hop.Grad(f)))(at())
			check(t, "compiled dx", compiled.X, []int{3}, numbers(want.X)...)
			check(t, "compiled dw", compiled.W, []int{}, numbers(want.W)...)

			slope := func(a args) T { return hop.Grad(f)(a).W.Clone() }
			second := hop.Grad(slope)(at())
			dw := func(a args) float64 { return hop.Item[float64](hop.Grad(f)(a).W) }
			near("d2w", hop.Item[float64](second.W), numeric(dw, bumpW))
			near("dw dx[1]", hop.ItemAt[float64](second.X, 1), numeric(dw, bumpX))
			step := hop.Must(hop.Compile(func(a args) args { _, d := hop.JVP(hop.Grad(f), a, a); return d }))(at())
			_, plain := hop.JVP(hop.Grad(f), at(), at())
			check(t, "compiled derivative of the gradient", step.X, []int{3}, numbers(plain.X)...)
			near("derivative of the gradient", hop.Item[float64](plain.W), hop.Item[float64](second.W)*0.7+dot(numbers(second.X), numbers(at().X)))
			twice := hop.Must(hop.Compile(hop.Grad(slope)))(at())
			check(t, "compiled second dw", twice.W, []int{}, numbers(second.W)...)
		})
	}
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// A gradient of a loop that is compiled is a loop and no list of its steps.
func TestTheGradientOfALoopIsALoop(t *testing.T) {
	size := func(n int) int {
		p, err := hop.Trace(hop.Grad(func(x T) T {
			c, _ := hop.Scan(func(c, x T) (T, hop.None) { return c.Sin().Add(x), hop.None{} }, s64(0), x)
			return c
		}), hop.Zeros(hop.Float64, n))
		if err != nil {
			t.Fatal(err)
		}
		return len(p.Graph().String())
	}
	if few, many := size(10), size(1000); many > few+200 {
		t.Errorf("the graph of 10 steps has %d bytes, that of 1,000 steps %d", few, many)
	}
}

// BenchmarkScanGradient is value and gradient of a scalar recurrence, beside the plain loop for both (x-ref) and the
// traced scan alone (x-forward).
func BenchmarkScanGradient(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		b.Run(fmt.Sprintf("T=%d", n), func(b *testing.B) {
			data := counterHash(n, 1)
			x := hop.FromSlice(data)
			body := func(w T) func(c, x T) (T, hop.None) {
				return func(c, x T) (T, hop.None) { return c.Mul(w).Add(x).Tanh(), hop.None{} }
			}
			w := s64(0.9)
			f := func(w T) T { c, _ := hop.Scan(body(w), s64(0), x); return c }
			grad := hop.ValueAndGrad(f)
			saved := make([]float64, n)
			var gradient, forward, plain time.Duration
			b.ReportAllocs()
			for b.Loop() {
				t0 := time.Now()
				grad(w)
				t1 := time.Now()
				f(w)
				t2 := time.Now()
				c := 0.0
				for i, v := range data {
					saved[i] = c
					c = math.Tanh(0.9*c + v)
				}
				d, dw := 1.0, 0.0
				for i := n - 1; i >= 0; i-- {
					y := math.Tanh(0.9*saved[i] + data[i])
					d *= 1 - y*y
					dw += d * saved[i]
					d *= 0.9
				}
				sink = dw
				gradient, forward, plain = gradient+t1.Sub(t0), forward+t2.Sub(t1), plain+time.Since(t2)
			}
			b.ReportMetric(float64(gradient)/float64(plain), "x-ref")
			b.ReportMetric(float64(gradient)/float64(forward), "x-forward")
		})
	}
}

// The gradient of a while loop is one over the steps that it took, wherever it stands.
func TestGradientOfWhatHoldsAWhileLoop(t *testing.T) {
	root := func(x T) T {
		return hop.WhileLoop(func(y T) T { return y.Mul(y).Sub(x).Abs().GtScalar(1e-12) }, func(y T) T { return y.Add(x.Div(y)).MulScalar(0.5) }, s64(1))
	}
	signed := func(x T) T {
		return hop.Cond(x.GeScalar(0), root, func(x T) T { return root(x.Neg()).Neg() }, x)
	}
	check(t, "in a cond", hop.Grad(signed)(s64(-16)), []int{}, 0.125)
	xs := f64(4, 9, 16)
	got := hop.Grad(func(x T) T { return hop.Map(root, x).Sum() })(xs)
	check(t, "in a map", got, []int{3}, 1.0/4, 1.0/6, 1.0/8)
	check(t, "compiled", hop.Must(hop.Compile(hop.Grad(root)))(s64(4)), []int{}, 0.25)
}

// TestGradientOfAWhileLoopIsAGraph: the graph of a compiled gradient of a while loop saves and loads, prints and parses,
// runs op by op under an observer, and refuses more steps than MaxSteps allows as the loop does.
func TestGradientOfAWhileLoopIsAGraph(t *testing.T) {
	loss := func(limit int) func(x T) T {
		return func(x T) T {
			return hop.WhileLoop(func(c T) T { return c.Abs().LtScalar(3) }, func(c T) T { return c.Mul(x).AddScalar(0.1) }, x, hop.MaxSteps(limit))
		}
	}
	grad := hop.Grad(func(x T) T { return hop.Grad(loss(100))(x).Square() })
	p, err := hop.Trace(grad, s64(1.3))
	if err != nil {
		t.Fatal(err)
	}
	text := p.Graph().String()
	if !strings.Contains(text, "while_sweeps(") {
		t.Fatalf("no while_sweeps in\n%s", text)
	}
	if err := p.Graph().Verify(); err != nil {
		t.Error(err)
	}
	parsed, err := tracer.Parse(text)
	if err != nil || parsed.String() != text {
		t.Errorf("printed, parsed and printed again the graph differs (%v):\n%s", err, parsed)
	}
	var file bytes.Buffer
	if err := p.Save(&file); err != nil {
		t.Fatal(err)
	}
	loaded, err := hop.Load[T, T](&file)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []float64{1.3, 1.7, 5} { // 3, 2 and no steps, so that one graph serves any number
		want := grad(s64(at))
		for name, call := range map[string]func() (T, error){
			"called":   func() (T, error) { return p.Call(s64(at)) },
			"loaded":   func() (T, error) { return loaded.Call(s64(at)) },
			"observed": func() (T, error) { return p.Call(s64(at), hop.Observe(&hop.DispatchLog{})) },
		} {
			got, err := call()
			if err != nil {
				t.Fatalf("%s at %v: %v", name, at, err)
			}
			check(t, fmt.Sprintf("%s at %v", name, at), got, []int{}, numbers(want)...)
		}
	}
	_, err = hop.Compile(hop.Grad(loss(1)))(s64(1.3))
	if !errors.Is(err, hop.ErrMaxSteps) || !strings.Contains(err.Error(), "while_loop") || strings.Contains(err.Error(), "sweeps") {
		t.Errorf("more steps than MaxSteps: got %v", err)
	}
}

// The gradients of the carries and of captured tensors are asked for by need: an operand without gradient has none, and
// an integer carry is no part of it.
func TestWhileGradientByNeed(t *testing.T) {
	type state struct{ N, X, W T }
	x, w := s64(2).SetRequiresGrad(true), s64(3)
	s := hop.WhileLoop(func(s state) T { return s.N.LtScalar(3) }, func(s state) state {
		return state{s.N.AddScalar(1), s.X.Mul(s.W), s.W.Clone()}
	}, state{hop.Scalar(int64(0)), x, w})
	check(t, "I16 value", s.X, []int{}, 54)
	if s.N.RequiresGrad() || !s.W.RequiresGrad() {
		t.Errorf("I18, O6: N requires grad: %v, W: %v; want all floats and no integers", s.N.RequiresGrad(), s.W.RequiresGrad())
	}
	s.X.Backward()
	check(t, "I16 dx", x.Grad(), []int{}, 27)
	if w.Grad() != nil {
		t.Errorf("w requires no grad and has %v", w.Grad())
	}
}
