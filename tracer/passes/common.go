package passes

import (
	"fmt"
	"math"
	"strconv"

	"github.com/hoplint/hoplint/tracer"
)

// common lets the first of several nodes stand that compute the same: the same op of the same arguments and attributes,
// with bodies that compute the same. An op that gives something else each time is not one of them. What fails, fails the
// first time.
func common(r *run, g *tracer.Graph, root bool) {
	keys := &structure{ids: map[string]int{}, graphs: map[*tracer.Graph]int{}}
	each := func(r *run, g *tracer.Graph, root bool) {
		s, first, ids := r.sweep(g, root), map[string]*tracer.Node{}, numbered(g)
		s.each(func(n *tracer.Node) bool {
			ids[n] = len(ids)
			if !r.traits(n).Pure {
				return true
			}
			key := keys.node(n, ids)
			known := first[key]
			if known == nil || !known.Meta.Equal(n.Meta) || !s.stand(n, known) {
				if known == nil {
					first[key] = n
				}
				return true
			}
			return false
		})
	}
	r.inBodies(g, each)
	each(r, g, root)
}

// structure numbers the bodies that compute the same alike, innermost first, so that a nest is read once.
type structure struct {
	ids    map[string]int
	graphs map[*tracer.Graph]int
}

// numbered gives the inputs of a graph their numbers.
func numbered(g *tracer.Graph) map[*tracer.Node]int {
	ids := map[*tracer.Node]int{}
	for _, list := range [][]*tracer.Node{g.Inputs, g.Constants} {
		for _, n := range list {
			ids[n] = len(ids)
		}
	}
	return ids
}

// graph is the number of a body: names and positions do not count.
func (k *structure) graph(g *tracer.Graph) int {
	if id, ok := k.graphs[g]; ok {
		return id
	}
	ids := numbered(g)
	var b []byte
	for _, in := range g.Inputs {
		b = append(append(b, in.Meta.String()...), ' ')
	}
	for _, n := range g.Nodes {
		b = append(append(append(b, k.node(n, ids)...), n.Meta.String()...), '\n')
		ids[n] = len(ids)
	}
	for _, guard := range g.Guards {
		b = append(append(b, guard.Cond.String()...), '\n')
	}
	for _, o := range g.Outputs {
		b = append(strconv.AppendInt(b, int64(ids[o]), 10), ' ')
	}
	id, ok := k.ids[string(b)]
	if !ok {
		id = len(k.ids)
		k.ids[string(b)] = id
	}
	k.graphs[g] = id
	return id
}

// node is a text that two nodes have in common when they compute the same.
func (k *structure) node(n *tracer.Node, ids map[*tracer.Node]int) string {
	b := append([]byte(n.Op), '(')
	for _, a := range n.Args {
		b = append(strconv.AppendInt(b, int64(ids[a]), 10), ',')
	}
	for _, a := range n.Attrs {
		b = append(append(b, a.Key...), '=')
		switch v := a.Value.(type) {
		case float64:
			b = strconv.AppendUint(b, math.Float64bits(v), 16)
		case *tracer.Literal:
			b = fmt.Appendf(b, "%v%v%q", v.DType, v.Shape, v.Data)
		default:
			b = fmt.Appendf(b, "%T%v", v, v)
		}
		b = append(b, ',')
	}
	for _, g := range n.Graphs {
		b = append(strconv.AppendInt(append(b, '{'), int64(k.graph(g)), 10), '}')
	}
	if n.Op == tracer.OpSize || n.Op == tracer.OpInt {
		b = append(b, n.Meta.String()...)
	}
	return string(b)
}
