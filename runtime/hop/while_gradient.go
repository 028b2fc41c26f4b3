package hop

import (
	"fmt"
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// The adjoint of a while loop is a while_sweeps node: the loop once more, now keeping what the derivative of its body
// reads, and a way back over its steps. How many there are is known only when it runs; the executor keeps them in
// buffers that grow. So nothing is held between the loop and its gradient, and the graph is the same for any number of
// steps. The adjoint of a while_sweeps node is one with twice as many ways: the ways of the node, then, from the last to
// the first, each way in the opposite direction.

// whileLoop is the derivative of a while loop and of the ways over one.
func (d *derivative) whileLoop() {
	d.forward.graph = sizedNodeGraph(d.symbols, d.node, metasOf(d.node.Args))
	d.captured = len(d.node.Meta.Elems)
	d.build = func(operands, _, cotangents, sums []*Tensor) []*Tensor {
		return d.sweeps().adjoint(operands, cotangents, sums[d.captured:])
	}
}

// sweeps is a while loop with the further ways over its steps.
type sweeps struct {
	node    *tracer.Node
	symbols []tracer.Symbol
	cond    *tracer.Graph
	ways    []*sweep
	want    []bool // of lifted operands
}

// sweep is one way: a body from carry…, ys of the ways before…, lifted… to next carry…, y….
type sweep struct {
	body  *tracer.Graph
	carry int
	first int    // of its carries among all
	given int    // ys of the ways before
	want  []bool // of the inputs
	reads []bool // inputs whose values the derivative of the body reads
	kept  []int  // carries of which each step's is kept
}

func (d *derivative) sweeps() *sweeps {
	n, want := d.node, d.want
	counts := n.Attrs.Ints("carries")
	if n.Op == "while_loop" {
		counts = []int{n.Attrs.Int("n_carry")}
	}
	all := 0
	for _, k := range counts {
		all += k
	}
	s := &sweeps{node: n, symbols: d.symbols, cond: n.Graphs[0], want: want[all:]}
	var wantGiven []bool
	first := 0
	for i, k := range counts {
		w := &sweep{body: n.Graphs[1+i], carry: k, first: first, given: len(wantGiven)}
		w.want = wantedCarries(w.body, slices.Concat(want[first:first+k], wantGiven, s.want), k)
		w.reads = derivativeReads(d.symbols, w.body, w.want)
		for j := range k {
			if w.reads[j] && !isForwarded(w.body, j) {
				w.kept = append(w.kept, j)
			}
		}
		active := activeNodes(w.body, w.want)
		for _, y := range w.body.Outputs[k:] {
			wantGiven = append(wantGiven, active[y])
		}
		first += k
		s.ways = append(s.ways, w)
	}
	return s
}

// tangled is the adjoint while it is built: its ways, each with the ys that it gives, by what they are.
type tangled struct {
	*sweeps
	operands []*Tensor
	inits    []*Tensor // of the ways back
	lifted   []*Tensor // captured operands and, behind them, sizes and carries that are handed on
	handedOn map[int]int
	counts   []int
	bodies   []*tracer.Graph
	given    []tracer.Meta // ys of all ways so far
	ys       [][]int       // of each way of the node: the places of its ys, then of its kept carries, in given
	grads    map[int][]int // of each y of a way of the node: the places of its gradients in given
}

// adjoint runs the ways forth and back. Cotangents are those of the last carries of all ways, sums what the gradients of
// captured operands are added to.
func (s *sweeps) adjoint(operands, cotangents, sums []*Tensor) []*Tensor {
	carries := len(cotangents)
	a := &tangled{sweeps: s, operands: operands, lifted: operands[carries:len(operands):len(operands)], handedOn: map[int]int{}, grads: map[int][]int{}}
	a.lifted = append(a.lifted, sizesOf(traceOf(operands), s.symbols)...)
	for _, w := range s.ways {
		for j := range w.carry {
			if isForwarded(w.body, j) && w.reads[j] {
				a.handedOn[w.first+j] = len(a.lifted)
				a.lifted = append(a.lifted, operands[w.first+j])
			}
		}
	}
	cond := a.relaid(copyGraph(s.cond), s.ways[0].carry, nil)
	for _, w := range s.ways {
		a.again(w)
	}
	wanted := slices.IndexFunc(s.ways, func(w *sweep) bool { return slices.Contains(w.want, true) })
	for _, w := range slices.Backward(s.ways[max(wanted, 0):]) { // one that is left out before another would turn that round
		a.back(w, cotangents, sums)
		sums = make([]*Tensor, len(sums))
	}
	m := &tracer.Node{Name: "while_sweeps", Op: "while_sweeps", Pos: s.node.Pos, Graphs: append([]*tracer.Graph{cond}, a.bodies...),
		Meta: tracer.Meta{Elems: leafMetas(slices.Concat(operands[:carries], a.inits))}, Attrs: tracer.Attrs{{Key: "carries", Value: a.counts}}}
	if max := s.node.Attrs.Get("max_steps"); max != nil {
		m.Attrs = append(m.Attrs, tracer.Attr{Key: "max_steps", Value: max})
	}
	found := runNode(m, slices.Concat(operands[:carries], a.inits, a.lifted))[carries:]
	grads := make([]*Tensor, len(operands))
	for _, w := range slices.Backward(s.ways) { // each gives the gradients of its carries and those of captured operands
		for j := range w.carry {
			if w.want[j] {
				grads[w.first+j], found = found[0], found[1:]
			}
		}
		for j, want := range s.want {
			switch i := carries + j; {
			case !want:
			case grads[i] == nil:
				grads[i], found = found[0], found[1:]
			default:
				grads[i], found = grads[i].Add(found[0]), found[1:]
			}
		}
	}
	return grads
}

// relaid gives g inputs for all ys so far and for all lifted operands. ys are those of its inputs behind the carries,
// by their places.
func (a *tangled) relaid(g *tracer.Graph, carry int, ys []int) *tracer.Graph {
	names := map[string]bool{}
	for _, n := range slices.Concat(g.Inputs, g.Nodes) {
		names[n.Name] = true
	}
	unused := func(name string, m tracer.Meta) *tracer.Node {
		for names[name] {
			name += "_"
		}
		names[name] = true
		return &tracer.Node{Name: name, Op: tracer.OpInput, Meta: m}
	}
	inputs := slices.Clone(g.Inputs[:carry])
	for i, m := range a.given {
		if k := slices.Index(ys, i); k >= 0 {
			inputs = append(inputs, g.Inputs[carry+k])
		} else {
			inputs = append(inputs, unused(fmt.Sprintf("y%d", i), m))
		}
	}
	inputs = append(inputs, g.Inputs[carry+len(ys):]...)
	for i, t := range a.lifted[len(g.Inputs)-carry-len(ys):] {
		inputs = append(inputs, unused(fmt.Sprintf("c%d", i), t.meta()))
	}
	g.Inputs = inputs
	return g
}

// again adds a way of the node, which now keeps carries as ys.
func (a *tangled) again(w *sweep) {
	body := copyGraph(w.body)
	for _, j := range w.kept {
		body.Outputs = append(body.Outputs, body.Inputs[j])
	}
	a.add(a.relaid(body, w.carry, a.given0()), w.carry)
}

// given0 are the places of the ys that the ways of the node so far give themselves.
func (a *tangled) given0() []int {
	var list []int
	for i, places := range a.ys {
		list = append(list, places[:len(a.ways[i].body.Outputs)-a.ways[i].carry]...)
	}
	return list
}

// add adds a way, whose ys are the outputs behind the carries.
func (a *tangled) add(body *tracer.Graph, carry int) {
	var places []int
	for _, y := range body.Outputs[carry:] {
		places = append(places, len(a.given))
		a.given = append(a.given, y.Meta)
	}
	a.counts, a.bodies, a.ys = append(a.counts, carry), append(a.bodies, body), append(a.ys, places)
}

// back adds the way back over w. It carries the gradients of w's carries and the sums of those of captured operands; its
// ys are the gradients of the ys that w reads.
func (a *tangled) back(w *sweep, cotangents, before []*Tensor) {
	index := slices.Index(a.ways, w)
	wantGiven, wantLifted := w.want[w.carry:w.carry+w.given], w.want[w.carry+w.given:]
	carries := len(cotangents)
	ins := gradients{Carry: orAllZeros(cotangents[w.first:], a.operands[w.first:w.first+w.carry], w.want),
		Lifted: orAllZeros(before, a.operands[carries:], wantLifted)}
	inits := slices.Concat(given(ins.Carry), given(ins.Lifted))
	metas := slices.Concat(leafMetas(inits), a.given, leafMetas(a.lifted))
	// The ys that w reads are those of the ways before it.
	var readYs []int
	for i, places := range a.ys[:index] {
		readYs = append(readYs, places[:len(a.ways[i].body.Outputs)-a.ways[i].carry]...)
	}
	own := a.ys[index]
	nOwn := len(w.body.Outputs) - w.carry
	var dGiven []int // ys whose gradients this way gives
	body := graphOf(a.symbols, metas, a.node.Pos, func(args []*Tensor) []*Tensor {
		if !slices.Contains(w.want, true) { // a way of nothing, in its direction
			return nil
		}
		running, ys, lifted := args[:len(inits)], args[len(inits):len(inits)+len(a.given)], args[len(inits)+len(a.given):]
		take := func(of []*Tensor) []*Tensor {
			list := make([]*Tensor, len(of))
			for i, t := range of {
				if t != nil {
					list[i], running = running[0], running[1:]
				}
			}
			return list
		}
		dCarry, sums := take(ins.Carry), take(ins.Lifted)
		at := make([]*Tensor, 0, len(w.body.Inputs))
		for j := range w.carry {
			switch h, handedOn := a.handedOn[w.first+j], slices.Index(w.kept, j); {
			case handedOn >= 0:
				at = append(at, ys[own[nOwn+handedOn]])
			case isForwarded(w.body, j) && w.reads[j]:
				at = append(at, lifted[h])
			default:
				at = append(at, zerosOf(traceOf(args), w.body.Inputs[j].Meta))
			}
		}
		for _, i := range readYs {
			at = append(at, ys[i])
		}
		at = append(at, lifted[:len(wantLifted)]...)
		cts := dCarry
		for _, y := range own[:nOwn] {
			var sum *Tensor
			for _, i := range a.grads[y] {
				if sum == nil {
					sum = ys[i]
				} else {
					sum = sum.Add(ys[i])
				}
			}
			cts = append(cts, sum)
		}
		grads := pullback(w.body, at, cts, w.want, slices.Concat(make([]*Tensor, w.carry+w.given), sums))
		outs := append(given(orAllZeros(grads[:w.carry], at[:w.carry], w.want)), given(grads[w.carry+w.given:])...)
		for k, g := range grads[w.carry : w.carry+w.given] {
			if g != nil && wantGiven[k] {
				dGiven = append(dGiven, readYs[k])
				outs = append(outs, g)
			}
		}
		return outs
	})
	takeSizes(body, len(a.symbols), len(inits)+len(a.given)+len(wantLifted))
	first := len(a.given)
	a.inits = append(a.inits, inits...)
	a.add(body, len(inits))
	for k, y := range dGiven {
		a.grads[y] = append(a.grads[y], first+k)
	}
}

// takeSizes lets g read its first n inputs, the integers that symbols stand for, from those at places from on behind them.
func takeSizes(g *tracer.Graph, n, from int) {
	sizes, rest := g.Inputs[:n], g.Inputs[n:]
	for _, m := range g.Nodes {
		for i, a := range m.Args {
			if k := slices.Index(sizes, a); k >= 0 {
				m.Args[i] = rest[from+k]
			}
		}
	}
	g.Inputs = rest
}
