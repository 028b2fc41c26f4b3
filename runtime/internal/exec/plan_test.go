package exec

import (
	"flag"
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/hoplint/hoplint/tracer"
)

var update = flag.Bool("update", false, "rewrite the plans in testdata")

// TestPlans runs the cases of testdata/plans.txtar: "name" is a graph, "name/plan" the plan that is made of it. The
// plan is a graph again, with comments.
func TestPlans(t *testing.T) {
	const file = "testdata/plans.txtar"
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var files []txtar.File
	plans := map[string]string{}
	for _, f := range archive.Files {
		if name, ok := strings.CutSuffix(f.Name, "/plan"); ok {
			plans[name] = string(f.Data)
		} else {
			files = append(files, f)
		}
	}
	archive.Files = nil
	for _, f := range files {
		g, err := tracer.Parse(string(f.Data))
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		if err := g.Verify(); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		p, err := Compile(g, library{})
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		got, err := p.Plan()
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		if back, err := tracer.Parse(got); err != nil || back.String() != p.graph.String() {
			t.Errorf("%s: the plan is not read back to its graph: %v", f.Name, err)
		}
		if want := plans[f.Name]; got != want && !*update {
			t.Errorf("%s: got\n%s\nwant\n%s", f.Name, got, want)
		}
		archive.Files = append(archive.Files, f, txtar.File{Name: f.Name + "/plan", Data: []byte(got)})
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
