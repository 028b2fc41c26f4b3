package ssaflow

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A loop whose first test constants decide runs at least once: for i := 0; i < 3; i++, or range over an array. What such a loop
// leaves behind is what came around it, never what entered it, so that two states are kept for the block that tests.

// firstTests finds the loop heads of which the first evaluation of the condition is decided, and where it leads.
func (f *frame) firstTests() {
	if len(f.cyclic) == 0 {
		return
	}
	for i, b := range f.blocks {
		br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok || !f.cyclic[b] || len(LiveSuccs(b)) < 2 || b.Succs[0] == b.Succs[1] || !f.quiet(b) {
			continue
		}
		decided, again := constant.MakeUnknown(), false
		for n, p := range b.Preds {
			if !f.reachable(p) || !live(p, b) {
				continue
			}
			if f.order[p] >= i {
				again = true
				continue
			}
			entry := func(phi *ssa.Phi) ssa.Value {
				if phi.Block() == b {
					return phi.Edges[n]
				}
				return nil
			}
			c := constantOf(br.Cond, entry, 0)
			if c.Kind() != constant.Bool || decided.Kind() == constant.Bool && constant.BoolVal(c) != constant.BoolVal(decided) {
				decided = constant.MakeUnknown()
				break
			}
			decided = c
		}
		if decided.Kind() != constant.Bool || !again {
			continue
		}
		if constant.BoolVal(decided) {
			f.later[b] = b.Succs[1]
		} else {
			f.later[b] = b.Succs[0]
		}
	}
}

// reachable reports whether a block can be reached at all.
func (f *frame) reachable(b *ssa.BasicBlock) bool {
	_, ok := f.order[b]
	return ok
}

// quiet reports whether a block does no more than compute numbers: the state passes through it as it is, and only its phis
// carry references.
func (f *frame) quiet(b *ssa.BasicBlock) bool {
	for _, instr := range b.Instrs {
		switch v := instr.(type) {
		case *ssa.Phi, *ssa.If, *ssa.DebugRef:
		case *ssa.BinOp, *ssa.Convert, *ssa.UnOp:
			if u, ok := v.(*ssa.UnOp); ok && u.Op == token.ARROW || len(f.e.types.leavesOf(v.(ssa.Value).Type())) > 0 {
				return false
			}
		case *ssa.Call:
			if b, ok := v.Call.Value.(*ssa.Builtin); !ok || b.Name() != "len" && b.Name() != "cap" {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// outTo is the state on an edge; nil as long as the edge was not reached.
func (f *frame) outTo(p, b *ssa.BasicBlock) *state {
	switch {
	case !live(p, b):
		return nil
	case f.later[p] == b && f.out[p] != nil:
		return f.leaveLoops(f.again[p], p, b)
	}
	return f.leaveLoops(f.out[p], p, b)
}

// comesAround keeps what comes around the loop that begins at head apart from what entered it, aged as in the join of both. It
// reports whether anything was new.
func (f *frame) comesAround(head *ssa.BasicBlock, entered *state, around []*state) bool {
	var back *state
	for _, o := range around {
		if back == nil {
			back = o.fork()
		} else {
			f.joinInto(back, o)
		}
	}
	if back == nil {
		return false
	}
	if entered != nil {
		f.ageState(back, entered, head)
	}
	old := f.again[head]
	if old == nil {
		f.again[head] = back
		return true
	}
	grown := old.fork()
	changed := f.joinInto(grown, back)
	f.again[head] = grown
	return changed
}

// ageState marks, in a state that came around a loop, the references that the state which entered lacks.
func (f *frame) ageState(back, entered *state, head *ssa.BasicBlock) {
	for i, q := range back.pages {
		if q == nil || i < len(entered.pages) && entered.pages[i] == q {
			continue
		}
		for j := range pageSize {
			if !q.here[j] {
				continue
			}
			o := f.objects[i*pageSize+j]
			old, ok := entered.get(o)
			if !ok || sameSlots(old, q.slots[j]) {
				continue
			}
			for _, s := range q.slots[j] {
				if k := old.find(s.path); k >= 0 && !sameRefs(old[k].refs, s.refs) {
					back.set(o, s.path, s.refs.agedWithin(old[k].refs, f.age(ageKey{head, o, s.path})))
				}
			}
		}
	}
}

func sameRefs(a, b refs) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// agedWithin returns all references, those that old lacks as carried around a loop by the variable named age.
func (s refs) agedWithin(old refs, age int32) refs {
	fresh := s.aged(old, age)
	if len(fresh) == 0 {
		return s
	}
	out := make(refs, 0, len(s))
	for _, r := range s {
		for _, o := range old {
			if o.o == r.o && o.path == r.path && o.view == r.view {
				out = append(out, r)
				break
			}
		}
	}
	return append(out, fresh...)
}

// getIn returns the value of an operand as an instruction of the given block sees it: where only later rounds of a loop lead, a
// phi of its head holds what came around.
func (f *frame) getIn(v ssa.Value, at *ssa.BasicBlock) value {
	if phi, ok := v.(*ssa.Phi); ok && len(f.later) > 0 && at != nil {
		if to := f.later[phi.Block()]; to != nil && to.Dominates(at) && f.onlyFrom(phi.Block(), to) {
			return f.laterVal[phi]
		}
	}
	return f.getAny(v)
}

// getOn returns the value of an operand on the edge from p to b.
func (f *frame) getOn(v ssa.Value, p, b *ssa.BasicBlock) value {
	if phi, ok := v.(*ssa.Phi); ok && phi.Block() == p && f.later[p] == b {
		return f.laterVal[phi]
	}
	return f.getIn(v, p)
}

// onlyFrom reports whether block b is entered from p alone.
func (f *frame) onlyFrom(p, b *ssa.BasicBlock) bool {
	for _, q := range b.Preds {
		if q != p && f.reachable(q) && live(q, b) {
			return false
		}
	}
	return true
}

// constantOf evaluates what constants decide; entry gives the operand of a phi, or nil where none is meant.
func constantOf(v ssa.Value, entry func(*ssa.Phi) ssa.Value, depth int) constant.Value {
	none := constant.MakeUnknown()
	if depth > 8 || v == nil {
		return none
	}
	eval := func(v ssa.Value) constant.Value { return constantOf(v, entry, depth+1) }
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value != nil {
			return v.Value
		}
	case *ssa.Phi:
		if entry != nil {
			return eval(entry(v))
		}
	case *ssa.BinOp:
		x := eval(v.X)
		if x.Kind() == constant.Unknown {
			return none
		}
		y := eval(v.Y)
		if y.Kind() != x.Kind() {
			return none
		}
		switch v.Op {
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return constant.MakeBool(constant.Compare(x, v.Op, y))
		case token.ADD, token.SUB, token.MUL:
			if x.Kind() == constant.Int {
				return fits(constant.BinaryOp(x, v.Op, y), v.Type())
			}
		}
	case *ssa.UnOp:
		switch v.Op {
		case token.NOT, token.SUB:
			if x := eval(v.X); x.Kind() == constant.Bool || x.Kind() == constant.Int && isSigned(v.Type()) {
				return fits(constant.UnaryOp(v.Op, x, 0), v.Type())
			}
		case token.MUL:
			return eval(storedOnce(v.X, entry))
		}
	case *ssa.Extract:
		// The dynamic type of a value that was made an interface just for the question.
		if assert, ok := v.Tuple.(*ssa.TypeAssert); ok && v.Index == 1 && concrete(assert.AssertedType) {
			if boxed, ok := assert.X.(*ssa.MakeInterface); ok && concrete(boxed.X.Type()) {
				return constant.MakeBool(types.Identical(boxed.X.Type(), assert.AssertedType))
			}
		}
	case *ssa.Convert:
		if x := eval(v.X); x.Kind() == constant.Int && isInteger(v.Type()) {
			return fits(x, v.Type())
		}
	case *ssa.Call:
		if b, ok := v.Call.Value.(*ssa.Builtin); ok && b.Name() == "len" && len(v.Call.Args) == 1 {
			if n := lengthOf(v.Call.Args[0], 0); n >= 0 {
				return constant.MakeInt64(n)
			}
		}
	}
	return none
}

// storedOnce is what a variable holds that was assigned in one place, before the loop whose phi takes it over: a loop variable
// that a function literal captures is a new variable in each round.
func storedOnce(v ssa.Value, entry func(*ssa.Phi) ssa.Value) ssa.Value {
	if phi, ok := v.(*ssa.Phi); ok && entry != nil {
		v = entry(phi)
	}
	cell, ok := v.(*ssa.Alloc)
	if !ok {
		return nil
	}
	var val ssa.Value
	for _, user := range *cell.Referrers() {
		switch user := user.(type) {
		case *ssa.Store:
			if user.Addr != cell || val != nil {
				return nil
			}
			val = user.Val
		case *ssa.Phi, *ssa.DebugRef:
		default:
			return nil
		}
	}
	return val
}

// lengthOf is the length of a slice, array or string that is known without running the program, or -1.
func lengthOf(v ssa.Value, depth int) int64 {
	if depth > 4 {
		return -1
	}
	t := v.Type().Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	if a, ok := t.(*types.Array); ok {
		return a.Len()
	}
	switch v := v.(type) {
	case *ssa.Const:
		switch {
		case v.Value == nil && !isTypeParam(v.Type()):
			return 0
		case v.Value != nil && v.Value.Kind() == constant.String:
			return int64(len(constant.StringVal(v.Value)))
		}
	case *ssa.ChangeType:
		return lengthOf(v.X, depth+1)
	case *ssa.MakeSlice:
		return intOf(v.Len, -1)
	case *ssa.Slice:
		low, high := intOf(v.Low, 0), int64(-1)
		if v.High != nil {
			high = intOf(v.High, -1)
		} else {
			high = lengthOf(v.X, depth+1)
		}
		if low >= 0 && high >= low {
			return high - low
		}
	}
	return -1
}

func isTypeParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

// intOf is a constant index, missing when there is none, and -1 for one that is not constant.
func intOf(v ssa.Value, missing int64) int64 {
	if v == nil {
		return missing
	}
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil {
		return -1
	}
	if n, exact := constant.Int64Val(constant.ToInt(c.Value)); exact {
		return n
	}
	return -1
}

func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

func isSigned(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0 && b.Info()&types.IsUnsigned == 0
}

// fits returns an integer if a variable of the type holds it on every machine, so that nothing wraps around.
func fits(c constant.Value, t types.Type) constant.Value {
	if c.Kind() != constant.Int {
		return c
	}
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return constant.MakeUnknown()
	}
	size := 31
	switch b.Kind() {
	case types.Int8:
		size = 7
	case types.Int16:
		size = 15
	case types.Uint8:
		size = 8
	case types.Uint16:
		size = 16
	}
	if constant.BitLen(c) > size || constant.Sign(c) < 0 && !isSigned(t) {
		return constant.MakeUnknown()
	}
	return c
}
