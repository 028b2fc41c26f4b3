package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestEditsThatMeet(t *testing.T) {
	statement := func(at int, name string) edit { return edit{"a.go", at, at, name + " = " + name + ".Clone()\n\t"} }
	for _, tc := range []struct {
		name          string
		first, second edit
		fits          bool
	}{
		{"the same edit twice", edit{"a.go", 3, 3, ".Clone()"}, edit{"a.go", 3, 3, ".Clone()"}, true},
		{"two ends of an expression", edit{"a.go", 3, 3, ".Clone()"}, edit{"a.go", 3, 3, ")"}, false},
		{"two statements", statement(3, "carry"), statement(3, "x"), true},
		{"overlapping replacements", edit{"a.go", 3, 6, "Add"}, edit{"a.go", 5, 8, "Sub"}, false},
		{"replacements side by side", edit{"a.go", 3, 6, "Add"}, edit{"a.go", 6, 8, "Sub"}, true},
		{"insertion inside of a replacement", edit{"a.go", 3, 6, "Add"}, edit{"a.go", 4, 4, "x"}, false},
		{"insertion before a replacement", edit{"a.go", 3, 6, "Add"}, edit{"a.go", 3, 3, "x = "}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			list, _ := withEdit(nil, tc.first)
			if _, fits := withEdit(list, tc.second); fits != tc.fits {
				t.Errorf("fits = %t, want %t", fits, tc.fits)
			}
		})
	}
}

func TestEditsLeaveTheRestOfAFile(t *testing.T) {
	for _, tc := range []struct{ name, before, after string }{
		{"formatted", "package a\n\nfunc f() {\n\tg()\n}\n", "package a\n\nfunc f() {\n\th()\n\tg()\n}\n"},
		{"windows line ends", "package a\r\n\r\nfunc f() {\r\n\tg()\r\n}\r\n", "package a\r\n\r\nfunc f() {\r\n\th()\r\n\tg()\r\n}\r\n"},
		{"not formatted", "package  a\n\nfunc f( ) {\n\tg()\n}", "package  a\n\nfunc f( ) {\n\th()\n\tg()\n}"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			at := strings.Index(tc.before, "g()")
			if got := string(applyEdits([]byte(tc.before), []edit{{"a.go", at, at, "h()\n\t"}})); got != tc.after {
				t.Errorf("got\n%q\nwant\n%q", got, tc.after)
			}
		})
	}
}

// A finding that is found again, at the line that it moved to, was not removed; its file can be put back.
func TestRoundTellsWhatIsLeft(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.go")
	source := "package a\n\nfunc f() {\n\tg()\n\th()\n}\n"
	if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	at := func(line, offset int, message, text string) finding {
		p := position{file, line, 2}
		return finding{span: span{p, p}, code: "HOP101", message: message, fixes: []fix{{Edits: []edit{{file, offset, offset, text}}}}}
	}
	first := at(4, strings.Index(source, "g()"), "first", "c = c.Clone()\n\t")
	second := at(5, strings.Index(source, "h()"), "second", "x.")
	b, err := planFixes([]finding{first, second}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.write(b.new); err != nil {
		t.Fatal(err)
	}
	again := at(6, 0, "second", "")
	left := b.remaining([]finding{at(4, 0, "first", ""), again})
	if len(left) != 1 || left[0].message != "second" {
		t.Errorf("left are %v, want the second, which moved from line 5 to 6", left)
	}
	if err := b.undo(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != source {
		t.Errorf("undone: %q, %v, want %q", got, err, source)
	}
	if b, err = planFixes([]finding{first, second}, []mark{markOf(second)}); err != nil || len(b.applied) != 1 {
		t.Errorf("applied %v, %v, want only the first", b.applied, err)
	}
	kept := []finding{first, second}
	if notes := dropFixes(kept, []mark{markOf(second)}); fixable(kept) != 1 || len(notes) != 1 {
		t.Errorf("%d findings count as fixable, want 1; notes %q", fixable(kept), notes)
	}
}

// Where one file of a round cannot be written, the others are as before: a repair that was not tried is not left behind.
func TestRoundThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "a.go"), filepath.Join(dir, "b.go")
	if err := os.WriteFile(first, []byte("before"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(second, 0o755); err != nil { // no user can write that, not even root
		t.Fatal(err)
	}
	b := &batch{old: map[string][]byte{first: []byte("before"), second: nil}, new: map[string][]byte{first: []byte("after"), second: []byte("after")}}
	err := b.write(b.new)
	if err == nil || !strings.Contains(err.Error(), "b.go") || !strings.Contains(err.Error(), "taken back") {
		t.Errorf("got %v, want an error that names b.go", err)
	}
	if got, err := os.ReadFile(first); err != nil || string(got) != "before" {
		t.Errorf("a.go is %q, %v, want it as before", got, err)
	}
}

// Files of other modules are left as they are.
func TestOwnFiles(t *testing.T) {
	for _, tc := range []struct {
		file string
		want bool
	}{
		{"/w/a/x.go", true}, {"/w/a/b/x.go", true}, {"/w/b/x.go", true},
		{"/w/ab/x.go", false}, {"/w/x.go", false}, {"/w/a/vendor/c/x.go", false}, {"/cache/c.cgo1.go", false},
	} {
		if got := isOwn(filepath.FromSlash(tc.file), []string{"/w/a", "/w/b"}); got != tc.want {
			t.Errorf("%s: %t, want %t", tc.file, got, tc.want)
		}
	}
}

// patch understands the diff of any two files and turns the one into the other.
func TestDiffIsUnderstoodByPatch(t *testing.T) {
	patch, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		file := rapid.Custom(func(t *rapid.T) []byte {
			lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "{", "}", ""}), 0, 30).Draw(t, "lines")
			return []byte(strings.Join(lines, "\n"))
		})
		before, after := file.Draw(t, "before"), file.Draw(t, "after")
		if len(before) == 0 || len(after) == 0 {
			return // diff -u names /dev/null then, and a fix empties no file
		}
		text := unifiedDiff("a.go", before, after)
		if bytes.Equal(before, after) {
			if text != "" {
				t.Fatalf("equal files differ:\n%s", text)
			}
			return
		}
		dir, err := os.MkdirTemp("", "diff")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		path := filepath.Join(dir, "a.go")
		if err := os.WriteFile(path, before, 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(patch, "apply", "-p0", "--whitespace=nowarn", "-")
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(text)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s\n%s", err, out, text)
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, after) {
			t.Fatalf("patched: %q, want %q, %v\n%s", got, after, err, text)
		}
	})
}
