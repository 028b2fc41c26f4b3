package hop_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hoplint/hoplint/runtime/hop"
)

// TestScanValues is part A of the scan cases.
func TestScanValues(t *testing.T) {
	sum := func(c, x T) (T, T) { s := c.Add(x); return s, s.Clone() }
	xs := f64(1, 2, 3, 4)

	inModes(t, "A1", func(t *testing.T, o ...hop.Option) {
		c, ys := hop.Scan(sum, s64(0), xs, o...)
		check(t, "carry", c, []int{}, 10)
		check(t, "ys", ys, []int{4}, 1, 3, 6, 10)
	})
	inModes(t, "A2", func(t *testing.T, o ...hop.Option) {
		c, ys := hop.Scan(sum, s64(0), xs, with(o, hop.Reverse())...)
		check(t, "carry", c, []int{}, 10)
		check(t, "ys", ys, []int{4}, 10, 9, 7, 4)
	})
	inModes(t, "A3", func(t *testing.T, o ...hop.Option) {
		c, ys := hop.Scan(sum, i64(0), i64(0, 1, 2, 3), o...)
		check(t, "carry", c, []int{1}, 6)
		check(t, "ys", ys, []int{4, 1}, 0, 1, 3, 6)
		if ys.DType() != hop.Int64 {
			t.Errorf("ys is %v, want int64", ys.DType())
		}
		c, ys = hop.Scan(sum, i64(0), i64(0, 1, 2, 3), with(o, hop.Reverse())...)
		check(t, "reversed carry", c, []int{1}, 6)
		check(t, "reversed ys", ys, []int{4, 1}, 6, 6, 5, 3)
	})
	inModes(t, "A4", func(t *testing.T, o ...hop.Option) {
		f := func(c, x T) (T, T) { return c.Mul(x), c.Add(x) }
		c, ys := hop.Scan(f, s64(1), xs, o...)
		check(t, "carry", c, []int{}, 24)
		check(t, "ys", ys, []int{4}, 2, 3, 5, 10)
		c, ys = hop.Scan(f, s64(1), xs, with(o, hop.Reverse())...)
		check(t, "reversed carry", c, []int{}, 24)
		check(t, "reversed ys", ys, []int{4}, 25, 14, 7, 5)
	})
	inModes(t, "A5", func(t *testing.T, o ...hop.Option) {
		f := func(c, x T) (T, T) { return c.Div(x), c.Div(x) }
		c, ys := hop.Scan(f, s64(24), xs, o...)
		check(t, "carry", c, []int{}, 1)
		check(t, "ys", ys, []int{4}, 24, 12, 4, 1)
		c, ys = hop.Scan(f, s64(24), xs, with(o, hop.Reverse())...)
		check(t, "reversed carry", c, []int{}, 1)
		check(t, "reversed ys", ys, []int{4}, 1, 1, 2, 6)
	})
	inModes(t, "A7", func(t *testing.T, o ...hop.Option) {
		c, ys := hop.Scan(sum, hop.Zeros(hop.Float64, 3), hop.Arange(hop.Float64, 12).View(3, 4), with(o, hop.Axis(1))...)
		check(t, "carry", c, []int{3}, 6, 22, 38)
		check(t, "ys", ys, []int{4, 3}, 0, 4, 8, 1, 9, 17, 3, 15, 27, 6, 22, 38)
		again, _ := hop.Scan(sum, hop.Zeros(hop.Float64, 3), hop.Arange(hop.Float64, 12).View(3, 4), with(o, hop.Axis(-1))...)
		check(t, "axis -1", again, []int{3}, 6, 22, 38)
	})
	inModes(t, "A11", func(t *testing.T, o ...hop.Option) {
		f := func(c, x T) (T, T) { return c.MatMul(x), c.MatMul(x).Sum() }
		init, x := random(1, 4, 3), random(2, 3, 3, 2)
		c, ys := hop.Scan(f, init, x, with(o, hop.Axis(2))...)
		want := init
		var sums []float64
		for i := range 2 {
			want = want.MatMul(x.Select(2, i))
			sums = append(sums, hop.Item[float64](want.Sum()))
		}
		check(t, "carry", c, []int{4, 3}, numbers(want)...)
		check(t, "ys", ys, []int{2}, sums...)
	})
	inModes(t, "A12", func(t *testing.T, o ...hop.Option) {
		f := func(c, x T) (T, T) { return c.Clone(), x.Unsqueeze(1).Mul(c.Unsqueeze(0)) }
		_, ys := hop.Scan(f, f64(1, 10), f64(1, 2, 3, 4, 5, 6).View(2, 3), o...)
		check(t, "ys", ys, []int{2, 3, 2}, 1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60)
	})
	inModes(t, "A13", func(t *testing.T, o ...hop.Option) {
		type pair struct{ A, B T }
		f := func(c, x pair) (pair, []T) {
			return pair{c.A.Add(x.A), c.B.Mul(x.B)}, []T{c.A.Clone(), c.B.Add(x.B), x.A.Neg()}
		}
		c, ys := hop.Scan(f, pair{s64(0), s64(1)}, pair{f64(1, 2, 3), f64(2, 3, 4)}, o...)
		check(t, "carry.A", c.A, []int{}, 6)
		check(t, "carry.B", c.B, []int{}, 24)
		if len(ys) != 3 {
			t.Fatalf("got %d ys, want 3", len(ys))
		}
		check(t, "ys[0]", ys[0], []int{3}, 0, 1, 3)
		check(t, "ys[1]", ys[1], []int{3}, 3, 5, 10)
		check(t, "ys[2]", ys[2], []int{3}, -1, -2, -3)
	})
	inModes(t, "A14", func(t *testing.T, o ...hop.Option) {
		type inner struct{ O T }
		type carry struct {
			M map[string]T
			J []inner
		}
		f := func(c carry, x T) (carry, map[string]T) {
			next := carry{M: map[string]T{"z": c.M["z"].Add(x), "a": c.M["a"].Mul(x)}, J: []inner{{c.J[1].O.Clone()}, {c.J[0].O.Add(x)}}}
			return next, map[string]T{"b": x.Neg(), "a": x.Clone()}
		}
		init := carry{M: map[string]T{"a": s64(1), "z": s64(0)}, J: []inner{{s64(0)}, {s64(100)}}}
		c, ys := hop.Scan(f, init, f64(1, 2, 3), o...)
		check(t, `M["a"]`, c.M["a"], []int{}, 6)
		check(t, `M["z"]`, c.M["z"], []int{}, 6)
		check(t, "J[0].O", c.J[0].O, []int{}, 102)
		check(t, "J[1].O", c.J[1].O, []int{}, 4)
		check(t, `ys["a"]`, ys["a"], []int{3}, 1, 2, 3)
		check(t, `ys["b"]`, ys["b"], []int{3}, -1, -2, -3)
	})
	inModes(t, "A15", func(t *testing.T, o ...hop.Option) {
		c, _ := hop.Scan(func(c, x T) (T, hop.None) { return c.Add(x), hop.None{} }, s64(0), xs, o...)
		check(t, "carry", c, []int{}, 10)
	})
	inModes(t, "A16", func(t *testing.T, o ...hop.Option) {
		type out struct{ Nothing, Sum T }
		_, ys := hop.Scan(func(c, x T) (T, out) { return c.Add(x), out{Sum: c.Add(x)} }, s64(0), xs, o...)
		if ys.Nothing != nil {
			t.Errorf("ys.Nothing = %v, want nil", ys.Nothing)
		}
		check(t, "ys.Sum", ys.Sum, []int{4}, 1, 3, 6, 10)
	})
	inModes(t, "A17", func(t *testing.T, o ...hop.Option) {
		c, ys := hop.Scan(func(c, x T) (T, T) { return c.Add(x), c.Add(x).To(hop.Float32) }, s64(0), xs, o...)
		if c.DType() != hop.Float64 || ys.DType() != hop.Float32 {
			t.Errorf("carry %v, ys %v; want float64, float32", c.DType(), ys.DType())
		}
		check(t, "ys", ys, []int{4}, 1, 3, 6, 10)
	})
	inModes(t, "A18", func(t *testing.T, o ...hop.Option) {
		init, x := random(3, 7, 8), random(4, 2, 5, 2)
		f := func(c, x T) (T, T) { return c.AddScalar(1), c.Narrow(0, 0, 5).Narrow(1, 0, 2).Add(x) }
		c, ys := hop.Scan(f, init, x, o...)
		check(t, "carry", c, []int{7, 8}, numbers(init.AddScalar(2))...)
		corner := init.Narrow(0, 0, 5).Narrow(1, 0, 2)
		want := append(numbers(corner.Add(x.Select(0, 0))), numbers(corner.AddScalar(1).Add(x.Select(0, 1)))...)
		check(t, "ys", ys, []int{2, 5, 2}, want...)
	})
	inModes(t, "A19", func(t *testing.T, o ...hop.Option) {
		init, x := random(5, 2, 5, 2), random(6, 2, 5, 2)
		f := func(c, x T) (T, T) { return c.Add(x), c.Add(x) }
		c, ys := hop.Scan(f, init, x, o...)
		first := init.Add(x.Select(0, 0))
		last := first.Add(x.Select(0, 1))
		check(t, "carry", c, []int{2, 5, 2}, numbers(last)...)
		check(t, "ys", ys, []int{2, 2, 5, 2}, append(numbers(first), numbers(last)...)...)
	})
	count := func(c T, _ hop.None) (T, hop.None) { return c.AddScalar(1), hop.None{} }
	inModes(t, "A20", func(t *testing.T, o ...hop.Option) {
		refusedWith(t, func() { hop.Scan(count, s64(0), hop.None{}, o...) }, "scan", "Length")
		init := s64(7)
		c, _ := hop.Scan(count, init, hop.None{}, with(o, hop.Length(0))...)
		check(t, "carry", c, []int{}, 7)
		if c.SharesStorage(init) {
			t.Error("the carry of a zero-length scan shares storage with init")
		}
		_, ys := hop.Scan(sum, s64(0), hop.Zeros(hop.Float64, 0), o...)
		check(t, "ys of length 0", ys, []int{0})
	})
	inModes(t, "A22", func(t *testing.T, o ...hop.Option) {
		c, _ := hop.Scan(count, s64(0), hop.None{}, with(o, hop.Length(20))...)
		check(t, "carry", c, []int{}, 20)
	})
	inModes(t, "A23", func(t *testing.T, o ...hop.Option) {
		refusedWith(t, func() { hop.Scan(sum, s64(0), hop.Zeros(hop.Float64, 10), with(o, hop.Length(5))...) }, "Length", "5", "10")
	})
	inModes(t, "A24", func(t *testing.T, o ...hop.Option) {
		type pair struct{ A, B T }
		called := false
		f := func(c T, x pair) (T, T) { called = true; return c.Add(x.A), c.Clone() }
		refusedWith(t, func() { hop.Scan(f, s64(0), pair{f64(1, 2, 3), f64(1, 2, 3, 4)}, o...) }, "xs.A", "3", "xs.B", "4")
		if called {
			t.Error("the body was called before the lengths were checked")
		}
	})
	inModes(t, "A27", func(t *testing.T, o ...hop.Option) {
		for _, dir := range [][]hop.Option{o, with(o, hop.Reverse())} {
			c, ys := hop.Scan(sum, s64(1), f64(5), dir...)
			check(t, "carry", c, []int{}, 6)
			check(t, "ys", ys, []int{1}, 6)
		}
	})
	t.Run("A28", func(t *testing.T) {
		for _, tc := range []struct {
			opts []hop.Option
			want int
		}{{nil, 1}, {[]hop.Option{hop.Stepwise()}, 5}} {
			calls := 0
			hop.Scan(func(c, x T) (T, T) { calls++; return c.Add(x), c.Clone() }, s64(0), hop.Zeros(hop.Float64, 5), tc.opts...)
			if calls != tc.want {
				t.Errorf("with %d options the body was called %d times, want %d", len(tc.opts), calls, tc.want)
			}
		}
	})
	inModes(t, "A29", func(t *testing.T, o ...hop.Option) {
		const n, in = 3, 2
		wih, whh, b := hop.Ones(hop.Float64, in, n), hop.Ones(hop.Float64, n, n), hop.Ones(hop.Float64, n)
		x := f64(0.1, 0.2, -0.3, 0.4).View(2, in)
		f := func(h, x T) (T, T) {
			next := x.MatMul(wih).Add(b).Add(h.MatMul(whh)).Add(b).Tanh()
			return next, next.Clone()
		}
		h, ys := hop.Scan(f, hop.Zeros(hop.Float64, n), x, o...)
		one := math.Tanh(0.3 + 2)
		two := math.Tanh(0.1 + 2 + 3*one)
		check(t, "h", h, []int{n}, two, two, two)
		check(t, "ys", ys, []int{2, n}, one, one, one, two, two, two)
	})
	inModes(t, "A30", func(t *testing.T, o ...hop.Option) {
		c, ys := hop.Scan(sum, hop.Zeros(hop.Float64, 2), f64(1, 2, 3, 4).View(2, 2), o...)
		product := ys.MatMul(hop.Ones(hop.Float64, 2, 5))
		check(t, "ys@W", product, []int{2, 5}, 3, 3, 3, 3, 3, 10, 10, 10, 10, 10)
		ys.Select(0, 1).Zero()
		check(t, "carry after a write to ys", c, []int{2}, 4, 6)
	})
	inModes(t, "A31", func(t *testing.T, o ...hop.Option) {
		x := random(7, 3, 4)
		_, first := hop.Scan(sum, hop.Zeros(hop.Float64, 4), x, o...)
		_, second := hop.Scan(sum, hop.Zeros(hop.Float64, 3), first, with(o, hop.Axis(1))...)
		want := make([]float64, 12) // [4, 3]
		for i := range 3 {
			for j := range 4 {
				for a := range i + 1 {
					for b := range j + 1 {
						want[j*3+i] += hop.ItemAt[float64](x, a, b)
					}
				}
			}
		}
		check(t, "ys", second, []int{4, 3}, want...)
	})
	inModes(t, "A33", func(t *testing.T, o ...hop.Option) {
		f := func(c, x T) (T, T) { return c.Xor(x), c.Xor(x) }
		c, ys := hop.Scan(f, hop.Scalar(false), hop.FromSlice([]bool{false, true, true}), o...)
		check(t, "carry", c, []int{}, 0)
		check(t, "ys", ys, []int{3}, 0, 1, 0)
	})
	inModes(t, "A34", func(t *testing.T, o ...hop.Option) {
		var init [256]T
		for i := range init {
			init[i] = s64(float64(i))
		}
		f := func(c [256]T, x T) ([256]T, hop.None) {
			for i := range c {
				c[i] = c[i].Add(x)
			}
			return c, hop.None{}
		}
		c, _ := hop.Scan(f, init, f64(1, 2, 3), o...)
		for i := range c {
			check(t, fmt.Sprintf("carry[%d]", i), c[i], []int{}, float64(i)+6)
		}
	})
	inModes(t, "A35", func(t *testing.T, o ...hop.Option) {
		f := func(c, _ T) (T, T) { return c.AddScalar(1), c.Clone() }
		_, ys := hop.Scan(f, hop.Scalar(int64(0)), hop.Zeros(hop.Float64, 4), with(o, hop.Reverse())...)
		check(t, "ys", ys, []int{4}, 3, 2, 1, 0)
	})
	inModes(t, "A36", func(t *testing.T, o ...hop.Option) {
		init := s64(5)
		c, ys := hop.Scan(func(c, x T) (T, T) { return c.Clone(), c.Add(x) }, init, xs, o...)
		check(t, "carry", c, []int{}, 5)
		check(t, "ys", ys, []int{4}, 6, 7, 8, 9)
		if c.SharesStorage(init) {
			t.Error("the carry shares storage with init")
		}
	})
}

// TestScanOfViews runs a scan over windows that are not contiguous, in every orientation.
func TestScanOfViews(t *testing.T) {
	base := random(8, 6, 5, 4)
	views := map[string]T{
		"transposed": base.Transpose(0, 2), "narrowed": base.Narrow(1, 1, 3), "selected": base.Select(0, 2),
		"expanded": base.Select(0, 0).Unsqueeze(0).Expand(3, 5, 4), "strided": base.Slice(0, 1, 6, 2),
	}
	for name, x := range views {
		for axis := range x.Rank() {
			inModes(t, fmt.Sprintf("%s axis %d", name, axis), func(t *testing.T, o ...hop.Option) {
				shape := x.Select(axis, 0).Shape()
				f := func(c, x T) (T, T) { n := c.MulScalar(0.5).Add(x); return n, n.Sub(x) }
				for _, reverse := range []bool{false, true} {
					opts := with(o, hop.Axis(axis))
					if reverse {
						opts = append(opts, hop.Reverse())
					}
					c, ys := hop.Scan(f, hop.Zeros(hop.Float64, shape...), x, opts...)
					n := x.Dim(axis)
					want := hop.Zeros(hop.Float64, shape...)
					steps := make([]T, n)
					for k := range n {
						i := k
						if reverse {
							i = n - 1 - k
						}
						slice := x.Select(axis, i)
						want = want.MulScalar(0.5).Add(slice)
						steps[i] = want.Sub(slice)
					}
					check(t, "carry", c, shape, numbers(want)...)
					check(t, "ys", ys, append([]int{n}, shape...), numbers(hop.Stack(0, steps...))...)
				}
			})
		}
	}
}

// random returns reproducible values in [-1, 1).
func random(seed uint64, dims ...int) T {
	rng := rand.New(rand.NewPCG(seed, 0))
	n := 1
	for _, d := range dims {
		n *= d
	}
	values := make([]float64, n)
	for i := range values {
		values[i] = 2*rng.Float64() - 1
	}
	return hop.FromSlice(values, dims...)
}
