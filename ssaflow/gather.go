package ssaflow

import "go/types"

// gathered is a value while references are added to it one by one: unlike value.join it adds in place. It is done once it is read.
type gathered struct {
	val value
	// prefix stands before the paths of what is added.
	prefix string
	// of is the type that the added part has, if it is concrete: references of another dynamic type are left out, for they cannot
	// have passed the type assertion in the callee.
	of types.Type
	// room is for how many references a leaf has room at first.
	room int
}

// part begins a part of the value.
func (g *gathered) part(prefix string, typ types.Type) {
	g.prefix, g.of = prefix, nil
	if concrete(typ) && !isUnsafePointer(typ) {
		g.of = typ
	}
}

// leaf is the index of the leaf at a path behind the prefix, -1 if there is none.
func (g *gathered) leaf(path string) int {
	for i := range g.val {
		if p := g.val[i].path; len(p) == len(g.prefix)+len(path) && p[:len(g.prefix)] == g.prefix && p[len(g.prefix):] == path {
			return i
		}
	}
	return -1
}

// wants reports whether a reference is a new one, whatever its way.
func (g *gathered) wants(path string, r ref) bool {
	if g.of != nil && path == "" && r.dyn != nil && !types.Identical(r.dyn, g.of) {
		return false
	}
	i := g.leaf(path)
	return i < 0 || !g.val[i].refs.has(&r)
}

// add adds a reference that is wanted.
func (g *gathered) add(path string, r ref) {
	i := g.leaf(path)
	if i < 0 {
		g.val = append(g.val, leafRefs{g.prefix + path, append(make(refs, 0, max(1, g.room)), r)})
		return
	}
	s := g.val[i].refs
	if len(s) >= tooMany {
		if r = (ref{o: r.o.home.nothing, why: r.why}); s.has(&r) {
			return
		}
	}
	g.val[i].refs = append(s, r)
}

// all adds references as they are.
func (g *gathered) all(path string, rs refs) {
	if len(rs) == 0 {
		return
	}
	i := g.leaf(path)
	if i < 0 {
		g.val = append(g.val, leafRefs{g.prefix + path, rs[:len(rs):len(rs)]}) // what is added later goes elsewhere
		return
	}
	for _, r := range rs {
		if !g.val[i].refs.has(&r) {
			g.add(path, r)
		}
	}
}

// one adds a reference if it is wanted.
func (g *gathered) one(r ref) {
	if g.wants("", r) {
		g.add("", r)
	}
}
