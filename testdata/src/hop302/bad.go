// Package hop302 holds bodies with two outputs that share storage, and the same programs put right.
package hop302

import "github.com/hoplint/hoplint/runtime/hop"

// Bad lists the programs that break the rule; the runtime refuses each.
var Bad = []func(){twice, withView, fields, structTwice, levels, throughInPlace, inLoop, inMap, inBranch}

type state struct{ Level, Trend *hop.Tensor }

func newState() state {
	return state{Level: hop.Zeros(hop.Float64, 2), Trend: hop.Ones(hop.Float64, 2)}
}

func zeros() *hop.Tensor { return hop.Zeros(hop.Float64, 2) }

func series() *hop.Tensor { return hop.Ones(hop.Float64, 4, 2) }

func twice() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		next := carry.Add(x)
		return next, next // want `scan: next carry and y of the combine function share storage \(HOP302\)`
	}, zeros(), series())
}

func withView() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		next := carry.Add(x)
		return next, next.Narrow(0, 0, 1) // want `next carry and y of the combine function share storage \(HOP302\)`
	}, zeros(), series())
}

func fields() {
	hop.Scan(func(carry state, x *hop.Tensor) (state, *hop.Tensor) {
		level := carry.Level.Add(x)
		return state{Level: level, Trend: level}, x.Clone() // want `next carry.Level and next carry.Trend of the combine function share storage \(HOP302\)`
	}, newState(), series())
}

func structTwice() {
	hop.Scan(func(carry state, x *hop.Tensor) (state, state) {
		next := state{Level: carry.Level.Add(x), Trend: carry.Trend.Add(x)}
		return next, next // want `next carry.Level and y.Level of the combine function share storage, next carry.Trend and y.Trend of the combine function share storage \(HOP302\)`
	}, newState(), series())
}

func levels() {
	hop.Scan(func(carry *hop.Tensor, x *hop.Tensor) (*hop.Tensor, []state) {
		next := carry.Add(x)
		return next, []state{{Level: next, Trend: x.Clone()}} // want `next carry and y\[.*\].Level of the combine function share storage \(HOP302\)`
	}, zeros(), series())
}

func throughInPlace() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		next := carry.Clone()
		y := next.AddInPlace(x)
		return next, y // want `next carry and y of the combine function share storage \(HOP302\)`
	}, zeros(), series())
}

func inLoop() {
	hop.ForLoop(0, 3, func(i *hop.Tensor, s state) state {
		level := s.Level.Add(s.Trend)
		return state{Level: level, Trend: level.View(-1)} // want `for_loop: next carry.Level and next carry.Trend of the body function share storage \(HOP302\); return a copy, e.g. next.Trend.Clone\(\)`
	}, newState())
}

func inMap() {
	hop.Map(func(x *hop.Tensor) []*hop.Tensor {
		y := x.Neg()
		return []*hop.Tensor{y, y} // want `map: y\[0\] and y\[1\] of the function share storage \(HOP302\); return a copy, e.g. y\[1\].Clone\(\)`
	}, series())
}

func inBranch() {
	fresh := func(t *hop.Tensor) state { return state{Level: t.Neg(), Trend: t.Clone()} }
	hop.Cond(zeros().Sum().Lt(hop.Scalar(1.0)), fresh, func(t *hop.Tensor) state {
		level := t.Neg()
		return state{Level: level, Trend: level} // want `cond: output.Level and output.Trend of the false branch share storage \(HOP302\)`
	}, zeros())
}
