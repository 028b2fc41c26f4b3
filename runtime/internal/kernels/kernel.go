package kernels

import (
	"unsafe"

	"github.com/hoplint/hoplint/tracer"
)

// Array is a strided window on memory.
type Array struct {
	// Ptr is the address of element 0 of the window; it keeps the memory alive. It may be nil when the window has no
	// elements.
	Ptr   unsafe.Pointer
	DType tracer.DType
	Shape []int
	// Strides are in elements; 0 repeats an element along a broadcast dim.
	Strides []int
}

// Call is one execution of a kernel.
type Call struct {
	// Out are the results: contiguous, of the inferred shape and dtype, sharing no memory with In. Their contents are
	// undefined before the call.
	Out []Array
	// In are the arguments, with any strides.
	In []Array
	// Attrs are the parameters that are no tensors, in schema order.
	Attrs tracer.Attrs

	// consts hold scalar parameters in the bytes of their dtype, so that a loop can read them as a repeated element.
	consts [2]uint64
	// over are the dims that a reduction visits: kept here because what a function value is given lives on the heap.
	over axes
	// room is for the dims of windows that a kernel makes and gives to a function value, for the same reason.
	room [4][maxWalk]int
}

// Kernel is how one op computes. Exactly one of Run and View is set.
type Kernel struct {
	// Run computes Out from In. It fails only where the op has run-time errors: an index out of range, an integer
	// division by zero; and when it is called for a dtype that the op table should have refused.
	Run func(c *Call) error
	// View derives the window that a view op returns from the window of its argument; no data moves. out has the
	// inferred shape; View fills Ptr and Strides. It reports false where no view exists (a reshape of a transposed
	// window): the caller then copies into a contiguous array and takes that.
	View func(in Array, attrs tracer.Attrs, out *Array) bool
	// Identity marks an op whose result equals its argument in all but memory: an executor, which writes no value twice,
	// gives both one place.
	Identity bool
	// Bind returns a function that does what Run does, for a call whose addresses may change but nothing else: what
	// depends on shapes and strides is decided once. It may be nil, and may return nil.
	Bind func(c *Call) func()
	// Pointwise is set for elementwise ops, so that the executor can fuse them and keep scalars unboxed.
	Pointwise *Pointwise
}
