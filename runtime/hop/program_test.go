package hop_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

type model struct{ X, W T }

func layer(m model) T { return m.X.MatMul(m.W).Tanh() }

func TestTrace(t *testing.T) {
	example := model{random(1, 2, 3), random(2, 3, 4)}
	t.Run("runs for other values", func(t *testing.T) {
		p, err := hop.Trace(layer, example)
		if err != nil {
			t.Fatal(err)
		}
		other := model{random(3, 2, 3), random(4, 3, 4)}
		y, err := p.Call(other)
		if err != nil {
			t.Fatal(err)
		}
		check(t, "y", y, []int{2, 4}, numbers(layer(other))...)
	})
	t.Run("another signature", func(t *testing.T) {
		p, _ := hop.Trace(layer, example)
		_, err := p.Call(model{random(3, 5, 3), example.W.To(hop.Float32)})
		for _, w := range []string{"argument.X is float64[5 3]", "example.X is float64[2 3]", "argument.W is float32[3 4]", "Compile"} {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("error does not say %q: %v", w, err)
			}
		}
	})
	t.Run("names", func(t *testing.T) {
		p, err := hop.Trace(layer, example, hop.Names("input", "weights"))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, n := range p.Graph().Inputs {
			names = append(names, n.Name)
		}
		if !slices.Equal(names, []string{"input", "weights"}) {
			t.Errorf("inputs are %v", names)
		}
		if _, err := hop.Trace(layer, example, hop.Names("input")); err == nil || !strings.Contains(err.Error(), "1 names to 2 leaves") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("K14", func(t *testing.T) {
		var first string
		for range 100 {
			p, err := hop.Trace(func(x T) T {
				_, ys := hop.Scan(func(c, x T) (T, T) { n := c.Add(x.Mul(example.W.Sum())); return n, n.Clone() }, s64(0), x)
				return ys
			}, f64(1, 2, 3))
			if err != nil {
				t.Fatal(err)
			}
			if first == "" {
				first = p.Graph().String()
			} else if got := p.Graph().String(); got != first {
				t.Fatalf("printed\n%s\nthen\n%s", first, got)
			}
		}
	})
	t.Run("K16", func(t *testing.T) {
		p, err := hop.Trace(func(x T) T {
			_, ys := hop.Scan(func(c, x T) (T, T) { n := c.Add(x); return n, n.Clone() }, hop.Zeros(hop.Float64, 2), x, hop.Axis(1), hop.Reverse())
			return ys
		}, random(1, 2, 3))
		if err != nil {
			t.Fatal(err)
		}
		var ops []string
		for _, n := range p.Graph().Nodes {
			if n.Op != "get" && n.Op != "literal" {
				ops = append(ops, n.Op)
			}
		}
		if !slices.Equal(ops, []string{"permute", "flip", "scan", "flip"}) {
			t.Errorf("nodes are %v", ops)
		}
	})
	t.Run("K18 and K19", func(t *testing.T) {
		k := 2.0
		x := f64(1, 2)
		p, _ := hop.Trace(func(x T) T { return x.MulScalar(k).Add(x) }, x)
		k = 100
		a, _ := p.Call(x)
		b, _ := p.Call(x)
		check(t, "the traced constant stays", a, []int{2}, 3, 6)
		if a.SharesStorage(b) || a.SharesStorage(x) {
			t.Error("results share storage")
		}
		a.Zero()
		check(t, "the other result", b, []int{2}, 3, 6)
		for i := range 3 { // each eager call has the number that is captured then
			k := float64(10 * i)
			check(t, "eager", hop.Map(func(x T) T { return x.AddScalar(k) }, x), []int{2}, 1+k, 2+k)
		}
	})
	// Whatever a pass finds out of the numbers, a write is a write and a result is fresh.
	t.Run("K22", func(t *testing.T) {
		x, zero, one := f64(1, 2), hop.Zeros(hop.Float64, 2), hop.Ones(hop.Float64, 2)
		for name, f := range map[string]func(x T) T{
			"adds nothing":        func(x T) T { return x.AddScalarInPlace(0).Clone() },
			"adds zeros":          func(x T) T { return x.AddInPlace(hop.Zeros(hop.Float64, 2)).Clone() },
			"copies itself":       func(x T) T { return x.CopyFrom(x.Clone()).Clone() },
			"multiplies by ones":  func(x T) T { x.MulInPlace(one); return x.Neg() },
			"writes what is dead": func(x T) T { x.Zero(); return one.Add(zero) },
		} {
			if _, err := hop.Trace(f, x); !errors.Is(err, hopcheck.MutatedOperand) {
				t.Errorf("%s: got %v, want HOP103", name, err)
			}
		}
		if _, err := hop.Trace(func(x T) T { zero.AddInPlace(x.MulScalar(0)); return x.Neg() }, x); !errors.Is(err, hopcheck.MutatedCaptured) {
			t.Errorf("writes zeros to a captured tensor: got %v, want HOP104", err)
		}
		if _, err := hop.Trace(func(x T) [2]T { y := x.AddScalar(0); return [2]T{y, y.View(2, 1)} }, x); !errors.Is(err, hopcheck.OutputsAlias) {
			t.Errorf("returns one result twice: got %v, want HOP302", err)
		}
		p, err := hop.Trace(func(x T) [4]T { return [4]T{x.AddScalar(0), x.MulScalar(1), x.Clone(), one.MulScalar(1)} }, x)
		if err != nil {
			t.Fatal(err)
		}
		ys, err := p.Call(x)
		if err != nil {
			t.Fatal(err)
		}
		all := append(ys[:], x, one)
		for i, y := range all {
			for j, z := range all[:i] {
				if y.SharesStorage(z) {
					t.Errorf("results and operands %d and %d share storage", j, i)
				}
			}
		}
	})
	t.Run("P6", func(t *testing.T) {
		f := hop.Subgraph("triple", func(x T) T { return x.MulScalar(3) })
		p, err := hop.Trace(func(x T) T { return f(f(f(x))) }, f64(1, 2))
		if err != nil {
			t.Fatal(err)
		}
		calls, bodies := 0, map[any]bool{}
		for _, n := range p.Graph().Nodes {
			if n.Op == "subgraph" {
				calls++
				bodies[n.Graphs[0]] = true
			}
		}
		if calls != 3 || len(bodies) != 1 {
			t.Errorf("%d calls of %d bodies, want 3 of 1:\n%s", calls, len(bodies), p.Graph())
		}
	})
}

func TestTraceContract(t *testing.T) {
	w := f64(1, 2)
	for name, tc := range map[string]struct {
		f    func(x T) T
		code hopcheck.Code
	}{
		"writes":           {func(x T) T { x.Zero(); return x.Neg() }, hopcheck.MutatedOperand},
		"writes captured":  {func(x T) T { w.AddInPlace(x); return x.Neg() }, hopcheck.MutatedCaptured},
		"returns":          {func(x T) T { return x }, hopcheck.OutputAliasesInput},
		"returns captured": {func(x T) T { return w }, hopcheck.OutputAliasesCaptured},
		"reads":            {func(x T) T { return x.MulScalar(hop.ItemAt[float64](x, 0)) }, hopcheck.DataDependentControlFlow},
	} {
		if _, err := hop.Trace(tc.f, f64(1, 2)); !errors.Is(err, tc.code) {
			t.Errorf("%s: got %v, want %s", name, err, string(tc.code))
		}
		if _, err := hop.Compile(tc.f)(f64(1, 2)); !errors.Is(err, tc.code) {
			t.Errorf("%s compiled: got %v, want %s", name, err, string(tc.code))
		}
	}
	check(t, "w", w, []int{2}, 1, 2)
	leaf := s64(1).SetRequiresGrad(true)
	if _, err := hop.Trace(func(x T) T { return x.Mul(leaf) }, f64(1)); err == nil || !strings.Contains(err.Error(), "requires grad") {
		t.Errorf("captured leaf: got %v", err)
	}
}

// TestStaleCapture is the run-time side of HOP405.
func TestStaleCapture(t *testing.T) {
	w := f64(2, 3)
	f := hop.Compile(func(x T) T { return x.Mul(w) })
	y, err := f(f64(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	check(t, "y", y, []int{2}, 2, 3)
	w.AddScalarInPlace(1)
	if _, err = f(f64(1, 1)); !errors.Is(err, hopcheck.StaleCapture) || !strings.Contains(err.Error(), "float64[2]") {
		t.Errorf("got %v, want HOP405", err)
	}
}

func TestCompile(t *testing.T) {
	t.Run("one trace for each signature", func(t *testing.T) {
		traces := 0
		c := hop.NewCompiled(func(x T) T { traces++; return x.Add(x) })
		for _, x := range []T{f64(1), f64(2), f64(1, 2), i64(3), f64(4, 5)} {
			y, err := c.Call(x)
			if err != nil {
				t.Fatal(err)
			}
			check(t, "y", y, x.Shape(), numbers(x.Add(x))...)
		}
		if traces != 3 || len(c.Programs()) != 3 {
			t.Errorf("%d traces, %d programs, want 3", traces, len(c.Programs()))
		}
	})
	t.Run("LimitPrograms", func(t *testing.T) {
		c := hop.NewCompiled(func(x T) T { return x.Neg() }, hop.LimitPrograms(2))
		for n := 1; n < 5; n++ {
			c.Call(hop.Zeros(hop.Float64, n))
		}
		if got := len(c.Programs()); got != 2 {
			t.Errorf("%d programs, want 2", got)
		}
	})
	t.Run("concurrent first calls wait for one trace", func(t *testing.T) {
		var traces atomic.Int32
		f := hop.Compile(func(x T) T { traces.Add(1); return x.MulScalar(2) })
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				for range 10 {
					y, err := f(s64(float64(i)))
					if err != nil {
						t.Error(err)
						return
					}
					check(t, "y", y, []int{}, 2*float64(i))
				}
			})
		}
		wg.Wait()
		if traces.Load() != 1 {
			t.Errorf("%d traces, want 1", traces.Load())
		}
	})
	t.Run("X6", func(t *testing.T) {
		bad := true
		f := hop.Compile(func(x T) T {
			c, _ := hop.Scan(func(c, x T) (T, T) {
				if bad {
					c.AddInPlace(x)
				}
				return c.Add(x), x.Neg()
			}, s64(0), x)
			return c
		})
		if _, err := f(f64(1, 2)); !errors.Is(err, hopcheck.MutatedCarry) {
			t.Fatalf("got %v, want HOP101", err)
		}
		bad = false
		y, err := f(f64(1, 2))
		if err != nil {
			t.Fatal(err)
		}
		check(t, "y", y, []int{}, 3)
	})
	t.Run("CallInto", func(t *testing.T) {
		c := hop.NewCompiled(layer)
		in := model{random(1, 2, 3), random(2, 3, 4)}
		dst := hop.Zeros(hop.Float64, 4, 2).T()
		if err := c.CallInto(in, dst); err != nil {
			t.Fatal(err)
		}
		check(t, "dst", dst, []int{2, 4}, numbers(layer(in))...)
		if dst.Version() != 1 {
			t.Errorf("version %d, want 1", dst.Version())
		}
		square := hop.NewCompiled(func(x T) T { return x.Mul(x) })
		x := f64(1, 2)
		for dst, word := range map[T]string{x.View(2): "shares storage", f64(1, 2, 3): "float64[3]", i64(1, 2): "int64[2]"} {
			before := numbers(dst)
			if err := square.CallInto(x, dst); err == nil || !strings.Contains(err.Error(), word) {
				t.Errorf("got %v, want an error with %q", err, word)
			}
			check(t, "refused destination", dst, dst.Shape(), before...)
		}
	})
	t.Run("inside other functions", func(t *testing.T) {
		f := hop.Must(hop.Compile(func(x T) T { return x.Mul(x) }))
		c, ys := hop.Scan(func(c, x T) (T, T) { return c.Add(f(x)), f(f(x)) }, s64(0), f64(1, 2, 3))
		check(t, "carry", c, []int{}, 14)
		check(t, "ys", ys, []int{3}, 1, 16, 81)
		w := f64(1, 2)
		w.SetRequiresGrad(true)
		f(w).Sum().Backward()
		check(t, "gradient", w.Grad(), []int{2}, 2, 4)
	})
	t.Run("observed", func(t *testing.T) {
		var log hop.DispatchLog
		c := hop.NewCompiled(func(x T) T { return x.Sin().Neg() })
		if _, err := c.Call(f64(1), hop.Observe(&log)); err != nil {
			t.Fatal(err)
		}
		if got := names(&log); !slices.Equal(got, []string{"sin", "neg", "compile"}) {
			t.Errorf("saw %v", got)
		}
	})
	t.Run("nil function and bad argument", func(t *testing.T) {
		if _, err := hop.Compile[T, T](nil)(f64(1)); err == nil || !strings.Contains(err.Error(), "nil") {
			t.Errorf("got %v", err)
		}
		if _, err := hop.Compile(func(x func()) T { return s64(1) })(func() {}); !errors.Is(err, hopcheck.UnsupportedLeaf) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a foreign panic passes through and the function stays usable", func(t *testing.T) {
		fail := true
		f := hop.Compile(func(x T) T {
			if fail {
				panic("mine")
			}
			return x.Neg()
		})
		func() {
			defer func() {
				if p := recover(); p != "mine" {
					t.Errorf("recovered %v", p)
				}
			}()
			f(f64(1))
		}()
		fail = false
		y, err := f(f64(1))
		if err != nil {
			t.Fatal(err)
		}
		check(t, "y", y, []int{1}, -1)
	})
}
