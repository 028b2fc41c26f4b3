package hop_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

// Short names for tests that read like the case lists: a row is its number, the program, the expected value.

type T = *hop.Tensor

func f64(v ...float64) T { return hop.FromSlice(v) }

func i64(v ...int64) T { return hop.FromSlice(v) }

func s64(v float64) T { return hop.Scalar(v) }

// modes are the two ways to run a HOP; every case holds in both.
var modes = []struct {
	name string
	opts []hop.Option
}{
	{"traced", nil},
	{"stepwise", []hop.Option{hop.Stepwise()}},
}

// inModes runs a case under its number in every mode.
func inModes(t *testing.T, number string, f func(t *testing.T, opts ...hop.Option)) {
	t.Helper()
	for _, m := range modes {
		t.Run(number+"/"+m.name, func(t *testing.T) { f(t, m.opts...) })
	}
}

// with adds options to those of the mode.
func with(opts []hop.Option, more ...hop.Option) []hop.Option {
	return append(slices.Clone(opts), more...)
}

// check compares values and shape.
func check(t *testing.T, what string, got T, shape []int, want ...float64) {
	t.Helper()
	if got == nil {
		t.Errorf("%s is nil, want %v", what, want)
		return
	}
	if !slices.Equal(got.Shape(), shape) {
		t.Errorf("%s has shape %v, want %v", what, got.Shape(), shape)
		return
	}
	values := numbers(got)
	for i := range want {
		if d := math.Abs(values[i] - want[i]); d > 1e-9*(1+math.Abs(want[i])) || math.IsNaN(values[i]) != math.IsNaN(want[i]) {
			t.Errorf("%s = %v, want %v", what, values, want)
			return
		}
	}
}

// numbers are the elements of any tensor as float64; true is 1.
func numbers(t T) []float64 {
	switch t.DType() {
	case hop.Bool:
		out := make([]float64, t.NumElems())
		for i, b := range hop.ToSlice[bool](t) {
			if b {
				out[i] = 1
			}
		}
		return out
	case hop.Int32:
		return convert(hop.ToSlice[int32](t))
	case hop.Int64:
		return convert(hop.ToSlice[int64](t))
	case hop.Float32:
		return convert(hop.ToSlice[float32](t))
	default:
		return hop.ToSlice[float64](t)
	}
}

func convert[N int32 | int64 | float32](s []N) []float64 {
	out := make([]float64, len(s))
	for i, v := range s {
		out[i] = float64(v)
	}
	return out
}

// refused runs f and returns the *hop.Error that it must panic with.
func refused(t *testing.T, f func()) *hop.Error {
	t.Helper()
	err := hop.Try(f)
	var e *hop.Error
	if !errors.As(err, &e) {
		t.Fatalf("got no *hop.Error, got %v", err)
	}
	return e
}

// refusedWith also checks that the text contains every word.
func refusedWith(t *testing.T, f func(), words ...string) *hop.Error {
	t.Helper()
	e := refused(t, f)
	for _, w := range words {
		if !strings.Contains(e.Error(), w) {
			t.Errorf("error does not say %q:\n%s", w, e)
		}
	}
	return e
}

// has checks that e is, or holds, a finding with the code, role and path.
func has(t *testing.T, e *hop.Error, code hopcheck.Code, role hopcheck.Role, path string) {
	t.Helper()
	if !errors.Is(e, code) {
		t.Errorf("error is not %s:\n%s", string(code), e)
		return
	}
	for _, f := range append([]*hop.Error{e}, e.More...) {
		if f.Code != code {
			continue
		}
		for _, p := range f.Finding.Places {
			if p.Role == role && p.Path == path {
				return
			}
		}
		for _, p := range f.Finding.Pairs {
			if p.Out.Role == role && p.Out.Path == path || p.With.Role == role && p.With.Path == path {
				return
			}
		}
		for _, d := range f.Finding.Differences {
			if d.Got.Role == role && d.Got.Path == path {
				return
			}
		}
		if len(f.Finding.Places) == 0 && f.Role == role && f.Path == path {
			return
		}
	}
	t.Errorf("no finding %s for %s%s in:\n%s", string(code), role, path, e)
}
