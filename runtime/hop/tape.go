package hop

import (
	"fmt"
	"go/token"
	"slices"
	"sync"
	"sync/atomic"

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
	// traced is set while a derivative is recorded into a graph: the tape then runs over traced tensors. Other traced
	// tensors are on no tape, whatever concrete tensors their ops read: their operator takes its place as a whole.
	traced bool
}

// owner is the place of the tensor that owns the storage.
func (e *tapeEntry) owner() *tapeEntry {
	if e.root != nil {
		return e.root
	}
	return e
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
	op    *opRow
	attrs tracer.Attrs
	in    []saved
	out   []saved
	seq   uint64 // later nodes have larger ones, so arguments come before results
	pos   token.Position
	// Of a leaf: its type, and what Backward has accumulated.
	dtype  DType
	shape  []int
	adding sync.Mutex // guards grad: goroutines may share a leaf
	grad   *Tensor
	done   bool // the saved tensors were let go
	// gate is set for the node behind the results of an operator: result i is argument i, and the arguments from gate
	// on are the operands, which get at least zeros.
	gate int
}

// saved is a tensor that a derivative may read, and where its gradient goes.
type saved struct {
	tensor  *Tensor // without place on the tape; nil when it is not read
	version uint64
	shape   []int
	sizes   []Int // where some are open; nil otherwise
	dtype   DType
	next    edge
	// recorded says that its derivative is recorded into a graph, whether or not it is traced itself.
	recorded bool
}

// storageGrad is what the tape knows of a storage.
type storageGrad struct {
	history *history
	// leaves are those that require grad and lie in the storage: one, as a rule, and more where windows on it were made
	// leaves.
	leaves []*tapeNode
	// root is the place of the tensor that owns the storage; kept for detached ones, which do not know it.
	root atomic.Pointer[tapeEntry]
	// The last write since the storage was saved, for messages.
	writeOp  string
	writePos token.Position
}

// history is the contents of a storage after a recorded write, as one flat tensor.
type history struct {
	base   edge
	traced bool // as in tapeEntry
}

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
	if s == nil { // a traced tensor
		return nil
	}
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
		g, node := t.storage.gradOf(), t.tape.node
		g.leaves = slices.DeleteFunc(slices.Clone(g.leaves), func(n *tapeNode) bool { return n == node })
		t.tape = nil
		return t
	case !t.DType().IsFloat():
		misuse("SetRequiresGrad", "%s has no gradient; only floats do, convert it with To(Float64)", describe(t.meta()))
	case t.RequiresGrad():
		return t
	}
	node := &tapeNode{seq: nextStamp(), dtype: t.DType(), shape: t.dims()}
	t.tape = &tapeEntry{edge: edge{node, 0}, leaf: true, shape: t.dims()}
	g := t.storage.gradOf()
	g.leaves = append(slices.Clone(g.leaves), node)
	return t
}

// RequiresGrad reports whether ops on t are recorded: t is a leaf, or was made from one.
//
//hop:pure
func (t *Tensor) RequiresGrad() bool {
	switch {
	case t.tape == detached:
		return false
	case t.tape != nil:
		return true
	case t.value != nil:
		return false
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
		return edge{node: plainNode(lib.op(idAsStrided), t.window(), t.typeOnly(), saved{shape: []int{t.storage.n}, dtype: t.DType(), next: h.base})}
	}
}

// plainNode records an op that saves nothing.
func plainNode(op *opRow, attrs tracer.Attrs, out saved, in ...saved) *tapeNode {
	return &tapeNode{op: op, attrs: attrs, in: in, out: []saved{out}, seq: nextStamp()}
}

// typeOnly is t as a node keeps it when it reads nothing of it but its type.
func (t *Tensor) typeOnly() saved {
	return saved{shape: t.dims(), sizes: t.openSizes(), dtype: t.DType()}
}

// argument is typeOnly with the place that the gradient goes to.
func (t *Tensor) argument() saved {
	s := t.typeOnly()
	s.next = t.place()
	return s
}

// reshaped is the place of a tensor that owns its storage s, row by row, in another shape.
func (e *tapeEntry) reshaped(s *storage, shape []int) *tapeEntry {
	if slices.Equal(e.shape, shape) {
		return e
	}
	n := plainNode(lib.op(idReshape), nil, saved{shape: shape, dtype: s.dtype}, saved{shape: e.shape, dtype: s.dtype, next: e.edge})
	return &tapeEntry{edge: edge{n, 0}, shape: shape, history: e.history, traced: e.traced}
}

// window returns the attributes of as_strided for t.
func (t *Tensor) window() tracer.Attrs {
	return attrs("shape", t.dims(), "strides", t.Strides(), "offset", t.offset)
}

// keep saves what a derivative may ask about t, its elements only when they are read.
func keep(t *Tensor, read bool) saved {
	s := saved{version: t.Version(), shape: t.dims(), sizes: t.openSizes(), dtype: t.DType()}
	if !read {
		return s
	}
	if t.storage != nil {
		t.storage.gradOf() // from here on its writes are noted
	}
	s.tensor = t.at(detached)
	s.tensor.tag = nil
	return s
}

// at returns t on the same storage, at another place of the tape.
func (t *Tensor) at(e *tapeEntry) *Tensor {
	u := newView(t, t.shape, t.strides, t.offset)
	u.value, u.tape = t.value, e
	return u
}

// lead returns t at a place of its own, behind its present one: where the gradient of an operand ends that an operator
// asks for, while that of the enclosing computation runs on. onTrace says that the derivative is recorded into a graph,
// where t itself may be a number.
func lead(t *Tensor, onTrace bool) *Tensor {
	n := plainNode(leadOp(), nil, t.typeOnly(), t.argument())
	return t.at(&tapeEntry{edge: edge{n, 0}, shape: t.dims(), history: t.storage.rewritten(), traced: onTrace})
}

func leadOp() *opRow {
	return &opRow{Name: "lead", VJP: func(_ *vjp, dy *Tensor) []*Tensor { return one(dy) }}
}

// gate puts the results of an operator behind one node with its operands: all float results require grad, and every
// operand gets at least zeros. The results are changed in place.
func gate(results, operands []*Tensor) {
	if !anyRequiresGrad(operands) {
		return
	}
	n := &tapeNode{op: &opRow{Name: "gate"}, gate: len(results), pos: userPosition()}
	for _, t := range append(append([]*Tensor(nil), results...), operands...) {
		n.in = append(n.in, t.argument())
	}
	n.out = n.in[:len(results):len(results)]
	n.seq = nextStamp()
	onTrace := isTraced(results) || isRecorded(operands) // zeros without elements are real beside traced operands
	for i, t := range results {
		if t.DType().IsFloat() {
			results[i] = t.at(&tapeEntry{edge: edge{n, i}, shape: t.dims(), history: t.storage.rewritten(), traced: onTrace})
		}
	}
}

// value returns the saved tensor, argument arg of n or a result of it, or refuses when it was written since (HOP601).
// It is detached, or at the place at when derivatives are recorded themselves.
func (s *saved) value(n *tapeNode, arg int, at edge) *Tensor {
	if s.tensor == nil {
		panic(fmt.Sprintf("hop: the derivative of %s reads a tensor that its row does not name in Reads", n.op.Name))
	}
	t := unjoined(s.tensor)
	if now := t.Version(); now != s.version {
		g := new(storageGrad)
		if s.tensor.storage != nil {
			g = s.tensor.storage.gradOf()
		}
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
	if at.node == nil {
		return t
	}
	return t.at(&tapeEntry{edge: at, shape: s.shape, history: t.storage.rewritten(), traced: s.recorded || traced(t) != nil})
}

// unjoined returns t as it was before its storage joined a trace: what the trace writes to it since goes to the trace's
// own value, and the elements stay.
func unjoined(t *Tensor) *Tensor {
	if t.storage == nil || t.storage.joined.Load() == nil {
		return t
	}
	s := t.storage
	old := &storage{ptr: s.ptr, n: s.n, dtype: s.dtype, birth: s.birth}
	old.version.Store(s.version.Load())
	u := newView(t, t.shape, t.strides, t.offset)
	u.storage, u.tag, u.tape = old, t.tag, t.tape
	return u
}

// keep is keep for a tensor of the call. Of what a stepwise body makes itself it keeps a copy: a traced body may write
// what a derivative reads, because its ops have no effects, and both modes find the same.
func (c *call) keep(t *Tensor, read bool) saved {
	if read && c.trace == nil {
		if r := c.tag.step(); r != nil && t.storage.birth > r.start {
			t = contiguousCopy(t)
		}
	}
	return keep(t, read)
}

// keepOld copies the operands of an in-place op that it overwrites and its derivative reads.
func (c *call) keepOld() {
	for i, t := range c.args {
		if c.op.Reads.input(i) && t.storage == c.args[0].storage {
			if c.old == nil {
				c.old = make([]*Tensor, len(c.args))
			}
			c.old[i] = contiguousCopy(t)
		}
	}
}

// newNode records the op on its operands.
func (c *call) newNode() *tapeNode {
	n := &tapeNode{op: c.op, attrs: c.attrs, in: make([]saved, len(c.args))}
	if c.site != nil {
		n.pos = c.site.pos
	} else {
		n.pos = userPosition()
	}
	for i, t := range c.args {
		if c.old != nil && c.old[i] != nil {
			n.in[i] = keep(c.old[i], true)
		} else {
			n.in[i] = c.keep(t, c.op.Reads.input(i))
		}
		n.in[i].next, n.in[i].recorded = t.place(), isPlacedInGraph(t)
	}
	n.seq = nextStamp() // behind the nodes that place made
	return n
}

// recordTape gives the float results of a functional op or a view their place. An op without derivative takes one all
// the same: it is Backward that refuses it. Inside a traced body the operator as a whole takes its place, not the ops
// of its body.
func (c *call) recordTape(outs []*Tensor) {
	op, args := c.op, c.args
	onTrace, recorded := isTraced(args) || isTraced(outs), onTracedTape(args)
	if onTrace && !recorded {
		return
	}
	if op.Name == "detach" {
		if from := args[0].tape; from != nil && args[0].storage != nil {
			args[0].storage.gradOf().root.Store(from.owner())
		}
		outs[0].tape = detached
		return
	}
	if op.Kernel.View != nil && outs[0].storage != nil && outs[0].storage == args[0].storage && outs[0].storage.rewritten() != nil {
		return // it is found through the history, window by window
	}
	n := c.newNode()
	for i, t := range outs {
		kept := c.keep(t, op.Reads.output(i))
		kept.recorded = recorded
		n.out = append(n.out, kept)
		if !t.DType().IsFloat() {
			continue
		}
		e := &tapeEntry{edge: edge{n, i}, shape: t.dims(), history: t.storage.rewritten(), traced: recorded}
		if t.storage != nil && t.storage == args[0].storage {
			if from := args[0].tape; from != nil {
				e.leaf, e.root = from.leaf, from.owner()
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

// onTracedTape reports whether one of ts takes part in a derivative that is recorded into a graph.
func onTracedTape(ts []*Tensor) bool { return slices.ContainsFunc(ts, isPlacedInGraph) }

// isPlacedInGraph is onTracedTape for one tensor.
func isPlacedInGraph(t *Tensor) bool {
	if t.tape != nil && t.tape.traced {
		return true
	}
	h := t.storage.rewritten()
	return h != nil && h.traced
}

// isRecorded reports whether a derivative by ts is recorded into a graph: one is traced, or comes from one that is.
func isRecorded(ts []*Tensor) bool { return isTraced(ts) || onTracedTape(ts) }

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
	if dst.tape != detached && (len(g.leaves) > 0 || dst.tape != nil && dst.tape.leaf) {
		panic(refusal(hopcheck.Finding{Code: hopcheck.InPlaceOnLeaf, Op: name,
			Detail: name + " writes " + leafWritten(dst, g)}, userPosition()))
	}
	g.writeOp, g.writePos = name, userPosition()
}

// leafWritten says what dst is to the leaf for whose sake it cannot be written: the leaf, a view of it, or another tensor
// on its storage.
func leafWritten(dst *Tensor, g *storageGrad) string {
	what := describe(dst.meta())
	if dst.isLeaf() {
		return what + ", a leaf that requires grad"
	}
	var shape []int
	how := ", which shares storage with the leaf "
	if dst.tape != nil && dst.tape.leaf {
		shape, how = dst.tape.owner().shape, ", a view of the leaf "
	} else {
		shape = g.leaves[0].shape
	}
	return fmt.Sprintf("%s%s%s%v, which requires grad", what, how, dst.DType(), shape)
}

// putOp is the contents of a storage after a write to a window of it: of argument 0, with argument 1 in the window that
// view, with the node's attributes, has on it.
func putOp(view *opRow) *opRow {
	return &opRow{Name: "put", VJP: func(c *vjp, dy *Tensor) []*Tensor {
		grads := make([]*Tensor, 2)
		mine := c.take(0)
		dy = c.beside(c.Attrs(), dy)
		if !dy.IsContiguous() { // the window is one on a whole storage
			dy, mine = dy.Clone(), true
		}
		if c.Needs(1) {
			grads[1] = applyOp(view, c.Attrs(), dy).Clone()
		}
		if !c.Needs(0) {
			return grads
		}
		if c.onTape || traced(dy) != nil {
			outside := c.beside(c.Attrs(), onesLike(Bool, dy), dy)
			applyOp(view, c.Attrs(), outside).Zero()
			grads[0] = Where(outside, dy, newTensor(dy.DType(), nil))
			return grads
		}
		if !mine {
			dy = dy.Clone()
		}
		applyOp(view, c.Attrs(), dy).Zero()
		grads[0] = dy
		c.given[0] = true
		return grads
	}}
}

// recordWrite gives the receiver of an op that has just written it its new place.
func (c *call) recordWrite() {
	op, ts := c.op, c.args
	dst := ts[0]
	onTrace, recorded := isTraced(ts), onTracedTape(ts)
	if dst.tape == detached || !dst.DType().IsFloat() || onTrace && !recorded {
		return
	}
	if dst.storage == nil {
		panic(fmt.Sprintf("hop: a derivative writes a traced tensor through %s", op.writerName()))
	}
	n := c.newNode()
	n.out = []saved{c.keep(dst, op.Reads.output(0))}
	n.out[0].recorded = recorded
	made := dst.typeOnly()
	made.next = edge{n, 0}
	all := saved{shape: []int{dst.storage.n}, dtype: dst.DType()}
	var flat *tapeNode
	if dst.count() == dst.storage.n && dst.IsContiguous() {
		flat = plainNode(lib.op(idReshape), nil, all, made)
	} else {
		before := all
		before.next = dst.flatRoot()
		flat = plainNode(putOp(lib.op(idAsStrided)), dst.window(), all, before, made)
	}
	h := &history{base: edge{flat, 0}, traced: recorded}
	dst.storage.gradOf().history = h
	dst.tape = &tapeEntry{edge: made.next, shape: dst.dims(), history: h, traced: recorded}
}

// flatRoot returns the edge of the whole storage before a write through t; the zero edge when it required no grad.
func (t *Tensor) flatRoot() edge {
	if h := t.storage.rewritten(); h != nil {
		return h.base
	}
	if t.tape == nil {
		return edge{}
	}
	root := t.tape.owner()
	// Results of ops own their whole storage, row by row.
	return root.reshaped(t.storage, []int{t.storage.n}).edge
}
