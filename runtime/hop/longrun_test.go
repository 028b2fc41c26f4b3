package hop_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/runtime/hop"
)

// longRuns are calls of every operator with steps, n of them, on a carry or rows that require grad when asked.
func longRuns(n int, x T, o ...hop.Option) map[string]func() {
	rows := x.Unsqueeze(0).Expand(n).Clone()
	inc := func(c T) T { return c.AddScalar(1) }
	return map[string]func(){
		"scan":             func() { hop.Scan(func(c, x T) (T, T) { return c.Add(x), x.Neg() }, x, rows, o...) },
		"for_loop":         func() { hop.ForLoop(0, n, func(i, c T) T { return inc(c) }, x, o...) },
		"while_loop":       func() { hop.WhileLoop(func(c T) T { return c.LtScalar(float64(n)) }, inc, x, o...) },
		"map":              func() { hop.Map(inc, rows, o...) },
		"associative_scan": func() { hop.AssociativeScan(func(a, b T) T { return a.Add(b) }, rows, o...) },
	}
}

func TestProgressReportsTheEnd(t *testing.T) {
	for _, grad := range []bool{false, true} {
		inModes(t, "progress", func(t *testing.T, o ...hop.Option) {
			for name := range longRuns(1, s64(0)) {
				last, total := 0, 0
				x := s64(0)
				if grad {
					x.SetRequiresGrad(true)
				}
				report := hop.Progress(func(step, n int) { last, total = step, n })
				longRuns(10, x, with(o, report)...)[name]()
				if name == "associative_scan" {
					continue // the executor reports rounds
				}
				if last != 10 || total != 10 {
					t.Errorf("%s (grad %t): last report is %d of %d, want 10 of 10", name, grad, last, total)
				}
			}
		})
	}
}

func TestCancellation(t *testing.T) {
	inModes(t, "already cancelled", func(t *testing.T, o ...hop.Option) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for name, run := range longRuns(10, s64(0), with(o, hop.WithContext(ctx))...) {
			if err := hop.Try(run); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), ": "+name+": the run was stopped") {
				t.Errorf("%s: got %v, want a cancelled run", name, err)
			}
		}
	})
	inModes(t, "in the middle", func(t *testing.T, o ...hop.Option) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		x := s64(0)
		reports := 0
		opts := with(o, hop.WithContext(ctx), hop.Progress(func(step, total int) {
			if reports++; reports == 1 {
				cancel()
			}
		}))
		err := hop.Try(func() {
			hop.WhileLoop(func(c T) T { return c.LtScalar(1e12) }, func(c T) T { return c.AddScalar(1) }, x, opts...)
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v, want a cancelled run", err)
		}
		check(t, "x", x, []int{}, 0)
	})
	t.Run("of a program", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		c := hop.NewCompiled(func(x T) T { return hop.ForLoop(0, 5, func(i, c T) T { return c.AddScalar(1) }, x) })
		if _, err := c.Call(s64(0), hop.WithContext(ctx)); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		y, err := c.Call(s64(0), hop.WithContext(t.Context()))
		if err != nil {
			t.Fatal(err)
		}
		check(t, "y", y, []int{}, 5)
	})
	t.Run("inside a traced function", func(t *testing.T) {
		_, err := hop.Trace(func(x T) T {
			return hop.ForLoop(0, 5, func(i, c T) T { return c.AddScalar(1) }, x, hop.WithContext(t.Context()))
		}, s64(0))
		var e *hop.Error
		if !errors.As(err, &e) {
			t.Fatalf("got %v, want a refusal", err)
		}
		refusedWith(t, func() { panic(e) }, "Call")
	})
}
