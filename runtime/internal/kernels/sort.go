package kernels

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/hoplint/hoplint/tracer"
)

// Order along the attribute "dim". Equal elements keep their order, NaN comes last and -0 equals 0. Sort gives the
// sorted elements and their indices, ArgSort the indices alone; TopK the "k" largest in descending order, NaN being
// largest. MaxAlong and MinAlong give the first extremum and its index, the first NaN if there is one. CumMax gives the
// running maximum, NaN from the first NaN on, and CumArgMax where it was reached first.
var (
	Sort      = Kernel{Run: func(c *Call) error { return sortLines(c, &c.Out[0], &c.Out[1]) }}
	ArgSort   = Kernel{Run: func(c *Call) error { return sortLines(c, nil, &c.Out[0]) }}
	TopK      = Kernel{Run: topK}
	MaxAlong  = Kernel{Run: func(c *Call) error { return extremumAlong(c, true) }}
	MinAlong  = Kernel{Run: func(c *Call) error { return extremumAlong(c, false) }}
	CumMax    = alongDim("cum_max", pickCumMax)
	CumArgMax = alongDim("cum_arg_max", pickCumArgMax)
)

// ranked is an element of a line: key orders as the elements do, at is its place.
type ranked struct {
	key uint64
	at  int
}

// less orders equal keys by their place, so every sort by it is stable.
func (a ranked) less(b ranked) bool { return a.key < b.key || a.key == b.key && a.at < b.at }

func compareRanked(a, b ranked) int {
	switch {
	case a.less(b):
		return -1
	case b.less(a):
		return 1
	default:
		return 0
	}
}

const signBit = 1 << 63

// floatKey maps floats to integers of the same order: the bits of negative ones turn around, NaN is largest.
func floatKey(x float64) uint64 {
	switch {
	case x != x:
		return math.MaxUint64
	case x == 0: // -0 too
		return signBit
	}
	b := math.Float64bits(x)
	if b&signBit != 0 {
		return ^b
	}
	return b | signBit
}

// rank fills list with the n elements behind p.
func rank(list []ranked, p unsafe.Pointer, dt tracer.DType, stride int) {
	switch dt {
	case tracer.Bool:
		rankIntegers[uint8](list, p, stride)
	case tracer.Int32:
		rankIntegers[int32](list, p, stride)
	case tracer.Int64:
		rankIntegers[int64](list, p, stride)
	case tracer.Float32:
		rankFloats[float32](list, p, stride)
	default:
		rankFloats[float64](list, p, stride)
	}
}

func rankIntegers[T uint8 | int32 | int64](list []ranked, p unsafe.Pointer, stride int) {
	for i := range list {
		list[i] = ranked{uint64(int64(*at[T](p, i*stride))) ^ signBit, i}
	}
}

func rankFloats[T float](list []ranked, p unsafe.Pointer, stride int) {
	for i := range list {
		list[i] = ranked{floatKey(float64(*at[T](p, i*stride))), i}
	}
}

// fewRanked is the length up to which comparing is faster than counting digits.
const fewRanked = 256

// order sorts list; spare has the same length. Long lists are sorted by the digits of their keys, the lowest first
// (Knuth, The Art of Computer Programming 3, 5.2.5); a digit that all keys share is skipped.
func order(list, spare []ranked) {
	if len(list) <= fewRanked {
		slices.SortFunc(list, compareRanked)
		return
	}
	var counts [8][256]int
	for _, r := range list {
		for d := range counts {
			counts[d][byte(r.key>>(8*d))]++
		}
	}
	from, to := list, spare
	for d := range counts {
		count, shift := &counts[d], 8*d
		if count[byte(list[0].key>>shift)] == len(list) {
			continue
		}
		next := 0
		for b, n := range count {
			count[b] = next
			next += n
		}
		for _, r := range from {
			b := byte(r.key >> shift)
			to[count[b]] = r
			count[b]++
		}
		from, to = to, from
	}
	if unsafe.SliceData(from) != unsafe.SliceData(list) {
		copy(list, from)
	}
}

// lines visits the lines of in along dim: where each starts, and where it starts in a contiguous result that has per
// elements along dim.
type lines struct {
	dim, n, stride int // of in
	inner          int // distance of neighbours along dim in the result
	count          int // lines
	w              axes
}

func linesOf(in *Array, dim int, op string) (lines, error) {
	l := lines{dim: dim, n: 1, inner: 1, count: 1}
	if len(in.Shape) > 0 {
		l.n, l.stride = in.Shape[dim], in.Strides[dim]
	}
	for d := len(in.Shape) - 1; d >= 0; d-- {
		if d == dim {
			continue
		}
		if d > dim {
			l.inner *= in.Shape[d]
		}
		l.count *= in.Shape[d]
		if !l.w.add(in.Shape[d], in.Strides[d]) {
			return l, fmt.Errorf("%s: %d dims that cannot be merged; make the tensor contiguous first", op, maxAxes+1)
		}
	}
	return l, nil
}

// visit calls f with the address of each line, its number and that of its first result.
func (l *lines) visit(p unsafe.Pointer, dt tracer.DType, per int, f func(p unsafe.Pointer, first int)) {
	var index [maxAxes]int
	for i := range l.count {
		f(p, i/l.inner*l.inner*per+i%l.inner)
		for d := range l.w.rank {
			if index[d]++; index[d] < l.w.shape[d] {
				p = step(p, dt, l.w.strides[d])
				break
			}
			index[d] = 0
			p = step(p, dt, -l.w.strides[d]*(l.w.shape[d]-1))
		}
	}
}

func sortLines(c *Call, values, indices *Array) error {
	in := &c.In[0]
	l, err := linesOf(in, c.Attrs.Int("dim"), "sort")
	if err != nil || in.NumElems() == 0 {
		return err
	}
	list, spare := make([]ranked, l.n), []ranked(nil)
	if l.n > fewRanked {
		spare = make([]ranked, l.n)
	}
	l.visit(in.Ptr, in.DType, l.n, func(p unsafe.Pointer, first int) {
		rank(list, p, in.DType, l.stride)
		order(list, spare)
		l.write(list, p, in.DType, first, values, indices)
	})
	return nil
}

// write stores the ranked elements of the line at p as a line of the results.
func (l *lines) write(list []ranked, p unsafe.Pointer, dt tracer.DType, first int, values, indices *Array) {
	if indices != nil {
		o := step(indices.Ptr, tracer.Int64, first)
		for j, r := range list {
			*at[int64](o, j*l.inner) = int64(r.at)
		}
	}
	if values == nil {
		return
	}
	o := step(values.Ptr, dt, first)
	switch dt.Size() {
	case 1:
		pickRanked[uint8](list, o, l.inner, p, l.stride)
	case 4:
		pickRanked[int32](list, o, l.inner, p, l.stride)
	default:
		pickRanked[int64](list, o, l.inner, p, l.stride)
	}
}

func pickRanked[T plain](list []ranked, o unsafe.Pointer, so int, p unsafe.Pointer, sp int) {
	for j, r := range list {
		*at[T](o, j*so) = *at[T](p, r.at*sp)
	}
}

// topK keeps the k first elements of a line by descending order in a heap whose root is the last of them.
func topK(c *Call) error {
	in, k := &c.In[0], c.Attrs.Int("k")
	l, err := linesOf(in, c.Attrs.Int("dim"), "top_k")
	if err != nil || c.Out[0].NumElems() == 0 {
		return err
	}
	list, spare := make([]ranked, l.n), make([]ranked, k)
	if k > l.n/8 {
		spare = make([]ranked, l.n)
	}
	l.visit(in.Ptr, in.DType, k, func(p unsafe.Pointer, first int) {
		rank(list, p, in.DType, l.stride)
		for i := range list {
			list[i].key = ^list[i].key
		}
		best := rankedHeap(list[:k])
		if k > l.n/8 {
			order(list, spare)
		} else {
			best.heapify()
			for _, r := range list[k:] {
				if r.less(best[0]) {
					best[0] = r
					best.sink(0)
				}
			}
			order(best, spare)
		}
		l.write(best, p, in.DType, first, &c.Out[0], &c.Out[1])
	})
	return nil
}

// rankedHeap has the largest element at its root.
type rankedHeap []ranked

func (h rankedHeap) heapify() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.sink(i)
	}
}

// sink moves element i down to its place.
func (h rankedHeap) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && h[child].less(h[child+1]) {
			child++
		}
		if !h[i].less(h[child]) {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}

func extremumAlong(c *Call, largest bool) error {
	in, dim := &c.In[0], c.Attrs.Int("dim")
	l, err := linesOf(in, dim, "max_along")
	if err != nil || c.Out[0].NumElems() == 0 {
		return err
	}
	if l.n == 0 {
		return fmt.Errorf("dim %d of %v: %w", dim, in.Shape, errEmptyExtremum)
	}
	values, indices, dt := &c.Out[0], &c.Out[1], in.DType
	l.visit(in.Ptr, dt, 1, func(p unsafe.Pointer, first int) {
		k := 0
		switch dt {
		case tracer.Bool:
			k = argRun[uint8](p, l.stride, l.n, largest)
		case tracer.Int32:
			k = argRun[int32](p, l.stride, l.n, largest)
		case tracer.Int64:
			k = argRun[int64](p, l.stride, l.n, largest)
		case tracer.Float32:
			k = argRun[float32](p, l.stride, l.n, largest)
		default:
			k = argRun[float64](p, l.stride, l.n, largest)
		}
		*at[int64](indices.Ptr, first) = int64(k)
		copyElement(step(values.Ptr, dt, first), step(p, dt, k*l.stride), dt.Size())
	})
	return nil
}

// copyElement copies one element of size bytes.
func copyElement(dst, src unsafe.Pointer, size int) {
	switch size {
	case 8:
		*(*uint64)(dst) = *(*uint64)(src)
	case 4:
		*(*uint32)(dst) = *(*uint32)(src)
	default:
		*(*uint8)(dst) = *(*uint8)(src)
	}
}

func pickCumMax(in, out tracer.DType) line {
	return pickLine(in, out, cumMaxLine[uint8], cumMaxLine[int32], cumMaxLine[int64], cumMaxLine[float32], cumMaxLine[float64])
}

func pickCumArgMax(in, out tracer.DType) line {
	if out != tracer.Int64 {
		return nil
	}
	return pickLine(in, in, cumArgMaxLine[uint8], cumArgMaxLine[int32], cumArgMaxLine[int64], cumArgMaxLine[float32], cumArgMaxLine[float64])
}

func cumMaxLine[T plain](o unsafe.Pointer, so int, a unsafe.Pointer, sa, n int) {
	best := *(*T)(a)
	for i := range n {
		if x := *at[T](a, i*sa); x > best || x != x {
			best = x
		}
		*at[T](o, i*so) = best
	}
}

func cumArgMaxLine[T plain](o unsafe.Pointer, so int, a unsafe.Pointer, sa, n int) {
	best, where := *(*T)(a), 0
	for i := range n {
		if x := *at[T](a, i*sa); x > best || x != x && best == best {
			best, where = x, i
		}
		*at[int64](o, i*so) = int64(where)
	}
}
