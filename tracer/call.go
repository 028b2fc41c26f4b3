package tracer

import (
	"fmt"
	"go/token"
)

// CallHOP records a HOP whose bodies are closed. args are the explicit operands: what the operator alone reads (a
// predicate, an index), then the bodies' explicit inputs in their order. Behind args come the values that the bodies
// lifted: those that several bodies use, in the first one's order, then those of each body
// alone. All bodies take the same list. The results are flat; see meta.
func (t *SubgraphTracer) CallHOP(op string, bodies []*Body, args []*Value, attrs Attrs, meta Meta, pos token.Position) ([]*Value, error) {
	for _, b := range bodies {
		if b.tracer.parent != t {
			return nil, fmt.Errorf("tracer: the body %s of %s was not traced below %s", b.Graph.Name, op, t.Path())
		}
	}
	shared := mergeLifted(bodies)
	all := append(append(make([]*Value, 0, len(args)+len(shared)), args...), shared...)
	n, err := t.record(op, all, attrs, meta, pos)
	if err != nil {
		return nil, err
	}
	n.Graphs = make([]*Graph, len(bodies))
	for i, b := range bodies {
		n.Graphs[i] = b.Graph
	}
	return t.results(n), nil
}

// mergeLifted gives all bodies one list of lifted inputs and returns what they stand for in the parent.
func mergeLifted(bodies []*Body) []*Value {
	if len(bodies) == 1 {
		return bodies[0].Lifted
	}
	uses := map[*Value]int{}
	for _, b := range bodies {
		for _, v := range b.Lifted {
			uses[v]++
		}
	}
	var order []*Value
	taken := map[*Value]bool{}
	pick := func(b *Body, when func(uses int) bool) {
		for _, v := range b.Lifted {
			if !taken[v] && when(uses[v]) {
				taken[v] = true
				order = append(order, v)
			}
		}
	}
	for _, b := range bodies {
		pick(b, func(uses int) bool { return uses > 1 })
	}
	for _, b := range bodies {
		pick(b, func(uses int) bool { return uses == 1 })
	}
	for _, b := range bodies {
		b.align(order)
	}
	return order
}

// align gives the body one lifted input for each value of order; those that it does not use are new.
func (b *Body) align(order []*Value) {
	own := make(map[*Value]*Node, len(b.Lifted))
	for i, v := range b.Lifted {
		own[v] = b.Graph.Inputs[b.Explicit+i]
	}
	inputs := b.Graph.Inputs[:b.Explicit:b.Explicit]
	for _, v := range order {
		n := own[v]
		if n == nil {
			n = b.tracer.placeholder(v.node.Name, v.made.Meta)
			n.Pos = v.made.Pos
		}
		inputs = append(inputs, n)
	}
	b.Graph.Inputs, b.Lifted = inputs, order
}
