package exec

import (
	"slices"
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
	m := readsOf(g, f.lib, f.operandsOf)
	m.ends, m.inUse, m.free, m.heap = map[int][]*tracer.Node{}, map[*tracer.Node]buffer{}, map[int][]buffer{}, f.heap
	for _, n := range g.Nodes {
		if i, ok := m.last[n]; ok {
			m.ends[i] = append(m.ends[i], n)
		}
	}
	return m
}

// readsOf tells who reads what last; operands are the nodes that a node reads.
func readsOf(g *tracer.Graph, lib Library, operands func(*tracer.Node) []*tracer.Node) memory {
	m := memory{last: map[*tracer.Node]int{}, owner: map[*tracer.Node]*tracer.Node{}}
	type part struct {
		of    *tracer.Node
		index int
	}
	parts := map[part]*tracer.Node{}
	for i, n := range g.Nodes {
		for _, a := range operands(n) {
			m.last[m.own(a)] = i
		}
		switch {
		case n.Op == tracer.OpGet:
			p := part{n.Args[0], n.Attrs.Int("index")}
			if first := parts[p]; first != nil {
				m.owner[n] = first // the same result, picked again
			} else {
				parts[p] = n
			}
		case len(n.Graphs) == 0 && len(n.Args) == 1 && isView(n, lib):
			m.owner[n] = m.own(n.Args[0])
		}
	}
	for _, n := range g.Outputs {
		delete(m.last, m.own(n))
	}
	return m
}

// reading is readsOf for a graph that is not bound: what may be read along with its only reader counts as read then.
func reading(g *tracer.Graph, lib Library) memory {
	product := map[*tracer.Node]bool{}
	for _, n := range g.Nodes {
		product[n] = n.Op == "mul" || n.Op == "mul_scalar"
	}
	return readsOf(g, lib, func(n *tracer.Node) []*tracer.Node {
		list := n.Args
		for _, a := range n.Args {
			if product[a] {
				list = slices.Concat(list, a.Args)
			}
		}
		return list
	})
}

// once reports whether n is given base, or views of it, in one argument alone.
func (m *memory) once(n, base *tracer.Node) bool {
	count := 0
	for _, a := range n.Args {
		if m.own(a) == base {
			count++
		}
	}
	return count == 1
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

func (f *frame) isView(n *tracer.Node) bool { return isView(n, f.lib) }

func isView(n *tracer.Node, lib Library) bool {
	if n.Op == tracer.OpGet || n.Op == tracer.OpLiteral || n.Op == tracer.OpPut {
		return false
	}
	k, ok := lib.Kernel(n.Op)
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
