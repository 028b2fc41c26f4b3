package hop

// Jacobian returns the derivatives of all results of f by all elements of its argument.
//
// Shapes: f takes [in...] and gives [out...], both float; the Jacobian is [out..., in...] in the dtype of the argument.
// Aliasing: fresh; f must not write its argument or captured tensors nor return them (HOP103–HOP303).
// Errors: panics with *[Error] when f breaks its contract or one of the two is no float; see [Try].
// Gradient: differentiable, by the argument and by captured tensors that require grad.
// Source: one run of f, one transposed derivative for each element of its result.
//
//hop:body f(operand)
func Jacobian(f func(*Tensor) *Tensor) func(*Tensor) *Tensor {
	return func(x *Tensor) *Tensor {
		h := begin("Jacobian", nil)
		if x == nil || !x.DType().IsFloat() {
			h.misuse("argument is %s; pass a float tensor", kindOf(x))
		}
		l := linearizeMap(h, f, x)
		if len(l.outs[0].leaves) == 0 || !l.outs[0].leaves[0].DType().IsFloat() {
			h.misuse("function gives %s; return a float tensor", kindOf(leafOf(l.outs[0].leaves)))
		}
		return l.finished([]*Tensor{l.rows(l.outs[0].leaves[0], l.since)})[0]
	}
}

// Hessian returns the second derivatives of f, which gives one number.
//
// Shapes: f takes [in...], float, and gives one float; the Hessian is [in..., in...].
// Aliasing: fresh; f must not write its argument or captured tensors (HOP103, HOP104). Its result may be the argument.
// Errors: panics with *[Error] when f breaks its contract or gives anything but one float; see [Try].
// Gradient: differentiable, by the argument and by captured tensors that require grad.
// Source: one run of f, one of its gradient, one transposed derivative of that for each element of the argument.
//
//hop:body f(operand)
func Hessian(f func(*Tensor) *Tensor) func(*Tensor) *Tensor {
	return func(x *Tensor) *Tensor {
		h := begin("Hessian", nil)
		if x == nil || !x.DType().IsFloat() {
			h.misuse("argument is %s; pass a float tensor", kindOf(x))
		}
		if f == nil {
			h.misuse("function is nil; pass a func(x) of one number")
		}
		in := h.flatten(x, h.contract.Bodies[0].In[0], "argument")
		l := h.linearize(scalarBody(h, f, func(x *Tensor) (*Tensor, None) { return f(x), None{} }, in.tree), in)
		y := h.scalar(l.outs[0])
		outer := l.onTape
		l.onTape = true
		g := l.pull([]*Tensor{ones(y)})[0]
		l.onTape = outer
		return l.finished([]*Tensor{l.rows(g, l.since)})[0]
	}
}

// rows returns the derivative of y by the one leaf of x, row by row.
func (l *linear) rows(y *Tensor, since uint64) *Tensor {
	x := l.x.leaves[0]
	shape := append(y.Shape(), x.Shape()...)
	n := y.NumElems()
	if n == 0 || x.NumElems() == 0 {
		return newTensor(x.DType(), shape)
	}
	units := Eye(y.DType(), n)
	rows := make([]*Tensor, n)
	for i := range rows {
		unit := units.Select(0, i).Reshape(y.Shape()...)
		rows[i] = l.pullFrom([]*Tensor{y}, []*Tensor{unit}, l.ins, since)[0]
	}
	return Stack(0, rows...).Reshape(shape...)
}

// kindOf describes a tensor that may be nil.
func kindOf(t *Tensor) string {
	if t == nil {
		return "nil"
	}
	return describe(t.meta())
}

func leafOf(ts []*Tensor) *Tensor {
	if len(ts) == 0 {
		return nil
	}
	return ts[0]
}
