package analyzer_test

import (
	"fmt"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/hoplint/hoplint/analyzer"
)

// program is a case: a Go file without its head, with the findings that are wanted behind the lines that break a rule:
//
//	carry.AddInPlace(x) // want HOP101 carry
//
// Several findings of a line are separated by semicolons, places by commas; an alias is written output=input.
type program struct {
	name, text string
	// packages are further packages by import path, whose text begins with a package clause.
	packages map[string]string
	// full is the whole file; text is then unused.
	full string
}

const programHead = `package %s

import (
	"github.com/hoplint/hoplint/runtime/hop"%s
)

type T = hop.Tensor

type S struct{ H, C *T }

var zero = hop.Zeros(hop.Float64, 2); func changeZero() { zero = zero.Neg() } // nothing is known of it

`

// file is the whole file; it imports the program's further packages.
func (p *program) file(name string) string {
	if p.full != "" {
		return p.full
	}
	imports := ""
	for _, path := range slices.Sorted(maps.Keys(p.packages)) {
		imports += "; " + strconv.Quote(path)
	}
	return fmt.Sprintf(programHead, name, imports) + p.text
}

// inspectPrograms runs the analyzer once over all programs, each a package of its own, and returns their findings as
// lines of text by package.
func inspectPrograms(t *testing.T, a *analysis.Analyzer, programs []program) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	eachProgramFinding(t, a, programs, func(pkg string, fset *token.FileSet, f analyzer.Finding) {
		found[pkg] = append(found[pkg], fmt.Sprintf("%d: %s", fset.Position(f.Pos).Line, describeFinding(f)))
	})
	return found
}

// eachProgramFinding calls visit with the findings of each program.
func eachProgramFinding(t *testing.T, a *analysis.Analyzer, programs []program, visit func(pkg string, fset *token.FileSet, f analyzer.Finding)) {
	t.Helper()
	root := t.TempDir()
	write := func(path, text string) {
		t.Helper()
		file := filepath.Join(root, "src", path, "p.go")
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	stub, err := os.ReadFile("testdata/src/github.com/hoplint/hoplint/runtime/hop/hop.go")
	if err != nil {
		t.Fatal(err)
	}
	write("github.com/hoplint/hoplint/runtime/hop", string(stub))
	var patterns []string
	for i, p := range programs {
		name := fmt.Sprintf("case%03d", i)
		write(name, p.file(name))
		patterns = append(patterns, name)
		for path, text := range p.packages {
			write(path, text)
		}
	}
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Dir: root,
		Env: append(os.Environ(), "GO111MODULE=off", "GOPATH="+root, "GOPROXY=off")}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			t.Fatalf("%s: %v", p.PkgPath, e)
		}
	})
	graph, err := checker.Analyze([]*analysis.Analyzer{a}, pkgs, &checker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for act := range graph.All() {
		if act.Err != nil && !strings.Contains(act.Err.Error(), "failed prerequisites") {
			t.Fatalf("%s: %v", act.Package.PkgPath, act.Err)
		}
	}
	for _, root := range graph.Roots {
		if root.Err != nil {
			t.Fatalf("%s: %v", root.Package.PkgPath, root.Err)
		}
		for _, f := range root.Result.(*analyzer.Result).Findings {
			visit(root.Package.PkgPath, root.Package.Fset, f)
		}
	}
}

// describeFinding is code and places of a finding.
func describeFinding(f analyzer.Finding) string {
	var places []string
	for _, p := range f.Places {
		places = append(places, p.String())
	}
	for _, p := range f.Pairs {
		places = append(places, p.Out.String()+"="+p.With.String())
	}
	return strings.TrimSpace(string(f.Code) + " " + strings.Join(places, ", "))
}

var wantComment = regexp.MustCompile(`/[/*] want ([^*]*)`)

// wanted reads the want comments of a program, in the form of inspectPrograms.
func (p *program) wanted() []string {
	var list []string
	for i, line := range strings.Split(p.file("p"), "\n") {
		if m := wantComment.FindStringSubmatch(line); m != nil {
			for _, w := range strings.Split(m[1], ";") {
				list = append(list, fmt.Sprintf("%d: %s", i+1, strings.TrimSpace(w)))
			}
		}
	}
	return list
}

// checkPrograms compares the findings of each program with those that are wanted.
func checkPrograms(t *testing.T, programs []program) {
	t.Helper()
	found := inspectPrograms(t, analyzer.Analyzer, programs)
	for i, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			got, want := found[fmt.Sprintf("case%03d", i)], p.wanted()
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("got  %s\nwant %s\nin\n%s", strings.Join(got, "\n     "), strings.Join(want, "\n     "), numbered(p.file("p")))
			}
		})
	}
}

func numbered(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		fmt.Fprintf(&b, "%3d %s\n", i+1, line)
	}
	return b.String()
}

func typeName(v any) string { return fmt.Sprintf("%T", v) }
