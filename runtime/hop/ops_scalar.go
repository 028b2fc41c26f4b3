package hop

import "github.com/hoplint/hoplint/runtime/internal/kernels"

// Arithmetic of a tensor and a Go number, which takes the dtype of the tensor.

var opAddScalar = opRow{
	Name: "add_scalar", Method: "AddScalar",
	Doc:     "t + value, element by element",
	Schema:  "add_scalar(Tensor self, float value) -> Tensor",
	InPlace: "add_scalar_(Tensor(a!) self, float value) -> Tensor(a!)",
	DTypes:  numbers,
	Infer:   withScalars(sameAs(0), "value"),
	Kernel:  kernels.AddScalar,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy)
	},
	Samples: unarySamples(span{-2, 2}, attr("value", 1.0)),
	Source:  "addition",
}

var opSubScalar = opRow{
	Name: "sub_scalar", Method: "SubScalar",
	Doc:     "t - value, element by element",
	Schema:  "sub_scalar(Tensor self, float value) -> Tensor",
	InPlace: "sub_scalar_(Tensor(a!) self, float value) -> Tensor(a!)",
	DTypes:  numbers,
	Infer:   withScalars(sameAs(0), "value"),
	Kernel:  kernels.SubScalar,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy)
	},
	Samples: unarySamples(span{-2, 2}, attr("value", 1.0)),
	Source:  "subtraction",
}

var opRSubScalar = opRow{
	Name: "rsub_scalar", Method: "RSubScalar",
	Doc:     "value - t, element by element",
	Schema:  "rsub_scalar(Tensor self, float value) -> Tensor",
	InPlace: "rsub_scalar_(Tensor(a!) self, float value) -> Tensor(a!)",
	DTypes:  numbers,
	Infer:   withScalars(sameAs(0), "value"),
	Kernel:  kernels.RSubScalar,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy.Neg())
	},
	Samples: unarySamples(span{-2, 2}, attr("value", 1.0)),
	Source:  "subtraction with the operands swapped",
}

var opMulScalar = opRow{
	Name: "mul_scalar", Method: "MulScalar",
	Doc:     "t · value, element by element",
	Schema:  "mul_scalar(Tensor self, float value) -> Tensor",
	InPlace: "mul_scalar_(Tensor(a!) self, float value) -> Tensor(a!)",
	DTypes:  numbers,
	Infer:   withScalars(sameAs(0), "value"),
	Kernel:  kernels.MulScalar,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy.MulScalar(c.Attrs().Float("value")))
	},
	Samples: unarySamples(span{-2, 2}, attr("value", 3.0)),
	Source:  "multiplication",
}

var opDivScalar = opRow{
	Name: "div_scalar", Method: "DivScalar",
	Doc:     "t / value, element by element; integers are divided and rounded down, and a zero divisor is an error",
	Schema:  "div_scalar(Tensor self, float value) -> Tensor",
	InPlace: "div_scalar_(Tensor(a!) self, float value) -> Tensor(a!)",
	DTypes:  numbers,
	Infer:   withScalars(sameAs(0), "value"),
	Kernel:  kernels.DivScalar,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy.DivScalar(c.Attrs().Float("value")))
	},
	Samples: unarySamples(span{-3, 3}, attr("value", 2.0)),
	Source:  "division; NumPy's floor_divide for integers",
}

var opPowScalar = opRow{
	Name: "pow_scalar", Method: "PowScalar",
	Doc:     "t to the power of value, element by element; a negative power of an integer is an error",
	Schema:  "pow_scalar(Tensor self, float value) -> Tensor",
	InPlace: "pow_scalar_(Tensor(a!) self, float value) -> Tensor(a!)",
	DTypes:  numbers,
	Infer:   withScalars(sameAs(0), "value"),
	Kernel:  kernels.PowScalar,
	Reads:   in0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		v := c.Attrs().Float("value")
		if v == 0 { // also where the power beside the factor 0 is infinite
			return one(c.zeros(0))
		}
		return one(dy.MulScalar(v).Mul(c.Input(0).PowScalar(v - 1)))
	},
	Samples: unarySamples(span{0.5, 2}, attr("value", 3.0)),
	Source:  "exponentiation; C99 Annex F for special floats",
}

var opModScalar = opRow{
	Name: "mod_scalar", Method: "ModScalar",
	Doc:     "the remainder of t / value with the divisor's sign, element by element; a zero integer divisor is an error",
	Schema:  "mod_scalar(Tensor self, float value) -> Tensor",
	InPlace: "mod_scalar_(Tensor(a!) self, float value) -> Tensor(a!)",
	DTypes:  numbers,
	Infer:   withScalars(sameAs(0), "value"),
	Kernel:  kernels.ModScalar,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy)
	},
	Samples: unarySamples(span{-2.9, 2.9}, attr("value", 2.0)),
	Source:  "NumPy's mod",
}

var opMaximumScalar = opRow{
	Name: "maximum_scalar", Method: "MaximumScalar",
	Doc:     "the larger of t and value, element by element; NaN wins",
	Schema:  "maximum_scalar(Tensor self, float value) -> Tensor",
	InPlace: "maximum_scalar_(Tensor(a!) self, float value) -> Tensor(a!)",
	DTypes:  numbers,
	Infer:   withScalars(sameAs(0), "value"),
	Kernel:  kernels.MaximumScalar,
	Reads:   in0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		a, v := c.Input(0), c.Attrs().Float("value")
		return one(dy.Mul(a.GtScalar(v).To(a.DType()).Add(a.EqScalar(v).To(a.DType()).MulScalar(0.5))))
	},
	Samples: unarySamples(span{-2, 2}, attr("value", 1.0)),
	Source:  "NumPy's maximum; a tie gives half the gradient",
}

var opMinimumScalar = opRow{
	Name: "minimum_scalar", Method: "MinimumScalar",
	Doc:     "the smaller of t and value, element by element; NaN wins",
	Schema:  "minimum_scalar(Tensor self, float value) -> Tensor",
	InPlace: "minimum_scalar_(Tensor(a!) self, float value) -> Tensor(a!)",
	DTypes:  numbers,
	Infer:   withScalars(sameAs(0), "value"),
	Kernel:  kernels.MinimumScalar,
	Reads:   in0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		a, v := c.Input(0), c.Attrs().Float("value")
		return one(dy.Mul(a.LtScalar(v).To(a.DType()).Add(a.EqScalar(v).To(a.DType()).MulScalar(0.5))))
	},
	Samples: unarySamples(span{-2, 2}, attr("value", 1.0)),
	Source:  "NumPy's minimum; a tie gives half the gradient",
}

var opClamp = opRow{
	Name: "clamp", Method: "Clamp",
	Doc:     "t limited to lo and hi, element by element; hi wins where lo > hi, NaN stays",
	Schema:  "clamp(Tensor self, float lo, float hi) -> Tensor",
	InPlace: "clamp_(Tensor(a!) self, float lo, float hi) -> Tensor(a!)",
	DTypes:  numbers,
	Infer:   withScalars(sameAs(0), "lo", "hi"),
	Kernel:  kernels.Clamp,
	Reads:   in0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		x := c.Input(0)
		inside := x.GeScalar(c.Attrs().Float("lo")).And(x.LeScalar(c.Attrs().Float("hi")))
		return one(Where(inside, dy, c.zero()))
	},
	Samples: unarySamples(span{-3, 3}, attr("lo", -1.0), attr("hi", 2.0)),
	Source:  "NumPy's clip; the gradient passes where lo <= t <= hi",
}
