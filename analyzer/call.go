package analyzer

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/ssaflow"
)

// hopCall is one call of a HOP of the runtime, or of a function declared or found to be one.
type hopCall struct {
	instr    ssa.CallInstruction
	contract *hopcheck.Contract
	bodies   []bodyArg
	// operator is the HOP of the runtime that is called; nil for wrappers.
	operator *types.Func
	// handed is set where the callers of the function around hand it the operator.
	handed bool
	// pos is the opening parenthesis, as in go/ssa; syntax is nil in code without source.
	pos    token.Pos
	syntax *ast.CallExpr
}

// ofDirective reports whether only a directive says that the called function is a HOP.
func (c *hopCall) ofDirective() bool {
	_, known := hopcheck.ContractNamed(c.contract.Name)
	return !known
}

// bodyArg is the argument that a HOP runs.
type bodyArg struct {
	body *hopcheck.Body
	// arg counts the arguments of the call, the receiver of a wrapper method first.
	arg int
	// stepwise is true where a wrapper runs the body step by step, whatever its caller says.
	stepwise bool
	// path leads to the field of the argument that holds the function; empty when the argument is the function.
	path string
	// method is the method of the argument that is the body; empty when a function is.
	method string
}

// bodyUse is one function that a HOP call can run.
type bodyUse struct {
	call *hopCall
	arg  bodyArg
	fn   bodyFunc
}

// bodyFunc is a function given to a HOP, with the wrappers that the compiler puts around methods taken off.
type bodyFunc struct {
	// fn is the function in this package, nil in another; object is its declaration, nil for a literal.
	fn     *ssa.Function
	object *types.Func
	// summary is what it does where the HOP call is; own leaves the calls of captured functions to the reader.
	summary, own *ssaflow.Summary
	// bound is true for a method value: parameter 0 is then captured.
	bound bool
	// syntax is the *ast.FuncLit or *ast.FuncDecl, nil in another package.
	syntax ast.Node
}

// key tells body functions apart.
func (b *bodyFunc) key() any {
	if b.fn != nil {
		return b.fn
	}
	return b.object
}

// contains reports whether a position lies in the source extent of the body.
func (b *bodyFunc) contains(pos token.Pos) bool {
	return b.syntax != nil && b.syntax.Pos() <= pos && pos < b.syntax.End()
}

// hopCalls finds the HOP calls of a package, in the order of the source.
func (a *analysisOf) hopCalls() []*hopCall {
	var calls []*hopCall
	functions := a.flow.Functions()
	if a.flow.Package != nil {
		functions = append(slices.Clone(functions), a.flow.Package.Func("init")) // initialisers of package variables
	}
	for _, fn := range functions {
		for instr := range ssaflow.LiveInstructions(fn) {
			if call, ok := instr.(ssa.CallInstruction); ok {
				calls = append(calls, a.hopCallsAt(call)...)
			}
		}
	}
	slices.SortStableFunc(calls, func(x, y *hopCall) int { return int(x.pos - y.pos) })
	if len(calls) > 0 {
		a.indexed()
	}
	for _, call := range calls {
		call.syntax = a.callAt[call.pos]
	}
	return calls
}

// hopCallsAt returns the HOP call that an instruction is; where it names no function or method that is known to be a HOP, one for each
// that it can reach.
func (a *analysisOf) hopCallsAt(instr ssa.CallInstruction) []*hopCall {
	common := instr.Common()
	if object := calledObject(common); object != nil {
		closure, ok := common.Value.(*ssa.MakeClosure)
		if call := a.hopCall(instr, object, common.IsInvoke() || ok && isBoundMethod(closure)); call != nil {
			return append([]*hopCall{call}, a.forwardedCalls(instr)...)
		}
		if !common.IsInvoke() {
			return a.forwardedCalls(instr)
		}
	}
	var calls []*hopCall
	if v := packageVariable(common.Value); v != nil && v.Pkg() != a.pass.Pkg {
		if call := a.wrapperCall(instr, runner{object: v}, false); call != nil {
			return []*hopCall{call}
		}
	}
	for _, fn := range a.callees(instr) {
		if literal, ok := runnerOf(fn); ok && literal.object == nil {
			if call := a.wrapperCall(instr, literal, false); call != nil {
				calls = append(calls, call)
			}
			continue
		}
		if object := declarationOf(fn); object != nil {
			bound := fn.Synthetic != "" && len(fn.FreeVars) == 1
			if call := a.hopCall(instr, object, common.IsInvoke() || bound); call != nil {
				calls = append(calls, call)
			}
		}
	}
	if len(calls) == 0 && !common.IsInvoke() {
		calls = a.handedOperators(instr)
	}
	return append(calls, a.forwardedCalls(instr)...)
}

// hopCall returns the HOP call that the call of a function is, or nil. Where unlisted is set its receiver is not among the arguments:
// it is the value of an interface, or bound to a function value.
func (a *analysisOf) hopCall(instr ssa.CallInstruction, object *types.Func, unlisted bool) *hopCall {
	if row, ok := contractOf(object); ok {
		call := &hopCall{instr: instr, pos: instr.Common().Pos(), contract: row, operator: object}
		for i := range row.Bodies {
			if arg, ok := paramNamed(object.Signature(), row.Bodies[i].Param); ok {
				call.bodies = append(call.bodies, bodyArg{body: &row.Bodies[i], arg: arg})
			}
		}
		return call
	}
	return a.wrapperCall(instr, declaredRunner(object), unlisted)
}

// wrapperCall is hopCall for a wrapper.
func (a *analysisOf) wrapperCall(instr ssa.CallInstruction, wrapper runner, unlisted bool) *hopCall {
	bodies := a.bodiesOf(wrapper)
	if len(bodies) == 0 {
		return nil
	}
	call := &hopCall{instr: instr, pos: instr.Common().Pos(), contract: wrapperContract(wrapper.name(), bodies)}
	receiver := 0
	if fn, ok := wrapper.object.(*types.Func); ok && unlisted && fn.Signature().Recv() != nil {
		receiver = 1
	}
	for i := range bodies {
		if arg := bodies[i].Param - receiver; arg >= 0 {
			call.bodies = append(call.bodies, bodyArg{body: &call.contract.Bodies[i], arg: arg, stepwise: bodies[i].Stepwise, path: bodies[i].Path, method: bodies[i].Method})
		}
	}
	return call
}

// calledObject is the declared function or method that a call runs, generic functions by their origin; nil for
// function values. For an interface method it is the method of the interface.
func calledObject(common *ssa.CallCommon) *types.Func {
	if common.IsInvoke() {
		return common.Method
	}
	fn := common.StaticCallee()
	if fn == nil {
		return nil
	}
	if origin := fn.Origin(); origin != nil {
		fn = origin
	}
	object, _ := fn.Object().(*types.Func)
	return object
}

// wrapperBodies are the bodies of a function that is a HOP by directive or because it hands a parameter to one.
func (a *analysisOf) wrapperBodies(object *types.Func) []ClaimBody {
	return a.bodiesOf(declaredRunner(object))
}

func (a *analysisOf) bodiesOf(wrapper runner) []ClaimBody {
	object := wrapper.object
	if object == nil {
		return a.wrappers[wrapper]
	}
	if isRuntime(object.Pkg()) {
		return nil
	}
	if inferred, ok := a.wrappers[wrapper]; ok {
		return inferred
	}
	if t, ok := a.model.tables[object]; ok && t.shipped {
		return nil // none of their memory is a tensor's, see callbacks
	}
	claim, _ := a.model.claim(object)
	return claim.Bodies
}

// wrapperContract is the row of a function that is a HOP without being one of the runtime. It permits what the HOP that
// it hands its parameter to permits, and nothing if it does not say so.
func wrapperContract(name string, bodies []ClaimBody) *hopcheck.Contract {
	row := &hopcheck.Contract{Name: bodies[0].HOP, Func: name}
	if inner, ok := hopcheck.ContractNamed(row.Name); ok {
		row.Mutation, row.Aliasing = inner.Mutation, inner.Aliasing
	}
	for _, b := range bodies {
		row.Bodies = append(row.Bodies, hopcheck.Body{Words: b.Words, In: b.In, Out: b.Out})
	}
	return row
}

// outputRoles are the roles of the results of a body with the given inputs: the next carry first where there is a carry.
// The last one stands for all further results.
func outputRoles(in []hopcheck.Slot) []hopcheck.Slot {
	if slices.ContainsFunc(in, func(s hopcheck.Slot) bool { return s.Role == hopcheck.Carry }) {
		return []hopcheck.Slot{{Role: hopcheck.NextCarry}, {Role: hopcheck.Y}}
	}
	return []hopcheck.Slot{{Role: hopcheck.Output}}
}

// bodyFuncs resolves the argument to the functions of which the contract speaks.
func (a *analysisOf) bodyFuncs(call *hopCall, arg bodyArg) (list []bodyFunc, set ssaflow.FuncSet) {
	if arg.method != "" {
		return a.methodFuncs(call, arg)
	}
	set = a.flow.FuncsIn(call.instr, arg.arg, arg.path)
	for _, v := range set.Funcs {
		list = append(list, a.unwrap(v))
	}
	return list, set
}

// unwrap looks through the wrappers of bound methods and method expressions, which are functions of one call.
func (a *analysisOf) unwrap(v ssaflow.FuncValue) bodyFunc {
	b := bodyFunc{fn: v.Fn, summary: v.Summary}
	if v.Fn == nil {
		return b
	}
	b.object, _ = v.Fn.Object().(*types.Func)
	if v.Fn.Synthetic != "" && b.object != nil {
		if method := a.flow.FuncOf(b.object); method != nil && method != v.Fn && method.Blocks != nil {
			b.bound = b.object.Signature().Recv() != nil && len(v.Fn.FreeVars) == 1
			b.fn = method
			if s := a.flow.Summary(method); s != nil {
				b.summary = s
			}
		}
	}
	b.own = b.summary
	if s := a.flow.InContext(v, b.fn); s != nil {
		b.summary = s
	}
	if origin := b.fn.Origin(); origin != nil {
		b.fn = origin
	}
	b.syntax = b.fn.Syntax()
	if b.syntax == nil && b.fn.Blocks == nil {
		b.fn = nil
	}
	return b
}

// role returns what parameter i of the body is for the HOP.
func (u *bodyUse) role(i int) (hopcheck.Slot, bool) {
	if u.fn.bound {
		if i == 0 {
			return hopcheck.Slot{Role: hopcheck.Captured, Label: u.fn.paramName(0)}, true
		}
		i--
	}
	if in := u.arg.body.In; i < len(in) {
		return in[i], in[i].Role != hopcheck.NoRole
	}
	return hopcheck.Slot{}, false
}

// inTree reports whether a place is part of a pytree that the HOP hands to the body or takes from it; result counts the
// results, -1 stands for the inputs.
func (u *bodyUse) inTree(param, result int, path string) bool {
	signature := u.call.bodySignature(u.arg)
	if signature == nil {
		return true
	}
	if u.fn.bound {
		param--
	}
	tuple, i := signature.Params(), param
	if result >= 0 {
		tuple, i = signature.Results(), result
	}
	return i < 0 || i >= tuple.Len() || inTree(tuple.At(i).Type(), path)
}

// output returns what result i of the body is for the HOP. The last role stands for all further results.
func (u *bodyUse) output(i int) hopcheck.Slot {
	out := u.arg.body.Out
	return out[min(i, len(out)-1)]
}

// paramName is the name of a parameter in the source; the receiver is parameter 0 of a method.
func (b *bodyFunc) paramName(i int) string {
	if b.fn != nil && i < len(b.fn.Params) {
		return b.fn.Params[i].Name()
	}
	if b.object != nil && i < numParams(b.object.Signature()) {
		return paramVar(b.object.Signature(), i).Name()
	}
	return ""
}

// capturedName is the name of a captured variable or global.
func (b *bodyFunc) capturedName(root ssaflow.Root) string {
	switch root.Kind {
	case ssaflow.FreeVar:
		if b.fn != nil && b.fn.Synthetic != "" && b.object != nil && b.object.Signature().Recv() != nil {
			if name := b.object.Signature().Recv().Name(); name != "" && name != "_" {
				return name // the wrapper of a bound method of another package
			}
			return receiverWord
		}
		if b.fn != nil && root.Index < len(b.fn.FreeVars) {
			return b.fn.FreeVars[root.Index].Name()
		}
	case ssaflow.Global:
		if root.Global != nil {
			return root.Global.Name()
		}
		return path.Base(root.Name)
	case ssaflow.Param:
		return b.paramName(root.Index)
	}
	return ""
}
