// Package hop602 holds in-place writes to leaves that require grad, and the same programs put right.
package hop602

import (
	"hoplint.test/helper"

	"github.com/hoplint/hoplint/runtime/hop"
)

// Bad lists the programs that break the rule; the runtime refuses each.
var Bad = []func(){update, throughView, viewBefore, chained, oneElement, field, inLoop, bothWays, throughHelper, captured, dataSlice, ofDetached,
	otherPackage, inStruct, methodOfStruct, fromConstructor, inSlice, inLiteral,
	madeInLoop, paramsOfModel, optimiser}

func zeros() *hop.Tensor { return hop.Zeros(hop.Float64, 2) }

func ones() *hop.Tensor { return hop.Ones(hop.Float64, 2) }

func update() {
	w := zeros().SetRequiresGrad(true)
	w.Mul(ones()).Sum().Backward()
	w.SubInPlace(w.Grad()) // want `SubInPlace writes w, a leaf that requires grad \(HOP602\); update it outside the tape, e.g. w.Detach\(\).SubInPlace\(…\)`
}

func throughView() {
	w := zeros().SetRequiresGrad(true)
	w.Narrow(0, 0, 1).Zero() // want `Zero writes w.Narrow\(0, 0, 1\), a leaf that requires grad \(HOP602\)`
}

func viewBefore() {
	w := zeros()
	head := w.Narrow(0, 0, 1)
	w.SetRequiresGrad(true)
	head.Fill(1) // want `Fill writes head, a leaf that requires grad \(HOP602\)`
}

func chained() {
	zeros().SetRequiresGrad(true).AddScalarInPlace(1) // want `AddScalarInPlace writes zeros\(\).SetRequiresGrad\(true\), a leaf that requires grad \(HOP602\)`
}

func oneElement() {
	w := zeros().SetRequiresGrad(true)
	w.Set(1, 0) // want `Set writes w, a leaf that requires grad \(HOP602\)`
}

type model struct{ weight, bias *hop.Tensor }

func field() {
	m := &model{weight: zeros(), bias: zeros()}
	m.weight.SetRequiresGrad(true)
	m.bias.AddInPlace(ones())
	m.weight.AddInPlace(ones()) // want `AddInPlace writes m.weight, a leaf that requires grad \(HOP602\)`
}

func inLoop() {
	w := zeros()
	w.SetRequiresGrad(true)
	for range 3 {
		w.MulScalarInPlace(0.5) // want `MulScalarInPlace writes w, a leaf that requires grad \(HOP602\)`
	}
}

func bothWays() {
	w := zeros()
	if w.Dim(0) == 2 {
		w.SetRequiresGrad(true)
	} else {
		w.SetRequiresGrad(true)
	}
	w.NegInPlace() // want `NegInPlace writes w, a leaf that requires grad \(HOP602\)`
}

func step(t, by *hop.Tensor) { t.SubInPlace(by) }

func throughHelper() {
	w := zeros().SetRequiresGrad(true)
	step(w, ones()) // want `SubInPlace writes w, a leaf that requires grad \(HOP602\)`
}

func captured() {
	w := zeros()
	w.SetRequiresGrad(true)
	loss := func() *hop.Tensor { return w.Square().Sum() }
	loss().Backward()
	w.SubInPlace(w.Grad()) // want `SubInPlace writes w, a leaf that requires grad \(HOP602\)`
}

func dataSlice() {
	w := zeros().SetRequiresGrad(true)
	hop.Data[float64](w)[0] = 1 // want `Data writes w, a leaf that requires grad \(HOP602\)`
}

func ofDetached() {
	w := zeros().Detach()
	w.SetRequiresGrad(true)
	w.Zero() // want `Zero writes w, a leaf that requires grad \(HOP602\)`
}

func otherPackage() {
	w := zeros().SetRequiresGrad(true)
	helper.Scale(w, 0.5) // want `MulScalarInPlace writes w, a leaf that requires grad \(HOP602\)`
}

func inStruct() {
	w := zeros().SetRequiresGrad(true)
	m := model{weight: w, bias: zeros()}
	m.bias.AddInPlace(ones())
	m.weight.AddInPlace(ones()) // want `AddInPlace writes m.weight, a leaf that requires grad \(HOP602\)`
}

func (m *model) step(by *hop.Tensor) {
	m.bias.SubInPlace(by)
	m.weight.SubInPlace(by)
}

func methodOfStruct() {
	m := &model{weight: ones().SetRequiresGrad(true), bias: zeros()}
	m.step(ones()) // want `SubInPlace writes m.weight, a leaf that requires grad \(HOP602\)`
}

func newModel() *model { return &model{weight: ones().SetRequiresGrad(true), bias: zeros()} }

func fromConstructor() {
	m := newModel()
	m.step(ones()) // want `SubInPlace writes m.weight, a leaf that requires grad \(HOP602\)`
}

func inSlice() {
	params := []*hop.Tensor{zeros().SetRequiresGrad(true), ones().SetRequiresGrad(true)}
	for _, p := range params {
		p.SubInPlace(ones()) // want `SubInPlace writes p, a leaf that requires grad \(HOP602\)`
	}
}

func inLiteral() {
	w := ones().SetRequiresGrad(true)
	update := func() { w.SubInPlace(ones()) }
	update() // want `SubInPlace writes w, a leaf that requires grad \(HOP602\)`
}

func madeInLoop() {
	w, b := zeros(), ones()
	for _, p := range []*hop.Tensor{w, b} {
		p.SetRequiresGrad(true)
	}
	b.SubInPlace(ones()) // want `SubInPlace writes b, a leaf that requires grad \(HOP602\)`
}

func (m *model) params() []*hop.Tensor { return []*hop.Tensor{m.weight, m.bias} }

func trained() *model {
	m := &model{weight: ones(), bias: zeros()}
	for _, p := range m.params() {
		p.SetRequiresGrad(true)
	}
	return m
}

func paramsOfModel() {
	m := trained()
	for _, p := range m.params() {
		p.SubInPlace(ones()) // want `SubInPlace writes p, a leaf that requires grad \(HOP602\)`
	}
}

type sgd struct {
	params []*hop.Tensor
	rate   float64
}

func (o *sgd) step() {
	for _, p := range o.params {
		p.SubInPlace(p.Grad().MulScalar(o.rate))
	}
}

func optimiser() {
	m := trained()
	opt := &sgd{m.params(), 0.1}
	m.weight.Mul(m.bias).Sum().Backward()
	opt.step() // want `SubInPlace writes opt.params\[\], a leaf that requires grad \(HOP602\)`
}
