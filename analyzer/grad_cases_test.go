package analyzer_test

import "testing"

// Writes to leaves that require grad.
func TestLeafWrites(t *testing.T) { checkPrograms(t, leafWriteCases()) }

func leafWriteCases() []program {
	return []program{
		{name: "direct, through views, and in a chain", text: `
func main(g *T) {
	w := hop.Zeros(hop.Float64, 2)
	w.AddInPlace(g)
	w.SetRequiresGrad(true)
	w.SubInPlace(g)             // want HOP602 w
	w.Narrow(0, 0, 1).Zero()    // want HOP602 w.Narrow(0, 0, 1)
	v := w.View(2)
	v.Fill(1)                   // want HOP602 v
	u := hop.Ones(hop.Float64, 2).SetRequiresGrad(true)
	u.CopyFrom(g)               // want HOP602 u
	w.Detach().SubInPlace(g)
	d := u.Detach()
	d.Narrow(0, 0, 1).Zero()
	c := u.Clone()
	c.Zero()
	d.SetRequiresGrad(true)
	d.Zero()                    // want HOP602 d
}`},
		{name: "a parameter, and a field", text: `
type model struct{ w, b *T }
func train(w, g *T, m model) {
	w.SetRequiresGrad(true)
	w.SubInPlace(g)   // want HOP602 w
	m.w.SetRequiresGrad(true)
	m.w.SubInPlace(g) // want HOP602 m.w
	m.b.SubInPlace(g)
}
func pointer(m *model, g *T) {
	m.w.SetRequiresGrad(true)
	m.w.SubInPlace(g) // want HOP602 m.w
	n := model{g, g}
	n.b.SetRequiresGrad(true)
	n.b.Zero()        // want HOP602 n.b
}
func replaced(m *model, g *T) {
	m.w.SetRequiresGrad(true)
	m.w = m.w.Sub(g)
	m.w.SubInPlace(g)
}
func lent(m *model, g *T) {
	m.w.SetRequiresGrad(true)
	replaced(m, g)
	m.w.SubInPlace(g)
}`},
		{name: "on all ways", text: `
func some(b bool, w, g *T) {
	if b {
		w.SetRequiresGrad(true)
	}
	w.SubInPlace(g)
}
func both(b bool, w, g *T) {
	if b {
		w.SetRequiresGrad(true)
	} else {
		w.SetRequiresGrad(true)
	}
	w.SubInPlace(g) // want HOP602 w
}
func ended(w, g *T) {
	w.SetRequiresGrad(true)
	w.SetRequiresGrad(false)
	w.SubInPlace(g)
}
func unknown(on bool, w, g *T) {
	w.SetRequiresGrad(on)
	w.SubInPlace(g)
}
func loop(w, g *T) {
	w.SetRequiresGrad(true)
	for range 3 {
		w.SubInPlace(g) // want HOP602 w
	}
}
func later(w, g *T) {
	for i := range 3 {
		w.SubInPlace(g)
		if i == 2 {
			w.SetRequiresGrad(true)
		}
	}
}
func fresh(g *T) {
	for range 3 {
		w := hop.Zeros(hop.Float64, 2)
		w.SubInPlace(g)
		w.SetRequiresGrad(true)
	}
}`},
		{name: "variables", text: `
func assigned(w, g *T) {
	w.SetRequiresGrad(true)
	w = w.Sub(g)
	w.SubInPlace(g)
}
func captured(g *T) {
	w := hop.Zeros(hop.Float64, 2)
	w.SetRequiresGrad(true)
	loss := func() *T { return w.Mul(g).Sum() }
	loss().Backward()
	w.SubInPlace(w.Grad()) // want HOP602 w
}
func recaptured(g *T) {
	w := hop.Zeros(hop.Float64, 2)
	w.SetRequiresGrad(true)
	next := func() { w = w.Sub(g) }
	next()
	w.SubInPlace(g)
}
func closedOff(g *T) {
	w := hop.Zeros(hop.Float64, 2)
	w.SetRequiresGrad(true)
	off := func() { w.SetRequiresGrad(false) }
	off()
	w.SubInPlace(g)
}
func chosen(b bool, w, v, g *T) {
	w.SetRequiresGrad(true)
	t := v
	if b {
		t = w
	}
	t.SubInPlace(g)
}`},
		{name: "no leaf: the result of a recorded op", text: `
func main(x, g *T) {
	h := x.Mul(g)
	h.SetRequiresGrad(true)
	h.AddInPlace(g)
	plain := hop.Ones(hop.Float64, 2).MulScalar(0.5)
	plain.SetRequiresGrad(true)
	plain.AddInPlace(g) // want HOP602 plain
	w := hop.Ones(hop.Float64, 2).SetRequiresGrad(true)
	y := w.MulScalar(2)
	y.SetRequiresGrad(true)
	y.AddInPlace(g)
	last, _ := hop.Scan(func(c, v *T) (*T, *T) { return c.Add(v), v.Clone() }, x, g)
	last.SetRequiresGrad(true)
	last.AddInPlace(g)
}`},
		{name: "helpers", text: `
func weights() *T { return hop.Ones(hop.Float64, 2).MulScalar(0.1) }
func forward(x *T) *T { return x.Mul(x) }
func bump(t, g *T) { t.AddInPlace(g) }
func update(t, g *T) { t.Detach().AddInPlace(g) }
func freeze(t *T) { t.SetRequiresGrad(false) }
func main(x, g *T, f func(*T)) {
	w := weights().SetRequiresGrad(true)
	update(w, g)
	bump(w, g)       // want HOP602 w
	freeze(w)
	bump(w, g)
	w.AddInPlace(g)
	v := weights().SetRequiresGrad(true)
	f(v)
	v.AddInPlace(g)
	h := forward(x)
	h.SetRequiresGrad(true)
	h.AddInPlace(g)
}`},
		{name: "helpers of this and other packages, in structs, slices, maps and closures", packages: map[string]string{"opt": `package opt
import "github.com/hoplint/hoplint/runtime/hop"
type Model struct{ W, B *hop.Tensor }
func New() *Model {
	return &Model{W: hop.Ones(hop.Float64, 2).SetRequiresGrad(true), B: hop.Zeros(hop.Float64, 2)}
}
func Weight(n int) *hop.Tensor {
	w := hop.Zeros(hop.Float64, n)
	w.SetRequiresGrad(true)
	return w
}
func Pair() (a, b *hop.Tensor) { return Weight(1), hop.Zeros(hop.Float64, 1) }
func Sgd(t, g *hop.Tensor) { t.Detach().SubInPlace(g) }
func Raw(t, g *hop.Tensor) { t.SubInPlace(g) }
func Nested(t, g *hop.Tensor) { Raw(t, g) }
func (m *Model) Step(g *hop.Tensor) { m.W.SubInPlace(g) }
func (m *Model) Safe(g *hop.Tensor) { Sgd(m.W, g); m.B.SubInPlace(g) }
func (m *Model) Renew(g *hop.Tensor) { m.W = m.W.Sub(g) }
func All(list []*hop.Tensor, g *hop.Tensor) { for _, t := range list { t.SubInPlace(g) } }
func Freeze(m *Model) { m.W.SetRequiresGrad(false) }
func Loss(m *Model) *hop.Tensor { return m.W.Square().Sum() }
`}, text: `
type model struct{ w, b *T }
func (m model) step(g *T) { m.w.SubInPlace(g) }
func stepAll(m *model, g *T) { m.b.SubInPlace(g); m.w.SubInPlace(g) }
func newModel() model { w := hop.Ones(hop.Float64, 2); w.SetRequiresGrad(true); return model{w, hop.Zeros(hop.Float64, 2)} }
func wrapped() *opt.Model { return opt.New() }
func otherPackage(g *T) {
	w := hop.Zeros(hop.Float64, 2).SetRequiresGrad(true)
	opt.Sgd(w, g)
	opt.Raw(w, g)    // want HOP602 w
	opt.Nested(w, g) // want HOP602 w
	opt.Raw(w.Narrow(0, 0, 1), g) // want HOP602 w.Narrow(0, 0, 1)
	opt.Raw(w.Detach(), g)
}
func inStruct(g *T) {
	w := hop.Zeros(hop.Float64, 2).SetRequiresGrad(true)
	m := model{w: w, b: hop.Zeros(hop.Float64, 2)}
	m.w.SubInPlace(g)  // want HOP602 m.w
	m.b.SubInPlace(g)
	m.step(g)          // want HOP602 m.w
	stepAll(&m, g)     // want HOP602 m.w
	o := &opt.Model{W: hop.Zeros(hop.Float64, 2), B: w}
	o.Step(g)
	opt.Loss(o)
	o.B.SubInPlace(g)  // want HOP602 o.B
	w.SetRequiresGrad(false)
	m.step(g)
}
func made(g *T) {
	m := opt.New()
	m.Step(g)            // want HOP602 m.W
	m.Safe(g)
	m.W.SubInPlace(g)    // want HOP602 m.W
	m.B.SubInPlace(g)
	n := newModel()
	n.w.SubInPlace(g)    // want HOP602 n.w
	n.b.SubInPlace(g)
	o := wrapped()
	o.Step(g)            // want HOP602 o.W
	w := opt.Weight(3)
	w.SubInPlace(g)      // want HOP602 w
	a, b := opt.Pair()
	a.SubInPlace(g)      // want HOP602 a
	b.SubInPlace(g)
	opt.Freeze(o)
	o.Step(g)
}
func renewed(g *T) {
	m := opt.New()
	m.Renew(g)
	m.Step(g)
}
func inSlice(g *T) {
	w, b := hop.Zeros(hop.Float64, 2).SetRequiresGrad(true), hop.Zeros(hop.Float64, 2).SetRequiresGrad(true)
	params := []*T{w, b}
	for _, p := range params {
		opt.Sgd(p, g)
		p.SubInPlace(g) // want HOP602 p
	}
	opt.All(params, g)  // want HOP602 params[]
	params[0].Zero()    // want HOP602 params[0]
	mixed := []*T{w, g}
	opt.All(mixed, g)
	mixed[0].Zero()     // want HOP602 mixed[0]
	mixed[1].Zero()
	byName := map[string]*T{"w": w, "g": g}
	byName["w"].Zero()  // want HOP602 byName["w"]
	byName["g"].Zero()
	replaced := []*T{w, b}
	replaced[0] = g
	replaced[0].Zero()
	grown := append([]*T{w}, g)
	grown[0].Zero()
}
func inClosure(g *T) {
	w := hop.Zeros(hop.Float64, 2).SetRequiresGrad(true)
	v := hop.Zeros(hop.Float64, 2)
	update := func() { w.SubInPlace(g) }
	update()            // want HOP602 w
	other := func() { v.SubInPlace(g) }
	other()
	careful := func() { w.Detach().SubInPlace(g) }
	careful()
}
func lent(f func(*opt.Model), g *T) {
	m := opt.New()
	f(m)
	m.Step(g)
}
func chosen(b bool, g *T) {
	w, v := opt.Weight(1), opt.Weight(2)
	t := v
	if b {
		t = w
	}
	t.SubInPlace(g) // want HOP602 t
}
func eachRound(n int, g *T) {
	for range n {
		m := opt.New()
		m.B.SubInPlace(g)
		opt.Sgd(m.W, g)
	}
}`},
	}
}

// Tensors that were saved for backward and written before.
func TestStaleSaves(t *testing.T) { checkPrograms(t, staleSaveCases()) }

func staleSaveCases() []program {
	return []program{
		{name: "an operand, a result, and views of them", text: `
func operand(x *T) {
	w := hop.Ones(hop.Float64, 2).SetRequiresGrad(true)
	y := w.Mul(x)
	x.AddScalarInPlace(1) // want HOP601
	y.Sum().Backward()
}
func result() {
	w := hop.Ones(hop.Float64, 2).SetRequiresGrad(true)
	y := w.Exp()
	y.AddScalarInPlace(1) // want HOP601
	y.Sum().Backward()
}
func view(x *T) {
	w := hop.Ones(hop.Float64, 2).SetRequiresGrad(true)
	loss := w.Mul(x).Sum()
	x.Narrow(0, 0, 1).Zero() // want HOP601
	loss.Backward()
}
func detached(x *T) {
	w := hop.Ones(hop.Float64, 2).SetRequiresGrad(true)
	loss := x.Mul(w).Sum().Neg()
	x.Detach().Zero() // want HOP601
	loss.Backward()
}
func intermediate(x *T) {
	w := hop.Ones(hop.Float64, 2).SetRequiresGrad(true)
	h := w.MulScalar(2)
	loss := h.Square().Sum()
	h.AddInPlace(x) // want HOP601
	loss.Backward()
}
func leaf(x, g *T) {
	w := hop.Ones(hop.Float64, 2).SetRequiresGrad(true)
	loss := w.Square().Sum()
	w.Detach().SubInPlace(g) // want HOP601
	loss.Backward()
}
func inLoop(x, g *T) {
	w := hop.Ones(hop.Float64, 2).SetRequiresGrad(true)
	for range 3 {
		loss := w.Mul(x).Sum()
		x.AddInPlace(g) // want HOP601
		loss.Backward()
	}
}`},
		{name: "what is in order", text: `
func afterwards(x *T) {
	w := hop.Ones(hop.Float64, 2).SetRequiresGrad(true)
	w.Mul(x).Sum().Backward()
	x.AddScalarInPlace(1)
	w.Detach().SubInPlace(w.Grad())
}
func before(x *T) {
	w := hop.Ones(hop.Float64, 2).SetRequiresGrad(true)
	x.AddScalarInPlace(1)
	w.Mul(x).Sum().Backward()
}
func notSaved(x *T) {
	w := hop.Ones(hop.Float64, 2).SetRequiresGrad(true)
	y := w.Add(x)
	x.AddScalarInPlace(1)
	y.AddScalarInPlace(1)
	y.Sum().Backward()
}
func notNeeded(x *T) {
	w := hop.Ones(hop.Float64, 2).SetRequiresGrad(true)
	y := w.Mul(x)
	x.AddScalarInPlace(1)
	w.Add(y.Detach()).Sum().Backward()
}
func notRecorded(x, v *T) {
	w := hop.Ones(hop.Float64, 2).SetRequiresGrad(true)
	y := v.Mul(x)
	x.AddScalarInPlace(1)
	w.Add(y).Sum().Backward()
}
func other(x *T) {
	w := hop.Ones(hop.Float64, 2).SetRequiresGrad(true)
	y := w.Mul(x.Clone())
	x.AddScalarInPlace(1)
	y.Sum().Backward()
}
func sometimes(b bool, x *T) {
	w := hop.Ones(hop.Float64, 2).SetRequiresGrad(true)
	y := w.Mul(x)
	if b {
		x.AddScalarInPlace(1)
	}
	y.Sum().Backward()
}
func rounds(x, g *T) {
	w := hop.Ones(hop.Float64, 2).SetRequiresGrad(true)
	for range 3 {
		loss := w.Mul(x).Sum()
		loss.Backward()
		x.AddInPlace(g)
	}
}`},
		{name: "written by helpers, in fields, slices and closures", packages: map[string]string{"opt": `package opt
import "github.com/hoplint/hoplint/runtime/hop"
type Buffer struct{ X, Y *hop.Tensor }
func (b *Buffer) Shift() { b.X.AddScalarInPlace(1) }
func (b *Buffer) ShiftOther() { b.Y.AddScalarInPlace(1) }
func Shift(t *hop.Tensor) { t.AddScalarInPlace(1) }
func Sgd(t, g *hop.Tensor) { t.Detach().SubInPlace(g) }
func Weight() *hop.Tensor { return hop.Ones(hop.Float64, 2).SetRequiresGrad(true) }
func Copy(t *hop.Tensor) *hop.Tensor { u := t.Clone(); Shift(u); return u }
`}, text: `
func shift(t *T) { t.AddScalarInPlace(1) }
func helper(x *T) {
	w := opt.Weight()
	loss := w.Mul(x).Sum()
	shift(x)          // want HOP601
	loss.Backward()
}
func otherPackage(x *T) {
	w := opt.Weight()
	y := w.Mul(x)
	opt.Shift(y)
	opt.Copy(x)
	opt.Shift(x.Narrow(0, 0, 1)) // want HOP601
	y.Sum().Backward()
}
func outsideTape(g *T) {
	w := opt.Weight()
	loss := w.Square().Sum()
	opt.Sgd(w, g)     // want HOP601
	loss.Backward()
}
func field(x *T) {
	w := opt.Weight()
	b := &opt.Buffer{X: x, Y: x.Clone()}
	loss := w.Mul(b.X).Sum()
	b.ShiftOther()
	b.Shift()         // want HOP601
	loss.Backward()
	b.Shift()
}
func ofStruct() {
	b := opt.Buffer{X: opt.Weight(), Y: hop.Ones(hop.Float64, 2)}
	loss := b.X.Mul(b.Y).Sum()
	b.Y.AddScalarInPlace(1) // want HOP601
	loss.Backward()
}
func element(x *T) {
	w := opt.Weight()
	list := []*T{x, x.Clone()}
	loss := w.Mul(list[0]).Sum()
	list[1].Zero()
	list[0].Zero()    // want HOP601
	loss.Backward()
}
func closure(x *T) {
	w := opt.Weight()
	var loss *T
	loss = w.Mul(x).Sum()
	next := func() { x.AddScalarInPlace(1) }
	next()            // want HOP601
	loss.Backward()
}
func kept(x *T) {
	w := opt.Weight()
	s := struct{ loss *T }{w.Mul(x).Sum()}
	x.Zero()          // want HOP601
	s.loss.Backward()
}`},
	}
}
