package hop

import (
	"slices"
	"testing"
)

func TestLatestKeepsTheLastKeys(t *testing.T) {
	var l latest[int]
	l.drop("none")
	for i, key := range []string{"a", "b", "c"} {
		l.put(key, i, 3)
	}
	l.drop("b")
	l.put("d", 3, 3)
	l.put("e", 4, 3) // drops a
	if want := []string{"c", "d", "e"}; !slices.Equal(l.order, want) || len(l.byKey) != 3 || l.byKey["c"] != 2 || l.byKey["e"] != 4 {
		t.Errorf("kept %v %v, want %v", l.order, l.byKey, want)
	}
}
