package tracer

import (
	"fmt"
	"go/token"
	"math"
	"strconv"

	"github.com/hoplint/hoplint/hopcheck"
)

// env holds the symbols of a root trace: s0, s1 … with the sizes of the example (backed), u0, u1 … whose values depend
// on data (unbacked).
type env struct {
	symbols          map[string]*symbolInfo
	order            []*symbolInfo
	backed, unbacked int
}

type symbolInfo struct {
	name   string
	backed bool
	hint   int // of a backed one
	lo, hi int // what is known of the value without looking at data
	// owner is the tracer whose value made the symbol; nil until a value mentions it. value is the integer: an input,
	// an item node, or the size of def along dim, which becomes a node when it is asked for.
	owner *SubgraphTracer
	value *Value
	def   *Value
	dim   int
	given bool // unbacked, and an input of the trace: who made it checks its range
}

func (t *SubgraphTracer) environment() *env {
	root := t.Root()
	if root.env == nil {
		root.env = &env{symbols: map[string]*symbolInfo{}}
	}
	return root.env
}

func (t *SubgraphTracer) symbol(name string) *symbolInfo {
	if e := t.Root().env; e != nil {
		return e.symbols[name]
	}
	return nil
}

func (e *env) add(s *symbolInfo) Int {
	e.symbols[s.name] = s
	e.order = append(e.order, s)
	return symbol(s.name)
}

// free returns the first name prefix0, prefix1 … that is not taken, counting on from *next.
func (e *env) free(prefix string, next *int) string {
	for {
		name := prefix + strconv.Itoa(*next)
		*next++
		if e.symbols[name] == nil {
			return name
		}
	}
}

// NewSymbol returns a size that is known from an input's shape. hint is its value in the example; name is s0, s1 … when
// empty. Asking for a name again returns the same symbol; another hint then, or a bad name, is an error.
func (t *SubgraphTracer) NewSymbol(name string, hint int) (Int, error) {
	return t.newBacked(name, hint, 0)
}

// NewInteger returns an integer that is known from an input, of any value; name and hint are as for
// [SubgraphTracer.NewSymbol].
func (t *SubgraphTracer) NewInteger(name string, hint int) (Int, error) {
	return t.newBacked(name, hint, math.MinInt)
}

func (t *SubgraphTracer) newBacked(name string, hint, lo int) (Int, error) {
	e := t.environment()
	if name == "" {
		name = e.free("s", &e.backed)
	} else if !isName(name) || isFunction(name) {
		return Int{}, fmt.Errorf("tracer: %q is no name for a dim; use letters, digits and _", name)
	}
	if s := e.symbols[name]; s != nil {
		if !s.backed || s.hint != hint {
			return Int{}, fmt.Errorf("tracer: the dim %s is %d and %d; one name is one size", name, s.hint, hint)
		}
		s.lo = max(s.lo, lo)
		return symbol(name), nil
	}
	return e.add(&symbolInfo{name: name, backed: true, hint: hint, lo: lo, hi: math.MaxInt}), nil
}

// NewUnbacked returns an integer u0, u1 … that depends on data and lies between lo and hi. It belongs to the first
// value that mentions it: the integer itself, or a tensor with such a dim. Bounds other than those of any int are
// guards of that value's graph.
func (t *SubgraphTracer) NewUnbacked(lo, hi int) Int {
	e := t.environment()
	return e.add(&symbolInfo{name: e.free("u", &e.unbacked), lo: lo, hi: hi})
}

// Symbol is what a trace knows of a symbol: whether it is backed, its size in the example then, and its range.
type Symbol struct {
	Name   string
	Backed bool
	Hint   int
	Lo, Hi int
}

// Expr is the symbol as an integer.
func (s Symbol) Expr() Int { return symbol(s.Name) }

// Symbol returns what t knows of the symbol called name.
func (t *SubgraphTracer) Symbol(name string) (s Symbol, ok bool) {
	known := t.symbol(name)
	if known == nil {
		return Symbol{Name: name}, false
	}
	return Symbol{name, known.backed, known.hint, known.lo, known.hi}, true
}

// Declare makes a symbol of a root trace that another trace has made: the root gets it as an input. The name must be free.
func (t *SubgraphTracer) Declare(s Symbol) {
	e := t.environment()
	if e.symbols[s.Name] != nil {
		panic(fmt.Sprintf("tracer: the symbol %s is declared twice", s.Name))
	}
	e.add(&symbolInfo{name: s.Name, backed: s.Backed, hint: s.Hint, lo: s.Lo, hi: s.Hi, given: !s.Backed})
}

// Hint returns the value of i in the example; ok is false when i depends on data.
func (t *SubgraphTracer) Hint(i Int) (n int, ok bool) {
	n, err := i.Eval(func(name string) (int, bool) {
		s := t.symbol(name)
		if s == nil {
			return 0, false
		}
		return s.hint, s.backed
	})
	return n, err == nil
}

// HintOr is Hint with the given value for each symbol that depends on data. ok is false for what cannot be computed so.
func (t *SubgraphTracer) HintOr(i Int, unknown int) (n int, ok bool) {
	n, err := i.Eval(func(name string) (int, bool) {
		s := t.symbol(name)
		switch {
		case s == nil:
			return 0, false
		case s.backed:
			return s.hint, true
		}
		return unknown, true
	})
	return n, err == nil
}

// Compare decides a comparison (==, !=, <, <=, >, >=) of two integers. What follows from the expressions and the
// ranges of their symbols needs no guard; else the example's sizes decide and the graph keeps the outcome as a guard.
// A comparison that depends on data is HOP501.
func (t *SubgraphTracer) Compare(op string, a, b Int, pos token.Position) (bool, error) {
	c, ok := compare(op, a, b)
	if !ok {
		return false, fmt.Errorf("tracer: unknown comparison %q", op)
	}
	if result, ok := t.follows(c); ok {
		return result, nil
	}
	c = c.settled()
	x, okX := t.Hint(c.A)
	y, okY := t.Hint(c.B)
	if !okX || !okY {
		a, made := t.named(c.A)
		b, also := t.named(c.B)
		return false, t.dataDependent("compares "+Cond{c.Op, a, b}.String(), made+also, pos)
	}
	if !holds(c.Op, x, y) {
		t.guard(c.not(), pos)
		return false, nil
	}
	t.guard(c, pos)
	return true, nil
}

// Fix returns the value of i in the example and adds the guard that it is that value. An integer that depends on data
// is HOP501.
func (t *SubgraphTracer) Fix(i Int, pos token.Position) (int, error) {
	if n, ok := i.Const(); ok {
		return n, nil
	}
	if lo, hi := t.bounds(i); lo == hi { // it is made of sizes that are fixed
		return lo, nil
	}
	n, ok := t.Hint(i)
	if !ok {
		named, made := t.named(i)
		return 0, t.dataDependent("reads the value of "+named.String(), made, pos)
	}
	t.guard(Cond{"==", i, Const(n)}.settled(), pos)
	return n, nil
}

// named returns i with the names of inputs, such as carry.N, in place of symbols, and says where the others were made.
func (t *SubgraphTracer) named(i Int) (named Int, made string) {
	to := map[string]Int{}
	for _, name := range i.Symbols() {
		s := t.symbol(name)
		switch {
		case s == nil || s.backed || s.source() == nil:
		case s.value != nil && s.value.made.Op == OpInput:
			to[name] = symbol(s.value.made.Name)
		case s.source().made.Pos.IsValid():
			made += fmt.Sprintf(" (%s is made%s)", name, at(s.source().made.Pos))
		}
	}
	return i.replace(to), made
}

func (t *SubgraphTracer) dataDependent(what, made string, pos token.Position) error {
	return &Error{Finding{Pos: pos, Path: t.Path(), Finding: hopcheck.Finding{
		Code: hopcheck.DataDependentControlFlow, HOP: t.opts.Operator, Body: t.words, Detail: t.words + " " + what + ", which depends on data" + made}}}
}

// follows decides a condition from the difference of its sides and the ranges of the symbols.
func (t *SubgraphTracer) follows(c Cond) (result, ok bool) {
	lo, hi := t.bounds(c.A.Sub(c.B))
	switch {
	case lo == 0 && hi == 0:
		return holds(c.Op, 0, 0), true
	case hi < 0:
		return holds(c.Op, -1, 0), true
	case lo > 0:
		return holds(c.Op, 1, 0), true
	case lo == 0 && c.Op == "<":
		return false, true
	case hi == 0 && c.Op == "<=":
		return true, true
	}
	return false, false
}

// Bounds returns a range that i is in, as far as it is known without looking at data; the extreme ints stand for
// unbounded.
func (t *SubgraphTracer) Bounds(i Int) (lo, hi int) { return t.bounds(i) }

// Bound says that i lies between lo and hi. Of a symbol that depends on data it is checked when the graph runs; of an
// integer that is known from the inputs now, and by guards of the graph. It reports whether i may do so at all.
func (t *SubgraphTracer) Bound(i Int, lo, hi int, pos token.Position) (bool, error) {
	name, is := i.Symbol()
	s := t.symbol(name)
	if _, backed := t.Hint(i); backed {
		for _, c := range []Cond{{"<=", Const(lo), i}, {"<=", i, Const(hi)}} {
			if ok, err := t.Compare(c.Op, c.A, c.B, pos); !ok || err != nil {
				return ok, err
			}
		}
		return true, nil
	}
	if !is || s == nil || s.owner == nil {
		return false, t.dataDependent("bounds "+i.String()+", which is no integer of one op,", "", pos)
	}
	known := [2]int{s.lo, s.hi}
	s.lo, s.hi = max(s.lo, lo), min(s.hi, hi)
	if s.owner.closed {
		return false, leak(s.source(), t)
	}
	if s.lo > known[0] {
		s.owner.graph.addGuard(Cond{"<=", Const(s.lo), i}, pos)
	}
	if s.hi < known[1] {
		s.owner.graph.addGuard(Cond{"<=", i, Const(s.hi)}, pos)
	}
	return s.lo <= s.hi, nil
}

// source is the value that made the symbol.
func (s *symbolInfo) source() *Value {
	if s.def != nil {
		return s.def
	}
	return s.value
}

// bounds returns a range that holds i; the extreme ints stand for unbounded.
func (t *SubgraphTracer) bounds(i Int) (lo, hi int) {
	if i.expr == nil {
		return i.n, i.n
	}
	for _, term := range i.expr.terms {
		l, h := 1, 1
		for _, f := range term.atoms {
			fl, fh := t.atomBounds(f)
			l, h = timesRange(l, h, fl, fh)
		}
		l, h = timesRange(l, h, term.coef, term.coef)
		lo, hi = saturatedAdd(lo, l), saturatedAdd(hi, h)
	}
	return lo, hi
}

func (t *SubgraphTracer) atomBounds(f atom) (lo, hi int) {
	lo, hi = math.MinInt, math.MaxInt
	if f.args == nil {
		if s := t.symbol(f.name); s != nil {
			lo, hi = s.lo, s.hi
		}
		return lo, hi
	}
	al, ah := t.bounds(f.args[0])
	bl, bh := t.bounds(f.args[1])
	switch f.name {
	case "max":
		return max(al, bl), max(ah, bh)
	case "min":
		return min(al, bl), min(ah, bh)
	case "mod":
		switch {
		case bl == bh && al == ah && bl != 0 && !unbounded(al) && !unbounded(bl):
			return floorMod(al, bl), floorMod(al, bl)
		case bl > 0:
			return 0, saturatedAdd(bh, -1)
		}
	case "floordiv":
		if bl > 0 { // it grows with the first, and falls or grows with the second
			return min(quotient(al, bl), quotient(al, bh)), max(quotient(ah, bl), quotient(ah, bh))
		}
	}
	return lo, hi
}

// quotient is a/b rounded down for a positive b; an unbounded b stands for all that are large.
func quotient(a, b int) int {
	switch {
	case unbounded(b) && a < 0:
		return -1
	case unbounded(b):
		return 0
	case unbounded(a):
		return a
	}
	return floorDiv(a, b)
}

func timesRange(al, ah, bl, bh int) (lo, hi int) {
	p := [4]int{saturatedMul(al, bl), saturatedMul(al, bh), saturatedMul(ah, bl), saturatedMul(ah, bh)}
	return min(p[0], p[1], p[2], p[3]), max(p[0], p[1], p[2], p[3])
}

func unbounded(n int) bool { return n == math.MinInt || n == math.MaxInt }

func saturatedAdd(a, b int) int {
	switch {
	case unbounded(a):
		return a
	case unbounded(b):
		return b
	case b > 0 && a > math.MaxInt-b:
		return math.MaxInt
	case b < 0 && a < math.MinInt-b:
		return math.MinInt
	}
	return a + b
}

func saturatedMul(a, b int) int {
	if a == 0 || b == 0 {
		return 0
	}
	limit := math.MaxInt
	if (a < 0) != (b < 0) {
		limit = math.MinInt
	}
	if unbounded(a) || unbounded(b) {
		return limit
	}
	if p := a * b; p/b == a && !unbounded(p) {
		return p
	}
	return limit
}

// guard adds a condition to the root graph, which owns the backed symbols; the first position is kept. From here on a
// symbol is known to be in the range that a comparison with a constant gives it.
func (t *SubgraphTracer) guard(c Cond, pos token.Position) {
	t.Root().graph.addGuard(c, pos)
	name, of := c.A.Symbol()
	n, to := c.B.Const()
	low, from := c.A.Const()
	other, above := c.B.Symbol()
	a, b := t.symbol(name), t.symbol(other)
	switch {
	case of && to && a != nil && c.Op == "==":
		a.lo, a.hi = n, n
	case of && to && a != nil && c.Op == "<=":
		a.hi = min(a.hi, n)
	case of && to && a != nil && c.Op == "<":
		a.hi = min(a.hi, n-1)
	case from && above && b != nil && c.Op == "<=":
		b.lo = max(b.lo, low)
	case from && above && b != nil && c.Op == "<":
		b.lo = max(b.lo, low+1)
	}
}

// keepTo adds a guard of a graph that is recorded again, unless it follows from what is known: to the root, where it is
// decided by the inputs, else where it is met.
func (t *SubgraphTracer) keepTo(c Cond, pos token.Position) {
	if holds, ok := t.follows(c); ok && holds {
		return
	}
	c = c.settled()
	_, backedA := t.Hint(c.A)
	_, backedB := t.Hint(c.B)
	if backedA && backedB {
		t.guard(c, pos)
		return
	}
	lo, isLo := c.A.Const()
	hi, isHi := c.B.Const()
	switch {
	case c.Op == "<=" && isLo && t.narrows(c.B, lo, math.MaxInt, pos):
	case c.Op == "<=" && isHi && t.narrows(c.A, math.MinInt, hi, pos):
	default:
		t.graph.addGuard(c, pos)
	}
}

// Assume makes the graph keep to a condition that depends on data: it is checked when the graph runs.
func (t *SubgraphTracer) Assume(c Cond, pos token.Position) { t.keepTo(c, pos) }

// narrows is Bound for a symbol that the trace has made; it reports whether i is one.
func (t *SubgraphTracer) narrows(i Int, lo, hi int, pos token.Position) bool {
	ok, err := t.Bound(i, lo, hi, pos)
	return ok && err == nil
}

func (g *Graph) addGuard(c Cond, pos token.Position) {
	text := c.String()
	for i := range g.Guards {
		if g.Guards[i].Cond.String() == text {
			return
		}
	}
	g.Guards = append(g.Guards, Guard{c, pos})
}

// bounded adds the range of an unbacked symbol to the graph of its owner.
func (t *SubgraphTracer) bounded(s *symbolInfo, pos token.Position) {
	if s.lo != math.MinInt {
		t.graph.addGuard(Cond{"<=", Const(s.lo), symbol(s.name)}, pos)
	}
	if s.hi != math.MaxInt {
		t.graph.addGuard(Cond{"<=", symbol(s.name), Const(s.hi)}, pos)
	}
}

// Visible reports whether t can use i: no symbol of it was made in a body that ended.
func (t *SubgraphTracer) Visible(i Int) bool {
	for _, name := range i.Symbols() {
		if s := t.symbol(name); s == nil || s.owner != nil && (s.owner.closed || !s.owner.encloses(t)) {
			return false
		}
	}
	return true
}
