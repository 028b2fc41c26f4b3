package analyzer

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/ssaflow"
)

// inferWrappers finds functions that hand a parameter to a HOP as its body, or as a function that the body calls with
// what the HOP gives it. It reports whether it found new ones.
func (a *analysisOf) inferWrappers(calls []*hopCall) (found bool) {
	add := func(at place, b ClaimBody) {
		b.Param, b.Path = at.param, at.path
		same := func(c ClaimBody) bool { return c.Param == b.Param && c.Path == b.Path && c.Method == b.Method }
		if a.declaredBody(at.holder, same) {
			return
		}
		if i := slices.IndexFunc(a.wrappers[at.holder], same); i >= 0 {
			if known := &a.wrappers[at.holder][i]; known.Stepwise && !b.Stepwise {
				known.Stepwise, found = false, true
			}
			return
		}
		a.wrappers[at.holder] = append(a.wrappers[at.holder], b)
		found = true
	}
	for _, call := range calls {
		for _, arg := range call.bodies {
			if call.handed {
				continue // the body is the function's own, or told at its calls
			}
			funcs, set := a.bodyFuncs(call, arg)
			if arg.method != "" {
				funcs = append(funcs, bodyFunc{})
			}
			for _, fn := range funcs {
				if at, method, ok := a.methodOfParameter(call, arg, fn); ok {
					add(at, ClaimBody{HOP: call.contract.Name, Words: arg.body.Words, In: arg.body.In, Out: arg.body.Out,
						Stepwise: a.runsStepwise(call, arg), Method: method})
				}
			}
			for _, origin := range set.Origins {
				if list, ok := a.parametersOf(call.instr.Parent(), origin.Ref); ok {
					for _, at := range list {
						add(at, ClaimBody{HOP: call.contract.Name, Words: arg.body.Words, In: arg.body.In, Out: arg.body.Out,
							Stepwise: a.runsStepwise(call, arg)})
					}
				}
			}
			for _, fn := range funcs {
				fn.summary = fn.own
				if fn.fn == nil || fn.summary == nil {
					continue
				}
				for i := range fn.summary.Slots {
					list, _ := a.capturedParams(fn.fn, fn.summary.Slots[i].Callee)
					if at, ok := a.boundParam(call, arg, fn, fn.summary.Slots[i].Callee); ok {
						list = append(list, at)
					}
					for _, at := range list {
						method := fn.summary.Slots[i].Method
						if method != "" && at.path != "" {
							continue // the types of what fields hold are not asked of the callers
						}
						if at.holder.encloses(call.instr.Parent()) {
							b := forwarded(&bodyUse{call, arg, fn}, i)
							b.Stepwise = a.runsStepwise(call, arg)
							b.Method = method
							add(at, b)
						}
					}
				}
			}
		}
	}
	return found
}

// boundParam follows the receiver of a body that is a method value, as in hop.Scan(f.Step, init, xs), to the parameter of the function
// around that it is: a function in a field of the receiver, which the method calls, is the caller's.
func (a *analysisOf) boundParam(call *hopCall, arg bodyArg, fn bodyFunc, callee ssaflow.Ref) (at place, ok bool) {
	args := call.instr.Common().Args
	if !fn.bound || arg.arg >= len(args) || callee.Root != (ssaflow.Root{Kind: ssaflow.Param}) {
		return at, false
	}
	closure, isClosure := unconverted(args[arg.arg]).(*ssa.MakeClosure)
	path, fits := parameterPath(callee)
	if !isClosure || !isBoundMethod(closure) || !fits || strings.Contains(path, "[") {
		return at, false
	}
	param, steps, isPart := a.partOfParameter(closure.Bindings[0])
	if !isPart {
		return at, false
	}
	for _, field := range strings.Split(path, ".")[1:] {
		steps = append(steps, "."+field)
	}
	s := storages{a: a, fn: param.Parent()}
	holder, known := runnerOf(param.Parent())
	return place{holder, slices.Index(param.Parent().Params, param), strings.Join(steps, "")}, known && s.keeps(param, steps)
}

// partial returns, for a body that was made by a call in the HOP's argument, that call as a HOP call of its own: in
// hop.Scan(bind(step, w), init, xs) the literal that bind returns calls step, which so becomes a body.
func (a *analysisOf) partial(call *hopCall, arg bodyArg, fn bodyFunc) []*hopCall {
	common := call.instr.Common()
	fn.summary = fn.own
	if fn.fn == nil || fn.summary == nil || arg.arg >= len(common.Args) {
		return nil
	}
	maker, ok := common.Args[arg.arg].(*ssa.Call)
	if !ok {
		return nil
	}
	var list []*hopCall
	for i := range fn.summary.Slots {
		params, _ := a.capturedParams(fn.fn, fn.summary.Slots[i].Callee)
		for _, at := range params {
			if !a.reaches(maker, at.holder) {
				continue
			}
			inner := &hopCall{instr: maker, pos: maker.Common().Pos(), syntax: a.callAt[maker.Common().Pos()]}
			inner.contract = wrapperContract(at.holder.name(), []ClaimBody{forwarded(&bodyUse{call, arg, fn}, i)})
			inner.bodies = []bodyArg{{body: &inner.contract.Bodies[0], arg: at.param, stepwise: a.runsStepwise(call, arg), path: at.path}}
			list = append(list, inner)
		}
	}
	return list
}

// declaredBody reports whether a directive says that a place of a function is a body.
func (a *analysisOf) declaredBody(holder runner, same func(ClaimBody) bool) bool {
	if holder.object == nil {
		return false
	}
	claim, _ := a.model.claim(holder.object)
	return slices.ContainsFunc(claim.Bodies, same)
}

// declarationOf is the declaration of a function; nil for literals.
func declarationOf(fn *ssa.Function) *types.Func {
	object, _ := fn.Object().(*types.Func)
	return object
}

// forwarded gives the roles of a function that a body calls: those of the body's own parameters and results as they are
// handed through.
func forwarded(u *bodyUse, slot int) ClaimBody {
	b := ClaimBody{HOP: u.call.contract.Name, Words: u.arg.body.Words}
	row := u.fn.summary.Slots[slot]
	for _, leaves := range row.Args {
		b.In = append(b.In, roleOf(leaves, func(r ssaflow.Root) (hopcheck.Slot, bool) {
			switch r.Kind {
			case ssaflow.Param:
				return u.role(r.Index)
			case ssaflow.FreeVar, ssaflow.Global:
				return hopcheck.Slot{Role: hopcheck.Captured, Label: u.fn.capturedName(r)}, true
			}
			return hopcheck.Slot{}, false
		}))
	}
	for i, leaves := range u.fn.summary.Results {
		for _, leaf := range leaves {
			for _, o := range leaf.Origins {
				if r := o.Ref.Root; r.Kind == ssaflow.SlotResult && r.Index == slot {
					for len(b.Out) <= r.Result {
						b.Out = append(b.Out, hopcheck.Slot{})
					}
					b.Out[r.Result] = u.output(i)
				}
			}
		}
	}
	b.Out = append(b.Out, hopcheck.Slot{}) // further results do not reach the HOP
	return b
}

// roleOf is the role that all leaves of an argument share.
func roleOf(leaves []ssaflow.Leaf, role func(ssaflow.Root) (hopcheck.Slot, bool)) hopcheck.Slot {
	var common hopcheck.Slot
	for _, leaf := range leaves {
		for _, o := range leaf.Origins {
			slot, ok := role(o.Ref.Root)
			if !ok || common.Role != hopcheck.NoRole && slot != common {
				return hopcheck.Slot{}
			}
			common = slot
		}
	}
	return common
}
