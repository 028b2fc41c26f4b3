// Package hop201 holds bodies whose results certainly differ from what they must agree with, and the same programs put right.
package hop201

import (
	"hoplint.test/helper"

	"github.com/hoplint/hoplint/runtime/hop"
)

// Bad lists the programs that break the rule; the runtime refuses each.
var Bad = []func(){
	dtype, shape, rank, rankOfAny, comparison, throughHelper, reduced, structField, fieldOfVariable, nilField, missingField, sliceGrew,
	sliceLiteral, arrayElement, mapKey, static, namedFunction, method, captured, onEveryBranch, stacked, matrixProduct, integerSum,
	element, branchShape, branchDType, branchStructure, branchList, branchTransposed, predicateDType, predicateShape, indexDType,
	indexShape, conditionDType, conditionShape, whileBody, forBody, forIndex,
	packageVariable, otherPackage, madeElsewhere, bodyElsewhere, alongAxis, openOptions, throughValue,
}

// on is true, which the analyzer does not know.
var on = len("on") > 0 && zeros().NumElems() > 0

type state struct{ Level, Trend *hop.Tensor }

func zeros() *hop.Tensor { return hop.Zeros(hop.Float64, 2) }

func series() *hop.Tensor { return hop.Ones(hop.Float64, 4, 2) }

func dtype() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return carry.Add(x).To(hop.Float32), x.Clone() // want `scan: next carry is float32\[2\], carry is float64\[2\] \(HOP201\); give both one dtype, e.g. with To\(hop.Float64\)`
	}, hop.Zeros(hop.Float64, 2), hop.Ones(hop.Float64, 4, 2))
}

func shape() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return carry.Narrow(0, 0, 1).Clone(), x.Clone() // want `scan: next carry is float64\[1\], carry is float64\[2\] \(HOP201\); give both one shape, e.g. with Expand\(2\)`
	}, zeros(), series())
}

func rank() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		next := carry.Unsqueeze(0).Add(x)
		return next, x.Clone() // want `scan: next carry is float64\[1 2\], carry is float64\[2\] \(HOP201\)`
	}, zeros(), series())
}

// inits are carries of which the analyzer knows nothing.
var inits = []*hop.Tensor{zeros()}

func rankOfAny() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return carry.Neg().Unsqueeze(-1).Clone(), x.Clone() // want `scan: next carry is of rank r\+1, carry is of rank r \(HOP201\); give both one rank`
	}, inits[0], series())
}

func comparison() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return carry.Gt(x), x.Clone() // want `scan: next carry is bool\[2\], carry is float64\[2\] \(HOP201\)`
	}, zeros(), series())
}

func halved(t *hop.Tensor) *hop.Tensor { return t.MulScalar(0.5).To(hop.Float32) }

func throughHelper() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return halved(carry), helper.Scaled(x, 2) // want `scan: next carry is float32\[2\], carry is float64\[2\] \(HOP201\)`
	}, zeros(), series())
}

func reduced() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return carry.Mul(x).Sum(), x.Clone() // want `scan: next carry is float64\[\], carry is float64\[2\] \(HOP201\)`
	}, zeros(), series())
}

func structField() {
	hop.Scan(func(carry state, x *hop.Tensor) (state, *hop.Tensor) {
		return state{Level: carry.Level.Add(x), Trend: carry.Trend.Mean()}, x.Clone() // want `scan: next carry.Trend is float64\[\], carry.Trend is float64\[2\] \(HOP201\)`
	}, state{zeros(), zeros()}, series())
}

func fieldOfVariable() {
	hop.Scan(func(carry state, x *hop.Tensor) (state, *hop.Tensor) {
		next := hop.Clone(carry)
		next.Level = carry.Level.Add(x)
		next.Trend = next.Level.To(hop.Float32).Clone()
		return next, x.Clone() // want `scan: next carry.Trend is float32\[2\], carry.Trend is float64\[2\] \(HOP201\)`
	}, state{zeros(), zeros()}, series())
}

func nilField() {
	hop.Scan(func(carry state, x *hop.Tensor) (state, *hop.Tensor) {
		return state{Level: carry.Level.Add(x)}, x.Clone() // want `scan: next carry.Trend is nil, carry.Trend is a tensor \(HOP201\); put a tensor where the other has one`
	}, state{zeros(), zeros()}, series())
}

func missingField() {
	hop.Scan(func(carry state, x *hop.Tensor) (state, *hop.Tensor) {
		carry.Trend = x.Neg()
		carry.Level = carry.Level.Add(x)
		return carry, x.Clone() // want `scan: next carry.Trend is a tensor, carry.Trend is nil \(HOP201\)`
	}, state{Level: zeros()}, series())
}

func sliceGrew() {
	hop.Scan(func(carry []*hop.Tensor, x *hop.Tensor) ([]*hop.Tensor, *hop.Tensor) {
		return append([]*hop.Tensor{carry[0].Add(x)}, x.Neg()), x.Clone() // want `scan: next carry is a slice of length 2, carry is a slice of length 1 \(HOP201\); keep the length, and return what grows from step to step as y`
	}, []*hop.Tensor{zeros()}, series())
}

func sliceLiteral() {
	hop.Scan(func(carry []*hop.Tensor, x *hop.Tensor) ([]*hop.Tensor, *hop.Tensor) {
		return []*hop.Tensor{carry[0].Add(x), carry[1].Lt(x)}, x.Clone() // want `scan: next carry\[1\] is bool\[2\], carry\[1\] is float64\[2\] \(HOP201\)`
	}, []*hop.Tensor{zeros(), zeros()}, series())
}

func arrayElement() {
	hop.Scan(func(carry [2]*hop.Tensor, x *hop.Tensor) ([2]*hop.Tensor, *hop.Tensor) {
		var next [2]*hop.Tensor
		next[0] = carry[1].Add(x)
		next[1] = carry[0].Reshape(1, 2).Clone()
		return next, x.Clone() // want `scan: next carry\[1\] is float64\[1 2\], carry\[1\] is float64\[2\] \(HOP201\)`
	}, [2]*hop.Tensor{zeros(), zeros()}, series())
}

func mapKey() {
	hop.Scan(func(carry map[string]*hop.Tensor, x *hop.Tensor) (map[string]*hop.Tensor, *hop.Tensor) {
		return map[string]*hop.Tensor{"sum": carry["sum"].Add(x), "count": x.Neg()}, x.Clone() // want `scan: next carry\["count"\] is a tensor, carry\["count"\] is missing \(HOP201\); give both the same keys`
	}, map[string]*hop.Tensor{"sum": zeros()}, series())
}

type counted struct {
	Sum *hop.Tensor
	N   int `hop:"static"`
}

func static() {
	hop.Scan(func(carry counted, x *hop.Tensor) (counted, *hop.Tensor) {
		return counted{carry.Sum.Add(x), carry.N + 1}, x.Clone() // want `scan: next carry.N is 1, carry.N is 0 \(HOP201\); make it a tensor`
	}, counted{Sum: zeros()}, series())
}

func step(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
	return carry.Unsqueeze(1).Add(x), x.Clone() // want `scan: next carry is float64\[2 2\], carry is float64\[2\] \(HOP201\)`
}

func namedFunction() { hop.Scan(step, zeros(), series()) }

type cell struct{ w *hop.Tensor }

func (c *cell) step(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
	return carry.To(hop.Float32).Clone(), x.Mul(c.w) // want `scan: next carry is float32\[2\], carry is float64\[2\] \(HOP201\)`
}

func method() {
	c := &cell{zeros()}
	hop.Scan(c.step, zeros(), series())
}

func captured() {
	init := hop.Scalar(1.0)
	weight := hop.Ones(hop.Float64, 3)
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return carry.Mul(weight), x.Clone() // want `scan: next carry is float64\[3\], carry is float64\[\] \(HOP201\)`
	}, init, series())
}

func onEveryBranch() {
	decay := on
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		next := carry.Add(x)
		if decay {
			next = next.MulScalar(0.5).Unsqueeze(0)
		} else {
			next = next.Unsqueeze(0)
		}
		return next, x.Clone() // want `scan: next carry is float64\[1 2\], carry is float64\[2\] \(HOP201\)`
	}, zeros(), series())
}

func stacked() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return hop.Stack(0, carry, x), x.Clone() // want `scan: next carry is float64\[2 2\], carry is float64\[2\] \(HOP201\)`
	}, zeros(), series())
}

func matrixProduct() {
	w := hop.Ones(hop.Float64, 3, 2)
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return w.MatMul(carry), x.Clone() // want `scan: next carry is float64\[3\], carry is float64\[2\] \(HOP201\)`
	}, zeros(), series())
}

func integerSum() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return carry.CumSum(0), x.Clone() // want `scan: next carry is int64\[2\], carry is int32\[2\] \(HOP201\)`
	}, hop.Zeros(hop.Int32, 2), series())
}

func element() {
	hop.AssociativeScan(func(a, b *hop.Tensor) *hop.Tensor {
		return a.Mul(b).Sum() // want `associative_scan: output is float64\[\], left element is float64\[.*\] \(HOP201\)`
	}, series())
}

func branchShape() {
	hop.Cond(hop.Scalar(true), func(x *hop.Tensor) *hop.Tensor { return x.Neg() },
		func(x *hop.Tensor) *hop.Tensor { return x.Sum() }, zeros()) // want `cond: false branch output is float64\[\], true branch output is float64\[2\] \(HOP201\)`
}

func branchDType() {
	hop.Cond(hop.Scalar(true), func(x *hop.Tensor) *hop.Tensor { return x.Neg() },
		func(x *hop.Tensor) *hop.Tensor {
			return x.Exp().To(hop.Float32) // want `cond: false branch output is float32\[2\], true branch output is float64\[2\] \(HOP201\)`
		}, zeros())
}

func branchStructure() {
	hop.Cond(hop.Scalar(true), func(x *hop.Tensor) state { return state{x.Neg(), x.Exp()} },
		func(x *hop.Tensor) state {
			return state{Level: x.Clone()} // want `cond: false branch output.Trend is nil, true branch output.Trend is a tensor \(HOP201\)`
		}, zeros())
}

func branchTransposed() {
	hop.Cond(hop.Scalar(true), func(x *hop.Tensor) *hop.Tensor { return x.Neg() },
		func(x *hop.Tensor) *hop.Tensor {
			return x.T().Clone() // want `cond: false branch output is float64\[2 4\], true branch output is float64\[4 2\] \(HOP201\)`
		}, series())
}

func branchList() {
	hop.Switch(hop.Scalar(int64(0)), []func(*hop.Tensor) *hop.Tensor{
		func(x *hop.Tensor) *hop.Tensor { return x.Neg() },
		func(x *hop.Tensor) *hop.Tensor { return x.Exp() },
		func(x *hop.Tensor) *hop.Tensor { return x.Unsqueeze(0).Clone() }, // want `switch: branch 2 output is float64\[1 2\], branch 0 output is float64\[2\] \(HOP201\)`
	}, zeros())
}

func same(x *hop.Tensor) *hop.Tensor { return x.Neg() }

func predicateDType() {
	x := zeros()
	hop.Cond(x.Sum(), same, same, x) // want `cond: predicate is float64\[\], want a bool of one element \(HOP201\); compare it, e.g. with NeScalar\(0\) or GtScalar\(0\)`
}

func predicateShape() {
	x := zeros()
	hop.Cond(x.GtScalar(1), same, same, x) // want `cond: predicate is bool\[2\], want a bool of one element \(HOP201\)`
}

func indexDType() {
	hop.Switch(hop.Scalar(1.0), []func(*hop.Tensor) *hop.Tensor{same, same}, zeros()) // want `switch: index is float64\[\], want an int32 or int64 of one element \(HOP201\)`
}

func indexShape() {
	hop.Switch(hop.FromSlice([]int64{0, 1}), []func(*hop.Tensor) *hop.Tensor{same, same}, zeros()) // want `switch: index is int64\[2\], want an int32 or int64 of one element \(HOP201\)`
}

func conditionDType() {
	hop.WhileLoop(func(s *hop.Tensor) *hop.Tensor {
		return s.Sum() // want `while_loop: predicate is float64\[\], want a bool of one element \(HOP201\)`
	}, func(s *hop.Tensor) *hop.Tensor { return s.AddScalar(1) }, zeros())
}

func conditionShape() {
	hop.WhileLoop(func(s *hop.Tensor) *hop.Tensor {
		return s.LtScalar(3) // want `while_loop: predicate is bool\[2\], want a bool of one element \(HOP201\)`
	}, func(s *hop.Tensor) *hop.Tensor { return s.AddScalar(1) }, zeros())
}

func whileBody() {
	hop.WhileLoop(func(s *hop.Tensor) *hop.Tensor { return s.Sum().LtScalar(10) }, func(s *hop.Tensor) *hop.Tensor {
		return s.AddScalar(1).To(hop.Float32) // want `while_loop: next carry is float32\[2\], carry is float64\[2\] \(HOP201\)`
	}, zeros())
}

func forBody() {
	hop.ForLoop(0, 3, func(i, s *hop.Tensor) *hop.Tensor {
		return s.GtScalar(1) // want `for_loop: next carry is bool\[2\], carry is float64\[2\] \(HOP201\)`
	}, zeros())
}

func forIndex() {
	hop.ForLoop(0, 3, func(i, s *hop.Tensor) *hop.Tensor {
		return i.AddScalar(1) // want `for_loop: next carry is int64\[\], carry is float64\[\] \(HOP201\)`
	}, hop.Scalar(0.0))
}

// weights has a shape that the program never changes.
var weights = hop.Ones(hop.Float64, 3, 1)

func packageVariable() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return carry.Mul(weights), x.Clone() // want `scan: next carry is float64\[3 2\], carry is float64\[2\] \(HOP201\)`
	}, zeros(), series())
}

func otherPackage() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return helper.Row(carry.Add(x)), x.Clone() // want `scan: next carry is float64\[1 2\], carry is float64\[2\] \(HOP201\)`
	}, zeros(), series())
}

func madeElsewhere() {
	hop.Scan(func(carry helper.Moments, x *hop.Tensor) (helper.Moments, *hop.Tensor) {
		next := helper.Moments{Mean: carry.Mean.Add(x), Spread: carry.Spread.Add(x.Square())}
		return next, x.Clone() // want `scan: next carry.Mean is float64\[2\], carry.Mean is float64\[1\]; next carry.Spread is float64\[2\], carry.Spread is float64\[1\] \(HOP201\)`
	}, helper.NewMoments(1), series())
}

func bodyElsewhere() {
	hop.Scan(helper.Wider, zeros(), series()) // want `scan: next carry is float64\[1 2\], carry is float64\[2\] \(HOP201\)`
}

func alongAxis() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return x.Neg(), x.Clone() // want `scan: next carry is float64\[4\], carry is float64\[2\] \(HOP201\)`
	}, zeros(), series(), hop.Axis(1), hop.Reverse())
}

func openOptions() {
	opts := []hop.Option{hop.Reverse()}
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return x.Unsqueeze(0).Neg(), x.Clone() // want `scan: next carry is float64\[1 …\], carry is float64\[2\] \(HOP201\)`
	}, zeros(), series(), opts...)
}

func throughValue() {
	scan := hop.Scan[*hop.Tensor, *hop.Tensor, *hop.Tensor]
	scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return carry.Unsqueeze(0).Neg(), x.Clone() // want `scan: next carry is float64\[1 2\], carry is float64\[2\] \(HOP201\)`
	}, zeros(), series())
}
