package analyzer

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/ssaflow"
)

// outsideEffects finds what a body does to the outside world: HOP403 and HOP404. What several effects of one call have in
// common is their place: they are told together.
func (a *analysisOf) outsideEffects(u *bodyUse) []*Finding {
	var list []*Finding
	for _, flag := range u.fn.summary.Flags {
		code, phrase := nondeterministic(flag)
		if code == "" {
			if code, phrase = concurrent(flag); code == "" || a.isParallelLibrary(flag) {
				continue
			}
		}
		if name := a.calledName(flag.Op, flag.Witness); name != "" && phrase[len(phrase)-1] != '.' {
			phrase += " through " + name
		}
		phrase = strings.TrimSuffix(phrase, ".")
		pos, end := a.standsAt(u, flag.Witness)
		if f := find(list, code, pos, hopcheck.NoRole); f != nil {
			if !strings.Contains(f.Detail+" and ", " "+phrase+" and ") {
				f.Detail += " and " + phrase
				if f.Remedy != insteadOf(flag.Kind) {
					f.Remedy = "" // that of the rule speaks of all of them
				}
			}
			continue
		}
		f := &Finding{Pos: pos, End: end, Related: a.way(u, flag.Witness, "", pos)}
		f.Finding = hopcheck.Finding{Code: code, HOP: u.call.contract.Name, Body: u.arg.body.Words, Detail: u.arg.body.Words + " " + phrase, Remedy: insteadOf(flag.Kind)}
		list = append(list, f)
	}
	return list
}

// insteadOf is the remedy for one kind of effect on the outside world; empty for what the rule says.
func insteadOf(kind ssaflow.FlagKind) string {
	switch kind {
	case ssaflow.Clock, ssaflow.Env:
		return "read it before the call and pass the value in as an operand"
	case ssaflow.Rand:
		return drawnInstead
	case ssaflow.IO:
		return "do it outside the body, and pass in what it reads"
	}
	return ""
}

const drawnInstead = "pass a key in as an operand and use hop.Uniform or hop.Normal"

// calledName is the function at the end of a way, as the source calls it: the last one of this package that leads to code of another.
// It is op where the way ends at something else than a call.
func (a *analysisOf) calledName(op string, witness []ssaflow.Step) string {
	for _, step := range slices.Backward(witness) {
		if !step.Pos.IsValid() {
			continue // of another package
		}
		if call := a.callAt[step.Pos]; call != nil {
			switch fun := ast.Unparen(call.Fun).(type) {
			case *ast.Ident, *ast.SelectorExpr:
				if text := types.ExprString(fun); len(text) <= maxName {
					return text
				}
			}
		}
		break
	}
	return op
}

// maxName is the length from which on the source text of a called function is no help in a message.
const maxName = 40

// isParallelLibrary reports whether an effect happens inside of gonum, which starts goroutines and waits for them within one
// call and never touches a tensor.
func (a *analysisOf) isParallelLibrary(flag ssaflow.Flag) bool {
	return slices.ContainsFunc(flag.Witness, func(step ssaflow.Step) bool {
		call := a.callAt[step.Pos]
		if step.Kind != ssaflow.Pass || call == nil {
			return false
		}
		object := a.calledBySyntax(call)
		return object != nil && object.Pkg() != nil && strings.HasPrefix(object.Pkg().Path(), gonumPath)
	})
}
