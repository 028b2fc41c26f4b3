package passes

import (
	"slices"
	"strconv"

	"github.com/hoplint/hoplint/tracer"
)

// sweep rewrites the nodes of one graph in order.
type sweep struct {
	*run
	g *tracer.Graph
	// nodes are those of the new list, now what stands for nodes that are not in it.
	nodes []*tracer.Node
	now   map[*tracer.Node]*tracer.Node
	// exposed are the outputs of a root graph and what they are views of, owners the nodes whose memory they lie in; nil
	// in a body.
	exposed, owners map[*tracer.Node]bool
}

func (r *run) sweep(g *tracer.Graph, root bool) *sweep {
	s := &sweep{run: r, g: g, now: map[*tracer.Node]*tracer.Node{}}
	if root {
		s.exposed, s.owners = map[*tracer.Node]bool{}, map[*tracer.Node]bool{}
		for _, o := range g.Outputs {
			for ; r.isView(o); o = o.Args[0] {
				s.exposed[o] = true
			}
			s.exposed[o], s.owners[o] = true, true
		}
	}
	return s
}

func (r *run) isView(n *tracer.Node) bool {
	return len(n.Args) > 0 && len(n.Graphs) == 0 && r.traits(n).View
}

// base is the node whose memory n lies in, as far as views tell.
func (r *run) base(n *tracer.Node) *tracer.Node {
	for r.isView(n) {
		n = n.Args[0]
	}
	return n
}

// each calls f for all nodes in order, with arguments already rewritten. f returns true to keep the node; otherwise it
// has said what stands for it.
func (s *sweep) each(f func(n *tracer.Node) bool) {
	s.nodes = make([]*tracer.Node, 0, len(s.g.Nodes))
	s.visits += len(s.g.Nodes)
	for _, n := range s.g.Nodes {
		s.get(n.Args)
		if f(n) {
			s.nodes = append(s.nodes, n)
		}
	}
	s.finish()
}

func (s *sweep) finish() {
	s.g.Nodes = s.nodes
	s.get(s.g.Outputs)
}

// get puts what stands for nodes in their place in the list.
func (s *sweep) get(list []*tracer.Node) {
	for i, n := range list {
		if m, ok := s.now[n]; ok {
			list[i] = m
		}
	}
}

// stand lets m, which is made before n, stand for n, and reports whether it may: an output of a root graph must not come
// to share memory with an input or another output.
func (s *sweep) stand(n, m *tracer.Node) bool {
	if !s.mayStand(n, m) {
		return false
	}
	s.now[n] = m
	s.changed()
	return true
}

func (s *sweep) mayStand(n, m *tracer.Node) bool {
	if !s.exposed[n] {
		return true
	}
	b := s.base(m)
	if b != s.base(n) {
		if b.Op == tracer.OpInput || b.Op == tracer.OpConstant || s.owners[b] {
			return false
		}
		s.owners[b] = true
	}
	for ; m != b; m = m.Args[0] {
		s.exposed[m] = true
	}
	s.exposed[b] = true
	return true
}

// standOrCopy is stand, with a copy of m where n must not share its memory.
func (s *sweep) standOrCopy(n, m *tracer.Node) {
	if s.stand(n, m) {
		return
	}
	c := &tracer.Node{Name: n.Name, Op: "clone", Args: []*tracer.Node{m}, Meta: n.Meta, Pos: n.Pos}
	s.put(c)
	s.now[n], s.exposed[c], s.owners[c] = c, true, true
	s.changed()
}

// put appends a new node.
func (s *sweep) put(n *tracer.Node) { s.nodes = append(s.nodes, n) }

// name returns a name that no node of the graph has, derived from want.
func (s *sweep) name(want string) string { return s.nameIn(s.g, want) }

// nameIn returns a name, derived from want, that no node of g has or had in this pass.
func (r *run) nameIn(g *tracer.Graph, want string) string {
	names := r.names[g]
	if names == nil {
		names = map[string]bool{}
		for _, list := range [][]*tracer.Node{g.Inputs, g.Constants, g.Nodes} {
			for _, n := range list {
				names[n.Name] = true
			}
		}
		r.names[g] = names
	}
	name := want
	for k := 1; names[name]; k++ {
		name = want + "_" + strconv.Itoa(k)
	}
	names[name] = true
	return name
}

// literalOf is the value of a literal node, nil for others.
func literalOf(n *tracer.Node) *tracer.Literal {
	if n.Op != tracer.OpLiteral {
		return nil
	}
	l, _ := n.Attrs.Get("value").(*tracer.Literal)
	return l
}

func literalNode(name string, l *tracer.Literal, from *tracer.Node) *tracer.Node {
	return &tracer.Node{Name: name, Op: tracer.OpLiteral, Attrs: tracer.Attrs{{Key: "value", Value: l}},
		Meta: tracer.TensorMeta(l.DType, l.Shape...), Pos: from.Pos}
}

// sameLiteral reports whether both are the same bits.
func sameLiteral(a, b *tracer.Literal) bool {
	return a.DType == b.DType && slices.Equal(a.Shape, b.Shape) && string(a.Data) == string(b.Data)
}

// getsOf are the get nodes of each operator in g, in order.
func getsOf(g *tracer.Graph) map[*tracer.Node][]*tracer.Node {
	gets := map[*tracer.Node][]*tracer.Node{}
	for _, n := range g.Nodes {
		if n.Op == tracer.OpGet {
			gets[n.Args[0]] = append(gets[n.Args[0]], n)
		}
	}
	return gets
}

// constLength is the number of turns of a loop, and whether it is known.
func constLength(n *tracer.Node) (int, bool) {
	switch n.Op {
	case "scan", "map", "vmap", "associative_scan":
		k, ok := n.Attrs.Get("length").(int)
		return k, ok
	case "for_loop":
		lower, ok := n.Attrs.Get("lower").(int)
		upper, also := n.Attrs.Get("upper").(int)
		return max(0, upper-lower), ok && also
	}
	return 0, false
}

// splice puts the results that parts makes in the place of each operator that is meant and of what picks its results.
func (s *sweep) splice(meant func(*tracer.Node) bool, parts func(*tracer.Node) []*tracer.Node) {
	made := map[*tracer.Node][]*tracer.Node{}
	s.each(func(n *tracer.Node) bool {
		switch {
		case n.Op == tracer.OpGet && made[n.Args[0]] != nil:
			s.standOrCopy(n, made[n.Args[0]][n.Attrs.Int("index")])
			return false
		case meant(n):
			made[n] = parts(n)
			s.changed()
			return false
		}
		return true
	})
}
