package analyzer_test

import (
	"fmt"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/analyzer"
)

// A message and its related positions tell the whole way, in order and in few steps.
func TestMessageAndWay(t *testing.T) {
	checkMessages(t, []messageCase{
		{program{name: "view, helper, write", text: `
func scale(t, by *T) { t.MulInPlace(by) }
func main() {
	hop.Scan(func(carry S, x *T) (S, *T) {
		head := carry.H.Narrow(0, 0, 1)
		scale(head, x)
		return hop.Clone(carry), x.Clone()
	}, S{zero, zero}, zero)
}`}, `
18: scan: combine function writes its carry.H through MulInPlace (HOP101); write a new tensor instead, e.g. carry.H.Mul(…)
16: carry.H enters here
17: viewed by Narrow here
18: passed to scale here
14: written by MulInPlace here`},
		{program{name: "helper of another package", packages: map[string]string{"dep": `package dep
import "github.com/hoplint/hoplint/runtime/hop"
func Scale(t *hop.Tensor) { t.MulScalarInPlace(2) }
`}, text: `
func step(carry, x *T) (*T, *T) {
	dep.Scale(carry)
	return carry.Clone(), x.Clone()
}
func main() { hop.Scan(step, zero, zero) }`}, `
15: scan: combine function writes its carry through MulScalarInPlace (HOP101); write a new tensor instead, e.g. carry.MulScalar(…)
14: carry enters here
15: passed to Scale here, written by MulScalarInPlace (dep/p.go:3)
18: given to scan here`},
		{program{name: "alias through a view", text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		head := carry.View(2)
		return x.Add(carry), head
	}, zero, zero)
}`}, `
17: scan: y of the combine function shares storage with its carry (HOP301); return a copy, e.g. carry.Clone()
15: carry enters here
16: viewed by View here`},
		{program{name: "two outputs", text: `
func main() {
	hop.Scan(func(carry, x *T) (*T, *T) {
		next := carry.Add(x)
		return next, next.View(2)
	}, zero, zero)
}`}, `
17: scan: next carry and y of the combine function share storage (HOP302); return a copy, e.g. y.Clone()
16: made by Add here
17: viewed by View here`},
		{program{name: "two leaves of the carry", text: `
func main() {
	hop.Scan(func(carry []*T, x *T) ([]*T, *T) {
		next := carry[0].Add(x)
		return []*T{next, next}, x.Clone()
	}, []*T{zero, zero}, zero)
}`}, `
17: scan: next carry[0] and next carry[1] of the combine function share storage (HOP302); return a copy, e.g. next[1].Clone()
16: made by Add here`},
		{program{name: "aliases in the type of a bad leaf", text: `
type keyed struct{ M map[int][]*T }
func main() {
	hop.Map(func(x keyed) *T { return zero.Clone() }, keyed{})
}`}, `
16: map: xs.M is map[int][]*hop.Tensor: the keys of a map must be strings, so that they have an order (HOP202); use *hop.Tensor leaves in structs with exported fields, slices, arrays or string-keyed maps; tag other fields hop:"static" or hop:"-"`},
		{program{name: "a container", text: `
func main() {
	hop.Scan(func(carry []*T, x *T) ([]*T, *T) {
		return carry, x.Clone()
	}, []*T{zero, zero}, zero)
}`}, `
16: scan: next carry of the combine function shares storage with its carry (HOP301); return a copy, e.g. hop.Clone(carry)
15: carry enters here`},
		{program{name: "a captured container", text: `
func main() {
	ws := map[string]*T{}
	hop.Scan(func(carry, x *T) (*T, map[string]*T) {
		return carry.Add(x), ws
	}, zero, zero)
}`}, `
17: scan: y of the combine function shares storage with captured ws (HOP303); return a copy, e.g. hop.Clone(ws)
15: captured ws enters here`},
		{program{name: "captured field", text: `
type model struct{ w *T }
func main() {
	m := model{zero.Clone()}
	hop.Map(func(x *T) *T {
		m.w.AddInPlace(x)
		return x.Neg()
	}, zero)
}`}, `
18: map: function writes captured m.w through AddInPlace (HOP104); return the new value instead, e.g. m.w.Add(…)
16: captured m.w enters here
18: written by AddInPlace here`},
		{program{name: "container", text: `
func main() {
	hop.Map(func(x []*T) *T {
		x[0] = x[1]
		return x[0].Neg()
	}, []*T{zero})
}`}, `
16: map: function writes its x[] through assignment (HOP102); assign to a copy, e.g. slices.Clone(x) or maps.Clone(x)
15: x[] enters here
16: written by assignment here`},
	})
}

// messageCase is a program with the messages of its findings and ways, each behind its line.
type messageCase struct {
	program
	want string
}

// checkMessages compares what is told of each program.
func checkMessages(t *testing.T, cases []messageCase) {
	t.Helper()
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			eachProgramFinding(t, analyzer.Analyzer, []program{tc.program}, func(_ string, fset *token.FileSet, f analyzer.Finding) {
				got = append(got, fmt.Sprintf("%d: %s", fset.Position(f.Pos).Line, f.Message()))
				for _, r := range f.Related {
					got = append(got, fmt.Sprintf("%d: %s", fset.Position(r.Pos).Line, r.Message))
				}
			})
			if want := strings.Split(strings.TrimSpace(tc.want), "\n"); !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// Two runs over the same source give the same findings in the same order, and the same facts.
func TestFindingsAreTheSameInEveryRun(t *testing.T) {
	p := program{text: `
func two(t *T, n int) (*T, *T) { if n == 0 { return t, t.View(2) }; a, b := two(t, n-1); return b, a }
func main(b bool) {
	ws := map[string]*T{"a": zero, "b": zero, "c": zero}
	hop.Scan(func(carry S, x *T) (S, *T) {
		for _, w := range ws { w.AddInPlace(x) }
		for _, t := range []*T{carry.C, x, carry.H} { t.Zero() }
		h, c := two(carry.H, 3)
		return S{h, c}, x
	}, S{zero, zero}, zero)
}`}
	run := func() string {
		var lines []string
		eachProgramFinding(t, analyzer.Analyzer, []program{p}, func(pkg string, fset *token.FileSet, f analyzer.Finding) {
			lines = append(lines, fmt.Sprint(path.Base(pkg), fset.Position(f.Pos).Line, f.Message(), len(f.Related), len(f.Fixes)))
		})
		return strings.Join(lines, "\n")
	}
	first := run()
	for range 3 {
		if again := run(); again != first {
			t.Fatalf("first run\n%s\nanother\n%s", first, again)
		}
	}
	if !strings.Contains(first, "HOP101") || !strings.Contains(first, "HOP104") || !strings.Contains(first, "HOP301") {
		t.Errorf("too little was found:\n%s", first)
	}
}
