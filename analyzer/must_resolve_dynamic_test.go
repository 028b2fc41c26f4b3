package analyzer_test

// Constructs whose functions and types are chosen in one place and used in another: by type arguments, by factories, by package
// variables.
func dynamicConstructs() []construct {
	const updaters = `
type Updater interface{ Update(t, by *T) *T }
type InPlace struct{}
func (InPlace) Update(t, by *T) *T       { return t.AddInPlace(by) }
type Functional struct{ Scale float64 }
func (f Functional) Update(t, by *T) *T  { return t.Add(by).MulScalar(f.Scale) }
`
	return []construct{
		{name: "methods of type parameters called in the body", declares: updaters + `
func Run[U Updater](u U, t, by *T) *T   { return u.Update(t, by) }
func Bound[U Updater](u U) func(t, by *T) *T {
	return func(t, by *T) *T { return u.Update(t, by) }
}
`, broken: `
	Run(InPlace{}, c, x) // want HOP101 carry
	f := Run[InPlace]
	f(InPlace{}, x, c) // want HOP102 x
	Bound(InPlace{})(c, x) // want HOP101 carry`, kept: `
	f := Run[Functional]
	_ = Bound(Functional{3})(x, c)
	return Run(Functional{2}, c, x), f(Functional{2}, x, c)`},
		{name: "values of type parameters made in a generic function", declares: updaters + `
func Made[U Updater](t, by *T) *T {
	var u U
	return u.Update(t, by)
}
func Outer[U Updater](t, by *T) *T { return Made[U](t, by) }
var Loud = Made[InPlace]
var Quiet = Outer[Functional]
`, broken: `
	Made[InPlace](c, x) // want HOP101 carry
	Outer[InPlace](x, c) // want HOP102 x
	Loud(c, x) // want HOP101 carry`, kept: `
	_ = Made[Functional](c, x)
	return Quiet(c, x), Outer[Functional](x, c)`},
		{name: "generic composition", declares: `
func Compose[A, B, C any](f func(A) B, g func(B) C) func(A) C {
	return func(a A) C { return g(f(a)) }
}
func Twice[A any](f func(A) A) func(A) A { return Compose(f, f) }
`, broken: `
	Compose((*T).Neg, (*T).TanhInPlace)(c)
	Compose((*T).TanhInPlace, (*T).Neg)(c) // want HOP101 carry
	Twice((*T).NegInPlace)(x) // want HOP102 x`, kept: `
	f := Compose((*T).Neg, (*T).TanhInPlace)
	return f(c), Twice((*T).Neg)(x)`},
		{name: "slices.Repeat", declares: `
func Many(t *T, n int) []*T { return slices.Repeat([]*T{t}, n) }
func Fresh(t *T) []*T       { return slices.Repeat([]*T{t.Clone()}, 1) }
`, broken: `
	Many(c, 3)[1].Zero() // want HOP101 carry
	return Many(x, 2)[0], x.Clone() // want HOP301 next carry=x`, kept: `
	Many(c.Clone(), 3)[0].Zero()
	_ = Many(c, 2)
	return Fresh(c)[0], x.Clone()`},
		{name: "factories that return interfaces", declares: updaters + `
type scaled struct{ by *T }
func (s scaled) Update(t, by *T) *T       { return s.by.MulInPlace(by) }
type counted struct{ n int }
func (s *counted) Update(t, by *T) *T     { s.n++; return t.Add(by) }
func New() Updater                        { return InPlace{} }
func NewQuiet() Updater                   { return Functional{2} }
func NewScaled(by *T) Updater             { return scaled{by} }
func NewCounted() Updater                 { return &counted{} }
func Choose(loud bool) Updater {
	if loud {
		return New()
	}
	return NewQuiet()
}
`, broken: `
	New().Update(c, x) // want HOP101 carry
	NewScaled(x).Update(c, c) // want HOP102 x
	Choose(true).Update(c, x) // want HOP101 carry`, kept: `
	NewScaled(x.Clone()).Update(c, c)
	u := NewCounted()
	return NewQuiet().Update(c, x), u.Update(c, x)`},
		{name: "exported variables that hold functions", declares: `
var Write = func(t *T) *T { return t.TanhInPlace() }
var Read = func(t *T) *T { return t.Tanh() }
var Alias = (*T).NegInPlace
var Table = map[string]func(*T) *T{"loud": func(t *T) *T { return t.Zero() }}
var Quiet = []func(*T) *T{(*T).Neg, func(t *T) *T { return t.Tanh() }}
var Ops = struct{ Loud, Quiet func(*T) *T }{Write, Read}
`, broken: `
	Write(c) // want HOP101 carry
	Alias(x) // want HOP102 x
	Table["loud"](c) // want HOP101 carry
	Ops.Loud(x) // want HOP102 x`, kept: `
	_ = Ops.Quiet(c)
	return Read(c), Quiet[1](x)`},
	}
}
