package kernels

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/hoplint/hoplint/tracer"
)

// Einsum sums products of one or two arguments over the dims that the attribute "spec" names and the result does not
// have: "ij,jk->ik" is a matrix product. The spec is explicit: a letter for each dim, a result, no ellipsis. Dims of one
// letter have equal sizes or size 1, which repeats. It runs as a batched matrix product on windows of the arguments; an
// argument is copied only where the dims of its rows or columns do not merge.
var Einsum = Kernel{Run: einsum}

// labelled is a window whose dims have distinct letters.
type labelled struct {
	Array
	labels []byte
}

func einsum(c *Call) error {
	out, spec := &c.Out[0], c.Attrs.Str("spec")
	left, right, _ := strings.Cut(spec, "->")
	words := strings.Split(left, ",")
	switch {
	case len(words) != len(c.In) || len(c.In) > 2:
		return fmt.Errorf("einsum %s of %d arguments; want one or two, as many as the spec has", spec, len(c.In))
	case gemmFor(out.DType, 1, 1, 1) == nil:
		return unsupported("einsum", out.DType)
	case out.NumElems() == 0:
		return nil
	}
	e := contraction{dt: out.DType, size: map[byte]int{}, out: []byte(right)}
	args := make([]labelled, len(c.In))
	for i := range c.In {
		for _, l := range []byte(words[i]) {
			e.size[l] = max(e.size[l], 1)
		}
	}
	for i := range c.In {
		args[i] = diagonals(c.In[i], words[i])
		for d, l := range args[i].labels {
			e.size[l] = args[i].Shape[d]
		}
		if args[i].NumElems() == 0 { // sums of nothing
			Fill(out, unsafe.Pointer(new(uint64)))
			return nil
		}
	}
	if len(args) == 1 {
		a, err := e.sum(args[0], nil)
		if err == nil {
			window := e.ordered(a, e.out)
			CopyTo(out, &window)
		}
		return err
	}
	a, err := e.sum(args[0], args[1].labels)
	if err != nil {
		return err
	}
	b, err := e.sum(args[1], args[0].labels)
	if err != nil {
		return err
	}
	return e.product(out, a, b)
}

// diagonals gives the dims of a their letters; dims of one letter become their diagonal. Dims of size 1 are left out: they
// repeat.
func diagonals(a Array, word string) labelled {
	w := labelled{Array: Array{Ptr: a.Ptr, DType: a.DType}}
	for d := range word {
		l := word[d]
		if a.Shape[d] == 1 {
			continue
		}
		if i := slices.Index(w.labels, l); i >= 0 {
			w.Strides[i] += a.Strides[d]
			continue
		}
		w.labels = append(w.labels, l)
		w.Shape = append(w.Shape, a.Shape[d])
		w.Strides = append(w.Strides, a.Strides[d])
	}
	return w
}

// contraction is one einsum.
type contraction struct {
	dt   tracer.DType
	size map[byte]int
	out  []byte
}

// sum adds up the dims of a that neither the result nor the other argument has.
func (e *contraction) sum(a labelled, other []byte) (labelled, error) {
	var kept, over []byte
	for _, l := range a.labels {
		if slices.Contains(e.out, l) || slices.Contains(other, l) {
			kept = append(kept, l)
		} else {
			over = append(over, l)
		}
	}
	if len(over) == 0 {
		return a, nil
	}
	dims := make([]int, len(over))
	for i := range dims {
		dims[i] = len(kept) + i
	}
	result := e.fresh(kept)
	window := e.ordered(a, slices.Concat(kept, over))
	err := Sum.Run(&Call{Out: []Array{result.Array}, In: []Array{window}, Attrs: tracer.Attrs{{Key: "dims", Value: dims}}})
	return result, err
}

// product multiplies two arguments. Letters of both and the result are batch dims, of one of them and the result rows or
// columns, of both but not the result the inner dim.
func (e *contraction) product(out *Array, a, b labelled) error {
	var batch, rows, cols, inner []byte
	for _, l := range e.out {
		inA, inB := slices.Contains(a.labels, l), slices.Contains(b.labels, l)
		switch {
		case inA && inB:
			batch = append(batch, l)
		case inA:
			rows = append(rows, l)
		case inB:
			cols = append(cols, l)
		}
	}
	for _, l := range a.labels {
		if !slices.Contains(e.out, l) {
			inner = append(inner, l)
		}
	}
	if len(inner) == 0 {
		return Mul.Run(&Call{Out: []Array{*out}, In: []Array{e.ordered(a, e.out), e.ordered(b, e.out)}})
	}
	if len(cols) > 0 && slices.Index(e.out, last(rows)) > slices.Index(e.out, last(cols)) {
		a, b, rows, cols = b, a, cols, rows // the last dim of the result is a column, which blas can write
	}
	m, k, n := e.elems(rows), e.elems(inner), e.elems(cols)
	large := m*k*n >= blasWork
	ma, wa := e.matrix(a, batch, rows, inner, large)
	mb, wb := e.matrix(b, batch, inner, cols, large)
	result := labelled{*out, e.out}
	mo, wo, direct := e.window(result, batch, rows, cols)
	packed := result
	if direct = direct && !(large && n > 1 && mo.col != 1); !direct {
		packed = e.fresh(slices.Concat(batch, rows, cols))
		mo, wo, _ = e.window(packed, batch, rows, cols)
	}
	gemm := gemmFor(e.dt, m, k, n)
	if len(batch) == 0 {
		gemm(mo, ma, mb, m, k, n)
	} else {
		args := [3]*Array{&wa, &wb, &wo}
		sweep(wo.Shape, &wo, &args, func(_, pa, pb, po unsafe.Pointer, count, sa, sb, so int) {
			for i := range count {
				mo.p, ma.p, mb.p = step(po, e.dt, i*so), step(pa, e.dt, i*sa), step(pb, e.dt, i*sb)
				gemm(mo, ma, mb, m, k, n)
			}
		})
	}
	if !direct {
		window := e.ordered(packed, e.out)
		CopyTo(out, &window)
	}
	return nil
}

// last is the last letter, 0 of none.
func last(letters []byte) byte {
	if len(letters) == 0 {
		return 0
	}
	return letters[len(letters)-1]
}

func (e *contraction) elems(letters []byte) int {
	n := 1
	for _, l := range letters {
		n *= e.size[l]
	}
	return n
}

// matrix is window, through a packed copy where the dims do not merge, or where a large matrix is not as blas reads it.
func (e *contraction) matrix(a labelled, batch, rows, cols []byte, large bool) (matrix, Array) {
	m, w, ok := e.window(a, batch, rows, cols)
	if ok && large {
		_, _, ok = blasForm(m, e.elems(rows), e.elems(cols))
	}
	if ok {
		return m, w
	}
	letters := slices.Concat(batch, rows, cols)
	packed := e.fresh(letters)
	window := e.ordered(a, letters)
	CopyTo(&packed.Array, &window)
	m, w, _ = e.window(packed, batch, rows, cols)
	return m, w
}

// fresh is contiguous memory with the given letters.
func (e *contraction) fresh(letters []byte) labelled {
	shape := make([]int, len(letters))
	for i, l := range letters {
		shape[i] = e.size[l]
	}
	return labelled{New(e.dt, shape...), letters}
}

// ordered is the window with its dims in the order of letters; those that a lacks repeat.
func (e *contraction) ordered(a labelled, letters []byte) Array {
	w := Array{Ptr: a.Ptr, DType: a.DType, Shape: make([]int, len(letters)), Strides: make([]int, len(letters))}
	for i, l := range letters {
		w.Shape[i] = e.size[l]
		if d := slices.Index(a.labels, l); d >= 0 {
			w.Strides[i] = a.Strides[d]
		}
	}
	return w
}

// window is a as a batch of matrices, and false where the dims of rows or of columns have no common stride.
func (e *contraction) window(a labelled, batch, rows, cols []byte) (matrix, Array, bool) {
	w := e.ordered(a, batch)
	row, okRow := merged(e.ordered(a, rows))
	col, okCol := merged(e.ordered(a, cols))
	return matrix{a.Ptr, row, col}, w, okRow && okCol
}

// merged is the stride with which one loop visits all elements of a window in order.
func merged(a Array) (int, bool) {
	var w axes
	for d := len(a.Shape) - 1; d >= 0; d-- {
		if !w.add(a.Shape[d], a.Strides[d]) {
			return 0, false
		}
	}
	return w.strides[0], w.rank <= 1
}
