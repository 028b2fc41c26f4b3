package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hoplint/hoplint/hopcheck"
)

// go vet applies the first fix of each finding, so one program may need several rounds. Each round must leave fewer
// findings or fewer fixes; the bound is for fixes that undo one another.
const maxFixRounds = 8

// repair lets go vet apply fixes until none is left or none helps.
func (g *goCommand) repair(r *result, opts *options) (*result, error) {
	before := len(r.findings)
	for range maxFixRounds {
		if fixable(r.findings) == 0 {
			break
		}
		after, err := g.repairOnce(r, opts)
		if err != nil {
			return nil, err
		}
		after.notes = append(r.notes, after.notes...)
		progress := len(after.findings) < len(r.findings) || fixable(after.findings) < fixable(r.findings)
		r = after
		if !progress {
			break
		}
	}
	r.repaired = before - len(r.findings)
	return r, nil
}

// repairOnce applies the fixes of all selected rules. Where two of them overlap, go vet fails and applies no fix to the
// package at all; then the rules have their turn one by one.
func (g *goCommand) repairOnce(r *result, opts *options) (*result, error) {
	rounds := [][]string{ruleFlags(opts)}
	for _, code := range fixableCodes(r.findings) {
		rounds = append(rounds, append(toolFlags(opts), "-"+string(code)))
	}
	var notes []string
	for i, flags := range rounds {
		out, err := g.vet(append([]string{"-fix"}, flags...), r.patterns)
		if err != nil {
			return nil, err
		}
		if out.failed && i > 0 {
			notes = append(notes, fixNotes(out)...)
		}
		if !out.failed && i == 0 {
			break
		}
	}
	after, err := g.findings(opts)
	if err == nil {
		after.notes = notes
	}
	return after, err
}

// diff returns the fixes as a unified diff with paths from the working directory, and why it may be incomplete.
func (g *goCommand) diff(r *result, opts *options) (diff string, notes []string, err error) {
	if fixable(r.findings) == 0 {
		return "", nil, nil
	}
	// go vet fails also when there is a difference.
	out, err := g.vet(append([]string{"-fix", "-diff"}, ruleFlags(opts)...), r.patterns)
	if err != nil {
		return "", nil, err
	}
	return shortDiff(out.stdout.String()), fixNotes(out), nil
}

// fixNotes are what go vet said about fixes that it did not apply.
func fixNotes(out *output) (notes []string) {
	_, blocks := readStderr(out.stderr.Bytes())
	for _, b := range blocks {
		for _, line := range b.lines {
			if !strings.Contains(line, "ignoring alternative fix") {
				notes = append(notes, fmt.Sprintf("%s: %s", b.path, line))
			}
		}
	}
	return notes
}

var diffHeader = regexp.MustCompile(`(?m)^(---|\+\+\+) (\S.*?) \((old|new)\)$`)

// shortDiff shortens the paths in the headers of a diff as go vet prints it, and puts the files in order: go vet prints
// them as the packages get ready.
func shortDiff(text string) string {
	var files []string
	for line := range strings.Lines(text) {
		header := diffHeader.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if header != nil {
			line = header[1] + " " + slashPath(header[2]) + "\n"
		}
		if len(files) == 0 || header != nil && header[1] == "---" {
			files = append(files, "")
		}
		files[len(files)-1] += line
	}
	slices.Sort(files)
	return strings.Join(files, "")
}

// ruleFlags restrict the tool to the selected rules. Findings are filtered afterwards, but fixes are applied by go vet.
func ruleFlags(opts *options) []string {
	flags := toolFlags(opts)
	for code := range opts.selected {
		flags = append(flags, "-"+string(code))
	}
	slices.Sort(flags)
	return flags
}

// fixable counts the findings that have a fix.
func fixable(list []finding) int {
	n := 0
	for _, f := range list {
		if len(f.fixes) > 0 {
			n++
		}
	}
	return n
}

// fixableCodes lists the codes of the findings that have a fix, in order.
func fixableCodes(list []finding) []hopcheck.Code {
	var codes []hopcheck.Code
	for _, f := range list {
		if len(f.fixes) > 0 {
			codes = append(codes, f.code)
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}
