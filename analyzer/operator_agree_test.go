package analyzer_test

import (
	"fmt"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/analyzer"
)

// Every program that hands a bad body to an operator which no call names is refused at run time, and has a finding, at the least that
// nothing is proved of it.
func TestOperatorsThatNoCallNames(t *testing.T) {
	strictly(t)
	const folder = "operators"
	graph, err := analyseFolders(ruleFolders, []string{"./" + folder})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(ruleFolders, folder, folder+".go"))
	if err != nil {
		t.Fatal(err)
	}
	file := program{full: string(text)}
	want, got := file.wanted(), []string(nil)
	for root := range graph.All() {
		if result, ok := root.Result.(*analyzer.Result); ok && strings.HasSuffix(root.Package.PkgPath, "/"+folder) {
			for _, f := range result.Findings {
				got = append(got, lineAndCode(root.Package.Fset, f))
			}
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
	run := exec.Command("go", "run", "./"+folder)
	run.Dir = ruleFolders
	out, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	refused := strings.Fields(strings.ReplaceAll(string(out), " HOP301", ""))
	for i := range strings.Count(string(text), "func P") {
		if name := fmt.Sprintf("P%02d", i); !slices.Contains(refused, name) {
			t.Errorf("%s is not refused as HOP301:\n%s", name, out)
		}
	}
}

func lineAndCode(fset *token.FileSet, f analyzer.Finding) string {
	return fmt.Sprintf("%d: %s", fset.Position(f.Pos).Line, string(f.Code))
}
