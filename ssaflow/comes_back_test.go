package ssaflow

import "testing"

// A loop whose first round only chooses the function that the second one calls is interpreted until what that one does is seen behind it.
func TestFunctionsChosenByLoops(t *testing.T) {
	const machine = `type state func(*mach) state; type mach struct { t, out *T }; func start(m *mach) state { return mid }; func mid(m *mach) state { return last }; ` +
		`func last(m *mach) state { m.out = m.t; return nil }; func idle(m *mach) state { return nil }; func wait(m *mach) state { return idle }; `
	runRows(t, []row{
		{"second function stores", machine + `func f(c *T) *T { m := &mach{t: c, out: c.Clone()}; s := state(mid); for s != nil { s = s(m) }; return m.out }`, "returns c|fresh"},
		{"third function stores", machine + `func f(c *T) *T { m := &mach{t: c, out: c.Clone()}; s := state(start); for s != nil { s = s(m) }; return m.out }`, "returns c|fresh"},
		{"counted rounds", machine + `func f(c *T) *T { m := &mach{t: c, out: c.Clone()}; s := state(start); for range 5 { if s != nil { s = s(m) } }; return m.out }`, "returns c|fresh"},
		{"none stores", machine + `func f(c *T) *T { m := &mach{t: c, out: c.Clone()}; s := state(wait); for s != nil { s = s(m) }; return m.out }`, "pure"},
	})
}

// A method that comes back to itself through an interface, or a function value, which another function was given is a recursion.
func TestRecursionThroughInterfaces(t *testing.T) {
	const visitor = `type N struct{ t *T; ch []*N }; type V interface{ visit(*N) int }; func accept(n *N, v V) { v.visit(n) }; type col struct{}; ` +
		`func (c col) visit(n *N) int { n.t.Zero(); for _, k := range n.ch { accept(k, c) }; return 0 }; `
	const generic = `type N struct{ t *T; ch []*N }; type V[R any] interface{ visit(*N) R }; func accept[R any](n *N, v V[R]) R { return v.visit(n) }; type col struct{}; ` +
		`func (c col) visit(n *N) int { n.t.Zero(); s := 1; for _, k := range n.ch { s += accept[int](k, c) }; return s }; `
	const reader = `type N struct{ t *T; ch []*N }; type V interface{ visit(*N) *T }; func accept(n *N, v V) *T { return v.visit(n) }; type sum struct{}; ` +
		`func (s sum) visit(n *N) *T { t := n.t.Clone(); for _, k := range n.ch { t.AddInPlace(accept(k, s)) }; return t }; `
	runRows(t, []row{
		{"visitor", visitor + `func f(n *N) { accept(n, col{}) }`, "mutates{n.t} via accept, visit; mutates{n.ch[].t} via accept, visit, accept, visit"},
		{"visitor of own nodes", visitor + `func f(x *T) { accept(&N{x.Clone(), []*N{{t: x}}}, col{}) }`, "mutates{x} via accept, visit, accept, visit"},
		{"visitor of own tensors", visitor + `func f(x *T) { accept(&N{x.Clone(), []*N{{t: x.Clone()}}}, col{}) }`, "pure"},
		{"generic visitor", generic + `func f(n *N) { accept[int](n, col{}) }`, "mutates{n.t} via accept, visit; mutates{n.ch[].t} via accept, visit, accept, visit"},
		{"function value", `type N struct{ t *T; ch []*N }; func accept[R any](n *N, v func(*N) R) { v(n) }; func visit(n *N) int { n.t.Zero(); for _, k := range n.ch { accept[int](k, visit) }; return 0 }; ` +
			`func f(n *N) { visit(n) }`, "mutates{n.t} via visit; mutates{n.ch[].t} via visit, accept, visit"},
		{"visitor that reads", reader + `func f(x *T) *T { return accept(&N{x, []*N{{t: x}}}, sum{}) }`, "pure"},
	})
}
