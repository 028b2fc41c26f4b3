package ssaflow

import "testing"

// The further nodes of a list or tree that a callee does not tell apart are those that were made, linked or there on entry.
func TestFurtherNodes(t *testing.T) {
	const list = "type n struct { t *T; next *n }; func third(l *n) { l.next.next.t.Zero() }; func end(l *n) *T { for l.next != nil { l = l.next }; return l.t }; " +
		"func all(l *n) { for ; l != nil; l = l.next { l.t.Zero() } }; func rec(l *n) { if l.next == nil { l.t.Zero(); return }; rec(l.next) }; "
	const tree = "type n struct { t *T; kids []*n }; func all(v *n) { v.t.Zero(); for _, k := range v.kids { all(k) } }; "
	runRows(t, []row{
		{"third", list + `func f(c *n, x *T) { third(&n{x.Clone(), &n{x.Clone(), c}}) }`, "mutates{c.t} via third; mutates{c.next.t} via third"},
		{"third of own ones", list + `func f(c *n, x *T) { third(&n{x.Clone(), &n{x.Clone(), &n{x.Clone(), nil}}}) }`, "pure"},
		{"last", list + `func f(c *n, x *T) { end(&n{x.Clone(), &n{x.Clone(), c}}).Zero() }`, "mutates{c.t}; mutates{c.next.t}"},
		{"fourth, by recursion", list + `func f(c *n, x *T) { rec(&n{x.Clone(), &n{x.Clone(), &n{x.Clone(), c}}}) }`, "mutates{c.t} via rec, rec; mutates{c.next.t} via rec, rec"},
		{"tensor of the fourth", list + `func f(y, x *T) { all(&n{x.Clone(), &n{x.Clone(), &n{x.Clone(), &n{y, nil}}}}) }`, "mutates{y} via all"},
		{"linked behind a parameter", list + `func f(l, c *n) { l.next.next = c; all(l) }`, "stores{l.next.next}; mutates{l.t} via all; mutates{l.next.t} via all; mutates{c.t} via all; mutates{c.next.t} via all; keeps{c in l.next.next}"},
		{"not linked", list + `func f(l, c *n) { all(l); c.t.Add(c.t) }`, "mutates{l.t} via all; mutates{l.next.t} via all"},
		{"parameter", list + `func f(l *n) { third(l) }`, "mutates{l.next.t} via third"},
		{"tree", tree + `func f(c *n, x *T) { all(&n{x.Clone(), []*n{{x.Clone(), []*n{c}}}}) }`, "mutates{c.t} via all, all; mutates{c.kids[].t} via all, all"},
	})
}
