package ssaflow

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A loop that counts through all indices of a container made here, or all keys of a map made here (see count.go), and stores an element
// in every round, on each of its branches, leaves nothing of what the elements were before. While it runs, the old elements stand at a
// step of their own, oldStep, which overlaps with every index: what the loop reads may still be an old one, and what it stores,
// anywhere, is not among them. Where the loop ends because the indices have come to their end, the old elements are dropped; on all
// other ways out they become elements like all others.

// oldStep leads to the elements that a loop at work is going to overwrite.
const oldStep = "[<]"

// sweep is a loop that stores an element in every round of a count through all.
type sweep struct {
	head   *ssa.BasicBlock
	inside map[*ssa.BasicBlock]bool
	// end is the edge on which the count is over; skip the one around a loop that tests at its end, if there is one.
	end, skip [2]*ssa.BasicBlock
	// first is the index of the first round, bound the one behind that of the last; ranged the map, where it is no index but a key.
	first  int64
	bound  length
	ranged ssa.Value
	down   bool // the index comes around as one less
	stores []sweepStore
	// moved are the elements that stand at oldStep when the loop is entered.
	moved []sweptPlace
}

// sweepStore are the stores of a sweep of which each round makes one: to the place suffix of an element of a container, which
// containers name at each of them. Its index is shift more than that of the loop.
type sweepStore struct {
	containers []ssa.Value
	suffix     string
	shift      int64
	// before are stores to the first or last element which the loop itself does not reach.
	before []*ssa.Store
	// butFirst is true where the loop leaves the first element as it is, and that one has a place of its own.
	butFirst bool
}

// sweptPlace is the part suffix of all elements of the container at path within an object.
type sweptPlace struct {
	o            *object
	path, suffix string
	store        int
}

// findSweeps finds the loops that overwrite all elements of a container, by the form of their code; which container that is, and
// whether its elements can be told from others, is asked when the loop is interpreted.
func (f *frame) findSweeps() {
	if len(f.cyclic) == 0 {
		return
	}
	for _, head := range f.blocks {
		if !f.cyclic[head] {
			continue
		}
		var latches, entries []*ssa.BasicBlock
		for _, p := range head.Preds {
			switch {
			case !f.reachable(p) || !live(p, head):
			case f.order[p] >= f.order[head]:
				latches = append(latches, p)
			default:
				entries = append(entries, p)
			}
		}
		if len(latches) == 0 || !dominatesAll(head, latches) {
			continue
		}
		s := &sweep{head: head}
		index := f.counts(s, entries, latches)
		if index == nil {
			continue
		}
		s.inside = f.loop(head, latches)
		var found []storedAt
		for _, b := range f.blocks {
			if s.inside[b] {
				found = f.collect(s, found, b, index)
			}
		}
		s.group(found, latches)
		if len(s.stores) > 0 {
			f.sweeps = append(f.sweeps, s)
			f.rangesMaps = f.rangesMaps || s.ranged != nil
		}
	}
}

func dominatesAll(b *ssa.BasicBlock, all []*ssa.BasicBlock) bool {
	for _, x := range all {
		if !b.Dominates(x) {
			return false
		}
	}
	return true
}

// storedAt is a store to an element that a loop counts.
type storedAt struct {
	block     *ssa.BasicBlock
	container ssa.Value
	suffix    string
	shift     int64
}

// group keeps the stores to one place of one container that every round comes by, on whichever of its branches.
func (s *sweep) group(found []storedAt, latches []*ssa.BasicBlock) {
	done := make([]bool, len(found))
	for i, first := range found {
		if done[i] {
			continue
		}
		var g sweepStore
		g.suffix, g.shift = first.suffix, first.shift
		at := map[*ssa.BasicBlock]bool{}
		for j := i; j < len(found); j++ {
			if x := found[j]; x.suffix == first.suffix && x.shift == first.shift && sameVariable(x.container, first.container) {
				done[j], at[x.block] = true, true
				g.containers = append(g.containers, x.container)
			}
		}
		if !s.passes(at, latches) {
			s.stores = append(s.stores, g)
		}
	}
}

// passes reports whether a round can come around without running one of the given blocks.
func (s *sweep) passes(at map[*ssa.BasicBlock]bool, latches []*ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{}
	work := []*ssa.BasicBlock{s.head}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[b] || at[b] || !s.inside[b] {
			continue
		}
		seen[b] = true
		for _, l := range latches {
			if b == l {
				return true
			}
		}
		work = append(work, LiveSuccs(b)...)
	}
	return false
}

// collect adds the stores of a block that store to the element at index.
func (f *frame) collect(s *sweep, found []storedAt, b *ssa.BasicBlock, index ssa.Value) []storedAt {
	for _, instr := range b.Instrs {
		switch v := instr.(type) {
		case *ssa.Store:
			if _, element := v.Addr.(*ssa.IndexAddr); element && len(f.e.types.leavesOf(v.Val.Type())) == 0 {
				continue
			}
			suffix, addr := elementPart(v.Addr)
			if at, ok := addr.(*ssa.IndexAddr); ok && s.ranged == nil {
				if n, i := numberOf(at.Index), numberOf(index); n.of == i.of && n.of != nil && !n.isLen {
					found = append(found, storedAt{b, at.X, suffix, n.more - i.more})
				}
			}
		case *ssa.MapUpdate:
			if s.ranged != nil && v.Key == index {
				found = append(found, storedAt{b, v.Map, "", 0})
			}
		}
	}
	return found
}

// enterSweeps makes the elements that a loop is going to overwrite old ones, in the state that enters it.
func (f *frame) enterSweeps(st *state, head *ssa.BasicBlock) {
	for _, s := range f.sweeps {
		if s.head != head {
			continue
		}
		for i := range s.stores {
			r, ok := f.swept(s, i, func(v ssa.Value) value { return f.peek(st, v, s) })
			if !ok {
				continue
			}
			p := sweptPlace{r.o, r.path, s.stores[i].suffix, i}
			known := false
			for _, q := range s.moved {
				known = known || p == q
			}
			if !known {
				s.moved = append(s.moved, p)
			}
			f.tellElements(st, p)
			p.each(st, false, func(s slot, rest string) {
				old := p.path + oldStep + rest
				held, _ := st.get(p.o)
				if i := held.find(old); i >= 0 {
					st.set(p.o, old, held[i].refs.union(s.refs))
				} else {
					st.set(p.o, old, s.refs)
				}
				st.set(p.o, s.path, nil)
			})
		}
	}
}

// tellElements makes the elements that are made on demand, before they are to become old ones.
func (f *frame) tellElements(st *state, p sweptPlace) {
	if p.o.kind != entry && !p.o.deep {
		return
	}
	any := p.path + "[]" + p.suffix
	for _, leaf := range f.e.types.leavesOf(f.typeAt(p.o, any)) {
		for _, path := range append(f.positions(p.o, any+leaf.path), any+leaf.path) {
			if held, _ := st.get(p.o); held.find(path) < 0 {
				st.set(p.o, path, f.initial(p.o, path, leaf.typ))
			}
		}
	}
}

// younger is a path on which old elements are elements like all others.
func younger(path string) string {
	if !strings.Contains(path, oldStep) {
		return path
	}
	return strings.ReplaceAll(path, oldStep, "[]")
}

// each calls visit with the elements that the place stands for, the old or all other ones, and with their paths behind the index.
func (p sweptPlace) each(st *state, old bool, visit func(s slot, rest string)) {
	held, _ := st.get(p.o)
	for _, s := range held {
		tail, ok := strings.CutPrefix(s.path, p.path)
		if !ok || len(s.refs) == 0 {
			continue
		}
		step, rest := cutStep(tail)
		if step == "" || step[0] != '[' || step == keyStep || old != (step == oldStep) {
			continue
		}
		if behind, ok := strings.CutPrefix(rest, p.suffix); ok && (behind == "" || behind[0] == '.' || behind[0] == '[') {
			visit(s, rest)
		}
	}
}

// peek is the value of an operand as the state that enters a loop gives it: addresses and variables within the loop are followed.
func (f *frame) peek(st *state, v ssa.Value, s *sweep) value {
	instr, ok := v.(ssa.Instruction)
	if !ok || !s.inside[instr.Block()] {
		return f.getIn(v, s.head)
	}
	switch v := v.(type) {
	case *ssa.FieldAddr:
		if p, ok := v.X.Type().Underlying().(*types.Pointer); ok {
			if u, ok := p.Elem().Underlying().(*types.Struct); ok {
				return single(extend(f.peek(st, v.X, s).at(""), fieldStep(u, v.Field)))
			}
		}
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return f.loadValue(st, f.peek(st, v.X, s).at(""), v.Type())
		}
	}
	return nil
}

// swept returns the one container whose elements the stores of a sweep overwrite, all of them, when there is such a one. The values of
// operands are given by get.
func (f *frame) swept(s *sweep, store int, get func(ssa.Value) value) (ref, bool) {
	var r ref
	for i, container := range s.stores[store].containers {
		one, ok := wholeContainer(get(container).at(""))
		if !ok || one.o.at != nil && s.inside[one.o.at] || i > 0 && (one.o != r.o || one.path != r.path) {
			return one, false
		}
		if r = one; !f.sweptBy(s, store, container, r, get) {
			return r, false
		}
	}
	return r, true
}

// sweptBy reports whether the count of a sweep reaches all elements of a container, but for the first and the last one where these are
// stored to next to the loop.
func (f *frame) sweptBy(s *sweep, store int, container ssa.Value, r ref, get func(ssa.Value) value) bool {
	if s.ranged != nil {
		of, ok := wholeContainer(get(s.ranged).at(""))
		return ok && (of.o == r.o && of.path == r.path || f.sameKeys(s, r, of))
	}
	g := &s.stores[store]
	g.butFirst = false
	missing, ok := f.missing(s.bound.plus(g.shift), container, r, get)
	if !ok || missing > 1 || s.first+g.shift > 1 {
		return false
	}
	if missing <= 0 && s.first+g.shift <= 0 {
		return true
	}
	if f.storedBeside(s, g, container, r, get, ends{s.first+g.shift == 1, missing == 1}) {
		return true
	}
	g.before, g.butFirst = nil, missing <= 0 && (f.shortArray(r.o, r.path) || f.tellsApart(r, 0))
	return g.butFirst
}

// missing returns how many elements of a container stand at or behind an index.
func (f *frame) missing(end length, container ssa.Value, r ref, get func(ssa.Value) value) (n int64, ok bool) {
	if p, ok := container.Type().Underlying().(*types.Pointer); ok {
		a, isArray := p.Elem().Underlying().(*types.Array)
		in, _ := underlying(f.typeAt(r.o, r.path)).(*types.Array)
		return lengthOf(container, 0) - end.more, isArray && in != nil && in.Len() == a.Len() && end.of == nil
	}
	all := []length{lengthIn(container)}
	from := clonedFrom(r)
	if from != nil {
		all = append(all, lengthIn(from))
	}
	if m, ok := r.o.by.(*ssa.MakeSlice); ok && r.path == "" {
		all = append(all, numberOf(m.Len))
	}
	for _, l := range all {
		if l.of == end.of && l.isLen == end.isLen {
			return l.more - end.more, true
		}
		if l.isLen && end.isLen && sameContent(l.of, end.of) && from != nil {
			return l.more - end.more, true
		}
	}
	if end.isLen {
		of, ok := wholeContainer(get(end.of).at(""))
		return -end.more, ok && of.o == r.o && of.path == r.path
	}
	return 0, false
}

// clonedFrom is the slice that a container made here is a copy of, of the same length: slices.Clone and append to nothing make such;
// nil if it is none.
func clonedFrom(r ref) ssa.Value {
	call, ok := r.o.by.(*ssa.Call)
	if !ok || r.path != "" {
		return nil
	}
	if b, ok := call.Call.Value.(*ssa.Builtin); ok {
		if b.Name() == "append" && len(call.Call.Args) == 2 && isEmptySlice(call.Call.Args[0]) {
			return call.Call.Args[1]
		}
		return nil
	}
	if !isLibrary(call, "slices", "Clone") {
		return nil
	}
	return call.Call.Args[0]
}

// isEmptySlice reports whether a slice certainly has no elements.
func isEmptySlice(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Const:
		return v.IsNil()
	case *ssa.ChangeType:
		return isEmptySlice(v.X)
	case *ssa.Slice:
		return v.High != nil && isZero(v.High) || lengthOf(v, 0) == 0
	}
	return false
}

// sameContent reports whether two values are one, or are read from one place of a variable that is never written again.
func sameContent(a, b ssa.Value) bool {
	if a == nil || b == nil || !sameVariable(a, b) {
		return false
	}
	for a != b {
		switch v := a.(type) {
		case *ssa.UnOp:
			a, b = v.X, b.(*ssa.UnOp).X
		case *ssa.FieldAddr:
			a, b = v.X, b.(*ssa.FieldAddr).X
		}
	}
	for {
		switch v := a.(type) {
		case *ssa.FieldAddr:
			a = v.X
		case *ssa.Alloc:
			return writtenOnce(v)
		default:
			_, address := a.Type().Underlying().(*types.Pointer)
			return !address
		}
	}
}

// writtenOnce reports whether a variable is only stored to as a whole, once, and else read.
func writtenOnce(cell *ssa.Alloc) bool {
	stores := 0
	var reads func(addr ssa.Value) bool
	reads = func(addr ssa.Value) bool {
		for _, user := range *addr.Referrers() {
			switch user := user.(type) {
			case *ssa.DebugRef:
			case *ssa.UnOp:
			case *ssa.FieldAddr:
				if !reads(user) {
					return false
				}
			case *ssa.Store:
				if user.Addr != ssa.Value(cell) {
					return false
				}
				stores++
			default:
				return false
			}
		}
		return true
	}
	return reads(cell) && stores == 1
}

// wholeContainer returns the only reference of a set, when it leads to the beginning of one object whose elements no slice of another
// length tells apart: it was made here, or is what a parameter or a captured variable leads to, of which the caller knows whether it
// is all of its own.
func wholeContainer(rs refs) (ref, bool) {
	if len(rs) != 1 {
		return ref{}, false
	}
	r := rs[0]
	ok := (r.o.kind == made || r.o.kind == entry && r.o.root.Kind != Global) && r.o.fn == nil && !r.o.opaque && r.o.unique() && !r.o.resliced &&
		!r.moved && !r.short && !strings.Contains(r.path, "[")
	return r, ok
}

// leaveLoops returns the state on an edge as it is behind the loops that the edge leaves.
func (f *frame) leaveLoops(st *state, p, b *ssa.BasicBlock) *state {
	if st == nil {
		return nil
	}
	key := [2]*ssa.BasicBlock{p, b}
	var out *state
	for i := len(f.sweeps) - 1; i >= 0; i-- { // inner loops first
		s := f.sweeps[i]
		if len(s.moved) == 0 || key != s.skip && (!s.inside[p] || s.inside[b]) {
			continue
		}
		if was, ok := f.left[key]; ok && was[0] == st {
			return was[1]
		}
		if out == nil {
			out = st.fork()
		}
		for _, place := range s.moved {
			r, ok := f.swept(s, place.store, f.get)
			over := (ok || !f.reachedBoth(s, place.store)) && (key == s.end || key == s.skip) && (!ok || r.o == place.o && r.path == place.path)
			place.leave(out, over, key == s.skip, &s.stores[place.store])
			if over {
				f.leaveBefore(out, place, &s.stores[place.store])
			}
		}
	}
	if out == nil {
		return st
	}
	f.left[key] = [2]*state{st, out}
	return out
}

// reachedBoth reports whether the container of a store, and what the bound is the length of, have values by now.
func (f *frame) reachedBoth(s *sweep, store int) bool {
	for _, v := range append([]ssa.Value{s.bound.of, s.ranged}, s.stores[store].containers...) {
		if v == nil {
			continue
		}
		if instr, ok := v.(ssa.Instruction); ok && s.inside[instr.Block()] && f.regs[v] == nil {
			return false
		}
	}
	return true
}

// leave ends the time in which elements are old: they are dropped, or elements like all others, or in the first element. Where the loop
// was not entered since there are no elements, none are left.
func (p sweptPlace) leave(st *state, over, none bool, g *sweepStore) {
	step := "[]"
	if over && g.butFirst {
		step, none = "[0]", false
	}
	p.each(st, true, func(s slot, rest string) {
		st.set(p.o, s.path, nil)
		if over && !g.butFirst {
			return
		}
		held, _ := st.get(p.o)
		path := p.path + step + rest
		if i := held.find(path); i >= 0 {
			st.set(p.o, path, held[i].refs.union(s.refs))
		} else {
			st.set(p.o, path, s.refs)
		}
	})
	if over && none {
		p.each(st, false, func(s slot, _ string) { st.set(p.o, s.path, nil) })
	}
}

// stir makes old elements of objects elements like others, where somebody may move elements about who tells the new ones only.
func (f *frame) stir(st *state, rs refs) {
	for _, r := range rs {
		held, _ := st.get(r.o)
		for _, s := range held {
			if path := younger(s.path); path != s.path && len(s.refs) > 0 {
				now, _ := st.get(r.o)
				if i := now.find(path); i >= 0 {
					st.set(r.o, path, now[i].refs.union(s.refs))
				} else {
					st.set(r.o, path, s.refs)
				}
			}
		}
	}
}

// reslice notes that slices of several lengths lead to one object: a loop through the elements of one of them need not reach all.
func (f *frame) reslice(rs refs) {
	for _, r := range rs {
		if r.o.kind != anything && !r.o.resliced {
			r.o.resliced = true
			f.grew = true
		}
	}
}
