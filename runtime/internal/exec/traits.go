package exec

import (
	"encoding/binary"
	"slices"
	"unsafe"

	"github.com/hoplint/hoplint/runtime/internal/kernels"
	"github.com/hoplint/hoplint/tracer"
	"github.com/hoplint/hoplint/tracer/passes"
)

// Traits returns what the passes on graphs ask of the ops of a library.
func Traits(lib Library) passes.Ops { return traits{lib} }

type traits struct{ lib Library }

// Traits of an op follow from its kernel. A kernel computes results from arguments and nothing else, so every op with
// one is pure: what is random depends on a key.
func (t traits) Traits(n *tracer.Node) passes.Traits {
	k, ok := t.lib.Kernel(n.Op)
	if !ok {
		return passes.Traits{}
	}
	return passes.Traits{
		Pure:   true,
		Total:  k.View != nil || infallible(n, t.lib) || hasBatch(n) || isTotal(n.Op),
		Copy:   k.Identity,
		View:   k.View != nil,
		Layout: n.Op == "as_strided",
		Cheap:  cheap(n, t.lib),
	}
}

// isTotal names ops that no value of their arguments makes fail, besides elementwise ops and those with batches.
func isTotal(op string) bool {
	switch op {
	case "flip", "concat", "stack", "tril", "triu", "roll", "repeat", "dot", "outer",
		"inverse", "det", "log_det", "cofactor", "cholesky", "solve", "solve_triangular", "qr", // a singular matrix gives NaN or Inf
		"child_key", "keys", "fold_in", "uniform", "normal":
		return true
	}
	return false
}

// cheap reports whether n is an elementwise op of a few cycles that cannot fail.
func cheap(n *tracer.Node, lib Library) bool {
	if !infallible(n, lib) {
		return false
	}
	k, _ := lib.Kernel(n.Op)
	switch k.Pointwise.Op {
	case "add", "sub", "rsub", "mul", "neg", "abs", "square", "maximum", "minimum", "clamp", "relu", "one_minus", "cast",
		"eq", "ne", "lt", "le", "gt", "ge", "and", "or", "xor", "not", "where", "sign", "is_nan":
		return true
	}
	return false
}

// infallible reports whether n is an elementwise op whose arguments cannot be wrong.
func infallible(n *tracer.Node, lib Library) bool {
	if len(n.Graphs) > 0 || len(n.Args) == 0 || !n.Meta.IsTensor() || n.Op == tracer.OpPut || n.Op == tracer.OpGet {
		return false
	}
	k, ok := lib.Kernel(n.Op)
	if !ok || k.Pointwise == nil {
		return false
	}
	code, ok := k.Pointwise.CodeFor(n.Args[len(n.Args)-1].Meta.DType, n.Meta.DType)
	return ok && code.Out == n.Meta.DType && code.Check == nil
}

// Eval computes n by its kernel.
func (t traits) Eval(n *tracer.Node, args []*tracer.Literal) ([]*tracer.Literal, bool) {
	k, ok := t.lib.Kernel(n.Op)
	if !ok {
		return nil, false
	}
	c := &kernels.Call{Attrs: n.Attrs}
	for _, l := range args {
		a := kernels.New(l.DType, l.Shape...)
		if !readLiteral(a, l) {
			return nil, false
		}
		c.In = append(c.In, a)
	}
	metas := n.Meta.Elems
	if metas == nil {
		metas = []tracer.Meta{n.Meta}
	}
	for _, m := range metas {
		shape, ok := m.ConstShape()
		if !ok {
			return nil, false
		}
		c.Out = append(c.Out, kernels.New(m.DType, shape...))
	}
	if k.View != nil {
		window := kernels.Array{Shape: c.Out[0].Shape, Strides: make([]int, len(c.Out[0].Shape))}
		if !k.View(c.In[0], n.Attrs, &window) {
			return nil, false
		}
		if window.NumElems() > 0 {
			kernels.CopyTo(&c.Out[0], &window)
		}
	} else if k.Run(c) != nil {
		return nil, false
	}
	values := make([]*tracer.Literal, len(c.Out))
	for i, a := range c.Out {
		values[i] = literalOf(a)
	}
	return values, true
}

// readLiteral writes the elements of a literal to a contiguous array, and reports whether their bytes are as many.
func readLiteral(a kernels.Array, l *tracer.Literal) bool {
	size := l.DType.Size()
	if len(l.Data) != a.NumElems()*size {
		return false
	}
	for i := range a.NumElems() {
		p, b := unsafe.Add(a.Ptr, i*size), l.Data[i*size:]
		switch size {
		case 8:
			*(*uint64)(p) = binary.LittleEndian.Uint64(b)
		case 4:
			*(*uint32)(p) = binary.LittleEndian.Uint32(b)
		default:
			*(*uint8)(p) = b[0]
		}
	}
	return true
}

// literalOf reads a contiguous array.
func literalOf(a kernels.Array) *tracer.Literal {
	size := a.DType.Size()
	l := &tracer.Literal{DType: a.DType, Shape: slices.Clone(a.Shape), Data: make([]byte, 0, a.NumElems()*size)}
	for i := range a.NumElems() {
		p := unsafe.Add(a.Ptr, i*size)
		switch size {
		case 8:
			l.Data = binary.LittleEndian.AppendUint64(l.Data, *(*uint64)(p))
		case 4:
			l.Data = binary.LittleEndian.AppendUint32(l.Data, *(*uint32)(p))
		default:
			l.Data = append(l.Data, *(*uint8)(p))
		}
	}
	return l
}
