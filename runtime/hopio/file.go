package hopio

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/hoplint/hoplint/runtime/hop"
)

// LoadNPY reads the one tensor of a .npy file; see [ReadNPY].
//
// Errors: as ReadNPY; and bytes behind the tensor, which ReadNPY leaves in the stream, are an *[Error].
func LoadNPY(path string, opts ...ReadOption) (t *hop.Tensor, err error) {
	err = load(path, formatNPY, func(f *os.File, size int64) error {
		s := &source{format: formatNPY, r: f, left: size}
		if t, err = readNPY(s, readingOf(opts)); err != nil {
			return err
		}
		if err := s.end(); err != nil {
			t = nil
			return err
		}
		return nil
	})
	return t, err
}

// SaveNPY writes t to a .npy file, whole or not at all; see [WriteNPY].
func SaveNPY(path string, t *hop.Tensor) error {
	return save(path, formatNPY, func(w io.Writer) error { return WriteNPY(w, t) })
}

// LoadNPZ reads the tensors of an .npz file; see [ReadNPZ].
func LoadNPZ(path string, opts ...ReadOption) (tensors map[string]*hop.Tensor, err error) {
	err = load(path, formatNPZ, func(f *os.File, size int64) error {
		tensors, err = ReadNPZ(f, size, opts...)
		return err
	})
	return tensors, err
}

// SaveNPZ writes tensors to an .npz file, whole or not at all; see [WriteNPZ].
func SaveNPZ(path string, tensors map[string]*hop.Tensor, opts ...WriteOption) error {
	return save(path, formatNPZ, func(w io.Writer) error { return WriteNPZ(w, tensors, opts...) })
}

// LoadSafetensors reads tensors and metadata of a safetensors file; see [ReadSafetensors].
func LoadSafetensors(path string, opts ...ReadOption) (tensors map[string]*hop.Tensor, metadata map[string]string, err error) {
	err = load(path, formatSafetensors, func(f *os.File, size int64) error {
		tensors, metadata, err = ReadSafetensors(f, size, opts...)
		return err
	})
	return tensors, metadata, err
}

// SaveSafetensors writes tensors and metadata to a safetensors file, whole or not at all; see [WriteSafetensors].
func SaveSafetensors(path string, tensors map[string]*hop.Tensor, metadata map[string]string) error {
	return save(path, formatSafetensors, func(w io.Writer) error { return WriteSafetensors(w, tensors, metadata) })
}

// LoadCSV reads a table; see [ReadCSV].
func LoadCSV(path string, opts ...CSVOption) (t *hop.Tensor, columns []string, err error) {
	err = load(path, formatCSV, func(f *os.File, _ int64) error {
		t, columns, err = ReadCSV(f, opts...)
		return err
	})
	return t, columns, err
}

// SaveCSV writes a table, whole or not at all; see [WriteCSV].
func SaveCSV(path string, t *hop.Tensor, opts ...CSVOption) error {
	return save(path, formatCSV, func(w io.Writer) error { return WriteCSV(w, t, opts...) })
}

// load opens a file for read and names it in errors.
func load(path, format string, read func(f *os.File, size int64) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err // names the file itself
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.IsDir() {
		return inFile(path, format, refuse(format, "a directory", "a file", ""))
	}
	return inFile(path, format, read(f, info.Size()))
}

// save writes a file beside path and renames it when all is on disk. An existing file keeps its permissions, a symbolic
// link stays and its target is replaced.
func save(path, format string, write func(w io.Writer) error) (err error) {
	target := path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		target = real
	}
	mode := fs.FileMode(0)
	if info, err := os.Stat(target); err == nil {
		if !info.Mode().IsRegular() {
			return inFile(path, format, refuse(format, "the target is no regular file and cannot be replaced", "", "open it and use the function that writes to an io.Writer"))
		}
		mode = info.Mode().Perm()
	}
	f, err := createBeside(target)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close() // a second time after a failed Close, which does no harm
			os.Remove(f.Name())
		}
	}()
	b := bufio.NewWriter(f)
	if err := write(b); err != nil {
		return inFile(path, format, err)
	}
	if err := b.Flush(); err != nil {
		return inFile(path, format, err)
	}
	if mode != 0 {
		if err := f.Chmod(mode); err != nil {
			return err
		}
	}
	if err := f.Sync(); err != nil { // or the rename could reach the disk before the data
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), target)
}

// createBeside makes a new file in the folder of target. Unlike os.CreateTemp it leaves the permissions to the umask, as
// those of any new file.
func createBeside(target string) (*os.File, error) {
	dir, base := filepath.Split(target)
	for tries := 0; ; tries++ {
		name := filepath.Join(dir, fmt.Sprintf(".%s.%016x.tmp", base, rand.Uint64()))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !os.IsExist(err) || tries == 100 {
			return f, err
		}
	}
}
