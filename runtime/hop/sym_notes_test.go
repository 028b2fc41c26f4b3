package hop_test

import (
	"strings"
	"testing"

	"github.com/hoplint/hoplint/runtime/hop"
)

// A note names what the user called where the size was fixed, and what helps there.
func TestNotesNameTheCall(t *testing.T) {
	read, constant := "compute with hop.Int instead of its value", "give %s sizes made of SymDim instead of constants"
	for _, tc := range []struct {
		name, by, remedy string
		f                func(x T) T
	}{
		{"value", "Int.Value", read, func(x T) T { return x.MulScalar(float64(x.SymDim(0).Value())) }},
		{"dim", "Dim", read, func(x T) T { return x.MulScalar(float64(x.Dim(0))) }},
		{"operand", "Add", constant, func(x T) T { return x.Add(hop.Ones(hop.Float64, 4, 1)) }},
		{"function", "Concat", constant, func(x T) T { return hop.Concat(1, x, hop.Ones(hop.Float64, 4, 1)) }},
		{"argument", "View", constant, func(x T) T { return x.View(8).Clone() }},
		{"in a body", "MatMul", constant, func(x T) T {
			return hop.Map(func(row T) T { return row.Unsqueeze(0).MatMul(hop.Ones(hop.Float64, 2, 3)) }, x)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := hop.Trace(tc.f, ones(4, 2), hop.DynamicDims())
			if err != nil {
				t.Fatal(err)
			}
			notes := p.Notes()
			if len(notes) == 0 {
				t.Fatal("no notes")
			}
			for _, n := range notes {
				if want := " in the graph through " + tc.by + " (HOP502); " + strings.ReplaceAll(tc.remedy, "%s", tc.by); !strings.HasSuffix(n.Error(), want) {
					t.Errorf("got %s, want …%s", n, want)
				}
			}
		})
	}
}
