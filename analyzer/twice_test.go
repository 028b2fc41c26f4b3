package analyzer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/analyzer"
)

// One tensor that helpers, literals and iterators put into a list or a map again and again is in it several times. How often they run
// is not followed, so -strict tells it, and nothing is said otherwise.
func TestOneTensorPutTwiceByHelpers(t *testing.T) {
	const head = `
type list = []*T
type stack struct{ all list }
func (s *stack) push(t *T) { s.all = append(s.all, t) }
func push(l *list, t *T) { *l = append(*l, t) }
func with(l list, t *T) list { return append(l, t) }
func put(l list, i int, t *T) { l[i] = t }
func again(f func()) { f(); f() }
func each(l list, f func(*T)) { for _, t := range l { f(t) } }
func all(l list) func(func(int) bool) { return func(yield func(int) bool) { for i := range l { if !yield(i) { return } } } }
`
	same := []struct{ name, text string }{
		{"method", `n, s := x[0].Exp(), stack{}; s.push(n); s.push(n); return s.all`},
		{"by pointer", `n, l := x[0].Exp(), list{}; push(&l, n); push(&l, n); return l`},
		{"returned", `n, l := x[0].Exp(), list{}; l = with(l, n); l = with(l, n); return l`},
		{"literal", `n, l := x[0].Exp(), list{}; add := func() { l = append(l, n) }; add(); add(); return l`},
		{"literal with a parameter", `n, l := x[0].Exp(), list{}; add := func(t *T) { l = append(l, t) }; add(n); add(n); return l`},
		{"called by a helper", `n, l := x[0].Exp(), list{}; again(func() { l = append(l, n) }); return l`},
		{"called for each element", `n, l := x[0].Exp(), list{}; each(x, func(*T) { l = append(l, n) }); return l`},
		{"range over a function", `n, l := x[0].Exp(), list{}; for range all(x) { l = append(l, n) }; return l`},
		{"range over a function, by index", `n, l := x[0].Exp(), make(list, 2); for i := range all(x) { l[i] = n }; return l`},
		{"by index", `n, l := x[0].Exp(), make(list, 2); put(l, 0, n); put(l, 1, n); return l`},
		{"by index, in a loop", `n, l := x[0].Exp(), make(list, 2); for i := range x { put(l, i, n) }; return l`},
		{"leaves of a tree", `n, l := x[0].Exp(), list{}; for range hop.Leaves(x) { l = append(l, n) }; return l`},
	}
	different := []struct{ name, text string }{
		{"method", `s := stack{}; s.push(x[0].Exp()); s.push(x[1].Exp()); return s.all`},
		{"by pointer", `l := list{}; push(&l, x[0].Exp()); push(&l, x[1].Exp()); return l`},
		{"literal", `l := list{}; add := func() { l = append(l, x[0].Exp()) }; add(); add(); return l`},
		{"called for each element", `l := list{}; each(x, func(t *T) { l = append(l, t.Exp()) }); return l`},
		{"range over a function", `l := list{}; for i := range all(x) { l = append(l, x[i].Neg()) }; return l`},
		{"by index, in a loop", `l := make(list, 2); for i := range x { put(l, i, x[i].Exp()) }; return l`},
		{"a list for each", `n := x[0].Exp(); var l list; again(func() { l = list{n} }); return l`},
	}
	body := func(text string) string {
		return head + "func main() { hop.Map(func(x list) list { " + text + " }, list{zero, zero}) }"
	}
	var programs []program
	for _, c := range same {
		programs = append(programs, program{name: c.name, text: body(c.text)})
	}
	for _, c := range different {
		programs = append(programs, program{name: c.name, text: body(c.text)})
	}
	for name, findings := range inspectPrograms(t, analyzer.Analyzer, programs) {
		t.Errorf("%s: %q without -strict", name, findings)
	}
	strictly(t)
	found := inspectPrograms(t, analyzer.Analyzer, programs)
	for i, p := range programs {
		got := strings.Join(found[fmt.Sprintf("case%03d", i)], "; ")
		if want := i < len(same); strings.Contains(got, "HOP302") != want || strings.Contains(got, "HOP903") {
			t.Errorf("%s: got %q, want HOP302: %t", p.name, got, want)
		}
	}
}

// What two elements of a list hold are two of the tensors that were put in, whoever put them in.
func TestElementsOfListsThatCallsFill(t *testing.T) {
	const head = `
type list = []*T
func visit(s S, f func(*T)) { f(s.H); f(s.C) }
func each(s S) func(func(*T) bool) { return func(yield func(*T) bool) { _ = yield(s.H) && yield(s.C) } }
func push(l *list, t *T) { *l = append(*l, t) }
`
	var programs []program
	for _, c := range []struct{ name, text string }{
		{"literal", `add := func(t *T) { l = append(l, t.Neg()) }; add(x.H); add(x.C); return S{l[0], l[1]}`},
		{"visitor", `visit(x, func(t *T) { l = append(l, t.Neg()) }); return S{l[0], l[1]}`},
		{"visitor, from the end", `visit(x, func(t *T) { l = append(l, t.Neg()) }); return S{l[len(l)-2], l[len(l)-1]}`},
		{"range over a function", `for t := range each(x) { l = append(l, t.Neg()) }; return S{l[0], l[1]}`},
		{"helper", `push(&l, x.H.Neg()); push(&l, x.C.Neg()); return S{l[0], l[1]}`},
		{"one element twice", `visit(x, func(t *T) { l = append(l, t.Neg()) }); return S{l[0], l[0]} // want HOP302 y.H=y.C`},
		{"one element twice, from the end", `visit(x, func(t *T) { l = append(l, t.Neg()) }); return S{l[len(l)-1], l[len(l)-1]} // want HOP302 y.H=y.C`},
		{"an element and what was put in", `n := x.H.Neg(); push(&l, n); push(&l, x.C.Neg()); return S{l[0], n} // want HOP302 y.H=y.C`},
		{"inputs", `visit(x, func(t *T) { l = append(l, t) }); return S{l[0], l[1].Neg()} // want HOP301 y.H=x.H, y.H=x.C`},
	} {
		programs = append(programs, program{name: c.name, text: head + "func main() { hop.Map(func(x S) S { var l list; " + c.text + "\n}, S{zero, zero}) }"})
	}
	checkPrograms(t, programs)
}
