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
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	rootDir     = "../.."
	programsDir = "../src"
)

// actAsGolangci names the environment variable that makes the test binary golangci-lint, so that it is linked once.
const actAsGolangci = "HOPLINT_TEST_GOLANGCI"

func TestMain(m *testing.M) {
	if os.Getenv(actAsGolangci) != "" {
		main()
		return
	}
	os.Exit(withCache(m.Run))
}

// withCache gives all runs of golangci-lint one cache, which begins empty.
func withCache(run func() int) int {
	dir, err := os.MkdirTemp("", "golangci")
	if err == nil {
		defer os.RemoveAll(dir)
		err = os.Setenv("GOLANGCI_LINT_CACHE", dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return run()
}

// The rule programs have the same findings, by code, file and line, as with go vet. golangci-lint makes findings of their
// own out of the steps of the way, which do not count, and limits what it prints, which is switched off.
func TestFindingsAreThoseOfGoVet(t *testing.T) {
	want := vetFindings(t)
	if len(want) == 0 {
		t.Fatal("go vet found nothing, so nothing is compared")
	}
	if d := cmp.Diff(want, keys(lint(t, programsDir, readmeFile(t, ".golangci.yml"), "./..."))); d != "" {
		t.Errorf("findings differ (-go vet +golangci-lint):\n%s", d)
	}
}

// A finding in one package that needs what was found out about a helper in another is found with that package alone
// named, and the cache of golangci-lint, which is empty at first, holds it.
func TestHelpersInOtherPackagesAreSeenThrough(t *testing.T) {
	dir := module(t, map[string]string{
		"damp/damp.go": "package damp\n\nimport \"github.com/hoplint/hoplint/runtime/hop\"\n\nfunc Damp(t *hop.Tensor) { t.MulScalarInPlace(0.5) }\n",
		"smooth/smooth.go": `package smooth

import (
	"ex/damp"

	"github.com/hoplint/hoplint/runtime/hop"
)

func Smooth(init, xs *hop.Tensor) {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		damp.Damp(carry)
		return x.Clone(), x.Clone()
	}, init, xs)
}
`})
	want := []string{"HOP101 smooth/smooth.go:11"}
	for _, run := range []string{"cold", "warm"} {
		if d := cmp.Diff(want, keys(lint(t, dir, settings(""), "./smooth"))); d != "" {
			t.Errorf("%s (-want +got):\n%s", run, d)
		}
	}
}

const faulty = `package ex

import "github.com/hoplint/hoplint/runtime/hop"

func Sum(init, xs *hop.Tensor) {
	hop.Scan(func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor) {
		carry.AddInPlace(x) COMMENT
		return x, x.Clone()
	}, init, xs)
}

var Step func(carry, x *hop.Tensor) (*hop.Tensor, *hop.Tensor)

func Unknown(init, xs *hop.Tensor) { hop.Scan(Step, init, xs) }
`

func TestSettingsAndComments(t *testing.T) {
	for _, tc := range []struct{ name, settings, comment, want string }{
		{"none", "", "", "HOP101 HOP301"},
		{"nolint", "", "//nolint:hoplint // shown in a test", "HOP301"},
		{"allow", "", "//hop:allow mutated-carry -- shown in a test", "HOP301"},
		{"checks", "{checks: [HOP3*]}", "", "HOP301"},
		{"excluded", "{checks: [-output-aliases-input]}", "", "HOP101"},
		{"strict", "{strict: true}", "", "HOP101 HOP301 HOP903"},
		{"declared", `{declare: ["(*github.com/hoplint/hoplint/runtime/hop.Tensor).AddInPlace: //hop:pure"]}`, "", "HOP301 HOP503"}, // what is pure is no statement
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := module(t, map[string]string{"ex.go": strings.Replace(faulty, "COMMENT", tc.comment, 1)})
			var codes []string
			for _, i := range lint(t, dir, settings(tc.settings), ".") {
				if code := i.code(); code != "" {
					codes = append(codes, code)
				}
			}
			slices.Sort(codes)
			if got := strings.Join(slices.Compact(codes), " "); got != tc.want {
				t.Errorf("found %s, want %s", got, tc.want)
			}
		})
	}
}

func TestFix(t *testing.T) {
	dir := module(t, map[string]string{"ex.go": strings.Replace(faulty, "COMMENT", "", 1)})
	if left := keys(lint(t, dir, settings(""), "--fix", ".")); len(left) != 0 {
		t.Errorf("left after --fix: %v", left)
	}
	text, err := os.ReadFile(filepath.Join(dir, "ex.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"carry = carry.Add(x)", "return x.Clone(), x.Clone()"} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestWrongSettings(t *testing.T) {
	dir := module(t, map[string]string{"ex.go": "package ex\n"})
	for _, tc := range []struct{ settings, want string }{
		{"{strickt: true}", `unknown key "strickt"; did you mean strict?`},
		{"{checks: [HOP110]}", `checks: unknown rule "HOP110"; did you mean HOP101?`},
		{"{checks: HOP101}", "checks: want a list, got string"},
	} {
		_, stderr, status := golangci(t, dir, settings(tc.settings), ".")
		if status != 3 || !strings.Contains(stderr, tc.want) {
			t.Errorf("%s: exit status %d, want 3; no %q in\n%s", tc.settings, status, tc.want, stderr)
		}
	}
}

// golangci-lint keys its cache by its version.
func TestVersionNamesTheBuild(t *testing.T) {
	stdout, stderr, _ := golangci(t, ".", "", "version")
	if want := regexp.MustCompile(regexp.QuoteMeta(version) + `-hoplint-[0-9a-f]{16}`); !want.MatchString(stdout) {
		t.Errorf("no %s in %s%s", want, stdout, stderr)
	}
	gomod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{"go.mod": string(gomod), "the README": readmeFile(t, ".custom-gcl.yml")} {
		if !strings.Contains(text, "v"+version) {
			t.Errorf("%s speaks of another version than %s", file, version)
		}
	}
}

// issue is a finding as golangci-lint prints it.
type issue struct {
	Text string
	Pos  struct {
		Filename string
		Line     int
	}
}

var codeInText = regexp.MustCompile(`\((HOP\d{3})\)`)

// code is the rule that an issue names; empty for a step of a way.
func (i issue) code() string {
	if m := codeInText.FindStringSubmatch(i.Text); m != nil && !strings.HasPrefix(i.Text, "hoplint(related information): ") {
		return m[1]
	}
	return ""
}

// key is what two drivers must agree on, columns aside.
func key(code, file string, line int) string {
	return fmt.Sprintf("%s %s/%s:%d", code, filepath.Base(filepath.Dir(file)), filepath.Base(file), line)
}

func keys(issues []issue) (list []string) {
	for _, i := range issues {
		if code := i.code(); code != "" {
			list = append(list, key(code, i.Pos.Filename, i.Pos.Line))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// lint runs golangci-lint with a configuration and without limits.
func lint(t *testing.T, dir, config string, args ...string) []issue {
	t.Helper()
	args = append([]string{"run", "--output.json.path=stdout", "--show-stats=false", "--enable-only=hoplint",
		"--max-issues-per-linter=0", "--max-same-issues=0", "--uniq-by-line=false"}, args...)
	stdout, stderr, status := golangci(t, dir, config, args...)
	if status > 1 {
		t.Fatalf("exit status %d\n%s", status, stderr)
	}
	var report struct{ Issues []issue }
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		t.Fatalf("%v\n%s%s", err, stdout, stderr)
	}
	for i := range report.Issues {
		if file := &report.Issues[i].Pos.Filename; !filepath.IsAbs(*file) {
			*file = filepath.Join(dir, *file)
		}
	}
	// With findings the status is 1, but not with those that only tell the way of one that was fixed.
	if (status == 1) != (len(report.Issues) > 0) {
		t.Errorf("%d issues, exit status %d", len(report.Issues), status)
	}
	return report.Issues
}

// golangci runs golangci-lint in a folder.
func golangci(t *testing.T, dir, config string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if config != "" {
		file := filepath.Join(t.TempDir(), ".golangci.yml")
		if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
			t.Fatal(err)
		}
		if args[0] != "run" {
			args = append([]string{"run"}, args...)
		}
		args = append(args, "--config="+file)
	}
	cmd := exec.Command(self, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), actAsGolangci+"=1", "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		failed, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			t.Fatal(err)
		}
		status = failed.ExitCode()
	}
	return out.String(), errs.String(), status
}

// settings is a configuration with the given settings of hoplint, in the flow form of YAML.
func settings(flow string) string {
	config := "version: \"2\"\nlinters:\n  default: none\n  settings:\n    custom:\n      hoplint:\n        type: module\n"
	if flow != "" {
		config += "        settings: " + flow + "\n"
	}
	return config
}

// vetFindings runs go vet with hoplint as the tool.
func vetFindings(t *testing.T) (list []string) {
	t.Helper()
	tool := filepath.Join(t.TempDir(), "hoplint")
	build := exec.Command("go", "build", "-o", tool, "./cmd/hoplint")
	build.Dir = rootDir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	vet := exec.Command("go", "vet", "-vettool="+tool, "-json", "-hoplint.contracts=gonum,std", "./...") // as the README's settings say
	vet.Dir = programsDir
	out, err := vet.Output()
	if err != nil {
		t.Fatalf("go vet: %v", err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var packages map[string]map[string][]struct{ Posn, Category string }
		if err := d.Decode(&packages); err != nil {
			t.Fatal(err)
		}
		for _, analyzers := range packages {
			for _, found := range analyzers {
				for _, f := range found {
					var line, column int
					at := strings.Index(f.Posn, ".go:") + len(".go")
					if _, err := fmt.Sscanf(f.Posn[at:], ":%d:%d", &line, &column); err != nil {
						t.Fatalf("%s: %v", f.Posn, err)
					}
					list = append(list, key(f.Category, f.Posn[:at], line))
				}
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// module writes a module that sees this repository and returns its folder.
func module(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs(rootDir)
	if err != nil {
		t.Fatal(err)
	}
	gomod, err := os.ReadFile(programsDir + "/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	gosum, err := os.ReadFile(programsDir + "/go.sum")
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", strings.NewReplacer("module hoplint.test", "module ex", "=> ../..", "=> "+root).Replace(string(gomod)))
	write("go.sum", string(gosum))
	for name, text := range files {
		write(name, text)
	}
	return dir
}

// readmeFile returns a file that the README shows: a fenced block whose first line ends in its name.
func readmeFile(t *testing.T, name string) string {
	t.Helper()
	readme, err := os.ReadFile(rootDir + "/README.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```\\w+ " + regexp.QuoteMeta(name) + "\n(.*?)```\n").FindSubmatch(readme)
	if block == nil {
		t.Fatalf("the README shows no file %s", name)
	}
	return string(block[1])
}
