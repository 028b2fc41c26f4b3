package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/hoplint/hoplint/analyzer"
	"github.com/hoplint/hoplint/hopcheck"
)

// sarifSchemaFile is the schema of the format, as OASIS published it with errata 01 on 28 August 2023 at the address that
// it is named by in the output.
const sarifSchemaFile = "testdata/sarif-schema-2.1.0.json"

// checkSARIF compares a log with the schema of the format.
func checkSARIF(t testing.TB, log []byte) {
	t.Helper()
	read := func(text []byte) any {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		return value
	}
	text, err := os.ReadFile(sarifSchemaFile)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(sarifSchema, read(text)); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(sarifSchema)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(read(log)); err != nil {
		t.Errorf("not valid SARIF: %v", err)
	}
}

// sarifReport is what the tests read of a log.
type sarifReport struct {
	Runs []struct {
		ColumnKind  string
		Invocations []struct {
			ExecutionSuccessful        bool
			ToolExecutionNotifications []struct{ Message struct{ Text string } }
		}
		Tool struct {
			Driver struct {
				Rules []struct {
					ID, HelpURI string
					Help        struct{ Text, Markdown string }
				}
			}
		}
		Results []sarifResult
	}
}

type sarifResult struct {
	RuleID, Level       string
	RuleIndex           int
	PartialFingerprints map[string]string
	Locations           []sarifPlace
	RelatedLocations    []sarifPlace
	Fixes               []struct {
		ArtifactChanges []struct {
			ArtifactLocation struct{ URI string }
			Replacements     []struct {
				DeletedRegion   sarifRegion
				InsertedContent struct{ Text string }
			}
		}
	}
}

type sarifPlace struct {
	PhysicalLocation struct {
		ArtifactLocation struct{ URI, URIBaseID string }
		Region           sarifRegion
	}
}

type sarifRegion struct{ StartLine, StartColumn, EndLine, EndColumn int }

// runSARIF runs hoplint and returns a log that the schema accepts.
func runSARIF(t *testing.T, dir string, args ...string) (sarifReport, int) {
	t.Helper()
	cmd := exec.Command(binary, append([]string{"-f", "sarif"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Fatal(err)
	}
	checkSARIF(t, out)
	var r sarifReport
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Runs) != 1 || r.Runs[0].ColumnKind != "utf16CodeUnits" {
		t.Fatalf("%d runs, columns in %q, want one in utf16CodeUnits", len(r.Runs), r.Runs[0].ColumnKind)
	}
	return r, cmd.ProcessState.ExitCode()
}

func sarifFindings(t *testing.T, dir string) (keys []string) {
	t.Helper()
	r, _ := runSARIF(t, dir, "./...")
	for _, res := range r.Runs[0].Results {
		at := res.Locations[0].PhysicalLocation
		keys = append(keys, key(hopcheck.Code(res.RuleID), filepath.Join(dir, at.ArtifactLocation.URI), at.Region.StartLine))
	}
	return sortedSet(keys)
}

func TestSARIFTellsOfEachRule(t *testing.T) {
	r, status := runSARIF(t, testdataDir, "./helper")
	if status != exitClean || !r.Runs[0].Invocations[0].ExecutionSuccessful || r.Runs[0].Results == nil {
		t.Errorf("exit status %d, %+v, want a run that was done and an empty list of results", status, r.Runs[0])
	}
	rules := r.Runs[0].Tool.Driver.Rules
	if len(rules) != len(analyzer.Codes()) {
		t.Errorf("%d rules, want %d", len(rules), len(analyzer.Codes()))
	}
	for _, rule := range rules {
		if rule.Help.Text == "" || rule.Help.Markdown == "" || !strings.HasPrefix(rule.HelpURI, rulesPath+strings.ToLower(rule.ID)) {
			t.Errorf("%s: help %q, at %s", rule.ID, rule.Help.Text, rule.HelpURI)
		}
	}
}

// The columns are UTF-16 code units, the edits of a fix are where -fix makes them, paths are URIs.
func TestSARIFPlaces(t *testing.T) {
	dir := extractFile(t, "testdata/sarif.txtar")
	r, status := runSARIF(t, dir, "-C", "a", ".")
	if status != exitFindings || len(r.Runs[0].Results) != 1 {
		t.Fatalf("exit status %d, results %+v, want one finding", status, r.Runs[0].Results)
	}
	res := r.Runs[0].Results[0]
	at := res.Locations[0].PhysicalLocation
	if at.ArtifactLocation.URI != "a/%C3%A9%201.go" || at.ArtifactLocation.URIBaseID != sourceRoot {
		t.Errorf("the finding is in %+v, want a/%%C3%%A9%%201.go from %s", at.ArtifactLocation, sourceRoot)
	}
	// The statement stands behind a tab and a comment of one letter that takes 4 bytes and 2 UTF-16 code units.
	if want := (sarifRegion{7, 12, 7, 31}); at.Region != want {
		t.Errorf("region %+v, want %+v", at.Region, want)
	}
	if len(res.RelatedLocations) == 0 || res.Level != "error" || r.Runs[0].Tool.Driver.Rules[res.RuleIndex].ID != res.RuleID {
		t.Errorf("level %s, rule %d, %d related locations", res.Level, res.RuleIndex, len(res.RelatedLocations))
	}
	change := res.Fixes[0].ArtifactChanges[0]
	text, err := os.ReadFile(filepath.Join(dir, "a", "é 1.go"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	fixed := ""
	column := 1
	for _, e := range change.Replacements {
		fixed += utf16Between(lines[6], column, e.DeletedRegion.StartColumn) + e.InsertedContent.Text
		column = e.DeletedRegion.EndColumn
	}
	fixed += utf16Between(lines[6], column, 1000)
	if want := "\t\t/* 𝟙 */ carry = carry.Add(x)"; fixed != want {
		t.Errorf("fixed line %q, want %q", fixed, want)
	}
}

// utf16Between cuts a stretch of UTF-16 columns out of a line.
func utf16Between(line string, from, to int) string {
	column, out := 1, ""
	for _, r := range line {
		if column >= from && column < to {
			out += string(r)
		}
		column++
		if r > 0xFFFF {
			column++
		}
	}
	return out
}

// A finding keeps its fingerprint when lines are inserted above it; two alike have two.
func TestFingerprints(t *testing.T) {
	dir := extractFile(t, "testdata/sarif.txtar")
	prints := func() (list []string) {
		r, _ := runSARIF(t, dir, "./twice")
		for _, res := range r.Runs[0].Results {
			list = append(list, res.PartialFingerprints[fingerprintKey])
		}
		return list
	}
	before := prints()
	if len(before) != 2 || before[0] == before[1] || before[0] == "" {
		t.Fatalf("fingerprints %q, want two", before)
	}
	file := filepath.Join(dir, "twice/twice.go")
	text, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, bytes.Replace(text, []byte("func"), []byte("// Twice is longer now.\n\nfunc"), 1), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if after := prints(); strings.Join(after, " ") != strings.Join(before, " ") {
		t.Errorf("fingerprints %q, want those from before, %q", after, before)
	}
}

func TestSARIFTellsWhatWasNotAnalysed(t *testing.T) {
	dir := extractFile(t, "testdata/script/broken.txtar")
	r, status := runSARIF(t, dir, "./far")
	i := r.Runs[0].Invocations[0]
	if status != exitError || i.ExecutionSuccessful || len(i.ToolExecutionNotifications) != 2 {
		t.Errorf("exit status %d, %+v, want 2, a run that failed and two notifications", status, i)
	}
}
