package hop

import (
	"math"
	"math/rand/v2"
	"reflect"
	"unsafe"

	"gonum.org/v1/gonum/mat"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
)

// make1 returns a zeroed tensor, or refuses dims that no memory can hold.
func make1(fn string, dt DType, dims []int) *Tensor {
	if !dt.Valid() {
		misuse(fn, "dtype %d is none of the element types; use Bool, Int32, Int64, Float32 or Float64", int(dt))
	}
	checkDims(fn, dt, dims)
	return newTensor(dt, dims)
}

// checkDims returns the number of elements.
func checkDims(fn string, dt DType, dims []int) int {
	for i, d := range dims {
		if d < 0 {
			misuse(fn, "size %d of dim %d in %v; sizes are 0 or more", d, i, dims)
		}
	}
	n, ok := numElems(dt, dims)
	if !ok {
		misuse(fn, "%s%v is larger than memory can be; use smaller sizes", dt, dims)
	}
	return n
}

// dimsFor returns the dims of a tensor over n elements: those given, or one dim of all.
func dimsFor(fn string, dt DType, n int, dims []int) []int {
	if len(dims) == 0 {
		return []int{n}
	}
	if m := checkDims(fn, dt, dims); m != n {
		misuse(fn, "%d elements for shape %v, which has %d; make both equal", n, dims, m)
	}
	return dims
}

// FromSlice returns a tensor of shape dims with a copy of data, row by row. Without dims it has one dim; see [Scalar]
// for none.
//
// Shapes: the product of dims is len(data); the dtype is that of T.
// Aliasing: the result is fresh.
// Errors: panics with *[Error] when data and dims disagree.
//
//hop:returns fresh
func FromSlice[T Elem](data []T, dims ...int) *Tensor {
	dt := DTypeOf[T]()
	t := newTensor(dt, dimsFor("FromSlice", dt, len(data), dims))
	copy(elems[T](t.storage, 0, t.storage.n), data)
	return t
}

// Wrap returns a tensor of shape dims on the memory of data, row by row. Without dims it has one dim.
//
// Shapes: the product of dims is len(data); the dtype is that of T.
// Aliasing: the tensor and data share memory. A write through data is not counted by [Tensor.Version].
// Errors: panics with *[Error] when data and dims disagree.
//
//hop:returns view(data)
func Wrap[T Elem](data []T, dims ...int) *Tensor {
	dt := DTypeOf[T]()
	return wrap(dt, unsafe.Pointer(unsafe.SliceData(data)), len(data), dimsFor("Wrap", dt, len(data), dims))
}

// wrap returns a contiguous tensor on n elements of memory.
func wrap(dt DType, ptr unsafe.Pointer, n int, dims []int) *Tensor {
	b := new(tensorBox)
	t := &b.t
	t.storage = &b.s
	t.setDims(b.dims[:0], dims)
	contiguousStrides(t.shape, t.strides)
	b.s.dtype, b.s.n, b.s.birth = dt, n, nextStamp()
	if n > 0 {
		b.s.ptr = ptr
	}
	return t
}

// Scalar returns a tensor without dims that holds v.
//
//hop:returns fresh
func Scalar[T Elem](v T) *Tensor {
	t := newTensor(DTypeOf[T](), nil)
	elems[T](t.storage, 0, 1)[0] = v
	return t
}

// Zeros returns a tensor of shape dims with every element 0 or false.
//
// Aliasing: the result is fresh.
// Errors: panics with *[Error] for negative sizes and for shapes larger than memory.
//
//hop:returns fresh
func Zeros(dt DType, dims ...int) *Tensor { return make1("Zeros", dt, dims) }

// Ones returns a tensor of shape dims with every element 1 or true.
//
// Aliasing: the result is fresh.
// Errors: panics with *[Error] for negative sizes and for shapes larger than memory.
//
//hop:returns fresh
func Ones(dt DType, dims ...int) *Tensor { return full("Ones", dt, 1, dims) }

// Full returns a tensor of shape dims with every element v.
//
// Aliasing: the result is fresh.
// Errors: panics with *[Error] for negative sizes, for shapes larger than memory, and for a v that an integer or bool
// dtype does not hold exactly.
//
//hop:returns fresh
func Full(dt DType, v float64, dims ...int) *Tensor { return full("Full", dt, v, dims) }

func full(fn string, dt DType, v float64, dims []int) *Tensor {
	t := make1(fn, dt, dims)
	if err := scalarFits(dt, v); err != nil {
		misuse(fn, "%s", err)
	}
	fillConst(t, v)
	return t
}

// fillConst writes v, which must fit, to all elements of a fresh tensor.
func fillConst(t *Tensor, v float64) {
	var bits uint64
	if err := kernels.Const(unsafe.Pointer(&bits), t.storage.dtype, v); err != nil {
		misuse("Full", "%s", err)
	}
	a := t.array()
	kernels.Fill(&a, unsafe.Pointer(&bits))
}

// Arange returns the numbers 0 to n-1 in a tensor of shape [n].
//
// Aliasing: the result is fresh.
// Errors: panics with *[Error] for a negative n and for bool.
//
//hop:returns fresh
func Arange(dt DType, n int) *Tensor {
	t := make1("Arange", dt, []int{n})
	switch dt {
	case Bool:
		misuse("Arange", "bool cannot count; use an integer or a float dtype")
	case Int32:
		if n > math.MaxInt32 {
			misuse("Arange", "%d numbers do not fit int32; use Int64", n)
		}
		count(elems[int32](t.storage, 0, n))
	case Int64:
		count(elems[int64](t.storage, 0, n))
	case Float32:
		count(elems[float32](t.storage, 0, n))
	default:
		count(elems[float64](t.storage, 0, n))
	}
	return t
}

func count[T int32 | int64 | float32 | float64](data []T) {
	for i := range data {
		data[i] = T(i)
	}
}

// Eye returns the n by n matrix with 1 on the diagonal and 0 elsewhere.
//
// Aliasing: the result is fresh.
// Errors: panics with *[Error] for a negative n and for sizes larger than memory.
//
//hop:returns fresh
func Eye(dt DType, n int) *Tensor {
	t := make1("Eye", dt, []int{n, n})
	fillConst(newView(t, []int{n}, []int{n + 1}, 0), 1)
	return t
}

// Linspace returns n numbers from lo to hi, both included, at equal distances.
//
// Shapes: [n]; float dtypes.
// Aliasing: the result is fresh.
// Errors: panics with *[Error] for a negative n and for a dtype that is no float.
// Source: NumPy's linspace; the last number is hi exactly.
//
//hop:returns fresh
func Linspace(dt DType, lo, hi float64, n int) *Tensor {
	at := func(i int) float64 {
		if i == n-1 && n > 1 {
			return hi
		}
		return lo + (hi-lo)*float64(i)/float64(max(n-1, 1))
	}
	return floatsFrom("Linspace", dt, []int{n}, at)
}

// Rand returns numbers drawn evenly from [0, 1): for data and weights, outside of bodies.
//
// Shapes: dims; float dtypes.
// Aliasing: the result is fresh.
// Errors: panics with *[Error] for a nil rng, negative sizes and a dtype that is no float.
//
//hop:returns fresh
func Rand(rng *rand.Rand, dt DType, dims ...int) *Tensor {
	needSource("Rand", rng)
	if dt == Float32 { // of 24 bits, so that rounding never gives 1
		return floatsFrom("Rand", dt, dims, func(int) float64 { return float64(rng.Float32()) })
	}
	return floatsFrom("Rand", dt, dims, func(int) float64 { return rng.Float64() })
}

// Randn returns numbers drawn from the normal distribution of mean 0 and variance 1: for data and weights, outside of
// bodies.
//
// Shapes: dims; float dtypes.
// Aliasing: the result is fresh.
// Errors: panics with *[Error] for a nil rng, negative sizes and a dtype that is no float.
//
//hop:returns fresh
func Randn(rng *rand.Rand, dt DType, dims ...int) *Tensor {
	needSource("Randn", rng)
	return floatsFrom("Randn", dt, dims, func(int) float64 { return rng.NormFloat64() })
}

func needSource(fn string, rng *rand.Rand) {
	if rng == nil {
		misuse(fn, "rng is nil; pass a source, e.g. rand.New(rand.NewPCG(1, 2))")
	}
}

// floatsFrom fills a float tensor in row-major order.
func floatsFrom(fn string, dt DType, dims []int, at func(i int) float64) *Tensor {
	t := make1(fn, dt, dims)
	switch dt {
	case Float32:
		for i, data := 0, elems[float32](t.storage, 0, t.storage.n); i < len(data); i++ {
			data[i] = float32(at(i))
		}
	case Float64:
		for i, data := 0, elems[float64](t.storage, 0, t.storage.n); i < len(data); i++ {
			data[i] = at(i)
		}
	default:
		misuse(fn, "dtype is %s; want %s", dt, floats)
	}
	return t
}

// FromMatrix returns a copy of m as a float64 tensor of shape [rows, columns]: of a dense, symmetric, triangular or banded
// matrix, of a transposed one, of a slice of one, of a vector as one column.
//
// Aliasing: the result is fresh.
// Errors: panics with *[Error] for a nil matrix.
//
//hop:returns fresh
func FromMatrix(m mat.Matrix) *Tensor {
	if v := reflect.ValueOf(m); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		misuse("FromMatrix", "matrix is nil; pass one")
	}
	switch d := m.(type) {
	case *mat.Dense:
		return WrapDense(d).Clone()
	case mat.Transpose:
		return FromMatrix(d.Matrix).T().Clone()
	}
	rows, cols := m.Dims()
	t := make1("FromMatrix", Float64, []int{rows, cols})
	data := elems[float64](t.storage, 0, t.storage.n)
	for i := range rows {
		for j := range cols {
			data[i*cols+j] = m.At(i, j)
		}
	}
	return t
}

// WrapDense returns a float64 tensor of shape [rows, columns] on the memory of m, strided where m is a slice of a larger
// matrix.
//
// Aliasing: the tensor and m share memory. A write through m is not counted by [Tensor.Version].
// Errors: panics with *[Error] for a nil matrix.
//
//hop:returns view(m)
func WrapDense(m *mat.Dense) *Tensor {
	if m == nil {
		misuse("WrapDense", "matrix is nil; pass one")
	}
	raw := m.RawMatrix()
	whole := wrap(Float64, unsafe.Pointer(unsafe.SliceData(raw.Data)), len(raw.Data), []int{len(raw.Data)})
	return newView(whole, []int{raw.Rows, raw.Cols}, []int{raw.Stride, 1}, 0)
}
