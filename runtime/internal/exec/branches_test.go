package exec

import (
	"errors"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

var boolean = tracer.Bool

// body makes a graph with inputs of the metas whose outputs f returns.
func bodyOf(name string, metas []tracer.Meta, f func(b *graph, in []*tracer.Node) []*tracer.Node) *graph {
	b := newGraph(name)
	for _, meta := range metas {
		shape, _ := meta.ConstShape()
		b.input(meta.DType, shape...)
	}
	b.Outputs = f(b, b.Inputs)
	return b
}

// rootOf makes a root graph with inputs of the metas whose outputs f returns.
func rootOf(metas []tracer.Meta, f func(g *graph, in []*tracer.Node) []*tracer.Node) *graph {
	return bodyOf("root", metas, f)
}

// op is the body that applies one op to its inputs.
func op(name string, metas ...tracer.Meta) *graph {
	return bodyOf(name, metas, func(b *graph, in []*tracer.Node) []*tracer.Node { return []*tracer.Node{b.same(name, in...)} })
}

// valueCase is a graph with its inputs and the values of its outputs.
type valueCase struct {
	name   string
	graph  *graph
	ins    []tensor
	values [][]float64
}

func checkValues(t *testing.T, cases []valueCase) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for i, want := range interpret(c.graph.Graph, c.ins) {
				for k := range want.data {
					if !near(want.data[k], c.values[i][k], want.dt) {
						t.Fatalf("the reference itself gives %v for output %d, want %v", want.data, i, c.values[i])
					}
				}
			}
			check(t, c.graph.Graph, c.ins, arraysOf(c.ins))
		})
	}
}

func TestCondValues(t *testing.T) {
	v := m(f64, 2)
	choose := func(pred tracer.Meta, onTrue, onFalse *graph, operands ...tracer.Meta) *graph {
		return rootOf(append([]tracer.Meta{pred}, operands...), func(g *graph, in []*tracer.Node) []*tracer.Node {
			return g.cond(onTrue, onFalse, in...)
		})
	}
	pair := func(f func(b *graph, in []*tracer.Node) []*tracer.Node) *graph {
		return bodyOf("pair", []tracer.Meta{v, v}, f)
	}
	swapped := pair(func(b *graph, in []*tracer.Node) []*tracer.Node {
		return []*tracer.Node{in[1], in[0], in[0], b.same("add", in[0], in[1])}
	})
	straight := pair(func(b *graph, in []*tracer.Node) []*tracer.Node {
		s := b.same("sub", in[0], in[1])
		return []*tracer.Node{in[0], s, s, b.literal(f64, 7, 8)}
	})
	nested := func(depth int) *graph {
		b := op("abs", v)
		for range depth {
			inner := b
			b = bodyOf("level", []tracer.Meta{v}, func(b *graph, in []*tracer.Node) []*tracer.Node {
				p := b.node("gt_scalar", m(boolean), attrs("value", 0.0), b.node("sum", m(f64), nil, in[0]))
				return b.cond(inner, op("neg", v), p, b.with("sub_scalar", 1, in[0]))
			})
		}
		return rootOf([]tracer.Meta{v}, func(g *graph, in []*tracer.Node) []*tracer.Node { return g.subgraph("subgraph", b, in[0]) })
	}
	x, y := ts(f64, []int{2}, 1, -2), ts(f64, []int{2}, 3, 5)
	checkValues(t, []valueCase{
		{"G1 true", choose(m(boolean), op("neg", v), op("abs", v), v), []tensor{ts(boolean, nil, 1), x}, [][]float64{{-1, 2}}},
		{"G1 false", choose(m(boolean), op("neg", v), op("abs", v), v), []tensor{ts(boolean, nil, 0), x}, [][]float64{{1, 2}}},
		{"G3 one element", choose(m(boolean, 1, 1), op("neg", v), op("abs", v), v), []tensor{ts(boolean, []int{1, 1}, 1), x}, [][]float64{{-1, 2}}},
		{"G10 an operand twice, outputs that are operands", choose(m(boolean), swapped, straight, v, v), []tensor{ts(boolean, nil, 1), x, y},
			[][]float64{{3, 5}, {1, -2}, {1, -2}, {4, 3}}},
		{"one value as two outputs, a literal as output", choose(m(boolean), swapped, straight, v, v), []tensor{ts(boolean, nil, 0), x, y},
			[][]float64{{1, -2}, {-2, -7}, {-2, -7}, {7, 8}}},
		{"G12 nested, all true", nested(3), []tensor{ts(f64, []int{2}, 10, 20)}, [][]float64{{7, 17}}},
		{"G12 nested, the innermost false", nested(3), []tensor{ts(f64, []int{2}, 1.5, 2)}, [][]float64{{1.5, 1}}},
		{"G19 both branches one graph", func() *graph { b := op("neg", v); return choose(m(boolean), b, b, v) }(), []tensor{ts(boolean, nil, 0), x}, [][]float64{{-1, 2}}},
		{"operands without elements", choose(m(boolean), op("neg", m(f64, 0)), op("abs", m(f64, 0)), m(f64, 0)), []tensor{ts(boolean, nil, 0), ts(f64, []int{0})}, [][]float64{{}}},
	})
}

func TestSwitchClampsItsIndex(t *testing.T) {
	for _, dt := range []tracer.DType{i64, tracer.Int32} {
		for index, want := range map[float64]float64{-7: 6, 0: 6, 1: 3, 2: 8, 9: 8} {
			var branches []*graph
			for _, d := range []float64{1, -2, 3} {
				branches = append(branches, bodyOf("branch", []tracer.Meta{m(f64)}, func(b *graph, in []*tracer.Node) []*tracer.Node {
					return []*tracer.Node{b.with("add_scalar", d, in[0])}
				}))
			}
			g := rootOf([]tracer.Meta{m(dt, 1), m(f64)}, func(g *graph, in []*tracer.Node) []*tracer.Node { return g.switching(branches, in...) })
			checkValues(t, []valueCase{{"H1", g, []tensor{ts(dt, []int{1}, index), ts(f64, nil, 5)}, [][]float64{{want}}}})
		}
	}
}

// TestOnlyTheTakenBranchFails: a division that cannot be done, in loops around that leave its operands alone, at every
// place where it is not due.
func TestOnlyTheTakenBranchFails(t *testing.T) {
	divide := op("div", m(i64), m(i64))
	keep := bodyOf("keep", []tracer.Meta{m(i64), m(i64)}, func(b *graph, in []*tracer.Node) []*tracer.Node { return in[:1] })
	step := func(inner func(b *graph, in []*tracer.Node) *tracer.Node) *graph { // i, x, y -> next x
		return bodyOf("step", []tracer.Meta{m(i64), m(i64), m(i64), m(i64)}, func(b *graph, in []*tracer.Node) []*tracer.Node {
			return []*tracer.Node{b.same("add", in[1], inner(b, in))}
		})
	}
	taken := func(b *graph, i *tracer.Node) *tracer.Node { // in step 2
		return b.node("gt_scalar", m(boolean), attrs("value", 1.0), i)
	}
	branch := step(func(b *graph, in []*tracer.Node) *tracer.Node {
		return b.cond(divide, keep, taken(b, in[0]), in[2], in[3])[0]
	})
	loop := step(func(b *graph, in []*tracer.Node) *tracer.Node { // a while loop that takes i - 1 steps, dividing
		cond := bodyOf("while", metasOf(in), func(c *graph, w []*tracer.Node) []*tracer.Node { return []*tracer.Node{taken(c, w[0])} })
		body := bodyOf("dividing", metasOf(in), func(c *graph, w []*tracer.Node) []*tracer.Node {
			return []*tracer.Node{c.with("sub_scalar", 1, w[0]), c.same("div", w[2], w[3])}
		})
		return b.while(cond, body, 2, in...)[1]
	})
	deep := step(func(b *graph, in []*tracer.Node) *tracer.Node { // a cond in a scan in the branch
		inner := bodyOf("inner", []tracer.Meta{m(i64), m(i64)}, func(c *graph, w []*tracer.Node) []*tracer.Node {
			return []*tracer.Node{c.same("div", w[0], w[1])}
		})
		scanning := bodyOf("scanning", []tracer.Meta{m(i64), m(i64)}, func(c *graph, w []*tracer.Node) []*tracer.Node {
			return c.scan(inner, 1, 0, 2, w...)
		})
		return b.cond(scanning, keep, taken(b, in[0]), in[2], in[3])[0]
	})
	for name, c := range map[string]struct {
		body *graph
		path string
	}{
		"cond":         {branch, "div.go:3:2: for_loop[2]/cond.onTrue: div"},
		"while":        {loop, "for_loop[2]/while_loop[0].body: div"},
		"scan in cond": {deep, "for_loop[2]/cond.onTrue/scan[0]: div"},
	} {
		for _, steps := range []int{1, 2, 4} {
			g := rootOf([]tracer.Meta{m(i64), m(i64), m(i64)}, func(g *graph, in []*tracer.Node) []*tracer.Node { return g.forLoop(c.body, 0, steps, in...) })
			ins := []kernels.Array{kernels.Of([]int64{1}), kernels.Of([]int64{6}), kernels.Of([]int64{0})}
			p := compiled(t, g)
			for range 2 {
				err := p.Run(ins, outputsFor(g.Graph))
				if steps < 3 && err != nil || steps >= 3 && (err == nil || !strings.Contains(err.Error(), c.path)) {
					t.Errorf("%s, %d steps: got %v, want %q in the third step only", name, steps, err, c.path)
				}
			}
			ins[2] = kernels.Of([]int64{2})
			if err := p.Run(ins, outputsFor(g.Graph)); err != nil {
				t.Errorf("%s, %d steps, after a failed run: %v", name, steps, err)
			}
		}
	}
}

// TestErrorsNameEveryOperator: a node that was hoisted, or whose subgraph was put in its place, keeps its path.
func TestErrorsNameEveryOperator(t *testing.T) {
	divide := op("div", m(i64), m(i64))
	sub := bodyOf("sub", metasOf(divide.Inputs), func(b *graph, in []*tracer.Node) []*tracer.Node { return b.subgraph("subgraph", divide, in...) })
	inner := bodyOf("inner", []tracer.Meta{m(i64), m(i64), m(i64)}, func(b *graph, in []*tracer.Node) []*tracer.Node {
		return []*tracer.Node{b.same("add", in[0], b.subgraph("checkpoint", sub, in[1:]...)[0])}
	})
	outer := bodyOf("outer", metasOf(inner.Inputs), func(b *graph, in []*tracer.Node) []*tracer.Node { return b.scan(inner, 1, 0, 3, in...) })
	g := rootOf(metasOf(inner.Inputs), func(g *graph, in []*tracer.Node) []*tracer.Node { return g.scan(outer, 1, 0, 2, in...) })
	err := compiled(t, g).Run([]kernels.Array{kernels.New(i64), kernels.New(i64), kernels.New(i64)}, outputsFor(g.Graph))
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want an *Error", err)
	}
	want := "div.go:3:2: scan[0]/scan[0]/checkpoint/subgraph: div (n3): integer division by zero; guard the divisor, e.g. with Where or MaximumScalar"
	if e.Error() != want || e.Step != 0 {
		t.Errorf("got  %v in step %d\nwant %s in step 0", e, e.Step, want)
	}
	for i, node := range []string{"n4", "n4", "n4", "n3"} {
		if len(e.Path) <= i || e.Path[i].Node != node {
			t.Errorf("operator %d of %+v: want node %s", i, e.Path, node)
		}
	}
}
