package hop

import (
	"reflect"
	"slices"

	"github.com/hoplint/hoplint/runtime/internal/pytree"
)

// Scan threads a carry through combine along one axis of xs and returns the last carry and the stacked ys.
//
// Shapes: a leaf of xs is [T, ...], of x [...] (axis dropped), of ys [T, ...]. The carry keeps structure, shape and
// dtype. T = 0 gives a copy of init and ys of shape [0, ...]. With [Axis] the scanned dim of xs is another one; ys
// always stack on dim 0. Without xs, pass None{} and [Length].
// Aliasing: results share no storage with init or xs; combine must not write or return carry, x or captured tensors
// (HOP101–HOP303).
// Options: [Axis], [Reverse], [Length], [Unroll], [Stepwise], [Observe], [WithContext], [Progress].
// Errors: panics with *[Error]; see [Try].
// Gradient: through every operand and captured tensor, see [Tensor.Backward].
// Source: pytorch #135601 (the slice drops its axis, ys stack first), #158864 (no mutation).
//
//hop:body combine(carry, x)
//hop:returns fresh, fresh
func Scan[C, X, Y any](combine func(carry C, x X) (C, Y), init C, xs X, opts ...Option) (C, Y) {
	h := begin("Scan", opts, "Axis", "Reverse", "Length", "Unroll", "Stepwise", "Observe", "WithContext", "Progress")
	if combine == nil {
		h.misuse("combine function is nil; pass a func(carry, x) (carry, y)")
	}
	if h.opts.has("Unroll") && h.opts.unroll < 1 {
		h.misuse("Unroll is %d; want the number of steps, at least 1", h.opts.unroll)
	}
	spec := &h.contract.Bodies[0]
	s := &scan{hopCall: h, init: h.flatten(init, spec.In[0], "init")}
	s.xs = h.scanned(s.init, h.flatten(xs, spec.In[1], "xs"))
	if reflect.TypeFor[Y]().Size() == 0 {
		s.noYs = h.flatten(*new(Y), spec.Out[1], "y").tree
	}
	s.body = &body{spec: spec, pos: h.sourceOf(combine)}
	s.body.run = func(ins [][]*Tensor) (outs, touched []group) {
		carry := pytree.Unflatten[C](s.init.tree, ins[0])
		x := pytree.Unflatten[X](s.xs.tree, ins[1])
		next, y := combine(carry, x)
		outs = []group{h.flatten(next, spec.Out[0], "next carry"), h.flatten(y, spec.Out[1], "y")}
		return outs, []group{h.flatten(carry, spec.In[0], "carry"), h.flatten(x, spec.In[1], "x")}
	}
	results := s.execute(slices.Concat(s.init.leaves, s.xs.leaves), s.stepwise, s.traced)
	n := len(s.init.leaves)
	return pytree.Unflatten[C](s.init.tree, results[:n]), pytree.Unflatten[Y](s.ys, results[n:])
}

// scan is a call of Scan on flat leaves. Its results are the carry, then the stacked ys.
type scan struct {
	*hopCall
	body *body
	init group
	xs   slicedGroup
	ys   *pytree.Tree // found by running the body
	noYs *pytree.Tree // set where Y is a type without leaves
}

// scanned checks the operands before the body is called.
func (h *hopCall) scanned(init, xs group) slicedGroup {
	if len(init.leaves) == 0 {
		h.misuse("init has no leaves; the carry needs at least one tensor or hop.Int, or use Map")
	}
	length := -1
	if h.opts.has("Length") {
		if length = h.opts.length; length < 0 {
			h.misuse("Length is %d; want 0 or more", length)
		}
	}
	s := h.slice(xs, "xs", h.opts.axis, length)
	if s.length < 0 {
		h.misuse("xs has no leaves, so the length is missing; pass Length(n)")
	}
	return s
}
