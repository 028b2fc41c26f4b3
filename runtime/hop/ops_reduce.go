package hop

import (
	"slices"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
)

// Reductions over dims.

var opSum = opRow{
	Name: "sum", Method: "Sum",
	Doc:    "the sum of t over dims, or of all elements when none are given; bools and integers are summed in int64",
	Schema: "sum(Tensor self, int... dims, bool keepdim) -> Tensor",
	DTypes: anyDType,
	Infer:  reduced(sumDType),
	Kernel: kernels.Sum,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(c.spread(dy))
	},
	Samples: reduceSamples(span{-2, 2}),
	Source:  "sum of no elements is 0",
}

var opMean = opRow{
	Name: "mean", Method: "Mean",
	Doc:    "the mean of t over dims, or of all elements when none are given; float64 for bools and integers",
	Schema: "mean(Tensor self, int... dims, bool keepdim) -> Tensor",
	DTypes: anyDType,
	Infer:  reduced(meanDType),
	Kernel: kernels.Mean,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(c.perElement(c.spread(dy)))
	},
	Samples: reduceSamples(span{-2, 2}),
	Source:  "arithmetic mean; NaN over no elements",
}

var opProd = opRow{
	Name: "prod", Method: "Prod",
	Doc:    "the product of t over dims, or of all elements when none are given; bools and integers are multiplied in int64",
	Schema: "prod(Tensor self, int... dims, bool keepdim) -> Tensor",
	DTypes: anyDType,
	Infer:  reduced(sumDType),
	Kernel: kernels.Prod,
	Reads:  in0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		if c.again(dy) {
			return one(c.spread(dy).Mul(productOfOthers(c.Input(0), c.Attrs().Ints("dims"))))
		}
		return one(productGradient(c, dy))
	},
	Samples: reduceSamples(span{-2, 2}),
	Source:  "product of no elements is 1",
}

var opMax = opRow{
	Name: "max", Method: "Max",
	Doc:    "the largest element of t over dims, or of all when none are given; NaN wins",
	Schema: "max(Tensor self, int... dims, bool keepdim) -> Tensor",
	DTypes: anyDType,
	Infer:  reducedNonEmpty(keepDType),
	Kernel: kernels.Max,
	Reads:  in0 | out0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(extremumGradient(c, dy))
	},
	Samples: extremumSamples(span{-2, 2}),
	Source:  "NumPy's max; ties share the gradient equally",
}

var opMin = opRow{
	Name: "min", Method: "Min",
	Doc:    "the smallest element of t over dims, or of all when none are given; NaN wins",
	Schema: "min(Tensor self, int... dims, bool keepdim) -> Tensor",
	DTypes: anyDType,
	Infer:  reducedNonEmpty(keepDType),
	Kernel: kernels.Min,
	Reads:  in0 | out0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(extremumGradient(c, dy))
	},
	Samples: extremumSamples(span{-2, 2}),
	Source:  "NumPy's min; ties share the gradient equally",
}

var opVar = opRow{
	Name: "var", Method: "Var",
	Doc:    "the variance of t over dims, or of all elements when none are given, divided by their number",
	Schema: "var(Tensor self, int... dims, bool keepdim) -> Tensor",
	DTypes: floats,
	Infer:  reduced(keepDType),
	Kernel: kernels.Var,
	Reads:  in0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		x := c.Input(0)
		mean := x.MeanKeepDims(c.Attrs().Ints("dims")...)
		return one(c.perElement(c.spread(dy).Mul(x.Sub(mean)).MulScalar(2)))
	},
	Samples: reduceSamples(span{-2, 2}),
	Source:  "NumPy's var with ddof 0; dv/dx = 2(x-mean)/n",
}

var opLogSumExp = opRow{
	Name: "log_sum_exp", Method: "LogSumExp",
	Doc:    "log(sum(e^t)) over dims, or of all elements when none are given, without overflow",
	Schema: "log_sum_exp(Tensor self, int... dims, bool keepdim) -> Tensor",
	DTypes: floats,
	Infer:  reduced(keepDType),
	Kernel: kernels.LogSumExp,
	Reads:  in0 | out0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(c.spread(dy).Mul(c.Input(0).Sub(c.spread(c.Output(0))).Exp()))
	},
	Samples: reduceSamples(span{-2, 2}),
	Source:  "shifted by the maximum; -Inf over no elements; the gradient is the softmax",
}

var opAny = opRow{
	Name: "any", Method: "Any",
	Doc:     "whether any element of t over dims, or of all when none are given, is true or not 0",
	Schema:  "any(Tensor self, int... dims, bool keepdim) -> Tensor",
	DTypes:  anyDType,
	Infer:   reduced(alwaysBool),
	Kernel:  kernels.Any,
	NoGrad:  "the result is bool",
	Samples: reduceSamples(span{-2, 2}),
	Source:  "false over no elements",
}

var opAll = opRow{
	Name: "all", Method: "All",
	Doc:     "whether all elements of t over dims, or of all when none are given, are true or not 0",
	Schema:  "all(Tensor self, int... dims, bool keepdim) -> Tensor",
	DTypes:  anyDType,
	Infer:   reduced(alwaysBool),
	Kernel:  kernels.All,
	NoGrad:  "the result is bool",
	Samples: reduceSamples(span{-2, 2}),
	Source:  "true over no elements",
}

var opArgMax = opRow{
	Name: "arg_max", Method: "ArgMax",
	Doc:     "the int64 index of the first largest element of t along dim; that of the first NaN if there is one",
	Schema:  "arg_max(Tensor self, int dim, bool keepdim) -> Tensor",
	DTypes:  anyDType,
	Infer:   picked,
	Kernel:  kernels.ArgMax,
	NoGrad:  "the result is an index",
	Samples: pickSamples(span{-2, 2}),
	Source:  "NumPy's argmax",
}

var opArgMin = opRow{
	Name: "arg_min", Method: "ArgMin",
	Doc:     "the int64 index of the first smallest element of t along dim; that of the first NaN if there is one",
	Schema:  "arg_min(Tensor self, int dim, bool keepdim) -> Tensor",
	DTypes:  anyDType,
	Infer:   picked,
	Kernel:  kernels.ArgMin,
	NoGrad:  "the result is an index",
	Samples: pickSamples(span{-2, 2}),
	Source:  "NumPy's argmin",
}

// productGradient is y/x away from zeros. Where one element of a group is 0, only it has a gradient, the product of the
// others; where two are, none has.
func productGradient(c *vjp, dy *Tensor) *Tensor {
	x, dims, dt := c.Input(0), c.Attrs().Ints("dims"), c.Input(0).DType()
	isZero := x.EqScalar(0)
	zeros := isZero.To(dt).SumKeepDims(dims...)
	filled := Where(isZero, c.scalar(1), x)
	others := filled.ProdKeepDims(dims...)
	none := Where(zeros.EqScalar(0), others, c.zero()).Div(filled)
	single := Where(isZero.And(zeros.EqScalar(1)), others, c.zero())
	return c.spread(dy).Mul(none.Add(single))
}

// productOfOthers is, for each element, the product of the others of its group along dims. It has exact derivatives of
// all orders, zeros included.
func productOfOthers(x *Tensor, dims []int) *Tensor {
	var order []int
	for d := range x.Rank() {
		if !slices.Contains(dims, d) {
			order = append(order, d)
		}
	}
	order = append(order, dims...)
	moved := x.Permute(order...)
	kept := len(order) - len(dims)
	sizes := moved.SymShape()
	lines := moved.ReshapeSym(append(slices.Clone(sizes[:kept]), numElemsOf(sizes[kept:]))...)
	others := productBefore(lines, kept).Mul(productBehind(lines, kept)).ReshapeSym(sizes...)
	back := make([]int, len(order))
	for i, d := range order {
		back[d] = i
	}
	return others.Permute(back...)
}

// extremumGradient gives each of n equal extrema the n-th part.
func extremumGradient(c *vjp, dy *Tensor) *Tensor {
	x := c.Input(0)
	ties := x.Eq(c.spread(c.Output(0))).To(x.DType())
	return c.spread(dy).Mul(ties).Div(ties.SumKeepDims(c.Attrs().Ints("dims")...))
}
