package hop103

import (
	"hoplint.test/helper"

	"github.com/hoplint/hoplint/runtime/hop"
)

// Good lists the programs that keep the rule; the runtime runs each.
var Good = []func(){functional, copied, combined, freshFields, scaled, counted, readTwice}

func functional() {
	hop.Cond(positive(zeros()), func(level *hop.Tensor) *hop.Tensor {
		return level.MulScalar(0.5).Neg()
	}, func(level *hop.Tensor) *hop.Tensor { return level.Clone() }, zeros())
}

func copied() {
	hop.Switch(hop.Scalar(int64(1)), []func(*hop.Tensor) *hop.Tensor{
		(*hop.Tensor).Neg,
		func(level *hop.Tensor) *hop.Tensor {
			level = level.Clone()
			level.AddScalarInPlace(1)
			return level
		},
	}, zeros())
}

func combined() {
	hop.AssociativeScan(func(a, b *hop.Tensor) *hop.Tensor { return a.Add(b) }, series())
}

func freshFields() {
	hop.AssociativeScan(func(a, b state) state {
		level := b.Level.Mul(a.Trend)
		level.AddInPlace(a.Level)
		return state{Level: level, Trend: a.Trend.Mul(b.Trend)}
	}, state{Level: series(), Trend: series()})
}

func scaled() {
	hop.Cond(positive(zeros()), func(level *hop.Tensor) *hop.Tensor {
		return helper.Scaled(level, 2)
	}, (*hop.Tensor).Clone, zeros())
}

func counted() {
	hop.ForLoop(0, 3, func(i, carry *hop.Tensor) *hop.Tensor {
		return carry.Add(i.To(hop.Float64))
	}, hop.Scalar(0.0))
}

func readTwice() {
	same := func(s state) *hop.Tensor { return s.Level.Add(s.Trend) }
	hop.Cond(positive(zeros()), same, same, newState())
}
