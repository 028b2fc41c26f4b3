package hop

import (
	"math"
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// What operators do with integers and symbolic sizes.

// stepMetas are the metas of carries as a body sees them: an integer is another one in each step, so it is a new symbol.
func (m *hopTrace) stepMetas(metas []tracer.Meta) []tracer.Meta {
	if !slices.ContainsFunc(metas, func(m tracer.Meta) bool { return m.Int != nil }) {
		return metas
	}
	list := slices.Clone(metas)
	for i := range list {
		if list[i].Int != nil {
			u := m.tr.NewUnbacked(math.MinInt, math.MaxInt)
			list[i].Int = &u
		}
	}
	return list
}

// resultMetas are the metas of what bodies return, as they are around the operator: one list for each body. An integer
// that is the same in all of them, and known outside, stays; else it is a new symbol between the bounds of all. So is a
// size that depends on data in the body.
func (m *hopTrace) resultMetas(bodies ...[]tracer.Meta) []tracer.Meta {
	list := slices.Clone(bodies[0])
	for i, first := range list {
		if first.Int != nil {
			list[i].Int = m.merged(bodies, i)
			continue
		}
		for d, size := range first.Shape {
			if !m.tr.Visible(size) {
				lo, hi := m.tr.Bounds(size)
				list[i].Shape = slices.Clone(list[i].Shape)
				list[i].Shape[d] = m.tr.NewUnbacked(max(lo, 0), hi)
			}
		}
	}
	return list
}

func (m *hopTrace) merged(bodies [][]tracer.Meta, i int) *tracer.Int {
	first := *bodies[0][i].Int
	lo, hi := m.tr.Bounds(first)
	same := m.tr.Visible(first)
	for _, b := range bodies[1:] {
		is := *b[i].Int
		l, h := m.tr.Bounds(is)
		lo, hi, same = min(lo, l), max(hi, h), same && is.Same(first)
	}
	if !same {
		first = m.tr.NewUnbacked(lo, hi)
	}
	return &first
}

// refuseInts refuses integers among results that are to be stacked.
func (h *hopCall) refuseInts(g *group, what string) {
	for i, t := range g.leaves {
		if t.isInt() {
			h.misuse("%s%s is an int; only tensors can be stacked, make one with Tensor", what, g.paths[i])
		}
	}
}

// stackable refuses results of a traced step that cannot be stacked: integers, and shapes that differ from step to step.
func (m *hopTrace) stackable(h *hopCall, g *group, what string) {
	h.refuseInts(g, what)
	for i, t := range g.leaves {
		for _, d := range t.meta().Shape {
			if !m.tr.Visible(d) {
				h.misuse("%s%s is %s, whose size %v depends on data: steps of different shapes cannot be stacked; reduce or pad it in the body", what, g.paths[i], describe(t.meta()), d)
			}
		}
	}
}

// equalMeta reports whether two tensors have equal metas; in a trace the sizes of the example may decide it, with a guard.
func equalMeta(t, u *Tensor) bool {
	a, b := t.meta(), u.meta()
	if a.Equal(b) {
		return true
	}
	if a.DType != b.DType || a.Int != nil || b.Int != nil || len(a.Shape) != len(b.Shape) {
		return false
	}
	v := t.value
	if v == nil {
		v = u.value
	}
	if v == nil {
		return false
	}
	c := inference{sizes: v.Tracer().Root()} // the body that made it has ended, maybe
	return c.sameSizes(a.Shape, b.Shape)
}
