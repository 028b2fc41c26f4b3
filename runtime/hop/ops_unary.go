package hop

import "github.com/hoplint/hoplint/runtime/internal/kernels"

// Elementwise functions of one tensor: signs, roots and rounding.

var opNeg = opRow{
	Name: "neg", Method: "Neg",
	Doc:     "-t, element by element",
	Schema:  "neg(Tensor self) -> Tensor",
	InPlace: "neg_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  numbers,
	Infer:   sameAs(0),
	Kernel:  kernels.Neg,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy.Neg())
	},
	Samples: unarySamples(span{-2, 2}),
	Source:  "negation",
}

var opAbs = opRow{
	Name: "abs", Method: "Abs",
	Doc:     "the absolute value of t, element by element",
	Schema:  "abs(Tensor self) -> Tensor",
	InPlace: "abs_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  numbers,
	Infer:   sameAs(0),
	Kernel:  kernels.Abs,
	Reads:   in0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy.Mul(c.Input(0).Sign()))
	},
	Samples: unarySamples(span{-2, 2}),
	Source:  "|t|; the gradient at 0 is 0",
}

var opSign = opRow{
	Name: "sign", Method: "Sign",
	Doc:     "-1, 0 or 1, the sign of t, element by element",
	Schema:  "sign(Tensor self) -> Tensor",
	InPlace: "sign_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  numbers,
	Infer:   sameAs(0),
	Kernel:  kernels.Sign,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(c.zeros(0))
	},
	Samples: unarySamples(span{-2, 2}),
	Source:  "NumPy's sign; piecewise constant, so the gradient is 0",
}

var opSquare = opRow{
	Name: "square", Method: "Square",
	Doc:     "t², element by element",
	Schema:  "square(Tensor self) -> Tensor",
	InPlace: "square_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  numbers,
	Infer:   sameAs(0),
	Kernel:  kernels.Square,
	Reads:   in0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy.Mul(c.Input(0)).MulScalar(2))
	},
	Samples: unarySamples(span{-2, 2}),
	Source:  "t·t",
}

var opOneMinus = opRow{
	Name: "one_minus", Method: "OneMinus",
	Doc:     "1 - t, element by element",
	Schema:  "one_minus(Tensor self) -> Tensor",
	InPlace: "one_minus_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  numbers,
	Infer:   sameAs(0),
	Kernel:  kernels.OneMinus,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy.Neg())
	},
	Samples: unarySamples(span{-2, 2}),
	Source:  "complement of a probability or gate",
}

var opReciprocal = opRow{
	Name: "reciprocal", Method: "Reciprocal",
	Doc:     "1 / t, element by element",
	Schema:  "reciprocal(Tensor self) -> Tensor",
	InPlace: "reciprocal_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  floats,
	Infer:   sameAs(0),
	Kernel:  kernels.Reciprocal,
	Reads:   out0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy.Mul(c.Output(0).Square()).Neg())
	},
	Samples: unarySamples(span{0.5, 2}),
	Source:  "1/t",
}

var opRelu = opRow{
	Name: "relu", Method: "Relu",
	Doc:     "t where it is positive and 0 elsewhere, element by element",
	Schema:  "relu(Tensor self) -> Tensor",
	InPlace: "relu_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  numbers,
	Infer:   sameAs(0),
	Kernel:  kernels.Relu,
	Reads:   in0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(Where(c.Input(0).GtScalar(0), dy, c.zero()))
	},
	Samples: unarySamples(span{-2, 2}),
	Source:  "rectifier; the gradient at 0 is 0",
}

var opFloor = opRow{
	Name: "floor", Method: "Floor",
	Doc:     "t rounded down, element by element",
	Schema:  "floor(Tensor self) -> Tensor",
	InPlace: "floor_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  numbers,
	Infer:   sameAs(0),
	Kernel:  kernels.Floor,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(c.zeros(0))
	},
	Samples: unarySamples(span{-2, 2}),
	Source:  "piecewise constant, so the gradient is 0",
}

var opCeil = opRow{
	Name: "ceil", Method: "Ceil",
	Doc:     "t rounded up, element by element",
	Schema:  "ceil(Tensor self) -> Tensor",
	InPlace: "ceil_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  numbers,
	Infer:   sameAs(0),
	Kernel:  kernels.Ceil,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(c.zeros(0))
	},
	Samples: unarySamples(span{-2, 2}),
	Source:  "piecewise constant, so the gradient is 0",
}

var opRound = opRow{
	Name: "round", Method: "Round",
	Doc:     "t rounded to the nearest integer, halves to the even one, element by element",
	Schema:  "round(Tensor self) -> Tensor",
	InPlace: "round_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  numbers,
	Infer:   sameAs(0),
	Kernel:  kernels.Round,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(c.zeros(0))
	},
	Samples: unarySamples(span{-2, 2}),
	Source:  "IEEE 754 roundTiesToEven; piecewise constant, so the gradient is 0",
}

var opSqrt = opRow{
	Name: "sqrt", Method: "Sqrt",
	Doc:     "the square root of t, element by element",
	Schema:  "sqrt(Tensor self) -> Tensor",
	InPlace: "sqrt_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  floats,
	Infer:   sameAs(0),
	Kernel:  kernels.Sqrt,
	Reads:   out0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy.Div(c.Output(0).MulScalar(2)))
	},
	Samples: unarySamples(span{0.5, 3}),
	Source:  "IEEE 754 squareRoot; y' = 1/(2y)",
}

var opRsqrt = opRow{
	Name: "rsqrt", Method: "Rsqrt",
	Doc:     "1 / √t, element by element",
	Schema:  "rsqrt(Tensor self) -> Tensor",
	InPlace: "rsqrt_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  floats,
	Infer:   sameAs(0),
	Kernel:  kernels.Rsqrt,
	Reads:   out0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		y := c.Output(0)
		return one(dy.Mul(y).Mul(y).Mul(y).MulScalar(-0.5))
	},
	Samples: unarySamples(span{0.5, 3}),
	Source:  "reciprocal square root; y' = -y³/2",
}
