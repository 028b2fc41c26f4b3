package tracer

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// strided is a tensor as the law's eager half sees it: a window on shared memory.
type strided struct {
	mem     []int
	start   int
	shape   []int
	strides []int
}

func (s strided) offsets() []int {
	list := []int{s.start}
	for d, n := range s.shape {
		var next []int
		for _, o := range list {
			for i := range n {
				next = append(next, o+i*s.strides[d])
			}
		}
		list = next
	}
	return list
}

func (s strided) values() []int {
	list := []int{}
	for _, o := range s.offsets() {
		list = append(list, s.mem[o])
	}
	return list
}

func fresh(values, shape []int) strided {
	s := strided{mem: slices.Clone(values), shape: shape, strides: make([]int, len(shape))}
	for d, stride := len(shape)-1, 1; d >= 0; d-- {
		s.strides[d] = stride
		stride *= shape[d]
	}
	return s
}

// view is narrow or transpose, for both halves.
func (s strided) view(op string, attrs Attrs) strided {
	s.shape, s.strides = slices.Clone(s.shape), slices.Clone(s.strides)
	if op == "transpose" {
		slices.Reverse(s.shape)
		slices.Reverse(s.strides)
		return s
	}
	d := attrs.Int("dim")
	s.start += attrs.Int("start") * s.strides[d]
	s.shape[d] = attrs.Int("length")
	return s
}

// run executes a graph of the law without any sharing: every node is a copy.
func run(g *Graph, inputs ...strided) ([]strided, error) {
	values := map[*Node]strided{}
	for i, n := range g.Inputs {
		values[n] = fresh(inputs[i].values(), inputs[i].shape)
	}
	for _, n := range g.Nodes {
		args := make([]strided, len(n.Args))
		for i, a := range n.Args {
			args[i] = values[a]
		}
		switch n.Op {
		case "narrow", "transpose":
			v := args[0].view(n.Op, n.Attrs)
			values[n] = fresh(v.values(), v.shape)
		case OpPut:
			whole := fresh(args[0].values(), args[0].shape)
			for i, o := range whole.view(n.Attrs.Str("view"), n.Attrs[1:]).offsets() {
				whole.mem[o] = args[1].values()[i]
			}
			values[n] = whole
		case "add":
			values[n] = added(args[0], args[1])
		default:
			return nil, fmt.Errorf("unexpected %s", n.Op)
		}
	}
	var out []strided
	for _, n := range g.Outputs {
		out = append(out, values[n])
	}
	return out, nil
}

func added(a, b strided) strided {
	x, y := a.values(), b.values()
	for i := range x {
		x[i] += y[i]
	}
	return fresh(x, a.shape)
}

// A program of views, fresh results and in-place writes has the same values and versions traced as on real memory,
// wherever it reads: the functional form loses no write and leaks none.
func TestWritesAreFunctional(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := &tr{SubgraphTracer: NewTracer(Options{Name: "f", Ops: fakeOps{}}), t: t}
		real := []strided{fresh([]int{1, 2, 3, 4, 5, 6}, []int{2, 3}), fresh([]int{10, 20, 30, 40, 50, 60}, []int{3, 2})}
		traced := []*Value{f.operand("x", TensorMeta(Float32, 2, 3)), f.operand("y", TensorMeta(Float32, 3, 2))}
		inputs := []strided{fresh(real[0].values(), real[0].shape), fresh(real[1].values(), real[1].shape)}
		pick := func(name string, ok func(i int) bool) int {
			var able []int
			for i := range real {
				if ok(i) {
					able = append(able, i)
				}
			}
			return rapid.SampledFrom(able).Draw(rt, name)
		}
		all := func(int) bool { return true }
		for range rapid.IntRange(1, 14).Draw(rt, "steps") {
			i := pick("tensor", all)
			same := func(k int) bool { return slices.Equal(real[i].shape, real[k].shape) }
			switch rapid.SampledFrom([]string{"narrow", "transpose", "add", "write", "write"}).Draw(rt, "op") {
			case "narrow":
				d := rapid.IntRange(0, 1).Draw(rt, "dim")
				start := rapid.IntRange(0, real[i].shape[d]-1).Draw(rt, "start")
				attrs := Attrs{{"dim", d}, {"start", start}, {"length", rapid.IntRange(1, real[i].shape[d]-start).Draw(rt, "length")}}
				real, traced = append(real, real[i].view("narrow", attrs)), append(traced, f.view("narrow", traced[i], attrs))
			case "transpose":
				real, traced = append(real, real[i].view("transpose", nil)), append(traced, f.view("transpose", traced[i], nil))
			case "add":
				k := pick("other", same)
				real, traced = append(real, added(real[i], real[k])), append(traced, f.op("add", traced[i], traced[k]))
			case "write":
				k := pick("source", same)
				for j, v := range real[k].values() { // the values first: source and target may overlap
					real[i].mem[real[i].offsets()[j]] = v
				}
				f.must(f.Write(traced[i], traced[k], "CopyFrom", line(1)))
			}
		}
		outs := make([]Output, len(traced))
		for i, v := range traced {
			outs[i].Value = v
		}
		body, _ := f.Close(outs)
		checked(t, body.Graph)
		got, err := run(body.Graph, inputs...)
		f.must(err)
		for i := range real {
			if !slices.Equal(got[i].values(), real[i].values()) {
				rt.Fatalf("value %d: got %v, want %v\n%s", i, got[i].values(), real[i].values(), body.Graph)
			}
		}
	})
}
