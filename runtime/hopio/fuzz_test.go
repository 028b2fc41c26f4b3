package hopio

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/hoplint/hoplint/runtime/hop"
)

// seedTensors are what the writers make the seeds of.
func seedTensors() []*hop.Tensor {
	return []*hop.Tensor{
		hop.FromSlice([]float64{1, -2, 0.5, 4, 5, 6}, 2, 3), hop.FromSlice([]float32{1, 2}).Expand(2, 2), hop.Scalar(int32(7)),
		hop.FromSlice([]int64{1, 2, 3}), hop.FromSlice([]bool{true, false}), hop.Zeros(hop.Float64, 2, 0),
	}
}

// wantRefusal checks that an error of a reader says what is wrong and where.
func wantRefusal(t *testing.T, err error) {
	t.Helper()
	if e, ok := errors.AsType[*Error](err); !ok || e.Format == "" || e.Got == "" && e.Err == nil {
		t.Fatalf("got %v of type %T, want an *Error that says what was found", err, err)
	}
}

// What is read is written as a file that reads the same, and the reader takes a stream of unknown length as it takes one
// of known length.
func FuzzReadNPY(f *testing.F) {
	for _, x := range seedTensors() {
		f.Add(written(f, func(w *bytes.Buffer) error { return WriteNPY(w, x) }))
	}
	f.Add([]byte(npyFile(2, `{"shape":(1,2L),"fortran_order":True,"descr":">u2"}`, "abcd")))
	f.Add([]byte(npyFile(3, "{'descr': '<f2', 'fortran_order': False, 'shape': (0, 4294967296), }", "")))
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := ReadNPY(bytes.NewReader(b), Widen())
		y, streamErr := ReadNPY(iotest.DataErrReader(bytes.NewReader(b)), Widen())
		if (err == nil) != (streamErr == nil) {
			t.Fatalf("length known: %v, unknown: %v", err, streamErr)
		}
		if err != nil {
			if err != io.EOF || len(b) > 0 {
				wantRefusal(t, err)
			}
			return
		}
		wantSame(t, "stream", y, x)
		back, err := ReadNPY(bytes.NewReader(written(t, func(w *bytes.Buffer) error { return WriteNPY(w, x) })))
		if err != nil {
			t.Fatal(err)
		}
		wantSame(t, "written again", back, x)
	})
}

// fuzzMaxBytes keeps entries that deflate packed well from taking the time of the fuzzer.
const fuzzMaxBytes = 1 << 22

func FuzzReadNPZ(f *testing.F) {
	in := map[string]*hop.Tensor{}
	for i, x := range seedTensors() {
		in[string(rune('a'+i))] = x
	}
	for _, opts := range [][]WriteOption{nil, {Compressed()}} {
		f.Add(written(f, func(w *bytes.Buffer) error { return WriteNPZ(w, in, opts...) }))
		f.Add(written(f, func(w *bytes.Buffer) error {
			return WriteNPZ(w, map[string]*hop.Tensor{"é": in["a"]}, opts...)
		}))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		out, err := readNPZBytes(b, Widen(), MaxBytes(fuzzMaxBytes))
		if err != nil {
			wantRefusal(t, err)
			return
		}
		for name := range out {
			if name != string([]rune(name)) {
				return // names that are no UTF-8 are read but not written
			}
		}
		back, err := readNPZBytes(written(t, func(w *bytes.Buffer) error { return WriteNPZ(w, out) }))
		if err != nil {
			t.Fatal(err)
		}
		wantSameMap(t, back, out)
	})
}

func FuzzReadSafetensors(f *testing.F) {
	in := map[string]*hop.Tensor{}
	for i, x := range seedTensors() {
		in[string(rune('a'+i))] = x
	}
	f.Add(written(f, func(w *bytes.Buffer) error { return WriteSafetensors(w, in, nil) }))
	f.Add(written(f, func(w *bytes.Buffer) error {
		return WriteSafetensors(w, map[string]*hop.Tensor{"é": in["a"]}, map[string]string{"format": "pt"})
	}))
	f.Add([]byte(safeFile(`{"a":{"x":[{}],"dtype":"BF16","shape":[1,2],"data_offsets":[0,4]}}`, "abcd")))
	f.Fuzz(func(t *testing.T, b []byte) {
		out, metadata, err := ReadSafetensors(bytes.NewReader(b), int64(len(b)), Widen())
		if err != nil {
			wantRefusal(t, err)
			return
		}
		file := written(t, func(w *bytes.Buffer) error { return WriteSafetensors(w, out, metadata) })
		back, _, err := ReadSafetensors(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		wantSameMap(t, back, out)
	})
}

func FuzzReadCSV(f *testing.F) {
	for i, x := range seedTensors() {
		if x.Rank() > 0 && x.NumElems() > 0 {
			f.Add(written(f, func(w *bytes.Buffer) error { return WriteCSV(w, x) }), uint8(i), false)
		}
	}
	f.Add([]byte("\ufeffa,\"b \"\"c\"\r\n1, \r\n\n# no\n-Inf,0x1p-2\n"), uint8(4), true)
	f.Fuzz(func(t *testing.T, b []byte, dtype uint8, header bool) {
		dt := dtypes[int(dtype)%len(dtypes)]
		opts := []CSVOption{As(dt), Comment('#'), MissingAs(1, "", "NA")}
		if header {
			opts = append(opts, Header())
		}
		x, columns, err := ReadCSV(bytes.NewReader(b), opts...)
		if err != nil {
			wantRefusal(t, err)
			return
		}
		if x.Dim(1) == 0 || slices.Contains(columns, "") {
			return
		}
		file := written(t, func(w *bytes.Buffer) error { return WriteCSV(w, x) })
		back, _, err := ReadCSV(bytes.NewReader(file), As(dt))
		if err != nil {
			t.Fatal(err)
		}
		if x.Dim(0) > 0 && dt.IsFloat() { // the bits of a NaN are not kept
			x, back = hop.Where(x.IsNaN(), hop.Full(dt, 0.5), x), hop.Where(back.IsNaN(), hop.Full(dt, 0.5), back)
		}
		if x.Dim(0) > 0 {
			wantSame(t, "written again", back, x)
		}
	})
}
