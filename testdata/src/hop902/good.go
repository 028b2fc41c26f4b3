package hop902

import (
	"hoplint.test/helper"

	"github.com/hoplint/hoplint/runtime/hop"
)

// Good lists the programs that keep the rule.
var Good = []func(){
	pureKept, writesNamed, partWritten, viewReturned, eitherReturned, interfaceKept, fieldKept, wrapperDeclared,
}

//hop:pure
func half(t *hop.Tensor) *hop.Tensor {
	return t.MulScalar(0.5)
}

func pureKept() { _ = half(data()) }

//hop:mutates dst
//hop:returns dst
func fill(dst, src *hop.Tensor) *hop.Tensor { return dst.CopyFrom(src) }

func writesNamed() { _ = fill(data(), data()) }

//hop:mutates s.Level
func lift(s state, x *hop.Tensor, on bool) {
	if on {
		s.Level.AddInPlace(x)
	}
}

func partWritten() { lift(state{data(), data()}, data(), true) }

//hop:returns view(t)
func first(t *hop.Tensor) *hop.Tensor { return helper.Window(t) }

func viewReturned() { _ = first(data()) }

//hop:returns view(t)|fresh
func flat(t *hop.Tensor) *hop.Tensor { return t.Reshape(-1) }

func eitherReturned() { _ = flat(data()) }

type momentum struct{ rounds int }

func (m *momentum) Step(w, grad *hop.Tensor) {
	m.rounds++
	w.SubInPlace(grad)
}

type neg struct{}

func (neg) Forward(x *hop.Tensor) *hop.Tensor { return x.Neg() }

func interfaceKept() {
	train(&momentum{})
	helper.Run(neg{}, data())
}

func fieldKept() {
	m := Model{Predict: func(x *hop.Tensor) *hop.Tensor { return x.MulScalar(2) }}
	m.Predict(data())
}

// fold is an operator of its own.
//
//hop:body f(carry, x)
func fold(f func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor), init, xs *hop.Tensor) *hop.Tensor {
	last, _ := hop.Scan(f, init, xs)
	return last
}

func wrapperDeclared() {
	fold(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) { return carry.Add(x), x.Clone() }, hop.Zeros(hop.Float64), data())
}
