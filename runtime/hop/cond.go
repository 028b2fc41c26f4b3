package hop

import "github.com/hoplint/hoplint/runtime/internal/pytree"

// Cond returns onTrue(operands) where pred is true and onFalse(operands) otherwise.
//
// Shapes: pred is one bool of any rank; both branches return the same structure, shapes and dtypes.
// Traced, both branches are called once and checked, whatever pred says; under [Stepwise] only the one that is taken.
// Aliasing: results share no storage with operands or captured tensors; branches must not write or return them
// (HOP103–HOP303). An identity branch returns a copy: func(x T) T { return x.Clone() }.
// Options: [Stepwise], [Observe].
// Errors: panics with *[Error]; see [Try].
// Gradient: that of the branch taken; operands and captures that only the other uses get zeros.
// Source: pytorch #145298 (mutation and aliasing), #142518 (zeros for the branch not taken).
//
//hop:body onTrue(operand), onFalse(operand)
//hop:returns fresh
func Cond[O, R any](pred *Tensor, onTrue, onFalse func(O) R, operands O, opts ...Option) R {
	h := begin("Cond", opts, "Stepwise", "Observe")
	if onTrue == nil || onFalse == nil {
		h.misuse("%s is nil; pass a func(operands) result", nameNil(onTrue == nil, "true branch", "false branch"))
	}
	h.oneElement(pred, "predicate", pred != nil && pred.DType() == Bool, "a bool")
	b := &branching{hopCall: h, head: pred, operands: h.flatten(operands, h.contract.Bodies[0].In[0], "operands")}
	b.bodies = []*body{branch(b, 0, h.contract.Bodies[0], onTrue), branch(b, 1, h.contract.Bodies[1], onFalse)}
	b.choose = func(p *Tensor) int {
		if element[bool](p) {
			return 0
		}
		return 1
	}
	results := b.run()
	return pytree.Unflatten[R](b.out, results)
}

func nameNil(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

// element reads the one element of a concrete tensor.
func element[T Elem](t *Tensor) T { return elems[T](t.storage, t.offset, 1)[0] }
