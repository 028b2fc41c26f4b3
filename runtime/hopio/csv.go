package hopio

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hoplint/hoplint/runtime/hop"
)

// byteOrderMark is what some programs write before the first line of UTF-8.
const byteOrderMark = "\ufeff"

// ReadCSV reads a table of numbers or bools, one row a line, as RFC 4180 with the freedoms of encoding/csv: empty lines
// are passed over. White space around a field does not count. It returns the names of the columns read; nil without
// [Header].
//
// Shapes: [rows, columns]; [0, 0] for an empty file. The dtype is float64 or that of [As].
// Aliasing: the result is fresh.
// Errors: an *[Error] with line and column for a field that is no value of the dtype, for a missing value unless
// [MissingAs] or [SkipMissing] is given, and for lines of different widths.
func ReadCSV(r io.Reader, opts ...CSVOption) (*hop.Tensor, []string, error) {
	t := tableOf(opts)
	if err := t.check(); err != nil {
		return nil, nil, err
	}
	switch t.dtype {
	case hop.Bool:
		return readCSV(r, t, strconv.ParseBool)
	case hop.Int32:
		return readCSV(r, t, func(s string) (int32, error) { v, err := strconv.ParseInt(s, 10, 32); return int32(v), err })
	case hop.Int64:
		return readCSV(r, t, func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) })
	case hop.Float32:
		return readCSV(r, t, func(s string) (float32, error) { v, err := strconv.ParseFloat(s, 32); return float32(v), err })
	default:
		return readCSV(r, t, func(s string) (float64, error) { return strconv.ParseFloat(s, 64) })
	}
}

// csvLines hands out lines of equal width.
type csvLines struct {
	*csv.Reader
	width, first int // of the first line, and where it stands
}

// next returns the next line, io.EOF behind the last.
func (l *csvLines) next() ([]string, error) {
	fields, err := l.Read()
	if bad, ok := errors.AsType[*csv.ParseError](err); ok {
		return nil, &Error{Format: formatCSV, Offset: -1, Line: bad.Line, Column: bad.Column, Err: bad.Err}
	}
	if err == io.EOF {
		return nil, err
	}
	if err != nil {
		return nil, failure(formatCSV, "", err)
	}
	line, _ := l.FieldPos(0)
	if l.first == 0 {
		l.width, l.first = len(fields), line
	}
	if len(fields) != l.width {
		line, column := l.FieldPos(len(fields) - 1)
		return nil, &Error{Format: formatCSV, Offset: -1, Line: line, Column: column, Got: fmt.Sprintf("%d fields", len(fields)),
			Want: fmt.Sprintf("%d as in line %d", l.width, l.first), Remedy: "set Comma when another sign stands between fields"}
	}
	return fields, nil
}

func readCSV[T hop.Elem](r io.Reader, t *table, parse func(string) (T, error)) (*hop.Tensor, []string, error) {
	b := bufio.NewReader(r)
	if mark, _ := b.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		b.Discard(len(mark))
	}
	lines := &csvLines{Reader: csv.NewReader(b)}
	lines.Comma, lines.Comment, lines.FieldsPerRecord, lines.ReuseRecord = t.comma, t.comment, -1, true
	lines.TrimLeadingSpace = !unicode.IsSpace(t.comma) // or an empty field before a tab would vanish
	var names []string
	fields, err := lines.next()
	if t.header && err == nil {
		names = slices.Clone(fields)
		fields, err = lines.next()
	}
	if err != nil && err != io.EOF {
		return nil, nil, err
	}
	picked, bad := t.pick(lines.width, names)
	if bad != nil {
		return nil, nil, bad
	}
	var columns []string
	if t.header {
		columns = make([]string, len(picked))
		for i, at := range picked {
			columns[i] = names[at]
		}
	}
	data, rows := []T{}, 0
	absent := valueOf[T](t.missing.value)
	for ; err == nil; fields, err = lines.next() {
		start := len(data)
		for k, at := range picked {
			field := strings.TrimSpace(fields[at])
			if slices.Contains(t.missing.texts, field) {
				if t.missing.skip {
					data = data[:start]
					rows--
					break
				}
				data = append(data, absent)
				continue
			}
			v, bad := parse(field)
			if bad != nil {
				return nil, nil, lines.refuse(t, at, columnName(columns, k), field, bad)
			}
			data = append(data, v)
		}
		rows++
	}
	if err != io.EOF {
		return nil, nil, err
	}
	return hop.Wrap(data, rows, len(picked)), columns, nil
}

// refuse says what is wrong with a field.
func (l *csvLines) refuse(t *table, at int, name, field string, err error) error {
	line, column := l.FieldPos(at)
	e := &Error{Format: formatCSV, Entry: name, Offset: -1, Line: line, Column: column, Got: quote(field), Want: t.dtype.String()}
	if errors.Is(err, strconv.ErrRange) {
		e.Want = "a value in the range of " + e.Want
	}
	switch {
	case field == "":
		e.Got, e.Remedy = "an empty field", "give MissingAs or SkipMissing"
	case !t.header && line == l.first:
		e.Remedy = "give Header when the first line holds names, MissingAs or SkipMissing when it stands for a missing value"
	default:
		e.Remedy = "give MissingAs or SkipMissing when it stands for a missing value, Columns or ColumnsAt to leave the column out"
	}
	return e
}

func columnName(columns []string, k int) string {
	if columns == nil {
		return ""
	}
	return columns[k]
}

// valueOf converts a value that [holds] let pass.
func valueOf[T hop.Elem](v float64) T {
	var out T
	switch p := any(&out).(type) {
	case *bool:
		*p = v != 0
	case *int32:
		*p = int32(v)
	case *int64:
		*p = int64(v)
	case *float32:
		*p = float32(v)
	case *float64:
		*p = v
	}
	return out
}

// WriteCSV writes a table, one row a line. Numbers are written so that reading them gives the same bits, but for the
// payload of a NaN. Of the options [Header] and [Comma] apply.
//
// Shapes: [rows, columns]; [rows] is one column.
// Errors: an error of w; an *[Error] for another shape and for rows without columns; an *[Error] around the *[hop.Error]
// for a nil tensor and, in a body, for a tensor that depends on its inputs (HOP501).
func WriteCSV(w io.Writer, t *hop.Tensor, opts ...CSVOption) error {
	cfg := tableOf(opts)
	if len(cfg.given) > 0 {
		return refuse(formatCSV, "option "+cfg.given[0], "Header or Comma", "it applies to reading")
	}
	if err := readable(formatCSV, "", t); err != nil {
		return err
	}
	width := 1
	switch {
	case t.Rank() == 2:
		width = t.Dim(1)
	case t.Rank() != 1:
		return refuse(formatCSV, describe(t), "a tensor of shape [rows, columns] or [rows]", "write a View of it")
	}
	if width == 0 && t.Dim(0) > 0 {
		return refuse(formatCSV, describe(t), "at least one column", "")
	}
	if cfg.header && len(cfg.names) != width {
		return refuse(formatCSV, fmt.Sprintf("a header of %d names", len(cfg.names)), fmt.Sprintf("%d for %s", width, describe(t)), "")
	}
	for _, name := range cfg.names {
		if name == "" || strings.ContainsAny(name, "\r\n") || !utf8.ValidString(name) || strings.HasPrefix(name, byteOrderMark) {
			return refuse(formatCSV, "the column name "+quote(name), "one line of UTF-8", "rename it")
		}
	}
	out := csv.NewWriter(w)
	out.Comma = cfg.comma
	if cfg.header && width > 0 {
		if err := out.Write(cfg.names); err != nil {
			return failure(formatCSV, "", err)
		}
	}
	if err := writeRows(out, t, width); err != nil {
		return failure(formatCSV, "", err)
	}
	out.Flush()
	return failure(formatCSV, "", out.Error())
}

func writeRows(out *csv.Writer, t *hop.Tensor, width int) error {
	switch t.DType() {
	case hop.Bool:
		return rowsOf(out, t, width, strconv.AppendBool)
	case hop.Int32:
		return rowsOf(out, t, width, func(b []byte, v int32) []byte { return strconv.AppendInt(b, int64(v), 10) })
	case hop.Int64:
		return rowsOf(out, t, width, func(b []byte, v int64) []byte { return strconv.AppendInt(b, v, 10) })
	case hop.Float32:
		return rowsOf(out, t, width, func(b []byte, v float32) []byte { return strconv.AppendFloat(b, float64(v), 'g', -1, 32) })
	default:
		return rowsOf(out, t, width, func(b []byte, v float64) []byte { return strconv.AppendFloat(b, v, 'g', -1, 64) })
	}
}

// rowsOf writes rows, each out of one string, so that a row costs one allocation.
func rowsOf[T hop.Elem](out *csv.Writer, t *hop.Tensor, width int, text func([]byte, T) []byte) error {
	var row []byte
	ends, fields := make([]int, 0, width), make([]string, width)
	for v := range hop.Values[T](t) {
		row = text(row, v)
		if ends = append(ends, len(row)); len(ends) < width {
			continue
		}
		all, start := string(row), 0
		for i, end := range ends {
			fields[i], start = all[start:end], end
		}
		if err := out.Write(fields); err != nil {
			return err
		}
		row, ends = row[:0], ends[:0]
	}
	return nil
}
