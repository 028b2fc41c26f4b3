package analyzer

import (
	"go/ast"
	"go/constant"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/ssaflow"
)

// leafSet holds the storages of tensors that certainly are leaves which require grad.
type leafSet map[storagePlace]bool

// leaves is what is known of the leaves of one function at each of its points.
type leaves struct {
	storages
	in map[*ssa.BasicBlock]leafSet
}

// leavesOf follows SetRequiresGrad(true) through a function; nil where the function makes no leaf, or lets a literal end one.
func (a *analysisOf) leavesOf(fn *ssa.Function) *leaves {
	if !setsGrad(fn, true) || slices.ContainsFunc(fn.AnonFuncs, func(f *ssa.Function) bool { return setsGrad(f, false) }) {
		return nil
	}
	l := &leaves{storages{a: a, fn: fn}, map[*ssa.BasicBlock]leafSet{}}
	for changed := true; changed; {
		changed = false
		for _, block := range fn.Blocks {
			in, reached := l.entry(block)
			if !reached {
				continue
			}
			if old, ok := l.in[block]; !ok || !maps.Equal(old, in) {
				l.in[block] = in
				changed = true
			}
		}
	}
	return l
}

// entry is what holds on every way to a block that was reached so far.
func (l *leaves) entry(block *ssa.BasicBlock) (in leafSet, reached bool) {
	if len(block.Preds) == 0 {
		return leafSet{}, true
	}
	for _, p := range block.Preds {
		before, ok := l.in[p]
		if !ok {
			continue
		}
		out := l.after(p, before, nil)
		if !reached {
			in, reached = out, true
			continue
		}
		maps.DeleteFunc(in, func(k storagePlace, _ bool) bool { return !out[k] })
	}
	return in, reached
}

// after is what holds at the end of a block; visit sees each instruction with what holds before it.
func (l *leaves) after(block *ssa.BasicBlock, in leafSet, visit func(ssa.Instruction, leafSet)) leafSet {
	set := maps.Clone(in)
	for _, instr := range block.Instrs {
		if visit != nil {
			visit(instr, set)
		}
		if v, ok := instr.(ssa.Value); ok {
			delete(set, storagePlace{root: v}) // another tensor in each iteration of a loop
		}
		call, ok := instr.(*ssa.Call)
		if !ok {
			continue
		}
		on, isSet := setRequiresGrad(call)
		switch {
		case isSet && on && l.becomesLeaf(call.Call.Args[0]):
			set[l.place(call.Call.Args[0])] = true
		case isSet:
			delete(set, l.place(call.Call.Args[0]))
		case !l.keepsLeaves(call.Common()):
			for _, arg := range call.Call.Args {
				delete(set, l.place(arg))
			}
		}
	}
	return set
}

// setRequiresGrad reports whether a call is one of SetRequiresGrad, and whether it certainly switches the gradient on.
func setRequiresGrad(call ssa.CallInstruction) (on, ok bool) {
	fn := calledObject(call.Common())
	if fn == nil || !isRuntime(fn.Pkg()) || fn.Name() != "SetRequiresGrad" || len(call.Common().Args) != 2 {
		return false, false
	}
	c, isConst := call.Common().Args[1].(*ssa.Const)
	return isConst && c.Value != nil && c.Value.Kind() == constant.Bool && constant.BoolVal(c.Value), true
}

// setsGrad reports whether a function, or a literal in it, switches gradients on, or off.
func setsGrad(fn *ssa.Function, on bool) bool {
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			if call, ok := instr.(ssa.CallInstruction); ok {
				if to, isSet := setRequiresGrad(call); isSet && to == on {
					return true
				}
			}
		}
	}
	return slices.ContainsFunc(fn.AnonFuncs, func(f *ssa.Function) bool { return setsGrad(f, on) })
}

// becomesLeaf reports whether SetRequiresGrad(true) makes a tensor a leaf. It does not where the tensor is the result of a recorded
// op already: then nothing changes.
func (l *leaves) becomesLeaf(v ssa.Value) bool {
	place := l.place(v)
	switch root := place.root.(type) {
	case *ssa.Call:
		return l.withoutGrad(root, 0)
	case *ssa.Alloc:
		return place.path != "" // a field
	case *ssa.Parameter, *ssa.UnOp, *ssa.FreeVar:
		return true // who asks for the gradient of what he was handed takes it for a leaf
	}
	return false
}

// withoutGrad reports whether a call certainly gives a tensor that was not recorded: nothing that it is computed from requires
// grad.
func (l *leaves) withoutGrad(call *ssa.Call, depth int) bool {
	fn := calledObject(call.Common())
	if fn == nil || depth > maxFollow || call.Call.IsInvoke() {
		return false
	}
	if !isRuntime(fn.Pkg()) {
		return l.a.computesFromNothing(fn)
	}
	if _, isHOP := contractOf(fn); isHOP || runtimeFunction(fn) != nil {
		return false
	}
	if fn.Name() == "Detach" {
		return true
	}
	for _, arg := range call.Call.Args {
		if _, ok := arg.Type().Underlying().(*types.Basic); ok {
			continue
		}
		if isTensorSlice(arg.Type()) {
			return false
		}
		if !isTensorPointer(arg.Type()) {
			continue
		}
		root, ok := l.place(arg).root.(*ssa.Call)
		if !ok || !l.withoutGrad(root, depth+1) || l.everSet(l.place(arg)) {
			return false
		}
	}
	return true
}

// computesFromNothing reports whether the tensors that a function returns are made from neither its arguments nor other memory.
func (a *analysisOf) computesFromNothing(fn *types.Func) bool {
	reading := a.reading()
	if reading == nil || fn.Pkg() != a.pass.Pkg {
		return false
	}
	s := reading.flow.Summary(a.flow.FuncOf(fn))
	if s == nil || s.Top || len(s.Results) == 0 {
		return false
	}
	made := func(list []ssaflow.Origin) bool {
		return !slices.ContainsFunc(list, func(o ssaflow.Origin) bool { return o.Ref.Root.Kind != ssaflow.Fresh })
	}
	for _, leaves := range s.Results {
		if slices.ContainsFunc(leaves, func(l ssaflow.Leaf) bool { return !made(l.Origins) }) {
			return false
		}
	}
	return !slices.ContainsFunc(s.Stores, func(row ssaflow.StoreRow) bool {
		return row.Dst.Root.Kind == ssaflow.Fresh && !made(row.Origins)
	})
}

// everSet reports whether the function makes a leaf of the storage at a place somewhere.
func (l *leaves) everSet(p storagePlace) bool {
	for _, block := range l.fn.Blocks {
		for _, instr := range block.Instrs {
			if call, ok := instr.(ssa.CallInstruction); ok {
				if _, isSet := setRequiresGrad(call); isSet && l.place(call.Common().Args[0]) == p {
					return true
				}
			}
		}
	}
	return false
}

// keepsLeaves reports whether a call certainly ends no leaf: one of the runtime, or of a function of this package that switches no
// gradient off and calls nothing unknown with what it was given.
func (l *leaves) keepsLeaves(common *ssa.CallCommon) bool {
	if _, builtin := common.Value.(*ssa.Builtin); builtin {
		return true
	}
	fn := calledObject(common)
	if fn != nil && isRuntime(fn.Pkg()) {
		return true
	}
	callee := common.StaticCallee()
	return callee != nil && len(callee.Blocks) > 0 && !setsGrad(callee, false) && !callsOthers(callee)
}

// callsOthers reports whether a function calls functions that are not of the runtime.
func callsOthers(fn *ssa.Function) bool {
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			if call, ok := instr.(ssa.CallInstruction); ok {
				callee := calledObject(call.Common())
				if _, builtin := call.Common().Value.(*ssa.Builtin); !builtin && (callee == nil || !isRuntime(callee.Pkg())) {
					return true
				}
			}
		}
	}
	return false
}

// leafWrites finds in-place writes to tensors that certainly are leaves which require grad: HOP602.
func (a *analysisOf) leafWrites(l *leaves) []*Finding {
	var list []*Finding
	for _, block := range l.fn.Blocks {
		in, ok := l.in[block]
		if !ok {
			continue
		}
		l.after(block, in, func(instr ssa.Instruction, set leafSet) {
			call, ok := instr.(ssa.CallInstruction)
			if !ok {
				return
			}
			if _, isGo := instr.(*ssa.Defer); isGo {
				return // what holds when the function ends is not known here
			}
			written, op := l.writes(call.Common())
			if helped, name := l.writtenByHelper(call.Common()); len(helped) > 0 {
				written, op = helped, name
			}
			for _, v := range written {
				if set[l.place(v)] {
					list = append(list, a.leafWrite(call, v, op))
					return
				}
			}
		})
	}
	return list
}

// writtenByHelper are the arguments that a function of this package certainly writes, other than through Detach.
func (l *leaves) writtenByHelper(common *ssa.CallCommon) (args []ssa.Value, op string) {
	callee := common.StaticCallee()
	if callee == nil || len(callee.Blocks) == 0 || callee.Parent() != nil {
		return nil, ""
	}
	s := l.a.flow.Summary(callee)
	if s == nil || s.Top {
		return nil, ""
	}
	for _, e := range s.Effects {
		detached := slices.ContainsFunc(e.Witness, func(step ssaflow.Step) bool { return step.Callee == "Detach" || step.Where != "" })
		if e.Kind == ssaflow.Write && e.Definite && e.Ref.Root.Kind == ssaflow.Param && e.Ref.Fields() == "" && !detached &&
			e.Ref.Root.Index < len(common.Args) && isTensorPointer(common.Args[e.Ref.Root.Index].Type()) {
			args, op = append(args, common.Args[e.Ref.Root.Index]), e.Op
		}
	}
	return args, op
}

func (a *analysisOf) leafWrite(call ssa.CallInstruction, v ssa.Value, op string) *Finding {
	pos, end := a.operation(call.Common().Pos())
	f := &Finding{Pos: pos, End: end, Call: pos}
	f.Finding = hopcheck.Finding{Code: hopcheck.InPlaceOnLeaf, Op: op, Places: []hopcheck.Place{{Label: a.sourceName(call, v)}}}
	if fix := a.detachFix(call); fix != nil {
		f.Fixes = append(f.Fixes, *fix)
	}
	return f
}

// sourceName is how the source calls an argument of a call.
func (a *analysisOf) sourceName(call ssa.CallInstruction, v ssa.Value) string {
	syntax := a.callAt[call.Common().Pos()]
	if syntax == nil {
		return "a tensor"
	}
	i := slices.Index(call.Common().Args, v)
	if fn := calledObject(call.Common()); fn != nil && fn.Signature().Recv() != nil {
		if selector, ok := ast.Unparen(syntax.Fun).(*ast.SelectorExpr); ok && i == 0 {
			return brief(types.ExprString(selector.X))
		}
		i--
	}
	if i >= 0 && i < len(syntax.Args) {
		return brief(types.ExprString(syntax.Args[i]))
	}
	return "a tensor"
}

// brief is source text that fits into a message.
func brief(text string) string {
	if len(text) > maxName || strings.Contains(text, "\n") {
		return "a tensor"
	}
	return text
}

// detachFix writes a leaf outside the tape: w.SubInPlace(g) becomes w.Detach().SubInPlace(g), where nobody uses the result.
func (a *analysisOf) detachFix(call ssa.CallInstruction) *analysis.SuggestedFix {
	syntax := a.callAt[call.Common().Pos()]
	if syntax == nil {
		return nil
	}
	selector, ok := ast.Unparen(syntax.Fun).(*ast.SelectorExpr)
	fn := calledObject(call.Common())
	if !ok || fn == nil || !isRuntime(fn.Pkg()) || fn.Signature().Recv() == nil {
		return nil
	}
	if _, isStatement := a.parent(syntax).(*ast.ExprStmt); !isStatement {
		return nil
	}
	return fixOf("write it outside the tape", []analysis.TextEdit{{Pos: selector.X.End(), End: selector.X.End(), NewText: []byte(".Detach()")}})
}

// gradRules finds what goes wrong with recorded gradients within one function: HOP602 and HOP601.
func (a *analysisOf) gradRules() []*Finding {
	var list []*Finding
	for _, fn := range a.flow.Functions() {
		l := a.leavesOf(fn)
		if l == nil {
			continue
		}
		list = append(list, a.leafWrites(l)...)
		list = append(list, a.staleSaves(l)...)
	}
	slices.SortStableFunc(list, func(f, g *Finding) int { return int(f.Pos - g.Pos) })
	return slices.CompactFunc(list, func(f, g *Finding) bool { return f.Code == g.Code && f.Pos == g.Pos })
}
