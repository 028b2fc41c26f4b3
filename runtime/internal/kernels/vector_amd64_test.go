package kernels

import (
	"testing"
	"unsafe"

	"github.com/hoplint/hoplint/tracer"
)

// TestVectorsEqualGoLoops: the same bits for every length around the widths of a turn, at any alignment.
func TestVectorsEqualGoLoops(t *testing.T) {
	if !hasAVX() {
		t.Log("this machine has no AVX: the Go loops run everywhere")
	}
	for _, op := range []struct {
		name   string
		codes  func() [6]Code
		thirds []int // strides of the third argument
	}{
		{"add", codesAdd, []int{0}}, {"sub", codesSub, []int{0}}, {"mul", codesMul, []int{0}}, {"div", codesDiv, []int{0}},
		{"mul_add", codesMulAdd, []int{0, 1}}, {"blend", codesBlend, []int{0}},
	} {
		plain, fast := op.codes(), vectorised(op.name, op.codes())
		for _, dt := range floats {
			r := newSource(uint64(dt))
			for n := range 70 {
				for _, sb := range []int{0, 1} {
					for _, sc := range op.thirds {
						size := dt.Size()
						a, b, c := r.values(dt, n+3), r.values(dt, n+3), r.values(dt, n+3)
						want, got := dirty(dt, n+2), dirty(dt, n+2)
						pa, pb, pc := unsafe.Add(a.Ptr, size), b.Ptr, unsafe.Add(c.Ptr, size)
						plain[dt].Loop(unsafe.Add(want.Ptr, size), pa, pb, pc, n, 1, sb, sc)
						fast[dt].Loop(unsafe.Add(got.Ptr, size), pa, pb, pc, n, 1, sb, sc)
						for i := range n + 2 {
							if g, w := numAt(&got, []int{i}), numAt(&want, []int{i}); !agree(g, w, dt, 0) {
								t.Fatalf("%s of %d %s, strides 1, %d, %d, element %d: got %s, want %s", op.name, n, dt, sb, sc, i-1, g.show(dt), w.show(dt))
							}
						}
					}
				}
			}
		}
	}
}

func (r source) values(dt tracer.DType, n int) Array {
	a := New(dt, n)
	for i := range n {
		r.write(unsafe.Add(a.Ptr, i*dt.Size()), dt)
	}
	return a
}
