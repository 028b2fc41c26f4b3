package hop

import (
	"errors"
	"fmt"
	"go/token"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/internal/pytree"
	"github.com/hoplint/hoplint/tracer"
)

// ErrMaxSteps is the cause of the error that a loop with [MaxSteps] ends with when it would run on.
var ErrMaxSteps = errors.New("more steps than MaxSteps allows")

// MaxSteps lets a while loop run n steps; one more is an error that unwraps to [ErrMaxSteps].
func MaxSteps(n int) Option { return option{"MaxSteps", func(o *options) { o.maxSteps = n }} }

// WhileLoop runs carry = body(carry) as long as cond(carry) holds, and returns the last carry.
//
// Shapes: cond returns one bool of any rank; the carry keeps structure, shape and dtype. A loop without turns returns a
// copy of init.
// Aliasing: the result shares no storage with init or captured tensors; neither function may write the carry or
// captured tensors (HOP101, HOP104), body must not return them (HOP301, HOP303). cond may return part of the carry.
// Options: [MaxSteps], [Stepwise], [Observe], [WithContext], [Progress].
// Errors: panics with *[Error]; see [Try].
// Gradient: through stacked carries; a loop without turns has that of the identity.
// Source: jax.lax.while_loop; pytorch #145298 (mutation and aliasing).
//
//hop:body cond(carry), body(carry)
//hop:returns fresh
func WhileLoop[C any](cond func(C) *Tensor, body func(C) C, init C, opts ...Option) C {
	h := begin("WhileLoop", opts, "MaxSteps", "Stepwise", "Observe", "WithContext", "Progress")
	if cond == nil || body == nil {
		h.misuse("%s is nil; pass a func(carry)", nameNil(cond == nil, "cond function", "body function"))
	}
	if h.opts.has("MaxSteps") && h.opts.maxSteps < 0 {
		h.misuse("MaxSteps is %d; want 0 or more", h.opts.maxSteps)
	}
	test, turn := &h.contract.Bodies[0], &h.contract.Bodies[1]
	l := &loop{hopCall: h, init: h.flatten(init, turn.In[0], "init")}
	l.cond = onCarry(l, test, cond, "predicate")
	l.body = onCarry(l, turn, body, "next carry")
	l.body.index = 1
	l.refuseEmpty()
	results := h.execute(l.init.leaves, l.whileStepwise, l.whileTraced)
	return pytree.Unflatten[C](l.init.tree, results)
}

// ForLoop runs carry = body(i, carry) for i from lower to upper-1 and returns the last carry.
//
// Shapes: i is an int64 scalar; the carry keeps structure, shape and dtype. upper ≤ lower gives a copy of init.
// Aliasing: the result shares no storage with init or captured tensors; body must not write or return i, the carry or
// captured tensors (HOP101, HOP103–HOP303).
// Options: [Stepwise], [Observe], [WithContext], [Progress].
// Errors: panics with *[Error]; see [Try].
// Gradient: like [Scan] over the indices.
// Source: jax.lax.fori_loop with static bounds.
//
//hop:body body(operand, carry)
//hop:returns fresh
func ForLoop[C any](lower, upper int, body func(i *Tensor, carry C) C, init C, opts ...Option) C {
	h := begin("ForLoop", opts, "Stepwise", "Observe", "WithContext", "Progress")
	if body == nil {
		h.misuse("body function is nil; pass a func(i, carry) carry")
	}
	spec := &h.contract.Bodies[0]
	l := &loop{hopCall: h, init: h.flatten(init, spec.In[1], "init"), lower: lower, upper: max(lower, upper)}
	l.index = h.flatten(Scalar(int64(lower)), spec.In[0], "index")
	l.body = onIndex(l, spec, body)
	l.refuseEmpty()
	results := h.execute(l.init.leaves, l.forStepwise, l.forTraced)
	return pytree.Unflatten[C](l.init.tree, results)
}

// onCarry is the body that calls f on the carry alone.
func onCarry[C, R any](l *loop, spec *hopcheck.Body, f func(C) R, out string) *body {
	b := &body{spec: spec, pos: l.sourceOf(f)}
	b.run = func(ins [][]*Tensor) (outs, touched []group) {
		c := pytree.Unflatten[C](l.init.tree, ins[0])
		r := f(c)
		return []group{l.flatten(r, spec.Out[0], out)}, []group{l.flatten(c, spec.In[0], "carry")}
	}
	return b
}

// onIndex is the body that calls f on the index and the carry.
func onIndex[C any](l *loop, spec *hopcheck.Body, f func(*Tensor, C) C) *body {
	b := &body{spec: spec, pos: l.sourceOf(f)}
	b.run = func(ins [][]*Tensor) (outs, touched []group) {
		c := pytree.Unflatten[C](l.init.tree, ins[1])
		next := f(ins[0][0], c)
		return []group{l.flatten(next, spec.Out[0], "next carry")},
			[]group{l.flatten(ins[0][0], spec.In[0], "index"), l.flatten(c, spec.In[1], "carry")}
	}
	return b
}

// loop is a call of WhileLoop or ForLoop on flat leaves.
type loop struct {
	*hopCall
	init         group
	cond, body   *body // cond of a while loop only
	index        group // of a for loop only
	lower, upper int
}

// refuseEmpty refuses a carry without leaves: nothing could change from turn to turn.
func (l *loop) refuseEmpty() {
	if len(l.init.leaves) == 0 {
		l.misuse("init has no leaves; the carry needs at least one tensor or hop.Int")
	}
}

// predicate is the one tensor that cond returned, checked.
func (l *loop) predicate(outs []group) *Tensor {
	if len(outs[0].leaves) == 0 {
		l.misuse("cond function returns nil; return one bool")
	}
	p := outs[0].leaves[0]
	l.oneElement(p, "predicate", p.DType() == Bool, "a bool")
	return p
}

// tooManySteps is the error for a loop that would run on after MaxSteps.
func tooManySteps(name string, limit int, pos token.Position) *Error {
	return &Error{HOP: name, Step: limit, Position: pos, Err: ErrMaxSteps,
		Detail: fmt.Sprintf("the predicate still holds after %d steps, as many as MaxSteps allows; raise MaxSteps or correct the condition", limit)}
}

func (l *loop) whileStepwise(g *tag) []*Tensor {
	carry := l.init
	var needed []*Tensor
	for k := 0; ; k++ {
		r := l.newStep(l.cond, k, g)
		p := l.predicate(r.call([]group{carry}, [][]*Tensor{r.give(carry)}))
		needed = append(needed, r.needed...)
		if !element[bool](p) {
			l.long.done(k, k)
			break
		}
		l.long.done(k, -1)
		if l.opts.has("MaxSteps") && k == l.opts.maxSteps {
			panic(tooManySteps(l.contract.Name, k, l.pos))
		}
		r = l.newStep(l.body, k, g)
		carry.leaves = r.call([]group{carry}, [][]*Tensor{r.give(carry)})[0].leaves
		needed = append(needed, r.needed...)
	}
	if carry.leaves[0] == l.init.leaves[0] {
		needed = append(needed, l.captures(l.body, []group{carry}, leafMetas(carry.leaves))...)
	}
	return l.lastCarry(carry, needed)
}

// lastCarry are the results of a stepwise loop: copies of init when it made no turn.
func (l *loop) lastCarry(carry group, needed []*Tensor) []*Tensor {
	results := make([]*Tensor, len(carry.leaves))
	for i, t := range carry.leaves {
		if results[i] = t; t == l.init.leaves[i] && !t.isInt() {
			results[i] = tagged(t, nil).Clone()
		}
	}
	gate(results, append(needed, l.init.leaves...))
	return results
}

func (l *loop) whileTraced(m *hopTrace) []*Tensor {
	carry := leafMetas(l.init.leaves)
	pred, outs := l.trace(m, l.cond, []group{l.init}, [][]tracer.Meta{m.stepMetas(carry)})
	l.predicate(outs)
	if lit, ok := pred.Graph.Outputs[0].Attrs.Get("value").(*tracer.Literal); ok && pred.Graph.Outputs[0].Op == tracer.OpLiteral && lit.Data[0] != 0 {
		l.misuse("cond function always returns true, so the loop never ends; let the predicate depend on the carry")
	}
	step, _ := l.trace(m, l.body, []group{l.init}, [][]tracer.Meta{m.stepMetas(carry)})
	attrs := tracer.Attrs{{Key: "n_carry", Value: len(l.init.leaves)}}
	if l.opts.has("MaxSteps") {
		attrs = append(attrs, tracer.Attr{Key: "max_steps", Value: l.opts.maxSteps})
	}
	return m.hop("while_loop", []*tracer.Body{pred, step}, m.inputs(l.init.leaves, "init"), attrs, tuple(m.stepMetas(carry)), l.pos)
}

func (l *loop) forStepwise(g *tag) []*Tensor {
	carry := l.init
	var needed []*Tensor
	for k := l.lower; k < l.upper; k++ {
		r := l.newStep(l.body, k-l.lower, g)
		index := l.index
		index.leaves = []*Tensor{Scalar(int64(k))}
		carry.leaves = r.call([]group{index, carry}, [][]*Tensor{r.give(index), r.give(carry)})[0].leaves
		needed = append(needed, r.needed...)
		l.long.done(k-l.lower+1, l.upper-l.lower)
	}
	if l.lower == l.upper {
		needed = l.captures(l.body, []group{l.index, carry}, leafMetas(l.index.leaves), leafMetas(carry.leaves))
	}
	return l.lastCarry(carry, needed)
}

func (l *loop) forTraced(m *hopTrace) []*Tensor {
	carry := leafMetas(l.init.leaves)
	b, _ := l.trace(m, l.body, []group{l.index, l.init}, [][]tracer.Meta{leafMetas(l.index.leaves), m.stepMetas(carry)})
	attrs := tracer.Attrs{{Key: "n_carry", Value: len(l.init.leaves)}, {Key: "lower", Value: l.lower}, {Key: "upper", Value: l.upper}}
	return m.hop("for_loop", []*tracer.Body{b}, m.inputs(l.init.leaves, "init"), attrs, tuple(m.stepMetas(carry)), l.pos)
}
