package ssaflow

import "testing"

// Loops that constants send through their body at least once leave nothing behind of what entered them.
func TestFirstRoundIsCertain(t *testing.T) {
	runRows(t, []row{
		{"range over an integer", `func f(c, x *T) *T { for range 3 { c = c.Add(x) }; return c }`, "pure"},
		{"range over an integer with variable", `func f(c, x *T) *T { for i := range 3 { if i > 1 { x.Data() }; c = c.Add(x) }; return c }`, "pure"},
		{"range over a named constant", `const n = 200; func f(c, x *T) *T { for range n { c = c.Add(x) }; return c }`, "pure"},
		{"constant bounds", `func f(c, x *T) *T { for i := 0; i < 3; i++ { c = c.Add(x) }; return c }`, "pure"},
		{"bounds in variables", `func f(c, x *T) *T { n := 3; for i := n; i > 0; i-- { c = c.Add(x) }; return c }`, "pure"},
		{"constant bounds, counter captured", `func f(c, x *T) *T { for i := 0; i < 3; i++ { func() int { return i }(); c = c.Add(x) }; return c }`, "pure"},
		{"range over an array", `func f(c, x *T) *T { for range [4]float64{1} { c = c.Add(x) }; return c }`, "pure"},
		{"range over an array behind a pointer", `func f(c, x *T, a *[2]int) *T { for range a { c = c.Add(x) }; return c }`, "pure"},
		{"range over a slice literal", `func f(c, x *T) *T { for _, k := range []int{1, 2} { c = c.Narrow(0, k, 1).Add(x) }; return c }`, "pure"},
		{"length of a slice literal", `func f(c, x *T) *T { w := []int{1, 2}; for i := 0; i < len(w); i++ { c = c.Add(x) }; return c }`, "pure"},
		{"through a struct", `func f(s S, x *T) S { for range 3 { s.H, s.C = s.H.Add(x), s.C.Add(x) }; return s }`, "pure"},
		{"through a pointer", `func f(s S, x *T) S { p := &s; for i := 0; i < 2; i++ { p.H = p.H.Add(x) }; return *p }`, "returns .C=s.C"},
		{"nested", `func f(c, x *T) *T { for range 3 { for j := 0; j < 2; j++ { c = c.Add(x) } }; return c }`, "pure"},
		{"nested in a loop that may not run", `func f(c, x *T, n int) *T { for range n { for range 2 { c = c.Add(x) } }; return c }`, "returns c|fresh"},
		{"loop that may not run within", `func f(c, x *T, n int) *T { for range 2 { for range n { c = c.Add(x) } }; return c }`, "returns c|fresh"},
		{"written after the loop", `func f(c, x *T) { for range 2 { c = c.Add(x) }; c.Zero() }`, "pure"},
		{"written in the first round", `func f(c, x *T) { for range 2 { c.Zero(); c = c.Add(x) } }`, "mutates{c}"},
		{"deferred in the loop", `func f(c, x *T) { for i := 0; i < 2; i++ { defer c.Zero(); c = c.Add(x) } }`, "mutates{c}"},
		{"break before", `func f(c, x *T, b bool) *T { for range 3 { if b { break }; c = c.Add(x) }; return c }`, "returns c|fresh"},
		{"break after", `func f(c, x *T, b bool) *T { for i := 0; i < 3; i++ { c = c.Add(x); if b { break } }; return c }`, "pure"},
		{"continue before", `func f(c, x *T, b bool) *T { for i := 0; i < 3; i++ { if b { continue }; c = c.Add(x) }; return c }`, "returns c|fresh"},
		{"labelled break of an outer loop", `func f(c, x *T, b bool) *T { out: for range 3 { for range 2 { if b { break out }; c = c.Add(x) } }; return c }`, "returns c|fresh"},
		{"labelled break after the step", `func f(c, x *T, b bool) *T { out: for i := 0; i < 3; i++ { for j := 0; j < 2; j++ { c = c.Add(x); if b { break out } } }; return c }`, "pure"},
		{"second condition", `func f(c, x *T, b bool) *T { for i := 0; i < 3 && b; i++ { c = c.Add(x) }; return c }`, "returns c|fresh"},
		{"unknown bound", `func f(c, x *T, n int) *T { for range n { c = c.Add(x) }; return c }`, "returns c|fresh"},
		{"unknown start", `func f(c, x *T, n int) *T { for i := n; i < 3; i++ { c = c.Add(x) }; return c }`, "returns c|fresh"},
		{"two ways in", `func f(c, x *T, b bool) *T { i := 0; if b { i = 5 }; for ; i < 3; i++ { c = c.Add(x) }; return c }`, "returns c|fresh"},
		{"slice of unknown length", `func f(c, x *T, ws []*T) *T { for range ws { c = c.Add(x) }; return c }`, "returns c|fresh"},
		{"resliced literal", `func f(c, x *T, n int) *T { for range []int{1, 2}[n:] { c = c.Add(x) }; return c }`, "returns c|fresh"},
		{"no round at all", `func f(c, x *T) *T { for range 0 { c.Zero() }; return c.Clone() }`, "pure"},
		{"no round by bounds", `func f(c, x *T) *T { for i := 3; i < 3; i++ { c.Zero(); x = c }; return x.Clone() }`, "pure"},
		{"no round over an empty literal", `func f(c, x *T) *T { for range []int{} { c.Zero() }; return x.Clone() }`, "pure"},
		{"a counter that wraps around is not followed", `func f(c, x *T) *T { for i := uint8(255); i+1 > 0; i++ { c = c.Add(x) }; return c }`, "returns c|fresh"},
		{"never comes around", `func f(c, x *T) *T { for range 3 { return c.Add(x) }; return c }`, "pure"},
		{"R21 with a certain round", `func f(x *T) (*T, *T) { prev, cur := x.Clone(), x.Clone(); for i := 0; i < 4; i++ { prev, cur = cur, cur.Add(x) }; return prev, cur }`, "pure"},
		{"R21 with a certain round in a struct", `func f(x *T) S { var s S; s.H, s.C = x.Clone(), x.Clone(); for i := 0; i < 4; i++ { s.H, s.C = s.C, s.C.Add(x) }; return s }`, "pure"},
		{"same object from a certain round", `func f(x *T) (*T, *T) { var t *T; for i := 0; i < 4; i++ { t = x.Clone() }; return t, t }`, "shares 0~1"},
		{"swapped by rounds of numbers only", `func f(a, b *T) *T { for i := 0; i < 3; i++ { a, b = b, a }; return a }`, "returns a|b"},
		{"decided test inside of a loop", `func f(c, x *T, n int) { for i := 0; ; i++ { if i == 0 { c = c.Clone() } else if i > n { return } else { c.Zero() } } }`, "pure"},
	})
}
