package analyzer

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/ssaflow"
)

// callback reports a breach of a contract of a table by a function that was stored in a field or converted to an interface: HOP701.
func (k *keeper) callback(c contractOfObject, check claimCheck, b breach, fn *ssa.Function, pos token.Pos) {
	if c.elements && !inSlice(check.signatureAt(b.place), b.place.Path) {
		return
	}
	k.indexed()
	f := &Finding{}
	f.Pos, f.End = k.operation(pos)
	f.Call = f.Pos
	if at, end, ok := k.inside(fn, b.witness); ok {
		f.Pos, f.End = at, end
	}
	f.Finding = hopcheck.Finding{Code: hopcheck.CallbackBreaksContract, HOP: c.name, Body: "function"}
	if fn != nil && fn.Object() != nil {
		if f.Body += " " + fn.Name(); fn.Signature.Recv() != nil {
			f.Body = "method " + fn.Name()
		}
	}
	name := check.text
	switch {
	case b.op != "":
		at, role := k.ownPlace(fn, check, b.place)
		name = func(ClaimPlace) string { return at.String() }
		f.Places, f.Home, f.Op = []hopcheck.Place{at}, role, k.calledName(b.op, b.witness)
		f.Remedy = leaveAlone(at, c.elements)
		if fn != nil {
			f.callback = &callbackWrite{fn, ClaimPlace{b.place.Param + unlisted(fn, check), b.place.Path}}
		}
	case b.subject != "":
		f.Detail = b.subject + " of the function " + b.text
	default:
		f.Detail = "function " + b.text
	}
	f.Related = k.breachWay(b, name, f.Pos)
	if fn != nil && fn.Object() != nil && f.Call != f.Pos {
		at, end := k.operation(pos)
		to := c.name
		if check.recv != nil {
			to = strings.TrimSuffix(to, "."+c.object.Name())
		}
		f.Related = append(f.Related, related(at, end, "given to "+to+" here"))
	}
	k.list = append(k.list, f)
}

// ownPlace is a place as the function names it, and what the contract calls it where that is something else.
func (k *keeper) ownPlace(fn *ssa.Function, check claimCheck, at ClaimPlace) (place hopcheck.Place, role string) {
	declared := check.name(at.Param)
	place = hopcheck.Place{Label: declared, Path: at.Path}
	if fn != nil {
		if i := at.Param + unlisted(fn, check); i < len(fn.Params) {
			if name := fn.Params[i].Name(); name != "" && name != "_" {
				place.Label = name
			}
		}
	}
	named := paramVar(check.signature, at.Param).Name()
	if isReceiver := check.signature.Recv() != nil && at.Param == 0; isReceiver && place.Label != receiverWord {
		role = "reached from its receiver"
	} else if named != "" && named != "_" && named != place.Label {
		role = "its " + named
	}
	return place, role
}

// unlisted is the number of parameters of a function that a contract does not count: the receiver of a bound method.
func unlisted(fn *ssa.Function, check claimCheck) int {
	return max(0, len(fn.Params)-numParams(check.signature))
}

// leaveAlone is the remedy for a write to what a library goes on working with: elements of a slice of its own can be copied.
func leaveAlone(p hopcheck.Place, elements bool) string {
	slice, all := strings.CutSuffix(p.Path, "[]")
	switch {
	case elements:
		return "leave the elements as they are"
	case all && !strings.Contains(slice, "["):
		return "work on a copy of " + p.Label + slice
	}
	return "leave " + p.Label + p.Path + " as it is"
}

// inside is the last position of a way that lies in the source of a function.
func (a *analysisOf) inside(fn *ssa.Function, witness []ssaflow.Step) (pos, end token.Pos, ok bool) {
	if fn == nil || fn.Syntax() == nil {
		return 0, 0, false
	}
	b := bodyFunc{syntax: fn.Syntax()}
	for i := len(witness) - 1; i >= 0; i-- {
		if step := witness[i]; step.Kind != ssaflow.Enter && b.contains(step.Pos) {
			pos, end = a.operation(step.Pos)
			return pos, end, true
		}
	}
	return 0, 0, false
}

// inSlice reports whether a path below a type leads into an element of a slice or array.
func inSlice(t types.Type, path string) bool {
	for at := 0; at < len(path); {
		step, _ := cutStep(path[at:])
		if step[0] == '[' {
			holder, ok := typeAt(t, path[:at])
			if !ok || holder == nil {
				return true
			}
			if _, isMap := holder.Underlying().(*types.Map); !isMap {
				return true
			}
		}
		at += len(step)
	}
	return false
}

// signatureAt is the type of a parameter.
func (c *claimCheck) signatureAt(p ClaimPlace) types.Type {
	if c.recv != nil && c.signature.Recv() != nil && p.Param == 0 {
		return c.recv
	}
	return paramVar(c.signature, p.Param).Type()
}

// callbacks compares the functions that are handed to other people's higher-order functions with the contracts of these: HOP701.
// These are the functions that a table says to have bodies, and wrappers with directives of their own, of whose bodies the rules on
// tensors say nothing where the memory holds none.
func (a *analysisOf) callbacks(calls []*hopCall) []*Finding {
	if len(a.model.tables) == 0 && len(a.options.contracts) == 0 {
		return nil
	}
	var list []*Finding
	for _, call := range calls {
		if object := calledObject(call.instr.Common()); object != nil && !isRuntime(object.Pkg()) {
			if claim, ok := a.model.claim(object); ok && len(claim.Bodies) > 0 {
				list = append(list, a.callbacksOf(call, false)...)
			}
		}
	}
	if a.flow.Package == nil {
		return list
	}
	functions := append(slices.Clone(a.flow.Functions()), a.flow.Package.Func("init"))
	for _, fn := range functions {
		for instr := range ssaflow.LiveInstructions(fn) {
			if call, ok := instr.(ssa.CallInstruction); ok {
				list = append(list, a.callbacksOf(a.tabledCall(call), true)...)
			}
		}
	}
	return list
}

// tabledCall returns the call of a function that a shipped table says to have bodies, or nil.
func (a *analysisOf) tabledCall(instr ssa.CallInstruction) *hopCall {
	object := calledObject(instr.Common())
	if object == nil {
		return nil
	}
	t, ok := a.model.tables[object]
	if !ok || !t.shipped || len(t.claim.Bodies) == 0 {
		return nil
	}
	a.indexed()
	call := &hopCall{instr: instr, pos: instr.Common().Pos()}
	call.syntax = a.callAt[call.pos]
	call.contract = wrapperContract(object.Name(), t.claim.Bodies)
	call.contract.Name = object.Pkg().Name() + "." + t.name
	for i, b := range t.claim.Bodies {
		call.bodies = append(call.bodies, bodyArg{body: &call.contract.Bodies[i], arg: b.Param, path: b.Path})
	}
	return call
}

// callbacksOf compares the bodies of one call with their roles; all memory counts if whole is set, else what holds no tensors.
func (a *analysisOf) callbacksOf(call *hopCall, whole bool) []*Finding {
	if call == nil {
		return nil
	}
	var list []*Finding
	for _, arg := range call.bodies {
		funcs, _ := a.bodyFuncs(call, arg)
		for _, fn := range funcs {
			if fn.summary == nil || fn.summary.Top {
				continue
			}
			u := &bodyUse{call, arg, fn}
			for _, effect := range fn.summary.Effects {
				if !effect.Definite || effect.Kind != ssaflow.Write && effect.Kind != ssaflow.Store {
					continue
				}
				place, role, remedy, ok := a.givenTo(u, effect, whole)
				if !ok {
					continue
				}
				pos, end := a.standsAt(u, effect.Witness)
				if f := findPlace(list, pos, place); f != nil {
					f.addPlace(place)
					continue
				}
				f := &Finding{Pos: pos, End: end, Call: call.pos, use: u, Related: a.way(u, effect.Witness, place.String(), pos)}
				f.Finding = hopcheck.Finding{Code: hopcheck.CallbackBreaksContract, HOP: call.contract.Name, Body: arg.body.Words, Home: role,
					Places: []hopcheck.Place{place}, Op: a.calledName(operationName(effect), effect.Witness), Remedy: remedy}
				if fn.object != nil {
					f.Body += " " + fn.object.Name()
				}
				if effect.Ref.Root.Kind == ssaflow.Param && !fn.bound {
					f.callback = &callbackWrite{fn.fn, ClaimPlace{effect.Ref.Root.Index, effect.Ref.Fields()}}
				}
				list = append(list, f)
			}
		}
	}
	return list
}

// findPlace returns the finding at a position that speaks of the same kind of place.
func findPlace(list []*Finding, pos token.Pos, place hopcheck.Place) *Finding {
	for _, f := range list {
		if f.Pos == pos && f.Places[0].Role == place.Role {
			return f
		}
	}
	return nil
}

// givenTo names what an effect changes if a contract forbids it, and its role: what the function is handed, or what it captures and
// the caller is working on.
func (a *analysisOf) givenTo(u *bodyUse, effect ssaflow.Effect, whole bool) (place hopcheck.Place, role, remedy string, ok bool) {
	switch effect.Ref.Root.Kind {
	case ssaflow.Param:
		slot, ok := u.role(effect.Ref.Root.Index)
		if !ok || slot.Role == hopcheck.Captured {
			return place, "", "", false
		}
		if _, covered := u.place(effect.Ref); covered && !whole {
			return place, "", "", false // the rules on tensors speak of it
		}
		place = hopcheck.Place{Label: u.fn.paramName(effect.Ref.Root.Index), Path: effect.Ref.Fields()}
		if slot.Role == hopcheck.Element {
			return place, "an element", leaveAlone(place, true), true
		}
		return place, "its " + hopcheck.Place{Role: slot.Role, Label: slot.Label}.String(), leaveAlone(place, false), true
	case ssaflow.FreeVar, ssaflow.Global:
		if !whole || !workedOn(u, effect.Ref) {
			return place, "", "", false
		}
		return hopcheck.Place{Role: hopcheck.Captured, Label: u.fn.capturedName(effect.Ref.Root), Path: effect.Ref.Fields()}, "",
			"leave the elements as they are while " + u.call.contract.Name + " works on them", true
	}
	return place, "", "", false
}

// workedOn reports whether captured memory is an element of another argument of the call: the slice that is being sorted.
func workedOn(u *bodyUse, ref ssaflow.Ref) bool {
	common := u.call.instr.Common()
	var captured ssa.Value
	switch ref.Root.Kind {
	case ssaflow.FreeVar:
		if u.arg.arg >= len(common.Args) {
			return false
		}
		closure, ok := unconverted(common.Args[u.arg.arg]).(*ssa.MakeClosure)
		if !ok || closure.Fn != ssa.Value(u.fn.fn) || ref.Root.Index >= len(closure.Bindings) {
			return false
		}
		captured = closure.Bindings[ref.Root.Index]
	case ssaflow.Global:
	default:
		return false
	}
	for i, arg := range common.Args {
		if i == u.arg.arg {
			continue
		}
		variable, path := variableOf(unconverted(arg))
		if g, ok := variable.(*ssa.Global); ok && ref.Root.Global != nil && g.Object() == ref.Root.Global {
			captured = g
		}
		if variable != nil && variable == captured && strings.HasPrefix(ref.Path, path+"*[") {
			return true
		}
	}
	return false
}

// unconverted looks through conversions that keep the value.
func unconverted(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		case *ssa.ChangeInterface:
			v = x.X
		default:
			return v
		}
	}
}

// variableOf is the variable that a value was read from, and the path from the variable to where it was read, in the form of
// ssaflow.Ref; nil if it was not read from a variable.
func variableOf(v ssa.Value) (variable ssa.Value, path string) {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return nil, ""
	}
	return placeOf(load.X)
}

// placeOf is the variable that an address lies in, or that it was reached from, with the path to it.
func placeOf(addr ssa.Value) (variable ssa.Value, path string) {
	switch a := addr.(type) {
	case *ssa.Alloc, *ssa.FreeVar, *ssa.Global:
		return a, ""
	case *ssa.FieldAddr:
		if variable, path = placeOf(a.X); variable == nil {
			if variable, path = variableOf(a.X); variable == nil {
				return nil, ""
			}
			path += "*"
		}
		s, ok := a.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
		if !ok {
			return nil, ""
		}
		return variable, path + "." + s.Field(a.Field).Name()
	}
	return nil, ""
}
