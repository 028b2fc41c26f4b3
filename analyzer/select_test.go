package analyzer

import (
	"strings"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
)

func TestSelectRules(t *testing.T) {
	for _, tc := range []struct{ list, want string }{
		{"HOP101", "HOP101"},
		{"mutated-carry, HOP301", "HOP101 HOP301"},
		{"HOP10*,-mutated-x,-HOP103", "HOP101 HOP104"},
		{"-HOP1*,-HOP2*,-HOP4*,-HOP5*,-HOP6*,-HOP7*,-HOP9*", "HOP301 HOP302 HOP303"},
		{"all,-HOP[2-9]*,-HOP103", "HOP101 HOP102 HOP104"},
		{"HOP1*,-HOP503,-HOP103", "HOP101 HOP102 HOP104"},
		{"*-captured", "HOP104 HOP303"},
	} {
		selected, err := SelectRules(tc.list)
		if err != nil {
			t.Errorf("%q: %v", tc.list, err)
			continue
		}
		var got []string
		for _, r := range hopcheck.Rules() {
			if selected[r.Code] {
				got = append(got, string(r.Code))
			}
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%q selects %v, want %s", tc.list, got, tc.want)
		}
	}
}
