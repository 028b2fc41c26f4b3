package ssaflow

import (
	"go/types"
	"strings"
)

// A callee that stores to every element of a slice, array or map of its caller says so in its summary. Where the caller knows that
// what it handed over is all of the container, nothing of what the elements were before is left.

// elementOf cuts a path into a container, and the part of its elements; ok is false where it does not lead to any element, or through
// elements of another container.
func elementOf(path string) (container, part string, ok bool) {
	container, part, ok = strings.Cut(path, "[]")
	return container, part, ok && !strings.Contains(container, "[")
}

// allReplaced reports whether a slot of memory that was there on entry is one of all elements, none of which is left as it was.
func (f *frame) allReplaced(o *object, s slot) bool {
	if o.kind != entry || o.collapsed || o.resliced || len(s.refs) >= maxRefs {
		return false
	}
	if _, _, ok := elementOf(s.path); !ok {
		return false
	}
	before := f.initial(o, s.path, nil)
	for _, b := range before {
		for _, r := range s.refs {
			if r.o == b.o && r.path == b.path || r.o.kind == anything {
				return false
			}
		}
	}
	return len(before) > 0
}

// sharesPlace reports whether a slot of a short array, which has a place for each element and one for any, holds nothing because
// another one tells what is there.
func (f *frame) sharesPlace(o *object, s slot, held slots) bool {
	container, rest, ok := strings.Cut(s.path, "[")
	if !ok || len(s.refs) > 0 || o.kind != entry || !f.shortArray(o, container) {
		return false
	}
	step, rest := cutStep("[" + rest)
	for _, other := range held {
		tail, ok := strings.CutPrefix(other.path, container)
		if !ok || other.path == s.path {
			continue
		}
		if at, more := cutStep(tail); more == rest && (step == "[]" || at == "[]" && len(other.refs) > 0) {
			return true
		}
	}
	return false
}

// shortArray reports whether the elements of the container at a path within an object have a place for each.
func (f *frame) shortArray(o *object, container string) bool {
	a, ok := underlying(f.typeAt(o, container)).(*types.Array)
	return ok && a.Len() <= maxArray
}

// replaceAll stores a value to any element of a container so that nothing is left of what was in any; to is that element, or a part
// of it. It reports false where not all elements are meant, or the container stands for several.
func (f *frame) replaceAll(st *state, to ref, typ types.Type, val value) bool {
	o := to.o
	container, part, ok := elementOf(to.path)
	whole := o.kind == made || o.kind == entry && o.root.Kind != Global
	if !ok || !whole || strings.Contains(part, "[") || o.opaque || !o.unique() || o.resliced || to.moved || to.short || !f.isContainer(o, container) {
		return false
	}
	var gone []string
	held, _ := st.get(o)
	for _, s := range held {
		tail, ok := strings.CutPrefix(s.path, container)
		if !ok {
			continue
		}
		step, rest := cutStep(tail)
		if step == "" || step[0] != '[' || step == keyStep {
			continue
		}
		switch behind, below := strings.CutPrefix(rest, part); {
		case below && (behind == "" || behind[0] == '.' || behind[0] == '['):
			gone = append(gone, s.path)
		case strings.HasPrefix(part, rest) && len(s.refs) > 0:
			return false // the elements are told as a whole
		}
	}
	for _, path := range gone {
		st.set(o, path, nil)
	}
	short := f.shortArray(o, container)
	for _, leaf := range f.e.types.leavesOf(typ) {
		rs := val.at(leaf.path)
		if !o.multi || o.left {
			f.keep(st, rs)
		}
		any := container + "[]" + part + leaf.path
		if !short {
			st.set(o, any, rs)
			continue
		}
		for _, at := range f.positions(o, any) {
			st.set(o, at, f.inElement(rs, at))
		}
		st.set(o, any, nil)
	}
	return true
}

// isContainer reports whether a slice, array or map stands at a path within an object: its elements are those of the object, or the
// part there.
func (f *frame) isContainer(o *object, container string) bool {
	if container != "" {
		_, array := underlying(f.typeAt(o, container)).(*types.Array)
		return array
	}
	if o.ptr == nil {
		return false
	}
	switch u := core(o.ptr).(type) {
	case *types.Slice, *types.Map:
		return !o.boxed
	case *types.Pointer:
		_, array := u.Elem().Underlying().(*types.Array)
		return array && !o.boxed
	}
	return false
}
