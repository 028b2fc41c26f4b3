package hop401

import (
	"fmt"
	"strings"

	"github.com/hoplint/hoplint/runtime/hop"
)

// Good lists the programs that keep the rule; the runtime runs each.
var Good = []func(){carried, localState, readOnly, printed, clipped, aroundIt, stepByStep, ownReceiver}

func carried() {
	type state struct{ Sum, Calls *hop.Tensor }
	hop.Scan(func(carry state, x *hop.Tensor) (state, *hop.Tensor) {
		calls := carry.Calls.AddScalar(1)
		return state{carry.Sum.Add(x), calls}, x.Mul(calls)
	}, state{zeros(), hop.Scalar(0.0)}, series())
}

func localState() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		var parts []*hop.Tensor
		by := map[string]*hop.Tensor{"carry": carry}
		n := 0
		count := func() { n++ }
		for range 3 {
			parts = append(parts, carry)
			count()
		}
		by["x"] = x
		delete(by, "carry")
		return hop.Stack(0, parts...).Sum(0).MulScalar(float64(n)), by["x"].Clone()
	}, zeros(), series())
}

type settings struct {
	scale float64
	by    map[string]float64
}

var defaults = settings{2, map[string]float64{"x": 3}}

func readOnly() {
	s := &settings{scale: 0.5}
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		own := *s
		own.scale *= 2
		return carry.MulScalar(own.scale), x.MulScalar(defaults.by["x"])
	}, zeros(), series())
}

func printed() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		var b strings.Builder
		fmt.Fprintf(&b, "rank %d", x.Rank())
		_ = b.String()
		return carry.Add(x), x.Clone()
	}, zeros(), series())
}

func clipped() {
	shared := []int{2}
	open := make([]int, 0, 8)
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		dims := append(shared, x.Rank())
		more := append(open[:0:0], 1)
		return carry.AddScalar(float64(len(dims) + len(more))), x.Clone()
	}, zeros(), series())
}

func aroundIt() {
	runs := 0
	for range 3 {
		runs++
		hop.Map(func(x *hop.Tensor) *hop.Tensor { return x.Neg() }, series())
	}
	_ = runs
}

func stepByStep() {
	steps := 0
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		steps++
		return carry.Add(x), x.Clone()
	}, zeros(), series(), hop.Stepwise())
	if steps != 4 {
		panic("a stepwise body runs once for each step")
	}
}

func (m model) byValue(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
	m.steps++
	return carry.Mul(m.weight).MulScalar(float64(m.steps)), x.Clone()
}

func ownReceiver() { hop.Scan(model{weight: zeros()}.byValue, zeros(), series()) }
