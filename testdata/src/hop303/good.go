package hop303

import "github.com/hoplint/hoplint/runtime/hop"

// Good lists the programs that keep the rule; the runtime runs each.
var Good = []func(){copied, copiedRow, madeInside, read, wrapped}

func copied() {
	mean := zeros()
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return mean.Clone(), x.Clone()
	}, zeros(), series())
}

func copiedRow() {
	table := series()
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return carry.Add(x), table.Select(0, 1).Clone()
	}, zeros(), series())
}

func madeInside() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return carry.Add(x), hop.Ones(hop.Float64, 2)
	}, zeros(), series())
}

func read() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return carry.Add(one), x.Mul(one)
	}, zeros(), series())
}

func wrapped() {
	table := []float64{1, 2}
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		return carry.Add(x), hop.Wrap(table)
	}, zeros(), series())
}
