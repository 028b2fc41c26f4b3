package hop

import (
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// Samples of linear algebra, sums over named dims and convolutions.

// laidOut calls f with windows of every layout that hold the same elements as t. The expanded one repeats the first
// matrix of a batch.
func laidOut(s *sampler, t *Tensor, f func(layout string, t *Tensor)) {
	for _, l := range layouts {
		switch {
		case l.name != "expanded":
			f(l.name, l.make(s, t.DType(), span{-1, 1}, t.shape).CopyFrom(t))
		case len(t.shape) > 2:
			f(l.name, t.Narrow(0, 0, 1).Clone().Expand(t.shape...))
		}
	}
}

// dominant returns matrices with a large diagonal: far from singular.
func (s *sampler) dominant(dt DType, shape ...int) *Tensor {
	t := s.contiguous(dt, span{-1, 1}, shape...)
	t.Diagonal(0, -2, -1).AddScalarInPlace(3)
	return t
}

// positive returns positive definite matrices.
func (s *sampler) positive(dt DType, shape ...int) *Tensor {
	t := s.contiguous(dt, span{-1, 1}, shape...)
	t = t.MatMul(t.Transpose(-2, -1))
	t.Diagonal(0, -2, -1).AddScalarInPlace(1)
	return t
}

var squareShapes = [][]int{{1, 1}, {2, 2}, {4, 4}, {9, 9}, {2, 2, 1, 1}, {0, 0}, {2, 0, 0}, {0, 3, 3}}

// squareSamples hold matrices on which an op has no derivative in float32 only.
func squareSamples(s *sampler) {
	for _, dt := range s.op.DTypes.list() {
		for _, shape := range [][]int{{3, 3}, {2, 3, 3}} {
			laidOut(s, s.dominant(dt, shape...), func(layout string, t *Tensor) { s.add(layout, nil, t) })
		}
		for _, shape := range squareShapes {
			t := s.dominant(dt, shape...)
			if s.op.Name == "cofactor" { // products of many elements, right to the size of the largest
				t.MulScalarInPlace(1.0 / 4)
			}
			s.add("contiguous", nil, t)
		}
		if dt == Float32 || s.op.Name != "log_det" {
			turned := s.dominant(dt, 4, 4)
			s.add("determinant below 0", nil, Concat(0, turned.Narrow(0, 1, 3), turned.Narrow(0, 0, 1)))
		}
	}
	s.add("singular", nil, Zeros(Float32, 1, 1))
	s.add("singular", nil, FromSlice([]float32{1, 2, 2, 4}, 2, 2))
	s.add("singular", nil, FromSlice([]float32{1, 2, 3, 2, 4, 6, 1, 1, 1}, 3, 3))
	if s.op.Name == "det" || s.op.Name == "cofactor" {
		s.add("singular", nil, Ones(Float32, 5, 5))
	}
	if s.op.Name == "det" {
		s.add("singular", nil, FromSlice([]float64{1, 2, 2, 4}, 2, 2))
		s.add("singular", nil, FromSlice([]float64{1, 2, 3, 4, 2, 4, 6, 8, 1, 1, 1, 1, 0, 1, 3, 1}, 4, 4))
	}
}

func positiveSamples(s *sampler) {
	for _, dt := range s.op.DTypes.list() {
		for _, shape := range [][]int{{3, 3}, {2, 3, 3}} {
			laidOut(s, s.positive(dt, shape...), func(layout string, t *Tensor) { s.add(layout, nil, t) })
		}
		for _, shape := range squareShapes {
			s.add("contiguous", nil, s.positive(dt, shape...))
		}
		s.add("upper triangle unread", nil, s.positive(dt, 3, 3).Add(triangle(dt, IntOf(3), 0).T()))
	}
	s.add("indefinite", nil, FromSlice([]float32{1, 2, 2, 1}, 2, 2))
	s.add("semidefinite", nil, Zeros(Float32, 2, 2))
	s.add("one of two indefinite", nil, FromSlice([]float32{4, 2, 2, 3, -1, 0, 0, 1}, 2, 2, 2))
}

// systems calls f with matrices and right-hand sides.
func (s *sampler) systems(f func(name string, a, b *Tensor)) {
	for _, dt := range s.op.DTypes.list() {
		for _, shape := range [][]int{{3, 3}, {2, 3, 3}} {
			laidOut(s, s.dominant(dt, shape...), func(layout string, a *Tensor) {
				f(layout, a, s.contiguous(dt, span{-2, 2}, 3))
				f(layout, a, s.contiguous(dt, span{-2, 2}, 3, 2))
			})
		}
		laidOut(s, s.contiguous(dt, span{-2, 2}, 2, 3, 4), func(layout string, b *Tensor) { f("sides "+layout, s.dominant(dt, 3, 3), b) })
		for _, shapes := range [][2][]int{
			{{1, 1}, {1}}, {{2, 2}, {2}}, {{9, 9}, {9, 2}}, {{9, 9}, {9}}, {{3, 3}, {3, 9}}, {{2, 1, 3, 3}, {4, 3, 2}},
			{{2, 3, 3}, {1, 3, 1}}, {{0, 0}, {0}}, {{0, 0}, {0, 2}}, {{3, 3}, {3, 0}}, {{0, 3, 3}, {3}}, {{2, 0, 0}, {0, 1}},
		} {
			f("contiguous", s.dominant(dt, shapes[0]...), s.contiguous(dt, span{-2, 2}, shapes[1]...))
		}
	}
}

func solveSamples(s *sampler) {
	s.systems(func(name string, a, b *Tensor) { s.add(name, nil, a, b) })
	s.add("singular", nil, FromSlice([]float32{1, 2, 2, 4}, 2, 2), FromSlice([]float32{1, 2}))
}

func triangularSamples(s *sampler) {
	s.systems(func(name string, a, b *Tensor) {
		s.add(name, attrs("upper", false), a, b)
		s.add(name, attrs("upper", true), a, b)
	})
	s.add("zero on the diagonal", attrs("upper", false), FromSlice([]float32{0, 9, 1, 1}, 2, 2), FromSlice([]float32{1, 2}))
}

func rectangularSamples(s *sampler) {
	for _, dt := range s.op.DTypes.list() {
		for _, shape := range [][]int{{3, 3}, {2, 4, 3}, {2, 2, 4}} {
			laidOut(s, s.dominant(dt, shape...), func(layout string, t *Tensor) { s.add(layout, nil, t) })
		}
		for _, shape := range [][]int{{1, 1}, {3, 1}, {1, 3}, {10, 9}, {0, 2}, {2, 0}, {0, 0}, {0, 3, 2}, {2, 0, 3}} {
			s.add("contiguous", nil, s.dominant(dt, shape...))
		}
	}
}

func einsumSamples(s *sampler) {
	type shapes = [][]int
	for _, c := range []struct {
		spec   string
		shapes shapes
	}{
		{"ij,jk->ik", shapes{{2, 3}, {3, 4}}}, {"ij,jk", shapes{{2, 3}, {3, 4}}}, {"ij,jk->ki", shapes{{2, 3}, {3, 4}}},
		{"bij,bjk->bik", shapes{{2, 2, 3}, {2, 3, 2}}}, {"bij,bjk->ikb", shapes{{2, 2, 3}, {2, 3, 2}}},
		{"ji,jk->ik", shapes{{3, 2}, {3, 4}}}, {"i,i->", shapes{{4}, {4}}}, {"i,j", shapes{{2}, {3}}}, {"i,i->i", shapes{{3}, {3}}},
		{"ij->ji", shapes{{2, 3}}}, {"ba", shapes{{2, 3}}}, {"ij->i", shapes{{2, 3}}}, {"ij->", shapes{{2, 3}}}, {"->", shapes{{}}},
		{"ii", shapes{{3, 3}}}, {"ii->i", shapes{{3, 3}}}, {"iij->j", shapes{{2, 2, 3}}}, {"iii->i", shapes{{2, 2, 2}}}, {"bii->b", shapes{{2, 3, 3}}},
		{"ii,i->i", shapes{{3, 3}, {3}}}, {"ii,jj->ij", shapes{{2, 2}, {3, 3}}}, {"iij,ji->i", shapes{{2, 2, 3}, {3, 2}}},
		{"ij,k->k", shapes{{2, 3}, {2}}}, {"ij,jk->j", shapes{{2, 3}, {3, 2}}}, {"ij,kl->", shapes{{2, 1}, {1, 2}}},
		{"...ij,...jk->...ik", shapes{{2, 2, 3}, {3, 2}}}, {"...i,i...", shapes{{2, 3}, {3, 2}}}, {"...->...", shapes{{2, 2}}}, {"i...->...", shapes{{2, 3}}},
		{" i j , j -> i ", shapes{{2, 3}, {3}}}, {"ij,ij->ij", shapes{{1, 3}, {2, 1}}}, {"ij,ij->j", shapes{{1, 3}, {2, 3}}}, {"ij,j->", shapes{{2, 1}, {3}}},
		{",i->i", shapes{{}, {3}}}, {",->", shapes{{}, {}}}, {"Za,aZ", shapes{{2, 3}, {3, 2}}},
		{"abcd,cdbe->eabd", shapes{{2, 2, 3, 2}, {3, 2, 2, 2}}}, {"abc,cbd->adb", shapes{{2, 3, 2}, {2, 3, 2}}},
		{"ij,jk->ik", shapes{{2, 0}, {0, 3}}}, {"ij,jk->ik", shapes{{0, 2}, {2, 3}}}, {"ij->j", shapes{{0, 2}}}, {"i,i->", shapes{{0}, {0}}},
	} {
		for _, dt := range s.op.DTypes.list() {
			var args []*Tensor
			for _, shape := range c.shapes {
				args = append(args, s.contiguous(dt, span{-2, 2}, shape...))
			}
			s.add("contiguous", attrs("spec", c.spec), args...)
		}
	}
	s.each(span{-2, 2}, []int{2, 3, 3}, func(layout string, t *Tensor) {
		s.add(layout, attrs("spec", "bij,jk->kib"), t, s.contiguous(t.DType(), span{-2, 2}, 3, 2))
		s.add(layout, attrs("spec", "bii->ib"), t)
		s.add("other "+layout, attrs("spec", "jk,bij->bk"), s.contiguous(t.DType(), span{-2, 2}, 3, 2), t)
	})
	// Large enough for blas, in layouts that it reads and that it does not.
	for _, spec := range []string{"ij,jk->ik", "ij,jk->ki", "ji,jk->ik", "ij,kj->ik"} {
		s.add("large", attrs("spec", spec), s.contiguous(Float32, span{-2, 2}, 17, 17), s.contiguous(Float32, span{-2, 2}, 17, 17))
	}
	s.add("large", attrs("spec", "aib,bja->ijb"), s.contiguous(Float32, span{-2, 2}, 12, 12, 3), s.contiguous(Float32, span{-2, 2}, 3, 16, 12))
}

// convolution is the geometry of one sample.
type convolution struct {
	x, w                              []int
	stride, padding, dilation, groups int
}

var convolutions = []convolution{
	{[]int{1, 5}, []int{1, 1, 3}, 1, 0, 1, 1}, {[]int{2, 2, 6}, []int{3, 2, 3}, 1, 1, 1, 1}, {[]int{2, 7}, []int{2, 2, 2}, 2, 1, 2, 1},
	{[]int{4, 6}, []int{4, 1, 3}, 1, 2, 1, 4}, {[]int{2, 4, 6}, []int{6, 2, 2}, 3, 0, 1, 2}, {[]int{4, 5}, []int{4, 1, 2}, 2, 1, 3, 4},
	{[]int{3, 4}, []int{2, 3, 1}, 1, 0, 1, 1}, {[]int{1, 2}, []int{1, 1, 3}, 1, 4, 1, 1}, {[]int{2, 1, 2, 4}, []int{1, 2, 4}, 1, 0, 1, 1},
	{[]int{0, 2, 4}, []int{3, 2, 2}, 1, 0, 1, 1}, {[]int{2, 4}, []int{0, 2, 2}, 1, 0, 1, 1}, {[]int{0, 4}, []int{2, 0, 2}, 1, 0, 1, 1},
	{[]int{1, 0}, []int{1, 1, 1}, 1, 1, 1, 1}, {[]int{2, 0}, []int{1, 2, 2}, 2, 2, 2, 1},
}

func (c *convolution) attrs(more ...any) tracer.Attrs {
	return slices.Concat(attrs(more...), attrs("stride", c.stride, "padding", c.padding, "dilation", c.dilation, "groups", c.groups))
}

// result is the shape of the result.
func (c *convolution) result() []int {
	n := len(c.x)
	m := (c.x[n-1]+2*c.padding-c.dilation*(c.w[2]-1)-1)/c.stride + 1
	return append(slices.Clone(c.x[:n-2]), c.w[0], m)
}

// convPairs adds samples of two operands for every convolution; one of them in every layout.
func (s *sampler) convPairs(f func(c *convolution) (a, b []int, list tracer.Attrs)) {
	for i := range convolutions {
		a, b, list := f(&convolutions[i])
		for _, dt := range s.op.DTypes.list() {
			s.add("contiguous", list, s.contiguous(dt, span{-2, 2}, a...), s.contiguous(dt, span{-2, 2}, b...))
		}
		if i == 1 {
			s.each(span{-2, 2}, a, func(layout string, t *Tensor) { s.add(layout, list, t, s.contiguous(t.DType(), span{-2, 2}, b...)) })
			s.each(span{-2, 2}, b, func(layout string, t *Tensor) {
				s.add("other "+layout, list, s.contiguous(t.DType(), span{-2, 2}, a...), t)
			})
		}
	}
}

func convSamples(s *sampler) {
	s.convPairs(func(c *convolution) (a, b []int, list tracer.Attrs) { return c.x, c.w, c.attrs() })
}

func convInputSamples(s *sampler) {
	s.convPairs(func(c *convolution) (a, b []int, list tracer.Attrs) {
		return c.w, c.result(), c.attrs("length", c.x[len(c.x)-1])
	})
}

func convWeightSamples(s *sampler) {
	s.convPairs(func(c *convolution) (a, b []int, list tracer.Attrs) {
		return c.x, c.result(), c.attrs("taps", c.w[2])
	})
}
