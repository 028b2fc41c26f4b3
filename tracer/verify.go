package tracer

import (
	"fmt"
	"slices"
)

// SetOps gives the graph the shape rules with which Verify infers the metas anew, those of bodies, too, that have no
// rules of their own. It does not write to bodies: they may be shared with graphs that other goroutines read.
func (g *Graph) SetOps(ops OpSet) { g.ops = ops }

// Verify checks what every graph must be: names unique and readable, each node made once and before its use in the
// same graph, operators called as their contracts say with bodies that fit, sizes and integers computed from symbols
// that the graph has, and metas equal to those inferred anew (of plain ops only after [Graph.SetOps]). The error names
// the path to the node.
func (g *Graph) Verify() error {
	v := verifier{open: map[*Graph]bool{}, done: map[*Graph]bool{}, seen: map[*Node]bool{}}
	return v.graph(g, nil, "", true)
}

type verifier struct {
	open map[*Graph]bool // graphs around the present one
	done map[*Graph]bool // bodies that were checked: several nodes may share one
	seen map[*Node]bool  // nodes of all graphs
}

// scope is what one graph has defined so far.
type scope struct {
	names map[string]bool
	nodes map[*Node]bool
	bound map[string]bool // symbols, and whole expressions, that have a node
	made  map[string]bool // symbols that appeared in a result: a node could be made for them
}

func (v *verifier) graph(g *Graph, ops OpSet, path string, root bool) error {
	where := func(n *Node, err error) error {
		return fmt.Errorf("graph %s%s: %s: %s: %w", path, g.Name, n.Name, n.Op, err)
	}
	if g == nil {
		return fmt.Errorf("graph %s: a body is nil", path)
	}
	if v.open[g] {
		return fmt.Errorf("graph %s%s contains itself", path, g.Name)
	}
	if v.done[g] {
		return nil
	}
	v.open[g], v.done[g] = true, true
	defer delete(v.open, g)
	if g.Name != "" && !isName(g.Name) {
		return fmt.Errorf("graph %s: the name %q cannot be printed", path, g.Name)
	}
	if g.ops != nil {
		ops = g.ops
	}
	if !root && len(g.Constants) > 0 {
		return fmt.Errorf("graph %s%s: has constants; only a root graph has any", path, g.Name)
	}
	s := scope{map[string]bool{}, map[*Node]bool{}, map[string]bool{}, map[string]bool{}}
	for _, n := range g.Inputs {
		if n.Op != OpInput {
			return where(n, fmt.Errorf("is no %s", OpInput))
		}
		s.bindInt(n)
	}
	for _, n := range g.Inputs {
		if err := v.leaf(n, &s, root); err != nil {
			return where(n, err)
		}
	}
	for _, n := range g.Constants {
		if n.Op != OpConstant || !n.Meta.IsTensor() {
			return where(n, fmt.Errorf("is no %s, or no tensor", OpConstant))
		}
		if err := v.leaf(n, &s, root); err != nil {
			return where(n, err)
		}
	}
	for _, n := range g.Nodes {
		if err := v.define(n, &s); err != nil {
			return where(n, err)
		}
		for _, a := range n.Args {
			if !s.nodes[a] || a == n {
				return where(n, fmt.Errorf("argument %s is not defined before it in the same graph", a.Name))
			}
		}
		for _, body := range n.Graphs {
			if err := v.graph(body, ops, path+g.Name+"/"+n.Name+"/", false); err != nil {
				return err
			}
		}
		if err := v.op(n, ops); err != nil {
			return where(n, err)
		}
		if err := s.attrs(n.Attrs); err != nil {
			return where(n, err)
		}
		s.result(n)
	}
	for _, n := range g.Outputs {
		if !s.nodes[n] {
			return fmt.Errorf("graph %s%s: output %s is no node of it", path, g.Name, n.Name)
		}
		if n.Meta.Elems != nil {
			return fmt.Errorf("graph %s%s: output %s is a tuple", path, g.Name, n.Name)
		}
	}
	for _, guard := range g.Guards {
		if err := s.guard(guard.Cond, root); err != nil {
			return fmt.Errorf("graph %s%s: guard %s: %w", path, g.Name, guard.Cond, err)
		}
	}
	return nil
}

// define checks name, meta and attribute keys, and that the node is new.
func (v *verifier) define(n *Node, s *scope) error {
	switch {
	case v.seen[n]:
		return fmt.Errorf("made twice")
	case !isName(n.Name):
		return fmt.Errorf("the name %q cannot be printed", n.Name)
	case !isName(n.Op):
		return fmt.Errorf("the operation %q cannot be printed", n.Op)
	case s.names[n.Name]:
		return fmt.Errorf("the name is taken")
	}
	if err := validMeta(n.Meta); err != nil {
		return err
	}
	for i, a := range n.Attrs {
		if !isName(a.Key) {
			return fmt.Errorf("the attribute key %q cannot be printed", a.Key)
		}
		if slices.ContainsFunc(n.Attrs[:i], func(b Attr) bool { return a.Key == b.Key }) {
			return fmt.Errorf("two attributes %s", a.Key)
		}
		if err := validAttr(a.Value); err != nil {
			return fmt.Errorf("attribute %s: %w", a.Key, err)
		}
	}
	v.seen[n], s.names[n.Name], s.nodes[n] = true, true, true
	return nil
}

// leaf checks an input or constant.
func (v *verifier) leaf(n *Node, s *scope, root bool) error {
	if err := v.define(n, s); err != nil {
		return err
	}
	if len(n.Args)+len(n.Attrs)+len(n.Graphs) > 0 || n.Meta.Elems != nil {
		return fmt.Errorf("has arguments, attributes or parts")
	}
	for _, d := range n.Meta.Shape {
		for _, name := range d.Symbols() {
			if !s.bound[name] && (!root && n.Op == OpInput || !s.made[name] && !dimIs(n.Meta, name)) {
				return fmt.Errorf("its size mentions %s, which is no input of the graph", name)
			}
			s.made[name] = true
		}
	}
	return nil
}

// dimIs reports whether a dim is the symbol alone.
func dimIs(m Meta, name string) bool {
	return slices.ContainsFunc(m.Shape, func(d Int) bool { s, ok := d.Symbol(); return ok && s == name })
}

func (s *scope) bindInt(n *Node) {
	if n.Meta.Int != nil {
		s.bound[n.Meta.Int.String()] = true
	}
}

// result remembers the symbols of a node.
func (s *scope) result(n *Node) {
	s.bindInt(n)
	var visit func(Meta)
	visit = func(m Meta) {
		for _, d := range m.Shape {
			for _, name := range d.Symbols() {
				s.made[name] = true
			}
		}
		for _, e := range m.Elems {
			visit(e)
		}
	}
	visit(n.Meta)
}

// attrs checks that symbolic attributes can be computed.
func (s *scope) attrs(attrs Attrs) error {
	for _, a := range attrs {
		var list []Int
		switch v := a.Value.(type) {
		case Int:
			list = []Int{v}
		case []Int:
			list = v
		}
		for _, i := range list {
			if s.bound[i.String()] {
				continue
			}
			for _, name := range i.Symbols() {
				if !s.bound[name] {
					return fmt.Errorf("attribute %s mentions %s, which no node before it gives", a.Key, name)
				}
			}
		}
	}
	return nil
}

// guard checks that a condition can be computed once the graph has run.
func (s *scope) guard(c Cond, root bool) error {
	for _, name := range append(c.A.Symbols(), c.B.Symbols()...) {
		if !s.bound[name] && !s.made[name] {
			return fmt.Errorf("the graph has no symbol %s", name)
		}
	}
	if _, ok := compare(c.Op, c.A, c.B); !ok || c.Op == ">" || c.Op == ">=" {
		return fmt.Errorf("unknown comparison %q", c.Op)
	}
	return nil
}

// op checks arguments, attributes and meta of an operation.
func (v *verifier) op(n *Node, ops OpSet) error {
	for _, a := range n.Args {
		if a.Meta.Elems != nil && n.Op != OpGet {
			return fmt.Errorf("argument %s is a tuple; only %s takes one", a.Name, OpGet)
		}
	}
	want, known, err := inferHOP(n)
	if !known {
		if len(n.Graphs) > 0 {
			return fmt.Errorf("has bodies and is no operator of graphs")
		}
		want, known, err = inferCore(n, ops)
	}
	if !known && ops != nil {
		want, err = ops.Infer(n.Op, metas(n.Args), n.Attrs)
		known = true
	}
	switch {
	case err != nil:
		return err
	case known && !sameResult(want, n.Meta):
		return fmt.Errorf("is %s; want %s", n.Meta, want)
	}
	return nil
}

// sameResult is Equal, but an integer is any integer, since its symbol is new, and so is a size that depends on data.
func sameResult(want, got Meta) bool {
	if len(want.Shape) == len(got.Shape) {
		for i, d := range want.Shape {
			if _, is := got.Shape[i].Symbol(); is && d.Same(AnyInt()) {
				shape := slices.Clone(want.Shape)
				shape[i] = got.Shape[i]
				want.Shape = shape
			}
		}
	}
	if len(want.Elems) != len(got.Elems) || (want.Elems == nil) != (got.Elems == nil) {
		return false
	}
	for i := range want.Elems {
		if !sameResult(want.Elems[i], got.Elems[i]) {
			return false
		}
	}
	return want.Elems != nil || sameType(want, got)
}

// inferCore infers the operations that every graph knows.
func inferCore(n *Node, ops OpSet) (m Meta, ok bool, err error) {
	arity := map[string]int{OpLiteral: 0, OpGet: 1, OpSize: 1, OpPut: 2, OpInput: -1, OpConstant: -1}
	if k, core := arity[n.Op]; core && k != len(n.Args) {
		return m, true, fmt.Errorf("%d arguments in the list of nodes", len(n.Args))
	}
	switch n.Op {
	case OpLiteral:
		l, ok := n.Attrs.Get("value").(*Literal)
		if !ok || l == nil || len(n.Attrs) != 1 {
			return m, true, fmt.Errorf("wants the attribute value alone")
		}
		return TensorMeta(l.DType, l.Shape...), true, nil
	case OpGet:
		i, ok := n.Attrs.Get("index").(int)
		if parts := n.Args[0].Meta.Elems; !ok || len(n.Attrs) != 1 || i < 0 || i >= len(parts) {
			return m, true, fmt.Errorf("attribute index is %v; %s has %d parts", n.Attrs.Get("index"), n.Args[0].Name, len(parts))
		}
		return n.Args[0].Meta.Elems[i], true, nil
	case OpSize:
		d, ok := n.Attrs.Get("dim").(int)
		if shape := n.Args[0].Meta.Shape; !ok || len(n.Attrs) != 1 || d < 0 || d >= len(shape) || n.Meta.Int == nil || !n.Meta.Int.Same(shape[d]) {
			return m, true, fmt.Errorf("is %s; %s is %s and dim is %v", n.Meta, n.Args[0].Name, n.Args[0].Meta, n.Attrs.Get("dim"))
		}
		return n.Meta, true, nil
	case OpInt:
		return n.Meta, true, checkInt(n)
	case OpPut:
		return n.Args[0].Meta, true, checkPut(n, ops)
	}
	return m, false, nil
}

// checkInt checks that an integer is computed from arguments that give its symbols.
func checkInt(n *Node) error {
	if n.Meta.Int == nil || len(n.Attrs) > 0 {
		return fmt.Errorf("is %s; want an integer without attributes", n.Meta)
	}
	given := map[string]bool{}
	for _, a := range n.Args {
		if a.Meta.Int == nil {
			return fmt.Errorf("argument %s is %s; want an integer", a.Name, a.Meta)
		}
		given[a.Meta.Int.String()] = true
	}
	for _, name := range n.Meta.Int.Symbols() {
		if !given[name] {
			return fmt.Errorf("%s mentions %s, which no argument gives", n.Meta, name)
		}
	}
	return nil
}

// checkPut checks that the value has the meta of the view that it replaces.
func checkPut(n *Node, ops OpSet) error {
	base, value := n.Args[0].Meta, n.Args[1].Meta
	view, ok := n.Attrs.Get("view").(string)
	if !ok || n.Attrs[0].Key != "view" || !base.IsTensor() || !value.IsTensor() || base.DType == 0 {
		return fmt.Errorf("wants two tensors and the attribute view in front; got %s and %s", base, value)
	}
	if ops == nil {
		return nil
	}
	got, err := ops.Infer(view, []Meta{base}, n.Attrs[1:])
	if err != nil {
		return err
	}
	if !got.Equal(value) {
		return fmt.Errorf("the value is %s; the view %s of %s is %s", value, view, base, got)
	}
	return nil
}

// validMeta checks that m describes exactly one kind of value, with sizes that are not negative.
func validMeta(m Meta) error {
	kinds := 0
	for _, is := range []bool{m.DType != 0, m.Int != nil, m.Elems != nil} {
		if is {
			kinds++
		}
	}
	if kinds != 1 || m.DType != 0 && !m.DType.Valid() || m.DType == 0 && m.Shape != nil {
		return fmt.Errorf("its meta %s is no tensor, integer or tuple", m)
	}
	for _, d := range m.Shape {
		if n, ok := d.Const(); ok && n < 0 {
			return fmt.Errorf("its meta %s has a negative size", m)
		}
	}
	for _, e := range m.Elems {
		if e.Elems != nil {
			return fmt.Errorf("its meta %s is a tuple of tuples", m)
		}
		if err := validMeta(e); err != nil {
			return err
		}
	}
	return nil
}

func validAttr(value any) error {
	switch v := value.(type) {
	case int, float64, bool, string, []int, Int, []Int:
		return nil
	case DType:
		if v.Valid() {
			return nil
		}
	case *Literal:
		if v != nil && v.Valid() {
			return nil
		}
	}
	return fmt.Errorf("a graph cannot hold the %T %v", value, value)
}
