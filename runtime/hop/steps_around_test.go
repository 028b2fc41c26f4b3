package hop_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

// TestOperatorsOnOtherOperandsInAStep calls operators in a body on operands that are no part of the step: numbers and
// captured tensors. Their bodies capture tensors of the step, so that results, errors and logs are those of the step all
// the same.
func TestOperatorsOnOtherOperandsInAStep(t *testing.T) {
	yes, outside := hop.Scalar(true), f64(1, 2, 0)
	for _, tc := range []struct {
		name string
		f    func(c, x T, o ...hop.Option) T // of the carry and x
		want func(c, x float64) float64
	}{
		{"for", func(c, x T, o ...hop.Option) T {
			return hop.ForLoop(0, 2, func(_, d T) T { return d.Add(x).Mul(c) }, s64(1), o...)
		}, func(c, x float64) float64 { return ((1+x)*c + x) * c }},
		{"cond", func(c, x T, o ...hop.Option) T {
			return hop.Cond(yes, func(d T) T { return d.Sum().Mul(c) }, func(d T) T { return d.Sum().Sub(x) }, outside, o...)
		}, func(c, x float64) float64 { return 3 * c }},
		{"map", func(c, x T, o ...hop.Option) T {
			return hop.Map(func(d T) T { return d.Mul(x).Add(c) }, outside, o...).Sum()
		}, func(c, x float64) float64 { return 3*x + 3*c }},
		{"while", func(c, x T, o ...hop.Option) T {
			return hop.WhileLoop(func(d T) T { return d.Lt(x) }, func(d T) T { return d.AddScalar(1).Add(c.Mul(d)) }, s64(0.5), o...)
		}, func(c, x float64) float64 {
			d := 0.5
			for d < x {
				d += 1 + c*d
			}
			return d
		}},
		{"associative scan", func(c, x T, o ...hop.Option) T {
			return hop.AssociativeScan(func(a, b T) T { return a.Add(b).Mul(c) }, outside, o...).Sum().Add(x)
		}, func(c, x float64) float64 { b := 3 * c; return 1 + b + b*c + x }},
		{"grad", func(c, x T, _ ...hop.Option) T {
			return hop.Grad(func(v T) T { return v.Mul(v).Mul(c).Add(x) })(s64(2))
		}, func(c, x float64) float64 { return 4 * c }},
		{"checkpoint", func(c, x T, _ ...hop.Option) T {
			return hop.Checkpoint(func(v T) T { return v.Sum().Mul(c).Add(x) })(outside)
		}, func(c, x float64) float64 { return 3*c + x }},
	} {
		run := func(init T, log *hop.DispatchLog, inner, outer []hop.Option) T {
			c, _ := hop.Scan(func(c, x T) (T, hop.None) {
				y := tc.f(c, x, inner...)
				// What follows is on tensors of the step.
				return hop.Cond(y.GtScalar(1e9), func(v T) T { return v.Neg() }, func(v T) T { return v.MulScalar(0.125) }, y), hop.None{}
			}, init, f64(1, 3), with(outer, hop.Observe(log))...)
			return c
		}
		want := func(c float64) float64 { return tc.want(tc.want(c, 1)/8, 3) / 8 }
		var logs [2][]string
		for i, m := range modes {
			for _, inner := range modes[:i+1] {
				t.Run(fmt.Sprintf("%s/%s in %s", tc.name, inner.name, m.name), func(t *testing.T) {
					var log hop.DispatchLog
					w := s64(0.5).SetRequiresGrad(true)
					y := run(w, &log, inner.opts, m.opts)
					check(t, "carry", y, []int{}, want(0.5))
					y.Backward()
					const d = 1e-6
					near(t, "gradient", w.Grad(), 1e-5*(1+want(0.5)), (want(0.5+d)-want(0.5-d))/(2*d))
					for _, c := range log.Calls() {
						if inner.name == "traced" && tc.name != "grad" { // which keeps a graph or a tape of its own
							logs[i] = append(logs[i], fmt.Sprintf("%s / %s:%d", c.Path, c.Name, c.Position.Line))
						}
					}
				})
			}
		}
		if !slices.Equal(logs[0], logs[1]) {
			t.Errorf("%s: observers see, traced and stepwise,\n%q\n%q", tc.name, logs[0], logs[1])
		}
	}

	// A body that reads values is refused in an operator that nothing tells of the step, and runs where it is told.
	read := func(d T) T { return d.MulScalar(hop.Item[float64](d)) }
	step := hop.Stepwise()
	e := refusedWith(t, func() {
		hop.Map(func(x T) T { return hop.ForLoop(0, 1, func(_, d T) T { return read(d).Add(x) }, s64(2)) }, f64(1, 2), step)
	}, "hop.Stepwise()")
	if !errors.Is(e, hopcheck.DataDependentControlFlow) || e.Operators != "map[0] / for_loop" {
		t.Errorf("code %s at %q, want HOP501 at map[0] / for_loop", e.Code, e.Operators)
	}
	check(t, "told", hop.Map(func(x T) T { return hop.ForLoop(0, 1, func(_, d T) T { return read(d).Add(x) }, s64(2), step) }, f64(1, 2), step), []int{2}, 5, 6)
	// Its result is part of the step, so that what it is given to is told.
	check(t, "handed on", hop.Map(func(x T) T {
		y := hop.ForLoop(0, 1, func(_, d T) T { return d.Add(x) }, s64(2))
		return hop.Cond(yes, read, func(v T) T { return v.Neg() }, y)
	}, f64(1, 2), step), []int{2}, 9, 16)

	// A write to a tensor of the step breaks both contracts, whichever mode the inner operator is in.
	for _, inner := range modes {
		inModes(t, "write, inner "+inner.name, func(t *testing.T, o ...hop.Option) {
			if len(o) == 0 && len(inner.opts) > 0 {
				return // Stepwise in a traced body is refused
			}
			xs := f64(1, 2)
			e := refused(t, func() {
				hop.Map(func(x T) T {
					return hop.ForLoop(0, 1, func(_, d T) T { x.AddInPlace(d); return d.Neg() }, s64(2), inner.opts...)
				}, xs, o...)
			})
			has(t, e, hopcheck.MutatedCaptured, hopcheck.Captured, "")
			has(t, e, hopcheck.MutatedX, hopcheck.X, "")
			check(t, "xs", xs, []int{2}, 1, 2)
		})
	}
	// What goes wrong while it runs has the path through the step.
	inModes(t, "error", func(t *testing.T, o ...hop.Option) {
		e := refusedWith(t, func() {
			hop.Map(func(i T) T {
				return hop.ForLoop(0, 1, func(j, d T) T { return d.Add(outside.At(0, i.Add(j))) }, s64(2))
			}, i64(0, 1, 5), o...)
		}, "At", "out of range")
		if e.Operators != "map[2] / for_loop[0]" {
			t.Errorf("path is %q:\n%s", e.Operators, e)
		}
	})
}
