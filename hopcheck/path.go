package hopcheck

import "strings"

// AnyIndex writes [] for each index and key of a path: .L[1].A and .M["a"] become .L[].A and .M[].
func AnyIndex(path string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(path, "[")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, rest, closed := strings.Cut(after, "]")
		if !closed {
			b.WriteString("[" + after)
			return b.String()
		}
		b.WriteString("[]")
		path = rest
	}
}
