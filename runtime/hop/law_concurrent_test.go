package hop_test

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/hoplint/hoplint/runtime/hop"
)

// lawExamples are n legal programs, always the same.
func lawExamples(n, size int) []*lawProgram {
	gen := rapid.Custom(func(t *rapid.T) *lawProgram { return lawProgramOf(t, size, nil) })
	var list []*lawProgram
	for seed := 1; len(list) < n; seed++ {
		if p := gen.Example(seed); p.expect().stable {
			list = append(list, p)
		}
	}
	return list
}

// bitsOf are the elements of tensors bit by bit.
func bitsOf(ts []T) []string {
	var list []string
	for _, t := range ts {
		s := t.DType().String() + fmt.Sprint(t.Shape())
		for _, c := range cellsOf(t) {
			s += fmt.Sprintf(" %x %x", math.Float64bits(c.f), c.i)
		}
		list = append(list, s)
	}
	return list
}

// rows are n arguments of a program stacked, the first as it is, the others moved a little.
func (p *lawProgram) rows(n int) lawTree {
	var list []T
	for i, t := range tensorsOf(p.inputs) {
		copies := make([]T, n)
		for k := range copies {
			if copies[k] = t; k > 0 && p.inputs[i].typ.dt.IsFloat() {
				copies[k] = t.AddScalar(math.Sin(float64(k)) / 4)
			}
		}
		list = append(list, hop.Stack(0, copies...))
	}
	return pack(p.forms[0], list)
}

// TestBitsDoNotDependOnProcessors runs programs on many rows at once, which are shared out to workers, with one
// processor and with eight: traced, compiled and with a gradient. The first row is the program's own.
func TestBitsDoNotDependOnProcessors(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	const n = 300
	for i, p := range lawExamples(25, 14) {
		x := p.rows(n)
		f := p.function(&lawRun{}, tensorsOf(p.captured))
		flatten := func(y lawTree) []T { return unpack(y, len(p.body.outs)) }
		runs := []struct {
			name string
			run  func() []T
		}{
			{"Map", func() []T { return flatten(hop.Map(f, x)) }},
			{"Map in batches", func() []T {
				return flatten(hop.Must(hop.Compile(func(x lawTree) lawTree { return hop.Map(f, x, hop.BatchSize(7)) }))(x))
			}},
			{"VMap", func() []T { return flatten(hop.VMap(f)(x)) }},
			{"Grad", func() []T {
				return slices.DeleteFunc(unpack(hop.Grad(func(x lawTree) T { return p.lossOf(flatten(hop.Map(f, x))) })(x), len(p.inputs)),
					func(t T) bool { return t == nil })
			}},
		}
		var first []T
		for _, r := range runs {
			var bits [][]string
			for _, procs := range []int{1, 8} {
				runtime.GOMAXPROCS(procs)
				err := attempt(func() error { ts := r.run(); bits = append(bits, bitsOf(ts)); first = ts; return nil })
				if err != nil {
					t.Fatalf("program %d, %s: %v\n%s", i, r.name, err, p)
				}
			}
			if !slices.Equal(bits[0], bits[1]) {
				t.Errorf("program %d, %s: one processor computes\n%v\neight\n%v\n%s", i, r.name, bits[0], bits[1], p)
			}
			if r.name == "Grad" {
				continue
			}
			e := p.expect()
			for j, y := range first {
				if err := agree(y.Select(0, 0), e.outs[j], e.tolerances[j]); err != nil {
					t.Errorf("program %d, %s: row 0 of output %d %v\n%s", i, r.name, j, err, p)
				}
			}
		}
	}
}

// TestCompiledProgramsServeManyGoroutines calls compiled programs, first calls included, from many goroutines at once.
// The race detector judges too.
func TestCompiledProgramsServeManyGoroutines(t *testing.T) {
	for i, p := range lawExamples(20, 18) {
		f := p.function(&lawRun{}, tensorsOf(p.captured))
		want := bitsOf(unpack(hop.Must(hop.Compile(f))(pack(p.forms[0], tensorsOf(p.inputs))), len(p.body.outs)))
		compiled := hop.Compile(f)
		shared := pack(p.forms[0], tensorsOf(p.inputs))
		var group sync.WaitGroup
		for g := range 8 {
			group.Go(func() {
				x := shared
				if g%2 == 1 {
					x = pack(p.forms[0], tensorsOf(p.inputs))
				}
				for range 5 {
					y, err := compiled(x)
					if err != nil {
						t.Errorf("program %d: %v\n%s", i, err, p)
						return
					}
					if got := bitsOf(unpack(y, len(p.body.outs))); !slices.Equal(got, want) {
						t.Errorf("program %d: got %v, alone %v\n%s", i, got, want, p)
						return
					}
				}
			})
		}
		group.Wait()
	}
}

// TestRandomProgramsTraceAlike is case K14 for random programs: a hundred traces print the same.
func TestRandomProgramsTraceAlike(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for i, p := range lawExamples(10, 24) {
		x := pack(p.forms[0], tensorsOf(p.inputs))
		f := p.function(&lawRun{}, tensorsOf(p.captured))
		first := ""
		for k := range 100 {
			runtime.GOMAXPROCS([]int{1, 8}[k%2])
			program, err := hop.Trace(f, x)
			if err != nil {
				t.Fatalf("program %d: %v\n%s", i, err, p)
			}
			if text := program.Graph().String(); first == "" {
				first = text
			} else if text != first {
				t.Fatalf("program %d: trace %d prints\n%s\nthe first\n%s", i, k, text, first)
			}
		}
	}
}
