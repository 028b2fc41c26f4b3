package ssaflow

import (
	"go/token"
	"slices"
	"strings"
)

// slim tells less of a function whose summary is too large for a fact: what it would store where, and what it calls for its
// caller, becomes memory that is handed to unseen code.
func slim(s *Summary) *Summary {
	out := &Summary{NoReturn: s.NoReturn, fset: s.fset, pkg: s.pkg, bound: s.bound}
	handed := map[string]bool{}
	hand := func(r Ref) {
		if k := r.Root.Kind; k != Param && k != FreeVar {
			return
		}
		if i := strings.IndexByte(r.Path, '*'); i >= 0 {
			r.Path = r.Path[:i+1]
		}
		if key := r.Root.text() + r.Path; !handed[key] {
			handed[key] = true
			out.Effects = append(out.Effects, Effect{Ref: r, Kind: Unseen, Op: s.Name})
		}
	}
	for _, e := range fewerEffects(s.Effects, nil) {
		if k := e.Ref.Root.Kind; k == Param || k == FreeVar || k == Global && e.Kind != Unseen {
			out.Effects = append(out.Effects, e)
		}
	}
	kept := map[int]bool{}
	for _, r := range s.Stores {
		hand(r.Dst)
		if r.Dst.Root.Kind == Fresh {
			kept[r.Dst.Root.Index] = true
		}
		for _, o := range r.Origins {
			hand(o.Ref)
		}
	}
	for _, sl := range s.Slots {
		hand(sl.Callee)
		for _, a := range sl.Args {
			for _, l := range a {
				for _, o := range l.Origins {
					hand(o.Ref)
				}
			}
		}
	}
	for _, leaves := range s.Results {
		var list []Leaf
		for _, l := range leaves {
			short := Leaf{Path: l.Path}
			for _, o := range l.Origins {
				if k := o.Ref.Root.Kind; k == Fresh && kept[o.Ref.Root.Index] || k == SlotResult || k == Func {
					o = Origin{}
				}
				short.Origins = append(short.Origins, o)
			}
			list = append(list, short)
		}
		out.Results = append(out.Results, list)
	}
	out.Flags = s.Flags
	if len(s.Slots) > 0 {
		out.Flags = append(out.Flags[:len(out.Flags):len(out.Flags)], Flag{Kind: Unresolved, Op: s.Name})
	}
	return out
}

// factEffects keeps one effect for each kind and place, and one for all places of a root that has too many. That a variable which
// importers cannot name is handed to unseen code need not be told where a call is unresolved anyway.
func factEffects(list []Effect, flags []Flag) []Effect {
	unresolved := slices.ContainsFunc(flags, func(f Flag) bool { return f.Kind == Unresolved })
	type group struct {
		root string
		kind EffectKind
	}
	type place struct {
		group
		path string
	}
	seen := map[place]int{}
	count := map[group]int{}
	var out []Effect
	for _, e := range list {
		g := group{e.Ref.Root.text(), e.Kind}
		if e.Kind == Unseen && (handedAbove(list, e.Ref) || unresolved && hidden(e.Ref.Root)) {
			continue // handing an object hands all that it leads to
		}
		if p := (place{g, e.Ref.Path}); seen[p] == 0 {
			count[g]++
			out = append(out, e)
			seen[p] = len(out)
		} else if e.Below {
			out[seen[p]-1].Below = true
		}
	}
	prefix := map[group]string{}
	for _, e := range out {
		g := group{e.Ref.Root.text(), e.Kind}
		if count[g] <= maxPaths {
			continue
		}
		if p, ok := prefix[g]; ok {
			prefix[g] = commonObject(p, e.Ref.Path)
		} else {
			prefix[g] = e.Ref.Path
		}
	}
	if len(prefix) == 0 {
		return out
	}
	done := map[group]bool{}
	kept := out[:0]
	for _, e := range out {
		g := group{e.Ref.Root.text(), e.Kind}
		if p, ok := prefix[g]; ok {
			if done[g] {
				continue
			}
			done[g] = true
			e.Ref.Path, e.Below = p, true
		}
		kept = append(kept, e)
	}
	return kept
}

// hidden reports whether only the package of a variable can name it.
func hidden(r Root) bool {
	if r.Kind != Global {
		return false
	}
	_, name := cutGlobal(r.Name)
	return !token.IsExported(name)
}

func handedAbove(list []Effect, r Ref) bool {
	for i := range list {
		o := list[i].Ref
		if list[i].Kind == Unseen && len(o.Path) < len(r.Path) && o.Root.same(r.Root) && strings.HasPrefix(r.Path, o.Path) {
			return true
		}
	}
	return false
}

// commonObject is the longest path of an object on the way to both paths.
func commonObject(a, b string) string {
	n, last := 0, 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
		if a[n-1] == '*' {
			last = n
		}
	}
	if n == len(a) && n == len(b) {
		return a
	}
	return a[:last]
}

// factFlags keeps one flag of each kind and operation.
func factFlags(list []Flag) []Flag {
	type key struct {
		kind FlagKind
		op   string
	}
	seen := map[key]bool{}
	var out []Flag
	for _, f := range list {
		k := key{f.Kind, f.Op}
		if f.Kind >= Unresolved {
			k.op = ""
		}
		if !seen[k] {
			seen[k] = true
			out = append(out, f)
		}
	}
	return out
}
