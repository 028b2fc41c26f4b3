package ssaflow

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// globalFuncs answers which functions package variables hold: those that init stores, as long as nothing else stores there.
type globalFuncs struct {
	e      *engine
	ready  bool
	rows   map[string][]FuncRow // by variable and base
	others map[string]bool      // variables that other functions store to
	told   map[*types.Var]*Summary
	types  map[string][]types.Type // of what interfaces in variables hold, by variable and base; nil is an unknown one
	closed map[string]bool         // variables whose parts are only read
}

func (r FuncRow) summary(e *engine) *Summary {
	if r.instance != nil {
		return e.instance(r.instance)
	}
	if r.fn != nil {
		return e.need(r.fn)
	}
	return r.Summary
}

func (g *globalFuncs) at(root Root, base string) ([]FuncRow, bool) {
	var list []FuncRow
	if v, ok := root.Global.(*types.Var); ok && v.Pkg() != nil && v.Pkg() != g.e.pkg.Pkg {
		list = g.foreign(v, base)
		g.look()
	} else if g.prepare() {
		list = append(list, g.rows[root.Name+" "+base]...)
		if len(list) > 0 && !g.others[root.Name] && !g.onlyRead(shortName(root.Name)) {
			return list, false
		}
	}
	return list, len(list) > 0 && !g.others[root.Name]
}

// prepare reads what the initialiser stored, once it is known.
func (g *globalFuncs) prepare() bool {
	init := g.e.pkg.Func("init")
	if init == nil || g.e.units[init] == nil || !g.e.units[init].done {
		return false
	}
	if !g.ready {
		g.build(g.e.done[init])
		g.look()
	}
	return true
}

func (g *globalFuncs) build(sum *Summary) {
	g.ready = true
	g.rows = map[string][]FuncRow{}
	g.types = map[string][]types.Type{}
	// What a variable leads to may be fresh memory that holds the functions: follow it by path.
	inside := map[int][]StoreRow{}
	for _, r := range sum.Stores {
		if r.Dst.Root.Kind == Fresh {
			inside[r.Dst.Root.Index] = append(inside[r.Dst.Root.Index], r)
		}
	}
	var follow func(name, path string, origins []Origin, depth int)
	follow = func(name, path string, origins []Origin, depth int) {
		for _, o := range origins {
			switch o.Ref.Root.Kind {
			case Func:
				g.add(name, path+"*", sum.Funcs[o.Ref.Root.Index])
			case Fresh:
				if o.dyn != nil {
					g.addType(name+" "+path+"*", o.dyn)
				}
				for _, fr := range sum.Funcs {
					if fr.Object == o.Ref.Root.Index {
						g.add(name, path+"*", fr)
					}
				}
				if depth > 3 {
					continue
				}
				for _, r := range inside[o.Ref.Root.Index] {
					follow(name, path+"*"+generalIndex(r.Dst.Path), r.Origins, depth+1)
				}
			}
		}
	}
	for _, r := range sum.Stores {
		if r.Dst.Root.Kind == Global {
			follow(r.Dst.Root.Name, r.Dst.Path, r.Origins, 0)
		}
	}
}

// look finds the variables that functions store to.
func (g *globalFuncs) look() {
	if g.others != nil {
		return
	}
	g.others = map[string]bool{}
	init := g.e.pkg.Func("init")
	for _, fn := range g.e.all {
		if fn == init {
			continue
		}
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				switch v := instr.(type) {
				case *ssa.Store:
					g.note(v.Addr, 0)
				case *ssa.MapUpdate:
					g.note(v.Map, 0)
				}
			}
		}
	}
}

// generalIndex spells constant indices as any index: entry objects do not tell elements apart.
func generalIndex(path string) string {
	var b strings.Builder
	for path != "" {
		var step string
		step, path = cutStep(path)
		if step[0] == '[' && step != keyStep {
			step = "[]"
		}
		b.WriteString(step)
	}
	return b.String()
}

func (g *globalFuncs) add(name, base string, fr FuncRow) {
	k := name + " " + base
	for _, x := range g.rows[k] {
		if x.fn == fr.fn && fr.fn != nil {
			return
		}
	}
	g.rows[k] = append(g.rows[k], fr)
}

// note marks the variable behind an address.
func (g *globalFuncs) note(v ssa.Value, depth int) {
	for ; depth < 8; depth++ {
		switch x := v.(type) {
		case *ssa.Global:
			g.others[globalName(x)] = true
			return
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.IndexAddr:
			v = x.X
		case *ssa.UnOp:
			v = x.X
		default:
			return
		}
	}
}

// noteFuncs keeps which functions the arguments of a call can be.
func (f *frame) noteFuncs(st *state, instr ssa.CallInstruction, c *ssa.CallCommon, args []value) {
	if f.merged != nil || f.e.cfg.FactsOnly {
		return
	}
	if _, literal := c.Value.(*ssa.MakeClosure); literal {
		for _, r := range f.getIn(c.Value, instr.Block()).at("") {
			if r.o.fn != nil {
				f.meet(instr, -1, f.setting(st, r.o, f.e.need(r.o.fn)))
			}
		}
	}
	for i, a := range c.Args {
		if mayHoldFunc(a.Type()) {
			set := f.funcSet(st, f.functionsIn(st, args[i], a.Type()))
			for _, v := range set.Funcs {
				f.meet(instr, i, v.met)
			}
			f.note(setKey{instr, i, ""}, set)
			continue
		}
		for _, field := range f.e.types.funcFields(a.Type()) {
			f.note(setKey{instr, i, field.path}, f.funcSet(st, f.functionsAt(st, args[i], a.Type(), field)))
		}
		for _, list := range f.e.types.listFields(a.Type()) {
			for _, field := range f.e.types.funcFields(list.elem) {
				f.note(setKey{instr, i, list.at.path + "[]" + field.path}, f.funcSet(st, f.functionsInList(st, args[i], a.Type(), list, field)))
			}
		}
	}
}

// noteStored keeps which functions a store to a field can store.
func (f *frame) noteStored(st *state, v *ssa.Store) {
	if _, field := v.Addr.(*ssa.FieldAddr); !field || f.merged != nil || f.e.cfg.FactsOnly || !mayHoldFunc(v.Val.Type()) {
		return
	}
	f.note(setKey{at: v}, f.funcSet(st, f.functionsIn(st, f.get(v.Val), v.Val.Type())))
}

func (f *frame) note(key setKey, set FuncSet) {
	if f.met == nil {
		f.e.sets[key] = set
		return
	}
	if f.e.within[key] == nil {
		f.e.within[key] = map[*setting]FuncSet{}
	}
	f.e.within[key][f.met] = set
}

func mayHoldFunc(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Signature:
		return true
	case *types.Slice:
		_, ok := u.Elem().Underlying().(*types.Signature)
		return ok
	}
	return false
}

// functionsIn returns the function references of a value, through one slice.
func (f *frame) functionsIn(st *state, v value, t types.Type) refs {
	if s, ok := t.Underlying().(*types.Slice); ok {
		return f.loadValue(st, extend(v.at(""), "[]"), s.Elem()).at("")
	}
	return v.at("")
}

// functionsAt returns the function references in a field of a struct, or of the struct that a pointer leads to.
func (f *frame) functionsAt(st *state, v value, t types.Type, field leafType) refs {
	if _, pointer := t.Underlying().(*types.Pointer); !pointer {
		return v.at(field.path)
	}
	var out refs
	for _, r := range v.at("") {
		out = out.union(f.load(st, r, field.path, field.typ))
	}
	return out
}

// functionsInList returns the function references in a field of the elements of a list.
func (f *frame) functionsInList(st *state, v value, t types.Type, list listField, field leafType) refs {
	lists := v.at("")
	if list.at.path != "" {
		lists = f.functionsAt(st, v, t, list.at)
	}
	elements := f.loadValue(st, extend(lists, "[]"), list.elem)
	return f.functionsAt(st, elements, list.elem, field)
}

// listField is a slice of structs with function-typed fields, or of pointers to them: a value itself, or a field of one.
type listField struct {
	at   leafType
	elem types.Type
}

// listFields returns such slices in a value: the value, or fields of a struct or of the struct that a pointer leads to.
func (c *typeCache) listFields(t types.Type) []listField {
	found, ok := c.lists[t]
	if ok {
		return found
	}
	add := func(at leafType) {
		if s, ok := at.typ.Underlying().(*types.Slice); ok && len(found) < maxFuncFields && len(c.funcFields(s.Elem())) > 0 {
			found = append(found, listField{at, s.Elem()})
		}
	}
	under := t.Underlying()
	if p, ok := under.(*types.Pointer); ok && !c.isOpaque(t) {
		under = p.Elem().Underlying()
	}
	switch u := under.(type) {
	case *types.Slice:
		if under == t.Underlying() {
			add(leafType{"", t})
		}
	case *types.Struct:
		for _, leaf := range c.leavesOf(u) {
			add(leaf)
		}
	}
	c.lists[t] = found
	return found
}

// maxFuncFields is the number of function-typed fields of one struct that are told.
const maxFuncFields = 8

// funcFields returns the function-typed fields of a struct, or of the struct that a pointer leads to, nested structs included.
func (c *typeCache) funcFields(t types.Type) []leafType {
	list, ok := c.fields[t]
	if ok {
		return list
	}
	under := t.Underlying()
	if p, ok := under.(*types.Pointer); ok && !c.isOpaque(t) {
		under = p.Elem().Underlying()
	}
	if s, ok := under.(*types.Struct); ok {
		for _, leaf := range c.leavesOf(s) {
			if _, ok := leaf.typ.Underlying().(*types.Signature); ok && len(list) < maxFuncFields {
				list = append(list, leaf)
			}
		}
	}
	c.fields[t] = list
	return list
}

func (f *frame) funcSet(st *state, rs refs) FuncSet {
	set := FuncSet{Complete: len(rs) > 0}
	z := &summarizer{f: f, sum: &Summary{}, end: st, fresh: map[*object]int{}, funcs: map[*object]int{}}
	for _, r := range rs {
		o := r.o
		switch {
		case o.fn != nil || o.sum != nil:
			t := f.closureTarget(st, o, nil, nil)
			fv := FuncValue{Fn: o.fn, Summary: t.sum, met: f.setting(st, o, t.sum)}
			for _, b := range t.binds {
				fv.Bindings = append(fv.Bindings, z.origins(b.all(), nil))
			}
			set.Funcs = append(set.Funcs, fv)
		case o.kind == entry:
			if o.root.Kind == Global {
				list, complete := f.e.globals.at(o.root, o.base)
				for _, g := range list {
					set.Funcs = append(set.Funcs, FuncValue{Fn: g.fn, Summary: g.summary(f.e)})
				}
				if complete {
					continue
				}
			}
			set.Origins = append(set.Origins, z.origin(r, nil))
			set.Complete = false
		default:
			set.Complete = false
		}
	}
	return set
}

func (e *engine) funcsAt(key setKey) FuncSet {
	set := e.sets[key]
	if in := e.within[key]; len(in) > 0 {
		set = FuncSet{Complete: true}
		for _, met := range e.met {
			if s, ok := in[met]; ok {
				set.Funcs = append(set.Funcs, s.Funcs...)
				set.Origins = append(set.Origins, s.Origins...)
				set.Complete = set.Complete && s.Complete
			}
		}
	}
	// Summaries of recursive units were still growing when the call was seen.
	for i := range set.Funcs {
		if fn := set.Funcs[i].Fn; fn != nil {
			set.Funcs[i].Summary = e.need(fn)
		}
	}
	return set
}
