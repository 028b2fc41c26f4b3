package exec

import (
	"unsafe"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
)

// rowOp is an elementwise op that cannot fail, over operands that are contiguous or one repeated element.
type rowOp struct {
	loop          kernels.Loop
	at            *elementwise
	n, sa, sb, sc int
	// first are the addresses in the first step that runs in a row, by how many bytes they move from step to step.
	first elementwise
	by    [4]int
}

// rowOps returns the ops of a body that does nothing else, in a loop in which all addresses move by equal distances from
// the second step on; nil for others. Such a loop needs no movers: it is one loop around a few loops. A vector that
// decays along the rows of xs is an example: its carry lies in the row of ys before.
func (s *scan) rowOps() []*rowOp {
	c := &s.carries
	if s.index != nil || c.staged != nil || s.strips != nil || len(s.scope.body) == 0 {
		return nil
	}
	for k := range c.slots {
		if c.slots[k].next != c.slots[k].slot {
			return nil
		}
	}
	for k := range c.moving {
		if c.moving[k].next != nil { // it alternates between two buffers
			return nil
		}
	}
	var ops []*rowOp
	for i := range s.scope.body {
		op := s.scope.body[i].row
		if op == nil {
			return nil
		}
		ops = append(ops, op)
	}
	return ops
}

// runRows executes a loop of more than two steps whose ops are rows. The first two steps find out how far addresses move.
func (s *scan) runRows() error {
	for i := range 2 {
		s.move(i)
		for _, op := range s.rows {
			op.first = *op.at
			op.run(0)
		}
		s.carries.advance(i)
	}
	s.move(2)
	for _, op := range s.rows {
		was := op.first
		op.first = *op.at
		op.by = [4]int{distance(was.o, op.first.o), distance(was.a, op.first.a), distance(was.b, op.first.b), distance(was.c, op.first.c)}
	}
	if len(s.rows) == 1 {
		op := s.rows[0]
		for i := range s.length - 2 {
			op.run(i)
		}
	} else {
		for i := range s.length - 2 {
			for _, op := range s.rows {
				op.run(i)
			}
		}
	}
	for _, op := range s.rows {
		op.first = elementwise{} // memory of the caller
	}
	s.move(s.length - 1)
	s.carries.advance(s.length - 1)
	return s.carries.end()
}

func distance(from, to unsafe.Pointer) int { return int(uintptr(to) - uintptr(from)) }

// run computes the op in step i of those in a row.
func (op *rowOp) run(i int) {
	p := &op.first
	op.loop(unsafe.Add(p.o, i*op.by[0]), unsafe.Add(p.a, i*op.by[1]), unsafe.Add(p.b, i*op.by[2]), unsafe.Add(p.c, i*op.by[3]), op.n, op.sa, op.sb, op.sc)
}
