package hop

import (
	"strings"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
)

// write runs the in-place form of an op: it computes the functional result and stores it in the receiver ts[0], which
// it returns. The version of the receiver's storage goes up by one. Nothing is written when something is wrong.
func write(id opID, attrs tracer.Attrs, ts ...*Tensor) *Tensor {
	op := lib.op(id)
	if fastWrite(op, attrs, ts) {
		return ts[0]
	}
	name := op.writerName()
	c := prepare(op, name, attrs, ts)
	if !c.out.Equal(c.metas[0]) { // a source of open size may be 1 like the receiver
		if ones := c.ones(); ones != nil {
			c = prepare(op, name, attrs, ones)
		}
	}
	dst := ts[0]
	if m := c.metas[0]; !c.out.Equal(m) {
		misuse(name, "result %s does not fit receiver %s; use the functional form, or make both equal", describe(c.out), describe(m))
	}
	if dst.overlapsItself() {
		misuse(name, "receiver %s is an expanded view whose elements share memory; Clone it first", describe(c.metas[0]))
	}
	grad := anyRequiresGrad(ts)
	if c.trace != nil {
		c.writeTraced(c.trace) // of a captured leaf: the body's contract comes before the tape's
	} else {
		c.tag.meet(ts[1:])
		c.tag.beforeWrite(dst, name)
		if dst.tag != c.tag { // of a run around this one, which c.tag need not lead to
			dst.tag.beforeWrite(dst, name)
		}
		refuseLeafWrite(dst, name)
		if grad {
			c.keepOld()
		}
		c.writeDense()
		dst.storage.bump()
	}
	if grad {
		c.recordWrite()
	}
	if c.tag.observed() {
		c.notify(inPlaceName(op), ts[:1], grad)
	}
	return dst
}

// writerName is the in-place form as the user calls it.
func (op *opRow) writerName() string {
	if op.Writer != "" {
		return op.Writer
	}
	return op.Method + "InPlace"
}

// inPlaceName is the in-place form as its schema names it, e.g. add_.
func inPlaceName(op *opRow) string {
	name, _, _ := strings.Cut(op.InPlace, "(")
	return name
}

// writeDense computes straight into the receiver where no operand can see a half-written result, and through fresh
// memory otherwise.
func (c *call) writeDense() {
	dst := c.args[0]
	f := borrowFrame()
	defer f.release()
	direct := c.op.Writer != "" || c.op.Kernel.Pointwise != nil && dst.IsContiguous() // writers take any window
	for _, t := range c.args {
		f.In = append(f.In, t.array())
		if t.storage == dst.storage && !sameWindow(t, dst) {
			direct = false
		}
	}
	f.Attrs = c.attrs
	if direct {
		f.Out = append(f.Out, dst.array())
		c.compute(f)
		return
	}
	fresh := newTensor(dst.storage.dtype, dst.shape)
	f.Out = append(f.Out, fresh.array())
	c.compute(f)
	to, from := dst.array(), fresh.array()
	kernels.CopyTo(&to, &from)
}

// sameWindow reports whether t and u are the same elements in the same order.
func sameWindow(t, u *Tensor) bool {
	if t.storage != u.storage || t.offset != u.offset || len(t.shape) != len(u.shape) {
		return false
	}
	for i := range t.shape {
		if t.shape[i] != u.shape[i] || t.strides[i] != u.strides[i] && t.shape[i] > 1 {
			return false
		}
	}
	return true
}

// overlapsItself reports whether two indices of t may name one element. Views made by this package overlap only where
// a dim was expanded; other windows are judged by their strides, smallest first.
func (t *Tensor) overlapsItself() bool {
	var dims [inlineDims][2]int // stride, size of the dims with more than one element, by stride
	sorted := dims[:0]
	for i, n := range t.shape {
		if n == 0 {
			return false
		}
		if n == 1 {
			continue
		}
		j := len(sorted)
		sorted = append(sorted, [2]int{t.strides[i], n})
		for ; j > 0 && sorted[j-1][0] > sorted[j][0]; j-- {
			sorted[j-1], sorted[j] = sorted[j], sorted[j-1]
		}
	}
	extent := 0 // offset of the last element of the dims so far
	for _, d := range sorted {
		if d[0] <= extent {
			return true
		}
		extent += d[0] * (d[1] - 1)
	}
	return false
}
