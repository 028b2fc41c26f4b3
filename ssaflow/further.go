package ssaflow

import (
	"go/types"
	"slices"
)

// A path that comes through a named type for the second time stands for all further memory of that type: a summary does not tell the nodes
// of a list apart. Where such a path is followed in the caller, all further nodes are looked for: those that the caller made or linked, by
// what the nodes hold (reach), and, behind nodes that were there on entry, those that the caller has not looked at, by their types.

// furtherOnes adds, to memory of named types that was there on entry, what it leads to of these types.
func (f *frame) furtherOnes(st *state, rs refs, names []*types.TypeName) refs {
	out := rs
	seen := map[*object]bool{}
	for work := append(refs(nil), rs...); len(work) > 0; {
		r := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[r.o] || r.o.kind != entry || r.o.opaque || r.o.collapsed || r.o.recurs {
			continue // what recurs stands for all further ones
		}
		seen[r.o] = true
		for _, leaf := range f.leavesBehind(r) {
			if !leadsTo(leaf.typ, names, 0) {
				continue
			}
			for _, x := range f.load(st, r, leaf.path, leaf.typ) {
				if x.o.opaque {
					continue
				}
				if slices.Contains(names, pointeeName(x.o.ptr)) {
					out = out.union(refs{x})
				}
				work = append(work, x)
			}
		}
	}
	return out
}

// leavesBehind are the places of a struct that a reference leads to, or of the elements of a slice or map.
func (f *frame) leavesBehind(r ref) []leafType {
	var elem types.Type
	switch t := underlying(r.o.ptr).(type) {
	case *types.Slice:
		elem = t.Elem()
	case *types.Map:
		elem = t.Elem()
	default:
		return f.e.types.leavesOf(f.typeAt(r.o, r.path))
	}
	var list []leafType
	for _, leaf := range f.e.types.leavesOf(elem) {
		leaf.path = "[]" + leaf.path
		list = append(list, leaf)
	}
	return list
}

// leadsTo reports whether a type is a pointer, slice or map of one of the named types, or one of pointers to them.
func leadsTo(t types.Type, names []*types.TypeName, depth int) bool {
	if t == nil || depth > 2 {
		return false
	}
	if slices.Contains(names, pointeeName(t)) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return leadsTo(u.Elem(), names, depth+1)
	case *types.Slice:
		return leadsTo(u.Elem(), names, depth+1)
	case *types.Map:
		return leadsTo(u.Elem(), names, depth+1)
	}
	return false
}
