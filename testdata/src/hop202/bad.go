// Package hop202 holds values that are no pytrees, and the same programs put right.
package hop202

import (
	"hoplint.test/helper"

	"github.com/hoplint/hoplint/runtime/hop"
)

// Bad lists the programs that break the rule; the runtime refuses each.
var Bad = []func(){goValue, unexported, pointer, intKeys, nested, output, typeArgument, typeArgumentElsewhere}

func zeros() *hop.Tensor { return hop.Zeros(hop.Float64, 2) }

func series() *hop.Tensor { return hop.Ones(hop.Float64, 4, 2) }

type counted struct {
	Sum *hop.Tensor
	N   int
}

func goValue() {
	hop.Scan(func(carry counted, x *hop.Tensor) (counted, *hop.Tensor) { // want `scan: init.N is int: a Go value is no leaf \(HOP202\); make it a tensor with Scalar, or tag the field hop:"static" when it never changes`
		return counted{Sum: carry.Sum.Add(x), N: carry.N}, x.Clone()
	}, counted{Sum: zeros()}, series())
}

type hidden struct{ sum *hop.Tensor }

func unexported() {
	hop.Scan(func(carry hidden, x *hop.Tensor) (hidden, *hop.Tensor) { // want `init.sum is \*hop.Tensor: an unexported field is out of reach.*\(HOP202\)`
		return hidden{carry.sum.Add(x)}, x.Clone()
	}, hidden{zeros()}, series())
}

type state struct{ Sum *hop.Tensor }

type model struct{ State *state }

func pointer() {
	hop.Scan(func(carry model, x *hop.Tensor) (model, *hop.Tensor) { // want `init.State is \*hop202.state: a pointer to a container may be shared or nil \(HOP202\); pass the value`
		return model{&state{carry.State.Sum.Add(x)}}, x.Clone()
	}, model{&state{zeros()}}, series())
}

type table struct{ Rows map[int]*hop.Tensor }

func intKeys() {
	hop.Scan(func(carry *hop.Tensor, x table) (*hop.Tensor, *hop.Tensor) { // want `xs.Rows is map\[int\]\*hop.Tensor: the keys of a map must be strings.*\(HOP202\)`
		return carry.Add(x.Rows[0]), x.Rows[0].Clone()
	}, zeros(), table{map[int]*hop.Tensor{0: series()}})
}

func nested() {
	hop.Scan(func(carry *hop.Tensor, x []counted) (*hop.Tensor, *hop.Tensor) { // want `xs\[\].N is int: a Go value is no leaf.*\(HOP202\)`
		return carry.Add(x[0].Sum), x[0].Sum.Clone()
	}, zeros(), []counted{{Sum: series()}})
}

type result struct{ Value any }

func output() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, result) { // want `y.Value is interface {}: an interface hides what it holds \(HOP202\); use the concrete type`
		return carry.Add(x), result{x.Clone()}
	}, zeros(), series())
}

func fold[S any](init S) S {
	last, _ := hop.Scan(func(carry S, x *hop.Tensor) (S, *hop.Tensor) { return hop.Clone(carry), x.Clone() }, init, series())
	return last
}

func typeArgument() {
	fold(counted{Sum: zeros()}) // want `scan: init.N is int: a Go value is no leaf \(HOP202\); make it a tensor with Scalar, or tag the field hop:"static" when it never changes`
}

func typeArgumentElsewhere() {
	helper.Fold(hidden{zeros()}, series()) // want `scan: init.sum is \*hop.Tensor: an unexported field is out of reach.*\(HOP202\)`
}
