package ssaflow

import (
	"go/types"
	"slices"
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
		why := f.then(nil, Step{Kind: Enter, Callee: shortName(root.Name)})
		var typ types.Type
		if root.Global != nil {
			typ = types.NewPointer(root.Global.Type())
			why = f.then(nil, Step{Kind: Enter, Pos: root.Global.Pos(), Callee: root.Global.Name()})
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
	return in.f.unknown(in.f.then(nil, Step{Kind: Handed, Pos: in.f.atCall(in.site), Callee: in.t.name}))
}

func shortName(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// whereTo is how far a path of the callee is followed in the caller: to locations in memory, or to a part of a value.
type whereTo struct {
	val    value
	typ    types.Type
	mem    refs
	inline string
	// inMemory is true when mem are the locations.
	inMemory bool
	// names are the named types that the path came through, pointers its number of pointers.
	names    []*types.TypeName
	pointers int
}

// ways are places that paths of a callee lead to, in the order in which they were followed.
type ways struct{ list []way }

type way struct {
	ref Ref
	to  whereTo
}

// keepWays begins to keep ways, in the memory of those that an earlier call kept.
func (in *instance) keepWays() {
	in.read = &in.f.ways
	in.read.forget()
}

// forget is called before the state changes.
func (w *ways) forget() {
	if w != nil {
		w.list = w.list[:0]
	}
}

func (w *ways) find(ref Ref) *whereTo {
	for i := range w.list {
		if x := &w.list[i]; x.ref.Path == ref.Path && x.ref.Root.same(ref.Root) {
			return &x.to
		}
	}
	return nil
}

// place is resolve without the type.
func (in *instance) place(st *state, ref Ref) value {
	v, _ := in.resolve(st, ref)
	return v
}

// resolve returns what a path of the callee leads to in the caller's state, with its static type where known: references to the
// location, or the parts of a value when the callee could not look inside a value of a type parameter.
func (in *instance) resolve(st *state, ref Ref) (value, types.Type) {
	at := in.follow(st, ref)
	typ := at.typ
	if at.inMemory {
		if !strings.HasSuffix(ref.Path, "*") {
			typ = nil
		}
		return single(at.mem), typ
	}
	if typ != nil {
		typ = walkType(typ, at.inline)
	}
	return at.val.below(at.inline), typ
}

// follow follows a path pointer by pointer. The ways to it are remembered as long as the state does not change.
func (in *instance) follow(st *state, ref Ref) whereTo {
	if in.read == nil {
		return in.next(st, ref)
	}
	if at := in.read.find(ref); at != nil {
		return *at
	}
	at := in.next(st, ref)
	in.read.list = append(in.read.list, way{ref, at})
	return at
}

func (in *instance) next(st *state, ref Ref) whereTo {
	f := in.f
	last := strings.LastIndexByte(ref.Path, '*')
	if last < 0 {
		v, typ, address := in.rootValue(ref.Root)
		at := whereTo{val: v, typ: typ, inline: ref.Path, inMemory: address}
		if address {
			at.mem = extend(v.at(""), ref.Path)
		}
		return at
	}
	seg := ref.Path[last+1:]
	ref.Path = ref.Path[:last]
	at := in.follow(st, ref)
	if at.inMemory {
		at.val, at.typ = f.deref(st, at.mem)
		at.inline, at.inMemory = "", false
	}
	rs := at.val.at(at.inline)
	sub := at.val.below(at.inline)
	if len(rs) == 0 && len(sub) > 0 && !(len(sub) == 1 && sub[0].path == "") {
		// The callee takes the value for one reference, here it is a struct: its parts stand for it.
		at.inline += seg
		return at
	}
	if len(rs) == 0 {
		rs = f.coarse(st, at.val, leafType{path: at.inline})
	}
	if at.typ != nil {
		at.typ = walkType(at.typ, at.inline)
	}
	rs = in.folded(st, ref, rs, &at)
	at.mem, at.inMemory, at.inline = f.elementIn(rs, seg), true, ""
	return at
}

// folded adds what the callee does not tell apart from what a path leads to: all further memory of a type that the path came through
// before, and behind many pointers all memory whatever.
func (in *instance) folded(st *state, from Ref, rs refs, at *whereTo) refs {
	f := in.f
	if m, ok := f.e.cfg.Model.(Closed); ok && m.Closed(from.Path) {
		return rs
	}
	var names []*types.TypeName
	if n := pointeeName(at.typ); n != nil {
		names = append(names, n)
	}
	for _, r := range rs {
		if n := pointeeName(r.o.ptr); n != nil && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	again := slices.ContainsFunc(names, func(n *types.TypeName) bool { return slices.Contains(at.names, n) })
	at.names = append(at.names[:len(at.names):len(at.names)], names...)
	at.pointers++
	limit := maxDepth
	if k := from.Root.Kind; k == Param && !in.t.sum.bound || k == SlotResult {
		limit++
	}
	switch {
	case at.pointers >= limit:
		return f.reach(st, rs, func(*object, string, *object) bool { return true })
	case again:
		return f.furtherOnes(st, f.reach(st, rs, func(holder *object, path string, o *object) bool {
			return !o.opaque && !f.heldFirst(holder, path, o) && slices.Contains(at.names, pointeeName(o.ptr))
		}), at.names)
	}
	return rs
}

// heldFirst reports whether a place of memory that was there on entry leads to an object as it did on entry. Such objects have the names that
// the callee's have: the callee does not tell them apart where this function does not. What was linked there later has others.
func (f *frame) heldFirst(holder *object, path string, o *object) bool {
	if o.kind != entry || holder.kind != entry {
		return false
	}
	if o == f.children[childKey{holder, path}] {
		return true
	}
	for a := holder; a != nil; a = a.parent {
		if a == o {
			return a.recurs || a.collapsed
		}
	}
	return false
}

// reach adds to references those that lead to wanted objects in the memory behind them.
func (f *frame) reach(st *state, from refs, wanted func(holder *object, path string, o *object) bool) refs {
	f.walks++
	out, work := append(f.reached[:0], from...), f.toWalk[:0]
	for i := range from {
		work = append(work, from[i].o)
	}
	for len(work) > 0 {
		o := work[len(work)-1]
		work = work[:len(work)-1]
		if o.walked == f.walks || o.opaque {
			continue
		}
		o.walked = f.walks
		if o.recurs && !o.many {
			o.many, f.grew = true, true // it stands for all further ones of its type
		}
		held, _ := st.get(o)
		for i := range held {
			s := &held[i]
			hidden := strings.HasPrefix(s.path, "#")
			for j := range s.refs {
				x := &s.refs[j]
				if !hidden && x.o.kind != code && wanted(o, s.path, x.o) {
					out = out.with(x)
				}
				if x.o.walked != f.walks && !x.o.opaque {
					work = append(work, x.o)
				}
			}
		}
		f.spend(1 + len(held))
	}
	f.reached, f.toWalk = out, work
	if len(out) == len(from) {
		return from
	}
	return slices.Clone(out)
}

// maxParts is the number of parts of a struct that stand for a value of a type parameter one by one.
const maxParts = 48

// partOf returns the way from a location to what path may lead to within it.
func partOf(path, location string) (rest string, ok bool) {
	for rest = path; location != ""; {
		if rest == "" {
			return "", false
		}
		var here, there string
		here, rest = cutStep(rest)
		there, location = cutStep(location)
		if here != there && !overlaps(here, there) {
			return "", false
		}
	}
	return rest, rest != ""
}

// deref reads the value at the locations, as the type that the objects have there.
func (f *frame) deref(st *state, mem refs) (value, types.Type) {
	var out gathered
	var typ types.Type
	f.spend(len(mem))
	for _, r := range mem {
		t := f.typeAt(r.o, r.path)
		if n := len(f.e.types.leavesOf(t)); n == 0 || n > maxParts || isTypeParam(t) {
			if s, _ := st.get(r.o); s.find(r.path) < 0 {
				// No type, or the parameter of a generic callee that made the memory: parts that were stored below this location stand for it.
				found := false
				for i := range s {
					if rest, ok := partOf(younger(s[i].path), r.path); ok && rest[0] != '#' {
						out.all(rest, s[i].refs)
						found = true
					}
				}
				if found {
					continue
				}
			}
			if n == 0 || n > maxParts {
				out.all("", f.load(st, r, "", nil))
				continue
			}
		}
		typ = t
		if len(mem) == 1 {
			return one(f.loadValue(st, mem, t)), typ
		}
		for _, l := range one(f.loadValue(st, refs{r}, t)) {
			out.all(l.path, l.refs)
		}
	}
	return out.val, typ
}

// origin adds the references that an origin of the callee is in the caller.
func (in *instance) origin(st *state, o Origin, typ types.Type, to *gathered) {
	f := in.f
	switch o.Ref.Root.Kind {
	case Unknown:
		unseen := f.unknown(nil) // a row or a table says so
		if asks(in.t.sum) {
			unseen = in.unseen()
		}
		for _, r := range unseen {
			to.one(r)
		}
	case Fresh:
		obj := in.fresh(st, o.Ref.Root.Index, typ)
		if o.resliced {
			f.reslice(refs{{o: obj}})
		}
		r := ref{o: obj, path: o.Ref.Path, dyn: o.dyn, moved: o.moved, clipped: o.clipped, short: o.short, age: in.age(o), via: in.via(o), twice: o.Twice, mayTwice: o.MayTwice}
		if !to.wants("", r) {
			return
		}
		if r.why = obj.why; in.inner && len(o.Witness) > 0 {
			r.why = nil
			for _, s := range in.within(o.Witness) {
				r.why = f.then(r.why, s)
			}
		}
		to.add("", r)
	case Func:
		if o.Ref.Root.Index >= len(in.t.sum.Funcs) {
			to.one(f.unknown(nil)[0])
			return
		}
		fr := in.t.sum.Funcs[o.Ref.Root.Index]
		targs := in.rowArgs(&fr)
		if fr.fn != nil && targs == nil {
			to.one(ref{o: f.codeObject(fr.fn)})
			return
		}
		obj := in.object("c", o.Ref.Root.Index, typ, nil)
		obj.kind, obj.fn, obj.sum, obj.instance, obj.targs = code, fr.fn, fr.Summary, fr.instance, targs
		if fr.fn != nil {
			obj.sum = nil
		}
		to.one(ref{o: obj})
	default:
		in.passed(st, o, to)
	}
}

// passed adds what an origin in memory of the caller refers to.
func (in *instance) passed(st *state, o Origin, to *gathered) {
	v := in.place(st, o.Ref)
	if len(v) == 0 {
		return
	}
	age := in.age(o)
	var way []Step
	asked := false
	for _, l := range v {
		if o.resliced {
			in.f.reslice(l.refs)
		}
		to.room = len(l.refs)
		for _, r := range l.refs {
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
			if !to.wants(l.path, r) {
				continue
			}
			if !asked {
				way, asked = in.way(o), true
			}
			for _, s := range way {
				r.why = in.f.then(r.why, s)
			}
			to.add(l.path, r)
		}
	}
}

// age carries over that a reference came around a loop of the callee. Inside a recursion all such are one age: numbering them
// would never end.
func (in *instance) age(o Origin) int32 {
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
	merge := in.f.age(siteKey{in.site.instr, in.site.tag + "/" + strconv.Itoa(int(o.via.merge))})
	if o.via.merge < 0 {
		merge = -merge
	}
	return edge{merge, o.via.index}
}

// recursive reports whether the callee is being solved together with the caller.
func (in *instance) recursive() bool {
	if in.t.fn == nil {
		return false
	}
	u := in.f.e.units[in.t.fn]
	return u != nil && u.active
}
