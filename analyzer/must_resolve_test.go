package analyzer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/analyzer"
)

// construct is a kind of Go construct through which the analyzer must follow a value. From a row come the programs of all
// variants: what it declares stands in the package of the body, or in another package, or the whole body stands there.
type construct struct {
	name string
	// carry is the type of the carry c, *T where it is left out; x is a *T.
	carry string
	// declares are the declarations that both bodies use; what they use is exported.
	declares string
	// broken is a body that breaks rules through the construct, with want comments; it may return its own results.
	broken string
	// kept is a body of the same constructs that keeps the contract.
	kept string
}

const resolveHead = `package %s

import "github.com/hoplint/hoplint/runtime/hop"
%s
`

const resolveTypes = `
type T = hop.Tensor
type S struct{ H, C *T }
`

// variants are the programs that a body of the construct is tried in, by name.
func (c construct) variants(i int, kind, body string) map[string]program {
	carry := c.carry
	if carry == "" {
		carry = "*T"
	}
	function := fmt.Sprintf("(c %s, x *T) (%[1]s, *T) {%s\n\treturn hop.Clone(c), x.Clone()\n}", carry, body)
	scan := fmt.Sprintf("\nfunc main(init %s, xs *hop.Tensor) { hop.Scan(%%s, init, xs) }%%s\n", carry)
	pkg := fmt.Sprintf("resolve%02d%s", i, kind)
	dot := func(path string) string { return `import . "` + path + `"` }
	library := ""
	if strings.Contains(c.declares, "slices.") {
		library = `import "slices"`
	}
	declared := fmt.Sprintf(resolveHead, "dep", library) + resolveTypes + c.declares

	here := program{full: fmt.Sprintf(resolveHead, "here", library) + resolveTypes + c.declares + fmt.Sprintf(scan, "func"+function, "")}
	helper := program{full: fmt.Sprintf(resolveHead, "here", dot(pkg+"helper/dep")) + fmt.Sprintf(scan, "func"+function, ""),
		packages: map[string]string{pkg + "helper/dep": declared}}
	want := ""
	if w := wantsOf(body); len(w) > 0 {
		want = " // want " + strings.Join(w, "; ")
	}
	elsewhere := program{full: fmt.Sprintf(resolveHead, "here", dot(pkg+"body/dep")) + fmt.Sprintf(scan, "Body", want),
		packages: map[string]string{pkg + "body/dep": declared + "\nfunc Body" + function}}
	return map[string]program{"here": here, "declared in another package": helper, "body in another package": elsewhere}
}

// wantsOf are the findings that a body's want comments name, one for each code and place, without their lines.
func wantsOf(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		if m := wantComment.FindStringSubmatch(line); m != nil {
			for w := range strings.SplitSeq(m[1], ";") {
				list = append(list, eachPlace(strings.TrimSpace(w))...)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// eachPlace splits a finding of several places into one for each.
func eachPlace(finding string) []string {
	code, places, _ := strings.Cut(finding, " ")
	line := ""
	if strings.HasSuffix(code, ":") {
		line = code + " "
		code, places, _ = strings.Cut(places, " ")
	}
	var list []string
	for _, p := range strings.Split(places, ", ") {
		list = append(list, strings.TrimSpace(line+code+" "+p))
	}
	return list
}

// constructs are all rows.
func constructs() []construct {
	return slices.Concat(functionConstructs(), callConstructs(), memoryConstructs(), dynamicConstructs())
}

// Every construct is followed, in each variant: what breaks a rule is found where it stands, and what keeps the contract is not
// only silent but proved, in strict mode.
func TestConstructsThatMustBeResolved(t *testing.T) {
	for _, strict := range []bool{false, true} {
		t.Run(map[bool]string{false: "default", true: "strict"}[strict], func(t *testing.T) {
			if strict {
				strictly(t)
			}
			type trial struct {
				name string
				program
			}
			var trials []trial
			for i, c := range constructs() {
				for kind, body := range map[string]string{"broken": c.broken, "kept": c.kept} {
					for name, p := range c.variants(i, kind, body) {
						trials = append(trials, trial{c.name + "/" + kind + "/" + name, p})
					}
				}
			}
			slices.SortFunc(trials, func(a, b trial) int { return strings.Compare(a.name, b.name) })
			programs := make([]program, len(trials))
			for i := range trials {
				programs[i] = trials[i].program
			}
			found := inspectPrograms(t, analyzer.Analyzer, programs)
			for i, trial := range trials {
				t.Run(trial.name, func(t *testing.T) {
					got, want := places(found[fmt.Sprintf("case%03d", i)]), places(trial.wanted())
					if !slices.Equal(got, want) {
						text := numbered(trial.full)
						for path, dep := range trial.packages {
							text += "with " + path + "\n" + numbered(dep)
						}
						t.Errorf("got  %s\nwant %s\nin\n%s", strings.Join(got, "\n     "), strings.Join(want, "\n     "), text)
					}
				})
			}
		})
	}
}

// places are findings split by place, in order and each once.
func places(findings []string) []string {
	var list []string
	for _, f := range findings {
		list = append(list, eachPlace(f)...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// No construct goes without a body that breaks a rule and one that keeps all, and each is tried across packages.
func TestEveryConstructHasItsPrograms(t *testing.T) {
	seen := map[string]bool{}
	for i, c := range constructs() {
		if seen[c.name] {
			t.Errorf("%s stands twice", c.name)
		}
		seen[c.name] = true
		if len(wantsOf(c.broken)) == 0 || len(wantsOf(c.kept)) != 0 || strings.TrimSpace(c.kept) == "" || strings.TrimSpace(c.declares) == "" {
			t.Errorf("%s needs declarations, a body with findings and one without", c.name)
		}
		across := 0
		for _, p := range c.variants(i, "broken", c.broken) {
			across += len(p.packages)
		}
		if across < 2 {
			t.Errorf("%s is tried across %d package boundaries, want 2", c.name, across)
		}
	}
	for _, item := range mustBeResolved {
		if !seen[item] {
			t.Errorf("%s has no row", item)
		}
	}
}

// mustBeResolved are the constructs that the analyzer promises to follow.
var mustBeResolved = []string{
	"helpers", "mutual recursion", "generics", "methods of type parameters", "method values and bound methods",
	"closures in variables", "closures in fields", "closures in slices", "closures in maps", "closures returned by factories",
	"deferred calls", "range-over-func", "variadics", "type switches",
	"interface whose type the flow knows", "unexported interface whose types are converted here", "interface that the caller gives",
	"interface with directives", "named results changed by defer", "append within capacity", "loops that overwrite all elements", "copy", "clear", "delete",
	"conversions of slices to arrays", "embedded promotion", "function literals in package variables",
	"methods of type parameters called in the body", "values of type parameters made in a generic function", "generic composition",
	"slices.Repeat", "factories that return interfaces", "exported variables that hold functions",
}
