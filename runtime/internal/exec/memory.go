package exec

import (
	"unsafe"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

// memory plans the buffers of one graph: a result takes a buffer of its size whose value nobody reads any more. Only
// results that are made anew in every step take part; what is made before a loop, or lies where a mover points, stays.
type memory struct {
	// last is the index of the last node that reads a value, views of it included; the graph's outputs have none.
	last map[*tracer.Node]int
	// owner is the node whose memory a view lies in.
	owner map[*tracer.Node]*tracer.Node
	// ends are the nodes whose values are read last by the node of an index.
	ends  map[int][]*tracer.Node
	inUse map[*tracer.Node]buffer
	free  map[int][]buffer
	heap  *heap
}

// heap counts the bytes that an instance holds, and its buffers for results, and knows what moves from step to step.
type heap struct {
	bytes, buffers int
	moving         []*mover
}

// forget lets go of what movers point to: slices of xs and rows of ys lie in memory of the caller.
func (h *heap) forget() {
	for _, m := range h.moving {
		m.set(nil)
	}
}

func (h *heap) alloc(size int) unsafe.Pointer {
	h.bytes += max(size, 0)
	return kernels.Alloc(size)
}

type buffer struct {
	p     unsafe.Pointer
	bytes int
	// number names the buffer in the text of a plan.
	number int
}

func newMemory(f *frame, g *tracer.Graph) memory {
	m := memory{last: map[*tracer.Node]int{}, owner: map[*tracer.Node]*tracer.Node{}, ends: map[int][]*tracer.Node{}, inUse: map[*tracer.Node]buffer{}, free: map[int][]buffer{}, heap: f.heap}
	for i, n := range g.Nodes {
		for _, a := range f.operandsOf(n) {
			m.last[m.own(a)] = i
		}
		if len(n.Graphs) == 0 && len(n.Args) == 1 && f.isView(n) {
			m.owner[n] = m.own(n.Args[0])
		}
	}
	for _, n := range g.Outputs {
		delete(m.last, m.own(n))
	}
	for _, n := range g.Nodes {
		if i, ok := m.last[n]; ok {
			m.ends[i] = append(m.ends[i], n)
		}
	}
	return m
}

// own is the node whose memory n lies in: n itself, unless it is a view.
func (m *memory) own(n *tracer.Node) *tracer.Node {
	if o, ok := m.owner[n]; ok {
		return o
	}
	return n
}

// hand gives the buffer of a value that nobody reads any more to n, and reports whether it had one.
func (m *memory) hand(from, n *tracer.Node) bool {
	b, ok := m.inUse[from]
	if ok {
		delete(m.inUse, from)
		m.inUse[n] = b
	}
	return ok
}

func (f *frame) isView(n *tracer.Node) bool {
	if n.Op == tracer.OpGet || n.Op == tracer.OpLiteral || n.Op == tracer.OpPut {
		return false
	}
	k, ok := f.lib.Kernel(n.Op)
	return ok && k.View != nil
}

// take returns the buffer for the result of n.
func (m *memory) take(n *tracer.Node) unsafe.Pointer {
	shape, _ := n.Meta.ConstShape()
	size := kernels.NumElems(shape) * n.Meta.DType.Size()
	var b buffer
	if idle := m.free[size]; len(idle) > 0 {
		b, m.free[size] = idle[len(idle)-1], idle[:len(idle)-1]
	} else {
		m.heap.buffers++
		b = buffer{m.heap.alloc(size), size, m.heap.buffers}
	}
	m.inUse[n] = b
	return b.p
}

// release frees the buffers that node i was the last to read.
func (m *memory) release(i int) {
	for _, n := range m.ends[i] {
		if b, ok := m.inUse[n]; ok {
			m.free[b.bytes] = append(m.free[b.bytes], b)
			delete(m.inUse, n)
		}
	}
}
