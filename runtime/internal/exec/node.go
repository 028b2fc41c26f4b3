package exec

import (
	"fmt"
	"unsafe"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

// node gives a node its value and appends what computes it.
func (f *frame) node(n *tracer.Node) (*value, error) {
	switch n.Op {
	case tracer.OpLiteral:
		return f.literal(n)
	case tracer.OpGet:
		return f.env[n.Args[0]].parts[n.Attrs.Int("index")], nil
	case tracer.OpPut:
		return f.put(n)
	}
	if len(n.Graphs) > 0 {
		return f.hop(n)
	}
	k, ok := f.lib.Kernel(n.Op)
	if !ok {
		return nil, fmt.Errorf("the op has no kernel")
	}
	switch {
	case k.View != nil:
		return f.view(n, k)
	case k.Pointwise != nil:
		return f.pointwise(n, k)
	default:
		return f.call(n, k)
	}
}

// literal makes the tensor once, when the program is bound.
func (f *frame) literal(n *tracer.Node) (*value, error) {
	lit, ok := n.Attrs.Get("value").(*tracer.Literal)
	if !ok {
		return nil, fmt.Errorf("the literal has no value")
	}
	v := f.fixed(lit.DType, lit.Shape, 0)
	if !readLiteral(v.Array, lit) {
		return nil, fmt.Errorf("the literal has %d bytes, its shape %v of %s needs %d", len(lit.Data), lit.Shape, lit.DType, v.bytes())
	}
	return v, nil
}

// view derives a window once: it keeps its distance from the base, wherever the base moves. Where no view exists the
// base is copied first.
func (f *frame) view(n *tracer.Node, k *kernels.Kernel) (*value, error) {
	base := f.env[n.Args[0]]
	shape, _ := n.Meta.ConstShape()
	v := &value{Array: kernels.Array{DType: n.Meta.DType, Shape: shape, Strides: make([]int, len(shape))}, mv: base.mv, level: base.level}
	if !k.View(base.Array, n.Attrs, &v.Array) {
		packed := f.fixed(base.DType, base.Shape, base.level)
		f.emit(base.level, instr{run: copying(packed, base), node: n})
		if !k.View(packed.Array, n.Attrs, &v.Array) {
			return nil, fmt.Errorf("%v has no view of shape %v", base.Shape, shape)
		}
		v.mv = nil
		return v, nil
	}
	if v.mv != nil && v.Ptr != nil {
		v.off = int(uintptr(v.Ptr) - uintptr(v.mv.base))
	}
	return f.load(n, v), nil
}

// put copies the base and writes the value into a view of the copy; of the base itself where nobody reads it any more.
func (f *frame) put(n *tracer.Node) (*value, error) {
	base, value_, level := f.env[n.Args[0]], f.env[n.Args[1]], f.levels[n]
	k, ok := f.lib.Kernel(n.Attrs.Str("view"))
	if !ok || k.View == nil {
		return nil, fmt.Errorf("there is no view %q", n.Attrs.Str("view"))
	}
	out, there := f.place(n, n, n.Args[0], f.at)
	window := &value{Array: kernels.Array{DType: out.DType, Shape: value_.Shape, Strides: make([]int, len(value_.Shape))}, mv: out.mv, level: level}
	if !k.View(out.Array, n.Attrs, &window.Array) {
		return nil, fmt.Errorf("%v has no %s view of shape %v", out.Shape, n.Attrs.Str("view"), value_.Shape)
	}
	if out.mv != nil && window.Ptr != nil {
		window.off = int(uintptr(window.Ptr) - uintptr(out.mv.base))
	}
	if out.elems() == 0 {
		return out, nil
	}
	if !there {
		f.emit(level, instr{run: copying(out, base), node: n})
	}
	if window.elems() > 0 {
		f.emit(level, instr{run: copying(window, value_), node: n})
	}
	return out, nil
}

// call runs a kernel over array headers that are made once.
func (f *frame) call(n *tracer.Node, k *kernels.Kernel) (*value, error) {
	level := f.levels[n]
	var out *value
	var parts []*value
	switch {
	case isUpdate(n):
		out, _ = f.place(n, n, n.Args[0], f.at) // a kernel that finds its first argument there copies nothing
		parts = []*value{out}
	case n.Meta.Elems == nil:
		out = f.result(n, level)
		parts = []*value{out}
	default:
		out = f.results(n, level)
		parts = out.parts
	}
	c := &kernels.Call{Out: make([]kernels.Array, len(parts)), In: make([]kernels.Array, len(n.Args)), Attrs: n.Attrs}
	for i, v := range parts {
		if v == nil { // nobody reads it; the kernel writes it all the same
			m := n.Meta.Elems[i]
			shape, _ := m.ConstShape()
			v = f.fixed(m.DType, shape, level)
		}
		c.Out[i] = v.Array
		v.track(&c.Out[i].Ptr)
	}
	for i, a := range n.Args {
		c.In[i] = f.env[a].Array
		f.env[a].track(&c.In[i].Ptr)
	}
	if k.Bind != nil {
		if run := k.Bind(c); run != nil {
			f.emit(level, instr{run: run, node: n})
			return out, nil
		}
	}
	run := k.Run
	f.emit(level, instr{try: func() error { return run(c) }, node: n})
	return out, nil
}

// elementwise is a loop over operands that are contiguous or one repeated element.
type elementwise struct {
	o, a, b, c unsafe.Pointer
}

// operation is an elementwise node with its arguments, constants included.
type operation struct {
	op   *kernels.Pointwise
	code *kernels.Code
	args [3]*value
}

// operation finds the code of an elementwise node; a fused one has that of its fusion.
func (f *frame) operation(n *tracer.Node, p *kernels.Pointwise) (*operation, error) {
	operands := make([]operand, 0, 3)
	if fused, ok := f.fusions[n]; ok {
		p, operands = fused.op, fused.args
	} else {
		if len(n.Args) != p.Arity {
			return nil, fmt.Errorf("the op takes %d arguments, the node has %d", p.Arity, len(n.Args))
		}
		for _, a := range n.Args {
			operands = append(operands, operand{node: a})
		}
		for _, key := range p.Consts {
			operands = append(operands, operand{values: []float64{n.Attrs.Float(key)}})
		}
	}
	o := &operation{op: p}
	dt := n.Meta.DType
	for i, x := range operands {
		if x.node != nil {
			o.args[i] = f.env[x.node]
			dt = o.args[i].DType
		}
	}
	var ok bool
	if o.code, ok = p.CodeFor(dt, n.Meta.DType); !ok || o.code.Out != n.Meta.DType {
		return nil, fmt.Errorf("the op is not defined for %s", dt)
	}
	for i, x := range operands {
		if x.node != nil {
			continue
		}
		c := f.fixed(dt, []int{len(x.values)}, 0)
		for k, v := range x.values {
			if err := kernels.Const(unsafe.Add(c.Ptr, k*dt.Size()), dt, v); err != nil {
				return nil, err
			}
		}
		c.Shape, c.Strides = nil, nil
		o.args[i] = c
	}
	return o, nil
}

// pointwise computes rank-0 values unboxed, contiguous ones of equal shape in one loop, all else by walking layouts.
func (f *frame) pointwise(n *tracer.Node, k *kernels.Kernel) (*value, error) {
	o, err := f.operation(n, k.Pointwise)
	if err != nil {
		return nil, err
	}
	level := f.levels[n]
	out := f.result(n, level)
	count := out.elems()
	if count == 0 {
		return out, nil
	}
	var strides [3]int
	for i, a := range o.args {
		switch {
		case a == nil || a.elems() == 1:
		case a.elems() == count && a.IsContiguous():
			strides[i] = 1
		default:
			f.strided(n, k, o, out, level)
			return out, nil
		}
	}
	e := &elementwise{}
	out.track(&e.o)
	fixed := out.mv == nil
	for i, p := range []*unsafe.Pointer{&e.a, &e.b, &e.c} {
		if a := o.args[i]; a != nil {
			a.track(p)
			fixed = fixed && a.mv == nil
		}
	}
	var run func()
	loop, sa, sb, sc := o.code.Loop, strides[0], strides[1], strides[2]
	if count == 1 && fixed {
		run = o.code.Step(e.o, e.a, e.b, e.c)
	} else {
		run = func() { loop(e.o, e.a, e.b, e.c, count, sa, sb, sc) }
	}
	if o.code.Check == nil {
		f.emit(level, instr{run: run, node: n, row: &rowOp{loop: loop, at: e, n: count, sa: sa, sb: sb, sc: sc}})
		return out, nil
	}
	check := o.code.Check
	f.emit(level, instr{node: n, try: func() error {
		if err := check(e.a, e.b, count, sa, sb); err != nil {
			return err
		}
		run()
		return nil
	}})
	return out, nil
}

// strided runs an elementwise op over any layout.
func (f *frame) strided(n *tracer.Node, k *kernels.Kernel, o *operation, out *value, level int) {
	args, run := o.args[:o.op.Arity], k.Run
	if _, ok := f.fusions[n]; ok {
		run = o.op.Run
		if o.op.Pair {
			args = o.args[:]
		}
	}
	c := &kernels.Call{Out: []kernels.Array{out.Array}, In: make([]kernels.Array, len(args)), Attrs: n.Attrs}
	out.track(&c.Out[0].Ptr)
	for i, a := range args {
		c.In[i] = a.Array
		a.track(&c.In[i].Ptr)
	}
	f.emit(level, instr{try: func() error { return run(c) }, node: n})
}
