package ssaflow

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
)

// bodies tells, for the first call of a function of package hop in f, which functions its first argument can be.
func bodies(r *Result) string {
	var out []string
	for _, fn := range r.Functions() {
		if fn.Name() != "f" {
			continue
		}
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				c, ok := instr.(ssa.CallInstruction)
				if !ok || c.Common().StaticCallee() == nil {
					continue
				}
				callee := c.Common().StaticCallee()
				if callee.Origin() != nil {
					callee = callee.Origin()
				}
				if callee.Pkg == nil || callee.Pkg.Pkg.Path() != "hop" || callee.Name() != "Map" && callee.Name() != "Scan" {
					continue
				}
				set := r.FuncsAt(c, 0)
				for _, v := range set.Funcs {
					name := "fact"
					if v.Fn != nil {
						name = v.Fn.Name()
					}
					out = append(out, fmt.Sprintf("%s: %s", name, v.Summary))
				}
				for _, o := range set.Origins {
					out = append(out, "from "+r.Summary(fn).Text(o.Ref))
				}
				if !set.Complete {
					out = append(out, "incomplete")
				}
			}
		}
	}
	sort.Strings(out)
	return strings.Join(out, "\n")
}

// R15: a body can be given in many forms, and all are resolved.
func TestFunctionsAtACall(t *testing.T) {
	for i, r := range []struct{ name, src, want string }{
		{"literal", `func f(xs *T) { hop.Map(func(x *T) *T { return x.Zero() }, xs) }`, "f$1: mutates{x}; returns x"},
		{"named function", `func body(x *T) *T { return x }; func f(xs *T) { hop.Map(body, xs) }`, "body: returns x"},
		{"method value", `type M struct{ w *T }; func (m *M) step(x *T) *T { m.w.Zero(); return x }; func f(m *M, xs *T) { hop.Map(m.step, xs) }`, "step$bound: mutates{recv.w} via step; returns x"},
		{"method expression", `func f(xs *T) { hop.Map((*T).Zero, xs) }`, "Zero$thunk: mutates{t}; returns t"},
		{"variable", `func f(xs *T) { g := func(x *T) *T { return x }; hop.Map(g, xs) }`, "f$1: returns x"},
		{"one of two", `func f(xs *T, b bool) { g := func(x *T) *T { return x }; if b { g = func(x *T) *T { return x.Clone() } }; hop.Map(g, xs) }`, "f$1: returns x\nf$2: pure"},
		{"generic instance", `func id[A any](a A) A { return a }; func f(xs *T) { hop.Map(id[*T], xs) }`, "id: returns a"},
		{"result of a factory", `func mk(w *T) func(*T) *T { return func(x *T) *T { w.Zero(); return x } }; func f(w, xs *T) { hop.Map(mk(w), xs) }`, "mk$1: mutates{w}; returns x"},
		{"field", `type C struct{ body func(*T) *T }; func f(xs *T) { c := C{body: func(x *T) *T { return x }}; hop.Map(c.body, xs) }`, "f$1: returns x"},
		{"slice element", `func f(xs *T) { bs := []func(*T) *T{func(x *T) *T { return x }}; hop.Map(bs[0], xs) }`, "f$1: returns x"},
		{"map element", `func f(xs *T) { bs := map[string]func(*T) *T{"a": func(x *T) *T { return x }}; hop.Map(bs["a"], xs) }`, "f$1: returns x"},
		{"package variable", `var body = func(x *T) *T { return x }; func f(xs *T) { hop.Map(body, xs) }`, "init$1: returns x"},
		{"package variable that is assigned", `var body = func(x *T) *T { return x }; func g(h func(*T) *T) { body = h }; func f(xs *T) { hop.Map(body, xs) }`, "from body\nincomplete\ninit$1: returns x"},
		{"parameter", `func f(g func(*T) *T, xs *T) { hop.Map(g, xs) }`, "from g\nincomplete"},
		{"named function type", `type body func(*T) *T; func f(xs *T) { var b body = func(x *T) *T { return x }; hop.Map(b, xs) }`, "f$1: returns x"},
		{"structs as carry", `func f(s S, xs *T) { hop.Scan(func(s S, x *T) (S, *T) { s.H.Zero(); return s, x }, s, xs) }`, "f$1: mutates{s.H}; returns 0.H=s.H; returns 0.C=s.C; returns 1=x"},
		{"generic caller", `func run[A any](g func(A) A, a A) A { return g(a) }; func f(xs *T) { run(func(x *T) *T { hop.Map(func(y *T) *T { return y }, x); return x }, xs) }`, ""},
		{"body is itself run by a body", `func f(w, xs *T) { hop.Map(func(x *T) *T { return hop.Map(func(y *T) *T { w.Zero(); return y.Clone() }, x) }, xs) }`, "f$1: mutates{w} via Map, function literal"},
	} {
		t.Run(r.name, func(t *testing.T) {
			w := newWorld(t)
			name := fmt.Sprintf("q%d", i)
			res := w.analyze(t, name, strings.Replace(prelude, "package p", "package "+name, 1)+r.src)
			if got := bodies(res); got != r.want {
				t.Errorf("%s\n got %s\nwant %s", r.src, got, r.want)
			}
		})
	}
}

// steps tells a witness: what, whom, and the column in the one line of the source.
func steps(w *world, list []Step, offset int) string {
	kinds := []string{"enter", "view", "pass", "stored", "written", "handed", "returned", "made", "did"}
	var out []string
	for _, s := range list {
		p := w.fset.Position(s.Pos)
		out = append(out, fmt.Sprintf("%s %s@%d", kinds[s.Kind], s.Callee, p.Offset-offset))
	}
	return strings.Join(out, " > ")
}

func TestWitnessTellsTheWay(t *testing.T) {
	for _, r := range []struct{ name, src, want string }{
		{"entered, viewed, passed, written", `func f(x *T) { g(x.Narrow(0, 0, 1)) }; func g(y *T) { y.Zero() }`, "enter x@7 > view Narrow@25 > pass g@16 > written Zero@60"},
		{"method value is written where it is called", `func f(x *T) { g := x.Zero; g() }`, "enter x@7 > written Zero@29"},
		{"literal", `func f(x *T) { func() { x.Zero() }() }`, "enter x@7 > pass function literal@34 > written Zero@30"},
		{"slot", `func f(x *T) { a(func(t *T) { t.Zero() }, x) }; func a(g func(*T), y *T) { g(y) }`, "enter x@7 > pass a@16 > pass function literal@76 > written Zero@36"},
		{"store", `func f(s *S) { s.H = nil }`, "enter s@7 > written store@17"},
	} {
		t.Run(r.name, func(t *testing.T) {
			w := newWorld(t)
			res := w.analyze(t, "p", prelude+r.src)
			base := 0
			for _, fn := range res.Functions() {
				if fn.Name() == "f" {
					base = w.fset.Position(fn.Pos()).Offset - len("func ")
					e := res.Summary(fn).Effects
					if got := steps(w, e[0].Witness, base); len(e) != 1 || got != r.want {
						t.Errorf("%s\n got %s (%d effects)\nwant %s", r.src, got, len(e), r.want)
					}
				}
			}
		})
	}
}

func TestReturnStatementsAreKeptApart(t *testing.T) {
	w := newWorld(t)
	res := w.analyze(t, "p", prelude+"func f(x *T, b bool) *T {\n\tif b {\n\t\treturn x\n\t}\n\treturn x.Clone()\n}")
	for _, fn := range res.Functions() {
		var got []string
		for _, ret := range res.Summary(fn).Returns {
			got = append(got, fmt.Sprintf("%d %s", w.fset.Position(ret.Pos).Line, res.Summary(fn).originText(ret.Results[0][0].Origins[0])))
		}
		if want := "11 x,13 fresh"; strings.Join(got, ",") != want {
			t.Errorf("got %v, want %s", got, want)
		}
	}
}
