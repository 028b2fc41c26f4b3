package analyzer_test

import "testing"

// Ops that save, and Backward, may lie in functions that are called.
func TestSavedInHelpers(t *testing.T) {
	const head = `
func mse(w, x *T) *T { return w.Mul(x).Sub(x).Square().Sum() }
func finish(l *T) { l.Backward() }
func ones() *T { return hop.Ones(hop.Float64, 2) }
`
	in := func(name, text string) program { return program{name: name, text: head + text} }
	checkPrograms(t, []program{
		in("saver", `
func main(g *T) {
	w, x := ones().SetRequiresGrad(true), ones()
	l := mse(w, x)
	x.AddInPlace(g) // want HOP601
	l.Backward()
}
func after(g *T) {
	w, x := ones().SetRequiresGrad(true), ones()
	l := mse(w, x)
	l.Backward()
	x.AddInPlace(g)
}
func before(g *T) {
	w, x := ones().SetRequiresGrad(true), ones()
	x.AddInPlace(g)
	mse(w, x).Backward()
}
func withoutGrad(g *T) {
	w, x, v := ones(), ones(), ones().SetRequiresGrad(true)
	l := mse(w, x).Add(v)
	x.AddInPlace(g)
	l.Backward()
}
func copied(g *T) {
	w, x := ones().SetRequiresGrad(true), ones()
	l := mse(w, x.Clone())
	x.AddInPlace(g)
	l.Backward()
}`),
		in("Backward", `
func main(g *T) {
	w, x := ones().SetRequiresGrad(true), ones()
	l := w.Mul(x).Sum()
	x.AddInPlace(g) // want HOP601
	finish(l)
}
func scaled(l *T) { hop.Try(func() {}); l.MulScalar(2).Backward() }
func more(g *T) {
	w, x := ones().SetRequiresGrad(true), ones()
	l := w.Mul(x).Sum()
	x.AddInPlace(g) // want HOP601
	scaled(l)
}
func maybe(l *T, on bool) { if on { l.Backward() } }
func other(g *T, on bool) {
	w, x := ones().SetRequiresGrad(true), ones()
	l := w.Mul(x).Sum()
	x.AddInPlace(g)
	maybe(l, on)
}`),
		in("both, and helpers of helpers", `
func forward(w, x *T) *T { return mse(w, x).MulScalar(2) }
func run(l *T) { finish(l.AddScalar(1)) }
func step(l *T) { finish(l) }
func main(g *T) {
	w, x := ones().SetRequiresGrad(true), ones()
	l := forward(w, x)
	x.AddInPlace(g) // want HOP601
	step(l)
}`),
		in("the result", `
func act(h *T) *T { return h.AddScalar(1).Exp() }
func lin(h *T) *T { return h.MulScalar(2) }
func main(g *T) {
	w := ones().SetRequiresGrad(true)
	y := act(w)
	y.AddInPlace(g) // want HOP601
	y.Sum().Backward()
	z := lin(w)
	z.AddInPlace(g)
	z.Sum().Backward()
}`),
		in("of two results", `
func both(w, x *T) (*T, *T) { y := w.Mul(x); return y.Sum(), y.Neg() }
func main(g *T) {
	w, x := ones().SetRequiresGrad(true), ones()
	l, _ := both(w, x)
	x.AddInPlace(g) // want HOP601
	l.Backward()
}`),
		in("methods", `
type model struct{ W, x *T }
func (m *model) loss(x *T) *T { return m.W.Mul(x).Sum() }
func (m *model) own() *T { return m.W.Mul(m.x).Sum() }
type trainer struct{ loss *T }
func (t *trainer) step() { t.loss.Backward() }
func main(g *T) {
	m, x := &model{W: ones().SetRequiresGrad(true), x: ones()}, ones()
	l := m.loss(x)
	x.AddInPlace(g) // want HOP601
	l.Backward()
	t := &trainer{m.own()}
	m.x.Zero() // want HOP601
	t.step()
}`),
		in("closures", `
func main(g *T) {
	w, x := ones().SetRequiresGrad(true), ones()
	loss := func() *T { return w.Mul(x).Sum() }
	l := loss()
	x.AddInPlace(g) // want HOP601
	l.Backward()
	k := loss()
	k.Backward()
	x.AddInPlace(g)
}
func back(g *T) {
	w, x := ones().SetRequiresGrad(true), ones()
	l := w.Mul(x).Sum()
	done := func() { l.Backward() }
	x.AddInPlace(g) // want HOP601
	done()
}`),
		in("written where it is saved, or where Backward runs", `
func spoiled(w, x *T) *T { y := w.Mul(x); x.Zero(); return y.Sum() }
func local(w, x *T) *T { v := x.Neg(); y := w.Mul(v); v.Zero(); return y.Sum() }
func fine(w, x *T) *T { x.Zero(); return w.Mul(x).Sum() }
func late(x, l *T) { x.Zero(); l.Backward() }
func early(x, l *T) { l.Backward(); x.Zero() }
func main(g *T) {
	w, x := ones().SetRequiresGrad(true), ones()
	spoiled(w, x).Backward() // want HOP601
	l := local(w, x) // want HOP601
	l.Backward()
	fine(w, x).Backward()
	k := w.Mul(x).Sum()
	late(x, k) // want HOP601
	m := w.Mul(x).Sum()
	early(x, m)
	spoiled(x, w.Clone())
	late(g, w.Mul(x).Sum())
}
func without(g *T) {
	w, x, v := ones(), ones(), ones().SetRequiresGrad(true)
	spoiled(w, x).Add(v).Backward()
}`),
		in("not on all ways", `
func pick(w, x *T, on bool) *T { if on { return w.Mul(x) }; return w.Neg() }
func main(g *T, on bool) {
	w, x := ones().SetRequiresGrad(true), ones()
	l := pick(w, x, on).Sum()
	x.AddInPlace(g)
	l.Backward()
}
func detached(w, x *T) *T { return w.Mul(x).Detach() }
func cut(g *T) {
	w, x := ones().SetRequiresGrad(true), ones()
	l := detached(w, x).Add(w).Sum()
	x.AddInPlace(g)
	l.Backward()
}
func local(w, x *T) *T { return w.Mul(x.Neg()) }
func kept(g *T) {
	w, x := ones().SetRequiresGrad(true), ones()
	l := local(w, x).Sum()
	x.AddInPlace(g)
	l.Backward()
}`),
		{name: "of another package", packages: map[string]string{"nn": `package nn
import "github.com/hoplint/hoplint/runtime/hop"
type T = hop.Tensor
type Linear struct{ W *T }
func New() *Linear { return &Linear{W: hop.Ones(hop.Float64, 2).SetRequiresGrad(true)} }
func (l *Linear) Forward(x *T) *T { return x.Mul(l.W) }
func MSE(y, want *T) *T { return y.Sub(want).Square().Sum() }
func Backward(l *T) { l.Backward() }
`}, text: `
func main(g *T) {
	l, x := nn.New(), hop.Ones(hop.Float64, 2)
	y := l.Forward(x)
	loss := nn.MSE(y, g)
	x.Zero() // want HOP601
	nn.Backward(loss)
}
func good(g *T) {
	l, x := nn.New(), hop.Ones(hop.Float64, 2)
	y := l.Forward(x)
	y.AddInPlace(g)
	loss := nn.MSE(y, g)
	g.Zero()
	nn.Backward(loss)
	x.Zero()
}`},
	})
}
