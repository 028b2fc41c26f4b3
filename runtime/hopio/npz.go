package hopio

import (
	"archive/zip"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hoplint/hoplint/runtime/hop"
)

const (
	npyExt = ".npy"
	// deflateRatio is how much deflate can expand at most (RFC 1951: 258 bytes from 2 bits), and deflateSlack the blocks
	// around it.
	deflateRatio = 1032
	deflateSlack = 1 << 10
	// encrypted and utf8Name are zip flags: an entry that needs a password, a name that is UTF-8.
	encrypted = 1
	utf8Name  = 1 << 11
	// zipVersion is the version of the zip format that entries need (2.0), npzDate the first day that it can tell,
	// 1980-01-01: a time would make equal tensors give other bytes.
	zipVersion = 20
	npzDate    = 1<<5 | 1
	// zip32 is the size from which a zip file needs fields of 64 bits.
	zip32 = 1<<32 - 1
)

// ReadNPZ reads the tensors of an .npz file, a zip file of .npy files, by name; the name has no .npy at the end. Checksums
// are verified.
//
// Aliasing: the results are fresh and contiguous.
// Errors: an *[Error] for a malformed file, for an entry that is no .npy file unless [Only] leaves it out, and for a dtype
// that no tensor has; see [Widen].
func ReadNPZ(r io.ReaderAt, size int64, opts ...ReadOption) (map[string]*hop.Tensor, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, failure(formatNPZ, "", err)
	}
	cfg := readingOf(opts)
	out := make(map[string]*hop.Tensor)
	seen := make(map[string]bool)
	var names []string
	packed := uint64(0)
	for _, f := range z.File {
		name, isNPY := strings.CutSuffix(f.Name, npyExt)
		if packed += f.CompressedSize64; f.CompressedSize64 > uint64(size) || packed > uint64(size) {
			return nil, (&source{format: formatNPZ, entry: name}).fail(-1, fmt.Sprintf("entries of %d bytes up to this one", packed),
				fmt.Sprintf("no more than the %d of the file; entries may not overlap", size), "")
		}
		if seen[name] {
			return nil, (&source{format: formatNPZ, entry: name}).fail(-1, "two entries of this name", "one", "")
		}
		seen[name] = true
		names = append(names, name)
		if !cfg.wants(name) {
			continue
		}
		if !isNPY {
			return nil, (&source{format: formatNPZ, entry: f.Name}).fail(-1, "an entry that does not end in .npy", "arrays",
				"name those to read with Only")
		}
		if out[name], err = readNPZEntry(f, name, cfg); err != nil {
			return nil, err
		}
	}
	if err := cfg.found(formatNPZ, func(name string) bool { return seen[name] }, names); err != nil {
		return nil, err
	}
	return out, nil
}

func readNPZEntry(f *zip.File, name string, cfg *reading) (*hop.Tensor, error) {
	s := &source{format: formatNPZ, entry: name, left: -1}
	claimed, packed := f.UncompressedSize64, f.CompressedSize64
	switch {
	case f.Flags&encrypted != 0:
		return nil, s.fail(-1, "an encrypted entry", "a plain one", "unpack it with its password and pack it without")
	case f.Method == zip.Store && claimed != packed:
		return nil, s.fail(-1, fmt.Sprintf("%d bytes stored as %d", claimed, packed), "both equal", "")
	case claimed > deflateRatio*packed+deflateSlack:
		return nil, s.fail(-1, fmt.Sprintf("%d bytes deflated to %d", claimed, packed), fmt.Sprintf("at most %d times", deflateRatio), "")
	case f.Method == zip.Store:
		s.left = int64(packed) // less than the file's size
	}
	r, err := f.Open()
	if err != nil {
		return nil, failure(formatNPZ, name, err)
	}
	defer r.Close()
	s.r = r
	t, err := readNPY(s, cfg)
	if err != nil {
		return nil, err
	}
	return t, s.end()
}

// end refuses bytes behind the last element. To see the end also verifies the checksum of a zip entry.
func (s *source) end() error {
	var one [1]byte
	switch _, err := io.ReadFull(s.r, one[:]); err {
	case io.EOF:
		return nil
	case nil:
		return s.fail(s.offset, "more bytes", "the end behind the last element", "")
	default:
		e := s.fail(s.offset, "an error at the end", "", "")
		e.Err = err
		return e
	}
}

// WriteNPZ writes tensors to an .npz file, sorted by name. They are stored as they are; see [Compressed].
//
// Errors: an error of w; an *[Error] around the *[hop.Error] for a nil tensor and, in a body, for a tensor that depends
// on its inputs (HOP501); an *[Error] for a name that is not UTF-8.
func WriteNPZ(w io.Writer, tensors map[string]*hop.Tensor, opts ...WriteOption) error {
	cfg := writingOf(opts)
	names, err := namesOf(formatNPZ, tensors)
	if err != nil {
		return err
	}
	z := zip.NewWriter(w)
	for _, name := range names {
		if err := writeNPZEntry(z, name, tensors[name], cfg); err != nil {
			return failure(formatNPZ, name, err)
		}
	}
	return failure(formatNPZ, "", z.Close())
}

func writeNPZEntry(z *zip.Writer, name string, t *hop.Tensor, cfg writing) error {
	header, err := npyHeaderOf(formatNPZ, name, t)
	if err != nil {
		return err
	}
	elements := elementBytes(t)
	size := uint64(len(header) + len(elements))
	f := &zip.FileHeader{Name: name + npyExt, Method: zip.Store, ModifiedDate: npzDate}
	if cfg.compressed {
		f.Method = zip.Deflate
	}
	var w io.Writer
	if cfg.compressed || size >= zip32 {
		w, err = z.CreateHeader(f) // sizes and checksum come behind the elements
	} else { // before them, so that the file can also be read as a stream
		f.CreatorVersion, f.ReaderVersion = zipVersion, zipVersion
		if strings.ContainsFunc(name, func(r rune) bool { return r >= utf8.RuneSelf }) {
			f.Flags = utf8Name
		}
		f.CRC32 = crc32.Update(crc32.ChecksumIEEE(header), crc32.IEEETable, elements)
		f.CompressedSize64, f.UncompressedSize64 = size, size
		w, err = z.CreateRaw(f)
	}
	if err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return err
	}
	_, err = w.Write(elements)
	return err
}

// namesOf returns the names in order, after all tensors and names were found fit for writing.
func namesOf(format string, tensors map[string]*hop.Tensor) ([]string, error) {
	names := slices.Sorted(maps.Keys(tensors))
	for _, name := range names {
		if !utf8.ValidString(name) {
			return nil, refuse(format, "the name "+quote(name), "UTF-8", "rename it")
		}
		if err := readable(format, name, tensors[name]); err != nil {
			return nil, err
		}
	}
	return names, nil
}
