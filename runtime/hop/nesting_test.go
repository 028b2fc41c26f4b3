package hop_test

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

// TestNesting is part M of the nesting cases, beside what TestNestedScan says of scans in scans.
func TestNesting(t *testing.T) {
	xs := []float64{0.5, -2, 3, -0.25}
	one := func(x T) T { return x.AddScalar(1) }

	// Each row is a body of a scan with another operator in it, and the same as a plain loop.
	for _, tc := range []struct {
		name string
		body func(c, x T) T
		loop func(c, x float64) float64
	}{
		{"while in scan", func(c, x T) T {
			return hop.WhileLoop(func(v T) T { return v.Mul(v).LtScalar(50) }, func(v T) T { return v.MulScalar(2).Add(x) }, c.AddScalar(1))
		}, func(c, x float64) float64 {
			for c++; c*c < 50; {
				c = 2*c + x
			}
			return c
		}},
		{"cond in while", func(c, x T) T {
			type state struct{ N, V T }
			last := hop.WhileLoop(func(s state) T { return s.N.LtScalar(3) }, func(s state) state {
				v := hop.Cond(s.V.GtScalar(0), func(v T) T { return v.Sub(x.Abs()) }, func(v T) T { return v.MulScalar(-2) }, s.V)
				return state{one(s.N), v}
			}, state{s64(0), c.Add(x)})
			return last.V
		}, func(c, x float64) float64 {
			v := c + x
			for range 3 {
				if v > 0 {
					v -= math.Abs(x)
				} else {
					v *= -2
				}
			}
			return v
		}},
		{"map in scan", func(c, x T) T {
			return hop.Map(func(v T) T { return v.Mul(x).Add(c) }, hop.Stack(0, c, x, c.Neg())).Sum()
		}, func(c, x float64) float64 { return (c*x + c) + (x*x + c) + (-c*x + c) }},
		{"associative scan in cond", func(c, x T) T {
			sums := func(v T) T { return hop.AssociativeScan(func(a, b T) T { return a.Add(b) }, v).Sum() }
			return hop.Cond(x.GtScalar(0), sums, func(v T) T { return v.Prod() }, hop.Stack(0, c, x, c))
		}, func(c, x float64) float64 {
			if x > 0 {
				return c + (c + x) + (c + x + c)
			}
			return c * x * c
		}},
		{"switch in for in scan", func(c, x T) T {
			return hop.ForLoop(0, 4, func(i, v T) T {
				return hop.Switch(i, []func(T) T{one, func(v T) T { return v.Mul(x) }, func(v T) T { return v.Sub(c) }}, v)
			}, c)
		}, func(c, x float64) float64 { return ((c+1)*x - c) - c }},
	} {
		inModes(t, "M3 "+tc.name, func(t *testing.T, o ...hop.Option) {
			want, all := 0.75, []float64{}
			for _, x := range xs {
				want = tc.loop(want, x)
				all = append(all, want)
			}
			in := leafs(s64(0.75), f64(xs...))
			c, ys := hop.Scan(func(c, x T) (T, T) { n := tc.body(c, x); return n, n.Clone() }, in[0], in[1], o...)
			check(t, "carry", c, []int{}, want)
			check(t, "ys", ys, []int{len(xs)}, all...)
			c.Backward()
			const d = 1e-6
			value := func(init float64) float64 {
				for _, x := range xs {
					init = tc.loop(init, x)
				}
				return init
			}
			near(t, "gradient of init", in[0].Grad(), 1e-5*(1+math.Abs(want)), (value(0.75+d)-value(0.75-d))/(2*d))
		})
	}

	inModes(t, "M6", func(t *testing.T, o ...hop.Option) {
		w := leafs(s64(3))[0]
		c, _ := hop.Scan(func(c, x T) (T, hop.None) {
			row := hop.Map(func(v T) T {
				return hop.ForLoop(0, 2, func(_, a T) T { return a.Add(w.Mul(v)) }, w.Mul(x))
			}, f64(1, 10))
			return c.Add(row.Sum()).Add(w), hop.None{}
		}, s64(0), f64(1, 2), o...)
		// A step adds 2·(w·x) + 2·w·(1 + 10) + w.
		check(t, "value", c, []int{}, 3*(2*3+2*22+2))
		c.Backward()
		check(t, "gradient", w.Grad(), []int{}, 2*3+2*22+2)
	})

	for _, predicate := range []struct {
		name string
		of   func(x T) T
	}{
		{"operand", func(x T) T { return x.GtScalar(0) }},
		{"captured", func(T) T { return hop.Scalar(true) }},
	} {
		inModes(t, "M8 predicate of the "+predicate.name, func(t *testing.T, o ...hop.Option) {
			const depth = 20
			var calls [depth]int
			var level func(d int, o ...hop.Option) func(x T) T
			level = func(d int, o ...hop.Option) func(x T) T {
				return func(x T) T {
					if d == depth {
						return x.MulScalar(2)
					}
					return hop.Cond(predicate.of(x), func(x T) T {
						calls[d]++
						return level(d + 1)(x.AddScalar(1))
					}, func(x T) T { return x.Neg() }, x, o...)
				}
			}
			w := leafs(s64(1))[0]
			y := level(0, o...)(w)
			y.Backward()
			check(t, "value", y, []int{}, 2*(1+depth))
			check(t, "gradient", w.Grad(), []int{}, 2)
			for d, n := range calls {
				if n > 2 {
					t.Errorf("the branch of level %d was traced %d times, want at most twice", d, n)
				}
			}
		})
	}

	t.Run("M8 branches that nest on both sides", func(t *testing.T) {
		const depth = 6 // 2^depth - 1 operators by themselves
		calls := 0
		var level func(d int) func(x T) T
		level = func(d int) func(x T) T {
			return func(x T) T {
				if d == depth {
					return x.MulScalar(2)
				}
				branch := func(sign float64) func(x T) T {
					return func(x T) T { calls++; return level(d + 1)(x.AddScalar(sign)) }
				}
				return hop.Cond(x.GtScalar(0), branch(-1), branch(1), x)
			}
		}
		check(t, "value", level(0)(s64(0.5)), []int{}, 1)
		if want := 1<<(depth+1) - 2; calls != want {
			t.Errorf("branches were called %d times, want each of the %d once", calls, want)
		}
	})
}

// TestErrorsNameThePathOfOperators is M4: what goes wrong while bodies run stands at the op's line, with the operators around it
// and the step, however the bodies run.
func TestErrorsNameThePathOfOperators(t *testing.T) {
	row := f64(10, 20)
	yes, second := hop.Scalar(true), hop.Scalar(int64(1))
	_, _, pickLine, _ := runtime.Caller(0)
	pickLine += 2
	pick := func(i T) T { return row.At(0, i) } // fails for i = 2
	for _, tc := range []struct {
		path string
		f    func(x T, o ...hop.Option)
	}{
		{"scan[2]", func(x T, o ...hop.Option) {
			hop.Scan(func(c, i T) (T, hop.None) { return c.Add(pick(i)), hop.None{} }, x, i64(0, 1, 2, 0), o...)
		}},
		{"scan[1]", func(x T, o ...hop.Option) { // the steps of a reversed scan count in the order in which they run
			hop.Scan(func(c, i T) (T, hop.None) { return c.Add(pick(i)), hop.None{} }, x, i64(0, 1, 2, 0), with(o, hop.Reverse())...)
		}},
		{"scan[2] / cond.onTrue", func(x T, o ...hop.Option) {
			hop.Scan(func(c, i T) (T, hop.None) {
				return hop.Cond(yes, func(v T) T { return v.Mul(pick(i)) }, func(v T) T { return v.Neg() }, c), hop.None{}
			}, x, i64(0, 1, 2, 0), o...)
		}},
		{"for_loop[2] / switch.1", func(x T, o ...hop.Option) {
			hop.ForLoop(0, 4, func(i, c T) T {
				return hop.Switch(second, []func(T) T{func(v T) T { return v.Neg() }, func(v T) T { return v.Mul(pick(i)) }}, c)
			}, x, o...)
		}},
		{"while_loop[2].body", func(x T, o ...hop.Option) {
			type state struct{ I, V T }
			hop.WhileLoop(func(s state) T { return s.I.LtScalar(5) }, func(s state) state { return state{s.I.AddScalar(1), s.V.Add(pick(s.I))} },
				state{hop.Scalar(int64(0)), x}, o...)
		}},
		{"while_loop[2].cond", func(x T, o ...hop.Option) {
			type state struct{ I, V T }
			hop.WhileLoop(func(s state) T { return pick(s.I).GtScalar(0) }, func(s state) state { return state{s.I.AddScalar(1), s.V.Neg()} },
				state{hop.Scalar(int64(0)), x}, o...)
		}},
		{"cond.onFalse / map[2]", func(x T, o ...hop.Option) {
			hop.Cond(hop.Scalar(false), func(v T) T { return v.Neg() }, func(v T) T {
				return hop.Map(func(i T) T { return pick(i).Mul(v) }, i64(0, 1, 2)).Sum()
			}, x, o...)
		}},
		{"scan[2] / subgraph", func(x T, o ...hop.Option) {
			f := hop.Subgraph("pick", pick)
			hop.Scan(func(c, i T) (T, hop.None) { return c.Add(f(i)), hop.None{} }, x, i64(0, 1, 2, 0), o...)
		}},
		{"scan[2] / checkpoint", func(x T, o ...hop.Option) {
			f := hop.Checkpoint(pick)
			hop.Scan(func(c, i T) (T, hop.None) { return c.Add(f(i)), hop.None{} }, x, i64(0, 1, 2, 0), o...)
		}},
	} {
		for _, grad := range []bool{false, true} {
			for _, m := range []struct {
				name string
				opts []hop.Option
			}{{"traced", nil}, {"stepwise", []hop.Option{hop.Stepwise()}}, {"observed", []hop.Option{hop.Observe(&hop.DispatchLog{})}}} {
				t.Run(fmt.Sprintf("M4 %s/%s, grad %t", tc.path, m.name, grad), func(t *testing.T) {
					e := refused(t, func() { tc.f(s64(1).SetRequiresGrad(grad), m.opts...) })
					if e.Operators != tc.path {
						t.Errorf("path is %q, want %q:\n%s", e.Operators, tc.path, e)
					}
					if e.Op != "At" || !strings.Contains(e.Error(), "2") || e.Position.Line != pickLine {
						t.Errorf("op %s at %v, want At at line %d:\n%s", e.Op, e.Position, pickLine, e)
					}
					if want := strings.IndexByte(tc.path, '['); want >= 0 && fmt.Sprint(e.Step) != tc.path[want+1:want+2] {
						t.Errorf("step is %d in %s:\n%s", e.Step, tc.path, e)
					}
				})
			}
		}
	}
}

// TestNestedGraphs is J10 on the graph: the body of the inner map stands inside that of the outer one.
func TestNestedGraphs(t *testing.T) {
	t.Run("J10", func(t *testing.T) {
		p, err := hop.Trace(func(x T) T {
			return hop.Map(func(row T) T { return hop.Map(func(v T) T { return v.Mul(row.Sum()) }, row) }, x)
		}, hop.Ones(hop.Float64, 2, 2))
		if err != nil {
			t.Fatal(err)
		}
		g := p.Graph()
		for depth := range 2 {
			var maps int
			for _, n := range g.Nodes {
				if n.Op == "map" {
					maps++
					g = n.Graphs[0]
				}
			}
			if maps != 1 {
				t.Fatalf("%d maps at depth %d, want 1:\n%s", maps, depth, p.Graph())
			}
		}
		if !strings.Contains(g.String(), "mul") {
			t.Errorf("the innermost body is\n%s", g)
		}
	})
}

// TestRefusalsRestoreEveryOperand is D20: after a refusal inputs and captured tensors hold what they held, in bytes and
// version, whichever operator it was and however late the body was refused.
func TestRefusalsRestoreEveryOperand(t *testing.T) {
	w := f64(5, 6)
	bad := func(x T) T { // writes everything in reach, through views and twice
		x.T().AddScalarInPlace(1)
		w.Narrow(0, 0, 1).MulInPlace(x.Sum())
		w.AddInPlace(x.Sum())
		return x.Neg()
	}
	type run = func(x T, o ...hop.Option)
	for _, tc := range []struct {
		name string
		code hopcheck.Code
		run  run
		both bool // has an option for Stepwise
	}{
		{"scan, carry", hopcheck.MutatedCarry, func(x T, o ...hop.Option) {
			hop.Scan(func(c, _ T) (T, hop.None) { return bad(c), hop.None{} }, x, f64(1, 2), o...)
		}, true},
		{"scan, x", hopcheck.MutatedX, func(x T, o ...hop.Option) {
			hop.Scan(func(c, x T) (T, hop.None) { bad(x); return c.Neg(), hop.None{} }, s64(0), x.Unsqueeze(0), o...)
		}, true},
		{"map", hopcheck.MutatedX, func(x T, o ...hop.Option) { hop.Map(bad, x, o...) }, true},
		{"vmap", hopcheck.MutatedX, func(x T, o ...hop.Option) { hop.VMap(bad, o...)(x) }, true},
		{"associative scan", hopcheck.MutatedOperand, func(x T, o ...hop.Option) {
			hop.AssociativeScan(func(a, b T) T { bad(a); return b.Neg() }, x, o...)
		}, true},
		{"cond", hopcheck.MutatedOperand, func(x T, o ...hop.Option) { hop.Cond(hop.Scalar(true), bad, bad, x, o...) }, true},
		{"switch", hopcheck.MutatedOperand, func(x T, o ...hop.Option) {
			hop.Switch(hop.Scalar(int64(1)), []func(T) T{bad, bad}, x, o...)
		}, true},
		{"while, body", hopcheck.MutatedCarry, func(x T, o ...hop.Option) {
			hop.WhileLoop(func(c T) T { return c.Sum().LtScalar(100) }, bad, x, o...)
		}, true},
		{"while, cond", hopcheck.MutatedCarry, func(x T, o ...hop.Option) {
			hop.WhileLoop(func(c T) T { return bad(c).Sum().LtScalar(0) }, func(c T) T { return c.Neg() }, x, o...)
		}, true},
		{"for", hopcheck.MutatedCarry, func(x T, o ...hop.Option) { hop.ForLoop(0, 2, func(_, c T) T { return bad(c) }, x, o...) }, true},
		{"checkpoint", hopcheck.MutatedOperand, func(x T, _ ...hop.Option) { hop.Checkpoint(bad)(x) }, false},
		{"subgraph", hopcheck.MutatedOperand, func(x T, _ ...hop.Option) { hop.Subgraph("bad", bad)(x) }, false},
		{"custom_vjp", hopcheck.MutatedOperand, func(x T, _ ...hop.Option) {
			hop.CustomVJP(func(x T) (T, hop.None) { return bad(x), hop.None{} }, func(_ hop.None, dy T) T { return dy.Clone() })(x)
		}, false},
		{"grad", hopcheck.MutatedOperand, func(x T, _ ...hop.Option) { hop.Grad(func(x T) T { return bad(x).Sum() })(x) }, false},
		{"observed", hopcheck.MutatedOperand, func(x T, _ ...hop.Option) { hop.WithObserver(&hop.DispatchLog{}, bad)(x) }, false},
		{"compile", hopcheck.MutatedOperand, func(x T, _ ...hop.Option) { hop.Must(hop.Compile(bad))(x) }, false},
	} {
		test := func(t *testing.T, o ...hop.Option) {
			x := f64(1, 2)
			e := refused(t, func() { tc.run(x, o...) })
			for _, code := range []hopcheck.Code{tc.code, hopcheck.MutatedCaptured} {
				if !e.Is(code) {
					t.Errorf("no %s in:\n%s", string(code), e)
				}
			}
			for name, u := range map[string]T{"x": x, "w": w} {
				if got, want := fmt.Sprint(u, u.Version()), map[string]string{"x": "[1 2] 0", "w": "[5 6] 0"}[name]; got != want {
					t.Errorf("%s and its version are %s after the refusal, want %s", name, got, want)
				}
			}
		}
		if tc.both {
			inModes(t, "D20 "+tc.name, test)
		} else {
			t.Run("D20 "+tc.name, func(t *testing.T) { test(t) })
		}
	}
}
