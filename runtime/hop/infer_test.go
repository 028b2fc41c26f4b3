package hop

import (
	"strings"
	"testing"

	"github.com/hoplint/hoplint/tracer"
)

// TestShapeRulesWorkOnSymbolicSizes applies rules to shapes with the symbol n, which prints as ?.
func TestShapeRulesWorkOnSymbolicSizes(t *testing.T) {
	n := tracer.AnyInt()
	m := func(dims ...any) tracer.Meta {
		out := tracer.Meta{DType: Float64}
		for _, d := range dims {
			if k, ok := d.(int); ok {
				d = tracer.Const(k)
			}
			out.Shape = append(out.Shape, d.(tracer.Int))
		}
		return out
	}
	for _, test := range []struct {
		op    opID
		in    []tracer.Meta
		attrs tracer.Attrs
		want  string // the result, or a part of the error
	}{
		{idAdd, []tracer.Meta{m(n, 3), m(n, 1)}, nil, "f64[?, 3]"},
		{idAdd, []tracer.Meta{m(n, 3), m(3)}, nil, "f64[?, 3]"},
		{idAdd, []tracer.Meta{m(n), m(4)}, nil, "sizes ? and 4"},
		{idLt, []tracer.Meta{m(n), m()}, nil, "bool[?]"},
		{idWhere, []tracer.Meta{{DType: Bool, Shape: []tracer.Int{n}}, m(n), m(1)}, nil, "f64[?]"},
		{idSum, []tracer.Meta{m(n, 3)}, attrs("dims", []int{1}, "keepdim", false), "f64[?]"},
		{idMax, []tracer.Meta{m(n, 3)}, attrs("dims", []int{0}, "keepdim", true), "f64[1, 3]"},
		{idArgMax, []tracer.Meta{m(n, 3)}, attrs("dim", 0, "keepdim", false), "i64[3]"},
		{idNarrow, []tracer.Meta{m(n, 3)}, attrs("dim", 0, "start", 1, "length", 2), "f64[2, 3]"},
		{idNarrow, []tracer.Meta{m(n)}, attrs("dim", 0, "start", -1, "length", 1), "start -1 of dim 0"},
		{idSlice, []tracer.Meta{m(n)}, attrs("dim", 0, "start", -2, "stop", 5, "step", 1), "symbolic"},
		{idSelect, []tracer.Meta{m(n, 3)}, attrs("dim", 1, "index", -1), "f64[?]"},
		{idTranspose, []tracer.Meta{m(n, 3)}, attrs("a", 0, "b", 1), "f64[3, ?]"},
		{idExpand, []tracer.Meta{m(n, 1)}, attrs("dims", []int{2, -1, 4}), "f64[2, ?, 4]"},
		{idView, []tracer.Meta{m(n, 6)}, attrs("dims", []int{-1, 2}), "f64[?*3, 2]"},
		{idView, []tracer.Meta{m(n, 6)}, attrs("dims", []int{4, -1}), "do not fill"},
		{idView, []tracer.Meta{m(n, 6)}, attrs("dims", []int{2, 3}), "do not fill"},
		{idFlatten, []tracer.Meta{m(n, 6)}, nil, "f64[?*6]"},
		{idSqueeze, []tracer.Meta{m(n, 1)}, attrs("dims", []int(nil)), "f64[?]"},
		{idUnsqueeze, []tracer.Meta{m(n)}, attrs("dim", -1), "f64[?, 1]"},
		{idConcat, []tracer.Meta{m(n, 3), m(2, 3)}, attrs("dim", 0), "f64[? + 2, 3]"},
		{idConcat, []tracer.Meta{m(2, n), m(3, n)}, attrs("dim", 0), "f64[5, ?]"},
		{idStack, []tracer.Meta{m(n), m(n)}, attrs("dim", 1), "f64[?, 2]"},
		{idMatMul, []tracer.Meta{m(n, 3), m(3, 2)}, nil, "f64[?, 2]"},
		{idMatMul, []tracer.Meta{m(2, n), m(n)}, nil, "f64[2]"},
		{idMatMul, []tracer.Meta{m(2, n), m(3, 2)}, nil, "inner sizes ? and 3"},
		{idCopyFrom, []tracer.Meta{m(n, 3), m(3)}, nil, "f64[?, 3]"},
		{idDiagonal, []tracer.Meta{m(n, n)}, attrs("offset", 0, "a", 0, "b", 1), "f64[max(0, ?)]"},
	} {
		op := lib.op(test.op)
		inf := inference{op: op, In: test.in, Attrs: test.attrs}
		got := ""
		if err := op.Infer(&inf); err != nil {
			got = err.Error()
		} else {
			got = inf.Out.String()
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%s %v %v: got %s, want %s", op.Name, test.in, test.attrs, got, test.want)
		}
	}
}
