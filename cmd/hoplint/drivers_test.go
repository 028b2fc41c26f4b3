package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/hoplint/hoplint/analyzer"
	"github.com/hoplint/hoplint/hopcheck"
)

// drivers are the ways to run hoplint, each with what it finds in the packages of a folder. golangci-lint is a driver too;
// it is compared in a module of its own, testdata/golangci.
var drivers = []struct {
	name string
	run  func(t *testing.T, dir string) []string
}{
	{"hoplint", standaloneFindings},
	{"go vet", vetFindings},
	{"go vet -json", vetJSONFindings},
	{"sarif", sarifFindings},
	{"github", githubFindings},
	{"nogo", nogoFindings},
	{"one process", checkerFindings},
}

// All drivers find the same in the rule programs and the whole programs of testdata, and in a module whose findings need
// what is known of helpers in other packages, of test files and of generics.
func TestDriversAgree(t *testing.T) {
	for _, module := range []struct{ name, dir string }{
		{"programs", testdataDir},
		{"helpers", extractFile(t, "testdata/drivers.txtar")},
	} {
		t.Run(module.name, func(t *testing.T) {
			want := drivers[0].run(t, module.dir)
			if len(want) == 0 {
				t.Fatal("no findings, so nothing is compared")
			}
			for _, d := range drivers[1:] {
				t.Run(d.name, func(t *testing.T) {
					t.Parallel()
					if d := cmp.Diff(want, d.run(t, module.dir)); d != "" {
						t.Errorf("findings differ (-hoplint +this driver):\n%s", d)
					}
				})
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

func standaloneFindings(t *testing.T, dir string) (keys []string) {
	t.Helper()
	cmd := exec.Command(binary, "-C", dir, "-f", "json", "./...")
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
func vetFindings(t *testing.T, dir string) (keys []string) {
	t.Helper()
	cmd := exec.Command("go", "vet", "-vettool="+binary, "./...")
	cmd.Dir = dir
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

func vetJSONFindings(t *testing.T, dir string) (keys []string) {
	t.Helper()
	cmd := exec.Command("go", "vet", "-vettool="+binary, "-json", "./...")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go vet -json: %v", err)
	}
	list, err := readFindings(bytes.NewReader(out), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		keys = append(keys, key(f.code, f.start.file, f.start.line))
	}
	return sortedSet(keys)
}

func githubFindings(t *testing.T, dir string) (keys []string) {
	t.Helper()
	cmd := exec.Command(binary, "-f", "github", "./...")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GITHUB_WORKSPACE=")
	out, _ := cmd.Output()
	for _, m := range regexp.MustCompile(`(?m)^::error file=(.*?),line=(\d+),.*title=(HOP\d+) `).FindAllStringSubmatch(string(out), -1) {
		line, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key(hopcheck.Code(m[3]), filepath.Join(dir, m[1]), line))
	}
	return sortedSet(keys)
}

func checkerFindings(t *testing.T, dir string) (keys []string) {
	t.Helper()
	pkgs, err := packages.Load(&packages.Config{Dir: dir, Mode: packages.LoadAllSyntax, Tests: true}, "./...")
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
