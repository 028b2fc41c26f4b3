package ssaflow

import (
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// maxFresh is the number of fresh objects that a summary tells apart.
const maxFresh = 24

// summarizer turns the end of a frame into a summary.
type summarizer struct {
	f     *frame
	sum   *Summary
	end   *state
	fresh map[*object]int
	// class holds the representative of each fresh object: objects that are reached by the same paths are told as one.
	class map[*object]*object
	same  map[*object][]*object
	queue []*object
	funcs map[*object]int
	// children are those of deep objects; see childrenOf.
	children map[*object][]child
}

// child is what the place of an object at a path refers to as long as nothing is stored there.
type child struct {
	path string
	o    *object
}

// summarize returns what a caller can observe of the function.
func (f *frame) summarize() *Summary {
	z := &summarizer{f: f, sum: &Summary{Name: funcName(f.fn), Where: f.e.where(f.fn), bound: isBound(f.fn), fset: f.e.cfg.Fset, pkg: f.e.home},
		fresh: map[*object]int{}, funcs: map[*object]int{}}
	if !f.e.cfg.Terse {
		z.names()
	}
	z.sum.Effects = f.effects.sorted()
	z.sum.Flags = f.flags
	z.sum.NoReturn = len(f.returns) == 0
	z.sum.Recovers = f.recovers == doesRecover || f.recoversFor
	n := f.fn.Signature.Results().Len()
	joined := make([]value, n)
	for _, x := range f.returns {
		if z.end == nil {
			z.end = x.st.fork()
		} else {
			f.joinInto(z.end, x.st)
		}
		for i := range joined {
			joined[i] = joined[i].join(x.results[i])
		}
	}
	if z.end == nil {
		z.end = &state{}
	}
	z.classify(joined)
	z.sum.Results = z.results(joined, nil)
	for _, x := range f.returns {
		if !f.e.cfg.Terse {
			z.sum.Returns = append(z.sum.Returns, z.oneReturn(x))
		}
	}
	sort.SliceStable(z.sum.Returns, func(i, j int) bool { return z.sum.Returns[i].Pos < z.sum.Returns[j].Pos })
	for _, s := range f.slots {
		row := SlotRow{Callee: z.ref(s.callee), Method: s.method, Func: s.fn, Name: s.name, Pos: s.pos, way: s.way, Always: s.always, Repeats: s.repeats}
		for _, a := range s.args {
			row.Args = append(row.Args, z.leaves(a, nil))
		}
		z.sum.Slots = append(z.sum.Slots, row)
	}
	z.stores()
	for i := range z.sum.Returns {
		if r := &z.sum.Returns[i]; !z.apart() {
			r.Stores = z.sum.Stores
		}
	}
	return z.sum
}

// apart reports whether return statements are told one by one: what is reached by equal paths from two of them is different memory,
// and memory has at each of them a state of its own.
func (z *summarizer) apart() bool { return len(z.f.returns) > 1 && !z.f.e.cfg.FactsOnly }

// oneReturn tells of one return statement.
func (z *summarizer) oneReturn(x exit) Return {
	last := &Step{Kind: Returned, Pos: x.pos}
	if !z.apart() {
		return Return{Pos: x.pos, Results: z.results(x.results, last)}
	}
	own := &summarizer{f: z.f, sum: &Summary{}, end: x.st, fresh: map[*object]int{}, funcs: map[*object]int{}, children: z.children}
	r := Return{Pos: x.pos, Results: own.results(x.results, last)}
	own.stores()
	r.Stores = own.sum.Stores
	return r
}

func (z *summarizer) names() {
	z.sum.names = map[Root]string{}
	for i, p := range z.f.fn.Params {
		z.sum.names[Root{Kind: Param, Index: i}] = p.Name()
	}
	for i, v := range z.f.fn.FreeVars {
		z.sum.names[Root{Kind: FreeVar, Index: i}] = v.Name()
	}
}

func (z *summarizer) results(vals []value, last *Step) [][]Leaf {
	out := make([][]Leaf, len(vals))
	for i, v := range vals {
		out[i] = z.leaves(v, last)
	}
	return out
}

func (z *summarizer) leaves(v value, last *Step) []Leaf {
	var out []Leaf
	for _, l := range v {
		out = append(out, Leaf{Path: l.path, Origins: z.origins(l.refs, last)})
	}
	return out
}

func (z *summarizer) origins(rs refs, last *Step) []Origin {
	var out []Origin
	for _, r := range rs {
		o := z.origin(r, last)
		dup := false
		for _, x := range out {
			dup = dup || x.Ref.same(o.Ref) && x.View == o.View && x.age == o.age && x.via == o.via && x.Twice == o.Twice && x.MayTwice == o.MayTwice && x.short == o.short && sameType(x.dyn, o.dyn)
		}
		if !dup {
			out = append(out, o)
		}
	}
	return out
}

func (z *summarizer) origin(r ref, last *Step) Origin {
	o := Origin{Ref: z.ref(r), View: r.view, Unique: z.single(r.o) && !strings.Contains(r.path, "[]"), Deep: r.o.deep, Twice: r.twice, MayTwice: r.mayTwice, dyn: r.dyn,
		moved: r.moved, clipped: r.clipped, short: r.short, resliced: r.o.resliced, age: int(r.age), via: r.via}
	if r.o.kind == made {
		o.typ, o.boxed = r.o.ptr, r.o.boxed
	}
	if last != nil {
		o.Witness = r.why.steps(*last)
	} else {
		o.Witness = r.why.steps()
	}
	return o
}

// ref names the memory of a reference for the caller, numbering fresh objects in the order they are reached.
func (z *summarizer) ref(r ref) Ref {
	o := r.o
	switch o.kind {
	case anything:
		return Ref{}
	case entry:
		return Ref{Root: o.root, Path: o.base + r.path}
	case code:
		i, ok := z.funcs[o]
		if !ok {
			i = len(z.sum.Funcs)
			z.funcs[o] = i
			z.sum.Funcs = append(z.sum.Funcs, z.funcRow(o, -1))
		}
		return Ref{Root: Root{Kind: Func, Index: i}}
	}
	if c := z.class[o]; c != nil {
		o = c
	}
	i, ok := z.fresh[o]
	if !ok {
		if len(z.fresh) >= maxFresh {
			return Ref{}
		}
		i = len(z.fresh)
		z.fresh[o] = i
		z.queue = append(z.queue, o)
		if o.fn != nil || o.sum != nil {
			z.sum.Funcs = append(z.sum.Funcs, z.funcRow(o, i))
		}
	}
	return Ref{Root: Root{Kind: Fresh, Index: i}, Path: r.path}
}

func (z *summarizer) funcRow(o *object, fresh int) FuncRow {
	if o.fn != nil {
		return FuncRow{Name: funcName(o.fn), Object: fresh, Summary: z.f.e.done[o.fn], fn: o.fn, instance: o.instance, targs: o.targs, params: z.f.paramsOf(o.targs)}
	}
	return FuncRow{Name: o.sum.Name, Object: fresh, Summary: o.sum, targs: o.targs, params: z.f.paramsOf(o.targs)}
}

// stores tells what outside memory refers to at the end, then what the fresh memory that was reached holds.
func (z *summarizer) stores() {
	for _, o := range z.outside() {
		z.object(o, func(path string) Ref { return Ref{Root: o.root, Path: o.base + path} })
	}
	for i := range z.sum.Effects {
		e := &z.sum.Effects[i]
		e.Stored, e.stored = z.leaves(e.stored, nil), nil
	}
	for i := 0; i < len(z.queue); i++ {
		o := z.queue[i]
		n := z.fresh[o]
		z.object(o, func(path string) Ref { return Ref{Root: Root{Kind: Fresh, Index: n}, Path: path} })
	}
	for n, o := range z.queue {
		if o.deep {
			z.toldElsewhere(o, n)
		}
	}
}

func (z *summarizer) object(o *object, name func(string) Ref) {
	held := z.slotsOf(o)
	sort.Slice(held, func(i, j int) bool { return held[i].path < held[j].path })
	for _, s := range held {
		if z.f.sharesPlace(o, s, held) {
			continue
		}
		if o.kind == entry || o.deep {
			// Unchanged: only what was there on entry.
			if len(s.refs) == 1 && s.refs[0].path == "" && !s.refs[0].twice && !s.refs[0].mayTwice && s.refs[0].o == z.f.children[childKey{o, s.path}] {
				continue
			}
		} else if len(s.refs) == 0 {
			continue
		}
		row := StoreRow{Dst: name(s.path), Origins: z.origins(s.refs, nil), All: z.f.allReplaced(o, s)}
		z.sum.Stores = append(z.sum.Stores, row)
	}
}

// toldElsewhere tells which of the objects that a deep one made on demand, and still holds, were reached in another way.
func (z *summarizer) toldElsewhere(o *object, index int) {
	held := z.slotsOf(o)
	for _, c := range z.childrenOf(o) {
		named := c.o
		if class := z.class[named]; class != nil {
			named = class
		}
		if _, ok := z.fresh[named]; !ok {
			continue
		}
		if i := held.find(c.path); i < 0 || len(held[i].refs) == 1 && held[i].refs[0].o == c.o {
			z.sum.Stores = append(z.sum.Stores, StoreRow{Dst: Ref{Root: Root{Kind: Fresh, Index: index}, Path: c.path}, Origins: z.origins(refs{{o: c.o, why: c.o.why}}, nil)})
		}
	}
}

// childrenOf lists what a deep object made on demand, by path.
func (z *summarizer) childrenOf(o *object) []child {
	if z.children == nil {
		z.children = map[*object][]child{}
		for key, c := range z.f.children {
			if key.parent.kind == made && key.parent.deep {
				z.children[key.parent] = append(z.children[key.parent], child{key.path, c})
			}
		}
		for _, list := range z.children {
			slices.SortFunc(list, func(a, b child) int { return strings.Compare(a.path, b.path) })
		}
	}
	return z.children[o]
}

// text names a root without the names of the source.
func (r Root) text() string {
	switch r.Kind {
	case Param:
		return "p" + strconv.Itoa(r.Index)
	case FreeVar:
		return "f" + strconv.Itoa(r.Index)
	case Global:
		return r.Name
	case Fresh:
		return "fresh" + strconv.Itoa(r.Index)
	case SlotResult:
		return "slot" + strconv.Itoa(r.Index) + "." + strconv.Itoa(r.Result)
	case Func:
		return "func" + strconv.Itoa(r.Index)
	case TypeArg:
		return "type" + strconv.Itoa(r.Index)
	}
	return "unknown"
}

// where is the declaration of a function as file:line.
func (e *engine) where(fn *ssa.Function) string {
	if !fn.Pos().IsValid() {
		return ""
	}
	p := e.cfg.Fset.Position(fn.Pos())
	return filepath.Base(p.Filename) + ":" + strconv.Itoa(p.Line)
}

// classify groups the fresh objects by the paths that lead to them from results, outside memory and arguments of slots. Without
// that each round of a recursion would add objects of its own and no summary were stable.
func (z *summarizer) classify(results []value) {
	const maxPlaces, maxLevel = 400, 3
	places := map[*object][]string{}
	var order []*object
	count := 0
	var visit func(r ref, place string, level int, above []*object)
	visit = func(r ref, place string, level int, above []*object) {
		o := r.o
		if o.kind != made || count > maxPlaces {
			return
		}
		count++
		if places[o] == nil {
			order = append(order, o)
		}
		places[o] = append(places[o], place)
		for _, a := range above {
			if a == o {
				return
			}
		}
		held, _ := z.end.get(o)
		for _, s := range held {
			next := place
			if level < maxLevel {
				next = place + "*" + s.path
			}
			for _, x := range s.refs {
				visit(x, next, level+1, append(above[:len(above):len(above)], o))
			}
		}
	}
	for i, v := range results {
		for _, l := range v {
			for _, r := range l.refs {
				place := "r" + strconv.Itoa(i) + l.path
				if r.via.merge != 0 {
					place += fmt.Sprint(r.via)
				}
				visit(r, place, 0, nil)
			}
		}
	}
	for _, o := range z.outside() {
		held, _ := z.end.get(o)
		for _, s := range held {
			for _, r := range s.refs {
				visit(r, o.root.text()+o.base+s.path, 0, nil)
			}
		}
	}
	for i, s := range z.f.slots {
		for j, a := range s.args {
			for _, l := range a {
				for _, r := range l.refs {
					visit(r, "s"+strconv.Itoa(i)+"."+strconv.Itoa(j)+l.path, 0, nil)
				}
			}
		}
	}
	z.class, z.same = map[*object]*object{}, map[*object][]*object{}
	if count > maxPlaces {
		return
	}
	first := map[string]*object{}
	for _, o := range order {
		key := "closure" + strconv.Itoa(o.id)
		if o.fn == nil && o.sum == nil {
			p := places[o]
			sort.Strings(p)
			key = strings.Join(dedupe(p), " ") + " " + strconv.FormatBool(o.deep) + strconv.FormatBool(o.boxed)
			if o.boxed {
				key += o.ptr.String()
			}
		}
		if first[key] == nil {
			first[key] = o
		}
		c := first[key]
		z.class[o] = c
		z.same[c] = append(z.same[c], o)
	}
}

// single reports whether all objects told as one are single.
func (z *summarizer) single(o *object) bool {
	if c := z.class[o]; c != nil {
		for _, m := range z.same[c] {
			if !m.single() {
				return false
			}
		}
		return true
	}
	return o.single()
}

// slotsOf joins the slots of all objects told as one.
func (z *summarizer) slotsOf(o *object) slots {
	members := z.same[o]
	if len(members) == 0 {
		members = []*object{o}
	}
	var out slots
	for _, m := range members {
		held, _ := z.end.get(m)
		for _, s := range held {
			if len(z.f.slots) > 0 {
				s.refs = z.f.withoutLeft(m, s.path, s.refs)
			}
			s.path = younger(s.path)
			if i := out.find(s.path); i >= 0 {
				out[i].refs = out[i].refs.union(s.refs)
			} else {
				out = append(out, s)
			}
		}
	}
	return out
}

// outside lists the entry objects that were stored to, in a fixed order.
func (z *summarizer) outside() []*object {
	var list []*object
	for _, o := range z.f.objects {
		if o.kind == entry && !o.opaque {
			if held, ok := z.end.get(o); ok && len(held) > 0 {
				list = append(list, o)
			}
		}
	}
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i], list[j]
		if x, y := a.root.text(), b.root.text(); x != y {
			return x < y
		}
		return a.base < b.base
	})
	return list
}
