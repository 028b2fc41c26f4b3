package hopio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unsafe"
)

// maxBytes is the largest tensor that package hop makes; what claims more is refused before it is multiplied out.
const maxBytes = 1 << 46

// growth is how much memory is allocated on the word of a header when nobody knows how much data follows. As much again
// is allocated only after as much has arrived.
const growth = 1 << 20

// source is a stream of bytes with a place in it.
type source struct {
	format string
	entry  string
	r      io.Reader
	offset int64
	left   int64 // bytes that are known to follow; -1 when that is not known
}

// fail returns an error at an offset.
func (s *source) fail(offset int64, got, want, remedy string) *Error {
	return &Error{Format: s.format, Entry: s.entry, Offset: offset, Got: got, Want: want, Remedy: remedy}
}

// read fills b. what says in errors what the bytes are.
func (s *source) read(b []byte, what string) error {
	n, err := io.ReadFull(s.r, b)
	at := s.offset
	s.offset += int64(n)
	if s.left >= 0 {
		s.left -= int64(n)
	}
	switch {
	case err == nil:
		return nil
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		e := s.fail(at, fmt.Sprintf("%d bytes and then the end", n), fmt.Sprintf("%d bytes of %s", len(b), what), "")
		e.Err = io.ErrUnexpectedEOF
		return e
	default: // the stream itself, a checksum for example
		e := s.fail(at, "an error while reading "+what, "", "")
		e.Err = err
		return e
	}
}

// more returns io.EOF at the end of the stream, which tells it from a file that was cut.
func (s *source) more() error {
	if s.left == 0 {
		return io.EOF
	}
	if s.left > 0 {
		return nil
	}
	first := make([]byte, 1)
	if _, err := io.ReadFull(s.r, first); err == io.EOF {
		return io.EOF
	} else if err != nil {
		return failure(s.format, s.entry, err)
	}
	s.r = io.MultiReader(bytes.NewReader(first), s.r)
	return nil
}

// remaining returns how many bytes r still has, if it can tell.
func remaining(r io.Reader) (int64, bool) {
	switch r := r.(type) {
	case interface{ Len() int }: // bytes.Reader, bytes.Buffer, strings.Reader
		return int64(r.Len()), true
	case io.Seeker: // files; a pipe fails here and is read without knowing
		at, err := r.Seek(0, io.SeekCurrent)
		if err != nil {
			return 0, false
		}
		end, err := r.Seek(0, io.SeekEnd)
		if _, back := r.Seek(at, io.SeekStart); err != nil || back != nil || end < at {
			return 0, false
		}
		return end - at, true
	}
	return 0, false
}

// raw are the types of elements in files.
type raw interface {
	int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64 | float32 | float64
}

// readRaw reads n elements. Memory is allocated at once when the bytes are known to be there, and else as they come.
func readRaw[T raw](s *source, n int, order binary.ByteOrder, what string) ([]T, error) {
	size := int(unsafe.Sizeof(*new(T)))
	if s.left >= 0 && int64(n) > s.left/int64(size) {
		e := s.fail(s.offset, fmt.Sprintf("%d bytes left", s.left), fmt.Sprintf("%d for %s", int64(n)*int64(size), what), "")
		e.Err = io.ErrUnexpectedEOF
		return nil, e
	}
	have := n
	if s.left < 0 {
		have = min(n, growth/size)
	}
	data := make([]T, have)
	if err := s.read(bytesOf(data), what); err != nil {
		return nil, err
	}
	for len(data) < n {
		more := make([]T, min(n, 2*len(data)))
		done := copy(more, data)
		data = more
		if err := s.read(bytesOf(data[done:]), what); err != nil {
			return nil, err
		}
	}
	toNative(data, order)
	return data, nil
}

// bytesOf returns the memory of data.
func bytesOf[T raw | bool](data []T) []byte {
	if len(data) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), len(data)*int(unsafe.Sizeof(data[0])))
}

// toNative turns elements that were read in the given order into those of this machine, in place. It is its own inverse.
func toNative[T raw](data []T, order binary.ByteOrder) {
	var one [2]byte
	order.PutUint16(one[:], 1)
	if binary.NativeEndian.Uint16(one[:]) == 1 {
		return
	}
	b := bytesOf(data)
	switch unsafe.Sizeof(*new(T)) {
	case 2:
		for ; len(b) >= 2; b = b[2:] {
			binary.LittleEndian.PutUint16(b, binary.BigEndian.Uint16(b))
		}
	case 4:
		for ; len(b) >= 4; b = b[4:] {
			binary.LittleEndian.PutUint32(b, binary.BigEndian.Uint32(b))
		}
	case 8:
		for ; len(b) >= 8; b = b[8:] {
			binary.LittleEndian.PutUint64(b, binary.BigEndian.Uint64(b))
		}
	}
}

// count multiplies dims out. It refuses shapes whose sizes other than 0 give more than size*count bytes can be, as NumPy
// does, so that no such shape gets in through a size 0 beside it.
func count(dims []int, size int) (int, error) {
	n, zero := int64(1), false
	for _, d := range dims {
		switch {
		case d == 0:
			zero = true
		case n > maxBytes/int64(size)/int64(d):
			return 0, errTooLarge
		default:
			n *= int64(d)
		}
	}
	if zero {
		return 0, nil
	}
	return int(n), nil
}

var errTooLarge = errors.New("larger than memory can be")
