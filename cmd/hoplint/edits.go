package main

import (
	"bytes"
	"cmp"
	"go/format"
	"slices"
	"strings"
)

// withEdit adds an edit to those of a file, which are in order and overlap nowhere; ok is false where it would overlap. An
// edit that is there already is made once. Of two insertions at one place only whole statements go together, in the order
// in which they come: what begins or ends an expression may belong on either side of the other.
func withEdit(list []edit, e edit) (with []edit, ok bool) {
	at := len(list)
	for i, o := range list {
		switch {
		case o == e:
			return list, true
		case o.Start == e.Start && o.End == o.Start && e.End == e.Start:
			if !isStatement(o.New) || !isStatement(e.New) {
				return list, false
			}
		case o.Start < e.End && e.Start < o.End:
			return list, false
		case o.Start > e.Start:
			at = min(at, i)
		}
	}
	return slices.Insert(slices.Clone(list), at, e), true
}

// isStatement reports whether inserted text is one or more statements with what separates them from the next.
func isStatement(text string) bool {
	text = strings.TrimRight(text, " \t")
	return strings.HasSuffix(text, "\n") || strings.HasSuffix(text, ";")
}

// applyEdits changes a file and nothing else in it: line ends stay as they are, and a file that gofmt would not have left
// alone is not formatted.
func applyEdits(text []byte, list []edit) []byte {
	const unix, windows = "\n", "\r\n"
	crlf := bytes.Contains(text, []byte(windows))
	var b bytes.Buffer
	from := 0
	for _, e := range slices.SortedStableFunc(slices.Values(list), func(a, b edit) int { return cmp.Compare(a.Start, b.Start) }) {
		b.Write(text[from:e.Start])
		if crlf {
			e.New = strings.ReplaceAll(e.New, unix, windows)
		}
		b.WriteString(e.New)
		from = e.End
	}
	b.Write(text[from:])
	if crlf || !isFormatted(text) {
		return b.Bytes()
	}
	if formatted, err := format.Source(b.Bytes()); err == nil {
		return formatted // an inserted call may move the comments beside it
	}
	return b.Bytes()
}

func isFormatted(text []byte) bool {
	formatted, err := format.Source(text)
	return err == nil && bytes.Equal(formatted, text)
}
