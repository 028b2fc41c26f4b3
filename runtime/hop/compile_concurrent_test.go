package hop_test

import (
	"math"
	"sync"
	"testing"

	"github.com/hoplint/hoplint/runtime/hop"
)

// Eight goroutines make the first calls of a compiled gradient, each of other sizes.
func TestFirstCallsOfACompiledGradient(t *testing.T) {
	for _, tc := range []struct {
		name string
		f    func(x T) T
	}{
		{"ForLoop", func(x T) T { return hop.ForLoop(0, 3, func(_, c T) T { return c.Mul(x).Tanh() }, x).Sum() }},
		{"Cond", func(x T) T {
			return hop.Cond(x.Sum().GtScalar(5), func(x T) T { return x.Mul(x) }, func(x T) T { return x.Sin() }, x).Sum()
		}},
		{"WhileLoop", func(x T) T {
			return hop.WhileLoop(func(c T) T { return c.Sum().LtScalar(100) }, func(c T) T { return c.AddScalar(1).Mul(c) }, x, hop.MaxSteps(20)).Sum()
		}},
		{"Checkpoint", func(x T) T { return hop.Checkpoint(func(x T) T { return x.Mul(x).Sin() })(x).Sum() }},
		{"Scan", func(x T) T {
			c, _ := hop.Scan(func(c, x T) (T, T) { return c.Add(x).Tanh(), c.Sin() }, hop.Scalar(0.0), x)
			return c
		}},
	} {
		for _, shared := range []bool{true, false} {
			name := tc.name + "/each its own"
			if shared {
				name = tc.name + "/shared"
			}
			t.Run(name, func(t *testing.T) {
				c := hop.NewCompiled(hop.Grad(tc.f), hop.DynamicDims())
				var group sync.WaitGroup
				for n := 2; n < 10; n++ {
					group.Go(func() {
						c := c
						if !shared {
							c = hop.NewCompiled(hop.Grad(tc.f), hop.DynamicDims())
						}
						x := hop.Ones(hop.Float64, n)
						got, err := c.Call(x)
						if err != nil {
							t.Error(err)
							return
						}
						want := hop.Grad(tc.f)(x)
						if !closeTo(numbers(got), numbers(want)) {
							t.Errorf("n = %d: got %v, want %v", n, got, want)
						}
					})
				}
				group.Wait()
			})
		}
	}
}

func closeTo(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-12*(1+math.Abs(b[i])) {
			return false
		}
	}
	return true
}
