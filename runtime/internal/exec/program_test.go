package exec

import (
	"strings"
	"testing"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

func TestRunRefusesArraysThatDoNotFit(t *testing.T) {
	g := newGraph("g")
	x := g.input(f64, 2, 3)
	g.Outputs = []*tracer.Node{g.same("neg", x)}
	p := compiled(t, g)
	good := func() kernels.Array { return kernels.New(f64, 2, 3) }
	transposed := good()
	transposed.Strides = []int{1, 2}
	for _, c := range []struct {
		name      string
		ins, outs []kernels.Array
		want      string
	}{
		{"no input", nil, []kernels.Array{good()}, "takes 1 inputs and 0 constants and gives 1 outputs; called with 0 and 1 arrays"},
		{"no output", []kernels.Array{good()}, nil, "called with 1 and 0 arrays"},
		{"input of another shape", []kernels.Array{kernels.New(f64, 3, 2)}, []kernels.Array{good()}, "input n1 is f64[2, 3], called with f64[3 2]"},
		{"input of another rank", []kernels.Array{kernels.New(f64, 6)}, []kernels.Array{good()}, "called with f64[6]"},
		{"input of another dtype", []kernels.Array{kernels.New(f32, 2, 3)}, []kernels.Array{good()}, "called with f32[2 3]"},
		{"output with strides", []kernels.Array{good()}, []kernels.Array{transposed}, "it must be contiguous"},
	} {
		if err := p.Run(c.ins, c.outs); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q in it", c.name, err, c.want)
		}
	}
	if err := p.Run([]kernels.Array{transposed}, []kernels.Array{good()}); err != nil {
		t.Errorf("an input with strides: %v", err)
	}
}

// TestConstantErrorsNameTheirNode: a scalar that the dtype cannot hold, a literal of the wrong size.
func TestConstantErrorsNameTheirNode(t *testing.T) {
	half := newGraph("g")
	half.Outputs = []*tracer.Node{half.with("add_scalar", 0.5, half.input(i64))}
	short := newGraph("g")
	short.input(i64)
	lit := short.literal(f64, 1, 2)
	lit.Attrs[0].Value.(*tracer.Literal).Data = make([]byte, 3)
	short.Outputs = []*tracer.Node{lit}
	for want, g := range map[string]*graph{
		"g.go:2:2: add_scalar (n2): int64 cannot hold the scalar 0.5; use a value that int64 holds exactly or convert the tensor with To": half,
		"g.go:2:2: literal (n2): the literal has 3 bytes, its shape [2] of float64 needs 16":                                              short,
	} {
		err := compiled(t, g).Run([]kernels.Array{kernels.New(i64)}, outputsFor(g.Graph))
		if err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// TestIdleInstancesForgetTheirCallers: a program that is kept must not keep the arrays of a past run alive.
func TestIdleInstancesForgetTheirCallers(t *testing.T) {
	p := emaProgram(t, f64, 10, 4)
	ins := []kernels.Array{kernels.New(f64, 4), kernels.New(f64, 10, 4)}
	mustRun(t, p, ins, []kernels.Array{kernels.New(f64, 4), kernels.New(f64, 10, 4)})
	inst := p.take(ins)
	for _, m := range append(inst.ins, inst.outs...) {
		if m.base != nil {
			t.Errorf("a mover still holds %v", m.base)
		}
		for _, pl := range m.places {
			if *pl.p != nil {
				t.Errorf("a copy of an address still holds %v", *pl.p)
			}
		}
	}
}

// BenchmarkFirstRun is what a new program costs before it is warm: the check, the plan and the memory of the EMA scan.
func BenchmarkFirstRun(b *testing.B) {
	g := scanOf(ema(f64), 1, 1, 1, m(f64), m(f64, 1))
	ins, outs := []kernels.Array{kernels.New(f64), kernels.New(f64, 1)}, outputsFor(g.Graph)
	b.ReportAllocs()
	for b.Loop() {
		mustRun(b, compiled(b, g), ins, outs)
	}
}

// BenchmarkWarmRun is the fixed cost of a run.
func BenchmarkWarmRun(b *testing.B) {
	g := scanOf(ema(f64), 1, 1, 1, m(f64), m(f64, 1))
	ins, outs := []kernels.Array{kernels.New(f64), kernels.New(f64, 1)}, outputsFor(g.Graph)
	p := compiled(b, g)
	b.ReportAllocs()
	for b.Loop() {
		mustRun(b, p, ins, outs)
	}
}

// TestOpsWithSeveralResults: a tuple of an op is picked by get nodes like that of an operator; a result that nobody
// reads has a place too.
func TestOpsWithSeveralResults(t *testing.T) {
	g := newGraph("g")
	x := g.input(f64, 3)
	lib := libraryWith{"halves": {Run: func(c *kernels.Call) error {
		for i, v := range kernels.Elems[float64](c.In[0]) {
			for k, out := range c.Out {
				kernels.Elems[float64](out)[i] = v * float64(k+1) / 2
			}
		}
		return nil
	}}}
	pair := g.node("halves", tracer.Meta{Elems: []tracer.Meta{x.Meta, x.Meta, x.Meta}}, nil, x)
	get := func(i int) *tracer.Node { return g.node(tracer.OpGet, x.Meta, attrs("index", i), pair) }
	first, third := get(0), get(2)
	g.Outputs = []*tracer.Node{third, g.same("add", first, third)}
	p, err := Compile(g.Graph, lib)
	if err != nil {
		t.Fatal(err)
	}
	outs := outputsFor(g.Graph)
	mustRun(t, p, []kernels.Array{kernels.Of([]float64{2, 4, 6}, 3)}, outs)
	for i, want := range [][]float64{{3, 6, 9}, {4, 8, 12}} {
		for k, got := range kernels.Elems[float64](outs[i]) {
			if got != want[k] {
				t.Errorf("output %d, element %d: got %v, want %v", i, k, got, want[k])
			}
		}
	}
}

// libraryWith adds ops to the library of these tests.
type libraryWith map[string]kernels.Kernel

func (l libraryWith) Kernel(op string) (*kernels.Kernel, bool) {
	if k, ok := l[op]; ok {
		return &k, true
	}
	return library{}.Kernel(op)
}
