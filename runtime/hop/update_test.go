package hop_test

import (
	"slices"
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

// TestUpdatesByOperators: an operator that does nothing else with an operand than to replace elements writes where it
// lies, unless something still reads it as it was. Each body is run as a compiled loop and step by step on tensors,
// and gives the same bits.
func TestUpdatesByOperators(t *testing.T) {
	type two struct{ A, B T }
	put := func(i T) func(T) T { return func(a T) T { return a.Put(0, i, a.At(0, i).MulScalar(2)) } }
	same := func(a T) T { return a.Clone() }
	odd := func(i T) T { return i.ModScalar(2).GtScalar(0) }
	for name, body := range map[string]func(i T, c two) two{
		"one branch": func(i T, c two) two { return two{hop.Cond(odd(i), put(i), same, c.A), c.B.AddScalar(1)} },
		"both branches": func(i T, c two) two {
			return two{hop.Cond(odd(i), put(i), func(a T) T { return put(i)(put(i.RSubScalar(2))(a)) }, c.A), c.B}
		},
		"a switch": func(i T, c two) two {
			return two{hop.Switch(i, []func(T) T{put(i), same, put(i.RSubScalar(2))}, c.A), c.A.Sum(0)}
		},
		"a branch that makes something else": func(i T, c two) two {
			return two{hop.Cond(odd(i), put(i), func(a T) T { return a.Neg() }, c.A), c.B}
		},
		"a branch that exchanges": func(i T, c two) two {
			return hop.Cond(odd(i), func(c two) two { return two{put(i)(c.A), put(i)(c.B)} }, func(c two) two { return two{c.B.Clone(), c.A.Clone()} }, c)
		},
		"one operand twice": func(i T, c two) two {
			return hop.Cond(odd(i), func(a T) two { return two{put(i)(a), a.Clone()} }, func(a T) two { return two{a.Clone(), put(i)(a)} }, c.A)
		},
		"one update twice": func(i T, c two) two {
			return hop.Cond(odd(i), func(a T) two { b := put(i)(a); return two{b, b.Clone()} }, func(a T) two { return two{a.Clone(), a.Clone()} }, c.A)
		},
		"read behind": func(i T, c two) two {
			a := hop.Cond(odd(i), put(i), same, c.A)
			return two{a, c.B.Add(c.A.Sum())}
		},
		"a view read behind": func(i T, c two) two {
			v := c.A.Select(1, 0)
			a := hop.Cond(odd(i), put(i), same, c.A)
			return two{a, c.B.Add(v.Sum())}
		},
		"captured beside": func(i T, c two) two {
			m := c.A.MulScalar(0.5)
			return two{hop.ForLoop(0, 3, func(j, a T) T { return a.Put(0, j, m.At(0, j.RSubScalar(2))) }, m), c.B}
		},
		"a view captured beside": func(i T, c two) two {
			m := c.A.MulScalar(0.5)
			return two{hop.Cond(odd(i), func(a T) T {
				return a.Put(0, i.MulScalar(0).AddScalar(1), m.T().Sum(1)).Put(0, i.MulScalar(0), m.Select(0, 1))
			}, same, m), c.B}
		},
		"a loop in the loop": func(i T, c two) two {
			return two{hop.ForLoop(0, 3, func(j, a T) T { return put(j)(a) }, c.A), c.B}
		},
		"a branch in a loop in a branch": func(i T, c two) two {
			return two{hop.Cond(odd(i), func(a T) T {
				return hop.ForLoop(0, 3, func(j, a T) T { return hop.Cond(odd(j.Add(i)), put(j), same, a) }, a)
			}, same, c.A), c.B}
		},
		"a while loop that does not start": func(i T, c two) two {
			return two{hop.WhileLoop(func(a T) T { return a.Sum().LtScalar(15) }, put(i), c.A), c.B}
		},
		"exchanged in a loop": func(i T, c two) two {
			return hop.ForLoop(0, 3, func(j T, c two) two { return two{put(j)(c.B), put(j)(c.A)} }, c)
		},
		"between updates, through a reshape": func(i T, c two) two {
			a := c.A.Put(0, i, c.B.Select(0, 0)).Reshape(-1)
			a = hop.Cond(odd(i), func(a T) T { return a.Reshape(3, 2).Put(0, i, c.B.Sum(0)).Reshape(-1) }, same, a)
			return two{a.Reshape(3, 2).Put(0, i.RSubScalar(2), c.B.Select(0, 1)), c.B}
		},
		"the steps of a scan": func(i T, c two) two {
			a, ys := hop.Scan(func(a, x T) (T, T) { return a.Put(0, i, x), a.Sum(0) }, c.A, c.B)
			return two{a, ys}
		},
	} {
		t.Run(name, func(t *testing.T) {
			init := two{f64(1, 2, 3, 4, 5, 6).Reshape(3, 2), f64(7, 8, 9, 10, 11, 12).Reshape(3, 2)}
			kept, is := hop.Clone(init), i64(0, 2, 1, 1)
			run := func(c two, opts ...hop.Option) two {
				c, _ = hop.Scan(func(c two, i T) (two, hop.None) {
					n := body(i, c)
					if n.B == c.B {
						n.B = c.B.Clone()
					}
					n.B = n.B.Add(hop.Zeros(hop.Float64, 3, 2))
					return n, hop.None{}
				}, c, is, opts...)
				return c
			}
			want := run(init, hop.Stepwise())
			compiled := hop.Must(hop.Compile(func(c two) two { return run(c) }))
			for mode, got := range map[string]two{"traced": run(init), "compiled": compiled(init), "compiled again": compiled(init)} {
				for leaf, pair := range map[string][2]T{"A": {got.A, want.A}, "B": {got.B, want.B}} {
					if !slices.Equal(numbers(pair[0]), numbers(pair[1])) {
						t.Errorf("%s, %s: got %v, want %v", mode, leaf, pair[0], pair[1])
					}
				}
			}
			check(t, "init.A", init.A, []int{3, 2}, numbers(kept.A)...)
			check(t, "init.B", init.B, []int{3, 2}, numbers(kept.B)...)
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
