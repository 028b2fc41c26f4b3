package analyzer_test

import "testing"

// Functions that a body captures are known where the HOP call is, whatever they take and give.
func TestCapturedFunctions(t *testing.T) {
	const head = `
type pair struct{ A, B *T }
type updater interface{ Update(t, by *T) *T }
type inPlace struct{}
func (inPlace) Update(t, by *T) *T { return t.AddInPlace(by) }
type functional struct{}
func (functional) Update(t, by *T) *T { return t.Add(by) }
type config struct { act func(*T) *T; up updater }
`
	in := func(name, before, body string) program {
		return program{name: name, text: head + `
func main(w *T, deep bool) {
	` + before + `
	hop.Scan(func(c, x *T) (*T, *T) {` + body + `
	}, zero, zero)
}`}
	}
	checkPrograms(t, []program{
		in("variadic", `wr := func(ts ...*T) { ts[0].Zero() }`, `
		wr(x) // want HOP102 x
		return c.Clone(), x.Clone()`),
		in("variadic reads", `wr := func(ts ...*T) { _ = ts[0].Neg() }`, `
		wr(x)
		return c.Clone(), x.Clone()`),
		in("slice", `wr := func(ts []*T) { ts[len(ts)-1].Zero() }`, `
		wr([]*T{x}) // want HOP102 x
		wr([]*T{x.Clone()})
		return c.Clone(), x.Clone()`),
		in("pointer to a struct", `wr := func(p *pair) { p.A.Zero() }`, `
		wr(&pair{A: x}) // want HOP102 x
		wr(&pair{A: x.Clone(), B: x})
		return c.Clone(), x.Clone()`),
		in("map", `wr := func(m map[string]*T) { m["a"].Zero() }`, `
		wr(map[string]*T{"a": c}) // want HOP101 carry
		return c.Clone(), x.Clone()`),
		in("result through a slice", `pick := func(t *T) []*T { return []*T{t} }`, `
		return c.Clone(), pick(x)[0] // want HOP301 y=x`),
		in("result through a struct", `pack := func(t *T) pair { return pair{A: t, B: t.Clone()} }`, `
		return pack(c).B, pack(x).A // want HOP301 y=x`),
		in("closure that captures", `wr := func() { w.Zero() }`, `
		wr() // want HOP104 captured w
		return c.Clone(), x.Clone()`),
		in("closure that calls a closure", `zeroAll := func(ts ...*T) { for _, t := range ts { t.Zero() } }; wr := func(t *T) { zeroAll(t) }`, `
		wr(c) // want HOP101 carry
		return c.Clone(), x.Clone()`),
		in("curried", `mul := func(t *T) func(float64) func() *T { return func(k float64) func() *T { return func() *T { return t.MulScalarInPlace(k) } } }`, `
		return mul(c)(2)().Clone(), x.Clone() // want HOP101 carry`),
		in("one of two closures", `wr := func(t *T) {}; if deep { wr = func(t *T) { t.Zero() } }`, `
		wr(x) // want HOP102 x
		return c.Clone(), x.Clone()`),
		in("the one that holds at the call", `wr := func(t *T) { t.Zero() }; wr = func(t *T) {}`, `
		wr(x)
		return c.Clone(), x.Clone()`),
		in("list of functions", `fs := []func(*T) *T{(*T).Neg, (*T).TanhInPlace}`, `
		return fs[1](c).Clone(), x.Clone() // want HOP101 carry`),
		in("list of functions that read", `fs := []func(*T) *T{(*T).Neg, (*T).Tanh}`, `
		for _, f := range fs { x = f(x) }
		return c.Clone(), x.Clone()`),
		in("field of a struct", `k := config{act: (*T).TanhInPlace}`, `
		return k.act(c).Clone(), x.Clone() // want HOP101 carry`),
		in("field behind a pointer", `k := &config{}; k.act = (*T).TanhInPlace`, `
		return k.act(c).Clone(), x.Clone() // want HOP101 carry`),
		in("interface of known type", `var u updater = inPlace{}`, `
		return u.Update(c, x).Clone(), x.Clone() // want HOP101 carry`),
		in("interface of another known type", `var u updater = functional{}`, `
		return u.Update(c, x), x.Clone()`),
		in("embedded interface of known type", `type up struct{ updater }; u := up{inPlace{}}`, `
		return u.Update(c, x).Clone(), x.Clone() // want HOP101 carry`),
		in("interface in a struct behind a pointer", `k := &config{up: inPlace{}}`, `
		return k.up.Update(c, x).Clone(), x.Clone() // want HOP101 carry`),
		in("interface of one of two types", `var u updater = functional{}; if deep { u = inPlace{} }`, `
		return u.Update(c, x).Clone(), x.Clone() // want HOP101 carry`),
		{name: "method value of a struct with a function", text: head + `
func (k *config) step(c, x *T) (*T, *T) { return k.act(c).Clone(), x.Clone() } // want HOP101 carry
func main() {
	k := &config{act: (*T).TanhInPlace}
	hop.Scan(k.step, zero, zero)
	q := &config{act: (*T).Tanh}
	hop.Scan(q.step, zero, zero)
}`},
		{name: "composed functions", text: `
type body[C any] func(C, *T) (C, *T)
func compose[C any](fs ...body[C]) body[C] {
	return func(c C, x *T) (C, *T) {
		for _, f := range fs {
			c, x = f(c, x) // want HOP102 x
		}
		return c, x // want HOP301 next carry=carry; HOP301 y=x
	}
}
func main() {
	add := func(c, x *T) (*T, *T) { return c.Add(x), x.MulScalar(2) }
	bad := func(c, x *T) (*T, *T) { return c.Add(x), x.Zero() }
	hop.Scan(compose(add, bad), zero, zero)
}`},
		{name: "methods of a type parameter on a value made there", text: head + `
func gen[U updater](c, x *T) (*T, *T) {
	var u U
	return u.Update(c, x).Clone(), x.Clone() // want HOP101 carry
}
func step[U updater](c, x *T) *T { var u U; return u.Update(c, x) }
func main() {
	hop.Scan(gen[inPlace], zero, zero)
	hop.Scan(func(c, x *T) (*T, *T) {
		step[functional](c, x)
		step[inPlace](x, c) // want HOP102 x
		return c.Clone(), x.Clone()
	}, zero, zero)
}`},
		{name: "methods of a type parameter that read", text: head + `
func gen[U updater](c, x *T) (*T, *T) {
	var u U
	return u.Update(c, x), x.Clone()
}
func main() { hop.Scan(gen[functional], zero, zero) }`},
		{name: "interface of another package", packages: map[string]string{"updates": `package updates
import "github.com/hoplint/hoplint/runtime/hop"
type Updater interface { Update(t, by *hop.Tensor) *hop.Tensor }
type InPlace struct{}
func (InPlace) Update(t, by *hop.Tensor) *hop.Tensor { return t.AddInPlace(by) }
`}, text: `
func main() {
	var u updates.Updater = updates.InPlace{}
	hop.Scan(func(c, x *T) (*T, *T) { return u.Update(c, x).Clone(), x.Clone() }, zero, zero) // want HOP101 carry
	type up struct{ updates.Updater }
	v := up{updates.InPlace{}}
	hop.Scan(func(c, x *T) (*T, *T) { return v.Update(c, x).Clone(), x.Clone() }, zero, zero) // want HOP101 carry
}`},
		{name: "called within a literal that is run", text: `
func main(xs *T) {
	wr := func(t *T) { t.Zero() }
	err := hop.Try(func() {
		hop.Scan(func(c, x *T) (*T, *T) {
			wr(x) // want HOP102 x
			return c.Clone(), x.Clone()
		}, zero, xs)
	})
	_ = err
	func() {
		hop.Scan(func(c, x *T) (*T, *T) {
			hop.Map(func(y *T) *T {
				wr(y) // want HOP102 x
				return y.Clone()
			}, x)
			return c.Clone(), x.Clone()
		}, zero, xs)
	}()
}`},
	})
}

// What a body calls and nobody can see is told in strict mode, and never taken for harmless.
func TestUnknownCalleesAreUnproved(t *testing.T) {
	strictly(t)
	updates := map[string]string{"updates": `package updates
import "github.com/hoplint/hoplint/runtime/hop"
type Updater interface { Update(t, by *hop.Tensor) *hop.Tensor }
type Group struct { Up Updater }
func (g *Group) Do(t, by *hop.Tensor) *hop.Tensor { return g.Up.Update(t, by) }
func Kernel(t *hop.Tensor)
`}
	in := func(name, before, body string) program {
		return program{name: name, packages: updates, text: `
type local interface { Update(t, by *T) *T }
func main(u updates.Updater, v local, g *updates.Group, act func(*T) *T) {
	` + before + `
	hop.Scan(func(c, x *T) (*T, *T) {` + body + `
	}, zero, zero)
}`}
	}
	checkPrograms(t, []program{
		in("interface of another package", ``, `
		u.Update(c, x) // want HOP903
		return c.Clone(), x.Clone()`),
		in("interface of this package", ``, `
		v.Update(c, x) // want HOP903
		return c.Clone(), x.Clone()`),
		in("held by a local variable", `w := u`, `
		w.Update(c, x) // want HOP903
		return c.Clone(), x.Clone()`),
		in("inside of a struct of another package", ``, `
		g.Do(c, x) // want HOP903
		return c.Clone(), x.Clone()`),
		in("function parameter", ``, `
		return act(c).Clone(), x.Clone() // want HOP903`),
		in("function without a body", ``, `
		updates.Kernel(x) // want HOP903
		return c.Clone(), x.Clone()`),
	})
}
