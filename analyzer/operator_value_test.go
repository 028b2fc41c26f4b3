package analyzer_test

import "testing"

// runners is what the programs below share: an operator as a function and as a method.
const runners = `
func xs() *T { return hop.Ones(hop.Float64, 3) }
type runner interface{ run(f func(*T) *T) *T }
type mapRunner struct{ xs *T }
func (m mapRunner) run(f func(*T) *T) *T { return hop.Map(f, m.xs) }
func runMap(f func(*T) *T) *T { return hop.Map(f, xs()) }
`

func withRunners(name, text string) program { return program{name: name, text: runners + text} }

// An operator that is kept as a value can be called where nothing names it: nothing is proved of what it is given there.
func TestOperatorsAsValues(t *testing.T) {
	strictly(t)
	checkPrograms(t, []program{
		withRunners("one of two values of a variable", `
func main() {
	run := runMap // the call is known to reach it
	if hop.Item[float64](xs()) > 5 { run = nil }
	run(func(x *T) *T { return x }) // want HOP301 y=x
}`),
		withRunners("element of a map", `
func main() {
	ops := map[string]func(func(*T) *T) *T{"map": runMap}
	ops["map"](func(x *T) *T { return x }) // want HOP301 y=x
}`),
		withRunners("field", `
type tab struct{ run func(func(*T) *T) *T }
func main() {
	t := tab{runMap}
	t.run(func(x *T) *T { return x }) // want HOP301 y=x
}`),
		withRunners("argument", `
func call(g func(func(*T) *T) *T) { g(func(x *T) *T { return x }) } // want HOP301 y=x
func main() {
	call(runMap) // want HOP903
	call(mapRunner{xs()}.run) // want HOP903
	call(runMap) // once for each function
}`),
		withRunners("result and package variable", `
func pick() func(func(*T) *T) *T {
	return runMap // want HOP903
}
var chosen = runMap
func main() {
	pick()(func(x *T) *T { return x }) // want HOP301 y=x
	chosen(func(x *T) *T { return x }) // want HOP301 y=x
}`),
		withRunners("bound method", `
func main() {
	m := mapRunner{xs()}
	f := m.run
	f(func(x *T) *T { return x }) // want HOP301 y=x
	g := mapRunner.run
	g(m, func(x *T) *T { return x.View(3) }) // want HOP301 y=x
}`),
		withRunners("method expression", `
func call(g func(mapRunner, func(*T) *T) *T) { g(mapRunner{xs()}, func(x *T) *T { return x }) } // want HOP301 y=x
func main() {
	mapRunner.run(mapRunner{}, func(x *T) *T { return x.Neg() })
	call(mapRunner.run) // want HOP903
}`),
		withRunners("once in a function", `
func call(g ...func(func(*T) *T) *T) {}
func main() {
	call(runMap, // want HOP903
		runMap)
	func() {
		call(runMap) // want HOP903
	}()
}`),
		withRunners("operator of the runtime", `
func call(m func(func(*T) *T, *T, ...hop.Option) *T) { m(func(x *T) *T { return x }, xs()) } // want HOP301 y=x
func main() {
	call(hop.Map[*T, *T]) // want HOP903
}`),
		withRunners("receiver that holds the body", `
type trainer struct{ loss func(*T) *T }
func (t *trainer) train() { hop.Map(t.loss, xs()) }
func call(f func()) { f() }
func main() {
	t := &trainer{func(x *T) *T { return x }}
	call(t.train) // want HOP903
}`),
		{name: "of another package", packages: map[string]string{"ops": `package ops
import "github.com/hoplint/hoplint/runtime/hop"
type T = hop.Tensor
type Runner struct{ Xs *T }
func (r *Runner) Run(f func(*T) *T) *T { return hop.Map(f, r.Xs) }
func Map(f func(*T) *T) *T { return hop.Map(f, hop.Ones(hop.Float64, 3)) }
func Call(g func(func(*T) *T) *T) { g(func(x *T) *T { return x }) }
`}, text: `
func main() {
	ops.Call(ops.Map) // want HOP903
	ops.Call((&ops.Runner{}).Run) // want HOP903
	ops.Map(func(x *T) *T { return x.Neg() })
}`},
		withRunners("functions that run nothing", `
func other(f func(*T) *T) *T { return f(xs()) }
func call(g func(func(*T) *T) *T) *T { return g(func(x *T) *T { return x }) }
func main() {
	call(other)
	runMap(func(x *T) *T { return x.Neg() })
	mapRunner{xs()}.run(func(x *T) *T { return x.Neg() })
	defer runMap(func(x *T) *T { return x.Neg() })
}`),
	})
}

// So is it with a method that can be called through an interface or a type parameter.
func TestOperatorsBehindInterfaces(t *testing.T) {
	strictly(t)
	checkPrograms(t, []program{
		withRunners("variable", `
func main() {
	var r runner = mapRunner{xs()} // its calls are known
	r.run(func(x *T) *T { return x }) // want HOP301 y=x
}`),
		withRunners("one of two types", `
type plain struct{}
func (plain) run(f func(*T) *T) *T { return f(xs()) }
func main() {
	var r runner = plain{}
	if hop.Item[float64](xs()) > 5 { r = mapRunner{xs()} }
	r.run(func(x *T) *T { return x }) // want HOP301 y=x
	var p runner = plain{}
	p.run(func(x *T) *T { return x })
}`),
		withRunners("variable of a parameter's type", `
func use(r runner) { r.run(func(x *T) *T { return x }) }
func main() {
	use(mapRunner{xs()}) // want HOP903
}`),
		withRunners("through an interface without the method", `
func use(v any) { v.(runner).run(func(x *T) *T { return x }) }
func main() {
	m := mapRunner{xs()}
	use(m) // want HOP903
}
`),
		{name: "given to the standard library", full: `package p
import ("errors"; "reflect"; "github.com/hoplint/hoplint/runtime/hop")
type T = hop.Tensor
` + runners + `
func main() {
	errors.As(nil, mapRunner{xs()})
}
func reflected() {
	reflect.ValueOf(mapRunner{xs()}) // want HOP903
}`},
		withRunners("embedded", `
type Base struct{ runner }
func main() {
	b := Base{mapRunner{xs()}} // want HOP903
	b.run(func(x *T) *T { return x }) // want HOP301 y=x
}`),
		withRunners("elements", `
func main() {
	for _, r := range []runner{mapRunner{xs()}} { // want HOP903
		r.run(func(x *T) *T { return x }) // want HOP301 y=x
	}
}`),
		withRunners("package variable", `
var all = []runner{mapRunner{xs()}} // want HOP903
func main() {
	for _, r := range all { r.run(func(x *T) *T { return x }) }
}`),
		withRunners("type argument", `
func gen[R runner](r R) { r.run(func(x *T) *T { return x }) }
func main() {
	gen(mapRunner{xs()}) // want HOP903
}`),
		withRunners("type argument of a type", `
type holder[R runner] struct{ r R }
func (h holder[R]) use() { h.r.run(func(x *T) *T { return x }) }
func main() {
	var h holder[mapRunner] // want HOP903
	h.use()
}`),
		withRunners("type argument that is made an interface", `
func gen[R any](r R) { any(r).(runner).run(func(x *T) *T { return x }) }
func twice[R any](r R) { gen(r) }
func empty[R any]() { var r R; any(&r).(runner).run(func(x *T) *T { return x }) }
func later[R any](r R) func() { return func() { any(r).(runner).run(func(x *T) *T { return x }) } }
func list[R any](l []R) { for _, r := range l { if r, ok := any(r).(runner); ok { r.run(func(x *T) *T { return x }) } } }
type box[R any] struct{ r R }
func (b box[R]) use() { any(b.r).(runner).run(func(x *T) *T { return x }) }
func main() {
	gen(mapRunner{xs()}) // want HOP903
}
func a() { twice(mapRunner{xs()}) } // want HOP903
func b() { empty[mapRunner]() } // want HOP903
func c() { later(mapRunner{xs()})() } // want HOP903
func d() { list([]mapRunner{{xs()}}) } // want HOP903
func e() { box[mapRunner]{mapRunner{xs()}}.use() } // want HOP903
`),
		withRunners("type argument that is made no interface", `
func first[E any](l []E) E { return l[0] }
func both[E any](l []E) E { return first(l) }
type pair[E any] struct{ a, b E }
func (p pair[E]) left() E { return p.a }
func main() {
	both([]mapRunner{{xs()}}).run(func(x *T) *T { return x.Neg() })
	pair[mapRunner]{}.left().run(func(x *T) *T { return x.Neg() })
}`),
		withRunners("field of a receiver", `
type trainer struct { loss func(*T) *T; r runner }
func (t *trainer) train() { t.r.run(t.loss) }
func main() {
	(&trainer{func(x *T) *T { return x }, mapRunner{xs()}}).train() // want HOP903
}`),
		withRunners("visitor that holds the body", `
type visitor interface{ visit(mapRunner) }
type vis struct{ f func(*T) *T }
func (v vis) visit(m mapRunner) { m.run(v.f) }
func accept(v visitor) { v.visit(mapRunner{xs()}) }
func main() {
	accept(vis{func(x *T) *T { return x }}) // want HOP903
}`),
		withRunners("interface whose method is declared", `
type declared interface {
	//hop:body f(x)
	run(f func(*T) *T) *T
}
func main() {
	var r declared = mapRunner{xs()}
	r.run(func(x *T) *T { return x }) // want HOP301 output=x
}`),
		withRunners("method that runs nothing", `
type other struct{}
func (other) run(f func(*T) *T) *T { return f(xs()) }
func main() {
	var r runner = other{}
	r.run(func(x *T) *T { return x })
}`),
		{name: "of another package", packages: map[string]string{"ops": `package ops
import "github.com/hoplint/hoplint/runtime/hop"
type T = hop.Tensor
type Runner struct{ Xs *T }
func (r *Runner) Run(f func(*T) *T) *T { return hop.Map(f, r.Xs) }
type Runs interface{ Run(f func(*T) *T) *T }
func Call(r Runs) { r.Run(func(x *T) *T { return x }) }
func Gen[R Runs](r R) { r.Run(func(x *T) *T { return x }) }
func Any[R any](r R) { any(r).(Runs).Run(func(x *T) *T { return x }) }
`}, text: `
type wide struct{ *ops.Runner }
func main() { 
	ops.Call(&ops.Runner{zero}) // want HOP903
}
func promoted() {
	ops.Call(wide{&ops.Runner{zero}}) // want HOP903
}
func generic() {
	ops.Gen(&ops.Runner{zero}) // want HOP903
}
func boxed() {
	ops.Any(&ops.Runner{zero}) // want HOP903
}`},
	})
}
