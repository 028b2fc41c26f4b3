// Package helper holds functions that combine functions of other packages call, so that what they do must be seen
// across packages.
package helper

import "github.com/hoplint/hoplint/runtime/hop"

// Scale writes its argument.
func Scale(t *hop.Tensor, by float64) { t.MulScalarInPlace(by) }

// Window is a view of its argument.
func Window(t *hop.Tensor) *hop.Tensor { return t.Narrow(0, 0, 1) }

// Scaled leaves its argument as it is.
func Scaled(t *hop.Tensor, by float64) *hop.Tensor { return t.MulScalar(by) }

// Apply calls f with t; what that does depends on f.
func Apply(f func(*hop.Tensor), t *hop.Tensor) { f(t) }

// Accumulate is a combine function that writes its carry.
func Accumulate(carry, x *hop.Tensor) (next, y *hop.Tensor) {
	carry.AddInPlace(x)
	return carry.Clone(), carry.Clone()
}
