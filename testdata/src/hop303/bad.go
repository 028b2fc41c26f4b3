// Package hop303 holds bodies that return a tensor they captured, and the same programs put right.
package hop303

import "github.com/hoplint/hoplint/runtime/hop"

// Bad lists the programs that break the rule; the runtime refuses each.
var Bad = []func(){variable, view, field, constant, receiver, branch, mapped}

func zeros() *hop.Tensor { return hop.Zeros(hop.Float64, 2) }

func series() *hop.Tensor { return hop.Ones(hop.Float64, 4, 2) }

func variable() {
	mean := zeros()
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return mean, x.Clone() // want `scan: next carry of the combine function shares storage with captured mean \(HOP303\)`
	}, zeros(), series())
}

func view() {
	table := series()
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		row := table.Select(0, 1)
		return carry.Add(x), row // want `y of the combine function shares storage with captured table \(HOP303\)`
	}, zeros(), series())
}

type model struct{ Bias *hop.Tensor }

func field() {
	m := model{Bias: zeros()}
	hop.Scan(func(carry model, x *hop.Tensor) (model, *hop.Tensor) {
		return m, x.Add(carry.Bias) // want `next carry.Bias of the combine function shares storage with captured m.Bias \(HOP303\)`
	}, model{Bias: zeros()}, series())
}

var one = hop.Ones(hop.Float64, 2)

func constant() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return carry.Add(x), one // want `y of the combine function shares storage with captured one \(HOP303\)`
	}, zeros(), series())
}

func (m *model) step(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
	return carry.Add(x), m.Bias // want `y of the combine function shares storage with captured m.Bias \(HOP303\)`
}

func receiver() {
	m := &model{Bias: zeros()}
	hop.Scan(m.step, zeros(), series())
}

func branch() {
	w := zeros()
	hop.Switch(hop.Scalar(int64(0)), []func(*hop.Tensor) *hop.Tensor{
		func(t *hop.Tensor) *hop.Tensor {
			return w // want `switch: output of the branch shares storage with captured w \(HOP303\)`
		},
		(*hop.Tensor).Clone,
	}, zeros())
}

func mapped() {
	rows := series()
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		return rows.Select(0, 1) // want `map: y of the function shares storage with captured rows \(HOP303\)`
	}, series())
}
