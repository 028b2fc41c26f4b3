// Package hop104 holds bodies that write tensors they captured, and the same programs put right.
package hop104

import "github.com/hoplint/hoplint/runtime/hop"

// Bad lists the programs that break the rule; the runtime refuses each.
var Bad = []func(){variable, view, field, receiver, element, innerCapture, buffer, twice, capturedLiteral, mapped, inBranch, inLoop}

func zeros() *hop.Tensor { return hop.Zeros(hop.Float64, 2) }

func series() *hop.Tensor { return hop.Ones(hop.Float64, 4, 2) }

func variable() {
	mean := zeros()
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		mean.AddInPlace(x) // want `scan: combine function writes captured mean through AddInPlace \(HOP104\)`
		return carry.Add(mean), x.Clone()
	}, zeros(), series())
}

func view() {
	mean := zeros()
	head := mean.Narrow(0, 0, 1)
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		head.CopyFrom(x.Narrow(0, 0, 1)) // want `writes captured head through CopyFrom \(HOP104\)`
		return carry.Add(head), x.Clone()
	}, zeros(), series())
}

type model struct{ bias, scale *hop.Tensor }

func field() {
	m := model{bias: zeros(), scale: zeros()}
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		m.bias.AddInPlace(x) // want `writes captured m.bias through AddInPlace \(HOP104\)`
		return carry.Mul(m.bias), x.Clone()
	}, zeros(), series())
}

func (m *model) step(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
	m.scale.MulInPlace(x) // want `writes captured m.scale through MulInPlace \(HOP104\)`
	return carry.Mul(m.scale), x.Clone()
}

func receiver() {
	m := &model{bias: zeros(), scale: zeros()}
	hop.Scan(m.step, zeros(), series())
}

func element() {
	sums := []*hop.Tensor{zeros(), zeros()}
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		for _, s := range sums {
			s.AddInPlace(x) // want `writes captured sums.* through AddInPlace \(HOP104\)`
		}
		return carry.Add(sums[0]).Add(sums[1]), x.Clone()
	}, zeros(), series())
}

func innerCapture() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		sum, _ := hop.Scan(func(inner, v *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
			carry.AddInPlace(v) // want `writes captured carry through AddInPlace \(HOP104\)` `writes its carry through AddInPlace \(HOP101\)`
			return inner.Add(v), v.Clone()
		}, hop.Zeros(hop.Float64), x)
		return carry.Add(sum), x.Clone()
	}, zeros(), series())
}

func buffer() {
	buf := hop.Zeros(hop.Float64, 2)
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		buf.Narrow(0, 0, 1).CopyFrom(x.Narrow(0, 0, 1)) // want `writes captured buf through CopyFrom \(HOP104\)`
		return buf.Add(carry), buf.Clone()
	}, zeros(), series())
}

func twice() {
	mean := zeros()
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		mean.AddInPlace(x)         // want `writes captured mean through AddInPlace \(HOP104\)`
		mean.MulScalarInPlace(0.5) // want `writes captured mean through MulScalarInPlace \(HOP104\)`
		return carry.Add(mean), x.Clone()
	}, zeros(), series())
}

func capturedLiteral() {
	mean := zeros()
	update := func(by *hop.Tensor) { mean.AddInPlace(by) }
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		update(x) // want `writes captured mean through AddInPlace \(HOP104\)`
		return carry.Add(x), x.Clone()
	}, zeros(), series())
}

func mapped() {
	sum := zeros()
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		sum.AddInPlace(x) // want `map: function writes captured sum through AddInPlace \(HOP104\)`
		return sum.Neg()
	}, series())
}

func inBranch() {
	w := zeros()
	hop.Cond(w.Sum().Lt(hop.Scalar(1.0)), func(t *hop.Tensor) *hop.Tensor {
		w.SubInPlace(t) // want `cond: true branch writes captured w through SubInPlace \(HOP104\)`
		return w.Neg()
	}, func(t *hop.Tensor) *hop.Tensor { return t.Clone() }, zeros())
}

func inLoop() {
	w := zeros()
	hop.ForLoop(0, 3, func(i, carry *hop.Tensor) *hop.Tensor {
		w.Narrow(0, 0, 1).CopyFrom(carry.Narrow(0, 0, 1)) // want `for_loop: body function writes captured w through CopyFrom \(HOP104\)`
		return carry.Add(w)
	}, zeros())
}
