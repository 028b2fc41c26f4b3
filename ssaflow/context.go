package ssaflow

import (
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A function literal that calls what it captures, or methods of it, leaves these calls to whoever knows the captured variables.
// Where the literal is handed to a call they are known: the literal is then analysed once more, with the functions and dynamic
// types that its captured memory leads to at that point.

// setting is where a function value was met: the memory at that point, in the function around.
type setting struct {
	f  *frame
	st *state
	o  *object
}

// setting returns where a function is met, if that can tell more of the function than its own body does.
func (f *frame) setting(st *state, o *object, sum *Summary) *setting {
	if o.fn == nil || len(o.fn.Blocks) == 0 || len(o.fn.FreeVars)+len(o.targs) == 0 || sum == nil || !asks(sum) {
		return nil
	}
	return &setting{f, st.fork(), o}
}

// metKey tells the places apart where a literal is met: as an argument of a call, or as what is called (-1), in a function that
// is itself analysed for one place, or in general.
type metKey struct {
	call  ssa.CallInstruction
	arg   int
	outer *setting
}

// metSet holds the places where one literal is met, in the order in which they were found.
type metSet struct {
	keys []metKey
	at   map[metKey]*setting
}

// meet notes that a call gives a literal, so that the calls within can be looked at from there.
func (f *frame) meet(call ssa.CallInstruction, arg int, met *setting) {
	if met == nil {
		return
	}
	m := f.e.literals[met.o.fn]
	if m == nil {
		m = &metSet{at: map[metKey]*setting{}}
		f.e.literals[met.o.fn] = m
	}
	k := metKey{call, arg, f.met}
	if m.at[k] == nil {
		m.keys = append(m.keys, k)
	}
	m.at[k] = met
}

// visit analyses a literal in all places where it is met, the literals around it first, so that the calls within are known
// from there.
func (r *Result) visit(fn *ssa.Function) {
	e := r.engine
	if fn == nil || fn.Parent() == nil || e.visited[fn] {
		return
	}
	e.visited[fn] = true
	r.visit(fn.Parent())
	m := e.literals[fn]
	if m == nil {
		return
	}
	within := false
	for _, k := range m.keys {
		within = within || k.outer != nil
	}
	for _, k := range m.keys {
		if !within || k.outer != nil {
			r.InContext(FuncValue{Fn: fn, met: m.at[k]}, fn)
		}
	}
}

// typeArgs notes what the type parameters of the frame's function are.
func (f *frame) typeArgs(args []types.Type) {
	params := f.fn.TypeParams()
	if len(args) == 0 || params.Len() == 0 {
		return
	}
	f.targs = map[*types.TypeParam]types.Type{}
	for i := range min(params.Len(), len(args)) {
		if concrete(args[i]) {
			f.targs[params.At(i)] = args[i]
		}
	}
}

// instance returns the summary of an instance of a generic function: that of the function, or its own where the function calls
// methods of its type parameters on values that it makes.
func (e *engine) instance(fn *ssa.Function) *Summary {
	base := e.need(fn)
	origin := fn.Origin()
	if base == nil || origin == nil || len(origin.Blocks) == 0 || !unresolved(base) && !asksTypes(base) {
		return base
	}
	for _, t := range fn.TypeArgs() {
		if !concrete(t) {
			return base
		}
	}
	if u := e.units[origin]; u == nil || u.active {
		return base
	}
	key := "instance " + fn.String()
	s, known := e.special[key]
	if !known {
		e.special[key] = nil // a recursive instance falls back
		s = e.analyze(origin, nil, &setting{o: &object{instance: fn, targs: fn.TypeArgs()}})
		e.special[key] = s
	}
	if s == nil || s.Top {
		return base
	}
	return s
}

// unresolved reports whether a function calls functions that were not found.
func unresolved(s *Summary) bool {
	for _, fl := range s.Flags {
		if fl.Kind == Unresolved {
			return true
		}
	}
	return false
}

// asksTypes reports whether a function calls methods of its type arguments.
func asksTypes(s *Summary) bool {
	for i := range s.Slots {
		if s.Slots[i].Callee.Root.Kind == TypeArg {
			return true
		}
	}
	return false
}

// asks reports whether a summary leaves calls to the caller, or has given up on some.
func asks(s *Summary) bool {
	if len(s.Slots) > 0 || s.Top {
		return true
	}
	return unresolved(s)
}

// InContext returns what a function value does where it was met: like Summary, with the calls resolved that its captured memory
// decides. For a bound method fn may be the method, whose receiver is then the captured value; else it is the function itself.
func (r *Result) InContext(v FuncValue, fn *ssa.Function) *Summary {
	base := r.Summary(fn)
	if v.met == nil || base == nil || !asks(base) {
		return base
	}
	key := contextKey{v.met, fn}
	if s, ok := r.engine.contexts[key]; ok {
		return s
	}
	r.engine.met = append(r.engine.met, v.met)
	s := r.engine.analyze(fn, nil, v.met)
	if s.Top {
		s = base
	}
	r.engine.contexts[key] = s
	return s
}

type contextKey struct {
	met *setting
	fn  *ssa.Function
}

// transfer brings what captured memory leads to from the function around into a frame.
type transfer struct {
	f    *frame
	st   *state // of the frame
	from *setting
	// objects holds the object of the frame for each one of the function around.
	objects map[*object]*object
	filled  map[*object]bool
	// taken are objects of the frame that stand for one that functions capture.
	taken map[*object]bool
}

func (im *transfer) take(own *object) {
	if im.taken == nil {
		im.taken = map[*object]bool{}
	}
	im.taken[own] = true
}

// enter fills the captured memory of the frame's function.
func (f *frame) enter(st *state, from *setting) {
	f.typeArgs(from.o.targs)
	if from.f == nil {
		return
	}
	im := &transfer{f: f, st: st, from: from, objects: map[*object]*object{}, filled: map[*object]bool{}}
	binds := im.binds(from.o)
	if isBound(from.o.fn) && from.o.fn != f.fn {
		if len(binds) > 0 && len(f.fn.Params) > 0 {
			im.value(f.fn.Params[0], binds[0])
		}
		return
	}
	// Cells first, so that literals which capture the same ones are told with them.
	for i, v := range f.fn.FreeVars {
		if i < len(binds) && !isBound(f.fn) {
			if own, there := f.regs[v].val.at(""), binds[i].at(""); len(own) == 1 && len(there) == 1 && im.objects[there[0].o] == nil {
				im.objects[there[0].o] = own[0].o
			}
		}
	}
	for i, v := range f.fn.FreeVars {
		switch {
		case i >= len(binds):
		case isBound(f.fn):
			im.value(v, binds[i])
		default:
			if own, there := f.regs[v].val.at(""), binds[i].at(""); len(own) == 1 && len(there) == 1 && there[0].path == "" {
				im.fill(own[0].o, there[0].o)
			}
		}
	}
}

// binds are the values that a closure of the function around holds for its free variables.
func (im *transfer) binds(o *object) []value {
	var out []value
	held, _ := im.from.st.get(o)
	for _, s := range held {
		if !strings.HasPrefix(s.path, "#") {
			continue
		}
		step, rest := cutStep(s.path)
		i, err := strconv.Atoi(step[1:])
		if err != nil {
			continue
		}
		for len(out) <= i {
			out = append(out, nil)
		}
		out[i] = out[i].add(rest, s.refs)
	}
	return out
}

// value gives an input the functions and types that its parts have in the function around.
func (im *transfer) value(v ssa.Value, there value) {
	own := append(value(nil), im.f.regs[v].val...)
	for i, l := range own {
		if rs := there.at(l.path); len(rs) > 0 && len(l.refs) > 0 {
			if known, ok := im.refs(l.refs[0].o, rs); ok {
				own[i].refs = known
			}
		}
	}
	im.f.setReg(v, own)
}

// fill stores in an object of the frame what the functions and types within are known to be.
func (im *transfer) fill(own, there *object) {
	if im.filled[there] || own.opaque || there.opaque || there.kind == anything {
		return
	}
	im.filled[there] = true
	if im.objects[there] == nil {
		im.objects[there] = own
	}
	held, _ := im.from.st.get(there)
	all := there.kind == made && !there.deep
	var elements []string
	for _, s := range held {
		if strings.HasPrefix(s.path, "#") || len(s.refs) == 0 {
			continue
		}
		s.path = younger(s.path)
		typ := im.f.typeAt(own, s.path)
		if typ == nil {
			typ = im.from.f.typeAt(there, s.path)
		}
		first := im.f.initial(own, s.path, typ)
		if len(first) == 0 {
			continue
		}
		known, ok := im.refs(first[0].o, s.refs)
		if ok {
			if now, _ := im.st.get(own); s.path == "[]" && now.find(s.path) >= 0 {
				known = known.union(now[now.find(s.path)].refs)
			}
			im.st.set(own, s.path, known)
		}
		all = all && ok
		elements = append(elements, generalIndex(s.path))
	}
	// Of a list that holds known functions only, no element is another one.
	for _, path := range elements {
		if s, _ := im.st.get(own); all && s.find(path) < 0 {
			im.st.set(own, path, nil)
		}
	}
}

// refs translates references of the function around; own is the object that stands for what is no function. It reports whether
// any is a function or has a known dynamic type.
func (im *transfer) refs(own *object, there refs) (refs, bool) {
	var out refs
	known := false
	for _, r := range there {
		switch {
		case r.o.fn != nil || r.o.sum != nil:
			known = true
			out = out.union(refs{{o: im.function(r.o)}})
			continue
		case r.o.kind == anything:
			out = out.union(im.f.unknown(r.why))
			continue
		}
		im.fill(own, r.o)
		known = known || r.dyn != nil
		x := ref{o: own, dyn: r.dyn, why: own.why}
		out = out.union(refs{x})
	}
	return out, known
}

// function returns the frame's object of a function of the function around, with what it captures.
func (im *transfer) function(o *object) *object {
	if im.objects[o] != nil {
		return im.objects[o]
	}
	f := im.f
	if o.kind == code && o.fn != nil {
		return f.codeObject(o.fn)
	}
	own := f.newObject(&object{kind: made, fn: o.fn, sum: o.sum, ptr: o.ptr})
	im.objects[o] = own
	im.st.put(own, nil)
	held, _ := im.from.st.get(o)
	for _, s := range held {
		if !strings.HasPrefix(s.path, "#") {
			continue
		}
		step, _ := cutStep(s.path)
		name := "captured"
		if i, err := strconv.Atoi(step[1:]); err == nil && o.fn != nil && i < len(o.fn.FreeVars) {
			name = o.fn.FreeVars[i].Name()
			if m, ok := o.fn.Object().(*types.Func); ok && isBound(o.fn) && m.Signature().Recv().Name() != "" {
				name = m.Signature().Recv().Name() // wrappers have no names of their own
			}
		}
		var rs refs
		for _, r := range s.refs {
			rs = rs.union(im.captured(r, name))
		}
		im.st.set(own, s.path, rs)
	}
	return own
}

// captured returns what a function captures that is itself captured: a variable of the frame's own, or one that only that
// function knows by a name.
func (im *transfer) captured(r ref, name string) refs {
	switch {
	case r.o.fn != nil || r.o.sum != nil:
		return refs{{o: im.function(r.o)}}
	case r.o.kind == anything:
		return im.f.unknown(r.why)
	}
	own := im.objects[r.o]
	if own == nil {
		root, base := Root{Kind: Global, Name: name}, ""
		if r.o.kind == entry && r.o.root.Kind == Global {
			root, base = r.o.root, r.o.base
		} else if !isVariable(r.o) {
			base = "*"
		}
		var typ types.Type = r.o.ptr
		if r.o.boxed {
			typ = nil
		}
		why := im.f.then(nil, Step{Kind: Enter, Callee: name})
		for own = im.f.baseObject(root, base, typ, why); im.taken[own]; own = im.f.baseObject(root, base, typ, why) {
			root.Index++ // closures of one function, or of two, may name what they capture alike
		}
		im.objects[r.o] = own
		im.take(own)
	}
	im.fill(own, r.o)
	return refs{{o: own, path: r.path, dyn: r.dyn, view: r.view, why: own.why}}
}

// isVariable reports whether an object is a variable rather than what one points to.
func isVariable(o *object) bool { return o.kind == made || o.base == "" }
