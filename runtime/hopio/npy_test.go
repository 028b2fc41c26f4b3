package hopio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

// npyFile puts a file together as numpy.lib.format documents it: magic, version, length of the header in 2 or 4 bytes,
// header, elements.
func npyFile(major byte, header, elements string) string {
	length := binary.LittleEndian.AppendUint16(nil, uint16(len(header)))
	if major > 1 {
		length = binary.LittleEndian.AppendUint32(nil, uint32(len(header)))
	}
	return "\x93NUMPY" + string([]byte{major, 0}) + string(length) + header + elements
}

// padded is a header of 118 bytes: with magic, version and length 128, a multiple of 64.
func padded(dict string) string { return dict + strings.Repeat(" ", 117-len(dict)) + "\n" }

func TestNPYFilesOfNumPyAreReadAndWrittenByteByByte(t *testing.T) {
	for _, test := range []struct {
		name   string
		tensor *hop.Tensor
		file   string
	}{
		{"float64[2 3]", hop.FromSlice([]float64{1, -2, 0.5, 0, math.Inf(1), 3}, 2, 3),
			"\x93NUMPY\x01\x00\x76\x00" + padded("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }") +
				"\x00\x00\x00\x00\x00\x00\xf0\x3f" + "\x00\x00\x00\x00\x00\x00\x00\xc0" + "\x00\x00\x00\x00\x00\x00\xe0\x3f" +
				"\x00\x00\x00\x00\x00\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\xf0\x7f" + "\x00\x00\x00\x00\x00\x00\x08\x40"},
		{"float32[1]", hop.FromSlice([]float32{-1.5}),
			"\x93NUMPY\x01\x00\x76\x00" + padded("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }") + "\x00\x00\xc0\xbf"},
		{"int32[2]", hop.FromSlice([]int32{1, -2}),
			"\x93NUMPY\x01\x00\x76\x00" + padded("{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }") + "\x01\x00\x00\x00\xfe\xff\xff\xff"},
		{"int64 scalar", hop.Scalar(int64(258)),
			"\x93NUMPY\x01\x00\x76\x00" + padded("{'descr': '<i8', 'fortran_order': False, 'shape': (), }") + "\x02\x01\x00\x00\x00\x00\x00\x00"},
		{"bool[3]", hop.FromSlice([]bool{true, false, true}),
			"\x93NUMPY\x01\x00\x76\x00" + padded("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }") + "\x01\x00\x01"},
		{"without elements", hop.Zeros(hop.Float32, 3, 0),
			"\x93NUMPY\x01\x00\x76\x00" + padded("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 0), }")},
		{"header beyond 128 bytes", hop.Zeros(hop.Bool, 0, 1000000, 1000000, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
			"\x93NUMPY\x01\x00\xb6\x00" + "{'descr': '|b1', 'fortran_order': False, 'shape': (0, 1000000, 1000000, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), }" +
				strings.Repeat(" ", 181-107) + "\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := written(t, func(w *bytes.Buffer) error { return WriteNPY(w, test.tensor) })
			if string(got) != test.file {
				t.Errorf("written:\n got %q\nwant %q", got, test.file)
			}
			back, err := ReadNPY(strings.NewReader(test.file))
			if err != nil {
				t.Fatal(err)
			}
			wantSame(t, "read", back, test.tensor)
		})
	}
}

func TestNPYFilesOfOtherWritersAreRead(t *testing.T) {
	matrix := hop.FromSlice([]int32{1, 2, 3, 4, 5, 6}, 2, 3)
	little := "\x01\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x04\x00\x00\x00\x05\x00\x00\x00\x06\x00\x00\x00"
	big := "\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x04\x00\x00\x00\x05\x00\x00\x00\x06"
	columns := "\x01\x00\x00\x00\x04\x00\x00\x00\x02\x00\x00\x00\x05\x00\x00\x00\x03\x00\x00\x00\x06\x00\x00\x00"
	for _, test := range []struct {
		name, file string
		want       *hop.Tensor
	}{
		{"version 2.0", npyFile(2, padded("{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }"), little), matrix},
		{"version 3.0", npyFile(3, padded("{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }"), little), matrix},
		{"big-endian", npyFile(1, padded("{'descr': '>i4', 'fortran_order': False, 'shape': (2, 3), }"), big), matrix},
		{"Fortran order", npyFile(1, padded("{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }"), columns), matrix},
		{"Fortran order without elements", npyFile(1, "{'descr': '<i4', 'fortran_order': True, 'shape': (2, 0), }", ""), hop.Zeros(hop.Int32, 2, 0)},
		{"Fortran order of a vector", npyFile(1, "{'descr': '<i4', 'fortran_order': True, 'shape': (1,), }", little[:4]), hop.FromSlice([]int32{1})},
		{"other order of keys, other quotes, no padding, no last commas", npyFile(1, `{"shape":(2,3),"fortran_order":False,"descr":"<i4"}`, little), matrix},
		{"spaces and newlines", npyFile(1, "\n { 'shape' :\t( 2 , 3 , ) , 'fortran_order' : False , 'descr' : '<i4' , }\r\n", little), matrix},
		{"integers of Python 2", npyFile(1, "{'descr': '<i4', 'fortran_order': False, 'shape': (2L, 3L), }\n", little), matrix},
		{"big-endian float64", npyFile(1, "{'descr': '>f8', 'fortran_order': False, 'shape': (1,), }\n", "\x3f\xf0\x00\x00\x00\x00\x00\x00"), hop.FromSlice([]float64{1})},
		{"bool with a byte order", npyFile(1, "{'descr': '<b1', 'fortran_order': False, 'shape': (2,), }\n", "\x01\x00"), hop.FromSlice([]bool{true, false})},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := ReadNPY(strings.NewReader(test.file))
			if err != nil {
				t.Fatal(err)
			}
			wantSame(t, "read", got, test.want)
		})
	}
}

func TestMalformedNPYFilesAreErrorsWithPlaceAndExpectation(t *testing.T) {
	good := "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n"
	for _, test := range []struct {
		name, file string
		offset     int64
		say        string
	}{
		{"cut magic", "\x93NUM", 0, "got 4 bytes and then the end, want 8 bytes of magic and version"},
		{"other magic", "PK\x03\x04\x00\x00\x00\x00", 0, `got magic "PK\x03\x04\x00\x00", want "\x93NUMPY"; check that it is a .npy file`},
		{"version 4.0", "\x93NUMPY\x04\x00\x00\x00\x00\x00", 6, "got version 4.0, want 1.0, 2.0 or 3.0"},
		{"version 1.1", "\x93NUMPY\x01\x01\x00\x00", 6, "got version 1.1"},
		{"cut length", "\x93NUMPY\x01\x00\x00", 8, "got 1 bytes and then the end, want 2 bytes of header length"},
		{"header of 4 GiB", "\x93NUMPY\x02\x00\xff\xff\xff\xff", 8, "got a header of 4294967295 bytes, want at most 65535"},
		{"cut header", "\x93NUMPY\x01\x00\x76\x00{'descr", 10, "got 7 bytes and then the end, want 118 bytes of header"},
		{"no dict", npyFile(1, "[]", ""), 10, `got "[]", want a dict that begins with {`},
		{"unclosed dict", npyFile(1, "{'descr': '<f8'", ""), 25, "got the end of the header, want , or }"},
		{"unclosed string", npyFile(1, "{'descr", ""), 12, "want a closing '"},
		{"no colon", npyFile(1, "{'descr' '<f8'}", ""), 19, "want :"},
		{"no comma", npyFile(1, "{'descr': '<f8' 'shape': ()}", ""), 26, "want , or }"},
		{"unknown key", npyFile(1, "{'order': 'C'}", ""), 11, "want one of the keys"},
		{"key twice", npyFile(1, "{'descr': '<f8', 'descr': '<f8'}", ""), 27, "want each key once"},
		{"missing key", npyFile(1, "{'descr': '<f8', 'shape': (2,)}", ""), 10, "got a header without 'fortran_order'"},
		{"text behind", npyFile(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }x", ""), 67, `got "x", want nothing but spaces`},
		{"no bool", npyFile(1, "{'fortran_order': 0}", ""), 28, "want True or False"},
		{"shape is a list", npyFile(1, "{'shape': [2]}", ""), 20, "want a tuple of sizes, as (3,)"},
		{"shape is a number in brackets", npyFile(1, "{'shape': (2)}", ""), 22, "want a comma after the only size"},
		{"negative size", npyFile(1, "{'shape': (-2,)}", ""), 21, "want a size from 0"},
		{"size beyond int64", npyFile(1, "{'shape': (9223372036854775808,)}", ""), 21, "want a size from 0"},
		{"size is a float", npyFile(1, "{'shape': (2.0,)}", ""), 22, "want , or )"},
		{"structured dtype", npyFile(1, "{'descr': [('a', '<f8')]}", ""), 20, "structured dtypes have no tensor"},
		{"objects", npyFile(1, "{'descr': '|O', 'fortran_order': False, 'shape': (2,), }\n", ""), 20, "pickled Python objects are never read"},
		{"complex", npyFile(1, "{'descr': '<c16', 'fortran_order': False, 'shape': (2,), }\n", ""), 20, "save the real and the imaginary part"},
		{"text dtype", npyFile(1, "{'descr': '<U5', 'fortran_order': False, 'shape': (2,), }\n", ""), 20, "text has no tensor"},
		{"times", npyFile(1, "{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (2,), }\n", ""), 20, "save times as integers"},
		{"no byte order", npyFile(1, "{'descr': '|f8', 'fortran_order': False, 'shape': (2,), }\n", ""), 20, `got descr "|f8"`},
		{"empty descr", npyFile(1, "{'descr': '', 'fortran_order': False, 'shape': (2,), }\n", ""), 20, `got descr ""`},
		{"only a mark", npyFile(1, "{'descr': '<', 'fortran_order': False, 'shape': (2,), }\n", ""), 20, `got descr "<"`},
		{"float16 not asked for", npyFile(1, "{'descr': '<f2', 'fortran_order': False, 'shape': (2,), }\n", "abcd"), 68, "give Widen to read them into float32 exactly"},
		{"cut elements", npyFile(1, good, strings.Repeat("x", 15)), 68, "got 15 bytes left, want 16 for <f8[2]"},
		{"shape of 2^62 elements", npyFile(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904,), }", ""), 85, "want a tensor that fits into memory"},
		{"product beyond int64", npyFile(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", ""), 87, "want a tensor that fits into memory"},
		{"huge size beside a 0", npyFile(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 4294967296, 4294967296), }", ""), 90, "want a tensor that fits into memory"},
		{"a terabyte", npyFile(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (137438953472,), }", ""), 78, "want 1099511627776 for <f8[137438953472]"},
		{"no bool byte", npyFile(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }\n", "\x00\x01\x02"), 70, "got byte 2 as a bool, want 0 or 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for name, r := range map[string]io.Reader{
				"length known":   strings.NewReader(test.file),
				"length unknown": iotest.OneByteReader(strings.NewReader(test.file)),
			} {
				_, err := ReadNPY(r)
				say := test.say
				if name == "length unknown" { // then the end comes as a surprise
					if before, _, ok := strings.Cut(say, " left, want"); ok {
						say = before + " and then the end"
					} else if strings.HasPrefix(say, "want 1099511627776") {
						say = "got 0 bytes and then the end, want 1048576 bytes of <f8[137438953472]"
					}
				}
				wantError(t, err, say, "npy: offset")
				if e, _ := errors.AsType[*Error](err); e != nil && e.Offset != test.offset {
					t.Errorf("%s: got offset %d, want %d: %v", name, e.Offset, test.offset, err)
				}
			}
		})
	}
}

func TestCutNPYFilesUnwrapToUnexpectedEOF(t *testing.T) {
	file := written(t, func(w *bytes.Buffer) error { return WriteNPY(w, hop.FromSlice([]float64{1, 2, 3})) })
	for n := 1; n < len(file); n++ {
		for _, r := range []io.Reader{bytes.NewReader(file[:n]), iotest.HalfReader(bytes.NewReader(file[:n]))} {
			if _, err := ReadNPY(r); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatalf("cut after %d bytes: got %v, want it to wrap io.ErrUnexpectedEOF", n, err)
			}
		}
	}
}

func TestNPYTensorsFollowOneAnotherInAStream(t *testing.T) {
	list := []*hop.Tensor{hop.FromSlice([]float64{1, 2}), hop.Scalar(int32(3)), hop.Zeros(hop.Bool, 0), hop.FromSlice([]float32{4})}
	file := written(t, func(w *bytes.Buffer) error {
		for _, x := range list {
			if err := WriteNPY(w, x); err != nil {
				return err
			}
		}
		return nil
	})
	for name, r := range map[string]io.Reader{"length known": bytes.NewReader(file), "length unknown": iotest.DataErrReader(bytes.NewReader(file))} {
		for i, want := range list {
			got, err := ReadNPY(r)
			if err != nil {
				t.Fatalf("%s: tensor %d: %v", name, i, err)
			}
			wantSame(t, fmt.Sprintf("%s: tensor %d", name, i), got, want)
		}
		if _, err := ReadNPY(r); err != io.EOF {
			t.Errorf("%s: got %v behind the last tensor, want io.EOF", name, err)
		}
	}
}

func TestWidenReadsEverySmallerDTypeExactly(t *testing.T) {
	for _, test := range []struct {
		descr, elements string
		want            *hop.Tensor
	}{
		{"|i1", "\x00\x7f\x80\xff", hop.FromSlice([]int32{0, 127, -128, -1})},
		{"|u1", "\x00\x7f\x80\xff", hop.FromSlice([]int32{0, 127, 128, 255})},
		{"<i2", "\x00\x80\xff\xff", hop.FromSlice([]int32{-32768, -1})},
		{">i2", "\x80\x00\x00\x01", hop.FromSlice([]int32{-32768, 1})},
		{"<u2", "\x00\x80\xff\xff", hop.FromSlice([]int32{32768, 65535})},
		{"<u4", "\xff\xff\xff\xff\x01\x00\x00\x00", hop.FromSlice([]int64{4294967295, 1})},
		{"<u8", "\xff\xff\xff\xff\xff\xff\xff\x7f\x01\x00\x00\x00\x00\x00\x00\x00", hop.FromSlice([]int64{math.MaxInt64, 1})},
		// IEEE 754 binary16: 1, -2, the smallest subnormal number, the largest number, infinity, negative zero
		{"<f2", "\x00\x3c\x00\xc0\x01\x00\xff\x7b\x00\x7c\x00\x80",
			hop.FromSlice([]float32{1, -2, 0x1p-24, 65504, float32(math.Inf(1)), float32(math.Copysign(0, -1))})},
	} {
		t.Run(test.descr, func(t *testing.T) {
			file := npyFile(1, fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }", test.descr, test.want.Dim(0)), test.elements)
			if _, err := ReadNPY(strings.NewReader(file)); err == nil {
				t.Error("got no error without Widen, want one")
			}
			got, err := ReadNPY(strings.NewReader(file), Widen())
			if err != nil {
				t.Fatal(err)
			}
			wantSame(t, "read", got, test.want)
		})
	}
}

func TestWidenRefusesAUint64BeyondInt64(t *testing.T) {
	file := npyFile(1, "{'descr': '>u8', 'fortran_order': False, 'shape': (2,), }", "\x00\x00\x00\x00\x00\x00\x00\x01\x80\x00\x00\x00\x00\x00\x00\x00")
	_, err := ReadNPY(strings.NewReader(file), Widen())
	wantError(t, err, "offset 75: got element 1 of value 9223372036854775808, want one that int64 holds; convert it before it is saved")
}

// The reference is the definition: (-1)^s 2^(e-15) (1 + f/1024), and f 2^-24 for e = 0.
func TestEveryFloat16IsReadByDefinition(t *testing.T) {
	for h := range 1 << 16 {
		s, e, f := h>>15, h>>10&31, h&1023
		want := math.Ldexp(1+float64(f)/1024, e-15)
		switch {
		case e == 0:
			want = math.Ldexp(float64(f), -24)
		case e == 31 && f == 0:
			want = math.Inf(1)
		case e == 31:
			want = math.NaN()
		}
		if s == 1 {
			want = -want
		}
		got, _ := fromFloat16(uint16(h))
		if math.IsNaN(want) != (got != got) || want == want && (float64(got) != want || math.Signbit(float64(got)) != math.Signbit(want)) {
			t.Fatalf("float16 %#04x: got %v, want %v", h, got, want)
		}
	}
}

func TestNPYRoundTripKeepsEveryBit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := tensors().Draw(t, "tensor")
		before := x.Version()
		file := written(t, func(w *bytes.Buffer) error { return WriteNPY(w, x) })
		if x.Version() != before {
			t.Fatalf("version: got %d after writing, want %d", x.Version(), before)
		}
		for _, r := range []io.Reader{bytes.NewReader(file), iotest.HalfReader(bytes.NewReader(file))} {
			got, err := ReadNPY(r)
			if err != nil {
				t.Fatal(err)
			}
			wantSame(t, "round trip", got, x)
		}
	})
}

// Law: a tensor stored in Fortran order reads as the transpose of its transpose stored in rows.
func TestNPYFortranOrderIsTheTransposedFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := tensors().Draw(t, "tensor")
		axes := make([]int, x.Rank())
		for i := range axes {
			axes[i] = x.Rank() - 1 - i
		}
		reversed := x
		if x.Rank() > 0 {
			reversed = x.Permute(axes...)
		}
		header, err := npyHeaderOf(formatNPY, "", x)
		if err != nil {
			t.Fatal(err)
		}
		file := strings.Replace(string(header), "'fortran_order': False", "'fortran_order': True ", 1) + string(elementBytes(reversed))
		got, err := ReadNPY(strings.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		wantSame(t, "Fortran order", got, x)
	})
}

func TestElementsArriveInPiecesBeyondWhatIsAllocatedAtOnce(t *testing.T) {
	const n = 5*growth/8 + 3
	data := make([]float64, n)
	for i := range data {
		data[i] = float64(i)
	}
	want := hop.Wrap(data)
	file := written(t, func(w *bytes.Buffer) error { return WriteNPY(w, want) })
	got, err := ReadNPY(iotest.HalfReader(bytes.NewReader(file)))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(elementBytes(got), elementBytes(want)) {
		t.Error("the elements differ")
	}
}

func TestHeadersThatClaimTerabytesAllocateLittle(t *testing.T) {
	file := npyFile(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776,), }", "12345678")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := ReadNPY(iotest.HalfReader(strings.NewReader(file)))
	runtime.ReadMemStats(&after)
	wantError(t, err, "and then the end")
	if got := after.TotalAlloc - before.TotalAlloc; got > 4*growth {
		t.Errorf("got %d bytes allocated, want at most %d", got, 4*growth)
	}
}

func TestMaxBytesBoundsATensor(t *testing.T) {
	file := written(t, func(w *bytes.Buffer) error { return WriteNPY(w, hop.FromSlice([]float64{1, 2, 3})) })
	if _, err := ReadNPY(bytes.NewReader(file), MaxBytes(24)); err != nil {
		t.Errorf("24 bytes allowed: %v", err)
	}
	_, err := ReadNPY(bytes.NewReader(file), MaxBytes(23))
	wantError(t, err, "got 24 bytes of tensors up to this one, want at most 23; raise MaxBytes when the file is trusted")
}

func TestWritersRefuseWhatCannotBeRead(t *testing.T) {
	var none *hop.Tensor
	for _, test := range []struct {
		name  string
		write func(x *hop.Tensor) error
	}{
		{"npy", func(x *hop.Tensor) error { return WriteNPY(io.Discard, x) }},
		{"npz", func(x *hop.Tensor) error { return WriteNPZ(io.Discard, map[string]*hop.Tensor{"x": x}) }},
		{"safetensors", func(x *hop.Tensor) error {
			return WriteSafetensors(io.Discard, map[string]*hop.Tensor{"x": x}, nil)
		}},
		{"csv", func(x *hop.Tensor) error { return WriteCSV(io.Discard, x) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			wantError(t, test.write(none), "got a nil tensor, want a tensor")
			called := false
			traced(func(x *hop.Tensor) {
				called = true
				err := test.write(x)
				wantError(t, err, "HOP501")
				if _, ok := errors.AsType[*hop.Error](err); !ok || !errors.Is(err, hopcheck.DataDependentControlFlow) {
					t.Errorf("got %v, want it to wrap the *hop.Error of HOP501", err)
				}
			})
			if !called {
				t.Error("the body was not called")
			}
		})
	}
}

func TestATensorOfMoreDimsThanAHeaderHoldsIsRefused(t *testing.T) {
	dims := make([]int, 30_000)
	for i := range dims {
		dims[i] = 1
	}
	x := hop.Zeros(hop.Bool, dims...)
	wantError(t, WriteNPY(io.Discard, x), "npy: got a tensor of 30000 dims, want fewer, so that the header holds their sizes; write a View of it")
	wantError(t, WriteNPZ(io.Discard, map[string]*hop.Tensor{"x": x}), `npz: entry "x": got a tensor of 30000 dims`)
}

func TestATensorOfAGradientTapeIsWrittenLikeAnyOther(t *testing.T) {
	leaf := hop.FromSlice([]float64{1, 2}).SetRequiresGrad(true)
	double := leaf.MulScalar(2)
	for _, x := range []*hop.Tensor{leaf, double, leaf.Detach()} {
		file := written(t, func(w *bytes.Buffer) error { return WriteNPY(w, x) })
		got, err := ReadNPY(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		wantSame(t, "round trip", got, x)
		if got.RequiresGrad() {
			t.Error("the tensor that was read requires grad")
		}
	}
}

func TestErrorsOfTheWriterComeBack(t *testing.T) {
	broken := errors.New("disk full")
	x := map[string]*hop.Tensor{"x": hop.FromSlice([]float64{1, 2})}
	for _, test := range []struct {
		name  string
		good  int // writes before the first that fails
		write func(w io.Writer) error
	}{
		{"npy header", 0, func(w io.Writer) error { return WriteNPY(w, x["x"]) }},
		{"npy elements", 1, func(w io.Writer) error { return WriteNPY(w, x["x"]) }},
		{"npz", 0, func(w io.Writer) error { return WriteNPZ(w, x) }},
		{"npz compressed", 0, func(w io.Writer) error { return WriteNPZ(w, x, Compressed()) }},
		{"safetensors header", 0, func(w io.Writer) error { return WriteSafetensors(w, x, nil) }},
		{"safetensors elements", 1, func(w io.Writer) error { return WriteSafetensors(w, x, nil) }},
		{"csv", 0, func(w io.Writer) error { return WriteCSV(w, x["x"]) }},
	} {
		if err := test.write(&failingWriter{test.good, broken}); !errors.Is(err, broken) {
			t.Errorf("%s: got %v, want it to wrap %v", test.name, err, broken)
		}
	}
}

// failingWriter takes so many writes and fails then.
type failingWriter struct {
	good int
	err  error
}

func (w *failingWriter) Write(b []byte) (int, error) {
	if w.good--; w.good < 0 {
		return 0, w.err
	}
	return len(b), nil
}
