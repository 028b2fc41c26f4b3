package hop

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/hoplint/hoplint/tracer"
)

// TestMain runs the tests and then K23: print → parse → print is the identity for every graph that a test or an example
// ran and that the memo of plans still holds.
func TestMain(m *testing.M) {
	code := m.Run()
	plans.mu.Lock()
	defer plans.mu.Unlock()
	for _, text := range slices.Sorted(maps.Keys(plans.byKey)) {
		if err := printsAgain(text); err != nil {
			fmt.Fprintf(os.Stderr, "K23: %v\n", err)
			code = 1
		}
	}
	os.Exit(code)
}

// printsAgain parses the text of a graph and compares what it prints.
func printsAgain(text string) error {
	g, err := tracer.Parse(text)
	if err != nil {
		return fmt.Errorf("%w in\n%s", err, text)
	}
	if got := g.String(); got != text {
		return fmt.Errorf("printed\n%s\nand, parsed,\n%s", text, got)
	}
	return g.Verify()
}

func TestK23PrintedGraphsParse(t *testing.T) {
	f := func(x *Tensor) *Tensor {
		c, _ := Scan(func(c, x *Tensor) (*Tensor, None) {
			return Cond(x.GtScalar(0), func(c *Tensor) *Tensor { return c.Add(x) }, func(c *Tensor) *Tensor { return c.Mul(x) }, c), None{}
		}, Scalar(0.5), x)
		return c
	}
	f(FromSlice([]float64{1, -2}))
	p, err := Trace(f, FromSlice([]float64{1, -2}))
	if err != nil {
		t.Fatal(err)
	}
	if err := printsAgain(p.Graph().String()); err != nil {
		t.Error(err)
	}
}
