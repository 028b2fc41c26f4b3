package exec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"go/token"
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

// library is the op table of these tests.
type library struct{}

func (library) Kernel(op string) (*kernels.Kernel, bool) {
	k, ok := libraryKernels[op]
	return k, ok
}

var libraryKernels = map[string]*kernels.Kernel{
	"add": &kernels.Add, "sub": &kernels.Sub, "mul": &kernels.Mul, "div": &kernels.Div, "maximum": &kernels.Maximum,
	"add_scalar": &kernels.AddScalar, "mul_scalar": &kernels.MulScalar, "rsub_scalar": &kernels.RSubScalar,
	"neg": &kernels.Neg, "abs": &kernels.Abs, "tanh": &kernels.Tanh, "clamp": &kernels.Clamp, "cast": &kernels.Cast,
	"lt": &kernels.Lt, "lt_scalar": &kernels.LtScalar, "xor": &kernels.Xor, "where": &kernels.Where, "sum": &kernels.Sum, "matmul": &kernels.MatMul,
	"clone": &kernels.Copy, "narrow": &kernels.Narrow, "select": &kernels.Select, "transpose": &kernels.Transpose,
	"view": &kernels.View, "reshape": &kernels.View, "permute": &kernels.Permute, "softmax": &kernels.Softmax, "expand": &kernels.Expand, "cum_sum": &kernels.CumSum, "sigmoid": &kernels.Sigmoid,
	"put_at": &kernels.PutAt, "scatter_add": &kernels.ScatterAdd, "stack": &kernels.Stack, "at": &kernels.At,
	"square": &kernels.Square, "sub_scalar": &kernels.SubScalar, "gt_scalar": &kernels.GtScalar,
}

// graph builds graphs by hand.
type graph struct {
	*tracer.Graph
	made int
}

func newGraph(name string) *graph { return &graph{Graph: &tracer.Graph{Name: name}} }

func (g *graph) node(op string, meta tracer.Meta, attrs tracer.Attrs, args ...*tracer.Node) *tracer.Node {
	g.made++
	n := &tracer.Node{
		Name: fmt.Sprintf("n%d", g.made), Op: op, Args: args, Attrs: attrs, Meta: meta,
		Pos: token.Position{Filename: g.Name + ".go", Line: g.made, Column: 2},
	}
	if op != tracer.OpInput && op != tracer.OpConstant {
		g.Nodes = append(g.Nodes, n)
	}
	return n
}

func (g *graph) input(dt tracer.DType, shape ...int) *tracer.Node {
	n := g.node(tracer.OpInput, tracer.TensorMeta(dt, shape...), nil)
	g.Inputs = append(g.Inputs, n)
	return n
}

// same adds an op whose result has the meta of its last argument.
func (g *graph) same(op string, args ...*tracer.Node) *tracer.Node {
	return g.node(op, args[len(args)-1].Meta, nil, args...)
}

// with adds an op of one argument with the attribute "value".
func (g *graph) with(op string, v float64, arg *tracer.Node) *tracer.Node {
	return g.node(op, arg.Meta, tracer.Attrs{{Key: "value", Value: v}}, arg)
}

func (g *graph) literal(dt tracer.DType, values ...float64) *tracer.Node {
	lit := &tracer.Literal{DType: dt, Shape: []int{len(values)}}
	for _, v := range values {
		switch dt {
		case tracer.Float64:
			lit.Data = binary.LittleEndian.AppendUint64(lit.Data, math.Float64bits(v))
		case tracer.Float32:
			lit.Data = binary.LittleEndian.AppendUint32(lit.Data, math.Float32bits(float32(v)))
		case tracer.Int64:
			lit.Data = binary.LittleEndian.AppendUint64(lit.Data, uint64(int64(v)))
		case tracer.Int32:
			lit.Data = binary.LittleEndian.AppendUint32(lit.Data, uint32(int32(v)))
		default:
			lit.Data = append(lit.Data, byte(v))
		}
	}
	return g.node(tracer.OpLiteral, tracer.TensorMeta(dt, len(values)), tracer.Attrs{{Key: "value", Value: lit}})
}

// scan adds a scan node and its get nodes: next carries, then ys.
func (g *graph) scan(body *graph, nCarry, nX, length int, args ...*tracer.Node) []*tracer.Node {
	var meta tracer.Meta
	for i, out := range body.Outputs {
		m := out.Meta
		if i >= nCarry {
			shape, _ := m.ConstShape()
			m = tracer.TensorMeta(m.DType, append([]int{length}, shape...)...)
		}
		meta.Elems = append(meta.Elems, m)
	}
	n := g.node("scan", meta, tracer.Attrs{{Key: "n_carry", Value: nCarry}, {Key: "n_xs", Value: nX}, {Key: "length", Value: length}}, args...)
	n.Graphs = []*tracer.Graph{body.Graph}
	var gets []*tracer.Node
	for i, m := range meta.Elems {
		gets = append(gets, g.node(tracer.OpGet, m, tracer.Attrs{{Key: "index", Value: i}}, n))
	}
	return gets
}

// tensor is a value of the reference interpreter: row-major, every dtype kept in float64.
type tensor struct {
	dt    tracer.DType
	shape []int
	data  []float64
}

func newTensor(m tracer.Meta) tensor {
	shape, _ := m.ConstShape()
	return tensor{m.DType, shape, make([]float64, kernels.NumElems(shape))}
}

func (t tensor) array() kernels.Array {
	switch t.dt {
	case tracer.Bool:
		return kernels.Of(converted(t.data, func(x float64) bool { return x != 0 }), t.shape...)
	case tracer.Int32:
		return kernels.Of(converted(t.data, func(x float64) int32 { return int32(x) }), t.shape...)
	case tracer.Int64:
		return kernels.Of(converted(t.data, func(x float64) int64 { return int64(x) }), t.shape...)
	case tracer.Float32:
		return kernels.Of(converted(t.data, func(x float64) float32 { return float32(x) }), t.shape...)
	default:
		return kernels.Of(t.data, t.shape...)
	}
}

func converted[T any](data []float64, f func(float64) T) []T {
	out := make([]T, len(data))
	for i, x := range data {
		out[i] = f(x)
	}
	return out
}

// valuesOf reads a contiguous array.
func valuesOf(a kernels.Array) []float64 {
	out := make([]float64, a.NumElems())
	for i := range out {
		switch a.DType {
		case tracer.Bool:
			if kernels.Elems[bool](a)[i] {
				out[i] = 1
			}
		case tracer.Int32:
			out[i] = float64(kernels.Elems[int32](a)[i])
		case tracer.Int64:
			out[i] = float64(kernels.Elems[int64](a)[i])
		case tracer.Float32:
			out[i] = float64(kernels.Elems[float32](a)[i])
		default:
			out[i] = kernels.Elems[float64](a)[i]
		}
	}
	return out
}

// interpret runs a graph naively, one fresh slice per node.
func interpret(g *tracer.Graph, ins []tensor) []tensor {
	env := map[*tracer.Node]tensor{}
	tuples := map[*tracer.Node][]tensor{}
	for i, n := range append(append([]*tracer.Node{}, g.Inputs...), g.Constants...) {
		env[n] = ins[i]
	}
	for _, n := range g.Nodes {
		var args []tensor
		for _, a := range n.Args {
			args = append(args, env[a])
		}
		if parts, ok := interpretHOP(n, args); ok {
			tuples[n] = parts
		} else if n.Op == tracer.OpGet {
			env[n] = tuples[n.Args[0]][n.Attrs.Int("index")]
		} else {
			env[n] = interpretOp(n, args)
		}
	}
	var outs []tensor
	for _, o := range g.Outputs {
		outs = append(outs, env[o])
	}
	return outs
}

func interpretScan(n *tracer.Node, args []tensor) []tensor {
	nc, nx, length := n.Attrs.Int("n_carry"), n.Attrs.Int("n_xs"), n.Attrs.Int("length")
	carries := append([]tensor{}, args[:nc]...)
	ys := make([]tensor, len(n.Meta.Elems)-nc)
	for k := range ys {
		ys[k] = newTensor(n.Meta.Elems[nc+k])
	}
	for i := range length {
		ins := append([]tensor{}, carries...)
		for _, xs := range args[nc : nc+nx] {
			size := len(xs.data) / length
			ins = append(ins, tensor{xs.dt, xs.shape[1:], xs.data[i*size : (i+1)*size]})
		}
		outs := interpret(n.Graphs[0], append(ins, args[nc+nx:]...))
		carries = outs[:nc]
		for k, y := range outs[nc:] {
			copy(ys[k].data[i*len(y.data):], y.data)
		}
	}
	return append(append([]tensor{}, carries...), ys...)
}

var errDivision = errors.New("division by zero")

// refScalars are the attributes of an elementwise op.
type refScalars struct{ value, lo, hi float64 }

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

var references = map[string]func(s refScalars, x ...float64) float64{
	"add": func(s refScalars, x ...float64) float64 { return x[0] + x[1] }, "sub": func(s refScalars, x ...float64) float64 { return x[0] - x[1] },
	"mul": func(s refScalars, x ...float64) float64 { return x[0] * x[1] }, "div": func(s refScalars, x ...float64) float64 { return x[0] / x[1] },
	"maximum":    func(s refScalars, x ...float64) float64 { return max(x[0], x[1]) },
	"add_scalar": func(s refScalars, x ...float64) float64 { return x[0] + s.value }, "mul_scalar": func(s refScalars, x ...float64) float64 { return x[0] * s.value },
	"sub_scalar": func(s refScalars, x ...float64) float64 { return x[0] - s.value }, "rsub_scalar": func(s refScalars, x ...float64) float64 { return s.value - x[0] },
	"neg": func(s refScalars, x ...float64) float64 { return -x[0] }, "abs": func(s refScalars, x ...float64) float64 { return math.Abs(x[0]) },
	"tanh": func(s refScalars, x ...float64) float64 { return math.Tanh(x[0]) }, "cast": func(s refScalars, x ...float64) float64 { return x[0] },
	"square": func(s refScalars, x ...float64) float64 { return x[0] * x[0] }, "sigmoid": func(s refScalars, x ...float64) float64 { return 1 / (1 + math.Exp(-x[0])) },
	"clone": func(s refScalars, x ...float64) float64 { return x[0] }, "xor": func(s refScalars, x ...float64) float64 { return truth(x[0] != x[1]) },
	"lt":        func(s refScalars, x ...float64) float64 { return truth(x[0] < x[1]) },
	"lt_scalar": func(s refScalars, x ...float64) float64 { return truth(x[0] < s.value) },
	"gt_scalar": func(s refScalars, x ...float64) float64 { return truth(x[0] > s.value) },
	"where": func(s refScalars, x ...float64) float64 {
		if x[0] != 0 {
			return x[1]
		}
		return x[2]
	},
	"clamp": func(s refScalars, x ...float64) float64 { return min(max(x[0], s.lo), s.hi) },
}

func interpretOp(n *tracer.Node, args []tensor) tensor {
	out := newTensor(n.Meta)
	rounded := func(dt tracer.DType, x float64) float64 {
		switch dt {
		case tracer.Float32:
			return float64(float32(x))
		case tracer.Int32:
			return float64(int32(int64(x)))
		case tracer.Bool:
			if x != 0 {
				return 1
			}
			return 0
		}
		return x
	}
	round := func(x float64) float64 { return rounded(n.Meta.DType, x) }
	scalar := refScalars{n.Attrs.Float("value"), n.Attrs.Float("lo"), n.Attrs.Float("hi")}
	if len(args) > 0 {
		scalar.value = rounded(args[0].dt, scalar.value)
	}
	f := references[n.Op]
	if n.Op == "div" && out.dt == i64 {
		f = func(_ refScalars, x ...float64) float64 {
			if x[1] == 0 {
				panic(errDivision)
			}
			return math.Floor(x[0] / x[1])
		}
	}
	if f != nil {
		eachIndex(out.shape, func(i int, idx []int) {
			var xs []float64
			for _, a := range args {
				xs = append(xs, a.at(idx))
			}
			out.data[i] = round(f(scalar, xs...))
		})
		return out
	}
	switch n.Op {
	case tracer.OpLiteral:
		lit := n.Attrs.Get("value").(*tracer.Literal)
		for i := range out.data {
			b := lit.Data[i*lit.DType.Size():]
			switch lit.DType {
			case tracer.Float64:
				out.data[i] = math.Float64frombits(binary.LittleEndian.Uint64(b))
			case tracer.Float32:
				out.data[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
			case tracer.Int64:
				out.data[i] = float64(int64(binary.LittleEndian.Uint64(b)))
			case tracer.Int32:
				out.data[i] = float64(int32(binary.LittleEndian.Uint32(b)))
			default:
				out.data[i] = float64(b[0])
			}
		}
	case "sum":
		for _, x := range args[0].data {
			out.data[0] = round(out.data[0] + x)
		}
	case "softmax":
		refSoftmax(args, out)
	case "matmul":
		m, k, p := 1, args[0].shape[len(args[0].shape)-1], 1
		if len(args[0].shape) == 2 {
			m = args[0].shape[0]
		}
		if len(args[1].shape) == 2 {
			p = args[1].shape[1]
		}
		for i := range m {
			for j := range p {
				s := 0.0
				for l := range k {
					s = round(s + round(args[0].data[i*k+l]*args[1].data[l*p+j]))
				}
				out.data[i*p+j] = s
			}
		}
	case "narrow", "select", "transpose", "expand", "permute":
		eachIndex(out.shape, func(i int, idx []int) { out.data[i] = args[0].at(viewIndex(n, idx)) })
	case "view", "reshape":
		copy(out.data, args[0].data)
	case "put_at": // along dim 0
		copy(out.data, args[0].data)
		i, row := int(args[1].data[0]), len(out.data)/out.shape[0]
		if i < 0 {
			i += out.shape[0]
		}
		eachIndex(out.shape[1:], func(k int, idx []int) { out.data[i*row+k] = args[2].at(idx) })
	case "stack": // along dim 0
		for i, a := range args {
			copy(out.data[i*len(a.data):], a.data)
		}
	case tracer.OpPut:
		copy(out.data, args[0].data)
		eachIndex(args[1].shape, func(i int, idx []int) { out.data[out.index(viewIndex(n, idx))] = args[1].data[i] })
	default:
		panic("no reference for " + n.Op)
	}
	return out
}

// viewIndex maps an index of a view to one of its base.
func viewIndex(n *tracer.Node, idx []int) []int {
	op := n.Op
	if op == tracer.OpPut {
		op = n.Attrs.Str("view")
	}
	base := append([]int{}, idx...)
	switch op {
	case "narrow":
		base[n.Attrs.Int("dim")] += n.Attrs.Int("start")
	case "select":
		d := n.Attrs.Int("dim")
		base = append(append(append([]int{}, idx[:d]...), n.Attrs.Int("index")), idx[d:]...)
	case "transpose":
		a, b := n.Attrs.Int("a"), n.Attrs.Int("b")
		base[a], base[b] = base[b], base[a]
	case "permute":
		for i, d := range n.Attrs.Ints("dims") {
			base[d] = idx[i]
		}
	}
	return base
}

// index is the row-major position of a broadcast index.
func (t tensor) index(idx []int) int {
	pos := 0
	for d, size := range t.shape {
		i := idx[len(idx)-len(t.shape)+d]
		if size == 1 {
			i = 0
		}
		pos = pos*size + i
	}
	return pos
}

func (t tensor) at(idx []int) float64 { return t.data[t.index(idx)] }

func eachIndex(shape []int, f func(i int, idx []int)) {
	idx := make([]int, len(shape))
	for i := range kernels.NumElems(shape) {
		f(i, idx)
		for d := len(shape) - 1; d >= 0; d-- {
			if idx[d]++; idx[d] < shape[d] {
				break
			}
			idx[d] = 0
		}
	}
}

// outputsFor makes contiguous arrays for the outputs, filled with a pattern that a run must overwrite.
func outputsFor(g *tracer.Graph) []kernels.Array {
	var outs []kernels.Array
	for _, o := range g.Outputs {
		shape, _ := o.Meta.ConstShape()
		a := kernels.New(o.Meta.DType, shape...)
		for i := range a.NumElems() * a.DType.Size() {
			*(*byte)(ptrAdd(a, i)) = 0x5a
		}
		outs = append(outs, a)
	}
	return outs
}

// check runs the graph and compares with the reference; a second run must give the same bytes.
func check(t *testing.T, g *tracer.Graph, ins []tensor, arrays []kernels.Array) {
	t.Helper()
	p, err := Compile(g, library{})
	if err != nil {
		t.Fatalf("Compile: %v", err)
	}
	want := interpret(g, ins)
	for run := range 2 {
		if run > 0 {
			arrays = elsewhere(arrays) // the next call comes with other memory of the same layout
		}
		outs := outputsFor(g)
		if err := p.Run(arrays, outs); err != nil {
			t.Fatalf("run %d: %v", run, err)
		}
		for i, o := range outs {
			got := valuesOf(o)
			for k := range got {
				if !near(got[k], want[i].data[k], o.DType) {
					t.Fatalf("run %d, output %d (%s of %s), element %d: got %v, want %v\ngot  %v\nwant %v",
						run, i, g.Outputs[i].Name, g.Outputs[i].Op, k, got[k], want[i].data[k], got, want[i].data)
				}
			}
		}
	}
	for i, a := range arrays {
		if a.IsContiguous() {
			for k, got := range valuesOf(a) {
				if want := ins[i].data[k]; got != want && got == got {
					t.Fatalf("input %d was written: element %d is %v, was %v", i, k, got, want)
				}
			}
		}
	}
}

func near(got, want float64, dt tracer.DType) bool {
	if got == want || got != got && want != want {
		return true
	}
	tol := map[tracer.DType]float64{tracer.Float32: 2e-5, tracer.Float64: 1e-11}[dt]
	return math.Abs(got-want) <= tol*max(1, math.Abs(want))
}

// elsewhere returns the arrays with the same elements and layouts in other memory, and spoils the elements of the given ones.
func elsewhere(arrays []kernels.Array) []kernels.Array {
	out := slices.Clone(arrays)
	for i, a := range arrays {
		if a.NumElems() == 0 {
			continue
		}
		low, high, size := 0, 0, a.DType.Size()
		for d, n := range a.Shape {
			low += min(0, (n-1)*a.Strides[d])
			high += max(0, (n-1)*a.Strides[d])
		}
		to := kernels.New(a.DType, high-low+1)
		from := unsafe.Slice((*byte)(unsafe.Add(a.Ptr, low*size)), (high-low+1)*size)
		copy(unsafe.Slice((*byte)(to.Ptr), len(from)), from)
		for k := range from {
			from[k] = 1
		}
		out[i].Ptr = unsafe.Add(to.Ptr, -low*size)
	}
	return out
}

func arraysOf(ins []tensor) []kernels.Array {
	var out []kernels.Array
	for _, t := range ins {
		out = append(out, t.array())
	}
	return out
}
