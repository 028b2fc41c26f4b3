package hop

import (
	"slices"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
)

// Ops whose places are given by an integer tensor. A negative index counts from the end; one out of range is an error
// that names it, its position and the size.

// scatterInto adds dy to the gradient of argument 0 at the places that index names along dim.
func (c *vjp) scatterInto(dim int, index, dy *Tensor) {
	c.addInto(0, dy, index, func(sum *Tensor, write bool) *Tensor {
		if write {
			return sum.ScatterAddInPlace(dim, index, dy)
		}
		return sum.ScatterAdd(dim, index, dy)
	})
}

var opGather = opRow{
	Name: "gather", Method: "Gather",
	Doc:       "the elements of t that index names along dim",
	Schema:    "gather(Tensor self, int dim, Tensor index) -> Tensor",
	DTypes:    anyDType,
	OwnDTypes: []int{1},
	Infer:     gathered,
	Kernel:    kernels.Gather,
	Reads:     in1,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		d := c.Attrs().Int("dim")
		repeated := func(i int) bool { return i != d && c.isOne(0, i) && (dy.shape[i] != 1 || dy.SymDim(i).value != nil) }
		for i := range c.Rank(0) {
			if repeated(i) { // along with the index
				wide := dy.SymShape()
				wide[d] = c.size(0, d)
				return []*Tensor{c.sumTo(ZerosSym(dy.DType(), wide...).ScatterAdd(d, c.Input(1), dy), 0), nil}
			}
		}
		c.scatterInto(d, c.Input(1), dy)
		return []*Tensor{nil, nil}
	},
	Samples: gatherSamples,
	Source:  "NumPy's take_along_axis; the gradient adds up where an element was read several times",
}

var opIndexSelect = opRow{
	Name: "index_select", Method: "IndexSelect",
	Doc:       "the slices of t that the vector index names along dim",
	Schema:    "index_select(Tensor self, int dim, Tensor index) -> Tensor",
	DTypes:    anyDType,
	OwnDTypes: []int{1},
	Infer:     indexSelected,
	Kernel:    kernels.IndexSelect,
	Reads:     in1,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		d, index := c.Attrs().Int("dim"), c.Input(1)
		column := slices.Repeat([]Int{IntOf(1)}, dy.Rank())
		column[d] = index.SymDim(0)
		c.scatterInto(d, index.ReshapeSym(column...), dy)
		return []*Tensor{nil, nil}
	},
	Samples: indexSelectSamples,
	Source:  "NumPy's take along an axis; the gradient adds up where a slice was read several times",
}

var opTake = opRow{
	Name: "take", Method: "Take",
	Doc:       "the elements of t at the places index of its row-major order",
	Schema:    "take(Tensor self, Tensor index) -> Tensor",
	DTypes:    anyDType,
	OwnDTypes: []int{1},
	Infer:     taken,
	Kernel:    kernels.Take,
	Reads:     in1,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		index, values := c.Input(1).Reshape(-1), dy.Reshape(-1)
		c.addInto(0, values, index, func(sum *Tensor, write bool) *Tensor {
			if flat := sum.Reshape(-1); !write {
				sum = flat.ScatterAdd(0, index, values).ReshapeSym(sum.SymShape()...)
			} else if flat.ScatterAddInPlace(0, index, values); !flat.SharesStorage(sum) {
				sum = flat.Reshape(sum.shape...)
			}
			return sum
		})
		return []*Tensor{nil, nil}
	},
	Samples: takeSamples,
	Source:  "NumPy's take of all elements; the gradient adds up where an element was read several times",
}

var opScatter = opRow{
	Name: "scatter", Method: "Scatter",
	Doc:       "t with the elements of src at the places that index names along dim; of several for one place the last in row-major order stays",
	Schema:    "scatter(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
	InPlace:   "scatter_(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor(a!)",
	DTypes:    anyDType,
	OwnDTypes: []int{1},
	Infer:     scattered,
	Kernel:    kernels.Scatter,
	Reads:     in1,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		d, index := c.Attrs().Int("dim"), c.Input(1)
		grads := make([]*Tensor, 3)
		if c.Needs(0) {
			grads[0] = dy.Scatter(d, index, c.zero())
		}
		if c.Needs(2) {
			// Number the elements of src: the one whose number stays has the gradient.
			g := dy.Gather(d, index)
			sizes := g.SymShape()
			numbers := ArangeSym(Int64, numElemsOf(sizes)).ViewSym(sizes...)
			stays := FullSym(Int64, -1, c.Sizes(0)...).Scatter(d, index, numbers).Gather(d, index).Eq(numbers)
			grads[2] = c.sumTo(Where(stays, g, c.zero()), 2)
		}
		return grads
	},
	Samples: scatterSamples,
	Source:  "NumPy's put_along_axis",
}

var opScatterAdd = opRow{
	Name: "scatter_add", Method: "ScatterAdd",
	Doc:       "t with the elements of src added at the places that index names along dim, in row-major order",
	Schema:    "scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
	InPlace:   "scatter_add_(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor(a!)",
	DTypes:    numbers,
	OwnDTypes: []int{1},
	Infer:     scattered,
	Kernel:    kernels.ScatterAdd,
	Reads:     in1,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		grads := []*Tensor{dy, nil, nil}
		if c.Needs(2) {
			grads[2] = c.sumTo(dy.Gather(c.Attrs().Int("dim"), c.Input(1)), 2)
		}
		return grads
	},
	Samples: scatterSamples,
	Source:  "NumPy's add.at along an axis",
}

var opOneHot = opRow{
	Name: "one_hot", Method: "OneHot",
	Doc:     "a row of n numbers for each element of t: 1 at the place that the element names, 0 elsewhere",
	Schema:  "one_hot(Tensor self, dtype dtype, int n) -> Tensor",
	DTypes:  ints,
	Infer:   oneHotted,
	Kernel:  kernels.OneHot,
	NoGrad:  "the operand is an index",
	Samples: oneHotSamples,
	Source:  "a row of the identity matrix",
}

var opAt = opRow{
	Name: "at", Method: "At",
	Doc:       "a copy of the slice of t that the integer index picks along dim",
	Schema:    "at(Tensor self, int dim, Tensor index) -> Tensor",
	DTypes:    anyDType,
	OwnDTypes: []int{1},
	Infer:     atIndex,
	Kernel:    kernels.At,
	Reads:     in1,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		d, i := c.Attrs().Int("dim"), c.Input(1)
		c.addInto(0, dy, i, func(sum *Tensor, write bool) *Tensor {
			v := sum.At(d, i).Add(dy)
			if write {
				return sum.PutInPlace(d, i, v)
			}
			return sum.Put(d, i, v)
		})
		return []*Tensor{nil, nil}
	},
	Samples: atSamples,
	Source:  "NumPy's take of one index along an axis",
}

var opPut = opRow{
	Name: "put_at", Method: "Put",
	Doc:       "t with value, broadcast, as the slice that the integer index picks along dim",
	Schema:    "put_at(Tensor self, int dim, Tensor index, Tensor value) -> Tensor",
	InPlace:   "put_at_(Tensor(a!) self, int dim, Tensor index, Tensor value) -> Tensor(a!)",
	DTypes:    anyDType,
	OwnDTypes: []int{1},
	Infer:     putIndex,
	Kernel:    kernels.PutAt,
	Reads:     in1,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		d, i := c.Attrs().Int("dim"), c.Input(1)
		grads := make([]*Tensor, 3)
		if c.Needs(0) {
			grads[0] = dy.Put(d, i, c.zero())
		}
		if c.Needs(2) {
			grads[2] = c.sumTo(dy.At(d, i), 2)
		}
		return grads
	},
	Samples: putSamples,
	Source:  "NumPy's assignment to a slice",
}
