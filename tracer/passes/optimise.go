package passes

import (
	"fmt"
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// Result is a graph after all passes.
type Result struct {
	Graph *tracer.Graph
	// Origins say where nodes come from whose name or place differs from those in the graph that was given.
	Origins map[*tracer.Node]Origin
}

// Origin is where a node of a rewritten graph comes from.
type Origin struct {
	// Node is the node that it was copied from.
	Node *tracer.Node
	// Via are the operators whose bodies were put in place around it, outermost first.
	Via []Around
}

// Around is an operator, as it was named, and in which of its bodies and steps a node was.
type Around struct {
	Node       *tracer.Node
	Body, Step int
}

// maxRounds bounds how often the whole table is run: each round must have found something that the one before made
// possible, which nesting alone brings about.
const maxRounds = 64

// Optimise returns what all passes make of a copy of g, again and again until nothing changes. Guards stay; so do the
// inputs, the constants and the number of outputs. g must be well formed.
func Optimise(g *tracer.Graph, ops Ops) (*Result, error) {
	r := newRun(ops)
	c, err := r.optimise(g)
	if err != nil {
		return nil, err
	}
	return &Result{Graph: c, Origins: r.origins}, nil
}

// Inlined returns a copy of g with the bodies of operators that run once in place, and nothing else changed.
func Inlined(g *tracer.Graph, ops Ops) (*Result, error) {
	r := newRun(ops)
	c := r.copyOf(g)
	if err := r.pass(table[0], c); err != nil {
		return nil, err
	}
	return &Result{Graph: c, Origins: r.origins}, nil
}

// optimise runs the table on a copy of g.
func (r *run) optimise(g *tracer.Graph) (*tracer.Graph, error) {
	c := r.copyOf(g)
	for range maxRounds {
		before := r.changes
		for _, p := range table {
			if err := r.pass(p, c); err != nil {
				return nil, err
			}
		}
		if r.changes == before {
			return c, nil
		}
	}
	return nil, fmt.Errorf("passes: graph %s still changes after %d rounds", g.Name, maxRounds)
}

// Run applies the pass to g itself, until it changes nothing more.
func (p Pass) Run(g *tracer.Graph, ops Ops) error { return newRun(ops).pass(p, g) }

// run is one application of passes.
type run struct {
	ops     Ops
	changes int // rewritings so far
	origins map[*tracer.Node]Origin
	known   map[*tracer.Node]Traits
	bodies  map[*tracer.Graph]Traits // at the start of a round: what a pass does only makes more of it true
	// users counts the operators that a body belongs to: one of several is not given other inputs.
	users map[*tracer.Graph]int
	// names are those taken in a graph since the pass began.
	names map[*tracer.Graph]map[string]bool
	// visits counts the nodes that passes looked at.
	visits int
}

func newRun(ops Ops) *run {
	return &run{ops: ops, origins: map[*tracer.Node]Origin{}, known: map[*tracer.Node]Traits{}, bodies: map[*tracer.Graph]Traits{}}
}

// changed counts a rewriting.
func (r *run) changed() { r.changes++ }

// pass applies p until it changes nothing more.
func (r *run) pass(p Pass, g *tracer.Graph) error {
	for range maxRounds {
		before := r.changes
		clear(r.bodies)
		r.users, r.names = map[*tracer.Graph]int{}, map[*tracer.Graph]map[string]bool{}
		r.count(g)
		p.run(r, g, true)
		if r.changes == before {
			return nil
		}
	}
	return fmt.Errorf("passes: %s still changes graph %s after %d rounds", p.Name, g.Name, maxRounds)
}

func (r *run) count(g *tracer.Graph) {
	for _, n := range g.Nodes {
		for _, b := range n.Graphs {
			if r.users[b]++; r.users[b] == 1 {
				r.count(b)
			}
		}
	}
}

// shared reports whether a body of n belongs to another operator too, or to n twice.
func (r *run) shared(n *tracer.Node) bool {
	for _, b := range n.Graphs {
		if r.users[b] > 1 {
			return true
		}
	}
	return false
}

// inBodies applies f to each body below g once, innermost first.
func (r *run) inBodies(g *tracer.Graph, f func(r *run, g *tracer.Graph, root bool)) {
	seen := map[*tracer.Graph]bool{}
	var visit func(g *tracer.Graph)
	visit = func(g *tracer.Graph) {
		for _, n := range g.Nodes {
			for _, b := range n.Graphs {
				if !seen[b] {
					seen[b] = true
					visit(b)
					f(r, b, false)
				}
			}
		}
	}
	visit(g)
}

// copyOf returns a copy whose nodes may be changed; bodies that are shared stay so. Metas, attributes and guards are not
// changed by passes and not copied.
func (r *run) copyOf(g *tracer.Graph) *tracer.Graph {
	return copyGraph(g, map[*tracer.Graph]*tracer.Graph{}, nil)
}

// copyGraph copies g and its bodies. made, if any, is told of each node and its copy.
func copyGraph(g *tracer.Graph, copies map[*tracer.Graph]*tracer.Graph, made func(old, n *tracer.Node)) *tracer.Graph {
	if c := copies[g]; c != nil {
		return c
	}
	c := *g // keeps the shape rules that Verify uses
	copies[g] = &c
	to := make(map[*tracer.Node]*tracer.Node, len(g.Inputs)+len(g.Constants)+len(g.Nodes))
	list := func(from []*tracer.Node) []*tracer.Node {
		nodes := make([]*tracer.Node, len(from))
		for i, old := range from {
			n := *old
			n.Args = make([]*tracer.Node, len(old.Args))
			for k, a := range old.Args {
				n.Args[k] = to[a]
			}
			if len(old.Graphs) > 0 {
				n.Graphs = make([]*tracer.Graph, len(old.Graphs))
				for k, b := range old.Graphs {
					n.Graphs[k] = copyGraph(b, copies, made)
				}
			}
			to[old], nodes[i] = &n, &n
			if made != nil {
				made(old, &n)
			}
		}
		return nodes
	}
	c.Inputs, c.Constants, c.Nodes = list(g.Inputs), list(g.Constants), list(g.Nodes)
	c.Outputs = make([]*tracer.Node, len(g.Outputs))
	for i, o := range g.Outputs {
		c.Outputs[i] = to[o]
	}
	return &c
}

// cameFrom gives a copy of old, put in place of the operators via, its origin.
func (r *run) cameFrom(n, old *tracer.Node, via ...Around) {
	o, ok := r.origins[old]
	if !ok {
		o.Node = old
	}
	o.Via = slices.Concat(via, o.Via)
	r.origins[n] = o
}

// origin is that of n, which may be n itself.
func (r *run) origin(n *tracer.Node) Origin {
	if o, ok := r.origins[n]; ok {
		return o
	}
	return Origin{Node: n}
}
