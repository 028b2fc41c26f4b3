package hop

import (
	"fmt"
	"go/token"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/tracer"
)

// interpreter runs a graph op by op through the dispatcher, on real tensors. It is how a traced HOP runs when a level
// above Trace is asked for: with an operand that requires grad every op of every step takes its place on the tape, and
// under an observer each is seen with the line that recorded it.
type interpreter struct {
	tag  *tag   // of every op
	path string // of the operators around the graph
	long *longRun
	deep bool // inside an operator
	// The operator around the graph, its step (from 1; 0 for none) and its part of the path; for errors.
	hop     string
	step    int
	segment string
	// known says that who called the graph's one operator tells observers of it.
	known bool
	// plans run operators whose sizes are known, of a graph without gradients and observers; else it is nil.
	plans *operatorRun
}

// site is where an op of an interpreted graph comes from.
type site struct {
	pos  token.Position
	path string
}

func (in interpreter) run(g *tracer.Graph, args []*Tensor, constants []*Tensor) []*Tensor {
	env := make(map[*tracer.Node][]*Tensor, len(g.Inputs)+len(g.Constants)+len(g.Nodes))
	s := symbolRun{interpreter: in, args: args, symbols: bindInputs(g, args), pending: g.Guards}
	for i, n := range g.Inputs {
		env[n] = []*Tensor{args[i]}
	}
	for i, n := range g.Constants {
		env[n] = []*Tensor{constants[i]}
	}
	var at *tracer.Node
	returned := false
	defer func() {
		if returned {
			return
		}
		switch p := recover().(type) {
		case nil: // the goroutine ends
		case *Error:
			in.locate(p, at)
			panic(p)
		default:
			panic(p)
		}
	}()
	for _, n := range g.Nodes {
		at = n
		ins := make([]*Tensor, len(n.Args))
		for i, a := range n.Args {
			ins[i] = env[a][0]
		}
		made := n      // with its symbols
		byOps := false // a derivative of its own does not know how n's sizes come about
		if in.plans != nil && len(n.Graphs) > 0 {
			if outs, ok := in.plans.constant(in, n, ins); ok {
				env[made] = outs
				continue
			}
		}
		if s.concerns(n) {
			if n, ins, byOps = s.node(n, ins); n == nil {
				env[made] = []*Tensor{s.integer(made, ins)}
				continue
			}
		}
		switch {
		case in.recorded(n, ins):
			env[made] = s.learn(made, runNode(n, ins))
			continue
		case !byOps && in.ownGradient(n, ins):
			env[made] = s.learn(made, derivativeOf(n, ins).onTape(n.Pos, ins, in.ownRun()))
			continue
		}
		if in.plans != nil && len(n.Graphs) > 0 && !byOps {
			if outs, ok := in.plans.run(in, made, n, ins, s.symbols); ok {
				env[made] = s.learn(made, outs)
				continue
			}
		}
		switch n.Op {
		case tracer.OpGet:
			env[made] = []*Tensor{env[made.Args[0]][n.Attrs.Int("index")]}
		case tracer.OpLiteral:
			env[made] = []*Tensor{fromLiteral(n.Attrs.Get("value").(*tracer.Literal))}
		case tracer.OpPut:
			env[made] = []*Tensor{in.put(n, ins[0], ins[1])}
		case "scan":
			env[made] = in.scan(n, ins)
		case "cond", "switch":
			env[made] = in.branch(n, ins)
		case "while_loop":
			env[made] = in.whileLoop(n, ins)
		case "while_sweeps":
			env[made] = in.whileSweeps(n, ins)
		case "for_loop":
			env[made] = in.forLoop(n, ins)
		case "map", "vmap":
			env[made] = in.mapped(n, ins)
		case "associative_scan":
			env[made] = in.associativeScan(n, ins)
		case "subgraph":
			env[made] = fresh(in.inside(n, 0, once).run(n.Graphs[0], ins, nil), ins)
		case "checkpoint":
			env[made] = in.checkpoint(n, ins)
		case "custom_vjp":
			env[made] = in.customVJP(n, ins)
		default:
			env[made] = in.op(n, ins)
		}
		env[made] = s.learn(made, env[made])
		if len(n.Graphs) > 0 {
			in.announce(n, ins, env[made])
		}
	}
	s.handOn()
	outs := make([]*Tensor, len(g.Outputs))
	for i, n := range g.Outputs {
		outs[i] = env[n][0]
	}
	returned = true
	return outs
}

// locate says where an error of node n came up: the line that recorded the node, unless a graph below has said so, and
// the path through this graph's operator.
func (in interpreter) locate(e *Error, n *tracer.Node) {
	if e.Operators == "" {
		e.Position = n.Pos
		if e.HOP == "" {
			e.HOP = in.hop
		}
		if e.Step < 0 {
			e.Step = in.step - 1
		}
	}
	for _, e := range append([]*Error{e}, e.More...) {
		switch {
		case e.Operators == "":
			e.Operators = in.segment
		case in.segment != "":
			e.Operators = in.segment + " / " + e.Operators
		}
	}
}

// recorded reports whether a node is an operator on traced operands and no gradient is asked for: it becomes a node of
// their trace as it is.
func (in interpreter) recorded(n *tracer.Node, ins []*Tensor) bool {
	return len(n.Graphs) > 0 && isTraced(ins) && !anyRequiresGrad(ins) && !in.tag.observed()
}

// ownGradient reports whether a node is run by its derivative and not op by op: an operator with an operand that requires
// grad, unless observers want to see its ops.
func (in interpreter) ownGradient(n *tracer.Node, ins []*Tensor) bool {
	return len(n.Graphs) > 0 && anyRequiresGrad(ins) && (!in.tag.observed() || isTraced(ins)) && hasDerivative(n)
}

// op runs one node of the op table.
func (in interpreter) op(n *tracer.Node, ins []*Tensor) []*Tensor {
	op := opNamed(n.Op)
	if op == nil {
		panic(&Error{Step: -1, Position: n.Pos, Detail: fmt.Sprintf("%s has no rule for the levels above trace (observe, autograd)", n.Op)})
	}
	c := prepare(op, op.userName(), n.Attrs, ins)
	c.tag, c.site = in.tag, &site{n.Pos, in.path}
	return c.functional()
}

// announce tells the observers of an operator that ran, behind the ops of its bodies.
func (in interpreter) announce(n *tracer.Node, ins, outs []*Tensor) {
	if !in.tag.observed() || in.known && !in.deep {
		return
	}
	tr := traceOf(outs)
	in.tag.notify(bornOf(tr), func() OpCall {
		return OpCall{Name: n.Op, Position: n.Pos, Path: in.path, Levels: levels(anyRequiresGrad(outs), true, tr == nil), In: infosOf(ins), Out: infosOf(outs)}
	})
}

// inside is the interpreter for a run of a body of n.
func (in interpreter) inside(n *tracer.Node, body, step int) interpreter {
	in.long.check()
	in.deep = true
	if in.path != "" {
		in.path += " / "
	}
	in.hop = calledAs(n.Op)
	if in.hop != n.Op {
		body = min(body, 1)
	}
	in.segment = hopcheck.Segment(in.hop, body, step)
	if step != once { // the step of the innermost loop
		in.step = step + 1
	}
	in.path += in.segment
	return in
}

// again is the interpreter for a later run of the same body, which nobody watches.
func (in interpreter) again() interpreter {
	in.tag, in.long = nil, nil
	return in
}

// done reports a step of the outermost loop.
func (in interpreter) done(step, total int) {
	if !in.deep {
		in.long.done(step, total)
	}
}

// scan runs the steps of a scan node. Its results are carries, then stacked ys.
func (in interpreter) scan(n *tracer.Node, ins []*Tensor) []*Tensor {
	nCarry, nXs, length := n.Attrs.Int("n_carry"), n.Attrs.Int("n_xs"), n.Attrs.Int("length")
	carry, xs, lifted := ins[:nCarry], ins[nCarry:nCarry+nXs], ins[nCarry+nXs:]
	if length == 0 {
		return emptyScan(n, carry, traceOf(ins))
	}
	steps := make([][]*Tensor, len(n.Meta.Elems)-nCarry)
	for i := range length {
		args := append([]*Tensor(nil), carry...)
		for _, x := range xs {
			args = append(args, tagged(x, nil).Select(0, i))
		}
		outs := in.inside(n, 0, i).run(n.Graphs[0], append(args, lifted...), nil)
		carry = forwarded(n.Graphs[0], carry, outs[:nCarry])
		in.done(i+1, length)
		for j, y := range outs[nCarry:] {
			steps[j] = append(steps[j], tagged(y, nil))
		}
	}
	results := fresh(carry[:nCarry:nCarry], ins)
	for _, ys := range steps {
		results = append(results, Stack(0, ys...))
	}
	return results
}

// forwarded returns the next carry, in which a leaf that the body only copied is the present one: read-only weights in
// the carry are kept once, not once for each step.
func forwarded(g *tracer.Graph, carry, next []*Tensor) []*Tensor {
	for i, n := range g.Outputs[:len(carry)] {
		if n.Op == "clone" && n.Args[0] == g.Inputs[i] {
			next[i] = carry[i]
		}
	}
	return next
}

// emptyScan is a scan without steps: copies of the carry and ys of length 0.
func emptyScan(n *tracer.Node, carry []*Tensor, tr *tracer.SubgraphTracer) []*Tensor {
	var results []*Tensor
	for _, c := range carry {
		if !c.isInt() {
			c = tagged(c, nil).Clone()
		}
		results = append(results, c)
	}
	for _, m := range n.Meta.Elems[len(carry):] {
		if dims, constant := m.ConstShape(); constant {
			results = append(results, Zeros(m.DType, dims...))
		} else {
			results = append(results, zerosOf(tr, m).Clone())
		}
	}
	return results
}

// put returns a copy of base in which the window of the recorded view op holds value.
func (in interpreter) put(n *tracer.Node, base, value *Tensor) *Tensor {
	return putWindow(opNamed(n.Attrs.Str("view")), n.Attrs[1:], base, value, &site{n.Pos, in.path})
}

// putWindow returns a copy of base in which the window that view, an op with attrs, has on it holds value.
func putWindow(view *opRow, attrs tracer.Attrs, base, value *Tensor, at *site) *Tensor {
	args := []*Tensor{base, value}
	var out *Tensor
	if tr := traceOf(args); tr != nil {
		all := append(tracer.Attrs{{Key: "view", Value: view.Name}}, attrs...)
		v, err := tr.Emit1(tracer.OpPut, []*tracer.Value{valueIn(tr, base), valueIn(tr, value)}, all, base.meta(), at.pos)
		if err != nil {
			panic(fromTracer(err))
		}
		out = ofValue(v)
	} else {
		whole := tagged(base, nil).at(detached).Clone()
		prepare(view, view.userName(), attrs, []*Tensor{whole}).functional()[0].CopyFrom(tagged(value, nil).at(detached))
		out = whole.at(nil)
	}
	if anyRequiresGrad(args) {
		c := &call{op: putOp(view), attrs: attrs, args: args, site: at}
		c.recordTape([]*Tensor{out})
	}
	return out
}

// fromLiteral returns a tensor with the bytes of l.
func fromLiteral(l *tracer.Literal) *Tensor {
	t := newTensor(l.DType, l.Shape)
	copy(t.storage.bytes(), l.Data)
	return t
}
