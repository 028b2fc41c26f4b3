package hop_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/runtime/hop"
)

// What is refused of open sizes says what it is and what to write instead.
func TestRefusalsOfOpenSizes(t *testing.T) {
	type args struct {
		X T
		K hop.Int
	}
	same := func(a args) T { return a.X.Clone() }
	of := func(f func(T) T, opts ...hop.TraceOption) func() error {
		return func() error { _, err := hop.Trace(f, ones(3), opts...); return err }
	}
	with := func(opts ...hop.TraceOption) func() error {
		return func() error { _, err := hop.Trace(same, args{ones(2), hop.IntOf(2)}, opts...); return err }
	}
	n := hop.WithDims("x", "n")
	for _, tc := range []struct {
		name string
		err  func() error
		want []string
	}{
		{"Select from the end", of(func(x T) T { return x.Select(0, -1) }, n), []string{"Select: index -1", "SelectSym(0, x.SymDim(0).SubScalar(1))"}},
		{"Slice from the end", of(func(x T) T { return x.Slice(0, -2, 3, 1) }, n), []string{"Slice: start -2", "SliceSym", "SubScalar(2)"}},
		{"Narrow from the end", of(func(x T) T { return x.Narrow(0, -1, 1) }, n), []string{"Narrow: start -1", "NarrowSym", "SubScalar(1)"}},
		{"last of none", func() error {
			x := ones(0)
			return hop.Try(func() { x.SelectSym(0, x.SymDim(0).SubScalar(1)) })
		}, []string{"index -1", "has no elements"}},
		{"dims of an int", with(hop.WithDims("K")), []string{`names "K", which is an int and has no dims`}},
		{"named twice", with(hop.WithDims("X", "n"), hop.WithDims("X", "m")), []string{`names "X" twice`}},
		{"no such leaf", with(hop.WithDims("Z", "n")), []string{`names "Z", which is none of the tensors ".X"`}},
	} {
		t.Run(tc.name, func(t *testing.T) { says(t, tc.err(), tc.want...) })
	}
}

// A guard that the example of a trace around breaks is named with the example's size, and an op once.
func TestGuardsAndRulesOfAProgramInATrace(t *testing.T) {
	f := func(x T) T {
		if x.SymDim(0).GtScalar(2) {
			return x.MulScalar(2)
		}
		return x.Clone()
	}
	p := dynamic(t, f, ones(3), hop.WithDims("x", "n"))
	around := func(x T) T { return hop.Must(func(x T) (T, error) { return p.Call(x) })(x) }
	for _, opts := range [][]hop.TraceOption{nil, {hop.WithDims("x", "m")}} {
		_, err := hop.Trace(around, ones(2), opts...)
		says(t, err, "guard 2 < n", "sym_remedies_test.go:", "does not hold for n = 2")
		if !errors.Is(err, hop.ErrGuard) {
			t.Errorf("%v is no ErrGuard", err)
		}
		if _, err := hop.Trace(around, ones(4), opts...); err != nil {
			t.Error(err)
		}
	}

	p = dynamic(t, func(x T) T { v, _ := x.TopK(0, 2); return v }, ones(3), hop.WithDims("x", "n"))
	_, err := p.Call(ones(1))
	says(t, err, "go:", "TopK: k is 2 for dim 0")
	if text := err.Error(); strings.Count(text, "TopK") != 1 {
		t.Errorf("the op is named more than once: %s", text)
	}
}

// What depends on data goes by the name that the user knows, or by the line that made it.
func TestIntegersOfDataGoByTheirNames(t *testing.T) {
	type carry struct {
		N hop.Int
		X T
	}
	loop := func(body func(c carry) carry) func() error {
		return func() error {
			return hop.Try(func() {
				hop.WhileLoop(func(c carry) T { return c.N.Tensor(hop.Int64).GtScalar(0) }, body, carry{hop.IntOf(3), ones(2)})
			})
		}
	}
	for _, tc := range []struct {
		name string
		err  func() error
		want []string
	}{
		{"compared", loop(func(c carry) carry { c.N.GtScalar(2); return carry{c.N.SubScalar(1), c.X.Sin()} }), []string{"HOP501", "compares 2 < carry.N, which depends on data"}},
		{"read", loop(func(c carry) carry { c.N.Value(); return carry{c.N.SubScalar(1), c.X.Sin()} }), []string{"HOP501", "reads the value of carry.N, which depends on data"}},
		{"item", func() error {
			_, err := hop.Trace(func(x T) T { return x.MulScalar(float64(x.Sum().SymItem().Value())) }, ones(2))
			return err
		}, []string{"HOP501", "reads the value of u0, which depends on data (u0 is made at sym_remedies_test.go:"}},
		{"range", func() error {
			p := dynamic(t, func(x T) T { return x.MulSym(x.Sum().SymItem().Bounded(0, 3)) }, ones(2))
			_, err := p.Call(f64(-1, -1))
			return err
		}, []string{"guard 0 <= u0 does not hold: u0 = -2, made by SymItem"}},
	} {
		t.Run(tc.name, func(t *testing.T) { says(t, tc.err(), tc.want...) })
	}
}
