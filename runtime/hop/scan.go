package hop

import (
	"slices"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/internal/pytree"
)

// Scan threads a carry through combine along one axis of xs and returns the last carry and the stacked ys.
//
// Shapes: a leaf of xs is [T, ...], of x [...] (axis dropped), of ys [T, ...]. The carry keeps structure, shape and
// dtype. T = 0 gives a copy of init and ys of shape [0, ...]. With [Axis] the scanned dim of xs is another one; ys
// always stack on dim 0. Without xs, pass None{} and [Length].
// Aliasing: results share no storage with init or xs; combine must not write or return carry, x or captured tensors
// (HOP101–HOP303).
// Options: [Axis], [Reverse], [Length], [Stepwise], [Observe].
// Errors: panics with *[Error]; see [Try].
// Gradient: through every operand and captured tensor, see [Tensor.Backward].
// Source: pytorch #135601 (the slice drops its axis, ys stack first), #158864 (no mutation).
//
//hop:body combine(carry, x)
//hop:returns fresh, fresh
func Scan[C, X, Y any](combine func(carry C, x X) (C, Y), init C, xs X, opts ...Option) (C, Y) {
	h := begin("Scan", opts, "Axis", "Reverse", "Length", "Stepwise", "Observe")
	if combine == nil {
		h.misuse("combine function is nil; pass a func(carry, x) (carry, y)")
	}
	spec := &h.contract.Bodies[0]
	s := &scan{hopCall: h,
		init: h.flatten(init, hopcheck.Slot{Role: hopcheck.Carry, Label: "init"}, "init"),
		xs:   h.flatten(xs, hopcheck.Slot{Role: hopcheck.X, Label: "xs"}, "xs"),
	}
	s.body = &body{spec: spec, pos: h.sourceOf(combine)}
	s.body.run = func(ins [][]*Tensor) (outs, touched []group) {
		carry := pytree.Unflatten[C](s.init.tree, ins[0])
		x := pytree.Unflatten[X](s.xs.tree, ins[1])
		next, y := combine(carry, x)
		outs = []group{h.flatten(next, spec.Out[0], "next carry"), h.flatten(y, spec.Out[1], "y")}
		return outs, []group{h.flatten(carry, spec.In[0], "carry"), h.flatten(x, spec.In[1], "x")}
	}
	s.init.slot, s.xs.slot = spec.In[0], spec.In[1]
	s.check()
	carry, ys := s.run()
	return pytree.Unflatten[C](s.init.tree, carry), pytree.Unflatten[Y](ys.tree, ys.leaves)
}

// scan is a call of Scan on flat leaves.
type scan struct {
	*hopCall
	body     *body
	init, xs group
	axis     []int // of each leaf of xs, normalised
	length   int
}

// check validates the operands before the body is called.
func (s *scan) check() {
	if len(s.init.leaves) == 0 {
		s.misuse("init has no leaves; the carry needs at least one tensor, or use Map")
	}
	given := s.opts.has("Length")
	if given && s.opts.length < 0 {
		s.misuse("Length is %d; want 0 or more", s.opts.length)
	}
	s.length = s.opts.length
	first := ""
	for i, t := range s.xs.leaves {
		name := "xs" + s.xs.paths[i]
		axis, ok := normalDim(s.opts.axis, t.Rank())
		if !ok {
			s.misuse("%s is %s, which has no axis %d to scan; pass at least %d dims, or another Axis", name, describe(t.meta()), s.opts.axis, minRank(s.opts.axis))
		}
		s.axis = append(s.axis, axis)
		n := t.Dim(axis)
		switch {
		case first == "" && given && n != s.length:
			s.misuse("Length is %d, %s has %d slices (%s, axis %d); drop Length or make both equal", s.length, name, n, describe(t.meta()), axis)
		case first != "" && n != s.length:
			s.misuse("%s has %d slices (%s, axis %d), %s has %d; make all leaves of xs equally long", name, n, describe(t.meta()), axis, first, s.length)
		}
		if first == "" {
			first = name
		}
		s.length = n
	}
	if first == "" && !given {
		s.misuse("xs has no leaves, so the length is missing; pass Length(n)")
	}
}

// minRank is the rank that a tensor needs to have an axis d.
func minRank(d int) int {
	if d < 0 {
		return -d
	}
	return d + 1
}

// run chooses the mode: Stepwise by option or because the operands are part of a stepwise run, traced otherwise.
func (s *scan) run() (carry []*Tensor, ys group) {
	operands := append(append([]*Tensor(nil), s.init.leaves...), s.xs.leaves...)
	g := innermost(operands)
	stepwise := s.opts.stepwise || g.step() != nil
	if s.opts.stepwise {
		if tr := traceOf(operands); tr != nil {
			s.misuse("Stepwise is refused inside the traced operator %s, where tensors have no data; give %s Stepwise too, or remove it here", tr.Path(), tr.Operator())
		}
	}
	watched := watching(g, s.opts.observers)
	if stepwise && s.length > 0 {
		carry, ys = s.stepwise(watched)
	} else {
		carry, ys = s.traced(operands, watched)
	}
	s.announce(watched, operands, append(slices.Clone(carry), ys.leaves...), !stepwise)
	ys.leaves = taggedAll(ys.leaves, g)
	return taggedAll(carry, g), ys
}
