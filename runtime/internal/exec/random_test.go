package exec

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

// generator makes random graphs: any value may be a carry, a y, both, twice, or a view of another.
type generator struct {
	*rand.Rand
	// divides lets integers be divided, by zero too.
	divides bool
	// updates makes one op of three replace elements of a value, and lets half of the scans be written out.
	updates bool
}

func (r generator) meta() tracer.Meta {
	dts := []tracer.DType{f64, f64, f32, i64}
	shapes := [][]int{{}, {}, {1}, {3}, {2, 3}, {3, 2}}
	return m(dts[r.IntN(len(dts))], shapes[r.IntN(len(shapes))]...)
}

func (r generator) pick(nodes []*tracer.Node) *tracer.Node { return nodes[r.IntN(len(nodes))] }

// fill adds n random nodes to g and returns all values of the graph.
func (r generator) fill(g *graph, n, depth int) []*tracer.Node {
	values := append([]*tracer.Node{}, g.Inputs...)
	for range n {
		values = append(values, r.op(g, values, depth)...)
	}
	return values
}

func attrs(kv ...any) tracer.Attrs {
	var a tracer.Attrs
	for i := 0; i < len(kv); i += 2 {
		a = append(a, tracer.Attr{Key: kv[i].(string), Value: kv[i+1]})
	}
	return a
}

func (r generator) op(g *graph, values []*tracer.Node, depth int) []*tracer.Node {
	x := r.pick(values)
	shape, _ := x.Meta.ConstShape()
	one := func(n *tracer.Node) []*tracer.Node { return []*tracer.Node{n} }
	limit := func(n *tracer.Node) []*tracer.Node {
		return one(g.node("clamp", n.Meta, attrs("lo", -8.0, "hi", 8.0), n))
	}
	if r.updates && len(shape) > 0 && shape[0] > 0 {
		switch k := r.IntN(12); {
		case k < 4:
			return one(r.update(g, values, x, shape))
		case k < 6 && depth > 0:
			return one(r.table(g, values, x, depth-1))
		}
	}
	switch r.IntN(15) {
	case 0:
		return one(g.same([]string{"neg", "abs", "clone"}[r.IntN(3)], x))
	case 1:
		return one(g.with([]string{"add_scalar", "rsub_scalar", "sub_scalar"}[r.IntN(3)], float64(r.IntN(3)), x))
	case 2:
		if x.Meta.DType.IsFloat() {
			return one(g.with("mul_scalar", []float64{0.5, -0.25, 0.9}[r.IntN(3)], x))
		}
		return one(g.with("mul_scalar", -1, x))
	case 3, 4, 5:
		var fits []*tracer.Node
		for _, y := range values {
			if y.Meta.DType == x.Meta.DType && (len(y.Meta.Shape) == 0 || y.Meta.Equal(x.Meta)) {
				fits = append(fits, y)
			}
		}
		y := r.pick(fits)
		op := []string{"add", "sub", "mul", "maximum"}[r.IntN(4)]
		if r.divides && x.Meta.DType == i64 && r.IntN(2) == 0 {
			op = "div"
		}
		if r.IntN(2) == 0 {
			return limit(g.node(op, x.Meta, nil, x, y))
		}
		return limit(g.node(op, x.Meta, nil, y, x))
	case 6:
		if x.Meta.DType == i64 || x.Meta.DType == f32 {
			return one(g.node("cast", m(f64, shape...), nil, x))
		}
	case 7:
		if len(shape) > 0 && kernels.NumElems(shape) > 0 {
			d := r.IntN(len(shape))
			rest := append(append([]int{}, shape[:d]...), shape[d+1:]...)
			return one(g.node("select", m(x.Meta.DType, rest...), attrs("dim", d, "index", r.IntN(shape[d])), x))
		}
	case 8:
		if len(shape) == 2 {
			return one(g.node("transpose", m(x.Meta.DType, shape[1], shape[0]), attrs("a", 0, "b", 1), x))
		}
	case 9:
		if n := kernels.NumElems(shape); n == 6 {
			return one(g.node("view", m(x.Meta.DType, 3, 2), nil, x))
		} else if n == 1 {
			return one(g.node("view", m(x.Meta.DType, []int{1}[:1-min(1, len(shape))]...), nil, x))
		}
	case 10:
		if len(shape) == 1 && shape[0] == 3 {
			for _, y := range values {
				if y.Meta.Equal(m(x.Meta.DType, 1)) {
					return one(g.node(tracer.OpPut, x.Meta, attrs("view", "narrow", "dim", 0, "start", r.IntN(3), "length", 1), x, y))
				}
			}
			return one(g.node("narrow", m(x.Meta.DType, 1), attrs("dim", 0, "start", r.IntN(3), "length", 1), x))
		}
	case 11:
		return limit(g.node("sum", m(x.Meta.DType), nil, x))
	case 12:
		return one(g.literal(x.Meta.DType, 1, 2, 3))
	default:
		if depth > 0 {
			return r.operator(g, values, depth-1)
		}
	}
	return nil
}

// update replaces a row of x: at a place that is data, or that of a view.
func (r generator) update(g *graph, values []*tracer.Node, x *tracer.Node, shape []int) *tracer.Node {
	row := m(x.Meta.DType, shape[1:]...)
	value := r.like(values, &tracer.Node{Meta: row})
	if value == nil || r.IntN(4) == 0 {
		value = g.node("select", row, attrs("dim", 0, "index", r.IntN(shape[0])), r.pick([]*tracer.Node{x, x, g.same("neg", x)}))
	}
	if r.IntN(2) == 0 {
		return g.node(tracer.OpPut, x.Meta, attrs("view", "select", "dim", 0, "index", r.IntN(shape[0])), x, value)
	}
	index := r.like(values, &tracer.Node{Meta: m(i64)})
	if index == nil {
		index = g.literal(i64, float64(r.IntN(shape[0])))
		index.Meta, index.Attrs[0].Value.(*tracer.Literal).Shape = m(i64), nil
	}
	index = g.node("clamp", index.Meta, attrs("lo", float64(-shape[0]), "hi", float64(shape[0]-1)), index)
	return g.node("put_at", x.Meta, attrs("dim", 0), x, index, value)
}

// scan adds a scan with random carries, xs and captures of values.
func (r generator) scan(g *graph, values []*tracer.Node, depth int) []*tracer.Node {
	length := r.IntN(5)
	var args []*tracer.Node
	body := newGraph(fmt.Sprintf("%s_b%d", g.Name, g.made))
	nCarry, nX := 1+r.IntN(3), 0
	for range nCarry {
		v := r.pick(values)
		args = append(args, v)
		shape, _ := v.Meta.ConstShape()
		body.input(v.Meta.DType, shape...)
	}
	for _, v := range values {
		if shape, _ := v.Meta.ConstShape(); len(shape) > 0 && r.IntN(3) == 0 {
			if nX == 0 {
				length = shape[0]
			}
			if shape[0] == length {
				args = append(args, v)
				body.input(v.Meta.DType, shape[1:]...)
				nX++
			}
		}
	}
	for range r.IntN(3) {
		v := r.pick(values)
		args = append(args, v)
		shape, _ := v.Meta.ConstShape()
		body.input(v.Meta.DType, shape...)
	}
	inner := r.fill(body, 2+r.IntN(8), depth)
	for j := range nCarry {
		var fits []*tracer.Node
		for _, v := range inner {
			if v.Meta.Equal(body.Inputs[j].Meta) {
				fits = append(fits, v)
			}
		}
		body.Outputs = append(body.Outputs, fits[len(fits)-1-r.IntN(min(len(fits), 3))])
	}
	for range r.IntN(4) {
		if r.IntN(2) == 0 {
			body.Outputs = append(body.Outputs, r.pick(body.Outputs))
		} else {
			body.Outputs = append(body.Outputs, r.pick(inner))
		}
	}
	if nX == 0 && r.IntN(4) > 0 {
		length = 1 + r.IntN(4)
	}
	gets := g.scan(body, nCarry, nX, length, args...)
	if n := gets[0].Args[0]; r.updates && r.IntN(2) == 0 {
		n.Attrs = append(n.Attrs, tracer.Attr{Key: "unroll", Value: 1 + r.IntN(4)})
	}
	var used []*tracer.Node
	for _, get := range gets {
		if len(get.Meta.Shape) <= 2 {
			used = append(used, get)
		}
	}
	return used
}

func (r generator) values(meta tracer.Meta) tensor {
	t := newTensor(meta)
	for i := range t.data {
		t.data[i] = float64(r.IntN(9) - 4)
	}
	return t
}

// laidOut returns arrays of the tensors, some of which repeat one element or row, whose values it changes, or are transposed.
func (r generator) laidOut(ins []tensor) []kernels.Array {
	out := arraysOf(ins)
	for i, t := range ins {
		a := &out[i]
		switch r.IntN(3) {
		case 0:
			for d := range t.shape {
				if d == 0 || r.IntN(2) == 0 {
					a.Strides[d] = 0
				}
			}
		case 1:
			if len(t.shape) == 2 {
				a.Strides[0], a.Strides[1] = 1, t.shape[0]
			}
		}
		memory := slices.Clone(t.data)
		for k := range t.data {
			offset, rest := 0, k
			for d := len(t.shape) - 1; d >= 0; d-- {
				offset += rest % t.shape[d] * a.Strides[d]
				rest /= t.shape[d]
			}
			t.data[k] = memory[offset]
		}
	}
	return out
}

func randomProgram(seed uint64) (*graph, []tensor) {
	return generator{Rand: rand.New(rand.NewPCG(seed, 1))}.program()
}

func (r generator) program() (*graph, []tensor) {
	g := newGraph("root")
	var ins []tensor
	for range 1 + r.IntN(4) {
		meta := r.meta()
		shape, _ := meta.ConstShape()
		g.input(meta.DType, shape...)
		ins = append(ins, r.values(meta))
	}
	values := r.fill(g, 3+r.IntN(12), 2)
	for range 4 {
		values = append(values, r.operator(g, values, 2)...)
	}
	for range 1 + r.IntN(6) {
		g.Outputs = append(g.Outputs, r.pick(values))
	}
	g.Outputs = append(g.Outputs, values[len(values)-1])
	return g, ins
}

// TestRandomUpdatesEqualTheReference: what is written in place is read by nobody who wants the old elements.
func TestRandomUpdatesEqualTheReference(t *testing.T) {
	inPlace, operators := 0, 0
	for seed := range uint64(500) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			g, ins := generator{Rand: rand.New(rand.NewPCG(seed, 5)), updates: true}.program()
			check(t, g.Graph, ins, arraysOf(ins))
			plan, err := compiled(t, g).Plan()
			if err != nil {
				t.Fatal(err)
			}
			inPlace += strings.Count(plan, "writes where ")
			operators += strings.Count(plan, " lies where ")
			if back, err := tracer.Parse(plan); err != nil || back.Verify() != nil {
				t.Fatalf("the plan is no graph: %v\n%s", err, plan)
			}
		})
	}
	if inPlace < 200 || operators < 100 {
		t.Errorf("%d updates and %d operators of 500 programs are in place; the generator has become too tame", inPlace, operators)
	}
}

func TestRandomGraphsEqualTheReference(t *testing.T) {
	for seed := range uint64(600) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			g, ins := randomProgram(seed)
			check(t, g.Graph, ins, generator{Rand: rand.New(rand.NewPCG(seed, 7))}.laidOut(ins))
		})
	}
}

// TestRandomGraphsFailWhenTheReferenceDoes: a division by zero is an error where a loop of plain code would meet it,
// and nowhere else; the path leads through the operators around it.
func TestRandomGraphsFailWhenTheReferenceDoes(t *testing.T) {
	failures := 0
	for seed := range uint64(600) {
		r := generator{Rand: rand.New(rand.NewPCG(seed, 3)), divides: true}
		g, ins := r.program()
		fails := false
		func() {
			defer func() {
				if e := recover(); e != nil && e != errDivision {
					panic(e)
				} else if e != nil {
					fails = true
				}
			}()
			interpret(g.Graph, ins)
		}()
		if !fails {
			check(t, g.Graph, ins, arraysOf(ins))
			continue
		}
		failures++
		p := compiled(t, g)
		for range 2 {
			err := p.Run(arraysOf(ins), outputsFor(g.Graph))
			var e *Error
			if !errors.As(err, &e) || e.Op != "div" {
				t.Fatalf("seed %d: got %v, want a failed division", seed, err)
			}
			graphs := []*tracer.Graph{g.Graph}
			for _, f := range e.Path {
				graphs = nodeIn(graphs, f.Node, f.HOP).Graphs[f.Body:][:1]
			}
			if n := nodeIn(graphs, e.Node, e.Op); n.Pos != e.Pos {
				t.Fatalf("seed %d: the path of %v leads to %v", seed, err, n.Pos)
			}
		}
	}
	if failures < 100 {
		t.Errorf("%d of 600 programs fail; the generator has become too tame", failures)
	}
}

// nodeIn returns the node of a name and op in one of the graphs.
func nodeIn(graphs []*tracer.Graph, name, op string) *tracer.Node {
	for _, g := range graphs {
		for _, n := range g.Nodes {
			if n.Name == name && n.Op == op {
				return n
			}
		}
	}
	return &tracer.Node{}
}

func TestConcurrentRunsDoNotMeet(t *testing.T) {
	for seed := range uint64(20) {
		g, _ := randomProgram(seed)
		p, err := Compile(g.Graph, library{})
		if err != nil {
			t.Fatal(err)
		}
		var wait sync.WaitGroup
		for k := range uint64(3) {
			wait.Go(func() {
				r := generator{Rand: rand.New(rand.NewPCG(seed, 100+k))}
				for range 4 {
					var ins []tensor
					for _, in := range g.Inputs {
						ins = append(ins, r.values(in.Meta))
					}
					want, outs := interpret(g.Graph, ins), outputsFor(g.Graph)
					if err := p.Run(arraysOf(ins), outs); err != nil {
						t.Errorf("seed %d: %v", seed, err)
						return
					}
					for i := range outs {
						for e, got := range valuesOf(outs[i]) {
							if !near(got, want[i].data[e], outs[i].DType) {
								t.Errorf("seed %d, output %d, element %d: got %v, want %v", seed, i, e, got, want[i].data[e])
								return
							}
						}
					}
				}
			})
		}
		wait.Wait()
	}
}
