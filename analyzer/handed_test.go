package analyzer_test

import "testing"

// A function that is handed the operator runs what it is given as that operator does.
func TestOperatorsThatAreHandedOn(t *testing.T) {
	const head = `
func mapper(f func(*T) *T, x *T) { hop.Map(f, x) }
func plain(f func(*T) *T, x *T) { f(x) }
`
	in := func(name, text string) program { return program{name: name, text: head + text} }
	checkPrograms(t, []program{
		in("with the body", `
func apply(run func(f func(*T) *T, x *T), f func(*T) *T, x *T) { run(f, x) }
func main() {
	apply(mapper, func(x *T) *T { return x }, zero) // want HOP301 y=x
	apply(plain, func(x *T) *T { return x }, zero)
	apply(mapper, func(x *T) *T { return x.Neg() }, zero)
	apply(func(f func(*T) *T, x *T) { hop.Map(f, x) }, func(x *T) *T {
		x.Zero() // want HOP102 x
		return x.Neg()
	}, zero)
}`),
		in("in a literal, and two functions deep", `
func apply(run func(f func(*T) *T, x *T), f func(*T) *T, x *T) error { return hop.Try(func() { run(f, x) }) }
func outer(f func(*T) *T) { apply(mapper, f, zero) }
func main() {
	outer(func(x *T) *T { return x }) // want HOP301 y=x
	outer(func(x *T) *T { return x.Neg() })
}`),
		in("with the body in a field", `
type model struct{ Step func(*T) *T }
func apply(run func(f func(*T) *T, x *T), m model) { run(m.Step, zero) }
func main() {
	apply(mapper, model{func(x *T) *T { return x }}) // want HOP301 y=x
	apply(plain, model{func(x *T) *T { return x }})
}`),
		in("operator of the runtime", `
func apply(m func(func(*T) *T, *T, ...hop.Option) *T, f func(*T) *T) { m(f, zero) }
func main() { 
	apply(hop.Map[*T, *T], func(x *T) *T { return x }) // want HOP301 y=x
}`),
		in("body of the function itself", `
func call(run func(func(*T) *T, *T)) { run(func(x *T) *T { return x }, zero) } // want HOP301 y=x
func other(run func(func(*T) *T, *T)) { run(func(x *T) *T { return x }, zero) }
func main() { call(mapper); other(plain) }`),
		{name: "of another package", packages: map[string]string{"ops": `package ops
import "github.com/hoplint/hoplint/runtime/hop"
type T = hop.Tensor
func Map(f func(*T) *T, x *T) { hop.Map(f, x) }
func Plain(f func(*T) *T, x *T) { f(x) }
func Apply(run func(f func(*T) *T, x *T), f func(*T) *T) { run(f, hop.Ones(hop.Float64, 2)) }
`}, text: `
func main() {
	ops.Apply(ops.Map, func(x *T) *T { return x }) // want HOP301 y=x
	ops.Apply(ops.Plain, func(x *T) *T { return x })
}`},
	})
}

// A body may be a method of an interface value that a wrapper was given.
func TestMethodsOfInterfacesAsBodies(t *testing.T) {
	const head = `
type Stepper interface{ Step(c, x *T) (*T, *T) }
type bad struct{ w *T }
func (l *bad) Step(c, x *T) (*T, *T) {
	c.AddInPlace(x) // want HOP101 carry
	return c.Clone(), x.Clone()
}
type good struct{ w *T }
func (l good) Step(c, x *T) (*T, *T) { return c.Add(x), x.Mul(l.w) }
`
	in := func(name, text string) program { return program{name: name, text: head + text} }
	checkPrograms(t, []program{
		in("parameter", `
func run(s Stepper, xs *T) { hop.Scan(s.Step, zero, xs) }
func main() { run(&bad{}, zero); run(good{}, zero) }`),
		in("variable, and one of two", `
func run(s Stepper, xs *T) { hop.Scan(s.Step, zero, xs) }
func main(b bool) {
	var s Stepper = good{}
	if b { s = &bad{} }
	run(s, zero)
}`),
		in("two functions deep", `
func run(s Stepper, xs *T) { hop.Scan(s.Step, zero, xs) }
func outer(s Stepper) { run(s, zero) }
func main() { outer(&bad{}); outer(good{}) }`),
		in("embedded, and captured", `
type wide struct{ *bad }
type named struct{ name string; w *T }
func (n *named) Step(c, x *T) (*T, *T) {
	n.w.AddInPlace(x) // want HOP104 captured n.w
	return c.Clone(), x.Clone()
}
func run(s Stepper, xs *T) { hop.Scan(s.Step, zero, xs) }
func main() { run(wide{}, zero); run(&named{}, zero) }`),
		{name: "of another package", packages: map[string]string{"nn": `package nn
import "github.com/hoplint/hoplint/runtime/hop"
type T = hop.Tensor
type Stepper interface{ Step(c, x *T) (*T, *T) }
type Cell struct{ W *T }
func (l *Cell) Step(c, x *T) (*T, *T) { return c.AddInPlace(x).Clone(), x.Clone() }
type Fine struct{ W *T }
func (l *Fine) Step(c, x *T) (*T, *T) { return c.Add(x), x.Clone() }
func Run(s Stepper, xs *T) { hop.Scan(s.Step, xs, xs) }
`}, text: `
type own struct{}
func (own) Step(c, x *T) (*T, *T) { return c, x.Neg() } // want HOP301 next carry=carry
func main() {
	nn.Run(own{}, zero)
	nn.Run(&nn.Cell{}, zero) // want HOP101 carry
	nn.Run(&nn.Fine{}, zero)
}`},
	})
}
