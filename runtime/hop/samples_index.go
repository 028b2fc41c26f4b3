package hop

import (
	"math"

	"github.com/hoplint/hoplint/tracer"
)

// Samples of ops that index, rearrange, order and draw.

// alongCases are run on every layout; the first also on one element and on none.
func alongCases(shape []int, list ...tracer.Attrs) func(s *sampler) {
	return func(s *sampler) {
		for _, a := range list {
			s.each(span{-2, 2}, shape, func(layout string, t *Tensor) { s.add(layout, a, t) })
		}
		for _, dt := range s.op.DTypes.list() {
			first := list[0]
			s.add("one element", withDim0(first), s.contiguous(dt, span{-2, 2}, 1))
			s.add("empty", withDim0(first), s.contiguous(dt, span{-2, 2}, 0))
			s.add("empty", withDim0(first), s.contiguous(dt, span{-2, 2}, 3, 0))
		}
	}
}

// withDim0 is a with dim 0.
func withDim0(a tracer.Attrs) tracer.Attrs {
	out := append(tracer.Attrs(nil), a...)
	for i := range out {
		if out[i].Key == "dim" {
			out[i].Value = 0
		}
	}
	return out
}

func rollSamples(s *sampler) {
	alongCases([]int{2, 3, 4}, attrs("dim", 0, "shift", 1), attrs("dim", -1, "shift", 1), attrs("dim", 1, "shift", -4),
		attrs("dim", 2, "shift", 0), attrs("dim", 2, "shift", math.MaxInt), attrs("dim", 2, "shift", math.MinInt))(s)
}

func repeatSamples(s *sampler) {
	alongCases([]int{2, 3, 4}, attrs("dim", 0, "n", 2), attrs("dim", 1, "n", 3), attrs("dim", -1, "n", 2), attrs("dim", 1, "n", 1), attrs("dim", 1, "n", 0))(s)
}

func padSamples(s *sampler) {
	alongCases([]int{2, 3, 4}, attrs("dim", 0, "before", 1, "after", 2, "value", 1.0), attrs("dim", 1, "before", 0, "after", 1, "value", 0.0),
		attrs("dim", -1, "before", 2, "after", 0, "value", 1.0), attrs("dim", 1, "before", 0, "after", 0, "value", 1.0))(s)
}

func triangleSamples(s *sampler) {
	for _, shape := range [][]int{{3, 4}, {4, 3}, {2, 3, 3}, {0, 3}, {2, 0}} {
		for _, k := range []int{0, 1, -1, 3, -4, math.MaxInt, math.MinInt} {
			s.each(span{-2, 2}, shape, func(layout string, t *Tensor) { s.add(layout, attrs("k", k), t) })
		}
	}
}

// index returns random indices of a dim of the given size, negative ones too.
func (s *sampler) index(dt DType, size int, shape ...int) *Tensor {
	return s.contiguous(dt, span{float64(-size), float64(size - 1)}, shape...)
}

// indexDType alternates between the dtypes of indices.
func (s *sampler) indexDType() DType {
	if len(s.list)%3 == 0 {
		return Int32
	}
	return Int64
}

func gatherSamples(s *sampler) {
	for _, c := range []struct {
		shape, index []int
		dim          int
	}{
		{[]int{3, 4}, []int{2, 4}, 0}, {[]int{3, 4}, []int{3, 5}, 1}, {[]int{3, 4}, []int{3, 5}, -1}, {[]int{3, 4}, []int{1, 2}, -1},
		{[]int{3, 1}, []int{2, 4}, 0}, {[]int{2, 3, 4}, []int{2, 2, 4}, 1}, {[]int{5}, []int{7}, 0}, {[]int{3, 4}, []int{0, 4}, 0},
	} {
		d := place0(c.dim, len(c.shape))
		s.each(span{-2, 2}, c.shape, func(layout string, t *Tensor) {
			s.add(layout, attrs("dim", c.dim), t, s.index(s.indexDType(), c.shape[d], c.index...))
		})
	}
	for _, dt := range s.op.DTypes.list() {
		t := s.contiguous(dt, span{-2, 2}, 3, 4)
		s.add("transposed index", attrs("dim", 1), t, s.index(Int64, 4, 2, 3).T())
		s.add("expanded index", attrs("dim", 1), t, s.index(Int64, 4, 1, 2).Expand(3, 2))
		s.add("no slices", attrs("dim", 0), s.contiguous(dt, span{-2, 2}, 2, 0), s.index(Int64, 2, 3, 0))
		s.add("no indices", attrs("dim", 0), s.contiguous(dt, span{-2, 2}, 0, 2), s.index(Int64, 1, 0, 2))
	}
}

// place0 counts a dim from the front.
func place0(d, rank int) int {
	n, _ := normalDim(d, rank)
	return n
}

func indexSelectSamples(s *sampler) {
	for _, shape := range [][]int{{3, 4}, {2, 3, 4}} {
		for _, dim := range []int{0, 1, -1} {
			n := shape[place0(dim, len(shape))]
			s.each(span{-2, 2}, shape, func(layout string, t *Tensor) { s.add(layout, attrs("dim", dim), t, s.index(s.indexDType(), n, 5)) })
		}
	}
	for _, dt := range s.op.DTypes.list() {
		t := s.contiguous(dt, span{-2, 2}, 3, 4)
		s.add("strided index", attrs("dim", 1), t, s.index(Int64, 4, 6).Slice(0, 1, 6, 2))
		s.add("vector", attrs("dim", 0), s.contiguous(dt, span{-2, 2}, 5), s.index(Int64, 5, 3))
		s.add("no indices", attrs("dim", 0), t, s.index(Int64, 3, 0))
		s.add("no slices", attrs("dim", 0), s.contiguous(dt, span{-2, 2}, 2, 0), s.index(Int64, 2, 3))
	}
}

func takeSamples(s *sampler) {
	for _, index := range [][]int{{5}, {2, 3}, {}} {
		s.each(span{-2, 2}, []int{3, 4}, func(layout string, t *Tensor) { s.add(layout, nil, t, s.index(s.indexDType(), 12, index...)) })
	}
	for _, dt := range s.op.DTypes.list() {
		t := s.contiguous(dt, span{-2, 2}, 2, 3, 2)
		s.add("transposed index", nil, t, s.index(Int64, 12, 3, 2).T())
		s.add("scalar", nil, s.contiguous(dt, span{-2, 2}), s.index(Int64, 1, 2))
		s.add("no indices", nil, s.contiguous(dt, span{-2, 2}, 0), s.index(Int64, 1, 0))
	}
}

func scatterSamples(s *sampler) {
	for _, c := range []struct {
		shape, index, src []int
		dim               int
	}{
		{[]int{3, 4}, []int{2, 4}, []int{2, 4}, 0}, {[]int{3, 4}, []int{3, 5}, []int{3, 5}, 1}, {[]int{3, 4}, []int{3, 2}, []int{}, -1},
		{[]int{3, 4}, []int{1, 3}, []int{3}, 1}, {[]int{3, 4}, []int{5, 1}, []int{5, 4}, 0}, {[]int{2, 3, 4}, []int{2, 2, 4}, []int{2, 2, 4}, 1},
		{[]int{5}, []int{7}, []int{7}, 0}, {[]int{3, 4}, []int{0, 4}, []int{0, 4}, 0},
	} {
		d := place0(c.dim, len(c.shape))
		s.each(span{-2, 2}, c.shape, func(layout string, t *Tensor) {
			s.add(layout, attrs("dim", c.dim), t, s.index(s.indexDType(), c.shape[d], c.index...), s.contiguous(t.DType(), span{-2, 2}, c.src...))
		})
	}
	for _, dt := range s.op.DTypes.list() {
		t := s.contiguous(dt, span{-2, 2}, 3, 4)
		s.add("transposed", attrs("dim", 1), t, s.index(Int64, 4, 2, 3).T(), s.contiguous(dt, span{-2, 2}, 2, 3).T())
		s.add("no indices", attrs("dim", 0), s.contiguous(dt, span{-2, 2}, 0, 2), s.index(Int64, 1, 0, 2), s.contiguous(dt, span{-2, 2}, 2))
		s.add("of itself", attrs("dim", 0), t, s.index(Int64, 3, 3, 4), t)
	}
}

func oneHotSamples(s *sampler) {
	for _, dt := range s.op.DTypes.list() {
		for i, to := range tracer.DTypes() {
			s.add("matrix", attrs("dtype", to, "n", 4), s.index(dt, 4, 2, 3))
			s.add("transposed", attrs("dtype", to, "n", 4), s.index(dt, 4, 2, 3).T())
			s.add("scalar", attrs("dtype", to, "n", i+1), s.index(dt, i+1))
			s.add("empty", attrs("dtype", to, "n", i), s.index(dt, 1, 0, 2))
		}
	}
}

func atSamples(s *sampler) {
	for _, shape := range [][]int{{3, 4}, {2, 3, 4}, {5}} {
		for dim := range shape {
			s.each(span{-2, 2}, shape, func(layout string, t *Tensor) {
				s.add(layout, attrs("dim", dim-len(shape)), t, s.index(s.indexDType(), shape[dim]))
			})
		}
	}
	for _, dt := range s.op.DTypes.list() {
		s.add("empty slice", attrs("dim", 0), s.contiguous(dt, span{-2, 2}, 2, 0), s.index(Int64, 2))
	}
}

func putSamples(s *sampler) {
	for _, c := range []struct {
		shape, value []int
		dim          int
	}{{[]int{3, 4}, []int{4}, 0}, {[]int{3, 4}, []int{3}, -1}, {[]int{3, 4}, []int{}, 1}, {[]int{2, 3, 4}, []int{2, 1}, 1}, {[]int{5}, []int{1}, 0}} {
		if c.shape[0] == 5 {
			c.value = []int{}
		}
		d := place0(c.dim, len(c.shape))
		s.each(span{-2, 2}, c.shape, func(layout string, t *Tensor) {
			s.add(layout, attrs("dim", c.dim), t, s.index(s.indexDType(), c.shape[d]), s.contiguous(t.DType(), span{-2, 2}, c.value...))
		})
	}
	for _, dt := range s.op.DTypes.list() {
		t := s.contiguous(dt, span{-2, 2}, 3, 4)
		s.add("of itself", attrs("dim", 0), t, s.index(Int64, 3), t.Select(0, 1))
		s.add("empty slice", attrs("dim", 0), s.contiguous(dt, span{-2, 2}, 2, 0), s.index(Int64, 2), s.contiguous(dt, span{-2, 2}))
	}
}

// notNumbers is float32, which derivatives are not checked on: finite differences need finite elements.
func notNumbers() *Tensor {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	return FromSlice([]float32{2, nan, -inf, 1, nan, inf, 2, 0, float32(math.Copysign(0, -1)), 0, 1, nan}, 2, 6)
}

// eachOrdered is each for ops that choose by order along dim. Where derivatives are checked no two elements along it
// may be equal.
func (s *sampler) eachOrdered(dim int, shape []int, f func(layout string, t *Tensor)) {
	s.each(span{-2, 2}, shape, func(layout string, t *Tensor) {
		if layout != "expanded" || dim != 0 || t.DType() != Float64 {
			f(layout, t)
		}
	})
}

func sortSamples(s *sampler) {
	for _, dim := range []int{0, 1, -1} {
		s.eachOrdered(dim, []int{2, 3, 4}, func(layout string, t *Tensor) { s.add(layout, attrs("dim", dim), t) })
	}
	for _, dt := range s.op.DTypes.list() {
		s.add("vector", attrs("dim", 0), s.contiguous(dt, span{-2, 2}, 9))
		s.add("one element", attrs("dim", 0), s.contiguous(dt, span{-2, 2}, 1))
		s.add("empty", attrs("dim", 0), s.contiguous(dt, span{-2, 2}, 0, 3))
		s.add("empty", attrs("dim", 0), s.contiguous(dt, span{-2, 2}, 3, 0))
	}
	s.add("NaN and Inf", attrs("dim", 1), notNumbers())
	s.add("NaN and Inf", attrs("dim", 0), notNumbers())
}

func topKSamples(s *sampler) {
	for _, c := range [][2]int{{0, 1}, {1, 2}, {-1, 4}, {-1, 1}, {1, 0}} {
		s.eachOrdered(c[0], []int{2, 3, 4}, func(layout string, t *Tensor) { s.add(layout, attrs("dim", c[0], "k", c[1]), t) })
	}
	for _, dt := range s.op.DTypes.list() {
		s.add("few of many", attrs("dim", 0, "k", 3), s.contiguous(dt, span{-2, 2}, 40, 2))
		s.add("empty", attrs("dim", 0, "k", 0), s.contiguous(dt, span{-2, 2}, 0, 3))
		s.add("empty", attrs("dim", 0, "k", 2), s.contiguous(dt, span{-2, 2}, 3, 0))
	}
	for k := range 7 {
		s.add("NaN and Inf", attrs("dim", 1, "k", k), notNumbers())
	}
}

func pickAlongSamples(s *sampler) {
	for _, dim := range []int{0, 1, -1} {
		s.eachOrdered(dim, []int{2, 3, 4}, func(layout string, t *Tensor) {
			s.add(layout, attrs("dim", dim, "keepdim", false), t)
			s.add(layout, attrs("dim", dim, "keepdim", true), t)
		})
	}
	for _, dt := range s.op.DTypes.list() {
		s.add("vector", attrs("dim", 0, "keepdim", false), s.contiguous(dt, span{-2, 2}, 5))
		s.add("empty result", attrs("dim", 1, "keepdim", false), s.contiguous(dt, span{-2, 2}, 0, 3))
	}
	s.add("NaN and Inf", attrs("dim", 1, "keepdim", false), notNumbers())
	s.add("NaN and Inf", attrs("dim", 0, "keepdim", true), notNumbers())
}

func searchSamples(s *sampler) {
	for _, dt := range s.op.DTypes.list() {
		for _, right := range []bool{false, true} {
			a := attrs("right", right)
			sorted, _ := s.contiguous(dt, span{-2, 2}, 7).Sort(0)
			s.add("vector", a, sorted, s.contiguous(dt, span{-3, 3}, 5))
			s.add("transposed", a, sorted, s.contiguous(dt, span{-3, 3}, 2, 3).T())
			s.add("strided", a, sorted.Slice(0, 1, 7, 2), s.contiguous(dt, span{-3, 3}, 4))
			s.add("its own", a, sorted, sorted)
			s.add("scalar", a, sorted, s.contiguous(dt, span{-3, 3}))
			s.add("in nothing", a, s.contiguous(dt, span{-2, 2}, 0), s.contiguous(dt, span{-3, 3}, 4))
			s.add("nothing", a, sorted, s.contiguous(dt, span{-3, 3}, 0, 2))
		}
	}
	sorted, _ := notNumbers().Reshape(12).Sort(0)
	s.add("NaN and Inf", attrs("right", false), sorted, notNumbers())
	s.add("NaN and Inf", attrs("right", true), sorted, notNumbers())
}

func nonzeroSamples(s *sampler) {
	for _, shape := range [][]int{{3, 4}, {2, 3, 2}, {6}, {}} {
		s.each(span{-0.9, 1.9}, shape, func(layout string, t *Tensor) {
			if t.DType().IsFloat() {
				t = t.Floor()
			}
			s.add(layout, nil, t)
		})
	}
	for _, dt := range s.op.DTypes.list() {
		s.add("all zero", nil, newTensor(dt, []int{2, 3}))
		s.add("empty", nil, newTensor(dt, []int{0, 3}))
		s.add("zero", nil, newTensor(dt, nil))
		s.add("one", nil, Ones(dt))
	}
	s.add("NaN and Inf", nil, notNumbers())
}
