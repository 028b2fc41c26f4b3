package hopio

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/hoplint/hoplint/runtime/hop"
)

func TestCSVTablesAreReadAsAskedFor(t *testing.T) {
	nan := math.NaN()
	type o = []CSVOption
	for _, test := range []struct {
		name, file string
		opts       o
		want       *hop.Tensor
		columns    []string
	}{
		{"numbers", "1,2\n3,4.5\n", nil, hop.FromSlice([]float64{1, 2, 3, 4.5}, 2, 2), nil},
		{"no newline at the end, Windows lines", "1,2\r\n3,4", nil, hop.FromSlice([]float64{1, 2, 3, 4}, 2, 2), nil},
		{"one column", "1\n2\n", nil, hop.FromSlice([]float64{1, 2}, 2, 1), nil},
		{"white space and quotes", " 1 ,\t\"2\"\n  3,\" 4 \"\n", nil, hop.FromSlice([]float64{1, 2, 3, 4}, 2, 2), nil},
		{"empty lines", "1,2\n\n3,4\n\n", nil, hop.FromSlice([]float64{1, 2, 3, 4}, 2, 2), nil},
		{"byte order mark", "\ufeff1,2\n", nil, hop.FromSlice([]float64{1, 2}, 1, 2), nil},
		{"special numbers", "NaN,Inf,-inf,1e-3\n", nil, hop.FromSlice([]float64{nan, math.Inf(1), math.Inf(-1), 1e-3}, 1, 4), nil},
		{"header", "a,b\n1,2\n", o{Header()}, hop.FromSlice([]float64{1, 2}, 1, 2), []string{"a", "b"}},
		{"header as expected", "a,b\n1,2\n", o{Header("a", "b"), nil}, hop.FromSlice([]float64{1, 2}, 1, 2), []string{"a", "b"}},
		{"header behind a mark", "\ufeffa\n1\n", o{Header("a")}, hop.FromSlice([]float64{1}, 1, 1), []string{"a"}},
		{"quoted header", "\"a, b\",\"c\"\"d\"\n1,2\n", o{Header()}, hop.FromSlice([]float64{1, 2}, 1, 2), []string{"a, b", "c\"d"}},
		{"columns by name", "a,b,c\n1,x,3\n", o{Header(), Columns("c", "a")}, hop.FromSlice([]float64{3, 1}, 1, 2), []string{"c", "a"}},
		{"columns by index", "1,x,3\n4,y,6\n", o{ColumnsAt(-1, 0)}, hop.FromSlice([]float64{3, 1, 6, 4}, 2, 2), nil},
		{"columns by index of a table with a header", "a,b\n1,x\n", o{Header(), ColumnsAt(0)}, hop.FromSlice([]float64{1}, 1, 1), []string{"a"}},
		{"semicolons and comments", "# t;y\n1;2\n# end\n", o{Comma(';'), Comment('#')}, hop.FromSlice([]float64{1, 2}, 1, 2), nil},
		{"tabs with an empty field", "1\t\t3\n", o{Comma('\t'), MissingAs(-1)}, hop.FromSlice([]float64{1, -1, 3}, 1, 3), nil},
		{"float32", "0.1\n", o{As(hop.Float32)}, hop.FromSlice([]float32{0.1}, 1, 1), nil},
		{"int32", "-2147483648,2147483647\n", o{As(hop.Int32)}, hop.FromSlice([]int32{math.MinInt32, math.MaxInt32}, 1, 2), nil},
		{"int64", "9223372036854775807\n", o{As(hop.Int64)}, hop.FromSlice([]int64{math.MaxInt64}, 1, 1), nil},
		{"bool", "true,FALSE,1,0\n", o{As(hop.Bool)}, hop.FromSlice([]bool{true, false, true, false}, 1, 4), nil},
		{"missing as NaN", "1,\nNA,4\n", o{MissingAs(nan, "", "NA")}, hop.FromSlice([]float64{1, nan, nan, 4}, 2, 2), nil},
		{"missing as an integer", "1,-\n", o{As(hop.Int64), MissingAs(-9, "-")}, hop.FromSlice([]int64{1, -9}, 1, 2), nil},
		{"missing as a bool", "true,\n", o{As(hop.Bool), MissingAs(1)}, hop.FromSlice([]bool{true, true}, 1, 2), nil},
		{"rows skipped", "1,2\n,3\n4,?\n5,6\n", o{SkipMissing("", "?")}, hop.FromSlice([]float64{1, 2, 5, 6}, 2, 2), nil},
		{"missing outside of the columns read", "1,\n2,3\n", o{ColumnsAt(0), SkipMissing()}, hop.FromSlice([]float64{1, 2}, 2, 1), nil},
		{"all rows skipped", ",\n", o{SkipMissing()}, hop.Zeros(hop.Float64, 0, 2), nil},
		{"header alone", "a,b\n", o{Header()}, hop.Zeros(hop.Float64, 0, 2), []string{"a", "b"}},
		{"empty file", "", nil, hop.Zeros(hop.Float64, 0, 0), nil},
		{"empty file with header", "", o{Header(), As(hop.Bool)}, hop.Zeros(hop.Bool, 0, 0), []string{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, columns, err := ReadCSV(strings.NewReader(test.file), test.opts...)
			if err != nil {
				t.Fatal(err)
			}
			wantSame(t, "read", got, test.want)
			if !slices.Equal(columns, test.columns) || (columns == nil) != (test.columns == nil) {
				t.Errorf("columns: got %q, want %q", columns, test.columns)
			}
		})
	}
}

func TestMalformedCSVTablesAreErrorsWithLineColumnAndExpectation(t *testing.T) {
	type o = []CSVOption
	for _, test := range []struct {
		name, file string
		opts       o
		say        string
	}{
		{"text", "1,2\n3,abc\n", nil, `csv:2:3: got "abc", want float64; give MissingAs or SkipMissing when it stands for a missing value, Columns or ColumnsAt to leave the column out`},
		{"header not asked for", "a,b\n1,2\n", nil, `csv:1:1: got "a", want float64; give Header when the first line holds names`},
		{"named column", "a,b\n1,2\n3, x\n", o{Header()}, `csv:3:4: column "b": got "x", want float64`},
		{"column selected by name", "a,b\n1,x\n", o{Header(), Columns("b")}, `csv:2:3: column "b": got "x"`},
		{"behind a comment and an empty line", "# x\n\n1\nx\n", o{Comment('#')}, "csv:4:1:"},
		{"missing", "1,\n", nil, "csv:1:3: got an empty field, want float64; give MissingAs or SkipMissing"},
		{"missing but named otherwise", "1,\n", o{MissingAs(0, "NA")}, "csv:1:3: got an empty field"},
		{"too few fields", "1,2\n\n3\n", nil, "csv:3:1: got 1 fields, want 2 as in line 1; set Comma when another sign stands between fields"},
		{"too many fields", "1,2\n3,4,5\n", nil, "csv:2:5: got 3 fields, want 2 as in line 1"},
		{"narrower than the header", "a,b\n1\n", o{Header()}, "csv:2:1: got 1 fields, want 2"},
		{"range of float64", "1e400\n", nil, `got "1e400", want a value in the range of float64`},
		{"range of float32", "1e40\n", o{As(hop.Float32)}, "want a value in the range of float32"},
		{"range of int32", "2147483648\n", o{As(hop.Int32)}, "want a value in the range of int32"},
		{"fraction as int64", "1.5\n", o{As(hop.Int64)}, `got "1.5", want int64`},
		{"number as bool", "2\n", o{As(hop.Bool)}, `got "2", want bool`},
		{"open quote", "1,\"2\n", nil, "csv:"},
		{"quote in a field", "1,2\"3\n", nil, `csv:1:4: bare " in non-quoted-field`},
		{"no such column", "a,b\n1,2\n", o{Header(), Columns("c")}, `got no column "c", want one of "a", "b"; give Columns a name of the header`},
		{"name twice", "a,a\n1,2\n", o{Header(), Columns("a")}, `got two columns "a", want one; select it with ColumnsAt`},
		{"no such index", "1,2\n", o{ColumnsAt(2)}, "got column 2 of 2, want from -2 to 1"},
		{"other header", "a,b\n1,2\n", o{Header("a", "c")}, `got a header of "a", "b", want "a", "c"; give Header the names of the file, or none`},
		{"names without header", "1,2\n", o{Columns("a")}, "got option Columns without names in the file, want option Header with it"},
		{"names and indices", "1,2\n", o{Header(), Columns("a"), ColumnsAt(0)}, "got options Columns and ColumnsAt, want one of them"},
		{"NaN as an integer", "1\n", o{As(hop.Int64), MissingAs(math.NaN())}, "got MissingAs(NaN), want a value that int64 holds; use As(hop.Float64) for NaN, or SkipMissing"},
		{"2^63 as int64", "1\n", o{As(hop.Int64), MissingAs(0x1p63)}, "want a value that int64 holds"},
		{"2 as a bool", "1\n", o{As(hop.Bool), MissingAs(2)}, "want a value that bool holds"},
		{"beyond float32", "1\n", o{As(hop.Float32), MissingAs(1e300)}, "want a value that float32 holds"},
		{"unknown dtype", "1\n", o{As(hop.DType(77))}, "got dtype 77, want Bool, Int32"},
		{"impossible comma", "1\n", o{Comma('\n')}, "csv: invalid field or comment delimiter"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := ReadCSV(strings.NewReader(test.file), test.opts...)
			wantError(t, err, test.say)
		})
	}
	broken := errors.New("disk on fire")
	if _, _, err := ReadCSV(io.MultiReader(strings.NewReader("1,2\n"), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("error of the stream: got %v, want it to wrap %v", err, broken)
	}
}

func TestCSVTablesAreWrittenByteByByte(t *testing.T) {
	type o = []CSVOption
	for _, test := range []struct {
		name string
		t    *hop.Tensor
		opts o
		want string
	}{
		{"float64", hop.FromSlice([]float64{1, -0.5, math.Inf(-1), math.NaN(), 1e21, 0.1}, 2, 3), nil, "1,-0.5,-Inf\nNaN,1e+21,0.1\n"},
		{"float32 in its own digits", hop.FromSlice([]float32{0.1, 16777216}, 1, 2), nil, "0.1,1.6777216e+07\n"},
		{"int32", hop.FromSlice([]int32{-1, 2}), nil, "-1\n2\n"},
		{"int64", hop.FromSlice([]int64{math.MinInt64}, 1, 1), nil, "-9223372036854775808\n"},
		{"bool", hop.FromSlice([]bool{true, false}, 1, 2), nil, "true,false\n"},
		{"transposed", hop.FromSlice([]int32{1, 2, 3, 4}, 2, 2).T(), nil, "1,3\n2,4\n"},
		{"header and comma", hop.FromSlice([]int32{1, 2}, 1, 2), o{Header("a;b", " c"), Comma(';'), nil}, "\"a;b\";\" c\"\n1;2\n"},
		{"header of no rows", hop.Zeros(hop.Int32, 0, 2), o{Header("a", "b")}, "a,b\n"},
		{"nothing", hop.Zeros(hop.Int32, 0, 0), nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := written(t, func(w *bytes.Buffer) error { return WriteCSV(w, test.t, test.opts...) })
			if string(got) != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestTablesThatCSVCannotHoldAreRefused(t *testing.T) {
	pair := hop.FromSlice([]float64{1, 2}, 1, 2)
	for _, test := range []struct {
		name string
		t    *hop.Tensor
		opt  CSVOption
		say  string
	}{
		{"scalar", hop.Scalar(1.0), nil, "got float64[], want a tensor of shape [rows, columns] or [rows]; write a View of it"},
		{"three dims", hop.Zeros(hop.Float64, 1, 2, 3), nil, "got float64[1 2 3]"},
		{"rows without columns", hop.Zeros(hop.Float64, 3, 0), nil, "got float64[3 0], want at least one column"},
		{"too few names", pair, Header("a"), "got a header of 1 names, want 2 for float64[1 2]"},
		{"no names", pair, Header(), "got a header of 0 names, want 2"},
		{"empty name", pair, Header("a", ""), `got the column name "", want one line of UTF-8; rename it`},
		{"name of two lines", pair, Header("a", "b\nc"), `got the column name "b\nc"`},
		{"option for reading", pair, As(hop.Int32), "got option As, want Header or Comma; it applies to reading"},
		{"impossible comma", pair, Comma('"'), "invalid field or comment delimiter"},
	} {
		t.Run(test.name, func(t *testing.T) {
			wantError(t, WriteCSV(io.Discard, test.t, test.opt), test.say)
		})
	}
}

// NaNs are one value in text, so their bits are not compared.
func TestCSVRoundTripKeepsEveryValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dt := rapid.SampledFrom(dtypes).Draw(t, "dtype")
		rows, width := rapid.IntRange(0, 4).Draw(t, "rows"), rapid.IntRange(1, 4).Draw(t, "columns")
		x := fromBits(dt, []int{width, rows}, func() uint64 { return rapid.Uint64().Draw(t, "bits") }).T()
		if dt.IsFloat() {
			x = hop.Where(x.IsNaN(), hop.Full(dt, 0.5), x)
		}
		comma := Comma(rapid.SampledFrom([]rune{',', ';', '\t', ' ', '.', '-', 'e'}).Draw(t, "comma"))
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-zß "',;.]{1,5}`), width, width, rapid.ID[string]).Draw(t, "names")
		file := written(t, func(w *bytes.Buffer) error { return WriteCSV(w, x, comma, Header(names...)) })
		got, columns, err := ReadCSV(bytes.NewReader(file), comma, Header(names...), As(dt))
		if err != nil {
			t.Fatalf("%v in\n%q", err, file)
		}
		wantSame(t, "round trip", got, x)
		if !slices.Equal(columns, names) {
			t.Fatalf("columns: got %q, want %q", columns, names)
		}
	})
}
