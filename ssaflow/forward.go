package ssaflow

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// An element that is read where it was stored just before, through the same index or key and with nothing in between that could
// replace it, is what was stored, whatever other elements hold.

// storedJust returns what the last store before a load put at the address that it reads, if that is an element or a part of one.
func (f *frame) storedJust(v *ssa.UnOp) ssa.Value {
	if !f.e.types.isOpaque(v.Type()) || !inElement(v.X) {
		return nil
	}
	return f.putJust(v, v.X, func(instr ssa.Instruction) (place, val ssa.Value) {
		if s, ok := instr.(*ssa.Store); ok && sameAddress(s.Addr, v.X) {
			return s.Addr, s.Val
		}
		return nil, nil
	})
}

// updatedJust is storedJust for an element of a map.
func (f *frame) updatedJust(v *ssa.Lookup) ssa.Value {
	m, ok := v.X.Type().Underlying().(*types.Map)
	if !ok || !f.e.types.isOpaque(m.Elem()) || !reflexive(m.Key()) {
		return nil
	}
	return f.putJust(v, v.X, func(instr ssa.Instruction) (place, val ssa.Value) {
		if u, ok := instr.(*ssa.MapUpdate); ok && sameVariable(u.Map, v.X) && u.Key == v.Index {
			return u.Map, u.Value
		}
		return nil, nil
	})
}

// putJust returns the value of the last instruction before a read that put one at its place.
func (f *frame) putJust(read ssa.Instruction, at ssa.Value, put func(ssa.Instruction) (place, val ssa.Value)) (last ssa.Value) {
	instrs, quiet := read.Block().Instrs, 0 // where the instructions begin that leave the place as it is, and what leads to it
	for i, instr := range instrs {
		if instr == read {
			break
		}
		if place, val := put(instr); val != nil && readSince(place, at, instrs[quiet:i]) {
			last = val
		} else if val != nil || !f.leavesPlace(instr, at) {
			last, quiet = nil, i+1
		}
	}
	return last
}

// readSince reports whether the variables that lead to a place, where they do not do so by the same value, were read by one of some
// instructions.
func readSince(place, at ssa.Value, instrs []ssa.Instruction) bool {
	if place == at {
		return true
	}
	switch p := place.(type) {
	case *ssa.UnOp:
		return slices.Contains(instrs, ssa.Instruction(p)) && readSince(p.X, at.(*ssa.UnOp).X, instrs)
	case *ssa.FieldAddr:
		return readSince(p.X, at.(*ssa.FieldAddr).X, instrs)
	case *ssa.IndexAddr:
		return readSince(p.X, at.(*ssa.IndexAddr).X, instrs)
	}
	return false
}

// inElement reports whether an address is that of an element, or of a field within one, whose index is no constant.
func inElement(addr ssa.Value) bool {
	switch a := addr.(type) {
	case *ssa.FieldAddr:
		return inElement(a.X)
	case *ssa.IndexAddr:
		_, constant := a.Index.(*ssa.Const)
		return !constant
	}
	return false
}

// sameAddress reports whether two addresses are one, with nothing stored in between.
func sameAddress(a, b ssa.Value) bool {
	if a == b {
		return true
	}
	switch a := a.(type) {
	case *ssa.FieldAddr:
		b, ok := b.(*ssa.FieldAddr)
		return ok && a.Field == b.Field && sameAddress(a.X, b.X)
	case *ssa.IndexAddr:
		b, ok := b.(*ssa.IndexAddr)
		return ok && a.Index == b.Index && (sameVariable(a.X, b.X) || sameAddress(a.X, b.X))
	}
	return false
}

// leavesPlace reports whether an instruction leaves what is at an address of an element, or of an element of a map, and the variable
// that leads there, as it is.
func (f *frame) leavesPlace(instr ssa.Instruction, addr ssa.Value) bool {
	switch v := instr.(type) {
	case *ssa.Store:
		at, ok := v.Addr.(*ssa.FieldAddr)
		place, same := addr.(*ssa.FieldAddr)
		return ok && same && at.Field != place.Field && sameAddress(at.X, place.X)
	case *ssa.Call:
		if b, ok := v.Call.Value.(*ssa.Builtin); ok {
			return b.Name() == "len" || b.Name() == "cap"
		}
		fn := v.Call.StaticCallee()
		if fn == nil || len(fn.Blocks) > 0 || fn.Signature.Recv() == nil || !f.e.types.isOpaque(fn.Signature.Recv().Type()) {
			return false
		}
		for _, a := range v.Call.Args {
			if t := a.Type(); !f.e.types.isOpaque(t) && len(f.e.types.leavesOf(t)) > 0 {
				return false
			}
		}
		return true
	case *ssa.MapUpdate, *ssa.Go, *ssa.Defer, *ssa.RunDefers, *ssa.Send, *ssa.Select:
		return false
	case *ssa.UnOp:
		return v.Op != token.ARROW
	}
	return true
}
