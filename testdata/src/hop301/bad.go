// Package hop301 holds bodies that return what they were given or a view of it, and the same programs put right.
package hop301

import (
	"hoplint.test/helper"

	"github.com/hoplint/hoplint/runtime/hop"
)

// Bad lists the programs that break the rule; the runtime refuses each.
var Bad = []func(){carryItself, xAsY, view, field, element, wholeStruct, throughHelper, namedResult, deferredClone, inPlaceResult, crossed, whileLoop, mapped, branch, rightElement, byLiteral, handedOn, ofInterface}

type state struct{ Level, Trend *hop.Tensor }

func newState() state {
	return state{Level: hop.Zeros(hop.Float64, 2), Trend: hop.Ones(hop.Float64, 2)}
}

func zeros() *hop.Tensor { return hop.Zeros(hop.Float64, 2) }

func series() *hop.Tensor { return hop.Ones(hop.Float64, 4, 2) }

func carryItself() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return carry, x.Add(carry) // want `scan: next carry of the combine function shares storage with its carry \(HOP301\)`
	}, zeros(), series())
}

func xAsY() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return carry.Add(x), x // want `y of the combine function shares storage with its x \(HOP301\)`
	}, zeros(), series())
}

func view() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		head := carry.Narrow(0, 0, 1)
		return carry.Add(x), head.T() // want `y of the combine function shares storage with its carry \(HOP301\)`
	}, zeros(), series())
}

func field() {
	hop.Scan(func(carry state, x *hop.Tensor) (state, *hop.Tensor) {
		level := carry.Level.Add(x)
		return state{Level: level, Trend: carry.Trend}, level.Clone() // want `next carry.Trend of the combine function shares storage with its carry.Trend \(HOP301\)`
	}, newState(), series())
}

func element() {
	hop.Scan(func(carry []*hop.Tensor, x *hop.Tensor) ([]*hop.Tensor, *hop.Tensor) {
		return []*hop.Tensor{carry[0].Add(x), carry[1]}, x.Clone() // want `next carry\[.*\] of the combine function shares storage with its carry\[.*\] \(HOP301\)`
	}, []*hop.Tensor{zeros(), zeros()}, series())
}

func wholeStruct() {
	hop.Scan(func(carry state, x *hop.Tensor) (state, *hop.Tensor) {
		carry.Level = carry.Level.Add(x)
		return carry, x.Clone() // want `next carry.Trend of the combine function shares storage with its carry.Trend \(HOP301\)`
	}, newState(), series())
}

func throughHelper() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return carry.Add(x), helper.Window(x) // want `y of the combine function shares storage with its x \(HOP301\)`
	}, zeros(), series())
}

func namedResult() {
	hop.Scan(func(carry, x *hop.Tensor) (next, y *hop.Tensor) {
		next, y = carry.Add(x), x
		return // want `y of the combine function shares storage with its x \(HOP301\)`
	}, zeros(), series())
}

func deferredClone() {
	often := len(Good) < 0
	hop.Scan(func(carry, x *hop.Tensor) (next, y *hop.Tensor) {
		next = carry
		if often {
			defer func() { next = next.Clone() }()
		}
		return next, x.Clone() // want `next carry of the combine function shares storage with its carry \(HOP301\)`
	}, zeros(), series())
}

func inPlaceResult() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		next := carry.Add(x)
		return next, x.View(2) // want `y of the combine function shares storage with its x \(HOP301\)`
	}, zeros(), series())
}

func crossed() {
	hop.Scan(func(carry state, x *hop.Tensor) (state, *hop.Tensor) {
		return state{Level: carry.Trend, Trend: carry.Level}, x.Clone() // want `next carry.Level of the combine function shares storage with its carry.Trend, next carry.Trend of the combine function shares storage with its carry.Level \(HOP301\)`
	}, newState(), series())
}

func whileLoop() {
	hop.WhileLoop(func(s state) *hop.Tensor {
		return s.Level.Sum().Lt(hop.Scalar(9.0))
	}, func(s state) state {
		return state{Level: s.Level.Add(s.Trend), Trend: s.Trend} // want `while_loop: next carry.Trend of the body function shares storage with its carry.Trend \(HOP301\)`
	}, newState())
}

func mapped() {
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		return x.View(-1) // want `map: y of the function shares storage with its x \(HOP301\)`
	}, series())
}

func branch() {
	hop.Cond(zeros().Sum().Lt(hop.Scalar(1.0)), func(s state) *hop.Tensor { return s.Level.Neg() }, func(s state) *hop.Tensor {
		return s.Trend // want `cond: output of the false branch shares storage with its operand.Trend \(HOP301\)`
	}, newState())
}

func rightElement() {
	hop.AssociativeScan(func(a, b state) state {
		return state{Level: a.Level.Add(b.Level), Trend: b.Trend} // want `associative_scan: output.Trend of the combine function shares storage with its right element.Trend \(HOP301\)`
	}, state{Level: series(), Trend: series()})
}

func byLiteral() {
	run := func(f func(*hop.Tensor) *hop.Tensor) *hop.Tensor { return hop.Map(f, series()) }
	twice := func(f func(*hop.Tensor) *hop.Tensor) { _ = run(f).Add(run(f)) }
	twice(func(x *hop.Tensor) *hop.Tensor {
		return x // want `map: y of the function shares storage with its x \(HOP301\)`
	})
}

func apply(run func(f func(*hop.Tensor) *hop.Tensor), f func(*hop.Tensor) *hop.Tensor) { run(f) }

func handedOn() {
	apply(func(f func(*hop.Tensor) *hop.Tensor) { hop.Map(f, series()) }, func(x *hop.Tensor) *hop.Tensor {
		return x // want `map: y of the function shares storage with its x \(HOP301\)`
	})
}

// Stepper is a combine function with parameters of its own.
type Stepper interface {
	Step(carry, x *hop.Tensor) (next, y *hop.Tensor)
}

type lazy struct{}

func (lazy) Step(carry, x *hop.Tensor) (next, y *hop.Tensor) {
	return carry, x.Neg() // want `scan: next carry of the combine function shares storage with its carry \(HOP301\)`
}

func scanWith(s Stepper) { hop.Scan(s.Step, zeros(), series()) }

func ofInterface() { scanWith(lazy{}) }
