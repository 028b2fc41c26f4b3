package ssaflow

import (
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Elements of a container that was there before, or that unseen code made, are one place. A store of such an element to another
// one of the same container leaves it in two, which is kept track of: certainly, where constants say which elements these are and
// nothing else was stored there, and perhaps otherwise. Elements that change places are in one each.

// ownElements marks, in a value about to be stored, the references that an element of the same container holds already.
func (f *frame) ownElements(st *state, v ssa.Instruction, to refs, val value) value {
	marked := f.heldAlready(st, to, "", val, false)
	if len(val) == 0 || &marked[0] == &val[0] {
		return val // the code around is looked at where it matters: blocks that fill tables are long
	}
	store, _ := v.(*ssa.Store)
	switch same, certain := sameElement(v); {
	case same || store != nil && (f.rotates(store) || f.shifts(store)):
		return val
	case certain && !f.cyclic[v.Block()]:
		return f.heldAlready(st, to, "", val, true)
	}
	return marked
}

// heldAlready marks the references of a value that the place path of the locations to holds from the beginning.
func (f *frame) heldAlready(st *state, to refs, path string, val value, certain bool) value {
	out := val
	for i, l := range val {
		for _, t := range to {
			p := t.path + path + l.path
			if !strings.Contains(p, "[]") {
				continue
			}
			child := f.children[childKey{t.o, p}]
			if child == nil {
				continue
			}
			held, _ := st.get(t.o)
			n := held.find(p)
			once := n < 0 || len(held[n].refs) == 1 && held[n].refs[0].o == child && !held[n].refs[0].mayTwice
			for _, r := range l.refs {
				if r.o != child || r.path != "" {
					continue
				}
				if &out[0] == &val[0] {
					out = append(value(nil), val...)
				}
				out[i].refs = out[i].refs.marked(func(r *ref) {
					if r.o == child {
						r.twice = certain && once && len(to) == 1
						r.mayTwice = !r.twice
					}
				})
				break
			}
		}
	}
	return out
}

// lessCertain returns references as they are after one of the elements that hold them was replaced: of elements that are one place
// it is not known which one that was.
func (s refs) lessCertain() refs {
	for _, r := range s {
		if r.twice && !r.o.single() {
			return s.marked(func(r *ref) {
				if r.twice && !r.o.single() {
					r.twice, r.mayTwice = false, true
				}
			})
		}
	}
	return s
}

// sameElement reports whether an instruction stores to an element what it or an element that changes places with it held, and
// otherwise whether constants say that it is another element.
func sameElement(v ssa.Instruction) (same, other bool) {
	switch v := v.(type) {
	case *ssa.Store:
		load, ok := v.Val.(*ssa.UnOp)
		if !ok {
			return false, false
		}
		if samePlace(v.Addr, load.X, 0) || swaps(v, load.X) {
			return true, false
		}
		a, b := indexOf(v.Addr), indexOf(load.X)
		return false, a != nil && b != nil && differ(a, b)
	case *ssa.MapUpdate:
		load, ok := v.Value.(*ssa.Lookup)
		if !ok || load.CommaOk {
			return false, false
		}
		if samePlace(v.Map, load.X, 0) && sameIndex(v.Key, load.Index) || swapsKeys(v, load) {
			return true, false
		}
		return false, differ(v.Key, load.Index)
	}
	return false, false
}

// swaps reports whether the block of a store also stores, to the place from which its value was read, what was read from its own.
func swaps(v *ssa.Store, from ssa.Value) bool {
	for _, instr := range v.Block().Instrs {
		if back, ok := instr.(*ssa.Store); ok && back != v {
			if load, ok := back.Val.(*ssa.UnOp); ok && samePlace(back.Addr, from, 0) && samePlace(load.X, v.Addr, 0) && together(v.Val, load, v, back) {
				return true
			}
		}
	}
	return false
}

// swapsKeys is swaps for maps.
func swapsKeys(v *ssa.MapUpdate, from *ssa.Lookup) bool {
	for _, instr := range v.Block().Instrs {
		if back, ok := instr.(*ssa.MapUpdate); ok && back != v {
			if load, ok := back.Value.(*ssa.Lookup); ok && samePlace(back.Map, from.X, 0) && samePlace(load.X, v.Map, 0) && sameIndex(back.Key, from.Index) &&
				sameIndex(load.Index, v.Key) && together(from, load, v, back) {
				return true
			}
		}
	}
	return false
}

// together reports whether two reads and two stores stand in one block, the reads first, with no other store or call among them.
func together(a, b ssa.Value, x, y ssa.Instruction) bool {
	block := x.Block()
	reads, stores := 0, 0
	for _, instr := range block.Instrs {
		v, _ := instr.(ssa.Value)
		switch {
		case v != nil && (v == a || v == b):
			reads++
		case instr == x || instr == y:
			if reads < 2 {
				return false
			}
			if stores++; stores == 2 {
				return true
			}
		case reads > 0:
			switch instr.(type) {
			case *ssa.Store, *ssa.MapUpdate, ssa.CallInstruction:
				return false
			}
		}
	}
	return false
}

// samePlace reports whether two addresses, or the values read from them, are written in the same way: variables are read again by
// each mention.
func samePlace(a, b ssa.Value, depth int) bool {
	if a == b {
		return true
	}
	if depth > 6 {
		return false
	}
	switch a := a.(type) {
	case *ssa.IndexAddr:
		b, ok := b.(*ssa.IndexAddr)
		return ok && sameIndex(a.Index, b.Index) && samePlace(a.X, b.X, depth+1)
	case *ssa.FieldAddr:
		b, ok := b.(*ssa.FieldAddr)
		return ok && a.Field == b.Field && samePlace(a.X, b.X, depth+1)
	case *ssa.UnOp:
		b, ok := b.(*ssa.UnOp)
		return ok && a.Op == b.Op && samePlace(a.X, b.X, depth+1)
	}
	return false
}

// indexOf is the index of the element that an address leads to a part of, nil if it is not one.
func indexOf(addr ssa.Value) ssa.Value {
	for {
		switch a := addr.(type) {
		case *ssa.FieldAddr:
			addr = a.X
		case *ssa.IndexAddr:
			return a.Index
		default:
			return nil
		}
	}
}

// differ reports whether two constants are different ones.
func differ(a, b ssa.Value) bool {
	x, ok := a.(*ssa.Const)
	y, ok2 := b.(*ssa.Const)
	return ok && ok2 && x.Value != nil && y.Value != nil && x.Value.ExactString() != y.Value.ExactString()
}
