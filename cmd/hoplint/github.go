package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/hoplint/hoplint/hopcheck"
)

// printGitHub writes findings as workflow commands, which a GitHub Actions job shows beside the lines that they speak of.
// What could not be analysed is an error without a place. The summary stands behind them, as plain text for the log.
// Source: docs.github.com, "Workflow commands for GitHub Actions".
func printGitHub(w io.Writer, r *result, _ *options) error {
	for _, f := range r.findings {
		rule, _ := hopcheck.RuleFor(f.code)
		properties := []string{
			property("file", workspacePath(f.start.file)),
			property("line", fmt.Sprint(f.start.line)),
		}
		if f.end.line == f.start.line && f.end.column > f.start.column {
			properties = append(properties, property("endLine", fmt.Sprint(f.end.line)),
				property("col", fmt.Sprint(f.start.column)), property("endColumn", fmt.Sprint(f.end.column)))
		} else if f.start.column > 0 { // an end column is for a single line only
			properties = append(properties, property("col", fmt.Sprint(f.start.column)))
		}
		properties = append(properties, property("title", string(f.code)+" "+rule.Name))
		lines := []string{f.message}
		for _, s := range f.way {
			lines = append(lines, fmt.Sprintf("%s: %s", where(s.start), s.message))
		}
		if _, err := fmt.Fprintf(w, "::%s %s::%s\n", gitHubLevel(rule.Severity), strings.Join(properties, ","), data(strings.Join(lines, "\n"))); err != nil {
			return err
		}
	}
	for _, line := range r.fails.lines() {
		if _, err := fmt.Fprintf(w, "::error %s::%s\n", property("title", "hoplint"), data(line)); err != nil {
			return err
		}
	}
	if r.analysedNothing() {
		return nil
	}
	_, err := fmt.Fprintln(w, countText(r.findings, r.fails))
	return err
}

func gitHubLevel(s hopcheck.Severity) string {
	return [...]string{hopcheck.Error: "error", hopcheck.Warning: "warning", hopcheck.Info: "notice"}[s]
}

// data escapes what stands behind the second pair of colons.
func data(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

// property is one property of a command; commas and colons would end its value.
func property(name, value string) string {
	return name + "=" + strings.NewReplacer(":", "%3A", ",", "%2C").Replace(data(value))
}

// workspacePath is the path from the top of the checked out repository, which a job knows as its workspace, and else from
// the working directory.
func workspacePath(file string) string {
	if workspace := os.Getenv("GITHUB_WORKSPACE"); workspace != "" {
		if rel, err := filepath.Rel(workspace, file); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return slashPath(file)
}
