package passes

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/hoplint/hoplint/tracer"
)

// testOps are a few ops with the names and attributes of the op table: shapes, traits and numbers, enough for the cases.
type testOps struct{}

var (
	elementwise = []string{"add", "sub", "mul", "maximum", "sin", "exp", "neg", "not", "abs", "mul_scalar", "add_scalar", "sub_scalar", "div_scalar",
		"where", "cast", "gt_scalar", "lt", "clone", "detach"}
	viewOps = []string{"narrow", "slice", "select", "transpose", "permute", "expand", "view", "reshape", "flatten", "squeeze", "unsqueeze", "detach", "as_strided"}
	total   = slices.Concat(elementwise, viewOps, []string{"sum", "matmul", "flip", "concat", "randn", "pair", "arange", "stack"})
	cheap   = []string{"add", "sub", "mul", "maximum", "neg", "not", "abs", "mul_scalar", "add_scalar", "sub_scalar", "where", "gt_scalar", "lt"}
)

func (testOps) Traits(n *tracer.Node) Traits {
	t := Traits{
		Pure:   n.Op != "randn" && n.Op != "print",
		Total:  slices.Contains(total, n.Op),
		Copy:   n.Op == "clone" || n.Op == "detach",
		View:   slices.Contains(viewOps, n.Op),
		Layout: n.Op == "as_strided",
		Cheap:  slices.Contains(cheap, n.Op),
	}
	if n.Op == "div" { // of integers it fails for 0
		t.Total = n.Meta.DType.IsFloat()
	}
	return t
}

// Eval computes scalars of float64 and int64.
func (testOps) Eval(n *tracer.Node, args []*tracer.Literal) ([]*tracer.Literal, bool) {
	float := n.Meta.DType == tracer.Float64
	if len(n.Meta.Shape) > 0 || !float && n.Meta.DType != tracer.Int64 && n.Meta.DType != tracer.Bool {
		return nil, false
	}
	v := make([]float64, len(args))
	for i, a := range args {
		if len(a.Shape) > 0 {
			return nil, false
		}
		switch a.DType {
		case tracer.Float64:
			v[i] = math.Float64frombits(binary.LittleEndian.Uint64(a.Data))
		case tracer.Int64:
			v[i] = float64(int64(binary.LittleEndian.Uint64(a.Data)))
		default:
			return nil, false
		}
	}
	var y float64
	switch n.Op {
	case "add":
		y = v[0] + v[1]
	case "sub":
		y = v[0] - v[1]
	case "mul":
		y = v[0] * v[1]
	case "neg":
		y = -v[0]
	case "mul_scalar":
		y = v[0] * n.Attrs.Float("value")
	case "add_scalar":
		y = v[0] + n.Attrs.Float("value")
	case "gt_scalar":
		b := byte(0)
		if v[0] > n.Attrs.Float("value") {
			b = 1
		}
		return []*tracer.Literal{{DType: tracer.Bool, Data: []byte{b}}}, true
	case "div":
		if !float && v[1] == 0 {
			return nil, false
		}
		if y = v[0] / v[1]; !float {
			y = math.Floor(y)
		}
	default:
		return nil, false
	}
	l := &tracer.Literal{DType: n.Meta.DType, Shape: []int{}}
	if float {
		l.Data = binary.LittleEndian.AppendUint64(nil, math.Float64bits(y))
	} else {
		l.Data = binary.LittleEndian.AppendUint64(nil, uint64(int64(y)))
	}
	return []*tracer.Literal{l}, true
}

// Infer gives the shapes.
func (testOps) Infer(op string, args []tracer.Meta, attrs tracer.Attrs) (tracer.Meta, error) {
	if slices.Contains(elementwise, op) || op == "div" {
		m := args[len(args)-1]
		for _, a := range args {
			if len(a.Shape) > len(m.Shape) {
				m.Shape = a.Shape
			}
		}
		switch op {
		case "gt_scalar", "lt":
			m.DType = tracer.Bool
		case "cast":
			m.DType = attrs.DType("dtype")
		}
		return m, nil
	}
	if len(args) == 0 {
		shape := attrs.Ints("dims")
		return tracer.TensorMeta(tracer.Float64, shape...), nil
	}
	x := args[0]
	m := tracer.Meta{DType: x.DType, Shape: slices.Clone(x.Shape)}
	dim := attrs.Int("dim")
	switch op {
	case "narrow":
		m.Shape[dim] = tracer.Const(attrs.Int("length"))
	case "slice":
		start, stop, step := attrs.Int("start"), attrs.Int("stop"), attrs.Int("step")
		m.Shape[dim] = tracer.Const((stop - start + step - 1) / step)
	case "select", "at":
		m.Shape = slices.Delete(m.Shape, dim, dim+1)
	case "transpose":
		a, b := attrs.Int("a"), attrs.Int("b")
		m.Shape[a], m.Shape[b] = m.Shape[b], m.Shape[a]
	case "permute":
		for i, d := range attrs.Ints("dims") {
			m.Shape[i] = x.Shape[d]
		}
	case "expand", "view", "reshape":
		switch dims := attrs.Get("dims").(type) {
		case []tracer.Int:
			m.Shape = dims
		case []int:
			m = tracer.TensorMeta(x.DType, dims...)
		}
	case "as_strided":
		m = tracer.TensorMeta(x.DType, attrs.Ints("shape")...)
	case "flatten":
		n := tracer.Const(1)
		for _, d := range x.Shape {
			n = n.Mul(d)
		}
		m.Shape = []tracer.Int{n}
	case "squeeze":
		m.Shape = slices.DeleteFunc(m.Shape, func(d tracer.Int) bool { n, ok := d.Const(); return ok && n == 1 })
	case "unsqueeze":
		m.Shape = slices.Insert(m.Shape, dim, tracer.Const(1))
	case "sum":
		m.Shape = nil
	case "matmul":
		m.Shape = []tracer.Int{x.Shape[0], args[1].Shape[len(args[1].Shape)-1]}
	case "stack":
		m.Shape = slices.Insert(m.Shape, dim, tracer.Const(len(args)))
	case "concat":
		m.Shape[dim] = m.Shape[dim].Add(args[1].Shape[dim])
	case "nonzero":
		m = tracer.Meta{DType: tracer.Int64, Shape: []tracer.Int{tracer.AnyInt()}}
	case "pair":
		return tracer.Meta{Elems: []tracer.Meta{x, x}}, nil
	case "flip", "put_at", "print":
	default:
		return m, fmt.Errorf("no op %s", op)
	}
	return m, nil
}
