// Package hop405 holds programs that write what a compiled function captured, and the same programs put right.
package hop405

import (
	"hoplint.test/helper"

	"github.com/hoplint/hoplint/runtime/hop"
)

// Bad lists the programs that break the rule; the runtime refuses each.
var Bad = []func(){
	inPlace, throughView, throughHelper, otherPackage, field, methodValue, setter, closure, nested, trainingLoop, traced, newCompiled,
	global, listElement, factory, kept,
}

// Unseen lists programs that break the rule in a way that only the analyzer sees: the compiled function goes on with the old value.
var Unseen = []func(){assigned, goValue, fieldAssigned, structAssigned, mapElement, byLiteral}

func data() *hop.Tensor { return hop.Ones(hop.Float64, 4) }

func inPlace() {
	weight := data()
	f := hop.Must(hop.Compile(func(x *hop.Tensor) *hop.Tensor { return x.Mul(weight) }))
	f(data())
	weight.MulScalarInPlace(2) // want `compile: captured weight is written through MulScalarInPlace after the function was compiled \(HOP405\); pass the value in as an operand`
	f(data())
}

func throughView() {
	weight := data()
	f := hop.Must(hop.Compile(func(x *hop.Tensor) *hop.Tensor { return x.Mul(weight) }))
	f(data())
	weight.Narrow(0, 0, 1).Zero() // want `captured weight is written through Zero after the function was compiled \(HOP405\)`
	f(data())
}

func update(t *hop.Tensor) { t.SubInPlace(data()) }

func throughHelper() {
	weight := data()
	f := hop.Must(hop.Compile(func(x *hop.Tensor) *hop.Tensor { return x.Mul(weight) }))
	f(data())
	update(weight) // want `captured weight is written through SubInPlace after the function was compiled \(HOP405\)`
	f(data())
}

func otherPackage() {
	weight := data()
	f := hop.Must(hop.Compile(func(x *hop.Tensor) *hop.Tensor { return helper.Scaled(x.Mul(weight), 2) }))
	f(data())
	helper.Scale(weight, 2) // want `captured weight is written through MulScalarInPlace after the function was compiled \(HOP405\)`
	f(data())
}

type model struct {
	W, B  *hop.Tensor
	Steps int
}

func newModel() *model { return &model{W: data(), B: data()} }

func (m *model) forward(x *hop.Tensor) *hop.Tensor { return x.Mul(m.W).Add(m.bias()) }

func (m *model) bias() *hop.Tensor { return m.B }

func (m *model) train(grad *hop.Tensor) {
	m.Steps++
	m.W.SubInPlace(grad)
}

func field() {
	m := newModel()
	f := hop.Must(hop.Compile(func(x *hop.Tensor) *hop.Tensor { return x.Mul(m.W) }))
	f(data())
	m.W.Zero() // want `captured m.W is written through Zero after the function was compiled \(HOP405\)`
	f(data())
}

func methodValue() {
	m := newModel()
	f := hop.Must(hop.Compile(m.forward))
	f(data())
	m.B.AddScalarInPlace(1) // want `captured m.B is written through AddScalarInPlace after the function was compiled \(HOP405\)`
	f(data())
}

func setter() {
	m := newModel()
	f := hop.Must(hop.Compile(m.forward))
	f(data())
	m.train(data()) // want `captured m.W is written through SubInPlace after the function was compiled \(HOP405\)`
	f(data())
}

func closure() {
	weight := data()
	step := func() { weight.SubInPlace(data()) }
	f := hop.Must(hop.Compile(func(x *hop.Tensor) *hop.Tensor { return x.Mul(weight) }))
	f(data())
	step() // want `captured weight is written through SubInPlace after the function was compiled \(HOP405\)`
	f(data())
}

func nested() {
	weight := data()
	f := hop.Must(hop.Compile(func(xs *hop.Tensor) *hop.Tensor {
		return hop.Map(func(x *hop.Tensor) *hop.Tensor { return x.Mul(weight) }, xs)
	}))
	f(hop.Ones(hop.Float64, 3, 4))
	weight.Fill(2) // want `captured weight is written through Fill after the function was compiled \(HOP405\)`
	f(hop.Ones(hop.Float64, 3, 4))
}

func trainingLoop() {
	weight := data()
	loss := hop.Must(hop.Compile(func(x *hop.Tensor) *hop.Tensor { return x.Mul(weight) }))
	for range 2 {
		weight.SubInPlace(loss(data())) // want `captured weight is written through SubInPlace after the function was compiled \(HOP405\)`
	}
}

func traced() {
	weight := data()
	p, err := hop.Trace(func(x *hop.Tensor) *hop.Tensor { return x.Mul(weight) }, data())
	if err != nil {
		panic(err)
	}
	weight.Zero() // want `trace: captured weight is written through Zero after the function was traced \(HOP405\)`
	if _, err := p.Call(data()); err != nil {
		panic(err)
	}
}

func newCompiled() {
	weight := data()
	c := hop.NewCompiled(func(x *hop.Tensor) *hop.Tensor { return x.Mul(weight) })
	call := func() {
		if _, err := c.Call(data()); err != nil {
			panic(err)
		}
	}
	call()
	weight.Zero() // want `captured weight is written through Zero after the function was compiled \(HOP405\)`
	call()
}

var shared = hop.Ones(hop.Float64, 4)

func global() {
	f := hop.Must(hop.Compile(func(x *hop.Tensor) *hop.Tensor { return x.Mul(shared) }))
	f(data())
	shared.Zero() // want `captured shared is written through Zero after the function was compiled \(HOP405\)`
	f(data())
}

func listElement() {
	weights := []*hop.Tensor{data(), data()}
	f := hop.Must(hop.Compile(func(x *hop.Tensor) *hop.Tensor { return x.Mul(weights[0]) }))
	f(data())
	weights[0].Zero() // want `captured weights\[\] is written through Zero after the function was compiled \(HOP405\)`
	f(data())
}

func scaledBy(weight *hop.Tensor) func(x *hop.Tensor) *hop.Tensor {
	return func(x *hop.Tensor) *hop.Tensor { return x.Mul(weight) }
}

func factory() {
	weight := data()
	f := hop.Must(hop.Compile(scaledBy(weight)))
	f(data())
	weight.Zero() // want `captured weight is written through Zero after the function was compiled \(HOP405\)`
	f(data())
}

func assigned() {
	weight := data()
	f := hop.Must(hop.Compile(func(x *hop.Tensor) *hop.Tensor { return x.Mul(weight) }))
	f(data())
	weight = weight.MulScalar(2) // want `captured weight is assigned after the function was compiled \(HOP405\)`
	f(weight)
}

func goValue() {
	rate := 0.5
	f := hop.Must(hop.Compile(func(x *hop.Tensor) *hop.Tensor { return x.MulScalar(rate) }))
	for range 2 {
		f(data())
		rate /= 2 // want `captured rate is assigned after the function was compiled \(HOP405\)`
	}
}

func fieldAssigned() {
	m := newModel()
	f := hop.Must(hop.Compile(m.forward))
	f(data())
	m.Steps++
	m.W = data() // want `captured m.W is assigned after the function was compiled \(HOP405\)`
	f(data())
}

func structAssigned() {
	m := *newModel()
	f := hop.Must(hop.Compile(func(x *hop.Tensor) *hop.Tensor { return x.Mul(m.W) }))
	f(data())
	m = *newModel() // want `captured m is assigned after the function was compiled \(HOP405\)`
	f(data())
}

func mapElement() {
	weights := map[string]*hop.Tensor{"in": data()}
	f := hop.Must(hop.Compile(func(x *hop.Tensor) *hop.Tensor { return x.Mul(weights["in"]) }))
	f(data())
	weights["in"] = data() // want `captured weights\[\] is assigned after the function was compiled \(HOP405\)`
	f(data())
}

func byLiteral() {
	weight := data()
	step := func() { weight = weight.Sub(data()) }
	f := hop.Must(hop.Compile(func(x *hop.Tensor) *hop.Tensor { return x.Mul(weight) }))
	f(data())
	step() // want `captured weight is assigned after the function was compiled \(HOP405\)`
	f(data())
}

type predictor struct {
	W, Bias *hop.Tensor
	run     func(*hop.Tensor) *hop.Tensor
}

// Predict runs the compiled function.
func (p *predictor) Predict(x *hop.Tensor) *hop.Tensor { return p.run(x) }

// Step is called between predictions.
func (p *predictor) Step(grad *hop.Tensor) {
	p.Bias.SubInPlace(grad)
	p.W.SubInPlace(grad) // want `captured p.W is written through SubInPlace after the function was compiled \(HOP405\)`
}

func kept() {
	p := &predictor{W: data(), Bias: data()}
	p.run = hop.Must(hop.Compile(func(x *hop.Tensor) *hop.Tensor { return x.Mul(p.W) }))
	p.Predict(data())
	p.Step(data()) // want `captured p.W is written through SubInPlace after the function was compiled \(HOP405\)`
	p.Predict(data())
}
