package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// sources reads the lines of source files, each file once.
type sources struct{ files map[string][][]byte }

// line returns a line, counted from 1, without its end; ok is false when it cannot be read.
func (s *sources) line(file string, n int) (text []byte, ok bool) {
	lines, read := s.files[file]
	if !read {
		if data, err := os.ReadFile(file); err == nil {
			lines = bytes.Split(data, []byte("\n"))
		}
		if s.files == nil {
			s.files = map[string][][]byte{}
		}
		s.files[file] = lines
	}
	if n < 1 || n > len(lines) {
		return nil, false
	}
	return bytes.TrimRight(lines[n-1], "\r"), true
}

const tabWidth = 4

// printed returns source text as it is printed: tabs become spaces so that what stands below lines up.
func printed(text []byte) string {
	return strings.ReplaceAll(string(text), "\t", strings.Repeat(" ", tabWidth))
}

// marked returns the line of a span as printed, and the first cell and number of cells that the span covers on it. A
// span over several lines covers the rest of its first line.
func marked(text []byte, at span) (line string, from, cells int) {
	start := min(max(at.start.column-1, 0), len(text))
	end := start
	switch {
	case at.end.line > at.start.line:
		end = len(bytes.TrimRight(text, " \t"))
	case at.end.line == at.start.line:
		end = at.end.column - 1
	}
	end = min(max(end, start), len(text))
	from = utf8.RuneCountInString(printed(text[:start]))
	cells = max(1, utf8.RuneCountInString(printed(text[start:end])))
	return cropped(printed(text), from, cells)
}

// maxCells bounds what is printed of a source line. Lines of people are shorter, lines of programs may not be.
const maxCells = 160

// cropped cuts a long line around a span; … stands for what is left out.
func cropped(line string, from, cells int) (string, int, int) {
	runes := []rune(line)
	if len(runes) <= maxCells {
		return line, from, cells
	}
	start := max(0, min(from-maxCells/4, len(runes)-maxCells))
	end := start + maxCells
	window := slices.Clone(runes[start:end])
	if start > 0 {
		window[0] = '…'
	}
	if end < len(runes) {
		window[maxCells-1] = '…'
	}
	from -= start
	return string(window), from, min(cells, maxCells-from)
}

// shortPath is the path from the working directory where that is shorter.
func shortPath(path string) string {
	wd, err := os.Getwd()
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(wd, path); err == nil && len(rel) < len(path) {
		return rel
	}
	return path
}
