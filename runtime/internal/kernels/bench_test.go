package kernels

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/hoplint/hoplint/tracer"
)

// against reports the best time of run as a multiple of the best time of a hand-written loop, both timed in turn, many
// calls at a time so that the clock does not show.
func against(b *testing.B, calls int, run, loop func()) {
	best := [2]time.Duration{1 << 62, 1 << 62}
	b.ReportAllocs()
	for b.Loop() {
		for k, f := range []func(){run, loop} {
			start := time.Now()
			for range calls {
				f()
			}
			best[k] = min(best[k], time.Since(start))
		}
	}
	b.ReportMetric(float64(best[0])/float64(best[1]), "x-ref")
	b.ReportMetric(float64(best[0])/float64(calls), "best-ns")
	b.ReportMetric(float64(best[1])/float64(calls), "ref-ns")
}

func ramp(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(i%17)*0.125 - 1
	}
	return v
}

func runs(b *testing.B, k Kernel, c *Call) func() {
	return func() {
		if err := k.Run(c); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkElementwise(b *testing.B) {
	for _, n := range []int{1, 64, 4096} {
		x, y, z := ramp(n), ramp(n), make([]float64, n)
		in := []Array{Of(x, n), Of(y, n)}
		out := []Array{New(tracer.Float64, n)}
		calls := 1 + 20000/n
		b.Run(fmt.Sprintf("add/%d", n), func(b *testing.B) {
			against(b, calls, runs(b, Add, &Call{In: in, Out: out}), func() {
				for i := range z {
					z[i] = x[i] + y[i]
				}
			})
		})
		b.Run(fmt.Sprintf("mul_scalar/%d", n), func(b *testing.B) {
			against(b, calls, runs(b, MulScalar, &Call{In: in[:1], Out: out, Attrs: attrs("value", 0.5)}), func() {
				for i := range z {
					z[i] = x[i] * 0.5
				}
			})
		})
		b.Run(fmt.Sprintf("tanh/%d", n), func(b *testing.B) {
			against(b, calls, runs(b, Tanh, &Call{In: in[:1], Out: out}), func() {
				for i := range z {
					z[i] = math.Tanh(x[i])
				}
			})
		})
	}
	const rows, cols = 64, 64
	x, row, z := ramp(rows*cols), ramp(cols), make([]float64, rows*cols)
	out := []Array{New(tracer.Float64, rows, cols)}
	b.Run("add_row/64x64", func(b *testing.B) {
		against(b, 10, runs(b, Add, &Call{In: []Array{Of(x, rows, cols), Of(row, cols)}, Out: out}), func() {
			for i := range rows {
				for j := range cols {
					z[i*cols+j] = x[i*cols+j] + row[j]
				}
			}
		})
	})
	transposed := Of(x, rows, cols)
	transposed.Strides = []int{1, rows}
	b.Run("add_transposed/64x64", func(b *testing.B) {
		against(b, 10, runs(b, Add, &Call{In: []Array{Of(x, rows, cols), transposed}, Out: out}), func() {
			for i := range rows {
				for j := range cols {
					z[i*cols+j] = x[i*cols+j] + x[j*rows+i]
				}
			}
		})
	})
}

func BenchmarkReduce(b *testing.B) {
	const rows, cols = 256, 64
	data := ramp(rows * cols)
	x, z := Of(data, rows, cols), make([]float64, cols)
	b.Run("sum/all", func(b *testing.B) {
		against(b, 10, runs(b, Sum, &Call{In: []Array{x}, Out: []Array{New(tracer.Float64)}}), func() {
			sum := 0.0
			for _, v := range data {
				sum += v
			}
			z[0] = sum
		})
	})
	b.Run("sum/dim0", func(b *testing.B) {
		against(b, 10, runs(b, Sum, &Call{In: []Array{x}, Out: []Array{New(tracer.Float64, cols)}, Attrs: attrs("dims", []int{0})}), func() {
			clear(z)
			for i := range rows {
				for j := range z {
					z[j] += data[i*cols+j]
				}
			}
		})
	})
	b.Run("max/dim1", func(b *testing.B) {
		best := make([]float64, rows)
		against(b, 10, runs(b, Max, &Call{In: []Array{x}, Out: []Array{New(tracer.Float64, rows)}, Attrs: attrs("dims", []int{1})}), func() {
			for i := range best {
				m := math.Inf(-1)
				for _, v := range data[i*cols : (i+1)*cols] {
					m = max(m, v)
				}
				best[i] = m
			}
		})
	})
	b.Run("softmax/dim1", func(b *testing.B) {
		out := make([]float64, rows*cols)
		against(b, 2, runs(b, Softmax, &Call{In: []Array{x}, Out: []Array{New(tracer.Float64, rows, cols)}, Attrs: attrs("dim", 1)}), func() {
			for i := range rows {
				line, o := data[i*cols:(i+1)*cols], out[i*cols:(i+1)*cols]
				m, s := math.Inf(-1), 0.0
				for _, v := range line {
					m = max(m, v)
				}
				for j, v := range line {
					o[j] = math.Exp(v - m)
					s += o[j]
				}
				for j := range o {
					o[j] /= s
				}
			}
		})
	})
}

func BenchmarkMatMul(b *testing.B) {
	for _, n := range []int{2, 4, 8, 16, 64, 256} {
		x, y, z := ramp(n*n), ramp(n*n), make([]float64, n*n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := &Call{In: []Array{Of(x, n, n), Of(y, n, n)}, Out: []Array{New(tracer.Float64, n, n)}}
			against(b, 1+20000/(n*n*n), runs(b, MatMul, c), func() {
				for i := range n {
					row := z[i*n : (i+1)*n]
					clear(row)
					for k := range n {
						a := x[i*n+k]
						for j, v := range y[k*n : (k+1)*n] {
							row[j] += a * v
						}
					}
				}
			})
		})
	}
}
