package analyzer_test

import "testing"

// literals is what the programs below share: a body that breaks a rule and one that does not.
const literals = `
func xs() *T { return hop.Ones(hop.Float64, 3) }
func bad(x *T) *T {
	x.AddInPlace(x) // want HOP102 x
	return x.Clone()
}
func good(x *T) *T { return x.Neg() }
`

func withLiterals(name, text string) program { return program{name: name, text: literals + text} }

// literalWrappers are function literals that run what they are given as a body, and calls of them.
var literalWrappers = []program{
	withLiterals("in a variable", `
func main() {
	run := func(f func(*T) *T, x *T) { hop.Map(f, x) }
	run(bad, xs())
	run(good, xs())
}`),
	withLiterals("called where it stands", `
func main() {
	func(f func(*T) *T, x *T) { hop.Map(f, x) }(bad, xs())
	x := xs()
	func(f func(*T) *T) { hop.Map(f, x) }(func(x *T) *T { return x }) // want HOP301 y=x
}`),
	withLiterals("that captures", `
func main() {
	x := xs()
	run := func(f func(*T) *T) *T { return hop.Map(f, x) }
	run(bad)
	run(good)
}`),
	withLiterals("called by another literal", `
func main() {
	run := func(f func(*T) *T, x *T) { hop.Map(f, x) }
	again := func(x *T) { run(bad, x); run(good, x) }
	again(xs())
}`),
	withLiterals("two levels deep", `
func main() {
	run := func(f func(*T) *T, x *T) { hop.Map(f, x) }
	twice := func(g func(*T) *T, x *T) { run(g, x); run(g, x) }
	twice(bad, xs())
	twice(good, xs())
}`),
	withLiterals("three levels deep, in a literal that Try runs", `
func main() {
	run := func(f func(*T) *T, x *T) { hop.Try(func() { hop.Map(f, x) }) }
	twice := func(g func(*T) *T, x *T) { hop.Try(func() { run(g, x) }) }
	more := func(h func(*T) *T) { twice(h, xs()) }
	more(bad)
	more(good)
}`),
	withLiterals("around a declared wrapper, and a declared one around it", `
func declared(f func(*T) *T, x *T) { hop.Map(f, x) }
func outer(f func(*T) *T) {
	run := func(g func(*T) *T, x *T) { declared(g, x) }
	run(f, xs())
}
func main() { outer(bad); outer(good) }`),
	withLiterals("in a package variable", `
var run = func(f func(*T) *T, x *T) { hop.Map(f, x) }
func main() { run(bad, xs()); run(good, xs()) }`),
	withLiterals("in a package variable, called by one in another", `
var run = func(f func(*T) *T, x *T) { hop.Map(f, x) }
var again = func(f func(*T) *T) { run(f, xs()) }
func main() { again(bad); again(good) }`),
	withLiterals("in a field of a variable", `
type tools struct{ run func(f func(*T) *T, x *T) }
func main() {
	t := tools{run: func(f func(*T) *T, x *T) { hop.Map(f, x) }}
	t.run(bad, xs())
	p := &t
	p.run(good, xs())
}`),
	withLiterals("in a field of a package variable", `
var tools = struct{ run func(f func(*T) *T, x *T) }{func(f func(*T) *T, x *T) { hop.Map(f, x) }}
func main() { tools.run(bad, xs()); tools.run(good, xs()) }`),
	withLiterals("in a field that a constructor sets", `
type model struct{ run func(f func(*T) *T, x *T); x *T }
func newModel() *model {
	m := &model{x: xs()}
	m.run = func(f func(*T) *T, x *T) { hop.Map(f, x) }
	return m
}
func (m *model) use() { m.run(bad, m.x); m.run(good, m.x) }
func main() { newModel().use() }`),
	withLiterals("with its body in a field of its parameter", `
type model struct{ Step func(*T) *T }
func main() {
	run := func(m model) { hop.Map(m.Step, xs()) }
	run(model{bad})
	run(model{good})
}`),
	withLiterals("that binds", `
func main() {
	bind := func(f func(a, x *T) *T, a *T) func(*T) *T { return func(x *T) *T { return f(a, x) } }
	hop.Map(bind(func(a, x *T) *T { return x.Add(a) }, zero), xs())
	hop.Map(bad, xs())
	hop.Map(bind(func(a, x *T) *T {
		x.AddInPlace(a) // want HOP102 x
		return x.Clone()
	}, zero), xs())
}`),
	{name: "in a variable of another package", packages: map[string]string{"ops": `package ops
import "github.com/hoplint/hoplint/runtime/hop"
type T = hop.Tensor
var Run = func(f func(*T) *T, x *T) *T { return hop.Map(f, x) }
var Named = named
func named(f func(*T) *T) *T { return hop.Map(f, hop.Ones(hop.Float64, 3)) }
var Other = func(f func(*T) *T, x *T) *T { return f(x) }
var Changed = func(f func(*T) *T, x *T) *T { return hop.Map(f, x) }
func Change() { Changed = Other }
`}, text: literals + `
func main() {
	ops.Run(bad, xs())
	ops.Run(good, xs())
	ops.Named(func(x *T) *T { return x }) // want HOP301 y=x
	ops.Other(func(x *T) *T { return x }, xs())
	ops.Changed(func(x *T) *T { return x }, xs())
	again := func(f func(*T) *T) { ops.Run(f, xs()) }
	again(func(x *T) *T { return x.View(3) }) // want HOP301 y=x
}`},
	withLiterals("of a generic function", `
func all[C any](xs C) {
	run := func(f func(C) C) C { return hop.Map(f, xs) }
	run(func(x C) C { return x }) // want HOP301 y=x
	run(func(x C) C { return hop.Clone(x) })
}
func main() { all(xs()); hop.Map(bad, xs()) }`),
}

// A function literal that runs its parameter as a body is a HOP, as a declared function is.
func TestLiteralsAsWrappers(t *testing.T) {
	checkPrograms(t, append([]program{
		withLiterals("that calls its parameter in a body", `
func main() {
		run := func(f func(*T) *T, x *T) {
			hop.Map(func(x *T) *T { return f(x).Neg() }, x)
		}
		run(bad, xs())
		run(good, xs())
}`),
	}, literalWrappers...))
}

// Where all of its calls are known nothing is left to be proved.
func TestLiteralsAsWrappersAreLookedAtFromTheirCalls(t *testing.T) {
	strictly(t)
	checkPrograms(t, literalWrappers)
}

// Where a literal can be called by code that is not in sight, strict mode says so where it runs what it was given.
func TestLiteralsAsWrappersThatLeave(t *testing.T) {
	strictly(t)
	checkPrograms(t, []program{
		withLiterals("as an argument", `
func call(run func(f func(*T) *T, x *T)) { run(func(x *T) *T { return x }, xs()) } // want HOP301 y=x
func main() {
	run := func(f func(*T) *T, x *T) { hop.Map(f, x) } // want HOP903
	call(run)
	hop.Map(bad, xs())
}`),
		withLiterals("as a result", `
func pick() func(f func(*T) *T, x *T) {
	return func(f func(*T) *T, x *T) { hop.Map(f, x) } // want HOP903
}
func main() {
	pick()(bad, xs())
}`),
		withLiterals("one that runs nothing", `
func main() {
	run := func(f func(*T) *T, x *T) *T { return f(x) }
	run(func(x *T) *T { return x.Zero() }, xs())
	hop.Map(bad, xs())
}`),
		withLiterals("in a field of which other values are stored", `
type model struct{ run func(f func(*T) *T, x *T); x *T }
func one() *model { return &model{run: func(f func(*T) *T, x *T) { hop.Map(f, x) }} } // want HOP903
func other() *model { return &model{run: func(f func(*T) *T, x *T) { f(x) }} }
func (m *model) use() { m.run(func(x *T) *T { return x }, m.x) }
func main() { one().use(); hop.Map(bad, xs()) }`),
	})
}
