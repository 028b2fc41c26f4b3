package exec

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

const (
	f32 = tracer.Float32
	f64 = tracer.Float64
	i64 = tracer.Int64
)

func ptrAdd(a kernels.Array, i int) unsafe.Pointer { return unsafe.Add(a.Ptr, i) }

func ts(dt tracer.DType, shape []int, data ...float64) tensor { return tensor{dt, shape, data} }

// scanOf is a root graph with one scan over inputs of the given metas; all results are outputs.
func scanOf(body *graph, nCarry, nX, length int, metas ...tracer.Meta) *graph {
	root := newGraph("root")
	var args []*tracer.Node
	for _, m := range metas {
		shape, _ := m.ConstShape()
		args = append(args, root.input(m.DType, shape...))
	}
	root.Outputs = root.scan(body, nCarry, nX, length, args...)
	return root
}

func m(dt tracer.DType, shape ...int) tracer.Meta { return tracer.TensorMeta(dt, shape...) }

func TestScanValues(t *testing.T) {
	cases := []struct {
		name   string
		build  func() *graph
		ins    []tensor
		values [][]float64
	}{
		{"A1 sum with ys", func() *graph {
			b := newGraph("body")
			c, x := b.input(f64), b.input(f64)
			s := b.same("add", c, x)
			b.Outputs = []*tracer.Node{s, s}
			return scanOf(b, 1, 1, 4, m(f64), m(f64, 4))
		}, []tensor{ts(f64, nil, 0), ts(f64, []int{4}, 1, 2, 3, 4)}, [][]float64{{10}, {1, 3, 6, 10}}},
		{"A3 int64 carry of shape 1", func() *graph {
			b := newGraph("body")
			c, x := b.input(i64, 1), b.input(i64)
			s := b.node("add", m(i64, 1), nil, c, x)
			b.Outputs = []*tracer.Node{s, s}
			return scanOf(b, 1, 1, 4, m(i64, 1), m(i64, 4))
		}, []tensor{ts(i64, []int{1}, 0), ts(i64, []int{4}, 0, 1, 2, 3)}, [][]float64{{6}, {0, 1, 3, 6}}},
		{"A4 product and sum", func() *graph {
			b := newGraph("body")
			c, x := b.input(f64), b.input(f64)
			b.Outputs = []*tracer.Node{b.same("mul", c, x), b.same("add", c, x)}
			return scanOf(b, 1, 1, 4, m(f64), m(f64, 4))
		}, []tensor{ts(f64, nil, 1), ts(f64, []int{4}, 1, 2, 3, 4)}, [][]float64{{24}, {2, 3, 5, 10}}},
		{"A5 division does not associate", func() *graph {
			b := newGraph("body")
			c, x := b.input(f64), b.input(f64)
			q := b.same("div", c, x)
			b.Outputs = []*tracer.Node{q, q}
			return scanOf(b, 1, 1, 4, m(f64), m(f64, 4))
		}, []tensor{ts(f64, nil, 24), ts(f64, []int{4}, 1, 2, 3, 4)}, [][]float64{{1}, {24, 12, 4, 1}}},
		{"A22 no xs, no ys", func() *graph {
			b := newGraph("body")
			b.Outputs = []*tracer.Node{b.with("add_scalar", 1, b.input(f64))}
			return scanOf(b, 1, 0, 20, m(f64))
		}, []tensor{ts(f64, nil, 0)}, [][]float64{{20}}},
		{"A33 bool carry", func() *graph {
			b := newGraph("body")
			c, x := b.input(tracer.Bool), b.input(tracer.Bool)
			s := b.same("xor", c, x)
			b.Outputs = []*tracer.Node{s, s}
			return scanOf(b, 1, 1, 3, m(tracer.Bool), m(tracer.Bool, 3))
		}, []tensor{ts(tracer.Bool, nil, 0), ts(tracer.Bool, []int{3}, 0, 1, 1)}, [][]float64{{0}, {0, 1, 0}}},
		{"A36 forwarded carry", func() *graph {
			b := newGraph("body")
			c, x := b.input(f64, 2), b.input(f64, 2)
			b.Outputs = []*tracer.Node{c, b.same("add", c, x)}
			return scanOf(b, 1, 1, 2, m(f64, 2), m(f64, 2, 2))
		}, []tensor{ts(f64, []int{2}, 1, 2), ts(f64, []int{2, 2}, 1, 1, 5, 5)}, [][]float64{{1, 2}, {2, 3, 6, 7}}},
		{"scalar carries swap", func() *graph {
			b := newGraph("body")
			x, y := b.input(f64), b.input(f64)
			b.Outputs = []*tracer.Node{y, x}
			return scanOf(b, 2, 0, 3, m(f64), m(f64))
		}, []tensor{ts(f64, nil, 1), ts(f64, nil, 2)}, [][]float64{{2}, {1}}},
		{"vector carries rotate", func() *graph {
			b := newGraph("body")
			x, y, z := b.input(f64, 2), b.input(f64, 2), b.input(f64, 2)
			b.Outputs = []*tracer.Node{y, z, x, y}
			return scanOf(b, 3, 0, 4, m(f64, 2), m(f64, 2), m(f64, 2))
		}, []tensor{ts(f64, []int{2}, 1, 2), ts(f64, []int{2}, 3, 4), ts(f64, []int{2}, 5, 6)},
			[][]float64{{3, 4}, {5, 6}, {1, 2}, {3, 4, 5, 6, 1, 2, 3, 4}}},
		{"delay line: the old carry lives on while the new one is made", func() *graph {
			b := newGraph("body")
			c, d, e, x := b.input(f64, 2), b.input(f64, 2), b.input(f64, 2), b.input(f64, 2)
			b.Outputs = []*tracer.Node{b.same("add", c, x), c, d, e}
			return scanOf(b, 3, 1, 5, m(f64, 2), m(f64, 2), m(f64, 2), m(f64, 5, 2))
		}, []tensor{ts(f64, []int{2}, 0, 0), ts(f64, []int{2}, -1, -2), ts(f64, []int{2}, -3, -4), ts(f64, []int{5, 2}, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2)},
			[][]float64{{5, 10}, {4, 8}, {3, 6}, {-3, -4, -1, -2, 0, 0, 1, 2, 2, 4}}},
		{"one node is two carries and two ys", func() *graph {
			b := newGraph("body")
			c, d, x := b.input(f64, 2), b.input(f64, 2), b.input(f64, 2)
			s := b.same("add", b.same("add", c, d), x)
			b.Outputs = []*tracer.Node{s, s, s, s}
			return scanOf(b, 2, 1, 2, m(f64, 2), m(f64, 2), m(f64, 2, 2))
		}, []tensor{ts(f64, []int{2}, 0, 0), ts(f64, []int{2}, 1, 1), ts(f64, []int{2, 2}, 1, 2, 3, 4)},
			[][]float64{{7, 10}, {7, 10}, {2, 3, 7, 10}, {2, 3, 7, 10}}},
		{"next carry is an x slice, y the carry before it", func() *graph {
			b := newGraph("body")
			c, x := b.input(f64, 2), b.input(f64, 2)
			b.Outputs = []*tracer.Node{x, c}
			return scanOf(b, 1, 1, 3, m(f64, 2), m(f64, 3, 2))
		}, []tensor{ts(f64, []int{2}, 9, 9), ts(f64, []int{3, 2}, 1, 2, 3, 4, 5, 6)}, [][]float64{{5, 6}, {9, 9, 1, 2, 3, 4}}},
		{"next carry is a transposed carry", func() *graph {
			b := newGraph("body")
			c := b.input(f64, 2, 2)
			tr := b.node("transpose", c.Meta, tracer.Attrs{{Key: "a", Value: 0}, {Key: "b", Value: 1}}, c)
			b.Outputs = []*tracer.Node{tr, tr}
			return scanOf(b, 1, 0, 3, m(f64, 2, 2))
		}, []tensor{ts(f64, []int{2, 2}, 1, 2, 3, 4)}, [][]float64{{1, 3, 2, 4}, {1, 3, 2, 4, 1, 2, 3, 4, 1, 3, 2, 4}}},
		{"next carry is lifted, y is invariant", func() *graph {
			b := newGraph("body")
			c, w := b.input(f64, 2), b.input(f64, 2)
			v := b.with("mul_scalar", 2, w)
			b.Outputs = []*tracer.Node{w, v, c}
			return scanOf(b, 1, 0, 2, m(f64, 2), m(f64, 2))
		}, []tensor{ts(f64, []int{2}, 9, 9), ts(f64, []int{2}, 1, 2)}, [][]float64{{1, 2}, {2, 4, 2, 4}, {9, 9, 1, 2}}},
		{"T = 0 copies the carry", func() *graph {
			b := newGraph("body")
			c, x := b.input(f64, 2), b.input(f64, 2)
			b.Outputs = []*tracer.Node{b.same("add", c, x), x}
			return scanOf(b, 1, 1, 0, m(f64, 2), m(f64, 0, 2))
		}, []tensor{ts(f64, []int{2}, 9, 8), ts(f64, []int{0, 2})}, [][]float64{{9, 8}, {}}},
		{"M2 scan in scan, y the old carry", func() *graph {
			inner := newGraph("inner")
			ic, ix := inner.input(f64), inner.input(f64)
			inner.Outputs = []*tracer.Node{inner.same("add", ic, ix)}
			b := newGraph("body")
			c, row := b.input(f64), b.input(f64, 2)
			b.Outputs = []*tracer.Node{b.scan(inner, 1, 1, 2, c, row)[0], c}
			return scanOf(b, 1, 1, 3, m(f64), m(f64, 3, 2))
		}, []tensor{ts(f64, nil, 0), ts(f64, []int{3, 2}, 1, 2, 3, 4, 5, 6)}, [][]float64{{21}, {0, 3, 10}}},
		{"elements of size zero", func() *graph {
			b := newGraph("body")
			c, x := b.input(f64, 0), b.input(f64, 0)
			s := b.same("add", c, x)
			b.Outputs = []*tracer.Node{s, s}
			return scanOf(b, 1, 1, 3, m(f64, 0), m(f64, 3, 0))
		}, []tensor{ts(f64, []int{0}), ts(f64, []int{3, 0})}, [][]float64{{}, {}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			g := c.build()
			for i, want := range interpret(g.Graph, c.ins) {
				for k := range want.data {
					if want.data[k] != c.values[i][k] {
						t.Fatalf("the reference itself gives %v for output %d, want %v", want.data, i, c.values[i])
					}
				}
			}
			check(t, g.Graph, c.ins, arraysOf(c.ins))
		})
	}
}

func TestOutputsThatAreInputsOrViewsAreCopied(t *testing.T) {
	g := newGraph("root")
	x := g.input(f64, 2, 2)
	y := g.same("neg", x)
	tr := g.node("transpose", y.Meta, tracer.Attrs{{Key: "a", Value: 0}, {Key: "b", Value: 1}}, y)
	pick := g.node("select", m(f64), tracer.Attrs{{Key: "dim", Value: 0}, {Key: "index", Value: 1}},
		g.node("view", m(f64, 4), nil, y))
	lit := g.literal(f64, 1, 2)
	constant := g.node(tracer.OpConstant, m(f64, 2), nil)
	g.Constants = []*tracer.Node{constant}
	g.Outputs = []*tracer.Node{x, x, y, tr, y, pick, lit, constant}
	ins := []tensor{ts(f64, []int{2, 2}, 1, 2, 3, 4), ts(f64, []int{2}, 5, 6)}
	check(t, g.Graph, ins, arraysOf(ins))
}

func TestInputsMayHaveAnyStrides(t *testing.T) {
	b := newGraph("body")
	c, x := b.input(f64, 2), b.input(f64, 2)
	s := b.same("add", c, x)
	b.Outputs = []*tracer.Node{s, b.same("mul", s, x), x}
	g := scanOf(b, 1, 1, 3, m(f64, 2), m(f64, 3, 2))
	p, err := Compile(g.Graph, library{})
	if err != nil {
		t.Fatal(err)
	}
	ins := []tensor{ts(f64, []int{2}, 1, 2), ts(f64, []int{3, 2}, 1, 2, 3, 4, 5, 6)}
	want := interpret(g.Graph, ins)
	layouts := map[string][]kernels.Array{
		"contiguous": arraysOf(ins),
		"transposed": {ins[0].array(), strided([]float64{1, 3, 5, 2, 4, 6}, 0, []int{3, 2}, []int{1, 3})},
		"reversed":   {strided([]float64{2, 1}, 1, []int{2}, []int{-1}), strided([]float64{6, 5, 4, 3, 2, 1}, 5, []int{3, 2}, []int{-2, -1})},
		"with gaps":  {strided([]float64{0, 1, 0, 2}, 1, []int{2}, []int{2}), strided([]float64{1, 2, 0, 3, 4, 0, 5, 6}, 0, []int{3, 2}, []int{3, 1})},
	}
	for _, name := range []string{"contiguous", "transposed", "reversed", "with gaps", "contiguous"} {
		outs := outputsFor(g.Graph)
		if err := p.Run(layouts[name], outs); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i := range outs {
			for k, got := range valuesOf(outs[i]) {
				if got != want[i].data[k] {
					t.Errorf("%s: output %d element %d: got %v, want %v", name, i, k, got, want[i].data[k])
				}
			}
		}
	}
}

func strided(data []float64, offset int, shape, strides []int) kernels.Array {
	a := kernels.Of(data, len(data))
	return kernels.Array{Ptr: ptrAdd(a, offset*a.DType.Size()), DType: a.DType, Shape: shape, Strides: strides}
}

func TestRuntimeErrorsNameNodeAndStep(t *testing.T) {
	inner := newGraph("inner")
	c, x := inner.input(i64), inner.input(i64)
	q := inner.same("div", c, x)
	inner.Outputs = []*tracer.Node{q}
	body := newGraph("outer")
	oc, row := body.input(i64), body.input(i64, 2)
	body.Outputs = []*tracer.Node{body.scan(inner, 1, 1, 2, oc, row)[0]}
	g := scanOf(body, 1, 1, 3, m(i64), m(i64, 3, 2))
	p, err := Compile(g.Graph, library{})
	if err != nil {
		t.Fatal(err)
	}
	ins := []tensor{ts(i64, nil, 100), ts(i64, []int{3, 2}, 1, 2, 3, 0, 5, 6)}
	err = p.Run(arraysOf(ins), outputsFor(g.Graph))
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want an *Error", err)
	}
	if e.Op != "div" || e.Node != q.Name || e.Pos != q.Pos || e.Step != 1 || len(e.Path) != 2 || e.Path[0].Step != 1 || e.Path[1].Step != 1 {
		t.Errorf("got %+v, want div %s at %v in step 1 of step 1", e, q.Name, q.Pos)
	}
	want := "inner.go:3:2: scan[1]/scan[1]: div (n3): integer division by zero; guard the divisor, e.g. with Where or MaximumScalar"
	if got := e.Error(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestInvariantErrorIsRaisedOnlyWithASteps(t *testing.T) {
	for _, length := range []int{0, 2} {
		b := newGraph("body")
		c, v, w := b.input(i64), b.input(i64), b.input(i64)
		b.Outputs = []*tracer.Node{b.same("add", c, b.same("div", v, w))}
		g := scanOf(b, 1, 0, length, m(i64), m(i64), m(i64))
		p, err := Compile(g.Graph, library{})
		if err != nil {
			t.Fatal(err)
		}
		ins := []tensor{ts(i64, nil, 1), ts(i64, nil, 1), ts(i64, nil, 0)}
		err = p.Run(arraysOf(ins), outputsFor(g.Graph))
		if (err != nil) != (length > 0) {
			t.Errorf("length %d: got error %v", length, err)
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	unknown := newGraph("root")
	unknown.Outputs = []*tracer.Node{unknown.same("frobnicate", unknown.input(f64))}
	noBody := newGraph("root")
	b := newGraph("body")
	b.Outputs = []*tracer.Node{b.input(f64)}
	noBody.Outputs = noBody.scan(b, 1, 0, 1, noBody.input(f64))
	noBody.Nodes[0].Op = "teleport"
	mismatch := newGraph("root")
	b2 := newGraph("body")
	b2.Outputs = []*tracer.Node{b2.node("cast", m(f32), nil, b2.input(f64))}
	mismatch.Outputs = mismatch.scan(b2, 1, 0, 1, mismatch.input(f64))
	for want, g := range map[string]*graph{
		"root.go:2:2: frobnicate (n2): the op has no kernel":                   unknown,
		"root.go:2:2: teleport (n2): the executor does not know this operator": noBody,
		"root.go:2:2: scan (n2): next carry 0 is f32[], carry is f64[]":        mismatch,
	} {
		if _, err := Compile(g.Graph, library{}); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// TestScansByRows: bodies of elementwise ops alone, which run as loops over rows, at every length and from windows that
// lie backwards, twice with one instance.
func TestScansByRows(t *testing.T) {
	v, p := m(f64, 11), m(f64)
	r := generator{Rand: rand.New(rand.NewPCG(8, 9))}
	for name, body := range map[string]*graph{
		"one op": bodyOf("b", []tracer.Meta{v, v}, func(b *graph, in []*tracer.Node) []*tracer.Node {
			c := b.same("add", b.with("mul_scalar", 0.5, in[0]), b.with("mul_scalar", 0.25, in[1]))
			return []*tracer.Node{c, c}
		}),
		"ops between": bodyOf("b", []tracer.Meta{v, v}, func(b *graph, in []*tracer.Node) []*tracer.Node {
			d := b.same("maximum", in[0], in[1])
			c := b.same("mul", b.with("add_scalar", 1, d), b.with("mul_scalar", 0.25, in[1]))
			return []*tracer.Node{c, c, d, b.same("neg", d)}
		}),
		"the row is the carry": bodyOf("b", []tracer.Meta{v, v}, func(b *graph, in []*tracer.Node) []*tracer.Node {
			return []*tracer.Node{in[1], b.same("sub", in[0], in[1])}
		}),
		"the carry stays": bodyOf("b", []tracer.Meta{v, v}, func(b *graph, in []*tracer.Node) []*tracer.Node {
			return []*tracer.Node{in[0], b.same("sub", in[0], in[1])}
		}),
		"one buffer is not enough": bodyOf("b", []tracer.Meta{v, v}, func(b *graph, in []*tracer.Node) []*tracer.Node {
			return []*tracer.Node{b.same("sub", in[0], in[1])}
		}),
		"a number in a slot": bodyOf("b", []tracer.Meta{p, v}, func(b *graph, in []*tracer.Node) []*tracer.Node {
			y := b.node("add", v, nil, in[1], in[0])
			return []*tracer.Node{b.with("add_scalar", 1, in[0]), y}
		}),
	} {
		t.Run(name, func(t *testing.T) {
			for length := range 8 {
				init := body.Inputs[0].Meta
				root := scanOf(body, 1, 1, length, init, m(f64, length, 11))
				ins := []tensor{r.values(init), r.values(m(f64, length, 11))}
				check(t, root.Graph, ins, arraysOf(ins))
				if length == 0 {
					continue
				}
				backwards, arrays := slices.Clone(ins[1].data), arraysOf(ins)
				slices.Reverse(backwards)
				arrays[1] = strided(backwards, len(backwards)-1, []int{length, 11}, []int{-11, -1})
				check(t, root.Graph, ins, arrays)
				if plan, err := compiled(t, root).Plan(); err != nil || strings.Contains(plan, "by rows") == (name == "one buffer is not enough") {
					t.Errorf("length %d (%v): the plan is\n%s", length, err, plan)
				}
			}
		})
	}
}
