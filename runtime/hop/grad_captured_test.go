package hop_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/hoplint/hoplint/runtime/hop"
)

// An op of the body on a captured parameter alone runs at once; its derivative reads its own result, which has become
// part of the trace in between.
func TestGradientOfACapturedParameterThroughItsOwnResult(t *testing.T) {
	ops := map[string]func(w T) T{
		"exp": T.Exp, "sigmoid": T.Sigmoid, "tanh": T.Tanh, "sqrt": T.Sqrt, "reciprocal": T.Reciprocal,
		"softmax": func(w T) T { return w.Softmax(0) }, "norm": func(w T) T { return w.Norm() }, "max": func(w T) T { return w.Max() },
		"view of exp": func(w T) T { return w.View(2, 1).Exp().View(2) },
	}
	x := f64(1, 2, 3, 4, 5, 6).View(3, 2)
	bodies := map[string]func(f func(x T) T, o []hop.Option) T{
		"map": func(f func(x T) T, o []hop.Option) T { return hop.Map(f, x, o...).Sum() },
		"scan": func(f func(x T) T, o []hop.Option) T {
			_, ys := hop.Scan(func(c, x T) (T, T) { return c.Clone(), f(x) }, s64(0), x, o...)
			return ys.Sum()
		},
		"for": func(f func(x T) T, o []hop.Option) T {
			return hop.ForLoop(0, 2, func(i, c T) T { return f(c) }, f64(1, 2), o...).Sum()
		},
		"cond": func(f func(x T) T, o []hop.Option) T {
			return hop.Cond(hop.Scalar(true), f, T.Neg, f64(1, 2), o...).Sum()
		},
	}
	for name, op := range ops {
		for body, run := range bodies {
			inModes(t, body+" "+name, func(t *testing.T, o ...hop.Option) {
				w := f64(0.1, 0.2).SetRequiresGrad(true)
				run(func(x T) T { return x.Mul(op(w)) }, o).Backward()
				outside := f64(0.1, 0.2).SetRequiresGrad(true)
				e := op(outside)
				run(func(x T) T { return x.Mul(e) }, o).Backward()
				check(t, "gradient", w.Grad(), []int{2}, numbers(outside.Grad())...)
			})
		}
	}
	lw := f64(0.1, 0.2).SetRequiresGrad(true)
	hop.Grad(func(x T) T { return x.Mul(lw.Exp()).Sum() })(f64(1, 2)).Sum().Backward()
	check(t, "through Grad", lw.Grad(), []int{2}, 1.1051709180756477, 1.2214027581601699)
}

// Backward on several goroutines adds up at a leaf that their graphs share.
func TestBackwardOnSeveralGoroutines(t *testing.T) {
	w := f64(1, 2).SetRequiresGrad(true)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				w.Mul(w).Sum().Backward()
			}
		})
	}
	wg.Wait()
	check(t, "gradient", w.Grad(), []int{2}, 8*20*2, 8*20*4)
}

// A destination that cannot be written is refused before anything is.
func TestCallIntoChecksAllOfTheDestination(t *testing.T) {
	c := hop.NewCompiled(func(x T) [2]T { return [2]T{x.Exp(), x.Neg()} })
	for name, bad := range map[string]T{"expanded": hop.FromSlice([]float64{7}).Expand(2), "requires grad": f64(0, 0).SetRequiresGrad(true)} {
		a := f64(5, 6)
		if err := c.CallInto(f64(1, 2), [2]T{a, bad}); err == nil || !strings.Contains(err.Error(), "destination[1]") {
			t.Errorf("%s: got %v", name, err)
		}
		check(t, "the other destination", a, []int{2}, 5, 6)
		if a.Version() != 0 {
			t.Errorf("%s: version %d, want 0", name, a.Version())
		}
	}
	refusedWith(t, func() { hop.Map(func(x T) T { return x.Neg() }, f64(1), hop.Observe(nil)) }, "observer is nil")
}
