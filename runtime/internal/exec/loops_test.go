package exec

import (
	"errors"
	"testing"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

// below is the condition "the sum of input k is below limit".
func below(limit float64, k int, metas ...tracer.Meta) *graph {
	return bodyOf("cond", metas, func(b *graph, in []*tracer.Node) []*tracer.Node {
		s := in[k]
		if len(s.Meta.Shape) > 0 {
			s = b.node("sum", m(s.Meta.DType), nil, s)
		}
		return []*tracer.Node{b.node("lt_scalar", m(boolean), attrs("value", limit), s)}
	})
}

func whileOf(cond, body *graph, nCarry int) *graph {
	return rootOf(metasOf(body.Inputs), func(g *graph, in []*tracer.Node) []*tracer.Node { return g.while(cond, body, nCarry, in...) })
}

func TestWhileValues(t *testing.T) {
	n, v, one := m(i64), m(f64, 2), m(f64, 1)
	addOne := func(b *graph, x *tracer.Node) *tracer.Node { return b.with("add_scalar", 1, x) }
	count := bodyOf("count", []tracer.Meta{one}, func(b *graph, in []*tracer.Node) []*tracer.Node { return []*tracer.Node{addOne(b, in[0])} })
	inner := bodyOf("inner", []tracer.Meta{n, n}, func(b *graph, in []*tracer.Node) []*tracer.Node {
		return []*tracer.Node{b.same("add", in[0], in[1]), addOne(b, in[1])}
	})
	outer := bodyOf("outer", []tracer.Meta{n, n, n}, func(b *graph, in []*tracer.Node) []*tracer.Node {
		return append([]*tracer.Node{addOne(b, in[0])}, b.while(below(10, 0, n, n), inner, 2, in[1], in[2])...)
	})
	limited := bodyOf("limited", []tracer.Meta{n, n, n}, func(b *graph, in []*tracer.Node) []*tracer.Node {
		return []*tracer.Node{addOne(b, in[0]), addOne(b, in[1])}
	})
	limit := bodyOf("limit", []tracer.Meta{n, n, n}, func(b *graph, in []*tracer.Node) []*tracer.Node {
		return []*tracer.Node{b.node("lt", m(boolean), nil, in[0], in[2])}
	})
	doubled := bodyOf("doubled", []tracer.Meta{n, v}, func(b *graph, in []*tracer.Node) []*tracer.Node {
		return []*tracer.Node{addOne(b, in[0]), b.same("add", in[1], in[1])}
	})
	swap := bodyOf("swap", []tracer.Meta{n, v, v, m(f64), m(f64)}, func(b *graph, in []*tracer.Node) []*tracer.Node {
		return []*tracer.Node{addOne(b, in[0]), in[2], in[1], in[4], in[3]}
	})
	forwarded := bodyOf("forwarded", []tracer.Meta{n, n, m(f64)}, func(b *graph, in []*tracer.Node) []*tracer.Node {
		zero := b.same("sub", in[0], in[0])
		return []*tracer.Node{zero, addOne(b, zero), in[2]}
	})
	flag := bodyOf("flag", []tracer.Meta{m(boolean), n}, func(b *graph, in []*tracer.Node) []*tracer.Node {
		return []*tracer.Node{b.node("gt_scalar", m(boolean), attrs("value", 2.0), b.with("rsub_scalar", 5, in[1])), addOne(b, in[1])}
	})
	itself := bodyOf("itself", metasOf(flag.Inputs), func(b *graph, in []*tracer.Node) []*tracer.Node { return in[:1] })
	transposed := bodyOf("transposed", []tracer.Meta{n, m(f64, 2, 2)}, func(b *graph, in []*tracer.Node) []*tracer.Node {
		return []*tracer.Node{addOne(b, in[0]), b.node("transpose", m(f64, 2, 2), attrs("a", 0, "b", 1), in[1])}
	})
	read := bodyOf("read", []tracer.Meta{n, n}, func(b *graph, in []*tracer.Node) []*tracer.Node {
		return []*tracer.Node{addOne(b, in[0]), b.same("add", in[1], in[0])} // the old count is read when the new one is made
	})
	seen := bodyOf("seen", []tracer.Meta{n, m(f64, 1)}, func(b *graph, in []*tracer.Node) []*tracer.Node {
		through := b.node("cast", m(f64, 1), nil, b.node("view", m(i64, 1), nil, in[0]))
		return []*tracer.Node{addOne(b, in[0]), b.same("add", in[1], through)} // … through a view
	})
	lifted := bodyOf("lifted", []tracer.Meta{n, v, v}, func(b *graph, in []*tracer.Node) []*tracer.Node {
		return []*tracer.Node{addOne(b, in[0]), b.with("mul_scalar", 3, in[2])}
	})
	at := func(limit float64, body *graph, k int) *graph {
		return whileOf(below(limit, 0, metasOf(body.Inputs)...), body, k)
	}
	i := func(x float64) tensor { return ts(i64, nil, x) }
	xy, zw := ts(f64, []int{2}, 1, 2), ts(f64, []int{2}, 3, 4)
	checkValues(t, []valueCase{
		{"I1", whileOf(below(10, 0, one), count, 1), []tensor{ts(f64, []int{1}, 0)}, [][]float64{{10}}},
		{"I2 nested", at(2, outer, 3), []tensor{i(0), i(0), i(0)}, [][]float64{{2}, {10}, {5}}},
		{"I4 a captured limit", whileOf(limit, limited, 2), []tensor{i(2), i(0), i(10)}, [][]float64{{10}, {8}}},
		{"I14 forwarded", whileOf(below(10, 1, n, n, m(f64)), bodyOf("b", metasOf(forwarded.Inputs), func(b *graph, in []*tracer.Node) []*tracer.Node {
			return []*tracer.Node{b.same("sub", in[0], in[0]), b.with("add_scalar", 10, in[1]), in[2]}
		}), 3), []tensor{i(5), i(0), ts(f64, nil, 3.14)}, [][]float64{{0}, {10}, {3.14}}},
		{"I15 swap without a turn", at(0, swap, 5), []tensor{i(0), xy, zw, ts(f64, nil, 5), ts(f64, nil, 6)}, [][]float64{{0}, {1, 2}, {3, 4}, {5}, {6}}},
		{"swap thrice", at(3, swap, 5), []tensor{i(0), xy, zw, ts(f64, nil, 5), ts(f64, nil, 6)}, [][]float64{{3}, {3, 4}, {1, 2}, {6}, {5}}},
		{"a vector carry", at(5, doubled, 2), []tensor{i(0), xy}, [][]float64{{5}, {32, 64}}},
		{"a transposed carry", at(3, transposed, 2), []tensor{i(0), ts(f64, []int{2, 2}, 1, 2, 3, 4)}, [][]float64{{3}, {1, 3, 2, 4}}},
		{"a carry read after its next value is made", at(4, read, 2), []tensor{i(0), i(0)}, [][]float64{{4}, {6}}},
		{"a carry read through a view", at(4, seen, 2), []tensor{i(0), ts(f64, []int{1}, 0)}, [][]float64{{4}, {6}}},
		{"a carry is the condition", whileOf(itself, flag, 2), []tensor{ts(boolean, nil, 1), i(0)}, [][]float64{{0}, {4}}},
		{"an invariant next carry", at(2, lifted, 2), []tensor{i(0), xy, zw}, [][]float64{{2}, {9, 12}}},
		{"no turn with an invariant next carry", at(0, lifted, 2), []tensor{i(0), xy, zw}, [][]float64{{0}, {1, 2}}},
	})
}

func TestForValues(t *testing.T) {
	sum := func(scale float64) *graph {
		return bodyOf("sum", []tracer.Meta{m(i64), m(i64), m(i64)}, func(b *graph, in []*tracer.Node) []*tracer.Node {
			return []*tracer.Node{b.same("add", b.same("add", in[1], in[0]), b.with("mul_scalar", scale, in[2]))}
		})
	}
	vector := bodyOf("vector", []tracer.Meta{m(i64), m(f64, 2)}, func(b *graph, in []*tracer.Node) []*tracer.Node {
		return []*tracer.Node{b.same("add", b.node("cast", m(f64), nil, in[0]), in[1])}
	})
	index := bodyOf("index", []tracer.Meta{m(i64), m(i64)}, func(b *graph, in []*tracer.Node) []*tracer.Node { return in[:1] })
	forOf := func(body *graph, lower, upper int) *graph {
		return rootOf(metasOf(body.Inputs)[1:], func(g *graph, in []*tracer.Node) []*tracer.Node { return g.forLoop(body, lower, upper, in...) })
	}
	i := func(x float64) tensor { return ts(i64, nil, x) }
	xy := ts(f64, []int{2}, 1, 2)
	checkValues(t, []valueCase{
		{"I20 n=2", forOf(sum(0), 0, 2), []tensor{i(0), i(0)}, [][]float64{{1}}},
		{"I20 n=4", forOf(sum(0), 0, 4), []tensor{i(0), i(0)}, [][]float64{{6}}},
		{"I21 n=2", forOf(sum(1), 0, 2), []tensor{i(0), i(2)}, [][]float64{{5}}},
		{"I21 n=4", forOf(sum(1), 0, 4), []tensor{i(0), i(4)}, [][]float64{{22}}},
		{"I22 no turn", forOf(sum(0), 0, 0), []tensor{i(7), i(0)}, [][]float64{{7}}},
		{"I22 from 5 to 3", forOf(sum(0), 5, 3), []tensor{i(7), i(0)}, [][]float64{{7}}},
		{"across strips", forOf(sum(0), -3, 2*stripSteps), []tensor{i(0), i(0)}, [][]float64{{stripSteps*(2*stripSteps-1) - 6}}},
		{"from -2 to 3 on a vector", forOf(vector, -2, 3), []tensor{xy}, [][]float64{{1, 2}}},
		{"the index as carry", forOf(index, 3, 9), []tensor{i(0)}, [][]float64{{8}}},
	})
}

// TestMaxSteps: n steps are allowed, one more is an error that names the loop; the node's bound comes before the run's.
func TestMaxSteps(t *testing.T) {
	for _, c := range []struct {
		node, run, steps int
		fails            bool
	}{{-1, 0, 50, false}, {3, 0, 3, false}, {3, 0, 4, true}, {0, 0, 0, false}, {0, 0, 1, true}, {-1, 5, 5, false}, {-1, 5, 6, true}, {7, 5, 7, false}, {7, 9, 8, true}} {
		body := bodyOf("body", []tracer.Meta{m(i64)}, func(b *graph, in []*tracer.Node) []*tracer.Node {
			return []*tracer.Node{b.with("add_scalar", 1, in[0])}
		})
		g := whileOf(below(float64(c.steps), 0, m(i64)), body, 1)
		if c.node >= 0 {
			g.Nodes[0].Attrs = append(g.Nodes[0].Attrs, tracer.Attr{Key: "max_steps", Value: c.node})
		}
		outs := outputsFor(g.Graph)
		err := compiled(t, g).RunWith(RunOptions{MaxSteps: c.run}, []kernels.Array{kernels.New(i64)}, outs)
		var max *MaxStepsError
		if errors.As(err, &max) != c.fails || !c.fails && err != nil {
			t.Errorf("%+v: got error %v", c, err)
		}
		if !c.fails && valuesOf(outs[0])[0] != float64(c.steps) {
			t.Errorf("%+v: got %v steps", c, valuesOf(outs[0]))
		}
		if c.node == 3 && c.fails {
			want := "root.go:2:2: while_loop (n2): the predicate still holds after 3 steps, as many as MaxSteps allows; raise MaxSteps or correct the condition"
			if err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		}
	}
}
