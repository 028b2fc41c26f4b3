package hop

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// Samples are the arguments on which the tests over the op table run every op: all dtypes, and windows that are
// contiguous, transposed, offset, strided, expanded, scalar and empty. They depend on nothing but the op's name.

// sample is one set of arguments.
type sample struct {
	name  string
	args  []*Tensor
	attrs tracer.Attrs
}

// sampler collects the samples of one op.
type sampler struct {
	op   *opRow
	rng  *rand.Rand
	list []sample
}

// samplesOf returns the samples of an op, the same ones each time.
func samplesOf(op *opRow) []sample {
	h := fnv.New64a()
	h.Write([]byte(op.Name))
	s := &sampler{op: op, rng: rand.New(rand.NewPCG(h.Sum64(), 1))}
	op.Samples(s)
	return s.list
}

func (s *sampler) add(name string, attrs tracer.Attrs, args ...*Tensor) {
	label := name
	for i, t := range args {
		if i < 3 {
			label += fmt.Sprintf(" %s", describe(t.meta()))
		}
	}
	for _, a := range attrs {
		label += fmt.Sprintf(" %s=%v", a.Key, a.Value)
	}
	s.list = append(s.list, sample{label, args, slices.Clone(attrs)})
}

// span is the range that elements are drawn from.
type span struct{ lo, hi float64 }

// contiguous returns a tensor of random elements; integers are whole numbers in the span.
func (s *sampler) contiguous(dt DType, r span, shape ...int) *Tensor {
	t := newTensor(dt, shape)
	for i := range t.storage.n {
		switch lo, hi := math.Ceil(r.lo), math.Floor(r.hi); dt {
		case Bool:
			elems[bool](t.storage, 0, t.storage.n)[i] = s.rng.IntN(2) == 1
		case Int32:
			elems[int32](t.storage, 0, t.storage.n)[i] = int32(lo) + int32(s.rng.IntN(int(hi-lo)+1))
		case Int64:
			elems[int64](t.storage, 0, t.storage.n)[i] = int64(lo) + int64(s.rng.IntN(int(hi-lo)+1))
		case Float32:
			elems[float32](t.storage, 0, t.storage.n)[i] = float32(r.lo + s.rng.Float64()*(r.hi-r.lo))
		default:
			elems[float64](t.storage, 0, t.storage.n)[i] = r.lo + s.rng.Float64()*(r.hi-r.lo)
		}
	}
	return t
}

// layouts are ways for a tensor of a given shape to lie in memory.
var layouts = []struct {
	name string
	make func(s *sampler, dt DType, r span, shape []int) *Tensor
}{
	{"contiguous", func(s *sampler, dt DType, r span, shape []int) *Tensor { return s.contiguous(dt, r, shape...) }},
	{"offset", func(s *sampler, dt DType, r span, shape []int) *Tensor {
		wider := slices.Clone(shape)
		wider[0] += 2
		return s.contiguous(dt, r, wider...).Narrow(0, 1, shape[0])
	}},
	{"transposed", func(s *sampler, dt DType, r span, shape []int) *Tensor {
		turned := slices.Clone(shape)
		slices.Reverse(turned)
		return s.contiguous(dt, r, turned...).T()
	}},
	{"strided", func(s *sampler, dt DType, r span, shape []int) *Tensor {
		wider := slices.Clone(shape)
		last := len(wider) - 1
		wider[last] *= 2
		return s.contiguous(dt, r, wider...).Slice(last, 1, wider[last], 2)
	}},
	{"expanded", func(s *sampler, dt DType, r span, shape []int) *Tensor {
		narrower := slices.Clone(shape)
		narrower[0] = 1
		return s.contiguous(dt, r, narrower...).Expand(shape...)
	}},
}

// each calls f with a tensor of every dtype of the op in every layout.
func (s *sampler) each(r span, shape []int, f func(layout string, t *Tensor)) {
	for _, dt := range s.op.DTypes.list() {
		for _, l := range layouts {
			if len(shape) > 0 || l.name == "contiguous" {
				f(l.name, l.make(s, dt, r, shape))
			}
		}
	}
}

func unarySamples(r span, list ...tracer.Attr) func(s *sampler) {
	return func(s *sampler) {
		for _, shape := range [][]int{{3, 4}, {5}, {2, 3, 2}, {}, {0, 3}} {
			s.each(r, shape, func(layout string, t *Tensor) { s.add(layout, list, t) })
		}
	}
}

func binarySamples(a, b span) func(s *sampler) {
	return func(s *sampler) {
		s.each(a, []int{3, 4}, func(layout string, t *Tensor) {
			s.add(layout, nil, t, s.contiguous(t.DType(), b, 3, 4))
			s.add(layout+" and row", nil, t, s.contiguous(t.DType(), b, 4))
		})
		s.each(b, []int{3, 4}, func(layout string, t *Tensor) { s.add("other "+layout, nil, s.contiguous(t.DType(), a, 3, 4), t) })
		for _, dt := range s.op.DTypes.list() {
			for _, shapes := range [][2][]int{{{2, 1}, {1, 3}}, {{}, {2, 3}}, {{2, 3}, {}}, {{}, {}}, {{0, 3}, {3}}, {{2, 1, 2}, {3, 1}}, {{0}, {1}}} {
				s.add("broadcast", nil, s.contiguous(dt, a, shapes[0]...), s.contiguous(dt, b, shapes[1]...))
			}
			same := s.contiguous(dt, b, 3)
			s.add("with itself", nil, same, same)
			row := s.contiguous(dt, b, 4)
			s.add("overlapping", nil, row.Narrow(0, 1, 3), row.Narrow(0, 0, 3))
		}
	}
}

func whereSamples(s *sampler) {
	for _, dt := range s.op.DTypes.list() {
		for _, shapes := range [][3][]int{{{3, 4}, {3, 4}, {3, 4}}, {{3, 1}, {4}, {}}, {{}, {2, 3}, {3}}, {{0, 2}, {2}, {1, 1}}, {{}, {}, {}}} {
			s.add("broadcast", nil, s.contiguous(Bool, span{}, shapes[0]...), s.contiguous(dt, span{-2, 2}, shapes[1]...), s.contiguous(dt, span{-2, 2}, shapes[2]...))
		}
		s.add("transposed", nil, s.contiguous(Bool, span{}, 3, 2).T(), s.contiguous(dt, span{-2, 2}, 2, 3), s.contiguous(dt, span{-2, 2}, 3, 2).T())
	}
}

func copySamples(s *sampler) {
	for _, dt := range s.op.DTypes.list() {
		for _, l := range layouts {
			s.add(l.name, nil, s.contiguous(dt, span{-2, 2}, 2, 3), l.make(s, dt, span{-2, 2}, []int{2, 3}))
			s.add("into "+l.name, nil, l.make(s, dt, span{-2, 2}, []int{2, 3}), s.contiguous(dt, span{-2, 2}, 3))
		}
		s.add("scalar", nil, s.contiguous(dt, span{-2, 2}), s.contiguous(dt, span{-2, 2}))
		s.add("empty", nil, s.contiguous(dt, span{-2, 2}, 0, 3), s.contiguous(dt, span{-2, 2}))
		same := s.contiguous(dt, span{-2, 2}, 5)
		s.add("overlapping", nil, same.Narrow(0, 0, 4), same.Narrow(0, 1, 4))
	}
}

func reduceSamples(r span) func(s *sampler) {
	return func(s *sampler) {
		extremumSamples(r)(s)
		for _, dt := range s.op.DTypes.list() {
			s.add("no elements", attrs("dims", []int(nil), "keepdim", false), s.contiguous(dt, r, 0))
			s.add("empty dim", attrs("dims", []int{0}, "keepdim", true), s.contiguous(dt, r, 0, 3))
		}
	}
}

// extremumSamples are those of reductions that need an element to choose.
func extremumSamples(r span) func(s *sampler) {
	return func(s *sampler) {
		for _, dims := range [][]int{nil, {0}, {-1}, {2, 0}, {0, 1, 2}} {
			s.each(r, []int{2, 3, 4}, func(layout string, t *Tensor) {
				s.add(layout, attrs("dims", dims, "keepdim", false), t)
				s.add(layout, attrs("dims", dims, "keepdim", true), t)
			})
		}
		for _, dt := range s.op.DTypes.list() {
			s.add("scalar", attrs("dims", []int(nil), "keepdim", false), s.contiguous(dt, r))
			s.add("empty result", attrs("dims", []int{1}, "keepdim", false), s.contiguous(dt, r, 0, 3))
			s.add("with zeros", attrs("dims", []int{1}, "keepdim", false), s.withZeros(dt, r))
		}
	}
}

// withZeros has rows with no zero, one and two.
func (s *sampler) withZeros(dt DType, r span) *Tensor {
	t := s.contiguous(dt, r, 3, 4)
	t.Set(0, 1, 2)
	t.Set(0, 2, 0)
	t.Set(0, 2, 3)
	return t
}

func pickSamples(r span) func(s *sampler) {
	return func(s *sampler) {
		for _, dim := range []int{0, 1, -1} {
			s.each(r, []int{2, 3, 4}, func(layout string, t *Tensor) {
				s.add(layout, attrs("dim", dim, "keepdim", false), t)
				s.add(layout, attrs("dim", dim, "keepdim", true), t)
			})
		}
		for _, dt := range s.op.DTypes.list() {
			s.add("vector", attrs("dim", 0, "keepdim", false), s.contiguous(dt, r, 5))
			s.add("empty result", attrs("dim", 1, "keepdim", false), s.contiguous(dt, r, 0, 3))
		}
	}
}

func alongSamples(r span) func(s *sampler) {
	return func(s *sampler) {
		for _, dim := range []int{0, 1, -1} {
			s.each(r, []int{2, 3, 4}, func(layout string, t *Tensor) { s.add(layout, attrs("dim", dim), t) })
		}
		for _, dt := range s.op.DTypes.list() {
			s.add("vector", attrs("dim", 0), s.contiguous(dt, r, 5))
			s.add("with zeros", attrs("dim", 1), s.withZeros(dt, r))
			s.add("empty", attrs("dim", 0), s.contiguous(dt, r, 0, 3))
			s.add("empty", attrs("dim", 0), s.contiguous(dt, r, 3, 0))
		}
	}
}

func flipSamples(s *sampler) {
	for _, dims := range [][]int{nil, {0}, {-1}, {1, 0}} {
		s.each(span{-2, 2}, []int{2, 3, 4}, func(layout string, t *Tensor) { s.add(layout, attrs("dims", dims), t) })
	}
	for _, dt := range s.op.DTypes.list() {
		s.add("scalar", attrs("dims", []int(nil)), s.contiguous(dt, span{-2, 2}))
		s.add("empty", attrs("dims", []int{0}), s.contiguous(dt, span{-2, 2}, 0, 2))
	}
}

// viewCase is a shape and the attributes of a view of it.
type viewCase struct {
	shape []int
	attrs tracer.Attrs
}

// viewSamples look at windows of every layout.
func viewSamples(cases ...viewCase) func(s *sampler) {
	return func(s *sampler) {
		for _, c := range cases {
			s.each(span{-2, 2}, c.shape, func(layout string, t *Tensor) { s.add(layout, c.attrs, t) })
		}
	}
}

// rowSamples look at windows whose elements lie row by row.
func rowSamples(cases ...viewCase) func(s *sampler) {
	return func(s *sampler) {
		for _, c := range cases {
			s.each(span{-2, 2}, c.shape, func(layout string, t *Tensor) {
				if t.IsContiguous() {
					s.add(layout, c.attrs, t)
				}
			})
		}
	}
}

// windowSamples look at whole storages.
func windowSamples(cases ...viewCase) func(s *sampler) {
	return func(s *sampler) {
		for _, c := range cases {
			for _, dt := range s.op.DTypes.list() {
				s.add("whole", c.attrs, s.contiguous(dt, span{-2, 2}, c.shape...))
			}
		}
	}
}

func castSamples(s *sampler) {
	for _, to := range tracer.DTypes() {
		for _, shape := range [][]int{{3, 4}, {}, {0, 2}} {
			s.each(span{-3, 3}, shape, func(layout string, t *Tensor) { s.add(layout, attrs("dtype", to), t) })
		}
	}
}

func concatSamples(s *sampler) {
	s.each(span{-2, 2}, []int{2, 3}, func(layout string, t *Tensor) {
		s.add(layout, attrs("dim", 0), t, s.contiguous(t.DType(), span{-2, 2}, 1, 3))
		s.add(layout, attrs("dim", -1), t, s.contiguous(t.DType(), span{-2, 2}, 2, 0), t)
	})
	for _, dt := range s.op.DTypes.list() {
		s.add("one", attrs("dim", 0), s.contiguous(dt, span{-2, 2}, 3))
		s.add("empty", attrs("dim", 0), s.contiguous(dt, span{-2, 2}, 0), s.contiguous(dt, span{-2, 2}, 0))
	}
}

func stackSamples(s *sampler) {
	s.each(span{-2, 2}, []int{2, 3}, func(layout string, t *Tensor) {
		for _, dim := range []int{0, 1, -1} {
			s.add(layout, attrs("dim", dim), t, s.contiguous(t.DType(), span{-2, 2}, 2, 3))
		}
	})
	for _, dt := range s.op.DTypes.list() {
		s.add("scalars", attrs("dim", 0), s.contiguous(dt, span{-2, 2}), s.contiguous(dt, span{-2, 2}), s.contiguous(dt, span{-2, 2}))
		s.add("empty", attrs("dim", -1), s.contiguous(dt, span{-2, 2}, 0))
	}
}

func matmulSamples(s *sampler) {
	for _, dt := range s.op.DTypes.list() {
		for _, shapes := range [][2][]int{
			{{2, 3}, {3, 4}}, {{3}, {3}}, {{3}, {3, 2}}, {{2, 3}, {3}}, {{5, 2, 3}, {3, 4}}, {{2, 3}, {5, 3, 4}},
			{{2, 1, 2, 3}, {4, 3, 2}}, {{4, 3}, {2, 3, 1}}, {{3}, {2, 3, 4}}, {{2, 4, 3}, {3}}, {{0, 3}, {3, 2}}, {{2, 0}, {0, 3}}, {{0, 2, 3}, {3, 1}},
		} {
			s.add("contiguous", nil, s.contiguous(dt, span{-2, 2}, shapes[0]...), s.contiguous(dt, span{-2, 2}, shapes[1]...))
		}
		for _, l := range layouts {
			s.add(l.name, nil, l.make(s, dt, span{-2, 2}, []int{2, 3}), l.make(s, dt, span{-2, 2}, []int{3, 4}))
		}
	}
}

// vectorSamples are pairs of vectors, of one size where equal is set.
func vectorSamples(equal bool) func(s *sampler) {
	return func(s *sampler) {
		for _, n := range []int{3, 1, 0} {
			m := n
			if !equal {
				m++
			}
			s.each(span{-2, 2}, []int{n}, func(layout string, t *Tensor) { s.add(layout, nil, t, s.contiguous(t.DType(), span{-2, 2}, m)) })
		}
	}
}
