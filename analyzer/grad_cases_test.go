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
	}
}
