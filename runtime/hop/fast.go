package hop

import (
	"slices"
	"strings"

	"github.com/hoplint/hoplint/tracer"
)

// The short way through the dispatcher: elementwise ops on plain tensors of one dtype need no shape rule, no levels and
// no list of operands. Everything else, errors included, takes the long way.

// plain reports whether no level but Dense is asked for.
func (t *Tensor) plain() bool {
	return t != nil && t.value == nil && t.storage != nil && t.tag == nil && t.tape == nil && t.storage.joined.Load() == nil && t.storage.rewritten() == nil
}

// unary runs an elementwise op of one operand.
func unary(id opID, t *Tensor) *Tensor {
	op := lib.op(id)
	if t.plain() {
		if dt := op.plainResult(t.storage.dtype); dt != 0 {
			out := newTensor(dt, t.shape)
			f := borrowFrame()
			f.In = append(f.In, t.array())
			op.runFast(f, out)
			return out
		}
	}
	return apply(id, nil, t)
}

// binary runs an elementwise op of two operands.
func binary(id opID, t, u *Tensor) *Tensor {
	op := lib.op(id)
	if t.plain() && u.plain() && t.storage.dtype == u.storage.dtype {
		if dt := op.plainResult(t.storage.dtype); dt != 0 {
			var buf [2 * inlineDims]int
			dims, ok := t.shape, true
			if !slices.Equal(t.shape, u.shape) {
				dims, ok = broadcastDims(buf[:0], t.shape, u.shape)
			}
			if ok {
				out := newTensor(dt, dims)
				f := borrowFrame()
				f.In = append(f.In, t.array(), u.array())
				op.runFast(f, out)
				return out
			}
		}
	}
	return apply(id, nil, t, u)
}

// fastScalar runs an elementwise op of a float tensor and a number, or returns nil.
func fastScalar(op *opRow, attrs tracer.Attrs, ts []*Tensor) *Tensor {
	if len(ts) != 1 || len(attrs) != 1 || !ts[0].plain() {
		return nil
	}
	t := ts[0]
	dt := op.scalarResult(t.storage.dtype)
	if dt == 0 {
		return nil
	}
	out := newTensor(dt, t.shape)
	f := borrowFrame()
	f.In, f.Attrs = append(f.In, t.array()), attrs
	op.runFast(f, out)
	return out
}

// fastReduction runs a reduction of all elements of a float tensor, or returns nil.
func fastReduction(op *opRow, attrs tracer.Attrs, ts []*Tensor) *Tensor {
	if len(ts) != 1 || len(attrs) != 2 || attrs[0].Key != "dims" || attrs[1].Value != false || !ts[0].plain() {
		return nil
	}
	t := ts[0]
	dims, _ := attrs[0].Value.([]int)
	if len(dims) > 0 || t.count() == 0 {
		return nil
	}
	dt := op.reducedResult(t.storage.dtype)
	if dt == 0 {
		return nil
	}
	out := newTensor(dt, nil)
	f := borrowFrame()
	f.In, f.Attrs = append(f.In, t.array()), attrs
	op.runFast(f, out)
	return out
}

// fastWrite runs the in-place form of an elementwise op where the receiver can be written while it is read, and
// reports whether it did.
func fastWrite(op *opRow, attrs tracer.Attrs, ts []*Tensor) bool {
	dst := ts[0]
	if !dst.plain() || !dst.IsContiguous() || dst.storage.grad.Load() != nil { // whose writes are noted
		return false
	}
	dt := dst.storage.dtype
	switch {
	case len(attrs) == 0 && op.plainResult(dt) != dt, len(attrs) == 1 && op.scalarResult(dt) != dt, len(attrs) > 1:
		return false
	}
	for _, t := range ts[1:] {
		if !t.plain() || t.storage.dtype != dt || !fits(t.shape, dst.shape) || t.storage == dst.storage && !sameWindow(t, dst) {
			return false
		}
	}
	f := borrowFrame()
	for _, t := range ts {
		f.In = append(f.In, t.array())
	}
	f.Attrs = attrs
	if op.checked(dt) && dst.count() > 0 {
		// A kernel that can fail must not leave half of its work behind.
		f.release()
		return false
	}
	op.runFast(f, dst)
	dst.storage.bump()
	return true
}

// runFast runs the kernel on the frame's inputs into out and gives the frame back.
func (op *opRow) runFast(f *frame, out *Tensor) {
	f.Out = append(f.Out, out.array())
	err := op.Kernel.Run(&f.Call)
	f.release()
	if err != nil {
		misuse(op.userName(), "%s", err)
	}
}

// checked reports whether the kernel may fail for operands of dtype dt: integers have divisions by zero.
func (op *opRow) checked(dt DType) bool { return dt.IsInt() }

// broadcastDims appends the common shape of two shapes to dims, and reports false where there is none or it is too large.
func broadcastDims(dims, a, b []int) ([]int, bool) {
	if len(a) < len(b) {
		a, b = b, a
	}
	lead := len(a) - len(b)
	dims = append(dims, a...)
	for i, n := range b {
		switch m := dims[lead+i]; {
		case n == m || n == 1:
		case m == 1:
			dims[lead+i] = n
		default:
			return nil, false
		}
	}
	_, ok := numElems(Float64, dims)
	return dims, ok
}

// fits reports whether shape broadcasts to into without changing it.
func fits(shape, into []int) bool {
	lead := len(into) - len(shape)
	if lead < 0 {
		return false
	}
	for i, n := range shape {
		if n != 1 && n != into[lead+i] {
			return false
		}
	}
	return true
}

// plainResult is the dtype of an elementwise op's result for operands of dtype dt, or 0 when the op is not
// elementwise, takes attributes or does not accept dt.
func (op *opRow) plainResult(dt DType) DType {
	op.plainOnce.Do(func() {
		if op.Kernel.Pointwise == nil {
			if strings.Contains(op.Schema, "(Tensor self, int... dims, bool keepdim)") {
				for _, d := range []DType{Float32, Float64} {
					op.reducedDTypes[d] = op.elementResult(d, 1, tracer.Attrs{{Key: "dims", Value: []int(nil)}, {Key: "keepdim", Value: false}})
				}
			}
			return
		}
		for _, d := range tracer.DTypes() {
			op.plainDTypes[d] = op.elementResult(d, op.Kernel.Pointwise.Arity, nil)
			if d.IsFloat() && op.Kernel.Pointwise.Arity == 1 {
				op.scalarDTypes[d] = op.elementResult(d, 1, tracer.Attrs{{Key: "value", Value: 1.0}})
			}
		}
	})
	return op.plainDTypes[dt]
}

// scalarResult is plainResult for an op of a float tensor and the one attribute "value". An integer needs the shape
// rule, which checks that the number is exact.
func (op *opRow) scalarResult(dt DType) DType {
	op.plainResult(dt)
	return op.scalarDTypes[dt]
}

// reducedResult is the dtype of a reduction of all elements of a float tensor, or 0.
func (op *opRow) reducedResult(dt DType) DType {
	op.plainResult(dt)
	return op.reducedDTypes[dt]
}

// elementResult asks the shape rule for the dtype of the result on scalars, 0 when it refuses or when it is no scalar.
func (op *opRow) elementResult(d DType, arity int, attrs tracer.Attrs) DType {
	inf := inference{op: op, Attrs: attrs}
	for range arity {
		inf.In = append(inf.In, tracer.TensorMeta(d))
	}
	if !op.DTypes.has(d) || op.Infer(&inf) != nil || len(inf.Attrs) != len(attrs) || len(inf.Out.Shape) > 0 {
		return 0
	}
	return inf.Out.DType
}
