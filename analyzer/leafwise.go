package analyzer

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/ssaflow"
)

// leafwise returns the calls of MapLeaves whose result a return statement returns: at each path it holds what was made of the leaf at
// that path. Summaries know one place for all leaves, so other pairs of paths mean nothing. It returns nil where the result is another.
func (b *bodyFunc) leafwise(ret token.Pos, result int) (calls []*ssa.Call) {
	if b.fn == nil {
		return nil
	}
	for _, block := range b.fn.Blocks {
		r, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return)
		if !ok || r.Pos() != ret || result >= len(r.Results) {
			continue
		}
		call, ok := r.Results[result].(*ssa.Call)
		if !ok {
			return nil
		}
		if object := calledObject(call.Common()); object == nil || !isRuntime(object.Pkg()) || object.Name() != "MapLeaves" {
			return nil
		}
		calls = append(calls, call)
	}
	return calls
}

// shareLeaf reports whether two outputs that have an input or another tensor in common certainly hold one.
func (a *analysisOf) shareLeaf(u *bodyUse, r ssaflow.Return, o, p *output, shared ssaflow.Origin) bool {
	if o.result != p.result {
		return true
	}
	calls := u.fn.leafwise(r.Pos, o.result)
	if len(calls) == 0 {
		return true
	}
	if shared.Ref.Root.Kind == ssaflow.Param {
		return false
	}
	for _, call := range calls {
		if !a.makesAnew(call.Common().Args[0]) {
			return true
		}
	}
	return false
}

// makesAnew reports whether a function returns what it makes itself, another at each call.
func (a *analysisOf) makesAnew(v ssa.Value) bool {
	v = unconverted(v)
	if c, ok := v.(*ssa.MakeClosure); ok {
		v = c.Fn
	}
	fn, ok := v.(*ssa.Function)
	if !ok || len(fn.Blocks) == 0 {
		return false
	}
	summary := a.flow.Summary(fn)
	if summary == nil || summary.Top || len(summary.Results) == 0 {
		return false
	}
	for _, leaf := range summary.Results[0] {
		for _, o := range leaf.Origins {
			if o.Ref.Root.Kind != ssaflow.Fresh {
				return false
			}
		}
	}
	return true
}

// sharedWith names the input or captured tensor that an output shares storage with through an origin.
func (u *bodyUse) sharedWith(r ssaflow.Return, out *output, origin ssaflow.Origin) (hopcheck.Place, bool) {
	ref := origin.Ref
	if ref.Root.Kind != ssaflow.Param || len(u.fn.leafwise(r.Pos, out.result)) == 0 {
		return u.place(ref)
	}
	if !strings.HasPrefix(ref.Fields(), out.place.Path) {
		return hopcheck.Place{}, false // the leaf of another path
	}
	ref.Path = out.place.Path
	return u.place(ref)
}
