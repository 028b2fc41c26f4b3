package ssaflow

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
	"testing"
)

func TestStandardLibrary(t *testing.T) {
	w := newWorld(t)
	w.model.std = true
	for i, r := range []struct{ name, imports, src, want string }{
		{"R22 printing reads", "fmt log", `func f(x *T) { fmt.Println(x); log.Printf("%v", x); _ = fmt.Sprint(x) }`, "print"},
		{"R22 errors", "errors", `var e = errors.New("e"); func f(err error) bool { return errors.Is(err, e) }`, "pure"},
		{"R22 sorting local data", "sort", `func f(n int) []int { xs := make([]int, n); sort.Slice(xs, func(i, j int) bool { return xs[i] < xs[j] }); return xs }`, "pure"},
		{"sorting a parameter", "sort", `func f(xs []int) { sort.Ints(xs) }`, "stores{xs[]}"},
		{"sorting with a function that writes", "slices", `func f(xs []*T) { slices.SortFunc(xs, func(a, b *T) int { a.Zero(); return 0 }) }`,
			"stores{xs[]}; mutates{xs[]} via SortFunc, function literal"},
		{"sort.Sort calls the methods", "sort", `type by struct{ t *T }; func (b by) Len() int { return 0 }; func (b by) Less(i, j int) bool { return false }; func (b by) Swap(i, j int) { b.t.Zero() }; func f(x *T) { sort.Sort(by{x}) }`,
			"mutates{x} via Sort, Swap"},
		{"clone of a slice holds the elements", "slices", `func f(xs []*T) { ys := slices.Clone(xs); ys[0] = nil; ys[1].Zero() }`, "mutates{xs[]}"},
		{"iterator over values", "slices", `func f(xs []*T) { for x := range slices.Values(xs) { x.Zero() } }`, "mutates{xs[]} via range, function literal"},
		{"iterator over pairs", "slices", `func f(xs []*T) { for _, x := range slices.All(xs) { x.Zero() } }`, "mutates{xs[]} via range, function literal"},
		{"iterator over a map", "maps", `func f(m map[string]*T) { for _, x := range maps.All(m) { x.Zero() } }`, "mutates{m[]} via range, function literal"},
		{"smallest element", "slices", `func f(xs []*T) { slices.MinFunc(xs, func(a, b *T) int { return 0 }).Zero() }`, "mutates{xs[]}"},
		{"clock", "time", `func f() { _ = time.Now() }`, "clock"},
		{"durations have no clock", "time", `func f(d time.Duration) float64 { return d.Seconds() }`, "pure"},
		{"package-level random numbers", "math/rand", `func f() float64 { return rand.Float64() }`, "rand"},
		{"own random numbers", "math/rand", `func f() float64 { return rand.New(rand.NewSource(1)).Float64() }`, "pure"},
		{"environment", "os", `func f() string { return os.Getenv("HOME") }`, "env"},
		{"files", "os", `func f() { os.ReadFile("x") }`, "io"},
		{"locks", "sync", `func f(m *sync.Mutex) { m.Lock(); defer m.Unlock() }`, "lock"},
		{"atomic add", "sync/atomic", `func f(n *int64) { atomic.AddInt64(n, 1) }`, "stores{n}"},
		{"string builder", "strings", `func f(s string) string { var b strings.Builder; b.WriteString(s); return b.String() }`, "pure"},
		{"fatal does not return", "log", `func f(x *T, b bool) { if b { log.Fatal("no"); x.Zero() } }`, "print"},
		{"once calls", "sync", `func f(o *sync.Once, x *T) { o.Do(func() { x.Zero() }) }`, "stores{o}; mutates{x} via Do, function literal; lock"},
		{"unknown function of another module's kind", "encoding/xml", `func f(x *T) { xml.Unmarshal(nil, x) }`, "unseen{x}"},
		{"big numbers set their receiver", "math/big", `func f(a, b *big.Int) *big.Int { return a.Add(a, b) }`, "stores{a}; returns a"},
		{"values of an iterator collected", "slices", `func f(xs []*T) []*T { return slices.Collect(slices.Values(xs)) }`, "returns []=xs[]"},
		{"sorted values of an iterator", "slices", `func f(xs []*T) []*T { return slices.SortedFunc(slices.Values(xs), func(a, b *T) int { return 0 }) }`, "returns []=xs[]"},
		{"chunks share the elements", "slices", `func f(xs []*T) { for c := range slices.Chunk(xs, 2) { c[0].Zero() } }`, "mutates{xs[]} via function literal, function literal"},
		{"map from an iterator", "maps", `func f(m map[string]*T) map[string]*T { return maps.Collect(maps.All(m)) }`, "returns []=m[]"},
		{"list keeps what it is given", "container/list", `func f(x *T) *T { l := list.New(); l.PushBack(x); return l.Front().Value.(*T) }`, "returns x"},
		{"heap calls the methods", "container/heap", `type h []*T; func (h) Len() int { return 0 }; func (h) Less(i, j int) bool { return false }; func (h h) Swap(i, j int) { h[i].Zero() }; func (h) Push(any) {}; func (h) Pop() any { return nil }; func f(xs *h) { heap.Init(xs) }`, "mutates{xs[]} via Init, Swap"},
		{"printing to memory", "fmt strings", `func f(x *T) string { var b strings.Builder; fmt.Fprintf(&b, "%v", x); return b.String() }`, "pure"},
		{"printing to a file", "fmt os", `func f(x *T) { fmt.Fprintln(os.Stderr, x); os.Stderr.WriteString("x") }`, "print"},
		{"buffered printing to a file", "fmt os bufio", `func f(x *T) { w := bufio.NewWriter(os.Stderr); fmt.Fprintln(w, x); w.Flush() }`, "print"},
		{"buffered writing to a file", "os bufio", `func f(g *os.File) { w := bufio.NewWriter(g); w.WriteByte(1); w.Flush() }`, "io"},
		{"writing to whatever it is", "io", `func f(w io.Writer) { io.WriteString(w, "x") }`, "stores{w} via WriteString; calls{w.Write()}; io"},
		{"reading memory", "io strings", `func f(s string) []byte { b, _ := io.ReadAll(strings.NewReader(s)); return b }`, "pure"},
		{"reading a file", "io os", `func f(g *os.File) []byte { b, _ := io.ReadAll(g); return b }`, "io"},
		{"buffer holds its bytes", "bytes", `func f(b []byte) *bytes.Buffer { return bytes.NewBuffer(b) }`, "returns .buf=b"},
		{"writer writes into what it was given", "bytes", `func f(b []byte) { w := bytes.NewBuffer(b); w.WriteByte(1) }`, "stores{b[]}"},
		{"parts share memory", "bytes", `func f(b []byte) []byte { return bytes.TrimSpace(b) }`, "returns b"},
		{"encoding into a buffer", "encoding/hex", `func f(dst, src []byte) { hex.Encode(dst, src) }`, "stores{dst[]}"},
		{"matching", "regexp", `func f(r *regexp.Regexp, b []byte) bool { return r.Match(b) }`, "pure"},
		{"timer", "time", `func f(t *time.Timer) { t.Stop() }`, "stores{t}; clock"},
		{"goroutine in a group", "sync", `func f(g *sync.WaitGroup, x *T) { g.Go(func() { x.Zero() }) }`, "mutates{x} via Go, function literal; goroutine; lock"},
		{"random key", "crypto/rand", `func f(b []byte) { rand.Read(b) }`, "stores{b[]}; rand"},
		{"own random numbers of version 2", "math/rand/v2", `func f(r *rand.Rand) float64 { return r.Float64() }`, "stores{r}"},
		{"random numbers of version 2", "math/rand/v2", `func f() int { return rand.N(10) }`, "rand"},
		{"structured log", "log/slog", `func f(x *T) { slog.Info("x", "t", x) }`, "print"},
		{"log state", "log", `func f() { log.SetFlags(0) }`, "global"},
		{"deadline", "context", `func f(c context.Context) { context.WithTimeout(c, 1) }`, "clock"},
		{"network", "net/http", `func f() { http.Get("x") }`, "io"},
		{"header is a map", "net/http", `func f(h http.Header) { h.Set("a", "b") }`, "stores{h[]}; keeps{fresh in h[]}"},
		{"pull", "iter", `func f(s iter.Seq[*T]) { next, stop := iter.Pull(s); next(); stop() }`, "unseen{s}; goroutine; blind"},
		{"path is pure", "path/filepath", `func f(s string) string { return filepath.Join(s, "x") }`, "pure"},
		{"walking is not", "path/filepath", `func f(s string) { filepath.Glob(s) }`, "io"},
		{"method called by reflection", "reflect", `func f(x *T) { reflect.ValueOf(x).MethodByName("Zero").Call(nil) }`, "unseen{x} via ValueOf, MethodByName; reflect"},
		{"function called by reflection", "reflect", `func f(x *T) { reflect.ValueOf((*T).Zero).Call([]reflect.Value{reflect.ValueOf(x)}) }`, "unseen{x} via ValueOf; reflect"},
		{"set by reflection", "reflect", `func f(s *S, x *T) { reflect.ValueOf(s).Elem().Field(0).Set(reflect.ValueOf(x)) }`, "unseen{s} via ValueOf, Elem, Field; unseen{x} via ValueOf; reflect"},
		{"read by reflection", "reflect", `func f(s *S) *T { return reflect.ValueOf(s).Elem().Field(0).Interface().(*T) }`, "unseen{s} via ValueOf, Elem, Field; returns unknown; reflect"},
		{"through an unsafe pointer", "unsafe", `func f(x *T) { (*T)(unsafe.Pointer(x)).Zero() }`, "mutates{x}; unsafe"},
		{"through an address", "unsafe", `func f(x *T) { p := uintptr(unsafe.Pointer(x)); (*T)(unsafe.Pointer(p)).Zero() }`, "mutates{x}; unsafe"},
		{"through the arithmetic of addresses", "unsafe", `func f(x *T, n uintptr) { (*T)(unsafe.Pointer(uintptr(unsafe.Pointer(x)) + n)).Zero() }`, "mutates{x}; unsafe; unresolved"},
		{"through an address from elsewhere", "unsafe", `func at(p uintptr) *T { return (*T)(unsafe.Pointer(p)) }; func f(x *T) { at(uintptr(unsafe.Pointer(x))).Zero() }`, "unsafe; unresolved"},
		{"through an address in a variable", "unsafe", `var p uintptr; func f(x *T) { p = uintptr(unsafe.Pointer(x)); (*T)(unsafe.Pointer(p)).Zero() }`, "rebinds{p}; unsafe; unresolved"},
		{"an address that is compared", "unsafe", `func f(a, b []*T) bool { return uintptr(unsafe.Pointer(&a[0])) < uintptr(unsafe.Pointer(&b[0])) }`, "unsafe"},
		{"a part of a struct by its offset", "unsafe", `func f(s *S, x *T) { *(**T)(unsafe.Pointer(uintptr(unsafe.Pointer(s)) + unsafe.Offsetof(s.C))) = x }`, "stores{s}; keeps{x in s}; unsafe; unresolved"},
		{"through unsafe arithmetic", "unsafe", `func f(x *T) { (*T)(unsafe.Add(unsafe.Pointer(x), 0)).Zero() }`, "mutates{x}; unsafe; unresolved"},
		{"slice of unsafe memory", "unsafe", `func f(xs []*T) { unsafe.Slice(unsafe.SliceData(xs), 1)[0].Zero() }`, "mutates{xs[]}; unsafe"},
		{"printing to nowhere", "fmt io", `func f(x *T) { fmt.Fprintln(io.Discard, x); io.Discard.Write(nil) }`, "print"},
		{"flags of its own", "flag", `func f() int { fs := flag.NewFlagSet("x", 0); n := fs.Int("n", 1, ""); fs.Parse(nil); return *n }`, "pure"},
		{"map of sync", "sync", `func f(x *T) { var m sync.Map; m.Store("a", x); v, _ := m.Load("a"); v.(*T).Zero() }`, "mutates{x}; lock"},
		{"keys of a map of sync", "sync", `func f(x *T) { var m sync.Map; m.Store(x, 1); m.Range(func(k, v any) bool { k.(*T).Zero(); return true }) }`, "mutates{x} via Range, function literal; lock"},
		{"map of sync from outside", "sync", `func f(m *sync.Map, x *T) { m.Store("a", x) }`, "stores{m}; keeps{fresh, x in m[]}; lock"},
		{"pool", "sync", `func f(x *T) { var p sync.Pool; p.Put(x); p.Get().(*T).Zero() }`, "mutates{x}; blind"},
		{"pool that makes", "sync", `func f(x *T) { p := sync.Pool{New: func() any { return x }}; p.Get().(*T).Zero() }`, "blind"},
		{"atomic value", "sync/atomic", `func f(x *T) { var v atomic.Value; v.Store(x); v.Load().(*T).Zero() }`, "mutates{x}"},
		{"atomic pointer", "sync/atomic", `func f(x, y *T) { var v atomic.Pointer[T]; v.Store(x); v.Swap(y).Zero(); v.Load().Zero() }`, "mutates{x}; mutates{x}; mutates{y}"},
		{"swap of an atomic pointer", "sync/atomic", `func f(x, y *T) { var v atomic.Pointer[T]; v.CompareAndSwap(x, y); v.Load().Zero() }`, "mutates{y}"},
		{"atomic unsafe pointer", "sync/atomic unsafe", `func f(x *T) { var p unsafe.Pointer; atomic.StorePointer(&p, unsafe.Pointer(x)); (*T)(atomic.LoadPointer(&p)).Zero() }`, "mutates{x}; unsafe"},
		{"atomic counter", "sync/atomic", `func f(n *atomic.Int64) int64 { return n.Add(1) }`, "stores{n}"},
		{"value of a context", "context", `func f(x *T) { ctx := context.WithValue(context.Background(), "k", x); ctx.Value("k").(*T).Zero() }`, "blind"},
		{"found error", "errors", `type e struct{ t *T }; func (*e) Error() string { return "" }; func f(x *T, err error) { var w *e; if errors.As(err, &w) { w.t.Zero() } }`, "blind"},
		{"joined errors", "errors", `type e struct{ t *T }; func (*e) Error() string { return "" }; func f(x *T) { errors.Join(&e{x}).(*e).t.Zero() }`, "blind"},
		{"recovered", "", `func f(x *T) { defer func() { recover().(*T).Zero() }(); panic(x) }`, "blind"},
		{"canonical", "unique", `func f(x *T) { unique.Make(x).Value().Zero() }`, "unseen{x}; blind"},
		{"slices in a row", "slices", `func f(a, b []*T) { slices.Concat(a, b)[0].Zero() }`, "mutates{a[]}; mutates{b[]}"},
		{"slice of slices in a row", "slices", `func f(a [][]*T) []*T { return slices.Concat(a...) }`, "returns []=a[][]"},
		{"error method", "", `func f(err error) string { return err.Error() }`, "pure"},
	} {
		t.Run(r.name, func(t *testing.T) {
			name := fmt.Sprintf("std%d", i)
			var b strings.Builder
			b.WriteString("package " + name + "\nimport \"hop\"\n")
			for _, p := range strings.Fields(r.imports) {
				b.WriteString("import \"" + p + "\"\n")
			}
			b.WriteString("type T = hop.T\nvar _ *T\ntype S struct{ H, C *T }\n" + r.src)
			if got := lines(w.analyze(t, name, b.String()), "f"); got != r.want {
				t.Errorf("%s\n got %s\nwant %s", r.src, got, r.want)
			}
		})
	}
}

// Every kernel without a body has a row whose parameters are the slices its documentation says are changed.
func TestAssemblyKernelsOfGonumHaveRows(t *testing.T) {
	dst := map[string]bool{"dst": true, "y": true, "a": true, "x": true}
	for _, p := range loadBench(t, []string{"gonum.org/v1/gonum/internal/asm/f64", "gonum.org/v1/gonum/internal/asm/f32", "gonum.org/v1/gonum/internal/asm/c128", "gonum.org/v1/gonum/internal/asm/c64"}) {
		for _, file := range p.Syntax {
			for _, d := range file.Decls {
				decl, ok := d.(*ast.FuncDecl)
				if !ok || decl.Body != nil || !decl.Name.IsExported() {
					continue
				}
				fn := p.TypesInfo.Defs[decl.Name].(*types.Func)
				s := Std(fn)
				if s == nil {
					t.Errorf("%s.%s has no row", p.PkgPath, fn.Name())
					continue
				}
				for _, e := range s.Effects {
					v := fn.Signature().Params().At(e.Ref.Root.Index)
					if _, slice := v.Type().(*types.Slice); !slice || !dst[v.Name()] {
						t.Errorf("%s.%s writes parameter %s %s, want a destination slice", p.PkgPath, fn.Name(), v.Name(), v.Type())
					}
				}
			}
		}
	}
}
