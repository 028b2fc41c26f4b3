package hop

import (
	"maps"
	"math"
	"slices"
)

// references has one independent reference for each row of the op table.
var references = union(baseReferences, indexReferences, randomReferences)

// union puts the references of all families together.
func union[R any](families ...map[string]R) map[string]R {
	all := map[string]R{}
	for _, f := range families {
		maps.Copy(all, f)
	}
	return all
}

var baseReferences = map[string]reference{
	"add":     map2(func(x, y float64) float64 { return x + y }),
	"sub":     map2(func(x, y float64) float64 { return x - y }),
	"mul":     map2(func(x, y float64) float64 { return x * y }),
	"div":     exact(floorDivRef, divRef)(map2),
	"pow":     map2(math.Pow),
	"mod":     map2(floorMod),
	"maximum": map2(math.Max),
	"minimum": map2(math.Min),
	"atan2":   map2(math.Atan2),

	"add_scalar":     scalarRef(func(x, y float64) float64 { return x + y }),
	"sub_scalar":     scalarRef(func(x, y float64) float64 { return x - y }),
	"rsub_scalar":    scalarRef(func(x, y float64) float64 { return y - x }),
	"mul_scalar":     scalarRef(func(x, y float64) float64 { return x * y }),
	"div_scalar":     exact(floorDivRef, divRef)(scalarRef),
	"pow_scalar":     scalarRef(math.Pow),
	"mod_scalar":     scalarRef(floorMod),
	"maximum_scalar": scalarRef(math.Max),
	"minimum_scalar": scalarRef(math.Min),
	"clamp": func(c refCall) ref {
		return map1(func(x float64) float64 { return math.Min(math.Max(x, c.attrs.Float("lo")), c.attrs.Float("hi")) })(c)
	},

	"eq": asBool(map2(eqRef)), "ne": asBool(map2(neRef)), "lt": asBool(map2(ltRef)),
	"le": asBool(map2(leRef)), "gt": asBool(map2(gtRef)), "ge": asBool(map2(geRef)),
	"eq_scalar": asBool(scalarRef(eqRef)), "ne_scalar": asBool(scalarRef(neRef)), "lt_scalar": asBool(scalarRef(ltRef)),
	"le_scalar": asBool(scalarRef(leRef)), "gt_scalar": asBool(scalarRef(gtRef)), "ge_scalar": asBool(scalarRef(geRef)),
	"and": bitwise(func(x, y int64) int64 { return x & y }),
	"or":  bitwise(func(x, y int64) int64 { return x | y }),
	"xor": bitwise(func(x, y int64) int64 { return x ^ y }),
	"not": func(c refCall) ref {
		return map1(func(x float64) float64 {
			if c.args[0].dt == Bool {
				return 1 - x
			}
			return -x - 1
		})(c)
	},
	"is_nan": asBool(map1(func(x float64) float64 { return truth(math.IsNaN(x)) })),
	"where": func(c refCall) ref {
		return build(c.args[1].dt, broadcastRef(c.args), func(i []int) float64 {
			if c.args[0].at(i) != 0 {
				return c.args[1].at(i)
			}
			return c.args[2].at(i)
		})
	},

	"neg":        map1(func(x float64) float64 { return -x }),
	"abs":        map1(math.Abs),
	"sign":       map1(func(x float64) float64 { return truth(x > 0) - truth(x < 0) }),
	"square":     map1(func(x float64) float64 { return x * x }),
	"one_minus":  map1(func(x float64) float64 { return 1 - x }),
	"reciprocal": map1(func(x float64) float64 { return 1 / x }),
	"relu":       map1(func(x float64) float64 { return math.Max(x, 0) }),
	"sqrt":       map1(math.Sqrt),
	"rsqrt":      map1(func(x float64) float64 { return 1 / math.Sqrt(x) }),
	"floor":      map1(math.Floor),
	"ceil":       map1(math.Ceil),
	"round":      map1(math.RoundToEven),
	"exp":        map1(math.Exp),
	"expm1":      map1(math.Expm1),
	"log":        map1(math.Log),
	"log1p":      map1(math.Log1p),
	"sin":        map1(math.Sin),
	"cos":        map1(math.Cos),
	"tan":        map1(func(x float64) float64 { return math.Sin(x) / math.Cos(x) }),
	"tanh":       map1(func(x float64) float64 { return 1 - 2/(math.Exp(2*x)+1) }),
	"asin":       map1(func(x float64) float64 { return math.Atan2(x, math.Sqrt(1-x*x)) }),
	"acos":       map1(func(x float64) float64 { return math.Atan2(math.Sqrt(1-x*x), x) }),
	"atan":       map1(func(x float64) float64 { return math.Atan2(x, 1) }),
	"sinh":       map1(func(x float64) float64 { return (math.Exp(x) - math.Exp(-x)) / 2 }),
	"cosh":       map1(func(x float64) float64 { return (math.Exp(x) + math.Exp(-x)) / 2 }),
	"sigmoid":    map1(func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }),
	"gelu":       map1(func(x float64) float64 { return x * 0.5 * (1 + math.Erf(x/math.Sqrt2)) }),
	"softplus":   map1(func(x float64) float64 { return math.Log(1 + math.Exp(x)) }),
	"erf":        map1(math.Erf),

	"sum":  grouped(wide, total),
	"prod": grouped(wide, product),
	"mean": grouped(func(d DType) DType {
		if d.IsFloat() {
			return d
		}
		return Float64
	}, mean),
	"max": grouped(same, slices.Max[[]float64]),
	"min": grouped(same, slices.Min[[]float64]),
	"var": grouped(same, func(xs []float64) float64 {
		m, sum := mean(xs), 0.0
		for _, x := range xs {
			sum += (x - m) * (x - m)
		}
		return sum / float64(len(xs))
	}),
	"log_sum_exp": grouped(same, func(xs []float64) float64 {
		sum := 0.0
		for _, x := range xs {
			sum += math.Exp(x)
		}
		return math.Log(sum)
	}),
	"any": grouped(func(DType) DType { return Bool }, func(xs []float64) float64 {
		return truth(slices.ContainsFunc(xs, func(x float64) bool { return x != 0 }))
	}),
	"all":     grouped(func(DType) DType { return Bool }, func(xs []float64) float64 { return truth(!slices.Contains(xs, 0)) }),
	"arg_max": grouped(func(DType) DType { return Int64 }, best(func(x, y float64) bool { return x > y })),
	"arg_min": grouped(func(DType) DType { return Int64 }, best(func(x, y float64) bool { return x < y })),

	"softmax":     line(same, softmaxRef),
	"log_softmax": line(same, func(xs []float64, i int) float64 { return math.Log(softmaxRef(xs, i)) }),
	"cum_sum":     line(wide, func(xs []float64, i int) float64 { return total(xs[:i+1]) }),
	"cum_prod":    line(wide, func(xs []float64, i int) float64 { return product(xs[:i+1]) }),
	"flip": picture(func(c refCall, shape []int) ([]int, func([]int) []int) {
		turned := make([]bool, len(shape))
		for d := range turned {
			turned[d] = len(c.attrs.Ints("dims")) == 0
		}
		for _, d := range c.attrs.Ints("dims") {
			turned[place(d, len(shape))] = true
		}
		return shape, func(i []int) []int {
			out := slices.Clone(i)
			for d := range out {
				if turned[d] {
					out[d] = shape[d] - 1 - i[d]
				}
			}
			return out
		}
	}),

	"narrow": picture(func(c refCall, shape []int) ([]int, func([]int) []int) {
		d := place(c.attrs.Int("dim"), len(shape))
		start := c.attrs.Int("start")
		if start < 0 {
			start += shape[d]
		}
		return with(shape, d, c.attrs.Int("length")), func(i []int) []int { return with(i, d, i[d]+start) }
	}),
	"slice": picture(func(c refCall, shape []int) ([]int, func([]int) []int) {
		d := place(c.attrs.Int("dim"), len(shape))
		start, stop := c.attrs.Int("start"), c.attrs.Int("stop")
		if start < 0 {
			start += shape[d]
		}
		var kept []int
		for i := start; i < min(stop, shape[d]); i += c.attrs.Int("step") {
			kept = append(kept, i)
		}
		return with(shape, d, len(kept)), func(i []int) []int { return with(i, d, kept[i[d]]) }
	}),
	"select": picture(func(c refCall, shape []int) ([]int, func([]int) []int) {
		d, k := place(c.attrs.Int("dim"), len(shape)), c.attrs.Int("index")
		return slices.Delete(slices.Clone(shape), d, d+1), func(i []int) []int {
			return slices.Insert(slices.Clone(i), d, place(k, shape[d]))
		}
	}),
	"transpose": picture(func(c refCall, shape []int) ([]int, func([]int) []int) {
		a, b := place(c.attrs.Int("a"), len(shape)), place(c.attrs.Int("b"), len(shape))
		swap := func(i []int) []int { return with(with(i, a, i[b]), b, i[a]) }
		return swap(shape), swap
	}),
	"permute": picture(func(c refCall, shape []int) ([]int, func([]int) []int) {
		dims := c.attrs.Ints("dims")
		out := make([]int, len(dims))
		for k, d := range dims {
			out[k] = shape[place(d, len(shape))]
		}
		return out, func(i []int) []int {
			from := make([]int, len(i))
			for k, d := range dims {
				from[place(d, len(shape))] = i[k]
			}
			return from
		}
	}),
	"expand": picture(func(c refCall, shape []int) ([]int, func([]int) []int) {
		out := slices.Clone(c.attrs.Ints("dims"))
		for k := range out {
			if out[k] == -1 {
				out[k] = shape[k-(len(out)-len(shape))]
			}
		}
		return out, func(i []int) []int { return i }
	}),
	"diagonal": picture(func(c refCall, shape []int) ([]int, func([]int) []int) {
		a, b, k := place(c.attrs.Int("a"), len(shape)), place(c.attrs.Int("b"), len(shape)), c.attrs.Int("offset")
		n := 0
		for r := range shape[a] {
			if r+k >= 0 && r+k < shape[b] {
				n++
			}
		}
		var out []int
		for d, s := range shape {
			if d != a && d != b {
				out = append(out, s)
			}
		}
		return append(out, n), func(i []int) []int {
			from, rest := make([]int, len(shape)), i
			for d := range shape {
				switch d {
				case a:
					from[d] = i[len(i)-1] + max(-k, 0)
				case b:
					from[d] = i[len(i)-1] + max(k, 0)
				default:
					from[d], rest = rest[0], rest[1:]
				}
			}
			return from
		}
	}),
	"view": rows(solved), "reshape": rows(solved),
	"flatten": rows(func(_ refCall, n int) []int { return []int{n} }),
	"squeeze": rows(func(c refCall, _ int) []int {
		var out []int
		shape, dims := c.args[0].shape, c.attrs.Ints("dims")
		for d, n := range shape {
			named := slices.ContainsFunc(dims, func(k int) bool { return place(k, len(shape)) == d })
			if n != 1 || len(dims) > 0 && !named {
				out = append(out, n)
			}
		}
		return out
	}),
	"unsqueeze": rows(func(c refCall, _ int) []int {
		shape := c.args[0].shape
		return slices.Insert(slices.Clone(shape), place(c.attrs.Int("dim"), len(shape)+1), 1)
	}),
	"detach": map1(func(x float64) float64 { return x }),
	"as_strided": func(c refCall) ref {
		return build(c.args[0].dt, c.attrs.Ints("shape"), func(i []int) float64 {
			at := c.attrs.Int("offset")
			for d, k := range i {
				at += k * c.attrs.Ints("strides")[d]
			}
			return c.args[0].v[at]
		})
	},

	"clone": map1(func(x float64) float64 { return x }),
	"cast": func(c refCall) ref {
		dt := c.attrs.DType("dtype")
		r := map1(func(x float64) float64 {
			switch {
			case dt == Bool:
				return truth(x != 0)
			case dt.IsInt():
				return math.Trunc(x)
			case dt == Float32:
				return float64(float32(x))
			default:
				return x
			}
		})(c)
		r.dt = dt
		return r
	},
	"concat": func(c refCall) ref {
		first := c.args[0]
		d, sum := place(c.attrs.Int("dim"), len(first.shape)), 0
		for _, a := range c.args {
			sum += a.shape[d]
		}
		return build(first.dt, with(first.shape, d, sum), func(i []int) float64 {
			k := i[d]
			for _, a := range c.args {
				if k < a.shape[d] {
					return a.v[pos(a.shape, with(i, d, k))]
				}
				k -= a.shape[d]
			}
			panic("index beyond all parts")
		})
	},
	"stack": func(c refCall) ref {
		first := c.args[0]
		d := place(c.attrs.Int("dim"), len(first.shape)+1)
		return build(first.dt, slices.Insert(slices.Clone(first.shape), d, len(c.args)), func(i []int) float64 {
			return c.args[i[d]].at(slices.Delete(slices.Clone(i), d, d+1))
		})
	},

	"matmul": matmulRef,
	"dot": func(c refCall) ref {
		sum := 0.0
		for i, x := range c.args[0].v {
			sum += x * c.args[1].v[i]
		}
		return ref{c.args[0].dt, []int{}, []float64{sum}}
	},
	"outer": func(c refCall) ref {
		a, b := c.args[0], c.args[1]
		return build(a.dt, []int{len(a.v), len(b.v)}, func(i []int) float64 { return a.v[i[0]] * b.v[i[1]] })
	},

	"norm": grouped(same, func(xs []float64) float64 {
		n := 0.0
		for _, x := range xs {
			n = math.Hypot(n, x)
		}
		return n
	}),
	"det":              detRef(func(det float64) float64 { return det }),
	"log_det":          detRef(math.Log),
	"cofactor":         fromMatrices(cofactorsRef),
	"inverse":          fromMatrices(inverseRef),
	"cholesky":         fromMatrices(choleskyRef),
	"solve":            systemRef(cramerRef),
	"solve_triangular": systemRef(triangularRef),
	"qr":               qrRef(true),
	"einsum":           einsumRef,
	"conv1d":           conv1dRef,
	"conv1d_input":     conv1dInputRef,
	"conv1d_weight":    conv1dWeightRef,

	"copy_from": func(c refCall) ref { return build(c.args[0].dt, c.args[0].shape, c.args[1].at) },
	"fill":      constant(func(c refCall) float64 { return c.attrs.Float("value") }),
	"set":       constant(func(c refCall) float64 { return c.attrs.Float("value") }),
	"zero":      constant(func(refCall) float64 { return 0 }),
}

// moreReferences are those of the second result and on, for the rows that have several.
var moreReferences = union(moreIndexReferences, map[string][]reference{
	"qr": {qrRef(false)},
})

func divRef(x, y float64) float64      { return x / y }
func floorDivRef(x, y float64) float64 { return math.Floor(x / y) }

func eqRef(x, y float64) float64 { return truth(x == y) }
func neRef(x, y float64) float64 { return truth(x != y) }
func ltRef(x, y float64) float64 { return truth(x < y) }
func leRef(x, y float64) float64 { return truth(x <= y) }
func gtRef(x, y float64) float64 { return truth(x > y) }
func geRef(x, y float64) float64 { return truth(x >= y) }

// with returns a copy of list with v at d.
func with(list []int, d, v int) []int {
	out := slices.Clone(list)
	out[d] = v
	return out
}

// pos is the row-major position of an index.
func pos(shape, index []int) int {
	p := 0
	for d, n := range shape {
		p = p*n + index[d]
	}
	return p
}

func matmulRef(c refCall) ref {
	a, b := c.args[0], c.args[1]
	row, column := len(a.shape) == 1, len(b.shape) == 1
	if row {
		a.shape = []int{1, a.shape[0]}
	}
	if column {
		b.shape = []int{b.shape[0], 1}
	}
	n, k, m := a.shape[len(a.shape)-2], a.shape[len(a.shape)-1], b.shape[len(b.shape)-1]
	batch := broadcastRef([]ref{{shape: a.shape[:len(a.shape)-2]}, {shape: b.shape[:len(b.shape)-2]}})
	full := build(a.dt, append(slices.Clone(batch), n, m), func(i []int) float64 {
		at := func(r ref, row, column int) float64 {
			index := append(slices.Clone(i[:len(batch)]), row, column)
			index = index[len(index)-len(r.shape):]
			for d := range len(r.shape) - 2 {
				if r.shape[d] == 1 {
					index[d] = 0
				}
			}
			return r.v[pos(r.shape, index)]
		}
		sum := 0.0
		for j := range k {
			sum += at(a, i[len(i)-2], j) * at(b, j, i[len(i)-1])
		}
		return sum
	})
	shape := batch
	if !row {
		shape = append(shape, n)
	}
	if !column {
		shape = append(shape, m)
	}
	full.shape = append([]int{}, shape...)
	return full
}
