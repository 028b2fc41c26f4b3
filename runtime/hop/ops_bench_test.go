package hop_test

import (
	"fmt"
	"testing"

	"github.com/hoplint/hoplint/runtime/hop"
)

// BenchmarkAdd shows what one eager op costs beyond its elements; loop is the same addition in plain Go.
func BenchmarkAdd(b *testing.B) {
	for _, n := range []int{1, 1000, 100_000} {
		x, y := hop.Ones(hop.Float64, n), hop.Ones(hop.Float64, n)
		b.Run(fmt.Sprintf("op/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				x.Add(y)
			}
		})
		b.Run(fmt.Sprintf("in place/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			z := x.Clone()
			for b.Loop() {
				z.AddInPlace(y)
			}
		})
		b.Run(fmt.Sprintf("loop/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			xs, ys := hop.ToSlice[float64](x), hop.ToSlice[float64](y)
			for b.Loop() {
				out := make([]float64, n)
				for i := range out {
					out[i] = xs[i] + ys[i]
				}
			}
		})
	}
}

func BenchmarkOps(b *testing.B) {
	x := hop.Ones(hop.Float64, 64, 64)
	leaf := hop.Ones(hop.Float64, 64, 64).SetRequiresGrad(true)
	for _, bench := range []struct {
		name string
		f    func()
	}{
		{"Narrow", func() { x.Narrow(0, 1, 2) }},
		{"Sum", func() { x.Sum() }},
		{"SumRows", func() { x.Sum(1) }},
		{"AddRow", func() { x.Add(x.Select(0, 0)) }},
		{"MatMul", func() { x.MatMul(x) }},
		{"MulOfLeaf", func() { leaf.Mul(x) }},
		{"MulOfLeafAndBackward", func() { leaf.Mul(x).Sum().Backward() }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bench.f()
			}
		})
	}
}
