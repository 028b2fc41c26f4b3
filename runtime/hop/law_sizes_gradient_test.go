package hop_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/hoplint/hoplint/runtime/hop"
)

// The law for gradients where sizes are open: the gradient is taken inside of the function that is traced, which is called
// for other sizes.

// openLossOf is lossOf without numbers in place of sizes.
func openLossOf(outs []T) T {
	sum := hop.Scalar(0.0)
	for j, t := range outs {
		if !t.DType().IsFloat() {
			continue
		}
		n := hop.IntOf(1)
		for _, size := range t.SymShape() {
			n = n.Mul(size)
		}
		weights := hop.ArangeSym(hop.Float64, n).AddScalar(float64(3*j) + 0.7).Sin()
		sum = sum.Add(t.To(hop.Float64).Mul(weights.ReshapeSym(t.SymShape()...)).Sum())
	}
	return sum
}

// lawOpenGradients says what became of gradients for other sizes.
type lawOpenGradients struct{ programs, calls, kept, guarded, refused, fixed, second, unsteady int }

// TestGradientsAtOpenSizesAgreeOnRandomPrograms traces gradients of random programs with open sizes and calls them for
// other sizes.
func TestGradientsAtOpenSizesAgreeOnRandomPrograms(t *testing.T) {
	var n lawOpenGradients
	checkLaw(t, 12, false, func(p *lawProgram) error {
		if e := p.expect(); !e.stable {
			return nil
		}
		return p.differentiatesAtOtherSizes(&n)
	})
	t.Logf("%d calls for other sizes: %d by the program of the example, %d refused by a guard, %d by eager too; %d programs have a size that only the gradient fixes; %d second derivatives, of which %d are not steady",
		n.calls, n.kept, n.guarded, n.refused, n.fixed, n.second, n.unsteady)
	if n.kept*3 < n.calls || n.fixed > 0 || n.second-n.unsteady < n.second/2 {
		t.Errorf("too few gradients are open")
	}
}

// fixedSizes are the sizes that a program's graph fixes.
func fixedSizes[X, Y any](p *hop.Program[X, Y]) (list []string) {
	for _, g := range p.Graph().Guards {
		if _, constant := g.Cond.B.Const(); constant && g.Cond.Op == "==" {
			list = append(list, g.Cond.String())
		}
	}
	return list
}

// differentiatesAtOtherSizes compares the first derivatives with differences, the second ones with those of the function
// that is not traced as a whole.
func (p *lawProgram) differentiatesAtOtherSizes(n *lawOpenGradients) error {
	example := p.at(sameSize)
	tree := func(q *lawProgram) lawTree { return pack(4, tensorsOf(q.inputs)) }
	loss := func(r *lawRun) func(x lawTree) T {
		f := example.function(r, nil)
		return func(x lawTree) T { return openLossOf(unpack(f(x), len(p.body.outs))) }
	}
	squares := func(grads lawTree) T {
		sum := hop.Scalar(0.0)
		for _, g := range unpack(grads, len(example.inputs)) {
			if g != nil {
				g = g.To(hop.Float64)
				sum = sum.Add(g.Mul(g).Sum())
			}
		}
		return sum
	}
	first := hop.Grad(loss(&lawRun{}))
	second := hop.Grad(func(x lawTree) T { return squares(first(x)) })
	value, err := hop.Trace(func(x lawTree) T { return loss(&lawRun{})(x) }, tree(example), hop.DynamicDims())
	if err != nil {
		return fmt.Errorf("loss: %w", err)
	}
	n.programs++
	for order, f := range []func(lawTree) lawTree{first, second} {
		if order == 1 && n.programs%4 > 0 { // it takes long
			break
		}
		program, err := hop.Trace(f, tree(example), hop.DynamicDims())
		if err != nil {
			return fmt.Errorf("derivative %d: %w", order+1, err)
		}
		if err := program.Graph().Verify(); err != nil {
			return fmt.Errorf("derivative %d: %w", order+1, err)
		}
		if fixed := fixedSizes(program); !slices.Equal(fixed, fixedSizes(value)) {
			n.fixed++
			return fmt.Errorf("derivative %d fixes %v, its function %v", order+1, fixed, fixedSizes(value))
		}
		q := p.at(otherSizes[n.programs%len(otherSizes)])
		if _, known := q.expectOrNot(); !known {
			continue
		}
		n.calls++
		var grads, eager lawTree
		refused := attempt(func() error { eager = f(tree(q)); return nil })
		err = attempt(func() (err error) { grads, err = program.Call(tree(q)); return err })
		switch {
		case refused != nil:
			n.refused++
			continue
		case errors.Is(err, hop.ErrGuard):
			n.guarded++
			continue
		case err != nil:
			return fmt.Errorf("derivative %d, sizes %v: %w", order+1, typesOfInputs(q), err)
		}
		n.kept++
		got := unpack(grads, len(q.inputs))
		if order == 0 {
			q.captured = nil
			if err := q.compareSlopes(q.slopes(), got); err != nil {
				return fmt.Errorf("sizes %v: %w", typesOfInputs(q), err)
			}
			continue
		}
		n.second++
		steady, err := q.sameGradients(got, unpack(eager, len(q.inputs)), func(x lawTree) []T { return unpack(f(x), len(q.inputs)) })
		if err != nil {
			return fmt.Errorf("second derivative, sizes %v: %w", typesOfInputs(q), err)
		}
		if !steady {
			n.unsteady++
		}
	}
	return nil
}

// sameGradients compares derivatives with others of the same inputs. Where those change much when the inputs change by a
// rounding error they are not compared: steady is false.
func (p *lawProgram) sameGradients(got, want []T, f func(lawTree) []T) (steady bool, err error) {
	near := slices.Clone(p.inputs)
	for i, in := range near {
		if in.typ.dt.IsFloat() {
			near[i].values = slices.Clone(in.values)
			for k := range in.values {
				near[i].values[k] *= 1 + 1e-9
			}
		}
	}
	relative := 1e-6
	if p.single() {
		relative = 5e-3
	}
	close := func(a, b T) bool {
		x, y := numbers(a), numbers(b)
		largest := 1.0
		for _, v := range y {
			largest = max(largest, math.Abs(v))
		}
		for k := range x {
			if !(math.Abs(x[k]-y[k]) <= relative*largest) && !(math.IsNaN(x[k]) && math.IsNaN(y[k])) && x[k] != y[k] {
				return false
			}
		}
		return true
	}
	var moved []T
	if err := attempt(func() error { moved = f(pack(4, tensorsOf(near))); return nil }); err != nil {
		return false, nil
	}
	for i, w := range want {
		if (got[i] == nil) != (w == nil) {
			return true, fmt.Errorf("gradient of r%d: got %v, want %v", i, got[i], w)
		}
		if w == nil {
			continue
		}
		if !close(moved[i], w) {
			return false, nil
		}
		if got[i].DType() != w.DType() || !slices.Equal(got[i].Shape(), w.Shape()) || !close(got[i], w) {
			return true, fmt.Errorf("gradient of r%d: got %v, want %v", i, got[i], w)
		}
	}
	return true, nil
}
