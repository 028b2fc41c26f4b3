package analyzer_test

import "testing"

// What a compiled function reads may not be written after it was compiled.
func TestStaleCaptures(t *testing.T) {
	in := func(name, text string) program { return program{name: name, text: text} }
	checkPrograms(t, []program{
		in("assigned", `
func main(x *T) {
	w := x.Neg()
	f := hop.Compile(func(x *T) *T { return x.Mul(w) })
	f(x)
	w = w.Add(x) // want HOP405 captured w
	f(x)
}`),
		in("written in place", `
func main(x *T) {
	w := x.Neg()
	w.Zero()
	f := hop.Compile(func(x *T) *T { return x.Mul(w) })
	f(x)
	w.AddInPlace(x) // want HOP405 captured w
	f(x)
}`),
		in("before it is used for the first time", `
func main(x *T) {
	scale := 2.0
	f := hop.Compile(func(x *T) *T { return x.MulScalar(scale) })
	scale = 3 // want HOP405 captured scale
	f(x)
}`),
		in("never used again", `
func main(x *T) *T {
	w := x.Neg()
	f := hop.Compile(func(x *T) *T { return x.Mul(w) })
	y, _ := f(x)
	w = y.Add(w)
	return w
}`),
		in("returned", `
func main(x *T) func(*T) (*T, error) {
	w := x.Neg()
	f := hop.Compile(func(x *T) *T { return x.Mul(w) })
	w = x // want HOP405 captured w
	return f
}`),
		in("field of a pointer", `
type model struct { W, B *T; N int }
func main(m *model, x *T) {
	f := hop.Compile(func(x *T) *T { return x.Mul(m.W) })
	f(x)
	m.B = x
	m.N++
	m.W = x // want HOP405 captured m.W
	f(x)
	m.W.AddInPlace(x) // want HOP405 captured m.W
	f(x)
}`),
		in("field of a struct", `
func main(s S, x *T) {
	f := hop.Must(hop.Compile(func(x *T) *T { return x.Mul(s.H) }))
	s.C = x
	s.H = x // want HOP405 captured s.H
	f(x)
	s = S{x, x} // want HOP405 captured s
	f(x)
}`),
		in("method value", `
type model struct { W, B *T }
func (m *model) forward(x *T) *T { return m.gate(x).Add(x) }
func (m *model) gate(x *T) *T { return x.Mul(m.W) }
func (m *model) train(g *T) { m.W.SubInPlace(g) }
func (m *model) set(w *T) { m.W = w }
func (m *model) bias(b *T) { m.B = b }
func main(m *model, x *T) {
	f := hop.Compile(m.forward)
	f(x)
	m.bias(x)
	m.train(x) // want HOP405 captured m.W
	f(x)
	m.set(x) // want HOP405 captured m.W
	f(x)
}`),
		in("value receiver", `
type model struct{ W *T }
func (m model) forward(x *T) *T { return x.Mul(m.W) }
func main(x *T) {
	m := model{x}
	f := hop.Compile(m.forward)
	m = model{x.Neg()}
	f(x)
}`),
		in("through a helper of another function", `
func helper(w, x *T) *T { return x.Mul(w) }
func main(x *T) {
	w := x.Neg()
	f := hop.Compile(func(x *T) *T { return helper(w, x) })
	f(x)
	update(w, x) // want HOP405 captured w
	f(x)
}
func update(w, g *T) { w.SubInPlace(g) }`),
		in("through a view", `
func main(x *T) {
	w := x.Neg()
	f := hop.Compile(func(x *T) *T { return x.Mul(w.T()) })
	f(x)
	w.Narrow(0, 0, 1).Zero() // want HOP405 captured w
	f(x)
}`),
		in("through a literal", `
func main(x *T) {
	w := x.Neg()
	step := func() { w = w.Sub(x) }
	f := hop.Compile(func(x *T) *T { return x.Mul(w) })
	f(x)
	step() // want HOP405 captured w
	f(x)
}`),
		in("inside of a nested body", `
func main(x *T) {
	w := x.Neg()
	f := hop.Compile(func(xs *T) *T {
		l, _ := hop.Scan(func(c, x *T) (*T, *T) { return c.Mul(w), x.Clone() }, zero, xs)
		return l
	})
	f(x)
	w.MulScalarInPlace(2) // want HOP405 captured w
	f(x)
}`),
		in("list and map", `
func main(x *T, ws []*T, by map[string]*T) {
	f := hop.Compile(func(x *T) *T { return x.Mul(ws[0]).Add(by["b"]) })
	f(x)
	ws[1] = x // want HOP405 captured ws[]
	by["b"] = x // want HOP405 captured by[]
	f(x)
}`),
		in("package variable", `
var weight = zero.Neg()
func main(x *T) {
	f := hop.Compile(func(x *T) *T { return x.Mul(weight) })
	f(x)
	weight = x // want HOP405 captured weight
	f(x)
	reset() // want HOP405 captured weight
	f(x)
}
func reset() { weight = zero }`),
		in("factory", `
func scaled(w *T) func(x *T) *T { return func(x *T) *T { return x.Mul(w) } }
func main(x *T) {
	w := x.Neg()
	f := hop.Compile(scaled(w))
	f(x)
	w.Zero() // want HOP405 captured w
	f(x)
	w = x
	f(x)
}`),
		in("trace and new compiled", `
func main(x *T) {
	w := x.Neg()
	p, err := hop.Trace(func(x *T) *T { return x.Mul(w) }, x)
	if err != nil {
		return
	}
	w.Zero() // want HOP405 captured w
	p.Call(x)
	v := x.Neg()
	c := hop.NewCompiled(func(x *T) *T { return x.Mul(v) })
	c.Call(x)
	v.Zero() // want HOP405 captured v
	c.Call(x)
}`),
		in("training loop", `
func main(x *T) {
	w := x.Neg()
	loss := hop.Must(hop.Compile(func(x *T) *T { return x.Mul(w) }))
	for range 10 {
		g := loss(x)
		w.SubInPlace(g) // want HOP405 captured w
	}
}`),
		in("compiled anew in each round", `
func main(x *T) {
	w := x.Neg()
	for range 10 {
		loss := hop.Must(hop.Compile(func(x *T) *T { return x.Mul(w) }))
		g := loss(x)
		w = w.Sub(g)
		w.SubInPlace(g)
	}
}`),
		in("R27", `
func main(x *T) {
	for k := range 3 {
		f := hop.Compile(func(x *T) *T { return x.MulScalar(float64(k)) })
		f(x)
	}
	for k := 0; k < 3; k++ {
		f := hop.Compile(func(x *T) *T { return x.MulScalar(float64(k)) })
		f(x)
	}
	var fs []func(*T) (*T, error)
	for k := 0; k < 3; k++ {
		fs = append(fs, hop.Compile(func(x *T) *T { return x.MulScalar(float64(k)) }))
	}
	for _, w := range []*T{x} {
		w := w.Neg()
		w.Zero()
		fs = append(fs, hop.Compile(func(x *T) *T { return x.Mul(w) }))
	}
	for _, f := range fs {
		f(x)
	}
}`),
		in("kept in a list and written behind it", `
func main(x *T, fs []func(*T) (*T, error)) {
	for range 3 {
		w := x.Neg()
		fs = append(fs, hop.Compile(func(x *T) *T { return x.Mul(w) }))
		w.Zero() // want HOP405 captured w
	}
}`),
		in("another branch", `
func main(x *T, on bool) {
	w := x.Neg()
	f := func(x *T) (*T, error) { return x, nil }
	if on {
		f = hop.Compile(func(x *T) *T { return x.Mul(w) })
	} else {
		w = x
	}
	f(x)
}`),
		in("local of the body", `
func main(x *T) {
	w := x.Neg()
	f := hop.Compile(func(x *T) *T {
		w := x.Neg()
		w.AddInPlace(x)
		return w
	})
	w = x
	w.Zero()
	f(w)
}`),
		in("passed in", `
func main(x *T) {
	w := x.Neg()
	f := hop.Compile(func(s S) *T { return s.H.Mul(s.C) })
	for range 3 {
		g, _ := f(S{w, x})
		w = w.Sub(g)
		w.SubInPlace(g)
	}
}`),
		in("accepted", `
func main(x *T) {
	w := x.Neg()
	f := hop.Compile(func(x *T) *T { return x.Mul(w) })
	//hop:allow stale-capture -- the first weights are wanted
	w = x
	f(x)
}`),
		{name: "through another package", packages: map[string]string{"nn": `package nn
import "github.com/hoplint/hoplint/runtime/hop"
type Linear struct{ W *hop.Tensor; Steps int }
func (l *Linear) Forward(x *hop.Tensor) *hop.Tensor { return x.Mul(l.W) }
func (l *Linear) Train(g *hop.Tensor) { l.W.SubInPlace(g) }
func (l *Linear) Count() { l.Steps++ }
`}, text: `
func main(x *T) {
	l := &nn.Linear{W: x.Neg()}
	f := hop.Compile(func(x *T) *T { return l.Forward(x) })
	f(x)
	l.Count()
	l.Steps++
	l.Train(x) // want HOP405 captured l.W
	f(x)
	l.W = x // want HOP405 captured l.W
	f(x)
}`},
	})
}
