package exec

import (
	"testing"

	"github.com/hoplint/hoplint/tracer"
)

// opsOf are the ops of a graph's nodes and of its bodies', in order.
func opsOf(g *tracer.Graph) string {
	s := ""
	for _, n := range g.Nodes {
		s += n.Op + " "
		for _, b := range n.Graphs {
			s += "{ " + opsOf(b) + "} "
		}
	}
	return s
}

func TestSimplifiedGraphs(t *testing.T) {
	v := m(f64, 2)
	square := op("mul", v, v)
	custom := rootOf([]tracer.Meta{v}, func(g *graph, in []*tracer.Node) []*tracer.Node {
		forward := bodyOf("forward", []tracer.Meta{v}, func(b *graph, in []*tracer.Node) []*tracer.Node {
			return []*tracer.Node{b.same("tanh", in[0]), b.same("sigmoid", in[0])} // the second is a residual
		})
		return g.hop("custom_vjp", attrs("n_operands", 1, "n_results", 1, "grads", []int{0}), []tracer.Meta{v}, []*graph{forward, square}, in[0])
	})
	nested := rootOf([]tracer.Meta{v}, func(g *graph, in []*tracer.Node) []*tracer.Node {
		inner := bodyOf("inner", []tracer.Meta{v}, func(b *graph, in []*tracer.Node) []*tracer.Node {
			return append(b.subgraph("subgraph", square, in[0], in[0]), b.same("clone", in[0]))
		})
		outs := g.subgraph("checkpoint", inner, in[0])
		return append(outs, g.subgraph("subgraph", square, outs[0], outs[1])[0])
	})
	cond := func(names ...string) *graph {
		s := m(f64)
		return rootOf([]tracer.Meta{m(boolean), s}, func(g *graph, in []*tracer.Node) []*tracer.Node {
			branches := []*graph{op(names[0], s), op(names[1], s)}
			for _, b := range branches {
				b.Outputs = append(b.Outputs, b.Inputs[0])
			}
			return g.cond(branches[0], branches[1], in...)
		})
	}
	dead := rootOf([]tracer.Meta{v, m(i64)}, func(g *graph, in []*tracer.Node) []*tracer.Node {
		g.same("tanh", g.same("neg", in[0]))
		g.same("div", in[1], in[1]) // may fail
		g.node("sum", m(f64), nil, in[0])
		return []*tracer.Node{in[0]}
	})
	counted := rootOf([]tracer.Meta{m(i64), m(i64)}, func(g *graph, in []*tracer.Node) []*tracer.Node {
		body := bodyOf("body", metasOf(in), func(b *graph, in []*tracer.Node) []*tracer.Node {
			return []*tracer.Node{b.with("add_scalar", 1, in[0]), b.same("div", in[1], in[0])}
		})
		return g.while(below(3, 0, metasOf(in)...), body, 2, in...)
	})
	for _, c := range []struct {
		name string
		g    *graph
		want string
		ins  []tensor
	}{
		{"a custom derivative is its forward function", custom, "tanh ", []tensor{ts(f64, []int{2}, 1, 2)}},
		{"subgraphs are put in place", nested, "mul mul ", []tensor{ts(f64, []int{2}, 1, 2)}},
		{"cheap branches are both computed", cond("neg", "abs"), "neg abs where ", []tensor{ts(boolean, nil, 0), ts(f64, nil, -2)}},
		{"dear ones are not", cond("neg", "tanh"), "cond { neg } { tanh } get get ", []tensor{ts(boolean, nil, 0), ts(f64, nil, -2)}},
		{"what is not read goes unless it can fail", dead, "div ", []tensor{ts(f64, []int{2}, 1, 2), ts(i64, nil, 3)}},
		{"a counter is raised last", counted, "while_loop { lt_scalar } { div add_scalar } get get ", []tensor{ts(i64, nil, 1), ts(i64, nil, 9)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := c.g.String()
			if got := opsOf(compiled(t, c.g).graph); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			if c.g.String() != text {
				t.Errorf("the graph itself has changed from\n%s\nto\n%s", text, c.g)
			}
			check(t, c.g.Graph, c.ins, arraysOf(c.ins))
		})
	}
}
