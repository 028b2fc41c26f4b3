package hopio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hoplint/hoplint/runtime/hop"
)

// safeFile puts a file together as the safetensors README says: length of the header in 8 bytes, JSON, elements.
func safeFile(header, elements string) string {
	return string(binary.LittleEndian.AppendUint64(nil, uint64(len(header)))) + header + elements
}

func readSafe(file string, opts ...ReadOption) (map[string]*hop.Tensor, map[string]string, error) {
	return ReadSafetensors(strings.NewReader(file), int64(len(file)), opts...)
}

// The headers are padded to a multiple of 8 bytes, and the tensors lie in the order of the reference implementation: by
// alignment, then by name.
func TestSafetensorsFilesAreReadAndWrittenByteByByte(t *testing.T) {
	type m = map[string]*hop.Tensor
	for _, test := range []struct {
		name     string
		tensors  m
		metadata map[string]string
		file     string
	}{
		{"nothing", m{}, nil, "\x08\x00\x00\x00\x00\x00\x00\x00{}      "},
		{"metadata alone", m{}, map[string]string{"framework": "pt"},
			"\x28\x00\x00\x00\x00\x00\x00\x00" + `{"__metadata__":{"framework":"pt"}}` + "     "},
		{"empty metadata", m{}, map[string]string{}, "\x18\x00\x00\x00\x00\x00\x00\x00" + `{"__metadata__":{}}` + "     "},
		{"one float32", m{"attn.0": hop.FromSlice([]float32{0, 1, 2}, 1, 3)}, nil,
			"\x40\x00\x00\x00\x00\x00\x00\x00" + `{"attn.0":{"dtype":"F32","shape":[1,3],"data_offsets":[0,12]}}` + "  " +
				"\x00\x00\x00\x00\x00\x00\x80\x3f\x00\x00\x00\x40"},
		{"scalar and empty", m{"s": hop.Scalar(int32(-2)), "e": hop.Zeros(hop.Float64, 2, 0)}, nil,
			"\x70\x00\x00\x00\x00\x00\x00\x00" + `{"e":{"dtype":"F64","shape":[2,0],"data_offsets":[0,0]},"s":{"dtype":"I32","shape":[],"data_offsets":[0,4]}}` + "    " +
				"\xfe\xff\xff\xff"},
		{"all dtypes by alignment", m{"a": hop.Scalar(true), "b": hop.Scalar(int32(1)), "c": hop.Scalar(float32(1)), "d": hop.Scalar(1.0),
			"e": hop.Scalar(int64(1)), "f": hop.Scalar(int64(2))}, map[string]string{"k<": "é\n", "a": "b"},
			"\x68\x01\x00\x00\x00\x00\x00\x00" + `{"__metadata__":{"a":"b","k<":"é\n"},` +
				`"e":{"dtype":"I64","shape":[],"data_offsets":[0,8]},"f":{"dtype":"I64","shape":[],"data_offsets":[8,16]},` +
				`"d":{"dtype":"F64","shape":[],"data_offsets":[16,24]},"c":{"dtype":"F32","shape":[],"data_offsets":[24,28]},` +
				`"b":{"dtype":"I32","shape":[],"data_offsets":[28,32]},"a":{"dtype":"BOOL","shape":[],"data_offsets":[32,33]}}` +
				"\x01\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xf0\x3f\x00\x00\x80\x3f\x01\x00\x00\x00\x01"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := written(t, func(w *bytes.Buffer) error { return WriteSafetensors(w, test.tensors, test.metadata) })
			if string(got) != test.file {
				t.Errorf("written:\n got %q\nwant %q", got, test.file)
			}
			back, metadata, err := readSafe(test.file)
			if err != nil {
				t.Fatal(err)
			}
			wantSameMap(t, back, test.tensors)
			if !maps.Equal(metadata, test.metadata) || (metadata == nil) != (test.metadata == nil) {
				t.Errorf("metadata: got %v, want %v", metadata, test.metadata)
			}
		})
	}
}

func TestSafetensorsFilesOfOtherWritersAreRead(t *testing.T) {
	two := hop.FromSlice([]int32{1, 2})
	for _, test := range []struct {
		name, file string
		want       *hop.Tensor
	}{
		{"no padding, spaces in the JSON", safeFile(`{ "a" : { "shape" : [ 2 ] , "data_offsets" : [ 0 , 8 ] , "dtype" : "I32" } }`, "\x01\x00\x00\x00\x02\x00\x00\x00"), two},
		{"other keys", safeFile(`{"a":{"dtype":"I32","shape":[2],"data_offsets":[0,8],"note":{"x":[1,null,"]"]}}}`, "\x01\x00\x00\x00\x02\x00\x00\x00"), two},
		{"escaped name", safeFile(`{"\u0061":{"dtype":"I32","shape":[2],"data_offsets":[0,8]}}`, "\x01\x00\x00\x00\x02\x00\x00\x00"), two},
		{"not in the order of the elements", safeFile(`{"z":{"dtype":"BOOL","shape":[1],"data_offsets":[8,9]},"a":{"dtype":"I32","shape":[2],"data_offsets":[0,8]}}`,
			"\x01\x00\x00\x00\x02\x00\x00\x00\x01"), two},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, metadata, err := readSafe(test.file)
			if err != nil {
				t.Fatal(err)
			}
			wantSame(t, "a", got["a"], test.want)
			if metadata != nil {
				t.Errorf("got metadata %v, want none", metadata)
			}
		})
	}
}

func TestMalformedSafetensorsFilesAreErrorsWithPlaceAndExpectation(t *testing.T) {
	for _, test := range []struct {
		name, file string
		offset     int64
		say        string
	}{
		{"empty", "", 0, "got 0 bytes and then the end, want 8 bytes of header length"},
		{"header of 2^63 bytes", "\xff\xff\xff\xff\xff\xff\xff\xff{}", 0, "got a header of 18446744073709551615 bytes, want at most 100000000"},
		{"header beyond the file", "\x10\x00\x00\x00\x00\x00\x00\x00{}", 0, "got a header of 16 bytes, want at most the 2 that are left"},
		{"no header", safeFile("", ""), 8, "want JSON that begins with {"},
		{"header is a list", safeFile("[]", ""), 8, `got a header "[]", want JSON that begins with {`},
		{"space before the header", safeFile(" {}", ""), 8, "want JSON that begins with {"},
		{"no UTF-8", safeFile("{\"\xff\":1}", ""), 8, "got a header that is not UTF-8, want JSON"},
		{"unclosed", safeFile(`{"a":`, ""), 13, "want { of a tensor"},
		{"text behind", safeFile("{}x", ""), 10, `got "x", want nothing but spaces behind the JSON`},
		{"tensor is a number", safeFile(`{"a":1}`, ""), 14, "got 1, want { of a tensor"},
		{"tensor twice", safeFile(`{"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}`, ""), 65, `got the key "a" again`},
		{"key twice", safeFile(`{"a":{"dtype":"F32","dtype":"F64"}}`, ""), 35, `got the key "dtype" again`},
		{"dtype is a number", safeFile(`{"a":{"dtype":32}}`, ""), 24, "got 32, want a dtype"},
		{"dtype is null", safeFile(`{"a":{"dtype":null}}`, ""), 26, "got null, want a dtype"},
		{"key in capitals", safeFile(`{"a":{"DTYPE":"F32","shape":[0],"data_offsets":[0,0]}}`, ""), 12, "got dtype: false, shape: true, data_offsets: true, want all three"},
		{"shape is a number", safeFile(`{"a":{"shape":2}}`, ""), 23, "got 2, want [ of shape"},
		{"size is a float", safeFile(`{"a":{"shape":[2.0]}}`, ""), 26, "got 2.0, want a whole number in shape"},
		{"negative size", safeFile(`{"a":{"shape":[-2]}}`, ""), 25, "got -2, want a whole number in shape"},
		{"size beyond int64", safeFile(`{"a":{"shape":[9223372036854775808]}}`, ""), 42, "got 9223372036854775808, want"},
		{"size is text", safeFile(`{"a":{"shape":["2"]}}`, ""), 26, `got "2", want a whole number`},
		{"three offsets", safeFile(`{"a":{"data_offsets":[0,1,2]}}`, ""), 36, "got 3 data_offsets, want 2, begin and end"},
		{"metadata is a number", safeFile(`{"__metadata__":{"a":1}}`, ""), 30, `got 1, want a string as metadata "a"`},
		{"metadata is null", safeFile(`{"__metadata__":null}`, ""), 28, "got null, want { of __metadata__"},
		{"unknown dtype", safeFile(`{"a":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]}}`, "x"), 12, `entry "a": offset 12: got dtype "F8_E4M3", want one of BOOL`},
		{"float16 not asked for", safeFile(`{"a":{"dtype":"F16","shape":[1],"data_offsets":[0,2]}}`, "xx"), 62, "give Widen to read them into float32 exactly"},
		{"offsets and shape disagree", safeFile(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`, "xxxx"), 12, "got data_offsets [0, 4] of 4 bytes, want 8 bytes for F32[2]"},
		{"shape beyond int64", safeFile(`{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`, ""), 12, "want a tensor that fits into memory"},
		{"gap at the start", safeFile(`{"a":{"dtype":"BOOL","shape":[1],"data_offsets":[1,2]}}`, "xx"), 12, "got data_offsets [1, 2], want offsets that begin at 0"},
		{"gap between", safeFile(`{"a":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"BOOL","shape":[1],"data_offsets":[2,3]}}`, "xxx"), 66, "got data_offsets [2, 3], want offsets that begin at 1"},
		{"overlap", safeFile(`{"a":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"BOOL","shape":[2],"data_offsets":[1,3]}}`, "xxx"), 66, "want offsets that begin at 2"},
		{"end before begin", safeFile(`{"a":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"BOOL","shape":[1],"data_offsets":[1,0]}}`, "x"), 66, "got data_offsets [1, 0]"},
		{"bytes behind", safeFile(`{"a":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]}}`, "\x01\x01"), 63, "got 2 bytes behind the header, want 1 as the header says"},
		{"cut elements", safeFile(`{"a":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]}}`, "\x01"), 63, "got 1 bytes behind the header, want 2 as the header says"},
		{"no bool byte", safeFile(`{"a":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]}}`, "\x01\x07"), 64, "got byte 7 as a bool, want 0 or 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := readSafe(test.file)
			wantError(t, err, test.say)
			if e, _ := errors.AsType[*Error](err); e != nil && e.Offset != test.offset {
				t.Errorf("got offset %d, want %d: %v", e.Offset, test.offset, err)
			}
		})
	}
}

func TestWidenReadsSmallerDTypesOfSafetensors(t *testing.T) {
	for _, test := range []struct {
		dtype, elements string
		want            *hop.Tensor
	}{
		{"I8", "\x80\x7f", hop.FromSlice([]int32{-128, 127})},
		{"U8", "\x80\x7f", hop.FromSlice([]int32{128, 127})},
		{"I16", "\x00\x80\x01\x00", hop.FromSlice([]int32{-32768, 1})},
		{"U16", "\x00\x80\x01\x00", hop.FromSlice([]int32{32768, 1})},
		{"U32", "\x00\x00\x00\x80\x01\x00\x00\x00", hop.FromSlice([]int64{1 << 31, 1})},
		{"U64", "\x00\x00\x00\x80\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00", hop.FromSlice([]int64{1 << 31, 1})},
		{"F16", "\x00\x3c\x00\xc4", hop.FromSlice([]float32{1, -4})},
		// bfloat16 is the upper half of a float32: 1, -infinity
		{"BF16", "\x80\x3f\x80\xff", hop.FromSlice([]float32{1, float32(math.Inf(-1))})},
	} {
		t.Run(test.dtype, func(t *testing.T) {
			file := safeFile(fmt.Sprintf(`{"a":{"dtype":"%s","shape":[2],"data_offsets":[0,%d]}}`, test.dtype, len(test.elements)), test.elements)
			_, _, err := readSafe(file)
			wantError(t, err, "got elements of dtype "+test.dtype, "give Widen")
			if _, _, err := readSafe(file, Only()); err != nil {
				t.Errorf("left out: got %v, want no error", err)
			}
			got, _, err := readSafe(file, Widen())
			if err != nil {
				t.Fatal(err)
			}
			wantSame(t, "read", got["a"], test.want)
		})
	}
}

func TestATensorNamedAsTheMetadataIsRefused(t *testing.T) {
	err := WriteSafetensors(io.Discard, map[string]*hop.Tensor{"__metadata__": hop.Scalar(1.0)}, nil)
	wantError(t, err, "got a tensor of the name __metadata__, want another name; that one is for metadata")
}

func TestSafetensorsRoundTripKeepsNamesMetadataAndEveryBit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := namedTensors().Draw(t, "tensors")
		delete(in, metadataKey)
		var metadata map[string]string
		if rapid.Bool().Draw(t, "with metadata") {
			metadata = rapid.MapOfN(rapid.String(), rapid.String(), 0, 3).Draw(t, "metadata")
		}
		file := written(t, func(w *bytes.Buffer) error { return WriteSafetensors(w, in, metadata) })
		if n := binary.LittleEndian.Uint64(file); n%8 != 0 {
			t.Fatalf("got a header of %d bytes, want a multiple of 8", n)
		}
		out, back, err := readSafe(string(file))
		if err != nil {
			t.Fatal(err)
		}
		wantSameMap(t, out, in)
		if !maps.Equal(back, metadata) || (back == nil) != (metadata == nil) {
			t.Fatalf("metadata: got %q, want %q", back, metadata)
		}
		if again := written(t, func(w *bytes.Buffer) error { return WriteSafetensors(w, out, back) }); !bytes.Equal(again, file) {
			t.Fatalf("written again:\n got %q\nwant %q", again, file)
		}
	})
}
