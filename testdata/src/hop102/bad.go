// Package hop102 holds bodies that write their slice of xs, and the same programs put right.
package hop102

import (
	"hoplint.test/helper"

	"github.com/hoplint/hoplint/runtime/hop"
)

// Bad lists the programs that break the rule; the runtime refuses each.
var Bad = []func(){direct, window, twoWindows, field, fromFactory, method, swapped, mapped, mappedField}

type row struct{ Price, Volume *hop.Tensor }

func zeros() *hop.Tensor { return hop.Zeros(hop.Float64, 2) }

func series() *hop.Tensor { return hop.Ones(hop.Float64, 4, 2) }

func rows() row { return row{Price: series(), Volume: series()} }

func direct() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		x.SubInPlace(carry) // want `scan: combine function writes its x through SubInPlace \(HOP102\)`
		return carry.Add(x), x.Clone()
	}, zeros(), series())
}

func window() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		helper.Window(x).Fill(0) // want `writes its x through Fill \(HOP102\)`
		return carry.Add(x), x.Clone()
	}, zeros(), series())
}

func twoWindows() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		for i := range 2 {
			x.Narrow(0, i, 1).MulScalarInPlace(2) // want `writes its x through MulScalarInPlace \(HOP102\)`
		}
		return carry.Add(x), x.Clone()
	}, zeros(), series())
}

func field() {
	hop.Scan(func(carry *hop.Tensor, x row) (*hop.Tensor, *hop.Tensor) {
		x.Price.MulInPlace(x.Volume) // want `writes its x.Price through MulInPlace \(HOP102\)`
		return carry.Add(x.Price), x.Price.Clone()
	}, zeros(), rows())
}

func weighted(by float64) func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
	return func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		x.MulScalarInPlace(by) // want `writes its x through MulScalarInPlace \(HOP102\)`
		return carry.Add(x), x.Clone()
	}
}

func fromFactory() { hop.Scan(weighted(0.5), zeros(), series()) }

type filter struct{ gain float64 }

func (f filter) step(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
	x.MulScalarInPlace(f.gain) // want `writes its x through MulScalarInPlace \(HOP102\)`
	return carry.Add(x), x.Clone()
}

func method() {
	f := filter{gain: 0.5}
	hop.Scan(f.step, zeros(), series())
}

type pair struct{ a, b *hop.Tensor }

func mix(a, b *pair, x *hop.Tensor) {
	a.a = x
	b.a.AddInPlace(b.b)
}

func swapped() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		p := pair{a: zeros(), b: carry}
		mix(&p, &p, x) // want `writes its x through AddInPlace \(HOP102\)`
		return carry.Add(x), x.Clone()
	}, zeros(), series())
}

func mapped() {
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		x.TanhInPlace() // want `map: function writes its x through TanhInPlace \(HOP102\)`
		return x.Neg()
	}, series())
}

func mappedField() {
	hop.Map(func(x []*hop.Tensor) *hop.Tensor {
		x[1].AddInPlace(x[0]) // want `map: function writes its x\[\] through AddInPlace \(HOP102\)`
		return x[1].Neg()
	}, []*hop.Tensor{series(), series()})
}
