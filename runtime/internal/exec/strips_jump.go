package exec

import (
	"unsafe"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

// scalarOp reports whether n is an elementwise op on scalars that cannot fail.
func scalarOp(n *tracer.Node, lib Library) bool {
	for _, a := range n.Args {
		if len(a.Meta.Shape) > 0 {
			return false
		}
	}
	return len(n.Meta.Shape) == 0 && infallible(n, lib)
}

// isJump reports whether n is a cond on scalars whose branches are ops on scalars that cannot fail.
func (p *stripPlan) isJump(n *tracer.Node) bool {
	if n.Op != "cond" {
		return false
	}
	for _, a := range n.Args {
		if len(a.Meta.Shape) > 0 {
			return false
		}
	}
	for _, g := range n.Graphs {
		for _, inner := range g.Nodes {
			if !scalarOp(inner, p.lib) && (inner.Op != tracer.OpLiteral || len(inner.Meta.Shape) > 0) {
				return false
			}
		}
		for _, out := range g.Outputs {
			if len(out.Meta.Shape) > 0 {
				return false
			}
		}
	}
	return true
}

// jump binds a cond to a function that runs the steps of one branch, and copies of its results.
func (p *stripPlan) jump(n *tracer.Node, steady map[*tracer.Node]stream) ([]func(i int), error) {
	var copies []func(i int)
	results := make([]*stream, len(n.Meta.Elems))
	for _, get := range p.gets[n] {
		k := get.Attrs.Int("index")
		record, placed := p.streams[get]
		switch {
		case results[k] == nil:
			record = p.recordOf(get)
			results[k] = &record
		case placed: // two get nodes of one result, each the next value of a carry
			copies = append(copies, copyStep(get.Meta.DType, record, *results[k]))
		default:
			p.streams[get] = *results[k]
		}
	}
	var branches [2][]func(i int)
	for i, g := range n.Graphs {
		var err error
		if branches[i], err = p.branchSteps(n, g, results, steady); err != nil {
			return nil, inside(n, i, -1, err)
		}
	}
	pred := p.steady(steady, n.Args[0])
	base, stride := *pred.base, pred.stride
	onTrue, onFalse := branches[0], branches[1]
	if len(onTrue) == 1 && len(onFalse) == 1 {
		onTrue, onFalse := onTrue[0], onFalse[0]
		return append([]func(i int){func(i int) {
			if *(*uint8)(unsafe.Add(base, i*stride)) != 0 {
				onTrue(i)
			} else {
				onFalse(i)
			}
		}}, copies...), nil
	}
	return append([]func(i int){func(i int) {
		steps := onFalse
		if *(*uint8)(unsafe.Add(base, i*stride)) != 0 {
			steps = onTrue
		}
		for _, step := range steps {
			step(i)
		}
	}}, copies...), nil
}

// branchSteps binds a branch of n. Ops on what does not change in the loop are computed before it: they cannot fail.
func (p *stripPlan) branchSteps(n *tracer.Node, g *tracer.Graph, results []*stream, steady map[*tracer.Node]stream) ([]func(i int), error) {
	b := &stripPlan{frame: p.child(p.scope), graph: g, depth: p.depth, out: p.out, streams: map[*tracer.Node]stream{}}
	for k, in := range g.Inputs {
		arg := n.Args[k+1]
		b.env[in], b.streams[in] = p.slot(arg), p.steady(steady, arg)
	}
	b.survey(g)
	for k, out := range g.Outputs {
		if _, placed := b.streams[out]; results[k] != nil && !placed && b.levels[out] >= b.depth {
			b.streams[out] = *results[k]
		}
	}
	var steps []func(i int)
	for _, inner := range g.Nodes {
		switch {
		case b.absorbed[inner] != nil:
		case b.levels[inner] < b.depth:
			v, err := b.node(inner)
			if err != nil {
				return nil, err
			}
			b.env[inner] = v
		default:
			if _, placed := b.streams[inner]; !placed {
				b.streams[inner] = still(b.heap.alloc(inner.Meta.DType.Size()), 0)
			}
			step, err := b.step(inner, nil)
			if err != nil {
				return nil, err
			}
			steps = append(steps, step...)
		}
	}
	for k, out := range g.Outputs {
		if results[k] == nil {
			continue
		}
		if from := b.stream(out); *from.base != *results[k].base {
			steps = append(steps, copyStep(out.Meta.DType, *results[k], from))
		}
	}
	return steps, nil
}

// copyStep returns a function that copies step i of a stream.
func copyStep(dt tracer.DType, to, from stream) func(i int) {
	code, _ := kernels.CastCode(dt, dt)
	return code.StepAt(*to.base, *from.base, nil, nil, to.stride, from.stride, 0, 0)
}
