package hop101

import (
	"hoplint.test/helper"

	"github.com/hoplint/hoplint/runtime/hop"
)

// Good lists the programs that keep the rule; the runtime runs each.
var Good = []func(){functional, intermediate, rebound, otherFields, pureHelper, pureCallback, whileLoop, pushedWithin}

func functional() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		next := carry.Add(x)
		return next, next.Clone()
	}, zeros(), series())
}

func intermediate() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		next := carry.Clone()
		next.AddInPlace(x)
		next.Narrow(0, 0, 1).Zero()
		return next, next.Clone()
	}, zeros(), series())
}

func rebound() {
	hop.Scan(func(carry state, x *hop.Tensor) (state, *hop.Tensor) {
		carry.Level = carry.Level.Clone()
		carry.Level.AddInPlace(x)
		return state{Level: carry.Level, Trend: carry.Trend.Add(x)}, x.Clone()
	}, newState(), series())
}

func otherFields() {
	hop.Scan(func(carry state, x *hop.Tensor) (state, *hop.Tensor) {
		next := state{Level: carry.Level.Add(carry.Trend), Trend: carry.Trend.Clone()}
		next.Level.AddInPlace(x)
		next.Trend.MulScalarInPlace(0.9)
		return next, x.Clone()
	}, newState(), series())
}

func pureHelper() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		next := helper.Scaled(helper.Window(carry), 2).Add(x)
		return next, next.Clone()
	}, zeros(), series())
}

func pureCallback() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		next := carry.Clone()
		helper.Apply(func(t *hop.Tensor) { t.AddInPlace(x) }, next)
		return next, next.Clone()
	}, zeros(), series())
}

func whileLoop() {
	hop.WhileLoop(func(s state) *hop.Tensor {
		return s.Trend.Sum().Lt(hop.Scalar(9.0))
	}, func(s state) state {
		trend := s.Trend.Clone()
		trend.AddScalarInPlace(1)
		return state{Level: s.Level.Add(s.Trend), Trend: trend}
	}, newState())
}

func pushedWithin() {
	hop.Scan(func(carry []*hop.Tensor, x *hop.Tensor) ([]*hop.Tensor, *hop.Tensor) {
		pair := push(carry[:1:1], x.Neg())
		return []*hop.Tensor{pair[0].Add(x), pair[1].Neg()}, x.Clone()
	}, []*hop.Tensor{zeros(), zeros()}, series())
}
