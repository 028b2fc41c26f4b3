package hop602

import "github.com/hoplint/hoplint/runtime/hop"

// Good lists the programs that keep the rule; the runtime runs each.
var Good = []func(){detached, before, ended, replaced, intermediate, cloned, inHelper}

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
