package ssaflow

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"sort"

	"golang.org/x/tools/go/ssa"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
)

// unit is a strongly connected component of the call graph.
type unit struct {
	members   []*ssa.Function
	recursive bool
	active    bool
	done      bool
	work      int // that may still be done, for recursive units
	// asOne are, for recursive units, the effects of each member that are told as one.
	asOne map[*ssa.Function]map[effectGroup]string
}

// engine holds the state of one Analyze call.
type engine struct {
	cfg     Config
	calls   Calls // of the model, nil if it answers none
	pkg     *ssa.Package
	home    string // the import path
	types   *typeCache
	source  []*ssa.Function
	all     []*ssa.Function // with wrappers, in a fixed order
	units   map[*ssa.Function]*unit
	stack   []*unit
	done    map[*ssa.Function]*Summary // stable, or the latest of a recursive unit at work
	special map[string]*Summary
	outer   map[*types.Func]*Summary
	boxed   []types.Type // converted to interfaces in this package
	boxes   bool
	// closedness, entries and offers are what is known of interfaces, see open.go.
	closedness map[*types.Named]bool
	entries    []types.Type
	offers     map[*types.TypeName]bool

	globals  *globalFuncs
	problems []Problem
	sets     map[setKey]FuncSet
	instrs   int
	contexts map[contextKey]*Summary
	// within holds the sets of calls in functions that were analysed where they were met, in the order of met.
	within map[setKey]map[*setting]FuncSet
	met    []*setting
	// literals are the places where function literals are met; visited those that were analysed there.
	literals map[*ssa.Function]*metSet
	visited  map[*ssa.Function]bool
}

// setKey is a place where function values are noted: an argument of a call, or a field of one, or what a store stores.
type setKey struct {
	at   ssa.Instruction
	arg  int
	path string
}

func newEngine(cfg Config, pkg *ssa.Package) *engine {
	calls, _ := cfg.Model.(Calls)
	e := &engine{cfg: cfg, calls: calls, pkg: pkg, home: importPath(cfg.Pkg), types: newTypeCache(cfg.Model), units: map[*ssa.Function]*unit{}, done: map[*ssa.Function]*Summary{},
		special: map[string]*Summary{}, outer: map[*types.Func]*Summary{}, sets: map[setKey]FuncSet{}, contexts: map[contextKey]*Summary{},
		within: map[setKey]map[*setting]FuncSet{}, literals: map[*ssa.Function]*metSet{}, visited: map[*ssa.Function]bool{}}
	e.globals = &globalFuncs{e: e}
	return e
}

// guardedRun is run; a panic outside of any function leaves the functions that were not reached without summaries.
func (e *engine) guardedRun() {
	defer func() {
		if p := recover(); p != nil {
			e.problems = append(e.problems, Problem{Err: fmt.Sprint(p)})
		}
	}()
	e.run()
}

// run summarises every function.
func (e *engine) run() {
	e.collect()
	e.group()
	for _, fn := range e.all {
		e.need(fn)
	}
	// Function values can be mentioned before they are summarised.
	for _, fn := range e.all {
		if s := e.done[fn]; s != nil {
			for i := range s.Funcs {
				if row := &s.Funcs[i]; row.fn != nil {
					row.Summary = row.summary(e)
				}
			}
		}
	}
	for _, fn := range e.source {
		if s := e.done[fn]; s != nil && !s.Top && fn.Object() != nil && fn.Object().Exported() {
			e.tellMethods(fn, s)
		}
	}
}

// collect lists the functions with bodies in a fixed order: declarations and literals by position, wrappers where first used.
func (e *engine) collect() {
	seen := map[*ssa.Function]bool{}
	var operands []*ssa.Value
	var add func(fn *ssa.Function)
	add = func(fn *ssa.Function) {
		if fn == nil || seen[fn] {
			return
		}
		seen[fn] = true
		if fn.Origin() != nil {
			add(fn.Origin())
			return
		}
		if len(fn.Blocks) == 0 {
			return
		}
		e.all = append(e.all, fn)
		for _, a := range fn.AnonFuncs {
			add(a)
		}
		var mentioned []*ssa.Function
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				e.instrs++
				operands = instr.Operands(operands[:0])
				for _, op := range operands {
					if g, ok := (*op).(*ssa.Function); ok && !seen[g] {
						mentioned = append(mentioned, g)
					}
				}
			}
		}
		for _, g := range mentioned {
			add(g)
		}
	}
	var decls []*ssa.Function
	names := make([]string, 0, len(e.pkg.Members))
	for name := range e.pkg.Members {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		switch m := e.pkg.Members[name].(type) {
		case *ssa.Function:
			decls = append(decls, m)
		case *ssa.Type:
			n, ok := types.Unalias(m.Type()).(*types.Named)
			if !ok {
				continue
			}
			for i := range n.NumMethods() {
				if fn := e.pkg.Prog.FuncValue(n.Method(i)); fn != nil {
					decls = append(decls, fn)
				}
			}
		}
	}
	// By place in the source, not by token.Pos: drivers that parse files at the same time number them as it comes.
	places := make(map[*ssa.Function]token.Position, len(decls))
	for _, fn := range decls {
		places[fn] = e.cfg.Fset.Position(fn.Pos())
	}
	sort.SliceStable(decls, func(i, j int) bool {
		a, b := places[decls[i]], places[decls[j]]
		return cmp.Or(cmp.Compare(a.Filename, b.Filename), cmp.Compare(a.Offset, b.Offset)) < 0
	})
	for _, fn := range decls {
		add(fn)
	}
	for _, fn := range e.all {
		if fn.Syntax() != nil || fn.Parent() != nil {
			e.source = append(e.source, fn)
		}
	}
	sort.SliceStable(e.source, func(i, j int) bool { return e.source[i].Pos() < e.source[j].Pos() })
}

// group finds the strongly connected components. A function depends on every function its code mentions, on init when it calls
// through package variables, and on the methods that a call through an unexported interface can reach.
func (e *engine) group() {
	g := simple.NewDirectedGraph()
	id := map[*ssa.Function]int64{}
	for i, fn := range e.all {
		id[fn] = int64(i)
		g.AddNode(simple.Node(int64(i)))
	}
	self := map[int64]bool{}
	edge := func(from int64, fn *ssa.Function) {
		if fn.Origin() != nil {
			fn = fn.Origin()
		}
		to, ok := id[fn]
		switch {
		case !ok:
		case to == from:
			self[from] = true
		default:
			g.SetEdge(simple.Edge{F: simple.Node(from), T: simple.Node(to)})
		}
	}
	init := e.pkg.Func("init")
	var operands []*ssa.Value
	for i, fn := range e.all {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				operands = instr.Operands(operands[:0])
				for _, op := range operands {
					switch v := (*op).(type) {
					case *ssa.Function:
						edge(int64(i), v)
					case *ssa.Global:
						if init != nil && fn != init && v.Pkg == e.pkg && holdsFuncs(v.Type().Underlying().(*types.Pointer).Elem(), 0) {
							edge(int64(i), init)
						}
					}
				}
				if c, ok := instr.(ssa.CallInstruction); ok && c.Common().IsInvoke() {
					for _, t := range e.implementers(c.Common().Value.Type()) {
						if m := e.method(t, c.Common().Method); m != nil {
							edge(int64(i), m)
						}
					}
				}
			}
		}
	}
	for _, scc := range topo.TarjanSCC(g) {
		u := &unit{recursive: len(scc) > 1}
		for _, n := range scc {
			u.members = append(u.members, e.all[n.ID()])
			u.recursive = u.recursive || self[n.ID()]
		}
		sort.Slice(u.members, func(i, j int) bool { return id[u.members[i]] < id[u.members[j]] })
		for _, m := range u.members {
			e.units[m] = u
		}
	}
}

// holdsFuncs reports whether a variable of type t can lead to functions within a few steps.
func holdsFuncs(t types.Type, depth int) bool {
	if depth > 3 {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Signature:
		return true
	case *types.Pointer:
		return holdsFuncs(u.Elem(), depth+1)
	case *types.Slice:
		return holdsFuncs(u.Elem(), depth+1)
	case *types.Array:
		return holdsFuncs(u.Elem(), depth+1)
	case *types.Map:
		return holdsFuncs(u.Elem(), depth+1)
	case *types.Struct:
		for i := range u.NumFields() {
			if holdsFuncs(u.Field(i).Type(), depth+1) {
				return true
			}
		}
	}
	return false
}

// need returns the summary of a function; nil means: inside a recursion, and not known to return yet.
func (e *engine) need(fn *ssa.Function) *Summary {
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	if len(fn.Blocks) == 0 {
		if obj, ok := fn.Object().(*types.Func); ok {
			if s := e.external(obj); s != nil {
				return s
			}
		}
		return &Summary{Name: funcName(fn), Top: true}
	}
	u := e.units[fn]
	if u == nil {
		// A wrapper made while resolving a method: it calls what it wraps and nothing calls it by name.
		u = &unit{members: []*ssa.Function{fn}}
		e.units[fn] = u
	}
	switch {
	case u.done:
		return e.done[fn]
	case u.active && e.stack[len(e.stack)-1] == u:
		u.recursive = true // also where a function comes back to itself through an interface that a callee was given
		return e.done[fn]
	case u.active:
		return &Summary{Name: funcName(fn), Top: true}
	}
	e.solve(u)
	return e.done[fn]
}

// solve analyses a component. Its functions start as not returning and grow until they are stable; what they are found to do is
// what the last round found.
func (e *engine) solve(u *unit) {
	const maxRounds = 12
	u.active = true
	e.stack = append(e.stack, u)
	defer func() {
		e.stack = e.stack[:len(e.stack)-1]
		u.active, u.done = false, true
	}()
	u.work = unitFloor
	u.asOne = map[*ssa.Function]map[effectGroup]string{}
	for _, fn := range u.members {
		if u.recursive {
			u.asOne[fn] = map[effectGroup]string{}
		}
		u.work += unitPerInstr * size(fn)
	}
	prints := make([]string, len(u.members))
	for range maxRounds {
		changed := false
		for i, fn := range u.members {
			s := e.analyze(fn, nil, nil)
			p := s.fingerprint()
			if p != prints[i] {
				changed = true
				prints[i] = p
			}
			e.done[fn] = s
			if u.work < 0 {
				break
			}
		}
		if u.work < 0 {
			break
		}
		if !changed || !u.recursive {
			return
		}
	}
	for _, fn := range u.members {
		e.done[fn] = &Summary{Name: funcName(fn), Where: e.where(fn), Top: true}
	}
}

// analyze runs one body, for calls whose arguments are merged, or where a closure was met; a panic is contained and makes the function unseen.
func (e *engine) analyze(fn *ssa.Function, merged map[rootKey]rootKey, met *setting) (s *Summary) {
	defer func() {
		if p := recover(); p != nil {
			if _, big := p.(tooMuch); big {
				s = &Summary{Name: funcName(fn), Where: e.where(fn), Top: true}
				return
			}
			e.problems = append(e.problems, Problem{Func: fn.String(), Pos: fn.Pos(), Err: fmt.Sprint(p)})
			s = &Summary{Name: funcName(fn), Where: e.where(fn), Top: true}
		}
	}()
	f := newFrame(e, fn, merged)
	f.unit, f.met = e.units[fn], met
	f.run()
	var asOne map[effectGroup]string
	if f.unit != nil && merged == nil && met == nil {
		asOne = f.unit.asOne[fn]
	}
	return f.summarize().limit(fn, asOne)
}

// external returns the model's summary of a function, with paths completed by its signature.
func (e *engine) external(fn *types.Func) *Summary {
	fn = fn.Origin()
	if s, ok := e.outer[fn]; ok {
		return s
	}
	var s *Summary
	if e.cfg.Model != nil {
		s = e.cfg.Model.Summary(fn)
	}
	if s != nil {
		s = e.completed(s, fn.Type().(*types.Signature))
		if s.Name == "" {
			s.Name = fn.Name()
		}
	}
	e.outer[fn] = s
	return s
}

// method returns the function that a method call on a value of concrete type t reaches, or nil.
func (e *engine) method(t types.Type, m *types.Func) (fn *ssa.Function) {
	defer func() {
		if p := recover(); p != nil {
			fn = nil // go/ssa refuses some receivers with type parameters
		}
	}()
	if t == nil {
		return nil
	}
	sel := e.pkg.Prog.MethodSets.MethodSet(t).Lookup(m.Pkg(), m.Name())
	if sel == nil {
		return nil
	}
	if obj, ok := sel.Obj().(*types.Func); ok && len(sel.Index()) == 1 {
		recv := obj.Origin().Type().(*types.Signature).Recv()
		_, ptrRecv := types.Unalias(recv.Type()).(*types.Pointer)
		_, ptr := types.Unalias(t).(*types.Pointer)
		if ptrRecv == ptr {
			if f := e.pkg.Prog.FuncValue(obj.Origin()); f != nil {
				return f
			}
		}
	}
	return e.pkg.Prog.MethodValue(sel)
}

// implementers returns the types that this package converts to an unexported interface of its own.
func (e *engine) implementers(t types.Type) []types.Type {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() != e.pkg.Pkg || n.Obj().Exported() {
		return nil
	}
	iface, ok := n.Underlying().(*types.Interface)
	if !ok || n.TypeParams().Len() > 0 {
		return nil
	}
	var list []types.Type
	for _, b := range e.conversions() {
		if types.Implements(b, iface) {
			list = append(list, b)
		}
	}
	return list
}

// conversions lists the concrete types that the package converts to interfaces, in a fixed order.
func (e *engine) conversions() []types.Type {
	if e.boxes {
		return e.boxed
	}
	e.boxes = true
	seen := map[string]bool{}
	for _, fn := range e.all {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if mi, ok := instr.(*ssa.MakeInterface); ok && concrete(mi.X.Type()) {
					if k := mi.X.Type().String(); !seen[k] {
						seen[k] = true
						e.boxed = append(e.boxed, mi.X.Type())
					}
				}
			}
		}
	}
	return e.boxed
}
