package exec

import (
	"fmt"
	"testing"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

// affine is combine((a1, b1), (a2, b2)) = (a1·a2, a2·b1 + b2).
func affine(dt tracer.DType, shape ...int) *graph {
	c := newGraph("affine")
	a1, b1, a2, b2 := c.input(dt, shape...), c.input(dt, shape...), c.input(dt, shape...), c.input(dt, shape...)
	c.Outputs = []*tracer.Node{c.same("mul", a1, a2), c.same("add", c.same("mul", a2, b1), b2)}
	return c
}

func affineScan(dt tracer.DType, length int, shape ...int) *graph {
	g := newGraph("root")
	dims := append([]int{length}, shape...)
	g.Outputs = g.associative(affine(dt, shape...), length, g.input(dt, dims...), g.input(dt, dims...))[1:]
	return g
}

// BenchmarkW5LinearRecurrence is workload W5 with rows of 64, and with rows of one number.
func BenchmarkW5LinearRecurrence(b *testing.B) {
	for _, width := range []int{64, 8, 0} {
		b.Run(fmt.Sprint(width), func(b *testing.B) {
			const length = 65536
			shape := []int{width}
			if width == 0 {
				shape = nil
			}
			p := compiled(b, affineScan(f32, length, shape...))
			n := length * max(width, 1)
			as, bs, out := make([]float32, n), make([]float32, n), make([]float32, n)
			for i := range as {
				as[i], bs[i] = float32(.2*unit(uint32(i), 7)+.9), float32(unit(uint32(i), 8))
			}
			dims := append([]int{length}, shape...)
			ins := []kernels.Array{kernels.Of(as, dims...), kernels.Of(bs, dims...)}
			outs := []kernels.Array{kernels.New(f32, dims...)}
			w := max(width, 1)
			against(b, func() { mustRun(b, p, ins, outs) }, func() {
				copy(out[:w], bs)
				for t := 1; t < length; t++ {
					y, before := out[t*w:(t+1)*w], out[(t-1)*w:t*w]
					for j, a := range as[t*w : (t+1)*w] {
						y[j] = a*before[j] + bs[t*w+j]
					}
				}
			})
			got, want := kernels.Elems[float32](outs[0])[n-1], out[n-1]
			if d := got - want; d > 1e-4 || d < -1e-4 {
				b.Fatalf("last element is %v, the loop has %v", got, want)
			}
		})
	}
}
