package exec

import (
	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

// hop adds a node of an operator and the get nodes of all its results.
func (g *graph) hop(op string, attrs tracer.Attrs, results []tracer.Meta, bodies []*graph, args ...*tracer.Node) []*tracer.Node {
	n := g.node(op, tracer.Meta{Elems: results}, attrs, args...)
	for _, b := range bodies {
		n.Graphs = append(n.Graphs, b.Graph)
	}
	var gets []*tracer.Node
	for i, m := range results {
		gets = append(gets, g.node(tracer.OpGet, m, tracer.Attrs{{Key: "index", Value: i}}, n))
	}
	return gets
}

func metasOf(nodes []*tracer.Node) []tracer.Meta {
	var list []tracer.Meta
	for _, n := range nodes {
		list = append(list, n.Meta)
	}
	return list
}

func stackedOf(nodes []*tracer.Node, length int) []tracer.Meta {
	var list []tracer.Meta
	for _, n := range nodes {
		shape, _ := n.Meta.ConstShape()
		list = append(list, m(n.Meta.DType, append([]int{length}, shape...)...))
	}
	return list
}

func (g *graph) cond(onTrue, onFalse *graph, args ...*tracer.Node) []*tracer.Node {
	return g.hop("cond", nil, metasOf(onTrue.Outputs), []*graph{onTrue, onFalse}, args...)
}

func (g *graph) switching(branches []*graph, args ...*tracer.Node) []*tracer.Node {
	return g.hop("switch", nil, metasOf(branches[0].Outputs), branches, args...)
}

func (g *graph) while(cond, body *graph, nCarry int, args ...*tracer.Node) []*tracer.Node {
	return g.hop("while_loop", attrs("n_carry", nCarry), metasOf(body.Outputs), []*graph{cond, body}, args...)
}

func (g *graph) forLoop(body *graph, lower, upper int, args ...*tracer.Node) []*tracer.Node {
	return g.hop("for_loop", attrs("n_carry", len(body.Outputs), "lower", lower, "upper", upper), metasOf(body.Outputs), []*graph{body}, args...)
}

func (g *graph) mapped(body *graph, nX, length int, args ...*tracer.Node) []*tracer.Node {
	return g.hop("map", attrs("n_xs", nX, "length", length), stackedOf(body.Outputs, length), []*graph{body}, args...)
}

func (g *graph) associative(combine *graph, length int, args ...*tracer.Node) []*tracer.Node {
	k := len(combine.Outputs)
	return g.hop("associative_scan", attrs("n_xs", k, "length", length), metasOf(args[:k]), []*graph{combine}, args...)
}

func (g *graph) subgraph(op string, body *graph, args ...*tracer.Node) []*tracer.Node {
	return g.hop(op, nil, metasOf(body.Outputs), []*graph{body}, args...)
}

// interpretHOP runs an operator naively; ok is false for other nodes.
func interpretHOP(n *tracer.Node, args []tensor) (results []tensor, ok bool) {
	nc, nx, length := n.Attrs.Int("n_carry"), n.Attrs.Int("n_xs"), n.Attrs.Int("length")
	switch n.Op {
	case "scan", "map", "vmap":
		return interpretScan(n, args), true
	case "associative_scan":
		return interpretFold(n, args, nx, length), true
	case "for_loop":
		carries := args[:nc]
		for i := n.Attrs.Int("lower"); i < n.Attrs.Int("upper"); i++ {
			ins := append([]tensor{ts(i64, nil, float64(i))}, carries...)
			carries = interpret(n.Graphs[0], append(ins, args[nc:]...))
		}
		return carries, true
	case "while_loop":
		carries := args[:nc:nc]
		for {
			ins := append(carries[:nc:nc], args[nc:]...)
			if interpret(n.Graphs[0], ins)[0].data[0] == 0 {
				return carries, true
			}
			carries = interpret(n.Graphs[1], ins)
		}
	case "cond":
		branch := 1
		if args[0].data[0] != 0 {
			branch = 0
		}
		return interpret(n.Graphs[branch], args[1:]), true
	case "switch":
		return interpret(n.Graphs[int(max(0, min(args[0].data[0], float64(len(n.Graphs)-1))))], args[1:]), true
	case "checkpoint", "subgraph", "custom_vjp":
		return interpret(n.Graphs[0], args)[:len(n.Meta.Elems)], true
	}
	return nil, false
}

// interpretFold combines from left to right.
func interpretFold(n *tracer.Node, args []tensor, nx, length int) []tensor {
	results := make([]tensor, nx)
	for k := range results {
		results[k] = newTensor(n.Meta.Elems[k])
	}
	row := func(t tensor, i int) tensor {
		size := kernels.NumElems(t.shape[1:])
		return tensor{t.dt, t.shape[1:], t.data[i*size : (i+1)*size]}
	}
	var left []tensor
	for i := range length {
		var right []tensor
		for _, xs := range args[:nx] {
			right = append(right, row(xs, i))
		}
		if i > 0 {
			right = interpret(n.Graphs[0], append(append(left[:nx:nx], right...), args[nx:]...))
		}
		for k, r := range right {
			copy(row(results[k], i).data, r.data)
		}
		left = right
	}
	return results
}
