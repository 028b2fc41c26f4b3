package ssaflow

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Which loops count: through all indices of a container, up or down, or through all keys of a map.

// loop returns the blocks of the loop that begins at head and comes around from latches.
func (f *frame) loop(head *ssa.BasicBlock, latches []*ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	inside := map[*ssa.BasicBlock]bool{head: true}
	work := append([]*ssa.BasicBlock(nil), latches...)
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if inside[b] || !f.reachable(b) {
			continue
		}
		inside[b] = true
		for _, p := range b.Preds {
			if live(p, b) {
				work = append(work, p)
			}
		}
	}
	return inside
}

// counts returns the index or key that takes all values of a count in the rounds of the loop, and notes where the count ends; nil
// when the loop does not count.
func (f *frame) counts(s *sweep, entries, latches []*ssa.BasicBlock) ssa.Value {
	if key := f.ranges(s); key != nil {
		return key
	}
	// for i := 0; i < n; i++, and range over a slice or array: the head tests.
	if x, bound, end := lessThan(s.head); x != nil {
		step, _ := x.(*ssa.BinOp)
		for first := range int64(2) {
			if f.countsUp(x, s.head, entries, first, nil) || first == 0 && step != nil && isPlusOne(step, step.X) && f.countsUp(step.X, s.head, entries, -1, step) {
				s.first, s.bound, s.end = first, bound, [2]*ssa.BasicBlock{s.head, end}
				return x
			}
		}
	}
	// for i := n - 1; i >= 0; i--
	if x, end := f.countsDown(s, entries); x != nil {
		s.end, s.down = [2]*ssa.BasicBlock{s.head, end}, true
		return x
	}
	// range over an integer: the test stands at the end, and once before the loop.
	if len(latches) != 1 || len(entries) != 1 {
		return nil
	}
	x, bound, end := lessThan(latches[0])
	step, ok := x.(*ssa.BinOp)
	if !ok || !isPlusOne(step, step.X) || latches[0].Succs[0] != s.head || !f.countsUp(step.X, s.head, entries, 0, step) {
		return nil
	}
	s.bound, s.end = bound, [2]*ssa.BasicBlock{latches[0], end}
	if first, same, end := lessThan(entries[0]); first != nil && intOf(first, -1) == 0 && same == bound && entries[0].Succs[0] == s.head {
		s.skip = [2]*ssa.BasicBlock{entries[0], end}
	}
	return step.X
}

// ranges returns the key of a loop that ranges over a map whose keys are equal to themselves, which the floating-point ones need not
// be.
func (f *frame) ranges(s *sweep) ssa.Value {
	br, ok := s.head.Instrs[len(s.head.Instrs)-1].(*ssa.If)
	if !ok {
		return nil
	}
	ok1, isExtract := br.Cond.(*ssa.Extract)
	if !isExtract || ok1.Index != 0 {
		return nil
	}
	next, isNext := ok1.Tuple.(*ssa.Next)
	if !isNext || next.Block() != s.head {
		return nil
	}
	rng, isRange := next.Iter.(*ssa.Range)
	if !isRange {
		return nil
	}
	m, isMap := rng.X.Type().Underlying().(*types.Map)
	if !isMap || !reflexive(m.Key()) {
		return nil
	}
	for _, user := range *next.Referrers() {
		if key, ok := user.(*ssa.Extract); ok && key.Index == 1 {
			s.ranged, s.end = rng.X, [2]*ssa.BasicBlock{s.head, s.head.Succs[1]}
			return key
		}
	}
	return nil
}

// reflexive reports whether every key of the type equals itself.
func reflexive(t types.Type) bool {
	if isTypeParam(t) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsFloat|types.IsComplex) == 0
	case *types.Array:
		return reflexive(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if !reflexive(u.Field(i).Type()) {
				return false
			}
		}
		return true
	case *types.Pointer, *types.Chan:
		return true
	}
	return false
}

// lessThan returns x and bound of a block that ends in if x < bound, or x != bound, x <= bound-1, or bound > x, and where it leads
// otherwise.
func lessThan(b *ssa.BasicBlock) (x ssa.Value, bound length, otherwise *ssa.BasicBlock) {
	br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok || b.Succs[0] == b.Succs[1] {
		return nil, bound, nil
	}
	cond, ok := br.Cond.(*ssa.BinOp)
	if !ok || !isInteger(cond.X.Type()) {
		return nil, bound, nil
	}
	switch cond.Op {
	case token.LSS, token.NEQ:
		return cond.X, numberOf(cond.Y), b.Succs[1]
	case token.LEQ:
		return cond.X, numberOf(cond.Y).plus(1), b.Succs[1]
	case token.GTR:
		return cond.Y, numberOf(cond.X), b.Succs[1]
	case token.GEQ:
		return cond.Y, numberOf(cond.X).plus(1), b.Succs[1]
	}
	return nil, bound, nil
}

// isPlusOne reports whether v is x + 1.
func isPlusOne(v *ssa.BinOp, x ssa.Value) bool {
	return v.Op == token.ADD && v.X == x && intOf(v.Y, -1) == 1 && isInteger(v.Type())
}

// countsUp reports whether v is the variable of the loop that begins at head which starts from a constant and comes around as one
// more; as step, where that is given.
func (f *frame) countsUp(v ssa.Value, head *ssa.BasicBlock, entries []*ssa.BasicBlock, start int64, step *ssa.BinOp) bool {
	phi, ok := v.(*ssa.Phi)
	if !ok || phi.Block() != head {
		return false
	}
	for i, p := range head.Preds {
		if !f.reachable(p) || !live(p, head) {
			continue
		}
		if f.order[p] < f.order[head] {
			c, ok := phi.Edges[i].(*ssa.Const)
			if !ok || c.Value == nil || constant.Compare(constant.ToInt(c.Value), token.NEQ, constant.MakeInt64(start)) {
				return false
			}
			continue
		}
		next, ok := phi.Edges[i].(*ssa.BinOp)
		if !ok || !isPlusOne(next, phi) || step != nil && next != step {
			return false
		}
	}
	return len(entries) > 0
}

// sameVariable reports whether two values are one, or are read from one variable or field; what is there may have changed.
func sameVariable(a, b ssa.Value) bool {
	if a == b {
		return true
	}
	switch a := a.(type) {
	case *ssa.UnOp:
		b, ok := b.(*ssa.UnOp)
		return ok && a.Op == token.MUL && b.Op == token.MUL && sameVariable(a.X, b.X)
	case *ssa.FieldAddr:
		b, ok := b.(*ssa.FieldAddr)
		return ok && a.Field == b.Field && sameVariable(a.X, b.X)
	}
	return false
}

// countsDown returns the variable of a loop that starts from one number, comes around as one less and ends below another, and where the
// loop leads then.
func (f *frame) countsDown(s *sweep, entries []*ssa.BasicBlock) (x ssa.Value, end *ssa.BasicBlock) {
	head := s.head
	br, ok := head.Instrs[len(head.Instrs)-1].(*ssa.If)
	if !ok || head.Succs[0] == head.Succs[1] || len(entries) == 0 {
		return nil, nil
	}
	cond, ok := br.Cond.(*ssa.BinOp)
	if !ok {
		return nil, nil
	}
	x, last := cond.X, cond.Y
	if cond.Op == token.LEQ || cond.Op == token.LSS {
		x, last = last, x
	}
	if s.first = intOf(last, -1); s.first < 0 {
		return nil, nil
	}
	switch cond.Op {
	case token.GEQ, token.LEQ:
	case token.GTR, token.LSS:
		s.first++
	default:
		return nil, nil
	}
	phi, ok := x.(*ssa.Phi)
	if !ok || phi.Block() != head || !isInteger(phi.Type()) {
		return nil, nil
	}
	known := false
	for i, p := range head.Preds {
		if !f.reachable(p) || !live(p, head) {
			continue
		}
		if f.order[p] < f.order[head] {
			start := numberOf(phi.Edges[i]).plus(1)
			if known && start != s.bound {
				return nil, nil
			}
			s.bound, known = start, true
			continue
		}
		less, ok := phi.Edges[i].(*ssa.BinOp)
		if !ok || less.Op != token.SUB || intOf(less.Y, -1) != 1 || less.X != x {
			return nil, nil
		}
	}
	return x, head.Succs[1]
}
