package hop

import "github.com/hoplint/hoplint/runtime/internal/kernels"

// Ops that copy elements into new places or dtypes.

var opClone = opRow{
	Name: "clone", Method: "Clone",
	Doc:     "a copy of t in fresh contiguous storage with a version counter of its own",
	Schema:  "clone(Tensor self) -> Tensor",
	DTypes:  anyDType,
	Infer:   sameAs(0),
	Kernel:  kernels.Copy,
	VJP:     func(c *vjp, dy *Tensor) []*Tensor { return one(dy) },
	Samples: unarySamples(span{-2, 2}),
	Source:  "identity on values",
}

var opCast = opRow{
	Name: "cast", Method: "To", ByHand: true,
	Doc:     "t in the element type dtype; floats lose their fraction as integers, everything but 0 is true",
	Schema:  "cast(Tensor(a) self, dtype dtype) -> Tensor(a)|Tensor",
	DTypes:  anyDType,
	Infer:   casting,
	Kernel:  kernels.Cast,
	VJP:     func(c *vjp, dy *Tensor) []*Tensor { return one(dy.To(c.DType(0))) },
	Samples: castSamples,
	Source:  "Go's conversions, saturating where Go leaves the result open",
}

// To returns t in the element type dtype. Floats lose their fraction as integers and stop at the ends of their range,
// NaN becomes 0; as bool everything but 0 is true.
//
// Shapes: that of t; any dtype.
// Aliasing: t itself when it has the dtype already, else fresh storage.
// Errors: panics with *[Error] for an invalid dtype.
// Gradient: cast back; between floats only, an integer has none.
// Source: Go's conversions, saturating where Go leaves the result open.
//
//hop:returns view(t)|fresh
func (t *Tensor) To(dtype DType) *Tensor {
	if t.DType() == dtype {
		return t
	}
	return apply(idCast, attrs("dtype", dtype), t)
}

// Contiguous returns a tensor with the elements of t in row-major order without gaps.
//
// Shapes: that of t; any dtype.
// Aliasing: t itself when it is contiguous already, else a copy.
// Gradient: the identity.
// Source: NumPy's ascontiguousarray.
//
//hop:returns view(t)|fresh
func (t *Tensor) Contiguous() *Tensor {
	if t.IsContiguous() {
		return t
	}
	return t.Clone()
}

var opConcat = opRow{
	Name: "concat", Func: "Concat",
	Doc:    "the tensors behind each other along dim",
	Schema: "concat(int dim, Tensor... tensors) -> Tensor",
	DTypes: anyDType,
	Infer:  concatenated,
	Kernel: kernels.Concat,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		d, start := c.Attrs().Int("dim"), IntOf(0)
		parts := make([]*Tensor, c.NumInputs())
		for i := range parts {
			n := c.Sizes(i)[d]
			parts[i] = dy.NarrowSym(d, start, n)
			start = start.Add(n)
		}
		return parts
	},
	Samples: concatSamples,
	Source:  "NumPy's concatenate",
}

var opStack = opRow{
	Name: "stack", Func: "Stack",
	Doc:    "the tensors side by side along a new dim",
	Schema: "stack(int dim, Tensor... tensors) -> Tensor",
	DTypes: anyDType,
	Infer:  stacked,
	Kernel: kernels.Stack,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		parts := make([]*Tensor, c.NumInputs())
		for i := range parts {
			parts[i] = dy.Select(c.Attrs().Int("dim"), i)
		}
		return parts
	},
	Samples: stackSamples,
	Source:  "NumPy's stack",
}
