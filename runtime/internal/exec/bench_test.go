package exec

import (
	"fmt"
	"testing"
	"time"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

// unit is the counter hash of the workloads: uniform in [-0.5, 0.5).
func unit(i, seed uint32) float64 {
	x := (i+1)*2654435761 + seed*40503
	x ^= x >> 16
	x *= 2246822519
	x ^= x >> 13
	x *= 3266489917
	x ^= x >> 16
	return float64(x>>8)/(1<<24) - 0.5
}

// ema is the body c = 0.9c + 0.1x, y = a clone of c, as the contract wants it.
func ema(dt tracer.DType, shape ...int) *graph {
	b := newGraph("ema")
	c, x := b.input(dt, shape...), b.input(dt, shape...)
	s := b.same("add", b.with("mul_scalar", 0.9, c), b.with("mul_scalar", 0.1, x))
	b.Outputs = []*tracer.Node{s, b.same("clone", s)}
	return b
}

func emaProgram(t testing.TB, dt tracer.DType, length int, shape ...int) *Program {
	return compiled(t, scanOf(ema(dt, shape...), 1, 1, length, m(dt, shape...), m(dt, append([]int{length}, shape...)...)))
}

func compiled(t testing.TB, g *graph) *Program {
	t.Helper()
	p, err := Compile(g.Graph, library{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// against reports the best time of run as a multiple of the best time of the hand-written loop, both timed in turn.
func against(b *testing.B, run, loop func()) {
	run()
	loop()
	best := [2]time.Duration{1 << 62, 1 << 62}
	b.ReportAllocs()
	for b.Loop() {
		for k, f := range []func(){run, loop} {
			start := time.Now()
			f()
			best[k] = min(best[k], time.Since(start))
		}
	}
	b.ReportMetric(float64(best[0])/float64(best[1]), "x-ref")
	b.ReportMetric(float64(best[0])/1e6, "best-ms")
	b.ReportMetric(float64(best[1])/1e6, "ref-ms")
}

// scalarScan times the scan of body over the float64s of the workloads' seed 9 against loop, which does the same by hand: all carries
// are scalars and start at 0, and loop leaves in ys what the scan's ys must be.
func scalarScan(b *testing.B, body *graph, carries, length int, loop func(xs, ys []float64)) {
	b.Helper()
	xs, ys := make([]float64, length), make([]float64, length)
	for i := range xs {
		xs[i] = unit(uint32(i), 9)
	}
	var ins, outs []kernels.Array
	var metas []tracer.Meta
	for range carries {
		ins, outs, metas = append(ins, kernels.New(f64)), append(outs, kernels.New(f64)), append(metas, m(f64))
	}
	ins, outs, metas = append(ins, kernels.Of(xs, length)), append(outs, kernels.New(f64, length)), append(metas, m(f64, length))
	p := compiled(b, scanOf(body, carries, 1, length, metas...))
	against(b, func() { mustRun(b, p, ins, outs) }, func() { loop(xs, ys) })
	if got := kernels.Elems[float64](outs[carries])[length-1]; got != ys[length-1] {
		b.Fatalf("last y is %v, the loop has %v", got, ys[length-1])
	}
}

func mustRun(b testing.TB, p *Program, ins, outs []kernels.Array) {
	if err := p.Run(ins, outs); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkW1ScalarEMA(b *testing.B) {
	for _, length := range []int{1000, 100000} {
		b.Run(fmt.Sprint(length), func(b *testing.B) {
			xs, ys := make([]float64, length), make([]float64, length)
			for i := range xs {
				xs[i] = unit(uint32(i), 1)
			}
			p := emaProgram(b, f64, length)
			ins := []kernels.Array{kernels.Of([]float64{0}), kernels.Of(xs, length)}
			outs := []kernels.Array{kernels.New(f64), kernels.New(f64, length)}
			against(b, func() { mustRun(b, p, ins, outs) }, func() {
				c := 0.0
				for i, x := range xs {
					c = 0.9*c + 0.1*x
					ys[i] = c
				}
			})
			if got := kernels.Elems[float64](outs[1])[length-1]; got != ys[length-1] {
				b.Fatalf("last y is %v, the loop has %v", got, ys[length-1])
			}
		})
	}
}

// w7 is workload W7 by hand.
func w7(xs, ys []float64) {
	c := 0.0
	for i, x := range xs {
		if x > 0 {
			c = .95*c + x
		} else {
			c = .5*c - x*x
		}
		ys[i] = c
	}
}

// BenchmarkW7Select is workload W7 with both branches computed: c = x>0 ? .95c+x : .5c-x².
func BenchmarkW7Select(b *testing.B) {
	const length = 100000
	body := newGraph("body")
	c, x := body.input(f64), body.input(f64)
	pred := body.node("gt_scalar", m(tracer.Bool), attrs("value", 0.0), x)
	up := body.same("add", body.with("mul_scalar", .95, c), x)
	down := body.same("sub", body.with("mul_scalar", .5, c), body.same("square", x))
	next := body.same("where", pred, up, down)
	body.Outputs = []*tracer.Node{next, next}
	scalarScan(b, body, 1, length, w7)
}

// BenchmarkHoltLevelTrend is double exponential smoothing: two carries that read each other.
func BenchmarkHoltLevelTrend(b *testing.B) {
	const length = 100000
	body := newGraph("body")
	level, trend, x := body.input(f64), body.input(f64), body.input(f64)
	next := body.same("add", body.with("mul_scalar", .8, body.same("add", level, trend)), body.with("mul_scalar", .2, x))
	slope := body.same("add", body.with("mul_scalar", .9, trend), body.with("mul_scalar", .1, body.same("sub", next, level)))
	body.Outputs = []*tracer.Node{next, slope, next}
	scalarScan(b, body, 2, length, func(xs, ys []float64) {
		l, t := 0.0, 0.0
		for i, x := range xs {
			next := .8*(l+t) + .2*x
			t = .9*t + .1*(next-l)
			l = next
			ys[i] = l
		}
	})
}

func BenchmarkW2VectorEMA(b *testing.B) {
	const length, width = 10000, 64
	xs, ys := make([]float32, length*width), make([]float32, length*width)
	for i := range xs {
		xs[i] = float32(unit(uint32(i), 2))
	}
	p := emaProgram(b, f32, length, width)
	ins := []kernels.Array{kernels.New(f32, width), kernels.Of(xs, length, width)}
	outs := []kernels.Array{kernels.New(f32, width), kernels.New(f32, length, width)}
	zero := make([]float32, width)
	against(b, func() { mustRun(b, p, ins, outs) }, func() {
		c := zero
		for i := range length {
			x, y := xs[i*width:(i+1)*width], ys[i*width:(i+1)*width]
			for j := range y {
				y[j] = 0.9*c[j] + 0.1*x[j]
			}
			c = y
		}
	})
	if got := kernels.Elems[float32](outs[1])[length*width-1]; got != ys[length*width-1] {
		b.Fatalf("last y is %v, the loop has %v", got, ys[length*width-1])
	}
}

// TestStepsDoNotAllocate: the allocations of a warm run do not depend on the number of steps.
func TestStepsDoNotAllocate(t *testing.T) {
	bodies := map[string]func() (*graph, []tracer.Meta){
		"scalar": func() (*graph, []tracer.Meta) { return ema(f64), []tracer.Meta{m(f64)} },
		"vector": func() (*graph, []tracer.Meta) { return ema(f32, 64), []tracer.Meta{m(f32, 64)} },
		"matrix": func() (*graph, []tracer.Meta) {
			b := newGraph("body")
			c, x := b.input(f64, 4, 4), b.input(f64, 4, 4)
			tr := b.node("transpose", c.Meta, attrs("a", 0, "b", 1), c)
			s := b.node("clamp", c.Meta, attrs("lo", -1.0, "hi", 1.0), b.same("matmul", b.same("add", tr, x), x))
			b.Outputs = []*tracer.Node{s, b.node("sum", m(f64), nil, s)}
			return b, []tracer.Meta{m(f64, 4, 4)}
		},
		"large product": func() (*graph, []tracer.Meta) {
			b := newGraph("body")
			c, x := b.input(f32, 16, 256), b.input(f32, 256, 256)
			s := b.node("clamp", c.Meta, attrs("lo", -1.0, "hi", 1.0), b.node("matmul", c.Meta, nil, c, x))
			b.Outputs = []*tracer.Node{s}
			return b, []tracer.Meta{c.Meta, x.Meta}
		},
		"nested": func() (*graph, []tracer.Meta) {
			inner := newGraph("inner")
			ic, ix := inner.input(f64), inner.input(f64)
			s := inner.same("tanh", inner.same("add", ic, ix))
			inner.Outputs = []*tracer.Node{s, s}
			b := newGraph("body")
			c, x := b.input(f64), b.input(f64, 5)
			gets := b.scan(inner, 1, 1, 5, c, x)
			b.Outputs = []*tracer.Node{gets[0], gets[1]}
			return b, []tracer.Meta{c.Meta, x.Meta}
		},
	}
	for name, body := range bodies {
		var allocs []float64
		for _, length := range []int{2, 50} {
			g, metas := body()
			if len(metas) == 1 {
				metas = append(metas, metas[0])
			}
			shape, _ := metas[1].ConstShape()
			metas[1] = m(metas[1].DType, append([]int{length}, shape...)...)
			root := scanOf(g, 1, 1, length, metas...)
			p := compiled(t, root)
			var ins []kernels.Array
			for _, meta := range metas {
				ins = append(ins, newTensor(meta).array())
			}
			outs := outputsFor(root.Graph)
			mustRun(t, p, ins, outs)
			allocs = append(allocs, testing.AllocsPerRun(5, func() { mustRun(t, p, ins, outs) }))
		}
		if allocs[0] != allocs[1] || allocs[0] > 4 {
			t.Errorf("%s: %v allocations with 2 and 50 steps, want the same few", name, allocs)
		}
	}
}
