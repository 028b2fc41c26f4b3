package hop_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

// K17: a program runs for other sizes of the same symbols; what the trace relied on is asked again.
func TestK17ReplayWithOtherSizes(t *testing.T) {
	// The rows above the mean row, scaled by how many rows there are, for few rows; a plain sum for many.
	f := func(x T) T {
		if x.SymDim(0).LtScalar(6) {
			return x.Sub(x.Mean(0)).MulSym(x.SymDim(0)).CumSum(0)
		}
		return x.Sum()
	}
	p := dynamic(t, f, ones(3, 4), hop.WithDims("x", "rows", "cols"))
	for _, size := range [][]int{{3, 4}, {5, 4}, {2, 7}, {1, 1}, {5, 0}, {3, 4}} {
		x := hop.Arange(hop.Float64, size[0]*size[1]).Sin().View(size...)
		want := f(x)
		check(t, "f", call(t, p, x), want.Shape(), numbers(want)...)
	}
	_, err := p.Call(ones(6, 4))
	says(t, err, "guard rows < 6", "sym_program_test.go:", "rows = 6", "Compile")
	if !errors.Is(err, hop.ErrGuard) {
		t.Errorf("%v is no ErrGuard", err)
	}
	_, err = p.Call(ones(3))
	says(t, err, "HOP201", "argument is float64[3], example is float64[rows cols]")

	c := hop.NewCompiled(f, hop.DynamicDims())
	for _, size := range [][]int{{3, 4}, {5, 2}, {6, 3}, {9, 8}, {2, 6}} {
		x := hop.Arange(hop.Float64, size[0]*size[1]).Cos().View(size...)
		got, err := c.Call(x)
		if err != nil {
			t.Fatal(err)
		}
		want := f(x)
		check(t, fmt.Sprint(size), got, want.Shape(), numbers(want)...)
	}
	if n := len(c.Programs()); n != 2 {
		t.Errorf("%d programs were traced, want 2", n)
	}
}

// Equal sizes share a symbol, 0 and 1 stay fixed; what uses two sizes as one is a guard, or an error where they differ.
func TestDynamicDims(t *testing.T) {
	type args struct{ A, B, C T }
	in := func(a, b, c []int) args { return args{ones(a...), ones(b...), ones(c...)} }
	p := dynamic(t, func(x args) T { return x.A.Add(x.B).Mul(x.C.Sum()) }, in([]int{3, 1, 5}, []int{3, 5}, []int{0, 2}), hop.DynamicDims())
	if want := "graph trace(s0: <s0>, s1: <s1>, operand.A: f64[s0, 1, s1], operand.B: f64[s0, s1], s2: <s2>, operand.C: f64[0, s2])"; !strings.Contains(p.Graph().String(), want) {
		t.Errorf("got\n%s\nwant %s", p.Graph(), want)
	}
	check(t, "sum", call(t, p, in([]int{2, 1, 4}, []int{2, 4}, []int{0, 7})), []int{2, 2, 4}, 0, 0)
	_, err := p.Call(in([]int{2, 1, 4}, []int{3, 4}, []int{0, 7}))
	says(t, err, "argument.B is float64[3 4]", "example.B is float64[s0 s1], here float64[2 4]")
	_, err = p.Call(in([]int{2, 2, 4}, []int{2, 4}, []int{0, 7}))
	says(t, err, "argument.A is float64[2 2 4]")

	// Two names, one size: the trace relies on it.
	p = dynamic(t, func(x args) T { return x.A.Add(x.B) }, in([]int{4}, []int{4}, []int{1}), hop.WithDims(".A", "a"), hop.WithDims("B", "b"))
	check(t, "sum", call(t, p, in([]int{6}, []int{6}, []int{1})), []int{6}, 2)
	_, err = p.Call(in([]int{6}, []int{5}, []int{1}))
	says(t, err, "guard a == b", "a = 6, b = 5")

	for _, tc := range []struct {
		opts []hop.TraceOption
		want string
	}{
		{[]hop.TraceOption{hop.WithDims("D", "a")}, `WithDims names "D"`},
		{[]hop.TraceOption{hop.WithDims("A", "a", "b")}, "2 names to the 1 dims"},
		{[]hop.TraceOption{hop.WithDims("A", "a"), hop.WithDims("C", "a")}, "the dim a is 4 and 1"},
		{[]hop.TraceOption{hop.WithDims("A", "max")}, "is no name for a dim"},
		{[]hop.TraceOption{hop.WithDims("A", "5")}, "fixes dim 0"},
		{[]hop.TraceOption{hop.WithDims("A", "a"), hop.WithDims("A", "b")}, "names \"A\" twice"},
	} {
		_, err := hop.Trace(func(x args) T { return x.A.Add(x.B) }, in([]int{4}, []int{4}, []int{1}), tc.opts...)
		says(t, err, tc.want)
	}
}

// Reading a size as a Go number fixes it: the graph keeps that as a guard, and a note tells of it (HOP502).
func TestValueFixesADim(t *testing.T) {
	f := func(x T) T { return x.Narrow(0, 0, x.SymDim(0).Value()-1).AddScalar(float64(x.Dim(1))) }
	p := dynamic(t, f, ones(4, 5), hop.WithDims("x", "a", "b"))
	check(t, "x", call(t, p, ones(4, 5)), []int{3, 5}, 6)
	_, err := p.Call(ones(3, 5))
	says(t, err, "guard a == 4", "a = 3")
	notes := p.Notes()
	if len(notes) != 2 || !errors.Is(notes[0], hopcheck.SpecialisedDimension) {
		t.Fatalf("got notes %v", notes)
	}
	says(t, notes[0], "HOP502", "a is fixed to 4", "sym_program_test.go")
	says(t, notes[1], "b is fixed to 5")
	if notes := dynamic(t, func(x T) T { return x.AddSym(x.SymDim(0)) }, ones(4, 5), hop.DynamicDims()).Notes(); len(notes) != 0 {
		t.Errorf("got notes %v, want none", notes)
	}
	// Unbacked integers have no value, and are not compared.
	for name, g := range map[string]func(n hop.Int){
		"value": func(n hop.Int) { n.Value() }, "compare": func(n hop.Int) { n.LtScalar(3) },
		"dim": func(n hop.Int) { hop.ZerosSym(hop.Float64, n).Dim(0) }, "shape": func(n hop.Int) { hop.ZerosSym(hop.Float64, n).NumElems() },
	} {
		_, err := hop.Trace(func(x T) T { g(x.Sum().SymItem()); return x.Sin() }, ones(3))
		if !errors.Is(err, hopcheck.DataDependentControlFlow) {
			t.Errorf("%s: got %v, want HOP501", name, err)
		}
	}
	// The range decides what it can.
	dynamic(t, func(x T) T {
		n := x.Sum().SymItem().Bounded(0, 3)
		if !n.LtScalar(4) || n.EqScalar(-1) {
			t.Error("0 <= n <= 3 is not used")
		}
		return x.Sin()
	}, ones(3))
}

// K19: results share no buffers with arguments or with earlier results.
func TestK19ResultsAreFresh(t *testing.T) {
	p := dynamic(t, func(x T) []T { y := x.AddScalar(1); return []T{y, x.Clone()} }, ones(3), hop.DynamicDims())
	x := ones(4)
	a, b := call(t, p, x), call(t, p, x)
	for _, r := range append(a, b...) {
		r.Zero()
	}
	check(t, "x", x, []int{4}, 1, 1, 1, 1)
	check(t, "again", call(t, p, x)[0], []int{4}, 2, 2, 2, 2)
}

// K20: the range of an integer that depends on data is checked whenever the graph runs, by the plan and op by op.
func TestK20BrokenRange(t *testing.T) {
	for name, f := range map[string]func(x T) T{
		"plan":     func(x T) T { return x.AddSym(x.Sum().SymItem().Bounded(0, 3)) },
		"op by op": func(x T) T { return hop.OnesSym(hop.Float64, x.Sum().SymItem().Bounded(0, 3)).Sum().Add(x) },
		"in a scan": func(x T) T {
			c, _ := hop.Scan(func(c, x T) (T, hop.None) { return c.AddSym(x.SymItem().Bounded(0, 3)), hop.None{} }, hop.Scalar(0.0), x)
			return c
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := dynamic(t, f, f64(1, 2))
			call(t, p, f64(2, 0))
			_, err := p.Call(f64(4, 0))
			says(t, err, "guard u", "<= 3", "= 4", "SymItem", "sym_program_test.go")
			_, err = p.Call(f64(-1, 0))
			says(t, err, "guard 0 <= u", "= -1", "SymItem")
		})
	}
}

// G11, H8: integers that differ between branches become one with the range of all; nil rules as for tensors.
func TestMergedIntegers(t *testing.T) {
	pick := func(x T) hop.Int {
		n := hop.Cond(x.Sum().GtScalar(0), func(hop.None) hop.Int { return hop.IntOf(3) }, func(hop.None) hop.Int { return hop.IntOf(5) }, hop.None{})
		if lo, hi := n.Bounds(); (lo != 3 || hi != 5) && lo != hi {
			t.Errorf("G11: bounds are %d and %d, want 3 and 5", lo, hi)
		}
		return n
	}
	p := dynamic(t, pick, f64(1))
	if a, b := call(t, p, f64(1)), call(t, p, f64(-1)); a.Value() != 3 || b.Value() != 5 || pick(f64(2)).Value() != 3 {
		t.Errorf("G11: got %v and %v, want 3 and 5", a, b)
	}
	inModes(t, "H8", func(t *testing.T, opts ...hop.Option) {
		type out struct {
			N, M hop.Int
			X    T
		}
		three := func(index, x T, n hop.Int) out {
			return hop.Switch(index, []func(T) out{
				func(x T) out { return out{hop.IntOf(1), n, x.Sin()} },
				func(x T) out { return out{hop.IntOf(7), n, x.MulSym(n)} },
				func(x T) out { return out{n, n, x.Cos()} },
			}, x, opts...)
		}
		for i, want := range []int{1, 7, 4} {
			if r := three(hop.Scalar(int64(i)), f64(1), hop.IntOf(4)); r.N.Value() != want || r.M.Value() != 4 {
				t.Errorf("branch %d: got %v, want %d", i, r.N, want)
			}
		}
		if len(opts) > 0 {
			return
		}
		p := dynamic(t, func(x T) out { return three(x.Sum().To(hop.Int64), x, x.SymDim(0)) }, f64(1, 1, 0), hop.DynamicDims())
		node := nodeOf(t, p.Graph(), "switch")
		sameText(t, "N and M", node.Meta.String(), "(<u0>, <s0>, f64[s0])")
		r := call(t, p, f64(1, 0, 0, 0))
		if r.N.Value() != 7 || r.M.Value() != 4 {
			t.Errorf("got %v, want 7 and 4", r)
		}
		check(t, "x", r.X, []int{4}, 4, 0)
	})
	refusedWith(t, func() {
		hop.Cond(hop.Scalar(true), func(x T) []hop.Int { return []hop.Int{{}} }, func(x T) []hop.Int { return nil }, f64(1))
	}, "HOP201", "slice of length")
}

// I11: integers swap places in a loop; the results are symbolic in the trace.
func TestI11SwappedIntegers(t *testing.T) {
	type carry struct {
		A, B, I hop.Int
		X       T
	}
	inModes(t, "I11", func(t *testing.T, opts ...hop.Option) {
		swap := func(a, b hop.Int, x T) carry {
			return hop.WhileLoop(func(c carry) T { return c.I.Tensor(hop.Int64).LtScalar(3) },
				func(c carry) carry { return carry{c.B, c.A.Add(c.B), c.I.AddScalar(1), c.X.AddSym(c.A)} },
				carry{a, b, hop.Int{}, x}, opts...)
		}
		want := func(a, b, x int, r carry) {
			t.Helper()
			for range 3 {
				a, b, x = b, a+b, x+a
			}
			if r.A.Value() != a || r.B.Value() != b || r.I.Value() != 3 {
				t.Errorf("got %v %v %v, want %d %d 3", r.A, r.B, r.I, a, b)
			}
			check(t, "x", r.X, []int{}, float64(x))
		}
		want(2, 5, 0, swap(hop.IntOf(2), hop.IntOf(5), s64(0)))
		if len(opts) > 0 {
			return
		}
		p := dynamic(t, func(x T) carry {
			r := swap(x.SymDim(0), x.SymDim(1), x.Sum())
			if _, err := fmt.Sscanf(r.A.String(), "u%d", new(int)); err != nil {
				t.Errorf("A is %v, want a symbol", r.A)
			}
			return r
		}, ones(2, 5), hop.DynamicDims())
		want(3, 4, 12, call(t, p, ones(3, 4)))
	})
	inModes(t, "for loop", func(t *testing.T, opts ...hop.Option) {
		n := hop.ForLoop(2, 6, func(i T, n hop.Int) hop.Int { return n.MulScalar(3).SubScalar(1) }, hop.IntOf(1), opts...)
		if n.Value() != 41 {
			t.Errorf("got %v, want 41", n)
		}
	})
}

// I27: what depends on data may stay inside a body, but its shape is no carry.
func TestI27NonzeroInLoops(t *testing.T) {
	inModes(t, "I27", func(t *testing.T, opts ...hop.Option) {
		type carry struct{ X, N T }
		r := hop.WhileLoop(func(c carry) T { return c.N.LtScalar(3) }, func(c carry) carry {
			z := c.X.Nonzero()
			return carry{c.X.SubScalar(1), c.N.AddScalar(1).Add(z.Sum().To(hop.Float64)).AddSym(z.SymDim(0).SubScalar(2))}
		}, carry{f64(1, 2, 0), s64(0)}, opts...)
		check(t, "n", r.N, []int{}, 1+1+0+1+3+0)
	})
	refusedWith(t, func() {
		hop.WhileLoop(func(c T) T { return c.Sum().LtScalar(3) }, func(c T) T { return c.Nonzero() }, hop.Zeros(hop.Int64, 2, 1))
	}, "HOP201", "int64[u0 2]", "int64[2 1]")
	refusedWith(t, func() {
		hop.Map(func(x T) T { return x.Nonzero() }, ones(2, 3))
	}, "size u0 depends on data", "stacked")
}

// An Int is a leaf of pytrees: in arguments, carries, operands and results, eager and traced; it has no gradient.
func TestIntIsALeaf(t *testing.T) {
	type state struct {
		W T
		N hop.Int
	}
	s := state{f64(1, 2), hop.IntOf(3)}
	if c := hop.Clone(s); c.N.Value() != 3 || c.W.SharesStorage(s.W) {
		t.Errorf("Clone: got %v", c)
	}
	var paths []string
	for path, leaf := range hop.Leaves(s) {
		paths = append(paths, path+leaf.DType().String())
	}
	sameText(t, "Leaves", fmt.Sprint(paths), "[.Wfloat64 .Nint64]")
	if z := hop.ZerosLike(s); z.N.Value() != 0 {
		t.Errorf("ZerosLike: got %v", z)
	}
	g := hop.Grad(func(s state) T { return s.W.MulSym(s.N).Sum() })(s)
	check(t, "gradient", g.W, []int{2}, 3, 3)
	if g.N.Value() != 0 {
		t.Errorf("gradient of an int is %v, want the zero Int", g.N)
	}
	inModes(t, "scan", func(t *testing.T, opts ...hop.Option) {
		last, ys := hop.Scan(func(s state, x T) (state, T) {
			return state{s.W.AddSym(s.N), s.N.AddScalar(1)}, x.MulSym(s.N)
		}, s, f64(1, 1, 2), opts...)
		check(t, "W", last.W, []int{2}, 13, 14)
		check(t, "ys", ys, []int{3}, 3, 4, 10)
		if last.N.Value() != 6 {
			t.Errorf("got %v, want 6", last.N)
		}
		refusedWith(t, func() {
			hop.Scan(func(c T, s state) (T, hop.None) { return c.Clone(), hop.None{} }, s64(0), s, opts...)
		}, "xs.N is an int")
		refusedWith(t, func() {
			hop.Scan(func(c, x T) (T, hop.Int) { return c.Clone(), hop.IntOf(1) }, s64(0), f64(1, 2), opts...)
		}, "y is an int")
	})
	p := dynamic(t, func(s state) state { return state{s.W.MulSym(s.N), s.N.Add(s.W.SymDim(0))} }, s)
	r := call(t, p, state{f64(5, 6), hop.IntOf(-2)})
	check(t, "W", r.W, []int{2}, -10, -12)
	if r.N.Value() != 0 {
		t.Errorf("got %v, want 0", r.N)
	}
	// Differences of kind.
	refusedWith(t, func() {
		hop.Cond(hop.Scalar(true), func(x T) any { return x.Sin() }, func(x T) any { return hop.IntOf(1) }, f64(1))
	}, "HOP20")
	// A comparison on an argument is a guard as well.
	q := dynamic(t, func(s state) T {
		if s.N.GtScalar(2) {
			return s.W.Sin()
		}
		return s.W.Cos()
	}, s)
	_, err := q.Call(state{f64(1), hop.IntOf(2)})
	says(t, err, "argument.W is float64[1]")
	_, err = q.Call(state{f64(1, 1), hop.IntOf(2)})
	says(t, err, "guard 2 < s0")
	c := hop.Compile(func(s state) T {
		if s.N.GtScalar(2) {
			return s.W.Sin()
		}
		return s.W.Cos()
	})
	for n, want := range map[int]float64{1: math.Cos(1), 2: math.Cos(1), 3: math.Sin(1), 4: math.Sin(1)} {
		y, err := c(state{f64(1), hop.IntOf(n)})
		if err != nil {
			t.Fatal(err)
		}
		check(t, "y", y, []int{1}, want)
	}
}

// Integers have Go's arithmetic, divided as integer tensors are, and refuse division by zero.
func TestIntArithmetic(t *testing.T) {
	p := dynamic(t, func(x T) []hop.Int {
		n, m := x.SymDim(0), x.SymDim(1)
		return []hop.Int{n.Add(m), n.Sub(m), n.Mul(m), n.Div(m), n.Mod(m), n.Max(m), n.Min(m), n.Neg(), n.AddScalar(2).MulScalar(3).SubScalar(1).DivScalar(2).ModScalar(4)}
	}, ones(7, 4), hop.DynamicDims())
	for _, size := range [][2]int{{7, 4}, {3, 8}, {5, 5}} {
		n, m := size[0], size[1]
		for i, want := range []int{n + m, n - m, n * m, n / m, n % m, max(n, m), min(n, m), -n, ((n+2)*3 - 1) / 2 % 4} {
			if got := call(t, p, ones(n, m))[i]; got.Value() != want {
				t.Errorf("%v: result %d is %v, want %d", size, i, got, want)
			}
		}
	}
	_, err := p.Call(ones(7, 0))
	says(t, err, "zero")
	refusedWith(t, func() { hop.IntOf(3).DivScalar(0) }, "divided by zero")
	refusedWith(t, func() { f64(1.5).SymItem() }, "1.5")
	refusedWith(t, func() { f64(1, 2).SymItem() }, "one element")
	if n := hop.Scalar(true).SymItem().Add(f64(4).SymItem()); n.Value() != 5 || n.String() != "5" {
		t.Errorf("got %v, want 5", n)
	}
}

// Programs with symbols are saved and loaded: they print, run and refuse the same.
func TestSymbolicProgramsInFiles(t *testing.T) {
	type in struct {
		X T
		N hop.Int
	}
	type out struct {
		Y T
		M hop.Int
	}
	w := f64(1, 2, 3)
	p := dynamic(t, func(x in) out {
		c, ys := hop.Scan(func(c hop.Int, x T) (hop.Int, T) { return c.AddScalar(1), x.MulSym(c) }, x.N, x.X)
		z := ys.Nonzero()
		if x.X.SymDim(0).GtScalar(20) {
			return out{x.X.Clone(), c}
		}
		return out{hop.Concat(0, ys.Sum(0), w.AddSym(z.SymDim(0)), hop.OnesSym(hop.Float64, x.N)), c.Add(x.X.SymDim(1))}
	}, in{ones(3, 4), hop.IntOf(2)}, hop.DynamicDims())
	var file bytes.Buffer
	if err := p.Save(&file); err != nil {
		t.Fatal(err)
	}
	first := bytes.Clone(file.Bytes())
	q, err := hop.Load[in, out](&file)
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Save(&file); err != nil || !bytes.Equal(file.Bytes(), first) {
		t.Errorf("saved again, the file differs (%v)", err)
	}
	for _, x := range []in{{ones(3, 4), hop.IntOf(2)}, {ones(5, 2), hop.IntOf(0)}, {ones(2, 0), hop.IntOf(3)}} {
		a, b := call(t, p, x), call(t, q, x)
		check(t, "Y", b.Y, a.Y.Shape(), numbers(a.Y)...)
		if a.M != b.M {
			t.Errorf("M is %v, and %v from the file", a.M, b.M)
		}
	}
	_, err = q.Call(in{ones(21, 2), hop.IntOf(1)})
	says(t, err, "guard s", "<= 20")
	_, err = q.Call(in{ones(3, 2), hop.IntOf(-1)})
	says(t, err, "-1")
	if _, err := hop.Load[struct {
		X T
		N T
	}, out](bytes.NewReader(first)); err == nil || !strings.Contains(err.Error(), "an int") {
		t.Errorf("a program of an int is loaded for a tensor: %v", err)
	}
}

// One program serves many goroutines with many sizes.
func TestConcurrentSizes(t *testing.T) {
	p := dynamic(t, func(x T) T {
		_, ys := hop.Scan(func(c, x T) (T, T) { c = c.Add(x); return c, c.Sin() }, hop.Scalar(0.0), x)
		return ys.Sum().AddSym(x.SymDim(0))
	}, ones(4), hop.DynamicDims())
	f := hop.Compile(func(x T) T { return x.Cos().Sum() }, hop.DynamicDims())
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for k := range 30 {
				n := 1 + (g*7+k)%23
				want, sum := float64(n), 0.0
				for i := range n {
					want += math.Sin(float64(i + 1))
					sum += math.Cos(1)
				}
				got, err := p.Call(ones(n))
				if err != nil || math.Abs(hop.Item[float64](got)-want) > 1e-9 {
					t.Errorf("%d elements: got %v, %v, want %v", n, got, err, want)
				}
				if got, err = f(ones(n)); err != nil || math.Abs(hop.Item[float64](got)-sum) > 1e-9 {
					t.Errorf("%d elements: got %v, %v, want %v", n, got, err, sum)
				}
			}
		})
	}
	wg.Wait()
}
