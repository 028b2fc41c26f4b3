package ssaflow

import (
	"go/token"
	"go/types"
	"sort"
	"strings"
)

// effectKey tells effects apart: one for each operation, kind and memory.
type effectKey struct {
	ref  Ref
	kind EffectKind
	op   string
	pos  token.Pos
}

// effectSet keeps effects in order of discovery.
type effectSet struct {
	list []Effect
	pos  []token.Pos
	seen map[effectKey]int
}

func (s *effectSet) reset() { s.list, s.pos, s.seen = nil, nil, map[effectKey]int{} }

// rewind forgets all but the first n effects.
func (s *effectSet) rewind(n int) {
	for i, e := range s.list[n:] {
		delete(s.seen, keyOf(e, s.pos[n+i]))
	}
	s.list, s.pos = s.list[:n], s.pos[:n]
	if s.seen == nil {
		s.seen = map[effectKey]int{}
	}
}

func keyOf(e Effect, pos token.Pos) effectKey {
	k := effectKey{e.Ref, e.Kind, e.Op, pos}
	k.ref.Root.Global = nil
	return k
}

// sorted returns the effects by the position of the operation in this function.
func (s *effectSet) sorted() []Effect {
	order := make([]int, len(s.list))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return s.pos[order[i]] < s.pos[order[j]] })
	out := make([]Effect, len(order))
	for i, n := range order {
		out[i] = s.list[n]
	}
	return out
}

func (s *effectSet) add(e Effect, pos token.Pos) {
	k := keyOf(e, pos)
	if i, ok := s.seen[k]; ok {
		s.list[i].stored = s.list[i].stored.join(e.stored)
		s.list[i].Told = s.list[i].Told && e.Told
		s.list[i].Below = s.list[i].Below || e.Below
		return
	}
	s.seen[k] = len(s.list)
	s.list = append(s.list, e)
	s.pos = append(s.pos, pos)
}

// changed records that an operation at pos changes the locations at path within to. The steps after the reference's own way are
// tail, or the write itself when tail is nil.
func (f *frame) changed(to refs, path string, kind EffectKind, op string, pos token.Pos, tail []Step) {
	f.changedTo(to, path, kind, op, pos, tail, stored{})
}

// stored is what an operation puts somewhere, if that is told, and whether several operations are told as one.
type stored struct {
	val         value
	told, below bool
}

// changedTo is changed where it is known what is put there.
func (f *frame) changedTo(to refs, path string, kind EffectKind, op string, pos token.Pos, tail []Step, put stored) {
	for _, r := range to {
		o := r.o
		if o.kind == anything && !r.why.handed() {
			f.flag(Blind, op, pos, tail...)
		}
		if o.kind != entry || o.root.Kind == Global && stdVariable(o.root.Name) == nowhere {
			continue
		}
		e := Effect{Ref: Ref{Root: o.root, Path: o.base + r.path + path}, Kind: kind, Op: op, Definite: kind != Unseen, stored: put.val, Told: put.told, Below: put.below}
		switch {
		case kind == Unseen:
			e.Ref.Path = o.base + r.path
		case o.opaque || o.collapsed && kind == Write:
			e.Kind, e.Ref.Path = Write, o.base
		case kind == Store && !strings.Contains(e.Ref.Path, "*") && o.root.Kind != Param && o.base == "":
			e.Kind = Rebind
		case kind == Rebind && strings.Contains(e.Ref.Path, "*"):
			e.Kind = Store
		}
		steps := tail
		if steps == nil {
			last := Written
			if kind == Unseen {
				last = Handed
			}
			steps = []Step{{Kind: last, Pos: f.at(pos), Callee: op}}
		}
		if e.Witness = steps[:len(steps):len(steps)]; !f.e.cfg.Terse {
			e.Witness = r.why.steps(steps...)
		}
		e.Witness = f.ended(e.Witness)
		f.effects.add(e, pos)
	}
}

// at is the position of an operation; wrappers have none of their own, so that the call of the wrapper is told instead.
func (f *frame) at(pos token.Pos) token.Pos {
	if f.wrapper() {
		return token.NoPos
	}
	return pos
}

// wrapper reports whether the function is one that the compiler made around a method or instance.
func (f *frame) wrapper() bool { return isWrapper(f.fn) }

// flag records an effect on the outside world.
func (f *frame) flag(kind FlagKind, op string, pos token.Pos, tail ...Step) {
	if f.flagged == nil {
		f.flagged = map[flagKey]bool{}
	}
	k := flagKey{kind, pos, op}
	if f.flagged[k] {
		return
	}
	f.flagged[k] = true
	if tail == nil {
		tail = []Step{{Kind: Did, Pos: f.at(pos), Callee: op}}
	}
	f.flagKeys = append(f.flagKeys, k)
	f.flags = append(f.flags, Flag{Kind: kind, Op: op, Witness: f.ended(tail)})
}

// unset is the places in local memory that can hold references and hold none yet. Those of what came from outside are made on demand.
func (f *frame) unset(held slots, r ref) (list []string) {
	if r.o.kind != made || r.o.ptr == nil || r.path != "" {
		return nil
	}
	add := func(step string, t types.Type) {
		for _, leaf := range f.e.types.leavesOf(t) {
			p := step + leaf.path
			if at := held.find(p); at < 0 || len(held[at].refs) == 0 {
				list = append(list, p)
			}
		}
	}
	switch t := r.o.ptr.Underlying().(type) {
	case *types.Pointer:
		if !f.e.types.isOpaque(t.Elem()) {
			add("", t.Elem())
		}
	case *types.Slice:
		add("[]", t.Elem())
	case *types.Map:
		add("[]", t.Elem())
		add(keyStep, t.Key())
	}
	return list
}

// unseen hands everything that values lead to to code that cannot be seen: memory from outside is reported, local memory may
// hold anything afterwards.
func (f *frame) unseen(st *state, args []value, op string, pos token.Pos, tail []Step, told bool) {
	seen := map[*object]bool{}
	var visit func(r ref)
	visit = func(r ref) {
		if seen[r.o] {
			return
		}
		seen[r.o] = true
		f.keep(st, refs{r})
		f.changed(refs{r}, "", Unseen, op, pos, tail)
		if r.o.kind == anything || r.o.kind == code || r.o.opaque {
			return
		}
		f.stir(st, refs{r})
		f.noteUpdate(f.block.Instrs[len(f.block.Instrs)-1], refs{r})
		why := r.why
		if told {
			why = why.then(Step{Kind: Handed, Pos: f.at(pos), Callee: op})
		}
		held, _ := st.get(r.o)
		for _, s := range held {
			for _, x := range s.refs {
				visit(x)
			}
		}
		st.update(r.o, func(s slot) refs {
			if strings.HasPrefix(s.path, "#") || len(s.refs) == 0 {
				return s.refs
			}
			return s.refs.union(f.unknown(why))
		})
		for _, path := range f.unset(held, r) {
			st.set(r.o, path, f.unknown(why))
		}
	}
	for _, a := range args {
		for _, l := range a {
			for _, r := range l.refs {
				visit(r)
			}
		}
	}
}

// changedBelow records that some of the memory which references lead to is changed, it is not known which.
func (f *frame) changedBelow(st *state, from refs, op string, pos token.Pos, tail []Step) {
	for _, r := range f.behind(st, from) {
		if r.o.kind == entry {
			f.changed(refs{r}, "", Unseen, op, pos, tail)
		}
	}
}

// holds reports whether one of some references, which a generic callee took for indivisible objects, leads to memory made here that
// holds such objects: to a list or map that its type parameter stands for. What an interface holds was told apart by its type.
func (f *frame) holds(rs refs) bool {
	for _, r := range rs {
		if r.o.kind != made || r.o.opaque || r.o.deep || r.o.boxed || r.dyn != nil || r.o.ptr == nil {
			continue
		}
		container := r.o.ptr.Underlying()
		if p, ok := container.(*types.Pointer); ok {
			container = p.Elem().Underlying()
		}
		switch c := container.(type) {
		case *types.Slice, *types.Array, *types.Map:
			if len(f.e.types.leavesOf(c.(interface{ Elem() types.Type }).Elem())) > 0 {
				return true
			}
		}
	}
	return false
}

// objectsIn are the indivisible objects that references lead to, through memory made here however deep. Of memory that was there on
// entry the container stands for what it holds.
func (f *frame) objectsIn(st *state, from refs) refs {
	var out refs
	for _, r := range from {
		if !f.holds(refs{r}) {
			out = out.union(refs{r})
			continue
		}
		for _, x := range f.behind(st, refs{r}) {
			if !f.holds(refs{x}) {
				out = out.union(refs{x})
			}
		}
	}
	return out
}

// behind are the references in the memory that references lead to.
func (f *frame) behind(st *state, from refs) (list refs) {
	seen := map[*object]bool{}
	for _, r := range from {
		seen[r.o] = true
	}
	for work := from; len(work) > 0; {
		r := work[len(work)-1]
		work = work[: len(work)-1 : len(work)-1]
		held, _ := st.get(r.o)
		for _, s := range held {
			for _, x := range s.refs {
				if !seen[x.o] {
					seen[x.o] = true
					list, work = append(list, x), append(work, x)
				}
			}
		}
		f.spend(1 + len(held))
	}
	return list
}
