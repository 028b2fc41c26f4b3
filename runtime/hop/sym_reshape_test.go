package hop_test

import (
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
	for name, f := range map[string]func(T) T{
		"View: ":    func(m T) T { return m.Nonzero().Transpose(0, 1).View(-1) },
		"Reshape: ": func(m T) T { return m.Nonzero().Reshape(-1, 4) },
	} {
		_, err := hop.Trace(f, m)
		says(t, err, name, "u0")
	}
}
