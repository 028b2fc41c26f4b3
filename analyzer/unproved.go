package analyzer

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/ssaflow"
)

// unresolvedBody reports an argument of a HOP that can be a function which was not found: HOP903. A parameter of the
// function around the call is not meant: that function is a HOP itself, and its callers are looked at.
func (a *analysisOf) unresolvedBody(call *hopCall, arg bodyArg, set ssaflow.FuncSet) []*Finding {
	if set.Complete {
		return nil
	}
	handed := len(set.Origins) > 0
	for _, o := range set.Origins {
		_, ok := parametersOf(call.instr.Parent(), o.Ref)
		handed = handed && ok
	}
	if handed {
		return nil
	}
	u := &bodyUse{call: call, arg: arg}
	f := a.unprovedFinding(u, nil, "cannot be resolved to all functions that it can be")
	f.Call, f.use = call.pos, u
	return []*Finding{f}
}

// unproved reports what keeps a body from being proved, each cause once: HOP903.
func (a *analysisOf) unproved(u *bodyUse) []*Finding {
	var list []*Finding
	told := map[string]bool{}
	add := func(witness []ssaflow.Step, cause string) {
		if !told[cause] {
			told[cause] = true
			list = append(list, a.unprovedFinding(u, witness, cause))
		}
	}
	s := u.fn.summary
	for _, e := range s.Effects {
		if place, ok := u.place(e.Ref); ok && !e.Definite {
			its := "its "
			if place.Role == hopcheck.Captured {
				its = ""
			}
			add(e.Witness, fmt.Sprintf("hands %s%s to %s, which cannot be seen", its, place, e.Op))
		}
	}
	for _, f := range s.Flags {
		if f.Kind == ssaflow.Unresolved {
			add(f.Witness, fmt.Sprintf("calls %s, which cannot be resolved", f.Op))
		}
	}
	for _, f := range s.Flags {
		if f.Kind == ssaflow.Blind {
			add(f.Witness, "changes memory of which is not known where it comes from")
		}
	}
	for i := range s.Slots {
		if a.isBody(u.fn.fn, s.Slots[i].Callee) {
			continue // of the operator that the function around is: its callers are looked at
		}
		add([]ssaflow.Step{{Kind: ssaflow.Handed, Pos: s.Slots[i].Pos, Callee: s.Slots[i].Name}}, fmt.Sprintf("calls %s, which cannot be resolved", s.Slots[i].Name))
	}
	for _, out := range a.outputs(u, &contents{s.Stores}, s.Results) {
		for _, o := range out.origins {
			if o.Ref.Root.Kind == ssaflow.Unknown && !out.mayBe {
				add(o.Witness, fmt.Sprintf("returns a %s of which is not known where it comes from", out.place))
			}
		}
	}
	return list
}

// isBody reports whether a function that a body calls can only be what a directive says is a body of the function around.
func (a *analysisOf) isBody(fn *ssa.Function, callee ssaflow.Ref) bool {
	if fn == nil {
		return false
	}
	list, ok := capturedParams(fn, callee)
	return ok && !slices.ContainsFunc(list, func(at place) bool {
		return !a.declaredBody(at.holder, func(b ClaimBody) bool { return b.Param == at.param && b.Path == at.path })
	})
}

func (a *analysisOf) unprovedFinding(u *bodyUse, witness []ssaflow.Step, cause string) *Finding {
	pos, end := a.standsAt(u, witness)
	f := &Finding{Pos: pos, End: end, Related: a.way(u, witness, "", pos)}
	f.Finding = hopcheck.Finding{Code: hopcheck.UnprovedBody, HOP: u.call.contract.Name, Body: u.arg.body.Words,
		Detail: u.arg.body.Words + " " + cause}
	return f
}
