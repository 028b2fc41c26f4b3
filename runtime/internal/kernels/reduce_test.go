package kernels

import (
	"math"
	"slices"
	"testing"

	"github.com/hoplint/hoplint/tracer"
)

// reduction reference: the numbers of one result, in row-major order of the reduced dims.
type reduceCase struct {
	name   string
	kernel Kernel
	pairs  [][2]tracer.DType // dtype of the argument and of the result
	// floats gives the value and the largest error that is allowed; ints is exact.
	floats func(x []float64, u float64) (want, tol float64)
	ints   func(x []int64) num
	// noEmpty marks that zero elements are an error.
	noEmpty bool
}

func sumOf(x []float64) float64 {
	s, c := 0.0, 0.0 // Neumaier's sum: far more exact than what it checks
	for _, v := range x {
		t := s + v
		if math.Abs(s) >= math.Abs(v) {
			c += s - t + v
		} else {
			c += v - t + s
		}
		s = t
	}
	if math.IsNaN(c) {
		return s
	}
	return s + c
}

func absSum(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += math.Abs(v)
	}
	return s
}

// steps is the factor of the documented error bounds, for up to four reduced dims.
func steps(n int) float64 { return 31 + 4*math.Ceil(math.Log2(float64(max(n, 2)))) }

func pairsOf(dts []tracer.DType, extra ...[2]tracer.DType) (p [][2]tracer.DType) {
	for _, dt := range dts {
		p = append(p, [2]tracer.DType{dt, dt})
	}
	return append(p, extra...)
}

func reduceCases() []reduceCase {
	i32, i64, boolean, f64 := tracer.Int32, tracer.Int64, tracer.Bool, tracer.Float64
	toInt64 := [][2]tracer.DType{{boolean, i64}, {i32, i64}}
	toBool := [][2]tracer.DType{{boolean, boolean}, {i32, boolean}, {i64, boolean}, {tracer.Float32, boolean}, {f64, boolean}}
	return []reduceCase{
		{name: "sum", kernel: Sum, pairs: pairsOf(numbers, toInt64...),
			floats: func(x []float64, u float64) (float64, float64) { return sumOf(x), steps(len(x)) * u * absSum(x) },
			ints: func(x []int64) (n num) {
				for _, v := range x {
					n.i += v
				}
				return n
			}},
		{name: "prod", kernel: Prod, pairs: pairsOf(numbers, toInt64...),
			floats: func(x []float64, u float64) (float64, float64) {
				p := 1.0
				for _, v := range x {
					p *= v
				}
				if a := math.Abs(p); a > 1e30 || a < 1e-30 {
					return p, math.Inf(1) // an intermediate may leave the range of float32
				}
				return p, 2 * float64(len(x)) * u * math.Abs(p)
			},
			ints: func(x []int64) num {
				n := num{i: 1}
				for _, v := range x {
					n.i *= v
				}
				return n
			}},
		{name: "mean", kernel: Mean, pairs: pairsOf(floats, [2]tracer.DType{i64, f64}, [2]tracer.DType{boolean, f64}),
			floats: func(x []float64, u float64) (float64, float64) {
				n := float64(len(x))
				return sumOf(x) / n, (2 + steps(len(x))) * u * absSum(x) / n
			},
			ints: func(x []int64) num {
				s := int64(0)
				for _, v := range x {
					s += v
				}
				return num{f: float64(s) / float64(len(x))}
			}},
		{name: "var", kernel: Var, pairs: pairsOf(floats),
			floats: func(x []float64, u float64) (float64, float64) {
				n := float64(len(x))
				mean := sumOf(x) / n
				var d []float64
				for _, v := range x {
					d = append(d, (v-mean)*(v-mean))
				}
				s := sumOf(d) / n
				big := absSum(x) / n
				return s, 200 * u * (s + big*big)
			}},
		{name: "max", kernel: Max, pairs: pairsOf(allDTypes), noEmpty: true,
			floats: func(x []float64, _ float64) (float64, float64) {
				m := math.Inf(-1)
				for _, v := range x {
					m = math.Max(m, v)
					if v != v {
						return v, 0
					}
				}
				return m, 0
			},
			ints: func(x []int64) num { return num{i: slices.Max(x)} }},
		{name: "min", kernel: Min, pairs: pairsOf(allDTypes), noEmpty: true,
			floats: func(x []float64, _ float64) (float64, float64) {
				m := math.Inf(1)
				for _, v := range x {
					m = math.Min(m, v)
					if v != v {
						return v, 0
					}
				}
				return m, 0
			},
			ints: func(x []int64) num { return num{i: slices.Min(x)} }},
		{name: "any", kernel: Any, pairs: toBool,
			floats: func(x []float64, _ float64) (float64, float64) {
				return float64(bit(slices.ContainsFunc(x, func(v float64) bool { return v != 0 }))), 0
			},
			ints: func(x []int64) num { return num{i: bit(slices.ContainsFunc(x, func(v int64) bool { return v != 0 }))} }},
		{name: "all", kernel: All, pairs: toBool,
			floats: func(x []float64, _ float64) (float64, float64) { return float64(bit(!slices.Contains(x, 0))), 0 },
			ints:   func(x []int64) num { return num{i: bit(!slices.Contains(x, 0))} }},
		{name: "log_sum_exp", kernel: LogSumExp, pairs: pairsOf(floats),
			floats: func(x []float64, u float64) (float64, float64) {
				m := math.Inf(-1)
				for _, v := range x {
					m = max(m, v)
				}
				if len(x) == 0 || math.IsInf(m, 0) || m != m {
					return m, 0
				}
				s := 0.0
				for _, v := range x {
					s += math.Exp(v - m)
				}
				return m + math.Log(s), 40 * u * (1 + math.Abs(m))
			}},
	}
}

// reducedShape drops the dims, or keeps them with size 1.
func reducedShape(shape, dims []int, keep bool) (out []int) {
	out = []int{}
	for d, n := range shape {
		if reduced := len(dims) == 0 || slices.Contains(dims, d); !reduced {
			out = append(out, n)
		} else if keep {
			out = append(out, 1)
		}
	}
	return out
}

func unit(dt tracer.DType) float64 {
	if dt == tracer.Float32 {
		return 0x1p-24
	}
	return 0x1p-53
}

func TestReductionsEqualDefinition(t *testing.T) {
	for _, c := range reduceCases() {
		for _, pair := range c.pairs {
			t.Run(c.name+"/"+pair[0].Short()+"/"+pair[1].Short(), func(t *testing.T) {
				r := newSource(uint64(pair[0])*8 + uint64(pair[1]))
				for i := range 80 {
					r.plain = i%2 == 0 || c.name == "var" || c.name == "sum" || c.name == "mean" || c.name == "prod"
					runReduction(t, r, c, pair[0], pair[1])
				}
			})
		}
	}
}

func runReduction(t *testing.T, r source, c reduceCase, in, out tracer.DType) {
	t.Helper()
	shape := r.shape()
	if len(shape) > 0 && r.IntN(4) == 0 {
		shape[r.IntN(len(shape))] = 100 + r.IntN(300)
		shape = shape[:min(len(shape), 2)]
	}
	var dims []int
	for d := range shape {
		if r.IntN(2) == 0 {
			dims = append(dims, d)
		}
	}
	keep := r.IntN(2) == 0
	a := r.window(in, shape)
	call := Call{In: []Array{a}, Out: []Array{dirty(out, reducedShape(shape, dims, keep)...)}, Attrs: attrs("dims", dims, "keepdim", keep)}
	err := c.kernel.Run(&call)
	kept := reducedShape(shape, dims, true)
	inputs := make([][]num, NumElems(kept))
	eachIndex(shape, func(_ int, idx []int) {
		pos := 0
		for d, n := range kept {
			i := idx[d]
			if n == 1 {
				i = 0
			}
			pos = pos*n + i
		}
		inputs[pos] = append(inputs[pos], numAt(&a, idx))
	})
	if empty := len(inputs) > 0 && len(inputs[0]) == 0; empty && c.noEmpty {
		if err == nil {
			t.Fatalf("%s of no elements: got no error", c.name)
		}
		return
	}
	if err != nil {
		t.Fatalf("%s of%s over %v: %v", c.name, describe(call.In), dims, err)
	}
	eachIndex(call.Out[0].Shape, func(i int, idx []int) {
		got := numAt(&call.Out[0], idx)
		if in.IsFloat() {
			x := make([]float64, len(inputs[i]))
			for k, v := range inputs[i] {
				x[k] = v.f
			}
			want, tol := c.floats(x, unit(in))
			if out == tracer.Bool {
				got.f = float64(got.i)
			} else {
				tol += unit(in) * math.Abs(want)
			}
			if got.f != got.f && want != want || got.f == want || math.Abs(got.f-want) <= tol || math.IsInf(tol, 1) {
				return
			}
			t.Fatalf("%s of%s over %v at %v: got %v, want %v ± %v", c.name, describe(call.In), dims, idx, got.f, want, tol)
		}
		x := make([]int64, len(inputs[i]))
		for k, v := range inputs[i] {
			x[k] = v.i
		}
		if want := c.ints(x).rounded(out); !agree(got, want, out, 0) {
			t.Fatalf("%s of%s over %v at %v: got %s, want %s", c.name, describe(call.In), dims, idx, got.show(out), want.show(out))
		}
	})
}

func TestReductionsOfNothingGiveTheIdentity(t *testing.T) {
	for _, c := range []struct {
		name   string
		kernel Kernel
		want   float64
	}{{"sum", Sum, 0}, {"prod", Prod, 1}, {"mean", Mean, math.NaN()}, {"var", Var, math.NaN()}, {"log_sum_exp", LogSumExp, math.Inf(-1)}} {
		call := Call{In: []Array{New(tracer.Float64, 0, 2)}, Out: []Array{dirty(tracer.Float64, 2)}, Attrs: attrs("dims", []int{0}, "keepdim", false)}
		if err := c.kernel.Run(&call); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		for i, got := range Elems[float64](call.Out[0]) {
			if got != c.want && (got == got || c.want == c.want) {
				t.Errorf("%s of nothing, result %d: got %v, want %v", c.name, i, got, c.want)
			}
		}
	}
}

// TestLongFloatSumKeepsItsBound: a plain loop in float32 is off by far more.
func TestLongFloatSumKeepsItsBound(t *testing.T) {
	const n = 1 << 20
	data, exact, total := make([]float32, n), 0.0, 0.0
	for i := range data {
		data[i] = float32(i%1000)*1e-3 + 0.1
		exact += float64(data[i])
		total += math.Abs(float64(data[i]))
	}
	call := Call{In: []Array{Of(data, n)}, Out: []Array{New(tracer.Float32)}}
	if err := Sum.Run(&call); err != nil {
		t.Fatal(err)
	}
	got := float64(Elems[float32](call.Out[0])[0])
	if bound := (19 + math.Ceil(math.Log2(n/128))) * 0x1p-24 * total; math.Abs(got-exact) > bound {
		t.Errorf("got %v, want %v ± %v", got, exact, bound)
	}
}

func TestLinesEqualDefinition(t *testing.T) {
	cases := []struct {
		name   string
		kernel Kernel
		pairs  [][2]tracer.DType
		line   func(x []num, in tracer.DType) []num
		ulps   float64
	}{
		{"cum_sum", CumSum, pairsOf(numbers, [2]tracer.DType{tracer.Int32, tracer.Int64}, [2]tracer.DType{tracer.Bool, tracer.Int64}), refCum(func(a, b num) num { return num{a.f + b.f, a.i + b.i} }, num{}), 0},
		{"cum_prod", CumProd, pairsOf(numbers, [2]tracer.DType{tracer.Int32, tracer.Int64}), refCum(func(a, b num) num { return num{a.f * b.f, a.i * b.i} }, num{1, 1}), 0},
		{"arg_max", ArgMax, toIndex(), refArg(func(a, b num) bool { return a.f > b.f || a.i > b.i }), 0},
		{"arg_min", ArgMin, toIndex(), refArg(func(a, b num) bool { return a.f < b.f || a.i < b.i }), 0},
		{"softmax", Softmax, pairsOf(floats), refSoftmax(false), 60},
		{"log_softmax", LogSoftmax, pairsOf(floats), refSoftmax(true), 60},
	}
	for _, c := range cases {
		for _, pair := range c.pairs {
			t.Run(c.name+"/"+pair[0].Short()+"/"+pair[1].Short(), func(t *testing.T) {
				r := newSource(uint64(pair[0]))
				for range 80 {
					shape := append(r.shape(), 1+r.IntN(5))
					dim := r.IntN(len(shape))
					a := r.window(pair[0], shape)
					outShape := shape
					arg := c.name == "arg_max" || c.name == "arg_min"
					if arg {
						outShape = reducedShape(shape, []int{dim}, r.IntN(2) == 0)
					}
					call := Call{In: []Array{a}, Out: []Array{dirty(pair[1], outShape...)}, Attrs: attrs("dim", dim)}
					err := c.kernel.Run(&call)
					if arg && shape[dim] == 0 && NumElems(outShape) > 0 {
						if err == nil {
							t.Fatalf("%s of%s along %d: got no error", c.name, describe(call.In), dim)
						}
						continue
					}
					if err != nil {
						t.Fatal(err)
					}
					if len(shape) == 0 || NumElems(shape) == 0 {
						continue
					}
					heads := append([]int{}, shape...)
					heads[dim] = 1
					eachIndex(heads, func(i int, idx []int) {
						var x []num
						at := append([]int{}, idx...)
						for k := range shape[dim] {
							at[dim] = k
							x = append(x, numAt(&a, at))
						}
						for k, want := range c.line(x, pair[1]) {
							at[dim] = k
							pos := Array{Ptr: call.Out[0].Ptr, DType: pair[1], Shape: outShape, Strides: ContiguousStrides(outShape)}
							where := at
							if arg && len(outShape) < len(shape) {
								where = slices.Delete(append([]int{}, at...), dim, dim+1)
							}
							if got := numAt(&pos, where); !agree(got, want, pair[1], c.ulps) {
								t.Fatalf("%s of%s along %d at %v: line %v: got %s, want %s", c.name, describe(call.In), dim, at, x, got.show(pair[1]), want.show(pair[1]))
							}
						}
					})
				}
			})
		}
	}
}

func toIndex() (p [][2]tracer.DType) {
	for _, dt := range allDTypes {
		p = append(p, [2]tracer.DType{dt, tracer.Int64})
	}
	return p
}

func refCum(f func(a, b num) num, start num) func(x []num, out tracer.DType) []num {
	return func(x []num, out tracer.DType) (ys []num) {
		acc := start
		for _, v := range x {
			acc = f(acc, v).rounded(out)
			ys = append(ys, acc)
		}
		return ys
	}
}

func refArg(better func(a, b num) bool) func(x []num, _ tracer.DType) []num {
	return func(x []num, _ tracer.DType) []num {
		best := 0
		for i, v := range x {
			if v.f != v.f {
				return []num{{i: int64(i)}}
			}
			if better(v, x[best]) {
				best = i
			}
		}
		return []num{{i: int64(best)}}
	}
}

func refSoftmax(logarithm bool) func(x []num, out tracer.DType) []num {
	return func(x []num, out tracer.DType) []num {
		m, s := math.Inf(-1), 0.0
		for _, v := range x {
			m = math.Max(m, v.f)
		}
		for _, v := range x {
			s += math.Exp(v.f - m)
		}
		ys := make([]num, len(x))
		for i, v := range x {
			ys[i].f = math.Exp(v.f-m) / s
			if logarithm {
				// The difference of two large floats is rounded in the element type.
				d := num{f: v.f - m}.rounded(out).f
				ys[i].f = d - math.Log(s)
			}
			ys[i] = ys[i].rounded(out)
		}
		return ys
	}
}
