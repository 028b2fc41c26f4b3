package hop

import (
	"fmt"
	"testing"
)

// BenchmarkCheckpointMemory measures what a gradient keeps of a scan whose body has many intermediates: saved elements
// for one step, plain and checkpointed, beside the time of forward and backward.
func BenchmarkCheckpointMemory(b *testing.B) {
	const steps, width = 50, 256
	body := func(x *Tensor) *Tensor {
		for range 10 {
			x = x.Sin().Mul(x).Tanh()
		}
		return x
	}
	xs := Ones(Float64, steps, width)
	for _, tc := range []struct {
		name string
		f    func(x *Tensor) *Tensor
	}{{"plain", body}, {"checkpoint", Checkpoint(body)}} {
		b.Run(tc.name, func(b *testing.B) {
			b.ReportAllocs()
			saved := 0
			for b.Loop() {
				x := xs.Clone().SetRequiresGrad(true)
				c, _ := Scan(func(c, x *Tensor) (*Tensor, None) { return tc.f(c.Add(x)), None{} }, Zeros(Float64, width), x)
				y := c.Sum()
				if saved == 0 {
					saved, _ = savedElements(y)
				}
				y.Backward()
			}
			b.ReportMetric(float64(saved)/(steps*width), "saved/x")
		})
	}
}

// BenchmarkGrad measures the gradient of a body of 30 ops: by Grad, by Backward, and the function alone.
func BenchmarkGrad(b *testing.B) {
	f := func(x *Tensor) *Tensor {
		for range 10 {
			x = x.Sin().Mul(x).AddScalar(0.1)
		}
		return x.Sum()
	}
	for _, n := range []int{1, 1000} {
		x := Ones(Float64, n)
		leaf := x.Clone().SetRequiresGrad(true)
		for _, tc := range []struct {
			name string
			run  func()
		}{
			{"function", func() { f(x) }},
			{"Backward", func() { f(leaf).Backward() }},
			{"Grad", func() { Grad(f)(x) }},
			{"Hessian", func() { Hessian(f)(leaf.Detach().Narrow(0, 0, 1)) }},
		} {
			b.Run(fmt.Sprintf("%s/%d", tc.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					tc.run()
				}
			})
		}
	}
}

// BenchmarkScanGradient measures forward and backward of a recurrence by the number of steps.
func BenchmarkScanGradient(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			xs := Ones(Float64, n).MulScalar(0.01)
			for b.Loop() {
				x := xs.Clone().SetRequiresGrad(true)
				c, _ := Scan(func(c, x *Tensor) (*Tensor, None) { return c.Mul(x).Sin().Add(x), None{} }, Scalar(0.5), x)
				c.Backward()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/step")
		})
	}
}
