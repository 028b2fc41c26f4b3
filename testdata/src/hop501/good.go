package hop501

import (
	"fmt"

	"hoplint.test/helper"

	"github.com/hoplint/hoplint/runtime/hop"
)

// Good lists the programs that keep the rule; the runtime runs each.
var Good = []func(){branchAsOp, selected, captured, shapes, printed, stepByStep, around, filledWithConstants, readBefore}

func branchAsOp() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		next := hop.Cond(x.Sum().GtScalar(0), func(o state) *hop.Tensor { return o.H.Add(o.C) },
			func(o state) *hop.Tensor { return o.H.Clone() }, state{carry, x})
		return next, x.Clone()
	}, zeros(), series())
}

func selected() {
	hop.Map(func(x *hop.Tensor) *hop.Tensor { return hop.Where(x.GtScalar(0), x, x.Neg()) }, series())
}

func captured() {
	weight := hop.Ones(hop.Float64, 2)
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		scale := hop.Item[float64](weight.Sum())
		if scale > 1 {
			return x.MulScalar(scale)
		}
		return x.Clone()
	}, series())
}

func shapes() {
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		n := x.NumElems() + x.Dim(0) + len(x.Shape())
		return x.MulScalar(1 / float64(n))
	}, series())
}

func printed() {
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		_ = fmt.Sprintf("%v %s", x, x.String())
		return x.Neg()
	}, series())
}

func stepByStep() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		if hop.Item[float64](x.Sum()) > 0 {
			return carry.Add(x), x.Clone()
		}
		return carry.Clone(), x.Clone()
	}, zeros(), series(), hop.Stepwise())
}

func around() {
	last, ys := hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) { return carry.Add(x), x.Clone() }, zeros(), series())
	if hop.Item[float64](last.Sum()) > 100 || len(hop.ToSlice[float64](ys)) != 8 {
		panic("another sum")
	}
}

func filledWithConstants() {
	weight := zeros()
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		total := &helper.Total{Sum: hop.Ones(hop.Float64)}
		total.Add(weight.Sum())
		buf := hop.Zeros(hop.Float64, 2)
		helper.Fill(buf, weight)
		return x.MulScalar(total.Value() + helper.Number(buf.Sum()))
	}, series())
}

func readBefore() {
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		buf := hop.Ones(hop.Float64, 2)
		before := buf.Sum()
		buf.AddInPlace(x)
		return buf.MulScalar(hop.Item[float64](before))
	}, series())
}
