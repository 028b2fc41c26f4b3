package analyzer_test

import "testing"

// Bodies may lie in elements of lists, and be methods of them.
func TestBodiesInElements(t *testing.T) {
	checkPrograms(t, []program{
		{name: "methods", text: `
type layer struct{ w *T }
func (l *layer) step(c, x *T) (*T, *T) {
	c.AddInPlace(x) // want HOP101 carry
	return c.Clone(), x.Clone()
}
func (l layer) val(c, x *T) (*T, *T) {
	x.AddInPlace(c) // want HOP102 x
	return c.Clone(), x.Clone()
}
type model struct{ layers []*layer; byName map[string]layer }
func (m *model) run(i int) {
	hop.Scan(m.layers[i].step, zero, zero)
	hop.Scan(m.byName["a"].val, zero, zero)
}`},
		{name: "methods of interfaces", text: `
type stepper interface{ step(c, x *T) (*T, *T) }
type layer struct{ w *T }
func (l *layer) step(c, x *T) (*T, *T) { return c.AddInPlace(x).Clone(), x.Clone() }
type model struct{ layers []stepper }
func newModel() *model { return &model{layers: []stepper{&layer{}}} }
func (m *model) run(i int) {
	hop.Scan(m.layers[i].step, zero, zero) // want HOP101 carry
}
func local(i int) {
	ls := []stepper{&layer{}}
	hop.Scan(ls[i].step, zero, zero) // want HOP101 carry
}`},
		{name: "fields", text: `
type layer struct{ Step func(c, x *T) (*T, *T); W *T }
type model struct { layers []layer; last layer }
func run(ls []layer) { for _, l := range ls { hop.Scan(l.Step, zero, zero) } }
func (m *model) all() { for i := range m.layers { hop.Scan(m.layers[i].Step, zero, zero) } }
func pointers(ls []*layer) { hop.Scan(ls[0].Step, zero, zero) }
func main() {
	run([]layer{{Step: func(c, x *T) (*T, *T) { return c, x.Clone() }}}) // want HOP301 next carry=carry
	run([]layer{{Step: func(c, x *T) (*T, *T) { return c.Neg(), x.Clone() }}})
	(&model{layers: []layer{{Step: func(c, x *T) (*T, *T) { return c, x.Neg() }}}}).all() // want HOP301 next carry=carry
	pointers([]*layer{{Step: func(c, x *T) (*T, *T) { return c, x.Exp() }}}) // want HOP301 next carry=carry
}`},
	})
}
