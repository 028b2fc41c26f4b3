package hop

import (
	"fmt"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/internal/pytree"
	"github.com/hoplint/hoplint/tracer"
)

// branching is a call of Cond or Switch on flat leaves: the same operands for every branch, one of which runs.
type branching struct {
	*hopCall
	head     *Tensor // chooses the branch
	bodies   []*body
	operands group
	out      *pytree.Tree // found by running a branch
	choose   func(head *Tensor) int
}

// branch is the body that calls f, which is branch k of the operator.
func branch[O, R any](b *branching, k int, spec hopcheck.Body, f func(O) R) *body {
	bd := &body{spec: &spec, index: k, pos: b.sourceOf(f)}
	bd.run = func(ins [][]*Tensor) (outs, touched []group) {
		o := pytree.Unflatten[O](b.operands.tree, ins[0])
		r := f(o)
		return []group{b.flatten(r, spec.Out[0], "output")}, []group{b.flatten(o, spec.In[0], "operand")}
	}
	return bd
}

// run executes the operator and returns its flat results; b.out is their structure.
func (b *branching) run() []*Tensor {
	return b.execute(append([]*Tensor{b.head}, b.operands.leaves...), b.stepwise, b.traced)
}

// stepwise calls the branch that is taken and no other.
func (b *branching) stepwise(g *tag) []*Tensor {
	r := b.newStep(b.bodies[b.choose(b.head)], once, g)
	outs := r.call([]group{b.operands}, [][]*Tensor{r.give(b.operands)})
	b.out = outs[0].tree
	results := outs[0].leaves
	gate(results, append(append([]*Tensor(nil), b.operands.leaves...), r.needed...))
	return results
}

// traced traces every branch, so that all are checked whatever the head says.
func (b *branching) traced(m *hopTrace) []*Tensor {
	closed := make([]*tracer.Body, len(b.bodies))
	outs := make([]group, len(b.bodies))
	metas := make([][]tracer.Meta, len(b.bodies))
	for k, bd := range b.bodies {
		var groups []group
		closed[k], groups = b.trace(m, bd, []group{b.operands}, [][]tracer.Meta{leafMetas(b.operands.leaves)})
		outs[k] = groups[0]
		outs[k].slot.Label = bd.spec.Words
		metas[k] = leafMetas(outs[k].leaves)
		if k > 0 {
			if e := b.sameMeta(b.contract.SameMeta[0], &outs[k], &outs[0], bd.pos); e != nil {
				panic(e)
			}
		}
	}
	b.out = outs[0].tree
	ins := append([]*Tensor{m.input(b.head, "head")}, m.inputs(b.operands.leaves, "operand")...)
	return m.hop(b.contract.Name, closed, ins, nil, tuple(m.resultMetas(metas...)), b.pos)
}

// oneElement refuses a predicate or an index that is not one element of the right dtype.
func (h *hopCall) oneElement(t *Tensor, what string, ok bool, want string) {
	if t == nil {
		h.misuse("%s is nil; pass %s of one element", what, want)
	}
	if t.NumElems() == 1 && ok {
		return
	}
	f := hopcheck.Finding{Code: hopcheck.CarryMismatch, HOP: h.contract.Name, Remedy: hopcheck.ChooserRemedy(want, t.DType() == Bool, t.count() == 1),
		Detail: fmt.Sprintf("%s is %s, want %s of one element", what, describe(t.meta()), want)}
	panic(refusal(f, h.pos))
}
