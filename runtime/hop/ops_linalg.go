package hop

import "github.com/hoplint/hoplint/runtime/internal/kernels"

// Products of vectors and matrices.

var opMatMul = opRow{
	Name: "matmul", Method: "MatMul",
	Doc:    "the matrix product of t and other: matrices in the last two dims, batches before them broadcast, vectors as a row on the left and a column on the right",
	Schema: "matmul(Tensor self, Tensor other) -> Tensor",
	DTypes: numbers,
	Infer:  multiplied,
	Kernel: kernels.MatMul,
	Reads:  in0 | in1,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		asRow, asColumn := c.Rank(0) == 1, c.Rank(1) == 1
		if asColumn {
			dy = dy.Unsqueeze(-1)
		}
		if asRow {
			dy = dy.Unsqueeze(-2)
		}
		matrix := func(i, dim int, vector bool) *Tensor {
			if vector {
				return c.Input(i).Unsqueeze(dim)
			}
			return c.Input(i)
		}
		grads := make([]*Tensor, 2)
		if c.Needs(0) {
			grads[0] = c.fit(dy.MatMul(matrix(1, 1, asColumn).Transpose(-2, -1)), 0)
		}
		if c.Needs(1) {
			grads[1] = c.fit(matrix(0, 0, asRow).Transpose(-2, -1).MatMul(dy), 1)
		}
		return grads
	},
	Samples: matmulSamples,
	Source:  "NumPy's matmul; dA = dY·Bᵀ, dB = Aᵀ·dY",
}

var opDot = opRow{
	Name: "dot", Method: "Dot",
	Doc:    "the inner product of the vectors t and other",
	Schema: "dot(Tensor self, Tensor other) -> Tensor",
	DTypes: numbers,
	Infer:  dotted,
	Kernel: kernels.Dot,
	Reads:  in0 | in1,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return c.pair(func() *Tensor { return dy.Mul(c.Input(1)) }, func() *Tensor { return dy.Mul(c.Input(0)) })
	},
	Samples: vectorSamples(true),
	Source:  "inner product",
}

var opOuter = opRow{
	Name: "outer", Method: "Outer",
	Doc:    "the matrix t[i]·other[j] of the vectors t and other",
	Schema: "outer(Tensor self, Tensor other) -> Tensor",
	DTypes: numbers,
	Infer:  outerProduct,
	Kernel: kernels.Outer,
	Reads:  in0 | in1,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return c.reduced(
			func() *Tensor { return dy.MatMul(c.Input(1)) },
			func() *Tensor { return c.Input(0).MatMul(dy) })
	},
	Samples: vectorSamples(false),
	Source:  "outer product",
}
