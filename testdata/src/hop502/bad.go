// Package hop502 holds traced functions that fix a dynamic dimension in their graph, and the same programs put right.
package hop502

import (
	"hoplint.test/helper"

	"github.com/hoplint/hoplint/runtime/hop"
)

// Bad lists the programs that fix a dimension; each returns the notes of the runtime.
var Bad = []func() []*hop.Error{direct, throughHelper, otherPackage, inClosure, methodValue, arithmetic, integerArgument, inBranch,
	inScan, inMethod}

func data() *hop.Tensor { return hop.Ones(hop.Float64, 4, 3) }

// notes are what the runtime tells of a traced function.
func notes[X, Y any](p *hop.Program[X, Y], err error) []*hop.Error {
	if err != nil {
		panic(err)
	}
	return p.Notes()
}

func direct() []*hop.Error {
	p, err := hop.Trace(func(x *hop.Tensor) *hop.Tensor {
		rows := x.SymDim(0).Value() // want `trace: function fixes a dynamic dimension in the graph through Int.Value \(HOP502\); compute with hop.Int instead of its value`
		return x.Sum(0).MulScalar(1 / float64(rows))
	}, data(), hop.DynamicDims())
	if err != nil {
		panic(err)
	}
	return p.Notes()
}

func rows(x *hop.Tensor) int { return x.SymDim(0).Value() }

func throughHelper() []*hop.Error {
	return notes(hop.Trace(func(x *hop.Tensor) *hop.Tensor {
		return x.Narrow(0, 0, rows(x)-1).Clone() // want `fixes a dynamic dimension in the graph through Int.Value \(HOP502\)`
	}, data(), hop.DynamicDims()))
}

func otherPackage() []*hop.Error {
	return notes(hop.Trace(func(x *hop.Tensor) *hop.Tensor {
		return x.AddScalar(float64(helper.Rows(x))) // want `fixes a dynamic dimension in the graph through Int.Value \(HOP502\)`
	}, data(), hop.DynamicDims()))
}

func inClosure() []*hop.Error {
	return notes(hop.Trace(func(x *hop.Tensor) *hop.Tensor {
		size := func(dim int) int { return x.SymDim(dim).Value() } // want `fixes a dynamic dimension in the graph through Int.Value \(HOP502\)`
		return x.MulScalar(float64(size(1)))
	}, data(), hop.DynamicDims()))
}

func methodValue() []*hop.Error {
	return notes(hop.Trace(func(x *hop.Tensor) *hop.Tensor {
		size := x.SymDim(0).Value
		return x.MulScalar(float64(size())) // want `fixes a dynamic dimension in the graph through Int.Value \(HOP502\)`
	}, data(), hop.DynamicDims()))
}

func arithmetic() []*hop.Error {
	return notes(hop.Trace(func(x *hop.Tensor) *hop.Tensor {
		n := x.SymDim(0).Mul(x.SymDim(1)).Value() // want `fixes a dynamic dimension in the graph through Int.Value \(HOP502\)`
		return x.Neg().Reshape(n)
	}, data(), hop.DynamicDims()))
}

type batch struct {
	X *hop.Tensor
	N hop.Int
}

func integerArgument() []*hop.Error {
	return notes(hop.Trace(func(b batch) *hop.Tensor {
		return b.X.MulScalar(float64(b.N.Value())) // want `fixes a dynamic dimension in the graph through Int.Value \(HOP502\)`
	}, batch{data(), hop.IntOf(7)}))
}

func inBranch() []*hop.Error {
	return notes(hop.Trace(func(x *hop.Tensor) *hop.Tensor {
		return hop.Cond(x.Sum().GtScalar(0),
			func(x *hop.Tensor) *hop.Tensor { return x.MulScalar(float64(x.SymDim(0).Value())) }, // want `cond: true branch fixes a dynamic dimension in the graph through Int.Value \(HOP502\)`
			func(x *hop.Tensor) *hop.Tensor { return x.Neg() }, x)
	}, data(), hop.DynamicDims()))
}

func inScan() []*hop.Error {
	return notes(hop.Trace(func(xs *hop.Tensor) *hop.Tensor {
		last, _ := hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
			n := x.SymDim(0).Value() // want `scan: combine function fixes a dynamic dimension in the graph through Int.Value \(HOP502\)`
			return carry.Add(x).MulScalar(1 / float64(n)), x.Neg()
		}, xs.Sum(0), xs)
		return last
	}, data(), hop.DynamicDims()))
}

type model struct{ Scale float64 }

func (m model) apply(x *hop.Tensor) *hop.Tensor {
	return x.MulScalar(m.Scale / float64(x.SymDim(1).Value())) // want `fixes a dynamic dimension in the graph through Int.Value \(HOP502\)`
}

func inMethod() []*hop.Error {
	return notes(hop.Trace(model{2}.apply, data(), hop.DynamicDims()))
}
