package exec

import (
	"fmt"
	"math"
	"testing"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

// BenchmarkW8Map is workload W8: softmax(row @ W) of 10000 rows of 128.
func BenchmarkW8Map(b *testing.B) {
	const rows, width = 10000, 128
	body := bodyOf("body", []tracer.Meta{m(f32, width), m(f32, width, width)}, func(b *graph, in []*tracer.Node) []*tracer.Node {
		return []*tracer.Node{b.node("softmax", in[0].Meta, attrs("dim", 0), b.node("matmul", in[0].Meta, nil, in[0], in[1]))}
	})
	g := rootOf([]tracer.Meta{m(f32, rows, width), m(f32, width, width)}, func(g *graph, in []*tracer.Node) []*tracer.Node {
		return g.mapped(body, 1, rows, in...)
	})
	xs, w := make([]float32, rows*width), make([]float32, width*width)
	for i := range xs {
		xs[i] = float32(2 * unit(uint32(i), 10))
	}
	for i := range w {
		w[i] = float32(.5 * unit(uint32(i), 11))
	}
	p, ins, outs := compiled(b, g), []kernels.Array{kernels.Of(xs, rows, width), kernels.Of(w, width, width)}, outputsFor(g.Graph)
	y := make([]float32, rows*width)
	against(b, func() { mustRun(b, p, ins, outs) }, func() {
		for r := range rows {
			x, out := xs[r*width:(r+1)*width], y[r*width:(r+1)*width]
			clear(out)
			for k, v := range x {
				for j, u := range w[k*width : (k+1)*width] {
					out[j] += v * u
				}
			}
			most, s := out[0], float32(0)
			for _, v := range out {
				most = max(most, v)
			}
			for j, v := range out {
				out[j] = float32(math.Exp(float64(v - most)))
				s += out[j]
			}
			for j := range out {
				out[j] /= s
			}
		}
	})
	for i, got := range kernels.Elems[float32](outs[0]) {
		if d := got - y[i]; d > 1e-6 || d < -1e-6 {
			b.Fatalf("element %d is %v, the loop has %v", i, got, y[i])
		}
	}
}

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
