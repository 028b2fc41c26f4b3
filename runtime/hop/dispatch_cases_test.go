package hop_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

// levelsOf returns the levels that the calls of one name passed, as an observer saw them.
func levelsOf(log *hop.DispatchLog, name string) (levels [][]hop.Level) {
	for _, c := range log.Calls() {
		if c.Name == name {
			levels = append(levels, c.Levels)
		}
	}
	return levels
}

// TestAutogradIsEnteredOnlyWhenAskedFor are the cases O1 to O6 of the dispatcher: what decides is whether any operand,
// however deep, or any captured tensor requires grad.
func TestAutogradIsEnteredOnlyWhenAskedFor(t *testing.T) {
	type inner struct{ L []T }
	type carry struct {
		H T
		M map[string]inner
		N T // integers
	}
	step := func(w T) func(c carry, x T) (carry, T) {
		return func(c carry, x T) (carry, T) {
			deep := c.M["k"].L[1]
			return carry{c.H.Mul(w).Add(x), map[string]inner{"k": {[]T{c.M["k"].L[0].Clone(), deep.Clone()}}}, c.N.AddScalar(1)}, c.H.Mul(deep)
		}
	}
	for _, tc := range []struct {
		name           string
		h, deep, xs, w bool
		entered        bool
	}{
		{name: "O1 and O6 no operand"},
		{name: "O3 captured", w: true, entered: true},
		{name: "O4 and O6 deep leaf", deep: true, entered: true},
		{name: "xs", xs: true, entered: true},
	} {
		inModes(t, tc.name, func(t *testing.T, o ...hop.Option) {
			grad := func(v float64, on bool) T { return s64(v).SetRequiresGrad(on) }
			init := carry{grad(1, tc.h), map[string]inner{"k": {[]T{s64(2), grad(3, tc.deep)}}}, hop.Scalar(int64(0))}
			w, xs := grad(2, tc.w), f64(1, 2).SetRequiresGrad(tc.xs)
			var log hop.DispatchLog
			c, ys := hop.Scan(step(w), init, xs, with(o, hop.Observe(&log))...)
			scans := levelsOf(&log, "scan")
			if len(scans) != 1 || slices.Contains(scans[0], hop.LevelAutograd) != tc.entered {
				t.Errorf("scan passed the levels %v; autograd wanted: %t", scans, tc.entered)
			}
			// O6: all float outputs together, integers never.
			for name, got := range map[string]T{"H": c.H, "L[0]": c.M["k"].L[0], "L[1]": c.M["k"].L[1], "ys": ys} {
				if got.RequiresGrad() != tc.entered {
					t.Errorf("O6: %s requires grad: %t, want %t", name, got.RequiresGrad(), tc.entered)
				}
			}
			if c.N.RequiresGrad() {
				t.Error("O6: integers require grad")
			}
		})
	}
	inModes(t, "O5 integers only", func(t *testing.T, o ...hop.Option) {
		var log hop.DispatchLog
		c, _ := hop.Scan(func(c, x T) (T, hop.None) { return c.Add(x), hop.None{} }, hop.Scalar(int64(0)), i64(1, 2), with(o, hop.Observe(&log))...)
		for _, call := range log.Calls() {
			if slices.Contains(call.Levels, hop.LevelAutograd) {
				t.Errorf("%s passed %v", call.Name, call.Levels)
			}
		}
		check(t, "carry", c, []int{}, 3)
	})
}

// TestEveryEntranceChecksTheContract is O10: however an operator is reached, its body is checked.
func TestEveryEntranceChecksTheContract(t *testing.T) {
	alias := func(x T) T { return x }
	for name, run := range map[string]func(x T){
		"plain":           func(x T) { hop.Checkpoint(alias)(x) },
		"requires grad":   func(x T) { hop.Checkpoint(alias)(x.Clone().SetRequiresGrad(true)) },
		"in Grad":         func(x T) { hop.Grad(func(x T) T { return hop.Checkpoint(alias)(x).Sum() })(x) },
		"under observers": func(x T) { hop.WithObserver(&hop.DispatchLog{}, hop.Checkpoint(alias))(x) },
		"in a scan": func(x T) {
			hop.Scan(func(c, x T) (T, hop.None) { return hop.Checkpoint(alias)(c).Clone(), hop.None{} }, x, x)
		},
		"stepwise": func(x T) {
			hop.Scan(func(c, x T) (T, hop.None) { return hop.Checkpoint(alias)(c).Clone(), hop.None{} }, x, x, hop.Stepwise())
		},
	} {
		t.Run("O10 "+name, func(t *testing.T) {
			if e := refused(t, func() { run(f64(1, 2)) }); !errors.Is(e, hopcheck.OutputAliasesInput) {
				t.Errorf("got %v, want HOP301", e)
			}
		})
	}
}
