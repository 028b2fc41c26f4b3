package hop

import (
	"fmt"
	"go/token"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/tracer"
)

// The tape records how tensors that require grad were made. It hangs on the tensors themselves: a tensor's entry leads
// to the node that made it, the node to those of its arguments. There is no list and no mode.
//
// A write is an op too: its result takes the receiver's place, and the storage keeps the node of its new contents, so
// that every other view, made before or after, is found to look at them.

// tapeEntry is the place of a tensor on the tape.
type tapeEntry struct {
	edge
	// root is the edge of the tensor that owns the storage, with its shape: what a view was taken of.
	root *tapeEntry
	// leaf is set for a leaf and for views of one.
	leaf bool
	// history is the state of the storage that the entry speaks of.
	history *history
	shape   []int
}

// detached marks a tensor that takes no part in gradients, whatever its storage does.
var detached = &tapeEntry{}

// edge is one result of a node. The zero edge leads nowhere.
type edge struct {
	node *tapeNode
	out  int
}

// tapeNode is one recorded op, or a leaf.
type tapeNode struct {
	op    *Op
	attrs tracer.Attrs
	in    []saved
	out   []saved
	seq   uint64 // later nodes have larger ones, so arguments come before results
	pos   token.Position
	grad  *Tensor // of a leaf: what Backward has accumulated
	done  bool    // the saved tensors were let go
}

// saved is a tensor that a derivative may read, and where its gradient goes.
type saved struct {
	tensor  *Tensor // without place on the tape; nil when it is not read
	version uint64
	shape   []int
	dtype   DType
	next    edge
}

// storageGrad is what the tape knows of a storage.
type storageGrad struct {
	history *history
	// leaf is set while the storage belongs to a leaf that requires grad.
	leaf bool
	// The last write since the storage was saved, for messages.
	writeOp  string
	writePos token.Position
}

// history is the contents of a storage after a recorded write, as one flat tensor.
type history struct{ base edge }

// gradOf returns the tape's knowledge of s, making room for it.
func (s *storage) gradOf() *storageGrad {
	if g := s.grad.Load(); g != nil {
		return g
	}
	s.grad.CompareAndSwap(nil, new(storageGrad))
	return s.grad.Load()
}

// rewritten returns the history of a storage, or nil when no recorded op has written it.
func (s *storage) rewritten() *history {
	if g := s.grad.Load(); g != nil {
		return g.history
	}
	return nil
}

// SetRequiresGrad makes t a leaf of the tape, or ends that, and returns t. Ops on t are then recorded, and [Tensor.Backward]
// accumulates the gradient that [Tensor.Grad] returns.
//
// Errors: panics with *[Error] for a bool or integer tensor, for the result of a recorded op when on is false (use
// Detach), and in a traced body.
//
//hop:returns t
func (t *Tensor) SetRequiresGrad(on bool) *Tensor {
	switch {
	case traced(t) != nil:
		misuse("SetRequiresGrad", "tensor is traced; set it before the operator is called")
	case !on && !t.RequiresGrad():
		return t
	case !on && !t.isLeaf():
		misuse("SetRequiresGrad", "%s is the result of a recorded op; use Detach", describe(t.meta()))
	case !on:
		t.tape = nil
		t.storage.gradOf().leaf = false
		return t
	case !t.DType().IsFloat():
		misuse("SetRequiresGrad", "%s has no gradient; only floats do, convert it with To(Float64)", describe(t.meta()))
	case t.RequiresGrad():
		return t
	}
	node := &tapeNode{seq: nextStamp()}
	t.tape = &tapeEntry{edge: edge{node, 0}, leaf: true, shape: t.Shape()}
	t.storage.gradOf().leaf = true
	return t
}

// RequiresGrad reports whether ops on t are recorded: t is a leaf, or was made from one.
//
//hop:pure
func (t *Tensor) RequiresGrad() bool {
	switch {
	case t.tape == detached || t.value != nil:
		return false
	case t.tape != nil:
		return true
	default:
		return t.storage.rewritten() != nil && t.DType().IsFloat()
	}
}

func (t *Tensor) isLeaf() bool { return t.tape != nil && t.tape.node != nil && t.tape.node.op == nil }

// anyRequiresGrad reports whether one of ts takes part in a gradient; nil tensors do not.
func anyRequiresGrad(ts []*Tensor) bool {
	for _, t := range ts {
		if t != nil && t.RequiresGrad() {
			return true
		}
	}
	return false
}

// place returns the edge of t's present contents; the zero edge when t requires no grad.
func (t *Tensor) place() edge {
	switch h := t.storage.rewritten(); {
	case !t.RequiresGrad():
		return edge{}
	case h == nil || t.tape != nil && t.tape.history == h:
		return t.tape.edge
	default: // the storage was written through another view since
		return edge{node: &tapeNode{op: lib.op(idAsStrided), attrs: t.window(), seq: nextStamp(),
			in: []saved{{shape: []int{t.storage.n}, dtype: t.DType(), next: h.base}}}}
	}
}

// window returns the attributes of as_strided for t.
func (t *Tensor) window() tracer.Attrs {
	return attrs("shape", t.Shape(), "strides", t.Strides(), "offset", t.offset)
}

// keep saves what a derivative may ask about t, its elements only when they are read.
func keep(t *Tensor, read bool) saved {
	s := saved{version: t.storage.version.Load(), shape: t.Shape(), dtype: t.DType()}
	if !read {
		return s
	}
	t.storage.gradOf() // from here on its writes are noted
	s.tensor = newView(t, t.shape, t.strides, t.offset)
	s.tensor.tag, s.tensor.tape = nil, detached
	return s
}

// value returns the saved tensor, or refuses when it was written since (HOP601).
func (s *saved) value(n *tapeNode, arg int) *Tensor {
	if s.tensor == nil {
		panic(fmt.Sprintf("hop: the derivative of %s reads a tensor that its row does not name in Reads", n.op.Name))
	}
	if now := s.tensor.storage.version.Load(); now != s.version {
		g := s.tensor.storage.gradOf()
		what := "result"
		if arg >= 0 {
			what = fmt.Sprintf("operand %d", arg)
		}
		f := hopcheck.Finding{Code: hopcheck.StaleSavedTensor, Op: g.writeOp,
			Detail: fmt.Sprintf("%s %s%v of %s, saved for backward at %s, was written", what, s.dtype, s.shape, n.op.userName(), shortPosition(n.pos))}
		if g.writeOp != "" {
			f.Detail += fmt.Sprintf(" through %s at %s", g.writeOp, shortPosition(g.writePos))
		}
		f.Detail += fmt.Sprintf(": version %d when saved, %d now", s.version, now)
		panic(refusal(f, n.pos))
	}
	return s.tensor
}

// newNode records op on args, which have the given places.
func newNode(op *Op, attrs tracer.Attrs, args []*Tensor) *tapeNode {
	n := &tapeNode{op: op, attrs: attrs, pos: userPosition(), in: make([]saved, len(args))}
	for i, t := range args {
		n.in[i] = keep(t, op.Reads.input(i))
		n.in[i].next = t.place()
	}
	n.seq = nextStamp() // behind the nodes that place made
	return n
}

// recordTape gives the float results of a functional op or a view their place. An op without derivative has none:
// its results require no grad. Inside a traced body the operator as a whole takes its place, not the ops of its body.
func recordTape(op *Op, attrs tracer.Attrs, args, outs []*Tensor) {
	if op.VJP == nil || isTraced(args) || isTraced(outs) {
		return
	}
	n := newNode(op, attrs, args)
	for i, t := range outs {
		n.out = append(n.out, keep(t, op.Reads.output(i)))
		if !t.DType().IsFloat() {
			continue
		}
		e := &tapeEntry{edge: edge{n, i}, shape: t.Shape(), history: t.storage.rewritten()}
		if t.storage == args[0].storage {
			if from := args[0].tape; from != nil {
				e.leaf = from.leaf
				if e.root = from.root; e.root == nil {
					e.root = from
				}
			}
		}
		t.tape = e
	}
}

func isTraced(ts []*Tensor) bool {
	for _, t := range ts {
		if traced(t) != nil {
			return true
		}
	}
	return false
}

// refuseLeafWrite refuses a write to a leaf that requires grad or to a view of one (HOP602), and notes the write for the
// messages of those who saved the storage.
func refuseLeafWrite(dst *Tensor, name string) {
	if dst.value != nil {
		return
	}
	g := dst.storage.grad.Load()
	if g == nil {
		return
	}
	if dst.tape != detached && (g.leaf || dst.tape != nil && dst.tape.leaf) {
		panic(refusal(hopcheck.Finding{Code: hopcheck.InPlaceOnLeaf, Op: name,
			Detail: fmt.Sprintf("%s writes %s, a leaf that requires grad", name, describe(dst.meta()))}, userPosition()))
	}
	g.writeOp, g.writePos = name, userPosition()
}

// putOp is the flat contents of a storage after a write to a window of it: of base, with value in the window.
func putOp() *Op { return &Op{Name: "put", VJP: putGradient} }

func putGradient(c *vjp, dy *Tensor) []*Tensor {
	grads := make([]*Tensor, 2)
	if c.Needs(1) {
		grads[1] = apply(idAsStrided, c.Attrs(), dy).Clone()
	}
	if c.Needs(0) {
		grads[0] = dy.Clone()
		apply(idAsStrided, c.Attrs(), grads[0]).Zero()
	}
	return grads
}

// recordWrite gives the receiver ts[0] of an op that has just written it its new place.
func recordWrite(op *Op, attrs tracer.Attrs, ts []*Tensor) {
	dst := ts[0]
	if op.VJP == nil || dst.tape == detached || isTraced(ts) || !dst.DType().IsFloat() {
		return
	}
	n := newNode(op, attrs, ts)
	for i, t := range ts {
		if t.storage == dst.storage {
			n.in[i].version-- // what the op read is gone
		}
	}
	n.out = []saved{keep(dst, op.Reads.output(0))}
	made := edge{n, 0}

	size := []int{dst.storage.n}
	flat := &tapeNode{op: lib.op(idReshape), in: []saved{{shape: dst.Shape(), dtype: dst.DType(), next: made}}, seq: nextStamp()}
	if dst.NumElems() != dst.storage.n || !dst.IsContiguous() {
		flat = &tapeNode{op: putOp(), attrs: dst.window(), in: []saved{
			{shape: size, dtype: dst.DType(), next: dst.flatRoot()},
			{shape: dst.Shape(), dtype: dst.DType(), next: made}}, seq: nextStamp()}
	}
	h := &history{base: edge{flat, 0}}
	dst.storage.gradOf().history = h
	dst.tape = &tapeEntry{edge: made, shape: dst.Shape(), history: h}
}

// flatRoot returns the edge of the whole storage before a write through t; the zero edge when it required no grad.
func (t *Tensor) flatRoot() edge {
	if h := t.storage.rewritten(); h != nil {
		return h.base
	}
	root := t.tape
	if root == nil {
		return edge{}
	}
	if root.root != nil {
		root = root.root
	}
	// Results of ops own their whole storage, row by row.
	return edge{node: &tapeNode{op: lib.op(idReshape), in: []saved{{shape: root.shape, dtype: t.DType(), next: root.edge}}, seq: nextStamp()}}
}
