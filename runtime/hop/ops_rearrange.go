package hop

import (
	"math"
	"slices"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
)

// Ops that put elements into new places.

var opRoll = opRow{
	Name: "roll", Method: "Roll",
	Doc:     "t with its elements moved shift places along dim; those that fall off come back at the other end",
	Schema:  "roll(Tensor self, int dim, int shift) -> Tensor",
	InPlace: "roll_(Tensor(a!) self, int dim, int shift) -> Tensor(a!)",
	DTypes:  anyDType,
	Infer:   along(keepDType),
	Kernel:  kernels.Roll,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		d, shift := c.Attrs().Int("dim"), c.Attrs().Int("shift")
		if shift == math.MinInt { // it has no opposite
			dy, shift = dy.Roll(d, 1), shift+1
		}
		return one(dy.Roll(d, -shift))
	},
	Samples: rollSamples,
	Source:  "NumPy's roll",
}

var opRepeat = opRow{
	Name: "repeat", Method: "Repeat",
	Doc:    "t with each element along dim n times, next to each other",
	Schema: "repeat(Tensor self, int dim, int n) -> Tensor",
	DTypes: anyDType,
	Infer:  repeated,
	Kernel: kernels.Repeat,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		d := c.Attrs().Int("dim")
		return one(dy.ReshapeSym(slices.Insert(slices.Clone(c.Sizes(0)), d+1, IntOf(c.Attrs().Int("n")))...).Sum(d + 1))
	},
	Samples: repeatSamples,
	Source:  "NumPy's repeat",
}

var opPad = opRow{
	Name: "pad", Method: "Pad",
	Doc:    "t with value in before new places in front of dim and in after new places behind it",
	Schema: "pad(Tensor self, int dim, int before, int after, float value) -> Tensor",
	DTypes: anyDType,
	Infer:  padded,
	Kernel: kernels.Pad,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		d := c.Attrs().Int("dim")
		return one(dy.NarrowSym(d, IntOf(c.Attrs().Int("before")), c.Sizes(0)[d]))
	},
	Samples: padSamples,
	Source:  "NumPy's pad with a constant",
}

var opTril = opRow{
	Name: "tril", Method: "Tril",
	Doc:     "t with 0 above diagonal k of the last two dims; k is 0 on the main diagonal, positive above it",
	Schema:  "tril(Tensor self, int k) -> Tensor",
	InPlace: "tril_(Tensor(a!) self, int k) -> Tensor(a!)",
	DTypes:  anyDType,
	Infer:   triangular,
	Kernel:  kernels.Tril,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy.Tril(c.Attrs().Int("k")))
	},
	Samples: triangleSamples,
	Source:  "NumPy's tril",
}

var opTriu = opRow{
	Name: "triu", Method: "Triu",
	Doc:     "t with 0 below diagonal k of the last two dims; k is 0 on the main diagonal, positive above it",
	Schema:  "triu(Tensor self, int k) -> Tensor",
	InPlace: "triu_(Tensor(a!) self, int k) -> Tensor(a!)",
	DTypes:  anyDType,
	Infer:   triangular,
	Kernel:  kernels.Triu,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy.Triu(c.Attrs().Int("k")))
	},
	Samples: triangleSamples,
	Source:  "NumPy's triu",
}
