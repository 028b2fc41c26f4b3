package analyzer_test

import "testing"

// A loop over all elements of a list makes leaves of all of them.
func TestLeavesOfLists(t *testing.T) {
	const model = `
type model struct{ W, B, mask *T }
func (m *model) params() []*T { return []*T{m.W, m.B} }
func newModel() *model {
	m := &model{W: hop.Ones(hop.Float64, 2), B: hop.Ones(hop.Float64, 2), mask: hop.Ones(hop.Float64, 2)}
	for _, p := range m.params() {
		p.SetRequiresGrad(true)
	}
	return m
}
`
	in := func(name, text string) program { return program{name: name, text: model + text} }
	checkPrograms(t, []program{
		{name: "literal list", text: `
func main(g *T) {
	w, b := hop.Ones(hop.Float64, 2), hop.Ones(hop.Float64, 2)
	params := []*T{w, b}
	for _, p := range params {
		p.SetRequiresGrad(true)
	}
	for _, p := range params {
		p.SubInPlace(g) // want HOP602 p
	}
	for i := range params {
		params[i].Detach().SubInPlace(g)
	}
	w.Zero() // want HOP602 w
	params[1].Zero() // want HOP602 params[1]
}`},
		{name: "counted loop", text: `
func main(g *T) {
	w, b := hop.Ones(hop.Float64, 2), hop.Ones(hop.Float64, 2)
	params := []*T{w, b}
	for i := 0; i < len(params); i++ {
		params[i].SetRequiresGrad(true)
	}
	b.Zero() // want HOP602 b
}
func from1(g *T) {
	w, b := hop.Ones(hop.Float64, 2), hop.Ones(hop.Float64, 2)
	params := []*T{w, b}
	for i := 1; i < len(params); i++ {
		params[i].SetRequiresGrad(true)
	}
	w.Zero()
}`},
		{name: "not all of them", text: `
func main(g *T, n int) {
	w, b := hop.Ones(hop.Float64, 2), hop.Ones(hop.Float64, 2)
	for i, p := range []*T{w, b} {
		if i > n {
			p.SetRequiresGrad(true)
		}
	}
	w.Zero()
	for _, p := range []*T{w, b} {
		if p.Dim(0) > n {
			break
		}
		p.SetRequiresGrad(true)
	}
	w.Zero()
	for _, p := range []*T{w, b}[1:] {
		p.SetRequiresGrad(true)
	}
	w.Zero()
	for _, p := range []*T{w, b} {
		p.SetRequiresGrad(false)
	}
	w.Zero()
}`},
		{name: "ended again", text: `
func main(g *T) {
	w, b := hop.Ones(hop.Float64, 2), hop.Ones(hop.Float64, 2)
	params := []*T{w, b}
	for _, p := range params {
		p.SetRequiresGrad(true)
	}
	for _, p := range params {
		p.SetRequiresGrad(false)
	}
	w.Zero()
	params[0].Zero()
}`},
		{name: "results of recorded ops", text: `
func main(g *T) {
	w := hop.Ones(hop.Float64, 2).SetRequiresGrad(true)
	h := w.Neg()
	for _, p := range []*T{h} {
		p.SetRequiresGrad(true)
	}
	h.AddInPlace(g)
}`},
		in("parameters of a model", `
func main(g *T) {
	m := newModel()
	m.mask.Zero()
	for _, p := range m.params() {
		p.SubInPlace(g) // want HOP602 p
	}
	m.W.Zero() // want HOP602 m.W
	for _, p := range m.params() {
		p.Detach().SubInPlace(p.Grad())
	}
}
func replaced(g *T) {
	m := newModel()
	m.W = m.W.Neg()
	m.W.Zero()
}`),
		in("optimiser over a list", `
func sgd(ps []*T, g *T) {
	for _, p := range ps {
		p.SubInPlace(g)
	}
}
func detached(ps []*T, g *T) {
	for _, p := range ps {
		p.Detach().SubInPlace(g)
	}
}
func main(g *T) {
	m := newModel()
	detached(m.params(), g)
	sgd([]*T{m.mask}, g)
	sgd(m.params(), g) // want HOP602 m.params()[]
}`),
		in("optimiser that holds the list", `
type sgd struct { params []*T; rate float64 }
func newSGD(params []*T, rate float64) *sgd { return &sgd{params: params, rate: rate} }
func (o *sgd) step() {
	for _, p := range o.params {
		p.SubInPlace(p.Grad().MulScalar(o.rate))
	}
}
func (o *sgd) good() {
	for _, p := range o.params {
		p.Detach().SubInPlace(p.Grad().MulScalar(o.rate))
	}
}
func main(g *T) {
	m := newModel()
	opt := newSGD(m.params(), 0.1)
	m.W.Mul(g).Add(m.B).Sum().Backward()
	opt.good()
	opt.step() // want HOP602 opt.params[]
}
func others(g *T) {
	m := newModel()
	opt := newSGD([]*T{m.mask}, 0.1)
	opt.step()
}
func literal(g *T) {
	m := newModel()
	opt := &sgd{params: m.params()}
	opt.good()
	opt.step() // want HOP602 opt.params[]
}`),
		in("list that was handed in", `
func train(ps []*T, g *T) {
	for _, p := range ps {
		p.SetRequiresGrad(true)
	}
	for _, p := range ps {
		p.SubInPlace(g) // want HOP602 p
	}
}
func changed(ps []*T, g *T) {
	for _, p := range ps {
		p.SetRequiresGrad(true)
	}
	ps[0] = g
	for _, p := range ps {
		p.SubInPlace(g)
	}
}
func once(ps []*T, g *T, i, j int) {
	ps[i].SetRequiresGrad(true)
	ps[j].SubInPlace(g)
}
func (m *model) fit(layers struct{ all []*T }, g *T) {
	for _, p := range layers.all {
		p.SetRequiresGrad(true)
	}
	for _, p := range layers.all {
		p.SubInPlace(g) // want HOP602 p
	}
}`),
		in("helper that makes leaves", `
func track(ps ...*T) {
	for _, p := range ps {
		p.SetRequiresGrad(true)
	}
}
func one(w *T) { w.SetRequiresGrad(true) }
func main(g *T) {
	w, b, c := hop.Ones(hop.Float64, 2), hop.Ones(hop.Float64, 2), hop.Ones(hop.Float64, 2)
	track(w, b)
	w.Zero() // want HOP602 w
	c.Zero()
	one(c)
	c.Zero() // want HOP602 c
}`),
		{name: "of another package", packages: map[string]string{"nn": `package nn
import "github.com/hoplint/hoplint/runtime/hop"
type T = hop.Tensor
type Linear struct{ W, B *T }
func (l *Linear) Params() []*T { return []*T{l.W, l.B} }
func New() *Linear {
	l := &Linear{W: hop.Ones(hop.Float64, 2), B: hop.Ones(hop.Float64, 2)}
	for _, p := range l.Params() {
		p.SetRequiresGrad(true)
	}
	return l
}
type SGD struct { params []*T; Rate float64 }
func NewSGD(params []*T) *SGD { return &SGD{params: params, Rate: 0.1} }
func (o *SGD) Step() {
	for _, p := range o.params {
		p.SubInPlace(p.Grad().MulScalar(o.Rate))
	}
}
func (o *SGD) Good() {
	for _, p := range o.params {
		p.Detach().SubInPlace(p.Grad().MulScalar(o.Rate))
	}
}
func Track(ps ...*T) {
	for _, p := range ps {
		p.SetRequiresGrad(true)
	}
}
`}, text: `
func main(g *T) {
	l := nn.New()
	opt := nn.NewSGD(l.Params())
	l.W.Mul(g).Sum().Backward()
	opt.Good()
	opt.Step() // want HOP602 opt.params[]
	for _, p := range l.Params() {
		p.SubInPlace(g) // want HOP602 p
	}
	w := hop.Ones(hop.Float64, 2)
	nn.Track(w)
	w.Zero() // want HOP602 w
}`},
	})
}

// A range over a map of parameters, as over a list of them.
func TestLeavesInMaps(t *testing.T) {
	const head = `
func leaf() *T { return hop.Zeros(hop.Float64, 2).SetRequiresGrad(true) }
`
	in := func(name, text string) program { return program{name: name, text: head + text} }
	checkPrograms(t, []program{
		in("all of them leaves", `
func main() {
	m := map[string]*T{"w": leaf(), "b": leaf()}
	for _, p := range m {
		p.SubInPlace(p.Grad()) // want HOP602 p
	}
	for _, p := range m {
		p.Detach().SubInPlace(p.Grad())
	}
}`),
		in("by key", `
func main() {
	m := map[string]*T{}
	m["w"] = leaf()
	for k := range m {
		m[k].Zero() // want HOP602 m[k]
	}
}`),
		in("some of them", `
func main() {
	m := map[string]*T{"w": leaf(), "b": hop.Zeros(hop.Float64, 2)}
	for _, p := range m {
		p.Zero()
	}
}`),
		in("replaced, and given", `
func main(given map[string]*T) {
	m := map[string]*T{"w": leaf()}
	m["w"] = hop.Zeros(hop.Float64, 2)
	for _, p := range m {
		p.Zero()
	}
	for _, p := range given {
		p.Zero()
	}
}`),
		in("handed to code that may add others", `
func fill(m map[string]*T) { m["b"] = hop.Zeros(hop.Float64, 2) }
func main() {
	m := map[string]*T{"w": leaf()}
	fill(m)
	for _, p := range m {
		p.Zero()
	}
}`),
	})
}
