package hop

import (
	"github.com/hoplint/hoplint/tracer"
)

// slicedGroup is a group whose leaves a HOP takes apart along one axis: xs of Scan, Map and AssociativeScan.
type slicedGroup struct {
	group
	axes   []int // of each leaf, normalised
	length int   // that of the example where it is open
	size   tracer.Int
}

// slice checks that all leaves of g have the axis and are equally long there. given is the Length option, -1 for none.
func (h *hopCall) slice(g group, name string, axis, given int) slicedGroup {
	s := slicedGroup{group: g, length: given, size: tracer.Const(given)}
	first := ""
	c := inference{sizes: traceOf(g.leaves)}
	for i, t := range g.leaves {
		leaf := name + g.paths[i]
		d, ok := normalDim(axis, t.Rank())
		if !ok {
			h.misuse("%s is %s, which has no axis %d to run along; pass at least %d dims, or another Axis", leaf, describe(t.meta()), axis, minRank(axis))
		}
		s.axes = append(s.axes, d)
		n := t.meta().Shape[d]
		switch {
		case first == "" && given >= 0 && !c.sameSize(n, s.size):
			h.misuse("Length is %d, %s has %v slices (%s, axis %d); drop Length or make both equal", given, leaf, n, describe(t.meta()), d)
		case first != "" && !c.sameSize(n, s.size):
			h.misuse("%s has %v slices (%s, axis %d), %s has %v (%s); make all leaves of %s equally long", leaf, n, describe(t.meta()), d,
				first, s.size, describe(g.leaves[0].meta()), name)
		}
		if first == "" {
			first, s.size, s.length = leaf, n, t.shape[d]
		}
	}
	return s
}

// minRank is the rank that a tensor needs to have an axis d.
func minRank(d int) int {
	if d < 0 {
		return -d
	}
	return d + 1
}

// at returns slice i of every leaf, a view without the axis.
func (s *slicedGroup) at(i int) []*Tensor {
	list := make([]*Tensor, len(s.leaves))
	for j, t := range s.leaves {
		list[j] = tagged(t, nil).Select(s.axes[j], i)
	}
	return list
}

// metas are those of one slice.
func (s *slicedGroup) metas() []tracer.Meta {
	list := make([]tracer.Meta, len(s.leaves))
	for i, t := range s.leaves {
		list[i] = without(t.meta(), s.axes[i])
	}
	return list
}

// inputs returns the leaves as tensors of the trace with the axis in front, turned round for a reversed run. Axis and
// reverse are ops around a HOP's node: it always runs forwards along dim 0.
func (s *slicedGroup) inputs(m *hopTrace, name string, reverse bool) []*Tensor {
	list := m.inputs(s.leaves, name)
	for i, t := range list {
		list[i] = moveAxis(t, s.axes[i], 0)
		if reverse {
			list[i] = list[i].Flip(0)
		}
	}
	return list
}

// moveAxis returns a view of t with dim from at position to and the others in their order.
func moveAxis(t *Tensor, from, to int) *Tensor {
	if from == to {
		return t
	}
	var dims []int
	for d := range t.Rank() {
		if d != from {
			dims = append(dims, d)
		}
	}
	dims = append(dims[:to], append([]int{from}, dims[to:]...)...)
	return t.Permute(dims...)
}

// stackedMetas are the metas of ys from those of one step.
func stackedMetas(step []tracer.Meta, length tracer.Int) []tracer.Meta {
	list := make([]tracer.Meta, len(step))
	for i, m := range step {
		list[i] = tracer.Meta{DType: m.DType, Shape: append([]tracer.Int{length}, m.Shape...)}
	}
	return list
}

// without returns m with dim d dropped.
func without(m tracer.Meta, d int) tracer.Meta {
	shape := append([]tracer.Int(nil), m.Shape[:d]...)
	m.Shape = append(shape, m.Shape[d+1:]...)
	return m
}
