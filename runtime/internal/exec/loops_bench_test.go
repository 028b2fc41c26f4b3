package exec

import (
	"testing"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

// newton is workload W6: while i < 1e6: x = 0.5 (x + (2 + 1e-6 i) / x); i += 1.
func newton(steps float64) *graph {
	cond := newGraph("cond")
	i := cond.input(f64)
	cond.input(f64)
	cond.Outputs = []*tracer.Node{cond.node("lt_scalar", m(tracer.Bool), attrs("value", steps), i)}
	body := newGraph("body")
	i, x := body.input(f64), body.input(f64)
	next := body.with("add_scalar", 1, i)
	a := body.with("add_scalar", 2, body.with("mul_scalar", 1e-6, i))
	body.Outputs = []*tracer.Node{next, body.with("mul_scalar", .5, body.same("add", x, body.same("div", a, x)))}
	g := newGraph("newton")
	g.Outputs = g.while(cond, body, 2, g.input(f64), g.input(f64))
	return g
}

func BenchmarkW6WhileNewton(b *testing.B) {
	const steps = 1e6
	p := compiled(b, newton(steps))
	ins := []kernels.Array{kernels.Of([]float64{0}), kernels.Of([]float64{1})}
	outs := []kernels.Array{kernels.New(f64), kernels.New(f64)}
	x := 0.0
	against(b, func() { mustRun(b, p, ins, outs) }, func() {
		i := 0.0
		for x = 1; i < steps; i++ {
			x = .5 * (x + (2+1e-6*i)/x)
		}
	})
	if got := kernels.Elems[float64](outs[1])[0]; got != x {
		b.Fatalf("x is %v, the loop has %v", got, x)
	}
}

// BenchmarkW7CondInScan is workload W7: c = x > 0 ? .95c+x : .5c-x², as a cond in a scan.
func BenchmarkW7CondInScan(b *testing.B) {
	const length = 100000
	up := newGraph("up")
	c, x := up.input(f64), up.input(f64)
	up.Outputs = []*tracer.Node{up.same("add", up.with("mul_scalar", .95, c), x)}
	down := newGraph("down")
	c, x = down.input(f64), down.input(f64)
	down.Outputs = []*tracer.Node{down.same("sub", down.with("mul_scalar", .5, c), down.same("mul", x, x))}
	body := newGraph("body")
	c, x = body.input(f64), body.input(f64)
	next := body.cond(up, down, body.node("gt_scalar", m(tracer.Bool), attrs("value", 0.0), x), c, x)[0]
	body.Outputs = []*tracer.Node{next, body.same("clone", next)}
	scalarScan(b, body, 1, length, w7)
}

// BenchmarkCondJump is a cond in a scan whose branches are too dear to compute both: one divides.
func BenchmarkCondJump(b *testing.B) {
	const length = 100000
	up := newGraph("up")
	c, x := up.input(f64), up.input(f64)
	up.Outputs = []*tracer.Node{up.same("div", c, up.with("add_scalar", 2, x))}
	down := newGraph("down")
	c, x = down.input(f64), down.input(f64)
	down.Outputs = []*tracer.Node{down.same("sub", down.with("mul_scalar", .5, c), x)}
	body := newGraph("body")
	c, x = body.input(f64), body.input(f64)
	next := body.cond(up, down, body.node("gt_scalar", m(tracer.Bool), attrs("value", 0.0), x), c, x)[0]
	body.Outputs = []*tracer.Node{next, body.same("clone", next)}
	scalarScan(b, body, 1, length, func(xs, ys []float64) {
		c := 0.0
		for i, x := range xs {
			if x > 0 {
				c /= x + 2
			} else {
				c = .5*c - x
			}
			ys[i] = c
		}
	})
}
