package hop

import (
	"math/bits"
	"slices"
	"strconv"
	"sync"

	"github.com/hoplint/hoplint/runtime/internal/exec"
	"github.com/hoplint/hoplint/tracer"
)

// operatorPlans are how the operators of one graph run whose sizes depend on data. The graph itself runs op by op, but by
// the time an operator is reached its sizes are known, and it runs by a plan. A loop that depends on data in nothing but
// the number of its steps runs in pieces of 2^k steps, the longest first: whatever numbers of steps come along, there are
// few plans. Other operators have one for each of the last few values of the graph's symbols.
type operatorPlans struct {
	compile func(g *tracer.Graph, lib exec.Library) (*exec.Program, error)
	mu      sync.Mutex
	byNode  map[*tracer.Node]*sizeCache[plan]
}

// operatorRun is one run of the graph. It keeps the plans of operators in bodies that run op by op, step by step.
type operatorRun struct {
	*operatorPlans
	inner map[*tracer.Node]plan // nil for operators whose sizes are open
}

// maxInner bounds an operatorRun: a body may be made anew, with other nodes, in each step of a loop around.
const maxInner = 256

func (p *operatorPlans) newRun() *operatorRun { return &operatorRun{p, map[*tracer.Node]plan{}} }

// constant runs an operator that mentions no symbol; ok is false for others.
func (p *operatorRun) constant(in interpreter, n *tracer.Node, ins []*Tensor) (outs []*Tensor, ok bool) {
	create := func() plan {
		if mentionsSymbols(n) || slices.ContainsFunc(ins, (*Tensor).isInt) {
			return nil
		}
		return p.plan(in, n, n, ins, "constant")
	}
	var run plan
	if in.deep {
		if run, ok = p.inner[n]; !ok {
			if len(p.inner) == maxInner {
				clear(p.inner)
			}
			run = create()
			p.inner[n] = run
		}
	} else {
		run = create()
	}
	if run == nil {
		return nil, false
	}
	return run(ins, nil, nil, in.ownRun()), true
}

func mentionsSymbols(n *tracer.Node) bool {
	return n.Meta.IsSymbolic() || n.Attrs.Symbolic() || slices.ContainsFunc(n.Graphs, (*tracer.Graph).IsSymbolic) ||
		slices.ContainsFunc(n.Args, func(a *tracer.Node) bool { return a.Meta.IsSymbolic() })
}

// ownRun is the long run of an operator that runs by itself: inside of another one it reports nothing.
func (in interpreter) ownRun() *longRun {
	if in.deep {
		return in.long.inner()
	}
	return in.long
}

// run runs n, which is the node made with values in place of symbols, on tensors without gradients and observers. ok is
// false when what is in n's bodies depends on data, so that they can only run op by op themselves.
func (p *operatorPlans) run(in interpreter, made, n *tracer.Node, ins []*Tensor, known symbols) (outs []*Tensor, ok bool) {
	long := in.ownRun()
	if open := loopOfOpenLength(made); !open || n.Attrs.Int("length") == 0 {
		run := p.plan(in, made, n, ins, known.text())
		if run == nil {
			return nil, false
		}
		return run(ins, nil, nil, long), true
	}
	return p.inPieces(in, made, n, ins, long)
}

// loopOfOpenLength reports whether nothing but the number of steps of a loop, and with it of slices of its operands,
// depends on sizes.
func loopOfOpenLength(n *tracer.Node) bool {
	switch n.Op {
	case "scan", "map", "vmap":
		_, constant := n.Attrs.Get("length").(int)
		return !constant && !n.Graphs[0].IsSymbolic()
	}
	return false
}

// inPieces runs a loop of open length.
func (p *operatorPlans) inPieces(in interpreter, made, n *tracer.Node, ins []*Tensor, long *longRun) ([]*Tensor, bool) {
	nCarry, nXs, length := n.Attrs.Int("n_carry"), n.Attrs.Int("n_xs"), n.Attrs.Int("length")
	results := slices.Clone(ins[:nCarry])
	for _, m := range n.Meta.Elems[nCarry:] {
		dims, _ := m.ConstShape()
		if _, fits := numElems(m.DType, dims); !fits {
			misuse(n.Op, "result %s is larger than memory can be; use smaller sizes", describe(m))
		}
		results = append(results, newTensor(m.DType, dims))
	}
	if long != nil {
		defer long.piece(0, 0)
	}
	for from := 0; from < length; {
		k := 1 << (bits.Len(uint(length-from)) - 1)
		args := slices.Concat(results[:nCarry], ins[nCarry:])
		for i, x := range ins[nCarry : nCarry+nXs] {
			args[nCarry+i] = x.Narrow(0, from, k)
		}
		into := make([]*Tensor, len(results))
		for j, y := range results[nCarry:] {
			into[nCarry+j] = y.Narrow(0, from, k)
		}
		run := p.plan(in, made, piece(n, nCarry, k), args, strconv.Itoa(k))
		if run == nil {
			return nil, false
		}
		outs := run(args, nil, into, long.piece(from, length))
		for j, y := range outs[nCarry:] {
			if y != into[nCarry+j] {
				into[nCarry+j].CopyFrom(y)
			}
		}
		copy(results, outs[:nCarry])
		from += k
	}
	return results, true
}

// piece is the loop n with another number of steps.
func piece(n *tracer.Node, nCarry, length int) *tracer.Node {
	m := *n
	m.Attrs = slices.Clone(n.Attrs)
	for i := range m.Attrs {
		if m.Attrs[i].Key == "length" {
			m.Attrs[i].Value = length
		}
	}
	m.Meta.Elems = slices.Clone(n.Meta.Elems)
	for j := nCarry; j < len(m.Meta.Elems); j++ {
		e := &m.Meta.Elems[j]
		e.Shape = slices.Concat([]tracer.Int{tracer.Const(length)}, e.Shape[1:])
	}
	return &m
}

// plan returns the plan of n for arguments like ins, nil when there is none. The nodes of the graph itself stay, and
// keep theirs by key; those of a body that runs op by op are made anew with it, and their plans are found by their text.
func (p *operatorPlans) plan(in interpreter, made, n *tracer.Node, ins []*Tensor, key string) plan {
	create := func() plan {
		g := nodeGraph(n, leafMetas(ins))
		run, ok := lowered(g)
		if !ok {
			return nil
		}
		if in.deep {
			return planOf(run)
		}
		program, err := p.compile(run, kernelLibrary{})
		if err != nil {
			panic(fromExec(g, err))
		}
		return executing(g, run, program)
	}
	if in.deep {
		return create()
	}
	p.mu.Lock()
	if p.byNode == nil {
		p.byNode = map[*tracer.Node]*sizeCache[plan]{}
	}
	kept := p.byNode[made]
	if kept == nil {
		kept = &sizeCache[plan]{}
		p.byNode[made] = kept
	}
	p.mu.Unlock()
	return kept.get(key, create)
}
