package hop

import (
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// associativeScan is the derivative of an associative scan. Because combine is associative, every result is the one
// before it combined with its element, in whatever order the operator has combined them. So the adjoint is that of a
// fold whose carries are the results themselves: O(n) work and O(n) memory, with the whole Jacobian of combine by both
// of its arguments, and nothing kept but what the caller has anyway.
func (d *derivative) associativeScan() {
	n := d.node
	k := n.Attrs.Int("n_xs")
	length, _ := n.Attrs.Size("length")
	d.forward.graph = sizedNodeGraph(d.symbols, n, metasOf(n.Args))
	d.kept, d.keepsResults, d.captured = k, true, k
	d.build = func(operands, ys, cotangents, sums []*Tensor) []*Tensor {
		want := slices.Insert(slices.Clone(d.want), 0, d.want[:k]...) // the first carry is the first element
		l := &loopLayout{body: n.Graphs[0], carry: k, xs: k, length: length.Sub(tracer.Const(1)), want: wantedCarries(n.Graphs[0], want, k), symbols: d.symbols}
		l.reads = derivativeReads(d.symbols, l.body, l.want)
		if isSize(length, 1) {
			return append(cotangents[:k:k], sums[k:]...)
		}
		rest := intIn(traceOf(operands), l.length)
		from := func(ts []*Tensor, start int) []*Tensor {
			list := make([]*Tensor, len(ts))
			for i, t := range ts {
				if t != nil {
					list[i] = t.NarrowSym(0, IntOf(start), rest)
				}
			}
			return list
		}
		first := make([]*Tensor, k)
		var kept, later []*Tensor
		last := make([]*Tensor, k)
		for i, t := range cotangents {
			first[i] = operands[i].Select(0, 0)
			if t != nil {
				last[i] = t.SelectSym(0, rest)
			}
		}
		before, dBefore := from(ys, 0), from(cotangents, 0)
		for i := range k {
			if l.want[i] && dBefore[i] != nil || l.reads[i] {
				l.keptCarry, kept, later = append(l.keptCarry, i), append(kept, before[i]), append(later, dBefore[i])
			}
		}
		grads := l.adjoint(slices.Concat(first, from(operands[:k], 1), operands[k:]), kept, append(last, later...), sums[k:])
		for i := range k {
			if d.want[i] {
				later := orZeros(grads[k+i], from(operands[i:i+1], 1)[0])
				grads[k+i] = Concat(0, orZeros(grads[i], first[i]).Unsqueeze(0), later)
			}
		}
		return grads[k:]
	}
}
