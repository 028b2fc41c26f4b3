package hop_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

// names are the ops of a log, in order.
func names(log *hop.DispatchLog) []string {
	var list []string
	for _, c := range log.Calls() {
		list = append(list, c.Name)
	}
	return list
}

// TestDispatch is part O of the cases: which levels a call passes is decided by its operands alone.
func TestDispatch(t *testing.T) {
	xs := f64(1, 2, 3)
	grad := func(v T) T { v.SetRequiresGrad(true); return v }
	// passed runs f under a log and reports whether any call named op entered autograd.
	passed := func(t *testing.T, op string, f func(o hop.Option)) bool {
		t.Helper()
		var log hop.DispatchLog
		f(hop.Observe(&log))
		entered, seen := false, false
		for _, c := range log.Calls() {
			if c.Name == op {
				seen = true
				entered = entered || slices.Contains(c.Levels, hop.LevelAutograd)
			}
		}
		if !seen {
			t.Errorf("no call of %s in:\n%s", op, &log)
		}
		return entered
	}
	type deep struct{ A struct{ B []map[string]T } }
	leaf := func(v T) deep { var d deep; d.A.B = []map[string]T{{"x": v}}; return d }
	for _, tc := range []struct {
		number string
		want   bool
		run    func(o []hop.Option) T
	}{
		{"O1", false, func(o []hop.Option) T {
			c, _ := hop.Scan(func(c, x T) (T, T) { return c.Mul(x), x.Clone() }, s64(1), xs, o...)
			return c
		}},
		{"O3", true, func(o []hop.Option) T {
			w := grad(s64(2))
			c, _ := hop.Scan(func(c, x T) (T, T) { return c.Mul(w), x.Clone() }, s64(1), xs, o...)
			return c
		}},
		{"O4", true, func(o []hop.Option) T {
			c, _ := hop.Scan(func(c deep, x T) (deep, T) { return leaf(c.A.B[0]["x"].Mul(x)), x.Clone() }, leaf(grad(s64(1))), xs, o...)
			return c.A.B[0]["x"]
		}},
		{"O5", false, func(o []hop.Option) T {
			c, _ := hop.Scan(func(c, x T) (T, T) { return c.Mul(x), x.Clone() }, hop.Scalar(int64(1)), i64(1, 2), o...)
			return c
		}},
	} {
		inModes(t, tc.number, func(t *testing.T, o ...hop.Option) {
			var result T
			for _, op := range []string{"scan", "mul"} {
				if got := passed(t, op, func(obs hop.Option) { result = tc.run(with(o, obs)) }); got != tc.want {
					t.Errorf("%s entered autograd: %t, want %t", op, got, tc.want)
				}
			}
			if result.RequiresGrad() != tc.want {
				t.Errorf("result requires grad: %t, want %t", result.RequiresGrad(), tc.want)
			}
		})
	}
}

func TestObserverSeesEachExecutedOp(t *testing.T) {
	body := func(c, x T) (T, T) {
		n := c.MulScalar(0.5)
		n = n.Add(x)
		return n, n.Neg()
	}
	inModes(t, "ops", func(t *testing.T, o ...hop.Option) {
		var log hop.DispatchLog
		hop.Scan(body, s64(0), f64(1, 2), with(o, hop.Observe(&log))...)
		want := []string{"mul_scalar", "add", "neg", "mul_scalar", "add", "neg", "scan"}
		if got := names(&log); !slices.Equal(got, want) {
			t.Fatalf("saw %v, want %v", got, want)
		}
		for i, c := range log.Calls() {
			if !strings.HasSuffix(c.Position.Filename, "observe_test.go") {
				t.Errorf("%s stands at %v", c.Name, c.Position)
			}
			path := fmt.Sprintf("scan[%d]", i/3)
			if c.Name == "scan" {
				path = ""
			}
			if c.Path != path {
				t.Errorf("%s has path %q, want %q", c.Name, c.Path, path)
			}
			if c.Levels[0] != hop.LevelObserve || c.Levels[len(c.Levels)-1] != hop.LevelDense {
				t.Errorf("%s passed %v", c.Name, c.Levels)
			}
		}
		first := log.Calls()[1]
		if first.Position.Line != log.Calls()[0].Position.Line+1 {
			t.Errorf("mul_scalar stands at line %d, add at %d", log.Calls()[0].Position.Line, first.Position.Line)
		}
		if got := first.String(); got != "scan[0] / add(float64[], float64[]) -> float64[] via observe, dense" {
			t.Errorf("printed %q", got)
		}
	})
	inModes(t, "same values", func(t *testing.T, o ...hop.Option) {
		var log hop.DispatchLog
		c, ys := hop.Scan(body, s64(0), f64(1, 2), with(o, hop.Observe(&log))...)
		d, zs := hop.Scan(body, s64(0), f64(1, 2), o...)
		check(t, "carry", c, []int{}, numbers(d)...)
		check(t, "ys", ys, []int{2}, numbers(zs)...)
		n := len(log.Calls())
		ys.Add(c)
		if len(log.Calls()) != n {
			t.Error("Observe of a HOP saw an op behind it")
		}
	})
}

// TestObserversSeeTheSameInBothModes: each executed op and operator, in order, with the line that wrote it and the path of
// operators around it, in which a branch has its name.
func TestObserversSeeTheSameInBothModes(t *testing.T) {
	seen := func(o ...hop.Option) []string {
		var log hop.DispatchLog
		hop.Scan(func(c, x T) (T, hop.None) {
			a := hop.Cond(x.GtScalar(1), func(v T) T { return v.Sin() }, func(v T) T {
				return hop.Map(func(e T) T { return e.Neg() }, v.Unsqueeze(0)).Sum()
			}, c)
			b := hop.WhileLoop(func(v T) T { return v.LtScalar(1) }, func(v T) T { return v.AddScalar(2) }, a)
			d := hop.Switch(hop.Scalar(int64(1)), []func(T) T{func(v T) T { return v.Neg() }, func(v T) T { return v.Abs() }}, b)
			e := hop.ForLoop(0, 1, func(_, v T) T { return v.Cos() }, d)
			f := hop.Checkpoint(func(v T) T { return v.Exp() })(e)
			g := hop.Subgraph("tanh", func(v T) T { return v.Tanh() })(f)
			h := hop.AssociativeScan(func(a, b T) T { return a.Mul(b) }, hop.Stack(0, g, g)).Sum()
			return h.Add(x), hop.None{}
		}, s64(0.5), f64(1, 2), with(o, hop.Observe(&log))...)
		var list []string
		for _, c := range log.Calls() {
			list = append(list, fmt.Sprintf("%s / %s:%d", c.Path, c.Name, c.Position.Line))
		}
		return list
	}
	traced, stepwise := seen(), seen(hop.Stepwise())
	if !slices.Equal(traced, stepwise) {
		t.Errorf("traced:\n%s\nstepwise:\n%s", strings.Join(traced, "\n"), strings.Join(stepwise, "\n"))
	}
	for _, want := range []string{
		"scan[0] / cond.onFalse / map[0] / neg:", "scan[0] / cond.onFalse / map:", "scan[0] / cond:", "scan[1] / cond.onTrue / sin:",
		"scan[0] / while_loop[0].cond / lt_scalar:", "scan[0] / while_loop[0].body / add_scalar:", "scan[0] / while_loop:",
		"scan[0] / switch.1 / abs:", "scan[1] / for_loop[0] / cos:", "scan[0] / checkpoint / exp:", "scan[0] / subgraph / tanh:",
		"scan[0] / associative_scan[0] / mul:", " / scan:",
	} {
		if !slices.ContainsFunc(traced, func(line string) bool { return strings.HasPrefix(line, want) }) {
			t.Errorf("no %q in\n%s", want, strings.Join(traced, "\n"))
		}
	}
}

func TestWithObserver(t *testing.T) {
	var log hop.DispatchLog
	inner := func(c, x T) (T, T) { return c.Add(x), c.Clone() }
	f := hop.WithObserver(&log, func(x T) T {
		c, _ := hop.Scan(inner, s64(0), x.MulScalar(2))
		return c.Neg()
	})
	y := f(f64(1, 2))
	check(t, "result", y, []int{}, -6)
	if got, want := names(&log), []string{"mul_scalar", "add", "clone", "add", "clone", "scan", "neg"}; !slices.Equal(got, want) {
		t.Errorf("saw %v, want %v", got, want)
	}
	n := len(log.Calls())
	y.Add(y)
	if len(log.Calls()) != n {
		t.Error("the observer stayed on the result")
	}
	func() {
		defer func() { recover() }()
		hop.WithObserver(&log, func(x T) T { x.Neg(); panic("mine") })(y)
	}()
	if len(log.Calls()) != n+1 {
		t.Errorf("saw %d calls before the panic, want 1", len(log.Calls())-n)
	}
	y.Add(y)
	if len(log.Calls()) != n+1 {
		t.Error("the observer stayed on after a panic")
	}
	refusedWith(t, func() { hop.WithObserver[T, T](nil, func(x T) T { return x.Neg() })(y) }, "observer")
}

// TestWithObserverContract is the row of WithObserver: a function that is observed must be one that may be traced.
func TestWithObserverContract(t *testing.T) {
	var log hop.DispatchLog
	w := f64(3, 4)
	for name, tc := range map[string]struct {
		f    func(x T) [2]T
		code hopcheck.Code
	}{
		"writes":          {func(x T) [2]T { x.AddScalarInPlace(1); return [2]T{x.Neg(), x.Abs()} }, hopcheck.MutatedOperand},
		"writes captured": {func(x T) [2]T { w.AddInPlace(x); return [2]T{x.Neg(), x.Abs()} }, hopcheck.MutatedCaptured},
		"returns":         {func(x T) [2]T { return [2]T{x.View(2), x.Neg()} }, hopcheck.OutputAliasesInput},
		"returns twice":   {func(x T) [2]T { y := x.Neg(); return [2]T{y, y} }, hopcheck.OutputsAlias},
	} {
		x := f64(1, 2)
		e := refused(t, func() { hop.WithObserver(&log, tc.f)(x) })
		if !errors.Is(e, tc.code) {
			t.Errorf("%s: %s", name, e)
		}
		check(t, name+": x", x, []int{2}, 1, 2)
		check(t, name+": w", w, []int{2}, 3, 4)
		e = refused(t, func() {
			hop.Scan(func(c, x T) (T, T) { return c.Clone(), hop.WithObserver(&log, tc.f)(x.Neg())[1] }, s64(0), hop.Ones(hop.Float64, 3, 2))
		})
		if !errors.Is(e, tc.code) {
			t.Errorf("%s in a traced body: %s", name, e)
		}
	}
}

// An observer put on inside a traced body sees the recording; one put on outside sees the execution only.
func TestObserverInsideATracedBody(t *testing.T) {
	var inside, outside hop.DispatchLog
	hop.Scan(func(c, x T) (T, T) {
		y := hop.WithObserver(&inside, func(x T) T { return x.Sin() })(x)
		return c.Add(y), x.Clone()
	}, s64(0), f64(1, 2, 3), hop.Observe(&outside))
	if got := inside.Calls(); len(got) != 1 || got[0].Name != "sin" || !slices.Equal(got[0].Levels, []hop.Level{hop.LevelObserve, hop.LevelTrace}) {
		t.Errorf("inside saw:\n%s", &inside)
	}
	if got := strings.Count(outside.String(), "sin("); got != 3 {
		t.Errorf("outside saw sin %d times, want 3:\n%s", got, &outside)
	}
}
