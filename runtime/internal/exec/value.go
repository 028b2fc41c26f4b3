package exec

import (
	"unsafe"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
)

// value is where a node's result lies while an instance runs. Shape and strides never change; the address is fixed, or
// follows a mover.
type value struct {
	kernels.Array
	// mv is what moves the value, nil when its address is fixed; off is its distance from the mover's base in bytes.
	mv  *mover
	off int
	// level is the depth of the innermost loop whose steps change the value; 0 for a value that is made once per run.
	level int
	parts []*value // of a tuple
}

// scalar reports whether the value is rank 0: such a value has a fixed slot and is read and written unboxed.
func (v *value) scalar() bool { return len(v.Shape) == 0 }

// elems returns the number of elements.
func (v *value) elems() int { return v.NumElems() }

// bytes returns the size of the contiguous form.
func (v *value) bytes() int { return v.elems() * v.DType.Size() }

// mover is an address that changes from run to run or from step to step, with all copies of it.
type mover struct {
	base unsafe.Pointer
	// what says what lies there, in the text of a plan.
	what   string
	index  int
	places []place
}

// place is a copy of an address: base+off is written to *p when the mover moves.
type place struct {
	p   *unsafe.Pointer
	off int
}

// set moves to base. A nil base clears the copies: nothing is read through them until the next move.
func (m *mover) set(base unsafe.Pointer) {
	m.base = base
	for _, pl := range m.places {
		if base == nil {
			*pl.p = nil
		} else {
			*pl.p = unsafe.Add(base, pl.off)
		}
	}
}

// track keeps *p at the address of v from now on.
func (v *value) track(p *unsafe.Pointer) {
	*p = v.Ptr
	if v.mv != nil {
		v.mv.places = append(v.mv.places, place{p, v.off})
	}
}

// moving returns a contiguous value that lies at the mover's base.
func moving(m *mover, like *value, level int) *value {
	v := &value{Array: kernels.Contiguous(m.base, like.DType, like.Shape), mv: m, level: level}
	return v
}

// copyScalar copies one element of size bytes.
func copyScalar(dst, src unsafe.Pointer, size int) {
	switch size {
	case 8:
		*(*uint64)(dst) = *(*uint64)(src)
	case 4:
		*(*uint32)(dst) = *(*uint32)(src)
	default:
		*(*uint8)(dst) = *(*uint8)(src)
	}
}
