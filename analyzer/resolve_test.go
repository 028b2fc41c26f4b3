package analyzer_test

import "testing"

// Ways by which a value reaches a write, all of which must be followed.
func TestWaysToAWrite(t *testing.T) { checkPrograms(t, wayCases()) }

func wayCases() []program {
	return []program{
		{name: "mutual recursion", text: `
func even(t, x *T, n int) { if n > 0 { odd(t, x, n-1) } }
func odd(t, x *T, n int)  { t.AddInPlace(x); even(t, x, n-1) }
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		even(carry, x, 3) // want HOP101 carry
		return carry.Clone(), x.Clone()
	}, zero, zero)
}`},
		{name: "method of a type parameter", text: `
type setter interface{ set(x *T) }
type cell struct{ t *T }
func (c cell) set(x *T) { c.t.CopyFrom(x) }
type quiet struct{ t *T }
func (q quiet) set(x *T) { _ = q.t.Add(x) }
func apply[A setter](a A, x *T) { a.set(x) }
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		apply(cell{carry}, x) // want HOP101 carry
		apply(quiet{x}, carry)
		return carry.Clone(), x.Clone()
	}, zero, zero)
}`},
		{name: "closures in a slice and a map", text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		steps := []func(*T){func(t *T) { t.Zero() }} // want HOP101 carry
		for _, s := range steps {
			s(carry)
		}
		named := map[string]func(*T){"neg": func(t *T) { t.NegInPlace() }} // want HOP102 x
		named["neg"](x)
		return carry.Clone(), x.Clone()
	}, zero, zero)
}`},
		{name: "closure in a field", text: `
type layer struct{ act func(*T) *T }
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		l := layer{act: (*T).TanhInPlace}
		l.act(carry) // want HOP101 carry
		return carry.Clone(), x.Clone()
	}, zero, zero)
}`},
		{name: "variadic", text: `
func zeroAll(ts ...*T) { for _, t := range ts { t.Zero() } }
func main() {
	hop.Scan(func(carry []*T, x *T) ([]*T, *T) {
		zeroAll(x.Clone(), x.Clone())
		zeroAll(carry...) // want HOP101 carry[]
		zeroAll(x.Clone(), x) // want HOP102 x
		return []*T{x.Clone()}, x.Clone()
	}, []*T{zero}, zero)
}`},
		{name: "type switch", text: `
func zeroAny(v any) {
	switch v := v.(type) {
	case *T:
		v.Zero()
	case S:
		v.H.Zero()
	}
}
func main() {
	hop.Scan(func(carry S, x *T) (S, *T) {
		zeroAny(1)
		zeroAny(x) // want HOP102 x
		zeroAny(carry) // want HOP101 carry.H
		return hop.Clone(carry), x.Clone()
	}, S{zero, zero}, zero)
}`},
		{name: "embedded promotion", text: `
type Base struct{ W *T }
func (b *Base) reset() { b.W.Zero() }
type derived struct { Base; B *T }
func main() {
	hop.Scan(func(carry derived, x *T) (derived, *T) {
		carry.reset() // want HOP101 carry.Base.W
		f := carry.reset
		f() // want HOP101 carry.Base.W
		return derived{Base{x.Clone()}, x.Clone()}, x.Clone()
	}, derived{Base{zero}, zero}, zero)
}`},
		{name: "slices copied, converted and appended", text: `
func main() {
	hop.Scan(func(carry []*T, x *T) ([]*T, *T) {
		own := make([]*T, 2)
		copy(own, carry)
		own[0].AddInPlace(x) // want HOP101 carry[]
		pair := [2]*T(carry)
		pair[0] = x.Clone()
		pair[0].AddInPlace(x)
		more := append([]*T{x.Clone()}, carry...)
		more[1].AddInPlace(x) // want HOP101 carry[]
		p := (*[2]*T)(carry)
		p[0] = x.Clone() // want HOP101 carry[0]
		clear(carry) // want HOP101 carry[]
		return []*T{x.Clone()}, x.Clone()
	}, []*T{zero}, zero)
}`},
		{name: "pointer to a field of a local copy", text: `
func main() {
	hop.Scan(func(carry S, x *T) (S, *T) {
		p := &carry
		p.H = p.H.Clone()
		p.H.AddInPlace(x)
		q := &p.C
		(*q).AddInPlace(x) // want HOP101 carry.C
		*q = (*q).Clone()
		(*q).AddInPlace(x)
		return *p, x.Clone()
	}, S{zero, zero}, zero)
}`},
		{name: "old alias survives a rebind", text: `
func main() {
	hop.Scan(func(carry S, x *T) (S, *T) {
		h := carry.H
		carry.H = carry.H.Clone()
		h.AddInPlace(x) // want HOP101 carry.H
		return S{carry.H, x.Clone()}, x.Clone()
	}, S{zero, zero}, zero)
}`},
		{name: "loop turns a clone into the carry", text: `
func main(n int) {
	hop.Scan(func(carry, x *T) (*T, *T) {
		t := carry.Clone()
		for range n {
			t.AddInPlace(x) // want HOP101 carry
			t = carry
		}
		return carry.Clone(), x.Clone()
	}, zero, zero)
}`},
		{name: "named result changed by defer", text: `
func keep(t *T) (r *T) {
	defer func() { r = t }()
	return t.Clone()
}
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		return keep(carry), x.Clone() // want HOP301 next carry=carry
	}, zero, zero)
}`},
		{name: "sorting and iterating with the standard library", packages: map[string]string{"stdlib": `package stdlib
import ("maps"; "slices"; "sort"; "sync"; "github.com/hoplint/hoplint/runtime/hop")
type T = hop.Tensor
func Step(carry []*T, x map[string]*T) ([]*T, *T) {
	for _, t := range slices.All(carry) { _ = t }
	for t := range maps.Values(x) { t.Zero() }
	slices.Reverse(carry)
	own := slices.Clone(carry)
	slices.Reverse(own)
	own[0].Zero()
	sort.Slice(own, func(i, j int) bool { return i < j })
	var once sync.Once
	once.Do(func() { carry[0].Fill(1) })
	return []*T{carry[0].Clone()}, carry[0].Clone()
}
`}, text: `
func main() {
	hop.Scan(stdlib.Step, []*T{zero}, map[string]*T{"a": zero}) // want HOP101 carry[]; HOP102 x[]
}`},
		{name: "a struct that hides the carry behind an interface field", text: `
type writer interface{ write(*T) }
type w1 struct{ t *T }
func (w w1) write(x *T) { w.t.AddInPlace(x) }
type box struct{ w writer }
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		b := box{w: w1{carry}}
		b.w.write(x) // want HOP101 carry
		return carry.Clone(), x.Clone()
	}, zero, zero)
}`},
		{name: "goto and labelled loops", text: `
func main(n int) {
	hop.Scan(func(carry, x *T) (*T, *T) {
		i := 0
	again:
		carry.AddInPlace(x) // want HOP101 carry
		if i++; i < n { goto again }
		return carry.Clone(), x.Clone()
	}, zero, zero)
}`},
		{name: "panicking helper", text: `
func must(t *T, ok bool) *T { if !ok { panic("no") }; return t }
func fail(t *T) { t.Zero(); panic("no") }
func main(b bool) {
	hop.Scan(func(carry, x *T) (*T, *T) {
		if b {
			fail(carry) // want HOP101 carry
		}
		return must(carry, b), x.Clone() // want HOP301 next carry=carry
	}, zero, zero)
}`},
		{name: "shadowed carry", text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		{
			carry := carry.Clone()
			carry.AddInPlace(x)
		}
		return carry.Add(x), x.Clone()
	}, zero, zero)
}`},
		{name: "generic struct carry", text: `
type pair[A, B any] struct{ First A; Second B }
func (p *pair[A, B]) firstOf() *A { return &p.First }
func main() {
	hop.Scan(func(carry pair[*T, S], x *T) (pair[*T, S], *T) {
		(*carry.firstOf()).AddInPlace(x) // want HOP101 carry.First
		carry.Second.H.AddInPlace(x) // want HOP101 carry.Second.H
		return hop.Clone(carry), x.Clone()
	}, pair[*T, S]{zero, S{zero, zero}}, zero)
}`},
		{name: "multi-line chain stands at the method", text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		carry.
			Narrow(0, 0, 1).
			AddInPlace(x) // want HOP101 carry
		return carry.Clone(), x.Clone()
	}, zero, zero)
}`},
		{name: "HOP through a variable", text: `
func main() {
	scan := hop.Scan[*T, *T, *T]
	scan(func(carry, x *T) (*T, *T) {
		carry.AddInPlace(x) // want HOP101 carry
		return carry.Clone(), x.Clone()
	}, zero, zero)
}`},
		{name: "HOP in go and defer statements", text: `
func main() {
	defer hop.Scan(func(carry, x *T) (*T, *T) {
		carry.AddInPlace(x) // want HOP101 carry
		return carry.Clone(), x.Clone()
	}, zero, zero)
	go hop.Scan(func(carry, x *T) (*T, *T) {
		return carry, x.Clone() // want HOP301 next carry=carry
	}, zero, zero)
}`},
		{name: "HOP in a package variable and in a generic function", text: `
var last, _ = hop.Scan(func(carry, x *T) (*T, *T) {
	carry.AddInPlace(x) // want HOP101 carry
	return carry.Clone(), x.Clone()
}, zero, zero)
func run[C any](init C, clone func(C) C) {
	hop.Scan(func(carry C, x *T) (C, *T) {
		return carry, x // want HOP301 next carry=carry; HOP301 y=x
	}, init, zero)
}`},
		{name: "wrapper that calls its body inside a literal", text: `
func fold(step func(c, x *T) *T, xs *T) *T {
	last, _ := hop.Scan(func(c, x *T) (*T, *T) {
		next := step(c, x)
		return next, next.Clone()
	}, zero, xs)
	return last
}
func main() {
	fold(func(c, x *T) *T {
		x.AddInPlace(c) // want HOP102 x
		return c.Clone()
	}, zero)
}`},
		{name: "literal that only forwards", text: `
func step(m *S, c, x *T) (*T, *T) {
	c.AddInPlace(m.H)
	return c.Clone(), x.Clone()
}
func main() {
	m := &S{zero, zero}
	hop.Scan(func(c, x *T) (*T, *T) { return step(m, c, x) }, zero, zero) // want HOP101 carry
}`},
		{name: "conditional expression through a helper", text: `
func pick[V any](b bool, x, y V) V { if b { return x }; return y }
func main(b bool) {
	hop.Scan(func(carry, x *T) (*T, *T) {
		pick(b, carry, x).Zero() // want HOP101 carry; HOP102 x
		return pick(b, carry.Clone(), x.Clone()), x.Clone()
	}, zero, zero)
}`},
		{name: "functions of the runtime that run functions", text: `
func main() {
	hop.Scan(func(carry S, x *T) (S, *T) {
		for _, t := range hop.Leaves(carry) {
			t.AddInPlace(x) // want HOP101 carry.H, carry.C
		}
		for _, t := range hop.Leaves(x) {
			t.Zero() // want HOP102 x
		}
		for _, t := range hop.Leaves(hop.Clone(carry)) {
			t.AddInPlace(x)
		}
		hop.Try(func() { carry.H.Zero() }) // want HOP101 carry.H
		return hop.MapLeaves(func(ts ...*T) *T { return ts[0].MulScalar(2) }, carry), x.Clone()
	}, S{zero, zero}, zero)
	hop.Scan(func(carry, x *T) (*T, *T) {
		hop.MapLeaves(func(ts ...*T) *T { return ts[0].AddInPlace(ts[1]) }, carry, x) // want HOP101 carry
		return hop.MapLeaves(func(ts ...*T) *T { return ts[0] }, carry), x.Clone() // want HOP301 next carry=carry
	}, zero, zero)
	hop.Scan(func(carry S, x *T) (S, S) {
		next := hop.MapLeaves(func(ts ...*T) *T { return ts[0].Mul(ts[1]) }, carry, carry)
		next.H.AddInPlace(x)
		return next, hop.Clone(next)
	}, S{zero, zero}, zero)
}`},
		{name: "compiled functions inside bodies", text: `
func main() {
	f := hop.Must(hop.Compile(func(t *T) *T { return t.Neg() }))
	hop.Scan(func(carry, x *T) (*T, *T) {
		h := f(carry)
		h.AddInPlace(x)
		return h, f(x)
	}, zero, zero)
}`},
		{name: "fields that are no leaves", text: `
type config struct{ n int }
type state struct {
	H *T
	Cfg *config ` + "`" + `hop:"-"` + "`" + `
}
func main() {
	cfg := &config{}
	hop.Scan(func(carry state, x *T) (state, *T) {
		carry.Cfg.n++
		return state{carry.H.Add(x), carry.Cfg}, x.Clone()
	}, state{zero, cfg}, zero)
}`},
		{name: "containers that are inputs", text: `
func main() {
	hop.Scan(func(carry []*T, x map[string]*T) ([]*T, map[string]*T) {
		return carry, x // want HOP301 next carry=carry; HOP301 y=x
	}, []*T{zero}, map[string]*T{"a": zero})
	hop.Scan(func(carry []*T, x *T) ([]*T, []*T) {
		s := []*T{carry[0].Add(x)}
		return s, s // want HOP302 next carry=y
	}, []*T{zero}, zero)
}`},
		{name: "directives on interface methods", packages: map[string]string{"contracts": `package contracts
import "github.com/hoplint/hoplint/runtime/hop"
type Far interface {
	//hop:mutates c.H
	Touch(c Cell)
	//hop:pure
	Read(t *hop.Tensor)
}
type Cell struct{ H, C *hop.Tensor }
`}, text: `
type Near interface {
	//hop:mutates t
	Apply(t *T)
	//hop:returns view(t)
	Peek(t *T) *T
	//hop:returns fresh
	Copy(t *T) *T
	//hop:returns view(a)|fresh, b
	Two(a, b *T) (*T, *T)
}
func main(n Near, f contracts.Far) {
	hop.Scan(func(carry, x *T) (*T, *T) {
		f.Read(carry)
		n.Apply(carry) // want HOP101 carry
		c := n.Copy(carry)
		n.Apply(c)
		return c, n.Peek(x) // want HOP301 y=x
	}, zero, zero)
	hop.Scan(func(carry contracts.Cell, x *T) (contracts.Cell, *T) {
		f.Touch(carry) // want HOP101 carry.H
		a, b := n.Two(carry.C, x)
		return contracts.Cell{H: a, C: carry.H.Clone()}, b // want HOP301 next carry.H=carry.C; HOP301 y=x
	}, contracts.Cell{}, zero)
}`},
		{name: "init function and method declared on a generic type", text: `
type model[E any] struct{ w *T; e E }
func (m *model[E]) step(carry, x *T) (*T, *T) {
	m.w.AddInPlace(x) // want HOP104 captured m.w
	return carry.Clone(), m.w // want HOP303 y=captured m.w
}
func init() {
	m := &model[int]{w: zero.Clone()}
	hop.Scan(m.step, zero, zero)
}`},
		{name: "bodies chosen from a table", text: `
type step = func(c, x *T) (*T, *T)
var table = map[string]step{
	"good": func(c, x *T) (*T, *T) { return c.Add(x), x.Clone() },
	"bad":  func(c, x *T) (*T, *T) { return c.AddInPlace(x).Clone(), x.Clone() }, // want HOP101 carry
}
func main(name string) {
	hop.Scan(table[name], zero, zero)
	local := []step{func(c, x *T) (*T, *T) { return c, x.Clone() }} // want HOP301 next carry=carry
	hop.Scan(local[0], zero, zero)
}`},
		{name: "partial application", text: `
func bind[A any](f func(A, *T, *T) (*T, *T), a A) func(*T, *T) (*T, *T) {
	return func(c, x *T) (*T, *T) { return f(a, c, x) }
}
func step(s *S, c, x *T) (*T, *T) {
	s.H.AddInPlace(x) // want HOP104 captured a.H
	c.AddInPlace(x)   // want HOP101 carry
	return c.Clone(), x // want HOP301 y=x
}
func main() {
	s := &S{zero, zero}
	hop.Scan(bind(step, s), zero, zero)
	bind(func(n int, c, x *T) (*T, *T) { c.Zero(); return c, x }, 1)(zero.Clone(), zero)
}`},
		{name: "channel passes the carry", text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		ch := make(chan *T, 1)
		ch <- carry
		t := <-ch
		t.AddInPlace(x) // want HOP101 carry
		return carry.Clone(), x.Clone()
	}, zero, zero)
}`},
	}
}
