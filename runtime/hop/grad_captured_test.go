package hop_test

import (
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
