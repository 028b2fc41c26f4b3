package kernels

import (
	"fmt"
	"testing"

	"github.com/hoplint/hoplint/tracer"
	"gonum.org/v1/gonum/mat"
)

// BenchmarkLinearAlgebra measures against gonum's mat on the same matrix, from the sizes of a Kalman filter on.
func BenchmarkLinearAlgebra(b *testing.B) {
	for _, n := range []int{1, 2, 3, 4, 8, 16, 64} {
		data := ramp(n * n)
		for i := range n {
			data[i*n+i] += float64(2 * n)
		}
		side := ramp(n)
		sym := make([]float64, n*n)
		for i := range n {
			for j := range n {
				sym[i*n+j] = data[i*n+j] + data[j*n+i]
			}
		}
		a, s, x := Of(data, n, n), Of(sym, n, n), Of(side, n)
		da, ds, dx := mat.NewDense(n, n, data), mat.NewSymDense(n, sym), mat.NewDense(n, 1, side)
		square, vector, scalar := New(tracer.Float64, n, n), New(tracer.Float64, n), New(tracer.Float64)
		calls := 1 + 4000/(n*n*n)
		call := func(out Array, in ...Array) *Call { return &Call{Out: []Array{out}, In: in} }
		b.Run(fmt.Sprintf("inverse/%d", n), func(b *testing.B) {
			var m mat.Dense
			against(b, calls, runs(b, Inverse, call(square, a)), func() {
				if err := m.Inverse(da); err != nil {
					b.Fatal(err)
				}
			})
		})
		b.Run(fmt.Sprintf("solve/%d", n), func(b *testing.B) {
			var m mat.Dense
			against(b, calls, runs(b, Solve, call(vector, a, x)), func() {
				if err := m.Solve(da, dx); err != nil {
					b.Fatal(err)
				}
			})
		})
		b.Run(fmt.Sprintf("det/%d", n), func(b *testing.B) {
			against(b, calls, runs(b, Det, call(scalar, a)), func() { mat.Det(da) })
		})
		b.Run(fmt.Sprintf("cholesky/%d", n), func(b *testing.B) {
			var m mat.Cholesky
			against(b, calls, runs(b, Cholesky, call(square, s)), func() { m.Factorize(ds) })
		})
		q, r := New(tracer.Float64, n, n), New(tracer.Float64, n, n)
		b.Run(fmt.Sprintf("qr/%d", n), func(b *testing.B) {
			var m mat.QR
			against(b, calls, runs(b, QR, &Call{Out: []Array{q, r}, In: []Array{a}}), func() { m.Factorize(da) })
		})
	}
}

func BenchmarkEinsum(b *testing.B) {
	for _, n := range []int{2, 16, 128} {
		x, y := Of(ramp(n*n), n, n), Of(ramp(n*n), n, n)
		out, z := New(tracer.Float64, n, n), New(tracer.Float64, n, n)
		calls := 1 + 20000/(n*n*n)
		product := runs(b, MatMul, &Call{Out: []Array{z}, In: []Array{x, y}})
		for _, spec := range []string{"ij,jk->ik", "ij,jk->ki", "ij,kj->ik", "ij,ij->ij"} {
			c := &Call{Out: []Array{out}, In: []Array{x, y}, Attrs: tracer.Attrs{{Key: "spec", Value: spec}}}
			b.Run(fmt.Sprintf("%s/%d", spec, n), func(b *testing.B) { against(b, calls, runs(b, Einsum, c), product) })
		}
	}
}

// BenchmarkConv1d measures against loops over the definition.
func BenchmarkConv1d(b *testing.B) {
	for _, s := range []struct{ channels, filters, groups, taps, size int }{{1, 1, 1, 3, 64}, {64, 64, 64, 4, 256}, {16, 32, 1, 5, 256}} {
		per := s.channels / s.groups
		xs, ws, ys := ramp(s.channels*s.size), ramp(s.filters*per*s.taps), make([]float64, s.filters*(s.size-s.taps+1))
		m := s.size - s.taps + 1
		out := New(tracer.Float64, s.filters, m)
		c := &Call{Out: []Array{out}, In: []Array{Of(xs, s.channels, s.size), Of(ws, s.filters, per, s.taps)},
			Attrs: tracer.Attrs{{Key: "stride", Value: 1}, {Key: "padding", Value: 0}, {Key: "dilation", Value: 1}, {Key: "groups", Value: s.groups}}}
		b.Run(fmt.Sprintf("%+v", s), func(b *testing.B) {
			against(b, 1+10000/len(ys), runs(b, Conv1d, c), func() {
				for o := range s.filters {
					row := ys[o*m : (o+1)*m]
					clear(row)
					for ch := range per {
						x := xs[(o/(s.filters/s.groups)*per+ch)*s.size:]
						for k := range s.taps {
							w := ws[(o*per+ch)*s.taps+k]
							for i := range row {
								row[i] += w * x[i+k]
							}
						}
					}
				}
			})
		})
	}
}
