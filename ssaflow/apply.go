package ssaflow

import (
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// instance is one application of a summary at a call.
type instance struct {
	f    *frame
	t    target
	site callSite
	res  []types.Type
	// slotRes are the results of the callee's slots, as far as they were resolved.
	slotRes map[int][]value
	slotTyp map[int][]types.Type
	made    map[int]*object
	// givenTo is what literals among the arguments of resolved slots were called with.
	givenTo map[Root]value
	// read caches where paths lead while rows of one summary are read from one state.
	read *ways
	// inner is true when the callee's own steps belong to this package, so that messages can tell them.
	inner bool
	// overlap is true where two arguments may lead to one object.
	overlap bool
	// stored holds, for a callee that calls functions for its caller, what the containers hold of which it replaces all elements,
	// before these functions run.
	stored map[*object]slots
}

// apply applies a summary to the state and returns the results, and whether the callee returns at all.
func (f *frame) apply(st *state, site callSite, t target, res []types.Type) ([]value, bool) {
	if t.sum == nil || site.recurs(&t) {
		return nil, false // a recursive call whose callee is not known to return yet
	}
	if t.sum.Top {
		return f.applyTop(st, site, t.name, append(t.args[:len(t.args):len(t.args)], t.binds...), res), !t.sum.NoReturn
	}
	if site.depth > maxCalls {
		f.flag(Unresolved, t.name, site.pos)
		return f.applyTop(st, site, t.name, t.args, res), true
	}
	if len(t.types) == 0 && t.fn != nil {
		for _, p := range t.fn.Params {
			t.types = append(t.types, p.Type())
		}
	}
	f.spend(1 + len(t.sum.Effects) + len(t.sum.Stores) + len(t.sum.Slots))
	overlap := false
	if stores(t.sum) {
		if sum, ok := f.specialised(t); ok {
			t.sum = sum
			if sum == nil {
				return nil, false
			}
		} else {
			overlap = f.mayOverlap(t)
		}
	}
	in := &instance{f: f, t: t, site: site, res: res, inner: t.fn != nil && len(t.fn.Blocks) > 0, overlap: overlap}
	if len(t.sum.Slots) > 0 {
		in.slotRes, in.slotTyp = map[int][]value{}, map[int][]types.Type{}
	}
	in.flags()
	before := st
	if overlap || (len(t.sum.Slots) > 0 || len(t.sum.Stores) > 0) && t.sum.returnsMemory() {
		before = st.fork()
	}
	in.effects(st)
	pending := in.stores(st, false)
	for i := range t.sum.Slots {
		in.slot(st, i)
	}
	if pending {
		in.stores(st, true)
	}
	if len(t.sum.Slots) > 0 {
		// What the functions that the callee calls stored may have been there when it moved elements.
		for i := range t.sum.Effects {
			if e := &t.sum.Effects[i]; e.Kind != Unseen && (e.Ref.Root.Kind != SlotResult || in.slotRes[e.Ref.Root.Index] != nil) {
				in.permute(st, e, in.place(st, e.Ref).all())
			}
		}
	}
	results := in.results(before, st)
	if overlap {
		// Two arguments may lead to one object: what the callee stored through one may be what it reads through the other.
		both := before.fork()
		f.joinInto(both, st)
		in.effects(both)
		in.stores(both, true)
		*st = *both.fork()
		for i, r := range in.results(st, st) {
			results[i] = results[i].join(r)
		}
	}
	return results, !t.sum.NoReturn
}

// returnsMemory reports whether results come from memory of the caller.
func (s *Summary) returnsMemory() bool {
	for _, leaves := range s.Results {
		for i := range leaves {
			for j := range leaves[i].Origins {
				switch leaves[i].Origins[j].Ref.Root.Kind {
				case Param, FreeVar, Global:
					return true
				}
			}
		}
	}
	return false
}

// stores reports whether a summary rebinds memory of its caller.
func stores(s *Summary) bool {
	for i := range s.Stores {
		if k := s.Stores[i].Dst.Root.Kind; k == Param || k == FreeVar {
			return true
		}
	}
	return false
}

// fresh returns the object that stands at this call for fresh object n of the callee.
func (in *instance) fresh(st *state, n int, typ types.Type) *object {
	if obj, ok := in.made[n]; ok {
		if obj.ptr == nil && typ != nil {
			obj.ptr = typ
			obj.opaque = in.f.e.types.isOpaque(typ)
		}
		return obj
	}
	f := in.f
	why := f.then(nil, Step{Kind: Made, Pos: f.atCall(in.site), Callee: in.t.name})
	about := in.t.sum.freshObject(n)
	if typ == nil {
		typ = about.typ
	}
	obj := in.object("f", n, typ, why)
	if about.boxed && !obj.boxed && about.typ != nil {
		obj.boxed, obj.ptr, obj.opaque = true, about.typ, false
	}
	obj.deep = obj.deep || about.Deep
	obj.many = obj.many || !about.Unique || in.site.many
	if in.made == nil {
		in.made = map[int]*object{}
	}
	in.made[n] = obj
	for _, fr := range in.t.sum.Funcs {
		if fr.Object == n && fr.ofType {
			if obj.methodRow(fr.Name) == nil {
				obj.methods = append(obj.methods, fr)
			}
		} else if fr.Object == n {
			obj.fn, obj.sum, obj.targs = fr.fn, fr.Summary, in.rowArgs(&fr)
			if fr.fn != nil {
				obj.sum = nil
			}
		}
	}
	if _, ok := st.get(obj); !ok || obj.unique() {
		st.put(obj, nil)
	}
	return obj
}

// object returns the object that stands at this call for object n of a kind in the callee. Where the way to the call is too long to be
// told apart from others, one object stands for all that come from one callee.
func (in *instance) object(kind string, n int, typ types.Type, why *witness) *object {
	if len(in.site.tag)+2 > maxTag && in.t.fn != nil {
		o := in.f.site(deepKey{in.site.instr, in.t.fn}, kind+strconv.Itoa(n), typ, why)
		o.many = true
		return o
	}
	return in.f.site(in.site.instr, in.site.tag+kind+strconv.Itoa(n), typ, why)
}

// deepKey names what is made by a function at the end of a long way from a call.
type deepKey struct {
	call ssa.CallInstruction
	fn   *ssa.Function
}

// freshObject returns what the summary says of its fresh object n: one origin tells all of its properties.
func (s *Summary) freshObject(n int) Origin {
	if s.objects == nil {
		s.objects = map[int]Origin{}
		note := func(list []Origin) {
			for _, o := range list {
				if _, known := s.objects[o.Ref.Root.Index]; o.Ref.Root.Kind == Fresh && (!known || !o.Unique) {
					s.objects[o.Ref.Root.Index] = o
				}
			}
		}
		leaves := func(list []Leaf) {
			for _, l := range list {
				note(l.Origins)
			}
		}
		for _, r := range s.Results {
			leaves(r)
		}
		for _, r := range s.Stores {
			note(r.Origins)
		}
		for _, sl := range s.Slots {
			for _, a := range sl.Args {
				leaves(a)
			}
		}
	}
	o, ok := s.objects[n]
	if !ok {
		o.Unique = true
	}
	return o
}

// effects records what the callee does to memory of this function's caller.
func (in *instance) effects(st *state) {
	list := in.t.sum.Effects
	if in.t.fn == nil || in.t.fn.Parent() == nil {
		list = in.t.sum.toldOnce() // a literal's writes each stand in the reader's view
	}
	in.keepWays()
	for i := range list {
		if e := &list[i]; e.Ref.Root.Kind == SlotResult {
			if _, ok := in.slotRes[e.Ref.Root.Index]; !ok {
				continue
			}
		}
		in.effect(st, &list[i])
	}
	in.read = nil
}

// toldOnce are the effects of a helper without those that it has on a place a second time.
func (s *Summary) toldOnce() []Effect {
	if s.once != nil || len(s.Effects) == 0 {
		return s.once
	}
	first := make(map[effectKey]int, len(s.Effects))
	s.once = make([]Effect, 0, len(s.Effects))
	for i := range s.Effects {
		e := &s.Effects[i]
		k := effectKey{ref: e.Ref, kind: e.Kind}
		k.ref.Root.Global = nil
		if n, again := first[k]; again {
			f := &s.once[n]
			f.Stored, f.Told = append(f.Stored[:len(f.Stored):len(f.Stored)], e.Stored...), f.Told && e.Told
			f.Below = f.Below || e.Below
			continue
		}
		first[k] = len(s.once)
		s.once = append(s.once, *e)
	}
	return s.once
}

func (in *instance) effect(st *state, e *Effect) {
	f := in.f
	pos := in.site.pos
	if in.t.fn != nil && in.t.fn.Parent() != nil && len(e.Witness) > 0 {
		if p := e.Witness[len(e.Witness)-1].Pos; p.IsValid() {
			pos = p // several writes in a literal stay apart
		}
	}
	v := in.place(st, e.Ref)
	last := Written
	if e.Kind == Unseen {
		last = Handed
	}
	tail := in.tail(e.Witness, e.Op, last)
	if e.Kind == Unseen {
		in.read.forget()
		f.unseen(st, []value{v}, e.Op, pos, tail, unresolved(in.t.sum))
		return
	}
	at := v.all()
	if e.Kind == Write && f.holds(at) {
		at = f.objectsIn(st, at)
	}
	if e.Kind == Store || e.Kind == Append {
		in.read.forget()
		f.stir(st, at)
		f.noteUpdate(in.site.instr, at)
	}
	in.permute(st, e, at)
	var g gathered
	for _, l := range e.Stored {
		g.part(l.Path, nil)
		for _, o := range l.Origins {
			in.origin(st, o, nil, &g)
		}
	}
	in.interrupted(e, at, g.val)
	if e.Below {
		f.changedBelow(st, at, e.Op, pos, in.tail(e.Witness, e.Op, Handed))
	}
	in.ownMethod(st, e, at, pos)
	put := stored{g.val, e.Told, e.Below}
	if e.Kind == Append {
		f.appended(at, "", e.Op, pos, tail, put)
		return
	}
	f.changedTo(at, "", e.Kind, e.Op, pos, tail, put)
}

// permute makes elements that the effect changes, of which the caller knows which stands where, elements of which it does not.
func (in *instance) permute(st *state, e *Effect, at refs) {
	if (e.Kind == Write || strings.Contains(e.Ref.Path, "[]")) && slices.ContainsFunc(at, func(r ref) bool { return r.o.keepsOrder() }) {
		in.read.forget()
		moves := in.f.moves(&in.t) || in.keepsApart(e)
		do := func(st *state) { in.f.permute(st, at, e.Kind == Write, in.site, moves) }
		do(st)
		if moves && len(in.site.chain) > 0 {
			in.f.permuted = append(in.f.permuted, do)
		}
	}
}

// keepsApart reports whether a callee that stores to elements leaves each of those that were there in no more than one of them.
func (in *instance) keepsApart(e *Effect) bool {
	if e.Kind != Store || e.Op == "append" || e.Below || unresolved(in.t.sum) {
		return false
	}
	for i := range in.t.sum.Stores {
		row := &in.t.sum.Stores[i]
		for _, o := range row.Origins {
			if !o.Ref.Root.same(e.Ref.Root) || !strings.HasPrefix(o.Ref.Path, e.Ref.Path) {
				continue
			}
			if row.Dst.Path != e.Ref.Path || !row.Dst.Root.same(e.Ref.Root) || o.Twice || o.MayTwice {
				return false
			}
		}
	}
	return true
}

// placed returns references of an origin as the callee stored them: in one element, as far as it says so. In which element of another
// container they were before says nothing of where they are now.
func (in *instance) placed(o Origin, to, rs refs) refs {
	if !slices.ContainsFunc(to, func(r ref) bool { return strings.Contains(r.path, "[]") }) {
		return rs
	}
	via := in.via(o)
	for _, r := range rs {
		if r.via != via && (via.merge != 0 || r.via.index == anyElement) {
			return rs.marked(func(r *ref) {
				if via.merge != 0 || r.via.index == anyElement {
					r.via = via
				}
			})
		}
	}
	return rs
}

// again marks the references that a callee puts into a container of which it keeps the elements, and that another element holds already
// or comes to hold where the callee is called once more: perhaps, for the elements may be one.
func (in *instance) again(row *StoreRow, kept, added refs) refs {
	if !strings.Contains(row.Dst.Path, "[]") || !slices.ContainsFunc(added, func(r ref) bool { return r.o.opaque }) {
		return added // of objects that are divided nobody asks
	}
	grows := row.Dst.Root.Kind != Fresh || slices.ContainsFunc(row.Origins, func(o Origin) bool {
		return o.Ref.Root.Kind != Fresh && strings.Contains(o.Ref.Path, "[]")
	})
	if !grows {
		return added
	}
	out := in.f.repeated(in.f.block, added, kept)
	for i, r := range out {
		if r.twice && !added[i].twice || in.site.many && r.o.single() && !r.twice && !r.mayTwice {
			if &out[0] == &added[0] {
				out = append(refs(nil), added...)
			}
			out[i].twice, out[i].mayTwice = false, true
		}
	}
	return out
}

// stores applies the callee's stores; those that need the results of slots wait for the second round. It reports whether any waits.
func (in *instance) stores(st *state, second bool) bool {
	f := in.f
	type todo struct {
		to  refs
		typ types.Type
		val value
		all bool
	}
	if len(in.t.sum.Stores) == 0 {
		return false
	}
	var list []todo
	var waits refs // for the functions that the callee calls
	pending := false
	in.keepWays()
	for i := range in.t.sum.Stores {
		row := &in.t.sum.Stores[i]
		late := row.Dst.Root.Kind == SlotResult
		for _, o := range row.Origins {
			late = late || o.Ref.Root.Kind == SlotResult
		}
		pending = pending || row.All && !second && len(in.t.sum.Slots) > 0
		if late != second && !(second && row.Dst.Root.Kind != Fresh) {
			pending = pending || late
			if row.All && !second {
				waits = append(waits, in.place(st, row.Dst).all()...)
			}
			continue
		}
		var to refs
		if row.Dst.Root.Kind == Fresh {
			o := in.fresh(st, row.Dst.Root.Index, nil)
			if o.opaque {
				continue
			}
			to = refs{{o: o, path: row.Dst.Path}}
		} else {
			to = in.place(st, row.Dst).all()
		}
		if len(to) == 0 {
			continue
		}
		typ := f.typeAt(to[0].o, to[0].path)
		var val gathered
		val.part("", typ)
		held := Ref{row.Dst.Root, row.Dst.Path + "*"}
		for _, o := range row.Origins {
			if o.Ref.same(held) {
				in.origin(st, o, typ, &val)
				continue
			}
			var one gathered
			one.part("", typ)
			in.origin(st, o, typ, &one)
			for _, l := range f.heldAlready(st, to, "", one.val, false) {
				val.all(l.path, in.again(row, val.val.at(l.path), in.placed(o, to, l.refs)))
			}
		}
		if row.All {
			waits = append(waits, to...)
		}
		list = append(list, todo{to, typ, val.val, row.All && len(to) == 1 && in.handsAll(st, row.Dst)})
	}
	in.read = nil
	// Another row may speak of the same elements: they are then replaced by the one or the other.
	alone := func(i int) bool {
		for j := range list {
			if j != i && slices.ContainsFunc(list[j].to, func(r ref) bool { return r.o == list[i].to[0].o && overlaps(r.path, list[i].to[0].path) }) {
				return false
			}
		}
		return true
	}
	// All right-hand sides were read before the first store.
	for i, t := range list {
		all := t.all && in.replaces(st, t.to[0], second) && alone(i)
		parts := t.typ != nil && isTypeParam(t.typ) && !(len(t.val) == 1 && t.val[0].path == "") // the callee took a struct for one reference
		if t.typ != nil && len(f.e.types.leavesOf(t.typ)) > 0 && !parts {
			if val := f.fit(st, t.val, t.typ); !all || !f.replaceAll(st, t.to[0], t.typ, val) {
				f.storeValue(st, t.to, t.typ, val)
			}
			continue
		}
		for _, l := range t.val {
			for _, r := range t.to {
				p := r.path + l.path
				if r.o.kind == anything || r.o.opaque || r.o.kind == code {
					continue
				}
				if !r.o.multi || r.o.left {
					f.keep(st, l.refs)
				}
				if len(t.to) == 1 && r.o.strong(p) {
					st.set(r.o, p, l.refs)
				} else {
					st.set(r.o, p, f.load(st, r, l.path, nil).union(l.refs))
				}
			}
		}
	}
	if len(in.t.sum.Slots) > 0 && !second {
		in.remember(st, waits)
	}
	return pending
}

// handsAll reports whether the container that the element at a path of the callee is in is all of one here, and not a part of it.
func (in *instance) handsAll(st *state, element Ref) bool {
	i := strings.LastIndexByte(element.Path, '*')
	if i < 0 {
		return false
	}
	at := in.follow(st, Ref{element.Root, element.Path[:i]})
	if at.inMemory {
		at.val, _ = in.f.deref(st, at.mem)
		at.inline = ""
	}
	return !slices.ContainsFunc(at.val.at(at.inline), func(r ref) bool { return r.moved || r.short })
}

// remember keeps what containers hold.
func (in *instance) remember(st *state, containers refs) {
	for _, r := range containers {
		if in.stored == nil {
			in.stored = map[*object]slots{}
		}
		in.stored[r.o], _ = st.get(r.o)
	}
}

// replaces reports whether the callee's stores to all elements of a container leave none of those that were there. The functions
// that it calls for its caller are applied in between, and read what is there before they do.
func (in *instance) replaces(st *state, to ref, second bool) bool {
	if in.overlap {
		return false
	}
	if len(in.t.sum.Slots) == 0 {
		return true
	}
	held, _ := st.get(to.o)
	if second {
		return equalSlots(in.stored[to.o], held)
	}
	return false
}

// results makes the results of the call. Origins in memory are read in the state before the call: origins of the callee speak
// of its entry.
func (in *instance) results(before, st *state) []value {
	f := in.f
	out := make([]value, len(in.res))
	for i, t := range in.res {
		if i >= len(in.t.sum.Results) {
			continue
		}
		var v gathered
		for _, leaf := range in.t.sum.Results[i] {
			typ := walkType(t, leaf.Path)
			v.part(leaf.Path, typ)
			for _, o := range leaf.Origins {
				at := before
				if o.Ref.Root.Kind == Fresh || o.Ref.Root.Kind == SlotResult {
					at = st
				}
				in.origin(at, o, typ, &v)
			}
		}
		out[i] = f.fit(st, v.val, t)
	}
	return out
}

// flags repeats the callee's effects on the outside world.
func (in *instance) flags() {
	for _, fl := range in.t.sum.Flags {
		kind := fl.Kind
		if kind == Goroutine {
			in.f.start(in.site.instr)
		}
		if kind == IO && (in.f.printing > 0 || in.toTerminal()) {
			kind = Print
		}
		op := fl.Op
		if op == "" { // facts do not tell
			op = "a function behind " + in.t.name
		}
		in.f.flag(kind, op, in.site.pos, in.tail(fl.Witness, op, Did)...)
	}
}

// toTerminal reports whether the call is of a method of a variable that writing to is printing, or is given one first.
func (in *instance) toTerminal() bool {
	if len(in.t.args) == 0 {
		return false
	}
	rs := in.t.args[0].at("")
	for _, r := range rs {
		if r.o.kind != entry || r.o.root.Kind != Global || stdVariable(r.o.root.Name) == ordinary {
			return false
		}
	}
	return len(rs) > 0
}
