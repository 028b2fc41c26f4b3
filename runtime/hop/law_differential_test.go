package hop_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hoplint/hoplint/runtime/hop"
	"github.com/hoplint/hoplint/tracer"
)

// expected is what a program computes.
type expected struct {
	outs       []*lawArray
	tolerances [][]float64
	stable     bool // no decision hangs on the last digits
}

// expect runs the reference: once as it is and several times with noise. What the runs differ by is the tolerance. A
// program that decides otherwise when the last digits change has no one right answer.
func (p *lawProgram) expect() expected {
	quiet := &lawMachine{rng: rand.New(rand.NewPCG(1, 2))}
	e := expected{outs: quiet.run(p, arraysOf(p.captured, p.inputs)), stable: true}
	for _, a := range e.outs {
		t := make([]float64, elementsOf(a.shape))
		for k, v := range a.values() {
			t[k] = 1e-12 * math.Abs(v.f)
			if a.dt == hop.Float32 {
				t[k] = 1e-5 * math.Abs(v.f)
			}
			t[k] += 1e-13
		}
		e.tolerances = append(e.tolerances, t)
	}
	for seed := range uint64(3) {
		noisy := &lawMachine{noise: 64, rng: rand.New(rand.NewPCG(seed, 3))}
		for j, a := range noisy.run(p, arraysOf(p.captured, p.inputs)) {
			base := e.outs[j].values()
			for k, v := range a.values() {
				d := math.Abs(v.f - base[k].f)
				e.tolerances[j][k] += 4 * d
				if v.i != base[k].i || math.IsInf(d, 0) || math.IsNaN(v.f) != math.IsNaN(base[k].f) {
					e.stable = false
				}
			}
		}
		if noisy.hard != quiet.hard {
			e.stable = false
		}
	}
	return e
}

// compare checks the outputs of a run.
func (e *expected) compare(y lawTree) error {
	for j, got := range unpack(y, len(e.outs)) {
		if err := agree(got, e.outs[j], e.tolerances[j]); err != nil {
			return fmt.Errorf("output %d %w", j, err)
		}
	}
	return nil
}

// guarded are tensors that a run must leave as they are.
type guarded struct {
	tensors  []T
	cells    [][]lawCell
	versions []uint64
}

func guard(lists ...[]T) *guarded {
	g := &guarded{tensors: slices.Concat(lists...)}
	for _, t := range g.tensors {
		g.cells, g.versions = append(g.cells, cellsOf(t)), append(g.versions, t.Version())
	}
	return g
}

// changed says what is not as it was.
func (g *guarded) changed() error {
	for i, t := range g.tensors {
		if !slices.Equal(cellsOf(t), g.cells[i]) {
			return fmt.Errorf("tensor %d holds %v, had %v", i, cellsOf(t), g.cells[i])
		}
		if v := t.Version(); v != g.versions[i] {
			return fmt.Errorf("tensor %d has version %d, had %d", i, v, g.versions[i])
		}
	}
	return nil
}

// apart checks that results share storage with nothing that was there before.
func (g *guarded) apart(results []T) error {
	for i, r := range results {
		for j, u := range slices.Concat(g.tensors, results[:i]) {
			if r.SharesStorage(u) {
				return fmt.Errorf("result %d shares storage with tensor %d of %d inputs and earlier results", i, j, len(g.tensors))
			}
		}
	}
	return nil
}

// ignoring is an observer that looks at nothing.
type ignoring struct{ ops int }

func (o *ignoring) Op(c hop.OpCall) { o.ops++; _ = c.String() }

// whole is the program as one body of a Stepwise operator, so that everything in it runs op by op.
func whole(f func(lawTree) lawTree) func(lawTree) lawTree {
	return func(x lawTree) lawTree {
		return hop.Cond(hop.Scalar(true), f, func(lawTree) lawTree { panic("the other branch was called") }, x, hop.Stepwise())
	}
}

// TestModesAgreeOnRandomPrograms runs random programs as plain loops and in every mode of the library.
func TestModesAgreeOnRandomPrograms(t *testing.T) {
	total, unstable := 0, 0
	kinds := map[string]int{}
	checkLaw(t, 24, false, func(p *lawProgram) error {
		e := p.expect()
		total++
		if !e.stable {
			unstable++
			return nil
		}
		p.body.kinds(kinds)
		return p.agrees(&e)
	})
	t.Logf("%d programs, %d of them unstable; %v", total, unstable, kinds)
	if unstable*2 > total {
		t.Errorf("%d of %d programs have no one right answer; the generator does not make enough good ones", unstable, total)
	}
}

// agrees runs p in every mode. Values must be e, what the program was given must stay as it is, and results must be
// apart from it and from each other.
func (p *lawProgram) agrees(e *expected) error {
	captured, inputs := tensorsOf(p.captured), tensorsOf(p.inputs)
	x := pack(p.forms[0], inputs)
	kept := guard(captured, inputs)
	f := p.function(&lawRun{}, captured)
	var program *hop.Program[lawTree, lawTree]
	var earlier []T
	for _, mode := range []struct {
		name string
		body bool // the program is a body itself, so that its results are fresh
		run  func(lawTree) lawTree
	}{
		{name: "eager", run: f},
		{name: "stepwise operators", run: p.function(&lawRun{outer: []hop.Option{hop.Stepwise()}}, captured)},
		{name: "stepwise", body: true, run: whole(f)},
		{name: "first call", body: true, run: func(x lawTree) lawTree {
			var err error
			if program, err = hop.Trace(f, x); err != nil {
				panic(err)
			}
			return hop.Must(func(x lawTree) (lawTree, error) { return program.Call(x) })(x)
		}},
		{name: "second call", body: true, run: hop.Must(func(x lawTree) (lawTree, error) { return program.Call(x) })},
		{name: "observed call", body: true, run: hop.WithObserver(&ignoring{}, hop.Must(func(x lawTree) (lawTree, error) { return program.Call(x) }))},
		{name: "saved and loaded", body: true, run: func(x lawTree) lawTree {
			return hop.Must(func(x lawTree) (lawTree, error) { return saveAndLoad(program).Call(x) })(x)
		}},
		{name: "compiled in a traced function", body: true, run: hop.Must(hop.Compile(hop.Must(hop.Compile(f))))},
		{name: "observed", body: true, run: hop.WithObserver(&ignoring{}, f)},
	} {
		var y lawTree
		if err := attempt(func() error { y = mode.run(x); return nil }); err != nil {
			return fmt.Errorf("%s: %w", mode.name, err)
		}
		if err := errors.Join(e.compare(y), kept.changed()); err != nil {
			return fmt.Errorf("%s: %w", mode.name, err)
		}
		if results := unpack(y, len(e.outs)); mode.body {
			if err := kept.apart(slices.Concat(earlier, results)); err != nil {
				return fmt.Errorf("%s: %w", mode.name, err)
			}
			earlier = results
		}
	}
	return checkGraph(program.Graph(), f, x)
}

// saveAndLoad is a program as a file has it; saved again it is the same file.
func saveAndLoad(p *hop.Program[lawTree, lawTree]) *hop.Program[lawTree, lawTree] {
	var file, again bytes.Buffer
	if err := p.Save(&file); err != nil {
		panic(err)
	}
	saved := slices.Clone(file.Bytes())
	loaded, err := hop.Load[lawTree, lawTree](&file)
	if err != nil {
		panic(err)
	}
	if err := loaded.Save(&again); err != nil {
		panic(err)
	}
	if b := again.Bytes(); !bytes.Equal(saved, b) {
		k := 0
		for k < min(len(saved), len(b)) && saved[k] == b[k] {
			k++
		}
		panic(fmt.Sprintf("saved again, a program differs from byte %d of %d on: %.80q, first %.80q", k, len(saved), b[k:], saved[k:]))
	}
	return loaded
}

// checkGraph checks what holds for the graph of every program.
func checkGraph(g *tracer.Graph, f func(lawTree) lawTree, x lawTree, opts ...hop.TraceOption) error {
	text := g.String()
	if err := g.Verify(); err != nil {
		return fmt.Errorf("Verify: %w\n%s", err, text)
	}
	again, err := hop.Trace(f, x, opts...)
	if err != nil {
		return fmt.Errorf("second Trace: %w", err)
	}
	if s := again.Graph().String(); s != text {
		return fmt.Errorf("traced again, the graph prints\n%s\nfirst\n%s", s, text)
	}
	parsed, err := tracer.Parse(text)
	if err != nil {
		return fmt.Errorf("Parse: %w\n%s", err, text)
	}
	if s := parsed.String(); s != text {
		return fmt.Errorf("parsed, the graph prints\n%s\nbefore\n%s", s, text)
	}
	if err := parsed.Verify(); err != nil {
		return fmt.Errorf("Verify of the parsed graph: %w\n%s", err, text)
	}
	return nil
}
