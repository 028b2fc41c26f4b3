package hopcheck

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"HOP101", "HOP102", "mutated-carry", "mutated-captured", "-checks", "-C", "text", "json"}
	for _, tc := range []struct{ typed, want string }{
		{"HOP110", "HOP101"},
		{"hop102", "HOP102"},
		{"mutated-cary", "mutated-carry"},
		{"mutated_captured", "mutated-captured"},
		{"-chekcs", "-checks"},
		{"-c", "-C"},
		{"txet", "text"},
		{"sarif", ""},
		{"", ""},
	} {
		if got := Nearest(tc.typed, names); got != tc.want {
			t.Errorf("Nearest(%q) = %q, want %q", tc.typed, got, tc.want)
		}
	}
}

func TestEditDistance(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"kitten", "sitting", 3}, {"list", "lsit", 1}} {
		if got := editDistance(tc.a, tc.b); got != tc.want {
			t.Errorf("editDistance(%q, %q) = %d, want %d", tc.a, tc.b, got, tc.want)
		}
		if got := editDistance(tc.b, tc.a); got != tc.want {
			t.Errorf("editDistance(%q, %q) = %d, want %d as the other way round", tc.b, tc.a, got, tc.want)
		}
	}
}
