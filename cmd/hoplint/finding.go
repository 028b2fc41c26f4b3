package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hoplint/hoplint/hopcheck"
)

// position is a place in a source file. Column counts bytes from 1; 0 stands for the whole line.
type position struct {
	file         string
	line, column int
}

func (p position) compare(q position) int {
	return cmp.Or(strings.Compare(p.file, q.file), cmp.Compare(p.line, q.line), cmp.Compare(p.column, q.column))
}

// span is a stretch of source.
type span struct{ start, end position }

// finding is one diagnostic as go vet returned it.
type finding struct {
	span
	code    hopcheck.Code
	message string
	way     []step
	fixes   []fix
}

// step is one position on the way from the input to the operation.
type step struct {
	span
	message string
}

// fix is a repair that the analyzer suggests.
type fix struct {
	Message string `json:"message" doc:"what it does"`
	Edits   []edit `json:"edits" doc:"of one file or several, which overlap nowhere"`
}

// edit replaces the bytes [Start, End) of a file.
type edit struct {
	File  string `json:"file" doc:"as above"`
	Start int    `json:"start" doc:"offset of the first byte that is replaced, counted from 0"`
	End   int    `json:"end" doc:"offset behind the last"`
	New   string `json:"new" doc:"text instead of them"`
}

// readFindings reads what go vet -json prints: one object for each package, from package to analyzer to a list of
// diagnostics or an error. Findings come back in order and without the duplicates that arise when a file belongs to
// several variants of a package.
func readFindings(r io.Reader, skip map[string]bool) ([]finding, error) {
	var list []finding
	var failures failedPackages
	for d := json.NewDecoder(r); ; {
		var tree map[string]map[string]json.RawMessage
		if err := d.Decode(&tree); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go vet printed something that is not JSON: %v", err)
		}
		for _, pkg := range slices.Sorted(maps.Keys(tree)) {
			if skip[basePath(pkg)] {
				continue
			}
			for _, name := range slices.Sorted(maps.Keys(tree[pkg])) {
				found, err := readDiagnostics(tree[pkg][name])
				if err != nil {
					failures.add(pkg, err.Error())
				}
				list = append(list, found...)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b finding) int {
		return cmp.Or(a.start.compare(b.start), strings.Compare(string(a.code), string(b.code)), strings.Compare(a.message, b.message))
	})
	list = slices.CompactFunc(list, func(a, b finding) bool {
		return a.start == b.start && a.code == b.code && a.message == b.message
	})
	return list, failures.err()
}

// failedPackages are the packages in which an analyzer failed, by what it said.
type failedPackages struct {
	texts    []string
	packages map[string][]string
}

func (f *failedPackages) add(pkg, text string) {
	if strings.HasPrefix(text, "failed prerequisites: ") {
		return // each rule says so of the core, which tells what happened
	}
	if f.packages == nil {
		f.packages = map[string][]string{}
	}
	if !slices.Contains(f.texts, text) {
		f.texts = append(f.texts, text)
	}
	if pkg = basePath(pkg); !slices.Contains(f.packages[text], pkg) {
		f.packages[text] = append(f.packages[text], pkg)
	}
}

// err tells each failure once.
func (f *failedPackages) err() error {
	var errs []error
	for _, text := range f.texts {
		packages := f.packages[text]
		slices.Sort(packages)
		in := packages[0]
		if more := len(packages) - 1; more > 0 {
			in += " and " + count(more, "further package")
		}
		errs = append(errs, fmt.Errorf("hoplint: %s: %s", in, text))
	}
	return errors.Join(errs...)
}

// readDiagnostics reads the result of one analyzer on one package.
func readDiagnostics(raw json.RawMessage) ([]finding, error) {
	type place struct {
		Posn, End, Message string
	}
	var failure struct{ Error string }
	if json.Unmarshal(raw, &failure) == nil && failure.Error != "" {
		return nil, errors.New(failure.Error)
	}
	var diagnostics []struct {
		place
		Category string
		Fixes    []struct {
			Message string
			Edits   []struct {
				Filename   string
				Start, End int
				New        string
			}
		} `json:"suggested_fixes"`
		Related []place
	}
	if err := json.Unmarshal(raw, &diagnostics); err != nil {
		return nil, err
	}
	list := make([]finding, len(diagnostics))
	for i, d := range diagnostics {
		f := finding{span: readSpan(d.Posn, d.End), code: hopcheck.Code(d.Category), message: d.Message}
		for _, r := range d.Related {
			f.way = append(f.way, step{readSpan(r.Posn, r.End), r.Message})
		}
		for _, x := range d.Fixes {
			repair := fix{Message: x.Message}
			for _, e := range x.Edits {
				repair.Edits = append(repair.Edits, edit{e.Filename, e.Start, e.End, e.New})
			}
			f.fixes = append(f.fixes, repair)
		}
		list[i] = f
	}
	return list, nil
}

// readSpan reads a stretch of source; without an end it is the start alone.
func readSpan(start, end string) span {
	s := span{readPosition(start), readPosition(end)}
	if s.end.line == 0 {
		s.end = s.start
	}
	return s
}

// readPosition splits file:line:column from behind, for a file name may hold colons. A //line comment may leave no column.
func readPosition(s string) position {
	file, last, ok := cutNumber(s)
	if !ok {
		return position{file: s}
	}
	if name, line, ok := cutNumber(file); ok {
		return position{name, line, last}
	}
	return position{file, last, 0}
}

// cutNumber cuts a colon and a number off the end.
func cutNumber(s string) (before string, n int, ok bool) {
	colon := strings.LastIndexByte(s, ':')
	if colon < 0 {
		return s, 0, false
	}
	n, err := strconv.Atoi(s[colon+1:])
	return s[:colon], n, err == nil
}

// selectFindings keeps what the flags ask for. Filtering afterwards, not in the analyzer, lets all runs share one cache:
// go vet keys it by the flags of the tool.
func selectFindings(list []finding, opts *options) []finding {
	return slices.DeleteFunc(list, func(f finding) bool {
		return !opts.tests && strings.HasSuffix(f.start.file, "_test.go") ||
			!opts.selected.Has(f.code)
	})
}
