package kernels

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/hoplint/hoplint/tracer"
)

var (
	allDTypes   = tracer.DTypes()
	numbers     = allDTypes[1:]
	floats      = allDTypes[3:]
	integerBits = allDTypes[:3]
)

// elementwiseCase is an op with its definition on one element.
type elementwiseCase struct {
	name   string
	kernel Kernel
	arity  int
	dtypes []tracer.DType
	value  bool // whether the op has the attribute "value"
	toBool bool
	ulps   float64
	floats func(x ...float64) float64
	ints   func(x ...int64) int64
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// errorInt is what an integer reference returns where the op is an error.
const errorInt = math.MinInt64 + 12345

func refFloorDiv(x ...int64) int64 {
	if x[1] == 0 {
		return errorInt
	}
	if x[1] == -1 {
		return -x[0]
	}
	q := x[0] / x[1]
	if q*x[1] != x[0] && (x[0] < 0) != (x[1] < 0) {
		return q - 1
	}
	return q
}

func refMod(x ...int64) int64 {
	if x[1] == 0 {
		return errorInt
	}
	return x[0] - x[1]*refFloorDiv(x...)
}

func refPow(x ...int64) int64 {
	if x[1] < 0 {
		return errorInt
	}
	r := int64(1)
	for range x[1] & 63 { // the tests use small exponents
		r *= x[0]
	}
	return r
}

func refFloatMod(x ...float64) float64 {
	r := math.Mod(x[0], x[1])
	if x[1] == 0 || math.IsNaN(r) {
		return r
	}
	if r == 0 {
		return math.Copysign(0, x[1])
	}
	if math.Signbit(r) != math.Signbit(x[1]) {
		r += x[1]
	}
	return r
}

// comparison makes both references of a comparison; the float one returns 0 or 1.
func comparison(f func(less, equal bool) bool) (func(x ...float64) float64, func(x ...int64) int64) {
	return func(x ...float64) float64 {
			return float64(bit(x[0] == x[0] && x[1] == x[1] && f(x[0] < x[1], x[0] == x[1])))
		},
		func(x ...int64) int64 { return bit(f(x[0] < x[1], x[0] == x[1])) }
}

func f1(f func(float64) float64) func(x ...float64) float64 {
	return func(x ...float64) float64 { return f(x[0]) }
}

func identity(x ...int64) int64 { return x[0] }

func elementwiseCases() []elementwiseCase {
	cases := []elementwiseCase{
		{"add", Add, 2, numbers, false, false, 0, func(x ...float64) float64 { return x[0] + x[1] }, func(x ...int64) int64 { return x[0] + x[1] }},
		{"sub", Sub, 2, numbers, false, false, 0, func(x ...float64) float64 { return x[0] - x[1] }, func(x ...int64) int64 { return x[0] - x[1] }},
		{"mul", Mul, 2, numbers, false, false, 0, func(x ...float64) float64 { return x[0] * x[1] }, func(x ...int64) int64 { return x[0] * x[1] }},
		{"div", Div, 2, numbers, false, false, 0, func(x ...float64) float64 { return x[0] / x[1] }, refFloorDiv},
		{"mod", Mod, 2, numbers, false, false, 0, refFloatMod, refMod},
		{"pow", Pow, 2, floats, false, false, 0, func(x ...float64) float64 { return math.Pow(x[0], x[1]) }, nil},
		{"maximum", Maximum, 2, numbers, false, false, 0, func(x ...float64) float64 { return max(x[0], x[1]) }, func(x ...int64) int64 { return max(x[0], x[1]) }},
		{"minimum", Minimum, 2, numbers, false, false, 0, func(x ...float64) float64 { return min(x[0], x[1]) }, func(x ...int64) int64 { return min(x[0], x[1]) }},
		{"atan2", Atan2, 2, floats, false, false, 0, func(x ...float64) float64 { return math.Atan2(x[0], x[1]) }, nil},
		{"rsub", RSubScalar, 2, numbers, true, false, 0, func(x ...float64) float64 { return x[1] - x[0] }, func(x ...int64) int64 { return x[1] - x[0] }},
		{"and", And, 2, integerBits, false, false, 0, nil, func(x ...int64) int64 { return x[0] & x[1] }},
		{"or", Or, 2, integerBits, false, false, 0, nil, func(x ...int64) int64 { return x[0] | x[1] }},
		{"xor", Xor, 2, integerBits, false, false, 0, nil, func(x ...int64) int64 { return x[0] ^ x[1] }},
		{"not", Not, 1, integerBits[1:], false, false, 0, nil, func(x ...int64) int64 { return -1 - x[0] }},
		{"not", Not, 1, integerBits[:1], false, false, 0, nil, func(x ...int64) int64 { return 1 - x[0] }},
		{"neg", Neg, 1, numbers, false, false, 0, f1(func(x float64) float64 { return -x }), func(x ...int64) int64 { return -x[0] }},
		{"abs", Abs, 1, numbers, false, false, 0, f1(math.Abs), func(x ...int64) int64 {
			if x[0] < 0 {
				return -x[0]
			}
			return x[0]
		}},
		{"sign", Sign, 1, numbers, false, false, 0, f1(func(x float64) float64 {
			switch {
			case math.IsNaN(x):
				return x
			case x == 0:
				return 0
			}
			return math.Copysign(1, x)
		}), func(x ...int64) int64 { return bit(x[0] > 0) - bit(x[0] < 0) }},
		{"square", Square, 1, numbers, false, false, 0, f1(func(x float64) float64 { return x * x }), func(x ...int64) int64 { return x[0] * x[0] }},
		{"one_minus", OneMinus, 1, numbers, false, false, 0, f1(func(x float64) float64 { return 1 - x }), func(x ...int64) int64 { return 1 - x[0] }},
		{"reciprocal", Reciprocal, 1, floats, false, false, 0, f1(func(x float64) float64 { return 1 / x }), nil},
		{"relu", Relu, 1, numbers, false, false, 1, f1(func(x float64) float64 { return max(x, 0) }), func(x ...int64) int64 { return max(x[0], 0) }},
		{"sqrt", Sqrt, 1, floats, false, false, 0, f1(math.Sqrt), nil},
		{"rsqrt", Rsqrt, 1, floats, false, false, 0, f1(func(x float64) float64 { return 1 / math.Sqrt(x) }), nil},
		{"floor", Floor, 1, numbers, false, false, 0, f1(math.Floor), identity},
		{"ceil", Ceil, 1, numbers, false, false, 0, f1(math.Ceil), identity},
		{"round", Round, 1, numbers, false, false, 0, f1(math.RoundToEven), identity},
		{"is_nan", IsNaN, 1, numbers, false, true, 0, f1(func(x float64) float64 { return float64(bit(math.IsNaN(x))) }), func(x ...int64) int64 { return 0 }},
		{"sigmoid", Sigmoid, 1, floats, false, false, 4, f1(func(x float64) float64 {
			if x < -30 {
				return math.Exp(x)
			}
			return 1 / (1 + math.Exp(-x))
		}), nil},
		{"gelu", Gelu, 1, floats, false, false, 64, f1(func(x float64) float64 {
			if math.IsInf(x, -1) {
				return 0
			}
			if x < -2 { // 1+erf cancels there
				return x / 2 * math.Erfc(math.Abs(x)/math.Sqrt2)
			}
			return x / 2 * (1 + math.Erf(x/math.Sqrt2))
		}), nil},
		{"softplus", Softplus, 1, floats, false, false, 8, f1(func(x float64) float64 {
			switch {
			case x > 40:
				return x
			case x < -40:
				return math.Exp(x)
			}
			return math.Log1p(math.Exp(x))
		}), nil},
	}
	for name, op := range map[string]struct {
		kernel Kernel
		f      func(float64) float64
	}{
		"exp": {Exp, math.Exp}, "expm1": {Expm1, math.Expm1}, "log": {Log, math.Log}, "log1p": {Log1p, math.Log1p}, "sin": {Sin, math.Sin},
		"cos": {Cos, math.Cos}, "tan": {Tan, math.Tan}, "tanh": {Tanh, math.Tanh}, "asin": {Asin, math.Asin}, "acos": {Acos, math.Acos},
		"atan": {Atan, math.Atan}, "sinh": {Sinh, math.Sinh}, "cosh": {Cosh, math.Cosh}, "erf": {Erf, math.Erf},
	} {
		cases = append(cases, elementwiseCase{name, op.kernel, 1, floats, false, false, 0, f1(op.f), nil})
	}
	for _, op := range []struct {
		name           string
		tensor, scalar Kernel
		holds          func(less, equal bool) bool
	}{
		{"eq", Eq, EqScalar, func(_, equal bool) bool { return equal }},
		{"lt", Lt, LtScalar, func(less, _ bool) bool { return less }},
		{"le", Le, LeScalar, func(less, equal bool) bool { return less || equal }},
		{"gt", Gt, GtScalar, func(less, equal bool) bool { return !less && !equal }},
		{"ge", Ge, GeScalar, func(less, _ bool) bool { return !less }},
	} {
		f, i := comparison(op.holds)
		cases = append(cases, elementwiseCase{op.name, op.tensor, 2, allDTypes, false, true, 0, f, i},
			elementwiseCase{op.name + "_scalar", op.scalar, 2, numbers, true, true, 0, f, i})
	}
	ne, neInt := func(x ...float64) float64 { return float64(bit(x[0] != x[1])) }, func(x ...int64) int64 { return bit(x[0] != x[1]) }
	cases = append(cases, elementwiseCase{"ne", Ne, 2, allDTypes, false, true, 0, ne, neInt},
		elementwiseCase{"ne_scalar", NeScalar, 2, numbers, true, true, 0, ne, neInt})
	for _, name := range []string{"add", "sub", "mul", "div", "mod", "pow", "maximum", "minimum"} {
		kernels := map[string]Kernel{"add": AddScalar, "sub": SubScalar, "mul": MulScalar, "div": DivScalar, "mod": ModScalar, "pow": PowScalar,
			"maximum": MaximumScalar, "minimum": MinimumScalar}
		i := slices.IndexFunc(cases, func(c elementwiseCase) bool { return c.name == name })
		c := cases[i]
		c.name, c.kernel, c.value = name+"_scalar", kernels[name], true
		cases = append(cases, c)
	}
	return cases
}

func TestElementwiseEqualsDefinition(t *testing.T) {
	for _, c := range elementwiseCases() {
		for _, dt := range c.dtypes {
			t.Run(c.name+"/"+dt.Short(), func(t *testing.T) {
				r := newSource(uint64(dt))
				for range 60 {
					runElementwise(t, r, c, dt)
				}
			})
		}
	}
}

func runElementwise(t *testing.T, r source, c elementwiseCase, dt tracer.DType) {
	t.Helper()
	shape := r.shape()
	var call Call
	tensors := c.arity
	value := float64(r.IntN(7) - 3)
	if c.value {
		tensors--
		call.Attrs = attrs("value", value)
	}
	for range tensors {
		call.In = append(call.In, r.window(dt, r.broadcastable(shape)))
	}
	outShape := broadcastOf(call.In)
	out := dt
	if c.toBool {
		out = tracer.Bool
	}
	call.Out = []Array{dirty(out, outShape...)}
	want := make([]num, NumElems(outShape))
	fails := false
	// A divisor is checked as a whole, so one zero is an error even where a broadcast against no elements hides it not.
	eachIndex(outShape, func(i int, idx []int) {
		var x []num
		for k := range call.In {
			x = append(x, numAt(&call.In[k], idx))
		}
		if c.value {
			x = append(x, num{value, int64(value)}.rounded(dt))
		}
		if dt.IsFloat() {
			args := make([]float64, len(x))
			for k := range x {
				args[k] = x[k].f
			}
			want[i].f = c.floats(args...)
			want[i].i = int64(want[i].f)
		} else {
			args := make([]int64, len(x))
			for k := range x {
				args[k] = x[k].i
			}
			want[i].i = c.ints(args...)
			fails = fails || want[i].i == errorInt
		}
		want[i] = want[i].rounded(out)
	})
	err := c.kernel.Run(&call)
	if (err != nil) != fails {
		t.Fatalf("%s of%s: got error %v, want an error: %v", c.name, describe(call.In), err, fails)
	}
	if fails {
		return
	}
	eachIndex(outShape, func(i int, idx []int) {
		if got := numAt(&call.Out[0], idx); !agree(got, want[i], out, c.ulps) {
			var x []string
			for k := range call.In {
				x = append(x, numAt(&call.In[k], idx).show(dt))
			}
			t.Fatalf("%s of%s at %v: arguments %v, value %v: got %s, want %s", c.name, describe(call.In), idx, x, value, got.show(out), want[i].show(out))
		}
	})
}

// broadcastOf is NumPy's rule, written again.
func broadcastOf(ins []Array) []int {
	rank := 0
	for _, a := range ins {
		rank = max(rank, len(a.Shape))
	}
	shape := make([]int, rank)
	for d := range shape {
		shape[d] = 1
		for _, a := range ins {
			if k := d - rank + len(a.Shape); k >= 0 && a.Shape[k] != 1 {
				shape[d] = a.Shape[k]
			}
		}
	}
	return shape
}

func TestIntegerPowWrapsAndRefusesNegativeExponents(t *testing.T) {
	for _, dt := range numbers[:2] {
		for _, c := range []struct{ base, exponent int64 }{{2, 0}, {0, 0}, {3, 5}, {-2, 3}, {2, 31}, {2, 63}, {10, 20}, {-1, 63}, {7, -1}} {
			call := Call{In: []Array{New(dt), New(dt)}, Out: []Array{New(dt)}}
			_ = Const(call.In[0].Ptr, dt, float64(c.base))
			_ = Const(call.In[1].Ptr, dt, float64(c.exponent))
			err := Pow.Run(&call)
			if (err != nil) != (c.exponent < 0) {
				t.Errorf("%s %d^%d: got error %v", dt, c.base, c.exponent, err)
			}
			if want := (num{i: refPow(c.base, c.exponent)}).rounded(dt); err == nil && numAt(&call.Out[0], nil).i != want.i {
				t.Errorf("%s %d^%d: got %d, want %d", dt, c.base, c.exponent, numAt(&call.Out[0], nil).i, want.i)
			}
		}
	}
}

func TestWhereAndClampAndCast(t *testing.T) {
	r := newSource(3)
	for range 300 {
		dt, to := allDTypes[r.IntN(5)], allDTypes[r.IntN(5)]
		shape := r.shape()
		in := []Array{r.window(tracer.Bool, r.broadcastable(shape)), r.window(dt, r.broadcastable(shape)), r.window(dt, r.broadcastable(shape))}
		outShape := broadcastOf(in)
		call := Call{In: in, Out: []Array{dirty(dt, outShape...)}}
		if err := Where.Run(&call); err != nil {
			t.Fatal(err)
		}
		eachIndex(outShape, func(_ int, idx []int) {
			want := numAt(&in[2], idx)
			if numAt(&in[0], idx).i == 1 {
				want = numAt(&in[1], idx)
			}
			if got := numAt(&call.Out[0], idx); !agree(got, want, dt, 0) {
				t.Fatalf("where of%s at %v: got %s, want %s", describe(in), idx, got.show(dt), want.show(dt))
			}
		})
		cast := Call{In: in[1:2], Out: []Array{dirty(to, in[1].Shape...)}}
		if err := Cast.Run(&cast); err != nil {
			t.Fatal(err)
		}
		eachIndex(in[1].Shape, func(_ int, idx []int) {
			x := numAt(&in[1], idx)
			want := refCast(x, dt, to)
			if got := numAt(&cast.Out[0], idx); !agree(got, want, to, 0) {
				t.Fatalf("cast of %s %s to %s: got %s, want %s", dt, x.show(dt), to, got.show(to), want.show(to))
			}
		})
		if dt == tracer.Bool {
			continue
		}
		clamp := Call{In: in[1:2], Out: []Array{dirty(dt, in[1].Shape...)}, Attrs: attrs("lo", -1.0, "hi", 2.0)}
		if err := Clamp.Run(&clamp); err != nil {
			t.Fatal(err)
		}
		eachIndex(in[1].Shape, func(_ int, idx []int) {
			x := numAt(&in[1], idx)
			want := num{f: math.Min(math.Max(x.f, -1), 2), i: min(max(x.i, -1), 2)}
			if got := numAt(&clamp.Out[0], idx); !agree(got, want, dt, 0) {
				t.Fatalf("clamp of %s %s: got %s, want %s", dt, x.show(dt), got.show(dt), want.show(dt))
			}
		})
	}
}

func refCast(x num, from, to tracer.DType) num {
	switch {
	case to == tracer.Bool && from.IsFloat():
		return num{i: bit(x.f != 0)}
	case to == tracer.Bool:
		return num{i: bit(x.i != 0)}
	case to.IsFloat() && from.IsFloat():
		return x.rounded(to)
	case to == tracer.Float32:
		return num{f: float64(float32(x.i))}
	case to == tracer.Float64:
		return num{f: float64(x.i)}
	case !from.IsFloat():
		return x.rounded(to)
	}
	lo, hi := float64(math.MinInt32), float64(math.MaxInt32)
	if to == tracer.Int64 {
		lo, hi = -0x1p63, 0x1p63
	}
	switch y := math.Trunc(x.f); {
	case y != y:
		return num{}
	case y >= hi && to == tracer.Int64:
		return num{i: math.MaxInt64}
	default:
		return num{i: int64(min(max(y, lo), hi))}
	}
}

func TestUnsupportedDTypesAndValuesAreNamed(t *testing.T) {
	for want, call := range map[string]func() error{
		"add is not defined for bool; convert the tensor with To": func() error {
			return Add.Run(&Call{In: []Array{New(tracer.Bool), New(tracer.Bool)}, Out: []Array{New(tracer.Bool)}})
		},
		"exp is not defined for int32; convert the tensor with To": func() error {
			return Exp.Run(&Call{In: []Array{New(tracer.Int32)}, Out: []Array{New(tracer.Int32)}})
		},
		"int64 cannot hold the scalar 0.5; use a value that int64 holds exactly or convert the tensor with To": func() error {
			return AddScalar.Run(&Call{In: []Array{New(tracer.Int64)}, Out: []Array{New(tracer.Int64)}, Attrs: attrs("value", 0.5)})
		},
		"int32 cannot hold the scalar 2.147483648e+09; use a value that int32 holds exactly or convert the tensor with To": func() error {
			return AddScalar.Run(&Call{In: []Array{New(tracer.Int32)}, Out: []Array{New(tracer.Int32)}, Attrs: attrs("value", 0x1p31)})
		},
		"sum of bool does not give bool; convert the tensor with To": func() error {
			return Sum.Run(&Call{In: []Array{New(tracer.Bool)}, Out: []Array{New(tracer.Bool)}})
		},
		"mat_mul is not defined for bool; convert the tensor with To": func() error {
			return MatMul.Run(&Call{In: []Array{New(tracer.Bool, 1), New(tracer.Bool, 1)}, Out: []Array{New(tracer.Bool)}})
		},
	} {
		if err := call(); fmt.Sprint(err) != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}
