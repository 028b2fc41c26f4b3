package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/hoplint/hoplint/tracer"
)

// system is a matrix with a large diagonal, and a right-hand side.
func system(rng *rand.Rand, n, k int) (a, b []float64) {
	a, b = make([]float64, n*n), make([]float64, n*k)
	for i := range a {
		a[i] = rng.Float64() - 0.5
	}
	for i := range n {
		a[i*n+i] += float64(n)
	}
	for i := range b {
		b[i] = rng.NormFloat64()
	}
	return a, b
}

// TestStacksEqualTheirMatrices: a batch in any layout gives the bits of its matrices one by one, on both sides of the switch
// to lapack.
func TestStacksEqualTheirMatrices(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 3, smallMatrix, smallMatrix + 1, 20} {
		const batch = 3
		var as, bs []float64
		for range batch {
			a, b := system(rng, n, 2)
			as, bs = append(as, a...), append(bs, b...)
		}
		for name, k := range map[string]Kernel{"inverse": Inverse, "cofactor": Cofactor, "solve": Solve, "det": Det, "log_det": LogDet} {
			stack := Of(as, batch, n, n)
			turned := New(tracer.Float64, n, n, batch)
			turned.Shape, turned.Strides = []int{batch, n, n}, []int{1, n * batch, batch}
			CopyTo(&turned, &stack)
			sides := Of(bs, batch, n, 2)
			shape, tail := []int{batch, n, n}, n*n
			switch name {
			case "solve":
				shape, tail = []int{batch, n, 2}, n*2
			case "det", "log_det":
				shape, tail = []int{batch}, 1
			}
			var want []float64
			for i := range batch {
				one := New(tracer.Float64, shape[1:]...)
				c := &Call{Out: []Array{one}, In: []Array{Of(as[i*n*n:(i+1)*n*n], n, n)}}
				if name == "solve" {
					c.In = append(c.In, Of(bs[i*n*2:(i+1)*n*2], n, 2))
				}
				if err := k.Run(c); err != nil {
					t.Fatal(err)
				}
				want = append(want, Elems[float64](one)[:tail]...)
			}
			for layout, in := range map[string]Array{"contiguous": stack, "batch last": turned} {
				out := New(tracer.Float64, shape...)
				if err := k.Run(&Call{Out: []Array{out}, In: []Array{in, sides}}); err != nil {
					t.Fatal(err)
				}
				for i, x := range Elems[float64](out) {
					if math.Float64bits(x) != math.Float64bits(want[i]) {
						t.Errorf("%s of %d, %s: element %d is %v in a stack, %v alone", name, n, layout, i, x, want[i])
						break
					}
				}
			}
		}
	}
}

// TestFloat32IsComputedInFloat64 and rounded once.
func TestFloat32IsComputedInFloat64(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{3, smallMatrix + 1} {
		narrow := make([]float32, n*n)
		a, _ := system(rng, n, 1)
		for i, x := range a {
			narrow[i] = float32(x)
			a[i] = float64(narrow[i])
		}
		wide, short := New(tracer.Float64, n, n), New(tracer.Float32, n, n)
		for _, c := range []*Call{{Out: []Array{wide}, In: []Array{Of(a, n, n)}}, {Out: []Array{short}, In: []Array{Of(narrow, n, n)}}} {
			if err := Inverse.Run(c); err != nil {
				t.Fatal(err)
			}
		}
		for i, x := range Elems[float64](wide) {
			if got := Elems[float32](short)[i]; got != float32(x) {
				t.Errorf("n = %d: element %d is %v, want %v", n, i, got, float32(x))
			}
		}
	}
}

// TestSmallMatricesAllocateNothing: filters call these in every step.
func TestSmallMatricesAllocateNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 2, 3, 4, smallMatrix} {
		a, b := system(rng, n, 1)
		m, side := Of(a, n, n), Of(b, n)
		square, vector, number := New(tracer.Float64, n, n), New(tracer.Float64, n), New(tracer.Float64)
		for _, test := range []struct {
			name string
			k    Kernel
			c    *Call
		}{
			{"inverse", Inverse, &Call{Out: []Array{square}, In: []Array{m}}},
			{"cholesky", Cholesky, &Call{Out: []Array{square}, In: []Array{m}}},
			{"det", Det, &Call{Out: []Array{number}, In: []Array{m}}},
			{"log_det", LogDet, &Call{Out: []Array{number}, In: []Array{m}}},
			{"solve", Solve, &Call{Out: []Array{vector}, In: []Array{m, side}}},
			{"solve_triangular", SolveTriangular, &Call{Out: []Array{vector}, In: []Array{m, side}, Attrs: tracer.Attrs{{Key: "upper", Value: true}}}},
		} {
			if got := testing.AllocsPerRun(100, func() {
				if err := test.k.Run(test.c); err != nil {
					t.Fatal(err)
				}
			}); got != 0 {
				t.Errorf("%s of %d by %d allocates %v times", test.name, n, n, got)
			}
		}
	}
}

// TestABoundEinsumDoesWhatRunDoes, also after its windows moved.
func TestABoundEinsumDoesWhatRunDoes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		size := map[byte]int{'i': 2, 'j': 3, 'k': 4, 'b': 2}
		left := rapid.SampledFrom([]string{"ij", "ji", "bij", "ijb"}).Draw(rt, "left")
		right := rapid.SampledFrom([]string{"jk", "kj", "j", "bjk", "ij"}).Draw(rt, "right")
		out := rapid.SampledFrom([]string{"i", "ib", "bi"}).Draw(rt, "result")
		if right == "jk" || right == "kj" || right == "bjk" {
			out = rapid.SampledFrom([]string{"ik", "ki", "k"}).Draw(rt, "result")
		}
		for _, l := range []byte(out) {
			if !contains(left, l) && !contains(right, l) {
				return
			}
		}
		tensor := func(word string) Array {
			var shape []int
			for _, l := range []byte(word) {
				shape = append(shape, size[l])
			}
			a := New(tracer.Float64, shape...)
			for i := range Elems[float64](a) {
				Elems[float64](a)[i] = rng.NormFloat64()
			}
			return a
		}
		spec := tracer.Attrs{{Key: "spec", Value: fmt.Sprintf("%s,%s->%s", left, right, out)}}
		c := &Call{Out: []Array{tensor(out)}, In: []Array{tensor(left), tensor(right)}, Attrs: spec}
		run := Einsum.Bind(c)
		if run == nil {
			return
		}
		for range 2 {
			run()
			want := tensor(out)
			if err := Einsum.Run(&Call{Out: []Array{want}, In: c.In, Attrs: spec}); err != nil {
				rt.Fatal(err)
			}
			for i, x := range Elems[float64](want) {
				if got := Elems[float64](c.Out[0])[i]; got != x {
					rt.Fatalf("%v: element %d is %v, want %v", spec, i, got, x)
				}
			}
			c.Out[0].Ptr, c.In[0].Ptr, c.In[1].Ptr = tensor(out).Ptr, tensor(left).Ptr, tensor(right).Ptr
		}
	})
}

func contains(word string, l byte) bool {
	for i := range word {
		if word[i] == l {
			return true
		}
	}
	return false
}
