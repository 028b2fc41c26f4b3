package ssaflow

import (
	"go/constant"
	"go/token"
	"go/types"
	"strconv"

	"golang.org/x/tools/go/ssa"
)

// step interprets one instruction and reports whether control goes on.
func (f *frame) step(st *state, instr ssa.Instruction) bool {
	if f.recovers != neverRecovers && canPanic(instr) {
		f.mayPanic(st)
	}
	switch v := instr.(type) {
	case *ssa.Alloc:
		f.alloc(st, v, "", v.Type(), "")
	case *ssa.MakeMap, *ssa.MakeChan:
		f.alloc(st, v.(ssa.Value), "", v.(ssa.Value).Type(), "")
	case *ssa.MakeSlice:
		f.alloc(st, v, "", v.Type(), "")
		if sameIndex(v.Len, v.Cap) {
			f.setReg(v, single(f.get(v).at("").marked(func(r *ref) { r.clipped = true })))
		}
	case *ssa.Phi:
		f.phi(st, v)
	case *ssa.UnOp:
		f.unop(st, v)
	case *ssa.ChangeType:
		f.setReg(v, f.retype(st, v, f.get(v.X), v.X.Type(), v.Type()))
	case *ssa.ChangeInterface:
		f.setReg(v, f.get(v.X))
	case *ssa.Convert:
		f.convert(st, v, v.X)
	case *ssa.MultiConvert:
		f.convert(st, v, v.X)
	case *ssa.SliceToArrayPointer:
		f.setReg(v, f.get(v.X))
	case *ssa.MakeInterface:
		f.makeInterface(st, v)
	case *ssa.TypeAssert:
		f.typeAssert(st, v)
	case *ssa.MakeClosure:
		f.makeClosure(st, v)
	case *ssa.Slice:
		f.slice(v)
	case *ssa.FieldAddr:
		f.fieldAddr(v)
	case *ssa.Field:
		s := v.X.Type().Underlying().(*types.Struct)
		f.setReg(v, f.get(v.X).below(fieldStep(s, v.Field)))
	case *ssa.IndexAddr:
		f.indexAddr(v)
	case *ssa.Index:
		if _, ok := v.X.Type().Underlying().(*types.Array); ok {
			f.setReg(v, f.get(v.X).below(constIndex(v.Index, v.X.Type())))
		} else {
			f.setReg(v, nil)
		}
	case *ssa.Lookup:
		f.lookup(st, v)
	case *ssa.Range:
		f.setReg(v, f.get(v.X))
	case *ssa.Next:
		f.next(st, v)
	case *ssa.Extract:
		if r := f.regs[v.Tuple]; r != nil && v.Index < len(r.tuple) {
			f.setReg(v, r.tuple[v.Index])
		} else {
			f.setReg(v, nil)
		}
	case *ssa.Select:
		f.goOn(st, v.Block())
		f.selectStmt(st, v)
	case *ssa.Store:
		to := f.get(v.Addr).at("")
		f.changedTo(to, "", Store, "store", position(v), nil, stored{val: f.get(v.Val), told: true})
		if len(f.e.types.leavesOf(v.Val.Type())) == 0 {
			break
		}
		f.noteStored(st, v)
		f.copied(v)
		f.storeValue(st, to, v.Val.Type(), f.ownElements(st, v, to, f.placed(v, f.variesIn(v.Addr, v.Block()), to, f.get(v.Val))))
	case *ssa.MapUpdate:
		m := f.get(v.Map).at("")
		f.changedTo(m, "[]", Store, "store", position(v), nil, stored{val: f.get(v.Value), told: true})
		f.noteUpdate(v, m)
		to := f.elements(st, m, v.Key)
		f.storeValue(st, to, v.Value.Type(), f.ownElements(st, v, to, f.placed(v, f.computedAnew(v.Key, v.Block()), to, f.get(v.Value))))
		f.storeAt(st, m, keyStep, v.Key.Type(), f.get(v.Key))
	case *ssa.Send:
		f.goOn(st, v.Block())
		ch := f.get(v.Chan).at("")
		f.flag(Channel, "send", position(v))
		f.changedTo(ch, "[]", Store, "send", position(v), nil, stored{val: f.get(v.X), told: true})
		f.storeAt(st, ch, "[]", v.X.Type(), f.get(v.X))
	case *ssa.Call:
		if len(f.started) > 0 && f.waits(&v.Call) {
			f.goOn(st, v.Block())
		}
		returns := f.call(st, v)
		f.mayPanic(st) // after what the callee did
		return returns
	case *ssa.Go:
		f.flag(Goroutine, "go", position(v))
		for _, a := range v.Call.Args {
			f.keep(st, f.get(a).all())
		}
		f.start(v)
		// The caller goes on before, while and after the goroutine runs.
		with := st.fork()
		f.invoke(with, v, &v.Call, "")
		f.joinInto(st, with)
	case *ssa.Defer:
		if defersElsewhere(v) {
			f.redo(st, true, "", func(st *state) { f.invoke(st, v, &v.Call, "") }) // the function around asks again where it ends
			break
		}
		f.noteDefer(v)
	case *ssa.RunDefers:
		f.goOn(st, v.Block())
		f.runDefers(st, v.Block())
	case *ssa.Return:
		f.ret(st, v)
		return false
	case *ssa.Panic:
		f.runDefers(st.fork(), v.Block())
		return false
	}
	return true
}

// position is the instruction's position, or that of the nearest operand that has one.
func position(instr ssa.Instruction) token.Pos {
	if p := instr.Pos(); p.IsValid() {
		return p
	}
	for _, op := range instr.Operands(nil) {
		if *op != nil {
			if p := (*op).Pos(); p.IsValid() {
				if _, ok := (*op).(ssa.Instruction); ok {
					return p
				}
			}
		}
	}
	return token.NoPos
}

func (f *frame) storeAt(st *state, to refs, path string, typ types.Type, v value) {
	f.storeValue(st, extend(to, path), typ, v)
}

// extend returns references to an inline part of what the given ones refer to.
func extend(rs refs, path string) refs {
	if path == "" {
		return rs
	}
	out := make(refs, len(rs))
	for i, r := range rs {
		if !r.o.opaque && r.o.kind != anything && !r.o.collapsed {
			r.path += path
		}
		r.dyn, r.moved = nil, false
		out[i] = r
	}
	return out
}

// alloc gives a value its own object; each execution starts from nothing as long as the last one's object is out of reach.
func (f *frame) alloc(st *state, v ssa.Value, tag string, ptr types.Type, callee string) *object {
	why := f.then(nil, Step{Kind: Made, Pos: v.Pos(), Callee: callee})
	o := f.site(v, tag, ptr, why)
	if _, ok := st.get(o); !ok || o.unique() {
		st.put(o, nil)
	}
	f.setReg(v, single(refs{{o: o, why: why}}))
	return o
}

func (f *frame) phi(st *state, v *ssa.Phi) {
	b := v.Block()
	var sides []value
	for i, p := range b.Preds {
		if f.outTo(p, b) != nil && f.order[p] < f.order[b] {
			sides = append(sides, f.getOn(v.Edges[i], p, b))
		}
	}
	var out value
	for i, x := range sides {
		for _, l := range x {
			rs := l.refs
			if len(sides) > 1 && !f.cyclic[b] && !everywhere(sides, l) {
				rs = rs.through(edge{f.age(b), int32(i)})
			}
			out = out.add(l.path, rs)
		}
	}
	entered, later := out, value(nil)
	for i, p := range b.Preds {
		if f.outTo(p, b) != nil && f.order[p] >= f.order[b] {
			x := f.getOn(v.Edges[i], p, b)
			f.carry(st, x.all())
			for _, l := range x {
				out = out.add(l.path, l.refs.aged(out.at(l.path), f.age(v)))
				later = later.add(l.path, l.refs.agedWithin(entered.at(l.path), f.age(v)))
			}
		}
	}
	if f.later[b] != nil {
		f.laterVal[v] = later
	}
	f.setReg(v, out)
}

// everywhere reports whether all sides of a merge bring the same references.
func everywhere(sides []value, l leafRefs) bool {
	for _, s := range sides {
		if !s.at(l.path).equal(l.refs) {
			return false
		}
	}
	return true
}

func (f *frame) unop(st *state, v *ssa.UnOp) {
	switch v.Op {
	case token.MUL:
		if f.copiesAway(v) {
			f.flag(Unresolved, "code with a copy of "+typeName(v.Type()), position(v))
		}
		if just := f.storedJust(v); just != nil {
			f.setReg(v, f.get(just))
			break
		}
		f.setReg(v, one(f.chosen(v, f.loadValue(st, f.get(v.X).at(""), v.Type()))))
	case token.ARROW:
		f.goOn(st, v.Block())
		f.flag(Channel, channelOp("receive", f.get(v.X).at("")), position(v))
		elem := v.X.Type().Underlying().(*types.Chan).Elem()
		val := f.loadValue(st, extend(f.get(v.X).at(""), "[]"), elem)
		if v.CommaOk {
			f.setTuple(v, []value{val, nil})
		} else {
			f.setReg(v, val)
		}
	default:
		f.setReg(v, nil)
	}
}

// typeName is a type as the source of another package writes it.
func typeName(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string { return p.Name() })
}

// retype fits a value to another type of the same memory.
func (f *frame) retype(st *state, at ssa.Value, v value, from, to types.Type) value {
	a, b := f.e.types.leavesOf(from), f.e.types.leavesOf(to)
	if len(b) == 0 {
		return nil
	}
	if len(a) == len(b) {
		same := true
		for i := range a {
			same = same && a[i].path == b[i].path
		}
		if same {
			return v
		}
	}
	return f.fit(st, v, to)
}

// fit makes a value with the leaves of a type from one whose leaves are coarser or finer.
func (f *frame) fit(st *state, v value, to types.Type) value {
	var out value
	for _, leaf := range f.e.types.leavesOf(to) {
		rs := v.at(leaf.path)
		if len(rs) == 0 {
			if fine := v.below(leaf.path); len(fine) > 0 {
				rs = fine.all()
			} else {
				rs = f.coarse(st, v, leaf)
			}
		}
		if f.holds(rs) && f.e.types.isOpaque(leaf.typ) {
			rs = f.objectsIn(st, rs)
		}
		out = out.add(leaf.path, rs)
	}
	return out
}

// coarse finds a leaf within what a shorter leaf refers to, as if that were a box around the value.
func (f *frame) coarse(st *state, v value, leaf leafType) refs {
	var out refs
	for _, l := range v {
		rest, ok := cutPrefix(leaf.path, l.path)
		if !ok || rest == "" {
			continue
		}
		out = out.union(f.loadAll(st, l.refs, rest, leaf.typ))
	}
	return out
}

func (f *frame) convert(st *state, v, x ssa.Value) {
	from, to := x.Type(), v.Type()
	if isUnsafePointer(from) || isUnsafePointer(to) {
		f.flag(Unsafe, "unsafe.Pointer", v.Pos())
		if len(f.e.types.leavesOf(from)) == 0 {
			f.setReg(v, single(f.atAddress(v, x)))
			return
		}
		if f.laidOutAnew(f.get(x).at(""), to) {
			f.flag(Unresolved, "unsafe.Pointer as "+typeName(to), v.Pos())
		}
	}
	if len(f.e.types.leavesOf(to)) > 0 && len(f.e.types.leavesOf(from)) == 0 {
		f.alloc(st, v, "", to, "") // []byte(s)
		return
	}
	f.setReg(v, f.retype(st, v, f.get(x), from, to))
}

// makeInterface keeps references as they are and boxes everything else; both remember the dynamic type.
func (f *frame) makeInterface(st *state, v *ssa.MakeInterface) {
	t := v.X.Type()
	x := f.get(v.X)
	if IsReference(t) {
		var out refs
		for _, r := range x.at("") {
			if concrete(t) {
				r.dyn = t
			}
			out = append(out, r)
		}
		f.setReg(v, single(out))
		return
	}
	why := f.then(nil, Step{Kind: Made, Pos: v.Pos()})
	o := f.site(v, "", t, why)
	o.boxed, o.opaque = true, false
	if _, ok := st.get(o); !ok || o.unique() {
		st.put(o, nil)
	}
	for _, l := range x {
		st.set(o, l.path, l.refs)
	}
	f.setReg(v, single(refs{{o: o, dyn: t, why: why}}))
}

func (f *frame) typeAssert(st *state, v *ssa.TypeAssert) {
	t := v.AssertedType
	var out value
	for _, r := range f.get(v.X).at("") {
		switch {
		case !concrete(t):
			out = out.add("", refs{r})
		case r.dyn != nil && !types.Identical(r.dyn, t):
			// Another dynamic type: this reference fails the assertion.
		case IsReference(t):
			r.dyn = nil
			r.o = f.known(r.o, t)
			out = out.add("", refs{r})
		default:
			r.dyn = nil
			out = out.join(f.loadValue(st, refs{r}, t))
		}
	}
	if v.CommaOk {
		f.setTuple(v, []value{out, nil})
	} else {
		f.setReg(v, out)
	}
}

// known returns the object that an interface value leads to once its dynamic type is known to be t.
func (f *frame) known(o *object, t types.Type) *object {
	if o.kind != entry && !o.deep || o.opaque || !f.e.types.isOpaque(t) {
		return o
	}
	key := childKey{o, "(" + t.String() + ")"}
	if c, ok := f.children[key]; ok {
		return c
	}
	c := *o
	c.ptr, c.opaque = t, true
	f.newObject(&c)
	f.children[key] = &c
	return &c
}

func (f *frame) makeClosure(st *state, v *ssa.MakeClosure) {
	fn := v.Fn.(*ssa.Function)
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	o := f.alloc(st, v, "", v.Type(), "")
	o.fn, o.targs = fn, f.ownArgs()
	for i, b := range v.Bindings {
		for _, l := range f.get(b) {
			st.set(o, "#"+strconv.Itoa(i)+l.path, l.refs)
		}
	}
}

func (f *frame) slice(v *ssa.Slice) {
	if len(f.e.types.leavesOf(v.Type())) == 0 {
		f.setReg(v, nil)
		return
	}
	moved := v.Low != nil && !isZero(v.Low)
	rs := f.get(v.X).at("")
	out := make(refs, len(rs))
	_, array := v.X.Type().Underlying().(*types.Pointer)
	less := v.High != nil && !allOf(v)
	for i, r := range rs {
		r.moved, r.short = r.moved || moved, r.short || less
		switch {
		case v.Max != nil:
			r.clipped = sameIndex(v.High, v.Max) || numberOf(v.High) == numberOf(v.Max)
		case v.High != nil:
			r.clipped = array && intOf(v.High, -1) == lengthOf(v.X, 0) // make with a constant length
		case array:
			r.clipped = true // the array ends where the slice does
		}
		out[i] = r
	}
	if less {
		f.reslice(rs)
	}
	f.setReg(v, single(out))
}

// allOf reports whether a slice ends where its operand does.
func allOf(v *ssa.Slice) bool {
	if n := intOf(v.High, -1); n >= 0 && n == lengthOf(v.X, 0) {
		return true
	}
	of, ok := lenOf(v.High)
	return ok && of == v.X
}

func sameIndex(a, b ssa.Value) bool {
	if a == b {
		return true
	}
	x, ok := a.(*ssa.Const)
	y, ok2 := b.(*ssa.Const)
	return ok && ok2 && x.Value != nil && y.Value != nil && x.Value.ExactString() == y.Value.ExactString()
}

func isZero(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value != nil && c.Value.Kind() == constant.Int && constant.Sign(c.Value) == 0
}

func (f *frame) fieldAddr(v *ssa.FieldAddr) {
	p, ok := v.X.Type().Underlying().(*types.Pointer)
	if !ok {
		f.setReg(v, f.get(v.X))
		return
	}
	s, ok := p.Elem().Underlying().(*types.Struct)
	if !ok {
		f.setReg(v, f.get(v.X))
		return
	}
	f.setReg(v, single(extend(f.get(v.X).at(""), fieldStep(s, v.Field))))
}

// indexAddr tells elements apart where the object is a short array and the index a constant.
func (f *frame) indexAddr(v *ssa.IndexAddr) {
	var out refs
	for _, r := range f.get(v.X).at("") {
		step := "[]"
		if p, ok := v.X.Type().Underlying().(*types.Pointer); ok {
			if !r.moved { // an array within a longer slice
				step = constIndex(v.Index, p.Elem())
			}
		} else if n := intOf(v.Index, -1); n >= 0 && f.tellsApart(r, n) {
			step = "[" + strconv.FormatInt(n, 10) + "]"
		}
		out = append(out, extend(refs{r}, step)[0])
	}
	f.setReg(v, single(out))
}

// tellsApart reports whether element n of a slice has a place of its own: of a whole local array, as those of literals and of variadic
// calls are, of a slice made here, and of the arguments that a variadic function is given.
func (f *frame) tellsApart(r ref, n int64) bool {
	if r.moved || n >= maxArray {
		return false
	}
	switch r.o.kind {
	case made:
		if p := pointerType(r.o.ptr); p != nil {
			t := walkType(p.Elem(), r.path)
			if t == nil {
				return false
			}
			a, ok := t.Underlying().(*types.Array)
			return ok && a.Len() <= maxArray && n < a.Len()
		}
		return ownElements(r) && r.path == ""
	case entry:
		s := f.fn.Signature
		return r.o.root.Kind == Param && r.o.root.Index == len(f.fn.Params)-1 && s.Variadic() && r.o.base == "*" && r.path == "" && !r.o.collapsed
	}
	return false
}

// constantStep returns the index of a step like "[3]".
func constantStep(step string) (n int64, ok bool) {
	if len(step) < 3 || step[0] != '[' || step[1] < '0' || step[1] > '9' {
		return 0, false
	}
	n, err := strconv.ParseInt(step[1:len(step)-1], 10, 64)
	return n, err == nil
}

// elementIn is extend by a path of a callee, which may tell elements apart that the caller does not.
func (f *frame) elementIn(rs refs, path string) refs {
	step, rest := cutStep(path)
	n, constant := constantStep(step)
	if !constant {
		return extend(rs, path)
	}
	out := make(refs, 0, len(rs))
	for _, r := range rs {
		own := path
		// Of an entry, and of what has no type, nothing is known that would be told apart in another way.
		if t := f.typeAt(r.o, r.path); r.moved {
			own = "[]" + rest
		} else if _, array := underlying(t).(*types.Array); !array && t != nil && r.o.kind != entry && !f.tellsApart(r, n) {
			own = "[]" + rest
		}
		out = append(out, extend(refs{r}, own)[0])
	}
	return out
}

// underlying is the underlying type of a type that may be unknown.
func underlying(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	return t.Underlying()
}

func pointerType(t types.Type) *types.Pointer {
	if t == nil {
		return nil
	}
	p, _ := t.Underlying().(*types.Pointer)
	return p
}

// constIndex is the path step of an index into a value of array type t.
func constIndex(i ssa.Value, t types.Type) string {
	if t == nil {
		return "[]"
	}
	a, ok := t.Underlying().(*types.Array)
	if !ok || a.Len() > maxArray {
		return "[]"
	}
	c, ok := i.(*ssa.Const)
	if !ok || c.Value == nil {
		return "[]"
	}
	n, ok := constant.Int64Val(constant.ToInt(c.Value))
	if !ok || n < 0 || n >= a.Len() {
		return "[]"
	}
	return "[" + strconv.FormatInt(n, 10) + "]"
}

func (f *frame) lookup(st *state, v *ssa.Lookup) {
	m, ok := v.X.Type().Underlying().(*types.Map)
	if !ok {
		f.setReg(v, nil)
		return
	}
	var val value
	if just := f.updatedJust(v); just != nil {
		val = f.get(just)
	} else {
		val = one(f.loadValue(st, f.elements(st, f.get(v.X).at(""), v.Index), m.Elem()))
	}
	if v.CommaOk {
		f.setTuple(v, []value{val, nil})
	} else {
		f.setReg(v, val)
	}
}

func (f *frame) next(st *state, v *ssa.Next) {
	rng, ok := v.Iter.(*ssa.Range)
	if !ok || v.IsString {
		f.setTuple(v, []value{nil, nil, nil})
		return
	}
	m, ok := rng.X.Type().Underlying().(*types.Map)
	if !ok {
		f.setTuple(v, []value{nil, nil, nil})
		return
	}
	from := f.get(rng.X).at("")
	f.setTuple(v, []value{nil, f.loadValue(st, extend(from, keyStep), m.Key()), one(f.loadValue(st, extend(from, "[]"), m.Elem()))})
}

// channelOp is the name of an operation on channels. On channels made in the function it has one of its own: nobody else need be
// waited for.
func channelOp(name string, channels refs) string {
	for _, r := range channels {
		if r.o.kind != made {
			return name
		}
	}
	return name + " own"
}

func (f *frame) selectStmt(st *state, v *ssa.Select) {
	var all refs
	for _, s := range v.States {
		all = all.union(f.get(s.Chan).at(""))
	}
	f.flag(Channel, channelOp("select", all), position(v))
	tuple := []value{nil, nil}
	for _, s := range v.States {
		ch := f.get(s.Chan).at("")
		elem := s.Chan.Type().Underlying().(*types.Chan).Elem()
		if s.Dir == types.RecvOnly {
			tuple = append(tuple, f.loadValue(st, extend(ch, "[]"), elem))
			continue
		}
		f.changedTo(ch, "[]", Store, "send", s.Pos, nil, stored{val: f.get(s.Send), told: true})
		// Only one case of the statement happens, so what was there stays possible.
		other := st.fork()
		f.storeAt(other, ch, "[]", elem, f.get(s.Send))
		f.joinInto(st, other)
	}
	f.setTuple(v, tuple)
}

func (f *frame) ret(st *state, v *ssa.Return) {
	x := exit{pos: v.Pos(), st: st}
	f.goOn(st, v.Block())
	f.runDeferredOut(st)
	for _, r := range v.Results {
		val := f.get(r)
		if load, ok := r.(*ssa.UnOp); ok && load.Op == token.MUL && len(f.deferring) > 0 {
			val = val.join(f.loadValue(st, f.get(load.X).at(""), r.Type())) // a named result that was changed at last
		}
		x.results = append(x.results, val)
	}
	f.returns = append(f.returns, x)
}
