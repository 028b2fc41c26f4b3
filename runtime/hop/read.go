package hop

import (
	"iter"
	"unsafe"

	"gonum.org/v1/gonum/mat"
)

// data returns t for a read of elements of type T by fn: not nil, not traced, of that dtype.
func data[T Elem](fn string, t *Tensor) *Tensor {
	t = concrete(t, fn)
	if want := DTypeOf[T](); t.storage.dtype != want {
		misuse(fn, "tensor is %s, read as %s; convert it with To(%s)", describe(t.meta()), want, dtypeName(want))
	}
	return t
}

// ToSlice returns a copy of the elements, row by row.
//
// Errors: panics with *[Error] when T is not the tensor's dtype, and in a body for a tensor that depends on its inputs
// (HOP501).
//
//hop:returns fresh
func ToSlice[T Elem](t *Tensor) []T {
	t = data[T]("ToSlice", t)
	if !t.IsContiguous() {
		t = contiguousCopy(t)
		return elems[T](t.storage, 0, t.storage.n)
	}
	return append(make([]T, 0, t.NumElems()), elems[T](t.storage, t.offset, t.NumElems())...)
}

// Data returns the elements of a contiguous tensor themselves, row by row. It hands out the right to write, so it
// counts as one write; what is done through the slice afterwards is not counted.
//
// Aliasing: the slice is the memory of t's storage.
//
// In a body, Data of a captured tensor is a write to it (HOP104). The runtime finds it when the tensor also meets a tensor
// of the body in an op, before or after, in the same call of the body; Data alone, or on a tensor that only other captured
// tensors meet, is left to the hoplint command, and so is what is stored through a slice that was taken before. Bytes that
// were stored through the slice stay: nothing says what they were. To read in a body use [ToSlice], [Values] or [ItemAt].
// Errors: panics with *[Error] when T is not the tensor's dtype, when t is not contiguous (use [ToSlice]), for a leaf that
// requires grad (HOP602), and in a body for a tensor that depends on its inputs (HOP501).
//
//hop:mutates t
//hop:returns view(t)
func Data[T Elem](t *Tensor) []T {
	t = data[T]("Data", t)
	if !t.IsContiguous() {
		misuse("Data", "tensor is %s with strides %v; its elements do not lie row by row, use ToSlice or Contiguous", describe(t.meta()), t.strides)
	}
	refuseLeafWrite(t, "Data")
	t.tag.beforeWrite(t, "Data")
	t.storage.bump()
	return elems[T](t.storage, t.offset, t.NumElems())
}

// Item returns the one element of t.
//
// Errors: panics with *[Error] when t has more or fewer elements, when T is not the tensor's dtype, and in a body for a
// tensor that depends on its inputs (HOP501).
//
//hop:pure
func Item[T Elem](t *Tensor) T {
	t = data[T]("Item", t)
	if n := t.NumElems(); n != 1 {
		misuse("Item", "%s has %d elements; use ItemAt or ToSlice", describe(t.meta()), n)
	}
	return elems[T](t.storage, t.offset, 1)[0]
}

// ItemAt returns the element at index; negative indices count from the end.
//
// Errors: panics with *[Error] for a wrong number of indices or one out of range, when T is not the tensor's dtype, and in
// a body for a tensor that depends on its inputs (HOP501).
//
//hop:pure
func ItemAt[T Elem](t *Tensor, index ...int) T {
	t = data[T]("ItemAt", t)
	if len(index) != len(t.shape) {
		misuse("ItemAt", "%d indices %v for %s; give one for each of the %d dims", len(index), index, describe(t.meta()), len(t.shape))
	}
	at := t.offset
	for d, i := range index {
		n := t.shape[d]
		if i < -n || i >= n {
			misuse("ItemAt", "index %d of dim %d of %s; want %d to %d", i, d, describe(t.meta()), -n, n-1)
		}
		if i < 0 {
			i += n
		}
		at += i * t.strides[d]
	}
	return elems[T](t.storage, at, 1)[0]
}

// Values iterates over the elements row by row, without a copy. A write to the tensor meanwhile is seen.
//
// Errors: panics with *[Error] when T is not the tensor's dtype, and in a body for a tensor that depends on its inputs
// (HOP501).
//
//hop:pure
func Values[T Elem](t *Tensor) iter.Seq[T] {
	t = data[T]("Values", t)
	return func(yield func(T) bool) {
		t.offsets(func(at int) bool { return yield(elems[T](t.storage, at, 1)[0]) })
	}
}

// offsets visits the offset of every element in row-major order until f returns false.
func (t *Tensor) offsets(f func(at int) bool) {
	n := t.NumElems()
	index := make([]int, len(t.shape))
	at := t.offset
	for range n {
		if !f(at) {
			return
		}
		for d := len(index) - 1; d >= 0; d-- {
			index[d]++
			at += t.strides[d]
			if index[d] < t.shape[d] {
				break
			}
			at -= t.strides[d] * index[d]
			index[d] = 0
		}
	}
}

// Dense returns a copy of a float64 matrix for gonum.
//
// Shapes: [rows, columns], neither 0 or both, as in gonum.
// Errors: panics with *[Error] for another shape or dtype, and in a body for a tensor that depends on its inputs (HOP501).
//
//hop:returns fresh
func (t *Tensor) Dense() *mat.Dense {
	t = data[float64]("Dense", t)
	if len(t.shape) != 2 || (t.shape[0] == 0) != (t.shape[1] == 0) {
		misuse("Dense", "tensor is %s; want a matrix with rows and columns, or with neither, e.g. through View or Unsqueeze", describe(t.meta()))
	}
	if t.NumElems() == 0 {
		return new(mat.Dense)
	}
	return mat.NewDense(t.shape[0], t.shape[1], ToSlice[float64](t))
}

// indexOf returns the offset of the element at p.
func (s *storage) indexOf(p unsafe.Pointer) int {
	if s.n == 0 {
		return 0
	}
	return int(uintptr(p)-uintptr(s.ptr)) / s.dtype.Size()
}
