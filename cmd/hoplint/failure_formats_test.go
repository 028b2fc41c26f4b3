package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// What could not be analysed ends every format with status 2, is named on standard error in the same words, and stands in the formats
// that machines read: code with errors, its importers, tests alone, missing modules, cycles, bad build constraints, nothing at all.
func TestEveryFormatNamesWhatWasNotAnalysed(t *testing.T) {
	archive := txtar.Parse([]byte(`
-- go.mod --
module ex

go 1.26
-- broken/broken.go --
package broken

func Number() int { return "one" }
-- near/near.go --
package near

import "ex/broken"

var N = broken.Number()
-- syntax/syntax.go --
package syntax

func f( {
-- tested/tested.go --
package tested
-- tested/tested_test.go --
package tested

var n int = "one"
-- outside/tested.go --
package outside
-- outside/outside_test.go --
package outside_test

import "ex/broken"

var n = broken.Number()
-- missing/missing.go --
package missing

import _ "example.com/none"
-- cycle/a/a.go --
package a

import _ "ex/cycle/b"
-- cycle/b/b.go --
package b

import _ "ex/cycle/a"
-- constraint/constraint.go --
//go:build linux &&

package constraint
-- excluded/excluded.go --
//go:build never

package excluded
-- embedded/embedded.go --
package embedded

import _ "embed"

//go:embed nothing.txt
var s string
-- good/good.go --
package good
`))
	dir := extract(t, archive)
	for _, c := range []struct {
		patterns string
		packages []string // not analysed; none where no package is known
	}{
		{"./broken", []string{"ex/broken"}},
		{"./near", []string{"ex/near"}},
		{"./good ./broken ./near", []string{"ex/broken", "ex/near"}},
		{"./syntax", []string{"ex/syntax"}},
		{"./tested", []string{"ex/tested"}},
		{"./outside", []string{"ex/outside"}},
		{"./missing", []string{"ex/missing"}},
		{"./cycle/...", []string{"ex/cycle/a", "ex/cycle/b"}},
		{"./constraint", []string{"ex/constraint"}},
		{"./excluded", []string{"ex/excluded"}},
		{"./embedded", []string{"ex/embedded"}},
		{"./nowhere", nil},
		{"./good/none/...", nil},
		{"./broken/broken.go", []string{"command-line-arguments"}},
	} {
		t.Run(c.patterns, func(t *testing.T) {
			_, want, _ := shell(t, dir, "hoplint "+c.patterns)
			for _, name := range c.packages {
				if !strings.Contains(want, name+" was not analysed: ") {
					t.Errorf("text: %s is not named in\n%s", name, want)
				}
			}
			if len(c.packages) == 0 && !strings.Contains(want, "no package") {
				t.Errorf("text: nothing says that no package was found:\n%s", want)
			}
			for _, format := range formatNames() {
				stdout, stderr, status := shell(t, dir, "hoplint -f "+format+" "+c.patterns)
				if status != 2 || stderr != want {
					t.Errorf("%s: status %d, want 2; on standard error\n%swant\n%s", format, status, stderr, want)
				}
				if len(c.packages) > 0 {
					checkNotAnalysed(t, format, stdout, c.packages)
				}
			}
		})
	}
}

// checkNotAnalysed looks for packages in the output of a format that machines read.
func checkNotAnalysed(t *testing.T, format, stdout string, packages []string) {
	t.Helper()
	switch format {
	case "json":
		var report struct {
			NotAnalysed []failure `json:"notAnalysed"`
		}
		if err := json.Unmarshal([]byte(stdout), &report); err != nil {
			t.Errorf("json: %v\n%s", err, stdout)
		}
		var names []string
		for _, f := range report.NotAnalysed {
			names = append(names, f.Package)
		}
		slices.Sort(names)
		if !slices.Equal(names, packages) {
			t.Errorf("json: not analysed are %q, want %q", names, packages)
		}
	case "sarif":
		var log struct {
			Runs []struct {
				Invocations []struct {
					ExecutionSuccessful        bool
					ToolExecutionNotifications []struct{ Message struct{ Text string } }
				}
			}
		}
		if err := json.Unmarshal([]byte(stdout), &log); err != nil {
			t.Fatalf("sarif: %v\n%s", err, stdout)
		}
		if len(log.Runs) != 1 || len(log.Runs[0].Invocations) != 1 || log.Runs[0].Invocations[0].ExecutionSuccessful {
			t.Fatal("sarif: want one run that failed")
		}
		for _, name := range packages {
			if !slices.ContainsFunc(log.Runs[0].Invocations[0].ToolExecutionNotifications, func(n struct{ Message struct{ Text string } }) bool {
				return strings.Contains(n.Message.Text, name)
			}) {
				t.Errorf("sarif: %s is not named", name)
			}
		}
	}
}
