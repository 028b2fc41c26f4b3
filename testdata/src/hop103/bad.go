// Package hop103 holds branches and combine functions that write their operands or elements, and the same programs put
// right.
package hop103

import (
	"hoplint.test/helper"

	"github.com/hoplint/hoplint/runtime/hop"
)

// Bad lists the programs that break the rule; the runtime refuses each.
var Bad = []func(){branch, otherBranch, view, field, branches, left, right, window, helped, index, checkpointed}

type state struct{ Level, Trend *hop.Tensor }

func newState() state {
	return state{Level: hop.Zeros(hop.Float64, 2), Trend: hop.Ones(hop.Float64, 2)}
}

func zeros() *hop.Tensor { return hop.Zeros(hop.Float64, 2) }

func series() *hop.Tensor { return hop.Ones(hop.Float64, 4, 2) }

func positive(t *hop.Tensor) *hop.Tensor { return t.Sum().Gt(hop.Scalar(0.0)) }

func branch() {
	hop.Cond(positive(zeros()), func(level *hop.Tensor) *hop.Tensor {
		level.MulScalarInPlace(0.5) // want `cond: true branch writes its operand through MulScalarInPlace \(HOP103\)`
		return level.Neg()
	}, func(level *hop.Tensor) *hop.Tensor { return level.Clone() }, zeros())
}

func otherBranch() {
	hop.Cond(positive(zeros()), (*hop.Tensor).Clone, func(level *hop.Tensor) *hop.Tensor {
		level.Zero() // want `cond: false branch writes its operand through Zero \(HOP103\)`
		return level.Neg()
	}, zeros())
}

func view() {
	hop.Cond(positive(zeros()), func(level *hop.Tensor) *hop.Tensor {
		head := level.Narrow(0, 0, 1)
		head.Fill(1) // want `true branch writes its operand through Fill \(HOP103\)`
		return level.Neg()
	}, (*hop.Tensor).Clone, zeros())
}

func field() {
	hop.Cond(positive(zeros()), func(s state) *hop.Tensor {
		s.Trend.AddInPlace(s.Level) // want `true branch writes its operand.Trend through AddInPlace \(HOP103\)`
		return s.Trend.Add(s.Level)
	}, func(s state) *hop.Tensor { return s.Level.Clone() }, newState())
}

func branches() {
	hop.Switch(hop.Scalar(int64(1)), []func(*hop.Tensor) *hop.Tensor{
		func(level *hop.Tensor) *hop.Tensor { return level.Neg() },
		func(level *hop.Tensor) *hop.Tensor {
			level.AddScalarInPlace(1) // want `switch: branch writes its operand through AddScalarInPlace \(HOP103\)`
			return level.Neg()
		},
	}, zeros())
}

func left() {
	hop.AssociativeScan(func(a, b *hop.Tensor) *hop.Tensor {
		a.AddInPlace(b) // want `associative_scan: combine function writes its left element through AddInPlace \(HOP103\); write a new tensor instead, e.g. left.Add\(…\)`
		return a.Neg()
	}, series())
}

func right() {
	hop.AssociativeScan(func(a, b state) state {
		b.Level.MulInPlace(a.Trend) // want `writes its right element.Level through MulInPlace \(HOP103\)`
		return state{Level: a.Level.Add(b.Level), Trend: b.Trend.Clone()}
	}, state{Level: series(), Trend: series()})
}

func window() {
	hop.AssociativeScan(func(a, b *hop.Tensor) *hop.Tensor {
		helper.Scale(helper.Window(b), 2) // want `writes its right element through MulScalarInPlace \(HOP103\)`
		return a.Add(b)
	}, series())
}

func helped() {
	hop.Cond(positive(zeros()), func(level *hop.Tensor) *hop.Tensor {
		helper.Scale(level, 2) // want `true branch writes its operand through MulScalarInPlace \(HOP103\)`
		return level.Neg()
	}, (*hop.Tensor).Clone, zeros())
}

func index() {
	hop.ForLoop(0, 3, func(i, carry *hop.Tensor) *hop.Tensor {
		i.Zero() // want `for_loop: body function writes its index operand through Zero \(HOP103\)`
		return carry.Add(i.To(hop.Float64))
	}, hop.Scalar(0.0))
}

func checkpointed() {
	hop.Checkpoint(func(level *hop.Tensor) *hop.Tensor {
		level.TanhInPlace() // want `checkpoint: function writes its operand through TanhInPlace \(HOP103\)`
		return level.Neg()
	})(zeros())
}
