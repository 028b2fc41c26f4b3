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

// What functions of the runtime are handed as an interface runs in the body around the call.
func TestInterfacesOfTheCaller(t *testing.T) {
	scan := func(name, body string) program {
		return program{name: name, text: `
type plain struct{}
func (plain) At(i, j int) float64 { return 0 }
func (plain) Dims() (int, int) { return 1, 1 }
type matrix struct { hop.Matrix; t *T }
func (m matrix) At(i, j int) float64 { m.t.Zero(); return 0 }
type sized struct { hop.Matrix; t *T }
func (s *sized) Dims() (int, int) { s.t.Zero(); return 1, 1 }
type stream struct { t *T }
func (s stream) Read([]byte) (int, error) { s.t.Zero(); return 0, nil }
func (s stream) Write(p []byte) (int, error) { s.t.Zero(); return len(p), nil }
type stopped struct { t *T }
func (s stopped) Err() error { s.t.Zero(); return nil }
func (s stopped) Done() <-chan struct{} { return nil }
func neg(t *T) *T { return t.Neg() }
func main(p *hop.Program[*T, *T]) {
	hop.Scan(func(c, x *T) (*T, *T) {` + body + `
		return c.Clone(), x.Clone()
	}, zero, zero)
}`}
	}
	checkPrograms(t, []program{
		scan("elements of a matrix", `
		_ = hop.FromMatrix(matrix{plain{}, c}) // want HOP101 carry`),
		scan("size of a matrix", `
		_ = hop.FromMatrix(&sized{plain{}, c}) // want HOP101 carry`),
		scan("writer", `
		p.Save(stream{c}) // want HOP101 carry`),
		scan("reader", `
		hop.Load[*T, *T](stream{c}) // want HOP101 carry`),
		scan("context", `
		hop.Map(neg, x, hop.WithContext(stopped{c})) // want HOP101 carry`),
		scan("their own", `
		d := plain{}
		_ = hop.FromMatrix(d)
		_ = hop.FromMatrix(matrix{d, c.Clone()})
		_ = hop.FromMatrix(&sized{d, c.Clone()})
		p.Save(stream{c.Clone()})
		hop.Load[*T, *T](stream{c.Clone()})
		hop.Map(neg, x, hop.WithContext(stopped{c.Clone()}))`),
	})
}

// The leaves of lists and maps that are made on the way are those that were put in.
func TestLeavesOfContainers(t *testing.T) {
	scan := func(name, body string) program {
		return program{name: name, text: `
func zero1[P any](p P) { for _, t := range hop.Leaves(p) { t.Zero() } }
func first[P any](p P) *T { for _, t := range hop.Leaves(p) { return t }; return nil }
func main() {
	hop.Scan(func(c, x *T) (*T, *T) {` + body + `
		return c.Clone(), x.Clone()
	}, zero, zero)
	hop.Scan(func(c []*T, x *T) ([]*T, *T) {
		zero1(hop.Clone(c))
		return hop.Clone(c), x.Clone()
	}, []*T{zero}, zero)
}`}
	}
	checkPrograms(t, []program{
		scan("list", `
		for _, t := range hop.Leaves([]*T{x.Clone(), c}) { t.Zero() } // want HOP101 carry`),
		scan("map", `
		for _, t := range hop.Leaves(map[string]*T{"a": c}) { t.Zero() } // want HOP101 carry`),
		scan("list in a struct", `
		for _, t := range hop.Leaves(struct{ L []*T; M *T }{[]*T{x}, c.Clone()}) { t.Zero() } // want HOP102 x`),
		scan("lists in a map", `
		for _, t := range hop.Leaves(map[string][]S{"a": {{H: c.Clone(), C: x}}}) { t.Zero() } // want HOP102 x`),
		scan("helper", `
		zero1([]*T{c, x}) // want HOP101 carry; HOP102 x
		zero1(c) // want HOP101 carry`),
		scan("leaf returned by a helper", `
		first([]*T{x}).Zero() // want HOP102 x
		first(map[string]S{"s": {H: c, C: c.Clone()}}).Zero() // want HOP101 carry`),
		scan("first of the leaves of MapLeaves", `
		hop.MapLeaves(func(l ...*T) *T { l[0].Zero(); return l[0].Clone() }, []*T{c}) // want HOP101 carry`),
		scan("second of the leaves of MapLeaves", `
		hop.MapLeaves(func(l ...*T) *T { l[1].Zero(); return l[0].Clone() }, []*T{x}, []*T{c}) // want HOP101 carry`),
		scan("their own", `
		zero1([]*T{c.Clone(), x.Neg()})
		zero1(struct{ L []*T; M map[string]*T }{[]*T{x.Clone()}, map[string]*T{"a": c.Clone()}})
		first([]*T{x.Clone()}).Zero()
		for _, t := range hop.Leaves([]*T{x, c}) { t.Neg().Zero() }
		hop.MapLeaves(func(l ...*T) *T { l[0].Zero(); return l[1].Clone() }, []*T{x.Clone()}, []*T{c})`),
	})
}

// CallInto writes the leaves of its destination.
func TestCallInto(t *testing.T) {
	scan := func(name, body string) program {
		return program{name: name, text: `
func run[X, Y any](p *hop.Program[X, Y], x X, into Y) { p.CallInto(x, into) }
func main(p *hop.Program[*T, *T], c1 *hop.Compiled[*T, *T], pair *hop.Program[*T, S], list *hop.Compiled[*T, []*T], w *T) {
	hop.Scan(func(c, x *T) (*T, *T) {` + body + `
		return c.Clone(), x.Clone()
	}, zero, zero)
}`}
	}
	checkPrograms(t, []program{
		scan("program", `
		p.CallInto(x, c) // want HOP101 carry`),
		scan("compiled", `
		c1.CallInto(x, w) // want HOP104 captured w`),
		scan("struct", `
		pair.CallInto(x, S{H: x.Clone(), C: c}) // want HOP101 carry`),
		scan("list", `
		list.CallInto(c, []*T{x}) // want HOP102 x`),
		scan("method value and helper", `
		f := p.CallInto
		f(x, c) // want HOP101 carry
		run(pair, c, S{H: x, C: c.Clone()}) // want HOP102 x`),
		scan("their own", `
		own := c.Clone()
		p.CallInto(c, own)
		c1.CallInto(c, own)
		pair.CallInto(x, S{own, x.Clone()})
		list.CallInto(c, []*T{own})
		run(p, c, own)`),
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
