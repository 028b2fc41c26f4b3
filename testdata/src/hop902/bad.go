// Package hop902 holds functions whose bodies refute what their directives claim, and the same programs put right.
package hop902

import (
	"time"

	"hoplint.test/helper"

	"github.com/hoplint/hoplint/runtime/hop"
)

// Bad lists the programs that break the rule.
var Bad = []func(){
	pure, throughHelper, otherPackage, sideEffect, clock, wrongParameter, neverWritten, field, returned, window, copied, element,
	method, interfaceMethod, interfaceOfPackage, storedFunction, storedClosure, storedMethod,
}

func data() *hop.Tensor { return hop.Ones(hop.Float64, 4) }

//hop:pure
func halve(t *hop.Tensor) *hop.Tensor { // want `halve is declared pure, but writes its t through MulScalarInPlace \(HOP902\); declare //hop:mutates t instead, or write a new tensor`
	return t.MulScalarInPlace(0.5)
}

func pure() { _ = halve(data()) }

func reset(t *hop.Tensor) { t.Zero() }

//hop:pure
func cleared(t *hop.Tensor) { reset(t) } // want `cleared is declared pure, but writes its t through Zero \(HOP902\)`

func throughHelper() { cleared(data()) }

//hop:pure
func scaled(t *hop.Tensor) { helper.Scale(t, 2) } // want `scaled is declared pure, but writes its t through MulScalarInPlace \(HOP902\)`

func otherPackage() { scaled(data()) }

var calls int

//hop:pure
func counted(t *hop.Tensor) *hop.Tensor { // want `counted is declared pure, but writes calls through assignment \(HOP902\)`
	calls++
	return t.Neg()
}

func sideEffect() { _ = counted(data()) }

//hop:pure
func stamp() int64 { return time.Now().Unix() } // want `stamp is declared pure, but reads the clock through Now \(HOP902\)`

func clock() { _ = stamp() }

//hop:mutates dst
func move(dst, src *hop.Tensor) { // want `move is declared to write dst, but writes its src through Zero \(HOP902\)`
	dst.CopyFrom(src)
	src.Zero()
}

func wrongParameter() { move(data(), data()) }

//hop:mutates t
func doubled(t *hop.Tensor) *hop.Tensor { return t.MulScalar(2) } // want `doubled is declared to write t, but never writes its t \(HOP902\)`

func neverWritten() { _ = doubled(data()) }

type state struct{ Level, Trend *hop.Tensor }

//hop:mutates s.Level
func smooth(s state, x *hop.Tensor) { // want `smooth is declared to write s.Level, but writes its s.Trend through AddInPlace \(HOP902\)`
	s.Level.AddInPlace(x)
	s.Trend.AddInPlace(x)
}

func field() { smooth(state{data(), data()}, data()) }

//hop:returns fresh
func same(t *hop.Tensor) *hop.Tensor { return t } // want `same is declared to return fresh, but its result shares storage with its t \(HOP902\)`

func returned() { _ = same(data()) }

//hop:returns fresh
func head(t *hop.Tensor) *hop.Tensor { return helper.Window(t) } // want `head is declared to return fresh, but its result shares storage with its t \(HOP902\)`

func window() { _ = head(data()) }

//hop:returns view(t)
func tail(t *hop.Tensor) *hop.Tensor { return t.Clone() } // want `tail is declared to return view\(t\), but its result can be fresh memory \(HOP902\)`

func copied() { _ = tail(data()) }

//hop:returns fresh
func pair(t *hop.Tensor) []*hop.Tensor { return []*hop.Tensor{t.Clone(), t} } // want `pair is declared to return fresh, but its result shares storage with its t \(HOP902\)`

func element() { _ = pair(data()) }

//hop:pure
func (s state) settle() { s.Level.Zero() } // want `settle is declared pure, but writes its s.Level through Zero \(HOP902\)`

func method() { state{data(), data()}.settle() }

// Optimizer updates weights.
type Optimizer interface {
	//hop:mutates w
	Step(w, grad *hop.Tensor)
}

type sgd struct{}

func (sgd) Step(w, grad *hop.Tensor) { w.SubInPlace(grad.MulScalarInPlace(0.1)) }

func train(o Optimizer) { o.Step(data(), data()) }

func interfaceMethod() {
	train(sgd{}) // want `Optimizer.Step is declared to write w, but sgd.Step writes its grad through MulScalarInPlace \(HOP902\)`
}

type relu struct{}

func (*relu) Forward(x *hop.Tensor) *hop.Tensor { return x.ReluInPlace() }

func interfaceOfPackage() {
	helper.Run(&relu{}, data()) // want `Layer.Forward is declared pure, but \(\*relu\).Forward writes its x through ReluInPlace \(HOP902\)` `Layer.Forward is declared pure, but the result of \(\*relu\).Forward shares storage with its x \(HOP902\)`
}

// Model is a function with its weights.
type Model struct {
	W *hop.Tensor
	//hop:returns fresh
	Predict func(x *hop.Tensor) *hop.Tensor
}

func storedFunction() {
	_ = Model{Predict: same} // want `Model.Predict is declared to return fresh, but the result of same shares storage with its x \(HOP902\)`
}

func storedClosure() {
	var m Model
	m.Predict = func(x *hop.Tensor) *hop.Tensor { return x.Narrow(0, 0, 1) } // want `Model.Predict is declared to return fresh, but the result of the function shares storage with its x \(HOP902\)`
}

func (m *Model) weights(*hop.Tensor) *hop.Tensor { return m.W }

func storedMethod() {
	m := &Model{W: data()}
	m.Predict = m.weights // want `Model.Predict is declared to return fresh, but the result of weights shares storage with m.W \(HOP902\)`
}
