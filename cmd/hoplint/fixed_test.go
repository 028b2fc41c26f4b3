package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The faulty twin of each example, repaired by -fix alone, has no finding left and prints what the example prints.
func TestFixedProgramsPrintTheRightNumbers(t *testing.T) {
	for _, name := range []string{"holt", "kalman"} {
		t.Run(name, func(t *testing.T) {
			program, err := os.ReadFile(filepath.Join(testdataDir, name, "main.go"))
			if err != nil {
				t.Fatal(err)
			}
			dir := extract(t, programModule(t, program))
			if stdout, stderr, status := shell(t, dir, "hoplint -fix ."); status != exitClean {
				t.Errorf("hoplint -fix: exit status %d, want %d\n%s%s", status, exitClean, stdout, stderr)
			}
			got, stderr, status := shell(t, dir, "go run .")
			if status != 0 {
				t.Errorf("the repaired program: exit status %d\n%s%s", status, got, stderr)
			}
			want, err := exec.Command("go", "run", filepath.Join(rootDir, "examples", name)).Output()
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("the repaired program prints something else than the example (-example +repaired):\n%s", d)
			}
		})
	}
}
