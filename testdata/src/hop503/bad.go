// Package hop503 holds statements that do nothing because a result is dropped, and the same programs put right.
package hop503

import (
	"hoplint.test/helper"

	"github.com/hoplint/hoplint/runtime/hop"
)

// Bad lists the programs that break the rule. The runtime cannot know what becomes of a result: it runs each.
var Bad = []func(){dropped, chained, free, inBody, inLoop, deferred, element, otherPackage, converted}

func zeros() *hop.Tensor { return hop.Zeros(hop.Float64, 2) }

func series() *hop.Tensor { return hop.Ones(hop.Float64, 4, 2) }

func dropped() {
	sum := zeros()
	sum.Add(hop.Ones(hop.Float64, 2)) // want `the result of Add is dropped \(HOP503\); assign it, e.g. sum = sum.Add\(hop.Ones\(hop.Float64, 2\)\)`
	sum.Neg().Sum()                   // want `the result of Sum is dropped \(HOP503\); assign the result`
	_ = sum.Clone()
}

func chained() {
	x := zeros()
	x.AddScalar(1).Exp() // want `the result of Exp is dropped \(HOP503\)`
}

func free() {
	a, b := zeros(), zeros()
	hop.Concat(0, a, b) // want `the result of Concat is dropped \(HOP503\)`
	hop.Clone(a)        // want `the result of Clone is dropped \(HOP503\)`
}

func inBody() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		carry.Add(x) // want `the result of Add is dropped \(HOP503\); assign it, e.g. carry = carry.Add\(x\)`
		return carry.Mul(x), x.Clone()
	}, zeros(), series())
}

func inLoop() {
	sum := zeros()
	for range 3 {
		sum.AddScalar(1) // want `the result of AddScalar is dropped \(HOP503\)`
	}
	_ = sum.Clone()
}

func deferred() {
	x := zeros()
	defer x.Neg() // want `the result of Neg is dropped \(HOP503\)`
}

func element() {
	list := []*hop.Tensor{zeros()}
	list[0].Exp() // want `the result of Exp is dropped \(HOP503\); assign the result`
}

func otherPackage() {
	helper.Scaled(zeros(), 2) // want `the result of Scaled is dropped \(HOP503\)`
}

func converted() {
	x := zeros()
	x.To(hop.Float32) // want `the result of To is dropped \(HOP503\)`
	_ = x.Clone()
}
