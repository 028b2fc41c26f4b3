package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/hoplint/hoplint/analyzer"
	"github.com/hoplint/hoplint/hopcheck"
)

// All drivers find the same in the rule programs and the whole programs of testdata: hoplint on its own, go vet, and a
// driver that takes one analyzer and loads all packages into one process.
func TestDriversAgree(t *testing.T) {
	want := standaloneFindings(t)
	if len(want) == 0 {
		t.Fatal("no findings in testdata, so nothing is compared")
	}
	for _, driver := range []struct {
		name string
		run  func(*testing.T) []string
	}{{"go vet", vetFindings}, {"all in one", checkerFindings}} {
		t.Run(driver.name, func(t *testing.T) {
			if d := cmp.Diff(want, driver.run(t)); d != "" {
				t.Errorf("findings differ (-hoplint +%s):\n%s", driver.name, d)
			}
		})
	}
}

// key is what two drivers must agree on, columns aside.
func key(code hopcheck.Code, file string, line int) string {
	return fmt.Sprintf("%s %s:%d", string(code), filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file), line)
}

func sortedSet(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

func standaloneFindings(t *testing.T) (keys []string) {
	t.Helper()
	cmd := exec.Command(binary, "-C", testdataDir, "-f", "json", "./...")
	out, err := cmd.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok && failed.ExitCode() == exitError {
		t.Fatalf("%s", failed.Stderr)
	}
	var r report
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		keys = append(keys, key(f.Code, f.File, f.Line))
	}
	return sortedSet(keys)
}

// vetFindings reads the text that go vet prints, as its users see it. The way stands on indented lines.
func vetFindings(t *testing.T) (keys []string) {
	t.Helper()
	cmd := exec.Command("go", "vet", "-vettool="+binary, "./...")
	cmd.Dir = testdataDir
	out, err := cmd.CombinedOutput()
	if _, ok := errors.AsType[*exec.ExitError](err); !ok {
		t.Fatalf("go vet found nothing: %v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		place, message, ok := strings.Cut(line, ": ")
		if !ok || strings.HasPrefix(message, "\t") {
			continue
		}
		for _, r := range hopcheck.Rules() {
			if strings.Contains(message, "("+string(r.Code)+")") {
				p := readPosition(place)
				keys = append(keys, key(r.Code, p.file, p.line))
			}
		}
	}
	return sortedSet(keys)
}

func checkerFindings(t *testing.T) (keys []string) {
	t.Helper()
	pkgs, err := packages.Load(&packages.Config{Dir: testdataDir, Mode: packages.LoadAllSyntax, Tests: true}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{analyzer.Analyzer}, pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	for action := range graph.All() {
		if action.Err != nil {
			t.Errorf("%v: %v", action, action.Err)
		}
		if !action.IsRoot {
			continue
		}
		for _, d := range action.Diagnostics {
			p := action.Package.Fset.Position(d.Pos)
			keys = append(keys, key(hopcheck.Code(d.Category), p.Filename, p.Line))
		}
	}
	return sortedSet(keys)
}
