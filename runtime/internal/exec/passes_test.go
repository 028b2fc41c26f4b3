package exec

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
	"github.com/hoplint/hoplint/tracer/passes"
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

func TestCompiledGraphs(t *testing.T) {
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
		{"subgraphs are put in place", nested, "mul clone mul ", []tensor{ts(f64, []int{2}, 1, 2)}},
		{"cheap branches are both computed", cond("neg", "abs"), "neg abs where clone ", []tensor{ts(boolean, nil, 0), ts(f64, nil, -2)}},
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

// bytesOf are the bytes of contiguous arrays.
func bytesOf(arrays []kernels.Array) [][]byte {
	list := make([][]byte, len(arrays))
	for i, a := range arrays {
		if n := a.NumElems() * a.DType.Size(); n > 0 {
			list[i] = bytes.Clone(unsafe.Slice((*byte)(a.Ptr), n))
		}
	}
	return list
}

// passed returns a copy of g after the passes of the given names.
func passed(t interface{ Fatalf(string, ...any) }, g *tracer.Graph, names ...string) *tracer.Graph {
	c, err := tracer.Parse(g.Text())
	if err != nil {
		t.Fatalf("%v\n%s", err, g)
	}
	for _, p := range passes.Table() {
		if !slices.Contains(names, p.Name) {
			continue
		}
		if err := p.Run(c, Traits(library{})); err != nil {
			t.Fatalf("%s: %v\n%s", p.Name, err, g)
		}
		if err := c.Verify(); err != nil {
			t.Fatalf("%s: %v\n%s\nbefore\n%s", p.Name, err, c, g)
		}
		if back, err := tracer.Parse(c.Text()); err != nil || back.Text() != c.Text() {
			t.Fatalf("%s: print, parse, print differ (%v)\n%s", p.Name, err, c.Text())
		}
		text := c.Text()
		if err := p.Run(c, Traits(library{})); err != nil || c.Text() != text {
			t.Fatalf("%s twice (%v) gives\n%s\nonce\n%s\nfrom\n%s", p.Name, err, c.Text(), text, g)
		}
	}
	return c
}

// outcome runs a graph without further passes.
func outcome(g *tracer.Graph, ins []tensor) ([][]byte, error) {
	p, outs := &Program{graph: g, lib: library{}}, outputsFor(g)
	err := p.Run(arraysOf(ins), outs)
	return bytesOf(outs), err
}

// TestPassesKeepEveryBit is a law over random graphs: after some pass alone, and after all of them, a program gives the
// same bits as before, or fails at the same place of the user's program; a graph is well formed, is read back to the
// same text, and is not changed by the pass again.
func TestPassesKeepEveryBit(t *testing.T) {
	ran := 0
	rapid.Check(t, func(t *rapid.T) {
		r := generator{rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 7)), rapid.IntRange(0, 2).Draw(t, "divides") == 0,
			rapid.Bool().Draw(t, "updates")}
		g, ins := r.program()
		if err := g.Verify(); err != nil {
			t.Fatalf("%v\n%s", err, g)
		}
		text := g.Text()
		plain := passed(t, g.Graph, "inline") // what an executor needs
		want, failure := outcome(plain, ins)
		compare := func(what string, got [][]byte, err error) {
			if (err == nil) != (failure == nil) {
				t.Fatalf("%s: got %v, want %v\n%s", what, err, failure, g)
			}
			if failure != nil {
				return
			}
			for i := range want {
				if !bytes.Equal(got[i], want[i]) {
					t.Fatalf("%s: output %d is % x, want % x\n%s", what, i, got[i], want[i], g)
				}
			}
		}
		for range 4 {
			p := rapid.SampledFrom(passes.Table()).Draw(t, "pass")
			got, err := outcome(passed(t, g.Graph, "inline", p.Name), ins)
			compare(p.Name, got, err)
		}
		res, err := passes.Optimise(g.Graph, Traits(library{}))
		if err != nil {
			t.Fatalf("%v\n%s", err, g)
		}
		if err := res.Graph.Verify(); err != nil {
			t.Fatalf("%v\n%s", err, res.Graph)
		}
		if again, err := passes.Optimise(res.Graph, Traits(library{})); err != nil || again.Graph.Text() != res.Graph.Text() {
			t.Fatalf("all passes twice (%v) give\n%s\nonce\n%s", err, again.Graph, res.Graph)
		}
		got, err := outcome(res.Graph, ins)
		compare("all passes", got, err)
		if g.Text() != text {
			t.Fatalf("the graph itself has changed from\n%s\nto\n%s", text, g.Text())
		}
		ran++
	})
	if ran == 0 {
		t.Error("no program was run")
	}
}
