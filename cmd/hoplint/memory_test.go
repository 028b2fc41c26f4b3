package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// The size of a package is that of its Go files, and what cannot be read counts nothing.
func TestSource(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	made := 0
	cfg := func(goFiles ...string) string {
		made++
		b, err := json.Marshal(struct {
			ID, ImportPath string
			GoFiles        []string
			NonGoFiles     []string
		}{"a.b/c [a.b/c.test]", "a.b/c", goFiles, []string{file("other.s", "assembly")}})
		if err != nil {
			t.Fatal(err)
		}
		return file(fmt.Sprint(made, ".cfg"), string(b))
	}
	a, b := file("a.go", "package a\n"), file("b.go", "package a // longer\n")
	for _, c := range []struct {
		name, cfg string
		want      int64
	}{
		{"two files", cfg(a, b), 30},
		{"a file that is missing", cfg(a, filepath.Join(dir, "missing.go")), 10},
		{"no files", cfg(), 0},
		{"no configuration", filepath.Join(dir, "missing.cfg"), 0},
		{"no JSON", file("text.cfg", "GoFiles"), 0},
		{"no list", file("list.cfg", `{"GoFiles": 3}`), 0},
		{"without files", file("without.cfg", `{"ImportPath": "a.b/c"}`), 0},
		{"null", file("null.cfg", `{"GoFiles": null}`), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, size := source(c.cfg)
			if size != c.want || size > 0 && path != "a.b/c" {
				t.Errorf("%d bytes of %q, want %d", size, path, c.want)
			}
		})
	}
}
