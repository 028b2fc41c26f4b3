package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
	"golang.org/x/tools/txtar"
)

// terminal opens a pair of a terminal of the given width and what is typed and shown on it.
func terminal(t *testing.T, columns uint16) (shown, tty *os.File) {
	t.Helper()
	shown, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shown.Close() })
	number, err := unix.IoctlGetInt(int(shown.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(shown.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns})
	}
	if err != nil {
		t.Fatal(err)
	}
	return shown, tty
}

// onTerminal runs hoplint with its output on a terminal and returns what that shows.
func onTerminal(t *testing.T, dir string, columns uint16, env []string, args ...string) string {
	t.Helper()
	shown, tty := terminal(t, columns)
	cmd := exec.Command(binary, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, tty, tty
	cmd.Env = append(append(os.Environ(), "TERM=xterm", "NO_COLOR=", "GOFLAGS=-mod=mod", "GOWORK=off"), env...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	var b bytes.Buffer
	io.Copy(&b, shown) // ends with an error when the last user of the terminal is gone
	cmd.Wait()
	return strings.ReplaceAll(b.String(), "\r\n", "\n")
}

// Colours are for terminals, and not for all; long lines are fitted to their width.
func TestOnATerminal(t *testing.T) {
	source := "package a\n\n//hop:nothing " + strings.Repeat("long ", 30) + "\nvar A int\n"
	dir := extract(t, txtar.Parse([]byte("-- go.mod --\nmodule ex\n\ngo 1.26\n-- a.go --\n"+source)))
	shown := onTerminal(t, dir, 50, nil, ".")
	if !strings.Contains(shown, "\x1b[1ma.go:3:1\x1b[0m") {
		t.Errorf("no colours on a terminal:\n%q", shown)
	}
	for line := range strings.Lines(shown) {
		if strings.Contains(line, "| ") && len([]rune(line)) > 50+len("\x1b[34m\x1b[0m\n") {
			t.Errorf("a line of source is wider than the terminal: %q", line)
		}
	}
	for _, env := range []string{"NO_COLOR=1", "TERM=dumb"} {
		if shown := onTerminal(t, dir, 50, []string{env}, "."); strings.Contains(shown, "\x1b[") || !strings.Contains(shown, "HOP901") {
			t.Errorf("%s: want the finding without colours, got %q", env, shown)
		}
	}
	for _, f := range formats()[1:] {
		if shown := onTerminal(t, dir, 50, nil, "-f", f.name, "."); strings.Contains(shown, "\x1b[") || !strings.Contains(shown, "HOP901") {
			t.Errorf("-f %s: want the finding without colours, got %q", f.name, shown)
		}
	}
}

// The progress line is for terminals, comes after a while and goes when the run is over.
func TestProgressLine(t *testing.T) {
	var b bytes.Buffer
	quiet := &command{stderr: &b}
	quiet.showProgress()()
	if b.Len() > 0 {
		t.Errorf("without a terminal: %q, want nothing", &b)
	}
	ticks := make(chan int)
	c := &command{stderr: &b, progress: true, ticks: ticks}
	done := c.showProgress()
	ticks <- 2
	ticks <- 3
	done()
	if got, want := b.String(), "\rhoplint: analysing, 2 s\rhoplint: analysing, 3 s\r\x1b[K"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	b.Reset()
	c = &command{stderr: &b, progress: true, ticks: make(chan int)}
	c.showProgress()()
	if b.Len() > 0 {
		t.Errorf("a short run: %q, want nothing", &b)
	}
}
