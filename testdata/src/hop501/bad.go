// Package hop501 holds bodies that read values which depend on their inputs, and the same programs put right.
package hop501

import (
	"fmt"

	"hoplint.test/helper"

	"github.com/hoplint/hoplint/runtime/hop"
)

// Bad lists the programs that break the rule; the runtime refuses each.
var Bad = []func(){branch, computed, wholeSlice, oneElement, iterated, matrix, throughHelper, otherPackage, inClosure, methodValue,
	inStruct, inMap, mixed, inBranch, loopBody, loopCondition, mapped, gradient, innerResult, filledBuffer,
	filledThroughView, filledByHelper, accumulated, filledInside}

// Unseen lists programs that break the rule in a way that only the analyzer sees: what a traced tensor prints is not refused.
var Unseen = []func(){asText}

func zeros() *hop.Tensor { return hop.Zeros(hop.Float64, 2) }

func series() *hop.Tensor { return hop.Ones(hop.Float64, 4, 2) }

func branch() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		if hop.Item[float64](x.Sum()) > 0 { // want `scan: combine function reads a value that depends on its x through Item \(HOP501\); use Cond, WhileLoop or Where, or run the operator with hop.Stepwise\(\)`
			return carry.Add(x), x.Clone()
		}
		return carry.Clone(), x.Clone()
	}, zeros(), series())
}

func computed() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		norm := carry.Mul(x).Sum().Sqrt()
		scale := 1 / (1 + hop.Item[float64](norm)) // want `reads a value that depends on its carry, x through Item \(HOP501\)`
		return carry.MulScalar(scale), x.Clone()
	}, zeros(), series())
}

func wholeSlice() {
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		values := hop.ToSlice[float64](x) // want `map: function reads a value that depends on its x through ToSlice \(HOP501\)`
		return hop.FromSlice(values)
	}, series())
}

func oneElement() {
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		return x.MulScalar(hop.ItemAt[float64](x, 1)) // want `reads a value that depends on its x through ItemAt \(HOP501\)`
	}, series())
}

func iterated() {
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		sum := 0.0
		for v := range hop.Values[float64](x) { // want `reads a value that depends on its x through Values \(HOP501\)`
			sum += v
		}
		return x.AddScalar(sum)
	}, series())
}

func matrix() {
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		rows, _ := x.Unsqueeze(0).Dense().Dims() // want `reads a value that depends on its x through Dense \(HOP501\)`
		return x.MulScalar(float64(rows))
	}, series())
}

func positive(t *hop.Tensor) bool { return hop.Item[float64](t.Sum()) > 0 }

func throughHelper() {
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		if positive(x.Neg()) { // want `reads a value that depends on its x through Item \(HOP501\)`
			return x.Neg()
		}
		return x.Clone()
	}, series())
}

func otherPackage() {
	weight := zeros()
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		return x.MulScalar(helper.Number(helper.Dot(x, weight))) // want `reads a value that depends on its x through Item \(HOP501\)`
	}, series())
}

func inClosure() {
	number := func(t *hop.Tensor) float64 { return hop.Item[float64](t.Sum()) }
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		return x.MulScalar(number(x)) // want `reads a value that depends on its x through Item \(HOP501\)`
	}, series())
}

type gauge struct{ scale float64 }

func (g gauge) read(t *hop.Tensor) float64 { return g.scale * hop.Item[float64](t.Sum()) }

func methodValue() {
	read := gauge{2}.read
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		return x.MulScalar(read(x)) // want `reads a value that depends on its x through Item \(HOP501\)`
	}, series())
}

type state struct{ H, C *hop.Tensor }

func inStruct() {
	hop.Scan(func(carry state, x *hop.Tensor) (state, *hop.Tensor) {
		next := state{H: carry.H.Add(x), C: carry.C.Clone()}
		scale := hop.Item[float64](next.C.Sum()) // want `reads a value that depends on its carry.C through Item \(HOP501\)`
		return state{next.H.MulScalar(scale), next.C}, x.Clone()
	}, state{zeros(), zeros()}, series())
}

func inMap() {
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		by := map[string]*hop.Tensor{"sum": x.Sum()}
		return x.MulScalar(hop.Item[float64](by["sum"])) // want `reads a value that depends on its x through Item \(HOP501\)`
	}, series())
}

func mixed() {
	weight := zeros()
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		return x.MulScalar(hop.Item[float64](hop.Concat(0, weight, x).Sum())) // want `reads a value that depends on its x through Item \(HOP501\)`
	}, series())
}

func inBranch() {
	hop.Cond(hop.Scalar(true), func(x *hop.Tensor) *hop.Tensor {
		return x.MulScalar(hop.Item[float64](x.Sum())) // want `cond: true branch reads a value that depends on its operand through Item \(HOP501\)`
	}, func(x *hop.Tensor) *hop.Tensor { return x.Clone() }, zeros())
}

func loopBody() {
	hop.WhileLoop(func(carry *hop.Tensor) *hop.Tensor { return carry.Sum().LtScalar(10) }, func(carry *hop.Tensor) *hop.Tensor {
		return carry.AddScalar(1 + hop.Item[float64](carry.Sum())) // want `while_loop: body function reads a value that depends on its carry through Item \(HOP501\)`
	}, zeros())
}

func loopCondition() {
	hop.WhileLoop(func(carry *hop.Tensor) *hop.Tensor {
		return hop.Scalar(hop.Item[float64](carry.Sum()) < 10) // want `while_loop: cond function reads a value that depends on its carry through Item \(HOP501\)`
	}, func(carry *hop.Tensor) *hop.Tensor { return carry.AddScalar(1) }, zeros())
}

func mapped() {
	hop.VMap(func(x *hop.Tensor) *hop.Tensor {
		return x.MulScalar(hop.Item[float64](x.Sum())) // want `vmap: function reads a value that depends on its x through Item \(HOP501\)`
	})(series())
}

func gradient() {
	hop.Grad(func(w *hop.Tensor) *hop.Tensor {
		loss := w.Square().Sum()
		_ = hop.Item[float64](loss) // want `grad: function reads a value that depends on its operand through Item \(HOP501\)`
		return loss
	})(zeros())
}

func innerResult() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		last, _ := hop.Scan(func(inner, v *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
			return inner.Add(v), v.Clone()
		}, hop.Zeros(hop.Float64), x)
		return carry.MulScalar(hop.Item[float64](last)), x.Clone() // want `reads a value that depends on its x through Item \(HOP501\)`
	}, zeros(), series())
}

func filledBuffer() {
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		buf := hop.Zeros(hop.Float64, 2)
		buf.CopyFrom(x)
		return x.MulScalar(hop.ItemAt[float64](buf, 0)) // want `reads a value that depends on its x through ItemAt \(HOP501\)`
	}, series())
}

func filledThroughView() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		buf := hop.Zeros(hop.Float64, 2)
		window := buf.Narrow(0, 0, 1)
		window.AddInPlace(carry.Narrow(0, 0, 1))
		return carry.MulScalar(hop.Item[float64](buf.Sum())), x.Clone() // want `reads a value that depends on its carry through Item \(HOP501\)`
	}, zeros(), series())
}

func filledByHelper() {
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		buf := state{H: hop.Zeros(hop.Float64, 2), C: hop.Zeros(hop.Float64, 2)}
		helper.Fill(buf.H, x)
		return x.MulScalar(helper.Number(buf.H.Sum())) // want `reads a value that depends on its x through Item \(HOP501\)`
	}, series())
}

func accumulated() {
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		total := &helper.Total{Sum: hop.Zeros(hop.Float64)}
		for range 2 {
			total.Add(x.Sum())
		}
		return x.MulScalar(total.Value()) // want `reads a value that depends on its x through Item \(HOP501\)`
	}, series())
}

func filledInside() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		buf := []*hop.Tensor{hop.Zeros(hop.Float64), hop.Zeros(hop.Float64)}
		fill := func(i int, t *hop.Tensor) { buf[i].AddInPlace(t) }
		fill(1, x.Sum())
		return carry.MulScalar(hop.Item[float64](buf[1])), x.Clone() // want `reads a value that depends on its x through Item \(HOP501\)`
	}, zeros(), series())
}

func asText() {
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		if fmt.Sprint(x.Sum()) == "0" { // want `map: function reads a value that depends on its x through Sprint \(HOP501\)`
			return x.Neg()
		}
		return x.Clone()
	}, series())
}
