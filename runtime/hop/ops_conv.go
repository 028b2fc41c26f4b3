package hop

import (
	"slices"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

// Convolution along one dim.

var opConv1d = opRow{
	Name: "conv1d", Method: "Conv1d",
	Doc:     "the responses of filters weight [filters, channels/groups, taps] to the signals t [..., channels, size]: tap k of result m meets element m·stride + k·dilation - padding, zeros lie outside of a signal, and filters of a group see the channels of that group. Stride, dilation and groups 1 and padding 0 are the plain valid form; padding dilation·(taps-1)/2 keeps the size for an odd number of taps, and Pad on the left makes it causal",
	Schema:  "conv1d(Tensor self, Tensor weight, int stride, int padding, int dilation, int groups) -> Tensor",
	DTypes:  numbers,
	Infer:   convolved,
	Kernel:  kernels.Conv1d,
	Reads:   in0 | in1,
	VJP:     convGradient,
	Samples: convSamples,
	Source:  "cross-correlation, as learning libraries define it: the filter is not flipped",
}

var opConv1dInput = opRow{
	Name: "conv1d_input", Internal: true,
	Doc:    "the gradient of the signal of Conv1d, from the filters t and the gradient dy of the result",
	Schema: "conv1d_input(Tensor self, Tensor dy, int length, int stride, int padding, int dilation, int groups) -> Tensor",
	DTypes: numbers,
	Infer:  convolvedInput,
	Kernel: kernels.Conv1dInput,
	Reads:  in0 | in1,
	VJP: func(c *vjp, dx *Tensor) []*Tensor {
		a := convAttrs(c)
		return c.pair(
			func() *Tensor { return apply(idConv1dWeight, withSize(a, "taps", c.size(0, 2)), dx, c.Input(1)) },
			func() *Tensor { return apply(idConv1d, a, dx, c.Input(0)) })
	},
	Samples: convInputSamples,
	Source:  "the transposed of Conv1d in its signal, so its gradients are Conv1d and conv1d_weight",
}

var opConv1dWeight = opRow{
	Name: "conv1d_weight", Internal: true,
	Doc:    "the gradient of the filters of Conv1d, from the signal t and the gradient dy of the result",
	Schema: "conv1d_weight(Tensor self, Tensor dy, int taps, int stride, int padding, int dilation, int groups) -> Tensor",
	DTypes: numbers,
	Infer:  convolvedWeight,
	Kernel: kernels.Conv1dWeight,
	Reads:  in0 | in1,
	VJP: func(c *vjp, dw *Tensor) []*Tensor {
		a := convAttrs(c)
		return c.pair(
			func() *Tensor {
				return apply(idConv1dInput, withSize(a, "length", c.size(0, -1)), dw, c.Input(1))
			},
			func() *Tensor { return apply(idConv1d, a, c.Input(0), dw) })
	},
	Samples: convWeightSamples,
	Source:  "the transposed of Conv1d in its filters, so its gradients are Conv1d and conv1d_input",
}

func convGradient(c *vjp, dy *Tensor) []*Tensor {
	a := convAttrs(c)
	return c.pair(
		func() *Tensor {
			return apply(idConv1dInput, withSize(a, "length", c.size(0, -1)), c.Input(1), dy)
		},
		func() *Tensor { return apply(idConv1dWeight, withSize(a, "taps", c.size(1, 2)), c.Input(0), dy) })
}

// withSize puts a size in front of attributes.
func withSize(a tracer.Attrs, key string, n Int) tracer.Attrs {
	return slices.Concat(tracer.Attrs{tracer.IntAttr(key, n.expr())}, a)
}

// convAttrs are the attributes that all ops of a convolution share.
func convAttrs(c *vjp) tracer.Attrs {
	var list tracer.Attrs
	for _, key := range []string{"stride", "padding", "dilation", "groups"} {
		list = append(list, attr(key, c.Attrs().Int(key)))
	}
	return list
}
