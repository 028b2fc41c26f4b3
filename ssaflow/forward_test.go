package ssaflow

import "testing"

// What was stored to an element just before is what is read there, through the same index and with nothing in between that could replace it.
func TestElementsReadBack(t *testing.T) {
	runRows(t, []row{
		{"list", `func f(c []*T) { n := make([]*T, len(c)); copy(n, c); for i := range n { n[i] = n[i].Clone(); n[i].Zero(); n[i].Zero() } }`, "pure"},
		{"list of a struct", `type L struct{ l []*T }; func f(c []*T, i int) { n := L{append([]*T(nil), c...)}; n.l[i] = n.l[i].Clone(); n.l[i].Zero() }`, "pure"},
		{"field of an element", `func f(c []S, i int) { n := append([]S(nil), c...); p := &n[i]; p.H = p.H.Clone(); p.C = p.C.Clone(); p.H.Zero() }`, "pure"},
		{"map", `func f(c []*T, k string) { m := map[string]*T{}; for _, t := range c { m["a"] = t; m[k] = t.Clone(); m[k].Zero() } }`, "pure"},
		{"another index", `func f(c []*T, i, j int) { n := append([]*T(nil), c...); n[i] = n[i].Clone(); n[j].Zero() }`, "mutates{c[]}"},
		{"another field", `func f(c []S, i int) { n := append([]S(nil), c...); p := &n[i]; p.H = p.H.Clone(); p.C.Zero() }`, "mutates{c[].C}"},
		{"replaced in between", `func f(c []*T, i, j int) { n := append([]*T(nil), c...); n[i] = n[i].Clone(); n[j] = c[0]; n[i].Zero() }`, "mutates{c[]}"},
		{"replaced by a callee", `func put(n, c []*T) { n[0] = c[0] }; func f(c []*T, i int) { n := append([]*T(nil), c...); n[i] = n[i].Clone(); put(n, c); n[i].Zero() }`, "mutates{c[]}"},
		{"another list by now", `func change(n *[]*T, c []*T) *T { *n = append([]*T(nil), c...); return c[0].Clone() }; func f(c []*T, i int) { n := make([]*T, len(c)); n[i] = change(&n, c); n[i].Zero() }`, "mutates{c[]}"},
		{"another map by now", `func change(m *map[string]*T, c *T) *T { *m = map[string]*T{"a": c, "b": c}; return c.Clone() }; func f(c *T, k string) { m := map[string]*T{}; m[k] = change(&m, c); m[k].Zero() }`, "mutates{c}"},
	})
}
