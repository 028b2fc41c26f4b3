package exec

import (
	"math"
	"testing"

	"github.com/hoplint/hoplint/tracer"
)

// doubling is c = w·c while c is below the limit, and the way back by which g becomes the derivative of the last c, and
// the sum of c over the steps: for w = 2 and init 1, n steps give 2ⁿ, n·2ⁿ⁻¹ in all for w.
func doubling(limit float64) *graph {
	f := newGraph("root")
	c, g, sum, w := f.input(f64), f.input(f64), f.input(f64), f.input(f64)
	cond := newGraph("cond")
	pc := cond.input(f64)
	cond.input(f64)
	cond.Outputs = []*tracer.Node{cond.node("lt_scalar", m(boolean), attrs("value", limit), pc)}
	body := newGraph("body")
	bc, bw := body.input(f64), body.input(f64)
	body.Outputs = []*tracer.Node{body.same("mul", bc, bw), bc}
	back := newGraph("back")
	rg, rs, y, rw := back.input(f64), back.input(f64), back.input(f64), back.input(f64)
	back.Outputs = []*tracer.Node{back.same("mul", rg, rw), back.same("add", rs, back.same("mul", rg, y))}
	n := f.node("while_sweeps", tracer.Meta{Elems: []tracer.Meta{c.Meta, c.Meta, c.Meta}}, attrs("carries", []int{1, 2}), c, g, sum, w)
	n.Graphs = []*tracer.Graph{cond.Graph, body.Graph, back.Graph}
	for i := range 3 {
		f.Outputs = append(f.Outputs, f.node("get", m(f64), attrs("index", i), n))
	}
	return f
}

// TestWhileSweeps: no step, one, and more steps than a buffer has room for at first; one program after the other, larger
// and smaller.
func TestWhileSweeps(t *testing.T) {
	for _, steps := range []int{0, 1, 5, 400, 3} {
		limit := math.Pow(2, float64(steps))
		f := doubling(limit)
		ins := []tensor{ts(f64, nil, 1), ts(f64, nil, 1), ts(f64, nil, 0), ts(f64, nil, 2)}
		p := compiled(t, f)
		for range 2 { // the second run finds the instance of the first
			outs := outputsFor(f.Graph)
			mustRun(t, p, arraysOf(ins), outs)
			n := float64(steps)
			for i, want := range []float64{limit, limit, n * limit / 2} {
				if got := *(*float64)(outs[i].Ptr); got != want {
					t.Errorf("%d steps: result %d is %v, want %v", steps, i, got, want)
				}
			}
		}
	}
}

// A loop with a way back allocates nothing once its buffers have grown.
func TestWhileSweepsDoNotAllocatePerStep(t *testing.T) {
	f := doubling(math.Pow(2, 100))
	ins := arraysOf([]tensor{ts(f64, nil, 1), ts(f64, nil, 1), ts(f64, nil, 0), ts(f64, nil, 2)})
	p, outs := compiled(t, f), outputsFor(f.Graph)
	mustRun(t, p, ins, outs)
	if got := testing.AllocsPerRun(10, func() { mustRun(t, p, ins, outs) }); got > 5 {
		t.Errorf("100 steps allocate %v times, want what a run allocates", got)
	}
}
