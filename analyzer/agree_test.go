package analyzer_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/hoplint/hoplint/analyzer"
	"github.com/hoplint/hoplint/hopcheck"
)

// ruleFolders is the module of the bad and good programs.
const ruleFolders = "../testdata/src"

// refusal is one place or pair of a finding, of either half.
type refusal struct {
	Code             string
	Role, Path       string
	WithRole, WithAt string
	// Message is set for findings that name no tensor.
	Message string
	// HOP, Body and Op are the operator, its function and the operation.
	HOP, Body, Op string
}

// staticOnly reports whether nobody but the analyzer can find the rule: the runtime sees tensors, not the state, the clock or the
// goroutines of a Go program.
func (s refusal) staticOnly() bool {
	rule, _ := hopcheck.RuleFor(hopcheck.Code(s.Code))
	return !rule.Dynamic
}

// ran is what became of a program at run time.
type ran struct {
	Name     string
	Good     bool
	Unseen   bool // by the runtime
	Refusals []refusal
	Other    string
}

// For every bad program the analyzer's findings and the runtime's refusals have the same codes, roles and paths; for
// every good one there are none of either. A bad program of a rule that only the analyzer finds runs through.
func TestStaticDynamicAgree(t *testing.T) {
	dynamic := runPrograms(t, ruleFolders)
	static := inspectRuleFolders(t, ruleFolders)
	for _, p := range dynamic {
		t.Run(p.Name, func(t *testing.T) {
			found := static[p.Name]
			if p.Other != "" {
				t.Fatalf("the program fails for another reason: %s", p.Other)
			}
			if p.Unseen {
				if len(p.Refusals) > 0 || len(found) == 0 {
					t.Errorf("the runtime says %v and the analyzer %v; it alone can find something", p.Refusals, found)
				}
				return
			}
			unseen := atDeclaration(p.Name) || len(found) > 0 && !slices.ContainsFunc(found, func(s refusal) bool { return !s.staticOnly() })
			if p.Good && len(p.Refusals)+len(found) > 0 || !p.Good && len(p.Refusals) == 0 && !unseen {
				t.Errorf("good %t, but the runtime says %v and the analyzer %v", p.Good, p.Refusals, found)
			}
			for _, r := range p.Refusals {
				if !slices.ContainsFunc(found, func(s refusal) bool { return s.covers(r) }) {
					t.Errorf("the runtime refuses %v, the analyzer finds only %v", r, found)
				}
			}
			for _, s := range found {
				if !s.staticOnly() && !slices.ContainsFunc(p.Refusals, s.covers) {
					t.Errorf("the analyzer finds %v, the runtime refuses only %v", s, p.Refusals)
				}
			}
		})
		delete(static, p.Name)
	}
	for name, found := range static {
		if atDeclaration(name) {
			continue // findings at declarations that the programs call
		}
		t.Errorf("%s is not run, but the analyzer finds %v", name, found)
	}
}

// atDeclaration reports whether the findings of a program stand at what it calls, and not in the program.
func atDeclaration(program string) bool {
	return strings.Contains(program, "/hop701.") || strings.Contains(program, "/hop902.")
}

// covers reports whether a static finding speaks of what the runtime refused. An index or key is any to the analyzer, and
// it may name the container of the leaf; the runtime knows captured tensors by number, the analyzer by name.
func (s refusal) covers(r refusal) bool {
	if s.Code == string(hopcheck.StaleCapture) {
		return r.Code == s.Code // the runtime knows the tensor and neither its name nor what wrote it
	}
	if s.Code == string(hopcheck.SpecialisedDimension) {
		return r.Code == s.Code // the runtime knows the size in the program's graph and not the body that asked for it
	}
	if r.Message != "" && seenElsewhere(s.Code) {
		return s.Code == r.Code && s.HOP == r.HOP && s.Body == r.Body && (s.Op == r.Op || s.Code == string(hopcheck.StaleSavedTensor))
	}
	if s.Message != "" || r.Message != "" {
		return s.Code == r.Code && s.Message == r.Message
	}
	if s.Code != r.Code || s.Role != r.Role || s.WithRole != r.WithRole {
		return false
	}
	if s.Role != "captured" && !strings.HasPrefix(hopcheck.AnyIndex(r.Path), hopcheck.AnyIndex(s.Path)) {
		return false
	}
	return s.WithRole == "captured" || strings.HasPrefix(hopcheck.AnyIndex(r.WithAt), hopcheck.AnyIndex(s.WithAt))
}

// seenElsewhere reports whether the runtime meets a breach at another event than the analyzer, or knows no role for it: a tensor that
// was kept when it is used, a value that was computed from inputs when it is read, a leaf by its shape, a saved tensor when Backward
// asks for it.
func seenElsewhere(code string) bool {
	switch hopcheck.Code(code) {
	case hopcheck.LeakedTensor, hopcheck.DataDependentControlFlow, hopcheck.InPlaceOnLeaf, hopcheck.StaleSavedTensor:
		return true
	}
	return false
}

// runPrograms runs every program of the rule folders.
func runPrograms(t *testing.T, dir string) []ran {
	t.Helper()
	cmd := exec.Command("go", "run", "./refusals")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		if e, ok := err.(*exec.ExitError); ok {
			t.Fatalf("go run ./refusals: %v\n%s", err, e.Stderr)
		}
		t.Fatal(err)
	}
	var list []ran
	if err := json.Unmarshal(out, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// inspectRuleFolders returns the findings of the rule folders by the program whose HOP call runs the body.
func inspectRuleFolders(t *testing.T, dir string) map[string][]refusal {
	t.Helper()
	found := map[string][]refusal{}
	eachFinding(t, dir, func(_ *token.FileSet, program string, f analyzer.Finding) {
		for _, d := range f.Differences {
			found[program] = append(found[program], refusal{Code: string(f.Code), Role: d.Got.Role.String(), Path: d.Got.Path,
				WithRole: d.Want.Role.String(), WithAt: d.Want.Path})
		}
		if len(f.Places)+len(f.Pairs)+len(f.Differences) == 0 {
			found[program] = append(found[program], refusal{Code: string(f.Code), Message: f.Message()})
		}
		for _, p := range f.Places {
			found[program] = append(found[program], refusal{Code: string(f.Code), Role: p.Role.String(), Path: p.Path, HOP: f.HOP, Body: f.Body, Op: f.Op})
		}
		for _, p := range f.Pairs {
			found[program] = append(found[program], refusal{Code: string(f.Code), Role: p.Out.Role.String(), Path: p.Out.Path,
				WithRole: p.With.Role.String(), WithAt: p.With.Path})
		}
	})
	return found
}

// eachFinding calls visit with the findings of a module's packages.
func eachFinding(t *testing.T, dir string, visit func(fset *token.FileSet, program string, f analyzer.Finding)) {
	t.Helper()
	load := func() (*checker.Graph, error) { return analyseFolders(dir, ruleFolderNames(t)) }
	if dir == ruleFolders {
		load = analysedRuleFolders
	}
	graph, err := load()
	if err != nil {
		t.Fatal(err)
	}
	for _, root := range graph.Roots {
		if root.Err != nil {
			t.Fatalf("%s: %v", root.Package.PkgPath, root.Err)
		}
		for _, f := range root.Result.(*analyzer.Result).Findings {
			visit(root.Package.Fset, enclosingFunction(root.Package, f), f)
		}
	}
}

// analysedRuleFolders analyses the rule folders once for all tests; loading the runtime with all it imports takes seconds.
var analysedRuleFolders = sync.OnceValues(func() (*checker.Graph, error) {
	files, err := filepath.Glob(filepath.Join(ruleFolders, "hop*", "bad.go"))
	if err != nil {
		return nil, err
	}
	return analyseFolders(ruleFolders, foldersOf(files))
})

// withEveryRule sets the flags of an analyzer that the rules of the folders ask for; strict mode has no rule that bodies break.
func withEveryRule(a *analysis.Analyzer) (off func(), err error) {
	before := map[string]string{"contracts": "gonum,std", "info": "true"}
	for name, on := range before {
		v := a.Flags.Lookup(name).Value
		old := v.String()
		if err := v.Set(on); err != nil {
			return nil, err
		}
		before[name] = old
	}
	return func() {
		for name, old := range before {
			a.Flags.Lookup(name).Value.Set(old)
		}
	}, nil
}

func analyseFolders(dir string, patterns []string) (*checker.Graph, error) {
	off, err := withEveryRule(analyzer.Analyzer)
	if err != nil {
		return nil, err
	}
	defer off()
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Dir: dir}, patterns...)
	if err != nil {
		return nil, err
	}
	if packages.PrintErrors(pkgs) > 0 {
		return nil, fmt.Errorf("the packages of %s do not compile", dir)
	}
	return checker.Analyze([]*analysis.Analyzer{analyzer.Analyzer}, pkgs, &checker.Options{})
}

// enclosingFunction is the declared function that holds the finding's HOP call.
func enclosingFunction(p *packages.Package, f analyzer.Finding) string {
	for _, file := range p.Syntax {
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Pos() <= f.Call && f.Call < fn.End() {
				return fmt.Sprintf("%s.%s", p.PkgPath, fn.Name.Name)
			}
		}
	}
	return p.PkgPath
}
