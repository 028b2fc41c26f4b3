package hop_test

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hoplint/hoplint/runtime/hop"
)

// TestX4 draws in a scan with the key in the carry: the bits are the same in both modes and for any number of workers,
// and they are those of a plain loop.
func TestX4(t *testing.T) {
	step := func(key, x T) (T, []T) {
		keys := hop.SplitKey(key, 4)
		u := hop.Uniform(keys[1], hop.Float64, 3)
		noise := hop.Normal(keys[2], hop.Float32, 2)
		return keys[0], []T{u.Add(x), noise, hop.RandInt(keys[3], -5, 5, 2), hop.Permutation(hop.FoldIn(keys[3], hop.Scalar[int64](7)), 4),
			hop.Bernoulli(keys[1], u), hop.Categorical(keys[2], u)}
	}
	xs := f64(0, 1, 2, 3)
	var want []string
	key := hop.NewKey(42)
	for i := range 4 {
		next, ys := step(key, xs.Select(0, i))
		key = next
		want = append(want, fmt.Sprint(ys))
	}
	for _, workers := range []int{1, 4} {
		old := runtime.GOMAXPROCS(workers)
		inModes(t, fmt.Sprintf("X4/%d workers", workers), func(t *testing.T, opts ...hop.Option) {
			last, ys := hop.Scan(step, hop.NewKey(42), xs, opts...)
			if last.String() != key.String() {
				t.Errorf("last key is %v, want %v", last, key)
			}
			for i := range 4 {
				var row []T
				for _, y := range ys {
					row = append(row, y.Select(0, i))
				}
				if got := fmt.Sprint(row); got != want[i] {
					t.Errorf("step %d: got %s, want %s", i, got, want[i])
				}
			}
		})
		runtime.GOMAXPROCS(old)
	}
}

// TestElementsDependOnKeyAndPlaceAlone: a longer result begins with a shorter one.
func TestElementsDependOnKeyAndPlaceAlone(t *testing.T) {
	key := hop.NewKey(7)
	for name, draw := range map[string]func(n int) T{
		"uniform": func(n int) T { return hop.Uniform(key, hop.Float64, n) }, "uniform float32": func(n int) T { return hop.Uniform(key, hop.Float32, n) },
		"normal": func(n int) T { return hop.Normal(key, hop.Float64, n) }, "normal float32": func(n int) T { return hop.Normal(key, hop.Float32, n) },
		"integers": func(n int) T { return hop.RandInt(key, 0, 1000, n) },
		"bools":    func(n int) T { return hop.Bernoulli(key, hop.Full(hop.Float64, 0.5, n)) },
		"keys":     func(n int) T { return hop.Keys(key, n) },
		"classes":  func(n int) T { return hop.Categorical(key, hop.Zeros(hop.Float64, n, 3)) },
	} {
		all := draw(100)
		for _, n := range []int{1, 2, 3, 5, 33} {
			if got, want := draw(n).String(), all.Narrow(0, 0, n).String(); got != want {
				t.Errorf("%s: %d alone are %s, of 100 they are %s", name, n, got, want)
			}
		}
	}
	if got, want := hop.Uniform(key, hop.Float64, 2, 3).Reshape(6).String(), hop.Uniform(key, hop.Float64, 6).String(); got != want {
		t.Errorf("shape [2 3] gives %s, [6] gives %s", got, want)
	}
}

func TestSplitKeysOwnTheirStorage(t *testing.T) {
	key := hop.NewKey(3)
	keys := hop.SplitKey(key, 3)
	for i, k := range keys {
		for j, other := range append([]T{key}, keys[:i]...) {
			if k.SharesStorage(other) || k.String() == other.String() {
				t.Errorf("keys %d and %d share storage or bits: %v, %v", i, j-1, k, other)
			}
		}
	}
	rows := hop.Keys(key, 3)
	for i, k := range keys {
		if got := rows.Select(0, i).String(); got != k.String() {
			t.Errorf("row %d of Keys is %s, key %d of SplitKey %v", i, got, i, k)
		}
	}
	first := hop.Uniform(keys[0], hop.Float64, 2)
	keys[1].Zero()
	if got := hop.Uniform(keys[0], hop.Float64, 2); got.String() != first.String() {
		t.Errorf("a write to key 1 changed the draws of key 0 from %v to %v", first, got)
	}
	if len(hop.SplitKey(key, 0)) != 0 {
		t.Error("no keys asked for, some given")
	}
}

// TestNoTwoKeysAreEqual is over seeds, children, grandchildren and folded step numbers.
func TestNoTwoKeysAreEqual(t *testing.T) {
	seen := map[[2]int32]string{}
	add := func(name string, k T) {
		v := [2]int32(hop.ToSlice[int32](k))
		if other, ok := seen[v]; ok {
			t.Errorf("%s and %s are the same key %v", name, other, v)
		}
		seen[v] = name
	}
	for seed := range uint64(20) {
		key := hop.NewKey(seed)
		add(fmt.Sprintf("seed %d", seed), key)
		add(fmt.Sprintf("large seed %d", seed), hop.NewKey(math.MaxUint64-seed))
		for i, child := range hop.SplitKey(key, 20) {
			add(fmt.Sprintf("child %d of %d", i, seed), child)
			add(fmt.Sprintf("%d folded into %d", i, seed), hop.FoldIn(key, hop.Scalar(int64(i))))
			add(fmt.Sprintf("child of child %d of %d", i, seed), hop.SplitKey(child, 1)[0])
		}
	}
	if a, b := hop.FoldIn(hop.NewKey(1), hop.Scalar[int32](-2)), hop.FoldIn(hop.NewKey(1), hop.Scalar[int64](-2)); a.String() != b.String() {
		t.Errorf("-2 as int32 gives %v, as int64 %v", a, b)
	}
}

// ksBound is the distance that the empirical distribution of n independent draws exceeds with a probability of at most
// 1e-6: the inequality of Dvoretzky, Kiefer and Wolfowitz with Massart's constant, P(D > d) <= 2·exp(-2·n·d²). The keys
// are fixed, so the tests either hold or do not.
func ksBound(n int) float64 { return math.Sqrt(math.Log(2/1e-6) / (2 * float64(n))) }

// distance is the largest one between the empirical distribution of xs and cdf.
func distance(xs []float64, cdf func(x float64) float64) float64 {
	xs = slices.Sorted(slices.Values(xs))
	d, n := 0.0, float64(len(xs))
	for i, x := range xs {
		p := cdf(x)
		d = max(d, math.Abs(p-float64(i)/n), math.Abs(float64(i+1)/n-p))
	}
	return d
}

func TestDistributions(t *testing.T) {
	const n = 40000
	for seed := range uint64(3) {
		key := hop.NewKey(seed)
		for _, test := range []struct {
			name           string
			xs             T
			cdf            func(x float64) float64
			mean, variance float64
			fourth         float64 // central moment, for the error of the variance
		}{
			{"uniform", hop.Uniform(key, hop.Float64, n), func(x float64) float64 { return x }, 0.5, 1.0 / 12, 1.0 / 80},
			{"uniform float32", hop.Uniform(key, hop.Float32, n), func(x float64) float64 { return x }, 0.5, 1.0 / 12, 1.0 / 80},
			{"normal", hop.Normal(key, hop.Float64, n), distuv.UnitNormal.CDF, 0, 1, 3},
			{"normal float32", hop.Normal(key, hop.Float32, n), distuv.UnitNormal.CDF, 0, 1, 3},
			// One draw from each of many keys tests how keys split.
			{"one of each child", firstOfEach(hop.SplitKey(key, n/20)), func(x float64) float64 { return x }, 0.5, 1.0 / 12, 1.0 / 80},
		} {
			xs := numbers(test.xs)
			m := float64(len(xs))
			if d := distance(xs, test.cdf); d > ksBound(len(xs)) {
				t.Errorf("seed %d, %s: distance %v from the distribution, want at most %v", seed, test.name, d, ksBound(len(xs)))
			}
			mean, variance := stat.PopMeanVariance(xs, nil)
			// Five standard errors.
			if e := 5 * math.Sqrt(test.variance/m); math.Abs(mean-test.mean) > e {
				t.Errorf("seed %d, %s: mean %v, want %v ± %v", seed, test.name, mean, test.mean, e)
			}
			if e := 5 * math.Sqrt((test.fourth-test.variance*test.variance)/m); math.Abs(variance-test.variance) > e {
				t.Errorf("seed %d, %s: variance %v, want %v ± %v", seed, test.name, variance, test.variance, e)
			}
			if r := stat.Correlation(xs[1:], xs[:len(xs)-1], nil); math.Abs(r) > 5/math.Sqrt(m) {
				t.Errorf("seed %d, %s: neighbours correlate by %v", seed, test.name, r)
			}
		}
	}
}

func firstOfEach(keys []T) T {
	var list []T
	for _, k := range keys {
		list = append(list, hop.Uniform(k, hop.Float64))
	}
	return hop.Stack(0, list...)
}

// TestCountsOfDiscreteDraws compares how often each outcome is drawn with its probability, within five standard
// deviations.
func TestCountsOfDiscreteDraws(t *testing.T) {
	const n = 30000
	key := hop.NewKey(11)
	logits := f64(0, math.Log(2), math.Log(3), math.Inf(-1)).Expand(n, 4)
	pairs := make([]float64, 0, n/10) // the order of 3 as one of 6
	for _, k := range hop.SplitKey(key, n/10) {
		p := hop.ToSlice[int64](hop.Permutation(k, 3))
		pairs = append(pairs, float64(p[0]*2)+boolNumber(p[1] > p[2]))
	}
	for _, test := range []struct {
		name string
		xs   []float64
		want []float64
	}{
		{"RandInt", numbers(hop.RandInt(key, 0, 5, n)), []float64{0.2, 0.2, 0.2, 0.2, 0.2}},
		{"Bernoulli", numbers(hop.Bernoulli(key, hop.Full(hop.Float64, 0.3, n))), []float64{0.7, 0.3}},
		{"Bernoulli float32", numbers(hop.Bernoulli(key, hop.Full(hop.Float32, 0.75, n))), []float64{0.25, 0.75}},
		{"Categorical", numbers(hop.Categorical(key, logits)), []float64{1. / 6, 2. / 6, 3. / 6, 0}},
		{"Categorical float32", numbers(hop.Categorical(key, logits.To(hop.Float32))), []float64{1. / 6, 2. / 6, 3. / 6, 0}},
		{"Permutation", pairs, []float64{1. / 6, 1. / 6, 1. / 6, 1. / 6, 1. / 6, 1. / 6}},
	} {
		counts := make([]float64, len(test.want))
		for _, x := range test.xs {
			counts[int(x)]++
		}
		for i, p := range test.want {
			m := float64(len(test.xs))
			if e := 5 * math.Sqrt(m*p*(1-p)); math.Abs(counts[i]-m*p) > e {
				t.Errorf("%s: %d drawn %v times of %v, want %v ± %v", test.name, i, counts[i], m, m*p, e)
			}
		}
	}
	for name, got := range map[string]T{
		"p = 0": hop.Bernoulli(key, hop.Zeros(hop.Float64, 1000)).Any(), "p < 0": hop.Bernoulli(key, hop.Full(hop.Float64, -1, 1000)).Any(),
		"p = 1": hop.Bernoulli(key, hop.Ones(hop.Float64, 1000)).All().Not(), "NaN": hop.Bernoulli(key, hop.Full(hop.Float64, math.NaN(), 1000)).Any(),
	} {
		if hop.Item[bool](got) {
			t.Errorf("%s: drawn against its certainty", name)
		}
	}
}

func boolNumber(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func TestRandIntReachesBothEnds(t *testing.T) {
	key := hop.NewKey(5)
	for _, r := range [][2]int64{{math.MinInt64, math.MinInt64 + 2}, {math.MaxInt64 - 2, math.MaxInt64}, {-1, 1}} {
		seen := map[int64]bool{}
		for _, v := range hop.ToSlice[int64](hop.RandInt(key, r[0], r[1], 64)) {
			seen[v] = true
		}
		if len(seen) != 2 || !seen[r[0]] || !seen[r[1]-1] {
			t.Errorf("of %v drawn %v, want both", r, seen)
		}
	}
	wide := hop.ToSlice[int64](hop.RandInt(key, math.MinInt64, math.MaxInt64, 64))
	negative := 0
	for _, v := range wide {
		if v < 0 {
			negative++
		}
	}
	if negative < 12 || negative > 52 { // five standard deviations around 32
		t.Errorf("%d of 64 wide integers are negative", negative)
	}
}

func TestPermutationsHoldEveryNumber(t *testing.T) {
	for _, n := range []int{0, 1, 2, 100} {
		p := hop.ToSlice[int64](hop.Permutation(hop.NewKey(uint64(n)), n))
		slices.Sort(p)
		for i, v := range p {
			if int(v) != i {
				t.Fatalf("the permutation of %d holds %v", n, p)
			}
		}
	}
}

// TestGradientsStopAtDraws: the numbers have no gradient, what is computed with them has.
func TestGradientsStopAtDraws(t *testing.T) {
	scale := s64(2).SetRequiresGrad(true)
	z := hop.Normal(hop.NewKey(1), hop.Float64, 5)
	if z.RequiresGrad() {
		t.Error("a draw requires grad")
	}
	scale.Mul(z).Sum().Backward()
	if got, want := scale.Grad().String(), z.Sum().String(); got != want {
		t.Errorf("gradient of the scale is %s, want the sum of the draws %s", got, want)
	}
	p := f64(0.5).SetRequiresGrad(true)
	if hop.Bernoulli(hop.NewKey(1), p).RequiresGrad() || hop.Categorical(hop.NewKey(1), p).RequiresGrad() {
		t.Error("a discrete draw requires grad")
	}
}
