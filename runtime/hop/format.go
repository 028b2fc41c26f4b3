package hop

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Elements beyond maxPrinted are elided: the first and last edgeItems of each dim are shown.
const (
	maxPrinted = 1000
	edgeItems  = 3
)

// String returns the elements in brackets, row by row, as %v prints them; large tensors are elided. A traced tensor has
// no elements and prints its dtype and shape.
//
//hop:pure
func (t *Tensor) String() string {
	if t == nil {
		return "<nil>"
	}
	if traced(t) != nil {
		return "traced " + describe(t.meta())
	}
	var b strings.Builder
	t.write(&b, 0, t.offset, t.NumElems() > maxPrinted)
	return b.String()
}

// Format prints t: %v and %s as String does, %+v with dtype, shape, strides, version and whether it requires grad.
//
//hop:pure
func (t *Tensor) Format(f fmt.State, verb rune) {
	switch {
	case verb != 'v' && verb != 's':
		fmt.Fprintf(f, "%%!%c(*hop.Tensor=%s)", verb, t.String())
	case f.Flag('+') && t != nil && traced(t) == nil:
		fmt.Fprintf(f, "%s strides=%v version=%d", describe(t.meta()), t.strides, t.Version())
		if t.RequiresGrad() {
			io.WriteString(f, " requires-grad")
		}
		io.WriteString(f, " "+t.String())
	default:
		io.WriteString(f, t.String())
	}
}

// write prints dims d and following at an offset.
func (t *Tensor) write(b *strings.Builder, d, at int, elide bool) {
	if d == len(t.shape) {
		b.WriteString(t.element(at))
		return
	}
	b.WriteByte('[')
	n := t.shape[d]
	for i := 0; i < n; i++ {
		if i > 0 {
			b.WriteByte(' ')
		}
		if elide && n > 2*edgeItems && i == edgeItems {
			b.WriteString("... ")
			i = n - edgeItems
		}
		t.write(b, d+1, at+i*t.strides[d], elide)
	}
	b.WriteByte(']')
}

func (t *Tensor) element(at int) string {
	switch t.storage.dtype {
	case Bool:
		return strconv.FormatBool(elems[bool](t.storage, at, 1)[0])
	case Int32:
		return strconv.FormatInt(int64(elems[int32](t.storage, at, 1)[0]), 10)
	case Int64:
		return strconv.FormatInt(elems[int64](t.storage, at, 1)[0], 10)
	case Float32:
		return strconv.FormatFloat(float64(elems[float32](t.storage, at, 1)[0]), 'g', -1, 32)
	default:
		return strconv.FormatFloat(elems[float64](t.storage, at, 1)[0], 'g', -1, 64)
	}
}
