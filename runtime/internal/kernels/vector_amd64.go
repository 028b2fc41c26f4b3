package kernels

import (
	"unsafe"

	"github.com/hoplint/hoplint/tracer"
)

// vector computes n elements of contiguous windows with AVX; n is a multiple of 8. VV reads b along, VS reads the one
// element at b. Products and sums are rounded separately, as in the Go loops.
type vector func(o, a, b, c unsafe.Pointer, n int)

//go:noescape
func addVV32(o, a, b, c unsafe.Pointer, n int)

//go:noescape
func addVV64(o, a, b, c unsafe.Pointer, n int)

//go:noescape
func addVS32(o, a, b, c unsafe.Pointer, n int)

//go:noescape
func addVS64(o, a, b, c unsafe.Pointer, n int)

//go:noescape
func subVV32(o, a, b, c unsafe.Pointer, n int)

//go:noescape
func subVV64(o, a, b, c unsafe.Pointer, n int)

//go:noescape
func subVS32(o, a, b, c unsafe.Pointer, n int)

//go:noescape
func subVS64(o, a, b, c unsafe.Pointer, n int)

//go:noescape
func mulVV32(o, a, b, c unsafe.Pointer, n int)

//go:noescape
func mulVV64(o, a, b, c unsafe.Pointer, n int)

//go:noescape
func mulVS32(o, a, b, c unsafe.Pointer, n int)

//go:noescape
func mulVS64(o, a, b, c unsafe.Pointer, n int)

//go:noescape
func divVV32(o, a, b, c unsafe.Pointer, n int)

//go:noescape
func divVV64(o, a, b, c unsafe.Pointer, n int)

//go:noescape
func divVS32(o, a, b, c unsafe.Pointer, n int)

//go:noescape
func divVS64(o, a, b, c unsafe.Pointer, n int)

//go:noescape
func mulAddVV32(o, a, b, c unsafe.Pointer, n int)

//go:noescape
func mulAddVV64(o, a, b, c unsafe.Pointer, n int)

//go:noescape
func mulAddVS32(o, a, b, c unsafe.Pointer, n int)

//go:noescape
func mulAddVS64(o, a, b, c unsafe.Pointer, n int)

//go:noescape
func blendVV32(o, a, b, c unsafe.Pointer, n int)

//go:noescape
func blendVV64(o, a, b, c unsafe.Pointer, n int)

// hasAVX reports whether processor and operating system keep 256-bit registers.
func hasAVX() bool

// vectorLayouts are the vectors of one op and dtype; nil where there is none.
type vectorLayouts struct {
	vv, vs vector
	// third is set when the third argument is read along too.
	third bool
}

func vectorsOf(op string, dt tracer.DType) vectorLayouts {
	single := dt == tracer.Float32
	if !single && dt != tracer.Float64 {
		return vectorLayouts{}
	}
	pick := func(f32, f64 vector) vector {
		if single {
			return f32
		}
		return f64
	}
	switch op {
	case "add":
		return vectorLayouts{vv: pick(addVV32, addVV64), vs: pick(addVS32, addVS64)}
	case "sub":
		return vectorLayouts{vv: pick(subVV32, subVV64), vs: pick(subVS32, subVS64)}
	case "mul":
		return vectorLayouts{vv: pick(mulVV32, mulVV64), vs: pick(mulVS32, mulVS64)}
	case "div":
		return vectorLayouts{vv: pick(divVV32, divVV64), vs: pick(divVS32, divVS64)}
	case "mul_add":
		return vectorLayouts{vv: pick(mulAddVV32, mulAddVV64), vs: pick(mulAddVS32, mulAddVS64), third: true}
	case "blend":
		return vectorLayouts{vv: pick(blendVV32, blendVV64)}
	default:
		return vectorLayouts{}
	}
}

// vectorised gives the codes of op vector loops where the machine has them.
func vectorised(op string, t [6]Code) [6]Code {
	if !hasAVX() {
		return t
	}
	for _, dt := range tracer.DTypes() {
		if v := vectorsOf(op, dt); v.vv != nil {
			t[dt].Loop = v.around(t[dt].Loop, dt.Size())
		}
	}
	return t
}

// around uses vectors for long contiguous windows and the Go loop for the rest.
func (v vectorLayouts) around(loop Loop, size int) Loop {
	return func(o, a, b, c unsafe.Pointer, n, sa, sb, sc int) {
		var f vector
		if n >= 8 && sa == 1 && (!v.third || sc == 1) {
			switch sb {
			case 1:
				f = v.vv
			case 0:
				f = v.vs
			}
		}
		if f == nil {
			loop(o, a, b, c, n, sa, sb, sc)
			return
		}
		m := n &^ 7
		f(o, a, b, c, m)
		if m < n {
			o, a, b = unsafe.Add(o, m*size), unsafe.Add(a, m*size), unsafe.Add(b, m*sb*size)
			loop(o, a, b, unsafe.Add(c, m*sc*size), n-m, sa, sb, sc)
		}
	}
}
