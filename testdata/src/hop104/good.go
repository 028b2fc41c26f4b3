package hop104

import "github.com/hoplint/hoplint/runtime/hop"

// Good lists the programs that keep the rule; the runtime runs each.
var Good = []func(){carried, madeInside, readOnly, rebound}

func carried() {
	type state struct{ Mean, Last *hop.Tensor }
	hop.Scan(func(carry state, x *hop.Tensor) (state, *hop.Tensor) {
		mean := carry.Mean.Add(x)
		return state{Mean: mean, Last: carry.Last.Add(mean)}, x.Clone()
	}, state{zeros(), zeros()}, series())
}

func madeInside() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		buf := hop.Zeros(hop.Float64, 2)
		buf.Narrow(0, 0, 1).CopyFrom(x.Narrow(0, 0, 1))
		return buf.Add(carry), buf.Clone()
	}, zeros(), series())
}

func readOnly() {
	weight := hop.Ones(hop.Float64, 2)
	head := weight.Narrow(0, 0, 1)
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return carry.Mul(weight).Add(head), x.Mul(weight)
	}, zeros(), series())
}

func rebound() {
	bias := zeros()
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		bias := bias.Add(x)
		bias.MulScalarInPlace(0.5)
		return carry.Add(bias), bias
	}, zeros(), series())
}
