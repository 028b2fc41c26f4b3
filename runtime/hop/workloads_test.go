package hop_test

import (
	"math"
	"testing"

	"github.com/hoplint/hoplint/runtime/hop"
)

// A workload is one of the nine programs by which the runtime's speed is measured, W1 to W9, written as a user would
// write it, beside the loop that one would write by hand.
type workload struct {
	name      string
	tolerance float64 // of the checksum, relative: one dtype's rounding over the workload's sums
	make      func() job
}

// A job is a workload with its inputs. The checksum is one number made of all results.
type job struct {
	eager, compiled func() float64 // run, and return the checksum
	loop            func() float64
	timed           [3]func() // the same three without the checksum
}

// jobOf makes a job of a function on tensors and a plain loop, each with its checksum.
func jobOf[X, Y any](f func(X) Y, x X, sum func(Y) float64, loop func(), want func() float64) job {
	c := hop.NewCompiled(f)
	dst, err := c.Call(x)
	if err != nil {
		panic(err)
	}
	into := func() {
		if err := c.CallInto(x, dst); err != nil {
			panic(err)
		}
	}
	return job{
		eager:    func() float64 { return sum(f(x)) },
		compiled: func() float64 { into(); return sum(dst) },
		loop:     func() float64 { loop(); return want() },
		timed:    [3]func(){func() { f(x) }, into, loop},
	}
}

// generated are n numbers scale·u + shift of the counter hash.
func generated(n int, seed uint32, scale, shift float64) []float64 {
	out := counterHash(n, seed)
	for i, u := range out {
		out[i] = scale*u + shift
	}
	return out
}

func generated32(n int, seed uint32, scale, shift float64) []float32 {
	out := make([]float32, n)
	for i, v := range generated(n, seed, scale, shift) {
		out[i] = float32(v)
	}
	return out
}

// total adds in float64, whatever the dtype.
func total[E float32 | float64](xs []E) (s float64) {
	for _, x := range xs {
		s += float64(x)
	}
	return s
}

func totalAbs[E float32 | float64](xs []E) (s float64) {
	for _, x := range xs {
		s += math.Abs(float64(x))
	}
	return s
}

func workloads() []workload {
	return []workload{
		{"W1", 1e-12, emaScalar},
		{"W2", 1e-5, emaVector},
		{"W3", 1e-5, lstmForward},
		{"W4", 1e-4, lstmGradient},
		{"W5", 1e-5, linearRecurrence},
		{"W6", 1e-12, newton},
		{"W7", 1e-12, condInScan},
		{"W8", 1e-5, softmaxMap},
		{"W9", 1e-10, kalmanFilter},
	}
}

// TestWorkloadChecksums runs each workload at its full size, eager and compiled, against the plain loop.
func TestWorkloadChecksums(t *testing.T) {
	for _, w := range workloads() {
		t.Run(w.name, func(t *testing.T) {
			j := w.make()
			want := j.loop()
			for _, run := range []struct {
				name string
				got  float64
			}{{"eager", j.eager()}, {"compiled", j.compiled()}} {
				if d := math.Abs(run.got - want); !(d <= w.tolerance*math.Abs(want)) {
					t.Errorf("%s: checksum %.12g, the loop has %.12g", run.name, run.got, want)
				}
			}
		})
	}
}

func emaScalar() job {
	const n = 100000
	data, ys := generated(n, 1, 1, 0), make([]float64, n)
	f := func(xs T) T {
		_, y := hop.Scan(ema, hop.Scalar(0.0), xs)
		return y
	}
	return jobOf(f, hop.FromSlice(data), func(y T) float64 { return total(hop.ToSlice[float64](y)) },
		func() { emaLoop(data, ys) }, func() float64 { return total(ys) })
}

func emaVector() job {
	const n, lanes = 10000, 64
	data, ys := generated32(n*lanes, 2, 1, 0), make([]float32, n*lanes)
	f := func(xs T) T {
		_, y := hop.Scan(ema, hop.Zeros(hop.Float32, lanes), xs)
		return y
	}
	loop := func() {
		var c [lanes]float32
		for i := 0; i < len(data); i += lanes {
			for j := range c {
				c[j] = 0.9*c[j] + 0.1*data[i+j]
				ys[i+j] = c[j]
			}
		}
	}
	return jobOf(f, hop.FromSlice(data, n, lanes), func(y T) float64 { return total(hop.ToSlice[float32](y)) },
		loop, func() float64 { return total(ys) })
}

// affine is an element of the linear recurrence: x ↦ A·x + B.
type affine struct{ A, B T }

func linearRecurrence() job {
	const n, width = 65536, 64
	as, bs, out := generated32(n*width, 7, .2, .9), generated32(n*width, 8, 1, 0), make([]float32, n*width)
	f := func(xs affine) T {
		return hop.AssociativeScan(func(a, b affine) affine {
			return affine{a.A.Mul(b.A), b.A.Mul(a.B).Add(b.B)}
		}, xs).B
	}
	loop := func() {
		copy(out[:width], bs)
		for i := width; i < len(out); i++ {
			out[i] = as[i]*out[i-width] + bs[i]
		}
	}
	return jobOf(f, affine{hop.FromSlice(as, n, width), hop.FromSlice(bs, n, width)},
		func(y T) float64 { return total(hop.ToSlice[float32](y)) }, loop, func() float64 { return total(out) })
}

// iterate is the carry of Newton's method for a root that moves with the step.
type iterate struct{ I, X T }

func newton() job {
	const steps = 1e6
	f := func(s iterate) iterate {
		return hop.WhileLoop(
			func(s iterate) T { return s.I.LtScalar(steps) },
			func(s iterate) iterate {
				target := s.I.MulScalar(1e-6).AddScalar(2)
				return iterate{s.I.AddScalar(1), s.X.Add(target.Div(s.X)).MulScalar(0.5)}
			}, s)
	}
	var x float64
	loop := func() {
		x = 1
		for i := 0.0; i < steps; i++ {
			x = 0.5 * (x + (2+1e-6*i)/x)
		}
	}
	return jobOf(f, iterate{hop.Scalar(0.0), hop.Scalar(1.0)}, func(s iterate) float64 { return hop.Item[float64](s.X) },
		loop, func() float64 { return x })
}

func condInScan() job {
	const n = 100000
	data, ys := generated(n, 9, 1, 0), make([]float64, n)
	type pair struct{ C, X T }
	combine := func(c, x T) (T, T) {
		c = hop.Cond(x.GtScalar(0),
			func(p pair) T { return p.C.MulScalar(0.95).Add(p.X) },
			func(p pair) T { return p.C.MulScalar(0.5).Sub(p.X.Mul(p.X)) }, pair{c, x})
		return c, c.Clone()
	}
	f := func(xs T) T {
		_, y := hop.Scan(combine, hop.Scalar(0.0), xs)
		return y
	}
	loop := func() {
		c := 0.0
		for i, x := range data {
			if x > 0 {
				c = 0.95*c + x
			} else {
				c = 0.5*c - x*x
			}
			ys[i] = c
		}
	}
	return jobOf(f, hop.FromSlice(data), func(y T) float64 { return total(hop.ToSlice[float64](y)) },
		loop, func() float64 { return total(ys) })
}
