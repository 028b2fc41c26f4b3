package exec

import (
	"slices"
	"unsafe"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

// carries are the carries of a bound loop. Scalars live in fixed slots: the next value is computed in the slot itself
// when nobody reads the old one any more, else copied into it. Other carries move: a next carry is computed in the one
// of two buffers that the carry does not lie in, straight in a row of ys when it is a y too, or where the carry lies
// when a few of its elements are replaced (update.go).
type carries struct {
	node *tracer.Node
	// inputs are the carries in the body's graph, next their values after a step.
	inputs, next []*tracer.Node
	values       []*value // of inputs
	inits        []*value
	slots        []slot
	moving       []movingCarry
	// staged is set when a next carry is read from another carry's slot, so that all must be read before one is written.
	staged []uint64
	// start copies inits that do not lie as the carry does; finish copies the last carries to the results.
	start, finish []instr
}

// slot is a rank-0 carry. Next is the slot itself when the body writes there.
type slot struct {
	slot, next, init, result unsafe.Pointer
	size                     int
}

// movingCarry is a carry that is not rank 0.
type movingCarry struct {
	mv   *mover
	init unsafe.Pointer
	// packed replaces init where its layout differs from the carry's: buf[1] holds a copy.
	packed bool
	// updated marks a carry whose next value is written where it lies: at home, which is where its result is wanted.
	updated bool
	home    unsafe.Pointer
	// next is where the next carry is computed or copied to: buf[0] in even steps, buf[1] in odd ones. It is nil when
	// the next carry lies at source: a row of ys, an x slice or an invariant value.
	next   *mover
	buf    [2]unsafe.Pointer
	source unsafe.Pointer
	kept   bool // the carry is forwarded unchanged
}

// open makes the values that a loop's graphs see as carries: b is the frame of the steps, inits lie outside.
func (c *carries) open(b *frame, inits []*value) {
	c.inits = inits
	for _, init := range inits {
		if init.scalar() {
			c.values = append(c.values, b.fixed(init.DType, nil, b.scope.depth))
			continue
		}
		mv := &mover{base: init.Ptr}
		b.heap.moving = append(b.heap.moving, mv)
		c.moving = append(c.moving, movingCarry{mv: mv})
		c.values = append(c.values, moving(mv, init, b.scope.depth))
	}
}

// claim asks b, the frame of the graph that computes the next carries, for their places. It is called after places
// that are preferred were claimed, and after the survey. others are outputs that are read after the step.
func (c *carries) claim(b *frame, g *tracer.Graph, others []*tracer.Node) {
	k := 0
	for j, init := range c.inits {
		if init.scalar() {
			if c.inSlot(b, g, j, others) {
				b.places[c.next[j]] = c.values[j]
			}
			continue
		}
		m := &c.moving[k]
		k++
		bytes := init.bytes()
		if m.updated = b.updatesInput(g, c.inputs[j], c.next[j], slices.Concat(others, c.next[:j], c.next[j+1:])); m.updated {
			continue
		}
		m.buf = [2]unsafe.Pointer{b.heap.alloc(bytes), b.heap.alloc(bytes)}
		m.next = &mover{base: m.buf[0], what: "the next carry", index: j}
		b.claim(c.next[j], m.next)
	}
}

// inSlot reports whether the next value of the rank-0 carry j may be computed where the carry lies: whether all that
// reads the carry runs before, and nobody reads it after the step.
func (c *carries) inSlot(b *frame, g *tracer.Graph, j int, others []*tracer.Node) bool {
	in, next := c.inputs[j], c.next[j]
	if b.pointwiseOf(next) == nil || b.absorbed[next] != nil || b.levels[next] < b.scope.depth || b.places[next] != nil ||
		slices.Contains(others, in) {
		return false
	}
	for k, n := range c.next {
		if k != j && (n == in || n == next) {
			return false
		}
	}
	done := false
	for _, n := range g.Nodes {
		if reads := slices.Contains(b.operandsOf(n), in); reads && b.absorbed[n] == nil && (done || b.isView(n)) {
			return false // a view would be read later
		}
		done = done || n == next
	}
	return done
}

// close decides where the next carries lie once b's nodes are bound, and where the last ones go. stays reports whether
// what a mover points to lives as long as the loop.
func (c *carries) close(b *frame, results []*value, stays func(*mover) bool) {
	k := 0
	for j, init := range c.inits {
		out, result := b.env[c.next[j]], results[j]
		if init.scalar() {
			c.addSlot(c.values[j], out, init, result)
			continue
		}
		m := &c.moving[k]
		k++
		if m.updated {
			c.settle(b, m, init, result)
			continue
		}
		c.place(b, m, j, out, stays)
		if result != nil && result.elems() > 0 {
			c.finish = append(c.finish, instr{run: copying(result, c.values[j]), node: c.node})
		}
	}
}

// settle makes the place of the result the home of a carry that is written where it lies; an init that lies there
// already is not copied.
func (c *carries) settle(b *frame, m *movingCarry, init, result *value) {
	if m.kept = true; result == nil || result.elems() == 0 {
		result = &value{Array: kernels.Contiguous(b.heap.alloc(init.bytes()), init.DType, init.Shape)}
	}
	result.track(&m.home)
	if result != init {
		c.start = append(c.start, instr{run: copying(result, init), node: c.node})
	}
}

// addSlot adds a rank-0 carry with its next value, its init and its result.
func (c *carries) addSlot(carry, next, init, result *value) {
	for _, earlier := range c.slots {
		if next.Ptr == earlier.slot && c.staged == nil {
			c.staged = []uint64{}
		}
	}
	s := slot{slot: carry.Ptr, next: next.Ptr, init: init.Ptr, size: carry.DType.Size()}
	if result != nil {
		s.result = result.Ptr
	}
	c.slots = append(c.slots, s)
	if c.staged != nil {
		c.staged = make([]uint64, len(c.slots))
	}
}

// place decides where the next value of carry j lies. Only what lives through the next step may be read in place:
// memory of this step that is made anew in the next one is copied.
func (c *carries) place(b *frame, m *movingCarry, j int, next *value, stays func(*mover) bool) {
	n, init := c.next[j], c.inits[j]
	switch {
	case n == c.inputs[j]:
		m.kept, m.next = true, nil
	case next.mv == m.next:
		// computed in the free buffer
	case next.IsContiguous() && next.mv == nil && next.level < b.scope.depth,
		next.IsContiguous() && stays(next.mv):
		m.next = nil
		next.track(&m.source)
	default:
		b.deliver(&b.scope.body, n, next, m.next)
	}
	init.track(&m.init)
	if !init.IsContiguous() {
		m.packed = true
		to := &value{Array: kernels.Contiguous(m.buf[1], init.DType, init.Shape)}
		c.start = append(c.start, instr{run: copying(to, init), node: c.node})
	}
}

// begin makes the inits the carries.
func (c *carries) begin() error {
	if err := runAll(c.start); err != nil {
		return err
	}
	for k := range c.slots {
		s := &c.slots[k]
		copyScalar(s.slot, s.init, s.size)
	}
	for k := range c.moving {
		m := &c.moving[k]
		switch {
		case m.updated:
			m.mv.set(m.home)
		case m.packed:
			m.mv.set(m.buf[1])
		default:
			m.mv.set(m.init)
		}
	}
	return nil
}

// move sets the addresses of the next carries in step i.
func (c *carries) move(i int) {
	for k := range c.moving {
		if m := &c.moving[k]; m.next != nil {
			m.next.set(m.buf[i&1])
		}
	}
}

// advance makes the next carries of step i the carries.
func (c *carries) advance(i int) {
	if c.staged == nil {
		for k := range c.slots {
			if s := &c.slots[k]; s.next != s.slot {
				copyScalar(s.slot, s.next, s.size)
			}
		}
	} else {
		for k := range c.slots {
			s := &c.slots[k]
			copyScalar(unsafe.Pointer(&c.staged[k]), s.next, s.size)
		}
		for k := range c.slots {
			s := &c.slots[k]
			copyScalar(s.slot, unsafe.Pointer(&c.staged[k]), s.size)
		}
	}
	for k := range c.moving {
		m := &c.moving[k]
		switch {
		case m.next != nil:
			m.mv.set(m.buf[i&1])
		case !m.kept:
			m.mv.set(m.source)
		}
	}
}

// end copies the last carries to the results.
func (c *carries) end() error {
	for k := range c.slots {
		if s := &c.slots[k]; s.result != nil {
			copyScalar(s.result, s.slot, s.size)
		}
	}
	return runAll(c.finish)
}
