package analyzer

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/ssaflow"
)

// madeLeafwise reports whether a result of a return statement is what MapLeaves returned: at each path it holds what was made
// of the leaf at that path. Summaries know one place for all leaves, so other pairs of paths mean nothing.
func (b *bodyFunc) madeLeafwise(ret token.Pos, result int) (found bool) {
	if b.fn == nil {
		return false
	}
	for _, block := range b.fn.Blocks {
		r, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return)
		if !ok || r.Pos() != ret || result >= len(r.Results) {
			continue
		}
		var object *types.Func
		if call, ok := r.Results[result].(*ssa.Call); ok {
			object = calledObject(call.Common())
		}
		if object == nil || !isRuntime(object.Pkg()) || object.Name() != "MapLeaves" {
			return false
		}
		found = true
	}
	return found
}

// shareLeaf reports whether two outputs that have an input in common certainly hold one leaf of it.
func (b *bodyFunc) shareLeaf(r ssaflow.Return, o, p *output, shared ssaflow.Origin) bool {
	return o.result != p.result || shared.Ref.Root.Kind != ssaflow.Param || !b.madeLeafwise(r.Pos, o.result)
}

// sharedWith names the input or captured tensor that an output shares storage with through an origin.
func (u *bodyUse) sharedWith(r ssaflow.Return, out *output, origin ssaflow.Origin) (hopcheck.Place, bool) {
	ref := origin.Ref
	if ref.Root.Kind != ssaflow.Param || !u.fn.madeLeafwise(r.Pos, out.result) {
		return u.place(ref)
	}
	if !strings.HasPrefix(ref.Fields(), out.place.Path) {
		return hopcheck.Place{}, false // the leaf of another path
	}
	ref.Path = out.place.Path
	return u.place(ref)
}
