package ssaflow

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// carry records that the address of objects is carried around a loop by a register.
func (f *frame) carry(st *state, rs refs) { f.leave(st, rs, false) }

// keep records that the address of objects is stored in memory that outlives the iteration.
func (f *frame) keep(st *state, rs refs) { f.leave(st, rs, true) }

func (f *frame) leave(st *state, rs refs, kept bool) {
	for _, r := range rs {
		o := r.o
		if !o.multi || o.left && (o.kept || !kept) {
			continue
		}
		o.left = true
		o.kept = o.kept || kept
		f.grew = true
		if s, ok := st.get(o); ok {
			for _, sl := range s {
				f.leave(st, sl.refs, kept)
			}
		}
	}
}

// load returns what the leaf of type typ at path within r refers to.
func (f *frame) load(st *state, r ref, path string, typ types.Type) refs {
	o := r.o
	p := r.path + r.within(path)
	switch {
	case o.kind == anything:
		return refs{{o: o, why: r.why}}
	case o.kind == code:
		return nil
	case o.opaque:
		return refs{{o: o, view: r.view, why: r.why}}
	}
	s, _ := st.get(o)
	if o.collapsed {
		// Whatever was stored in one of the objects that it stands for may be there.
		out := refs{{o: o, view: r.view, why: r.why}}
		for i := range s {
			out = out.union(s[i].refs)
		}
		return out
	}
	var out refs
	exact := false
	for i := range s {
		if s[i].path == p {
			exact = true
			out = out.union(s[i].refs)
		} else if overlaps(s[i].path, p) {
			out = out.union(f.inElement(s[i].refs, p))
		}
	}
	if !exact {
		out = out.union(f.initial(o, p, typ))
	}
	return out
}

// within is the path of an element of an array as seen by the slice that it lies in: where the array begins is not known if that slice does
// not begin with the first element.
func (r *ref) within(path string) string {
	if !r.moved || path == "" || path[0] != '[' {
		return path
	}
	step, rest := cutStep(path)
	if step == keyStep {
		return path
	}
	return "[]" + rest
}

// there returns what a store that does not replace it leaves at a place. Other places that may be the same one keep theirs.
func (f *frame) there(st *state, o *object, path string, typ types.Type) refs {
	s, _ := st.get(o)
	if i := s.find(path); i >= 0 {
		return s[i].refs
	}
	if o.collapsed {
		return refs{{o: o, why: o.why}}
	}
	return f.initial(o, path, typ)
}

// inElement returns references that were stored through an unknown index as those of the element at path.
func (f *frame) inElement(rs refs, path string) refs {
	for _, r := range rs {
		if r.via.index == anyElement && !strings.Contains(path, "[]") {
			return rs.marked(func(r *ref) {
				if r.via.index == anyElement {
					r.via.index = f.age(elementKey(path))
				}
			})
		}
	}
	return rs
}

// elementKey numbers the elements of arrays.
type elementKey string

// loadAll is load for any of several locations.
func (f *frame) loadAll(st *state, from refs, path string, typ types.Type) refs {
	if len(from) == 1 {
		return f.load(st, from[0], path, typ)
	}
	var g gathered
	for _, r := range from {
		g.all("", f.load(st, r, path, typ))
	}
	return g.val.at("")
}

// loadValue reads a whole value of type typ.
func (f *frame) loadValue(st *state, from refs, typ types.Type) value {
	var out value
	leaves := f.e.types.leavesOf(typ)
	f.spend(len(leaves) * len(from) / 4)
	for _, leaf := range leaves {
		if rs := f.loadAll(st, from, leaf.path, leaf.typ); len(rs) > 0 {
			out = append(out, leafRefs{leaf.path, rs})
		}
	}
	return out
}

// storeValue writes a whole value of type typ, strongly where one location is meant.
func (f *frame) storeValue(st *state, to refs, typ types.Type, v value) {
	leaves := f.e.types.leavesOf(typ)
	if len(leaves) == 0 {
		return
	}
	f.spend(len(leaves) * len(to) / 4)
	for _, r := range to {
		o := r.o
		if o.kind == anything || o.kind == code || o.opaque {
			f.keep(st, v.all())
			continue
		}
		// A reference kept in memory that outlives the iteration leaves it.
		if !o.multi || o.left {
			f.keep(st, v.all())
		}
		for _, leaf := range leaves {
			p := r.path + r.within(leaf.path)
			rs := v.at(leaf.path)
			if len(to) == 1 && o.strong(p) {
				f.spread(st, o, p)
				st.set(o, p, rs)
				continue
			}
			st.set(o, p, f.there(st, o, p, leaf.typ).lessCertain().union(rs))
		}
	}
}

// get returns the value of an SSA operand of the block at work.
func (f *frame) get(v ssa.Value) value { return f.getIn(v, f.block) }

func (f *frame) getAny(v ssa.Value) value {
	switch v := v.(type) {
	case *ssa.Const:
		return nil
	case *ssa.Function:
		return single(refs{{o: f.codeObject(v)}})
	case *ssa.Global:
		root := Root{Kind: Global, Global: v.Object(), Name: globalName(v)}
		why := f.then(nil, Step{Kind: Enter, Pos: f.local(v.Pos()), Callee: v.Name()})
		return single(refs{{o: f.baseObject(root, "", v.Type(), why), why: why}})
	case *ssa.Builtin:
		return nil
	}
	if r := f.regs[v]; r != nil {
		return r.val
	}
	return nil
}

func globalName(g *ssa.Global) string {
	if g.Pkg != nil {
		return g.Pkg.Pkg.Path() + "." + g.Name()
	}
	return g.Name()
}

// copied makes a variable that holds a copy of an indivisible object a view of it: the copy shares what the object consists of. A copy
// that goes elsewhere cannot be followed.
func (f *frame) copied(v *ssa.Store) {
	load, ok := v.Val.(*ssa.UnOp)
	if !ok || load.Op != token.MUL || !f.e.types.isOpaque(load.X.Type()) {
		return
	}
	if a, ok := v.Addr.(*ssa.Alloc); ok {
		f.setReg(a, f.get(a).join(single(f.get(load.X).at("").marked(func(r *ref) { r.view = true }))))
	}
}

// copiesAway reports whether a load copies an indivisible object to where it cannot be followed.
func (f *frame) copiesAway(load *ssa.UnOp) bool {
	if !f.e.types.isOpaque(load.X.Type()) {
		return false
	}
	for _, use := range *load.Referrers() {
		if s, ok := use.(*ssa.Store); ok {
			if _, ok := s.Addr.(*ssa.Alloc); ok || s.Addr == load.X {
				continue
			}
		}
		return true
	}
	return false
}

func (f *frame) setReg(v ssa.Value, val value) {
	if len(val) == 0 {
		f.regs[v] = noReference
		return
	}
	*f.register(v) = register{val: val}
}

func (f *frame) setTuple(v ssa.Value, t []value) { *f.register(v) = register{tuple: t} }

// noReference is the register of values that refer to nothing, numbers for instance.
var noReference = &register{}

// register is the register of a value, to be written.
func (f *frame) register(v ssa.Value) *register {
	r := f.regs[v]
	if r == nil || r == noReference {
		if len(f.newRegs) == 0 {
			f.newRegs = make([]register, 16)
		}
		r = &f.newRegs[0]
		f.newRegs = f.newRegs[1:]
		f.regs[v] = r
	}
	return r
}
