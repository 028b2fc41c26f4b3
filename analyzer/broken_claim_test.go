package analyzer_test

import (
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/analyzer"
)

// A claim about a function in sight is compared with its body.
func TestClaimsOfFunctions(t *testing.T) {
	checkPrograms(t, []program{
		{name: "pure", text: `
//hop:pure
func ok(t *T) *T { return t.Add(t) }

//hop:pure
func view(t *T) *T { return t.Narrow(0, 0, 1) }

//hop:pure
func writes(t *T) *T { return t.AddInPlace(t) } // want HOP902

//hop:pure
func through(s S) { scale(s.H) } // want HOP902
func scale(t *T) { t.MulScalarInPlace(2) }

var count int

//hop:pure
func counts(t *T) *T { count++; return t.Add(t) } // want HOP902

//hop:pure
func local(t *T) *T {
	n := map[string]int{}
	n["a"]++
	u := t.Clone()
	u.AddInPlace(t)
	return u
}

//hop:pure
func sends(c chan int) { c <- 1 } // want HOP902; HOP902
`},
		{name: "pure and the outside world", full: `package p

import (
	"fmt"
	"math/rand"
	"os"
	"time"
)

//hop:pure
func clock() int { return time.Now().Second() } // want HOP902

//hop:pure
func random() int { return rand.Int() } // want HOP902

//hop:pure
func seeded() int { return rand.New(rand.NewSource(1)).Int() }

//hop:pure
func env() string { return os.Getenv("HOME") } // want HOP902

//hop:pure
func prints() { fmt.Println("allowed, as in bodies") }

//hop:pure
func starts() { go prints() } // want HOP902
`},
		{name: "mutates", text: `
//hop:mutates t
func ok(t, u *T) { t.AddInPlace(u) }

//hop:mutates t
func other(t, u *T) { t.AddInPlace(u); u.Zero() } // want HOP902

//hop:mutates t
func never(t, u *T) *T { return t.Add(u) } // want HOP902

//hop:mutates s.H
func field(s S, u *T) { s.H.AddInPlace(u) }

//hop:mutates s.C
func otherField(s S, u *T) { s.H.AddInPlace(u) } // want HOP902; HOP902

//hop:mutates ts[]
func elements(ts []*T) { for _, t := range ts { t.Zero() } }

//hop:mutates ts
func whole(ts []*T) { ts[0].Zero() }

//hop:mutates ts[1]
func one(ts []*T) { ts[1].Zero() }

//hop:mutates t
func sometimes(t *T, on bool) { if on { t.Zero() } }

type layer struct{ W *T }

//hop:mutates l.W
func (l *layer) update(g *T) { l.W.SubInPlace(g) }

//hop:mutates g
func (l *layer) swapped(g *T) { l.W.SubInPlace(g) } // want HOP902; HOP902
`},
		{name: "returns", text: `
//hop:returns fresh
func ok(t *T) *T { return t.Clone() }

//hop:returns fresh
func same(t *T) *T { return t } // want HOP902

//hop:returns fresh
func window(t *T) *T { return t.Narrow(0, 0, 1) } // want HOP902

//hop:returns view(t)
func view(t, u *T) *T { return t.T() }

//hop:returns view(t)
func wrong(t, u *T) *T { return u.T() } // want HOP902

//hop:returns view(t)
func copied(t *T) *T { return t.Clone() } // want HOP902

//hop:returns view(t)|fresh
func maybe(t *T, on bool) *T { if on { return t }; return t.Clone() }

//hop:returns view(t)
func sometimes(t *T, on bool) *T { if on { return t }; return t.Clone() } // want HOP902

//hop:returns fresh, view(s.H)
func two(s S) (*T, *T) { return s.C.Clone(), s.H }

//hop:returns fresh, view(s.H)
func crossed(s S) (*T, *T) { return s.H, s.C.Clone() } // want HOP902; HOP902

//hop:returns fresh
func list(t *T) []*T { return []*T{t.Clone(), t} } // want HOP902

//hop:returns view(ts[])
func first(ts []*T) *T { return ts[0] }

//hop:returns fresh
func state(t *T) S { return S{H: t.Clone(), C: t.Neg()} }

//hop:returns fresh
func global(t *T) *T { return zero } // want HOP902

//hop:returns fresh
func none(t *T) *T { return nil }

//hop:returns view(t)
func onlyWrites(t *T) *T { return t.AddInPlace(t) }
`},
		{name: "returns an error", full: `package p

import "errors"

var errNone = errors.New("none")

//hop:returns fresh, fresh
func read(n int) ([]float64, error) {
	if n == 0 {
		return nil, errNone
	}
	return make([]float64, n), nil
}

//hop:returns fresh
func same(b []float64) []float64 { return b } // want HOP902

//hop:returns view(b)
func part(b []float64) []float64 { return b[1:] }
`},
		{name: "recursive, generic and through another package", packages: map[string]string{"lib": `package lib
import "github.com/hoplint/hoplint/runtime/hop"
func Scale(t *hop.Tensor) { t.MulScalarInPlace(2) }
func Window(t *hop.Tensor) *hop.Tensor { return t.Narrow(0, 0, 1) }
`}, text: `
//hop:pure
func down(t *T, n int) *T {
	if n == 0 {
		return t.Clone()
	}
	return down(t.Neg(), n-1)
}

//hop:pure
func bad(t *T) { lib.Scale(t) } // want HOP902

//hop:returns fresh
func view(t *T) *T { return lib.Window(t) } // want HOP902

//hop:mutates ts
func fill[P any](ts []P, v P) { for i := range ts { ts[i] = v } }

//hop:pure
func set[P any](ts []P, v P) { ts[0] = v } // want HOP902
`},
		{name: "what callers decide is neither proved nor refuted", text: `
//hop:pure
func apply(f func(*T), t *T) { f(t) }

//hop:mutates t
func update(f func(*T), t *T) { f(t) }

type doer interface{ Do(*T) }

//hop:pure
func unseen(d doer, t *T) { d.Do(t) }
`},
		{name: "a refuted claim does not hide what the function does", text: `
//hop:pure
func scale(t *T) { t.MulScalarInPlace(2) } // want HOP902
func main() {
	hop.Scan(func(c, x *T) (*T, *T) {
		scale(c) // want HOP101 carry
		return c.Clone(), x.Clone()
	}, zero, zero)
}`},
		{name: "accepted", text: `
//hop:allow broken-claim -- callers must not rely on the write
//hop:pure
func scale(t *T) { t.MulScalarInPlace(2) }
`},
	})
}

// In strict mode a claim that is neither proved nor refuted is told.
func TestClaimsThatAreNotProved(t *testing.T) {
	strictly(t)
	checkPrograms(t, []program{{name: "unproved", text: `
//hop:pure
func apply(f func(*T), t *T) { f(t) } // want HOP903

//hop:returns fresh
func made(f func() *T) *T { return f() } // want HOP903; HOP903

//hop:pure
func proved(t *T) *T { return t.Neg() }

//hop:body f(operand)
func wrapper(f func(*T), t *T) { f(t) }
`}})
}

// Contracts of interface methods are compared with the types that are converted to the interface.
func TestContractsOfInterfaces(t *testing.T) {
	const decl = `
type Optimizer interface {
	// Step updates w.
	//hop:mutates w
	Step(w, g *T)
	//hop:pure
	Rate(w *T) *T
	//hop:returns view(w)
	Window(w *T) *T
}
type base struct{}
func (base) Step(w, g *T) { w.SubInPlace(g) }
func (base) Rate(w *T) *T { return w.Neg() }
func (base) Window(w *T) *T { return w.T() }
func use(o Optimizer) { o.Step(zero, zero) }
`
	in := func(name, text string) program { return program{name: name, text: decl + text} }
	checkPrograms(t, []program{
		in("kept", `
func main() { use(base{}); var o Optimizer = &base{}; use(o) }`),
		in("argument", `
type bad struct{ base }
func (bad) Step(w, g *T) { w.SubInPlace(g); g.Zero() }
func main() {
	use(bad{}) // want HOP902
	use(bad{})
}`),
		in("assignment, pure and result", `
type bad struct{ base }
func (*bad) Rate(w *T) *T { return w.AddInPlace(w) }
func (*bad) Window(w *T) *T { return w.Clone() }
func main() {
	b := &bad{}
	var o Optimizer = b
	use(o) // want HOP902; HOP902; HOP902
}`),
		in("returned and stored in a list", `
type bad struct{ base }
func (bad) Rate(w *T) *T { return w }
func New() Optimizer { return bad{} } // want HOP902
type worse struct{ base }
func (worse) Rate(w *T) *T { zero.Zero(); return w.Neg() }
func list() []Optimizer { return []Optimizer{base{}, worse{}} } // want HOP902
`),
		in("state of its own", `
type counting struct { base; n int }
func (c *counting) Step(w, g *T) { c.n++; w.SubInPlace(g) }
type momentum struct { base; v *T }
func (m *momentum) Step(w, g *T) { m.v.AddInPlace(g); w.SubInPlace(m.v) }
func main() {
	use(&counting{})
	use(&momentum{v: zero}) // want HOP902
}`),
		in("the receiver by name", `
type Trainer interface {
	//hop:mutates receiver, w
	Train(w, g *T)
}
type momentum struct { v *T }
func (m *momentum) Train(w, g *T) { m.v.AddInPlace(g); w.SubInPlace(m.v) }
var _ Trainer = &momentum{}
`),
		in("callers rely on it", `
func main(o Optimizer) {
	hop.Scan(func(c, x *T) (*T, *T) {
		o.Step(c, x) // want HOP101 carry
		return c.Clone(), o.Window(x) // want HOP301 y=x
	}, zero, zero)
}`),
		{name: "through another package", packages: map[string]string{"opt": `package opt
import "github.com/hoplint/hoplint/runtime/hop"
type Optimizer interface {
	//hop:mutates w
	Step(w, g *hop.Tensor)
}
type Wide interface { Optimizer; Name() string }
type Bad struct{}
func (Bad) Step(w, g *hop.Tensor) { g.Zero() }
func (Bad) Name() string { return "bad" }
type Good struct{}
func (*Good) Step(w, g *hop.Tensor) { w.SubInPlace(g) }
func (*Good) Name() string { return "good" }
func Use(o Optimizer) {}
`}, text: `
func main() {
	opt.Use(opt.Bad{}) // want HOP902
	opt.Use(&opt.Good{})
	var w opt.Wide = &opt.Good{}
	_ = w
}
type own struct{ opt.Bad }
var _ opt.Wide = own{} // the method that was told already
type other struct{ opt.Good }
func (*other) Step(w, g *T) { g.Zero() }
var _ opt.Wide = &other{} // want HOP902
`},
	})
}

// Contracts of function-typed fields are compared with what is stored in them.
func TestContractsOfFields(t *testing.T) {
	const decl = `
type Layer struct {
	//hop:pure
	Forward func(x *T) *T
	//hop:mutates w
	//hop:returns fresh
	Update func(w, g *T) *T
	Free func(x *T)
}
func neg(x *T) *T { return x.Neg() }
func bad(x *T) *T { return x.AddInPlace(x) }
`
	in := func(name, text string) program { return program{name: name, text: decl + text} }
	checkPrograms(t, []program{
		in("kept", `
func main() {
	l := Layer{Forward: neg, Update: func(w, g *T) *T { w.SubInPlace(g); return g.Clone() }, Free: func(x *T) { x.Zero() }}
	l.Forward = func(x *T) *T { return x.MulScalar(2) }
	l.Forward = nil
}`),
		in("in a literal of the struct", `
var l = Layer{Forward: bad} // want HOP902; HOP902
func main() {
	_ = &Layer{Update: func(w, g *T) *T { g.Zero(); return w.Clone() }} // want HOP902
}`),
		in("by assignment", `
func main(l *Layer, on bool) {
	f := neg
	if on {
		f = func(x *T) *T { zero.Zero(); return x.Neg() }
	}
	l.Forward = f // want HOP902
}`),
		in("method value and factory", `
type net struct{ W *T }
func (n *net) forward(x *T) *T { n.W.AddInPlace(x); return x.Neg() }
func make2(w *T) func(x *T) *T { return func(x *T) *T { w.AddInPlace(x); return x.Neg() } }
func main(l *Layer, n *net) {
	l.Forward = n.forward // want HOP902
	l.Forward = make2(zero) // want HOP902
}`),
		{name: "through another package", packages: map[string]string{"nn": `package nn
import "github.com/hoplint/hoplint/runtime/hop"
type Layer[P any] struct {
	//hop:pure
	Forward func(p P, x *hop.Tensor) *hop.Tensor
}
func Bad(p int, x *hop.Tensor) *hop.Tensor { return x.Zero().Neg() }
`}, text: `
func main() {
	_ = nn.Layer[int]{Forward: nn.Bad} // want HOP902
	_ = nn.Layer[int]{Forward: func(p int, x *T) *T { return x.Neg() }}
}`},
	})
}

// The sentence of a broken claim says what is declared and what happens; it stands at the function's name.
func TestMessagesOfBrokenClaims(t *testing.T) {
	var got []string
	eachProgramFinding(t, analyzer.Analyzer, []program{{text: `
//hop:pure
func scale(t *T) { t.MulScalarInPlace(2) }

//hop:mutates t
func swap(t, u *T) { u.Zero() }

//hop:returns fresh
func view(t *T) *T { return t.T() }

type Optimizer interface {
	//hop:mutates w
	Step(w, g *T)
}
type sgd struct{}
func (*sgd) Step(w, g *T) { g.MulScalarInPlace(2) }
var _ Optimizer = &sgd{}

type Layer struct {
	//hop:returns fresh
	Forward func(x *T) *T
}
var l = Layer{Forward: func(x *T) *T { return x }}
`}}, func(_ string, fset *token.FileSet, f analyzer.Finding) {
		got = append(got, f.Message())
	})
	want := []string{
		"scale is declared pure, but writes its t through MulScalarInPlace (HOP902); declare //hop:mutates t instead, or write a new tensor",
		"swap is declared to write t, but writes its u through Zero (HOP902); add u to //hop:mutates, or write a new tensor",
		"swap is declared to write t, but never writes its t (HOP902); take t out of //hop:mutates, or write it",
		"view is declared to return fresh, but its result shares storage with its t (HOP902); declare //hop:returns fresh|view(t), or return a copy",
		"Optimizer.Step is declared to write w, but (*sgd).Step writes its g through MulScalarInPlace (HOP902); let (*sgd).Step keep to it, or change what Optimizer.Step declares",
		"Layer.Forward is declared to return fresh, but the result of the function shares storage with its x (HOP902); let the function keep to it, or change what Layer.Forward declares",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}
