package hopio

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/hoplint/hoplint/runtime/hop"
)

// encoding is how the elements of one dtype lie in files.
type encoding struct {
	npy         string // kind and size; empty when NumPy has no such dtype
	safetensors string
	size        int       // bytes of one element
	dtype       hop.DType // of the tensor
	widened     bool      // the tensor's dtype is a larger one
	read        func(s *source, n int, dims []int, order binary.ByteOrder, what string) (*hop.Tensor, error)
}

// encodings are the dtypes that can be read; those that are not widened are written. The order is that in which
// safetensors lays tensors out, the largest alignment first.
var encodings = []encoding{
	{"u8", "U64", 8, hop.Int64, true, widening(fromUint64)},
	{"i8", "I64", 8, hop.Int64, false, plain[int64]},
	{"f8", "F64", 8, hop.Float64, false, plain[float64]},
	{"f4", "F32", 4, hop.Float32, false, plain[float32]},
	{"u4", "U32", 4, hop.Int64, true, widening(exactly[uint32, int64])},
	{"i4", "I32", 4, hop.Int32, false, plain[int32]},
	{"", "BF16", 2, hop.Float32, true, widening(fromBFloat16)},
	{"f2", "F16", 2, hop.Float32, true, widening(fromFloat16)},
	{"u2", "U16", 2, hop.Int32, true, widening(exactly[uint16, int32])},
	{"i2", "I16", 2, hop.Int32, true, widening(exactly[int16, int32])},
	{"i1", "I8", 1, hop.Int32, true, widening(exactly[int8, int32])},
	{"u1", "U8", 1, hop.Int32, true, widening(exactly[uint8, int32])},
	{"b1", "BOOL", 1, hop.Bool, false, bools},
}

// encodingOf returns how tensors of dtype dt are written, and its place in the order of safetensors.
func encodingOf(dt hop.DType) (enc *encoding, rank int) {
	rank = slices.IndexFunc(encodings, func(e encoding) bool { return e.dtype == dt && !e.widened })
	return &encodings[rank], rank
}

// tensor reads a tensor of shape dims. name is the dtype as the file calls it.
func (e *encoding) tensor(s *source, r *reading, name string, dims []int, order binary.ByteOrder) (*hop.Tensor, error) {
	if e.widened && !r.widen {
		return nil, s.fail(s.offset, "elements of dtype "+name, "bool, int32, int64, float32 or float64",
			fmt.Sprintf("give Widen to read them into %s exactly", e.dtype))
	}
	what := fmt.Sprintf("%s%v", name, dims)
	size := max(e.size, e.dtype.Size())
	n, err := count(dims, size)
	if err != nil {
		return nil, s.fail(s.offset, what, "a tensor that fits into memory", "")
	}
	if err := r.claim(s, int64(n)*int64(size)); err != nil {
		return nil, err
	}
	return e.read(s, n, dims, order, what)
}

// tensorOf returns a tensor on data itself.
func tensorOf[T hop.Elem](data []T, dims []int) *hop.Tensor {
	if len(dims) == 0 {
		return hop.Scalar(data[0])
	}
	return hop.Wrap(data, dims...)
}

// plain reads elements that are stored as the tensor has them.
func plain[T int32 | int64 | float32 | float64](s *source, n int, dims []int, order binary.ByteOrder, what string) (*hop.Tensor, error) {
	data, err := readRaw[T](s, n, order, what)
	if err != nil {
		return nil, err
	}
	return tensorOf(data, dims), nil
}

// bools reads bytes that must be 0 or 1: Go's bool has no other values.
func bools(s *source, n int, dims []int, order binary.ByteOrder, what string) (*hop.Tensor, error) {
	start := s.offset
	data, err := readRaw[uint8](s, n, order, what)
	if err != nil {
		return nil, err
	}
	for i, b := range data {
		if b > 1 {
			return nil, s.fail(start+int64(i), fmt.Sprintf("byte %d as a bool", b), "0 or 1", "")
		}
	}
	return tensorOf(unsafe.Slice((*bool)(unsafe.Pointer(unsafe.SliceData(data))), n), dims), nil
}

// widening reads elements and converts each; f reports false for one that the tensor's dtype does not hold.
func widening[R raw, T hop.Elem](f func(R) (T, bool)) func(*source, int, []int, binary.ByteOrder, string) (*hop.Tensor, error) {
	return func(s *source, n int, dims []int, order binary.ByteOrder, what string) (*hop.Tensor, error) {
		start := s.offset
		data, err := readRaw[R](s, n, order, what)
		if err != nil {
			return nil, err
		}
		out := make([]T, n)
		for i, v := range data {
			w, ok := f(v)
			if !ok {
				return nil, s.fail(start+int64(i)*int64(binary.Size(v)), fmt.Sprintf("element %d of value %v", i, v),
					fmt.Sprintf("one that %s holds", hop.DTypeOf[T]()), "convert it before it is saved")
			}
			out[i] = w
		}
		return tensorOf(out, dims), nil
	}
}

func exactly[R uint8 | int8 | uint16 | int16 | uint32, T int32 | int64](v R) (T, bool) {
	return T(v), true
}

func fromUint64(v uint64) (int64, bool) { return int64(v), v <= math.MaxInt64 }

// fromBFloat16 converts from the upper half of a float32.
func fromBFloat16(v uint16) (float32, bool) { return math.Float32frombits(uint32(v) << 16), true }

// fromFloat16 converts from IEEE 754 binary16: 1 bit sign, 5 bits exponent with bias 15, 10 bits fraction.
func fromFloat16(v uint16) (float32, bool) {
	sign, exponent, fraction := uint32(v>>15)<<31, uint32(v>>10&0x1f), uint32(v&0x3ff)
	switch exponent {
	case 0: // zero and subnormal numbers: the fraction counts 2^-24
		return math.Float32frombits(sign | math.Float32bits(float32(fraction)*0x1p-24)), true
	case 0x1f: // infinities and NaNs
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13), true
	default:
		return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13), true
	}
}

// readable refuses a tensor whose elements cannot be read: nil, or traced (HOP501).
func readable(format, entry string, t *hop.Tensor) error {
	if t == nil {
		e := refuse(format, "a nil tensor", "a tensor", "leave it out")
		e.Entry = entry
		return e
	}
	return failure(format, entry, hop.Try(func() {
		switch t.DType() {
		case hop.Bool:
			hop.Values[bool](t)
		case hop.Int32:
			hop.Values[int32](t)
		case hop.Int64:
			hop.Values[int64](t)
		case hop.Float32:
			hop.Values[float32](t)
		default:
			hop.Values[float64](t)
		}
	}))
}

// elementBytes returns a little-endian copy of the elements of a readable tensor, row by row.
func elementBytes(t *hop.Tensor) []byte {
	switch t.DType() {
	case hop.Bool:
		return bytesOf(hop.ToSlice[bool](t))
	case hop.Int32:
		return littleEndian(hop.ToSlice[int32](t))
	case hop.Int64:
		return littleEndian(hop.ToSlice[int64](t))
	case hop.Float32:
		return littleEndian(hop.ToSlice[float32](t))
	default:
		return littleEndian(hop.ToSlice[float64](t))
	}
}

func littleEndian[T raw](data []T) []byte {
	toNative(data, binary.LittleEndian)
	return bytesOf(data)
}

// byteSize returns how many bytes the elements take in a file.
func byteSize(t *hop.Tensor) int64 { return int64(t.NumElems()) * int64(t.DType().Size()) }

// describe writes dtype and shape as package hop does: float32[2 3].
func describe(t *hop.Tensor) string {
	return t.DType().String() + fmt.Sprint(t.Shape())
}
