package hop_test

import (
	"errors"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

// busy has a captured weight and intermediates worth forgetting.
func busy(w T) func(x T) T {
	return func(x T) T { return x.Mul(w).Sin().Exp().Mul(x) }
}

// count is an observer that counts the calls of one op.
type count struct {
	op string
	n  int
}

func (c *count) Op(call hop.OpCall) {
	if call.Name == c.op {
		c.n++
	}
}

// TestCheckpointedGradientsEqualPlainOnes is P1.
func TestCheckpointedGradientsEqualPlainOnes(t *testing.T) {
	x, w := f64(0.3, -0.7), f64(1.5, 2)
	plain := busy(w)
	saved := hop.Checkpoint(plain)
	value, grad := hop.ValueAndGrad(func(x T) T { return plain(x).Sum() })(x)
	value2, grad2 := hop.ValueAndGrad(func(x T) T { return saved(x).Sum() })(x)
	check(t, "P1 value", value2, []int{}, numbers(value)...)
	check(t, "P1 gradient", grad2, []int{2}, numbers(grad)...)
	check(t, "P1 second derivatives", hop.Hessian(func(x T) T { return saved(x).Sum() })(x), []int{2, 2}, numbers(hop.Hessian(func(x T) T { return plain(x).Sum() })(x))...)
	inModes(t, "P1 in a scan, captured weights", func(t *testing.T, o ...hop.Option) {
		run := func(f func(x T) T, w T) (T, T) {
			in := leafs(x, f64(1, 2, 3, 4).View(2, 2))
			w.SetRequiresGrad(true)
			c, _ := hop.Scan(func(c, x T) (T, hop.None) { return f(c.Mul(x)), hop.None{} }, in[0], in[1], o...)
			c.Sum().Backward()
			return in[1].Grad(), w.Grad()
		}
		v, u := w.Clone(), w.Clone()
		xs, ws := run(busy(v), v)
		xs2, ws2 := run(hop.Checkpoint(busy(u)), u)
		check(t, "xs", xs2, []int{2, 2}, numbers(xs)...)
		check(t, "w", ws2, []int{2}, numbers(ws)...)
	})
}

// TestCheckpointsRunTwiceForAGradient is P1 and M5: forward runs once, and once more for the gradient; without one it
// runs once.
func TestCheckpointsRunTwiceForAGradient(t *testing.T) {
	calls := 0
	f := hop.Checkpoint(func(x T) T { calls++; return x.Sin().Mul(x) })
	scan := func(x T, o ...hop.Option) T {
		c, _ := hop.Scan(func(c, x T) (T, hop.None) { return f(c.Mul(x)), hop.None{} }, s64(0.5), x, o...)
		return c
	}
	stepwise := func(grad bool) int {
		calls = 0
		x := f64(1, 2, 3).SetRequiresGrad(grad)
		c := scan(x, hop.Stepwise())
		if grad {
			c.Backward()
		}
		return calls
	}
	t.Run("M5", func(t *testing.T) {
		for _, m := range modes {
			in, same := f64(1, 2, 3).SetRequiresGrad(true), f64(1, 2, 3).SetRequiresGrad(true)
			c := scan(in, m.opts...)
			c.Backward()
			plain, _ := hop.Scan(func(c, x T) (T, hop.None) { v := c.Mul(x); return v.Sin().Mul(v), hop.None{} }, s64(0.5), same, m.opts...)
			plain.Backward()
			check(t, m.name, c, []int{}, numbers(plain)...)
			check(t, m.name+" gradient", in.Grad(), []int{3}, numbers(same.Grad())...)
		}
	})
	if got := stepwise(true); got != 6 {
		t.Errorf("M5: 3 steps and their gradient call the function %d times, want 6", got)
	}
	if got := stepwise(false); got != 3 {
		t.Errorf("3 steps call the function %d times, want 3", got)
	}
	calls = 0
	x := f64(1, 2, 3).SetRequiresGrad(true)
	scan(x).Backward()
	if calls != 1 {
		t.Errorf("traced, the function is called %d times, want 1", calls)
	}
	// Traced, what runs is the graph: forward under the observer, once more without one.
	sines := &count{op: "sin"}
	hop.WithObserver(sines, func(x T) T { return f(x) })(s64(0.5).SetRequiresGrad(true))
	if sines.n != 1 {
		t.Errorf("forward computes the sine %d times, want 1", sines.n)
	}
}

func TestCheckpointKeepsItsContract(t *testing.T) {
	w := f64(1, 2)
	for _, tc := range []struct {
		name string
		f    func(x T) T
		code hopcheck.Code
		want string
	}{
		{"P9 mutation", func(x T) T { return x.AddInPlace(x).Neg() }, hopcheck.MutatedOperand, "operand"},
		{"P9 alias", func(x T) T { return x.T() }, hopcheck.OutputAliasesInput, "output"},
		{"P9 captured mutation", func(x T) T { return w.AddInPlace(x).Neg() }, hopcheck.MutatedCaptured, "captured"},
		{"P9 captured alias", func(x T) T { return w.View(2, 1) }, hopcheck.OutputAliasesCaptured, "captured"},
	} {
		inModes(t, tc.name, func(t *testing.T, o ...hop.Option) {
			e := refusedWith(t, func() {
				hop.Scan(func(c, x T) (T, hop.None) { return hop.Checkpoint(tc.f)(c).Clone(), hop.None{} }, f64(1, 2), f64(1), o...)
			}, "checkpoint: ", tc.want)
			if !errors.Is(e, tc.code) {
				t.Errorf("got %v, want %s", e, string(tc.code))
			}
		})
	}
	refusedWith(t, func() { hop.Checkpoint[T, T](nil)(w) }, "checkpoint: ", "nil")
}

// TestCheckpointsOfTrees: any pytree goes in and out, integers included, and a result that nobody uses costs nothing.
func TestCheckpointsOfTrees(t *testing.T) {
	type in struct {
		A T
		N T
	}
	f := hop.Checkpoint(func(p in) map[string]T {
		return map[string]T{"y": p.A.Mul(p.N.To(hop.Float64)), "n": p.N.Neg(), "unused": p.A.Exp()}
	})
	x := in{f64(2).SetRequiresGrad(true), i64(3)}
	out := f(x)
	if out["n"].RequiresGrad() || !out["unused"].RequiresGrad() {
		t.Error("float results require grad together, integers never")
	}
	out["y"].Sum().Backward()
	check(t, "gradient", x.A.Grad(), []int{1}, 3)
}

// TestStaleCheckpoint: what a checkpoint reads again must be what it was.
func TestStaleCheckpoint(t *testing.T) {
	x := f64(1, 2).SetRequiresGrad(true)
	y := x.MulScalar(2)
	z := hop.Checkpoint(func(x T) T { return x.Mul(x) })(y)
	y.Detach().Zero()
	e := refusedWith(t, func() { z.Sum().Backward() }, "version 0 when saved, 1 now", "Zero", "checkpoint_test.go:")
	if !errors.Is(e, hopcheck.StaleSavedTensor) {
		t.Errorf("got %v, want HOP601", e)
	}
}
