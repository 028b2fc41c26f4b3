package hop_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/hoplint/hoplint/runtime/hop"
)

func b(v ...bool) T { return hop.FromSlice(v) }

// pair prints two results.
func pair(values, indices T) string { return fmt.Sprint(values, indices) }

// TestIndexingFollowsNumPy has values that NumPy 2 gives for the same expressions, written beside them.
func TestIndexingFollowsNumPy(t *testing.T) {
	x := hop.Arange(hop.Float64, 6).View(2, 3) // [[0 1 2] [3 4 5]]
	nan, inf := math.NaN(), math.Inf(1)
	for _, test := range []struct {
		numpy string
		got   any
		want  string
	}{
		{"roll(x, 1, 1)", x.Roll(1, 1), "[[2 0 1] [5 3 4]]"},
		{"roll(x, -1, 0)", x.Roll(0, -1), "[[3 4 5] [0 1 2]]"},
		{"repeat(x, 2, 1)", x.Repeat(1, 2), "[[0 0 1 1 2 2] [3 3 4 4 5 5]]"},
		{"pad(x, [(0, 0), (1, 2)], constant_values=7)", x.Pad(1, 1, 2, 7), "[[7 0 1 2 7 7] [7 3 4 5 7 7]]"},
		{"tril(x)", x.Tril(0), "[[0 0 0] [3 4 0]]"},
		{"tril(x, -1)", x.Tril(-1), "[[0 0 0] [3 0 0]]"},
		{"triu(x, 1)", x.Triu(1), "[[0 1 2] [0 0 5]]"},
		{"take_along_axis(x, [[2], [-1]], 1)", x.Gather(1, i64(2, -1).View(2, 1)), "[[2] [5]]"},
		{"take_along_axis(x, [[1, 0, 1]], 0)", x.Gather(0, i64(1, 0, 1).View(1, 3)), "[[3 1 5]]"},
		{"take_along_axis(x, [[0, 0]], 1): the index broadcasts", x.Gather(1, i64(0, 0).View(1, 2)), "[[0 0] [3 3]]"},
		{"take(x, [2, 0], 1)", x.IndexSelect(1, i64(2, 0)), "[[2 0] [5 3]]"},
		{"take(x, [[0, -1]])", x.Take(i64(0, -1).View(1, 2)), "[[0 5]]"},
		{"take(x.T, [1])", x.T().Take(i64(1)), "[3]"},
		{"take(x, -1, 1)", x.At(1, hop.Scalar[int64](-1)), "[2 5]"},
		{"y = x.copy(); y[:, 1] = 9", x.Put(1, hop.Scalar[int32](1), s64(9)), "[[0 9 2] [3 9 5]]"},
		{"y = x.copy(); put_along_axis(y, [[0], [2]], 8, 1)", x.Scatter(1, i64(0, 2).View(2, 1), s64(8)), "[[8 1 2] [3 4 8]]"},
		{"y = [0, 0]; put_along_axis(y, [1, 1], [5, 6], 0)", hop.Zeros(hop.Float64, 2).Scatter(0, i64(1, 1), f64(5, 6)), "[0 6]"},
		{"y = [0, 0]; add.at(y, [1, 1], [5, 6])", hop.Zeros(hop.Float64, 2).ScatterAdd(0, i64(1, 1), f64(5, 6)), "[0 11]"},
		{"eye(3)[[2, -3]]", i64(2, -3).OneHot(hop.Float64, 3), "[[0 0 1] [1 0 0]]"},
		{"sort([2, nan, -inf, 1])", pair(f64(2, nan, -inf, 1).Sort(0)), "[-Inf 1 2 NaN] [2 3 0 1]"},
		{"argsort([1, 0, 1, 0], stable)", i64(1, 0, 1, 0).ArgSort(0), "[1 3 0 2]"},
		{"sort([True, False])", pair(b(true, false).Sort(-1)), "[false true] [1 0]"},
		{"argsort([0.0, -0.0, 0.0], stable)", f64(0, math.Copysign(0, -1), 0).ArgSort(0), "[0 1 2]"},
		{"head of a descending stable sort", pair(i64(3, 1, 3, 2).TopK(0, 3)), "[3 3 2] [0 2 3]"},
		{"NaN is largest", pair(f64(1, nan, inf).TopK(0, 2)), "[NaN +Inf] [1 2]"},
		{"x.max(1), x.argmax(1)", pair(x.MaxAlong(1)), "[2 5] [2 2]"},
		{"x.min(0), x.argmin(0), kept", pair(x.MinAlongKeepDims(0)), "[[0 1 2]] [[0 0 0]]"},
		{"max([1, nan, 2, nan])", pair(f64(1, nan, 2, nan).MaxAlong(0)), "NaN 1"},
		{"maximum.accumulate([1, 3, 2, nan, 5])", f64(1, 3, 2, nan, 5).CumMax(0), "[1 3 3 NaN NaN]"},
		{"searchsorted([1, 2, 2, 3], [0, 2, 9])", i64(1, 2, 2, 3).SearchSorted(i64(0, 2, 9), false), "[0 1 4]"},
		{"searchsorted([1, 2, 2, 3], [0, 2, 9], 'right')", i64(1, 2, 2, 3).SearchSorted(i64(0, 2, 9), true), "[0 3 4]"},
		{"searchsorted([1, nan, nan], [nan, inf])", f64(1, nan, nan).SearchSorted(f64(nan, inf), false), "[1 1]"},
		{"argwhere(x > 2)", x.GtScalar(2).Nonzero(), "[[1 0] [1 1] [1 2]]"},
		{"argwhere([nan, 0])", f64(nan, 0).Nonzero(), "[[0]]"},
		{"argwhere(5).shape", s64(5).Nonzero().Shape(), "[1 0]"},
		{"argwhere(0).shape", s64(0).Nonzero().Shape(), "[0 0]"},
	} {
		if got := fmt.Sprint(test.got); got != test.want {
			t.Errorf("%s: got %s, want %s", test.numpy, got, test.want)
		}
	}
}

func TestMisuseOfIndices(t *testing.T) {
	x := hop.Zeros(hop.Float64, 2, 3)
	key := hop.NewKey(1)
	for _, test := range []struct {
		name string
		f    func()
		want []string
	}{
		{"float index", func() { x.Gather(0, x) }, []string{"Gather: ", "float64[2 3]", "To(Int64)"}},
		{"rank of an index", func() { x.Gather(0, i64(1)) }, []string{"Gather: ", "int64[1]", "float64[2 3]", "Unsqueeze"}},
		{"size of an index", func() { x.Gather(0, hop.Zeros(hop.Int64, 1, 2)) }, []string{"sizes 2 and 3", "dim 1"}},
		{"matrix of slices", func() { x.IndexSelect(0, hop.Zeros(hop.Int64, 1, 1)) }, []string{"IndexSelect: ", "int64[1 1]", "At", "Gather"}},
		{"vector for At", func() { x.At(0, i64(1)) }, []string{"At: ", "int64[1]", "IndexSelect"}},
		{"out of range", func() { x.At(1, hop.Scalar[int64](3)) }, []string{"At: ", "index 3", "dim 1 of float64[2 3]", "size 3", "-3 to 2"}},
		{"out of range with position", func() { x.Take(i64(0, 6)) }, []string{"Take: ", "index 6 at [1]", "size 6", "-6 to 5"}},
		{"written out of range", func() { x.Clone().ScatterInPlace(1, i64(0, -4).View(2, 1), s64(1)) }, []string{"ScatterInPlace: ", "index -4 at [1 0]"}},
		{"value of Put", func() { x.Put(0, hop.Scalar[int64](0), f64(1, 2)) }, []string{"Put: ", "float64[2]", "float64[3]", "float64[2 3]"}},
		{"dtype of Put", func() { x.Put(0, hop.Scalar[int64](0), hop.Scalar[int64](0)) }, []string{"Put: ", "float64", "int64", "To"}},
		{"src of Scatter", func() { x.Scatter(0, i64(0).View(1, 1), f64(1, 2)) }, []string{"Scatter: ", "float64[2]", "[1 3]"}},
		{"index wider than the tensor", func() { hop.Zeros(hop.Float64, 2, 1).Scatter(0, hop.Zeros(hop.Int64, 1, 3), s64(1)) }, []string{"Scatter: ", "int64[1 3]", "Expand"}},
		{"adding bools", func() { b(true).ScatterAdd(0, i64(0), b(true)) }, []string{"ScatterAdd: ", "bool"}},
		{"negative repeats", func() { x.Repeat(0, -1) }, []string{"Repeat: ", "-1"}},
		{"huge repeats", func() { x.Repeat(0, math.MaxInt) }, []string{"Repeat: ", "memory"}},
		{"large result", func() { x.Repeat(0, 1<<50) }, []string{"Repeat: ", "large"}},
		{"negative padding", func() { x.Pad(0, -1, 0, 0) }, []string{"Pad: ", "-1", "Narrow"}},
		{"huge padding", func() { x.Pad(0, math.MaxInt, math.MaxInt, 0) }, []string{"Pad: ", "memory"}},
		{"padding that does not fit", func() { i64(1).Pad(0, 1, 0, 0.5) }, []string{"Pad: ", "0.5", "int64"}},
		{"triangle of a vector", func() { f64(1).Tril(0) }, []string{"Tril: ", "float64[1]", "matrix"}},
		{"too many best", func() { x.TopK(0, 3) }, []string{"TopK: ", "k is 3", "0 to 2"}},
		{"extremum of nothing", func() { hop.Zeros(hop.Float64, 0).MaxAlong(0) }, []string{"MaxAlong: ", "no elements"}},
		{"search in a matrix", func() { x.SearchSorted(x, false) }, []string{"SearchSorted: ", "float64[2 3]", "one dim"}},
		{"search of another dtype", func() { f64(1).SearchSorted(i64(1), false) }, []string{"SearchSorted: ", "To(Float64)"}},
		{"classes", func() { i64(1).OneHot(hop.Float64, -1) }, []string{"OneHot: ", "-1"}},
		{"class out of range", func() { i64(0, 3).OneHot(hop.Float64, 3) }, []string{"OneHot: ", "index 3 at [1]", "3 classes"}},
		{"no key", func() { hop.Uniform(i64(1, 2), hop.Float64) }, []string{"Uniform: ", "int64"}},
		{"many keys", func() { hop.Normal(hop.Keys(key, 3), hop.Float64) }, []string{"Normal: ", "int32[3 2]", "VMap"}},
		{"uniform integers", func() { hop.Uniform(key, hop.Int64, 3) }, []string{"Uniform: ", "int64", "RandInt"}},
		{"no dtype", func() { hop.Uniform(key, hop.DType(77)) }, []string{"Uniform: ", "77"}},
		{"negative size", func() { hop.Normal(key, hop.Float64, 2, -1) }, []string{"Normal: ", "size -1 of dim 1"}},
		{"overflowing shape", func() { hop.Uniform(key, hop.Float64, 1<<40, 1<<40) }, []string{"Uniform: ", "memory"}},
		{"empty range", func() { hop.RandInt(key, 3, 3) }, []string{"RandInt: ", "3", "lo < hi"}},
		{"negative split", func() { hop.SplitKey(key, -1) }, []string{"SplitKey: ", "-1"}},
		{"negative keys", func() { hop.Keys(key, -1) }, []string{"Keys: ", "-1"}},
		{"vector folded in", func() { hop.FoldIn(key, i64(1)) }, []string{"FoldIn: ", "int64[1]"}},
		{"negative permutation", func() { hop.Permutation(key, -1) }, []string{"Permutation: ", "-1"}},
		{"no classes", func() { hop.Categorical(key, hop.Zeros(hop.Float64, 2, 0)) }, []string{"Categorical: ", "no classes"}},
		{"scalar logits", func() { hop.Categorical(key, s64(0)) }, []string{"Categorical: ", "last dim"}},
		{"integer probability", func() { hop.Bernoulli(key, i64(1)) }, []string{"Bernoulli: ", "int64", "To"}},
	} {
		t.Run(test.name, func(t *testing.T) { refusedWith(t, test.f, test.want...) })
	}
}

// TestABadIndexInAScanNamesItsStep has the index go out of range in the third step.
func TestABadIndexInAScanNamesItsStep(t *testing.T) {
	table := f64(10, 20, 30)
	inModes(t, "scan", func(t *testing.T, opts ...hop.Option) {
		e := refusedWith(t, func() {
			hop.Scan(func(c, i T) (T, T) { return c.AddScalar(1), table.At(0, i) }, s64(0), i64(0, -3, 3, 1), opts...)
		}, "At", "index 3", "dim 0 of float64[3]", "-3 to 2", "ops_index_test.go")
		if e.Step != 2 {
			t.Errorf("got step %d, want 2: %v", e.Step, e)
		}
	})
}

func TestNonzeroInABody(t *testing.T) {
	count := func(c, x T) (T, T) { return c.AddScalar(1), hop.Scalar(float64(x.Nonzero().Dim(0))) }
	xs := f64(0, 1, 2, 0, 0, 3).View(2, 3)
	refusedWith(t, func() { hop.Scan(count, s64(0), xs) }, "HOP501", "reads the value of u0", "depends on data")
	_, ys := hop.Scan(count, s64(0), xs, hop.Stepwise())
	check(t, "ys", ys, []int{2}, 2, 1)
}

// TestALoopThroughATable writes and reads one buffer by a counted index, as a dynamic program does.
func TestALoopThroughATable(t *testing.T) {
	inModes(t, "fibonacci", func(t *testing.T, opts ...hop.Option) {
		step := func(buf, i T) (T, hop.None) {
			next := buf.At(0, i.SubScalar(1)).Add(buf.At(0, i.SubScalar(2)))
			return buf.Put(0, i, next), hop.None{}
		}
		buf, _ := hop.Scan(step, f64(1, 1, 0, 0, 0, 0, 0, 0), i64(2, 3, 4, 5, 6, 7), opts...)
		check(t, "buf", buf, []int{8}, 1, 1, 2, 3, 5, 8, 13, 21)
	})
	inModes(t, "sorted steps", func(t *testing.T, opts ...hop.Option) {
		step := func(c, x T) (T, T) {
			values, indices := x.Sort(0)
			_, best := x.MaxAlong(0)
			return c.Add(indices.Mul(i64(1, 10, 100))), values.Add(best.To(hop.Float64))
		}
		c, ys := hop.Scan(step, hop.Zeros(hop.Int64, 3), f64(3, 1, 2, 0, 9, 8).View(2, 3), opts...)
		check(t, "carry", c, []int{3}, 1, 40, 100)
		check(t, "ys", ys, []int{2, 3}, 1, 2, 3, 1, 9, 10)
	})
	inModes(t, "one result unused", func(t *testing.T, opts ...hop.Option) {
		step := func(c, x T) (T, T) { _, indices := x.TopK(0, 2); return c.AddScalar(1), indices }
		_, ys := hop.Scan(step, s64(0), f64(3, 1, 2, 0, 9, 8).View(2, 3), opts...)
		check(t, "ys", ys, []int{2, 2}, 0, 2, 1, 2)
	})
}

// TestGradientsThroughIndices are gradients where an element is read or written more than once.
func TestGradientsThroughIndices(t *testing.T) {
	grad := func(x T, f func(x T) T) string {
		x = x.Clone().SetRequiresGrad(true)
		f(x).Sum().Backward()
		return fmt.Sprint(x.Grad())
	}
	x, weight := f64(1, 2, 3), f64(1, 10, 100, 1000)
	index := i64(2, 0, 2, -1)
	for _, test := range []struct {
		name string
		got  string
		want string
	}{
		{"gather adds up", grad(x, func(x T) T { return x.Gather(0, index).Mul(weight) }), "[10 0 1101]"},
		{"select adds up", grad(x, func(x T) T { return x.IndexSelect(0, index).Mul(weight) }), "[10 0 1101]"},
		{"take adds up", grad(x.View(3, 1), func(x T) T { return x.Take(index).Mul(weight) }), "[[10] [0] [1101]]"},
		{"scatter: what is overwritten has none", grad(x, func(x T) T { return x.Scatter(0, index, weight).Mul(f64(5, 6, 7)) }), "[0 6 0]"},
		{"scatter: only the last write counts", grad(weight, func(w T) T { return x.Scatter(0, index, w).Mul(f64(5, 6, 7)) }), "[0 5 0 7]"},
		{"scatter_add: all count", grad(weight, func(w T) T { return x.ScatterAdd(0, index, w).Mul(f64(5, 6, 7)) }), "[7 5 7 7]"},
		{"scatter of a broadcast src", grad(s64(4), func(v T) T { return x.Scatter(0, index, v).Mul(f64(5, 6, 7)) }), "12"},
		{"put", grad(x, func(x T) T { return x.Put(0, hop.Scalar[int64](1), s64(0)).Mul(f64(5, 6, 7)) }), "[5 0 7]"},
		{"the first of equal maxima", grad(f64(3, 3, 1), func(x T) T { v, _ := x.MaxAlong(0); return v }), "[1 0 0]"},
		{"running maximum of equal ones", grad(f64(3, 3, 1), func(x T) T { return x.CumMax(0) }), "[3 0 0]"},
		{"sort with the gradient of its indices", grad(f64(3, 1, 2), func(x T) T { v, _ := x.Sort(0); return v.Mul(f64(1, 10, 100)) }), "[100 1 10]"},
		{"top 1 of 3", grad(f64(3, 1, 7), func(x T) T { v, _ := x.TopK(0, 1); return v.Mul(v) }), "[0 0 14]"},
	} {
		if test.got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, test.got, test.want)
		}
	}
	for name, y := range map[string]T{"ArgSort": x.Clone().SetRequiresGrad(true).ArgSort(0), "OneHot": index.OneHot(hop.Float64, 3)} {
		if y.RequiresGrad() {
			t.Errorf("%s requires grad", name)
		}
	}
	values, indices := x.Clone().SetRequiresGrad(true).Sort(0)
	if !values.RequiresGrad() || indices.RequiresGrad() {
		t.Errorf("values require grad: %t, indices: %t; want true and false", values.RequiresGrad(), indices.RequiresGrad())
	}
}
