package hop_test

import (
	"testing"

	"github.com/hoplint/hoplint/runtime/hop"
)

// thirty is a body of thirty ops on numbers.
func thirty(c, x, w T) T {
	for range 7 {
		c = c.Mul(w).Add(x).Tanh().MulScalar(0.5)
	}
	return c.Add(x).Sin()
}

// BenchmarkWarmCall is an eager call of an operator whose body has thirty ops, of which a run takes next to nothing: what
// is measured is the call. With a gradient it is the call, and Backward.
func BenchmarkWarmCall(b *testing.B) {
	w, x, init := s64(0.9), f64(0.3), s64(0.1)
	scan := func(w T) T {
		c, _ := hop.Scan(func(c, x T) (T, hop.None) { return thirty(c, x, w), hop.None{} }, init, x)
		return c
	}
	cond := func(w T) T {
		return hop.Cond(hop.Scalar(true), func(c T) T { return thirty(c, c, w) }, func(c T) T { return c.Mul(w) }, init)
	}
	while := func(w T) T {
		type state struct{ I, C T }
		return hop.WhileLoop(func(s state) T { return s.I.LtScalar(1) }, func(s state) state {
			return state{s.I.AddScalar(1), thirty(s.C, s.C, w)}
		}, state{hop.Scalar(int64(0)), init}).C
	}
	for _, tc := range []struct {
		name string
		f    func(w T) T
	}{{"scan", scan}, {"cond", cond}, {"while", while}} {
		b.Run(tc.name+"/plain", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				tc.f(w)
			}
		})
		b.Run(tc.name+"/gradient", func(b *testing.B) {
			leaf := w.Clone().SetRequiresGrad(true)
			b.ReportAllocs()
			for b.Loop() {
				tc.f(leaf).Backward()
			}
		})
		b.Run(tc.name+"/stepwise", func(b *testing.B) {
			x := s64(0.3)
			b.ReportAllocs()
			for b.Loop() {
				thirty(init, x, w)
			}
		})
	}
}
