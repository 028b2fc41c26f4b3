package hop_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/hoplint/hoplint/runtime/hop"
)

// counterHash returns n reproducible values in [-0.5, 0.5): every implementation of a workload can make the same.
func counterHash(n int, seed uint32) []float64 {
	out := make([]float64, n)
	for i := range out {
		x := (uint32(i)+1)*2654435761 + seed*40503
		x ^= x >> 16
		x *= 2246822519
		x ^= x >> 13
		x *= 3266489917
		x ^= x >> 16
		out[i] = float64(x>>8)/(1<<24) - 0.5
	}
	return out
}

// ema is the body of the exponential moving average: c = 0.9c + 0.1x, y = c.
func ema(c, x T) (T, T) {
	n := c.MulScalar(0.9).Add(x.MulScalar(0.1))
	return n, n.Clone()
}

func emaLoop(xs, ys []float64) float64 {
	c := 0.0
	for i, x := range xs {
		c = 0.9*c + 0.1*x
		ys[i] = c
	}
	return c
}

// BenchmarkScanEMA is a traced scan with a scalar float64 carry. It prints the ratio to the plain Go loop over the same
// numbers, timed in turn with it (x-ref), and what share of a call comes before its first step: tracing, checking the
// contract, looking up the plan (%-before).
func BenchmarkScanEMA(b *testing.B) {
	for _, n := range []int{1000, 100000} {
		b.Run(fmt.Sprintf("T=%d", n), func(b *testing.B) {
			data := counterHash(n, 1)
			xs, init, ys := hop.FromSlice(data), s64(0), make([]float64, n)
			none := hop.FromSlice(data[:0])
			var scan, loop, before time.Duration
			b.ReportAllocs()
			for b.Loop() {
				t0 := time.Now()
				hop.Scan(ema, init, xs)
				t1 := time.Now()
				emaLoop(data, ys)
				t2 := time.Now()
				hop.Scan(ema, init, none)
				t3 := time.Now()
				scan, loop, before = scan+t1.Sub(t0), loop+t2.Sub(t1), before+t3.Sub(t2)
			}
			b.ReportMetric(float64(scan)/float64(loop), "x-ref")
			b.ReportMetric(100*float64(before)/float64(scan), "%-before")
			b.ReportMetric(float64(scan.Nanoseconds())/float64(b.N*n), "ns/step")
		})
	}
}

// A traced scan must not allocate per step: ten times the steps cost the same number of allocations.
func TestTracedScanAllocatesNothingPerStep(t *testing.T) {
	allocs := func(n int) float64 {
		xs, init := hop.FromSlice(counterHash(n, 1)), s64(0)
		return testing.AllocsPerRun(20, func() { hop.Scan(ema, init, xs) })
	}
	few, many := allocs(1000), allocs(100000)
	if many > few+5 {
		t.Errorf("1,000 steps allocate %v times, 100,000 steps %v times", few, many)
	}
}
