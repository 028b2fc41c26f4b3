package hop_test

import (
	"testing"

	"github.com/hoplint/hoplint/runtime/hop"
)

// TestUpdatesOfACarry: a carry that a step updates by elements is written where it lies, unless something still reads it
// as it was. Each body is run as a compiled loop and step by step on tensors.
func TestUpdatesOfACarry(t *testing.T) {
	type two struct{ A, B T }
	row := func(x T) T { return x.MulScalar(10).AddScalar(1) }
	for name, body := range map[string]func(i T, c two) (two, T){
		"put": func(i T, c two) (two, T) { return two{c.A.Put(0, i, row(i.To(hop.Float64))), c.B.Clone()}, i.Clone() },
		"read before": func(i T, c two) (two, T) {
			old := c.A.At(0, i)
			return two{c.A.Put(0, i, old.AddScalar(1)), c.B.Add(old)}, old.Clone()
		},
		"read after": func(i T, c two) (two, T) {
			a := c.A.Put(0, i, c.A.Sum(0))
			return two{a, c.B.Add(c.A.At(0, i))}, c.A.Sum()
		},
		"a view read after": func(i T, c two) (two, T) {
			v := c.A.Select(0, 1)
			a := c.A.Put(0, i, c.B)
			return two{a, c.B.Add(v)}, v.Sum()
		},
		"two updates": func(i T, c two) (two, T) {
			a := c.A.Put(0, i, c.B).ScatterAdd(0, i.Expand(1, 2), c.B.Unsqueeze(0))
			return two{a, c.A.At(0, i).Add(c.B)}, i.Clone()
		},
		"between two updates": func(i T, c two) (two, T) {
			m := c.A.Put(0, i, c.B)
			a := m.Put(0, i.RSubScalar(2), c.B.Neg())
			return two{a, m.Sum(0)}, m.At(0, i)
		},
		"the value is a view of the carry": func(i T, c two) (two, T) {
			return two{c.A.Put(0, i, c.A.Select(0, 0)), c.B.AddScalar(1)}, i.Clone()
		},
		"the old carry is a y": func(i T, c two) (two, T) { return two{c.A.Put(0, i, c.B), c.B.AddScalar(1)}, c.A.Clone() },
		"the new carry is a y": func(i T, c two) (two, T) {
			a := c.A.Put(0, i, c.B)
			return two{a, c.B.AddScalar(1)}, a.Clone()
		},
		"updated twice apart": func(i T, c two) (two, T) {
			return two{c.A.Put(0, i, c.B), c.A.Put(0, i, c.B.Neg()).Sum(0)}, i.Clone()
		},
		"a window written": func(i T, c two) (two, T) {
			a := c.A.Clone()
			a.Select(0, 1).AddInPlace(c.B)
			a.Narrow(0, 0, 1).MulScalarInPlace(2)
			return two{a, c.B.Add(c.A.Select(0, 1))}, i.Clone()
		},
		"through a reshape": func(i T, c two) (two, T) {
			return two{c.A.Reshape(-1).Put(0, i, c.B.Sum()).Reshape(3, 2), c.B.AddScalar(1)}, i.Clone()
		},
		"in a branch": func(i T, c two) (two, T) {
			return two{hop.Cond(i.GtScalar(0), func(a T) T { return a.Put(0, i, c.B) }, func(a T) T { return a.MulScalar(2) }, c.A), c.B.Add(c.A.Sum(0))}, i.Clone()
		},
		"an intermediate": func(i T, c two) (two, T) {
			m := c.A.MulScalar(2).Put(0, i, c.B).Put(0, i.RSubScalar(2), c.B).ScatterAdd(0, i.Expand(2, 2), c.A.Narrow(0, 0, 2))
			return two{m, c.B.AddScalar(1)}, m.Sum(0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			init := two{f64(1, 2, 3, 4, 5, 6).Reshape(3, 2), f64(7, 8)}
			kept := hop.Clone(init)
			is := i64(0, 2, 1, 1)
			run := func(opts ...hop.Option) (two, T) {
				return hop.Scan(func(c two, i T) (two, T) { return body(i, c) }, init, is, opts...)
			}
			c, ys := run()
			want, wantYs := run(hop.Stepwise())
			check(t, "A", c.A, []int{3, 2}, numbers(want.A)...)
			check(t, "B", c.B, []int{2}, numbers(want.B)...)
			check(t, "ys", ys, ys.Shape(), numbers(wantYs)...)
			check(t, "init.A", init.A, []int{3, 2}, numbers(kept.A)...)
			// As a while loop, and the graph that has no loop.
			type turn struct {
				I T
				C two
			}
			w := hop.WhileLoop(func(s turn) T { return s.I.LtScalar(4) }, func(s turn) turn {
				n, _ := body(is.At(0, s.I), s.C)
				return turn{s.I.AddScalar(1), n}
			}, turn{hop.Scalar(int64(0)), init})
			check(t, "A of a while loop", w.C.A, []int{3, 2}, numbers(want.A)...)
			check(t, "B of a while loop", w.C.B, []int{2}, numbers(want.B)...)
			u := hop.Must(hop.Compile(func(c two) two {
				for _, i := range hop.ToSlice[int64](is) {
					c, _ = body(hop.Scalar(i), c)
				}
				return c
			}))(init)
			check(t, "A without a loop", u.A, []int{3, 2}, numbers(want.A)...)
			check(t, "B without a loop", u.B, []int{2}, numbers(want.B)...)
		})
	}
}

// TestGradientsOfIndexing: gradients of loops that index what they captured, against the gradient of the same steps
// without a loop.
func TestGradientsOfIndexing(t *testing.T) {
	for name, make := range indexing {
		t.Run(name, func(t *testing.T) {
			w := hop.Arange(hop.Float64, 48).Reshape(6, 8).MulScalar(0.1)
			got := hop.Grad(make(6))(w)
			leaf := w.Clone().SetRequiresGrad(true)
			hop.WithObserver(&hop.DispatchLog{}, make(6))(leaf).Backward()
			check(t, "Backward", leaf.Grad(), []int{6, 8}, numbers(got)...)
			plain := hop.Zeros(hop.Float64, 6, 8)
			for k := range 48 {
				const h = 1e-5
				at := func(d float64) float64 {
					m := w.Clone()
					m.Reshape(-1).Narrow(0, k, 1).AddScalarInPlace(d)
					return hop.Item[float64](make(6)(m))
				}
				plain.Set((at(h)-at(-h))/(2*h), k/8, k%8)
			}
			if d := got.Sub(plain).Abs().Max(); hop.Item[float64](d) > 1e-8 {
				t.Errorf("the gradient differs from differences by %v:\n%v\n%v", d, got, plain)
			}
		})
	}
}
