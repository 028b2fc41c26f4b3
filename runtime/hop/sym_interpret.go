package hop

import (
	"go/token"
	"math"
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// symbolRun is what an interpreter knows of the symbols of the graph that it runs: constants on real tensors, expressions
// of the enclosing trace where the graph is recorded again. A graph without symbols has none.
type symbolRun struct {
	interpreter
	args    []*Tensor // of the graph
	symbols symbols
	pending []tracer.Guard // those that are not checked yet
}

// concerns reports whether the node must be looked at: it makes an integer, or the graph has symbols.
func (s *symbolRun) concerns(n *tracer.Node) bool {
	if s.symbols == nil && n.Meta.IsSymbolic() {
		s.symbols = symbols{}
	}
	return s.symbols != nil
}

// node returns n with values in place of symbols, and its operands for that; nil for a node that only computes an integer.
// byOps says that sizes in a body depend on data, so that the body can only run op by op.
func (s *symbolRun) node(n *tracer.Node, ins []*Tensor) (sized *tracer.Node, args []*Tensor, byOps bool) {
	switch n.Op {
	case tracer.OpInt, tracer.OpSize, symItem, symScalar:
		return nil, ins, false
	case symFull, symArange:
		if s.attrs(n).Symbolic() {
			return nil, ins, false
		}
	}
	switch {
	case len(n.Graphs) > 0:
		s.attrs(n)
		return s.operator(n, ins)
	case n.Attrs.Symbolic():
		m := *n
		m.Attrs = s.attrs(n)
		if m.Attrs.Symbolic() && !isTraced(ins) {
			ins = inTraceOf(s.trace(ins), ins)
		}
		return &m, ins, false
	}
	return n, ins, false
}

// attrs are the attributes of n with values in place of symbols. A division by zero has none.
func (s *symbolRun) attrs(n *tracer.Node) tracer.Attrs {
	list := n.Attrs.Replace(s.symbols)
	for _, a := range list {
		ints, _ := a.Value.([]tracer.Int)
		if i, ok := a.Value.(tracer.Int); ok {
			ints = []tracer.Int{i}
		}
		for _, i := range ints {
			if _, err := i.Eval(noValue); err != nil && len(i.Symbols()) == 0 {
				name := n.Op
				if op := opNamed(n.Op); op != nil {
					name = op.userName()
				}
				panic(at(intFailure(name, err), n.Pos))
			}
		}
	}
	return list
}

// operator returns an operator with values in place of symbols, and its operands. Where it runs now, integers are int64
// scalars; in a trace sizes stay open, unless observers are to see each step.
func (s *symbolRun) operator(n *tracer.Node, ins []*Tensor) (sized *tracer.Node, args []*Tensor, byOps bool) {
	known := s.symbols
	if isTraced(ins) {
		m := s.sizedNode(n, ins, known)
		switch {
		case s.ownGradient(m, ins):
			m, ins = tensorCarries(m, ins)
			return m, ins, false
		case s.recorded(m, ins), !hasDerivative(m): // which copies, or runs its body as it is, and once
			return m, ins, false
		}
		known = s.fixed()
		ins = slices.Clone(ins)
		for i, t := range ins {
			if t.isInt() {
				ins[i] = Int{n: intOfLeaf(t).Value()}.leaf()
			} else if t.openSizes() != nil {
				ins[i] = t.Reshape(t.Shape()...)
			}
		}
	}
	m := s.sizedNode(n, ins, known)
	low, ok := lowered(nodeGraph(m, leafMetas(ins)))
	if !ok {
		return m, ins, true
	}
	ins = slices.Clone(ins)
	for i, t := range ins {
		if t.isInt() {
			ins[i] = Scalar(int64(intOfLeaf(t).n))
		}
	}
	return low.Nodes[0], ins, false
}

// sizedNode is n with known values in place of symbols and inputs of its own, of the types of ins.
func (s *symbolRun) sizedNode(n *tracer.Node, ins []*Tensor, known symbols) *tracer.Node {
	known = known.apart(n)
	m := *n
	m.Attrs, m.Meta = n.Attrs.Replace(known), n.Meta.Replace(known)
	m.Graphs = (&sizing{unchecked: true}).bodies(n, known)
	m.Args = nil
	for i, meta := range leafMetas(ins) {
		m.Args = append(m.Args, &tracer.Node{Name: n.Args[i].Name, Op: tracer.OpInput, Meta: meta})
	}
	return &m
}

// fixed are the symbols with the values of the example, which the trace keeps to from here on.
func (s *symbolRun) fixed() symbols {
	tr, known := s.trace(nil), make(symbols, len(s.symbols))
	for name, i := range s.symbols {
		if _, backed := tr.Hint(i); backed {
			i = tracer.Const(intIn(tr, i).Value())
		}
		known[name] = i
	}
	return known
}

// integer computes a node between integers and tensors.
func (s *symbolRun) integer(n *tracer.Node, ins []*Tensor) *Tensor {
	switch n.Op {
	case symScalar:
		return intOfLeaf(ins[0]).Tensor(n.Attrs.DType("dtype"))
	case symItem:
		is := s.item(n, ins[0])
		s.learn(n, []*Tensor{is})
		return is
	case tracer.OpSize:
		is := ins[0].size(n.Attrs.Int("dim")).leaf()
		s.learn(n, []*Tensor{is})
		return is
	case symFull, symArange:
		return ofValue(emitSym(s.trace(ins), n.Op, n.Attrs.Replace(s.symbols)))
	}
	i := n.Meta.Int.Replace(s.symbols)
	if _, constant := i.Const(); constant {
		v, err := i.Eval(nil)
		if err != nil {
			panic(at(intFailure("", err), n.Pos))
		}
		return Int{n: v}.leaf()
	}
	if len(i.Symbols()) == 0 { // a division by zero
		_, err := i.Eval(noValue)
		panic(at(intFailure("", err), n.Pos))
	}
	return intIn(s.trace(ins), i).leaf()
}

// at is e at a position.
func at(e *Error, pos token.Position) *Error {
	e.Position = pos
	return e
}

func noValue(string) (int, bool) { return 0, false }

// trace is the trace that the graph is recorded in.
func (s *symbolRun) trace(ins []*Tensor) *tracer.SubgraphTracer {
	return traceOf(slices.Concat(ins, s.args))
}

// item is the element of t as an integer, found at the node's line.
func (s *symbolRun) item(n *tracer.Node, t *Tensor) *Tensor {
	if traced(t) != nil {
		return t.SymItem().leaf()
	}
	v, err := wholeNumber(t)
	if err != nil {
		panic(&Error{Op: symbolRows()[symItem].userName(), Step: once, Position: n.Pos, Detail: err.Error()})
	}
	return Int{n: v}.leaf()
}

// learn binds the symbols that a node made, and returns its results with integers as such.
func (s *symbolRun) learn(n *tracer.Node, results []*Tensor) []*Tensor {
	if !n.Meta.IsSymbolic() {
		return results
	}
	for i, m := range n.Meta.Elems {
		if t := results[i]; m.Int != nil && !t.isInt() {
			results[i] = t.SymItem().leaf()
		}
	}
	if s.symbols == nil {
		s.symbols = symbols{}
	}
	if n.Meta.Elems == nil {
		s.symbols.bind(n.Meta, results[0].meta())
	}
	for i, m := range n.Meta.Elems {
		s.symbols.bind(m, results[i].meta())
	}
	s.hold(n)
	return results
}

// hold checks the guards of g whose symbols are known by now; n is the node that made the last of them, nil for an input.
func (s *symbolRun) hold(n *tracer.Node) {
	rest := s.pending[:0:0]
	for _, guard := range s.pending {
		is := tracer.Cond{Op: guard.Cond.Op, A: guard.Cond.A.Replace(s.symbols), B: guard.Cond.B.Replace(s.symbols)}
		a, errA := is.A.Eval(noValue)
		b, errB := is.B.Eval(noValue)
		if errA != nil || errB != nil {
			rest = append(rest, guard)
			continue
		}
		if ok, _ := is.Holds(noValue); ok {
			continue
		}
		e := &Error{Step: once, Position: guard.Pos, Err: ErrGuard}
		maker := ""
		if n != nil {
			e.Position, maker = n.Pos, n.Op
			if op := opNamed(n.Op); op != nil {
				e.Op, maker = op.userName(), op.userName()
			}
		}
		e.Detail = brokenGuard(is.Op, guard.Cond.A.String(), guard.Cond.B.String(), a, b, maker)
		panic(e)
	}
	s.pending = rest
}

// handOn gives guards that are still open to the trace that the graph is recorded in.
func (s *symbolRun) handOn() {
	for _, guard := range s.pending {
		s.guardAgain(tracer.Cond{Op: guard.Cond.Op, A: guard.Cond.A.Replace(s.symbols), B: guard.Cond.B.Replace(s.symbols)})
	}
}

// guardAgain hands the range of an integer that depends on data on to the trace that the graph is recorded in.
func (s *symbolRun) guardAgain(c tracer.Cond) {
	tr := s.trace(nil)
	if tr == nil {
		return
	}
	lo, isLo := c.A.Const()
	hi, isHi := c.B.Const()
	switch {
	case c.Op != "<=":
	case isLo:
		_, _ = tr.Bound(c.B, lo, math.MaxInt, userPosition())
	case isHi:
		_, _ = tr.Bound(c.A, math.MinInt, hi, userPosition())
	}
}
