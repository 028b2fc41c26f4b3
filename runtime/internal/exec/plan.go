package exec

import (
	"fmt"
	"strings"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

// Plan returns the graph that runs, after all passes, with a comment behind each node: how often it is computed when
// that is less often than its body runs, what it is computed together with, and where its result lies. It is read back
// by [tracer.Parse]. The plan is that for inputs in row-major order.
//
//	// 1040 bytes of memory; 0 buffers for results
//	graph ema(c: f64[64], x: f64[100, 64]) {
//	  scan: (f64[64], f64[100, 64]) = scan(…) { // 100 steps; carry 0 where it is computed; by rows
//	    graph combine(c: f64[64], x: f64[64]) {
//	      mul_scalar: f64[64] = mul_scalar(c; value=0.9) // part of add
//	      add: f64[64] = add(mul_scalar, x) // mul_add, in y 0
//	…
func (p *Program) Plan() (string, error) {
	arrays := func(nodes ...[]*tracer.Node) []kernels.Array {
		var list []kernels.Array
		for _, nodes := range nodes {
			for _, n := range nodes {
				shape, _ := n.Meta.ConstShape()
				list = append(list, kernels.Contiguous(nil, n.Meta.DType, shape))
			}
		}
		return list
	}
	notes := map[*tracer.Node]string{}
	inst, err := bindWith(p, arrays(p.graph.Inputs, p.graph.Constants), arrays(p.graph.Outputs), notes)
	if err != nil {
		return "", p.named(err)
	}
	text := p.graph.Annotated(func(n *tracer.Node) string { return notes[n] })
	return fmt.Sprintf("// %d %s of memory; %d %s for results\n%s", inst.heap.bytes, plural(inst.heap.bytes, "byte"),
		inst.heap.buffers, plural(inst.heap.buffers, "buffer"), text), nil
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	if word == "batch" {
		return "batches"
	}
	return word + "s"
}

// remark adds to the comment on n.
func (f *frame) remark(n *tracer.Node, format string, args ...any) {
	if f.notes == nil {
		return
	}
	text := fmt.Sprintf(format, args...)
	if f.notes[n] != "" {
		text = f.notes[n] + "; " + text
	}
	f.notes[n] = text
}

// describe notes how n, the value of which is v, is computed.
func (f *frame) describe(n *tracer.Node, v *value) {
	if f.notes == nil || n.Op == tracer.OpGet {
		return
	}
	var words []string
	add := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	if fused, ok := f.fusions[n]; ok {
		add("%s", fused.op.Op)
	}
	switch level := f.levels[n]; {
	case n.Op == tracer.OpLiteral, level >= f.scope.depth:
	case f.scope.gated:
		add("once, when the body first runs")
	case level == 0:
		add("once, before the loop")
	default:
		add("once in a step of loop %d", level)
	}
	b, owns := f.memory.inUse[n]
	m := f.claims[n]
	switch {
	case f.written[n]:
		add("writes where %s lies", n.Args[0].Name)
	case v.parts != nil:
	case m != nil && v.mv == m && v.off == 0:
		add("in %s", m)
	case f.places[n] != nil && v == f.places[n]:
		add("in its slot")
	case f.isView(n) && v.Ptr == nil && v.mv == nil, f.isView(n) && v.mv != nil:
		add("a view")
	case owns:
		add("buffer %d of %d bytes", b.number, b.bytes)
	}
	if len(words) > 0 {
		f.remark(n, "%s", strings.Join(words, ", "))
	}
}

// String names the place that a mover points to: output 0, y 1, carry 2.
func (m *mover) String() string { return fmt.Sprintf("%s %d", m.what, m.index) }

// describe names where the carries of a loop lie.
func (c *carries) describe() string {
	var words []string
	k := 0
	for j, init := range c.inits {
		place := "in a slot"
		if !init.scalar() {
			switch m := &c.moving[k]; {
			case m.updated:
				place = "written in place"
			case m.kept:
				place = "never changed"
			case m.next == nil:
				place = "where it is computed"
			default:
				place = "in two buffers"
			}
			k++
		}
		words = append(words, fmt.Sprintf("carry %d %s", j, place))
	}
	return strings.Join(words, ", ")
}
