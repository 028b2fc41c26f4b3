package kernels

import (
	"unsafe"

	"github.com/hoplint/hoplint/tracer"
)

// number are the element types that arithmetic is defined for.
type number interface {
	int32 | int64 | float32 | float64
}

// integer are the element types with exact, wrapping arithmetic.
type integer interface{ int32 | int64 }

// float are the element types that round.
type float interface{ float32 | float64 }

// bits are the element types of bitwise logic; a bool is a byte that is 0 or 1.
type bits interface{ uint8 | int32 | int64 }

// plain are all element types as memory sees them.
type plain interface {
	uint8 | int32 | int64 | float32 | float64
}

// NumElems returns the product of the dims: 1 for a scalar.
func NumElems(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// NumElems returns the number of elements of the window.
func (a *Array) NumElems() int { return NumElems(a.Shape) }

// IsContiguous reports whether the elements lie in row-major order without gaps; dims of size 1 may have any stride.
func (a *Array) IsContiguous() bool {
	want := 1
	for i := len(a.Shape) - 1; i >= 0; i-- {
		switch d := a.Shape[i]; {
		case d == 0:
			return true
		case d != 1 && a.Strides[i] != want:
			return false
		default:
			want *= d
		}
	}
	return true
}

// ContiguousStrides returns the row-major strides of shape.
func ContiguousStrides(shape []int) []int {
	strides := make([]int, len(shape))
	fillStrides(shape, strides)
	return strides
}

func fillStrides(shape, strides []int) {
	n := 1
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = n
		n *= max(shape[i], 1)
	}
}

// Contiguous returns the window of dtype and shape that starts at p and has row-major strides.
func Contiguous(p unsafe.Pointer, dt tracer.DType, shape []int) Array {
	return Array{Ptr: p, DType: dt, Shape: shape, Strides: ContiguousStrides(shape)}
}

// New returns a contiguous window on fresh zeroed memory.
func New(dt tracer.DType, shape ...int) Array {
	return Contiguous(Alloc(NumElems(shape)*dt.Size()), dt, shape)
}

// Alloc returns size bytes of fresh zeroed memory, aligned for every element type; nil when size is 0.
func Alloc(size int) unsafe.Pointer {
	if size <= 0 {
		return nil
	}
	words := make([]uint64, (size+7)/8)
	return unsafe.Pointer(&words[0])
}

// Of returns a contiguous window on a copy of data. No dims and one element give a scalar.
func Of[T bool | int32 | int64 | float32 | float64](data []T, shape ...int) Array {
	a := New(dtypeOf[T](), shape...)
	copy(Elems[T](a), data)
	return a
}

// Elems returns the elements of a contiguous window, sharing its memory.
func Elems[T bool | int32 | int64 | float32 | float64](a Array) []T {
	if a.Ptr == nil {
		return nil
	}
	return unsafe.Slice((*T)(a.Ptr), a.NumElems())
}

func dtypeOf[T bool | int32 | int64 | float32 | float64]() tracer.DType {
	switch any(*new(T)).(type) {
	case bool:
		return tracer.Bool
	case int32:
		return tracer.Int32
	case int64:
		return tracer.Int64
	case float32:
		return tracer.Float32
	default:
		return tracer.Float64
	}
}

// sizeOf returns the bytes of one element.
func sizeOf[T any]() int { return int(unsafe.Sizeof(*new(T))) }

// at returns the address of element i behind p. In a function literal of a generic function the compiler does not
// inline it: loops stand in functions of their own, which literals call.
func at[T any](p unsafe.Pointer, i int) *T {
	return (*T)(unsafe.Add(p, i*int(unsafe.Sizeof(*new(T)))))
}

// vec returns n elements behind p.
func vec[T any](p unsafe.Pointer, n int) []T { return unsafe.Slice((*T)(p), n) }

// step returns p moved by i elements of dt.
func step(p unsafe.Pointer, dt tracer.DType, i int) unsafe.Pointer {
	if i == 0 {
		return p
	}
	return unsafe.Add(p, i*dt.Size())
}
