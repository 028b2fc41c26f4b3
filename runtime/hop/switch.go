package hop

import (
	"fmt"

	"github.com/hoplint/hoplint/runtime/internal/pytree"
)

// Switch returns branches[index](operands); an index out of range is clamped to the nearest branch. A single branch is
// called whatever the index is, which may be anything then, nil as well.
//
// Shapes: index is one int32 or int64 of any rank; all branches return the same structure, shapes and dtypes.
// Traced, every branch is called once and checked; under [Stepwise] only the one that is taken.
// Aliasing: results share no storage with operands or captured tensors; branches must not write or return them
// (HOP103–HOP303).
// Options: [Stepwise], [Observe].
// Errors: panics with *[Error]; see [Try].
// Gradient: that of the branch taken; operands and captures that only others use get zeros.
// Source: jax.lax.switch (clamped index).
//
//hop:body branches(operand)
//hop:returns fresh
func Switch[O, R any](index *Tensor, branches []func(O) R, operands O, opts ...Option) R {
	h := begin("Switch", opts, "Stepwise", "Observe")
	if len(branches) == 0 {
		h.misuse("there are no branches; pass at least one func(operands) result")
	}
	b := &branching{hopCall: h, head: index, operands: h.flatten(operands, h.contract.Bodies[0].In[0], "operands")}
	for k, f := range branches {
		if f == nil {
			h.misuse("branch %d is nil; pass a func(operands) result", k)
		}
		spec := h.contract.Bodies[0]
		spec.Words = fmt.Sprintf("branch %d", k)
		b.bodies = append(b.bodies, branch(b, k, spec, f))
	}
	if len(branches) == 1 {
		b.head = Scalar(int64(0))
	} else {
		h.oneElement(index, "index", index != nil && index.DType().IsInt(), "an int32 or int64")
	}
	b.choose = func(t *Tensor) int { return clampedIndex(t, len(branches)) }
	results := b.run()
	return pytree.Unflatten[R](b.out, results)
}

// clampedIndex is the branch that an index of one element chooses among n.
func clampedIndex(t *Tensor, n int) int {
	i := int64(0)
	if t.DType() == Int32 {
		i = int64(element[int32](t))
	} else {
		i = element[int64](t)
	}
	return int(min(max(i, 0), int64(n-1)))
}
