package hop

import (
	"math"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
)

// Elementwise functions of one tensor: exponentials, angles and gates.

var opExp = opRow{
	Name: "exp", Method: "Exp",
	Doc:     "e to the power of t, element by element",
	Schema:  "exp(Tensor self) -> Tensor",
	InPlace: "exp_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  floats,
	Infer:   sameAs(0),
	Kernel:  kernels.Exp,
	Reads:   out0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy.Mul(c.Output(0)))
	},
	Samples: unarySamples(span{-2, 2}),
	Source:  "exponential; y' = y",
}

var opExpm1 = opRow{
	Name: "expm1", Method: "Expm1",
	Doc:     "e^t - 1, accurate near 0, element by element",
	Schema:  "expm1(Tensor self) -> Tensor",
	InPlace: "expm1_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  floats,
	Infer:   sameAs(0),
	Kernel:  kernels.Expm1,
	Reads:   out0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy.Mul(c.Output(0).AddScalar(1)))
	},
	Samples: unarySamples(span{-2, 2}),
	Source:  "C99 expm1; y' = y+1",
}

var opLog = opRow{
	Name: "log", Method: "Log",
	Doc:     "the natural logarithm of t, element by element",
	Schema:  "log(Tensor self) -> Tensor",
	InPlace: "log_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  floats,
	Infer:   sameAs(0),
	Kernel:  kernels.Log,
	Reads:   in0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy.Div(c.Input(0)))
	},
	Samples: unarySamples(span{0.5, 3}),
	Source:  "logarithm; -Inf at 0, NaN below",
}

var opLog1p = opRow{
	Name: "log1p", Method: "Log1p",
	Doc:     "log(1 + t), accurate near 0, element by element",
	Schema:  "log1p(Tensor self) -> Tensor",
	InPlace: "log1p_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  floats,
	Infer:   sameAs(0),
	Kernel:  kernels.Log1p,
	Reads:   in0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy.Div(c.Input(0).AddScalar(1)))
	},
	Samples: unarySamples(span{-0.5, 3}),
	Source:  "C99 log1p",
}

var opSin = opRow{
	Name: "sin", Method: "Sin",
	Doc:     "the sine of t, element by element",
	Schema:  "sin(Tensor self) -> Tensor",
	InPlace: "sin_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  floats,
	Infer:   sameAs(0),
	Kernel:  kernels.Sin,
	Reads:   in0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy.Mul(c.Input(0).Cos()))
	},
	Samples: unarySamples(span{-2, 2}),
	Source:  "sine",
}

var opCos = opRow{
	Name: "cos", Method: "Cos",
	Doc:     "the cosine of t, element by element",
	Schema:  "cos(Tensor self) -> Tensor",
	InPlace: "cos_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  floats,
	Infer:   sameAs(0),
	Kernel:  kernels.Cos,
	Reads:   in0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy.Mul(c.Input(0).Sin()).Neg())
	},
	Samples: unarySamples(span{-2, 2}),
	Source:  "cosine",
}

var opTan = opRow{
	Name: "tan", Method: "Tan",
	Doc:     "the tangent of t, element by element",
	Schema:  "tan(Tensor self) -> Tensor",
	InPlace: "tan_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  floats,
	Infer:   sameAs(0),
	Kernel:  kernels.Tan,
	Reads:   out0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy.Mul(c.Output(0).Square().AddScalar(1)))
	},
	Samples: unarySamples(span{-1, 1}),
	Source:  "tangent; y' = 1+y²",
}

var opTanh = opRow{
	Name: "tanh", Method: "Tanh",
	Doc:     "the hyperbolic tangent of t, element by element",
	Schema:  "tanh(Tensor self) -> Tensor",
	InPlace: "tanh_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  floats,
	Infer:   sameAs(0),
	Kernel:  kernels.Tanh,
	Reads:   out0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy.Mul(c.Output(0).Square().OneMinus()))
	},
	Samples: unarySamples(span{-2, 2}),
	Source:  "hyperbolic tangent; y' = 1-y²",
}

var opAsin = opRow{
	Name: "asin", Method: "Asin",
	Doc:     "the inverse sine of t, element by element",
	Schema:  "asin(Tensor self) -> Tensor",
	InPlace: "asin_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  floats,
	Infer:   sameAs(0),
	Kernel:  kernels.Asin,
	Reads:   in0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy.Mul(c.Input(0).Square().OneMinus().Rsqrt()))
	},
	Samples: unarySamples(span{-0.8, 0.8}),
	Source:  "inverse sine; NaN outside of [-1, 1]",
}

var opAcos = opRow{
	Name: "acos", Method: "Acos",
	Doc:     "the inverse cosine of t, element by element",
	Schema:  "acos(Tensor self) -> Tensor",
	InPlace: "acos_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  floats,
	Infer:   sameAs(0),
	Kernel:  kernels.Acos,
	Reads:   in0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy.Mul(c.Input(0).Square().OneMinus().Rsqrt()).Neg())
	},
	Samples: unarySamples(span{-0.8, 0.8}),
	Source:  "inverse cosine; NaN outside of [-1, 1]",
}

var opAtan = opRow{
	Name: "atan", Method: "Atan",
	Doc:     "the inverse tangent of t, element by element",
	Schema:  "atan(Tensor self) -> Tensor",
	InPlace: "atan_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  floats,
	Infer:   sameAs(0),
	Kernel:  kernels.Atan,
	Reads:   in0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy.Div(c.Input(0).Square().AddScalar(1)))
	},
	Samples: unarySamples(span{-2, 2}),
	Source:  "inverse tangent",
}

var opSinh = opRow{
	Name: "sinh", Method: "Sinh",
	Doc:     "the hyperbolic sine of t, element by element",
	Schema:  "sinh(Tensor self) -> Tensor",
	InPlace: "sinh_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  floats,
	Infer:   sameAs(0),
	Kernel:  kernels.Sinh,
	Reads:   in0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy.Mul(c.Input(0).Cosh()))
	},
	Samples: unarySamples(span{-2, 2}),
	Source:  "hyperbolic sine",
}

var opCosh = opRow{
	Name: "cosh", Method: "Cosh",
	Doc:     "the hyperbolic cosine of t, element by element",
	Schema:  "cosh(Tensor self) -> Tensor",
	InPlace: "cosh_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  floats,
	Infer:   sameAs(0),
	Kernel:  kernels.Cosh,
	Reads:   in0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy.Mul(c.Input(0).Sinh()))
	},
	Samples: unarySamples(span{-2, 2}),
	Source:  "hyperbolic cosine",
}

var opSigmoid = opRow{
	Name: "sigmoid", Method: "Sigmoid",
	Doc:     "1 / (1 + e^-t), element by element",
	Schema:  "sigmoid(Tensor self) -> Tensor",
	InPlace: "sigmoid_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  floats,
	Infer:   sameAs(0),
	Kernel:  kernels.Sigmoid,
	Reads:   out0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		y := c.Output(0)
		return one(dy.Mul(y).Mul(y.OneMinus()))
	},
	Samples: unarySamples(span{-2, 2}),
	Source:  "logistic function; y' = y(1-y)",
}

var opGelu = opRow{
	Name: "gelu", Method: "Gelu",
	Doc:     "t·Φ(t) with Φ the normal distribution function, element by element",
	Schema:  "gelu(Tensor self) -> Tensor",
	InPlace: "gelu_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  floats,
	Infer:   sameAs(0),
	Kernel:  kernels.Gelu,
	Reads:   in0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		x := c.Input(0)
		cdf := x.MulScalar(math.Sqrt2 / 2).Erf().AddScalar(1).MulScalar(0.5)
		pdf := x.Square().MulScalar(-0.5).Exp().MulScalar(1 / math.Sqrt(2*math.Pi))
		return one(dy.Mul(cdf.Add(x.Mul(pdf))))
	},
	Samples: unarySamples(span{-2, 2}),
	Source:  "Hendrycks and Gimpel 2016, exact form; y' = Φ(t) + t·φ(t)",
}

var opSoftplus = opRow{
	Name: "softplus", Method: "Softplus",
	Doc:     "log(1 + e^t), element by element",
	Schema:  "softplus(Tensor self) -> Tensor",
	InPlace: "softplus_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  floats,
	Infer:   sameAs(0),
	Kernel:  kernels.Softplus,
	Reads:   in0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy.Mul(c.Input(0).Sigmoid()))
	},
	Samples: unarySamples(span{-2, 2}),
	Source:  "smooth rectifier; y' = sigmoid(t)",
}

var opErf = opRow{
	Name: "erf", Method: "Erf",
	Doc:     "the error function of t, element by element",
	Schema:  "erf(Tensor self) -> Tensor",
	InPlace: "erf_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  floats,
	Infer:   sameAs(0),
	Kernel:  kernels.Erf,
	Reads:   in0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy.Mul(c.Input(0).Square().Neg().Exp()).MulScalar(2 / math.Sqrt(math.Pi)))
	},
	Samples: unarySamples(span{-2, 2}),
	Source:  "C99 erf; y' = 2/√π·e^(-t²)",
}
