package ssaflow

import (
	"fmt"
	"strings"
	"testing"
)

// What was started goes on when memory has changed, and ends before what is not certain.
func TestWhatGoesOn(t *testing.T) {
	runRows(t, []row{
		{"goroutine receives what is sent later", `func f(x *T) { ch, done := make(chan *T), make(chan bool); go func() { (<-ch).Zero(); close(done) }(); ch <- x; <-done }`, "mutates{x} via function literal; goroutine; channel"},
		{"goroutine is given another one", `func f(x *T) { ch, done := make(chan *T), make(chan bool); go func() { (<-ch).Zero(); close(done) }(); ch <- x.Clone(); <-done; x.Add(x) }`, "goroutine; channel"},
		{"goroutine reads a variable that is set later", `func f(x *T, start, done chan bool) { t := x.Clone(); go func() { <-start; t.Zero(); done <- true }(); t = x; start <- true; <-done }`, "mutates{x} via function literal; stores{done[]} via function literal; stores{start[]}; goroutine; channel"},
		{"goroutine of a callee", `func run(ch chan *T, done chan bool) { go func() { (<-ch).Zero(); done <- true }() }; func f(x *T) { ch, done := make(chan *T), make(chan bool); run(ch, done); ch <- x; <-done }`, "unseen{x} via run, function literal; goroutine; channel"},
		{"goroutines that hand on", `func f(x *T) { a, b, done := make(chan *T), make(chan *T), make(chan bool); go func() { (<-b).Zero(); close(done) }(); go func() { b <- <-a }(); a <- x; <-done }`, "mutates{x} via function literal; goroutine; channel"},
		{"deferred in a range over a function", `func two(a, b *T) func(func(*T) bool) { return func(y func(*T) bool) { _ = y(a) && y(b) } }; func f(x *T) { for t := range two(x, x.Clone()) { defer t.Zero() } }`, "mutates{x} via function literal, function literal"},
		{"deferred in a range over a function, set later", `func once(y func(int) bool) { y(1) }; func f(x *T) { t := x.Clone(); for range once { defer func() { t.Zero() }() }; t = x }`, "unseen{x} via function literal, function literal"},
		{"deferred in a range over a function, of own memory", `func once(y func(int) bool) { y(1) }; func f(x *T) { t := x.Clone(); for range once { defer func() { t.Zero() }() }; t = t.Clone() }`, "pure"},
		{"named result set by what a range over a function defers", `func once(y func(int) bool) { y(1) }; func f(x *T) (r *T) { for range once { defer func() { r = x }() }; return x.Clone() }`, "returns fresh|x"},
	})
}

// A function that recovers leaves memory as it was where anything panicked.
func TestPanicsHalfWay(t *testing.T) {
	runRows(t, []row{
		{"by an index", `func f(x *T, l []int, i int) (r *T) { defer func() { recover() }(); r = x; l[i] = 1; r = x.Clone(); return }`, "stores{l[]}; returns fresh|x"},
		{"by a nil pointer", `func f(x *T, s *S) (r *T) { defer func() { recover() }(); r = x; s.H = nil; r = x.Clone(); return }`, "stores{s.H}; returns fresh|x"},
		{"nowhere in between", `func f(x *T) (r *T) { defer func() { recover() }(); r = x; r = x.Clone(); return }`, "returns fresh|x"},
		{"in a callee that stores", `func set(p **T, x *T, l []int, i int) { *p = x; l[i] = 1; *p = x.Clone() }; func f(x *T, l []int, i int) (r *T) { defer func() { recover() }(); set(&r, x, l, i); r = x.Clone(); return }`, "stores{l[]} via set; returns fresh|x"},
		{"in a callee that always panics", `func set(p **T, x *T) { *p = x; panic(1) }; func f(x *T) (r *T) { defer func() { recover() }(); set(&r, x); return }`, "returns x"},
		{"in a function that may recover", `func f(x *T, g func(), m map[int]int) (r *T) { defer g(); r = x; m[0] = 1; r = x.Clone(); return }`, "stores{m[]}; calls{g()}; unresolved"},
		{"in a function that may recover and has nothing to tell", `func f(x *T, g func(), m map[int]int) (r *T) { defer g(); m[0] = 1; r = x.Clone(); return }`, "stores{m[]}; calls{g()}"},
	})
}

// What a function does that panics half way is seen behind a callee that recovers.
func TestCalleeRecovers(t *testing.T) {
	const try = "func try(g func()) (ok bool) { defer func() { ok = recover() == nil }(); g(); return true }; func twice(g func()) bool { return try(g) || try(g) }; "
	runRows(t, []row{
		{"panics", try + `func f(x *T) { t := x.Clone(); try(func() { t = x; panic(1) }); t.Zero() }`, "mutates{x}"},
		{"may panic half way", try + `func f(x *T, l []int, i int) { t := x.Clone(); try(func() { t = x; _ = l[i]; t = x.Clone() }); t.Zero() }`, "mutates{x}"},
		{"own memory", try + `func f(x *T, l []int, i int) { t := x.Clone(); try(func() { t = x.Clone(); _ = l[i]; t = x.Clone() }); t.Zero() }`, "pure"},
		{"through another function", try + `func f(x *T) { t := x.Clone(); twice(func() { t = x; panic(1) }); t.Zero() }`, "mutates{x}"},
		{"the callee does not recover", `func run(g func()) { g() }; func f(x *T) { t := x.Clone(); run(func() { t = x; t = x.Clone() }); t.Zero() }`, "pure"},
	})
}

// Writes that are told as one reach all that they may.
func TestWritesToldAsOne(t *testing.T) {
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	fields := "type B struct{ " + many(80, "F%d S; ") + "}; "
	runRows(t, []row{
		{"of a struct that the caller made", fields + "func g(b *B) { " + many(80, "if b.F%d.H != nil { b.F%[1]d.H.Zero() }; ") + "}; func f(x *T) { b := B{F9: S{H: x}}; g(&b) }", "unseen{x} via g"},
		{"of own memory", fields + "func g(b *B) { " + many(80, "if b.F%d.H != nil { b.F%[1]d.H.Zero() }; ") + "}; func f(x *T) { b := B{F9: S{H: x.Clone()}}; g(&b) }", "pure"},
		{"by a recursion with other structs", "type P struct{ " + many(40, "F%d *T; ") + "}; type Q struct{ A, B *P }; " +
			"func f(q *Q, n int) { if n > 0 { " + many(40, "q.A.F%d.Zero(); ") + "f(&Q{A: q.B, B: q.A}, n-1) } }", "mutates{q}; unseen{q.B} via f; unseen{q.A} via f"},
		{"of a parameter", fields + "func g(b *B) { " + many(80, "if b.F%d.H != nil { b.F%[1]d.H.Zero() }; ") + "}; func f(b *B) { g(b) }", "mutates{b} via g"},
	})
}

// Types that a package does not see may be behind its interfaces.
func TestOpenInterfaces(t *testing.T) {
	w := newWorld(t)
	own := "type r interface{ Run(*T) }; type q struct{}; func (q) Run(*T) {}; func made() r { return q{} }; "
	for i, c := range []row{
		{"only this package has values of it", own + `func g() r { return q{} }; var v = g(); func f(t *T) { v.Run(t) }`, "pure"},
		{"a parameter of an exported function", own + `func F(v r, t *T) { v.Run(t) }; func f(v r, t *T) { v.Run(t) }`, "calls{v.Run(t)}"},
		{"a parameter, the function is not exported", own + `func f(v r, t *T) { v.Run(t) }`, "pure"},
		{"an exported field", own + `type B struct{ V r }; func f(b *B, t *T) { b.V.Run(t) }`, "calls{b.V.Run(t)}"},
		{"asserted of any", own + `func f(v any, t *T) { v.(r).Run(t) }`, "calls{v.Run(t)}"},
		{"asserted of any, sealed", `type r interface{ run(*T) }; type q struct{}; func (q) run(*T) {}; func made() r { return q{} }; func f(v any, t *T) { v.(r).run(t) }`, "calls{v.run(t)}"},
		{"made of a type parameter", own + `func f[V r](v V, t *T) { r(v).Run(t) }`, "calls{v.Run(t)}"},
		{"a variable that exported functions set", own + `var v r; func Set(n r) { v = n }; func f(t *T) { v.Run(t) }`, "unseen{v}; unseen{t}; unresolved"},
	} {
		t.Run(c.name, func(t *testing.T) {
			name := fmt.Sprintf("open%d", i)
			if got := lines(w.analyze(t, name, strings.Replace(prelude, "package p", "package "+name, 1)+c.src), "f"); got != c.want {
				t.Errorf("%s\n got %s\nwant %s", c.src, got, c.want)
			}
		})
	}
}

// Elements of arrays within slices are found wherever the array begins.
func TestArraysWithinSlices(t *testing.T) {
	runRows(t, []row{
		{"range over an array", `func f(x, y *T) { a := [2]*T{y.Clone(), x}; for _, t := range a { t.Zero() } }`, "mutates{x}"},
		{"unknown index of a copy", `func f(x, y *T, i int) { a := [2]*T{y.Clone(), x}; b := a; b[i].Zero() }`, "mutates{x}"},
		{"behind the first element", `func f(x, y *T) { l := []*T{y.Clone(), x}; (*[1]*T)(l[1:])[0].Zero() }`, "mutates{x}"},
		{"set through the array", `func f(x, y *T) { l := []*T{y.Clone(), y.Clone()}; (*[1]*T)(l[1:])[0] = x; l[1].Zero() }`, "mutates{x}"},
		{"set behind the array", `func f(x, y *T) { l := []*T{y.Clone(), y.Clone()}; a := (*[1]*T)(l[1:]); l[1] = x; a[0].Zero() }`, "mutates{x}"},
		{"copied", `func f(x, y *T) { l := []*T{y.Clone(), x}; a := [1]*T(l[1:]); a[0].Zero() }`, "mutates{x}"},
		{"from the first element", `func f(x, y *T) { l := []*T{y, x}; (*[2]*T)(l)[1].Zero() }`, "mutates{x}"},
		{"given to a function", `func g(a *[1]*T) { a[0].Zero() }; func f(x, y *T) { l := []*T{y.Clone(), x}; g((*[1]*T)(l[1:])) }`, "mutates{x} via g"},
	})
}

// A function that is called again and again may be another one by then, and what a generic function holds may be a struct.
func TestCalledAgain(t *testing.T) {
	const stack = "type st struct{ fs []func() }; func (s *st) push(f func()) { s.fs = append(s.fs, f) }; func (s *st) run() { for len(s.fs) > 0 { f := s.fs[len(s.fs)-1]; s.fs = s.fs[:len(s.fs)-1]; f() } }; "
	const apply = "func apply[A, B any](l []A, g func(A) B) (r []B) { for _, a := range l { r = append(r, g(a)) }; return }; "
	runRows(t, []row{
		{"pushed by what was called", stack + `func f(x *T) { var s st; s.push(func() { s.push(func() { x.Zero() }) }); s.run() }`, "mutates{x} via run, function literal"},
		{"pushed by what was pushed", stack + `func f(x *T) { var s st; s.push(func() { s.push(func() { s.push(func() { x.Zero() }) }) }); s.run() }`, "mutates{x} via run, function literal"},
		{"own memory", stack + `func f(x *T) { var s st; s.push(func() { y := x.Clone(); s.push(func() { y.Zero() }) }); s.run() }`, "pure"},
		{"structs of a generic function", apply + `func f(x *T) { for _, s := range apply([]*T{x}, func(t *T) S { return S{H: t} }) { s.H.Zero() } }`, "mutates{x} via apply"},
		{"structs of a generic function, another field", apply + `func f(x *T) { for _, s := range apply([]*T{x}, func(t *T) S { return S{H: t, C: t.Clone()} }) { s.C.Zero() } }`, "pure"},
	})
}
