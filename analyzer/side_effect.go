package analyzer

import (
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/ssaflow"
)

// sideEffects finds what a body does to Go memory that outlives it: HOP401, and HOP402 where it keeps a tensor there that
// was made in the body or handed to it.
func (a *analysisOf) sideEffects(u *bodyUse) []*Finding {
	var list []*Finding
	appended := a.appended(u)
	for _, effect := range u.fn.summary.Effects {
		place, ok := u.changed(effect)
		if !ok {
			continue
		}
		if phrase := a.drawn(u, effect); phrase != "" {
			list = a.addDraw(list, u, effect, phrase)
			continue
		}
		pos, end := a.changedAt(u, effect)
		kept, isAppend := appended[pos]
		if !isAppend {
			kept = a.keptTensors(u, effect)
		}
		code := hopcheck.SideEffect
		if len(kept) > 0 {
			code = hopcheck.LeakedTensor
		}
		if f := find(list, code, pos, hopcheck.Captured); f != nil {
			f.addChange(place, kept)
			continue
		}
		f := &Finding{Pos: pos, End: end}
		f.Finding = hopcheck.Finding{Code: code, HOP: u.call.contract.Name, Body: u.arg.body.Words, Home: a.home(u, effect.Ref.Root)}
		if code == hopcheck.LeakedTensor {
			f.Places, f.Into = placesOf(kept), place
			f.Related = append(a.way(u, kept[0].witness, kept[0].place.String(), pos), a.way(u, effect.Witness, place.String(), pos)...)
		} else {
			f.Places, f.Op = []hopcheck.Place{place}, a.changeName(effect, pos)
			f.Related = a.way(u, effect.Witness, place.String(), pos)
		}
		f.Related = shortened(f.Related)
		list = append(list, f)
	}
	return withoutSpareCapacity(list)
}

// appended are, for statements that assign what they append to memory from outside, the tensors that they add: what the new slice
// holds besides was there before.
func (a *analysisOf) appended(u *bodyUse) map[token.Pos][]keptTensor {
	found := map[token.Pos][]keptTensor{}
	for _, effect := range u.fn.summary.Effects {
		if effect.Kind == ssaflow.Append && effect.Told {
			if pos, _ := a.changedAt(u, effect); a.appendsAt(pos) {
				found[pos] = append(found[pos], a.keptTensors(u, effect)...)
			}
		}
	}
	return found
}

// changed names the Go memory that an effect changes, if it is one that outlives the body.
func (u *bodyUse) changed(effect ssaflow.Effect) (hopcheck.Place, bool) {
	place, ok := u.place(effect.Ref)
	if !ok || place.Role != hopcheck.Captured || !effect.Definite || effect.Kind == ssaflow.Write {
		return place, false
	}
	if effect.Kind == ssaflow.Append && u.fullLiteral(effect.Ref) {
		return place, false
	}
	if effect.Op == "send" || effect.Op == "close" {
		place.Path = strings.TrimSuffix(place.Path, "[]") // the channel, not an element of it
	}
	place.Container = false
	place.Path = u.visible(effect.Ref.Root, place.Path)
	return place, !isPrint(effect.Op) && !u.isPool(effect.Ref)
}

// visible cuts a path where it enters a type of the standard library: what lies within is nobody's business.
func (u *bodyUse) visible(root ssaflow.Root, path string) string {
	t := u.rootType(root)
	for at := 0; t != nil; {
		inner := t
		if p, ok := t.Underlying().(*types.Pointer); ok {
			inner = p.Elem()
		}
		if named, ok := types.Unalias(inner).(*types.Named); ok && named.Obj().Pkg() != nil && standardPath(named.Obj().Pkg().Path()) || at == len(path) {
			return path[:at]
		}
		step, _ := cutStep(path[at:])
		next, ok := typeAt(t, step)
		if !ok {
			break
		}
		t, at = next, at+len(step)
	}
	return path
}

// isPrint reports whether an operation prints: what it writes is the terminal, a log or a buffer to look at.
func isPrint(op string) bool { return strings.HasPrefix(op, "Fprint") }

// isPool reports whether memory is a pool of work space, filled and emptied within one call: a sync.Pool, or one of gonum's.
func (u *bodyUse) isPool(ref ssaflow.Ref) bool {
	if ref.Root.Kind == ssaflow.Global && strings.HasPrefix(ref.Root.Name, gonumPath) {
		return true
	}
	t := u.rootType(ref.Root)
	if t == nil {
		return false
	}
	if at, ok := typeAt(t, ref.Fields()); ok && at != nil {
		t = at
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "sync" && named.Obj().Name() == "Pool"
}

const gonumPath = "gonum.org/v1/gonum/"

// rootType is the type of the variable that a root stands for, nil if it is not known.
func (u *bodyUse) rootType(root ssaflow.Root) types.Type {
	switch root.Kind {
	case ssaflow.Param:
		if u.fn.fn != nil && root.Index < len(u.fn.fn.Params) {
			return u.fn.fn.Params[root.Index].Type()
		}
		if u.fn.object != nil && root.Index < numParams(u.fn.object.Signature()) {
			return paramVar(u.fn.object.Signature(), root.Index).Type()
		}
	case ssaflow.FreeVar:
		if u.fn.fn != nil && root.Index < len(u.fn.fn.FreeVars) {
			if cell, ok := u.fn.fn.FreeVars[root.Index].Type().Underlying().(*types.Pointer); ok {
				return cell.Elem() // variables are captured by reference
			}
		}
	case ssaflow.Global:
		if root.Global != nil {
			return root.Global.Type()
		}
	}
	return nil
}

// home says where captured memory lives.
func (a *analysisOf) home(u *bodyUse, root ssaflow.Root) string {
	switch root.Kind {
	case ssaflow.Param:
		return "reached from the receiver"
	case ssaflow.Global:
		switch {
		case root.Global != nil && root.Global.Pkg() != nil:
			return "a variable of package " + root.Global.Pkg().Name()
		case strings.Contains(root.Name, "."):
			return "a variable of package " + path.Base(root.Name[:strings.LastIndexByte(root.Name, '.')])
		}
	case ssaflow.FreeVar:
		if u.fn.fn != nil && root.Index < len(u.fn.fn.FreeVars) {
			return "a variable of " + ownerName(u.fn.fn.FreeVars[root.Index])
		}
	}
	return ""
}

// ownerName is the function that declares a captured variable.
func ownerName(free *ssa.FreeVar) string {
	fn := free.Parent()
	for v := ssa.Value(free); fn.Parent() != nil; {
		inner, ok := v.(*ssa.FreeVar)
		if !ok {
			break
		}
		fn = inner.Parent().Parent()
		if v = boundTo(inner); v == nil {
			break
		}
	}
	if fn.Parent() != nil {
		return "a function literal in " + outermost(fn).Name()
	}
	return fn.Name()
}

// changeName is the operation as messages say it.
func (a *analysisOf) changeName(effect ssaflow.Effect, pos token.Pos) string {
	if effect.Op != "store" {
		return a.operationOf(effect)
	}
	if a.appendsAt(pos) {
		return "append"
	}
	return "assignment"
}

// fullLiteral reports whether a captured slice variable only ever holds literals: these have no spare capacity, so that append
// copies them.
func (u *bodyUse) fullLiteral(ref ssaflow.Ref) bool {
	free, ok := freeVariable(u.fn.fn, ssaflow.Ref{Root: ref.Root})
	if !ok || ref.Fields() != "[]" {
		return false
	}
	values, ok := capturedValues(free)
	return ok && !slices.ContainsFunc(values, func(v ssa.Value) bool {
		switch v := v.(type) {
		case *ssa.Const:
			return false // nil
		case *ssa.Slice:
			array, isNew := v.X.(*ssa.Alloc)
			return !isNew || !array.Heap || array.Comment != "slicelit" || v.High != nil || v.Max != nil
		}
		return true
	})
}

// addChange adds a further place that the same operation changes, and the tensors that it keeps.
func (f *Finding) addChange(place hopcheck.Place, kept []keptTensor) {
	if f.Code == hopcheck.SideEffect {
		f.addPlace(place)
		return
	}
	for _, k := range kept {
		f.addPlace(k.place)
	}
}

// shortened keeps related positions few and each of them once.
func shortened[E comparable](list []E) []E {
	var kept []E
	for _, e := range list {
		if !slices.Contains(kept, e) {
			kept = append(kept, e)
		}
	}
	if n := len(kept); n > maxRelated {
		kept = append(kept[:maxRelated-2:maxRelated-2], kept[n-2:]...)
	}
	return kept
}
