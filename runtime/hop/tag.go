package hop

// tag is what follows the operands: every op hands the tags of its operands on to its results, so that a HOP or an op
// further down knows of the runs that it is part of without any ambient state.
type tag struct {
	parent *tag // of the enclosing run; nil for the outermost
	depth  int
	run    *stepRun // the stepwise step that its tensors are part of
}

// innermost returns the deepest tag of the operands, or nil.
func innermost(ts []*Tensor) *tag {
	var deepest *tag
	for _, t := range ts {
		if t != nil && t.tag != nil && (deepest == nil || t.tag.depth > deepest.depth) {
			deepest = t.tag
		}
	}
	return deepest
}

// tagged returns t under the given tag, sharing storage and place on the tape.
func tagged(t *Tensor, g *tag) *Tensor {
	if t == nil || t.tag == g {
		return t
	}
	u := newView(t, t.shape, t.strides, t.offset)
	u.tag, u.tape, u.value = g, t.tape, t.value
	return u
}
