package exec

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

// batchesOf runs p and returns the batches that bodies were run on.
func batchesOf(t *testing.T, p *Program, ins, outs []kernels.Array) []int {
	t.Helper()
	var sizes []int
	err := p.RunWith(RunOptions{Executed: func(n *tracer.Node, elements int) { sizes = append(sizes, elements) }}, ins, outs)
	if err != nil {
		t.Fatal(err)
	}
	return sizes
}

func TestMapValues(t *testing.T) {
	square := op("mul", m(f64), m(f64))
	twice := bodyOf("twice", []tracer.Meta{m(f64)}, func(b *graph, in []*tracer.Node) []*tracer.Node {
		return []*tracer.Node{b.same("mul", in[0], in[0]), in[0], b.literal(f64, 1, 2)}
	})
	add := op("add", m(f64), m(f64))
	rows := bodyOf("rows", []tracer.Meta{m(f64, 2), m(f64)}, func(b *graph, in []*tracer.Node) []*tracer.Node {
		return b.mapped(add, 1, 2, in...)
	})
	mapOf := func(body *graph, nX, length int, metas ...tracer.Meta) *graph {
		return rootOf(metas, func(g *graph, in []*tracer.Node) []*tracer.Node { return g.mapped(body, nX, length, in...) })
	}
	xs := ts(f64, []int{3}, 1, 2, 3)
	checkValues(t, []valueCase{
		{"J1 with the row itself and a literal", mapOf(twice, 1, 3, m(f64, 3)), []tensor{xs}, [][]float64{{1, 4, 9}, {1, 2, 3}, {1, 2, 1, 2, 1, 2}}},
		{"J2", mapOf(square, 1, 3, m(f64, 3), m(f64)), []tensor{xs, ts(f64, nil, 2)}, [][]float64{{2, 4, 6}}},
		{"J3", mapOf(twice, 1, 0, m(f64, 0)), []tensor{ts(f64, []int{0})}, [][]float64{{}, {}, {}}},
		{"J10 map in map", mapOf(rows, 1, 2, m(f64, 2, 2), m(f64)), []tensor{ts(f64, []int{2, 2}, 1, 2, 3, 4), ts(f64, nil, 10)}, [][]float64{{11, 12, 13, 14}}},
	})
}

// rowOps are bodies on rows, all of which have a batch.
func rowOps() map[string]*graph {
	reduced := func() *graph {
		return bodyOf("b", []tracer.Meta{m(f64, 2, 3)}, func(b *graph, in []*tracer.Node) []*tracer.Node {
			return []*tracer.Node{b.node("sum", m(f64), nil, b.with("mul_scalar", 2, in[0])), in[0]}
		})
	}
	return map[string]*graph{
		"a row times a matrix": bodyOf("b", []tracer.Meta{m(f64, 3), m(f64, 3, 2)}, func(b *graph, in []*tracer.Node) []*tracer.Node {
			return []*tracer.Node{b.node("matmul", m(f64, 2), nil, in[0], in[1])}
		}),
		"a matrix times a row": bodyOf("b", []tracer.Meta{m(f64, 3), m(f64, 2, 3)}, func(b *graph, in []*tracer.Node) []*tracer.Node {
			return []*tracer.Node{b.node("matmul", m(f64, 2), nil, in[1], in[0])}
		}),
		"a matrix times its transpose": bodyOf("b", []tracer.Meta{m(f64, 2, 3)}, func(b *graph, in []*tracer.Node) []*tracer.Node {
			return []*tracer.Node{b.node("matmul", m(f64, 2, 2), nil, in[0], b.node("transpose", m(f64, 3, 2), attrs("a", 0, "b", 1), in[0]))}
		}),
		"a captured matrix times a matrix": bodyOf("b", []tracer.Meta{m(f64, 3, 2), m(f64, 2, 3)}, func(b *graph, in []*tracer.Node) []*tracer.Node {
			return []*tracer.Node{b.node("matmul", m(f64, 2, 2), nil, in[1], in[0]), in[1]}
		}),
		"a sum": reduced(),
		"smaller ranks broadcast": bodyOf("b", []tracer.Meta{m(f64, 3), m(f64, 2, 3), m(f64, 2, 3)}, func(b *graph, in []*tracer.Node) []*tracer.Node {
			s := b.node("select", m(f64), attrs("dim", 0, "index", 2), in[0])
			w := b.with("mul_scalar", 2, in[2])
			return []*tracer.Node{b.same("add", in[0], in[1]), b.same("mul", s, w), b.node("expand", m(f64, 2, 3), nil, in[0]), w}
		}),
		"softmax of a row of a view": bodyOf("b", []tracer.Meta{m(f64, 6)}, func(b *graph, in []*tracer.Node) []*tracer.Node {
			v := b.node("transpose", m(f64, 2, 3), attrs("a", 0, "b", 1), b.node("view", m(f64, 3, 2), nil, in[0]))
			row := b.node("narrow", m(f64, 1, 3), attrs("dim", 0, "start", 1, "length", 1), v)
			return []*tracer.Node{b.node("softmax", row.Meta, attrs("dim", 1), row), b.node("permute", m(f64, 3, 2), attrs("dims", []int{1, 0}), v)}
		}),
	}
}

// refSoftmax is the reference of the op of the same name over the last dim.
func refSoftmax(args []tensor, out tensor) {
	n := out.shape[len(out.shape)-1]
	for i := 0; i < len(out.data); i += n {
		s := 0.0
		for _, x := range args[0].data[i : i+n] {
			s += math.Exp(x)
		}
		for k, x := range args[0].data[i : i+n] {
			out.data[i+k] = math.Exp(x) / s
		}
	}
}

// TestMapsInBatchesEqualTheReference: J9: whatever the batch size, the rows have the same values.
func TestMapsInBatchesEqualTheReference(t *testing.T) {
	const length = 10
	r := generator{Rand: rand.New(rand.NewPCG(1, 2))}
	for name, body := range rowOps() {
		for _, size := range []int{0, 1, 3, 5, 10, 99} {
			t.Run(fmt.Sprintf("%s/%d", name, size), func(t *testing.T) {
				metas := metasOf(body.Inputs)
				shape, _ := metas[0].ConstShape()
				metas[0] = m(f64, append([]int{length}, shape...)...)
				g := rootOf(metas, func(g *graph, in []*tracer.Node) []*tracer.Node { return g.mapped(body, 1, length, in...) })
				want := []int{length}
				if size > 0 {
					g.Nodes[0].Attrs = append(g.Nodes[0].Attrs, tracer.Attr{Key: "batch_size", Value: size})
					want = nil
					for done := 0; done < length; done += size {
						want = append(want, min(size, length-done))
					}
				}
				var ins []tensor
				for _, meta := range metas {
					ins = append(ins, r.values(meta))
				}
				check(t, g.Graph, ins, arraysOf(ins))
				if got := batchesOf(t, compiled(t, g), arraysOf(ins), outputsFor(g.Graph)); !slices.Equal(got, want) {
					t.Errorf("ran on batches of %v, want %v", got, want)
				}
			})
		}
	}
}

func TestAssociativeScanValues(t *testing.T) {
	scanOf := func(combine *graph, length int, metas ...tracer.Meta) *graph {
		return rootOf(metas, func(g *graph, in []*tracer.Node) []*tracer.Node { return g.associative(combine, length, in...) })
	}
	right := bodyOf("right", []tracer.Meta{m(f64), m(f64), m(f64), m(f64)}, func(b *graph, in []*tracer.Node) []*tracer.Node {
		return []*tracer.Node{in[3], in[2]} // exchanged: the leaves of the right element
	})
	safe := bodyOf("cond", []tracer.Meta{m(f64, 2), m(f64, 2), m(boolean)}, func(b *graph, in []*tracer.Node) []*tracer.Node {
		return b.cond(op("add", m(f64, 2), m(f64, 2)), op("maximum", m(f64, 2), m(f64, 2)), in[2], in[0], in[1])
	})
	checkValues(t, []valueCase{
		{"F1", scanOf(op("add", m(f64), m(f64)), 4, m(f64, 4)), []tensor{ts(f64, []int{4}, 0, 1, 2, 3)}, [][]float64{{0, 1, 3, 6}}},
		{"F4", scanOf(affine(f64), 3, m(f64, 3), m(f64, 3)), []tensor{ts(f64, []int{3}, 2, 3, 5), ts(f64, []int{3}, 1, 1, 1)}, [][]float64{{2, 6, 30}, {1, 4, 21}}},
		{"F6", scanOf(op("xor", m(boolean), m(boolean)), 6, m(boolean, 6)), []tensor{ts(boolean, []int{6}, 0, 1, 1, 1, 0, 1)}, [][]float64{{0, 1, 0, 1, 1, 0}}},
		{"F7", scanOf(op("matmul", m(f64, 2, 2), m(f64, 2, 2)), 3, m(f64, 3, 2, 2)), []tensor{ts(f64, []int{3, 2, 2}, 1, 2, 3, 4, 0, 1, 1, 0, 1, 1, 0, 1)},
			[][]float64{{1, 2, 3, 4, 2, 1, 4, 3, 2, 3, 4, 7}}},
		{"F14 zero length", scanOf(op("add", m(f64), m(f64)), 0, m(f64, 0)), []tensor{ts(f64, []int{0})}, [][]float64{{}}},
		{"F2 one element", scanOf(op("add", m(f64, 2), m(f64, 2)), 1, m(f64, 1, 2)), []tensor{ts(f64, []int{1, 2}, 3, 4)}, [][]float64{{3, 4}}},
		{"F20", scanOf(safe, 3, m(f64, 3, 2), m(boolean)), []tensor{ts(f64, []int{3, 2}, 1, 2, 3, 4, 5, 6), ts(boolean, nil, 1)}, [][]float64{{1, 2, 4, 6, 9, 12}}},
		{"the right element, leaves exchanged", scanOf(right, 2, m(f64, 2), m(f64, 2)), []tensor{ts(f64, []int{2}, 1, 2), ts(f64, []int{2}, 3, 4)},
			[][]float64{{1, 4}, {3, 2}}},
	})
}

// TestAssociativeScansOfAllLengths: F2, F21: every length equals the fold, in at most 2⌈log2 n⌉ batches; with captured
// values, invariant work, and one leaf that nobody reads.
func TestAssociativeScansOfAllLengths(t *testing.T) {
	combine := bodyOf("combine", []tracer.Meta{m(f64), m(f64, 1), m(f64), m(f64, 1), m(f64)}, func(b *graph, in []*tracer.Node) []*tracer.Node {
		w := b.with("mul_scalar", 0.5, b.with("add_scalar", 1, in[4])) // 1 when the captured value is
		return []*tracer.Node{b.same("maximum", in[0], in[2]), b.same("add", in[1], b.same("mul", w, in[3]))}
	})
	r := generator{Rand: rand.New(rand.NewPCG(1, 2))}
	for n := range 70 {
		metas := []tracer.Meta{m(f64, n), m(f64, n, 1), m(f64)}
		g := rootOf(metas, func(g *graph, in []*tracer.Node) []*tracer.Node {
			return g.associative(combine, n, in...)[n%2:]
		})
		ins := []tensor{r.values(metas[0]), r.values(metas[1]), ts(f64, nil, 1)}
		check(t, g.Graph, ins, arraysOf(ins))
		batches := batchesOf(t, compiled(t, g), arraysOf(ins), outputsFor(g.Graph))
		if most := 2 * bits.Len(uint(max(n, 1)-1)); len(batches) > most || n > 1 && len(batches) == 0 {
			t.Errorf("length %d: %d batches, want 1 to %d", n, len(batches), most)
		}
	}
}

// TestMatricesAreCombinedInOrder: F7, F16: what does not commute, at every length, from windows with strides.
func TestMatricesAreCombinedInOrder(t *testing.T) {
	r := generator{Rand: rand.New(rand.NewPCG(3, 4))}
	for n := range 12 {
		combine := bodyOf("combine", []tracer.Meta{m(f64, 2, 2), m(f64, 2, 2)}, func(b *graph, in []*tracer.Node) []*tracer.Node {
			return []*tracer.Node{b.with("mul_scalar", 0.5, b.same("matmul", in...))}
		})
		g := rootOf([]tracer.Meta{m(f64, n, 2, 2)}, func(g *graph, in []*tracer.Node) []*tracer.Node { return g.associative(combine, n, in...) })
		ins := []tensor{r.values(m(f64, n, 2, 2))}
		check(t, g.Graph, ins, arraysOf(ins))
		backwards := make([]float64, len(ins[0].data))
		for i, v := range ins[0].data {
			backwards[len(backwards)-1-i] = v
		}
		if n > 0 {
			check(t, g.Graph, ins, []kernels.Array{strided(backwards, len(backwards)-1, []int{n, 2, 2}, []int{-4, -2, -1})})
		}
	}
}

// TestFailingRowsAreNamed: a body that can fail runs row by row, or from left to right, and the failing one is named.
func TestFailingRowsAreNamed(t *testing.T) {
	v := m(i64, 2)
	divide := op("div", v, v)
	mapped := rootOf([]tracer.Meta{m(i64, 4, 2), m(i64, 4, 2)}, func(g *graph, in []*tracer.Node) []*tracer.Node { return g.mapped(divide, 2, 4, in...) })
	numbers := rootOf([]tracer.Meta{m(i64, 4), m(i64, 4)}, func(g *graph, in []*tracer.Node) []*tracer.Node {
		return g.mapped(op("div", m(i64), m(i64)), 2, 4, in...)
	})
	folded := rootOf([]tracer.Meta{m(i64, 4, 2)}, func(g *graph, in []*tracer.Node) []*tracer.Node { return g.associative(divide, 4, in...) })
	ones, bad := ts(i64, []int{4, 2}, 1, 1, 1, 1, 1, 1, 1, 1), ts(i64, []int{4, 2}, 1, 1, 1, 1, 1, 0, 1, 1)
	for _, c := range []struct {
		g    *graph
		ins  []tensor
		want string
	}{
		{mapped, []tensor{ones, bad}, "map[2]: div (n3)"},
		{numbers, []tensor{ts(i64, []int{4}, 1, 1, 1, 1), ts(i64, []int{4}, 1, 1, 0, 1)}, "map[2]: div (n3)"},
		{folded, []tensor{bad}, "associative_scan[2]: div (n3)"},
	} {
		p := compiled(t, c.g)
		err := p.Run(arraysOf(c.ins), outputsFor(c.g.Graph))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q in it", err, c.want)
		}
		c.ins[len(c.ins)-1] = ones
		if c.g == numbers {
			c.ins[1] = ts(i64, []int{4}, 1, 1, 1, 1)
		}
		if got := batchesOf(t, p, arraysOf(c.ins), outputsFor(c.g.Graph)); got != nil {
			t.Errorf("%s: ran on batches of %v", c.want, got)
		}
	}
}

// TestUnreadLeavesOfCombinations: whichever results are read, they have the values that they have among all, in a fold
// and in a tree; a leaf that nobody reads is not computed, unless it may fail.
func TestUnreadLeavesOfCombinations(t *testing.T) {
	r := generator{Rand: rand.New(rand.NewPCG(5, 6))}
	for _, shape := range [][]int{nil, {3}} {
		metas := []tracer.Meta{m(f64, shape...), m(f64, shape...), m(f64, shape...), m(f64, shape...)}
		// The second leaf reads the right element of the first, the fourth nothing but the right element of its own.
		combine := bodyOf("combine", slices.Concat(metas, metas), func(b *graph, in []*tracer.Node) []*tracer.Node {
			a, x := in[:4], in[4:]
			return []*tracer.Node{b.same("mul", a[0], x[0]), b.same("add", b.same("mul", x[0], a[1]), x[1]), b.same("maximum", a[2], x[2]), x[3]}
		})
		for n := range 20 {
			dims := append([]int{n}, shape...)
			xs := []tracer.Meta{m(f64, dims...), m(f64, dims...), m(f64, dims...), m(f64, dims...)}
			for set := 1; set < 16; set++ {
				g := rootOf(xs, func(g *graph, in []*tracer.Node) (read []*tracer.Node) {
					for j, get := range g.associative(combine, n, in...) {
						if set>>j&1 != 0 {
							read = append(read, get)
						}
					}
					return read
				})
				var ins []tensor
				for _, x := range xs {
					ins = append(ins, r.values(x))
				}
				check(t, g.Graph, ins, arraysOf(ins))
			}
		}
	}
	v := m(i64, 2)
	divides := bodyOf("combine", []tracer.Meta{v, v, v, v}, func(b *graph, in []*tracer.Node) []*tracer.Node {
		return []*tracer.Node{b.same("div", in[0], in[2]), b.same("add", in[1], in[3])}
	})
	g := rootOf([]tracer.Meta{m(i64, 3, 2), m(i64, 3, 2)}, func(g *graph, in []*tracer.Node) []*tracer.Node {
		return g.associative(divides, 3, in...)[1:]
	})
	ones := ts(i64, []int{3, 2}, 1, 1, 1, 1, 1, 1)
	check(t, g.Graph, []tensor{ones, ones}, arraysOf([]tensor{ones, ones}))
	bad := ts(i64, []int{3, 2}, 1, 1, 1, 1, 1, 0)
	if err := compiled(t, g).Run(arraysOf([]tensor{bad, ones}), outputsFor(g.Graph)); err == nil || !strings.Contains(err.Error(), "associative_scan[2]: div") {
		t.Errorf("a division by zero in a leaf that nobody reads: got %v", err)
	}
}
