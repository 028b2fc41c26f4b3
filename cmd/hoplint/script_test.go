package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// binary is hoplint, built once for all tests of the process.
var binary string

func TestMain(m *testing.M) {
	if log := os.Getenv(toolexecLog); log != "" {
		os.Exit(logTool(log, os.Args[1:]))
	}
	os.Exit(withBinary(m.Run))
}

func withBinary(run func() int) int {
	dir, err := os.MkdirTemp("", "hoplint")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "hoplint")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	return run()
}

// TestScripts runs the archives of testdata/script. The text before the first file says what the script shows; its lines
// that begin with "$ " are run by a shell in a folder with the archive's files. The file "want" is the transcript: each
// command, its standard output, its standard error, its exit status. Files below want/ are files as they must be
// afterwards.
//
// $ROOT in a go.mod is this repository. In the transcript $WORK is the folder of the script.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			runScript(t, file)
		})
	}
}

func runScript(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := extract(t, archive)
	var transcript bytes.Buffer
	for line := range strings.Lines(string(archive.Comment)) {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			command = strings.TrimSpace(command)
			stdout, stderr, status := shell(t, dir, command)
			fmt.Fprintf(&transcript, "$ %s\n%s", command, stdout)
			if stderr != "" {
				fmt.Fprintf(&transcript, "[stderr]\n%s", stderr)
			}
			fmt.Fprintf(&transcript, "[exit status %d]\n", status)
		}
	}
	got := &txtar.Archive{Comment: archive.Comment}
	for _, f := range archive.Files {
		if f.Name == "want" {
			f.Data = transcript.Bytes()
		} else if path, ok := strings.CutPrefix(f.Name, "want/"); ok {
			if f.Data, err = os.ReadFile(filepath.Join(dir, path)); err != nil {
				t.Fatal(err)
			}
		}
		got.Files = append(got.Files, f)
	}
	checkGolden(t, file, txtar.Format(archive), txtar.Format(got))
}

// checkGolden compares what is with what the golden file says, or writes the file with -update.
func checkGolden(t *testing.T, file string, want, got []byte) {
	t.Helper()
	if bytes.Equal(want, got) {
		return
	}
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s differs; go test ./cmd/hoplint -update writes it anew (-want +got):\n%s", file, cmp.Diff(string(want), string(got)))
}

// extractFile extracts an archive that is a file.
func extractFile(t testing.TB, file string) (dir string) {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return extract(t, archive)
}

// extract writes the files of an archive into a fresh folder.
func extract(t testing.TB, archive *txtar.Archive) (dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs(rootDir)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, data []byte) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range archive.Files {
		switch {
		case f.Name == "want" || strings.HasPrefix(f.Name, "want/"):
			continue
		case filepath.Base(f.Name) == "go.mod":
			f.Data = bytes.ReplaceAll(f.Data, []byte("$ROOT"), []byte(root))
			write(filepath.Join(filepath.Dir(f.Name), "go.sum"), sum)
		}
		write(f.Name, f.Data)
	}
	return dir
}

// shell runs a command line with hoplint in PATH. Paths and run times of this machine are replaced in what it prints.
func shell(t testing.TB, dir, command string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PWD="+dir, "PATH="+binaryPath(),
		"GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "GO111MODULE=", "CI=")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		failed, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			t.Fatalf("%s: %v", command, err)
		}
		status = failed.ExitCode()
	}
	return neutral(out.String(), dir), neutral(errs.String(), dir), status
}

// binaryPath is PATH with hoplint in front.
func binaryPath() string {
	return filepath.Dir(binary) + string(os.PathListSeparator) + os.Getenv("PATH")
}

var testTime = regexp.MustCompile(`(?m)^(ok  \t\S+\t)[\d.]+s`)

func neutral(text, dir string) string {
	text = strings.NewReplacer(dir, "$WORK", binary, "hoplint", filepath.Dir(binary), "$BIN", runtime.GOROOT(), "$GOROOT").Replace(text)
	return testTime.ReplaceAllString(text, "${1}time")
}
