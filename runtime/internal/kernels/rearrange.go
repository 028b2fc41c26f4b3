package kernels

import (
	"fmt"
	"unsafe"
)

// Ops that put elements into new places. Roll moves them along "dim" by "shift" places, those that fall off come back at
// the other end. Repeat repeats each "n" times along "dim". Pad puts "before" and "after" elements "value" around "dim".
// Tril and Triu keep what lies on one side of diagonal "k" of the last two dims.
var (
	Roll   = Kernel{Run: roll}
	Repeat = Kernel{Run: repeat}
	Pad    = Kernel{Run: pad}
	Tril   = Kernel{Run: func(c *Call) error { return triangle(c, true) }}
	Triu   = Kernel{Run: func(c *Call) error { return triangle(c, false) }}
)

// part is a with only the indices start to start+length of dim. shape has room for the dims.
func part(a *Array, dim, start, length int, shape []int) Array {
	shape = append(shape[:0], a.Shape...)
	shape[dim] = length
	p := Array{Ptr: a.Ptr, DType: a.DType, Shape: shape, Strides: a.Strides}
	if NumElems(shape) > 0 {
		p.Ptr = step(a.Ptr, a.DType, start*a.Strides[dim])
	}
	return p
}

func roll(c *Call) error {
	in, out, dim := &c.In[0], &c.Out[0], c.Attrs.Int("dim")
	n := in.Shape[dim]
	if n == 0 {
		return nil
	}
	shift := c.Attrs.Int("shift") % n
	if shift < 0 {
		shift += n
	}
	var a, b [maxWalk]int
	for _, move := range [2][3]int{{0, shift, n - shift}, {n - shift, 0, shift}} {
		from, to := part(in, dim, move[0], move[2], a[:]), part(out, dim, move[1], move[2], b[:])
		CopyTo(&to, &from)
	}
	return nil
}

// repeat copies to a result of one dim more, along which the argument does not move.
func repeat(c *Call) error {
	in, out, dim, n := &c.In[0], &c.Out[0], c.Attrs.Int("dim"), c.Attrs.Int("n")
	if out.NumElems() == 0 {
		return nil
	}
	var bufs [3][maxWalk + 1]int
	shape := append(append(append(bufs[0][:0], in.Shape[:dim+1]...), n), in.Shape[dim+1:]...)
	from := append(append(append(bufs[1][:0], in.Strides[:dim+1]...), 0), in.Strides[dim+1:]...)
	to := append(append(bufs[2][:0], out.Strides[:dim+1]...), out.Strides[dim:]...)
	to[dim] *= n
	CopyTo(&Array{Ptr: out.Ptr, DType: out.DType, Shape: shape, Strides: to}, &Array{Ptr: in.Ptr, DType: in.DType, Shape: shape, Strides: from})
	return nil
}

func pad(c *Call) error {
	in, out, dim := &c.In[0], &c.Out[0], c.Attrs.Int("dim")
	before, after, n := c.Attrs.Int("before"), c.Attrs.Int("after"), in.Shape[dim]
	if err := Const(unsafe.Pointer(&c.consts[0]), out.DType, c.Attrs.Float("value")); err != nil {
		return fmt.Errorf("pad: %w", err)
	}
	var buf [maxWalk]int
	for _, edge := range [2][2]int{{0, before}, {before + n, after}} {
		window := part(out, dim, edge[0], edge[1], buf[:])
		Fill(&window, unsafe.Pointer(&c.consts[0]))
	}
	window := part(out, dim, before, n, buf[:])
	CopyTo(&window, in)
	return nil
}

// triangle copies everything and then clears, row by row, what lies beyond the diagonal.
func triangle(c *Call, lower bool) error {
	in, out, k := &c.In[0], &c.Out[0], c.Attrs.Int("k")
	CopyTo(out, in)
	total := out.NumElems()
	if total == 0 {
		return nil
	}
	rank := len(out.Shape)
	rows, columns, size := out.Shape[rank-2], out.Shape[rank-1], out.DType.Size()
	for row := range total / columns {
		// A row keeps the columns up to, or from, that of the diagonal; k may be as large as an int.
		i := row % rows
		from, to := 0, 0
		if lower {
			from, to = columns, columns
			if k < columns-i {
				from = max(i+k+1, 0)
			}
		} else if k > -i {
			to = columns
			if k < columns-i {
				to = i + k
			}
		}
		if from < to {
			clear(vec[byte](step(out.Ptr, out.DType, row*columns+from), (to-from)*size))
		}
	}
	return nil
}
