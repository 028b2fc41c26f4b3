package main

import (
	"encoding/json"
	"io"
	"path/filepath"

	"github.com/hoplint/hoplint/hopcheck"
)

// report is the JSON form of a run. Paths are relative to the working directory where that is shorter and use forward
// slashes; lines and columns count from 1, columns in bytes, 0 for a whole line; edits replace bytes, counted from 0.
type report struct {
	Findings    []jsonFinding `json:"findings"`
	NotAnalysed []failure     `json:"notAnalysed"`
	Errors      []string      `json:"errors"`
}

type jsonFinding struct {
	Code     hopcheck.Code `json:"code"`
	Name     string        `json:"name"`
	Severity string        `json:"severity"`
	jsonSpan
	Message string     `json:"message"`
	Way     []jsonStep `json:"way"`
	Fixes   []fix      `json:"fixes"`
}

type jsonSpan struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
}

type jsonStep struct {
	jsonSpan
	Message string `json:"message"`
}

// printJSON writes findings as one JSON object.
func printJSON(w io.Writer, outcome *result, _ *options) error {
	r := report{Findings: []jsonFinding{}, NotAnalysed: []failure{}, Errors: []string{}}
	r.NotAnalysed = append(r.NotAnalysed, outcome.fails.packages...)
	r.Errors = append(r.Errors, outcome.fails.messages...)
	for _, f := range outcome.findings {
		rule, _ := hopcheck.RuleFor(f.code)
		j := jsonFinding{Code: f.code, Name: rule.Name, Severity: rule.Severity.String(), jsonSpan: spanJSON(f.span),
			Message: f.message, Way: []jsonStep{}, Fixes: []fix{}}
		for _, s := range f.way {
			j.Way = append(j.Way, jsonStep{spanJSON(s.span), s.message})
		}
		for _, x := range f.fixes {
			short := fix{Message: x.Message}
			for _, e := range x.Edits {
				e.File = slashPath(e.File)
				short.Edits = append(short.Edits, e)
			}
			j.Fixes = append(j.Fixes, short)
		}
		r.Findings = append(r.Findings, j)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

func spanJSON(s span) jsonSpan {
	return jsonSpan{slashPath(s.start.file), s.start.line, s.start.column, s.end.line, s.end.column}
}

func slashPath(path string) string { return filepath.ToSlash(shortPath(path)) }
