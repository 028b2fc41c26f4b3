package tracer

import (
	"go/token"
	"sync/atomic"

	"github.com/hoplint/hoplint/hopcheck"
)

// Options describe a trace: of a whole function, or of one body of a HOP.
type Options struct {
	// Name of the graph.
	Name string
	// Ops are the shape rules; a child without any uses its parent's.
	Ops OpSet
	// Born is the stamp of the moment when the trace was opened, from the counter that stamps storages. A trace that
	// meets a value of an older open trace becomes its child; see [SubgraphTracer.AdoptBy].
	Born uint64
	// Now, of a root, draws a stamp for each write, from the same counter. With it, a write that an older trace records
	// while a younger one is open is a write by the younger body, should that turn out to be inside. It may be nil.
	Now func() uint64
	// Operator is the HOP as contracts name it, e.g. "scan", and Param the parameter that holds the body, e.g.
	// "combine". They select the contract row; an unknown operator permits nothing.
	Operator, Param string
	// Branch says which function it is where the parameter holds several, as that of a switch does.
	Branch int
	// Probe says that the trace stands for an operator that runs op by op and has no steps: it finds out what the body
	// would return.
	Probe bool
	// Pos is the call of the operator.
	Pos token.Position
	// Import says how a captured tensor joins the trace that adopts this one: a tensor born while that one was open
	// is no capture of it. nil makes it a constant of the adopting root.
	Import func(t *SubgraphTracer, c Capture) (*Value, error)
	// Local is what the runtime keeps for the trace; a child without any uses its parent's. The tracer does not look at it.
	Local any
}

// SubgraphTracer records one body into a graph. Tracers nest: a root has a stack of open children, one for each HOP
// body being traced. A trace belongs to one goroutine; different traces share nothing that changes.
type SubgraphTracer struct {
	opts     Options
	contract *hopcheck.Contract
	words    string // names the body in messages
	parent   *SubgraphTracer
	stack    []*SubgraphTracer // of a root: itself and the open children, innermost last
	family   []*SubgraphTracer // of a root: itself and all tracers below that were ever opened
	closed   bool
	recorded bool // closed, and part of the graph around it

	graph    *Graph
	explicit []placeholder
	lifted   []placeholder
	// shown says which node of this graph stands for a value of an outer tracer, written what a base of an outer
	// tracer contains after a write by this body.
	shown   map[*Value]shown
	written map[*Value]shown
	watches []watch

	constants map[any]*Value   // of a root: by key
	stores    map[any]*Store   // of a root: by identity of the real storage
	captured  []*Value         // of a root: aligned with the graph's constants
	env       *env             // of a root: its symbols
	order     int              // of a root: writes logged so far
	bound     map[string]*Node // integers that this graph has, by expression
	overwrote []overwrite      // what this tracer wrote, where there is a clock
	unused    []*Node          // compound integers that may become nodes

	busy atomic.Bool // of a root: an operation is being recorded

	names names
	slabs *slabs // of the trace that it was opened in
}

// placeholder is an input of the graph: what it stands for outside, and its node. The value of an explicit tensor
// input is the body's own.
type placeholder struct {
	value *Value
	node  *Node
	auto  bool // a symbol that was bound because a tensor's sizes mention it
}

// shown is the node that shows a value's contents of one generation.
type shown struct {
	node *Node
	gen  uint64
}

// overwrite is a write to the storage of base.
type overwrite struct {
	base  *Value
	stamp uint64
}

// watch remembers the version that a storage had when the body first met it.
type watch struct {
	store *Store
	place hopcheck.Place
	start uint64
}

// NewTracer opens a root trace.
func NewTracer(o Options) *SubgraphTracer {
	t := newTracer(o)
	t.slabs = new(slabs)
	t.stack, t.family = make([]*SubgraphTracer, 1, 4), make([]*SubgraphTracer, 1, 4)
	t.stack[0], t.family[0] = t, t
	return t
}

func newTracer(o Options) *SubgraphTracer {
	t := &SubgraphTracer{opts: o, words: "function", graph: &Graph{Name: cleanName(o.Name), ops: o.Ops, Nodes: make([]*Node, 0, 2*firstChunk)}}
	if o.Operator != "" {
		t.contract, _ = hopcheck.ContractNamed(o.Operator)
	}
	if c := t.contract; c != nil {
		b := c.Body(o.Param)
		if b == nil && len(c.Bodies) == 1 {
			b = &c.Bodies[0]
		}
		if b != nil {
			t.words = b.Words
		}
	}
	return t
}

// Child opens a trace below the innermost open trace of t's root, which it becomes itself.
func (t *SubgraphTracer) Child(o Options) *SubgraphTracer {
	if o.Ops == nil {
		o.Ops = t.opts.Ops
	}
	if o.Local == nil {
		o.Local = t.opts.Local
	}
	root := t.Root()
	child := newTracer(o)
	child.parent, child.slabs = root.Current(), t.slabs
	root.stack, root.family = append(root.stack, child), append(root.family, child)
	return child
}

// Parent returns the enclosing tracer, nil for a root.
func (t *SubgraphTracer) Parent() *SubgraphTracer { return t.parent }

// Root returns the outermost tracer around t.
func (t *SubgraphTracer) Root() *SubgraphTracer {
	for t.parent != nil {
		t = t.parent
	}
	return t
}

// Current returns the innermost open tracer of t's root: the one that records operations now. It is nil when the
// root is closed.
func (t *SubgraphTracer) Current() *SubgraphTracer {
	stack := t.Root().stack
	if len(stack) == 0 {
		return nil
	}
	return stack[len(stack)-1]
}

// At returns the innermost open tracer of t's root that was opened before the stamp: the body in which a storage with
// that birth stamp was born. It is nil when the storage is older than the root.
func (t *SubgraphTracer) At(stamp uint64) *SubgraphTracer {
	stack := t.Root().stack
	for i := len(stack) - 1; i >= 0; i-- {
		if stack[i].opts.Born < stamp {
			return stack[i]
		}
	}
	return nil
}

// Enter claims the trace for one operation and reports whether nobody else is recording: a trace belongs to one
// goroutine. Who entered must [SubgraphTracer.Leave].
func (t *SubgraphTracer) Enter() bool { return t.Root().busy.CompareAndSwap(false, true) }

// Leave ends what Enter began.
func (t *SubgraphTracer) Leave() { t.Root().busy.Store(false) }

// Closed reports whether the trace has ended.
func (t *SubgraphTracer) Closed() bool { return t.closed }

// Born returns the stamp that the trace was opened with.
func (t *SubgraphTracer) Born() uint64 { return t.opts.Born }

// Local returns what the runtime keeps for the trace.
func (t *SubgraphTracer) Local() any { return t.opts.Local }

// Operator returns the operator whose body is traced.
func (t *SubgraphTracer) Operator() string { return t.opts.Operator }

// Probing reports whether t, or a trace around it, is a probe.
func (t *SubgraphTracer) Probing() bool {
	for ; t != nil; t = t.parent {
		if t.opts.Probe {
			return true
		}
	}
	return false
}

// Words names the traced body as messages do, e.g. "combine function".
func (t *SubgraphTracer) Words() string { return t.words }

// Graph returns the graph being recorded. Its inputs and outputs are in place once the trace is closed.
func (t *SubgraphTracer) Graph() *Graph { return t.graph }

// Path returns the nested operators from the root to t, e.g. scan / cond.onTrue; the graph's name when there is none.
func (t *SubgraphTracer) Path() string {
	path := ""
	for u := t; u != nil; u = u.parent {
		switch {
		case u.opts.Operator == "":
		case path == "":
			path = u.Segment()
		default:
			path = u.Segment() + " / " + path
		}
	}
	if path == "" {
		return t.graph.Name
	}
	return path
}

// Segment is t's part of the path: the operator, and the body where the operator has several.
func (t *SubgraphTracer) Segment() string {
	switch {
	case t.opts.Operator == "":
		return t.graph.Name
	case t.contract == nil && t.opts.Param != "":
		return t.opts.Operator + "." + t.opts.Param
	case t.contract == nil:
		return t.opts.Operator
	}
	body := t.opts.Branch
	for i := range t.contract.Bodies {
		if b := &t.contract.Bodies[i]; b.Param == t.opts.Param && !b.Variadic {
			body = i
		}
	}
	return hopcheck.Segment(t.opts.Operator, body, -1)
}

// pop ends t and whatever is still open inside it.
func (t *SubgraphTracer) pop() {
	if t.closed {
		return
	}
	root := t.Root()
	for i := len(root.stack) - 1; i >= 0; i-- {
		inner := root.stack[i]
		inner.closed = true
		root.stack = root.stack[:i]
		if inner == t {
			return
		}
	}
}

// encloses reports whether t is u or an outer tracer of u.
func (t *SubgraphTracer) encloses(u *SubgraphTracer) bool {
	for ; u != nil; u = u.parent {
		if u == t {
			return true
		}
	}
	return false
}
