package analyzer

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/ssaflow"
)

// mutations finds the writes of a body to what it was given or captured: HOP101 … HOP104.
func (a *analysisOf) mutations(u *bodyUse) []*Finding {
	var list []*Finding
	for _, effect := range u.fn.summary.Effects {
		place, ok := u.written(effect)
		if !ok || u.call.contract.MayMutate(place.Role) {
			continue
		}
		pos, end := a.standsAt(u, effect.Witness)
		code := hopcheck.MutationCode(place.Role)
		if f := find(list, code, pos, place.Role); f != nil {
			f.addPlace(place)
			f.write.effects = append(f.write.effects, effect)
			continue
		}
		f := &Finding{Pos: pos, End: end, Related: a.way(u, effect.Witness, place.String(), pos)}
		f.Finding = hopcheck.Finding{Code: code, HOP: u.call.contract.Name, Body: u.arg.body.Words, Places: []hopcheck.Place{place}, Op: a.operationOf(effect)}
		f.write = &write{[]ssaflow.Effect{effect}}
		list = append(list, f)
	}
	return list
}

// operationName is the operation as messages say it; the runtime, which sees only its outcome, says assignment as well.
func operationName(effect ssaflow.Effect) string {
	if effect.Op == "store" {
		return "assignment"
	}
	return effect.Op
}

// operationOf is the operation as the user wrote it: an op of the runtime by its name, wherever it is called, and where memory is
// changed by something else, such as a kernel behind a library's function, the function that is called here.
func (a *analysisOf) operationOf(effect ssaflow.Effect) string {
	op := operationName(effect)
	if !token.IsExported(op) {
		return op
	}
	if n := len(effect.Witness); n > 0 {
		if call := a.callAt[effect.Witness[n-1].Pos]; call != nil {
			if object := a.calledBySyntax(call); object == nil || isRuntime(object.Pkg()) {
				return op
			}
			return a.calledName(op, effect.Witness)
		}
	}
	if runtime := importedRuntime(a.pass.Pkg, map[*types.Package]bool{}); runtime != nil {
		if runtime.Scope().Lookup(op) != nil {
			return op
		}
		if tensor := runtime.Scope().Lookup("Tensor"); tensor != nil {
			if method, _, _ := types.LookupFieldOrMethod(types.NewPointer(tensor.Type()), true, runtime, op); method != nil {
				return op
			}
		}
	}
	return a.calledName(op, effect.Witness)
}

// written names what an effect changes for the HOP. Of captured memory only tensors count here: other state that
// outlives the body is another rule's concern.
func (u *bodyUse) written(effect ssaflow.Effect) (hopcheck.Place, bool) {
	if !effect.Definite {
		return hopcheck.Place{}, false
	}
	place, ok := u.place(effect.Ref)
	if !ok {
		return place, false
	}
	switch effect.Kind {
	case ssaflow.Write:
		return place, true
	case ssaflow.Store:
		return place, place.Role != hopcheck.Captured
	default:
		return place, false // rebinding a variable of the body is its own business, that of a captured one HOP401's
	}
}

// place names memory by the role that it has for the HOP.
func (u *bodyUse) place(ref ssaflow.Ref) (place hopcheck.Place, ok bool) {
	place.Path = ref.Fields()
	switch ref.Root.Kind {
	case ssaflow.Param:
		slot, ok := u.role(ref.Root.Index)
		place.Role, place.Label = slot.Role, slot.Label
		place.Container = u.holdsMany(ref)
		return place, ok && u.inTree(ref.Root.Index, -1, place.Path)
	case ssaflow.FreeVar, ssaflow.Global:
		place.Role, place.Label = hopcheck.Captured, u.fn.capturedName(ref.Root)
		place.Container = u.holdsMany(ref)
		return place, true
	}
	return hopcheck.Place{}, false
}

// holdsMany reports whether a place of the body is a container of tensors.
func (u *bodyUse) holdsMany(ref ssaflow.Ref) bool {
	if u.fn.fn == nil {
		return false
	}
	var root ssa.Value
	switch i := ref.Root.Index; {
	case ref.Root.Kind == ssaflow.Param && i < len(u.fn.fn.Params):
		return isContainer(u.fn.fn.Params[i].Type(), ref.Fields())
	case ref.Root.Kind == ssaflow.FreeVar && i < len(u.fn.fn.FreeVars):
		root = u.fn.fn.FreeVars[i]
	default:
		return false
	}
	t := root.Type()
	if p, ok := t.Underlying().(*types.Pointer); ok && !isTensorPointer(t) {
		t = p.Elem() // variables are captured by reference
	}
	return isContainer(t, ref.Fields())
}

// returnsMany reports whether a path below a result of the body leads to a container of tensors.
func (b *bodyFunc) returnsMany(result int, path string) bool {
	var results *types.Tuple
	switch {
	case b.fn != nil:
		results = b.fn.Signature.Results()
	case b.object != nil:
		results = b.object.Signature().Results()
	}
	return results != nil && result < results.Len() && isContainer(results.At(result).Type(), path)
}

// find returns the finding with the given code and position that speaks of the given role.
func find(list []*Finding, code hopcheck.Code, pos token.Pos, role hopcheck.Role) *Finding {
	for _, f := range list {
		if f.Code == code && f.Pos == pos && f.role() == role {
			return f
		}
	}
	return nil
}

// role is the role that the finding speaks of.
func (f *Finding) role() hopcheck.Role {
	switch {
	case len(f.Places) > 0:
		return f.Places[0].Role
	case len(f.Pairs) > 0:
		return f.Pairs[0].Out.Role
	}
	return hopcheck.NoRole
}

func (f *Finding) addPlace(p hopcheck.Place) {
	for _, q := range f.Places {
		if p == q {
			return
		}
	}
	f.Places = append(f.Places, p)
}

func (f *Finding) addPair(p hopcheck.Pair) {
	for _, q := range f.Pairs {
		if p == q {
			return
		}
	}
	f.Pairs = append(f.Pairs, p)
}
