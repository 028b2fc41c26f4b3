package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/hoplint/hoplint/analyzer"
	"github.com/hoplint/hoplint/hopcheck"
)

// readmeBlock finds the blocks of the README that are run: a fenced block marked "sh run" or "go run", and the fenced
// block marked "text output" behind it, if there is one, which is what it prints. A line … in it stands for any lines.
var readmeBlock = regexp.MustCompile("(?s)```(sh|go) run\n(.*?)```\n(?:\n```text output\n(.*?)```\n)?")

// The commands of the README are run in the repository's root, its programs in a module of their own, and print what the
// README says.
func TestReadmeIsTrue(t *testing.T) {
	readme := readReadme(t)
	matches := readmeBlock.FindAllStringSubmatchIndex(readme, -1)
	if len(matches) == 0 {
		t.Fatal("no block marked sh run or go run")
	}
	var rendered strings.Builder
	last := 0
	for _, m := range matches {
		language, source := readme[m[2]:m[3]], readme[m[4]:m[5]]
		var got string
		if language == "go" {
			got = runProgram(t, source)
		} else {
			got = runCommand(t, source)
		}
		if m[6] < 0 {
			continue
		}
		if want := readme[m[6]:m[7]]; isElided(want, got) {
			got = want
		}
		rendered.WriteString(readme[last:m[6]] + got)
		last = m[7]
	}
	rendered.WriteString(readme[last:])
	checkGenerated(t, rootDir+"/README.md", withRules(t, rendered.String()))
}

// isElided reports whether want, in which each line … stands for any lines, is what got says. The lines between are
// found from the top, each part at its first place.
func isElided(want, got string) bool {
	const mark = "…\n"
	parts := strings.Split("\n"+want, "\n"+mark)
	if len(parts) == 1 {
		return want == got
	}
	rest := "\n" + got
	for i, part := range parts {
		at := strings.Index(rest, part)
		if at < 0 || i == 0 && at > 0 {
			return false
		}
		if i == len(parts)-1 {
			return strings.HasSuffix(rest, part)
		}
		rest = rest[at+len(part):]
	}
	return true
}

func TestIsElided(t *testing.T) {
	for _, tc := range []struct {
		want, got string
		match     bool
	}{
		{"a\nb\n", "a\nb\n", true},
		{"a\nb\n", "a\nc\n", false},
		{"a\n…\nd\n", "a\nb\nc\nd\n", true},
		{"a\n…\nd\n", "a\nb\nc\ne\n", false},
		{"…\nd\n", "a\nd\n", true},
		{"…\nb\n…\nd\n", "a\nb\nc\nd\n", true},
		{"…\nb\n…\nd\n", "a\nc\nd\n", false},
		{"b\n…\nd\n", "a\nb\nd\n", false},
		{"…\n", "anything\n", true},
	} {
		if got := isElided(tc.want, tc.got); got != tc.match {
			t.Errorf("isElided(%q, %q) = %v, want %v", tc.want, tc.got, got, tc.match)
		}
	}
}

func readReadme(t *testing.T) string {
	t.Helper()
	readme, err := os.ReadFile(rootDir + "/README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(readme)
}

// runCommand runs commands and returns all that they print. A program that go run runs may fail with status 1, which
// stands for findings or a refused body.
func runCommand(t *testing.T, script string) string {
	t.Helper()
	cmd := exec.Command("bash", "-c", script)
	cmd.Dir = rootDir
	out, err := cmd.CombinedOutput()
	if err != nil && !bytes.HasSuffix(out, []byte("\nexit status 1\n")) {
		t.Errorf("%s%v\n%s", script, err, out)
	}
	return goRunStatus.ReplaceAllString(string(out), "")
}

// runProgram runs a program and returns what it prints.
func runProgram(t *testing.T, source string) string {
	t.Helper()
	dir := extract(t, programModule(t, []byte(source)))
	stdout, stderr, status := shell(t, dir, "go run .")
	if status != 0 {
		t.Errorf("program of the README: exit status %d\n%s%s", status, stdout, stderr)
	}
	return stdout
}

// programModule holds a program in a module that sees this repository as testdata's module does.
func programModule(t *testing.T, source []byte) *txtar.Archive {
	t.Helper()
	gomod, err := os.ReadFile(testdataDir + "/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	return &txtar.Archive{Files: []txtar.File{{Name: "main.go", Data: source},
		{Name: "go.mod", Data: bytes.ReplaceAll(gomod, []byte("=> ../.."), []byte("=> $ROOT"))}}}
}

// withRules renders the short table of rules and the table of directives.
func withRules(t *testing.T, readme string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| code | name | finding | analyzer | runtime |\n|---|---|---|---|---|\n")
	enforced := readEnforced(t)
	for _, r := range hopcheck.Rules() {
		fmt.Fprintf(&b, "| [%s](RULES.md#%s) | %s | %s | %s | %s |\n", string(r.Code), anchor(r), r.Name, r.Summary,
			staticState(r), dynamicState(r, enforced))
	}
	readme = withTable(t, readme, "rules", b.String())
	b.Reset()
	b.WriteString("| directive | says |\n|---|---|\n")
	for _, d := range analyzer.Directives() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(d.Usage, "|", "\\|"), strings.ReplaceAll(d.Doc, "|", "\\|"))
	}
	return withTable(t, readme, "directives", b.String()+"\n"+wrap(analyzer.DirectiveRules(), 118)+"\n")
}

// withTable puts a rendered table between the two comments that name it.
func withTable(t *testing.T, readme, name, table string) string {
	t.Helper()
	begin := "<!-- " + name + ": rendered by go test ./cmd/hoplint -update -->\n"
	end := "<!-- end of " + name + " -->"
	from, to := strings.Index(readme, begin), strings.Index(readme, end)
	if from < 0 || to < from {
		t.Fatalf("the README has no place for the %s between %q and %q", name, begin, end)
	}
	return readme[:from+len(begin)] + "\n" + table + "\n" + readme[to:]
}

// goRunStatus is what go run says when the program that it ran failed.
var goRunStatus = regexp.MustCompile(`(?m)^exit status \d+\n`)

// The configuration files that the README shows are read as it says.
func TestReadmeFilesAreRead(t *testing.T) {
	opts := &options{tests: true}
	text := readmeFile(t, ".hoplint.yaml")
	if errs := readConfig(".hoplint.yaml", []byte(text), opts); len(errs) > 0 {
		t.Errorf(".hoplint.yaml: %v", errs)
	}
	for _, k := range configKeys() {
		if !regexp.MustCompile(`(?m)^` + k.name + `:`).MatchString(text) {
			t.Errorf(".hoplint.yaml does not show the key %s", k.name)
		}
	}
	var nogo map[string]struct {
		Flags map[string]string `json:"analyzer_flags"`
	}
	if err := json.Unmarshal([]byte(readmeFile(t, "nogo.json")), &nogo); err != nil {
		t.Fatal(err)
	}
	a := analyzer.New()
	flags := nogo[a.Name].Flags
	if len(flags) == 0 {
		t.Errorf("nogo.json sets no flags of %s", a.Name)
	}
	for name, value := range flags {
		if err := a.Flags.Set(name, value); err != nil {
			t.Errorf("nogo.json: %s: %v", name, err)
		}
	}
}

// readmeFile returns a file that the README shows: a fenced block whose first line ends in its name.
func readmeFile(t *testing.T, name string) string {
	t.Helper()
	block := regexp.MustCompile("(?s)```\\w+ " + regexp.QuoteMeta(name) + "\n(.*?)```\n").FindStringSubmatch(readReadme(t))
	if block == nil {
		t.Fatalf("the README shows no file %s", name)
	}
	return block[1]
}

// The README's test command is the one that the project's own checks run.
func TestReadmeTestCommandIsChecked(t *testing.T) {
	for _, file := range []string{"/README.md", "/.ci/run"} {
		text, err := os.ReadFile(rootDir + file)
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`(?m)^go test \./\.\.\.$`).Match(text) {
			t.Errorf("%s has no line go test ./...", file)
		}
	}
}
