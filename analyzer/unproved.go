package analyzer

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/ssaflow"
)

// unresolvedBody reports an argument of a HOP that can be a function which was not found: HOP903. A parameter of the
// function around the call is not meant: that function is a HOP itself, and its callers are looked at.
func (a *analysisOf) unresolvedBody(call *hopCall, arg bodyArg, set ssaflow.FuncSet) []*Finding {
	if set.Complete || call.handed {
		return nil // operators that are handed on are told by themselves
	}
	handed := len(set.Origins) > 0
	for _, o := range set.Origins {
		list, ok := a.parametersOf(call.instr.Parent(), o.Ref)
		handed = handed && ok && !slices.ContainsFunc(list, func(at place) bool {
			return at.holder.literal != nil && !a.callsKnown(at.holder.literal)
		})
	}
	if handed {
		return nil
	}
	u := &bodyUse{call: call, arg: arg}
	cause := "cannot be resolved to all functions that it can be"
	if field := strings.TrimPrefix(arg.path, "."); field != "" {
		cause += ": not all that the field " + field + " can hold are known"
	}
	f := a.unprovedFinding(u, nil, cause)
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
	var calls unresolvedCalls
	for _, f := range s.Flags {
		if f.Kind == ssaflow.Unresolved {
			calls.add(a, u, f.Witness, f.Op)
		}
	}
	for i := range s.Slots {
		if a.isBody(u.fn.fn, s.Slots[i].Callee) {
			continue // of the operator that the function around is: its callers are looked at
		}
		name := u.fn.calledName(&s.Slots[i])
		calls.add(a, u, []ssaflow.Step{{Kind: ssaflow.Handed, Pos: s.Slots[i].Pos, Callee: name}}, name)
	}
	for _, c := range calls {
		add(c.witness, "calls "+c.text()+", which cannot be resolved")
	}
	for _, f := range s.Flags {
		if f.Kind == ssaflow.Blind && !calls.at(a, u, f.Witness) {
			add(f.Witness, "changes memory of which is not known where it comes from")
		}
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

// calledName is a function that a body calls as the body can name it: a field with what it is a field of. An operator that runs it has a
// name of its own for it, which says nothing.
func (b *bodyFunc) calledName(slot *ssaflow.SlotRow) string {
	root, path := b.capturedName(slot.Callee.Root), slot.Callee.Fields()
	if root == "" || path == "" || strings.Contains(path, "[") {
		return slot.Name
	}
	if slot.Method != "" {
		path += "." + slot.Method
	}
	return root + path
}

// unresolvedCalls are calls that were not resolved, by the place in the body that leads to them: one call of a function of another package
// may lead to many.
type unresolvedCalls []*unresolvedCall

type unresolvedCall struct {
	pos     token.Pos
	witness []ssaflow.Step
	names   []string
}

func (l *unresolvedCalls) add(a *analysisOf, u *bodyUse, witness []ssaflow.Step, name string) {
	pos, _ := a.standsAt(u, witness)
	i := slices.IndexFunc(*l, func(c *unresolvedCall) bool { return c.pos == pos })
	if i < 0 {
		i = len(*l)
		*l = append(*l, &unresolvedCall{pos: pos, witness: witness})
	}
	if c := (*l)[i]; !slices.Contains(c.names, name) {
		c.names = append(c.names, name)
	}
}

// at reports whether calls were told where a witness stands.
func (l unresolvedCalls) at(a *analysisOf, u *bodyUse, witness []ssaflow.Step) bool {
	pos, _ := a.standsAt(u, witness)
	return slices.ContainsFunc(l, func(c *unresolvedCall) bool { return c.pos == pos })
}

// maxCalls is how many functions one finding names.
const maxCalls = 3

func (c *unresolvedCall) text() string {
	if n := len(c.names); n > maxCalls {
		return fmt.Sprintf("%s and %d more", strings.Join(c.names[:maxCalls], ", "), n-maxCalls)
	}
	return strings.Join(c.names, " and ")
}

// isBody reports whether a function that a body calls can only be what a directive says is a body of the function around.
func (a *analysisOf) isBody(fn *ssa.Function, callee ssaflow.Ref) bool {
	if fn == nil {
		return false
	}
	list, ok := a.capturedParams(fn, callee)
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
