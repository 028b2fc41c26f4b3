//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/tools/txtar"
)

// A folder that cannot be read is told of, and the exit status is 2.
func TestUnreadableFolder(t *testing.T) {
	dir := extract(t, txtar.Parse([]byte("-- go.mod --\nmodule ex\n\ngo 1.26\n-- a.go --\npackage a\n-- shut/b.go --\npackage b\n")))
	shut := filepath.Join(dir, "shut")
	if err := os.Chmod(shut, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(shut, 0o755) })
	cmd := exec.Command(binary, "./...")
	cmd.Dir = dir
	home := filepath.Join(os.TempDir(), filepath.Base(dir)+"-home")
	cmd.Env = append(os.Environ(), "HOME="+home, "GOCACHE="+home, "GOFLAGS=", "GOWORK=off")
	if os.Getuid() == 0 { // may read everything
		nobody := uint32(65534)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		for path := dir; path != filepath.Dir(path); path = filepath.Dir(path) {
			if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o005 == 0 {
				os.Chmod(path, info.Mode()|0o055)
			}
		}
		os.Chmod(filepath.Dir(binary), 0o755)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	os.RemoveAll(home)
	if status := cmd.ProcessState.ExitCode(); status != exitError || stdout.Len() > 0 || !strings.Contains(stderr.String(), "permission denied") {
		t.Errorf("exit status %d, want %d\n%s%s", status, exitError, &stdout, &stderr)
	}
}
