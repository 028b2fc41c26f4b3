package hop

import (
	"errors"
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// An operator that has no steps under Stepwise never calls its body on real tensors. What its results are and depend on is
// found by tracing the body once, as it would be without Stepwise: the ys of an empty scan have the shapes that steps would
// give, and all results require grad where a captured tensor does. In such a probe HOPs with Stepwise are traced, and what
// needs values cannot run.

// withoutSteps gives the results of an operator without steps.
func (h *hopCall) withoutSteps(traced func(m *hopTrace) []*Tensor, g *tag) []*Tensor {
	m := openProbe(h.pos)
	defer m.abandon()
	return m.finish(traced(m), g, nil)
}

// unchanged gives the results of an operator that returns what it starts from when it has no steps: copies, which depend on
// what the body captures. ins and metas are what the body would be called with.
func (h *hopCall) unchanged(starts []*Tensor, b *body, ins []group, metas ...[]tracer.Meta) []*Tensor {
	results := make([]*Tensor, len(starts))
	for i, t := range starts {
		if results[i] = t; !t.isInt() {
			results[i] = tagged(t, nil).Clone()
		}
	}
	gate(results, slices.Concat(starts, h.captures(b, ins, metas...)))
	return results
}

// captures are the tensors that a body captures which is never called. A body that needs values has none that are known.
func (h *hopCall) captures(b *body, ins []group, metas ...[]tracer.Meta) []*Tensor {
	m := openProbe(h.pos)
	defer m.abandon()
	for k := range metas {
		metas[k] = m.stepMetas(metas[k])
	}
	err := Try(func() { h.trace(m, b, ins, metas) })
	var e *Error
	if errors.As(err, &e) && (!e.needsData || len(e.More) > 0) {
		panic(err)
	}
	var list []*Tensor
	for _, c := range m.tr.Captures() {
		list = append(list, c.Payload.(*Tensor))
	}
	return list
}
