package analyzer

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Operators that stand in a table, a list or a field are called from there. Where the table does not leave the package, and all calls
// through it are resolved, their bodies are looked at like those of any call.

// placed reports whether what is stored at an address is only called, with all callees known.
func (s *valueSearch) placed(addr ssa.Value, seen map[ssa.Value]bool) bool {
	switch addr := addr.(type) {
	case *ssa.FieldAddr:
		return s.placed(addr.X, seen)
	case *ssa.IndexAddr:
		return s.placed(addr.X, seen)
	case *ssa.Alloc, *ssa.MakeSlice:
		return s.holds(addr, seen)
	case *ssa.Slice:
		return s.placed(addr.X, seen) && s.holds(addr, seen)
	case *ssa.Global:
		return s.inVariable(addr, seen)
	}
	return false
}

// inVariable is placed for a package variable.
func (s *valueSearch) inVariable(v *ssa.Global, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	if v.Object() == nil || v.Object().Exported() || v.Pkg != s.flow.Package {
		return false
	}
	for _, user := range s.usersOf(v) {
		if !s.reads(user, v, seen) {
			return false
		}
	}
	return true
}

// usersOf are the instructions that name a package variable.
func (s *valueSearch) usersOf(v *ssa.Global) []ssa.Instruction {
	if s.users == nil {
		s.users = map[*ssa.Global][]ssa.Instruction{}
		var buffer [8]*ssa.Value
		for _, fn := range append(s.flow.Functions(), s.flow.Package.Func("init")) {
			for _, b := range fn.Blocks {
				for _, instr := range b.Instrs {
					for _, operand := range instr.Operands(buffer[:0]) {
						if g, ok := (*operand).(*ssa.Global); ok {
							s.users[g] = append(s.users[g], instr)
						}
					}
				}
			}
		}
	}
	return s.users[v]
}

// holds reports whether the functions in a container, or in what an address leads to, are only called, with all callees known.
func (s *valueSearch) holds(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true
	}
	if v.Referrers() == nil {
		return false
	}
	seen[v] = true
	for _, user := range *v.Referrers() {
		if !s.reads(user, v, seen) {
			return false
		}
	}
	return true
}

// reads reports whether an instruction takes functions out of a container only to call them, or puts others in.
func (s *valueSearch) reads(instr ssa.Instruction, v ssa.Value, seen map[ssa.Value]bool) bool {
	part := func(p ssa.Value) bool {
		switch p.Type().Underlying().(type) {
		case *types.Basic:
			return true
		case *types.Signature:
			return s.callsOf(p, seen)
		}
		return s.holds(p, seen)
	}
	switch x := instr.(type) {
	case *ssa.DebugRef, *ssa.BinOp:
		return true
	case *ssa.UnOp:
		return x.Op == token.MUL && part(x)
	case *ssa.FieldAddr, *ssa.Field, *ssa.IndexAddr, *ssa.Index, *ssa.Slice, *ssa.Range, *ssa.Next, *ssa.Extract, *ssa.Phi, *ssa.ChangeType:
		return part(x.(ssa.Value))
	case *ssa.Lookup:
		return x.X == v && part(x)
	case *ssa.Store:
		return x.Val != v || s.placed(x.Addr, seen)
	case *ssa.MapUpdate:
		return x.Value != v || s.holds(x.Map, seen)
	case *ssa.Call:
		of, ok := x.Call.Value.(*ssa.Builtin)
		return ok && (of.Name() == "len" || of.Name() == "cap" || of.Name() == "delete" || of.Name() == "clear")
	case *ssa.MakeClosure:
		fn := x.Fn.(*ssa.Function)
		for i, b := range x.Bindings {
			if b == v && !s.holds(fn.FreeVars[i], seen) {
				return false
			}
		}
		return true
	}
	return false
}

// callsOf is calls for a function that may be put in another place of the kind.
func (s *valueSearch) callsOf(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	for _, user := range *v.Referrers() {
		switch user := user.(type) {
		case *ssa.Phi, *ssa.ChangeType, *ssa.Extract:
			if !s.callsOf(user.(ssa.Value), seen) {
				return false
			}
		case *ssa.Store:
			if !s.placed(user.Addr, seen) {
				return false
			}
		case *ssa.BinOp: // compared with nil
		default:
			if !s.calledBy(user, v) {
				return false
			}
		}
	}
	return true
}
