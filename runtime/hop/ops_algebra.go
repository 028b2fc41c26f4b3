package hop

import (
	"github.com/hoplint/hoplint/runtime/internal/kernels"
)

// Linear algebra on stacks of matrices.

var opNorm = opRow{
	Name: "norm", Method: "Norm",
	Doc:    "the Euclidean norm of t over dims, or of all elements when none are given, without overflow",
	Schema: "norm(Tensor self, int... dims, bool keepdim) -> Tensor",
	DTypes: floats,
	Infer:  reduced(keepDType),
	Kernel: kernels.Norm,
	Reads:  in0 | out0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		y := c.Output(0)
		unit := dy.Div(Where(y.EqScalar(0), c.scalar(1), y))
		return one(c.spread(unit).Mul(c.Input(0)))
	},
	Samples: reduceSamples(span{-2, 2}),
	Source:  "NumPy's linalg.norm; 0 over no elements; the gradient at 0 is 0, the subgradient of least norm",
}

var opInverse = opRow{
	Name: "inverse", Method: "Inverse",
	Doc:     "the inverses of the square matrices in the last two dims of t; NaN for a singular matrix",
	Schema:  "inverse(Tensor self) -> Tensor",
	InPlace: "inverse_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  floats,
	Infer:   squareKept,
	Kernel:  kernels.Inverse,
	Reads:   out0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		yt := c.Output(0).Transpose(-2, -1)
		return one(yt.MatMul(dy).MatMul(yt).Neg())
	},
	Samples: squareSamples,
	Source:  "LU with partial pivoting; dA = -Yᵀ·dY·Yᵀ (Giles 2008, 2.2.3)",
}

var opDet = opRow{
	Name: "det", Method: "Det",
	Doc:    "the determinants of the square matrices in the last two dims of t; 1 for a matrix without rows",
	Schema: "det(Tensor self) -> Tensor",
	DTypes: floats,
	Infer:  determined,
	Kernel: kernels.Det,
	Reads:  in0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy.Unsqueeze(-1).Unsqueeze(-1).Mul(unary(idCofactor, c.Input(0))))
	},
	Samples: squareSamples,
	Source:  "LU with partial pivoting; dA = dy·cof(A), which is right for a singular matrix too (Giles 2008, 2.2.4)",
}

var opLogDet = opRow{
	Name: "log_det", Method: "LogDet",
	Doc:    "the logarithm of the determinants of the square matrices in the last two dims of t, without overflow; -Inf for a singular matrix, NaN where the determinant is negative",
	Schema: "log_det(Tensor self) -> Tensor",
	DTypes: floats,
	Infer:  determined,
	Kernel: kernels.LogDet,
	Reads:  in0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy.Unsqueeze(-1).Unsqueeze(-1).Mul(c.Input(0).Inverse().Transpose(-2, -1)))
	},
	Samples: squareSamples,
	Source:  "LU with partial pivoting; dA = dy·A⁻ᵀ (Giles 2008, 2.2.4)",
}

var opCofactor = opRow{
	Name: "cofactor", Internal: true,
	Doc:    "the cofactors of the square matrices in the last two dims of t, det(A)·A⁻ᵀ where A has an inverse",
	Schema: "cofactor(Tensor self) -> Tensor",
	DTypes: floats,
	Infer:  squareKept,
	Kernel: kernels.Cofactor,
	Reads:  in0 | out0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		switch n := c.size(0, -1); {
		case n.LeScalar(1):
			return one(c.zeros(0))
		case n.LeScalar(2): // cofactors are the elements themselves, exchanged
			return one(unary(idCofactor, dy))
		}
		y, inverse := c.Output(0), c.Input(0).Inverse().Transpose(-2, -1)
		inner := dy.Mul(y).SumKeepDims(-2, -1)
		return one(inverse.Mul(inner).Sub(y.MatMul(dy.Transpose(-2, -1)).MatMul(inverse)))
	},
	Samples: squareSamples,
	Source:  "by the singular values, so that no inverse is needed; C = det(A)·A⁻ᵀ has dA = <dC,C>·A⁻ᵀ - C·dCᵀ·A⁻ᵀ, NaN for a singular matrix of 3 rows or more",
}

var opSolve = opRow{
	Name: "solve", Method: "Solve",
	Doc:    "the x with t·x = b, for the square matrices in the last two dims of t and a vector or stacks of matrices b; NaN for a singular matrix",
	Schema: "solve(Tensor self, Tensor b) -> Tensor",
	DTypes: floats,
	Infer:  solvedFor,
	Kernel: kernels.Solve,
	Reads:  in0 | out0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return solveGradient(c, dy, func(g *Tensor) *Tensor { return c.Input(0).Transpose(-2, -1).Solve(g) }, nil)
	},
	Samples: solveSamples,
	Source:  "NumPy 2's linalg.solve, LU with partial pivoting; dB = A⁻ᵀ·dX, dA = -dB·Xᵀ (Giles 2008, 2.3.1)",
}

var opSolveTriangular = opRow{
	Name: "solve_triangular", Method: "SolveTriangular",
	Doc:    "the x with t·x = b, for the lower triangles of the matrices in the last two dims of t, or the upper ones, and a vector or stacks of matrices b; the other triangle is not read, and a zero on the diagonal gives Inf or NaN",
	Schema: "solve_triangular(Tensor self, Tensor b, bool upper) -> Tensor",
	DTypes: floats,
	Infer:  solvedFor,
	Kernel: kernels.SolveTriangular,
	Reads:  in0 | out0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		upper := c.Attrs().Bool("upper")
		mask := triangle(c.DType(0), c.size(0, -1), 1)
		if upper {
			mask = mask.Transpose(-2, -1)
		}
		return solveGradient(c, dy, func(g *Tensor) *Tensor { return c.Input(0).Transpose(-2, -1).SolveTriangular(g, !upper) }, mask)
	},
	Samples: triangularSamples,
	Source:  "substitution; the gradient of Solve in the triangle that is read",
}

// solveGradient is the gradient of x = A⁻¹·b: that of b is g = A⁻ᵀ·dx, which solve finds, that of A is -g·xᵀ times mask.
func solveGradient(c *vjp, dy *Tensor, solve func(g *Tensor) *Tensor, mask *Tensor) []*Tensor {
	x, isVector := c.Output(0), c.Rank(1) == 1
	if isVector {
		x, dy = x.Unsqueeze(-1), dy.Unsqueeze(-1)
	}
	g := solve(dy)
	return c.reduced(
		func() *Tensor {
			ga := g.MatMul(x.Transpose(-2, -1)).Neg()
			if mask != nil {
				ga = ga.Mul(mask)
			}
			return ga
		},
		func() *Tensor {
			if isVector {
				return g.Squeeze(-1)
			}
			return g
		})
}

// triangle is 1 below the diagonal of a matrix of size rows, has the given diagonal, and is 0 above.
func triangle(dt DType, size Int, diagonal float64) *Tensor {
	if size.value != nil {
		ones := OnesSym(dt, size, size)
		return ones.Tril(0).MulScalar(diagonal).Add(ones.Tril(-1).MulScalar(1 - diagonal))
	}
	n := size.n
	t := newTensor(dt, []int{n, n})
	for i := range n {
		for j := range i {
			t.put(i*n+j, 1)
		}
		t.put(i*n+i, diagonal)
	}
	return t
}

// put writes one element of a fresh float tensor.
func (t *Tensor) put(at int, v float64) {
	if t.storage.dtype == Float32 {
		elems[float32](t.storage, at, 1)[0] = float32(v)
		return
	}
	elems[float64](t.storage, at, 1)[0] = v
}

var opCholesky = opRow{
	Name: "cholesky", Method: "Cholesky",
	Doc:     "the lower triangular L with L·Lᵀ = t, for the symmetric matrices in the last two dims of t, of which the lower triangles are read; NaN for a matrix that is not positive definite",
	Schema:  "cholesky(Tensor self) -> Tensor",
	InPlace: "cholesky_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  floats,
	Infer:   squareKept,
	Kernel:  kernels.Cholesky,
	Reads:   out0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		l := c.Output(0)
		lt := l.Transpose(-2, -1)
		half := triangle(c.DType(0), c.size(0, -1), 0.5)
		middle := lt.MatMul(dy).Mul(half)
		// S = L⁻ᵀ·middle·L⁻¹, the right factor by solving with the transposed.
		s := lt.SolveTriangular(lt.SolveTriangular(middle, true).Transpose(-2, -1), true)
		return one(s.Add(s.Transpose(-2, -1)).Mul(half))
	},
	Samples: positiveSamples,
	Source:  "NumPy's linalg.cholesky; with Φ the lower triangle and half the diagonal, S = L⁻ᵀ·Φ(Lᵀ·dL)·L⁻¹ and dA = Φ(S + Sᵀ), the gradient of the elements that are read (Murray 2016, 3.1; Seeger et al. 2017)",
}

var opQR = opRow{
	Name: "qr", Method: "QR",
	Doc:    "the reduced decomposition t = q·r of the matrices in the last two dims of t: q has orthonormal columns, r is upper triangular",
	Schema: "qr(Tensor self) -> (Tensor, Tensor)", Results: "q, r",
	DTypes: floats,
	Infer:  orthogonalised,
	Kernel: kernels.QR,
	Reads:  in0 | out0 | out1,
	VJP: func(c *vjp, dq *Tensor) []*Tensor {
		dr := c.Grad(1)
		m, n := c.size(0, -2), c.size(0, -1)
		switch {
		case m.LeScalar(0) || n.LeScalar(0):
			return one(c.zeros(0))
		case m.Ge(n):
			return one(qrGradient(c.Output(0), c.Output(1), dq, dr))
		}
		// A = [X Y] and R = [U V] with X = Q·U and V = Qᵀ·Y.
		q, r := c.Output(0), c.Output(1)
		y, dv := c.Input(0).NarrowSym(-1, m, n.Sub(m)), dr.NarrowSym(-1, m, n.Sub(m))
		dx := qrGradient(q, r.NarrowSym(-1, IntOf(0), m), dq.Add(y.MatMul(dv.Transpose(-2, -1))), dr.NarrowSym(-1, IntOf(0), m))
		return one(Concat(-1, dx, q.MatMul(dv)))
	},
	Samples: rectangularSamples,
	Source:  "Householder, LAPACK's signs; the gradient needs independent columns and is Inf or NaN without (Seeger et al. 2017; wide matrices: Roberts and Roberts 2020)",
}

// qrGradient is the gradient of a matrix with at least as many rows as columns: (dQ + Q·copyltu(R·dRᵀ - dQᵀ·Q))·R⁻ᵀ, where
// copyltu mirrors the lower triangle.
func qrGradient(q, r, dq, dr *Tensor) *Tensor {
	half := triangle(q.DType(), r.SymDim(-1), 0.5)
	m := r.MatMul(dr.Transpose(-2, -1)).Sub(dq.Transpose(-2, -1).MatMul(q)).Mul(half)
	m = m.Add(m.Transpose(-2, -1))
	sum := dq.Add(q.MatMul(m))
	return r.SolveTriangular(sum.Transpose(-2, -1), true).Transpose(-2, -1)
}
