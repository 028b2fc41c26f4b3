package main

import (
	"fmt"
	"slices"
	"strings"
)

// diffContext is how many unchanged lines stand around a change.
const diffContext = 3

// unifiedDiff renders the change of a file as diff -u does; empty if there is none.
func unifiedDiff(name string, before, after []byte) string {
	old, new := splitLines(before), splitLines(after)
	changes := lineChanges(old, new)
	if len(changes) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", name, name)
	for len(changes) > 0 {
		n := 1
		for n < len(changes) && changes[n].oldStart-changes[n-1].oldEnd <= 2*diffContext {
			n++
		}
		writeHunk(&b, old, new, changes[:n])
		changes = changes[n:]
	}
	return b.String()
}

// lineChange says that the lines [oldStart, oldEnd) became the lines [newStart, newEnd).
type lineChange struct{ oldStart, oldEnd, newStart, newEnd int }

func writeHunk(b *strings.Builder, old, new []string, changes []lineChange) {
	first, last := changes[0], changes[len(changes)-1]
	before := min(diffContext, first.oldStart)
	after := min(diffContext, len(old)-last.oldEnd)
	fmt.Fprintf(b, "@@ -%s +%s @@\n", lineRange(first.oldStart-before, last.oldEnd+after), lineRange(first.newStart-before, last.newEnd+after))
	write := func(sign byte, lines []string) {
		for _, line := range lines {
			b.WriteByte(sign)
			b.WriteString(line)
			if !strings.HasSuffix(line, "\n") {
				b.WriteString("\n\\ No newline at end of file\n")
			}
		}
	}
	at := first.oldStart - before
	for _, c := range changes {
		write(' ', old[at:c.oldStart])
		write('-', old[c.oldStart:c.oldEnd])
		write('+', new[c.newStart:c.newEnd])
		at = c.oldEnd
	}
	write(' ', old[at:at+after])
}

// lineRange is a range of lines, counted from 0, as diff -u writes it: first line and count; an empty range names the line
// before it.
func lineRange(start, end int) string {
	switch n := end - start; n {
	case 0:
		return fmt.Sprintf("%d,0", start)
	case 1:
		return fmt.Sprint(start + 1)
	default:
		return fmt.Sprintf("%d,%d", start+1, n)
	}
}

// lineChanges returns changes of lines that turn old into new. Fixes change few lines that lie apart, so where the two part
// the nearest pair of equal lines is taken for the end of the change.
func lineChanges(old, new []string) []lineChange {
	var list []lineChange
	for x, y := 0, 0; x < len(old) || y < len(new); {
		if x < len(old) && y < len(new) && old[x] == new[y] {
			x, y = x+1, y+1
			continue
		}
		c := lineChange{x, len(old), y, len(new)}
		for distance := 1; distance < len(old)-x+len(new)-y; distance++ {
			if removed, found := meet(old[x:], new[y:], distance); found {
				c.oldEnd, c.newEnd = x+removed, y+distance-removed
				break
			}
		}
		list = append(list, c)
		x, y = c.oldEnd, c.newEnd
	}
	return list
}

// meet looks for a pair of equal lines that the given number of removed and added lines leads to.
func meet(old, new []string, distance int) (removed int, found bool) {
	for removed := max(0, distance-len(new)+1); removed <= min(distance, len(old)-1); removed++ {
		if old[removed] == new[distance-removed] {
			return removed, true
		}
	}
	return 0, false
}

// splitLines splits text behind each line end.
func splitLines(text []byte) []string { return slices.Collect(strings.Lines(string(text))) }
