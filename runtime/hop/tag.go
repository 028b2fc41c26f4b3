package hop

import "iter"

// tag is what follows the operands: every op hands the tags of its operands on to its results, so that a HOP or an op
// further down knows of the observers and stepwise runs that it is part of without any ambient state.
type tag struct {
	parent    *tag // of the enclosing run or observer; nil for the outermost
	born      uint64
	run       *stepRun // the stepwise step that its tensors are part of; nil for a tag of observers
	observers []Observer
}

func newTag(parent *tag, run *stepRun, observers []Observer) *tag {
	return &tag{parent: parent, born: nextStamp(), run: run, observers: observers}
}

// innermost returns the innermost tag of the operands, or nil.
func innermost(ts []*Tensor) *tag {
	var g *tag
	for _, t := range ts {
		if t != nil {
			g = g.inner(t.tag)
		}
	}
	return g
}

// inner returns the inner one of two tags, which may be nil: the younger. Of two that are not one below the other, as that
// of a step and that of a captured tensor in it, it is the one whose run began later and is the first to end.
func (g *tag) inner(o *tag) *tag {
	if g == nil || o != nil && o.born > g.born {
		return o
	}
	return g
}

// nearest returns the step that g belongs to first, or nil.
func (g *tag) nearest() *stepRun {
	for ; g != nil; g = g.parent {
		if g.run != nil {
			return g.run
		}
	}
	return nil
}

// steps are the steps in which something happens to tensors under g: those that run now inside g's step, whose bodies
// captured the tensors, and those that g belongs to.
func (g *tag) steps() iter.Seq[*stepRun] {
	return func(yield func(*stepRun) bool) {
		near := g.nearest()
		if near == nil {
			return
		}
		for r := near.inner; r != nil; r = r.inner {
			if !yield(r) {
				return
			}
		}
		for ; g != nil; g = g.parent {
			if g.run != nil && !yield(g.run) {
				return
			}
		}
	}
}

// step returns the innermost stepwise step that g is part of, or nil.
func (g *tag) step() *stepRun {
	for ; g != nil; g = g.parent {
		if g.run != nil && !g.run.checkOnly {
			return g.run
		}
	}
	return nil
}

// path is the nesting of stepwise operators that g is part of, outermost first.
func (g *tag) path() string {
	path := ""
	for ; g != nil; g = g.parent {
		if g.run == nil || g.run.checkOnly {
			continue
		}
		if path != "" {
			path = " / " + path
		}
		path = g.run.segment() + path
	}
	return path
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
