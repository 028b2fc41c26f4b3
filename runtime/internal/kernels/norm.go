package kernels

import (
	"math"
	"unsafe"

	"github.com/hoplint/hoplint/tracer"
)

// Norm is the Euclidean norm over the attribute "dims", a reduction like those of reduce.go: 0 over no elements.
var Norm = reduction("norm", pickNorm)

func pickNorm(in, out tracer.DType) reducer {
	return floatsOnly(in, out, normFloat[float32], normFloat[float64])
}

// normFloat adds squares in float64 and scales by the largest element only where that overflowed or lost digits to
// underflow. For float32 neither can happen.
func normFloat[T float](o, p unsafe.Pointer, a *axes, n int) {
	if n == 0 {
		*(*T)(o) = 0
		return
	}
	const safe = 0x1p-960 // squares below 2^-1022 lose digits: 53 of them and some room
	sum := squares[T](p, a, 1)
	if !(sum >= safe && sum <= math.MaxFloat64) {
		m := fold[T](p, a, a.rank-1, maxAbsRun[T], max2[float64])
		switch {
		case m == 0 || m != m || math.IsInf(m, 1):
			*(*T)(o) = T(m)
			return
		default:
			// A power of two, so that scaling is exact, in two steps where one would overflow.
			_, e := math.Frexp(m)
			sum = squares[T](p, a, math.Ldexp(1, min(-e, 1000)))
			*(*T)(o) = T(math.Ldexp(math.Sqrt(sum), max(e, -1000)))
			return
		}
	}
	*(*T)(o) = T(math.Sqrt(sum))
}

func squares[T float](p unsafe.Pointer, a *axes, scale float64) float64 {
	leaf := func(p unsafe.Pointer, n, s int) float64 { return squareRun[T](p, n, s, scale) }
	return fold[T](p, a, a.rank-1, leaf, add2[float64])
}

// squareRun adds the squares of n elements in four lanes, pairwise down to blocks of 128.
func squareRun[T float](p unsafe.Pointer, n, s int, scale float64) float64 {
	if n > 128 {
		half := n / 2 &^ 7
		return squareRun[T](p, half, s, scale) + squareRun[T](unsafe.Pointer(at[T](p, half*s)), n-half, s, scale)
	}
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= n; i += 4 {
		x0, x1 := float64(*at[T](p, i*s))*scale, float64(*at[T](p, (i+1)*s))*scale
		x2, x3 := float64(*at[T](p, (i+2)*s))*scale, float64(*at[T](p, (i+3)*s))*scale
		s0 += x0 * x0
		s1 += x1 * x1
		s2 += x2 * x2
		s3 += x3 * x3
	}
	for ; i < n; i++ {
		x := float64(*at[T](p, i*s)) * scale
		s0 += x * x
	}
	return (s0 + s1) + (s2 + s3)
}

// maxAbsRun is the largest absolute value of n elements; NaN wins.
func maxAbsRun[T float](p unsafe.Pointer, n, s int) float64 {
	m := 0.0
	for i := range n {
		m = max(m, math.Abs(float64(*at[T](p, i*s))))
	}
	return m
}
