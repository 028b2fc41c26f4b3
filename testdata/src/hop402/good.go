package hop402

import "github.com/hoplint/hoplint/runtime/hop"

// Good lists the programs that keep the rule; the runtime runs each.
var Good = []func(){returned, localOnly, fromOutside, stepByStep, innerResult}

func returned() {
	_, history := hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		next := carry.Add(x)
		return next, next.Clone()
	}, zeros(), series())
	_ = history.Select(0, 0).Sum()
}

func localOnly() {
	hop.Scan(func(carry state, x *hop.Tensor) (state, *hop.Tensor) {
		m := &model{weight: x}
		m.keep(carry.H)
		list := []*hop.Tensor{carry.C, x}
		by := map[string]*hop.Tensor{"x": x}
		return state{m.last.Mul(m.weight), list[0].Add(by["x"])}, x.Clone()
	}, state{zeros(), zeros()}, series())
}

func fromOutside() {
	weight := zeros()
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		m := model{weight: weight}
		return x.Mul(m.weight)
	}, series())
}

func stepByStep() {
	var history []*hop.Tensor
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		history = append(history, carry)
		return carry.Add(x), x.Clone()
	}, zeros(), series(), hop.Stepwise())
	_ = history[3].Sum()
}

func innerResult() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		var sums []*hop.Tensor
		for range 2 {
			sum, _ := hop.Scan(func(inner, v *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
				return inner.Add(v), v.Clone()
			}, hop.Zeros(hop.Float64), x)
			sums = append(sums, sum)
		}
		return carry.Add(sums[0]).Add(sums[1]), x.Clone()
	}, zeros(), series())
}
