package hop_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/hoplint/hoplint/runtime/hop"
)

// TestConcurrentReadsAreClean reads tensors, views of them and one leaf of a gradient from many goroutines at once; the
// race detector judges. A write beside a read is the user's error.
func TestConcurrentReadsAreClean(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	x := hop.Randn(rng, hop.Float64, 6, 6)
	w := hop.Randn(rng, hop.Float64, 6, 6).SetRequiresGrad(true)
	spd := x.MatMul(x.T()).Add(hop.Eye(hop.Float64, 6))
	view := x.T().Narrow(0, 1, 4)
	reads := []struct {
		name string
		f    func() float64
	}{
		{"elements", func() float64 {
			sum := 0.0
			for v := range hop.Values[float64](view) {
				sum += v
			}
			return sum + hop.ItemAt[float64](x, 1, 2) + hop.ToSlice[float64](view)[3]
		}},
		{"printing", func() float64 { return float64(len(fmt.Sprintf("%v %.3v", x, view))) }},
		{"shapes and versions", func() float64 {
			return float64(x.NumElems()+view.Rank()+view.Strides()[0]) + float64(x.Version())
		}},
		{"ops", func() float64 {
			return hop.Item[float64](x.MatMul(view.T()).Tanh().Add(x.Narrow(1, 0, 4)).Mean())
		}},
		{"algebra", func() float64 {
			q, r := spd.QR()
			return hop.Item[float64](spd.Cholesky().Sum().Add(spd.Solve(x).Sum()).Add(spd.Det()).Add(hop.Einsum("ij,jk->", q, r)))
		}},
		{"a scan that captures", func() float64 {
			_, ys := hop.Scan(func(c, row *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
				c = c.Add(spd.MatMul(row)).Tanh()
				return c, c.Sum()
			}, hop.Zeros(hop.Float64, 6), x)
			return hop.Item[float64](ys.Sum())
		}},
		{"recorded ops on one leaf", func() float64 {
			y := w.MatMul(x).Sigmoid()
			return hop.Item[float64](y.Detach().Sum())
		}},
		{"gradients of a leaf of its own", func() float64 {
			v := x.Clone().SetRequiresGrad(true)
			v.MatMul(spd).Square().Sum().Backward()
			return hop.Item[float64](v.Grad().Sum())
		}},
		{"gonum", func() float64 { return hop.Item[float64](hop.FromMatrix(view.Dense()).Sum()) }},
	}
	want := make([]float64, len(reads))
	for i, r := range reads {
		want[i] = r.f()
	}
	var group sync.WaitGroup
	for i := range 4 * len(reads) {
		group.Go(func() {
			for range 5 {
				r := reads[i%len(reads)]
				if got := r.f(); got != want[i%len(reads)] || math.IsNaN(got) {
					t.Errorf("%s: got %v, alone %v", r.name, got, want[i%len(reads)])
				}
			}
		})
	}
	group.Wait()
}
