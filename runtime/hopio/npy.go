package hopio

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/hoplint/hoplint/runtime/hop"
)

const (
	npyMagic = "\x93NUMPY"
	// npyAlign is what the start of the elements is a multiple of.
	npyAlign = 64
	// npyGrowth is how many digits the first size may grow to without moving the elements.
	npyGrowth = 21
	// npyMaxHeader bounds the header of any version: with the dtypes that a tensor can have it is about a hundred bytes.
	npyMaxHeader = 1<<16 - 1
)

// ReadNPY reads one tensor in NumPy's .npy format, versions 1.0, 2.0 and 3.0. It reads no further than its last element,
// so that tensors written one after another to a stream are read one after another. At the end of the stream the error
// is [io.EOF] itself.
//
// Shapes: those of the file; an array in Fortran order is turned into rows.
// Aliasing: the result is fresh and contiguous.
// Errors: an *[Error] for a malformed file and for a dtype that no tensor has; see [Widen].
func ReadNPY(r io.Reader, opts ...ReadOption) (*hop.Tensor, error) {
	s := &source{format: formatNPY, r: r, left: -1}
	if n, ok := remaining(r); ok {
		s.left = n
	}
	if err := s.more(); err != nil {
		return nil, err
	}
	return readNPY(s, readingOf(opts))
}

func readNPY(s *source, r *reading) (*hop.Tensor, error) {
	h, err := readNPYHeader(s)
	if err != nil {
		return nil, err
	}
	enc, order, err := h.encoding(s)
	if err != nil {
		return nil, err
	}
	if !h.fortran || len(h.dims) < 2 {
		return enc.tensor(s, r, h.descr, h.dims, order)
	}
	slices.Reverse(h.dims) // the elements lie as those of the transposed tensor, row by row
	t, err := enc.tensor(s, r, h.descr, h.dims, order)
	if err != nil {
		return nil, err
	}
	axes := make([]int, len(h.dims))
	for i := range axes {
		axes[i] = len(axes) - 1 - i
	}
	return t.Permute(axes...).Contiguous(), nil
}

// readNPYHeader reads everything before the elements.
func readNPYHeader(s *source) (*npyHeader, error) {
	var intro [len(npyMagic) + 2]byte
	if err := s.read(intro[:], "magic and version"); err != nil {
		return nil, err
	}
	if magic := string(intro[:len(npyMagic)]); magic != npyMagic {
		return nil, s.fail(0, "magic "+quote(magic), quote(npyMagic), "check that it is a .npy file")
	}
	major, minor := intro[len(npyMagic)], intro[len(npyMagic)+1]
	var length [4]byte
	width := 4
	switch {
	case major == 1 && minor == 0:
		width = 2
	case (major == 2 || major == 3) && minor == 0:
	default:
		return nil, s.fail(int64(len(npyMagic)), fmt.Sprintf("version %d.%d", major, minor), "1.0, 2.0 or 3.0", "")
	}
	at := s.offset
	if err := s.read(length[:width], "header length"); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(length[:])
	if n > npyMaxHeader {
		return nil, s.fail(at, fmt.Sprintf("a header of %d bytes", n), fmt.Sprintf("at most %d", npyMaxHeader), "")
	}
	p := &npyParser{s: s, start: s.offset}
	text := make([]byte, n)
	if err := s.read(text, "header"); err != nil {
		return nil, err
	}
	p.text = string(text)
	return p.header()
}

// encoding finds the dtype: byte order, then kind and size.
func (h *npyHeader) encoding(s *source) (*encoding, binary.ByteOrder, error) {
	refused := func(remedy string) (*encoding, binary.ByteOrder, error) {
		return nil, nil, s.fail(h.descrAt, "descr "+quote(h.descr), "a dtype of numbers or bools, as <f8 or |b1", remedy)
	}
	if h.descr == "" {
		return refused("")
	}
	mark, code := h.descr[0], h.descr[1:]
	i := slices.IndexFunc(encodings, func(e encoding) bool { return e.npy != "" && e.npy == code })
	if i < 0 {
		remedy := ""
		switch strings.TrimLeft(code, "0123456789") {
		case "O":
			remedy = "pickled Python objects are never read; save an array of numbers"
		default:
			switch code[:min(1, len(code))] {
			case "c":
				remedy = "save the real and the imaginary part"
			case "S", "U", "a":
				remedy = "text has no tensor; save an array of numbers"
			case "M", "m":
				remedy = "save times as integers, with astype"
			}
		}
		return refused(remedy)
	}
	enc := &encodings[i]
	switch {
	case mark == '<', mark == '|' && enc.size == 1, mark == '=' && enc.size == 1:
		return enc, binary.LittleEndian, nil
	case mark == '>':
		return enc, binary.BigEndian, nil
	}
	return refused("")
}

// WriteNPY writes t in NumPy's .npy format, version 1.0, little-endian, row by row.
//
// Errors: an error of w; an *[Error] around the *[hop.Error] for a nil tensor and, in a body, for a tensor that depends
// on its inputs (HOP501).
func WriteNPY(w io.Writer, t *hop.Tensor) error {
	if err := readable(formatNPY, "", t); err != nil {
		return err
	}
	header, err := npyHeaderOf(formatNPY, "", t)
	if err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return failure(formatNPY, "", err)
	}
	_, err = w.Write(elementBytes(t))
	return failure(formatNPY, "", err)
}

// npyHeaderOf returns everything before the elements, as NumPy writes it: keys in order, room for the first size to
// grow, spaces up to the alignment and a newline. Where the alignment is met without, a whole step of spaces is added.
func npyHeaderOf(format, entry string, t *hop.Tensor) ([]byte, error) {
	enc, _ := encodingOf(t.DType())
	mark := "<"
	if enc.size == 1 {
		mark = "|"
	}
	shape := t.Shape()
	sizes := make([]string, len(shape))
	for i, d := range shape {
		sizes[i] = strconv.Itoa(d)
	}
	tuple := strings.Join(sizes, ", ")
	if len(sizes) == 1 {
		tuple += ","
	}
	text := fmt.Sprintf("{'descr': '%s%s', 'fortran_order': False, 'shape': (%s), }", mark, enc.npy, tuple)
	if len(sizes) > 0 {
		text += strings.Repeat(" ", max(0, npyGrowth-len(sizes[0])))
	}
	const before = len(npyMagic) + 4
	text += strings.Repeat(" ", npyAlign-(before+len(text)+1)%npyAlign) + "\n"
	if len(text) > npyMaxHeader {
		e := refuse(format, fmt.Sprintf("a tensor of %d dims", len(shape)), "fewer, so that the header holds their sizes", "write a View of it")
		e.Entry = entry
		return nil, e
	}
	out := append([]byte(npyMagic), 1, 0)
	out = binary.LittleEndian.AppendUint16(out, uint16(len(text)))
	return append(out, text...), nil
}
