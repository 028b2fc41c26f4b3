package hop

import (
	"cmp"
	"math"
	"slices"
)

// indexReferences are those of ops that index, rearrange and order elements.
var indexReferences = map[string]reference{
	"roll": func(c refCall) ref {
		a := c.args[0]
		d := place(c.attrs.Int("dim"), len(a.shape))
		return build(a.dt, a.shape, func(i []int) float64 {
			return a.at(with(i, d, counted(i[d]-c.attrs.Int("shift")%a.shape[d], a.shape[d])))
		})
	},
	"repeat": func(c refCall) ref {
		a, n := c.args[0], c.attrs.Int("n")
		d := place(c.attrs.Int("dim"), len(a.shape))
		return build(a.dt, with(a.shape, d, a.shape[d]*n), func(i []int) float64 { return a.at(with(i, d, i[d]/n)) })
	},
	"pad": func(c refCall) ref {
		a, before := c.args[0], c.attrs.Int("before")
		d := place(c.attrs.Int("dim"), len(a.shape))
		return build(a.dt, with(a.shape, d, a.shape[d]+before+c.attrs.Int("after")), func(i []int) float64 {
			if k := i[d] - before; k >= 0 && k < a.shape[d] {
				return a.v[pos(a.shape, with(i, d, k))]
			}
			return c.attrs.Float("value")
		})
	},
	"tril": triangleRef(func(i, j, k float64) bool { return j-i <= k }),
	"triu": triangleRef(func(i, j, k float64) bool { return j-i >= k }),

	"gather": func(c refCall) ref {
		a, index := c.args[0], c.args[1]
		d := place(c.attrs.Int("dim"), len(a.shape))
		shape := with(broadcastRef([]ref{{shape: with(a.shape, d, 1)}, {shape: with(index.shape, d, 1)}}), d, index.shape[d])
		return build(a.dt, shape, func(i []int) float64 {
			k := counted(int(index.at(i)), a.shape[d])
			return ref{shape: with(a.shape, d, max(a.shape[d], 2)), v: widened(a, d)}.at(with(i, d, k))
		})
	},
	"index_select": func(c refCall) ref {
		a, index := c.args[0], c.args[1]
		d := place(c.attrs.Int("dim"), len(a.shape))
		return build(a.dt, with(a.shape, d, len(index.v)), func(i []int) float64 {
			return a.v[pos(a.shape, with(i, d, counted(int(index.v[i[d]]), a.shape[d])))]
		})
	},
	"take": func(c refCall) ref {
		a, index := c.args[0], c.args[1]
		return build(a.dt, index.shape, func(i []int) float64 { return a.v[counted(int(index.at(i)), len(a.v))] })
	},
	"scatter":     scatterRef(func(_, src float64) float64 { return src }),
	"scatter_add": scatterRef(func(old, src float64) float64 { return old + src }),
	"one_hot": func(c refCall) ref {
		index, n := c.args[0], c.attrs.Int("n")
		return build(c.attrs.DType("dtype"), append(slices.Clone(index.shape), n), func(i []int) float64 {
			last := len(i) - 1
			return truth(counted(int(index.at(i[:last])), n) == i[last])
		})
	},
	"at": func(c refCall) ref {
		a := c.args[0]
		d := place(c.attrs.Int("dim"), len(a.shape))
		k := counted(int(c.args[1].v[0]), a.shape[d])
		return build(a.dt, slices.Delete(slices.Clone(a.shape), d, d+1), func(i []int) float64 {
			return a.at(slices.Insert(slices.Clone(i), d, k))
		})
	},
	"put_at": func(c refCall) ref {
		a, v := c.args[0], c.args[2]
		d := place(c.attrs.Int("dim"), len(a.shape))
		k := counted(int(c.args[1].v[0]), a.shape[d])
		return build(a.dt, a.shape, func(i []int) float64 {
			if i[d] == k {
				return v.at(slices.Delete(slices.Clone(i), d, d+1))
			}
			return a.at(i)
		})
	},

	"sort":        line(same, func(xs []float64, i int) float64 { return xs[ascending(xs)[i]] }),
	"arg_sort":    line(int64s, func(xs []float64, i int) float64 { return float64(ascending(xs)[i]) }),
	"top_k":       topRef(same, func(xs []float64, k int) float64 { return xs[k] }),
	"max_along":   grouped(same, func(xs []float64) float64 { return xs[int(firstExtreme(xs, 1))] }),
	"min_along":   grouped(same, func(xs []float64) float64 { return xs[int(firstExtreme(xs, -1))] }),
	"cum_max":     line(same, func(xs []float64, i int) float64 { return xs[int(firstExtreme(xs[:i+1], 1))] }),
	"cum_arg_max": line(int64s, func(xs []float64, i int) float64 { return firstExtreme(xs[:i+1], 1) }),
	"search_sorted": func(c refCall) ref {
		a, v := c.args[0], c.args[1]
		return build(Int64, v.shape, func(i []int) float64 {
			before := 0.0
			for _, x := range a.v {
				if order := nanLast(x, v.at(i)); order < 0 || order == 0 && c.attrs.Bool("right") {
					before++
				}
			}
			return before
		})
	},
	"nonzero": func(c refCall) ref {
		a := c.args[0]
		r := ref{dt: Int64}
		rows := 0
		for _, index := range indices(a.shape) {
			if a.v[pos(a.shape, index)] != 0 {
				rows++
				for _, i := range index {
					r.v = append(r.v, float64(i))
				}
			}
		}
		r.shape = []int{rows, len(a.shape)}
		return r
	},
}

// moreIndexReferences are those of second results.
var moreIndexReferences = map[string][]reference{
	"sort":      {indexReferences["arg_sort"]},
	"top_k":     {topRef(int64s, func(_ []float64, k int) float64 { return float64(k) })},
	"max_along": {grouped(int64s, func(xs []float64) float64 { return firstExtreme(xs, 1) })},
	"min_along": {grouped(int64s, func(xs []float64) float64 { return firstExtreme(xs, -1) })},
}

func int64s(DType) DType { return Int64 }

// counted counts an index from the front.
func counted(k, size int) int { return (k + size) % size }

// widened repeats the elements of a dim of size 1, so that at does not take it for a broadcast one.
func widened(a ref, d int) []float64 {
	if a.shape[d] != 1 {
		return a.v
	}
	return build(a.dt, with(a.shape, d, 2), func(i []int) float64 { return a.v[pos(a.shape, with(i, d, 0))] }).v
}

func triangleRef(keeps func(i, j, k float64) bool) reference {
	return func(c refCall) ref {
		a := c.args[0]
		return build(a.dt, a.shape, func(i []int) float64 {
			n := len(i)
			if keeps(float64(i[n-2]), float64(i[n-1]), float64(c.attrs.Int("k"))) {
				return a.v[pos(a.shape, i)]
			}
			return 0
		})
	}
}

// scatterRef combines the old element at each place with the new ones in turn.
func scatterRef(combine func(old, src float64) float64) reference {
	return func(c refCall) ref {
		a, index, src := c.args[0], c.args[1], c.args[2]
		d := place(c.attrs.Int("dim"), len(a.shape))
		out := ref{a.dt, a.shape, slices.Clone(a.v)}
		for _, i := range indices(with(a.shape, d, index.shape[d])) {
			p := pos(a.shape, with(i, d, counted(int(index.at(i)), a.shape[d])))
			out.v[p] = combine(out.v[p], src.at(i))
		}
		return out
	}
}

// nanLast compares as sorting does: NaN is largest.
func nanLast(x, y float64) int {
	if math.IsNaN(x) || math.IsNaN(y) {
		return cmp.Compare(truth(math.IsNaN(x)), truth(math.IsNaN(y)))
	}
	return cmp.Compare(x, y)
}

// ascending returns the indices of xs in stable order by insertion.
func ascending(xs []float64) []int {
	var order []int
	for i, x := range xs {
		at := len(order)
		for at > 0 && nanLast(x, xs[order[at-1]]) < 0 {
			at--
		}
		order = slices.Insert(order, at, i)
	}
	return order
}

func topRef(result func(DType) DType, f func(xs []float64, k int) float64) reference {
	return func(c refCall) ref {
		a := c.args[0]
		d := place(c.attrs.Int("dim"), len(a.shape))
		return build(result(a.dt), with(a.shape, d, c.attrs.Int("k")), func(i []int) float64 {
			var xs []float64
			for k := range a.shape[d] {
				xs = append(xs, a.v[pos(a.shape, with(i, d, k))])
			}
			var descending []int
			for j, x := range xs {
				at := len(descending)
				for at > 0 && nanLast(x, xs[descending[at-1]]) > 0 {
					at--
				}
				descending = slices.Insert(descending, at, j)
			}
			return f(xs, descending[i[d]])
		})
	}
}

// firstExtreme is the index of the first NaN, or else of the first largest (sign 1) or smallest (sign -1) element.
func firstExtreme(xs []float64, sign float64) float64 {
	best := 0
	for i, x := range xs {
		if math.IsNaN(x) {
			return float64(i)
		}
		if sign*x > sign*xs[best] {
			best = i
		}
	}
	return float64(best)
}
