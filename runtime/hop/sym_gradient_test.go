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
	"data": func(x T) T { return x.MulSym(x.GtScalar(0).Nonzero().SymDim(0)).Sin().Sum() },
}

// The gradient of a function of open sizes, taken in the traced function or of the program, is that of the function.
func TestGradientsOfOpenSizes(t *testing.T) {
	example := func(n, m int) T { return hop.Arange(hop.Float64, n*m).MulScalar(0.7).Cos().View(n, m) }
	for name, f := range gradientCases {
		t.Run(name, func(t *testing.T) {
			inside := dynamic(t, hop.Grad(f), example(3, 4), hop.WithDims("x", "n", "m"))
			value := dynamic(t, f, example(3, 4), hop.WithDims("x", "n", "m"))
			for _, g := range inside.Graph().Guards {
				t.Logf("guard %s at %s", g.Cond, g.Pos)
			}
			for _, size := range [][2]int{{3, 4}, {5, 2}, {2, 7}} {
				x := example(size[0], size[1])
				want := hop.Grad(f)(x)
				of := hop.Grad(hop.Must(func(x T) (T, error) { return value.Call(x) }))(x)
				check(t, "gradient of the program", of, want.Shape(), numbers(want)...)
				got, err := inside.Call(x)
				if err != nil && len(inside.Notes()) > 0 {
					continue // the derivative is not built of open sizes, and says so
				}
				if err != nil {
					t.Fatal(err)
				}
				check(t, "gradient in the trace", got, want.Shape(), numbers(want)...)
			}
		})
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
