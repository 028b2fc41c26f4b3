package hop

import (
	"container/heap"
	"fmt"
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// RetainGraph keeps what a [Tensor.Backward] needs, so that it can be called again.
func RetainGraph() Option { return option{"RetainGraph", func(o *options) { o.retain = true }} }

// Backward computes the gradient of t, a tensor of one element, for every leaf that requires grad, and adds it to the
// leaf's Grad. Gradients are plain tensors; for derivatives of derivatives see [Grad], [Hessian].
//
// Errors: panics with *[Error] when t has more than one element or requires no grad, when the graph was used up by an
// earlier Backward without [RetainGraph], in a body, for an op without derivative, and for a saved tensor that was
// written since (HOP601).
// Source: reverse accumulation; nodes in the opposite order of their making, so depth costs no stack.
func (t *Tensor) Backward(opts ...Option) {
	o := collect("", "Backward", opts, "RetainGraph")
	switch {
	case traced(t) != nil:
		misuse("Backward", "tensor is traced; use Grad inside traced functions, or call Backward outside")
	case t.tag.step() != nil:
		misuse("Backward", "tensor belongs to a body that runs Stepwise; use Grad inside bodies, or call Backward outside")
	case !t.RequiresGrad():
		misuse("Backward", "%s requires no grad; call SetRequiresGrad(true) on a tensor that it is made from", describe(t.meta()))
	case t.count() != 1:
		misuse("Backward", "%s has %d elements; reduce it to one, e.g. with Sum", describe(t.meta()), t.count())
	}
	b := newBackward()
	b.retain = o.retain
	b.add(t.place(), Full(t.DType(), 1, t.shape...), true)
	b.run()
}

// Grad returns the gradient that Backward has accumulated for the leaf t, or nil when there is none.
//
// Aliasing: the tensor that the leaf keeps, until the next Backward or ZeroGrad.
func (t *Tensor) Grad() *Tensor {
	if t.value != nil || !t.isLeaf() {
		return nil
	}
	t.tape.node.adding.Lock()
	defer t.tape.node.adding.Unlock()
	return t.tape.node.grad
}

// ZeroGrad forgets the gradient of the leaf t: Grad is nil until the next Backward.
func (t *Tensor) ZeroGrad() {
	if t.value == nil && t.isLeaf() {
		t.tape.node.adding.Lock()
		t.tape.node.grad = nil
		t.tape.node.adding.Unlock()
	}
}

// Detach returns t on the same storage and version counter, outside of every gradient: w.Detach().SubInPlace(g) updates
// a leaf.
//
// Shapes: that of t; any dtype.
// Aliasing: a view of t.
// Gradient: none; it ends the gradient.
// Source: writes to it are outside of the tape.
//
//hop:returns view(t)
func (t *Tensor) Detach() *Tensor {
	out := apply(idDetach, nil, t)
	if out.value == nil {
		out.tape = detached
	}
	return out
}

// backward is one run from results to leaves.
type backward struct {
	queue nodeQueue
	grads map[*tapeNode][]gradient // of the results of queued nodes
	// since is the oldest node that is visited: what an operator's operands were made from is none of its business.
	since uint64
	// ends are the nodes where the run stops, with the gradient found there.
	ends map[*tapeNode]gradient
	// What arrives at older nodes, in the order of arrival; kept when beyond is not nil.
	beyond *[]placeGradient
	// retain keeps the saved tensors; onTape records the derivatives themselves, so that they have some too.
	retain, onTape bool
	// What the run has done, for tests: nodes visited and elements of the gradients put together from several.
	visited, gathered int
}

func newBackward() *backward { return &backward{grads: map[*tapeNode][]gradient{}} }

// gradient is what has arrived at one result of a node.
type gradient struct {
	// dense is a sum of whole gradients. Nobody else reads it when it is owned.
	dense *Tensor
	owned bool
	// windows are gradients of windows on the result.
	windows []windowGradient
	// touched says that something depends on the result, if only by zeros.
	touched bool
}

func (g *gradient) isZero() bool { return g.dense == nil && g.windows == nil }

// slot returns the gradient at e and queues its node; nil when e is out of reach.
func (b *backward) slot(e edge) *gradient {
	switch {
	case e.node == nil:
		return nil
	case e.node.seq < b.since && b.beyond == nil:
		return nil
	case e.node.seq < b.since:
		for i := range *b.beyond {
			if p := &(*b.beyond)[i]; p.at == e {
				return &p.gradient
			}
		}
		*b.beyond = append(*b.beyond, placeGradient{at: e})
		return &(*b.beyond)[len(*b.beyond)-1].gradient
	}
	grads, queued := b.grads[e.node]
	if !queued {
		grads = make([]gradient, max(len(e.node.out), e.out+1))
		b.grads[e.node] = grads
		heap.Push(&b.queue, e.node)
	}
	return &grads[e.out]
}

// add adds t to the gradient at e. owned says that nobody else reads t.
func (b *backward) add(e edge, t *Tensor, owned bool) {
	g := b.slot(e)
	switch {
	case g == nil:
	case g.dense == nil:
		g.dense, g.owned = t, owned
	default:
		b.gathered += t.count()
		if b.mayWrite(g) && traced(t) == nil {
			g.dense.AddInPlace(t)
		} else {
			g.dense, g.owned = g.dense.Add(t), true
		}
	}
}

// touch makes the gradient at e zeros when nothing else arrives there.
func (b *backward) touch(e edge) {
	if g := b.slot(e); g != nil {
		g.touched = true
	}
}

// mayWrite reports whether the sum of whole gradients may be written: in a graph and on the tape a new tensor is better.
func (b *backward) mayWrite(g *gradient) bool {
	return g.owned && !b.onTape && traced(g.dense) == nil
}

// whole puts the parts of a gradient together, which is of the type of of; nil when there are none. Windows are written into one
// tensor, so that a result that was read slice by slice costs no more than one that was read as a whole.
func (b *backward) whole(g *gradient, of *saved) *Tensor {
	if g.windows == nil {
		return g.dense
	}
	if tr := g.trace(); tr != nil {
		sum := g.dense
		if sum == nil {
			sum = zerosOf(tr, of.meta())
		}
		if !sum.IsContiguous() { // a window may be one on a whole storage
			sum = sum.Clone()
		}
		for _, w := range g.windows {
			b.gathered += w.dy.count()
			if w.into != nil {
				sum = w.into(sum, false)
				continue
			}
			sum = putWindow(w.view, w.attrs, sum, applyOp(w.view, w.attrs, sum).Add(w.dy), &site{})
		}
		g.dense, g.owned, g.windows = sum, false, nil
		return sum
	}
	sum := of.zeros()
	switch {
	case g.dense == nil:
		b.gathered += sum.count()
	case b.mayWrite(g):
		sum = g.dense
	default:
		b.gathered += sum.count()
		sum.CopyFrom(g.dense)
	}
	for _, w := range g.windows {
		b.gathered += w.dy.count()
		if w.into != nil {
			sum = w.into(sum, !b.onTape)
			continue
		}
		applyOp(w.view, w.attrs, sum).AddInPlace(w.dy)
	}
	g.dense, g.owned, g.windows = sum, true, nil
	return sum
}

// trace returns the trace that the parts of a gradient belong to, or nil for real ones.
func (g *gradient) trace() *tracer.SubgraphTracer {
	list := []*Tensor{g.dense}
	for _, w := range g.windows {
		list = append(list, w.dy, w.index)
	}
	return traceOf(list)
}

// run visits nodes from the latest to the earliest: all uses of a result come before the node that made it.
func (b *backward) run() {
	for b.queue.Len() > 0 {
		n := heap.Pop(&b.queue).(*tapeNode)
		grads := b.grads[n]
		delete(b.grads, n)
		b.visited++
		if _, ends := b.ends[n]; ends {
			b.whole(&grads[0], &n.in[0])
			b.ends[n] = grads[0]
			continue
		}
		if n.op == nil {
			b.accumulate(n, &grads[0])
			continue
		}
		if n.done {
			panic(&Error{Op: "Backward", Step: -1, Position: userPosition(),
				Detail: fmt.Sprintf("the graph of %s at %s was used up by an earlier Backward; give that one RetainGraph()", n.op.userName(), shortPosition(n.pos))})
		}
		b.visit(n, grads)
		if !b.retain {
			n.release()
		}
	}
}

// accumulate adds what has arrived at a leaf to its Grad.
func (b *backward) accumulate(n *tapeNode, g *gradient) {
	t := b.whole(g, &saved{dtype: n.dtype, shape: n.shape})
	n.adding.Lock() // several goroutines may run Backward on graphs that share a leaf
	defer n.adding.Unlock()
	switch {
	case t == nil && n.grad == nil:
		n.grad = newTensor(n.dtype, n.shape)
	case t == nil:
	case n.grad != nil:
		n.grad = n.grad.Add(t)
	case g.owned:
		n.grad = t
	default:
		n.grad = t.Clone()
	}
}

// visit applies the derivative of one node.
func (b *backward) visit(n *tapeNode, grads []gradient) {
	if n.gate > 0 {
		b.pass(n, grads)
		return
	}
	c := &vjp{node: n, grads: make([]*Tensor, len(grads)), owned: make([]bool, len(grads)), given: make([]bool, len(n.in)), onTape: b.onTape, run: b}
	zero := true
	for i := range grads {
		zero = zero && grads[i].isZero()
		c.grads[i] = b.whole(&grads[i], &n.out[i])
		c.owned[i] = grads[i].owned
	}
	if zero { // not the derivative of zeros, which may be NaN
		for i := range n.in {
			b.touch(n.in[i].next)
		}
		return
	}
	if n.op.VJP == nil {
		panic(&Error{Op: "Backward", Step: -1, Position: n.pos,
			Detail: fmt.Sprintf("%s has no derivative: %s; Detach its operands, or use another op", n.op.userName(), n.op.NoGrad)})
	}
	for i, t := range n.op.VJP(c, c.Grad(0)) {
		s := &n.in[i]
		if t == nil || s.next.node == nil {
			continue
		}
		if t.DType() != s.dtype || !slices.Equal(t.shape, s.shape) {
			panic(fmt.Sprintf("hop: derivative of %s gives %s for operand %d, %s%v", n.op.Name, describe(t.meta()), i, s.dtype, s.shape))
		}
		b.add(s.next, t, c.given[i])
	}
	for _, p := range c.beyond {
		b.merge(p)
	}
	for _, w := range c.parts {
		if g := b.slot(n.in[w.arg].next); g != nil {
			g.windows = append(g.windows, w)
		}
	}
}

// merge adds what another run has found for a place.
func (b *backward) merge(p placeGradient) {
	if p.dense != nil {
		b.add(p.at, p.dense, p.owned)
	} else if p.windows == nil {
		b.touch(p.at)
	}
	if g := b.slot(p.at); g != nil {
		g.windows = append(g.windows, p.windows...)
	}
}

// pass hands the gradients of an operator's results on to what made them, and at least zeros to its operands.
func (b *backward) pass(n *tapeNode, grads []gradient) {
	for i, s := range n.in {
		if i >= n.gate || grads[i].isZero() {
			b.touch(s.next)
			continue
		}
		b.add(s.next, b.whole(&grads[i], &s), grads[i].owned)
	}
}

// release lets go of the saved tensors.
func (n *tapeNode) release() {
	n.done = true
	for i := range n.in {
		n.in[i].tensor = nil
	}
	for i := range n.out {
		n.out[i].tensor = nil
	}
}

// nodeQueue is a heap with the latest node on top.
type nodeQueue []*tapeNode

func (q nodeQueue) Len() int           { return len(q) }
func (q nodeQueue) Less(i, j int) bool { return q[i].seq > q[j].seq }
func (q nodeQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *nodeQueue) Push(x any)        { *q = append(*q, x.(*tapeNode)) }
func (q *nodeQueue) Pop() any {
	old := *q
	n := old[len(old)-1]
	*q = old[:len(old)-1]
	return n
}
