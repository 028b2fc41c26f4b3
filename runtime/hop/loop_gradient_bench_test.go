package hop_test

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/hoplint/hoplint/runtime/hop"
)

// best returns the shortest of several runs of f.
func best(runs int, f func()) time.Duration {
	least := time.Duration(1 << 62)
	for range runs {
		t0 := time.Now()
		f()
		least = min(least, time.Since(t0))
	}
	return least
}

// indexing are loops of n steps each of which reads a row, another one, of a tensor of n rows.
var indexing = map[string]func(n int) func(w T) T{
	"At": func(n int) func(w T) T {
		return func(w T) T {
			return hop.ForLoop(0, n, func(i, c T) T { return c.Add(w.At(0, i).Sin().Sum()) }, s64(0))
		}
	},
	"Select": func(n int) func(w T) T {
		return func(w T) T {
			return hop.ForLoop(0, n, func(_, c T) T { return c.Add(w.Select(0, 3).Sin().Sum()) }, s64(0))
		}
	},
	"Narrow": func(n int) func(w T) T {
		return func(w T) T {
			return hop.ForLoop(0, n, func(_, c T) T { return c.Add(w.Narrow(0, 2, 2).Sin().Sum()) }, s64(0))
		}
	},
	"At in a branch": func(n int) func(w T) T {
		return func(w T) T {
			return hop.ForLoop(0, n, func(i, c T) T {
				return hop.Cond(i.GtScalar(1), func(c T) T { return c.Add(w.At(0, i).Sin().Sum()) }, func(c T) T { return c.Sin() }, c)
			}, s64(0))
		}
	},
	"At in a loop in the loop": func(n int) func(w T) T {
		return func(w T) T {
			return hop.ForLoop(0, n/2, func(i, c T) T {
				return hop.ForLoop(0, 2, func(j, c T) T { return c.Add(w.At(0, i.MulScalar(2).Add(j)).Sin().Sum()) }, c)
			}, s64(0))
		}
	},
	"IndexSelect": func(n int) func(w T) T {
		return func(w T) T {
			return hop.ForLoop(0, n, func(i, c T) T { return c.Add(w.IndexSelect(0, i.Reshape(1)).Sin().Sum()) }, s64(0))
		}
	},
	"Take": func(n int) func(w T) T {
		return func(w T) T {
			return hop.ForLoop(0, n, func(i, c T) T { return c.Add(w.Take(i.Reshape(1)).Sin().Sum()) }, s64(0))
		}
	},
	"At in while": func(n int) func(w T) T {
		type state struct{ I, C T }
		return func(w T) T {
			return hop.WhileLoop(func(s state) T { return s.I.LtScalar(float64(n)) }, func(s state) state {
				return state{s.I.AddScalar(1), s.C.Add(w.At(0, s.I).Sin().Sum())}
			}, state{hop.Scalar(int64(0)), s64(0)}).C
		}
	},
}

// BenchmarkGradientOfIndexing is the gradient of loops that index a captured tensor, with n steps and n rows: the time
// for a step should be the same for every n (growth 1), and not rise with the size of the tensor.
func BenchmarkGradientOfIndexing(b *testing.B) {
	for _, name := range slices.Sorted(maps.Keys(indexing)) {
		b.Run(name, func(b *testing.B) {
			var per [2]float64
			for b.Loop() {
				for k, n := range []int{500, 4000} {
					w, grad := hop.Ones(hop.Float64, n, 8), hop.Grad(indexing[name](n))
					grad(w)
					per[k] = float64(best(3, func() { grad(w) }).Nanoseconds()) / float64(n)
				}
			}
			b.ReportMetric(per[0], "ns/step")
			b.ReportMetric(per[1]/per[0], "growth")
		})
	}
}

// BenchmarkAssociativeGradient is value and gradient of an associative scan over n rows, with a captured tensor: work per
// row and live memory per row do not grow with n.
func BenchmarkAssociativeGradient(b *testing.B) {
	type affine struct{ A, B T }
	const width = 16
	for _, n := range []int{1 << 10, 1 << 12, 1 << 14} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			x := affine{hop.Full(hop.Float64, 0.9, n, width), hop.Ones(hop.Float64, n, width)}
			f := func(w T) T {
				return hop.AssociativeScan(func(l, r affine) affine { return affine{l.A.Mul(r.A), r.A.Mul(l.B).Mul(w).Add(r.B)} }, x).B.Sum()
			}
			grad, w := hop.ValueAndGrad(f), hop.Ones(hop.Float64, width)
			grad(w)
			b.ReportAllocs()
			for b.Loop() {
				grad(w)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n*width), "ns/elem")
			leaf := hop.Ones(hop.Float64, width).SetRequiresGrad(true)
			loss, bytes := held(func() T { return f(leaf) })
			b.ReportMetric(float64(bytes)/float64(n*width), "saved-B/elem")
			runtime.KeepAlive(loss)
		})
	}
}

// held returns a loss, and how many bytes it keeps alive.
func held(f func() T) (loss T, bytes int64) {
	var before, after runtime.MemStats
	f() // what is made once
	alive := func(m *runtime.MemStats) {
		for range 4 { // pools and memory behind weak pointers go in steps
			runtime.GC()
		}
		runtime.ReadMemStats(m)
	}
	alive(&before)
	loss = f()
	alive(&after)
	return loss, int64(after.HeapAlloc) - int64(before.HeapAlloc)
}

// BenchmarkSavedValues prints how many bytes a loss keeps alive until its gradient is taken, for one step: of a scan
// with weights in the carry that are handed on, or captured (both once, so next to nothing for a step), of one whose
// body is checkpointed, and of the same bodies unrolled, which keep what they compute on the way.
func BenchmarkSavedValues(b *testing.B) {
	const steps, width = 64, 256
	type state struct{ W, H T }
	w, h, xs := hop.Full(hop.Float64, 0.01, width, width), hop.Ones(hop.Float64, width), hop.Ones(hop.Float64, steps, width)
	deep := func(w, h, x T) T {
		for range 4 {
			h = w.MatMul(h).Add(x).Tanh()
		}
		return h
	}
	for _, tc := range []struct {
		name string
		loss func(w T) T
	}{
		{"weights in the carry", func(w T) T {
			s, _ := hop.Scan(func(s state, x T) (state, hop.None) {
				return state{s.W.Clone(), s.W.MatMul(s.H).Add(x).Tanh()}, hop.None{}
			}, state{w, h}, xs)
			return s.H.Sum()
		}},
		{"captured weights", func(w T) T {
			c, _ := hop.Scan(func(c, x T) (T, hop.None) { return w.MatMul(c).Add(x).Tanh(), hop.None{} }, h, xs)
			return c.Sum()
		}},
		{"scan of a deep body", func(w T) T {
			c, _ := hop.Scan(func(c, x T) (T, hop.None) { return deep(w, c, x), hop.None{} }, h, xs)
			return c.Sum()
		}},
		{"steps unrolled", func(w T) T {
			c := h
			for i := range steps {
				c = deep(w, c, xs.Select(0, i))
			}
			return c.Sum()
		}},
		{"checkpointed steps unrolled", func(w T) T {
			c := h
			for i := range steps {
				c = hop.Checkpoint(func(c T) T { return deep(w, c, xs.Select(0, i)) })(c)
			}
			return c.Sum()
		}},
		{"while", func(w T) T {
			type turn struct{ I, H T }
			return hop.WhileLoop(func(s turn) T { return s.I.LtScalar(steps) }, func(s turn) turn {
				return turn{s.I.AddScalar(1), w.MatMul(s.H).Tanh()}
			}, turn{hop.Scalar(int64(0)), h}).H.Sum()
		}},
	} {
		b.Run(tc.name, func(b *testing.B) {
			var bytes int64
			for b.Loop() {
				leaf := w.Clone().SetRequiresGrad(true)
				var loss T
				loss, bytes = held(func() T { return tc.loss(leaf) })
				loss.Backward()
			}
			b.ReportMetric(float64(bytes)/steps/(8*width), "saved-carries/step")
			b.ReportMetric(float64(bytes)/(8*width*width), "saved-weights")
		})
	}
}
