package hop_test

import (
	"math"
	"slices"

	"github.com/hoplint/hoplint/runtime/hop"
)

// The ops of the law that look at several elements at once.

// lines calls f for each line of a along d, with the line's elements, and puts what f returns into its place.
func lines(a *lawArray, d int, shape []int, dt hop.DType, f func(line []lawCell) []lawCell) *lawArray {
	out := newLawArray(dt, shape)
	last := func(b *lawArray) *lawArray {
		rest, strides := slices.Delete(slices.Clone(b.shape), d, d+1), slices.Delete(slices.Clone(b.strides), d, d+1)
		return b.window(append(rest, b.shape[d]), append(strides, b.strides[d]), b.off)
	}
	in, to := last(a).values(), last(out).offsets()
	n, m := a.shape[d], shape[d]
	if m == 0 {
		return out
	}
	for k := 0; k*m < len(to); k++ {
		for i, v := range f(in[k*n : (k+1)*n]) {
			(*out.cells)[to[k*m+i]] = v
		}
	}
	return out
}

// along is an op on each line that keeps the shape; ints[0] is the dim.
func along(f func(a T, dim int) T, dtypes []hop.DType, line func(m *lawMachine, dt hop.DType, at lawAttrs, l []lawCell) []lawCell) lawOp {
	return lawOp{hop: func(a []T, at lawAttrs) T { return f(a[0], at.ints[0]) }, dtypes: dtypes,
		ref: func(m *lawMachine, a []*lawArray, at lawAttrs) *lawArray {
			return lines(a[0], at.ints[0], a[0].shape, a[0].dt, func(l []lawCell) []lawCell { return line(m, a[0].dt, at, l) })
		}}
}

// reducing is an op over the dims ints[1:]; ints[0] is 1 to keep them.
func reducing(f, keep func(a T, dims ...int) T, dtypes []hop.DType, to func(dt hop.DType) hop.DType,
	fold func(m *lawMachine, dt hop.DType, l []lawCell) lawCell) lawOp {
	return lawOp{dtypes: dtypes, hop: func(a []T, at lawAttrs) T {
		if at.ints[0] == 1 {
			return keep(a[0], at.ints[1:]...)
		}
		return f(a[0], at.ints[1:]...)
	}, ref: func(m *lawMachine, a []*lawArray, at lawAttrs) *lawArray {
		dims := at.ints[1:]
		if len(dims) == 0 {
			for d := range a[0].shape {
				dims = append(dims, d)
			}
		}
		x, shape, kept := a[0], []int{}, []int{}
		strides := []int{}
		var inner, innerStrides []int
		for d, n := range x.shape {
			if slices.Contains(dims, d) {
				inner, innerStrides = append(inner, n), append(innerStrides, x.strides[d])
				kept = append(kept, 1)
				continue
			}
			shape, strides, kept = append(shape, n), append(strides, x.strides[d]), append(kept, n)
		}
		all := x.window(append(slices.Clone(shape), inner...), append(strides, innerStrides...), x.off).values()
		n := elementsOf(inner)
		if at.ints[0] == 1 {
			shape = kept
		}
		out := newLawArray(to(x.dt), shape)
		for k := range *out.cells {
			(*out.cells)[k] = fold(m, x.dt, all[k*n:(k+1)*n])
		}
		return out
	}}
}

func same(dt hop.DType) hop.DType { return dt }

func summed(dt hop.DType) hop.DType {
	if dt == hop.Bool {
		return hop.Int64
	}
	return dt
}

func sumOf(m *lawMachine, dt hop.DType, l []lawCell) lawCell {
	sum := lawCell{}
	for _, v := range l {
		sum.i += v.i
		sum.f += m.float(dt, v.f).f
	}
	if !dt.IsFloat() {
		return lawCell{i: sum.i}
	}
	return m.float(dt, sum.f)
}

// largest returns the position of the first largest element; sign -1 for the smallest.
func largest(m *lawMachine, dt hop.DType, l []lawCell, sign int64, hash *uint64) int {
	best := 0
	for k, v := range l {
		if dt.IsFloat() {
			s := signOf(v.f - l[best].f)
			m.decide(hash, s)
			if s*sign > 0 {
				best = k
			}
			if math.IsNaN(v.f) {
				m.decide(&m.hard, m.rng.Int64())
			}
		} else if v.i != l[best].i && (v.i > l[best].i) == (sign > 0) {
			best = k
		}
	}
	return best
}

// lawWholeOps are the ops that join, order or reduce elements.
var lawWholeOps = map[string]lawOp{
	"sum": reducing(T.Sum, T.SumKeepDims, lawAny, summed, sumOf),
	"mean": reducing(T.Mean, T.MeanKeepDims, lawFloats, same, func(m *lawMachine, dt hop.DType, l []lawCell) lawCell {
		return m.float(dt, sumOf(m, dt, l).f/float64(len(l)))
	}),
	"max": reducing(T.Max, T.MaxKeepDims, lawNumbers, same, func(m *lawMachine, dt hop.DType, l []lawCell) lawCell {
		return l[largest(m, dt, l, 1, &m.soft)]
	}),
	"min": reducing(T.Min, T.MinKeepDims, lawNumbers, same, func(m *lawMachine, dt hop.DType, l []lawCell) lawCell {
		return l[largest(m, dt, l, -1, &m.soft)]
	}),
	"any": reducing(T.Any, T.AnyKeepDims, lawBools, same, func(_ *lawMachine, _ hop.DType, l []lawCell) lawCell {
		return lawCell{i: truth(slices.Contains(l, lawCell{i: 1}))}
	}),
	"all": reducing(T.All, T.AllKeepDims, lawBools, same, func(_ *lawMachine, _ hop.DType, l []lawCell) lawCell {
		return lawCell{i: truth(!slices.Contains(l, lawCell{}))}
	}),
	"var": reducing(T.Var, T.VarKeepDims, lawFloats, same, func(m *lawMachine, dt hop.DType, l []lawCell) lawCell {
		mean := sumOf(m, dt, l).f / float64(len(l))
		var squares []lawCell
		for _, v := range l {
			squares = append(squares, m.float(dt, (v.f-mean)*(v.f-mean)))
		}
		return m.float(dt, sumOf(m, dt, squares).f/float64(len(l)))
	}),
	"log_sum_exp": reducing(T.LogSumExp, T.LogSumExpKeepDims, lawFloats, same, func(m *lawMachine, dt hop.DType, l []lawCell) lawCell {
		top, sum := l[0].f, 0.0
		for _, v := range l {
			top = math.Max(top, v.f)
		}
		for _, v := range l {
			sum += m.float(dt, math.Exp(v.f-top)).f
		}
		return m.float(dt, top+math.Log(sum))
	}),
	"arg_max": {hop: func(a []T, at lawAttrs) T { return a[0].ArgMax(at.ints[0]) }, dtypes: lawNumbers,
		ref: func(m *lawMachine, a []*lawArray, at lawAttrs) *lawArray {
			shape := slices.Clone(a[0].shape)
			shape[at.ints[0]] = 1
			r := lines(a[0], at.ints[0], shape, hop.Int64, func(l []lawCell) []lawCell {
				return []lawCell{{i: int64(largest(m, a[0].dt, l, 1, &m.hard))}}
			})
			return r.sel(at.ints[0], 0).clone()
		}},
	"softmax": along(func(a T, d int) T { return a.Softmax(d) }, lawFloats, func(m *lawMachine, dt hop.DType, _ lawAttrs, l []lawCell) []lawCell {
		top, sum := math.Inf(-1), 0.0
		for _, v := range l {
			top = math.Max(top, v.f)
		}
		out := slices.Clone(l)
		for k, v := range l {
			out[k] = m.float(dt, math.Exp(v.f-top))
			sum += out[k].f
		}
		for k, v := range out {
			out[k] = m.float(dt, v.f/sum)
		}
		return out
	}),
	"cum_sum": along(T.CumSum, lawNumbers, func(m *lawMachine, dt hop.DType, _ lawAttrs, l []lawCell) []lawCell {
		out := slices.Clone(l)
		for k := 1; k < len(l); k++ {
			out[k].i += out[k-1].i
			if dt.IsFloat() {
				out[k] = m.float(dt, out[k].f+out[k-1].f)
			}
		}
		return out
	}),
	"cum_prod": along(T.CumProd, lawNumbers, func(m *lawMachine, dt hop.DType, _ lawAttrs, l []lawCell) []lawCell {
		out := slices.Clone(l)
		for k := 1; k < len(l); k++ {
			out[k].i *= out[k-1].i
			if dt.IsFloat() {
				out[k] = m.float(dt, out[k].f*out[k-1].f)
			}
		}
		return out
	}),
	"flip": along(func(a T, d int) T { return a.Flip(d) }, lawAny, func(_ *lawMachine, _ hop.DType, _ lawAttrs, l []lawCell) []lawCell {
		out := slices.Clone(l)
		slices.Reverse(out)
		return out
	}),
	"sort": along(func(a T, d int) T { v, _ := a.Sort(d); return v }, lawNumbers, func(m *lawMachine, dt hop.DType, _ lawAttrs, l []lawCell) []lawCell {
		out := slices.Clone(l)
		slices.SortStableFunc(out, func(a, b lawCell) int {
			if dt.IsFloat() {
				return int(signOf(a.f - b.f))
			}
			return int(truth(a.i > b.i) - truth(a.i < b.i))
		})
		for i := range l {
			for j := range i {
				m.decide(&m.soft, signOf(l[i].f-l[j].f))
			}
		}
		return out
	}),
	"concat": {hop: func(a []T, at lawAttrs) T { return hop.Concat(at.ints[0], a...) }, dtypes: lawAny,
		ref: func(_ *lawMachine, a []*lawArray, at lawAttrs) *lawArray {
			d, shape := at.ints[0], slices.Clone(a[0].shape)
			shape[d] += a[1].shape[d]
			out := newLawArray(a[0].dt, shape)
			narrowed(out, []int{d, 0, a[0].shape[d]}).store(a[0])
			narrowed(out, []int{d, a[0].shape[d], a[1].shape[d]}).store(a[1])
			return out
		}},
	"stack": {hop: func(a []T, at lawAttrs) T { return hop.Stack(at.ints[0], a...) }, dtypes: lawAny,
		ref: func(_ *lawMachine, a []*lawArray, at lawAttrs) *lawArray {
			out := newLawArray(a[0].dt, slices.Insert(slices.Clone(a[0].shape), at.ints[0], 2))
			out.sel(at.ints[0], 0).store(a[0])
			out.sel(at.ints[0], 1).store(a[1])
			return out
		}},
	"matmul": {hop: func(a []T, _ lawAttrs) T { return a[0].MatMul(a[1]) }, dtypes: lawNumbers, ref: matmulRef},
	// at and put take any index of the dim: it is brought into range first.
	"at": {hop: func(a []T, at lawAttrs) T {
		return a[0].At(at.ints[0], a[1].Mod(a[0].SymDim(at.ints[0]).Tensor(hop.Int64)))
	}, dtypes: lawAny,
		ref: func(_ *lawMachine, a []*lawArray, at lawAttrs) *lawArray {
			return a[0].sel(at.ints[0], indexOf(a[1].values()[0], a[0].shape[at.ints[0]])).clone()
		}},
	"put": {hop: func(a []T, at lawAttrs) T {
		return a[0].Put(at.ints[0], a[1].Mod(a[0].SymDim(at.ints[0]).Tensor(hop.Int64)), a[2])
	}, dtypes: lawAny,
		inPlace: func(a []T, at lawAttrs) T {
			return a[0].PutInPlace(at.ints[0], a[1].Mod(a[0].SymDim(at.ints[0]).Tensor(hop.Int64)), a[2])
		},
		ref: func(_ *lawMachine, a []*lawArray, at lawAttrs) *lawArray {
			out := a[0].clone()
			out.sel(at.ints[0], indexOf(a[1].values()[0], a[0].shape[at.ints[0]])).store(a[2])
			return out
		}},
	"index_select": {hop: func(a []T, at lawAttrs) T {
		return a[0].IndexSelect(at.ints[0], a[1].Mod(a[0].SymDim(at.ints[0]).Tensor(hop.Int64)))
	}, dtypes: lawAny,
		ref: func(_ *lawMachine, a []*lawArray, at lawAttrs) *lawArray {
			d, shape := at.ints[0], slices.Clone(a[0].shape)
			index := a[1].values()
			shape[d] = len(index)
			out := newLawArray(a[0].dt, shape)
			for k, i := range index {
				out.sel(d, k).store(a[0].sel(d, indexOf(i, a[0].shape[d])))
			}
			return out
		}},
}

// indexOf brings an index into 0 … n-1.
func indexOf(c lawCell, n int) int { return int(((c.i % int64(n)) + int64(n)) % int64(n)) }

// matmulRef is the product of matrices and vectors, not batched.
func matmulRef(m *lawMachine, a []*lawArray, _ lawAttrs) *lawArray {
	x, y := a[0], a[1]
	var shape []int
	if len(x.shape) == 2 {
		shape = append(shape, x.shape[0])
	} else {
		x = x.window([]int{1, x.shape[0]}, []int{0, x.strides[0]}, x.off)
	}
	if len(y.shape) == 2 {
		shape = append(shape, y.shape[1])
	} else {
		y = y.window([]int{y.shape[0], 1}, []int{y.strides[0], 0}, y.off)
	}
	var out []lawCell
	for i := range x.shape[0] {
		for j := range y.shape[1] {
			l, r := x.sel(0, i).values(), y.sel(1, j).values()
			products := make([]lawCell, len(l))
			for k := range l {
				if products[k] = (lawCell{i: l[k].i * r[k].i}); x.dt.IsFloat() {
					products[k] = m.float(x.dt, l[k].f*r[k].f)
				}
			}
			out = append(out, sumOf(m, x.dt, products))
		}
	}
	return arrayOf(x.dt, shape, out)
}
