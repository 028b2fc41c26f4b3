package kernels

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/hoplint/hoplint/tracer"
)

// Loop computes n elements at o from the elements at a, b and c, which are sa, sb and sc elements apart; results are
// neighbours. Arguments that an op does not have are nil.
type Loop func(o, a, b, c unsafe.Pointer, n, sa, sb, sc int)

// Code is an elementwise op for one dtype of its arguments.
type Code struct {
	// Out is the dtype of the result. The zero Code, with an invalid Out, means: not defined for this dtype.
	Out tracer.DType
	// Loop computes many elements.
	Loop Loop
	// Step returns a function that computes one element at fixed addresses.
	Step func(o, a, b, c unsafe.Pointer) func()
	// StepAt returns a function that computes element i of windows with the given strides.
	StepAt func(o, a, b, c unsafe.Pointer, so, sa, sb, sc int) func(i int)
	// Recur computes n elements of a recurrence: each result is the first argument of the next element, a that of the
	// first one. It is nil for most ops.
	Recur func(o, a, b, c unsafe.Pointer, n, sb, sc int)
	// Check finds the elements for which the op is an error, before Loop or Step is called; nil when there are none.
	Check func(a, b unsafe.Pointer, n, sa, sb int) error
}

// Pointwise describes an elementwise op to the executor.
type Pointwise struct {
	// Op names the function, e.g. "mul"; scalar forms have the name of the form with two tensors.
	Op string
	// Arity is the number of tensor arguments.
	Arity int
	// Consts are the keys of the float64 attributes that stand for the arguments behind the tensors.
	Consts []string
	// Codes are indexed by the dtype of the last tensor argument.
	Codes [6]Code
	// Pair marks a fused op whose third argument are two neighbouring constants.
	Pair bool
	// ToAny marks Cast: the code depends on both dtypes; see CastCode.
	ToAny bool
}

// CodeFor returns the code for the dtypes of an argument and of the result.
func (p *Pointwise) CodeFor(in, out tracer.DType) (*Code, bool) {
	if p.ToAny {
		return CastCode(in, out)
	}
	if int(in) >= len(p.Codes) || p.Codes[in].Out == 0 {
		return nil, false
	}
	return &p.Codes[in], true
}

// Const writes the attribute value v in the bytes of dt to p. It fails when an integer dtype cannot hold v exactly.
func Const(p unsafe.Pointer, dt tracer.DType, v float64) error {
	exact := v == math.Trunc(v)
	switch {
	case dt == tracer.Float64:
		*(*float64)(p) = v
	case dt == tracer.Float32:
		*(*float32)(p) = float32(v)
	case dt == tracer.Int64 && exact && v >= -1<<63 && v < 1<<63:
		*(*int64)(p) = int64(v)
	case dt == tracer.Int32 && exact && v >= math.MinInt32 && v <= math.MaxInt32:
		*(*int32)(p) = int32(v)
	case dt == tracer.Bool && (v == 0 || v == 1):
		*(*uint8)(p) = uint8(v)
	default:
		return fmt.Errorf("%s cannot hold the scalar %v; use a value that %s holds exactly or convert the tensor with To",
			dt, v, dt)
	}
	return nil
}

func unsupported(op string, dt tracer.DType) error {
	return fmt.Errorf("%s is not defined for %s; convert the tensor with To", op, dt)
}

// kernel wraps the description of an elementwise op.
func (p *Pointwise) kernel() Kernel {
	return Kernel{Pointwise: p, Run: p.Run}
}

// Run computes arguments of any layout. A Pair takes its constants as one more argument without dims.
func (p *Pointwise) Run(c *Call) error {
	arity := p.Arity
	if p.Pair {
		arity++
	}
	if len(c.In) != arity || len(c.Out) != 1 {
		return fmt.Errorf("%s takes %d arguments and gives 1 result, called with %d and %d", p.Op, arity, len(c.In), len(c.Out))
	}
	out, dt := &c.Out[0], c.In[p.Arity-1].DType
	code, ok := p.CodeFor(dt, out.DType)
	if !ok || code.Out != out.DType {
		return unsupported(p.Op, dt)
	}
	var args [3]*Array
	whole := true
	n := out.NumElems()
	var s [3]int
	for i := range c.In {
		args[i] = &c.In[i]
		s[i] = 1
		if m := args[i].NumElems(); m == 1 {
			s[i] = 0
		} else if m != n || !args[i].IsContiguous() {
			whole = false
		}
	}
	var scalars [2]Array
	for i, key := range p.Consts {
		if err := Const(unsafe.Pointer(&c.consts[i]), dt, c.Attrs.Float(key)); err != nil {
			return err
		}
		scalars[i] = Array{Ptr: unsafe.Pointer(&c.consts[i]), DType: dt}
		args[p.Arity+i] = &scalars[i]
	}
	if code.Check != nil && n > 0 {
		b := args[1]
		if err := checkAll(b, code.Check); err != nil {
			return err
		}
	}
	if n == 0 {
		return nil
	}
	if whole {
		code.Loop(out.Ptr, ptr(args[0]), ptr(args[1]), ptr(args[2]), n, s[0], s[1], s[2])
		return nil
	}
	sweep(out.Shape, out, &args, code.Loop)
	return nil
}

func ptr(a *Array) unsafe.Pointer {
	if a == nil {
		return nil
	}
	return a.Ptr
}

// checkAll applies a check of the second argument to each of its elements.
func checkAll(b *Array, check func(a, b unsafe.Pointer, n, sa, sb int) error) error {
	var failed error
	args := [3]*Array{nil, b}
	sweep(b.Shape, b, &args, func(_, _, p, _ unsafe.Pointer, n, _, sb, _ int) {
		if failed == nil {
			failed = check(nil, p, n, 0, sb)
		}
	})
	return failed
}

// map1 and map2 apply a function of one element whose own cost hides a call.
func map1[T, R plain](o, a unsafe.Pointer, n, sa int, f func(T) R) {
	out := vec[R](o, n)
	for i := range out {
		out[i] = f(*at[T](a, i*sa))
	}
}

func map2[T, R plain](o, a, b unsafe.Pointer, n, sa, sb int, f func(x, y T) R) {
	out := vec[R](o, n)
	for i := range out {
		out[i] = f(*at[T](a, i*sa), *at[T](b, i*sb))
	}
}

func loop1[T, R plain](f func(T) R) Loop {
	return func(o, a, _, _ unsafe.Pointer, n, sa, _, _ int) { map1(o, a, n, sa, f) }
}

func loop2[T, R plain](f func(x, y T) R) Loop {
	return func(o, a, b, _ unsafe.Pointer, n, sa, sb, _ int) { map2(o, a, b, n, sa, sb, f) }
}

func step1[T, R plain](f func(T) R) func(o, a, b, c unsafe.Pointer) func() {
	return func(o, a, _, _ unsafe.Pointer) func() {
		r, x := (*R)(o), (*T)(a)
		return func() { *r = f(*x) }
	}
}

func step2[T, R plain](f func(x, y T) R) func(o, a, b, c unsafe.Pointer) func() {
	return func(o, a, b, _ unsafe.Pointer) func() {
		r, x, y := (*R)(o), (*T)(a), (*T)(b)
		return func() { *r = f(*x, *y) }
	}
}

func code1[T, R plain](out tracer.DType, f func(T) R) Code {
	return Code{Out: out, Loop: loop1(f), Step: step1(f), StepAt: func(o, a, _, _ unsafe.Pointer, so, sa, _, _ int) func(i int) {
		so, sa = so*sizeOf[R](), sa*sizeOf[T]()
		return func(i int) { *(*R)(unsafe.Add(o, i*so)) = f(*(*T)(unsafe.Add(a, i*sa))) }
	}}
}

func code2[T, R plain](out tracer.DType, f func(x, y T) R) Code {
	return Code{Out: out, Loop: loop2(f), Step: step2(f), StepAt: func(o, a, b, _ unsafe.Pointer, so, sa, sb, _ int) func(i int) {
		so, sa, sb = so*sizeOf[R](), sa*sizeOf[T](), sb*sizeOf[T]()
		return func(i int) { *(*R)(unsafe.Add(o, i*so)) = f(*(*T)(unsafe.Add(a, i*sa)), *(*T)(unsafe.Add(b, i*sb))) }
	}}
}
