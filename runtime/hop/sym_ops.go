package hop

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"unsafe"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

// The ops between integers and tensors. They stand in graphs beside those of the op table, but have no tensor operand
// that decides where they run, so they are recorded by hand (int.go, sym_create.go). Where they meet an integer, the
// graph that runs has an int64 scalar; see sym_lower.go.
const (
	symItem   = "item"    // the element of a tensor as an integer
	symScalar = "scalar"  // an integer as a tensor without dims
	symFull   = "full"    // a tensor of symbolic shape with equal elements
	symArange = "arange"  // the numbers from 0 on
	symWhole  = "whole"   // the element of a tensor as an int64 scalar: item in graphs that run
	symDiv    = "int_div" // divides two integers, of which the second may be 0; only in graphs that run
	symMod    = "int_mod" // the remainder of that
	symHold   = "hold"    // checks a guard that depends on data; only in graphs that run
)

// symbolRows are the rows of these ops.
var symbolRows = sync.OnceValue(func() map[string]*opRow {
	m := map[string]*opRow{}
	for _, op := range []*opRow{
		{Name: symItem, Func: "SymItem", Schema: "item(Tensor self) -> Tensor", DTypes: anyDType, Infer: itemOf,
			Kernel: kernels.Kernel{Run: runItem}},
		{Name: symWhole, Func: "SymItem", Schema: "whole(Tensor self) -> Tensor", DTypes: anyDType, Infer: itemOf,
			Kernel: kernels.Kernel{Run: runItem}},
		{Name: symScalar, Func: "Tensor", Schema: "scalar(Tensor self, dtype dtype) -> Tensor", DTypes: anyDType, Infer: casting,
			Kernel: kernels.Cast},
		{Name: symFull, Func: "FullSym", Schema: "full(dtype dtype, float value, int... dims) -> Tensor", DTypes: anyDType, Infer: filled,
			Kernel: kernels.Kernel{Run: runFull}},
		{Name: symArange, Func: "ArangeSym", Schema: "arange(dtype dtype, int n) -> Tensor", DTypes: numbers, Infer: countingUp,
			Kernel: kernels.Kernel{Run: runArange}},
		{Name: symDiv, Func: "Div", Schema: "int_div(Tensor a, Tensor b) -> Tensor", DTypes: ints, Infer: sameAs(0),
			Kernel: kernels.Kernel{Run: runDivision(tracer.Int.FloorDiv)}},
		{Name: symMod, Func: "Mod", Schema: "int_mod(Tensor a, Tensor b) -> Tensor", DTypes: ints, Infer: sameAs(0),
			Kernel: kernels.Kernel{Run: runDivision(tracer.Int.Mod)}},
		{Name: symHold, Schema: "hold(Tensor a, Tensor b, string op, string left, string right, string maker) -> Tensor", DTypes: ints, Infer: toBool,
			Kernel: kernels.Kernel{Run: runHold}},
	} {
		op.NoGrad = "an integer has no derivative"
		m[op.Name] = op
	}
	return m
})

// itemOf is the rule of item on one element.
func itemOf(c *inference) error {
	for _, d := range c.In[0].Shape {
		if !isSize(d, 1) {
			return fmt.Errorf("tensor is %s; want one element", describe(c.In[0]))
		}
	}
	c.Out = tracer.Meta{DType: Int64}
	return nil
}

func runItem(c *kernels.Call) error {
	in := &c.In[0]
	n, err := wholeNumber(wrap(in.DType, in.Ptr, 1, nil))
	*(*int64)(c.Out[0].Ptr) = int64(n)
	return err
}

// filled is the rule of full.
func filled(c *inference) error {
	dt := c.Attrs.DType("dtype")
	if !dt.Valid() {
		return fmt.Errorf("dtype %d is none of the element types; use Bool, Int32, Int64, Float32 or Float64", int(dt))
	}
	if err := scalarFits(dt, c.Attrs.Float("value")); err != nil {
		return err
	}
	return ownDims(c, dt)
}

func runFull(c *kernels.Call) error {
	var bits uint64
	if err := kernels.Const(unsafe.Pointer(&bits), c.Out[0].DType, c.Attrs.Float("value")); err != nil {
		return err
	}
	kernels.Fill(&c.Out[0], unsafe.Pointer(&bits))
	return nil
}

// countingUp is the rule of arange.
func countingUp(c *inference) error {
	dt := c.Attrs.DType("dtype")
	if !numbers.has(dt) {
		return fmt.Errorf("dtype is %v; want %s", dt, numbers)
	}
	n, err := c.sizeAttr("n")
	if err != nil {
		return err
	}
	return ofSizes(c, dt, []tracer.Int{n})
}

func runArange(c *kernels.Call) error {
	out := &c.Out[0]
	n := out.Shape[0]
	if n == 0 {
		return nil
	}
	switch out.DType {
	case Int32:
		count(unsafe.Slice((*int32)(out.Ptr), n))
	case Int64:
		count(unsafe.Slice((*int64)(out.Ptr), n))
	case Float32:
		count(unsafe.Slice((*float32)(out.Ptr), n))
	default:
		count(unsafe.Slice((*float64)(out.Ptr), n))
	}
	return nil
}

// runDivision divides as expressions do.
func runDivision(op func(a, b tracer.Int) tracer.Int) func(c *kernels.Call) error {
	return func(c *kernels.Call) error {
		a, b := *(*int64)(c.In[0].Ptr), *(*int64)(c.In[1].Ptr)
		n, err := op(tracer.Const(int(a)), tracer.Const(int(b))).Eval(noValue)
		*(*int64)(c.Out[0].Ptr) = int64(n)
		if err != nil {
			return errors.New(intFailure("", err).Detail)
		}
		return nil
	}
}

func runHold(c *kernels.Call) error {
	a, b := int(*(*int64)(c.In[0].Ptr)), int(*(*int64)(c.In[1].Ptr))
	is := tracer.Cond{Op: c.Attrs.Str("op"), A: tracer.Const(a), B: tracer.Const(b)}
	ok, err := is.Holds(nil)
	*(*bool)(c.Out[0].Ptr) = ok
	if err == nil && !ok {
		err = errors.New(brokenGuard(is.Op, c.Attrs.Str("left"), c.Attrs.Str("right"), a, b, c.Attrs.Str("maker")))
	}
	return err
}

// brokenGuard says that a guard does not hold: what it compares, what that is now, and which op made the integer.
func brokenGuard(op, left, right string, a, b int, maker string) string {
	text := fmt.Sprintf("guard %s %s %s does not hold:", left, op, right)
	for i, side := range []string{left, right} {
		if is := []int{a, b}[i]; side != fmt.Sprint(is) {
			text += fmt.Sprintf(" %s = %d,", side, is)
		}
	}
	if maker != "" {
		return text + " made by " + maker
	}
	return strings.TrimSuffix(text, ",")
}

// recordSym records an op without tensor operands in the trace of the integers that its attributes are made of.
func recordSym(name string, ints []Int, list tracer.Attrs) *Tensor {
	tr := traceOfInts(ints...)
	bring(tr, ints)
	return ofValue(emitSym(tr, name, list))
}

func emitSym(tr *tracer.SubgraphTracer, name string, list tracer.Attrs) *tracer.Value {
	op := symbolRows()[name]
	inf := inference{op: op, Attrs: list, sizes: tr}
	if err := op.Infer(&inf); err != nil {
		misuse(op.userName(), "%s", err)
	}
	v, err := tr.Emit1(name, nil, inf.Attrs, inf.Out, userPosition())
	if err != nil {
		panic(fromTracer(err))
	}
	return v
}

// bring makes integers of outer tracers inputs of tr, so that an expression is one input and not computed again.
func bring(tr *tracer.SubgraphTracer, ints []Int) {
	for _, n := range ints {
		if n.value == nil || n.value.Tracer() == tr {
			continue
		}
		if _, err := tr.Use(n.value); err != nil {
			panic(fromTracer(err))
		}
	}
}

// exprs are the integers as expressions.
func exprs(ints []Int) []tracer.Int {
	list := make([]tracer.Int, len(ints))
	for i, n := range ints {
		list[i] = n.expr()
	}
	return list
}

// plainInts returns the values of ints where all are plain numbers.
func plainInts(ints []Int) (list []int, ok bool) {
	list = make([]int, len(ints))
	for i, n := range ints {
		if n.value != nil {
			return nil, false
		}
		list[i] = n.n
	}
	return list, true
}
