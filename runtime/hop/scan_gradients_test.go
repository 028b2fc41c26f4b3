package hop_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

// leafs are tensors that require grad.
func leafs(ts ...T) []T {
	for i, t := range ts {
		ts[i] = t.Clone().SetRequiresGrad(true)
	}
	return ts
}

// near compares to a tolerance that a case states.
func near(t *testing.T, what string, got T, tolerance float64, want ...float64) {
	t.Helper()
	if got == nil {
		t.Errorf("%s is nil, want %v", what, want)
		return
	}
	for i, v := range numbers(got) {
		if d := math.Abs(v - want[i]); !(d <= tolerance) {
			t.Errorf("%s = %v, want %v", what, numbers(got), want)
			return
		}
	}
}

// TestScanGradients is part C of the scan cases.
func TestScanGradients(t *testing.T) {
	multiply := func(c, x T) (T, T) { return c.Mul(x), c.Mul(x) }
	add := func(c, x T) (T, T) { s := c.Add(x); return s, s.Clone() }

	inModes(t, "C1", func(t *testing.T, o ...hop.Option) {
		in := leafs(s64(2), f64(3, 4))
		c, _ := hop.Scan(multiply, in[0], in[1], o...)
		c.Backward()
		check(t, "init", in[0].Grad(), []int{}, 12)
		check(t, "xs", in[1].Grad(), []int{2}, 8, 6)
	})
	inModes(t, "C2", func(t *testing.T, o ...hop.Option) {
		in := leafs(s64(2), f64(3, 4))
		_, ys := hop.Scan(multiply, in[0], in[1], o...)
		ys.Sum().Backward()
		check(t, "init", in[0].Grad(), []int{}, 15)
		check(t, "xs", in[1].Grad(), []int{2}, 10, 6)
	})
	inModes(t, "C3", func(t *testing.T, o ...hop.Option) {
		in := leafs(s64(2), f64(3, 4))
		_, ys := hop.Scan(multiply, in[0], in[1], with(o, hop.Reverse())...)
		ys.Sum().Backward()
		check(t, "xs", in[1].Grad(), []int{2}, 8, 8)
	})
	inModes(t, "C6", func(t *testing.T, o ...hop.Option) {
		f := func(c, x T) (T, T) { return c.MulScalar(2).Add(x), c.Clone() }
		for _, tc := range []struct {
			opts []hop.Option
			want []float64
		}{{o, []float64{4, 2, 1}}, {with(o, hop.Reverse()), []float64{1, 2, 4}}} {
			in := leafs(s64(0), f64(1, 1, 1))
			c, _ := hop.Scan(f, in[0], in[1], tc.opts...)
			c.Backward()
			check(t, "xs", in[1].Grad(), []int{3}, tc.want...)
		}
	})
	inModes(t, "C7", func(t *testing.T, o ...hop.Option) {
		in := leafs(s64(0.5), s64(0.7))
		w := in[1]
		c, _ := hop.Scan(func(c, x T) (T, hop.None) { return w.Mul(c).Add(x).Tanh(), hop.None{} }, in[0], f64(0.1, 0.2), o...)
		c.Backward()
		near(t, "value", c, 1e-6, 0.4584360)
		near(t, "init", in[0].Grad(), 1e-6, 0.3181308)
		near(t, "w", w.Grad(), 1e-6, 0.5604675)
	})
	inModes(t, "C10", func(t *testing.T, o ...hop.Option) {
		in, xs := leafs(s64(2)), f64(3, 4)
		c, _ := hop.Scan(multiply, in[0], xs, o...)
		c.Backward()
		check(t, "init", in[0].Grad(), []int{}, 12)
		if xs.Grad() != nil || xs.RequiresGrad() {
			t.Errorf("xs has gradient %v and requires grad: %t; want neither", xs.Grad(), xs.RequiresGrad())
		}
	})
	inModes(t, "C11", func(t *testing.T, o ...hop.Option) {
		w := leafs(s64(3))[0]
		c, ys := hop.Scan(func(c, x T) (T, T) { return c.Mul(w), x.Mul(w) }, s64(2), f64(1, 10), o...)
		c.Add(ys.Sum()).Backward() // 2w² + 11w
		check(t, "w", w.Grad(), []int{}, 23)
	})
	inModes(t, "C12", func(t *testing.T, o ...hop.Option) {
		w := leafs(s64(3))[0]
		v := w
		c, _ := hop.Scan(func(c, x T) (T, hop.None) { return c.Mul(w).Add(v), hop.None{} }, s64(2), f64(1), o...)
		c.Backward() // 2w + w
		check(t, "w", w.Grad(), []int{}, 3)
	})
	inModes(t, "C14", func(t *testing.T, o ...hop.Option) {
		for _, tc := range []struct {
			name     string
			loss     func(c, ys T) T
			init, xs []float64
		}{
			{"ys only", func(_, ys T) T { return ys.Sum() }, []float64{0}, []float64{3, 3}},
			{"carry only", func(c, _ T) T { return c }, []float64{12}, []float64{8, 6}},
		} {
			in := leafs(s64(2), f64(3, 4))
			c, ys := hop.Scan(func(c, x T) (T, T) { return c.Mul(x), x.MulScalar(3) }, in[0], in[1], o...)
			tc.loss(c, ys).Backward()
			check(t, tc.name+": init", in[0].Grad(), []int{}, tc.init...)
			check(t, tc.name+": xs", in[1].Grad(), []int{2}, tc.xs...)
		}
	})
	inModes(t, "C15", func(t *testing.T, o ...hop.Option) {
		in := leafs(s64(2), f64(3, 4))
		c, ys := hop.Scan(func(c, x T) (T, T) { return c.Mul(x), c.Mul(x).Detach() }, in[0], in[1], o...)
		c.Add(ys.Sum()).Backward()
		check(t, "init", in[0].Grad(), []int{}, 12)
		check(t, "xs", in[1].Grad(), []int{2}, 8, 6)
	})
	inModes(t, "C16", func(t *testing.T, o ...hop.Option) {
		cube := func(c T) T {
			out, _ := hop.Scan(multiply, c, hop.Stack(0, c, c), o...)
			return out
		}
		c := leafs(s64(2))[0]
		value := cube(c)
		value.Backward()
		check(t, "value", value, []int{}, 8)
		check(t, "first", c.Grad(), []int{}, 12)
		if len(o) > 0 { // Grad traces its function, unless it is called in a stepwise run
			for name, second := range map[string]func(T) T{
				"second":             hop.Grad(hop.Grad(func(c T) T { out, _ := hop.Scan(multiply, c, hop.Stack(0, c, c)); return out })),
				"second, by Hessian": hop.Hessian(func(c T) T { out, _ := hop.Scan(multiply, c, hop.Stack(0, c, c)); return out }),
			} {
				check(t, name, hop.Map(second, f64(2, -1), o...), []int{2}, 12, -6)
			}
			return
		}
		check(t, "first, by Grad", hop.Grad(cube)(s64(2)), []int{}, 12)
		check(t, "second", hop.Grad(hop.Grad(cube))(s64(2)), []int{}, 12)
		check(t, "second, by Hessian", hop.Hessian(cube)(s64(2)), []int{}, 12)
		c.ZeroGrad()
		hop.Grad(cube)(c).Backward()
		check(t, "second, by Backward of Grad", c.Grad(), []int{}, 12)
	})
	inModes(t, "C17", func(t *testing.T, o ...hop.Option) {
		in := leafs(f64(1, 2, 3))
		_, first := hop.Scan(add, s64(0), in[0], o...) // 1, 3, 6
		last, _ := hop.Scan(multiply, s64(1), first, o...)
		last.Backward() // x1·(x1+x2)·(x1+x2+x3)
		check(t, "xs", in[0].Grad(), []int{3}, 3*6+1*6+1*3, 1*6+1*3, 1*3)
	})
	inModes(t, "C20", func(t *testing.T, o ...hop.Option) {
		in := leafs(s64(2), f64(3, 4))
		c, _ := hop.Scan(multiply, in[0], in[1], o...)
		c.Backward(hop.RetainGraph())
		c.Backward()
		check(t, "xs twice", in[1].Grad(), []int{2}, 16, 12)
		if err := hop.Try(func() { c.Backward() }); err == nil || !strings.Contains(err.Error(), "RetainGraph()") {
			t.Errorf("third Backward: got %v, want an error that names RetainGraph()", err)
		}
	})
	inModes(t, "C22", func(t *testing.T, o ...hop.Option) {
		in := leafs(s64(0), hop.Ones(hop.Float64, 1000))
		c, _ := hop.Scan(func(c, x T) (T, hop.None) { return c.Add(x), hop.None{} }, in[0], in[1], o...)
		c.Backward()
		check(t, "init", in[0].Grad(), []int{}, 1)
		check(t, "xs", in[1].Grad(), []int{1000}, numbers(hop.Ones(hop.Float64, 1000))...)
	})
	inModes(t, "C23", func(t *testing.T, o ...hop.Option) {
		type carry struct{ W, H T }
		in := leafs(random(21, 3, 3), random(22, 3), random(23, 4, 3))
		step := func(c carry, x T) (carry, hop.None) {
			return carry{c.W.Clone(), c.W.MatMul(c.H).Add(x).Tanh()}, hop.None{}
		}
		out, _ := hop.Scan(step, carry{in[0], in[1]}, in[2], o...)
		out.H.Sum().Backward()
		loop := leafs(in[0].Detach(), in[1].Detach(), in[2].Detach())
		h := loop[1]
		for i := range 4 {
			h = loop[0].MatMul(h).Add(loop[2].Select(0, i)).Tanh()
		}
		h.Sum().Backward()
		for i, name := range []string{"W", "H", "xs"} {
			check(t, name, in[i].Grad(), in[i].Shape(), numbers(loop[i].Grad())...)
		}
	})
	inModes(t, "C24", func(t *testing.T, o ...hop.Option) {
		in := leafs(f64(1, 2, 3))
		c, _ := hop.Scan(func(c, x T) (T, hop.None) { return c.Add(x.Mul(x)), hop.None{} }, s64(0), in[0], o...)
		c.Backward()
		check(t, "xs", in[0].Grad(), []int{3}, 2, 4, 6)
	})
	inModes(t, "C26", func(t *testing.T, o ...hop.Option) {
		init, xs := leafs(s64(2))[0], hop.FromSlice([]float32{3, 4}).SetRequiresGrad(true)
		c, ys := hop.Scan(func(c, x T) (T, T) { return c.Mul(x.To(hop.Float64)), c.To(hop.Float32).Mul(x) }, init, xs, o...)
		c.Add(ys.To(hop.Float64).Sum()).Backward()
		check(t, "init", init.Grad(), []int{}, 12+15)
		check(t, "xs", xs.Grad(), []int{2}, 18, 12)
		if init.Grad().DType() != hop.Float64 || xs.Grad().DType() != hop.Float32 {
			t.Errorf("gradients are %v and %v, want float64 and float32", init.Grad().DType(), xs.Grad().DType())
		}
	})
	inModes(t, "C27", func(t *testing.T, o ...hop.Option) {
		in := leafs(f64(1, 1), f64(1, 2, 3, 4, 5, 6).View(2, 3))
		_, ys := hop.Scan(multiply, in[0], in[1], with(o, hop.Axis(1), hop.Reverse())...)
		ys.Sum().Backward()
		// A row [a, b, c] gives c + bc + abc.
		check(t, "xs", in[1].Grad(), []int{2, 3}, 2*3, 3+3, 1+2+2, 5*6, 6+4*6, 1+5+4*5)
	})
}

// TestFloatResultsOfAScanRequireGradTogether: all of them do once any operand does, captured tensors included, and
// operands that a result does not depend on get zeros.
func TestFloatResultsOfAScanRequireGradTogether(t *testing.T) {
	type out struct{ Plain, Count T }
	run := func(init, xs, w T, o ...hop.Option) (T, out) {
		return hop.Scan(func(c, x T) (T, out) {
			w.Mul(x) // captured, and of no use
			return c.Add(x), out{x.MulScalar(2), hop.Scalar(int64(1))}
		}, init, xs, o...)
	}
	for _, tc := range []struct {
		name        string
		init, xs, w bool
		length      int
	}{
		{"init", true, false, false, 2}, {"xs", false, true, false, 2}, {"captured", false, false, true, 2}, {"none", false, false, false, 2},
		{"init, length 0", true, false, false, 0}, {"captured, length 0", false, false, true, 0},
	} {
		inModes(t, tc.name, func(t *testing.T, o ...hop.Option) {
			operands := []T{s64(1), hop.Ones(hop.Float64, tc.length), s64(3)}
			want := false
			for i, on := range []bool{tc.init, tc.xs, tc.w} {
				if on {
					operands[i].SetRequiresGrad(true)
					want = true
				}
			}
			c, ys := run(operands[0], operands[1], operands[2], o...)
			if c.RequiresGrad() != want || ys.Plain.RequiresGrad() != want || ys.Count.RequiresGrad() {
				t.Errorf("carry, float ys, integer ys require grad: %t, %t, %t; want %t, %t, false", c.RequiresGrad(), ys.Plain.RequiresGrad(), ys.Count.RequiresGrad(), want, want)
			}
			if !want {
				return
			}
			ys.Plain.Sum().Backward()
			for i, name := range []string{"init", "xs", "captured"} {
				if got := operands[i].Grad(); (got != nil) != operands[i].RequiresGrad() {
					t.Errorf("gradient of %s is %v", name, got)
				} else if got != nil && name != "xs" {
					check(t, name, got, []int{}, 0)
				}
			}
		})
	}
}

// TestGradientsThroughTensorsMadeInABody: what a body computes from captured tensors alone runs at once, and its gradient
// is not lost when a traced tensor meets it.
func TestGradientsThroughTensorsMadeInABody(t *testing.T) {
	for _, tc := range []struct {
		name string
		body func(w, c, x T) T
		want float64 // at w = 3, xs = 1, 2
	}{
		{"computed", func(w, c, x T) T { return c.Add(w.Mul(w).Mul(x)) }, 18},
		{"written", func(w, c, x T) T { v := w.Mul(w); v.AddInPlace(x); return c.Add(v.Mul(x)) }, 18},
		{"written through a view", func(w, c, x T) T {
			v := hop.Stack(0, w, w)
			v.Select(0, 1).MulInPlace(x)
			return c.Add(v.Sum())
		}, 5},
		{"view of a buffer", func(w, c, x T) T {
			v := hop.Zeros(hop.Float64, 2)
			v.Select(0, 1).CopyFrom(w.Mul(w))
			return c.Add(v.Select(0, 1).Mul(x))
		}, 18},
		{"detached", func(w, c, x T) T { v := w.Mul(w); return c.Add(v.Detach().Mul(x)).Add(v) }, 12},
		{"captured view", func(w, c, x T) T { return c.Add(w.View(1).Select(0, 0).Mul(x)) }, 3},
	} {
		inModes(t, tc.name, func(t *testing.T, o ...hop.Option) {
			w := leafs(s64(3))[0]
			c, _ := hop.Scan(func(c, x T) (T, hop.None) { return tc.body(w, c, x), hop.None{} }, s64(0), f64(1, 2), o...)
			c.Backward()
			check(t, "w", w.Grad(), []int{}, tc.want)
		})
	}
}

// TestMutationComesBeforeTheTape is O7: a body that writes an input breaks its contract, whether or not that requires
// grad.
func TestMutationComesBeforeTheTape(t *testing.T) {
	for _, tc := range []struct {
		name string
		body func(c, x, w T)
		code hopcheck.Code
	}{
		{"carry", func(c, x, _ T) { c.AddInPlace(x) }, hopcheck.MutatedCarry},
		{"x", func(c, x, _ T) { x.MulInPlace(c) }, hopcheck.MutatedX},
		{"captured", func(c, _, w T) { w.AddInPlace(c) }, hopcheck.MutatedCaptured},
	} {
		inModes(t, "O7 "+tc.name, func(t *testing.T, o ...hop.Option) {
			in := leafs(s64(1), f64(1, 2), s64(3))
			e := refused(t, func() {
				hop.Scan(func(c, x T) (T, hop.None) { tc.body(c, x, in[2]); return c.Clone(), hop.None{} }, in[0], in[1], o...)
			})
			if !errors.Is(e, tc.code) || errors.Is(e, hopcheck.InPlaceOnLeaf) {
				t.Errorf("got %v, want %s alone", e, string(tc.code))
			}
			if in[2].Version() != 0 || fmt.Sprint(in[2]) != "3" {
				t.Errorf("captured tensor is %+v after the refusal", in[2])
			}
		})
	}
}

// TestBodiesAreNoPlaceForBackward: inside a body the gradient of a body is asked for with Grad.
func TestBodiesAreNoPlaceForBackward(t *testing.T) {
	inModes(t, "backward in a body", func(t *testing.T, o ...hop.Option) {
		in := leafs(s64(1))
		refusedWith(t, func() {
			hop.Scan(func(c, x T) (T, hop.None) { c.Mul(x).Backward(); return c.Clone(), hop.None{} }, in[0], f64(1, 2), o...)
		}, "Backward", "use Grad")
	})
}
