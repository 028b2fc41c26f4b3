package hop_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/hoplint/hoplint/runtime/hop"
)

// chosen are the rows of x whose first element is positive: how many depends on data.
func chosen(x T) T {
	return x.IndexSelect(0, x.Select(1, 0).GtScalar(0).Nonzero().Reshape(-1))
}

// rowsOf are n rows of which the first k are chosen.
func rowsOf(n, k int) T {
	x := hop.Arange(hop.Float64, 3*n).Reshape(n, 3).MulScalar(0.01).AddScalar(0.5)
	if k < n {
		x.Narrow(0, k, n-k).Select(1, 0).Fill(-1)
	}
	return x
}

// ofRows are functions of rows, and of a captured w.
func ofRows(w T) map[string]func(rows T) []T {
	ema := func(c, x T) (T, T) {
		c = c.MulScalar(0.9).Add(x.Sin())
		return c, c.Sum()
	}
	return map[string]func(rows T) []T{
		"scan": func(rows T) []T {
			c, ys := hop.Scan(ema, w, rows)
			return []T{c, ys}
		},
		"scan backwards, of numbers": func(rows T) []T {
			c, ys := hop.Scan(func(c, x T) (T, T) { return c.MulScalar(0.5).Add(x), c.Clone() }, hop.Scalar(1.0), rows.Select(1, 1), hop.Reverse())
			return []T{c, ys}
		},
		"scan that captures all rows": func(rows T) []T {
			c, ys := hop.Scan(func(c, x T) (T, T) { c = c.Add(rows.Sum(0)).Mul(x).MulScalar(0.1); return c, c.Clone() }, w, rows)
			return []T{c, ys}
		},
		"scan without ys": func(rows T) []T {
			c, _ := hop.Scan(func(c, x T) (T, hop.None) { return c.Maximum(x), hop.None{} }, w, rows)
			return []T{c}
		},
		"scan of numbers that may fail": func(rows T) []T {
			xs := rows.Select(1, 0).MulScalar(100).To(hop.Int64)
			c, ys := hop.Scan(func(c, x T) (T, T) { c = c.Add(hop.Scalar(int64(1000)).Div(x)); return c, x.Clone() }, hop.Scalar(int64(0)), xs)
			return []T{c, ys}
		},
		"map":              func(rows T) []T { return []T{hop.Map(func(x T) T { return x.Mul(w).Softmax(0) }, rows)} },
		"associative scan": func(rows T) []T { return []T{hop.AssociativeScan(func(a, b T) T { return a.Add(b) }, rows)} },
		"while": func(rows T) []T {
			return []T{hop.WhileLoop(func(s T) T { return s.Sum().LtScalar(50) }, func(s T) T { return s.AddScalar(1) }, rows.Sum(0).Add(w))}
		},
		"cond": func(rows T) []T {
			return []T{hop.Cond(rows.Sum().GtScalar(3), func(r T) T { return r.Neg() }, func(r T) T { return r.MulScalar(2) }, rows)}
		},
		"a scan of known length": func(rows T) []T {
			c, ys := hop.Scan(ema, rows.Sum(0), w.Expand(4, 3))
			return []T{c, ys}
		},
		"a while loop around a scan": func(rows T) []T {
			return []T{hop.WhileLoop(func(s T) T { return s.Sum().LtScalar(50) }, func(s T) T {
				c, _ := hop.Scan(ema, s, rows)
				return s.AddScalar(2).Add(c.Sin())
			}, w)}
		},
		"a body that chooses": func(rows T) []T {
			c, _ := hop.Scan(func(c, x T) (T, hop.None) {
				some := x.GtScalar(0.6).Nonzero().Reshape(-1)
				picked := hop.Map(func(y T) T { return y.Sin() }, x.IndexSelect(0, some))
				return c.MulScalar(0.5).Add(picked.Sum()), hop.None{}
			}, w, rows)
			return []T{c}
		},
	}
}

// TestOperatorsOfDataSizes: an operator over rows whose number depends on data gives the bits that it gives for rows of a
// known number, for any number, of one program.
func TestOperatorsOfDataSizes(t *testing.T) {
	w := f64(0.1, 0.2, 0.3)
	for name, f := range ofRows(w) {
		t.Run(name, func(t *testing.T) {
			g := func(x T) []T { return f(chosen(x)) }
			folded, plain := hop.NewCompiled(g), hop.NewCompiled(g, hop.Fold(false))
			for _, k := range []int{7, 0, 1, 2, 3, 4, 6, 8, 13, 20, 7} {
				x := rowsOf(20, k)
				want := f(x.Narrow(0, 0, k).Clone())
				for mode, c := range map[string]*hop.Compiled[T, []T]{"compiled": folded, "not folded": plain} {
					got, err := c.Call(x)
					if err != nil {
						t.Fatalf("%d rows, %s: %v", k, mode, err)
					}
					for i := range want {
						if !slices.Equal(got[i].Shape(), want[i].Shape()) || !slices.Equal(numbers(got[i]), numbers(want[i])) {
							t.Errorf("%d rows, %s, result %d: got %v, want %v", k, mode, i, got[i], want[i])
						}
					}
				}
			}
			if n := len(folded.Programs()); n != 1 {
				t.Errorf("%d programs, want one for all numbers of rows", n)
			}
		})
	}
}

// TestErrorsOfDataSizes: the failing step has its number among all steps, and the same path, as with a known number.
func TestErrorsOfDataSizes(t *testing.T) {
	for name, f := range map[string]func(rows T) T{
		"vectors": func(rows T) T {
			_, ys := hop.Scan(func(c, x T) (T, T) { c = c.Add(x); return c, rows.At(0, x.Select(0, 1).To(hop.Int64)) }, f64(0, 0, 0), rows)
			return ys
		},
		"numbers": func(rows T) T {
			_, ys := hop.Scan(func(c, x T) (T, T) { return c.AddScalar(1), hop.Scalar(int64(5)).Div(x) }, hop.Scalar(int64(0)), rows.Select(1, 1).To(hop.Int64).RSubScalar(99))
			return ys
		},
		"map": func(rows T) T {
			return hop.Map(func(x T) T { return rows.At(0, x.Select(0, 1).To(hop.Int64)) }, rows)
		},
		"nested": func(rows T) T {
			_, ys := hop.Scan(func(c, x T) (T, T) {
				_, y := hop.Scan(func(d, z T) (T, T) { return d.AddScalar(1), rows.At(0, z.To(hop.Int64)) }, hop.Scalar(0.0), x)
				return c.AddScalar(1), y
			}, hop.Scalar(0.0), rows)
			return ys
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := hop.NewCompiled(func(x T) T { return f(chosen(x)) })
			for _, k := range []int{5, 7, 12, 16} {
				for bad := range k {
					x := hop.Ones(hop.Float64, 16, 3)
					x.Narrow(0, k, 16-k).Select(1, 0).Fill(-1)
					x.Set(99, bad, 1) // no row has this number
					var want, got *hop.Error
					if !errors.As(hop.Try(func() { f(x.Narrow(0, 0, k).Clone()) }), &want) {
						t.Fatalf("%d rows, step %d: no error for a known number", k, bad)
					}
					if _, err := c.Call(x); !errors.As(err, &got) || got.Step != want.Step || got.Operators != want.Operators || got.Position != want.Position || got.Detail != want.Detail {
						t.Errorf("%d rows, step %d: got %v, want %v", k, bad, err, want)
					}
				}
			}
		})
	}
}

// TestLongRunsOfDataSizes: progress counts all steps, and a run is stopped in the middle.
func TestLongRunsOfDataSizes(t *testing.T) {
	p := hop.NewCompiled(func(x T) T { return ofRows(f64(1, 2, 3))["scan"](chosen(x))[1] })
	last, total := 0, 0
	if _, err := p.Call(rowsOf(20, 13), hop.Progress(func(step, n int) { last, total = step, n })); err != nil || last != 13 || total != 13 {
		t.Errorf("the last report is %d of %d, want 13 of 13 (%v)", last, total, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := p.Call(rowsOf(20, 13), hop.WithContext(ctx), hop.Progress(func(step, n int) { cancel() }))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want a cancelled run", err)
	}
	if y, err := p.Call(rowsOf(20, 13)); err != nil || y.NumElems() != 13 {
		t.Errorf("the next call gives %v (%v)", y, err)
	}
}

// TestDataSizesAreNotPlannedAgain: a scan of 10,000 steps, or of a number of steps that never came before, is not
// interpreted step by step nor compiled.
func TestDataSizesAreNotPlannedAgain(t *testing.T) {
	f := hop.Must(hop.Compile(func(x T) T { return ofRows(f64(1, 2, 3))["scan"](chosen(x))[1] }))
	const n = 10000
	x := rowsOf(n, n)
	for k := 1; k <= n; k *= 2 {
		f(rowsOf(n, k))
	}
	f(x)
	if allocs := testing.AllocsPerRun(3, func() { f(x) }); allocs > 1000 {
		t.Errorf("%d steps: %v allocations", n, allocs)
	}
	var calls []T
	for k := range 10 {
		calls = append(calls, rowsOf(n, 5000+k))
	}
	next := 0
	if allocs := testing.AllocsPerRun(9, func() { f(calls[next]); next++ }); allocs > 1000 {
		t.Errorf("numbers of steps that are new: %v allocations", allocs)
	}
}
