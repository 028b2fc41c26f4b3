package hopio

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/runtime/hop"
)

// formats are the file functions of every format, on one tensor.
var formats = []struct {
	ext  string
	save func(path string, x *hop.Tensor) error
	load func(path string) (*hop.Tensor, error)
}{
	{".npy", SaveNPY, func(p string) (*hop.Tensor, error) { return LoadNPY(p) }},
	{".npz", func(p string, x *hop.Tensor) error { return SaveNPZ(p, map[string]*hop.Tensor{"x": x}) },
		func(p string) (*hop.Tensor, error) { m, err := LoadNPZ(p); return m["x"], err }},
	{".safetensors", func(p string, x *hop.Tensor) error { return SaveSafetensors(p, map[string]*hop.Tensor{"x": x}, nil) },
		func(p string) (*hop.Tensor, error) { m, _, err := LoadSafetensors(p); return m["x"], err }},
	{".csv", func(p string, x *hop.Tensor) error { return SaveCSV(p, x) },
		func(p string) (*hop.Tensor, error) { x, _, err := LoadCSV(p); return x, err }},
}

func TestFilesAreSavedAndLoaded(t *testing.T) {
	for _, f := range formats {
		t.Run(f.ext, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "x"+f.ext)
			for _, want := range []*hop.Tensor{hop.FromSlice([]float64{1, 2, 3, 4}, 2, 2), hop.FromSlice([]float64{5, 6}, 1, 2)} {
				if err := f.save(path, want); err != nil {
					t.Fatal(err)
				}
				got, err := f.load(path)
				if err != nil {
					t.Fatal(err)
				}
				wantSame(t, "loaded", got, want)
			}
			wantFiles(t, dir, "x"+f.ext)
		})
	}
}

func wantFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("files: got %q, want %q", got, want)
	}
}

func TestAFailedSaveLeavesTheOldFileAndNoOther(t *testing.T) {
	for _, f := range formats {
		t.Run(f.ext, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "x"+f.ext)
			old := hop.FromSlice([]float64{1, 2}, 1, 2)
			if err := f.save(path, old); err != nil {
				t.Fatal(err)
			}
			wantError(t, f.save(path, nil), path+": ", "got a nil tensor")
			got, err := f.load(path)
			if err != nil {
				t.Fatal(err)
			}
			wantSame(t, "old file", got, old)
			wantFiles(t, dir, "x"+f.ext)
		})
	}
}

func TestASaveThatFailsHalfwayLeavesTheOldFileAndNoOther(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("gave up")
	err := save(path, formatNPY, func(w io.Writer) error {
		if _, err := w.Write(make([]byte, 1<<20)); err != nil {
			return err
		}
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want it to wrap %v", err, broken)
	}
	if got, _ := os.ReadFile(path); string(got) != "old" {
		t.Errorf("got %d bytes, want the old file", len(got))
	}
	wantFiles(t, dir, "x")
}

func TestSaveKeepsPermissionsAndLinks(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "a.npy"), filepath.Join(dir, "b.npy")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.npy", link); err != nil {
		t.Fatal(err)
	}
	if err := SaveNPY(link, hop.Scalar(1.0)); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != 0o600 || info.Size() != 136 {
		t.Errorf("got mode %v and %d bytes, want -rw------- and 136", info.Mode(), info.Size())
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", info.Mode(), err)
	}
	wantFiles(t, dir, "a.npy", "b.npy")
}

func TestFilesThatCannotBeOpenedOrReplacedAreErrorsWithTheirName(t *testing.T) {
	dir := t.TempDir()
	for _, f := range formats {
		missing := filepath.Join(dir, "missing", "x"+f.ext)
		if _, err := f.load(missing); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), missing) {
			t.Errorf("load of a missing file: got %v, want fs.ErrNotExist with the path", err)
		}
		if err := f.save(missing, hop.FromSlice([]float64{1})); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("save into a missing folder: got %v, want fs.ErrNotExist", err)
		}
		_, err := f.load(dir)
		wantError(t, err, dir+": got a directory, want a file")
		wantError(t, f.save(dir, hop.FromSlice([]float64{1})), dir+": the target is no regular file and cannot be replaced; open it and use")
		bad := filepath.Join(dir, "bad"+f.ext)
		if err := os.WriteFile(bad, []byte("not a tensor"), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err = f.load(bad)
		wantError(t, err, bad+":")
	}
}

func TestLoadNPYRefusesMoreThanOneTensor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	if err := os.WriteFile(path, []byte(oneFloatNPY+oneFloatNPY), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := LoadNPY(path)
	wantError(t, err, path+": offset 75: got more bytes, want the end behind the last element")
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for range 2 {
		if _, err := ReadNPY(f); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := ReadNPY(f); err != io.EOF {
		t.Errorf("got %v, want io.EOF", err)
	}
	empty := filepath.Join(t.TempDir(), "empty.npy")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = LoadNPY(empty)
	wantError(t, err, empty+": offset 0: got 0 bytes and then the end, want 8 bytes of magic and version")
}

func TestNPYIsReadFromAPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	want := hop.FromSlice([]float64{1, 2, 3})
	done := make(chan error, 1)
	go func() { done <- errors.Join(WriteNPY(w, want), w.Close()) }()
	got, err := ReadNPY(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	wantSame(t, "from a pipe", got, want)
	if _, err := ReadNPY(r); err != io.EOF {
		t.Errorf("got %v, want io.EOF", err)
	}
}
