package ssaflow

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// register is what an SSA value holds.
type register struct {
	val   value
	tuple []value
	// set is false until the defining instruction was reached.
	set bool
}

type childKey struct {
	parent *object
	path   string
}

type rootKey struct {
	root Root
	base string
}

type siteKey struct {
	at  any    // the instruction
	tag string // which of the objects made there
}

// frame is the analysis of one function body.
type frame struct {
	e    *engine
	fn   *ssa.Function
	unit *unit
	// merged maps the roots of parameters that refer to one object in the calls this frame is for.
	merged map[rootKey]rootKey

	objects  []*object
	children map[childKey]*object
	roots    map[rootKey]*object
	sites    map[siteKey]*object
	codes    map[*ssa.Function]*object
	ages     map[any]int
	nothing  *object // the object of unknown memory

	regs   map[ssa.Value]*register
	blocks []*ssa.BasicBlock // reverse postorder
	order  map[*ssa.BasicBlock]int
	cyclic map[*ssa.BasicBlock]bool
	in     map[*ssa.BasicBlock]*state
	out    map[*ssa.BasicBlock]*state

	block *ssa.BasicBlock
	grew  bool // an object lost uniqueness in this pass

	defers []*ssa.Defer
	// panics joins the states in which the function may panic, when it recovers.
	panics   *state
	recovers bool
	effects  effectSet
	flags    []Flag
	flagged  map[flagKey]bool
	slots    []*slotCall
	slotAt   map[siteKey]*slotCall
	returns  []exit
	work     int // that may still be done
}

// exit is one return statement reached.
type exit struct {
	pos     token.Pos
	results []value
	st      *state
}

type flagKey struct {
	kind FlagKind
	pos  token.Pos
	op   string
}

func newFrame(e *engine, fn *ssa.Function, merged map[rootKey]rootKey) *frame {
	f := &frame{e: e, fn: fn, merged: merged,
		children: map[childKey]*object{}, roots: map[rootKey]*object{}, sites: map[siteKey]*object{}, codes: map[*ssa.Function]*object{},
		ages: map[any]int{},
		regs: make(map[ssa.Value]*register), order: map[*ssa.BasicBlock]int{}, cyclic: map[*ssa.BasicBlock]bool{},
		in: map[*ssa.BasicBlock]*state{}, out: map[*ssa.BasicBlock]*state{}, slotAt: map[siteKey]*slotCall{}}
	f.nothing = f.newObject(&object{kind: anything})
	f.orderBlocks()
	f.recovers = recovers(fn)
	f.work = budget(fn)
	return f
}

func (f *frame) newObject(o *object) *object {
	o.id = len(f.objects)
	o.home = f
	f.objects = append(f.objects, o)
	return o
}

// ageKey names a location as carried around the loop that begins at head.
type ageKey struct {
	head *ssa.BasicBlock
	o    *object
	path string
}

// age numbers the variables that carry references around loops.
func (f *frame) age(key any) int {
	n, ok := f.ages[key]
	if !ok {
		n = len(f.ages) + 1
		f.ages[key] = n
	}
	return n
}

func (f *frame) unknown(why *witness) refs { return refs{{o: f.nothing, why: why}} }

// orderBlocks numbers the reachable blocks in reverse postorder, leaving out edges that constants make dead, and finds cycles.
func (f *frame) orderBlocks() {
	type visit struct {
		b *ssa.BasicBlock
		i int
	}
	seen := map[*ssa.BasicBlock]bool{}
	var post []*ssa.BasicBlock
	stack := []visit{{f.fn.Blocks[0], 0}}
	seen[f.fn.Blocks[0]] = true
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		succs := liveSuccs(top.b)
		if top.i < len(succs) {
			s := succs[top.i]
			top.i++
			if !seen[s] {
				seen[s] = true
				stack = append(stack, visit{s, 0})
			}
			continue
		}
		post = append(post, top.b)
		stack = stack[:len(stack)-1]
	}
	for i := len(post) - 1; i >= 0; i-- {
		f.order[post[i]] = len(f.blocks)
		f.blocks = append(f.blocks, post[i])
	}
	f.findCycles()
}

// findCycles marks the blocks of non-trivial strongly connected components: Tarjan's algorithm without recursion.
func (f *frame) findCycles() {
	n := len(f.blocks)
	retreats := false
	for i, b := range f.blocks {
		for _, s := range liveSuccs(b) {
			retreats = retreats || f.order[s] <= i
		}
	}
	if !retreats {
		return
	}
	index, low, on := make([]int, n), make([]int, n), make([]bool, n)
	next := 1
	var stack []int
	type visit struct{ b, i int }
	for start := range n {
		if index[start] != 0 {
			continue
		}
		work := []visit{{start, 0}}
		index[start], low[start] = next, next
		next++
		stack, on[start] = append(stack, start), true
		for len(work) > 0 {
			v := &work[len(work)-1]
			succs := liveSuccs(f.blocks[v.b])
			if v.i < len(succs) {
				s := f.order[succs[v.i]]
				v.i++
				if index[s] == 0 {
					index[s], low[s] = next, next
					next++
					stack, on[s] = append(stack, s), true
					work = append(work, visit{s, 0})
				} else if on[s] {
					low[v.b] = min(low[v.b], index[s])
				}
				continue
			}
			b := v.b
			work = work[:len(work)-1]
			if len(work) > 0 {
				p := work[len(work)-1].b
				low[p] = min(low[p], low[b])
			}
			if low[b] != index[b] {
				continue
			}
			first := len(stack) - 1
			for stack[first] != b {
				first--
			}
			members := stack[first:]
			self := false
			for _, s := range liveSuccs(f.blocks[b]) {
				self = self || s == f.blocks[b]
			}
			for _, m := range members {
				on[m] = false
				if len(members) > 1 || self {
					f.cyclic[f.blocks[m]] = true
				}
			}
			stack = stack[:first]
		}
	}
}

// liveSuccs returns the successors that a constant condition leaves.
func liveSuccs(b *ssa.BasicBlock) []*ssa.BasicBlock {
	if len(b.Instrs) == 0 {
		return b.Succs
	}
	if br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
		if c, ok := br.Cond.(*ssa.Const); ok && c.Value != nil {
			if c.Value.String() == "true" {
				return b.Succs[:1]
			}
			return b.Succs[1:]
		}
	}
	return b.Succs
}

// rootObject returns the entry object that the location root, loc points to; loc ends before the pointer.
func (f *frame) rootObject(root Root, loc string, ptr types.Type, why *witness) *object {
	return f.baseObject(root, loc+"*", ptr, why)
}

func (f *frame) baseObject(root Root, base string, ptr types.Type, why *witness) *object {
	key := rootKey{root, base}
	key.root.Global = nil
	if to, ok := f.merged[key]; ok {
		key = to
		root = key.root
		base = key.base
	}
	if o, ok := f.roots[key]; ok {
		return o
	}
	o := f.newObject(&object{kind: entry, root: root, base: base, ptr: ptr, opaque: f.e.types.isOpaque(ptr), why: why})
	if strings.Contains(base, "[]") {
		o.many = true
	}
	f.roots[key] = o
	return o
}

// child returns the object that a slot of an entry object, or of fresh memory nothing is known of, refers to at first.
func (f *frame) child(o *object, path string, typ types.Type) *object {
	if o.collapsed || o.depth >= maxDepth {
		o.collapsed = true
		return o
	}
	key := childKey{o, path}
	if c, ok := f.children[key]; ok {
		return c
	}
	recurs := false
	if name := pointeeName(typ); name != nil {
		for a := o; a != nil; a = a.parent {
			if pointeeName(a.ptr) == name {
				if a.recurs {
					// One object stands for all further ones of its type.
					f.grew = f.grew || !a.many
					a.many = true
					return a
				}
				recurs = true
			}
		}
	}
	base := path + "*"
	if o.kind == entry {
		base = o.base + base
	}
	c := f.newObject(&object{kind: o.kind, root: o.root, base: base, ptr: typ, opaque: f.e.types.isOpaque(typ), deep: o.deep,
		multi: o.multi, left: o.left, kept: o.kept, recurs: recurs, parent: o, depth: o.depth + 1, why: o.why,
		many: o.many || strings.Contains(path, "[]") || strings.Contains(path, keyStep)})
	f.children[key] = c
	return c
}

// pointeeName is the named type behind a pointer-like type.
func pointeeName(t types.Type) *types.TypeName {
	if t == nil {
		return nil
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Origin().Obj()
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		t = u.Elem()
	case *types.Slice:
		t = u.Elem()
	case *types.Map:
		t = u.Elem()
	default:
		return nil
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Origin().Obj()
	}
	return nil
}

// initial returns what a slot holds before anything was stored there.
func (f *frame) initial(o *object, path string, typ types.Type) refs {
	if o.kind == anything {
		return f.unknown(o.why)
	}
	if o.kind != entry && !o.deep {
		return nil
	}
	if typ == nil {
		typ = f.typeAt(o, path)
	}
	if typ != nil && len(f.e.types.leavesOf(typ)) == 0 {
		return nil
	}
	c := f.child(o, path, typ)
	return refs{{o: c, why: c.why}}
}

// typeAt returns the type of a location within an object, or nil.
func (f *frame) typeAt(o *object, path string) types.Type {
	key := typeKey{o.ptr, o.boxed, path}
	t, ok := f.e.types.at[key]
	if !ok {
		if o.boxed {
			t = walkType(o.ptr, path)
		} else {
			t = behind(o.ptr, path)
		}
		f.e.types.at[key] = t
	}
	return t
}

// site returns the object that an instruction makes.
func (f *frame) site(at any, tag string, ptr types.Type, why *witness) *object {
	// Alternatives within slots within alternatives would make a new object for each way to get there.
	deep := len(tag) > maxTag
	if deep {
		tag = "deep"
	}
	key := siteKey{at, tag}
	if o, ok := f.sites[key]; ok {
		return o
	}
	o := f.newObject(&object{kind: made, ptr: ptr, opaque: f.e.types.isOpaque(ptr), multi: f.cyclic[f.block], many: deep, why: why})
	f.sites[key] = o
	return o
}

// codeObject returns the object of a function without free variables.
func (f *frame) codeObject(fn *ssa.Function) *object {
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	if o, ok := f.codes[fn]; ok {
		return o
	}
	o := f.newObject(&object{kind: code, fn: fn})
	f.codes[fn] = o
	return o
}

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
	p := r.path + path
	switch {
	case o.kind == anything:
		return refs{{o: o, why: r.why}}
	case o.kind == code:
		return nil
	case o.opaque || o.collapsed:
		return refs{{o: o, view: r.view, why: r.why}}
	}
	s, _ := st.get(o)
	var out refs
	exact := false
	for i := range s {
		if s[i].path == p {
			exact = true
			out = out.union(s[i].refs)
		} else if overlaps(s[i].path, p) {
			out = out.union(s[i].refs)
		}
	}
	if !exact {
		out = out.union(f.initial(o, p, typ))
	}
	return out
}

// loadValue reads a whole value of type typ.
func (f *frame) loadValue(st *state, from refs, typ types.Type) value {
	var out value
	leaves := f.e.types.leavesOf(typ)
	f.spend(len(leaves) * len(from) / 4)
	for _, leaf := range leaves {
		var rs refs
		for _, r := range from {
			rs = rs.union(f.load(st, r, leaf.path, leaf.typ))
		}
		if len(rs) > 0 {
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
			p := r.path + leaf.path
			rs := v.at(leaf.path)
			if len(to) == 1 && o.strong(p) {
				st.set(o, p, rs)
				continue
			}
			st.set(o, p, f.load(st, r, leaf.path, leaf.typ).union(rs))
		}
	}
}

// get returns the value of an SSA operand.
func (f *frame) get(v ssa.Value) value {
	switch v := v.(type) {
	case *ssa.Const:
		return nil
	case *ssa.Function:
		return single(refs{{o: f.codeObject(v)}})
	case *ssa.Global:
		root := Root{Kind: Global, Global: v.Object(), Name: globalName(v)}
		why := (*witness)(nil).then(Step{Kind: Enter, Pos: f.local(v.Pos()), Callee: v.Name()})
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

// local returns positions of this package only; others are told as text.
func (f *frame) local(pos token.Pos) token.Pos { return pos }

func (f *frame) setReg(v ssa.Value, val value) { f.regs[v] = &register{val: val, set: true} }

func (f *frame) setTuple(v ssa.Value, t []value) { f.regs[v] = &register{tuple: t, set: true} }

// run interprets the body until nothing changes.
func (f *frame) run() {
	const maxPasses = 24
	first := f.fn.Blocks[0]
	start := &state{}
	f.bindInputs(start)
	for range maxPasses {
		f.effects.reset()
		f.flags, f.flagged = nil, map[flagKey]bool{}
		f.returns = nil
		f.grew = false
		changed := false
		for i, b := range f.blocks {
			var in *state
			var around []*state
			if b == first {
				in = start.fork()
			}
			retreating := b == first && len(b.Preds) > 0
			for _, p := range b.Preds {
				o := f.out[p]
				if o == nil || !live(p, b) {
					continue
				}
				if f.order[p] >= i {
					retreating = true
					around = append(around, o)
				} else if in == nil {
					in = o.fork()
				} else {
					f.joinInto(in, o)
				}
			}
			for _, o := range around {
				if in == nil {
					in = o.fork() // entered from elsewhere only: an irreducible graph
				} else {
					f.joinAround(in, o, b)
				}
			}
			if in == nil {
				continue
			}
			// The entry of a loop grows only: strong updates are not monotone, so it could swing for ever.
			if old := f.in[b]; old != nil && retreating {
				acc := old.fork()
				if f.joinInto(acc, in) {
					changed = true
				}
				in = acc
			} else if old == nil {
				changed = changed || f.cyclic[b]
			}
			f.in[b] = in
			st := in.fork()
			f.block = b
			if f.interpret(st, b, &changed) {
				f.out[b] = st
			} else {
				delete(f.out, b)
			}
		}
		f.recovered()
		if !changed && !f.grew || len(f.cyclic) == 0 {
			return
		}
	}
}

func live(p, b *ssa.BasicBlock) bool {
	for _, s := range liveSuccs(p) {
		if s == b {
			return true
		}
	}
	return false
}

// bindInputs gives parameters and free variables their entry objects.
func (f *frame) bindInputs(st *state) {
	for i, p := range f.fn.Params {
		f.bindInput(p, Root{Kind: Param, Index: i}, p.Name())
	}
	for j, v := range f.fn.FreeVars {
		root := Root{Kind: FreeVar, Index: j}
		if isBound(f.fn) {
			f.bindInput(v, root, v.Name())
			continue
		}
		why := (*witness)(nil).then(Step{Kind: Enter, Pos: v.Pos(), Callee: v.Name()})
		f.setReg(v, single(refs{{o: f.baseObject(root, "", v.Type(), why), why: why}}))
	}
}

func (f *frame) bindInput(v ssa.Value, root Root, name string) {
	why := (*witness)(nil).then(Step{Kind: Enter, Pos: v.Pos(), Callee: name})
	var val value
	for _, leaf := range f.e.types.leavesOf(v.Type()) {
		o := f.rootObject(root, leaf.path, leaf.typ, why)
		val = append(val, leafRefs{leaf.path, refs{{o: o, why: why}}})
	}
	f.setReg(v, val)
}

func isBound(fn *ssa.Function) bool {
	return len(fn.FreeVars) == 1 && strings.HasPrefix(fn.Synthetic, "bound method wrapper")
}

// interpret runs one block and reports whether its end is reached.
func (f *frame) interpret(st *state, b *ssa.BasicBlock, changed *bool) bool {
	for _, instr := range b.Instrs {
		v, isValue := instr.(ssa.Value)
		var old value
		var oldTuple []value
		if isValue {
			if r := f.regs[v]; r != nil {
				old, oldTuple = r.val, r.tuple
			}
		}
		if !f.step(st, instr) {
			return false
		}
		if isValue && f.cyclic[b] {
			if r := f.regs[v]; r != nil && (!sameValue(old, r.val) || !sameTuple(oldTuple, r.tuple)) {
				*changed = true
			}
		}
	}
	return true
}

func sameTuple(a, b []value) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !sameValue(a[i], b[i]) {
			return false
		}
	}
	return true
}

func sameValue(a, b value) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].path != b[i].path || !a[i].refs.equal(b[i].refs) {
			return false
		}
	}
	return true
}
