package hop_test

import (
	"errors"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

// TestAdviceOnStepwiseCanBeFollowed reads a value in bodies below each operator and asks for what the error says, which
// must then work.
func TestAdviceOnStepwiseCanBeFollowed(t *testing.T) {
	read := func(x T) T { return x.MulScalar(hop.Item[float64](x)) }
	step := hop.Stepwise()
	scan := func(f func(x T) T, o ...hop.Option) func(x T) T {
		return func(x T) T {
			c, _ := hop.Scan(func(c, _ T) (T, hop.None) { return f(c), hop.None{} }, x, f64(0), o...)
			return c
		}
	}
	cond := func(f func(x T) T, o ...hop.Option) func(x T) T {
		return func(x T) T { return hop.Cond(hop.Scalar(true), f, func(x T) T { return x.Neg() }, x, o...) }
	}
	compiled := func(f func(x T) T) func(x T) T { return hop.Must(hop.Compile(f)) }
	gradient := func(f func(x T) T) func(x T) T { // by Backward
		return func(x T) T {
			x = x.Clone().SetRequiresGrad(true)
			f(x).Backward()
			return x.Grad()
		}
	}
	for _, tc := range []struct {
		name     string
		bad      func(x T) T
		says     []string
		followed func(x T) T
		want     float64 // at 3
	}{
		{"scan", scan(read), []string{"hop.Stepwise()"}, scan(read, step), 9},
		{"cond in scan", scan(cond(read)), []string{"give scan Stepwise too"}, scan(cond(read), step), 9},
		{"checkpoint", hop.Checkpoint(read), []string{"call the function itself and not through Checkpoint"}, read, 9},
		{"subgraph", hop.Subgraph("read", read), []string{"not through Subgraph"}, read, 9},
		{"scan in checkpoint", hop.Checkpoint(scan(read)), []string{"not through Checkpoint", "give scan Stepwise too"}, scan(read, step), 9},
		{"checkpoint in scan", scan(hop.Checkpoint(read)), []string{"give scan Stepwise too"}, scan(hop.Checkpoint(read), step), 9},
		{"compile", compiled(read), []string{"call the function itself and not through Compile"}, read, 9},
		{"scan in compile", compiled(scan(read)), []string{"not through Compile", "give scan Stepwise too"}, scan(read, step), 9},
		{"grad", hop.Grad(read), []string{"SetRequiresGrad and Backward instead of Grad"}, gradient(read), 3},
		{"scan in grad", hop.Grad(scan(read)), []string{"instead of Grad", "give scan Stepwise too"}, gradient(scan(read, step)), 3},
		{"grad in grad", hop.Grad(hop.Grad(read)), []string{"or differentiate with SetRequiresGrad and Backward instead of Grad, which traces it"}, gradient(read), 3},
		{"grad in compile", compiled(hop.Grad(read)), []string{"or call the function itself and not through Compile, and differentiate with SetRequiresGrad and Backward instead of Grad"}, gradient(read), 3},
		{"scan in checkpoint in grad in compile", compiled(hop.Grad(hop.Checkpoint(scan(read)))),
			[]string{"not through Compile and Checkpoint, differentiate with SetRequiresGrad and Backward instead of Grad, and give scan Stepwise too"}, gradient(scan(read, step)), 3},
		{"grad in scan", scan(hop.Grad(read)), []string{"give scan Stepwise too"}, scan(hop.Grad(read), step), 3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := refusedWith(t, func() { tc.bad(s64(3)) }, tc.says...)
			if !errors.Is(e, hopcheck.DataDependentControlFlow) {
				t.Errorf("code %s, want HOP501", e.Code)
			}
			check(t, "followed", tc.followed(s64(3)), []int{}, tc.want)
		})
	}
	// An operator with the option inside one that traces says the same.
	for _, tc := range []struct {
		f    func(x T) T
		says []string
	}{
		{hop.Grad(scan(read, step)), []string{"Stepwise is refused", "instead of Grad"}},
		{hop.Grad(hop.Grad(scan(read, step))), []string{"have no data; differentiate with SetRequiresGrad and Backward instead of Grad, which traces it, or remove it here"}},
		{hop.Checkpoint(scan(read, step)), []string{"Stepwise is refused", "not through Checkpoint"}},
		{compiled(scan(read, step)), []string{"Stepwise is refused", "not through Compile"}},
		{scan(cond(scan(read, step))), []string{"Stepwise is refused", "give scan Stepwise too"}},
	} {
		refusedWith(t, func() { tc.f(s64(3)) }, tc.says...)
	}
}
