package hopio

import (
	"fmt"
	"math"
	"slices"

	"github.com/hoplint/hoplint/runtime/hop"
)

// CSVOption says how a table is laid out and what is read of it. A nil option is ignored; one that does not apply to
// writing is an error there.
type CSVOption func(*table)

// table is what the options say.
type table struct {
	comma   rune
	comment rune
	dtype   hop.DType
	header  bool
	names   []string // of the header: those expected, or those to write
	columns []string // selected by name
	indices []int    // selected by index
	missing missing
	given   []string // options that apply to reading alone
}

// missing is the policy for fields that hold no value.
type missing struct {
	texts []string // what such a field says; nil when none may be missing
	skip  bool     // drop the row
	value float64  // else the value of such a field
}

func tableOf(opts []CSVOption) *table {
	t := &table{comma: ',', dtype: hop.Float64}
	for _, o := range opts {
		if o != nil {
			o(t)
		}
	}
	return t
}

// Comma sets what stands between fields, as '\t' or ';'.
func Comma(r rune) CSVOption { return func(t *table) { t.comma = r } }

// Comment passes over lines that begin with r.
func Comment(r rune) CSVOption {
	return func(t *table) { t.comment, t.given = r, append(t.given, "Comment") }
}

// Header says that the first line holds the names of the columns. Given names must be those of the file, in order. To
// write a header all names must be given.
func Header(names ...string) CSVOption {
	return func(t *table) { t.header, t.names = true, names }
}

// Columns reads the named columns in the order given. It needs [Header].
func Columns(names ...string) CSVOption {
	return func(t *table) { t.columns, t.given = append(t.columns, names...), append(t.given, "Columns") }
}

// ColumnsAt reads the columns at indices from 0 in the order given; negative ones count from the end.
func ColumnsAt(indices ...int) CSVOption {
	return func(t *table) { t.indices, t.given = append(t.indices, indices...), append(t.given, "ColumnsAt") }
}

// As reads fields as dt, not as float64.
func As(dt hop.DType) CSVOption {
	return func(t *table) { t.dtype, t.given = dt, append(t.given, "As") }
}

// MissingAs takes a field that says one of texts, or without texts an empty one, as value: math.NaN() for example. Without
// this option and [SkipMissing] a missing value is an error.
func MissingAs(value float64, texts ...string) CSVOption {
	return func(t *table) {
		t.missing, t.given = missing{texts: orEmpty(texts), value: value}, append(t.given, "MissingAs")
	}
}

// SkipMissing drops rows in which a field that is read says one of texts, or without texts is empty.
func SkipMissing(texts ...string) CSVOption {
	return func(t *table) {
		t.missing, t.given = missing{texts: orEmpty(texts), skip: true}, append(t.given, "SkipMissing")
	}
}

func orEmpty(texts []string) []string {
	if len(texts) == 0 {
		return []string{""}
	}
	return texts
}

// check refuses options that contradict one another.
func (t *table) check() error {
	switch {
	case !t.dtype.Valid():
		return refuse(formatCSV, fmt.Sprintf("dtype %d", int(t.dtype)), "Bool, Int32, Int64, Float32 or Float64", "")
	case len(t.columns) > 0 && len(t.indices) > 0:
		return refuse(formatCSV, "options Columns and ColumnsAt", "one of them", "")
	case len(t.columns) > 0 && !t.header:
		return refuse(formatCSV, "option Columns without names in the file", "option Header with it", "use ColumnsAt for a file without a header")
	case t.missing.texts != nil && !t.missing.skip && !holds(t.dtype, t.missing.value):
		return refuse(formatCSV, fmt.Sprintf("MissingAs(%v)", t.missing.value), "a value that "+t.dtype.String()+" holds", "use As(hop.Float64) for NaN, or SkipMissing")
	}
	return nil
}

// holds reports whether dt holds v, floats but for rounding.
func holds(dt hop.DType, v float64) bool {
	switch dt {
	case hop.Bool:
		return v == 0 || v == 1
	case hop.Int32:
		return v == math.Trunc(v) && v >= math.MinInt32 && v <= math.MaxInt32
	case hop.Int64:
		return v == math.Trunc(v) && v >= math.MinInt64 && v < -math.MinInt64
	case hop.Float32:
		return math.IsInf(v, 0) || !math.IsInf(float64(float32(v)), 0)
	default:
		return true
	}
}

// pick returns the indices of the columns to read of a line of the given width; names are those of the header.
func (t *table) pick(width int, names []string) ([]int, error) {
	if t.header && len(t.names) > 0 && !slices.Equal(names, t.names) {
		return nil, refuse(formatCSV, "a header of "+nameList(names), nameList(t.names), "give Header the names of the file, or none")
	}
	var picked []int
	for _, name := range t.columns {
		i := slices.Index(names, name)
		if i < 0 {
			return nil, refuse(formatCSV, fmt.Sprintf("no column %q", name), "one of "+nameList(names), "give Columns a name of the header")
		}
		if slices.Contains(names[i+1:], name) {
			return nil, refuse(formatCSV, fmt.Sprintf("two columns %q", name), "one", "select it with ColumnsAt")
		}
		picked = append(picked, i)
	}
	for _, i := range t.indices {
		if i < -width || i >= width {
			return nil, refuse(formatCSV, fmt.Sprintf("column %d of %d", i, width), fmt.Sprintf("from %d to %d", -width, width-1), "")
		}
		if i < 0 {
			i += width
		}
		picked = append(picked, i)
	}
	if len(t.columns) == 0 && len(t.indices) == 0 {
		for i := range width {
			picked = append(picked, i)
		}
	}
	return picked, nil
}
