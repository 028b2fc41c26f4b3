package hop_test

import (
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

// TestSubgraph is cases P6 to P9; that calls share one body is tested on graphs.
func TestSubgraph(t *testing.T) {
	inScan := func(t *testing.T, o []hop.Option, f func(T) T, x T) T {
		t.Helper()
		_, ys := hop.Scan(func(c, x T) (T, T) { return c.Clone(), f(x) }, s64(0), x, o...)
		return ys
	}
	inModes(t, "P6", func(t *testing.T, o ...hop.Option) {
		f := hop.Subgraph("triple", func(x T) T { return x.MulScalar(3) })
		check(t, "three calls", inScan(t, o, func(x T) T { return f(f(f(x))) }, f64(1, 2)), []int{2}, 27, 54)
		check(t, "eager", f(f64(1, 2)), []int{2}, 3, 6)
	})
	inModes(t, "P7", func(t *testing.T, o ...hop.Option) {
		w := s64(2)
		f := hop.Subgraph("scale", func(x T) T { return x.Mul(w) })
		ys := inScan(t, o, func(x T) T {
			w = s64(2)
			a := f(x)
			w = s64(5)
			return a.Add(f(x))
		}, f64(1, 10))
		check(t, "ys", ys, []int{2}, 7, 70)
	})
	inModes(t, "P8", func(t *testing.T, o ...hop.Option) {
		f := hop.Subgraph("square", func(x T) T { return x.Mul(x) })
		x := f64(1, 2, 3, 4, 5, 6).View(2, 3).Clone().SetRequiresGrad(true)
		c, _ := hop.Scan(func(c, _ T) (T, hop.None) {
			return f(c).T().Sum(0).Unsqueeze(1).Mul(f(c.T()).T()), hop.None{}
		}, x, hop.Zeros(hop.Float64, 1), o...)
		c.Sum().Backward()
		var want []float64
		for _, row := range [][]float64{{1, 2, 3}, {4, 5, 6}} {
			sum := 0.0
			for _, v := range row {
				sum += v * v
			}
			for _, v := range row {
				want = append(want, 2*sum*2*v)
			}
		}
		check(t, "gradient", x.Grad(), []int{2, 3}, want...)
	})
	inModes(t, "P9", func(t *testing.T, o ...hop.Option) {
		bad := hop.Subgraph("bad", func(x T) T { x.AddScalarInPlace(1); return x.Neg() })
		e := refused(t, func() { inScan(t, o, func(x T) T { return bad(x.Neg()) }, f64(1)) })
		has(t, e, hopcheck.MutatedOperand, hopcheck.Operand, "")
		same := hop.Subgraph("same", func(x T) T { return x })
		e = refused(t, func() { inScan(t, o, func(x T) T { return same(x.Neg()) }, f64(1)) })
		has(t, e, hopcheck.OutputAliasesInput, hopcheck.Operand, "")
	})
}
