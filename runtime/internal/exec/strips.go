package exec

import (
	"slices"
	"unsafe"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

// stripPlan decides whether and how a scan runs in strips.
type stripPlan struct {
	*frame
	operands
	graph *tracer.Graph
	depth int
	// moving are the nodes that depend on a carry; core those among them that a next carry needs.
	moving, core, needed map[*tracer.Node]bool
	next                 map[*tracer.Node]int // the carry whose next value a node is
	streams              map[*tracer.Node]stream
	out                  *strips
}

// scalarScan returns the strips of s, nil when the scan needs the general form.
func (f *frame) scalarScan(s *scan, o operands) (*strips, error) {
	p := &stripPlan{frame: f, graph: s.graph, operands: o, depth: s.scope.depth, out: &strips{},
		moving: map[*tracer.Node]bool{}, core: map[*tracer.Node]bool{}, needed: map[*tracer.Node]bool{},
		next: map[*tracer.Node]int{}, streams: map[*tracer.Node]stream{}}
	if !p.fits() {
		return nil, nil
	}
	p.classify()
	for j, init := range o.inits {
		p.carry(j, init, o.last[j])
	}
	for k, in := range o.xs {
		x := &s.xs[k]
		p.streams[in] = stream{base: &x.base, move: x.stride, stride: x.stride / in.Meta.DType.Size()}
	}
	if o.index != nil {
		numbers := f.heap.alloc(stripSteps * tracer.Int64.Size())
		p.out.index = unsafe.Slice((*int64)(numbers), stripSteps)
		p.streams[o.index] = still(numbers, 1)
	}
	rows := map[*tracer.Node]stream{}
	for k, r := range o.rows {
		if r == nil {
			continue
		}
		base := new(unsafe.Pointer)
		r.track(base)
		row := stream{base: base, move: r.DType.Size(), stride: 1}
		n := o.ys[k]
		_, isNext := p.next[n]
		recorded := isNext || p.isInput(n) || p.core[n] && p.moving[n]
		if _, ok := rows[n]; !ok && !recorded && p.levels[n] == p.depth {
			rows[n] = row
			continue
		}
		defer func() { p.copy(n, row) }()
	}
	if err := p.bindNodes(rows); err != nil {
		return nil, err
	}
	return p.out, nil
}

func (p *stripPlan) isInput(n *tracer.Node) bool { return slices.Contains(p.graph.Inputs, n) }

// fits reports whether all that changes in the loop are scalars made by elementwise ops that cannot fail.
func (p *stripPlan) fits() bool {
	for _, in := range p.graph.Inputs {
		if p.levels[in] == p.depth && len(in.Meta.Shape) > 0 {
			return false
		}
	}
	for _, n := range p.graph.Nodes {
		if p.levels[n] < p.depth {
			continue
		}
		if !scalarOp(n, p.lib) && !p.isJump(n) && !(n.Op == tracer.OpGet && p.isJump(n.Args[0])) {
			return false
		}
	}
	for _, n := range p.graph.Outputs {
		if len(n.Meta.Shape) > 0 {
			return false
		}
	}
	return true
}

func (p *stripPlan) classify() {
	g := p.graph
	for j, in := range p.carries {
		out := p.operands.next[j]
		if in == out {
			continue
		}
		p.moving[in] = true
		if _, ok := p.next[out]; !ok && !p.isInput(out) {
			p.next[out] = j
		}
	}
	for _, n := range g.Nodes {
		if p.levels[n] >= p.depth && (p.isJump(n) || n.Op == tracer.OpGet && p.isJump(n.Args[0])) {
			p.moving[n], p.core[n], p.out.live = true, true, true
		}
		for _, a := range p.operandsOf(n) {
			p.moving[n] = p.moving[n] || p.moving[a]
		}
	}
	for _, n := range p.operands.next {
		p.core[n] = true
	}
	for _, n := range g.Outputs {
		p.needed[n] = true
	}
	for i := len(g.Nodes) - 1; i >= 0; i-- {
		n := g.Nodes[i]
		for _, a := range p.operandsOf(n) {
			p.core[a] = p.core[a] || p.core[n] && p.moving[n]
			p.needed[a] = p.needed[a] || p.needed[n]
		}
	}
}

// carry adds carry j and its record.
func (p *stripPlan) carry(j int, init, result *value) {
	in, next := p.carries[j], p.operands.next[j]
	slot := p.env[in]
	c := stripCarry{slot: slot.Ptr, init: init.Ptr, size: slot.DType.Size(), kept: in == next}
	if result != nil {
		c.result = result.Ptr
	}
	if c.kept {
		p.streams[in] = still(c.slot, 0)
	} else {
		p.out.live = true
		c.history = p.heap.alloc((stripSteps + 1) * c.size)
		p.streams[in] = still(c.history, 1)
		if p.next[next] == j && !p.isInput(next) && p.moving[next] {
			p.streams[next] = still(unsafe.Add(c.history, c.size), 1)
		}
	}
	p.out.carries = append(p.out.carries, c)
}

// bindNodes binds all nodes: invariant ones before the loop, the others to loops over strips or to steps. rows are the
// nodes whose values are wanted in a row of ys.
func (p *stripPlan) bindNodes(rows map[*tracer.Node]stream) error {
	var steps []*tracer.Node
	for _, n := range p.graph.Nodes {
		switch {
		case p.absorbed[n] != nil:
		case p.levels[n] < p.depth:
			v, err := p.node(n)
			if err != nil {
				return failed(n, err)
			}
			p.env[n] = v
			p.describe(n, v)
		case !p.needed[n]:
		case !p.moving[n]:
			if err := p.strip(&p.out.before, n, rows); err != nil {
				return err
			}
		case p.core[n] && n.Op != tracer.OpGet: // a jump gives its results their places
			steps = append(steps, n)
		}
	}
	if err := p.bindSteps(steps); err != nil {
		return err
	}
	wanted := map[*tracer.Node]bool{}
	for n := range rows {
		wanted[n] = true
	}
	for i := len(p.graph.Nodes) - 1; i >= 0; i-- {
		if n := p.graph.Nodes[i]; wanted[n] && !p.recorded(n) {
			for _, a := range p.operandsOf(n) {
				wanted[a] = true
			}
		}
	}
	for _, n := range p.graph.Nodes {
		if wanted[n] && p.moving[n] && !p.recorded(n) {
			if err := p.strip(&p.out.after, n, rows); err != nil {
				return err
			}
		}
	}
	return nil
}

// recorded reports whether the values of n over a strip are known without computing them again.
func (p *stripPlan) recorded(n *tracer.Node) bool {
	_, ok := p.streams[n]
	return ok
}

// strip appends a loop that computes n for a strip.
func (p *stripPlan) strip(seq *[]stripOp, n *tracer.Node, rows map[*tracer.Node]stream) error {
	o, streams, err := p.bound(n)
	if err != nil {
		return err
	}
	out, ok := rows[n]
	if !ok {
		out = still(p.heap.alloc(stripSteps*n.Meta.DType.Size()), 1)
	}
	p.streams[n] = out
	*seq = append(*seq, stripOp{loop: o.code.Loop, o: out, a: streams[0], b: streams[1], c: streams[2]})
	p.remark(n, "%s for a strip of steps", o.op.Op)
	return nil
}

// bound returns the operation of n and its arguments as streams.
func (p *stripPlan) bound(n *tracer.Node) (*operation, [3]stream, error) {
	var streams [3]stream
	if p.env[n] == nil {
		for _, a := range p.operandsOf(n) {
			p.slot(a)
		}
	}
	o, err := p.operation(n, p.pointwiseOf(n))
	if err != nil {
		return nil, streams, failed(n, err)
	}
	operands := p.operandsOf(n)
	k := 0
	for i, a := range o.args {
		switch {
		case a == nil:
		case k < len(operands) && a == p.env[operands[k]]:
			streams[i] = p.stream(operands[k])
			k++
		default:
			streams[i] = still(a.Ptr, 0) // a constant
		}
	}
	return o, streams, nil
}

// slot returns the fixed place of a node's value in one step.
func (p *stripPlan) slot(n *tracer.Node) *value {
	if p.env[n] == nil {
		p.env[n] = p.fixed(n.Meta.DType, nil, p.depth)
	}
	return p.env[n]
}

// stream returns a node's values over a strip: a recorded one, or an invariant.
func (p *stripPlan) stream(n *tracer.Node) stream {
	if s, ok := p.streams[n]; ok {
		return s
	}
	return still(p.slot(n).Ptr, 0)
}

// copy appends the copy of a node's stream to a row of ys.
func (p *stripPlan) copy(n *tracer.Node, row stream) {
	code, _ := kernels.CastCode(n.Meta.DType, n.Meta.DType)
	p.out.after = append(p.out.after, stripOp{loop: code.Loop, o: row, a: p.stream(n)})
}

// bindSteps binds the recurrence: as one loop where it is one op on one carry, else as closures that read and write
// streams. The record is where the carries live: step i reads them at i and writes them at i+1.
func (p *stripPlan) bindSteps(steps []*tracer.Node) error {
	if p.bindRecur(steps) {
		return nil
	}
	steady := map[*tracer.Node]stream{}
	for _, n := range steps {
		bind := p.step
		if p.isJump(n) {
			bind = p.jump
		}
		step, err := bind(n, steady)
		if err != nil {
			return err
		}
		p.out.steps = append(p.out.steps, step...)
		p.remark(n, "step by step")
	}
	for j := range p.out.carries {
		c, n := &p.out.carries[j], p.operands.next[j]
		if c.kept || p.moving[n] && !p.isInput(n) && p.next[n] == j {
			continue
		}
		s := p.steady(steady, n)
		code, _ := kernels.CastCode(n.Meta.DType, n.Meta.DType)
		p.out.steps = append(p.out.steps, code.StepAt(unsafe.Add(c.history, c.size), *s.base, nil, nil, 1, s.stride, 0, 0))
	}
	return nil
}

// step binds n to functions that compute it for step i of a strip.
func (p *stripPlan) step(n *tracer.Node, steady map[*tracer.Node]stream) ([]func(i int), error) {
	o, _, err := p.bound(n)
	if err != nil {
		return nil, err
	}
	var addr [3]unsafe.Pointer
	var strides [3]int
	operands := p.operandsOf(n)
	k := 0
	for i, a := range o.args {
		if a == nil {
			continue
		}
		addr[i] = a.Ptr
		if k < len(operands) && a == p.env[operands[k]] {
			s := p.steady(steady, operands[k])
			addr[i], strides[i] = *s.base, s.stride
			k++
		}
	}
	out := p.recordOf(n)
	step := o.code.StepAt(*out.base, addr[0], addr[1], addr[2], out.stride, strides[0], strides[1], strides[2])
	return []func(i int){step}, nil
}

// recordOf returns the stream that n is written to, step by step.
func (p *stripPlan) recordOf(n *tracer.Node) stream {
	out, ok := p.streams[n]
	if !ok {
		out = still(p.heap.alloc(stripSteps*n.Meta.DType.Size()), 1)
		p.streams[n] = out
	}
	return out
}

// steady returns the stream of a node at an address that is the same in all strips and runs; a slice of xs or a row of
// ys is copied first.
func (p *stripPlan) steady(known map[*tracer.Node]stream, n *tracer.Node) stream {
	s := p.stream(n)
	if s.fixed {
		return s
	}
	if have, ok := known[n]; ok {
		return have
	}
	code, _ := kernels.CastCode(n.Meta.DType, n.Meta.DType)
	to := still(p.heap.alloc(stripSteps*n.Meta.DType.Size()), 1)
	p.out.before = append(p.out.before, stripOp{loop: code.Loop, o: to, a: s})
	known[n] = to
	return to
}

// bindRecur recognises the recurrence of one op; the carry must be, or become by exchange, the op's first argument.
func (p *stripPlan) bindRecur(steps []*tracer.Node) bool {
	live := -1
	for j, c := range p.out.carries {
		if c.kept {
			continue
		}
		if live >= 0 {
			return false
		}
		live = j
	}
	if len(steps) != 1 || live < 0 || p.operands.next[live] != steps[0] {
		return false
	}
	n, carry := steps[0], p.carries[live]
	o, streams, err := p.bound(n)
	if err != nil {
		return false
	}
	at, count := -1, 0
	for i, a := range o.args {
		if a == p.env[carry] {
			at = i
			count++
		}
	}
	code := o.code
	if count != 1 {
		return false
	}
	other := func(op *kernels.Pointwise) { code, _ = op.CodeFor(carry.Meta.DType, n.Meta.DType) }
	switch {
	case at == 0:
	case at == 1 && (o.op.Op == "add" || o.op.Op == "mul" || o.op.Op == "maximum" || o.op.Op == "minimum" || o.op == &kernels.MulAdd || o.op == &kernels.MulSub):
		streams[0], streams[1] = streams[1], streams[0]
	case at == 1 && o.op.Op == "sub":
		other(kernels.RSubScalar.Pointwise)
		streams[0], streams[1] = streams[1], streams[0]
	case at == 1 && o.op == &kernels.Blend:
		size := n.Meta.DType.Size()
		pair := p.heap.alloc(2 * size)
		copyScalar(pair, unsafe.Add(o.args[2].Ptr, size), size)
		copyScalar(unsafe.Add(pair, size), o.args[2].Ptr, size)
		streams[0], streams[1], streams[2] = streams[1], streams[0], still(pair, 0)
	case at == 2 && o.op == &kernels.MulAdd:
		other(&kernels.AddMul)
		streams[0], streams[1], streams[2] = streams[2], streams[0], streams[1]
	default:
		return false
	}
	if code == nil || code.Recur == nil {
		return false
	}
	p.remark(n, "%s of a strip of steps, each from the one before", o.op.Op)
	p.out.recur = &stripRecur{code: code.Recur, b: streams[1], c: streams[2]}
	return true
}
