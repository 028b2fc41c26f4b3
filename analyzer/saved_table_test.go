package analyzer

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

// What the analyzer says that ops save is what the runtime refuses to do without: a write to it before Backward is HOP601, and
// without the write there is no refusal.
func TestSavedTensorsAreThoseOfTheRuntime(t *testing.T) {
	method := func(x *hop.Tensor, name string, args ...any) *hop.Tensor {
		m := reflect.ValueOf(x).MethodByName(name)
		in := make([]reflect.Value, len(args))
		for i, a := range args {
			in[i] = reflect.ValueOf(a)
		}
		return m.Call(in)[0].Interface().(*hop.Tensor)
	}
	input := func(op string) *hop.Tensor {
		dims := []int{2}
		if op == "MatMul" {
			dims = []int{2, 2}
		}
		return hop.Full(hop.Float64, 0.5, dims...)
	}
	for _, op := range []string{"Mul", "MatMul", "Dot", "Outer", "Div", "Square", "Sin", "Cos", "Log", "Abs", "Gelu", "Exp", "Tanh", "Sigmoid", "Sqrt",
		"Reciprocal", "Softmax"} {
		rows := savedBy(op)
		if rows == nil || !passesGrad(op) {
			t.Errorf("%s is not in the table", op)
		}
		for _, row := range rows {
			t.Run(fmt.Sprintf("%s %+v", op, row), func(t *testing.T) {
				run := func(write bool) error {
					leaf := input(op).SetRequiresGrad(true)
					operands := []*hop.Tensor{input(op), input(op)}
					operands[row.by] = leaf.MulScalar(1) // recorded, and no leaf: it may be written
					args := []any{operands[1]}
					switch op {
					case "Mul", "MatMul", "Dot", "Outer", "Div":
					case "Softmax":
						args = []any{0}
					default:
						args = nil
					}
					return hop.Try(func() {
						y := method(operands[0], op, args...)
						z := y.Neg()
						kept := y
						if !row.result {
							kept = operands[row.operand]
						}
						if write {
							kept.Fill(2)
						}
						z.Sum().Backward()
					})
				}
				if err := run(true); !errors.Is(err, hopcheck.StaleSavedTensor) {
					t.Errorf("got %v, want %v", err, hopcheck.StaleSavedTensor)
				}
				if err := run(false); err != nil {
					t.Errorf("without a write: %v", err)
				}
			})
		}
	}
}

// Gradients pass through the ops that the analyzer says they do.
func TestGradientsPass(t *testing.T) {
	for name, f := range map[string]func(*hop.Tensor) *hop.Tensor{
		"Add": func(x *hop.Tensor) *hop.Tensor { return x.Add(x) }, "Sub": func(x *hop.Tensor) *hop.Tensor { return x.Sub(hop.Ones(hop.Float64, 2, 1)) },
		"Neg": (*hop.Tensor).Neg, "AddScalar": func(x *hop.Tensor) *hop.Tensor { return x.AddScalar(1) },
		"SubScalar": func(x *hop.Tensor) *hop.Tensor { return x.SubScalar(1) }, "MulScalar": func(x *hop.Tensor) *hop.Tensor { return x.MulScalar(2) },
		"DivScalar": func(x *hop.Tensor) *hop.Tensor { return x.DivScalar(2) }, "Sum": func(x *hop.Tensor) *hop.Tensor { return x.Sum() },
		"Mean": func(x *hop.Tensor) *hop.Tensor { return x.Mean() }, "Clone": (*hop.Tensor).Clone,
		"View": func(x *hop.Tensor) *hop.Tensor { return x.View(2) }, "Reshape": func(x *hop.Tensor) *hop.Tensor { return x.Reshape(1, 2) },
		"Flatten": (*hop.Tensor).Flatten, "T": (*hop.Tensor).T, "Transpose": func(x *hop.Tensor) *hop.Tensor { return x.Transpose(0, 1) },
		"Permute": func(x *hop.Tensor) *hop.Tensor { return x.Permute(1, 0) }, "Squeeze": func(x *hop.Tensor) *hop.Tensor { return x.Squeeze() },
		"Unsqueeze": func(x *hop.Tensor) *hop.Tensor { return x.Unsqueeze(0) }, "Select": func(x *hop.Tensor) *hop.Tensor { return x.Select(0, 1) },
		"Narrow": func(x *hop.Tensor) *hop.Tensor { return x.Narrow(0, 1, 1) }, "Expand": func(x *hop.Tensor) *hop.Tensor { return x.Expand(2, 3) },
	} {
		if !passesGrad(name) {
			t.Errorf("%s is not in the table", name)
		}
		x := hop.Ones(hop.Float64, 2, 1).SetRequiresGrad(true)
		f(x).Sum().Backward()
		if g := x.Grad(); g == nil || hop.Item[float64](g.Abs().Sum()) == 0 {
			t.Errorf("%s: gradient %v", name, g)
		}
	}
}
