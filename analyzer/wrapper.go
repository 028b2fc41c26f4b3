package analyzer

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/ssaflow"
)

// inferWrappers finds functions that hand a parameter to a HOP as its body, or as a function that the body calls with
// what the HOP gives it. It reports whether it found new ones.
func (a *analysisOf) inferWrappers(calls []*hopCall) (found bool) {
	add := func(object *types.Func, b ClaimBody) {
		if object == nil || a.declaredBody(object, b.Param) {
			return
		}
		if i := slices.IndexFunc(a.wrappers[object], func(c ClaimBody) bool { return c.Param == b.Param }); i >= 0 {
			if known := &a.wrappers[object][i]; known.Stepwise && !b.Stepwise {
				known.Stepwise, found = false, true
			}
			return
		}
		a.wrappers[object] = append(a.wrappers[object], b)
		found = true
	}
	for _, call := range calls {
		for _, arg := range call.bodies {
			funcs, set := a.bodyFuncs(call, arg)
			for _, origin := range set.Origins {
				if holder, param, ok := parameterOf(call.instr.Parent(), origin.Ref); ok {
					add(holder, ClaimBody{Param: param, HOP: call.contract.Name, Words: arg.body.Words, In: arg.body.In, Out: arg.body.Out,
						Stepwise: a.runsStepwise(call, arg)})
				}
			}
			for _, fn := range funcs {
				fn.summary = fn.own
				if fn.fn == nil || fn.summary == nil {
					continue
				}
				for i := range fn.summary.Slots {
					holder, param, ok := capturedParam(fn.fn, fn.summary.Slots[i].Callee)
					if ok && holder == declarationOf(outermost(call.instr.Parent())) {
						b := forwarded(&bodyUse{call, arg, fn}, i, param)
						b.Stepwise = a.runsStepwise(call, arg)
						add(holder, b)
					}
				}
			}
		}
	}
	return found
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
		holder, param, ok := capturedParam(fn.fn, fn.summary.Slots[i].Callee)
		if !ok || calledObject(maker.Common()) != holder {
			continue
		}
		inner := &hopCall{instr: maker, pos: maker.Common().Pos(), syntax: a.callAt[maker.Common().Pos()]}
		inner.contract = wrapperContract(holder, []ClaimBody{forwarded(&bodyUse{call, arg, fn}, i, param)})
		inner.bodies = []bodyArg{{&inner.contract.Bodies[0], param, a.runsStepwise(call, arg)}}
		list = append(list, inner)
	}
	return list
}

// outermost is the declared function around a literal.
func outermost(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}

// declaredBody reports whether a directive says that the parameter is a body.
func (a *analysisOf) declaredBody(object *types.Func, param int) bool {
	claim, _ := a.model.claim(object)
	return slices.ContainsFunc(claim.Bodies, func(b ClaimBody) bool { return b.Param == param })
}

// declarationOf is the declaration of a function; nil for literals.
func declarationOf(fn *ssa.Function) *types.Func {
	object, _ := fn.Object().(*types.Func)
	return object
}

// forwarded gives the roles of a function that a body calls: those of the body's own parameters and results as they are
// handed through.
func forwarded(u *bodyUse, slot, param int) ClaimBody {
	b := ClaimBody{Param: param, HOP: u.call.contract.Name, Words: u.arg.body.Words}
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
