package ssaflow

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

func isUnsafePointer(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.UnsafePointer
}

// atAddress is what a pointer made of an integer points to: the memory whose address was taken in the expression that computes the
// integer. Where none was, it can be any memory, and where something is added it can be any part of it: what is done through the pointer
// is then not known.
func (f *frame) atAddress(v, address ssa.Value) refs {
	var found refs
	moved := false
	seen := map[ssa.Value]bool{}
	var visit func(x ssa.Value)
	visit = func(x ssa.Value) {
		if seen[x] {
			return
		}
		seen[x] = true
		switch x := x.(type) {
		case *ssa.Convert:
			if isUnsafePointer(x.X.Type()) {
				found = found.union(f.get(x.X).at(""))
				return
			}
			visit(x.X)
		case *ssa.ChangeType:
			visit(x.X)
		case *ssa.BinOp:
			moved = true
			visit(x.X)
			visit(x.Y)
		case *ssa.Phi:
			for _, e := range x.Edges {
				visit(e)
			}
		}
	}
	visit(address)
	if _, null := address.(*ssa.Const); moved || len(found) == 0 && !null {
		f.flag(Unresolved, "unsafe.Pointer of a computed address", v.Pos())
	}
	if len(found) == 0 {
		return f.unknown(f.then(nil, Step{Kind: Handed, Pos: f.at(v.Pos()), Callee: "unsafe.Pointer"}))
	}
	return found
}

// laidOutAnew reports whether a pointer of type to sees references in the memory of rs at other places than the memory's own type does.
func (f *frame) laidOutAnew(rs refs, to types.Type) bool {
	p, ok := to.Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	seen := f.e.types.leavesOf(p.Elem())
	return len(seen) > 0 && slices.ContainsFunc(rs, func(r ref) bool {
		if r.o.kind == anything {
			return false
		}
		if r.o.opaque {
			return !types.Identical(r.o.ptr, to)
		}
		own := f.e.types.leavesOf(f.typeAt(r.o, r.path))
		return !slices.EqualFunc(own, seen, func(a, b leafType) bool { return a.path == b.path })
	})
}

// listsOf returns the slices and arrays that pointers to their elements lead to, and whether all of rs are such pointers. A slice made at
// a variable has elements where the variable's own type has none.
func listsOf(rs refs) (refs, bool) {
	all := true
	out := slices.Clone(rs)
	for i, r := range rs {
		at := strings.LastIndexByte(r.path, '[')
		if at < 0 || !strings.HasSuffix(r.path, "]") {
			all = false
			continue
		}
		out[i].path, out[i].moved = r.path[:at], r.path[at:] != "[0]"
	}
	return out, all
}
