package hop

import "github.com/hoplint/hoplint/runtime/internal/kernels"

// Order and search. NaN is larger than everything; equal elements keep their order.

var opSort = opRow{
	Name: "sort", Method: "Sort", Results: "values, indices",
	Doc:    "the elements of t in ascending order along dim and their int64 indices; the order is stable, NaN comes last",
	Schema: "sort(Tensor self, int dim) -> (Tensor, Tensor)",
	DTypes: anyDType,
	Infer:  sorted,
	Kernel: kernels.Sort,
	Reads:  out1,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(c.zeros(0).ScatterAdd(c.Attrs().Int("dim"), c.Output(1), dy))
	},
	Samples: sortSamples,
	Source:  "NumPy's sort of kind stable",
}

var opArgSort = opRow{
	Name: "arg_sort", Method: "ArgSort",
	Doc:     "the int64 indices of the elements of t in ascending order along dim; the order is stable, NaN comes last",
	Schema:  "arg_sort(Tensor self, int dim) -> Tensor",
	DTypes:  anyDType,
	Infer:   along(alwaysInt64),
	Kernel:  kernels.ArgSort,
	NoGrad:  "the result is an index",
	Samples: sortSamples,
	Source:  "NumPy's argsort of kind stable",
}

var opTopK = opRow{
	Name: "top_k", Method: "TopK", Results: "values, indices",
	Doc:    "the k largest elements of t along dim, largest first, and their int64 indices; of equal ones the first, NaN is largest",
	Schema: "top_k(Tensor self, int dim, int k) -> (Tensor, Tensor)",
	DTypes: anyDType,
	Infer:  topOf,
	Kernel: kernels.TopK,
	Reads:  out1,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(c.zeros(0).ScatterAdd(c.Attrs().Int("dim"), c.Output(1), dy))
	},
	Samples: topKSamples,
	Source:  "the head of a stable descending sort",
}

var opMaxAlong = opRow{
	Name: "max_along", Method: "MaxAlong", Results: "values, indices",
	Doc:    "the largest element of t along dim and its int64 index; of equal ones the first, NaN wins",
	Schema: "max_along(Tensor self, int dim, bool keepdim) -> (Tensor, Tensor)",
	DTypes: anyDType,
	Infer:  pickedWithValue,
	Kernel: kernels.MaxAlong,
	Reads:  out1,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(pickedGradient(c, dy))
	},
	Samples: pickAlongSamples,
	Source:  "NumPy's max and argmax; the gradient goes to the element of the index",
}

var opMinAlong = opRow{
	Name: "min_along", Method: "MinAlong", Results: "values, indices",
	Doc:    "the smallest element of t along dim and its int64 index; of equal ones the first, NaN wins",
	Schema: "min_along(Tensor self, int dim, bool keepdim) -> (Tensor, Tensor)",
	DTypes: anyDType,
	Infer:  pickedWithValue,
	Kernel: kernels.MinAlong,
	Reads:  out1,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		return one(pickedGradient(c, dy))
	},
	Samples: pickAlongSamples,
	Source:  "NumPy's min and argmin; the gradient goes to the element of the index",
}

// pickedGradient puts the gradient of an extremum where its index points.
func pickedGradient(c *vjp, dy *Tensor) *Tensor {
	d, index := c.Attrs().Int("dim"), c.Output(1)
	if !c.Attrs().Bool("keepdim") {
		index, dy = index.Unsqueeze(d), dy.Unsqueeze(d)
	}
	return c.zeros(0).ScatterAdd(d, index, dy)
}

var opCumMax = opRow{
	Name: "cum_max", Method: "CumMax",
	Doc:     "the largest element of t so far along dim; NaN from the first NaN on",
	Schema:  "cum_max(Tensor self, int dim) -> Tensor",
	InPlace: "cum_max_(Tensor(a!) self, int dim) -> Tensor(a!)",
	DTypes:  anyDType,
	Infer:   along(keepDType),
	Kernel:  kernels.CumMax,
	Reads:   in0,
	VJP: func(c *vjp, dy *Tensor) []*Tensor {
		d := c.Attrs().Int("dim")
		where := apply(idCumArgMax, c.Attrs(), c.Input(0))
		return one(c.zeros(0).ScatterAdd(d, where, dy))
	},
	Samples: sortSamples,
	Source:  "NumPy's maximum.accumulate; the gradient goes to the element that was largest first",
}

var opCumArgMax = opRow{
	Name: "cum_arg_max", Internal: true,
	Doc:     "the int64 index of the largest element of t so far along dim; of equal ones the first",
	Schema:  "cum_arg_max(Tensor self, int dim) -> Tensor",
	DTypes:  anyDType,
	Infer:   along(alwaysInt64),
	Kernel:  kernels.CumArgMax,
	NoGrad:  "the result is an index",
	Samples: sortSamples,
	Source:  "where the running maximum was reached",
}

var opSearchSorted = opRow{
	Name: "search_sorted", Method: "SearchSorted",
	Doc:     "the int64 places at which the elements of values would keep the sorted vector t sorted: before equal elements, behind them when right is true",
	Schema:  "search_sorted(Tensor self, Tensor values, bool right) -> Tensor",
	DTypes:  anyDType,
	Infer:   searched,
	Kernel:  kernels.SearchSorted,
	NoGrad:  "the result is an index",
	Samples: searchSamples,
	Source:  "NumPy's searchsorted",
}

var opNonzero = opRow{
	Name: "nonzero", Method: "Nonzero",
	Doc:           "the int64 indices of the elements of t that are not 0 or false, one row for each, in row-major order",
	Schema:        "nonzero(Tensor self) -> Tensor",
	DTypes:        anyDType,
	Infer:         nonzeroRows,
	DataDependent: "the number of rows depends on the elements",
	Rows:          kernels.CountNonzero,
	Kernel:        kernels.Nonzero,
	NoGrad:        "the result is an index",
	Samples:       nonzeroSamples,
	Source:        "NumPy's argwhere",
}
