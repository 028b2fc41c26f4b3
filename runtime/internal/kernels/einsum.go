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
var Einsum = Kernel{Run: einsum, Bind: bindEinsum}

// labelled is a window whose dims have distinct letters.
type labelled struct {
	Array
	labels []byte
}

func einsum(c *Call) error {
	e, args, err := contractionOf(c)
	out := &c.Out[0]
	switch {
	case err != nil:
		return err
	case out.NumElems() == 0:
		return nil
	case slices.ContainsFunc(args, func(a labelled) bool { return a.NumElems() == 0 }): // sums of nothing
		Fill(out, unsafe.Pointer(new(uint64)))
		return nil
	}
	var others [2][]byte
	if len(args) == 2 {
		others = [2][]byte{args[1].labels, args[0].labels}
	}
	for i := range args {
		if args[i], err = e.sum(args[i], others[i]); err != nil {
			return err
		}
	}
	if len(args) == 1 {
		window := e.ordered(args[0], e.out)
		CopyTo(out, &window)
		return nil
	}
	p := e.pair(args[0], args[1])
	if len(p.inner) == 0 {
		return Mul.Run(&Call{Out: []Array{*out}, In: []Array{e.ordered(p.a, e.out), e.ordered(p.b, e.out)}})
	}
	e.product(out, &p)
	return nil
}

// bindEinsum binds products of matrices that need no copy.
func bindEinsum(c *Call) func() {
	e, args, err := contractionOf(c)
	out := &c.Out[0]
	if err != nil || len(args) != 2 || out.NumElems() == 0 || args[0].NumElems() == 0 || args[1].NumElems() == 0 {
		return nil
	}
	p := e.pair(args[0], args[1])
	for _, w := range args {
		for _, l := range w.labels {
			if !slices.Contains(e.out, l) && !slices.Contains(p.inner, l) {
				return nil // it is summed first
			}
		}
	}
	x, _, okA := e.window(p.a, nil, p.rows, p.inner)
	y, _, okB := e.window(p.b, nil, p.inner, p.cols)
	o, _, okO := e.window(labelled{*out, e.out}, nil, p.rows, p.cols)
	if len(p.inner) == 0 || len(p.batch) > 0 || !okA || !okB || !okO || p.large() {
		return nil
	}
	gemm := gemmFor(e.dt, p.m, p.k, p.n)
	ia, ib := &c.In[0], &c.In[1]
	if p.swapped {
		ia, ib = ib, ia
	}
	return func() {
		o.p, x.p, y.p = out.Ptr, ia.Ptr, ib.Ptr
		gemm(o, x, y, p.m, p.k, p.n)
	}
}

// contractionOf reads a call.
func contractionOf(c *Call) (*contraction, []labelled, error) {
	spec := c.Attrs.Str("spec")
	left, right, _ := strings.Cut(spec, "->")
	words := strings.Split(left, ",")
	e := &contraction{dt: c.Out[0].DType, size: map[byte]int{}, out: []byte(right)}
	switch {
	case len(words) != len(c.In) || len(c.In) > 2:
		return nil, nil, fmt.Errorf("einsum %s of %d arguments; want one or two, as many as the spec has", spec, len(c.In))
	case gemmFor(e.dt, 1, 1, 1) == nil:
		return nil, nil, unsupported("einsum", e.dt)
	}
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
	}
	return e, args, nil
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

// pairing is the product of two arguments as that of matrices. Letters of both and the result are batch dims, of one of
// them and the result rows or columns, of both but not the result the inner dim.
type pairing struct {
	a, b                     labelled
	batch, rows, inner, cols []byte
	m, k, n                  int
	swapped                  bool // a is the second argument
}

// large reports whether blas pays.
func (p *pairing) large() bool { return p.m*p.k*p.n >= blasWork }

func (e *contraction) pair(a, b labelled) pairing {
	p := pairing{a: a, b: b}
	for _, l := range e.out {
		inA, inB := slices.Contains(a.labels, l), slices.Contains(b.labels, l)
		switch {
		case inA && inB:
			p.batch = append(p.batch, l)
		case inA:
			p.rows = append(p.rows, l)
		case inB:
			p.cols = append(p.cols, l)
		}
	}
	for _, l := range a.labels {
		if slices.Contains(b.labels, l) && !slices.Contains(e.out, l) {
			p.inner = append(p.inner, l)
		}
	}
	if len(p.cols) > 0 && slices.Index(e.out, last(p.rows)) > slices.Index(e.out, last(p.cols)) {
		p.a, p.b, p.rows, p.cols, p.swapped = b, a, p.cols, p.rows, true // the last dim of the result is a column, which blas can write
	}
	p.m, p.k, p.n = e.elems(p.rows), e.elems(p.inner), e.elems(p.cols)
	return p
}

// product runs a pairing with an inner dim.
func (e *contraction) product(out *Array, p *pairing) {
	large, m, k, n := p.large(), p.m, p.k, p.n
	ma, wa := e.matrix(p.a, p.batch, p.rows, p.inner, large)
	mb, wb := e.matrix(p.b, p.batch, p.inner, p.cols, large)
	if large && ma.row == 1 && ma.col != 1 && mb.row == 1 && mb.col != 1 {
		mb, wb = e.copied(p.b, p.batch, p.inner, p.cols) // gonum is slow where both are transposed
	}
	result := labelled{*out, e.out}
	mo, wo, direct := e.window(result, p.batch, p.rows, p.cols)
	packed := result
	if direct = direct && !(large && n > 1 && mo.col != 1); !direct {
		packed = e.fresh(slices.Concat(p.batch, p.rows, p.cols))
		mo, wo, _ = e.window(packed, p.batch, p.rows, p.cols)
	}
	gemm := gemmFor(e.dt, m, k, n)
	if len(p.batch) == 0 {
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
	return e.copied(a, batch, rows, cols)
}

// copied is window of a packed copy.
func (e *contraction) copied(a labelled, batch, rows, cols []byte) (matrix, Array) {
	letters := slices.Concat(batch, rows, cols)
	packed := e.fresh(letters)
	window := e.ordered(a, letters)
	CopyTo(&packed.Array, &window)
	m, w, _ := e.window(packed, batch, rows, cols)
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
