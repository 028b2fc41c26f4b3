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
	s.args = make([]value, len(args))
	for i, a := range args {
		s.args[i] = s.joinArg(i, a)
		f.keep(st, a.all())
	}
	s.st = st.fork()
	// What the function may do to memory made here is not known before the caller resolves it.
	f.disturb(st, args)
	f.mayRun(st, site, args)
	out := make([]value, len(res))
	for i, t := range res {
		why := (*witness)(nil).then(Step{Kind: Made, Pos: f.at(site.pos), Callee: name})
		for _, leaf := range f.e.types.leavesOf(t) {
			o := f.rootObject(Root{Kind: SlotResult, Index: s.index, Result: i}, leaf.path, leaf.typ, why)
			o.many = o.many || s.repeats
			out[i] = append(out[i], leafRefs{leaf.path, refs{{o: o, why: why}}})
		}
	}
	return out, true
}

func (s *slotCall) joinArg(i int, v value) value {
	if i < len(s.args) {
		return s.args[i].join(v)
	}
	return v
}

// disturb makes the pointer slots of local memory reachable from values hold unknown memory as well.
func (f *frame) disturb(st *state, args []value) {
	seen := map[*object]bool{}
	var visit func(rs refs)
	visit = func(rs refs) {
		for _, r := range rs {
			if seen[r.o] || r.o.kind != made || r.o.opaque || r.o.fn != nil {
				continue
			}
			seen[r.o] = true
			held, _ := st.get(r.o)
			for _, s := range held {
				visit(s.refs)
				if len(s.refs) > 0 {
					st.set(r.o, s.path, s.refs.union(f.unknown(r.why)))
				}
			}
		}
	}
	for _, a := range args {
		visit(a.all())
	}
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
func (f *frame) mayRun(st *state, site callSite, args []value) []Effect {
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
			t := f.closureTarget(with, r.o, nil, nil)
			for _, p := range r.o.fn.Params {
				var v value
				for _, leaf := range f.e.types.leavesOf(p.Type()) {
					v = append(v, leafRefs{leaf.path, f.unknown(nil)})
				}
				t.args = append(t.args, v)
				t.types = append(t.types, p.Type())
			}
			s := site.sub(fmt.Sprintf("m%d.%d.", i, j))
			if _, returns := f.apply(with, s, t, tupleTypes(r.o.fn.Signature.Results())); returns {
				f.joinInto(st, with)
			}
			found = append(found, f.effects.list...)
			f.effects, f.flags, f.flagged = kept, flags, flagged
			f.forget(slots)
		}
	}
	return found
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
