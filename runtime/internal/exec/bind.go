package exec

import (
	"slices"
	"unsafe"
	"weak"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
	"github.com/hoplint/hoplint/tracer/passes"
)

// instance is a program bound to memory.
type instance struct {
	strides  [][]int
	ins      []*mover
	outs     []*mover
	sequence []instr
	heap     heap
	ctl      control
	self     weak.Pointer[instance] // made once: weak.Make looks it up
}

// matches reports whether the instance was bound to these strides.
func (inst *instance) matches(ins []kernels.Array) bool {
	for i := range ins {
		if !slices.Equal(inst.strides[i], ins[i].Strides) {
			return false
		}
	}
	return true
}

// run computes outs from ins. The addresses of both are forgotten afterwards, so that an idle instance keeps no
// memory of its callers alive.
func (inst *instance) run(o RunOptions, ins, outs []kernels.Array) error {
	inst.ctl.set(o)
	for i, m := range inst.ins {
		m.set(ins[i].Ptr)
	}
	for i, m := range inst.outs {
		m.set(outs[i].Ptr)
	}
	err := runAll(inst.sequence)
	for _, m := range inst.ins {
		m.set(nil)
	}
	for _, m := range inst.outs {
		m.set(nil)
	}
	inst.heap.forget()
	inst.ctl.set(RunOptions{})
	return err
}

// frame is one graph while it is bound: its nodes' values, and where some of them should be written.
type frame struct {
	lib     Library
	origins map[*tracer.Node]passes.Origin
	heap    *heap
	ctl     *control
	scope   *scope
	// loops counts the loops around the graph, as the graph is written.
	loops int
	env   map[*tracer.Node]*value
	// claims are nodes whose result is wanted at a moving address (an output of the run, a row of ys, the next carry).
	// A node that cannot write there is copied by whoever claimed it.
	claims map[*tracer.Node]*mover
	// places are where the results of rank-0 elementwise nodes are wanted.
	places map[*tracer.Node]*value
	gets   map[*tracer.Node][]*tracer.Node
	// levels are those of all nodes, fusions the nodes that compute others along, absorbed the nodes so computed with the node that does.
	levels   map[*tracer.Node]int
	fusions  map[*tracer.Node]fusion
	absorbed map[*tracer.Node]*tracer.Node
	memory   memory
	// inPlace are updates whose first argument is to lie where they write; at is the index of the node that is bound.
	inPlace map[*tracer.Node]bool
	at      int
	// notes are comments on nodes, written that have found their first argument in place; nil when nobody asks.
	notes   map[*tracer.Node]string
	written map[*tracer.Node]bool
	updates *updates
}

func bind(p *Program, ins, outs []kernels.Array) (*instance, error) {
	return bindWith(p, ins, outs, nil)
}

// bindWith is bind; it tells notes about the nodes unless that is nil.
func bindWith(p *Program, ins, outs []kernels.Array, notes map[*tracer.Node]string) (*instance, error) {
	g := p.graph
	inst := &instance{strides: make([][]int, len(ins))}
	inst.self = weak.Make(inst)
	root := &scope{}
	f := newFrame(p.lib, &inst.heap, root)
	f.origins, f.ctl, f.notes = p.origins, &inst.ctl, notes
	f.updates = &updates{p.lib, map[*tracer.Node][]int{}}
	for i, n := range slices.Concat(g.Inputs, g.Constants) {
		inst.strides[i] = slices.Clone(ins[i].Strides)
		a := ins[i]
		a.Shape, a.Strides = slices.Clone(a.Shape), inst.strides[i]
		m := &mover{base: a.Ptr}
		inst.ins = append(inst.ins, m)
		f.env[n] = f.load(n, &value{Array: a, mv: m})
	}
	for i, n := range g.Outputs {
		m := &mover{base: outs[i].Ptr, what: "output", index: i}
		inst.outs = append(inst.outs, m)
		f.claim(n, m)
	}
	f.survey(g)
	if err := f.nodes(g); err != nil {
		return nil, err
	}
	for i, n := range g.Outputs {
		f.deliver(&root.body, n, f.env[n], inst.outs[i])
	}
	inst.sequence = append(root.pre, root.body...)
	return inst, nil
}

func newFrame(lib Library, h *heap, s *scope) *frame {
	return &frame{lib: lib, heap: h, scope: s, ctl: &control{}, env: map[*tracer.Node]*value{},
		claims: map[*tracer.Node]*mover{}, places: map[*tracer.Node]*value{}, inPlace: map[*tracer.Node]bool{}, written: map[*tracer.Node]bool{}}
}

// child returns a frame for a body of an operator.
func (f *frame) child(s *scope) *frame {
	b := newFrame(f.lib, f.heap, s)
	b.notes, b.origins, b.ctl, b.loops, b.updates = f.notes, f.origins, f.ctl, f.loops, f.updates
	return b
}

// inner returns the scope of a body of n, which is run where a value of the given level is made.
func (f *frame) inner(n *tracer.Node, level, depth int) *scope {
	return &scope{parent: f.scope.around(level), depth: depth, path: append(slices.Clone(f.origins[n].Via), passes.Around{Node: n})}
}

// pass gives the inputs of a body behind the first ones the values of arguments.
func (f *frame) pass(b *frame, inputs, args []*tracer.Node) {
	for k, in := range inputs {
		b.env[in] = f.env[args[k]]
	}
}

// claim asks for n's result at m, and reports whether nobody asked before.
func (f *frame) claim(n *tracer.Node, m *mover) bool {
	if len(n.Meta.Shape) == 0 || f.claims[n] != nil {
		return false
	}
	f.claims[n] = m
	return true
}

// deliver appends to seq a copy of v to the mover m, unless v was computed there.
func (f *frame) deliver(seq *[]instr, n *tracer.Node, v *value, m *mover) {
	if v.mv == m && v.off == 0 || v.elems() == 0 {
		return
	}
	to := moving(m, v, 0)
	if v.scalar() {
		var dst, src unsafe.Pointer
		p, size := &[2]unsafe.Pointer{dst, src}, v.DType.Size()
		to.track(&p[0])
		v.track(&p[1])
		*seq = append(*seq, instr{run: func() { copyScalar(p[0], p[1], size) }, node: n})
		return
	}
	*seq = append(*seq, instr{run: copying(to, v), node: n})
}

// copying returns a function that copies v to the window to.
func copying(to, v *value) func() {
	p := &[2]kernels.Array{to.Array, v.Array}
	to.track(&p[0].Ptr)
	v.track(&p[1].Ptr)
	if to.IsContiguous() && v.IsContiguous() && to.elems() == v.elems() {
		size := to.bytes()
		return func() { copy(unsafe.Slice((*byte)(p[0].Ptr), size), unsafe.Slice((*byte)(p[1].Ptr), size)) }
	}
	return func() { kernels.CopyTo(&p[0], &p[1]) }
}

// load gives a rank-0 value that moves a fixed slot, and appends the copy into it where the value is made.
func (f *frame) load(n *tracer.Node, v *value) *value {
	if !v.scalar() || v.mv == nil {
		return v
	}
	slot := f.fixed(v.DType, v.Shape, v.level)
	var src unsafe.Pointer
	p, dst, size := &src, slot.Ptr, v.DType.Size()
	v.track(p)
	f.emit(v.level, instr{run: func() { copyScalar(dst, *p, size) }, node: n})
	return slot
}

// fixed returns a contiguous value in fresh memory.
func (f *frame) fixed(dt tracer.DType, shape []int, level int) *value {
	return &value{Array: kernels.Contiguous(f.heap.alloc(kernels.NumElems(shape)*dt.Size()), dt, shape), level: level}
}

// result returns the place for the result of a node: the claimed one, else fresh memory.
func (f *frame) result(n *tracer.Node, level int) *value {
	shape, _ := n.Meta.ConstShape()
	if v := f.places[n]; v != nil && level >= f.scope.depth {
		return v
	}
	if m := f.claims[n]; m != nil && level >= f.scope.depth {
		return moving(m, &value{Array: kernels.Array{DType: n.Meta.DType, Shape: shape}}, level)
	}
	if level >= f.scope.depth && len(shape) > 0 {
		return &value{Array: kernels.Contiguous(f.memory.take(n), n.Meta.DType, shape), level: level}
	}
	return f.fixed(n.Meta.DType, shape, level)
}

// emit appends what makes a value of the given level to the sequence for it.
func (f *frame) emit(level int, in instr) {
	in.via = f.origins[in.node].Via
	owner := f.scope.owner(level)
	for s := f.scope; s != owner; s = s.parent {
		in.via = slices.Concat(s.path, in.via)
	}
	seq := f.scope.at(level)
	*seq = append(*seq, in)
}

// survey finds the levels, the fusions and the get nodes of g; the values of its inputs are known.
func (f *frame) survey(g *tracer.Graph) {
	f.levels = map[*tracer.Node]int{}
	for n, v := range f.env {
		f.levels[n] = v.level
	}
	for _, n := range g.Nodes {
		level := 0
		for _, a := range n.Args {
			level = max(level, f.levels[a])
		}
		f.levels[n] = level
	}
	f.fuse(g)
	f.memory = newMemory(f, g)
	f.gets = map[*tracer.Node][]*tracer.Node{}
	for _, n := range g.Nodes {
		if n.Op == tracer.OpGet {
			f.gets[n.Args[0]] = append(f.gets[n.Args[0]], n)
		}
	}
}

// nodes binds the nodes of g in order.
func (f *frame) nodes(g *tracer.Graph) error {
	f.updated(g)
	for i, n := range g.Nodes {
		if f.absorbed[n] != nil {
			continue
		}
		f.at = i
		v, err := f.node(n)
		if err != nil {
			if e, ok := err.(*Error); ok {
				return e
			}
			return failed(n, err)
		}
		f.env[n] = v
		f.describe(n, v)
		f.memory.release(i)
	}
	return nil
}

// results returns the values of a HOP's results that are picked by get nodes, nil for the others. One that is an update
// of an argument is that argument's value where it lies there already.
func (f *frame) results(n *tracer.Node, level int) *value {
	tuple := &value{level: level, parts: make([]*value, len(n.Meta.Elems))}
	chosen := make([]*tracer.Node, len(n.Meta.Elems))
	for _, get := range f.gets[n] {
		if i := get.Attrs.Int("index"); chosen[i] == nil || f.claims[chosen[i]] == nil && f.claims[get] != nil {
			chosen[i] = get
		}
	}
	for i, get := range chosen {
		if get != nil {
			if a := f.updates.operand(n, i); a < 0 {
				tuple.parts[i] = f.result(get, level)
			} else if v, there := f.place(get, n, n.Args[a], f.at); there {
				tuple.parts[i] = v
				f.remark(n, "result %d lies where %s lies", i, n.Args[a].Name)
			} else {
				tuple.parts[i] = v
			}
		}
	}
	return tuple
}
