package hop

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/hoplint/hoplint/runtime/internal/exec"
	"github.com/hoplint/hoplint/tracer"
	"github.com/hoplint/hoplint/tracer/passes"
)

// TestMain runs the tests and then K23: print → parse → print is the identity for every graph that a test or an example
// ran and that the memo of plans still holds, as it was traced and after the passes.
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
	if err := g.Verify(); err != nil {
		return err
	}
	return passesKeepForm(g)
}

// passesKeepForm checks a graph after each pass and after all of them: it is well formed, with the metas that the op table
// gives, prints what is read back, and is not changed by the passes again.
func passesKeepForm(g *tracer.Graph) error {
	text, ops := g.Text(), exec.Traits(kernelLibrary{})
	formed := func(what string, g *tracer.Graph) error {
		g.SetOps(shapes{})
		if err := g.Verify(); err != nil {
			return fmt.Errorf("after %s: %w in\n%s\nfrom\n%s", what, err, g, text)
		}
		if back, err := tracer.Parse(g.Text()); err != nil || back.Text() != g.Text() {
			return fmt.Errorf("after %s: %v, printed and parsed differ\n%s", what, err, g)
		}
		return nil
	}
	for _, p := range passes.Table() {
		c, err := tracer.Parse(text)
		if err != nil {
			return err
		}
		if err := p.Run(c, ops); err != nil {
			return err
		}
		if err := formed(p.Name, c); err != nil {
			return err
		}
		once := c.Text()
		if err := p.Run(c, ops); err != nil || c.Text() != once {
			return fmt.Errorf("%s again (%v) gives\n%s\nwas\n%s", p.Name, err, c.Text(), once)
		}
	}
	res, err := passes.Optimise(g, ops)
	if err != nil {
		return err
	}
	if err := formed("all passes", res.Graph); err != nil {
		return err
	}
	again, err := passes.Optimise(res.Graph, ops)
	if err != nil || again.Graph.Text() != res.Graph.Text() {
		return fmt.Errorf("all passes again (%v) give\n%s\nwas\n%s", err, again.Graph, res.Graph)
	}
	if g.Text() != text {
		return fmt.Errorf("the passes have changed the graph from\n%s\nto\n%s", text, g.Text())
	}
	return nil
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
