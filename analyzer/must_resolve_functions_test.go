package analyzer_test

// Constructs that make functions and hand them on.
func functionConstructs() []construct {
	return []construct{
		{name: "method values and bound methods", declares: `
type Cell struct{ W *T }
func (m Cell) Scale(by *T)         { m.W.MulInPlace(by) }
func (m *Cell) Peek(by *T) *T      { return m.W.Mul(by) }
func Run(f func(*T), t *T)         { f(t) }
func Bound(m *Cell) func(*T) *T    { return m.Peek }
func Loud(m *Cell) func(*T)        { return m.Scale }
`, broken: `
	f := Cell{c}.Scale
	f(x) // want HOP101 carry
	Run(Cell{x}.Scale, c) // want HOP102 x
	g := Cell.Scale
	g(Cell{c}, x) // want HOP101 carry
	Loud(&Cell{x})(c) // want HOP102 x`, kept: `
	f := Cell{c.Clone()}.Scale
	f(x)
	Run(Cell{x.Clone()}.Scale, c)
	m := &Cell{c}
	g := m.Peek
	_ = Bound(m)(x)
	return g(x), (*Cell).Peek(m, x)`},
		{name: "closures in variables", declares: `
func Write(t *T) {
	f := func(by float64) { t.MulScalarInPlace(by) }
	g := f
	g(2)
}
func Read(t *T) *T {
	f := func(by float64) *T { return t.MulScalar(by) }
	return f(2)
}
func Replaced(t *T) {
	f := func(u *T) { u.Zero() }
	f = func(u *T) {}
	f(t)
}
`, broken: `
	f := func(t *T) { t.Zero() } // want HOP101 carry
	f(c)
	Write(x) // want HOP102 x`, kept: `
	f := func(t *T) *T {
		u := t.Clone()
		u.Zero()
		return u
	}
	Replaced(x)
	return f(c), Read(x)`},
		{name: "closures in fields", declares: `
type Layer struct {
	Act   func(*T) *T
	Inner struct{ Post func(*T) }
}
func Loud() Layer                  { return Layer{Act: (*T).TanhInPlace} }
func Quiet() *Layer                { return &Layer{Act: func(t *T) *T { return t.Tanh() }} }
func (l Layer) Forward(t *T) *T    { return l.Act(t) }
`, broken: `
	l := Loud()
	l.Act(c) // want HOP101 carry
	var m Layer
	m.Inner.Post = func(t *T) { t.Zero() } // want HOP102 x
	m.Inner.Post(x)
	Loud().Forward(x) // want HOP102 x`, kept: `
	l := Quiet()
	l.Inner.Post = func(*T) {}
	l.Inner.Post(c)
	return l.Act(c), l.Forward(x)`},
		{name: "closures in slices", declares: `
func Steps() []func(*T) *T         { return []func(*T) *T{(*T).Neg, (*T).TanhInPlace} }
func Reads() []func(*T) *T         { return []func(*T) *T{(*T).Neg, func(t *T) *T { return t.Tanh() }} }
func All(fs []func(*T) *T, t *T) {
	for _, f := range fs {
		f(t)
	}
}
`, broken: `
	for _, f := range Steps() {
		f(c) // want HOP101 carry
	}
	All([]func(*T) *T{(*T).Neg, (*T).NegInPlace}, x) // want HOP102 x`, kept: `
	fs := []func(*T) *T{(*T).Neg, (*T).Tanh}
	for _, f := range append(fs, Reads()...) {
		_ = f(x)
	}
	All(fs, c)
	return Reads()[1](c), x.Clone()`},
		{name: "closures in maps", declares: `
func Steps() map[string]func(*T) *T { return map[string]func(*T) *T{"neg": (*T).Neg, "tanh": (*T).TanhInPlace} }
func Reads() map[string]func(*T) *T { return map[string]func(*T) *T{"neg": (*T).Neg} }
func Call(fs map[string]func(*T) *T, name string, t *T) *T { return fs[name](t) }
`, broken: `
	Steps()["tanh"](c) // want HOP101 carry
	fs := map[string]func(*T) *T{}
	fs["zero"] = func(t *T) *T { return t.Zero() } // want HOP102 x
	Call(fs, "zero", x)`, kept: `
	fs := map[string]func(*T) *T{"neg": (*T).Neg}
	fs["tanh"] = (*T).Tanh
	return Reads()["neg"](c), Call(fs, "tanh", x)`},
		{name: "closures returned by factories", declares: `
func Scaler(by float64) func(*T) *T { return func(t *T) *T { return t.MulScalarInPlace(by) } }
func Reader(by float64) func(*T) *T { return func(t *T) *T { return t.MulScalar(by) } }
func Holder(t *T) func() *T         { return func() *T { return t } }
func Chain(fs ...func(*T) *T) func(*T) *T {
	return func(t *T) *T {
		for _, f := range fs {
			t = f(t)
		}
		return t
	}
}
func Curry(t *T) func(float64) func() *T {
	return func(by float64) func() *T { return func() *T { return t.MulScalarInPlace(by) } }
}
`, broken: `
	Scaler(2)(c) // want HOP101 carry
	Chain(Reader(2), Scaler(3))(x.Clone())
	Chain(Scaler(3), Reader(2))(x) // want HOP102 x
	_ = Curry(c)(2)() // want HOP101 carry
	return c.Clone(), Holder(x)() // want HOP301 y=x`, kept: `
	f := Reader(2)
	_ = Curry(c.Clone())(2)()
	return Chain(f, (*T).Neg)(c).Clone(), f(Holder(x)())`},
		{name: "function literals in package variables", declares: `
var write = func(t *T) { t.Zero() }
var read = func(t *T) *T { return t.Neg() }
var table = map[string]func(*T) *T{"neg": (*T).NegInPlace}
var quiet = []func(*T) *T{func(t *T) *T { return t.Neg() }}
func Zero(t *T)                  { write(t) }
func Neg(t *T) *T                { return read(t) }
func Apply(name string, t *T) *T { return table[name](t) }
func Look(t *T) *T               { return quiet[0](t) }
`, broken: `
	Zero(c) // want HOP101 carry
	Apply("neg", x) // want HOP102 x`, kept: `
	return Neg(c), Look(x)`},
	}
}
