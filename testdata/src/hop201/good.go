package hop201

import (
	"hoplint.test/helper"

	"github.com/hoplint/hoplint/runtime/hop"
)

// Good lists the programs that keep the rule; the runtime runs each.
var Good = []func(){
	sameType, backAndForth, keptDims, unknownStep, loopVariable, oneElement, singleBranch, otherAxis, swapped, rebuilt, appendKept,
	helperOfOtherPackage, replacedVariable, mapInField, guarded,
}

func sameType() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return carry.Add(x).To(hop.Float64).Clone(), x.Clone()
	}, hop.Zeros(hop.Float64, 2), hop.Ones(hop.Float64, 4, 2))
}

func backAndForth() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return carry.Unsqueeze(0).MatMul(hop.Eye(hop.Float64, 2)).Squeeze(0).Add(x), x.Gt(carry)
	}, zeros(), series())
}

func keptDims() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return carry.SumKeepDims(0).Add(x), x.Clone()
	}, hop.Zeros(hop.Float64, 2), series())
}

func unknownStep() {
	pick := func(t *hop.Tensor) *hop.Tensor { return t.Neg() }
	if !on {
		pick = func(t *hop.Tensor) *hop.Tensor { return t.Sum() }
	}
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return pick(carry), x.Clone()
	}, zeros(), series())
}

func loopVariable() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		next := carry
		for range 2 {
			next = next.Add(x).Unsqueeze(0).Squeeze(0).Clone()
		}
		return next, x.Clone()
	}, zeros(), series())
}

func oneElement() {
	x := zeros()
	hop.Cond(x.Sum().GtScalar(1).Reshape(1, 1), same, same, x)
	hop.Switch(hop.Ones(hop.Int32, 1), []func(*hop.Tensor) *hop.Tensor{same, same}, x)
}

func singleBranch() {
	hop.Switch(hop.Scalar(1.5), []func(*hop.Tensor) *hop.Tensor{same}, zeros())
}

func otherAxis() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return x.Add(carry), x.Clone()
	}, hop.Zeros(hop.Float64, 4), series(), hop.Axis(1))
}

func swapped() {
	hop.Scan(func(carry state, x *hop.Tensor) (state, *hop.Tensor) {
		carry.Level, carry.Trend = carry.Trend.Add(x), carry.Level.Neg()
		return carry, x.Clone()
	}, state{zeros(), zeros()}, series())
}

func rebuilt() {
	hop.Scan(func(carry map[string]*hop.Tensor, x *hop.Tensor) (map[string]*hop.Tensor, *hop.Tensor) {
		next := map[string]*hop.Tensor{}
		for k, v := range carry {
			next[k] = v.Add(x)
		}
		return next, x.Clone()
	}, map[string]*hop.Tensor{"a": zeros(), "b": zeros()}, series())
}

func appendKept() {
	hop.Scan(func(carry []*hop.Tensor, x *hop.Tensor) ([]*hop.Tensor, *hop.Tensor) {
		var next []*hop.Tensor
		for _, t := range carry {
			next = append(next, t.Add(x))
		}
		return next, x.Clone()
	}, []*hop.Tensor{zeros(), zeros()}, series())
}

func helperOfOtherPackage() {
	hop.Scan(func(carry helper.Moments, x *hop.Tensor) (helper.Moments, *hop.Tensor) {
		return helper.Moments{Mean: carry.Mean.Add(x), Spread: helper.Row(carry.Spread).Squeeze(0).Clone()}, x.Clone()
	}, helper.NewMoments(2), series())
}

// template is replaced before it is used.
var template = hop.Zeros(hop.Float64)

func replacedVariable() {
	template = zeros()
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) { return carry.Add(x), x.Clone() }, template, series())
}

type tables struct{ M map[string]*hop.Tensor }

func mapInField() {
	hop.Scan(func(carry tables, x *hop.Tensor) (tables, *hop.Tensor) {
		next := tables{M: map[string]*hop.Tensor{}}
		for k, t := range carry.M {
			next.M[k] = t.Add(x)
		}
		return next, x.Clone()
	}, tables{map[string]*hop.Tensor{"a": zeros()}}, series())
}

func guarded() {
	hop.Scan(func(carry []*hop.Tensor, x *hop.Tensor) ([]*hop.Tensor, *hop.Tensor) {
		if len(carry) == 0 {
			return nil, x.Clone()
		}
		return hop.Clone(carry), x.Clone()
	}, []*hop.Tensor{zeros()}, series())
}
