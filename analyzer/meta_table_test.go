package analyzer

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/runtime/hop"
)

// What the analyzer says of the dtype and shape of an op's result is what the runtime's op returns: for every method of a tensor that
// has a rule, on operands of several ranks, sizes and dtypes, with every argument that fits. Of operands of which less is known the
// rule says less, but nothing else.
func TestMetaRulesAreThoseOfTheRuntime(t *testing.T) {
	methods := reflect.TypeFor[*hop.Tensor]()
	for i := range methods.NumMethod() {
		m := methods.Method(i)
		rule := metaOps(m.Name)
		if rule == nil || m.Type.NumOut() == 0 || m.Type.Out(0) != methods {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			compared := 0
			for _, in := range receivers() {
				for _, args := range argumentsFor(m, in) {
					compared += compareRule(t, m, rule, in, args)
				}
			}
			if compared == 0 {
				t.Errorf("no call of %s succeeds: there is nothing to compare with", m.Name)
			}
		})
	}
}

// Of these methods nothing is known: their results depend on data, or on sizes that the analyzer does not know.
var withoutMetaRule = []string{"AddSym", "Conv1d", "DivSym", "ExpandSym", "Grad", "MulSym", "NarrowSym", "Nonzero", "ReshapeSym", "SelectSym",
	"SliceSym", "SubSym", "ViewSym"}

// Every other method that returns a tensor has a rule.
func TestMethodsWithoutMetaRule(t *testing.T) {
	var without []string
	methods := reflect.TypeFor[*hop.Tensor]()
	for i := range methods.NumMethod() {
		if m := methods.Method(i); m.Type.NumOut() == 1 && m.Type.Out(0) == methods && metaOps(m.Name) == nil {
			without = append(without, m.Name)
		}
	}
	if !slices.Equal(without, withoutMetaRule) {
		t.Errorf("methods without a rule:\n%q, want\n%q", without, withoutMetaRule)
	}
}

func receivers() []*hop.Tensor {
	var list []*hop.Tensor
	for _, dims := range [][]int{{}, {1}, {3}, {0}, {2, 3}, {3, 3}, {1, 3}, {2, 1, 3}, {2, 3, 4}, {1, 1}, {2, 2, 2}} {
		for _, d := range []hop.DType{hop.Float64, hop.Int32, hop.Bool} {
			list = append(list, hop.Ones(d, dims...))
		}
	}
	for _, d := range []hop.DType{hop.Float64, hop.Float32} {
		list = append(list, hop.Eye(d, 3), hop.Stack(0, hop.Eye(d, 2), hop.Eye(d, 2))) // matrices that have inverses
	}
	return list
}

// argumentsFor are lists of arguments of a method: every combination of a few for each parameter.
func argumentsFor(m reflect.Method, in *hop.Tensor) [][]any {
	lists := [][]any{nil}
	for i := 1; i < m.Type.NumIn(); i++ {
		p := m.Type.In(i)
		var choices [][]any
		one := func(values ...any) {
			for _, v := range values {
				choices = append(choices, []any{v})
			}
		}
		switch {
		case m.Type.IsVariadic() && i == m.Type.NumIn()-1 && p.Elem() == reflect.TypeFor[int]():
			for _, list := range intLists(in) {
				choices = append(choices, list)
			}
		case p == reflect.TypeFor[*hop.Tensor]():
			for _, dims := range [][]int{{}, {1}, {3}, {4}, {2, 3}, {3, 2}, {1, 3}, {2, 1}, {2, 4, 3}} {
				one(hop.Ones(in.DType(), dims...))
			}
			one(hop.Ones(hop.Int64, 2), hop.Ones(hop.Float32, 3), hop.Eye(in.DType(), 3))
			for _, dims := range [][]int{{}, {1}, {2}, {1, 1}, {2, 2}, {1, 2, 1}} {
				one(hop.Zeros(hop.Int64, dims...)) // indices
			}
		case p == reflect.TypeFor[hop.DType]():
			one(hop.Float64, hop.Float32, hop.Int64, hop.Int32, hop.Bool)
		case p.Kind() == reflect.Int:
			one(0, 1, 2, -1, -2)
		case p.Kind() == reflect.Float64:
			one(0.5, 1.0)
		case p.Kind() == reflect.Bool:
			one(true, false)
		default:
			return nil
		}
		var longer [][]any
		for _, list := range lists {
			for _, c := range choices {
				longer = append(longer, append(slices.Clone(list), c...))
			}
		}
		lists = longer
	}
	return lists
}

// intLists are lists of sizes, dims and repetitions.
func intLists(in *hop.Tensor) [][]any {
	lists := [][]any{{}, {0}, {1}, {-1}, {-2}, {2}, {0, 1}, {1, 0}, {0, -1}, {-1, 3}, {3, -1}, {1, 0, 2}, {2, 0, 1}, {6}, {3, 2}, {2, 3}, {4, 2, 3}, {2, 2, 3}, {2, 4, 3}, {-1, 4}, {3}}
	var shape []any
	for _, d := range in.Shape() {
		shape = append(shape, d)
	}
	return append(lists, shape, append([]any{2}, shape...), append([]any{1}, shape...))
}

// compareRule compares the rule with one call, in which everything is known and in which less is known; it returns how many calls
// succeeded.
func compareRule(t *testing.T, m reflect.Method, rule transfer, in *hop.Tensor, args []any) int {
	t.Helper()
	values := []reflect.Value{reflect.ValueOf(in.Clone())}
	call := metaCall{in: []meta{metaOf(in)}}
	for _, a := range args {
		values = append(values, reflect.ValueOf(a))
		switch a := a.(type) {
		case *hop.Tensor:
			call.in = append(call.in, metaOf(a))
		case hop.DType:
			call.dtype = a.String()
		case int:
			call.ints = append(call.ints, FormulaInt{Value: int64(a)})
		}
	}
	var out *hop.Tensor
	if err := hop.Try(func() { out = m.Func.Call(values)[0].Interface().(*hop.Tensor) }); err != nil {
		return 0 // the op fails by itself
	}
	want := metaOf(out)
	text := func(c metaCall, got meta) string {
		words := make([]string, len(c.in))
		for i, in := range c.in {
			words[i] = in.text()
		}
		return fmt.Sprintf("%s of %s, ints %v, dtype %q: got %s, the runtime %s", m.Name, strings.Join(words, ", "), c.ints, c.dtype, got.text(), want.text())
	}
	if got := rule(&call); got.text() != want.text() {
		if !allows(got, want, in) || !leftOpen(m.Name, call) {
			t.Error(text(call, got))
		}
	}
	for _, less := range lessKnown(call) {
		if got := rule(&less); !allows(got, want, in) {
			t.Error(text(less, got))
		}
	}
	return 1
}

// leftOpen reports whether a rule says less than it could.
func leftOpen(method string, c metaCall) bool {
	switch method {
	case "MatMul", "Solve", "SolveTriangular":
		return len(c.in[0].dims) > 2 || len(c.in[1].dims) > 2
	case "Gather", "Slice", "Diagonal":
		return true
	}
	return false
}

// metaOf is what a tensor is.
func metaOf(x *hop.Tensor) meta {
	dims := make([]size, len(x.Shape()))
	for i, d := range x.Shape() {
		dims[i] = size(d)
	}
	return meta{dtype: x.DType().String(), ranked: true, dims: dims}
}

// allows reports whether a tensor can be what is known of it; in is the receiver.
func allows(known, is meta, in *hop.Tensor) bool {
	if known.base != nil && len(is.dims) != len(in.Shape())+known.more {
		return false
	}
	_, _, differ := known.differs(is)
	return !differ
}

// lessKnown are calls of which something is not known: sizes, ranks, dtypes, constants.
func lessKnown(c metaCall) []metaCall {
	var list []metaCall
	for i, m := range c.in {
		change := func(f func(m *meta)) {
			less := c
			less.in = slices.Clone(c.in)
			less.in[i] = m.copied()
			f(&less.in[i])
			list = append(list, less)
		}
		for d := range m.dims {
			change(func(m *meta) { m.dims[d] = unknownSize })
		}
		change(func(m *meta) {
			for d := range m.dims {
				m.dims[d] = unknownSize
			}
		})
		change(func(m *meta) { m.dtype = "" })
		change(func(m *meta) { *m = meta{dtype: m.dtype} })
		if i == 0 {
			change(func(m *meta) { *m = meta{dtype: m.dtype, base: "receiver"} })
		}
	}
	for i := range c.ints {
		less := c
		less.ints = slices.Clone(c.ints)
		less.ints[i] = FormulaInt{Open: true}
		list = append(list, less)
	}
	if c.dtype != "" {
		less := c
		less.dtype = ""
		list = append(list, less)
	}
	return list
}
