package kernels

import (
	"math"
	"unsafe"

	"github.com/hoplint/hoplint/tracer"
)

// Cast converts to the dtype of its result. A float becomes an integer by truncation; outside of the integer's range it
// becomes the nearest end of it, and NaN becomes 0, on every machine. Nonzero and NaN become true.
var Cast = (&Pointwise{Op: "cast", Arity: 1, ToAny: true}).kernel()

// Copy copies elements unchanged: Clone and Contiguous.
var Copy = Kernel{Run: runCopy, Identity: true}

func runCopy(c *Call) error {
	CopyTo(&c.Out[0], &c.In[0])
	return nil
}

// CastCode returns the code that converts in to out.
func CastCode(in, out tracer.DType) (*Code, bool) {
	if !in.Valid() || !out.Valid() {
		return nil, false
	}
	return &castCodes[in][out], true
}

var castCodes = [6][6]Code{
	tracer.Bool:    castFrom[uint8](tracer.Bool),
	tracer.Int32:   castFrom[int32](tracer.Int32),
	tracer.Int64:   castFrom[int64](tracer.Int64),
	tracer.Float32: castFrom[float32](tracer.Float32),
	tracer.Float64: castFrom[float64](tracer.Float64),
}

func castFrom[T plain](in tracer.DType) (t [6]Code) {
	t[tracer.Bool] = code1(tracer.Bool, func(x T) uint8 {
		if x != 0 {
			return 1
		}
		return 0
	})
	t[tracer.Int32], t[tracer.Int64] = castCode[T, int32](tracer.Int32), castCode[T, int64](tracer.Int64)
	if in.IsFloat() {
		t[tracer.Int32] = code1(tracer.Int32, func(x T) int32 { return saturate[int32](float64(x), math.MinInt32, math.MaxInt32) })
		t[tracer.Int64] = code1(tracer.Int64, func(x T) int64 { return saturate[int64](float64(x), math.MinInt64, math.MaxInt64) })
	}
	t[tracer.Float32], t[tracer.Float64] = castCode[T, float32](tracer.Float32), castCode[T, float64](tracer.Float64)
	return t
}

// saturate truncates x into [lo, hi]. float64(hi) may be hi+1, which must go to hi too.
func saturate[T integer](x float64, lo, hi T) T {
	switch {
	case x != x:
		return 0
	case x <= float64(lo):
		return lo
	case x >= float64(hi):
		return hi
	default:
		return T(x)
	}
}

func castLoop[T, R plain](o, a, _, _ unsafe.Pointer, n, sa, _, _ int) {
	r := vec[R](o, n)
	if sa == 1 {
		for i, x := range vec[T](a, n)[:len(r)] {
			r[i] = R(x)
		}
		return
	}
	for i := range r {
		r[i] = R(*at[T](a, i*sa))
	}
}

func castCode[T, R plain](out tracer.DType) Code {
	return Code{
		Out:  out,
		Loop: castLoop[T, R],
		Step: func(o, a, _, _ unsafe.Pointer) func() {
			r, x := (*R)(o), (*T)(a)
			return func() { *r = R(*x) }
		},
		StepAt: func(o, a, _, _ unsafe.Pointer, so, sa, _, _ int) func(i int) {
			so, sa = so*sizeOf[R](), sa*sizeOf[T]()
			return func(i int) { *(*R)(unsafe.Add(o, i*so)) = R(*(*T)(unsafe.Add(a, i*sa))) }
		},
	}
}

// CopyTo copies src, broadcast to the shape of dst, into the window dst; both may have any strides and must not overlap.
func CopyTo(dst, src *Array) {
	n := dst.NumElems()
	if n == 0 {
		return
	}
	if n == src.NumElems() && dst.IsContiguous() && src.IsContiguous() {
		size := n * dst.DType.Size()
		copy(vec[byte](dst.Ptr, size), vec[byte](src.Ptr, size))
		return
	}
	copyFrom(dst, src, 0, dst.Ptr, src.Ptr)
}

// copyFrom copies the dims from first on; dims beyond those that a walk holds are peeled off.
func copyFrom(dst, src *Array, first int, to, from unsafe.Pointer) {
	rank := len(dst.Shape)
	var w walk
	for d := rank - 1; d >= first; d-- {
		s := [operands]int{dst.Strides[d], broadcastStride(src, d, rank)}
		if !w.add(dst.Shape[d], &s) {
			for i := 0; i < dst.Shape[first]; i++ {
				copyFrom(dst, src, first+1, step(to, dst.DType, i*dst.Strides[first]),
					step(from, dst.DType, i*broadcastStride(src, first, rank)))
			}
			return
		}
	}
	size := dst.DType.Size()
	for n := w.run(); ; {
		o, a := step(to, dst.DType, w.offset[0]), step(from, dst.DType, w.offset[1])
		so, sa := w.strides[0][0], w.strides[1][0]
		switch {
		case n == 1 || so == 1 && sa == 1:
			copy(vec[byte](o, n*size), vec[byte](a, n*size))
		case size == 1:
			copyStrided[uint8](o, a, n, so, sa)
		case size == 4:
			copyStrided[uint32](o, a, n, so, sa)
		default:
			copyStrided[uint64](o, a, n, so, sa)
		}
		if !w.next() {
			return
		}
	}
}

func copyStrided[T uint8 | uint32 | uint64](o, a unsafe.Pointer, n, so, sa int) {
	for i := range n {
		*at[T](o, i*so) = *at[T](a, i*sa)
	}
}

// CopyInto is CopyTo for windows given by value.
func CopyInto(dst, src Array) { CopyTo(&dst, &src) }

// Fill writes the value, given in the bytes of the dtype, to every element of the window.
func Fill(dst *Array, value unsafe.Pointer) {
	CopyTo(dst, &Array{Ptr: value, DType: dst.DType})
}
