package hop_test

import (
	"errors"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

// TestOperatorsWithoutSteps: an empty input gives results of the right type in both modes, and what requires grad does,
// whatever else the body has in it.
func TestOperatorsWithoutSteps(t *testing.T) {
	empty, w := hop.Zeros(hop.Float64, 0, 3), f64(1, 2, 3).SetRequiresGrad(true)
	none := hop.None{}
	grads := func(t *testing.T, results ...T) {
		t.Helper()
		for i, r := range results {
			if !r.RequiresGrad() {
				t.Errorf("result %d requires no grad although a captured tensor does", i)
			}
		}
	}
	// Both modes are given to the inner operators too, as a program does that takes the mode from a flag.
	inModes(t, "scan", func(t *testing.T, o ...hop.Option) {
		calls := 0
		c, ys := hop.Scan(func(c, x T) (T, [2]T) {
			calls++
			inner, _ := hop.Scan(func(c, v T) (T, hop.None) { return c.Add(v), none }, c, x, o...)
			return inner.Mul(w.Sum()), [2]T{x.Unsqueeze(0).Mul(w), hop.Map(func(v T) T { return v.GtScalar(0) }, x, o...)}
		}, s64(7), empty, o...)
		check(t, "carry", c, []int{}, 7)
		check(t, "ys[0]", ys[0], []int{0, 1, 3})
		check(t, "ys[1]", ys[1], []int{0, 3})
		if ys[1].DType() != hop.Bool || calls != 1 {
			t.Errorf("ys[1] is %v after %d calls, want bool after one", ys[1].DType(), calls)
		}
		grads(t, c, ys[0])
	})
	inModes(t, "inner operator on other operands", func(t *testing.T, o ...hop.Option) {
		_, ys := hop.Scan(func(c, x T) (T, T) {
			sum, _ := hop.Scan(func(a, v T) (T, hop.None) { return a.Add(v.Mul(c)), none }, s64(0), f64(1, 2), o...)
			return c.Clone(), sum
		}, s64(7), empty, o...)
		check(t, "ys", ys, []int{0})
	})
	inModes(t, "map", func(t *testing.T, o ...hop.Option) {
		ys := hop.Map(func(x T) T { return x.MatMul(w) }, empty, o...)
		check(t, "ys", ys, []int{0})
		grads(t, ys)
	})
	inModes(t, "vmap", func(t *testing.T, o ...hop.Option) {
		ys := hop.VMap(func(x T) T { return x.Mul(w) }, o...)(empty)
		check(t, "ys", ys, []int{0, 3})
		grads(t, ys)
	})
	inModes(t, "associative scan", func(t *testing.T, o ...hop.Option) {
		for n := range 2 {
			x := hop.Ones(hop.Float64, 3, n)
			y := hop.AssociativeScan(func(a, b T) T { return a.Add(b).Mul(w) }, x, with(o, hop.Axis(1))...)
			check(t, "result", y, []int{3, n}, make([]float64, 0)...)
			grads(t, y)
			y.Sum().Backward()
			check(t, "gradient of the captured tensor", w.Grad(), []int{3}, 0, 0, 0)
			w.ZeroGrad()
		}
	})
	inModes(t, "loops", func(t *testing.T, o ...hop.Option) {
		y := hop.ForLoop(3, 3, func(_, c T) T { return c.Mul(w) }, f64(1, 2, 3), o...)
		z := hop.WhileLoop(func(c T) T { return c.Sum().LtScalar(0) }, func(c T) T { return c.Mul(w) }, f64(1, 2, 3), o...)
		grads(t, y, z)
	})
	// A body that breaks its contract does so without steps too.
	inModes(t, "contract", func(t *testing.T, o ...hop.Option) {
		e := refused(t, func() {
			hop.Scan(func(c, x T) (T, hop.None) { c.AddScalarInPlace(1); return c.Clone(), none }, s64(0), empty, o...)
		})
		has(t, e, hopcheck.MutatedCarry, hopcheck.Carry, "")
		e = refused(t, func() { hop.AssociativeScan(func(a, b T) T { return b }, hop.Zeros(hop.Float64, 1), o...) })
		has(t, e, hopcheck.OutputAliasesInput, hopcheck.Element, "")
		e = refused(t, func() { hop.ForLoop(0, 0, func(_, c T) T { return c }, s64(0), o...) })
		has(t, e, hopcheck.OutputAliasesInput, hopcheck.Carry, "")
	})
}

// TestControlFlowOnValuesWithoutSteps: under Stepwise a body may read values. Where there is no step there are none; the
// operators that need nothing of the body go on, and the others say why they cannot.
func TestControlFlowOnValuesWithoutSteps(t *testing.T) {
	step, empty := hop.Stepwise(), hop.Zeros(hop.Float64, 0)
	read := func(v T) T {
		if hop.Item[float64](v) > 0 {
			return v.Neg()
		}
		return v.Clone()
	}
	rows := func(v T) T { return v.MulScalar(float64(v.Unsqueeze(0).Nonzero().Dim(0))) }
	for name, f := range map[string]func(v T) T{"reads": read, "counts": rows} {
		c, _ := hop.Scan(func(c, x T) (T, hop.None) { return f(c.Add(x)), hop.None{} }, s64(7), empty, step)
		check(t, name+": scan without ys", c, []int{}, 7)
		for n := range 2 {
			check(t, name+": associative scan", hop.AssociativeScan(func(a, b T) T { return f(a.Add(b)) }, hop.Ones(hop.Float64, n), step), []int{n})
		}
		check(t, name+": for", hop.ForLoop(1, 0, func(_, c T) T { return f(c) }, s64(7), step), []int{}, 7)
		check(t, name+": while", hop.WhileLoop(func(c T) T { return c.LtScalar(0) }, f, s64(7), step), []int{}, 7)
		for _, run := range []func(){
			func() { hop.Scan(func(c, x T) (T, T) { return c.Clone(), f(x) }, s64(7), empty, step) },
			func() { hop.Map(f, empty, step) },
			func() { hop.VMap(f, step)(empty) },
		} {
			e := refusedWith(t, run, "test for length 0 before the call", "without steps under Stepwise", "shapes of its results")
			if name == "reads" && !errors.Is(e, hopcheck.DataDependentControlFlow) {
				t.Errorf("code %s, want HOP501", e.Code)
			}
		}
		// With steps there are values.
		hop.Map(f, hop.Ones(hop.Float64, 2), step)
	}
	// A write before the read is a finding all the same.
	e := refused(t, func() {
		hop.ForLoop(0, 0, func(_, c T) T { c.AddScalarInPlace(1); return read(c) }, s64(7), step)
	})
	has(t, e, hopcheck.MutatedCarry, hopcheck.Carry, "")
}
