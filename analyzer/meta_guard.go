package analyzer

import (
	"go/constant"
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/hoplint/hoplint/ssaflow"
)

// excluded reports whether a block is not reached with what the evaluator was given: it stands behind a test for an empty list, or for
// another length or no tensor, that the inputs do not pass.
func (e *evaluator) excluded(b *ssa.BasicBlock) bool {
	for d := b; d.Idom() != nil; d = d.Idom() {
		if len(d.Preds) != 1 {
			continue
		}
		p := d.Preds[0]
		br, ok := p.Instrs[len(p.Instrs)-1].(*ssa.If)
		if !ok || p.Succs[0] == p.Succs[1] {
			continue
		}
		if holds, known := e.condition(br.Cond); known && holds != (p.Succs[0] == d) {
			return true
		}
	}
	return false
}

// returns visits the return statements of a function that can be reached.
func (e *evaluator) returns(fn *ssa.Function, visit func(*ssa.Return)) {
	for instr := range ssaflow.LiveInstructions(fn) {
		if ret, ok := instr.(*ssa.Return); ok && !e.excluded(ret.Block()) {
			visit(ret)
		}
	}
}

// condition is the value of a comparison of a length with a number, or of a tensor with nil, where it is known.
func (e *evaluator) condition(v ssa.Value) (holds, known bool) {
	c, ok := v.(*ssa.BinOp)
	if !ok {
		return false, false
	}
	x, okX := e.counted(c.X)
	y, okY := e.counted(c.Y)
	switch c.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		if okX && okY {
			return constant.Compare(constant.MakeInt64(x), c.Op, constant.MakeInt64(y)), true
		}
	}
	if isNil(c.Y) && (c.Op == token.EQL || c.Op == token.NEQ) && e.of(c.X).kind == leafTree {
		return c.Op == token.NEQ, true
	}
	return false, false
}

// counted is a constant number or the length of a list or map of which all elements are known.
func (e *evaluator) counted(v ssa.Value) (int64, bool) {
	if n, ok := intConst(v); ok {
		return n, true
	}
	call, ok := v.(*ssa.Call)
	if !ok {
		return 0, false
	}
	if b, isBuiltin := call.Call.Value.(*ssa.Builtin); !isBuiltin || b.Name() != "len" {
		return 0, false
	}
	t := e.of(call.Call.Args[0])
	return int64(len(t.kids)), t.kind == listTree || t.kind == mapTree
}
