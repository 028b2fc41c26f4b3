package tracer

// flow says how values take their way through the bodies of one operator, for pictures of a graph: which argument a
// body is given, which output becomes which result, and which output is an input of the next step. Indices that the
// node does not have are left out, so that a graph that was not verified can be drawn, too.
type flow struct {
	into []hand // From is an argument of the node, To an input of the body
	out  []hand // From is an output of the body, To a result of the node
	back []hand // From is an output of the body, To an input of the body Again in the next step
}

// hand is one value handed on, by index.
type hand struct{ Body, From, To, Again int }

// flowOf follows the layouts that signature describes.
func flowOf(n *Node) flow {
	var f flow
	nCarry, nXs := n.Attrs.Int("n_carry"), n.Attrs.Int("n_xs")
	switch n.Op {
	case "scan":
		f.pass(n, 0, 0, 0)
		f.give(n, 0, 0)
		f.again(nCarry, 0, 0, 0)
	case "map", "vmap", "checkpoint", "subgraph":
		f.pass(n, 0, 0, 0)
		f.give(n, 0, 0)
	case "associative_scan":
		for i := range n.Args {
			if i < nXs {
				f.into = append(f.into, hand{From: i, To: i}, hand{From: i, To: nXs + i})
			} else {
				f.into = append(f.into, hand{From: i, To: nXs + i})
			}
		}
		f.give(n, 0, 0)
		f.again(nXs, 0, 0, 0)
	case "while_loop":
		f.pass(n, 0, 0, 0)
		f.pass(n, 1, 0, 0)
		f.give(n, 1, 0)
		f.again(nCarry, 1, 0, 0)
		f.again(nCarry, 1, 1, 0)
	case "while_sweeps":
		f.sweeps(n)
	case "for_loop":
		f.pass(n, 0, 0, 1)
		f.give(n, 0, 0)
		f.again(nCarry, 0, 0, 1)
	case "cond", "switch":
		for b := range n.Graphs {
			f.pass(n, b, 1, 0)
			f.give(n, b, 0)
		}
	case "custom_vjp":
		results := n.Attrs.Int("n_results")
		f.pass(n, 0, 0, 0)
		f.give(n, 0, 0)
		if len(n.Graphs) == 2 {
			made := len(n.Graphs[0].Outputs)
			for i := range made { // residuals first, then the cotangents of the results
				f.back = append(f.back, hand{Body: 0, From: i, To: (i - results + made) % max(made, 1), Again: 1})
			}
			f.pass(n, 1, n.Attrs.Int("n_operands"), made)
		}
	}
	return f.within(n)
}

// sweeps follows a while loop and the further ways over its steps.
func (f *flow) sweeps(n *Node) {
	all := 0
	for _, k := range n.Attrs.Ints("carries") {
		all += k
	}
	first := 0
	type output struct{ body, index int }
	var given []output
	for i, k := range n.Attrs.Ints("carries") {
		body := 1 + i
		for j := range k {
			f.into = append(f.into, hand{Body: body, From: first + j, To: j})
			f.out = append(f.out, hand{Body: body, From: j, To: first + j})
			if i == 0 {
				f.into = append(f.into, hand{Body: 0, From: j, To: j})
				f.back = append(f.back, hand{Body: body, From: j, To: j, Again: 0})
			}
		}
		f.again(k, body, body, 0)
		for j, y := range given {
			f.back = append(f.back, hand{Body: y.body, From: y.index, To: k + j, Again: body})
		}
		if i == 0 {
			f.pass(n, 0, all, k)
		}
		f.pass(n, body, all, k+len(given))
		if body < len(n.Graphs) {
			for j := k; j < len(n.Graphs[body].Outputs); j++ {
				given = append(given, output{body, j})
			}
		}
		first += k
	}
}

// pass hands the arguments from the first one on to the inputs of a body from input on.
func (f *flow) pass(n *Node, body, first, input int) {
	for i := max(first, 0); i < len(n.Args); i++ {
		f.into = append(f.into, hand{Body: body, From: i, To: input + i - first})
	}
}

// give makes the outputs of a body, from the first one on, the results.
func (f *flow) give(n *Node, body, first int) {
	for i := range n.Meta.Elems {
		f.out = append(f.out, hand{Body: body, From: first + i, To: i})
	}
}

// again hands the first k outputs of a body to inputs of another, or the same, in the next step.
func (f *flow) again(k, body, to, input int) {
	for i := range k {
		f.back = append(f.back, hand{Body: body, From: i, To: input + i, Again: to})
	}
}

// within drops what the node does not have.
func (f flow) within(n *Node) flow {
	has := func(i, length int) bool { return 0 <= i && i < length }
	body := func(i int) bool { return has(i, len(n.Graphs)) }
	keep := func(list []hand, ok func(h hand) bool) []hand {
		var kept []hand
		for _, h := range list {
			if ok(h) {
				kept = append(kept, h)
			}
		}
		return kept
	}
	f.into = keep(f.into, func(h hand) bool {
		return body(h.Body) && has(h.From, len(n.Args)) && has(h.To, len(n.Graphs[h.Body].Inputs))
	})
	f.out = keep(f.out, func(h hand) bool {
		return body(h.Body) && has(h.From, len(n.Graphs[h.Body].Outputs)) && has(h.To, len(n.Meta.Elems))
	})
	f.back = keep(f.back, func(h hand) bool {
		return body(h.Body) && body(h.Again) && has(h.From, len(n.Graphs[h.Body].Outputs)) && has(h.To, len(n.Graphs[h.Again].Inputs))
	})
	return f
}
