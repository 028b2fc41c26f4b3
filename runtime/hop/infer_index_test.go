package hop

import (
	"fmt"
	"testing"

	"github.com/hoplint/hoplint/tracer"
)

// TestIndexRulesWorkOnSymbolicSizes applies rules to shapes with the symbol n, which prints as ?.
func TestIndexRulesWorkOnSymbolicSizes(t *testing.T) {
	n := tracer.AnyInt()
	of := func(dt DType, dims ...int) tracer.Meta { // -1 stands for n
		m := tracer.TensorMeta(dt, dims...)
		for i, d := range dims {
			if d < 0 {
				m.Shape[i] = n
			}
		}
		return m
	}
	f := func(dims ...int) tracer.Meta { return of(Float64, dims...) }
	i := func(dims ...int) tracer.Meta { return of(Int64, dims...) }
	key := of(Int32, 2)
	for _, test := range []struct {
		op    opID
		in    []tracer.Meta
		attrs tracer.Attrs
		want  string // the result, or the error
	}{
		{idRoll, []tracer.Meta{f(-1, 3)}, attrs("dim", 0, "shift", 2), "f64[?, 3]"},
		{idRepeat, []tracer.Meta{f(-1, 3)}, attrs("dim", 0, "n", 2), "f64[?*2, 3]"},
		{idPad, []tracer.Meta{f(-1, 3)}, attrs("dim", 0, "before", 1, "after", 2, "value", 0.0), "f64[? + 3, 3]"},
		{idTril, []tracer.Meta{f(-1, -1)}, attrs("k", 1), "f64[?, ?]"},
		{idGather, []tracer.Meta{f(-1, 3), i(-1, 1)}, attrs("dim", 1), "f64[?, 1]"},
		{idGather, []tracer.Meta{f(-1, 3), i(2, 3)}, attrs("dim", 0), "f64[2, 3]"},
		{idGather, []tracer.Meta{f(-1, 3), i(2, 1)}, attrs("dim", 1), "index is int64[2 1], tensor is float64[? 3]: sizes 2 and ? differ in dim 0; make them equal or one of them 1"},
		{idIndexSelect, []tracer.Meta{f(4, 3), i(-1)}, attrs("dim", -1), "f64[4, ?]"},
		{idTake, []tracer.Meta{f(-1), i(2, -1)}, nil, "f64[2, ?]"},
		{idScatterAdd, []tracer.Meta{f(-1, 3), i(-1, 2), f(-1, 2)}, attrs("dim", 1), "f64[?, 3]"},
		{idScatter, []tracer.Meta{f(-1, 3), i(2, 3), f()}, attrs("dim", 0), "f64[?, 3]"},
		{idOneHot, []tracer.Meta{i(-1)}, attrs("dtype", Float32, "n", 4), "f32[?, 4]"},
		{idAt, []tracer.Meta{f(-1, 3), i()}, attrs("dim", 0), "f64[3]"},
		{idAt, []tracer.Meta{f(-1, 3), i()}, attrs("dim", 1), "f64[?]"},
		{idPut, []tracer.Meta{f(3, -1), i(), f(-1)}, attrs("dim", 0), "f64[3, ?]"},
		{idSort, []tracer.Meta{f(-1)}, attrs("dim", 0), "(f64[?], i64[?])"},
		{idTopK, []tracer.Meta{f(2, -1)}, attrs("dim", 1, "k", 3), "(f64[2, 3], i64[2, 3])"},
		{idMaxAlong, []tracer.Meta{f(-1, 3)}, attrs("dim", 1, "keepdim", true), "(f64[?, 1], i64[?, 1])"},
		{idCumMax, []tracer.Meta{f(-1)}, attrs("dim", -1), "f64[?]"},
		{idSearchSorted, []tracer.Meta{f(-1), f(2, -1)}, attrs("right", false), "i64[2, ?]"},
		{idBernoulli, []tracer.Meta{key, f(-1)}, nil, "bool[?]"},
		{idCategorical, []tracer.Meta{key, f(-1, 4)}, nil, "i64[?]"},
		{idCategorical, []tracer.Meta{key, f(2, -1)}, nil, "i64[2]"},
		{idUniform, []tracer.Meta{key}, attrs("dtype", Float64, "dims", []int{2}), "f64[2]"},
		{idUniform, []tracer.Meta{of(Int32, -1)}, attrs("dtype", Float64, "dims", []int{2}),
			"key is int32[?]; want int32[2] as NewKey, SplitKey and FoldIn make it"},
	} {
		op := lib.op(test.op)
		inf := inference{op: op, In: test.in, Attrs: test.attrs}
		got := ""
		if err := op.Infer(&inf); err != nil {
			got = err.Error()
		} else {
			got = fmt.Sprint(inf.Out)
		}
		if got != test.want {
			t.Errorf("%s %v %v: got %s, want %s", op.Name, test.in, test.attrs, got, test.want)
		}
	}
}
