package hopcheck_test

import (
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
)

func TestAnyIndex(t *testing.T) {
	for path, want := range map[string]string{"": "", ".H": ".H", ".L[1]": ".L[]", `.M["a"].A`: ".M[].A", "[0][12]": "[][]", ".L[]": ".L[]", ".L[1": ".L[1"} {
		if got := hopcheck.AnyIndex(path); got != want {
			t.Errorf("%q becomes %q, want %q", path, got, want)
		}
	}
}
