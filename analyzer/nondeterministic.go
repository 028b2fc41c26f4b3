package analyzer

import (
	"go/types"
	"slices"
	"strings"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/ssaflow"
)

// nondeterministic tells an effect whose outcome a trace would freeze: HOP403. Printing is allowed. A phrase that ends with
// a dot names no function.
func nondeterministic(flag ssaflow.Flag) (hopcheck.Code, string) {
	switch flag.Kind {
	case ssaflow.Clock:
		if flag.Op == "Sleep" {
			return hopcheck.NondeterministicBody, "waits for the clock"
		}
		return hopcheck.NondeterministicBody, "reads the clock"
	case ssaflow.Rand:
		return hopcheck.NondeterministicBody, "draws random numbers"
	case ssaflow.Env:
		return hopcheck.NondeterministicBody, "depends on the environment"
	case ssaflow.IO:
		return hopcheck.NondeterministicBody, "does I/O"
	}
	return "", ""
}

// drawn says how a body draws from a generator of random numbers from outside, whose state it changes; empty for other changes. What
// it draws is part of a trace, seeded or not, as with Rand of the runtime: HOP403, and not also HOP401. A generator that the body
// makes itself is its own business, and to seed one is a change of state like any other.
func (a *analysisOf) drawn(u *bodyUse, effect ssaflow.Effect) string {
	if effect.Kind == ssaflow.Rebind || !isGenerator(u.typeOf(effect.Ref)) && !strings.HasPrefix(effect.Op, drawsPrefix) {
		return ""
	}
	name := a.calledName(effect.Op, effect.Witness)
	if effect.Op == "Seed" || strings.HasSuffix(name, ".Seed") {
		return ""
	}
	if name == "store" || name == drawsPrefix+"store" || name == "" {
		return "draws random numbers"
	}
	return "draws random numbers through " + name
}

// drawsPrefix begins the names of operations that drew from a generator in a package variable, in facts: importers do not know the type
// of the variable.
const drawsPrefix = "rand."

// withDraws returns a summary as facts keep it: operations that draw from generators in package variables say so.
func (a *analysisOf) withDraws(s *ssaflow.Summary) *ssaflow.Summary {
	draws := func(e ssaflow.Effect) bool {
		v := e.Ref.Root.Global
		if e.Ref.Root.Kind != ssaflow.Global || v == nil || e.Kind == ssaflow.Rebind || strings.HasPrefix(e.Op, drawsPrefix) {
			return false
		}
		u := &bodyUse{}
		return isGenerator(u.typeOf(e.Ref)) && a.drawn(u, e) != ""
	}
	if !slices.ContainsFunc(s.Effects, draws) {
		return s
	}
	out := *s
	out.Effects = slices.Clone(s.Effects)
	for i, e := range out.Effects {
		if draws(e) {
			out.Effects[i].Op = drawsPrefix + e.Op
		}
	}
	return &out
}

// typeOf is the type of the memory that a reference names: the first type of the standard library on its path, if there is one.
func (u *bodyUse) typeOf(ref ssaflow.Ref) types.Type {
	t := u.rootType(ref.Root)
	if t == nil {
		return nil
	}
	at, _ := typeAt(t, u.visible(ref.Root, ref.Fields()))
	return at
}

// isGenerator reports whether a type is a generator or source of random numbers of the standard library.
func isGenerator(t types.Type) bool {
	if t == nil {
		return false
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && slices.Contains([]string{"math/rand", "math/rand/v2"}, named.Obj().Pkg().Path())
}

// addDraw adds the finding that a body draws random numbers; of several at one place one is told.
func (a *analysisOf) addDraw(list []*Finding, u *bodyUse, effect ssaflow.Effect, phrase string) []*Finding {
	pos, end := a.standsAt(u, effect.Witness)
	if find(list, hopcheck.NondeterministicBody, pos, hopcheck.NoRole) != nil {
		return list
	}
	f := &Finding{Pos: pos, End: end, Related: a.way(u, effect.Witness, "", pos)}
	f.Finding = hopcheck.Finding{Code: hopcheck.NondeterministicBody, HOP: u.call.contract.Name, Body: u.arg.body.Words, Detail: u.arg.body.Words + " " + phrase, Remedy: drawnInstead}
	return append(list, f)
}
