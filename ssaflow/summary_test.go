package ssaflow

import "testing"

func TestStraightLine(t *testing.T) {
	runRows(t, []row{
		{"R1 in place on a parameter", `func f(carry, x *T) { carry.AddInPlace(x) }`, "mutates{carry}"},
		{"R2 through view", `func f(x *T) { v := x.Narrow(0, 0, 1); v.Zero() }`, "mutates{x} via Narrow"},
		{"R6 clone first", `func f(carry, x *T) { t := carry.Clone(); t.AddInPlace(x) }`, "pure"},
		{"R5 one branch clones", `func f(carry, x *T, b bool) { t := carry; if b { t = carry.Clone() }; t.AddInPlace(x) }`, "mutates{carry}"},
		{"both branches clone", `func f(carry, x *T, b bool) { var t *T; if b { t = carry.Clone() } else { t = x.Clone() }; t.AddInPlace(x) }`, "pure"},
		{"R7 same fresh object twice", `func f(c *T) (*T, *T) { s := c.Clone(); return s, s }`, "shares 0~1"},
		{"R7 object and its copy", `func f(c *T) (*T, *T) { s := c.Clone(); return s, s.Clone() }`, "pure"},
		{"R8 through a struct field", `func f(carry, x *T) { var st S; st.C = carry; st.C.AddInPlace(x) }`, "mutates{carry}"},
		{"R9 slice literal tells elements apart", `func f(carry, x *T) { ts := []*T{carry, x}; ts[0].Zero() }`, "mutates{carry}"},
		{"slice literal, unknown index", `func f(carry, x *T, i int) { ts := []*T{carry, x}; ts[i].Zero() }`, "mutates{carry}; mutates{x}"},
		{"R11 method value", `func f(carry, x *T) { g := carry.AddInPlace; g(x) }`, "mutates{carry}"},
		{"method expression", `func f(carry, x *T) { g := (*T).AddInPlace; g(carry, x) }`, "mutates{carry}"},
		{"R13 range over a slice", `func f(carries []*T) { for _, c := range carries { c.Zero() } }`, "mutates{carries[]}"},
		{"range over a local slice", `func f(a, b *T) { for _, c := range []*T{a, b} { c.Zero() } }`, "mutates{a}; mutates{b}"},
		{"R14 defer", `func f(carry *T) { defer carry.Zero() }`, "mutates{carry}"},
		{"returns its parameter", `func f(x *T) *T { return x }`, "returns x"},
		{"returns a view", `func f(x *T) *T { return x.Narrow(0, 0, 1) }`, "returns view(x)"},
		{"may view", `func f(x *T) *T { return x.Contiguous() }`, "returns fresh|view(x)"},
		{"in place returns the receiver", `func f(x *T) *T { return x.Clone().Zero() }`, "pure"},
		{"constant false", `func f(x *T) { if false { x.Zero() } }`, "pure"},
		{"constant flag", `const debug = false; func f(x *T, b bool) { if debug && b { x.Zero() } }`, "pure"},
		{"nil check keeps the write", `func f(x *T) { if x == nil { return }; x.Zero() }`, "mutates{x}"},
		{"data slice is the object", `func f(x *T) { d := x.Data(); d[0] = 1 }`, "mutates{x} via Data"},
		{"reading data", `func f(x *T) float64 { return x.Data()[0] }`, "pure"},
		{"unseen callee", `func f(x *T) { hop.Opaque(x) }`, "unseen{x}"},
		{"variadic reads", `func f(x, y *T) { hop.Print(x, y) }`, "pure"},
	})
}

func TestStructs(t *testing.T) {
	runRows(t, []row{
		{"by value, field written", `func f(s S, x *T) { s.H.AddInPlace(x) }`, "mutates{s.H}"},
		{"by value, field rebound first", `func f(s S, x *T) S { s.H = s.H.Clone(); s.H.AddInPlace(x); return s }`, "returns .C=s.C"},
		{"old value kept", `func f(s S, x *T) { h := s.H; s.H = s.H.Clone(); h.AddInPlace(x) }`, "mutates{s.H}"},
		{"pointer, field store", `func f(s *S, x *T) { s.H = x }`, "stores{s.H}; keeps{x in s.H}"},
		{"pointer, rebound then written", `func f(s *S, x *T) { s.H = s.H.Clone(); s.H.Zero() }`, "stores{s.H}; keeps{fresh in s.H}"},
		{"nested structs", `type N struct{ A struct{ B S } }; func f(n N) { n.A.B.C.Zero() }`, "mutates{n.A.B.C}"},
		{"embedded promotion", `type E struct{ S }; func f(e E) { e.H.Zero() }`, "mutates{e.S.H}"},
		{"embedded promotion of methods", `type E struct{ *T }; func f(e E) { e.Zero() }`, "mutates{e.T}"},
		{"arrays copy by value", `func f(a [2]*T) { b := a; b[0] = b[0].Clone(); b[0].Zero(); b[1].Zero() }`, "mutates{a[1]}"},
		{"slice of an array pointer aliases", `func f(a *[2]*T) { s := a[:]; s[0] = nil }`, "stores{a[]}"},
		{"slice to array copies", `func f(a []*T) { b := [2]*T(a); b[0] = nil; b[1].Zero() }`, "mutates{a[1]}"},
		{"struct copied through a pointer", `func f(p *S) { q := *p; q.H = nil; q.C.Zero() }`, "mutates{p.C}"},
		{"R31 struct and its clone", `func f(s S) (S, S) { return s, hop.Clone(s) }`, "returns 0.H=s.H; returns 0.C=s.C"},
		{"R31 struct twice", `func f(s S) (S, S) { t := hop.Clone(s); return t, t }`, "shares 0.H~1.H; shares 0.C~1.C"},
		{"generic view of a struct", `func f(s S) S { return hop.Detach(s) }`, "returns .H=view(s.H); returns .C=view(s.C)"},
		{"map elements", `func f(m map[string]*T) { m["a"].Zero(); m["b"] = nil; delete(m, "c") }`, "mutates{m[]}; stores{m[]}; stores{m[]}"},
		{"local map", `func f(x *T) { m := map[string]*T{"a": x}; m["a"].Zero() }`, "mutates{x}"},
		{"pointer result with fields", `func f(x *T) *S { return &S{H: x} }`, "returns .H=x"},
		{"copy", `func f(dst, src []*T) { copy(dst, src) }`, "stores{dst[]}; keeps{src[] in dst[]}"},
		{"clear", `func f(m map[string]*T) { clear(m) }`, "stores{m[]}"},
		{"append to a parameter", `func f(xs []*T, x *T) []*T { return append(xs, x) }`, "appends{xs[]}; returns fresh|xs; returns []=x|xs[]; keeps{x in xs[]}"},
		{"append to a clipped slice", `func f(xs []*T, x *T) { _ = append(xs[:1:1], x) }`, "pure"},
		{"append to a local slice", `func f(x *T) []*T { var ys []*T; ys = append(ys, x); return ys }`, "returns []=x"},
		{"boxed struct", `func f(s S) { var a any = s; a.(S).H.Zero() }`, "mutates{s.H}"},
		{"type switch", `func f(a any) { switch v := a.(type) { case *T: v.Zero(); case S: v.H.Zero() } }`, "mutates{a}; mutates{a.H}"},
		{"type switch with a known type", `func f(x *T, y *T) { var a any = x; switch v := a.(type) { case *T: v.Zero(); case S: y.Zero() } }`, "mutates{x}"},
	})
}

func TestLoops(t *testing.T) {
	runRows(t, []row{
		{"R21 successive values are different objects", `func f(x *T, n int) (*T, *T) { prev, cur := x.Clone(), x.Clone(); for range n { prev, cur = cur, cur.Add(x) }; return prev, cur }`, "pure"},
		{"carried through the loop", `func f(x *T, n int) { t := x.Clone(); for range n { t.Zero(); t = x } }`, "mutates{x}"},
		{"local struct in a loop", `func f(s S, n int) { for range n { t := s; t.H = t.H.Clone(); t.H.Zero() } }`, "pure"},
		{"pointer kept across iterations", `func f(s S, n int) { var last *S; for range n { t := s; if last != nil { last.H.Zero() }; last = &t } }`, "mutates{s.H}"},
		{"accumulating slice", `func f(x *T, n int) { var ys []*T; for range n { ys = append(ys, x) }; ys[0].Zero() }`, "mutates{x}"},
		{"same object from a loop", `func f(x *T, n int) (*T, *T) { var t *T; for range n { t = x.Clone() }; return t, t }`, "shares 0~1"},
	})
}

func TestCalls(t *testing.T) {
	runRows(t, []row{
		{"callee copies", `func f(x *T) { g(x.Clone()) }; func g(y *T) { y.Zero() }`, "pure"},
		{"callee writes", `func f(x *T) { g(x) }; func g(y *T) { y.Zero() }`, "mutates{x} via g"},
		{"callee writes through view", `func f(x *T) { g(x.Narrow(0, 0, 1)) }; func g(y *T) { y.Zero() }`, "mutates{x} via Narrow, g"},
		{"view made by a helper", `func f(x *T) { head(x).Zero() }; func head(y *T) *T { return y.Narrow(0, 0, 1) }`, "mutates{x} via head, Narrow"},
		{"field of a struct argument", `func f(s S) { g(s) }; func g(t S) { t.C.Zero() }`, "mutates{s.C} via g"},
		{"helper rebinds a field of a local", `func f(s S) { g(&s); s.H.Zero() }; func g(t *S) { t.H = t.H.Clone() }`, "pure"},
		{"helper stores its argument", `func f(x *T) { var s S; set(&s, x); s.H.Zero() }; func set(s *S, x *T) { s.H = x }`, "mutates{x}"},
		{"mutual recursion", `func f(x *T, n int) { if n > 0 { g(x, n-1) } }; func g(x *T, n int) { x.Zero(); f(x, n-1) }`, "mutates{x} via g"},
		{"R26 results of a recursive helper", `func f(x *T) (*T, *T) { return g(x, 3) }; func g(x *T, n int) (*T, *T) { if n == 0 { return x.Clone(), x.Clone() }; return g(x, n-1) }`, "pure"},
		{"recursion that shares", `func f(x *T) (*T, *T) { return g(x, 3) }; func g(x *T, n int) (*T, *T) { if n == 0 { t := x.Clone(); return t, t }; return g(x, n-1) }`, "shares 0~1"},
		{"recursion returns its argument", `func f(x *T, n int) *T { if n == 0 { return x }; return f(x.Narrow(0, 0, 1), n-1) }`, "returns view(x)|x"},
		{"R23 one object through two parameters", `func f(s S, x *T) { h(&s, &s, x) }; func h(a, b *S, x *T) { a.H = x; b.H.AddInPlace(b.C) }`, "mutates{x} via h"},
		{"two objects", `func f(s, r S, x *T) { h(&s, &r, x) }; func h(a, b *S, x *T) { a.H = x; b.H.AddInPlace(b.C) }`, "mutates{r.H} via h"},
		{"generic helper", `func f(x *T) { g[int](x, 1) }; func g[A any](y *T, a A) { y.Zero() }`, "mutates{x} via g"},
		{"generic identity of a struct", `func f(s S) { id(s).H.Zero() }; func id[A any](a A) A { return a }`, "mutates{s.H}"},
		{"generic first element", `func f(s []S) { first(s).H.Zero() }; func first[A any](a []A) A { return a[0] }`, "mutates{s[].H}"},
		{"method of a type parameter", `type Z interface{ Zero() *T }; func f(x *T) { z(x) }; func z[A Z](a A) { a.Zero() }`, "mutates{x} via z"},
		{"variadic helper", `func f(x, y *T) { zero(x, y) }; func zero(ts ...*T) { for _, t := range ts { t.Zero() } }`, "mutates{x} via zero; mutates{y} via zero"},
		{"results in order", `func f(x, y *T) *T { _, b := swap(x, y); return b }; func swap(a, b *T) (*T, *T) { return b, a }`, "returns x"},
		{"split gives views of one storage", `func f(x *T) (*T, *T) { return hop.Split(x.Clone()) }`, "shares 0~1"},
		{"two fresh results", `func f(x *T) (*T, *T) { return hop.Two(x) }`, "pure"},
		{"method with pointer receiver on a local", `func (s *S) init(x *T) { s.H = x }; func f(x *T) { var s S; s.init(x); s.H.Zero() }`, "mutates{x}"},
		{"method with value receiver", `func (s S) zero() { s.H.Zero() }; func f(s *S) { s.zero() }`, "mutates{s.H} via zero"},
		{"never returns", `func f(x *T) { panic("no") }`, "never returns"},
	})
}

func TestFunctionValues(t *testing.T) {
	runRows(t, []row{
		{"closure captures", `func f(x *T) { g := func() { x.Zero() }; g() }`, "mutates{x} via function literal"},
		{"immediately called literal", `func f(x *T) { func() { x.Zero() }() }`, "mutates{x} via function literal"},
		{"never called literal", `func f(x *T) { _ = func() { x.Zero() } }`, "pure"},
		{"deferred literal", `func f(x *T) { defer func() { x.Zero() }() }`, "mutates{x} via function literal"},
		{"R25 closure rebinds a field of a captured local", `func f(s S) { fix := func() { s.H = s.H.Clone() }; fix(); s.H.Zero() }`, "pure"},
		{"closure in a struct field", `type B struct{ fn func(*T) }; func f(x *T) { b := B{fn: func(t *T) { t.Zero() }}; b.fn(x) }`, "mutates{x} via function literal"},
		{"closure in a slice", `func f(x *T) { fs := []func(*T){func(t *T) { t.Zero() }}; for _, g := range fs { g(x) } }`, "mutates{x} via function literal"},
		{"closure in a map", `func f(x *T) { fs := map[string]func(*T){"z": func(t *T) { t.Zero() }}; fs["z"](x) }`, "mutates{x} via function literal"},
		{"closure of a factory", `func f(x *T) { g := mk(x); g() }; func mk(t *T) func() { return func() { t.Zero() } }`, "mutates{x} via function literal"},
		{"named function in a variable", `func f(x *T) { g := zero; g(x) }; func zero(t *T) { t.Zero() }`, "mutates{x} via zero"},
		{"one of two functions", `func f(x *T, b bool) { g := read; if b { g = zero }; g(x) }; func zero(t *T) { t.Zero() }; func read(t *T) {}`, "mutates{x} via zero"},
		{"function parameter", `func f(g func(*T), x *T) { g(x) }`, "calls{g(x)}"},
		{"caller resolves the parameter", `func f(x *T) { apply(func(t *T) { t.Zero() }, x) }; func apply(g func(*T), x *T) { g(x) }`, "mutates{x} via apply, function literal"},
		{"caller gives a pure function", `func f(x *T) { apply(func(t *T) {}, x) }; func apply(g func(*T), x *T) { g(x) }`, "pure"},
		{"result of a function parameter", `func f(x *T) *T { return apply(func(t *T) *T { return t }, x) }; func apply(g func(*T) *T, x *T) *T { return g(x) }`, "returns x"},
		{"through two levels", `func f(x *T) { outer(func(t *T) { t.Zero() }, x) }; func outer(g func(*T), x *T) { apply(g, x) }; func apply(g func(*T), x *T) { g(x) }`, "mutates{x} via outer, apply, function literal"},
		{"literal in a package variable", `var zero = func(t *T) { t.Zero() }; func f(x *T) { zero(x) }`, "mutates{x} via zero"},
		{"table of functions in a package variable", `var ops = map[string]func(*T){"z": func(t *T) { t.Zero() }}; func f(x *T) { ops["z"](x) }`, "mutates{x} via an element of ops"},
		{"rebinding a captured variable", `func f(x *T) *T { t := x; func() { t = t.Clone() }(); t.Zero(); return t }`, "pure"},
		{"hop runs a body that writes a capture", `func f(w, xs *T) { hop.Map(func(x *T) *T { w.Zero(); return x.Clone() }, xs) }`, "mutates{w} via Map, function literal"},
		{"hop runs a clean body", `func f(w, xs *T) { hop.Map(func(x *T) *T { return x.Add(w) }, xs) }`, "pure"},
		{"body writes its own input", `func f(w, xs *T) { hop.Map(func(x *T) *T { return x.Zero() }, xs) }`, "pure"},
		{"scan of structs", `func f(s S, xs *T) (S, *T) { return hop.Scan(func(s S, x *T) (S, *T) { return S{s.H.Add(x), s.C.Add(x)}, x.Clone() }, s, xs) }`, "pure"},
	})
}

func TestInterfaces(t *testing.T) {
	runRows(t, []row{
		{"R12 concrete type from the flow", `type M interface{ Apply(*T) }; type A struct{}; func (A) Apply(t *T) { t.Zero() }; func f(x *T) { var m M = A{}; m.Apply(x) }`, "mutates{x} via Apply"},
		{"interface parameter", `type M interface{ Apply(*T) }; func f(m M, x *T) { m.Apply(x) }`, "calls{m.Apply(x)}"},
		{"copy of an indivisible object", `func f(x *T) *T { d := *x; d.Zero(); return &d }`, "mutates{x}; returns fresh|view(x)"},
		{"copy into new memory", `func f(x *T) { d := new(T); *d = *x; d.Zero() }`, "mutates{x}"},
		{"copy passed by value", `func g(d T) { d.Zero() }; func f(x *T) { g(*x) }`, "unresolved"},
		{"copy in a struct", `type W struct{ t T }; func f(x *T) { w := W{*x}; w.t.Zero() }`, "unresolved"},
		{"copy over another", `func f(x, y *T) { *x = *y }`, "mutates{x}; unresolved"},
		{"caller gives the type", `type M interface{ Apply(*T) }; type A struct{}; func (A) Apply(t *T) { t.Zero() }; func f(x *T) { run(A{}, x) }; func run(m M, x *T) { m.Apply(x) }`, "mutates{x} via run, Apply"},
		{"directive on an interface method", "type M interface{\n Apply(t *T) //hop:mutates t\n}; func f(m M, x *T) { m.Apply(x) }", "mutates{x}"},
		{"unexported interface", `type m interface{ Apply(*T) }; type A struct{}; func (A) Apply(t *T) { t.Zero() }; func use() m { return A{} }; func f(v []m, x *T) { v[0].Apply(x) }`, "mutates{x} via Apply"},
		{"struct in an interface writes its field", `type M interface{ Apply() }; type A struct{ t *T }; func (a A) Apply() { a.t.Zero() }; func f(x *T) { var m M = A{x}; m.Apply() }`, "mutates{x} via Apply"},
		{"pointer in an interface", `type M interface{ Apply() }; type A struct{ t *T }; func (a *A) Apply() { a.t.Zero() }; func f(x *T) { var m M = &A{x}; m.Apply() }`, "mutates{x} via Apply"},
	})
}

func TestControlFlow(t *testing.T) {
	runRows(t, []row{
		{"R24 conditional defer", `func f(c *T, b bool) (r *T) { r = c; if b { defer func() { r = r.Clone() }() }; return }`, "returns c|fresh"},
		{"defer clones the named result", `func f(c *T) (r *T) { r = c; defer func() { r = r.Clone() }(); return }`, "pure"},
		{"range over func", `func seq(xs []*T) func(func(*T) bool) { return func(yield func(*T) bool) { for _, x := range xs { if !yield(x) { return } } } }; func f(xs []*T) { for x := range seq(xs) { x.Zero() } }`, "mutates{xs[]} via function literal, function literal"},
		{"goroutine", `func f(x *T) { go x.Zero() }`, "mutates{x}; goroutine"},
		{"channel", `func f(x *T, c chan *T) { c <- x }`, "stores{c[]}; keeps{x in c[]}; channel"},
		{"through a local channel", `func f(x *T) { c := make(chan *T, 1); c <- x; (<-c).Zero() }`, "mutates{x}; channel"},
		{"select", `func f(c, d chan *T) { select { case x := <-c: x.Zero(); case <-d: } }`, "mutates{c[]}; channel"},
		{"global", `var g *T; func f(x *T) { g = x; g.Zero() }`, "rebinds{g}; mutates{g}; mutates{x}; keeps{x in g}"},
	})
}
