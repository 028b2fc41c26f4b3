package ssaflow

import "testing"

func TestCapturedState(t *testing.T) {
	runRows(t, []row{
		{"counter", `func f() func() { n := 0; return func() { n++ } }`, "pure"},
		{"R18 append to a captured slice", `func f(x *T) { var hist []*T; g := func() { hist = append(hist, x) }; g(); hist[0].Zero() }`, "mutates{x}"},
		{"R28 captured pointer keeps an argument", `type M struct{ last *T }; func f(m *M, x *T) { func() { m.last = x }() }`, "stores{m.last} via function literal; keeps{x in m.last}"},
		{"literal in a literal", `func f(w *T) { func() { func() { w.Zero() }() }() }`, "mutates{w} via function literal, function literal"},
		{"two closures over one variable", `func f(x *T) { var t *T; set := func() { t = x }; zero := func() { t.Zero() }; set(); zero() }`, "mutates{x} via function literal"},
		{"recursive closure", `func f(x *T) { var walk func(n int); walk = func(n int) { if n > 0 { x.Zero(); walk(n-1) } }; walk(3) }`, "mutates{x} via function literal"},
		{"recursive closure returns", `func f(x *T) *T { var walk func(n int) *T; walk = func(n int) *T { if n > 0 { return walk(n-1) }; return x }; return walk(3) }`, "returns x"},
		{"loop variable is new in each iteration", `func f(xs []*T) { var fs []func(); for _, x := range xs { fs = append(fs, func() { x.Zero() }) }; for _, g := range fs { g() } }`, "mutates{xs[]} via function literal"},
		{"closure passed inside a struct", `type B struct{ fn func(*T) }; func run(b B, x *T) { b.fn(x) }; func f(x *T) { run(B{func(t *T) { t.Zero() }}, x) }`, "mutates{x} via run, function literal"},
		{"closure passed behind a pointer", `type B struct{ fn func(*T) }; func (b *B) run(x *T) { b.fn(x) }; func f(x *T) { b := &B{}; b.fn = func(t *T) { t.Zero() }; b.run(x) }`, "mutates{x} via run, function literal"},
		{"option functions", `type C struct{ w *T }; type opt func(*C); func with(x *T) opt { return func(c *C) { c.w = x } }; func mk(os ...opt) *C { c := &C{}; for _, o := range os { o(c) }; return c }; func f(x *T) { mk(with(x)).w.Zero() }`, "mutates{x}"},
		{"deferred method value", `func f(x *T) { defer x.Narrow(0, 0, 1).Zero() }`, "mutates{x} via Narrow"},
		{"goroutine literal R17", `func f(x *T) { go func() { x.Zero() }() }`, "mutates{x} via function literal; goroutine"},
	})
}

func TestPointersAndContainers(t *testing.T) {
	runRows(t, []row{
		{"address of a local", `func f(x *T) { p := &x; (*p).Zero() }`, "mutates{x}"},
		{"rebinding through the address", `func f(x *T) { p := &x; *p = x.Clone(); x.Zero() }`, "pure"},
		{"pointer to a pointer", `func f(pp **T, x *T) { (*pp).Zero(); *pp = x; (*pp).AddInPlace(x) }`, "mutates{pp}; stores{pp}; mutates{x}; keeps{x in pp}"},
		{"one of two targets", `func f(a, b S, c bool) { p := &a; if c { p = &b }; p.H = p.H.Clone(); a.H.Zero() }`, "mutates{a.H}"},
		{"reslice shares", `func f(xs []*T) { ys := xs[1:]; ys[0] = nil }`, "stores{xs[]}"},
		{"appended elements", `func f(a, b *T) { ts := []*T{a}; ts = append(ts, b); ts[1].Zero() }`, "mutates{a}; mutates{b}"},
		{"slice of structs", `func f(ss []S) { ss[0].H.Zero() }`, "mutates{ss[].H}"},
		{"copy of a slice element", `func f(ss []S) { s := ss[0]; s.H = nil; s.C.Zero() }`, "mutates{ss[].C}"},
		{"range value is a copy", `func f(ss []S) { for _, s := range ss { s.H = s.H.Clone(); s.H.Zero() } }`, "pure"},
		{"map of structs", `func f(m map[string]S) { s := m["a"]; s.H.Zero() }`, "mutates{m[].H}"},
		{"map keys", `func f(m map[*T]int) { for k := range m { k.Zero() } }`, "mutates{m[key]}"},
		{"named slice type", `type Ts []*T; func f(xs []*T) { Ts(xs)[0].Zero() }`, "mutates{xs[]}"},
		{"variadic call with a slice", `func zero(ts ...*T) { ts[0].Zero() }; func f(xs []*T) { zero(xs...) }`, "mutates{xs[0]} via zero"},
		{"linked list", `type N struct{ next *N; v *T }; func f(n *N) { for ; n != nil; n = n.next { n.v.Zero() } }`, "mutates{n.v}; mutates{n.next.v}"},
		{"tree by recursion", `type N struct{ l, r *N; v *T }; func f(n *N) { if n != nil { f(n.l); n.v.Zero(); f(n.r) } }`, "mutates{n.l.v} via f, f; mutates{n.v}; mutates{n.r.v} via f, f"},
		{"channel of structs", `func f(s S) { c := make(chan S, 1); c <- s; r := <-c; r.C.Zero() }`, "mutates{s.C}; channel"},
		{"comma ok", `func f(m map[string]*T, a any) { if x, ok := m["k"]; ok { x.Zero() }; if y, ok := a.(*T); ok { y.Zero() } }`, "mutates{m[]}; mutates{a}"},
		{"array of structs", `func f(a [2]S) { a[0].H = a[0].H.Clone(); a[0].H.Zero(); a[1].H.Zero() }`, "mutates{a[1].H}"},
		{"array by variable index", `func f(a [2]*T, i int) { a[i].Zero() }`, "mutates{a[0]}; mutates{a[1]}"},
		{"struct behind a pointer in a struct", `type O struct{ in *S }; func f(o O) { o.in.H.Zero(); o.in.C = nil }`, "mutates{o.in.H}; stores{o.in.C}"},
		{"make and fill", `func f(x *T) []*T { ys := make([]*T, 2); ys[0] = x; return ys }`, "returns [0]=x"},
		{"returns a map of parameters", `func f(x, y *T) map[string]*T { return map[string]*T{"a": x, "b": y} }`, `returns ["a"]=x; returns ["b"]=y`},
		{"array result", `func f(x, y *T) [2]*T { return [2]*T{x, y.Clone()} }`, "returns [0]=x"},
		{"swap in place", `func f(s *S) { s.H, s.C = s.C, s.H; s.H.Zero() }`, "stores{s.H}; stores{s.C}; mutates{s.C}; keeps{s.H in s.C}; keeps{s.C in s.H}"},
	})
}

func TestGenerics(t *testing.T) {
	runRows(t, []row{
		{"method of a generic type", `type Box[A any] struct{ v A }; func (b Box[A]) Get() A { return b.v }; func f(b Box[*T]) { b.Get().Zero() }`, "mutates{b.v}"},
		{"generic type over a struct", `type Box[A any] struct{ v A }; func (b Box[A]) Get() A { return b.v }; func f(b Box[S]) { b.Get().C.Zero() }`, "mutates{b.v.C}"},
		{"setter of a generic type", `type Box[A any] struct{ v A }; func (b *Box[A]) Set(a A) { b.v = a }; func f(s S) { var b Box[S]; b.Set(s); b.v.H.Zero() }`, "mutates{s.H}"},
		{"constraint with a core type", `func zero[E ~[]*T](e E) { for _, t := range e { t.Zero() } }; func f(xs []*T) { zero(xs) }`, "mutates{xs[]} via zero"},
		{"generic map", `func each[A any](xs []A, g func(A)) { for _, x := range xs { g(x) } }; func f(xs []*T) { each(xs, func(t *T) { t.Zero() }) }`, "mutates{xs[]} via each, function literal"},
		{"generic map over structs", `func each[A any](xs []A, g func(A)) { for _, x := range xs { g(x) } }; func f(xs []S) { each(xs, func(s S) { s.H.Zero() }) }`, "mutates{xs[].H} via each, function literal"},
		{"generic result collected", `func mapped[A, B any](xs []A, g func(A) B) []B { var ys []B; for _, x := range xs { ys = append(ys, g(x)) }; return ys }; func f(xs []*T) []*T { return mapped(xs, func(t *T) *T { return t.Narrow(0, 0, 1) }) }`, "returns []=view(xs[])"},
		{"scalar type parameter", `func fill[N hop.Number](xs []N, v N) { for i := range xs { xs[i] = v } }; func f(xs []float64) { fill(xs, 1) }`, "stores{xs[]} via fill"},
		{"type switch in a generic", `func zero[A any](a A) { if t, ok := any(a).(*T); ok { t.Zero() } }; func f(x *T) { zero(x) }`, "mutates{x} via zero"},
		{"generic closure of a factory", `func konst[A any](a A) func() A { return func() A { return a } }; func f(x *T) { konst(x)().Zero() }`, "mutates{x}"},
	})
}

func TestSharing(t *testing.T) {
	runRows(t, []row{
		{"two views of one fresh buffer", `func f(x *T) (*T, *T) { b := x.Clone(); return b.Narrow(0, 0, 1), b.Narrow(0, 1, 1) }`, "shares 0~1"},
		{"E11 three times", `func f(x *T) (*T, *T, *T) { a := x.Clone(); return a, a, a }`, "shares 0~1; shares 0~2; shares 1~2"},
		{"E12 only two of three", `func f(x *T) (*T, *T, *T) { y := x.Clone(); return y, y.Narrow(0, 0, 1), x.Clone() }`, "shares 0~1"},
		{"E17 across structure levels", `type O struct{ A *T; B []*T }; func f(x *T) O { s := x.Clone(); return O{s, []*T{s}} }`, "shares .A~.B[0]"},
		{"parameter twice", `func f(x *T) (*T, *T) { return x, x }`, "returns 0=x; returns 1=x; shares 0~1"},
		{"elements of a slice need not be one", `func f(xs []*T) (*T, *T) { return xs[0], xs[1] }`, "returns 0=xs[]; returns 1=xs[]"},
		{"on one branch only", `func f(x *T, b bool) (*T, *T) { h := x.Clone(); y := h; if b { y = h.Clone() }; return h, y }`, "shares 0~1"},
		{"swapped on the branches", `func f(x *T, b bool) (*T, *T) { p, q := x.Clone(), x.Clone(); if b { p, q = q, p }; return p, q }`, "pure"},
		{"different on each branch", `func f(x *T, b bool) (*T, *T) { if b { a := x.Clone(); return a, a.Clone() }; a := x.Clone(); return a.Clone(), a }`, "pure"},
		{"R21 in a struct", `func f(x *T, n int) S { var s S; s.H, s.C = x.Clone(), x.Clone(); for range n { s.H, s.C = s.C, s.C.Add(x) }; return s }`, "pure"},
		{"R21 with a condition loop", `func f(x *T, n int) (*T, *T) { prev, cur := x.Clone(), x.Clone(); for i := 0; i < n; i++ { prev, cur = cur, cur.Add(x) }; return prev, cur }`, "pure"},
		{"elements made in a loop", `func f(x *T, n int) []*T { ys := make([]*T, n); for i := range ys { ys[i] = x.Clone() }; return ys }`, "pure"},
		{"helper returns one of its arguments twice", `func two(a *T) (*T, *T) { return a, a }; func f(x *T) (*T, *T) { return two(x.Clone()) }`, "shares 0~1"},
		{"calls of one helper", `func mk(x *T) *T { return x.Clone() }; func f(x *T) (*T, *T) { return mk(x), mk(x) }`, "pure"},
		{"memo in a package variable", `var memo *T; func get(x *T) *T { if memo == nil { memo = x.Clone() }; return memo }; func f(x *T) (*T, *T) { return get(x), get(x) }`,
			"rebinds{memo} via get; rebinds{memo} via get; returns 0=fresh|memo; returns 1=fresh|memo; shares 0~1; keeps{fresh, fresh in memo}"},
		{"detach of a clone shares with it", `func f(s S) (S, S) { a := hop.Clone(s); return a, hop.Detach(a) }`, "shares 0.H~1.H; shares 0.C~1.C"},
	})
}

func TestWhatLiteralsAreCalledWith(t *testing.T) {
	runRows(t, []row{
		{"values of an iterator collected", `func values(xs []*T) func(func(*T) bool) { return func(y func(*T) bool) { for _, x := range xs { if !y(x) { return } } } }; func collect(s func(func(*T) bool)) (out []*T) { for v := range s { out = append(out, v) }; return }; func f(xs []*T) []*T { return collect(values(xs)) }`, "returns []=xs[]"},
		{"copies of the values collected", `func values(xs []*T) func(func(*T) bool) { return func(y func(*T) bool) { for _, x := range xs { if !y(x.Clone()) { return } } } }; func collect(s func(func(*T) bool)) (out []*T) { for v := range s { out = append(out, v) }; return }; func f(xs []*T) []*T { return collect(values(xs)) }`, "pure"},
		{"last value of a generic iterator", `func values[E any](xs []E) func(func(E) bool) { return func(y func(E) bool) { for _, x := range xs { if !y(x) { return } } } }; func last[E any](s func(func(E) bool)) (out E) { for v := range s { out = v }; return }; func f(xs []S) *T { return last(values(xs)).H }`, "returns xs[].H"},
		{"what a callback is given", `func each(g func(func(*T)), n int) *T { var t *T; g(func(x *T) { t = x }); return t }; func f(a *T) *T { return each(func(h func(*T)) { h(a) }, 1) }`, "returns a"},
	})
}

func TestOrderOfEffects(t *testing.T) {
	runRows(t, []row{
		{"result read before the callee's store", `func take(s *S) *T { h := s.H; s.H = nil; return h }; func f(s S) { take(&s).Zero() }`, "mutates{s.H}"},
		{"argument rebound by the callee only afterwards", `func g(s *S) { s.H.Zero(); s.H = s.H.Clone() }; func f(s S) { g(&s); s.H.Zero() }`, "mutates{s.H} via g"},
		{"goroutine may not have run yet", `func f(s S) { go func() { s.H = s.H.Clone() }(); s.H.Zero() }`, "mutates{s.H}; goroutine"},
		{"recovered result", `func f(c *T) (r *T) { defer func() { if recover() != nil { r = c } }(); r = c.Clone(); return }`, "returns c|fresh"},
		{"result as it was at the panic", `func g(); func f(c *T) (r *T) { defer func() { recover() }(); r = c; g(); r = c.Clone(); return }`, "returns c|fresh"},
		{"panic without recover", `func g(); func f(c *T) (r *T) { defer func() {}(); r = c; g(); r = c.Clone(); return }`, "pure"},
		{"closure handed to an unknown function may run", `func f(g func(func()), x, y *T) { t := x; g(func() { t = y }); t.Zero() }`, "mutates{x}; mutates{y}; calls{g(fresh)}"},
		{"closure handed to unseen code may run", `func g(func()); func f(x *T) { g(func() { x.Zero() }) }`, "unseen{x}"},
		{"defers run last first", `func f(x *T) { t := x; defer func() { t.Zero() }(); defer func() { t = t.Clone() }() }`, "pure"},
		{"defers run in the other order", `func f(x *T) { t := x; defer func() { t = t.Clone() }(); defer func() { t.Zero() }() }`, "mutates{x} via function literal"},
		{"arguments of a deferred call are taken early", `func z(t *T) { t.Zero() }; func f(x *T) { t := x; defer z(t); t = x.Clone() }`, "mutates{x} via z"},
		{"objects of a helper's loop are many", `func g(x *T, n int) []*T { var ys []*T; for range n { ys = append(ys, x.Clone()) }; return ys }; func f(x *T) (*T, *T) { ys := g(x, 2); return ys[0], ys[1] }`, "pure"},
	})
}
