package main

import (
	"regexp"
	"slices"
)

// go vet applies the first fix of each diagnostic and drops those that overlap with another, so one finding may need
// several rounds. Each round must make findings go away; the bound is for fixes that undo one another.
const maxFixRounds = 8

// repair lets go vet apply fixes until none is left or none helps.
func (g *goCommand) repair(r *result, opts *options) (*result, error) {
	before := len(r.findings)
	for range maxFixRounds {
		if !slices.ContainsFunc(r.findings, func(f finding) bool { return len(f.fixes) > 0 }) {
			break
		}
		_, fails, err := g.analyse(opts.patterns, append([]string{"-fix"}, ruleFlags(opts)...))
		if err != nil {
			return nil, err
		}
		after, err := g.findings(opts)
		if err != nil {
			return nil, err
		}
		if fails.any() && !after.fails.any() {
			after.fails = fails // only the fixing failed
		}
		progress := len(after.findings) < len(r.findings)
		r = after
		if !progress {
			break
		}
	}
	r.repaired = before - len(r.findings)
	return r, nil
}

// diff returns the fixes as a unified diff with paths from the working directory.
func (g *goCommand) diff(opts *options) (string, error) {
	// What could not be analysed was told before; go vet fails also when there is a difference.
	out, _, err := g.analyse(opts.patterns, append([]string{"-fix", "-diff"}, ruleFlags(opts)...))
	if err != nil {
		return "", err
	}
	return shortDiff(out.stdout.String()), nil
}

var diffHeader = regexp.MustCompile(`(?m)^(---|\+\+\+) (\S.*?) \((old|new)\)$`)

// shortDiff shortens the paths in the headers of a diff as go vet prints it.
func shortDiff(text string) string {
	return diffHeader.ReplaceAllStringFunc(text, func(header string) string {
		m := diffHeader.FindStringSubmatch(header)
		return m[1] + " " + slashPath(m[2])
	})
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
