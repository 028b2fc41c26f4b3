package hop

import (
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// Tensors whose sizes are integers that may be symbolic. With plain numbers each is the function without Sym.

// ZerosSym returns a tensor of shape dims with every element 0 or false; see [Zeros].
//
// Aliasing: the result is fresh.
// Errors: panics with *[Error] for negative sizes and for shapes larger than memory; of sizes that depend on data when the
// graph runs.
//
//hop:returns fresh
func ZerosSym(dt DType, dims ...Int) *Tensor { return fullSym("ZerosSym", dt, 0, dims) }

// OnesSym returns a tensor of shape dims with every element 1 or true; see [Ones].
//
// Aliasing, errors: as for [ZerosSym].
//
//hop:returns fresh
func OnesSym(dt DType, dims ...Int) *Tensor { return fullSym("OnesSym", dt, 1, dims) }

// FullSym returns a tensor of shape dims with every element v; see [Full].
//
// Aliasing, errors: as for [ZerosSym], and for a v that dt does not hold exactly.
//
//hop:returns fresh
func FullSym(dt DType, v float64, dims ...Int) *Tensor { return fullSym("FullSym", dt, v, dims) }

func fullSym(fn string, dt DType, v float64, dims []Int) *Tensor {
	if plain, ok := plainInts(dims); ok {
		return full(fn, dt, v, plain)
	}
	return recordSym(symFull, dims, tracer.Attrs{attr("dtype", dt), attr("value", v), tracer.IntsAttr("dims", exprs(dims))})
}

// ArangeSym returns the numbers 0 to n-1 in a tensor of shape [n]; see [Arange].
//
// Aliasing, errors: as for [ZerosSym], and for bool.
//
//hop:returns fresh
func ArangeSym(dt DType, n Int) *Tensor {
	if n.value == nil {
		return Arange(dt, n.n)
	}
	return recordSym(symArange, []Int{n}, tracer.Attrs{attr("dtype", dt), tracer.IntAttr("n", n.expr())})
}

// UniformSym returns numbers drawn evenly from [0, 1), of shape dims; see [Uniform].
//
// Aliasing, errors: as for [Uniform].
//
//hop:returns fresh
func UniformSym(key *Tensor, dt DType, dims ...Int) *Tensor {
	return applySym(idUniform, dims, tracer.Attrs{attr("dtype", dt), tracer.IntsAttr("dims", exprs(dims))}, key)
}

// NormalSym returns numbers drawn from the normal distribution, of shape dims; see [Normal].
//
// Aliasing, errors: as for [Normal].
//
//hop:returns fresh
func NormalSym(key *Tensor, dt DType, dims ...Int) *Tensor {
	return applySym(idNormal, dims, tracer.Attrs{attr("dtype", dt), tracer.IntsAttr("dims", exprs(dims))}, key)
}

// applySym runs an op of the table whose attributes are made of integers. A traced integer makes traced tensors of the
// operands.
func applySym(id opID, ints []Int, list tracer.Attrs, ts ...*Tensor) *Tensor {
	for _, t := range ts {
		if t == nil || t.isZero() {
			return apply(id, list, ts...) // which refuses it
		}
	}
	if tr := traceOfInts(ints...); tr != nil {
		ts = inTraceOf(tr, ts)
		bring(traceOf(ts), ints)
	}
	return apply(id, list, ts...)
}

// inTraceOf returns ts as tensors of a trace, at the places on the tape that they have.
func inTraceOf(tr *tracer.SubgraphTracer, ts []*Tensor) []*Tensor {
	ts = slices.Clone(ts)
	for i, t := range ts {
		if traced(t) == nil {
			ts[i] = ofValue(valueIn(tr, t))
			ts[i].tape = t.tape
		}
	}
	return ts
}

// ViewSym returns t in the shape dims, in which one -1 is computed; see [Tensor.View].
//
// Aliasing: a view of t.
// Errors, gradient: as for [Tensor.View].
//
//hop:returns view(t)
func (t *Tensor) ViewSym(dims ...Int) *Tensor {
	return applySym(idView, dims, tracer.Attrs{tracer.IntsAttr("dims", exprs(dims))}, t)
}

// ReshapeSym returns t in the shape dims, in which one -1 is computed; see [Tensor.Reshape].
//
// Aliasing: a view of t where that is possible, else a copy.
// Errors, gradient: as for [Tensor.Reshape].
//
//hop:returns view(t)|fresh
func (t *Tensor) ReshapeSym(dims ...Int) *Tensor {
	return applySym(idReshape, dims, tracer.Attrs{tracer.IntsAttr("dims", exprs(dims))}, t)
}

// ExpandSym returns t stretched to dims without a copy: size 1 repeats, -1 keeps a size; see [Tensor.Expand].
//
// Aliasing: a view of t.
// Errors, gradient: as for [Tensor.Expand].
//
//hop:returns view(t)
func (t *Tensor) ExpandSym(dims ...Int) *Tensor {
	return applySym(idExpand, dims, tracer.Attrs{tracer.IntsAttr("dims", exprs(dims))}, t)
}

// NarrowSym returns the length elements of dim from start on; see [Tensor.Narrow].
//
// Aliasing: a view of t.
// Errors, gradient: as for [Tensor.Narrow]; integers that depend on data are checked when the graph runs.
//
//hop:returns view(t)
func (t *Tensor) NarrowSym(dim int, start, length Int) *Tensor {
	return applySym(idNarrow, []Int{start, length}, tracer.Attrs{attr("dim", dim), tracer.IntAttr("start", start.expr()), tracer.IntAttr("length", length.expr())}, t)
}

// SliceSym returns every step-th element of dim from start up to stop, which are clipped to the dim; see [Tensor.Slice].
//
// Aliasing: a view of t.
// Errors, gradient: as for [Tensor.Slice].
//
//hop:returns view(t)
func (t *Tensor) SliceSym(dim int, start, stop Int, step int) *Tensor {
	return applySym(idSlice, []Int{start, stop}, tracer.Attrs{attr("dim", dim), tracer.IntAttr("start", start.expr()), tracer.IntAttr("stop", stop.expr()), attr("step", step)}, t)
}

// SelectSym returns element index of dim; the dim is dropped; see [Tensor.Select].
//
// Aliasing: a view of t.
// Errors, gradient: as for [Tensor.Select]; an index that depends on data is checked when the graph runs.
//
//hop:returns view(t)
func (t *Tensor) SelectSym(dim int, index Int) *Tensor {
	return applySym(idSelect, []Int{index}, tracer.Attrs{attr("dim", dim), tracer.IntAttr("index", index.expr())}, t)
}

// AddSym returns t + n.
//
// Shapes: that of t; n takes the dtype of t.
// Aliasing: the result is fresh.
// Gradient: that of [Tensor.AddScalar].
//
//hop:returns fresh
func (t *Tensor) AddSym(n Int) *Tensor { return t.Add(t.number(n)) }

// SubSym returns t - n; see [Tensor.AddSym].
//
//hop:returns fresh
func (t *Tensor) SubSym(n Int) *Tensor { return t.Sub(t.number(n)) }

// MulSym returns t · n; see [Tensor.AddSym].
//
//hop:returns fresh
func (t *Tensor) MulSym(n Int) *Tensor { return t.Mul(t.number(n)) }

// DivSym returns t / n; see [Tensor.AddSym].
//
//hop:returns fresh
func (t *Tensor) DivSym(n Int) *Tensor { return t.Div(t.number(n)) }

// number returns n as a scalar for an op with t. t joins the trace of n first, so that inputs of a body stand in the order
// in which the user names them.
func (t *Tensor) number(n Int) *Tensor {
	if t == nil || t.isZero() {
		misuse("AddSym", "tensor is %s; make one with FromSlice, Zeros, Full, …", nilOrZero(t))
	}
	if tr := traceOfInts(n); tr != nil {
		if _, err := tr.Use(valueIn(tr, t)); err != nil {
			panic(fromTracer(err))
		}
	}
	return n.Tensor(t.DType())
}
