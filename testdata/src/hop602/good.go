package hop602

import (
	"hoplint.test/helper"

	"github.com/hoplint/hoplint/runtime/hop"
)

// Good lists the programs that keep the rule; the runtime runs each.
var Good = []func(){detached, before, ended, replaced, intermediate, cloned, inHelper, throughStruct, inLoops, frozen}

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

func sgd(t, by *hop.Tensor) { t.Detach().SubInPlace(by) }

func inHelper() {
	w := zeros().SetRequiresGrad(true)
	sgd(w, ones())
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
