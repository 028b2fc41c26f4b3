package hop_test

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

func TestNestedScan(t *testing.T) {
	rows := f64(1, 2, 3, 4, 5, 6).View(3, 2)
	inModes(t, "M2", func(t *testing.T, o ...hop.Option) {
		inner := func(c, x T) (T, hop.None) { return c.Add(x), hop.None{} }
		outer := func(c, row T) (T, T) {
			total, _ := hop.Scan(inner, c, row)
			return total, c.Clone()
		}
		c, ys := hop.Scan(outer, s64(0), rows, o...)
		check(t, "carry", c, []int{}, 21)
		check(t, "ys", ys, []int{3}, 0, 3, 10)
	})
	// The inner scan starts from concrete tensors only; that it is part of the outer one shows when its body meets the
	// outer body's values.
	inModes(t, "inner scan over concrete operands", func(t *testing.T, o ...hop.Option) {
		steps := f64(1, 2, 3)
		w := s64(10)
		outer := func(c, row T) (T, T) {
			total, trail := hop.Scan(func(a, k T) (T, T) {
				n := a.Add(row.Sum().Mul(k)).Add(w)
				return n, n.Sub(c)
			}, s64(0), steps)
			return c.Add(total), trail
		}
		c, ys := hop.Scan(outer, s64(1), rows, o...)
		want := 1.0
		var trails []float64
		for _, sum := range []float64{3, 7, 11} {
			a := 0.0
			for _, k := range []float64{1, 2, 3} {
				a += sum*k + 10
				trails = append(trails, a-want)
			}
			want += a
		}
		check(t, "carry", c, []int{}, want)
		check(t, "ys", ys, []int{3, 3}, trails...)
	})
	inModes(t, "inner scan over a buffer of the outer body", func(t *testing.T, o ...hop.Option) {
		outer := func(c, row T) (T, T) {
			buf := hop.Zeros(hop.Float64, 2)
			buf.AddInPlace(row)
			_, ys := hop.Scan(func(a, x T) (T, T) { n := a.Add(x).Add(buf.Sum()); return n, n.Clone() }, c, buf)
			buf.MulScalarInPlace(2)
			return ys.Sum().Add(buf.Sum()), buf
		}
		c, ys := hop.Scan(outer, s64(1), rows, o...)
		want := 1.0
		for _, r := range [][2]float64{{1, 2}, {3, 4}, {5, 6}} {
			s := r[0] + r[1]
			a := want + r[0] + s
			b := a + r[1] + s
			want = a + b + 2*s
		}
		check(t, "carry", c, []int{}, want)
		check(t, "ys", ys, []int{3, 2}, 2, 4, 6, 8, 10, 12)
	})
	inModes(t, "three levels", func(t *testing.T, o ...hop.Option) {
		x := f64(1, 2, 3, 4, 5, 6, 7, 8).View(2, 2, 2)
		c, _ := hop.Scan(func(a, x T) (T, hop.None) {
			n, _ := hop.Scan(func(b, x T) (T, hop.None) {
				n, _ := hop.Scan(func(c, x T) (T, hop.None) { return c.Mul(x).Add(a), hop.None{} }, b, x)
				return n.Add(a), hop.None{}
			}, a, x)
			return n, hop.None{}
		}, s64(1), x, o...)
		want := 1.0
		for i := range 2 {
			b := want
			for j := range 2 {
				n := b
				for k := range 2 {
					n = n*float64(1+4*i+2*j+k) + want
				}
				b = n + want
			}
			want = b
		}
		check(t, "carry", c, []int{}, want)
	})
	inModes(t, "M4", func(t *testing.T, o ...hop.Option) {
		outer := func(c, row T) (T, T) {
			_, ys := hop.Scan(func(a, x T) (T, T) { a.AddInPlace(x); return a.Clone(), x.Neg() }, c.Clone(), row)
			return c.Add(ys.Sum()), ys
		}
		e := refused(t, func() { hop.Scan(outer, s64(0), rows, o...) })
		has(t, e, hopcheck.MutatedCarry, hopcheck.Carry, "")
		if strings.Count(e.Operators, "scan") != 2 {
			t.Errorf("operators %q; want both scans", e.Operators)
		}
		if len(e.More) != 0 {
			t.Errorf("the outer body broke nothing:\n%s", e)
		}
	})
}

func TestStepwiseInsideATracedBody(t *testing.T) {
	outer := func(c, row T) (T, T) {
		n, ys := hop.Scan(func(a, x T) (T, T) { return a.Add(x), a.Clone() }, c, row, hop.Stepwise())
		return n, ys
	}
	refusedWith(t, func() { hop.Scan(outer, s64(0), hop.Ones(hop.Float64, 3, 2)) }, "Stepwise", "traced operator", "scan")
	hidden := func(c, row T) (T, T) {
		n, ys := hop.Scan(func(a, x T) (T, T) { return a.Add(c), x.Clone() }, s64(0), f64(1, 2), hop.Stepwise())
		return n, ys
	}
	refusedWith(t, func() { hop.Scan(hidden, s64(0), hop.Ones(hop.Float64, 3, 2)) }, "Stepwise", "traced operator", "scan")
}

func TestReadingATracedTensor(t *testing.T) {
	f := func(c, x T) (T, T) {
		if hop.Item[float64](x) > 0 {
			return c.Add(x), x.Clone()
		}
		return c.Clone(), x.Clone()
	}
	e := refusedWith(t, func() { hop.Scan(f, s64(0), f64(1, -2)) }, "combine function reads", "Item", "Stepwise")
	if !errors.Is(e, hopcheck.DataDependentControlFlow) {
		t.Errorf("code %s", e.Code)
	}
	c, _ := hop.Scan(f, s64(0), f64(1, -2, 3), hop.Stepwise())
	check(t, "carry", c, []int{}, 4)
}

// TestLeakedTensor is case K21 and the run-time side of L7.
func TestLeakedTensor(t *testing.T) {
	var kept T
	hop.Scan(func(c, x T) (T, T) { kept = c.Add(x); return c.Add(x), x.Clone() }, s64(0), f64(1, 2))
	for name, use := range map[string]func(){
		"op":         func() { kept.Add(s64(1)) },
		"read":       func() { hop.Item[float64](kept) },
		"other scan": func() { hop.Scan(func(c, x T) (T, T) { return c.Add(kept), x.Clone() }, s64(0), f64(1)) },
		"operand":    func() { hop.Scan(func(c, x T) (T, T) { return c.Add(x), x.Clone() }, kept, f64(1)) },
	} {
		t.Run("K21 "+name, func(t *testing.T) {
			e := refusedWith(t, use, "HOP402", "scan_nested_test.go", "trace ended")
			if !errors.Is(e, hopcheck.LeakedTensor) {
				t.Errorf("code %s", e.Code)
			}
		})
	}
}

// Each goroutine has its own trace; captured tensors are only read.
func TestConcurrentScans(t *testing.T) {
	w := f64(1, 2, 3)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for range 20 {
				c, _ := hop.Scan(func(c, x T) (T, T) { n := c.Add(x.Mul(w)); return n, n.Clone() },
					hop.Zeros(hop.Float64, 3), hop.Full(hop.Float64, float64(g), 4, 3))
				check(t, "carry", c, []int{3}, 4*float64(g), 8*float64(g), 12*float64(g))
			}
		})
	}
	wg.Wait()
}

// A loop of scans must print and run the same each time, with fresh results.
func TestScanTakesNothingFromTheMemo(t *testing.T) {
	for i := range 5 {
		w := s64(float64(i))
		k := float64(10 * i)
		c, ys := hop.Scan(func(c, x T) (T, T) { return c.Add(x.Mul(w)).AddScalar(k), c.Clone() }, s64(0), f64(1, 2))
		check(t, "carry", c, []int{}, 3*float64(i)+2*k)
		ys.Fill(-1)
	}
}

// Both modes must see the same aliases where a view op has to copy.
func TestReshapeOfATransposedTensor(t *testing.T) {
	x := hop.Arange(hop.Float64, 12).View(2, 2, 3)
	inModes(t, "copies", func(t *testing.T, o ...hop.Option) {
		c, ys := hop.Scan(func(c, x T) (T, T) { return c.T().Reshape(-1).Reshape(2, 3), x.T().Reshape(6) }, hop.Arange(hop.Float64, 6).View(2, 3), x, o...)
		check(t, "carry", c, []int{2, 3}, 0, 4, 3, 2, 1, 5)
		check(t, "ys", ys, []int{2, 6}, 0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11)
	})
	inModes(t, "refuses", func(t *testing.T, o ...hop.Option) {
		f := func(c, x T) (T, T) { return c.Add(x), x.T().View(6).Clone() }
		refusedWith(t, func() { hop.Scan(f, hop.Zeros(hop.Float64, 2, 3), x, o...) }, "View", "Reshape")
	})
	inModes(t, "aliases", func(t *testing.T, o ...hop.Option) {
		f := func(c, x T) (T, T) { return c.Add(x), x.T().T().Reshape(6) }
		e := refused(t, func() { hop.Scan(f, hop.Zeros(hop.Float64, 2, 3), x, o...) })
		has(t, e, hopcheck.OutputAliasesInput, hopcheck.Y, "")
	})
}

// Two goroutines that record in one trace at once are refused, not mixed up. Which op loses is up to the scheduler, so
// both keep recording until one does.
func TestConcurrentUseOfATraceIsRefused(t *testing.T) {
	var refusals atomic.Int32
	hop.Scan(func(c, x T) (T, T) {
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				for k := 0; k < 1_000_000 && refusals.Load() == 0; k++ {
					if err := hop.Try(func() { x.Neg() }); err != nil {
						refusals.Add(1)
						if !strings.Contains(err.Error(), "another goroutine") {
							t.Error(err)
						}
					}
				}
			})
		}
		wg.Wait()
		return c.Add(x), x.Neg()
	}, s64(0), f64(1, 2))
	// That a claimed trace refuses is tested in the tracer; whether the goroutines met here is up to the machine.
}

// A tensor that was never made is refused by name, wherever it comes from.
func TestZeroTensors(t *testing.T) {
	f := func(c, x T) (T, T) { return c.Add(x), x.Neg() }
	inModes(t, "zero", func(t *testing.T, o ...hop.Option) {
		refusedWith(t, func() { hop.Scan(f, &hop.Tensor{}, f64(1), o...) }, "init is a zero Tensor")
		refusedWith(t, func() { hop.Scan(f, s64(0), new(hop.Tensor), o...) }, "xs is a zero Tensor")
		refusedWith(t, func() {
			hop.Scan(func(c, x T) (T, T) { return c.Add(x), new(hop.Tensor) }, s64(0), f64(1), o...)
		}, "y is a zero Tensor")
	})
	zero := new(hop.Tensor)
	for name, use := range map[string]func(){
		"Add": func() { s64(1).Add(zero) }, "Neg": func() { zero.Neg() }, "AddInPlace": func() { zero.AddInPlace(s64(1)) },
		"Item": func() { hop.Item[float64](zero) }, "Narrow": func() { zero.Narrow(0, 0, 1) },
	} {
		refusedWith(t, use, name, "a zero Tensor")
	}
	if zero.Rank() != 0 || zero.Version() != 0 || zero.DType() != 0 || zero.SharesStorage(s64(1)) {
		t.Error("a zero Tensor cannot be looked at")
	}
}

// Requests that no memory can hold are errors and not the end of the program.
func TestRequestsBeyondMemory(t *testing.T) {
	for name, request := range map[string]func(){
		"Zeros": func() { hop.Zeros(hop.Float64, 1<<42) },
		"Add":   func() { z := hop.Zeros(hop.Float64, 1, 4).Expand(1<<40, 4); z.Add(z) },
		"ys of a traced scan": func() {
			hop.Scan(func(c T, _ hop.None) (T, T) { return c.Neg(), c.Neg() }, hop.Zeros(hop.Float64, 8), hop.None{}, hop.Length(1<<40))
		},
		"ys of a stepwise scan": func() {
			hop.Scan(func(c T, _ hop.None) (T, T) { return c.Neg(), c.Neg() }, s64(0), hop.None{}, hop.Length(1<<40), hop.Stepwise())
		},
	} {
		if e := refused(t, request); !strings.Contains(e.Error(), "larger than memory") {
			t.Errorf("%s: %s", name, e)
		}
	}
}
