// Package hop402 holds bodies that keep tensors beyond their end, and the same programs put right.
package hop402

import (
	"hoplint.test/helper"

	"github.com/hoplint/hoplint/runtime/hop"
)

// Bad lists the programs that break the rule; the runtime refuses each where the tensor is used.
var Bad = []func(){variable, outerSlice, outerMap, field, receiver, packageVariable, sent, element, inStruct, inInterface,
	inClosure, throughHelper, otherPackage, methodValue, view, loss, inLoop}

func zeros() *hop.Tensor { return hop.Zeros(hop.Float64, 2) }

func series() *hop.Tensor { return hop.Ones(hop.Float64, 4, 2) }

func variable() {
	var last *hop.Tensor
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		next := carry.Add(x)
		last = next // want `scan: combine function stores a tensor made by Add in captured last, a variable of variable \(HOP402\); return the tensor as an output of the body`
		return next, x.Clone()
	}, zeros(), series())
	_ = last.Sum()
}

func outerSlice() {
	var history []*hop.Tensor
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		history = append(history, carry) // want `stores its carry in captured history\[?\]?, a variable of outerSlice \(HOP402\)`
		return carry.Add(x), x.Clone()
	}, zeros(), series())
	_ = history[0].Sum()
}

func outerMap() {
	seen := map[string]*hop.Tensor{}
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		seen["x"] = x // want `stores its x in captured seen\[\], a variable of outerMap \(HOP402\)`
		return carry.Add(x), x.Clone()
	}, zeros(), series())
	_ = seen["x"].Sum()
}

type model struct{ weight, last *hop.Tensor }

func field() {
	m := &model{weight: zeros()}
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		m.last = carry // want `stores its carry in captured m.last, a variable of field \(HOP402\)`
		return carry.Mul(m.weight), x.Clone()
	}, zeros(), series())
	_ = m.last.Sum()
}

func (m *model) step(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
	m.last = x // want `stores its x in captured m.last, reached from the receiver \(HOP402\)`
	return carry.Mul(m.weight), x.Clone()
}

func receiver() {
	m := &model{weight: zeros()}
	hop.Scan(m.step, zeros(), series())
	_ = m.last.Sum()
}

var kept *hop.Tensor

func packageVariable() {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		kept = carry.Mul(x) // want `stores a tensor made by Mul in captured kept, a variable of package hop402 \(HOP402\)`
		return carry.Add(x), x.Clone()
	}, zeros(), series())
	_ = kept.Sum()
}

func sent() {
	out := make(chan *hop.Tensor, 8)
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		out <- x // want `stores its x in captured out, a variable of sent \(HOP402\)`
		return carry.Add(x), x.Clone()
	}, zeros(), series())
	_ = (<-out).Sum()
}

func element() {
	slots := make([]*hop.Tensor, 2)
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		slots[1] = x // want `map: function stores its x in captured slots\[\], a variable of element \(HOP402\)`
		return x.Neg()
	}, series())
	_ = slots[1].Sum()
}

type state struct{ H, C *hop.Tensor }

func inStruct() {
	var saved state
	hop.Scan(func(carry state, x *hop.Tensor) (state, *hop.Tensor) {
		saved = carry // want `stores its carry.* in captured saved, a variable of inStruct \(HOP402\)`
		return state{carry.H.Add(x), carry.C.Add(x)}, x.Clone()
	}, state{zeros(), zeros()}, series())
	_ = saved.H.Sum()
}

func inInterface() {
	var box any
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		box = x // want `stores its x in captured box, a variable of inInterface \(HOP402\)`
		return x.Neg()
	}, series())
	_ = box.(*hop.Tensor).Sum()
}

func inClosure() {
	var last *hop.Tensor
	keep := func(t *hop.Tensor) { last = t }
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		keep(x) // want `stores its x in captured last.* \(HOP402\)`
		return x.Neg()
	}, series())
	_ = last.Sum()
}

func (m *model) keep(t *hop.Tensor) { m.last = t }

func throughHelper() {
	m := &model{}
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		m.keep(x.Neg()) // want `stores a tensor made by Neg in captured m.last, a variable of throughHelper \(HOP402\)`
		return x.Neg()
	}, series())
	_ = m.last.Sum()
}

func otherPackage() {
	var list helper.List
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		list.Push(x) // want `stores its x in captured list.Items.*, a variable of otherPackage \(HOP402\)`
		return x.Neg()
	}, series())
	_ = list.Items[0].Sum()
}

func methodValue() {
	m := &model{}
	keep := m.keep
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		keep(x) // want `stores its x in captured m.last.* \(HOP402\)`
		return x.Neg()
	}, series())
	_ = m.last.Sum()
}

func view() {
	var head *hop.Tensor
	hop.Map(func(x *hop.Tensor) *hop.Tensor {
		head = x.Narrow(0, 0, 1) // want `stores its x in captured head, a variable of view \(HOP402\)`
		return x.Neg()
	}, series())
	_ = head.Sum()
}

func loss() {
	var last *hop.Tensor
	hop.Grad(func(w *hop.Tensor) *hop.Tensor {
		last = w.Square().Sum() // want `grad: function stores a tensor made by Sum in captured last, a variable of loss \(HOP402\)`
		return last.Clone()
	})(zeros())
	_ = last.Neg()
}

func inLoop() {
	var last *hop.Tensor
	hop.ForLoop(0, 3, func(i, carry *hop.Tensor) *hop.Tensor {
		last = i // want `for_loop: body function stores its index operand in captured last, a variable of inLoop \(HOP402\)`
		return carry.AddScalar(1)
	}, zeros())
	_ = last.Neg()
}
