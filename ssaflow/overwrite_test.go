package ssaflow

import (
	"fmt"
	"strings"
	"testing"
)

const collections = "package p\n\nimport (\n\"hop\"\n\"maps\"\n\"slices\"\n)\n\ntype T = hop.T\n\ntype S struct{ H, C *T }\n\ntype W struct { L []*T; A [3]*T }\n\nvar _, _ = maps.Clone[map[int]int], slices.Clone[[]int]\n\n"

// A loop that stores an element in every round of a count through all leaves none of the old ones.
func TestLoopsThatOverwriteAll(t *testing.T) {
	w := newWorld(t)
	w.model.std = true
	for i, r := range []row{
		{"array", `func f(c [2]*T) [2]*T { for i := range c { c[i] = c[i].Clone() }; return c }`, "pure"},
		{"array, value and index", `func f(c [2]*T) [2]*T { for i, t := range c { c[i] = t.Clone() }; return c }`, "pure"},
		{"long array", `func f(c [20]*T) [20]*T { for i := range c { c[i] = c[i].Clone() }; return c }`, "pure"},
		{"array in a struct", `func f(w W) W { for i := range w.A { w.A[i] = w.A[i].Clone() }; w.L = nil; return w }`, "pure"},
		{"array through a pointer", `func f(c [2]*T) [2]*T { p := &c; for i := range p { p[i] = p[i].Clone() }; return *p }`, "pure"},
		{"array written later", `func f(c [2]*T) { for i := range c { c[i] = c[i].Clone() }; for i := range c { c[i].Zero() } }`, "pure"},
		{"slice of an array", `func f(c [2]*T) [2]*T { s := c[:]; for i := range s { s[i] = s[i].Clone() }; return c }`, "pure"},
		{"slices.Clone", `func f(l []*T) []*T { n := slices.Clone(l); for i := range n { n[i] = n[i].Clone() }; return n }`, "pure"},
		{"slices.Clone, range over an integer", `func f(l []*T) []*T { n := slices.Clone(l); for i := range len(n) { n[i] = n[i].Clone() }; return n }`, "pure"},
		{"append to nil", `func f(l []*T) []*T { n := append([]*T(nil), l...); for i, t := range n { n[i] = t.Clone() }; return n }`, "pure"},
		{"append to an empty literal", `func f(l []*T) []*T { n := append([]*T{}, l...); for i, t := range n { n[i] = t.Clone() }; return n }`, "pure"},
		{"make and copy", `func f(l []*T) []*T { n := make([]*T, len(l)); copy(n, l); for i := 0; i < len(n); i++ { n[i] = n[i].Clone() }; return n }`, "pure"},
		{"make and copy, the other length", `func f(l []*T) []*T { n := make([]*T, len(l)); copy(n, l); for i := range l { n[i] = l[i].Clone() }; return n }`, "pure"},
		{"make and copy of a constant length", `func f(l []*T) []*T { n := make([]*T, 4); copy(n, l); for i := range 4 { n[i] = hop.Zeros(1) }; return n }`, "pure"},
		{"maps.Clone", `func f(m map[string]*T) map[string]*T { n := maps.Clone(m); for k := range n { n[k] = n[k].Clone() }; return n }`, "pure"},
		{"maps.Clone, key and value", `func f(m map[string]*T) map[string]*T { n := maps.Clone(m); for k, t := range n { n[k] = t.Clone() }; return n }`, "pure"},
		{"map of integers", `func f(m map[int]*T) map[int]*T { n := maps.Clone(m); for k, t := range n { n[k] = t.Clone() }; return n }`, "pure"},
		{"field of a struct", `func f(w W) W { w.L = slices.Clone(w.L); for i := range w.L { w.L[i] = w.L[i].Clone() }; w.A = [3]*T{}; return w }`, "pure"},
		{"field of a struct, tested anew", `func f(w W) W { w.L = slices.Clone(w.L); for i := 0; i < len(w.L); i++ { w.L[i] = w.L[i].Clone() }; w.A = [3]*T{}; return w }`, "pure"},
		{"both fields of the elements", `func f(l []S) []S { n := slices.Clone(l); for i := range n { n[i].H = n[i].H.Clone(); n[i].C = n[i].C.Clone() }; return n }`, "pure"},
		{"elements that are structs", `func f(l []S) []S { n := slices.Clone(l); for i, s := range n { n[i] = S{s.H.Clone(), s.C.Clone()} }; return n }`, "pure"},
		{"elements of an array that are structs", `func f(l [2]S) [2]S { for i, s := range l { l[i] = S{s.H.Clone(), s.C.Clone()} }; return l }`, "pure"},
		{"in two loops", `func f(l []S) []S { n := slices.Clone(l); for i := range n { n[i].H = n[i].H.Clone() }; for i := range n { n[i].C = n[i].C.Clone() }; return n }`, "pure"},
		{"map of structs", `func f(m map[string]S) map[string]S { n := maps.Clone(m); for k, s := range n { s.H, s.C = s.H.Clone(), s.C.Clone(); n[k] = s }; return n }`, "pure"},
		{"in every round of a loop", `func f(l []*T, k int) []*T { n := slices.Clone(l); for range k { for i := range n { n[i] = n[i].Clone() } }; return n }`, "returns []=fresh|l[]"},
		{"in every round of a loop that is run", `func f(l []*T) []*T { n := slices.Clone(l); for range 3 { for i := range n { n[i] = n[i].Clone() } }; return n }`, "pure"},
		{"made in every round", `func f(l []*T, k int) (n []*T) { for range k { n = slices.Clone(l); for i := range n { n[i] = n[i].Clone() } }; return n }`, "pure"},
		{"branch within", `func f(l []*T, b bool) []*T { n := slices.Clone(l); for i := range n { if b { n[i] = n[i].Clone() } else { n[i] = hop.Zeros(1) } }; return n }`, "pure"},
		{"switch within", `func f(l []*T, k int) []*T { n := append([]*T{}, l...); for i := range n { switch { case i%2 == 0: n[i] = n[i].Clone(); case k > 2: n[i] = hop.Zeros(1); default: n[i] = hop.Zeros(2) } }; return n }`, "pure"},
		{"before continue", `func f(l []*T) []*T { n := slices.Clone(l); for i, t := range n { if i == 0 { n[i] = hop.Zeros(1); continue }; n[i] = t.Clone() }; return n }`, "pure"},
		{"branch within, field", `func f(w W, b bool) W { w.L = slices.Clone(w.L); for i := range w.L { if b { w.L[i] = w.L[i].Clone() } else { w.L[i] = hop.Zeros(1) } }; w.A = [3]*T{}; return w }`, "pure"},
		{"branch within, map", `func f(m map[string]*T, b bool) map[string]*T { n := maps.Clone(m); for k, t := range n { if b { n[k] = t.Clone(); continue }; n[k] = hop.Zeros(1) }; return n }`, "pure"},
		{"the length of the original", `func f(l []*T) []*T { n := slices.Clone(l); for i := range l { n[i] = l[i].Clone() }; return n }`, "pure"},
		{"value of the original", `func f(l []*T) []*T { n := append(l[:0:0], l...); for i, t := range l { n[i] = t.Clone() }; return n }`, "pure"},
		{"the length of the original, in a struct", `func f(w W) W { var o W; o.L = slices.Clone(w.L); for i := range w.L { o.L[i] = w.L[i].Clone() }; return o }`, "pure"},
		{"backwards", `func f(l []*T) []*T { n := slices.Clone(l); for i := len(n) - 1; i >= 0; i-- { n[i] = n[i].Clone() }; return n }`, "pure"},
		{"backwards, the length of the original", `func f(l []*T) []*T { n := slices.Clone(l); for i := len(l) - 1; i >= 0; i-- { n[i] = l[i].Clone() }; return n }`, "pure"},
		{"branch of the value", `func f(l []*T, b bool) []*T { n := slices.Clone(l); for i := range n { t := n[i].Clone(); if b { t = t.Add(t) }; n[i] = t }; return n }`, "pure"},
		{"constant indices after a loop", `func f(c [2]*T, i int) [2]*T { c[i] = c[1-i]; c[0], c[1] = c[0].Clone(), c[1].Clone(); return c }`, "pure"},
		{"panics otherwise", `func f(l []*T) []*T { n := slices.Clone(l); for i := range n { if n[i] == nil { panic("nil") }; n[i] = n[i].Clone() }; return n }`, "pure"},
		{"inner loop within the round", `func f(l []*T, k int) []*T { n := slices.Clone(l); for i := range n { t := n[i].Clone(); for range k { t = t.Add(n[i]) }; n[i] = t }; return n }`, "pure"},

		{"branch without a store", `func f(l []*T, b, c bool) []*T { n := slices.Clone(l); for i := range n { if b { n[i] = n[i].Clone() } else if c { n[i] = hop.Zeros(1) } }; return n }`, "returns []=fresh|l[]"},
		{"branches of two slices", `func f(l []*T, b bool) []*T { n, m := slices.Clone(l), slices.Clone(l); for i := range n { if b { n[i] = n[i].Clone() } else { m[i] = hop.Zeros(1) } }; return n }`, "returns []=fresh|l[]"},
		{"branch to another index", `func f(l []*T, b bool) []*T { n := slices.Clone(l); for i := range n { if b { n[i] = n[i].Clone() } else { n[0] = hop.Zeros(1) } }; return n }`, "returns []=fresh|l[]"},
		{"the length of another that is assigned", `func f(l, m []*T) []*T { n := slices.Clone(l); l = m; for i := range l { n[i] = l[i].Clone() }; return n }`, "returns []=fresh|l[]"},
		{"the length of a field that is assigned", `func f(w W, m []*T) W { var o W; o.L = slices.Clone(w.L); w.L = m; for i := range w.L { o.L[i] = w.L[i].Clone() }; return o }`, "returns .L[]=fresh|w.L[]"},
		{"backwards to the second", `func f(l []*T) []*T { n := slices.Clone(l); for i := len(n) - 1; i >= 1; i-- { n[i] = n[i].Clone() }; return n }`, "returns [0]=l[]"},
		{"backwards from the last but one", `func f(l []*T) []*T { n := slices.Clone(l); for i := len(n) - 2; i >= 0; i-- { n[i] = n[i].Clone() }; return n }`, "returns []=fresh|l[]"},
		{"backwards by two", `func f(l []*T) []*T { n := slices.Clone(l); for i := len(n) - 1; i >= 0; i -= 2 { n[i] = n[i].Clone() }; return n }`, "returns []=fresh|l[]"},
		{"longer than the original", `func f(l []*T, x *T) []*T { n := append(slices.Clone(l), x); for i := range l { n[i] = l[i].Clone() }; return n }`, "returns []=fresh|l[]|x"},
		{"break", `func f(l []*T, b bool) []*T { n := slices.Clone(l); for i := range n { if b { break }; n[i] = n[i].Clone() }; return n }`, "returns []=fresh|l[]"},
		{"break behind the store", `func f(l []*T, b bool) []*T { n := slices.Clone(l); for i := range n { n[i] = n[i].Clone(); if b { break } }; return n }`, "returns []=fresh|l[]"},
		{"continue", `func f(l []*T, b bool) []*T { n := slices.Clone(l); for i := range n { if b { continue }; n[i] = n[i].Clone() }; return n }`, "returns []=fresh|l[]"},
		{"return within", `func f(l []*T, b bool) []*T { n := slices.Clone(l); for i := range n { if b { return n }; n[i] = n[i].Clone() }; return nil }`, "returns []=fresh|l[]"},
		{"recovered within", `func f(l []*T) (n []*T) { defer func() { recover() }(); n = slices.Clone(l); for i := range n { n[i] = n[i].Clone() }; return n }`, "returns []=fresh|l[]"},
		{"the second element first", `func f(l []*T) []*T { n := slices.Clone(l); for i := 1; i < len(n); i++ { n[i] = n[i].Clone() }; return n }`, "returns [0]=l[]"},
		{"each second element", `func f(l []*T) []*T { n := slices.Clone(l); for i := 0; i < len(n); i += 2 { n[i] = n[i].Clone() }; return n }`, "returns []=fresh|l[]"},
		{"counted twice", `func f(l []*T) []*T { n := slices.Clone(l); for i := 0; i < len(n); i++ { n[i] = n[i].Clone(); i++ }; return n }`, "returns []=fresh|l[]"},
		{"all but the last", `func f(l []*T) []*T { n := slices.Clone(l); for i := range len(n) - 1 { n[i] = n[i].Clone() }; return n }`, "returns []=fresh|l[]"},
		{"the length of another", `func f(l, m []*T) []*T { n := slices.Clone(l); for i := range m { n[i] = m[i].Clone() }; return n }`, "returns []=fresh|l[]"},
		{"fewer than the array has", `func f(c [3]*T) [3]*T { for i := range 2 { c[i] = c[i].Clone() }; return c }`, "returns [0]=c[0]|fresh; returns [1]=c[1]|fresh; returns [2]=c[2]|fresh"},
		{"the rest of a slice", `func f(l []*T) []*T { n := slices.Clone(l); m := n[1:]; for i := range m { m[i] = m[i].Clone() }; return n }`, "returns []=fresh|l[]"},
		{"the front of a slice", `func f(l []*T, k int) []*T { n := slices.Clone(l); m := n[:k]; for i := range m { m[i] = m[i].Clone() }; return n }`, "returns []=fresh|l[]"},
		{"the front of an array", `func f(c [2]*T) [2]*T { m := c[:1]; for i := range m { m[i] = m[i].Clone() }; return c }`, "returns [0]=c[0]|fresh; returns [1]=c[1]|fresh"},
		{"behind the length", `func f(l []*T, x *T) []*T { n := make([]*T, len(l), 9); m := append(n, x); for i := range n { n[i] = hop.Zeros(1) }; return m }`, "returns []=fresh|x; returns []=fresh|x; shares []~[]"},
		{"up to the capacity", `func f(l []*T, x *T) []*T { n := make([]*T, 1, 9); m := n[:cap(n)]; m[5] = x; for i := range n { n[i] = hop.Zeros(1) }; return m }`, "returns []=fresh|x"},
		{"up to the capacity, by a helper", `func g(n []*T) []*T { return n[:cap(n)] }; func f(l []*T, x *T) []*T { n := make([]*T, len(l), 9); m := g(n); m[5] = x; for i := range n { n[i] = hop.Zeros(1) }; return m }`, "returns []=fresh|x"},
		{"old elements moved", `func f(l []*T) []*T { n := slices.Clone(l); for i := range n { n[0], n[i] = n[i], n[i].Clone() }; return n }`, "returns [0]=fresh|l[]"},
		{"old elements moved by a helper", `func g(n []*T, i int) { n[0] = n[i] }; func f(l []*T) []*T { n := slices.Clone(l); for i := range n { g(n, i); n[i] = n[i].Clone() }; return n }`, "returns []=fresh|l[]"},
		{"old elements moved by a literal", `func f(l []*T) []*T { n := slices.Clone(l); swap := func(i, j int) { n[i], n[j] = n[j], n[i] }; for i := range n { swap(0, i); n[i] = n[i].Clone() }; return n }`, "returns []=fresh|l[]"},
		{"old elements moved by the library", `func f(l []*T) []*T { n := slices.Clone(l); for i := range n { slices.Reverse(n); n[i] = n[i].Clone() }; return n }`, "returns []=fresh|l[]"},
		{"swapped only", `func f(l []*T) []*T { n := slices.Clone(l); for i := range n { n[i] = n[len(n)-1-i] }; return n }`, "returns []=l[]"},
		{"written before", `func f(l []*T) []*T { n := slices.Clone(l); for i := range n { n[i].Zero(); n[i] = n[i].Clone() }; return n }`, "mutates{l[]}"},
		{"written in a later round", `func f(l []*T) []*T { n := slices.Clone(l); for i := range n { n[i] = n[i].Clone(); n[len(n)-1].Zero() }; return n }`, "mutates{l[]}"},
		{"one field only", `func f(l []S) []S { n := slices.Clone(l); for i := range n { n[i].H = n[i].H.Clone() }; return n }`, "returns [].C=l[].C"},
		{"one of two slices", `func f(l []*T, b bool) []*T { n, m := slices.Clone(l), slices.Clone(l); o := n; if b { o = m }; for i := range o { o[i] = o[i].Clone() }; return n }`, "returns []=fresh|l[]"},
		{"another slice in the field", `func f(w W, k int) W { w.L = slices.Clone(w.L); a := w.L; for i := range w.L { w.L[i] = w.L[i].Clone(); w.L = slices.Clone(w.L) }; w.A = [3]*T{}; w.L = a; return w }`, "returns .L[]=fresh|w.L[]"},
		{"keys that differ from themselves", `func f(m map[float64]*T) map[float64]*T { n := maps.Clone(m); for k, t := range n { n[k] = t.Clone() }; return n }`, "returns []=fresh|m[]"},
		{"keys of another map", `func f(m, o map[string]*T) map[string]*T { n := maps.Clone(m); for k, t := range o { n[k] = t.Clone() }; return n }`, "returns []=fresh|m[]"},
		{"another key", `func f(m map[string]*T) map[string]*T { n := maps.Clone(m); for k, t := range n { n[k+"'"] = t.Clone() }; return n }`, "returns []=fresh|m[]"},
		{"elements behind pointers", `func f(l []*S) *T { n := slices.Clone(l); for i := range n { n[i].H = n[i].H.Clone() }; return n[0].H }`, "stores{l[].H}; returns fresh|l[].H; keeps{fresh in l[].H}"},
		{"a slice of the caller", `func f(l []*T) []*T { for i := range l { l[i] = l[i].Clone() }; return l }`, "stores{l[]}; returns l; keeps{fresh in l[]}"},
	} {
		t.Run(r.name, func(t *testing.T) {
			res := w.analyze(t, fmt.Sprintf("o%d", i), strings.Replace(collections, "package p", fmt.Sprintf("package o%d", i), 1)+r.src)
			if got := lines(res, "f"); got != r.want {
				t.Errorf("%s\n got %s\nwant %s", r.src, got, r.want)
			}
		})
	}
}
