package kernels

import "unsafe"

// The largest and the smallest element of adjacent floats, by plain comparisons: several times faster than max and min,
// which order zeros by sign and hand on NaN. Where that matters (a NaN or an infinity among the elements, or a zero as
// the result) they report false.

// peak is the largest of n ≥ 1 elements.
func peak[T float](p unsafe.Pointer, n int) (T, bool) {
	xs := vec[T](p, n)
	a0 := xs[0]
	a1, a2, a3 := a0, a0, a0
	var odd0, odd1 T // 0 unless an element is NaN or infinite
	for len(xs) >= 4 {
		v0, v1, v2, v3 := xs[0], xs[1], xs[2], xs[3]
		if v0 > a0 {
			a0 = v0
		}
		if v1 > a1 {
			a1 = v1
		}
		if v2 > a2 {
			a2 = v2
		}
		if v3 > a3 {
			a3 = v3
		}
		odd0 += (v0 - v0) + (v1 - v1)
		odd1 += (v2 - v2) + (v3 - v3)
		xs = xs[4:]
	}
	for _, v := range xs {
		if v > a0 {
			a0 = v
		}
		odd0 += v - v
	}
	m := max(a0, a1, a2, a3)
	return m, odd0+odd1 == 0 && m != 0
}

// trough is the smallest of n ≥ 1 elements.
func trough[T float](p unsafe.Pointer, n int) (T, bool) {
	xs := vec[T](p, n)
	a0 := xs[0]
	a1, a2, a3 := a0, a0, a0
	var odd0, odd1 T
	for len(xs) >= 4 {
		v0, v1, v2, v3 := xs[0], xs[1], xs[2], xs[3]
		if v0 < a0 {
			a0 = v0
		}
		if v1 < a1 {
			a1 = v1
		}
		if v2 < a2 {
			a2 = v2
		}
		if v3 < a3 {
			a3 = v3
		}
		odd0 += (v0 - v0) + (v1 - v1)
		odd1 += (v2 - v2) + (v3 - v3)
		xs = xs[4:]
	}
	for _, v := range xs {
		if v < a0 {
			a0 = v
		}
		odd0 += v - v
	}
	m := min(a0, a1, a2, a3)
	return m, odd0+odd1 == 0 && m != 0
}

// largestFloat and smallestFloat are the runs of Max and Min over floats.
func largestFloat[T float](p unsafe.Pointer, n, s int) T {
	if s == 1 && n >= 16 {
		if m, ok := peak[T](p, n); ok {
			return m
		}
	}
	return maxRun[T](p, n, s)
}

func smallestFloat[T float](p unsafe.Pointer, n, s int) T {
	if s == 1 && n >= 16 {
		if m, ok := trough[T](p, n); ok {
			return m
		}
	}
	return minRun[T](p, n, s)
}
