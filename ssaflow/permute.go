package ssaflow

import (
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Callees know no positions: what they do to the elements of a slice, array or map that they are given is told of any element. A
// callee that sorts, reverses, shuffles or swaps stores nothing that was not there, so that no row of its summary says what became
// of which element. Where a caller does tell elements apart, each of them may hold afterwards what any of them held.

// isOrder reports whether a function of the standard library puts elements in another order and does nothing else to them: what stood
// in one element stands in one element afterwards.
func isOrder(fn *ssa.Function) bool {
	if fn.Pkg == nil {
		return false
	}
	switch fn.Pkg.Pkg.Path() + "." + fn.Name() {
	case "sort.Slice", "sort.SliceStable", "slices.Reverse", "slices.Sort", "slices.SortFunc", "slices.SortStableFunc":
		return true
	}
	return false
}

// moves reports whether the callee only puts elements in another order.
func (f *frame) moves(t *target) bool {
	return t.fn != nil && (isOrder(t.fn) || f.e.swaps(t.fn, 0))
}

// swaps reports whether all that a function does to elements is to swap two of one container, itself or in functions that it calls.
func (e *engine) swaps(fn *ssa.Function, depth int) bool {
	found := false
	for _, b := range fn.Blocks {
		var stores []*ssa.Store
		for _, instr := range b.Instrs {
			switch v := instr.(type) {
			case *ssa.MapUpdate, *ssa.Defer, *ssa.Go:
				return false
			case *ssa.Store:
				if _, element := v.Addr.(*ssa.IndexAddr); !element {
					if _, local := v.Addr.(*ssa.Alloc); local {
						continue
					}
					return false
				}
				stores = append(stores, v)
			case ssa.CallInstruction:
				switch callee := v.Common().StaticCallee(); {
				case e.leavesElements(v.Common()):
				case callee != nil && depth < 2 && e.swaps(callee, depth+1):
					found = true
				default:
					return false
				}
			}
		}
		switch {
		case len(stores) == 0:
		case len(stores) == 2 && exchange(stores[0], stores[1]):
			found = true
		default:
			return false
		}
	}
	return found
}

// leavesElements reports whether a call stores nothing to memory that it is given, what it leaves to the caller apart.
func (e *engine) leavesElements(c *ssa.CallCommon) bool {
	if b, ok := c.Value.(*ssa.Builtin); ok {
		return b.Name() == "len" || b.Name() == "cap"
	}
	fn := c.StaticCallee()
	if fn == nil {
		return true
	}
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	s := e.done[fn]
	if s == nil || s.Top {
		return false
	}
	for i := range s.Effects {
		if s.Effects[i].Kind != Write {
			return false
		}
	}
	return true
}

// exchange reports whether two stores of one block swap two elements of one container.
func exchange(a, b *ssa.Store) bool {
	x, ok := a.Val.(*ssa.UnOp)
	y, ok2 := b.Val.(*ssa.UnOp)
	return ok && ok2 && x.Op == token.MUL && y.Op == token.MUL && x.Block() == a.Block() && y.Block() == a.Block() && before(y, a) &&
		oneElement(a.Addr, y.X) && oneElement(b.Addr, x.X) && sameContainer(a.Addr, b.Addr)
}

// before reports whether one instruction of a block stands before another.
func before(a, b ssa.Instruction) bool {
	for _, instr := range a.Block().Instrs {
		if instr == a {
			return true
		}
		if instr == b {
			return false
		}
	}
	return false
}

func oneElement(a, b ssa.Value) bool {
	x, ok := a.(*ssa.IndexAddr)
	y, ok2 := b.(*ssa.IndexAddr)
	return ok && ok2 && sameIndex(x.Index, y.Index) && sameContainer(a, b)
}

// sameContainer reports whether two addresses are those of elements of one container: of one value, or of one variable that is read
// twice.
func sameContainer(a, b ssa.Value) bool {
	x, ok := a.(*ssa.IndexAddr)
	y, ok2 := b.(*ssa.IndexAddr)
	if !ok || !ok2 {
		return false
	}
	if x.X == y.X {
		return true
	}
	u, ok := x.X.(*ssa.UnOp)
	v, ok2 := y.X.(*ssa.UnOp)
	if !ok || !ok2 || u.Op != token.MUL || v.Op != token.MUL || u.X != v.X {
		return false
	}
	_, captured := u.X.(*ssa.FreeVar)
	return captured
}

// keepsOrder reports whether the object can have elements of which is known which stands where.
func (o *object) keepsOrder() bool {
	return o.kind != anything && o.kind != code && !o.opaque && !o.collapsed && o.fn == nil
}

// permute makes the elements that a callee changed at the given places elements of which is not known which stands where; within is
// true where the callee may change all below the places, too. The elements of what an interface holds are meant where it holds a
// slice.
func (f *frame) permute(st *state, at refs, within bool, site callSite, moves bool) {
	for _, r := range at {
		o := r.o
		if !o.keepsOrder() {
			continue
		}
		if o.boxed && within && o.ptr != nil && IsReference(o.ptr) {
			f.permute(st, f.load(st, ref{o: o}, "", nil), within, site, moves)
			continue
		}
		f.permuteWithin(st, r, within, site, moves)
	}
}

func (f *frame) permuteWithin(st *state, r ref, within bool, site callSite, moves bool) {
	o := r.o
	type group struct {
		path  string
		paths []string
	}
	var groups []group
	add := func(path, to string) {
		for i := range groups {
			if groups[i].path == to {
				groups[i].paths = append(groups[i].paths, path)
				return
			}
		}
		groups = append(groups, group{to, []string{path}})
	}
	held, _ := st.get(o)
	for _, s := range held {
		if to, ok := anyPlace(s.path, r.path, within); ok && (to != s.path || len(s.refs) > 0) {
			add(s.path, to)
		}
	}
	for _, g := range groups {
		if len(g.paths) == 1 && g.paths[0] == g.path {
			continue
		}
		var all refs
		for _, p := range g.paths {
			here, _ := st.get(o)
			all = all.union(f.repeated(f.block, here[here.find(p)].refs, all))
		}
		if o.kind == entry || o.deep {
			for _, p := range f.positions(o, g.path) {
				if held.find(p) < 0 {
					all = all.union(f.initial(o, p, nil))
				}
			}
			if held.find(g.path) < 0 {
				all = all.union(f.initial(o, g.path, nil))
			}
		}
		exact := moves && o.unique() && strings.Count(g.path, "[]") == 1 && !f.cyclic[f.block]
		if exact {
			// Nothing stays behind, and what was in one element is in one element.
			merge := f.age(siteKey{site.instr, site.tag + "~" + strconv.Itoa(o.id) + g.path})
			all = all.marked(func(r *ref) {
				if !r.twice && !r.mayTwice {
					r.via = edge{merge, anyElement}
				}
			})
			for _, p := range g.paths {
				if p != g.path {
					st.set(o, p, nil)
				}
			}
		}
		st.set(o, g.path, all)
	}
}

// positions are the places of the elements of the short array in which a path leads to any element.
func (f *frame) positions(o *object, path string) (list []string) {
	before, after, found := strings.Cut(path, "[]")
	if !found {
		return nil
	}
	t := f.typeAt(o, before)
	if t == nil {
		return nil
	}
	a, ok := t.Underlying().(*types.Array)
	if !ok || a.Len() > maxArray {
		return nil
	}
	for i := range a.Len() {
		list = append(list, before+"["+strconv.FormatInt(i, 10)+"]"+after)
	}
	return list
}

// anyPlace spells the elements on a path as any element where the changed place does, and below it where all there may change. It
// reports whether the path is, or lies below, the changed place.
func anyPlace(path, changed string, within bool) (string, bool) {
	var b strings.Builder
	some := false
	for path != "" {
		var step, c string
		step, path = cutStep(path)
		if changed != "" {
			if c, changed = cutStep(changed); !overlaps(step, c) {
				return "", false
			}
			if c == "[]" {
				step, some = c, true
			}
		} else if within && step[0] == '[' && step != keyStep {
			step, some = "[]", true
		}
		b.WriteString(step)
	}
	return b.String(), some && !strings.HasPrefix(b.String(), "#")
}
