package tracer

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"strconv"
)

// Literal is a tensor with known bytes inside a graph: row-major, little endian.
type Literal struct {
	DType DType
	Shape []int
	Data  []byte
}

// maxNumbers is how many elements a literal prints as numbers; above, one number when all are equal, else base64.
const maxNumbers = 16

// NumElems returns the product of the dims; ok is false when a dim is negative or the product overflows.
func (l *Literal) NumElems() (n int, ok bool) {
	n = 1
	for _, d := range l.Shape {
		if d < 0 || d > 0 && n > math.MaxInt/8/d {
			return 0, false
		}
		n *= d
	}
	return n, true
}

// Valid reports whether the bytes are those of a tensor of the literal's dtype and shape.
func (l *Literal) Valid() bool {
	n, ok := l.NumElems()
	if !ok || !l.DType.Valid() || len(l.Data) != n*l.DType.Size() {
		return false
	}
	if l.DType == Bool {
		for _, b := range l.Data {
			if b > 1 {
				return false
			}
		}
	}
	return true
}

// append appends the exact text: f32[2]{1.0, 2.5}, f64[1000]{0.0...} for equal elements, f64[100]"…" with base64 of
// the bytes otherwise.
func (l *Literal) append(b []byte) []byte {
	b = append(append(b, l.DType.Short()...), '[')
	for i, d := range l.Shape {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = strconv.AppendInt(b, int64(d), 10)
	}
	b = append(b, ']')
	n, _ := l.NumElems()
	switch {
	case l.Valid() && n <= maxNumbers:
		b = append(b, '{')
		for i := range n {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = l.element(b, i)
		}
		return append(b, '}')
	case l.Valid() && l.isSplat():
		return append(l.element(append(b, '{'), 0), "...}"...)
	default:
		b = base64.StdEncoding.AppendEncode(append(b, '"'), l.Data)
		return append(b, '"')
	}
}

// isSplat reports whether all elements have the same bits.
func (l *Literal) isSplat() bool {
	size := l.DType.Size()
	for i := size; i < len(l.Data); i++ {
		if l.Data[i] != l.Data[i-size] {
			return false
		}
	}
	return true
}

func (l *Literal) element(b []byte, i int) []byte {
	data := l.Data[i*l.DType.Size():]
	switch l.DType {
	case Bool:
		return strconv.AppendBool(b, data[0] != 0)
	case Int32:
		return strconv.AppendInt(b, int64(int32(binary.LittleEndian.Uint32(data))), 10)
	case Int64:
		return strconv.AppendInt(b, int64(binary.LittleEndian.Uint64(data)), 10)
	case Float32:
		word := binary.LittleEndian.Uint32(data)
		f := math.Float32frombits(word)
		if f != f && word != nan32 {
			return strconv.AppendUint(append(b, "nan:"...), uint64(word), 16)
		}
		return appendFloat(b, float64(f), 32)
	default:
		return appendFloat(b, math.Float64frombits(binary.LittleEndian.Uint64(data)), 64)
	}
}

// nan32 are the bits that "nan" stands for in a float32 literal.
const nan32 = 0x7fc00000
