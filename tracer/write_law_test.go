package tracer

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
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
	values, parts := map[*Node]strided{}, map[*Node][]strided{}
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
		case "checkpoint":
			out, err := run(n.Graphs[0], args...)
			if err != nil {
				return nil, err
			}
			parts[n] = out
		case OpGet:
			values[n] = parts[n.Args[0]][n.Attrs.Int("index")]
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

// program draws steps on real memory and on traces alike.
type program struct {
	rt     *rapid.T
	real   []strided
	traced []*Value
}

func (p *program) steps(r *tr, label string) {
	pick := func(name string, ok func(i int) bool) int {
		var able []int
		for i := range p.real {
			if ok(i) {
				able = append(able, i)
			}
		}
		return rapid.SampledFrom(able).Draw(p.rt, name)
	}
	add := func(s strided, v *Value) { p.real, p.traced = append(p.real, s), append(p.traced, v) }
	for range rapid.IntRange(0, 10).Draw(p.rt, label) {
		i := pick("tensor", func(int) bool { return true })
		same := func(k int) bool { return slices.Equal(p.real[i].shape, p.real[k].shape) }
		switch rapid.SampledFrom([]string{"narrow", "transpose", "add", "write", "write"}).Draw(p.rt, "op") {
		case "narrow":
			d := rapid.IntRange(0, 1).Draw(p.rt, "dim")
			start := rapid.IntRange(0, p.real[i].shape[d]-1).Draw(p.rt, "start")
			attrs := Attrs{{"dim", d}, {"start", start}, {"length", rapid.IntRange(1, p.real[i].shape[d]-start).Draw(p.rt, "length")}}
			add(p.real[i].view("narrow", attrs), r.view("narrow", p.traced[i], attrs))
		case "transpose":
			add(p.real[i].view("transpose", nil), r.view("transpose", p.traced[i], nil))
		case "add":
			k := pick("other", same)
			add(added(p.real[i], p.real[k]), r.op("add", p.traced[i], p.traced[k]))
		case "write":
			k := pick("source", same)
			for j, v := range p.real[k].values() { // the values first: source and target may overlap
				p.real[i].mem[p.real[i].offsets()[j]] = v
			}
			r.must(r.Write(p.traced[i], p.traced[k], "CopyFrom", line(1)))
		}
	}
}

// values are the contents of all tensors.
func (p *program) values() (list [][]int) {
	for _, s := range p.real {
		list = append(list, s.values())
	}
	return list
}

// A program of views, fresh results and in-place writes has the same values traced as on real memory, wherever it
// reads: the functional form loses no write and leaks none. A body in the middle sees the outer tensors and its own
// writes to them; the contract refuses such a body, and the outer trace goes on as if it had not run.
func TestWritesAreFunctional(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := &tr{SubgraphTracer: NewTracer(Options{Name: "f", Ops: fakeOps{}}), t: t}
		p := &program{rt: rt,
			real:   []strided{fresh([]int{1, 2, 3, 4, 5, 6}, []int{2, 3}), fresh([]int{10, 20, 30, 40, 50, 60}, []int{3, 2})},
			traced: []*Value{f.operand("x", TensorMeta(Float32, 2, 3)), f.operand("y", TensorMeta(Float32, 3, 2))}}
		inputs := []strided{fresh(p.real[0].values(), p.real[0].shape), fresh(p.real[1].values(), p.real[1].shape)}
		p.steps(f, "before the body")

		mems := map[*int][]int{}
		for _, s := range p.real {
			mems[&s.mem[0]] = slices.Clone(s.mem)
		}
		outer := len(p.real)
		b := f.child("checkpoint", "f", "body")
		p.steps(b, "in the body")
		inside := p.values()
		results := f.call("checkpoint", nil, b.close(hopcheck.Output, p.traced...))
		p.real, p.traced = p.real[:outer], p.traced[:outer]
		for _, s := range p.real {
			copy(s.mem, mems[&s.mem[0]])
		}

		p.steps(f, "after the body")
		want := append(inside, p.values()...)
		g := f.close(hopcheck.Output, append(results, p.traced...)...).Graph
		checked(t, g)
		got, err := run(g, inputs...)
		f.must(err)
		for i := range want {
			if !slices.Equal(got[i].values(), want[i]) {
				rt.Fatalf("value %d of %d in the body and %d outside: got %v, want %v\n%s", i, len(inside), len(p.real), got[i].values(), want[i], g)
			}
		}
	})
}
