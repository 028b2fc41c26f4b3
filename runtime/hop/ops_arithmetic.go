package hop

import "github.com/hoplint/hoplint/runtime/internal/kernels"

// Arithmetic of two tensors.

var opAdd = opRow{
	Name: "add", Method: "Add",
	Doc:     "t + other, element by element",
	Schema:  "add(Tensor self, Tensor other) -> Tensor",
	InPlace: "add_(Tensor(a!) self, Tensor other) -> Tensor(a!)",
	DTypes:  numbers,
	Infer:   broadcast,
	Kernel:  kernels.Add,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return c.pair(func() *Tensor { return dy }, func() *Tensor { return dy })
	},
	Samples: binarySamples(span{-2, 2}, span{-2, 2}),
	Source:  "addition; integers wrap as in Go",
}

var opSub = opRow{
	Name: "sub", Method: "Sub",
	Doc:     "t - other, element by element",
	Schema:  "sub(Tensor self, Tensor other) -> Tensor",
	InPlace: "sub_(Tensor(a!) self, Tensor other) -> Tensor(a!)",
	DTypes:  numbers,
	Infer:   broadcast,
	Kernel:  kernels.Sub,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return c.pair(func() *Tensor { return dy }, func() *Tensor { return dy.Neg() })
	},
	Samples: binarySamples(span{-2, 2}, span{-2, 2}),
	Source:  "subtraction; integers wrap as in Go",
}

var opMul = opRow{
	Name: "mul", Method: "Mul",
	Doc:     "t · other, element by element",
	Schema:  "mul(Tensor self, Tensor other) -> Tensor",
	InPlace: "mul_(Tensor(a!) self, Tensor other) -> Tensor(a!)",
	DTypes:  numbers,
	Infer:   broadcast,
	Kernel:  kernels.Mul,
	Reads:   in0 | in1,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return c.pair(func() *Tensor { return dy.Mul(c.Input(1)) }, func() *Tensor { return dy.Mul(c.Input(0)) })
	},
	Samples: binarySamples(span{-2, 2}, span{-2, 2}),
	Source:  "multiplication; integers wrap as in Go",
}

var opDiv = opRow{
	Name: "div", Method: "Div",
	Doc:     "t / other, element by element; integers are divided and rounded down, and a zero divisor is an error",
	Schema:  "div(Tensor self, Tensor other) -> Tensor",
	InPlace: "div_(Tensor(a!) self, Tensor other) -> Tensor(a!)",
	DTypes:  numbers,
	Infer:   broadcast,
	Kernel:  kernels.Div,
	Reads:   in0 | in1,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return c.pair(
			func() *Tensor { return dy.Div(c.Input(1)) },
			func() *Tensor { b := c.Input(1); return dy.Mul(c.Input(0)).Div(b.Mul(b)).Neg() })
	},
	Samples: binarySamples(span{-3, 3}, span{0.5, 3}),
	Source:  "division; NumPy's floor_divide for integers",
}

var opPow = opRow{
	Name: "pow", Method: "Pow",
	Doc:     "t to the power of other, element by element; a negative power of an integer is an error",
	Schema:  "pow(Tensor self, Tensor other) -> Tensor",
	InPlace: "pow_(Tensor(a!) self, Tensor other) -> Tensor(a!)",
	DTypes:  numbers,
	Infer:   broadcast,
	Kernel:  kernels.Pow,
	Reads:   in0 | in1,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return c.pair(
			// A factor 0 ends the term even where the power beside it is infinite.
			func() *Tensor {
				a, b := c.Input(0), c.Input(1)
				return Where(b.EqScalar(0), c.zero(), dy.Mul(b).Mul(a.Pow(b.SubScalar(1))))
			},
			func() *Tensor {
				a, b := c.Input(0), c.Input(1)
				return Where(a.EqScalar(0), c.zero(), dy.Mul(a.Pow(b)).Mul(a.Log()))
			})
	},
	Samples: binarySamples(span{0.5, 2}, span{0, 2}),
	Source:  "exponentiation; C99 Annex F for special floats",
}

var opMod = opRow{
	Name: "mod", Method: "Mod",
	Doc:     "the remainder of t / other with the divisor's sign, element by element; a zero integer divisor is an error",
	Schema:  "mod(Tensor self, Tensor other) -> Tensor",
	InPlace: "mod_(Tensor(a!) self, Tensor other) -> Tensor(a!)",
	DTypes:  numbers,
	Infer:   broadcast,
	Kernel:  kernels.Mod,
	Reads:   in0 | in1,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return c.pair(
			func() *Tensor { return dy },
			func() *Tensor { return dy.Mul(c.Input(0).Div(c.Input(1)).Floor()).Neg() })
	},
	Samples: binarySamples(span{-3, 3}, span{1, 2}),
	Source:  "NumPy's mod: t - other·floor(t/other)",
}

var opMaximum = opRow{
	Name: "maximum", Method: "Maximum",
	Doc:     "the larger of t and other, element by element; NaN wins",
	Schema:  "maximum(Tensor self, Tensor other) -> Tensor",
	InPlace: "maximum_(Tensor(a!) self, Tensor other) -> Tensor(a!)",
	DTypes:  numbers,
	Infer:   broadcast,
	Kernel:  kernels.Maximum,
	Reads:   in0 | in1,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return c.pair(
			func() *Tensor { return dy.Mul(winner(c.Input(0), c.Input(1), (*Tensor).Gt)) },
			func() *Tensor { return dy.Mul(winner(c.Input(1), c.Input(0), (*Tensor).Gt)) })
	},
	Samples: binarySamples(span{-2, 2}, span{-2, 2}),
	Source:  "NumPy's maximum; ties share the gradient equally",
}

var opMinimum = opRow{
	Name: "minimum", Method: "Minimum",
	Doc:     "the smaller of t and other, element by element; NaN wins",
	Schema:  "minimum(Tensor self, Tensor other) -> Tensor",
	InPlace: "minimum_(Tensor(a!) self, Tensor other) -> Tensor(a!)",
	DTypes:  numbers,
	Infer:   broadcast,
	Kernel:  kernels.Minimum,
	Reads:   in0 | in1,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return c.pair(
			func() *Tensor { return dy.Mul(winner(c.Input(0), c.Input(1), (*Tensor).Lt)) },
			func() *Tensor { return dy.Mul(winner(c.Input(1), c.Input(0), (*Tensor).Lt)) })
	},
	Samples: binarySamples(span{-2, 2}, span{-2, 2}),
	Source:  "NumPy's minimum; ties share the gradient equally",
}

// winner is 1 where a beats b, 1/2 where they are equal and 0 elsewhere.
func winner(a, b *Tensor, beats func(a, b *Tensor) *Tensor) *Tensor {
	dt := a.DType()
	return beats(a, b).To(dt).Add(a.Eq(b).To(dt).MulScalar(0.5))
}

var opAtan2 = opRow{
	Name: "atan2", Method: "Atan2",
	Doc:     "the angle of the point (other, t), from -π to π, element by element",
	Schema:  "atan2(Tensor self, Tensor other) -> Tensor",
	InPlace: "atan2_(Tensor(a!) self, Tensor other) -> Tensor(a!)",
	DTypes:  floats,
	Infer:   broadcast,
	Kernel:  kernels.Atan2,
	Reads:   in0 | in1,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		scaled := func() *Tensor { return dy.Div(c.Input(0).Square().Add(c.Input(1).Square())) }
		return c.pair(
			func() *Tensor { return scaled().Mul(c.Input(1)) },
			func() *Tensor { return scaled().Mul(c.Input(0)).Neg() })
	},
	Samples: binarySamples(span{-2, 2}, span{0.5, 2}),
	Source:  "C99 atan2; gradient (x, -y)/(x²+y²)",
}
