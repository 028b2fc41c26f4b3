package tracer

import (
	"fmt"
	"go/token"
	"slices"
)

// CallHOP records a HOP whose bodies are closed. args are the explicit operands: what the operator alone reads (a
// predicate, an index), then the bodies' explicit inputs in their order. Behind args come the values that the bodies
// lifted: those that several bodies use, in the first one's order, then those of each body alone; a tensor's symbols
// stand before it. All bodies take the same list. The results are flat, as meta says: a tuple, or one value.
func (t *SubgraphTracer) CallHOP(op string, bodies []*Body, args []*Value, attrs Attrs, meta Meta, pos token.Position) ([]*Value, error) {
	for _, b := range bodies {
		if t.encloses(b.tracer.parent) {
			t = b.tracer.parent // a trace between was adopted while the body was traced
		}
	}
	for _, b := range bodies {
		if !b.tracer.parent.encloses(t) {
			return nil, fmt.Errorf("tracer: the body %s of %s was not traced below %s", b.Graph.Name, op, t.Path())
		}
	}
	lifted := mergeLifted(bodies)
	all := make([]*Value, 0, len(args)+len(lifted))
	if len(bodies) > 0 {
		all = withSymbols(all, bodies[0].tracer.explicit, args)
	} else {
		all = append(all, args...)
	}
	all = append(all, lifted...)
	n, err := t.record(op, all, attrs, meta, pos)
	if err != nil {
		return nil, err
	}
	n.Graphs = make([]*Graph, len(bodies))
	for i, b := range bodies {
		n.Graphs[i], b.tracer.recorded = b.Graph, true
	}
	return t.results(n), nil
}

// withSymbols appends args, each behind the symbols that its input of the body bound. Args in front that have no input
// belong to the operator alone.
func withSymbols(all []*Value, explicit []placeholder, args []*Value) []*Value {
	tensors := 0
	for _, p := range explicit {
		if !p.auto {
			tensors++
		}
	}
	if tensors == len(explicit) {
		return append(all, args...)
	}
	head := max(0, len(args)-tensors)
	all = append(all, args[:head]...)
	args = args[head:]
	for _, p := range explicit {
		switch {
		case p.auto:
			all = append(all, p.value)
		case len(args) > 0:
			all = append(all, args[0])
			args = args[1:]
		}
	}
	return append(all, args...)
}

// mergeLifted gives all bodies one list of lifted inputs and returns what they stand for in the parent.
func mergeLifted(bodies []*Body) []*Value {
	switch len(bodies) {
	case 0:
		return nil
	case 1:
		return bodies[0].Lifted
	}
	m := merge{uses: map[*Value]int{}, taken: map[*Value]bool{}}
	for _, b := range bodies {
		for i := range b.tracer.lifted { // a body that was closed before its root was adopted has the old values
			p := &b.tracer.lifted[i]
			p.value = p.value.real()
			m.uses[p.value]++
		}
	}
	for _, b := range bodies {
		m.pick(b, func(uses int) bool { return uses > 1 })
	}
	for _, b := range bodies {
		m.pick(b, func(uses int) bool { return uses == 1 })
	}
	for _, b := range bodies {
		b.align(m.order)
	}
	return m.order
}

// merge is the list of lifted inputs that sibling bodies will share.
type merge struct {
	uses  map[*Value]int
	taken map[*Value]bool
	order []*Value
}

// pick adds those values of a body whose number of users is right. Symbols that a body has only because of a tensor
// come right before the first tensor that needs them.
func (m *merge) pick(b *Body, when func(uses int) bool) {
	for _, p := range b.tracer.lifted {
		if p.auto && !b.orphan(p) || !when(m.uses[p.value]) {
			continue
		}
		for _, d := range p.value.made.Meta.Shape {
			for _, name := range d.Symbols() {
				for _, q := range b.tracer.lifted {
					if symbol, ok := q.symbol(); ok && symbol == name {
						m.add(q.value)
					}
				}
			}
		}
		m.add(p.value)
	}
}

func (m *merge) add(v *Value) {
	if !m.taken[v] {
		m.taken[v] = true
		m.order = append(m.order, v)
	}
}

// orphan reports whether a symbol was bound for an explicit input, so that no lifted tensor brings it along.
func (b *Body) orphan(p placeholder) bool {
	name, _ := p.symbol()
	for _, q := range b.tracer.lifted {
		for _, d := range q.value.made.Meta.Shape {
			if slices.Contains(d.Symbols(), name) {
				return false
			}
		}
	}
	return true
}

// symbol returns the symbol that the placeholder stands for, if it is one alone.
func (p placeholder) symbol() (name string, ok bool) {
	if i := p.value.made.Meta.Int; i != nil {
		return i.Symbol()
	}
	return "", false
}

// align gives the body one lifted input for each value of order; those that it does not use are new.
func (b *Body) align(order []*Value) {
	own := make(map[*Value]placeholder, len(b.Lifted))
	for _, p := range b.tracer.lifted {
		own[p.value] = p
	}
	inputs := b.Graph.Inputs[:b.Explicit:b.Explicit]
	lifted := make([]placeholder, len(order))
	for i, v := range order {
		p, ok := own[v]
		if !ok {
			name := v.made.Name
			if outer, err := b.tracer.parent.Use(v); err == nil { // record uses v too and returns the error
				name = outer.Name
			}
			n := b.tracer.placeholder(name, v.made.Meta)
			n.Pos = v.made.Pos
			p = placeholder{value: v, node: n}
		}
		lifted[i] = p
		inputs = append(inputs, p.node)
	}
	b.Graph.Inputs, b.Lifted, b.tracer.lifted = inputs, order, lifted
}
