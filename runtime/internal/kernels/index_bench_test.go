package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hoplint/hoplint/tracer"
)

// scrambled are indices of n places in no order.
func scrambled(n, count int) []int64 {
	v := make([]int64, count)
	state := uint64(9)
	for i := range v {
		state = state*6364136223846793005 + 1442695040888963407
		v[i] = int64(state>>33) % int64(n)
	}
	return v
}

func BenchmarkIndexing(b *testing.B) {
	for _, n := range []int{16, 4096, 1 << 20} {
		x, index, z := ramp(n), scrambled(n, n), make([]float64, n)
		in, out := []Array{Of(x, n), Of(index, n)}, []Array{New(tracer.Float64, n)}
		calls := 1 + 20000/n
		b.Run(fmt.Sprintf("gather/%d", n), func(b *testing.B) {
			against(b, calls, runs(b, Gather, &Call{In: in, Out: out, Attrs: attrs("dim", 0)}), func() {
				for i, k := range index {
					z[i] = x[k]
				}
			})
		})
		b.Run(fmt.Sprintf("scatter_add/%d", n), func(b *testing.B) {
			against(b, calls, runs(b, ScatterAdd, &Call{In: append(in, Of(x, n)), Out: out, Attrs: attrs("dim", 0)}), func() {
				copy(z, x)
				for i, k := range index {
					z[k] += x[i]
				}
			})
		})
	}
	const rows, columns = 4096, 64
	x, index, z := ramp(rows*columns), scrambled(rows, rows), make([]float64, rows*columns)
	out := []Array{New(tracer.Float64, rows, columns)}
	b.Run("index_select/rows of 64", func(b *testing.B) {
		against(b, 3, runs(b, IndexSelect, &Call{In: []Array{Of(x, rows, columns), Of(index, rows)}, Out: out, Attrs: attrs("dim", 0)}), func() {
			for i, k := range index {
				copy(z[i*columns:(i+1)*columns], x[int(k)*columns:(int(k)+1)*columns])
			}
		})
	})
	b.Run("gather/columns", func(b *testing.B) {
		wide := Of(scrambled(rows, rows*columns), rows, columns)
		ks := Elems[int64](wide)
		against(b, 3, runs(b, Gather, &Call{In: []Array{Of(x, rows, columns), wide}, Out: out, Attrs: attrs("dim", 0)}), func() {
			for i := range z {
				z[i] = x[int(ks[i])*columns+i%columns]
			}
		})
	})
	b.Run("at/row of 64", func(b *testing.B) {
		row := []Array{New(tracer.Float64, columns)}
		against(b, 1000, runs(b, At, &Call{In: []Array{Of(x, rows, columns), Of([]int64{7})}, Out: row, Attrs: attrs("dim", 0)}), func() {
			copy(z[:columns], x[7*columns:8*columns])
		})
	})
}

// BenchmarkSort compares with sorting a copy of the elements, which is stable by their values but gives no indices, and
// with sorting indices by their elements.
func BenchmarkSort(b *testing.B) {
	for _, n := range []int{16, 256, 4096, 1 << 20} {
		x := make([]float64, n)
		for i, k := range scrambled(1<<40, n) {
			x[i] = float64(k) * 1.7
		}
		c := &Call{In: []Array{Of(x, n)}, Out: []Array{New(tracer.Float64, n), New(tracer.Int64, n)}, Attrs: attrs("dim", 0)}
		z, indices := make([]float64, n), make([]int, n)
		calls := 1 + 2000/n
		b.Run(fmt.Sprintf("values alone/%d", n), func(b *testing.B) {
			against(b, calls, runs(b, Sort, c), func() { copy(z, x); slices.Sort(z) })
		})
		b.Run(fmt.Sprintf("indices/%d", n), func(b *testing.B) {
			against(b, calls, runs(b, Sort, c), func() {
				for i := range indices {
					indices[i] = i
				}
				slices.SortStableFunc(indices, func(i, j int) int {
					switch {
					case x[i] < x[j]:
						return -1
					case x[i] > x[j]:
						return 1
					default:
						return 0
					}
				})
			})
		})
		k := min(n, 10)
		top := &Call{In: c.In, Out: []Array{New(tracer.Float64, k), New(tracer.Int64, k)}, Attrs: attrs("dim", 0, "k", k)}
		b.Run(fmt.Sprintf("top 10/%d", n), func(b *testing.B) {
			against(b, calls, runs(b, TopK, top), func() { copy(z, x); slices.Sort(z) })
		})
	}
}

// BenchmarkRandom compares with the generators of math/rand/v2, which have a state.
func BenchmarkRandom(b *testing.B) {
	const n = 1 << 16
	key, z := Of([]int32{1, 2}, 2), make([]float64, n)
	out := []Array{New(tracer.Float64, n)}
	rng := rand.New(rand.NewPCG(1, 2))
	b.Run("uniform", func(b *testing.B) {
		against(b, 3, runs(b, Uniform, &Call{In: []Array{key}, Out: out}), func() {
			for i := range z {
				z[i] = rng.Float64()
			}
		})
	})
	b.Run("normal", func(b *testing.B) {
		against(b, 3, runs(b, Normal, &Call{In: []Array{key}, Out: out}), func() {
			for i := range z {
				z[i] = rng.NormFloat64()
			}
		})
	})
	b.Run("permutation", func(b *testing.B) {
		against(b, 3, runs(b, Permutation, &Call{In: []Array{key}, Out: []Array{New(tracer.Int64, n)}}), func() { rng.Perm(n) })
	})
	b.Run("logarithm", func(b *testing.B) { // a function of similar cost
		against(b, 3, runs(b, Normal, &Call{In: []Array{key}, Out: out}), func() {
			for i := range z {
				z[i] = math.Log(float64(i) + 0.5)
			}
		})
	})
}
