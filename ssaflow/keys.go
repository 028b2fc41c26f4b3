package ssaflow

import "golang.org/x/tools/go/ssa"

// A map that maps.Clone made has the keys of its model, as long as it gets no others and the model loses none. A loop over the keys of
// the model that stores to the clone then replaces all of its elements.

// noteUpdate keeps which instructions change maps, where loops range over some.
func (f *frame) noteUpdate(instr ssa.Instruction, maps refs) {
	if !f.rangesMaps {
		return
	}
	for _, r := range maps {
		if r.o.kind == anything || r.o.opaque {
			continue
		}
		known := false
		for _, u := range f.updates[r.o] {
			known = known || u == instr
		}
		if !known {
			if f.updates == nil {
				f.updates = map[*object][]ssa.Instruction{}
			}
			f.updates[r.o] = append(f.updates[r.o], instr)
			f.grew = true
		}
	}
}

// sameKeys reports whether a map has, at most, the keys of the one that a sweep ranges over when the loop is over.
func (f *frame) sameKeys(s *sweep, r, ranged ref) bool {
	call, ok := r.o.by.(*ssa.Call)
	if !ok || r.path != "" || !isLibrary(call, "maps", "Clone") {
		return false
	}
	model, ok := wholeContainer(f.get(call.Call.Args[0]).at(""))
	if !ok || model.o != ranged.o || model.path != ranged.path {
		return false
	}
	for _, u := range f.updates[r.o] {
		if put, ok := u.(*ssa.MapUpdate); ok && s.inside[u.Block()] && isKeyOf(put.Key, s) {
			continue
		}
		if u.Block() == s.head || f.reachesWithout(u.Block(), s.head, nil) {
			return false
		}
	}
	for _, u := range f.updates[ranged.o] {
		if _, put := u.(*ssa.MapUpdate); !put && f.reachesWithout(u.Block(), s.head, nil) {
			return false
		}
	}
	return true
}

// isKeyOf reports whether a value is the key of the round that a sweep is in.
func isKeyOf(v ssa.Value, s *sweep) bool {
	key, ok := v.(*ssa.Extract)
	if !ok || key.Index != 1 {
		return false
	}
	next, ok := key.Tuple.(*ssa.Next)
	return ok && next.Block() == s.head
}

// isLibrary reports whether a call is one of a function of the standard library.
func isLibrary(call *ssa.Call, pkg, name string) bool {
	fn := call.Call.StaticCallee()
	if fn == nil {
		return false
	}
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	return fn.Pkg != nil && fn.Name() == name && fn.Pkg.Pkg.Path() == pkg
}
