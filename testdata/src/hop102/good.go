package hop102

import "github.com/hoplint/hoplint/runtime/hop"

// Good lists the programs that keep the rule; the runtime runs each.
var Good = []func(){functional, cloned, field2, mappedCopy}

func functional() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		d := x.Sub(carry)
		return carry.Add(d), d
	}, zeros(), series())
}

func cloned() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		x = x.Clone()
		x.Narrow(0, 0, 1).Fill(0)
		return carry.Add(x), x
	}, zeros(), series())
}

func field2() {
	hop.Scan(func(carry *hop.Tensor, x row) (*hop.Tensor, *hop.Tensor) {
		x.Price = x.Price.Mul(x.Volume)
		x.Price.AddInPlace(carry)
		return carry.Add(x.Volume), x.Price
	}, zeros(), rows())
}

func mappedCopy() {
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		y := x.Clone()
		y.TanhInPlace()
		return y
	}, series())
}
