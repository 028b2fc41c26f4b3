package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// toolexecLog names the environment variable that makes this test binary a -toolexec program: it appends the command
// line of each tool that the go command runs to the file that the variable names, then runs the tool.
const toolexecLog = "HOPLINT_TEST_TOOLEXEC_LOG"

func logTool(log string, args []string) int {
	f, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = fmt.Fprintln(f, strings.Join(args, " "))
		f.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if cmd.Run() != nil {
		return 1
	}
	return 0
}

func TestSecondRunAnalysesNothing(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := extract(t, txtar.Parse([]byte("-- go.mod --\nmodule ex\n\ngo 1.26\n-- a.go --\npackage a\n")))
	analysed := func() (packages []string) {
		log := filepath.Join(t.TempDir(), "log")
		cmd := exec.Command(binary, "./...")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-toolexec="+self, toolexecLog+"="+log)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		data, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if strings.HasPrefix(line, binary) && strings.HasSuffix(line, ".cfg\n") {
				packages = append(packages, line)
			}
		}
		return packages
	}
	if first := analysed(); len(first) == 0 {
		t.Error("the first run analysed no package, so the second proves nothing")
	}
	if second := analysed(); len(second) != 0 {
		t.Errorf("the second run analysed %d packages again, want 0:\n%s", len(second), strings.Join(second, ""))
	}
}
