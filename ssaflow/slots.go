package ssaflow

import (
	"fmt"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// slotCall is a call that only the caller of the function can resolve.
type slotCall struct {
	index   int
	callee  ref
	method  string
	fn      *types.Func
	name    string
	pos     token.Pos
	way     []Step
	args    []value
	st      *state
	always  bool
	repeats bool
}

const maxSlots = 8

// leaveToCaller notes a slot and makes its results.
func (f *frame) leaveToCaller(st *state, site callSite, callee ref, method string, m *types.Func, args []value, res []types.Type, name string) ([]value, bool) {
	key := siteKey{site.instr, site.tag + "|" + method + callee.o.base + callee.o.root.text()}
	s := f.slotAt[key]
	if s == nil {
		s = f.sameSlot(callee, method, args)
		f.slotAt[key] = s
	}
	if s == nil {
		if len(f.slots) >= maxSlots {
			f.flag(Unresolved, name, site.pos)
			return f.applyTop(st, site, name, args, res), true
		}
		b := site.instr.Block()
		s = &slotCall{index: len(f.slots), callee: callee, method: method, fn: m, name: name, pos: f.atCall(site), way: site.outer,
			repeats: f.cyclic[b], always: f.dominatesReturns(b) && site.tag == ""}
		f.slotAt[key] = s
		f.slots = append(f.slots, s)
	}
	s.args = append(s.args, make([]value, max(0, len(args)-len(s.args)))...)
	for i, a := range args {
		s.args[i] = s.args[i].join(a)
		f.keep(st, a.all())
	}
	// What the function may do to memory made here is not known before the caller resolves it.
	f.disturb(st, args)
	f.mayRun(st, site, args, func(i, p int, leaf leafType) refs {
		why := f.then(nil, Step{Kind: Made, Pos: f.at(site.pos), Callee: name})
		o := f.rootObject(givenRoot(s.index, i, p), leaf.path, leaf.typ, why)
		o.many = true
		return refs{{o: o, why: why}}
	})
	out := make([]value, len(res))
	for i, t := range res {
		why := f.then(nil, Step{Kind: Made, Pos: f.at(site.pos), Callee: name})
		for _, leaf := range f.e.types.leavesOf(t) {
			o := f.rootObject(Root{Kind: SlotResult, Index: s.index, Result: i}, leaf.path, leaf.typ, why)
			o.many = o.many || s.repeats
			out[i] = append(out[i], leafRefs{leaf.path, refs{{o: o, why: why}}})
		}
	}
	return out, true
}

// sameSlot finds the slot of an earlier call that the caller resolves in the same way: of the same function with the same
// arguments, or of the same function when there are many calls of it. One row then stands for both.
func (f *frame) sameSlot(callee ref, method string, args []value) *slotCall {
	const apart = 2
	calls := 0
	for _, s := range f.slots {
		if s.callee.o != callee.o || s.callee.path != callee.path || s.method != method {
			continue
		}
		calls++
		same := len(s.args) == len(args)
		for i := range args {
			same = same && sameValue(s.args[i], args[i])
		}
		if same || calls == apart {
			s.repeats = true
			return s
		}
	}
	return nil
}

// disturb makes the pointer slots of local memory reachable from values hold unknown memory as well. What the caller puts there when it
// resolves the slot it knows by itself: that a place may hold what was put in that place is not told.
func (f *frame) disturb(st *state, args []value) {
	seen := map[*object]bool{}
	var visit func(rs refs)
	visit = func(rs refs) {
		for _, r := range rs {
			if seen[r.o] || r.o.kind != made || r.o.opaque || r.o.fn != nil {
				continue
			}
			seen[r.o] = true
			f.stir(st, refs{r})
			held, _ := st.get(r.o)
			for _, s := range held {
				visit(s.refs)
			}
			st.update(r.o, func(s slot) refs {
				if len(s.refs) == 0 {
					return s.refs
				}
				return s.refs.union(refs{{o: f.leftAt(r.o, s.path), why: r.why}})
			})
		}
	}
	for _, a := range args {
		visit(a.all())
	}
}

// leftAt is the object that stands for what a slot puts at a path of local memory: nothing is known of it here.
func (f *frame) leftAt(o *object, path string) *object {
	key := childKey{o, "<" + path}
	c := f.children[key]
	if c == nil {
		c = f.newObject(&object{kind: anything, parent: o, base: path})
		f.children[key] = c
	}
	return c
}

// withoutLeft are the references at a place but for what a slot put there.
func (f *frame) withoutLeft(o *object, path string, rs refs) refs {
	for i, r := range rs {
		if r.o.kind == anything && r.o.parent == o && r.o.base == path {
			return append(rs[:i:i], f.withoutLeft(o, path, rs[i+1:])...)
		}
	}
	return rs
}

// dominatesReturns reports whether every way to a return statement passes through b.
func (f *frame) dominatesReturns(b *ssa.BasicBlock) bool {
	for _, x := range f.blocks {
		if _, ok := x.Instrs[len(x.Instrs)-1].(*ssa.Return); ok && !b.Dominates(x) {
			return false
		}
	}
	return true
}

// mayRun joins the state with what the functions among the arguments do to it when the callee calls them. It returns their effects
// on memory of this function's caller: those that can be told for certain are told elsewhere.
//
// What they are given is told by given: of argument i, parameter p.
func (f *frame) mayRun(st *state, site callSite, args []value, given func(i, p int, leaf leafType) refs) []Effect {
	if site.depth > 2 {
		return nil
	}
	var found []Effect
	for i, a := range args {
		for j, r := range a.all() {
			if r.o.fn == nil || len(r.o.fn.FreeVars) == 0 || len(r.o.fn.Blocks) == 0 {
				continue
			}
			kept, flags, flagged, slots := f.effects, f.flags, f.flagged, len(f.slots)
			f.effects.reset()
			f.flagged = map[flagKey]bool{}
			with := st.fork()
			var params []value
			var types []types.Type
			for k, p := range r.o.fn.Params {
				var v value
				for _, leaf := range f.e.types.leavesOf(p.Type()) {
					v = append(v, leafRefs{leaf.path, given(i, k, leaf)})
				}
				params = append(params, v)
				types = append(types, p.Type())
			}
			t := f.closureTarget(with, r.o, params, types)
			s := site.sub(fmt.Sprintf("m%d.%d.", i, j))
			if _, returns := f.apply(with, s, t, tupleTypes(r.o.fn.Signature.Results())); returns {
				f.joinInto(st, with)
			}
			found = append(found, f.effects.list...)
			f.effects, f.flags, f.flagged, f.flagKeys = kept, flags, flagged, f.flagKeys[:len(flags)]
			f.forget(slots)
		}
	}
	return found
}

// A function that hands a literal to a slot does not know what the literal is called with. The caller does, once it has resolved
// the slot: for it, such an argument is a further result of the slot.
const (
	firstGiven = 64
	maxGiven   = 16 // parameters of one literal
)

// givenRoot is what argument i of a slot, a literal, is called with as parameter p.
func givenRoot(slot, i, p int) Root {
	return Root{Kind: SlotResult, Index: slot, Result: firstGiven + i*maxGiven + min(p, maxGiven-1)}
}

// given notes what a function of this frame is called with.
func (f *frame) given(o *object, args []value) {
	if o.kind != made || len(args) == 0 {
		return
	}
	known := f.calledWith[o]
	if known == nil {
		known = make([]value, len(args))
		if f.calledWith == nil {
			f.calledWith = map[*object][]value{}
		}
		f.calledWith[o] = known
	}
	for i := range min(len(args), len(known)) {
		known[i] = known[i].join(args[i])
	}
}

// forget drops the slots that were made after the first n.
func (f *frame) forget(n int) {
	for _, s := range f.slots[n:] {
		for k, x := range f.slotAt {
			if x == s {
				delete(f.slotAt, k)
			}
		}
	}
	f.slots = f.slots[:n]
}
