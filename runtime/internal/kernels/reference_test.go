package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"unsafe"

	"github.com/hoplint/hoplint/tracer"
)

// num is one element of the references: f for floats, i for integers and bools.
type num struct {
	f float64
	i int64
}

// numAt reads the element of a at index idx, which may be longer than a's shape and broadcast over it.
func numAt(a *Array, idx []int) num {
	offset := 0
	for d := range a.Shape {
		if i := idx[len(idx)-len(a.Shape)+d]; a.Shape[d] != 1 {
			offset += i * a.Strides[d]
		}
	}
	return numOf(unsafe.Add(a.Ptr, offset*a.DType.Size()), a.DType)
}

func numOf(p unsafe.Pointer, dt tracer.DType) num {
	switch dt {
	case tracer.Bool:
		return num{i: int64(*(*uint8)(p))}
	case tracer.Int32:
		return num{i: int64(*(*int32)(p))}
	case tracer.Int64:
		return num{i: *(*int64)(p)}
	case tracer.Float32:
		return num{f: float64(*(*float32)(p))}
	default:
		return num{f: *(*float64)(p)}
	}
}

// rounded brings a number into the range of dt.
func (n num) rounded(dt tracer.DType) num {
	switch dt {
	case tracer.Int32:
		n.i = int64(int32(n.i))
	case tracer.Float32:
		n.f = float64(float32(n.f))
	}
	return n
}

// agree compares to the bit, but all NaNs are equal; ulps allows that many units of the last place for floats.
func agree(got, want num, dt tracer.DType, ulps float64) bool {
	if !dt.IsFloat() {
		return got.i == want.i
	}
	if got.f != got.f || want.f != want.f {
		return got.f != got.f && want.f != want.f
	}
	if got.f == want.f {
		return math.Signbit(got.f) == math.Signbit(want.f) || ulps > 0
	}
	eps := 0x1p-52
	tiny := math.SmallestNonzeroFloat64
	if dt == tracer.Float32 {
		eps, tiny = 0x1p-23, math.SmallestNonzeroFloat32
	}
	return math.Abs(got.f-want.f) <= ulps*max(eps*math.Abs(want.f), tiny)
}

func (n num) show(dt tracer.DType) string {
	if dt.IsFloat() {
		return fmt.Sprint(n.f)
	}
	return fmt.Sprint(n.i)
}

// source makes random windows.
type source struct {
	*rand.Rand
	// plain leaves out the values at the edges of IEEE and of the integers.
	plain bool
}

func newSource(seed uint64) source { return source{Rand: rand.New(rand.NewPCG(seed, 7))} }

func (r source) write(p unsafe.Pointer, dt tracer.DType) {
	edge := !r.plain && r.IntN(3) == 0
	switch dt {
	case tracer.Bool:
		*(*uint8)(p) = uint8(r.IntN(2))
	case tracer.Int32:
		*(*int32)(p) = int32(r.IntN(19) - 9)
		if edge {
			*(*int32)(p) = []int32{math.MinInt32, math.MaxInt32, 0, -1}[r.IntN(4)]
		}
	case tracer.Int64:
		*(*int64)(p) = int64(r.IntN(19) - 9)
		if edge {
			*(*int64)(p) = []int64{math.MinInt64, math.MaxInt64, 0, -1}[r.IntN(4)]
		}
	case tracer.Float32:
		*(*float32)(p) = float32(r.NormFloat64() * 2)
		if edge {
			*(*float32)(p) = []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0, float32(math.Copysign(0, -1)),
				math.MaxFloat32, math.SmallestNonzeroFloat32, 0.5, -1.5, 2.5}[r.IntN(10)]
		}
	default:
		*(*float64)(p) = r.NormFloat64() * 2
		if edge {
			*(*float64)(p) = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), math.MaxFloat64,
				math.SmallestNonzeroFloat64, 0.5, -1.5, 2.5}[r.IntN(10)]
		}
	}
}

// shape returns up to 4 dims, now and then one of size zero.
func (r source) shape() []int {
	shape := make([]int, r.IntN(5))
	for d := range shape {
		shape[d] = []int{1, 2, 3, 4, 7}[r.IntN(5)]
	}
	if len(shape) > 0 && r.IntN(12) == 0 {
		shape[r.IntN(len(shape))] = 0
	}
	return shape
}

// window returns a window of random layout and contents: contiguous, permuted, with gaps, reversed, repeated dims, at
// an offset.
func (r source) window(dt tracer.DType, shape []int) Array {
	rank := len(shape)
	strides := make([]int, rank)
	contiguous := r.IntN(3) == 0
	next, low, high := 1, 0, 0
	order := r.Perm(rank)
	if contiguous {
		for i := range order {
			order[i] = rank - 1 - i
		}
	}
	for _, d := range order {
		strides[d] = next
		next *= max(shape[d], 1)
		if !contiguous {
			next += r.IntN(3)
			switch r.IntN(6) {
			case 0:
				strides[d] = -strides[d]
			case 1:
				strides[d] = 0
			}
		}
		if reach := strides[d] * (max(shape[d], 1) - 1); reach < 0 {
			low += reach
		} else {
			high += reach
		}
	}
	before := r.IntN(3)
	buffer := New(dt, before-low+high+1+r.IntN(2))
	for i := range buffer.NumElems() {
		r.write(unsafe.Add(buffer.Ptr, i*dt.Size()), dt)
	}
	return Array{Ptr: unsafe.Add(buffer.Ptr, (before-low)*dt.Size()), DType: dt, Shape: shape, Strides: strides}
}

// broadcastable returns a shape that broadcasts to shape.
func (r source) broadcastable(shape []int) []int {
	small := append([]int{}, shape...)
	for d := range small {
		if r.IntN(4) == 0 {
			small[d] = 1
		}
	}
	if r.IntN(4) == 0 {
		small = small[r.IntN(len(small)+1):]
	}
	return small
}

// eachIndex visits the indices of shape in row-major order.
func eachIndex(shape []int, f func(i int, idx []int)) {
	idx := make([]int, len(shape))
	for i := range NumElems(shape) {
		f(i, idx)
		for d := len(shape) - 1; d >= 0; d-- {
			if idx[d]++; idx[d] < shape[d] {
				break
			}
			idx[d] = 0
		}
	}
}

// dirty returns a contiguous result full of bytes that a kernel must overwrite.
func dirty(dt tracer.DType, shape ...int) Array {
	a := New(dt, append([]int{}, shape...)...)
	for i := range a.NumElems() * dt.Size() {
		*(*byte)(unsafe.Add(a.Ptr, i)) = 1
	}
	return a
}

func attrs(kv ...any) tracer.Attrs {
	var a tracer.Attrs
	for i := 0; i < len(kv); i += 2 {
		a = append(a, tracer.Attr{Key: kv[i].(string), Value: kv[i+1]})
	}
	return a
}

func describe(ins []Array) string {
	s := ""
	for _, a := range ins {
		s += fmt.Sprintf(" %s%v strides %v", a.DType.Short(), a.Shape, a.Strides)
	}
	return s
}
