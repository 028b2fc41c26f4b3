package analyzer

import (
	"go/constant"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// What a map holds is known as long as all of its updates are: those of the value that made it, not those through a field, an element
// or another function.

// updatedThrough reports whether a map that a variable holds in a part of it may be written through that part.
func updatedThrough(addr ssa.Value) bool {
	for _, user := range *addr.Referrers() {
		switch user := user.(type) {
		case *ssa.DebugRef:
		case *ssa.Store:
			if user.Addr != addr {
				return true
			}
		case *ssa.FieldAddr:
			if updatedThrough(user) {
				return true
			}
		case *ssa.IndexAddr:
			if updatedThrough(user) {
				return true
			}
		case *ssa.Slice:
			if updatedThrough(user) {
				return true
			}
		case *ssa.Return: // a slice
		case *ssa.UnOp:
			if updatedIn(user) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// updatedIn reports whether a map may be written through a value that is it or holds it.
func updatedIn(v ssa.Value) bool {
	for _, user := range *v.Referrers() {
		switch user := user.(type) {
		case *ssa.DebugRef, *ssa.Return, *ssa.Lookup, *ssa.Range:
		case *ssa.Field:
			if updatedIn(user) {
				return true
			}
		case *ssa.Call:
			if object := calledObject(user.Common()); object == nil || !isRuntime(object.Pkg()) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// withoutDeleted is what is known of a copy of a map: the keys are those of the original but for those that are deleted from it in the
// block in which it is made.
func (e *evaluator) withoutDeleted(copied *ssa.Call, t tree) tree {
	if t.kind != mapTree {
		return t
	}
	var deleted []string
	changed := false
	for _, user := range *copied.Referrers() {
		switch user := user.(type) {
		case *ssa.DebugRef, *ssa.Return, *ssa.Lookup, *ssa.Range:
		case *ssa.Call:
			if object := calledObject(user.Common()); object != nil && isRuntime(object.Pkg()) {
				continue
			}
			b, ok := user.Call.Value.(*ssa.Builtin)
			if !ok || b.Name() != "delete" {
				changed = changed || !ok || b.Name() != "len"
				continue
			}
			c, ok := user.Call.Args[1].(*ssa.Const)
			if !ok || c.Value == nil || c.Value.Kind() != constant.String || user.Block() != copied.Block() {
				return tree{}
			}
			deleted = append(deleted, constant.StringVal(c.Value))
		default:
			changed = true
		}
	}
	if len(deleted) == 0 {
		return t
	}
	if changed {
		return tree{}
	}
	out := tree{kind: mapTree}
	for i, k := range t.names {
		if !slices.Contains(deleted, k) {
			out.names, out.kids = append(out.names, k), append(out.kids, t.kids[i])
		}
	}
	return out
}
