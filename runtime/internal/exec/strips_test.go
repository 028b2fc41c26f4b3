package exec

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/hoplint/hoplint/tracer"
)

// randomScalarScan makes a body of elementwise ops on scalars: recurrences of one op and of many, forwarded and
// exchanged carries, ys that are carries, slices, invariants and values of the recurrence.
func randomScalarScan(seed uint64, length int) (*graph, []tensor, *Program, error) {
	r := generator{Rand: rand.New(rand.NewPCG(seed, 2))}
	body := newGraph("body")
	dt := []tracer.DType{f64, f64, f32, i64}[r.IntN(4)]
	nCarry, nX, nLifted := 1+r.IntN(3), r.IntN(3), r.IntN(2)
	var metas []tracer.Meta
	for i := range nCarry + nX + nLifted {
		body.input(dt)
		if i >= nCarry && i < nCarry+nX {
			metas = append(metas, m(dt, length))
		} else {
			metas = append(metas, m(dt))
		}
	}
	values := append([]*tracer.Node{}, body.Inputs...)
	for range 1 + r.IntN(8) {
		x, y := r.pick(values), r.pick(values)
		var n *tracer.Node
		switch r.IntN(6) {
		case 5:
			values = append(values, r.scalarCond(body, x, y, r.pick(values))...)
			continue
		case 0:
			n = body.with("mul_scalar", []float64{0.5, 0.25, -0.5}[r.IntN(3)], x)
			if dt == i64 {
				n.Attrs = attrs("value", -1.0)
			}
		case 1:
			n = body.with("rsub_scalar", 1, x)
		case 2:
			n = body.same([]string{"add", "sub", "maximum"}[r.IntN(3)], x, y)
		case 3:
			n = body.same("mul", x, y)
		default:
			p := body.same("mul", x, y)
			n = body.same([]string{"add", "sub"}[r.IntN(2)], []*tracer.Node{p, r.pick(values)}...)
			if r.IntN(2) == 0 {
				n.Args[0], n.Args[1] = n.Args[1], n.Args[0]
			}
			if dt != i64 {
				values = append(values, p)
			}
		}
		if dt == i64 || r.IntN(3) > 0 { // the reference is exact for small integers only
			n = body.node("clamp", n.Meta, attrs("lo", -4.0, "hi", 4.0), n)
		}
		values = append(values, n)
	}
	for range nCarry {
		body.Outputs = append(body.Outputs, r.pick(values))
	}
	for range r.IntN(4) {
		body.Outputs = append(body.Outputs, r.pick(values))
	}
	root := scanOf(body, nCarry, nX, length, metas...)
	var ins []tensor
	for _, meta := range metas {
		ins = append(ins, r.values(meta))
	}
	p, err := Compile(root.Graph, library{})
	return root, ins, p, err
}

// scalarCond adds a cond on scalars: cheap, so that both branches are computed, or with a jump.
func (r generator) scalarCond(g *graph, x, y, z *tracer.Node) []*tracer.Node {
	dt := x.Meta.DType
	branch := func() *graph {
		return bodyOf("branch", []tracer.Meta{m(dt), m(dt)}, func(b *graph, in []*tracer.Node) []*tracer.Node {
			s := b.node("clamp", m(dt), attrs("lo", -4.0, "hi", 4.0), b.same([]string{"add", "mul"}[r.IntN(2)], in[0], in[r.IntN(2)]))
			values := []*tracer.Node{in[0], in[1], s, b.with("rsub_scalar", 2, s)}
			if dt != i64 && r.IntN(2) == 0 {
				values = append(values, b.same("tanh", r.pick(values)))
			}
			return []*tracer.Node{r.pick(values), r.pick(values), s, values[len(values)-1]}
		})
	}
	onTrue, onFalse := branch(), branch()
	for range r.IntN(3) {
		onTrue.Outputs, onFalse.Outputs = onTrue.Outputs[1:], onFalse.Outputs[1:]
	}
	return g.cond(onTrue, onFalse, g.node("gt_scalar", m(boolean), attrs("value", 0.0), x), y, z)
}

func TestScalarScansEqualTheReferenceAcrossStrips(t *testing.T) {
	for i, length := range []int{1, 2, stripSteps - 1, stripSteps, stripSteps + 1, 2*stripSteps + 3} {
		for seed := range uint64(40) {
			seed += uint64(i) * 1000
			t.Run(fmt.Sprintf("T=%d/%d", length, seed), func(t *testing.T) {
				g, ins, p, err := randomScalarScan(seed, length)
				if err != nil {
					t.Fatal(err)
				}
				want, outs := interpret(g.Graph, ins), outputsFor(g.Graph)
				if err := p.Run(arraysOf(ins), outs); err != nil {
					t.Fatal(err)
				}
				for i, o := range outs {
					for k, got := range valuesOf(o) {
						if w := want[i].data[k]; !near(got, w, o.DType) {
							t.Fatalf("output %d, element %d: got %v, want %v", i, k, got, w)
						}
					}
				}
			})
		}
	}
}

// TestRecurrencesOfOneOp: each op with the carry as either argument.
func TestRecurrencesOfOneOp(t *testing.T) {
	const length = stripSteps + 7
	bodies := map[string]func(b *graph, c, x, w *tracer.Node) *tracer.Node{
		"c+x":      func(b *graph, c, x, w *tracer.Node) *tracer.Node { return b.same("add", c, x) },
		"x+c":      func(b *graph, c, x, w *tracer.Node) *tracer.Node { return b.same("add", x, c) },
		"c-x":      func(b *graph, c, x, w *tracer.Node) *tracer.Node { return b.same("sub", c, x) },
		"x-c":      func(b *graph, c, x, w *tracer.Node) *tracer.Node { return b.same("sub", x, c) },
		"c*w":      func(b *graph, c, x, w *tracer.Node) *tracer.Node { return b.same("mul", c, w) },
		"c/w":      func(b *graph, c, x, w *tracer.Node) *tracer.Node { return b.same("div", c, w) },
		"w/c":      func(b *graph, c, x, w *tracer.Node) *tracer.Node { return b.same("div", w, c) },
		"max(x,c)": func(b *graph, c, x, w *tracer.Node) *tracer.Node { return b.same("maximum", x, c) },
		"1-c":      func(b *graph, c, x, w *tracer.Node) *tracer.Node { return b.with("rsub_scalar", 1, c) },
		"c*c":      func(b *graph, c, x, w *tracer.Node) *tracer.Node { return b.same("mul", c, c) },
		"0.9c+0.1x": func(b *graph, c, x, w *tracer.Node) *tracer.Node {
			return b.same("add", b.with("mul_scalar", 0.9, c), b.with("mul_scalar", 0.1, x))
		},
		"0.1x+0.9c": func(b *graph, c, x, w *tracer.Node) *tracer.Node {
			return b.same("add", b.with("mul_scalar", 0.1, x), b.with("mul_scalar", 0.9, c))
		},
		"0.5c+0.5c": func(b *graph, c, x, w *tracer.Node) *tracer.Node {
			return b.same("add", b.with("mul_scalar", 0.5, c), b.with("mul_scalar", 0.5, c))
		},
		"c*w+x": func(b *graph, c, x, w *tracer.Node) *tracer.Node { return b.same("add", b.same("mul", c, w), x) },
		"w*c+x": func(b *graph, c, x, w *tracer.Node) *tracer.Node { return b.same("add", b.same("mul", w, c), x) },
		"x*w+c": func(b *graph, c, x, w *tracer.Node) *tracer.Node { return b.same("add", b.same("mul", x, w), c) },
		"c+x*w": func(b *graph, c, x, w *tracer.Node) *tracer.Node { return b.same("add", c, b.same("mul", x, w)) },
		"c*w-x": func(b *graph, c, x, w *tracer.Node) *tracer.Node { return b.same("sub", b.same("mul", c, w), x) },
		"w*c-x": func(b *graph, c, x, w *tracer.Node) *tracer.Node { return b.same("sub", b.same("mul", w, c), x) },
		"c-x*w": func(b *graph, c, x, w *tracer.Node) *tracer.Node { return b.same("sub", c, b.same("mul", x, w)) },
		"x-c*w": func(b *graph, c, x, w *tracer.Node) *tracer.Node { return b.same("sub", x, b.same("mul", c, w)) },
		"x*x-c": func(b *graph, c, x, w *tracer.Node) *tracer.Node { return b.same("sub", b.same("mul", x, x), c) },
		"0.5c-x": func(b *graph, c, x, w *tracer.Node) *tracer.Node {
			return b.same("sub", b.with("mul_scalar", 0.5, c), x)
		},
		"tanh(c)*w+x": func(b *graph, c, x, w *tracer.Node) *tracer.Node {
			return b.same("add", b.same("mul", b.same("tanh", c), w), x)
		},
	}
	for name, body := range bodies {
		for _, dt := range []tracer.DType{f64, f32} {
			t.Run(name+"/"+dt.Short(), func(t *testing.T) {
				b := newGraph("body")
				c, x, w := b.input(dt), b.input(dt), b.input(dt)
				next := body(b, c, x, w)
				b.Outputs = []*tracer.Node{next, c, next, b.same("neg", next), b.same("add", c, x), w}
				g := scanOf(b, 1, 1, length, m(dt), m(dt, length), m(dt))
				ins := []tensor{ts(dt, nil, 0.5), newTensor(m(dt, length)), ts(dt, nil, 0.75)}
				for i := range ins[1].data {
					ins[1].data[i] = float64(float32(unit(uint32(i), 3)))
				}
				check(t, g.Graph, ins, arraysOf(ins))
			})
		}
	}
}
