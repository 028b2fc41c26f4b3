package hop_test

import (
	"strings"
	"testing"

	"github.com/hoplint/hoplint/runtime/hop"
)

// captureAlone are operators whose operands are no tensors of the trace around: their bodies use captured ones only.
var captureAlone = map[string]func(w T) T{
	"checkpoint": func(w T) T { return hop.Checkpoint(func(hop.None) T { return w.Sin().Mul(w) })(hop.None{}) },
	"subgraph":   func(w T) T { return hop.Subgraph("square", func(hop.None) T { return w.Sin().Mul(w) })(hop.None{}) },
	"custom_vjp": func(w T) T {
		return hop.CustomVJP(func(hop.None) (T, hop.None) { return w.Sin().Mul(w), hop.None{} },
			func(hop.None, T) hop.None { return hop.None{} })(hop.None{})
	},
	"cond": func(w T) T {
		return hop.Cond(hop.Scalar(true), func(hop.None) T { return w.Sin().Mul(w) }, func(hop.None) T { return w.Sin().Neg() }, hop.None{})
	},
	"switch": func(w T) T {
		return hop.Switch(hop.Scalar(int64(0)), []func(hop.None) T{func(hop.None) T { return w.Sin().Mul(w) }, func(hop.None) T { return w.Sin().Neg() }}, hop.None{})
	},
	"scan": func(w T) T {
		_, ys := hop.Scan(func(c T, x hop.None) (T, T) { return c.AddScalar(1), w.Sin().Mul(w) }, hop.Scalar(0.0), hop.None{}, hop.Length(1))
		return ys.Select(0, 0).Clone()
	},
	"for_loop": func(w T) T {
		return hop.ForLoop(0, 1, func(i, c T) T { return w.Sin().Mul(w) }, hop.Zeros(hop.Float64, 3))
	},
	"while_loop": func(w T) T {
		type carry struct{ N, X T }
		return hop.WhileLoop(func(c carry) T { return c.N.LtScalar(1) }, func(c carry) carry { return carry{c.N.AddScalar(1), w.Sin().Mul(w)} },
			carry{hop.Scalar(0.0), hop.Zeros(hop.Float64, 3)}).X
	},
	"map": func(w T) T {
		return hop.Map(func(x T) T { return w.Sin().Mul(w) }, hop.Zeros(hop.Float64, 1)).Select(0, 0).Clone()
	},
	"vmap": func(w T) T {
		return hop.VMap(func(x T) T { return w.Sin().Mul(w) })(hop.Zeros(hop.Float64, 1)).Select(0, 0).Clone()
	},
	"associative_scan": func(w T) T {
		return hop.AssociativeScan(func(a, b T) T { return w.Sin().Mul(w) }, hop.Zeros(hop.Float64, 2, 3)).Select(0, 1).Clone()
	},
}

// What a body computes of captured tensors alone is recorded in the body, also where no operand tells the operator that it
// is called in a trace. So are operators in it, at any depth.
func TestBodiesOfCapturedTensorsAlone(t *testing.T) {
	for name, f := range captureAlone {
		t.Run(name, func(t *testing.T) {
			for _, g := range []func(T) T{f, func(w T) T { return hop.Checkpoint(func(hop.None) T { return f(w) })(hop.None{}) }} {
				p := dynamic(t, g, f64(1, 2, 3))
				for _, n := range p.Graph().Nodes {
					if n.Op == "sin" || n.Op == "mul" {
						t.Errorf("%s is recorded around the body:\n%s", n.Op, p.Graph())
					}
				}
				if text := p.Graph().String(); strings.Count(text, " = sin(") == 0 {
					t.Errorf("the body lacks its ops:\n%s", text)
				}
				for _, x := range []T{f64(1, 2, 3), f64(0, -1, 4)} {
					check(t, name, call(t, p, x), []int{3}, numbers(x.Sin().Mul(x))...)
				}
				if name == "custom_vjp" { // whose derivative is that of its operands
					continue
				}
				grad := dynamic(t, hop.Grad(func(w T) T { return g(w).Sum() }), f64(1, 2, 3))
				x := f64(0.5, 2, -1)
				check(t, "gradient", call(t, grad, x), []int{3}, numbers(x.Sin().Add(x.Cos().Mul(x)))...)
			}
		})
	}
}

// Sizes, views, indices and writes of such bodies are the body's own, too.
func TestWhatBodiesOfCapturedTensorsAloneMayDo(t *testing.T) {
	sizes := func(w T) T {
		rows := hop.Checkpoint(func(hop.None) T {
			n := w.SymDim(0)
			y := w.NarrowSym(0, hop.IntOf(1), n.SubScalar(1)).Clone()
			y.MulScalarInPlace(2)
			hits := w.GtScalar(0).Nonzero()
			return y.Sum().MulSym(n).Add(hits.Sum().To(hop.Float64)).AddSym(hits.SymDim(0).MulScalar(10))
		})(hop.None{})
		return rows.AddSym(w.SymDim(0))
	}
	p := dynamic(t, sizes, f64(1, 2, 3), hop.WithDims("w", "n"))
	for _, n := range p.Graph().Nodes {
		if n.Op == "narrow" || n.Op == "nonzero" || n.Op == "mul_scalar" {
			t.Errorf("%s is recorded around the body:\n%s", n.Op, p.Graph())
		}
	}
	for _, w := range []T{f64(1, 2, 3), f64(1, -2, 3, 4)} {
		check(t, "sizes", call(t, p, w), nil, numbers(sizes(w))...)
	}

	guarded := func(w T) T { // an index out of range in a branch that is not taken
		return hop.Cond(hop.Scalar(false), func(hop.None) T { return w.At(0, w.Sum().To(hop.Int64).AddScalar(100)) },
			func(hop.None) T { return w.Sum() }, hop.None{})
	}
	check(t, "the branch taken", call(t, dynamic(t, guarded, f64(1, 2)), f64(1, 2)), nil, 3)

	_, err := hop.Trace(func(w T) T {
		y := w.Clone()
		return hop.Checkpoint(func(hop.None) T { y.AddScalarInPlace(1); return y.Sin() })(hop.None{})
	}, f64(1, 2))
	says(t, err, "checkpoint", "HOP104", "AddScalarInPlace", "captures_alone_test.go:")

	var leaked T
	_, err = hop.Trace(func(w T) T {
		hop.Checkpoint(func(hop.None) T { leaked = w.Cos(); return leaked.Sin() })(hop.None{})
		return leaked.Clone()
	}, f64(1, 2))
	says(t, err, "HOP402", "is used after its trace ended")
}
