package hop

import (
	"unsafe"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
)

// Ops that only exist in place. A graph has their functional form, whose result does not depend on the old elements.

var opCopyFrom = opRow{
	Name: "copy_from", Writer: "CopyFrom",
	Doc:     "the elements of src, broadcast to the shape of t",
	Schema:  "copy_from(Tensor self, Tensor src) -> Tensor",
	InPlace: "copy_from_(Tensor(a!) self, Tensor src) -> Tensor(a!)",
	DTypes:  anyDType,
	Infer:   filling,
	Kernel:  kernels.Kernel{Run: copySecond},
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return c.reduced(nil, func() *Tensor { return dy })
	},
	Samples: copySamples,
	Source:  "NumPy's copyto",
}

func copySecond(c *kernels.Call) error {
	kernels.CopyTo(&c.Out[0], &c.In[1])
	return nil
}

var opFill = opRow{
	Name: "fill", Writer: "Fill",
	Doc:     "value in every element",
	Schema:  "fill(Tensor self, float value) -> Tensor",
	InPlace: "fill_(Tensor(a!) self, float value) -> Tensor(a!)",
	DTypes:  anyDType,
	Infer:   withScalars(sameAs(0), "value"),
	Kernel:  kernels.Kernel{Run: fillValue},
	VJP:     noGradients,
	Samples: unarySamples(span{-2, 2}, attr("value", 1.0)),
	Source:  "NumPy's fill",
}

var opZero = opRow{
	Name: "zero", Writer: "Zero",
	Doc:     "0 in every element",
	Schema:  "zero(Tensor self) -> Tensor",
	InPlace: "zero_(Tensor(a!) self) -> Tensor(a!)",
	DTypes:  anyDType,
	Infer:   sameAs(0),
	Kernel:  kernels.Kernel{Run: fillValue},
	VJP:     noGradients,
	Samples: unarySamples(span{-2, 2}),
	Source:  "fill with 0",
}

var opSet = opRow{
	Name: "set", Writer: "Set", ByHand: true,
	Doc:     "value in the one element that the window shows",
	Schema:  "set(Tensor self, float value) -> Tensor",
	InPlace: "set_(Tensor(a!) self, float value) -> Tensor(a!)",
	DTypes:  anyDType,
	Infer:   withScalars(sameAs(0), "value"),
	Kernel:  kernels.Kernel{Run: fillValue},
	VJP:     noGradients,
	Samples: unarySamples(span{-2, 2}, attr("value", 1.0)),
	Source:  "fill of one element",
}

// fillValue writes the attribute "value", 0 when there is none, to all elements.
func fillValue(c *kernels.Call) error {
	var value uint64
	if err := kernels.Const(unsafe.Pointer(&value), c.Out[0].DType, c.Attrs.Float("value")); err != nil {
		return err
	}
	kernels.Fill(&c.Out[0], unsafe.Pointer(&value))
	return nil
}

// noGradients is the derivative of ops whose result does not depend on their operand.
func noGradients(*vjp, *Tensor) []*Tensor { return one(nil) }

// Set writes v to the element at index and returns t.
//
// Shapes: one index for each dim, negative ones count from the end; any dtype that holds v exactly.
// Aliasing: the result is t. Set counts as one write: [Tensor.Version] goes up by one, for every view of the storage.
// Errors: panics with *[Error] for a wrong number of indices, one out of range, an expanded view, a leaf that requires
// grad (HOP602).
// Gradient: the old element gets none.
// Source: NumPy's item assignment.
//
//hop:mutates t
//hop:returns t
func (t *Tensor) Set(v float64, index ...int) *Tensor {
	if len(index) != len(t.shape) {
		misuse("Set", "%d indices %v for %s; give one for each of the %d dims", len(index), index, describe(t.meta()), len(t.shape))
	}
	if t.overlapsItself() {
		misuse("Set", "receiver %s is an expanded view whose elements share memory; Clone it first", describe(t.meta()))
	}
	element := t
	for d, i := range index {
		n := t.shape[d]
		if i < -n || i >= n {
			misuse("Set", "index %d of dim %d of %s; want %d to %d", i, d, describe(t.meta()), -n, n-1)
		}
		element = element.Select(0, i)
	}
	write(idSet, attrs("value", v), element)
	return t
}
