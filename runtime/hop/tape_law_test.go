package hop

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"pgregory.net/rapid"

	"github.com/hoplint/hoplint/hopcheck"
)

// instruction is one step of a random program over a list of tensors; it may append one.
type instruction struct {
	text string
	run  func(list []*Tensor) []*Tensor
}

// program draws a program that starts from [x], a [2, 3] tensor: new tensors, views of them, and writes through views.
func program(t *rapid.T) []instruction {
	var list []instruction
	count := 1
	shapes := [][]int{{2, 3}}
	writable := []bool{false} // the leaf and its views are not
	push := func(text string, shape []int, mayWrite bool, run func(l []*Tensor) *Tensor) {
		list = append(list, instruction{fmt.Sprintf("t%d = %s", count, text), func(l []*Tensor) []*Tensor { return append(l, run(l)) }})
		shapes, writable = append(shapes, shape), append(writable, mayWrite)
		count++
	}
	for range rapid.IntRange(3, 12).Draw(t, "length") {
		i := rapid.IntRange(0, count-1).Draw(t, "operand")
		shape := shapes[i]
		switch kind := rapid.IntRange(0, 12).Draw(t, "kind"); {
		case kind == 0:
			push(fmt.Sprintf("t%d.MulScalar(2)", i), shape, true, func(l []*Tensor) *Tensor { return l[i].MulScalar(2) })
		case kind == 1:
			push(fmt.Sprintf("t%d.Clone().Tanh()", i), shape, true, func(l []*Tensor) *Tensor { return l[i].Clone().Tanh().Clone() })
		case kind == 2:
			push("Ones(2, 3)", []int{2, 3}, true, func([]*Tensor) *Tensor { return Ones(Float64, 2, 3) })
		case kind == 3 && len(shape) == 2:
			push(fmt.Sprintf("t%d.T()", i), []int{shape[1], shape[0]}, writable[i], func(l []*Tensor) *Tensor { return l[i].T() })
		case kind == 4 && len(shape) == 2:
			k := rapid.IntRange(0, shape[1]-1).Draw(t, "index")
			push(fmt.Sprintf("t%d.Select(1, %d)", i, k), shape[:1], writable[i], func(l []*Tensor) *Tensor { return l[i].Select(1, k) })
		case kind == 5 && shape[0] > 1:
			push(fmt.Sprintf("t%d.Narrow(0, 1, 1)", i), append([]int{1}, shape[1:]...), writable[i], func(l []*Tensor) *Tensor { return l[i].Narrow(0, 1, 1) })
		case kind == 10:
			push(fmt.Sprintf("t%d.Sin().Mul(t%d)", i, i), shape, true, func(l []*Tensor) *Tensor { return l[i].Sin().Mul(l[i]) })
		case !writable[i]:
		case kind == 11:
			list = append(list, instruction{fmt.Sprintf("t%d.TanhInPlace()", i), func(l []*Tensor) []*Tensor { l[i].TanhInPlace(); return l }})
		case kind == 6:
			list = append(list, instruction{fmt.Sprintf("t%d.MulScalarInPlace(-1.5)", i), func(l []*Tensor) []*Tensor { l[i].MulScalarInPlace(-1.5); return l }})
		case kind == 7:
			list = append(list, instruction{fmt.Sprintf("t%d.Zero()", i), func(l []*Tensor) []*Tensor { l[i].Zero(); return l }})
		default: // from another tensor of the same shape, perhaps a window on the same storage
			j := rapid.IntRange(0, count-1).Draw(t, "source")
			if fmt.Sprint(shapes[j]) != fmt.Sprint(shape) {
				break
			}
			if kind == 12 {
				list = append(list, instruction{fmt.Sprintf("t%d.MulInPlace(t%d)", i, j), func(l []*Tensor) []*Tensor { l[i].MulInPlace(l[j]); return l }})
			} else if kind == 8 {
				list = append(list, instruction{fmt.Sprintf("t%d.CopyFrom(t%d)", i, j), func(l []*Tensor) []*Tensor { l[i].CopyFrom(l[j]); return l }})
			} else {
				list = append(list, instruction{fmt.Sprintf("t%d.AddInPlace(t%d)", i, j), func(l []*Tensor) []*Tensor { l[i].AddInPlace(l[j]); return l }})
			}
		}
	}
	return list
}

// lossOf runs a program and weighs all its tensors.
func lossOf(list []instruction, x *Tensor) *Tensor {
	tensors := []*Tensor{x}
	for _, in := range list {
		tensors = in.run(tensors)
	}
	sum := Scalar(0.0)
	for k, y := range tensors {
		weights := Arange(Float64, y.NumElems()).AddScalar(float64(k) + 0.3).Sin().Reshape(y.Shape()...)
		sum = sum.Add(y.Clone().Mul(weights).Sum())
	}
	return sum
}

// TestGradientsOfRandomProgramsWithWrites compares first and second derivatives with central differences on programs
// that write through views in any order: Backward, a derivative with its own ops on the tape, and Grad, which traces.
// The tape refuses a program that writes what a derivative reads (HOP601); a graph has no effects, so Grad never does.
func TestGradientsOfRandomProgramsWithWrites(t *testing.T) {
	refused, total := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		list := program(t)
		var lines []string
		for _, in := range list {
			lines = append(lines, in.text)
		}
		text := strings.Join(lines, "\n")
		at := []float64{0.3, -0.2, 0.5, 0.1, -0.4, 0.25}
		program := func(x *Tensor) *Tensor { return lossOf(list, x) }
		x := FromSlice(at, 2, 3).SetRequiresGrad(true)
		loss := program(x)
		if want := program(FromSlice(at, 2, 3)); Item[float64](loss) != Item[float64](want) {
			t.Fatalf("value %v with the tape, %v without\n%s", loss, want, text)
		}
		first := Grad(program)
		compareWithDifferences(t, "first derivative by Grad\n"+text, first(x), program, at)
		weightedFirst := func(x *Tensor) *Tensor { return weighted([]*Tensor{first(x)}) }
		compareWithDifferences(t, "second derivative by Grad\n"+text, Grad(weightedFirst)(x), weightedFirst, at)

		total++
		err := Try(func() { loss.Backward() })
		if errors.Is(err, hopcheck.StaleSavedTensor) {
			refused++
			return
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		compareWithDifferences(t, "first derivative by Backward\n"+text, x.Grad(), program, at)
		second := secondOnTape(func(args []*Tensor) *Tensor { return program(args[0]) }, []*Tensor{FromSlice(at, 2, 3)})
		compareWithDifferences(t, "second derivative on the tape\n"+text, second[0], weightedFirst, at)
	})
	if refused == total {
		t.Errorf("all %d programs were refused", total)
	}
}

// compareWithDifferences compares a gradient of f at a [2, 3] tensor with central differences.
func compareWithDifferences(t *rapid.T, what string, gradient *Tensor, f func(x *Tensor) *Tensor, at []float64) {
	got := ToSlice[float64](gradient)
	for k := range at {
		moved := func(v float64) float64 {
			p := slices.Clone(at)
			p[k] = v
			return Item[float64](f(FromSlice(p, 2, 3)))
		}
		want := fd.Derivative(moved, at[k], &fd.Settings{Formula: central(), Step: 1e-4})
		if !(math.Abs(got[k]-want) <= 1e-6*max(1, math.Abs(want))) {
			t.Fatalf("element %d: got %v, finite difference %v: %s", k, got[k], want, what)
		}
	}
}
