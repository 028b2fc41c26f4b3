package hop_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/runtime/hop"
)

// observed are operators with a body that takes the hook h, an op behind it and no other, of f64(1, 2).
var observed = []struct {
	name string
	run  func(x T, h func(), o ...hop.Option) T
	ops  []string // what observers see, paths included
}{
	{"scan", func(x T, h func(), o ...hop.Option) T {
		_, ys := hop.Scan(func(c, x T) (T, T) { h(); return c.Neg(), x.Sin() }, x, x, o...)
		return ys
	}, []string{"scan[0] / neg", "scan[0] / sin", "scan[1] / neg", "scan[1] / sin", "scan"}},
	{"map", func(x T, h func(), o ...hop.Option) T { return hop.Map(func(x T) T { h(); return x.Sin() }, x, o...) },
		[]string{"map[0] / sin", "map[1] / sin", "map"}},
	{"map with BatchSize", func(x T, h func(), o ...hop.Option) T {
		return hop.Map(func(x T) T { h(); return x.Sin() }, x, with(o, hop.BatchSize(2))...)
	}, []string{"map[0] / sin", "map[1] / sin", "map"}},
	{"vmap", func(x T, h func(), o ...hop.Option) T { return hop.VMap(func(x T) T { h(); return x.Sin() }, o...)(x) },
		[]string{"vmap[0] / sin", "vmap[1] / sin", "vmap"}},
	{"associative scan", func(x T, h func(), o ...hop.Option) T {
		return hop.AssociativeScan(func(a, b T) T { h(); return a.Mul(b) }, x, o...)
	}, []string{"associative_scan[0] / mul", "associative_scan"}},
	{"cond", func(x T, h func(), o ...hop.Option) T {
		return hop.Cond(hop.Scalar(false), func(x T) T { return x.Neg() }, func(x T) T { h(); return x.Sin() }, x, o...)
	}, []string{"cond.onFalse / sin", "cond"}},
	{"switch", func(x T, h func(), o ...hop.Option) T {
		return hop.Switch(hop.Scalar(int64(1)), []func(T) T{func(x T) T { return x.Neg() }, func(x T) T { h(); return x.Sin() }}, x, o...)
	}, []string{"switch.1 / sin", "switch"}},
	{"while", func(x T, h func(), o ...hop.Option) T {
		type state struct{ N, X T }
		return hop.WhileLoop(func(s state) T { return s.N.LtScalar(1) }, func(s state) state { h(); return state{s.N.AddScalar(1), s.X.Sin()} },
			state{x.Select(0, 0).Detach(), x}, o...).X
	}, nil}, // its count is derived from x, see below
	{"for", func(x T, h func(), o ...hop.Option) T {
		return hop.ForLoop(0, 2, func(_, c T) T { h(); return c.Sin() }, x, o...)
	}, []string{"for_loop[0] / sin", "for_loop[1] / sin", "for_loop"}},
	{"checkpoint", func(x T, h func(), _ ...hop.Option) T { return hop.Checkpoint(func(x T) T { h(); return x.Sin() })(x) },
		[]string{"checkpoint / sin", "checkpoint"}},
	{"subgraph", func(x T, h func(), _ ...hop.Option) T {
		return hop.Subgraph("s", func(x T) T { h(); return x.Sin() })(x)
	},
		[]string{"subgraph / sin", "subgraph"}},
}

// seen are the calls of a log with their paths.
func seen(log *hop.DispatchLog) []string {
	var list []string
	for _, c := range log.Calls() {
		s := c.Name
		if c.Path != "" {
			s = c.Path + " / " + s
		}
		list = append(list, s)
	}
	return list
}

// TestEagerOperatorsUnderAnObserver: a body is traced with observers off, and its graph runs under them, each op with the
// line that wrote it. Values are those without an observer.
func TestEagerOperatorsUnderAnObserver(t *testing.T) {
	for _, tc := range observed {
		t.Run(tc.name, func(t *testing.T) {
			var log hop.DispatchLog
			calls := 0
			hook := func() {
				calls++
				for _, c := range log.Calls() {
					if c.Path != "" { // what the loop's setting up does stands outside
						t.Errorf("an observer was told of %s while the body was traced", c)
					}
				}
			}
			x := f64(1, 2)
			y := hop.WithObserver(&log, func(x T) T { return tc.run(x, hook) })(x)
			want := tc.run(x, func() {})
			check(t, "result", y, want.Shape(), numbers(want)...)
			if calls != 1 {
				t.Errorf("the body was called %d times, want once", calls)
			}
			if got := seen(&log); tc.ops != nil && !slices.Equal(got, tc.ops) {
				t.Errorf("saw %q, want %q", got, tc.ops)
			}
			for _, c := range log.Calls() {
				if !strings.HasSuffix(c.Position.Filename, "observe_operators_test.go") || c.Levels[0] != hop.LevelObserve {
					t.Errorf("%s stands at %v and passed %v", c.Name, c.Position, c.Levels)
				}
			}
			// The same by the option and by a program.
			var option, program hop.DispatchLog
			if !slices.Contains([]string{"checkpoint", "subgraph", "while"}, tc.name) {
				tc.run(x, func() {}, hop.Observe(&option))
				if got := seen(&option); !slices.Equal(got, tc.ops) {
					t.Errorf("by Observe: saw %q, want %q", got, tc.ops)
				}
			}
			compiled := hop.NewCompiled(func(x T) T { return tc.run(x, func() {}) })
			if _, err := compiled.Call(x, hop.Observe(&program)); err != nil {
				t.Fatal(err)
			}
			if got := seen(&program); tc.ops != nil && !slices.Equal(got, append(slices.Clone(tc.ops), "compile")) {
				t.Errorf("of a program: saw %q, want %q", got, tc.ops)
			}
		})
	}
	t.Run("while, each turn", func(t *testing.T) {
		var log hop.DispatchLog
		y := hop.WithObserver(&log, func(x T) T {
			return hop.WhileLoop(func(x T) T { return x.LtScalar(5) }, func(x T) T { return x.MulScalar(2) }, x)
		})(s64(2))
		check(t, "result", y, []int{}, 8)
		want := []string{"while_loop[0].cond / lt_scalar", "while_loop[0].body / mul_scalar", "while_loop[1].cond / lt_scalar",
			"while_loop[1].body / mul_scalar", "while_loop[2].cond / lt_scalar", "while_loop"}
		if got := seen(&log); !slices.Equal(got, want) {
			t.Errorf("saw %q, want %q", got, want)
		}
	})
}

// note is an observer that writes its name and the op to a list.
type note struct {
	name string
	list *[]string
}

func (n note) Op(c hop.OpCall) { *n.list = append(*n.list, n.name+" "+c.Name) }

// TestNestedObservers: the outermost is told first, of every op; an inner one of its own part.
func TestNestedObservers(t *testing.T) {
	for _, tc := range observed {
		if tc.ops == nil {
			continue
		}
		t.Run(tc.name, func(t *testing.T) {
			var list []string
			f := hop.WithObserver(note{"outer", &list}, func(x T) T {
				y := hop.WithObserver(note{"inner", &list}, func(x T) T { return tc.run(x, func() {}) })(x)
				return y.Abs()
			})
			f(f64(1, 2))
			var want []string
			for _, op := range tc.ops {
				op = op[strings.LastIndexByte(op, ' ')+1:]
				want = append(want, "outer "+op, "inner "+op)
			}
			want = append(want, "outer abs")
			if !slices.Equal(list, want) {
				t.Errorf("told %q, want %q", list, want)
			}
		})
	}
}

// TestObserversAfterAPanic: whatever ends a body (a refusal, a foreign panic, the end of the goroutine), observers are as
// they were, the panic passes through unchanged, and tensors and operators stay usable.
func TestObserversAfterAPanic(t *testing.T) {
	type ending struct {
		name string
		end  func()
	}
	endings := []ending{
		{"foreign panic", func() { panic("mine") }},
		{"refusal", func() { f64(1, 2).Add(f64(1, 2, 3)) }},
		{"end of the goroutine", runtime.Goexit},
	}
	for _, tc := range observed {
		for _, e := range endings {
			inModes(t, tc.name+" "+e.name, func(t *testing.T, o ...hop.Option) {
				if slices.Contains([]string{"checkpoint", "subgraph"}, tc.name) && len(o) > 0 {
					o = nil // they have no options
				}
				x := f64(1, 2)
				var list []string
				outer := note{"outer", &list}
				ended := make(chan any)
				go func() {
					var p any = "returned"
					normal := false
					defer func() {
						if r := recover(); r != nil {
							p = r
						} else if !normal {
							p = "ended"
						}
						ended <- p
					}()
					hop.WithObserver(outer, func(x T) T {
						y := x.Neg()
						z := tc.run(x, e.end, o...)
						return y.Add(z)
					})(x)
					normal = true
				}()
				p := <-ended
				_, isError := p.(*hop.Error)
				if want := map[string]bool{"foreign panic": p == "mine", "refusal": isError, "end of the goroutine": p == "ended"}[e.name]; !want {
					t.Fatalf("the call ended with %v", p)
				}
				if len(list) == 0 || list[0] != "outer neg" {
					t.Errorf("told %q, want neg first", list)
				}
				list = nil
				x.Neg()
				if len(list) != 0 {
					t.Errorf("the observer stayed on x: told %q", list)
				}
				var log hop.DispatchLog
				y := hop.WithObserver(&log, func(x T) T { return tc.run(x, func() {}, o...) })(x)
				want := tc.run(x, func() {})
				check(t, "result afterwards", y, want.Shape(), numbers(want)...)
				if x.Version() != 0 || fmt.Sprint(x) != "[1 2]" {
					t.Errorf("x is %+v afterwards", x)
				}
			})
		}
	}
}

// TestObserverThatPanics: its panic passes through as any other.
func TestObserverThatPanics(t *testing.T) {
	for _, tc := range observed {
		inModes(t, tc.name, func(t *testing.T, o ...hop.Option) {
			if slices.Contains([]string{"checkpoint", "subgraph"}, tc.name) {
				o = nil
			}
			defer func() {
				if p := recover(); p != "observer" {
					t.Errorf("got %v", p)
				}
				want := tc.run(f64(1, 2), func() {})
				check(t, "afterwards", tc.run(f64(1, 2), func() {}, o...), want.Shape(), numbers(want)...)
			}()
			hop.WithObserver(panicking{}, func(x T) T { return tc.run(x, func() {}, o...) })(f64(1, 2))
		})
	}
}

type panicking struct{}

func (panicking) Op(hop.OpCall) { panic("observer") }

// TestGoroutineThatEndsInATracedFunction: others that wait for the same trace make their own.
func TestGoroutineThatEndsInATracedFunction(t *testing.T) {
	first := true
	entered, leave := make(chan bool), make(chan bool)
	f := hop.Compile(func(x T) T {
		if first {
			first = false
			entered <- true
			<-leave
			runtime.Goexit()
		}
		return x.Neg()
	})
	go func() { f(f64(1, 2)) }()
	<-entered
	result := make(chan T)
	go func() {
		y, err := f(f64(1, 2))
		if err != nil {
			t.Error(err)
		}
		result <- y
	}()
	leave <- true
	check(t, "result of the goroutine that waited", <-result, []int{2}, -1, -2)
	for name, run := range map[string]func(body func(T) T){
		"grad":  func(body func(T) T) { hop.Grad(func(x T) T { return body(x).Sum() })(f64(1, 2)) },
		"trace": func(body func(T) T) { hop.Trace(body, f64(1, 2)) },
		"try":   func(body func(T) T) { hop.Try(func() { body(f64(1, 2)) }) },
	} {
		done := make(chan any)
		go func() {
			defer func() { done <- recover() }()
			run(func(T) T { runtime.Goexit(); return nil })
		}()
		if p := <-done; p != nil {
			t.Errorf("%s: got the panic %v", name, p)
		}
	}
}
