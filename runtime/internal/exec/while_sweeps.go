package exec

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

// sweeps is a bound while_sweeps node: a while loop that keeps its ys, and further ways over its steps. The number of
// steps is known when the loop has ended, so what is kept lies in buffers that grow by doubling: O(steps) memory and
// work, without a second run of the loop and without a bound on its steps. A buffer of some size goes when the run ends.
type sweeps struct {
	node *tracer.Node
	loop *while
	ways []way
}

// way is one further way: a scan over what was kept, whose length is known when it starts.
type way struct {
	scan  *scan
	reads []read
	keeps []*history
}

// history are the ys of one way under one name: a row for each step, in the order in which the way takes the steps.
type history struct {
	// next is the row that is written next, or the first one for a way that is a scan.
	next *mover
	base unsafe.Pointer
	// bytes is the size of a row, room how many there are.
	bytes, room int
	way         int
}

// read is a history as a way reads it, in the opposite order when the way that kept it went the other way.
type read struct {
	from     *history
	first    *mover
	opposite bool
}

func checkWhileSweeps(n *tracer.Node) error {
	counts, ok := n.Attrs.Get("carries").([]int)
	if !ok || len(counts) == 0 || len(n.Graphs) != 1+len(counts) {
		return fmt.Errorf("while_sweeps has %d bodies and carries is %v; it takes a condition and a body for each number", len(n.Graphs), n.Attrs.Get("carries"))
	}
	all := 0
	for _, k := range counts {
		if all += k; k < 0 || all > len(n.Args) {
			return fmt.Errorf("carries is %v, there are %d arguments", counts, len(n.Args))
		}
	}
	if len(n.Meta.Elems) != all {
		return fmt.Errorf("while_sweeps gives %d results, it has %d carries", len(n.Meta.Elems), all)
	}
	cond, lifted := n.Graphs[0], len(n.Args)-all
	if len(cond.Inputs) != counts[0]+lifted || len(cond.Outputs) != 1 {
		return fmt.Errorf("the condition has %d inputs and %d outputs", len(cond.Inputs), len(cond.Outputs))
	}
	if err := oneElement(cond.Outputs[0].Meta, tracer.Bool); err != nil {
		return fmt.Errorf("the condition %w", err)
	}
	kept := 0
	for i, k := range counts {
		g := n.Graphs[1+i]
		if len(g.Inputs) != k+kept+lifted || len(g.Outputs) < k {
			return fmt.Errorf("body %d has %d inputs and %d outputs, with %d carries, %d ys before it and %d captured values", i, len(g.Inputs), len(g.Outputs), k, kept, lifted)
		}
		if err := sameCarries(g.Inputs[:k], g.Outputs); err != nil {
			return err
		}
		kept += len(g.Outputs) - k
	}
	return checkMaxSteps(n)
}

// whileSweeps binds a while_sweeps node.
func (f *frame) whileSweeps(n *tracer.Node) (*value, error) {
	level, counts := f.levels[n], n.Attrs.Ints("carries")
	results := f.results(n, level)
	all := len(results.parts)
	captured := n.Args[all:]
	wanted := wantedRows(n, counts)
	w := &sweeps{node: n}
	var kept []*history // nil for ys that nobody reads
	first := 0
	for i, k := range counts {
		inits, last := n.Args[first:first+k], results.parts[first:first+k]
		first += k
		body := n.Graphs[1+i]
		keeps := make([]*history, len(body.Outputs)-k)
		for j := range keeps {
			if wanted[body.Outputs[k+j]] {
				keeps[j] = f.newHistory(body.Outputs[k+j].Meta, i)
			}
		}
		if i == 0 {
			w.loop = newWhile(f, n, level)
			if err := f.whileBodies(w.loop, inits, captured, last, body.Outputs[k:], keeps); err != nil {
				return nil, inside(n, 0, -1, err)
			}
		} else {
			s, reads, err := f.way(n, i, level, inits, captured, last, kept, keeps)
			if err != nil {
				return nil, inside(n, 1+i, -1, err)
			}
			w.ways = append(w.ways, way{s, reads, keeps})
		}
		kept = append(kept, keeps...)
	}
	f.emit(level, instr{try: w.run, node: n})
	return results, nil
}

// wantedRows are the ys that a later body reads, as outputs of the bodies that give them.
func wantedRows(n *tracer.Node, counts []int) map[*tracer.Node]bool {
	set := map[*tracer.Node]bool{}
	var given []*tracer.Node
	for i, k := range counts {
		g := n.Graphs[1+i]
		for j, y := range given {
			if reads(g, g.Inputs[k+j]) {
				set[y] = true
			}
		}
		given = append(given, g.Outputs[k:]...)
	}
	return set
}

func reads(g *tracer.Graph, in *tracer.Node) bool {
	return slices.Contains(g.Outputs, in) || slices.ContainsFunc(g.Nodes, func(n *tracer.Node) bool { return slices.Contains(n.Args, in) })
}

// firstRoom is how many bytes a history has room for at first.
const firstRoom = 1 << 10

func (f *frame) newHistory(m tracer.Meta, way int) *history {
	shape, _ := m.ConstShape()
	h := &history{next: &mover{}, bytes: kernels.NumElems(shape) * m.DType.Size(), way: way}
	h.room = max(1, firstRoom/max(1, h.bytes))
	h.base = f.heap.alloc(h.room * h.bytes)
	h.next.base = h.base
	return h
}

// reserve makes room for n rows; rows that were written stay.
func (h *history) reserve(n int) {
	if n <= h.room {
		return
	}
	room := max(n, 2*h.room)
	base := kernels.Alloc(room * h.bytes)
	copy(unsafe.Slice((*byte)(base), h.room*h.bytes), unsafe.Slice((*byte)(h.base), h.room*h.bytes))
	h.base, h.room = base, room
}

// row makes row i the one that is written next.
func (h *history) row(i int) {
	if i == h.room {
		h.reserve(i + 1)
	}
	h.next.set(unsafe.Add(h.base, i*h.bytes))
}

// end lets go of a buffer that is too large to wait for the next run.
func (h *history) end() {
	if h.room*h.bytes > maxKept/8 {
		h.room, h.base = 0, nil
		h.next.set(nil)
	}
}

// way binds body i, which is no loop's, as a scan of one step, whose length and addresses are set when it runs.
func (f *frame) way(n *tracer.Node, i, level int, inits, captured []*tracer.Node, last []*value, kept, keeps []*history) (*scan, []read, error) {
	g, k := n.Graphs[1+i], len(inits)
	s := &scan{node: n, graph: g, bodyIndex: 1 + i, length: 1, total: 1, back: i%2 == 1, ctl: f.ctl}
	s.scope = f.inner(n, level, level+1)
	s.scope.gated = true
	b := f.child(s.scope)
	b.loops++
	s.depth = b.loops
	o := operands{carries: g.Inputs[:k], lifted: g.Inputs[k+len(kept):], inits: f.valuesOf(inits), captured: f.valuesOf(captured),
		next: g.Outputs[:k], ys: g.Outputs[k:], last: last, rows: make([]*value, len(keeps))}
	var list []read
	for j, h := range kept {
		in := g.Inputs[k+j]
		if h == nil || !reads(g, in) {
			b.env[in] = &value{level: s.scope.depth} // nothing asks for it
			continue
		}
		r := read{h, &mover{base: h.base}, h.way%2 != i%2}
		list = append(list, r)
		v := rowsAt(r.first, in.Meta)
		if r.opposite {
			v.Strides[0] = -v.Strides[0]
		}
		o.xs, o.stacks = append(o.xs, in), append(o.stacks, v)
	}
	for j, h := range keeps {
		if h != nil {
			o.rows[j] = rowsAt(h.next, g.Outputs[k+j].Meta)
		}
	}
	if err := b.scanBody(s, o); err != nil {
		return nil, nil, err
	}
	s.body, s.late = sealed(s.scope.body), s.scope.late
	return s, list, nil
}

// rowsAt is a stack of rows that begins where m points to.
func rowsAt(m *mover, row tracer.Meta) *value {
	shape, _ := row.ConstShape()
	return &value{Array: kernels.Contiguous(m.base, row.DType, append([]int{1}, shape...)), mv: m}
}

// run executes the loop, then the further ways. Once the buffers have grown it allocates nothing.
func (w *sweeps) run() error {
	steps, err := w.loop.steps()
	for k := range w.ways {
		if err != nil {
			break
		}
		err = w.ways[k].run(steps)
	}
	w.loop.forget()
	for k := range w.ways {
		y := &w.ways[k]
		for _, r := range y.reads {
			r.first.set(nil)
		}
		forget(y.keeps)
	}
	return err
}

func forget(list []*history) {
	for _, h := range list {
		if h != nil {
			h.end()
		}
	}
}

// run goes over all steps.
func (y *way) run(steps int) error {
	s := y.scan
	s.length, s.total = steps, steps
	if steps == 0 {
		return s.unmoved()
	}
	for _, r := range y.reads {
		at := r.from.base
		if r.opposite {
			at = unsafe.Add(at, (steps-1)*r.from.bytes)
		}
		r.first.set(at)
	}
	for _, h := range y.keeps {
		if h != nil {
			h.reserve(steps)
			h.next.set(h.base)
		}
	}
	return s.run()
}
