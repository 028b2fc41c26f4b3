package hop

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hoplint/hoplint/tracer"
)

func TestAlgebraRefusesWithBothShapesAndTheRemedy(t *testing.T) {
	z := func(dims ...int) *Tensor { return Zeros(Float64, dims...) }
	x, w := z(4, 8), z(6, 4, 3)
	for _, test := range []struct {
		name string
		f    func()
		want []string
	}{
		{"inverse of a vector", func() { z(3).Inverse() }, []string{"Inverse: ", "float64[3]", "matrix", "Unsqueeze"}},
		{"inverse of a rectangle", func() { z(2, 3).Inverse() }, []string{"Inverse: ", "2 rows and 3 columns", "square"}},
		{"inverse of integers", func() { Zeros(Int64, 2, 2).Inverse() }, []string{"Inverse: ", "int64", "float32 or float64"}},
		{"det of a rectangle", func() { z(5, 2, 3).Det() }, []string{"Det: ", "float64[5 2 3]", "square"}},
		{"cholesky of a rectangle", func() { z(1, 2).Cholesky() }, []string{"Cholesky: ", "1 rows and 2 columns"}},
		{"qr of a vector", func() { z(3).QR() }, []string{"QR: ", "float64[3]", "matrix"}},
		{"solve with other rows", func() { z(3, 3).Solve(z(2)) }, []string{"Solve: ", "float64[3 3]", "float64[2]", "make the rows 3"}},
		{"solve with a scalar", func() { z(3, 3).Solve(z()) }, []string{"Solve: ", "float64[]", "vector"}},
		{"solve with other batches", func() { z(2, 3, 3).Solve(z(5, 3, 1)) }, []string{"Solve: ", "batches of float64[2 3 3] and float64[5 3 1]", "2 and 5"}},
		{"solve with another dtype", func() { z(3, 3).Solve(Zeros(Float32, 3)) }, []string{"Solve: ", "float64[3 3]", "float32[3]", "To(Float64)"}},
		{"stack of vectors is a matrix", func() { z(2, 3, 3).Solve(z(2, 3)) }, []string{"Solve: ", "2 rows", "make the rows 3"}},
		{"triangular rectangle", func() { z(3, 2).SolveTriangular(z(3), true) }, []string{"SolveTriangular: ", "square"}},
		{"norm dim", func() { z(3).Norm(1) }, []string{"Norm: ", "dim 1", "-1 to 0"}},
		{"conv stride", func() { x.Conv1d(w, 0, 0, 1, 1) }, []string{"Conv1d: ", "stride is 0", "want 1"}},
		{"conv padding", func() { x.Conv1d(w, 1, -1, 1, 1) }, []string{"Conv1d: ", "padding is -1", "want 0"}},
		{"conv huge padding", func() { x.Conv1d(w, 1, math.MaxInt, 1, 1) }, []string{"Conv1d: ", "padding is"}},
		{"conv dilation", func() { x.Conv1d(w, 1, 0, 0, 1) }, []string{"Conv1d: ", "dilation is 0"}},
		{"conv channels", func() { x.Conv1d(z(6, 3, 3), 1, 0, 1, 1) }, []string{"Conv1d: ", "4 channels", "see 3 in each of 1 groups"}},
		{"conv groups", func() { x.Conv1d(z(3, 2, 3), 1, 0, 1, 2) }, []string{"Conv1d: ", "3 filters", "2 groups"}},
		{"conv reach", func() { x.Conv1d(w, 1, 0, 5, 1) }, []string{"Conv1d: ", "dilation 5", "beyond", "padding 0"}},
		{"conv without taps", func() { x.Conv1d(z(6, 4, 0), 1, 0, 1, 1) }, []string{"Conv1d: ", "0 taps"}},
		{"conv of a vector", func() { z(8).Conv1d(w, 1, 0, 1, 1) }, []string{"Conv1d: ", "float64[8]", "Unsqueeze"}},
		{"conv filters of rank 2", func() { x.Conv1d(z(4, 3), 1, 0, 1, 1) }, []string{"Conv1d: ", "float64[4 3]", "taps"}},
	} {
		t.Run(test.name, func(t *testing.T) { wantParts(t, Try(test.f), test.want) })
	}
}

func wantParts(t *testing.T, err error, parts []string) {
	t.Helper()
	if err == nil {
		t.Fatal("got no error")
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("got %q, want a part %q", err, part)
		}
	}
}

func TestEinsumNamesTheSpecAndTheOffendingPart(t *testing.T) {
	z := func(dims ...int) *Tensor { return Zeros(Float64, dims...) }
	a := z(2, 3)
	for _, test := range []struct {
		spec string
		ts   []*Tensor
		want []string
	}{
		{"ij,jk->ik", []*Tensor{a}, []string{`spec "ij,jk->ik"`, "2 operands, got 1 tensors"}},
		{"ij", []*Tensor{a, a}, []string{`spec "ij"`, "1 operands, got 2 tensors"}},
		{"ijk->i", []*Tensor{a}, []string{`operand 0 "ijk" has 3 letters`, "float64[2 3]", "each of the 2 dims"}},
		{"...ijk->i", []*Tensor{a}, []string{`operand 0 "...ijk" has 3 letters`}},
		{"ij->ik", []*Tensor{a}, []string{"letter k", `result "ik"`, "no operand"}},
		{"ij->ii", []*Tensor{a}, []string{"letter i", "twice", `"ii"`}},
		{"i1->i", []*Tensor{a}, []string{`"1" in "i1"`, "no letter"}},
		{"ij->i->j", []*Tensor{a}, []string{"no letter"}},
		{"i.j->i", []*Tensor{a}, []string{`".j" in "i.j"`}},
		{"......->", []*Tensor{a}, []string{"at most one ellipsis"}},
		{"ij,jk->ik", []*Tensor{a, z(4, 2)}, []string{`spec "ij,jk->ik"`, `letter j is 4 in operand 1 "jk"`, "float64[4 2]", "3 before"}},
		{"ii->i", []*Tensor{a}, []string{"letter i is 2 and 3 in operand 0", "diagonal"}},
		{"ii->i", []*Tensor{z(1, 3)}, []string{"letter i is 1 and 3", "diagonal"}},
		{"...i->i", []*Tensor{a}, []string{`result "i" has no ellipsis`, "...i"}},
		{"ij,jk->ik", []*Tensor{a, Zeros(Float32, 3, 2)}, []string{"float64[2 3]", "float32[3 2]", "To("}},
		{"ij,jk->ik", []*Tensor{a, nil}, []string{"operand 1 is nil"}},
		{"i,i,i->", []*Tensor{z(2), z(2), nil}, []string{"operand 2 is nil"}},
		{"i,i,i->", []*Tensor{z(2), z(2), z(3)}, []string{"letter i is 3 in operand 2", "2 before"}},
		{"", nil, []string{"no tensors"}},
	} {
		t.Run(test.spec, func(t *testing.T) {
			wantParts(t, Try(func() { Einsum(test.spec, test.ts...) }), append(test.want, "Einsum: "))
		})
	}
}

// TestEinsumOfManyTensorsEqualsItsDefinition draws specs of three to four operands, with repeated letters and sizes 1.
func TestEinsumOfManyTensorsEqualsItsDefinition(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		size := map[rune]int{'i': 2, 'j': 3, 'k': 1, 'l': 2}
		letter := rapid.SampledFrom([]rune("ijkl"))
		var words, all []string
		var ts []*Tensor
		for range rapid.IntRange(1, 4).Draw(rt, "operands") {
			word, shape := "", []int{}
			for range rapid.IntRange(0, 3).Draw(rt, "rank") {
				l := letter.Draw(rt, "letter")
				word += string(l)
				shape = append(shape, size[l])
			}
			ones := rapid.Bool().Draw(rt, "of size 1")
			for d, l := range word {
				if ones && strings.Count(word, string(l)) == 1 {
					shape[d] = 1
				}
			}
			words, ts = append(words, word), append(ts, Randn(rng, Float64, shape...))
		}
		for _, l := range rapid.Permutation([]rune("ijkl")).Draw(rt, "order") {
			if strings.ContainsRune(strings.Join(words, ""), l) && rapid.Bool().Draw(rt, "kept") {
				all = append(all, string(l))
			}
		}
		spec := strings.Join(words, ",") + "->" + strings.Join(all, "")
		got := Einsum(spec, ts...)
		want := einsumRef(refArgs(sample{args: ts, attrs: attrs("spec", spec)}))
		if d := diffRef(refOf(got), want, 1e-13); d != "" {
			rt.Fatalf("%s: %s", spec, d)
		}
	})
}

func TestEinsumGradientOfManyTensors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	r := func(dims ...int) *Tensor { return Randn(rng, Float64, dims...) }
	for _, test := range []struct {
		spec string
		ts   []*Tensor
	}{
		{"ij,jk,kl->il", []*Tensor{r(2, 3), r(3, 2), r(2, 4)}},
		{"i,i,i->", []*Tensor{r(3), r(3), r(3)}},
		{"bij,jk,bkl,l->bi", []*Tensor{r(2, 2, 3), r(3, 2), r(2, 2, 3), r(3)}},
		{"ii,ij,jj->j", []*Tensor{r(2, 2), r(2, 3), r(3, 3)}},
		{"...i,ij,...j->...", []*Tensor{r(2, 3), r(3, 2), r(2)}},
		{"i,j,k->", []*Tensor{r(2), r(1), r(3)}},
		{"iiijj->", []*Tensor{r(2, 2, 2, 3, 3)}},
	} {
		t.Run(test.spec, func(t *testing.T) {
			checkGradient(t, test.ts, func(ts []*Tensor) *Tensor { return Einsum(test.spec, ts...) })
		})
	}
}

func TestThePathOfManyTensorsTakesTheCheapestPairFirst(t *testing.T) {
	s := explicitSpec("ij,jk,kl->il")
	for _, test := range []struct {
		shapes [][]int
		i, j   int
		word   string
	}{
		{[][]int{{10, 100}, {100, 5}, {5, 50}}, 0, 1, "ik"}, // 5000 before 25000
		{[][]int{{50, 5}, {5, 100}, {100, 10}}, 1, 2, "jl"},
	} {
		i, j := s.cheapest(test.shapes)
		if i != test.i || j != test.j || s.join(i, j) != test.word {
			t.Errorf("%v: got %d and %d to %s, want %d and %d to %s", test.shapes, i, j, s.join(i, j), test.i, test.j, test.word)
		}
	}
}

func TestAlgebraShapeRulesWorkOnSymbolicSizes(t *testing.T) {
	n := tracer.AnyInt()
	m := func(dims ...any) tracer.Meta {
		out := tracer.Meta{DType: Float64}
		for _, d := range dims {
			if k, ok := d.(int); ok {
				d = tracer.Const(k)
			}
			out.Shape = append(out.Shape, d.(tracer.Int))
		}
		return out
	}
	conv := attrs("stride", 1, "padding", 1, "dilation", 1, "groups", 1)
	for _, test := range []struct {
		op    opID
		in    []tracer.Meta
		attrs tracer.Attrs
		want  string
	}{
		{idInverse, []tracer.Meta{m(n, 2, 2)}, nil, "f64[?, 2, 2]"},
		{idInverse, []tracer.Meta{m(n, n)}, nil, "f64[?, ?]"},
		{idInverse, []tracer.Meta{m(n, 2)}, nil, "? rows and 2 columns"},
		{idDet, []tracer.Meta{m(n, 2, 2)}, nil, "f64[?]"},
		{idSolve, []tracer.Meta{m(2, 2), m(2, n)}, nil, "f64[2, ?]"},
		{idSolve, []tracer.Meta{m(n, n), m(n)}, nil, "f64[?]"},
		{idSolve, []tracer.Meta{m(2, 2), m(n)}, nil, "make the rows 2"},
		{idQR, []tracer.Meta{m(n, 3)}, nil, "f64[?, min(3, ?)]"},
		{idNorm, []tracer.Meta{m(n, 3)}, attrs("dims", []int{1}, "keepdim", false), "f64[?]"},
		{idEinsum, []tracer.Meta{m(n, 3), m(3, n)}, attrs("spec", "ij,jk->ki"), "f64[?, ?]"},
		{idEinsum, []tracer.Meta{m(n, 3), m(1, 3)}, attrs("spec", "...j,...j"), "f64[?]"},
		{idEinsum, []tracer.Meta{m(n), m(4)}, attrs("spec", "i,i"), "letter i is 4"},
		{idConv1d, []tracer.Meta{m(n, 2, 8), m(5, 2, 3)}, conv, "f64[?, 5, 8]"},
		{idConv1d, []tracer.Meta{m(2, n), m(5, 2, 3)}, conv, "f64[5, ?]"},
		{idConv1d, []tracer.Meta{m(n, 8), m(5, 2, 3)}, conv, "? channels"},
	} {
		op := lib.op(test.op)
		inf := inference{op: op, In: test.in, Attrs: test.attrs}
		got := ""
		if err := op.Infer(&inf); err != nil {
			got = err.Error()
		} else {
			got = inf.Out.String()
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%s %v %v: got %s, want %s", op.Name, test.in, test.attrs, got, test.want)
		}
	}
}

// TestLargeMatricesAgreeWithGonum takes sizes on both sides of the switch to lapack.
func TestLargeMatricesAgreeWithGonum(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 3, 7, 8, 9, 40, 130} {
		a := Randn(rng, Float64, n, n)
		a.Diagonal(0, 0, 1).AddScalarInPlace(float64(n))
		b := Randn(rng, Float64, n, 3)
		spd := a.MatMul(a.T())
		var inverse, solved mat.Dense
		if err := inverse.Inverse(a.Dense()); err != nil {
			t.Fatal(err)
		}
		if err := solved.Solve(a.Dense(), b.Dense()); err != nil {
			t.Fatal(err)
		}
		var root mat.Cholesky
		if !root.Factorize(mat.NewSymDense(n, ToSlice[float64](spd))) {
			t.Fatal("not positive definite")
		}
		var l mat.TriDense
		root.LTo(&l)
		logDet, sign := mat.LogDet(a.Dense())
		if sign < 0 {
			logDet = math.NaN()
		}
		lower := a.Mul(triangle(Float64, IntOf(n), 1))
		near := func(name string, got, want *Tensor, tolerance float64) {
			t.Helper()
			if d := Item[float64](got.Sub(want).Norm()) / Item[float64](want.Norm()); !(d <= tolerance) {
				t.Errorf("n = %d: %s differs by %g of its norm", n, name, d)
			}
		}
		near("Inverse", a.Inverse(), FromMatrix(&inverse), 1e-13)
		near("Solve", a.Solve(b), FromMatrix(&solved), 1e-13)
		near("Cholesky", spd.Cholesky(), FromMatrix(&l), 1e-12)
		near("LogDet", a.LogDet(), Scalar(logDet), 1e-13)
		near("Det", a.MulScalar(1/float64(n)).Det().Log(), Scalar(logDet-float64(n)*math.Log(float64(n))), 1e-11)
		near("SolveTriangular", lower.MatMul(lower.SolveTriangular(b, false)), b, 1e-12)
		q, r := a.QR()
		near("QR", q.MatMul(r), a, 1e-13)
		near("Q", q.T().MatMul(q), Eye(Float64, n), 1e-13)
	}
}

// TestWithoutAnAnswerTheResultIsNaN and never an error.
func TestWithoutAnAnswerTheResultIsNaN(t *testing.T) {
	nan := math.NaN()
	v := func(n int, xs ...float64) *Tensor { return FromSlice(xs, n, n) }
	big := Ones(Float64, 12, 12)
	for _, test := range []struct {
		name string
		got  *Tensor
		want string
	}{
		{"inverse of 0", v(1, 0).Inverse(), "[[NaN]]"},
		{"inverse of a singular matrix", v(2, 1, 2, 2, 4).Inverse(), "[[NaN NaN] [NaN NaN]]"},
		{"inverse of NaN", v(1, nan).Inverse(), "[[NaN]]"},
		{"inverse of a large singular matrix", big.Inverse().IsNaN().All(), "true"},
		{"solve with a large singular matrix", big.Solve(Ones(Float64, 12)).IsNaN().All(), "true"},
		{"solve with a singular matrix", v(2, 1, 1, 1, 1).Solve(FromSlice([]float64{1, 1})), "[NaN NaN]"},
		{"determinant of a singular matrix", v(2, 1, 2, 2, 4).Det(), "0"},
		{"determinant of a large singular matrix", big.Det(), "0"},
		{"determinant with NaN", v(2, nan, 0, 0, 1).Det(), "NaN"},
		{"logarithm of determinant 0", v(2, 1, 2, 2, 4).LogDet(), "-Inf"},
		{"logarithm of determinant -1", v(2, 0, 1, 1, 0).LogDet(), "NaN"},
		{"logarithm that would overflow", v(2, 1e200, 0, 0, 1e200).LogDet().DivScalar(math.Log(1e200)), "2"},
		{"Cholesky of 0", v(1, 0).Cholesky(), "[[NaN]]"},
		{"Cholesky of an indefinite matrix", v(2, 1, 2, 2, 1).Cholesky(), "[[NaN NaN] [NaN NaN]]"},
		{"Cholesky of a large indefinite matrix", big.Neg().Cholesky().IsNaN().All(), "true"},
		{"Cholesky with NaN", v(2, 1, 0, nan, 1).Cholesky().IsNaN().All(), "true"},
		{"triangle with 0", v(1, 0).SolveTriangular(FromSlice([]float64{2}), false), "[+Inf]"},
		{"triangle with 0 and side 0", v(1, 0).SolveTriangular(FromSlice([]float64{0}), true), "[NaN]"},
		{"large triangle with 0", Zeros(Float64, 12, 12).SolveTriangular(Zeros(Float64, 12), true).IsNaN().All(), "true"},
		{"norm that would overflow", FromSlice([]float64{3e200, 4e200}).Norm().DivScalar(1e200), "5"},
		{"norm that would underflow", FromSlice([]float64{3e-200, 4e-200}).Norm().MulScalar(1e200), "5"},
		{"norm of the smallest number", FromSlice([]float64{5e-324, 0}).Norm(), "5e-324"},
		{"norm of infinities", FromSlice([]float64{math.Inf(-1), 1}).Norm(), "+Inf"},
		{"norm with NaN and infinity", FromSlice([]float64{math.Inf(1), nan}).Norm(), "NaN"},
		{"norm of float32 squares beyond its range", FromSlice([]float32{3e30, 4e30}).Norm().DivScalar(1e30), "5"},
		{"qr with NaN", leftOf(v(2, nan, 1, 1, 1).QR()).IsNaN().All(), "true"},
	} {
		if got := test.got.String(); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

func leftOf(q, _ *Tensor) *Tensor { return q }

// TestGradientsAtSingularPoints are values where the usual formula divides by 0.
func TestGradientsAtSingularPoints(t *testing.T) {
	grad := func(x *Tensor, f func(x *Tensor) *Tensor) string {
		x.SetRequiresGrad(true)
		f(x).Sum().Backward()
		return x.Grad().String()
	}
	det := func(x *Tensor) *Tensor { return x.Det() }
	for _, test := range []struct {
		name string
		x    *Tensor
		f    func(x *Tensor) *Tensor
		want string
	}{
		{"norm at 0", FromSlice([]float64{0, 0}), func(x *Tensor) *Tensor { return x.Norm() }, "[0 0]"},
		{"determinant of 0", Zeros(Float64, 1, 1), det, "[[1]]"},
		{"determinant of rank 1", FromSlice([]float64{1, 2, 2, 4}, 2, 2), det, "[[4 -2] [-2 1]]"},
		{"determinant of rank 1 of 3", Ones(Float64, 3, 3), det, "[[0 0 0] [0 0 0] [0 0 0]]"},
		{"determinant of 0 rows", Zeros(Float64, 0, 0), det, "[]"},
	} {
		if got := grad(test.x, test.f); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

// TestLargeConvolutionsEqualTheirDefinition takes sizes that run as products of blas.
func TestLargeConvolutionsEqualTheirDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, c := range []convolution{
		{[]int{2, 8, 40}, []int{16, 8, 5}, 1, 2, 1, 1}, {[]int{16, 64}, []int{16, 4, 7}, 2, 3, 2, 4}, {[]int{3, 32, 50}, []int{64, 1, 4}, 1, 3, 1, 32},
	} {
		x, w := Randn(rng, Float64, c.x...), Randn(rng, Float64, c.w...)
		y := x.Conv1d(w, c.stride, c.padding, c.dilation, c.groups)
		if d := diffRef(refOf(y), conv1dRef(refCall{args: []ref{refOf(x), refOf(w)}, attrs: c.attrs()}), 1e-13); d != "" {
			t.Errorf("%v: %.200s", c, d)
		}
		dy := Randn(rng, Float64, y.Shape()...)
		input := c.attrs("length", c.x[len(c.x)-1])
		if d := diffRef(refOf(apply(idConv1dInput, input, w, dy)), conv1dInputRef(refCall{args: []ref{refOf(w), refOf(dy)}, attrs: input}), 1e-13); d != "" {
			t.Errorf("gradient of the signal, %v: %.200s", c, d)
		}
		weight := c.attrs("taps", c.w[2])
		if d := diffRef(refOf(apply(idConv1dWeight, weight, x, dy)), conv1dWeightRef(refCall{args: []ref{refOf(x), refOf(dy)}, attrs: weight}), 1e-13); d != "" {
			t.Errorf("gradient of the filters, %v: %.200s", c, d)
		}
	}
}

// TestAKalmanFilterRunsInAScan traces solving and factoring in a body and agrees with the same steps run one by one.
func TestAKalmanFilterRunsInAScan(t *testing.T) {
	type state struct{ Mean, Cov *Tensor }
	rng := rand.New(rand.NewPCG(7, 8))
	f := FromSlice([]float64{1, 0.1, 0, 1}, 2, 2)
	h := FromSlice([]float64{1, 0}, 1, 2)
	noise := FromSlice([]float64{0.2}, 1, 1)
	step := func(s state, z *Tensor) (state, *Tensor) {
		mean, cov := f.MatMul(s.Mean), f.MatMul(s.Cov).MatMul(f.T()).Add(Eye(Float64, 2).MulScalar(0.01))
		innovation := z.Sub(h.MatMul(mean))
		in := h.MatMul(cov).MatMul(h.T()).Add(noise)
		gain := in.Solve(h.MatMul(cov)).T()
		next := state{mean.Add(gain.MatMul(innovation)), cov.Sub(gain.MatMul(h).MatMul(cov))}
		likelihood := in.LogDet().Add(innovation.Dot(in.Inverse().MatMul(innovation)))
		return next, likelihood.Add(next.Cov.Cholesky().Diagonal(0, 0, 1).Log().Sum())
	}
	zs := Randn(rng, Float64, 20, 1)
	init := state{Zeros(Float64, 2), Eye(Float64, 2)}
	last, ys := Scan(step, init, zs)
	s, sum := init, 0.0
	for i := range 20 {
		var y *Tensor
		s, y = step(s, zs.Select(0, i))
		sum += Item[float64](y)
	}
	if d := diffRef(refOf(last.Cov), refOf(s.Cov), 1e-14); d != "" {
		t.Error(d)
	}
	if got := Item[float64](ys.Sum()); !(math.Abs(got-sum) <= 1e-12*math.Abs(sum)) {
		t.Errorf("log likelihood %v, step by step %v", got, sum)
	}
}
