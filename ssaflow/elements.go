package ssaflow

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Elements of short local arrays, slices and maps are told apart by constant indices and keys. All others share one place, "[]":
// that one object is seen there says nothing of how many elements hold it, so that this is kept track of where it is certain.

// maxKeys is the number of keys of one map that are told apart.
const maxKeys = 8

// ownElements reports whether the elements of what r refers to can be told apart: it is made here and has no content that is
// made on demand under another name.
func ownElements(r ref) bool {
	return r.o.kind == made && !r.o.deep && !r.o.opaque && !r.o.collapsed && !r.moved
}

// keyPath is the path step of a map element: of a constant string for a map made here, else that of any element.
func (f *frame) keyPath(st *state, r ref, key ssa.Value) string {
	c, ok := key.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.String || !ownElements(r) {
		return "[]"
	}
	text := constant.StringVal(c.Value)
	if text == "" || len(text) > 24 || strings.IndexFunc(text, notInKey) >= 0 {
		return "[]"
	}
	step := `["` + text + `"]`
	keys, last := 0, ""
	held, _ := st.get(r.o)
	for _, s := range held {
		switch {
		case !strings.HasPrefix(s.path, r.path+`["`):
		case strings.HasPrefix(s.path, r.path+step):
			return step
		default:
			if k, _ := cutStep(s.path[len(r.path):]); k != last {
				keys, last = keys+1, k
			}
		}
	}
	if keys >= maxKeys {
		return "[]"
	}
	return step
}

// notInKey tells the characters that a path cannot hold within a step.
func notInKey(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || r == ' ' || r == '/')
}

// elements are references to the map elements of the given key.
func (f *frame) elements(st *state, m refs, key ssa.Value) refs {
	out := make(refs, 0, len(m))
	for _, r := range m {
		out = append(out, extend(refs{r}, f.keyPath(st, r, key))[0])
	}
	return out
}

// chosen marks what was read from one element of a list of which the elements are one place and hold several objects: what another
// element holds is another one of them, unless it was put in twice.
func (f *frame) chosen(load *ssa.UnOp, v value) value {
	several := slices.ContainsFunc(v, func(l leafRefs) bool { return len(l.refs) > 1 && l.refs[0].o.opaque && !strings.Contains(l.path, "[]") })
	if !several {
		return v
	}
	addr := load.X
	for {
		field, ok := addr.(*ssa.FieldAddr)
		if !ok {
			break
		}
		addr = field.X
	}
	at, ok := addr.(*ssa.IndexAddr)
	if !ok {
		return v
	}
	index := indexText(at.Index)
	if index == "" {
		return v
	}
	var lists strings.Builder
	for _, r := range f.get(at.X).at("") {
		lists.WriteString(strconv.Itoa(r.o.id) + r.path + ",")
	}
	from := edge{-f.age(containerKey(lists.String())), f.age(elementKey(index))}
	out := slices.Clone(v)
	for i, l := range out {
		if len(l.refs) > 1 && !strings.Contains(l.path, "[]") {
			out[i].refs = l.refs.marked(func(r *ref) {
				if r.via == (edge{}) && !r.twice && !r.mayTwice {
					r.via = from
				}
			})
		}
	}
	return out
}

// containerKey numbers the lists of which elements are read.
type containerKey string

// indexText names an index that is a constant, or counted from the end of a list by one; it is empty for others.
func indexText(v ssa.Value) string {
	if n := intOf(v, -1); n >= 0 {
		return "[" + strconv.FormatInt(n, 10) + "]"
	}
	sub, ok := v.(*ssa.BinOp)
	if !ok || sub.Op != token.SUB {
		return ""
	}
	length, ok := sub.X.(*ssa.Call)
	n := intOf(sub.Y, -1)
	if !ok || n < 0 {
		return ""
	}
	if b, ok := length.Call.Value.(*ssa.Builtin); !ok || b.Name() != "len" {
		return ""
	}
	return "[len-" + strconv.FormatInt(n, 10) + "]"
}

// one returns a value read from one element: that its place has others of the kind is no longer of interest.
func one(v value) value {
	for i, l := range v {
		if strings.Contains(l.path, "[]") {
			continue
		}
		for _, r := range l.refs {
			if r.twice || r.mayTwice {
				v = append(value(nil), v...)
				v[i].refs = l.refs.marked(func(r *ref) { r.twice, r.mayTwice = false, false })
				break
			}
		}
	}
	return v
}

func (s refs) marked(change func(*ref)) refs {
	out := make(refs, len(s))
	for i, r := range s {
		change(&r)
		out[i] = r
	}
	return out
}

// repeated marks the references of added that are one object with one of those in kept, both in elements of one place after block
// b: certainly, or perhaps where the block is not run in every round of its loop.
func (f *frame) repeated(b *ssa.BasicBlock, added, kept refs) refs {
	out := added
	certain := !f.cyclic[b] || f.everyRound(b)
	for i, r := range added {
		if !r.o.single() || r.twice || f.cyclic[b] && f.onceFor(b, r.o) {
			continue
		}
		for _, k := range kept {
			if k.o == r.o && objectOf(Ref{Path: k.path}).same(objectOf(Ref{Path: r.path})) && k.age == r.age && !k.via.excludes(r.via) {
				if &out[0] == &added[0] {
					out = append(refs(nil), added...)
				}
				out[i].twice, out[i].mayTwice = certain, !certain
				break
			}
		}
	}
	return out
}

// spread tells the elements of a short array apart before one of them is replaced at path: what stands at any of them may then stand
// at each of the others.
func (f *frame) spread(st *state, o *object, path string) {
	if !strings.Contains(path, "[") {
		return
	}
	held, _ := st.get(o)
	for _, s := range held {
		before, after, found := strings.Cut(s.path, "[]")
		if !found || len(s.refs) == 0 || !overlaps(s.path, path) {
			continue
		}
		t := f.typeAt(o, before)
		if t == nil {
			continue
		}
		a, ok := t.Underlying().(*types.Array)
		if !ok || a.Len() > maxArray {
			continue
		}
		for i := range a.Len() {
			p := before + "[" + strconv.FormatInt(i, 10) + "]" + after
			st.set(o, p, f.there(st, o, p, nil).union(f.inElement(s.refs, p)))
		}
		st.set(o, s.path, nil)
	}
}

// elementsOf reads all elements of slices as one value; what several elements hold is marked.
func (f *frame) elementsOf(st *state, b *ssa.BasicBlock, from refs, elem leafType) refs {
	out := refs(nil)
	for _, r := range from {
		var seen []slot
		if held, _ := st.get(r.o); !r.o.opaque && r.o.kind == made {
			for _, s := range held {
				if overlaps(s.path, r.path+"[]"+elem.path) {
					seen = append(seen, s)
				}
			}
		}
		rs := f.load(st, r, "[]"+elem.path, elem.typ)
		for i := range seen {
			for j := range i {
				if !overlaps(seen[i].path, seen[j].path) {
					both := f.repeated(b, seen[i].refs, seen[j].refs)
					for _, b := range both {
						if b.twice || b.mayTwice {
							rs = rs.marked(func(r *ref) {
								same := r.o == b.o && r.age == b.age && r.via == b.via
								r.twice = r.twice || same && b.twice
								r.mayTwice = !r.twice && (r.mayTwice || same && b.mayTwice)
							})
						}
					}
				}
			}
		}
		out = out.union(rs)
	}
	return out
}

// placed is a value about to be stored through an unknown index. Where the store happens once for each object, the object is
// in one element only; where it happens in every round of a loop with another index, an object of outside is in several, and in
// some rounds, perhaps.
func (f *frame) placed(v ssa.Instruction, varies bool, to refs, val value) value {
	many := false
	for _, r := range to {
		many = many || strings.Contains(r.path, "[]")
	}
	if !many {
		return val
	}
	b := v.Block()
	always := f.everyRound(b)
	out := append(value(nil), val...)
	for i, l := range out {
		out[i].refs = l.refs.marked(func(r *ref) {
			switch {
			case !f.cyclic[b] || f.onceFor(b, r.o):
				r.via = edge{f.age(v), anyElement}
			case varies && r.o.single():
				r.twice = r.twice || always
				r.mayTwice = !r.twice
			}
		})
	}
	return out
}

// variesIn reports whether an address has an index that a loop around b computes anew.
func (f *frame) variesIn(addr ssa.Value, b *ssa.BasicBlock) bool {
	for {
		switch a := addr.(type) {
		case *ssa.FieldAddr:
			addr = a.X
		case *ssa.IndexAddr:
			if f.computedAnew(a.Index, b) {
				return true
			}
			addr = a.X
		default:
			return false
		}
	}
}

// computedAnew reports whether a loop around b computes an index or key.
func (f *frame) computedAnew(key ssa.Value, b *ssa.BasicBlock) bool {
	i, ok := key.(ssa.Instruction)
	return ok && f.cyclic[b] && f.cyclic[i.Block()]
}

// everyRound reports whether block b is run in every round of the innermost loop around it.
func (f *frame) everyRound(b *ssa.BasicBlock) bool {
	if !f.cyclic[b] {
		return false
	}
	var head *ssa.BasicBlock
	var latches []*ssa.BasicBlock
	for i := len(f.blocks) - 1; i >= 0; i-- {
		h := f.blocks[i]
		if !h.Dominates(b) || head != nil && !head.Dominates(h) {
			continue
		}
		var around []*ssa.BasicBlock
		inside := false
		for _, p := range h.Preds {
			if f.reachable(p) && live(p, h) && f.order[p] >= f.order[h] {
				around = append(around, p)
				inside = inside || f.reachesWithout(b, p, h)
			}
		}
		if inside {
			head, latches = h, around
		}
	}
	for _, l := range latches {
		if !b.Dominates(l) {
			return false
		}
	}
	return len(latches) > 0
}

// onceFor reports whether block b is run at most once for each object that the instruction of a site makes.
func (f *frame) onceFor(b *ssa.BasicBlock, o *object) bool {
	if o.at == nil || !o.multi {
		return false
	}
	if o.at == b {
		return true
	}
	for _, s := range LiveSuccs(b) {
		if s != o.at && f.reachesWithout(s, b, o.at) {
			return false
		}
	}
	return true
}

// reachesWithout reports whether control can go from a to b without passing through a third block, if there is one; a may be b.
func (f *frame) reachesWithout(a, b, without *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{}
	work := []*ssa.BasicBlock{a}
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if x == b {
			return true
		}
		if seen[x] {
			continue
		}
		seen[x] = true
		for _, s := range LiveSuccs(x) {
			if s != without {
				work = append(work, s)
			}
		}
	}
	return false
}
