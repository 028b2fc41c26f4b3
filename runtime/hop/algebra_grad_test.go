package hop

import (
	"math/rand/v2"
	"testing"
)

// TestSecondDerivativesOfAlgebra checks the gradient of a sum of sines of the first gradient against finite differences:
// derivatives of derivatives, with every operand of every op.
func TestSecondDerivativesOfAlgebra(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	r := func(dims ...int) *Tensor { return Randn(rng, Float64, dims...) }
	square := func(dims ...int) *Tensor {
		a := r(dims...)
		a.Diagonal(0, -2, -1).AddScalarInPlace(4)
		return a
	}
	q := func(k int) func(x []*Tensor) *Tensor {
		return func(x []*Tensor) *Tensor {
			q, r := x[0].QR()
			return []*Tensor{q, r}[k]
		}
	}
	for _, test := range []struct {
		name string
		f    func(x []*Tensor) *Tensor
		x    []*Tensor
	}{
		{"norm", func(x []*Tensor) *Tensor { return x[0].Norm(1) }, []*Tensor{r(2, 3)}},
		{"inverse", func(x []*Tensor) *Tensor { return x[0].Inverse() }, []*Tensor{square(2, 2, 2)}},
		{"det of 1", func(x []*Tensor) *Tensor { return x[0].Det() }, []*Tensor{square(1, 1)}},
		{"det of 2", func(x []*Tensor) *Tensor { return x[0].Det() }, []*Tensor{r(2, 2)}},
		{"det of 3", func(x []*Tensor) *Tensor { return x[0].Det() }, []*Tensor{square(3, 3).MulScalar(0.3)}},
		{"log_det", func(x []*Tensor) *Tensor { return x[0].LogDet() }, []*Tensor{square(2, 2)}},
		{"solve", func(x []*Tensor) *Tensor { return x[0].Solve(x[1]) }, []*Tensor{square(2, 2), r(2, 2, 1)}},
		{"solve for a vector", func(x []*Tensor) *Tensor { return x[0].Solve(x[1]) }, []*Tensor{square(2, 2, 2), r(2)}},
		{"solve_triangular", func(x []*Tensor) *Tensor { return x[0].SolveTriangular(x[1], true) }, []*Tensor{square(3, 3), r(3)}},
		{"cholesky", func(x []*Tensor) *Tensor { return x[0].MatMul(x[0].T()).Cholesky() }, []*Tensor{square(3, 3)}},
		{"q", q(0), []*Tensor{square(3, 2)}},
		{"r", q(1), []*Tensor{square(2, 2)}},
		{"r of a wide matrix", q(1), []*Tensor{square(2, 3)}},
		{"einsum", func(x []*Tensor) *Tensor { return Einsum("ij,jk,kii->ik", x...) }, []*Tensor{r(2, 3), r(3, 2), r(2, 2, 2)}},
		{"einsum with a trace", func(x []*Tensor) *Tensor { return Einsum("ii,ij->j", x[0], x[0]) }, []*Tensor{r(2, 2)}},
		{"conv1d", func(x []*Tensor) *Tensor { return x[0].Conv1d(x[1], 2, 1, 2, 2) }, []*Tensor{r(2, 4, 5), r(2, 2, 2)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			first := Grad(func(x []*Tensor) *Tensor { return test.f(x).Sin().Sum() })
			err := CheckGrad(func(x []*Tensor) *Tensor {
				sum := Scalar(0.0)
				for _, g := range first(x) {
					sum = sum.Add(g.Sin().Sum())
				}
				return sum
			}, test.x)
			if err != nil {
				t.Error(err)
			}
		})
	}
}
