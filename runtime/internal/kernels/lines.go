package kernels

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/hoplint/hoplint/tracer"
)

// Ops along the attribute "dim". ArgMax and ArgMin give the int64 index of the first extremum, the first NaN if there
// is one; over no elements they are an error. CumSum and CumProd accumulate from the start, so their error grows with
// the position; integers wrap, and may go to int64. Softmax and LogSoftmax shift by the maximum first.
var (
	ArgMax     = alongDim("arg_max", pickArgMax)
	ArgMin     = alongDim("arg_min", pickArgMin)
	CumSum     = alongDim("cum_sum", pickCumSum)
	CumProd    = alongDim("cum_prod", pickCumProd)
	Softmax    = alongDim("softmax", pickSoftmax)
	LogSoftmax = alongDim("log_softmax", pickLogSoftmax)
)

// line computes results that are so elements apart at o from the n elements that are sa apart at a.
type line func(o unsafe.Pointer, so int, a unsafe.Pointer, sa, n int)

func alongDim(op string, pick func(in, out tracer.DType) line) Kernel {
	table := byDTypes(pick)
	return Kernel{Run: func(c *Call) error { return runLines(c, op, table) }}
}

func runLines(c *Call, op string, table *[6][6]line) error {
	in, out := &c.In[0], &c.Out[0]
	f := table[in.DType][out.DType]
	if f == nil {
		return fmt.Errorf("%s of %s does not give %s; convert the tensor with To", op, in.DType, out.DType)
	}
	results := out.NumElems()
	if results == 0 {
		return nil
	}
	dim := c.Attrs.Int("dim")
	n, sa := 1, 0
	if len(in.Shape) > 0 {
		n, sa = in.Shape[dim], in.Strides[dim]
	}
	if n == 0 {
		return fmt.Errorf("%s over dim %d of %v: %w", op, dim, in.Shape, errEmptyExtremum)
	}
	// The results of a line are one element (ArgMax) or as many as the line has; the out window is contiguous, so the
	// lines before and behind dim are numbered by its inner size.
	so, inner := 0, 1
	for d := dim + 1; d < len(in.Shape); d++ {
		inner *= in.Shape[d]
	}
	perLine := results / (NumElems(in.Shape) / n)
	if perLine == n {
		so = inner
	}
	var w axes
	for d := len(in.Shape) - 1; d >= 0; d-- {
		if d != dim && !w.add(in.Shape[d], in.Strides[d]) {
			return fmt.Errorf("%s: %d dims that cannot be merged; make the tensor contiguous first", op, maxAxes+1)
		}
	}
	var index [maxAxes]int
	p := in.Ptr
	for i := 0; ; i++ {
		f(step(out.Ptr, out.DType, i/inner*inner*perLine+i%inner), so, p, sa, n)
		d := 0
		for ; d < w.rank; d++ {
			index[d]++
			if index[d] < w.shape[d] {
				p = step(p, in.DType, w.strides[d])
				break
			}
			index[d] = 0
			p = step(p, in.DType, -w.strides[d]*(w.shape[d]-1))
		}
		if d == w.rank {
			return nil
		}
	}
}

func pickLine(in, out tracer.DType, table ...line) line {
	if in != out || !in.Valid() {
		return nil
	}
	return table[in-tracer.Bool]
}

func pickArgMax(in, out tracer.DType) line {
	if out != tracer.Int64 {
		return nil
	}
	return pickLine(in, in, argLine[uint8](true), argLine[int32](true), argLine[int64](true), argLine[float32](true), argLine[float64](true))
}

func pickArgMin(in, out tracer.DType) line {
	if out != tracer.Int64 {
		return nil
	}
	return pickLine(in, in, argLine[uint8](false), argLine[int32](false), argLine[int64](false), argLine[float32](false), argLine[float64](false))
}

func argLine[T plain](largest bool) line {
	return func(o unsafe.Pointer, _ int, a unsafe.Pointer, sa, n int) {
		*(*int64)(o) = int64(argRun[T](a, sa, n, largest))
	}
}

// argRun stops at the first NaN.
func argRun[T plain](a unsafe.Pointer, sa, n int, largest bool) int {
	best, where := *(*T)(a), 0
	for i := 1; i < n && best == best; i++ {
		if x := *at[T](a, i*sa); x != x || (largest && x > best) || (!largest && x < best) {
			best, where = x, i
		}
	}
	return where
}

func pickCumSum(in, out tracer.DType) line {
	switch {
	case in == tracer.Int32 && out == tracer.Int64:
		return cumLine(0, func(acc int64, x int32) int64 { return acc + int64(x) })
	case in == tracer.Bool && out == tracer.Int64:
		return cumLine(0, func(acc int64, x uint8) int64 { return acc + int64(x) })
	}
	return pickLine(in, out, nil, cumLine(0, add2[int32]), cumLine(0, add2[int64]), cumLine(0, add2[float32]), cumLine(0, add2[float64]))
}

func pickCumProd(in, out tracer.DType) line {
	switch {
	case in == tracer.Int32 && out == tracer.Int64:
		return cumLine(1, func(acc int64, x int32) int64 { return acc * int64(x) })
	case in == tracer.Bool && out == tracer.Int64:
		return cumLine(1, func(acc int64, x uint8) int64 { return acc * int64(x) })
	}
	return pickLine(in, out, nil, cumLine(1, mul2[int32]), cumLine(1, mul2[int64]), cumLine(1, mul2[float32]), cumLine(1, mul2[float64]))
}

func cumLine[T, R plain](start R, f func(acc R, x T) R) line {
	return func(o unsafe.Pointer, so int, a unsafe.Pointer, sa, n int) { cumRun(o, so, a, sa, n, start, f) }
}

func cumRun[T, R plain](o unsafe.Pointer, so int, a unsafe.Pointer, sa, n int, acc R, f func(acc R, x T) R) {
	for i := range n {
		acc = f(acc, *at[T](a, i*sa))
		*at[R](o, i*so) = acc
	}
}

func pickSoftmax(in, out tracer.DType) line {
	return pickLine(in, out, nil, nil, nil, softmaxLine[float32], softmaxLine[float64])
}

func pickLogSoftmax(in, out tracer.DType) line {
	return pickLine(in, out, nil, nil, nil, logSoftmaxLine[float32], logSoftmaxLine[float64])
}

// softmaxLine gives NaN for a line with NaN or +Inf, or with -Inf only, as the quotient of its parts would.
func softmaxLine[T float](o unsafe.Pointer, so int, a unsafe.Pointer, sa, n int) {
	m, sum := maxRun[T](a, n, sa), 0.0
	for i := range n {
		e := math.Exp(float64(*at[T](a, i*sa) - m))
		sum += e
		*at[T](o, i*so) = T(e)
	}
	scale := 1 / sum
	for i := range n {
		r := at[T](o, i*so)
		*r = T(float64(*r) * scale)
	}
}

func logSoftmaxLine[T float](o unsafe.Pointer, so int, a unsafe.Pointer, sa, n int) {
	m, sum := maxRun[T](a, n, sa), 0.0
	for i := range n {
		sum += math.Exp(float64(*at[T](a, i*sa) - m))
	}
	shift := math.Log(sum)
	for i := range n {
		*at[T](o, i*so) = T(float64(*at[T](a, i*sa)-m) - shift)
	}
}
