package hop

import "math"

// Samples of functional randomness.

// keys are windows that hold a key in every layout.
func (s *sampler) keys() []*Tensor {
	key := func() *Tensor { return s.contiguous(Int32, span{math.MinInt32, math.MaxInt32}, 2) }
	table := s.contiguous(Int32, span{math.MinInt32, math.MaxInt32}, 3, 2)
	return []*Tensor{NewKey(0), NewKey(math.MaxUint64), key(), table.Select(0, 1), table.T().Narrow(0, 0, 2).Select(1, 2),
		s.contiguous(Int32, span{-9, 9}, 4).Slice(0, 0, 4, 2), s.contiguous(Int32, span{-9, 9}, 1).Expand(2)}
}

// keySamples vary one integer attribute.
func keySamples(attribute string, values ...int) func(s *sampler) {
	return func(s *sampler) {
		for _, k := range s.keys() {
			for _, v := range values {
				s.add("key", attrs(attribute, v), k)
			}
		}
	}
}

func foldSamples(s *sampler) {
	for _, k := range s.keys() {
		for _, dt := range s.op.DTypes.list() {
			for _, i := range []float64{0, 1, -1, math.MaxInt32} {
				s.add("key", nil, k, Full(dt, i))
			}
		}
		s.add("large", nil, k, Scalar(int64(math.MinInt64)))
	}
}

func drawSamples(s *sampler) {
	for _, k := range s.keys() {
		for _, dt := range floats.list() {
			for _, dims := range [][]int{{}, {1}, {2}, {3}, {4}, {2, 5}, {0, 3}} {
				s.add("key", attrs("dtype", dt, "dims", dims), k)
			}
		}
	}
}

func bernoulliSamples(s *sampler) {
	for _, k := range s.keys() {
		s.each(span{0, 1}, []int{2, 3}, func(layout string, p *Tensor) { s.add(layout, nil, k, p) })
		for _, dt := range s.op.DTypes.list() {
			s.add("scalar", nil, k, Full(dt, 0.5))
			s.add("empty", nil, k, Zeros(dt, 0, 2))
			s.add("certain", nil, k, Linspace(dt, -1, 2, 4))
			s.add("NaN", nil, k, Full(dt, math.NaN(), 3))
		}
	}
}

func randIntSamples(s *sampler) {
	for _, k := range s.keys() {
		for _, r := range [][2]int{{0, 2}, {-5, 5}, {7, 8}, {math.MaxInt - 3, math.MaxInt}, {-3, 1 << 40}} {
			for _, dims := range [][]int{{}, {3}, {2, 2}, {0}} {
				s.add("key", attrs("lo", r[0], "hi", r[1], "dims", dims), k)
			}
		}
	}
}

func categoricalSamples(s *sampler) {
	for _, k := range s.keys() {
		s.each(span{-2, 2}, []int{2, 3, 4}, func(layout string, logits *Tensor) { s.add(layout, nil, k, logits) })
		for _, dt := range s.op.DTypes.list() {
			s.add("vector", nil, k, s.contiguous(dt, span{-2, 2}, 5))
			s.add("no rows", nil, k, s.contiguous(dt, span{-2, 2}, 0, 3))
			s.add("no rows", nil, k, s.contiguous(dt, span{-2, 2}, 0, 0))
		}
		s.add("NaN and Inf", nil, k, notNumbers())
		s.add("impossible", nil, k, Full(Float64, math.Inf(-1), 3))
	}
}
