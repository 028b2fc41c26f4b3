package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/hoplint/hoplint/hopcheck"
)

// Fixes that overlap wait for the next round, and a copy at one place can bring out an alias at another. The bound is for
// fixes that go on forever.
const maxFixRounds = 8

// repair applies the first fix of each finding, in rounds, until none is left or none helps. A fix whose finding is still
// there afterwards is undone: what -fix leaves in a file has removed a finding.
func (g *goCommand) repair(r *result, opts *options) (*result, error) {
	before := len(r.findings)
	var idle []mark
	for range maxFixRounds {
		b, err := planFixes(r.findings, idle)
		if err != nil {
			return nil, err
		}
		if len(b.applied) == 0 {
			break
		}
		after, err := g.tryFixes(b, opts)
		if err != nil {
			return nil, err
		}
		still := b.remaining(after.findings)
		broken := len(after.fails.packages) > len(r.fails.packages)
		if len(still) == 0 && !broken && len(after.findings) < len(r.findings) {
			for i, m := range idle {
				idle[i] = b.moved(m)
			}
			r = after
			continue
		}
		if err := b.undo(); err != nil {
			return nil, err
		}
		if len(still) == 0 || broken {
			still = b.applied // they trade findings for others, or for a program that does not compile
		}
		for _, f := range still {
			idle = append(idle, markOf(f))
		}
	}
	r.repaired = max(0, before-len(r.findings))
	r.notes = append(r.notes, dropFixes(r.findings, idle)...)
	return r, nil
}

// keepOwnFixes drops the fixes in files of other modules, which are copies that the next download replaces.
func (g *goCommand) keepOwnFixes(r *result) error {
	if fixable(r.findings) == 0 {
		return nil
	}
	folders, err := g.ownFolders()
	if err != nil {
		return err
	}
	for i, f := range r.findings {
		r.findings[i].fixes = slices.DeleteFunc(f.fixes, func(x fix) bool {
			return slices.ContainsFunc(x.Edits, func(e edit) bool { return !isOwn(e.File, folders) })
		})
	}
	return nil
}

// tryFixes writes the files of a round and analyses them.
func (g *goCommand) tryFixes(b *batch, opts *options) (*result, error) {
	if err := b.write(b.new); err != nil {
		return nil, err
	}
	after, err := g.findings(opts)
	if err == nil {
		err = g.keepOwnFixes(after)
	}
	if err != nil {
		if undone := b.undo(); undone != nil {
			return nil, undone
		}
	}
	return after, err
}

// dropFixes takes the fixes of the marked findings away, and says so.
func dropFixes(list []finding, idle []mark) (notes []string) {
	for i, f := range list {
		if slices.Contains(idle, markOf(f)) {
			list[i].fixes = nil
			notes = append(notes, fmt.Sprintf("%s: the fix of %s would not remove the finding and was left out", where(f.start), string(f.code)))
		}
	}
	return notes
}

// diff returns the fixes of the first round as a unified diff with paths from the working directory.
func (g *goCommand) diff(r *result) (string, error) {
	b, err := planFixes(r.findings, nil)
	if err != nil {
		return "", err
	}
	text := ""
	for _, file := range slices.Sorted(maps.Keys(b.new)) {
		text += unifiedDiff(slashPath(file), b.old[file], b.new[file])
	}
	return text, nil
}

// mark tells a finding from others while files change.
type mark struct {
	file    string
	line    int
	code    hopcheck.Code
	message string
}

func markOf(f finding) mark { return mark{f.start.file, f.start.line, f.code, f.message} }

// batch is the work of one round.
type batch struct {
	// applied are the findings whose first fix is part of the round.
	applied []finding
	edits   map[string][]edit
	// old and new are the contents of the files.
	old, new map[string][]byte
}

// planFixes applies the first fix of each finding, but for the idle ones and those that overlap an earlier one.
func planFixes(list []finding, idle []mark) (*batch, error) {
	b := &batch{edits: map[string][]edit{}, old: map[string][]byte{}, new: map[string][]byte{}}
	for _, f := range list {
		if len(f.fixes) == 0 || slices.Contains(idle, markOf(f)) {
			continue
		}
		edits := maps.Clone(b.edits)
		fits := true
		for _, e := range f.fixes[0].Edits {
			if _, read := b.old[e.File]; !read {
				text, err := os.ReadFile(e.File)
				if err != nil {
					return nil, err
				}
				b.old[e.File] = text
			}
			if e.Start < 0 || e.End < e.Start || e.End > len(b.old[e.File]) {
				return nil, fmt.Errorf("%s changed while it was analysed", shortPath(e.File))
			}
			var ok bool
			edits[e.File], ok = withEdit(edits[e.File], e)
			fits = fits && ok
		}
		if fits {
			b.edits, b.applied = edits, append(b.applied, f)
		}
	}
	for file, edits := range b.edits {
		b.new[file] = applyEdits(b.old[file], edits)
	}
	return b, nil
}

// write gives the files of the round new contents.
func (b *batch) write(contents map[string][]byte) error {
	files := slices.Sorted(maps.Keys(b.new))
	for i, file := range files {
		err := os.WriteFile(file, contents[file], 0o666) // an existing file keeps its permissions
		if err == nil {
			continue
		}
		_ = os.WriteFile(file, b.old[file], 0o666) // half of it may have been written
		for _, written := range files[:i] {
			err = errors.Join(err, os.WriteFile(written, b.old[written], 0o666))
		}
		return fmt.Errorf("the repairs of this round were taken back, for a file cannot be written: %w", err)
	}
	return nil
}

// undo gives the files the contents that they had before the round.
func (b *batch) undo() error { return b.write(b.old) }

// moved is the mark as it is after the round: its line moves down by the lines that were inserted above it.
func (b *batch) moved(m mark) mark {
	before := m.line
	for _, e := range b.edits[m.file] {
		if bytes.Count(b.old[m.file][:e.Start], []byte("\n")) < before {
			m.line += strings.Count(e.New, "\n")
		}
	}
	return m
}

// remaining are the applied findings that are found again after the round.
func (b *batch) remaining(after []finding) []finding {
	var list []finding
	for _, f := range b.applied {
		m := b.moved(markOf(f))
		if slices.ContainsFunc(after, func(g finding) bool { return markOf(g) == m }) {
			list = append(list, f)
		}
	}
	return list
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
