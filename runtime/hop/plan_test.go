package hop_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
	"github.com/hoplint/hoplint/tracer"
)

func TestPlanShowsWhatRuns(t *testing.T) {
	f := func(x T) T {
		one := hop.Ones(hop.Float64)
		_, ys := hop.Scan(func(c, x T) (T, T) {
			n := c.MulScalar(0.5).Add(x.Mul(one.Add(one)))
			return n, n.Clone()
		}, hop.Zeros(hop.Float64, 3), x)
		return ys
	}
	p, err := hop.Trace(f, random(1, 4, 3))
	if err != nil {
		t.Fatal(err)
	}
	traced := p.Graph().String()
	plan := p.Plan()
	for _, w := range []string{"in y 0", "mul_add", "f64[]{2.0}"} {
		if !strings.Contains(plan, w) {
			t.Errorf("the plan does not say %q:\n%s", w, plan)
		}
	}
	if strings.Contains(plan, "clone(") {
		t.Errorf("the plan has a clone that nobody can observe:\n%s", plan)
	}
	if g, err := tracer.Parse(plan); err != nil || g.Verify() != nil {
		t.Errorf("the plan is no graph: %v\n%s", err, plan)
	}
	if got := p.Graph().String(); got != traced || !strings.Contains(got, "clone(") {
		t.Errorf("Graph is not the traced graph any more:\n%s\nwas\n%s", got, traced)
	}
}

// TestK22Decided: a branch that a constant decides against, a loop without turns and a result that nobody reads are
// judged like all others, before a pass takes them away.
func TestK22Decided(t *testing.T) {
	never := func() T { return hop.Full(hop.Bool, 0) }
	for name, c := range map[string]struct {
		f    func(x T) T
		code hopcheck.Code
	}{
		"a branch that is never taken writes": {func(x T) T {
			return hop.Cond(never(), func(x T) T { return x.AddScalarInPlace(1).Clone() }, func(x T) T { return x.Neg() }, x)
		}, hopcheck.MutatedOperand},
		"a branch that is never taken returns its input": {func(x T) T {
			return hop.Cond(never(), func(x T) T { return x }, func(x T) T { return x.Neg() }, x)
		}, hopcheck.OutputAliasesInput},
		"a loop without turns writes": {func(x T) T {
			return hop.ForLoop(3, 3, func(_ T, c T) T { return c.AddScalarInPlace(1).Clone() }, x)
		}, hopcheck.MutatedCarry},
		"a result that nobody reads is the carry": {func(x T) T {
			c, _ := hop.Scan(func(c, x T) (T, T) { return c.Add(x), c }, hop.Zeros(hop.Float64), x)
			return c
		}, hopcheck.OutputAliasesInput},
	} {
		if _, err := hop.Trace(c.f, f64(1, 2)); !errors.Is(err, c.code) {
			t.Errorf("%s: got %v, want %s", name, err, c.code)
		}
	}
}

func TestUnroll(t *testing.T) {
	type row struct{ X, Y T }
	rows := func(k int, o ...hop.Option) func(x T) row {
		return func(x T) row {
			return hop.Map(func(x T) row {
				c, ys := hop.Scan(func(c, x T) (T, T) { n := c.MulScalar(0.5).Add(x.Sin()); return n, n.Mul(c) }, s64(1), x, with(o, hop.Unroll(k))...)
				return row{c, ys}
			}, x, o...)
		}
	}
	x := random(1, 5, 3)
	inModes(t, "unrolled equals stepped", func(t *testing.T, o ...hop.Option) {
		want := rows(1)(x)
		for _, k := range []int{2, 3, 100} {
			got := rows(k, o...)(x)
			check(t, "carries", got.X, []int{5}, numbers(want.X)...)
			check(t, "ys", got.Y, []int{5, 3}, numbers(want.Y)...)
		}
	})
	t.Run("written out where it runs", func(t *testing.T) {
		for k, written := range map[int]bool{2: false, 3: true} {
			p, err := hop.Trace(rows(k), x)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(p.Graph().String(), fmt.Sprintf("length=3, unroll=%d", k)) {
				t.Errorf("the traced graph does not hold the option:\n%s", p.Graph())
			}
			if got := !strings.Contains(p.Plan(), "= scan("); got != written {
				t.Errorf("Unroll(%d) of 3 steps: written out %v, want %v\n%s", k, got, written, p.Plan())
			}
		}
	})
	t.Run("gradients", func(t *testing.T) {
		loss := func(k int) func(x T) T { return func(x T) T { r := rows(k)(x); return r.X.Sum().Add(r.Y.Sum()) } }
		if err := hop.CheckGrad(loss(3), x); err != nil {
			t.Error(err)
		}
		check(t, "gradient", hop.Grad(loss(3))(x), []int{5, 3}, numbers(hop.Grad(loss(1))(x))...)
	})
	t.Run("a failure names its step", func(t *testing.T) {
		f := func(x T) T {
			return hop.Map(func(x T) T {
				c, _ := hop.Scan(func(c, i T) (T, hop.None) { return c.Add(x.At(0, i)), hop.None{} }, hop.Zeros(hop.Int64), x, hop.Unroll(4))
				return c
			}, x)
		}
		e := refusedWith(t, func() { f(hop.FromSlice([]int64{0, 1, 2, 2, 1, 7}, 2, 3)) }, "index 7")
		if e.Operators != "map[1] / scan[2]" || e.Step != 2 {
			t.Errorf("the failure is in %q, step %d; want map[1] / scan[2], step 2", e.Operators, e.Step)
		}
	})
	t.Run("refusals", func(t *testing.T) {
		refusedWith(t, func() { rows(0)(x) }, "Unroll", "0")
		refusedWith(t, func() { hop.ForLoop(0, 2, func(_, c T) T { return c.Neg() }, s64(1), hop.Unroll(2)) }, "Unroll", "for")
		refusedWith(t, func() { hop.Map(func(x T) T { return x.Neg() }, x, hop.Unroll(2)) }, "Unroll", "map")
	})
}

// TestPutInLoops: a loop that fills a table copies the table once, not in every step; who reads the old elements still
// gets them.
func TestPutInLoops(t *testing.T) {
	const n = 64
	type state struct{ Table, X T }
	fill := func(s state) T {
		return hop.ForLoop(0, n, func(i T, s state) state {
			x := s.X.MulScalar(0.9)
			return state{s.Table.Put(0, i, x), x}
		}, s).Table
	}
	fibonacci := func(table T) T {
		return hop.ForLoop(2, n, func(i T, table T) T {
			return table.Put(0, i, table.At(0, i.SubScalar(1)).Add(table.At(0, i.SubScalar(2))))
		}, table)
	}
	both := func(table T) [2]T { // the old table is needed behind the write
		r := hop.ForLoop(0, n-1, func(i T, s [2]T) [2]T {
			next := s[0].Put(0, i.AddScalar(1), s[0].At(0, i).AddScalar(1))
			return [2]T{next, s[1].Add(s[0].Sum())}
		}, [2]T{table, s64(0)})
		return r
	}
	plan := func(text string, inPlace bool) {
		t.Helper()
		if got := strings.Contains(text, "written in place"); got != inPlace {
			t.Errorf("written in place: %v, want %v\n%s", got, inPlace, text)
		}
	}
	table := hop.Zeros(hop.Float64, n)
	p, err := hop.Trace(fill, state{table, s64(1)})
	if err != nil {
		t.Fatal(err)
	}
	plan(p.Plan(), true)
	y, err := p.Call(state{table, s64(1)})
	if err != nil {
		t.Fatal(err)
	}
	var want []float64
	for x := 0.9; len(want) < n; x *= 0.9 {
		want = append(want, x)
	}
	check(t, "table", y, []int{n}, want...)
	check(t, "init is not written", table, []int{n}, make([]float64, n)...)

	first := hop.Zeros(hop.Float64, n)
	first.Set(1, 1)
	q, err := hop.Trace(fibonacci, first)
	if err != nil {
		t.Fatal(err)
	}
	plan(q.Plan(), true)
	y, _ = q.Call(first)
	want = []float64{0, 1}
	for len(want) < n {
		want = append(want, want[len(want)-1]+want[len(want)-2])
	}
	check(t, "numbers", y, []int{n}, want...)

	r, err := hop.Trace(both, table)
	if err != nil {
		t.Fatal(err)
	}
	plan(r.Plan(), false)
	pair, _ := r.Call(table)
	want, sum := make([]float64, n), 0.0
	for i := range n - 1 {
		for _, v := range want {
			sum += v
		}
		want[i+1] = want[i] + 1
	}
	check(t, "steps", pair[0], []int{n}, want...)
	check(t, "sum of the old tables", pair[1], nil, sum)

	// The loop as a user runs it: what a call allocates does not grow with the steps.
	allocated := func(n int) float64 {
		table := hop.Zeros(hop.Float64, 8)
		p, err := hop.Trace(func(table T) T {
			return hop.ForLoop(0, n, func(i T, table T) T { return table.Put(0, i.ModScalar(8), i.To(hop.Float64)) }, table)
		}, table)
		if err != nil {
			t.Fatal(err)
		}
		return testing.AllocsPerRun(10, func() { _, _ = p.Call(table) })
	}
	if a, b := allocated(4), allocated(400); a != b {
		t.Errorf("%v allocations of a call with 4 steps, %v with 400", a, b)
	}
}

// TestStepsDoNotAllocate: a call of a compiled function allocates the same whether its loops have few steps or many.
func TestStepsDoNotAllocate(t *testing.T) {
	up := func(c, x T) T {
		return hop.Cond(x.Sum().GtScalar(0), func(c T) T { return c.Tanh().Add(x) }, func(c T) T { return c.Sub(x) }, c)
	}
	loops := map[string]func(x T) T{
		"scan": func(x T) T {
			_, ys := hop.Scan(func(c, x T) (T, T) { n := c.MulScalar(0.5).Add(x); return n, n.Clone() }, hop.Zeros(hop.Float64, 2), x)
			return ys
		},
		"scan of scalars": func(x T) T {
			c, _ := hop.Scan(func(c, x T) (T, hop.None) { return c.Add(x.Sin()), hop.None{} }, s64(0), x.Select(1, 0).Clone())
			return c
		},
		"while": func(x T) T {
			n := float64(x.Dim(0))
			return hop.WhileLoop(func(s [2]T) T { return s[0].LtScalar(n) }, func(s [2]T) [2]T {
				return [2]T{s[0].AddScalar(1), s[1].Tanh()}
			}, [2]T{s64(0), x.Select(0, 0).Clone()})[1]
		},
		"for": func(x T) T {
			return hop.ForLoop(0, x.Dim(0), func(i T, c T) T { return c.Add(x.At(0, i)) }, hop.Zeros(hop.Float64, 2))
		},
		"map": func(x T) T { return hop.Map(func(x T) T { return x.Softmax(0) }, x) },
		"map of loops": func(x T) T {
			return hop.Map(func(x T) T { return hop.ForLoop(0, 3, func(_, c T) T { return c.Tanh() }, x) }, x)
		},
		"cond in scan": func(x T) T {
			c, _ := hop.Scan(func(c, x T) (T, hop.None) { return up(c, x), hop.None{} }, hop.Zeros(hop.Float64, 2), x)
			return c
		},
		"associative scan": func(x T) T { return hop.AssociativeScan(func(a, b T) T { return a.Mul(b) }, x) },
	}
	for name, f := range loops {
		t.Run(name, func(t *testing.T) {
			var allocs []float64
			for _, n := range []int{3, 300} {
				x := random(1, n, 2)
				p, err := hop.Trace(f, x)
				if err != nil {
					t.Fatal(err)
				}
				run := func() {
					if _, err := p.Call(x); err != nil {
						t.Fatal(err)
					}
				}
				run()
				allocs = append(allocs, testing.AllocsPerRun(10, run))
			}
			if allocs[0] != allocs[1] {
				t.Errorf("%v allocations of a call with 3 and 300 steps", allocs)
			}
		})
	}
}

// TestK14Processors: the printed graph and the plan do not depend on how many processors there are, nor on the run.
func TestK14Processors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	w := random(2, 3, 3)
	f := func(x T) [2]T {
		c, ys := hop.Scan(func(c, x T) (T, T) {
			n := hop.Cond(x.Sum().GtScalar(0), func(c T) T { return c.Add(x.MatMul(w)) }, func(c T) T { return c.Mul(w.Sum()) }, c)
			return n, n.Clone()
		}, hop.Zeros(hop.Float64, 3), x)
		return [2]T{c, ys}
	}
	var printed []string
	for _, procs := range []int{1, 8} {
		runtime.GOMAXPROCS(procs)
		for range 50 {
			p, err := hop.Trace(f, random(1, 4, 3))
			if err != nil {
				t.Fatal(err)
			}
			printed = append(printed, p.Graph().String()+p.Plan())
		}
	}
	if slices.Sort(printed); printed[0] != printed[99] {
		t.Errorf("printed\n%s\nand\n%s", printed[0], printed[99])
	}
}

// TestFold: a program that runs as it was traced gives the same bits, and its plan has all nodes.
func TestFold(t *testing.T) {
	f := func(x T) [2]T {
		half := hop.Ones(hop.Float64).DivScalar(3)
		c, ys := hop.Scan(func(c, x T) (T, T) { n := c.Mul(half).Add(x.Sin()); return n, n.Clone() }, hop.Zeros(hop.Float64, 3), x)
		return [2]T{c, hop.Checkpoint(func(y T) T { return y.Transpose(0, 1).Transpose(0, 1).Exp() })(ys)}
	}
	x := random(1, 4, 3)
	folded, err := hop.Trace(f, x)
	if err != nil {
		t.Fatal(err)
	}
	traced, err := hop.Trace(f, x, hop.Fold(false))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := folded.Graph().String(), traced.Graph().String(); a != b {
		t.Errorf("traced\n%s\nand, not to be folded,\n%s", a, b)
	}
	if a, b := folded.Plan(), traced.Plan(); strings.Contains(a, "clone(") || strings.Contains(a, "transpose(") || !strings.Contains(b, "clone(") || !strings.Contains(b, "transpose(") {
		t.Errorf("the plan is\n%s\nand, not folded,\n%s", a, b)
	}
	a, err := folded.Call(x)
	if err != nil {
		t.Fatal(err)
	}
	b, err := traced.Call(x)
	if err != nil {
		t.Fatal(err)
	}
	for i := range a {
		if !slices.Equal(numbers(a[i]), numbers(b[i])) {
			t.Errorf("result %d is %v, not folded %v", i, a[i], b[i])
		}
	}
	for _, p := range []*hop.Program[T, [2]T]{folded, traced} {
		if _, err := p.Call(random(1, 5, 3)); err == nil {
			t.Error("another shape is accepted")
		}
	}
	if e := hop.Try(func() {
		hop.Must(hop.Compile(func(i T) T { return x.At(0, i) }, hop.Fold(false)))(hop.Scalar(int64(9)))
	}); e == nil || !strings.Contains(e.Error(), "plan_test.go") {
		t.Errorf("a failure does not name its line: %v", e)
	}
}
