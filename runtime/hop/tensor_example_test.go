package hop_test

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/hoplint/hoplint/runtime/hop"
)

func ExampleFromSlice() {
	x := hop.FromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3)
	fmt.Println(x)
	fmt.Println(x.T())
	fmt.Println(x.Select(1, 2).Strides())
	// Output:
	// [[1 2 3] [4 5 6]]
	// [[1 4] [2 5] [3 6]]
	// [3]
}

func ExampleWrap() {
	samples := []float32{1, 2, 3}
	x := hop.Wrap(samples)
	x.MulScalarInPlace(10)
	fmt.Println(samples)
	// Output: [10 20 30]
}

func ExampleWrapDense() {
	m := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	hop.WrapDense(m).T().Select(0, 0).Zero()
	fmt.Println(mat.Formatted(m))
	// Output:
	// ⎡0  2⎤
	// ⎣0  4⎦
}

func ExampleRandn() {
	rng := rand.New(rand.NewPCG(1, 2))
	w := hop.Randn(rng, hop.Float32, 64, 10)
	fmt.Println(w.DType(), w.Shape())
	// Output: float32 [64 10]
}

func ExampleTensor_Add() {
	columns := hop.FromSlice([]float64{10, 20}, 2, 1)
	row := hop.FromSlice([]float64{1, 2, 3})
	fmt.Println(columns.Add(row))
	// Output: [[11 12 13] [21 22 23]]
}

func ExampleTensor_Narrow() {
	x := hop.Arange(hop.Int64, 6)
	middle := x.Narrow(0, 2, 3)
	middle.AddScalarInPlace(100) // a view: the base changes too
	fmt.Println(x, x.Version())
	// Output: [0 1 102 103 104 5] 1
}

func ExampleTensor_SumKeepDims() {
	x := hop.FromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3)
	fmt.Println(x.Sum(), x.Sum(0), x.Div(x.SumKeepDims(1)).Sum(1))
	// Output: 21 [5 7 9] [1 1]
}

func ExampleTensor_Backward() {
	w := hop.FromSlice([]float64{2, -1}).SetRequiresGrad(true)
	x := hop.FromSlice([]float64{3, 5})
	loss := w.Mul(x).Sum().Square()
	loss.Backward()
	fmt.Println(loss, w.Grad())
	w.Detach().SubInPlace(w.Grad().MulScalar(0.01)) // one step of gradient descent
	fmt.Println(w)
	// Output:
	// 1 [6 10]
	// [1.94 -1.1]
}

func ExampleTry() {
	err := hop.Try(func() {
		hop.Zeros(hop.Float32, 2, 3).MatMul(hop.Zeros(hop.Float32, 2, 3))
	})
	fmt.Println(err.(*hop.Error).Detail)
	// Output: operands are float32[2 3] and float32[2 3]: inner sizes 3 and 2 differ; make them equal, e.g. with T
}

func ExampleMapLeaves() {
	type params struct{ W, B *hop.Tensor }
	p := params{W: hop.Ones(hop.Float64, 2), B: hop.Scalar(3.0)}
	half := hop.MapLeaves(func(leaf ...*hop.Tensor) *hop.Tensor { return leaf[0].MulScalar(0.5) }, p)
	for path, leaf := range hop.Leaves(half) {
		fmt.Println(path, leaf)
	}
	// Output:
	// .W [0.5 0.5]
	// .B 1.5
}
