package hop

import (
	"slices"
	"unsafe"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

// Tensor is a window on a storage: dtype, shape, strides, offset. Tensors are handled by pointer; a view is another
// Tensor on the same storage. Functional methods return fresh storage, methods ending in InPlace and CopyFrom, Fill,
// Zero and Set write it.
//
// While a body is traced, its tensors have no data: they stand for values of the graph that is being recorded.
//
// Concurrent reads are safe, and so are concurrent ops on the same tensors. A write beside a read or beside another write
// is the caller's error, as it is for any Go variable.
type Tensor struct {
	storage *storage // nil for a traced tensor
	shape   []int    // hints where dims are symbolic
	strides []int    // in elements
	offset  int      // in elements

	value *tracer.Value // set for a traced tensor
	tag   *tag          // what follows the operands: observers, stepwise runs; nil for most tensors
	tape  *tapeEntry    // place in autograd; nil when the tensor needs no gradient
}

// inlineDims is the rank up to which a tensor needs no extra allocation for its shape and strides.
const inlineDims = 4

// tensorBox is a tensor with its storage, dims and one element in a single allocation.
type tensorBox struct {
	t    Tensor
	s    storage
	dims [2 * inlineDims]int
	one  uint64
}

// viewBox is a view with its dims in a single allocation.
type viewBox struct {
	t    Tensor
	dims [2 * inlineDims]int
}

// newTensor returns a contiguous tensor with fresh zeroed storage, and refuses what no memory can hold.
func newTensor(dt DType, dims []int) *Tensor {
	b := new(tensorBox)
	t := &b.t
	t.storage = &b.s
	t.setDims(b.dims[:0], dims)
	n := contiguousStrides(t.shape, t.strides)
	if n == 1 {
		b.s.dtype, b.s.n, b.s.birth, b.s.ptr = dt, 1, nextStamp(), unsafe.Pointer(&b.one)
		return t
	}
	if n < 0 || n > 1<<24 { // small requests need no look
		if _, ok := numElems(dt, dims); !ok {
			misuse("", "a result of %s%v is larger than memory can be; use smaller sizes", dt, slices.Clone(dims))
		}
	}
	b.s.alloc(dt, n)
	return t
}

// setDims copies dims into t.shape and makes room for strides, in buf where it is large enough.
func (t *Tensor) setDims(buf []int, dims []int) {
	r := len(dims)
	if cap(buf) < 2*r {
		buf = make([]int, 0, 2*r)
	}
	buf = buf[:2*r]
	t.shape, t.strides = buf[:r:r], buf[r:2*r:2*r]
	copy(t.shape, dims)
}

// contiguousStrides fills strides for a row-major layout and returns the number of elements.
func contiguousStrides(shape, strides []int) int {
	n := 1
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = n
		n *= shape[i]
	}
	return n
}

// newView returns a tensor on base's storage. Shape and strides are copied.
func newView(base *Tensor, shape, strides []int, offset int) *Tensor {
	b := new(viewBox)
	t := &b.t
	t.storage, t.offset, t.tag = base.storage, offset, base.tag
	if base.tape == detached {
		t.tape = detached // so is every view of it
	}
	t.setDims(b.dims[:0], shape)
	copy(t.strides, strides)
	return t
}

// array returns t as kernels see it.
func (t *Tensor) array() kernels.Array {
	a := kernels.Array{DType: t.storage.dtype, Shape: t.shape, Strides: t.strides}
	if t.storage.n > 0 {
		a.Ptr = unsafe.Add(t.storage.ptr, t.offset*t.storage.dtype.Size())
	}
	return a
}

// DType returns the element type.
func (t *Tensor) DType() DType {
	switch {
	case t.value != nil:
		return t.value.Meta().DType
	case t.storage == nil: // a zero Tensor, which ops refuse
		return 0
	}
	return t.storage.dtype
}

// isZero reports whether t was made by new(Tensor) or &Tensor{}: it has neither elements nor a trace.
func (t *Tensor) isZero() bool { return t.storage == nil && t.value == nil }

// Rank returns the number of dims; 0 for a scalar.
func (t *Tensor) Rank() int { return len(t.shape) }

// Dim returns the size of dim i; a negative i counts from the end. In a traced function it fixes a dynamic dim, as
// [Int.Value] does; see [Tensor.SymDim].
func (t *Tensor) Dim(i int) int {
	d := mustDim("Dim", i, len(t.shape))
	t.fix(d)
	return t.shape[d]
}

// Shape returns a copy of the shape. In a traced function it fixes dynamic dims; see [Tensor.SymShape].
func (t *Tensor) Shape() []int {
	t.fixAll()
	return t.dims()
}

// fixAll makes all dims of a traced tensor constant.
func (t *Tensor) fixAll() {
	if t.value != nil {
		for d := range t.shape {
			t.fix(d)
		}
	}
}

// dims is Shape with the sizes of the example in place of dynamic dims, which it does not fix.
func (t *Tensor) dims() []int { return slices.Clone(t.shape) }

// fix makes dim d of a traced tensor constant.
func (t *Tensor) fix(d int) {
	if t.value == nil {
		return
	}
	if _, constant := t.value.Meta().Shape[d].Const(); !constant {
		t.size(d).Value()
	}
}

// Strides returns a copy of the strides, in elements. A traced tensor has those of a contiguous one.
func (t *Tensor) Strides() []int { return slices.Clone(t.strides) }

// NumElems returns the number of elements. In a traced function it fixes dynamic dims.
func (t *Tensor) NumElems() int {
	t.fixAll()
	return t.count()
}

// count is NumElems with the sizes of the example.
func (t *Tensor) count() int {
	n := 1
	for _, d := range t.shape {
		n *= d
	}
	return n
}

// Version returns how often the storage was written; all views of a storage share it.
func (t *Tensor) Version() uint64 {
	if v := traced(t); v != nil {
		return v.Version()
	}
	if t.isZero() {
		return 0
	}
	return t.storage.version.Load()
}

// SharesStorage reports whether t and u are windows on the same storage. Tensors without elements share nothing.
func (t *Tensor) SharesStorage(u *Tensor) bool {
	if t.count() == 0 || u.count() == 0 || t.isZero() || u.isZero() {
		return false
	}
	if v, w := traced(t), traced(u); v != nil || w != nil {
		return v != nil && w != nil && v.SharesStore(w)
	}
	return t.storage == u.storage
}

// IsContiguous reports whether the elements lie in row-major order without gaps.
func (t *Tensor) IsContiguous() bool {
	n := 1
	for i := len(t.shape) - 1; i >= 0; i-- {
		if t.shape[i] == 0 {
			return true
		}
		if t.shape[i] != 1 && t.strides[i] != n {
			return false
		}
		n *= t.shape[i]
	}
	return true
}
