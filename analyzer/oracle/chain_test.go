package oracle

import (
	"fmt"
	"strings"
	"testing"
)

// chains are bodies of a scan in which n levels of closures or of memory stand between the carry and what writes it; where own names a
// declaration it is made for n.
var chains = []struct {
	name, shared string
	body         func(n int) string
}{
	{"composed", "func comp(f, g func(T) T) func(T) T { return func(t T) T { return g(f(t)) } }\nfunc id(t T) T { return t }\n", func(n int) string {
		return strings.Repeat("comp(", n) + "id" + strings.Repeat(", id)", n) + "(c).AddInPlace(x)"
	}},
	{"middleware", "func around(f func(T) T) func(T) T { return func(t T) T { return f(t) } }\n", func(n int) string {
		return strings.Repeat("around(", n) + "func(t T) T { return t.AddInPlace(x) }" + strings.Repeat(")", n) + "(c)"
	}},
	{"iterators", "func mapped(s iter.Seq[T], f func(T) T) iter.Seq[T] {\n\treturn func(y func(T) bool) {\n\t\tfor t := range s {\n\t\t\tif !y(f(t)) {\n\t\t\t\treturn\n\t\t\t}\n\t\t}\n\t}\n}\n", func(n int) string {
		return "for t := range " + strings.Repeat("mapped(", n) + "slices.Values([]T{c})" + strings.Repeat(", id)", n) + " { t.AddInPlace(x) }"
	}},
	{"list", "type node struct {\n\tt T\n\tnext *node\n}\nfunc each(l *node, f func(T)) {\n\tfor ; l != nil; l = l.next {\n\t\tf(l.t)\n\t}\n}\n", func(n int) string {
		return "each(" + strings.Repeat("&node{x.Neg(), ", n) + "&node{c, nil}" + strings.Repeat("}", n) + ", func(t T) { t.AddInPlace(x) })"
	}},
	{"last of a list", "func lastOf(l *node) T {\n\tif l.next == nil {\n\t\treturn l.t\n\t}\n\treturn lastOf(l.next)\n}\n", func(n int) string {
		return "lastOf(" + strings.Repeat("&node{x.Neg(), ", n) + "&node{c, nil}" + strings.Repeat("}", n) + ").AddInPlace(x)"
	}},
	{"tree", "type tree struct {\n\tl, r *tree\n\tt T\n}\nfunc (v *tree) right() T {\n\tif v.r == nil {\n\t\treturn v.t\n\t}\n\treturn v.r.right()\n}\n", func(n int) string {
		return "(" + strings.Repeat("&tree{nil, ", n) + "&tree{t: c}" + strings.Repeat(", nil}", n) + ").right().AddInPlace(x)"
	}},
	{"expression", "type expr interface{ value() T }\ntype leaf struct{ t T }\ntype same struct{ e expr }\nfunc (l leaf) value() T { return l.t }\nfunc (s same) value() T { return s.e.value() }\n", func(n int) string {
		return "expr(" + strings.Repeat("same{", n) + "leaf{c}" + strings.Repeat("}", n) + ").value().AddInPlace(x)"
	}},
	{"generic list", "type cons[E any] struct {\n\thead E\n\ttail *cons[E]\n}\nfunc visit[E any](l *cons[E], f func(E)) {\n\tif l != nil {\n\t\tf(l.head)\n\t\tvisit(l.tail, f)\n\t}\n}\n", func(n int) string {
		return "visit(" + strings.Repeat("&cons[T]{x.Neg(), ", n) + "&cons[T]{c, nil}" + strings.Repeat("}", n) + ", func(t T) { t.AddInPlace(x) })"
	}},
	{"structs", structs(), func(n int) string {
		var b strings.Builder
		for i := n; i > 0; i-- {
			fmt.Fprintf(&b, "&s%d{", i)
		}
		return fmt.Sprintf("deep%d(%s&s0{c}%s).AddInPlace(x)", n, b.String(), strings.Repeat("}", n))
	}},
}

// structs declares structs that lead to one another and the functions that follow them.
func structs() string {
	var b strings.Builder
	b.WriteString("type s0 struct{ t T }\n")
	for i := 1; i <= chainLevels; i++ {
		fmt.Fprintf(&b, "type s%d struct{ p *s%d }\nfunc deep%d(v *s%d) T { return v%s.t }\n", i, i-1, i, i, strings.Repeat(".p", i))
	}
	return b.String()
}

const chainLevels = 8

// However long a chain is, it does not hide what is done to the carry: it is found, or strict mode says that the body is unproved.
func TestChains(t *testing.T) {
	var list []Program
	for i, c := range chains {
		for n := 1; n <= chainLevels; n++ {
			p := Program{Name: fmt.Sprintf("program%d_%d", i, n)}
			if i == 0 && n == 1 {
				p.Imports = []string{"iter", "slices"}
			}
			if n == 1 {
				p.Text = c.shared
			}
			p.Text += scanOf(p.Name, c.body(n))
			list = append(list, p)
		}
	}
	dynamic, static := judge(t, list)
	want := Refusal{Code: "HOP101", Role: "carry"}
	for i, p := range list {
		t.Run(fmt.Sprintf("%s/%d", chains[i/chainLevels].name, i%chainLevels+1), func(t *testing.T) {
			if d := dynamic[i]; d.Other != "" || len(d.Refusals) != 1 || d.Refusals[0] != want {
				t.Fatalf("the runtime says %v %s, want %v", d.Refusals, d.Other, want)
			}
			s := static[p.Name]
			if !covered(want, s.Findings) && !s.Unproved {
				t.Errorf("found %v, and strict mode says nothing", s.Findings)
			}
			if i%chainLevels < 3 && !covered(want, s.Findings) {
				t.Errorf("found %v in a short chain", s.Findings)
			}
		})
	}
}
