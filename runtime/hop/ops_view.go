package hop

import (
	"unsafe"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

// Views: windows on the storage of t that share its version counter.

var opNarrow = opRow{
	Name: "narrow", Method: "Narrow",
	Doc:    "the length elements of dim from start on",
	Schema: "narrow(Tensor(a) self, int dim, int start, int length) -> Tensor(a)",
	DTypes: anyDType,
	Infer:  narrowed,
	Kernel: kernels.Narrow,
	VJP:    scatteredGradient,
	Samples: viewSamples(
		viewCase{[]int{4, 3}, attrs("dim", 0, "start", 1, "length", 2)},
		viewCase{[]int{4, 3}, attrs("dim", -1, "start", -2, "length", 1)},
		viewCase{[]int{4}, attrs("dim", 0, "start", 4, "length", 0)}),
	Source: "t[start : start+length]",
}

var opSlice = opRow{
	Name: "slice", Method: "Slice",
	Doc:    "every step-th element of dim from start up to stop; both may be negative and are clipped to the dim",
	Schema: "slice(Tensor(a) self, int dim, int start, int stop, int step) -> Tensor(a)",
	DTypes: anyDType,
	Infer:  sliced,
	Kernel: kernels.Slice,
	VJP:    scatteredGradient,
	Samples: viewSamples(
		viewCase{[]int{7, 2}, attrs("dim", 0, "start", 1, "stop", 6, "step", 2)},
		viewCase{[]int{7}, attrs("dim", -1, "start", -3, "stop", 100, "step", 1)},
		viewCase{[]int{7}, attrs("dim", 0, "start", 5, "stop", 2, "step", 3)}),
	Source: "NumPy's basic slicing with a positive step",
}

var opSelect = opRow{
	Name: "select", Method: "Select",
	Doc:    "element index of dim; the dim is dropped",
	Schema: "select(Tensor(a) self, int dim, int index) -> Tensor(a)",
	DTypes: anyDType,
	Infer:  selected,
	Kernel: kernels.Select,
	VJP:    scatteredGradient,
	Samples: viewSamples(
		viewCase{[]int{4, 3}, attrs("dim", 0, "index", 2)},
		viewCase{[]int{4, 3}, attrs("dim", -1, "index", -3)},
		viewCase{[]int{2}, attrs("dim", 0, "index", 1)}),
	Source: "NumPy's integer indexing",
}

var opTranspose = opRow{
	Name: "transpose", Method: "Transpose",
	Doc:    "t with dims a and b exchanged",
	Schema: "transpose(Tensor(a) self, int a, int b) -> Tensor(a)",
	DTypes: anyDType,
	Infer:  transposed,
	Kernel: kernels.Transpose,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(dy.Transpose(c.Attrs().Int("a"), c.Attrs().Int("b")))
	},
	Samples: viewSamples(
		viewCase{[]int{2, 3}, attrs("a", 0, "b", 1)},
		viewCase{[]int{2, 3, 4}, attrs("a", -1, "b", 0)},
		viewCase{[]int{2, 0}, attrs("a", 1, "b", 1)}),
	Source: "NumPy's swapaxes",
}

var opPermute = opRow{
	Name: "permute", Method: "Permute",
	Doc:    "t with its dims in the order dims",
	Schema: "permute(Tensor(a) self, int... dims) -> Tensor(a)",
	DTypes: anyDType,
	Infer:  permuted,
	Kernel: kernels.Permute,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		dims := c.Attrs().Ints("dims")
		inverse := make([]int, len(dims))
		for i, d := range dims {
			inverse[d] = i
		}
		return one(dy.Permute(inverse...))
	},
	Samples: viewSamples(
		viewCase{[]int{2, 3, 4}, attrs("dims", []int{2, 0, 1})},
		viewCase{[]int{2, 3, 4}, attrs("dims", []int{-1, 1, -3})},
		viewCase{nil, attrs("dims", []int{})}),
	Source: "NumPy's transpose",
}

var opExpand = opRow{
	Name: "expand", Method: "Expand",
	Doc:    "t stretched to dims without a copy: size 1 repeats, -1 keeps a size, new dims come first",
	Schema: "expand(Tensor(a) self, int... dims) -> Tensor(a)",
	DTypes: anyDType,
	Infer:  expanded,
	Kernel: kernels.Expand,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(c.sumTo(dy, 0))
	},
	Samples: viewSamples(
		viewCase{[]int{1, 3}, attrs("dims", []int{2, 3})},
		viewCase{[]int{2, 1}, attrs("dims", []int{3, -1, 4})},
		viewCase{nil, attrs("dims", []int{2, 2})},
		viewCase{[]int{1}, attrs("dims", []int{0})}),
	Source: "NumPy's broadcast_to",
}

var opView = opRow{
	Name: "view", Method: "View",
	Doc:    "t in the shape dims, in which one -1 is computed; t must lie in memory so that no copy is needed, else use Reshape",
	Schema: "view(Tensor(a) self, int... dims) -> Tensor(a)",
	DTypes: anyDType,
	Infer:  reshaped,
	Kernel: kernels.View,
	VJP:    reshapedGradient,
	Samples: rowSamples(
		viewCase{[]int{2, 6}, attrs("dims", []int{2, -1, 3})},
		viewCase{[]int{6}, attrs("dims", []int{3, 2})},
		viewCase{nil, attrs("dims", []int{1, 1})},
		viewCase{[]int{0, 3}, attrs("dims", []int{3, 0})}),
	Source: "NumPy's reshape with copy=False",
}

var opReshape = opRow{
	Name: "reshape", Method: "Reshape",
	Doc:    "t in the shape dims, in which one -1 is computed: a view where that is possible, else a copy",
	Schema: "reshape(Tensor(a) self, int... dims) -> Tensor(a)|Tensor",
	DTypes: anyDType,
	Infer:  reshaped,
	Kernel: kernels.Reshape,
	VJP:    reshapedGradient,
	Samples: viewSamples(
		viewCase{[]int{2, 6}, attrs("dims", []int{3, -1})},
		viewCase{[]int{1}, attrs("dims", []int{})},
		viewCase{[]int{0, 3}, attrs("dims", []int{0})}),
	Source: "NumPy's reshape",
}

var opFlatten = opRow{
	Name: "flatten", Method: "Flatten",
	Doc:     "the elements of t in one dim; t must lie in memory so that no copy is needed, else use Reshape(-1)",
	Schema:  "flatten(Tensor(a) self) -> Tensor(a)",
	DTypes:  anyDType,
	Infer:   flattened,
	Kernel:  kernels.Flatten,
	VJP:     reshapedGradient,
	Samples: rowSamples(viewCase{[]int{2, 3}, nil}, viewCase{nil, nil}, viewCase{[]int{0, 3}, nil}),
	Source:  "NumPy's reshape(-1) with copy=False",
}

var opSqueeze = opRow{
	Name: "squeeze", Method: "Squeeze",
	Doc:    "t without dims, which have size 1; without all such dims when none are given",
	Schema: "squeeze(Tensor(a) self, int... dims) -> Tensor(a)",
	DTypes: anyDType,
	Infer:  squeezed,
	Kernel: kernels.Squeeze,
	VJP:    reshapedGradient,
	Samples: viewSamples(
		viewCase{[]int{1, 3, 1}, attrs("dims", []int{})},
		viewCase{[]int{1, 3, 1}, attrs("dims", []int{-1})},
		viewCase{[]int{1}, attrs("dims", []int{0})},
		viewCase{[]int{0, 1}, attrs("dims", []int{})}),
	Source: "NumPy's squeeze",
}

var opUnsqueeze = opRow{
	Name: "unsqueeze", Method: "Unsqueeze",
	Doc:    "t with a new dim of size 1 at dim",
	Schema: "unsqueeze(Tensor(a) self, int dim) -> Tensor(a)",
	DTypes: anyDType,
	Infer:  unsqueezed,
	Kernel: kernels.Unsqueeze,
	VJP:    reshapedGradient,
	Samples: viewSamples(
		viewCase{[]int{2, 3}, attrs("dim", 1)},
		viewCase{[]int{2, 3}, attrs("dim", -1)},
		viewCase{nil, attrs("dim", 0)},
		viewCase{[]int{0}, attrs("dim", 0)}),
	Source: "NumPy's expand_dims",
}

var opDiagonal = opRow{
	Name: "diagonal", Method: "Diagonal",
	Doc:    "the diagonal of dims a and b, offset elements to the right, as the last dim",
	Schema: "diagonal(Tensor(a) self, int offset, int a, int b) -> Tensor(a)",
	DTypes: anyDType,
	Infer:  diagonalOf,
	Kernel: kernels.Diagonal,
	VJP:    scatteredGradient,
	Samples: viewSamples(
		viewCase{[]int{3, 4}, attrs("offset", 0, "a", 0, "b", 1)},
		viewCase{[]int{2, 3, 4}, attrs("offset", 1, "a", -2, "b", -1)},
		viewCase{[]int{4, 3}, attrs("offset", -2, "a", 0, "b", 1)},
		viewCase{[]int{2, 2}, attrs("offset", 5, "a", 0, "b", 1)}),
	Source: "NumPy's diagonal",
}

var opDetach = opRow{
	Name: "detach", Method: "Detach", ByHand: true,
	Doc:     "t on the same storage, outside of every gradient",
	Schema:  "detach(Tensor(a) self) -> Tensor(a)",
	DTypes:  anyDType,
	Infer:   sameAs(0),
	Kernel:  kernels.Detach,
	NoGrad:  "it ends the gradient",
	Samples: viewSamples(viewCase{[]int{2, 3}, nil}, viewCase{nil, nil}, viewCase{[]int{0}, nil}),
	Source:  "stops the gradient; writes to it are outside of the tape",
}

// opAsStrided is how a trace names any window on a whole storage; users have no method for it.
var opAsStrided = opRow{
	Name: "as_strided", Internal: true,
	Doc:    "the window of the given shape, strides and offset on the whole storage",
	Schema: "as_strided(Tensor(a) self, int... shape, int... strides, int offset) -> Tensor(a)",
	DTypes: anyDType,
	Infer:  windowed,
	Kernel: kernels.Kernel{View: window},
	VJP:    stridedGradient,
	Samples: windowSamples(
		viewCase{[]int{12}, attrs("shape", []int{2, 3}, "strides", []int{1, 4}, "offset", 1)},
		viewCase{[]int{2, 6}, attrs("shape", []int{3, 2}, "strides", []int{0, 2}, "offset", 3)},
		viewCase{[]int{3}, attrs("shape", []int{}, "strides", []int{}, "offset", 2)},
		viewCase{[]int{3}, attrs("shape", []int{0, 4}, "strides", []int{4, 1}, "offset", 0)}),
	Source: "the general strided window",
}

// window counts elements in memory, so there is none on a tensor that lies otherwise: only a file could ask for that.
func window(in kernels.Array, attrs tracer.Attrs, out *kernels.Array) bool {
	if !in.IsContiguous() {
		return false
	}
	out.DType, out.Ptr = in.DType, in.Ptr
	out.Strides = append(out.Strides[:0], attrs.Ints("strides")...)
	if in.Ptr != nil && kernels.NumElems(out.Shape) > 0 {
		out.Ptr = unsafe.Add(in.Ptr, attrs.Int("offset")*in.DType.Size())
	}
	return true
}

// scatteredGradient puts dy where the view looks and zeros elsewhere.
func scatteredGradient(c *vjp, dy *Tensor) []*Tensor {
	c.scatter(0, c.node.op, c.Attrs(), dy)
	return one(nil)
}

// stridedGradient is scatteredGradient for windows in which expanded dims look at one element many times.
func stridedGradient(c *vjp, dy *Tensor) []*Tensor {
	shape, strides := c.Attrs().Ints("shape"), c.Attrs().Ints("strides")
	var repeated, keptShape, keptStrides []int
	for d, n := range shape {
		if strides[d] == 0 && n > 1 {
			repeated = append(repeated, d)
			continue
		}
		keptShape, keptStrides = append(keptShape, n), append(keptStrides, strides[d])
	}
	if len(repeated) > 0 {
		dy = dy.Sum(repeated...)
	}
	c.scatter(0, c.node.op, attrs("shape", keptShape, "strides", keptStrides, "offset", c.Attrs().Int("offset")), dy)
	return one(nil)
}

// reshapedGradient gives dy the shape of the operand.
func reshapedGradient(c *vjp, dy *Tensor) []*Tensor {
	return one(c.reshaped(dy, 0))
}

// T returns t with all its dims reversed: the transpose of a matrix.
//
// Shapes: [a, ..., z] gives [z, ..., a]; any dtype.
// Aliasing: a view of t.
// Gradient: as that of [Tensor.Permute].
// Source: NumPy's T.
//
//hop:returns view(t)
func (t *Tensor) T() *Tensor {
	dims := make([]int, t.Rank())
	for i := range dims {
		dims[i] = len(dims) - 1 - i
	}
	return t.Permute(dims...)
}

// Split returns t in parts of the given size along dim; the last one may be smaller.
//
// Shapes: dim of each part is size; any dtype. A dim of size 0 gives one empty part.
// Aliasing: the parts are views of t.
// Errors: panics with *[Error] for a dim out of range or a size below 1.
// Gradient: as that of [Tensor.Narrow].
// Source: PyTorch's split.
//
//hop:returns view(t)
func (t *Tensor) Split(dim, size int) []*Tensor {
	d := mustDim("Split", dim, t.Rank())
	if size < 1 {
		misuse("Split", "size is %d; want 1 or more", size)
	}
	n := t.Dim(d)
	parts := make([]*Tensor, 0, n/size+1)
	for start := 0; start == 0 || start < n; start += size {
		parts = append(parts, t.Narrow(d, start, min(size, n-start)))
	}
	return parts
}

// Chunk returns t in n parts along dim whose sizes differ by at most one, the larger ones first.
//
// Shapes: parts of dim with sizes ceil or floor of its size over n; any dtype. Parts may be empty.
// Aliasing: the parts are views of t.
// Errors: panics with *[Error] for a dim out of range or n below 1.
// Gradient: as that of [Tensor.Narrow].
// Source: NumPy's array_split.
//
//hop:returns view(t)
func (t *Tensor) Chunk(dim, n int) []*Tensor {
	d := mustDim("Chunk", dim, t.Rank())
	if n < 1 {
		misuse("Chunk", "%d parts; want 1 or more", n)
	}
	size, larger := t.Dim(d)/n, t.Dim(d)%n
	parts := make([]*Tensor, n)
	start := 0
	for i := range parts {
		length := size
		if i < larger {
			length++
		}
		parts[i] = t.Narrow(d, start, length)
		start += length
	}
	return parts
}
