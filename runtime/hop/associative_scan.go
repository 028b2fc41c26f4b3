package hop

import (
	"slices"

	"github.com/hoplint/hoplint/runtime/internal/pytree"
	"github.com/hoplint/hoplint/tracer"
)

// AssociativeScan returns the running combinations of xs along axis 0: x0, combine(x0, x1), combine(combine(x0, x1),
// x2), … combine must be associative; elements are combined in an order that the operator chooses.
//
// Shapes: a leaf of xs is [N, ...], an element [...] (axis dropped); combine returns an element of the same structure,
// shapes and dtypes; the result has the shapes of xs. [Axis] chooses another dim, which stays in its place. With
// [Reverse] the combinations run from the last element: combine(accumulated, next), each at its element's place.
// Aliasing: the result shares no storage with xs or captured tensors; combine must not write or return its elements or
// captured tensors (HOP103–HOP303).
// Options: [Axis], [Reverse], [Stepwise], [Observe], [WithContext], [Progress].
// Errors: panics with *[Error]; see [Try].
// Gradient: through every combination, all leaves and captured tensors.
// Source: jax.lax.associative_scan; Blelloch, Prefix sums and their applications (1990).
//
//hop:body combine(element, element)
//hop:returns fresh
func AssociativeScan[E any](combine func(a, b E) E, xs E, opts ...Option) E {
	h := begin("AssociativeScan", opts, "Axis", "Reverse", "Stepwise", "Observe", "WithContext", "Progress")
	if combine == nil {
		h.misuse("combine function is nil; pass a func(a, b) c")
	}
	spec := &h.contract.Bodies[0]
	s := &associativeScan{hopCall: h, xs: h.slice(h.flatten(xs, spec.In[0], "xs"), "xs", h.opts.axis, -1)}
	if len(s.xs.leaves) == 0 {
		h.misuse("xs has no leaves, so there is nothing to scan")
	}
	s.body = &body{spec: spec, pos: h.sourceOf(combine)}
	s.body.run = func(ins [][]*Tensor) (outs, touched []group) {
		a, b := pytree.Unflatten[E](s.xs.tree, ins[0]), pytree.Unflatten[E](s.xs.tree, ins[1])
		c := combine(a, b)
		return []group{h.flatten(c, spec.Out[0], "output")},
			[]group{h.flatten(a, spec.In[0], "left element"), h.flatten(b, spec.In[1], "right element")}
	}
	return pytree.Unflatten[E](s.xs.tree, h.execute(s.xs.leaves, s.stepwise, s.traced))
}

// associativeScan is a call of AssociativeScan on flat leaves.
type associativeScan struct {
	*hopCall
	body *body
	xs   slicedGroup
}

// sides are the two inputs of combine, of elements a and b.
func (s *associativeScan) sides(a, b []*Tensor) []group {
	left, right := s.xs.group, s.xs.group
	left.slot, right.slot = s.body.spec.In[0], s.body.spec.In[1]
	left.leaves, right.leaves = a, b
	return []group{left, right}
}

// stepwise combines one after the other.
func (s *associativeScan) stepwise(g *tag) []*Tensor {
	n := s.xs.length
	if n < 2 {
		element := s.xs.metas()
		return s.unchanged(s.xs.leaves, s.body, s.sides(s.xs.leaves, s.xs.leaves), element, element)
	}
	place := func(k int) int {
		if s.opts.reverse {
			return n - 1 - k
		}
		return k
	}
	steps := make([][]*Tensor, n)
	acc := s.xs.at(place(0))
	steps[place(0)] = acc
	var needed []*Tensor
	for k := 1; k < n; k++ {
		r := s.newStep(s.body, k-1, g)
		ins := s.sides(acc, s.xs.at(place(k)))
		acc = r.call(ins, [][]*Tensor{r.give(ins[0]), r.give(ins[1])})[0].leaves
		needed = append(needed, r.needed...)
		steps[place(k)] = acc
		s.long.done(k+1, n)
	}
	results := make([]*Tensor, len(s.xs.leaves))
	for j := range results {
		column := make([]*Tensor, n)
		for i := range column {
			column[i] = tagged(steps[i][j], nil)
		}
		results[j] = Stack(s.xs.axes[j], column...)
	}
	gate(results, slices.Concat(s.xs.leaves, needed))
	return results
}

func (s *associativeScan) traced(m *hopTrace) []*Tensor {
	element := s.xs.metas()
	ins := s.sides(s.xs.leaves, s.xs.leaves)
	b, _ := s.trace(m, s.body, ins, [][]tracer.Meta{element, element})
	attrs := tracer.Attrs{{Key: "n_xs", Value: len(s.xs.leaves)}, tracer.IntAttr("length", s.xs.size)}
	meta := tuple(stackedMetas(element, s.xs.size))
	results := m.hop("associative_scan", []*tracer.Body{b}, s.xs.inputs(m, "xs", s.opts.reverse), attrs, meta, s.pos)
	for j, t := range results {
		if s.opts.reverse {
			t = t.Flip(0)
		}
		results[j] = moveAxis(t, 0, s.xs.axes[j])
	}
	return results
}
