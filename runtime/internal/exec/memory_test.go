package exec

import (
	"runtime"
	"testing"

	"github.com/hoplint/hoplint/tracer"
)

// TestLongChainsUseFewBuffers: results whose readers are done give their memory to later ones; a view keeps its base.
func TestLongChainsUseFewBuffers(t *testing.T) {
	g := newGraph("root")
	x := g.input(f64, 100)
	var kept *tracer.Node
	v := x
	for i := range 40 {
		v = g.same("add", g.same("neg", v), x)
		if i == 10 {
			kept = g.node("narrow", m(f64, 2), attrs("dim", 0, "start", 5, "length", 2), v)
		}
	}
	g.Outputs = []*tracer.Node{v, g.same("neg", kept)}
	ins := []tensor{newTensor(m(f64, 100))}
	for i := range ins[0].data {
		ins[0].data[i] = float64(i)
	}
	check(t, g.Graph, ins, arraysOf(ins))

	f := newFrame(library{}, &heap{}, &scope{})
	f.env[x] = &value{Array: ins[0].array()}
	f.survey(g.Graph)
	if err := f.nodes(g.Graph); err != nil {
		t.Fatal(err)
	}
	if got, most := f.heap.bytes, 5*100*8; got > most {
		t.Errorf("80 results of 800 bytes took %d bytes, want at most %d", got, most)
	}
}

// TestLargeIdleInstancesAreLeftToTheCollector: a program that nobody runs any more must not keep its buffers.
func TestLargeIdleInstancesAreLeftToTheCollector(t *testing.T) {
	for _, c := range []struct {
		elems int
		kept  bool
	}{{100, true}, {maxKept / 8, false}} {
		g := newGraph("root")
		x := g.input(f64, c.elems)
		g.Outputs = []*tracer.Node{g.same("neg", g.same("abs", g.same("neg", x)))}
		p := compiled(t, g)
		ins := []tensor{newTensor(m(f64, c.elems))}
		mustRun(t, p, arraysOf(ins), outputsFor(g.Graph))
		runtime.GC()
		runtime.GC()
		if got := p.take(arraysOf(ins)) != nil; got != c.kept {
			t.Errorf("%d elements: an idle instance survives the collector: %v, want %v", c.elems, got, c.kept)
		}
	}
}

// TestClonesAreElidedButKeepResultsApart: a clone as y, as next carry, of an input and of another clone.
func TestClonesAreElidedButKeepResultsApart(t *testing.T) {
	for _, shape := range [][]int{nil, {2}} {
		b := newGraph("body")
		c, d, x := b.input(f64, shape...), b.input(f64, shape...), b.input(f64, shape...)
		s := b.same("add", c, b.same("clone", x))
		once := b.same("clone", s)
		b.Outputs = []*tracer.Node{s, b.same("clone", c), once, b.same("clone", once), b.same("clone", x), b.same("clone", d)}
		g := scanOf(b, 2, 1, 3, m(f64, shape...), m(f64, shape...), m(f64, append([]int{3}, shape...)...))
		last := g.Outputs[0]
		g.Outputs = append(g.Outputs, g.same("clone", last), g.same("clone", g.Inputs[0]))
		ins := []tensor{newTensor(m(f64, shape...)), newTensor(m(f64, shape...)), newTensor(m(f64, append([]int{3}, shape...)...))}
		for _, in := range ins {
			for i := range in.data {
				in.data[i] = float64(i + 1)
			}
		}
		check(t, g.Graph, ins, arraysOf(ins))
		// The clones in the body are gone; those of the root keep outputs apart.
		if got, want := opsOf(compiled(t, g).graph), "scan { add } get get get get get get clone clone "; got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

// TestIdleInstancesForgetMemoryOfTheirCallers: slices of xs and rows of ys lie in memory of who calls, which must not
// live as long as the program.
func TestIdleInstancesForgetMemoryOfTheirCallers(t *testing.T) {
	for name, g := range longLoops() {
		p := compiled(t, g)
		ins := zerosFor(g)
		mustRun(t, p, ins, outputsFor(g.Graph))
		inst := p.take(ins)
		if inst == nil {
			t.Fatalf("%s: no idle instance", name)
		}
		for _, m := range inst.heap.moving {
			for _, pl := range m.places {
				if m.base != nil || *pl.p != nil {
					t.Errorf("%s: an idle instance still points to a slice, a row or a carry", name)
				}
			}
		}
	}
}
