package tracer

import (
	"fmt"
	"go/token"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
)

// fakeOps are shape rules of a few ops, enough to write the cases.
type fakeOps struct{}

func (fakeOps) Infer(op string, args []Meta, attrs Attrs) (Meta, error) {
	want := map[string]int{"sin": 1, "cos": 1, "clone": 1, "sum": 1, "item": 1, "nonzero": 1, "narrow": 1, "transpose": 1, "slice": 1,
		"select": 1, "gt0": 1, "add": 2, "mul": 2, "matmul": 2, "cat": 2, "randn": 0, "pair": 1, "zeros": 0}
	if k, ok := want[op]; !ok || k != len(args) {
		return Meta{}, fmt.Errorf("no op %s of %d arguments", op, len(args))
	}
	switch op {
	case "sum":
		return Meta{DType: args[0].DType}, nil
	case "gt0":
		return Meta{DType: Bool}, nil
	case "item":
		i := AnyInt()
		return Meta{Int: &i}, nil
	case "pair":
		return Meta{Elems: []Meta{args[0], args[0]}}, nil
	case "add", "mul":
		if args[1].Int != nil || len(args[1].Shape) == 0 {
			return args[0], nil
		}
		if len(args[0].Shape) == 0 {
			return args[1], nil
		}
		if !args[0].Equal(args[1]) {
			return Meta{}, fmt.Errorf("%s of %s and %s", op, args[0], args[1])
		}
	case "matmul":
		return Meta{DType: args[0].DType, Shape: []Int{args[0].Shape[0], args[1].Shape[1]}}, nil
	case "cat":
		return Meta{DType: args[0].DType, Shape: append([]Int{args[0].Shape[0].Add(args[1].Shape[0])}, args[0].Shape[1:]...)}, nil
	case "narrow", "slice":
		m := Meta{DType: args[0].DType, Shape: append([]Int{}, args[0].Shape...)}
		switch n := attrs.Get("length").(type) {
		case int:
			m.Shape[attrs.Int("dim")] = Const(n)
		case Int:
			m.Shape[attrs.Int("dim")] = n
		}
		return m, nil
	case "select":
		return Meta{DType: args[0].DType, Shape: args[0].Shape[1:]}, nil
	case "transpose":
		return Meta{DType: args[0].DType, Shape: []Int{args[0].Shape[1], args[0].Shape[0]}}, nil
	case "randn", "zeros":
		switch d := attrs.Get("dims").(type) {
		case []Int:
			return Meta{DType: Float32, Shape: d}, nil
		case []int:
			return TensorMeta(Float32, d...), nil
		}
	case "nonzero":
		return Meta{DType: Int64, Shape: []Int{AnyInt(), Const(1)}}, nil
	}
	return args[0], nil
}

// tr is a tracer with short forms that fail the test.
type tr struct {
	*SubgraphTracer
	t     *testing.T
	found []Finding
}

func newTrace(t *testing.T, name string) *tr {
	return &tr{SubgraphTracer: NewTracer(Options{Name: name, Ops: fakeOps{}, Operator: "trace", Born: 1, Pos: line(1)}), t: t}
}

func (r *tr) child(operator, param, name string) *tr {
	return &tr{SubgraphTracer: r.Child(Options{Name: name, Operator: operator, Param: param, Born: 2, Pos: line(2)}), t: r.t}
}

// line is a position in the traced program.
func line(n int) token.Position { return token.Position{Filename: "f.go", Line: n, Column: 3} }

func (r *tr) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *tr) op(name string, args ...*Value) *Value { r.t.Helper(); return r.opAt(name, nil, args...) }

func (r *tr) opAt(name string, attrs Attrs, args ...*Value) *Value {
	r.t.Helper()
	m, err := fakeOps{}.Infer(name, metasOf(args), attrs)
	r.must(err)
	v, err := r.Emit1(name, args, attrs, m, line(10))
	r.must(err)
	return v
}

func metasOf(args []*Value) []Meta {
	list := make([]Meta, len(args))
	for i, a := range args {
		list[i] = a.Meta()
	}
	return list
}

func (r *tr) view(op string, v *Value, attrs Attrs) *Value {
	r.t.Helper()
	m, err := fakeOps{}.Infer(op, []Meta{v.Meta()}, attrs)
	r.must(err)
	w, err := r.View(op, v, attrs, m, line(11))
	r.must(err)
	return w
}

func (r *tr) narrow(v *Value, start, length int) *Value {
	r.t.Helper()
	return r.view("narrow", v, Attrs{{"dim", 0}, {"start", start}, {"length", length}})
}

// addInPlace records dst += src.
func (r *tr) addInPlace(dst, src *Value) {
	r.t.Helper()
	r.must(r.Write(dst, r.op("add", dst, src), "AddInPlace", line(20)))
}

func (r *tr) operand(name string, m Meta) *Value {
	return r.Input(name, m, hopcheck.Place{Role: hopcheck.Operand, Path: "." + name})
}

// dims makes a tensor meta; a string is a symbol.
func (r *tr) dims(hints map[string]int, dims ...any) Meta {
	r.t.Helper()
	m := Meta{DType: Float32, Shape: []Int{}}
	for _, d := range dims {
		switch d := d.(type) {
		case int:
			m.Shape = append(m.Shape, Const(d))
		case string:
			i, err := r.NewSymbol(d, hints[d])
			r.must(err)
			m.Shape = append(m.Shape, i)
		}
	}
	return m
}

var hints = map[string]int{"s0": 3, "s1": 5, "s2": 7, "a": 3, "b": 5, "c": 7}

// close ends the trace with outputs of the given role.
func (r *tr) close(role hopcheck.Role, values ...*Value) *Body {
	r.t.Helper()
	outs := make([]Output, len(values))
	for i, v := range values {
		outs[i] = Output{v, hopcheck.Place{Role: role}}
		if len(values) > 1 {
			outs[i].Place.Path = fmt.Sprintf("[%d]", i)
		}
	}
	body, found := r.Close(outs)
	r.found = found
	return body
}

// call records an operator whose results have the metas of the first body's outputs.
func (r *tr) call(op string, args []*Value, bodies ...*Body) []*Value {
	r.t.Helper()
	vs, err := r.CallHOP(op, bodies, args, nil, Meta{Elems: metas(bodies[0].Graph.Outputs)}, line(30))
	r.must(err)
	return vs
}

// cond records a cond of two bodies without operands; nil for f returns what the first one does.
func (r *tr) cond(pred *Value, onTrue, onFalse func(b *tr) []*Value) []*Value {
	r.t.Helper()
	b := r.child("cond", "onTrue", "onTrue")
	first := b.close(hopcheck.Output, onTrue(b)...)
	if onFalse == nil {
		onFalse = onTrue
	}
	b = r.child("cond", "onFalse", "onFalse")
	return r.call("cond", []*Value{pred}, first, b.close(hopcheck.Output, onFalse(b)...))
}

// messages are the findings as text.
func messages(found []Finding) string {
	lines := make([]string, len(found))
	for i, f := range found {
		lines[i] = f.Message()
	}
	return strings.Join(lines, "\n")
}

// checked verifies the graph, and that its text is read back to the same graph, with and without positions, and so is
// its JSON.
func checked(t *testing.T, g *Graph) string {
	t.Helper()
	if err := g.Verify(); err != nil {
		t.Errorf("%v\n%s", err, g)
	}
	jsonRoundTrip(t, g)
	drawn(t, g)
	for _, text := range []string{g.String(), g.Text()} {
		back, err := Parse(text)
		if err != nil {
			t.Errorf("%v\n%s", err, text)
			continue
		}
		again := back.String()
		if text != g.String() {
			again = back.Text()
		}
		if again != text {
			t.Errorf("print, parse, print differ:\ngot\n%s\nwant\n%s", again, text)
		}
		back.SetOps(fakeOps{})
		if err := back.Verify(); err != nil {
			t.Errorf("parsed: %v\n%s", err, text)
		}
	}
	return g.String()
}

// names of nodes, as the cases list them.
func nodeNames(nodes []*Node) string {
	words := make([]string, len(nodes))
	for i, n := range nodes {
		words[i] = n.Name
	}
	return strings.Join(words, ", ")
}

func wantNames(t *testing.T, what string, nodes []*Node, want string) {
	t.Helper()
	if got := nodeNames(nodes); got != want {
		t.Errorf("%s: got (%s), want (%s)", what, got, want)
	}
}

// find returns the only node of the graph with the op.
func find(t *testing.T, g *Graph, op string) *Node {
	t.Helper()
	var found *Node
	for _, n := range g.Nodes {
		if n.Op == op {
			if found != nil {
				t.Fatalf("two nodes %s in\n%s", op, g)
			}
			found = n
		}
	}
	if found == nil {
		t.Fatalf("no node %s in\n%s", op, g)
	}
	return found
}
