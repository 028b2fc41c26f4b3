package exec

import (
	"github.com/hoplint/hoplint/tracer"
)

// tree is an associative scan in batches. Going up, the last elements of neighbouring blocks of 1, 2, 4, … elements are
// combined; going down, each block's first half is given the prefix before it. That is at most 2 log2 n batches; the
// prefixes lie in the results all the time.
// Source: R. P. Brent and H. T. Kung, "A regular layout for parallel adders", IEEE Transactions on Computers C-31, 1982.
type tree struct {
	node   *tracer.Node
	rounds []round
}

// round is one batch: elements left and right, each step-th from the first one on, give what replaces those at right.
type round struct {
	batch                    *batch
	left, right, step, lanes int
	first                    bool // the right elements are still those of xs; with up the left ones too
	up                       bool
	leaves                   []int // those that are computed, in the order of the batch's outputs
}

// newTree plans the rounds of an associative scan of at least two elements; nil when there is no batch for the combine
// function, or when a fold is better: a tree combines twice as often to save the cost of a step per element, which pays
// for leaves of one number only (65536 matrices of 2×2 took twice as long in a tree).
func newTree(n *tracer.Node, results *value, lib Library) *tree {
	k, length := n.Attrs.Int("n_xs"), n.Attrs.Int("length")
	for _, in := range n.Graphs[0].Inputs[:k] {
		if elemsOf(in) != 1 {
			return nil
		}
	}
	t := &tree{node: n}
	for size := 1; length/size > 1; size *= 2 {
		t.rounds = append(t.rounds, round{left: size - 1, right: 2*size - 1, step: 2 * size, lanes: length / size / 2, first: size == 1, up: true})
	}
	for i := len(t.rounds) - 1; i >= 0; i-- {
		size := t.rounds[i].step / 2
		if lanes := (length/size+1)/2 - 1; lanes > 0 {
			t.rounds = append(t.rounds, round{left: 2*size - 1, right: 3*size - 1, step: 2 * size, lanes: lanes, first: size == 1})
		}
	}
	// Going up, leaves of blocks are combined that others may need. Going down, a block's prefix is the left element and
	// nobody's right one, as in a fold.
	all := make([]int, k)
	for j := range all {
		all[j] = j
	}
	part, kept := running(n, results, lib)
	for i := range t.rounds {
		r := &t.rounds[i]
		g := n.Graphs[0]
		if r.leaves = all; !r.up {
			g, r.leaves = part, kept
		}
		if r.batch = newBatch(g, 2*k, r.lanes, lib); r.batch == nil {
			return nil
		}
	}
	return t
}

// tree binds a tree.
func (f *frame) tree(t *tree, results *value, level int) error {
	n := t.node
	k := n.Attrs.Int("n_xs")
	s := f.inner(n, level, level+1)
	xs, ys := f.valuesOf(n.Args[:k]), make([]*value, k)
	for i, r := range results.parts {
		if ys[i] = r; r == nil { // nobody reads it but the tree
			ys[i] = f.fixed(xs[i].DType, xs[i].Shape, level)
		}
		first := ys[i].row(0, level)
		s.body = append(s.body, instr{run: copying(first, xs[i].row(0, level)), node: n})
	}
	h := f.child(s)
	h.loops++
	captured := f.valuesOf(n.Args[k:])
	for _, r := range t.rounds {
		if err := h.round(t, r, xs, ys, captured); err != nil {
			return inside(n, 0, -1, err)
		}
	}
	f.remark(n, "%d elements in a tree of %d batches", n.Attrs.Int("length"), len(t.rounds))
	body, ctl, depth, length := sealed(s.body), f.ctl, h.loops, n.Attrs.Int("length")
	f.emit(level, instr{node: n, try: func() error {
		if err := runAll(s.pre); err != nil {
			return inside(n, 0, 0, err)
		}
		if err := body.run(); err != nil {
			return inside(n, 0, -1, err)
		}
		if ctl.watched {
			if err := ctl.step(depth, length, length); err != nil {
				return inside(n, 0, -1, err)
			}
		}
		return nil
	}})
	return nil
}

// round appends one batch to the body of h's scope.
func (h *frame) round(t *tree, r round, xs, ys, captured []*value) error {
	b, depth := h.child(h.scope), h.scope.depth
	b.loops = h.loops
	inputs := r.batch.graph.Inputs
	k := len(xs)
	for i := range xs {
		left, right := ys[i], ys[i]
		if r.first {
			right = xs[i]
			if r.up {
				left = xs[i]
			}
		}
		b.env[inputs[i]], b.env[inputs[k+i]] = left.lanes(r.left, r, depth), right.lanes(r.right, r, depth)
	}
	for i, v := range captured {
		b.env[inputs[2*k+i]] = v
	}
	b.survey(r.batch.graph)
	if err := b.nodes(r.batch.graph); err != nil {
		return err
	}
	outs := b.valuesOf(r.batch.graph.Outputs)
	if len(outs) > 1 {
		// An output that is an element itself is read before any is written.
		for i, n := range r.batch.graph.Outputs {
			if b.ofInput(n) {
				apart := b.fixed(outs[i].DType, outs[i].Shape, depth)
				b.emit(depth, instr{run: copying(apart, outs[i]), node: t.node})
				outs[i] = apart
			}
		}
	}
	for i, out := range outs {
		b.emit(depth, instr{run: copying(ys[r.leaves[i]].lanes(r.right, r, depth), out), node: t.node})
	}
	ctl, lanes := h.ctl, r.lanes
	b.emit(depth, instr{node: t.node, try: func() error {
		ctl.executed(t.node, lanes)
		return ctl.cancelled()
	}})
	return nil
}

// ofInput reports whether n is an input of its graph or a view of one.
func (f *frame) ofInput(n *tracer.Node) bool {
	for len(n.Args) == 1 && f.isView(n) {
		n = n.Args[0]
	}
	return n.Op == tracer.OpInput
}

// lanes returns the window of the elements of a round.
func (v *value) lanes(first int, r round, level int) *value {
	w := v.every(first, r.step)
	w.Shape[0], w.level = r.lanes, level
	return w
}
