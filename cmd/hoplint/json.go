package main

import (
	"encoding/json"
	"io"
	"path/filepath"
	"reflect"

	"github.com/hoplint/hoplint/hopcheck"
)

// report is the JSON form of a run. Fields are added in later versions, never renamed or removed.
type report struct {
	Findings    []jsonFinding `json:"findings" doc:"in the order of files and positions"`
	NotAnalysed []failure     `json:"notAnalysed" doc:"packages that were named and could not be analysed"`
	Errors      []string      `json:"errors" doc:"what the go command and the analyzer said of that"`
}

type jsonFinding struct {
	Code     hopcheck.Code `json:"code" doc:"of the rule, e.g. HOP101"`
	Name     string        `json:"name" doc:"of the rule, e.g. mutated-carry"`
	Severity string        `json:"severity" doc:"error, warning or info"`
	jsonSpan
	Message string     `json:"message" doc:"the sentence"`
	Way     []jsonStep `json:"way" doc:"from the input to the operation"`
	Fixes   []fix      `json:"fixes" doc:"repairs; -fix makes the first"`
}

type jsonSpan struct {
	File      string `json:"file" doc:"from the working directory where that is shorter, with forward slashes"`
	Line      int    `json:"line" doc:"counted from 1"`
	Column    int    `json:"column" doc:"in bytes, counted from 1; 0 for a whole line"`
	EndLine   int    `json:"endLine" doc:"of the end"`
	EndColumn int    `json:"endColumn" doc:"behind the last byte"`
}

type jsonStep struct {
	jsonSpan
	Message string `json:"message" doc:"what happens there"`
}

// jsonFields lists the fields of a type with what they hold, those of its parts behind a dot.
func jsonFields(t reflect.Type, prefix string) (list [][2]string) {
	for f := range t.Fields() {
		if f.Anonymous {
			list = append(list, jsonFields(f.Type, prefix)...)
			continue
		}
		name, of := prefix+f.Tag.Get("json"), f.Type
		if of.Kind() == reflect.Slice {
			name, of = name+"[]", of.Elem()
		}
		list = append(list, [2]string{name, f.Tag.Get("doc")})
		if of.Kind() == reflect.Struct {
			list = append(list, jsonFields(of, name+".")...)
		}
	}
	return list
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
