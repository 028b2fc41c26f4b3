package hop602

import (
	"hoplint.test/helper"

	"github.com/hoplint/hoplint/runtime/hop"
)

// Good lists the programs that keep the rule; the runtime runs each.
var Good = []func(){detached, before, ended, replaced, intermediate, cloned, inHelper, throughStruct, inLoops, frozen, optimised}

func detached() {
	w := zeros().SetRequiresGrad(true)
	w.Mul(ones()).Sum().Backward()
	w.Detach().SubInPlace(w.Grad())
	w.Detach().Narrow(0, 0, 1).Zero()
}

func before() {
	w := zeros()
	w.AddInPlace(ones())
	w.SetRequiresGrad(true)
}

func ended() {
	w := zeros().SetRequiresGrad(true)
	w.SetRequiresGrad(false)
	w.AddInPlace(ones())
}

func replaced() {
	w := zeros().SetRequiresGrad(true)
	w = w.Detach().Sub(ones())
	w.AddInPlace(ones())
}

func intermediate() {
	w := zeros().SetRequiresGrad(true)
	h := w.MulScalar(2)
	h.SetRequiresGrad(true)
	h.AddInPlace(ones())
	h.Sum().Backward()
}

func cloned() {
	w := zeros().SetRequiresGrad(true)
	c := w.Clone()
	c.AddInPlace(ones())
}

func descend(t, by *hop.Tensor) { t.Detach().SubInPlace(by) }

func inHelper() {
	w := zeros().SetRequiresGrad(true)
	descend(w, ones())
}

func throughStruct() {
	m := newModel()
	m.weight.Square().Sum().Backward()
	helper.Descend(m.weight, m.weight.Grad())
	m.bias.SubInPlace(ones())
	m.weight = m.weight.Detach().Clone()
	m.step(ones())
}

func inLoops() {
	params := []*hop.Tensor{zeros().SetRequiresGrad(true), ones().SetRequiresGrad(true)}
	for range 2 {
		for _, p := range params {
			helper.Descend(p, ones())
		}
	}
}

func frozen() {
	m := newModel()
	freeze(m)
	m.step(ones())
}

func freeze(m *model) { m.weight.SetRequiresGrad(false) }

func (o *sgd) detached() {
	for _, p := range o.params {
		p.Detach().SubInPlace(p.Grad().MulScalar(o.rate))
	}
}

func optimised() {
	m := trained()
	opt := &sgd{m.params(), 0.1}
	m.weight.Mul(m.bias).Sum().Backward()
	opt.detached()
	for _, p := range m.params() {
		p.SetRequiresGrad(false)
	}
	m.weight.SubInPlace(ones())
}
