package ssaflow

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A loop from the second element on, or up to the last but one, replaces all where the element that it leaves out is stored to right
// before the loop or right behind it: nothing that could see the old element stands in between.

// ends are the elements of a container that are looked for: the first and the last one.
type ends struct{ first, last bool }

// beside looks for stores to the ends of a container.
type beside struct {
	f         *frame
	container ssa.Value
	suffix    string
	r         ref
	get       func(ssa.Value) value
}

// storedBeside reports whether the wanted ends of the container of a sweep's store are stored to next to the loop. It notes the stores
// before the loop: what they stored is among what the loop leaves behind.
func (f *frame) storedBeside(s *sweep, g *sweepStore, container ssa.Value, r ref, get func(ssa.Value) value, want ends) bool {
	b := &beside{f, container, g.suffix, r, get}
	g.before = nil
	if entry := f.onlyEntry(s); entry != nil {
		b.backward(entry, len(entry.Instrs)-1, &want, g)
	}
	return b.forward(s.end[1], 0, want)
}

// onlyEntry is the block from which alone a loop is entered.
func (f *frame) onlyEntry(s *sweep) *ssa.BasicBlock {
	var only *ssa.BasicBlock
	for _, p := range s.head.Preds {
		if !f.reachable(p) || !live(p, s.head) || s.inside[p] {
			continue
		}
		if only != nil {
			return nil
		}
		only = p
	}
	return only
}

// backward goes through the code before a loop, from its end, and drops what it finds stored from what is wanted.
func (b *beside) backward(block *ssa.BasicBlock, from int, want *ends, g *sweepStore) {
	for range 4 {
		for i := from; i >= 0; i-- {
			instr := block.Instrs[i]
			if store, end := b.end(instr); store != nil {
				if want.first && end.first || want.last && end.last {
					g.before = append(g.before, store)
					want.first, want.last = want.first && !end.first, want.last && !end.last
				}
				continue
			}
			if !b.passes(instr, true) {
				return
			}
		}
		if len(block.Preds) != 1 {
			return
		}
		block = block.Preds[0]
		from = len(block.Instrs) - 1
	}
}

// forward reports whether the code from an instruction on stores to all ends that are wanted before anybody can see them.
func (b *beside) forward(block *ssa.BasicBlock, from int, want ends) bool {
	for range 4 {
		for _, instr := range block.Instrs[from:] {
			if want == (ends{}) {
				return true
			}
			if store, end := b.end(instr); store != nil {
				want.first, want.last = want.first && !end.first, want.last && !end.last
				continue
			}
			if !b.passes(instr, false) {
				return false
			}
		}
		if len(block.Succs) != 1 || len(block.Succs[0].Preds) != 1 {
			return want == (ends{})
		}
		block, from = block.Succs[0], 0
	}
	return false
}

// end returns the store to the first or last element of the container that an instruction is.
func (b *beside) end(instr ssa.Instruction) (*ssa.Store, ends) {
	store, ok := instr.(*ssa.Store)
	if !ok {
		return nil, ends{}
	}
	suffix, addr := elementPart(store.Addr)
	at, ok := addr.(*ssa.IndexAddr)
	if !ok || suffix != "" && suffix != b.suffix || !sameVariable(at.X, b.container) {
		return nil, ends{}
	}
	if ok, found := b.ends(at); ok {
		return store, found
	}
	return nil, ends{}
}

// ends tells whether an element is the first or the last one.
func (b *beside) ends(at *ssa.IndexAddr) (bool, ends) {
	n := numberOf(at.Index)
	found := ends{first: n == length{}}
	missing, known := b.f.missing(n.plus(1), b.container, b.r, b.get)
	found.last = known && missing == 0
	return found != ends{}, found
}

// elementPart cuts the fields off the address of a part of an element.
func elementPart(addr ssa.Value) (suffix string, element ssa.Value) {
	for {
		field, ok := addr.(*ssa.FieldAddr)
		if !ok {
			return suffix, addr
		}
		p, ok := field.X.Type().Underlying().(*types.Pointer)
		if !ok {
			return suffix, addr
		}
		st, ok := p.Elem().Underlying().(*types.Struct)
		if !ok {
			return suffix, addr
		}
		suffix, addr = fieldStep(st, field.Field)+suffix, field.X
	}
}

// passes reports whether an instruction neither changes elements of the container nor, unless that does no harm, sees them.
func (b *beside) passes(instr ssa.Instruction, sees bool) bool {
	switch v := instr.(type) {
	case *ssa.UnOp:
		switch {
		case v.Op == token.ARROW:
			return false
		case v.Op != token.MUL || sees:
			return true
		}
		switch v.Type().Underlying().(type) {
		case *types.Struct, *types.Array:
			return false
		}
		_, from := elementPart(v.X)
		at, element := from.(*ssa.IndexAddr)
		if !element {
			return true
		}
		_, given := at.X.(*ssa.Parameter)
		return given && b.r.o.kind == made
	case *ssa.Store:
		if _, element := baseOf(v.Addr).(*ssa.IndexAddr); element {
			return false
		}
		_, register := b.container.(*ssa.UnOp)
		return !register || b.apart(v.Val.Type())
	case ssa.CallInstruction:
		call, ok := instr.(*ssa.Call)
		if !ok || b.f.recovers != neverRecovers && !sees {
			return false
		}
		if of, ok := call.Call.Value.(*ssa.Builtin); ok {
			return of.Name() == "len" || of.Name() == "cap"
		}
		if fn := call.Call.StaticCallee(); fn == nil || len(fn.FreeVars) > 0 {
			return false
		}
		for _, a := range call.Call.Args {
			if !b.apart(a.Type()) {
				return false
			}
		}
		return true
	case *ssa.MapUpdate, *ssa.Send, *ssa.Select, *ssa.Return, *ssa.Panic, *ssa.RunDefers, *ssa.Next:
		return false
	}
	return true
}

// apart reports whether no container is reached through a value of a type: it is a number, an indivisible object, or a list of numbers.
func (b *beside) apart(t types.Type) bool {
	types := b.f.e.types
	if len(types.leavesOf(t)) == 0 || types.isOpaque(t) {
		return true
	}
	elem := sliceElem(t)
	return elem != nil && len(types.leavesOf(elem)) == 0
}

// baseOf is the address that the fields of an address are part of.
func baseOf(addr ssa.Value) ssa.Value {
	_, element := elementPart(addr)
	return element
}

// leaveBefore adds, to what a loop leaves behind, what was stored to the ends of the container before it.
func (f *frame) leaveBefore(st *state, p sweptPlace, g *sweepStore) {
	for _, store := range g.before {
		suffix, addr := elementPart(store.Addr)
		at := addr.(*ssa.IndexAddr)
		step := "[]"
		if isZero(at.Index) && (f.tellsApart(ref{o: p.o, path: p.path}, 0) || f.shortArray(p.o, p.path)) {
			step = "[0]"
		}
		val := f.get(store.Val)
		for _, leaf := range f.e.types.leavesOf(store.Val.Type()) {
			path := p.path + step + suffix + leaf.path
			held, _ := st.get(p.o)
			var there refs
			if i := held.find(path); i >= 0 {
				there = held[i].refs
			}
			st.set(p.o, path, there.union(val.at(leaf.path)))
		}
	}
}

// refilled reports whether the element that a copy within one container left in two is stored to right afterwards: copy(l, l[1:]) and
// then l[len(l)-1] = t, copy(l[1:], l) and then l[0] = t.
func (f *frame) refilled(call *ssa.Call) bool {
	to, from := call.Call.Args[0], call.Call.Args[1]
	if s, ok := from.(*ssa.Slice); ok && s.High != nil && f.untilLast(s) {
		from = s.X
	}
	var want ends
	var container ssa.Value
	switch {
	case isRest(from, to):
		container, want.last = to, true
	case isRest(to, from):
		container, want.first = from, true
	default:
		return false
	}
	rs := f.get(container).at("")
	if len(rs) != 1 || rs[0].moved || !rs[0].o.unique() || rs[0].o.kind == anything {
		return false
	}
	block := call.Block()
	for i, instr := range block.Instrs {
		if instr == ssa.Instruction(call) {
			b := &beside{f: f, container: container, r: rs[0], get: f.get}
			return b.forward(block, i+1, want)
		}
	}
	return false
}

// rotates reports whether a store puts to one end of a container what a copy within it overwrote at the other end: t := l[0], then
// copy(l, l[1:]) and l[len(l)-1] = t, or the other way round.
func (f *frame) rotates(v *ssa.Store) bool {
	load, ok := v.Val.(*ssa.UnOp)
	if !ok || load.Op != token.MUL || load.Block() != v.Block() {
		return false
	}
	at, ok := load.X.(*ssa.IndexAddr)
	to, ok2 := v.Addr.(*ssa.IndexAddr)
	if !ok || !ok2 || !sameVariable(at.X, to.X) {
		return false
	}
	b := &beside{f: f, container: at.X, r: ref{o: f.nothing}, get: f.get}
	if rs := f.get(at.X).at(""); len(rs) == 1 {
		b.r = rs[0]
	}
	stage := 0 // before the load, before the copy, behind it
	for _, instr := range v.Block().Instrs {
		switch call, isCall := instr.(*ssa.Call); {
		case instr == ssa.Instruction(load):
			stage = 1
		case instr == ssa.Instruction(v):
			return stage == 2
		case stage == 1 && isCall && f.refilled(call):
			// The copy overwrites the end from which the value was read, and the store is the first one to the other end.
			_, from := b.ends(at)
			_, end := b.ends(to)
			if f.shiftsDown(call) != from.first || from.first == from.last || from.first == end.first {
				return false
			}
			stage = 2
		case stage > 0 && !b.passes(instr, true):
			return false
		}
	}
	return false
}

// shifts reports whether a store is that of a loop which moves all elements of a container by one, and the element that it leaves in two
// is stored to right afterwards: for i := len(l)-1; i > 0; i-- { l[i] = l[i-1] }, then l[0] = t, or the other way round.
func (f *frame) shifts(v *ssa.Store) bool {
	load, ok := v.Val.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	from, ok := load.X.(*ssa.IndexAddr)
	to, ok2 := v.Addr.(*ssa.IndexAddr)
	if !ok || !ok2 || !sameVariable(from.X, to.X) {
		return false
	}
	a, b := numberOf(from.Index), numberOf(to.Index)
	rs := f.get(to.X).at("")
	if a.of != b.of || a.isLen || b.isLen || len(rs) != 1 || rs[0].moved || !rs[0].o.unique() || rs[0].o.kind == anything {
		return false
	}
	for _, s := range f.sweeps {
		if !s.inside[v.Block()] || s.ranged != nil {
			continue
		}
		for _, g := range s.stores {
			if g.suffix != "" || len(g.containers) != 1 || g.containers[0] != to.X {
				continue
			}
			missing, known := f.missing(s.bound.plus(g.shift), to.X, rs[0], f.get)
			want := ends{last: true}
			if s.down {
				want = ends{first: true}
			}
			switch first := s.first + g.shift; {
			case !known:
				return false
			case s.down && (a.more != b.more-1 || first != 1 || missing != 0), !s.down && (a.more != b.more+1 || first != 0 || missing != 1):
				return false
			}
			look := &beside{f: f, container: to.X, r: rs[0], get: f.get}
			for block := range s.inside {
				for _, instr := range block.Instrs {
					if instr != ssa.Instruction(v) && instr != ssa.Instruction(load) && !look.passes(instr, false) {
						return false
					}
				}
			}
			return look.forward(s.end[1], 0, want)
		}
	}
	return false
}

// shiftsDown reports whether a copy moves the elements of a container to lower indices.
func (f *frame) shiftsDown(call *ssa.Call) bool {
	from := call.Call.Args[1]
	if s, ok := from.(*ssa.Slice); ok && s.High != nil {
		return false
	}
	return isRest(from, call.Call.Args[0])
}

// untilLast reports whether a slice leaves out the last element of its operand, and nothing else.
func (f *frame) untilLast(s *ssa.Slice) bool {
	n, all := numberOf(s.High), lengthIn(s.X)
	return intOf(s.Low, 0) == 0 && s.Max == nil && n.isLen && (n.of == all.of || sameVariable(n.of, all.of)) && n.more == all.more-1
}

// isRest reports whether a slice is another one without its first element.
func isRest(rest, of ssa.Value) bool {
	s, ok := rest.(*ssa.Slice)
	return ok && intOf(s.Low, 0) == 1 && s.High == nil && s.Max == nil && sameVariable(s.X, of)
}
