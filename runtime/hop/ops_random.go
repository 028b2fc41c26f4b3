package hop

import (
	"math"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
)

// Functional randomness for bodies. A key stands for a stream of random bits; an op that draws is a function of its key,
// so a body draws the same numbers traced, stepwise and compiled, for any number of workers. Use a key once: split it, or
// fold a step number in, for further draws.

// NewKey returns the key of a seed. Draws ([Uniform], [Normal], [RandInt], [Bernoulli], [Categorical], [Permutation]) are
// functions of their key: the same key gives the same numbers, so use each once. [SplitKey] and [Keys] make many of one,
// [FoldIn] makes one for each step number.
//
// Shapes: the result is int32[2].
// Aliasing: the result is fresh.
// Source: the words of the seed are the key of Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as
// easy as 1, 2, 3", SC 2011).
//
//hop:returns fresh
func NewKey(seed uint64) *Tensor {
	return FromSlice([]int32{int32(uint32(seed)), int32(uint32(seed >> 32))})
}

// SplitKey returns n keys whose draws are independent of each other and of those of key. They are the rows of [Keys].
//
// Shapes: key is int32[2], so is each result.
// Aliasing: the results are fresh, each with a storage of its own.
// Errors: panics with *[Error] for a tensor that is no key and for a negative n.
// Gradient: none; bits have no derivative.
// Source: child i is the output of Philox4x32-10 for counter i.
//
//hop:returns fresh
func SplitKey(key *Tensor, n int) []*Tensor {
	if n < 0 {
		misuse("SplitKey", "number of keys is %d; want 0 or more", n)
	}
	list := make([]*Tensor, n)
	for i := range list {
		list[i] = apply(idChildKey, attrs("index", i), key)
	}
	return list
}

var opChildKey = opRow{
	Name: "child_key", Func: "SplitKey", ByHand: true,
	Doc:     "key index of those that key splits into",
	Schema:  "child_key(Tensor key, int index) -> Tensor",
	DTypes:  words,
	Infer:   keyed(sameAs(0)),
	Kernel:  kernels.ChildKey,
	NoGrad:  "bits have no derivative",
	Samples: keySamples("index", 0, 1, 1<<33),
	Source:  "output of Philox4x32-10 for the counter index",
}

var opKeys = opRow{
	Name: "keys", Func: "Keys",
	Doc:     "n keys, one a row, whose draws are independent. Map, VMap and Scan hand a row, which is a key, to each call of their body",
	Schema:  "keys(Tensor key, int n) -> Tensor",
	DTypes:  words,
	Infer:   keyed(splitAll),
	Kernel:  kernels.Keys,
	NoGrad:  "bits have no derivative",
	Samples: keySamples("n", 0, 1, 5),
	Source:  "row i is key i of SplitKey",
}

var opFoldIn = opRow{
	Name: "fold_in", Func: "FoldIn",
	Doc:       "a key made of key and the integer i, e.g. the number of a step",
	Schema:    "fold_in(Tensor key, Tensor i) -> Tensor",
	DTypes:    ints,
	OwnDTypes: []int{0},
	Infer:     keyed(folded),
	Kernel:    kernels.FoldIn,
	NoGrad:    "bits have no derivative",
	Samples:   foldSamples,
	Source:    "output of Philox4x32-10 for the counter i, in a stream apart from that of SplitKey",
}

var opUniform = opRow{
	Name: "uniform", Func: "Uniform",
	Doc:     "numbers drawn evenly from [0, 1), of shape dims and the float type dtype",
	Schema:  "uniform(Tensor key, dtype dtype, int... dims) -> Tensor",
	DTypes:  words,
	Infer:   keyed(drawn),
	Kernel:  kernels.Uniform,
	NoGrad:  "bits have no derivative; move and scale the result instead",
	Samples: drawSamples,
	Source:  "53 bits of Philox4x32-10 for float64, 24 for float32",
}

var opNormal = opRow{
	Name: "normal", Func: "Normal",
	Doc:     "numbers drawn from the normal distribution of mean 0 and variance 1, of shape dims and the float type dtype",
	Schema:  "normal(Tensor key, dtype dtype, int... dims) -> Tensor",
	DTypes:  words,
	Infer:   keyed(drawn),
	Kernel:  kernels.Normal,
	NoGrad:  "bits have no derivative; move and scale the result instead",
	Samples: drawSamples,
	Source:  "quantiles (Wichura, algorithm AS 241, 1988) of uniform numbers of Philox4x32-10",
}

var opBernoulli = opRow{
	Name: "bernoulli", Func: "Bernoulli",
	Doc:       "bools that are true with the probabilities p, one for each; never for NaN",
	Schema:    "bernoulli(Tensor key, Tensor p) -> Tensor",
	DTypes:    floats,
	OwnDTypes: []int{0},
	Infer:     keyed(tossed),
	Kernel:    kernels.Bernoulli,
	NoGrad:    "the result is bool",
	Samples:   bernoulliSamples,
	Source:    "a uniform number of 53 bits is below p",
}

var opRandInt = opRow{
	Name: "rand_int", Func: "RandInt", ByHand: true,
	Doc:     "integers drawn evenly from lo up to and without hi",
	Schema:  "rand_int(Tensor key, int lo, int hi, int... dims) -> Tensor",
	DTypes:  words,
	Infer:   keyed(drawnInts),
	Kernel:  kernels.RandInt,
	NoGrad:  "the result is an integer",
	Samples: randIntSamples,
	Source:  "Lemire, 2019: multiplication with rejection, without bias",
}

// RandInt returns integers drawn evenly from lo up to and without hi.
//
// Shapes: key is int32[2], the result is int64 of shape dims.
// Aliasing: the result is fresh.
// Errors: panics with *[Error] for a tensor that is no key, for lo >= hi and for sizes that are negative or too large.
// Gradient: none; the result is an integer.
// Source: Lemire, 2019: multiplication with rejection, without bias, on bits of Philox4x32-10.
//
//hop:returns fresh
func RandInt(key *Tensor, lo, hi int64, dims ...int) *Tensor {
	if lo < math.MinInt || hi > math.MaxInt {
		misuse("RandInt", "bounds %d and %d do not fit the int of this machine", lo, hi)
	}
	return apply(idRandInt, attrs("lo", int(lo), "hi", int(hi), "dims", dims), key)
}

var opCategorical = opRow{
	Name: "categorical", Func: "Categorical",
	Doc:       "int64 classes drawn with the probabilities softmax(logits) of the last dim",
	Schema:    "categorical(Tensor key, Tensor logits) -> Tensor",
	DTypes:    floats,
	OwnDTypes: []int{0},
	Infer:     keyed(chosen),
	Kernel:    kernels.Categorical,
	NoGrad:    "the result is an index",
	Samples:   categoricalSamples,
	Source:    "Gumbel, 1954: the largest of logits plus Gumbel noise; a class of logit -Inf is not drawn, the first NaN is",
}

var opPermutation = opRow{
	Name: "permutation", Func: "Permutation",
	Doc:     "the int64 numbers 0 to n-1 in an order drawn evenly from all orders",
	Schema:  "permutation(Tensor key, int n) -> Tensor",
	DTypes:  words,
	Infer:   keyed(shuffled),
	Kernel:  kernels.Permutation,
	NoGrad:  "the result is an index",
	Samples: keySamples("n", 0, 1, 7, 100),
	Source:  "Durstenfeld, 1964, with draws of Philox4x32-10",
}
