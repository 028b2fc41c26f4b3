package passes

import "github.com/hoplint/hoplint/tracer"

// maxUnrolled bounds the nodes that the steps of one scan become.
const maxUnrolled = 512

// unroll puts the steps of a short scan in place one after the other, when the scan stands in a body and its attribute
// unroll allows as many steps as it has. What a step costs beside its work, it costs each time the outer body runs; and
// steps that stand side by side share what they have in common. An outermost loop stays: it reports its steps.
func unroll(r *run, g *tracer.Graph, root bool) { r.inBodies(g, unrollIn) }

func unrollIn(r *run, g *tracer.Graph, root bool) {
	s := r.sweep(g, root)
	parts := map[*tracer.Node][]*tracer.Node{}
	s.each(func(n *tracer.Node) bool {
		switch {
		case n.Op == tracer.OpGet && parts[n.Args[0]] != nil:
			s.stand(n, parts[n.Args[0]][n.Attrs.Int("index")])
			return false
		case n.Op == "scan" && s.unrollable(n):
			parts[n] = s.steps(n)
			s.changed()
			return false
		}
		return true
	})
}

func (s *sweep) unrollable(n *tracer.Node) bool {
	allowed, _ := n.Attrs.Get("unroll").(int)
	length, known := constLength(n)
	if !known || length < 1 || length > allowed || length*len(n.Graphs[0].Nodes) > maxUnrolled {
		return false
	}
	carries, xs := n.Attrs.Int("n_carry"), n.Attrs.Int("n_xs")
	for _, x := range n.Args[carries : carries+xs] {
		if !s.ops.Traits(row(x, 0)).View {
			return false
		}
	}
	for k, m := range n.Meta.Elems[carries:] {
		y := n.Graphs[0].Outputs[carries+k]
		stack := &tracer.Node{Op: "stack", Args: []*tracer.Node{y}, Attrs: tracer.Attrs{{Key: "dim", Value: 0}}, Meta: m}
		if t := s.ops.Traits(stack); !t.Pure || !t.Total {
			return false
		}
	}
	return true
}

// row is a view of one slice of x.
func row(x *tracer.Node, i int) *tracer.Node {
	return &tracer.Node{Name: x.Name, Op: "select", Args: []*tracer.Node{x}, Pos: x.Pos,
		Attrs: tracer.Attrs{{Key: "dim", Value: 0}, {Key: "index", Value: i}},
		Meta:  tracer.Meta{DType: x.Meta.DType, Shape: x.Meta.Shape[1:]}}
}

// steps appends all steps of n and returns its results.
func (s *sweep) steps(n *tracer.Node) []*tracer.Node {
	length, _ := constLength(n)
	carries, xs := n.Attrs.Int("n_carry"), n.Attrs.Int("n_xs")
	args := append([]*tracer.Node(nil), n.Args...)
	ys := make([][]*tracer.Node, len(n.Meta.Elems)-carries)
	for i := range length {
		for k, x := range n.Args[carries : carries+xs] {
			slice := row(x, i)
			slice.Name = s.name(slice.Name)
			s.put(slice)
			args[carries+k] = slice
		}
		outs := s.bodyAt(n, 0, i, args)
		copy(args, outs[:carries])
		for k, y := range outs[carries:] {
			ys[k] = append(ys[k], y)
		}
	}
	results := args[:carries:carries]
	for k, rows := range ys {
		stack := &tracer.Node{Name: s.name(n.Name), Op: "stack", Args: rows, Pos: n.Pos, Attrs: tracer.Attrs{{Key: "dim", Value: 0}},
			Meta: n.Meta.Elems[carries+k]}
		s.put(stack)
		results = append(results, stack)
	}
	return results
}
