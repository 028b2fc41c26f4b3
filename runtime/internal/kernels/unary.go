package kernels

import (
	"math"

	"github.com/hoplint/hoplint/tracer"
)

// Elementwise functions of one tensor. Those of float32 are computed in float64 and rounded once. Floor, Ceil and
// Round leave integers as they are; Round goes to the even neighbour. Sign, Relu, Clamp and Abs pass NaN on.
var (
	Neg        = unary("neg", codesNeg())
	Abs        = unary("abs", codesAbs())
	Sign       = unary("sign", codesSign())
	Square     = unary("square", codesSquare())
	OneMinus   = unary("one_minus", codesOneMinus())
	Reciprocal = unary("reciprocal", codesReciprocal())
	Relu       = unary("relu", codesRelu())
	Sqrt       = unary("sqrt", codesSqrt())
	Rsqrt      = unary("rsqrt", codesRsqrt())
	Floor      = unary("floor", orIntegers(codesFloatFloor()))
	Ceil       = unary("ceil", orIntegers(codesFloatCeil()))
	Round      = unary("round", orIntegers(codesFloatRound()))
	IsNaN      = unary("is_nan", codesIsNaN())
	Not        = unary("not", codesNot())

	Exp      = unary("exp", codesMath(math.Exp))
	Expm1    = unary("expm1", codesMath(math.Expm1))
	Log      = unary("log", codesMath(math.Log))
	Log1p    = unary("log1p", codesMath(math.Log1p))
	Sin      = unary("sin", codesMath(math.Sin))
	Cos      = unary("cos", codesMath(math.Cos))
	Tan      = unary("tan", codesMath(math.Tan))
	Tanh     = unary("tanh", codesMath(math.Tanh))
	Asin     = unary("asin", codesMath(math.Asin))
	Acos     = unary("acos", codesMath(math.Acos))
	Atan     = unary("atan", codesMath(math.Atan))
	Sinh     = unary("sinh", codesMath(math.Sinh))
	Cosh     = unary("cosh", codesMath(math.Cosh))
	Erf      = unary("erf", codesMath(math.Erf))
	Sigmoid  = unary("sigmoid", codesMath(sigmoid))
	Gelu     = unary("gelu", codesMath(gelu))
	Softplus = unary("softplus", codesMath(softplus))
)

// Clamp limits the elements to the attributes "lo" and "hi"; hi wins when lo > hi, as in NumPy.
var Clamp = (&Pointwise{Op: "clamp", Arity: 1, Consts: []string{"lo", "hi"}, Codes: codesClamp()}).kernel()

func unary(op string, codes [6]Code) Kernel {
	return (&Pointwise{Op: op, Arity: 1, Codes: codes}).kernel()
}

func codesMath(f func(float64) float64) (t [6]Code) {
	t[tracer.Float32] = code1(tracer.Float32, func(x float32) float32 { return float32(f(float64(x))) })
	t[tracer.Float64] = code1(tracer.Float64, f)
	return t
}

// orIntegers adds the identity on integers to the codes of a rounding function.
func orIntegers(t [6]Code) [6]Code {
	t[tracer.Int32] = code1(tracer.Int32, func(x int32) int32 { return x })
	t[tracer.Int64] = code1(tracer.Int64, func(x int64) int64 { return x })
	return t
}

func codesNot() [6]Code {
	t := codesIntNot()
	t[tracer.Bool] = code1(tracer.Bool, func(x uint8) uint8 { return x ^ 1 })
	return t
}

func codesSign() (t [6]Code) {
	t[tracer.Int32] = code1(tracer.Int32, sign[int32])
	t[tracer.Int64] = code1(tracer.Int64, sign[int64])
	t[tracer.Float32] = code1(tracer.Float32, sign[float32])
	t[tracer.Float64] = code1(tracer.Float64, sign[float64])
	return t
}

func sign[T number](x T) T {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return T(0) - 1
	case x == 0:
		return 0
	default:
		return x // NaN
	}
}

// sigmoid never overflows: the exponential has a negative argument on both branches.
func sigmoid(x float64) float64 {
	if x >= 0 {
		return 1 / (1 + math.Exp(-x))
	}
	e := math.Exp(x)
	return e / (1 + e)
}

// gelu is the exact form with the error function (Hendrycks and Gimpel, 2016), not the tanh approximation. Erfc keeps
// the tail for negative x; x = -Inf has the limit 0.
func gelu(x float64) float64 {
	if math.IsInf(x, -1) {
		return 0
	}
	return 0.5 * x * math.Erfc(-x/math.Sqrt2)
}

// softplus is log(1+e^x) without overflow.
func softplus(x float64) float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return max(x, 0)
	}
	return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x)))
}
