package hop_test

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

// sideEffects is Go state that a body can reach.
type sideEffects struct {
	slice   []T
	byName  map[string]T
	counter int
	rebound T
	field   struct{ Last T }
}

// kept stands for a global variable of a program.
var kept struct{ t T }

// TestSideEffects is part L of the contract cases as the runtime sees it. What a body does to Go variables is refused by
// the static half (HOP401 to HOP403) and not seen here: the effect happens whenever the function is called, which is once
// for a traced body, whatever the number of steps, and once a step under Stepwise. A tensor that gets out of a traced body
// this way is refused where it is used (HOP402); under Stepwise it is a real one.
func TestSideEffects(t *testing.T) {
	xs := f64(1, 2, 3)
	for _, tc := range []struct {
		name   string
		effect func(s *sideEffects, x T)
		calls  func(s *sideEffects) int // how often the effect shows to have happened; -1 where it shows only once
		leaked func(s *sideEffects) T   // nil where no tensor got out
	}{
		{"L1 append to a slice", func(s *sideEffects, x T) { s.slice = append(s.slice, x.Neg()) },
			func(s *sideEffects) int { return len(s.slice) }, func(s *sideEffects) T { return s.slice[len(s.slice)-1] }},
		{"L2 write to a map", func(s *sideEffects, x T) { s.byName["x"] = x.Neg() },
			func(s *sideEffects) int { return -1 }, func(s *sideEffects) T { return s.byName["x"] }},
		{"L3 rebind a variable", func(s *sideEffects, x T) { s.rebound = x.Neg() },
			func(s *sideEffects) int { return -1 }, func(s *sideEffects) T { return s.rebound }},
		{"L4 set a field", func(s *sideEffects, x T) { s.field.Last = x.Neg() },
			func(s *sideEffects) int { return -1 }, func(s *sideEffects) T { return s.field.Last }},
		{"L5 delete a key", func(s *sideEffects, x T) {
			for _, k := range slices.Sorted(maps.Keys(s.byName))[:1] {
				delete(s.byName, k)
			}
		}, func(s *sideEffects) int { return 3 - len(s.byName) }, nil},
		{"L6 count", func(s *sideEffects, x T) { s.counter++ },
			func(s *sideEffects) int { return s.counter }, nil},
		{"L7 store in a global", func(s *sideEffects, x T) { kept.t = x.Neg() },
			func(s *sideEffects) int { return -1 }, func(s *sideEffects) T { return kept.t }},
		{"L8 local slice", func(s *sideEffects, x T) {
			var local []T
			local = append(local, x.Neg())
			s.counter += len(local)
		}, func(s *sideEffects) int { return s.counter }, nil},
		{"L9 print", func(s *sideEffects, x T) { fmt.Fprintf(io.Discard, "%v %+v %s %.3f", x, x, x, x) },
			func(s *sideEffects) int { return -1 }, nil},
	} {
		inModes(t, tc.name, func(t *testing.T, o ...hop.Option) {
			s := &sideEffects{byName: map[string]T{"a": s64(0), "b": s64(0), "c": s64(0)}}
			c, _ := hop.Scan(func(c, x T) (T, hop.None) { tc.effect(s, x); return c.Add(x), hop.None{} }, s64(0), xs, o...)
			check(t, "carry", c, []int{}, 6)
			want := 1
			if len(o) > 0 {
				want = 3
			}
			if got := tc.calls(s); got != -1 && got != want {
				t.Errorf("the effect happened %d times, want %d", got, want)
			}
			if tc.leaked == nil {
				return
			}
			if len(o) > 0 {
				check(t, "tensor of the last step", tc.leaked(s), []int{}, -3)
				return
			}
			e := refusedWith(t, func() { tc.leaked(s).Add(s64(1)) }, "HOP402", "side_effects_test.go", "trace ended")
			if e.Code != hopcheck.LeakedTensor {
				t.Errorf("code %s, want HOP402", e.Code)
			}
		})
	}

	// Numbers from a source that the body captures are drawn when the function is called: traced they are constants of the
	// graph. Keys give each step numbers of its own in both modes (X4).
	inModes(t, "L14", func(t *testing.T, o ...hop.Option) {
		rng := rand.New(rand.NewPCG(1, 2))
		_, ys := hop.Scan(func(c, x T) (T, T) { return c.Add(x), hop.Rand(rng, hop.Float64) }, s64(0), xs, o...)
		v := numbers(ys)
		distinct := len(slices.Compact(slices.Sorted(slices.Values(v))))
		if want := map[bool]int{false: 1, true: 3}[len(o) > 0]; distinct != want {
			t.Errorf("ys hold %d different numbers, want %d: %v", distinct, want, v)
		}
	})
}

// TestDataOfACapturedTensorInABody: the slice is a right to write, so taking it is a write to a captured tensor, which is
// found when the tensor meets a tensor of the body.
func TestDataOfACapturedTensorInABody(t *testing.T) {
	for _, tc := range []struct {
		name  string
		body  func(w, c, x T) T
		found bool
		want  float64 // w afterwards
	}{
		{"met behind it", func(w, c, x T) T { hop.Data[float64](w)[0] = 5; return c.Add(x.Mul(w)) }, true, 5},
		{"met before it", func(w, c, x T) T { y := c.Add(x.Mul(w)); hop.Data[float64](w)[0] = 5; return y }, true, 5},
		{"met through a view", func(w, c, x T) T { v := w.View(1, 1); hop.Data[float64](w)[0] = 5; return c.Add(x.Mul(v.Select(0, 0))) }, true, 5},
		{"never met", func(w, c, x T) T { hop.Data[float64](w)[0] = 5; return c.Add(x) }, false, 5},
		{"met by a copy alone", func(w, c, x T) T { hop.Data[float64](w)[0] = 5; return c.Add(x.Mul(w.Clone())) }, false, 5},
		{"read only", func(w, c, x T) T { return c.Add(x.Mul(w)).AddScalar(hop.ToSlice[float64](w)[0]) }, false, 3},
	} {
		inModes(t, tc.name, func(t *testing.T, o ...hop.Option) {
			w := f64(3)
			err := hop.Try(func() {
				hop.Scan(func(c, x T) (T, hop.None) { return tc.body(w, c, x), hop.None{} }, f64(1), hop.Ones(hop.Float64, 2, 1), o...)
			})
			if tc.found {
				e, ok := err.(*hop.Error)
				if !ok {
					t.Fatalf("got %v, want HOP104", err)
				}
				has(t, e, hopcheck.MutatedCaptured, hopcheck.Captured, "")
			} else if err != nil {
				t.Errorf("got %v", err)
			}
			check(t, "w", w, []int{1}, tc.want)
		})
	}
	// A slice that was taken before the body is the user's own: what is stored through it is counted nowhere.
	inModes(t, "slice from before", func(t *testing.T, o ...hop.Option) {
		w := f64(3)
		data := hop.Data[float64](w)
		hop.Scan(func(c, x T) (T, hop.None) { data[0] = 5; return c.Add(x.Mul(w)), hop.None{} }, f64(1), hop.Ones(hop.Float64, 2, 1), o...)
		if w.Version() != 1 {
			t.Errorf("version %d, want that of Data alone", w.Version())
		}
	})
	// Of a tensor of the body it is refused while that is traced, and a write to it under Stepwise.
	take := func(c, x T) (T, hop.None) { hop.Data[float64](x)[0] = 5; return c.Clone(), hop.None{} }
	e := refused(t, func() { hop.Scan(take, f64(1), hop.Ones(hop.Float64, 2, 1)) })
	if e.Code != hopcheck.DataDependentControlFlow {
		t.Errorf("traced: code %s, want HOP501", e.Code)
	}
	xs := hop.Ones(hop.Float64, 2, 1)
	e = refused(t, func() { hop.Scan(take, f64(1), xs, hop.Stepwise()) })
	has(t, e, hopcheck.MutatedX, hopcheck.X, "")
	check(t, "xs", xs, []int{2, 1}, 1, 1)
}

// TestWritesThroughADestination is D10: the one operation that takes a tensor to write its result to is CallInto.
func TestWritesThroughADestination(t *testing.T) {
	double := hop.NewCompiled(func(x T) T { return x.MulScalar(2) })
	into := func(x, dst T) {
		if err := double.CallInto(x, dst); err != nil {
			panic(err)
		}
	}
	w := f64(1, 1)
	for _, tc := range []struct {
		name string
		body func(c, x T)
		code hopcheck.Code
		role hopcheck.Role
	}{
		{"carry", func(c, x T) { into(x, c) }, hopcheck.MutatedCarry, hopcheck.Carry},
		{"view of x", func(c, x T) { into(c, x.T().View(2)) }, hopcheck.MutatedX, hopcheck.X},
		{"captured", func(c, x T) { into(c, w) }, hopcheck.MutatedCaptured, hopcheck.Captured},
	} {
		inModes(t, "D10 "+tc.name, func(t *testing.T, o ...hop.Option) {
			init, xs := f64(1, 2), hop.Ones(hop.Float64, 3, 2)
			e := refused(t, func() {
				hop.Scan(func(c, x T) (T, hop.None) { tc.body(c, x); return c.Clone(), hop.None{} }, init, xs, o...)
			})
			has(t, e, tc.code, tc.role, "")
			check(t, "init", init, []int{2}, 1, 2)
			check(t, "w", w, []int{2}, 1, 1)
			if w.Version() != 0 {
				t.Errorf("w has version %d, want 0", w.Version())
			}
		})
	}
	inModes(t, "D10 buffer of the body", func(t *testing.T, o ...hop.Option) {
		c, _ := hop.Scan(func(c, x T) (T, hop.None) {
			dst := hop.Zeros(hop.Float64, 2)
			into(c.Add(x), dst)
			return dst, hop.None{}
		}, f64(1, 2), hop.Ones(hop.Float64, 3, 2), o...)
		check(t, "carry", c, []int{2}, 22, 30)
	})
}
