package tracer

import (
	"errors"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
)

// adoptee opens a root of its own inside a trace, as an operator called with concrete operands does, with a body below.
func adoptee(t *testing.T, born uint64) (eager, b *tr) {
	e := &tr{SubgraphTracer: NewTracer(Options{Name: "combine", Ops: fakeOps{}, Operator: "scan", Param: "combine", Born: born, Pos: line(3)}), t: t}
	c := &tr{SubgraphTracer: e.Child(Options{Name: "onTrue", Operator: "cond", Param: "onTrue", Born: born + 1}), t: t}
	return e, c
}

func TestAdoptedTraceLiftsThroughTheOlderOne(t *testing.T) {
	f := newTrace(t, "f")
	m := TensorMeta(Float32, 3)
	x := f.operand("x", m)
	e, inner := adoptee(t, 5)
	carry := e.Input("carry", m, hopcheck.Place{Role: hopcheck.Carry})
	w := Capture{Key: "w", Store: "w", Name: "w", Meta: m}
	s := inner.op("add", carry, inner.Constant(w)) // a constant of the eager root so far
	cur, err := Join(s, x)
	e.must(err)
	if cur != inner.SubgraphTracer || e.Parent() != f.SubgraphTracer || inner.Path() != "trace / scan / cond.onTrue" || f.Current() != inner.SubgraphTracer {
		t.Fatalf("got tracer %s below %v", cur.Path(), e.Parent())
	}
	out := inner.op("add", s, x)
	again := inner.op("add", out, inner.Constant(w))
	first := inner.close(hopcheck.Output, again)
	other := e.child("cond", "onFalse", "onFalse")
	second := other.close(hopcheck.Output, other.op("sin", x))
	branch := e.call("cond", []*Value{e.op("gt0", carry)}, first, second)
	body := e.close(hopcheck.NextCarry, branch...)
	if len(body.Graph.Constants)+len(body.Captures) != 0 {
		t.Errorf("the adopted body kept its constants")
	}
	init := f.Constant(Capture{Key: "init", Store: "init", Name: "init", Meta: m})
	vs, err := f.CallHOP("scan", []*Body{body}, []*Value{init}, Attrs{{"n_carry", 1}, {"n_xs", 0}, {"length", 4}}, Meta{Elems: []Meta{m}}, line(30))
	f.must(err)
	g := f.close(hopcheck.Output, vs...).Graph
	checked(t, g)
	call := find(t, g, "scan")
	wantNames(t, "constants", g.Constants, "w, init")
	wantNames(t, "scan's arguments", call.Args, "init, w, x")
	wantNames(t, "combine's inputs", call.Graphs[0].Inputs, "carry, w, x")
	wantNames(t, "cond's arguments", find(t, call.Graphs[0], "cond").Args, "gt0, x, carry, w")
	if got := messages(append(f.found, e.found...)); got != "" {
		t.Errorf("got findings %s", got)
	}
}

// A tensor born while the older trace was open is no capture of that one.
func TestAdoptedCaptureMayBeALiteralOfTheOlderTrace(t *testing.T) {
	f := newTrace(t, "f")
	m := TensorMeta(Float32, 3)
	x := f.operand("x", m)
	e := &tr{SubgraphTracer: NewTracer(Options{Name: "f", Operator: "checkpoint", Born: 5, Import: func(u *SubgraphTracer, c Capture) (*Value, error) {
		return u.Literal(&Literal{Float32, []int{3}, make([]byte, 12)}, line(4)), nil
	}}), t: t}
	s := e.op("sin", e.Constant(Capture{Key: "buf", Store: "buf", Name: "buf", Meta: m, Version: 7}))
	e.must(e.AdoptBy(x.Tracer()))
	g := f.finish(e, e.op("add", s, x))
	if call := find(t, g, "checkpoint"); nodeNames(call.Args) != "literal, x" || len(g.Constants) != 0 {
		t.Errorf("got arguments %s and constants %s", nodeNames(call.Args), nodeNames(g.Constants))
	}
}

// What the younger trace wrote before it was adopted is still found, and only once.
func TestWriteBeforeAdoptionIsFound(t *testing.T) {
	f := newTrace(t, "f")
	m := TensorMeta(Float32, 3)
	x := f.operand("x", m)
	w := Capture{Key: "w", Store: "w", Name: "w", Meta: m, Version: 3}
	f.op("sin", f.Constant(w))
	e, _ := adoptee(t, 5)
	e.Current().pop()
	carry := e.Input("carry", m, hopcheck.Place{Role: hopcheck.Carry})
	v := e.Constant(w)
	e.addInPlace(e.narrow(v, 0, 3), carry)
	e.must(e.AdoptBy(f.SubgraphTracer))
	e.addInPlace(v, x)
	n, err := e.Use(e.Constant(w))
	e.must(err)
	if n.Op != "add" {
		t.Errorf("got %s, want the written contents", n.Op)
	}
	e.close(hopcheck.NextCarry, e.op("clone", v))
	if got, want := messages(e.found), "scan: combine function writes captured w through AddInPlace (HOP104); carry it and return its next value, e.g. w.Add(…)"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := e.found[0].After-e.found[0].Before, uint64(2); got != want {
		t.Errorf("got %d writes, want %d", got, want)
	}
	if got, want := messages(f.Abort()), "trace: function writes captured w through AddInPlace (HOP104); return the new value instead, e.g. w.Add(…)"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestAdoptionRenamesSymbols(t *testing.T) {
	f := newTrace(t, "f")
	x := f.operand("x", TensorMeta(Float32, 3))
	u := f.item(f.op("sum", x))
	e := &tr{SubgraphTracer: NewTracer(Options{Name: "body", Ops: fakeOps{}, Operator: "checkpoint", Born: 5}), t: t}
	z := e.nonzero(e.Input("c", x.Meta(), hopcheck.Place{Role: hopcheck.Operand}))
	detached := e.integer(z.Meta().Shape[0].Add(Const(1)))
	cos := e.op("cos", z)
	if _, err := Join(cos, u); err != nil {
		t.Fatal(err)
	}
	out := e.op("add", cos, u)
	out = e.op("add", out, detached)
	vs := f.call("checkpoint", []*Value{x}, e.close(hopcheck.Output, out))
	g := f.close(hopcheck.Output, vs...).Graph
	checked(t, g)
	want := `graph f(x: f32[3]) {
  sum: f32[] = sum(x)
  item: <u0> = item(sum)
  checkpoint: (i64[u1, 1]) = checkpoint(x, item) {
    graph body(c: f32[3], item: <u0>) {
      nonzero: i64[u1, 1] = nonzero(c)
      u1: <u1> = size(nonzero; dim=0)
      cos: i64[u1, 1] = cos(nonzero)
      add: i64[u1, 1] = add(cos, item)
      int: <u1 + 1> = int(u1)
      add_1: i64[u1, 1] = add(add, int)
      guard 0 <= u1
      guard u1 <= 1099511627776
      return add_1
    }
  }
  get: i64[u1, 1] = get(checkpoint; index=0)
  guard 0 <= u0
  guard u0 <= 1099511627776
  return get
}
`
	if got := g.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAdoptionIsRefused(t *testing.T) {
	f := newTrace(t, "f")
	x := f.operand("x", TensorMeta(Float32, 3))
	b := f.child("checkpoint", "f", "body")
	if err := b.AdoptBy(f.SubgraphTracer); err == nil {
		t.Error("a child was adopted")
	}
	older := NewTracer(Options{Name: "older", Born: 0})
	if err := older.AdoptBy(f.SubgraphTracer); err == nil {
		t.Error("an older trace was adopted")
	}
	if _, err := older.Use(x); !errors.Is(err, hopcheck.LeakedTensor) {
		t.Errorf("got %v, want HOP402", err)
	}
	b.Abort()
	f.Abort()
	if err := NewTracer(Options{Name: "late", Born: 9}).AdoptBy(f.SubgraphTracer); err == nil {
		t.Error("adopted by a trace that has ended")
	}
}

func TestStackOfOpenTracers(t *testing.T) {
	f := newTrace(t, "f")
	b := &tr{SubgraphTracer: f.Child(Options{Operator: "scan", Born: 10}), t: t}
	c := &tr{SubgraphTracer: f.Child(Options{Operator: "cond", Param: "onFalse", Born: 20}), t: t}
	for _, tc := range []struct {
		stamp uint64
		want  *SubgraphTracer
	}{{1, nil}, {2, f.SubgraphTracer}, {11, b.SubgraphTracer}, {20, b.SubgraphTracer}, {21, c.SubgraphTracer}} {
		if got := c.At(tc.stamp); got != tc.want {
			t.Errorf("At(%d): got %v, want %v", tc.stamp, got, tc.want)
		}
	}
	if c.Root() != f.SubgraphTracer || b.Current() != c.SubgraphTracer || c.Parent() != b.SubgraphTracer {
		t.Error("children do not nest")
	}
	b.Abort() // with c still open
	if !c.Closed() || !b.Closed() || f.Closed() || f.Current() != f.SubgraphTracer {
		t.Error("Abort must end what is open inside")
	}
	f.Abort()
	if f.Current() != nil {
		t.Error("a closed root has no current tracer")
	}
}

// The two traces counted the writes of the captured storage apart; each finding tells of its own first write.
func TestAdoptionJoinsVersions(t *testing.T) {
	f := newTrace(t, "f")
	m := TensorMeta(Float32, 3)
	x := f.operand("x", m)
	w := Capture{Key: "w", Store: "w", Name: "w", Meta: m, Version: 3}
	v := f.Constant(w)
	f.must(f.Write(v, x, "CopyFrom", line(70)))
	f.must(f.Write(v, x, "CopyFrom", line(71)))
	e, inner := adoptee(t, 5)
	inner.must(inner.Write(inner.Constant(w), inner.op("sin", inner.Constant(w)), "SinInPlace", line(72)))
	e.must(e.AdoptBy(f.SubgraphTracer))
	found := append(append(inner.Abort(), e.Abort()...), f.Abort()...)
	want := []struct {
		line          int
		before, after uint64
	}{{72, 5, 6}, {72, 5, 6}, {70, 3, 6}}
	if len(found) != len(want) {
		t.Fatalf("got %d findings, want %d", len(found), len(want))
	}
	for i, f := range found {
		if f.Pos != line(want[i].line) || f.Before != want[i].before || f.After != want[i].after {
			t.Errorf("%s: got %s, versions %d and %d, want %+v", f.Path, f.Pos, f.Before, f.After, want[i])
		}
	}
}

// The younger body wrote, through an op on values of the older trace alone, what it turns out to have captured.
func TestWriteByOlderTraceWhileYoungerIsOpen(t *testing.T) {
	stamp := uint64(10)
	now := func() uint64 { stamp++; return stamp }
	f := &tr{SubgraphTracer: NewTracer(Options{Name: "f", Ops: fakeOps{}, Operator: "trace", Born: now(), Now: now}), t: t}
	x := f.operand("x", TensorMeta(Float32, 3))
	buf := f.op("sin", x)
	f.addInPlace(buf, x)
	e, _ := adoptee(t, now())
	e.Current().pop()
	f.addInPlace(buf, x)
	cur, err := Join(e.Input("carry", x.Meta(), hopcheck.Place{Role: hopcheck.Carry}), buf)
	e.must(err)
	if cur != e.SubgraphTracer {
		t.Fatalf("got %s", cur.Path())
	}
	e.close(hopcheck.NextCarry, e.op("clone", buf))
	if got, want := messages(e.found), "scan: combine function writes a captured tensor through AddInPlace (HOP104); carry it and return its next value, e.g. t.Add(…)"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := messages(f.Abort()); got != "" {
		t.Errorf("outer: got %s, want nothing", got)
	}
}

// A capture that turns out to be a view of the older trace follows its writes.
func TestAdoptedCaptureMayBeAView(t *testing.T) {
	f := newTrace(t, "f")
	x := f.operand("x", TensorMeta(Float32, 4))
	buf := f.op("sin", x)
	part := f.narrow(buf, 1, 2)
	f.addInPlace(buf, x)
	e := &tr{SubgraphTracer: NewTracer(Options{Name: "f", Ops: fakeOps{}, Operator: "checkpoint", Born: 5, Import: func(*SubgraphTracer, Capture) (*Value, error) {
		return part, nil
	}}), t: t}
	w := e.narrow(e.Constant(Capture{Key: "w", Meta: part.Meta()}), 0, 1)
	e.must(e.AdoptBy(f.SubgraphTracer))
	if !w.SharesStore(buf) || len(w.Views()) != 2 {
		t.Errorf("got views %v, shares %v", w.Views(), w.SharesStore(buf))
	}
	g := f.finish(e, e.op("sin", w), e.op("cos", e.narrow(part, 1, 1)))
	wantNames(t, "call", find(t, g, "checkpoint").Args, "narrow_1")
}

// Abort after the trace has ended changes nothing.
func TestAbortTwice(t *testing.T) {
	f := newTrace(t, "f")
	b := f.child("scan", "combine", "combine")
	b.Abort()
	b.Abort()
	if f.Closed() || f.Current() != f.SubgraphTracer {
		t.Error("the second Abort ended the outer trace")
	}
}

// A body of the older trace was opened while the younger one was open, so it lies inside: it moves there, with all that
// it lifted, and its operator is recorded there.
func TestAdoptionNestsInOrderOfOpening(t *testing.T) {
	f := newTrace(t, "f")
	m := TensorMeta(Float32, 3)
	x, flag := f.operand("x", m), f.operand("flag", TensorMeta(Bool))
	e := &tr{SubgraphTracer: NewTracer(Options{Name: "combine", Ops: fakeOps{}, Operator: "scan", Param: "combine", Born: 5}), t: t}
	carry := e.Input("carry", m, hopcheck.Place{Role: hopcheck.Carry})
	s := e.op("sin", carry)

	// cond(flag, …) has operands of f alone.
	first := f.child("cond", "onTrue", "onTrue")
	one := first.close(hopcheck.Output, first.op("cos", x))
	second := &tr{SubgraphTracer: f.Child(Options{Name: "onFalse", Operator: "cond", Param: "onFalse", Born: 7}), t: t}
	y := second.op("sin", x)
	cur, err := Join(y, s)
	second.must(err)
	if cur != second.SubgraphTracer || second.Parent() != e.SubgraphTracer || e.Parent() != f.SubgraphTracer {
		t.Fatalf("got %s below %s", cur.Path(), second.Parent().Path())
	}
	two := second.close(hopcheck.Output, second.op("add", y, s))
	branch := f.call("cond", []*Value{flag}, one, two)
	if branch[0].Tracer() != e.SubgraphTracer {
		t.Errorf("the cond was recorded in %s", branch[0].Tracer().Path())
	}
	body := e.close(hopcheck.NextCarry, branch...)
	init := f.Constant(Capture{Key: "init", Name: "init", Meta: m})
	vs, err := f.CallHOP("scan", []*Body{body}, []*Value{init}, Attrs{{"n_carry", 1}, {"n_xs", 0}, {"length", 2}}, Meta{Elems: []Meta{m}}, line(30))
	f.must(err)
	g := f.close(hopcheck.Output, vs...).Graph
	checked(t, g)
	wantNames(t, "scan", find(t, g, "scan").Args, "init, x, flag")
	wantNames(t, "cond", find(t, find(t, g, "scan").Graphs[0], "cond").Args, "flag, x, sin")
}

// Three roots that meet at once nest by age, whatever the order of the arguments.
func TestThreeRootsMeet(t *testing.T) {
	m := TensorMeta(Float32, 3)
	for _, order := range [][]int{{0, 1, 2}, {2, 0, 1}, {1, 2, 0}, {2, 1, 0}} {
		var roots []*SubgraphTracer
		var values []*Value
		for i := range 3 {
			r := NewTracer(Options{Name: "f", Operator: "scan", Born: uint64(10 * (i + 1))})
			roots = append(roots, r)
			values = append(values, r.Input("x", m, hopcheck.Place{Role: hopcheck.Carry}))
		}
		cur, err := Join(values[order[0]], values[order[1]], values[order[2]])
		if err != nil || cur != roots[2] || roots[2].Parent() != roots[1] || roots[1].Parent() != roots[0] {
			t.Errorf("%v: got %v, %v", order, cur, err)
		}
	}
}

// A write of the moved body counts for the trace around it, which was open when it happened.
func TestMovedBodysWriteCountsForTheOneAround(t *testing.T) {
	f := newTrace(t, "f")
	m := TensorMeta(Float32, 3)
	x := f.op("sin", f.operand("x", m))
	e := &tr{SubgraphTracer: NewTracer(Options{Name: "combine", Ops: fakeOps{}, Operator: "scan", Param: "combine", Born: 5}), t: t}
	carry := e.Input("carry", m, hopcheck.Place{Role: hopcheck.Carry})
	inner := &tr{SubgraphTracer: f.Child(Options{Name: "f", Operator: "checkpoint", Born: 7}), t: t}
	inner.addInPlace(x, inner.op("cos", x))
	_, err := Join(x, carry)
	inner.must(err)
	found := append(inner.Abort(), e.Abort()...)
	want := "checkpoint: function writes a captured tensor through AddInPlace (HOP104); return the new value instead, e.g. t.Add(…)\n" +
		"scan: combine function writes a captured tensor through AddInPlace (HOP104); carry it and return its next value, e.g. t.Add(…)"
	if got := messages(found); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := messages(f.Abort()); got != "" {
		t.Errorf("outer: got %s, want nothing", got)
	}
}
