package hop_test

import (
	"strings"
	"testing"

	"github.com/hoplint/hoplint/runtime/hop"
)

// gradientCases are functions of one tensor [n, m] whose derivatives meet the sizes: broadcasts, reductions, windows,
// joined parts, products, operators.
var gradientCases = map[string]func(x T) T{
	"sum":       func(x T) T { return x.Sin().Sum() },
	"mean":      func(x T) T { return x.Mul(x).Mean() },
	"mean dim":  func(x T) T { return x.Mean(0).Mul(x.MeanKeepDims(1)).Sum() },
	"var":       func(x T) T { return x.Var(1).Sum() },
	"broadcast": func(x T) T { return x.Mul(x.Select(0, 0)).Add(x.Sum(1).Unsqueeze(1)).Cos().Sum() },
	"expand":    func(x T) T { return x.Sum(0).ExpandSym(x.SymDim(0), hop.IntOf(-1)).Mul(x).Sum() },
	"reshape":   func(x T) T { return x.ReshapeSym(x.SymDim(0).Mul(x.SymDim(1))).CumSum(0).Mean() },
	"view":      func(x T) T { return x.T().Mul(x.T()).Sum(1).Exp().Sum() },
	"narrow":    func(x T) T { return x.NarrowSym(0, hop.IntOf(1), x.SymDim(0).SubScalar(1)).Sin().Sum() },
	"slice":     func(x T) T { return x.SliceSym(1, hop.IntOf(0), x.SymDim(1), 2).Sin().Sum() },
	"concat": func(x T) T {
		return hop.Concat(0, x, x.MulScalar(2), hop.OnesSym(hop.Float64, x.SymShape()...)).Sin().Sum()
	},
	"stack":     func(x T) T { return hop.Stack(0, x, x.Cos()).Mul(x).Sum() },
	"matmul":    func(x T) T { return x.MatMul(x.T()).Sin().Sum() },
	"softmax":   func(x T) T { return x.Softmax(1).Mul(x).Sum() },
	"max":       func(x T) T { return x.Max(0).Sum() },
	"max along": func(x T) T { v, _ := x.MaxAlong(1); return v.Exp().Sum() },
	"prod":      func(x T) T { return x.Prod(1).Sum() },
	"pad":       func(x T) T { return x.Pad(0, 1, 2, 3).CumSum(0).Sum() },
	"sort":      func(x T) T { v, _ := x.Sort(1); return v.CumSum(1).Sum() },
	"gather":    func(x T) T { return x.IndexSelect(0, hop.Zeros(hop.Int64, 3)).Sin().Sum() },
	"scalar":    func(x T) T { return x.MulSym(x.SymDim(0)).DivSym(x.SymDim(1)).SubSym(x.SymDim(1)).Square().Sum() },
	"in place": func(x T) T {
		y := x.Clone()
		y.NarrowSym(0, hop.IntOf(0), x.SymDim(0).SubScalar(1)).MulScalarInPlace(3)
		return y.Mul(y).Sum()
	},
	"cond": func(x T) T {
		return hop.Cond(x.Sum().GtScalar(100), func(x T) T { return x.Sin().Sum() }, func(x T) T { return x.Mul(x).Mean() }, x)
	},
	"checkpoint": func(x T) T { return hop.Checkpoint(func(x T) T { return x.Sin().Sum() })(x) },
	"map":        func(x T) T { return hop.Map(func(r T) T { return r.Sin().Sum() }, x).Sum() },
	"scan": func(x T) T {
		c, ys := hop.Scan(func(c, r T) (T, T) { c = c.Mul(r).AddScalar(0.1); return c, c.Sin() }, x.Sum(0), x)
		return c.Sum().Add(ys.Sum())
	},
	"int carry": func(x T) T {
		type carry struct {
			X T
			N hop.Int
		}
		c, _ := hop.Scan(func(c carry, r T) (carry, hop.None) {
			return carry{c.X.Add(r.MulSym(c.N)), c.N.AddScalar(1)}, hop.None{}
		}, carry{hop.ZerosSym(hop.Float64, x.SymDim(1)), x.SymDim(0)}, x)
		return c.X.Mul(c.X).Sum()
	},
	"for": func(x T) T {
		return hop.ForLoop(0, 3, func(i, c T) T { return c.Mul(x).Add(i.To(hop.Float64)).Sin() }, x).Sum()
	},
	"while": func(x T) T {
		c := hop.WhileLoop(func(c T) T { return c.Abs().Sum().GtScalar(0.1) }, func(c T) T { return c.Mul(x.Abs().MulScalar(0.4)) }, x)
		return c.Sum().Add(x.Sum())
	},
	"while with a count": func(x T) T {
		type carry struct {
			N hop.Int
			X T
		}
		c := hop.WhileLoop(func(c carry) T { return c.N.Tensor(hop.Int64).GtScalar(0) }, func(c carry) carry {
			return carry{c.N.SubScalar(1), c.X.MulSym(c.N).Mul(x).Sin()}
		}, carry{x.SymDim(1), x})
		return c.X.Sum()
	},
	"switch": func(x T) T {
		half := func(x T) T { return x.MulScalar(0.5).Sin() }
		return hop.Switch(x.Sum().To(hop.Int64), []func(T) T{half, T.Cos, func(x T) T { return x.Mul(x) }}, x).Mean()
	},
	"associative scan": func(x T) T {
		return hop.AssociativeScan(func(a, b T) T { return a.Mul(b).Add(b) }, x, hop.Axis(1)).Sin().Sum()
	},
	"vmap":     func(x T) T { return hop.VMap(func(r T) T { return r.Dot(r.Sin()) })(x).Sum() },
	"subgraph": func(x T) T { return hop.Subgraph("square", func(x T) T { return x.Mul(x) })(x).Mean() },
	"custom": func(x T) T {
		return hop.CustomVJP(func(x T) (T, T) { return x.Sin(), x.Clone() }, func(x, dy T) T { return dy.Mul(x.Cos()) })(x).Sum()
	},
	"scan of the last rows": func(x T) T {
		rows := x.NarrowSym(0, hop.IntOf(1), x.SymDim(0).SubScalar(1))
		c, _ := hop.Scan(func(c, r T) (T, hop.None) { return c.Mul(r), hop.None{} }, hop.OnesSym(hop.Float64, x.SymDim(1)), rows)
		return c.Sum()
	},
	"scan in scan": func(x T) T {
		c, _ := hop.Scan(func(c, r T) (T, hop.None) {
			_, ys := hop.Scan(func(c, e T) (T, T) { c = c.Mul(e).Add(x.Sum()); return c, c.Sin() }, c.Sum(), r, hop.Reverse())
			return c.Mul(ys), hop.None{}
		}, x.Sum(0), x)
		return c.Sin().Sum()
	},
	"branches of other sizes": func(x T) T {
		return hop.Cond(x.Sum().GtScalar(0), func(x T) T { return x.Sin().Sum(0) }, func(x T) T { return x.Cos().Sum(0) }, x).Sum()
	},
	"einsum":    func(x T) T { return hop.Einsum("ij,kj->ik", x, x).Sin().Sum() },
	"roll":      func(x T) T { return x.Roll(0, 2).Mul(x).Sum() },
	"repeat":    func(x T) T { return x.Repeat(1, 3).CumSum(1).Sum() },
	"running":   func(x T) T { return x.CumProd(1).Sin().Sum() },
	"of others": func(x T) T { return x.Prod(0).Mul(x.Prod()).Sum() },
	"scatter": func(x T) T {
		return x.Scatter(0, hop.Zeros(hop.Int64, 1, 1), x.SumKeepDims(0)).Sin().Sum()
	},
	"take":     func(x T) T { return x.Take(hop.FromSlice([]int64{0, 3, 0})).Sin().Sum() },
	"solve":    func(x T) T { return unitPlus(x.MatMul(x.T())).Solve(x).Sum() },
	"cholesky": func(x T) T { return unitPlus(x.MatMul(x.T())).Cholesky().Sin().Sum() },
	"qr":       func(x T) T { _, r := hop.Concat(0, x, x.T().MatMul(x)).QR(); return r.Abs().Sum() },
	"conv": func(x T) T {
		return x.Unsqueeze(0).Conv1d(x.NarrowSym(1, hop.IntOf(0), hop.IntOf(2)).Unsqueeze(0), 1, 1, 1, 1).Sin().Sum()
	},
	"vjp": func(x T) T {
		y, pull := hop.VJP(T.Sin, x)
		return pull(y).Sum()
	},
	"jvp":  func(x T) T { _, dy := hop.JVP(T.Sin, x, x); return dy.Mul(x).Sum() },
	"data": func(x T) T { return x.MulSym(x.GtScalar(0).Nonzero().SymDim(0)).Sin().Sum() },
}

// unitPlus adds 1 to the diagonal of a square matrix.
func unitPlus(m T) T {
	at := hop.ArangeSym(hop.Int64, m.SymDim(0))
	return m.Add(at.Unsqueeze(1).Eq(at.Unsqueeze(0)).To(hop.Float64))
}

// The gradient of a function of open sizes, taken in the traced function or of the program, is that of the function, and so
// is the second derivative. None of them fixes a size.
func TestGradientsOfOpenSizes(t *testing.T) {
	example := func(n, m int) T { return hop.Arange(hop.Float64, n*m).MulScalar(0.7).Cos().View(n, m) }
	for name, f := range gradientCases {
		t.Run(name, func(t *testing.T) {
			inside := dynamic(t, hop.Grad(f), example(3, 4), hop.WithDims("x", "n", "m"))
			again := hop.Grad(func(x T) T { return hop.Grad(f)(x).Sin().Sum() })
			second := dynamic(t, again, example(3, 4), hop.WithDims("x", "n", "m"))
			value := dynamic(t, f, example(3, 4), hop.WithDims("x", "n", "m"))
			for _, p := range []*hop.Program[T, T]{inside, second} {
				if notes := p.Notes(); len(notes) > 0 {
					t.Errorf("got notes %v, want none", notes)
				}
			}
			for _, size := range [][2]int{{3, 4}, {5, 2}, {2, 7}} {
				x := example(size[0], size[1])
				want := hop.Grad(f)(x)
				of := hop.Grad(hop.Must(func(x T) (T, error) { return value.Call(x) }))(x)
				check(t, "gradient of the program", of, want.Shape(), numbers(want)...)
				check(t, "gradient in the trace", call(t, inside, x), want.Shape(), numbers(want)...)
				want = again(x)
				check(t, "second derivative in the trace", call(t, second, x), want.Shape(), numbers(want)...)
			}
		})
	}
}

// A result of fixed size has a gradient of fixed size, also where the memory behind it was written in windows of open size.
func TestGradientsThroughOpenWindowsOnFixedSizes(t *testing.T) {
	f := func(x T) T {
		row := x.Sum().Tanh().Expand(4).Clone() // four numbers for any x
		row.NarrowSym(0, hop.IntOf(0), x.SymDim(0)).MulScalarInPlace(3)
		row.NarrowSym(0, hop.IntOf(1), x.SymDim(0)).CopyFrom(x.Mul(x))
		return row.CumSum(0).Sum()
	}
	p := dynamic(t, hop.Grad(f), f64(.3, .4), hop.WithDims("x", "n"))
	for _, x := range []T{f64(.3, .4), f64(.5), f64(.1, -.2, .7)} {
		want := hop.Grad(f)(x)
		check(t, "gradient", call(t, p, x), want.Shape(), numbers(want)...)
	}
}

// K15: a cond under a gradient, with one open dim.
func TestK15GradientOfCond(t *testing.T) {
	p := dynamic(t, hop.Grad(func(x T) T {
		return hop.Cond(x.Sum().GtScalar(0), func(x T) T { return x.Sin().Sum() }, func(x T) T { return x.Cos().Sum() }, x)
	}), f64(1, 2, 3), hop.Names("x"), hop.WithDims("x", "s0"))
	var conds []string
	for _, n := range p.Graph().Nodes {
		if n.Op == "cond" {
			conds = append(conds, operandsOf(n))
		}
	}
	sameText(t, "forward, then backward: the size, x and the gradient", strings.Join(conds, "; "), "gt_scalar, s0, x; gt_scalar, s0, x, literal")
	if len(p.Graph().Guards) > 0 {
		t.Errorf("got guards %v, want none", p.Graph().Guards)
	}
	for _, x := range []T{f64(1, 2, 3), f64(1, 2), f64(-1, -2, -3, -4)} {
		want := x.Cos()
		if hop.Item[float64](x.Sum()) <= 0 {
			want = x.Sin().Neg()
		}
		check(t, "gradient", call(t, p, x), want.Shape(), numbers(want)...)
	}
}

// positive are the elements of x that are positive: how many is known only from data.
func positive(x T) T { return x.IndexSelect(0, x.GtScalar(0).Nonzero().Select(1, 0)) }

// Gradients of what has sizes that depend on data are traced, too.
func TestGradientsOfSizesThatDependOnData(t *testing.T) {
	for name, f := range map[string]func(x T) T{
		"mean": func(x T) T { return positive(x).Sin().Mean() },
		"scan": func(x T) T {
			c, ys := hop.Scan(func(c, x T) (T, T) { c = c.Mul(x).AddScalar(1); return c, c.Sin() }, hop.Scalar(1.0), positive(x))
			return c.Add(ys.Sum())
		},
		"associative scan": func(x T) T { return hop.AssociativeScan(func(a, b T) T { return a.Mul(b) }, positive(x)).Sum() },
		"map":              func(x T) T { return hop.Map(T.Sin, positive(x)).Sum() },
		"cond":             func(x T) T { return hop.Cond(x.Sum().GtScalar(0), T.Sin, T.Cos, positive(x)).Sum() },
		"prod":             func(x T) T { return positive(x).Prod() },
		"outer":            func(x T) T { r := positive(x); return r.Outer(r).Sin().Sum() },
		"concat":           func(x T) T { return hop.Concat(0, positive(x), x, positive(x)).Sin().Sum() },
		"take":             func(x T) T { return x.Take(x.GtScalar(0).Nonzero()).Sin().Sum() },
		"running product":  func(x T) T { return positive(x).CumProd(0).Sum() },
		"narrow": func(x T) T {
			return x.NarrowSym(0, hop.IntOf(0), x.GtScalar(0).Sum().SymItem()).Sin().Sum()
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := dynamic(t, hop.Grad(f), ones(3), hop.DynamicDims())
			for _, x := range []T{f64(1, -2, 3), f64(0.5, 2, 3, 4, -1), f64(2, 3)} {
				want := hop.Grad(f)(x)
				check(t, "gradient", call(t, p, x), want.Shape(), numbers(want)...)
			}
		})
	}
}

// A training step that takes the gradient of a scan over a batch is one program for batches and sequences of any size.
func TestTrainingStepIsOneProgramForAnySizes(t *testing.T) {
	type weights struct{ W, U, B T }
	type step struct {
		P    weights
		X, Y T // [steps, batch, in], [batch, hidden]
	}
	train := func(s step) (out weights) {
		loss := func(p weights) T {
			h, _ := hop.Scan(func(h, x T) (T, hop.None) {
				return x.MatMul(p.W).Add(h.MatMul(p.U)).Add(p.B).Tanh(), hop.None{}
			}, hop.ZerosSym(hop.Float64, s.X.SymDim(1), hop.IntOf(3)), s.X)
			return h.Sub(s.Y).Square().Mean()
		}
		_, g := hop.ValueAndGrad(loss)(s.P)
		return weights{s.P.W.Sub(g.W.MulScalar(0.1)), s.P.U.Sub(g.U.MulScalar(0.1)), s.P.B.Sub(g.B.MulScalar(0.1))}
	}
	numbered := func(dims ...int) T {
		n := 1
		for _, d := range dims {
			n *= d
		}
		return hop.Arange(hop.Float64, n).MulScalar(0.3).Sin().View(dims...)
	}
	at := func(steps, batch int) step {
		return step{weights{numbered(2, 3), numbered(3, 3), numbered(3)}, numbered(steps, batch, 2), numbered(batch, 3)}
	}
	compiled := hop.NewCompiled(train, hop.WithDims("X", "steps", "batch", ""), hop.WithDims("Y", "batch", ""))
	for _, size := range [][2]int{{4, 2}, {1, 5}, {7, 1}, {0, 3}, {3, 8}} {
		s := at(size[0], size[1])
		want := train(s)
		got, err := compiled.Call(s)
		if err != nil {
			t.Fatal(err)
		}
		check(t, "W", got.W, []int{2, 3}, numbers(want.W)...)
		check(t, "U", got.U, []int{3, 3}, numbers(want.U)...)
		check(t, "B", got.B, []int{3}, numbers(want.B)...)
	}
	if n := len(compiled.Programs()); n != 1 {
		t.Errorf("got %d programs, want 1", n)
	}
}
