package kernels

import (
	"unsafe"

	"github.com/hoplint/hoplint/tracer"
)

// Convolution of signals x [..., C, L] with filters w [O, C/groups, K] to y [..., O, M]:
//
//	y[o, m] = Σ w[o, c, k] · x[g·C/groups + c, m·stride + k·dilation - padding],  g the group of o,
//
// where x is 0 outside of its L elements. Conv1d gives y, Conv1dInput the gradient of x from w and that of y, Conv1dWeight
// the gradient of w from x and that of y. The attributes are "stride", "padding", "dilation" and "groups". Filters that
// see one channel run as loops over the signal, others as matrix products with its unfolded columns.
var (
	Conv1d       = Kernel{Run: conv1d}
	Conv1dInput  = Kernel{Run: conv1dInput}
	Conv1dWeight = Kernel{Run: conv1dWeight}
)

// convolution is the geometry of one call; x, y and w are contiguous.
type convolution struct {
	dt                        tracer.DType
	batch                     int
	stride, padding, dilation int
	groups, c, o, k, l, m     int // channels of a group, filters of a group, taps, sizes of x and y
	x, y, w                   unsafe.Pointer
}

// geometry reads the windows of x, w and y, copied where they are not contiguous.
func geometry(c *Call, x, w, y *Array) *convolution {
	rank := len(x.Shape)
	v := &convolution{
		dt: x.DType, batch: NumElems(x.Shape[:rank-2]),
		stride: c.Attrs.Int("stride"), padding: c.Attrs.Int("padding"), dilation: c.Attrs.Int("dilation"), groups: c.Attrs.Int("groups"),
		c: w.Shape[1], k: w.Shape[2], l: x.Shape[rank-1], m: y.Shape[rank-1],
	}
	v.o = w.Shape[0] / v.groups
	v.x, v.w, v.y = contiguousOf(x), contiguousOf(w), contiguousOf(y)
	return v
}

// contiguousOf returns the address of the elements of a, row by row.
func contiguousOf(a *Array) unsafe.Pointer {
	if a.IsContiguous() {
		return a.Ptr
	}
	b := New(a.DType, a.Shape...)
	CopyTo(&b, a)
	return b.Ptr
}

// convolver are the three directions for one dtype.
type convolver struct {
	forward, input, weight func(v *convolution)
}

var convolvers = [6]convolver{
	tracer.Int32:   {convForward[int32], convInput[int32], convWeight[int32]},
	tracer.Int64:   {convForward[int64], convInput[int64], convWeight[int64]},
	tracer.Float32: {convForward[float32], convInput[float32], convWeight[float32]},
	tracer.Float64: {convForward[float64], convInput[float64], convWeight[float64]},
}

func conv1d(c *Call) error {
	f := convolvers[c.In[0].DType].forward
	if f == nil {
		return unsupported("conv1d", c.In[0].DType)
	}
	if c.Out[0].NumElems() > 0 {
		f(geometry(c, &c.In[0], &c.In[1], &c.Out[0]))
	}
	return nil
}

func conv1dInput(c *Call) error {
	f := convolvers[c.In[0].DType].input
	if f == nil {
		return unsupported("conv1d_input", c.In[0].DType)
	}
	if c.Out[0].NumElems() > 0 {
		f(geometry(c, &c.Out[0], &c.In[0], &c.In[1]))
	}
	return nil
}

func conv1dWeight(c *Call) error {
	f := convolvers[c.In[0].DType].weight
	if f == nil {
		return unsupported("conv1d_weight", c.In[0].DType)
	}
	if c.Out[0].NumElems() > 0 {
		f(geometry(c, &c.In[0], &c.Out[0], &c.In[1]))
	}
	return nil
}

// span returns the results m in [from, to) for which tap k meets an element of the signal.
func (v *convolution) span(k int) (from, to int) {
	first := v.padding - k*v.dilation // of x, in steps of stride
	if first > 0 {
		from = (first + v.stride - 1) / v.stride
	}
	if end := first + v.l; end > 0 {
		to = min(v.m, (end+v.stride-1)/v.stride)
	}
	return min(from, to), to
}

// unfold writes to cols [C·K, M] what each tap of each filter sees of the signals x [C, L].
func unfold[T number](v *convolution, cols, x []T) {
	for c := range v.c {
		for k := range v.k {
			row := cols[(c*v.k+k)*v.m : (c*v.k+k+1)*v.m]
			from, to := v.span(k)
			clear(row[:from])
			clear(row[to:])
			at := c*v.l + k*v.dilation - v.padding
			for m := from; m < to; m++ {
				row[m] = x[at+m*v.stride]
			}
		}
	}
}

// refold adds cols back to the signals.
func refold[T number](v *convolution, x, cols []T) {
	for c := range v.c {
		for k := range v.k {
			row := cols[(c*v.k+k)*v.m : (c*v.k+k+1)*v.m]
			from, to := v.span(k)
			at := c*v.l + k*v.dilation - v.padding
			for m := from; m < to; m++ {
				x[at+m*v.stride] += row[m]
			}
		}
	}
}

// eachGroup calls f with the slices of x, w and y of every group of every batch.
func eachGroup[T number](v *convolution, f func(x, w, y []T)) {
	nx, nw, ny := v.c*v.l, v.o*v.c*v.k, v.o*v.m
	for b := range v.batch {
		for g := range v.groups {
			i := b*v.groups + g
			f(slice[T](v.x, i*nx, nx), slice[T](v.w, g*nw, nw), slice[T](v.y, i*ny, ny))
		}
	}
}

// slice returns n elements from element i on.
func slice[T number](p unsafe.Pointer, i, n int) []T {
	if n == 0 {
		return nil
	}
	return vec[T](unsafe.Pointer(at[T](p, i)), n)
}

func rowMajor[T number](a []T, cols int) matrix {
	return matrix{unsafe.Pointer(unsafe.SliceData(a)), cols, 1}
}

func turned(a matrix) matrix { return matrix{a.p, a.col, a.row} }

func convForward[T number](v *convolution) {
	taps := v.c * v.k
	if v.c == 1 || taps == 0 {
		eachGroup(v, func(x, w, y []T) { filterForward(v, x, w, y) })
		return
	}
	cols := make([]T, taps*v.m)
	product := gemmFor(v.dt, v.o, taps, v.m)
	eachGroup(v, func(x, w, y []T) {
		unfold(v, cols, x)
		product(rowMajor(y, v.m), rowMajor(w, taps), rowMajor(cols, v.m), v.o, taps, v.m)
	})
}

// filterForward runs filters over the one signal x.
func filterForward[T number](v *convolution, x, w, y []T) {
	clear(y)
	for o := range v.o {
		row := y[o*v.m : (o+1)*v.m]
		for k, f := range w[o*v.c*v.k : (o+1)*v.c*v.k] {
			from, to := v.span(k)
			at := k*v.dilation - v.padding
			if v.stride == 1 {
				if from < to {
					part := row[from:to]
					for i, a := range x[at+from : at+to][:len(part)] {
						part[i] += f * a
					}
				}
				continue
			}
			for m := from; m < to; m++ {
				row[m] += f * x[at+m*v.stride]
			}
		}
	}
}

func convInput[T number](v *convolution) {
	clear(slice[T](v.x, 0, v.batch*v.groups*v.c*v.l))
	taps := v.c * v.k
	if taps == 0 || v.o == 0 || v.m == 0 {
		return
	}
	if v.c == 1 {
		eachGroup(v, func(x, w, y []T) { filterInput(v, x, w, y) })
		return
	}
	cols := make([]T, taps*v.m)
	product := gemmFor(v.dt, taps, v.o, v.m)
	eachGroup(v, func(x, w, y []T) {
		product(rowMajor(cols, v.m), turned(rowMajor(w, taps)), rowMajor(y, v.m), taps, v.o, v.m)
		refold(v, x, cols)
	})
}

func filterInput[T number](v *convolution, x, w, y []T) {
	for o := range v.o {
		row := y[o*v.m : (o+1)*v.m]
		for k, f := range w[o*v.k : (o+1)*v.k] {
			from, to := v.span(k)
			at := k*v.dilation - v.padding
			for m := from; m < to; m++ {
				x[at+m*v.stride] += f * row[m]
			}
		}
	}
}

func convWeight[T number](v *convolution) {
	taps := v.c * v.k
	clear(slice[T](v.w, 0, v.groups*v.o*taps))
	if v.m == 0 {
		return
	}
	if v.c == 1 {
		eachGroup(v, func(x, w, y []T) { filterWeight(v, x, w, y) })
		return
	}
	cols, part := make([]T, taps*v.m), make([]T, v.o*taps)
	product := gemmFor(v.dt, v.o, v.m, taps)
	eachGroup(v, func(x, w, y []T) {
		unfold(v, cols, x)
		product(rowMajor(part, taps), rowMajor(y, v.m), turned(rowMajor(cols, v.m)), v.o, v.m, taps)
		for i, g := range part {
			w[i] += g
		}
	})
}

func filterWeight[T number](v *convolution, x, w, y []T) {
	for o := range v.o {
		row := y[o*v.m : (o+1)*v.m]
		for k := range v.k {
			from, to := v.span(k)
			at := k*v.dilation - v.padding
			var sum T
			for m := from; m < to; m++ {
				sum += row[m] * x[at+m*v.stride]
			}
			w[o*v.k+k] += sum
		}
	}
}
