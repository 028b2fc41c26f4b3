package exec

import (
	"fmt"
	"unsafe"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

// scan is a bound scan node. Scalars are copied between fixed slots; other carries move: a next carry is computed in
// the one of two buffers that the carry does not lie in, or straight in a row of ys when it is a y too.
type scan struct {
	node    *tracer.Node
	length  int
	xs      []scanX
	ys      []scanY
	carries []scanCarry
	slots   []scanSlot
	scope   scope
	// staged is set when a next carry is read from another carry's slot, so that all must be read before one is written.
	staged []uint64
	// strips runs a scan over scalars instead of all this.
	strips *strips
	// start copies inits that do not lie as the carry does; finish copies the last carries to the results.
	start, finish []instr
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

// scanSlot is a rank-0 carry.
type scanSlot struct {
	slot, next, init, result unsafe.Pointer
	size                     int
}

// scanCarry is a carry that is not rank 0.
type scanCarry struct {
	mv   *mover
	init unsafe.Pointer
	// packed replaces init where its layout differs from the carry's: buf[1] holds a copy.
	packed bool
	// next is where the next carry is computed or copied to: buf[0] in even steps, buf[1] in odd ones. It is nil when
	// the next carry lies at source: a row of ys, an x slice or an invariant value.
	next   *mover
	buf    [2]unsafe.Pointer
	source unsafe.Pointer
	kept   bool // the carry is forwarded unchanged
}

func checkScan(n *tracer.Node) error {
	carries, xs := n.Attrs.Int("n_carry"), n.Attrs.Int("n_xs")
	if len(n.Graphs) != 1 {
		return fmt.Errorf("scan has %d bodies, it takes 1", len(n.Graphs))
	}
	g := n.Graphs[0]
	if carries < 0 || xs < 0 || len(n.Args) < carries+xs || len(g.Inputs) != len(n.Args) || len(g.Outputs) < carries {
		return fmt.Errorf("scan with %d carries and %d xs has %d arguments, its body %d inputs and %d outputs",
			carries, xs, len(n.Args), len(g.Inputs), len(g.Outputs))
	}
	if len(n.Meta.Elems) != len(g.Outputs) {
		return fmt.Errorf("scan gives %d results, its body %d", len(n.Meta.Elems), len(g.Outputs))
	}
	for j := range carries {
		if in, out := g.Inputs[j].Meta, g.Outputs[j].Meta; !in.Equal(out) {
			return fmt.Errorf("next carry %d is %s, carry is %s", j, out, in)
		}
	}
	return nil
}

// scan binds a scan node.
func (f *frame) scan(n *tracer.Node) (*value, error) {
	level := f.levels[n]
	results := f.results(n, level)
	nCarry, length := n.Attrs.Int("n_carry"), n.Attrs.Int("length")
	if length == 0 {
		for j := range nCarry {
			if r := results.parts[j]; r != nil && r.elems() > 0 {
				f.emit(level, instr{run: copying(r, f.env[n.Args[j]]), node: n})
			}
		}
		return results, nil
	}
	s := &scan{node: n, length: length}
	s.scope = scope{parent: f.scope.around(level), depth: level + 1}
	if err := f.scanBody(s, results); err != nil {
		return nil, inside(n, -1, err)
	}
	f.emit(level, instr{try: s.run, node: n})
	return results, nil
}

// scanBody binds the body of s and decides where its carries and ys lie.
func (f *frame) scanBody(s *scan, results *value) error {
	n, g := s.node, s.node.Graphs[0]
	nCarry, nX := n.Attrs.Int("n_carry"), n.Attrs.Int("n_xs")
	b := newFrame(f.lib, f.heap, &s.scope)
	depth := s.scope.depth

	inits := make([]*value, nCarry)
	carryMovers := make([]*mover, nCarry)
	for j := range nCarry {
		in := g.Inputs[j]
		init := f.env[n.Args[j]]
		inits[j] = init
		if init.scalar() {
			b.env[in] = b.fixed(init.DType, nil, depth)
			continue
		}
		carryMovers[j] = &mover{base: init.Ptr}
		b.env[in] = moving(carryMovers[j], init, depth)
	}
	s.xs = make([]scanX, nX)
	for k := range nX {
		xs, x := f.env[n.Args[nCarry+k]], &s.xs[k]
		x.mv = &mover{base: xs.Ptr}
		if xs.elems() > 0 {
			x.stride = xs.Strides[0] * xs.DType.Size()
		}
		xs.track(&x.base)
		in := g.Inputs[nCarry+k]
		b.env[in] = b.load(in, &value{
			Array: kernels.Array{Ptr: xs.Ptr, DType: xs.DType, Shape: xs.Shape[1:], Strides: xs.Strides[1:]},
			mv:    x.mv, level: depth,
		})
	}
	for k := nCarry + nX; k < len(g.Inputs); k++ {
		b.env[g.Inputs[k]] = f.env[n.Args[k]]
	}
	b.survey(g)
	var err error
	if s.strips, err = b.scalarScan(s, inits, results); err != nil || s.strips != nil {
		return err
	}

	// Rows of ys are claimed before next carries: a value that is both lies in the row.
	s.ys = make([]scanY, 0, len(g.Outputs)-nCarry)
	rows := make([]*mover, len(g.Outputs))
	for k := nCarry; k < len(g.Outputs); k++ {
		r := results.parts[k]
		if r == nil || r.elems() == 0 {
			continue
		}
		s.ys = append(s.ys, scanY{stride: r.Strides[0] * r.DType.Size(), mv: &mover{base: r.Ptr}})
		y := &s.ys[len(s.ys)-1]
		r.track(&y.base)
		rows[k] = y.mv
		b.claim(g.Outputs[k], y.mv)
	}
	for j := range nCarry {
		if inits[j].scalar() {
			continue
		}
		bytes := inits[j].bytes()
		c := scanCarry{mv: carryMovers[j], buf: [2]unsafe.Pointer{f.heap.alloc(bytes), f.heap.alloc(bytes)}}
		c.next = &mover{base: c.buf[0]}
		b.claim(g.Outputs[j], c.next)
		s.carries = append(s.carries, c)
	}
	if err := b.nodes(g); err != nil {
		return err
	}

	body := &s.scope.body
	for k := nCarry; k < len(g.Outputs); k++ {
		if rows[k] != nil {
			out := g.Outputs[k]
			b.deliver(body, out, b.env[out], rows[k])
		}
	}
	carry := 0
	for j := range nCarry {
		out, result := b.env[g.Outputs[j]], results.parts[j]
		if inits[j].scalar() {
			s.addSlot(b.env[g.Inputs[j]], out, inits[j], result)
			continue
		}
		c := &s.carries[carry]
		carry++
		s.place(b, c, j, out, inits[j])
		if result != nil && result.elems() > 0 {
			s.finish = append(s.finish, instr{run: copying(result, b.env[g.Inputs[j]]), node: n})
		}
	}
	return nil
}

// addSlot adds a rank-0 carry with its next value, its init and its result.
func (s *scan) addSlot(carry, next, init, result *value) {
	for _, other := range s.slots {
		if next.Ptr == other.slot {
			s.stage()
		}
	}
	c := scanSlot{slot: carry.Ptr, next: next.Ptr, init: init.Ptr, size: carry.DType.Size()}
	if result != nil {
		c.result = result.Ptr
	}
	s.slots = append(s.slots, c)
	if s.staged != nil {
		s.stage()
	}
}

// stage makes room to read all next carries before one is written.
func (s *scan) stage() { s.staged = make([]uint64, len(s.slots)+1) }

// place decides where the next value of carry j lies. Only what lives through the next step may be read in place:
// memory of this step that is made anew in the next one is copied.
func (s *scan) place(b *frame, c *scanCarry, j int, next, init *value) {
	body := &s.scope.body
	n := s.node.Graphs[0].Outputs[j]
	switch {
	case n == s.node.Graphs[0].Inputs[j]:
		c.kept, c.next = true, nil
	case next.mv == c.next:
		// computed in the free buffer
	case next.IsContiguous() && next.mv == nil && next.level < s.scope.depth,
		next.IsContiguous() && s.survives(next.mv):
		c.next = nil
		next.track(&c.source)
	default:
		b.deliver(body, n, next, c.next)
	}
	init.track(&c.init)
	if !init.IsContiguous() {
		c.packed = true
		to := &value{Array: kernels.Contiguous(c.buf[1], init.DType, init.Shape)}
		s.start = append(s.start, instr{run: copying(to, init), node: s.node})
	}
}

// survives reports whether m moves along xs or ys, whose memory stays as it is for the whole scan.
func (s *scan) survives(m *mover) bool {
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

// run executes the scan; it allocates nothing.
func (s *scan) run() error {
	if s.strips != nil {
		return s.runStrips()
	}
	if err := runAll(s.start); err != nil {
		return inside(s.node, -1, err)
	}
	for k := range s.slots {
		c := &s.slots[k]
		copyScalar(c.slot, c.init, c.size)
	}
	for k := range s.carries {
		c := &s.carries[k]
		if c.packed {
			c.mv.set(c.buf[1])
		} else {
			c.mv.set(c.init)
		}
	}
	if err := runAll(s.scope.pre); err != nil {
		return inside(s.node, 0, err)
	}
	for i := range s.length {
		s.move(i)
		if err := runAll(s.scope.body); err != nil {
			return inside(s.node, i, err)
		}
		s.advance(i)
	}
	for k := range s.slots {
		if c := &s.slots[k]; c.result != nil {
			copyScalar(c.result, c.slot, c.size)
		}
	}
	return runAll(s.finish)
}

// move sets the addresses of step i.
func (s *scan) move(i int) {
	for k := range s.xs {
		x := &s.xs[k]
		x.mv.set(unsafe.Add(x.base, i*x.stride))
	}
	for k := range s.ys {
		y := &s.ys[k]
		y.mv.set(unsafe.Add(y.base, i*y.stride))
	}
	for k := range s.carries {
		if c := &s.carries[k]; c.next != nil {
			c.next.set(c.buf[i&1])
		}
	}
}

// advance makes the next carries of step i the carries.
func (s *scan) advance(i int) {
	if s.staged == nil {
		for k := range s.slots {
			c := &s.slots[k]
			copyScalar(c.slot, c.next, c.size)
		}
	} else {
		for k := range s.slots {
			c := &s.slots[k]
			copyScalar(unsafe.Pointer(&s.staged[k]), c.next, c.size)
		}
		for k := range s.slots {
			c := &s.slots[k]
			copyScalar(c.slot, unsafe.Pointer(&s.staged[k]), c.size)
		}
	}
	for k := range s.carries {
		c := &s.carries[k]
		switch {
		case c.next != nil:
			c.mv.set(c.buf[i&1])
		case !c.kept:
			c.mv.set(c.source)
		}
	}
}
