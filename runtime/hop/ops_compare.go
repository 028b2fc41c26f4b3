package hop

import "github.com/hoplint/hoplint/runtime/internal/kernels"

// Comparisons and logic. NaN is unequal to everything; false < true.

var opEq = opRow{
	Name: "eq", Method: "Eq",
	Doc:     "t == other as bool, element by element",
	Schema:  "eq(Tensor self, Tensor other) -> Tensor",
	DTypes:  anyDType,
	Infer:   compare,
	Kernel:  kernels.Eq,
	NoGrad:  "the result is bool",
	Samples: binarySamples(span{-2, 2}, span{-2, 2}),
	Source:  "IEEE 754 comparison",
}

var opEqScalar = opRow{
	Name: "eq_scalar", Method: "EqScalar",
	Doc:     "t == value as bool, element by element",
	Schema:  "eq_scalar(Tensor self, float value) -> Tensor",
	DTypes:  anyDType,
	Infer:   withScalars(toBool, "value"),
	Kernel:  kernels.EqScalar,
	NoGrad:  "the result is bool",
	Samples: unarySamples(span{-2, 2}, attr("value", 1.0)),
	Source:  "IEEE 754 comparison",
}

var opNe = opRow{
	Name: "ne", Method: "Ne",
	Doc:     "t != other as bool, element by element",
	Schema:  "ne(Tensor self, Tensor other) -> Tensor",
	DTypes:  anyDType,
	Infer:   compare,
	Kernel:  kernels.Ne,
	NoGrad:  "the result is bool",
	Samples: binarySamples(span{-2, 2}, span{-2, 2}),
	Source:  "IEEE 754 comparison",
}

var opNeScalar = opRow{
	Name: "ne_scalar", Method: "NeScalar",
	Doc:     "t != value as bool, element by element",
	Schema:  "ne_scalar(Tensor self, float value) -> Tensor",
	DTypes:  anyDType,
	Infer:   withScalars(toBool, "value"),
	Kernel:  kernels.NeScalar,
	NoGrad:  "the result is bool",
	Samples: unarySamples(span{-2, 2}, attr("value", 1.0)),
	Source:  "IEEE 754 comparison",
}

var opLt = opRow{
	Name: "lt", Method: "Lt",
	Doc:     "t < other as bool, element by element",
	Schema:  "lt(Tensor self, Tensor other) -> Tensor",
	DTypes:  anyDType,
	Infer:   compare,
	Kernel:  kernels.Lt,
	NoGrad:  "the result is bool",
	Samples: binarySamples(span{-2, 2}, span{-2, 2}),
	Source:  "IEEE 754 comparison",
}

var opLtScalar = opRow{
	Name: "lt_scalar", Method: "LtScalar",
	Doc:     "t < value as bool, element by element",
	Schema:  "lt_scalar(Tensor self, float value) -> Tensor",
	DTypes:  anyDType,
	Infer:   withScalars(toBool, "value"),
	Kernel:  kernels.LtScalar,
	NoGrad:  "the result is bool",
	Samples: unarySamples(span{-2, 2}, attr("value", 1.0)),
	Source:  "IEEE 754 comparison",
}

var opLe = opRow{
	Name: "le", Method: "Le",
	Doc:     "t <= other as bool, element by element",
	Schema:  "le(Tensor self, Tensor other) -> Tensor",
	DTypes:  anyDType,
	Infer:   compare,
	Kernel:  kernels.Le,
	NoGrad:  "the result is bool",
	Samples: binarySamples(span{-2, 2}, span{-2, 2}),
	Source:  "IEEE 754 comparison",
}

var opLeScalar = opRow{
	Name: "le_scalar", Method: "LeScalar",
	Doc:     "t <= value as bool, element by element",
	Schema:  "le_scalar(Tensor self, float value) -> Tensor",
	DTypes:  anyDType,
	Infer:   withScalars(toBool, "value"),
	Kernel:  kernels.LeScalar,
	NoGrad:  "the result is bool",
	Samples: unarySamples(span{-2, 2}, attr("value", 1.0)),
	Source:  "IEEE 754 comparison",
}

var opGt = opRow{
	Name: "gt", Method: "Gt",
	Doc:     "t > other as bool, element by element",
	Schema:  "gt(Tensor self, Tensor other) -> Tensor",
	DTypes:  anyDType,
	Infer:   compare,
	Kernel:  kernels.Gt,
	NoGrad:  "the result is bool",
	Samples: binarySamples(span{-2, 2}, span{-2, 2}),
	Source:  "IEEE 754 comparison",
}

var opGtScalar = opRow{
	Name: "gt_scalar", Method: "GtScalar",
	Doc:     "t > value as bool, element by element",
	Schema:  "gt_scalar(Tensor self, float value) -> Tensor",
	DTypes:  anyDType,
	Infer:   withScalars(toBool, "value"),
	Kernel:  kernels.GtScalar,
	NoGrad:  "the result is bool",
	Samples: unarySamples(span{-2, 2}, attr("value", 1.0)),
	Source:  "IEEE 754 comparison",
}

var opGe = opRow{
	Name: "ge", Method: "Ge",
	Doc:     "t >= other as bool, element by element",
	Schema:  "ge(Tensor self, Tensor other) -> Tensor",
	DTypes:  anyDType,
	Infer:   compare,
	Kernel:  kernels.Ge,
	NoGrad:  "the result is bool",
	Samples: binarySamples(span{-2, 2}, span{-2, 2}),
	Source:  "IEEE 754 comparison",
}

var opGeScalar = opRow{
	Name: "ge_scalar", Method: "GeScalar",
	Doc:     "t >= value as bool, element by element",
	Schema:  "ge_scalar(Tensor self, float value) -> Tensor",
	DTypes:  anyDType,
	Infer:   withScalars(toBool, "value"),
	Kernel:  kernels.GeScalar,
	NoGrad:  "the result is bool",
	Samples: unarySamples(span{-2, 2}, attr("value", 1.0)),
	Source:  "IEEE 754 comparison",
}

var opAnd = opRow{
	Name: "and", Method: "And",
	Doc:     "t and other, element by element; bitwise for integers",
	Schema:  "and(Tensor self, Tensor other) -> Tensor",
	InPlace: "and_(Tensor(a!) self, Tensor other) -> Tensor(a!)",
	DTypes:  logical,
	Infer:   broadcast,
	Kernel:  kernels.And,
	NoGrad:  "the result is bool or integer",
	Samples: binarySamples(span{-2, 2}, span{-2, 2}),
	Source:  "logic; two's complement for integers",
}

var opOr = opRow{
	Name: "or", Method: "Or",
	Doc:     "t or other, element by element; bitwise for integers",
	Schema:  "or(Tensor self, Tensor other) -> Tensor",
	InPlace: "or_(Tensor(a!) self, Tensor other) -> Tensor(a!)",
	DTypes:  logical,
	Infer:   broadcast,
	Kernel:  kernels.Or,
	NoGrad:  "the result is bool or integer",
	Samples: binarySamples(span{-2, 2}, span{-2, 2}),
	Source:  "logic; two's complement for integers",
}

var opXor = opRow{
	Name: "xor", Method: "Xor",
	Doc:     "t exclusive-or other, element by element; bitwise for integers",
	Schema:  "xor(Tensor self, Tensor other) -> Tensor",
	InPlace: "xor_(Tensor(a!) self, Tensor other) -> Tensor(a!)",
	DTypes:  logical,
	Infer:   broadcast,
	Kernel:  kernels.Xor,
	NoGrad:  "the result is bool or integer",
	Samples: binarySamples(span{-2, 2}, span{-2, 2}),
	Source:  "logic; two's complement for integers",
}

var opNot = opRow{
	Name: "not", Method: "Not",
	Doc:     "the negation of t, element by element; bitwise for integers",
	Schema:  "not(Tensor self) -> Tensor",
	InPlace: "not_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  logical,
	Infer:   sameAs(0),
	Kernel:  kernels.Not,
	NoGrad:  "the result is bool or integer",
	Samples: unarySamples(span{-2, 2}),
	Source:  "logic; two's complement for integers",
}

var opIsNaN = opRow{
	Name: "is_nan", Method: "IsNaN",
	Doc:     "whether t is NaN, element by element",
	Schema:  "is_nan(Tensor self) -> Tensor",
	DTypes:  floats,
	Infer:   toBool,
	Kernel:  kernels.IsNaN,
	NoGrad:  "the result is bool",
	Samples: unarySamples(span{-2, 2}),
	Source:  "IEEE 754 isNaN",
}

var opWhere = opRow{
	Name: "where", Func: "Where",
	Doc:       "a where cond is true and b elsewhere, element by element",
	Schema:    "where(Tensor cond, Tensor a, Tensor b) -> Tensor",
	DTypes:    anyDType,
	OwnDTypes: []int{0},
	Infer:     choose,
	Kernel:    kernels.Where,
	Reads:     in0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return c.reduced(nil,
			func() *Tensor { return Where(c.Input(0), dy, c.zero()) },
			func() *Tensor { return Where(c.Input(0), c.zero(), dy) })
	},
	Samples: whereSamples,
	Source:  "NumPy's where; both branches are computed, the gradient of the one not taken is zero",
}
