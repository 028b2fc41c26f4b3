package kernels

import (
	"errors"
	"math"
	"unsafe"

	"github.com/hoplint/hoplint/tracer"
)

// Arithmetic of two tensors. Integers wrap as in Go; integer division floors and Mod takes the divisor's sign, as in
// NumPy; NaN wins Maximum and Minimum, and -0 < +0 for them.
var (
	Add     = binary("add", vectorised("add", codesAdd()))
	Sub     = binary("sub", vectorised("sub", codesSub()))
	Mul     = binary("mul", vectorised("mul", codesMul()))
	Div     = binary("div", vectorised("div", codesDiv()))
	Pow     = binary("pow", codesPow())
	Mod     = binary("mod", codesMod())
	Maximum = binary("maximum", codesMaximum())
	Minimum = binary("minimum", codesMinimum())
	Atan2   = binary("atan2", codesAtan2())
)

// Arithmetic of a tensor and the attribute "value", which takes the dtype of the tensor. RSubScalar subtracts from it.
var (
	AddScalar     = scalar("add", vectorised("add", codesAdd()))
	SubScalar     = scalar("sub", vectorised("sub", codesSub()))
	MulScalar     = scalar("mul", vectorised("mul", codesMul()))
	DivScalar     = scalar("div", vectorised("div", codesDiv()))
	PowScalar     = scalar("pow", codesPow())
	ModScalar     = scalar("mod", codesMod())
	RSubScalar    = scalar("rsub", codesRSub())
	MaximumScalar = scalar("maximum", codesMaximum())
	MinimumScalar = scalar("minimum", codesMinimum())
)

// Comparisons give bool. NaN is unequal to everything, false < true.
var (
	Eq = binary("eq", codesEq())
	Ne = binary("ne", codesNe())
	Lt = binary("lt", codesLt())
	Le = binary("le", codesLe())
	Gt = binary("gt", codesGt())
	Ge = binary("ge", codesGe())

	EqScalar = scalar("eq", codesEq())
	NeScalar = scalar("ne", codesNe())
	LtScalar = scalar("lt", codesLt())
	LeScalar = scalar("le", codesLe())
	GtScalar = scalar("gt", codesGt())
	GeScalar = scalar("ge", codesGe())
)

// Logic of bools, bitwise on integers.
var (
	And = binary("and", codesAnd())
	Or  = binary("or", codesOr())
	Xor = binary("xor", codesXor())
)

// Where takes the elements of its second argument where the first, a bool, is true, else those of the third.
var Where = (&Pointwise{Op: "where", Arity: 3, Codes: codesWhere()}).kernel()

func binary(op string, codes [6]Code) Kernel {
	return (&Pointwise{Op: op, Arity: 2, Codes: codes}).kernel()
}

func scalar(op string, codes [6]Code) Kernel {
	return (&Pointwise{Op: op, Arity: 1, Consts: []string{"value"}, Codes: codes}).kernel()
}

var (
	errDivisionByZero   = errors.New("integer division by zero; guard the divisor, e.g. with Where or MaximumScalar")
	errNegativeExponent = errors.New("integer to a negative integer power; convert to a float with To")
)

func codesDiv() [6]Code {
	t := codesFloatDiv()
	t[tracer.Int32] = dividing(code2(tracer.Int32, floorDiv[int32]), isZero[int32])
	t[tracer.Int64] = dividing(code2(tracer.Int64, floorDiv[int64]), isZero[int64])
	return t
}

func codesMod() (t [6]Code) {
	t[tracer.Int32] = dividing(code2(tracer.Int32, floorMod[int32]), isZero[int32])
	t[tracer.Int64] = dividing(code2(tracer.Int64, floorMod[int64]), isZero[int64])
	t[tracer.Float32] = code2(tracer.Float32, floatMod[float32])
	t[tracer.Float64] = code2(tracer.Float64, floatMod[float64])
	return t
}

func codesPow() (t [6]Code) {
	t[tracer.Int32] = intPowCode[int32](tracer.Int32)
	t[tracer.Int64] = intPowCode[int64](tracer.Int64)
	t[tracer.Float32] = code2(tracer.Float32, floatPow[float32])
	t[tracer.Float64] = code2(tracer.Float64, floatPow[float64])
	return t
}

func codesAtan2() (t [6]Code) {
	t[tracer.Float32] = code2(tracer.Float32, atan2[float32])
	t[tracer.Float64] = code2(tracer.Float64, atan2[float64])
	return t
}

func dividing(c Code, bad func(unsafe.Pointer, int, int) bool) Code {
	c.Check = func(_, b unsafe.Pointer, n, _, sb int) error {
		if bad(b, n, sb) {
			return errDivisionByZero
		}
		return nil
	}
	return c
}

func isZero[T integer](b unsafe.Pointer, n, sb int) bool {
	if sb == 0 {
		n = 1
	}
	for i := 0; i < n; i++ {
		if *at[T](b, i*sb) == 0 {
			return true
		}
	}
	return false
}

func floorDiv[T integer](x, y T) T {
	q := x / y
	if x%y != 0 && (x < 0) != (y < 0) {
		q--
	}
	return q
}

func floorMod[T integer](x, y T) T {
	r := x % y
	if r != 0 && (r < 0) != (y < 0) {
		r += y
	}
	return r
}

// floatMod is NumPy's remainder: math.Mod moved to the sign of the divisor, and a zero has that sign too.
func floatMod[T float](x, y T) T {
	r := math.Mod(float64(x), float64(y))
	switch {
	case y == 0 || r != r:
		return T(r)
	case r == 0:
		return T(math.Copysign(0, float64(y)))
	case (r < 0) != (y < 0):
		return T(r + float64(y))
	default:
		return T(r)
	}
}

func floatPow[T float](x, y T) T {
	if y == 2 {
		return x * x
	}
	return T(math.Pow(float64(x), float64(y)))
}

func atan2[T float](x, y T) T { return T(math.Atan2(float64(x), float64(y))) }

// intPow multiplies by squaring; the product wraps. The exponent is not negative.
func intPow[T integer](x, n T) T {
	r := T(1)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			r *= x
		}
		x *= x
	}
	return r
}

func intPowCode[T integer](dt tracer.DType) Code {
	c := code2(dt, intPow[T])
	c.Check = func(_, b unsafe.Pointer, n, _, sb int) error {
		if sb == 0 {
			n = 1
		}
		for i := 0; i < n; i++ {
			if *at[T](b, i*sb) < 0 {
				return errNegativeExponent
			}
		}
		return nil
	}
	return c
}

func codesWhere() (t [6]Code) {
	t[tracer.Bool] = Code{Out: tracer.Bool, Loop: loopWhere[uint8], Step: stepWhere[uint8], StepAt: stepAtWhere[uint8]}
	t[tracer.Int32] = Code{Out: tracer.Int32, Loop: loopWhere[uint32], Step: stepWhere[uint32], StepAt: stepAtWhere[uint32]}
	t[tracer.Int64] = Code{Out: tracer.Int64, Loop: loopWhere[uint64], Step: stepWhere[uint64], StepAt: stepAtWhere[uint64]}
	t[tracer.Float32] = Code{Out: tracer.Float32, Loop: loopWhere[uint32], Step: stepWhere[uint32], StepAt: stepAtWhere[uint32]}
	t[tracer.Float64] = Code{Out: tracer.Float64, Loop: loopWhere[uint64], Step: stepWhere[uint64], StepAt: stepAtWhere[uint64]}
	return t
}

func loopWhere[T uint8 | uint32 | uint64](o, a, b, c unsafe.Pointer, n, sa, sb, sc int) {
	out := vec[T](o, n)
	if sa == 1 && sb == 1 && sc == 1 {
		conds, xs, ys := vec[bool](a, n)[:len(out)], vec[T](b, n)[:len(out)], vec[T](c, n)[:len(out)]
		for i := range out {
			x, v := xs[i], ys[i] // both are read, so that the choice needs no branch
			if conds[i] {
				v = x
			}
			out[i] = v
		}
		return
	}
	for i := range out {
		x, v := *at[T](b, i*sb), *at[T](c, i*sc)
		if *at[bool](a, i*sa) {
			v = x
		}
		out[i] = v
	}
}

func stepWhere[T uint8 | uint32 | uint64](o, a, b, c unsafe.Pointer) func() {
	r, cond, x, y := (*T)(o), (*bool)(a), (*T)(b), (*T)(c)
	return func() {
		chosen, v := *x, *y
		if *cond {
			v = chosen
		}
		*r = v
	}
}

func stepAtWhere[T uint8 | uint32 | uint64](o, a, b, c unsafe.Pointer, so, sa, sb, sc int) func(i int) {
	so, sb, sc = so*sizeOf[T](), sb*sizeOf[T](), sc*sizeOf[T]()
	return func(i int) {
		x, v := *(*T)(unsafe.Add(b, i*sb)), *(*T)(unsafe.Add(c, i*sc))
		if *(*bool)(unsafe.Add(a, i*sa)) {
			v = x
		}
		*(*T)(unsafe.Add(o, i*so)) = v
	}
}
