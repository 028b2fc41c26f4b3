package hop

import (
	"errors"
	"fmt"
	"go/token"
	"slices"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

// joined is a storage that was made while a body was traced and then met a traced tensor. From there on it is part of
// the trace: base stands for its elements in row-major order, with the shape of the first tensor that joined.
type joined struct {
	base  *tracer.Value
	shape []int
	// grad says that base takes part in a gradient, so that a detached tensor on the storage is one in the trace too.
	grad bool
}

// traced returns a value on t's traced storage, or nil for a concrete tensor.
func traced(t *Tensor) *tracer.Value {
	if t.value != nil || t.storage == nil {
		return t.value
	}
	if j := t.storage.joined.Load(); j != nil {
		return j.base
	}
	return nil
}

// traceOf returns the tracer that records an op on ts, or nil when none of them is traced.
func traceOf(ts []*Tensor) *tracer.SubgraphTracer {
	var buf [4]*tracer.Value
	values := buf[:0]
	for _, t := range ts {
		if t == nil {
			continue
		}
		if v := traced(t); v != nil {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return nil
	}
	tr, err := tracer.Join(values...)
	if err != nil {
		panic(fromTracer(err))
	}
	if r := innermost(ts).step(); r != nil && r.start > tr.Born() {
		panic(stepInTrace(r.hop, tr))
	}
	return tr
}

// stepInTrace is the error of a stepwise operator whose body meets a tensor of a trace around it.
func stepInTrace(h *hopCall, tr *tracer.SubgraphTracer) *Error {
	return &Error{HOP: h.contract.Name, Step: -1, Position: userPosition(), insideTrace: true, probing: tr.Probing(),
		Detail: fmt.Sprintf("runs Stepwise inside the traced operator %s, where tensors have no data; %s", tr.Path(), orRemove(tr))}
}

// valueIn returns what t is in the trace of tr. A concrete tensor that was born in a body joins that body as an
// intermediate, an older one is captured.
func valueIn(tr *tracer.SubgraphTracer, t *Tensor) *tracer.Value {
	if t.value != nil {
		return t.value
	}
	if t.storage.integer {
		return tr.Number(tracer.Const(int(element[int64](t))))
	}
	if j := t.storage.joined.Load(); j != nil {
		return j.window(tr, t)
	}
	if owner := tr.At(t.storage.birth); owner != nil {
		return join1(owner, tr, t)
	}
	c := captureIn(tr, t)
	writer := tr.At(t.storage.written.Load())
	if writer == nil {
		return tr.Constant(c)
	}
	// An op on concrete operands alone wrote t since that body began: let the body meet t as it was before.
	now := c.Version
	c.Version--
	v := tr.Constant(c)
	if _, err := writer.Use(v); err != nil {
		panic(fromTracer(err))
	}
	tr.Mutated(c.Key, now, "", token.Position{})
	return v
}

// importCapture tells an adopting trace what a tensor is that the adopted one captured.
func importCapture(tr *tracer.SubgraphTracer, c tracer.Capture) (*tracer.Value, error) {
	return valueIn(tr, c.Payload.(*Tensor)), nil
}

// captureKey tells windows on one storage apart.
type captureKey struct {
	storage *storage
	offset  int
	dims    string
}

func captureOf(t *Tensor) tracer.Capture {
	key := captureKey{storage: t.storage, offset: t.offset}
	if t.offset != 0 || !t.IsContiguous() || t.count() != t.storage.n {
		key.dims = fmt.Sprint(t.shape, t.strides)
	} else {
		key.dims = fmt.Sprint(t.shape)
	}
	return tracer.Capture{Key: key, Store: t.storage, Meta: t.meta(), Version: t.storage.version.Load(), Payload: t}
}

// captureIn is captureOf for a trace that may ask for the same tensor again and again.
func captureIn(tr *tracer.SubgraphTracer, t *Tensor) tracer.Capture {
	l := localOf(tr)
	if l == nil {
		return captureOf(t)
	}
	for i := range l.captures {
		if c := &l.captures[i]; c.Payload.(*Tensor) == t {
			c.Version = t.storage.version.Load()
			return *c
		}
	}
	c := captureOf(t)
	if len(l.captures) < maxKnownCaptures {
		l.captures = append(l.captures, c)
	}
	return c
}

// join1 makes the storage of t part of owner's trace, with the bytes that it has now, and returns t's value. A storage
// that takes part in a gradient is copied instead, and the copy captured, so that the gradient flows on.
func join1(owner, tr *tracer.SubgraphTracer, t *Tensor) *tracer.Value {
	j := &joined{shape: []int{t.storage.n}}
	if t.offset == 0 && t.count() == t.storage.n && t.IsContiguous() {
		j.shape = t.dims()
	}
	if whole := t.whole(j.shape); whole.RequiresGrad() && !onTracedTape([]*Tensor{whole}) {
		copied := whole.Clone()
		copied.storage.birth = 0 // it belongs to no body, also for a trace that adopts this one
		v, err := owner.Emit1("clone", []*tracer.Value{owner.Constant(captureOf(copied))}, nil, whole.meta(), userPosition())
		if err != nil {
			panic(fromTracer(err))
		}
		j.base, j.grad = v, true
	} else {
		data := append([]byte(nil), t.storage.bytes()...)
		j.base = owner.Literal(&tracer.Literal{DType: t.storage.dtype, Shape: j.shape, Data: data}, userPosition())
	}
	j.base.BornAt(t.storage.birth, t.storage.version.Load())
	t.storage.joined.Store(j)
	return j.window(tr, t)
}

// whole returns the tensor of the given shape that shows all elements of t's storage.
func (t *Tensor) whole(shape []int) *Tensor {
	u := newView(t, shape, make([]int, len(shape)), 0)
	contiguousStrides(u.shape, u.strides)
	u.tag = nil
	owner := t.tape
	if owner == detached {
		if owner = nil; t.storage.grad.Load() != nil {
			owner = t.storage.grad.Load().root.Load()
		}
	}
	if owner != nil && t.storage.rewritten() == nil { // else the history says where u is
		u.tape = owner.owner().reshaped(t.storage, shape)
	}
	return u
}

// window returns t's value as a view of the base.
func (j *joined) window(tr *tracer.SubgraphTracer, t *Tensor) *tracer.Value {
	v := j.attached(tr, t)
	if !j.grad || t.tape != detached {
		return v
	}
	v, err := tr.View("detach", v, nil, t.meta(), userPosition())
	if err != nil {
		panic(fromTracer(err))
	}
	return v
}

func (j *joined) attached(tr *tracer.SubgraphTracer, t *Tensor) *tracer.Value {
	if t.offset == 0 && equalInts(t.shape, j.shape) && t.IsContiguous() {
		return j.base
	}
	attrs := tracer.Attrs{{Key: "shape", Value: t.dims()}, {Key: "strides", Value: t.Strides()}, {Key: "offset", Value: t.offset}}
	v, err := tr.View("as_strided", j.base, attrs, t.meta(), userPosition())
	if err != nil {
		panic(fromTracer(err))
	}
	return v
}

func equalInts(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// ofValue returns the tensor that stands for v in user code.
func ofValue(v *tracer.Value) *Tensor {
	tr := v.Tracer()
	var b *viewBox
	if l := localOf(tr); l != nil {
		b = l.box()
	} else {
		b = new(viewBox)
	}
	t := &b.t
	shape := v.Meta().Shape
	dims := b.dims[:0]
	for _, d := range shape {
		dims = append(dims, hint(tr, d))
	}
	if 2*len(dims) <= len(b.dims) {
		t.shape, t.strides = dims[:len(dims):len(dims)], b.dims[len(dims):2*len(dims):2*len(dims)]
	} else {
		t.setDims(nil, dims)
	}
	contiguousStrides(t.shape, t.strides)
	t.value = v
	return t
}

// unknownSize stands in layouts for an integer that depends on data: one that is equal to no other by chance.
const unknownSize = 8191

// hintsOf returns the shape of v with the sizes that symbolic dims had in the example.
func hintsOf(v *tracer.Value) []int { return hints(v.Tracer(), v.Meta()) }

// hints returns the shape of m with the sizes that symbolic dims had in the example of tr.
func hints(tr *tracer.SubgraphTracer, m tracer.Meta) []int {
	shape := make([]int, len(m.Shape))
	for i, d := range m.Shape {
		shape[i] = hint(tr, d)
	}
	return shape
}

// hint computes with unknownSize, too, so that a merged dim has as many elements as its parts.
func hint(tr *tracer.SubgraphTracer, i tracer.Int) int {
	if n, ok := i.Const(); ok {
		return n
	}
	if n, ok := tr.HintOr(i, unknownSize); ok && n >= 0 {
		return n
	}
	return unknownSize
}

// traced records a functional op or a view. A view op that has to copy, because no window shows the elements in the
// order asked for, is recorded as an op with a fresh result, so that both modes alias alike.
func (c *call) traced(tr *tracer.SubgraphTracer) []*Tensor {
	c.enter(tr)
	defer tr.Leave()
	if c.op.Rows != nil {
		c.out = c.unbackedRows(tr)
	}
	values := c.values(tr)
	pos := userPosition()
	if c.op.Kernel.View != nil {
		if strides, ok := c.tracedStrides(); ok {
			v, err := tr.View(c.op.Name, values[0], c.attrs, c.out, pos)
			if err != nil {
				panic(fromTracer(err))
			}
			t := ofValue(v)
			copy(t.strides, strides)
			return append(c.outBuf[:0], t)
		}
		c.refuseCopy()
	}
	if c.out.Elems == nil {
		v, err := tr.Emit1(c.op.Name, values, c.attrs, c.out, pos)
		if err != nil {
			panic(fromTracer(err))
		}
		return append(c.outBuf[:0], ofValue(v))
	}
	results, err := tr.Emit(c.op.Name, values, c.attrs, c.out, pos)
	if err != nil {
		panic(fromTracer(err))
	}
	outs := make([]*Tensor, len(results))
	for i, v := range results {
		outs[i] = ofValue(v)
	}
	return outs
}

// unbackedRows is the result of an op whose number of rows depends on the elements: a new symbol. The shape rule gives the
// most that there may be.
func (c *call) unbackedRows(tr *tracer.SubgraphTracer) tracer.Meta {
	_, most := tr.Bounds(c.out.Shape[0])
	m := c.out
	m.Shape = append([]tracer.Int{tr.NewUnbacked(0, most)}, m.Shape[1:]...)
	return m
}

// enter claims the trace for the call, which has to leave it. Two goroutines that record in one trace at once are
// refused: what they do has no order.
func (c *call) enter(tr *tracer.SubgraphTracer) {
	if !tr.Enter() {
		misuse(c.name, "another goroutine uses tensors of the trace of %s at the same time; a trace belongs to the goroutine that runs the body, so do concurrent work outside of it", tr.Operator())
	}
}

// tracedStrides returns the strides that a view op gives its result, and false where there is no such window.
func (c *call) tracedStrides() ([]int, bool) {
	in := kernels.Array{DType: c.out.DType, Shape: c.args[0].shape, Strides: c.args[0].strides}
	out := kernels.Array{DType: c.out.DType, Shape: hints(c.trace, c.out), Strides: make([]int, len(c.out.Shape))}
	ok := c.op.Kernel.View(in, c.hintAttrs(), &out)
	return out.Strides, ok
}

// hintAttrs are the attributes with the sizes of the example.
func (c *call) hintAttrs() tracer.Attrs {
	var list tracer.Attrs
	for i, a := range c.attrs {
		var v any
		switch given := a.Value.(type) {
		case tracer.Int:
			v = hint(c.trace, given)
		case []tracer.Int:
			v = hints(c.trace, tracer.Meta{Shape: given})
		default:
			continue
		}
		if list == nil {
			list = slices.Clone(c.attrs)
		}
		list[i].Value = v
	}
	if list == nil {
		return c.attrs
	}
	return list
}

// refuseCopy panics for a view op that may not copy.
func (c *call) refuseCopy() {
	if c.op.mayCopy() {
		return
	}
	misuse(c.name, "%s with strides %v has no view of shape %s; use Reshape, which copies where it must",
		describe(c.metas[0]), c.args[0].strides, shapeText(c.out.Shape))
}

// writeTraced records an in-place op: the functional result becomes the contents of the receiver.
func (c *call) writeTraced(tr *tracer.SubgraphTracer) {
	c.enter(tr)
	defer tr.Leave()
	values := c.values(tr)
	pos := userPosition()
	results, err := tr.Emit(c.op.Name, values, c.attrs, c.out, pos)
	var dst, src *tracer.Value
	if err == nil {
		dst, src, err = c.directly(tr, values[0], results[0], pos)
	}
	if err == nil {
		err = tr.Write(dst, src, c.name, pos)
	}
	if err != nil {
		panic(fromTracer(err))
	}
}

// directly returns v, the receiver of a write, as one window on its storage when an expanded view leads to it, and src,
// what is written, of its type. An element of such a view is shown several times: put back view by view, what is written
// to one of them would be lost in the others. A window has strides, so open sizes are fixed to those of the example.
func (c *call) directly(tr *tracer.SubgraphTracer, v, src *tracer.Value, pos token.Position) (dst, value *tracer.Value, err error) {
	steps := v.Views()
	if !slices.ContainsFunc(steps, func(s tracer.ViewStep) bool { return s.Op == "expand" }) {
		return v, src, nil
	}
	base := v.Base().Meta()
	w := newTensor(Bool, c.fixed(tr, base.Shape, pos))
	for _, s := range steps {
		op := opNamed(s.Op)
		w = prepare(op, op.userName(), c.fixedAttrs(tr, s.Attrs, pos), []*Tensor{w}).functional()[0]
	}
	window := tracer.TensorMeta(base.DType, w.shape...)
	if !src.Meta().Equal(window) { // its sizes are open
		if src, err = tr.Emit1("reshape", []*tracer.Value{src}, attrs("dims", w.dims()), window, pos); err != nil {
			return nil, nil, err
		}
	}
	dst, err = tr.View("as_strided", v.Base(), attrs("shape", w.dims(), "strides", w.Strides(), "offset", w.offset), window, pos)
	return dst, src, err
}

// fixed returns sizes as they are in the example, to which the graph keeps from here on.
func (c *call) fixed(tr *tracer.SubgraphTracer, sizes []tracer.Int, pos token.Position) []int {
	list := make([]int, len(sizes))
	for i, size := range sizes {
		n, err := decidedFor(tr, "Clone the expanded view before it is written", func(token.Position) (int, error) { return tr.Fix(size, pos) })
		if err != nil {
			misuse(c.name, "a write through an expanded view whose size %v depends on data is not known; Clone it first", size)
		}
		list[i] = n
	}
	return list
}

// fixedAttrs is fixed for attributes.
func (c *call) fixedAttrs(tr *tracer.SubgraphTracer, given tracer.Attrs, pos token.Position) tracer.Attrs {
	list := slices.Clone(given)
	for i, a := range list {
		switch v := a.Value.(type) {
		case tracer.Int:
			list[i].Value = c.fixed(tr, []tracer.Int{v}, pos)[0]
		case []tracer.Int:
			list[i].Value = c.fixed(tr, v, pos)
		}
	}
	return list
}

// ones returns the operands with size 1, to which the graph keeps from here on, for open sizes that are 1 in the example;
// nil when there are none. What is made of sizes may be 1 by chance, and is stretched then like any 1.
func (c *call) ones() []*Tensor {
	var list []*Tensor
	for i, t := range c.args {
		if i == 0 && (c.name != c.op.userName() || c.op.Writer != "") { // the receiver
			continue
		}
		for d, size := range t.openSizes() {
			if size.value == nil || t.shape[d] != 1 {
				continue
			}
			if ok, err := decided(c.trace, func(pos token.Position) (bool, error) {
				return c.trace.Compare("==", size.expr(), tracer.Const(1), pos)
			}); !ok || err != nil {
				continue
			}
			if list == nil {
				list = slices.Clone(c.args)
			}
			list[i] = list[i].Narrow(d, 0, 1)
		}
	}
	return list
}

func (c *call) values(tr *tracer.SubgraphTracer) []*tracer.Value {
	values := c.valueBuf[:0]
	for _, t := range c.args {
		values = append(values, valueIn(tr, t))
	}
	return values
}

// concrete returns t when it has data to read, and refuses otherwise: a body cannot read what depends on its inputs.
func concrete(t *Tensor, method string) *Tensor {
	if t == nil || t.isZero() {
		misuse(method, "tensor is %s; make one with FromSlice, Zeros, Full, …", nilOrZero(t))
	}
	v := traced(t)
	if v == nil {
		return t
	}
	tr, err := tracer.Join(v)
	if err != nil {
		panic(fromTracer(err))
	}
	f := hopcheck.Finding{Code: hopcheck.DataDependentControlFlow, HOP: tr.Operator(), Body: tr.Words(), Op: method}
	panic(needsData(f, tr))
}

// needsData makes the error of what cannot run in the trace tr because it needs values.
func needsData(f hopcheck.Finding, tr *tracer.SubgraphTracer) *Error {
	if advice := stepAdvice(tr); advice != "" && advice != "give "+tr.Operator()+" Stepwise too" { // which is what the rule says
		f.Remedy = "use Cond, WhileLoop or Where, or " + advice
	}
	e := refusal(f, userPosition())
	e.needsData = true
	return e
}

// fromSizes makes an *Error of what the trace tr refused of an integer.
func fromSizes(err error, tr *tracer.SubgraphTracer) *Error {
	var te *tracer.Error
	if errors.As(err, &te) && te.Code == hopcheck.DataDependentControlFlow {
		return needsData(te.Finding.Finding, tr)
	}
	return fromTracer(err)
}

// fromTracer makes an *Error of what the tracer refused.
func fromTracer(err error) *Error {
	var te *tracer.Error
	if errors.As(err, &te) {
		return fromFinding(te.Finding, userPosition())
	}
	return &Error{Step: -1, Position: userPosition(), Detail: err.Error(), Err: err}
}

// fromFinding makes an *Error of a finding on a graph.
func fromFinding(f tracer.Finding, fallback token.Position) *Error {
	if !f.Pos.IsValid() {
		f.Pos = fallback
	}
	e := refusal(f.Finding, f.Pos)
	e.VersionBefore, e.VersionAfter = f.Before, f.After
	return e
}

// shapes are the shape rules of the op table, as graphs ask for them.
type shapes struct{}

// Infer applies the rule of the op called name.
func (shapes) Infer(name string, args []tracer.Meta, attrs tracer.Attrs) (tracer.Meta, error) {
	inf, err := inferNamed(name, args, attrs, nil)
	if err != nil {
		return tracer.Meta{}, err
	}
	return inf.Out, nil
}

// inferNamed applies the rule of the op called name, after check, which may be nil, to what graphs have: integers beside
// tensors, and sizes that depend on data.
func inferNamed(name string, args []tracer.Meta, attrs tracer.Attrs, check func(op *opRow, args []tracer.Meta) error) (*inference, error) {
	op := opNamed(name)
	if op == nil || name == symHold {
		return nil, fmt.Errorf("unknown op %q", name)
	}
	if name == symScalar && len(args) == 1 {
		if args[0].Int == nil {
			return nil, fmt.Errorf("%s: argument is %s; want an integer", name, args[0])
		}
		args = []tracer.Meta{tracer.TensorMeta(Int64)}
	}
	for _, m := range args {
		if !m.IsTensor() {
			return nil, fmt.Errorf("%s: argument is %s; want a tensor", name, m)
		}
	}
	if check != nil {
		if err := check(op, args); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	inf := &inference{op: op, In: args, Attrs: attrs, trusting: true}
	if err := op.Infer(inf); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	inf.Out = op.result(inf.Out)
	return inf, nil
}

// result is what a graph knows of the result of op before it runs.
func (op *opRow) result(m tracer.Meta) tracer.Meta {
	if op.Name == symItem {
		i := tracer.AnyInt()
		return tracer.Meta{Int: &i}
	}
	if op.Rows != nil {
		m.Shape = append([]tracer.Int{tracer.AnyInt()}, m.Shape[1:]...)
	}
	return m
}
