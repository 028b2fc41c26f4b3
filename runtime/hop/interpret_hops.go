package hop

import (
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// branch runs the branch of a cond or switch node that its head chooses.
func (in interpreter) branch(n *tracer.Node, ins []*Tensor) []*Tensor {
	k := 0
	if head := concrete(ins[0], n.Op); n.Op == "switch" {
		k = clampedIndex(head, len(n.Graphs))
	} else if !element[bool](head) {
		k = 1
	}
	return fresh(in.inside(n, k, once).run(n.Graphs[k], ins[1:], nil), ins)
}

// whileLoop runs the turns of a while loop node.
func (in interpreter) whileLoop(n *tracer.Node, ins []*Tensor) []*Tensor {
	nCarry := n.Attrs.Int("n_carry")
	carry, lifted := slices.Clone(ins[:nCarry]), ins[nCarry:]
	limit, limited := n.Attrs.Get("max_steps").(int)
	for k := 0; ; k++ {
		args := slices.Concat(carry, lifted)
		if !element[bool](concrete(in.inside(n, 0, k).run(n.Graphs[0], args, nil)[0], n.Op)) {
			in.done(k, k)
			return fresh(carry, ins)
		}
		in.done(k, -1)
		if limited && k == limit {
			panic(tooManySteps(n.Op, limit, n.Pos))
		}
		carry = forwarded(n.Graphs[1], carry, in.inside(n, 1, k).run(n.Graphs[1], args, nil))
	}
}

// whileSweeps runs the turns of a loop and the further ways over them.
func (in interpreter) whileSweeps(n *tracer.Node, ins []*Tensor) []*Tensor {
	counts, operands := n.Attrs.Ints("carries"), ins
	all := 0
	for _, k := range counts {
		all += k
	}
	lifted := ins[all:]
	limit, limited := n.Attrs.Get("max_steps").(int)
	var kept [][]*Tensor // of each step, the ys so far
	var results []*Tensor
	for i, k := range counts {
		carry := slices.Clone(ins[:k])
		ins = ins[k:]
		turn := func(step int) {
			outs := in.inside(n, 1+i, step).run(n.Graphs[1+i], slices.Concat(carry, kept[step], lifted), nil)
			carry, kept[step] = outs[:k:k], append(kept[step], outs[k:]...)
		}
		switch {
		case i == 0:
			for element[bool](concrete(in.inside(n, 0, len(kept)).run(n.Graphs[0], slices.Concat(carry, lifted), nil)[0], n.Op)) {
				if limited && len(kept) == limit {
					panic(tooManySteps(n.Op, limit, n.Pos))
				}
				kept = append(kept, nil)
				turn(len(kept) - 1)
			}
		case i%2 == 1:
			for step := len(kept) - 1; step >= 0; step-- {
				turn(step)
			}
		default:
			for step := range kept {
				turn(step)
			}
		}
		results = append(results, carry...)
	}
	return fresh(results, operands)
}

// forLoop runs the turns of a for loop node.
func (in interpreter) forLoop(n *tracer.Node, ins []*Tensor) []*Tensor {
	nCarry, lower := n.Attrs.Int("n_carry"), n.Attrs.Int("lower")
	carry, lifted := slices.Clone(ins[:nCarry]), ins[nCarry:]
	for i := lower; i < n.Attrs.Int("upper"); i++ {
		args := slices.Concat([]*Tensor{Scalar(int64(i))}, carry, lifted)
		next := in.inside(n, 0, i-lower).run(n.Graphs[0], args, nil)
		for j, o := range n.Graphs[0].Outputs { // the index comes before the carry
			if o.Op == "clone" && o.Args[0] == n.Graphs[0].Inputs[1+j] {
				next[j] = carry[j]
			}
		}
		carry = next
		in.done(i-lower+1, n.Attrs.Int("upper")-lower)
	}
	return fresh(carry, ins)
}

// mapped runs the rows of a map node.
func (in interpreter) mapped(n *tracer.Node, ins []*Tensor) []*Tensor {
	nXs, length := n.Attrs.Int("n_xs"), n.Attrs.Int("length")
	if length == 0 {
		return emptyScan(n, nil, traceOf(ins))
	}
	rows := make([][]*Tensor, len(n.Meta.Elems))
	for i := range length {
		outs := in.inside(n, 0, i).run(n.Graphs[0], slices.Concat(slicesAt(ins[:nXs], i), ins[nXs:]), nil)
		for j, y := range outs {
			rows[j] = append(rows[j], tagged(y, nil))
		}
		in.done(i+1, length)
	}
	return stackRows(rows)
}

// associativeScan combines the elements of an associative scan node one after the other.
func (in interpreter) associativeScan(n *tracer.Node, ins []*Tensor) []*Tensor {
	nXs, length := n.Attrs.Int("n_xs"), n.Attrs.Int("length")
	if length == 0 {
		return emptyScan(n, ins[:nXs], traceOf(ins))
	}
	acc := slicesAt(ins[:nXs], 0)
	rows := make([][]*Tensor, nXs)
	for i := range length {
		if i > 0 {
			acc = in.inside(n, 0, i-1).run(n.Graphs[0], slices.Concat(acc, slicesAt(ins[:nXs], i), ins[nXs:]), nil)
		}
		for j, t := range acc {
			rows[j] = append(rows[j], tagged(t, nil))
		}
		in.done(i+1, length)
	}
	return stackRows(rows)
}

// slicesAt returns slice i of every tensor along dim 0.
func slicesAt(xs []*Tensor, i int) []*Tensor {
	list := make([]*Tensor, len(xs))
	for j, x := range xs {
		list[j] = tagged(x, nil).Select(0, i)
	}
	return list
}

// stackRows returns each list of rows as one tensor.
func stackRows(rows [][]*Tensor) []*Tensor {
	list := make([]*Tensor, len(rows))
	for j, r := range rows {
		list[j] = Stack(0, r...)
	}
	return list
}

// fresh copies those results that are operands, because a body may forward what it was given, and those that do not lie
// in row-major order.
func fresh(results, operands []*Tensor) []*Tensor {
	for i, t := range results {
		if slices.Contains(operands, t) && !t.isInt() {
			results[i] = tagged(t, nil).Clone()
		}
	}
	return settled(results)
}
