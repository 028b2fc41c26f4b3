// Package hop101 holds combine functions that write their carry, and the same programs put right.
package hop101

import (
	"hoplint.test/helper"

	"github.com/hoplint/hoplint/runtime/hop"
)

// Bad lists the programs that break the rule; the runtime refuses each.
var Bad = []func(){
	direct, throughView, throughHelper, otherPackage, structField, sliceElement, mapValue, closure, methodValue,
	twoFields, onOneBranch, deferred, nested, namedFunction, callback, container, pushed, pushedElsewhere,
	leaves, capturedLiteral, wrapper, factory,
	whileBody, condition, forBody,
}

type state struct{ Level, Trend *hop.Tensor }

func newState() state {
	return state{Level: hop.Zeros(hop.Float64, 2), Trend: hop.Ones(hop.Float64, 2)}
}

func zeros() *hop.Tensor { return hop.Zeros(hop.Float64, 2) }

func series() *hop.Tensor { return hop.Ones(hop.Float64, 4, 2) }

func direct() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		carry.AddInPlace(x) // want `scan: combine function writes its carry through AddInPlace \(HOP101\)`
		return carry.Clone(), carry.Clone()
	}, zeros(), series())
}

func throughView() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		head := carry.Narrow(0, 0, 1)
		head.MulScalarInPlace(0.5) // want `writes its carry through MulScalarInPlace \(HOP101\)`
		return carry.Add(x), carry.Sub(x)
	}, zeros(), series())
}

func scale(t *hop.Tensor) { t.MulScalarInPlace(0.5) }

func throughHelper() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		scale(carry) // want `writes its carry through MulScalarInPlace \(HOP101\)`
		return carry.Add(x), carry.Sub(x)
	}, zeros(), series())
}

func otherPackage() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		helper.Scale(helper.Window(carry), 2) // want `writes its carry through MulScalarInPlace \(HOP101\)`
		return carry.Add(x), carry.Sub(x)
	}, zeros(), series())
}

func structField() {
	hop.Scan(func(carry state, x *hop.Tensor) (state, *hop.Tensor) {
		carry.Level.AddInPlace(x) // want `writes its carry.Level through AddInPlace \(HOP101\)`
		return state{Level: carry.Level.Add(x), Trend: carry.Trend.Clone()}, carry.Level.Clone()
	}, newState(), series())
}

func sliceElement() {
	hop.Scan(func(carry []*hop.Tensor, x *hop.Tensor) ([]*hop.Tensor, *hop.Tensor) {
		carry[1].SubInPlace(x) // want `writes its carry\[\] through SubInPlace \(HOP101\)`
		return []*hop.Tensor{carry[0].Add(x), carry[1].Clone()}, x.Clone()
	}, []*hop.Tensor{zeros(), zeros()}, series())
}

func mapValue() {
	hop.Scan(func(carry map[string]*hop.Tensor, x *hop.Tensor) (map[string]*hop.Tensor, *hop.Tensor) {
		carry["sum"].AddInPlace(x) // want `writes its carry\[\] through AddInPlace \(HOP101\)`
		return map[string]*hop.Tensor{"sum": carry["sum"].Clone()}, x.Clone()
	}, map[string]*hop.Tensor{"sum": zeros()}, series())
}

func closure() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		update := func(by *hop.Tensor) { carry.AddInPlace(by) } // want `writes its carry through AddInPlace \(HOP101\)`
		update(x)
		return carry.Clone(), carry.Clone()
	}, zeros(), series())
}

func methodValue() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		update := carry.MulInPlace
		update(x) // want `writes its carry through MulInPlace \(HOP101\)`
		return carry.Clone(), carry.Clone()
	}, zeros(), series())
}

func twoFields() {
	hop.Scan(func(carry state, x *hop.Tensor) (state, *hop.Tensor) {
		for _, t := range []*hop.Tensor{carry.Level, carry.Trend} {
			t.AddInPlace(x) // want `writes its carry.Level, carry.Trend through AddInPlace \(HOP101\)`
		}
		return hop.Clone(carry), x.Clone()
	}, newState(), series())
}

func onOneBranch() {
	decay := len(Good) > 0
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		level := carry
		if !decay {
			level = carry.Clone()
		}
		level.AddInPlace(x) // want `writes its carry through AddInPlace \(HOP101\)`
		return level.Clone(), x.Clone()
	}, zeros(), series())
}

func deferred() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		defer carry.Zero() // want `writes its carry through Zero \(HOP101\)`
		return carry.Add(x), carry.Sub(x)
	}, zeros(), series())
}

func nested() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		sum, _ := hop.Scan(func(inner, v *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
			inner.AddInPlace(v) // want `writes its carry through AddInPlace \(HOP101\)`
			return inner.Clone(), v.Clone()
		}, hop.Zeros(hop.Float64), x)
		return carry.Add(sum), carry.Sub(x)
	}, zeros(), series())
}

func accumulate(carry state, x *hop.Tensor) (state, *hop.Tensor) {
	carry.Trend.CopyFrom(x) // want `writes its carry.Trend through CopyFrom \(HOP101\)`
	return hop.Clone(carry), x.Clone()
}

func namedFunction() {
	hop.Scan(accumulate, newState(), series())
	hop.Scan(helper.Accumulate, zeros(), series()) // want `writes its carry through AddInPlace \(HOP101\)`
}

func callback() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		helper.Apply(func(t *hop.Tensor) {
			t.AddInPlace(x) // want `writes its carry through AddInPlace \(HOP101\)`
		}, carry)
		return carry.Clone(), carry.Clone()
	}, zeros(), series())
}

func container() {
	hop.Scan(func(carry []*hop.Tensor, x *hop.Tensor) ([]*hop.Tensor, *hop.Tensor) {
		carry[0] = carry[0].Add(x) // want `writes its carry\[\] .*\(HOP101\)`
		return []*hop.Tensor{carry[0].Clone()}, x.Clone()
	}, []*hop.Tensor{zeros()}, series())
}

func push(ts []*hop.Tensor, t *hop.Tensor) []*hop.Tensor { return append(ts, t) }

func pushed() {
	hop.Scan(func(carry []*hop.Tensor, x *hop.Tensor) ([]*hop.Tensor, *hop.Tensor) {
		_ = push(carry[:1], x.Neg()) // want `writes its carry\[\] through append \(HOP101\)`
		return []*hop.Tensor{carry[0].Add(x), carry[1].Clone()}, x.Clone()
	}, []*hop.Tensor{zeros(), zeros()}, series())
}

func pushedElsewhere() {
	hop.Scan(func(carry []*hop.Tensor, x *hop.Tensor) ([]*hop.Tensor, *hop.Tensor) {
		list := helper.List{Items: carry[:1]}
		list.Push(x.Neg()) // want `writes its carry\[\] through append \(HOP101\)`
		return []*hop.Tensor{carry[0].Add(x), carry[1].Clone()}, x.Clone()
	}, []*hop.Tensor{zeros(), zeros()}, series())
}

func leaves() {
	hop.Scan(func(carry state, x *hop.Tensor) (state, *hop.Tensor) {
		for _, t := range hop.Leaves(carry) {
			t.MulScalarInPlace(0.5) // want `writes its carry.Level, carry.Trend through MulScalarInPlace \(HOP101\)`
		}
		return hop.Clone(carry), x.Clone()
	}, newState(), series())
}

func capturedLiteral() {
	update := func(t, by *hop.Tensor) { t.AddInPlace(by) }
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		update(carry, x) // want `writes its carry through AddInPlace \(HOP101\)`
		return carry.Clone(), carry.Clone()
	}, zeros(), series())
}

// fold is a HOP too: it hands its parameter to one.
func fold(step func(carry, x *hop.Tensor) *hop.Tensor) *hop.Tensor {
	last, _ := hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return step(carry, x), x.Clone()
	}, zeros(), series())
	return last
}

func wrapper() {
	fold(func(carry, x *hop.Tensor) *hop.Tensor {
		carry.SubInPlace(x) // want `writes its carry through SubInPlace \(HOP101\)`
		return carry.Clone()
	})
}

func decaying(by float64) func(state, *hop.Tensor) (state, *hop.Tensor) {
	return func(carry state, x *hop.Tensor) (state, *hop.Tensor) {
		carry.Level.MulScalarInPlace(by) // want `writes its carry.Level through MulScalarInPlace \(HOP101\)`
		return hop.Clone(carry), x.Clone()
	}
}

func factory() { hop.Scan(decaying(0.5), newState(), series()) }

func whileBody() {
	hop.WhileLoop(func(s state) *hop.Tensor {
		return s.Trend.Sum().Lt(hop.Scalar(9.0))
	}, func(s state) state {
		s.Trend.AddScalarInPlace(1) // want `while_loop: body function writes its carry.Trend through AddScalarInPlace \(HOP101\)`
		return state{Level: s.Level.Add(s.Trend), Trend: s.Trend.AddScalar(1)}
	}, newState())
}

func condition() {
	hop.WhileLoop(func(carry *hop.Tensor) *hop.Tensor {
		carry.AddScalarInPlace(1) // want `while_loop: cond function writes its carry through AddScalarInPlace \(HOP101\)`
		return carry.Sum().Lt(hop.Scalar(9.0))
	}, func(carry *hop.Tensor) *hop.Tensor { return carry.AddScalar(1) }, zeros())
}

func forBody() {
	hop.ForLoop(0, 3, func(i, carry *hop.Tensor) *hop.Tensor {
		carry.Narrow(0, 0, 1).Fill(1) // want `for_loop: body function writes its carry through Fill \(HOP101\)`
		return carry.Add(i.To(hop.Float64))
	}, zeros())
}
