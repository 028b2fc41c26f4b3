package tracer

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/encoding"
	"gonum.org/v1/gonum/graph/encoding/dot"
	"gonum.org/v1/gonum/graph/iterator"
)

// WriteDOT writes the graph in the language of Graphviz: a box for each node, with its type and attributes, the user's
// line as its tooltip, and a cluster for each body. Solid arrows are uses. Dashed arrows lead from an argument into a
// body, from a body's output to the result, and, drawn against the order, to the next step.
//
//	dot -Tsvg graph.dot > graph.svg
func (g *Graph) WriteDOT(w io.Writer) error {
	d := dotDrawing{}
	text, err := dot.Marshal(d.graph(g, g.Name, true), dotQuote(g.Name), "", "  ")
	if err != nil {
		return fmt.Errorf("graph %s as DOT: %w", g.Name, err)
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// dotDrawing numbers nodes and clusters. A body that several nodes share is drawn for each of them.
type dotDrawing struct {
	nodes    int64
	clusters int
}

// dotGraph is a graph, or a cluster in one, as gonum prints it.
type dotGraph struct {
	id    string
	label string
	ins   map[int64]*dotNode
	list  []graph.Node
	from  map[int64][]graph.Node
	edges map[[2]int64]*dotEdge
	subs  []dot.Graph
	// made are the boxes of the graph's own nodes.
	made    map[*Node]*dotNode
	inputs  []*dotNode
	outputs []*dotNode
}

type dotNode struct {
	id    int64
	attrs []encoding.Attribute // none where the node was drawn in a cluster and is only mentioned
}

type dotEdge struct {
	from, to *dotNode
	attrs    []encoding.Attribute
}

// graph draws g and its bodies.
func (d *dotDrawing) graph(g *Graph, label string, root bool) *dotGraph {
	c := &dotGraph{label: label, ins: map[int64]*dotNode{}, from: map[int64][]graph.Node{}, edges: map[[2]int64]*dotEdge{}, made: map[*Node]*dotNode{}}
	if !root {
		c.id = fmt.Sprintf("cluster_%d", d.clusters)
		d.clusters++
	}
	for _, n := range g.Inputs {
		c.inputs = append(c.inputs, d.node(c, n, "ellipse"))
	}
	for _, n := range g.Constants {
		d.node(c, n, "hexagon")
	}
	for _, n := range g.Nodes {
		box := d.node(c, n, "box")
		var bodies []*dotGraph
		for i, body := range n.Graphs {
			inner := d.graph(body, fmt.Sprintf("%s.%s", n.Name, bodyName(body, i)), false)
			bodies = append(bodies, inner)
			c.subs = append(c.subs, inner)
		}
		for _, a := range n.Args {
			c.edge(c.made[a], box)
		}
		d.flow(c, g, n, bodies)
	}
	for _, n := range g.Outputs {
		out := c.made[n]
		c.outputs = append(c.outputs, out)
		if out != nil && !slices.Contains(c.outputs[:len(c.outputs)-1], out) {
			out.attrs = append(out.attrs, encoding.Attribute{Key: "peripheries", Value: "2"})
		}
	}
	return c
}

// bodyName is what a body is called: by its own name, or by its number.
func bodyName(g *Graph, i int) string {
	if g.Name == "" {
		return fmt.Sprintf("body %d", i)
	}
	return g.Name
}

// flow draws the ways between n and its bodies. All of them lie in the graph around: an arrow in a cluster would draw
// its ends into it.
func (d *dotDrawing) flow(c *dotGraph, g *Graph, n *Node, bodies []*dotGraph) {
	f := flowOf(n)
	for _, h := range f.into {
		c.edge(c.made[n.Args[h.From]], bodies[h.Body].inputs[h.To], encoding.Attribute{Key: "style", Value: "dashed"})
	}
	for _, h := range f.out {
		out := bodies[h.Body].outputs[h.From]
		for _, result := range resultsOf(g, n, h.To) {
			if c.made[result] == nil {
				d.node(c, result, "box")
			}
			c.edge(c.mention(out), c.made[result], encoding.Attribute{Key: "style", Value: "dashed"})
		}
	}
	for _, h := range f.back {
		c.edge(c.mention(bodies[h.Body].outputs[h.From]), bodies[h.Again].inputs[h.To],
			encoding.Attribute{Key: "style", Value: "dashed"}, encoding.Attribute{Key: "constraint", Value: "false"})
	}
}

// resultsOf returns the nodes of g that take result i of n.
func resultsOf(g *Graph, n *Node, i int) []*Node {
	var list []*Node
	for _, get := range g.Nodes {
		if get.Op == OpGet && len(get.Args) == 1 && get.Args[0] == n && get.Attrs.Int("index") == i {
			list = append(list, get)
		}
	}
	return list
}

func (d *dotDrawing) node(c *dotGraph, n *Node, shape string) *dotNode {
	if made := c.made[n]; made != nil { // drawn when its operator was
		return made
	}
	label := n.Name + ": " + n.Meta.String()
	if shape == "box" {
		label += "\n" + operation(n)
	}
	b := &dotNode{id: d.nodes, attrs: []encoding.Attribute{{Key: "label", Value: dotQuote(label)}, {Key: "shape", Value: shape}}}
	if n.Pos.IsValid() {
		b.attrs = append(b.attrs, encoding.Attribute{Key: "tooltip", Value: dotQuote(n.Pos.String())})
	}
	d.nodes++
	c.made[n] = b
	c.add(b)
	return b
}

// operation is the op of n with its attributes, shortened where a literal is large.
func operation(n *Node) string {
	words := make([]string, len(n.Attrs))
	for i, a := range n.Attrs {
		var p printer
		p.value(a.Value)
		words[i] = a.Key + "=" + shorten(string(p.b))
	}
	if len(words) == 0 {
		return n.Op
	}
	return n.Op + " " + strings.Join(words, ", ")
}

// dotQuote quotes text as Graphviz reads it: only quotes and backslashes are escaped, a line end is \n.
func dotQuote(text string) string {
	text = strings.ToValidUTF8(text, "?")
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\x00", `\\0`).Replace(text) + `"`
}

func (c *dotGraph) add(b *dotNode) {
	c.ins[b.id] = b
	c.list = append(c.list, b)
}

// mention returns b for an arrow that starts in a cluster of c.
func (c *dotGraph) mention(b *dotNode) *dotNode {
	if b == nil || c.ins[b.id] != nil {
		return b
	}
	only := &dotNode{id: b.id}
	c.add(only)
	return only
}

func (c *dotGraph) edge(from, to *dotNode, attrs ...encoding.Attribute) {
	if from == nil || to == nil {
		return // of a graph that was not verified
	}
	key := [2]int64{from.id, to.id}
	if c.edges[key] != nil {
		return
	}
	c.edges[key] = &dotEdge{from, to, attrs}
	c.from[from.id] = append(c.from[from.id], to)
}

// What gonum asks a graph for.

func (c *dotGraph) DOTID() string { return c.id }

func (c *dotGraph) Structure() []dot.Graph { return c.subs }

func (c *dotGraph) DOTAttributers() (graph, node, edge encoding.Attributer) {
	return dotAttributes{{Key: "label", Value: dotQuote(c.label)}}, dotAttributes(nil), dotAttributes(nil)
}

func (c *dotGraph) Node(id int64) graph.Node {
	if n := c.ins[id]; n != nil {
		return n
	}
	return nil
}

func (c *dotGraph) Nodes() graph.Nodes { return nodesOf(c.list) }

func (c *dotGraph) From(id int64) graph.Nodes { return nodesOf(c.from[id]) }

func (c *dotGraph) To(id int64) graph.Nodes {
	var list []graph.Node
	for _, n := range c.list {
		if c.edges[[2]int64{n.ID(), id}] != nil {
			list = append(list, n)
		}
	}
	return nodesOf(list)
}

func nodesOf(list []graph.Node) graph.Nodes {
	if len(list) == 0 {
		return graph.Empty
	}
	return iterator.NewOrderedNodes(list)
}

func (c *dotGraph) HasEdgeBetween(u, v int64) bool {
	return c.HasEdgeFromTo(u, v) || c.HasEdgeFromTo(v, u)
}

func (c *dotGraph) HasEdgeFromTo(u, v int64) bool { return c.edges[[2]int64{u, v}] != nil }

func (c *dotGraph) Edge(u, v int64) graph.Edge {
	if e := c.edges[[2]int64{u, v}]; e != nil {
		return e
	}
	return nil
}

type dotAttributes []encoding.Attribute

func (a dotAttributes) Attributes() []encoding.Attribute { return a }

func (n *dotNode) ID() int64                        { return n.id }
func (n *dotNode) DOTID() string                    { return fmt.Sprintf("n%d", n.id) }
func (n *dotNode) Attributes() []encoding.Attribute { return n.attrs }

func (e *dotEdge) From() graph.Node                 { return e.from }
func (e *dotEdge) To() graph.Node                   { return e.to }
func (e *dotEdge) ReversedEdge() graph.Edge         { return &dotEdge{e.to, e.from, e.attrs} }
func (e *dotEdge) Attributes() []encoding.Attribute { return e.attrs }
