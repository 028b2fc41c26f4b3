package hopio

import (
	"io"
	"os"

	"github.com/hoplint/hoplint/runtime/hop"
)

// LoadProgram reads the one program of a file; see [hop.Load].
//
// Errors: an *[Error] with the path, around that of hop.Load; and bytes behind the program, which Load leaves in the
// stream, are an *Error.
func LoadProgram[X, Y any](path string) (p *hop.Program[X, Y], err error) {
	err = load(path, formatProgram, func(f *os.File, _ int64) error {
		if p, err = hop.Load[X, Y](f); err != nil {
			return err
		}
		switch n, err := io.ReadFull(f, make([]byte, 1)); {
		case n > 0:
			return refuse(formatProgram, "bytes behind the program", "the end of the file", "")
		case err != io.EOF:
			return err
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// SaveProgram writes a program to a file, whole or not at all; see [hop.Program.Save].
func SaveProgram[X, Y any](path string, p *hop.Program[X, Y]) error {
	return save(path, formatProgram, p.Save)
}
