package oracle

import (
	"flag"
	"fmt"
	"path/filepath"
	"testing"
)

var (
	programs = flag.Int("programs", 120, "how many programs TestOracle makes")
	seed     = flag.Uint64("seed", 1, "what they are made from")
)

// batch is how many programs are compiled and analysed at once.
const batch = 400

// TestOracle makes random programs and fails when the runtime refuses what the analyzer does not find. With -v it prints
// the programs behind findings that have neither a witness nor a known reason for having none.
func TestOracle(t *testing.T) {
	var r Report
	for first := 0; first < *programs; first += batch {
		r.compare(t, first, min(first+batch, *programs))
	}
	t.Log(&r)
	for _, d := range r.Missed {
		t.Errorf("missed: %s; found %s in\n%s", d.What, d.Found, d.Program.Text)
	}
	for _, d := range r.Unwitnessed {
		if d.Reason == Unknown {
			t.Logf("no witness: %s; refused %s in\n%s", d.What, d.Refused, d.Program.Text)
		}
	}
	if p := r.Precision(); p < 0.95 {
		t.Errorf("of the findings %.1f %% have a witness or a known reason for having none, want 95", 100*p)
	}
	if 10*r.Clean < r.Programs || 10*r.Failed > r.Programs || 10*r.Refused < r.Programs {
		t.Errorf("the programs say little: %s", &r)
	}
}

// judge runs the programs and analyses them.
func judge(t *testing.T, list []Program) ([]Outcome, map[string]Static) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := Write(dir, root, list); err != nil {
		t.Fatal(err)
	}
	dynamic, err := Run(dir)
	if err != nil {
		t.Fatal(err)
	}
	static, err := Inspect(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dynamic, static
}

// scanOf is a program that scans with a body that breaks the contract of its carry c, if at all.
func scanOf(name, body string) string {
	return fmt.Sprintf("func %s() {\n\thop.Scan(func(c, x T) (T, T) {\n\t\t%s\n\t\treturn c.Clone(), x.Clone()\n\t}, hop.Scalar(1.0), hop.Ones(hop.Float64, 2), hop.Stepwise())\n}\n", name, body)
}

// compare adds the programs of a range.
func (r *Report) compare(t *testing.T, first, end int) {
	t.Helper()
	var list []Program
	for i := first; i < end; i++ {
		list = append(list, Generate(*seed, i))
	}
	dynamic, static := judge(t, list)
	for i, p := range list {
		r.Add(p, dynamic[i], static[p.Name])
	}
}

// TestPathsThatCover holds the paths of findings against those of refusals.
func TestPathsThatCover(t *testing.T) {
	for _, c := range []struct {
		static, dynamic string
		want            bool
	}{
		{".H", ".H", true},
		{".L[]", ".L[1]", true},
		{".L", ".L[1]", true},
		{`.M["a"]`, `.M["b"]`, true}, // any key is any key
		{"", ".H", true},
		{".H", ".HC", false},
		{".L[1].A", ".L[1]", false},
	} {
		if got := leadsTo(c.static, c.dynamic); got != c.want {
			t.Errorf("%q covers %q: %t, want %t", c.static, c.dynamic, got, c.want)
		}
	}
}
