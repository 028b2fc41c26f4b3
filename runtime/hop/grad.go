package hop

import (
	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/internal/pytree"
)

// The functional family. Each function runs its argument once: it is traced and checked like the body of any HOP, then
// its graph runs on the tape. Called in a traced body, the derivative is recorded into that body's graph.

// Grad returns the gradient of f, which gives one number: a function from x to the derivatives by each leaf of x.
//
// Shapes: the gradient has the structure of x; each leaf has dtype and shape of x's leaf. It is zeros where f does not
// depend on a leaf, and nil where the leaf is no float.
// Aliasing: the gradient is fresh; f must not write x or captured tensors (HOP103, HOP104). Its result may be x itself.
// Errors: panics with *[Error] when f breaks its contract or gives anything but one float; see [Try].
// Gradient: the gradient is differentiable, by x and by captured tensors that require grad; Grad(Grad(f)) is the second
// derivative. Grad and requires-grad of the leaves of x stay as they are.
// Source: reverse accumulation; levels of nested derivatives are told apart by the age of their operands (Siskind and
// Pearlmutter 2005, "Perturbation confusion and referential transparency").
//
//hop:body f(operand)
func Grad[X any](f func(X) *Tensor) func(X) X {
	return func(x X) X {
		h := begin("Grad", nil)
		_, _, g := valueAndGrad(h, f, f != nil, x, func(x X) (*Tensor, None) { return f(x), None{} })
		return g
	}
}

// ValueAndGrad is [Grad] that also returns the value of f.
//
// Shapes, aliasing, errors, gradient: as for [Grad]; the value is a copy.
//
//hop:body f(operand)
func ValueAndGrad[X any](f func(X) *Tensor) func(X) (*Tensor, X) {
	return func(x X) (*Tensor, X) {
		h := begin("ValueAndGrad", nil)
		y, _, g := valueAndGrad(h, f, f != nil, x, func(x X) (*Tensor, None) { return f(x), None{} })
		return y, g
	}
}

// ValueAndGradAux is [ValueAndGrad] for a function that gives something more, which is passed on and not
// differentiated.
//
// Shapes, errors, gradient: as for [Grad]; the aux value is any pytree.
// Aliasing: everything returned is fresh; the aux value must not share storage with x or captured tensors (HOP301,
// HOP303).
//
//hop:body f(operand)
func ValueAndGradAux[X, A any](f func(X) (*Tensor, A)) func(X) (*Tensor, A, X) {
	return func(x X) (*Tensor, A, X) {
		return valueAndGrad(begin("ValueAndGradAux", nil), f, f != nil, x, f)
	}
}

// valueAndGrad runs f, the user's function fn, whose contract has one output or, behind it, aux.
func valueAndGrad[X, A any](h *hopCall, fn any, given bool, x X, f func(X) (*Tensor, A)) (*Tensor, A, X) {
	if !given {
		h.misuse("function is nil; pass a func(x) of one number")
	}
	in := h.flatten(x, h.contract.Bodies[0].In[0], "argument")
	l := h.linearize(scalarBody(h, fn, f, in.tree), in)
	y := h.scalar(l.outs[0])
	grads := l.pull([]*Tensor{ones(y)})
	n := len(l.flat())
	all := l.finished(append(l.flat(), grads...))
	l.setOuts(all[:n])
	var aux A
	if len(l.outs) > 1 {
		aux = pytree.Unflatten[A](l.outs[1].tree, l.outs[1].leaves)
	}
	return l.outs[0].leaves[0], aux, pytree.Unflatten[X](in.tree, all[n:])
}

// scalarBody is f, which calls the user's function fn, as a body: its first result is a bare tensor.
func scalarBody[X, A any](h *hopCall, fn any, f func(X) (*Tensor, A), tree *pytree.Tree) *body {
	spec := &h.contract.Bodies[0]
	return &body{spec: spec, pos: h.sourceOf(fn), run: func(ins [][]*Tensor) (outs, touched []group) {
		x := pytree.Unflatten[X](tree, ins[0])
		y, aux := f(x)
		outs = []group{h.flatten(y, spec.Out[0], "result")}
		if len(spec.Out) > 1 {
			outs = append(outs, h.flatten(aux, spec.Out[1], "aux"))
		}
		return outs, []group{h.flatten(x, spec.In[0], "argument")}
	}}
}

// scalar returns the one number that a differentiated function gave, or refuses what it gave instead.
func (h *hopCall) scalar(g group) *Tensor {
	if len(g.leaves) == 0 {
		h.misuse("function gives nil; return a tensor of one element")
	}
	y := g.leaves[0]
	switch {
	case !y.DType().IsFloat():
		h.misuse("function gives %s, which has no gradient; convert it with To(Float64)", describe(y.meta()))
	case y.NumElems() != 1:
		h.misuse("function gives %s; reduce it to one element, e.g. with Sum", describe(y.meta()))
	}
	return y
}

// mapBody is f as a body from one pytree to another.
func mapBody[X, Y any](h *hopCall, spec *hopcheck.Body, f func(X) Y, tree *pytree.Tree) *body {
	return &body{spec: spec, pos: h.sourceOf(f), run: func(ins [][]*Tensor) (outs, touched []group) {
		x := pytree.Unflatten[X](tree, ins[0])
		outs = []group{h.flatten(f(x), spec.Out[0], "result")}
		return outs, []group{h.flatten(x, spec.In[0], "argument")}
	}}
}

// VJP returns f(x) and the transposed derivative of f there: a function from cotangents of f(x) to gradients of x.
//
// Shapes: a cotangent has structure, dtypes and shapes of f(x), a gradient those of x. A nil leaf of a cotangent stands
// for zeros; leaves that are no floats have no cotangents and nil gradients.
// Aliasing: everything returned is fresh; f must not write x or captured tensors nor return them (HOP103–HOP303).
// Errors: panics with *[Error] when f breaks its contract or a cotangent does not fit (HOP201); see [Try].
// Gradient: value and gradients are differentiable, by x, by cotangents and by captured tensors that require grad.
// Source: reverse accumulation; f runs once, the returned function may be called any number of times.
//
//hop:body f(operand)
//hop:returns fresh, fresh
func VJP[X, Y any](f func(X) Y, x X) (Y, func(Y) X) {
	h := begin("VJP", nil)
	l := linearizeMap(h, f, x)
	like := l.outs[0]
	y := l.finished(like.leaves)
	like.slot = hopcheck.Slot{Role: hopcheck.Output}
	pull := func(cotangent Y) X {
		cts := h.matched(cotangent, hopcheck.Slot{Role: hopcheck.Operand, Label: "cotangent"}, &like, userPosition())
		return pytree.Unflatten[X](l.x.tree, l.finished(l.pull(cts), given(cts)...))
	}
	return pytree.Unflatten[Y](like.tree, y), pull
}

// given returns the tensors of ts that are not nil.
func given(ts []*Tensor) []*Tensor {
	var list []*Tensor
	for _, t := range ts {
		if t != nil {
			list = append(list, t)
		}
	}
	return list
}

// linearizeMap flattens x and runs f there.
func linearizeMap[X, Y any](h *hopCall, f func(X) Y, x X) *linear {
	if f == nil {
		h.misuse("function is nil; pass a func(x) y")
	}
	spec := &h.contract.Bodies[0]
	in := h.flatten(x, spec.In[0], "argument")
	return h.linearize(mapBody(h, spec, f, in.tree), in)
}

// JVP returns f(x) and its derivative in the direction dx.
//
// Shapes: dx has structure, dtypes and shapes of x, the derivative those of f(x). A nil leaf of dx stands for zeros;
// leaves that are no floats have no direction and nil derivatives.
// Aliasing: everything returned is fresh; f must not write x or captured tensors nor return them (HOP103–HOP303).
// Errors: panics with *[Error] when f breaks its contract or dx does not fit (HOP201); see [Try].
// Gradient: value and derivative are differentiable, by x, dx and captured tensors that require grad.
// Source: the transposed derivative is linear in its cotangent, and its transpose is the derivative (Townsend 2017, "A
// new trick for calculating Jacobian vector products"). It costs about three runs of f.
//
//hop:body f(operand)
//hop:returns fresh, fresh
func JVP[X, Y any](f func(X) Y, x, dx X) (Y, Y) {
	h := begin("JVP", nil)
	l := linearizeMap(h, f, x)
	like := l.x
	direction := h.matched(dx, hopcheck.Slot{Role: hopcheck.Operand, Label: "direction"}, &like, h.pos)
	out := l.outs[0]
	n := len(out.leaves)
	all := l.finished(append(out.leaves[:n:n], l.push(direction)...), given(direction)...)
	return pytree.Unflatten[Y](out.tree, all[:n]), pytree.Unflatten[Y](out.tree, all[n:])
}

// push applies the derivative: from directions of the leaves of x, nil for zero, to those of the flat results, nil for
// results that are no floats.
func (l *linear) push(directions []*Tensor) []*Tensor {
	results := l.flat()
	since := nextStamp()
	cotangents := make([]*Tensor, len(results))
	for i, t := range results {
		if !t.DType().IsFloat() {
			continue
		}
		zeros := zerosFor(t)
		if tr := traceOf([]*Tensor{t}); tr != nil {
			zeros = ofValue(valueIn(tr, zeros))
		}
		cotangents[i] = zeros
	}
	floats := given(cotangents)
	places := leads(floats)
	k := 0
	for i, c := range cotangents {
		if c != nil {
			cotangents[i] = places[k]
			k++
		}
	}
	return l.pullFrom(l.pull(cotangents), directions, cotangents, since)
}
