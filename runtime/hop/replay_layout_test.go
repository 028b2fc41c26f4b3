package hop_test

import (
	"fmt"
	"testing"

	"github.com/hoplint/hoplint/runtime/hop"
)

// A plan that one call made serves the next one with other memory of the same layout: what a call computes depends on its own
// operands alone, also where an operand repeats one element for all steps.
func TestPlansServeOtherMemoryOfTheSameLayout(t *testing.T) {
	type T = *hop.Tensor
	layouts := []struct {
		name string
		make func(v float64) T
	}{
		{"contiguous", func(v float64) T { return hop.FromSlice([]float64{v, v, v, v}) }},
		{"expanded", func(v float64) T { return hop.Scalar(v).Expand(4) }},
		{"reversed column", func(v float64) T { return hop.Full(hop.Float64, v, 4, 3).Select(1, 2).Flip(0) }},
		{"every second", func(v float64) T { return hop.Full(hop.Float64, v, 8).Slice(0, 0, 8, 2) }},
	}
	recurrence := func(c, x T) (T, hop.None) { return c.Mul(x).Add(x.Mul(c.Sin())), hop.None{} }
	elu := func(x T) T {
		return hop.Cond(x.GtScalar(0), func(x T) T { return x.Clone() }, func(x T) T { return x.Exp().SubScalar(1) }, x)
	}
	chosen := func(c, x T) (T, T) {
		next := hop.Cond(x.GtScalar(0), func(c T) T { return c.MulScalar(.9) }, func(c T) T { return c.Add(x) }, c)
		return next, next.Add(x)
	}
	summed := func(f func(T) T) func(T) T {
		return hop.Grad(func(x T) T { return f(x).Sum().SubScalar(1).Square() })
	}
	for _, op := range []struct {
		name string
		run  func(x T, opts ...hop.Option) T
	}{
		{"scan of a recurrence", func(x T, opts ...hop.Option) T { c, _ := hop.Scan(recurrence, hop.Scalar(1.0), x, opts...); return c }},
		{"scan of a cond", func(x T, opts ...hop.Option) T { _, ys := hop.Scan(chosen, hop.Scalar(1.0), x, opts...); return ys }},
		{"map of a cond", func(x T, opts ...hop.Option) T { return hop.Map(elu, x, opts...) }},
		{"gradient of a map", func(x T, opts ...hop.Option) T {
			return summed(func(x T) T { return hop.Map(elu, x) })(x)
		}},
		{"gradient of a vmap", func(x T, opts ...hop.Option) T { return summed(hop.VMap(elu))(x) }},
		{"gradient of a scan", func(x T, opts ...hop.Option) T {
			return summed(func(x T) T { c, _ := hop.Scan(recurrence, hop.Scalar(1.0), x); return c })(x)
		}},
	} {
		for _, l := range layouts {
			t.Run(op.name+"/"+l.name, func(t *testing.T) {
				compiled := hop.Must(hop.Compile(func(x T) T { return op.run(x) }))
				for _, v := range []float64{1, -.5, 2, 0, -1} {
					// Joined with nothing, the tensor is a copy without its layout.
					x := l.make(v)
					want := hop.ToSlice[float64](op.run(hop.Concat(0, x, hop.Zeros(hop.Float64, 0)), hop.Stepwise()))
					for name, got := range map[string]T{"called": op.run(x), "compiled": compiled(x)} {
						for i, g := range hop.ToSlice[float64](got) {
							if d := g - want[i]; d > 1e-12 || d < -1e-12 {
								t.Errorf("%s, x = %v: got %v, want %v", name, v, fmt.Sprint(hop.ToSlice[float64](got)), want)
								break
							}
						}
					}
				}
			})
		}
	}
}

// A key has two words whatever else is open: a program of open sizes draws from it, and refuses three.
func TestKeysOfOpenPrograms(t *testing.T) {
	p, err := hop.Trace(func(k *hop.Tensor) *hop.Tensor { return hop.Normal(k, hop.Float64, 3) }, hop.NewKey(3), hop.DynamicDims())
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Call(hop.NewKey(4))
	if err != nil {
		t.Fatal(err)
	}
	want := hop.Normal(hop.NewKey(4), hop.Float64, 3)
	if fmt.Sprint(hop.ToSlice[float64](got)) != fmt.Sprint(hop.ToSlice[float64](want)) {
		t.Errorf("got %v, want %v", got, want)
	}
	if _, err := p.Call(hop.Zeros(hop.Int32, 3)); err == nil {
		t.Error("a key of three words was accepted")
	} else {
		t.Log(err)
	}
}
