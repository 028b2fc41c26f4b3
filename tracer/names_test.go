package tracer

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// TestNamesAreUnique asks for many names, numbered ones among them: no two are equal, a free one is given as it is asked
// for, and the same requests give the same names again.
func TestNamesAreUnique(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		wants := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			stem := fmt.Sprintf("op%c", 'a'+rapid.IntRange(0, 19).Draw(t, "stem"))
			if k := rapid.IntRange(0, 6).Draw(t, "number"); k > 3 {
				return fmt.Sprintf("%s_%d", stem, k-3)
			}
			return stem
		}), 0, 80).Draw(t, "wants")
		var n, again names
		taken := map[string]bool{}
		for _, want := range wants {
			got := n.take(want)
			if taken[got] {
				t.Fatalf("%s, for %s, was given before (%v)", got, want, wants)
			}
			if !taken[want] && got != want {
				t.Fatalf("%s was free and %s given (%v)", want, got, wants)
			}
			taken[got] = true
			if repeated := again.take(want); repeated != got {
				t.Fatalf("%s gives %s, then %s", want, got, repeated)
			}
		}
	})
}
