package tracer

import (
	"go/token"

	"github.com/hoplint/hoplint/hopcheck"
)

// Value is a tensor, or a symbolic integer, seen while tracing. It belongs to one tracer and, in the graphs of that
// tracer and of the bodies below it, stands for a node. A tensor that was written stands for another node afterwards.
type Value struct {
	owner *SubgraphTracer
	// store is the storage; nil for a symbolic integer.
	store *Store
	// base owns the storage; a base is its own base. from is the value that a view was taken of, nil for a base.
	base, from *Value
	// made is the node that made the value: its meta and position never change.
	made *Node
	// node shows the contents of generation gen in the owner's graph. A view is stale when its base is newer.
	node *Node
	gen  uint64
	// capture is set for a captured concrete tensor.
	capture *Capture
	// same is the value that this one turned out to be, when its trace was adopted by one that knew it already.
	same *Value
	// own is where the storage of a base lives, so that a fresh result is one allocation.
	own Store
}

// Store is the storage of traced tensors: its identity and version counter, no data.
type Store struct {
	version uint64
	birth   uint64 // stamp of creation where a body may turn out to have made it, else 0
	log     *log   // of a storage that a body was given or captured; nil for one made and used in one body
	same    *Store // the storage that this one turned out to be
}

// log is what a finding about a storage tells.
type log struct {
	place  hopcheck.Place // when an input or a captured tensor owns the storage
	seen   uint64         // version of the real storage that the version accounts for
	writes []write
}

// logged returns the log of s.
func (s *Store) logged() *log {
	if s.log == nil {
		s.log = &log{}
	}
	return s.log
}

// write is one entry of a storage's log.
type write struct {
	op     string
	stamp  uint64 // 0 when the trace has no clock
	pos    token.Position
	dst    *Value
	before uint64
	order  int // among all writes of the root
}

// Meta returns dtype and shape.
func (v *Value) Meta() Meta { return v.made.Meta }

// Pos returns the position of the call that made the value.
func (v *Value) Pos() token.Position { return v.made.Pos }

// Tracer returns the tracer that owns the value. Operations on it are recorded by that tracer's Current.
func (v *Value) Tracer() *SubgraphTracer { return v.real().owner }

// Version returns the writes to the value's storage so far, on top of the version that a captured tensor came with.
func (v *Value) Version() uint64 {
	if v = v.real(); v.store == nil {
		return 0
	}
	return v.store.real().version
}

// BornAt says when the storage of v, which joined the trace after it was made, was born, from the counter that stamps
// traces, and how often it was written before.
func (v *Value) BornAt(stamp, version uint64) {
	s := v.real().store
	s.birth, s.version = stamp, version
}

// SharesStore reports whether v and u are tensors over one storage.
func (v *Value) SharesStore(u *Value) bool {
	v, u = v.real(), u.real()
	return v.store != nil && u.store != nil && v.store.real() == u.store.real()
}

// IsView reports whether v was made by a view op.
func (v *Value) IsView() bool { return v.real().from != nil }

// Capture returns the captured tensor that v stands for, or nil.
func (v *Value) Capture() *Capture { return v.real().capture }

// Base returns the value that v is a view of, over all views; v itself when it is none.
func (v *Value) Base() *Value { return v.real().whole() }

// Views returns the view ops that lead from the storage's base to v, in order.
func (v *Value) Views() []ViewStep {
	v = v.real()
	n := 0
	for u := v; u.from != nil; u = u.from.real() {
		n++
	}
	steps := make([]ViewStep, n)
	for u := v; u.from != nil; u = u.from.real() {
		n--
		steps[n] = ViewStep{Op: u.made.Op, Attrs: u.made.Attrs, Pos: u.made.Pos}
	}
	return steps
}

// ViewStep is one view op of a chain.
type ViewStep struct {
	Op    string
	Attrs Attrs
	Pos   token.Position
}

// real follows the values that v turned out to be.
func (v *Value) real() *Value {
	for v.same != nil {
		v = v.same
	}
	return v
}

// whole returns the base of v's storage: a captured tensor that was one may have turned out to be a view.
func (v *Value) whole() *Value {
	b := v.base.real()
	for b.from != nil {
		b = b.base.real()
	}
	return b
}

func (s *Store) real() *Store {
	for s.same != nil {
		s = s.same
	}
	return s
}

// Capture is a concrete tensor that a body uses without receiving it.
type Capture struct {
	// Key tells captures apart: the same key is the same input. Store does so for their storages.
	Key, Store any
	// Name is the captured variable, if known; it may be empty.
	Name string
	Meta Meta
	// Version of the real storage at the time of the call.
	Version uint64
	// Payload is the caller's tensor; the tracer only keeps it.
	Payload any
}
