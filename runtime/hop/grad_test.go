package hop

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
)

// TestDerivativesAgreeWithFiniteDifferences checks every op with a derivative on every float64 sample: the gradient of
// a weighted sum of the results against central differences, for each operand.
func TestDerivativesAgreeWithFiniteDifferences(t *testing.T) {
	forSamples(t, func(t *testing.T, op *opRow, s sample) {
		if op.VJP == nil || !inFloat64(s.args) {
			return
		}
		for i, out := range applyOps(op, s.attrs, s.args...) {
			if out.DType().IsFloat() {
				checkGradient(t, s.args, func(args []*Tensor) *Tensor { return applyOps(op, s.attrs, args...)[i] })
			}
		}
	})
}

// inFloat64 reports whether the float operands are float64, in which finite differences are sharp enough.
func inFloat64(args []*Tensor) bool { return hasDType(args, Float64) && !hasDType(args, Float32) }

// checkGradient compares Backward through f with central differences. Operands that are no floats are held fixed.
func checkGradient(t *testing.T, args []*Tensor, f func(args []*Tensor) *Tensor) {
	t.Helper()
	weight := func(out *Tensor) *Tensor { // irregular, so that no error cancels
		return Arange(Float64, out.NumElems()).MulScalar(0.37).Sin().AddScalar(1.1).Reshape(out.Shape()...)
	}
	loss := func(args []*Tensor) *Tensor {
		out := f(args).To(Float64)
		return out.Mul(weight(out)).Sum()
	}
	// copies clones args; one that appears twice stays one variable.
	copies := func() []*Tensor {
		list := make([]*Tensor, len(args))
		for i, a := range args {
			if first := slices.Index(args, a); first < i {
				list[i] = list[first]
			} else {
				list[i] = a.Clone()
			}
		}
		return list
	}
	leaves := copies()
	for _, l := range leaves {
		if l.DType().IsFloat() {
			l.SetRequiresGrad(true)
		}
	}
	loss(leaves).Backward()
	h, tolerance := 1e-6, 1e-6
	if f(args).DType() == Float32 { // rounding of the result hides smaller steps
		h, tolerance = 1e-2, 1e-4
	}
	for i, a := range args {
		if !a.DType().IsFloat() || slices.Index(args, a) < i {
			continue
		}
		got := leaves[i].Grad()
		if got == nil {
			got = ZerosLike(a) // an operand that the result does not depend on
		}
		if got.DType() != a.DType() || !slices.Equal(got.Shape(), a.Shape()) {
			t.Errorf("gradient of operand %d is %s, operand is %s", i, describe(got.meta()), describe(a.meta()))
			return
		}
		for k, index := range indices(a.Shape()) {
			moved := func(by float64) float64 {
				list := copies()
				list[i].Set(ItemAt[float64](a, index...)+by, index...)
				return Item[float64](loss(list))
			}
			want := (moved(h) - moved(-h)) / (2 * h)
			if g := ItemAt[float64](got, index...); !(math.Abs(g-want) <= tolerance*max(1, math.Abs(want))) {
				t.Errorf("operand %d, element %d: derivative %v, finite difference %v", i, k, g, want)
				return
			}
		}
	}
}

// TestTheTapeSavesOnlyWhatIsRead takes each saved tensor away in turn: a derivative that does without it has a row that
// names too much in Reads. One that names too little fails the test above.
func TestTheTapeSavesOnlyWhatIsRead(t *testing.T) {
	for _, op := range opTable {
		for _, read := range []reads{in0, in1, in2, out0, out1} {
			if op.Reads&read == 0 {
				continue
			}
			less := &opRow{Name: op.Name, Method: op.Method, Schema: op.Schema, DTypes: op.DTypes, OwnDTypes: op.OwnDTypes,
				Infer: op.Infer, Kernel: op.Kernel, VJP: op.VJP, Reads: op.Reads &^ read}
			needed := false
			for _, s := range samplesOf(op) {
				if !inFloat64(s.args) {
					continue
				}
				for _, a := range s.args {
					if a.DType() == Float64 {
						a.SetRequiresGrad(true)
					}
				}
				func() {
					defer func() { needed = recover() != nil || needed }()
					applyOp(less, s.attrs, s.args...).Sum().Backward()
				}()
			}
			if !needed {
				t.Errorf("%s: Reads names a tensor that no sample's derivative reads (bit %d)", op.Name, read)
			}
		}
	}
}

// TestDerivativesAtSpecialPoints are values where a formula alone would give NaN or count twice.
func TestDerivativesAtSpecialPoints(t *testing.T) {
	grad := func(x *Tensor, f func(x *Tensor) *Tensor) *Tensor {
		x.SetRequiresGrad(true)
		f(x).Sum().Backward()
		return x.Grad()
	}
	v := func(xs ...float64) *Tensor { return FromSlice(xs) }
	for _, test := range []struct {
		name string
		x    *Tensor
		f    func(x *Tensor) *Tensor
		want string
	}{
		{"max shares ties", v(3, 1, 3), func(x *Tensor) *Tensor { return x.Max() }, "[0.5 0 0.5]"},
		{"min shares ties", v(1, 1, 1, 2), func(x *Tensor) *Tensor { return x.MulScalar(3).Min() }, "[1 1 1 0]"},
		{"maximum shares ties", v(1, 2), func(x *Tensor) *Tensor { return x.Maximum(v(1, 1)) }, "[0.5 1]"},
		{"abs at 0", v(0), func(x *Tensor) *Tensor { return x.Abs() }, "[0]"},
		{"relu at 0", v(0), func(x *Tensor) *Tensor { return x.Relu() }, "[0]"},
		{"relu of -Inf times Inf", v(math.Inf(-1)), func(x *Tensor) *Tensor { return x.Relu().MulScalar(math.Inf(1)) }, "[0]"},
		{"clamp at its ends", v(-1, 2, 3), func(x *Tensor) *Tensor { return x.Clamp(-1, 2) }, "[1 1 0]"},
		{"power 0 of 0", v(0), func(x *Tensor) *Tensor { return x.PowScalar(0) }, "[0]"},
		{"power 1 of 0", v(0), func(x *Tensor) *Tensor { return x.PowScalar(1) }, "[1]"},
		{"0 to the power of x", v(2), func(x *Tensor) *Tensor { return v(0).Pow(x) }, "[0]"},
		{"product with one zero", v(2, 0, 3), func(x *Tensor) *Tensor { return x.Prod() }, "[0 6 0]"},
		{"product with two zeros", v(2, 0, 0), func(x *Tensor) *Tensor { return x.Prod() }, "[0 0 0]"},
		{"running product with zeros", v(2, 0, 3, 0, 5), func(x *Tensor) *Tensor { return x.CumProd(0) }, "[1 8 0 0 0]"},
		{"x used twice", v(3), func(x *Tensor) *Tensor { return x.Mul(x) }, "[6]"},
		{"where keeps NaN out", v(0), func(x *Tensor) *Tensor { return Where(x.GtScalar(0), x.Log(), x) }, "[NaN]"},
		{"log_sum_exp of -Inf", v(math.Inf(-1), 0), func(x *Tensor) *Tensor { return x.LogSumExp() }, "[0 1]"},
		{"softmax of large numbers", v(1e4, 1e4), func(x *Tensor) *Tensor { return x.Softmax(0).Mul(v(1, 0)) }, "[0.25 -0.25]"},
		{"expand", v(2), func(x *Tensor) *Tensor { return x.Expand(4) }, "[4]"},
		{"sum of nothing", Zeros(Float64, 0), func(x *Tensor) *Tensor { return x.Sum() }, "[]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := grad(test.x, test.f).String(); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestBackwardAccumulatesIntoLeaves(t *testing.T) {
	x := FromSlice([]float64{1, 2}).SetRequiresGrad(true)
	x.MulScalar(3).Sum().Backward()
	x.MulScalar(2).Sum().Backward()
	if got := x.Grad().String(); got != "[5 5]" {
		t.Errorf("got %s, want the sum [5 5]", got)
	}
	x.ZeroGrad()
	if x.Grad() != nil {
		t.Error("ZeroGrad left a gradient")
	}
}

func TestRetainGraphAllowsASecondBackward(t *testing.T) {
	x := FromSlice([]float64{1, 2}).SetRequiresGrad(true)
	y := x.Mul(x).Sum()
	y.Backward(RetainGraph())
	y.Backward()
	if got := x.Grad().String(); got != "[4 8]" {
		t.Errorf("got %s, want the gradient twice, [4 8]", got)
	}
	wantMisuse(t, Try(func() { y.Backward() }), "RetainGraph()")
}

func TestDeepGraphsNeedNoStack(t *testing.T) {
	x := Scalar(1.0).SetRequiresGrad(true)
	y := x
	for range 100_000 {
		y = y.AddScalar(1)
	}
	y.Backward()
	if got := Item[float64](x.Grad()); got != 1 {
		t.Errorf("got %v, want 1", got)
	}
}

func TestDetachEndsTheGradient(t *testing.T) {
	x := FromSlice([]float64{2}).SetRequiresGrad(true)
	d := x.MulScalar(5).Detach()
	if d.RequiresGrad() || d.Narrow(0, 0, 1).RequiresGrad() {
		t.Error("a detached tensor requires grad")
	}
	x.Mul(d).Sum().Backward()
	if got := x.Grad().String(); got != "[10]" {
		t.Errorf("got %s, want [10]", got)
	}
}

func TestALeafIsUpdatedThroughDetach(t *testing.T) {
	w := FromSlice([]float64{1, 2}).SetRequiresGrad(true)
	w.Mul(w).Sum().Backward()
	w.Detach().SubInPlace(w.Grad().MulScalar(0.5))
	w.Detach().Narrow(0, 1, 1).AddScalarInPlace(7)
	if w.String() != "[0 7]" || w.Version() != 2 || !w.RequiresGrad() {
		t.Errorf("got %+v", w)
	}
}

func TestAutogradMisuse(t *testing.T) {
	w := FromSlice([]float64{1, 2}).SetRequiresGrad(true)
	before := w.View(2, 1) // a view of a leaf
	base := Zeros(Float64, 3)
	window := base.Narrow(0, 1, 2).SetRequiresGrad(true) // a leaf that is a view
	for _, test := range []struct {
		name string
		f    func()
		code hopcheck.Code
		want []string
	}{
		{"Q6: integers", func() { Zeros(Int64, 2).SetRequiresGrad(true) }, "", []string{"SetRequiresGrad: ", "int64[2]", "To(Float64)"}},
		{"bools", func() { Zeros(Bool).SetRequiresGrad(true) }, "", []string{"bool[]"}},
		{"result of an op", func() { w.Neg().SetRequiresGrad(false) }, "", []string{"Detach"}},
		{"no leaf", func() { Zeros(Float64).Backward() }, "", []string{"Backward: ", "requires no grad", "SetRequiresGrad"}},
		{"no scalar", func() { w.Neg().Backward() }, "", []string{"Backward: ", "2 elements", "Sum"}},
		{"foreign option", func() { w.Sum().Backward(Reverse()) }, "", []string{"Reverse"}},
		{"in place on a leaf", func() { w.AddScalarInPlace(1) }, hopcheck.InPlaceOnLeaf, []string{"AddScalarInPlace", "float64[2]", "HOP602", "Detach"}},
		{"in place on a view of a leaf", func() { w.Narrow(0, 0, 1).Zero() }, hopcheck.InPlaceOnLeaf, []string{"Zero writes float64[1], a view of the leaf float64[2], which requires grad", "HOP602"}},
		{"in place on a view of a view of a leaf", func() { before.Narrow(0, 1, 1).T().Zero() }, hopcheck.InPlaceOnLeaf, []string{"float64[1 1], a view of the leaf float64[2]"}},
		{"in place on the base of a leaf", func() { base.Zero() }, hopcheck.InPlaceOnLeaf, []string{"float64[3], which shares storage with the leaf float64[2], which requires grad"}},
		{"in place on a leaf that is a view", func() { window.Zero() }, hopcheck.InPlaceOnLeaf, []string{"float64[2], a leaf that requires grad"}},
		{"Data of a leaf", func() { Data[float64](w) }, hopcheck.InPlaceOnLeaf, []string{"Data"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := w.Version()
			err := Try(test.f)
			if err == nil {
				t.Fatal("got no error")
			}
			for _, part := range test.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("got %q, want a part %q", err, part)
				}
			}
			if e := err.(*Error); e.Code != test.code {
				t.Errorf("got code %q, want %q", e.Code, test.code)
			}
			if w.Version() != before || w.String() != "[1 2]" {
				t.Error("the refused write happened")
			}
		})
	}
}

// TestSeveralLeavesOfOneStorage: each is protected until it is none any more.
func TestSeveralLeavesOfOneStorage(t *testing.T) {
	base := Zeros(Float64, 4)
	a, b := base.Narrow(0, 0, 2).SetRequiresGrad(true), base.Narrow(0, 2, 2).SetRequiresGrad(true)
	a.SetRequiresGrad(false)
	err := Try(func() { base.Fill(1) })
	if !errors.Is(err, hopcheck.InPlaceOnLeaf) || base.String() != "[0 0 0 0]" {
		t.Errorf("got %v and %v, want HOP602 for the other leaf", err, base)
	}
	b.SetRequiresGrad(false)
	if base.Fill(1); base.String() != "[1 1 1 1]" {
		t.Errorf("got %v after the last leaf was made none", base)
	}
}

// TestWritesOnTheTape compares programs that write intermediates with their functional forms.
func TestWritesOnTheTape(t *testing.T) {
	x := FromSlice([]float64{0.5, -1.5, 2}, 3)
	for _, test := range []struct {
		name     string
		writing  func(x *Tensor) *Tensor
		function func(x *Tensor) *Tensor
	}{
		{"whole", func(x *Tensor) *Tensor { return x.MulScalar(2).AddInPlace(x) },
			func(x *Tensor) *Tensor { return x.MulScalar(3) }},
		{"twice", func(x *Tensor) *Tensor { return x.Sin().MulScalarInPlace(2).AddInPlace(x.Mul(x)) },
			func(x *Tensor) *Tensor { return x.Sin().MulScalar(2).Add(x.Mul(x)) }},
		{"through a view, base used later", func(x *Tensor) *Tensor {
			y := x.MulScalar(2)
			y.Narrow(0, 0, 2).MulScalarInPlace(5)
			return y.Mul(y)
		}, func(x *Tensor) *Tensor { y := x.Mul(FromSlice([]float64{10, 10, 2})); return y.Mul(y) }},
		{"base written, view used later", func(x *Tensor) *Tensor {
			y := x.MulScalar(2)
			v := y.Narrow(0, 1, 2)
			y.MulScalarInPlace(3)
			return v.Mul(v)
		}, func(x *Tensor) *Tensor { y := x.MulScalar(6).Narrow(0, 1, 2); return y.Mul(y) }},
		{"into a plain buffer", func(x *Tensor) *Tensor {
			buf := Zeros(Float64, 2, 3)
			row := buf.Select(0, 1)
			row.CopyFrom(x.Mul(x))
			return buf.MulScalar(3)
		}, func(x *Tensor) *Tensor { return Stack(0, Zeros(Float64, 3), x.Mul(x)).MulScalar(3) }},
		{"row by row", func(x *Tensor) *Tensor {
			buf := Ones(Float64, 3)
			for i := range 3 {
				buf.Select(0, i).CopyFrom(x.Select(0, i).Mul(x.Select(0, (i+1)%3)))
			}
			return buf.Mul(x)
		}, func(x *Tensor) *Tensor {
			return x.Mul(Concat(0, x.Narrow(0, 1, 2), x.Narrow(0, 0, 1))).Mul(x)
		}},
		{"transposed view", func(x *Tensor) *Tensor {
			y := x.Unsqueeze(0).Expand(2, 3).Clone()
			y.T().Narrow(0, 1, 2).MulInPlace(FromSlice([]float64{1, 2, 3, 4}, 2, 2))
			return y
		}, func(x *Tensor) *Tensor {
			return x.Unsqueeze(0).Expand(2, 3).Mul(FromSlice([]float64{1, 1, 3, 1, 2, 4}, 2, 3))
		}},
		{"zeroed part", func(x *Tensor) *Tensor { y := x.Mul(x); y.Narrow(0, 1, 1).Zero(); return y },
			func(x *Tensor) *Tensor { return x.Mul(x).Mul(FromSlice([]float64{1, 0, 1})) }},
		{"set element", func(x *Tensor) *Tensor { return x.Mul(x).Set(7, -1) },
			func(x *Tensor) *Tensor {
				return x.Mul(x).Mul(FromSlice([]float64{1, 1, 0})).Add(FromSlice([]float64{0, 0, 7}))
			}},
		{"detached write is outside", func(x *Tensor) *Tensor { y := x.MulScalar(2); y.Detach().MulScalarInPlace(1); return y },
			func(x *Tensor) *Tensor { return x.MulScalar(2) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, b := x.Clone().SetRequiresGrad(true), x.Clone().SetRequiresGrad(true)
			ya, yb := test.writing(a), test.function(b)
			if ya.String() != yb.String() {
				t.Fatalf("value: got %v, want %v", ya, yb)
			}
			ya.Sum().Backward()
			yb.Sum().Backward()
			if d := diffRef(refOf(a.Grad()), refOf(b.Grad()), 1e-14); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestBufferRequiresGradOnceAWriteDid(t *testing.T) {
	w := Scalar(2.0).SetRequiresGrad(true)
	buf := Zeros(Float64, 2)
	before := buf.Detach()
	view := buf.Narrow(0, 0, 1)
	buf.Select(0, 0).CopyFrom(w)
	for name, got := range map[string][2]bool{
		"buffer": {buf.RequiresGrad(), true}, "view made before": {view.RequiresGrad(), true}, "detached before": {before.RequiresGrad(), false},
	} {
		if got[0] != got[1] {
			t.Errorf("%s requires grad: got %t, want %t", name, got[0], got[1])
		}
	}
}

func TestComparisonsAndIndicesRequireNoGrad(t *testing.T) {
	x := FromSlice([]float64{1, 2}).SetRequiresGrad(true)
	for name, y := range map[string]*Tensor{"Gt": x.GtScalar(1), "ArgMax": x.ArgMax(0), "To(Int64)": x.To(Int64), "Detach": x.Detach()} {
		if y.RequiresGrad() {
			t.Errorf("%s requires grad", name)
		}
	}
	for name, y := range map[string]*Tensor{"view": x.Narrow(0, 0, 1), "To(Float32)": x.To(Float32), "Clone": x.Clone()} {
		if !y.RequiresGrad() {
			t.Errorf("%s requires no grad", name)
		}
	}
}

func TestGradientsComeInTheLeafsDType(t *testing.T) {
	x := FromSlice([]float32{1, 2}).SetRequiresGrad(true)
	x.To(Float64).MulScalar(1.5).Sum().Backward()
	if g := x.Grad(); g.DType() != Float32 || g.String() != "[1.5 1.5]" {
		t.Errorf("got %s %v", g.DType(), g)
	}
}

func TestGradientsOfCompositions(t *testing.T) {
	x, w := FromSlice([]float64{0.3, -0.7, 1.1, 0.2, 0.9, -0.4}, 2, 3), FromSlice([]float64{0.5, -0.2, 0.8, 0.1, -0.6, 0.4}, 3, 2)
	for _, test := range []struct {
		name string
		f    func(args []*Tensor) *Tensor
	}{
		{"layer", func(a []*Tensor) *Tensor { return a[0].MatMul(a[1]).Tanh().Softmax(-1) }},
		{"normalised", func(a []*Tensor) *Tensor {
			c := a[0].Sub(a[0].MeanKeepDims(1))
			return c.Mul(c.Square().MeanKeepDims(1).AddScalar(1e-3).Rsqrt()).MatMul(a[1])
		}},
		{"views", func(a []*Tensor) *Tensor {
			return Concat(1, a[0].T().Reshape(2, 3), a[1].View(2, 3)).Slice(1, 1, 6, 2).Flip(0).Mul(a[0].Narrow(1, 0, 1))
		}},
		{"recurrence", func(a []*Tensor) *Tensor {
			h := Zeros(Float64, 3)
			for i := range 2 {
				h = h.Mul(a[1].Select(1, i)).Add(a[0].Select(0, i)).Sigmoid()
			}
			return h
		}},
	} {
		t.Run(test.name, func(t *testing.T) { checkGradient(t, []*Tensor{x, w}, test.f) })
	}
}
