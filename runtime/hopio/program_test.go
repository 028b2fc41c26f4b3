package hopio_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
	"github.com/hoplint/hoplint/runtime/hopio"
)

func double(x *hop.Tensor) *hop.Tensor { return x.MulScalar(2) }

func TestProgramFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "double.hop")
	p, err := hop.Trace(double, hop.Zeros(hop.Float64, 2))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time over the first file
		if err := hopio.SaveProgram(path, p); err != nil {
			t.Fatal(err)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("files left behind: %v", entries)
	}
	back, err := hopio.LoadProgram[*hop.Tensor, *hop.Tensor](path)
	if err != nil {
		t.Fatal(err)
	}
	y, err := back.Call(hop.FromSlice([]float64{1, 2}))
	if got := hop.ToSlice[float64](y); err != nil || got[0] != 2 || got[1] != 4 {
		t.Errorf("got %v, %v", got, err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, file, want string
		cause            error
	}{
		{"cut", string(whole[:len(whole)-1]), "31 bytes and then the end, want 32 bytes of checksum", io.ErrUnexpectedEOF},
		{"longer", string(whole) + "more", "got bytes behind the program, want the end of the file", nil},
		{"empty", "", "got 0 bytes and then the end", io.ErrUnexpectedEOF},
	} {
		if err := os.WriteFile(path, []byte(tc.file), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := hopio.LoadProgram[*hop.Tensor, *hop.Tensor](path)
		var e *hopio.Error
		if p != nil || !errors.As(err, &e) || e.File != path || !strings.Contains(err.Error(), tc.want) || tc.cause != nil && !errors.Is(err, tc.cause) {
			t.Errorf("%s: got %v, want %s", tc.name, err, tc.want)
		}
	}
	if _, err := hopio.LoadProgram[*hop.Tensor, *hop.Tensor](filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestProgramThatCannotBeSavedLeavesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.hop")
	w := hop.FromSlice([]float64{1})
	p, err := hop.Trace(func(x *hop.Tensor) *hop.Tensor { return x.Mul(w) }, hop.Zeros(hop.Float64, 1))
	if err != nil {
		t.Fatal(err)
	}
	if err := hopio.SaveProgram(path, p); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(path)
	w.Zero()
	if err := hopio.SaveProgram(path, p); !errors.Is(err, hopcheck.StaleCapture) {
		t.Errorf("got %v, want HOP405", err)
	}
	if after, _ := os.ReadFile(path); string(after) != string(before) {
		t.Error("the file was changed")
	}
}

// A traced function is kept in a file and runs without being traced again.
func ExampleSaveProgram() {
	dir, err := os.MkdirTemp("", "hop")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "double.hop")

	p, err := hop.Trace(double, hop.Zeros(hop.Float64, 2))
	if err != nil {
		log.Fatal(err)
	}
	if err := hopio.SaveProgram(path, p); err != nil {
		log.Fatal(err)
	}
	loaded, err := hopio.LoadProgram[*hop.Tensor, *hop.Tensor](path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(loaded.Call(hop.FromSlice([]float64{1, 2})))
	// Output: [2 4] <nil>
}
