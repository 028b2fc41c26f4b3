package ssaflow

import (
	"bytes"
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
)

// Through a package boundary only bytes are seen: helpers live in dep, function f of the importing package has the summary.
func TestAcrossPackages(t *testing.T) {
	for _, r := range []struct{ name, dep, src, want string }{
		{"R20 callee writes", `func G(y *T) { y.Zero() }`, `func f(x *T) { dep.G(x) }`, "mutates{x} via G"},
		{"callee copies", `func G(y *T) *T { return y.Clone().Zero() }`, `func f(x *T) *T { return dep.G(x) }`, "pure"},
		{"view", `func G(y *T) *T { return y.Narrow(0, 0, 1) }`, `func f(x *T) { dep.G(x).Zero() }`, "mutates{x} via G"},
		{"method of an imported type", `type M struct{ W *T }; func (m *M) Step(x *T) { m.W.AddInPlace(x) }`, `func f(m *dep.M, x *T) { m.Step(x) }`, "mutates{m.W} via Step"},
		{"rebinding a field", `type M struct{ W *T }; func (m *M) Fix() { m.W = m.W.Clone() }`, `func f(m dep.M) { m.Fix(); m.W.Zero() }`, "pure"},
		{"storing an argument", `type M struct{ W *T }; func (m *M) Set(x *T) { m.W = x }`, `func f(x *T) { var m dep.M; m.Set(x); m.W.Zero() }`, "mutates{x}"},
		{"function parameter", `func Apply(g func(*T), x *T) { g(x) }`, `func f(x *T) { dep.Apply(func(t *T) { t.Zero() }, x) }`, "mutates{x} via Apply, function literal"},
		{"function parameter that is pure", `func Apply(g func(*T), x *T) { g(x) }`, `func f(x *T) { dep.Apply(func(t *T) {}, x) }`, "pure"},
		{"result of a function parameter", `func Apply(g func(*T) *T, x *T) *T { return g(x) }`, `func f(x *T) *T { return dep.Apply(func(t *T) *T { return t }, x) }`, "returns x"},
		{"closure of a factory", `func Mk(t *T) func() { return func() { t.Zero() } }`, `func f(x *T) { dep.Mk(x)() }`, "mutates{x} via function literal"},
		{"interface method", `type I interface{ Do(*T) }; func Run(i I, x *T) { i.Do(x) }`, `type a struct{}; func (a) Do(t *T) { t.Zero() }; func f(x *T) { dep.Run(a{}, x) }`, "mutates{x} via Run, Do"},
		{"generic", `func First[A any](xs []A) A { return xs[0] }`, `func f(xs []S) *T { return dep.First(xs).H }`, "returns xs[].H"},
		{"method of a type parameter", `type Z interface{ Zero() *T }; func Do[A Z](a A) { a.Zero() }`, `func f(x *T) { dep.Do(x) }`, "mutates{x} via Do"},
		{"global", `var G *T; func Keep(x *T) { G = x }`, `func f(x *T) { dep.Keep(x) }`, "rebinds{G} via Keep; keeps{x in G}"},
		{"one object through two parameters", `type M struct{ H, C *T }; func H(a, b *M, x *T) { a.H = x; b.H.AddInPlace(b.C) }`,
			`func f(s dep.M, x *T) { dep.H(&s, &s, x) }`, "mutates{s.H} via H; mutates{x} via H"},
		{"unique object twice", `func Two(x *T) (*T, *T) { t := x.Clone(); return t, t }`, `func f(x *T) (*T, *T) { return dep.Two(x) }`, "shares 0~1"},
		{"two objects", `func Two(x *T) (*T, *T) { return x.Clone(), x.Clone() }`, `func f(x *T) (*T, *T) { return dep.Two(x) }`, "pure"},
	} {
		t.Run(r.name, func(t *testing.T) {
			w := newWorld(t)
			w.analyze(t, "dep", strings.Replace(prelude, "package p", "package dep", 1)+r.dep)
			src := strings.Replace(prelude, `import "hop"`, "import (\n\"dep\"\n\"hop\"\n)", 1)
			if got := lines(w.analyze(t, "p", src+r.src), "f"); got != r.want {
				t.Errorf("dep: %s\np: %s\n got %s\nwant %s", r.dep, r.src, got, r.want)
			}
		})
	}
}

// The last step of an effect in another package is told as text.
func TestTerminalStepIsFileAndLine(t *testing.T) {
	w := newWorld(t)
	w.analyze(t, "dep", strings.Replace(prelude, "package p", "package dep", 1)+"func Scale(y *T) {\n\ty.Zero()\n}")
	r := w.analyze(t, "p", strings.Replace(prelude, `import "hop"`, "import (\n\"dep\"\n\"hop\"\n)", 1)+`func f(x *T) { dep.Scale(x.Narrow(0, 0, 1)) }`)
	var got []string
	for _, fn := range r.Functions() {
		if fn.Name() != "f" {
			continue
		}
		for _, s := range r.Summary(fn).Effects[0].Witness {
			at := s.Where
			if s.Pos.IsValid() {
				at = w.fset.Position(s.Pos).String()
			}
			got = append(got, []string{"enter", "view", "pass", "stored", "written"}[s.Kind]+" "+s.Callee+" "+at)
		}
	}
	want := []string{"enter x p.go:12:8", "view Narrow p.go:12:34", "pass Scale p.go:12:25", "written Zero dep/dep.go:10"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("witness\n got %q\nwant %q", got, want)
	}
}

// declaration is nil for function literals.
func declaration(fn *ssa.Function) *types.Func {
	obj, _ := fn.Object().(*types.Func)
	return obj
}

const manyFunctions = `
type Node struct{ Next *Node; V *T }
type M struct{ W, B *T; Hist []*T }
type I interface{ Do(*T) *T }
var total *T
var table = map[string]func(*T){"a": func(t *T) { t.Zero() }, "b": func(t *T) {}}
func (m *M) Step(x *T) *T { m.Hist = append(m.Hist, x); m.W.AddInPlace(x); return m.B.Narrow(0, 0, 1) }
func walk(n *Node) { for ; n != nil; n = n.Next { n.V.Zero() } }
func build(x *T, k int) *Node { if k == 0 { return nil }; return &Node{build(x, k-1), x.Clone()} }
func apply(i I, g func(*T) *T, x *T) (*T, *T) { total = x; return i.Do(x), g(x) }
func mk(x *T) func(*T) (*T, *T) { return func(y *T) (*T, *T) { x.Zero(); return y, x } }
func call(s string, x *T) { table[s](x); go walk(&Node{V: x}) }
`

func TestFactsAreDeterministicToTheByte(t *testing.T) {
	var first []byte
	for i := range 5 {
		w := newWorld(t)
		r := w.analyze(t, "p", prelude+manyFunctions)
		var all []byte
		for _, fn := range r.Functions() {
			all = append(all, Encode(r.Summary(fn), declaration(fn))...)
		}
		if i == 0 {
			first = all
		} else if !bytes.Equal(first, all) {
			t.Fatalf("run %d gave other bytes: %d and %d of them", i, len(first), len(all))
		}
	}
}

func TestDecodedFactsEncodeTheSame(t *testing.T) {
	w := newWorld(t)
	r := w.analyze(t, "p", prelude+manyFunctions)
	for _, fn := range r.Functions() {
		b := Encode(r.Summary(fn), declaration(fn))
		s, err := Decode(b, declaration(fn), w.fset)
		if err != nil {
			t.Errorf("%s: %v", fn, err)
			continue
		}
		if c := Encode(s, declaration(fn)); !bytes.Equal(b, c) {
			t.Errorf("%s: %x decodes to %s, which encodes as %x", fn, b, s, c)
		}
	}
}

func TestDamagedFactsAreErrors(t *testing.T) {
	w := newWorld(t)
	r := w.analyze(t, "p", prelude+manyFunctions)
	for _, fn := range r.Functions() {
		b := Encode(r.Summary(fn), declaration(fn))
		for n := range b {
			if _, err := Decode(b[:n], declaration(fn), w.fset); err == nil {
				t.Errorf("%s: the first %d of %d bytes decode without error", fn, n, len(b))
			}
		}
		if _, err := Decode(append(b[:len(b):len(b)], 0), declaration(fn), w.fset); err == nil {
			t.Errorf("%s: a byte too many decodes without error", fn)
		}
	}
}

// panicModel panics for one function.
type panicModel struct{ *stubModel }

func (m panicModel) Summary(fn *types.Func) *Summary {
	if fn.Name() == "Opaque" {
		panic("model has no answer")
	}
	return m.stubModel.Summary(fn)
}

func TestPanicInOneFunctionDoesNotHideOthers(t *testing.T) {
	w := newWorld(t)
	cfg := w.load(t, "p", prelude+`func f(x *T) { x.Zero() }; func g(x *T) { hop.Opaque(x) }; func h(x *T) { g(x) }`)
	cfg.Model = panicModel{w.model}
	r := Analyze(cfg)
	if len(r.Problems) != 1 || r.Problems[0].Func != "p.g" || r.Problems[0].Err != "model has no answer" {
		t.Errorf("problems: got %+v, want one in p.g", r.Problems)
	}
	for name, want := range map[string]string{"f": "mutates{x}", "g": "top", "h": "unseen{x}"} {
		if got := lines(r, name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// A method that only its package can name is left to the caller, who knows the receiver.
func TestUnexportedMethodsAreResolvedByImporters(t *testing.T) {
	w := newWorld(t)
	dep := w.analyze(t, "dep", strings.Replace(prelude, "package p", "package dep", 1)+`
		type I interface{ do(*T) }
		type Z struct{}
		type C struct{}
		func (Z) do(t *T) { t.Zero() }
		func (C) do(t *T) { _ = t.Clone() }
		func (C) other(t *T) { t.Zero() }
		func alone(t *T) { t.Zero() }
		func Run(i I, t *T) { i.do(t) }`)
	var names []string
	for _, fn := range dep.Importable() {
		names = append(names, fn.String())
	}
	if got, want := strings.Join(names, " "), "(dep.Z).do (dep.C).do dep.Run"; got != want {
		t.Errorf("importable: got %s, want %s", got, want)
	}
	src := strings.Replace(prelude, `import "hop"`, "import (\n\"dep\"\n\"hop\"\n)", 1)
	r := w.analyze(t, "p", src+`type both struct{ dep.Z }; func f(x *T) { dep.Run(dep.Z{}, x) }; func g(x *T) { dep.Run(dep.C{}, x) }; func h(x *T) { dep.Run(both{}, x) }`)
	for name, want := range map[string]string{"f": "mutates{x} via Run, do", "g": "pure", "h": "mutates{x} via Run, do"} {
		if got := lines(r, name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// A fact speaks of fields by number: read with other types than it was written for, it is an error and not another summary.
func TestFactsOfOtherTypesAreErrors(t *testing.T) {
	const one = `type M struct{ W, B *T }; func (m *M) Step() { m.B.Zero() }`
	const two = `type M struct{ B, W *T }; func (m *M) Step() { m.B.Zero() }`
	of := func(src string) (*world, *types.Func, []byte) {
		w := newWorld(t)
		r := w.analyze(t, "p", prelude+src)
		fn := r.Importable()[0]
		return w, declaration(fn), Encode(r.Summary(fn), declaration(fn))
	}
	w, fn, b := of(one)
	s, err := Decode(b, fn, w.fset)
	if err != nil || s.String() != "mutates{p0.B}" {
		t.Errorf("own types: got %v, %v", s, err)
	}
	w, fn, _ = of(two)
	if s, err := Decode(b, fn, w.fset); err == nil {
		t.Errorf("other types: got %v, want an error", s)
	}
}

// Variables of other packages are told by what their import paths do not have in common.
func TestPackagesOfVariables(t *testing.T) {
	for _, r := range [][2]string{{"a/b/c", "a/b/d"}, {"a/b", "a/b/c"}, {"a/b/c", "a/b"}, {"a", "b"}, {"a", "a"}, {"a/b", "x/b"}, {"a/bc", "a/b"}, {"", "a/b"}} {
		n, rest := commonElements(r[0], r[1])
		if got := joinElements(r[0], n, rest); got != r[1] {
			t.Errorf("%s within %s: %d elements and %q make %s", r[1], r[0], n, rest, got)
		}
	}
}

// A place keeps its package through any number of packages, in the same file and in others, and stands behind its import path.
func TestPlacesThroughPackages(t *testing.T) {
	w := newWorld(t)
	head := func(name, imports string) string {
		return strings.Replace(strings.Replace(prelude, "package p", "package "+name, 1), `import "hop"`, "import (\n\"hop\"\n"+imports+")", 1)
	}
	w.analyze(t, "m/deep/far", head("far", "")+"func Scale(y *T) {\n\ty.Zero()\n}")
	w.analyze(t, "m/deep", head("deep", "\"m/deep/far\"\n")+"func Own(y *T) {\n\ty.Zero()\n}\nfunc Far(y *T) { far.Scale(y) }")
	w.analyze(t, "m/dep", head("dep", "\"m/deep\"\n")+"func Own(y *T) { deep.Own(y) }\nfunc Far(y *T) { deep.Far(y) }")
	r := w.analyze(t, "n", head("n", "\"m/dep\"\n")+"func own(y *T) { dep.Own(y) }\nfunc far(y *T) { dep.Far(y) }")
	want := map[string]string{"own": "m/deep/deep.go:13", "far": "m/deep/far/far.go:12"}
	for _, fn := range r.Functions() {
		if at, ok := want[fn.Name()]; ok {
			steps := r.Summary(fn).Effects[0].Witness
			if got := steps[len(steps)-1].Where; got != at {
				t.Errorf("%s: written at %s, want %s", fn.Name(), got, at)
			}
			delete(want, fn.Name())
		}
	}
	if len(want) > 0 {
		t.Errorf("not found: %v", want)
	}
}

// The file of a place is told in few letters.
func TestFilesOfPlaces(t *testing.T) {
	for _, tc := range []struct{ file, pkg, short string }{
		{"a.go", "m/a", ""}, {"b.go", "m/a", "b"}, {"b.y", "m/a", "b.y"}, {"a.y", "m/a", "a.y"}, {"a.b.go", "m/a", "a.b.go"}, {"a_linux.go", "", "a_linux"},
	} {
		short := shortFile(tc.file, tc.pkg)
		if back := longFile(short, tc.pkg); short != tc.short || back != tc.file {
			t.Errorf("%s in %s: %q, which is %s; want %q", tc.file, tc.pkg, short, back, tc.short)
		}
	}
	if got := importPath(types.NewPackage("m/a [m/a.test]", "a")); got != "m/a" {
		t.Errorf("path %s of a variant for tests, want m/a", got)
	}
}
