package kernels

import (
	"testing"
	"unsafe"
)

// TestProductOfNothing multiplies matrices whose common dim is 0, in both layouts of the right one. They have no
// memory: under the race detector a computed address is refused.
func TestProductOfNothing(t *testing.T) {
	const m, n = 2, 3
	for _, b := range []matrix{{row: n, col: 1}, {row: 1, col: 0}, {row: 1, col: 4}} {
		got := []float64{1, 2, 3, 4, 5, 6}
		o := matrix{p: unsafe.Pointer(unsafe.SliceData(got)), row: n, col: 1}
		gemmFor(dtypeOf[float64](), m, 0, n)(o, matrix{row: 0, col: 1}, b, m, 0, n)
		for i, x := range got {
			if x != 0 {
				t.Errorf("b %+v: element %d is %v, want 0", b, i, x)
			}
		}
	}
}
