package hop301

import (
	"maps"
	"slices"

	"hoplint.test/helper"

	"github.com/hoplint/hoplint/runtime/hop"
)

// Good lists the programs that keep the rule; the runtime runs each.
var Good = []func(){copied, copiedStruct, freshFields, copiedView, sumOfView, loops, replaced, replacedOnEachBranch, replacedByTheOriginal}

func copied() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return carry.Clone(), x.Clone()
	}, zeros(), series())
}

func copiedStruct() {
	hop.Scan(func(carry state, x *hop.Tensor) (state, *hop.Tensor) {
		carry.Level = carry.Level.Add(x)
		return hop.Clone(carry), x.Clone()
	}, newState(), series())
}

func freshFields() {
	hop.Scan(func(carry state, x *hop.Tensor) (state, *hop.Tensor) {
		return state{Level: carry.Trend.Clone(), Trend: carry.Level.Add(x)}, x.Neg()
	}, newState(), series())
}

func copiedView() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return carry.Add(x), helper.Window(x).Clone()
	}, zeros(), series())
}

func sumOfView() {
	hop.Scan(func(carry, x *hop.Tensor) (next, y *hop.Tensor) {
		next, y = carry, x
		defer func() { next, y = next.Add(x), y.Neg() }()
		return
	}, zeros(), series())
}

func loops() {
	hop.WhileLoop(func(carry *hop.Tensor) *hop.Tensor {
		return carry.Sum().Lt(hop.Scalar(9.0))
	}, func(carry *hop.Tensor) *hop.Tensor { return carry.AddScalar(1) }, zeros())
	hop.ForLoop(0, 2, func(i, carry *hop.Tensor) *hop.Tensor { return carry.View(2).Clone() }, zeros())
	hop.Map((*hop.Tensor).Clone, series())
}

func replaced() {
	hop.Scan(func(carry [2]*hop.Tensor, x *hop.Tensor) ([2]*hop.Tensor, *hop.Tensor) {
		for i := range carry {
			carry[i] = carry[i].Add(x)
		}
		return carry, x.Neg()
	}, [2]*hop.Tensor{zeros(), zeros()}, series())
	hop.Scan(func(carry []*hop.Tensor, x *hop.Tensor) ([]*hop.Tensor, *hop.Tensor) {
		next := slices.Clone(carry)
		for i := range next {
			next[i] = next[i].Add(x)
		}
		return next, x.Neg()
	}, []*hop.Tensor{zeros(), zeros()}, series())
	hop.Scan(func(carry map[string]*hop.Tensor, x *hop.Tensor) (map[string]*hop.Tensor, *hop.Tensor) {
		next := maps.Clone(carry)
		for k := range next {
			next[k] = next[k].Add(x)
		}
		return next, x.Neg()
	}, map[string]*hop.Tensor{"a": zeros(), "b": zeros()}, series())
}

func replacedOnEachBranch() {
	hop.Scan(func(carry []*hop.Tensor, x *hop.Tensor) ([]*hop.Tensor, *hop.Tensor) {
		next := slices.Clone(carry)
		for i := len(next) - 1; i >= 0; i-- {
			if i == 0 {
				next[i] = next[i].Add(x)
				continue
			}
			next[i] = next[i].Neg()
		}
		return next, x.Neg()
	}, []*hop.Tensor{zeros(), zeros()}, series())
}

func replacedByTheOriginal() {
	hop.Scan(func(carry []*hop.Tensor, x *hop.Tensor) ([]*hop.Tensor, *hop.Tensor) {
		next := slices.Clone(carry)
		for i := range carry {
			next[i] = carry[i].Add(x)
		}
		return next, x.Neg()
	}, []*hop.Tensor{zeros(), zeros()}, series())
}
