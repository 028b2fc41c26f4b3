package passes

import (
	"encoding/binary"

	"github.com/hoplint/hoplint/tracer"
)

// turns decides what is known before a run: a loop without turns gives its inits, and a branch that a literal chooses is
// put in place. What the other branches do to the contract was judged when they were traced.
func turns(r *run, g *tracer.Graph, root bool) {
	r.inBodies(g, turnsIn)
	turnsIn(r, g, root)
}

func turnsIn(r *run, g *tracer.Graph, root bool) {
	s := r.sweep(g, root)
	parts := map[*tracer.Node][]*tracer.Node{}
	s.each(func(n *tracer.Node) bool {
		switch n.Op {
		case tracer.OpGet:
			if p := parts[n.Args[0]]; p != nil {
				s.standOrCopy(n, p[n.Attrs.Int("index")])
				return false
			}
		case "cond", "switch":
			if i, ok := chosen(n); ok {
				parts[n] = s.body(n, i, n.Args[1:])
				s.changed()
				return false
			}
		case "scan", "for_loop", "map", "vmap":
			if k, ok := constLength(n); ok && k == 0 && emptyRows(n) {
				parts[n] = s.untouched(n)
				s.changed()
				return false
			}
		}
		return true
	})
}

// chosen is the body that a literal predicate or index picks; an index outside of the bodies picks the nearest.
func chosen(n *tracer.Node) (int, bool) {
	l := literalOf(n.Args[0])
	if l == nil || len(l.Data) < 1 {
		return 0, false
	}
	switch l.DType {
	case tracer.Bool:
		if l.Data[0] != 0 {
			return 0, true
		}
		return 1, true
	case tracer.Int32:
		return clip(int64(int32(binary.LittleEndian.Uint32(l.Data))), n), true
	case tracer.Int64:
		return clip(int64(binary.LittleEndian.Uint64(l.Data)), n), true
	}
	return 0, false
}

func clip(i int64, n *tracer.Node) int { return int(max(0, min(i, int64(len(n.Graphs)-1)))) }

// emptyRows reports whether the ys of a loop without turns have constant shapes.
func emptyRows(n *tracer.Node) bool {
	for _, m := range n.Meta.Elems[n.Attrs.Int("n_carry"):] {
		if _, ok := m.ConstShape(); !ok {
			return false
		}
	}
	return true
}

// untouched are the results of a loop without turns: its inits, then ys without elements.
func (s *sweep) untouched(n *tracer.Node) []*tracer.Node {
	carries := n.Attrs.Int("n_carry")
	results := append([]*tracer.Node(nil), n.Args[:carries]...)
	for _, m := range n.Meta.Elems[carries:] {
		shape, _ := m.ConstShape()
		l := literalNode(s.name(n.Name), &tracer.Literal{DType: m.DType, Shape: shape}, n)
		s.put(l)
		results = append(results, l)
	}
	return results
}
