package hopcheck

import (
	"fmt"
	"strings"
)

// DidYouMean returns "; did you mean X?" for the candidate nearest to what was typed, or an empty string when none is
// near. Ties go to the first candidate.
func DidYouMean(typed string, candidates []string) string {
	if near := Nearest(typed, candidates); near != "" {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	return ""
}

// Nearest returns the candidate with the fewest edits, empty when more than a third of the letters would have to change.
func Nearest(typed string, candidates []string) string {
	best, bestDistance := "", max(1, len(typed)/3)+1
	for _, c := range candidates {
		if d := editDistance(strings.ToLower(typed), strings.ToLower(c)); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// editDistance counts the insertions, deletions, substitutions and swaps of neighbours that turn a into b, no letter
// being edited twice.
// Source: the optimal string alignment distance, L. Boytsov, "Indexing methods for approximate dictionary searching",
// 2011, section 2.2.
func editDistance(a, b string) int {
	// Three rows of the table are enough: a swap looks two rows back.
	before, previous, current := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(a); i++ {
		current[0] = i
		for j := 1; j <= len(b); j++ {
			substitution := previous[j-1]
			if a[i-1] != b[j-1] {
				substitution++
			}
			current[j] = min(previous[j]+1, current[j-1]+1, substitution)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				current[j] = min(current[j], before[j-2]+1)
			}
		}
		before, previous, current = previous, current, before
	}
	return previous[len(b)]
}
