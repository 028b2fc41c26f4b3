package kernels

import "unsafe"

// maxWalk is the number of dims that one walk handles; more are peeled off by recursion.
const maxWalk = 8

// operands is the largest number of windows that are walked together: a result and three arguments.
const operands = 4

// walk visits the elements of several windows of one shape in row-major order, as runs along the last dim. Dims of
// size 1 are dropped and neighbouring dims are merged where all windows allow it, so a contiguous window is one run.
type walk struct {
	rank    int
	shape   [maxWalk]int
	strides [operands][maxWalk]int
	index   [maxWalk]int
	// offset is where the current run starts in each window, in elements.
	offset [operands]int
}

// add appends an outer dim; dims are added from the last to the first and stored in that order.
func (w *walk) add(size int, s *[operands]int) bool {
	if size == 1 {
		return true
	}
	if r := w.rank; r > 0 {
		merge := true
		for k := range s {
			merge = merge && s[k] == w.strides[k][r-1]*w.shape[r-1]
		}
		if merge {
			w.shape[r-1] *= size
			return true
		}
	}
	if w.rank == maxWalk {
		return false
	}
	w.shape[w.rank] = size
	for k := range s {
		w.strides[k][w.rank] = s[k]
	}
	w.rank++
	return true
}

// run returns the length of a run and its stride in window k.
func (w *walk) run() int {
	if w.rank == 0 {
		return 1
	}
	return w.shape[0]
}

// next moves to the next run and reports whether there is one.
func (w *walk) next() bool {
	for d := 1; d < w.rank; d++ {
		w.index[d]++
		if w.index[d] < w.shape[d] {
			for k := range w.offset {
				w.offset[k] += w.strides[k][d]
			}
			return true
		}
		w.index[d] = 0
		for k := range w.offset {
			w.offset[k] -= w.strides[k][d] * (w.shape[d] - 1)
		}
	}
	return false
}

// broadcastStride returns the stride with which window a runs along dim d of a shape of the given rank: NumPy aligns
// shapes at their ends and repeats dims of size 1.
func broadcastStride(a *Array, d, rank int) int {
	d -= rank - len(a.Shape)
	if d < 0 || a.Shape[d] == 1 {
		return 0
	}
	return a.Strides[d]
}

// sweep calls loop on runs that together cover shape. out and args are broadcast to shape; unused args are nil.
func sweep(shape []int, out *Array, args *[3]*Array, loop Loop) {
	rank := len(shape)
	sweepFrom(shape, rank, 0, out, args, [operands]int{}, loop)
}

func sweepFrom(shape []int, rank, first int, out *Array, args *[3]*Array, start [operands]int, loop Loop) {
	if NumElems(shape[first:]) == 0 {
		return
	}
	var w walk
	var s [operands]int
	for d := rank - 1; d >= first; d-- {
		strideAt(&s, out, args, d, rank)
		if !w.add(shape[d], &s) {
			// More dims than a walk holds: peel off the first one.
			strideAt(&s, out, args, first, rank)
			for i := 0; i < shape[first]; i++ {
				sweepFrom(shape, rank, first+1, out, args, start, loop)
				for k := range start {
					start[k] += s[k]
				}
			}
			return
		}
	}
	w.offset = start
	var p [operands]unsafe.Pointer
	for n := w.run(); ; {
		p[0] = step(out.Ptr, out.DType, w.offset[0])
		for k, a := range args {
			if a != nil {
				p[k+1] = step(a.Ptr, a.DType, w.offset[k+1])
			}
		}
		loop(p[0], p[1], p[2], p[3], n, w.strides[1][0], w.strides[2][0], w.strides[3][0])
		if !w.next() {
			return
		}
	}
}

func strideAt(s *[operands]int, out *Array, args *[3]*Array, d, rank int) {
	s[0] = broadcastStride(out, d, rank)
	for k, a := range args {
		s[k+1] = 0
		if a != nil {
			s[k+1] = broadcastStride(a, d, rank)
		}
	}
}
