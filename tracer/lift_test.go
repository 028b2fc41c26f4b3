package tracer

import (
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
)

// The cases of lifting: inputs of each graph and arguments of each call, in order.
func TestLifting(t *testing.T) {
	t.Run("K0", func(t *testing.T) {
		f := newTrace(t, "f")
		x := f.operand("x", f.dims(hints, "s0", "s1"))
		out := f.cond(f.op("gt0", f.op("sum", x)), func(b *tr) []*Value {
			return b.cond(b.op("gt0", b.op("sum", x)), func(c *tr) []*Value { return []*Value{c.op("sin", x)} }, nil)
		}, func(b *tr) []*Value { return []*Value{b.op("cos", x)} })
		g := f.close(hopcheck.Output, out...).Graph
		checked(t, g)
		outer := find(t, g, "cond")
		inner := find(t, outer.Graphs[0], "cond")
		wantNames(t, "f", g.Inputs, "s0, s1, x")
		wantNames(t, "outer branch", outer.Graphs[0].Inputs, "s0, s1, x")
		wantNames(t, "inner branch", inner.Graphs[0].Inputs, "s0, s1, x")
		wantNames(t, "outer call", outer.Args, "gt0, s0, s1, x")
		wantNames(t, "inner call", inner.Args, "gt0, s0, s1, x")
	})
	t.Run("K1", func(t *testing.T) {
		f := newTrace(t, "f")
		x := f.operand("x", f.dims(hints, "a", "b"))
		y := f.operand("y", f.dims(hints, "b", "c"))
		b := f.child("checkpoint", "f", "outer")
		c := b.child("checkpoint", "f", "inner")
		out := b.call("checkpoint", nil, c.close(hopcheck.Output, c.op("matmul", x, y)))
		g := f.close(hopcheck.Output, f.call("checkpoint", nil, b.close(hopcheck.Output, out...))...).Graph
		checked(t, g)
		outer := find(t, g, "checkpoint")
		inner := find(t, outer.Graphs[0], "checkpoint")
		for what, nodes := range map[string][]*Node{"f": g.Inputs, "outer": outer.Graphs[0].Inputs, "inner": inner.Graphs[0].Inputs, "call": outer.Args, "inner call": inner.Args} {
			wantNames(t, what, nodes, "a, b, x, c, y")
		}
	})
	t.Run("K3", func(t *testing.T) {
		for _, tc := range []struct {
			name            string
			dims            []any
			root, call, in2 string
		}{{"static", []any{3}, "x", "x, item", "x, item"}, {"dynamic", []any{"s0"}, "s0, x", "s0, x, item", "s0, x, item"}} {
			t.Run(tc.name, func(t *testing.T) {
				f := newTrace(t, "f")
				x := f.operand("x", f.dims(hints, tc.dims...))
				item := f.item(f.op("sum", x))
				b := f.child("checkpoint", "f", "outer")
				c := b.child("checkpoint", "f", "inner")
				out := b.call("checkpoint", nil, c.close(hopcheck.Output, c.op("add", x, item)))
				g := f.close(hopcheck.Output, f.call("checkpoint", nil, b.close(hopcheck.Output, out...))...).Graph
				checked(t, g)
				call := find(t, g, "checkpoint")
				wantNames(t, "root", g.Inputs, tc.root)
				wantNames(t, "root's nodes", g.Nodes, "sum, item, checkpoint, get")
				wantNames(t, "call", call.Args, tc.call)
				wantNames(t, "outer", call.Graphs[0].Inputs, tc.in2)
				wantNames(t, "inner", find(t, call.Graphs[0], "checkpoint").Graphs[0].Inputs, tc.in2)
			})
		}
	})
	t.Run("K5", func(t *testing.T) {
		f := newTrace(t, "f")
		x := f.operand("x", TensorMeta(Float32, 3))
		c := f.nonzero(x)
		size := f.sizeOf(c)
		b := f.child("checkpoint", "f", "body")
		k1 := b.op("add", b.op("sin", x), size)
		g := f.finish(b, k1, b.op("cos", c))
		call := find(t, g, "checkpoint")
		wantNames(t, "call", call.Args, "x, u0, nonzero")
		wantNames(t, "root's nodes", g.Nodes, "nonzero, u0, checkpoint, get, get_1")
	})
	t.Run("K5 the size comes with the tensor", func(t *testing.T) {
		f := newTrace(t, "f")
		c := f.nonzero(f.operand("x", TensorMeta(Float32, 3)))
		b := f.child("checkpoint", "f", "body")
		g := f.finish(b, b.op("add", b.op("cos", c), f.sizeOf(c)))
		wantNames(t, "call", find(t, g, "checkpoint").Args, "u0, nonzero")
	})
	t.Run("K6a", func(t *testing.T) {
		f := newTrace(t, "f")
		x := f.operand("x", TensorMeta(Float32, 3))
		cat := f.op("cat", f.nonzero(x), f.nonzero(f.op("sin", x)))
		b := f.child("checkpoint", "f", "body")
		g := f.finish(b, b.op("add", b.op("sum", cat), x))
		wantNames(t, "call", find(t, g, "checkpoint").Args, "u0, u1, cat, x")
		wantNames(t, "root's nodes", g.Nodes, "nonzero, u0, sin, nonzero_1, u1, cat, checkpoint, get")
	})
	t.Run("K6b", func(t *testing.T) {
		f := newTrace(t, "f")
		x := f.operand("x", f.dims(hints, "s0", "s1"))
		i := f.integer(x.Meta().Shape[0].Sub(Const(2)))
		j := f.integer(x.Meta().Shape[1].Sub(Const(3)))
		w := f.op("clone", f.operand("w", TensorMeta(Float32, 9)))
		b := f.child("checkpoint", "f", "body")
		var parts []*Value
		for _, v := range []*Value{i, j} {
			_, err := b.Use(v)
			b.must(err)
			parts = append(parts, b.op("clone", b.view("slice", w, Attrs{{"dim", 0}, {"length", *v.Meta().Int}})))
		}
		g := f.finish(b, parts...)
		call := find(t, g, "checkpoint")
		wantNames(t, "call", call.Args, "int, clone, int_1") // in order of first use
		if got, want := call.Graphs[0].Inputs[0].Meta.String(), "<s0 - 2>"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
	t.Run("K7", func(t *testing.T) {
		f := newTrace(t, "f")
		x := f.operand("x", f.dims(hints, "s0", "s1"))
		b := f.child("checkpoint", "f", "outer")
		sin := b.op("sin", x)
		c := b.child("checkpoint", "f", "inner")
		n, err := c.Int(x.Meta().Shape[0])
		c.must(err)
		out := b.call("checkpoint", nil, c.close(hopcheck.Output, n))
		g := f.finish(b, sin, out[0])
		call := find(t, g, "checkpoint")
		inner := find(t, call.Graphs[0], "checkpoint")
		wantNames(t, "outer", call.Graphs[0].Inputs, "s0, s1, x")
		wantNames(t, "inner", inner.Graphs[0].Inputs, "s0")
		wantNames(t, "inner's outputs", inner.Graphs[0].Outputs, "s0")
	})
	t.Run("a tensor made from a data-dependent size", func(t *testing.T) {
		f := newTrace(t, "f")
		item := f.item(f.op("sum", f.operand("x", TensorMeta(Float32, 3))))
		r := f.opAt("randn", Attrs{{"dims", []Int{*item.Meta().Int}}})
		b := f.child("checkpoint", "f", "body")
		g := f.finish(b, b.op("sin", r))
		wantNames(t, "call", find(t, g, "checkpoint").Args, "item, randn")
	})
	t.Run("K8", func(t *testing.T) {
		f := newTrace(t, "f")
		w := Capture{Key: "w", Name: "w", Meta: TensorMeta(Float32, 3)}
		b := f.child("checkpoint", "f", "body")
		v1, v2 := b.Constant(w), b.Constant(w)
		g := f.finish(b, b.op("add", v1, v2))
		wantNames(t, "constants", g.Constants, "w")
		wantNames(t, "call", find(t, g, "checkpoint").Args, "w")
		wantNames(t, "body", find(t, g, "checkpoint").Graphs[0].Inputs, "w")

		f = newTrace(t, "f")
		x := f.operand("x", TensorMeta(Float32, 3))
		y := f.op("sin", x)
		b = f.child("checkpoint", "f", "body")
		g = f.finish(b, b.op("cos", x))
		wantNames(t, "an unused capture is no input", find(t, g, "checkpoint").Args, "x")
		_ = y
	})
	t.Run("K9", func(t *testing.T) {
		f := newTrace(t, "f")
		x := f.operand("x", TensorMeta(Float32, 3))
		a := f.child("checkpoint", "f", "outer")
		mid := a.op("sin", x)
		b := a.child("checkpoint", "f", "middle")
		c := b.child("checkpoint", "f", "inner")
		out := b.call("checkpoint", nil, c.close(hopcheck.Output, c.op("cos", mid)))
		out = a.call("checkpoint", nil, b.close(hopcheck.Output, out...))
		g := f.finish(a, out...)
		call := find(t, g, "checkpoint")
		wantNames(t, "root's call", call.Args, "x")
		wantNames(t, "middle's call", find(t, call.Graphs[0], "checkpoint").Args, "sin")
	})
	t.Run("K10", func(t *testing.T) {
		f := newTrace(t, "f")
		m := TensorMeta(Float32, 3)
		o1, o2, o3 := f.operand("o1", m), f.operand("o2", m), f.operand("o3", m)
		v1, v2 := f.operand("v1", m), f.operand("v2", m)
		b := f.child("checkpoint", "f", "body")
		i1, i2, i3 := b.operand("o1", m), b.operand("o2", m), b.operand("o3", m)
		sum := b.op("add", b.op("add", i1, v1), b.op("add", b.op("add", i2, v2), i3))
		out := f.call("checkpoint", []*Value{o1, o2, o3}, b.close(hopcheck.Output, sum))
		g := f.close(hopcheck.Output, out...).Graph
		checked(t, g)
		wantNames(t, "call", find(t, g, "checkpoint").Args, "o1, o2, o3, v1, v2")
		wantNames(t, "body", find(t, g, "checkpoint").Graphs[0].Inputs, "o1, o2, o3, v1, v2")
	})
	t.Run("K11", func(t *testing.T) {
		f := newTrace(t, "f")
		p := f.op("gt0", f.operand("p", TensorMeta(Float32)))
		m := f.dims(hints, "s0")
		x, y, z, w := f.operand("x", m), f.operand("y", f.dims(hints, "s1")), f.operand("z", f.dims(hints, "s1")), f.operand("w", f.dims(hints, "s2"))
		bodies := make([]*Body, 2)
		for i, used := range [][]*Value{{y, z, x}, {w, z}} { // z is shared, y and x are the first one's, w the second one's
			b := f.child("cond", []string{"onTrue", "onFalse"}[i], []string{"onTrue", "onFalse"}[i])
			o := b.operand("o", m)
			for _, v := range used {
				b.op("sin", v)
			}
			bodies[i] = b.close(hopcheck.Output, b.op("clone", o))
		}
		out := f.call("cond", []*Value{p, x}, bodies...)
		g := f.close(hopcheck.Output, out...).Graph
		checked(t, g)
		call := find(t, g, "cond")
		wantNames(t, "call", call.Args, "gt0, s0, x, s1, z, y, x, s2, w")
		wantNames(t, "first", call.Graphs[0].Inputs, "s0, o, s1, z, y, x, s2, w")
		wantNames(t, "second", call.Graphs[1].Inputs, "s0, o, s1, z, y, x, s2, w")
	})
	t.Run("K11 a symbol stands before the first tensor that needs it", func(t *testing.T) {
		f := newTrace(t, "f")
		p := f.op("gt0", f.operand("p", TensorMeta(Float32)))
		w, y, z := f.operand("w", TensorMeta(Float32, 2)), f.operand("y", f.dims(hints, "s0")), f.operand("z", f.dims(hints, "s0"))
		var bodies []*Body
		for i, used := range [][]*Value{{y, w}, {z, w}} {
			b := f.child("cond", []string{"onTrue", "onFalse"}[i], "branch")
			for _, v := range used {
				b.op("sin", v)
			}
			bodies = append(bodies, b.close(hopcheck.Output))
		}
		f.call("cond", []*Value{p}, bodies...)
		g := f.close(hopcheck.Output).Graph
		checked(t, g)
		wantNames(t, "call", find(t, g, "cond").Args, "gt0, w, s0, y, z")
	})
	t.Run("K13", func(t *testing.T) {
		f := newTrace(t, "f")
		m := TensorMeta(Float32, 3)
		for _, name := range []string{"x", "x_1", "x", "x", "carry.H[2]", "1st", ""} {
			f.operand(name, m)
		}
		g := f.close(hopcheck.Output).Graph
		checked(t, g)
		wantNames(t, "inputs", g.Inputs, "x, x_1, x_2, x_3, carry.H_2, _1st, x_4")
	})
}

func (r *tr) item(v *Value) *Value {
	r.t.Helper()
	u := r.NewUnbacked(0, 1<<40)
	out, err := r.Emit1("item", []*Value{v}, nil, Meta{Int: &u}, line(12))
	r.must(err)
	return out
}

func (r *tr) nonzero(v *Value) *Value {
	r.t.Helper()
	u := r.NewUnbacked(0, 1<<40)
	out, err := r.Emit1("nonzero", []*Value{v}, nil, Meta{DType: Int64, Shape: []Int{u, Const(1)}}, line(13))
	r.must(err)
	return out
}

func (r *tr) sizeOf(v *Value) *Value { r.t.Helper(); return r.integer(v.Meta().Shape[0]) }

func (r *tr) integer(i Int) *Value {
	r.t.Helper()
	v, err := r.Int(i)
	r.must(err)
	return v
}

// finish closes body b, calls it as a checkpoint in r and closes r.
func (r *tr) finish(b *tr, outputs ...*Value) *Graph {
	r.t.Helper()
	out := r.call("checkpoint", nil, b.close(hopcheck.Output, outputs...))
	g := r.close(hopcheck.Output, out...).Graph
	checked(r.t, g)
	return g
}
