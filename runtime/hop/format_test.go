package hop

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"
)

// TestPrinting keeps testdata/format.golden: how tensors look.
func TestPrinting(t *testing.T) {
	wave := func(dims ...int) *Tensor {
		return Arange(Float64, total1(dims)).MulScalar(0.7).Sin().MulScalar(100).Reshape(dims...)
	}
	var b strings.Builder
	for _, test := range []struct {
		name, format string
		t            *Tensor
	}{
		{"nil", "%v", nil},
		{"scalar", "%v", Scalar(-1.5)},
		{"no elements", "%v", Zeros(Float64, 0)},
		{"no rows", "%v", Zeros(Float64, 0, 3)},
		{"rows of nothing", "%v", Zeros(Float64, 2, 0)},
		{"float32 prints short", "%v", FromSlice([]float32{0.1, 1e20})},
		{"special floats", "%v", FromSlice([]float64{math.NaN(), math.Inf(-1), math.Copysign(0, -1)})},
		{"bools", "%v", FromSlice([]bool{true, false})},
		{"string", "%s", Scalar(int32(3))},
		{"quoted", "%q", Arange(Int32, 3)},
		{"fixed point", "%.2f", wave(3, 4)},
		{"fixed point by default", "%f", FromSlice([]float32{0.1, -2})},
		{"fixed point with width and sign", "%+9.3f", wave(2, 3)},
		{"fixed point to the left", "%-9.3f|", wave(2, 3)},
		{"exponent", "%.2e", wave(2, 3)},
		{"digits by %g", "%.3g", wave(2, 3)},
		{"zeros in front", "%08.3f", wave(2, 2)},
		{"hexadecimal floats", "%x", FromSlice([]float64{1, 0.75})},
		{"special floats in fixed point", "%6.1f", FromSlice([]float64{math.NaN(), math.Inf(-1), math.Copysign(0, -1), 1e3})},
		{"rows in fixed point in columns", "%.1f", wave(3, 20)},
		{"scalar in fixed point", "%.1f", Scalar(1.25)},
		{"nil in fixed point", "%.1f", nil},
		{"no elements in fixed point", "%.1f", Zeros(Float32, 0)},
		{"integers", "%d", Arange(Int64, 12).View(3, 4).T()},
		{"integers with width", "%4d", Arange(Int32, 4)},
		{"integers with zeros in front", "%03d", Arange(Int32, 4)},
		{"hexadecimal integers", "%#x", Arange(Int64, 3).AddScalar(254)},
		{"runes", "%c", Arange(Int32, 3).AddScalar(944)},
		{"bools", "%-6t|", FromSlice([]bool{true, false})},
		{"left in %v", "%-4v|", Arange(Int32, 3)},
		{"elided in fixed point", "%.1f", wave(2000)},
		{"zero Tensor", "%v", new(Tensor)},
		{"zero Tensor with plus", "%+v", new(Tensor)},
		{"foreign verb", "%z", Scalar(int32(3))},
		{"%d of floats", "%d", FromSlice([]float64{0.5, 1})},
		{"%f of integers", "%.2f", Arange(Int32, 2)},
		{"%f of bools", "%f", Scalar(true)},
		{"%t of floats", "%t", Scalar(1.5)},
		{"one line", "%v", Arange(Int64, 6).View(2, 3)},
		{"one line of a transposed", "%v", Arange(Int64, 6).View(2, 3).T()},
		{"rows in columns", "%v", wave(3, 4)},
		{"digits", "%.3v", wave(3, 4)},
		{"width", "%12.4v", wave(2, 6)},
		{"integers in columns", "%v", Arange(Int64, 45).MulScalar(7).Reshape(3, 15)},
		{"bools in columns", "%v", wave(5, 4).GtScalar(0)},
		{"a long vector breaks", "%.4v", wave(23)},
		{"long rows break", "%v", Arange(Int64, 60).Reshape(2, 30)},
		{"three dims", "%.2v", wave(2, 3, 5)},
		{"four dims", "%v", Arange(Int64, 48).Reshape(2, 2, 3, 4)},
		{"special floats in columns", "%v", wave(2, 4).Log()},
		{"elided", "%v", Arange(Int64, 2000)},
		{"elided in two dims", "%v", Arange(Int64, 1400).Reshape(200, 7)},
		{"elided in three dims", "%.3v", wave(10, 10, 11)},
		{"a thousand are not elided", "%v", Zeros(Int32, 10, 100)},
		{"elided where a dim is short", "%v", Arange(Int64, 1200).Reshape(2, 600)},
		{"plus", "%+v", Arange(Int32, 4).View(2, 2).T().NegInPlace()},
		{"plus of a leaf", "%+v", Scalar(1.5).SetRequiresGrad(true)},
		{"plus of an expanded view", "%+v", Zeros(Float32, 1, 2).Expand(2, 2)},
		{"plus of many", "%+.4v", wave(3, 7).T()},
		{"plus of nil", "%+v", nil},
	} {
		text := fmt.Sprintf(test.format, test.t)
		for _, line := range strings.Split(text, "\n") {
			if len(line) > maxLine && test.format != "%+v" {
				t.Errorf("%s: a line of %d columns: %s", test.name, len(line), line)
			}
		}
		fmt.Fprintf(&b, "-- %s %s --\n%s\n", test.name, test.format, regexp.MustCompile(`storage=\d+`).ReplaceAllString(text, "storage=#"))
	}
	golden(t, "testdata/format.golden", []byte(b.String()))
}

func TestPlusPrintsOneNumberForAStorage(t *testing.T) {
	x := Zeros(Float64, 4)
	number := func(u *Tensor) string { return regexp.MustCompile(`storage=\d+`).FindString(fmt.Sprintf("%+v", u)) }
	if number(x) == "" || number(x) != number(x.Narrow(0, 1, 2)) || number(x) != number(x.Detach()) {
		t.Errorf("views of one storage print %q, %q and %q", number(x), number(x.Narrow(0, 1, 2)), number(x.Detach()))
	}
	if number(x) == number(x.Clone()) {
		t.Errorf("a clone prints %q, as the original does", number(x))
	}
}

// TestPrintingATracedTensor says that it has no elements.
func TestPrintingATracedTensor(t *testing.T) {
	var got []string
	Scan(func(c, x *Tensor) (*Tensor, None) {
		got = append(got, fmt.Sprintf("%v %+v %.2f %s", c, x, x, x))
		return c.Add(x.Sum()), None{}
	}, Scalar(0.0), Zeros(Float64, 2, 3))
	if want := "traced float64[] traced float64[3] traced float64[3] traced float64[3]"; len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A tensor without elements may have any number of empty rows.
func TestPrintingManyEmptyRows(t *testing.T) {
	if got := Zeros(Float64, 1<<40, 0).String(); len(got) > 200 || !strings.Contains(got, "...") {
		t.Errorf("got %d bytes", len(got))
	}
}
