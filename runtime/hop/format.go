package hop

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Elements beyond maxPrinted are elided: the first and last edgeItems of each dim are shown. What fits maxLine columns is
// printed on one line.
const (
	maxPrinted = 1000
	edgeItems  = 3
	maxLine    = 80
)

// String returns the elements in brackets, as %v prints them: on one line where 80 columns are enough, and otherwise a row
// on each line, in columns aligned at their ends. Of more than 1000 elements the first and last three of each dim are
// shown. A traced tensor has no elements and prints its dtype and shape.
//
//hop:pure
func (t *Tensor) String() string { return t.text(&elementPrinter{precision: -1}) }

// Format prints t: %v and %s as String does, %+v with dtype, shape, strides, version, a number that the views of one storage
// share, and whether it requires grad. A precision, as in %.3v, rounds floats to so many digits, a width, as in %8v, is
// that of each element.
//
//hop:pure
func (t *Tensor) Format(f fmt.State, verb rune) {
	p := elementPrinter{precision: -1}
	if n, ok := f.Precision(); ok {
		p.precision = n
	}
	p.width, _ = f.Width()
	switch {
	case verb != 'v' && verb != 's':
		fmt.Fprintf(f, "%%!%c(*hop.Tensor=%s)", verb, t.text(&p))
	case f.Flag('+') && t != nil && traced(t) == nil:
		fmt.Fprintf(f, "%s strides=%v version=%d storage=%d", describe(t.meta()), t.strides, t.Version(), t.storage.birth)
		if t.RequiresGrad() {
			io.WriteString(f, " requires-grad")
		}
		text, between := t.text(&p), " "
		if strings.Contains(text, "\n") {
			between = "\n"
		}
		io.WriteString(f, between+text)
	default:
		io.WriteString(f, t.text(&p))
	}
}

func (t *Tensor) text(p *elementPrinter) string {
	if t == nil {
		return "<nil>"
	}
	if traced(t) != nil {
		return "traced " + describe(t.meta())
	}
	p.t, p.elide = t, t.brackets() > maxPrinted
	p.oneLine(0, t.offset)
	if len(p.b) <= maxLine || len(t.shape) == 0 {
		return string(p.b)
	}
	p.b, p.width = p.b[:0], max(p.width, p.widest)
	p.lines(0, t.offset)
	return string(p.b)
}

// brackets is how many elements t has or, for a tensor without elements, how many empty rows; no more than is of
// interest.
func (t *Tensor) brackets() int {
	n := 1
	for _, d := range t.shape {
		if d == 0 || n > maxPrinted {
			break
		}
		n *= d
	}
	return n
}

// elementPrinter writes the elements of one tensor.
type elementPrinter struct {
	t         *Tensor
	b         []byte
	elide     bool
	precision int
	width     int // least width of an element
	widest    int // of the elements so far
}

// indices calls f with the indices of dim d that are shown; -1 stands for those that are not.
func (p *elementPrinter) indices(d int, f func(i int)) {
	n := p.t.shape[d]
	for i := 0; i < n; i++ {
		if p.elide && n > 2*edgeItems && i == edgeItems {
			f(-1)
			i = n - edgeItems
		}
		f(i)
	}
}

// oneLine writes dims d and following at an offset.
func (p *elementPrinter) oneLine(d, at int) {
	if d == len(p.t.shape) {
		p.element(at)
		return
	}
	p.b = append(p.b, '[')
	p.indices(d, func(i int) {
		if i != 0 {
			p.b = append(p.b, ' ')
		}
		if i < 0 {
			p.b = append(p.b, "..."...)
			return
		}
		p.oneLine(d+1, at+i*p.t.strides[d])
	})
	p.b = append(p.b, ']')
}

// lines is oneLine with a row on each line, and an empty line more between matrices. Rows that are too long are broken.
func (p *elementPrinter) lines(d, at int) {
	p.b = append(p.b, '[')
	last, column := d == len(p.t.shape)-1, d+1
	p.indices(d, func(i int) {
		switch {
		case i == 0:
		case !last:
			p.b = append(p.b, strings.Repeat("\n", len(p.t.shape)-1-d)+strings.Repeat(" ", d+1)...)
		case column+1+p.width > maxLine-len(p.t.shape): // room for the brackets
			p.b = append(p.b, "\n"+strings.Repeat(" ", d+1)...)
			column = d + 1
		default:
			p.b = append(p.b, ' ')
			column++
		}
		switch {
		case i < 0:
			p.b = append(p.b, "..."...)
			column += 3
		case last:
			p.element(at + i*p.t.strides[d])
			column += p.width
		default:
			p.lines(d+1, at+i*p.t.strides[d])
		}
	})
	p.b = append(p.b, ']')
}

// element writes one element, with spaces before it up to the width.
func (p *elementPrinter) element(at int) {
	start := len(p.b)
	switch s := p.t.storage; s.dtype {
	case Bool:
		p.b = strconv.AppendBool(p.b, elems[bool](s, at, 1)[0])
	case Int32:
		p.b = strconv.AppendInt(p.b, int64(elems[int32](s, at, 1)[0]), 10)
	case Int64:
		p.b = strconv.AppendInt(p.b, elems[int64](s, at, 1)[0], 10)
	case Float32:
		p.b = strconv.AppendFloat(p.b, float64(elems[float32](s, at, 1)[0]), 'g', p.precision, 32)
	default:
		p.b = strconv.AppendFloat(p.b, elems[float64](s, at, 1)[0], 'g', p.precision, 64)
	}
	n := len(p.b) - start
	p.widest = max(p.widest, n)
	if pad := p.width - n; pad > 0 {
		p.b = append(p.b, strings.Repeat(" ", pad)...)
		copy(p.b[start+pad:], p.b[start:start+n])
		for i := range pad {
			p.b[start+i] = ' '
		}
	}
}
