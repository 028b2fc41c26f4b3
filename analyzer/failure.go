package analyzer

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/hoplint/hoplint/ssaflow"
)

// An error of hoplint itself must not hide what is found elsewhere: a driver drops all findings of a package whose analyzer fails, and
// of those that import it. Work is done function by function and call by call, each guarded; ssaflow does the same for summaries. What
// could not be looked at is not proved, which strict mode says.

// guarded does a piece of work on one function or call, and reports whether it came to an end.
func (a *analysisOf) guarded(work, name string, do func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	a.options.probed(work, name)
	do()
	return nil
}

func (o *options) probed(work, name string) {
	if o.probe != nil {
		o.probe(work, name)
	}
}

// eachFunction does a piece of work on every function of the package.
func (a *analysisOf) eachFunction(work string, do func(fn *ssa.Function)) {
	for _, fn := range a.flow.Functions() {
		_ = a.guarded(work, fn.Name(), func() { do(fn) }) // nothing is told of a function that hoplint fails on, but in strict mode
	}
}

// failed reports a body on which a piece of work failed: HOP903.
func (a *analysisOf) failed(u *bodyUse, err error) []*Finding {
	if err == nil || !a.options.strict {
		return nil
	}
	return a.unlooked(u, fmt.Sprintf("could not be analysed, hoplint failed on it: %v", err))
}

// unseenBody reports a body of which nothing is known: HOP903.
func (a *analysisOf) unseenBody(u *bodyUse, flow *ssaflow.Result) []*Finding {
	if !a.options.strict {
		return nil
	}
	cause := "cannot be analysed: its code is not in sight"
	if fn := u.fn.fn; fn != nil && len(fn.Blocks) > 0 {
		cause = "is too large to be analysed"
		if i := slices.IndexFunc(flow.Problems, func(p ssaflow.Problem) bool { return p.Func == fn.String() }); i >= 0 {
			cause = "could not be analysed, hoplint failed on it: " + flow.Problems[i].Err
		}
	}
	return a.unlooked(u, cause)
}

func (a *analysisOf) unlooked(u *bodyUse, cause string) []*Finding {
	f := a.unprovedFinding(&bodyUse{call: u.call, arg: u.arg}, nil, cause)
	f.Call, f.use = u.call.pos, u
	return []*Finding{f}
}
