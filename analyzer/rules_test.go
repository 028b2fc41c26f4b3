package analyzer_test

import (
	"flag"
	"go/format"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/hoplint/hoplint/analyzer"
	"github.com/hoplint/hoplint/hopcheck"
)

var update = flag.Bool("update", false, "rewrite the golden files of the rule folders")

// reporter reports what the core found: the analyzers that own facts would need a want comment for each fact.
var reporter = &analysis.Analyzer{Name: "reporter", Doc: "reports the findings of the core", Requires: []*analysis.Analyzer{analyzer.Core()},
	Run: func(pass *analysis.Pass) (any, error) {
		for _, f := range pass.ResultOf[analyzer.Core()].(*analyzer.Result).Findings {
			pass.Report(f.Diagnostic())
		}
		return nil, nil
	}}

// The rule folders: every finding of bad.go is wanted there, good.go has none, and the fixes give bad.go.golden.
func TestRuleFolders(t *testing.T) {
	dir, err := filepath.Abs(ruleFolders)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		updateGoldens(t)
	}
	folders := ruleFolderNames(t)
	for _, code := range analyzer.Codes() {
		rule, _ := hopcheck.RuleFor(code)
		if (rule.Dynamic || rule.OptIn == "info" || rule.OptIn == "contracts" || rule.Code == hopcheck.BrokenClaim) && !slices.Contains(folders, "./"+strings.ToLower(string(code))) {
			t.Errorf("%s has no folder in %s", code, ruleFolders)
		}
	}
	off, err := withEveryRule(analyzer.Core())
	if err != nil {
		t.Fatal(err)
	}
	defer off()
	analysistest.RunWithSuggestedFixes(t, dir, reporter, folders...)
}

// ruleFolderNames are the patterns of the packages with a bad.go.
func ruleFolderNames(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(ruleFolders, "hop*", "bad.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no rule folders in %s: %v", ruleFolders, err)
	}
	return foldersOf(files)
}

// foldersOf are the patterns of the packages that files belong to.
func foldersOf(files []string) []string {
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = "./" + filepath.Base(filepath.Dir(f))
	}
	return names
}

// updateGoldens applies the first fix of each finding and writes the result beside the file.
func updateGoldens(t *testing.T) {
	t.Helper()
	edits := map[string][]edit{}
	eachFinding(t, ruleFolders, func(fset *token.FileSet, _ string, f analyzer.Finding) {
		if len(f.Fixes) == 0 {
			return
		}
		file := fset.Position(f.Pos).Filename
		edits[file] = append(edits[file], editsOf(fset, f)...)
	})
	for file, list := range edits {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text = applyEdits(text, list)
		if text, err = format.Source(text); err != nil {
			t.Fatalf("%s, fixed: %v", file, err)
		}
		if err := os.WriteFile(file+".golden", text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// What the fixes leave compiles, and its only findings are those that have no fix.
func TestFixedProgramsCompileAndHaveOnlyFindingsWithoutFix(t *testing.T) {
	dir := fixedRuleFolders(t)
	vet := exec.Command("go", "build", "./...")
	vet.Dir = dir
	if out, err := vet.CombinedOutput(); err != nil {
		t.Fatalf("fixed programs do not compile: %v\n%s", err, out)
	}
	left := inspectRuleFolders(t, dir)
	unfixable := map[string]bool{}
	for _, name := range programsWithoutFix(t) {
		unfixable[name] = true
	}
	for _, p := range runPrograms(t, dir) {
		switch {
		case p.Other != "":
			t.Errorf("%s, fixed, fails: %s", p.Name, p.Other)
		case !unfixable[p.Name] && len(left[p.Name])+len(p.Refusals) > 0:
			t.Errorf("%s, fixed, still breaks the contract: analyzer %v, runtime %v", p.Name, left[p.Name], p.Refusals)
		}
	}
}

// fixedRuleFolders copies the rule folders with each bad.go replaced by its golden file.
func fixedRuleFolders(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(ruleFolders)); err != nil {
		t.Fatal(err)
	}
	goldens, err := filepath.Glob(filepath.Join(dir, "*", "bad.go.golden"))
	if err != nil || len(goldens) == 0 {
		t.Fatalf("no golden files in %s: %v", ruleFolders, err)
	}
	for _, golden := range goldens {
		if err := os.Rename(golden, strings.TrimSuffix(golden, ".golden")); err != nil {
			t.Fatal(err)
		}
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	module := filepath.Join(dir, "go.mod")
	text, err := os.ReadFile(module)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(module, []byte(strings.Replace(string(text), "=> ../..", "=> "+root, 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// programsWithoutFix are the bad programs with a finding that has no fix.
func programsWithoutFix(t *testing.T) []string {
	t.Helper()
	var names []string
	eachFinding(t, ruleFolders, func(_ *token.FileSet, program string, f analyzer.Finding) {
		if len(f.Fixes) == 0 {
			names = append(names, program)
		}
	})
	return names
}
