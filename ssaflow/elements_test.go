package ssaflow

import "testing"

func TestElements(t *testing.T) {
	runRows(t, []row{
		{"constant keys are told apart", `func f(x, y *T) { m := map[string]*T{"a": x, "b": y}; m["b"].Zero() }`, "mutates{y}"},
		{"constant key replaced", `func f(x *T) { m := map[string]*T{"a": x}; m["a"] = x.Clone(); m["a"].Zero() }`, "pure"},
		{"unknown key reads all", `func f(x, y *T, k string) { m := map[string]*T{"a": x, "b": y}; m[k].Zero() }`, "mutates{x}; mutates{y}"},
		{"unknown key replaces nothing", `func f(x *T, k string) { m := map[string]*T{"a": x}; m[k] = x.Clone(); m["a"].Zero() }`, "mutates{x}"},
		{"range reads all keys", `func f(x, y *T) { for _, t := range map[string]*T{"a": x, "b": y} { t.Zero() } }`, "mutates{x}; mutates{y}"},
		{"keys of a parameter are one place", `func f(m map[string]*T) { m["a"] = m["b"]; m["a"].Zero() }`, "stores{m[]}; mutates{m[]}"},
		{"keys that a path cannot spell are one place", `func f(x, y *T) { m := map[string]*T{"a.b": x, "[": y}; m["["].Zero() }`, "mutates{x}; mutates{y}"},
		{"many keys are one place", `func f(x, y *T) { m := map[string]*T{"1": x, "2": x, "3": x, "4": x, "5": x, "6": x, "7": x, "8": x, "9": x, "0": y}; m["0"].Zero() }`, "mutates{x}; mutates{y}"},
		{"one object under two keys", `func f(x *T) map[string]*T { w := x.Clone(); return map[string]*T{"a": w, "b": w} }`, `shares ["a"]~["b"]`},
		{"map of structs by key", `func f(s, r S) { m := map[string]S{"s": s, "r": r}; m["r"].C.Zero() }`, "mutates{r.C}"},
		{"keys through a helper", `func g(x, y *T) map[string]*T { return map[string]*T{"a": x, "b": y} }; func f(x, y *T) { g(x, y)["b"].Zero() }`, "mutates{y}"},
		{"constant indices of a made slice", `func f(x, y *T, n int) { s := make([]*T, n); s[0], s[1] = x, y; s[1].Zero() }`, "mutates{y}"},
		{"unknown index of a made slice", `func f(x, y *T, n, i int) { s := make([]*T, n); s[0], s[1] = x, y; s[i].Zero() }`, "mutates{x}; mutates{y}"},
		{"append to a literal makes a new array", `func f(x, y *T) { a := []*T{x}; b := append(a, y); b[0] = y; a[0].Zero() }`, "mutates{x}"},
		{"unknown index of an array, read elsewhere", `func f(a [2]*T, i int) { a[i] = a[i].Clone(); a[0].Zero() }`, "mutates{a[0]}"},
		{"unknown index gives an object one place", `func f(x *T, i int) [2]*T { var a [2]*T; a[i] = x.Clone(); return a }`, "pure"},
		{"one object given to all places", `func f(x *T) [2]*T { var a [2]*T; w := x.Clone(); for i := range a { a[i] = w }; return a }`, "shares [0]~[1]"},
		{"swapped and updated in a loop", `func f(c [2]*T, x *T) [2]*T { c[0], c[1] = c[1].Clone(), c[0].Clone(); for i := range c { c[i] = c[i].Add(x) }; return c }`, "pure"},
	})
}
