package tracer

import "fmt"

// Join returns the tracer that records an operation on args: the innermost open tracer of the youngest trace among
// their owners. A younger root that meets a value of an older open trace is adopted by it. A value whose trace ended
// is a leak: HOP402.
func Join(args ...*Value) (*SubgraphTracer, error) {
	var youngest *SubgraphTracer
	for _, v := range args {
		owner := v.Tracer()
		if owner.closed {
			return nil, leak(v, nil)
		}
		if youngest == nil || owner.Root() != youngest.Root() && youngest.Root().opts.Born < owner.Root().opts.Born {
			youngest = owner
		}
	}
	if youngest == nil {
		return nil, fmt.Errorf("tracer: no traced value among %d arguments", len(args))
	}
	for _, v := range args {
		older, younger := v.Tracer(), youngest
		if older.Root().opts.Born > younger.Root().opts.Born {
			older, younger = younger, older
		}
		if older.Root() != younger.Root() {
			if err := younger.Root().AdoptBy(older); err != nil {
				return nil, err
			}
		}
	}
	return youngest.Current(), nil
}

// Unite makes one trace of two open ones, unless they are one: the older adopts the younger.
func Unite(a, b *SubgraphTracer) error {
	younger, older := a.Root(), b.Root()
	if younger == older {
		return nil
	}
	if younger.opts.Born < older.opts.Born {
		younger, older = older, younger
	}
	return younger.AdoptBy(older)
}

// AdoptBy makes the root t a child in the trace of parent, which must be older. It happens when t's body meets a value
// of a trace that was opened before t: t's operator was called with concrete operands only, so that nothing told it
// where it was. The open tracers of both nest in the order in which they were opened. Tensors that t captured so far
// become inputs lifted through the parent. Symbols of t whose names are taken there get new ones: integers kept as
// values follow, an Int kept elsewhere does not.
func (t *SubgraphTracer) AdoptBy(parent *SubgraphTracer) error {
	root := parent.Root()
	switch {
	case t.parent != nil:
		return fmt.Errorf("tracer: %s is no root and cannot be adopted by %s", t.Path(), parent.Path())
	case parent.closed || root.closed || t.closed:
		return fmt.Errorf("tracer: %s or %s ended; the one cannot adopt the other", parent.Path(), t.Path())
	case root == t || root.opts.Born > t.opts.Born:
		return fmt.Errorf("tracer: %s (opened at stamp %d) is not older than %s (stamp %d)", parent.Path(), root.opts.Born, t.Path(), t.opts.Born)
	}
	moved := root.nest(t)
	root.family = append(root.family, t.family...)
	root.adoptSymbols(t.env, t.family)
	captured, adopted := t.captured, t.family
	t.family, t.env = nil, nil
	t.graph.Constants, t.constants, t.stores, t.captured = nil, nil, nil, nil
	for _, v := range captured {
		n := v.made
		to, err := t.bring(t.parent, *v.capture)
		if err != nil {
			return err
		}
		to = to.real()
		t.becomes(v, to, adopted)
		for _, u := range adopted[1:] {
			u.rekey(v, to)
		}
		if _, err := t.parent.Use(to); err != nil {
			return err
		}
		n.Op = OpInput
		t.lifted = append(t.lifted, placeholder{value: to, node: n})
		t.show(to, shown{n, t.parent.generation(to)})
	}
	if err := root.liftAgain(moved); err != nil {
		return err
	}
	return t.handDown()
}

// nest puts the open tracers of t into the stack of the root, in the order in which they were opened, and returns the
// others that got a new parent.
func (root *SubgraphTracer) nest(t *SubgraphTracer) (moved []*SubgraphTracer) {
	a, b := root.stack, t.stack
	merged := make([]*SubgraphTracer, 0, len(a)+len(b))
	for len(a)+len(b) > 0 {
		from := &a
		if len(a) == 0 || len(b) > 0 && b[0].opts.Born < a[0].opts.Born {
			from = &b
		}
		u := (*from)[0]
		*from = (*from)[1:]
		if k := len(merged); k > 0 && u.parent != merged[k-1] {
			u.parent = merged[k-1]
			if u != t {
				moved = append(moved, u)
			}
		}
		merged = append(merged, u)
	}
	root.stack, t.stack = merged, nil
	return moved
}

// liftAgain gives the tracers between a moved one and the owners of what it lifted their inputs. What the inner one
// wrote, the others were already open to see.
func (root *SubgraphTracer) liftAgain(moved []*SubgraphTracer) error {
	for _, u := range moved {
		for _, p := range append(append([]placeholder{}, u.explicit...), u.lifted...) {
			if p.value.owner == u {
				continue
			}
			if _, err := u.parent.Use(p.value); err != nil {
				return err
			}
		}
	}
	if len(moved) == 0 {
		return nil
	}
	for i, outer := range root.stack {
		for k := range outer.watches {
			w := &outer.watches[k]
			for _, inner := range root.stack[i+1:] {
				for _, x := range inner.watches {
					if x.store.real() == w.store.real() {
						w.start = min(w.start, x.start)
					}
				}
			}
		}
	}
	return nil
}

// rekey makes what t lifted as from the input for to.
func (t *SubgraphTracer) rekey(from, to *Value) {
	for i := range t.lifted {
		if t.lifted[i].value == from {
			t.lifted[i].value = to
		}
	}
	for _, m := range []map[*Value]shown{t.shown, t.written} {
		if s, ok := m[from]; ok {
			delete(m, from)
			m[to] = s
		}
	}
}

// bring makes a tensor that t captured a value of the trace that adopts t.
func (t *SubgraphTracer) bring(outer *SubgraphTracer, c Capture) (*Value, error) {
	if t.opts.Import != nil {
		return t.opts.Import(outer, c)
	}
	return outer.Constant(c), nil
}

// becomes makes v, a captured tensor of the adopted t, stand for to. What the adopted tracers wrote to it is not lost:
// the versions add up, and what t's graph shows of it stays.
func (t *SubgraphTracer) becomes(v, to *Value, adopted []*SubgraphTracer) {
	if v.gen > 0 && to.from == nil {
		if t.written == nil {
			t.written = map[*Value]shown{}
		}
		t.written[to.base] = shown{v.node, t.generation(to) + v.gen}
	}
	if from, into := v.store.real(), to.store.real(); from != into {
		start := from.version // when t first met it
		for _, w := range t.watches {
			if w.store == from {
				start = w.start
			}
		}
		shift := into.version - start // may wrap around; so do the sums
		for _, u := range adopted {
			for i := range u.watches {
				if w := &u.watches[i]; w.store == from {
					w.store, w.start = into, w.start+shift
				}
			}
		}
		for _, w := range from.logged().writes {
			w.before += shift
			into.logged().writes = append(into.logged().writes, w)
		}
		into.version = from.version + shift
		from.same = into
	}
	v.same = to
}
