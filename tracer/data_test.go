package tracer

import "testing"

func TestAttrsByKey(t *testing.T) {
	a := Attrs{{"i", 3}, {"l", []int{1, 2}}, {"f", 0.5}, {"b", true}, {"d", Float32}, {"s", "x"}}
	if a.Int("i") != 3 || len(a.Ints("l")) != 2 || a.Float("f") != 0.5 || !a.Bool("b") || a.DType("d") != Float32 || a.Str("s") != "x" {
		t.Errorf("got %v", a)
	}
	if a.Int("f") != 0 || a.Ints("x") != nil || a.Float("i") != 0 || a.Bool("i") || a.DType("i") != 0 || a.Str("i") != "" || a.Get("x") != nil {
		t.Error("a missing key or another type must give the zero value")
	}
}

func TestDTypeNames(t *testing.T) {
	for _, d := range DTypes() {
		for _, name := range []string{d.String(), d.Short()} {
			if got, ok := ParseDType(name); !ok || got != d {
				t.Errorf("%s: got %s", name, got)
			}
		}
		if d.Size() == 0 || d.IsFloat() && d.IsInt() {
			t.Errorf("%s: size %d", d, d.Size())
		}
	}
	if d := DType(9); d.Valid() || d.Size() != 0 || d.String() != "invalid" || d.Short() != "?" {
		t.Errorf("got %s", d)
	}
	if _, ok := ParseDType("float16"); ok {
		t.Error("float16 is no element type")
	}
}

func TestMetaEqual(t *testing.T) {
	s0 := symbol("s0")
	m := Meta{DType: Float32, Shape: []Int{s0, Const(2)}}
	list := []Meta{m, TensorMeta(Float32, 2, 2), TensorMeta(Float64, 2, 2), TensorMeta(Float32, 2), {Int: &s0}, {Elems: []Meta{m}}, {Elems: []Meta{m, m}}, {Elems: []Meta{{Int: &s0}}}}
	for i, a := range list {
		for k, b := range list {
			if got, want := a.Equal(b), i == k; got != want {
				t.Errorf("%s and %s: got %v, want %v", a, b, got, want)
			}
		}
	}
	if shape, ok := TensorMeta(Int32, 3, 4).ConstShape(); !ok || len(shape) != 2 || shape[1] != 4 {
		t.Errorf("got %v, %v", shape, ok)
	}
	if _, ok := m.ConstShape(); ok {
		t.Error("s0 is no constant")
	}
}

func TestEmitWithSeveralResults(t *testing.T) {
	f := newTrace(t, "f")
	x := f.operand("x", TensorMeta(Float32, 3))
	pair := Meta{Elems: []Meta{x.Meta(), x.Meta()}}
	vs, err := f.Emit("pair", []*Value{x}, nil, pair, line(1))
	f.must(err)
	if len(vs) != 2 || vs[0].SharesStore(vs[1]) || vs[0].IsView() || vs[0].Version() != 0 {
		t.Errorf("got %v", vs)
	}
	f.addInPlace(vs[0], x)
	if vs[0].Version() != 1 || vs[1].Version() != 0 {
		t.Errorf("got versions %d and %d, want 1 and 0", vs[0].Version(), vs[1].Version())
	}
	if _, err := f.Emit1("pair", []*Value{x}, nil, pair, line(1)); err == nil {
		t.Error("Emit1 took a tuple")
	}
	if err := f.Write(vs[0], f.op("sum", x), "CopyFrom", line(1)); err == nil {
		t.Error("a scalar was written to a vector")
	}
	g := f.close(0, vs[0], vs[1]).Graph
	checked(t, g)
	wantNames(t, "nodes", g.Nodes, "pair, get, get_1, add, sum")
}
