package hop

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
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

// Format prints t: %v and %s as String does, %q the same in quotes, %+v with dtype, shape, strides, version, a number that
// the views of one storage share, and whether it requires grad. In %v a precision, as in %.3v, rounds floats to so many
// digits; a width, as in %8v, is that of each element, and - as in %-8v puts elements to the left of it.
//
// The verbs of numbers print element by element, with flags, width and precision as for one number, in the brackets of
// %v: %e %E %f %F %g %G %b %x %X floats, %d %b %c %o %O %x %X %U integers, %t bools. Any other verb prints as fmt prints
// what it does not know: %!d(*hop.Tensor=[0.5 1]).
//
//hop:pure
func (t *Tensor) Format(f fmt.State, verb rune) {
	p := elementPrinter{precision: -1, left: f.Flag('-')}
	if n, ok := f.Precision(); ok {
		p.precision = n
	}
	p.width, _ = f.Width()
	switch {
	case verb == 'v' && f.Flag('+') && t != nil && !t.isZero() && traced(t) == nil:
		fmt.Fprintf(f, "%s strides=%v version=%d storage=%d", describe(t.meta()), t.strides, t.Version(), t.storage.birth)
		if t.RequiresGrad() {
			io.WriteString(f, " requires-grad")
		}
		text, between := t.text(&p), " "
		if strings.Contains(text, "\n") {
			between = "\n"
		}
		io.WriteString(f, between+text)
	case verb == 'v' || verb == 's':
		io.WriteString(f, t.text(&p))
	case verb == 'q':
		io.WriteString(f, strconv.Quote(t.text(&p)))
	case t == nil || t.isZero() || strings.ContainsRune(verbsOf(t.DType()), verb):
		p.format = fmt.FormatString(f, verb)
		io.WriteString(f, t.text(&p))
	default:
		fmt.Fprintf(f, "%%!%c(*hop.Tensor=%s)", verb, t.text(&p))
	}
}

// verbsOf are the verbs that print elements of a dtype, beside %v.
func verbsOf(dt DType) string {
	switch {
	case dt.IsFloat():
		return "beEfFgGxX"
	case dt.IsInt():
		return "bcdoOxXU"
	default:
		return "t"
	}
}

func (t *Tensor) text(p *elementPrinter) string {
	switch {
	case t == nil:
		return "<nil>"
	case t.isZero():
		return "zero Tensor"
	case traced(t) != nil:
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
	format    string // of an element; empty for the shortest form, or precision digits
	left      bool   // pad on the right
	width     int    // least width of an element
	widest    int    // of the elements so far
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
	p.number(at)
	n := utf8.RuneCount(p.b[start:])
	p.widest = max(p.widest, n)
	pad := p.width - n
	switch {
	case pad <= 0:
	case p.left:
		p.b = append(p.b, strings.Repeat(" ", pad)...)
	default:
		p.b = slices.Insert(p.b, start, slices.Repeat([]byte{' '}, pad)...)
	}
}

// number writes one element as it is.
func (p *elementPrinter) number(at int) {
	switch s := p.t.storage; {
	case p.format != "":
		p.b = fmt.Appendf(p.b, p.format, s.element(at))
	case s.dtype == Bool:
		p.b = strconv.AppendBool(p.b, elems[bool](s, at, 1)[0])
	case s.dtype == Int32:
		p.b = strconv.AppendInt(p.b, int64(elems[int32](s, at, 1)[0]), 10)
	case s.dtype == Int64:
		p.b = strconv.AppendInt(p.b, elems[int64](s, at, 1)[0], 10)
	case s.dtype == Float32:
		p.b = strconv.AppendFloat(p.b, float64(elems[float32](s, at, 1)[0]), 'g', p.precision, 32)
	default:
		p.b = strconv.AppendFloat(p.b, elems[float64](s, at, 1)[0], 'g', p.precision, 64)
	}
}

// element returns the element at an offset as the Go number that it is.
func (s *storage) element(at int) any {
	switch s.dtype {
	case Bool:
		return elems[bool](s, at, 1)[0]
	case Int32:
		return elems[int32](s, at, 1)[0]
	case Int64:
		return elems[int64](s, at, 1)[0]
	case Float32:
		return elems[float32](s, at, 1)[0]
	default:
		return elems[float64](s, at, 1)[0]
	}
}
