package hop405

import "github.com/hoplint/hoplint/runtime/hop"

// Good lists the programs that keep the rule; the runtime runs each.
var Good = []func(){operand, compiledAnew, perIteration, writtenBefore, notUsedAgain, valueReceiver, otherField}

func operand() {
	type args struct{ Weight, X *hop.Tensor }
	f := hop.Must(hop.Compile(func(a args) *hop.Tensor { return a.X.Mul(a.Weight) }))
	weight := data()
	f(args{weight, data()})
	weight.MulScalarInPlace(2)
	f(args{weight, data()})
}

func compiledAnew() {
	weight := data()
	for range 2 {
		f := hop.Must(hop.Compile(func(x *hop.Tensor) *hop.Tensor { return x.Mul(weight) }))
		weight = weight.Sub(f(data()))
	}
}

func perIteration() {
	for k := range 3 {
		f := hop.Must(hop.Compile(func(x *hop.Tensor) *hop.Tensor { return x.MulScalar(float64(k)) }))
		f(data())
	}
}

func writtenBefore() {
	weight := data()
	weight.Zero()
	f := hop.Must(hop.Compile(func(x *hop.Tensor) *hop.Tensor { return x.Mul(weight) }))
	f(data())
}

func notUsedAgain() {
	weight := data()
	f := hop.Must(hop.Compile(func(x *hop.Tensor) *hop.Tensor { return x.Mul(weight) }))
	grad := f(data())
	weight.SubInPlace(grad)
}

type fixed struct{ W *hop.Tensor }

func (m fixed) forward(x *hop.Tensor) *hop.Tensor { return x.Mul(m.W) }

func valueReceiver() {
	m := fixed{data()}
	f := hop.Must(hop.Compile(m.forward))
	f(data())
	m = fixed{data()}
	f(m.W)
}

func otherField() {
	m := newModel()
	f := hop.Must(hop.Compile(func(x *hop.Tensor) *hop.Tensor { return x.Mul(m.W) }))
	f(data())
	m.B.Zero()
	m.Steps++
	f(data())
}
