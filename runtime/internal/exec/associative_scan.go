package exec

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/hoplint/hoplint/tracer"
	"github.com/hoplint/hoplint/tracer/passes"
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
	if t := newTree(n, results, f.lib); t != nil {
		return results, f.tree(t, results, level)
	}
	return results, f.fold(n, results, level)
}

// fold binds a scan whose carry and y are the combination so far. Leaves of the combination that neither the caller nor
// another one reads are not computed: the next state of a recurrence does not need the product of all factors so far.
func (f *frame) fold(n *tracer.Node, results *value, level int) error {
	k := n.Attrs.Int("n_xs")
	g, kept := running(n, results, f.lib)
	o := operands{
		lifted: g.Inputs[2*k:], captured: f.valuesOf(n.Args[k:]),
		next: g.Outputs, ys: g.Outputs, last: make([]*value, len(kept)), rows: make([]*value, len(kept)),
	}
	read := readIn(g)
	for _, m := range n.Graphs[0].Nodes {
		if !slices.Contains(g.Nodes, m) {
			f.remark(m, "not computed: nobody reads it")
		}
	}
	for j, arg := range n.Args[:k] {
		if in := g.Inputs[k+j]; read[in] {
			o.xs, o.stacks = append(o.xs, in), append(o.stacks, f.env[arg].rowsFrom(1))
		}
	}
	for i, j := range kept {
		first := f.env[n.Args[j]].row(0, level)
		if r := results.parts[j]; r != nil && r.elems() > 0 {
			f.emit(level, instr{run: copying(r.row(0, level), first), node: n})
			o.rows[i] = r.rowsFrom(1)
		}
		if first.scalar() && first.mv != nil {
			first = f.slotFor(n, first, level)
		}
		o.carries, o.inits = append(o.carries, g.Inputs[j]), append(o.inits, first)
	}
	return f.loop(&scan{node: n, graph: g, length: n.Attrs.Int("length") - 1, done: 1, total: n.Attrs.Int("length")}, o, level)
}

// running returns the combine function without the outputs that nobody reads when the left element is always the
// combination so far, and the indices of those that are left. An output is read by the caller, or because the left
// leaf of its index is.
func running(n *tracer.Node, results *value, lib Library) (part *tracer.Graph, kept []int) {
	g, k := n.Graphs[0], n.Attrs.Int("n_xs")
	want := make([]bool, k)
	for j, r := range results.parts {
		want[j] = r != nil
	}
	for again := true; again; {
		again = false
		part = passes.Part(g, want, Traits(lib))
		read := readIn(part)
		for j, left := range g.Inputs[:k] {
			if read[left] && !want[j] {
				want[j], again = true, true
			}
		}
	}
	for j, w := range want {
		if w {
			kept = append(kept, j)
		}
	}
	return part, kept
}

// readIn are the nodes that a graph reads or gives.
func readIn(g *tracer.Graph) map[*tracer.Node]bool {
	read := map[*tracer.Node]bool{}
	for _, n := range g.Nodes {
		for _, a := range n.Args {
			read[a] = true
		}
	}
	for _, o := range g.Outputs {
		read[o] = true
	}
	return read
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
