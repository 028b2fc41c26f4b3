package hopcheck

import (
	"fmt"
	"strings"
)

// Schema is what an op does to its arguments, in one line of text:
//
//	add(Tensor self, Tensor other) -> Tensor                       a fresh result
//	add_(Tensor(a!) self, Tensor other) -> Tensor(a!)              writes self and returns it
//	narrow(Tensor(a) self, int dim, int start, int length) -> Tensor(a)   a view of self
//	reshape(Tensor(a) self, int... dims) -> Tensor(a)|Tensor       a view of self or a fresh tensor
//
// A letter names a storage, an exclamation mark a write. Parameters without a letter are only read; results without a
// letter share storage with nothing.
type Schema struct {
	Name    string
	Params  []SchemaParam
	Results []SchemaResult
}

// SchemaParam is one parameter.
type SchemaParam struct {
	Type     string // Tensor, Tensor[], int, float, bool, dtype, string
	Name     string
	Storage  string // letter of its storage, empty when nothing else shares it
	Writes   bool
	Variadic bool
}

// SchemaResult is one result.
type SchemaResult struct {
	Type    string
	Storage string // letter of the parameter whose storage it shares; empty for a fresh result
	Written bool   // the parameter itself, after the write
	OrFresh bool   // it may be fresh instead
}

// ParseSchema reads the text form. Errors name the part that could not be read.
func ParseSchema(text string) (Schema, error) {
	fail := func(format string, args ...any) (Schema, error) {
		return Schema{}, fmt.Errorf("schema %q: %s", text, fmt.Sprintf(format, args...))
	}
	head, results, ok := strings.Cut(text, "->")
	if !ok {
		return fail("no result; want name(params) -> results")
	}
	head = strings.TrimSpace(head)
	open := strings.IndexByte(head, '(')
	if open <= 0 || !strings.HasSuffix(head, ")") {
		return fail("no parameter list")
	}
	s := Schema{Name: head[:open]}
	if !isIdentifier(s.Name) {
		return fail("bad name %q", s.Name)
	}
	written := map[string]bool{}
	for _, field := range splitTop(head[open+1 : len(head)-1]) {
		p, err := parseParam(field)
		if err != nil {
			return fail("%v", err)
		}
		for _, q := range s.Params {
			if q.Name == p.Name {
				return fail("two parameters called %q", p.Name)
			}
			if p.Storage != "" && q.Storage == p.Storage {
				return fail("storage %q named by two parameters", p.Storage)
			}
		}
		written[p.Storage] = p.Writes
		s.Params = append(s.Params, p)
	}
	results = strings.TrimSpace(results)
	if strings.HasPrefix(results, "(") && strings.HasSuffix(results, ")") {
		results = results[1 : len(results)-1]
	}
	for _, field := range splitTop(results) {
		r, err := parseResult(field)
		if err != nil {
			return fail("%v", err)
		}
		if _, ok := written[r.Storage]; r.Storage != "" && !ok {
			return fail("result names storage %q, which no parameter has", r.Storage)
		}
		if r.Storage != "" && r.Written != written[r.Storage] {
			return fail("parameter and result disagree on the write of storage %q", r.Storage)
		}
		s.Results = append(s.Results, r)
	}
	if len(s.Results) == 0 {
		return fail("no result")
	}
	return s, nil
}

func parseParam(field string) (SchemaParam, error) {
	typ, name, ok := strings.Cut(field, " ")
	if !ok || !isIdentifier(name) {
		return SchemaParam{}, fmt.Errorf("bad parameter %q; want type and name", field)
	}
	p := SchemaParam{Name: name}
	typ, p.Variadic = strings.CutSuffix(typ, "...")
	var err error
	p.Type, p.Storage, p.Writes, err = parseType(typ)
	return p, err
}

func parseResult(field string) (SchemaResult, error) {
	typ, alternative, ok := strings.Cut(field, "|")
	var r SchemaResult
	var err error
	r.Type, r.Storage, r.Written, err = parseType(typ)
	if err != nil {
		return r, err
	}
	if ok {
		if alternative != r.Type || r.Storage == "" {
			return r, fmt.Errorf("bad alternative %q; want Tensor(a)|Tensor", field)
		}
		r.OrFresh = true
	}
	return r, nil
}

// parseType splits Tensor(a!) into its parts.
func parseType(s string) (typ, storage string, writes bool, err error) {
	typ, annotation, ok := strings.Cut(s, "(")
	if ok {
		annotation, ok = strings.CutSuffix(annotation, ")")
		storage, writes = strings.CutSuffix(annotation, "!")
		if !ok || !isIdentifier(storage) {
			return "", "", false, fmt.Errorf("bad storage annotation in %q", s)
		}
	}
	switch typ {
	case "Tensor", "Tensor[]", "int", "float", "bool", "dtype", "string":
	default:
		return "", "", false, fmt.Errorf("unknown type %q", typ)
	}
	if storage != "" && !strings.HasPrefix(typ, "Tensor") {
		return "", "", false, fmt.Errorf("%s has no storage", typ)
	}
	return typ, storage, writes, nil
}

// splitTop splits at commas outside parentheses and drops empty fields.
func splitTop(s string) []string {
	var fields []string
	depth, start := 0, 0
	add := func(end int) {
		if f := strings.TrimSpace(s[start:end]); f != "" {
			fields = append(fields, f)
		}
		start = end + 1
	}
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				add(i)
			}
		}
	}
	add(len(s))
	return fields
}

func isIdentifier(s string) bool {
	for i, r := range s {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '_'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// String returns the text form; ParseSchema(s.String()) is s.
func (s Schema) String() string {
	params := make([]string, len(s.Params))
	for i, p := range s.Params {
		params[i] = typeText(p.Type, p.Storage, p.Writes)
		if p.Variadic {
			params[i] += "..."
		}
		params[i] += " " + p.Name
	}
	results := make([]string, len(s.Results))
	for i, r := range s.Results {
		results[i] = typeText(r.Type, r.Storage, r.Written)
		if r.OrFresh {
			results[i] += "|" + r.Type
		}
	}
	out := strings.Join(results, ", ")
	if len(results) > 1 {
		out = "(" + out + ")"
	}
	return fmt.Sprintf("%s(%s) -> %s", s.Name, strings.Join(params, ", "), out)
}

func typeText(typ, storage string, writes bool) string {
	if storage == "" {
		return typ
	}
	if writes {
		storage += "!"
	}
	return typ + "(" + storage + ")"
}

// Directives returns the //hop: lines that declare the schema on a Go function. goName maps a parameter of the schema
// to the parameter of the Go function.
func (s Schema) Directives(goName func(param string) string) []string {
	var lines []string
	owner := map[string]string{}
	for _, p := range s.Params {
		if p.Storage != "" {
			owner[p.Storage] = goName(p.Name)
		}
		if p.Writes {
			lines = append(lines, "//hop:mutates "+goName(p.Name))
		}
	}
	returns := make([]string, len(s.Results))
	for i, r := range s.Results {
		switch {
		case r.Storage == "":
			returns[i] = "fresh"
		case r.Written:
			returns[i] = owner[r.Storage]
		case r.OrFresh:
			returns[i] = "view(" + owner[r.Storage] + ")|fresh"
		default:
			returns[i] = "view(" + owner[r.Storage] + ")"
		}
	}
	return append(lines, "//hop:returns "+strings.Join(returns, ", "))
}
