package hop_test

import (
	"errors"
	"math"
	"runtime"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

// TestScanErrors is part B of the scan cases.
func TestScanErrors(t *testing.T) {
	xs := f64(1, 2, 3, 4)
	type pair struct{ A, B T }
	init := pair{s64(1), s64(2)}

	inModes(t, "B1", func(t *testing.T, o ...hop.Option) {
		var f func(c, x T) (T, T)
		e := refusedWith(t, func() { hop.Scan(f, nil, nil, o...) }, "scan", "combine function is nil")
		if !e.Position.IsValid() {
			t.Error("no position")
		}
	})
	inModes(t, "B3", func(t *testing.T, o ...hop.Option) {
		f := func(c []T, x T) ([]T, T) { return []T{c[0].Add(x)}, x.Clone() }
		e := refusedWith(t, func() { hop.Scan(f, []T{s64(1), s64(2)}, xs, o...) }, "HOP201", "1", "2")
		if !errors.Is(e, hopcheck.CarryMismatch) {
			t.Errorf("code is %s", e.Code)
		}
	})
	inModes(t, "B4", func(t *testing.T, o ...hop.Option) {
		f := func(c map[string]T, x T) (map[string]T, T) {
			return map[string]T{"a": c["a"].Add(x), "b": x.Neg()}, x.Clone()
		}
		e := refusedWith(t, func() { hop.Scan(f, map[string]T{"a": s64(1)}, xs, o...) }, `carry["b"]`)
		if !errors.Is(e, hopcheck.CarryMismatch) {
			t.Errorf("code is %s", e.Code)
		}
	})
	inModes(t, "B5", func(t *testing.T, o ...hop.Option) {
		f := func(c, x T) (T, T) { return c.Add(x), x.Clone() }
		e := refusedWith(t, func() { hop.Scan(f, hop.Zeros(hop.Float64, 1, 2), hop.Zeros(hop.Float64, 4, 3, 2), o...) }, "float64[3 2]", "float64[1 2]")
		has(t, e, hopcheck.CarryMismatch, hopcheck.NextCarry, "")
	})
	inModes(t, "B6", func(t *testing.T, o ...hop.Option) {
		f := func(c, x T) (T, T) { return c.Add(x).To(hop.Int64), x.Clone() }
		e := refusedWith(t, func() { hop.Scan(f, hop.Scalar(float32(0)), hop.Zeros(hop.Float32, 4), o...) }, "int64[]", "float32[]")
		has(t, e, hopcheck.CarryMismatch, hopcheck.NextCarry, "")
	})
	inModes(t, "B7", func(t *testing.T, o ...hop.Option) {
		f := func(c pair, x T) (pair, T) {
			return pair{c.A.Add(x).To(hop.Float32), c.B.Add(x).Unsqueeze(0).To(hop.Int64)}, x.Clone()
		}
		e := refusedWith(t, func() { hop.Scan(f, init, xs, o...) }, "next carry.A is float32[], carry.A is float64[]", "next carry.B is int64[1], carry.B is float64[]")
		has(t, e, hopcheck.CarryMismatch, hopcheck.NextCarry, ".A")
		has(t, e, hopcheck.CarryMismatch, hopcheck.NextCarry, ".B")
	})
	inModes(t, "B9", func(t *testing.T, o ...hop.Option) {
		strides := func(c, x T) (T, T) { return c.T().Add(x).T(), x.Clone() }
		c, _ := hop.Scan(strides, hop.Ones(hop.Float64, 2, 3), hop.Ones(hop.Float64, 4, 3, 2), o...)
		check(t, "carry", c, []int{2, 3}, 5, 5, 5, 5, 5, 5)
		w := s64(2)
		w.SetRequiresGrad(true)
		c, _ = hop.Scan(func(c, x T) (T, T) { return c.Mul(w), x.Clone() }, s64(1), xs, o...)
		check(t, "carry that starts to require grad", c, []int{}, 16)
		leaf := s64(1)
		leaf.SetRequiresGrad(true)
		c, _ = hop.Scan(func(c, x T) (T, T) { return c.Detach().Mul(x), x.Clone() }, leaf, xs, o...)
		check(t, "carry that stops to require grad", c, []int{}, 24)
	})
	inModes(t, "B11", func(t *testing.T, o ...hop.Option) {
		refusedWith(t, func() { hop.Scan(func(c hop.None, x T) (hop.None, T) { return c, x.Clone() }, hop.None{}, xs, o...) }, "init has no leaves")
		refusedWith(t, func() { hop.Scan(func(c, x T) (T, T) { return c, x.Clone() }, nil, xs, o...) }, "init has no leaves")
	})
	inModes(t, "B13", func(t *testing.T, o ...hop.Option) {
		f := func(c, x T) (T, T) { return c.Add(x), c.Clone() }
		refusedWith(t, func() { hop.Scan(f, s64(0), s64(1), o...) }, "xs", "float64[]", "axis 0")
		refusedWith(t, func() { hop.Scan(f, s64(0), xs, with(o, hop.Axis(1))...) }, "xs", "float64[4]", "axis 1")
		refusedWith(t, func() { hop.Scan(f, s64(0), xs, with(o, hop.Axis(-2))...) }, "xs", "float64[4]", "axis -2")
	})
	t.Run("B15", func(t *testing.T) {
		k := 0
		e := refused(t, func() {
			hop.Scan(func(c, x T) (T, T) {
				if k++; k == 4 {
					return c.Add(hop.Zeros(hop.Float64, 2).Add(hop.Zeros(hop.Float64, 3))), x
				}
				return c.Add(x), c.Clone()
			}, s64(0), hop.Zeros(hop.Float64, 5), hop.Stepwise())
		})
		if e.Step != 3 {
			t.Errorf("step is %d, want 3:\n%s", e.Step, e)
		}
		// Traced, what goes wrong while the graph runs has its step too, and the operands are as they were.
		for _, m := range modes {
			init, in := i64(7), i64(1, 2, 3, 0, 5)
			e := refusedWith(t, func() {
				hop.Scan(func(c, x T) (T, T) { n := c.Div(x); return n, n.Clone() }, init, in, m.opts...)
			}, "Div", "division by zero")
			if e.Step != 3 || e.HOP != "scan" {
				t.Errorf("%s: step is %d of %s, want 3 of scan:\n%s", m.name, e.Step, e.HOP, e)
			}
			check(t, "init", init, []int{1}, 7)
			if init.Version() != 0 || in.Version() != 0 {
				t.Errorf("%s: versions %d and %d after the refusal", m.name, init.Version(), in.Version())
			}
		}
		for _, m := range modes {
			func() {
				defer func() {
					if p := recover(); p != "mine" {
						t.Errorf("%s: a foreign panic became %v", m.name, p)
					}
				}()
				hop.Scan(func(c, x T) (T, T) { panic("mine") }, s64(0), xs, m.opts...)
			}()
		}
	})
	inModes(t, "B17", func(t *testing.T, o ...hop.Option) {
		c, ys := hop.Scan(func(c, x T) (T, T) { n := c.Add(x); return n, n.Clone() }, s64(math.NaN()), xs, o...)
		check(t, "carry", c, []int{}, math.NaN())
		check(t, "ys", ys, []int{4}, math.NaN(), math.NaN(), math.NaN(), math.NaN())
	})
	t.Run("B18", func(t *testing.T) {
		f := func(c, x T) (T, T) {
			n := int(hop.Item[float64](x))
			return c.Add(x), hop.Zeros(hop.Float64, n)
		}
		e := refusedWith(t, func() { hop.Scan(f, s64(0), f64(2, 2, 3), hop.Stepwise()) }, "float64[3]", "float64[2]")
		if e.Step != 2 {
			t.Errorf("step is %d, want 2:\n%s", e.Step, e)
		}
		has(t, e, hopcheck.CarryMismatch, hopcheck.Y, "")
	})
	inModes(t, "leaf type that is no pytree", func(t *testing.T, o ...hop.Option) {
		type bad struct {
			A T
			F func()
		}
		e := refusedWith(t, func() {
			hop.Scan(func(c bad, x T) (bad, T) { return c, x.Clone() }, bad{A: s64(1)}, xs, o...)
		}, "HOP202", ".F", "func()")
		has(t, e, hopcheck.UnsupportedLeaf, hopcheck.Carry, ".F")
		e = refusedWith(t, func() {
			hop.Scan(func(c T, x T) (T, *pair) { return c.Add(x), &pair{} }, s64(1), xs, o...)
		}, "HOP202", "pair")
		has(t, e, hopcheck.UnsupportedLeaf, hopcheck.Y, "")
	})
	inModes(t, "option that scan does not know", func(t *testing.T, o ...hop.Option) {
		var none hop.Option
		c, _ := hop.Scan(func(c, x T) (T, T) { return c.Add(x), c.Clone() }, s64(0), xs, with(o, none)...)
		check(t, "carry with a nil option", c, []int{}, 10)
	})
}

// TestScanMutation is the part of cases D that concerns scan.
func TestScanMutation(t *testing.T) {
	xs := f64(1, 2, 3, 4)
	// scan expects a finding and checks that every tensor from outside kept its bytes and version (D20).
	scan := func(t *testing.T, o []hop.Option, f func(c, x T) (T, T), outside ...T) *hop.Error {
		t.Helper()
		init, in := f64(1, 2), f64(1, 2, 3, 4, 5, 6).View(3, 2)
		all := append([]T{init, in}, outside...)
		var before [][]float64
		var versions []uint64
		for _, u := range all {
			before, versions = append(before, numbers(u)), append(versions, u.Version())
		}
		e := refused(t, func() { hop.Scan(f, init, in, o...) })
		for i, u := range all {
			check(t, "outside tensor", u, u.Shape(), before[i]...)
			if u.Version() != versions[i] {
				t.Errorf("tensor %d has version %d after the refusal, want %d", i, u.Version(), versions[i])
			}
		}
		return e
	}
	clones := func(c T) (T, T) { return c.Clone(), c.Clone() }

	inModes(t, "D1", func(t *testing.T, o ...hop.Option) {
		e := scan(t, o, func(c, x T) (T, T) { c.AddInPlace(x); return clones(c) })
		has(t, e, hopcheck.MutatedCarry, hopcheck.Carry, "")
		if e.Op != "AddInPlace" || !e.Position.IsValid() || e.VersionAfter != e.VersionBefore+1 {
			t.Errorf("op %q at %v, versions %d and %d", e.Op, e.Position, e.VersionBefore, e.VersionAfter)
		}
	})
	inModes(t, "D2", func(t *testing.T, o ...hop.Option) {
		e := scan(t, o, func(c, x T) (T, T) { x.AddScalarInPlace(1); return c.Add(x), c.Clone() })
		has(t, e, hopcheck.MutatedX, hopcheck.X, "")
	})
	inModes(t, "D5", func(t *testing.T, o ...hop.Option) {
		w := f64(1, 1)
		e := scan(t, o, func(c, x T) (T, T) { w.AddInPlace(x); return c.Add(w), c.Clone() }, w)
		has(t, e, hopcheck.MutatedCaptured, hopcheck.Captured, "")
	})
	inModes(t, "D5 written without the inputs", func(t *testing.T, o ...hop.Option) {
		w := f64(1, 1)
		for _, f := range []func(c, x T) (T, T){
			func(c, x T) (T, T) { n := c.Add(w); w.AddScalarInPlace(1); return n, x.Clone() },
			func(c, x T) (T, T) { w.AddScalarInPlace(1); return c.Add(w), x.Clone() },
		} {
			e := refused(t, func() { hop.Scan(f, f64(1, 2), hop.Ones(hop.Float64, 3, 2), o...) })
			has(t, e, hopcheck.MutatedCaptured, hopcheck.Captured, "")
		}
	})
	inModes(t, "D6", func(t *testing.T, o ...hop.Option) {
		c, ys := hop.Scan(func(c, x T) (T, T) { n := c.Clone(); n.AddInPlace(x); return n, n.Clone() }, s64(0), xs, o...)
		check(t, "carry", c, []int{}, 10)
		check(t, "ys", ys, []int{4}, 1, 3, 6, 10)
	})
	inModes(t, "D7", func(t *testing.T, o ...hop.Option) {
		c, _ := hop.Scan(func(c, x T) (T, T) { return x.Sin().AddScalarInPlace(1), c.Clone() }, s64(0), xs, o...)
		check(t, "carry", c, []int{}, math.Sin(4)+1)
	})
	inModes(t, "D11", func(t *testing.T, o ...hop.Option) {
		e := scan(t, o, func(c, x T) (T, T) { c.View(2, 1).Select(1, 0).CopyFrom(x); return clones(c) })
		has(t, e, hopcheck.MutatedCarry, hopcheck.Carry, "")
		if e.Op != "CopyFrom" {
			t.Errorf("op %q, want CopyFrom", e.Op)
		}
	})
	inModes(t, "D12", func(t *testing.T, o ...hop.Option) {
		for _, write := range []func(x T){func(x T) { x.Zero() }, func(x T) { x.Fill(3) }} {
			e := scan(t, o, func(c, x T) (T, T) { write(x); return c.Add(x), c.Clone() })
			has(t, e, hopcheck.MutatedX, hopcheck.X, "")
		}
	})
	inModes(t, "D14", func(t *testing.T, o ...hop.Option) {
		e := scan(t, o, func(c, x T) (T, T) {
			c.AddScalarInPlace(1)
			x.Zero()
			c.MulInPlace(x)
			return clones(c)
		})
		has(t, e, hopcheck.MutatedCarry, hopcheck.Carry, "")
		has(t, e, hopcheck.MutatedX, hopcheck.X, "")
		if n := 1 + len(e.More); n != 2 {
			t.Errorf("%d findings, want 2:\n%s", n, e)
		}
		if e.Op != "AddScalarInPlace" {
			t.Errorf("the first write is %s, want AddScalarInPlace", e.Op)
		}
	})
	inModes(t, "D14 two leaves of one role", func(t *testing.T, o ...hop.Option) {
		type pair struct{ A, B T }
		f := func(c pair, x T) (pair, T) {
			c.B.AddInPlace(x)
			c.A.AddInPlace(x)
			c.B.AddInPlace(x)
			return hop.Clone(c), x.Clone()
		}
		e := refused(t, func() { hop.Scan(f, pair{s64(0), s64(0)}, xs, o...) })
		has(t, e, hopcheck.MutatedCarry, hopcheck.Carry, ".A")
		has(t, e, hopcheck.MutatedCarry, hopcheck.Carry, ".B")
		if len(e.More) != 0 || len(e.Finding.Places) != 2 {
			t.Errorf("want one finding with two places:\n%s", e)
		}
	})
	inModes(t, "D15 scan in scan", func(t *testing.T, o ...hop.Option) {
		outer := func(c, x T) (T, T) {
			_, ys := hop.Scan(func(i, z T) (T, T) { c.AddInPlace(z); return i.Add(z), i.Clone() }, x.Sum(), x)
			return c.Clone(), ys
		}
		e := refused(t, func() { hop.Scan(outer, s64(0), hop.Ones(hop.Float64, 3, 2), o...) })
		has(t, e, hopcheck.MutatedCaptured, hopcheck.Captured, "")
		has(t, e, hopcheck.MutatedCarry, hopcheck.Carry, "")
	})
	inModes(t, "D16", func(t *testing.T, o ...hop.Option) {
		e := refused(t, func() { hop.Scan(func(c, x T) (T, T) { c.AddInPlace(x); return clones(c) }, i64(1), i64(1, 2), o...) })
		has(t, e, hopcheck.MutatedCarry, hopcheck.Carry, "")
	})
	inModes(t, "write that is undone or writes equal bytes", func(t *testing.T, o ...hop.Option) {
		e := scan(t, o, func(c, x T) (T, T) { c.AddScalarInPlace(1); c.SubScalarInPlace(1); return clones(c) })
		has(t, e, hopcheck.MutatedCarry, hopcheck.Carry, "")
		e = scan(t, o, func(c, x T) (T, T) { x.AddScalarInPlace(0); return clones(c) })
		has(t, e, hopcheck.MutatedX, hopcheck.X, "")
	})
	inModes(t, "container of the inputs", func(t *testing.T, o ...hop.Option) {
		f := func(c []T, x map[string]T) ([]T, T) {
			c[1] = x["a"].Clone()
			x["b"] = c[0].Clone()
			return []T{c[0].Clone(), c[1].Clone()}, x["a"].Neg()
		}
		init, in := []T{s64(0), s64(0)}, map[string]T{"a": xs}
		e := refused(t, func() { hop.Scan(f, init, in, o...) })
		has(t, e, hopcheck.MutatedCarry, hopcheck.Carry, "[1]")
		if !errors.Is(e, hopcheck.MutatedX) {
			t.Errorf("no finding for x:\n%s", e)
		}
		if len(in) != 1 || len(init) != 2 {
			t.Error("the caller's containers were changed")
		}
	})
	inModes(t, "X5", func(t *testing.T, o ...hop.Option) {
		w := f64(1, 2)
		func() {
			defer func() {
				if p := recover(); p != "mine" {
					t.Errorf("recovered %v", p)
				}
			}()
			hop.Scan(func(c, x T) (T, T) { w.AddInPlace(x); c.AddInPlace(w); panic("mine") }, f64(0, 0), hop.Ones(hop.Float64, 3, 2), o...)
		}()
		check(t, "w", w, []int{2}, 1, 2)
		if w.Version() != 0 {
			t.Errorf("w has version %d, want 0", w.Version())
		}
	})
}

// TestScanAliasing is the part of cases E that concerns scan.
func TestScanAliasing(t *testing.T) {
	xs := f64(1, 2, 3, 4)
	try := func(t *testing.T, o []hop.Option, f func(c, x T) (T, T)) *hop.Error {
		t.Helper()
		return refused(t, func() { hop.Scan(f, s64(0), xs, o...) })
	}
	inModes(t, "E1", func(t *testing.T, o ...hop.Option) {
		e := try(t, o, func(c, x T) (T, T) { return c, c.Add(x) })
		has(t, e, hopcheck.OutputAliasesInput, hopcheck.Carry, "")
	})
	inModes(t, "E2", func(t *testing.T, o ...hop.Option) {
		e := try(t, o, func(c, x T) (T, T) { return c.Add(x), x })
		has(t, e, hopcheck.OutputAliasesInput, hopcheck.Y, "")
		has(t, e, hopcheck.OutputAliasesInput, hopcheck.X, "")
	})
	inModes(t, "E3", func(t *testing.T, o ...hop.Option) {
		e := try(t, o, func(c, x T) (T, T) { return c.View(1).Reshape(), c.Add(x) })
		has(t, e, hopcheck.OutputAliasesInput, hopcheck.NextCarry, "")
	})
	inModes(t, "E5", func(t *testing.T, o ...hop.Option) {
		e := try(t, o, func(c, x T) (T, T) { s := c.Add(x); return s, s })
		has(t, e, hopcheck.OutputsAlias, hopcheck.NextCarry, "")
		e = try(t, o, func(c, x T) (T, T) { return c, c })
		if e.Code != hopcheck.OutputsAlias || len(e.More) == 0 || e.More[0].Code != hopcheck.OutputAliasesInput {
			t.Errorf("want HOP302 before HOP301:\n%s", e)
		}
	})
	inModes(t, "E8", func(t *testing.T, o ...hop.Option) {
		type pair struct{ A, B T }
		a := s64(1)
		f := func(c pair, x T) (pair, hop.None) { return pair{c.A.Add(x), c.B.Mul(x)}, hop.None{} }
		c, _ := hop.Scan(f, pair{a, a}, xs, o...)
		check(t, "A", c.A, []int{}, 11)
		check(t, "B", c.B, []int{}, 24)
	})
	inModes(t, "E10", func(t *testing.T, o ...hop.Option) {
		init := s64(2)
		c, ys := hop.Scan(func(c, x T) (T, T) { return c.Add(x).Mul(init), xs.Sum().Add(x) }, init, xs, o...)
		check(t, "carry", c, []int{}, ((((2+1)*2+2)*2+3)*2+4)*2)
		check(t, "ys", ys, []int{4}, 11, 12, 13, 14)
	})
	inModes(t, "E11", func(t *testing.T, o ...hop.Option) {
		f := func(c, x T) (T, []T) { a := c.Add(x); return a, []T{a, a} }
		e := refused(t, func() { hop.Scan(f, s64(0), xs, o...) })
		if e.Code != hopcheck.OutputsAlias || len(e.Finding.Pairs) != 3 || len(e.More) != 0 {
			t.Errorf("want one HOP302 with three pairs:\n%s", e)
		}
	})
	inModes(t, "E12", func(t *testing.T, o ...hop.Option) {
		f := func(c, x T) (T, []T) { y := c.Add(x); return c.Clone(), []T{y, y.View(1), y.Clone()} }
		e := refused(t, func() { hop.Scan(f, s64(0), xs, o...) })
		if e.Code != hopcheck.OutputsAlias || len(e.Finding.Pairs) != 1 {
			t.Fatalf("want one HOP302 with one pair:\n%s", e)
		}
		p := e.Finding.Pairs[0]
		if p.Out.String() != "y[0]" || p.With.String() != "y[1]" {
			t.Errorf("pair is %v and %v, want y[0] and y[1]", p.Out, p.With)
		}
	})
	inModes(t, "E13 and E20", func(t *testing.T, o ...hop.Option) {
		w := s64(3)
		e := try(t, o, func(c, x T) (T, T) { return c.Add(x), w })
		has(t, e, hopcheck.OutputAliasesCaptured, hopcheck.Y, "")
		if len(e.More) != 0 {
			t.Errorf("want one finding:\n%s", e)
		}
		v := f64(3, 4)
		e = try(t, o, func(c, x T) (T, T) { return c.Add(x), v.Narrow(0, 1, 1) })
		has(t, e, hopcheck.OutputAliasesCaptured, hopcheck.Y, "")
	})
	inModes(t, "E14", func(t *testing.T, o ...hop.Option) {
		w := s64(3)
		c, ys := hop.Scan(func(c, x T) (T, []T) { return c.Clone(), []T{c.Clone(), x.Clone(), c.View(1).Clone(), w.Clone()} }, s64(5), xs, o...)
		check(t, "carry", c, []int{}, 5)
		check(t, "ys[0]", ys[0], []int{4}, 5, 5, 5, 5)
		check(t, "ys[1]", ys[1], []int{4}, 1, 2, 3, 4)
		check(t, "ys[2]", ys[2], []int{4, 1}, 5, 5, 5, 5)
		check(t, "ys[3]", ys[3], []int{4}, 3, 3, 3, 3)
	})
	inModes(t, "E16", func(t *testing.T, o ...hop.Option) {
		empty := hop.Zeros(hop.Float64, 0)
		f := func(c, x T) (T, []T) { return c, []T{c, x.Narrow(0, 0, 0), empty} }
		c, ys := hop.Scan(f, hop.Zeros(hop.Float64, 0), hop.Ones(hop.Float64, 3, 2), o...)
		check(t, "carry", c, []int{0})
		check(t, "ys[1]", ys[1], []int{3, 0})
	})
	inModes(t, "E17", func(t *testing.T, o ...hop.Option) {
		f := func(c, x T) (T, map[string][]T) {
			s := c.Add(x)
			return c.Clone(), map[string][]T{"a": {s}, "b": {x.Clone(), s}}
		}
		e := refused(t, func() { hop.Scan(f, s64(0), xs, o...) })
		if e.Code != hopcheck.OutputsAlias || len(e.Finding.Pairs) != 1 {
			t.Fatalf("want one HOP302:\n%s", e)
		}
		if p := e.Finding.Pairs[0]; p.Out.String() != `y["a"][0]` || p.With.String() != `y["b"][1]` {
			t.Errorf("pair is %v and %v", p.Out, p.With)
		}
	})
	inModes(t, "E19", func(t *testing.T, o ...hop.Option) {
		w := f64(1, 2, 3)
		a, b := w.Narrow(0, 0, 2), w.Narrow(0, 1, 2)
		c, _ := hop.Scan(func(c, x T) (T, hop.None) { return c.Add(a.Mul(b).Sum()), hop.None{} }, s64(0), xs, o...)
		check(t, "carry", c, []int{}, 32)
	})
}

// TestPositionsOfAliases: a returned view stands at the op that made it, in both modes, and what no op made at the function.
func TestPositionsOfAliases(t *testing.T) {
	inModes(t, "aliases", func(t *testing.T, o ...hop.Option) {
		_, file, line, _ := runtime.Caller(0)
		for _, tc := range []struct {
			name string
			f    func(c, x T) (T, T)
			line int
		}{
			{"view of the carry", func(c, x T) (T, T) {
				v := c.Unsqueeze(0)
				v = v.Select(0, 0)
				return v, x.Neg()
			}, line + 8},
			{"the carry itself", func(c, x T) (T, T) {
				return c, x.Neg()
			}, line + 11},
			{"two views of one result", func(c, x T) (T, T) {
				s := c.Add(x)
				v := s.Unsqueeze(0).
					Select(0, 0)
				return v, s
			}, line + 17},
			{"view of x made by the op before", func(c, x T) (T, T) {
				y := x.Unsqueeze(0).Squeeze(0)
				return c.Add(x), y
			}, line + 21},
		} {
			e := refused(t, func() { hop.Scan(tc.f, s64(1), f64(1, 2), o...) })
			if e.Position.Filename != file || e.Position.Line < tc.line-1 || e.Position.Line > tc.line {
				t.Errorf("%s: stands at %v, want line %d:\n%s", tc.name, e.Position, tc.line, e)
			}
		}
		w := bound{f64(1, 2)}
		e := refused(t, func() { hop.Map(w.rows, f64(3, 4), o...) })
		if e.Position.Filename != file || e.Code != hopcheck.OutputAliasesCaptured {
			t.Errorf("captured by a method: %s", e)
		}
	})
}

type bound struct{ w T }

func (b bound) rows(x T) T { return b.w.Narrow(0, 0, 1) }

// TestScanBuffers is cases X1 to X3: tensors that the body makes itself.
func TestScanBuffers(t *testing.T) {
	x2 := f64(1, 2, 3, 4, 5, 6).View(3, 2)
	inModes(t, "X1", func(t *testing.T, o ...hop.Option) {
		f := func(c, x T) (T, T) {
			buf := hop.Zeros(hop.Float64, 4)
			tail := buf.Narrow(0, 3, 1)
			buf.Narrow(0, 0, 2).CopyFrom(x.Narrow(0, 0, 2))
			tail.CopyFrom(x.Narrow(0, 1, 1).MulScalar(10))
			return c.Add(buf), buf
		}
		c, ys := hop.Scan(f, hop.Zeros(hop.Float64, 4), x2, o...)
		check(t, "carry", c, []int{4}, 9, 12, 0, 120)
		check(t, "ys", ys, []int{3, 4}, 1, 2, 0, 20, 3, 4, 0, 40, 5, 6, 0, 60)
	})
	inModes(t, "X1 written before it joins", func(t *testing.T, o ...hop.Option) {
		f := func(c, x T) (T, T) {
			buf := hop.Zeros(hop.Float64, 2, 2)
			buf.Fill(7)
			left := buf.T().Select(0, 0)
			left.AddInPlace(x)
			return c.Add(buf), buf.T().Clone()
		}
		c, ys := hop.Scan(f, hop.Zeros(hop.Float64, 2, 2), x2, o...)
		check(t, "carry", c, []int{2, 2}, 30, 21, 33, 21)
		check(t, "ys", ys, []int{3, 2, 2}, 8, 9, 7, 7, 10, 11, 7, 7, 12, 13, 7, 7)
	})
	inModes(t, "X2", func(t *testing.T, o ...hop.Option) {
		buf := hop.Zeros(hop.Float64, 4)
		f := func(c, x T) (T, T) {
			buf.Narrow(0, 0, 2).CopyFrom(x.Narrow(0, 0, 2))
			return c.Add(buf), buf.Clone()
		}
		e := refused(t, func() { hop.Scan(f, hop.Zeros(hop.Float64, 4), x2, o...) })
		has(t, e, hopcheck.MutatedCaptured, hopcheck.Captured, "")
		check(t, "buf", buf, []int{4}, 0, 0, 0, 0)
	})
	inModes(t, "X3", func(t *testing.T, o ...hop.Option) {
		f := func(c, x T) (T, T) { buf := hop.Ones(hop.Float64, 2); return c.Add(buf), buf }
		run := func() T { _, ys := hop.Scan(f, hop.Zeros(hop.Float64, 2), x2, o...); return ys }
		a, b := run(), run()
		if a.SharesStorage(b) {
			t.Fatal("two runs share storage")
		}
		a.Zero()
		check(t, "the other run", b, []int{3, 2}, 1, 1, 1, 1, 1, 1)
		check(t, "the next run", run(), []int{3, 2}, 1, 1, 1, 1, 1, 1)
	})
}
