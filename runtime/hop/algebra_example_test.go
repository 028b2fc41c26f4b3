package hop_test

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/hoplint/hoplint/runtime/hop"
)

func ExampleEinsum() {
	x := hop.Arange(hop.Float64, 6).View(2, 3)
	y := hop.Arange(hop.Float64, 12).View(3, 4)
	fmt.Println(hop.Einsum("ij,jk->ik", x, y))                          // a matrix product
	fmt.Println(hop.Einsum("ij->j", x))                                 // sums of columns
	fmt.Println(hop.Einsum("...i,i->...", x, hop.Ones(hop.Float64, 3))) // any dims before the last
	// Output:
	// [[20 23 26 29] [56 68 80 92]]
	// [3 5 7]
	// [3 12]
}

func ExampleTensor_Solve() {
	a := hop.FromSlice([]float64{2, 1, 1, 3}, 2, 2)
	x := a.Solve(hop.FromSlice([]float64{3, 5}))
	fmt.Printf("%.3v %.3v\n", x, a.MatMul(x))
	// Output: [0.8 1.4] [3 5]
}

func ExampleTensor_SolveTriangular() {
	// The Gaussian log density of x by the Cholesky factor of its covariance: no inverse is made.
	cov := hop.FromSlice([]float64{4, 2, 2, 3}, 2, 2)
	x := hop.FromSlice([]float64{2, 1})
	l := cov.Cholesky()
	z := l.SolveTriangular(x, false)
	fmt.Printf("%.4v\n", z.Square().Sum().MulScalar(-0.5).Sub(l.Diagonal(0, 0, 1).Log().Sum()))
	// Output: -1.54
}

func ExampleTensor_Cholesky() {
	a := hop.FromSlice([]float64{4, 2, 2, 2, 1, 2, 2, 1}, 2, 2, 2)
	fmt.Println(a.Cholesky()) // the second matrix is not positive definite
	// Output: [[[2 0] [1 1]] [[NaN NaN] [NaN NaN]]]
}

func ExampleTensor_Inverse() {
	a := hop.FromSlice([]float64{2, 0, 0, 4, 1, 1, 0, 1}, 2, 2, 2)
	fmt.Println(a.Inverse())
	// Output: [[[0.5 0] [0 0.25]] [[1 -1] [0 1]]]
}

func ExampleTensor_Det() {
	a := hop.FromSlice([]float64{1, 2, 2, 4}, 2, 2).SetRequiresGrad(true)
	d := a.Det()
	d.Backward()
	fmt.Println(d, a.Grad()) // the matrix is singular and has a gradient all the same
	// Output: 0 [[4 -2] [-2 1]]
}

func ExampleTensor_QR() {
	a := hop.FromSlice([]float64{3, 4, 0, 5}, 2, 2).T()
	q, r := a.QR()
	fmt.Printf("%.2v\n%.2v\n", q, r)
	// Output:
	// [[-0.6 -0.8] [-0.8 0.6]]
	// [[-5 -4] [0 3]]
}

func ExampleTensor_Norm() {
	x := hop.FromSlice([]float64{3, 4, 6, 8}, 2, 2)
	fmt.Println(x.Norm(1), x.NormKeepDims(0).Shape())
	// Output: [5 10] [1 2]
}

func ExampleTensor_Conv1d() {
	x := hop.FromSlice([]float64{1, 2, 4, 8, 16}, 1, 5)
	difference := hop.FromSlice([]float64{-1, 1}, 1, 1, 2)
	fmt.Println(x.Conv1d(difference, 1, 0, 1, 1))
	mean := hop.Full(hop.Float64, 0.25, 1, 1, 3)
	fmt.Println(x.Conv1d(mean, 1, 1, 1, 1)) // padding keeps the size
	// Output:
	// [[1 2 4 8]]
	// [[0.75 1.75 3.5 7 6]]
}

func ExampleFromMatrix() {
	s := mat.NewSymDense(2, []float64{2, 1, 1, 2})
	var eigen mat.EigenSym
	eigen.Factorize(s, false)
	fmt.Println(hop.FromMatrix(s), hop.FromSlice(eigen.Values(nil)).Prod())
	// Output: [[2 1] [1 2]] 3
}

func ExampleTensor_Dense() {
	x := hop.Arange(hop.Float64, 4).View(2, 2)
	fmt.Println(mat.Formatted(x.T().Dense()))
	// Output:
	// ⎡0  2⎤
	// ⎣1  3⎦
}
