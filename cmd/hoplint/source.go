package main

import (
	"bytes"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// sources reads source files, each once.
type sources struct{ files map[string]*sourceFile }

// sourceFile is a file by lines; without any when it cannot be read.
type sourceFile struct {
	lines [][]byte
	// starts are the offsets at which the lines begin.
	starts []int
}

func (s *sources) file(name string) *sourceFile {
	f, read := s.files[name]
	if read {
		return f
	}
	f = new(sourceFile)
	if data, err := os.ReadFile(name); err == nil {
		f.lines = bytes.Split(data, []byte("\n"))
		at := 0
		for _, line := range f.lines {
			f.starts = append(f.starts, at)
			at += len(line) + 1
		}
	}
	if s.files == nil {
		s.files = map[string]*sourceFile{}
	}
	s.files[name] = f
	return f
}

// line returns a line, counted from 1, without its end; ok is false when it cannot be read.
func (s *sources) line(file string, n int) (text []byte, ok bool) {
	lines := s.file(file).lines
	if n < 1 || n > len(lines) {
		return nil, false
	}
	return bytes.TrimRight(lines[n-1], "\r"), true
}

// position is the place of an offset in a file; that of a file which cannot be read is its first.
func (s *sources) position(file string, offset int) position {
	starts := s.file(file).starts
	n := max(1, sort.SearchInts(starts, offset+1))
	if len(starts) == 0 {
		return position{file, 1, 1}
	}
	return position{file, n, offset - starts[n-1] + 1}
}

// utf16Column is the column of a position in UTF-16 code units; in bytes where the source cannot be read.
func (s *sources) utf16Column(p position) int {
	text, _ := s.line(p.file, p.line)
	end := min(max(p.column-1, 0), len(text))
	units := max(p.column-1, 0) - end
	for _, r := range string(text[:end]) {
		units += utf16.RuneLen(r)
	}
	return units + 1
}

const tabWidth = 4

// printed returns source text as it is printed. Tabs become spaces so that what stands below lines up. What would steer the
// terminal or reorder the text, and what is no text, becomes a replacement character.
// Source: N. Boucher and R. Anderson, "Trojan Source: Invisible Vulnerabilities", 2021, on the bidirectional controls.
func printed(text []byte) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return utf8.RuneError
		}
		return r
	}, strings.ReplaceAll(string(text), "\t", strings.Repeat(" ", tabWidth)))
}

// marked returns the line of a span as printed in the given room, and the first cell and number of cells that the span
// covers on it. A span over several lines covers the rest of its first line.
func marked(text []byte, at span, room int) (line string, from, cells int) {
	start := min(max(at.start.column-1, 0), len(text))
	end := start
	switch {
	case at.end.line > at.start.line:
		end = len(bytes.TrimRight(text, " \t"))
	case at.end.line == at.start.line:
		end = at.end.column - 1
	}
	end = min(max(end, start), len(text))
	from = displaywidth.String(printed(text[:start]))
	cells = max(1, displaywidth.String(printed(text[start:end])))
	return cropped(printed(text), from, cells, room)
}

// maxCells bounds what is printed of a source line. Lines of people are shorter, lines of programs may not be.
const maxCells = 160

// cropped cuts a line that is wider than the room around a span; … stands for what is left out. Cells are counted as
// terminals show them: two for a wide letter, none for an accent that joins the letter before it.
func cropped(line string, from, cells, room int) (string, int, int) {
	width := displaywidth.String(line)
	if width <= room {
		return line, from, cells
	}
	begin := max(0, min(from-room/4, width-room))
	end := begin + room
	first, last := begin, end // the cells that are left for text
	var b strings.Builder
	if begin > 0 {
		b.WriteString("…")
		first++
	}
	if end < width {
		last--
	}
	at, next := 0, first
	for letters := displaywidth.StringGraphemes(line); letters.Next(); {
		after := at + letters.Width()
		if at >= first && after <= last {
			b.WriteString(strings.Repeat(" ", at-next) + letters.Value()) // a wide letter may be cut in half
			next = after
		}
		at = after
	}
	if end < width {
		b.WriteString(strings.Repeat(" ", last-next) + "…")
	}
	from -= begin
	return b.String(), from, min(cells, room-from)
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
