package hopio

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// Error says what is wrong with a file, a stream or with what should be written.
type Error struct {
	// Format is npy, npz, safetensors, csv or program.
	Format string
	// File is the path; empty for a stream.
	File string
	// Entry names the tensor in a file that holds many, or the column of a table with a header.
	Entry string
	// Offset is the place in bytes: from the start of the file, in an .npz file from the start of the unpacked entry;
	// -1 when there is none.
	Offset int64
	// Line and Column are the place in a CSV file, from 1, the column in bytes; 0 when there is none.
	Line, Column int
	// Got and Want are what was found and what was expected there.
	Got, Want string
	// Remedy says what to do; empty where nothing helps but another file.
	Remedy string
	// Err is the cause, such as [io.ErrUnexpectedEOF] or an error of package hop; nil otherwise.
	Err error
}

// Error returns file, entry, place, what was found, what was expected, and the remedy.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
	} else {
		b.WriteString(e.Format)
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
	}
	if e.Entry != "" {
		kind := "entry"
		if e.Format == formatCSV {
			kind = "column"
		}
		fmt.Fprintf(&b, ": %s %q", kind, e.Entry)
	}
	if e.Offset >= 0 {
		fmt.Fprintf(&b, ": offset %d", e.Offset)
	}
	switch {
	case e.Got != "" && e.Want != "":
		fmt.Fprintf(&b, ": got %s, want %s", e.Got, e.Want)
	case e.Got != "":
		b.WriteString(": " + e.Got)
	}
	if e.Err != nil && e.Err != io.ErrUnexpectedEOF { // a short file is said by Got and Want
		b.WriteString(": " + e.Err.Error())
	}
	if e.Remedy != "" {
		b.WriteString("; " + e.Remedy)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// The formats, as errors name them.
const (
	formatNPY         = "npy"
	formatNPZ         = "npz"
	formatSafetensors = "safetensors"
	formatCSV         = "csv"
	formatProgram     = "program"
)

// refuse returns an error without a place, about what should be written or about an option.
func refuse(format, got, want, remedy string) *Error {
	return &Error{Format: format, Offset: -1, Got: got, Want: want, Remedy: remedy}
}

// failure returns an error about err; nil for nil.
func failure(format, entry string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		if e.Entry == "" {
			e.Entry = entry
		}
		return e
	}
	return &Error{Format: format, Entry: entry, Offset: -1, Err: err}
}

// inFile names the file in err; nil for nil.
func inFile(path, format string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok && e.File == "" {
		e.File = path
		return e
	}
	return &Error{Format: format, File: path, Offset: -1, Err: err}
}

// quote shortens text from a file for a message.
func quote(text string) string {
	const most = 60
	if len(text) > most {
		return fmt.Sprintf("%q…", text[:most])
	}
	return fmt.Sprintf("%q", text)
}
