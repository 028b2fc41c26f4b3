package oracle

import (
	"flag"
	"path/filepath"
	"testing"
)

var (
	programs = flag.Int("programs", 120, "how many programs TestOracle makes")
	seed     = flag.Uint64("seed", 1, "what they are made from")
)

const batch = 400

// TestOracle compares both halves on random programs.
func TestOracle(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	var r Report
	for first := 0; first < *programs; first += batch {
		var list []Program
		for i := first; i < min(first+batch, *programs); i++ {
			list = append(list, Generate(*seed, i))
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
		for i, p := range list {
			r.Add(p, dynamic[i], static[p.Name])
		}
	}
	for _, d := range r.Missed {
		t.Errorf("missed: %s; found %s in\n%s", d.What, d.Found, d.Program.Text)
	}
	shown := 0
	for _, d := range r.Unwitnessed {
		if d.Reason == Unknown && shown < 10 {
			shown++
			t.Logf("no witness: %s; refused %s in\n%s", d.What, d.Refused, d.Program.Text)
		}
	}
	reasons := map[Reason]int{}
	for _, d := range r.Unwitnessed {
		reasons[d.Reason]++
	}
	t.Logf("%d programs (%d clean, %d failed), %d refusals, %d findings; recall %.4f, in strict mode alone %d, unproved %d; precision %.4f; without witness: %v",
		r.Programs, r.Clean, r.Failed, r.Refused, r.Found, r.Recall(), len(r.Strict), len(r.Unproved), r.Precision(), reasons)
}
