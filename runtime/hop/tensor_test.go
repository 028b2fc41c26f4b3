package hop_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

func TestQ1VersionCountsWrites(t *testing.T) {
	x := hop.FromSlice([]float64{1, 2, 3, 4}, 2, 2)
	want := uint64(0)
	check := func(what string) {
		t.Helper()
		if got := x.Version(); got != want {
			t.Errorf("after %s: version %d, want %d", what, got, want)
		}
	}
	check("creation")
	for _, w := range []struct {
		name  string
		write func()
	}{
		{"AddInPlace", func() { x.AddInPlace(x) }},
		{"NegInPlace", func() { x.NegInPlace() }},
		{"AddScalarInPlace", func() { x.AddScalarInPlace(0) }}, // equal bytes are a write too
		{"CopyFrom", func() { x.CopyFrom(hop.Scalar(1.0)) }},
		{"Fill", func() { x.Fill(2) }},
		{"Zero", func() { x.Zero() }},
		{"Set", func() { x.Set(1, 0, -1) }},
		{"Data", func() { hop.Data[float64](x) }},
	} {
		w.write()
		want++
		check(w.name)
	}
	x.Add(x)
	_, _, _ = hop.ToSlice[float64](x), x.String(), x.T().Clone().NegInPlace()
	for range hop.Values[float64](x) {
	}
	check("reads")
	if c := x.Clone(); c.Version() != 0 || c.SharesStorage(x) {
		t.Errorf("Clone has version %d, shares %t; want its own counter", c.Version(), c.SharesStorage(x))
	}
	d := x.Detach()
	d.Zero()
	want++
	check("a write through Detach")
	if d.Version() != want {
		t.Errorf("Detach has version %d, want the shared %d", d.Version(), want)
	}
}

func TestQ2WritesAreSeenThroughEveryView(t *testing.T) {
	x := hop.Arange(hop.Float64, 6).View(2, 3)
	v := x.T().Narrow(0, 1, 2)
	v.AddScalarInPlace(10)
	if x.Version() != 1 || x.String() != "[[0 11 12] [3 14 15]]" {
		t.Errorf("base after a write through the view: version %d, %v", x.Version(), x)
	}
	x.Zero()
	if v.Version() != 2 || v.String() != "[[0 0] [0 0]]" {
		t.Errorf("view after a write to the base: version %d, %v", v.Version(), v)
	}
}

func TestQ3StorageIdentitySeesThroughViews(t *testing.T) {
	x := hop.Zeros(hop.Float64, 4, 3)
	v := x.Narrow(0, 1, 3).Slice(0, 0, 2, 1).T()
	if !v.SharesStorage(x) || !x.SharesStorage(v) {
		t.Error("a view of a view shares no storage with the base")
	}
	if v.Clone().SharesStorage(x) {
		t.Error("a clone shares storage")
	}
	if !x.Narrow(0, 0, 1).SharesStorage(x.Narrow(0, 3, 1)) {
		t.Error("disjoint parts of one storage share it")
	}
	if x.Narrow(0, 0, 0).SharesStorage(x) {
		t.Error("a tensor without elements shares storage")
	}
}

func TestQ4StaleSavedTensorNamesBothVersionsAndPositions(t *testing.T) {
	w := hop.FromSlice([]float64{1, 2}).SetRequiresGrad(true)
	x := hop.FromSlice([]float64{3, 4})
	y := w.Mul(x).Sum()
	x.AddScalarInPlace(1)
	x.NegInPlace().Zero()
	err := hop.Try(func() { y.Backward() })
	if !errors.Is(err, hopcheck.StaleSavedTensor) {
		t.Fatalf("got %v, want HOP601", err)
	}
	for _, part := range []string{"version 0 when saved, 3 now", "operand 1", "Mul", "through Zero at tensor_test.go:"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("got %q, want a part %q", err, part)
		}
	}
	if strings.Count(err.Error(), "tensor_test.go:") < 3 {
		t.Errorf("got %q, want the positions of the op and of the write", err)
	}
	z := w.Add(x).Sum() // its derivative reads neither operand
	x.AddScalarInPlace(1)
	if err := hop.Try(func() { z.Backward() }); err != nil {
		t.Error(err)
	}
}

func TestQ5WritesThroughExpandedViewsAreRefused(t *testing.T) {
	for name, view := range map[string]func(x T) T{
		"expanded":             func(x T) T { return x.View(2, 1).Expand(2, 3) },
		"transposed":           func(x T) T { return x.Expand(3, 2).T() },
		"narrowed":             func(x T) T { return x.Expand(3, 2).Narrow(0, 1, 2) },
		"of a scalar":          func(x T) T { return x.Select(0, 0).Expand(4) },
		"selected to two dims": func(x T) T { return x.View(1, 2, 1).Expand(2, 2, 3).Select(1, 0) },
	} {
		x := hop.FromSlice([]float64{1, 2})
		v := view(x)
		for op, write := range map[string]func(){
			"AddScalarInPlace": func() { v.AddScalarInPlace(1) }, "Zero": func() { v.Zero() }, "CopyFrom": func() { v.CopyFrom(hop.Scalar(3.0)) },
			"MulInPlace": func() { v.MulInPlace(v) },
		} {
			refusedWith(t, write, op, "expanded view", "Clone")
		}
		if x.String() != "[1 2]" || x.Version() != 0 {
			t.Errorf("%s: base is %v with version %d after the refusals", name, x, x.Version())
		}
		one := view(x).Clone()
		one.Zero() // a copy owns its elements
	}
	inModes(t, "Q5", func(t *testing.T, o ...hop.Option) {
		refusedWith(t, func() {
			hop.Map(func(x T) T { return x.Neg().Unsqueeze(0).Expand(3).AddScalarInPlace(1).Sum() }, hop.FromSlice([]float64{1, 2}), o...)
		}, "AddScalarInPlace", "expanded view")
	})
}

func TestCreation(t *testing.T) {
	backing := []float64{1, 2, 3, 4}
	shared := hop.Wrap(backing, 2, 2)
	for _, test := range []struct {
		name string
		got  *hop.Tensor
		want string
	}{
		{"FromSlice", hop.FromSlice([]int32{1, 2, 3}), "int32[3] [1 2 3]"},
		{"FromSlice of one", hop.FromSlice([]bool{true}), "bool[1] [true]"},
		{"FromSlice of none", hop.FromSlice([]float32(nil)), "float32[0] []"},
		{"FromSlice with dims", hop.FromSlice([]int64{1, 2, 3, 4, 5, 6}, 3, 2), "int64[3 2] [[1 2] [3 4] [5 6]]"},
		{"Scalar", hop.Scalar(true), "bool[] true"},
		{"Zeros", hop.Zeros(hop.Bool, 2), "bool[2] [false false]"},
		{"Zeros without elements", hop.Zeros(hop.Int32, 2, 0), "int32[2 0] [[] []]"},
		{"Ones", hop.Ones(hop.Float32, 2), "float32[2] [1 1]"},
		{"Full", hop.Full(hop.Int64, -7, 2, 1), "int64[2 1] [[-7] [-7]]"},
		{"Arange", hop.Arange(hop.Int32, 4), "int32[4] [0 1 2 3]"},
		{"Eye", hop.Eye(hop.Float64, 2), "float64[2 2] [[1 0] [0 1]]"},
		{"Eye of 0", hop.Eye(hop.Float64, 0), "float64[0 0] []"},
		{"Linspace", hop.Linspace(hop.Float64, 0, 1, 5), "float64[5] [0 0.25 0.5 0.75 1]"},
		{"Linspace of one", hop.Linspace(hop.Float32, 3, 9, 1), "float32[1] [3]"},
		{"FromMatrix", hop.FromMatrix(mat.NewDense(1, 2, []float64{5, 6})), "float64[1 2] [[5 6]]"},
		{"FromMatrix of a transposed", hop.FromMatrix(mat.NewDense(1, 2, []float64{5, 6}).T()), "float64[2 1] [[5] [6]]"},
		{"Wrap", shared, "float64[2 2] [[1 2] [3 4]]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := fmt.Sprintf("%s%v %v", test.got.DType(), test.got.Shape(), test.got)
			if text != test.want {
				t.Errorf("got %s, want %s", text, test.want)
			}
			if test.got.Version() != 0 {
				t.Errorf("version %d, want 0", test.got.Version())
			}
		})
	}
	backing[0] = 9
	if got := hop.ItemAt[float64](shared, 0, 0); got != 9 || shared.Version() != 0 {
		t.Errorf("Wrap: got %v at version %d after a write to the slice, want 9 at version 0", got, shared.Version())
	}
	shared.Set(8, 1, 1)
	if backing[3] != 8 {
		t.Errorf("Wrap: a write to the tensor did not reach the slice: %v", backing)
	}
}

func TestWrapDenseSharesAStridedMatrix(t *testing.T) {
	m := mat.NewDense(3, 4, nil).Slice(1, 3, 1, 3).(*mat.Dense)
	x := hop.WrapDense(m)
	x.CopyFrom(hop.FromSlice([]float64{1, 2, 3, 4}, 2, 2))
	if m.At(1, 0) != 3 || !slices.Equal(x.Strides(), []int{4, 1}) {
		t.Errorf("got %v with strides %v", mat.Formatted(m), x.Strides())
	}
	if back := x.T().Dense(); back.At(0, 1) != 3 {
		t.Errorf("Dense: got %v", mat.Formatted(back))
	}
}

func TestRandomTensorsFollowTheirSource(t *testing.T) {
	source := func() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }
	for _, dt := range []hop.DType{hop.Float32, hop.Float64} {
		if a, b := hop.Rand(source(), dt, 3, 3), hop.Rand(source(), dt, 3, 3); a.String() != b.String() {
			t.Errorf("Rand: one seed gives %v and %v", a, b)
		}
		u := hop.Rand(source(), dt, 4000).To(hop.Float64)
		if lo, hi := hop.Item[float64](u.Min()), hop.Item[float64](u.Max()); lo < 0 || hi >= 1 {
			t.Errorf("Rand: range [%v, %v], want [0, 1)", lo, hi)
		}
		n := hop.Randn(source(), dt, 4000).To(hop.Float64)
		// Five standard errors of the mean and variance of 4000 draws.
		if m, v := hop.Item[float64](n.Mean()), hop.Item[float64](n.Var()); math.Abs(m) > 0.08 || math.Abs(v-1) > 0.12 {
			t.Errorf("Randn: mean %v, variance %v", m, v)
		}
	}
}

func TestReading(t *testing.T) {
	x := hop.Arange(hop.Int64, 6).View(2, 3).T()
	if got := hop.ToSlice[int64](x); !slices.Equal(got, []int64{0, 3, 1, 4, 2, 5}) {
		t.Errorf("ToSlice: got %v", got)
	}
	if got := slices.Collect(hop.Values[int64](x.Narrow(0, 1, 2))); !slices.Equal(got, []int64{1, 4, 2, 5}) {
		t.Errorf("Values: got %v", got)
	}
	for v := range hop.Values[int64](x) {
		if v == 3 {
			break // an iteration may stop early
		}
	}
	if got := hop.ItemAt[int64](x, -1, 0); got != 2 {
		t.Errorf("ItemAt: got %d, want 2", got)
	}
	if got := hop.Item[int64](x.Select(0, 1).Narrow(0, 1, 1)); got != 4 {
		t.Errorf("Item: got %d, want 4", got)
	}
	y := hop.Zeros(hop.Float32, 2, 2)
	hop.Data[float32](y.Select(0, 1))[0] = 5
	if got := y.String(); got != "[[0 0] [5 0]]" {
		t.Errorf("Data: got %s", got)
	}
	if got := slices.Collect(hop.Values[bool](hop.Zeros(hop.Bool, 3, 0))); len(got) != 0 {
		t.Errorf("Values of nothing: got %v", got)
	}
	if got := slices.Collect(hop.Values[bool](hop.Scalar(true))); len(got) != 1 || !got[0] {
		t.Errorf("Values of a scalar: got %v", got)
	}
}

func TestSplitAndChunkCoverTheDim(t *testing.T) {
	x := hop.Arange(hop.Int32, 7)
	text := func(parts []*hop.Tensor) string {
		var words []string
		for _, p := range parts {
			words = append(words, p.String())
			if p.NumElems() > 0 && !p.SharesStorage(x) {
				t.Errorf("part %v is no view", p)
			}
		}
		return strings.Join(words, " ")
	}
	for _, test := range []struct {
		name  string
		parts []*hop.Tensor
		want  string
	}{
		{"Split", x.Split(0, 3), "[0 1 2] [3 4 5] [6]"},
		{"Split whole", x.Split(-1, 9), "[0 1 2 3 4 5 6]"},
		{"Split of nothing", x.Narrow(0, 0, 0).Split(0, 2), "[]"},
		{"Chunk", x.Chunk(0, 3), "[0 1 2] [3 4] [5 6]"},
		{"Chunk into more than there are", x.Narrow(0, 0, 2).Chunk(0, 3), "[0] [1] []"},
	} {
		if got := text(test.parts); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

func TestSpecialNumbersFollowNumPy(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	f := func(xs ...float64) *hop.Tensor { return hop.FromSlice(xs) }
	i := func(xs ...int64) *hop.Tensor { return hop.FromSlice(xs) }
	for _, test := range []struct {
		name string
		got  *hop.Tensor
		want string
	}{
		{"integer Div floors", i(7, -7, 7, -7).Div(i(2, 2, -2, -2)), "[3 -4 -4 3]"},
		{"Mod takes the divisor's sign", i(7, -7, 7, -7).Mod(i(3, 3, -3, -3)), "[1 2 -2 -1]"},
		{"float Mod too", f(5.5, -5.5).ModScalar(2), "[1.5 0.5]"},
		{"integers are exact beyond float64", i(1<<62, 1<<53).AddScalar(1), "[4611686018427387905 9007199254740993]"},
		{"Round half to even", f(0.5, 1.5, 2.5, -0.5).Round(), "[0 2 2 -0]"},
		{"NaN wins Max", f(1, nan, 2).Max(), "NaN"},
		{"NaN wins Maximum", f(nan, 1).Maximum(f(1, nan)), "[NaN NaN]"},
		{"first NaN for ArgMax", f(1, nan, 2, nan).ArgMax(0), "1"},
		{"first of equals for ArgMax", f(1, 3, 3).ArgMax(0), "1"},
		{"NaN equals nothing", f(nan).Eq(f(nan)), "[false]"},
		{"log of 0", f(0, -1).Log(), "[-Inf NaN]"},
		{"division by 0", f(1, 0).DivScalar(0), "[+Inf NaN]"},
		{"sum of int32 in int64", hop.FromSlice([]int32{math.MaxInt32, 1}).Sum(), "2147483648"},
		{"count of bools", hop.FromSlice([]bool{true, false, true}).Sum(), "2"},
		{"mean of integers", i(1, 2).Mean(), "1.5"},
		{"mean of nothing", f().Mean(), "NaN"},
		{"LogSumExp does not overflow", f(1e4, 1e4).LogSumExp().SubScalar(math.Log(2)), "10000"},
		{"Sigmoid does not overflow", f(-1e4, 1e4).Sigmoid(), "[0 1]"},
		{"Softplus does not overflow", f(-1e4, 1e4).Softplus(), "[0 10000]"},
		{"float to integer", f(2.9, -2.9, nan, inf).To(hop.Int32), "[2 -2 0 2147483647]"},
		{"float to bool", f(0, nan, 0.5).To(hop.Bool), "[false true true]"},
		{"Any and All of nothing", hop.Stack(0, f().Any(), f().All()), "[false true]"},
		{"Flip of all dims", hop.Arange(hop.Int32, 4).View(2, 2).Flip(), "[[3 2] [1 0]]"},
	} {
		if got := test.got.String(); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

type state struct {
	H     *hop.Tensor
	Parts []*hop.Tensor
	ByKey map[string]*hop.Tensor
	Rate  float64 `hop:"static"`
}

func TestTreeFunctions(t *testing.T) {
	s := state{hop.Scalar(1.0), []*hop.Tensor{hop.Scalar(2.0), nil}, map[string]*hop.Tensor{"b": hop.Scalar(4.0), "a": hop.Scalar(3.0)}, 0.5}
	var text []string
	for path, leaf := range hop.Leaves(s) {
		text = append(text, path+"="+leaf.String())
	}
	if got, want := strings.Join(text, " "), `.H=1 .Parts[0]=2 .ByKey["a"]=3 .ByKey["b"]=4`; got != want {
		t.Errorf("Leaves: got %s, want %s", got, want)
	}
	c := hop.Clone(s)
	c.H.AddScalarInPlace(1)
	c.Parts[0].Zero()
	c.ByKey["a"].Zero()
	if s.H.String() != "1" || s.Parts[0].String() != "2" || s.ByKey["a"].String() != "3" || c.Parts[1] != nil || c.Rate != 0.5 {
		t.Errorf("Clone is no copy: %+v", c)
	}
	sum := hop.MapLeaves(func(l ...*hop.Tensor) *hop.Tensor { return l[0].Add(l[1]).Add(l[2]) }, s, s, s)
	if got := sum.ByKey["b"].String(); got != "12" {
		t.Errorf("MapLeaves: got %s, want 12", got)
	}
	if z := hop.ZerosLike(s); z.ByKey["b"].String() != "0" || z.Parts[1] != nil {
		t.Errorf("ZerosLike: got %+v", z)
	}
	other := state{H: nil, Parts: s.Parts[:1], ByKey: map[string]*hop.Tensor{"a": s.H}, Rate: 0.25}
	err := hop.Try(func() { hop.MapLeaves(func(l ...*hop.Tensor) *hop.Tensor { return l[0] }, s, other) })
	for _, part := range []string{"1.H is nil, the first a tensor", "1.Parts is a slice of length 1", `1.ByKey["b"] is missing`, "1.Rate is 0.25, the first 0.5"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("MapLeaves: got %v, want a part %q", err, part)
		}
	}
	err = hop.Try(func() { hop.Clone(struct{ C chan int }{}) })
	if !errors.Is(err, hopcheck.UnsupportedLeaf) || err.(*hop.Error).Path != ".C" {
		t.Errorf("got %v, want HOP202 at .C", err)
	}
}
