package hop_test

import (
	"fmt"

	"github.com/hoplint/hoplint/runtime/hop"
)

func ExampleTensor_String() {
	x := hop.Arange(hop.Float64, 12).View(3, 4).MulScalar(0.1).Exp()
	fmt.Printf("%.3v\n", x)
	fmt.Printf("%8.6v\n", x)
	fmt.Println(hop.Arange(hop.Int64, 3000).View(3, 1000))
	// Output:
	// [[1 1.11 1.22 1.35] [1.49 1.65 1.82 2.01] [2.23 2.46 2.72 3]]
	// [[       1  1.10517   1.2214  1.34986]
	//  [ 1.49182  1.64872  1.82212  2.01375]
	//  [ 2.22554   2.4596  2.71828  3.00417]]
	// [[   0    1    2 ...  997  998  999]
	//  [1000 1001 1002 ... 1997 1998 1999]
	//  [2000 2001 2002 ... 2997 2998 2999]]
}

// The verbs of numbers print element by element.
func ExampleTensor_Format() {
	x := hop.Arange(hop.Float64, 6).View(2, 3).MulScalar(0.75)
	fmt.Printf("%.2f\n", x)
	fmt.Printf("%7.1e\n", x.Select(0, 1))
	fmt.Printf("%3d\n", x.To(hop.Int64).Select(0, 1))
	fmt.Printf("%d\n", x.Select(0, 0))
	// Output:
	// [[0.00 0.75 1.50] [2.25 3.00 3.75]]
	// [2.2e+00 3.0e+00 3.8e+00]
	// [  2   3   3]
	// %!d(*hop.Tensor=[0 0.75 1.5])
}

func ExampleScalar() {
	rate := hop.Scalar(float32(0.5))
	fmt.Println(rate.Rank(), hop.FromSlice([]float32{2, 4}).Mul(rate), hop.Item[float32](rate))
	// Output: 0 [1 2] 0.5
}

func ExampleZeros() {
	fmt.Println(hop.Zeros(hop.Int32, 2, 2), hop.Ones(hop.Bool, 2), hop.Full(hop.Float64, 0.5, 2))
	fmt.Println(hop.Arange(hop.Int64, 4), hop.Eye(hop.Float64, 2), hop.Linspace(hop.Float64, 0, 1, 5))
	// Output:
	// [[0 0] [0 0]] [true true] [0.5 0.5]
	// [0 1 2 3] [[1 0] [0 1]] [0 0.25 0.5 0.75 1]
}

func ExampleValues() {
	x := hop.Arange(hop.Int64, 6).View(2, 3)
	sum := int64(0)
	for v := range hop.Values[int64](x.T()) {
		sum = 10*sum + v
	}
	fmt.Println(sum, hop.ItemAt[int64](x, -1, 0), hop.ToSlice[int64](x.Select(1, 2)))
	// Output: 31425 3 [2 5]
}

func ExampleTensor_AddInPlace() {
	x := hop.Zeros(hop.Float64, 2, 3)
	x.Select(0, 0).AddInPlace(hop.FromSlice([]float64{1, 2, 3})) // through a view
	x.Set(9, 1, -1)
	fmt.Println(x, x.Version())
	// Output: [[1 2 3] [0 0 9]] 2
}

func ExampleTensor_MulScalar() {
	x := hop.FromSlice([]int32{1, 2, 3})
	fmt.Println(x.MulScalar(2), x.PowScalar(2), x.RSubScalar(10))
	err := hop.Try(func() { x.MulScalar(0.5) })
	fmt.Println(err.(*hop.Error).Detail)
	// Output:
	// [2 4 6] [1 4 9] [9 8 7]
	// scalar 0.5 is no int32, tensor is int32; use a value that fits, or convert the tensor with To(Float64)
}

func ExampleTensor_Sigmoid() {
	x := hop.FromSlice([]float64{-1, 0, 1})
	fmt.Printf("%.3v %.3v %.3v\n", x.Sigmoid(), x.Tanh(), x.Relu())
	// Output: [0.269 0.5 0.731] [-0.762 0 0.762] [0 0 1]
}

func ExampleWhere() {
	x := hop.FromSlice([]float64{-4, 9})
	safe := x.Maximum(hop.Scalar(0.0))
	fmt.Println(x.GtScalar(0), hop.Where(x.GtScalar(0), safe.Sqrt(), hop.Scalar(-1.0)))
	// Output: [false true] [-1 3]
}

func ExampleTensor_Max() {
	x := hop.FromSlice([]float64{1, 5, 2, 7, 3, 0}, 2, 3)
	fmt.Println(x.Max(), x.Max(1), x.ArgMax(1), x.Mean(0), x.Var(), x.GtScalar(4).Any(1))
	// Output: 7 [5 7] [1 0] [4 4 1] 5.666666666666667 [true true]
}

func ExampleTensor_CumSum() {
	x := hop.FromSlice([]float64{1, 2, 3, 4})
	fmt.Println(x.CumSum(0), x.CumProd(0), x.Flip(0))
	// Output: [1 3 6 10] [1 2 6 24] [4 3 2 1]
}

func ExampleTensor_Softmax() {
	scores := hop.FromSlice([]float64{1, 1, 1e4, 0}, 2, 2)
	fmt.Println(scores.Softmax(-1), scores.LogSumExp(-1).Round())
	// Output: [[0.5 0.5] [1 0]] [2 10000]
}

func ExampleTensor_MatMul() {
	batch := hop.Arange(hop.Float64, 8).View(2, 2, 2)
	v := hop.FromSlice([]float64{1, 10})
	fmt.Println(batch.MatMul(v), batch.MatMul(hop.Eye(hop.Float64, 2)).Sum(), v.Dot(v), v.Outer(v))
	// Output: [[10 32] [54 76]] 28 101 [[1 10] [10 100]]
}

func ExampleConcat() {
	a, b := hop.FromSlice([]int64{1, 2}), hop.FromSlice([]int64{3, 4})
	fmt.Println(hop.Concat(0, a, b), hop.Stack(0, a, b), hop.Stack(1, a, b))
	// Output: [1 2 3 4] [[1 2] [3 4]] [[1 3] [2 4]]
}

func ExampleTensor_View() {
	x := hop.Arange(hop.Int64, 6)
	m := x.View(2, -1)
	fmt.Println(m, m.Transpose(0, 1).Shape(), m.Unsqueeze(0).Shape(), m.Diagonal(0, 0, 1), m.SharesStorage(x))
	fmt.Println(m.T().Reshape(6), m.T().Reshape(6).SharesStorage(x)) // no view shows this order: a copy
	// Output:
	// [[0 1 2] [3 4 5]] [3 2] [1 2 3] [0 4] true
	// [0 3 1 4 2 5] false
}

func ExampleTensor_To() {
	x := hop.FromSlice([]float64{-1.7, 0, 2.9})
	fmt.Println(x.To(hop.Int64), x.To(hop.Bool), x.Round().To(hop.Float32).DType())
	// Output: [-1 0 2] [true false true] float32
}
