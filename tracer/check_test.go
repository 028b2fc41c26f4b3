package tracer

import (
	"errors"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
)

// scanBody opens a scan's combine function with a structured carry {A, B} and a slice x of three elements.
func scanBody(t *testing.T) (f, b *tr, carryA, carryB, x *Value) {
	f = newTrace(t, "f")
	b = f.child("scan", "combine", "combine")
	m := TensorMeta(Float32, 3)
	return f, b, b.Input("carry.A", m, hopcheck.Place{Role: hopcheck.Carry, Path: ".A"}),
		b.Input("carry.B", m, hopcheck.Place{Role: hopcheck.Carry, Path: ".B"}), b.Input("x", m, hopcheck.Place{Role: hopcheck.X})
}

// closeScan ends the body with one next carry and one y for each further value.
func (r *tr) closeScan(carry *Value, ys ...*Value) {
	r.t.Helper()
	outs := []Output{{carry, hopcheck.Place{Role: hopcheck.NextCarry}}}
	for _, y := range ys {
		outs = append(outs, Output{y, hopcheck.Place{Role: hopcheck.Y}})
	}
	body, found := r.Close(outs)
	r.found = found
	checked(r.t, body.Graph)
}

func TestContract(t *testing.T) {
	const (
		writes  = "scan: combine function writes "
		remedyA = "; write a new tensor instead, e.g. carry.A.Add(…)"
	)
	for _, tc := range []struct {
		name  string
		trace func(t *testing.T) []Finding
		want  string
	}{
		{"D1 carry", func(t *testing.T) []Finding {
			_, b, a, _, x := scanBody(t)
			b.addInPlace(a, x)
			b.closeScan(b.op("clone", a))
			return b.found
		}, writes + "its carry.A through AddInPlace (HOP101)" + remedyA},
		{"D2 x", func(t *testing.T) []Finding {
			_, b, a, _, x := scanBody(t)
			b.addInPlace(x, a)
			b.closeScan(b.op("clone", a))
			return b.found
		}, writes + "its x through AddInPlace (HOP102); write a new tensor instead, e.g. x.Add(…)"},
		{"D5 captured", func(t *testing.T) []Finding {
			_, b, a, _, x := scanBody(t)
			b.addInPlace(b.Constant(Capture{Key: 1, Store: 1, Name: "w", Meta: x.Meta()}), x)
			b.closeScan(b.op("clone", a))
			return b.found
		}, writes + "captured w through AddInPlace (HOP104); carry it and return its next value, e.g. w.Add(…)"},
		{"D6 D7 intermediates", func(t *testing.T) []Finding {
			_, b, a, _, x := scanBody(t)
			c, s := b.op("clone", a), b.op("sin", x)
			b.addInPlace(c, x)
			b.addInPlace(s, x)
			b.closeScan(c, s)
			return b.found
		}, ""},
		{"D11 through a chain of views", func(t *testing.T) []Finding {
			_, b, a, _, x := scanBody(t)
			b.must(b.Write(b.narrow(b.narrow(a, 0, 2), 0, 1), b.narrow(x, 0, 1), "CopyFrom", line(20)))
			b.closeScan(b.op("clone", a))
			return b.found
		}, writes + "its carry.A through CopyFrom (HOP101); build the next carry from functional ops, or update init before the loop"},
		{"D14 two inputs, one of them twice", func(t *testing.T) []Finding {
			_, b, a, _, x := scanBody(t)
			b.addInPlace(x, a)
			b.addInPlace(a, x)
			b.addInPlace(x, a)
			b.closeScan(b.op("clone", a))
			return b.found
		}, writes + "its carry.A through AddInPlace (HOP101)" + remedyA + "\n" + writes + "its x through AddInPlace (HOP102); write a new tensor instead, e.g. x.Add(…)"},
		{"D14 two leaves of one role are one finding", func(t *testing.T) []Finding {
			_, b, a, c, x := scanBody(t)
			b.addInPlace(c, x)
			b.addInPlace(a, x)
			b.closeScan(b.op("clone", a))
			return b.found
		}, writes + "its carry.A, carry.B through AddInPlace (HOP101)" + remedyA},
		{"E2 an input returned", func(t *testing.T) []Finding {
			_, b, a, _, x := scanBody(t)
			b.closeScan(b.op("clone", a), x)
			return b.found
		}, "scan: y of the combine function shares storage with its x (HOP301); return a copy, e.g. x.Clone()"},
		{"E3 a view of an input", func(t *testing.T) []Finding {
			_, b, a, _, _ := scanBody(t)
			b.closeScan(b.narrow(a, 1, 2))
			return b.found
		}, "scan: next carry of the combine function shares storage with its carry.A (HOP301); return a copy, e.g. carry.A.Clone()"},
		{"E5 twice the same", func(t *testing.T) []Finding {
			_, b, a, _, _ := scanBody(t)
			b.closeScan(a, a)
			return b.found
		}, "scan: next carry and y of the combine function share storage (HOP302); return a copy, e.g. y.Clone()\n" +
			"scan: next carry of the combine function shares storage with its carry.A, y of the combine function shares storage with its carry.A (HOP301); return a copy, e.g. carry.A.Clone()"},
		{"E11 every pair once", func(t *testing.T) []Finding {
			_, b, a, _, _ := scanBody(t)
			s := b.op("sin", a)
			b.closeScan(s, s, s)
			return b.found
		}, "scan: next carry and y of the combine function share storage, next carry and y of the combine function share storage, y and y of the combine function share storage (HOP302); return a copy, e.g. y.Clone()"},
		{"E12 two of three", func(t *testing.T) []Finding {
			_, b, a, _, x := scanBody(t)
			y := b.op("sin", x)
			b.closeScan(y, b.narrow(y, 0, 3), b.op("cos", a))
			return b.found
		}, "scan: next carry and y of the combine function share storage (HOP302); return a copy, e.g. y.Clone()"},
		{"E13 E20 a captured tensor", func(t *testing.T) []Finding {
			_, b, _, _, _ := scanBody(t)
			b.closeScan(b.Constant(Capture{Key: 1, Store: 1, Meta: TensorMeta(Float32, 3)}))
			return b.found
		}, "scan: next carry of the combine function shares storage with a captured tensor (HOP303); return a copy, e.g. t.Clone()"},
		{"E14 clones", func(t *testing.T) []Finding {
			_, b, a, _, x := scanBody(t)
			b.closeScan(b.op("clone", b.narrow(a, 0, 2)), b.op("clone", x), b.op("clone", x))
			return b.found
		}, ""},
		{"E16 no elements", func(t *testing.T) []Finding {
			_, b, a, _, _ := scanBody(t)
			empty := b.narrow(a, 0, 0)
			b.closeScan(empty, empty)
			return b.found
		}, ""},
		{"E19 two captured views of one storage, read", func(t *testing.T) []Finding {
			_, b, a, _, _ := scanBody(t)
			v := b.Constant(Capture{Key: 1, Store: 9, Meta: a.Meta()})
			w := b.Constant(Capture{Key: 2, Store: 9, Meta: a.Meta()})
			b.closeScan(b.op("add", v, w))
			return b.found
		}, ""},
		{"a captured storage written through one of two views", func(t *testing.T) []Finding {
			_, b, a, _, _ := scanBody(t)
			v := b.Constant(Capture{Key: 1, Store: 9, Name: "v", Meta: a.Meta()})
			w := b.Constant(Capture{Key: 2, Store: 9, Name: "v.T()", Meta: a.Meta()})
			s := b.op("sin", w)
			b.addInPlace(v, a)
			b.closeScan(s)
			return b.found
		}, writes + "captured v through AddInPlace (HOP104); carry it and return its next value, e.g. v.Add(…)"},
		{"X1 a buffer made in the body", func(t *testing.T) []Finding {
			_, b, _, _, x := scanBody(t)
			buf := b.Literal(&Literal{Float32, []int{3}, make([]byte, 12)}, line(9))
			b.must(b.Write(b.narrow(buf, 0, 2), b.narrow(x, 0, 2), "CopyFrom", line(20)))
			b.closeScan(buf, b.op("clone", buf))
			return b.found
		}, ""},
		{"X2 the same buffer captured", func(t *testing.T) []Finding {
			_, b, _, _, x := scanBody(t)
			buf := b.Constant(Capture{Key: 1, Name: "buf", Meta: x.Meta()})
			b.must(b.Write(b.narrow(buf, 0, 2), b.narrow(x, 0, 2), "CopyFrom", line(20)))
			b.closeScan(b.op("clone", buf))
			return b.found
		}, writes + "captured buf through CopyFrom (HOP104); carry the tensor through the operator and return its next value"},
		{"a write that the trace did not see", func(t *testing.T) []Finding {
			_, b, a, _, _ := scanBody(t)
			w := Capture{Key: 1, Store: 1, Name: "w", Meta: a.Meta(), Version: 4}
			out := b.op("add", a, b.Constant(w))
			b.Mutated(w.Key, 6, "AddInPlace", line(33))
			b.Mutated(w.Key, 6, "AddInPlace", line(33))
			b.Mutated(w.Key, 5, "AddInPlace", line(34)) // known already
			b.Mutated("unknown", 6, "AddInPlace", line(33))
			b.closeScan(out)
			if f := b.found[0]; f.Before != 4 || f.After != 6 || f.Pos != line(33) {
				t.Errorf("got versions %d and %d at %s, want 4 and 6 at %s", f.Before, f.After, f.Pos, line(33))
			}
			return b.found
		}, writes + "captured w through AddInPlace (HOP104); carry it and return its next value, e.g. w.Add(…)"},
		{"inputs that share storage are written together", func(t *testing.T) []Finding {
			_, b, a, c, x := scanBody(t)
			b.Share(a, c)
			b.addInPlace(c, x)
			b.closeScan(b.op("clone", a))
			return b.found
		}, writes + "its carry.A, carry.B through AddInPlace (HOP101)" + remedyA},
		{"D17 a while predicate may alias and may not write", func(t *testing.T) []Finding {
			f := newTrace(t, "f")
			b := f.child("while_loop", "cond", "cond")
			c := b.Input("carry", TensorMeta(Bool), hopcheck.Place{Role: hopcheck.Carry})
			b.must(b.Write(c, b.op("clone", c), "Zero", line(20)))
			b.close(hopcheck.Predicate, c)
			return b.found
		}, "while_loop: cond function writes its carry through Zero (HOP101); write a new tensor instead, e.g. hop.ZerosLike(carry)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			found := tc.trace(t)
			if got := messages(found); got != tc.want {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
}

func TestFindingsCarryPositionViewsAndVersions(t *testing.T) {
	_, b, a, _, x := scanBody(t)
	v := b.narrow(b.narrow(a, 0, 2), 1, 1)
	b.must(b.Write(v, b.narrow(x, 0, 1), "CopyFrom", line(21)))
	b.must(b.Write(a, b.op("sin", x), "SinInPlace", line(22)))
	b.closeScan(b.op("clone", a))
	f := b.found[0]
	var views []string
	for _, s := range f.Views {
		views = append(views, s.Op+s.Pos.String())
	}
	if f.Pos != line(21) || f.Op != "CopyFrom" || f.Before != 0 || f.After != 2 || f.Path != "trace / scan" || strings.Join(views, " ") != "narrowf.go:11:3 narrowf.go:11:3" {
		t.Errorf("got %+v with views %v", f, views)
	}
}

// One finding for two leaves tells of the write that came first, not of the leaf that stands first.
func TestFindingTellsOfTheFirstWrite(t *testing.T) {
	_, b, a, c, x := scanBody(t)
	b.must(b.Write(c, x, "CopyFrom", line(21)))
	b.must(b.Write(a, x, "SinInPlace", line(22)))
	b.closeScan(b.op("clone", x))
	if f := b.found[0]; f.Pos != line(21) || f.Op != "CopyFrom" || len(f.Places) != 2 {
		t.Errorf("got %s at %s", f.Message(), f.Pos)
	}
}

// What was just written is not read back through the base.
func TestWriteThroughViewsIsNested(t *testing.T) {
	f := newTrace(t, "f")
	x := f.op("sin", f.operand("x", TensorMeta(Float32, 4, 2)))
	row := f.view("select", f.narrow(x, 1, 2), Attrs{{"i", 0}})
	f.addInPlace(row, f.operand("y", TensorMeta(Float32, 2)))
	g := f.close(hopcheck.Output, f.op("cos", row), f.op("cos", x), f.op("cos", f.narrow(x, 1, 2))).Graph
	want := `graph f(x: f32[4, 2], y: f32[2]) {
  sin: f32[4, 2] = sin(x)
  narrow: f32[2, 2] = narrow(sin; dim=0, start=1, length=2)
  select: f32[2] = select(narrow; i=0)
  add: f32[2] = add(select, y)
  put_view: f32[2, 2] = put_view(narrow, add; view="select", i=0)
  put_view_1: f32[4, 2] = put_view(sin, put_view; view="narrow", dim=0, start=1, length=2)
  cos: f32[2] = cos(add)
  cos_1: f32[4, 2] = cos(put_view_1)
  narrow_1: f32[2, 2] = narrow(put_view_1; dim=0, start=1, length=2)
  cos_2: f32[2, 2] = cos(narrow_1)
  return cos, cos_1, cos_2
}
`
	if got := checked(t, g); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// D15: a write by an inner branch to the outer carry is reported by both, each once; the outer one after its body was
// aborted by the inner refusal.
func TestNestedWriteIsReportedByBothOperators(t *testing.T) {
	_, b, a, _, x := scanBody(t)
	inner := b.child("cond", "onTrue", "onTrue")
	inner.addInPlace(inner.narrow(a, 0, 3), x)
	inner.addInPlace(inner.op("clone", x), x)
	inner.close(hopcheck.Output, inner.op("sin", x))
	if got, want := messages(inner.found), "cond: true branch writes captured carry.A through AddInPlace (HOP104); return the new value instead, e.g. carry.A.Add(…)"; got != want {
		t.Errorf("inner: got %s\nwant %s", got, want)
	}
	if got, want := inner.found[0].Path, "trace / scan / cond.onTrue"; got != want {
		t.Errorf("got path %s, want %s", got, want)
	}
	if got, want := messages(b.Abort()), "scan: combine function writes its carry.A through AddInPlace (HOP101); write a new tensor instead, e.g. carry.A.Add(…)"; got != want {
		t.Errorf("outer: got %s\nwant %s", got, want)
	}
}

// An inner body that breaks a role of its own is reported there alone.
func TestInnerRoleIsReportedThereAlone(t *testing.T) {
	_, b, a, _, x := scanBody(t)
	inner := b.child("scan", "combine", "combine")
	c := inner.Input("carry", a.Meta(), hopcheck.Place{Role: hopcheck.Carry})
	inner.addInPlace(c, x)
	inner.close(hopcheck.NextCarry, inner.op("clone", c))
	if len(inner.found) != 1 || inner.found[0].Code != hopcheck.MutatedCarry {
		t.Errorf("inner: got %s", messages(inner.found))
	}
	if got := messages(b.Abort()); got != "" {
		t.Errorf("outer: got %s, want nothing", got)
	}
}

// After a refused inner body the outer trace goes on with what its own values contained.
func TestInnerWriteEndsWithTheInnerBody(t *testing.T) {
	_, b, a, _, x := scanBody(t)
	inner := b.child("cond", "onTrue", "onTrue")
	inner.addInPlace(a, x)
	n, err := inner.Use(a)
	inner.must(err)
	if n.Op != "add" {
		t.Errorf("inside: got %s, want add", n.Op)
	}
	inner.Abort()
	n, err = b.Use(a)
	b.must(err)
	if n.Op != OpInput {
		t.Errorf("outside: got %s, want %s", n.Op, OpInput)
	}
}

// K21
func TestLeaks(t *testing.T) {
	f := newTrace(t, "f")
	x := f.operand("x", TensorMeta(Float32, 3))
	b := f.child("scan", "combine", "combine")
	y := b.op("sin", x)
	b.close(hopcheck.NextCarry, b.op("clone", y))
	_, err := f.Emit1("cos", []*Value{y}, nil, y.Meta(), line(40))
	var e *Error
	if !errors.As(err, &e) || !errors.Is(err, hopcheck.LeakedTensor) {
		t.Fatalf("got %v, want a HOP402", err)
	}
	want := "f.go:40:3: scan: a tensor made in the combine function of trace / scan at f.go:10:3 is used after its trace ended, in trace at f.go:1:3 " +
		"(the trace was that of the call at f.go:2:3) (HOP402); return the tensor as an output of the body"
	if err.Error() != want {
		t.Errorf("got  %s\nwant %s", err, want)
	}
	if _, err := Join(x, y); !errors.Is(err, hopcheck.LeakedTensor) {
		t.Errorf("Join: got %v, want HOP402", err)
	}
	other := NewTracer(Options{Name: "g", Born: 0})
	if _, err := other.Use(x); !errors.Is(err, hopcheck.LeakedTensor) || !strings.Contains(err.Error(), "in another trace") {
		t.Errorf("foreign: got %v, want HOP402", err)
	}
	_, found := f.Close([]Output{{y, hopcheck.Place{Role: hopcheck.Output}}, {f.op("sin", x), hopcheck.Place{Role: hopcheck.Output}}})
	if len(found) != 1 || found[0].Code != hopcheck.LeakedTensor || len(f.Graph().Outputs) != 1 {
		t.Errorf("output: got %s and outputs %s", messages(found), nodeNames(f.Graph().Outputs))
	}
	if _, err := f.Emit1("sin", []*Value{x}, nil, x.Meta(), line(50)); err == nil {
		t.Error("recorded in a closed trace")
	}
}
