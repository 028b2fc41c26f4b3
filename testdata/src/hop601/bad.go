// Package hop601 holds writes to tensors that were saved for backward, and the same programs put right.
package hop601

import (
	"hoplint.test/helper"

	"github.com/hoplint/hoplint/runtime/hop"
)

// Bad lists the programs that break the rule; the runtime refuses each when it needs what was saved.
var Bad = []func(){operand, result, throughView, throughDetach, intermediate, leaf, matrix, inLoop,
	throughHelper, inStruct, inSlice, inLiteral, savedInHelper, backwardInHelper, inClosures}

func ones() *hop.Tensor { return hop.Ones(hop.Float64, 2) }

func weight() *hop.Tensor { return hop.Ones(hop.Float64, 2).MulScalar(0.5) }

func operand() {
	w, x := weight().SetRequiresGrad(true), ones()
	loss := w.Mul(x).Sum()
	x.AddScalarInPlace(1) // want `x, saved for backward by Mul at line 20, is written through AddScalarInPlace before Backward at line 22 \(HOP601\); write to a clone, or run Backward first`
	loss.Backward()
}

func result() {
	w := weight().SetRequiresGrad(true)
	y := w.Exp()
	y.AddScalarInPlace(1) // want `the result of Exp, saved for backward by Exp at line 27, is written through AddScalarInPlace before Backward at line 29 \(HOP601\)`
	y.Sum().Backward()
}

func throughView() {
	w, x := weight().SetRequiresGrad(true), ones()
	loss := x.Mul(w).Sum()
	x.Narrow(0, 0, 1).Zero() // want `x, saved for backward by Mul .* is written through Zero .* \(HOP601\)`
	loss.Backward()
}

func throughDetach() {
	w := weight().SetRequiresGrad(true)
	loss := w.Square().Sum()
	w.Detach().SubInPlace(ones()) // want `w, saved for backward by Square .* is written through SubInPlace .* \(HOP601\)`
	loss.Backward()
}

func intermediate() {
	w := weight().SetRequiresGrad(true)
	h := w.MulScalar(2)
	loss := h.Sin().Mean()
	h.AddInPlace(ones()) // want `h, saved for backward by Sin .* is written through AddInPlace .* \(HOP601\)`
	loss.Backward()
}

func leaf() {
	w, x := weight().SetRequiresGrad(true), ones()
	loss := w.Div(x).Sum().Neg()
	x.Fill(2) // want `x, saved for backward by Div .* is written through Fill .* \(HOP601\)`
	loss.Backward()
}

func matrix() {
	w, x := hop.Eye(hop.Float64, 2).SetRequiresGrad(true), hop.Eye(hop.Float64, 2)
	loss := w.MatMul(x).Sum()
	x.Zero() // want `x, saved for backward by MatMul .* is written through Zero .* \(HOP601\)`
	loss.Backward()
}

func inLoop() {
	w, x := weight().SetRequiresGrad(true), ones()
	for range 3 {
		loss := w.Mul(x).Sum()
		x.AddScalarInPlace(1) // want `x, saved for backward by Mul .* is written through AddScalarInPlace .* \(HOP601\)`
		loss.Backward()
	}
}

func throughHelper() {
	w, x := weight().SetRequiresGrad(true), ones()
	loss := w.Mul(x).Sum()
	helper.Scale(x, 2) // want `x, saved for backward by Mul .* is written through MulScalarInPlace .* \(HOP601\)`
	loss.Backward()
}

type batch struct{ inputs, targets *hop.Tensor }

func (b *batch) shift() { b.inputs.AddScalarInPlace(1) }

func inStruct() {
	w, b := weight().SetRequiresGrad(true), &batch{inputs: ones(), targets: ones()}
	loss := w.Mul(b.inputs).Sub(b.targets).Sum()
	b.shift() // want `b.inputs, saved for backward by Mul .* is written through AddScalarInPlace .* \(HOP601\)`
	loss.Backward()
}

func inSlice() {
	w, list := weight().SetRequiresGrad(true), []*hop.Tensor{ones(), ones()}
	loss := w.Mul(list[0]).Sum()
	list[1].Zero()
	list[0].Zero() // want `list\[0\], saved for backward by Mul .* is written through Zero .* \(HOP601\)`
	loss.Backward()
}

func inLiteral() {
	w, x := weight().SetRequiresGrad(true), ones()
	next := func() { x.AddScalarInPlace(1) }
	loss := w.Mul(x).Sum()
	next() // want `x, saved for backward by Mul .* is written through AddScalarInPlace .* \(HOP601\)`
	loss.Backward()
}

func loss(w, x *hop.Tensor) *hop.Tensor { return w.Mul(x).Sum() }

func finish(loss *hop.Tensor) { loss.MulScalar(2).Backward() }

func savedInHelper() {
	w, x := weight().SetRequiresGrad(true), ones()
	l := loss(w, x)
	x.AddScalarInPlace(1) // want `x, saved for backward by Mul .* is written through AddScalarInPlace .* \(HOP601\)`
	l.Backward()
}

func backwardInHelper() {
	w, x := weight().SetRequiresGrad(true), ones()
	l := w.Mul(x).Sum()
	x.AddScalarInPlace(1) // want `x, saved for backward by Mul .* is written through AddScalarInPlace .* \(HOP601\)`
	finish(l)
}

func inClosures() {
	w, x := weight().SetRequiresGrad(true), ones()
	forward := func() *hop.Tensor { return loss(w, x) }
	l := forward()
	x.AddScalarInPlace(1) // want `saved for backward by Mul .* is written through AddScalarInPlace .* \(HOP601\)`
	func() { finish(l) }()
}
