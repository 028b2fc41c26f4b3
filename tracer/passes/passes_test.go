package passes

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/hoplint/hoplint/tracer"
)

var update = flag.Bool("update", false, "rewrite the graphs after a pass in testdata")

// parsed reads a graph and checks it.
func parsed(t *testing.T, text string) *tracer.Graph {
	t.Helper()
	g, err := tracer.Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	g.SetOps(testOps{})
	if err := g.Verify(); err != nil {
		t.Fatalf("before: %v\n%s", err, text)
	}
	return g
}

// wellFormed checks a rewritten graph and that its text is read back to the same, with positions too.
func wellFormed(t *testing.T, g *tracer.Graph) {
	t.Helper()
	g.SetOps(testOps{})
	if err := g.Verify(); err != nil {
		t.Errorf("after: %v\n%s", err, g)
	}
	for _, print := range []func(*tracer.Graph) string{(*tracer.Graph).String, (*tracer.Graph).Text} {
		again, err := tracer.Parse(print(g))
		if err != nil || print(again) != print(g) {
			t.Errorf("print, parse, print differ (%v):\n%s", err, print(g))
		}
	}
}

// apply runs the pass of a file: one of the table, or all.
func apply(t *testing.T, name string, g *tracer.Graph) *tracer.Graph {
	t.Helper()
	if name == "all" {
		res, err := Optimise(g, testOps{})
		if err != nil {
			t.Fatal(err)
		}
		return res.Graph
	}
	for _, p := range table {
		if p.Name == name {
			if err := p.Run(g, testOps{}); err != nil {
				t.Fatal(err)
			}
			return g
		}
	}
	t.Fatalf("there is no pass %q", name)
	return nil
}

// TestPasses runs the cases of testdata: one file for each pass, and all.txtar for all of them together. A case is a
// graph, "name", and "name/after", what the pass makes of it; where it must do nothing, "name/after" says so.
func TestPasses(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range append(Table(), Pass{Name: "all"}) {
		file := filepath.Join("testdata", strings.ReplaceAll(p.Name, " ", "_")+".txtar")
		seen[file] = true
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		fires, rests := 0, 0
		for i := 0; i < len(archive.Files); i++ {
			before := archive.Files[i]
			if strings.HasSuffix(before.Name, "/after") {
				t.Fatalf("%s: %s has no graph before it", file, before.Name)
			}
			if i+1 == len(archive.Files) || archive.Files[i+1].Name != before.Name+"/after" {
				archive.Files = append(archive.Files[:i+1], append([]txtar.File{{Name: before.Name + "/after"}}, archive.Files[i+1:]...)...)
			}
			i++
			after := &archive.Files[i]
			t.Run(p.Name+"/"+before.Name, func(t *testing.T) {
				g := apply(t, p.Name, parsed(t, string(before.Data)))
				wellFormed(t, g)
				got := g.Text()
				if got == parsed(t, string(before.Data)).Text() {
					got = unchanged
					rests++
				} else {
					fires++
				}
				if again := apply(t, p.Name, g); again.Text() != g.Text() {
					t.Errorf("run again it gives\n%s\nwas\n%s", again.Text(), g.Text())
				}
				if *update {
					after.Data = []byte(got)
				} else if string(after.Data) != got {
					t.Errorf("got\n%s\nwant\n%s", got, after.Data)
				}
			})
		}
		if fires == 0 || rests == 0 {
			t.Errorf("%s: %d cases where the pass does something and %d where it must not", file, fires, rests)
		}
		if *update {
			if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, f := range files {
		if !seen[f] {
			t.Errorf("%s belongs to no pass", f)
		}
	}
}

const unchanged = "unchanged\n"
