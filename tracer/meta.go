package tracer

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
	shape := make([]int, 0, len(m.Shape))
	return m.AppendConstShape(shape)
}

// AppendConstShape is ConstShape behind the integers of dims.
func (m Meta) AppendConstShape(dims []int) ([]int, bool) {
	for _, d := range m.Shape {
		n, ok := d.Const()
		if !ok {
			return nil, false
		}
		dims = append(dims, n)
	}
	return dims, true
}

// String returns the meta as graphs print it: f32[s0, 4], <s0*2> for a symbolic integer, (f32[], f32[3]).
func (m Meta) String() string { return string(m.append(nil)) }

func (m Meta) append(b []byte) []byte {
	switch {
	case m.IsTensor():
		b = append(append(b, m.DType.Short()...), '[')
		for i, d := range m.Shape {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = d.append(b)
		}
		return append(b, ']')
	case m.Int != nil:
		return append(m.Int.append(append(b, '<')), '>')
	default:
		b = append(b, '(')
		for i, e := range m.Elems {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = e.append(b)
		}
		return append(b, ')')
	}
}
