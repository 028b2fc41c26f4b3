package hop

import (
	"slices"
	"sync"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

// One dispatcher serves every op. Its levels, from outer to inner, are Observe → Autograd → Trace → Dense; a level is
// entered only when an operand asks for it, so an op on plain tensors goes straight to its kernel.
//
// Every way into it checks its operands first, so that nothing is written when something is wrong.

// call is one application of an op on its way through the levels.
type call struct {
	op    *opRow
	name  string // as the user called it
	attrs tracer.Attrs
	args  []*Tensor
	metas []tracer.Meta // of args
	out   tracer.Meta
	trace *tracer.SubgraphTracer // nil for concrete operands
	tag   *tag
	site  *site     // where the call comes from when a graph is interpreted; nil for a call of the user's
	old   []*Tensor // what an in-place op overwrites and its derivative reads; nil for most

	// Room for what most calls need, so that a call is one allocation.
	inf      inference
	argBuf   [3]*Tensor
	metaBuf  [3]tracer.Meta
	sizeBuf  [3 * inlineDims]tracer.Int // of concrete operands, outside of traces: a graph keeps what it is told
	valueBuf [3]*tracer.Value
	outBuf   [1]*Tensor
	dimBuf   [inlineDims]int // of a result, which copies them
}

// calls lets calls be used again: nothing that a call leaves behind points to it.
var calls = sync.Pool{New: func() any { return new(call) }}

// apply runs a functional op or a view with one result.
func apply(id opID, attrs tracer.Attrs, ts ...*Tensor) *Tensor {
	op := lib.op(id)
	if out := fastScalar(op, attrs, ts); out != nil {
		return out
	}
	if out := fastReduction(op, attrs, ts); out != nil {
		return out
	}
	c := prepare(op, op.userName(), attrs, ts)
	out := c.functional()[0]
	*c = call{}
	calls.Put(c)
	return out
}

// applyAll runs an op with several results.
func applyAll(id opID, attrs tracer.Attrs, ts ...*Tensor) []*Tensor {
	op := lib.op(id)
	c := prepare(op, op.userName(), attrs, ts)
	return c.functional()
}

// prepare checks the operands and applies the shape rule. name is the op as the user called it.
func prepare(op *opRow, name string, attrs tracer.Attrs, ts []*Tensor) *call {
	c := calls.Get().(*call)
	c.op, c.name, c.attrs = op, name, attrs
	if c.args = append(c.argBuf[:0], ts...); len(ts) == 0 {
		c.args = nil
	}
	for i, t := range ts {
		if t == nil || t.isZero() {
			misuse(name, "operand %d is %s; make one with FromSlice, Zeros, Full, …", i, nilOrZero(t))
		}
	}
	// A trace may adopt another here, which can rename symbols, so metas are read behind it.
	c.trace = traceOf(ts)
	c.metas = c.metaBuf[:0]
	sizes := c.sizeBuf[:0]
	for i, t := range ts {
		if !op.DTypes.has(t.DType()) && !op.freeDType(i) {
			if i == 0 && op.keyed() {
				misuse(name, "%s", wrongKey(t.meta()))
			}
			misuse(name, "operand %d is %s; want %s, convert it with To", i, t.DType(), op.DTypes)
		}
		var m tracer.Meta
		if c.trace == nil {
			m, sizes = t.metaIn(sizes)
		} else {
			m = t.meta()
		}
		c.metas = append(c.metas, m)
	}
	c.inf = inference{op: op, In: c.metas, Attrs: attrs, sizes: c.trace}
	if err := op.Infer(&c.inf); err != nil {
		if ones := c.ones(); ones != nil {
			return prepare(op, name, attrs, ones)
		}
		misuse(name, "%s", err)
	}
	c.attrs, c.out = c.inf.Attrs, c.inf.Out
	c.tag = innermost(ts)
	return c
}

func nilOrZero(t *Tensor) string {
	if t == nil {
		return "nil"
	}
	return "a zero Tensor"
}

// meta returns what a trace knows of t.
func (t *Tensor) meta() tracer.Meta {
	m, _ := t.metaIn(nil)
	return m
}

// metaIn is meta with the shape in the room behind sizes; it returns the room that is used.
func (t *Tensor) metaIn(sizes []tracer.Int) (tracer.Meta, []tracer.Int) {
	if t.value != nil {
		return t.value.Meta(), sizes
	}
	if t.storage.integer {
		n := tracer.Const(int(element[int64](t)))
		return tracer.Meta{Int: &n}, sizes
	}
	start := len(sizes)
	sizes = slices.Grow(sizes, len(t.shape))
	for _, n := range t.shape {
		sizes = append(sizes, tracer.Const(n))
	}
	return tracer.Meta{DType: t.storage.dtype, Shape: sizes[start:len(sizes):len(sizes)]}, sizes
}

// userName is the op as the user calls it.
func (op *opRow) userName() string {
	switch {
	case op.Method != "":
		return op.Method
	case op.Func != "":
		return op.Func
	case op.Writer != "":
		return op.Writer
	default:
		return op.Name
	}
}

// functional runs the levels for an op that writes nothing.
func (c *call) functional() []*Tensor {
	var outs []*Tensor
	if c.trace != nil {
		outs = c.traced(c.trace)
	} else {
		c.tag.meet(c.args)
		outs = c.dense()
	}
	if c.trace == nil || c.tag.step() == nil { // a trace outlives the step that its captured tensors are part of
		for _, t := range outs {
			t.tag = c.tag
		}
		if c.op.Kernel.View != nil && c.trace == nil && c.site == nil && c.tag != nil {
			c.tag.madeView(outs[0])
		}
	}
	grad := anyRequiresGrad(c.args)
	if grad {
		c.recordTape(outs)
	}
	if c.tag.observed() {
		c.notify(c.op.Name, outs, grad)
	}
	return outs
}

// notify tells the observers on the operands of the call.
func (c *call) notify(name string, outs []*Tensor, grad bool) {
	c.tag.notify(bornOf(c.trace), func() OpCall {
		call := OpCall{Name: name, Path: c.tag.path(), Levels: levels(grad, c.trace != nil, c.trace == nil), In: infosOf(c.args), Out: infosOf(outs)}
		if c.site != nil {
			call.Position, call.Path = c.site.pos, c.site.path
		} else {
			call.Position = userPosition()
		}
		return call
	})
}

// bornOf is when a trace began, 0 for none.
func bornOf(tr *tracer.SubgraphTracer) uint64 {
	if tr == nil {
		return 0
	}
	return tr.Born()
}

// levels lists the levels that an observed call passed.
func levels(grad, trace, dense bool) []Level {
	list := []Level{LevelObserve}
	for _, l := range []struct {
		level  Level
		passed bool
	}{{LevelAutograd, grad}, {LevelTrace, trace}, {LevelDense, dense}} {
		if l.passed {
			list = append(list, l.level)
		}
	}
	return list
}

// dense computes with kernels.
func (c *call) dense() []*Tensor {
	outs := c.outBuf[:0]
	if c.op.Kernel.View != nil {
		return append(outs, c.view(c.out))
	}
	f := borrowFrame()
	defer f.release()
	if c.op.Rows != nil {
		in := c.args[0].array()
		c.out.Shape = append([]tracer.Int{tracer.Const(c.op.Rows(&in))}, c.out.Shape[1:]...)
	}
	fresh := func(m tracer.Meta) {
		t := newTensor(m.DType, c.shape(m))
		outs = append(outs, t)
		f.Out = append(f.Out, t.array())
	}
	if c.out.IsTensor() {
		fresh(c.out)
	}
	for _, m := range c.out.Elems {
		fresh(m)
	}
	for _, t := range c.args {
		f.In = append(f.In, t.array())
	}
	f.Attrs = c.attrs
	c.compute(f)
	return outs
}

// compute runs the kernel on a filled frame.
func (c *call) compute(f *frame) {
	if err := c.op.Kernel.Run(&f.Call); err != nil {
		misuse(c.name, "%s", err)
	}
}

// view makes the window of a view op, or a copy where there is none.
func (c *call) view(m tracer.Meta) *Tensor {
	base := c.args[0]
	out := newView(base, c.shape(m), nil, 0)
	a := base.array()
	f := borrowFrame()
	defer f.release()
	f.Out = append(f.Out, kernels.Array{DType: a.DType, Shape: out.shape, Strides: out.strides})
	window := &f.Out[0]
	if !c.op.Kernel.View(a, c.attrs, window) {
		c.refuseCopy()
		base = contiguousCopy(base)
		out.storage, a = base.storage, base.array()
		if !c.op.Kernel.View(a, c.attrs, window) {
			misuse(c.name, "no view of %s with shape %v", describe(c.metas[0]), out.shape)
		}
	}
	copy(out.strides, window.Strides)
	out.offset = base.offset
	if window.Ptr != nil {
		out.offset = base.storage.indexOf(window.Ptr)
	}
	return out
}

// shape returns the dims of a result and refuses those that no memory can hold.
func (c *call) shape(m tracer.Meta) []int {
	dims, ok := m.AppendConstShape(c.dimBuf[:0])
	if !ok {
		for _, d := range m.Shape {
			if _, err := d.Eval(noValue); err != nil && len(d.Symbols()) == 0 {
				panic(at(intFailure(c.name, err), userPosition()))
			}
		}
		misuse(c.name, "shape %s is not known here", shapeText(m.Shape))
	}
	if c.op.Kernel.View == nil {
		if _, ok := numElems(m.DType, dims); !ok {
			misuse(c.name, "result %s%v is larger than memory can be; use smaller sizes", m.DType, dims)
		}
	}
	return dims
}

// contiguousCopy returns the elements of t in fresh row-major storage.
func contiguousCopy(t *Tensor) *Tensor {
	out := newTensor(t.storage.dtype, t.shape)
	f := borrowFrame()
	defer f.release()
	f.Out, f.In = append(f.Out, out.array()), append(f.In, t.array())
	if err := kernels.Copy.Run(&f.Call); err != nil {
		misuse("Contiguous", "%s", err)
	}
	return out
}

// frame is a kernel call with room for its arrays.
type frame struct {
	kernels.Call
	outs [2]kernels.Array
	ins  [4]kernels.Array
}

var frames = sync.Pool{New: func() any { return new(frame) }}

func borrowFrame() *frame {
	f := frames.Get().(*frame)
	f.Out, f.In, f.Attrs = f.outs[:0], f.ins[:0], nil
	return f
}

func (f *frame) release() {
	clear(f.outs[:])
	clear(f.ins[:])
	f.Out, f.In, f.Attrs = nil, nil, nil
	frames.Put(f)
}
