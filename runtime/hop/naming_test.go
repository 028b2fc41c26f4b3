package hop_test

import (
	"context"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/runtime/hop"
)

// TestErrorsNameWhatWasCalled: the operator in front of a message is the one that the user called, as the contract table
// names it, with the method behind it for those of programs.
func TestErrorsNameWhatWasCalled(t *testing.T) {
	x := f64(1, 2)
	neg := func(x T) T { return x.Neg() }
	sum := func(x T) T { return x.Sum() }
	bad := func(x T) T { x.AddScalarInPlace(1); return x.Sum() }
	wrong := hop.Axis(1) // an option that programs do not know
	traced, err := hop.Trace(neg, x)
	if err != nil {
		t.Fatal(err)
	}
	compiled := hop.NewCompiled(neg)
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	mustY := func(_ T, err error) { must(err) }
	for _, tc := range []struct {
		prefix string
		f      func()
	}{
		{"trace: Call: option Axis", func() { mustY(traced.Call(x, wrong)) }},
		{"trace: CallInto: option Axis", func() { must(traced.CallInto(x, x.Clone(), wrong)) }},
		{"trace: CallInto: destination shares storage", func() { must(traced.CallInto(x, x.View(2))) }},
		{"trace: argument is float64[3]", func() { mustY(traced.Call(f64(1, 2, 3))) }},
		{"trace: Call: argument is a zero Tensor", func() { mustY(traced.Call(new(hop.Tensor))) }},
		{"trace: function is nil", func() { _, err := hop.Trace[T, T](nil, x); must(err) }},
		{"trace: function writes its operand", func() { _, err := hop.Trace(bad, x); must(err) }},
		{"compile: Call: option Axis", func() { mustY(compiled.Call(x, wrong)) }},
		{"compile: CallInto: destination shares storage", func() { must(compiled.CallInto(x, x.View(2))) }},
		{"compile: destination is float64[3]", func() { must(compiled.CallInto(x, f64(1, 2, 3))) }},
		{"compile: argument", func() { _, err := hop.Compile(func(f func()) T { return x.Neg() })(func() {}); must(err) }},
		{"compile: function is nil", func() { mustY(hop.Compile[T, T](nil)(x)) }},
		{"compile: function writes its operand", func() { mustY(hop.Compile(bad)(x)) }},
		{"compile: function writes its operand", func() { mustY(hop.NewCompiled(bad).Call(x)) }},
		{"grad: function is nil", func() { hop.Grad[T](nil)(x) }},
		{"grad: function writes its operand", func() { hop.Grad(bad)(x) }},
		{"value_and_grad: function writes its operand", func() { hop.ValueAndGrad(bad)(x) }},
		{"value_and_grad: function is nil", func() { hop.ValueAndGrad[T](nil)(x) }},
		{"value_and_grad_aux: function is nil", func() { hop.ValueAndGradAux[T, T](nil)(x) }},
		{"value_and_grad_aux: function writes its operand", func() { hop.ValueAndGradAux(func(x T) (T, T) { return bad(x), x.Neg() })(x) }},
		{"vjp: function is nil", func() { hop.VJP[T, T](nil, x) }},
		{"vjp: function writes its operand", func() { hop.VJP(bad, x) }},
		{"jvp: function is nil", func() { hop.JVP[T, T](nil, x, x) }},
		{"jvp: function writes its operand", func() { hop.JVP(bad, x, x) }},
		{"jacobian: function is nil", func() { hop.Jacobian(nil)(x) }},
		{"jacobian: function writes its operand", func() { hop.Jacobian(bad)(x) }},
		{"hessian: function is nil", func() { hop.Hessian(nil)(x) }},
		{"hessian: function writes its operand", func() { hop.Hessian(bad)(x) }},
		{"hessian: function gives float64[2]", func() { hop.Hessian(neg)(x) }},
		{"check_grad: function is nil", func() { must(hop.CheckGrad(nil, x)) }},
		{"check_grad: function writes its operand", func() { must(hop.CheckGrad(bad, x)) }},
		{"with_observer: function writes its operand", func() { hop.WithObserver(&hop.DispatchLog{}, bad)(x) }},
		{"checkpoint: function writes its operand", func() { hop.Checkpoint(bad)(x) }},
		{"subgraph: function writes its operand", func() { hop.Subgraph("s", bad)(x) }},
		{"vmap: function writes its x", func() { hop.VMap(func(x T) T { x.AddScalarInPlace(1); return x.Neg() })(x) }},
		{"map: function writes its x", func() { hop.Map(func(x T) T { x.AddScalarInPlace(1); return x.Neg() }, x) }},
		{"cond: option WithContext", func() { hop.Cond(hop.Scalar(true), neg, neg, x, hop.WithContext(context.Background())) }},
		{"Backward: option Axis", func() { sum(x.Clone().SetRequiresGrad(true)).Backward(wrong) }},
	} {
		e := refused(t, tc.f)
		_, text, _ := strings.Cut(e.Error(), ": ")
		if !strings.HasPrefix(text, tc.prefix) {
			t.Errorf("got  %s\nwant %s…", e, tc.prefix)
		}
		if !strings.Contains(e.Position.Filename, "naming_test.go") {
			t.Errorf("%s: position is %v", tc.prefix, e.Position)
		}
	}
	var log hop.DispatchLog
	if _, err := traced.Call(x, hop.Observe(&log)); err != nil || log.Calls()[len(log.Calls())-1].Name != "trace" {
		t.Errorf("observers see %s (%v), want trace last", &log, err)
	}
}
