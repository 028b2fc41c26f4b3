package hop

import (
	"slices"

	"github.com/hoplint/hoplint/runtime/internal/pytree"
	"github.com/hoplint/hoplint/tracer"
)

// BatchSize lets a map run on up to n rows at a time; f still sees one row, and the results are the same.
func BatchSize(n int) Option { return option{"BatchSize", func(o *options) { o.batch = n }} }

// Map returns f of every slice of xs along axis 0, stacked.
//
// Shapes: a leaf of xs is [N, ...], of x [...] (axis dropped), of the result [N, ...]. With [Axis] the mapped dim of xs
// is another one; results always stack on dim 0. N = 0 gives results of shape [0, ...].
// Aliasing: results share no storage with xs or captured tensors; f must not write or return them (HOP102–HOP303).
// Options: [Axis], [BatchSize], [Stepwise], [Observe], [WithContext], [Progress].
// Errors: panics with *[Error]; see [Try].
// Gradient: row by row; captured tensors get the sum over the rows.
// Source: jax.lax.map.
//
//hop:body f(x)
//hop:returns fresh
func Map[X, Y any](f func(X) Y, xs X, opts ...Option) Y {
	h := begin("Map", opts, "Axis", "BatchSize", "Stepwise", "Observe", "WithContext", "Progress")
	if f == nil {
		h.misuse("function is nil; pass a func(x) y")
	}
	if h.opts.has("BatchSize") && h.opts.batch < 1 {
		h.misuse("BatchSize is %d; want 1 or more", h.opts.batch)
	}
	spec := &h.contract.Bodies[0]
	m := &mapping{hopCall: h, xs: h.slice(h.flatten(xs, spec.In[0], "xs"), "xs", h.opts.axis, -1)}
	if len(m.xs.leaves) == 0 {
		h.misuse("xs has no leaves, so there is nothing to map over")
	}
	m.body = &body{spec: spec, pos: h.sourceOf(f)}
	m.body.run = func(ins [][]*Tensor) (outs, touched []group) {
		x := pytree.Unflatten[X](m.xs.tree, ins[0])
		y := f(x)
		return []group{h.flatten(y, spec.Out[0], "y")}, []group{h.flatten(x, spec.In[0], "x")}
	}
	results := h.execute(m.xs.leaves, m.stepwise, m.traced)
	return pytree.Unflatten[Y](m.ys, results)
}

// mapping is a call of Map on flat leaves.
type mapping struct {
	*hopCall
	body *body
	xs   slicedGroup
	ys   *pytree.Tree // found by running the body
}

func (m *mapping) stepwise(g *tag) []*Tensor {
	if m.xs.length == 0 {
		return m.withoutSteps(m.traced, g)
	}
	stack := newStack(m.hopCall, m.body, m.xs.length)
	var needed []*Tensor
	for i := range m.xs.length {
		r := m.newStep(m.body, i, g)
		x := m.xs.group
		x.leaves = m.xs.at(i)
		outs := r.call([]group{x}, [][]*Tensor{r.give(x)})
		needed = append(needed, r.needed...)
		stack.put(r, i, &outs[0])
		m.long.done(i+1, m.xs.length)
	}
	m.ys = stack.first.tree
	results := stack.results()
	gate(results, slices.Concat(m.xs.leaves, needed))
	return results
}

func (m *mapping) traced(t *hopTrace) []*Tensor {
	b, outs := m.trace(t, m.body, []group{m.xs.group}, [][]tracer.Meta{m.xs.metas()})
	m.ys = outs[0].tree
	t.stackable(m.hopCall, &outs[0], "y")
	attrs := tracer.Attrs{{Key: "n_xs", Value: len(m.xs.leaves)}, tracer.IntAttr("length", m.xs.size)}
	if m.opts.has("BatchSize") {
		attrs = append(attrs, tracer.Attr{Key: "batch_size", Value: m.opts.batch})
	}
	meta := tuple(stackedMetas(leafMetas(outs[0].leaves), m.xs.size))
	return t.hop("map", []*tracer.Body{b}, m.xs.inputs(t, "xs", false), attrs, meta, m.pos)
}
