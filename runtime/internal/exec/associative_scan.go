package exec

import (
	"fmt"
	"unsafe"

	"github.com/hoplint/hoplint/tracer"
)

func checkAssociativeScan(n *tracer.Node) error {
	k := n.Attrs.Int("n_xs")
	if len(n.Graphs) != 1 {
		return fmt.Errorf("associative_scan has %d bodies, it takes 1", len(n.Graphs))
	}
	g := n.Graphs[0]
	if k < 1 || len(n.Args) < k || len(g.Inputs) != len(n.Args)+k || len(g.Outputs) != k || len(n.Meta.Elems) != k {
		return fmt.Errorf("associative_scan with %d xs has %d arguments and %d results, its body %d inputs and %d outputs",
			k, len(n.Args), len(n.Meta.Elems), len(g.Inputs), len(g.Outputs))
	}
	length, ok := n.Attrs.Get("length").(int)
	if !ok {
		return fmt.Errorf("length is %v; only a constant number of elements can be run", n.Attrs.Get("length"))
	}
	for i, in := range g.Inputs[:2*k] {
		if shape, _ := n.Args[i%k].Meta.ConstShape(); len(shape) == 0 || shape[0] != length || !in.Meta.Equal(g.Outputs[i%k].Meta) {
			return fmt.Errorf("argument %d is %s, input %d %s, output %s; xs have %d elements like the outputs",
				i%k, n.Args[i%k].Meta, i, in.Meta, g.Outputs[i%k].Meta, length)
		}
	}
	return nil
}

// associativeScan binds an associative_scan node. The order of the combinations is a function of the graph and its
// shapes alone: batches of a tree when elements are numbers and the graph of combine can be run on batches, else from
// left to right.
func (f *frame) associativeScan(n *tracer.Node) (*value, error) {
	level, k := f.levels[n], n.Attrs.Int("n_xs")
	results := f.results(n, level)
	length := n.Attrs.Int("length")
	if length < 2 {
		f.unchanged(n, n.Args[:k], results, level)
		return results, nil
	}
	if t := newTree(n, f.lib); t != nil {
		return results, f.tree(t, results, level)
	}
	return results, f.fold(n, results, level)
}

// fold binds a scan whose carry and y are the combination so far.
func (f *frame) fold(n *tracer.Node, results *value, level int) error {
	g, k := n.Graphs[0], n.Attrs.Int("n_xs")
	o := operands{
		carries: g.Inputs[:k], xs: g.Inputs[k : 2*k], lifted: g.Inputs[2*k:], captured: f.valuesOf(n.Args[k:]),
		next: g.Outputs, ys: g.Outputs, last: make([]*value, k), rows: make([]*value, k),
	}
	for j, arg := range n.Args[:k] {
		xs := f.env[arg]
		first := xs.row(0, level)
		if r := results.parts[j]; r != nil && r.elems() > 0 {
			f.emit(level, instr{run: copying(r.row(0, level), first), node: n})
			o.rows[j] = r.rowsFrom(1)
		}
		if first.scalar() && first.mv != nil {
			first = f.slotFor(n, first, level)
		}
		o.inits, o.stacks = append(o.inits, first), append(o.stacks, xs.rowsFrom(1))
	}
	return f.loop(&scan{node: n, graph: g, length: n.Attrs.Int("length") - 1, done: 1, total: n.Attrs.Int("length")}, o, level)
}

// slotFor copies a rank-0 value that moves to a fixed slot, where an operator of the given level is run.
func (f *frame) slotFor(n *tracer.Node, v *value, level int) *value {
	slot := f.fixed(v.DType, nil, level)
	f.emit(level, instr{run: copying(slot, v), node: n})
	return slot
}

// row returns the window of row i.
func (v *value) row(i, level int) *value {
	r := v.rowsFrom(i)
	r.Shape, r.Strides, r.level = v.Shape[1:], v.Strides[1:], level
	return r
}

// rowsFrom returns the window without the first i rows.
func (v *value) rowsFrom(i int) *value { return v.every(i, 1) }

// every returns the window of each step-th row from row first on.
func (v *value) every(first, step int) *value {
	r := *v
	r.Shape = append([]int{max(0, (v.Shape[0]-first+step-1)/step)}, v.Shape[1:]...)
	r.Strides = append([]int{v.Strides[0] * step}, v.Strides[1:]...)
	if r.elems() > 0 {
		skip := first * v.Strides[0] * v.DType.Size()
		r.off += skip
		if v.Ptr != nil {
			r.Ptr = unsafe.Add(v.Ptr, skip)
		}
	}
	return &r
}
