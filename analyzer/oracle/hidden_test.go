package oracle

import (
	"fmt"
	"strings"
	"testing"
)

// hidden are bodies of a scan that write their carry c by a way through the standard library, through unsafe or through the language
// that types do not show. Each may import packages. Where the analyzer follows the way it says HOP101; elsewhere strict mode must say
// that the body is unproved.
var hidden = []struct {
	name, imports, body string
	follows             bool
}{
	{"method called by reflection", "reflect", `reflect.ValueOf(c).MethodByName("AddInPlace").Call([]reflect.Value{reflect.ValueOf(x)})`, false},
	{"function called by reflection", "reflect", `reflect.ValueOf((*hop.Tensor).AddInPlace).Call([]reflect.Value{reflect.ValueOf(c), reflect.ValueOf(x)})`, false},
	{"value taken out by reflection", "reflect", `p := &struct{ V any }{c}; reflect.ValueOf(p).Elem().Field(0).Interface().(T).AddInPlace(x)`, false},
	{"value put in by reflection", "reflect", `var t T; reflect.ValueOf(&t).Elem().Set(reflect.ValueOf(c)); t.AddInPlace(x)`, false},
	{"function made by reflection", "reflect", `var f func(T); reflect.ValueOf(&f).Elem().Set(reflect.MakeFunc(reflect.TypeOf(f), func(in []reflect.Value) []reflect.Value { in[0].Interface().(T).AddInPlace(x); return nil })); f(c)`, false},
	{"address", "unsafe", `a := uintptr(unsafe.Pointer(c)); (T)(unsafe.Pointer(a)).AddInPlace(x)`, true},
	{"address through a function", "unsafe", `at := func(a uintptr) T { return (T)(unsafe.Pointer(a)) }; at(uintptr(unsafe.Pointer(c))).AddInPlace(x)`, false},
	{"offset", "unsafe", `s := S{A: fresh(), B: c}; (*(*T)(unsafe.Pointer(uintptr(unsafe.Pointer(&s)) + unsafe.Offsetof(s.B)))).AddInPlace(x)`, false},
	{"pointer to memory of another type", "unsafe", `s := struct{ t T }{c}; (*(*[1]T)(unsafe.Pointer(&s)))[0].AddInPlace(x)`, false},
	{"pointer to a variable", "unsafe", `(*(*T)(unsafe.Pointer(&c))).AddInPlace(x)`, true},
	{"slice at a variable", "unsafe", `unsafe.Slice(&c, 1)[0].AddInPlace(x)`, false},
	{"slice at a field", "unsafe", `s := S{A: c}; unsafe.Slice(&s.A, 1)[0].AddInPlace(x)`, false},
	{"slice at an element", "unsafe", `l := []T{c}; unsafe.Slice(&l[0], 1)[0].AddInPlace(x)`, true},
	{"slice of the data of a slice", "unsafe", `l := []T{c}; unsafe.Slice(unsafe.SliceData(l), 1)[0].AddInPlace(x)`, true},
	{"data of a slice", "unsafe", `l := []T{c}; (*unsafe.SliceData(l)).AddInPlace(x)`, true},
	{"logger that writes", "log", `log.New(writer{c, x}, "", 0).Print("x")`, false},
	{"text of a logger that writes", "log", `log.New(writer{c, x}, "", 0).Output(1, "x")`, false},
	{"writer of a logger", "log", `log.New(writer{c, x}, "", 0).Writer().Write(nil)`, false},
	{"handler of a structured log", "log/slog", `slog.New(slog.NewTextHandler(writer{c, x}, nil)).Info("x")`, false},
	{"value of a structured log", "log/slog", `slog.Any("k", c).Value.Any().(T).AddInPlace(x)`, false},
	{"encoder to a writer", "encoding/json", `json.NewEncoder(writer{c, x}).Encode(1)`, false},
	{"encoder of gob", "encoding/gob", `gob.NewEncoder(writer{c, x}).Encode(1)`, false},
	{"encoder of xml", "encoding/xml", `xml.NewEncoder(writer{c, x}).Encode(1)`, false},
	{"comparison of maps", "maps", `m := map[string]T{"a": c}; maps.EqualFunc(m, m, func(a, _ T) bool { a.AddInPlace(x); return true })`, true},
	{"scanner", "fmt", `fmt.Sscan("1", scanner{c, x})`, false},
	{"map of sync", "sync", `var m sync.Map; m.Store("a", c); v, _ := m.Load("a"); v.(T).AddInPlace(x)`, true},
	{"keys of a map of sync", "sync", `var m sync.Map; m.Store(c, 1); m.Range(func(k, _ any) bool { k.(T).AddInPlace(x); return true })`, true},
	{"pool", "sync", `var p sync.Pool; p.Put(c); if v, ok := p.Get().(T); ok { v.AddInPlace(x) } else { c.AddInPlace(x) }`, true},
	{"pool that makes", "sync", `p := sync.Pool{New: func() any { return c }}; p.Get().(T).AddInPlace(x)`, false},
	{"function of once", "sync", `sync.OnceFunc(func() { c.AddInPlace(x) })()`, true},
	{"value of once", "sync", `sync.OnceValue(func() T { return c })().AddInPlace(x)`, true},
	{"atomic value", "sync/atomic", `var v atomic.Value; v.Store(c); v.Load().(T).AddInPlace(x)`, true},
	{"atomic pointer", "sync/atomic", `var p atomic.Pointer[hop.Tensor]; p.Store(c); p.Swap(x).AddInPlace(x.Clone())`, true},
	{"value of a context", "context", `context.WithValue(context.Background(), "k", c).Value("k").(T).AddInPlace(x)`, false},
	{"cause of a context", "context errors", `ctx, cancel := context.WithCancelCause(context.Background()); cancel(&failure{c}); var f *failure; if errors.As(context.Cause(ctx), &f) { f.t.AddInPlace(x) }`, false},
	{"wrapped error", "errors fmt", `var f *failure; if errors.As(fmt.Errorf("%w", &failure{c}), &f) { f.t.AddInPlace(x) }`, false},
	{"recovered", "", `func() { defer func() { recover().(T).AddInPlace(x) }(); panic(c) }()`, false},
	{"canonical value", "unique", `unique.Make(c).Value().AddInPlace(x)`, false},
	{"weak pointer", "weak", `weak.Make(c).Value().AddInPlace(x)`, false},
	{"pulled iterator", "iter", `next, stop := iter.Pull(func(yield func(T) bool) { yield(c) }); v, _ := next(); stop(); v.AddInPlace(x)`, false},
	{"channel", "", `ch := make(chan T, 1); ch <- c; (<-ch).AddInPlace(x)`, true},
	{"key of a map", "", `m := map[any]int{c: 1}; for k := range m { k.(T).AddInPlace(x) }`, true},
	{"list", "container/list", `l := list.New(); l.PushBack(c); l.Front().Value.(T).AddInPlace(x)`, true},
	{"ring", "container/ring", `r := ring.New(1); r.Value = c; r.Do(func(v any) { v.(T).AddInPlace(x) })`, true},
	{"copy of a tensor", "", `d := *c; d.AddInPlace(x)`, true},
	{"copy of a tensor in a struct", "", `w := struct{ t hop.Tensor }{*c}; w.t.AddInPlace(x)`, false},
	{"copy of a tensor by value", "", `func(d hop.Tensor) { d.AddInPlace(x) }(*c)`, false},
	{"second tree of MapLeaves", "", `hop.MapLeaves(func(l ...T) T { l[1].AddInPlace(x); return l[0].Clone() }, x.Clone(), c)`, true},
	{"third tree of MapLeaves", "", `hop.MapLeaves(func(l ...T) T { l[2].AddInPlace(x); return l[0].Clone() }, x, x, c)`, true},
	{"tree of MapLeaves behind many", "", `hop.MapLeaves(func(l ...T) T { l[9].Zero(); return l[0].Clone() }, fresh(), fresh(), fresh(), fresh(), fresh(), fresh(), fresh(), fresh(), fresh(), c)`, true},
	{"rest of a list", "", `write := func(ts ...T) { ts[0].Zero() }; ts := []T{fresh(), c}; write(ts[1:]...)`, true},
	{"leaves collected", "maps", `maps.Collect(hop.Leaves(c))[""].AddInPlace(x)`, true},
	{"leaves collected in a list", "slices", `slices.Collect(tensors(hop.Leaves(c)))[0].AddInPlace(x)`, true},
	{"leaves of a struct collected", "maps", `maps.Collect(hop.Leaves(S{A: fresh(), B: c}))[".B"].AddInPlace(x)`, true},
	{"report of progress", "", `hop.ForLoop(0, 2, func(i, s T) T { return s.Add(s) }, fresh(), hop.Progress(func(int, int) { c.AddInPlace(x) }))`, true},
	{"observer of a HOP", "", `hop.Map(func(t T) T { return t.Neg() }, hop.Ones(hop.Float64, 2), hop.Observe(watcher{c}))`, true},
	{"observer of a function", "", `hop.WithObserver(watcher{c}, func(t T) T { return t.Neg() })(fresh())`, true},
}

const helpers = `func tensors(s func(func(string, T) bool)) func(func(T) bool) {
	return func(yield func(T) bool) { s(func(_ string, t T) bool { return yield(t) }) }
}

type watcher struct{ t T }

func (w watcher) Op(hop.OpCall) { w.t.Fill(1) }

type failure struct{ t T }

func (*failure) Error() string { return "failure" }

type writer struct{ t, by T }

func (w writer) Write(b []byte) (int, error) { w.t.AddInPlace(w.by); w.t = nil; return len(b), nil }

type scanner struct{ t, by T }

func (s scanner) Scan(fmt.ScanState, rune) error { s.t.AddInPlace(s.by); return nil }

`

// No way of writing the carry stays hidden from strict mode.
func TestHiddenWays(t *testing.T) {
	var list []Program
	for i, h := range hidden {
		p := Program{Name: fmt.Sprintf("program%d", i), Imports: append(strings.Fields(h.imports), "fmt")}
		if i == 0 {
			p.Text = helpers
		}
		p.Text += scanOf(p.Name, h.body)
		list = append(list, p)
	}
	dynamic, static := judge(t, list)
	want := Refusal{Code: "HOP101", Role: "carry"}
	for i, h := range hidden {
		t.Run(h.name, func(t *testing.T) {
			if d := dynamic[i]; d.Other != "" || len(d.Refusals) != 1 || d.Refusals[0] != want {
				t.Fatalf("the runtime says %v %s, want %v", d.Refusals, d.Other, want)
			}
			s := static[list[i].Name]
			if found := covered(want, s.Findings); found != h.follows {
				t.Errorf("found %v, follows %t", s.Findings, h.follows)
			}
			if !h.follows && !s.Unproved {
				t.Errorf("strict mode says nothing")
			}
		})
	}
}
