package hopio

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hoplint/hoplint/runtime/hop"
)

// zipEntry is one entry of a zip file that a test puts together.
type zipEntry struct {
	name    string
	content string
	change  func(h *zip.FileHeader) // of a raw header; nil writes a good one
}

// zipFile stores entries without compression.
func zipFile(t testing.TB, entries ...zipEntry) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Store, CRC32: crc32.ChecksumIEEE([]byte(e.content)),
			CompressedSize64: uint64(len(e.content)), UncompressedSize64: uint64(len(e.content))}
		if e.change != nil {
			e.change(h)
		}
		w, err := z.CreateRaw(h)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, e.content)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const oneFloat = "\x00\x00\x00\x00\x00\x00\xf0\x3f"

var oneFloatNPY = npyFile(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", oneFloat)

func readNPZBytes(b []byte, opts ...ReadOption) (map[string]*hop.Tensor, error) {
	return ReadNPZ(bytes.NewReader(b), int64(len(b)), opts...)
}

// The bytes are those of the zip format (APPNOTE 4.3): local header, content, central directory, its end. Flag 11 says that
// the name is UTF-8.
func TestNPZFileIsWrittenByteByByte(t *testing.T) {
	for _, test := range []struct{ name, flags string }{{"b", "\x00\x00"}, {"é", "\x00\x08"}} {
		content := string(written(t, func(w *bytes.Buffer) error { return WriteNPY(w, hop.Scalar(true)) }))
		if len(content) != 129 {
			t.Fatalf("got a .npy file of %d bytes, want 129", len(content))
		}
		crc := crc32.ChecksumIEEE([]byte(content))
		name := test.name + ".npy"
		common := "\x14\x00" + test.flags + "\x00\x00" + // version 2.0, flags, stored
			"\x00\x00\x21\x00" + // 1980-01-01 00:00
			string([]byte{byte(crc), byte(crc >> 8), byte(crc >> 16), byte(crc >> 24)}) +
			"\x81\x00\x00\x00" + "\x81\x00\x00\x00" + // both sizes are 129
			string([]byte{byte(len(name)), 0}) + "\x00\x00" // lengths of name and extra field
		local := "PK\x03\x04" + common + name
		central := "PK\x01\x02" + "\x14\x00" + common + "\x00\x00" + "\x00\x00" + "\x00\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x00" + name
		end := "PK\x05\x06\x00\x00\x00\x00\x01\x00\x01\x00" + string([]byte{byte(len(central)), 0, 0, 0}) +
			string([]byte{byte(len(local) + 129), 0, 0, 0}) + "\x00\x00"
		got := written(t, func(w *bytes.Buffer) error {
			return WriteNPZ(w, map[string]*hop.Tensor{test.name: hop.Scalar(true)})
		})
		if want := local + content + central + end; string(got) != want {
			t.Errorf("got\n%q\nwant\n%q", got, want)
		}
	}
}

func TestNPZEntriesAreSortedAndEqualTensorsGiveEqualBytes(t *testing.T) {
	for _, opts := range [][]WriteOption{nil, {Compressed(), nil}} {
		var first []byte
		for range 20 { // maps come in another order each time
			in := map[string]*hop.Tensor{}
			for i := range 10 {
				in[string(rune('j'-i))] = hop.Scalar(float64(i))
			}
			file := written(t, func(w *bytes.Buffer) error { return WriteNPZ(w, in, opts...) })
			if first == nil {
				first = file
			}
			if !bytes.Equal(file, first) {
				t.Fatal("equal tensors give other bytes")
			}
		}
		z, err := zip.NewReader(bytes.NewReader(first), int64(len(first)))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range z.File {
			names = append(names, f.Name)
		}
		if !slices.IsSorted(names) || len(names) != 10 || names[0] != "a.npy" {
			t.Errorf("got entries %q, want a.npy to j.npy", names)
		}
	}
}

func TestMalformedNPZFilesAreErrorsWithEntryAndExpectation(t *testing.T) {
	big := npyFile(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776,), }", oneFloat)
	for _, test := range []struct {
		name string
		file []byte
		say  string
	}{
		{"no zip file", []byte("hello"), "npz: zip: not a valid zip file"},
		{"empty", nil, "npz: zip: not a valid zip file"},
		{"malformed entry", zipFile(t, zipEntry{"a.npy", "hello", nil}), `npz: entry "a": offset 0: got 5 bytes and then the end, want 8 bytes of magic`},
		{"empty entry", zipFile(t, zipEntry{"a.npy", "", nil}), `npz: entry "a": offset 0: got 0 bytes and then the end`},
		{"claim of a terabyte", zipFile(t, zipEntry{"a.npy", big, nil}), `got 8 bytes left, want 8796093022208 for <f8[1099511627776]`},
		{"no array", zipFile(t, zipEntry{"readme.txt", "hello", nil}), `entry "readme.txt": got an entry that does not end in .npy, want arrays; name those to read with Only`},
		{"name twice", zipFile(t, zipEntry{"a.npy", oneFloatNPY, nil}, zipEntry{"a.npy", oneFloatNPY, nil}), `entry "a": got two entries of this name, want one`},
		{"bytes behind", zipFile(t, zipEntry{"a.npy", oneFloatNPY + "x", nil}), `entry "a": offset 75: got more bytes, want the end behind the last element`},
		{"wrong checksum", zipFile(t, zipEntry{"a.npy", oneFloatNPY, func(h *zip.FileHeader) { h.CRC32++ }}), "checksum error"},
		{"encrypted", zipFile(t, zipEntry{"a.npy", oneFloatNPY, func(h *zip.FileHeader) { h.Flags |= 1 }}), "got an encrypted entry, want a plain one"},
		{"unknown method", zipFile(t, zipEntry{"a.npy", oneFloatNPY, func(h *zip.FileHeader) { h.Method = 12 }}), "unsupported compression algorithm"},
		{"stored sizes differ", zipFile(t, zipEntry{"a.npy", oneFloatNPY, func(h *zip.FileHeader) { h.UncompressedSize64++ }}), "got 76 bytes stored as 75, want both equal"},
		{"more than the file", zipFile(t, zipEntry{"a.npy", oneFloatNPY, func(h *zip.FileHeader) { h.CompressedSize64 = 1 << 40 }}), "entries may not overlap"},
		{"more than deflate can", zipFile(t, zipEntry{"a.npy", oneFloatNPY, func(h *zip.FileHeader) {
			h.Method, h.UncompressedSize64 = zip.Deflate, 1<<40
		}}), "got 1099511627776 bytes deflated to 75, want at most 1032 times"},
		{"no deflate stream", zipFile(t, zipEntry{"a.npy", "\x07\x00\x00\x00", func(h *zip.FileHeader) { h.Method = zip.Deflate }}), "flate: corrupt input"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := readNPZBytes(test.file)
			wantError(t, err, test.say)
		})
	}
}

// The directory of this file names the same local entry twice, each time with the full size.
func TestNPZEntriesThatOverlapAreRefused(t *testing.T) {
	file := zipFile(t, zipEntry{"a.npy", oneFloatNPY, nil}, zipEntry{"b.npy", oneFloatNPY, nil})
	i := bytes.Index(file, []byte("PK\x01\x02"))
	entry := file[i : i+46+len("a.npy")]
	var b bytes.Buffer
	b.Write(file[:i])
	for k := range 10 {
		again := bytes.Clone(entry)
		again[46] = byte('a' + k)
		b.Write(again)
	}
	end := bytes.Clone(file[len(file)-22:])
	end[8], end[10] = 10, 10
	size := 10 * len(entry)
	end[12], end[13] = byte(size), byte(size>>8)
	b.Write(end)
	_, err := readNPZBytes(b.Bytes(), Only("j"))
	if err != nil {
		t.Fatalf("the entries fit into the file, so this is no refusal: %v", err)
	}
	packed := bytes.Clone(b.Bytes())
	for k := range 10 { // now each claims a quarter of the file
		at := i + k*len(entry)
		quarter := len(packed) / 4
		packed[at+20], packed[at+21], packed[at+24], packed[at+25] = byte(quarter), byte(quarter>>8), byte(quarter), byte(quarter>>8)
	}
	_, err = readNPZBytes(packed, Only("j"))
	wantError(t, err, "entries may not overlap")
}

func TestOnlyPicksTensorsAndNamesTheKnownOnes(t *testing.T) {
	in := map[string]*hop.Tensor{"a": hop.Scalar(1.0), "b": hop.Scalar(2.0), "c": hop.Scalar(3.0)}
	npz := written(t, func(w *bytes.Buffer) error { return WriteNPZ(w, in) })
	safe := written(t, func(w *bytes.Buffer) error { return WriteSafetensors(w, in, nil) })
	for name, read := range map[string]func(opts ...ReadOption) (map[string]*hop.Tensor, error){
		"npz": func(opts ...ReadOption) (map[string]*hop.Tensor, error) { return readNPZBytes(npz, opts...) },
		"safetensors": func(opts ...ReadOption) (map[string]*hop.Tensor, error) {
			out, _, err := ReadSafetensors(bytes.NewReader(safe), int64(len(safe)), opts...)
			return out, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := read(Only("b"), nil, Only("c"))
			if err != nil {
				t.Fatal(err)
			}
			if got := slices.Sorted(maps.Keys(out)); !slices.Equal(got, []string{"b", "c"}) {
				t.Errorf("got %q, want b and c", got)
			}
			if out, err = read(Only()); err != nil || len(out) != 0 {
				t.Errorf("without names: got %d tensors and %v, want none", len(out), err)
			}
			_, err = read(Only("d"))
			wantError(t, err, `got no tensor "d", want one of "a", "b", "c"; give Only a name of the file`)
			_, err = read(MaxBytes(23))
			wantError(t, err, `entry "c"`, "got 24 bytes of tensors up to this one, want at most 23")
		})
	}
	mixed := zipFile(t, zipEntry{"readme.txt", "hello", nil}, zipEntry{"a.npy", oneFloatNPY, nil})
	out, err := readNPZBytes(mixed, Only("a"))
	if err != nil {
		t.Fatal(err)
	}
	wantSame(t, "beside a text", out["a"], hop.FromSlice([]float64{1}))
}

// names draws maps of tensors with names of any text.
func namedTensors() *rapid.Generator[map[string]*hop.Tensor] {
	return rapid.MapOfN(rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z]{0,3}(\.[a-z]|\[[0-9]\])*`)), tensors(), 0, 4)
}

func wantSameMap(t interface {
	Helper()
	Fatalf(string, ...any)
}, got, want map[string]*hop.Tensor) {
	t.Helper()
	a, b := slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))
	if !slices.Equal(a, b) {
		t.Fatalf("names: got %q, want %q", a, b)
	}
	for _, name := range b {
		wantSame(t, fmt.Sprintf("tensor %q", name), got[name], want[name])
	}
}

func TestNPZRoundTripKeepsNamesAndEveryBit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := namedTensors().Draw(t, "tensors")
		var opts []WriteOption
		if rapid.Bool().Draw(t, "compressed") {
			opts = append(opts, Compressed())
		}
		file := written(t, func(w *bytes.Buffer) error { return WriteNPZ(w, in, opts...) })
		out, err := readNPZBytes(file)
		if err != nil {
			t.Fatal(err)
		}
		wantSameMap(t, out, in)
	})
}

func TestNamesThatAreNoTextAreRefused(t *testing.T) {
	in := map[string]*hop.Tensor{"a\xff": hop.Scalar(1.0)}
	wantError(t, WriteNPZ(io.Discard, in), `npz: got the name "a\xff", want UTF-8; rename it`)
	wantError(t, WriteSafetensors(io.Discard, in, nil), `safetensors: got the name "a\xff", want UTF-8; rename it`)
	long := map[string]*hop.Tensor{strings.Repeat("a", 1<<16): hop.Scalar(1.0)}
	if err := WriteNPZ(io.Discard, long); err == nil {
		t.Error("a name of 65536 bytes in a zip file: got no error, want one")
	}
}

func TestACutNPZFileIsAnError(t *testing.T) {
	file := written(t, func(w *bytes.Buffer) error {
		return WriteNPZ(w, map[string]*hop.Tensor{"a": hop.Scalar(1.0), "b": hop.Scalar(int32(2))}, Compressed())
	})
	for n := range file {
		_, err := readNPZBytes(file[:n])
		if _, ok := errors.AsType[*Error](err); !ok {
			t.Fatalf("cut after %d bytes: got %v, want an *Error", n, err)
		}
	}
}
