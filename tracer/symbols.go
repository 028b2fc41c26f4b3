package tracer

import (
	"fmt"
	"go/token"
	"slices"
)

// Int returns i as a value of t: a symbol is the value that made it, a compound expression is computed where t is when
// it is used. Captured by an inner body, both are one input each. A constant is no value: it is a Go int.
func (t *SubgraphTracer) Int(i Int) (*Value, error) {
	if _, ok := i.Const(); ok {
		return nil, fmt.Errorf("tracer: %s is a constant and needs no value", i)
	}
	if name, ok := i.Symbol(); ok {
		return t.symbolValue(name)
	}
	return t.Number(i), nil
}

// IntAt is Int for an expression that the user's call at pos made.
func (t *SubgraphTracer) IntAt(i Int, pos token.Position) (*Value, error) {
	v, err := t.Int(i)
	if err == nil && v.made.Op == OpInt && v.node == nil {
		v.made.Pos = pos
	}
	return v, err
}

// Number is Int for an expression, or for a constant that an operator takes or a body returns.
func (t *SubgraphTracer) Number(i Int) *Value {
	v := t.slabs.value()
	v.owner, v.made = t, t.slabs.node()
	v.made.Op, v.made.Meta, v.made.value = OpInt, Meta{Int: &i}, v
	t.unused = append(t.unused, v.made)
	return v
}

// symbolValue returns the integer that a symbol stands for. The size of a tensor becomes a node here, right behind
// the tensor.
func (t *SubgraphTracer) symbolValue(name string) (*Value, error) {
	s := t.symbol(name)
	switch {
	case s == nil:
		return nil, fmt.Errorf("tracer: %s is no symbol of %s", name, t.Root().Path())
	case s.value != nil:
		return s.value, nil
	case s.owner == nil && s.backed:
		root := t.Root()
		root.bindBacked(s, &root.explicit)
		return s.value, nil
	case s.owner == nil:
		return nil, fmt.Errorf("tracer: no value has made the symbol %s yet", name)
	case s.owner.closed:
		return nil, leak(s.def, t)
	}
	return s.owner.sizeNode(s), nil
}

// bindBacked makes the symbol an input of the root t.
func (t *SubgraphTracer) bindBacked(s *symbolInfo, list *[]placeholder) {
	i := symbol(s.name)
	n := t.placeholder(s.name, Meta{Int: &i})
	s.owner, s.value = t, t.base(n)
	*list = append(*list, placeholder{value: s.value, node: n, auto: true})
	t.bind(s.name, n)
}

// sizeNode records the size that made a symbol, right behind the tensor that has it.
func (t *SubgraphTracer) sizeNode(s *symbolInfo) *Value {
	i := symbol(s.name)
	n := t.newNode(s.name, OpSize, Meta{Int: &i})
	n.Args, n.Attrs, n.Pos = []*Node{s.def.made}, Attrs{{"dim", s.dim}}, s.def.made.Pos
	at := slices.Index(t.graph.Nodes, s.def.made) + 1
	t.graph.Nodes = slices.Insert(t.graph.Nodes, at, n)
	t.bind(s.name, n)
	s.value = t.slabs.value()
	s.value.owner, s.value.made, s.value.node = t, n, n
	n.value = s.value
	return s.value
}

func (t *SubgraphTracer) bind(text string, n *Node) {
	if t.bound == nil {
		t.bound = map[string]*Node{}
	}
	if t.bound[text] == nil {
		t.bound[text] = n
	}
}

// bindSizes makes the symbols of a tensor's sizes inputs of t, in the order of its dims, so that they stand before it.
func (t *SubgraphTracer) bindSizes(m Meta, list *[]placeholder) error {
	for _, d := range m.Shape {
		if d.expr == nil {
			continue
		}
		for _, name := range d.Symbols() {
			if err := t.bindSymbol(name, list, true); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *SubgraphTracer) bindSymbol(name string, list *[]placeholder, auto bool) error {
	if t.bound[name] != nil {
		return nil
	}
	s := t.symbol(name)
	if s != nil && s.backed && s.owner == nil && t.parent == nil {
		t.bindBacked(s, list)
		return nil
	}
	if s != nil && !s.backed && (s.owner == nil || s.owner == t && s.value == nil && list != &t.lifted) {
		return nil // made by the value itself
	}
	v, err := t.symbolValue(name)
	if err != nil {
		return err
	}
	if v.owner == t {
		n, err := t.Use(v)
		if err == nil {
			t.bind(name, n)
		}
		return err
	}
	outer, err := t.parent.Use(v)
	if err != nil {
		return err
	}
	_, err = t.liftInt(v, outer, list, auto)
	return err
}

// bindInputSizes binds the symbols of an explicit input. Operators whose inputs come in sections (carries, slices) take
// the symbols behind them, with the lifted ones.
func (t *SubgraphTracer) bindInputSizes(m Meta) error {
	list := &t.explicit
	if t.parent != nil && sectioned(t.opts.Operator) {
		list = &t.lifted
	}
	return t.bindSizes(m, list)
}

// bindAttrs binds what the symbolic attributes of an op mention, unless the whole expression is bound.
func (t *SubgraphTracer) bindAttrs(attrs Attrs) error {
	for i := range attrs {
		switch v := attrs[i].Value.(type) {
		case Int:
			if err := t.bindInt(v); err != nil {
				return err
			}
		case []Int:
			for _, d := range v {
				if err := t.bindInt(d); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (t *SubgraphTracer) bindInt(i Int) error {
	if i.expr == nil || t.bound[i.expr.text] != nil {
		return nil
	}
	for _, name := range i.Symbols() {
		if err := t.bindSymbol(name, &t.lifted, false); err != nil {
			return err
		}
	}
	return nil
}

// inputInt makes an explicit integer input. Its symbol belongs to it unless another input made it.
func (t *SubgraphTracer) inputInt(name string, m Meta) *Value {
	n := t.placeholder(name, m)
	v := t.base(n)
	if _, constant := m.Int.Const(); !constant {
		t.bind(m.Int.String(), n)
	}
	t.explicit = append(t.explicit, placeholder{value: v, node: n})
	return v
}

// liftInt makes an integer of an outer tracer an input: a compound one as a whole, without its parts.
func (t *SubgraphTracer) liftInt(v *Value, outer *Node, list *[]placeholder, auto bool) (*Node, error) {
	text := v.made.Meta.Int.String()
	if n := t.bound[text]; n != nil {
		t.show(v, shown{node: n})
		return n, nil
	}
	n := t.placeholder(outer.Name, v.made.Meta)
	n.Pos, n.value = v.made.Pos, v
	*list = append(*list, placeholder{value: v, node: n, auto: auto})
	t.show(v, shown{node: n})
	t.bind(text, n)
	return n, nil
}

// computeInt records the node of a compound expression, from the symbols that it mentions.
func (t *SubgraphTracer) computeInt(v *Value) (*Node, error) {
	i := *v.made.Meta.Int
	if n := t.bound[i.String()]; n != nil {
		v.node = n
		return n, nil
	}
	var args []*Node
	for _, name := range i.Symbols() {
		if err := t.bindSymbol(name, &t.lifted, false); err != nil {
			return nil, err
		}
		args = append(args, t.bound[name])
	}
	n := v.made
	n.Name, n.Args = t.names.take(OpInt), args
	if clock := t.Root().opts.Now; clock != nil {
		n.stamp = clock()
	}
	t.graph.Nodes = append(t.graph.Nodes, n)
	v.node = n
	t.bind(i.String(), n)
	return n, nil
}

// claim makes v the maker of the unbacked symbols that nobody made before.
func (t *SubgraphTracer) claim(v *Value) {
	m := v.made.Meta
	if m.Int != nil {
		name, ok := m.Int.Symbol()
		if !ok {
			return
		}
		t.bind(name, v.made)
		if s := t.symbol(name); s != nil && s.owner == nil {
			s.owner, s.value = t, v
			if !s.backed && !s.given {
				t.bounded(s, v.made.Pos)
			}
		}
		return
	}
	for i, d := range m.Shape {
		name, ok := d.Symbol()
		if !ok {
			continue
		}
		if s := t.symbol(name); s != nil && s.owner == nil && !s.backed {
			s.owner, s.def, s.dim = t, v, i
			t.bounded(s, v.made.Pos)
		}
	}
}

// sectioned reports whether the bodies of an operator take their explicit inputs in sections, or are called with them
// alone, so that nothing may stand between them.
func sectioned(op string) bool {
	switch op {
	case "cond", "switch", "checkpoint", "subgraph", "trace", "compile":
		return false
	}
	return true
}

// adoptSymbols moves the symbols of an adopted root into the environment of the adopting one, under names that are
// free there. adopted are the tracers that may mention them.
func (t *SubgraphTracer) adoptSymbols(from *env, adopted []*SubgraphTracer) {
	if from == nil || len(from.order) == 0 {
		return
	}
	e := t.environment()
	names := map[string]Int{}
	for _, s := range from.order {
		name := s.name
		switch {
		case e.symbols[name] == nil:
		case s.backed:
			name = e.free("s", &e.backed)
		default:
			name = e.free("u", &e.unbacked)
		}
		names[s.name], s.name = symbol(name), name
		e.add(s)
	}
	for _, inner := range adopted {
		inner.graph.replace(names)
		for _, n := range inner.unused {
			n.Meta = n.Meta.replace(names)
		}
		bound := make(map[string]*Node, len(inner.bound))
		for _, n := range inner.bound {
			bound[n.Meta.Int.String()] = n
		}
		inner.bound = bound
	}
}
