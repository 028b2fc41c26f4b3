package analyzer_test

import (
	"go/token"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/analyzer"
)

// A body that is a method value calls functions in fields of its receiver. Where the receiver is a parameter of the function around,
// its callers say what these are.
func TestWrappersWithMethodValuesAsBodies(t *testing.T) {
	const filter = `
type filter struct {
	Move  func(x *T) *T
	Inner struct{ Loss func(a, x *T) *T }
}
func (f filter) Step(c, x *T) (*T, *T) {
	c = f.Move(c)
	return c, x.Neg()
}
func (f *filter) Cost(x *T) *T { return f.Inner.Loss(zero, x) }
func fresh(x *T) *T { return x.Neg() }
`
	const bad = `
func zeroed(x *T) *T {
	x.Zero() // want HOP101 carry
	return x.Clone()
}
`
	const clean = `
func zeroed(x *T) *T {
	x.Zero()
	return x.Clone()
}
`
	in := func(name, text string) program { return program{name: name, text: filter + text} }
	checkPrograms(t, []program{
		in("by value", bad+`
func (f filter) run(xs *T) { hop.Scan(f.Step, zero, xs) }
func main() { filter{Move: zeroed}.run(zero); filter{Move: fresh}.run(zero) }`),
		in("by pointer, in a literal", bad+`
func (f *filter) run(xs *T) error { return hop.Try(func() { hop.Scan(f.Step, zero, xs) }) }
func main() { (&filter{Move: zeroed}).run(zero); (&filter{Move: fresh}).run(zero) }`),
		in("a parameter", bad+`
func run(f filter, xs *T) { hop.Scan(f.Step, zero, xs) }
func outer(f filter) { run(f, zero) }
func main() { outer(filter{Move: zeroed}) }`),
		in("of a nested struct", `
func (f *filter) run(xs *T) { hop.Map(f.Cost, xs) }
func main() {
	f := &filter{}
	f.Inner.Loss = func(a, x *T) *T { x.Zero(); return a.Neg() } // want HOP102 x
	f.run(zero)
}`),
		in("made by a factory", `
func zeroing(by float64) func(x *T) *T {
	return func(x *T) *T {
		x.MulScalarInPlace(by) // want HOP101 carry
		return x.Neg()
	}
}
func (f filter) run(xs *T) { hop.Scan(f.Step, zero, xs) }
func main() { filter{Move: zeroing(2)}.run(zero) }`),
		in("replaced by the function around", clean+`
func (f *filter) run(xs *T) {
	f.Move = fresh
	hop.Scan(f.Step, zero, xs)
}
func main() { (&filter{Move: zeroed}).run(zero) }`),
		{name: "of another package", packages: map[string]string{"pf": `package pf
import "github.com/hoplint/hoplint/runtime/hop"
type T = hop.Tensor
type Filter struct{ Move func(x *T) *T }
func (f Filter) step(c, x *T) (*T, *T) {
	c = f.Move(c)
	return c, x.Neg()
}
func (f Filter) Run(xs *T) { hop.Scan(f.step, hop.Ones(hop.Float64, 2), xs) }
`}, text: `
func main() {
	pf.Filter{Move: func(x *T) *T { return x.Zero().Clone() }}.Run(zero) // want HOP101 carry
	pf.Filter{Move: func(x *T) *T { return x }}.Run(zero) // want HOP301 next carry=carry
	pf.Filter{Move: (*T).Neg}.Run(zero)
}`},
	})
}

// A body that calls a method of an interface value which the function around was given: callers in other packages know the type.
func TestWrappersThatCallMethodsOfAnInterface(t *testing.T) {
	checkPrograms(t, []program{
		{name: "of another package", packages: map[string]string{"ode": `package ode
import "github.com/hoplint/hoplint/runtime/hop"
type T = hop.Tensor
type System interface{ Deriv(y *T) *T }
func Solve(s System, y *T) *T {
	return hop.ForLoop(0, 3, func(i, c *T) *T { return c.Add(s.Deriv(c)) }, y)
}
func Outer(s System) *T { return Solve(s, hop.Ones(hop.Float64, 2)) }
`}, text: `
type inPlace struct{}
func (inPlace) Deriv(y *T) *T { return y.ExpInPlace().Clone() } // want HOP101 carry
type fresh struct{}
func (fresh) Deriv(y *T) *T { return y.Exp() }
type learned struct{ rate *T }
func (l *learned) Deriv(y *T) *T {
	l.rate.MulScalarInPlace(0.5) // want HOP104 captured l.rate
	return y.Mul(l.rate)
}
type unused struct{}
func (unused) Deriv(y *T) *T { return y.Zero() }
func main() {
	ode.Solve(inPlace{}, zero)
	ode.Solve(fresh{}, zero)
	ode.Outer(&learned{zero})
	unused{}.Deriv(zero)
}`},
	})
}

// What is not resolved is named as the body can name it, an operator's parameter that it is handed to says nothing.
func TestUnresolvedFunctionsAreNamedByTheirFields(t *testing.T) {
	strictly(t)
	var got []string
	eachProgramFinding(t, analyzer.Analyzer, []program{{name: "fields", text: `
type system interface{ Deriv(y *T) *T }
type event struct{ Jump func(*T) *T }
type solver struct {
	sys   system
	event event
}
func (s *solver) step(y *T) *T { return hop.Cond(zero, s.event.Jump, (*T).Clone, s.sys.Deriv(y)) }
func (s *solver) Run() { hop.Map(s.step, zero) }
func (s *solver) Set(e event) { s.event = e }
`}}, func(_ string, _ *token.FileSet, f analyzer.Finding) { got = append(got, f.Message()) })
	all := strings.Join(got, "\n")
	for _, want := range []string{"calls s.event.Jump, which cannot be resolved", "s.sys.Deriv"} {
		if !strings.Contains(all, want) {
			t.Errorf("got\n%s\nwant %s", all, want)
		}
	}
	if strings.Contains(all, "calls onTrue") {
		t.Errorf("got\n%s\nwhich names a parameter of the operator", all)
	}
}
