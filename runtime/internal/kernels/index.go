package kernels

import (
	"fmt"
	"unsafe"

	"github.com/hoplint/hoplint/tracer"
)

// Ops whose places are given by an integer tensor. A negative index counts from the end. One out of range is an error
// that names the first of them in row-major order. Scatter keeps the last of several values for one place, ScatterAdd
// adds in row-major order, so neither depends on how the work is cut.
var (
	Gather      = Kernel{Run: gather}      // x, index: index along "dim", the other dims broadcast
	IndexSelect = Kernel{Run: indexSelect} // x, index of one dim
	Take        = Kernel{Run: take}        // x, index into the elements of x in row-major order
	Scatter     = Kernel{Run: scatter}     // x, index, src
	ScatterAdd  = Kernel{Run: scatterAdd}  // x, index, src
	OneHot      = Kernel{Run: oneHot}      // index
	At          = Kernel{Run: atIndex}     // x, index without dims
	PutAt       = Kernel{Run: putAt}       // x, index without dims, value
)

// indexed is a loop over n elements: at i, the element x[i*sx] moved by index[i*si] places of stride sd. It reports false
// for an index that is out of range of size.
type indexed func(o, x, index unsafe.Pointer, n, so, sx, si, sd, size int) bool

// pickIndexed chooses a loop by the size of an element and the dtype of the index.
func pickIndexed(x, index tracer.DType, loops *[3][2]indexed) indexed {
	class := sizeClass(x.Size())
	if index == tracer.Int32 {
		return loops[class][0]
	}
	return loops[class][1]
}

// sizeClass numbers the element sizes 1, 4 and 8.
func sizeClass(size int) int { return size / 4 }

var (
	gatherLoops = [3][2]indexed{
		{gatherRun[uint8, int32], gatherRun[uint8, int64]},
		{gatherRun[int32, int32], gatherRun[int32, int64]},
		{gatherRun[int64, int32], gatherRun[int64, int64]},
	}
	scatterLoops = [3][2]indexed{
		{scatterRun[uint8, int32], scatterRun[uint8, int64]},
		{scatterRun[int32, int32], scatterRun[int32, int64]},
		{scatterRun[int64, int32], scatterRun[int64, int64]},
	}
	addLoops = [6][2]indexed{
		tracer.Int32:   {addRun[int32, int32], addRun[int32, int64]},
		tracer.Int64:   {addRun[int64, int32], addRun[int64, int64]},
		tracer.Float32: {addRun[float32, int32], addRun[float32, int64]},
		tracer.Float64: {addRun[float64, int32], addRun[float64, int64]},
	}
)

// place returns where index k of size lies, counted from the front.
func place[I integer](k I, size int) (int, bool) {
	i := int(k)
	if i < 0 {
		i += size
	}
	return i, uint(i) < uint(size)
}

// gatherRun reads: o[i] = x[i moved by index[i]].
func gatherRun[T plain, I integer](o, x, index unsafe.Pointer, n, so, sx, si, sd, size int) bool {
	if si == 0 {
		k, ok := place(*(*I)(index), size)
		if !ok {
			return false
		}
		x = unsafe.Pointer(at[T](x, k*sd))
		if so == 1 && sx == 1 {
			copy(vec[T](o, n), vec[T](x, n))
			return true
		}
		for i := range n {
			*at[T](o, i*so) = *at[T](x, i*sx)
		}
		return true
	}
	if so == 1 && si == 1 {
		out := vec[T](o, n)
		if sx == 0 {
			for i, raw := range vec[I](index, n)[:len(out)] {
				k := int(raw)
				if k < 0 {
					k += size
				}
				if uint(k) >= uint(size) {
					return false
				}
				out[i] = *at[T](x, k*sd)
			}
			return true
		}
		for i, raw := range vec[I](index, n)[:len(out)] {
			k, ok := place(raw, size)
			if !ok {
				return false
			}
			out[i] = *at[T](x, i*sx+k*sd)
		}
		return true
	}
	for i := range n {
		k, ok := place(*at[I](index, i*si), size)
		if !ok {
			return false
		}
		*at[T](o, i*so) = *at[T](x, i*sx+k*sd)
	}
	return true
}

// scatterRun writes: o[i moved by index[i]] = x[i].
func scatterRun[T plain, I integer](o, x, index unsafe.Pointer, n, so, sx, si, sd, size int) bool {
	for i := range n {
		k, ok := place(*at[I](index, i*si), size)
		if !ok {
			return false
		}
		*at[T](o, i*so+k*sd) = *at[T](x, i*sx)
	}
	return true
}

func addRun[T number, I integer](o, x, index unsafe.Pointer, n, so, sx, si, sd, size int) bool {
	if so == 0 && sx == 1 && si == 1 && sd == 1 {
		out, in := vec[T](o, size), vec[T](x, n)
		for i, raw := range vec[I](index, n)[:len(in)] {
			k, ok := place(raw, size)
			if !ok {
				return false
			}
			out[k] += in[i]
		}
		return true
	}
	for i := range n {
		k, ok := place(*at[I](index, i*si), size)
		if !ok {
			return false
		}
		*at[T](o, i*so+k*sd) += *at[T](x, i*sx)
	}
	return true
}

// outOfRange describes the first bad index in row-major order. what is the dim that was indexed, and the tensor.
func outOfRange(index *Array, size int, what string) error {
	var buf [maxWalk]int
	where := append(buf[:0], index.Shape...)
	clear(where)
	for range index.NumElems() {
		p := index.Ptr
		for d, i := range where {
			p = step(p, index.DType, i*index.Strides[d])
		}
		k := 0
		if index.DType == tracer.Int32 {
			k = int(*(*int32)(p))
		} else {
			k = int(*(*int64)(p))
		}
		if k < -size || k >= size {
			return indexError(k, size, where, what)
		}
		for d := len(where) - 1; d >= 0; d-- {
			if where[d]++; where[d] < index.Shape[d] {
				break
			}
			where[d] = 0
		}
	}
	return nil
}

func indexError(k, size int, where []int, what string) error {
	position := ""
	if len(where) > 0 {
		position = fmt.Sprintf(" at %v of the index tensor", where)
	}
	if size == 0 {
		return fmt.Errorf("index %d%s is out of range for %s of size 0, which has nothing to index", k, position, what)
	}
	return fmt.Errorf("index %d%s is out of range for %s of size %d; want %d to %d", k, position, what, size, -size, size-1)
}

// dimOf names a dim of a tensor for messages.
func dimOf(dim int, x *Array) string { return fmt.Sprintf("dim %d of %s%v", dim, x.DType, x.Shape) }

// checkIndices refuses an index tensor that has a bad element.
func checkIndices(index *Array, size, dim int, x *Array) error {
	if index.NumElems() == 0 {
		return nil
	}
	args := [3]*Array{index}
	ok := true
	bad := badRun[int64]
	if index.DType == tracer.Int32 {
		bad = badRun[int32]
	}
	sweep(index.Shape, index, &args, func(_, a, _, _ unsafe.Pointer, n, sa, _, _ int) { ok = ok && !bad(a, n, sa, size) })
	if ok {
		return nil
	}
	return outOfRange(index, size, dimOf(dim, x))
}

func badRun[I integer](a unsafe.Pointer, n, sa, size int) bool {
	for i := range n {
		if _, ok := place(*at[I](a, i*sa), size); !ok {
			return true
		}
	}
	return false
}

// runIndexed visits shape with a loop. index and x are broadcast to shape; o moves with shape except along the dim where
// it is indexed, for which its strides, like those of x, are 0.
func runIndexed(shape []int, o, x, index *Array, sd, size int, loop indexed) bool {
	args := [3]*Array{x, index}
	ok := true
	// The window o is passed as the third argument too: a loop is told the strides of arguments only.
	args[2] = o
	sweep(shape, o, &args, func(_, p, k, q unsafe.Pointer, n, sx, si, so int) { ok = ok && loop(q, p, k, n, so, sx, si, sd, size) })
	return ok
}

// still returns a with stride 0 along dim and the size that shape has there.
func still(a *Array, dim, size int, shape, strides []int) Array {
	shape, strides = append(shape[:0], a.Shape...), append(strides[:0], a.Strides...)
	shape[dim], strides[dim] = size, 0
	return Array{Ptr: a.Ptr, DType: a.DType, Shape: shape, Strides: strides}
}

func gather(c *Call) error {
	x, index, out, dim := &c.In[0], &c.In[1], &c.Out[0], c.Attrs.Int("dim")
	if out.NumElems() == 0 {
		return checkIndices(index, x.Shape[dim], dim, x)
	}
	fixed := still(x, dim, out.Shape[dim], c.room[0][:], c.room[1][:])
	if !runIndexed(out.Shape, out, &fixed, index, x.Strides[dim], x.Shape[dim], pickIndexed(x.DType, index.DType, &gatherLoops)) {
		return outOfRange(index, x.Shape[dim], dimOf(dim, x))
	}
	return nil
}

func indexSelect(c *Call) error {
	x, index, out, dim := &c.In[0], &c.In[1], &c.Out[0], c.Attrs.Int("dim")
	if out.NumElems() == 0 {
		return checkIndices(index, x.Shape[dim], dim, x)
	}
	if selectRows(out, x, index, dim) {
		return nil
	}
	fixed := still(x, dim, out.Shape[dim], c.room[0][:], c.room[1][:])
	wide := Array{Ptr: index.Ptr, DType: index.DType, Shape: append(c.room[2][:0], out.Shape...), Strides: append(c.room[3][:0], out.Strides...)}
	clear(wide.Strides)
	wide.Strides[dim] = index.Strides[0]
	if !runIndexed(out.Shape, out, &fixed, &wide, x.Strides[dim], x.Shape[dim], pickIndexed(x.DType, index.DType, &gatherLoops)) {
		return outOfRange(index, x.Shape[dim], dimOf(dim, x))
	}
	return nil
}

// selectRows copies whole blocks where both sides are contiguous behind dim. It reports false for another layout, and
// for a bad index.
func selectRows(out, x, index *Array, dim int) bool {
	if !x.IsContiguous() {
		return false
	}
	size, block := x.Shape[dim], x.DType.Size()
	for _, d := range x.Shape[dim+1:] {
		block *= d
	}
	if block < 32 {
		return false // one loop over the elements is faster than many copies
	}
	count, stride := index.Shape[0], index.Strides[0]
	for outer := range NumElems(x.Shape[:dim]) {
		from, to := vec[byte](unsafe.Add(x.Ptr, outer*size*block), size*block), vec[byte](unsafe.Add(out.Ptr, outer*count*block), count*block)
		for i := range count {
			var k int
			var ok bool
			if index.DType == tracer.Int32 {
				k, ok = place(*at[int32](index.Ptr, i*stride), size)
			} else {
				k, ok = place(*at[int64](index.Ptr, i*stride), size)
			}
			if !ok {
				return false
			}
			copy(to[i*block:(i+1)*block], from[k*block:(k+1)*block])
		}
	}
	return true
}

// take moves along the elements of a contiguous argument; another one is indexed dim by dim.
func take(c *Call) error {
	x, index, out := &c.In[0], &c.In[1], &c.Out[0]
	size := x.NumElems()
	if index.NumElems() == 0 {
		return nil
	}
	whole := func() string { return fmt.Sprintf("the elements of %s%v", x.DType, x.Shape) }
	if size == 0 {
		return outOfRange(index, size, whole())
	}
	loop := pickIndexed(x.DType, index.DType, &gatherLoops)
	fixed := Array{Ptr: x.Ptr, DType: x.DType}
	if x.IsContiguous() {
		if !runIndexed(out.Shape, out, &fixed, index, 1, size, loop) {
			return outOfRange(index, size, whole())
		}
		return nil
	}
	ok := true
	element := x.DType.Size()
	args := [3]*Array{&fixed, index, out}
	sweep(out.Shape, out, &args, func(_, p, k, q unsafe.Pointer, n, _, si, so int) {
		for i := 0; i < n && ok; i++ {
			var at int
			if index.DType == tracer.Int32 {
				at, ok = place(*(*int32)(step(k, tracer.Int32, i*si)), size)
			} else {
				at, ok = place(*(*int64)(step(k, tracer.Int64, i*si)), size)
			}
			if !ok {
				return
			}
			from := p
			for d := len(x.Shape) - 1; d >= 0; d-- {
				from = step(from, x.DType, at%x.Shape[d]*x.Strides[d])
				at /= x.Shape[d]
			}
			copy(vec[byte](step(q, x.DType, i*so), element), vec[byte](from, element))
		}
	})
	if !ok {
		return outOfRange(index, size, whole())
	}
	return nil
}

func scatter(c *Call) error {
	return scatterWith(c, pickIndexed(c.In[0].DType, c.In[1].DType, &scatterLoops))
}

func scatterAdd(c *Call) error {
	x, index := &c.In[0], &c.In[1]
	width := 1
	if index.DType == tracer.Int32 {
		width = 0
	}
	loop := addLoops[x.DType][width]
	if loop == nil {
		return unsupported("scatter_add", x.DType)
	}
	return scatterWith(c, loop)
}

// scatterWith copies x and then visits the dims of x with those of the index along "dim".
func scatterWith(c *Call, loop indexed) error {
	x, index, src, out, dim := &c.In[0], &c.In[1], &c.In[2], &c.Out[0], c.Attrs.Int("dim")
	if out.Ptr != x.Ptr { // an executor may let the result lie where x does, when nobody else reads x any more
		CopyTo(out, x)
	}
	size := x.Shape[dim]
	fixed := still(out, dim, index.Shape[dim], c.room[0][:], c.room[1][:])
	if fixed.NumElems() == 0 {
		return checkIndices(index, size, dim, x)
	}
	if size == 0 || !runIndexed(fixed.Shape, &fixed, src, index, out.Strides[dim], size, loop) {
		return outOfRange(index, size, dimOf(dim, x))
	}
	return nil
}

func oneHot(c *Call) error {
	index, out := &c.In[0], &c.Out[0]
	size := out.Shape[len(out.Shape)-1]
	if index.NumElems() == 0 {
		return nil
	}
	classes := func() string { return fmt.Sprintf("%d classes", size) }
	if size == 0 {
		return outOfRange(index, size, classes())
	}
	clear(vec[byte](out.Ptr, out.NumElems()*out.DType.Size()))
	if err := Const(unsafe.Pointer(&c.consts[0]), out.DType, 1); err != nil {
		return err
	}
	hot := Array{Ptr: unsafe.Pointer(&c.consts[0]), DType: out.DType}
	rank := len(index.Shape)
	first := Array{Ptr: out.Ptr, DType: out.DType, Shape: out.Shape[:rank], Strides: out.Strides[:rank]}
	if !runIndexed(index.Shape, &first, &hot, index, 1, size, pickIndexed(out.DType, index.DType, &scatterLoops)) {
		return outOfRange(index, size, classes())
	}
	return nil
}

// atWindow returns the slice of a that the index picks along dim; a has the dims of x, which messages speak of.
func atWindow(a, x, index *Array, dim int, shape, strides []int) (Array, error) {
	var k int
	var ok bool
	if index.DType == tracer.Int32 {
		k, ok = place(*(*int32)(index.Ptr), x.Shape[dim])
	} else {
		k, ok = place(*(*int64)(index.Ptr), x.Shape[dim])
	}
	if !ok {
		return Array{}, outOfRange(index, x.Shape[dim], dimOf(dim, x))
	}
	w := Array{Ptr: a.Ptr, DType: a.DType,
		Shape:   append(append(shape[:0], a.Shape[:dim]...), a.Shape[dim+1:]...),
		Strides: append(append(strides[:0], a.Strides[:dim]...), a.Strides[dim+1:]...)}
	if w.NumElems() > 0 {
		w.Ptr = step(a.Ptr, a.DType, k*a.Strides[dim])
	}
	return w, nil
}

func atIndex(c *Call) error {
	var a, b [maxWalk]int
	w, err := atWindow(&c.In[0], &c.In[0], &c.In[1], c.Attrs.Int("dim"), a[:], b[:])
	if err != nil {
		return err
	}
	CopyTo(&c.Out[0], &w)
	return nil
}

func putAt(c *Call) error {
	var a, b [maxWalk]int
	w, err := atWindow(&c.Out[0], &c.In[0], &c.In[1], c.Attrs.Int("dim"), a[:], b[:])
	if err != nil {
		return err
	}
	if c.Out[0].Ptr != c.In[0].Ptr {
		CopyTo(&c.Out[0], &c.In[0])
	}
	CopyTo(&w, &c.In[2])
	return nil
}
