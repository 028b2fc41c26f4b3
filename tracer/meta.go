package tracer

import "strings"

// Meta is what a trace knows of a value: a tensor's dtype and shape, that it is a symbolic integer, or the metas of a
// tuple. It says nothing of data.
type Meta struct {
	// DType of a tensor; 0 for a symbolic integer or a tuple.
	DType DType
	// Shape of a tensor; empty for a scalar.
	Shape []Int
	// Int marks a symbolic integer and holds it.
	Int *Int
	// Elems are the parts of a tuple: what a HOP or an op with several results returns. nil otherwise.
	Elems []Meta
}

// TensorMeta returns the meta of a tensor with a constant shape.
func TensorMeta(d DType, shape ...int) Meta {
	m := Meta{DType: d, Shape: make([]Int, len(shape))}
	for i, n := range shape {
		m.Shape[i] = Const(n)
	}
	return m
}

// IsTensor reports whether m describes a tensor.
func (m Meta) IsTensor() bool { return m.DType != 0 }

// Equal reports whether both metas are the same: dtype, shape expressions, tuple parts.
func (m Meta) Equal(n Meta) bool {
	if m.DType != n.DType || (m.Int == nil) != (n.Int == nil) || len(m.Shape) != len(n.Shape) || len(m.Elems) != len(n.Elems) {
		return false
	}
	for i := range m.Shape {
		if !m.Shape[i].Same(n.Shape[i]) {
			return false
		}
	}
	for i := range m.Elems {
		if !m.Elems[i].Equal(n.Elems[i]) {
			return false
		}
	}
	return true
}

// ConstShape returns the shape as integers, and whether all its dims are constant.
func (m Meta) ConstShape() ([]int, bool) {
	shape := make([]int, len(m.Shape))
	for i, d := range m.Shape {
		n, ok := d.Const()
		if !ok {
			return nil, false
		}
		shape[i] = n
	}
	return shape, true
}

// String returns the meta as graphs print it: f32[s0, 4], int, (f32[], f32[3]).
func (m Meta) String() string {
	switch {
	case m.IsTensor():
		return m.DType.Short() + bracketed("[", m.Shape, "]")
	case m.Int != nil:
		return "int"
	default:
		return bracketed("(", m.Elems, ")")
	}
}

func bracketed[T interface{ String() string }](open string, parts []T, end string) string {
	words := make([]string, len(parts))
	for i, p := range parts {
		words[i] = p.String()
	}
	return open + strings.Join(words, ", ") + end
}
