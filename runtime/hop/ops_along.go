package hop

import "github.com/hoplint/hoplint/runtime/internal/kernels"

// Ops along one dim that keep the shape.

var opSoftmax = opRow{
	Name: "softmax", Method: "Softmax",
	Doc:     "e^t divided by its sum along dim",
	Schema:  "softmax(Tensor self, int dim) -> Tensor",
	InPlace: "softmax_(Tensor(a!) self, int dim) -> Tensor(a!)",
	DTypes:  floats,
	Infer:   along(keepDType),
	Kernel:  kernels.Softmax,
	Reads:   out0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		y, d := c.Output(0), c.Attrs().Int("dim")
		g := dy.Mul(y)
		return one(g.Sub(y.Mul(g.SumKeepDims(d))))
	},
	Samples: alongSamples(span{-2, 2}),
	Source:  "shifted by the maximum",
}

var opLogSoftmax = opRow{
	Name: "log_softmax", Method: "LogSoftmax",
	Doc:     "t - log(sum(e^t)) along dim",
	Schema:  "log_softmax(Tensor self, int dim) -> Tensor",
	InPlace: "log_softmax_(Tensor(a!) self, int dim) -> Tensor(a!)",
	DTypes:  floats,
	Infer:   along(keepDType),
	Kernel:  kernels.LogSoftmax,
	Reads:   out0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		y, d := c.Output(0), c.Attrs().Int("dim")
		return one(dy.Sub(y.Exp().Mul(dy.SumKeepDims(d))))
	},
	Samples: alongSamples(span{-2, 2}),
	Source:  "shifted by the maximum",
}

var opCumSum = opRow{
	Name: "cum_sum", Method: "CumSum",
	Doc:     "the running sums of t along dim; bools and integers are summed in int64",
	Schema:  "cum_sum(Tensor self, int dim) -> Tensor",
	InPlace: "cum_sum_(Tensor(a!) self, int dim) -> Tensor(a!)",
	DTypes:  anyDType,
	Infer:   along(sumDType),
	Kernel:  kernels.CumSum,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(backwardSum(dy, c.Attrs().Int("dim")))
	},
	Samples: alongSamples(span{-2, 2}),
	Source:  "NumPy's cumsum",
}

var opCumProd = opRow{
	Name: "cum_prod", Method: "CumProd",
	Doc:     "the running products of t along dim; bools and integers are multiplied in int64",
	Schema:  "cum_prod(Tensor self, int dim) -> Tensor",
	InPlace: "cum_prod_(Tensor(a!) self, int dim) -> Tensor(a!)",
	DTypes:  anyDType,
	Infer:   along(sumDType),
	Kernel:  kernels.CumProd,
	Reads:   in0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		if c.again(dy) {
			return one(recurrence(c.Input(0), dy, c.Attrs().Int("dim")).Mul(productBefore(c.Input(0), c.Attrs().Int("dim"))))
		}
		return one(runningProductGradient(c, dy))
	},
	Samples: alongSamples(span{-2, 2}),
	Source:  "NumPy's cumprod",
}

// backwardSum sums from each element to the end of dim.
func backwardSum(t *Tensor, dim int) *Tensor { return t.Flip(dim).CumSum(dim).Flip(dim) }

// runningProductGradient is the backward sum of dy·y over x up to the first zero of a line. At that zero the products
// behind it count without it; behind it all products hold the zero, so nothing has a gradient.
func runningProductGradient(c *vjp, dy *Tensor) *Tensor {
	x, dim, dt := c.Input(0), c.Attrs().Int("dim"), c.Input(0).DType()
	isZero := x.EqScalar(0)
	first := isZero.And(isZero.To(dt).CumSum(dim).EqScalar(1))
	before := backwardSum(dy.Mul(x.CumProd(dim)), dim).Div(Where(isZero, c.scalar(1), x))
	at := backwardSum(dy.Mul(Where(first, c.scalar(1), x).CumProd(dim)), dim)
	return Where(first, at, before)
}

// productBefore is the product of the elements of x along dim before each one.
func productBefore(x *Tensor, dim int) *Tensor {
	return x.Pad(dim, 1, 0, 1).NarrowSym(dim, IntOf(0), x.SymDim(dim)).CumProd(dim)
}

// productBehind is the product of the elements of x along dim behind each one.
func productBehind(x *Tensor, dim int) *Tensor { return productBefore(x.Flip(dim), dim).Flip(dim) }

// recurrence is r with r[i] = b[i] + a[i+1]·r[i+1] along dim: what a running product of a passes back. It doubles the
// length of the sums in each turn (Hillis and Steele 1986), or is a scan where the length is open, and has exact
// derivatives of all orders, zeros included.
func recurrence(a, b *Tensor, dim int) *Tensor {
	if length := a.SymDim(dim); length.value != nil {
		behind := a.Pad(dim, 0, 1, 0).NarrowSym(dim, IntOf(1), length)
		_, rows := Scan(func(r *Tensor, x [2]*Tensor) (*Tensor, *Tensor) {
			r = x[1].Add(x[0].Mul(r))
			return r, r.Clone()
		}, zerosOf(traceOf([]*Tensor{a, b}), without(b.meta(), dim)), [2]*Tensor{behind, b}, Axis(dim), Reverse())
		return moveAxis(rows, 0, dim)
	}
	n := a.shape[dim]
	shift := func(t *Tensor, by int) *Tensor { // zeros come in at the end
		return Concat(dim, t.Narrow(dim, by, n-by), ZerosLike(t.Narrow(dim, 0, by)))
	}
	if n < 2 {
		return b
	}
	a = shift(a, 1)
	for k := 1; k < n; k *= 2 {
		b = b.Add(a.Mul(shift(b, k)))
		a = a.Mul(shift(a, k))
	}
	return b
}

var opFlip = opRow{
	Name: "flip", Method: "Flip",
	Doc:     "t with the order of its elements reversed along dims, or along all when none are given",
	Schema:  "flip(Tensor self, int... dims) -> Tensor",
	InPlace: "flip_(Tensor(a!) self, int... dims) -> Tensor(a!)",
	DTypes:  anyDType,
	Infer:   flipped,
	Kernel:  kernels.Flip,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy.Flip(c.Attrs().Ints("dims")...))
	},
	Samples: flipSamples,
	Source:  "NumPy's flip",
}
