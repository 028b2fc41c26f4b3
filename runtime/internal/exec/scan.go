package exec

import (
	"fmt"
	"unsafe"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

// scan is a bound loop whose number of steps is known: scan, map, for and the fold of an associative scan.
type scan struct {
	node   *tracer.Node
	graph  *tracer.Graph
	length int
	// bodyIndex is the place of graph among the node's graphs; back says that the steps are taken from the last one.
	bodyIndex int
	back      bool
	// batch is how many elements a step computes, 0 for one by itself; done are those computed before, of total.
	batch, done, total int
	// index is the slot of the step's number in a for loop, which starts at first.
	index *int64
	first int

	carries carries
	xs      []scanX
	ys      []scanY
	scope   *scope
	ctl     *control
	depth   int // how many loops are around the body
	// strips runs a loop over scalars instead of all this.
	strips *strips
	body   block
	// rows are the ops of a body that runs as a loop over rows.
	rows []*rowOp
	// late is what a scan whose body may not run computes before its first step.
	late []*late
}

// scanX is one scanned input: its slice moves by stride bytes per step.
type scanX struct {
	base   unsafe.Pointer
	stride int
	mv     *mover
}

// scanY is one stacked output: its row moves by stride bytes per step.
type scanY struct {
	base   unsafe.Pointer
	stride int
	mv     *mover
}

// operands are the values and nodes around the body of a scan.
type operands struct {
	// index is the body's input for the number of the step, nil when there is none.
	index *tracer.Node
	// carries, xs and lifted are the body's inputs, inits, stacks and captured what they are given.
	carries, xs, lifted     []*tracer.Node
	inits, stacks, captured []*value
	// next and ys are outputs of the body, last and rows where they go, nil for what nobody reads.
	next, ys   []*tracer.Node
	last, rows []*value
}

func checkScan(n *tracer.Node) error {
	carries, xs := n.Attrs.Int("n_carry"), n.Attrs.Int("n_xs")
	if len(n.Graphs) != 1 {
		return fmt.Errorf("%s has %d bodies, it takes 1", n.Op, len(n.Graphs))
	}
	g := n.Graphs[0]
	if carries < 0 || xs < 0 || len(n.Args) < carries+xs || len(g.Inputs) != len(n.Args) || len(g.Outputs) < carries {
		return fmt.Errorf("%s with %d carries and %d xs has %d arguments, its body %d inputs and %d outputs",
			n.Op, carries, xs, len(n.Args), len(g.Inputs), len(g.Outputs))
	}
	if len(n.Meta.Elems) != len(g.Outputs) {
		return fmt.Errorf("%s gives %d results, its body %d", n.Op, len(n.Meta.Elems), len(g.Outputs))
	}
	if _, ok := n.Attrs.Get("length").(int); !ok {
		return fmt.Errorf("length is %v; only a constant number of steps can be run", n.Attrs.Get("length"))
	}
	return sameCarries(g.Inputs[:carries], g.Outputs)
}

// sameCarries checks that the next carries are like the carries.
func sameCarries(inputs, outputs []*tracer.Node) error {
	for j := range inputs {
		if in, out := inputs[j].Meta, outputs[j].Meta; !in.Equal(out) {
			return fmt.Errorf("next carry %d is %s, carry is %s", j, out, in)
		}
	}
	return nil
}

// scan binds a scan or map node; a map has no carries.
func (f *frame) scan(n *tracer.Node) (*value, error) {
	g, level := n.Graphs[0], f.levels[n]
	results := f.results(n, level)
	nCarry, nX, length := n.Attrs.Int("n_carry"), n.Attrs.Int("n_xs"), n.Attrs.Int("length")
	if length == 0 {
		f.unchanged(n, n.Args[:nCarry], results, level)
		return results, nil
	}
	o := operands{
		carries: g.Inputs[:nCarry], xs: g.Inputs[nCarry : nCarry+nX], lifted: g.Inputs[nCarry+nX:],
		inits: f.valuesOf(n.Args[:nCarry]), stacks: f.valuesOf(n.Args[nCarry : nCarry+nX]), captured: f.valuesOf(n.Args[nCarry+nX:]),
		next: g.Outputs[:nCarry], ys: g.Outputs[nCarry:], last: results.parts[:nCarry], rows: results.parts[nCarry:],
	}
	return results, f.loop(&scan{node: n, graph: g, length: length}, o, level)
}

// unchanged gives the results of a loop without steps the inits.
func (f *frame) unchanged(n *tracer.Node, inits []*tracer.Node, results *value, level int) {
	for j, init := range inits {
		if r := results.parts[j]; r != nil && r.elems() > 0 {
			f.emit(level, instr{run: copying(r, f.env[init]), node: n})
		}
	}
}

func (f *frame) valuesOf(nodes []*tracer.Node) []*value {
	values := make([]*value, len(nodes))
	for i, n := range nodes {
		values[i] = f.env[n]
	}
	return values
}

// loop binds a loop and appends it where values of the given level are made.
func (f *frame) loop(s *scan, o operands, level int) error {
	s.scope = f.inner(s.node, level, level+1)
	b := f.child(s.scope)
	b.loops++
	s.ctl, s.depth = f.ctl, b.loops
	s.total = max(s.total, s.length)
	if err := b.scanBody(s, o); err != nil {
		return inside(s.node, 0, -1, err)
	}
	s.body, s.rows = sealed(s.scope.body), s.rowOps()
	f.remark(s.node, "%s", s.describe())
	f.emit(level, instr{try: s.run, node: s.node})
	return nil
}

// scanBody binds the body of s in the frame of its steps and decides where its carries and ys lie.
func (b *frame) scanBody(s *scan, o operands) error {
	depth := s.scope.depth
	if o.index != nil {
		slot := b.fixed(tracer.Int64, nil, depth)
		s.index = (*int64)(slot.Ptr)
		b.env[o.index] = slot
	}
	c := &s.carries
	c.node, c.inputs, c.next = s.node, o.carries, o.next
	c.open(b, o.inits)
	for j, in := range o.carries {
		b.env[in] = c.values[j]
	}
	s.xs = make([]scanX, len(o.xs))
	for k, in := range o.xs {
		xs, x := o.stacks[k], &s.xs[k]
		x.mv = &mover{base: xs.Ptr}
		b.heap.moving = append(b.heap.moving, x.mv)
		if xs.elems() > 0 {
			x.stride = xs.Strides[0] * xs.DType.Size()
		}
		xs.track(&x.base)
		b.env[in] = b.load(in, &value{
			Array: kernels.Array{Ptr: xs.Ptr, DType: xs.DType, Shape: xs.Shape[1:], Strides: xs.Strides[1:]},
			mv:    x.mv, level: depth,
		})
	}
	for k, in := range o.lifted {
		b.env[in] = o.captured[k]
	}
	b.survey(s.graph)
	var err error
	if s.strips, err = b.scalarScan(s, o); err != nil || s.strips != nil {
		return err
	}

	// Rows of ys are claimed before next carries: a value that is both lies in the row.
	s.ys = make([]scanY, 0, len(o.ys))
	rows := make([]*mover, len(o.ys))
	for k, r := range o.rows {
		if r == nil || r.elems() == 0 {
			continue
		}
		s.ys = append(s.ys, scanY{stride: r.Strides[0] * r.DType.Size(), mv: &mover{base: r.Ptr, what: "y", index: k}})
		y := &s.ys[len(s.ys)-1]
		b.heap.moving = append(b.heap.moving, y.mv)
		r.track(&y.base)
		rows[k] = y.mv
		b.claim(o.ys[k], y.mv)
	}
	c.claim(b, s.graph, o.ys)
	if err := b.nodes(s.graph); err != nil {
		return err
	}
	for k, n := range o.ys {
		if rows[k] != nil {
			b.deliver(&s.scope.body, n, b.env[n], rows[k])
		}
	}
	c.close(b, o.last, s.stays)
	return nil
}

// stays reports whether m moves along xs or ys, whose memory stays as it is for the whole scan.
func (s *scan) stays(m *mover) bool {
	for k := range s.xs {
		if s.xs[k].mv == m {
			return true
		}
	}
	for k := range s.ys {
		if s.ys[k].mv == m {
			return true
		}
	}
	return false
}

// run executes the loop; it allocates nothing.
func (s *scan) run() error {
	if s.strips != nil {
		return s.runStrips()
	}
	if err := s.carries.begin(); err != nil {
		return inside(s.node, s.bodyIndex, -1, err)
	}
	if err := s.prepare(); err != nil {
		return s.inside(0, err)
	}
	watched := s.ctl.watched
	if s.rows != nil && !watched && s.length > 2 {
		return s.runRows()
	}
	for i := range s.length {
		s.move(i)
		if err := s.body.run(); err != nil {
			return s.inside(i, err)
		}
		s.carries.advance(i)
		if watched {
			if err := s.report(i + 1); err != nil {
				return err
			}
		}
	}
	return s.carries.end()
}

// describe says how the steps are run.
func (s *scan) describe() string {
	unit := plural(s.length, "step")
	if s.batch > 0 {
		unit = fmt.Sprintf("%s of %d %s", plural(s.length, "batch"), s.batch, plural(s.batch, "row"))
	}
	text := fmt.Sprintf("%d %s", s.length, unit)
	switch {
	case s.strips != nil && s.strips.recur != nil:
		text += fmt.Sprintf(" in strips of %d, the recurrence in one loop", stripSteps)
	case s.strips != nil && s.strips.live:
		text += fmt.Sprintf(" in strips of %d, the recurrence step by step", stripSteps)
	case s.strips != nil:
		text += fmt.Sprintf(" in strips of %d", stripSteps)
	case len(s.carries.inits) > 0:
		text += "; " + s.carries.describe()
	}
	if s.rows != nil {
		text += "; by rows"
	}
	return text
}

// report tells that a number of steps are done; a run that is cancelled fails in the last of them.
func (s *scan) report(steps int) error {
	if s.batch > 0 {
		s.ctl.executed(s.node, s.batch)
	}
	done := s.done + steps*max(s.batch, 1)
	if err := s.ctl.step(s.depth, done, s.total); err != nil {
		return inside(s.node, s.bodyIndex, s.numbered(done-1), err)
	}
	return nil
}

// numbered is the number of a step as users count it.
func (s *scan) numbered(step int) int {
	if s.depth == 1 {
		step += s.ctl.First
	}
	return step
}

// prepare computes what does not change in the loop.
func (s *scan) prepare() error {
	if s.scope.gated {
		g := gate{late: s.late}
		return g.prepare()
	}
	return runAll(s.scope.pre)
}

// unmoved makes the inits the last carries: of a loop that turns out to have no steps.
func (s *scan) unmoved() error {
	if s.strips != nil {
		s.strips.begin()
		s.strips.end()
		return nil
	}
	if err := s.carries.begin(); err != nil {
		return inside(s.node, s.bodyIndex, -1, err)
	}
	return s.carries.end()
}

// inside places a failure in step i, which is counted in elements.
func (s *scan) inside(i int, err error) error {
	step := s.done + i*max(s.batch, 1)
	if s.back {
		step = s.length - 1 - i
	}
	return inside(s.node, s.bodyIndex, s.numbered(step), err)
}

// move sets the addresses of step i.
func (s *scan) move(i int) {
	if s.index != nil {
		*s.index = int64(s.first + i)
	}
	for k := range s.xs {
		x := &s.xs[k]
		x.mv.set(unsafe.Add(x.base, i*x.stride))
	}
	for k := range s.ys {
		y := &s.ys[k]
		y.mv.set(unsafe.Add(y.base, i*y.stride))
	}
	s.carries.move(i)
}
