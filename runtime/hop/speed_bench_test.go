package hop_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/hoplint/hoplint/runtime/hop"
)

// sink keeps the results of the plain loops alive.
var sink float64

// BenchmarkAgainstLoops times eager ops beside the plain Go loop over the same memory, in turn in one run, and prints
// the ratio (x-ref). Both write memory that they had before, so that the price of fresh pages does not count; the
// functional forms, which allocate their result, stand in BenchmarkAdd.
func BenchmarkAgainstLoops(b *testing.B) {
	for _, n := range []int{16, 1000, 100_000, 10_000_000} {
		x, y := hop.FromSlice(counterHash(n, 1)), hop.FromSlice(counterHash(n, 2))
		xs, ys := hop.ToSlice[float64](x), hop.ToSlice[float64](y)
		side := 1
		for (side+1)*(side+1) <= n {
			side++
		}
		square := x.Narrow(0, 0, side*side).View(side, side)
		turned := y.Narrow(0, 0, side*side).View(side, side).T()
		row := y.Narrow(0, 0, side)
		for _, bench := range []struct {
			name      string
			op, plain func()
		}{
			{"AddInPlace", func() { x.AddInPlace(y) }, func() {
				for i := range xs {
					xs[i] += ys[i]
				}
			}},
			{"MulScalarInPlace", func() { x.MulScalarInPlace(0.999) }, func() {
				for i := range xs {
					xs[i] *= 0.999
				}
			}},
			{"Sum", func() { x.Sum() }, func() {
				s := 0.0
				for _, v := range xs {
					s += v
				}
				sink = s
			}},
			{"Max", func() { x.Max() }, func() {
				m := xs[0]
				for _, v := range xs {
					if v > m {
						m = v
					}
				}
				sink = m
			}},
			{"AddInPlace of a transposed operand", func() { square.AddInPlace(turned) }, func() {
				for i := range side {
					for j := range side {
						xs[i*side+j] += ys[j*side+i]
					}
				}
			}},
			{"AddInPlace of a row", func() { square.AddInPlace(row) }, func() {
				for i := range side {
					for j := range side {
						xs[i*side+j] += ys[j]
					}
				}
			}},
		} {
			b.Run(fmt.Sprintf("%s/n=%d", bench.name, n), func(b *testing.B) {
				var op, plain time.Duration
				b.ReportAllocs()
				for b.Loop() {
					t0 := time.Now()
					bench.op()
					t1 := time.Now()
					bench.plain()
					op, plain = op+t1.Sub(t0), plain+time.Since(t1)
				}
				b.ReportMetric(float64(op)/float64(plain), "x-ref")
			})
		}
	}
}

// BenchmarkOneElement is what an eager op costs beyond its work.
func BenchmarkOneElement(b *testing.B) {
	x, y := s64(1), s64(2)
	for _, bench := range []struct {
		name string
		op   func()
	}{
		{"Add", func() { x.Add(y) }}, {"Exp", func() { x.Exp() }}, {"MulScalar", func() { x.MulScalar(2) }},
		{"Lt", func() { x.Lt(y) }}, {"AddInPlace", func() { x.AddInPlace(y) }}, {"Sum", func() { x.Sum() }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bench.op()
			}
		})
	}
}

// An elementwise op on plain tensors allocates its result and nothing per operand; broadcasting does not materialise.
func TestEagerAllocations(t *testing.T) {
	x, row, one := hop.Ones(hop.Float64, 64, 64), hop.Ones(hop.Float64, 64), s64(2)
	for _, tc := range []struct {
		name string
		most float64
		op   func()
	}{
		{"one element", 2, func() { one.Add(one) }},
		{"elementwise", 2, func() { x.Add(x) }},
		{"broadcast row", 2, func() { x.Add(row) }},
		{"broadcast scalar tensor", 2, func() { x.Mul(one) }},
		{"in place", 1, func() { x.MulInPlace(row) }},
	} {
		if got := testing.AllocsPerRun(100, tc.op); got > tc.most {
			t.Errorf("%s: %v allocations, want at most %v", tc.name, got, tc.most)
		}
	}
}
