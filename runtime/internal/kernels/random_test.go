package kernels

import (
	"slices"
	"testing"

	"github.com/hoplint/hoplint/tracer"
)

// TestPhiloxKnownAnswers are the vectors for philox4x32-10 that the authors publish with their library
// (Random123, tests/kat_vectors).
func TestPhiloxKnownAnswers(t *testing.T) {
	for _, test := range []struct {
		counter, key, want []uint32
	}{
		{[]uint32{0, 0, 0, 0}, []uint32{0, 0}, []uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{[]uint32{1<<32 - 1, 1<<32 - 1, 1<<32 - 1, 1<<32 - 1}, []uint32{1<<32 - 1, 1<<32 - 1}, []uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{[]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, []uint32{0xa4093822, 0x299f31d0}, []uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	} {
		c := test.counter
		w0, w1 := philox(c[0], c[1], c[2], c[3], philoxKey{test.key[0], test.key[1]})
		if got := []uint32{uint32(w0), uint32(w0 >> 32), uint32(w1), uint32(w1 >> 32)}; !slices.Equal(got, test.want) {
			t.Errorf("philox(%08x, %08x): got %08x, want %08x", test.counter, test.key, got, test.want)
		}
	}
}

// TestBelowIsUnbiased counts a range that divides 2^64 badly; a multiplication without rejection would favour the
// multiples of 3 of a range of 3·2^62.
func TestBelowIsUnbiased(t *testing.T) {
	const n, draws = 3 << 62, 30000
	k := philoxKey{1, 2}
	var counts [3]int
	for i := range uint64(draws) {
		v := k.below(randIntStream, i, n)
		if v >= n {
			t.Fatalf("draw %d is %d, want less than %d", i, v, uint64(n))
		}
		counts[v%3]++
	}
	for r, c := range counts {
		// Five standard deviations of a binomial count.
		if d := c - draws/3; d < -408 || d > 408 {
			t.Errorf("%d of %d draws are %d mod 3, want about %d", c, draws, r, draws/3)
		}
	}
}

func TestDrawsNeverReachTheirOpenEnds(t *testing.T) {
	for _, w := range []uint64{0, 1<<64 - 1} {
		if u := unitOf(w); u < 0 || u >= 1 {
			t.Errorf("unitOf(%x) = %v, want a number of [0, 1)", w, u)
		}
		if u := openUnit(w); u <= 0 || u >= 1 {
			t.Errorf("openUnit(%x) = %v, want a number of (0, 1)", w, u)
		}
	}
	if u := float32(uint32(1<<32-1)>>8) * 0x1p-24; u >= 1 {
		t.Errorf("the largest float32 is %v, want less than 1", u)
	}
}

func TestDrawingAllocatesNothing(t *testing.T) {
	key := Of([]int32{1, 2}, 2)
	p := Of([]float64{0.1, 0.9, 0.5, 0.2}, 2, 2)
	for _, test := range []struct {
		name string
		k    Kernel
		c    Call
	}{
		{"uniform", Uniform, Call{Out: []Array{New(tracer.Float64, 7)}, In: []Array{key}}},
		{"normal", Normal, Call{Out: []Array{New(tracer.Float32, 7)}, In: []Array{key}}},
		{"fold in", FoldIn, Call{Out: []Array{New(tracer.Int32, 2)}, In: []Array{key, Of([]int64{3})}}},
		{"child key", ChildKey, Call{Out: []Array{New(tracer.Int32, 2)}, In: []Array{key}, Attrs: attrs("index", 1)}},
		{"rand int", RandInt, Call{Out: []Array{New(tracer.Int64, 7)}, In: []Array{key}, Attrs: attrs("lo", 0, "hi", 10)}},
		{"bernoulli", Bernoulli, Call{Out: []Array{New(tracer.Bool, 2, 2)}, In: []Array{key, p}}},
		{"categorical", Categorical, Call{Out: []Array{New(tracer.Int64, 2)}, In: []Array{key, p}}},
		{"permutation", Permutation, Call{Out: []Array{New(tracer.Int64, 9)}, In: []Array{key}}},
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
