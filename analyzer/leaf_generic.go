package analyzer

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/hoplint/hoplint/hopcheck"
)

// A generic function that gives an operator values of its type parameters leaves it to its callers whether these are pytrees. What it
// asks of them is remembered, as a fact too, and is looked at where the function gets its type arguments.

// GenericLeaf says that a type parameter of a function, counted with those of its receiver, must be a pytree: it is, at a path, part of
// what an operator is given.
type GenericLeaf struct {
	Param int
	// HOP is the operator, Name what its caller calls the value.
	HOP, Name, Path string
}

// typeUse is a type parameter at a path of a type that must be a pytree.
type typeUse struct {
	param *types.TypeParam
	path  string
}

// genericLeaves finds type arguments that are no pytrees: HOP202. It fills a.generic.
func (a *analysisOf) genericLeaves(calls []*hopCall) []*Finding {
	for _, call := range calls {
		if call.ofDirective() {
			continue // whoever wraps another operator hands on what that one asks for
		}
		for _, arg := range call.bodies {
			if signature := call.bodySignature(arg); signature != nil {
				a.asked(call, signature.Params(), arg.body.In)
				a.asked(call, signature.Results(), arg.body.Out)
			}
		}
	}
	var list []*Finding
	for changed := true; changed; {
		changed, list = false, nil
		a.eachFunction("leaves", func(fn *ssa.Function) {
			for _, block := range fn.Blocks {
				for _, instr := range block.Instrs {
					if call, ok := instr.(ssa.CallInstruction); ok {
						found, more := a.instantiated(fn, call)
						list, changed = append(list, found...), changed || more
					}
				}
			}
		})
	}
	return list
}

// asked notes what a HOP call asks of the type parameters of the function around it.
func (a *analysisOf) asked(call *hopCall, tuple *types.Tuple, slots []hopcheck.Slot) {
	for i := range min(tuple.Len(), len(slots)) {
		if role := slots[i].Role; role == hopcheck.NoRole || role == hopcheck.Captured {
			continue
		}
		var uses []typeUse
		if bad := (&leafCheck{uses: &uses}).check(tuple.At(i).Type(), ""); bad == nil {
			for _, use := range uses {
				a.ask(call.instr.Parent(), use, GenericLeaf{HOP: call.contract.Name, Name: operandName(slots[i]), Path: use.path})
			}
		}
	}
}

// ask notes what a function asks of one of its type parameters, and reports whether that is new.
func (a *analysisOf) ask(fn *ssa.Function, use typeUse, leaf GenericLeaf) bool {
	holder := outermost(fn)
	object := declarationOf(holder)
	if object == nil {
		return false
	}
	params := holder.TypeParams()
	for leaf.Param = 0; leaf.Param < params.Len(); leaf.Param++ {
		if params.At(leaf.Param) == use.param {
			if slices.Contains(a.generic[object], leaf) {
				return false
			}
			a.generic[object] = append(a.generic[object], leaf)
			return true
		}
	}
	return false
}

// instantiated looks at the type arguments of a call; more is set where the function around asks the same of its own type parameters.
func (a *analysisOf) instantiated(fn *ssa.Function, call ssa.CallInstruction) (list []*Finding, more bool) {
	callee := call.Common().StaticCallee()
	object := calledObject(call.Common())
	if callee == nil || object == nil || len(callee.TypeArgs()) == 0 || isRuntime(object.Pkg()) {
		return nil, false
	}
	leaves := a.generic[object.Origin()]
	if object.Pkg() != a.pass.Pkg {
		fact, _ := a.kind.function(a.pass, object.Origin())
		leaves = fact.Generic
	}
	told := map[int]bool{} // of what one type argument breaks, the first is enough
	for _, leaf := range leaves {
		if leaf.Param >= len(callee.TypeArgs()) {
			continue
		}
		var uses []typeUse
		bad := (&leafCheck{uses: &uses}).check(callee.TypeArgs()[leaf.Param], leaf.Path)
		if bad == nil {
			for _, use := range uses {
				leaf.Path = use.path
				more = a.ask(fn, use, leaf) || more
			}
			continue
		}
		if told[leaf.Param] {
			continue
		}
		told[leaf.Param] = true
		f := &Finding{Pos: call.Common().Pos(), End: call.Common().Pos() + 1, Call: call.Common().Pos()}
		a.indexed()
		f.Pos, f.End = a.operation(call.Common().Pos())
		f.Finding = hopcheck.Finding{Code: hopcheck.UnsupportedLeaf, HOP: leaf.HOP,
			Detail: fmt.Sprintf("%s%s is %s: %s", leaf.Name, bad.path, bad.typ, bad.reason)}
		list = append(list, f)
	}
	return list, more
}

// exportGeneric tells what the package's generic functions ask of their type parameters.
func (a *analysisOf) exportGeneric(put func(types.Object, func(*FunctionFact))) {
	for _, object := range sortedFuncs(a.generic) {
		put(object, func(f *FunctionFact) { f.Generic = a.generic[object] })
	}
}
