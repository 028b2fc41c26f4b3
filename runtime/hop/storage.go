package hop

import (
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/hoplint/hoplint/tracer"
)

// DType is the element type of a tensor.
type DType = tracer.DType

// The element types.
const (
	Bool    = tracer.Bool
	Int32   = tracer.Int32
	Int64   = tracer.Int64
	Float32 = tracer.Float32
	Float64 = tracer.Float64
)

// Elem are the Go types of elements.
type Elem interface {
	bool | int32 | int64 | float32 | float64
}

// DTypeOf returns the element type that stores values of type T.
func DTypeOf[T Elem]() DType {
	switch any(*new(T)).(type) {
	case bool:
		return Bool
	case int32:
		return Int32
	case int64:
		return Int64
	case float32:
		return Float32
	default:
		return Float64
	}
}

// storage is the buffer that a tensor and all its views share, with their common version counter.
type storage struct {
	ptr   unsafe.Pointer // first element; nil when n is 0
	n     int            // elements
	dtype DType
	// integer says that the one element stands for an Int among the leaves of a pytree.
	integer bool

	version atomic.Uint64 // writes so far
	written atomic.Uint64 // stamp of the last write
	birth   uint64        // stamp of creation
	// joined is set when a storage that was made while a body was traced becomes part of the trace.
	joined atomic.Pointer[joined]
	// grad is what the tape knows of the storage; nil for most.
	grad atomic.Pointer[storageGrad]
}

// stamps orders births and writes of storages and the starts of traces and steps in time.
var stamps atomic.Uint64

func nextStamp() uint64 { return stamps.Add(1) }

// bump counts one write.
func (s *storage) bump() {
	s.version.Add(1)
	s.written.Store(nextStamp())
}

// elems returns the elements of s from offset on. T must be the Go type of s.dtype.
func elems[T Elem](s *storage, offset, n int) []T {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Add(s.ptr, offset*s.dtype.Size())), n)
}

// bytes returns the memory of s.
func (s *storage) bytes() []byte {
	if s.n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(s.ptr), s.n*s.dtype.Size())
}

// maxBytes bounds one storage, so that an overflowing shape is an error and not a crash.
const maxBytes = math.MaxInt64 / 4

// numElems multiplies dims and reports false when the product or its bytes overflow or a dim is negative.
func numElems(dt DType, dims []int) (n int, ok bool) {
	n, zero := 1, false
	for _, d := range dims {
		switch {
		case d < 0:
			return 0, false
		case d == 0:
			zero = true
		case n > maxBytes/8/d:
			ok = false
			n = maxBytes / 8 // keep looking for negative dims and zeros
		default:
			n *= d
		}
	}
	if zero {
		return 0, true
	}
	return n, n < maxBytes/8 && uint64(n)*uint64(dt.Size()) <= memory()
}

// memory is what this machine could hold at most, in bytes: larger requests are errors and not the end of the program.
var memory = sync.OnceValue(func() uint64 {
	const unknown = 1 << 40
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return unknown
	}
	for _, l := range strings.Split(string(text), "\n") {
		var kilobytes uint64
		if n, _ := fmt.Sscanf(l, "MemTotal: %d kB", &kilobytes); n == 1 {
			return kilobytes << 10
		}
	}
	return unknown
})

// alloc fills s with zeroed memory for n elements.
func (s *storage) alloc(dt DType, n int) {
	s.dtype, s.n, s.birth = dt, n, nextStamp()
	if n == 0 {
		return
	}
	switch dt.Size() { // typed, so that elements are aligned
	case 1:
		s.ptr = unsafe.Pointer(unsafe.SliceData(make([]byte, n)))
	case 4:
		s.ptr = unsafe.Pointer(unsafe.SliceData(make([]uint32, n)))
	default:
		s.ptr = unsafe.Pointer(unsafe.SliceData(make([]uint64, n)))
	}
}
