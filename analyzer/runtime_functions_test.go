package analyzer_test

import "testing"

// MapLeaves gives its function the leaves of each of its trees, and what the function writes and returns is of the tree whose leaf it
// takes.
func TestTreesOfMapLeaves(t *testing.T) {
	scan := func(name, body string) program {
		return program{name: name, text: `
func write(l ...*T) *T { return l[0].AddInPlace(l[1]) }
func main(i int) {
	hop.Scan(func(c, x *T) (*T, *T) {` + body + `
	}, zero, zero)
}`}
	}
	checkPrograms(t, []program{
		scan("second tree written", `
		hop.MapLeaves(func(l ...*T) *T { l[1].Zero(); return l[0].Clone() }, x, c) // want HOP101 carry
		return c.Clone(), x.Clone()`),
		scan("third tree written", `
		hop.MapLeaves(func(l ...*T) *T { l[2].Zero(); return l[0].Clone() }, x, x, c) // want HOP101 carry
		return c.Clone(), x.Clone()`),
		scan("first tree written", `
		hop.MapLeaves(func(l ...*T) *T { l[0].Zero(); return l[1].Clone() }, x.Clone(), c)
		return c.Clone(), x.Clone()`),
		scan("own copy updated in place", `
		next := hop.MapLeaves(func(l ...*T) *T { return l[0].AddInPlace(l[1]) }, hop.Clone(c), x)
		hop.MapLeaves(write, next, x)
		return next, x.Clone()`),
		scan("any tree written", `
		hop.MapLeaves(func(l ...*T) *T { l[i].Zero(); return l[0].Clone() }, x.Clone(), c) // want HOP101 carry
		return c.Clone(), x.Clone()`),
		scan("all trees written", `
		hop.MapLeaves(func(l ...*T) *T { for _, t := range l { t.Zero() }; return l[0].Clone() }, x, c) // want HOP101 carry; HOP102 x
		return c.Clone(), x.Clone()`),
		scan("rest of the trees written", `
		hop.MapLeaves(func(l ...*T) *T { for _, t := range l[1:] { t.Zero() }; return l[0].Clone() }, x.Clone(), c) // want HOP101 carry
		return c.Clone(), x.Clone()`),
		scan("list of trees", `
		more := []*T{x.Clone(), c}
		hop.MapLeaves(func(l ...*T) *T { l[2].Zero(); return l[0].Clone() }, x.Clone(), more...) // want HOP101 carry
		return c.Clone(), x.Clone()`),
		scan("second tree returned", `
		return hop.MapLeaves(func(l ...*T) *T { return l[1] }, x.Clone(), c), x.Clone() // want HOP301 next carry=carry`),
		{name: "trees of two leaves", text: `
func main() {
	hop.Scan(func(c S, x *T) (S, *T) {
		hop.MapLeaves(func(l ...*T) *T { l[1].Zero(); return l[0].Clone() }, S{x.Clone(), x.Clone()}, c) // want HOP101 carry.H, carry.C
		return hop.MapLeaves(func(l ...*T) *T { return l[0].Add(l[1]) }, hop.Clone(c), c), x.Clone()
	}, S{zero, zero}, zero)
}`},
	})
}

// Elements of the list that a variadic function is given are told apart by the caller's order, unless the list is a part of another.
func TestElementsOfVariadicCalls(t *testing.T) {
	dep := `package dep
import "github.com/hoplint/hoplint/runtime/hop"
func First(ts ...*hop.Tensor) { ts[0].Zero() }
func Last(ts ...*hop.Tensor) { ts[len(ts)-1].Zero() }
`
	scan := func(name, body string) program {
		return program{name: name, packages: map[string]string{"dep": dep}, text: `
var _ = dep.First
func first(ts ...*T) { ts[0].Zero() }
func main() {
	hop.Scan(func(c, x *T) (*T, *T) {` + body + `
		return c.Clone(), x.Clone()
	}, zero, zero)
}`}
	}
	checkPrograms(t, []program{
		scan("first", `
		first(x.Clone(), c)
		dep.First(x.Clone(), c)
		first(c, x.Clone()) // want HOP101 carry
		dep.First(c, x.Clone()) // want HOP101 carry`),
		scan("last", `
		dep.Last(x.Clone(), c) // want HOP101 carry`),
		scan("part of a list", `
		ts := []*T{x.Clone(), c}
		first(ts...)
		first(ts[:1]...)
		first(ts[1:]...) // want HOP101 carry
		dep.First(ts[1:]...) // want HOP101 carry`),
		scan("moved within", `
		func(ts ...*T) { ts[1:][0].Zero() }(x.Clone(), c) // want HOP101 carry`),
	})
}

// What the options of a HOP run, and what sees ops, runs in the body around the call.
func TestCallbacksOfOptions(t *testing.T) {
	scan := func(name, body string) program {
		return program{name: name, text: `
type writer struct{ t *T }
func (w writer) Op(hop.OpCall) { w.t.Zero() }
type counter struct{ n int }
func (c *counter) Op(hop.OpCall) { c.n++ }
func neg(t *T) *T { return t.Neg() }
func main() {
	hop.Scan(func(c, x *T) (*T, *T) {` + body + `
		return c.Clone(), x.Clone()
	}, zero, zero)
	total := 0
	hop.Map(neg, zero, hop.Progress(func(int, int) { total++ }), hop.Observe(writer{zero}))
}`}
	}
	checkPrograms(t, []program{
		scan("progress", `
		hop.Map(neg, zero, hop.Progress(func(int, int) { c.Zero() })) // want HOP101 carry`),
		scan("observer of a HOP", `
		hop.Map(neg, zero, hop.Observe(writer{c})) // want HOP101 carry`),
		scan("observer of a function", `
		hop.WithObserver(writer{c}, neg)(x) // want HOP101 carry`),
		scan("observers that write what is their own", `
		seen := &counter{}
		hop.Map(neg, zero, hop.Observe(writer{c.Clone()}), hop.Observe(seen))
		hop.WithObserver(seen, neg)(x)
		n := 0
		hop.Map(neg, zero, hop.Progress(func(int, int) { n++ }))`),
	})
}

// The leaves that an iterator yields are followed through functions that take and return iterators.
func TestIteratedLeaves(t *testing.T) {
	adapters := map[string]string{"adapters": `package adapters
func Seconds[K, V any](s func(func(K, V) bool)) func(func(V) bool) {
	return func(yield func(V) bool) { s(func(_ K, v V) bool { return yield(v) }) }
}
func List[V any](s func(func(V) bool)) (list []V) { s(func(v V) bool { list = append(list, v); return true }); return list }
func Map[K comparable, V any](s func(func(K, V) bool)) map[K]V {
	m := map[K]V{}
	for k, v := range s { m[k] = v }
	return m
}
`}
	here := `
func Seconds[K, V any](s func(func(K, V) bool)) func(func(V) bool) {
	return func(yield func(V) bool) { for _, v := range s { if !yield(v) { return } } }
}
func List[V any](s func(func(V) bool)) (list []V) { for v := range s { list = append(list, v) }; return list }
func Map[K comparable, V any](s func(func(K, V) bool)) map[K]V {
	m := map[K]V{}
	for k, v := range s { m[k] = v }
	return m
}
`
	var list []program
	for _, at := range []string{"", "adapters."} {
		p := program{name: "here"}
		if at == "" {
			p.text = here
		} else {
			p.name, p.packages = "in another package", adapters
		}
		p.text += `
func main() {
	hop.Scan(func(c S, x *T) (S, *T) {
		for t := range ` + at + `Seconds(hop.Leaves(c)) {
			t.Zero() // want HOP101 carry.H, carry.C
		}
		` + at + `Map(hop.Leaves(c))[".H"].Zero() // want HOP101 carry.H, carry.C
		` + at + `Map(hop.Leaves(hop.Clone(c)))[".H"].Zero()
		for _, t := range ` + at + `List(` + at + `Seconds(hop.Leaves(x))) {
			t.Zero() // want HOP102 x
		}
		return hop.Clone(c), ` + at + `Map(hop.Leaves(x))[""] // want HOP301 y=x
	}, S{zero, zero}, zero)
}`
		list = append(list, p)
	}
	checkPrograms(t, list)
}

// In strict mode too the leaves that MapLeaves makes are apart where its function makes each anew.
func TestLeavesMadeAnew(t *testing.T) {
	strictly(t)
	scan := func(name, body string) program {
		return program{name: name, text: `
func main(i int) {
	hop.Scan(func(carry S, x *T) (S, *T) {` + body + `
	}, S{zero, zero}, zero)
}`}
	}
	checkPrograms(t, []program{
		scan("made anew", `
		return hop.MapLeaves(func(l ...*T) *T { return l[0].Add(x) }, carry), x.Clone()`),
		scan("made anew on each branch", `
		next := hop.MapLeaves(func(l ...*T) *T { if i > 0 { return l[0].Neg() }; return hop.ZerosLike(l[0]) }, carry)
		return next, x.Clone()`),
		scan("one for all", `
		w := x.Clone()
		return hop.MapLeaves(func(l ...*T) *T { return w }, carry), x.Clone() // want HOP302 next carry.H=next carry.C`),
		scan("one of some", `
		ws := []*T{x.Clone(), x.Neg()}
		return hop.MapLeaves(func(l ...*T) *T { return ws[i] }, carry), x.Clone() // want HOP302 next carry.H=next carry.C`),
	})
}
