package ssaflow

import (
	"go/token"
	"go/types"
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
	// read caches resolved places while rows of one summary are read from one state.
	read map[Ref]resolved
	// inner is true when the callee's own steps belong to this package, so that messages can tell them.
	inner bool
}

// apply applies a summary to the state and returns the results, and whether the callee returns at all.
func (f *frame) apply(st *state, site callSite, t target, res []types.Type) ([]value, bool) {
	if t.sum == nil || site.recurs(t.fn) {
		return nil, false // a recursive call whose callee is not known to return yet
	}
	if t.sum.Top {
		return f.applyTop(st, site, t.name, append(t.args[:len(t.args):len(t.args)], t.binds...), res), !t.sum.NoReturn
	}
	if site.depth > 6 {
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
	in := &instance{f: f, t: t, site: site, res: res, slotRes: map[int][]value{}, slotTyp: map[int][]types.Type{}, made: map[int]*object{},
		inner: t.fn != nil && len(t.fn.Blocks) > 0}
	in.flags()
	before := st
	if overlap || len(t.sum.Slots) > 0 || len(t.sum.Stores) > 0 {
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
	why := (*witness)(nil).then(Step{Kind: Made, Pos: f.atCall(in.site), Callee: in.t.name})
	about := in.t.sum.freshObject(n)
	if typ == nil {
		typ = about.typ
	}
	obj := f.site(in.site.instr, in.site.tag+"f"+strconv.Itoa(n), typ, why)
	if about.boxed && !obj.boxed && about.typ != nil {
		obj.boxed, obj.ptr, obj.opaque = true, about.typ, false
	}
	obj.deep = obj.deep || about.Deep
	obj.many = obj.many || !about.Unique
	in.made[n] = obj
	for _, fr := range in.t.sum.Funcs {
		if fr.Object == n {
			obj.fn, obj.sum = fr.fn, fr.Summary
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
		if r, resolved := in.slotRes[root.Index]; resolved {
			if root.Result < len(r) {
				v = r[root.Result]
			}
			if ts := in.slotTyp[root.Index]; root.Result < len(ts) {
				t = ts[root.Result]
			}
		} else {
			v = single(in.f.unknown(nil))
		}
	}
	return v, t, false
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
					if rest, ok := cutPrefix(s[i].path, r.path); ok && rest != "" && rest[0] != '#' {
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
		out = out.join(f.loadValue(st, refs{r}, t))
	}
	return out, typ
}

// origin returns the references that an origin of the callee is in the caller.
func (in *instance) origin(st *state, o Origin, typ types.Type) value {
	f := in.f
	switch o.Ref.Root.Kind {
	case Unknown:
		why := (*witness)(nil).then(Step{Kind: Handed, Pos: f.atCall(in.site), Callee: in.t.name})
		return single(f.unknown(why))
	case Fresh:
		obj := in.fresh(st, o.Ref.Root.Index, typ)
		why := obj.why
		if in.inner && len(o.Witness) > 0 {
			why = nil
			for _, s := range in.within(o.Witness) {
				why = why.then(s)
			}
		}
		return single(refs{{o: obj, path: o.Ref.Path, dyn: o.dyn, moved: o.moved, clipped: o.clipped, age: in.age(o), via: in.via(o), why: why}})
	case Func:
		if o.Ref.Root.Index >= len(in.t.sum.Funcs) {
			return single(f.unknown(nil))
		}
		fr := in.t.sum.Funcs[o.Ref.Root.Index]
		if fr.fn != nil {
			return single(refs{{o: f.codeObject(fr.fn)}})
		}
		obj := f.site(in.site.instr, in.site.tag+"c"+strconv.Itoa(o.Ref.Root.Index), typ, nil)
		obj.kind, obj.sum = code, fr.Summary
		return single(refs{{o: obj}})
	}
	v := in.place(st, o.Ref)
	out := make(value, len(v))
	for i, l := range v {
		rs := make(refs, len(l.refs))
		for j, r := range l.refs {
			r.view = r.view || o.View
			if o.dyn != nil {
				r.dyn = o.dyn
			}
			r.moved = r.moved || o.moved
			r.clipped = o.clipped
			if o.age != 0 {
				r.age = in.age(o)
			}
			for _, s := range in.way(o) {
				r.why = r.why.then(s)
			}
			rs[j] = r
		}
		out[i] = leafRefs{l.path, rs}
	}
	return out
}

// way is how a value that is, or views, an argument comes back from the callee.
func (in *instance) way(o Origin) []Step {
	pos := in.f.atCall(in.site)
	if !in.inner {
		if o.View {
			return in.site.way(Step{Kind: View, Pos: pos, Callee: in.t.name})
		}
		return nil
	}
	steps := in.within(o.Witness)
	if len(steps) == 0 {
		return nil
	}
	if isWrapper(in.t.fn) {
		return in.site.way(steps...)
	}
	return append(in.site.way(Step{Kind: Pass, Pos: pos, Callee: in.t.name}), steps...)
}

// way is the way to the call, followed by more steps.
func (s callSite) way(more ...Step) []Step {
	return append(s.outer[:len(s.outer):len(s.outer)], more...)
}

// within are the callee's own steps, without its entry and return.
func (in *instance) within(steps []Step) []Step {
	out := make([]Step, 0, len(steps))
	for i, s := range steps {
		if i == 0 && s.Kind == Enter || s.Kind == Returned {
			continue
		}
		if !s.Pos.IsValid() && s.Where == "" {
			s.Pos = in.f.atCall(in.site)
		}
		out = append(out, s)
	}
	return out
}

func isWrapper(fn *ssa.Function) bool {
	return fn != nil && fn.Synthetic != "" && fn.Parent() == nil && fn.Synthetic != "package initializer" && len(fn.Blocks) > 0
}

// tail is what follows a reference's own way when the callee changes it.
func (in *instance) tail(witness []Step, op string, last StepKind) []Step {
	pos := in.f.atCall(in.site)
	if in.inner {
		steps := in.within(witness)
		if isWrapper(in.t.fn) {
			return in.site.way(steps...)
		}
		return append(in.site.way(Step{Kind: Pass, Pos: pos, Callee: in.t.name}), steps...)
	}
	if len(witness) == 0 || witness[len(witness)-1].Where == "" {
		// A row for the operation itself: the call is the write.
		return in.site.way(Step{Kind: last, Pos: pos, Callee: op})
	}
	return in.site.way(Step{Kind: Pass, Pos: pos, Callee: in.t.name}, witness[len(witness)-1])
}

// effects records what the callee does to memory of this function's caller.
func (in *instance) effects(st *state) {
	type once struct {
		ref  Ref
		kind EffectKind
	}
	// Of a helper's several writes to one place the first is told; a literal's writes each stand in the reader's view.
	var told map[once]bool
	if in.t.fn == nil || in.t.fn.Parent() == nil {
		told = map[once]bool{}
	}
	for i := range in.t.sum.Effects {
		e := &in.t.sum.Effects[i]
		k := once{e.Ref, e.Kind}
		k.ref.Root.Global = nil
		if told != nil {
			if told[k] {
				continue
			}
			told[k] = true
		}
		if e.Ref.Root.Kind == SlotResult {
			if _, ok := in.slotRes[e.Ref.Root.Index]; !ok {
				continue
			}
		}
		in.effect(st, e)
	}
}

func (in *instance) effect(st *state, e *Effect) {
	f := in.f
	pos := in.site.pos
	if in.t.fn != nil && in.t.fn.Parent() != nil && len(e.Witness) > 0 {
		if p := e.Witness[len(e.Witness)-1].Pos; p.IsValid() {
			pos = p // several writes in a literal stay apart
		}
	}
	v, _ := in.resolve(st, e.Ref)
	last := Written
	if e.Kind == Unseen {
		last = Handed
	}
	tail := in.tail(e.Witness, e.Op, last)
	if e.Kind == Unseen {
		f.unseen(st, []value{v}, e.Op, pos, tail)
		return
	}
	f.changed(v.all(), "", e.Kind, e.Op, pos, tail)
}

// stores applies the callee's stores; those that need the results of slots wait for the second round. It reports whether any waits.
func (in *instance) stores(st *state, second bool) bool {
	f := in.f
	type todo struct {
		to  refs
		typ types.Type
		val value
	}
	var list []todo
	pending := false
	in.read = map[Ref]resolved{}
	for i := range in.t.sum.Stores {
		row := &in.t.sum.Stores[i]
		late := row.Dst.Root.Kind == SlotResult
		for _, o := range row.Origins {
			late = late || o.Ref.Root.Kind == SlotResult
		}
		if late != second && !(second && row.Dst.Root.Kind != Fresh) {
			pending = pending || late
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
		var val value
		for _, o := range row.Origins {
			val = val.join(in.origin(st, o, typ))
		}
		list = append(list, todo{to, typ, val})
	}
	in.read = nil
	// All right-hand sides were read before the first store.
	for _, t := range list {
		if t.typ != nil && len(f.e.types.leavesOf(t.typ)) > 0 {
			f.storeValue(st, t.to, t.typ, f.fit(st, t.val, t.typ))
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
	return pending
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
		var v value
		for _, leaf := range in.t.sum.Results[i] {
			typ := walkType(t, leaf.Path)
			for _, o := range leaf.Origins {
				at := before
				if o.Ref.Root.Kind == Fresh || o.Ref.Root.Kind == SlotResult {
					at = st
				}
				v = v.join(in.origin(at, o, typ).prefixed(leaf.Path))
			}
		}
		out[i] = f.fit(st, v, t)
	}
	return out
}

// slot calls what the callee left to its caller.
func (in *instance) slot(st *state, i int) {
	f := in.f
	row := &in.t.sum.Slots[i]
	callee, typ := in.resolve(st, row.Callee)
	args := make([]value, len(row.Args))
	sig := slotSignature(row, callee, typ)
	for j, leaves := range row.Args {
		for _, l := range leaves {
			for _, o := range l.Origins {
				args[j] = args[j].join(in.origin(st, o, nil).prefixed(l.Path))
			}
		}
		if sig != nil && j < sig.Params().Len() && concrete(sig.Params().At(j).Type()) {
			args[j] = f.fit(st, args[j], sig.Params().At(j).Type())
		} else {
			args[j] = args[j].bounded()
		}
	}
	var res []types.Type
	if sig != nil {
		res = tupleTypes(sig.Results())
	}
	site := in.site.sub("s" + strconv.Itoa(i) + ".")
	site.chain = append(site.chain[:len(site.chain):len(site.chain)], in.t.fn)
	if !isWrapper(in.t.fn) {
		site.outer = in.site.way(Step{Kind: Pass, Pos: f.atCall(in.site), Callee: in.t.name})
		site.inner = token.NoPos
		if in.inner {
			site.inner = row.Pos
			site.outer = append(site.outer, row.way...)
		}
	}
	once := func(st *state) []value {
		var out []value
		if m := in.methodOf(row, callee, typ); m != nil {
			out, _ = f.invokeMethod(st, site, callee, typ, m, args, nil, tupleTypes(m.Type().(*types.Signature).Results()))
		} else if row.Method != "" {
			f.flag(Unresolved, row.Method, site.pos)
			out = f.applyTop(st, site, row.Method, append([]value{callee}, args...), res)
		} else {
			out, _ = f.callValue(st, site, callee.all(), args, nil, res, row.Name)
		}
		return out
	}
	var without *state
	if !row.Always {
		without = st.fork()
	}
	out := once(st)
	if row.Repeats {
		again := st.fork()
		more := once(again)
		f.joinInto(st, again)
		for j := range more {
			if j < len(out) {
				out[j] = out[j].join(more[j])
			}
		}
	}
	if without != nil {
		f.joinInto(st, without)
	}
	in.slotRes[i] = out
	in.slotTyp[i] = res
	// Effects on the results of this slot can be told now.
	for j := range in.t.sum.Effects {
		e := &in.t.sum.Effects[j]
		if e.Ref.Root.Kind == SlotResult && e.Ref.Root.Index == i {
			in.effect(st, e)
		}
	}
}

// methodOf returns the method that a slot calls. Facts know its name only: the value's type knows the rest.
func (in *instance) methodOf(row *SlotRow, callee value, typ types.Type) *types.Func {
	if row.Method == "" || row.Func != nil {
		return row.Func
	}
	look := func(t types.Type) *types.Func {
		if t == nil {
			return nil
		}
		obj, _, _ := types.LookupFieldOrMethod(t, false, in.f.e.pkg.Pkg, row.Method)
		m, _ := obj.(*types.Func)
		return m
	}
	if m := look(typ); m != nil {
		return m
	}
	for _, r := range callee.all() {
		for _, t := range []types.Type{r.dyn, r.o.ptr} {
			if m := look(t); m != nil {
				return m
			}
		}
	}
	return nil
}

// slotSignature is the signature of what a slot calls: of the function that is called, or else of the slot; nil if neither is
// known.
func slotSignature(row *SlotRow, callee value, typ types.Type) *types.Signature {
	if row.Method != "" {
		if row.Func != nil {
			return row.Func.Type().(*types.Signature)
		}
		return nil
	}
	for _, r := range callee.all() {
		if r.o.fn != nil {
			return r.o.fn.Signature
		}
		if r.o.ptr != nil {
			if sig, ok := r.o.ptr.Underlying().(*types.Signature); ok {
				return sig
			}
		}
	}
	if typ != nil {
		if sig, ok := typ.Underlying().(*types.Signature); ok {
			return sig
		}
	}
	return nil
}

// flags repeats the callee's effects on the outside world.
func (in *instance) flags() {
	for _, fl := range in.t.sum.Flags {
		in.f.flag(fl.Kind, fl.Op, in.site.pos, in.tail(fl.Witness, fl.Op, Did)...)
	}
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
