// Package hop401 holds bodies that write Go state which outlives them, and the same programs put right.
package hop401

import (
	"hoplint.test/helper"

	"github.com/hoplint/hoplint/runtime/hop"
)

// Bad lists the programs that break the rule. The runtime does not see Go state: it runs each, and counts what the number of
// traces happens to be.
var Bad = []func(){counter, outerSlice, outerMap, outerVariable, field, receiver, packageVariable, deletedKey, spareCapacity,
	sent, throughHelper, otherPackage, inClosure, methodValue, deferred, inBranch, innerBody}

func zeros() *hop.Tensor { return hop.Zeros(hop.Float64, 2) }

func series() *hop.Tensor { return hop.Ones(hop.Float64, 4, 2) }

func counter() {
	calls := 0
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		calls++ // want `scan: combine function writes captured calls, a variable of counter, through assignment \(HOP401\); return the value as y or carry it`
		return carry.Add(x), x.MulScalar(float64(calls))
	}, zeros(), series())
}

func outerSlice() {
	var ranks []int
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		ranks = append(ranks, x.Rank()) // want `scan: combine function writes captured ranks, a variable of outerSlice, through append \(HOP401\)`
		return carry.Add(x), x.Clone()
	}, zeros(), series())
	_ = ranks
}

func outerMap() {
	seen := map[string]int{}
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		seen["x"]++ // want `writes captured seen\[\], a variable of outerMap, through assignment \(HOP401\)`
		return carry.Add(x), x.Clone()
	}, zeros(), series())
}

func outerVariable() {
	label := ""
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		label = "map" // want `map: function writes captured label, a variable of outerVariable, through assignment \(HOP401\)`
		return x.Neg()
	}, series())
	_ = label
}

type model struct {
	weight *hop.Tensor
	steps  int
}

func field() {
	m := &model{weight: zeros()}
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		m.steps++ // want `writes captured m.steps, a variable of field, through assignment \(HOP401\)`
		return carry.Mul(m.weight), x.Clone()
	}, zeros(), series())
}

func (m *model) step(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
	m.steps++ // want `writes captured m.steps, reached from the receiver, through assignment \(HOP401\)`
	return carry.Mul(m.weight), x.Clone()
}

func receiver() { hop.Scan((&model{weight: zeros()}).step, zeros(), series()) }

var total int

func packageVariable() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		total += 2 // want `writes captured total, a variable of package hop401, through assignment \(HOP401\)`
		return carry.Add(x), x.Clone()
	}, zeros(), series())
}

func deletedKey() {
	weights := map[string]*hop.Tensor{"a": zeros()}
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		delete(weights, "a") // want `writes captured weights\[\], a variable of deletedKey, through delete \(HOP401\)`
		return carry.Add(x), x.Clone()
	}, zeros(), series())
}

func spareCapacity() {
	shared := make([]int, 1, 8)
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		local := append(shared, x.Rank()) // want `writes captured shared\[\], a variable of spareCapacity, through append \(HOP401\)`
		return carry.AddScalar(float64(len(local))), x.Clone()
	}, zeros(), series())
}

func sent() {
	ranks := make(chan int, 8)
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		ranks <- x.Rank() // want `writes captured ranks, a variable of sent, through send \(HOP401\)`
		return carry.Add(x), x.Clone()
	}, zeros(), series())
}

func bump(n *int) { *n++ }

func throughHelper() {
	calls := 0
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		bump(&calls) // want `writes captured calls, a variable of throughHelper, through assignment \(HOP401\)`
		return carry.Add(x), x.Clone()
	}, zeros(), series())
}

func otherPackage() {
	var log helper.Log
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		log.Note("step") // want `writes captured log.Lines, a variable of otherPackage, through assignment \(HOP401\)`
		helper.Count()   // want `writes captured helper.Calls, a variable of package helper, through assignment \(HOP401\)`
		return carry.Add(x), x.Clone()
	}, zeros(), series())
}

func inClosure() {
	calls := 0
	count := func() { calls++ }
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		count() // want `writes captured calls.* through assignment \(HOP401\)`
		return carry.Add(x), x.Clone()
	}, zeros(), series())
}

func methodValue() {
	var log helper.Log
	note := log.Note
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		note("step") // want `writes captured l.Lines through assignment \(HOP401\)`
		return carry.Add(x), x.Clone()
	}, zeros(), series())
}

func deferred() {
	depth := 0
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		depth++                    // want `writes captured depth, a variable of deferred, through assignment \(HOP401\)`
		defer func() { depth-- }() // want `writes captured depth, a variable of deferred, through assignment \(HOP401\)`
		return x.Neg()
	}, series())
}

func inBranch() {
	taken := false
	hop.Cond(hop.Scalar(true), func(x *hop.Tensor) *hop.Tensor {
		taken = true // want `cond: true branch writes captured taken, a variable of inBranch, through assignment \(HOP401\)`
		return x.Neg()
	}, func(x *hop.Tensor) *hop.Tensor { return x.Clone() }, zeros())
	_ = taken
}

func innerBody() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		steps := 0
		sum, _ := hop.Scan(func(inner, v *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
			steps++ // want `writes captured steps, a variable of a function literal in innerBody, through assignment \(HOP401\)`
			return inner.Add(v), v.Clone()
		}, hop.Zeros(hop.Float64), x)
		return carry.Add(sum).MulScalar(float64(steps)), x.Clone()
	}, zeros(), series())
}
