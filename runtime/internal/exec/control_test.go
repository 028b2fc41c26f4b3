package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

// longLoops are programs of an outermost loop of 2000 steps: of scalars, of vectors, with a loop inside, a while loop.
func longLoops() map[string]*graph {
	const steps = 2000
	add := op("add", m(f64, 2), m(f64, 2))
	inner := bodyOf("inner", []tracer.Meta{m(f64, 2), m(f64, 2)}, func(b *graph, in []*tracer.Node) []*tracer.Node {
		return b.scan(add, 1, 0, 3, in...)
	})
	loop := func(body *graph, metas ...tracer.Meta) *graph {
		return rootOf(metas, func(g *graph, in []*tracer.Node) []*tracer.Node { return g.scan(body, 1, 0, steps, in...) })
	}
	count := bodyOf("count", []tracer.Meta{m(i64), m(f64, 2)}, func(b *graph, in []*tracer.Node) []*tracer.Node {
		return []*tracer.Node{b.with("add_scalar", 1, in[0]), b.same("neg", in[1])}
	})
	rows := bodyOf("rows", []tracer.Meta{m(f64, 2)}, func(b *graph, in []*tracer.Node) []*tracer.Node {
		return b.scan(add, 1, 0, 2, in[0], in[0])
	})
	return map[string]*graph{
		"scalars":          loop(op("add", m(f64), m(f64)), m(f64), m(f64)),
		"vectors":          loop(add, m(f64, 2), m(f64, 2)),
		"a loop in a loop": loop(inner, m(f64, 2), m(f64, 2)),
		"while":            whileOf(below(steps, 0, metasOf(count.Inputs)...), count, 2),
		"map": rootOf([]tracer.Meta{m(f64, steps, 2)}, func(g *graph, in []*tracer.Node) []*tracer.Node {
			return g.mapped(rows, 1, steps, in...)
		}),
		"map in batches": rootOf([]tracer.Meta{m(f64, steps, 2)}, func(g *graph, in []*tracer.Node) []*tracer.Node {
			return g.mapped(bodyOf("neg", []tracer.Meta{m(f64, 2)}, func(b *graph, in []*tracer.Node) []*tracer.Node { return []*tracer.Node{b.same("neg", in[0])} }), 1, steps, in...)
		}),
		"associative scan": rootOf([]tracer.Meta{m(f64, steps, 2)}, func(g *graph, in []*tracer.Node) []*tracer.Node {
			return g.associative(add, steps, in...)
		}),
	}
}

// TestProgressOfOutermostLoops: steps rise, and the last call has all of them.
func TestProgressOfOutermostLoops(t *testing.T) {
	for name, g := range longLoops() {
		t.Run(name, func(t *testing.T) {
			var steps []int
			last := 0
			ins := zerosFor(g)
			err := compiled(t, g).RunWith(RunOptions{Progress: func(step, total int) {
				steps, last = append(steps, step), total
			}}, ins, outputsFor(g.Graph))
			if err != nil {
				t.Fatal(err)
			}
			if len(steps) < 3 || !slices.IsSorted(steps) || steps[len(steps)-1] != 2000 || last != 2000 {
				t.Errorf("reported %d times, the last with %v of %d", len(steps), steps[max(0, len(steps)-3):], last)
			}
		})
	}
}

func zerosFor(g *graph) []kernels.Array {
	var ins []kernels.Array
	for _, in := range g.Inputs {
		ins = append(ins, newTensor(in.Meta).array())
	}
	return ins
}

// TestCancelledRunsStop: within one step or strip; the error unwraps to the context's and names the loop; inputs keep
// their values, and the program runs again.
func TestCancelledRunsStop(t *testing.T) {
	for name, g := range longLoops() {
		t.Run(name, func(t *testing.T) {
			p, ins := compiled(t, g), zerosFor(g)
			ctx, cancel := context.WithCancel(context.Background())
			calls, at := 0, 0
			err := p.RunWith(RunOptions{Context: ctx, Progress: func(step, _ int) {
				calls, at = calls+1, step
				cancel()
			}}, ins, outputsFor(g.Graph))
			var e *Error
			if !errors.Is(err, context.Canceled) || !errors.As(err, &e) {
				t.Fatalf("got %v, want an *Error that is %v", err, context.Canceled)
			}
			if calls != 1 || at > stripSteps || e.Step != at-1 || len(e.Path) != 1 {
				t.Errorf("%d steps reported in %d calls, failed in step %d of %v", at, calls, e.Step, e.Path)
			}
			for i, in := range ins {
				if got := valuesOf(in); slices.Max(got) != 0 || slices.Min(got) != 0 {
					t.Errorf("input %d was written: %v", i, got)
				}
			}
			if err := p.RunWith(RunOptions{Context: ctx}, ins, outputsFor(g.Graph)); err != context.Canceled {
				t.Errorf("a context that is done: got %v", err)
			}
			if err := p.Run(ins, outputsFor(g.Graph)); err != nil {
				t.Errorf("without options afterwards: %v", err)
			}
		})
	}
}

// TestOperatorsDoNotAllocatePerStep: the allocations of a warm run do not depend on the number of steps.
func TestOperatorsDoNotAllocatePerStep(t *testing.T) {
	v := m(f64, 3)
	branches := func(b *graph, x *tracer.Node) *tracer.Node {
		p := b.node("gt_scalar", m(boolean), attrs("value", 0.0), b.node("sum", m(f64), nil, x))
		return b.cond(op("neg", v), op("tanh", v), p, x)[0]
	}
	bodies := map[string]func(steps int) *graph{
		"cond in scan": func(steps int) *graph {
			body := bodyOf("body", []tracer.Meta{v}, func(b *graph, in []*tracer.Node) []*tracer.Node { return []*tracer.Node{branches(b, in[0])} })
			return rootOf([]tracer.Meta{v}, func(g *graph, in []*tracer.Node) []*tracer.Node { return g.scan(body, 1, 0, steps, in...) })
		},
		"switch in for": func(steps int) *graph {
			body := bodyOf("body", []tracer.Meta{m(i64), v}, func(b *graph, in []*tracer.Node) []*tracer.Node {
				return b.switching([]*graph{op("neg", v), op("abs", v), op("tanh", v)}, in[0], in[1])
			})
			return rootOf([]tracer.Meta{v}, func(g *graph, in []*tracer.Node) []*tracer.Node { return g.forLoop(body, 0, steps, in...) })
		},
		"while in map": func(steps int) *graph {
			count := bodyOf("count", []tracer.Meta{v}, func(b *graph, in []*tracer.Node) []*tracer.Node {
				return []*tracer.Node{b.with("add_scalar", 1, in[0])}
			})
			body := bodyOf("body", []tracer.Meta{v}, func(b *graph, in []*tracer.Node) []*tracer.Node { return b.while(below(9, 0, v), count, 1, in[0]) })
			return rootOf([]tracer.Meta{m(f64, steps, 3)}, func(g *graph, in []*tracer.Node) []*tracer.Node { return g.mapped(body, 1, steps, in...) })
		},
		"a table in a branch": func(steps int) *graph {
			put := bodyOf("put", []tracer.Meta{v, m(i64)}, func(b *graph, in []*tracer.Node) []*tracer.Node {
				x := b.node("select", m(f64), attrs("dim", 0, "index", 0), in[0])
				i := b.node("clamp", m(i64), attrs("lo", 0.0, "hi", 2.0), in[1])
				return []*tracer.Node{b.node("put_at", v, attrs("dim", 0), in[0], i, x)}
			})
			same := bodyOf("same", []tracer.Meta{v, m(i64)}, func(b *graph, in []*tracer.Node) []*tracer.Node { return in[:1] })
			body := bodyOf("body", []tracer.Meta{m(i64), v}, func(b *graph, in []*tracer.Node) []*tracer.Node {
				return b.cond(put, same, b.node("gt_scalar", m(boolean), attrs("value", 1.0), in[0]), in[1], in[0])
			})
			return rootOf([]tracer.Meta{v}, func(g *graph, in []*tracer.Node) []*tracer.Node { return g.forLoop(body, 0, steps, in...) })
		},
		"while":                   func(steps int) *graph { return newton(float64(steps)) },
		"associative scan":        func(steps int) *graph { return affineScan(f64, steps, 3) },
		"associative scan, batch": func(steps int) *graph { return affineScan(f64, steps) },
		"map in batches": func(steps int) *graph {
			return rootOf([]tracer.Meta{m(f64, steps, 3)}, func(g *graph, in []*tracer.Node) []*tracer.Node {
				return g.mapped(bodyOf("b", []tracer.Meta{v}, func(b *graph, in []*tracer.Node) []*tracer.Node { return []*tracer.Node{b.same("tanh", in[0])} }), 1, steps, in...)
			})
		},
	}
	for name, build := range bodies {
		t.Run(name, func(t *testing.T) {
			var allocs []float64
			for _, steps := range []int{3, 100} {
				g := build(steps)
				p, ins, outs := compiled(t, g), zerosFor(g), outputsFor(g.Graph)
				mustRun(t, p, ins, outs)
				allocs = append(allocs, testing.AllocsPerRun(5, func() { mustRun(t, p, ins, outs) }))
			}
			if fmt.Sprint(allocs) != "[0 0]" {
				t.Errorf("%v allocations in a warm run of 3 and 100 steps, want none", allocs)
			}
		})
	}
}
