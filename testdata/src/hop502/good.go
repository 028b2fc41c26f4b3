package hop502

import "github.com/hoplint/hoplint/runtime/hop"

// Good lists the programs that keep their dimensions open; the runtime notes nothing.
var Good = []func() []*hop.Error{open, openArithmetic, openInteger, openInScan, compared, stepwise, outsideOfTheTrace}

func open() []*hop.Error {
	p, err := hop.Trace(func(x *hop.Tensor) *hop.Tensor {
		rows := x.SymDim(0)
		return x.Sum(0).DivSym(rows)
	}, data(), hop.DynamicDims())
	if err != nil {
		panic(err)
	}
	return p.Notes()
}

func openArithmetic() []*hop.Error {
	return notes(hop.Trace(func(x *hop.Tensor) *hop.Tensor {
		return x.Neg().ReshapeSym(x.SymDim(0).Mul(x.SymDim(1)))
	}, data(), hop.DynamicDims()))
}

func openInteger() []*hop.Error {
	return notes(hop.Trace(func(b batch) *hop.Tensor { return b.X.MulSym(b.N) }, batch{data(), hop.IntOf(7)}))
}

func openInScan() []*hop.Error {
	return notes(hop.Trace(func(xs *hop.Tensor) *hop.Tensor {
		last, _ := hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
			return carry.Add(x).DivSym(x.SymDim(0)), x.Neg()
		}, xs.Sum(0), xs)
		return last
	}, data(), hop.DynamicDims()))
}

// A comparison keeps a guard, and the sizes on the same side of it stay open.
func compared() []*hop.Error {
	return notes(hop.Trace(func(x *hop.Tensor) *hop.Tensor {
		if x.SymDim(0).GtScalar(2) {
			return x.Neg()
		}
		return x.Clone()
	}, data(), hop.DynamicDims()))
}

func stepwise() []*hop.Error {
	hop.Map(func(x *hop.Tensor) *hop.Tensor { return x.MulScalar(float64(x.SymDim(0).Value())) }, data(), hop.Stepwise())
	return nil
}

func outsideOfTheTrace() []*hop.Error {
	x := data()
	scale := 1 / float64(x.SymDim(0).Value())
	return notes(hop.Trace(func(x *hop.Tensor) *hop.Tensor { return x.MulScalar(scale) }, x, hop.DynamicDims()))
}
