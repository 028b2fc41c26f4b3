package tracer

import (
	"fmt"

	"github.com/hoplint/hoplint/hopcheck"
)

// Use returns the node that stands for v in t now. A stale view is made anew from its base. A value of an outer tracer
// is lifted: the parent lifts it first, then t makes its own placeholder and remembers the pair. A value whose trace
// ended, or that belongs to a trace which does not enclose t, is a leak: HOP402.
func (t *SubgraphTracer) Use(v *Value) (*Node, error) {
	v = v.real()
	if v.owner == t {
		if t.closed {
			return nil, leak(v, t)
		}
		if v.node == nil {
			return t.computeInt(v)
		}
		if v.from == nil || v.gen == t.generation(v) {
			return v.node, nil
		}
		n, err := t.review(v)
		if err != nil {
			return nil, err
		}
		v.node, v.gen = n, t.generation(v)
		return n, nil
	}
	if v.owner.closed {
		return nil, leak(v, t)
	}
	if !v.owner.encloses(t) {
		if Unite(t, v.owner) != nil || !v.owner.encloses(t) {
			return nil, leak(v, t)
		}
		if v.owner == t { // it was handed down
			return t.Use(v)
		}
	}
	if v.base != nil {
		if own, ok := t.written[v.whole()]; ok {
			return t.overwritten(v, own)
		}
	}
	if s, ok := t.shown[v]; ok {
		return s.node, nil
	}
	return t.lift(v)
}

// generation says how often the base of v's storage was written as far as t can see.
func (t *SubgraphTracer) generation(v *Value) uint64 {
	base := v.whole()
	if base.owner != t {
		for u := t; u != nil && u != base.owner; u = u.parent {
			if own, ok := u.written[base]; ok {
				return own.gen
			}
		}
	}
	return base.gen
}

// review records v's last view op again, on the present contents of what it is a view of.
func (t *SubgraphTracer) review(v *Value) (*Node, error) {
	from, err := t.Use(v.from)
	if err != nil {
		return nil, err
	}
	n := t.add(v.made.Op, v.made.Attrs, v.made.Meta, v.made.Pos)
	n.Args, n.value = t.slabs.list(1), v
	n.Args[0] = from
	return n, nil
}

// overwritten returns the node for a value of an outer tracer whose storage this body wrote.
func (t *SubgraphTracer) overwritten(v *Value, own shown) (*Node, error) {
	if v.from == nil {
		return own.node, nil
	}
	if s, ok := t.shown[v]; ok && s.gen == own.gen {
		return s.node, nil
	}
	n, err := t.review(v)
	if err != nil {
		return nil, err
	}
	t.show(v, shown{n, own.gen})
	return n, nil
}

func (t *SubgraphTracer) show(v *Value, s shown) {
	if t.shown == nil {
		t.shown = map[*Value]shown{}
	}
	t.shown[v] = s
}

// lift makes a placeholder of t for a value of an outer tracer. The symbols of its sizes come before it.
func (t *SubgraphTracer) lift(v *Value) (*Node, error) {
	outer, err := t.parent.Use(v)
	if err != nil {
		return nil, err
	}
	meta := v.made.Meta
	if meta.Int != nil {
		return t.liftInt(v, outer, &t.lifted, false)
	}
	if err := t.bindSizes(meta, &t.lifted); err != nil {
		return nil, err
	}
	n := t.placeholder(outer.Name, meta)
	n.Pos, n.value = v.made.Pos, v
	t.lifted = append(t.lifted, placeholder{value: v, node: n})
	t.show(v, shown{n, t.generation(v)})
	t.watchStore(v.store.real(), capturedPlace(v))
	return n, nil
}

// capturedPlace names a value of an outer tracer for the body that captured it: by the variable where one is known, by
// its place there where an input owns its storage.
func capturedPlace(v *Value) hopcheck.Place {
	place := hopcheck.Place{Role: hopcheck.Captured}
	told := v.store.real().logged().place
	switch {
	case told.Role == hopcheck.NoRole:
	case told.Role == hopcheck.Captured:
		place.Label, place.Path = told.Label, told.Path
	case told.Label != "":
		place.Label, place.Path = told.Label, told.Path
	default:
		place.Label, place.Path = told.Role.String(), told.Path
	}
	return place
}

// watchStore remembers the version that a storage had when the body began. That is the present one, unless a write was
// recorded by an older trace that this one had not joined yet. What was made after the body began is no capture: an
// operation on values of the older trace alone was recorded there, and its result is the body's own.
func (t *SubgraphTracer) watchStore(s *Store, place hopcheck.Place) {
	if place.Role == hopcheck.Captured && s.birth > t.opts.Born {
		return
	}
	start := s.version
	if s.log != nil {
		for _, w := range s.log.writes {
			if w.stamp > t.opts.Born && w.before < start {
				start = w.before
			}
		}
	}
	for _, w := range t.watches {
		if w.store == s {
			if w.place == place {
				return
			}
			start = w.start
		}
	}
	if t.watches == nil {
		t.watches = make([]watch, 0, 4)
	}
	t.watches = append(t.watches, watch{s, place, start})
}

// leak returns the HOP402 error for v, which t cannot use.
func leak(v *Value, t *SubgraphTracer) *Error {
	v = v.real()
	owner := v.owner
	detail := "a tensor made in the " + owner.words
	if owner.opts.Operator != "" {
		detail += " of " + owner.Path()
	}
	detail += at(v.made.Pos)
	switch {
	case owner.closed:
		detail += " is used after its trace ended"
	default:
		detail += " is used in another trace"
	}
	if t != nil && t != owner {
		detail += ", in " + t.Path() + at(t.opts.Pos)
	}
	if owner.closed && owner.opts.Pos.IsValid() {
		detail += fmt.Sprintf(" (the trace was that of the call%s)", at(owner.opts.Pos))
	}
	return &Error{Finding{
		Finding: hopcheck.Finding{Code: hopcheck.LeakedTensor, HOP: owner.opts.Operator, Body: owner.words, Detail: detail},
		Pos:     v.made.Pos,
		Path:    owner.Path(),
	}}
}
