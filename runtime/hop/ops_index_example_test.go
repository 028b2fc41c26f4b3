package hop_test

import (
	"fmt"

	"github.com/hoplint/hoplint/runtime/hop"
)

func ExampleTensor_Gather() {
	scores := hop.FromSlice([]float64{0.1, 0.7, 0.2, 0.5, 0.2, 0.3}, 2, 3)
	labels := hop.FromSlice([]int64{1, 0}).Unsqueeze(1)
	fmt.Println(scores.Gather(1, labels).Squeeze(1))
	// Output: [0.7 0.5]
}

func ExampleTensor_IndexSelect() {
	embedding := hop.Arange(hop.Float64, 8).View(4, 2)
	words := hop.FromSlice([]int64{3, 0, 3})
	fmt.Println(embedding.IndexSelect(0, words))
	// Output: [[6 7] [0 1] [6 7]]
}

func ExampleTensor_ScatterAdd() {
	bins := hop.FromSlice([]int64{2, 0, 2, 2})
	weights := hop.FromSlice([]float64{1, 10, 100, 1000})
	fmt.Println(hop.Zeros(hop.Float64, 3).ScatterAdd(0, bins, weights))
	// Output: [10 0 1101]
}

func ExampleTensor_OneHot() {
	fmt.Println(hop.FromSlice([]int64{2, 0}).OneHot(hop.Float64, 3))
	// Output: [[0 0 1] [1 0 0]]
}

// At and Put take the index from a tensor, so that a body can read and write a table by what it computes.
func ExampleTensor_At() {
	step := func(seen, i *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		count := seen.At(0, i)
		return seen.Put(0, i, count.AddScalar(1)), count
	}
	visits := hop.FromSlice([]int64{1, 0, 1, 1})
	counts, before := hop.Scan(step, hop.Zeros(hop.Int64, 2), visits)
	fmt.Println(counts, before)
	// Output: [1 3] [0 0 1 2]
}

func ExampleTensor_Sort() {
	values, indices := hop.FromSlice([]float64{3, 1, 2}).Sort(0)
	fmt.Println(values, indices)
	// Output: [1 2 3] [1 2 0]
}

func ExampleTensor_TopK() {
	values, indices := hop.FromSlice([]float64{0.1, 0.6, 0.05, 0.25}).TopK(0, 2)
	fmt.Println(values, indices)
	// Output: [0.6 0.25] [1 3]
}

func ExampleTensor_SearchSorted() {
	edges := hop.FromSlice([]float64{0, 1, 10})
	fmt.Println(edges.SearchSorted(hop.FromSlice([]float64{0.5, 1, 99}), true))
	// Output: [1 2 3]
}

func ExampleTensor_Nonzero() {
	x := hop.FromSlice([]float64{0, 3, 0, 4}, 2, 2)
	fmt.Println(x.Nonzero())
	// Output: [[0 1] [1 1]]
}

func ExampleTensor_Pad() {
	x := hop.FromSlice([]float64{1, 2, 3})
	fmt.Println(x.Pad(0, 2, 1, 0))
	fmt.Println(x.Roll(0, 1), x.Repeat(0, 2))
	// Output:
	// [0 0 1 2 3 0]
	// [3 1 2] [1 1 2 2 3 3]
}

func ExampleTensor_Tril() {
	x := hop.Ones(hop.Float64, 3, 3)
	fmt.Println(x.Tril(0))
	fmt.Println(x.Triu(1))
	// Output:
	// [[1 0 0] [1 1 0] [1 1 1]]
	// [[0 1 1] [0 0 1] [0 0 0]]
}

// A key in the carry is split in every step: one part is drawn from, the other goes on.
func ExampleSplitKey() {
	type walk struct{ Key, Place *hop.Tensor }
	step := func(w walk, _ hop.None) (walk, *hop.Tensor) {
		keys := hop.SplitKey(w.Key, 2)
		place := w.Place.Add(hop.Normal(keys[1], hop.Float64))
		return walk{keys[0], place}, place.Clone()
	}
	start := walk{hop.NewKey(1), hop.Scalar(0.0)}
	_, path := hop.Scan(step, start, hop.None{}, hop.Length(1000))
	_, again := hop.Scan(step, start, hop.None{}, hop.Length(1000), hop.Stepwise())
	fmt.Println(path.Shape(), hop.Item[bool](path.Eq(again).All()))
	// Output: [1000] true
}

// Keys makes a key for each lane. VMap takes the lanes of its argument along axis 0, so the body gets one row, int32[2],
// which is a key; what is not batched, here a mean, is shared by NoAxis.
func ExampleKeys() {
	type draw struct{ Key, Mean *hop.Tensor }
	sample := func(d draw) *hop.Tensor { return hop.Normal(d.Key, hop.Float64, 3).Add(d.Mean) }

	keys := hop.Keys(hop.NewKey(7), 1000)
	many := hop.VMap(sample, hop.InAxes(0, hop.NoAxis))(draw{keys, hop.Scalar(10.0)})
	fmt.Println(keys.DType(), keys.Shape(), many.Shape())

	// Each lane draws what its key draws alone, and lanes differ.
	alone := sample(draw{keys.Select(0, 4), hop.Scalar(10.0)})
	fmt.Println(many.Select(0, 4).Eq(alone).All(), many.Select(0, 4).Eq(many.Select(0, 5)).Any())
	fmt.Println(many.Mean().SubScalar(10).Abs().LtScalar(0.1))
	// Output:
	// int32 [1000 2] [1000 3]
	// true false
	// true
}

func ExampleFoldIn() {
	key := hop.NewKey(1)
	draw := func(step int64) *hop.Tensor {
		return hop.Uniform(hop.FoldIn(key, hop.Scalar(step)), hop.Float64, 3)
	}
	fmt.Println(draw(5).Eq(draw(5)).All(), draw(5).Eq(draw(6)).Any())
	// Output: true false
}

func ExampleCategorical() {
	logits := hop.FromSlice([]float64{0, 1, 2}).Expand(10000, 3)
	drawn := hop.Categorical(hop.NewKey(3), logits).OneHot(hop.Float64, 3).Mean(0)
	wanted := logits.Select(0, 0).Softmax(0)
	fmt.Println(drawn.Sub(wanted).Abs().LtScalar(0.02).All())
	// Output: true
}

func ExamplePermutation() {
	order := hop.Permutation(hop.NewKey(9), 5)
	x := hop.Arange(hop.Float64, 5).MulScalar(10)
	shuffled := x.IndexSelect(0, order)
	sorted, _ := shuffled.Sort(0)
	fmt.Println(sorted.Eq(x).All())
	// Output: true
}
