package hop_test

import (
	"errors"
	"testing"

	"github.com/hoplint/hoplint/runtime/hop"
)

// Dims whose size depends on data are merged and split as others are: a traced function gives what it gives on data.
func TestReshapeOfSizesThatDependOnData(t *testing.T) {
	m := hop.FromSlice([]float64{1, 0, 2, 3, 0, 5}, 3, 2)
	rows := func(m T) T { return m.IndexSelect(0, m.Sum(1).GtScalar(1).Nonzero().Select(1, 0)) }
	count := func(m T) hop.Int { return m.Max().SymItem().Bounded(1, 9) }
	for _, tc := range []struct {
		name string
		f    func(T) T
	}{
		{"Flatten", func(m T) T { return m.Nonzero().Flatten() }},
		{"View(-1)", func(m T) T { return m.Nonzero().View(-1) }},
		{"Reshape(-1)", func(m T) T { return rows(m).Reshape(-1) }},
		{"Reshape(-1) of a transposed one", func(m T) T { return rows(m).Transpose(0, 1).Reshape(-1) }},
		{"ReshapeSym(n*2)", func(m T) T { r := rows(m); return r.ReshapeSym(r.SymDim(0).MulScalar(2)) }},
		{"split", func(m T) T {
			n := count(m)
			return hop.ArangeSym(hop.Float64, n.MulScalar(2)).ReshapeSym(n, hop.IntOf(2))
		}},
		{"split of what was merged", func(m T) T { r := rows(m); return r.Flatten().ReshapeSym(hop.IntOf(2), r.SymDim(0)) }},
		{"groups move", func(m T) T {
			n := count(m)
			x := hop.ArangeSym(hop.Float64, n.MulScalar(6)).ReshapeSym(n.MulScalar(2), hop.IntOf(3))
			return x.ReshapeSym(n, hop.IntOf(6)).Transpose(0, 1).Reshape(2, 3, -1)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := dynamic(t, tc.f, m)
			for _, x := range []T{m, m.MulScalar(1).Flip(0), hop.Ones(hop.Float64, 3, 2)} {
				want := tc.f(x)
				check(t, tc.name, call(t, p, x), want.Shape(), numbers(want)...)
			}
		})
	}
	_, err := hop.Trace(func(m T) T { return m.Nonzero().Transpose(0, 1).View(-1) }, m)
	says(t, err, "View: ", "u0")
}

// TestSizesThatMustBeEqualAreComparedWhenTheyAreKnown: an op takes for equal what depends on data. It refuses other sizes
// when it runs, as without a trace; sizes that would broadcast must be equal in a trace.
func TestSizesThatMustBeEqualAreComparedWhenTheyAreKnown(t *testing.T) {
	above := func(x T, v float64) T { return x.IndexSelect(0, x.GtScalar(v).Nonzero().Select(1, 0)) }
	for _, tc := range []struct {
		name         string
		f            func(T) T
		fits, misfit T // nil: every tensor fits
		says         string
	}{
		{"Dot of the same", func(x T) T { return above(x, 0).Dot(above(x, 0)) }, f64(1, -2, 3), nil, ""},
		{"Dot", func(x T) T { return above(x, 0).Dot(above(x, 1)) }, f64(2, -2, 3), f64(1, -2, 3), "float64[2] and float64[1]"},
		{"MatMul", func(x T) T { return above(x, 0).Unsqueeze(0).MatMul(above(x.Neg(), 0).Unsqueeze(1)) }, f64(2, -2), f64(1, 1), "inner sizes 2 and 0 differ"},
		{"Reshape", func(x T) T { return above(x, 0).Reshape(-1, 2) }, f64(1, 2, -3, 4, 5), f64(1, 2, 3, -4, -5), "do not fill shape"},
		{"Stack", func(x T) T { return hop.Stack(0, above(x, 0), above(x, 1)) }, f64(2, -2, 3), f64(1, -2, 3), "float64[1]"},
		{"Add", func(x T) T { return above(x, 0).Add(above(x, 1)) }, f64(2, -2, 3), f64(1, -2, 3), "u0 = 2, u1 = 1"},
		{"Mul by a fixed one", func(x T) T { return above(x, 0).Mul(f64(10, 20)) }, f64(2, -2, 3), f64(1, -2, -3), "u0 = 1"},
		{"Expand", func(x T) T { return above(x, 0).Expand(3, 2) }, f64(2, -2, 3), f64(1, -2, -3), "u0 = 1"},
		{"Einsum", func(x T) T { return hop.Einsum("i,i->i", above(x, 0), above(x, 1)) }, f64(2, -2, 3), f64(1, -2, 3), "u0 = 2, u1 = 1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := dynamic(t, tc.f, tc.fits)
			want := tc.f(tc.fits)
			check(t, tc.name, call(t, p, tc.fits), want.Shape(), numbers(want)...)
			if tc.misfit == nil {
				return
			}
			_, err := p.Call(tc.misfit)
			says(t, err, tc.says)
			if errors.Is(err, hop.ErrGuard) {
				return
			}
			if e := hop.Try(func() { tc.f(tc.misfit) }); e == nil {
				t.Errorf("without a trace it works on %v", tc.misfit)
			}
		})
	}
	_, err := hop.Trace(func(x T) T { return above(x, 0).Mul(f64(1, 2, 3, 4, 5)) }, f64(1, 2))
	says(t, err, "do not broadcast", "u0", "5") // of two elements no more than two are chosen
}
