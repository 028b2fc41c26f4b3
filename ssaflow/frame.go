package ssaflow

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// register is what an SSA value holds.
type register struct {
	val   value
	tuple []value
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
	// met is where the function was met, when it is analysed for that place only.
	met *setting
	// targs are the type arguments of the instance that the frame is for.
	targs map[*types.TypeParam]types.Type

	objects  []*object
	children map[childKey]*object
	roots    map[rootKey]*object
	sites    map[siteKey]*object
	codes    map[*ssa.Function]*object
	ages     map[any]int32
	nothing  *object // the object of unknown memory

	regs map[ssa.Value]*register // of the values that were reached
	// newRegs are registers made together that no value has yet.
	newRegs []register
	blocks  []*ssa.BasicBlock // reverse postorder
	order   map[*ssa.BasicBlock]int
	cyclic  map[*ssa.BasicBlock]bool
	until   []int // the end of the outermost loop that a block is in, or of the block
	in      map[*ssa.BasicBlock]*state
	out     map[*ssa.BasicBlock]*state
	// later is, for loop heads whose first test is decided, the block that only later tests lead to; again is the state there,
	// and laterVal what the phis of the head hold then.
	later    map[*ssa.BasicBlock]*ssa.BasicBlock
	again    map[*ssa.BasicBlock]*state
	laterVal map[*ssa.Phi]value

	// sweeps are the loops that overwrite all elements of a container; left holds, by edge, the last state that left one and what
	// became of it.
	sweeps []*sweep
	left   map[[2]*ssa.BasicBlock][2]*state
	// updates are the instructions that change a map, kept where one of the sweeps ranges over maps.
	updates    map[*object][]ssa.Instruction
	rangesMaps bool

	block *ssa.BasicBlock
	grew  bool // an object lost uniqueness in this pass

	defers []*ssa.Defer
	// deferring are the bodies of ranges over functions that defer calls to the end of this function.
	deferring []*ssa.Function
	// started are the statements that start goroutines; goesOn is set while these are asked again.
	started []ssa.CallInstruction
	goesOn  bool
	// panics joins the states in which the function may panic, when it recovers.
	panics   *state
	recovers recovering
	// recoversFor is true when a callee that recovers leaves a call to the caller.
	recoversFor bool
	effects     effectSet
	flags       []Flag
	flagged     map[flagKey]bool
	flagKeys    []flagKey // of the flags
	slots       []*slotCall
	// permuted put elements in another order, as callees that slots of callees call did.
	permuted []func(*state)
	printing int // calls at work that print to a writer
	slotAt   map[siteKey]*slotCall
	// calledWith is what the literals of the function are called with here.
	calledWith map[*object][]value
	returns    []exit
	work       int // that may still be done
	walks      int // through memory, numbered for the objects that they come by
	reached    refs
	ways       ways // of the call at work
	toWalk     []*object
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
		ages: map[any]int32{},
		regs: make(map[ssa.Value]*register), order: map[*ssa.BasicBlock]int{}, cyclic: map[*ssa.BasicBlock]bool{},
		in: map[*ssa.BasicBlock]*state{}, out: map[*ssa.BasicBlock]*state{}, slotAt: map[siteKey]*slotCall{},
		later: map[*ssa.BasicBlock]*ssa.BasicBlock{}, again: map[*ssa.BasicBlock]*state{}, laterVal: map[*ssa.Phi]value{}, left: map[[2]*ssa.BasicBlock][2]*state{}}
	f.nothing = f.newObject(&object{kind: anything})
	f.orderBlocks()
	f.firstTests()
	f.findSweeps()
	f.deferring = defersOut(fn)
	if fn.Recover != nil {
		f.recovers = recovers(fn)
	}
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
func (f *frame) age(key any) int32 {
	n, ok := f.ages[key]
	if !ok {
		n = int32(len(f.ages) + 1)
		f.ages[key] = n
	}
	return n
}

func (f *frame) unknown(why *witness) refs { return refs{{o: f.nothing, why: why}} }

// rootObject returns the entry object that the location root, loc points to; loc ends before the pointer.
func (f *frame) rootObject(root Root, loc string, ptr types.Type, why *witness) *object {
	return f.baseObject(root, loc+"*", ptr, why)
}

func (f *frame) baseObject(root Root, base string, ptr types.Type, why *witness) *object {
	key := rootKey{root, base}
	key.root.Global = nil
	to, merged := f.merged[key]
	if merged {
		key = to
		root = key.root
		base = key.base
	}
	if o, ok := f.roots[key]; ok {
		o.resliced = o.resliced || merged
		return o
	}
	o := f.newObject(&object{kind: entry, root: root, base: base, ptr: ptr, opaque: f.e.types.isOpaque(ptr), why: why, resliced: merged})
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
	if o.kind != entry && !o.deep || len(f.sweeps) > 0 && strings.Contains(path, oldStep) {
		return nil
	}
	if typ == nil {
		typ = f.typeAt(o, path)
	}
	if typ != nil && len(f.e.types.leavesOf(typ)) == 0 {
		return nil
	}
	c := f.child(o, path, typ)
	if c.self == nil {
		c.self = refs{{o: c, why: c.why}}
	}
	return c.self
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
	o := f.newObject(&object{kind: made, ptr: ptr, opaque: f.e.types.isOpaque(ptr), multi: f.cyclic[f.block], many: deep, at: f.block, by: at, why: why})
	f.sites[key] = o
	return o
}

// codeObject returns the object of a function without free variables.
func (f *frame) codeObject(fn *ssa.Function) *object {
	if o, ok := f.codes[fn]; ok {
		return o
	}
	o := f.newObject(&object{kind: code, fn: fn})
	if fn.Origin() != nil {
		o.fn, o.instance, o.targs = fn.Origin(), fn, f.argsOf(fn)
	} else if fn.Parent() != nil && fn.TypeParams().Len() > 0 {
		o.targs = f.ownArgs()
	}
	f.codes[fn] = o
	return o
}

// local returns positions of this package only; others are told as text.
func (f *frame) local(pos token.Pos) token.Pos { return pos }

// run interprets the body until nothing changes.
//
// Straight code is interpreted once, an outermost loop until nothing changes in it before what comes behind it. When an object
// turns out to be many, which may concern code before, all is done again.
func (f *frame) run() {
	start := &state{}
	f.bindInputs(start)
	if f.met != nil {
		f.enter(start, f.met)
	}
	for range maxPasses {
		f.rewind(mark{})
		grew := false
		for i := 0; i < len(f.blocks); i = f.until[i] {
			if !f.cyclic[f.blocks[i]] {
				f.visit(i, start)
				grew = grew || f.grew
				continue
			}
			before := f.mark()
			asked := false // what was asked of the heads of loops is there already when they are interpreted again
			for range maxPasses {
				f.rewind(before)
				changed := asked
				for k := i; k < f.until[i]; k++ {
					changed = f.visit(k, start) || changed
				}
				// A round in which nothing changes is the last; so is one after which nothing new comes around, but what is remembered
				// apart from the state is not seen there.
				again := f.grew
				if asked = !again && changed && f.calledWith == nil && len(f.started) == 0; asked {
					again = !f.settled(i, start)
				} else {
					again = again || changed
				}
				grew = grew || f.grew
				if !again {
					break
				}
			}
		}
		f.recovered()
		if !grew && !f.grew || len(f.cyclic) == 0 {
			return
		}
	}
}

// maxPasses is the number of rounds after which a loop, or a function whose objects turn out to be many, is left as it is.
const maxPasses = 24

// mark is how much a frame has found at some time.
type mark struct{ effects, flags, returns int }

func (f *frame) mark() mark { return mark{len(f.effects.list), len(f.flags), len(f.returns)} }

// rewind forgets what was found since a mark, before the blocks behind it are visited again.
func (f *frame) rewind(to mark) {
	f.effects.rewind(to.effects)
	for _, k := range f.flagKeys[to.flags:] {
		delete(f.flagged, k)
	}
	f.flags, f.flagKeys, f.returns = f.flags[:to.flags], f.flagKeys[:to.flags], f.returns[:to.returns]
	f.grew = false
}

// settled reports whether what comes around the loops from block i to its end is what was there when they were entered, so that another
// round would find what the last one found.
func (f *frame) settled(i int, start *state) bool {
	for k := i; k < f.until[i]; k++ {
		b := f.blocks[k]
		if f.in[b] == nil || !f.heads(k) {
			continue
		}
		in, changed := f.entry(k, start)
		if changed || f.grew {
			return false
		}
		for _, instr := range b.Instrs {
			phi, ok := instr.(*ssa.Phi)
			if !ok {
				break
			}
			old := f.regs[phi].val
			if f.phi(in, phi); f.grew || !sameValue(old, f.regs[phi].val) {
				return false
			}
		}
	}
	return true
}

// visit interprets block i in the state that its predecessors leave. It reports whether that is new to a loop.
func (f *frame) visit(i int, start *state) (changed bool) {
	b := f.blocks[i]
	in, changed := f.entry(i, start)
	if in == nil {
		return changed
	}
	st := in
	if f.cyclic[b] {
		changed = changed || f.in[b] == nil
		if f.in[b] = in; f.heads(i) {
			st = in.fork()
		}
	}
	f.block = b
	if f.interpret(st, b, &changed) {
		f.out[b] = st
	} else {
		delete(f.out, b)
	}
	return changed
}

// heads reports whether a loop begins at block i.
func (f *frame) heads(i int) bool {
	return slices.ContainsFunc(f.blocks[i].Preds, func(p *ssa.BasicBlock) bool { k, ok := f.order[p]; return ok && k >= i })
}

// entry returns the state that the predecessors of block i leave, nil if there is none, and whether that is new to a loop.
func (f *frame) entry(i int, start *state) (in *state, changed bool) {
	b := f.blocks[i]
	first := f.fn.Blocks[0]
	var around []*state
	if b == first {
		in = start.fork()
	}
	retreating := b == first && len(b.Preds) > 0
	for _, p := range b.Preds {
		o := f.outTo(p, b)
		if o == nil {
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
	if in != nil {
		f.enterSweeps(in, b)
	}
	if f.later[b] != nil && f.comesAround(b, in, around) {
		changed = true
	}
	for _, o := range around {
		if in == nil {
			in = o.fork() // entered from elsewhere only: an irreducible graph
		} else {
			f.joinAround(in, o, b)
		}
	}
	if in == nil {
		return nil, changed
	}
	// The entry of a loop grows only: strong updates are not monotone, so it could swing for ever.
	if old := f.in[b]; old != nil && retreating {
		acc := old.fork()
		if f.joinInto(acc, in) {
			changed = true
		}
		in = acc
	}
	return in, changed
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
		why := f.then(nil, Step{Kind: Enter, Pos: v.Pos(), Callee: v.Name()})
		f.setReg(v, single(refs{{o: f.baseObject(root, "", v.Type(), why), why: why}}))
	}
}

func (f *frame) bindInput(v ssa.Value, root Root, name string) {
	why := f.then(nil, Step{Kind: Enter, Pos: v.Pos(), Callee: name})
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
