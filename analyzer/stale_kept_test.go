package analyzer_test

import "testing"

// What a compiled function that is kept reads may not be written by other functions of the package.
func TestStaleCapturesOfKeptFunctions(t *testing.T) {
	const model = `
type model struct {
	W, B *T
	Steps int
	run func(*T) (*T, error)
}
func (m *model) Predict(x *T) *T { return hop.Must(m.run)(x) }
`
	in := func(name, text string) program { return program{name: name, text: model + text} }
	checkPrograms(t, []program{
		in("field that the literal reads through the object", `
func New(w *T) *model {
	m := &model{W: w}
	m.run = hop.Compile(func(x *T) *T { return x.Mul(m.W) })
	return m
}
func (m *model) Step(g *T) {
	m.Steps++
	m.B = g
	m.W.SubInPlace(g) // want HOP405 captured m.W
}
func (m *model) Set(w *T) {
	m.W = w // want HOP405 captured m.W
}
func (m *model) Read(x *T) *T {
	w := m.W.Clone()
	return w.AddInPlace(x)
}`),
		in("method value, helpers and closures", `
func (m *model) forward(x *T) *T { return m.gate(x).Add(m.B) }
func (m *model) gate(x *T) *T { return x.Mul(m.W) }
func New(w *T) (*model, error) {
	m := &model{W: w, B: w.Neg()}
	m.init()
	m.run = hop.Compile(m.forward)
	return m, nil
}
func (m *model) init() { m.W.Zero() }
func update(w, g *T) { w.SubInPlace(g) }
func (m *model) step(g *T) {
	update(m.W, g) // want HOP405 captured m.W
	hop.Try(func() {
		m.B.Narrow(0, 0, 1).Zero() // want HOP405 captured m.B
	})
}
func Train(m *model, gs []*T) {
	for _, g := range gs {
		m.step(g)
	}
}
type trainer struct{ m *model }
func (t trainer) Reset() {
	t.m.B = zero // want HOP405 captured t.m.B
}`),
		in("tensor that the literal captured and the object holds", `
func New(w *T) *model {
	return &model{W: w, run: hop.Compile(func(x *T) *T { return x.Mul(w) })}
}
func (m *model) Step(g *T) {
	m.W.SubInPlace(g) // want HOP405 captured m.W
	m.W = g
}`),
		in("object by value", `
func New(w *T) model {
	return model{W: w, run: hop.Compile(func(x *T) *T { return x.Mul(w) })}
}
func (m model) Step(g *T) {
	m.W.SubInPlace(g) // want HOP405 captured m.W
}
func (m model) With(w *T) model {
	m.W = w
	return m
}`),
		in("function that calls the constructor", `
func newModel(w *T) *model {
	m := &model{W: w}
	m.run = hop.Compile(func(x *T) *T { return x.Mul(m.W) })
	return m
}
func main(x *T) {
	m := newModel(x.Neg())
	m.Predict(x)
	m.W.Zero() // want HOP405 captured m.W
	m.Predict(x)
}
func once(x *T) {
	m := newModel(x.Neg())
	m.Predict(x)
	m.W.Zero()
}`),
		in("compiled by a method of the constructor", `
func New(w *T) *model {
	m := &model{W: w}
	m.compile()
	return m
}
func (m *model) compile() { m.run = hop.Compile(func(x *T) *T { return x.Mul(m.W) }) }
func (m *model) Step(g *T) {
	m.W.SubInPlace(g) // want HOP405 captured m.W
}`),
		in("compiled anew after each write", `
func New(w *T) *model {
	m := &model{W: w}
	m.compile()
	return m
}
func (m *model) compile() { m.run = hop.Compile(func(x *T) *T { return x.Mul(m.W) }) }
func (m *model) Step(g *T) {
	m.W.SubInPlace(g)
	m.compile()
}
func (m *model) shift(g *T) { m.W.SubInPlace(g) }
func (m *model) Shift(g *T) {
	m.shift(g)
	m.compile()
}`),
		in("compiled on demand", `
func (m *model) get() func(*T) (*T, error) {
	if m.run == nil {
		m.run = hop.Compile(func(x *T) *T { return x.Mul(m.W) })
	}
	return m.run
}
func (m *model) Step(g *T) {
	m.W.SubInPlace(g)
	m.run = nil
}`),
		in("written by the constructor's helpers only", `
func New(w *T) *model {
	m := &model{W: w}
	m.fill(w)
	m.run = hop.Compile(func(x *T) *T { return x.Mul(m.W) })
	return m
}
func (m *model) fill(w *T) { m.scale(); m.W = w.Neg() }
func (m *model) scale() { m.W.MulScalarInPlace(2) }`),
		in("another object that is not compiled", `
func New(w *T) *model {
	m := &model{W: w}
	m.run = hop.Compile(func(x *T) *T { return x.Mul(m.W) })
	return m
}
func Copy(w *T) *model {
	m := &model{W: w.Clone()}
	m.W.Zero()
	m.W = w
	return m
}`),
		in("what is passed in", `
func New(w *T) *model {
	m := &model{W: w}
	m.run = hop.Compile(func(x *T) *T { return x.Neg() })
	return m
}
func (m *model) Step(g *T) { m.W.SubInPlace(g) }`),
		{name: "never used", text: `
type model struct { W *T; run func(*T) (*T, error) }
func New(w *T) *model {
	m := &model{W: w}
	m.run = hop.Compile(func(x *T) *T { return x.Mul(m.W) })
	return m
}
func (m *model) Step(g *T) { m.W.SubInPlace(g) }`},
		{name: "accepted", text: model + `
func New(w *T) *model {
	m := &model{W: w}
	m.run = hop.Compile(func(x *T) *T { return x.Mul(m.W) })
	return m
}
func (m *model) Load(w *T) {
	//hop:allow stale-capture -- called before the first Predict
	m.W.CopyFrom(w)
}`},
		{name: "compiled in a package variable", text: `
var weight = hop.Ones(hop.Float64, 3)
var bias = hop.Ones(hop.Float64, 3)
var predict = hop.Compile(func(x *T) *T { return x.Mul(weight) })
func Predict(x *T) *T { return hop.Must(predict)(x) }
func Step(g *T) {
	bias.SubInPlace(g)
	weight.SubInPlace(g) // want HOP405 captured weight
}
func Set(w *T) {
	weight = w // want HOP405 captured weight
}
func init() { weight.Zero() }`},
		{name: "closures beside the compiled function", text: `
func New(w, b *T) (predict func(*T) (*T, error), update func(*T)) {
	predict = hop.Compile(func(x *T) *T { return x.Mul(w) })
	update = func(g *T) {
		b.SubInPlace(g)
		w.SubInPlace(g) // want HOP405 captured w
	}
	return predict, update
}
func before(w *T) func(*T) (*T, error) {
	hop.Try(func() { w.Zero() })
	f := hop.Compile(func(x *T) *T { return x.Mul(w) })
	f(w)
	return f
}
func after(w *T) func(*T) (*T, error) {
	f := hop.Compile(func(x *T) *T { return x.Mul(w) })
	hop.Try(func() {
		w.Zero() // want HOP405 captured w
	})
	return f
}`},
		{name: "traced, and NewCompiled", text: `
type model struct { W *T; p *hop.Compiled[*T, *T] }
func New(w *T) *model { 
	m := &model{W: w}
	m.p = hop.NewCompiled(func(x *T) *T { return x.Mul(m.W) })
	return m
}
func (m *model) Predict(x *T) { m.p.Call(x) }
func (m *model) Step(g *T) {
	m.W.SubInPlace(g) // want HOP405 captured m.W
}`},
		{name: "called through its field", text: `
type trainer struct {
	rate float64
	run  func(*T) (*T, error)
}
func (t *trainer) loss(x *T) *T { return x.MulScalar(t.rate) }
func New() *trainer {
	t := &trainer{rate: 1}
	t.run = hop.Compile(t.loss)
	return t
}
func Fit(x *T) {
	t := New()
	for range 3 {
		t.run(x)
		t.rate /= 2 // want HOP405 captured t.rate
	}
}
func (t *trainer) Step(x *T) { t.run(x) }
func Configured(x *T) {
	t := New()
	t.rate = 2
	t.Step(x)
	t.run(x)
}
func Changed(x *T) {
	t := New()
	t.Step(x)
	t.rate = 2 // want HOP405 captured t.rate
	t.Step(x)
}
func Last(x *T) {
	t := New()
	t.run(x)
	t.rate = 3
}`},
		{name: "of another package", packages: map[string]string{"nn": `package nn
import "github.com/hoplint/hoplint/runtime/hop"
type Linear struct{ W *hop.Tensor; Steps int }
func (l *Linear) Forward(x *hop.Tensor) *hop.Tensor { return x.Mul(l.W) }
func (l *Linear) Train(g *hop.Tensor) { l.W.SubInPlace(g) }
func (l *Linear) Count() { l.Steps++ }
`}, text: `
type model struct { l *nn.Linear; run func(*T) (*T, error) }
func New(l *nn.Linear) *model {
	m := &model{l: l}
	m.run = hop.Compile(func(x *T) *T { return m.l.Forward(x) })
	return m
}
func (m *model) Predict(x *T) { m.run(x) }
func (m *model) Step(g *T) {
	m.l.Count()
	m.l.Train(g) // want HOP405 captured m.l.W
}`},
	})
}
