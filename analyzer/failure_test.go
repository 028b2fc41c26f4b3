package analyzer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/analyzer"
)

// A failure of hoplint in one function leaves the findings elsewhere, in the package and in those that import it; in strict mode the
// body that it hid is not proved. Each piece of work is let fail in turn.
func TestInternalFailuresHideNothingElsewhere(t *testing.T) {
	helper := `package fragile
import "github.com/hoplint/hoplint/runtime/hop"
func Explode(t *hop.Tensor) *hop.Tensor { return t.Zero() }
func Fine(t *hop.Tensor) { t.Zero() }
`
	const text = `
func troubled(carry, x *T) (*T, *T) {
	fragile.Explode(carry)
	return carry.Add(x), x.Clone()
}
func other(carry, x *T) (*T, *T) {
	fragile.Fine(x)
	return carry.Add(x), carry
}
func first() { hop.Scan(troubled, zero, zero) }
func second() { hop.Scan(other, zero, zero) }
func third() {
	w := hop.Zeros(hop.Float64, 2).SetRequiresGrad(true)
	w.Zero()
	w.Neg()
}
`
	elsewhere := []string{"HOP102 x", "HOP301 y=carry", "HOP503", "HOP602 w"}
	for _, work := range []string{"summary", "leaves", "shapes", "mutation", "aliasing", "effects", "proof", "reads", "bodies", "captures", "claims", "contracts",
		"callbacks", "gradients", "statements"} {
		for _, strict := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/strict=%t", work, strict), func(t *testing.T) {
				failed := false
				a := analyzer.Probed(func(at, name string) {
					troubled := slices.Contains([]string{"troubled", "first", "Explode"}, name) || strings.HasPrefix(name, "case")
					if at == work && troubled {
						failed = true
						panic("broken")
					}
				})
				a.Flags.Set("strict", fmt.Sprint(strict))
				var unproved, found []string
				for _, line := range inspectPrograms(t, a, []program{{name: "p", packages: map[string]string{"fragile": helper}, text: text}})["case000"] {
					_, finding, _ := strings.Cut(line, ": ")
					switch {
					case strings.HasPrefix(finding, "HOP903"):
						unproved = append(unproved, line)
					case finding != "HOP101 carry": // of the body that hoplint fails on
						found = append(found, finding)
					}
				}
				slices.Sort(found)
				want := slices.Clone(elsewhere)
				if work == "statements" {
					want = slices.DeleteFunc(want, func(s string) bool { return s == "HOP503" }) // a package as a whole
				}
				if !slices.Equal(found, want) {
					t.Errorf("findings elsewhere: got %q, want %q", found, want)
				}
				ofBody := slices.Contains([]string{"summary", "leaves", "shapes", "mutation", "aliasing", "effects", "proof", "reads", "bodies"}, work)
				if wantUnproved := strict && failed && ofBody; wantUnproved != (len(unproved) > 0) {
					t.Errorf("failed %t, HOP903: %q", failed, unproved)
				}
				onlyStrict := work == "proof" || work == "bodies"
				if !failed && (strict || !onlyStrict) {
					t.Error("nothing failed: the work has another name")
				}
			})
		}
	}
}
