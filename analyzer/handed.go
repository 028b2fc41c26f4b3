package analyzer

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/hoplint/hoplint/ssaflow"
)

// A function may be handed the operator besides the body, as in apply(run, f), which calls run(f): at each call of it the operator is
// known, and so what f is. It may also be handed an object of which a method is the body.

// Forward says that a function calls a parameter with another one: Param, or the field at a path below it, is argument Arg of Callee.
type Forward struct {
	Callee, Arg, Param int
	Path               string
}

// takesOperator reports whether functions that take functions are among the parameters of a function.
func takesOperator(s *types.Signature) bool {
	for p := range s.Params().Variables() {
		f, ok := p.Type().Underlying().(*types.Signature)
		if !ok {
			continue
		}
		for q := range f.Params().Variables() {
			if isFunc(q.Type()) {
				return true
			}
		}
	}
	return false
}

// forwardsOf are the calls of parameters with parameters in a function and its literals.
func (a *analysisOf) forwardsOf(fn *ssa.Function) []Forward {
	if list, known := a.forwards[fn]; known {
		return list
	}
	var list []Forward
	var look func(in *ssa.Function)
	look = func(in *ssa.Function) {
		for instr := range ssaflow.LiveInstructions(in) {
			call, ok := instr.(ssa.CallInstruction)
			if !ok || call.Common().IsInvoke() || call.Common().StaticCallee() != nil {
				continue
			}
			callee, path, ok := a.partOfParameter(call.Common().Value)
			if !ok || len(path) > 0 || callee.Parent() != fn {
				continue
			}
			for i, arg := range call.Common().Args {
				if param, path, ok := a.partOfParameter(arg); ok && isFunc(arg.Type()) && param.Parent() == fn {
					f := Forward{slices.Index(fn.Params, callee), i, slices.Index(fn.Params, param), ""}
					for _, step := range path {
						f.Path += step
					}
					if !slices.Contains(list, f) {
						list = append(list, f)
					}
				}
			}
		}
		for _, inner := range in.AnonFuncs {
			look(inner)
		}
	}
	look(fn)
	a.forwards[fn] = list
	return list
}

// exportForwards tells which functions of the package call parameters with parameters.
func (a *analysisOf) exportForwards(put func(types.Object, func(*FunctionFact))) {
	for _, fn := range a.flow.Importable() {
		object, _ := fn.Object().(*types.Func)
		if object == nil || object.Pkg() != a.pass.Pkg || !takesOperator(object.Signature()) {
			continue
		}
		if list := a.forwardsOf(fn); len(list) > 0 {
			put(object, func(f *FunctionFact) { f.Forwards = list })
		}
	}
}

// forwardedCalls are the HOP calls that a called function makes with operators and bodies that it is given.
func (a *analysisOf) forwardedCalls(instr ssa.CallInstruction) (calls []*hopCall) {
	fn := instr.Common().StaticCallee()
	if fn == nil || !takesOperator(fn.Signature) {
		return nil
	}
	if origin := fn.Origin(); origin != nil {
		fn = origin
	}
	var list []Forward
	if len(fn.Blocks) > 0 {
		list = a.forwardsOf(fn)
	} else if object := declarationOf(fn); object != nil {
		fact, _ := a.kind.function(a.pass, object)
		list = fact.Forwards
	}
	for _, f := range list {
		for _, v := range a.flow.FuncsAt(instr, f.Callee).Funcs {
			if v.Fn == nil {
				continue
			}
			run := a.callOf(instr, v.Fn)
			if run == nil {
				continue
			}
			run.operator = nil // its arguments are others
			run.bodies = slices.DeleteFunc(run.bodies, func(b bodyArg) bool { return b.arg != f.Arg || b.path != "" || b.method != "" })
			for i := range run.bodies {
				run.bodies[i].arg, run.bodies[i].path = f.Param, f.Path
			}
			if len(run.bodies) > 0 {
				calls = append(calls, run)
			}
		}
	}
	return calls
}

// callOf is the HOP call that a call is if it reaches a function; nil where that is none.
func (a *analysisOf) callOf(instr ssa.CallInstruction, fn *ssa.Function) *hopCall {
	if origin := fn.Origin(); origin != nil {
		fn = origin
	}
	if object := declarationOf(fn); object != nil {
		return a.hopCall(instr, object, fn.Synthetic != "" && len(fn.FreeVars) == 1)
	}
	if literal, ok := runnerOf(fn); ok {
		return a.wrapperCall(instr, literal, false)
	}
	return nil
}

// handedOperators are the HOP calls that a call of a parameter is for the callers of the function around, with the bodies that stand
// in that function.
func (a *analysisOf) handedOperators(instr ssa.CallInstruction) (calls []*hopCall) {
	common := instr.Common()
	param, path, ok := a.partOfParameter(common.Value)
	if !ok || len(path) > 0 {
		return nil
	}
	own := func(arg int) bool {
		_, _, given := a.partOfParameter(common.Args[arg])
		return isFunc(common.Args[arg].Type()) && !given
	}
	some := false
	for i := range common.Args {
		some = some || own(i)
	}
	if !some {
		return nil
	}
	holder := param.Parent()
	done := map[*ssa.Function]bool{}
	for _, from := range a.callers().calls[holder] {
		for _, v := range a.flow.FuncsAt(from, slices.Index(holder.Params, param)).Funcs {
			if v.Fn == nil || done[v.Fn] {
				continue
			}
			done[v.Fn] = true
			run := a.callOf(instr, v.Fn)
			if run == nil {
				continue
			}
			run.operator, run.handed = nil, true
			run.bodies = slices.DeleteFunc(run.bodies, func(b bodyArg) bool { return b.arg >= len(common.Args) || !own(b.arg) })
			if len(run.bodies) > 0 {
				calls = append(calls, run)
			}
		}
	}
	return calls
}

// methodOfParameter tells that a body is a method of an interface value that the function around was given: the parameter, and the path
// to the value. Where the methods of an interface are known without the callers it is not meant.
func (a *analysisOf) methodOfParameter(call *hopCall, arg bodyArg, fn bodyFunc) (at place, method string, ok bool) {
	args := call.instr.Common().Args
	if arg.arg >= len(args) {
		return at, "", false
	}
	v := args[arg.arg]
	if method = arg.method; method == "" {
		closure, isClosure := unconverted(v).(*ssa.MakeClosure)
		if !isClosure || !isBoundMethod(closure) || fn.object == nil || !ofInterface(fn.object) || fn.own == nil ||
			!slices.ContainsFunc(fn.own.Slots, func(s ssaflow.SlotRow) bool { return s.Method == fn.object.Name() }) {
			return at, "", false
		}
		v, method = closure.Bindings[0], fn.object.Name()
	}
	if changed, isChange := v.(*ssa.ChangeInterface); isChange {
		v = changed.X
	}
	param, path, isPart := a.partOfParameter(v)
	if !isPart || len(path) > 0 {
		return at, "", false
	}
	holder, known := runnerOf(param.Parent())
	return place{holder: holder, param: slices.Index(param.Parent().Params, param)}, method, known
}

// methodFuncs are the methods that a body can be which is a method of an argument.
func (a *analysisOf) methodFuncs(call *hopCall, arg bodyArg) (list []bodyFunc, set ssaflow.FuncSet) {
	args := call.instr.Common().Args
	if arg.arg >= len(args) {
		return nil, set
	}
	types, complete := concreteTypes(args[arg.arg], map[ssa.Value]bool{})
	for _, t := range types {
		object := methodNamed(t, a.pass.Pkg, arg.method)
		if object == nil {
			complete = false
			continue
		}
		b := bodyFunc{object: object.Origin(), bound: true, summary: a.summaryOf(object.Origin())}
		if fn := a.flow.FuncOf(object.Origin()); fn != nil && len(fn.Blocks) > 0 {
			b.fn, b.syntax = fn, fn.Syntax()
		}
		b.own = b.summary
		list = append(list, b)
	}
	if !complete {
		_, _, complete = a.methodOfParameter(call, arg, bodyFunc{}) // the callers of the function around know
	}
	set.Complete = complete
	return list, set
}

// methodNamed is the method of a type that has a body of its own.
func methodNamed(t types.Type, pkg *types.Package, name string) *types.Func {
	object, _, _ := types.LookupFieldOrMethod(t, true, pkg, name)
	method, _ := object.(*types.Func)
	if method == nil || ofInterface(method) {
		return nil
	}
	return method
}

// concreteTypes are the types of what an interface value holds, or that of another value; complete is false where there may be others.
func concreteTypes(v ssa.Value, seen map[ssa.Value]bool) (list []types.Type, complete bool) {
	if seen[v] {
		return nil, true
	}
	seen[v] = true
	if !types.IsInterface(v.Type()) {
		return []types.Type{v.Type()}, true
	}
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return []types.Type{v.X.Type()}, !types.IsInterface(v.X.Type())
	case *ssa.ChangeInterface:
		return concreteTypes(v.X, seen)
	case *ssa.UnOp:
		if held := heldBy(v.X); held != nil {
			return concreteTypes(held, seen)
		}
	case *ssa.Phi:
		for _, edge := range v.Edges {
			more, ok := concreteTypes(edge, seen)
			if !ok {
				return list, false
			}
			list = append(list, more...)
		}
		return list, true
	}
	return nil, false
}
