package hop

import (
	"github.com/hoplint/hoplint/tracer"
)

// traced traces the body once, checks the contract on its graph and runs the graph, or records the scan in the trace
// that its operands belong to; g is the tag of what it executes. Axis and reverse are ops around the scan node: it always scans dim 0 forwards.
func (s *scan) traced(operands []*Tensor, g *tag) (carry []*Tensor, ys group) {
	m := openTrace("main", traceOf(operands), s.pos)
	defer m.abandon()

	metas := make([][]tracer.Meta, 2)
	for _, t := range s.init.leaves {
		metas[0] = append(metas[0], t.meta())
	}
	for i, t := range s.xs.leaves {
		metas[1] = append(metas[1], without(t.meta(), s.axis[i]))
	}
	b, outs := s.trace(m, s.body, []group{s.init, s.xs}, metas)

	var ins []*Tensor
	for _, t := range s.init.leaves {
		ins = append(ins, m.input(t, "init"))
	}
	for i, t := range s.xs.leaves {
		ins = append(ins, s.oriented(m.input(t, "xs"), s.axis[i]))
	}
	meta := tracer.Meta{Elems: append([]tracer.Meta(nil), metas[0]...)}
	ys = outs[1]
	for _, t := range ys.leaves {
		y := t.meta()
		y.Shape = append([]tracer.Int{tracer.Const(s.length)}, y.Shape...)
		meta.Elems = append(meta.Elems, y)
	}
	attrs := tracer.Attrs{{Key: "n_carry", Value: len(s.init.leaves)}, {Key: "n_xs", Value: len(s.xs.leaves)}, {Key: "length", Value: s.length}}
	results := m.hop("scan", []*tracer.Body{b}, ins, attrs, meta, s.pos)
	n := len(s.init.leaves)
	if s.opts.reverse {
		for i := n; i < len(results); i++ {
			results[i] = results[i].Flip(0)
		}
	}
	results = m.finish(results, g)
	ys.leaves = results[n:]
	return results[:n], ys
}

// oriented moves the scanned axis to the front and turns it round for a reversed scan.
func (s *scan) oriented(t *Tensor, axis int) *Tensor {
	if axis != 0 {
		dims := []int{axis}
		for d := range t.Rank() {
			if d != axis {
				dims = append(dims, d)
			}
		}
		t = t.Permute(dims...)
	}
	if s.opts.reverse {
		t = t.Flip(0)
	}
	return t
}

// without returns m with dim d dropped.
func without(m tracer.Meta, d int) tracer.Meta {
	shape := append([]tracer.Int(nil), m.Shape[:d]...)
	m.Shape = append(shape, m.Shape[d+1:]...)
	return m
}
