package tracer

import "slices"

// An operation on values of an older trace alone is recorded there, although a younger trace may be open: nothing tells it
// where it is. When the older trace adopts the younger one, what it has recorded since that was opened is handed down to
// the bodies in which it happened. What cannot move stays; it is computed before the operator then.

// handDown moves nodes that the tracer around t has recorded since the open body of t began into that body. It does so where
// nothing but these nodes can know their values: all traces since are part of the graph.
func (t *SubgraphTracer) handDown() error {
	stack := t.Root().stack
	at := slices.Index(stack, t)
	if at < 1 || at+2 != len(stack) || t.parent != stack[at-1] || stack[at+1].parent != t {
		return nil
	}
	body := stack[at+1]
	for _, u := range t.Root().family {
		if u.opts.Born > body.opts.Born && !u.recorded {
			return nil
		}
	}
	return t.parent.handDownSince(body.opts.Born)
}

func (u *SubgraphTracer) handDownSince(since uint64) error {
	first := len(u.graph.Nodes)
	for first > 0 && (u.graph.Nodes[first-1].stamp > since || u.graph.Nodes[first-1].stamp == 0) {
		first--
	}
	for _, w := range u.overwrote {
		if w.stamp <= since || w.base.owner == u && w.base.made.madeAt() > since {
			continue
		}
		// A write to a tensor that is older than the body: what happened stays, and the body is judged for it.
		if target := u.Root().At(w.stamp); target != nil && target != u && u.encloses(target) {
			_, err := target.Use(w.base)
			return err
		}
	}
	to, ok := u.bodiesOf(u.graph.Nodes[first:])
	if !ok || len(to) == 0 {
		return nil
	}
	kept := u.graph.Nodes[:first:first]
	for _, n := range u.graph.Nodes[first:] {
		if to[n] == nil {
			kept = append(kept, n)
		}
	}
	nodes := u.graph.Nodes
	u.graph.Nodes = kept
	for _, n := range nodes[first:] {
		if target := to[n]; target != nil {
			if err := target.takeOver(n, to); err != nil {
				return err
			}
		}
	}
	for text, n := range u.bound {
		if target := to[n]; target != nil {
			delete(u.bound, text)
			target.bind(text, n)
		}
	}
	return nil
}

// bodiesOf says which of the nodes of u belong to which body below u. ok is false when they cannot move.
func (u *SubgraphTracer) bodiesOf(nodes []*Node) (to map[*Node]*SubgraphTracer, ok bool) {
	root := u.Root()
	to = map[*Node]*SubgraphTracer{}
	isMoved := func(n *Node) bool { return to[n] != nil }
	for _, n := range nodes {
		if n.madeAt() != n.stamp {
			return nil, false // a tensor joined the trace, which other traces may know as their own
		}
		target := root.At(n.stamp)
		moves := true
		switch {
		case n.stamp == 0 || target == nil || target == u || !u.encloses(target):
			moves = false
		case n.Op == OpSize || n.Op == OpInt:
			moves = slices.ContainsFunc(n.Args, isMoved)
		case n.value != nil && n.value.made != n: // new contents, or the same view of them
			moves = isMoved(n.value.made)
		}
		if !moves {
			if slices.ContainsFunc(n.Args, isMoved) {
				return nil, false
			}
			continue
		}
		for _, a := range n.Args {
			if a.value == nil && !isMoved(a) {
				return nil, false
			}
		}
		to[n] = target
	}
	return to, true
}

// madeAt is when the node was recorded, or when the tensor was made that joined the trace as the node.
func (n *Node) madeAt() uint64 {
	if v := n.value; v != nil && v.made == n && v.base == v {
		return min(n.stamp, v.own.birth)
	}
	return n.stamp
}

// takeOver appends a node of an outer tracer. What it reads there becomes an input of t, unless it was handed down too.
func (t *SubgraphTracer) takeOver(n *Node, to map[*Node]*SubgraphTracer) error {
	for i, a := range n.Args {
		if to[a] == t {
			continue
		}
		own, err := t.Use(a.value)
		if err != nil {
			return err
		}
		n.Args[i] = own
	}
	if err := t.bindAttrs(n.Attrs); err != nil {
		return err
	}
	base := n.Op
	if n.Op == OpSize {
		base = n.Meta.Int.String()
	}
	n.Name = t.names.take(base)
	t.graph.Nodes = append(t.graph.Nodes, n)
	v := n.value
	if v == nil || v.made != n {
		return nil
	}
	from := v.owner
	v.owner = t
	made := n.Meta.Shape
	if n.Meta.Int != nil {
		made = []Int{*n.Meta.Int}
	}
	for _, i := range made {
		name, ok := i.Symbol()
		s := t.symbol(name)
		if !ok || s == nil || s.owner != from || s.value != v && s.def != v {
			continue
		}
		s.owner = t
		from.graph.Guards = slices.DeleteFunc(from.graph.Guards, func(g Guard) bool {
			mentions := slices.Contains(append(g.Cond.A.Symbols(), g.Cond.B.Symbols()...), name)
			if mentions {
				t.graph.addGuard(g.Cond, g.Pos)
			}
			return mentions
		})
	}
	return nil
}
