package tracer

import (
	"fmt"
	"go/token"

	"github.com/hoplint/hoplint/hopcheck"
)

// Input makes an explicit input of the body. The symbols of its sizes that are not bound yet become inputs first; in the
// body of an operator whose inputs come in sections they are lifted ones and stand behind. An integer input makes its
// symbol. It panics when a size mentions a symbol that no open trace around t has.
func (t *SubgraphTracer) Input(name string, m Meta, place hopcheck.Place) *Value {
	if m.Int != nil {
		return t.inputInt(name, m)
	}
	if err := t.bindInputSizes(m); err != nil {
		panic(err)
	}
	n := t.placeholder(name, m)
	v := t.base(n)
	v.own.log = &log{place: place}
	if t.explicit == nil {
		t.explicit = make([]placeholder, 0, 4)
	}
	t.explicit = append(t.explicit, placeholder{value: v, node: n})
	t.watchStore(v.store, place)
	return v
}

// Share says that two inputs, or captured tensors, of t are windows on one storage of the caller: a write to one is a
// write to both, and an output that is a view of one shares storage with both.
func (t *SubgraphTracer) Share(a, b *Value) {
	s, into := b.real().store.real(), a.real().store.real()
	if s == into {
		return
	}
	for i := range t.watches {
		if w := &t.watches[i]; w.store == s {
			w.store, w.start = into, into.version-(s.version-w.start)
		}
	}
	into.logged().writes = append(into.logged().writes, s.logged().writes...)
	s.same = into
}

// Constant returns the value for a captured concrete tensor. It becomes a constant of the root graph, once for each
// key, and, when it is used, a lifted input of every body on the way to t.
func (t *SubgraphTracer) Constant(c Capture) *Value {
	root := t.Root()
	v := root.constants[c.Key]
	if v == nil {
		v = root.newConstant(c)
	}
	store := v.store.real()
	if c.Version > store.logged().seen {
		// Nobody recorded that write; it was made by an op on concrete operands only.
		t.told(store, c.Version, "", token.Position{})
	}
	return v
}

func (t *SubgraphTracer) newConstant(c Capture) *Value {
	if t.constants == nil {
		t.constants, t.stores = map[any]*Value{}, map[any]*Store{}
	}
	name := cleanName(c.Name)
	if name == "" {
		name = "w"
	}
	n := t.newNode(name, OpConstant, c.Meta)
	t.graph.Constants = append(t.graph.Constants, n)
	v := t.base(n)
	v.capture = &c
	t.constants[c.Key] = v
	t.captured = append(t.captured, v)
	place := hopcheck.Place{Role: hopcheck.Captured, Label: c.Name}
	if s := t.stores[c.Store]; s != nil && c.Store != nil {
		v.store = s
	} else {
		v.own.version, v.own.log = c.Version, &log{place: place, seen: c.Version}
		t.stores[c.Store] = v.store
	}
	t.watchStore(v.store, place)
	return v
}

// Mutated says that the real storage of the captured tensor with the given key moved to version after: an op on
// concrete operands only wrote it while t's body was traced. op and pos are empty when they are not known. Saying it
// twice changes nothing; a key that is no input of the trace is ignored. Every open trace that uses the tensor
// reports the write when it closes.
func (t *SubgraphTracer) Mutated(key any, after uint64, op string, pos token.Position) {
	v := t.Root().constants[key]
	if v == nil {
		return
	}
	t.told(v.store.real(), after, op, pos)
}

// Wrote returns the first write, if there is one, that the trace recorded to the captured tensor with the given key.
func (t *SubgraphTracer) Wrote(key any) (op string, pos token.Position, ok bool) {
	v := t.Root().constants[key]
	if v == nil {
		return "", token.Position{}, false
	}
	s := v.store.real()
	w := firstWrite(s, v.capture.Version)
	if s.version == v.capture.Version || w == nil {
		return "", token.Position{}, false
	}
	return w.op, w.pos, true
}

// told brings a captured storage up to a version of the real one.
func (t *SubgraphTracer) told(s *Store, after uint64, op string, pos token.Position) {
	l := s.logged()
	if after <= l.seen {
		return
	}
	l.writes = append(l.writes, write{op: op, pos: pos, before: s.version, order: t.nextWrite()})
	s.version += after - l.seen
	l.seen = after
}

// Literal records a concrete tensor that was born in t's body, with the bytes that it has at its first use.
func (t *SubgraphTracer) Literal(l *Literal, pos token.Position) *Value {
	return t.base(t.add(OpLiteral, Attrs{{"value", l}}, TensorMeta(l.DType, l.Shape...), pos))
}

// Emit records an op that makes fresh results. A tuple meta gives one node and a get node for each part.
func (t *SubgraphTracer) Emit(op string, args []*Value, attrs Attrs, meta Meta, pos token.Position) ([]*Value, error) {
	n, err := t.record(op, args, attrs, meta, pos)
	if err != nil {
		return nil, err
	}
	return t.results(n), nil
}

// Emit1 is Emit for an op with one result.
func (t *SubgraphTracer) Emit1(op string, args []*Value, attrs Attrs, meta Meta, pos token.Position) (*Value, error) {
	if meta.Elems != nil {
		return nil, fmt.Errorf("tracer: %s has the %d results %s; want one", op, len(meta.Elems), meta)
	}
	n, err := t.record(op, args, attrs, meta, pos)
	if err != nil {
		return nil, err
	}
	return t.fresh(n), nil
}

func (t *SubgraphTracer) record(op string, args []*Value, attrs Attrs, meta Meta, pos token.Position) (*Node, error) {
	if t.closed {
		return nil, fmt.Errorf("tracer: %s recorded in %s, which has ended", op, t.Path())
	}
	list := t.slabs.list(len(args))
	for i, a := range args {
		n, err := t.Use(a)
		if err != nil {
			return nil, usedAt(err, pos)
		}
		list[i] = n
	}
	if err := t.bindAttrs(attrs); err != nil {
		return nil, err
	}
	n := t.add(op, attrs, meta, pos)
	n.Args = list
	return n, nil
}

// results returns the values of a node: itself, or one get node for each part of a tuple.
func (t *SubgraphTracer) results(n *Node) []*Value {
	if n.Meta.Elems == nil {
		return []*Value{t.fresh(n)}
	}
	values := make([]*Value, len(n.Meta.Elems))
	for i, m := range n.Meta.Elems {
		get := t.add(OpGet, Attrs{{"index", i}}, m, n.Pos)
		get.Args = t.slabs.list(1)
		get.Args[0] = n
		values[i] = t.fresh(get)
	}
	return values
}

// View records an op whose result is a window on v's storage.
func (t *SubgraphTracer) View(op string, v *Value, attrs Attrs, meta Meta, pos token.Position) (*Value, error) {
	v = v.real()
	if v.store == nil {
		return nil, fmt.Errorf("tracer: %s is a view op and %s is no tensor", op, v.made.Name)
	}
	n, err := t.record(op, []*Value{v}, attrs, meta, pos)
	if err != nil {
		return nil, err
	}
	view := t.slabs.value()
	*view = Value{owner: t, store: v.store, base: v.whole(), from: v, made: n, node: n, gen: t.generation(v)}
	n.value = view
	t.claim(view)
	return view, nil
}

// Write records that the contents of dst become those of src, through the in-place op of the given name. The storage's
// version goes up by one; its base gets new contents, in which the views that lead to dst are replaced from the
// inside out. Other views of the storage are made anew when they are used next.
func (t *SubgraphTracer) Write(dst, src *Value, op string, pos token.Position) error {
	dst = dst.real()
	if dst.store == nil || !dst.made.Meta.Equal(src.real().made.Meta) {
		return fmt.Errorf("tracer: %s writes %s to %s; want equal types", op, src.real().made.Meta, dst.made.Meta)
	}
	value, err := t.Use(src)
	if err != nil {
		return usedAt(err, pos)
	}
	base := dst.whole()
	gen := t.generation(base) + 1
	for v := dst; v.from != nil; v = v.from.real() {
		t.setNode(v, shown{value, gen})
		whole, err := t.Use(v.from)
		if err != nil {
			return usedAt(err, pos)
		}
		attrs := make(Attrs, 0, 1+len(v.made.Attrs))
		attrs = append(append(attrs, Attr{"view", v.made.Op}), v.made.Attrs...)
		if err := t.bindAttrs(v.made.Attrs); err != nil {
			return err
		}
		n := t.add(OpPut, attrs, v.from.real().made.Meta, pos)
		n.Args = t.slabs.list(2)
		n.Args[0], n.Args[1] = whole, value
		n.value = base
		value = n
	}
	if base.owner == t {
		base.node, base.gen = value, gen
	} else {
		if _, err := t.Use(base); err != nil { // the body reads and writes it: it is an input in any case
			return usedAt(err, pos)
		}
		if t.written == nil {
			t.written = map[*Value]shown{}
		}
		t.written[base] = shown{value, gen}
	}
	store := dst.store.real()
	clock := t.Root().opts.Now
	if store.log != nil || base.owner != t || clock != nil {
		w := write{op: op, pos: pos, dst: dst, before: store.version, order: t.nextWrite()}
		if clock != nil {
			w.stamp = clock()
			t.overwrote = append(t.overwrote, overwrite{base, w.stamp})
		}
		l := store.logged()
		l.writes = append(l.writes, w)
	}
	store.version++
	return nil
}

// nextWrite numbers the writes of a root trace.
func (t *SubgraphTracer) nextWrite() int {
	root := t.Root()
	root.order++
	return root.order
}

// setNode says what v contains, so that the value just written is not read back through the base.
func (t *SubgraphTracer) setNode(v *Value, s shown) {
	if v.owner == t {
		v.node, v.gen = s.node, s.gen
		return
	}
	t.show(v, s)
}

// fresh is base for a result of an op: a storage that was born now.
func (t *SubgraphTracer) fresh(n *Node) *Value {
	v := t.base(n)
	if v.store != nil {
		v.own.birth = n.stamp
	}
	return v
}

// base makes a value with a storage of its own for a node, or a symbolic integer.
func (t *SubgraphTracer) base(n *Node) *Value {
	v := t.slabs.value()
	v.owner, v.made, v.node = t, n, n
	n.value = v
	if n.Meta.Int == nil {
		v.base, v.store = v, &v.own
	}
	t.claim(v)
	return v
}

func (t *SubgraphTracer) placeholder(name string, m Meta) *Node {
	if name = cleanName(name); name == "" {
		name = "x"
	}
	return t.newNode(name, OpInput, m)
}

// add appends a node to the graph.
func (t *SubgraphTracer) add(op string, attrs Attrs, m Meta, pos token.Position) *Node {
	n := t.newNode(op, op, m)
	n.Attrs, n.Pos = attrs, pos
	t.graph.Nodes = append(t.graph.Nodes, n)
	return n
}

func (t *SubgraphTracer) newNode(name, op string, m Meta) *Node {
	n := t.slabs.node()
	n.Name, n.Op, n.Meta = t.names.take(name), op, m
	if clock := t.Root().opts.Now; clock != nil {
		n.stamp = clock()
	}
	return n
}
