package hop

import (
	"reflect"
	"slices"
	"sync"

	"github.com/hoplint/hoplint/runtime/internal/pytree"
	"github.com/hoplint/hoplint/tracer"
)

// Subgraph returns f as one named body of a graph: wherever it is called, a traced graph has a call of that body, and
// calls that trace to the same body share it.
//
// Shapes: those of f.
// Aliasing: results share no storage with x; f must not write or return x or captured tensors (HOP103–HOP303).
// Errors: panics with *[Error]; see [Try].
// Gradient: that of f, by x and by captured tensors.
// Source: pytorch's invoke_subgraph: one body graph serves many calls.
//
//hop:body f(operand)
func Subgraph[X, Y any](name string, f func(X) Y) func(X) Y {
	s := new(sharedBodies)
	return func(x X) Y {
		h := begin("Subgraph", nil)
		if f == nil {
			h.misuse("function of %q is nil; pass a func(x) y", name)
		}
		spec := h.contract.Bodies[0]
		c := &subgraphCall{hopCall: h, name: name, shared: s, x: h.flatten(x, spec.In[0], "argument")}
		c.body = mapBody(h, &spec, f, c.x.tree)
		results := h.execute(c.x.leaves, c.stepwise, c.traced)
		return pytree.Unflatten[Y](c.out, results)
	}
}

// subgraphCall is a call of a Subgraph on flat leaves.
type subgraphCall struct {
	*hopCall
	name   string
	shared *sharedBodies
	body   *body
	x      group
	out    *pytree.Tree // found by running the body
}

func (c *subgraphCall) stepwise(g *tag) []*Tensor {
	r := c.newStep(c.body, once, g)
	outs := r.call([]group{c.x}, [][]*Tensor{r.give(c.x)})
	c.out = outs[0].tree
	results := outs[0].leaves
	gate(results, slices.Concat(c.x.leaves, r.needed))
	return results
}

func (c *subgraphCall) traced(m *hopTrace) []*Tensor {
	b, outs := c.trace(m, c.body, []group{c.x}, [][]tracer.Meta{leafMetas(c.x.leaves)})
	c.out = outs[0].tree
	b.Graph.Name = c.name
	b.Graph = c.shared.take(b.Graph)
	return m.hop("subgraph", []*tracer.Body{b}, m.inputs(c.x.leaves, "x"), nil, tuple(m.resultMetas(leafMetas(outs[0].leaves))), c.pos)
}

// sharedBodies keeps the bodies that a Subgraph traced to, so that equal ones are one.
type sharedBodies struct {
	mu     sync.Mutex
	graphs []*tracer.Graph // the newest last
}

// maxShared bounds how many different bodies of a Subgraph are remembered; the oldest is forgotten.
const maxShared = 16

// take returns the body that is equal to g, or g itself.
func (s *sharedBodies) take(g *tracer.Graph) *tracer.Graph {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, known := range s.graphs {
		if sameGraph(known, g) {
			return known
		}
	}
	if len(s.graphs) == maxShared {
		s.graphs = s.graphs[1:]
	}
	s.graphs = append(s.graphs, g)
	return g
}

// sameGraph reports whether two graphs compute the same: they may differ in the names of their nodes.
func sameGraph(a, b *tracer.Graph) bool {
	if a.Name != b.Name || len(a.Inputs) != len(b.Inputs) || len(a.Nodes) != len(b.Nodes) || len(a.Outputs) != len(b.Outputs) || len(a.Constants)+len(b.Constants) > 0 {
		return false
	}
	twin := make(map[*tracer.Node]*tracer.Node, len(a.Inputs)+len(a.Nodes))
	twins := func(as, bs []*tracer.Node) bool {
		return slices.EqualFunc(as, bs, func(x, y *tracer.Node) bool { return twin[x] == y })
	}
	for i, in := range a.Inputs {
		if !in.Meta.Equal(b.Inputs[i].Meta) {
			return false
		}
		twin[in] = b.Inputs[i]
	}
	for i, n := range a.Nodes {
		m := b.Nodes[i]
		if n.Op != m.Op || n.Pos != m.Pos || !n.Meta.Equal(m.Meta) || !twins(n.Args, m.Args) || !reflect.DeepEqual(n.Attrs, m.Attrs) || !slices.EqualFunc(n.Graphs, m.Graphs, sameGraph) {
			return false
		}
		twin[n] = m
	}
	return twins(a.Outputs, b.Outputs)
}
