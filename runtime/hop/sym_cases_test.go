package hop_test

import (
	"math"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/runtime/hop"
	"github.com/hoplint/hoplint/tracer"
)

// dynamic traces f and fails the test when that fails.
func dynamic[X, Y any](t *testing.T, f func(X) Y, x X, opts ...hop.TraceOption) *hop.Program[X, Y] {
	t.Helper()
	p, err := hop.Trace(f, x, opts...)
	if err != nil {
		t.Fatal(err)
	}
	text := p.Graph().String()
	if err := p.Graph().Verify(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	back, err := tracer.Parse(text) // K23
	if err != nil || back.String() != text {
		t.Fatalf("%v: got\n%s\nwant\n%s", err, back, text)
	}
	return p
}

func call[X, Y any](t *testing.T, p *hop.Program[X, Y], x X) Y {
	t.Helper()
	y, err := p.Call(x)
	if err != nil {
		t.Fatalf("%v\n%s", err, p.Graph())
	}
	return y
}

// inputs are the names of the inputs of a graph, operands those of the arguments of a node.
func inputs(g *tracer.Graph) string    { return namesOf(g.Inputs) }
func operandsOf(n *tracer.Node) string { return namesOf(n.Args) }
func namesOf(nodes []*tracer.Node) (s string) { // in order
	for i, n := range nodes {
		if i > 0 {
			s += ", "
		}
		s += n.Name
	}
	return s
}

// nodeOf returns the first node of an op.
func nodeOf(t *testing.T, g *tracer.Graph, op string) *tracer.Node {
	t.Helper()
	for _, n := range g.Nodes {
		if n.Op == op {
			return n
		}
	}
	t.Fatalf("no %s in\n%s", op, g)
	return nil
}

func sameText(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %s, want %s", what, got, want)
	}
}

// says checks that an error names all parts.
func says(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("got no error, want one with %q", parts)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("got %q, want a part %q", err, part)
		}
	}
}

// ones is a tensor of ones.
func ones(dims ...int) T { return hop.Ones(hop.Float64, dims...) }

// The cases of lifting, from user code.
func TestSymbolsAreLifted(t *testing.T) {
	none := hop.None{}
	// body runs f in a branch of a cond: the operands of its node are the predicate and what f captures.
	body := func(p T, f func(hop.None) T) T { return hop.Cond(p, f, f, none) }
	keep := func(x T) func(hop.None) T { return func(hop.None) T { return x.Cos() } }
	t.Run("K0", func(t *testing.T) {
		p := dynamic(t, func(x T) T {
			return hop.Cond(x.Sum().GtScalar(0), func(hop.None) T {
				return hop.Cond(x.Mean().GtScalar(0), func(hop.None) T { return x.Sin() }, keep(x), none)
			}, keep(x), none)
		}, ones(3, 4), hop.WithDims("x", "s0", "s1"))
		outer := nodeOf(t, p.Graph(), "cond")
		inner := nodeOf(t, outer.Graphs[0], "cond")
		sameText(t, "f", inputs(p.Graph()), "s0, s1, x")
		sameText(t, "outer branch", inputs(outer.Graphs[0]), "s0, s1, x")
		sameText(t, "inner branch", inputs(inner.Graphs[0]), "s0, s1, x")
		sameText(t, "outer call", operandsOf(outer), "gt_scalar, s0, s1, x")
		sameText(t, "inner call", operandsOf(inner), "gt_scalar, s0, s1, x")
		check(t, "y", call(t, p, ones(1, 2)), []int{1, 2}, math.Sin(1), math.Sin(1))
		check(t, "y", call(t, p, ones(2, 1).Neg()), []int{2, 1}, math.Cos(1), math.Cos(1))
	})
	t.Run("K1", func(t *testing.T) {
		p := dynamic(t, func(o []T) T {
			x, y := o[0], o[1]
			p := x.Sum().GtScalar(0)
			return body(p, func(hop.None) T { return body(p, func(hop.None) T { return x.MatMul(y) }) })
		}, []T{ones(2, 3), ones(3, 4)}, hop.Names("x", "y"), hop.WithDims("x", "a", "b"), hop.WithDims("y", "b", "c"))
		outer := nodeOf(t, p.Graph(), "cond")
		sameText(t, "f", inputs(p.Graph()), "a, b, x, c, y")
		sameText(t, "outer", inputs(outer.Graphs[0]), "a, b, x, c, y, gt_scalar")
		sameText(t, "inner", inputs(nodeOf(t, outer.Graphs[0], "cond").Graphs[0]), "a, b, x, c, y")
		check(t, "product", call(t, p, []T{ones(1, 5), ones(5, 2)}), []int{1, 2}, 5, 5)
		_, err := p.Call([]T{ones(1, 5), ones(4, 2)})
		says(t, err, "argument[1] is float64[4 2]", "example[1] is float64[b c], here float64[5 2]")
	})
	t.Run("K3", func(t *testing.T) {
		f := func(x T) T {
			c := x.Sum().SymItem()
			return hop.Checkpoint(func(x T) T {
				return hop.Checkpoint(func(x T) T { return x.AddSym(c) })(x)
			})(x)
		}
		for _, tc := range []struct {
			name        string
			opts        []hop.TraceOption
			root, inner string
		}{{"static", nil, "x", "operand, item"}, {"dynamic", []hop.TraceOption{hop.DynamicDims()}, "s0, x", "s0, operand, item"}} {
			t.Run(tc.name, func(t *testing.T) {
				p := dynamic(t, f, f64(1, 2, 3), append(tc.opts, hop.Names("x"))...)
				outer := nodeOf(t, p.Graph(), "checkpoint")
				sameText(t, "root", inputs(p.Graph()), tc.root)
				sameText(t, "root's nodes", namesOf(p.Graph().Nodes), "sum, item, checkpoint, get")
				sameText(t, "call", operandsOf(outer), strings.Replace(tc.inner, "operand", "x", 1))
				sameText(t, "outer", inputs(outer.Graphs[0]), tc.inner)
				sameText(t, "inner", inputs(nodeOf(t, outer.Graphs[0], "checkpoint").Graphs[0]), tc.inner)
				check(t, "k", call(t, p, f64(4, 5, 6)), []int{3}, 19, 20, 21)
				_, err := p.Call(f64(4, 5, 0.5))
				says(t, err, "SymItem", "9.5", "sym_cases_test.go")
			})
		}
	})
	t.Run("K5", func(t *testing.T) {
		type out struct{ K, C T }
		p := dynamic(t, func(x T) out {
			c := x.Nonzero()
			size := c.SymDim(0)
			f := func(hop.None) out { return out{x.Sin().AddSym(size), c.Sum(0)} }
			return hop.Cond(x.Sum().GtScalar(0), f, f, none)
		}, f64(1, 0, 3), hop.Names("x"))
		sameText(t, "call", operandsOf(nodeOf(t, p.Graph(), "cond")), "gt_scalar, x, u0, nonzero")
		r := call(t, p, f64(0, 2, 3))
		check(t, "k", r.K, []int{3}, 2, math.Sin(2)+2, math.Sin(3)+2)
		check(t, "c", r.C, []int{1}, 3)
	})
	t.Run("K6a", func(t *testing.T) {
		p := dynamic(t, func(x T) T {
			cat := hop.Concat(0, x.Nonzero(), x.GtScalar(1).Nonzero())
			return body(x.Sum().GtScalar(0), func(hop.None) T { return cat.Sum().To(hop.Float64).Add(x) })
		}, f64(1, 0, 3), hop.Names("x"))
		sameText(t, "call", operandsOf(nodeOf(t, p.Graph(), "cond")), "gt_scalar_1, u0, u1, concat, x")
		check(t, "k", call(t, p, f64(2, 1, 0)), []int{3}, 3, 2, 1)
	})
	t.Run("K6b", func(t *testing.T) {
		p := dynamic(t, func(x T) T {
			i, j := x.SymDim(0).SubScalar(2), x.SymDim(1).SubScalar(3)
			w := hop.Arange(hop.Float64, 9).Mul(x.Sum())
			return body(x.Sum().GtScalar(0), func(hop.None) T {
				return hop.Concat(0, w.NarrowSym(0, hop.IntOf(0), i), w.SliceSym(0, hop.IntOf(1), j, 1))
			})
		}, ones(4, 7), hop.Names("x"), hop.WithDims("x", "s0", "s1"))
		call1 := nodeOf(t, p.Graph(), "cond")
		sameText(t, "call", operandsOf(call1), "gt_scalar, int, mul, int_1")
		sameText(t, "first", call1.Graphs[0].Inputs[0].Meta.String(), "<s0 - 2>")
		sameText(t, "second", call1.Graphs[0].Inputs[2].Meta.String(), "<s1 - 3>")
		check(t, "parts", call(t, p, ones(5, 6)), []int{5}, 0, 30, 60, 30, 60)
	})
	t.Run("K7", func(t *testing.T) {
		type out struct {
			X T
			N hop.Int
		}
		p := dynamic(t, func(x T) out {
			return hop.Cond(x.Sum().GtScalar(0), func(hop.None) out {
				y := x.Sin()
				return out{y, hop.Cond(y.Sum().GtScalar(0), func(hop.None) hop.Int { return x.SymDim(0) }, func(hop.None) hop.Int { return x.SymDim(0) }, none)}
			}, func(hop.None) out { return out{x.Cos(), x.SymDim(0)} }, none)
		}, ones(3, 4), hop.Names("x"), hop.WithDims("x", "s0", "s1"))
		outer := nodeOf(t, p.Graph(), "cond")
		inner := nodeOf(t, outer.Graphs[0], "cond")
		sameText(t, "outer", inputs(outer.Graphs[0]), "s0, s1, x")
		sameText(t, "inner", inputs(inner.Graphs[0]), "s0")
		sameText(t, "inner's outputs", namesOf(inner.Graphs[0].Outputs), "s0")
		if r := call(t, p, ones(7, 2)); r.N.Value() != 7 {
			t.Errorf("got %v, want 7", r.N)
		}
	})
	t.Run("a tensor made from a data-dependent size", func(t *testing.T) {
		p := dynamic(t, func(x T) T {
			c := x.Sum().SymItem()
			r := hop.NormalSym(hop.NewKey(1), hop.Float64, c)
			return body(x.Sum().GtScalar(0), func(hop.None) T { return r.Sin().Sum() })
		}, f64(1, 2), hop.Names("x"))
		sameText(t, "call", operandsOf(nodeOf(t, p.Graph(), "cond")), "gt_scalar, item, normal")
		check(t, "sum", call(t, p, f64(1, 3)), []int{}, numbers(hop.Normal(hop.NewKey(1), hop.Float64, 4).Sin().Sum())...)
	})
}
