package hop_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

// TestWarmCallsStayExact calls one operator again and again, with more captured tensors, ranks and names than a trace
// has room for without allocating, from several goroutines: every call gives the same, and what the steps give.
func TestWarmCallsStayExact(t *testing.T) {
	for _, dims := range [][]int{{}, {2}, {2, 1, 3}, {1, 2, 1, 3, 1, 2}} {
		t.Run(fmt.Sprint(dims), func(t *testing.T) {
			var captured []T
			for i := range 20 {
				captured = append(captured, hop.Full(hop.Float64, 0.1*float64(i+1), dims...))
			}
			xs := hop.Full(hop.Float64, 0.5, append([]int{3}, dims...)...)
			run := func(opts ...hop.Option) []float64 {
				c, ys := hop.Scan(func(c, x T) (T, T) {
					for range 2 { // the second time each is known
						for _, w := range captured {
							c = c.Mul(w).Add(x).Tanh().Sub(w).MulScalar(0.5).Sin().Abs().AddScalar(0.1).Sqrt().Exp().Log1p().Cos().Neg().Square().AddScalar(0.1)
						}
					}
					return c, c.Sum()
				}, hop.Full(hop.Float64, 0.2, dims...), xs, opts...)
				return append(hop.ToSlice[float64](c), hop.ToSlice[float64](ys)...)
			}
			want := run()
			for i, v := range run(hop.Stepwise()) {
				if math.Abs(v-want[i]) > 1e-12 {
					t.Errorf("element %d is %v traced, %v in steps", i, want[i], v)
				}
			}
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					for range 3 {
						if got := run(); !slices.Equal(got, want) {
							t.Errorf("got %v\nwant %v", got, want)
						}
					}
				})
			}
			wg.Wait()
		})
	}
}

// TestCapturedTensorWrittenBetweenUses writes a captured tensor from outside of the trace between two uses of it: the
// trace knows the tensor by then, and must see the new version all the same.
func TestCapturedTensorWrittenBetweenUses(t *testing.T) {
	w := s64(2)
	err := hop.Try(func() {
		hop.Scan(func(c, x T) (T, hop.None) {
			c = c.Mul(w)
			w.Fill(3)
			return c.Mul(w), hop.None{}
		}, s64(1), f64(1))
	})
	var e *hop.Error
	if !errors.As(err, &e) || e.Code != hopcheck.MutatedCaptured {
		t.Errorf("got %v; want %s", err, hopcheck.MutatedCaptured)
	}
}
