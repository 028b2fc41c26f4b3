package kernels

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/tracer"
)

func TestIndexingAllocatesNothing(t *testing.T) {
	x, index, one := Of(ramp(12), 3, 4), Of([]int64{2, 0, 1, -1}, 1, 4), Of([]int64{1})
	vector, row := Of([]int64{2, 0}, 2), Of(ramp(4), 4)
	for _, test := range []struct {
		name string
		k    Kernel
		c    Call
	}{
		{"gather", Gather, Call{Out: []Array{New(tracer.Float64, 1, 4)}, In: []Array{x, index}, Attrs: attrs("dim", 0)}},
		{"index select", IndexSelect, Call{Out: []Array{New(tracer.Float64, 2, 4)}, In: []Array{x, vector}, Attrs: attrs("dim", 0)}},
		{"take", Take, Call{Out: []Array{New(tracer.Float64, 1, 4)}, In: []Array{x, index}}},
		{"scatter", Scatter, Call{Out: []Array{New(tracer.Float64, 3, 4)}, In: []Array{x, index, row}, Attrs: attrs("dim", 0)}},
		{"scatter add", ScatterAdd, Call{Out: []Array{New(tracer.Float64, 3, 4)}, In: []Array{x, index, row}, Attrs: attrs("dim", 0)}},
		{"one hot", OneHot, Call{Out: []Array{New(tracer.Float64, 2, 3)}, In: []Array{vector}}},
		{"at", At, Call{Out: []Array{New(tracer.Float64, 4)}, In: []Array{x, one}, Attrs: attrs("dim", 0)}},
		{"put", PutAt, Call{Out: []Array{New(tracer.Float64, 3, 4)}, In: []Array{x, one, row}, Attrs: attrs("dim", 0)}},
		{"search", SearchSorted, Call{Out: []Array{New(tracer.Int64, 4)}, In: []Array{row, row}, Attrs: attrs("right", true)}},
		{"cum max", CumMax, Call{Out: []Array{New(tracer.Float64, 3, 4)}, In: []Array{x}, Attrs: attrs("dim", 1)}},
		{"max along", MaxAlong, Call{Out: []Array{New(tracer.Float64, 3), New(tracer.Int64, 3)}, In: []Array{x}, Attrs: attrs("dim", 1)}},
	} {
		if n := testing.AllocsPerRun(20, func() {
			if err := test.k.Run(&test.c); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations, want none", test.name, n)
		}
	}
}

// TestIndexingManyDims has more dims than one walk holds, none of which can be merged.
func TestIndexingManyDims(t *testing.T) {
	const rank = maxWalk + 2
	shape := slices.Repeat([]int{2}, rank)
	strides := make([]int, rank) // the dims in the opposite order
	for d := range strides {
		strides[d] = 1 << d
	}
	base := New(tracer.Float64, shape...)
	for i := range Elems[float64](base) {
		Elems[float64](base)[i] = float64(i)
	}
	x := Array{Ptr: base.Ptr, DType: base.DType, Shape: shape, Strides: strides}
	index := New(tracer.Int64, shape...)
	for i := range Elems[int64](index) {
		Elems[int64](index)[i] = int64(i%2) - 1
	}
	out := New(tracer.Float64, shape...)
	c := Call{Out: []Array{out}, In: []Array{x, index}, Attrs: attrs("dim", rank-1)}
	if err := Gather.Run(&c); err != nil {
		t.Fatal(err)
	}
	for i, got := range Elems[float64](out) {
		want := 0 // the bits of i in the opposite order, the last one from the index
		for d := range rank - 1 {
			want |= i >> (rank - 1 - d) & 1 << d
		}
		want |= (i%2 + 1) % 2 << (rank - 1)
		if got != float64(want) {
			t.Fatalf("element %d: got %v, want %d", i, got, want)
		}
	}
}

func TestABadIndexIsNamedWithItsPlace(t *testing.T) {
	x := Of(ramp(12), 3, 4)
	for _, test := range []struct {
		name string
		k    Kernel
		c    Call
		want string
	}{
		{"first of several in row-major order", Gather, Call{Out: []Array{New(tracer.Float64, 2, 4)},
			In: []Array{x, Of([]int64{0, 1, 2, 2, -3, 3, -4, 0}, 2, 4)}, Attrs: attrs("dim", 0)},
			"index 3 at [1 1] of the index tensor is out of range for dim 0 of float64[3 4] of size 3; want -3 to 2"},
		{"int32", IndexSelect, Call{Out: []Array{New(tracer.Float64, 3, 2)}, In: []Array{x, Of([]int32{0, -5}, 2)}, Attrs: attrs("dim", 1)},
			"index -5 at [1] of the index tensor is out of range for dim 1 of float64[3 4] of size 4; want -4 to 3"},
		{"elements", Take, Call{Out: []Array{New(tracer.Float64, 1)}, In: []Array{x, Of([]int64{12}, 1)}},
			"index 12 at [0] of the index tensor is out of range for the elements of float64[3 4] of size 12; want -12 to 11"},
		{"no position without dims", At, Call{Out: []Array{New(tracer.Float64, 4)}, In: []Array{x, Of([]int64{math.MaxInt64})}, Attrs: attrs("dim", 0)},
			"index 9223372036854775807 is out of range for dim 0 of float64[3 4] of size 3; want -3 to 2"},
		{"least index", PutAt, Call{Out: []Array{New(tracer.Float64, 3, 4)}, In: []Array{x, Of([]int64{math.MinInt64}), Of(ramp(1))}, Attrs: attrs("dim", 0)},
			"index -9223372036854775808 is out of range"},
		{"scatter", Scatter, Call{Out: []Array{New(tracer.Float64, 3, 4)}, In: []Array{x, Of([]int64{0, 9}, 1, 2), Of(ramp(1))}, Attrs: attrs("dim", 1)},
			"index 9 at [0 1]"},
		{"of nothing", ScatterAdd, Call{Out: []Array{New(tracer.Float64, 0)}, In: []Array{New(tracer.Float64, 0), Of([]int64{0}, 1), Of(ramp(1), 1)}, Attrs: attrs("dim", 0)},
			"index 0 at [0] of the index tensor is out of range for dim 0 of float64[0] of size 0, which has nothing to index"},
		{"slices without elements", IndexSelect, Call{Out: []Array{New(tracer.Float64, 1, 0)}, In: []Array{New(tracer.Float64, 3, 0), Of([]int64{3}, 1)}, Attrs: attrs("dim", 0)},
			"index 3 at [0]"},
		{"classes", OneHot, Call{Out: []Array{New(tracer.Float64, 1, 3)}, In: []Array{Of([]int64{3}, 1)}},
			"index 3 at [0] of the index tensor is out of range for 3 classes of size 3"},
	} {
		err := test.k.Run(&test.c)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got error %v, want %q", test.name, err, test.want)
		}
	}
}

// TestSortAgreesWithTheStandardLibrary has lengths on both sides of where digits are counted, values that share digits,
// and equal ones, whose order shows in the indices.
func TestSortAgreesWithTheStandardLibrary(t *testing.T) {
	state := uint64(1)
	next := func() uint64 { state = state*6364136223846793005 + 1442695040888963407; return state >> 20 }
	for _, n := range []int{1, 2, 33, fewRanked, fewRanked + 1, 5000} {
		for name, draw := range map[string]func() float64{
			"distinct": func() float64 { return (float64(next()%1000000) - 5e5) * 1.37 },
			"few":      func() float64 { return float64(next()%5) - 2 },
			"equal":    func() float64 { return 7 },
			"special": func() float64 {
				return []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), -math.NaN(), math.SmallestNonzeroFloat64, -1}[next()%8]
			},
		} {
			x := make([]float64, n)
			for i := range x {
				x[i] = draw()
			}
			want := make([]int64, n)
			for i := range want {
				want[i] = int64(i)
			}
			slices.SortStableFunc(want, func(a, b int64) int {
				switch p, q := x[a], x[b]; {
				case p < q || p == p && q != q:
					return -1
				case p > q || p != p && q == q:
					return 1
				default:
					return 0
				}
			})
			values, indices := New(tracer.Float64, n), New(tracer.Int64, n)
			c := Call{Out: []Array{values, indices}, In: []Array{Of(x, n)}, Attrs: attrs("dim", 0)}
			if err := Sort.Run(&c); err != nil {
				t.Fatal(err)
			}
			if got := Elems[int64](indices); !slices.Equal(got, want) {
				t.Errorf("%d %s: indices %v, want %v of %v", n, name, got[:min(n, 20)], want[:min(n, 20)], x[:min(n, 20)])
			}
			for i, v := range Elems[float64](values) {
				if math.Float64bits(v) != math.Float64bits(x[want[i]]) {
					t.Fatalf("%d %s: element %d is %v, want %v", n, name, i, v, x[want[i]])
				}
			}
			for _, k := range []int{0, 1, min(n, 3), n / 20, n / 2, n} {
				values, indices := New(tracer.Float64, k), New(tracer.Int64, k)
				c := Call{Out: []Array{values, indices}, In: []Array{Of(x, n)}, Attrs: attrs("dim", 0, "k", k)}
				if err := TopK.Run(&c); err != nil {
					t.Fatal(err)
				}
				// The head of a stable descending sort: groups of equal elements from the end, each in its order.
				var head []int64
				for end := n; len(head) < k; {
					start := end - 1
					for start > 0 && sameRank(x[want[start-1]], x[want[end-1]]) {
						start--
					}
					head = append(head, want[start:end]...)
					end = start
				}
				if got := Elems[int64](indices); !slices.Equal(got, head[:k]) {
					t.Errorf("%d %s: top %d is %v, want %v", n, name, k, got[:min(k, 20)], head[:min(k, 20)])
				}
			}
		}
	}
}

func sameRank(x, y float64) bool { return x == y || x != x && y != y }
