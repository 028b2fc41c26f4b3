package analyzer_test

import "testing"

// A function that runs its parameter as a body is a HOP, also where the HOP call stands in a literal that it hands on.
func TestWrappersAroundLiterals(t *testing.T) {
	in := func(name, wrapper, body string) program {
		return program{name: name, text: `
` + wrapper + `
func main() {
	` + body + `
}`}
	}
	const clean = `func(c, x *T) (*T, *T) { return c.Clone(), x.Clone() }`
	checkPrograms(t, []program{
		in("around Try", `func safe[C, Y any](f func(C, *T) (C, Y), c C, xs *T) (l C, err error) {
	err = hop.Try(func() { l, _ = hop.Scan(f, c, xs) })
	return
}`, `
	safe(func(c, x *T) (*T, *T) {
		c.AddInPlace(x) // want HOP101 carry
		return c.Clone(), x // want HOP301 y=x
	}, zero, zero)
	safe(`+clean+`, zero, zero)`),
		in("around Try with a result that is used", `func safe(f func(c, x *T) (*T, *T), c, xs *T) (l *T, err error) {
	err = hop.Try(func() { l, _ = hop.Scan(f, c, xs) })
	return
}`, `
	hop.Scan(func(c, x *T) (*T, *T) {
		l, _ := safe(`+clean+`, c, x)
		l.AddInPlace(x)
		return l, x.Clone()
	}, zero, zero)`),
		in("by name", `func run(name string, f func(c, x *T) (*T, *T), init *T) {
	for range 2 {
		err := hop.Try(func() { hop.Scan(f, init, zero) })
		_ = err
	}
}`, `
	run("a", func(c, x *T) (*T, *T) { return c.Zero().Clone(), x.Clone() }, zero) // want HOP101 carry
	run("b", `+clean+`, zero)`),
		in("two literals deep", `func run(f func(c, x *T) (*T, *T)) {
	func() { hop.Try(func() { hop.Scan(f, zero, zero) }) }()
}`, `
	run(func(c, x *T) (*T, *T) { return c, x.Clone() }) // want HOP301 next carry=carry`),
		in("two wrappers deep", `func inner(f func(c, x *T) (*T, *T)) { hop.Try(func() { hop.Scan(f, zero, zero) }) }
func outer(f func(c, x *T) (*T, *T)) { hop.Try(func() { inner(f) }) }`, `
	outer(func(c, x *T) (*T, *T) { return c, x.Clone() }) // want HOP301 next carry=carry`),
		in("through another variable", `func run(f func(c, x *T) (*T, *T)) {
	g := f
	hop.Try(func() { hop.Scan(g, zero, zero) })
}`, `
	run(func(c, x *T) (*T, *T) { return c, x.Clone() }) // want HOP301 next carry=carry`),
		in("in a literal of its own", `func run(f func(x *T) *T) {
	hop.Try(func() {
		hop.Scan(func(c, x *T) (*T, *T) { return c.Add(x), f(x) }, zero, zero)
	})
}`, `
	run(func(x *T) *T { return x.Narrow(0, 0, 1) }) // want HOP301 y=x
	run(func(x *T) *T { return x.Neg() })`),
		in("in a goroutine", `func run(f func(c, x *T) (*T, *T)) {
	done := make(chan bool)
	go func() { hop.Scan(f, zero, zero); done <- true }()
	<-done
}`, `
	run(func(c, x *T) (*T, *T) { return c, x.Clone() }) // want HOP301 next carry=carry`),
		{name: "of another package", packages: map[string]string{"safe": `package safe
import "github.com/hoplint/hoplint/runtime/hop"
func Scan[C, Y any](f func(C, *hop.Tensor) (C, Y), c C, xs *hop.Tensor) (l C, err error) {
	err = hop.Try(func() { l, _ = hop.Scan(f, c, xs) })
	return
}
`}, text: `
func main() {
	safe.Scan(func(c, x *T) (*T, *T) {
		c.AddInPlace(x) // want HOP101 carry
		return c.Clone(), x.Clone()
	}, zero, zero)
}`},
	})
}

// A body may lie in a field of a parameter or of the receiver, at any depth of structs, and be one of several.
func TestWrappersWithBodiesInFields(t *testing.T) {
	const model = `
type model struct {
	Step  func(c, x *T) (*T, *T)
	Inner struct{ Loss func(x *T) *T }
	Init  *T
}
func bad(c, x *T) (*T, *T) {
	c.AddInPlace(x) // want HOP101 carry
	return c.Clone(), x.Clone()
}
func good(c, x *T) (*T, *T) { return c.Add(x), x.Clone() }
`
	in := func(name, text string) program { return program{name: name, text: model + text} }
	checkPrograms(t, []program{
		in("by value", `
func run(m model, xs *T) { hop.Scan(m.Step, m.Init, xs) }
func main() { run(model{Step: bad, Init: zero}, zero); run(model{Step: good, Init: zero}, zero) }`),
		in("by pointer", `
func run(m *model, xs *T) { hop.Scan(m.Step, m.Init, xs) }
func main() { run(&model{Step: bad, Init: zero}, zero) }`),
		in("assigned later", `
func run(m *model, xs *T) { hop.Scan(m.Step, m.Init, xs) }
func main() {
	m := &model{Step: good, Init: zero}
	m.Step = bad
	run(m, zero)
}`),
		in("replaced before the call", `
func run(m *model, xs *T) { hop.Scan(m.Step, m.Init, xs) }
func clean(c, x *T) (*T, *T) {
	c.AddInPlace(x)
	return c.Clone(), x.Clone()
}
func main() {
	m := &model{Step: clean, Init: zero}
	m.Step = good
	run(m, zero)
	_ = bad
	hop.Scan(bad, zero, zero)
}`),
		in("of the receiver", `
func (m model) run(xs *T) { hop.Scan(m.Step, m.Init, xs) }
func main() { model{Step: bad, Init: zero}.run(zero) }`),
		in("of a nested struct", `
func run(m model, xs *T) { hop.Map(m.Inner.Loss, xs) }
func main() {
	var m model
	m.Inner.Loss = func(x *T) *T { return x.View(2) } // want HOP301 y=x
	run(m, zero)
	hop.Scan(bad, zero, zero)
}`),
		in("in a literal", `
func run(m model, xs *T) error { return hop.Try(func() { hop.Scan(m.Step, m.Init, xs) }) }
func main() { run(model{Step: bad, Init: zero}, zero) }`),
		in("called by the body", `
func run(m model, xs *T) {
	hop.Scan(func(c, x *T) (*T, *T) { return c.Add(x), m.Inner.Loss(x) }, zero, xs)
}
func main() {
	var m model
	m.Inner.Loss = func(x *T) *T { return x } // want HOP301 y=x
	run(m, zero)
	hop.Scan(bad, zero, zero)
}`),
		in("of several parameters", `
func run(f, g func(c, x *T) (*T, *T), pick bool) {
	if pick {
		f = g
	}
	hop.Try(func() { hop.Scan(f, zero, zero) })
}
func main() { run(good, bad, true) }`),
		in("or a default", `
func run(f func(c, x *T) (*T, *T)) {
	if f == nil {
		f = func(c, x *T) (*T, *T) { return c, x.Clone() } // want HOP301 next carry=carry
	}
	hop.Try(func() { hop.Scan(f, zero, zero) })
}
func main() { run(nil); run(bad) }`),
		in("in a list", `
func run(fs ...func(c, x *T) (*T, *T)) {
	for _, f := range fs {
		hop.Scan(f, zero, zero)
	}
}
func main() { run(good, bad) }`),
		{name: "of another package", packages: map[string]string{"loops": `package loops
import "github.com/hoplint/hoplint/runtime/hop"
type Loop struct{ Step func(c, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) }
func (l *Loop) Run(c, xs *hop.Tensor) { hop.Scan(l.Step, c, xs) }
// Declared runs its body elsewhere.
//hop:body l.Step(carry, x)
func Declared(l Loop) {}
`}, text: `
func main() {
	l := &loops.Loop{Step: func(c, x *T) (*T, *T) {
		c.AddInPlace(x) // want HOP101 carry
		return c.Clone(), x.Clone()
	}}
	l.Run(zero, zero)
	loops.Declared(loops.Loop{Step: func(c, x *T) (*T, *T) {
		return c, x.Add(c) // want HOP301 next carry=carry
	}})
}`},
	})
}

// Such a wrapper does not itself have a body that cannot be resolved.
func TestWrappersAroundLiteralsAreLookedAtFromTheirCalls(t *testing.T) {
	strictly(t)
	checkPrograms(t, []program{{name: "around Try", text: `
func safe[C, Y any](f func(C, *T) (C, Y), c C, xs *T) (l C, err error) {
	err = hop.Try(func() { l, _ = hop.Scan(f, c, xs) })
	return
}
func main() {
	safe(func(c, x *T) (*T, *T) { return c.Clone(), x.Clone() }, zero, zero)
}`}, {name: "reassigned", text: `
func safe(f, g func(c, x *T) (*T, *T), xs *T) {
	if xs == nil {
		f = g
	}
	hop.Try(func() { hop.Scan(f, xs, xs) })
}
func main() {
	clean := func(c, x *T) (*T, *T) { return c.Clone(), x.Clone() }
	safe(clean, clean, zero)
}`}, {name: "reassigned from elsewhere", text: `
var table map[string]func(c, x *T) (*T, *T)

func safe(f func(c, x *T) (*T, *T), xs *T) {
	if xs == nil {
		f = table["default"]
	}
	hop.Try(func() { hop.Scan(f, xs, xs) }) // want HOP903
}
func main() { safe(func(c, x *T) (*T, *T) { return c.Clone(), x.Clone() }, zero) }`}})
}

// A body that a wrapper took out of its parameter before a literal captured it is the one in the parameter.
func TestBodiesThatAVariableHolds(t *testing.T) {
	strictly(t)
	checkPrograms(t, []program{
		{name: "declared with a field", text: `
type model struct{ Step func(c, x *T) (*T, *T); W *T }
//hop:body m.Step(carry, x)
func run(m model, xs *T) {
	step := m.Step
	hop.Scan(func(c, x *T) (*T, *T) { return step(c, x) }, zero, xs)
}
//hop:body m.Step(carry, x)
func again(m *model, xs *T) {
	step := m.Step
	hop.Try(func() { hop.Scan(step, zero, xs) })
}
func main() {
	run(model{Step: func(c, x *T) (*T, *T) { return c, x.Clone() }}, zero) // want HOP301 next carry=carry
	again(&model{Step: func(c, x *T) (*T, *T) { return c, x.Neg() }}, zero) // want HOP301 next carry=carry
}`},
		{name: "inferred", text: `
type model struct{ Step func(c, x *T) (*T, *T); W *T }
func again(m *model, xs *T) {
	step := m.Step
	hop.Try(func() { hop.Scan(step, zero, xs) })
}
func main() {
	again(&model{Step: func(c, x *T) (*T, *T) { return c, x.Neg() }}, zero) // want HOP301 next carry=carry
}`},
		{name: "method", text: `
type model struct{ W *T }
func (m *model) Step(c, x *T) (*T, *T) {
	c.AddInPlace(x) // want HOP101 carry
	return c.Clone(), x.Clone()
}
func again(m *model, xs *T) {
	step := m.Step
	hop.Try(func() { hop.Scan(step, zero, xs) })
}
func main() { again(&model{}, zero) }`},
	})
}
