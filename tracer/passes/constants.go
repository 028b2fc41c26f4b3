package passes

import "github.com/hoplint/hoplint/tracer"

// maxFolded bounds the elements of a literal that folding makes: a large one is cheaper to compute than to keep.
const maxFolded = 1024

// constants computes plain ops whose arguments are all literals, by the kernels that would compute them. One that fails
// stays, to fail when and where it is run.
func constants(r *run, g *tracer.Graph, root bool) {
	r.inBodies(g, constantsIn)
	constantsIn(r, g, root)
}

func constantsIn(r *run, g *tracer.Graph, root bool) {
	s := r.sweep(g, root)
	parts := map[*tracer.Node][]*tracer.Literal{}
	s.each(func(n *tracer.Node) bool {
		if n.Op == tracer.OpGet && parts[n.Args[0]] != nil {
			s.literal(n, parts[n.Args[0]][n.Attrs.Int("index")])
			return false
		}
		values, ok := s.evaluated(n)
		switch {
		case !ok:
			return true
		case n.Meta.Elems != nil:
			parts[n] = values
			s.changed()
		default:
			s.literal(n, values[0])
		}
		return false
	})
}

// literal puts a literal in the place of n, under its name.
func (s *sweep) literal(n *tracer.Node, value *tracer.Literal) {
	l := literalNode(n.Name, value, n)
	s.put(l)
	s.now[n] = l
	if s.exposed[n] {
		s.exposed[l], s.owners[l] = true, true
	}
	s.changed()
}

// evaluated computes n.
func (s *sweep) evaluated(n *tracer.Node) ([]*tracer.Literal, bool) {
	switch n.Op {
	case tracer.OpGet, tracer.OpPut, tracer.OpSize, tracer.OpInt:
		return nil, false
	}
	if len(n.Graphs) > 0 || len(n.Args) == 0 || !small(n.Meta) {
		return nil, false
	}
	args := make([]*tracer.Literal, len(n.Args))
	for i, a := range n.Args {
		if args[i] = literalOf(a); args[i] == nil {
			return nil, false
		}
	}
	if t := s.traits(n); !t.Pure {
		return nil, false
	}
	return s.ops.Eval(n, args)
}

// small reports whether all parts of a value have constant shapes of few elements.
func small(m tracer.Meta) bool {
	for _, e := range m.Elems {
		if !small(e) {
			return false
		}
	}
	if m.Elems != nil {
		return true
	}
	shape, ok := m.ConstShape()
	n := 1
	for _, d := range shape {
		if d > 0 && n > maxFolded/d {
			return false
		}
		n *= d
	}
	return ok && m.IsTensor()
}
