package exec

import (
	"fmt"

	"github.com/hoplint/hoplint/tracer"
)

// checkMap: a map is a scan without carries. The attribute batch_size bounds the rows that are computed together.
func checkMap(n *tracer.Node) error {
	if size := n.Attrs.Get("batch_size"); size != nil {
		if k, ok := size.(int); !ok || k < 1 {
			return fmt.Errorf("batch_size is %v, it is the number of rows that are computed together", size)
		}
	}
	return checkScan(n)
}

const (
	// batchBytes is the size up to which the largest value of a batch may grow: some of them then fit in a near cache.
	batchBytes = 1 << 17
	// maxBatch bounds the rows of a batch: beyond, the cost of a step is spread thin enough.
	maxBatch = 512
)

// mapped binds a map or vmap node: batch by batch where that gives each row the value of the body alone, else row by
// row. Rows of one number whose ops are elementwise are done strip by strip.
func (f *frame) mapped(n *tracer.Node) (*value, error) {
	g, length, k := n.Graphs[0], n.Attrs.Int("length"), n.Attrs.Int("n_xs")
	size, fixed := n.Attrs.Get("batch_size").(int)
	if !fixed {
		size = batchOf(g)
	}
	size = min(size, length)
	if size < 2 && !fixed || length == 0 || k == 0 || length/size > 0 && newBatch(g, k, size, f.lib) == nil {
		return f.scan(n)
	}
	level := f.levels[n]
	results := f.results(n, level)
	if err := f.batches(n, results.parts, size, 0, length/size, level); err != nil {
		return nil, err
	}
	rest := length % size
	if rest == 0 {
		return results, nil
	}
	return results, f.batches(n, results.parts, rest, length-rest, 1, level)
}

// batchOf returns how many rows to compute together; 1 when the body computes numbers only.
func batchOf(g *tracer.Graph) int {
	most, numbers := 1, true
	for _, list := range [][]*tracer.Node{g.Inputs, g.Nodes} {
		for _, n := range list {
			if n.Meta.IsTensor() {
				most = max(most, elemsOf(n)*n.Meta.DType.Size())
				numbers = numbers && len(n.Meta.Shape) == 0
			}
		}
	}
	if numbers {
		return 1
	}
	return min(batchBytes/most, maxBatch)
}

// batches binds a loop over count batches of size rows, from row first on.
func (f *frame) batches(n *tracer.Node, results []*value, size, first, count, level int) error {
	k := n.Attrs.Int("n_xs")
	g := newBatch(n.Graphs[0], k, size, f.lib).graph
	o := operands{
		xs: g.Inputs[:k], lifted: g.Inputs[k:], captured: f.valuesOf(n.Args[k:]),
		ys: g.Outputs, rows: make([]*value, len(results)),
	}
	for _, xs := range f.valuesOf(n.Args[:k]) {
		o.stacks = append(o.stacks, xs.batches(size, first, count))
	}
	for i, r := range results {
		if r != nil {
			o.rows[i] = r.batches(size, first, count)
		}
	}
	s := &scan{node: n, graph: g, length: count, batch: size, done: first, total: n.Attrs.Int("length")}
	return f.loop(s, o, level)
}

// batches returns the window [count, size, …] of the rows from first on.
func (v *value) batches(size, first, count int) *value {
	r := v.rowsFrom(first)
	r.Shape = append([]int{count, size}, v.Shape[1:]...)
	r.Strides = append([]int{size * v.Strides[0], v.Strides[0]}, v.Strides[1:]...)
	return r
}
