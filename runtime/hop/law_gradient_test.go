package hop_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

// weightOf is the weight of element k of output j in the loss of a program.
func weightOf(j, k int) float64 { return math.Sin(float64(3*j+k) + 0.7) }

// lossOn is the weighted sum of all floats that a program returns, by the reference in float64.
func (m *lawMachine) lossOn(p *lawProgram, env []*lawArray) float64 {
	sum := 0.0
	for j, a := range m.run(p, env) {
		for k, v := range a.values() {
			if a.dt.IsFloat() {
				sum += weightOf(j, k) * v.f
			}
		}
	}
	return sum
}

// lossOf is lossOn on tensors.
func (p *lawProgram) lossOf(outs []T) T {
	sum := hop.Scalar(0.0)
	for j, t := range outs {
		if !t.DType().IsFloat() || t.NumElems() == 0 {
			continue
		}
		weights := make([]float64, t.NumElems())
		for k := range weights {
			weights[k] = weightOf(j, k)
		}
		sum = sum.Add(t.To(hop.Float64).Mul(hop.FromSlice(weights).Reshape(t.Shape()...)).Sum())
	}
	return sum
}

// slope is a derivative from differences, with how far it can be trusted; known is false near a kink or a jump.
type slope struct {
	value, tolerance float64
	known            bool
}

// slopes are the derivatives of the loss by every float that the program is given, captured tensors first; nil for
// leaves that are no floats.
func (p *lawProgram) slopes() [][]slope {
	given := slices.Concat(p.captured, p.inputs)
	source := func() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }
	at := &lawMachine{exact: true, rng: source()}
	value := at.lossOn(p, arraysOf(given))
	steady := !math.IsNaN(value) && !math.IsInf(value, 0)
	for _, m := range []*lawMachine{{}, {noise: 64}, {noise: 64}} {
		m.rng = source()
		m.lossOn(p, arraysOf(given))
		steady = steady && m.soft == at.soft && m.hard == at.hard
	}
	all := make([][]slope, len(given))
	for i, in := range given {
		if !in.typ.dt.IsFloat() {
			continue
		}
		all[i] = make([]slope, len(in.values))
		for k := range in.values {
			known := steady
			moved := func(d float64) float64 {
				if !known {
					return 0
				}
				env := arraysOf(given)
				(*env[i].cells)[k].f += d
				m := &lawMachine{exact: true, rng: source()}
				v := m.lossOn(p, env)
				known = m.soft == at.soft && m.hard == at.hard
				return v
			}
			const h = 1e-3
			var d [5]float64 // at distances 0, h, 2h, 3h, 4h, both sides
			for n := 1; n <= 4; n++ {
				d[n] = moved(float64(n)*h) - moved(-float64(n)*h)
			}
			narrow, wide := (8*d[1]-d[2])/(12*h), (8*d[2]-d[4])/(24*h)
			s := slope{narrow, 2*math.Abs(narrow-wide) + 1e-9*math.Abs(value), known}
			s.known = s.known && s.tolerance < 1e-3*max(1, math.Abs(narrow))
			all[i][k] = s
		}
	}
	return all
}

// single reports whether float32 occurs anywhere in a program.
func (p *lawProgram) single() bool {
	isSingle := func(t lawType) bool { return t.dt == hop.Float32 }
	for _, in := range slices.Concat(p.captured, p.inputs) {
		if isSingle(in.typ) {
			return true
		}
	}
	var inside func(b *lawBlock) bool
	inside = func(b *lawBlock) bool {
		return slices.ContainsFunc(b.stmts, func(s *lawStmt) bool {
			return slices.ContainsFunc(s.types, isSingle) || s.hop != nil && slices.ContainsFunc(s.hop.bodies, inside)
		})
	}
	return inside(p.body)
}

// compareSlopes compares gradients, nil for zeros, with differences.
func (p *lawProgram) compareSlopes(want [][]slope, got []T) error {
	relative := 1e-6
	if p.single() {
		relative = 2e-3
	}
	for i, slopes := range want {
		if slopes == nil {
			if got[i] != nil {
				return fmt.Errorf("r%d is no float and has the gradient %v", i, got[i])
			}
			continue
		}
		values := make([]float64, len(slopes))
		if got[i] != nil {
			in := slices.Concat(p.captured, p.inputs)[i]
			if got[i].DType() != in.typ.dt || !slices.Equal(got[i].Shape(), in.typ.shape) {
				return fmt.Errorf("the gradient of r%d, %s, is %s%v", i, in.typ, got[i].DType(), got[i].Shape())
			}
			values = numbers(got[i])
		}
		largest := 1.0
		for _, s := range slopes {
			if s.known {
				largest = max(largest, math.Abs(s.value))
			}
		}
		for k, s := range slopes {
			if s.known && !(math.Abs(values[k]-s.value) <= s.tolerance+relative*largest) {
				return fmt.Errorf("gradient of r%d, element %d: got %v, differences %v to %v", i, k, values[k], s.value, s.tolerance+relative*largest)
			}
		}
	}
	return nil
}

// leavesOf are tensors that require grad where they are floats.
func leavesOf(list []lawInput) []T {
	out := make([]T, len(list))
	for i, in := range list {
		if out[i] = fromCells(in.typ, in.values); in.typ.dt.IsFloat() {
			out[i] = out[i].Clone().SetRequiresGrad(true)
		}
	}
	return out
}

// TestGradientsAgreeOnRandomPrograms compares gradients by inputs and captured tensors with differences of the plain
// loops.
func TestGradientsAgreeOnRandomPrograms(t *testing.T) {
	total, known, elements, stale := 0, 0, 0, 0
	checkLaw(t, 16, false, func(p *lawProgram) error {
		want := p.slopes()
		total++
		usable := false
		for _, slopes := range want {
			for _, s := range slopes {
				if elements++; s.known {
					known++
					usable = true
				}
			}
		}
		if !usable {
			return nil
		}
		refused, err := p.differentiates(want)
		stale += refused
		return err
	})
	t.Logf("%d programs; %d of %d elements are known; %d runs were refused for a stale saved tensor", total, known, elements, stale)
	if known*3 < elements {
		t.Errorf("only %d of %d derivatives are known; the generator does not make enough smooth programs", known, elements)
	}
}

// differentiates takes the gradient of a program in every mode. The tape refuses a program that writes what a derivative
// reads (HOP601): only ops that run as they stand have such writes, graphs do not.
func (p *lawProgram) differentiates(want [][]slope) (stale int, err error) {
	given := slices.Concat(p.captured, p.inputs)
	// loss is the program's as a function of everything that it is given.
	loss := func(x lawTree) T {
		leaves := unpack(x, len(given))
		n := len(p.captured)
		y := p.function(&lawRun{}, leaves[:n])(pack(p.forms[0], leaves[n:]))
		return p.lossOf(unpack(y, len(p.body.outs)))
	}
	backward := func(f func(captured []T, x lawTree) T) func() ([]T, error) {
		return func() ([]T, error) {
			captured, inputs := leavesOf(p.captured), leavesOf(p.inputs)
			kept := guard(captured, inputs)
			if l := f(captured, pack(p.forms[0], inputs)); l.RequiresGrad() {
				l.Backward()
			}
			var grads []T
			for _, t := range slices.Concat(captured, inputs) {
				grads = append(grads, t.Grad())
			}
			return grads, kept.changed()
		}
	}
	on := func(r *lawRun, wrap func(func(lawTree) lawTree) func(lawTree) lawTree) func() ([]T, error) {
		return backward(func(captured []T, x lawTree) T {
			return p.lossOf(unpack(wrap(p.function(r, captured))(x), len(p.body.outs)))
		})
	}
	plain := func(f func(lawTree) lawTree) func(lawTree) lawTree { return f }
	functional := func(grad func(lawTree) lawTree) func() ([]T, error) {
		return func() ([]T, error) { return unpack(grad(pack(4, tensorsOf(given))), len(given)), nil }
	}
	for _, mode := range []struct {
		name  string
		tape  bool // ops run as they stand, on the tape: all, or those on captured tensors alone
		grads func() ([]T, error)
	}{
		{"Backward, eager", true, on(&lawRun{}, plain)},
		{"Backward, stepwise operators", true, on(&lawRun{outer: []hop.Option{hop.Stepwise()}}, plain)},
		{"Backward, stepwise", true, on(&lawRun{}, whole)},
		{"Backward of an operator around all", true, on(&lawRun{}, func(f func(lawTree) lawTree) func(lawTree) lawTree { return hop.Subgraph("all", f) })},
		{"Grad", false, functional(hop.Grad(loss))},
		{"Grad, compiled", false, functional(hop.Must(hop.Compile(hop.Grad(loss))))},
		{"Grad of the compiled function", false, functional(hop.Grad(hop.Must(hop.Compile(loss))))},
		{"Backward of the compiled function", false, backward(func(captured []T, x lawTree) T {
			return hop.Must(hop.Compile(loss))(pack(4, slices.Concat(captured, unpack(x, len(p.inputs)))))
		})},
	} {
		var grads []T
		err := attempt(func() (err error) { grads, err = mode.grads(); return err })
		if mode.tape && errors.Is(err, hopcheck.StaleSavedTensor) {
			stale++
			continue
		}
		if err == nil {
			err = p.compareSlopes(want, grads)
		}
		if err != nil {
			return stale, fmt.Errorf("%s: %w", mode.name, err)
		}
	}
	return stale, nil
}
