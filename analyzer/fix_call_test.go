package analyzer_test

import (
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/analyzer"
)

// A body that is not changed itself is handed copies at each HOP call. Where that cannot be written, the finding says why there is no
// fix. What is told of a body of another package names its place by import path.
func TestBodiesThatAreNotChanged(t *testing.T) {
	dep := map[string]string{"m/dep": `package dep
import (
	"github.com/hoplint/hoplint/runtime/hop"
	"m/deep"
)
type State struct{ H, C *hop.Tensor }
type hidden struct{ H *hop.Tensor }
type Model struct{ W *hop.Tensor }
func Step(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
	carry.AddInPlace(x)
	return carry.Clone(), x.Clone()
}
func Both(s State, x *hop.Tensor) (State, *hop.Tensor) {
	deep.Zero(s.H)
	return State{s.H.Clone(), s.C.Clone()}, x
}
func (m *Model) Step(carry, _ *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
	m.W.Zero()
	carry.Zero()
	return carry.Clone(), m.W
}
func First() hidden { return hidden{} }
func Hide(s hidden) hidden { s.H.Zero(); return hop.Clone(s) }
func Generic[X any](carry *hop.Tensor, x X) (*hop.Tensor, X) { carry.Zero(); return carry.Clone(), hop.Clone(x) }
`, "m/deep": `package deep
import "github.com/hoplint/hoplint/runtime/hop"
func Zero(t *hop.Tensor) { t.Zero() }
`}
	for _, tc := range []struct {
		program
		call, fixed string
		want        []string
	}{
		{program{name: "function of another package", packages: dep, text: `
var _ = deep.Zero
func main() { CALL }`}, "hop.Scan(dep.Step, zero, zero)",
			"hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) { return dep.Step(carry.Clone(), x) }, zero, zero)", []string{
				"scan: combine function writes its carry through AddInPlace (HOP101); hand dep.Step a copy, or change m/dep/p.go:10, which is of another package",
				"carry enters dep.Step here, written by AddInPlace (m/dep/p.go:10)"}},
		{program{name: "two calls", packages: dep, text: `
var _ = deep.Zero
func main() { CALL }`}, "hop.Scan(dep.Step, zero, zero); hop.Scan((dep.Step), zero, zero)",
			"hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) { return dep.Step(carry.Clone(), x) }, zero, zero)\n\thop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) { return (dep.Step)(carry.Clone(), x) }, zero, zero)", []string{
				"scan: combine function writes its carry through AddInPlace (HOP101); hand dep.Step a copy, or change m/dep/p.go:10, which is of another package",
				"carry enters dep.Step here, written by AddInPlace (m/dep/p.go:10)"}},
		{program{name: "deeper, and an alias", packages: dep, text: `
var _ = deep.Zero
func main() { CALL }`}, "hop.Scan(dep.Both, dep.State{zero, zero}, zero)",
			"hop.Scan(func(s dep.State, x *hop.Tensor) (dep.State, *hop.Tensor) { return dep.Both(hop.Clone(s), x.Clone()) }, dep.State{zero, zero}, zero)", []string{
				"scan: combine function writes its carry.H through Zero (HOP101); hand dep.Both a copy, or change m/deep/p.go:3, which is of another package",
				"carry.H enters dep.Both here, written by Zero (m/deep/p.go:3)",
				"scan: y of the combine function shares storage with its x (HOP301); hand dep.Both a copy, or change m/dep/p.go:13, which is of another package",
				"x enters dep.Both here"}},
		{program{name: "method of another package", packages: dep, text: `
var _ = deep.Zero
func main(carry *dep.Model) { CALL }`}, "hop.Scan(carry.Step, zero, zero)",
			"hop.Scan(func(carry2, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) { return carry.Step(carry2.Clone(), x) }, zero, zero)", []string{
				"scan: combine function writes its carry through Zero (HOP101); hand carry.Step a copy, or change m/dep/p.go:19, which is of another package",
				"carry enters carry.Step here, written by Zero (m/dep/p.go:19)",
				"scan: combine function writes captured m.W through Zero (HOP104); change m/dep/p.go:18, which is of another package and has no fix here",
				"captured m.W enters carry.Step here, written by Zero (m/dep/p.go:18)",
				"scan: y of the combine function shares storage with captured m.W (HOP303); copy what carry.Step returns, or change m/dep/p.go:17, which is of another package and has no fix here",
				"captured m.W enters carry.Step here"}},
		{program{name: "a type that cannot be written here", packages: dep, text: `
var _ = deep.Zero
func main() { CALL }`}, "hop.Map(dep.Hide, dep.First())", "hop.Map(dep.Hide, dep.First())", []string{
			"map: function writes its x.H through Zero (HOP102); hand dep.Hide a copy, or change m/dep/p.go:23, which is of another package and has no fix here",
			"x.H enters dep.Hide here, written by Zero (m/dep/p.go:23)"}},
		{program{name: "a generic function", packages: dep, text: `
var _ = deep.Zero
func main() { CALL }`}, "hop.Scan(dep.Generic, zero, zero)", "hop.Scan(dep.Generic, zero, zero)", []string{
			"scan: combine function writes its carry through Zero (HOP101); hand dep.Generic a copy, or change m/dep/p.go:24, which is of another package and has no fix here",
			"carry enters dep.Generic here, written by Zero (m/dep/p.go:24)"}},
		{program{name: "a value that is made anew", packages: dep, text: `
var _ = deep.Zero
func step() func(a, b *T) (*T, *T) { return dep.Step }
func main() { CALL }`}, "hop.Scan(step(), zero, zero)", "hop.Scan(step(), zero, zero)", []string{
			"scan: combine function writes its carry through AddInPlace (HOP101); hand dep.Step a copy, or change m/dep/p.go:10, which is of another package and has no fix here",
			"carry enters dep.Step here, written by AddInPlace (m/dep/p.go:10)"}},
		{program{name: "exported function of this package", text: `
func Step(carry, x *T) (*T, *T) {
	carry.AddInPlace(x)
	return carry.Clone(), x.Clone()
}
func main() { CALL }`}, "hop.Scan(Step, zero, zero)",
			"hop.Scan(func(carry, x *T) (*T, *T) { return Step(carry.Clone(), x) }, zero, zero)", []string{
				"scan: combine function writes its carry through AddInPlace (HOP101); write a new tensor instead, e.g. carry.Add(…)",
				"carry enters here", "written by AddInPlace here", "given to scan here"}},
		{program{name: "function with other callers", text: `
func step(carry, x *T) (*T, *T) {
	carry.AddInPlace(x)
	return carry.Clone(), x.Clone()
}
func other(t *T) { step(t, t) }
func main() { CALL }`}, "f := step; hop.Scan(f, zero, zero)", "f := step\n\thop.Scan(f, zero, zero)", []string{
			"scan: combine function writes its carry through AddInPlace (HOP101); write a new tensor instead, e.g. carry.Add(…)",
			"carry enters here", "written by AddInPlace here", "given to scan here; no fix is made, for step may have callers that rely on the write"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before, after := tc.program, tc.program
			before.text = strings.ReplaceAll(tc.text, "CALL", tc.call)
			after.text = strings.ReplaceAll(tc.text, "CALL", tc.fixed)
			var got []string
			eachProgramFinding(t, analyzer.Analyzer, []program{before}, func(_ string, fset *token.FileSet, f analyzer.Finding) {
				got = append(got, f.Message())
				for _, r := range f.Related {
					got = append(got, r.Message)
				}
			})
			if !slices.Equal(got, tc.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tc.want, "\n"))
			}
			text := string(fixed(t, []program{before})[0])
			if want := strings.ReplaceAll(tc.fixed, "\n\t", "; "); !strings.Contains(strings.ReplaceAll(text, "\n\t", "; "), want) {
				t.Errorf("fixed to\n%s\nwant %s in it", text, want)
			}
			if strings.ReplaceAll(tc.fixed, "\n\t", "; ") == tc.call {
				return
			}
			after.full, after.text = text, ""
			for _, left := range inspectPrograms(t, analyzer.Analyzer, []program{after})["case000"] {
				if !strings.Contains(left, "captured") {
					t.Errorf("the fixed program still has %s", left)
				}
			}
		})
	}
}
