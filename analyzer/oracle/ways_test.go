package oracle

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// way is the body of a scan that breaks the contract, and its declarations and packages.
type way struct {
	name, imports, decls, body string
	// follows is true where the analyzer finds the breach; elsewhere strict mode must say that the body is unproved.
	follows bool
	code    string
	// packages are the sources of packages that the program imports, by folder.
	packages map[string]string
}

// ways are breaches behind constructs of the language and of the standard library, and behind other packages.
var ways = []way{
	{"ptr fold third node", "", "type nd struct {\n\tt T\n\tnext *nd\n}\nfunc (n *nd) end() T {\n\tfor n.next != nil {\n\t\tn = n.next\n\t}\n\treturn n.t\n}\n", `(&nd{x.Neg(), &nd{x.Neg(), &nd{x.Neg(), &nd{c, nil}}}}).end().AddInPlace(x)`, true, "HOP101", nil},
	{"iter pull2", "iter", "", `next, stop := iter.Pull2(func(y func(int, T) bool) { y(1, c) }); defer stop(); _, t, _ := next(); t.AddInPlace(x)`, false, "HOP101", nil},
	{"range over method iterator", "", "type bag struct{ ts []T }\nfunc (b bag) all(y func(T) bool) {\n\tfor _, t := range b.ts {\n\t\tif !y(t) {\n\t\t\treturn\n\t\t}\n\t}\n}\n", `for t := range (bag{[]T{x.Neg(), c}}).all { t.AddInPlace(x) }`, true, "HOP101", nil},
	{"range func with defer inside", "", "func two(a, b T) func(func(T) bool) {\n\treturn func(y func(T) bool) { _ = y(a) && y(b) }\n}\n", `func() { for t := range two(x.Neg(), c) { defer t.AddInPlace(x) } }()`, true, "HOP101", nil},
	{"range func break returns", "", "", `t := func() T { for t := range two(c, x.Neg()) { return t }; return x.Neg() }(); t.AddInPlace(x)`, true, "HOP101", nil},
	{"generic alias", "", "type vec[E any] = []E\nfunc firstOf[E any](v vec[E]) E { return v[0] }\n", `firstOf(vec[T]{c}).AddInPlace(x)`, true, "HOP101", nil},
	{"embedded interface", "", "type applier interface{ Apply(T) T }\ntype holds struct{ applier }\n", `(holds{adder{x}}).Apply(c)`, true, "HOP101", nil},
	{"embedded interface twice", "", "type holds2 struct{ *holds }\n", `(holds2{&holds{adder{x}}}).Apply(c)`, true, "HOP101", nil},
	{"method expression", "", "", `f := adder.Apply; f(adder{x}, c)`, true, "HOP101", nil},
	{"method expression of pointer", "", "", `f := (*hop.Tensor).AddInPlace; f(c, x)`, true, "HOP101", nil},
	{"method expression of interface", "", "", `f := Mutator.Apply; f(adder{x}, c)`, true, "HOP101", nil},
	{"method expression in a map", "", "", `m := map[string]func(Mutator, T) T{"a": Mutator.Apply}; m["a"](adder{x}, c)`, true, "HOP101", nil},
	{"goroutine and channel", "", "", `ch := make(chan T); done := make(chan bool); go func() { (<-ch).AddInPlace(x); done <- true }(); ch <- c; <-done`, true, "HOP101", nil},
	{"waitgroup go", "sync", "", `var wg sync.WaitGroup; wg.Go(func() { c.AddInPlace(x) }); wg.Wait()`, true, "HOP101", nil},
	{"waitgroup go then write", "sync", "", `var wg sync.WaitGroup; t := x.Neg(); wg.Go(func() { t = c }); wg.Wait(); t.AddInPlace(x)`, true, "HOP101", nil},
	{"goroutine sets variable", "", "", `t, done := x.Neg(), make(chan bool); go func() { t = c; close(done) }(); <-done; t.AddInPlace(x)`, true, "HOP101", nil},
	{"goroutine reads later", "", "", `t, ch, done := x.Neg(), make(chan bool), make(chan bool); go func() { <-ch; t.AddInPlace(x); close(done) }(); t = c; close(ch); <-done`, true, "HOP101", nil},
	{"select receives", "", "", `ch, other := make(chan T, 1), make(chan T); ch <- c; select { case t := <-ch: t.AddInPlace(x); case t := <-other: t.Zero() }`, true, "HOP101", nil},
	{"select sends", "", "", `ch := make(chan T, 1); select { case ch <- c: default: }; (<-ch).AddInPlace(x)`, true, "HOP101", nil},
	{"channel of channels", "", "", `cc := make(chan chan T, 1); ch := make(chan T, 1); cc <- ch; ch <- c; (<-(<-cc)).AddInPlace(x)`, true, "HOP101", nil},
	{"range over channel", "", "", `ch := make(chan T, 2); ch <- x.Neg(); ch <- c; close(ch); for t := range ch { t.AddInPlace(x) }`, true, "HOP101", nil},
	{"defer changes named result", "", "func named(a, b T) (r T) {\n\tdefer func() { r = b }()\n\treturn a\n}\n", `named(x.Neg(), c).AddInPlace(x)`, true, "HOP101", nil},
	{"recover named result", "", "func recov(a, b T) (r T) {\n\tdefer func() {\n\t\tif recover() != nil {\n\t\t\tr = b\n\t\t}\n\t}()\n\tpanic(1)\n}\n", `recov(x.Neg(), c).AddInPlace(x)`, true, "HOP101", nil},
	{"recover keeps earlier", "", "func recov2(a, b T) (r T) {\n\tdefer func() { recover() }()\n\tr = b\n\tvar m map[string]int\n\tm[\"a\"] = 1\n\tr = a\n\treturn\n}\n", `recov2(x.Neg(), c).AddInPlace(x)`, true, "HOP101", nil},
	{"recover helper deferred", "", "func quiet() { recover() }\nfunc recov3(a, b T) (r T) {\n\tdefer quiet()\n\tr = b\n\tvar p *In\n\t_ = p.C\n\tr = a\n\treturn\n}\n", `recov3(x.Neg(), c).AddInPlace(x)`, true, "HOP101", nil},
	{"recover by index", "", "func recov4(a, b T, l []T, i int) (r T) {\n\tdefer func() { _ = recover() }()\n\tr = b\n\tl[i] = a\n\tr = a\n\treturn\n}\n", `recov4(x.Neg(), c, nil, 3).AddInPlace(x)`, true, "HOP101", nil},
	{"recover stored in variable by panic", "", "func recov5(p *T, b T) {\n\tdefer func() { recover() }()\n\t*p = b\n\tvar m map[string]int\n\tm[\"a\"] = 1\n\t*p = fresh()\n}\n", `var t T; recov5(&t, c); t.AddInPlace(x)`, true, "HOP101", nil},
	{"labelled continue", "", "", "t := x.Neg()\nouter:\n\tfor i := range 3 {\n\t\tfor j := range 3 {\n\t\t\tif j == 1 {\n\t\t\t\tcontinue outer\n\t\t\t}\n\t\t\tif i == 1 {\n\t\t\t\tt = c\n\t\t\t\tbreak outer\n\t\t\t}\n\t\t}\n\t}\n\tt.AddInPlace(x)", true, "HOP101", nil},
	{"goto", "", "", "t := x.Neg(); i := 0\nagain1:\n\tif i == 1 {\n\t\tt = c\n\t}\n\tif i++; i < 3 {\n\t\tgoto again1\n\t}\n\tt.AddInPlace(x)", true, "HOP101", nil},
	{"closure rebinds", "", "", `t := x.Neg(); set := func(v T) { t = v }; set(c); t.AddInPlace(x)`, true, "HOP101", nil},
	{"closure rebinds through two", "", "", `t := x.Neg(); set := func(v T) func() { return func() { t = v } }; f := set(c); f(); t.AddInPlace(x)`, true, "HOP101", nil},
	{"closure rebinds itself", "", "", `var f func(T); f = func(t T) { f = func(t T) { t.AddInPlace(x) } }; f(c); f(c)`, true, "HOP101", nil},
	{"key of map pointer struct", "", "type key struct {\n\tt T\n\tn int\n}\n", `m := map[key]int{{c, 1}: 1}; for k := range m { k.t.AddInPlace(x) }`, true, "HOP101", nil},
	{"key of map array", "", "", `m := map[[2]T]int{{x, c}: 1}; for k := range m { k[1].AddInPlace(x) }`, true, "HOP101", nil},
	{"key of map interface of struct", "", "", `m := map[any]int{key{c, 1}: 1}; for k := range m { k.(key).t.AddInPlace(x) }`, true, "HOP101", nil},
	{"maps.Keys", "maps", "", `for k := range maps.Keys(map[T]int{c: 1}) { k.AddInPlace(x) }`, true, "HOP101", nil},
	{"maps.Values sorted", "maps slices", "", `slices.SortedFunc(maps.Values(map[int]T{1: c}), func(a, b T) int { return 0 })[0].AddInPlace(x)`, true, "HOP101", nil},
	{"maps.All", "maps", "", `for _, v := range maps.All(map[int]T{1: c}) { v.AddInPlace(x) }`, true, "HOP101", nil},
	{"maps.Clone", "maps", "", `maps.Clone(map[int]T{1: c})[1].AddInPlace(x)`, true, "HOP101", nil},
	{"maps.Copy", "maps", "", `d := map[int]T{}; maps.Copy(d, map[int]T{1: c}); d[1].AddInPlace(x)`, true, "HOP101", nil},
	{"maps.Insert", "maps", "", `d := map[int]T{}; maps.Insert(d, maps.All(map[int]T{1: c})); d[1].AddInPlace(x)`, true, "HOP101", nil},
	{"maps.DeleteFunc", "maps", "", `maps.DeleteFunc(map[int]T{1: c}, func(_ int, t T) bool { t.AddInPlace(x); return true })`, true, "HOP101", nil},
	{"map keyed by pointer to struct", "", "", `p := &S{A: c}; m := map[*S]bool{p: true}; for k := range m { k.A.AddInPlace(x) }`, true, "HOP101", nil},
	{"array of arrays", "", "", `var a [2][2]T; a[0][1] = c; i, j := 0, 1; for range 1 { a[i][j].AddInPlace(x) }`, true, "HOP101", nil},
	{"array of arrays copied", "", "", `a := [2][2]T{{x.Neg(), c}, {}}; b := a; b[0][1].AddInPlace(x)`, true, "HOP101", nil},
	{"array compared and ranged", "", "", `a := [2]T{x.Neg(), c}; for _, t := range a { t.AddInPlace(x) }`, true, "HOP101", nil},
	{"range pointer to array", "", "", `a := [2]T{x.Neg(), c}; for _, t := range &a { t.AddInPlace(x) }`, true, "HOP101", nil},
	{"struct copy by range", "", "", `for _, s := range []S{{A: c}} { s.A.AddInPlace(x) }`, true, "HOP101", nil},
	{"struct copy by range kept", "", "", `var l []S; for _, s := range []S{{A: c}, {A: x.Neg()}} { l = append(l, s) }; l[0].A.AddInPlace(x)`, true, "HOP101", nil},
	{"named slice types", "", "type ts1 []T\ntype ts2 []T\n", `a := ts1{c}; b := ts2(a); b[0].AddInPlace(x)`, true, "HOP101", nil},
	{"named slice method", "", "func (l ts1) zero() {\n\tfor i := range l {\n\t\tl[i].Zero()\n\t}\n}\n", `ts1([]T{c}).zero()`, true, "HOP101", nil},
	{"struct conversion", "", "type sA struct{ t T }\ntype sB struct{ t T }\n", `a := sA{c}; sB(a).t.AddInPlace(x)`, true, "HOP101", nil},
	{"pointer to struct conversion", "", "", `a := &sA{x.Neg()}; b := (*sB)(a); b.t = c; a.t.AddInPlace(x)`, true, "HOP101", nil},
	{"slice to array pointer", "", "", `l := []T{x.Neg(), c}; a := (*[2]T)(l); a[1].AddInPlace(x)`, true, "HOP101", nil},
	{"slice to array pointer stored", "", "", `l := []T{x.Neg(), x.Neg()}; a := (*[2]T)(l); a[1] = c; l[1].AddInPlace(x)`, true, "HOP101", nil},
	{"slice to array", "", "", `l := []T{x.Neg(), c}; a := [2]T(l); a[1].AddInPlace(x)`, true, "HOP101", nil},
	{"slice of slice to array pointer", "", "", `l := []T{x.Neg(), x.Neg(), c}; a := (*[1]T)(l[2:]); a[0].AddInPlace(x)`, true, "HOP101", nil},
	{"min of index", "", "", `l := []T{x.Neg(), c}; l[min(1, len(l))].AddInPlace(x)`, true, "HOP101", nil},
	{"clear then store", "", "", `m := map[string]T{"a": x.Neg()}; clear(m); m["b"] = c; for _, t := range m { t.AddInPlace(x) }`, true, "HOP101", nil},
	{"OnceValues", "sync", "", `f := sync.OnceValues(func() (T, error) { return c, nil }); t, _ := f(); t.AddInPlace(x)`, true, "HOP101", nil},
	{"Once.Do", "sync", "", `var o sync.Once; t := x.Neg(); o.Do(func() { t = c }); t.AddInPlace(x)`, true, "HOP101", nil},
	{"atomic pointer cas", "sync/atomic", "", `var p atomic.Pointer[hop.Tensor]; p.CompareAndSwap(nil, c); p.Load().AddInPlace(x)`, true, "HOP101", nil},
	{"atomic pointer in struct", "sync/atomic", "type box struct{ p atomic.Pointer[S] }\n", `b := &box{}; b.p.Store(&S{A: c}); b.p.Load().A.AddInPlace(x)`, true, "HOP101", nil},
	{"sort.Slice callback", "sort", "", `l := []T{c, x.Neg()}; sort.Slice(l, func(i, j int) bool { l[j].AddInPlace(x); return false })`, true, "HOP101", nil},
	{"sort.Sort", "sort", "type sorter []T\nfunc (s sorter) Len() int { return len(s) }\nfunc (s sorter) Less(i, j int) bool { s[j].Zero(); return false }\nfunc (s sorter) Swap(i, j int) {}\n", `sort.Sort(sorter{c, x.Neg()})`, true, "HOP101", nil},
	{"sort.Search", "sort", "", `sort.Search(2, func(i int) bool { c.AddInPlace(x); return true })`, true, "HOP101", nil},
	{"slices.SortFunc", "slices", "", `slices.SortFunc([]T{c, x.Neg()}, func(a, b T) int { b.AddInPlace(x); return 0 })`, true, "HOP101", nil},
	{"slices.IndexFunc", "slices", "", `slices.IndexFunc([]T{c}, func(a T) bool { a.AddInPlace(x); return true })`, true, "HOP101", nil},
	{"slices.Concat", "slices", "", `slices.Concat([]T{x.Neg()}, []T{c})[1].AddInPlace(x)`, true, "HOP101", nil},
	{"slices.Insert", "slices", "", `slices.Insert([]T{x.Neg()}, 0, c)[0].AddInPlace(x)`, true, "HOP101", nil},
	{"slices.Reverse", "slices", "", `l := []T{c, x.Neg()}; slices.Reverse(l); l[1].AddInPlace(x)`, true, "HOP101", nil},
	{"slices.Backward", "slices", "", `for _, t := range slices.Backward([]T{c}) { t.AddInPlace(x) }`, true, "HOP101", nil},
	{"slices.Chunk", "slices", "", `for l := range slices.Chunk([]T{c, x.Neg()}, 1) { l[0].AddInPlace(x) }`, true, "HOP101", nil},
	{"slices.MaxFunc", "slices", "", `slices.MaxFunc([]T{c}, func(a, b T) int { return 0 }).AddInPlace(x)`, true, "HOP101", nil},
	{"slices.Repeat", "slices", "", `slices.Repeat([]T{c}, 2)[1].AddInPlace(x)`, true, "HOP101", nil},
	{"slices.Grow clip", "slices", "", `l := slices.Grow([]T{c}, 4); slices.Clip(l)[0].AddInPlace(x)`, true, "HOP101", nil},
	{"slices.BinarySearchFunc", "slices", "", `slices.BinarySearchFunc([]T{c}, x, func(a, b T) int { a.AddInPlace(b); return 0 })`, true, "HOP101", nil},
	{"cmp.Or", "cmp", "", `cmp.Or(nil, c).AddInPlace(x)`, true, "HOP101", nil},
	{"builder owner", "", "type builder struct {\n\taddr *builder\n\tbuf  []T\n}\nfunc (b *builder) add(t T) *builder {\n\tif b.addr == nil {\n\t\tb.addr = b\n\t}\n\tb.addr.buf = append(b.addr.buf, t)\n\treturn b.addr\n}\n", `var b builder; b.add(x.Neg()).add(c); b.buf[1].AddInPlace(x)`, true, "HOP101", nil},
	{"package variable function", "", "var step1 = func(t, by T) { t.AddInPlace(by) }\n", `step1(c, x)`, false, "HOP101", nil},
	{"package variable function reassigned", "", "var step2 = func(t, by T) {}\nfunc useStep2() { step2 = func(t, by T) { t.AddInPlace(by) } }\n", `useStep2(); step2(c, x)`, true, "HOP101", nil},
	{"package variable set in init", "", "var step3 func(t, by T)\nfunc init() { step3 = func(t, by T) { t.AddInPlace(by) } }\n", `step3(c, x)`, false, "HOP101", nil},
	{"package variable init order", "", "var table4 = map[string]func(T, T){\"a\": step4}\nvar step4 = mk4()\nfunc mk4() func(T, T) { return func(t, by T) { t.AddInPlace(by) } }\n", `table4["a"](c, x)`, false, "HOP101", nil},
	{"package variable interface", "", "var mut5 Mutator = adder{hop.Scalar(1.0)}\n", `mut5.Apply(c)`, false, "HOP101", nil},
	{"package variable pointer to interface", "", "var mut6 = []Mutator{adder{hop.Scalar(1.0)}, copier{}}\n", `for _, m := range mut6 { m.Apply(c) }`, false, "HOP101", nil},
	{"package variable holds carry", "", "var global7 T\n", `global7 = c; global7.AddInPlace(x)`, true, "HOP101", nil},
	{"package variable through function", "", "var global8 *S\nfunc put8(t T) { global8 = &S{A: t} }\nfunc get8() T { return global8.A }\n", `put8(c); get8().AddInPlace(x)`, true, "HOP101", nil},
	{"package map registry", "", "var reg9 = map[string]T{}\nfunc reg(t T) { reg9[\"k\"] = t }\nfunc look() T { return reg9[\"k\"] }\n", `reg(c); look().AddInPlace(x)`, true, "HOP101", nil},
	{"package func var via pointer", "", "var f10 = func(t T) {}\nfunc ptr10() *func(T) { return &f10 }\n", `*ptr10() = func(t T) { t.AddInPlace(x.Clone()) }; f10(c)`, true, "HOP101", nil},
	{"package struct var func field via pointer", "", "type ops struct{ run func(T) }\nvar ops11 = ops{func(T) {}}\nfunc (o *ops) set(f func(T)) { o.run = f }\n", `ops11.set(func(t T) { t.Zero() }); ops11.run(c)`, true, "HOP101", nil},
	{"package slice of funcs via alias", "", "var fs12 = []func(T){func(T) {}}\n", `l := fs12; l[0] = func(t T) { t.Zero() }; fs12[0](c)`, true, "HOP101", nil},
	{"package map of funcs via alias", "", "var fs13 = map[string]func(T){\"a\": func(T) {}}\nfunc fm13() map[string]func(T) { return fs13 }\n", `fm13()["a"] = func(t T) { t.Zero() }; fs13["a"](c)`, true, "HOP101", nil},
	{"package interface var via pointer", "", "var mut14 Mutator = copier{}\nfunc p14() *Mutator { return &mut14 }\n", `*p14() = adder{x.Clone()}; mut14.Apply(c)`, true, "HOP101", nil},
	{"package func var by append", "", "var fs15 []func(T)\nfunc add15(f func(T)) { fs15 = append(fs15, f) }\n", `add15(func(t T) { t.Zero() }); for _, f := range fs15 { f(c) }`, true, "HOP101", nil},
	{"method value of embedded pointer", "", "type inner struct{ t T }\nfunc (i *inner) zero() { i.t.Zero() }\ntype outer16 struct{ *inner }\n", `f := outer16{&inner{c}}.zero; f()`, true, "HOP101", nil},
	{"method value binds before rebind", "", "", `o := outer16{&inner{c}}; f := o.zero; o.inner = &inner{x.Neg()}; f()`, true, "HOP101", nil},
	{"method value by value copy", "", "type val17 struct{ t T }\nfunc (v val17) zero() { v.t.Zero() }\n", `v := val17{c}; f := v.zero; v.t = x.Neg(); f()`, true, "HOP101", nil},
	{"shadowed variable", "", "", `t := x.Neg(); if t := c; true { t.AddInPlace(x) }; t.Zero()`, true, "HOP101", nil},
	{"variadic forwarding", "", "func v1(ts ...T) { v2(ts...) }\nfunc v2(ts ...T) { v3(ts[0], ts[1:]...) }\nfunc v3(t T, ts ...T) { ts[len(ts)-1].Zero() }\n", `v1(x.Neg(), x.Neg(), c)`, true, "HOP101", nil},
	{"variadic of any", "", "func va(ts ...any) { ts[1].(T).Zero() }\n", `va(1, c)`, true, "HOP101", nil},
	{"variadic keeps the list", "", "func keepAll(to *[]T, ts ...T) { *to = ts }\n", `var l []T; keepAll(&l, x.Neg(), c); l[1].AddInPlace(x)`, true, "HOP101", nil},
	{"type switch shared case", "", "", `var v any = adder{x}; switch m := v.(type) { case copier, adder: m.(Mutator).Apply(c) }`, true, "HOP101", nil},
	{"type switch shared case of pointers", "", "", `var v any = c; switch m := v.(type) { case int, T: m.(T).AddInPlace(x) }`, true, "HOP101", nil},
	{"pointer method constraint", "", "type setter[E any] interface {\n\t*E\n\tset2(T)\n}\ntype cell struct{ t T }\nfunc (p *cell) set2(t T) { t.Zero() }\nfunc build[E any, P setter[E]](t T) *E {\n\tvar e E\n\tP(&e).set2(t)\n\treturn &e\n}\n", `build[cell](c)`, true, "HOP101", nil},
	{"generic method of interface constraint", "", "func applyAll[M Mutator](ms []M, t T) {\n\tfor _, m := range ms {\n\t\tm.Apply(t)\n\t}\n}\n", `applyAll([]adder{{x}}, c)`, true, "HOP101", nil},
	{"generic any to interface", "", "type runner interface{ run(T) }\ntype doer struct{ by T }\nfunc (d doer) run(t T) { t.AddInPlace(d.by) }\nfunc runAny[R any](r R, t T) { any(r).(runner).run(t) }\n", `runAny(doer{x}, c)`, true, "HOP101", nil},
	{"generic any to interface pointer", "", "type pdoer struct{ by T }\nfunc (d *pdoer) run(t T) { t.AddInPlace(d.by) }\n", `runAny(&pdoer{x}, c)`, true, "HOP101", nil},
	{"generic any comma ok", "", "func runOk[R any](r R, t T) {\n\tif q, ok := any(r).(runner); ok {\n\t\tq.run(t)\n\t}\n}\n", `runOk(doer{x}, c)`, true, "HOP101", nil},
	{"generic any switch", "", "func runSwitch[R any](r R, t T) {\n\tswitch q := any(r).(type) {\n\tcase runner:\n\t\tq.run(t)\n\tcase int:\n\t}\n}\n", `runSwitch(doer{x}, c)`, true, "HOP101", nil},
	{"generic any concrete", "", "func runConcrete[R any](r R, t T) { any(r).(doer).run(t) }\n", `runConcrete(doer{x}, c)`, true, "HOP101", nil},
	{"generic any pointer", "", "func runPtr[R any](t T) {\n\tvar r R\n\tany(&r).(runner).run(t)\n}\ntype zdoer struct{}\nfunc (z *zdoer) run(t T) { t.Zero() }\n", `runPtr[zdoer](c)`, false, "HOP101", nil},
	{"generic any zero", "", "func runZero[R any](t T) {\n\tvar r R\n\tany(r).(runner).run(t)\n}\ntype zvdoer struct{}\nfunc (z zvdoer) run(t T) { t.Zero() }\n", `runZero[zvdoer](c)`, false, "HOP101", nil},
	{"generic any in slice", "", "func runSlice[R any](rs []R, t T) {\n\tfor _, r := range rs {\n\t\tany(r).(runner).run(t)\n\t}\n}\n", `runSlice([]doer{{x}}, c)`, true, "HOP101", nil},
	{"generic any in closure", "", "func runClosure[R any](r R) func(T) { return func(t T) { any(r).(runner).run(t) } }\n", `runClosure(doer{x})(c)`, false, "HOP101", nil},
	{"generic any method of generic type", "", "type gbox[R any] struct{ r R }\nfunc (b gbox[R]) run(t T) { any(b.r).(runner).run(t) }\n", `gbox[doer]{doer{x}}.run(c)`, true, "HOP101", nil},
	{"generic any method of generic pointer", "", "type gbox2[R any] struct{ r R }\nfunc (b *gbox2[R]) run(t T) { any(b.r).(runner).run(t) }\n", `(&gbox2[doer]{doer{x}}).run(c)`, true, "HOP101", nil},
	{"generic any through two", "", "func runTwice[R any](r R, t T) { runAny(r, t) }\n", `runTwice(doer{x}, c)`, true, "HOP101", nil},
	{"generic any func", "", "func runFunc[F any](f F, t T) { any(f).(func(T))(t) }\n", `runFunc(func(t T) { t.AddInPlace(x) }, c)`, true, "HOP101", nil},
	{"generic any tensor", "", "func zeroAny[R any](r R) { any(r).(T).Zero() }\n", `zeroAny(c)`, true, "HOP101", nil},
	{"generic any struct with tensor", "", "func zeroS[R any](r R) {\n\tif s, ok := any(r).(S); ok {\n\t\ts.A.Zero()\n\t}\n}\n", `zeroS(S{A: c})`, true, "HOP101", nil},
	{"recursion through interfaces", "", "type visitor interface{ visit(T, int) }\ntype even struct{ o visitor }\ntype odd struct{ o visitor }\nfunc (e *even) visit(t T, n int) {\n\tif n == 0 {\n\t\tt.Zero()\n\t\treturn\n\t}\n\te.o.visit(t, n-1)\n}\nfunc (e *odd) visit(t T, n int) { e.o.visit(t, n-1) }\n", `e, o := &even{}, &odd{}; e.o, o.o = o, e; e.visit(c, 4)`, true, "HOP101", nil},
	{"unsafe.Slice of array", "unsafe", "", `a := [2]T{x.Neg(), c}; unsafe.Slice(&a[0], 2)[1].AddInPlace(x)`, true, "HOP101", nil},
	{"unsafe.Add", "unsafe", "", `a := [2]T{x.Neg(), c}; (*(*T)(unsafe.Add(unsafe.Pointer(&a[0]), unsafe.Sizeof(a[0])))).AddInPlace(x)`, false, "HOP101", nil},
	{"reflect Elem", "reflect", "", `s := &S{A: c}; reflect.ValueOf(s).Elem().FieldByName("A").Interface().(T).AddInPlace(x)`, false, "HOP101", nil},
	{"reflect Swapper", "reflect", "", `l := []T{x.Neg(), c}; reflect.Swapper(l)(0, 1); l[0].AddInPlace(x)`, false, "HOP101", nil},
	{"reflect Append", "reflect", "", `l := reflect.Append(reflect.ValueOf([]T{}), reflect.ValueOf(c)).Interface().([]T); l[0].AddInPlace(x)`, false, "HOP101", nil},
	{"reflect map range", "reflect", "", `it := reflect.ValueOf(map[string]T{"a": c}).MapRange(); it.Next(); it.Value().Interface().(T).AddInPlace(x)`, false, "HOP101", nil},
	{"reflect TypeAssert", "reflect", "", `t, _ := reflect.TypeAssert[T](reflect.ValueOf(c)); t.AddInPlace(x)`, true, "HOP101", nil},
	{"heap", "container/heap", "type hp []T\nfunc (h hp) Len() int { return len(h) }\nfunc (h hp) Less(i, j int) bool { return false }\nfunc (h hp) Swap(i, j int) { h[i], h[j] = h[j], h[i] }\nfunc (h *hp) Push(v any) { *h = append(*h, v.(T)) }\nfunc (h *hp) Pop() any {\n\to := *h\n\tv := o[len(o)-1]\n\t*h = o[:len(o)-1]\n\treturn v\n}\n", `h := &hp{}; heap.Push(h, c); heap.Pop(h).(T).AddInPlace(x)`, true, "HOP101", nil},
	{"bytes of strings.Map", "strings", "", `strings.Map(func(r rune) rune { c.AddInPlace(x); return r }, "a")`, true, "HOP101", nil},
	{"strings.FieldsFunc", "strings", "", `strings.FieldsFunc("a", func(rune) bool { c.AddInPlace(x); return true })`, true, "HOP101", nil},
	{"time.AfterFunc", "time", "", `done := make(chan bool); time.AfterFunc(0, func() { c.AddInPlace(x); close(done) }); <-done`, true, "HOP101", nil},
	{"context.AfterFunc", "context", "", `ctx, cancel := context.WithCancel(context.Background()); done := make(chan bool); context.AfterFunc(ctx, func() { c.AddInPlace(x); close(done) }); cancel(); <-done`, false, "HOP101", nil},
	{"runtime.AddCleanup", "runtime time", "", `p := new([64]int); runtime.AddCleanup(p, func(t T) { t.Zero() }, c); p = nil; runtime.GC(); time.Sleep(50*time.Millisecond); _ = p`, false, "HOP101", nil},
	{"flag.Func", "flag", "", `fs := flag.NewFlagSet("a", flag.ContinueOnError); fs.Func("a", "", func(string) error { c.AddInPlace(x); return nil }); fs.Parse([]string{"-a", "1"})`, false, "HOP101", nil},
	{"flag.Var", "flag", "type fv struct{ t T }\nfunc (f fv) String() string { return \"\" }\nfunc (f fv) Set(string) error { f.t.Zero(); return nil }\n", `fs := flag.NewFlagSet("a", flag.ContinueOnError); fs.Var(fv{c}, "a", ""); fs.Parse([]string{"-a", "1"})`, false, "HOP101", nil},
	{"text/template func", "text/template io", "", `template.Must(template.New("").Funcs(template.FuncMap{"f": func() string { c.AddInPlace(x); return "" }}).Parse("{{f}}")).Execute(io.Discard, nil)`, false, "HOP101", nil},
	{"regexp func", "regexp", "", `regexp.MustCompile("a").ReplaceAllStringFunc("a", func(s string) string { c.AddInPlace(x); return s })`, true, "HOP101", nil},
	{"json unmarshaler", "encoding/json", "type uj struct{ t T }\nfunc (u uj) UnmarshalJSON([]byte) error { u.t.Zero(); return nil }\n", `json.Unmarshal([]byte("1"), &uj{c})`, false, "HOP101", nil},
	{"io.Copy writer", "io strings", "", `io.Copy(writer{c, x}, strings.NewReader("a"))`, true, "HOP101", nil},
	{"bufio writer", "bufio", "", `b := bufio.NewWriter(writer{c, x}); b.WriteString("a"); b.Flush()`, true, "HOP101", nil},
	{"io.MultiWriter", "io", "", `io.MultiWriter(writer{c, x}).Write([]byte("a"))`, true, "HOP101", nil},
	{"fmt.Fprint", "fmt", "", `fmt.Fprint(writer{c, x}, "a")`, true, "HOP101", nil},
	{"errors.Join", "errors", "", `var f *failure; if errors.As(errors.Join(&failure{c}), &f) { f.t.AddInPlace(x) }`, false, "HOP101", nil},
	{"error returned", "", "func fails(t T) error { return &failure{t} }\n", `fails(c).(*failure).t.AddInPlace(x)`, true, "HOP101", nil},
	{"sync.Cond", "sync", "type lk struct{ t T }\nfunc (l lk) Lock() { l.t.Zero() }\nfunc (l lk) Unlock() {}\n", `k := sync.NewCond(lk{c}); k.L.Lock()`, false, "HOP101", nil},
	{"math/rand Shuffle", "math/rand/v2", "", `rand.Shuffle(2, func(i, j int) { c.AddInPlace(x) })`, true, "HOP101", nil},
	{"linkname free two result chain", "", "func swap2(a, b T) (T, T) { return b, a }\nfunc pass2(a, b T) (T, T) { return swap2(swap2(swap2(a, b))) }\n", `_, t := pass2(c, x); t2, _ := pass2(x, c); _ = t; t2.AddInPlace(x)`, true, "HOP101", nil},
	{"cap append", "", "", `l := make([]T, 1, 4); m := append(l, c); _ = m; l[:2][1].AddInPlace(x)`, true, "HOP101", nil},
	{"nested append capacity", "", "func app(l []T, t T) { _ = append(l, t) }\n", `l := make([]T, 1, 4); app(l, c); l[:2][1].AddInPlace(x)`, true, "HOP101", nil},
	{"copy overlap", "", "", `l := []T{c, x.Neg()}; copy(l[1:], l); l[1].AddInPlace(x)`, true, "HOP101", nil},
	{"three index slice", "", "", `l := []T{x.Neg(), c, x.Neg()}; m := l[1:2:2]; m[0].AddInPlace(x)`, true, "HOP101", nil},
	{"pointer to element", "", "", `l := []T{x.Neg()}; p := &l[0]; *p = c; l[0].AddInPlace(x)`, true, "HOP101", nil},
	{"pointer to pointer", "", "", `t := x.Neg(); p := &t; q := &p; **q = c; t.AddInPlace(x)`, true, "HOP101", nil},
	{"pointer to pointer set", "", "", `t := x.Neg(); p := &t; q := &p; *q = &c; (*p).AddInPlace(x)`, true, "HOP101", nil},
	{"pointer to map element struct", "", "", `m := map[string]*S{"a": {}}; m["a"].A = c; for _, s := range m { s.A.AddInPlace(x) }`, true, "HOP101", nil},
	{"struct with func field", "", "type ff struct {\n\tf func(T)\n\tt T\n}\n", `a := ff{t: c}; a.f = func(t T) { t.AddInPlace(x) }; b := a; b.f(b.t)`, true, "HOP101", nil},
	{"func returning method value", "", "func mv(t T) func(T) T { return t.AddInPlace }\n", `mv(c)(x)`, true, "HOP101", nil},
	{"curried", "", "func cur(a T) func(T) func(T) T {\n\treturn func(b T) func(T) T { return func(d T) T { return a.AddInPlace(b.Add(d)) } }\n}\n", `cur(c)(x)(x)`, true, "HOP101", nil},
	{"y combinator", "", "type rec func(rec, T, int)\n", `var f rec = func(g rec, t T, n int) { if n == 0 { t.AddInPlace(x); return }; g(g, t, n-1) }; f(f, c, 3)`, true, "HOP101", nil},
	{"church", "", "func twice(f func(T) T) func(T) T { return func(t T) T { return f(f(t)) } }\n", `twice(twice(func(t T) T { return t.AddInPlace(x) }))(c)`, true, "HOP101", nil},
	{"method on func type", "", "type fn func(T)\nfunc (f fn) call(t T) { f(t) }\n", `fn(func(t T) { t.AddInPlace(x) }).call(c)`, true, "HOP101", nil},
	{"func type implements interface", "", "func (f fn) Apply(t T) T { f(t); return t }\n", `var m Mutator = fn(func(t T) { t.AddInPlace(x) }); m.Apply(c)`, true, "HOP101", nil},
	{"map type implements interface", "", "type mt map[string]T\nfunc (m mt) Apply(t T) T { return m[\"a\"].AddInPlace(t) }\n", `var m Mutator = mt{"a": c}; m.Apply(x)`, true, "HOP101", nil},
	{"interface in interface", "", "", `var a any = adder{x}; var b Mutator = a.(Mutator); var d any = b; d.(interface{ Apply(T) T }).Apply(c)`, true, "HOP101", nil},
	{"slice of any", "", "", `l := []any{1, "a", c}; for _, v := range l { if t, ok := v.(T); ok { t.AddInPlace(x) } }`, true, "HOP101", nil},
	{"array in interface", "", "", `var a any = [2]T{x.Neg(), c}; a.([2]T)[1].AddInPlace(x)`, true, "HOP101", nil},
	{"pointer to array in interface", "", "", `a := [2]T{x.Neg(), x.Neg()}; var v any = &a; v.(*[2]T)[1] = c; a[1].AddInPlace(x)`, true, "HOP101", nil},
	{"returns carry view", "", "", `if true { return c.View(-1).Reshape(), x.Clone() }`, true, "HOP301", nil},
	{"returns x", "", "", `if true { return c.Clone(), x }`, true, "HOP301", nil},
	{"returns through iter pull", "iter", "", `next, stop := iter.Pull(func(y func(T) bool) { y(c) }); defer stop(); t, _ := next(); if true { return t, x.Clone() }`, false, "HOP301", nil},
	{"returns global", "", "var keep20 = hop.Scalar(1.0)\n", `if true { return keep20, x.Clone() }`, true, "HOP303", nil},
	{"returns global via getter", "", "func g20() T { return keep20 }\n", `if true { return g20(), x.Clone() }`, true, "HOP303", nil},
	{"returns twice", "", "", `t := x.Neg(); if true { return t, t.View(-1).Reshape() }`, true, "HOP302", nil},
	{"returns twice via map", "", "", `m := map[string]T{}; t := x.Neg(); m["a"], m["b"] = t, t; if true { return m["a"], m["b"] }`, true, "HOP302", nil},
	{"writes global", "", "", `keep20.AddInPlace(x)`, true, "HOP104", nil},
	{"writes global getter", "", "", `g20().AddInPlace(x)`, true, "HOP104", nil},
	{"writes captured by closure var", "", "func counter21() func(T) {\n\tacc := hop.Scalar(1.0)\n\treturn func(t T) { acc.AddInPlace(t) }\n}\nvar inc21 = counter21()\n", `inc21(x)`, false, "HOP104", nil},
	{"io.Writer through a helper", "io", "func flush(w io.Writer) { w.Write(nil) }\n", `flush(writer{c, x})`, true, "HOP101", nil},
	{"io.Writer through a struct", "io", "type sink struct{ w io.Writer }\nfunc (s *sink) flush() { s.w.Write(nil) }\n", `(&sink{writer{c, x}}).flush()`, true, "HOP101", nil},
	{"io.Closer through a helper", "io", "type clo struct{ t T }\nfunc (c clo) Close() error { c.t.Zero(); return nil }\nfunc shut(c io.Closer) { defer c.Close() }\n", `shut(clo{c})`, true, "HOP101", nil},
	{"sync.Locker through a helper", "sync", "func locked(l sync.Locker) { l.Lock() }\n", `locked(lk{c})`, true, "HOP101", nil},
	{"sort.Interface through a helper", "sort", "func less(s sort.Interface) bool { return s.Less(1, 0) }\n", `less(sorter{c, x.Neg()})`, true, "HOP101", nil},
	{"own writer kept in a variable", "io", "var out22 io.Writer\n", `out22 = writer{c, x}; out22.Write(nil)`, true, "HOP101", nil},
	{"own source", "math/rand/v2", "type src23 struct{ t T }\nfunc (s src23) Uint64() uint64 { s.t.Zero(); return 1 }\n", `rand.New(src23{c}).Uint64()`, false, "HOP101", nil},
	{"own hash", "hash hash/crc32", "type hs24 struct {\n\thash.Hash32\n\tt T\n}\nfunc (h hs24) Reset() { h.t.Zero() }\nfunc reset24(h hash.Hash) { h.Reset() }\n", `reset24(hs24{crc32.NewIEEE(), c})`, true, "HOP101", nil},
	{"lib: write in another package", "hoplint.test/lib/w", "", `w.Zero(c)`, true, "HOP101", lib("w", "func Zero(t *hop.Tensor) { t.Zero() }")},
	{"lib: callback of another package", "hoplint.test/lib/cb", "", `cb.Each([]T{x.Neg(), c}, func(t T) { t.AddInPlace(x) })`, true, "HOP101", lib("cb", "func Each[E any](l []E, f func(E)) { for _, e := range l { f(e) } }")},
	{"lib: unexported interface", "hoplint.test/lib/ui", "type mine25 struct{ by T }\nfunc (m mine25) Run(t T) { t.AddInPlace(m.by) }\n", `ui.Do(mine25{x}, c)`, true, "HOP101", lib("ui", "type runner interface{ Run(*hop.Tensor) }\ntype quiet struct{}\nfunc (quiet) Run(*hop.Tensor) {}\nvar D runner = quiet{}\nfunc Do(r runner, t *hop.Tensor) { r.Run(t) }")},
	{"lib: unexported interface by assertion", "hoplint.test/lib/ua", "", `ua.Do(mine25{x}, c)`, true, "HOP101", lib("ua", "type runner interface{ Run(*hop.Tensor) }\ntype quiet struct{}\nfunc (quiet) Run(*hop.Tensor) {}\nvar D runner = quiet{}\nfunc Do(v any, t *hop.Tensor) { v.(runner).Run(t) }")},
	{"lib: unexported interface stored", "hoplint.test/lib/us", "", `us.Set(mine25{x}); us.Do(c)`, false, "HOP101", lib("us", "type runner interface{ Run(*hop.Tensor) }\ntype quiet struct{}\nfunc (quiet) Run(*hop.Tensor) {}\nvar d runner = quiet{}\nfunc Set(r runner) { d = r }\nfunc Do(t *hop.Tensor) { d.Run(t) }")},
	{"lib: unexported interface in a field", "hoplint.test/lib/uf", "", `b := uf.New(mine25{x}); b.Do(c)`, true, "HOP101", lib("uf", "type runner interface{ Run(*hop.Tensor) }\ntype quiet struct{}\nfunc (quiet) Run(*hop.Tensor) {}\ntype Box struct{ r runner }\nfunc New(r runner) *Box { if r == nil { r = quiet{} }; return &Box{r} }\nfunc (b *Box) Do(t *hop.Tensor) { b.r.Run(t) }")},
	{"lib: unexported constraint", "hoplint.test/lib/uc", "", `uc.Do(mine25{x}, c)`, true, "HOP101", lib("uc", "type runner interface{ Run(*hop.Tensor) }\ntype quiet struct{}\nfunc (quiet) Run(*hop.Tensor) {}\nvar D runner = quiet{}\nfunc Do[R runner](r R, t *hop.Tensor) { runner(r).Run(t) }")},
	{"lib: function variable set by a function", "hoplint.test/lib/fs", "", `fs.Set(func(t T) { t.Zero() }); fs.Run(c)`, false, "HOP101", lib("fs", "var hook = func(*hop.Tensor) {}\nfunc Set(f func(*hop.Tensor)) { hook = f }\nfunc Run(t *hop.Tensor) { hook(t) }")},
	{"lib: registry", "hoplint.test/lib/rg", "func init() { rg.Register(\"zero\", func(t T) { t.Zero() }) }\n", `rg.Run("zero", c)`, false, "HOP101", lib("rg", "var all = map[string]func(*hop.Tensor){\"none\": func(*hop.Tensor) {}}\nfunc Register(n string, f func(*hop.Tensor)) { all[n] = f }\nfunc Run(n string, t *hop.Tensor) { all[n](t) }")},
	{"lib: keeps and writes later", "hoplint.test/lib/kw", "", `var b kw.Box; b.Put(c); b.Flush()`, true, "HOP101", lib("kw", "type Box struct{ ts []*hop.Tensor }\nfunc (b *Box) Put(t *hop.Tensor) { b.ts = append(b.ts, t) }\nfunc (b *Box) Flush() { for _, t := range b.ts { t.Zero() } }")},
	{"lib: keeps in its variable", "hoplint.test/lib/kv", "", `kv.Put(c); kv.Flush()`, true, "HOP101", lib("kv", "var kept []*hop.Tensor\nfunc Put(t *hop.Tensor) { kept = append(kept, t) }\nfunc Flush() { for _, t := range kept { t.Zero() } }")},
	{"lib: starts a goroutine", "hoplint.test/lib/sg", "", `ch, done := make(chan T), make(chan bool); sg.Start(ch, done); ch <- c; <-done`, false, "HOP101", lib("sg", "func Start(ch chan *hop.Tensor, done chan bool) { go func() { (<-ch).Zero(); done <- true }() }")},
	{"starts a goroutine", "", "func start26(ch chan T, done chan bool) { go func() { (<-ch).Zero(); done <- true }() }\n", `ch, done := make(chan T), make(chan bool); start26(ch, done); ch <- c; <-done`, false, "HOP101", nil},
	{"goroutines in a row", "", "", `a, b, d, done := make(chan T), make(chan T), make(chan T), make(chan bool); go func() { (<-d).AddInPlace(x); close(done) }(); go func() { d <- <-b }(); go func() { b <- <-a }(); a <- c; <-done`, true, "HOP101", nil},
	{"lib: iterator", "hoplint.test/lib/it", "", `for t := range it.Of(x.Neg(), c) { t.AddInPlace(x) }`, true, "HOP101", lib("it", "func Of[E any](l ...E) func(func(E) bool) { return func(y func(E) bool) { for _, e := range l { if !y(e) { return } } } }")},
	{"lib: recovers", "hoplint.test/lib/rc", "", `t := func() (r T) { defer rc.Guard(); r = c; var m map[int]int; m[0] = 1; r = x.Neg(); return }(); t.AddInPlace(x)`, false, "HOP101", lib("rc", "func Guard() { recover() }")},
	{"recovers through a variable", "", "", `t := func() (r T) { f := func() { recover() }; defer f(); r = c; var m map[int]int; m[0] = 1; r = x.Neg(); return }(); t.AddInPlace(x)`, true, "HOP101", nil},
	{"callee stores and panics", "", "func setPanic27(p *T, t T) {\n\t*p = t\n\tpanic(1)\n}\n", `t := x.Neg(); func() { defer func() { recover() }(); setPanic27(&t, c) }(); t.AddInPlace(x)`, true, "HOP101", nil},
	{"callee stores, panics or stores again", "", "func setPanic28(p *T, t, u T, i int) {\n\t*p = t\n\t_ = []int{1}[i]\n\t*p = u\n}\n", `t := x.Neg(); func() { defer func() { recover() }(); setPanic28(&t, c, x.Neg(), len(flags)) }(); t.AddInPlace(x)`, true, "HOP101", nil},
	{"lib: callee stores and panics", "hoplint.test/lib/sp", "", `t := x.Neg(); func() { defer func() { recover() }(); sp.Set(&t, c) }(); t.AddInPlace(x)`, false, "HOP101", lib("sp", "func Set(p **hop.Tensor, t *hop.Tensor) { *p = t; panic(1) }")},
	{"lib: generic any", "hoplint.test/lib/ga", "", `ga.Do(mine25{x}, c)`, true, "HOP101", lib("ga", "type Runner interface{ Run(*hop.Tensor) }\nfunc Do[R any](r R, t *hop.Tensor) { any(r).(Runner).Run(t) }")},
	{"lib: generic any closure", "hoplint.test/lib/gc", "", `gc.Make(mine25{x})(c)`, false, "HOP101", lib("gc", "type Runner interface{ Run(*hop.Tensor) }\nfunc Make[R any](r R) func(*hop.Tensor) { return func(t *hop.Tensor) { any(r).(Runner).Run(t) } }")},
	{"lib: many fields set and written", "hoplint.test/lib/ms", "", `b := &ms.Big{}; b.Set(c); b.F7.T.AddInPlace(x)`, true, "HOP101", lib("ms", bigStruct(20)+"func (b *Big) Set(t *hop.Tensor) {\n"+each(20, "\tb.F%d.T = t\n")+"}")},
	{"many nil fields written", "", bigStruct29(80) + "func zeroIf29(b *Big29) {\n" + each(80, "\tif b.F%d.C != nil {\n\t\tb.F%[1]d.C.Zero()\n\t}\n") + "}\n", `b := Big29{F9: In{C: c}}; zeroIf29(&b)`, false, "HOP101", nil},
	{"many pointer fields written", "", bigPtr30(80) + "func zero30(b *Big30) {\n" + each(80, "\tif b.F%d != nil {\n\t\tb.F%[1]d.C.Zero()\n\t}\n") + "}\n", `b := Big30{F9: &In{C: c}}; zero30(&b)`, false, "HOP101", nil},
	{"many fields set and read", "", "func set29(b *Big29, t T) {\n" + each(80, "\tb.F%d.C = t\n") + "}\n", `b := &Big29{}; set29(b, c); b.F77.C.AddInPlace(x)`, true, "HOP101", nil},
	{"lib: many nil fields written", "hoplint.test/lib/mn", "", `b := mn.Big{F9: mn.In{T: c}}; mn.Zero(&b)`, false, "HOP101", lib("mn", bigStruct(20)+"func Zero(b *Big) {\n"+each(20, "\tif b.F%d.T != nil {\n\t\tb.F%[1]d.T.Zero()\n\t}\n")+"}")},
	{"lib: many pointer fields written", "hoplint.test/lib/mp", "", `b := mp.Big{F9: &mp.In{T: c}}; mp.Zero(&b)`, false, "HOP101", lib("mp", "type In struct{ T *hop.Tensor }\ntype Big struct {\n"+each(20, "\tF%d *In\n")+"}\nfunc Zero(b *Big) {\n"+each(20, "\tif b.F%d != nil {\n\t\tb.F%[1]d.T.Zero()\n\t}\n")+"}")},
	{"lib: many paths behind many roots", "hoplint.test/lib/mr", "", `b := &mr.Big{}; b.F3.T = c; mr.Zero(x.Neg(), b)`, false, "HOP101", lib("mr", bigStruct(20)+"func Zero(t *hop.Tensor, b *Big) {\n\tt.Zero()\n"+each(20, "\tif b.F%d.T != nil {\n\t\tb.F%[1]d.T.Zero()\n\t}\n")+"}")},
	{"captured node linked third", "", "var list31 = &nd{hop.Scalar(1.0), &nd{hop.Scalar(1.0), nil}}\n", `(&nd{x.Neg(), &nd{x.Neg(), list31}}).end().AddInPlace(x)`, true, "HOP104", nil},
	{"captured node linked behind another", "", "var list32 = &nd{hop.Scalar(1.0), nil}\nfunc (n *nd) zero() {\n\tfor ; n != nil; n = n.next {\n\t\tn.t.AddInPlace(fresh().Sum())\n\t}\n}\n", `l := &nd{x.Neg(), &nd{x.Neg(), nil}}; l.next.next = list32; l.zero(); list32.t.AddInPlace(x)`, true, "HOP104", nil},
	{"tree of nodes", "", "type tr struct {\n\tt T\n\tkids []*tr\n}\nfunc (v *tr) each(f func(T)) {\n\tf(v.t)\n\tfor _, k := range v.kids {\n\t\tk.each(f)\n\t}\n}\n", `(&tr{x.Neg(), []*tr{{x.Neg(), []*tr{{c, nil}}}}}).each(func(t T) { t.AddInPlace(x) })`, true, "HOP101", nil},
	{"map of nodes", "", "type mnode struct {\n\tt T\n\tkids map[string]*mnode\n}\nfunc (v *mnode) at(path ...string) *mnode {\n\tfor _, p := range path {\n\t\tv = v.kids[p]\n\t}\n\treturn v\n}\n", `(&mnode{nil, map[string]*mnode{"a": {nil, map[string]*mnode{"b": {nil, map[string]*mnode{"c": {c, nil}}}}}}}).at("a", "b", "c").t.AddInPlace(x)`, true, "HOP101", nil},
	{"doubly linked", "", "type dl struct {\n\tt T\n\tprev, next *dl\n}\nfunc (n *dl) push(t T) *dl {\n\tm := &dl{t: t, prev: n}\n\tn.next = m\n\treturn m\n}\nfunc (n *dl) head() *dl {\n\tfor n.prev != nil {\n\t\tn = n.prev\n\t}\n\treturn n\n}\n", `(&dl{t: c}).push(x.Neg()).push(x.Neg()).push(x.Neg()).head().t.AddInPlace(x)`, true, "HOP101", nil},
	{"mutually recursive types", "", "type ma struct{ b *mb }\ntype mb struct {\n\ta *ma\n\tt T\n}\nfunc (a *ma) last() T {\n\tif a.b.a == nil {\n\t\treturn a.b.t\n\t}\n\treturn a.b.a.last()\n}\n", `(&ma{&mb{&ma{&mb{&ma{&mb{nil, c}}, nil}}, nil}}).last().AddInPlace(x)`, true, "HOP101", nil},
	{"generic tree", "", "type gt[E any] struct {\n\tl, r *gt[E]\n\te E\n}\nfunc (g *gt[E]) walk(y func(E) bool) bool {\n\treturn g == nil || g.l.walk(y) && y(g.e) && g.r.walk(y)\n}\nfunc (g *gt[E]) all() func(func(E) bool) { return func(y func(E) bool) { g.walk(y) } }\n", `for t := range (&gt[T]{&gt[T]{&gt[T]{nil, nil, c}, nil, x.Neg()}, nil, x.Neg()}).all() { t.AddInPlace(x) }`, true, "HOP101", nil},
	{"linked list of any", "", "type al struct {\n\tv any\n\tnext *al\n}\nfunc (l *al) find() (t T) {\n\tfor ; l != nil; l = l.next {\n\t\tif u, ok := l.v.(T); ok {\n\t\t\tt = u\n\t\t}\n\t}\n\treturn\n}\n", `(&al{1, &al{"a", &al{c, nil}}}).find().AddInPlace(x)`, true, "HOP101", nil},
	{"visitor with state", "", "type vs struct{ last T }\nfunc (v *vs) see(t T) *vs { v.last = t; return v }\n", `v := (&vs{}).see(x.Neg()).see(c); v.last.AddInPlace(x)`, true, "HOP101", nil},
	{"functional options", "", "type opt func(*S)\nfunc withA(t T) opt { return func(s *S) { s.A = t } }\nfunc mk33(os ...opt) *S {\n\ts := &S{}\n\tfor _, o := range os {\n\t\to(s)\n\t}\n\treturn s\n}\n", `mk33(withA(c)).A.AddInPlace(x)`, true, "HOP101", nil},
	{"struct of iterators", "iter", "type si struct{ s iter.Seq[T] }\n", `for t := range (si{func(y func(T) bool) { y(c) }}).s { t.AddInPlace(x) }`, true, "HOP101", nil},
	{"iterator of iterators", "iter", "func flat(s iter.Seq[iter.Seq[T]]) iter.Seq[T] {\n\treturn func(y func(T) bool) {\n\t\tfor in := range s {\n\t\t\tfor t := range in {\n\t\t\t\tif !y(t) {\n\t\t\t\t\treturn\n\t\t\t\t}\n\t\t\t}\n\t\t}\n\t}\n}\n", `one := func(y func(T) bool) { y(c) }; for t := range flat(func(y func(iter.Seq[T]) bool) { y(one) }) { t.AddInPlace(x) }`, true, "HOP101", nil},
	{"zip by pull", "iter", "func zip(a, b iter.Seq[T]) iter.Seq2[T, T] {\n\treturn func(y func(T, T) bool) {\n\t\tnext, stop := iter.Pull(b)\n\t\tdefer stop()\n\t\tfor t := range a {\n\t\t\tu, ok := next()\n\t\t\tif !ok || !y(t, u) {\n\t\t\t\treturn\n\t\t\t}\n\t\t}\n\t}\n}\n", `for t := range zip(func(y func(T) bool) { y(c) }, func(y func(T) bool) { y(x) }) { t.AddInPlace(x) }`, true, "HOP101", nil},
	{"assigned in a condition", "", "", `var t T; if t = c; t != nil { t.AddInPlace(x) }`, true, "HOP101", nil},
	{"assigned through a struct of pointers", "", "type sp34 struct{ p *T }\n", `t := x.Neg(); s := sp34{&t}; *s.p = c; t.AddInPlace(x)`, true, "HOP101", nil},
	{"slice of pointers to variables", "", "", `t, u := x.Neg(), x.Neg(); for _, p := range []*T{&t, &u} { *p = c }; u.AddInPlace(x)`, true, "HOP101", nil},
	{"pointer swap", "", "", `t, u := x.Neg(), c; p, q := &t, &u; *p, *q = *q, *p; t.AddInPlace(x)`, true, "HOP101", nil},
	{"multi assignment with index", "", "", `i, l := 0, []T{x.Neg(), x.Neg()}; i, l[i] = 1, c; l[0].AddInPlace(x)`, true, "HOP101", nil},
	{"op assignment of struct", "", "", `s := S{A: x.Neg()}; r := &s; *r = S{A: c}; s.A.AddInPlace(x)`, true, "HOP101", nil},
	{"map of structs reassigned", "", "", `m := map[string]S{}; s := m["a"]; s.A = c; m["a"] = s; m["a"].A.AddInPlace(x)`, true, "HOP101", nil},
	{"map of slices", "", "", `m := map[string][]T{}; m["a"] = append(m["a"], c); for _, l := range m { l[0].AddInPlace(x) }`, true, "HOP101", nil},
	{"map of maps", "", "", `m := map[string]map[string]T{"a": {}}; m["a"]["b"] = c; k := "b"; m["a"][k].AddInPlace(x)`, true, "HOP101", nil},
	{"map of functions", "", "", `m := map[string]func() T{}; m["a"] = func() T { return c }; m["a"]().AddInPlace(x)`, true, "HOP101", nil},
	{"array of functions", "", "", `a := [...]func(T){func(T) {}, func(t T) { t.AddInPlace(x) }}; for _, f := range a { f(c) }`, true, "HOP101", nil},
	{"channel of functions", "", "", `ch := make(chan func(T), 1); ch <- func(t T) { t.AddInPlace(x) }; (<-ch)(c)`, true, "HOP101", nil},
	{"channel of structs", "", "", `ch := make(chan S, 1); ch <- S{B: c}; s := <-ch; s.B.AddInPlace(x)`, true, "HOP101", nil},
	{"channel in a struct", "", "type cs struct{ ch chan T }\nfunc (s cs) send(t T) { s.ch <- t }\n", `s := cs{make(chan T, 1)}; s.send(c); (<-s.ch).AddInPlace(x)`, true, "HOP101", nil},
	{"send and receive in goroutines", "sync", "", `ch := make(chan T); var wg sync.WaitGroup; wg.Go(func() { ch <- c }); wg.Go(func() { (<-ch).AddInPlace(x) }); wg.Wait()`, true, "HOP101", nil},
	{"results gathered under a lock", "sync", "", `var mu sync.Mutex; var wg sync.WaitGroup; var l []T; for range 2 { wg.Go(func() { mu.Lock(); defer mu.Unlock(); l = append(l, c) }) }; wg.Wait(); l[0].AddInPlace(x)`, true, "HOP101", nil},
	{"worker pool", "", "type job struct {\n\tt T\n\tdone chan bool\n}\nfunc worker(jobs chan job) {\n\tfor j := range jobs {\n\t\tj.t.Zero()\n\t\tj.done <- true\n\t}\n}\n", `jobs := make(chan job); go worker(jobs); j := job{c, make(chan bool)}; jobs <- j; <-j.done; close(jobs)`, true, "HOP101", nil},
	{"cond of sync", "sync", "", `var mu sync.Mutex; k := sync.NewCond(&mu); var t T; go func() { mu.Lock(); t = c; mu.Unlock(); k.Signal() }(); mu.Lock(); for t == nil { k.Wait() }; mu.Unlock(); t.AddInPlace(x)`, true, "HOP101", nil},
	{"atomic flag", "sync/atomic", "", `var ready atomic.Bool; var t T; go func() { t = c; ready.Store(true) }(); for !ready.Load() { }; t.AddInPlace(x)`, true, "HOP101", nil},
	{"atomic spin in a helper", "sync/atomic", "func spin(b *atomic.Bool) {\n\tfor !b.Load() {\n\t}\n}\n", `var start, done atomic.Bool; t := x.Neg(); go func() { spin(&start); t.AddInPlace(x); done.Store(true) }(); t = c; start.Store(true); spin(&done)`, true, "HOP101", nil},
	{"timer", "time", "", `t := x.Neg(); done := make(chan bool); time.AfterFunc(time.Millisecond, func() { t.AddInPlace(x); close(done) }); t = c; <-done`, false, "HOP101", nil},
	{"defer evaluates early", "", "", `func() { t := c; defer t.AddInPlace(x); t = x.Neg() }()`, true, "HOP101", nil},
	{"defer in a loop", "", "", `func() { for _, t := range []T{x.Neg(), c} { defer func() { t.AddInPlace(x) }() } }()`, true, "HOP101", nil},
	{"defer of a result of a call", "", "func undo(t T) func() { return func() { t.Zero() } }\n", `func() { defer undo(c)() }()`, true, "HOP101", nil},
	{"panic value", "", "", `func() { defer func() { if t, ok := recover().(T); ok { t.AddInPlace(x) } }(); panic(c) }()`, false, "HOP101", nil},
	{"named result shadowed", "", "func sh(a, b T) (r T) {\n\tr = a\n\t{\n\t\tr := b\n\t\t_ = r\n\t}\n\tfunc() { r = b }()\n\treturn\n}\n", `sh(x.Neg(), c).AddInPlace(x)`, true, "HOP101", nil},
	{"loop variable per round", "", "", `var fs []func() T; for _, t := range []T{c, x.Neg()} { fs = append(fs, func() T { return t }) }; fs[0]().AddInPlace(x)`, true, "HOP101", nil},
	{"counter closure", "", "", `next := func() func() T { l := []T{x.Neg(), c}; i := -1; return func() T { i++; return l[i] } }(); next(); next().AddInPlace(x)`, true, "HOP101", nil},
	{"closure captures itself in a struct", "", "type cl struct{ f func(int) T }\n", `var k cl; k.f = func(n int) T { if n == 0 { return c }; return k.f(n - 1) }; k.f(3).AddInPlace(x)`, true, "HOP101", nil},
	{"embedded struct by value promoted", "", "type base35 struct{ t T }\nfunc (b base35) get() T { return b.t }\ntype deriv35 struct {\n\tbase35\n\tn int\n}\n", `deriv35{base35{c}, 1}.get().AddInPlace(x)`, true, "HOP101", nil},
	{"embedded tensor", "", "type emb36 struct{ *hop.Tensor }\n", `emb36{c}.AddInPlace(x)`, true, "HOP101", nil},
	{"embedded tensor through an interface", "", "type adds interface{ AddInPlace(T) T }\n", `var a adds = emb36{c}; a.AddInPlace(x)`, true, "HOP101", nil},
	{"tensor as an interface", "", "", `var a adds = c; a.AddInPlace(x)`, true, "HOP101", nil},
	{"interface compared", "", "", `var a any = c; var b any = x; if a != b { a.(adds).AddInPlace(x) }`, true, "HOP101", nil},
	{"struct with interface key", "", "type ik struct{ v any }\n", `m := map[ik]string{{c}: "a"}; for k := range m { k.v.(T).AddInPlace(x) }`, true, "HOP101", nil},
	{"constraint with core type", "", "func zeroAll[L ~[]E, E interface{ Zero() T }](l L) {\n\tfor _, e := range l {\n\t\te.Zero()\n\t}\n}\n", `zeroAll(ts1{x.Neg(), c})`, true, "HOP101", nil},
	{"constraint with a method of the tensor", "", "func addTo[A interface{ AddInPlace(T) T }](a A, t T) { a.AddInPlace(t) }\n", `addTo(c, x)`, true, "HOP101", nil},
	{"generic method value", "", "func mvOf[A interface{ AddInPlace(T) T }](a A) func(T) T { return a.AddInPlace }\n", `mvOf(c)(x)`, true, "HOP101", nil},
	{"generic method expression", "", "func meOf[A interface{ AddInPlace(T) T }]() func(A, T) T { return A.AddInPlace }\n", `meOf[T]()(c, x)`, true, "HOP101", nil},
	{"generic over functions", "", "func callF[F ~func(T)](f F, t T) { f(t) }\n", `callF(fn(func(t T) { t.AddInPlace(x) }), c)`, true, "HOP101", nil},
	{"generic pair", "", "type pr[A, B any] struct {\n\ta A\n\tb B\n}\nfunc swapP[A, B any](p pr[A, B]) pr[B, A] { return pr[B, A]{p.b, p.a} }\n", `swapP(pr[int, T]{1, c}).a.AddInPlace(x)`, true, "HOP101", nil},
	{"generic option", "", "type op37[E any] struct {\n\te  E\n\tok bool\n}\nfunc some[E any](e E) op37[E] { return op37[E]{e, true} }\nfunc (o op37[E]) or(e E) E {\n\tif o.ok {\n\t\treturn o.e\n\t}\n\treturn e\n}\n", `some(c).or(x.Neg()).AddInPlace(x)`, true, "HOP101", nil},
	{"generic reduce", "", "func reduce[A any](l []A, f func(A, A) A) A {\n\tr := l[0]\n\tfor _, a := range l[1:] {\n\t\tr = f(r, a)\n\t}\n\treturn r\n}\n", `reduce([]T{c, x}, func(a, b T) T { return a.AddInPlace(b) })`, true, "HOP101", nil},
	{"generic cache", "", "type ca[K comparable, V any] struct{ m map[K]V }\nfunc (c *ca[K, V]) get(k K, f func() V) V {\n\tif v, ok := c.m[k]; ok {\n\t\treturn v\n\t}\n\tv := f()\n\tc.m[k] = v\n\treturn v\n}\n", `k := &ca[string, T]{map[string]T{}}; k.get("a", func() T { return c }); k.get("a", nil).AddInPlace(x)`, true, "HOP101", nil},
	{"generic recursive constraint", "", "type cmpb[E any] interface{ less(E) bool }\ntype ct struct{ t T }\nfunc (a ct) less(b ct) bool { a.t.Zero(); return false }\nfunc minOf[E cmpb[E]](a, b E) E {\n\tif a.less(b) {\n\t\treturn a\n\t}\n\treturn b\n}\n", `minOf(ct{c}, ct{x.Neg()})`, true, "HOP101", nil},
	{"range over an array of structs by pointer", "", "", `a := [2]S{{A: c}, {A: x.Neg()}}; for i := range a { p := &a[i]; p.A.AddInPlace(x) }`, true, "HOP101", nil},
	{"nested anonymous structs", "", "", `v := struct{ in struct{ t []T } }{}; v.in.t = []T{c}; v.in.t[0].AddInPlace(x)`, true, "HOP101", nil},
	{"slice of slices resliced", "", "", `l := [][]T{{x.Neg(), c}}; m := l[0:1:1]; m[0][1:][0].AddInPlace(x)`, true, "HOP101", nil},
	{"append of append", "", "", `l := append(append([]T(nil), x.Neg()), c); l[len(l)-1].AddInPlace(x)`, true, "HOP101", nil},
	{"append a list to itself", "", "", `l := []T{c}; l = append(l, l...); l[1].AddInPlace(x)`, true, "HOP101", nil},
	{"copy from a string of bytes aside", "", "", `l := make([]T, 1); n := copy(l, []T{c}); l[n-1].AddInPlace(x)`, true, "HOP101", nil},
	{"delete and range", "", "", `m := map[int]T{1: x.Neg(), 2: c}; delete(m, 1); for _, t := range m { t.AddInPlace(x) }`, true, "HOP101", nil},
	{"switch with fallthrough", "", "", `t := x.Neg(); switch len(flags) { case 5: t = c; fallthrough; case 6: t.AddInPlace(x) }`, true, "HOP101", nil},
	{"switch on types of generics", "", "func sw38[E any](e E) {\n\tswitch v := any(e).(type) {\n\tcase T:\n\t\tv.Zero()\n\tcase []T:\n\t\tv[0].Zero()\n\t}\n}\n", `sw38([]T{c})`, true, "HOP101", nil},
	{"goto out of a loop", "", "", "t := x.Neg()\n\tfor i := range 5 {\n\t\tif i == 3 {\n\t\t\tt = c\n\t\t\tgoto out39\n\t\t}\n\t}\nout39:\n\tt.AddInPlace(x)", true, "HOP101", nil},
	{"init of a package variable by a closure", "", "var reg40 = func() map[string]func(T) {\n\tm := map[string]func(T){}\n\tm[\"z\"] = func(t T) { t.Zero() }\n\treturn m\n}()\n", `reg40["z"](c)`, false, "HOP101", nil},
	{"method value kept in a package variable", "", "var kept41 = (&writer41{}).put\n\ntype writer41 struct{ n int }\n\nfunc (w *writer41) put(t T) { w.n++; t.Zero() }\n", `kept41(c)`, false, "HOP101", nil},
	{"lib: embedded in a type of another package", "hoplint.test/lib/em", "type own42 struct{ em.Base }\n", `own42{em.Base{T: c}}.Clear()`, true, "HOP101", lib("em", "type Base struct{ T *hop.Tensor }\nfunc (b Base) Clear() { b.T.Zero() }")},
	{"lib: interface of another package embedded", "hoplint.test/lib/ie", "type own43 struct{ ie.Clearer }\n", `ie.Run(own43{ie.New(c)})`, true, "HOP101", lib("ie", "type Clearer interface{ Clear() }\ntype b struct{ t *hop.Tensor }\nfunc (b *b) Clear() { b.t.Zero() }\nfunc New(t *hop.Tensor) Clearer { return &b{t} }\nfunc Run(c Clearer) { c.Clear() }")},
	{"lib: factory of closures", "hoplint.test/lib/fc", "", `fc.Adder(c)(x)`, true, "HOP101", lib("fc", "func Adder(t *hop.Tensor) func(*hop.Tensor) { return func(u *hop.Tensor) { t.AddInPlace(u) } }")},
	{"lib: builder", "hoplint.test/lib/bu", "", `bu.New().With(x.Neg()).With(c).Run()`, true, "HOP101", lib("bu", "type B struct{ ts []*hop.Tensor }\nfunc New() *B { return &B{} }\nfunc (b *B) With(t *hop.Tensor) *B { b.ts = append(b.ts, t); return b }\nfunc (b *B) Run() { for _, t := range b.ts { t.Zero() } }")},
	{"lib: list", "hoplint.test/lib/li", "", `l := li.Of(x.Neg(), x.Neg(), x.Neg(), c); l.Each(func(t T) { t.AddInPlace(x) })`, true, "HOP101", lib("li", "type N[E any] struct { e E; next *N[E] }\nfunc Of[E any](es ...E) *N[E] { var n *N[E]; for _, e := range es { n = &N[E]{e, n} }; return n }\nfunc (n *N[E]) Each(f func(E)) { if n == nil { return }; f(n.e); n.next.Each(f) }")},
	{"lib: defers in a range over a function", "hoplint.test/lib/dr", "", `dr.Zero(x.Neg(), c)`, true, "HOP101", lib("dr", "func each(l []*hop.Tensor) func(func(*hop.Tensor) bool) { return func(y func(*hop.Tensor) bool) { for _, t := range l { if !y(t) { return } } } }\nfunc Zero(l ...*hop.Tensor) { for t := range each(l) { defer t.Zero() } }")},
	{"lib: event bus", "hoplint.test/lib/eb", "", `var b eb.Bus; b.On(func(t T) { t.AddInPlace(x) }); b.Emit(c)`, true, "HOP101", lib("eb", "type Bus struct{ hs []func(*hop.Tensor) }\nfunc (b *Bus) On(h func(*hop.Tensor)) { b.hs = append(b.hs, h) }\nfunc (b *Bus) Emit(t *hop.Tensor) { for _, h := range b.hs { h(t) } }")},
	{"lib: visitor", "hoplint.test/lib/vi", "type zero44 struct{}\nfunc (zero44) Visit(t T) { t.Zero() }\n", `vi.Walk(zero44{}, vi.Tree{Leaf: x.Neg(), Kids: []vi.Tree{{Leaf: c}}})`, true, "HOP101", lib("vi", "type Visitor interface{ Visit(*hop.Tensor) }\ntype Tree struct { Leaf *hop.Tensor; Kids []Tree }\nfunc Walk(v Visitor, t Tree) { v.Visit(t.Leaf); for _, k := range t.Kids { Walk(v, k) } }")},
	{"lib: set through any", "hoplint.test/lib/sa", "", `t := x.Neg(); sa.Set(&t, c); t.AddInPlace(x)`, true, "HOP101", lib("sa", "func Set(p any, v any) { if q, ok := p.(**hop.Tensor); ok { *q = v.(*hop.Tensor) } }")},
	{"lib: generic set", "hoplint.test/lib/gs", "", `t := x.Neg(); gs.Set(&t, c); t.AddInPlace(x)`, true, "HOP101", lib("gs", "func Set[E any](p *E, v E) { *p = v }")},
	{"lib: pointer of", "hoplint.test/lib/po", "", `(*po.Of(c)).AddInPlace(x)`, true, "HOP101", lib("po", "func Of[E any](e E) *E { return &e }")},
	{"lib: once", "hoplint.test/lib/on", "", `var l on.Lazy[T]; l.Get(func() T { return c }); l.Get(nil).AddInPlace(x)`, true, "HOP101", lib("on", "type Lazy[E any] struct { e E; ok bool }\nfunc (l *Lazy[E]) Get(f func() E) E { if !l.ok { l.e, l.ok = f(), true }; return l.e }")},
	{"lib: chain of packages", "hoplint.test/lib/c3", "", `c3.Run(func(t T) { t.AddInPlace(x) }, c)`, true, "HOP101", map[string]string{"lib/c1": "package c1\n\nfunc Do[E any](f func(E), e E) { f(e) }\n", "lib/c2": "package c2\n\nimport \"hoplint.test/lib/c1\"\n\nfunc Do[E any](f func(E), e E) { c1.Do(func(e E) { f(e) }, e) }\n", "lib/c3": "package c3\n\nimport \"hoplint.test/lib/c2\"\n\nfunc Run[E any](f func(E), e E) { c2.Do(f, e) }\n"}},
	{"lib: writer in a package without tensors", "hoplint.test/lib/nt", "", `nt.Flush(writer{c, x})`, false, "HOP101", map[string]string{"lib/nt": "package nt\n\nimport \"io\"\n\nfunc Flush(w io.Writer) { w.Write(nil) }\n"}},
	{"lib: returned twice", "hoplint.test/lib/rt", "", `if true { return rt.Both(x) }`, true, "HOP302", lib("rt", "func Both(t *hop.Tensor) (a, b *hop.Tensor) { u := t.Clone(); return u, u }")},
	{"lib: returns what it keeps", "hoplint.test/lib/rk", "", `if true { return rk.Get(), x.Clone() }`, true, "HOP303", lib("rk", "var kept = hop.Scalar(1.0)\nfunc Get() *hop.Tensor { return kept }")},
	{"lib: returns its argument behind an interface", "hoplint.test/lib/ri", "", `if true { return ri.Wrap(c).Get(), x.Clone() }`, true, "HOP301", lib("ri", "type Getter interface{ Get() *hop.Tensor }\ntype g struct{ t *hop.Tensor }\nfunc (g g) Get() *hop.Tensor { return g.t }\nfunc Wrap(t *hop.Tensor) Getter { return g{t} }")},
	{"returns what a goroutine was sent", "", "", `ch, out := make(chan T), make(chan T); go func() { out <- <-ch }(); ch <- c; if true { return <-out, x.Clone() }`, true, "HOP301", nil},
	{"returns from a deferred function", "", "", `if true { return func() (r T) { defer func() { r = c }(); return x.Neg() }(), x.Clone() }`, true, "HOP301", nil},
	{"returns two elements that one append made", "", "", `t := x.Neg(); var l []T; for range 2 { l = append(l, t) }; if true { return l[0], l[1] }`, true, "HOP302", nil},
	{"returns views of halves", "", "", `t := x.Neg().Reshape(1); if true { return t.View(1), t.View(-1).Reshape() }`, true, "HOP302", nil},
}

// lib is a package of a program.
func lib(name, text string) map[string]string {
	return map[string]string{"lib/" + name: "package " + name + "\n\nimport \"github.com/hoplint/hoplint/runtime/hop\"\n\nvar _ = hop.Ones\n\n" + text + "\n"}
}

func each(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func bigStruct(n int) string {
	return "type In struct{ T *hop.Tensor }\ntype Big struct {\n" + each(n, "\tF%d In\n") + "}\n"
}

func bigStruct29(n int) string { return "type Big29 struct {\n" + each(n, "\tF%d In\n") + "}\n" }

func bigPtr30(n int) string { return "type Big30 struct {\n" + each(n, "\tF%d *In\n") + "}\n" }

// No way of breaking the contract stays hidden from strict mode, however the language puts it.
func TestWays(t *testing.T) {
	var list []Program
	for i, w := range ways {
		p := Program{Name: fmt.Sprintf("program%d", i), Imports: strings.Fields(w.imports), Packages: w.packages}
		if i == 0 {
			p.Text = helpers
			p.Imports = append(p.Imports, "fmt")
		}
		p.Text += w.decls + scanOf(p.Name, w.body)
		list = append(list, p)
	}
	dynamic, static := judge(t, list)
	for i, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			d, s := dynamic[i], static[list[i].Name]
			if !slices.ContainsFunc(d.Refusals, func(r Refusal) bool { return r.Code == w.code }) {
				t.Fatalf("the runtime says %v %s, want %s", d.Refusals, d.Other, w.code)
			}
			found := true
			for _, r := range d.Refusals {
				found = found && covered(r, s.Findings)
			}
			if found != w.follows {
				t.Errorf("found %v of %v, follows %t", s.Findings, d.Refusals, w.follows)
			}
			if !found && !s.Unproved {
				t.Errorf("strict mode says nothing")
			}
		})
	}
}
