package hop_test

import (
	"fmt"

	"github.com/hoplint/hoplint/runtime/hop"
)

func ExampleTensor_Backward_training() {
	w := hop.FromSlice([]float64{1, 2}).SetRequiresGrad(true)
	x := hop.FromSlice([]float64{3, 4})
	loss := w.Mul(x).Sum().Square()
	loss.Backward()
	fmt.Println(loss, w.Grad())

	w.Detach().SubInPlace(w.Grad().MulScalar(0.01)) // one step of gradient descent
	w.ZeroGrad()
	fmt.Println(w)
	// Output:
	// 121 [66 88]
	// [0.33999999999999997 1.12]
}

func ExampleGrad() {
	type params struct{ W, B *hop.Tensor }
	x, want := hop.FromSlice([]float64{1, 2, 3}), hop.FromSlice([]float64{3, 5, 7})
	loss := func(p params) *hop.Tensor {
		return x.Mul(p.W).Add(p.B).Sub(want).Square().Mean()
	}
	p := params{hop.Scalar(0.0), hop.Scalar(0.0)}
	for range 300 {
		g := hop.Grad(loss)(p)
		p = params{p.W.Sub(g.W.MulScalar(0.15)), p.B.Sub(g.B.MulScalar(0.15))}
	}
	fmt.Printf("%.3f %.3f\n", hop.Item[float64](p.W), hop.Item[float64](p.B))

	cube := func(x *hop.Tensor) *hop.Tensor { return x.Mul(x).Mul(x) }
	fmt.Println(hop.Grad(hop.Grad(cube))(hop.Scalar(2.0)))
	// Output:
	// 2.000 1.000
	// 12
}

func ExampleValueAndGradAux() {
	x := hop.FromSlice([]float64{1, 2})
	loss, residuals, g := hop.ValueAndGradAux(func(w *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		r := x.Mul(w).SubScalar(1)
		return r.Square().Sum(), r
	})(hop.Scalar(2.0))
	fmt.Println(loss, residuals, g)
	// Output: 10 [1 3] 14
}

func ExampleVJP() {
	y, pull := hop.VJP(func(x *hop.Tensor) *hop.Tensor { return x.Mul(x) }, hop.FromSlice([]float64{1, 2, 3}))
	fmt.Println(y)
	fmt.Println(pull(hop.FromSlice([]float64{1, 0, 0})), pull(hop.FromSlice([]float64{1, 1, 1})))
	// Output:
	// [1 4 9]
	// [2 0 0] [2 4 6]
}

func ExampleJVP() {
	swing := func(angle *hop.Tensor) *hop.Tensor { return hop.Stack(0, angle.Cos(), angle.Sin()) }
	position, velocity := hop.JVP(swing, hop.Scalar(0.0), hop.Scalar(2.0))
	fmt.Println(position, velocity)
	// Output: [1 0] [0 2]
}

func ExampleHessian() {
	rosenbrock := func(p *hop.Tensor) *hop.Tensor {
		x, y := p.Select(0, 0), p.Select(0, 1)
		return x.OneMinus().Square().Add(y.Sub(x.Square()).Square().MulScalar(100))
	}
	fmt.Println(hop.Hessian(rosenbrock)(hop.FromSlice([]float64{1, 1})))
	// Output: [[802 -400] [-400 200]]
}

func ExampleCheckGrad() {
	double := hop.CustomVJP(
		func(x *hop.Tensor) (*hop.Tensor, hop.None) { return x.MulScalar(2), hop.None{} },
		func(_ hop.None, dy *hop.Tensor) *hop.Tensor { return dy.MulScalar(3) }) // wrong
	err := hop.CheckGrad(func(x *hop.Tensor) *hop.Tensor { return double(x).Sum() }, hop.FromSlice([]float64{1, 2}))
	fmt.Println(err != nil)
	fmt.Println(hop.CheckGrad(func(x *hop.Tensor) *hop.Tensor { return x.Exp().Sum() }, hop.FromSlice([]float64{1, 2})))
	// Output:
	// true
	// <nil>
}

// A logarithm of the sum of exponentials whose derivative is written out.
func ExampleCustomVJP() {
	logSumExp := hop.CustomVJP(
		func(x *hop.Tensor) (y, softmax *hop.Tensor) { return x.LogSumExp(), x.Softmax(0) },
		func(softmax, dy *hop.Tensor) *hop.Tensor { return softmax.Mul(dy) })
	y, g := hop.ValueAndGrad(logSumExp)(hop.FromSlice([]float64{0, 0, 0, 0}))
	fmt.Println(y, g)
	// Output: 1.3862943611198906 [0.25 0.25 0.25 0.25]
}

// Of a checkpointed step the gradient keeps the carry, and computes the rest again.
func ExampleCheckpoint() {
	step := hop.Checkpoint(func(s [2]*hop.Tensor) *hop.Tensor { return s[0].Mul(s[1]).Sin().Exp() })
	loss := func(x *hop.Tensor) *hop.Tensor {
		h, _ := hop.Scan(func(h, x *hop.Tensor) (*hop.Tensor, hop.None) {
			return step([2]*hop.Tensor{h, x}), hop.None{}
		}, hop.Scalar(1.0), x)
		return h
	}
	fmt.Println(hop.CheckGrad(loss, hop.FromSlice([]float64{0.1, 0.2, 0.3})))
	// Output: <nil>
}
