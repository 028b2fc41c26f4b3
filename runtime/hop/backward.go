package hop

import (
	"container/heap"
	"fmt"
	"slices"
)

// RetainGraph keeps what a [Tensor.Backward] needs, so that it can be called again.
func RetainGraph() Option { return option{"RetainGraph", func(o *options) { o.retain = true }} }

// Backward computes the gradient of t, a tensor of one element, for every leaf that requires grad, and adds it to the
// leaf's Grad.
//
// Errors: panics with *[Error] when t has more than one element or requires no grad, when the graph was used up by an
// earlier Backward without [RetainGraph], in a traced body, and for a saved tensor that was written since (HOP601).
// Source: reverse accumulation; nodes in the opposite order of their making, so depth costs no stack.
func (t *Tensor) Backward(opts ...Option) {
	o := collect("backward", opts, "RetainGraph")
	switch {
	case traced(t) != nil:
		misuse("Backward", "tensor is traced; use Grad inside traced functions, or call Backward outside")
	case !t.RequiresGrad():
		misuse("Backward", "%s requires no grad; call SetRequiresGrad(true) on a tensor that it is made from", describe(t.meta()))
	case t.NumElems() != 1:
		misuse("Backward", "%s has %d elements; reduce it to one, e.g. with Sum", describe(t.meta()), t.NumElems())
	}
	seed := Full(t.DType(), 1, t.shape...)
	b := backward{grads: map[*tapeNode][]*Tensor{}, leaf: func(n *tapeNode, g *Tensor) {
		if n.grad == nil {
			n.grad = g.Clone()
			return
		}
		n.grad = n.grad.Add(g)
	}}
	b.add(t.place(), seed)
	b.run(o.retain)
}

// Grad returns the gradient that Backward has accumulated for the leaf t, or nil when there is none.
//
// Aliasing: the tensor that the leaf keeps, until the next Backward or ZeroGrad.
func (t *Tensor) Grad() *Tensor {
	if t.value != nil || !t.isLeaf() {
		return nil
	}
	return t.tape.node.grad
}

// ZeroGrad forgets the gradient of the leaf t: Grad is nil until the next Backward.
func (t *Tensor) ZeroGrad() {
	if t.value == nil && t.isLeaf() {
		t.tape.node.grad = nil
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
	grads map[*tapeNode][]*Tensor // gradients of the results of queued nodes; nil for none yet
	leaf  func(n *tapeNode, g *Tensor)
}

// add adds g to the gradient at e and queues its node.
func (b *backward) add(e edge, g *Tensor) {
	grads, queued := b.grads[e.node]
	if !queued {
		grads = make([]*Tensor, max(len(e.node.out), e.out+1))
		b.grads[e.node] = grads
		heap.Push(&b.queue, e.node)
	}
	if grads[e.out] == nil {
		grads[e.out] = g
		return
	}
	grads[e.out] = grads[e.out].Add(g)
}

// run visits nodes from the latest to the earliest: all uses of a result come before the node that made it.
func (b *backward) run(retain bool) {
	for b.queue.Len() > 0 {
		n := heap.Pop(&b.queue).(*tapeNode)
		grads := b.grads[n]
		delete(b.grads, n)
		if n.op == nil {
			b.leaf(n, grads[0])
			continue
		}
		if n.done {
			panic(&Error{Op: "Backward", Step: -1, Position: userPosition(),
				Detail: fmt.Sprintf("the graph of %s at %s was used up by an earlier Backward; give that one RetainGraph()", n.op.userName(), shortPosition(n.pos))})
		}
		b.visit(n, grads)
		if !retain {
			n.release()
		}
	}
}

// visit applies the derivative of one node.
func (b *backward) visit(n *tapeNode, grads []*Tensor) {
	c := &vjp{node: n, grads: grads}
	for i, g := range n.op.VJP(c, c.Grad(0)) {
		s := &n.in[i]
		if g == nil || s.next.node == nil {
			continue
		}
		if g.DType() != s.dtype || !slices.Equal(g.shape, s.shape) {
			panic(fmt.Sprintf("hop: derivative of %s gives %s for operand %d, %s%v", n.op.Name, describe(g.meta()), i, s.dtype, s.shape))
		}
		b.add(s.next, g)
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
