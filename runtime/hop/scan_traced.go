package hop

import (
	"github.com/hoplint/hoplint/tracer"
)

// traced traces the body once, checks the contract on its graph and records the scan in m.
func (s *scan) traced(m *hopTrace) []*Tensor {
	carry := leafMetas(s.init.leaves)
	b, outs := s.trace(m, s.body, []group{s.init, s.xs.group}, [][]tracer.Meta{m.stepMetas(carry), s.xs.metas()})
	s.ys = outs[1].tree
	m.stackable(s.hopCall, &outs[1], "y")
	ins := append(m.inputs(s.init.leaves, "init"), s.xs.inputs(m, "xs", s.opts.reverse)...)
	attrs := tracer.Attrs{{Key: "n_carry", Value: len(carry)}, {Key: "n_xs", Value: len(s.xs.leaves)}, tracer.IntAttr("length", s.xs.size)}
	if s.opts.unroll > 0 {
		attrs = append(attrs, tracer.Attr{Key: "unroll", Value: s.opts.unroll})
	}
	meta := tuple(m.stepMetas(carry), stackedMetas(leafMetas(outs[1].leaves), s.xs.size))
	results := m.hop("scan", []*tracer.Body{b}, ins, attrs, meta, s.pos)
	if s.opts.reverse {
		for i := len(carry); i < len(results); i++ {
			results[i] = results[i].Flip(0)
		}
	}
	return results
}
