package analyzer_test

// Constructs that decide what a call calls, and what it returns.
func callConstructs() []construct {
	const updaters = `
type Updater interface{ Update(t, by *T) *T }
type InPlace struct{}
func (InPlace) Update(t, by *T) *T    { return t.AddInPlace(by) }
type Functional struct{ Scale float64 }
func (f *Functional) Update(t, by *T) *T { return t.Add(by).MulScalar(f.Scale) }
`
	return []construct{
		{name: "helpers", declares: `
func Write(t, x *T)          { write(x, t) }
func write(by, t *T)         { t.AddInPlace(by) }
func Same(t *T) *T           { return t.View(2) }
func Read(t *T) *T           { return t.Add(t) }
func Both(s S) (*T, *T)      { return s.H, s.C.Clone() }
`, broken: `
	Write(c, x) // want HOP101 carry
	h, _ := Both(S{x, c})
	h.Zero() // want HOP102 x
	return c.Clone(), Same(x) // want HOP301 y=x`, kept: `
	t := c.Clone()
	Write(t, x)
	_, own := Both(S{x, c})
	own.Zero()
	return Same(t), Read(x)`},
		{name: "mutual recursion", declares: `
func Even(t, x *T, n int) *T {
	if n == 0 {
		return x
	}
	return Odd(x, t, n-1)
}
func Odd(t, x *T, n int) *T {
	t.Zero()
	return Even(x, t, n-1)
}
`, broken: `
	Even(x.Clone(), c, 3) // want HOP101 carry
	return c.Clone(), Even(c, x, 2) // want HOP102 x; HOP301 y=x`, kept: `
	return Even(c, x.Clone(), 3), Even(x, c.Clone(), 2)`},
		{name: "generics", declares: `
func Pick[V any](b bool, a, z V) V {
	if b {
		return a
	}
	return z
}
func Each[V any](f func(V), vs ...V) {
	for _, v := range vs {
		f(v)
	}
}
type Pair[A, B any] struct {
	First  A
	Second B
}
func (p Pair[A, B]) Swap() Pair[B, A] { return Pair[B, A]{p.Second, p.First} }
func Build[V interface{ *T }](n int, f func(int) V) []V {
	var list []V
	for i := range n {
		list = append(list, f(i))
	}
	return list
}
`, broken: `
	Pick(x.Dim(0) > 1, c, x.Clone()).Zero() // want HOP101 carry
	Each(func(t *T) { t.Zero() }, c.Clone(), x) // want HOP102 x
	p := Pair[*T, S]{c, S{x, x}}.Swap()
	p.Second.Zero() // want HOP101 carry
	return c.Clone(), Build(2, func(int) *T { return x })[1] // want HOP301 y=x`, kept: `
	Pick(x.Dim(0) > 1, c.Clone(), x.Clone()).Zero()
	Each(func(t *T) { _ = t.Neg() }, c, x)
	p := Pair[*T, S]{c, S{x.Clone(), x}}.Swap()
	p.First.H.Zero()
	return c.Clone(), Build(2, func(int) *T { return x.Clone() })[1]`},
		{name: "methods of type parameters", declares: updaters + `
func Apply[U Updater](u U, t, by *T) *T { return u.Update(t, by) }
type Loop[U Updater] struct{ U U }
func (l Loop[U]) Step(t, by *T) *T { return l.U.Update(t, by) }
`, broken: `
	Apply(InPlace{}, c, x) // want HOP101 carry
	Loop[InPlace]{}.Step(c, x) // want HOP101 carry`, kept: `
	_ = Apply(&Functional{2}, c, x)
	return Loop[*Functional]{}.Step(c, x), Loop[InPlace]{}.Step(x.Clone(), c)`},
		{name: "deferred calls", declares: `
func Write(t *T) { defer func() { t.Zero() }() }
func Late(t *T) *T {
	own := t.Clone()
	defer own.Zero()
	return t.Add(own)
}
`, broken: `
	defer c.Zero() // want HOP101 carry
	Write(x) // want HOP102 x`, kept: `
	t := c.Clone()
	defer func() { t.Zero() }()
	return Late(c), x.Clone()`},
		{name: "range-over-func", carry: "S", declares: `
func Leaves(s S) func(func(*T) bool) {
	return func(yield func(*T) bool) {
		_ = yield(s.H) && yield(s.C)
	}
}
func Copies(s S) func(func(int, *T) bool) {
	return func(yield func(int, *T) bool) {
		for t := range Leaves(s) {
			if !yield(0, t.Clone()) {
				return
			}
		}
	}
}
func First(s S) *T {
	for t := range Leaves(s) {
		return t
	}
	return nil
}
`, broken: `
	for t := range Leaves(c) {
		t.AddInPlace(x) // want HOP101 carry.H, carry.C
	}
	return hop.Clone(c), First(c) // want HOP301 y=carry.H, y=carry.C`, kept: `
	sum := x.Clone()
	for _, t := range Copies(c) {
		t.AddInPlace(x)
		sum.AddInPlace(t)
	}
	for t := range Leaves(c) {
		sum = sum.Add(t)
	}
	return hop.Clone(c), sum`},
		{name: "variadics", carry: "[]*T", declares: `
func ZeroAll(ts ...*T) {
	for _, t := range ts {
		t.Zero()
	}
}
func SumAll(first *T, ts ...*T) *T {
	for _, t := range ts {
		first = first.Add(t)
	}
	return first.Clone()
}
func Forward(ts ...*T) { ZeroAll(ts...) }
func Any(vs ...any) {
	for _, v := range vs {
		if t, ok := v.(*T); ok {
			t.Zero()
		}
	}
}
`, broken: `
	ZeroAll(x.Clone(), x) // want HOP102 x
	Forward(c...) // want HOP101 carry[]
	Any(1, x) // want HOP102 x`, kept: `
	Forward(x.Clone(), c[0].Clone())
	Any(1, x.Clone())
	return hop.Clone(c), SumAll(x, c...)`},
		{name: "type switches", carry: "S", declares: `
func ZeroAny(v any) {
	switch v := v.(type) {
	case *T:
		v.Zero()
	case S:
		v.H.Zero()
	case []*T, map[string]*T:
		panic(v)
	}
}
func Norm(v any) *T {
	switch v := v.(type) {
	case S:
		return v.H.Add(v.C)
	case *T:
		return v.Neg()
	}
	return hop.Zeros(hop.Float64, 2)
}
`, broken: `
	ZeroAny(x) // want HOP102 x
	ZeroAny(c) // want HOP101 carry.H
	var v any = c
	if s, ok := v.(S); ok {
		s.C.Zero() // want HOP101 carry.C
	}`, kept: `
	ZeroAny(1)
	ZeroAny(x.Clone())
	ZeroAny(S{H: x.Clone(), C: c.C})
	_ = Norm(c)
	return hop.Clone(c), Norm(x)`},
		{name: "interface whose type the flow knows", declares: updaters + `
type Model struct{ U Updater }
func (m Model) Step(t, by *T) *T { return m.U.Update(t, by) }
func loud() Updater              { return InPlace{} }
func quiet() Updater             { return &Functional{2} }
func Step(t, by *T)              { loud().Update(t, by) }
func Look(t, by *T) *T           { return quiet().Update(t, by) }
`, broken: `
	var u Updater = InPlace{}
	u.Update(c, x) // want HOP101 carry
	Model{u}.Step(x, c) // want HOP102 x
	Step(c, x) // want HOP101 carry`, kept: `
	var u Updater = &Functional{2}
	_ = Look(c, x)
	return u.Update(c, x), Model{u}.Step(x, c)`},
		{name: "unexported interface whose types are converted here", declares: `
type scaler interface{ scale(t *T) *T }
type double struct{}
func (double) scale(t *T) *T { return t.MulScalarInPlace(2) }
type negator interface{ neg(t *T) *T }
type plain struct{}
func (plain) neg(t *T) *T { return t.Neg() }
var current scaler = double{}
var quiet = map[string]negator{"plain": plain{}}
func Use(t *T) *T              { return current.scale(t) }
func Look(n string, t *T) *T   { return quiet[n].neg(t) }
`, broken: `
	Use(c) // want HOP101 carry`, kept: `
	return Look("plain", c), Look("plain", x)`},
		{name: "interface that the caller gives", declares: updaters + `
func Step(u Updater, t, by *T) *T               { return u.Update(t, by) }
func Twice(us []Updater, t, by *T) *T {
	for _, u := range us {
		t = Step(u, t, by)
	}
	return t
}
`, broken: `
	Step(InPlace{}, c, x) // want HOP101 carry
	Twice([]Updater{InPlace{}}, x, c) // want HOP102 x`, kept: `
	_ = Twice([]Updater{&Functional{2}}, c, x)
	Step(InPlace{}, c.Clone(), x)
	return Step(&Functional{2}, c, x), x.Clone()`},
		{name: "interface with directives", declares: `
type Kernel interface {
	//hop:mutates t
	Run(t *T)
	//hop:returns fresh
	Next(t *T) *T
	//hop:returns view(t)
	Part(t *T) *T
}
var Default Kernel
func Twice(k Kernel, t *T) *T { return k.Next(k.Next(t)) }
func Loud(k Kernel, t *T)     { k.Run(t) }
`, broken: `
	Default.Run(c) // want HOP101 carry
	Loud(Default, x) // want HOP102 x
	return c.Clone(), Default.Part(x) // want HOP301 y=x`, kept: `
	t := Default.Next(c)
	Default.Part(t).Zero()
	Loud(Default, t)
	return t, Twice(Default, x)`},
		{name: "named results changed by defer", declares: `
func Keep(t *T) (r *T) {
	defer func() { r = t }()
	return t.Clone()
}
func Fresh(t *T) (r *T) {
	defer func() { r = r.Clone() }()
	return t
}
`, broken: `
	return Keep(c), x.Clone() // want HOP301 next carry=carry`, kept: `
	return Fresh(c), Fresh(x)`},
		{name: "embedded promotion", carry: "Derived", declares: `
type Base struct{ W *T }
func (b *Base) Reset()    { b.W.Zero() }
func (b Base) Norm() *T   { return b.W.Neg() }
type Derived struct {
	Base
	B *T
}
type Resetter interface{ Reset() }
type Wrapped struct{ Resetter }
`, broken: `
	c.Reset() // want HOP101 carry.Base.W
	Wrapped{&Base{x}}.Reset() // want HOP102 x
	return hop.Clone(c), c.W // want HOP301 y=carry.Base.W`, kept: `
	n := c.Norm()
	c.W = c.W.Clone()
	c.Reset()
	Wrapped{&Base{x.Clone()}}.Reset()
	return hop.Clone(c), n`},
	}
}
