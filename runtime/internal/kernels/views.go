package kernels

import (
	"fmt"

	"github.com/hoplint/hoplint/tracer"
)

// Views. Their attributes are normalised: dims are not negative, a -1 size is resolved. The shape of the result is
// given; only the address and the strides are made here.
var (
	Narrow    = Kernel{View: narrow}    // dim, start, length
	Slice     = Kernel{View: sliceStep} // dim, start, stop, step
	Select    = Kernel{View: selectDim} // dim, index
	Transpose = Kernel{View: transpose} // a, b
	Permute   = Kernel{View: permute}   // dims
	Expand    = Kernel{View: expand}    // dims, the new sizes
	View      = Kernel{View: reshape}   // dims, the new sizes
	Reshape   = Kernel{View: reshape}   // dims, the new sizes
	Flatten   = Kernel{View: reshape}
	Squeeze   = Kernel{View: reshape} // dims of size 1 that go
	Unsqueeze = Kernel{View: reshape} // dim
	Diagonal  = Kernel{View: diagonal}
	Detach    = Kernel{View: same, Identity: true}
)

// PutView copies its first argument and writes the second into the view of the copy that the attribute "view" names,
// with the view's own attributes.
var PutView = Kernel{Run: putView}

func putView(c *Call) error {
	out, value := &c.Out[0], &c.In[1]
	view, ok := ViewNamed(c.Attrs.Str("view"))
	if !ok {
		return fmt.Errorf("put_view: there is no view named %q", c.Attrs.Str("view"))
	}
	CopyTo(out, &c.In[0])
	window := Array{DType: out.DType, Shape: value.Shape, Strides: make([]int, len(value.Shape))}
	if !view.View(*out, c.Attrs, &window) {
		return fmt.Errorf("put_view: %v has no %s view of shape %v", out.Shape, c.Attrs.Str("view"), value.Shape)
	}
	CopyTo(&window, value)
	return nil
}

// ViewNamed returns the view kernel of an op name.
func ViewNamed(op string) (*Kernel, bool) {
	switch op {
	case "narrow":
		return &Narrow, true
	case "slice":
		return &Slice, true
	case "select":
		return &Select, true
	case "transpose":
		return &Transpose, true
	case "permute":
		return &Permute, true
	case "expand":
		return &Expand, true
	case "view", "reshape":
		return &View, true
	case "flatten", "squeeze", "unsqueeze":
		return &Flatten, true
	case "diagonal":
		return &Diagonal, true
	case "detach":
		return &Detach, true
	default:
		return nil, false
	}
}

// ready gives out room for its strides and the dtype of in.
func ready(in *Array, out *Array) {
	out.DType = in.DType
	if len(out.Strides) != len(out.Shape) {
		out.Strides = make([]int, len(out.Shape))
	}
}

// from sets the address of out to element offset of in; a window without elements keeps the address of in, which may
// not be moved past its memory.
func from(in *Array, out *Array, offset int) {
	out.Ptr = in.Ptr
	if in.Ptr != nil && NumElems(out.Shape) > 0 {
		out.Ptr = step(in.Ptr, in.DType, offset)
	}
}

func same(in Array, _ tracer.Attrs, out *Array) bool {
	ready(&in, out)
	copy(out.Strides, in.Strides)
	from(&in, out, 0)
	return true
}

func narrow(in Array, attrs tracer.Attrs, out *Array) bool {
	same(in, attrs, out)
	from(&in, out, attrs.Int("start")*in.Strides[attrs.Int("dim")])
	return true
}

func sliceStep(in Array, attrs tracer.Attrs, out *Array) bool {
	same(in, attrs, out)
	dim := attrs.Int("dim")
	out.Strides[dim] *= attrs.Int("step")
	from(&in, out, attrs.Int("start")*in.Strides[dim])
	return true
}

func selectDim(in Array, attrs tracer.Attrs, out *Array) bool {
	ready(&in, out)
	dim := attrs.Int("dim")
	copy(out.Strides, in.Strides[:dim])
	copy(out.Strides[dim:], in.Strides[dim+1:])
	from(&in, out, attrs.Int("index")*in.Strides[dim])
	return true
}

func transpose(in Array, attrs tracer.Attrs, out *Array) bool {
	same(in, attrs, out)
	if len(out.Strides) > 0 {
		a, b := attrs.Int("a"), attrs.Int("b")
		out.Strides[a], out.Strides[b] = in.Strides[b], in.Strides[a]
	}
	return true
}

func permute(in Array, attrs tracer.Attrs, out *Array) bool {
	ready(&in, out)
	for i, d := range attrs.Ints("dims") {
		out.Strides[i] = in.Strides[d]
	}
	from(&in, out, 0)
	return true
}

func expand(in Array, _ tracer.Attrs, out *Array) bool {
	ready(&in, out)
	for d := range out.Shape {
		out.Strides[d] = broadcastStride(&in, d, len(out.Shape))
		if k := d - (len(out.Shape) - len(in.Shape)); k >= 0 && in.Shape[k] == out.Shape[d] {
			out.Strides[d] = in.Strides[k]
		}
	}
	from(&in, out, 0)
	return true
}

// diagonal takes the dims of the attributes "a" and "b" (0 and 1 when there are none) along their diagonal, "offset"
// columns to the right; the diagonal becomes the last dim, as in NumPy.
func diagonal(in Array, attrs tracer.Attrs, out *Array) bool {
	ready(&in, out)
	a, b, offset := attrs.Int("a"), attrs.Int("b"), attrs.Int("offset")
	if a == b {
		a, b = 0, 1
	}
	k := 0
	for d := range in.Shape {
		if d != a && d != b {
			out.Strides[k] = in.Strides[d]
			k++
		}
	}
	out.Strides[k] = in.Strides[a] + in.Strides[b]
	from(&in, out, max(offset, 0)*in.Strides[b]-min(offset, 0)*in.Strides[a])
	return true
}

// reshape finds strides that visit the elements of in in row-major order with the shape of out. Dims are matched in
// groups of equal element count; a group of several old dims must lie in memory as one. A trace guesses sizes that depend
// on data: where the counts differ for that, a contiguous array has a view, and of another one none is known.
func reshape(in Array, _ tracer.Attrs, out *Array) bool {
	ready(&in, out)
	from(&in, out, 0)
	if n := NumElems(out.Shape); n == 0 || n != NumElems(in.Shape) {
		fillStrides(out.Shape, out.Strides)
		return n == 0 || in.IsContiguous()
	}
	old, fresh := len(in.Shape)-1, len(out.Shape)-1
	for old >= 0 || fresh >= 0 {
		if old >= 0 && in.Shape[old] == 1 {
			old--
			continue
		}
		if fresh >= 0 && out.Shape[fresh] == 1 {
			out.Strides[fresh] = 1
			fresh--
			continue
		}
		stride := in.Strides[old]
		have, want := in.Shape[old], out.Shape[fresh]
		out.Strides[fresh] = stride
		for have != want {
			if have < want {
				// Skipped dims of size 1 may have any stride.
				for old--; in.Shape[old] == 1; old-- {
				}
				if in.Strides[old] != stride*have {
					return false
				}
				have *= in.Shape[old]
			} else {
				fresh--
				out.Strides[fresh] = stride * want
				want *= out.Shape[fresh]
			}
		}
		old--
		fresh--
	}
	return true
}
