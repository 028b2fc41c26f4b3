package hop_test

import (
	"maps"
	"math"
	"slices"

	"github.com/hoplint/hoplint/runtime/hop"
)

// The ops that programs of the law are made of: each as the library does it and as plain loops do.

// lawOp is one op. accepts says for which operands it may be generated; the dtypes of several operands are equal unless
// it looks at them itself.
type lawOp struct {
	hop     func(a []T, at lawAttrs) T
	inPlace func(a []T, at lawAttrs) T
	ref     func(m *lawMachine, a []*lawArray, at lawAttrs) *lawArray
	dtypes  []hop.DType // of the first operand
	view    bool        // the result may share storage with the first operand
}

var (
	lawFloats  = []hop.DType{hop.Float64, hop.Float32}
	lawNumbers = []hop.DType{hop.Float64, hop.Float32, hop.Int64}
	lawBools   = []hop.DType{hop.Bool}
	lawAny     = []hop.DType{hop.Float64, hop.Float32, hop.Int64, hop.Bool}
)

// map1 is f of every element.
func map1(a *lawArray, dt hop.DType, f func(lawCell) lawCell) *lawArray {
	values := a.values()
	for k, v := range values {
		values[k] = f(v)
	}
	return arrayOf(dt, a.shape, values)
}

// map2 is f of all pairs of elements after broadcasting.
func map2(a, b *lawArray, dt hop.DType, f func(x, y lawCell) lawCell) *lawArray {
	shape, ok := broadcast(a.shape, b.shape)
	if !ok {
		panic("shapes do not broadcast")
	}
	x, y := a.expand(shape).values(), b.expand(shape).values()
	for k := range x {
		x[k] = f(x[k], y[k])
	}
	return arrayOf(dt, shape, x)
}

// unary is an op on floats, and on integers where ints is not nil. bends is what f decides by.
func unary(f func(T) T, inPlace func(T) T, floats func(x float64) float64, ints func(x int64) int64, bends func(x float64) int64) lawOp {
	op := lawOp{hop: func(a []T, _ lawAttrs) T { return f(a[0]) }, dtypes: lawNumbers,
		ref: func(m *lawMachine, a []*lawArray, _ lawAttrs) *lawArray {
			return map1(a[0], a[0].dt, func(x lawCell) lawCell {
				if a[0].dt == hop.Int64 {
					return lawCell{i: ints(x.i)}
				}
				if bends != nil {
					m.decide(&m.soft, bends(x.f))
				}
				return m.float(a[0].dt, floats(x.f))
			})
		}}
	if inPlace != nil {
		op.inPlace = func(a []T, _ lawAttrs) T { return inPlace(a[0]) }
	}
	if ints == nil {
		op.dtypes = lawFloats
	}
	return op
}

func signOf(x float64) int64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// jumping is an op on floats whose result jumps.
func jumping(f, inPlace func(T) T, floats func(x float64) float64) lawOp {
	return lawOp{hop: func(a []T, _ lawAttrs) T { return f(a[0]) }, inPlace: func(a []T, _ lawAttrs) T { return inPlace(a[0]) }, dtypes: lawFloats,
		ref: func(m *lawMachine, a []*lawArray, _ lawAttrs) *lawArray {
			return map1(a[0], a[0].dt, func(x lawCell) lawCell {
				y := floats(x.f)
				m.decide(&m.hard, int64(math.Float64bits(y)))
				return lawCell{f: y}
			})
		}}
}

// scalar is an op with one number.
func scalar(f, inPlace func(T, float64) T, floats func(x, c float64) float64, ints func(x, c int64) int64, bends bool) lawOp {
	return lawOp{hop: func(a []T, at lawAttrs) T { return f(a[0], at.nums[0]) }, inPlace: func(a []T, at lawAttrs) T { return inPlace(a[0], at.nums[0]) },
		dtypes: lawNumbers,
		ref: func(m *lawMachine, a []*lawArray, at lawAttrs) *lawArray {
			c := at.nums[0]
			return map1(a[0], a[0].dt, func(x lawCell) lawCell {
				if a[0].dt == hop.Int64 {
					return lawCell{i: ints(x.i, int64(c))}
				}
				if bends {
					m.decide(&m.soft, signOf(x.f-c))
				}
				if a[0].dt == hop.Float32 && !m.exact {
					return m.float(a[0].dt, floats(x.f, float64(float32(c))))
				}
				return m.float(a[0].dt, floats(x.f, c))
			})
		}}
}

// binary is an op on two numbers of one dtype.
func binary(f, inPlace func(a, b T) T, floats func(x, y float64) float64, ints func(x, y int64) int64, bends bool) lawOp {
	op := lawOp{hop: func(a []T, _ lawAttrs) T { return f(a[0], a[1]) }, dtypes: lawNumbers,
		ref: func(m *lawMachine, a []*lawArray, _ lawAttrs) *lawArray {
			return map2(a[0], a[1], a[0].dt, func(x, y lawCell) lawCell {
				if a[0].dt == hop.Int64 {
					return lawCell{i: ints(x.i, y.i)}
				}
				if bends {
					m.decide(&m.soft, signOf(x.f-y.f))
				}
				return m.float(a[0].dt, floats(x.f, y.f))
			})
		}}
	if inPlace != nil {
		op.inPlace = func(a []T, _ lawAttrs) T { return inPlace(a[0], a[1]) }
	}
	if ints == nil {
		op.dtypes = lawFloats
	}
	return op
}

// logic is an op on two bools.
func logic(f, inPlace func(a, b T) T, ints func(x, y int64) int64) lawOp {
	op := binary(f, inPlace, nil, ints, false)
	op.dtypes = lawBools
	op.ref = func(_ *lawMachine, a []*lawArray, _ lawAttrs) *lawArray {
		return map2(a[0], a[1], hop.Bool, func(x, y lawCell) lawCell { return lawCell{i: ints(x.i, y.i)} })
	}
	return op
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// comparison is an op from two numbers to a bool; on is what it says of the sign of the difference.
func comparison(f func(a, b T) T, on func(sign int64) bool) lawOp {
	return lawOp{hop: func(a []T, _ lawAttrs) T { return f(a[0], a[1]) }, dtypes: lawNumbers,
		ref: func(m *lawMachine, a []*lawArray, _ lawAttrs) *lawArray {
			return map2(a[0], a[1], hop.Bool, func(x, y lawCell) lawCell {
				sign := signOf(x.f - y.f)
				if a[0].dt == hop.Int64 {
					sign = truth(x.i > y.i) - truth(x.i < y.i)
				} else {
					m.decide(&m.hard, sign)
				}
				if math.IsNaN(x.f - y.f) {
					m.decide(&m.hard, m.rng.Int64()) // Inf and NaN: nothing to learn
				}
				return lawCell{i: truth(on(sign))}
			})
		}}
}

// compareScalar is a comparison with a number.
func compareScalar(f func(a T, c float64) T, on func(sign int64) bool) lawOp {
	op := comparison(nil, on)
	ref := op.ref
	op.hop = func(a []T, at lawAttrs) T { return f(a[0], at.nums[0]) }
	op.ref = func(m *lawMachine, a []*lawArray, at lawAttrs) *lawArray {
		c := at.nums[0]
		if a[0].dt == hop.Float32 {
			c = float64(float32(c))
		}
		return ref(m, []*lawArray{a[0], arrayOf(a[0].dt, nil, []lawCell{{f: c, i: int64(at.nums[0])}})}, at)
	}
	return op
}

// viewing is an op whose result is a window on its operand.
func viewing(f func(a T, at lawAttrs) T, ref func(a *lawArray, at []int) *lawArray) lawOp {
	return lawOp{hop: func(a []T, at lawAttrs) T { return f(a[0], at) }, dtypes: lawAny, view: true,
		ref: func(_ *lawMachine, a []*lawArray, at lawAttrs) *lawArray { return ref(a[0], at.ints) }}
}

// reshapeRef is a view where the strides allow it, else a copy: dims are merged as long as they lie behind each other.
func reshapeRef(a *lawArray, shape []int) *lawArray {
	if elementsOf(a.shape) == 0 {
		return a.window(shape, newLawArray(a.dt, shape).strides, a.off)
	}
	var runs [][2]int // size and stride
	for d, n := range a.shape {
		if n == 1 {
			continue
		}
		if k := len(runs) - 1; k >= 0 && runs[k][1] == n*a.strides[d] {
			runs[k] = [2]int{runs[k][0] * n, a.strides[d]}
			continue
		}
		runs = append(runs, [2]int{n, a.strides[d]})
	}
	strides := make([]int, len(shape))
	k, used := len(runs)-1, 1
	for d := len(shape) - 1; d >= 0; d-- {
		if k < 0 || shape[d] == 1 {
			strides[d] = 1
			continue
		}
		strides[d] = used * runs[k][1]
		if used *= shape[d]; runs[k][0]%used != 0 {
			return arrayOf(a.dt, shape, a.values())
		}
		if used == runs[k][0] {
			k, used = k-1, 1
		}
	}
	return a.window(shape, strides, a.off)
}

// lawOps are all ops by name.
var lawOps = func() map[string]lawOp {
	all := maps.Clone(lawElementOps)
	maps.Copy(all, lawWholeOps)
	return all
}()

// lawElementOps are the ops that work element by element, and views.
var lawElementOps = map[string]lawOp{
	"neg":     unary(T.Neg, T.NegInPlace, func(x float64) float64 { return -x }, func(x int64) int64 { return -x }, nil),
	"tanh":    unary(T.Tanh, T.TanhInPlace, math.Tanh, nil, nil),
	"sin":     unary(T.Sin, T.SinInPlace, math.Sin, nil, nil),
	"cos":     unary(T.Cos, T.CosInPlace, math.Cos, nil, nil),
	"sigmoid": unary(T.Sigmoid, T.SigmoidInPlace, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, nil, nil),
	"erf":     unary(T.Erf, T.ErfInPlace, math.Erf, nil, nil),
	"one_minus": unary(T.OneMinus, T.OneMinusInPlace, func(x float64) float64 { return 1 - x },
		func(x int64) int64 { return 1 - x }, nil),
	"square": unary(T.Square, T.SquareInPlace, func(x float64) float64 { return x * x }, func(x int64) int64 { return x * x }, nil),
	"softplus": unary(T.Softplus, T.SoftplusInPlace, func(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) },
		nil, nil),
	"relu": unary(T.Relu, T.ReluInPlace, func(x float64) float64 { return math.Max(x, 0) }, func(x int64) int64 { return max(x, 0) }, signOf),
	"abs":  unary(T.Abs, T.AbsInPlace, math.Abs, func(x int64) int64 { return max(x, -x) }, signOf),
	"exp_tanh": unary(func(x T) T { return x.Tanh().Exp() }, func(x T) T { return x.TanhInPlace().ExpInPlace() },
		func(x float64) float64 { return math.Exp(math.Tanh(x)) }, nil, nil),
	"root": unary(func(x T) T { return x.Square().AddScalar(1).Sqrt() }, func(x T) T { return x.SquareInPlace().AddScalarInPlace(1).SqrtInPlace() },
		func(x float64) float64 { return math.Sqrt(x*x + 1) }, nil, nil),
	"log_root": unary(func(x T) T { return x.Mul(x).Log1p() }, nil, func(x float64) float64 { return math.Log1p(x * x) }, nil, nil),
	"bell":     unary(func(x T) T { return x.Mul(x).AddScalar(1).Reciprocal() }, nil, func(x float64) float64 { return 1 / (x*x + 1) }, nil, nil),
	"floor":    jumping(T.Floor, T.FloorInPlace, math.Floor),
	"round":    jumping(T.Round, T.RoundInPlace, math.RoundToEven),
	"sign":     jumping(T.Sign, T.SignInPlace, func(x float64) float64 { return float64(signOf(x)) }),
	"not": {hop: func(a []T, _ lawAttrs) T { return a[0].Not() }, inPlace: func(a []T, _ lawAttrs) T { return a[0].NotInPlace() }, dtypes: lawBools,
		ref: func(_ *lawMachine, a []*lawArray, _ lawAttrs) *lawArray {
			return map1(a[0], hop.Bool, func(x lawCell) lawCell { return lawCell{i: 1 - x.i} })
		}},

	"add_scalar": scalar(T.AddScalar, T.AddScalarInPlace, func(x, c float64) float64 { return x + c }, func(x, c int64) int64 { return x + c }, false),
	"mul_scalar": scalar(T.MulScalar, T.MulScalarInPlace, func(x, c float64) float64 { return x * c }, func(x, c int64) int64 { return x * c }, false),
	"rsub_scalar": scalar(T.RSubScalar, T.RSubScalarInPlace, func(x, c float64) float64 { return c - x },
		func(x, c int64) int64 { return c - x }, false),
	"maximum_scalar": scalar(T.MaximumScalar, T.MaximumScalarInPlace, math.Max, func(x, c int64) int64 { return max(x, c) }, true),

	"add": binary(T.Add, T.AddInPlace, func(x, y float64) float64 { return x + y }, func(x, y int64) int64 { return x + y }, false),
	"sub": binary(T.Sub, T.SubInPlace, func(x, y float64) float64 { return x - y }, func(x, y int64) int64 { return x - y }, false),
	"mul": binary(T.Mul, T.MulInPlace, func(x, y float64) float64 { return x * y }, func(x, y int64) int64 { return x * y }, false),
	"maximum": binary(T.Maximum, T.MaximumInPlace, math.Max, func(x, y int64) int64 { return max(x, y) },
		true),
	"minimum": binary(T.Minimum, T.MinimumInPlace, math.Min, func(x, y int64) int64 { return min(x, y) }, true),
	"div_root": binary(func(a, b T) T { return a.Div(b.Square().AddScalar(1)) }, nil, func(x, y float64) float64 { return x / (y*y + 1) },
		func(x, y int64) int64 { return floorDiv(x, y*y+1) }, false),
	"atan2": binary(func(a, b T) T { return a.Atan2(b.Square().AddScalar(1)) }, nil, func(x, y float64) float64 { return math.Atan2(x, y*y+1) }, nil, false),
	"and":   logic(T.And, T.AndInPlace, func(x, y int64) int64 { return x & y }),
	"or":    logic(T.Or, T.OrInPlace, func(x, y int64) int64 { return x | y }),
	"xor":   logic(T.Xor, T.XorInPlace, func(x, y int64) int64 { return x ^ y }),
	// copy_from exists in place only; as a value it is its second operand in the shape of the first.
	"copy_from": {hop: func(a []T, _ lawAttrs) T { return a[1].Expand(a[0].Shape()...).Clone() }, dtypes: lawAny,
		inPlace: func(a []T, _ lawAttrs) T { return a[0].CopyFrom(a[1]) },
		ref:     func(_ *lawMachine, a []*lawArray, _ lawAttrs) *lawArray { return a[1].expand(a[0].shape).clone() }},
	"fill": {hop: func(a []T, at lawAttrs) T { return hop.Full(a[0].DType(), at.nums[0], a[0].Shape()...) }, dtypes: lawAny,
		inPlace: func(a []T, at lawAttrs) T { return a[0].Fill(at.nums[0]) },
		ref: func(m *lawMachine, a []*lawArray, at lawAttrs) *lawArray {
			return filled(a[0].dt, a[0].shape, at.nums[0])
		}},

	"lt":        comparison(T.Lt, func(s int64) bool { return s < 0 }),
	"ge":        comparison(T.Ge, func(s int64) bool { return s >= 0 }),
	"eq":        comparison(T.Eq, func(s int64) bool { return s == 0 }),
	"gt_scalar": compareScalar(T.GtScalar, func(s int64) bool { return s > 0 }),
	"lt_scalar": compareScalar(T.LtScalar, func(s int64) bool { return s < 0 }),
	"le_scalar": compareScalar(T.LeScalar, func(s int64) bool { return s <= 0 }),
	"where": {hop: func(a []T, _ lawAttrs) T { return hop.Where(a[0], a[1], a[2]) }, dtypes: lawBools,
		ref: func(_ *lawMachine, a []*lawArray, _ lawAttrs) *lawArray {
			shape, _ := broadcast(a[0].shape, a[1].shape)
			shape, _ = broadcast(shape, a[2].shape)
			c, x, y := a[0].expand(shape).values(), a[1].expand(shape).values(), a[2].expand(shape).values()
			for k := range c {
				if c[k].i == 0 {
					x[k] = y[k]
				}
			}
			return arrayOf(a[1].dt, shape, x)
		}},
	"cast": {hop: func(a []T, at lawAttrs) T { return a[0].To(at.dt) }, dtypes: lawAny, view: true, ref: castRef},
	"full": {hop: func(_ []T, at lawAttrs) T {
		if at.open != nil {
			return hop.FullSym(at.dt, at.nums[0], at.open...)
		}
		return hop.Full(at.dt, at.nums[0], at.ints...)
	},
		ref: func(_ *lawMachine, _ []*lawArray, at lawAttrs) *lawArray {
			return filled(at.dt, at.ints, at.nums[0])
		}},
	"arange": {hop: func(_ []T, at lawAttrs) T {
		if at.open != nil {
			return hop.ArangeSym(at.dt, at.open[0])
		}
		return hop.Arange(at.dt, at.ints[0])
	},
		ref: func(_ *lawMachine, _ []*lawArray, at lawAttrs) *lawArray {
			a := newLawArray(at.dt, at.ints)
			for k := range *a.cells {
				(*a.cells)[k] = constant(at.dt, float64(k))
			}
			return a
		}},
	"clone": {hop: func(a []T, _ lawAttrs) T { return a[0].Clone() }, dtypes: lawAny,
		ref: func(_ *lawMachine, a []*lawArray, _ lawAttrs) *lawArray { return a[0].clone() }},

	"narrow": viewing(func(a T, at lawAttrs) T {
		if at.open != nil {
			return a.NarrowSym(at.ints[0], at.open[1], at.open[2])
		}
		return a.Narrow(at.ints[0], at.ints[1], at.ints[2])
	}, narrowed),
	"slice": viewing(func(a T, at lawAttrs) T { return a.Slice(at.ints[0], at.ints[1], at.ints[2], at.ints[3]) }, func(a *lawArray, at []int) *lawArray {
		shape, strides := slices.Clone(a.shape), slices.Clone(a.strides)
		d := at[0]
		start, stop := min(at[1], shape[d]), min(at[2], shape[d])
		shape[d] = max(stop-start+at[3]-1, 0) / at[3]
		strides[d] *= at[3]
		return a.window(shape, strides, a.off+start*a.strides[d])
	}),
	"select": viewing(func(a T, at lawAttrs) T { return a.Select(at.ints[0], at.ints[1]) },
		func(a *lawArray, at []int) *lawArray { return a.sel(at[0], at[1]) }),
	"transpose": viewing(func(a T, at lawAttrs) T { return a.Transpose(at.ints[0], at.ints[1]) }, func(a *lawArray, at []int) *lawArray {
		shape, strides := slices.Clone(a.shape), slices.Clone(a.strides)
		i, j := at[0], at[1]
		shape[i], shape[j], strides[i], strides[j] = shape[j], shape[i], strides[j], strides[i]
		return a.window(shape, strides, a.off)
	}),
	"expand": viewing(func(a T, at lawAttrs) T {
		if at.open != nil {
			return a.ExpandSym(at.open...)
		}
		return a.Expand(at.ints...)
	}, func(a *lawArray, at []int) *lawArray { return a.expand(at) }),
	"unsqueeze": viewing(func(a T, at lawAttrs) T { return a.Unsqueeze(at.ints[0]) }, func(a *lawArray, at []int) *lawArray {
		return a.window(slices.Insert(slices.Clone(a.shape), at[0], 1), slices.Insert(slices.Clone(a.strides), at[0], 1), a.off)
	}),
	"diagonal": viewing(func(a T, at lawAttrs) T { return a.Diagonal(0, 0, 1) }, func(a *lawArray, _ []int) *lawArray {
		n := min(a.shape[0], a.shape[1])
		return a.window(append(slices.Clone(a.shape[2:]), n), append(slices.Clone(a.strides[2:]), a.strides[0]+a.strides[1]), a.off)
	}),
	"reshape": viewing(func(a T, at lawAttrs) T {
		if at.open != nil {
			return a.ReshapeSym(at.open...)
		}
		return a.Reshape(at.ints...)
	}, reshapeRef),
}

// narrowed is a view of at[2] slices from at[1] on along at[0].
func narrowed(a *lawArray, at []int) *lawArray {
	shape := slices.Clone(a.shape)
	shape[at[0]] = at[2]
	return a.window(shape, a.strides, a.off+at[1]*a.strides[at[0]])
}

func filled(dt hop.DType, shape []int, v float64) *lawArray {
	return map1(newLawArray(dt, shape), dt, func(lawCell) lawCell { return constant(dt, v) })
}

func floorDiv(x, y int64) int64 {
	q := x / y
	if x%y != 0 && (x < 0) != (y < 0) {
		q--
	}
	return q
}

// constant is a number in a dtype.
func constant(dt hop.DType, v float64) lawCell {
	switch {
	case dt == hop.Float32:
		return lawCell{f: float64(float32(v))}
	case dt.IsFloat():
		return lawCell{f: v}
	case dt == hop.Bool:
		return lawCell{i: truth(v != 0)}
	}
	return lawCell{i: int64(v)}
}

func castRef(m *lawMachine, a []*lawArray, at lawAttrs) *lawArray {
	from, to := a[0].dt, at.dt
	if from == to {
		return a[0]
	}
	return map1(a[0], to, func(x lawCell) lawCell {
		switch {
		case from.IsFloat() && to.IsFloat():
			return m.float(to, x.f)
		case to.IsFloat():
			return lawCell{f: constant(to, float64(x.i)).f}
		case to == hop.Bool && from.IsFloat():
			m.decide(&m.hard, truth(x.f != 0))
			return lawCell{i: truth(x.f != 0)}
		case to == hop.Bool:
			return lawCell{i: truth(x.i != 0)}
		case from.IsFloat():
			v := saturated(x.f)
			m.decide(&m.hard, v)
			return lawCell{i: v}
		}
		return x
	})
}

func saturated(x float64) int64 {
	switch {
	case math.IsNaN(x):
		return 0
	case x <= math.MinInt64:
		return math.MinInt64
	case x >= math.MaxInt64:
		return math.MaxInt64
	}
	return int64(x)
}
