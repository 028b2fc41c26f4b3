package hop

import (
	"errors"
	"fmt"
	"go/token"
	"math"
	"reflect"

	"github.com/hoplint/hoplint/runtime/internal/pytree"
	"github.com/hoplint/hoplint/tracer"
)

// Int is an integer that a graph may keep open: the size of a dynamic dim ([Tensor.SymDim]), the value of a tensor
// ([Tensor.SymItem]), or an expression of such. It is a value type that may be captured, carried by loops, passed to and
// returned from functions, and a leaf of pytrees. Outside of a trace, and under [Stepwise], it is a plain number. The zero
// Int is 0.
//
// An Int of a trace is backed, when it is known from the sizes and integers that a program is called with, or unbacked,
// when it depends on data. A backed one may be compared: the outcome holds for the graph and is kept as its guard.
type Int struct {
	n     int
	value *tracer.Value // nil for a plain number
}

// IntOf returns the plain number n.
func IntOf(n int) Int { return Int{n: n} }

// intIn returns i as an integer of the trace tr.
func intIn(tr *tracer.SubgraphTracer, i tracer.Int) Int { return intAt(tr, i, token.Position{}) }

// intAt is intIn for what the user's call at pos computes.
func intAt(tr *tracer.SubgraphTracer, i tracer.Int, pos token.Position) Int {
	if n, ok := i.Const(); ok {
		return Int{n: n}
	}
	v, err := tr.IntAt(i, pos)
	if err != nil {
		panic(fromTracer(err))
	}
	return Int{value: v}
}

// SymDim returns the size of dim i; a negative i counts from the end. In a traced function it stays open where
// [Tensor.Dim] fixes it.
//
// Errors: panics with *[Error] when there is no such dim.
func (t *Tensor) SymDim(i int) Int {
	return t.size(mustDim("SymDim", i, len(t.shape)))
}

// SymShape returns the sizes of all dims.
func (t *Tensor) SymShape() []Int {
	list := make([]Int, len(t.shape))
	for d := range list {
		list[d] = t.size(d)
	}
	return list
}

func (t *Tensor) size(d int) Int {
	if t.value == nil {
		return Int{n: t.shape[d]}
	}
	i := t.value.Meta().Shape[d]
	if n, ok := i.Const(); ok {
		return Int{n: n}
	}
	return intIn(traceOf([]*Tensor{t}), i)
}

// SymItem returns the one element of t as an integer. In a traced function it is unbacked: it has no value until the graph
// runs, and sizes made of it differ from run to run.
//
// Errors: panics with *[Error] when t has more or fewer elements, or one that is no integer; in a traced function the
// latter when the graph runs.
// Gradient: none; an integer has no derivative.
func (t *Tensor) SymItem() Int {
	if t == nil || t.isZero() {
		misuse("SymItem", "tensor is %s; make one with FromSlice, Zeros, Full, …", nilOrZero(t))
	}
	for _, d := range t.meta().Shape {
		if !isSize(d, 1) {
			misuse("SymItem", "tensor is %s; want one element", describe(t.meta()))
		}
	}
	tr := traceOf([]*Tensor{t})
	if tr == nil {
		n, err := wholeNumber(t)
		if err != nil {
			misuse("SymItem", "%s", err)
		}
		return Int{n: n}
	}
	u := tr.NewUnbacked(math.MinInt, math.MaxInt)
	v, err := tr.Emit1(symItem, []*tracer.Value{valueIn(tr, t)}, nil, tracer.Meta{Int: &u}, userPosition())
	if err != nil {
		panic(fromTracer(err))
	}
	return Int{value: v}
}

// wholeNumber reads the one element of a concrete tensor as an integer.
func wholeNumber(t *Tensor) (int, error) {
	var f float64
	switch t.storage.dtype {
	case Bool:
		if element[bool](t) {
			return 1, nil
		}
		return 0, nil
	case Int32:
		return int(element[int32](t)), nil
	case Int64:
		return int(element[int64](t)), nil
	case Float32:
		f = float64(element[float32](t))
	default:
		f = element[float64](t)
	}
	if f != math.Trunc(f) || f < math.MinInt || f >= math.MaxInt {
		return 0, fmt.Errorf("element is %v, which is no int; round it with Floor, Round or Ceil", f)
	}
	return int(f), nil
}

// expr is n as an expression.
func (n Int) expr() tracer.Int {
	if n.value == nil {
		return tracer.Const(n.n)
	}
	return *n.value.Meta().Int
}

// trace returns the tracer that works with ns, nil when all are plain numbers.
func traceOfInts(ns ...Int) *tracer.SubgraphTracer {
	var values []*tracer.Value
	for _, n := range ns {
		if n.value != nil {
			values = append(values, n.value)
		}
	}
	if len(values) == 0 {
		return nil
	}
	tr, err := tracer.Join(values...)
	if err != nil {
		panic(fromTracer(err))
	}
	return tr
}

// combine applies an operation to integers.
func combine(n, m Int, op func(a, b tracer.Int) tracer.Int) Int {
	tr := traceOfInts(n, m)
	if tr == nil {
		return intIn(nil, op(n.expr(), m.expr()))
	}
	return intAt(tr, op(n.expr(), m.expr()), userPosition())
}

// byZero says that the operation op, of expressions, divides n by zero.
func byZero(op string, n any) string {
	what := "%v divided by zero"
	if op == "mod" {
		what = "remainder of %v by zero"
	}
	return fmt.Sprintf(what, n) + "; keep the divisor from 0, e.g. with Max(hop.IntOf(1))"
}

// intFailure is the error of an integer that the op named name needs and that has no value: a division by zero, or one
// that is too large for an int.
func intFailure(name string, err error) *Error {
	e := &Error{Op: name, Step: once, Detail: err.Error()}
	if by := (*tracer.DivisionError)(nil); errors.As(err, &by) {
		method := "Div"
		if by.Op == "mod" {
			method = "Mod"
		}
		if name == "" {
			e.Op = method
		} else {
			method = "by Int." + method + ": "
		}
		e.Detail = byZero(by.Op, by.Dividend)
		if name != "" {
			e.Detail = "a size is computed " + method + e.Detail
		}
	}
	return e
}

// Add returns n + m.
func (n Int) Add(m Int) Int { return combine(n, m, tracer.Int.Add) }

// Sub returns n - m.
func (n Int) Sub(m Int) Int { return combine(n, m, tracer.Int.Sub) }

// Mul returns n * m.
func (n Int) Mul(m Int) Int { return combine(n, m, tracer.Int.Mul) }

// Div returns n / m, rounded down as integer tensors divide.
//
// Errors: panics with *[Error] for a plain m of 0; of another m it is found when the graph runs.
func (n Int) Div(m Int) Int {
	if m.value == nil && m.n == 0 {
		misuse("Div", "%s", byZero("floordiv", n))
	}
	return combine(n, m, tracer.Int.FloorDiv)
}

// Mod returns the remainder of Div, which has the sign of m.
//
// Errors: as for Div.
func (n Int) Mod(m Int) Int {
	if m.value == nil && m.n == 0 {
		misuse("Mod", "%s", byZero("mod", n))
	}
	return combine(n, m, tracer.Int.Mod)
}

// Max returns the greater of n and m.
func (n Int) Max(m Int) Int { return combine(n, m, tracer.Int.Max) }

// Min returns the smaller of n and m.
func (n Int) Min(m Int) Int { return combine(n, m, tracer.Int.Min) }

// Neg returns -n.
func (n Int) Neg() Int { return Int{}.Sub(n) }

// AddScalar returns n + m.
func (n Int) AddScalar(m int) Int { return n.Add(IntOf(m)) }

// SubScalar returns n - m.
func (n Int) SubScalar(m int) Int { return n.Sub(IntOf(m)) }

// MulScalar returns n * m.
func (n Int) MulScalar(m int) Int { return n.Mul(IntOf(m)) }

// DivScalar returns n / m, rounded down.
func (n Int) DivScalar(m int) Int { return n.Div(IntOf(m)) }

// ModScalar returns the remainder of DivScalar, which has the sign of m.
func (n Int) ModScalar(m int) Int { return n.Mod(IntOf(m)) }

// compare decides n op m. In a traced function the example decides and the graph keeps the outcome as a guard, unless it
// follows from what is known already; an integer that depends on data is HOP501.
func (n Int) compare(op string, m Int) bool {
	tr := traceOfInts(n, m)
	if tr == nil {
		tr = tracer.NewTracer(tracer.Options{}) // two constants decide themselves
	}
	ok, err := decided(tr, func(pos token.Position) (bool, error) { return tr.Compare(op, n.expr(), m.expr(), pos) })
	if err != nil {
		panic(fromSizes(err, tr))
	}
	return ok
}

// Eq reports whether n == m. In a traced function the outcome becomes a guard of the graph.
//
// Errors: panics with *[Error] (HOP501) for an unbacked integer, unless its range decides; compare [Int.Tensor] instead.
func (n Int) Eq(m Int) bool { return n.compare("==", m) }

// Ne reports whether n != m; see [Int.Eq].
func (n Int) Ne(m Int) bool { return n.compare("!=", m) }

// Lt reports whether n < m; see [Int.Eq].
func (n Int) Lt(m Int) bool { return n.compare("<", m) }

// Le reports whether n <= m; see [Int.Eq].
func (n Int) Le(m Int) bool { return n.compare("<=", m) }

// Gt reports whether n > m; see [Int.Eq].
func (n Int) Gt(m Int) bool { return n.compare(">", m) }

// Ge reports whether n >= m; see [Int.Eq].
func (n Int) Ge(m Int) bool { return n.compare(">=", m) }

// EqScalar reports whether n == m; see [Int.Eq].
func (n Int) EqScalar(m int) bool { return n.Eq(IntOf(m)) }

// NeScalar reports whether n != m; see [Int.Eq].
func (n Int) NeScalar(m int) bool { return n.Ne(IntOf(m)) }

// LtScalar reports whether n < m; see [Int.Eq].
func (n Int) LtScalar(m int) bool { return n.Lt(IntOf(m)) }

// LeScalar reports whether n <= m; see [Int.Eq].
func (n Int) LeScalar(m int) bool { return n.Le(IntOf(m)) }

// GtScalar reports whether n > m; see [Int.Eq].
func (n Int) GtScalar(m int) bool { return n.Gt(IntOf(m)) }

// GeScalar reports whether n >= m; see [Int.Eq].
func (n Int) GeScalar(m int) bool { return n.Ge(IntOf(m)) }

// Value returns n as a Go int. In a traced function a backed integer is fixed by that (HOP502): the graph gets the guard
// that it has the value of the example.
//
// Errors: panics with *[Error] (HOP501) for an unbacked integer.
func (n Int) Value() int {
	tr := traceOfInts(n)
	if tr == nil {
		return n.n
	}
	v, err := decided(tr, func(pos token.Position) (int, error) { return tr.Fix(n.expr(), pos) })
	if err != nil {
		panic(fromSizes(err, tr))
	}
	return v
}

// Bounds returns the range in which n is known to be; math.MinInt and math.MaxInt stand for no bound.
func (n Int) Bounds() (lo, hi int) {
	tr := traceOfInts(n)
	if tr == nil {
		return n.n, n.n
	}
	return tr.Bounds(n.expr())
}

// Bounded says that lo <= n <= hi and returns n. Of an unbacked integer it is checked whenever the graph runs, so that the
// trace may rely on it; a backed one is compared, as by [Int.Le].
//
// Errors: panics with *[Error] when n is out of range, and for an expression of unbacked integers: bound its parts.
func (n Int) Bounded(lo, hi int) Int {
	tr := traceOfInts(n)
	ok := lo <= n.n && n.n <= hi
	if tr != nil {
		var err error
		if ok, err = tr.Bound(n.expr(), lo, hi, userPosition()); err != nil {
			panic(fromTracer(err))
		}
	}
	if !ok {
		misuse("Bounded", "%v is not between %d and %d", n, lo, hi)
	}
	return n
}

// String returns the number, or the expression in a traced function: s0*2 - 1.
func (n Int) String() string { return n.expr().String() }

// Tensor returns n as a tensor without dims.
//
// Aliasing: the result is fresh.
// Errors: panics with *[Error] for an invalid dtype.
// Gradient: none; an integer has no derivative.
//
//hop:returns fresh
func (n Int) Tensor(dtype DType) *Tensor {
	if !dtype.Valid() {
		misuse("Tensor", "dtype %d is none of the element types; use Bool, Int32, Int64, Float32 or Float64", int(dtype))
	}
	tr := traceOfInts(n)
	if tr == nil {
		return Scalar(int64(n.n)).To(dtype)
	}
	v, err := tr.Emit1(symScalar, []*tracer.Value{n.value}, attrs("dtype", dtype), tracer.TensorMeta(dtype), userPosition())
	if err != nil {
		panic(fromTracer(err))
	}
	return ofValue(v)
}

// leaf returns n as an operator handles it among the leaves of a pytree: a tensor that stands for an integer.
func (n Int) leaf() *Tensor {
	if n.value != nil {
		return ofValue(n.value)
	}
	t := newTensor(Int64, nil)
	elems[int64](t.storage, 0, 1)[0] = int64(n.n)
	t.storage.integer = true
	return t
}

// intOfLeaf is the inverse of leaf; what has no value, such as a gradient, is 0.
func intOfLeaf(t *Tensor) Int {
	switch {
	case t == nil:
		return Int{}
	case t.value == nil:
		return Int{n: int(element[int64](t))}
	}
	if n, ok := t.value.Meta().Int.Const(); ok {
		return Int{n: n}
	}
	return Int{value: t.value}
}

// isInt reports whether t stands for an integer.
func (t *Tensor) isInt() bool {
	return t.value != nil && t.value.Meta().Int != nil || t.storage != nil && t.storage.integer
}

// sameInt reports whether two leaves stand for one integer.
func sameInt(t, u *Tensor) bool { return t.isInt() && u.isInt() && intOfLeaf(t) == intOfLeaf(u) }

// intLeaves tells pytrees of Int.
var intLeaves = &pytree.Other[Tensor]{
	Type:  reflect.TypeFor[Int](),
	Leaf:  func(v reflect.Value) *Tensor { return v.Interface().(Int).leaf() },
	Value: func(t *Tensor) reflect.Value { return reflect.ValueOf(intOfLeaf(t)) },
}
