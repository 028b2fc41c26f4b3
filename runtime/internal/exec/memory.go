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
	// ends are the nodes whose values are read last by the node of an index.
	ends  map[int][]*tracer.Node
	inUse map[*tracer.Node]buffer
	free  map[int][]unsafe.Pointer
	heap  *heap
}

// heap counts the bytes that an instance holds.
type heap struct{ bytes int }

func (h *heap) alloc(size int) unsafe.Pointer {
	h.bytes += max(size, 0)
	return kernels.Alloc(size)
}

type buffer struct {
	p     unsafe.Pointer
	bytes int
}

func newMemory(f *frame, g *tracer.Graph) memory {
	m := memory{last: map[*tracer.Node]int{}, ends: map[int][]*tracer.Node{}, inUse: map[*tracer.Node]buffer{}, free: map[int][]unsafe.Pointer{}, heap: f.heap}
	owner := map[*tracer.Node]*tracer.Node{}
	own := func(n *tracer.Node) *tracer.Node {
		if o, ok := owner[n]; ok {
			return o
		}
		return n
	}
	for i, n := range g.Nodes {
		for _, a := range f.operandsOf(n) {
			m.last[own(a)] = i
		}
		if len(n.Graphs) == 0 && len(n.Args) == 1 && f.isView(n) {
			owner[n] = own(n.Args[0])
		}
	}
	for _, n := range g.Outputs {
		delete(m.last, own(n))
	}
	for _, n := range g.Nodes {
		if i, ok := m.last[n]; ok {
			m.ends[i] = append(m.ends[i], n)
		}
	}
	return m
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
	b := buffer{bytes: size}
	if idle := m.free[size]; len(idle) > 0 {
		b.p, m.free[size] = idle[len(idle)-1], idle[:len(idle)-1]
	} else {
		b.p = m.heap.alloc(size)
	}
	m.inUse[n] = b
	return b.p
}

// release frees the buffers that node i was the last to read.
func (m *memory) release(i int) {
	for _, n := range m.ends[i] {
		if b, ok := m.inUse[n]; ok {
			m.free[b.bytes] = append(m.free[b.bytes], b.p)
			delete(m.inUse, n)
		}
	}
}
