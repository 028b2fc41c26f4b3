package passes

import "github.com/hoplint/hoplint/tracer"

// Ops is what the passes ask of an op table: the tracer knows shapes, not what an op computes. It is asked about plain
// ops only, not about operators with bodies nor about the operations that every graph knows.
type Ops interface {
	// Traits says what is known of the op of n. The zero Traits is right for an op of which nothing is known.
	Traits(n *tracer.Node) Traits
	// Eval returns what n computes of the given arguments, one literal for each part of its result. It reports false
	// where it cannot, or where the op fails.
	Eval(n *tracer.Node, args []*tracer.Literal) ([]*tracer.Literal, bool)
}

// Traits are what a pass may rely on.
type Traits struct {
	// Pure: equal arguments give equal results, bit for bit, and nothing else happens.
	Pure bool
	// Total: it cannot fail, whatever the values of its arguments.
	Total bool
	// Copy: the result equals the argument in all but memory.
	Copy bool
	// View: the result shares the memory of the first argument, or is a copy of it that lies the same way.
	View bool
	// Layout: it reads how its first argument lies in memory, not the values alone.
	Layout bool
	// Cheap: it costs less on one number than a jump that is taken wrongly.
	Cheap bool
}

// traits are those of any node.
func (r *run) traits(n *tracer.Node) Traits {
	switch n.Op {
	case tracer.OpInput, tracer.OpConstant, tracer.OpLiteral, tracer.OpGet:
		return Traits{Pure: true, Total: true}
	case tracer.OpSize:
		return Traits{Pure: true, Total: true}
	case tracer.OpInt:
		return Traits{Pure: true} // an expression may divide by zero
	case tracer.OpPut:
		return Traits{Pure: true, Total: true}
	}
	if len(n.Graphs) > 0 {
		return r.operatorTraits(n)
	}
	if t, ok := r.known[n]; ok {
		return t
	}
	t := r.ops.Traits(n)
	r.known[n] = t
	return t
}

// operatorTraits are those of an operator: it is pure when all its bodies are, and total when all are and it ends. A
// while loop may run for ever, and may be given fewer steps than it takes.
func (r *run) operatorTraits(n *tracer.Node) Traits {
	if _, ok := layoutOf(n); !ok {
		return Traits{}
	}
	t := Traits{Pure: true, Total: n.Op != "while_loop"}
	for _, g := range n.Graphs {
		b := r.bodyTraits(g)
		t.Pure, t.Total = t.Pure && b.Pure, t.Total && b.Total
	}
	return t
}

// laidOut are the nodes of a graph of which another one reads how they lie in memory.
func (r *run) laidOut(g *tracer.Graph) map[*tracer.Node]bool {
	read := map[*tracer.Node]bool{}
	for _, n := range g.Nodes {
		if len(n.Graphs) == 0 && len(n.Args) > 0 && r.traits(n).Layout {
			read[n.Args[0]] = true
		}
	}
	return read
}

// Total reports whether a graph cannot fail, whatever the values of its inputs, and ends.
func Total(g *tracer.Graph, ops Ops) bool { return newRun(ops).bodyTraits(g).Total }

// bodyTraits are Pure and Total of all nodes of a graph together.
func (r *run) bodyTraits(g *tracer.Graph) Traits {
	if t, ok := r.bodies[g]; ok {
		return t
	}
	t := Traits{Pure: true, Total: true}
	for _, n := range g.Nodes {
		m := r.traits(n)
		t.Pure, t.Total = t.Pure && m.Pure, t.Total && m.Total
	}
	r.bodies[g] = t
	return t
}
