package ssaflow

import (
	"fmt"
	"strings"
)

// merges finds the parameters of a call that certainly lead to one object.
func (f *frame) merges(t target) (map[rootKey]rootKey, string) {
	type place struct {
		o    *object
		path string
	}
	first := map[place]rootKey{}
	merged := map[rootKey]rootKey{}
	var key strings.Builder
	note := func(k rootKey, rs refs) {
		if len(rs) != 1 || rs[0].o.opaque || !rs[0].o.unique() || rs[0].o.kind == code || strings.Contains(rs[0].path, "[]") {
			return
		}
		at := place{rs[0].o, rs[0].path}
		if to, ok := first[at]; ok {
			merged[k] = to
			fmt.Fprintf(&key, "%s%s=%s%s ", k.root.text(), k.base, to.root.text(), to.base)
			return
		}
		first[at] = k
	}
	for i, a := range t.args {
		for _, l := range a {
			note(rootKey{Root{Kind: Param, Index: i}, l.path + "*"}, l.refs)
		}
	}
	for i, b := range t.binds {
		for _, l := range b {
			if t.sum.bound {
				note(rootKey{Root{Kind: FreeVar, Index: i}, l.path + "*"}, l.refs)
			} else {
				note(rootKey{Root{Kind: FreeVar, Index: i}, ""}, l.refs)
			}
		}
	}
	return merged, key.String()
}

// specialised returns the summary of a callee whose arguments lead to one object, from its body. It answers false when none do,
// or when there is no body to look at.
func (f *frame) specialised(t target) (*Summary, bool) {
	if t.fn == nil || len(t.fn.Blocks) == 0 {
		return nil, false
	}
	merged, key := f.merges(t)
	if len(merged) == 0 {
		return nil, false
	}
	u := f.e.units[t.fn]
	if u == nil || u.active {
		return nil, false
	}
	key = t.fn.String() + " " + key
	if s, ok := f.e.special[key]; ok {
		return s, s != nil
	}
	f.e.special[key] = nil // recursion through the specialised body falls back
	s := f.e.analyze(t.fn, merged, nil)
	f.e.special[key] = s
	return s, true
}

// mayOverlap reports whether two arguments can lead to one object with slots.
func (f *frame) mayOverlap(t target) bool {
	seen := map[*object]int{}
	for i, v := range append(append([]value(nil), t.args...), t.binds...) {
		for _, l := range v {
			for _, r := range l.refs {
				if r.o.opaque || r.o.kind == anything || r.o.kind == code {
					continue
				}
				if j, ok := seen[r.o]; ok && j != i {
					return true
				}
				seen[r.o] = i
			}
		}
	}
	return false
}
