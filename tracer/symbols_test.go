package tracer

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"pgregory.net/rapid"
)

func TestCanonicalText(t *testing.T) {
	s0, s1, s10 := symbol("s0"), symbol("s1"), symbol("s10")
	n := Const
	for _, tc := range []struct {
		got  Int
		want string
	}{
		{s0.Add(s1).Sub(s0), "s1"},
		{s1.Add(s0), "s0 + s1"},
		{s10.Add(symbol("s2")), "s2 + s10"},
		{s0.Mul(n(2)).Sub(n(1)), "s0*2 - 1"},
		{n(3).Sub(s0), "-s0 + 3"},
		{s0.Sub(n(1)).Mul(s0.Add(n(1))), "s0*s0 - 1"},
		{s0.Mul(n(-3)), "s0*-3"},
		{s0.Mul(n(0)), "0"},
		{s0.Sub(s0), "0"},
		{s0.Mul(n(4)).Add(n(6)).FloorDiv(n(2)), "s0*2 + 3"},
		{s0.FloorDiv(n(2)), "floordiv(s0, 2)"},
		{s0.FloorDiv(n(1)), "s0"},
		{n(-7).FloorDiv(n(2)), "-4"},
		{n(7).FloorDiv(n(-2)), "-4"},
		{n(1).FloorDiv(n(0)), "floordiv(1, 0)"},
		{n(-7).Mod(n(3)), "2"},
		{n(7).Mod(n(-3)), "-2"},
		{s0.Mul(n(3)).Add(n(5)).Mod(n(2)), "mod(s0 + 1, 2)"},
		{s0.Mul(n(6)).Mod(n(3)), "0"},
		{s1.Max(s0), "max(s0, s1)"},
		{s0.Max(s0.Add(n(1))), "s0 + 1"},
		{s0.Min(s0.Add(n(1))), "s0"},
		{n(3).Max(n(5)), "5"},
		{s0.FloorDiv(n(2)).Mul(s1).Neg(), "-floordiv(s0, 2)*s1"},
	} {
		if got := tc.got.String(); got != tc.want {
			t.Errorf("got %s, want %s", got, tc.want)
		}
	}
}

// Arithmetic on expressions, evaluated, is arithmetic on values; the text is read back to the same expression.
func TestIntArithmeticIsExact(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		values := map[string]int{"s0": rapid.IntRange(0, 9).Draw(rt, "s0"), "s1": rapid.IntRange(0, 9).Draw(rt, "s1"), "u0": rapid.IntRange(-9, 9).Draw(rt, "u0")}
		type pair struct {
			expr  Int
			value int
		}
		stack := []pair{{symbol("s0"), values["s0"]}, {symbol("s1"), values["s1"]}, {symbol("u0"), values["u0"]}}
		for range rapid.IntRange(1, 8).Draw(rt, "steps") {
			a, b := rapid.SampledFrom(stack).Draw(rt, "a"), rapid.SampledFrom(stack).Draw(rt, "b")
			if rapid.Bool().Draw(rt, "const") {
				c := rapid.IntRange(-4, 4).Draw(rt, "value")
				b = pair{Const(c), c}
			}
			r := pair{}
			switch op := rapid.SampledFrom([]string{"add", "sub", "mul", "floordiv", "mod", "max", "min", "neg"}).Draw(rt, "op"); {
			case op == "add":
				r = pair{a.expr.Add(b.expr), a.value + b.value}
			case op == "sub":
				r = pair{a.expr.Sub(b.expr), a.value - b.value}
			case op == "mul" && a.value < 1<<12 && -a.value < 1<<12 && b.value < 1<<12 && -b.value < 1<<12 && len(a.expr.String())+len(b.expr.String()) < 200:
				r = pair{a.expr.Mul(b.expr), a.value * b.value}
			case op == "floordiv" && b.value != 0:
				r = pair{a.expr.FloorDiv(b.expr), int(math.Floor(float64(a.value) / float64(b.value)))}
			case op == "mod" && b.value != 0:
				r = pair{a.expr.Mod(b.expr), a.value - b.value*int(math.Floor(float64(a.value)/float64(b.value)))}
			case op == "max":
				r = pair{a.expr.Max(b.expr), max(a.value, b.value)}
			case op == "min":
				r = pair{a.expr.Min(b.expr), min(a.value, b.value)}
			default:
				r = pair{a.expr.Neg(), -a.value}
			}
			got, err := r.expr.Eval(func(name string) (int, bool) { v, ok := values[name]; return v, ok })
			if err != nil || got != r.value {
				rt.Fatalf("%s: got %d (%v), want %d", r.expr, got, err, r.value)
			}
			text := "graph f() {\n  y: <" + r.expr.String() + "> = int()\n  return y\n}\n"
			g, err := Parse(text)
			if err != nil || g.String() != text {
				rt.Fatalf("%v: got\n%s\nwant\n%s", err, g, text)
			}
			stack = append(stack, r)
		}
	})
}

func TestEvalErrors(t *testing.T) {
	s0 := symbol("s0")
	for _, tc := range []struct {
		i    Int
		s0   int
		want string
	}{
		{symbol("s9"), 1, "the symbol s9 has no value"},
		{Const(1).FloorDiv(s0), 0, "floordiv(1, s0) divides 1 by zero"},
		{Const(1).Mod(s0), 0, "mod(1, s0) divides 1 by zero"},
		{s0.Mul(s0), math.MaxInt, "s0*s0 overflows an int"},
		{s0.Mul(Const(-1)), math.MinInt, "-s0 overflows an int"},
		{s0.Add(Const(1)), math.MaxInt, "s0 + 1 overflows an int"},
		{s0.Sub(Const(2)), math.MinInt, "s0 - 2 overflows an int"},
	} {
		_, err := tc.i.Eval(func(name string) (int, bool) { return tc.s0, name == "s0" })
		if err == nil || err.Error() != tc.want {
			t.Errorf("%s: got %v, want %s", tc.i, err, tc.want)
		}
	}
}

func TestComparisonsRecordGuards(t *testing.T) {
	f := newTrace(t, "f")
	x := f.operand("x", f.dims(map[string]int{"s0": 3, "s1": 3, "s2": 7}, "s0", "s1", "s2"))
	d := x.Meta().Shape
	u := f.NewUnbacked(0, 5)
	for _, tc := range []struct {
		op    string
		a, b  Int
		want  bool
		guard string // empty: it follows
	}{
		{"==", d[0], d[0].Add(Const(0)), true, ""},
		{"<", d[0], d[0].Add(Const(1)), true, ""},
		{">=", d[0], Const(0), true, ""},
		{"<", d[0], Const(0), false, ""},
		{"==", d[0].Add(Const(1)), Const(0), false, ""},
		{"<=", u, Const(5), true, ""},
		{">", u, Const(5), false, ""},
		{"<", u.Add(d[0]), Const(0), false, ""},
		{"==", u.Max(Const(3)), Const(9), false, ""},
		{"==", u.Mod(Const(3)), Const(3), false, ""},
		{"==", d[0], d[1], true, "s0 == s1"},
		{"!=", d[0], d[2], true, "s0 != s2"},
		{"==", d[0], d[2], false, "s0 != s2"}, // known already
		{">", d[2], d[0], true, "s0 < s2"},
		{"<=", d[2], d[0], false, "s0 < s2"},
		{">=", d[2], Const(4), true, "4 <= s2"},
	} {
		before := len(f.Graph().Guards)
		got, err := f.Compare(tc.op, tc.a, tc.b, line(50))
		f.must(err)
		if got != tc.want {
			t.Errorf("%s %s %s: got %v, want %v", tc.a, tc.op, tc.b, got, tc.want)
		}
		guards := f.Graph().Guards
		switch {
		case tc.guard == "" && len(guards) != before:
			t.Errorf("%s %s %s: needless guard %s", tc.a, tc.op, tc.b, guards[before].Cond)
		case tc.guard != "" && guards[len(guards)-1].Cond.String() != tc.guard:
			t.Errorf("%s %s %s: got guard %s, want %s", tc.a, tc.op, tc.b, guards[len(guards)-1].Cond, tc.guard)
		case tc.guard != "" && guards[len(guards)-1].Pos != line(50):
			t.Errorf("guard %s stands at %s", tc.guard, guards[len(guards)-1].Pos)
		}
	}
	if n, err := f.Fix(d[2].Sub(Const(2)), line(51)); n != 5 || err != nil {
		t.Errorf("Fix: got %d, %v, want 5", n, err)
	}
	if n, err := f.Fix(Const(9), line(51)); n != 9 || err != nil {
		t.Errorf("Fix: got %d, %v, want 9", n, err)
	}
	for _, err := range []error{second(f.Compare("<", u, Const(2), line(52))), second(f.Fix(u, line(52)))} {
		if !errors.Is(err, hopcheck.DataDependentControlFlow) || !strings.HasPrefix(err.Error(), "f.go:52:3: trace: function ") {
			t.Errorf("got %v, want HOP501", err)
		}
	}
	if _, err := f.Compare("~", u, u, line(1)); err == nil {
		t.Error("unknown comparison accepted")
	}
	g := f.close(hopcheck.Output, f.op("sin", x)).Graph
	text := checked(t, g)
	if want := "  guard s0 == s1\n  guard s0 != s2\n  guard s0 < s2\n  guard 4 <= s2\n  guard s2 == 7\n"; !strings.Contains(text, want) {
		t.Errorf("got\n%s\nwant guards\n%s", text, want)
	}
	// K17, K20: a replay with other sizes asks the guards.
	for _, tc := range []struct {
		s0, s1, s2 int
		broken     string
	}{{4, 4, 7, ""}, {4, 5, 7, "s0 == s1"}, {4, 4, 8, "s2 == 7"}} {
		broken := ""
		for _, guard := range g.Guards {
			ok, err := guard.Cond.Holds(func(name string) (int, bool) {
				n, ok := map[string]int{"s0": tc.s0, "s1": tc.s1, "s2": tc.s2}[name]
				return n, ok
			})
			if err != nil {
				t.Fatal(err)
			}
			if !ok && broken == "" {
				broken = guard.Cond.String()
			}
		}
		if broken != tc.broken {
			t.Errorf("%v: got broken guard %q, want %q", tc, broken, tc.broken)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// K20: the range of an unbacked symbol is a guard of the graph that makes it.
func TestUnbackedRangeIsAGuard(t *testing.T) {
	f := newTrace(t, "f")
	x := f.operand("x", TensorMeta(Float32, 3))
	b := f.child("checkpoint", "f", "body")
	u := b.NewUnbacked(0, 3)
	item, err := b.Emit1("item", []*Value{b.op("sum", x)}, nil, Meta{Int: &u}, line(60))
	b.must(err)
	g := f.finish(b, b.op("add", x, item))
	guards := find(t, g, "checkpoint").Graphs[0].Guards
	if len(g.Guards) != 0 || len(guards) != 2 || guards[0].Cond.String() != "0 <= u0" || guards[1].Cond.String() != "u0 <= 3" || guards[0].Pos != line(60) {
		t.Errorf("got %v and %v", g.Guards, guards)
	}
}

func TestSymbolNames(t *testing.T) {
	f := newTrace(t, "f")
	for _, tc := range []struct {
		name string
		hint int
		want string // or an error
	}{
		{"", 4, "s0"}, {"batch", 4, "batch"}, {"s1", 9, "s1"}, {"", 5, "s2"}, {"batch", 4, "batch"},
		{"batch", 5, "the dim batch is 4 and 5; one name is one size"}, {"a b", 1, "is no name for a dim"}, {"max", 1, "is no name for a dim"},
	} {
		i, err := f.NewSymbol(tc.name, tc.hint)
		got := i.String()
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, tc.want) {
			t.Errorf("%q: got %s, want %s", tc.name, got, tc.want)
		}
	}
	if u := f.NewUnbacked(0, 1); u.String() != "u0" {
		t.Errorf("got %s, want u0", u)
	}
	if _, err := f.Int(symbol("s9")); err == nil {
		t.Error("an unknown symbol has a value")
	}
	if _, err := f.Int(Const(3)); err == nil {
		t.Error("a constant has a value")
	}
}

// The symbols of a scan's explicit inputs stand behind them, so that carries and slices stay in their sections.
func TestScanTakesSymbolsBehindItsSections(t *testing.T) {
	f := newTrace(t, "f")
	xs := f.operand("xs", f.dims(hints, "s0", "s1"))
	m := f.dims(hints, "s1")
	init := f.operand("init", m)
	b := f.child("scan", "combine", "combine")
	c := b.Input("carry", m, hopcheck.Place{Role: hopcheck.Carry})
	x := b.Input("x", m, hopcheck.Place{Role: hopcheck.X})
	next := b.op("add", c, x)
	body := b.close(hopcheck.NextCarry, next)
	vs, err := f.CallHOP("scan", []*Body{body}, []*Value{init, xs}, Attrs{{"n_carry", 1}, {"n_xs", 1}, {"length", xs.Meta().Shape[0]}}, Meta{Elems: []Meta{m}}, line(30))
	f.must(err)
	g := f.close(hopcheck.Output, vs...).Graph
	checked(t, g)
	wantNames(t, "root", g.Inputs, "s0, s1, xs, init")
	wantNames(t, "call", find(t, g, "scan").Args, "init, xs, s1")
	wantNames(t, "combine", find(t, g, "scan").Graphs[0].Inputs, "carry, x, s1")
}

func TestInlineRenamesSymbols(t *testing.T) {
	inner := newTrace(t, "inner")
	x := inner.operand("x", inner.dims(hints, "s0"))
	ok, err := inner.Compare("<", x.Meta().Shape[0], Const(10), line(1))
	inner.must(err)
	b := inner.child("checkpoint", "f", "body")
	z := b.nonzero(x)
	out := inner.call("checkpoint", nil, b.close(hopcheck.Output, b.op("sum", b.op("add", b.op("cos", z), b.sizeOf(z)))))
	y := inner.nonzero(x)
	g := inner.close(hopcheck.Output, inner.op("sin", x), out[0], inner.op("cos", y), x).Graph
	checked(t, g)

	f := newTrace(t, "f")
	f.NewUnbacked(0, 1)
	w := f.operand("w", f.dims(hints, "a"))
	vs, err := f.Inline(g, []*Value{f.integer(w.Meta().Shape[0]), w})
	f.must(err)
	if !ok || vs[3] != w {
		t.Errorf("an input returned is the argument: got %v", vs[3])
	}
	want := `graph f(a: <a>, w: f32[a]) {
  checkpoint: (i64[]) = checkpoint(a, w) {
    graph body(s0: <a>, x: f32[a]) {
      nonzero: i64[u1, 1] = nonzero(x)
      u0: <u1> = size(nonzero; dim=0)
      cos: i64[u1, 1] = cos(nonzero)
      add: i64[u1, 1] = add(cos, u0)
      sum: i64[] = sum(add)
      guard 0 <= u1
      guard u1 <= 1099511627776
      return sum
    }
  }
  get: i64[] = get(checkpoint; index=0)
  nonzero: i64[u2, 1] = nonzero(w)
  sin: f32[a] = sin(w)
  cos: i64[u2, 1] = cos(nonzero)
  guard a < 10
  guard 0 <= u2
  guard u2 <= 1099511627776
  return sin, get, cos
}
`
	if got := checked(t, f.close(hopcheck.Output, vs[:3]...).Graph); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if _, err := newTrace(t, "f").Inline(g, nil); err == nil {
		t.Error("too few arguments accepted")
	}
}
