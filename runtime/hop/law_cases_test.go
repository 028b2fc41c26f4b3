package hop_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

// Programs that the laws over random programs found and that once went wrong, made small.

// TestOperatorsThatNoTracedOperandLeads are operators in a traced body whose operands are all concrete: nothing tells
// them where they stand before their bodies meet a traced tensor. What a body computes from such a tensor alone is
// recorded by the trace around it and is the body's own all the same.
func TestOperatorsThatNoTracedOperandLeads(t *testing.T) {
	type none = hop.None
	yes := hop.Scalar(true)
	for _, tc := range []struct {
		name string
		f    func(x T) T // of 3
		want float64
	}{
		{"cond of a captured predicate", func(x T) T {
			return hop.Cond(yes, func(none) T { return x.Neg() }, func(none) T { return x.Clone() }, none{})
		}, -3},
		{"switch of one branch", func(x T) T {
			return hop.Switch(x.To(hop.Int64), []func(none) T{func(none) T { return x.MulScalar(2) }}, none{})
		}, 6},
		{"loop from a number", func(x T) T {
			return hop.ForLoop(0, 2, func(_, c T) T { return x.Add(x) }, hop.Scalar(1.0))
		}, 6},
		{"buffer made in the body", func(x T) T {
			return hop.Cond(yes, func(none) T { return hop.Zeros(hop.Float64).AddInPlace(x) }, func(none) T { return x.Clone() }, none{})
		}, 3},
		{"write to what was computed there", func(x T) T {
			return hop.ForLoop(0, 3, func(_, c T) T { y := x.MulScalar(2); return y.AddInPlace(c) }, hop.Scalar(1.0))
		}, 19},
		{"results of an operator in it", func(x T) T {
			return hop.Cond(yes, func(none) T {
				return hop.ForLoop(0, 2, func(_, c T) T { return x.Add(c) }, hop.Scalar(1.0))
			}, func(none) T { return x.Clone() }, none{})
		}, 7},
		{"branches that capture tensors of different traces", func(x T) T {
			outer := x.Tanh()
			c := hop.ForLoop(0, 1, func(_, c T) T {
				return hop.Cond(yes, func(none) T { return outer.Neg() }, func(none) T { return c.Neg() }, none{})
			}, hop.Scalar(1.0))
			return c.Add(outer)
		}, 0},
		{"operand that joins the trace meanwhile", func(x T) T {
			n := hop.Scalar(2.0)
			return hop.WhileLoop(func(c T) T {
				n.Add(x) // n is a number until here
				return c.LtScalar(4)
			}, func(c T) T { return c.AddScalar(1) }, n)
		}, 4},
		{"operand that joins a trace between", func(x T) T {
			// The inner Cond is traced apart; its predicate joins the trace of the loop around it, which stands apart too.
			return hop.ForLoop(0, 1, func(i, c T) T {
				p := hop.Scalar(true)
				y := hop.Cond(p, func(w T) T { return x.Add(w) }, func(w T) T { hop.Where(p, c, w); return x.Neg() }, hop.Scalar(1.0))
				return y.Add(c)
			}, hop.Scalar(5.0))
		}, 9},
		{"body that meets the trace between it and its operands", func(x T) T {
			return hop.ForLoop(0, 1, func(_, c T) T {
				y, _ := hop.Scan(func(s, _ T) (T, T) { return c.Add(c), s.Clone() }, x, f64(1, 2))
				return y
			}, hop.Scalar(5.0))
		}, 10},
		{"operands of the outer trace around a body of the inner", func(x T) T {
			n := hop.Scalar(1.0)
			n.Add(x)
			return hop.ForLoop(0, 1, func(_, c T) T {
				p := hop.Scalar(true)
				return hop.Cond(p, func(w T) T { hop.Where(p, c, c); return w.Clone() }, func(w T) T { return w.Neg() }, n).Add(c)
			}, hop.Scalar(5.0))
		}, 6},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := hop.Trace(tc.f, s64(3))
			if err != nil {
				t.Fatal(err)
			}
			y, err := p.Call(s64(3))
			if err != nil {
				t.Fatal(err)
			}
			check(t, "traced", y, []int{}, tc.want)
			row := func(x T) T { return tc.f(x) }
			check(t, "in a map", hop.Map(row, f64(3, 3)), []int{2}, tc.want, tc.want)
			check(t, "stepwise", hop.Map(row, f64(3, 3), hop.Stepwise()), []int{2}, tc.want, tc.want)
			check(t, "observed", hop.WithObserver(&hop.DispatchLog{}, func(x T) T { return hop.Map(row, x) })(f64(3, 3)), []int{2}, tc.want, tc.want)
		})
	}
}

// TestOperatorsBetweenStepsAndTraces are operators that a stepwise run reaches and that have traced tensors around them.
func TestOperatorsBetweenStepsAndTraces(t *testing.T) {
	yes, w := hop.Scalar(true), f64(1, 2)
	inModes(t, "loop without turns over an operator", func(t *testing.T, o ...hop.Option) {
		y := last(func(c, x T) T {
			return hop.ForLoop(0, 0, func(_, d T) T {
				return hop.Cond(yes, func(e T) T { return e.Mul(x) }, func(e T) T { return e.Clone() }, d)
			}, c)
		}, o...)
		check(t, "y", y, []int{}, 1)
	})
	inModes(t, "traced operator over one with operands of the step", func(t *testing.T, o ...hop.Option) {
		// Under Stepwise the Cond has concrete operands that are no part of the step, so it is traced, with a Map over
		// a tensor of the step in it.
		y := last(func(c, x T) T {
			v := hop.Stack(0, c, x)
			return hop.Cond(yes, func(w T) T {
				return hop.Map(func(e T) T { return e.Add(w.Sum()) }, v).Sum()
			}, func(w T) T { return w.Sum() }, w)
		}, o...)
		check(t, "y", y, []int{}, ((1+2)+6)+3+6)
	})
}

// TestResultsAreContiguousInEveryMode returns an expanded view of what the body made: the result can be written in every
// mode, with and without a gradient.
func TestResultsAreContiguousInEveryMode(t *testing.T) {
	for _, grad := range []bool{false, true} {
		inModes(t, "expanded", func(t *testing.T, o ...hop.Option) {
			x := f64(1, 2).SetRequiresGrad(grad)
			wide := func(c T) T { return c.Sum().Expand(2) }
			for name, y := range map[string]T{
				"for":  hop.ForLoop(0, 2, func(_, c T) T { return wide(c) }, x, o...),
				"cond": hop.Cond(hop.Scalar(true), wide, wide, x, o...),
				"scan": firstOf(hop.Scan(func(c, _ T) (T, hop.None) { return wide(c), hop.None{} }, x, f64(1), o...)),
			} {
				if !y.IsContiguous() {
					t.Errorf("%s: strides %v of a result of shape %v", name, y.Strides(), y.Shape())
				}
				check(t, name, y.AddScalarInPlace(1).Select(0, 1), []int{}, map[string]float64{"for": 7, "cond": 4, "scan": 4}[name])
			}
		})
	}
}

func firstOf(c T, _ hop.None) T { return c }

// TestInnerBodyWritesTheOuterCarry writes the carry of an outer operator in the body of an inner one: both bodies break
// their contracts, whichever of the operands belong to the outer body.
func TestInnerBodyWritesTheOuterCarry(t *testing.T) {
	inModes(t, "alone", func(t *testing.T, o ...hop.Option) {
		e := refused(t, func() {
			last(func(c, x T) T {
				return hop.ForLoop(0, 1, func(_, d T) T { c.Fill(7); return d.Clone() }, x)
			}, o...)
		})
		has(t, e, hopcheck.MutatedCarry, hopcheck.Carry, "")
		has(t, e, hopcheck.MutatedCaptured, hopcheck.Captured, "")
	})
	inModes(t, "from a sibling of the step", func(t *testing.T, o ...hop.Option) {
		e := refused(t, func() {
			last(func(c, x T) T {
				f := hop.Checkpoint(func(y T) T {
					return hop.Cond(x.GtScalar(0), func(z T) T { y.AddInPlace(z); return z.Clone() }, func(z T) T { return z.Clone() }, x)
				})
				return f(c)
			}, o...)
		})
		has(t, e, hopcheck.MutatedOperand, hopcheck.Operand, "")
		has(t, e, hopcheck.MutatedCaptured, hopcheck.Captured, "")
	})
}

// TestGradientOfAScanWithoutFloatsInItsCarry has nothing to carry backwards.
func TestGradientOfAScanWithoutFloatsInItsCarry(t *testing.T) {
	inModes(t, "counter", func(t *testing.T, o ...hop.Option) {
		x := f64(1, 2, 3).SetRequiresGrad(true)
		n, ys := hop.Scan(func(n, x T) (T, T) { return n.AddScalar(1), x.Mul(n.To(hop.Float64)) }, hop.Scalar(int64(1)), x, o...)
		ys.Sum().Backward()
		check(t, "count", n, []int{}, 4)
		check(t, "dx", x.Grad(), []int{3}, 1, 2, 3)
	})
}

// TestGradientThroughACopyMadeInTwoBodies copies a leaf in a body that is traced apart until it meets a tensor of the
// trace around it.
func TestGradientThroughACopyMadeInTwoBodies(t *testing.T) {
	inModes(t, "copy of a leaf", func(t *testing.T, o ...hop.Option) {
		w := s64(3).SetRequiresGrad(true)
		y := hop.Map(func(x T) T {
			return hop.ForLoop(0, 2, func(_, c T) T { return w.Clone().Mul(x) }, hop.Scalar(1.0))
		}, f64(1, 2), o...)
		y.Sum().Backward()
		check(t, "dw", w.Grad(), []int{}, 3)
	})
	inModes(t, "copy of a leaf beside one of the outer body", func(t *testing.T, o ...hop.Option) {
		w := s64(3).SetRequiresGrad(true)
		y := hop.Map(func(x T) T {
			c, ys := hop.Scan(func(_, _ T) (T, T) { return w.Clone(), x.Clone() }, w, f64(1, 2))
			return c.Mul(ys.Sum())
		}, f64(1, 2), o...)
		y.Sum().Backward()
		check(t, "dw", w.Grad(), []int{}, 6)
	})
}

// TestGradientOfACheckpointThatUsesCapturedTensorsAlone has nothing that depends on the operand.
func TestGradientOfACheckpointThatUsesCapturedTensorsAlone(t *testing.T) {
	inModes(t, "captured", func(t *testing.T, o ...hop.Option) {
		w := s64(3).SetRequiresGrad(true)
		y := hop.Cond(hop.Scalar(true), hop.Checkpoint(func(T) T { return w.Mul(w) }), func(n T) T { return n.To(hop.Float64) }, hop.Scalar(int64(1)), o...)
		y.Backward()
		check(t, "dw", w.Grad(), []int{}, 6)
	})
}

// TestGradientReadsABufferThatWasWrittenBefore has a concrete buffer, written once, that a derivative traced by the
// library reads: its version goes on where the trace takes it over.
func TestGradientReadsABufferThatWasWrittenBefore(t *testing.T) {
	w := f64(1, 2)
	f := func(x T) T {
		a := hop.Subgraph("copy", func(T) T { return w.Clone() })(x)
		a.Narrow(0, 0, 1).CopyFrom(a.Narrow(0, 1, 1)) // 2, 2
		y, _ := hop.Scan(func(c, _ T) (T, hop.None) { return c.Mul(a.Sum()), hop.None{} }, x, f64(1, 2, 3))
		return y
	}
	g := func(x T) T { return hop.Map(f, x).Sum() }
	check(t, "Grad", hop.Grad(g)(f64(2, 3)), []int{2}, 64, 64)
	x := f64(2, 3).SetRequiresGrad(true)
	g(x).Backward()
	check(t, "Backward", x.Grad(), []int{2}, 64, 64)
}

// TestWriteToOneElementOfAnExpandedView writes through a window on an expanded view that shows no element twice: it is
// the element of the storage, which the view shows everywhere.
func TestWriteToOneElementOfAnExpandedView(t *testing.T) {
	f := func(x T) T {
		a := x.MulScalar(2)
		e := a.Unsqueeze(0).Expand(3, 2)
		e.Select(0, 1).Narrow(0, 1, 1).CopyFrom(x.Narrow(0, 0, 1))
		e.Narrow(0, 2, 1).T().Select(0, 0).MulScalarInPlace(10)
		return hop.Concat(0, a, e.Reshape(-1))
	}
	want := []float64{100, 5, 100, 5, 100, 5, 100, 5} // of 5, 7
	x := f64(5, 7)
	check(t, "plain", f(x), []int{8}, want...)
	inModes(t, "body", func(t *testing.T, o ...hop.Option) {
		check(t, "cond", hop.Cond(hop.Scalar(true), f, f, x, o...), []int{8}, want...)
		w := f64(5, 7).SetRequiresGrad(true)
		hop.Cond(hop.Scalar(true), f, f, w, o...).Sum().Backward()
		check(t, "gradient", w.Grad(), []int{2}, 84, 0)
	})
	check(t, "Grad", hop.Grad(func(x T) T { return f(x).Sum() })(x), []int{2}, 84, 0)
}

// TestWriteToAnExpandedViewOfOpenSize is the same where sizes are open: the write fixes those of the storage, the notes
// say so, and a compiled function traces again for others.
func TestWriteToAnExpandedViewOfOpenSize(t *testing.T) {
	f := func(x T) T {
		a := x.MulScalar(2)
		e := a.Unsqueeze(0).ExpandSym(hop.IntOf(3), x.SymDim(0), x.SymDim(1))
		e.Select(0, 1).NarrowSym(0, x.SymDim(0).SubScalar(1), hop.IntOf(1)).CopyFrom(x.Narrow(0, 0, 1))
		return hop.Concat(0, a, e.Sum(0))
	}
	p := dynamic(t, f, ones(2, 3), hop.DynamicDims(), hop.Names("x"))
	var notes []string
	for _, n := range p.Notes() {
		notes = append(notes, n.Finding.Detail+"; "+n.Finding.Remedy)
	}
	sameText(t, "notes", fmt.Sprint(notes), "[s0 is fixed to 2 in the graph through CopyFrom; Clone the expanded view before it is written s1 is fixed to 3 in the graph through CopyFrom; Clone the expanded view before it is written]")
	_, err := p.Call(ones(4, 3))
	says(t, err, "guard s0 == 2", "s0 = 4")
	c := hop.Must(hop.Compile(f, hop.DynamicDims()))
	gradient := hop.Grad(func(x T) T { return c(x).Sum() })
	for _, x := range []T{ones(2, 3), ones(3, 2), ones(3, 2).AddScalar(1), ones(2, 0)} {
		check(t, "compiled", c(x), f(x).Shape(), numbers(f(x))...)
		want := hop.Grad(func(x T) T { return f(x).Sum() })(x)
		check(t, "gradient", gradient(x), want.Shape(), numbers(want)...)
	}
	refusedWith(t, func() {
		hop.Must(hop.Compile(func(x T) T {
			z := x.Nonzero()
			z.Unsqueeze(0).ExpandSym(hop.IntOf(2), z.SymDim(0), z.SymDim(1)).Select(0, 1).AddScalarInPlace(1)
			return x.Sin()
		}, hop.DynamicDims()))(ones(2))
	}, "AddScalarInPlace", "size u0 depends on data", "Clone")
}

// TestOpenSizeThatIsOneInTheExample has a size made of others that is 1 by chance: it is stretched like any 1, the graph
// keeps to that, and a compiled function traces again where it is another.
func TestOpenSizeThatIsOneInTheExample(t *testing.T) {
	one := func(x T) T { return x.Slice(0, 0, 2, 3) } // the first, if there is one
	f := func(x T) T {
		y := x.Mul(one(x))
		return one(x).Sin().Add(y).AddInPlace(one(y))
	}
	loss := func(x T) T { return f(x).Sum() }
	c := hop.Must(hop.Compile(f, hop.DynamicDims()))
	g := hop.Must(hop.Compile(hop.Grad(loss), hop.DynamicDims()))
	for _, x := range []T{f64(2, 3), f64(5), f64(5, 6, 7), f64(1, 2, 3, 4), f64()} {
		check(t, "value", c(x), f(x).Shape(), numbers(f(x))...)
		want := hop.Grad(loss)(x)
		check(t, "gradient", g(x), want.Shape(), numbers(want)...)
	}
	into := func(x T) T {
		y := x.Narrow(0, 0, 1).Clone()
		y.AddInPlace(one(x)).Narrow(0, 0, 1).CopyFrom(one(y).Mul(one(x)))
		return y.Add(x)
	}
	written := hop.Must(hop.Compile(into, hop.DynamicDims()))
	for _, x := range []T{f64(2, 3), f64(5), f64(5, 6, 7)} {
		check(t, "written", written(x), into(x).Shape(), numbers(into(x))...)
	}
	two := hop.Must(hop.Compile(func(x T) T { return x.Slice(0, 0, 9, 3).Mul(x) }, hop.DynamicDims()))
	refusedWith(t, func() { two(f64(1, 2, 3, 4)) }, "do not broadcast")
}

// TestLoadedBodiesKeepTheirNames has two Subgraphs on one line whose bodies compute the same under different names, and
// one whose body is the same but for the line of its call.
func TestLoadedBodiesKeepTheirNames(t *testing.T) {
	sum := func(a, b T) T { return hop.Subgraph("sum", func(x T) T { return a.Add(x) })(b) }
	w := f64(5, 6)
	p, err := hop.Trace(func(m model) T {
		copied := hop.Subgraph("copied", func(T) T { return w.Clone() })
		x := copied(m.X)
		y := copied(m.X)
		return sum(m.X, m.W).Mul(sum(m.W.Neg(), m.X)).Add(x).Add(y)
	}, model{f64(1, 2), f64(3, 4)})
	if err != nil {
		t.Fatal(err)
	}
	var file, again bytes.Buffer
	if err := p.Save(&file); err != nil {
		t.Fatal(err)
	}
	want := file.String()
	loaded, err := hop.Load[model, T](&file)
	if err != nil {
		t.Fatal(err)
	}
	if err := loaded.Save(&again); err != nil {
		t.Fatal(err)
	}
	if got := again.String(); got != want {
		t.Errorf("saved again:\n%q\nfirst:\n%q", got, want)
	}
}

// TestCompiledGradientPassesNumbers has numbers and tensors without elements among the operands of traced derivatives:
// they are real tensors and take part in the derivative that is recorded all the same.
func TestCompiledGradientPassesNumbers(t *testing.T) {
	add := func(x T) func(c, _ T) (T, T) {
		return func(c, _ T) (T, T) { return c.Add(x.Sum()), c.Clone() }
	}
	for _, tc := range []struct {
		name string
		f    func(x T) T
		want float64
	}{
		{"number through a scan of no steps in a checkpoint", func(x T) T {
			n := hop.Scalar(-1.0)
			return hop.Checkpoint(func(v T) T {
				c, _ := hop.Scan(add(x), n, f64())
				return c.Mul(v).Sum()
			})(x)
		}, -1},
		{"results without elements in a checkpoint", func(x T) T {
			_, ys := hop.Scan(add(x), hop.Scalar(0.0), f64())
			return hop.Checkpoint(func(v T) T { return ys.Sum().Add(v.Mul(v).Sum()) })(x)
		}, 4},
	} {
		check(t, tc.name, hop.Must(hop.Compile(hop.Grad(tc.f)))(f64(2)), []int{1}, tc.want)
		check(t, tc.name+", not compiled", hop.Grad(tc.f)(f64(2)), []int{1}, tc.want)
	}
}

// last is the carry of a scan of f from 1 over 2 and 3.
func last(f func(c, x T) T, o ...hop.Option) T {
	c, _ := hop.Scan(func(c, x T) (T, hop.None) { return f(c, x), hop.None{} }, s64(1), f64(2, 3), o...)
	return c
}
