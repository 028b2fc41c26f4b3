package ssaflow

import (
	"go/types"
	"strconv"
	"strings"
)

// rootValue returns the value of a root variable, its type where known, and whether the root is an address of a variable.
func (in *instance) rootValue(root Root) (v value, t types.Type, address bool) {
	switch root.Kind {
	case Param:
		if root.Index < len(in.t.args) {
			v = in.t.args[root.Index]
		}
		if root.Index < len(in.t.types) {
			t = in.t.types[root.Index]
		}
	case FreeVar:
		if root.Index < len(in.t.binds) {
			v = in.t.binds[root.Index]
		}
		return v, nil, !in.t.sum.bound
	case Global:
		f := in.f
		why := (*witness)(nil).then(Step{Kind: Enter, Callee: shortName(root.Name)})
		var typ types.Type
		if root.Global != nil {
			typ = types.NewPointer(root.Global.Type())
			why = (*witness)(nil).then(Step{Kind: Enter, Pos: root.Global.Pos(), Callee: root.Global.Name()})
		}
		return single(refs{{o: f.baseObject(root, "", typ, why), why: why}}), nil, true
	case SlotResult:
		if root.Result >= firstGiven {
			if _, resolved := in.slotRes[root.Index]; resolved {
				return in.givenTo[root], nil, false
			}
			return single(in.unseen()), nil, false
		}
		if r, resolved := in.slotRes[root.Index]; resolved {
			if root.Result < len(r) {
				v = r[root.Result]
			}
			if ts := in.slotTyp[root.Index]; root.Result < len(ts) {
				t = ts[root.Result]
			}
		} else {
			v = single(in.unseen())
		}
	}
	return v, t, false
}

// unseen is what comes out of a call that the callee makes and that could not be seen, which is told by itself.
func (in *instance) unseen() refs {
	return in.f.unknown((*witness)(nil).then(Step{Kind: Handed, Pos: in.f.atCall(in.site), Callee: in.t.name}))
}

func shortName(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// resolved is what a place of the callee is in the caller.
type resolved struct {
	val value
	typ types.Type
}

// place is resolve, cached as long as the state does not change.
func (in *instance) place(st *state, ref Ref) value {
	if r, ok := in.read[ref]; ok {
		return r.val
	}
	v, t := in.resolve(st, ref)
	if in.read != nil {
		in.read[ref] = resolved{v, t}
	}
	return v
}

// resolve returns what a path of the callee leads to in the caller's state, with its static type where known: references to the
// location, or the parts of a value when the callee could not look inside a value of a type parameter.
func (in *instance) resolve(st *state, ref Ref) (value, types.Type) {
	f := in.f
	v, typ, address := in.rootValue(ref.Root)
	segs := strings.Split(ref.Path, "*")
	inline := segs[0]
	var mem refs
	if address {
		mem = extend(v.at(""), inline)
	}
	inMemory := address
	for _, seg := range segs[1:] {
		if inMemory {
			v, typ = f.deref(st, mem)
			inline = ""
			inMemory = false
		}
		rs := v.at(inline)
		sub := v.below(inline)
		if len(rs) == 0 && len(sub) > 0 && !(len(sub) == 1 && sub[0].path == "") {
			// The callee takes the value for one reference, here it is a struct: its parts stand for it.
			inline += seg
			continue
		}
		if len(rs) == 0 {
			rs = f.coarse(st, v, leafType{path: inline})
		}
		if typ != nil {
			typ = walkType(typ, inline)
		}
		mem = extend(rs, seg)
		inMemory = true
		inline = ""
	}
	if inMemory {
		if !strings.HasSuffix(ref.Path, "*") {
			typ = nil
		}
		return single(mem), typ
	}
	if typ != nil {
		typ = walkType(typ, inline)
	}
	return v.below(inline), typ
}

// maxParts is the number of parts of a struct that stand for a value of a type parameter one by one.
const maxParts = 48

// deref reads the value at the locations, as the type that the objects have there.
func (f *frame) deref(st *state, mem refs) (value, types.Type) {
	var out value
	var typ types.Type
	f.spend(len(mem))
	for _, r := range mem {
		t := f.typeAt(r.o, r.path)
		if n := len(f.e.types.leavesOf(t)); n == 0 || n > maxParts {
			if s, _ := st.get(r.o); s.find(r.path) < 0 {
				// No type: parts that were stored below this location stand for it.
				found := false
				for i := range s {
					if rest, ok := cutPrefix(younger(s[i].path), r.path); ok && rest != "" && rest[0] != '#' {
						out = out.add(rest, s[i].refs)
						found = true
					}
				}
				if found {
					continue
				}
			}
			out = out.add("", f.load(st, r, "", nil))
			continue
		}
		typ = t
		out = out.join(one(f.loadValue(st, refs{r}, t)))
	}
	return out, typ
}

// origin returns the references that an origin of the callee is in the caller.
func (in *instance) origin(st *state, o Origin, typ types.Type) value {
	f := in.f
	switch o.Ref.Root.Kind {
	case Unknown:
		if !asks(in.t.sum) {
			return single(f.unknown(nil)) // a row or a table says so
		}
		return single(in.unseen())
	case Fresh:
		obj := in.fresh(st, o.Ref.Root.Index, typ)
		if o.resliced {
			f.reslice(refs{{o: obj}})
		}
		why := obj.why
		if in.inner && len(o.Witness) > 0 {
			why = nil
			for _, s := range in.within(o.Witness) {
				why = why.then(s)
			}
		}
		return single(refs{{o: obj, path: o.Ref.Path, dyn: o.dyn, moved: o.moved, clipped: o.clipped, short: o.short, age: in.age(o), via: in.via(o), twice: o.Twice, mayTwice: o.MayTwice, why: why}})
	case Func:
		if o.Ref.Root.Index >= len(in.t.sum.Funcs) {
			return single(f.unknown(nil))
		}
		fr := in.t.sum.Funcs[o.Ref.Root.Index]
		targs := in.rowArgs(&fr)
		if fr.fn != nil && targs == nil {
			return single(refs{{o: f.codeObject(fr.fn)}})
		}
		obj := f.site(in.site.instr, in.site.tag+"c"+strconv.Itoa(o.Ref.Root.Index), typ, nil)
		obj.kind, obj.fn, obj.sum, obj.instance, obj.targs = code, fr.fn, fr.Summary, fr.instance, targs
		if fr.fn != nil {
			obj.sum = nil
		}
		return single(refs{{o: obj}})
	}
	v := in.place(st, o.Ref)
	if len(v) == 0 {
		return nil
	}
	way, age := in.way(o), in.age(o)
	out := make(value, len(v))
	for i, l := range v {
		rs := make(refs, len(l.refs))
		for j, r := range l.refs {
			r.view = r.view || o.View
			if o.dyn != nil {
				r.dyn = o.dyn
			}
			r.moved = r.moved || o.moved
			r.clipped, r.short = o.clipped, r.short || o.short
			r.twice, r.mayTwice = o.Twice, o.MayTwice
			if o.age != 0 {
				r.age = age
			}
			for _, s := range way {
				r.why = r.why.then(s)
			}
			rs[j] = r
		}
		if o.resliced {
			f.reslice(rs)
		}
		out[i] = leafRefs{l.path, rs}
	}
	return out
}

// age carries over that a reference came around a loop of the callee. Inside a recursion all such are one age: numbering them
// would never end.
func (in *instance) age(o Origin) int {
	switch {
	case o.age == 0:
		return 0
	case in.recursive():
		return in.f.age(siteKey{in.site.instr, in.site.tag + "|"})
	}
	return in.f.age(siteKey{in.site.instr, in.site.tag + "|" + strconv.Itoa(o.age)})
}

// via carries over which edge of a merge in the callee brought a reference.
func (in *instance) via(o Origin) edge {
	if o.via.merge == 0 || in.recursive() || in.f.cyclic[in.f.block] {
		return edge{}
	}
	return edge{in.f.age(siteKey{in.site.instr, in.site.tag + "/" + strconv.Itoa(o.via.merge)}), o.via.index}
}

// recursive reports whether the callee is being solved together with the caller.
func (in *instance) recursive() bool {
	if in.t.fn == nil {
		return false
	}
	u := in.f.e.units[in.t.fn]
	return u != nil && u.active
}
