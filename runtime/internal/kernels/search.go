package kernels

import (
	"unsafe"

	"github.com/hoplint/hoplint/tracer"
)

// SearchSorted gives for each element of its second argument where it would stand in the first, which has one dim and
// is sorted with NaN last: before equal elements, behind them with the attribute "right".
var SearchSorted = Kernel{Run: searchSorted}

func searchSorted(c *Call) error {
	sorted, values := &c.In[0], &c.In[1]
	switch sorted.DType {
	case tracer.Bool:
		searchAll[uint8](c, sorted, values)
	case tracer.Int32:
		searchAll[int32](c, sorted, values)
	case tracer.Int64:
		searchAll[int64](c, sorted, values)
	case tracer.Float32:
		searchAll[float32](c, sorted, values)
	default:
		searchAll[float64](c, sorted, values)
	}
	return nil
}

func searchAll[T plain](c *Call, sorted, values *Array) {
	n, stride, right := sorted.Shape[0], sorted.Strides[0], c.Attrs.Bool("right")
	args := [3]*Array{values}
	sweep(values.Shape, &c.Out[0], &args, func(o, p, _, _ unsafe.Pointer, m, sp, _, _ int) {
		searchRun[T](o, p, m, sp, sorted.Ptr, n, stride, right)
	})
}

func searchRun[T plain](o, p unsafe.Pointer, m, sp int, sorted unsafe.Pointer, n, stride int, right bool) {
	out := vec[int64](o, m)
	for i := range out {
		v := *at[T](p, i*sp)
		lo, hi := 0, n
		for lo < hi {
			mid := int(uint(lo+hi) / 2)
			x := *at[T](sorted, mid*stride)
			before := x < v || v != v && x == x
			if right {
				before = x <= v || v != v
			}
			if before {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		out[i] = int64(lo)
	}
}

// Nonzero gives the indices of the elements that are not 0 or false, one row for each, in row-major order. The result
// has as many rows as CountNonzero says.
var Nonzero = Kernel{Run: nonzero}

// CountNonzero counts the elements that are not 0 or false; NaN is not 0.
func CountNonzero(a *Array) int {
	count := 0
	args := [3]*Array{a}
	sweep(a.Shape, a, &args, func(_, p, _, _ unsafe.Pointer, n, sp, _, _ int) {
		for i := range n {
			if isNonzero(step(p, a.DType, i*sp), a.DType) {
				count++
			}
		}
	})
	return count
}

func isNonzero(p unsafe.Pointer, dt tracer.DType) bool {
	switch dt {
	case tracer.Bool:
		return *(*uint8)(p) != 0
	case tracer.Int32:
		return *(*int32)(p) != 0
	case tracer.Int64:
		return *(*int64)(p) != 0
	case tracer.Float32:
		return *(*float32)(p) != 0
	default:
		return *(*float64)(p) != 0
	}
}

func nonzero(c *Call) error {
	in, out := &c.In[0], &c.Out[0]
	rank := len(in.Shape)
	rows := Elems[int64](*out)
	if rank == 0 {
		return nil // one row without elements, or none
	}
	var buf [maxWalk]int
	index := append(buf[:0], in.Shape...)
	clear(index)
	p := in.Ptr
	for len(rows) > 0 {
		if isNonzero(p, in.DType) {
			for d, i := range index {
				rows[d] = int64(i)
			}
			rows = rows[rank:]
		}
		for d := rank - 1; d >= 0; d-- {
			if index[d]++; index[d] < in.Shape[d] {
				p = step(p, in.DType, in.Strides[d])
				break
			}
			p = step(p, in.DType, -in.Strides[d]*(in.Shape[d]-1))
			index[d] = 0
		}
	}
	return nil
}
