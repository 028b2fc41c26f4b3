package ssaflow

import (
	"fmt"
	"go/types"
	"sort"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// benchPackages are numeric packages of this module's own dependencies: loops, slices, interfaces and large tables.
var benchPackages = []string{
	"gonum.org/v1/gonum/floats",
	"gonum.org/v1/gonum/blas/gonum",
	"gonum.org/v1/gonum/lapack/gonum",
	"gonum.org/v1/gonum/mat",
	"gonum.org/v1/gonum/optimize",
	"gonum.org/v1/gonum/graph/topo",
	"gonum.org/v1/gonum/stat/distuv",
}

// factModel answers from the facts of the packages analysed so far and from the table of the standard library.
type factModel struct{ facts map[string][]byte }

func (m factModel) Opaque(*types.Named) bool { return false }

func (m factModel) Summary(fn *types.Func) *Summary {
	if b, ok := m.facts[fn.FullName()]; ok {
		s, err := Decode(b, fn, nil)
		if err != nil {
			panic(err)
		}
		return s
	}
	return Std(fn)
}

func loadBench(tb testing.TB, patterns []string) []*packages.Package {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo |
		packages.NeedImports | packages.NeedDeps | packages.NeedFiles | packages.NeedCompiledGoFiles}, patterns...)
	if err != nil {
		tb.Fatal(err)
	}
	sort.Slice(pkgs, func(i, j int) bool { return pkgs[i].PkgPath < pkgs[j].PkgPath })
	return pkgs
}

// BenchmarkAnalyze reports microseconds for each SSA instruction, building the SSA form excluded, and bytes for each fact.
func BenchmarkAnalyze(b *testing.B) {
	for _, p := range loadBench(b, benchPackages) {
		b.Run(p.Name+"@"+p.PkgPath[len("gonum.org/v1/"):], func(b *testing.B) {
			cfg := Config{Fset: p.Fset, Pkg: p.Types, Files: p.Syntax, Info: p.TypesInfo, Model: factModel{}}
			b.ReportAllocs()
			instrs, bytes, facts := 0, 0, 0
			for b.Loop() {
				b.StopTimer()
				pkg, err := build(cfg)
				if err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				e := newEngine(cfg, pkg)
				e.run()
				instrs += e.instrs
				b.StopTimer()
				for _, fn := range e.source {
					if fn.Parent() == nil {
						obj, _ := fn.Object().(*types.Func)
						bytes += len(Encode(e.done[fn], obj))
						facts++
					}
				}
				if len(e.problems) > 0 {
					b.Errorf("contained panic in %s: %s", e.problems[0].Func, e.problems[0].Err)
				}
				b.StartTimer()
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(instrs), "µs/instr")
			b.ReportMetric(float64(bytes)/float64(facts), "B/fact")
			b.ReportMetric(float64(instrs)/float64(b.N), "instrs")
		})
	}
}

// BenchmarkGrowth shows that the cost of an instruction does not depend on the length of the function: n statements of a
// function with branches, local structs and calls.
func BenchmarkGrowth(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w := newWorld(b)
			var src strings.Builder
			src.WriteString(prelude + "func helper(t *T, p *S) { p.H = t; p.C.Zero() }\nfunc f(x *T, s S, c bool) *T {\nvar t *T\n")
			for i := range n / 10 {
				fmt.Fprintf(&src, "r%d := s\nr%d.H = x.Clone()\nif c { t = r%d.H } else { t = x }\nhelper(t, &r%d)\ns.C = r%d.H.Narrow(0, 0, 1)\n", i, i, i, i, i)
			}
			src.WriteString("return t\n}\n")
			cfg := w.load(b, "p", src.String())
			b.ReportAllocs()
			instrs := 0
			for b.Loop() {
				b.StopTimer()
				pkg, err := build(cfg)
				if err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				e := newEngine(cfg, pkg)
				e.run()
				instrs += e.instrs
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(instrs), "µs/instr")
		})
	}
}
